"""The methods of sheets.spreadsheets.values."""

from __future__ import annotations

from typing import Any

from tests.google import a1
from tests.google.a1 import Box
from tests.google.book import Sheet, Spreadsheet, guard
from tests.google.display import DATES, plain, shown
from tests.google.entered import entered
from tests.google.errors import Json, bad
from tests.google.formulas import Memo, effective

DEFAULTS = ("INPUT_VALUE_OPTION_UNSPECIFIED", "DIMENSION_UNSPECIFIED")


def read(book: Spreadsheet, text: str, query: Json) -> Json:
    """Return a ValueRange. Empty cells at the end of a row, and empty rows at the end, are not in it."""
    sheet, where = book.place(text)
    assert where.end_row is not None and where.end_column is not None
    used = sheet.used()
    memo: Memo = {}
    rows = [
        [
            rendered(book, sheet, (row, column), query, memo)
            for column in range(where.column or 0, min(where.end_column, used[1]))
        ]
        for row in range(where.row or 0, min(where.end_row, used[0]))
    ]
    by = query.get("majorDimension") or "ROWS"
    if by == "COLUMNS":
        rows = [list(column) for column in zip(*rows, strict=True)]
    rows = [_trimmed(row) for row in rows]
    while rows and not rows[-1]:
        rows.pop()
    answer: Json = {"range": a1.full(sheet.title, where), "majorDimension": by}
    return answer | ({"values": rows} if rows else {})


def _trimmed(row: list[Any]) -> list[Any]:
    while row and row[-1] == "":
        row = row[:-1]
    return row


def rendered(book: Spreadsheet, sheet: Sheet, place: tuple[int, int], query: Json, memo: Memo) -> Any:
    """Return a cell's value as the query wants it."""
    cell = sheet.cells.get(place, {})
    entered_value, how = cell.get("userEnteredValue"), query.get("valueRenderOption") or "FORMATTED_VALUE"
    if how == "FORMULA" and entered_value and "formulaValue" in entered_value:
        return entered_value["formulaValue"]
    value, pattern = effective(book, sheet, place, memo), cell.get("userEnteredFormat", {}).get("numberFormat")
    as_text = query.get("dateTimeRenderOption") == "FORMATTED_STRING" and (pattern or {}).get("type") in DATES
    if how == "FORMATTED_VALUE" or (as_text and value and "numberValue" in value):
        return shown(value, pattern, book.locale)
    return plain(value)


def put(book: Spreadsheet, sheet: Sheet, place: tuple[int, int], given: Any, how: str, year: int) -> bool:
    """Write a value into a cell and return whether anything was written; null leaves the cell as it is."""
    if given is None:
        return False
    cell = sheet.cells.get(place, {})
    look = cell.get("userEnteredFormat", {})
    cell = {key: part for key, part in cell.items() if key not in ("userEnteredValue", "textFormatRuns")}
    pattern = None
    if isinstance(given, bool):
        value: Json = {"boolValue": given}
    elif isinstance(given, (int, float)):
        value = {"numberValue": given}
    elif not isinstance(given, str):
        raise bad(f"Invalid values[{place[0]}][{place[1]}]: list_value or struct_value")
    elif how == "USER_ENTERED" and look.get("numberFormat", {}).get("type") != "TEXT":
        value, pattern = entered(given, book.locale, year)
    else:
        value = {"stringValue": given}
    if pattern and "numberFormat" not in look:
        cell["userEnteredFormat"] = look | {"numberFormat": pattern}
    sheet.put(*place, cell | {"userEnteredValue": value})
    return True


