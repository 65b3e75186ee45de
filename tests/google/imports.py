"""An .xlsx opened with Sheets: what is kept of it.

Kept are values with their types, formulas, hidden rows and columns, merged cells, lists of validations. Gone are custom
document properties and protection (people report that locked cells can be edited after the conversion), and looks.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from tests.google import a1
from tests.google.book import Sheet, Spreadsheet, new_sheet
from tests.google.entered import EPOCH
from tests.google.errors import Json


def xlsx(path: Path, locale: str) -> Spreadsheet:
    """Return the spreadsheet that a file becomes, in the locale of whoever opens it."""
    book = Spreadsheet("", {"title": path.stem, "locale": locale, "autoRecalc": "ON_CHANGE", "timeZone": "Etc/GMT"})
    for read in load_workbook(path).worksheets:
        sheet = new_sheet(book, {"title": read.title, "hidden": read.sheet_state != "visible"})
        grid = sheet.properties["gridProperties"]
        grid |= {"rowCount": max(read.max_row, 1000), "columnCount": max(read.max_column, 26)}
        book.sheets.append(sheet)
        _cells(sheet, read)
        _validations(sheet, read)
    return book


def _cells(sheet: Sheet, read: Worksheet) -> None:
    for line in read.iter_rows():
        for cell in line:
            if cell.value is not None:
                sheet.put(cell.row - 1, cell.column - 1, _cell(cell.value, cell.data_type))
    for number, row in read.row_dimensions.items():
        if row.hidden:
            sheet.rows[number - 1] = {"hiddenByUser": True}
    for column in read.column_dimensions.values():
        for place in range((column.min or 1) - 1, column.max or 0) if column.hidden else ():
            sheet.columns[place] = {"hiddenByUser": True}
    for merged in read.merged_cells.ranges:
        left, top, right, bottom = merged.bounds
        ends = {"startRowIndex": top - 1, "endRowIndex": bottom, "startColumnIndex": left - 1, "endColumnIndex": right}
        sheet.merges.append({"sheetId": sheet.id} | ends)


def _cell(value: Any, kind: str) -> Json:
    if kind == "f":
        # formulas come as a text, or as an object where they are array formulas
        return {"userEnteredValue": {"formulaValue": getattr(value, "text", value)}}
    if isinstance(value, bool):
        return {"userEnteredValue": {"boolValue": value}}
    if isinstance(value, datetime.datetime):
        days = (value - datetime.datetime.combine(EPOCH, datetime.time())) / datetime.timedelta(days=1)
        return {
            "userEnteredValue": {"numberValue": days},
            "userEnteredFormat": {"numberFormat": {"type": "DATE_TIME", "pattern": "yyyy-mm-dd hh:mm"}},
        }
    if isinstance(value, datetime.time):
        return {"userEnteredValue": {"stringValue": str(value)}}
    return {"userEnteredValue": {"numberValue" if isinstance(value, (int, float)) else "stringValue": value}}


def _validations(sheet: Sheet, read: Worksheet) -> None:
    for rule in read.data_validations.dataValidation:
        if rule.type != "list" or not str(rule.formula1).startswith('"'):
            continue
        values = [{"userEnteredValue": one} for one in rule.formula1.strip('"').split(",")]
        kept = {
            "condition": {"type": "ONE_OF_LIST", "values": values},
            "inputMessage": rule.prompt or "",
            "strict": rule.errorStyle in (None, "stop"),
            "showCustomUi": True,
        }
        for area in str(rule.sqref).split():
            where = a1.box(area)
            for place in where.cells() if where else ():
                sheet.put(*place, sheet.cells.get(place, {}) | {"dataValidation": kept})
