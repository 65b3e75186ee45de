"""The protocol's words for a kappa, and which of them an interval spans."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BAND_FLOORS", "Band", "band", "bands_spanned"]


class Band(StrEnum):
    """The four bands of the protocol, from low to almost perfect."""

    LOW = "low"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost_perfect"


BAND_FLOORS: dict[Band, float] = {
    Band.LOW: float("-inf"),
    Band.MODERATE: 0.4,
    Band.SUBSTANTIAL: 0.6,
    Band.ALMOST_PERFECT: 0.8,
}
"""Where each band begins; a band holds its floor (0.4 itself is moderate)."""

# 0.6 computed as 1 - 0.4 is 0.6 too: what floating point loses must not change a word.
_NOISE = 1e-9


def band(value: float | None) -> Band | None:
    """Name the band that a kappa falls in.

    The cut points are the protocol's own: below 0.4 low, to below 0.6 moderate, to below 0.8 substantial,
    from 0.8 almost perfect. (Landis & Koch 1977, Biometrics 33:159-174, cut at 0.2 steps and read
    0.2 to 0.4 as fair.)

    Args:
        value: A kappa, at most 1; None when undefined.

    Returns:
        The band; None for an undefined value.

    Raises:
        ValueError: The value is not a number, or exceeds 1.

    Example:
        >>> [str(band(kappa)) for kappa in (-0.1, 0.39, 0.4, 0.6, 0.8)]
        ['low', 'low', 'moderate', 'substantial', 'almost_perfect']
        >>> band(None) is None
        True
    """
    if value is None:
        return None
    if not value <= 1 + _NOISE:
        raise ValueError(f"{value} is not a kappa: it must be a number, at most 1")
    return [name for name, floor in BAND_FLOORS.items() if value >= floor - _NOISE][-1]


def bands_spanned(ci: tuple[float, float] | None) -> tuple[Band, ...]:
    """List the bands that an interval touches, low to high.

    Args:
        ci: Lower and upper end; None when there is no interval.

    Returns:
        The bands from that of the lower to that of the upper end; empty without an interval. A reader who sees
        more than two is better served by no word at all.

    Raises:
        ValueError: The ends are not numbers, exceed 1, or stand in the wrong order.

    Example:
        >>> [str(name) for name in bands_spanned((0.44, 0.85))]
        ['moderate', 'substantial', 'almost_perfect']
        >>> bands_spanned(None)
        ()
    """
    if ci is None:
        return ()
    lower, upper = ci
    if lower > upper:
        raise ValueError(f"the interval's lower end {lower} is above its upper end {upper}")
    first, last = band(lower), band(upper)
    order = list(Band)
    return tuple(
        name
        for name in order
        if first is not None and last is not None and order.index(first) <= order.index(name) <= order.index(last)
    )
