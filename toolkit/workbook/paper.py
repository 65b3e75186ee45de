"""The paper that sheets are printed on: A4, landscape."""

from __future__ import annotations

from collections.abc import Sequence

A4 = 9  # as the file format numbers it
INCH = 72
LONG_SIDE, SHORT_SIDE = 841.9, 595.3
# In inches.
LEFT, RIGHT, TOP, BOTTOM = 0.4, 0.4, 0.5, 0.6
WIDTH = LONG_SIDE - (LEFT + RIGHT) * INCH
HEIGHT = SHORT_SIDE - (TOP + BOTTOM) * INCH
POINTS_PER_PIXEL = 72 / 96
# LibreOffice makes the columns of an .xlsx so much wider.
WIDER = 1.07
# Programs round heights, each in its own way.
SPARE = 0.98
# Text smaller than this, in points, is not printed to save a page, except where the width leaves no choice.
SMALLEST = 7


def percent(widths: Sequence[float], tallest: float = 0.0, points: float = SMALLEST) -> int:
    """Return at how many per cent of its size a sheet is printed: in full width, and its parts on a page each.

    Args:
        widths: Of the columns, in pixels.
        tallest: The height of the tallest part, in points.
        points: Size of the text in the parts.
    """
    across = WIDTH / (sum(widths) * POINTS_PER_PIXEL * WIDER)
    down = max(HEIGHT / tallest, SMALLEST / points) if tallest else 1.0
    return int(100 * min(1.0, across, down))


def room(percent: int) -> float:
    """Return how tall the rows on a page may be together, in points, where they are printed at so many per cent."""
    return HEIGHT * SPARE * 100 / percent
