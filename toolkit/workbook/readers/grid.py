"""Addresses and merged ranges, the same for every format."""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Collection, Iterable
from typing import NamedTuple

from toolkit.workbook.readers.budget import Budget, Refused
from toolkit.workbook.readers.raw import FORMULA, Cell, RawSheet, merged_with

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")

Cells = dict[tuple[int, int], Cell]


class Range(NamedTuple):
    """A rectangle of cells, both corners included, counted from 1."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> int:
        """How many cells it has."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


def _column_letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


LETTERS = tuple(map(_column_letters, range(LAST_COLUMN + 1)))
COLUMNS = {letters: column for column, letters in enumerate(LETTERS) if letters}


def address(row: int, column: int) -> str:
    """Return the name of a cell.

    >>> address(12, 8)
    'H12'
    """
    return f"{LETTERS[column]}{row}"


def position(name: str) -> tuple[int, int] | None:
    """Return (row, column) of a cell's name, or None when it is none.

    >>> position("H12"), position("XFE1"), position("H0")
    ((12, 8), None, None)
    """
    match = _ADDRESS.fullmatch(name)
    if match is None:
        return None
    column, row = COLUMNS.get(match[1].upper()), int(match[2])
    return (row, column) if column and 1 <= row <= LAST_ROW else None


def parse_range(name: str) -> Range | None:
    """Return a range from its name, or None when it is none.

    >>> parse_range("B2:A1")
    Range(top=1, left=1, bottom=2, right=2)
    """
    first, _, last = name.partition(":")
    one, two = position(first), position(last or first)
    if one is None or two is None:
        return None
    (top, bottom), (left, right) = sorted((one[0], two[0])), sorted((one[1], two[1]))
    return Range(top, left, bottom, right)


class Grid:
    """The cells of one sheet while it is read, in whatever order they come.

    A cell that is stored twice has two truths, of which a program shows one; which one, nobody can say. Cells in order
    are never there twice, so blanks are only noted down, and looked at when something was out of order.
    """

    def __init__(self, title: str, budget: Budget, *, hidden: bool = False):
        self.title, self._hidden = title, hidden
        self.cells: Cells = {}
        self._merges: list[Range] = []
        self._arrays: list[Range] = []
        self.comments: set[tuple[int, int]] = set()
        self._budget = budget
        self._blanks = array("Q")
        self._highest, self._in_order = 0, True

    def put(self, row: int, column: int, cell: Cell | None) -> None:
        """Take a cell; None for a blank one.

        Raises:
            Refused: When it is there already, with other content, or when there are too many.
        """
        order = row * (LAST_COLUMN + 1) + column
        if order <= self._highest:
            self._in_order = False
        else:
            self._highest = order
        if cell is None:
            self._blanks.append(order)
            return
        before = self.cells.get((row, column))
        if before is not None:
            if before != cell:
                raise self.stored_twice(row, column)
            return
        self._budget.cells(1)
        if isinstance(cell.value, str):
            self._budget.text(cell.value)
        self.cells[row, column] = cell

    def merge(self, area: Range) -> None:
        """Take a merged range."""
        self._budget.ranges(1)
        self._merges.append(area)

    def array_formula(self, area: Range) -> None:
        """Take the range of an array formula: it stands in the first cell only, and others look like plain values."""
        self._budget.ranges(1)
        self._arrays.append(area)

    def finish(self) -> RawSheet:
        """Return the sheet, after settling what can only be settled at the end.

        Raises:
            Refused: When a cell is stored twice, once blank and once not.
        """
        for order in () if self._in_order else self._blanks:
            place = divmod(order, LAST_COLUMN + 1)
            if place in self.cells:
                raise self.stored_twice(*place)
        _mark_arrays(self.cells, self._arrays, self._budget)
        _mark_merged(self.cells, self._merges, self._budget)
        comments = tuple(address(*place) for place in sorted(self.comments))
        return RawSheet(self.title, self.cells, hidden=self._hidden, comments=comments)

    def stored_twice(self, row: int, column: int) -> Refused:
        """Return the refusal of a cell with two contents."""
        what = "is damaged: the cell is stored twice, with different contents"
        fix = "ask the annotator what the cell should hold, and to save the file again from a spreadsheet program"
        return Refused(what, fix, sheet=self.title, cell=address(row, column))


def _mark_merged(cells: Cells, ranges: Collection[Range], budget: Budget) -> None:
    """Give every cell that is hidden under a merged one its trouble, blank or not.

    Small ranges come first, since those are the ones people make. When there are so many or such large ones that
    marking blanks would fill the memory, further blanks stay out (a blank is no answer anyhow), but cells that hold
    something are always marked.

    Raises:
        Refused: When the ranges are more than any sheet has.
    """
    for area in sorted(set(ranges), key=lambda found: found.area):
        for row, column in _places(cells, area, budget, blanks=budget.may_mark(area.area)):
            if (row, column) != (area.top, area.left):
                _trouble(cells, row, column, merged_with(address(area.top, area.left)))


def _mark_arrays(cells: Cells, ranges: Collection[Range], budget: Budget) -> None:
    """Give every cell that holds a result of an array formula the trouble of a formula.

    Raises:
        Refused: When the ranges are more than any sheet has.
    """
    for area in set(ranges):
        for row, column in _places(cells, area, budget, blanks=False):
            _trouble(cells, row, column, FORMULA)


def _places(cells: Cells, area: Range, budget: Budget, *, blanks: bool) -> Iterable[tuple[int, int]]:
    """Return the cells of a range that hold something, or all of them, in as few steps as there are of either."""
    budget.steps(min(area.area, len(cells)))
    top, left, bottom, right = area
    inside: Iterable[tuple[int, int]]
    if not blanks and area.area > len(cells):
        inside = (place for place in cells if top <= place[0] <= bottom and left <= place[1] <= right)
    else:
        inside = itertools.product(range(top, bottom + 1), range(left, right + 1))
        if blanks:
            return inside
    return [place for place in inside if place in cells and cells[place].words is None]


def _trouble(cells: Cells, row: int, column: int, trouble: str) -> None:
    cell = cells.get((row, column))
    if cell is None:
        cells[row, column] = Cell(address(row, column), None, trouble)
    elif cell.words is None:
        cells[row, column] = Cell(cell.address, cell.value, trouble, cell.shown, cell.stored)
