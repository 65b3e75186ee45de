"""How far a judge's scores are from the human ones, in points of the scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import NOISE, Array, check_scale, merge, pairs, ratio
from toolkit.stats.agreement import percent_agreement

__all__ = ["bias", "confusion_matrix", "exact_agreement", "mae", "rmse"]


def mae(human: ArrayLike, judge: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Mean absolute error, in points of the scale.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,); rows with a gap on either side are left out.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The error, shape (...), from 0; NaN where no item is shared.

    Raises:
        ValueError: Lengths differ, a value is infinite, or a weight is negative.

    Example:
        >>> float(mae([1, 2, 3, 4], [1, 3, 3, 2]))
        0.75
    """
    table = pairs(human, judge, weights)
    return ratio(table.counts @ np.abs(table.y - table.x), table.total, 0.0)


def rmse(human: ArrayLike, judge: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Root of the mean squared error, in points of the scale; large errors weigh more than in `mae`.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The error, shape (...), from 0; NaN where no item is shared.

    Raises:
        ValueError: As for `mae`.

    Example:
        >>> float(rmse([1, 2, 3, 4], [1, 2, 3, 2]))
        1.0
    """
    table = pairs(human, judge, weights)
    return np.sqrt(ratio(table.counts @ (table.y - table.x) ** 2, table.total, 0.0))


def bias(human: ArrayLike, judge: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Mean of judge minus human, in points of the scale: above 0 the judge is lenient, below 0 severe.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The bias, shape (...); NaN where no item is shared.

    Raises:
        ValueError: As for `mae`.

    Example:
        >>> float(bias([1, 2, 3, 4], [2, 3, 4, 4]))
        0.75
    """
    table = pairs(human, judge, weights)
    return ratio(table.counts @ (table.y - table.x), table.total, 0.0)


def exact_agreement(human: ArrayLike, judge: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Share of items on which the judge gave exactly the human score: `percent_agreement` by its usual name here.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,).
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...), from 0 to 1; NaN where no item is shared.

    Raises:
        ValueError: As for `mae`.

    Example:
        >>> float(exact_agreement([1, 2, 3, 3.5], [1, 2, 3, 4]))
        0.75
    """
    return percent_agreement(human, judge, weights)


def confusion_matrix(human: ArrayLike, judge: ArrayLike, scale: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Count how often each human level (row) met each judge level (column).

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,); rows with a gap on either side are left out.
        scale: The levels of the rubric, any order.
        weights: How often each row counts, shape (..., n); None for once each.

    Returns:
        Counts, shape (..., levels, levels), rows and columns from the lowest level to the highest; zeros for
        levels that nobody used.

    Raises:
        ValueError: A score is not a level of the scale (round it, or pass a finer scale, such as one of half
            points: which of the two is the caller's decision); lengths differ, or a weight is negative.

    Example:
        >>> confusion_matrix([1, 1, 3], [1, 2, 3], [1, 2, 3]).astype(int).tolist()
        [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    """
    table = pairs(human, judge, weights)
    values = np.concatenate([table.x, table.y])
    grid = check_scale(scale, values)
    index = np.abs(np.subtract.outer(values, grid)).argmin(axis=1)
    off = np.abs(values - grid[index]) > NOISE
    if off.any():
        raise ValueError(f"{values[off][0]:g} is not a level of the scale")
    cells = index[: table.x.size] * grid.size + index[table.x.size :]
    counts = merge(table.counts, cells, grid.size**2)
    return counts.reshape(*counts.shape[:-1], grid.size, grid.size)
