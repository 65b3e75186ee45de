"""How many lines a text takes in a cell: line breaking with the character widths of Arial.

Spreadsheet programs do not grow a row for a text that a program wrote, so the heights must be known when the file
is made. The widths are those of Arial, which every office program has, or replaces by a font of the same widths.
"""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path

from toolkit.workbook.runs import Run, Style

# Programs round glyphs to whole pixels on the screen and each breaks lines a little differently. Measured against
# LibreOffice (tests/test_rendering.py): with 6% to spare no line of any case is ever clipped.
SAFETY = 1.06
CELL_PADDING_PX = 7.0
PIXELS_PER_POINT = 96 / 72
# Height of a line for each point of font size. Excel gives Arial 10 a line of 12.75 pt and Arial 11 one of 14.25 pt;
# LibreOffice needs 1.15, so there the text ends a little above the cell's bottom.
LINE_SPACING = 1.3
ROW_AIR = 3
# In points; Excel has no taller rows than 409.5, and finds fault with a file that says otherwise.
TALLEST_ROW = 400
WIDE, TALL = 2048, 2600  # full-width characters and emoji, in font units
MONOSPACED = 1229  # Courier New, and Liberation Mono, which replaces it
TAB_SPACES = 4
# Characters of no width could fill a line without end, and a cell holds 32,767 UTF-16 units.
LONGEST_LINE = 600
# Labels, questions and level descriptions are the same for all items.
REMEMBERED = 4096


@cache
def _widths(weight: str) -> dict[int, int]:
    table = json.loads((Path(__file__).parent / "arial_widths.json").read_text())
    return {run[0] + place: width for run in table[weight] for place, width in enumerate(run[1:])}


@cache
def character_width(character: str, bold: bool = False) -> int:
    """Return the advance width of one character in 1/2048 of the font size."""
    if character == "\t":
        return TAB_SPACES * character_width(" ", bold)
    code = ord(character)
    if (known := _widths("bold" if bold else "runs").get(code)) is not None:
        return known
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    if code > 0xFFFF:
        return TALL
    return WIDE


@cache
def _monospaced_width(character: str) -> int:
    if character == "\t":
        return TAB_SPACES * MONOSPACED
    width = character_width(character)
    # what the monospaced font lacks comes from another font, as wide as there
    strange = ord(character) not in _widths("runs") and unicodedata.east_asian_width(character) in "WF"
    return width if width == 0 or strange else MONOSPACED


class _Table(dict[str, int]):
    """The widths of characters of one look, which are looked up once each."""

    def __init__(self, points: int, bold: bool, code: bool):
        super().__init__()
        self._points, self._bold, self._code = points, bold, code

    def __missing__(self, character: str) -> int:
        width = _monospaced_width(character) if self._code else character_width(character, self._bold)
        self[character] = width * self._points
        return self[character]


@cache
def _table(points: int, bold: bool, code: bool) -> _Table:
    return _Table(points, bold, code)


def break_lines(text: str, width_px: float, points: float) -> list[tuple[int, int]]:
    r"""Return where the lines of a text start and end when it is wrapped into a cell.

    Args:
        text: The text; \n breaks a line.
        width_px: Width of the cell in pixels at 96 dpi.
        points: Font size.

    Returns:
        (start, end) of each line in `text`; the white space a line breaks at belongs to no line.

    >>> text = "one two three"
    >>> [text[a:b] for a, b in break_lines(text, 64, 11)]
    ['one two', 'three']
    """
    widths = list(map(_table(1, False, False).__getitem__, text))
    return _broken(text, widths, _limit(width_px) / points)


def break_runs(runs: Iterable[Run], width_px: float) -> list[tuple[int, int]]:
    """Return where the lines of a text of several looks start and end; `break_lines` for runs."""
    text: list[str] = []
    widths: list[int] = []
    for part, style in runs:
        text.append(part)
        table = _table(style.points, Style.BOLD in style, Style.CODE in style)
        widths += map(table.__getitem__, part)
    return _broken("".join(text), widths, _limit(width_px))


def _limit(width_px: float) -> float:
    """Return the room of a line for characters of one point, in font units."""
    return (width_px - CELL_PADDING_PX) / SAFETY / PIXELS_PER_POINT * 2048


def _broken(text: str, widths: Sequence[int], limit: float) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    before = [0, *accumulate(widths)]
    start = 0
    for paragraph in text.split("\n"):
        lines += _wrap(text, before, start, start + len(paragraph), limit)
        start += len(paragraph) + 1
    return lines


def _wrap(text: str, before: Sequence[int], start: int, end: int, limit: float) -> list[tuple[int, int]]:
    """Break one paragraph. `before` holds the width of everything before each character of the text."""
    lines = []
    while True:
        # the first character that goes past the line; a space may do so, for it is not seen there
        place = max(bisect_right(before, before[start] + limit, start + 1, end + 1) - 1, start + 1)
        while place < end and text[place] in " \t":
            place += 1
        place = min(place, start + LONGEST_LINE)
        if place >= end:
            lines.append((start, end))
            return lines
        # a word longer than the line is broken inside, as the programs do
        cut = max(text.rfind(" ", start, place), text.rfind("\t", start, place))
        stop = cut if cut > start else place
        lines.append((start, stop))
        start = stop
        while start < end and text[start] in " \t":
            start += 1
        if start >= end:
            return lines


@lru_cache(REMEMBERED)
def line_count(text: str, width_px: float, points: float) -> int:
    """Return how many lines a text takes in a cell of this width."""
    return len(break_lines(text, width_px, points))


def rows_of(text: str, width_px: float, points: float) -> list[str]:
    r"""Return a text in pieces, none of them taller than a row may be; usually it is one.

    >>> [piece.count("x") for piece in rows_of("\n".join("x" * 60), 100, 11)]
    [27, 27, 6]
    """
    lines = break_lines(text, width_px, points)
    most = int((TALLEST_ROW - ROW_AIR) / (points * LINE_SPACING))
    parts = [lines[start : start + most] for start in range(0, len(lines), most)]
    return [text[part[0][0] : part[-1][1]] for part in parts]


def height(lines: int, points: float) -> float:
    """Return the row height in points for so many lines, with a little air."""
    return round(lines * points * LINE_SPACING + ROW_AIR, 2)
