"""The calls that the toolkit makes, each by its name. Files in shared drives are found like any others.

REST references: https://developers.google.com/workspace/drive/api/reference/rest/v3 and
https://developers.google.com/workspace/sheets/api/reference/rest
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.files import sha256
from toolkit.google.service import Json, Service

SPREADSHEET = "application/vnd.google-apps.spreadsheet"
FOLDER = "application/vnd.google-apps.folder"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Private properties of a file, by which one is found again whose id was never heard of.
STUDY_PROPERTY, PART_PROPERTY = "toolkitStudy", "toolkitPart"
# How values are to be given, https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueRenderOption
UNFORMATTED, FORMULAS, SHOWN = "UNFORMATTED_VALUE", "FORMULA", "FORMATTED_VALUE"
LINK = "https://docs.google.com/spreadsheets/d/{id}/edit"
_ALL_DRIVES = {"supportsAllDrives": "true"}


@dataclass(frozen=True)
class Place:
    """A folder of Drive.

    Attributes:
        drive: The shared drive it lies in; empty for one of My Drive.
    """

    id: str
    name: str
    is_folder: bool
    may_add: bool
    drive: str = ""


@dataclass(frozen=True)
class Permission:
    """Who may see a file: a person, a group, a domain, or anyone with the link."""

    kind: str
    role: str
    mail: str = ""


def about(service: Service) -> tuple[str, bool]:
    """Return the mail address of the account, and whether it can own files."""
    answer = service.drive("looking up the account", "GET", "/about", params={"fields": "user,storageQuota"})
    # a service account has a limit of 0; no limit at all is unlimited
    limit = (answer.get("storageQuota") or {}).get("limit")
    return str((answer.get("user") or {}).get("emailAddress", "")), limit is None or int(limit) > 0


def place(service: Service, folder: str) -> Place:
    """Return a folder."""
    fields = "id,name,mimeType,driveId,capabilities(canAddChildren)"
    answer = service.drive(f"opening the folder {folder}", "GET", f"/files/{folder}", params=_all({"fields": fields}))
    capable = (answer.get("capabilities") or {}).get("canAddChildren", False)
    is_folder = answer.get("mimeType") == FOLDER
    return Place(answer["id"], answer.get("name", ""), is_folder, bool(capable), answer.get("driveId", ""))


def permissions(service: Service, file: str, doing: str) -> list[Permission]:
    """Return everybody who may see a file, or the members of a shared drive."""
    found: list[Permission] = []
    fields = "nextPageToken,permissions(type,role,emailAddress)"
    params: Json = _all({"fields": fields, "pageSize": 100})
    while True:
        answer = service.drive(doing, "GET", f"/files/{file}/permissions", params=params)
        for entry in answer.get("permissions", ()):
            found.append(Permission(entry["type"], entry["role"], entry.get("emailAddress", "")))
        if not (token := answer.get("nextPageToken")):
            return found
        params = params | {"pageToken": token}


def find_spreadsheet(service: Service, study_id: str, part: str) -> str | None:
    """Return the spreadsheet of a part of a study, where one was made."""
    wanted = {STUDY_PROPERTY: study_id, PART_PROPERTY: part_key(part)}
    conditions = [f"appProperties has {{ key='{key}' and value='{value}' }}" for key, value in wanted.items()]
    query = " and ".join([*conditions, "trashed = false"])
    params = _all({"q": query, "fields": "files(id)", "includeItemsFromAllDrives": "true", "orderBy": "createdTime"})
    answer = service.drive("looking for what was made before", "GET", "/files", params=params)
    return next((str(file["id"]) for file in answer.get("files", ())), None)


def create_spreadsheet(service: Service, title: str, study_id: str, part: str, folder: Place | None) -> str:
    """Make an empty private spreadsheet and return its id; never two of them, whatever happens on the way."""
    body: Json = {
        "name": title,
        "mimeType": SPREADSHEET,
        "appProperties": {STUDY_PROPERTY: study_id, PART_PROPERTY: part_key(part)},
    }
    if folder is not None:
        body["parents"] = [folder.id]
    if folder is None or not folder.drive:
        body["writersCanShare"] = False  # in a shared drive its members decide, and the field does not exist

    def made() -> Json | None:
        found = find_spreadsheet(service, study_id, part)
        return None if found is None else {"id": found}

    doing = f"making the spreadsheet “{title}”"
    answer = service.drive(doing, "POST", "/files", params=_all({"fields": "id"}), body=body, settled=made)
    return str(answer["id"])


def part_key(part: str) -> str:
    """Return what stands for an annotator's name in a property, which may hold 124 bytes."""
    return sha256(part)[:16]


