"""Agreement between two raters: Cohen's kappas on the values themselves, and raw agreement.

Every kappa here is one minus observed over expected disagreement; they differ only in the distance between two
scores (squared, absolute, or same/different). Distances are taken between the values, not between positions in
a list of labels, so no grid is needed: half points (3.5, the median of two) and judge means (4.667) count as
they are, and a level that nobody used changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import (
    NOISE,
    TINY,
    Array,
    Pairs,
    as_column,
    as_matrix,
    as_weights,
    check_scale,
    levels,
    merge,
    pairs,
    ratio,
)

__all__ = [
    "linear_kappa",
    "mean_pairwise",
    "pairwise",
    "percent_agreement",
    "quadratic_kappa",
    "rounded_quadratic_kappa",
    "unweighted_kappa",
    "within_linear_kappa",
    "within_one",
    "within_quadratic_kappa",
    "within_unweighted_kappa",
]

PairKernel = Callable[[ArrayLike, ArrayLike, ArrayLike | None], Array]


def quadratic_kappa(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Cohen's kappa with quadratic weights, on the values themselves.

    `1 - mean((x - y)^2) / (var x + var y + (mean x - mean y)^2)`, population variances: the mean squared
    difference over what it would be if one side were shuffled. On a full grid of labels this is the weighted
    kappa of Cohen (1968, Psychological Bulletin 70:213-220); on any values it is Lin's concordance.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,); rows with a gap on either side are left out.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...), at most 1; NaN where all scores of both sides are one value (0/0).

    Raises:
        ValueError: Lengths differ, a value is infinite, or a weight is negative.

    Example:
        Mean squared difference 1.25 / 4; variances 1.671875 and 2.5, means 2.625 and 3: 1 - 0.3125 / 4.3125.

        >>> human, judge = [1, 2, 3, 4.5], [1, 2, 4, 5]
        >>> round(float(quadratic_kappa(human, judge)), 6)
        0.927536
        >>> float(quadratic_kappa([5, 5, 5], [5, 5, 5]))
        nan
    """
    table = pairs(x, y, weights)
    return _kappa(*_squared(table), table)


