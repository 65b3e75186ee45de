"""One person held out: what the others say, so that a judge and a person can be held to the same yardstick."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import Array, as_column, as_matrix

__all__ = ["held_out", "row_median"]


def row_median(ratings: ArrayLike) -> Array:
    """Take the median of the scores that each item has.

    Args:
        ratings: Shape (n, raters); NaN where missing.

    Returns:
        Shape (n,); the mean of the two middle scores where their number is even, NaN where an item has none.

    Raises:
        ValueError: Ratings are no matrix, or hold an infinite value.

    Example:
        >>> row_median([[1, 5, 2], [3, 4, np.nan], [np.nan, np.nan, np.nan]]).tolist()
        [2.0, 3.5, nan]
    """
    ordered = np.sort(as_matrix(ratings), axis=1)  # NaN last
    if not ordered.size:
        return np.full(ordered.shape[0], np.nan)
    given = (~np.isnan(ordered)).sum(axis=1)
    rows = np.arange(ordered.shape[0])
    middle = ordered[rows, np.maximum(given - 1, 0) // 2] + ordered[rows, given // 2 % ordered.shape[1]]
    return np.where(given > 0, middle / 2, np.nan)


def held_out(ratings: ArrayLike, judge: ArrayLike) -> Iterator[tuple[Array, Array, Array]]:
    """Hold each person out in turn, and set person and judge against the median of the others.

    Args:
        ratings: Shape (n, raters), at least two raters; NaN where missing.
        judge: Judge scores, shape (n,); NaN where missing.

    Yields:
        For each rater: the median of the others, the person's scores, and the judge's, all of shape (n,) and NaN on the
        items where any of the three is missing.

    Raises:
        ValueError: Fewer than two raters, or different numbers of items.

    Example:
        >>> for others, person, model in held_out([[1, 2, 5], [4, np.nan, 5]], [3, 4]):
        ...     print(others, person, model)
        [3.5 5. ] [1. 4.] [3. 4.]
        [ 3. nan] [ 2. nan] [ 3. nan]
        [1.5 4. ] [5. 5.] [3. 4.]
    """
    matrix, model = as_matrix(ratings), as_column(judge, "judge")
    if matrix.shape[1] < 2:
        raise ValueError("holding a person out needs at least two raters")
    if matrix.shape[0] != model.size:
        raise ValueError(f"ratings of {matrix.shape[0]} items and a judge's of {model.size}")
    for rater in range(matrix.shape[1]):
        person, others = matrix[:, rater], row_median(np.delete(matrix, rater, axis=1))
        absent = np.isnan(person) | np.isnan(others) | np.isnan(model)
        yield np.where(absent, np.nan, others), np.where(absent, np.nan, person), np.where(absent, np.nan, model)
