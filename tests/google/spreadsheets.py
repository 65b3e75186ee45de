"""The methods of sheets.spreadsheets: create, get and batchUpdate."""

from __future__ import annotations

from typing import Any

from tests.google import cell_requests, masks, overlay_requests, rules, sheet_requests
from tests.google.a1 import Box
from tests.google.book import Sheet, Spreadsheet, can_edit, check_locale, new_sheet
from tests.google.cell_requests import Edit
from tests.google.display import shown
from tests.google.errors import ApiError, Json, bad
from tests.google.formulas import Memo, effective

HANDLERS = cell_requests.HANDLERS | sheet_requests.HANDLERS | overlay_requests.HANDLERS
ROW_PIXELS, COLUMN_PIXELS = 21, 100
URL = "https://docs.google.com/spreadsheets/d/{id}/edit"


def create(book_id: str, body: Json, person: str, locale: str = "en_US") -> Spreadsheet:
    """Return a new spreadsheet, as its body describes it.

    Raises:
        ApiError: The body is not one that the service takes.
    """
    given = {key: value for key, value in (body.get("properties") or {}).items() if value is not None}
    properties = {
        "title": "Untitled spreadsheet", "locale": locale, "autoRecalc": "ON_CHANGE", "timeZone": "Etc/GMT",
    } | given  # fmt: skip
    check_locale(properties["locale"])
    book = Spreadsheet(book_id, properties)
    for one in body.get("sheets") or [{}]:
        title = (one.get("properties") or {}).get("title")
        if title and book.by_title(title):
            raise bad(f'Invalid sheets: A sheet with the name "{title}" already exists. Please enter another name.')
        book.sheets.append(new_sheet(book, one.get("properties")))
    book.check_size()
    edit = Edit(book, person, person)
    for sheet, one in zip(book.sheets, body.get("sheets") or [{}], strict=True):
        _fill(edit, sheet, one)
    for named in body.get("namedRanges") or []:
        overlay_requests.add_named_range(edit, {"namedRange": named})
    for metadata in body.get("developerMetadata") or []:
        overlay_requests.create_metadata(edit, {"developerMetadata": metadata | {"location": {"spreadsheet": True}}})
    return book


def _fill(edit: Edit, sheet: Sheet, given: Json) -> None:
    """Put into a new sheet what the body of create says is in it."""
    for data in given.get("data") or []:
        start = {"sheetId": sheet.id, "rowIndex": data.get("startRow", 0), "columnIndex": data.get("startColumn", 0)}
        request = {"start": start, "rows": data.get("rowData") or [], "fields": "*"}
        cell_requests.update_cells(edit, request)
        for lines, key, first in (
            (sheet.rows, "rowMetadata", data.get("startRow", 0)),
            (sheet.columns, "columnMetadata", data.get("startColumn", 0)),
        ):
            lines.update({first + place: one for place, one in enumerate(data.get(key) or []) if one})
    for merge in given.get("merges") or []:
        cell_requests.merge_cells(edit, {"range": merge | {"sheetId": sheet.id}})
    for rule in given.get("conditionalFormats") or []:
        rules.conditional_format(edit.book, rule)
        sheet.conditional.append(rule)
    for protection in given.get("protectedRanges") or []:
        overlay_requests.add_protected_range(edit, {"protectedRange": protection})
    for metadata in given.get("developerMetadata") or []:
        location = {"sheetId": sheet.id}
        overlay_requests.create_metadata(edit, {"developerMetadata": metadata | {"location": location}})
    if given.get("basicFilter"):
        overlay_requests.set_basic_filter(edit, {"filter": given["basicFilter"]})


def resource(book: Spreadsheet, person: str, owner: str, query: Json) -> Json:
    """Return a spreadsheet as `get` and the answers of others show it.

    Args:
        book: The spreadsheet.
        person: Who asks, which decides whether the editors of protected ranges are shown.
        owner: Whose it is.
        query: `includeGridData` and `ranges`.
    """
    # a mask that names grid data is enough to get it
    with_data = query.get("includeGridData") or _names_data(query.get("fields"))
    places = [book.place(text) for text in query.get("ranges") or ()]
    sheets = [sheet for sheet in book.sheets if not places or any(sheet is one for one, _box in places)]
    whole: Json = {
        "spreadsheetId": book.id,
        "properties": book.properties,
        "sheets": [
            _sheet(book, sheet, person, owner, [box for one, box in places if one is sheet] if with_data else None)
            for sheet in sheets
        ],
        "namedRanges": book.named,
        "spreadsheetUrl": URL.format(id=book.id),
        "developerMetadata": book.metadata,
    }
    return {key: value for key, value in whole.items() if value != []}