def linear_kappa(x: ArrayLike, y: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Cohen's kappa with linear weights, on the values themselves.

    `1 - mean|x - y| / mean|X - Y|` over all pairs of one x with one y. Equal to Cicchetti & Allison (1971,
    American Journal of EEG Technology 11:101-109) on evenly spaced levels. An off-grid value (3.5) lies
    half a point from 3 and from 4. scikit-learn counts positions among the labels that occur unless it is
    given `labels`, which shortens distances across an unused level; values have no such gap.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        scale: Levels of the rubric, any order; a score beyond its ends is refused.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where all scores of both sides are one value (0/0).

    Raises:
        ValueError: A score lies outside the scale, lengths differ, or a weight is negative.

    Example:
        Observed 4/5; the 25 pairs of one x with one y are 48 points apart: 1 - 0.8 / 1.92.

        >>> round(float(linear_kappa([1, 1, 5, 5, 3], [1, 5, 5, 5, 3], range(1, 6))), 6)
        0.583333
    """
    table = pairs(x, y, weights)
    check_scale(scale, np.concatenate([table.x, table.y]))
    return _kappa(*_absolute(table), table)


def unweighted_kappa(x: ArrayLike, y: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Cohen's kappa without weights: scores are the same or they are not.

    Cohen (1960, Educational and Psychological Measurement 20:37-46). An off-grid value is a category of its
    own: 3.5 agrees with 3.5 only, so the kappa of a judge that gives means is close to 0 by construction.

    Args:
        x: Scores (or category codes) of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        scale: Levels of the rubric or codes of the categories; a score beyond its ends is refused.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where all scores of both sides are one value (0/0).

    Raises:
        ValueError: A score lies outside the scale, lengths differ, or a weight is negative.

    Example:
        Of 50 items 20 + 15 are agreed, margins 25/25 and 30/20: (0.7 - 0.5) / (1 - 0.5).

        >>> x, y, counts = [1, 1, 2, 2], [1, 2, 1, 2], [20, 5, 10, 15]
        >>> round(float(unweighted_kappa(x, y, [1, 2], counts)), 6)
        0.4
    """
    table = pairs(x, y, weights)
    check_scale(scale, np.concatenate([table.x, table.y]))
    return _kappa(*_different(table), table)


def rounded_quadratic_kappa(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Quadratic kappa after rounding both sides to whole scores, half to even (as Python and R round).

    For comparison with published numbers only: rounding throws information away, in whichever direction the
    halves happen to fall.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where it is undefined.

    Raises:
        ValueError: As for `quadratic_kappa`.

    Example:
        >>> float(rounded_quadratic_kappa([1, 2.5, 3, 4.5], [1, 2, 3, 4]))
        1.0
    """
    return quadratic_kappa(np.rint(as_column(x, "x")), np.rint(as_column(y, "y")), weights)


def within_quadratic_kappa(x: ArrayLike, y: ArrayLike, groups: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Quadratic kappa within groups: observed and expected disagreement are summed over the groups.

    Pooling dimensions of different difficulty inflates agreement, because knowing the dimension alone predicts
    part of a score. Here chance is what shuffling inside each group would give.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        groups: Group (dimension) code of each row, shape (n,); rows without one are left out.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where both sides are constant, and equal, within every group.

    Raises:
        ValueError: As for `quadratic_kappa`.

    Example:
        Two dimensions, each with unrelated scores (kappa 0), one easy and one hard; pooled they look related.

        >>> x, y, dimension = [1, 1, 2, 2, 4, 4, 5, 5], [1, 2, 1, 2, 4, 5, 4, 5], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> float(quadratic_kappa(x, y)), float(within_quadratic_kappa(x, y, dimension))
        (0.9, 0.0)
    """
    return _within(x, y, groups, weights, _squared)


def within_linear_kappa(
    x: ArrayLike, y: ArrayLike, groups: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None
) -> Array:
    """Linear kappa within groups; see `within_quadratic_kappa` and `linear_kappa`.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        groups: Group code of each row, shape (n,).
        scale: Levels of the rubric.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where it is undefined.

    Raises:
        ValueError: As for `linear_kappa`.

    Example:
        >>> float(within_linear_kappa([1, 2, 4, 5], [1, 2, 4, 5], [0, 0, 1, 1], range(1, 6)))
        1.0
    """
    check_scale(scale, _finite(x, y))
    return _within(x, y, groups, weights, _absolute)


def within_unweighted_kappa(
    x: ArrayLike, y: ArrayLike, groups: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None
) -> Array:
    """Unweighted kappa within groups; see `within_quadratic_kappa` and `unweighted_kappa`.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        groups: Group code of each row, shape (n,).
        scale: Levels of the rubric or codes of the categories.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where it is undefined.

    Raises:
        ValueError: As for `unweighted_kappa`.

    Example:
        >>> float(within_unweighted_kappa([1, 2, 4, 5], [2, 1, 5, 4], [0, 0, 1, 1], range(1, 6)))
        -1.0
    """
    check_scale(scale, _finite(x, y))
    return _within(x, y, groups, weights, _different)


def percent_agreement(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Share of items on which both sides gave the same score (0 to 1).

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,). Scores are the same when they differ by less than 1e-9, so 3.5
            agrees with 3.5 only.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...); NaN where no item is shared.

    Raises:
        ValueError: As for `quadratic_kappa`.

    Example:
        >>> float(percent_agreement([1, 2, 3, 4], [1, 2, 3, 5]))
        0.75
    """
    return _share(x, y, weights, 0.0)


def within_one(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Share of items on which the two scores are at most one point apart (0 to 1).

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,). A distance of one point includes what floating point adds to
            it (2.3333... and 1.3333... are one apart).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...); NaN where no item is shared.

    Raises:
        ValueError: As for `quadratic_kappa`.

    Example:
        >>> float(within_one([1, 2, 3, 4], [1, 3, 5, 4.5]))
        0.75
    """
    return _share(x, y, weights, 1.0)


def pairwise(ratings: ArrayLike, weights: ArrayLike | None = None, kernel: PairKernel = quadratic_kappa) -> Array:
    """Compute a two-rater statistic for every pair of raters, on the items that both scored.

    Args:
        ratings: Shape (n, raters); NaN where missing.
        weights: How often each row counts, shape (..., n); None for once each.
        kernel: Function of (x, y, weights), such as `quadratic_kappa`.

    Returns:
        Shape (..., pairs), in the order of `itertools.combinations`; NaN where a pair is undefined.

    Raises:
        ValueError: Ratings are not a matrix of at least two raters.

    Example:
        >>> pairwise([[1, 1, 2], [2, 2, 1], [3, 3, 3]]).round(6).tolist()
        [1.0, 0.5, 0.5]
    """
    matrix = as_matrix(ratings)
    if matrix.shape[1] < 2:
        raise ValueError("pairs need at least two raters")
    counts = as_weights(weights, matrix.shape[0])
    values = [kernel(matrix[:, i], matrix[:, j], counts) for i, j in combinations(range(matrix.shape[1]), 2)]
    return np.stack(values, axis=-1)


def mean_pairwise(ratings: ArrayLike, weights: ArrayLike | None = None, kernel: PairKernel = quadratic_kappa) -> Array:
    """Average a two-rater statistic over the pairs of raters for which it is defined.

    The unweighted mean over pairs (Light 1971, Psychological Bulletin 76:365-377, for kappa). How many pairs were
    left out is `np.isnan(pairwise(ratings)).sum()`.

    Args:
        ratings: Shape (n, raters); NaN where missing.
        weights: How often each row counts, shape (..., n); None for once each.
        kernel: Function of (x, y, weights), such as `quadratic_kappa`.

    Returns:
        The mean, shape (...); NaN where no pair is defined.

    Raises:
        ValueError: Ratings are not a matrix of at least two raters.

    Example:
        >>> round(float(mean_pairwise([[1, 1, 2], [2, 2, 1], [3, 3, 3]])), 6)
        0.666667
    """
    return mean_defined(pairwise(ratings, weights, kernel))


def mean_defined(values: Array) -> Array:
    """Average over the last axis, NaN left out; NaN where nothing is left."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64), 0.0)


def _share(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None, distance: float) -> Array:
    table = pairs(x, y, weights)
    near = np.abs(table.x - table.y) <= distance + NOISE
    return ratio(table.counts @ near.astype(np.float64), table.total, 0.0)


def _kappa(observed: Array, expected: Array, table: Pairs) -> Array:
    # Disagreement is at most total * range^2 (or range, or 1): below TINY of that, expected is 0 and kappa 0/0.
    return 1.0 - ratio(observed, expected, TINY * table.total * max(table.range, table.range**2))


def _within(
    x: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike,
    weights: ArrayLike | None,
    distance: Callable[[Pairs], tuple[Array, Array]],
) -> Array:
    first, second, group = as_column(x, "x"), as_column(y, "y"), as_column(groups, "groups")
    if not first.size == second.size == group.size:
        raise ValueError(f"x has {first.size} values, y {second.size} and groups {group.size}")
    counts = as_weights(weights, first.size)
    whole = pairs(first, second, counts)
    observed = expected = np.zeros(counts.shape[:-1])
    for code in np.unique(group[~np.isnan(group)]):
        rows = group == code
        parts = distance(pairs(first[rows], second[rows], counts[..., rows]))
        observed, expected = observed + parts[0], expected + parts[1]
    return _kappa(observed, expected, whole)


def _finite(x: ArrayLike, y: ArrayLike) -> Array:
    values: Array = np.concatenate([as_column(x, "x"), as_column(y, "y")])
    return values[~np.isnan(values)]


# Each of the three returns observed and expected disagreement, both as sums over items, so that groups add up.


def _squared(table: Pairs) -> tuple[Array, Array]:
    # Distances do not change under a shift; from a middle origin the sums lose no digits.
    origin = (table.x.min() + table.x.max()) / 2 if table.x.size else 0.0
    x, y = table.x - origin, table.y - origin
    sums = table.counts @ np.column_stack([x, y, x * x + y * y, (x - y) ** 2])
    total = np.where(table.total > 0, table.total, 1.0)
    return sums[..., 3], sums[..., 2] - 2 * sums[..., 0] * sums[..., 1] / total


def _absolute(table: Pairs) -> tuple[Array, Array]:
    values, _, cx, cy = _margins(table)
    total = np.where(table.total > 0, table.total, 1.0)
    below_x, below_y = np.cumsum(cx, axis=-1)[..., :-1], np.cumsum(cy, axis=-1)[..., :-1]
    # |a - b| is the sum of the gaps between levels that lie between a and b.
    crossing = below_x * (total[..., None] - below_y) + below_y * (total[..., None] - below_x)
    return table.counts @ np.abs(table.x - table.y), crossing @ np.diff(values) / total


def _different(table: Pairs) -> tuple[Array, Array]:
    _, same, cx, cy = _margins(table)
    total = np.where(table.total > 0, table.total, 1.0)
    return table.total - table.counts @ same, table.total - (cx * cy).sum(axis=-1) / total


def _margins(table: Pairs) -> tuple[Array, Array, Array, Array]:
    values, index = levels(np.concatenate([table.x, table.y]))
    x_index, y_index = index[: table.x.size], index[table.x.size :]
    same = (x_index == y_index).astype(np.float64)
    return values, same, merge(table.counts, x_index, values.size), merge(table.counts, y_index, values.size)
