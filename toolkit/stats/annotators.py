"""One annotator's sheet: things to look at before reading anything into the agreement. Never an accusation.

A long run of one score can be boredom or ten good answers in a row. So each figure is set against what the same
scores in random order within each dimension, or the other annotators on the same items, would show.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats._weighted import NOISE, Array, Index, as_column, as_matrix, check_scale, levels
from toolkit.stats.agreement import quadratic_kappa
from toolkit.stats.blocks import pair_statistic
from toolkit.stats.bootstrap import bootstrap
from toolkit.stats.correlation import spearman
from toolkit.stats.diagnosis import kappa_notes
from toolkit.stats.error import bias
from toolkit.stats.held_out import row_median
from toolkit.stats.results import Estimate

__all__ = ["AnnotatorProfile", "Look", "annotator_profile"]

_RARE = 0.01  # a pattern this rare in random order is worth a look
_MIN_LOOK = 10  # items below which order says nothing


class Look(StrEnum):
    """Something worth a look."""

    ONE_SCORE = "one_score"
    """The same score throughout."""
    LONG_RUN = "long_run"
    """A run of one score longer than the same scores in random order would show in 1 of 100 sheets."""
    ALTERNATION = "alternation"
    """Two scores taking turns for longer than random order would show in 1 of 100 sheets."""
    DRIFT = "drift"
    """Scores move against the others' along the sheet, more than random order would show in 1 of 100."""
    SEVERE = "severe"
    """Half a point or more below the others, and the interval lies below 0."""
    LENIENT = "lenient"
    """Half a point or more above the others, and the interval lies above 0."""
    LOW_AGREEMENT = "low_agreement"
    """Agreement with the others is low: its interval lies below 0.4."""


@dataclass(frozen=True, slots=True)
class AnnotatorProfile:
    """What one annotator's scores look like.

    Attributes:
        n: Items scored.
        mean: Mean score; None without scores.
        sd: Standard deviation (n - 1); None under two scores.
        use: How often each level of the scale was used, in ascending order; off-grid scores are not counted.
        severity: Mean of own score minus median of the others; below 0 severe.
        agreement: Quadratic kappa with the median of the others.
        longest_run: Length of the longest run of one score, in the order of the sheet; None without an order.
        longest_run_p: Share of random orders of the same scores, within the groups of items, with a run as long; None
            without an order.
        longest_alternation: Length of the longest stretch of two scores taking turns; None without an order.
        longest_alternation_p: The same share for it.
        drift: Spearman correlation of the position in the sheet with own score minus the others' median.
        drift_p: Share of random orders with a correlation as far from 0.
        doubts: Items marked as doubtful; None when nobody was asked.
        divergent_when_doubted: Share of them on which the annotators diverge; None without any.
        divergent_when_sure: The same share of the other items.
        look_at: What is worth a look.
    """

    n: int
    mean: float | None
    sd: float | None
    use: tuple[int, ...]
    severity: Estimate
    agreement: Estimate
    longest_run: int | None
    longest_run_p: float | None
    longest_alternation: int | None
    longest_alternation_p: float | None
    drift: float | None
    drift_p: float | None
    doubts: int | None
    divergent_when_doubted: float | None
    divergent_when_sure: float | None
    look_at: tuple[Look, ...]


