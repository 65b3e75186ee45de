"""Cells by their names: `'Start here'!B2:C`, and back."""

from __future__ import annotations

import re
from typing import NamedTuple

CELL = re.compile(r"\$?([A-Za-z]{0,3})\$?(\d{0,7})")


class Box(NamedTuple):
    """A rectangle of cells, rows and columns counted from 0, the ends not included; None is unbounded."""

    row: int | None = None
    end_row: int | None = None
    column: int | None = None
    end_column: int | None = None

    def within(self, rows: int, columns: int) -> Box:
        """Return the rectangle with its open ends at those of a sheet."""
        return Box(
            self.row or 0,
            rows if self.end_row is None else self.end_row,
            self.column or 0,
            columns if self.end_column is None else self.end_column,
        )

    def cells(self) -> list[tuple[int, int]]:
        """Return the places of all cells of a bounded rectangle."""
        assert None not in (self.row, self.end_row, self.column, self.end_column)
        return [(r, c) for r in range(self.row, self.end_row) for c in range(self.column, self.end_column)]  # type: ignore[arg-type]

    def holds(self, row: int, column: int) -> bool:
        """Return whether a cell lies in the rectangle."""
        return (
            (self.row or 0) <= row
            and (self.end_row is None or row < self.end_row)
            and (self.column or 0) <= column
            and (self.end_column is None or column < self.end_column)
        )

    def meets(self, other: Box) -> bool:
        """Return whether two rectangles have a cell in common."""

        def apart(start: int | None, end: int | None) -> bool:
            return end is not None and end <= (start or 0)

        return not (
            apart(self.row, other.end_row)
            or apart(other.row, self.end_row)
            or apart(self.column, other.end_column)
            or apart(other.column, self.end_column)
        )


def letters(column: int) -> str:
    """Return a column's letters.

    >>> letters(0), letters(25), letters(26), letters(18277)
    ('A', 'Z', 'AA', 'ZZZ')
    """
    name, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def number(name: str) -> int:
    """Return a column's place from its letters."""
    value = 0
    for letter in name.upper():
        value = value * 26 + ord(letter) - ord("A") + 1
    return value - 1


def split(text: str) -> tuple[str | None, str | None]:
    """Return the sheet's title and the cells of a range; either may be missing.

    >>> split("'It''s'!A1:B2"), split("A1"), split("Annotation")
    (("It's", 'A1:B2'), (None, 'A1'), (None, 'Annotation'))
    """
    if text.startswith("'"):
        match = re.fullmatch(r"'((?:[^']|'')+)'(?:!(.*))?", text, re.DOTALL)
        if match is None:
            return None, text
        return match[1].replace("''", "'"), match[2]
    title, mark, cells = text.rpartition("!")
    return (title, cells) if mark else (None, text)


def box(text: str) -> Box | None:
    """Return the rectangle that `A1`, `A1:B2`, `A:B`, `2:3` or `A2:B` names, None where it is not written so."""
    first, mark, last = text.partition(":")
    start, end = CELL.fullmatch(first), CELL.fullmatch(last)
    if not first or start is None or end is None or (mark and not last):
        return None
    if not mark:
        if not (start[1] and start[2]):
            return None
        end = start
    rows = [int(part[2]) - 1 if part[2] else None for part in (start, end)]
    columns = [number(part[1]) if part[1] else None for part in (start, end)]
    if any(row is not None and row < 0 for row in rows):
        return None
    low_row, high_row = _ordered(rows)
    low_column, high_column = _ordered(columns)
    return Box(low_row, high_row, low_column, high_column)


def _ordered(pair: list[int | None]) -> tuple[int | None, int | None]:
    first, last = pair
    if first is not None and last is not None and first > last:
        first, last = last, first
    return first, None if last is None else last + 1


def name(row: int, column: int) -> str:
    """Return a cell's name."""
    return f"{letters(column)}{row + 1}"


def quoted(title: str) -> str:
    """Return a sheet's title as ranges name it."""
    plain = re.fullmatch(r"[A-Za-z_]\w*", title, re.ASCII) and not CELL.fullmatch(title)
    return title if plain else "'" + title.replace("'", "''") + "'"


def full(title: str, where: Box) -> str:
    """Return the name of a bounded rectangle of a sheet."""
    assert where.row is not None and where.end_row is not None
    assert where.column is not None and where.end_column is not None
    first, last = name(where.row, where.column), name(where.end_row - 1, where.end_column - 1)
    return f"{quoted(title)}!{first}" + ("" if first == last else f":{last}")
