"""The weighted tables that every kernel starts from.

A kernel gets columns over rows and `weights` of shape (..., n): how often each row counts. Ones give the value
on the data, a matrix of bootstrap counts gives all replicates at once, so point value and interval come from
one formula. The helpers here check the input, leave out rows with a gap, and merge equal rows, which makes
every later step as long as there are different rows rather than items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]

NOISE = 1e-9
"""Values closer than this are one score: (1 + 2 + 4) / 3 and 7 / 3 differ in the last bit only. Nothing coarser is
merged: 4.6667 and 4.66667 stay two values."""

TINY = 1e-12
"""A spread below this share of the squared range is a rounding residue of zero."""


def as_column(values: ArrayLike, name: str) -> Array:
    """Return values as a float column, NaN for missing; refuse anything but one dimension of finite numbers."""
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {column.ndim}")
    if np.isinf(column).any():
        raise ValueError(f"{name} holds an infinite value")
    return column


def as_weights(weights: ArrayLike | None, n: int) -> Array:
    """Return weights of shape (..., n) as floats; None means that every row counts once."""
    if weights is None:
        return np.ones(n)
    counts = np.asarray(weights, dtype=np.float64)
    if counts.ndim == 0 or counts.shape[-1] != n:
        raise ValueError(f"weights of shape {counts.shape} do not fit {n} rows")
    if counts.size and not (counts.min() >= 0 and counts.max() < np.inf):
        raise ValueError("weights must be numbers from 0 up")
    return counts


def levels(values: Array) -> tuple[Array, Index]:
    """Return the different values in ascending order, and for each value the index of its own."""
    distinct, index = np.unique(values, return_inverse=True)
    starts = np.diff(distinct, prepend=-np.inf) > NOISE
    return distinct[starts], (np.cumsum(starts) - 1)[index.reshape(-1)]


def merge(counts: Array, index: Index, size: int) -> Array:
    """Add up the columns of `counts` (..., n) that share an index, into (..., size)."""
    if size == index.size and np.array_equal(index, np.arange(size)):
        return counts
    order = np.argsort(index, kind="stable")
    present, starts = np.unique(index[order], return_index=True)
    merged = np.zeros((*counts.shape[:-1], size))
    if present.size:
        merged[..., present] = np.add.reduceat(counts[..., order], starts, axis=-1)
    return merged


def ratio(numerator: Array, denominator: Array, floor: Array | float) -> Array:
    """Divide where the denominator exceeds the floor; NaN, for undefined, elsewhere."""
    defined = denominator > floor
    return np.where(defined, numerator / np.where(defined, denominator, 1.0), np.nan)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The different (x, y) pairs of two columns, and how often each occurs in every replicate."""

    x: Array  # (pairs,)
    y: Array  # (pairs,)
    counts: Array  # (..., pairs)
    total: Array  # (...)
    range: float  # of all values together; 0 where everything is one value


def pairs(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Pairs:
    """Merge two columns into their different pairs, rows with a gap on either side left out.

    Raises:
        ValueError: The columns differ in length or hold an infinite value, or the weights do not fit.
    """
    first, second = as_column(x, "x"), as_column(y, "y")
    if first.size != second.size:
        raise ValueError(f"x has {first.size} values and y {second.size}")
    counts = as_weights(weights, first.size)
    present = ~(np.isnan(first) | np.isnan(second))
    if not present.all():
        first, second, counts = first[present], second[present], counts[..., present]
    x_levels, x_index = levels(first)
    y_levels, y_index = levels(second)
    codes, index = np.unique(x_index * max(y_levels.size, 1) + y_index, return_inverse=True)
    counts = merge(counts, index.reshape(-1), codes.size)
    x_code, y_code = np.divmod(codes, max(y_levels.size, 1))
    values = np.concatenate([x_levels, y_levels])
    return Pairs(
        x=x_levels[x_code],
        y=y_levels[y_code],
        counts=counts,
        total=counts.sum(axis=-1),
        range=float(np.ptp(values)) if values.size else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often each row (item) got each value, whoever gave it."""

    values: Array  # (values,), ascending
    table: Array  # (rows, values): number of raters of the row who gave the value
    raters: Array  # (rows,): number of raters of the row
    counts: Array  # (..., rows)


def rating_table(ratings: ArrayLike, weights: ArrayLike | None, at_least: int) -> Ratings:
    """Count the values in every row of a matrix, rows with fewer than `at_least` ratings left out.

    Raises:
        ValueError: The ratings are not a matrix or hold an infinite value, or the weights do not fit.
    """
    matrix = as_matrix(ratings)
    counts = as_weights(weights, matrix.shape[0])
    present = ~np.isnan(matrix)
    kept = present.sum(axis=1) >= at_least
    if not kept.all():
        matrix, present, counts = matrix[kept], present[kept], counts[..., kept]
    values, index = levels(matrix[present])
    table = np.zeros((matrix.shape[0], values.size))
    np.add.at(table, (np.nonzero(present)[0], index), 1.0)
    return Ratings(values=values, table=table, raters=present.sum(axis=1).astype(np.float64), counts=counts)


def as_matrix(ratings: ArrayLike) -> Array:
    """Return ratings as a float matrix (rows, raters), NaN for missing."""
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"ratings must have two dimensions (items, raters), not {matrix.ndim}")
    if np.isinf(matrix).any():
        raise ValueError("ratings hold an infinite value")
    return matrix


def check_scale(scale: ArrayLike, values: Array) -> Array:
    """Return the scale's levels in ascending order; refuse values beyond its ends.

    Raises:
        ValueError: The scale has fewer than two different finite levels, or a value lies beyond its ends.
    """
    grid = np.unique(as_column(scale, "scale"))
    if grid.size < 2 or np.isnan(grid).any():
        raise ValueError("a scale needs at least two different levels")
    outside = values[(values < grid[0] - NOISE) | (values > grid[-1] + NOISE)]
    if outside.size:
        raise ValueError(f"{outside[0]:g} is outside the scale {grid[0]:g} to {grid[-1]:g}")
    return grid
