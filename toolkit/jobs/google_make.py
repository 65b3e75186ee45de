"""make-sheets --google: one private spreadsheet for each annotator, or one with tabs for all; resumed where it stopped.

The id of a spreadsheet is in study.json before anything is written into it, and it is shared last, when it is whole.
So a run that stops, wherever that is, is taken up by the next one, and nobody ever sees half a workbook.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import write_all, write_atomically
from toolkit.google import calls
from toolkit.google.service import Service
from toolkit.i18n import language
from toolkit.jobs.google_place import audience, audience_warnings, insiders, open_place
from toolkit.jobs.make_sheets import SEND, Prepared, message, study_layout
from toolkit.model import Google, GoogleSheet
from toolkit.study import Study, read_study
from toolkit.texts import plain_key
from toolkit.workbook.blindness import Auditor
from toolkit.workbook.gsheets_pages import Page, common_pages, page_problems, private_pages

# The part of a study that a spreadsheet for all annotators is, in the properties of the file.
ALL = ""
# What of a study may not change while it is being made, and which options that is.
_OPTIONS = {
    "language": "--lang",
    "order": "--order",
    "sheets": "an option for the workbooks (--deadline, --contact, --instructions, --practice, ...)",
}


@dataclass(frozen=True)
class Wishes:
    """What the coordinator wants of Google.

    Attributes:
        folder: The folder of Drive; None for the top of My Drive.
        share: The mail address of each annotator.
        coordinators: Addresses of those who may edit everything, beside the account itself.
        notify: Whether Google sends each annotator a mail.
        one_spreadsheet: Whether all get tabs of one spreadsheet.
    """

    folder: str | None = None
    share: Mapping[str, str] = field(default_factory=dict)
    coordinators: tuple[str, ...] = ()
    notify: bool = False
    one_spreadsheet: bool = False


@dataclass(frozen=True)
class MadeOnline:
    """What was made in Google Sheets.

    Attributes:
        calls: How many calls to Google it took.
        most: The most for one annotator.
    """

    study: Study
    folder: Path
    calls: int
    most: int
    warnings: tuple[str, ...]

    @property
    def sheets(self) -> dict[str, GoogleSheet]:
        """Each annotator's place."""
        return self.study.google.sheets if self.study.google else {}


def recorded_seed(folder: Path) -> int | None:
    """Return the seed of the study that is in a folder already, with which alone it can be gone on with."""
    return read_study(folder).seed if (folder / "study.json").exists() else None


def make_google(
    folder: Path, prepared: Prepared, service: Service, wishes: Wishes, *, force: bool = False
) -> MadeOnline:
    """Write the study's folder and its spreadsheets.

    Args:
        folder: The study folder.
        prepared: The study.
        service: The way to Google.
        wishes: What is wanted there.
        force: Whether files of an earlier study may be replaced; one with spreadsheets never is.

    Raises:
        ToolkitError: When something is wrong, in which case nothing was made; or when Google refuses. What was made
            until then stays, and the same call goes on with it.
    """
    begun = _begun(folder, prepared.study, wishes)
    mails = _mails(begun or prepared.study, wishes)
    account, owns_files = calls.about(service)
    service.account = account
    place = open_place(service, wishes.folder, owns_files=owns_files)
    google = begun.google if begun is not None else None
    google = google or Google(
        folder=wishes.folder,
        one_spreadsheet=wishes.one_spreadsheet,
        editors=_distinct([account, *wishes.coordinators]),
    )
    warnings = [*prepared.warnings, *_warnings(prepared.study, wishes, mails), *insiders(google.editors, mails)]
    warnings += audience_warnings(place, audience(service, place), list(mails.values()))
    study = (begun or prepared.study).model_copy(update={"google": google.model_copy(update={"notify": wishes.notify})})
    parts = study_parts(study, mails)
    _check(study, parts)
    contents = {**prepared.contents, f"{SEND}/message-google.txt": message(study, online=True).encode()}
    if begun is None:
        write_all(folder, {"study.json": study.to_json(), **contents}, force=force)
    else:  # a run that stopped may have left some of them unwritten
        missing = {name: data for name, data in contents.items() if not (folder / name).exists()}
        write_all(folder, missing, force=False)
    work = _Work(folder, study, service, place, mails, resumed=begun is not None)
    counts = [work.make(names, pages) for names, pages in parts]
    return MadeOnline(work.study, folder, service.calls, max(counts), tuple(warnings))


