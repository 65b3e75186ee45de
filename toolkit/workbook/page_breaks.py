"""Where the printed pages of an annotation sheet begin: an item on as few pages as it can be, cut where it hurts least.

Spreadsheet programs end a page after whatever row still fits, so that an item's answer cells often print on another
page than the answer they are for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from toolkit.workbook.layout import Row

# A long item is rather cut before a part than within one, where that leaves no more than half of the page empty.
FULL_ENOUGH = 0.5


def page_starts(rows: Sequence[Row], continued: Sequence[bool], room: float) -> list[int]:
    """Return which rows begin a page, after the first page.

    An item that does not fit into what is left of a page begins a new one, together with the banner above it. One
    that is longer than a page is cut between rows; never, if it can be helped, below its title, nor between its
    answer cells and the levels above them.

    Args:
        rows: The rows of the sheet, as tall as they are.
        continued: For each row, whether its text goes on from the row above.
        room: How tall the rows on a page may be together, in points.
    """
    before = [0.0, *accumulate(row.height for row in rows)]
    starts: list[int] = []
    page = 0
    for first, end in _items(rows):
        if first > page and before[end] - before[page] > room:
            starts.append(first)
            page = first
        cuts = _cuts(rows, first, end)
        while page < end - 1 and before[end] - before[page] > room:
            fits = [place for place in range(page + 1, end) if before[place] - before[page] <= room]
            good = [place for place in fits if place in cuts]
            best = [
                place for place in good if not continued[place] and before[place] - before[page] >= FULL_ENOUGH * room
            ]
            page = (best or good or fits or [page + 1])[-1]
            starts.append(page)
    return starts


def _items(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Yield the first row of each item, or of the banner above it, and the row after its last."""
    begins = [
        place
        for place, row in enumerate(rows)
        if row.kind in ("banner", "title") and (place == 0 or rows[place - 1].kind != "banner")
    ]
    return zip(begins, [*begins[1:], len(rows)], strict=True)


def _cuts(rows: Sequence[Row], first: int, end: int) -> set[int]:
    """Return the rows of an item that may begin a page."""
    title = next(place for place in range(first, end) if rows[place].kind == "title")
    answer = next((place for place in range(first, end) if rows[place].kind == "answer"), end - 1)
    levels = next((place for place in range(first, answer) if rows[place].levels), answer)
    return {*range(title + 2, levels + 1), *range(answer + 1, end)}
