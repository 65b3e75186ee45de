"""What replacing people by the judge would change: the ranking of the chatbots, who passes, what can be left unread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats._weighted import NOISE, Array, as_column, pairs, ratio
from toolkit.stats.agreement import PairKernel, quadratic_kappa, within_one
from toolkit.stats.bootstrap import Columns, Draws, Statistic, estimate, resample
from toolkit.stats.results import Estimate

__all__ = [
    "Ranking",
    "Routing",
    "SelectivePoint",
    "false_fail_rate",
    "false_pass_rate",
    "passing_statistics",
    "ranking_agreement",
    "routing",
    "selective_agreement",
    "threshold_agreement",
]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How people and judge rank the same chatbots.

    Attributes:
        systems: The chatbots, in the order of their labels.
        human: Mean human score of each.
        judge: Mean judge score of each, on the same items.
        tau: Kendall's tau-b between the two rows of means.
        same_best: Probability, over resamples, that both put the same one first.
        same_order: Probability that both give the same order throughout.
        same_best_observed: Whether they do on the data; None with a tie for first place.
    """

    systems: tuple[str, ...]
    human: tuple[Estimate, ...]
    judge: tuple[Estimate, ...]
    tau: Estimate
    same_best: float | None
    same_order: float | None
    same_best_observed: bool | None


