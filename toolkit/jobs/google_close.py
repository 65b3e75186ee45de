"""close: annotation is over, the spreadsheets are locked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import write_atomically
from toolkit.google import calls
from toolkit.google.service import Service
from toolkit.jobs.google_make import study_parts
from toolkit.jobs.google_pull import online, unfinished
from toolkit.study import read_study
from toolkit.workbook.gsheets_look import Json
from toolkit.workbook.gsheets_pages import Page


def close(folder: Path, service: Service) -> int:
    """Lock every cell of every spreadsheet of a study for everybody but its editors; return how many calls it took.

    What is locked already stays so, so a run that stopped is simply run again. One that cannot be locked does not keep
    the others from being locked.

    Raises:
        ToolkitError: When there is no study with spreadsheets, or Google refuses.
    """
    study = read_study(folder)
    google = online(study, folder)
    mails = {name: sheet.mail or "" for name, sheet in google.sheets.items()}
    problems: list[Problem] = []
    for names, pages in study_parts(study, mails):
        if names[0] in google.sheets and google.sheets[names[0]].complete:
            doing = "locking the spreadsheet of " + ", ".join(map(shown, names))
            try:
                _lock(service, google.sheets[names[0]].spreadsheet, doing, pages, google.editors)
            except ToolkitError as error:  # one that is gone does not keep the others open
                problems += error.problems
    refuse([*problems, *unfinished(study)])
    closed = study.model_copy(update={"google": google.model_copy(update={"closed": True})})
    write_atomically(folder / "study.json", closed.to_json())
    return service.calls


def _lock(service: Service, spreadsheet: str, doing: str, pages: Sequence[Page], editors: Sequence[str]) -> None:
    def left() -> list[Json]:
        return _requests(calls.protections(service, spreadsheet, doing), pages, editors)

    if requests := left():
        calls.change(service, spreadsheet, doing, requests, done=lambda: not left())


def _requests(there: Mapping[int, bool], pages: Sequence[Page], editors: Sequence[str]) -> list[Json]:
    """Return what is still to be done, by what is protected now."""
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