def write(book: Spreadsheet, text: str, body: Json, query: Json, people: tuple[str, str], year: int) -> Json:
    """Write a block of values from a place on and return an UpdateValuesResponse.

    Args:
        book: The spreadsheet, which is changed.
        text: The range; a single cell is where the block begins.
        body: The ValueRange.
        query: `valueInputOption`, and how values are to be in the answer.
        people: Who writes, and who owns the spreadsheet.
        year: The one that a date without a year is of.

    Raises:
        ApiError: The block does not fit into the range, or hits protected cells.
    """
    how = query.get("valueInputOption")
    if how is None or how in DEFAULTS:
        raise bad("'valueInputOption' is required but not specified")
    if body.get("range") and book.place(body["range"]) != book.place(text):
        raise bad(f"Requested writing within range [{text}], but the body is for [{body['range']}]")
    sheet, where = book.place(text)
    rows = body.get("values") or []
    if (body.get("majorDimension") or "ROWS") == "COLUMNS":
        height = max(map(len, rows), default=0)
        rows = [[column[row] if row < len(column) else None for column in rows] for row in range(height)]
    row, column = where.row or 0, where.column or 0
    block = Box(row, row + len(rows), column, column + max(map(len, rows), default=0))
    _check_fit(sheet, where, block)
    if rows and block.end_column != column:
        guard(sheet, block, *people)
    written = [
        put(book, sheet, (row + r, column + c), given, how, year)
        for r, line in enumerate(rows)
        for c, given in enumerate(line)
    ]
    answer: Json = {"spreadsheetId": book.id, "updatedRange": a1.full(sheet.title, block if any(written) else where)}
    if any(written):
        assert block.end_row is not None and block.end_column is not None
        counts = {"Rows": block.end_row - row, "Columns": block.end_column - column, "Cells": sum(written)}
        answer |= {f"updated{name}": count for name, count in counts.items()}
    if query.get("includeValuesInResponse"):
        render = {"valueRenderOption": query.get("responseValueRenderOption")}
        answer["updatedData"] = read(book, answer["updatedRange"], render)
    return answer


def _check_fit(sheet: Sheet, where: Box, block: Box) -> None:
    assert where.end_row is not None and where.end_column is not None
    assert block.end_row is not None and block.end_column is not None
    rows, columns = sheet.size
    if block.end_row > rows or block.end_column > columns:
        message = f"Range ({a1.full(sheet.title, block)}) exceeds grid limits."
        raise bad(f"{message} Max rows: {rows}, max columns: {columns}")
    if len(where.cells()) == 1:
        return
    name = a1.full(sheet.title, where)
    if block.end_row > where.end_row:
        raise bad(f"Requested writing within range [{name}], but tried writing to row [{where.end_row + 1}]")
    if block.end_column > where.end_column:
        letters = a1.letters(where.end_column)
        raise bad(f"Requested writing within range [{name}], but tried writing to column [{letters}]")


def write_many(book: Spreadsheet, body: Json, people: tuple[str, str], year: int) -> tuple[Spreadsheet, Json]:
    """Return the spreadsheet after values.batchUpdate, and the answer. The one given stays as it was."""
    book = book.copied()
    answers = [write(book, one.get("range", ""), one, body, people, year) for one in body.get("data") or []]
    totals: Json = {"spreadsheetId": book.id}
    for name in ("Rows", "Columns", "Cells"):
        totals[f"totalUpdated{name}"] = sum(answer.get(f"updated{name}", 0) for answer in answers)
    totals["totalUpdatedSheets"] = len({a1.split(answer["updatedRange"])[0] for answer in answers})
    return book, totals | {"responses": answers}


def append(book: Spreadsheet, text: str, body: Json, query: Json, people: tuple[str, str], year: int) -> Json:
    """Write rows below the last that has a value, making room where there is none."""
    sheet, where = book.place(text)
    first, rows = max(sheet.used()[0], where.row or 0), body.get("values") or []
    missing = first + len(rows) - sheet.size[0]
    if missing > 0:
        sheet.properties["gridProperties"]["rowCount"] += missing
        book.check_size()
    start = f"{a1.quoted(sheet.title)}!{a1.name(first, where.column or 0)}"
    given = {key: value for key, value in body.items() if key != "range"}
    return {"spreadsheetId": book.id, "updates": write(book, start, given, query, people, year)}


def clear(book: Spreadsheet, text: str, people: tuple[str, str]) -> str:
    """Take the values out of a range, not the looks and the rules, and return the range's full name."""
    sheet, where = book.place(text)
    guard(sheet, where, *people)
    for place in [place for place in sheet.cells if where.holds(*place)]:
        cell = sheet.cells[place]
        sheet.put(
            *place, {key: part for key, part in cell.items() if key not in ("userEnteredValue", "textFormatRuns")}
        )
    return a1.full(sheet.title, where)