def ranking_agreement(
    human: ArrayLike,
    judge: ArrayLike,
    systems: ArrayLike,
    *,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Ranking:
    """Compare the ranking of chatbots by mean human and by mean judge score.

    Resamples are drawn within each chatbot, so that none drops out; with clusters that several chatbots share (the same
    prompts), whole clusters are drawn.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,); only items that both scored count.
        systems: Chatbot of each item, shape (n,), any labels; at least two different ones.
        replicates: Number of resamples; 0 leaves the probabilities out.
        seed: Of the random generator.
        clusters: What each item belongs to (its prompt), shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,); resamples are then drawn within each chatbot of each stratum.
        weights: Sampling weight of each item, shape (n,).

    Returns:
        The comparison. A tie for a place counts as a different order.

    Raises:
        ValueError: Fewer than two chatbots, or columns that do not fit.

    Example:
        >>> human, judge = np.tile([1.0, 2.0, 2.0, 3.0, 4.0, 4.0], 5), np.tile([2.0, 2.0, 3.0, 4.0, 4.0, 5.0], 5)
        >>> result = ranking_agreement(human, judge, ["a", "a", "b", "b", "c", "c"] * 5, seed=0, replicates=200)
        >>> result.tau.value, result.same_best_observed
        (1.0, True)
    """
    first, second, labels = as_column(human, "human"), as_column(judge, "judge"), np.asarray(systems)
    if not first.size == second.size == labels.size:
        raise ValueError(f"human has {first.size} values, judge {second.size}, systems {labels.size}")
    names, code = np.unique(labels.astype(str), return_inverse=True)
    if names.size < 2:
        raise ValueError("a ranking needs at least two systems")
    code = code.reshape(-1)
    table = {"human": first, "judge": second}
    table |= {f"system {number}": np.where(code == number, 1.0, np.nan) for number in range(names.size)}
    statistics: dict[tuple[str, int], Statistic] = {
        (side, number): _mean_of(side, number) for side in ("human", "judge") for number in range(names.size)
    }
    draws = resample(
        table,
        statistics,
        replicates=replicates,
        seed=seed,
        clusters=clusters,
        strata=code if strata is None else _crossed(code, strata),
        weights=weights,
    )
    signs = []  # for either side: who of each pair of systems is ahead, on the data and in every resample
    for side in ("human", "judge"):
        means = np.stack([np.append(draws[side, i].value, draws[side, i].replicates) for i in range(names.size)])
        gaps = np.stack([means[i] - means[j] for i, j in combinations(range(names.size), 2)])
        signs.append(np.where(np.abs(gaps) > NOISE, np.sign(gaps), 0.0))
    agreed = signs[0] * signs[1]
    untied = np.sqrt((signs[0] ** 2).sum(axis=0) * (signs[1] ** 2).sum(axis=0))
    tau = ratio(agreed.sum(axis=0), untied, 0.0)
    first_place = [_leader(of_pairs, names.size) for of_pairs in signs]
    same_best = np.logical_and(first_place[0] == first_place[1], first_place[0] >= 0)
    same_order = (agreed > 0).sum(axis=0) == agreed.shape[0]
    both = int((~np.isnan(first + second)).sum())
    decided = min(first_place[0][0], first_place[1][0]) >= 0
    return Ranking(
        systems=tuple(names.tolist()),
        human=tuple(estimate(draws["human", i]) for i in range(names.size)),
        judge=tuple(estimate(draws["judge", i]) for i in range(names.size)),
        tau=estimate(Draws(float(tau[0]), both, tau[1:], (), draws["human", 0].few_clusters)),
        same_best=float(same_best[1:].mean()) if replicates else None,
        same_order=float(same_order[1:].mean()) if replicates else None,
        same_best_observed=bool(same_best[0]) if decided else None,
    )


def threshold_agreement(
    human: ArrayLike, judge: ArrayLike, threshold: float, weights: ArrayLike | None = None
) -> Array:
    """Share of items on which people and judge come to the same decision: at the threshold or above passes.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        threshold: Lowest score that passes.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...), from 0 to 1; NaN where no item is shared.

    Raises:
        ValueError: Lengths differ, a value is infinite, or a weight is negative.

    Example:
        >>> float(threshold_agreement([2, 3, 4, 5], [2, 4, 3, 5], 4))
        0.5
    """
    table = pairs(human, judge, weights)
    same = _passes(table.x, threshold) == _passes(table.y, threshold)
    return ratio(table.counts @ same.astype(np.float64), table.total, 0.0)


def false_pass_rate(human: ArrayLike, judge: ArrayLike, threshold: float, weights: ArrayLike | None = None) -> Array:
    """Share of the items that people fail which the judge passes.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        threshold: Lowest score that passes.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...), from 0 to 1; NaN where people fail nothing.

    Raises:
        ValueError: As for `threshold_agreement`.

    Example:
        >>> float(false_pass_rate([2, 3, 4, 5], [2, 4, 3, 5], 4))
        0.5
    """
    table = pairs(human, judge, weights)
    failed = ~_passes(table.x, threshold)
    wrong = failed & _passes(table.y, threshold)
    return ratio(table.counts @ wrong.astype(np.float64), table.counts @ failed.astype(np.float64), 0.0)


def false_fail_rate(human: ArrayLike, judge: ArrayLike, threshold: float, weights: ArrayLike | None = None) -> Array:
    """Share of the items that people pass which the judge fails.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        threshold: Lowest score that passes.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...), from 0 to 1; NaN where people pass nothing.

    Raises:
        ValueError: As for `threshold_agreement`.

    Example:
        >>> float(false_fail_rate([2, 4, 4, 4, 5], [2, 3, 4, 5, 5], 4))
        0.25
    """
    table = pairs(human, judge, weights)
    passed = _passes(table.x, threshold)
    wrong = passed & ~_passes(table.y, threshold)
    return ratio(table.counts @ wrong.astype(np.float64), table.counts @ passed.astype(np.float64), 0.0)


def passing_statistics(
    human: ArrayLike, judge: ArrayLike, threshold: float
) -> tuple[dict[str, Array], dict[str, Statistic]]:
    """Make what `bootstrap` needs for the agreement on decisions, and for either kind of wrong one.

    The n of each rate is its denominator: the items that people fail (`false_pass_rate`) or pass (`false_fail_rate`).

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        threshold: Lowest score that passes.

    Returns:
        Columns, and statistics of them under `agreement`, `false_pass_rate` and `false_fail_rate`.

    Example:
        >>> from toolkit.stats import bootstrap
        >>> found = bootstrap(*passing_statistics([2, 3, 4, 5, 5], [2, 4, 4, 5, 5], 4), seed=0, replicates=0)
        >>> [(key, estimate.value, estimate.n) for key, estimate in found.items()]
        [('agreement', 0.8, 5), ('false_pass_rate', 0.5, 2), ('false_fail_rate', 0.0, 3)]
    """
    scores = as_column(human, "human")
    passed = _passes(scores, threshold)
    columns = {
        "human": scores,
        "failed": np.where(passed, np.nan, scores),
        "passed": np.where(passed, scores, np.nan),
        "judge": as_column(judge, "judge"),
    }

    def decisions(kernel: Callable[..., Array], side: str) -> Statistic:
        return Statistic(lambda c, w: kernel(c[side], c["judge"], threshold, w), (side, "judge"))

    return columns, {
        "agreement": decisions(threshold_agreement, "human"),
        "false_pass_rate": decisions(false_pass_rate, "failed"),
        "false_fail_rate": decisions(false_fail_rate, "passed"),
    }


@dataclass(frozen=True, slots=True)
class SelectivePoint:
    """Agreement when only the items that the judge is surest of are left to it.

    Attributes:
        threshold: Highest uncertainty still left to the judge.
        share: Share of items left to it.
        agreement: Its agreement with people on those.
    """

    threshold: float
    share: float
    agreement: Estimate


def selective_agreement(
    human: ArrayLike,
    judge: ArrayLike,
    uncertainty: ArrayLike,
    *,
    shares: Sequence[float] = (0.25, 0.5, 0.75, 1.0),
    kernel: PairKernel = quadratic_kappa,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> tuple[SelectivePoint, ...]:
    """Follow agreement as the judge is left with more and more of the items, the surest first.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,); NaN where missing.
        uncertainty: Spread of repeated judgements, or one minus confidence, shape (n,); items without one do not count.
        shares: Wanted shares, from above 0 to 1. Items of equal uncertainty stay together, so the share reached may be
            larger; a share that reaches no further than the one before is left out.
        kernel: Function of (human, judge, weights).
        replicates: Number of resamples.
        seed: Of the random generator.
        clusters: What each item belongs to, shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,); see `bootstrap`.

    Returns:
        Points in ascending order of share; none when no item has all three values.

    Raises:
        ValueError: Columns that do not fit, or a share that is not above 0 and at most 1.

    Example:
        >>> human, judge = np.tile([1.0, 2, 3, 4], 6), np.tile([1.0, 2, 4, 2], 6)
        >>> points = selective_agreement(human, judge, np.tile([0, 0, 1, 1], 6), seed=0, replicates=0)
        >>> [(point.share, round(point.agreement.value, 3)) for point in points]
        [(0.5, 1.0), (1.0, 0.5)]
    """
    if not all(0 < share <= 1 for share in shares):
        raise ValueError("shares must be above 0 and at most 1")
    first, second, doubt = _three(human, judge, uncertainty)
    complete = ~np.isnan(first + second + doubt)
    ordered = np.sort(doubt[complete])
    if not ordered.size:
        return ()
    cuts = sorted({float(ordered[max(int(np.ceil(share * ordered.size - NOISE)), 1) - 1]) for share in shares})
    table = {"human": first, "judge": second}
    statistics = {}
    for number, cut in enumerate(cuts):
        table[f"sure {number}"] = np.where(complete & (doubt <= cut), 1.0, np.nan)
        statistics[cut] = _where(f"sure {number}", kernel)
    draws = resample(table, statistics, replicates=replicates, seed=seed, clusters=clusters, strata=strata)
    return tuple(SelectivePoint(cut, float((ordered <= cut).mean()), estimate(draws[cut])) for cut in cuts)


@dataclass(frozen=True, slots=True)
class Routing:
    """A rule for what to leave to the judge, and what it keeps of its promise on items it was not chosen on.

    Attributes:
        threshold: Leave an item to the judge up to this uncertainty; None when no threshold reaches the target.
        share: Share of held-out items that rules chosen without them leave to the judge.
        agreement: Agreement on those held-out items; None when no item is left to the judge.
        n: Held-out items left to the judge.
    """

    threshold: float | None
    share: float
    agreement: float | None
    n: int


def routing(
    human: ArrayLike,
    judge: ArrayLike,
    uncertainty: ArrayLike,
    target: float,
    *,
    kernel: PairKernel = within_one,
    folds: int = 5,
    seed: int,
) -> Routing:
    """Choose how sure the judge must be for its agreement to reach a target, and check it on held-out items.

    In each fold the largest threshold that reaches the target on the other folds is applied to it. What the rule
    reaches there is what to expect of it; on the items it was chosen on it always looks better.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,); NaN where missing.
        uncertainty: Spread of repeated judgements, or one minus confidence, shape (n,).
        target: Agreement to reach, in the kernel's units.
        kernel: Function of (human, judge, weights), more being better.
        folds: Into how many parts the items are divided, at least 2.
        seed: Of the division.

    Returns:
        The rule and what it keeps.

    Raises:
        ValueError: Columns that do not fit, or fewer than two folds.

    Example:
        Sure items are right, unsure ones two points off.

        >>> human = np.tile([1.0, 2, 3, 4], 10)
        >>> unsure = np.tile([0.0, 0.0, 1.0, 1.0], 10)
        >>> routing(human, human + 2 * unsure, unsure, target=0.9, seed=0)
        Routing(threshold=0.0, share=0.5, agreement=1.0, n=20)
    """
    if folds < 2:
        raise ValueError(f"folds must be 2 or more, not {folds}")
    first, second, doubt = _three(human, judge, uncertainty)
    complete = ~np.isnan(first + second + doubt)
    first, second, doubt = first[complete], second[complete], doubt[complete]
    fold = np.random.default_rng(seed).permutation(first.size) % folds
    left = np.zeros(first.size, dtype=bool)
    for number in range(folds):
        train, test = fold != number, fold == number
        cut = _largest_cut(first[train], second[train], doubt[train], target, kernel)
        left[test] = doubt[test] <= (-np.inf if cut is None else cut)
    agreement = float(kernel(first[left], second[left], None)) if left.any() else float("nan")
    return Routing(
        threshold=_largest_cut(first, second, doubt, target, kernel),
        share=float(left.mean()) if left.size else 0.0,
        agreement=None if np.isnan(agreement) else agreement,
        n=int(left.sum()),
    )


def _largest_cut(human: Array, judge: Array, doubt: Array, target: float, kernel: PairKernel) -> float | None:
    cuts = np.unique(doubt)
    if not cuts.size:
        return None
    # One kernel call for all thresholds: items up to the threshold weigh 1, the others 0.
    values = kernel(human, judge, (doubt <= cuts[:, None]).astype(np.float64))
    reached = cuts[np.nan_to_num(values, nan=-np.inf) >= target - NOISE]
    return float(reached[-1]) if reached.size else None


def _three(human: ArrayLike, judge: ArrayLike, uncertainty: ArrayLike) -> tuple[Array, Array, Array]:
    columns = as_column(human, "human"), as_column(judge, "judge"), as_column(uncertainty, "uncertainty")
    if len({column.size for column in columns}) > 1:
        raise ValueError("human, judge and uncertainty must be of one length")
    return columns


def _where(mask: str, kernel: PairKernel) -> Statistic:
    def compute(columns: Columns, weights: Array) -> Array:
        return kernel(columns["human"], columns["judge"], weights)

    return Statistic(compute, ("human", "judge", mask))


def _mean_of(side: str, number: int) -> Statistic:
    """Mean score of one system on one side, over its items that both sides scored."""

    def compute(columns: Columns, weights: Array) -> Array:
        return ratio(weights @ columns[side], weights.sum(axis=-1), 0.0)

    return Statistic(compute, ("human", "judge", f"system {number}"))


def _crossed(code: NDArray[np.intp], strata: ArrayLike) -> NDArray[np.intp]:
    """Return one code for each combination of system and stratum."""
    labels = np.asarray(strata)
    if labels.shape != code.shape:
        raise ValueError(f"strata of shape {labels.shape} do not fit {code.size} items")
    stratum = np.unique(labels.astype(str), return_inverse=True)[1].reshape(-1)
    return code * (int(stratum.max()) + 1 if stratum.size else 1) + stratum


def _leader(signs: Array, systems: int) -> NDArray[np.intp]:
    """Return the system ahead of all others, from the signs of all pairs; -1 where none is."""
    ahead = np.zeros((systems, signs.shape[1]))
    for (i, j), sign in zip(combinations(range(systems), 2), signs, strict=True):
        ahead[i] += sign > 0
        ahead[j] += sign < 0
    return np.where(ahead.max(axis=0) == systems - 1, ahead.argmax(axis=0), -1)


def _passes(scores: Array, threshold: float) -> NDArray[np.bool_]:
    return scores >= threshold - NOISE
