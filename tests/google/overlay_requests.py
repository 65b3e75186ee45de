"""The requests of spreadsheets.batchUpdate for what lies upon sheets: protection, conditions, names, labels."""

from __future__ import annotations

from tests.google import masks, rules
from tests.google.book import Sheet, can_edit
from tests.google.cell_requests import Edit, Handler
from tests.google.errors import PROTECTED, ApiError, Json, bad
from tests.google.sheet_requests import guard_sheet


def add_protected_range(edit: Edit, request: Json) -> Json:
    """Protect cells from everyone but the editors named, the owner and who asks."""
    given = dict(request.get("protectedRange") or {})
    sheet = rules.protected_range(edit.book, given)
    given["protectedRangeId"] = given.get("protectedRangeId") or edit.book.number()
    if any(one["protectedRangeId"] == given["protectedRangeId"] for one in _all_protected(edit)):
        raise bad(f"A protected range with the id {given['protectedRangeId']} already exists")
    given["range"] = given.get("range") or {"sheetId": sheet.id}
    if not given.get("warningOnly"):
        editors = given.get("editors", {})
        given["editors"] = editors | {"users": list(dict.fromkeys([*editors.get("users", ()), edit.person]))}
    sheet.protected.append(given)
    return {"addProtectedRange": {"protectedRange": given}}


def _all_protected(edit: Edit) -> list[Json]:
    return [one for sheet in edit.book.sheets for one in sheet.protected]


def _protected(edit: Edit, number: int | None) -> tuple[Sheet, int]:
    for sheet in edit.book.sheets:
        for place, one in enumerate(sheet.protected):
            if one["protectedRangeId"] == number:
                if not can_edit(one, edit.person, edit.owner):
                    raise ApiError(400, PROTECTED)
                return sheet, place
    raise bad(f"No protected range with id: {number}")


def update_protected_range(edit: Edit, request: Json) -> Json:
    """Change a protected range."""
    tree = masks.written(request.get("fields"), "ProtectedRange")
    given = request.get("protectedRange") or {}
    sheet, place = _protected(edit, given.get("protectedRangeId"))
    new = masks.merge(sheet.protected[place], given, tree) | {"protectedRangeId": given["protectedRangeId"]}
    rules.protected_range(edit.book, new)
    if not new.get("warningOnly"):
        users = new.get("editors", {}).get("users", ())
        new["editors"] = new.get("editors", {}) | {"users": list(dict.fromkeys([*users, edit.person]))}
    sheet.protected[place] = new
    return {}


def delete_protected_range(edit: Edit, request: Json) -> Json:
    """Take a protection away."""
    sheet, place = _protected(edit, request.get("protectedRangeId"))
    del sheet.protected[place]
    return {}


def add_conditional_format(edit: Edit, request: Json) -> Json:
    """Add a conditional format, before the others unless an index says where."""
    rule = request.get("rule") or {}
    sheet = rules.conditional_format(edit.book, rule)
    sheet.conditional.insert(request.get("index", 0), rule)
    return {}


def create_metadata(edit: Edit, request: Json) -> Json:
    """Attach a key and a value to the spreadsheet or a sheet; to rows and columns it is not simulated."""
    given = dict(request.get("developerMetadata") or {})
    location = given.get("location") or {}
    if not given.get("metadataKey"):
        raise bad("A metadata key is required")
    if given.get("visibility") not in ("DOCUMENT", "PROJECT"):
        raise bad("A visibility is required")
    given["metadataId"] = given.get("metadataId") or edit.book.number()
    if location.get("spreadsheet"):
        kept, kind = edit.book.metadata, "SPREADSHEET"
    elif "sheetId" in location:
        kept, kind = edit.book.sheet(location["sheetId"]).metadata, "SHEET"
    else:
        raise NotImplementedError("metadata of rows and columns")
    given["location"] = location | {"locationType": kind}
    kept.append(given)
    return {"createDeveloperMetadata": {"developerMetadata": given}}


def set_basic_filter(edit: Edit, request: Json) -> Json:
    """Put a filter on a sheet; nothing is hidden by it."""
    given = request.get("filter") or {}
    area = given.get("range") or {}
    sheet = edit.book.sheet(area.get("sheetId"))
    guard_sheet(edit, sheet)
    sheet.box(area)
    sheet.basic_filter = given
    return {}


def add_named_range(edit: Edit, request: Json) -> Json:
    """Give cells a name."""
    given = dict(request.get("namedRange") or {})
    rules.named_range(edit.book, given)
    given["namedRangeId"] = given.get("namedRangeId") or f"name{edit.book.number()}"
    edit.book.named.append(given)
    return {"addNamedRange": {"namedRange": given}}


HANDLERS: dict[str, Handler] = {
    "addProtectedRange": add_protected_range,
    "updateProtectedRange": update_protected_range,
    "deleteProtectedRange": delete_protected_range,
    "addConditionalFormatRule": add_conditional_format,
    "createDeveloperMetadata": create_metadata,
    "setBasicFilter": set_basic_filter,
    "addNamedRange": add_named_range,
}
