"""Agreement among any number of raters, scores missing or not: Gwet, Fleiss, Krippendorff, intraclass.

People only: pooling a judge with them answers a question that nobody asked.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import (
    TINY,
    Array,
    Ratings,
    as_matrix,
    as_weights,
    check_scale,
    rating_table,
    ratio,
)

__all__ = ["Metric", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "icc_a1", "icc_ak", "krippendorff_alpha"]

Metric = Literal["nominal", "ordinal", "interval"]


def gwet_ac1(ratings: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Gwet's AC1: agreement beyond a chance that does not grow as one score comes to dominate.

    Gwet (2008, British Journal of Mathematical and Statistical Psychology 61:29-48); missing ratings as in Gwet
    (2014, Handbook of Inter-Rater Reliability, 4th edition, ch. 2): items with one rating count for the
    chance term, items with two or more for the observed agreement.

    Args:
        ratings: Shape (n, raters); NaN where missing. An off-grid value (3.5) is a category of its own, which agrees
            with itself only; the number of categories stays that of the scale.
        scale: Levels of the rubric, used or not: their number enters the chance term.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        AC1, shape (...); NaN where no item has two ratings. Constant ratings are no 0/0 here (chance is 0): 1.

    Raises:
        ValueError: A score lies outside the scale, ratings are no matrix, or a weight is negative.

    Example:
        The 125 subjects of Gwet (2002, Kappa Statistic Is Not Satisfactory), kappa -0.0234: 118 agreed on
        the first category, none on the second. Chance is 2 p (1 - p) with p = (123 + 120) / 250 = 0.972, that is
        0.054432; (0.944 - 0.054432) / 0.945568.

        >>> cells, counts = [[1, 1], [1, 2], [2, 1], [2, 2]], [118, 5, 2, 0]
        >>> round(float(gwet_ac1(cells, [1, 2], counts)), 6)
        0.940776
    """
    table, grid = _on_scale(ratings, scale, weights)
    return _gwet(table, grid, np.eye(table.values.size), np.eye(grid.size))