def annotator_profile(
    own: ArrayLike,
    others: ArrayLike,
    scale: ArrayLike,
    *,
    position: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    doubts: ArrayLike | None = None,
    divergent: ArrayLike | None = None,
    replicates: int = 2000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> AnnotatorProfile:
    """Describe one annotator's scores, beside the others' on the same items.

    Args:
        own: The annotator's scores, shape (n,); NaN where missing.
        others: The other annotators' scores, shape (n, raters), at least one; NaN where missing.
        scale: Levels of the rubric.
        position: Place of each item in the annotator's sheet, shape (n,); None when unknown, NaN for items whose place
            is unknown.
        groups: Dimension of each item, shape (n,), any labels; None for one. Random orders are drawn within them: a
            sheet that is grouped by dimension may honestly show one score throughout an easy one.
        doubts: 1 where the annotator ticked doubt, 0 where not, shape (n,); None when not asked.
        divergent: 1 where the annotators diverge (by two points or more), shape (n,); None when unknown.
        replicates: Bootstrap resamples for the intervals, and random orders for the p-values; 0 for neither.
        seed: Of the random generator.
        clusters: What each item belongs to, shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,); see `bootstrap`.

    Returns:
        The profile.

    Raises:
        ValueError: Columns of different length, no other annotator, groups that do not fit, or a score outside the
            scale.

    Example:
        >>> own, others = [3.0] * 12, [[1.0], [2.0], [3.0], [4.0]] * 3
        >>> profile = annotator_profile(own, others, range(1, 6), position=range(12), seed=0)
        >>> profile.use, profile.severity.value, [str(look) for look in profile.look_at]
        ((0, 0, 12, 0, 0), 0.5, ['one_score', 'low_agreement'])
    """
    scores, rest = as_column(own, "own"), as_matrix(others)
    if rest.shape[1] < 1 or rest.shape[0] != scores.size:
        raise ValueError(f"others of shape {rest.shape} do not fit {scores.size} items")
    given = ~np.isnan(scores)
    mine = scores[given]
    grid = check_scale(scale, mine)
    median = row_median(rest)
    estimates = bootstrap(
        {"others": median, "own": scores},
        {
            "severity": pair_statistic(bias, "others", "own"),
            "agreement": pair_statistic(quadratic_kappa, "others", "own", kappa_notes()),
        },
        replicates=replicates,
        seed=seed,
        clusters=clusters,
        strata=strata,
    )
    run, run_p, turn, turn_p = None, None, None, None
    drift, drift_p = None, None
    group = _group_codes(groups, scores.size)
    place = np.full(scores.size, np.nan) if position is None else as_column(position, "position")
    placed = given & ~np.isnan(place)
    if position is not None and (placed.any() or not given.any()):
        order = np.flatnonzero(placed)[np.argsort(place[placed], kind="stable")]
        rng = np.random.default_rng(seed)
        run, run_p = _against_random_order(scores[order], group[order], 1, replicates, rng)
        turn, turn_p = _against_random_order(scores[order], group[order], 2, replicates, rng)
        drift, drift_p = _drift(place, scores - median, group, replicates, rng)
    doubtful, when_doubted, when_sure = None, None, None
    if doubts is not None:
        doubt = as_column(doubts, "doubts")
        doubtful = int((doubt[given] > 0).sum())
        if divergent is not None:
            split = as_column(divergent, "divergent")
            when_doubted, when_sure = _mean(split[given & (doubt > 0)]), _mean(split[given & ~(doubt > 0)])
    return AnnotatorProfile(
        n=mine.size,
        mean=_mean(mine),
        sd=float(mine.std(ddof=1)) if mine.size > 1 else None,
        use=tuple(int((np.abs(mine - level) <= NOISE).sum()) for level in grid),
        severity=estimates["severity"],
        agreement=estimates["agreement"],
        longest_run=run,
        longest_run_p=run_p,
        longest_alternation=turn,
        longest_alternation_p=turn_p,
        drift=drift,
        drift_p=drift_p,
        doubts=doubtful,
        divergent_when_doubted=when_doubted,
        divergent_when_sure=when_sure,
        look_at=_looks(mine, estimates["severity"], estimates["agreement"], run_p, turn_p, drift_p),
    )


def _looks(
    mine: Array,
    severity: Estimate,
    agreement: Estimate,
    run_p: float | None,
    turn_p: float | None,
    drift_p: float | None,
) -> tuple[Look, ...]:
    looks = []
    if mine.size >= _MIN_LOOK:
        if np.ptp(mine) <= NOISE:
            looks.append(Look.ONE_SCORE)
        rare = ((run_p, Look.LONG_RUN), (turn_p, Look.ALTERNATION), (drift_p, Look.DRIFT))
        looks.extend(look for p, look in rare if p is not None and p < _RARE)
    if severity.value is not None and severity.ci95 is not None and abs(severity.value) >= 0.5:
        if severity.ci95[1] < 0:
            looks.append(Look.SEVERE)
        elif severity.ci95[0] > 0:
            looks.append(Look.LENIENT)
    if agreement.ci95 is not None and agreement.ci95[1] < 0.4:
        looks.append(Look.LOW_AGREEMENT)
    return tuple(looks)


def _mean(values: Array) -> float | None:
    values = values[~np.isnan(values)]
    return float(values.mean()) if values.size else None


def _longest(sequences: NDArray[np.unsignedinteger], lag: int) -> Index:
    """Return in each row of codes the longest stretch in which every one repeats the one `lag` places before.

    Lag 1 finds runs. Lag 2 finds alternations, where the two scores must also differ: a run is no alternation.
    """
    same = sequences[:, lag:] == sequences[:, :-lag]
    if lag == 2:
        same &= sequences[:, 1:-1] != sequences[:, :-2]
    length = np.zeros(sequences.shape[0], dtype=np.intp)
    longest = length.copy()
    for column in same.T:
        length = np.where(column, length + 1, 0)
        longest = np.maximum(longest, length)
    return np.where((longest > 0) | (lag == 1), longest + lag, 0)


def _group_codes(groups: ArrayLike | None, n: int) -> Index:
    if groups is None:
        return np.zeros(n, dtype=np.intp)
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups of shape {labels.shape} do not fit {n} items")
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _codes(index: Index) -> NDArray[np.unsignedinteger]:
    """Return codes from 0 up in as few bytes as hold them: there are thousands of orders of as many scores."""
    return index.astype(np.min_scalar_type(index.max()))


def _random_orders(
    codes: NDArray[np.unsignedinteger], groups: Index, replicates: int, rng: np.random.Generator
) -> NDArray[np.unsignedinteger]:
    """Return `replicates` rows of the same codes, shuffled within the groups only."""
    rows = np.tile(codes, (replicates, 1))
    for group in np.unique(groups):
        places = np.flatnonzero(groups == group)
        rows[:, places] = rng.permuted(rows[:, places], axis=1)
    return rows


def _against_random_order(
    scores: Array, groups: Index, lag: int, replicates: int, rng: np.random.Generator
) -> tuple[int, float | None]:
    if scores.size <= lag:
        return (int(scores.size) if lag == 1 else 0), None
    codes = _codes(levels(scores)[1])
    observed = int(_longest(codes[None, :], lag)[0])
    if not replicates or observed <= lag:
        return observed, None
    shuffled = _random_orders(codes, groups, replicates, rng)
    # The observed order is one of the random ones: no p-value of 0 (Phipson & Smyth 2010).
    return observed, float((1 + (_longest(shuffled, lag) >= observed).sum()) / (replicates + 1))


def _drift(
    place: Array, excess: Array, groups: Index, replicates: int, rng: np.random.Generator
) -> tuple[float | None, float | None]:
    present = ~np.isnan(place) & ~np.isnan(excess)
    place, excess, groups = place[present], excess[present], groups[present]
    observed = float(spearman(place, excess)) if place.size > 2 else float("nan")
    if np.isnan(observed):
        return None, None
    if not replicates:
        return observed, None
    # Correlations of mid-ranks, which a shuffle only reorders.
    ranks = [np.searchsorted(np.sort(v), v) + np.searchsorted(np.sort(v), v, side="right") for v in (place, excess)]
    x, y = (rank - rank.mean() for rank in ranks)
    distinct, index = np.unique(y, return_inverse=True)
    orders = _random_orders(_codes(index.reshape(-1)), groups, replicates, rng)
    shuffled = np.array([distinct[order] @ x for order in orders]) / np.sqrt((x @ x) * (y @ y))
    return observed, float((1 + (np.abs(shuffled) >= abs(observed) - NOISE).sum()) / (replicates + 1))
