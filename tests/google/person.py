"""People who open a spreadsheet in their browser: what they type is understood, checked and refused as Sheets does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.google import drive, imports, values
from tests.google.a1 import Box
from tests.google.accounts import Token
from tests.google.book import Sheet, Spreadsheet, guard
from tests.google.display import plain, shown
from tests.google.entered import entered
from tests.google.errors import ApiError, Json
from tests.google.files import ROLES, SPREADSHEET, File
from tests.google.formulas import effective

if TYPE_CHECKING:
    from tests.google.fake_server import FakeServer


class RefusedError(Exception):
    """The browser does not take what a person does; the text is what it tells them."""


class Person:
    """Someone at a browser."""

    def __init__(self, email: str, server: FakeServer):
        self.email, self.server = email, server
        self.store, self.year = server.store, server.year

    def upload(self, path: Path) -> str:
        """Open an .xlsx with Sheets, and return the id of the spreadsheet that it becomes."""
        server, token = self.server, Token(self.email, frozenset(), "browser", 0)
        book = imports.xlsx(path, server.accounts.get(self.email).locale)
        place = [drive.root(self.email)]
        file = drive.add(server.store, token, path.stem, SPREADSHEET, self.email, "", place, server.now)
        book.id, file.book = file.id, book
        return file.id

    def _file(self, spreadsheet: str, needed: str) -> tuple[File, Spreadsheet]:
        file = self.store.files.get(spreadsheet)
        if file is None or file.book is None or not self.store.role(file, self.email):
            raise RefusedError("You need access. Ask for access, or switch to an account with access.")
        if ROLES.index(self.store.role(file, self.email)) < ROLES.index(needed):
            raise RefusedError("View only")
        return file, file.book

    def see(self, spreadsheet: str, cell: str) -> str:
        """Return what a cell shows.

        Args:
            spreadsheet: The spreadsheet's id.
            cell: The cell with its sheet, such as `Annotation!D5`.
        """
        _file, book = self._file(spreadsheet, "reader")
        sheet, place = _one(book, cell)
        look = sheet.cells.get(place, {}).get("userEnteredFormat", {})
        return shown(effective(book, sheet, place), look.get("numberFormat"), book.locale)

    def type(self, spreadsheet: str, cell: str, text: str) -> None:
        """Type a text into a cell; an empty one empties the cell.

        Raises:
            RefusedError: The spreadsheet is not this person's to edit, the cell is protected, or a strict validation
                rule does not take the text.
        """
        self._change(spreadsheet, cell, lambda book, sheet, place: self._enter(book, sheet, place, text))

    def paste(self, spreadsheet: str, cell: str, text: str) -> None:
        """Paste a text copied from elsewhere, as rows of lines and columns of tabs, from a cell on."""
        rows = [line.split("\t") for line in text.split("\n")]

        def work(book: Spreadsheet, sheet: Sheet, place: tuple[int, int]) -> None:
            for r, row in enumerate(rows):
                for c, part in enumerate(row):
                    self._enter(book, sheet, (place[0] + r, place[1] + c), part)

        self._change(spreadsheet, cell, work)

    def rename(self, spreadsheet: str, title: str, new: str) -> None:
        """Give a sheet another title; one that is protected as a whole keeps its own."""

        def quoted(title: str) -> str:
            return "'" + title.replace("'", "''") + "'!"

        def work(book: Spreadsheet, sheet: Sheet, place: tuple[int, int]) -> None:
            if any(not set(one.get("range", {})) - {"sheetId"} for one in sheet.protected):
                self._guard(spreadsheet, sheet, Box())
            sheet.properties["title"] = new
            for other in book.sheets:  # the formulas follow, as they do in Sheets
                for cell in other.cells.values():
                    entered = cell.get("userEnteredValue") or {}
                    if quoted(title) in entered.get("formulaValue", ""):
                        formula = entered["formulaValue"].replace(quoted(title), quoted(new))
                        cell["userEnteredValue"] = {"formulaValue": formula}

        self._change(spreadsheet, quoted(title) + "A1", work)

    def _change(self, spreadsheet: str, cell: str, work: Callable[[Spreadsheet, Sheet, tuple[int, int]], None]) -> None:
        """Do something with a copy of the spreadsheet, which takes its place if all of it can be done."""
        file, book = self._file(spreadsheet, "writer")
        new = book.copied()
        sheet, place = _one(new, cell)
        work(new, sheet, place)
        file.book = new

    def _guard(self, spreadsheet: str, sheet: Sheet, where: Box) -> None:
        try:
            guard(sheet, where, self.email, self.store.files[spreadsheet].owner)
        except ApiError as problem:
            raise RefusedError(problem.message) from problem

    def _enter(self, book: Spreadsheet, sheet: Sheet, place: tuple[int, int], text: str) -> None:
        self._guard(book.id, sheet, Box(place[0], place[0] + 1, place[1], place[1] + 1))
        try:
            values.put(book, sheet, place, text, "USER_ENTERED", self.year)
        except ApiError as problem:
            raise RefusedError(problem.message) from problem
        rule = sheet.cells.get(place, {}).get("dataValidation")
        value = effective(book, sheet, place)
        if rule and value and rule.get("strict") and not fits(rule, value, book, self.year):
            raise RefusedError(
                "There was a problem. The data you entered in this cell violates the data validation rules set on it. "
                + (rule.get("inputMessage") or "")
            )


def _one(book: Spreadsheet, cell: str) -> tuple[Sheet, tuple[int, int]]:
    """Return a sheet and a place on it; any part of a merged cell is its first."""
    sheet, where = book.place(cell)
    row, column = where.row or 0, where.column or 0
    merged = next((box for box in map(sheet.box, sheet.merges) if box.holds(row, column)), Box(row, None, column))
    return sheet, (merged.row or 0, merged.column or 0)


def fits(rule: Json, value: Json, book: Spreadsheet, year: int) -> bool:
    """Return whether a value is one that a validation rule takes. A list's items count as if they had been typed."""
    condition, content = rule["condition"], plain(value)
    wanted = [one.get("userEnteredValue", "") for one in condition.get("values", ())]
    kind = condition["type"]
    if kind == "ONE_OF_LIST":
        texts = [text for text in wanted if text == shown(value, None, book.locale)]
        return bool(texts) or value in [entered(text, book.locale, year)[0] for text in wanted]
    if kind == "ONE_OF_RANGE":
        sheet, where = book.place(wanted[0].removeprefix("="))
        return any(effective(book, sheet, place) == value for place in where.cells())
    if kind == "BOOLEAN":
        return isinstance(content, bool) or content in wanted
    if kind.startswith("NUMBER_"):
        return _number_fits(kind, content, [plain(entered(text, book.locale, year)[0]) for text in wanted])
    raise NotImplementedError(f"validation of the kind {kind}")


def _number_fits(kind: str, content: object, bounds: list[float]) -> bool:
    if isinstance(content, (bool, str)) or not isinstance(content, (int, float)):
        return False
    first, last = bounds[0], bounds[-1]
    return {
        "NUMBER_GREATER": content > first,
        "NUMBER_GREATER_THAN_EQ": content >= first,
        "NUMBER_LESS": content < first,
        "NUMBER_LESS_THAN_EQ": content <= first,
        "NUMBER_EQ": content == first,
        "NUMBER_NOT_EQ": content != first,
        "NUMBER_BETWEEN": first <= content <= last,
        "NUMBER_NOT_BETWEEN": not first <= content <= last,
    }[kind]