def study_parts(study: Study, mails: Mapping[str, str]) -> list[tuple[tuple[str, ...], tuple[Page, ...]]]:
    """Return each spreadsheet of a study: the annotators it is for, and its sheets."""
    assert study.google is not None
    editors = study.google.editors
    layouts = [study_layout(study, name, online=True) for name in study.names]
    if study.google.one_spreadsheet:
        return [(study.names, common_pages(layouts, editors, mails))]
    return [((layout.annotator,), private_pages(layout, editors)) for layout in layouts]


class _Work:
    """The making of spreadsheets, each step recorded before the next."""

    def __init__(
        self,
        folder: Path,
        study: Study,
        service: Service,
        place: calls.Place | None,
        mails: Mapping[str, str],
        *,
        resumed: bool,
    ):
        self.folder, self.study, self._service, self._place, self._mails = folder, study, service, place, mails
        self._resumed = resumed

    def make(self, names: Sequence[str], pages: Sequence[Page]) -> int:
        """Make one spreadsheet; return how many calls that took for each annotator."""
        before = self._service.calls
        recorded = next((self._sheets[name].spreadsheet for name in names if name in self._sheets), None)
        # a run that stopped may have made one whose id it never heard of
        part = ALL if self._google.one_spreadsheet else names[0]
        found = recorded or (self._resumed and calls.find_spreadsheet(self._service, self.study.study_id, part)) or None
        spreadsheet = found or self._create(part)
        if any(name not in self._sheets for name in names):
            self._record({name: self._sheet(name, spreadsheet, pages) for name in names})
        if not all(self._sheets[name].complete for name in names):
            for mail in self._google.editors:
                if mail != self._service.account:
                    calls.share(self._service, spreadsheet, mail, None)
            there = calls.sheet_titles(self._service, spreadsheet, "looking at what was made before") if found else {}
            for page in pages:
                if page.sheet_id not in there:
                    calls.send_sheet(self._service, spreadsheet, page.sheet_id, page.title, page.requests)
            self._record({name: self._sheets[name].model_copy(update={"complete": True}) for name in names})
        for name in names:
            self._share(name)
        return -(-(self._service.calls - before) // len(names))

    def _share(self, name: str) -> None:
        sheet, mail = self._sheets[name], self._mails.get(name)
        if mail is not None and not sheet.shared:
            text = message(self.study, name, online=True) if self._google.notify else None
            if mail.casefold() != self._service.account.casefold():  # its owner needs no share, and cannot have less
                calls.share(self._service, sheet.spreadsheet, mail, text)
            self._record({name: sheet.model_copy(update={"mail": mail, "shared": True})})

    @property
    def _google(self) -> Google:
        assert self.study.google is not None
        return self.study.google

    @property
    def _sheets(self) -> dict[str, GoogleSheet]:
        return self._google.sheets

    def _create(self, part: str) -> str:
        title = language(self.study.language)("Annotation workbook") + (f" – {part}" if part else "")
        return calls.create_spreadsheet(self._service, title, self.study.study_id, part, self._place)

    def _sheet(self, name: str, spreadsheet: str, pages: Sequence[Page]) -> GoogleSheet:
        titles = tuple(page.title for page in pages if page.annotator == name)
        link = calls.LINK.format(id=spreadsheet)
        return GoogleSheet(spreadsheet=spreadsheet, link=link, tabs=titles, mail=self._mails.get(name))

    def _record(self, sheets: Mapping[str, GoogleSheet]) -> None:
        google = self._google.model_copy(update={"sheets": {**self._sheets, **sheets}})
        self.study = self.study.model_copy(update={"google": google})
        write_atomically(self.folder / "study.json", self.study.to_json())


def _begun(folder: Path, study: Study, wishes: Wishes) -> Study | None:
    """Return the study of the folder, where it is the same one; None where there is none, or one to be replaced."""
    if not (folder / "study.json").exists():
        return None
    begun = read_study(folder)
    if begun.study_id != study.study_id:
        if begun.google is not None and begun.google.sheets:
            what = "is a study with spreadsheets in Google Sheets already, of other items, rubric, annotators or seed"
            raise ToolkitError(Problem(what, "choose another folder with -o", str(folder / "study.json")))
        return None
    differing = [option for name, option in _OPTIONS.items() if getattr(begun, name) != getattr(study, name)]
    if begun.google is not None:
        differing += ["--folder"] if begun.google.folder != wishes.folder else []
        differing += ["--one-spreadsheet"] if begun.google.one_spreadsheet != wishes.one_spreadsheet else []
    refuse(
        Problem(
            f"the study was begun otherwise: {option} has changed",
            "give the same options again to go on with it, or choose another folder with -o",
            str(folder / "study.json"),
        )
        for option in differing
    )
    return begun


def _mails(study: Study, wishes: Wishes) -> dict[str, str]:
    """Return the address of each annotator, as recorded and as given now."""
    recorded = study.google.sheets if study.google else {}
    mails = {name: sheet.mail for name, sheet in recorded.items() if sheet.mail}
    names = {plain_key(name): name for name in study.names}
    problems = []
    for given, mail in wishes.share.items():
        name = names.get(plain_key(given))
        if name is None:
            known = ", ".join(map(shown, study.names))
            problems.append(Problem("--share names nobody of the study", f"its annotators are {known}", value=given))
        elif name in recorded and recorded[name].shared and (recorded[name].mail or "").casefold() != mail.casefold():
            what = f"the spreadsheet of {shown(name)} is shared with {recorded[name].mail} already"
            fix = "take that away with the Share button, set mail to null and shared to false in study.json, run again"
            problems.append(Problem(what, fix, value=mail))
        elif mail.casefold() in (other.casefold() for known, other in mails.items() if known != name):
            problems.append(Problem("two annotators have the same address", "give each their own", value=mail))
        else:
            mails[name] = mail
    if wishes.one_spreadsheet and (missing := [name for name in study.names if name not in mails]):
        listed = ", ".join(map(shown, missing))
        what = f"--one-spreadsheet needs the address of everybody, who alone may fill in their tab ({listed} missing)"
        problems.append(Problem(what, "add them to --share"))
    refuse(problems)
    return mails


def _distinct(mails: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for mail in filter(None, mails):
        found.setdefault(mail.casefold(), mail)
    return tuple(found.values())


def _warnings(study: Study, wishes: Wishes, mails: Mapping[str, str]) -> list[str]:
    found = []
    if wishes.one_spreadsheet:
        found.append(
            "in one spreadsheet everybody can look at the tabs, and the scores, of the others, "
            "so nobody can prove that people scored independently; spreadsheets of their own are better"
        )
    if alone := [shown(name) for name in study.names if name not in mails]:
        found.append(f"shared with nobody yet: {', '.join(alone)} (--share {alone[0]}=ADDRESS, or by hand)")
    return found


def _check(study: Study, parts: Sequence[tuple[tuple[str, ...], tuple[Page, ...]]]) -> None:
    """Refuse what Google could not hold and what would unblind, before anything is made."""
    refuse(problem for _names, pages in parts for problem in page_problems(pages))
    auditor = Auditor(study)
    refuse(
        problem
        for names, pages in parts
        for name in names
        for problem in auditor.audit_pages(name, [page for page in pages if page.annotator in (None, name)])
    )
