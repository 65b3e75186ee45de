"""P-values adjusted for having looked at several things."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import Array

__all__ = ["adjusted_p_values"]


def adjusted_p_values(p_values: ArrayLike, dependent: bool = False) -> Array:
    """Adjust p-values so that those at most q keep the false discovery rate at q.

    Benjamini & Hochberg (1995, Journal of the Royal Statistical Society B 57:289-300) for independent or positively
    dependent tests; Benjamini & Yekutieli (2001, Annals of Statistics 29:1165-1188), larger by the factor
    1 + 1/2 + ... + 1/m, for any dependence.

    Args:
        p_values: Shape (m,), from 0 to 1; NaN where a test is undefined: it stays NaN and does not count.
        dependent: Whether to use Benjamini & Yekutieli's.

    Returns:
        Adjusted values, shape (m,), in the order given, at most 1.

    Raises:
        ValueError: A value lies outside 0 to 1, or they have more than one dimension.

    Example:
        Of four: 0.01 * 4/1, 0.02 * 4/2, 0.03 * 4/3, 0.5 * 4/4, each no larger than what follows.

        >>> adjusted_p_values([0.03, 0.01, 0.5, 0.02]).round(6).tolist()
        [0.04, 0.04, 0.5, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise ValueError("p-values must be one row of numbers from 0 to 1")
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    rank = np.arange(1, order.size + 1)
    factor = (1 / rank).sum() if dependent else 1.0
    stepped = np.minimum.accumulate((p[order] * order.size * factor / rank)[::-1])[::-1]
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
