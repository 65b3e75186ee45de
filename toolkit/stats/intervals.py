"""From replicates to an interval: percentile, and bias-corrected and accelerated (BCa)."""

from __future__ import annotations

import numpy as np

from toolkit.stats._weighted import Array

__all__ = ["bca_interval", "percentile_interval"]


def percentile_interval(replicates: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval.

    Efron & Tibshirani (1993, An Introduction to the Bootstrap, ch. 13), quantiles interpolated linearly.

    Args:
        replicates: Defined values of the statistic, shape (replicates,), at least one.
        confidence: Between 0 and 1.

    Returns:
        Lower and upper end.

    Raises:
        ValueError: No replicates, or a confidence that is not between 0 and 1.

    Example:
        >>> [round(end, 6) for end in percentile_interval(np.arange(101.0), 0.9)]
        [5.0, 95.0]
    """
    tail = _tail(replicates, confidence)
    lower, upper = np.quantile(replicates, [tail, 1 - tail])
    return float(lower), float(upper)


def bca_interval(
    value: float,
    replicates: Array,
    influence: Array,
    sizes: Array,
    multiplicity: Array,
    confidence: float = 0.95,
) -> tuple[float, float] | None:
    """Bias-corrected and accelerated bootstrap interval.

    Efron (1987, Journal of the American Statistical Association 82:171-185); the acceleration of several strata as in
    Davison & Hinkley (1997, Bootstrap Methods and their Application, eq. 5.23 with jackknife influence). Replicates
    equal to the value count half below it, because agreement statistics take few different values.

    Args:
        value: The statistic on the data.
        replicates: Defined values of the statistic, shape (replicates,), at least one.
        influence: Jackknife influence of each unit, `(m - 1) (mean - value without it)` in its stratum of m units.
        sizes: Number m of units in the unit's stratum, same shape.
        multiplicity: How many equal units each one stands for, same shape.
        confidence: Between 0 and 1.

    Returns:
        Lower and upper end; None where BCa is undefined (all replicates on one side of the value, or an undefined
        or constant jackknife).

    Raises:
        ValueError: No replicates, or a confidence that is not between 0 and 1.

    Example:
        >>> replicates = np.random.default_rng(0).normal(size=10_000)
        >>> sample = np.array([-1.0, 0.0, 1.0])
        >>> ends = bca_interval(0.0, replicates, sample, np.full(3, 3.0), np.ones(3))
        >>> [round(end) for end in ends]
        [-2, 2]
    """
    from scipy.special import ndtr, ndtri

    tail = _tail(replicates, confidence)
    below = (np.mean(replicates < value) + np.mean(replicates <= value)) / 2
    square = (multiplicity * (influence / sizes) ** 2).sum()
    if not 0 < below < 1 or not square > 0:
        return None
    acceleration = (multiplicity * (influence / sizes) ** 3).sum() / (6 * square**1.5)
    shift = ndtri(below)
    z = shift + ndtri(np.array([tail, 1 - tail]))
    if not (1 - acceleration * z > 0).all():
        return None
    lower, upper = np.quantile(replicates, ndtr(shift + z / (1 - acceleration * z)))
    return float(lower), float(upper)


def _tail(replicates: Array, confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if not replicates.size:
        raise ValueError("an interval needs replicates")
    return (1 - confidence) / 2
