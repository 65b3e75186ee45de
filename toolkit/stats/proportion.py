"""A share of cases, with an interval that stays between 0 and 1."""

from __future__ import annotations

import math

from toolkit.stats.results import Estimate, Note

__all__ = ["proportion"]


def proportion(count: int, n: int, confidence: float = 0.95) -> Estimate:
    """Share of cases in which something holds, with Wilson's interval.

    Wilson (1927, Journal of the American Statistical Association 22:209-212); recommended for small n by Brown, Cai &
    DasGupta (2001, Statistical Science 16:101-133). Cases count as independent.

    Args:
        count: Cases in which it holds.
        n: Cases.
        confidence: Of the interval, between 0 and 1.

    Returns:
        The share; undefined without cases.

    Raises:
        ValueError: A count that is not between 0 and n, or a confidence that is not between 0 and 1.

    Example:
        With z = 1.96: centre (9 + z²/2) / (10 + z²), half width z sqrt(9 * 1 / 10 + z²/4) / (10 + z²).

        >>> share = proportion(9, 10)
        >>> share.value, [round(end, 4) for end in share.ci95]
        (0.9, [0.5958, 0.9821])
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is no share")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if not n:
        return Estimate(None, 0, notes=(Note.UNDEFINED,))
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    centre = (count + z * z / 2) / (n + z * z)
    half = z * math.sqrt(count * (n - count) / n + z * z / 4) / (n + z * z)
    # at the ends the formula gives 0 and 1 only up to rounding
    lower = 0.0 if not count else max(0.0, centre - half)
    upper = 1.0 if count == n else min(1.0, centre + half)
    return Estimate(count / n, n, (lower, upper))
