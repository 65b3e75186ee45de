"""Where the judge leans: by group, by level, along a covariate; always beside what a held-out person shows.

An unbiased judge too looks lenient on items that people scored low and severe on those they scored high, because part
of any extreme score is chance (regression to the mean). A person held out shows the same, so only the excess over the
person is the judge's own. Judge and person are compared with the same yardstick: the median of the other people.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats._weighted import TINY, Array, as_column, as_matrix, check_scale, ratio
from toolkit.stats.bootstrap import Columns, Statistic, estimate, resample
from toolkit.stats.held_out import held_out
from toolkit.stats.multiplicity import adjusted_p_values
from toolkit.stats.results import Estimate

__all__ = ["Pattern", "bias_along", "bias_by_group", "bias_by_level"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A lean of the judge, of a held-out person, and the difference.

    Attributes:
        label: The group, the level, or the covariate.
        judge: Judge minus median of the other people, in points.
        person: Held-out person minus the same, on the same items.
        excess: The first minus the second: what is the judge's own.
        p_value: Two-sided, of no excess (normal, with the bootstrap's standard error); None without an interval.
        adjusted_p_value: The same after Benjamini & Hochberg, over the patterns returned together.
    """

    label: str
    judge: Estimate
    person: Estimate
    excess: Estimate
    p_value: float | None
    adjusted_p_value: float | None


def bias_by_group(
    ratings: ArrayLike,
    judge: ArrayLike,
    groups: ArrayLike,
    *,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Pattern, ...]:
    """Estimate the judge's bias in each group of items (dimension, category, provider, model).

    Args:
        ratings: Shape (n, raters), at least two raters; NaN where missing.
        judge: Judge scores, shape (n,); NaN where missing.
        groups: Group of each item, shape (n,), any labels; an empty label is a group too.
        replicates: Number of resamples.
        seed: Of the random generator.
        clusters: What each item belongs to, shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,); see `bootstrap`.
        weights: Sampling weight of each item, shape (n,).

    Returns:
        One pattern for each group, in the order of the labels.

    Raises:
        ValueError: Fewer than two raters, or columns that do not fit.

    Example:
        >>> people = np.array([[3, 3, 3]] * 24)
        >>> patterns = bias_by_group(people, [4] * 12 + [3] * 12, ["a"] * 12 + ["b"] * 12, seed=0, replicates=200)
        >>> [(pattern.label, pattern.excess.value) for pattern in patterns]
        [('a', 1.0), ('b', 0.0)]
    """
    table = _table(ratings, judge)
    codes = np.asarray(groups)
    if codes.shape != table["judge"].shape:
        raise ValueError(f"groups of shape {codes.shape} do not fit {table['judge'].size} items")
    statistics = {}
    for label in np.unique(codes).tolist():
        table[f"in {label}"] = np.where(codes == label, 1.0, np.nan)
        statistics[str(label)] = _beside_person(_raters(table), f"in {label}", _mean)
    return _patterns(table, statistics, replicates, seed, clusters, strata, weights)


def bias_by_level(
    ratings: ArrayLike,
    judge: ArrayLike,
    scale: ArrayLike,
    *,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Pattern, ...]:
    """Estimate the judge's bias at each level of the human scores.

    The level of an item is the level nearest to the median of the people who are not held out (the lower one of two).

    Args:
        ratings: Shape (n, raters), at least two raters; NaN where missing.
        judge: Judge scores, shape (n,); NaN where missing.
        scale: Levels of the rubric.
        replicates: Number of resamples.
        seed: Of the random generator.
        clusters: What each item belongs to, shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,); see `bootstrap`.
        weights: Sampling weight of each item, shape (n,).

    Returns:
        One pattern for each level of the scale, ascending.

    Raises:
        ValueError: Fewer than two raters, columns that do not fit, or a score outside the scale.

    Example:
        Judge and people are equally noisy: both regress to the mean, and the judge has no excess of its own.

        >>> rng = np.random.default_rng(0)
        >>> truth = rng.integers(1, 6, 600)
        >>> scores = np.clip(truth[:, None] + rng.integers(-1, 2, (600, 4)), 1, 5)
        >>> lowest = bias_by_level(scores[:, :3], scores[:, 3], range(1, 6), seed=1, replicates=500)[0]
        >>> lowest.judge.value > 0.1, lowest.excess.ci95[0] < 0 < lowest.excess.ci95[1]
        (True, True)
    """
    table = _table(ratings, judge)
    raters = _raters(table)
    matrix = np.column_stack([table[name] for name in raters])
    grid = check_scale(scale, matrix[~np.isnan(matrix)])
    # Nearest level, the lower of two: the middle between two levels belongs to the one below.
    middles = (grid[1:] + grid[:-1]) / 2
    levels = np.stack([_nearest(others, middles) for others, _, _ in held_out(matrix, table["judge"])])
    statistics = {}
    for number, level in enumerate(grid.tolist()):
        # An item counts for every level at which some held-out comparison puts it.
        table[f"at {number}"] = np.where((levels == number).any(axis=0), 1.0, np.nan)
        here = partial(_is_level, middles=middles, number=number)
        statistics[f"{level:g}"] = _beside_person(raters, f"at {number}", _mean, here)
    return _patterns(table, statistics, replicates, seed, clusters, strata, weights)


