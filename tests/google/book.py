"""A spreadsheet as the fake holds it: its sheets, their cells, and who may change which of them."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, field

from tests.google import a1
from tests.google.a1 import Box
from tests.google.entered import customs
from tests.google.errors import PROTECTED, ApiError, Json, bad

MOST_CELLS = 10_000_000
MOST_CHARACTERS = 50_000
MOST_COLUMNS = 18_278
FIRST_TITLES = {"pt": "Página1", "es": "Hoja 1", "de": "Tabellenblatt1", "fr": "Feuille 1"}
PLACES = {
    "row": ("startRowIndex", "endRowIndex"),
    "column": ("startColumnIndex", "endColumnIndex"),
}


def utf16(text: str) -> int:
    """Return the length of a text as JavaScript counts it, which is how the service gives places within texts."""
    return len(text.encode("utf-16-le")) // 2


def too_long(value: Json) -> bool:
    """Return whether a value has more characters than a cell takes."""
    return any(isinstance(part, str) and utf16(part) > MOST_CHARACTERS for part in value.values())


@dataclass
class Sheet:
    """One sheet. Cells, rows and columns are kept as the interface's own JSON, by their places."""

    properties: Json
    cells: dict[tuple[int, int], Json] = field(default_factory=dict)
    rows: dict[int, Json] = field(default_factory=dict)
    columns: dict[int, Json] = field(default_factory=dict)
    merges: list[Json] = field(default_factory=list)
    protected: list[Json] = field(default_factory=list)
    conditional: list[Json] = field(default_factory=list)
    metadata: list[Json] = field(default_factory=list)
    basic_filter: Json | None = None

    @property
    def id(self) -> int:
        """The sheet's number, unique within its spreadsheet."""
        number: int = self.properties["sheetId"]
        return number

    @property
    def title(self) -> str:
        """The sheet's title."""
        title: str = self.properties["title"]
        return title

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        grid = self.properties["gridProperties"]
        return grid["rowCount"], grid["columnCount"]

    def copied(self) -> Sheet:
        """Return a sheet that can be changed without changing this one; what is in it is replaced, never changed."""
        parts = {name: copy.copy(value) for name, value in vars(self).items()}
        grid = dict(self.properties["gridProperties"])
        return Sheet(**parts | {"properties": self.properties | {"gridProperties": grid}})

    def used(self) -> tuple[int, int]:
        """Return how many rows and columns, from the first, hold a value."""
        filled = [place for place, cell in self.cells.items() if cell.get("userEnteredValue")]
        return (
            max((row for row, _column in filled), default=-1) + 1,
            max((column for _row, column in filled), default=-1) + 1,
        )

    def put(self, row: int, column: int, cell: Json) -> None:
        """Keep a cell; nothing is kept of an empty one."""
        value = cell.get("userEnteredValue")
        if value is not None and (("stringValue" in value and not value["stringValue"]) or not value):
            cell = {key: part for key, part in cell.items() if key != "userEnteredValue"}
        if too_long(cell.get("userEnteredValue") or {}):
            raise bad("Your input contains more than the maximum of 50000 characters in a single cell.")
        if cell:
            self.cells[row, column] = cell
        else:
            self.cells.pop((row, column), None)

    def box(self, grid_range: Json, *, whole: bool = False) -> Box:
        """Return the rectangle of a GridRange or, with `whole`, of any part of the sheet.

        Raises:
            ApiError: It lies outside of the sheet, or ends before it starts.
        """
        found: dict[str, int | None] = {}
        for name, size in zip(PLACES, self.size, strict=True):
            start, end = (grid_range.get(key) for key in PLACES[name])
            for key, value in zip(PLACES[name], (start, end), strict=True):
                if value is not None and (value < 0 or value > size):
                    raise bad(f"GridRange.{key}[{value}] is after last {name} in sheet[{size}]")
            if start is not None and end is not None and end <= start:
                raise bad(f"GridRange.{PLACES[name][1]}[{end}] must be after {PLACES[name][0]}[{start}]")
            found[name], found["end_" + name] = start, end
        where = Box(found["row"], found["end_row"], found["column"], found["end_column"])
        return where if whole else where.within(*self.size)


