"""Is the judge's stated confidence worth anything, and does it repeat itself?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import NOISE, Array, as_column, as_matrix, as_weights, merge, pairs, ratio

__all__ = [
    "ReliabilityBin",
    "brier_score",
    "expected_calibration_error",
    "flip_rate",
    "reliability_table",
    "retest_agreement",
]


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Items of similar confidence.

    Attributes:
        low: Lower end of the bin.
        high: Upper end; belongs to the bin.
        n: Number of items.
        confidence: Their mean confidence; None without items.
        accuracy: Share of them on which the judge was right; None without items.
    """

    low: float
    high: float
    n: int
    confidence: float | None
    accuracy: float | None


def brier_score(confidence: ArrayLike, correct: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Mean squared difference between confidence and outcome (0 is best).

    Brier (1950, Monthly Weather Review 78:1-3), the form for one event.

    Args:
        confidence: Stated probability of being right, from 0 to 1, shape (n,); NaN where missing.
        correct: 1 where the judge was right, 0 where not, shape (n,); NaN where unknown.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        The score, shape (...); NaN without items.

    Raises:
        ValueError: A value outside 0 to 1, or columns that do not fit.

    Example:
        (0.1^2 + 0.4^2) / 2

        >>> round(float(brier_score([0.9, 0.4], [1, 0])), 6)
        0.085
    """
    _check_shares(confidence, correct)
    table = pairs(confidence, correct, weights)
    return ratio(table.counts @ (table.x - table.y) ** 2, table.total, 0.0)


def expected_calibration_error(
    confidence: ArrayLike, correct: ArrayLike, bins: int = 10, weights: ArrayLike | None = None
) -> Array:
    """Mean gap between confidence and accuracy over equal-width bins, weighted by their items.

    Naeini, Cooper & Hauskrecht (2015, AAAI 29:2901-2907). With few items per bin it is above 0 even for a perfectly
    calibrated judge.

    Args:
        confidence: Stated probability of being right, from 0 to 1, shape (n,); NaN where missing.
        correct: 1 where the judge was right, 0 where not, shape (n,); NaN where unknown.
        bins: Number of bins between 0 and 1; each holds its upper end, the first also 0.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        The error, shape (...), from 0 to 1; NaN without items.

    Raises:
        ValueError: A value outside 0 to 1, no bins, or columns that do not fit.

    Example:
        Bin (0.8, 0.9]: two items, accuracy 1/2, gap 0.4. Bin (0.2, 0.3]: one item, wrong, gap 0.3.

        >>> round(float(expected_calibration_error([0.9, 0.9, 0.3], [1, 0, 0])), 6)
        0.366667
    """
    _, counts, right, stated = _binned(confidence, correct, bins, weights)
    return ratio(np.abs(right - stated).sum(axis=-1), counts.sum(axis=-1), 0.0)


def reliability_table(confidence: ArrayLike, correct: ArrayLike, bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """Set accuracy beside confidence, bin by bin.

    Args:
        confidence: Stated probability of being right, from 0 to 1, shape (n,); NaN where missing.
        correct: 1 where the judge was right, 0 where not, shape (n,); NaN where unknown.
        bins: Number of bins of equal width between 0 and 1.

    Returns:
        One row for each bin, empty ones too.

    Raises:
        ValueError: As for `expected_calibration_error`.

    Example:
        >>> reliability_table([0.9, 0.9, 0.3], [1, 0, 0], bins=2)[1]
        ReliabilityBin(low=0.5, high=1.0, n=2, confidence=0.9, accuracy=0.5)
    """
    edges, counts, right, stated = _binned(confidence, correct, bins, None)
    return tuple(
        ReliabilityBin(
            low=float(edges[i]),
            high=float(edges[i + 1]),
            n=int(n),
            confidence=float(stated[i] / n) if n else None,
            accuracy=float(right[i] / n) if n else None,
        )
        for i, n in enumerate(counts)
    )


def retest_agreement(repeats: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Share of pairs of repeated judgements that give the same score, averaged over items.

    Args:
        repeats: Judgements of the same input, shape (n, repeats); NaN where missing. Items with one judgement do not
            count.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...), from 0 to 1; NaN where no item was judged twice.

    Raises:
        ValueError: Repeats are no matrix, or a weight is negative.

    Example:
        One of three pairs in the first item, all in the second.

        >>> round(float(retest_agreement([[4, 4, 5], [2, 2, 2]])), 6)
        0.666667
    """
    matrix, counts = _repeated(repeats, weights)
    present = ~np.isnan(matrix)
    given = present.sum(axis=1)
    same = (np.abs(matrix[:, :, None] - matrix[:, None, :]) <= NOISE).sum(axis=(1, 2)) - given
    return ratio(counts @ (same / (given * (given - 1))), counts.sum(axis=-1), 0.0)


def flip_rate(repeats: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Share of items on which repeated judgements do not all give the same score.

    Grows with the number of repeats: compare judges with equally many.

    Args:
        repeats: Judgements of the same input, shape (n, repeats); NaN where missing. Items with one judgement do not
            count.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        The share, shape (...), from 0 to 1; NaN where no item was judged twice.

    Raises:
        ValueError: Repeats are no matrix, or a weight is negative.

    Example:
        >>> float(flip_rate([[4, 4, 5], [2, 2, 2]]))
        0.5
    """
    matrix, counts = _repeated(repeats, weights)
    spread = np.nanmax(matrix, axis=1) - np.nanmin(matrix, axis=1) if matrix.size else np.zeros(matrix.shape[0])
    return ratio(counts @ (spread > NOISE).astype(np.float64), counts.sum(axis=-1), 0.0)


def _repeated(repeats: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array]:
    matrix = as_matrix(repeats)
    counts = as_weights(weights, matrix.shape[0])
    several = (~np.isnan(matrix)).sum(axis=1) > 1
    return matrix[several], counts[..., several]


def _check_shares(confidence: ArrayLike, correct: ArrayLike) -> None:
    for name, values in (("confidence", confidence), ("correct", correct)):
        column = as_column(values, name)
        if ((column < 0) | (column > 1)).any():
            raise ValueError(f"{name} must be from 0 to 1")


def _binned(
    confidence: ArrayLike, correct: ArrayLike, bins: int, weights: ArrayLike | None
) -> tuple[Array, Array, Array, Array]:
    """Return the edges, and for each bin the items, how many the judge got right, and their summed confidence."""
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, not {bins}")
    _check_shares(confidence, correct)
    table = pairs(confidence, correct, weights)
    edges = np.linspace(0, 1, bins + 1)
    index = np.searchsorted(edges[1:-1], table.x - NOISE, side="left")
    return (
        edges,
        merge(table.counts, index, bins),
        merge(table.counts * table.y, index, bins),
        merge(table.counts * table.x, index, bins),
    )
