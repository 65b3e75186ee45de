"""Correlations between two columns of scores, as weighted kernels.

A correlation ignores a shift (and, for ranks, any stretching) of one side: a judge one point too lenient on every
item correlates perfectly. They stand beside kappa, never instead of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import TINY, Array, levels, merge, pairs, ratio
from toolkit.stats.agreement import quadratic_kappa

__all__ = ["kendall_tau_b", "lin_ccc", "pearson", "spearman"]

# Kendall compares every pair of different rows; so many at a time that a block of signs takes 16 MB.
_BLOCK_CELLS = 2_000_000


def pearson(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Pearson's product-moment correlation.

    Pearson (1896, Philosophical Transactions of the Royal Society A 187:253-318).

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,); rows with a gap on either side are left out.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The correlation, shape (...), from -1 to 1; NaN where a side does not vary.

    Raises:
        ValueError: Lengths differ, a value is infinite, or a weight is negative.

    Example:
        Cross products 5.5, squares 5 and 6.75: 5.5 / sqrt(5 * 6.75).

        >>> round(float(pearson([1, 2, 3, 4], [2, 3, 5, 5])), 6)
        0.946729
    """
    table = pairs(x, y, weights)
    if not table.x.size:
        return np.full(table.total.shape, np.nan)
    u, v = table.x - table.x.mean(), table.y - table.y.mean()
    sums = table.counts @ np.column_stack([u, v, u * u, v * v, u * v])
    total = np.where(table.total > 0, table.total, 1.0)
    su, sv = sums[..., 0], sums[..., 1]
    floor = TINY * total
    return _correlation(
        sums[..., 4] - su * sv / total,
        _positive(sums[..., 2] - su * su / total, floor * np.ptp(table.x) ** 2),
        _positive(sums[..., 3] - sv * sv / total, floor * np.ptp(table.y) ** 2),
    )


def spearman(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Spearman's rank correlation: Pearson's on mid-ranks.

    Spearman (1904, American Journal of Psychology 15:72-101), ties sharing the mean of their ranks. With weights,
    a row that counts k times is k tied rows, and ranks are taken anew in every replicate.

    Args:
        x: Scores of one side, shape (n,); NaN where missing. Values within 1e-9 are tied; 4.6667 and 4.66667
            are not.
        y: Scores of the other side, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The correlation, shape (...), from -1 to 1; NaN where a side does not vary.

    Raises:
        ValueError: Lengths differ, a value is infinite, or a weight is negative.

    Example:
        Ranks 1 2.5 2.5 4 against 1 2 3.5 3.5.

        >>> round(float(spearman([1, 3, 3, 5], [1, 2, 4, 4])), 6)
        0.833333
    """
    table = pairs(x, y, weights)
    sides = []
    for values in (table.x, table.y):
        distinct, index = levels(values)
        margin = merge(table.counts, index, distinct.size)
        # The rank of a block of ties, less the mean rank of all: how far its middle is from the middle.
        rank = np.cumsum(margin, axis=-1) - (margin + table.total[..., None]) / 2
        sides.append((rank[..., index], (margin * rank * rank).sum(axis=-1)))
    (rank_x, square_x), (rank_y, square_y) = sides
    floor = TINY * table.total**3
    product = np.einsum("...i,...i,...i->...", table.counts, rank_x, rank_y)
    return _correlation(product, _positive(square_x, floor), _positive(square_y, floor))


def kendall_tau_b(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Kendall's tau-b: concordant less discordant pairs of items, corrected for ties.

    Kendall (1945, Biometrika 33:239-251). The cost grows with the square of the number of different (x, y) pairs,
    which is small for scores however many items there are.

    Args:
        x: Scores of one side, shape (n,); NaN where missing. Ties as for `spearman`.
        y: Scores of the other side, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The correlation, shape (...), from -1 to 1; NaN where a side does not vary.

    Raises:
        ValueError: Lengths differ, a value is infinite, or a weight is negative.

    Example:
        Six pairs: four concordant, none discordant, one tied in x, one in y: 4 / sqrt(5 * 5).

        >>> round(float(kendall_tau_b([1, 3, 3, 5], [1, 2, 4, 4])), 6)
        0.8
    """
    table = pairs(x, y, weights)
    size = table.x.size
    product = np.zeros(table.total.shape)
    step = max(1, _BLOCK_CELLS // max(size, 1))
    for start in range(0, size, step):
        rows = slice(start, start + step)
        signs = np.sign(np.subtract.outer(table.x, table.x[rows])) * np.sign(np.subtract.outer(table.y, table.y[rows]))
        product = product + ((table.counts @ signs) * table.counts[..., rows]).sum(axis=-1)
    untied = []
    for values in (table.x, table.y):
        distinct, index = levels(values)
        margin = merge(table.counts, index, distinct.size)
        untied.append(_positive(table.total**2 - (margin * margin).sum(axis=-1), TINY * table.total**2))
    return _correlation(product, *untied)


def lin_ccc(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Lin's concordance correlation coefficient, with population variances.

    Lin (1989, Biometrics 45:255-268): `2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2)`. Since
    `mean((x - y)^2) = s_x^2 + s_y^2 - 2 s_xy + (mean x - mean y)^2`, it is quadratic kappa on the values, and
    computed as that.

    Args:
        x: Scores of one side, shape (n,); NaN where missing.
        y: Scores of the other side, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The coefficient, shape (...); NaN where all values of both sides are one.

    Raises:
        ValueError: As for `quadratic_kappa`.

    Example:
        Means 2 and 3, variances 2/3 each, covariance 2/3: (4/3) / (4/3 + 1).

        >>> round(float(lin_ccc([1, 2, 3], [2, 3, 4])), 6)
        0.571429
    """
    return quadratic_kappa(x, y, weights)


def _positive(values: Array, floor: Array) -> Array:
    return np.where(values > floor, values, 0.0)


def _correlation(product: Array, square_x: Array, square_y: Array) -> Array:
    # Two roots, not the root of a product: squares of many items would leave the range of a double.
    return np.clip(ratio(product, np.sqrt(square_x) * np.sqrt(square_y), 0.0), -1.0, 1.0)
