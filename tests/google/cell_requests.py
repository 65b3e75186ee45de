"""The requests of spreadsheets.batchUpdate that change cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.google import masks, rules
from tests.google.a1 import Box
from tests.google.book import PLACES, Sheet, Spreadsheet, guard
from tests.google.errors import Json, bad


@dataclass
class Edit:
    """Who changes which spreadsheet."""

    book: Spreadsheet
    person: str
    owner: str

    def area(self, grid_range: Json | None) -> tuple[Sheet, Box]:
        """Return the sheet and the rectangle of a GridRange whose cells the person may change.

        Raises:
            ApiError: There is no such rectangle, or some of it is protected.
        """
        if grid_range is None:
            raise bad("A range is required")
        sheet = self.book.sheet(grid_range.get("sheetId"))
        where = sheet.box(grid_range)
        guard(sheet, where, self.person, self.owner)
        return sheet, where


Handler = Callable[[Edit, Json], Json]


def update_cells(edit: Edit, request: Json) -> Json:
    """Write rows of cells from a place on, or fill a range with them."""
    tree = masks.written(request.get("fields"), "CellData")
    rows = [row.get("values") or [] for row in request.get("rows") or []]
    if ("range" in request) == ("start" in request):
        raise bad("Exactly one of range and start must be set")
    if "range" in request:
        sheet, where = edit.area(request["range"])
    else:
        start = request["start"]
        first_row, first_column = start.get("rowIndex", 0), start.get("columnIndex", 0)
        sheet = edit.book.sheet(start.get("sheetId"))
        where = Box(first_row, sheet.size[0], first_column, sheet.size[1])
    row, column = where.row or 0, where.column or 0
    _check_fit(where, rows)
    if "start" in request and rows:
        widest = max(map(len, rows))
        if widest:
            guard(sheet, Box(row, row + len(rows), column, column + widest), edit.person, edit.owner)
    given = {(row + r, column + c): cell for r, values in enumerate(rows) for c, cell in enumerate(values)}
    # with a range, cells that the rows do not reach lose what the mask names
    places = where.cells() if "range" in request else list(given)
    for place in places:
        _write(edit, sheet, place, given.get(place, {}), tree)
    return {}


def _check_fit(where: Box, rows: list[list[Json]]) -> None:
    assert where.end_row is not None and where.end_column is not None
    last, widest = (where.row or 0) + len(rows), (where.column or 0) + max(map(len, rows), default=0)
    if last > where.end_row:
        raise bad(f"Attempting to write row: {where.end_row}, beyond the last requested row of: {where.end_row - 1}")
    if widest > where.end_column:
        end = where.end_column
        raise bad(f"Attempting to write column: {end}, beyond the last requested column of: {end - 1}")


def _write(edit: Edit, sheet: Sheet, place: tuple[int, int], given: Json, tree: masks.Tree) -> None:
    old = sheet.cells.get(place, {})
    new = masks.merge(old, rules.cell(edit.book, given), tree)
    if old.get("userEnteredValue") != new.get("userEnteredValue") and "textFormatRuns" not in tree and "*" not in tree:
        # a new text does not keep the looks of the old one's letters
        new.pop("textFormatRuns", None)
    sheet.put(*place, {key: value for key, value in new.items() if key not in rules.READ_ONLY})


def repeat_cell(edit: Edit, request: Json) -> Json:
    """Write one cell into every cell of a range."""
    tree = masks.written(request.get("fields"), "CellData")
    sheet, where = edit.area(request.get("range"))
    for place in where.cells():
        _write(edit, sheet, place, request.get("cell", {}), tree)
    return {}


def append_cells(edit: Edit, request: Json) -> Json:
    """Write rows below the last row that has a value."""
    sheet = edit.book.sheet(request.get("sheetId"))
    rows, first = request.get("rows") or [], sheet.used()[0]
    missing = first + len(rows) - sheet.size[0]
    if missing > 0:
        sheet.properties["gridProperties"]["rowCount"] += missing
    start = {"sheetId": sheet.id, "rowIndex": first}
    return update_cells(edit, {"start": start, "rows": rows, "fields": request.get("fields")})


def merge_cells(edit: Edit, request: Json) -> Json:
    """Make one cell of many; only the first keeps its value."""
    sheet, where = edit.area(request.get("range"))
    if request.get("mergeType", "MERGE_ALL") != "MERGE_ALL":
        raise NotImplementedError("mergeType other than MERGE_ALL")
    for frozen, start, end, name in (
        (sheet.properties["gridProperties"].get("frozenRowCount", 0), where.row, where.end_row, "rows"),
        (sheet.properties["gridProperties"].get("frozenColumnCount", 0), where.column, where.end_column, "columns"),
    ):
        if (start or 0) < frozen < (end or 0):
            raise bad(f"You can't merge frozen and non-frozen {name}.")
    kept = []
    for merge in sheet.merges:
        box = Box(*(merge[key] for key in PLACES["row"] + PLACES["column"]))
        if not box.meets(where):
            kept.append(merge)
        elif not all(where.holds(*place) for place in box.cells()):
            raise bad("You must select all cells in a merged range to merge or unmerge them.")
    sheet.merges = kept
    if len(where.cells()) > 1:
        sheet.merges.append(_range(sheet, where))
    for place in where.cells()[1:]:
        cell = {key: part for key, part in sheet.cells.get(place, {}).items() if key != "userEnteredValue"}
        sheet.put(*place, cell)
    return {}


def unmerge_cells(edit: Edit, request: Json) -> Json:
    """Take merged cells apart."""
    sheet, where = edit.area(request.get("range"))
    sheet.merges = [merge for merge in sheet.merges if not sheet.box(merge).meets(where)]
    return {}


def _range(sheet: Sheet, where: Box) -> Json:
    return {
        "sheetId": sheet.id,
        "startRowIndex": where.row,
        "endRowIndex": where.end_row,
        "startColumnIndex": where.column,
        "endColumnIndex": where.end_column,
    }


def set_data_validation(edit: Edit, request: Json) -> Json:
    """Put a rule on every cell of a range, or take it away."""
    sheet, where = edit.area(request.get("range"))
    rule = request.get("rule")
    if rule is not None:
        rules.validation(edit.book, rule)
    for place in where.cells():
        cell = {key: part for key, part in sheet.cells.get(place, {}).items() if key != "dataValidation"}
        sheet.put(*place, cell if rule is None else cell | {"dataValidation": rule})
    return {}


def update_borders(edit: Edit, request: Json) -> Json:
    """Draw lines around and within a range."""
    sheet, where = edit.area(request.get("range"))
    edges: dict[str, tuple[Any, str]] = {
        "top": (lambda r, c: r == where.row, "innerHorizontal"),
        "bottom": (lambda r, c: r + 1 == where.end_row, "innerHorizontal"),
        "left": (lambda r, c: c == where.column, "innerVertical"),
        "right": (lambda r, c: c + 1 == where.end_column, "innerVertical"),
    }
    for place in where.cells():
        lines = {side: request.get(side if outer(*place) else inner) for side, (outer, inner) in edges.items()}
        lines = {side: line for side, line in lines.items() if line is not None}
        if lines:
            cell = sheet.cells.get(place, {})
            look = cell.get("userEnteredFormat", {})
            borders = look.get("borders", {}) | lines
            sheet.put(*place, cell | {"userEnteredFormat": look | {"borders": borders}})
    return {}


HANDLERS: dict[str, Handler] = {
    "updateCells": update_cells,
    "repeatCell": repeat_cell,
    "appendCells": append_cells,
    "mergeCells": merge_cells,
    "unmergeCells": unmerge_cells,
    "setDataValidation": set_data_validation,
    "updateBorders": update_borders,
}
