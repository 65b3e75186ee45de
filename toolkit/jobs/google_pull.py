"""pull: what is in the spreadsheets now, as dated copies under STUDY/filled; consolidate reads these, offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import write_all
from toolkit.google import calls
from toolkit.google.refusals import TOO_LARGE, GoogleError
from toolkit.google.service import Service
from toolkit.jobs.make_sheets import FILLED, file_names
from toolkit.model import Google
from toolkit.study import Study, read_study
from toolkit.workbook.gsheets_pages import tab_numbers
from toolkit.workbook.ingest import holds_answers, ingest
from toolkit.workbook.limits import limits_for
from toolkit.workbook.readers import Limits, RawBook, Source, read_book
from toolkit.workbook.readers.google_values import google_values
from toolkit.workbook.readers.pulls import VALUES, WORKBOOK, newest_pull, pull_name

# What copies of a spreadsheet with tabs for everybody are called.
EVERYBODY = "all"
BAD_REQUEST = 400


@dataclass(frozen=True)
class PulledSheet:
    """One spreadsheet that was read.

    Attributes:
        annotators: Whose it is.
        files: The copies that were written; none where nothing is new.
        note: What is to be said of it, in words.
    """

    annotators: tuple[str, ...]
    files: tuple[Path, ...]
    note: str = ""

    @property
    def said(self) -> str:
        """What became of it, in a line."""
        said = [path.name for path in self.files] + ([self.note] if self.note else [])
        return f"{', '.join(map(shown, self.annotators))}: {'; '.join(said)}"


@dataclass(frozen=True)
class Pulled:
    """What pull did.

    Attributes:
        calls: How many calls to Google it took.
        most: The most for one spreadsheet.
    """

    sheets: tuple[PulledSheet, ...]
    problems: tuple[Problem, ...]
    calls: int
    most: int

    @property
    def files(self) -> tuple[Path, ...]:
        """The copies that were written."""
        return tuple(path for sheet in self.sheets for path in sheet.files)


def pull(
    folder: Path, service: Service, now: datetime | None = None, *, limits: Mapping[str, int] | None = None
) -> Pulled:
    """Fetch every spreadsheet of a study. One that cannot be read does not keep the others from being read.

    Args:
        folder: The study folder.
        service: The way to Google.
        now: The date of the copies.
        limits: Limits of a file that were chosen, by name.

    Raises:
        ToolkitError: When there is no study, or none with spreadsheets.
    """
    study = read_study(folder)
    google = online(study, folder)
    now, most = now or datetime.now(UTC), limits_for(study, limits)
    found: list[PulledSheet] = []
    problems: list[Problem] = []
    begun, counts = service.calls, []
    for names, spreadsheet in spreadsheets(google):
        if any(not google.sheets[name].complete for name in names):
            continue
        before = service.calls
        try:
            found.append(_pulled(folder, study, service, names, spreadsheet, now, most))
        except ToolkitError as error:
            problems += error.problems
        counts.append(service.calls - before)
    problems += unfinished(study)
    return Pulled(tuple(found), tuple(problems), service.calls - begun, max(counts, default=0))


def online(study: Study, folder: Path) -> Google:
    """Return what a study has in Google Sheets.

    Raises:
        ToolkitError: When that is nothing.
    """
    if study.google is None or not study.google.sheets:
        raise ToolkitError(
            Problem(
                "is a study without spreadsheets in Google Sheets", "make them with make-sheets --google", str(folder)
            )
        )
    return study.google


def unfinished(study: Study) -> list[Problem]:
    """Return what is to be said where the making of the spreadsheets stopped midway."""
    sheets = study.google.sheets if study.google else {}
    names = [shown(name) for name in study.names if name not in sheets or not sheets[name].complete]
    fix = "run the same make-sheets command again; it goes on where it stopped"
    return [Problem(f"no finished spreadsheet is there for {', '.join(names)}", fix)] if names else []


def spreadsheets(google: Google) -> list[tuple[tuple[str, ...], str]]:
    """Return each spreadsheet and whose it is."""
    found: dict[str, tuple[str, ...]] = {}
    for name, sheet in google.sheets.items():
        found[sheet.spreadsheet] = (*found.get(sheet.spreadsheet, ()), name)
    return [(names, spreadsheet) for spreadsheet, names in found.items()]


def _pulled(
    folder: Path,
    study: Study,
    service: Service,
    names: tuple[str, ...],
    spreadsheet: str,
    now: datetime,
    limits: Limits,
) -> PulledSheet:
    google = online(study, folder)
    whose = EVERYBODY if google.one_spreadsheet else file_names(study.names)[names[0]]
    titles = [title for name in names for title in google.sheets[name].tabs]
    doing = "reading the spreadsheet of " + ", ".join(map(shown, names))
    titles, rows = _rows(study, service, names, spreadsheet, titles, doing)
    fetched = now.astimezone(UTC).isoformat(timespec="seconds")
    values = google_values(titles, rows, fetched)
    book = read_book(Source(whose, content=values), limits)
    previous = newest_pull(folder / FILLED, whose, VALUES)
    if previous is None and not holds_answers(book):
        return PulledSheet(names, (), "nothing is entered yet")
    if previous is not None and _same(previous, book, limits):
        return PulledSheet(names, (), f"nothing has changed since {previous.name}")
    _refuse_to_be_older(folder, whose, now)
    contents, note = {pull_name(whose, now, VALUES): values}, ""
    try:
        workbook = calls.export(service, spreadsheet, doing)
    except GoogleError as error:
        if TOO_LARGE not in error.refusal.reasons:
            raise
        # what the workbook would tell of a value: that it is a formula's, or is shown as another, such as 100%
        formulas, seen = (
            calls.values(service, spreadsheet, titles, doing, render) for render in (calls.FORMULAS, calls.SHOWN)
        )
        contents = {pull_name(whose, now, VALUES): google_values(titles, rows, fetched, formulas, seen)}
        note = "too large for Google to export as .xlsx; the raw values are the copy"
    else:
        contents[pull_name(whose, now, WORKBOOK)] = workbook
        note = _differing(study, book, read_book(Source(whose, content=workbook), limits))
    return PulledSheet(names, tuple(write_all(folder / FILLED, contents, force=False)), note)


def _rows(
    study: Study, service: Service, names: Sequence[str], spreadsheet: str, titles: list[str], doing: str
) -> tuple[list[str], list[list[Any]]]:
    """Return the titles and the rows of the sheets with answers, also where somebody renamed them."""
    try:
        return titles, calls.values(service, spreadsheet, titles, doing)
    except GoogleError as error:
        if error.refusal.status != BAD_REQUEST:
            raise
    there = calls.sheet_titles(service, spreadsheet, doing)
    common = study.google is not None and study.google.one_spreadsheet
    wanted = [number for name in names for number in tab_numbers(study.names.index(name) if common else None)]
    if any(number not in there for number in wanted):
        raise ToolkitError(
            Problem(
                "a sheet was deleted from the spreadsheet of " + ", ".join(map(shown, names)),
                "bring it back with File > Version history > See version history in Google Sheets",
            )
        )
    renamed = [there[number] for number in wanted]
    return renamed, calls.values(service, spreadsheet, renamed, doing)


def _refuse_to_be_older(folder: Path, whose: str, now: datetime) -> None:
    """Refuse a copy that would not be the newest by its name, and so would not be read."""
    for kind in (VALUES, WORKBOOK):
        newest = newest_pull(folder / FILLED, whose, kind)
        if newest is not None and newest.name >= pull_name(whose, now, kind):
            clock = f"{now.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
            what = f"is not older than what is in the spreadsheet now, by this computer's clock ({clock})"
            fix = "set the clock right and pull again; move the copy away if its own date is wrong"
            raise ToolkitError(Problem(what, fix, str(newest)))


def _same(previous: Path, book: RawBook, limits: Limits) -> bool:
    """Return whether the values are those of a copy that is there already, which must be readable to count."""
    try:
        before = read_book(previous, limits)
    except ToolkitError:
        return False
    return before.sheets == book.sheets


def _differing(study: Study, values: RawBook, workbook: RawBook) -> str:
    """Return what to say where the two copies of one moment have other answers; empty where they agree."""
    one, two = (ingest([book], study).annotations for book in (values, workbook))
    codes = [
        code
        for name, entered in two.items()
        for code, annotation in entered.items()
        if name not in one or one[name].get(code) is None or one[name][code].content != annotation.content
    ]
    if not codes:
        return ""
    listed = ", ".join(codes[:5]) + (", ..." if len(codes) > 5 else "")
    return (
        f"values and exported workbook differ at items {listed}: it was edited meanwhile (pull again), "
        "or holds formulas or values such as 100% (toolkit check names them)"
    )