def gwet_ac2(ratings: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Gwet's AC2 with quadratic weights `1 - (x - y)^2 / (highest - lowest level)^2`.

    Gwet (2014, Handbook of Inter-Rater Reliability, 4th edition, ch. 3); missing ratings as in `gwet_ac1`.

    Args:
        ratings: Shape (n, raters); NaN where missing. Distances are between the values themselves.
        scale: Levels of the rubric, used or not: they fix the weights and their sum.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        AC2, shape (...); NaN where no item has two ratings.

    Raises:
        ValueError: A score lies outside the scale, ratings are no matrix, or a weight is negative.

    Example:
        Scores 1-1 and 1-3 on a scale 1, 2, 3. Weights: 1, 3/4, 0. Observed (1 + 0) / 2. The shares of the levels are
        3/4, 0, 1/4, so chance is (3 + 4 * 3/4) / (3 * 2) * (2 * 3/16) = 3/8; (1/2 - 3/8) / (5/8).

        >>> round(float(gwet_ac2([[1, 1], [1, 3]], [1, 2, 3])), 6)
        0.2
    """
    table, grid = _on_scale(ratings, scale, weights)
    width = grid[-1] - grid[0]

    def quadratic(values: Array) -> Array:
        distance: Array = np.subtract.outer(values, values) / width
        return 1 - distance**2

    return _gwet(table, grid, quadratic(table.values), quadratic(grid))


def fleiss_kappa(ratings: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Fleiss' kappa for nominal categories; items may have unequal numbers of raters.

    Fleiss (1971, Psychological Bulletin 76:378-382); unequal numbers as in Gwet (2014, ch. 2): every item
    has the same say in the category shares, and items with two or more ratings in the observed agreement.

    Args:
        ratings: Shape (n, raters); NaN where missing. Which rater stands in which column does not matter.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        Kappa, shape (...); NaN where no item has two ratings, or one category holds all ratings (0/0).

    Raises:
        ValueError: Ratings are no matrix, hold an infinite value, or a weight is negative.

    Example:
        Items 1-1-1, 1-1-2, 2-2-2: observed (1 + 1/3 + 1) / 3 = 7/9, shares 5/9 and 4/9, chance 41/81.

        >>> round(float(fleiss_kappa([[1, 1, 1], [1, 1, 2], [2, 2, 2]])), 6)
        0.55
    """
    table = rating_table(ratings, weights, at_least=1)
    shares, observed = _shares_and_agreement(table, np.eye(table.values.size))
    chance = (shares * shares).sum(axis=-1)
    return ratio(observed - chance, 1 - chance, TINY)


def krippendorff_alpha(ratings: ArrayLike, metric: Metric, weights: ArrayLike | None = None) -> Array:
    """Krippendorff's alpha: one minus observed over expected disagreement, ratings missing or not.

    Krippendorff (2011, Computing Krippendorff's Alpha-Reliability, University of Pennsylvania). The ordinal metric is
    Krippendorff's own, the squared number of ratings between two values; since that is the squared difference of
    their mid-ranks among all pairable ratings, ordinal alpha is computed as interval alpha on mid-ranks, taken
    anew in every replicate. (irrCAC's "ordinal weights" are another thing.)

    Args:
        ratings: Shape (n, raters); NaN where missing. Items with one rating do not count. Half points are values like
            any other: under the nominal metric 3.5 agrees with 3.5 only.
        metric: Distance between two values: same or not, by rank, or by squared difference.
        weights: How often each item counts, shape (..., n); None for once each. They should add up to a number of
            items, since alpha corrects for a finite number of ratings.

    Returns:
        Alpha, shape (...); NaN where no item has two ratings, or all ratings are one value (0/0).

    Raises:
        ValueError: Unknown metric, ratings are no matrix, or a weight is negative.

    Example:
        Ratings 1-1, 1-2: of four ratings three are 1. Observed: 2 of 4 pairable values differ, 1/2; expected
        2 * 3 * 1 / (4 * 3) = 1/2.

        >>> float(krippendorff_alpha([[1, 1], [1, 2]], "nominal"))
        0.0
    """
    if metric not in get_args(Metric):
        raise ValueError(f"metric must be one of {', '.join(get_args(Metric))}, not {metric!r}")
    table = rating_table(ratings, weights, at_least=2)
    margin = table.counts @ table.table  # (..., values): pairable ratings with each value
    total = margin.sum(axis=-1)
    per_pair = table.counts / (table.raters - 1)
    some = np.where(total > 0, total, 1.0)
    if metric == "nominal":
        # Of the m ratings of an item, those with value k meet m - n_k ratings with another value.
        observed = per_pair @ (table.table * (table.raters[:, None] - table.table)).sum(axis=1)
        expected = (total**2 - (margin**2).sum(axis=-1)) / np.where(total > 1, total - 1, 1.0)
        return 1 - ratio(observed, expected, TINY * total)
    if metric == "ordinal":
        # Mid-ranks, from -1/2 to 1/2: alpha does not change with the unit.
        position = (np.cumsum(margin, axis=-1) - (margin + total[..., None]) / 2) / some[..., None]
    elif table.values.size:
        position = np.broadcast_to(table.values - table.values.mean(), margin.shape)
    else:
        position = margin
    # Over ordered pairs: sum (a - b)^2 = 2 (m sum a^2 - (sum a)^2).
    sums = position @ table.table.T  # (..., rows): sum of the row's positions
    squares = ((per_pair * table.raters) @ table.table * position**2).sum(axis=-1)
    observed = 2 * (squares - (per_pair * sums * sums).sum(axis=-1))
    mean = (margin * position).sum(axis=-1) / some
    spread = (margin * (position - mean[..., None]) ** 2).sum(axis=-1)
    expected = 2 * total * spread / np.where(total > 1, total - 1, 1.0)
    width = float(np.ptp(table.values)) if metric == "interval" and table.values.size else 1.0
    return 1 - ratio(observed, expected, TINY * total * width**2)


def icc_a1(ratings: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Intraclass correlation ICC(A,1): absolute agreement of single scores, two-way random raters.

    McGraw & Wong (1996, Psychological Methods 1:30-46, table 4), the ICC(2,1) of Shrout & Fleiss (1979):
    `(MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)`.

    Args:
        ratings: Shape (n, raters); items with a gap are left out.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        The correlation, shape (...); NaN with fewer than two complete items, or where all scores are one. On
        items that differ less than chance would make them it can leave the range -1 to 1.

    Raises:
        ValueError: Fewer than two raters, ratings are no matrix, or a weight is negative.

    Example:
        The six targets and four judges of Shrout & Fleiss (1979, Psychological Bulletin 86:420-428, table 2).

        >>> targets = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> round(float(icc_a1(targets)), 2)
        0.29
    """
    n, raters, rows, columns, residual = _two_way(ratings, weights)
    return _icc(rows - residual, rows + (raters - 1) * residual + raters * (columns - residual) / n)


def icc_ak(ratings: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Intraclass correlation ICC(A,k): absolute agreement of the mean of all raters.

    McGraw & Wong (1996, Psychological Methods 1:30-46, table 4), the ICC(2,k) of Shrout & Fleiss (1979):
    `(MSR - MSE) / (MSR + (MSC - MSE) / n)`.

    Args:
        ratings: Shape (n, raters); items with a gap are left out.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        The correlation, shape (...); NaN and range as for `icc_a1`.

    Raises:
        ValueError: As for `icc_a1`.

    Example:
        >>> targets = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> round(float(icc_ak(targets)), 2)
        0.62
    """
    n, _, rows, columns, residual = _two_way(ratings, weights)
    return _icc(rows - residual, rows + (columns - residual) / n)


def _on_scale(ratings: ArrayLike, scale: ArrayLike, weights: ArrayLike | None) -> tuple[Ratings, Array]:
    table = rating_table(ratings, weights, at_least=1)
    return table, check_scale(scale, table.values)


def _shares_and_agreement(table: Ratings, alike: Array) -> tuple[Array, Array]:
    """Return the share of each value (every item has one say) and the agreement observed within items."""
    total = table.counts.sum(axis=-1)
    shares = table.counts @ (table.table / table.raters[:, None]) / np.where(total > 0, total, 1.0)[..., None]
    several = table.raters > 1
    given, raters = table.table[several], table.raters[several]
    # Each rating against the others of its item: itself, always alike, is taken off.
    alike_pairs = (given * (given @ alike - 1)).sum(axis=1) / (raters * (raters - 1))
    counts = table.counts[..., several]
    return shares, ratio(counts @ alike_pairs, counts.sum(axis=-1), 0.0)


def _gwet(table: Ratings, grid: Array, alike: Array, alike_on_scale: Array) -> Array:
    shares, observed = _shares_and_agreement(table, alike)
    size = grid.size
    chance = alike_on_scale.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum(axis=-1)
    return ratio(observed - chance, 1 - chance, TINY)


def _two_way(ratings: ArrayLike, weights: ArrayLike | None) -> tuple[Array, int, Array, Array, Array]:
    """Return items, raters, and mean squares of rows, columns and residual; NaN under two items."""
    matrix = as_matrix(ratings)
    raters = matrix.shape[1]
    if raters < 2:
        raise ValueError("an intraclass correlation needs at least two raters")
    counts = as_weights(weights, matrix.shape[0])
    complete = ~np.isnan(matrix).any(axis=1)
    matrix, counts = matrix[complete], counts[..., complete]
    n = counts.sum(axis=-1)
    n = np.where(n > 1, n, np.nan)
    # A middle origin keeps digits, and makes constant scores exactly zero.
    centred = matrix - ((matrix.min() + matrix.max()) / 2 if matrix.size else 0.0)
    means = centred.mean(axis=1)
    rater_sums = counts @ centred  # (..., raters)
    sum_of_means = counts @ means
    rows = raters * (counts @ means**2 - sum_of_means**2 / n)
    columns = (rater_sums**2).sum(axis=-1) / n - raters * sum_of_means**2 / n
    within = counts @ ((centred - means[:, None]) ** 2).sum(axis=1)
    # Sums of squares are not negative: below a rounding residue of the largest possible they are zero.
    floor = TINY * n * raters * (float(np.ptp(matrix)) ** 2 if matrix.size else 0.0)
    rows, columns, residual = (
        np.where(np.isnan(n), np.nan, np.where(square > floor, square, 0.0))
        for square in (rows, columns, within - columns)
    )
    return n, raters, rows / (n - 1), columns / (raters - 1), residual / ((n - 1) * (raters - 1))


def _icc(numerator: Array, denominator: Array) -> Array:
    # Unlike the other coefficients' this denominator may be negative; only zero leaves the value undefined.
    defined = np.abs(denominator) > TINY * np.abs(numerator)
    return np.where(defined, numerator / np.where(defined, denominator, 1.0), np.nan)