@dataclass
class Spreadsheet:
    """A spreadsheet; its file in Drive holds its owner and whom it is shared with."""

    id: str
    properties: Json
    sheets: list[Sheet] = field(default_factory=list)
    named: list[Json] = field(default_factory=list)
    metadata: list[Json] = field(default_factory=list)
    last_number: int = 1_000_000

    @property
    def locale(self) -> str:
        """The locale by which typed texts are understood."""
        locale: str = self.properties["locale"]
        return locale

    def copied(self) -> Spreadsheet:
        """Return a spreadsheet that can be changed without changing this one."""
        parts = {name: copy.copy(value) for name, value in vars(self).items()}
        return Spreadsheet(**parts | {"sheets": [sheet.copied() for sheet in self.sheets]})

    def number(self) -> int:
        """Return a number that nothing in the spreadsheet has yet."""
        self.last_number += 1
        return self.last_number

    def sheet(self, sheet_id: int | None) -> Sheet:
        """Return a sheet by its number.

        Raises:
            ApiError: There is none.
        """
        for sheet in self.sheets:
            if sheet.id == (sheet_id or 0):
                return sheet
        raise bad(f"No grid with id: {sheet_id or 0}")

    def by_title(self, title: str) -> Sheet | None:
        """Return a sheet by its title."""
        return next((sheet for sheet in self.sheets if sheet.title.lower() == title.lower()), None)

    def place(self, text: str) -> tuple[Sheet, Box]:
        """Return the sheet and the bounded rectangle of a range in A1 notation, or of a named range.

        Raises:
            ApiError: It cannot be read, or lies outside of the sheet.
        """
        title, cells = a1.split(text)
        sheet, where = self.sheets[0], None
        if title is not None:
            found = self.by_title(title)
            where = a1.box(cells) if cells else Box()
            if found is None or where is None:
                raise bad(f"Unable to parse range: {text}")
            sheet = found
        elif (named := next((one for one in self.named if one["name"] == cells), None)) is not None:
            sheet = self.sheet(named["range"].get("sheetId"))
            where = sheet.box(named["range"])
        elif (found := self.by_title(cells or "")) is not None:
            sheet, where = found, Box()
        elif (where := a1.box(cells or "")) is None:
            raise bad(f"Unable to parse range: {text}")
        rows, columns = sheet.size
        where = where.within(rows, columns)
        assert where.row is not None and where.end_row is not None
        assert where.column is not None and where.end_column is not None
        if max(where.row + 1, where.end_row) > rows or max(where.column + 1, where.end_column) > columns:
            message = f"Range ({a1.full(sheet.title, where)}) exceeds grid limits."
            raise bad(f"{message} Max rows: {rows}, max columns: {columns}")
        return sheet, where

    def check_size(self) -> None:
        """Refuse a spreadsheet larger than the service keeps.

        Raises:
            ApiError: It has too many cells, or a sheet too many columns.
        """
        if sum(rows * columns for rows, columns in (sheet.size for sheet in self.sheets)) > MOST_CELLS:
            raise bad(
                "This action would increase the number of cells in the workbook above the limit of 10000000 cells."
            )
        if any(sheet.size[1] > MOST_COLUMNS for sheet in self.sheets):
            raise bad(f"This action would increase the number of columns above the limit of {MOST_COLUMNS}.")


def new_sheet(book: Spreadsheet, given: Json | None = None) -> Sheet:
    """Return a sheet with the properties given, and those that every new sheet has."""
    given = given or {}
    taken = {sheet.title for sheet in book.sheets}
    first = FIRST_TITLES.get(book.locale[:2], "Sheet1")
    title = next(name for name in (first.replace("1", str(n)) for n in itertools.count(1)) if name not in taken)
    grid = {"rowCount": 1000, "columnCount": 26} | given.get("gridProperties", {})
    sheet_id = given.get("sheetId")
    if sheet_id is None:
        sheet_id = book.number() if book.sheets else 0
    properties = {"sheetId": sheet_id, "title": title, "index": len(book.sheets), "sheetType": "GRID"}
    return Sheet(
        properties | {key: value for key, value in given.items() if value is not None} | {"gridProperties": grid}
    )


def can_edit(protection: Json, person: str, owner: str) -> bool:
    """Return whether someone may change what a protected range protects: its editors and the owner may."""
    editors = protection.get("editors", {})
    return bool(protection.get("warningOnly")) or person in (owner, *editors.get("users", ()))


def guard(sheet: Sheet, where: Box, person: str, owner: str) -> None:
    """Refuse a change of cells that are protected from someone.

    Raises:
        ApiError: One of the cells is.
    """
    for protection in sheet.protected:
        if can_edit(protection, person, owner):
            continue
        area = sheet.box(protection.get("range", {}), whole=True)
        if not area.meets(where):
            continue
        free = [sheet.box(one, whole=True) for one in protection.get("unprotectedRanges", ())]
        touched = [cell for cell in where.within(*sheet.size).cells() if area.holds(*cell)]
        if not all(any(box.holds(*cell) for box in free) for cell in touched):
            raise ApiError(400, PROTECTED)


def check_locale(locale: str) -> None:
    """Refuse a locale that the service does not have.

    Raises:
        ApiError: It has not.
    """
    try:
        customs(locale)
    except ValueError as problem:
        raise bad(f"Unsupported locale: {locale}") from problem
