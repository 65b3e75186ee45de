"""google doctor: what is missing before, or wrong after, spreadsheets were made; changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.google import calls
from toolkit.google.refusals import NO_STORAGE, GoogleError
from toolkit.google.service import Service
from toolkit.jobs.google_place import PUBLIC, audience, audience_warnings, insiders, open_place
from toolkit.jobs.google_pull import online, spreadsheets, unfinished
from toolkit.model import Google
from toolkit.study import read_study

# A spreadsheet that nobody has: the answer "not found" proves that the API answers.
NOBODYS = "toolkit-doctor"
NOT_FOUND = 404


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        good: Whether all is well; None for a warning.
        text: What was found, and what to do where something is wrong.
    """

    good: bool | None
    text: str


def doctor(service: Service, kind: str, folder: str | None, study_folder: Path | None) -> list[Finding]:
    """Return what was found.

    Args:
        service: The way to Google.
        kind: How the account signs in.
        folder: A folder in which spreadsheets are to be made.
        study_folder: A study whose spreadsheets are looked at too.

    Raises:
        ToolkitError: When there is no study.
    """
    google, begun = None, list[Problem]()
    if study_folder is not None:
        study = read_study(study_folder)
        google, begun = online(study, study_folder), unfinished(study)
        folder = folder or google.folder
    mails = {name: sheet.mail for name, sheet in google.sheets.items() if sheet.mail} if google else {}
    try:
        service.account, owns_files = calls.about(service)
    except ToolkitError as error:  # nothing else can be asked then
        return _told(error)
    found = [Finding(True, f"the Google Drive API answers; signed in as {service.account} ({kind})")]
    found += _tried(_sheets(service))
    known = {mail.casefold() for mail in google.editors} if google else set[str]()
    if folder is None and not owns_files:
        found.append(Finding(False, f"it cannot make files in a Drive of its own: {NO_STORAGE}"))
    else:
        found += _tried(_folder(service, folder, list(mails.values()), known, owns_files=owns_files))
    if google is not None:
        found += [Finding(None, warning) for warning in insiders(google.editors, mails)]
        for names, spreadsheet in spreadsheets(google):
            if all(google.sheets[name].complete for name in names):
                found += _tried(_spreadsheet(service, google, names, spreadsheet, known))
    return [*found, *(Finding(False, str(problem)) for problem in begun)]


def _sheets(service: Service) -> Iterator[Finding]:
    try:
        calls.sheet_titles(service, NOBODYS, "asking the Google Sheets API")
    except GoogleError as error:
        if error.refusal.status != NOT_FOUND:
            raise
    yield Finding(True, "the Google Sheets API answers")


def _folder(
    service: Service, folder: str | None, mails: list[str], known: set[str], *, owns_files: bool
) -> Iterator[Finding]:
    """Yield what is to be said of the folder; who sees everything in it, which is told, is added to `known`."""
    place = open_place(service, folder, owns_files=owns_files)
    if place is None:
        yield Finding(True, "spreadsheets can be made in My Drive")
        return
    where = "a shared drive" if place.drive else "My Drive"
    yield Finding(True, f"spreadsheets can be made in the folder “{shown(place.name)}” of {where}")
    people = audience(service, place)
    known |= {permission.mail.casefold() for permission in people or ()}
    yield from (Finding(None, warning) for warning in audience_warnings(place, people, mails))
    if not mails:
        yield Finding(
            None, "name the study too (toolkit google doctor STUDY), to see whether annotators see the folder"
        )


def _spreadsheet(
    service: Service, google: Google, names: tuple[str, ...], spreadsheet: str, known: set[str]
) -> Iterator[Finding]:
    whose = ", ".join(map(shown, names))
    found = calls.permissions(service, spreadsheet, f"looking who sees the spreadsheet of {whose}")
    people = {permission.mail.casefold(): permission for permission in found if permission.mail}
    if any(permission.kind == PUBLIC for permission in found):
        remedy = "restrict it in Google Sheets: Share > General access > Restricted"
        yield Finding(False, f"anyone with the link can open the spreadsheet of {whose}: {remedy}")
    for name in names:
        mail = google.sheets[name].mail
        if mail is None:
            yield Finding(None, f"the spreadsheet of {shown(name)} is shared with nobody by the toolkit")
        elif mail.casefold() not in people:
            text = f"the spreadsheet of {shown(name)} is not shared with {mail}: share it in Google Sheets, as Editor"
            yield Finding(False, text)
        else:
            yield Finding(True, f"the spreadsheet of {shown(name)} is shared with {mail}")
    others = {sheet.mail.casefold() for name, sheet in google.sheets.items() if sheet.mail and name not in names}
    for mail in sorted((others & people.keys()) - known):
        yield Finding(False, f"{mail}, another annotator, can open the spreadsheet of {whose}: take that right away")


def _tried(findings: Iterator[Finding]) -> list[Finding]:
    """Return what a look finds; what goes wrong on the way is a finding too."""
    found: list[Finding] = []
    try:
        found += findings
    except ToolkitError as error:
        found += _told(error)
    return found


def _told(error: ToolkitError) -> list[Finding]:
    return [Finding(False, str(problem)) for problem in error.problems]
