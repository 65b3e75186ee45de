"""A program, or a person with one, that speaks to the fake of Google directly."""

from __future__ import annotations

from typing import Any

import requests

ANA, BIA, BOT = "ana@example.org", "bia@example.org", "bot@test-project.iam.gserviceaccount.com"
SHEETS, DRIVE = "https://sheets.googleapis.com/v4/spreadsheets", "https://www.googleapis.com/drive/v3"


class Caller:
    """Someone's signed-in session, with the answers' JSON in hand."""

    def __init__(self, session: requests.Session):
        self.session = session

    def __call__(self, verb: str, url: str, body: Any = None, **params: Any) -> Any:
        found = self.session.request(verb, url, json=body, params=params, timeout=10)
        return found.json() if found.content else None

    def book(self, *sheets: dict[str, Any], **properties: Any) -> str:
        """Return the id of a new spreadsheet."""
        made = self("POST", SHEETS, {"properties": {"title": "t"} | properties, "sheets": list(sheets) or None})
        return str(made["spreadsheetId"])

    def batch(self, book: str, *requests: dict[str, Any]) -> Any:
        """Return the answer to a batchUpdate."""
        return self("POST", f"{SHEETS}/{book}:batchUpdate", {"requests": list(requests)})

    def write(self, book: str, values: list[list[Any]], at: str = "A1", how: str = "RAW") -> Any:
        """Return the answer to a values.update."""
        return self("PUT", f"{SHEETS}/{book}/values/{at}", {"values": values}, valueInputOption=how)

    def values(self, book: str, where: str, **params: Any) -> Any:
        """Return the values of a range, unformatted if nothing else is said."""
        params = {"valueRenderOption": "UNFORMATTED_VALUE"} | params
        return self("GET", f"{SHEETS}/{book}/values/{where}", **params).get("values")


def error(answer: Any) -> tuple[int, str]:
    """Return the code and the reason of an answer that is an error, in Drive's shape or in that of Sheets."""
    found = answer["error"]
    return found["code"], found["errors"][0]["reason"] if "errors" in found else found["status"]


def look(sheet_id: int, *area: int) -> dict[str, int]:
    """Return a GridRange."""
    return {"sheetId": sheet_id} | dict(
        zip(("startRowIndex", "endRowIndex", "startColumnIndex", "endColumnIndex"), area, strict=False)
    )


def protected_book(ana: Caller) -> str:
    """Return a spreadsheet whose B1:B2 only may be edited, B1 with a strict list."""
    book = ana.book({"properties": {"title": "S", "sheetId": 7}}, locale="pt_BR")
    choices = {"type": "ONE_OF_LIST", "values": [{"userEnteredValue": value} for value in "12345"]}
    rule = {"condition": choices, "strict": True, "showCustomUi": True, "inputMessage": "1 to 5"}
    locked = {"range": {"sheetId": 7}, "unprotectedRanges": [look(7, 0, 2, 1, 2)], "editors": {"users": [ANA]}}
    answer = ana.batch(
        book,
        {"setDataValidation": {"range": look(7, 0, 1, 1, 2), "rule": rule}},
        {"addProtectedRange": {"protectedRange": locked}},
    )
    assert answer["replies"][1]["addProtectedRange"]["protectedRange"]["protectedRangeId"]
    share = {"type": "user", "role": "writer", "emailAddress": BIA}
    assert ana("POST", f"{DRIVE}/files/{book}/permissions", share, sendNotificationEmail=False)["role"] == "writer"
    return book
