"""close: annotation is over, the spreadsheets are locked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolkit.files import write_atomically
from toolkit.google import calls
from toolkit.google.service import Service
from toolkit.jobs.google_make import study_parts
from toolkit.jobs.google_pull import online
from toolkit.study import read_study
from toolkit.workbook.gsheets_look import Json
from toolkit.workbook.gsheets_pages import Page


def close(folder: Path, service: Service) -> int:
    """Lock every cell of every spreadsheet of a study for everybody but its editors; return how many calls it took.

    What is locked already stays so, so a run that stopped is simply run again.

    Raises:
        ToolkitError: When there is no study with spreadsheets, or Google refuses.
    """
    study = read_study(folder)
    google = online(study, folder)
    mails = {name: sheet.mail or "" for name, sheet in google.sheets.items()}
    for names, pages in study_parts(study, mails):
        if names[0] in google.sheets:
            _lock(service, google.sheets[names[0]].spreadsheet, ", ".join(names), pages, google.editors)
    closed = study.model_copy(update={"google": google.model_copy(update={"closed": True})})
    write_atomically(folder / "study.json", closed.to_json())
    return service.calls


def _lock(service: Service, spreadsheet: str, whose: str, pages: Sequence[Page], editors: Sequence[str]) -> None:
    requests = _requests(service, spreadsheet, pages, editors)
    if requests:
        calls.change(
            service,
            spreadsheet,
            f"locking the spreadsheet of {whose}",
            requests,
            done=lambda: not _requests(service, spreadsheet, pages, editors),
        )


def _requests(service: Service, spreadsheet: str, pages: Sequence[Page], editors: Sequence[str]) -> list[Json]:
    """Return what is still to be done, by what is protected now."""
    there = calls.protections(service, spreadsheet)
    found: list[Json] = []
    for page in pages:
        for request in page.lock:
            [(kind, what)] = request.items()
            if kind == "deleteProtectedRange" and what["protectedRangeId"] in there:
                found.append(request)
            elif kind == "updateProtectedRange":
                number = what["protectedRange"]["protectedRangeId"]
                if number not in there:  # somebody took the protection away
                    area = {"protectedRangeId": number, "range": {"sheetId": page.sheet_id}}
                    found.append(
                        {"addProtectedRange": {"protectedRange": area | {"editors": {"users": list(editors)}}}}
                    )
                elif there[number]:
                    found.append(request)
    return found
