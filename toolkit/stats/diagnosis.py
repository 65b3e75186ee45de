"""Why a value is undefined or fragile: the notes that go with each family of statistics.

Each function gets the columns that a statistic read (different rows, with their weights) and its value, and returns
codes. They look at the data, never at the formula's output alone: a kappa of 0 can be honest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import NOISE, Array, levels, merge
from toolkit.stats.agreement import PairKernel
from toolkit.stats.results import Note

__all__ = [
    "DOMINANT_SHARE",
    "SKEWED_N",
    "SKEWED_SHARE",
    "correlation_notes",
    "error_notes",
    "few_shared",
    "kappa_notes",
    "mean_pairwise_notes",
    "multirater_notes",
]

Diagnose = Callable[[Mapping[str, Array], Array, float], tuple[Note, ...]]

DOMINANT_SHARE = 0.8
"""From this share of all scores on, one score dominates, and kappa says little."""

SKEWED_SHARE = 0.6
"""From this share of one side's scores on, intervals of kappas and correlations are too narrow below `SKEWED_N` items:
in `scripts/coverage.py` 95% intervals with 85% of the true levels on one score hold the true kappa in 83% of studies of
30 items and in 90% of those of 100."""
SKEWED_N = 100
"""From this number of items on skewed scores need no warning."""

FEW_SHARED = 20
"""Where not everybody scored every item, a mean kappa of pairs needs so many items of most pairs: of 150 simulated
studies (four annotators, two for each item, true kappa 0.62) it averaged 0.48, 0.57 and 0.60 at 4, 10 and 20 shared
items, and its 95% interval held the truth in 51%, 79% and 89% of them."""

MOST_SHARED = 0.8
"""Pairs that share this much of the items are as good as pairs that share all."""

_NEAR = 1e-3
# What makes a kappa of 0 say nothing.
_EMPTY_ZERO = (Note.SINGLE_ITEM, Note.CONSTANTS_DIFFER, Note.ONE_CONSTANT)


def kappa_notes(scale: ArrayLike | None = None) -> Diagnose:
    """Notes for a kappa of two columns; with a scale, also whether values lie between its levels.

    Args:
        scale: Levels of the rubric, for kappas that take an off-grid value as a category of its own; None for
            those that take it as it is.

    Returns:
        A function for `Statistic.diagnose`.

    Example:
        >>> columns = {"a": np.array([4.0]), "b": np.array([5.0])}
        >>> [str(note) for note in kappa_notes()(columns, np.array([6.0]), 0.0)]
        ['constants_differ']
    """

    def diagnose(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
        total = weights.sum()
        if not total:
            return (Note.NO_SHARED_ITEMS,)
        notes = [Note.SINGLE_ITEM] if total == 1 else []
        varied = [levels(column)[0].size > 1 for column in columns.values()]
        if np.isnan(value):
            notes.append(Note.BOTH_CONSTANT)
        elif not any(varied):
            notes.append(Note.CONSTANTS_DIFFER)
        elif not all(varied):
            notes.append(Note.ONE_CONSTANT)
        return (*notes, *_shape_notes(columns, weights, scale))

    return diagnose


def correlation_notes(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
    """Notes for a correlation of two columns.

    Args:
        columns: The two columns over different rows, without gaps.
        weights: Items per row, shape (rows,).
        value: The correlation; NaN where undefined.

    Returns:
        Codes.

    Example:
        >>> columns = {"human": np.array([1.0, 2.0]), "judge": np.array([3.0, 3.0])}
        >>> [str(note) for note in correlation_notes(columns, np.ones(2), float("nan"))]
        ['constant']
    """
    total = weights.sum()
    if not total:
        return (Note.NO_SHARED_ITEMS,)
    if total == 1:
        return (Note.SINGLE_ITEM,)
    if np.isnan(value):
        return (Note.CONSTANT,)
    notes = (Note.TWO_ITEMS,) if total == 2 else ()
    return (*notes, *_skewed_small(columns, weights), *_near_ties(columns))


def error_notes(scale: ArrayLike | None = None) -> Diagnose:
    """Notes for an error or a raw agreement of two columns.

    Args:
        scale: Levels of the rubric, where an off-grid value counts as a score of its own (exact agreement).

    Returns:
        A function for `Statistic.diagnose`.

    Example:
        >>> columns = {"human": np.array([1.0, 2.0]), "judge": np.array([1.5, 2.0])}
        >>> [str(note) for note in error_notes([1, 2, 3])(columns, np.ones(2), 0.5)]
        ['half_points']
    """

    def diagnose(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
        if np.isnan(value):
            return (Note.NO_SHARED_ITEMS,)
        half = (Note.HALF_POINTS,) if scale is not None and _off_scale(columns, scale) else ()
        return (*half, *(_near_ties(columns) if scale is not None else ()))

    return diagnose


def multirater_notes(complete: bool = False, scale: ArrayLike | None = None, collapses: bool = True) -> Diagnose:
    """Notes for a coefficient of several raters.

    Args:
        complete: Whether only items scored by every rater count (ICC).
        scale: Levels of the rubric, where an off-grid value counts as a category of its own.
        collapses: Whether the coefficient falls, and its interval fails, as one score comes to dominate (not Gwet's).

    Returns:
        A function for `Statistic.diagnose`.

    Example:
        >>> columns = {"a": np.array([5.0]), "b": np.array([5.0])}
        >>> [str(note) for note in multirater_notes()(columns, np.array([6.0]), float("nan"))]
        ['all_same', 'prevalence']
    """

    def diagnose(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
        given = np.sum([~np.isnan(column) for column in columns.values()], axis=0)
        usable = weights[given == len(columns)].sum() if complete else weights[given >= 2].sum()
        if complete and usable < 2:
            return (Note.NO_COMPLETE_ITEMS,)
        if not usable:
            return (Note.NO_SHARED_ITEMS,)
        notes = [Note.SINGLE_ITEM] if usable == 1 else []
        scores = np.concatenate(list(columns.values()))
        if levels(scores[~np.isnan(scores)])[0].size < 2:
            notes.append(Note.ALL_SAME)
        elif np.isnan(value):
            notes.append(Note.UNDEFINED)
        if abs(value) > 1 + NOISE:
            notes.append(Note.OUT_OF_RANGE)
        shape = _shape_notes(columns, weights, scale)
        return (*notes, *(note for note in shape if collapses or note not in (Note.PREVALENCE, Note.SKEWED_SMALL)))

    return diagnose


def mean_pairwise_notes(kernel: PairKernel, judge: str | None = None) -> Diagnose:
    """Notes for a mean kappa over pairs of raters.

    What makes the 0 of a single pair say nothing (one side constant) makes the mean say less, and is noted too.

    Args:
        kernel: The kappa that is averaged.
        judge: Name of the judge's column, when the mean is over the pairs of the judge and each person; None when it is
            over all pairs.

    Returns:
        A function for `Statistic.diagnose`.

    Example:
        >>> from toolkit.stats import quadratic_kappa
        >>> columns = {"a": np.array([1.0, 2.0]), "b": np.array([1.0, 2.0]), "c": np.array([np.nan, np.nan])}
        >>> [str(note) for note in mean_pairwise_notes(quadratic_kappa)(columns, np.ones(2), 1.0)]
        ['some_pairs_undefined']
        >>> columns["c"] = np.array([3.0, 3.0])
        >>> [str(note) for note in mean_pairwise_notes(quadratic_kappa)(columns, np.ones(2), 1 / 3)]
        ['one_constant']
    """
    of_pair = kappa_notes()

    def diagnose(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
        pairs = (
            list(combinations(columns, 2)) if judge is None else [(name, judge) for name in columns if name != judge]
        )
        values, counted, found = [], [], set[Note]()
        shared: list[Array] = []
        for one, two in pairs:
            both = ~np.isnan(columns[one] + columns[two])
            pair, counts = {one: columns[one][both], two: columns[two][both]}, weights[both]
            values.append(float(kernel(pair[one], pair[two], counts)))
            counted.append(float(counts.sum()))
            shared.extend(pair.values() if both.any() else ())
            if abs(values[-1]) <= NOISE:
                found |= set(of_pair(pair, counts, values[-1]))
        if not shared:
            return (Note.NO_SHARED_ITEMS,)
        shape = _shape_notes(columns, weights, None)
        if np.isnan(value):
            # Kappa is undefined for constant pairs only: of one and the same score, or each pair of its own.
            same = levels(np.concatenate(shared))[0].size < 2
            return (Note.ALL_SAME if same else Note.BOTH_CONSTANT, *shape)
        some = (Note.SOME_PAIRS_UNDEFINED,) if np.isnan(values).any() else ()
        scored = weights[np.sum([~np.isnan(column) for column in columns.values()], axis=0) > 1].sum()
        few = (Note.FEW_SHARED_ITEMS,) if few_shared(counted, scored) else ()
        return (*some, *few, *(note for note in _EMPTY_ZERO if note in found), *shape)

    return diagnose


def few_shared(shared: Sequence[float], scored: float) -> bool:
    """Return whether pairs share too few items for a mean of their kappas, because not everybody scored every item.

    Pairs that share nothing have no kappa, and a score missing here and there is no such design.

    Args:
        shared: How many items each pair shares.
        scored: How many items two raters or more scored.

    Example:
        >>> few_shared([4, 4, 0], 24), few_shared([23, 23, 24], 24), few_shared([24, 24, 0], 48)
        (True, False, False)
    """
    together = [count for count in shared if count]
    return bool(together) and bool(np.median(together) < min(FEW_SHARED, MOST_SHARED * scored))


def _shape_notes(columns: Mapping[str, Array], weights: Array, scale: ArrayLike | None) -> tuple[Note, ...]:
    notes: list[Note] = []
    scores = np.concatenate(list(columns.values()))
    present = ~np.isnan(scores)
    distinct, index = levels(scores[present])
    share = merge(np.tile(weights, len(columns))[present], index, distinct.size)
    if share.size and share.max() >= DOMINANT_SHARE * share.sum():
        notes.append(Note.PREVALENCE)
    if scale is not None and _off_scale(columns, scale):
        notes.append(Note.HALF_POINTS)
    if scale is not None:
        notes.extend(_near_ties(columns))
    return (*notes, *_skewed_small(columns, weights))


def _skewed_small(columns: Mapping[str, Array], weights: Array) -> tuple[Note, ...]:
    """Warn of few items with most scores alike, on either of two sides or among all of several raters.

    `estimate` drops the note where there is no interval.
    """
    given = np.sum([~np.isnan(column) for column in columns.values()], axis=0)
    if weights[given >= min(2, len(columns))].sum() >= SKEWED_N:
        return ()
    # A rater of many who scored a handful of items says nothing by giving most of them one score.
    sides = list(columns.values()) if len(columns) == 2 else [np.concatenate(list(columns.values()))]
    for side in sides:
        present = ~np.isnan(side)
        distinct, index = levels(side[present])
        share = merge(np.tile(weights, side.size // max(weights.size, 1))[present], index, distinct.size)
        # A constant side has notes of its own.
        if share.size > 1 and share.max() >= SKEWED_SHARE * share.sum() - NOISE:
            return (Note.SKEWED_SMALL,)
    return ()


def _off_scale(columns: Mapping[str, Array], scale: ArrayLike) -> bool:
    scores = np.concatenate(list(columns.values()))
    scores = scores[~np.isnan(scores)]
    distance = np.abs(np.subtract.outer(scores, np.asarray(scale, dtype=np.float64)))
    return bool(scores.size) and bool((distance.min(axis=1) > NOISE).any())


def _near_ties(columns: Mapping[str, Array]) -> tuple[Note, ...]:
    scores = np.concatenate(list(columns.values()))
    gaps = np.diff(levels(scores[~np.isnan(scores)])[0])
    return (Note.NEAR_TIES,) if gaps.size and gaps.min() < _NEAR else ()