def sheet_titles(service: Service, spreadsheet: str, doing: str) -> dict[int, str]:
    """Return the sheets of a spreadsheet by their numbers."""
    params = {"fields": "sheets.properties(sheetId,title)"}
    answer = service.sheets(doing, "GET", f"/{spreadsheet}", params=params)
    # a number of 0 is left out of the answer
    found = [sheet.get("properties", {}) for sheet in answer.get("sheets", ())]
    return {int(properties.get("sheetId", 0)): str(properties.get("title", "")) for properties in found}


def send_sheet(service: Service, spreadsheet: str, sheet_id: int, title: str, requests: Sequence[Json]) -> None:
    """Send a sheet in one batch, which Google carries out as a whole or not at all."""

    def there() -> Json | None:
        return {} if sheet_id in sheet_titles(service, spreadsheet, doing) else None

    body, doing = {"requests": list(requests), "includeSpreadsheetInResponse": False}, f"writing the sheet “{title}”"
    service.sheets(doing, "POST", f"/{spreadsheet}:batchUpdate", body=body, settled=there)


def share(service: Service, spreadsheet: str, mail: str, message: str | None) -> None:
    """Let one person write in a spreadsheet; with a message, Google sends them a mail."""
    params = _all({"sendNotificationEmail": "true" if message else "false", "fields": "id"})
    if message:
        params["emailMessage"] = message
    body = {"type": "user", "role": "writer", "emailAddress": mail}
    service.drive(f"sharing with {mail}", "POST", f"/files/{spreadsheet}/permissions", params=params, body=body)


def values(
    service: Service, spreadsheet: str, titles: Sequence[str], doing: str, render: str = UNFORMATTED
) -> list[list[Any]]:
    """Return the rows of several sheets.

    Args:
        service: The door.
        spreadsheet: Its id.
        titles: Of the sheets.
        doing: What for.
        render: `UNFORMATTED` for numbers as numbers and texts as texts, whatever the locale shows; `FORMULAS` for
            formulas as they were written; `SHOWN` for what people see.
    """
    params = {"ranges": [_quoted(title) for title in titles], "valueRenderOption": render, "majorDimension": "ROWS"}
    answer = service.sheets(doing, "GET", f"/{spreadsheet}/values:batchGet", params=params)
    # what is empty is left out of the answer
    found = [entry.get("values", []) for entry in answer.get("valueRanges", ())]
    return found + [[]] * (len(titles) - len(found))


def export(service: Service, spreadsheet: str, doing: str) -> bytes:
    """Return a spreadsheet as an .xlsx file."""
    data = service.drive(doing, "GET", f"/files/{spreadsheet}/export", params={"mimeType": XLSX})
    return data if isinstance(data, bytes) else b""


def protections(service: Service, spreadsheet: str, doing: str) -> dict[int, bool]:
    """Return the protected ranges of a spreadsheet by their numbers, and whether each leaves cells open."""
    params = {"fields": "sheets.protectedRanges(protectedRangeId,unprotectedRanges)"}
    answer = service.sheets(doing, "GET", f"/{spreadsheet}", params=params)
    found = [area for sheet in answer.get("sheets", ()) for area in sheet.get("protectedRanges", ())]
    return {int(area.get("protectedRangeId", 0)): bool(area.get("unprotectedRanges")) for area in found}


def change(service: Service, spreadsheet: str, doing: str, requests: Sequence[Json], done: Any) -> None:
    """Change a spreadsheet in one batch.

    Args:
        service: The door.
        spreadsheet: Its id.
        doing: What for.
        requests: The changes.
        done: Tells whether an attempt without an answer was carried out all the same.
    """
    path = f"/{spreadsheet}:batchUpdate"
    service.sheets(doing, "POST", path, body={"requests": list(requests)}, settled=lambda: {} if done() else None)


def _all(params: Json) -> Json:
    return params | _ALL_DRIVES


def _quoted(title: str) -> str:
    return "'" + title.replace("'", "''") + "'"