def _names_data(mask: str | None) -> bool:
    try:
        tree = masks.parse(mask) if mask else {}
    except ValueError:
        return False
    return "data" in tree.get("sheets", {})


def _sheet(book: Spreadsheet, sheet: Sheet, person: str, owner: str, boxes: list[Box] | None) -> Json:
    found: Json = {"properties": sheet.properties}
    if boxes is not None:
        found["data"] = [grid_data(book, sheet, box) for box in boxes or [Box()]]
    found |= {
        "merges": sheet.merges,
        "conditionalFormats": sheet.conditional,
        "protectedRanges": [_protection(one, person, owner) for one in sheet.protected],
        "developerMetadata": sheet.metadata,
    }
    if sheet.basic_filter:
        found["basicFilter"] = sheet.basic_filter
    return {key: value for key, value in found.items() if value != []}


def _protection(given: Json, person: str, owner: str) -> Json:
    may = can_edit(given, person, owner)
    hidden = () if may else ("editors",)
    return {key: value for key, value in given.items() if key not in hidden} | {"requestingUserCanEdit": may}


def grid_data(book: Spreadsheet, sheet: Sheet, box: Box) -> Json:
    """Return the cells of a rectangle with their values and looks, and its rows and columns."""
    where = box.within(*sheet.size)
    assert where.end_row is not None and where.end_column is not None
    kept = [place for place in sheet.cells if where.holds(*place)]
    row, column = where.row or 0, where.column or 0
    last = max((place[0] for place in kept), default=row - 1)
    rows: list[Json] = []
    memo: Memo = {}
    for r in range(row, last + 1):
        width = max((place[1] for place in kept if place[0] == r), default=column - 1)
        values = [cell_data(book, sheet, (r, c), memo) for c in range(column, width + 1)]
        rows.append({"values": values} if values else {})
    found: Json = {
        "rowData": rows,
        "rowMetadata": [{"pixelSize": ROW_PIXELS} | sheet.rows.get(r, {}) for r in range(row, where.end_row)],
        "columnMetadata": [
            {"pixelSize": COLUMN_PIXELS} | sheet.columns.get(c, {}) for c in range(column, where.end_column)
        ],
    }
    # as everywhere in the interface, what is zero is left out
    found |= {key: value for key, value in (("startRow", row), ("startColumn", column)) if value}
    return found


def cell_data(book: Spreadsheet, sheet: Sheet, place: tuple[int, int], memo: Memo) -> Json:
    """Return a cell with what the service adds to it."""
    cell = sheet.cells.get(place, {})
    value = effective(book, sheet, place, memo)
    if value is None:
        return dict(cell)
    look = cell.get("userEnteredFormat", {})
    formatted = shown(value, look.get("numberFormat"), book.locale)
    return cell | {"effectiveValue": value, "formattedValue": formatted}


def batch_update(book: Spreadsheet, body: Json, person: str, owner: str) -> tuple[Spreadsheet, Json]:
    """Return the spreadsheet after all requests, and the answer. The one given stays as it was.

    Raises:
        ApiError: One of the requests cannot be done; then none is.
    """
    requests = body.get("requests") or []
    if not requests:
        raise bad("Must specify at least one request.")
    edit = Edit(book.copied(), person, owner)
    replies: list[Any] = []
    for place, request in enumerate(requests):
        kinds = [kind for kind, part in request.items() if part is not None]
        if len(kinds) != 1:
            sentence = f"oneof field 'kind' is already set. Cannot set '{kinds[1]}'" if kinds else "No request set."
            raise bad(f"Invalid requests[{place}]: {sentence}")
        if kinds[0] not in HANDLERS:
            raise NotImplementedError(f"requests of the kind {kinds[0]}")
        try:
            replies.append(HANDLERS[kinds[0]](edit, request[kinds[0]]))
        except ApiError as problem:
            problem.message = f"Invalid requests[{place}].{kinds[0]}: {problem.message}"
            raise
    answer: Json = {"spreadsheetId": book.id, "replies": replies}
    if body.get("includeSpreadsheetInResponse"):
        query = {"includeGridData": body.get("responseIncludeGridData"), "ranges": body.get("responseRanges")}
        answer["updatedSpreadsheet"] = resource(edit.book, person, owner, query)
    return edit.book, answer
