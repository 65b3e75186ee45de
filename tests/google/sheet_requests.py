"""The requests of spreadsheets.batchUpdate that change sheets, their rows and their columns."""

from __future__ import annotations

from tests.google import masks
from tests.google.a1 import Box
from tests.google.book import Sheet, can_edit, check_locale, guard, new_sheet
from tests.google.cell_requests import Edit, Handler
from tests.google.errors import PROTECTED, ApiError, Json, bad

SIDES = {"ROWS": 0, "COLUMNS": 1}


def add_sheet(edit: Edit, request: Json) -> Json:
    """Add an empty sheet."""
    properties = request.get("properties") or {}
    book = edit.book
    if properties.get("title") is not None:
        _check_title(edit, properties["title"], None)
    if any(sheet.id == properties.get("sheetId") for sheet in book.sheets):
        raise bad(f"A sheet with the id {properties['sheetId']} already exists")
    sheet = new_sheet(book, properties)
    _check_grid(sheet)
    book.sheets.insert(sheet.properties["index"], sheet)
    _renumber(edit)
    book.check_size()
    return {"addSheet": {"properties": sheet.properties}}


def _check_title(edit: Edit, title: str, own: Sheet | None) -> None:
    if not title or len(title) > 100:
        raise bad("A sheet's title must have 1 to 100 characters")
    found = edit.book.by_title(title)
    if found is not None and found is not own:
        raise bad(f'A sheet with the name "{title}" already exists. Please enter another name.')


def _renumber(edit: Edit) -> None:
    for place, sheet in enumerate(edit.book.sheets):
        sheet.properties["index"] = place


def _check_grid(sheet: Sheet) -> None:
    """Refuse frozen rows or columns that leave nothing to scroll, or that cut a merged cell."""
    grid = sheet.properties["gridProperties"]
    if min(sheet.size) < 1:
        raise bad("A sheet needs at least one row and one column")
    for side, key, name in ((0, "frozenRowCount", "rows"), (1, "frozenColumnCount", "columns")):
        frozen, lines = grid.get(key, 0), (sheet.rows, sheet.columns)[side]
        if frozen >= sheet.size[side]:
            raise bad(f"You can't freeze all {name} on the sheet.")
        if all(lines.get(place, {}).get("hiddenByUser") for place in range(frozen, sheet.size[side])):
            raise bad(f"You can't freeze all visible {name} on the sheet.")
        for merge in sheet.merges:
            box = sheet.box(merge)
            start, end = ((box.row, box.end_row), (box.column, box.end_column))[side]
            if (start or 0) < frozen < (end or 0):
                raise bad(f"You can't freeze {name} which contain only part of a merged cell.")


def guard_sheet(edit: Edit, sheet: Sheet) -> None:
    """Refuse a change of a sheet that is protected as a whole."""
    for protection in sheet.protected:
        if not set(protection.get("range", {})) - {"sheetId"} and not can_edit(protection, edit.person, edit.owner):
            raise ApiError(400, PROTECTED)


def delete_sheet(edit: Edit, request: Json) -> Json:
    """Delete a sheet, but not the last that can be seen."""
    sheet = edit.book.sheet(request.get("sheetId"))
    guard(sheet, Box(), edit.person, edit.owner)
    rest = [one for one in edit.book.sheets if one is not sheet]
    if all(one.properties.get("hidden") for one in rest):
        raise bad("You can't remove all the visible sheets in a document.")
    edit.book.sheets = rest
    _renumber(edit)
    return {}


def update_sheet_properties(edit: Edit, request: Json) -> Json:
    """Change a sheet's title, place, size, frozen lines, colour or visibility."""
    tree = masks.written(request.get("fields"), "SheetProperties")
    given = request.get("properties") or {}
    sheet = edit.book.sheet(given.get("sheetId"))
    guard_sheet(edit, sheet)
    old = sheet.properties
    if "title" in tree:
        _check_title(edit, given.get("title", ""), sheet)
    new = masks.merge(old, given, {key: value for key, value in tree.items() if key != "sheetId"})
    new.setdefault("title", old["title"])
    new["gridProperties"] = {"rowCount": sheet.size[0], "columnCount": sheet.size[1]} | new.get("gridProperties", {})
    sheet.properties = new | {"sheetId": sheet.id}
    rows, columns = sheet.size
    sheet.cells = {place: cell for place, cell in sheet.cells.items() if place[0] < rows and place[1] < columns}
    _check_grid(sheet)
    if all(one.properties.get("hidden") for one in edit.book.sheets):
        raise bad("You can't hide all the sheets in a document.")
    if "index" in tree:
        edit.book.sheets.remove(sheet)
        edit.book.sheets.insert(given.get("index", 0), sheet)
    _renumber(edit)
    edit.book.check_size()
    return {}


def update_spreadsheet_properties(edit: Edit, request: Json) -> Json:
    """Change the spreadsheet's title, locale, time zone."""
    tree = masks.written(request.get("fields"), "SpreadsheetProperties")
    new = masks.merge(edit.book.properties, request.get("properties") or {}, tree)
    check_locale(new.get("locale", ""))
    edit.book.properties = new
    return {}


def update_dimension_properties(edit: Edit, request: Json) -> Json:
    """Hide rows or columns, or say how large they are."""
    tree = masks.written(request.get("fields"), "DimensionProperties")
    sheet, side, start, end = _lines(edit, request.get("range"))
    guard_sheet(edit, sheet)
    lines = (sheet.rows, sheet.columns)[side]
    for place in range(start, end):
        lines[place] = masks.merge(lines.get(place, {}), request.get("properties") or {}, tree)
    if all(lines.get(place, {}).get("hiddenByUser") for place in range(sheet.size[side])):
        raise bad(f"You can't hide all the {('rows', 'columns')[side]} in the sheet.")
    return {}


def _lines(edit: Edit, given: Json | None) -> tuple[Sheet, int, int, int]:
    """Return the sheet, the side (0 rows, 1 columns) and the ends of a DimensionRange."""
    if not given or given.get("dimension") not in SIDES:
        raise bad("A range with a dimension is required")
    sheet, side = edit.book.sheet(given.get("sheetId")), SIDES[given["dimension"]]
    start, end = given.get("startIndex", 0), given.get("endIndex", sheet.size[side])
    if not 0 <= start < end <= sheet.size[side]:
        name = ("row", "column")[side]
        raise bad(f"Tried to reach {name} index {end - 1} but there are only {sheet.size[side]} {name}s.")
    return sheet, side, start, end


def auto_resize(edit: Edit, request: Json) -> Json:
    """Check that the lines to fit to their content are there; how large they become is not simulated."""
    _lines(edit, request.get("dimensions"))
    return {}


def append_dimension(edit: Edit, request: Json) -> Json:
    """Add rows or columns at the end."""
    sheet = edit.book.sheet(request.get("sheetId"))
    guard_sheet(edit, sheet)
    key = ("rowCount", "columnCount")[SIDES[request["dimension"]]]
    sheet.properties["gridProperties"][key] += request["length"]
    edit.book.check_size()
    return {}


HANDLERS: dict[str, Handler] = {
    "addSheet": add_sheet,
    "deleteSheet": delete_sheet,
    "updateSheetProperties": update_sheet_properties,
    "updateSpreadsheetProperties": update_spreadsheet_properties,
    "updateDimensionProperties": update_dimension_properties,
    "autoResizeDimensions": auto_resize,
    "appendDimension": append_dimension,
}
