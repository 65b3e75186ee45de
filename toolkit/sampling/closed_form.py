"""Sample sizes by formula: fast, and the yardstick for the simulation; optimistic where it is said.

All of them assume that the sample is large enough for a normal (or chi-square) approximation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def kappa_variance(table: ArrayLike, values: ArrayLike) -> float:
    """Large-sample variance of quadratic kappa, times the number of items.

    Fleiss, Cohen & Everitt (1969, Psychological Bulletin 72:323-327), their equation for a weighted kappa that is not
    zero.

    Args:
        table: Joint probabilities of two raters, shape (levels, levels).
        values: The levels' values.

    Example:
        Two levels used alike, kappa 0.6: 1 - 0.6 squared.

        >>> round(kappa_variance([[0.4, 0.1], [0.1, 0.4]], [0, 1]), 6)
        0.64
    """
    joint, scale = np.asarray(table, dtype=float), np.asarray(values, dtype=float)
    joint = joint / joint.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    weights = 1 - (scale[:, None] - scale) ** 2 / (scale[-1] - scale[0]) ** 2
    chance = float((weights * np.outer(rows, columns)).sum())
    kappa = (float((weights * joint).sum()) - chance) / (1 - chance)
    mean = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    inner = float((joint * (weights - mean * (1 - kappa)) ** 2).sum())
    return (inner - (kappa - chance * (1 - kappa)) ** 2) / (1 - chance) ** 2


def kappa_size(table: ArrayLike, values: ArrayLike, half_width: float, confidence: float = 0.95) -> int | None:
    """Return how many items give quadratic kappa a confidence interval of this half-width, by `kappa_variance`.

    Returns:
        The number; None where the formula says nothing: one rater or both give one score only, or they always agree.
    """
    joint = np.asarray(table, dtype=float)
    if min(np.count_nonzero(joint.sum(axis=0)), np.count_nonzero(joint.sum(axis=1))) < 2:
        return None
    variance = kappa_variance(joint, values)
    return math.ceil(variance * (_z((1 + confidence) / 2) / half_width) ** 2) if variance > 1e-12 else None


def binary_power_size(
    null: float, expected: float, prevalence: float, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Return how many items tell an expected kappa of two raters from another one, for yes/no scores.

    The goodness-of-fit test of the common correlation model: Donner & Eliasziw (1992, Statistics in Medicine
    11:1511-1519); what kappaSize::PowerBinary computes for two raters (Rotondi & Donner 2012, Journal of Clinical
    Epidemiology 65:778-784).

    Args:
        null: Kappa under the null hypothesis.
        expected: Kappa to be detected.
        prevalence: Share of yes.
        alpha: Two-sided level.
        power: Probability of detecting it.

    >>> binary_power_size(0.4, 0.6, 0.3)
    191
    """
    needed = (_z(1 - alpha / 2) + _z(power)) ** 2
    return math.ceil(needed / _binary_distance(null, expected, prevalence))


def binary_limit_size(expected: float, lower: float, prevalence: float, *, alpha: float = 0.05) -> int:
    """Return how many items put the one-sided lower limit of a kappa of two raters here, for yes/no scores.

    Donner & Eliasziw (1992) as `binary_power_size`; kappaSize::CIBinary for two raters.

    >>> binary_limit_size(0.6, 0.4, 0.3)
    66
    """
    return math.ceil(_z(1 - alpha) ** 2 / _binary_distance(lower, expected, prevalence))


def _binary_distance(null: float, other: float, prevalence: float) -> float:
    spread = prevalence * (1 - prevalence)

    def cells(kappa: float) -> Array:
        both_no = (1 - prevalence) ** 2 + kappa * spread
        return np.array([both_no, 2 * spread * (1 - kappa), prevalence**2 + kappa * spread])

    expected = cells(null)
    return float(((cells(other) - expected) ** 2 / expected).sum())


def _z(probability: float) -> float:
    from scipy.special import ndtri

    quantile: Any = ndtri(probability)
    return float(quantile)