def bias_along(
    ratings: ArrayLike,
    judge: ArrayLike,
    covariate: ArrayLike,
    label: str,
    *,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Pattern:
    """Estimate how the judge's bias changes with a covariate: the least-squares slope, in points per unit.

    With `log2` of the answer's length: points per doubling (verbosity). With 1 where the chatbot is of the judge's own
    family and 0 elsewhere: the difference between the two groups (self-preference).

    Args:
        ratings: Shape (n, raters), at least two raters; NaN where missing.
        judge: Judge scores, shape (n,); NaN where missing.
        covariate: Shape (n,); NaN where missing.
        label: What to call it.
        replicates: Number of resamples.
        seed: Of the random generator.
        clusters: What each item belongs to, shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,); see `bootstrap`.
        weights: Sampling weight of each item, shape (n,).

    Returns:
        The pattern; slopes are undefined where the covariate does not vary.

    Raises:
        ValueError: Fewer than two raters, or columns that do not fit.

    Example:
        >>> own_family = np.array([0, 1] * 20)
        >>> people = np.array([[3, 3]] * 40)
        >>> bias_along(people, 3 + own_family, own_family, "own family", seed=0, replicates=200).excess.value
        1.0
    """
    table = _table(ratings, judge)
    table["covariate"] = as_column(covariate, "covariate")
    statistics = {label: _beside_person(_raters(table), "covariate", _slope)}
    return _patterns(table, statistics, replicates, seed, clusters, strata, weights)[0]


# From rows' number of comparisons, their summed residual, and the label column: the figure, for weights (..., rows).
_Figure = Callable[[Array, Array, Array, Array], Array]


def _mean(comparisons: Array, residual: Array, label: Array, weights: Array) -> Array:
    return ratio(weights @ residual, weights @ comparisons, 0.0)


def _slope(comparisons: Array, residual: Array, label: Array, weights: Array) -> Array:
    x = label - label.mean() if label.size else label
    moments = [comparisons, comparisons * x, comparisons * x * x, residual, residual * x]
    sums = weights @ np.column_stack(moments)
    total = np.where(sums[..., 0] > 0, sums[..., 0], 1.0)
    spread = sums[..., 2] - sums[..., 1] ** 2 / total
    floor = TINY * total * (float(np.ptp(x)) ** 2 if x.size else 0.0)
    return ratio(sums[..., 4] - sums[..., 1] * sums[..., 3] / total, spread, floor)


def _nearest(values: Array, middles: Array) -> Array:
    return np.where(np.isnan(values), np.nan, np.searchsorted(middles, values, side="left"))


def _is_level(others: Array, middles: Array, number: int) -> NDArray[np.bool_]:
    return np.equal(_nearest(others, middles), number)


def _table(ratings: ArrayLike, judge: ArrayLike) -> dict[str, Array]:
    matrix, model = as_matrix(ratings), as_column(judge, "judge")
    if matrix.shape[1] < 2:
        raise ValueError("a pattern beside held-out people needs at least two raters")
    if matrix.shape[0] != model.size:
        raise ValueError(f"ratings of {matrix.shape[0]} items and a judge's of {model.size}")
    return {f"rater {number}": scores for number, scores in enumerate(matrix.T)} | {"judge": model}


def _raters(table: dict[str, Array]) -> tuple[str, ...]:
    return tuple(name for name in table if name.startswith("rater "))


def _beside_person(
    raters: tuple[str, ...],
    label: str,
    figure: _Figure,
    belongs: Callable[[Array], NDArray[np.bool_]] | None = None,
) -> dict[str, Statistic]:
    """Make a figure of the judge's and the held-out people's residuals, pooled over people, and the excess."""

    def both(columns: Columns, weights: Array) -> tuple[Array, Array]:
        matrix = np.column_stack([columns[name] for name in raters])
        comparisons, of_judge, of_person = np.zeros((3, matrix.shape[0]))
        for others, person, model in held_out(matrix, columns["judge"]):
            used = ~np.isnan(others) if belongs is None else belongs(others)
            comparisons = comparisons + used
            of_judge = of_judge + np.where(used, model - others, 0.0)
            of_person = of_person + np.where(used, person - others, 0.0)
        return (
            figure(comparisons, of_judge, columns[label], weights),
            figure(comparisons, of_person, columns[label], weights),
        )

    def excess(columns: Columns, weights: Array) -> Array:
        of_judge, of_person = both(columns, weights)
        return of_judge - of_person

    names, required = (*raters, "judge", label), ("judge", label)
    return {
        "judge": Statistic(lambda columns, weights: both(columns, weights)[0], names, 4, required=required),
        "person": Statistic(lambda columns, weights: both(columns, weights)[1], names, 4, required=required),
        "excess": Statistic(excess, names, 4, required=required),
    }


def _patterns(
    table: dict[str, Array],
    statistics: dict[str, dict[str, Statistic]],
    replicates: int,
    seed: int,
    clusters: ArrayLike | None,
    strata: ArrayLike | None,
    weights: ArrayLike | None,
) -> tuple[Pattern, ...]:
    every = {(label, key): one for label, several in statistics.items() for key, one in several.items()}
    draws = resample(table, every, replicates=replicates, seed=seed, clusters=clusters, strata=strata, weights=weights)
    p_values = []
    estimates = {key: estimate(draw) for key, draw in draws.items()}
    for label in statistics:
        draw, excess = draws[label, "excess"], estimates[label, "excess"]
        p_values.append(float("nan") if excess.ci95 is None else _p_value(draw.value, draw.replicates))
    adjusted = adjusted_p_values(p_values)
    return tuple(
        Pattern(
            label=label,
            judge=estimates[label, "judge"],
            person=estimates[label, "person"],
            excess=estimates[label, "excess"],
            p_value=None if np.isnan(p) else p,
            adjusted_p_value=None if np.isnan(q) else float(q),
        )
        for label, p, q in zip(statistics, p_values, adjusted, strict=True)
    )


def _p_value(value: float, replicates: Array) -> float:
    from scipy.special import ndtr

    error = float(np.nanstd(replicates, ddof=1))
    # Without spread there is no test: the interval is degenerate.
    return float("nan") if error < TINY else float(2 * ndtr(-abs(value) / error))
