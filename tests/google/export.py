"""What a spreadsheet looks like when it leaves Sheets as a file.

As in Google's exports, numbers, texts and formulas keep their types and formulas their values, rows and columns stay
hidden, validations and notes go along, protection does not, and the file has no custom properties. Of looks, only what
a reader of values could stumble over is exported: number formats, bold, wrapping, fills, merged cells.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from tests.google import export_ods
from tests.google.book import Sheet, Spreadsheet
from tests.google.display import plain, shown
from tests.google.entered import customs
from tests.google.formulas import Memo, effective

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
# What Excel takes in a list of a validation, and in the message beside a cell.
MOST_LIST, MOST_MESSAGE = 255, 255
CRITERIA = {
    "NUMBER_GREATER": ">", "NUMBER_GREATER_THAN_EQ": ">=", "NUMBER_LESS": "<", "NUMBER_LESS_THAN_EQ": "<=",
    "NUMBER_EQ": "=", "NUMBER_NOT_EQ": "<>", "NUMBER_BETWEEN": "between", "NUMBER_NOT_BETWEEN": "not between",
}  # fmt: skip


def xlsx(book: Spreadsheet) -> bytes:
    """Return the spreadsheet as an .xlsx file."""
    buffer = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(buffer, options) as workbook:
        looks: dict[str, Format] = {}
        memo: Memo = {}
        for sheet in book.sheets:
            raw = workbook.add_worksheet(sheet.title[:31])
            if sheet.properties.get("hidden"):
                raw.hide()
            _lines(sheet, raw)
            for place in sorted(sheet.cells):
                _cell(book, sheet, raw, place, _look(workbook, looks, sheet.cells[place]), memo)
            for merge in sheet.merges:
                _merge(book, sheet, raw, merge, _look(workbook, looks, _first(sheet, merge)), memo)
            grid = sheet.properties["gridProperties"]
            raw.freeze_panes(grid.get("frozenRowCount", 0), grid.get("frozenColumnCount", 0))
    return buffer.getvalue()


def _lines(sheet: Sheet, raw: Worksheet) -> None:
    for row, line in sheet.rows.items():
        if "pixelSize" in line:
            raw.set_row_pixels(row, line["pixelSize"], None, {"hidden": bool(line.get("hiddenByUser"))})
        elif line.get("hiddenByUser"):
            raw.set_row(row, None, None, {"hidden": True})
    for column, line in sheet.columns.items():
        options = {"hidden": bool(line.get("hiddenByUser"))}
        raw.set_column_pixels(column, column, line.get("pixelSize", 100), None, options)


def _look(workbook: xlsxwriter.Workbook, looks: dict[str, Format], cell: dict[str, Any]) -> Format | None:
    given = cell.get("userEnteredFormat")
    if not given:
        return None
    properties: dict[str, Any] = {}
    number = given.get("numberFormat", {})
    if number:
        properties["num_format"] = number.get("pattern") or {"TEXT": "@", "DATE": "d/m/yyyy"}.get(
            number["type"], "0.00"
        )
    properties["bold"] = given.get("textFormat", {}).get("bold", False)
    properties["text_wrap"] = given.get("wrapStrategy") == "WRAP"
    color = given.get("backgroundColor") or given.get("backgroundColorStyle", {}).get("rgbColor")
    if color:
        parts = (round(255 * color.get(name, 0)) for name in ("red", "green", "blue"))
        properties["bg_color"] = "#" + "".join(f"{part:02X}" for part in parts)
    return looks.setdefault(repr(properties), workbook.add_format(properties))


def _cell(
    book: Spreadsheet, sheet: Sheet, raw: Worksheet, place: tuple[int, int], look: Format | None, memo: Memo
) -> None:
    cell = sheet.cells[place]
    entered, value = cell.get("userEnteredValue", {}), plain(effective(book, sheet, place, memo))
    if "formulaValue" in entered:
        # a file's formulas have the separators of en-US, whatever the spreadsheet's locale
        raw.write_formula(*place, _neutral(entered["formulaValue"], book.locale), look, value)
    elif isinstance(value, bool):
        raw.write_boolean(*place, value, look)
    elif isinstance(value, str):
        raw.write_string(*place, value, look) if value else raw.write_blank(*place, None, look)
    else:
        raw.write_number(*place, value, look)
    if cell.get("note"):
        raw.write_comment(*place, cell["note"])
    if cell.get("dataValidation"):
        _validation(raw, place, cell["dataValidation"])


def _neutral(formula: str, locale: str) -> str:
    if customs(locale).argument == ",":
        return formula
    quoted, result = False, ""
    for letter in formula:
        quoted = quoted != (letter == '"')
        result += letter if quoted else {";": ",", ",": ".", "\\": ","}.get(letter, letter)
    return result


def _validation(raw: Worksheet, place: tuple[int, int], rule: dict[str, Any]) -> None:
    condition = rule["condition"]
    values = [one.get("userEnteredValue", "") for one in condition.get("values", ())]
    kind = condition["type"]
    options: dict[str, Any] = {"error_type": "stop" if rule.get("strict") else "warning"}
    if kind == "ONE_OF_LIST" and len(",".join(values)) <= MOST_LIST:
        options |= {"validate": "list", "source": values, "dropdown": rule.get("showCustomUi", False)}
    elif kind == "ONE_OF_RANGE":
        options |= {"validate": "list", "source": "=" + values[0].removeprefix("=")}
    elif kind in CRITERIA:
        bounds = zip(("minimum", "maximum") if len(values) == 2 else ("value",), values, strict=True)
        options |= {"validate": "decimal", "criteria": CRITERIA[kind]} | {key: float(one) for key, one in bounds}
    elif kind == "CUSTOM_FORMULA":
        options |= {"validate": "custom", "value": values[0]}
    else:
        return
    if rule.get("inputMessage"):
        options["input_message"] = rule["inputMessage"][:MOST_MESSAGE]
    raw.data_validation(*place, *place, options)


def _first(sheet: Sheet, merge: dict[str, Any]) -> dict[str, Any]:
    """Return the cell that merged cells show."""
    return sheet.cells.get((merge["startRowIndex"], merge["startColumnIndex"]), {})


def _merge(
    book: Spreadsheet, sheet: Sheet, raw: Worksheet, merge: dict[str, Any], look: Format | None, memo: Memo
) -> None:
    box = sheet.box(merge)
    assert box.row is not None and box.end_row is not None and box.column is not None and box.end_column is not None
    raw.merge_range(box.row, box.column, box.end_row - 1, box.end_column - 1, "", look)
    if (box.row, box.column) in sheet.cells:
        _cell(book, sheet, raw, (box.row, box.column), look, memo)


def text(separator: str) -> Callable[[Spreadsheet], bytes]:
    """Return what writes the first sheet as it is shown, its cells apart by a separator."""

    def write(book: Spreadsheet) -> bytes:
        sheet = book.sheets[0]
        rows, columns = sheet.used()
        memo: Memo = {}
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
        for row in range(rows):
            line = []
            for place in ((row, column) for column in range(columns)):
                look = sheet.cells.get(place, {}).get("userEnteredFormat", {})
                line.append(shown(effective(book, sheet, place, memo), look.get("numberFormat"), book.locale))
            writer.writerow(line)
        # the last line has no end
        return out.getvalue().removesuffix("\r\n").encode()

    return write


WRITERS: dict[str, Callable[[Spreadsheet], bytes]] = {
    XLSX: xlsx,
    ODS: export_ods.ods,
    "application/x-vnd.oasis.opendocument.spreadsheet": export_ods.ods,
    "text/csv": text(","),
    "text/tab-separated-values": text("\t"),
}
