"""Why a value is undefined or fragile: the notes that go with each family of statistics.

Each function gets the columns that a statistic read (different rows, with their weights) and its value, and returns
codes. They look at the data, never at the formula's output alone: a kappa of 0 can be honest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import NOISE, Array, levels, merge
from toolkit.stats.agreement import PairKernel, pairwise
from toolkit.stats.results import Note

__all__ = [
    "DOMINANT_SHARE",
    "correlation_notes",
    "error_notes",
    "kappa_notes",
    "mean_pairwise_notes",
    "multirater_notes",
]

Diagnose = Callable[[Mapping[str, Array], Array, float], tuple[Note, ...]]

DOMINANT_SHARE = 0.8
"""From this share of all scores on, one score dominates, and kappa says little."""

_NEAR = 1e-3


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
    return (*notes, *_near_ties(columns))


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
        collapses: Whether the coefficient falls as one score comes to dominate (Gwet's do not).

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
        return (*notes, *(note for note in shape if collapses or note is not Note.PREVALENCE))

    return diagnose


def mean_pairwise_notes(kernel: PairKernel) -> Diagnose:
    """Notes for a mean over pairs of raters.

    Args:
        kernel: The two-rater statistic that is averaged.

    Returns:
        A function for `Statistic.diagnose`.

    Example:
        >>> from toolkit.stats import quadratic_kappa
        >>> columns = {"a": np.array([1.0, 2.0]), "b": np.array([1.0, 2.0]), "c": np.array([np.nan, np.nan])}
        >>> [str(note) for note in mean_pairwise_notes(quadratic_kappa)(columns, np.ones(2), 1.0)]
        ['some_pairs_undefined']
    """

    def diagnose(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
        values = pairwise(np.column_stack(list(columns.values())), weights, kernel)
        shared = [
            bool((~np.isnan(first) & ~np.isnan(second)).any()) for first, second in combinations(columns.values(), 2)
        ]
        if not any(shared):
            return (Note.NO_SHARED_ITEMS,)
        if np.isnan(value):
            return (Note.UNDEFINED, *_shape_notes(columns, weights, None))
        some = (Note.SOME_PAIRS_UNDEFINED,) if np.isnan(values).any() else ()
        return (*some, *_shape_notes(columns, weights, None))

    return diagnose


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
    return tuple(notes)


def _off_scale(columns: Mapping[str, Array], scale: ArrayLike) -> bool:
    scores = np.concatenate(list(columns.values()))
    scores = scores[~np.isnan(scores)]
    distance = np.abs(np.subtract.outer(scores, np.asarray(scale, dtype=np.float64)))
    return bool(scores.size) and bool((distance.min(axis=1) > NOISE).any())


def _near_ties(columns: Mapping[str, Array]) -> tuple[Note, ...]:
    scores = np.concatenate(list(columns.values()))
    gaps = np.diff(levels(scores[~np.isnan(scores)])[0])
    return (Note.NEAR_TIES,) if gaps.size and gaps.min() < _NEAR else ()
