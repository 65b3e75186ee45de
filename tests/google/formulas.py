"""A small calculator: what the formulas of the tests' spreadsheets give.

Simulated: operators, constants in braces, ranges, and the functions in `SCALAR` and `WHOLE`. Everything else gives
`#NAME?`. A range stands for one value only inside SUMPRODUCT and ARRAYFORMULA, where a function is applied to each of
its cells; elsewhere that is `#VALUE!`. Not simulated: volatile functions, spilling, dates, references that move.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.google.book import Sheet, Spreadsheet
from tests.google.display import plain
from tests.google.entered import customs
from tests.google.errors import ApiError, Json
from tests.google.functions import SCALAR, WHOLE, Wrong, infix, match_place, number, total
from tests.google.syntax import Node, UnreadableError, parse

MESSAGES = {
    "ERROR": "Formula parse error.",
    "N_A": "Did not find value in evaluation.",
    "DIVIDE_BY_ZERO": "Function DIVIDE parameter 2 cannot be zero.",
    "REF": "Reference does not exist.",
    "VALUE": "A value of another kind was expected.",
    "NAME": "Unknown function.",
}
Memo = dict[tuple[Any, Any], Any]


def effective(book: Spreadsheet, sheet: Sheet, place: tuple[int, int], memo: Memo | None = None) -> Json | None:
    """Return the effective value of a cell: what was entered, or what the formula gives.

    Args:
        book: The spreadsheet.
        sheet: The sheet.
        place: The cell's row and column.
        memo: What has been calculated already; one for many cells saves time.
    """
    entered: Json | None = sheet.cells.get(place, {}).get("userEnteredValue")
    if not entered or "formulaValue" not in entered:
        return entered
    memo = {} if memo is None else memo
    key = (sheet.id, place)
    if key not in memo:
        # a formula that needs its own value finds this
        memo[key] = {"errorValue": {"type": "REF", "message": "Circular dependency detected."}}
        memo[key] = _calculated(book, sheet, entered["formulaValue"], memo)
    found: Json = memo[key]
    return found


def _calculated(book: Spreadsheet, sheet: Sheet, formula: str, memo: Memo) -> Json:
    try:
        result = _Sheetwise(book, sheet, memo).value(parse(formula, book.locale), False)
    except UnreadableError:
        result = Wrong("ERROR")
    if isinstance(result, list):
        result = result[0][0]
    if isinstance(result, Wrong):
        return {"errorValue": {"type": str(result), "message": MESSAGES[result]}}
    if isinstance(result, bool):
        return {"boolValue": result}
    return {"stringValue": result} if isinstance(result, str) else {"numberValue": result or 0}


class _Sheetwise:
    """Values of trees on a sheet. `each` says that a range may stand where one value is wanted."""

    def __init__(self, book: Spreadsheet, sheet: Sheet, memo: Memo):
        self.book, self.sheet, self.memo = book, sheet, memo
        self.how = customs(book.locale)

    def value(self, node: Node, each: bool) -> Any:
        if node.kind == "value":
            return node.what
        if node.kind == "range":
            return self._range(node.what)
        if node.kind == "array":
            return [[self.value(part, each) for part in row] for row in node.parts]
        if node.kind == "call":
            return self._call(node, each)
        parts = [self.value(part, each) for part in node.parts]
        if node.kind == "prefix":
            return _spread(lambda one: infix("-", 0, one, self.text) if node.what == "-" else one, parts, each)
        return _spread(lambda left, right: infix(node.what, left, right, self.text), parts, each)

    def text(self, value: Any) -> str:
        """Return a value as text, as joining and trimming see it."""
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, (int, float)):
            return f"{value:.15g}".replace(".", self.how.decimal)
        return value or ""

    def _range(self, name: str) -> Any:
        key = (self.sheet.id, name)
        if key not in self.memo:
            self.memo[key] = self._read_range(name)
        return self.memo[key]

    def _read_range(self, name: str) -> Any:
        try:
            own = self.sheet if "!" not in name else None
            if own is not None and not any(one["name"] == name for one in self.book.named):
                sheet, where = self.book.place("'" + own.title.replace("'", "''") + "'!" + name)
            else:
                sheet, where = self.book.place(name)
        except ApiError:
            return Wrong("REF") if "!" in name or ":" in name else Wrong("NAME")
        assert where.end_row is not None and where.end_column is not None
        rows = range(where.row or 0, where.end_row)
        columns = range(where.column or 0, where.end_column)
        block = [[self._cell(sheet, (row, column)) for column in columns] for row in rows]
        return block[0][0] if len(block) == len(block[0]) == 1 else block

    def _cell(self, sheet: Sheet, place: tuple[int, int]) -> Any:
        found = effective(self.book, sheet, place, self.memo)
        if found and "errorValue" in found:
            return Wrong(found["errorValue"]["type"])
        return plain(found) if found else None

    def _call(self, node: Node, each: bool) -> Any:
        if node.what == "ROW":
            where = self.book.place(node.parts[0].what)[1]
            assert where.end_row is not None
            return [[row + 1] for row in range(where.row or 0, where.end_row)]
        each = each or node.what in ("SUMPRODUCT", "ARRAYFORMULA")
        parts = [self.value(part, each) for part in node.parts]
        if node.what == "ARRAYFORMULA":
            return parts[0]
        if node.what == "SUMPRODUCT":
            blocks = [part if isinstance(part, list) else [[part]] for part in parts]
            return total(_spread(lambda *row: math.prod(number(one) for one in row), blocks, True))
        if node.what == "MATCH":
            return _spread(lambda wanted: match_place(wanted, parts[1]), parts[:1], each)
        if node.what in WHOLE:
            return WHOLE[node.what](*parts)
        if node.what in SCALAR:
            return _spread(lambda *row: SCALAR[node.what](self.text, *row), parts, each)
        return Wrong("NAME")


def _spread(function: Callable[..., Any], parts: list[Any], each: bool) -> Any:
    """Apply a function to single values or, cell by cell, to ranges; a single row or column is stretched."""
    if not any(isinstance(part, list) for part in parts):
        return _tried(function, *parts)
    if not each:
        return Wrong("VALUE")
    blocks = [part if isinstance(part, list) else [[part]] for part in parts]
    height, width = max(map(len, blocks)), max(len(block[0]) for block in blocks)

    def at(block: list[list[Any]], row: int, column: int) -> Any:
        line = block[row if len(block) > 1 else 0]
        return line[column if len(line) > 1 else 0]

    return [[_tried(function, *(at(one, r, c) for one in blocks)) for c in range(width)] for r in range(height)]


def _tried(function: Callable[..., Any], *values: Any) -> Any:
    try:
        return function(*values)
    except ZeroDivisionError:
        return Wrong("DIVIDE_BY_ZERO")
    except (TypeError, ValueError, IndexError):
        return Wrong("VALUE")
