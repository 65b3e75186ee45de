"""Tables as text: a grid in a monospaced font where it fits, else one line for each cell with its header."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from toolkit.workbook.runs import Line, Run, Style, plain, sliced

BETWEEN = " │ "
# A cell of more lines than this is prose, which nobody reads in a narrow column.
MOST_CELL_LINES = 3
_EMPTY = "-"


def table_lines(rows: Sequence[Sequence[Line]], alignments: Sequence[str], columns: int) -> list[Line]:
    """Return a table as lines of text.

    Args:
        rows: The cells of each row, the header first.
        alignments: `left`, `right` or `center` for each column.
        columns: How many monospaced characters fit on a line.
    """
    return _grid(rows, alignments, columns) or list(_records(rows))


def _records(rows: Sequence[Sequence[Line]]) -> Iterator[Line]:
    header, *others = rows
    if not others:
        yield [run for cell in header for run in (*_styled(cell, Style.BOLD), Run(BETWEEN, Style.QUIET))][:-1]
    for number, row in enumerate(others):
        if number:
            yield []
        for title, cell in zip(header, row, strict=False):
            name = [*_styled(title, Style.BOLD), Run(": ", Style.BOLD)] if plain(title) else []
            yield [*name, *(cell if plain(cell) else [Run(_EMPTY, Style.PLAIN)])]


def _grid(rows: Sequence[Sequence[Line]], alignments: Sequence[str], columns: int) -> list[Line] | None:
    widths = _widths(rows, columns)
    if widths is None:
        return None
    wrapped = [[_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    tallest = max(len(cell) for row in wrapped for cell in row)
    if tallest > MOST_CELL_LINES:
        return None
    rule = [Run("─┼─".join("─" * width for width in widths), Style.CODE | Style.QUIET)]
    found: list[Line] = []
    for number, row in enumerate(wrapped):
        # rows of several lines need a line between them to be told apart
        if number == 1 or (number > 1 and tallest > 1):
            found.append(rule)
        look = Style.CODE | (Style.BOLD if number == 0 else Style.PLAIN)
        for line in range(max(map(len, row))):
            found.append(_grid_line([cell[line] if line < len(cell) else [] for cell in row], widths, alignments, look))
    return found


def _grid_line(cells: Sequence[Line], widths: Sequence[int], alignments: Sequence[str], look: Style) -> Line:
    runs: list[Run] = []
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        space = width - columns_of(plain(cell))
        left = {"right": space, "center": space // 2}.get(alignments[place], 0)
        runs += [Run(BETWEEN, Style.CODE | Style.QUIET)] if place else []
        runs += [Run(" " * left, look), *_styled(cell, look), Run(" " * (space - left), look)]
    return list(sliced(runs, 0, len(plain(runs).rstrip())))


def _widths(rows: Sequence[Sequence[Line]], columns: int) -> list[int] | None:
    """Return the width of each column in characters, or None when even the longest words do not fit."""
    texts = [[plain(row[place]) for row in rows] for place in range(len(rows[0]))]
    widths = [max(1, *map(columns_of, column)) for column in texts]
    least = [max((columns_of(word) for text in column for word in _whole(text)), default=1) for column in texts]
    room = columns - len(BETWEEN) * (len(widths) - 1)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max((place for place in range(len(widths)) if widths[place] > least[place]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _whole(text: str) -> list[str]:
    """Return what of a cell may not be broken: its words, or all of it where it holds a formula."""
    return [text] if "\\" in text else text.split()


def _wrapped(cell: Line, width: int) -> list[Line]:
    """Return a cell in lines of whole words."""
    text = plain(cell)
    lines: list[Line] = []
    start = end = place = 0
    for word in text.split():
        first = text.index(word, place)
        place = first + len(word)
        if end > start and columns_of(text[start:place]) > width:
            lines.append(list(sliced(cell, start, end)))
            start = first
        elif end == start:
            start = first
        end = place
    return [*lines, list(sliced(cell, start, end))]


def _styled(cell: Line, look: Style) -> Line:
    return [Run(run.text, run.style | look) for run in cell]


def columns_of(text: str) -> int:
    """Return how many monospaced columns a text takes: full-width characters and emoji two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns_of_character(character) for character in text)


def _columns_of_character(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
