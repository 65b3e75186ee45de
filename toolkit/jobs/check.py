"""check and status: what came back so far, without changing or writing anything but a marked copy if asked."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import write_all
from toolkit.jobs.make_sheets import FILLED, REPORT, SEND
from toolkit.study import Study, read_study
from toolkit.workbook.discussion import FILE_NAME
from toolkit.workbook.ingest import Returned, ingest, limits_for
from toolkit.workbook.readers import Limits, Source, find_sources, read_book

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

PROBLEM_FILL, NOTE_CHARACTERS = "FFF8D0CC", 400


@dataclass(frozen=True)
class Progress:
    """How far one annotator is.

    Attributes:
        scored: Items with a score, by dimension.
        assigned: Items to score, by dimension.
        missing: Where the scores are missing that are still to come: item code and cell.
    """

    annotator: str
    file: str | None
    scored: dict[str, int]
    assigned: dict[str, int]
    doubts: int = 0
    without_justification: int = 0
    missing: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """Items with a score."""
        return sum(self.scored.values())

    @property
    def total(self) -> int:
        """Items to score."""
        return sum(self.assigned.values())


@dataclass(frozen=True)
class Checked:
    """One file that was read.

    Attributes:
        progress: Of its annotator; None when it is nobody's workbook of this study.
        repairs: Values read other than as plain values: (cell, what was found, as what it was read).
        warnings: What was noticed and does not stand in the way.
    """

    name: str
    progress: Progress | None
    problems: tuple[Problem, ...]
    repairs: tuple[tuple[str, str, str], ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Status:
    """Where a study stands.

    Attributes:
        next_step: What to do now, in words.
    """

    study: Study
    people: tuple[Progress, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = field(default=())
    next_step: str = ""


def check(folder: Path, paths: Sequence[Path], annotated: Path | None = None, *, force: bool = False) -> list[Checked]:
    """Read filled workbooks one by one and say everything that is wrong with each.

    Args:
        folder: The study folder.
        paths: The files, or folders of them.
        annotated: Where to write a copy of the (only) file with every problem cell marked; None for no copy.
        force: Whether that copy may replace a file.

    Raises:
        ToolkitError: When there is no study, no file, or the copy cannot be written.
    """
    study = read_study(folder)
    sources, left_out = find_sources(paths, limits_for(study))
    if not sources:
        raise ToolkitError(Problem("no filled workbook is there", "name the files to check"))
    found = _checked(study, sources)
    # what no file was made of is told with the first one
    found[0] = replace(found[0], warnings=(*left_out, *found[0].warnings))
    if annotated is not None:
        if len(sources) > 1:
            raise ToolkitError(Problem("--annotated marks one file at a time", "name one file"))
        write_all(
            annotated.parent, {annotated.name: _marked(sources[0], limits_for(study), found[0].problems)}, force=force
        )
    return found


def status(folder: Path, paths: Sequence[Path] = ()) -> Status:
    """Return where a study stands: who returned what, and what to do now.

    Raises:
        ToolkitError: When there is no study.
    """
    study = read_study(folder)
    paths = paths or ([folder / FILLED] if (folder / FILLED).is_dir() else [])
    limits = limits_for(study)
    sources, warnings = find_sources(paths, limits)
    returned = Returned()
    problems: list[Problem] = []
    for source in sources:
        try:
            ingest([read_book(source, limits)], study, returned)
        except ToolkitError as error:
            problems += error.problems
    people = tuple(_progress(study, returned, name) for name in study.names)
    problems += returned.problems
    return Status(
        study,
        people,
        tuple(problems),
        (*warnings, *returned.warnings),
        _next_step(folder, people, problems),
    )


def _checked(study: Study, sources: Sequence[Source]) -> list[Checked]:
    """Read files one by one; a second file from one annotator is told with that file."""
    found: list[Checked] = []
    limits = limits_for(study)
    everything = Returned()
    for source in sources:
        try:
            book = read_book(source, limits)
        except ToolkitError as error:
            found.append(Checked(source.name, None, error.problems))
            continue
        alone = ingest([book], study)
        told = len(everything.problems), len(everything.warnings)
        ingest([book], study, everything)
        name = next(iter(alone.annotations), None)
        progress = _progress(study, alone, name) if name else None
        repairs = tuple((repair.place, repair.found, repair.read_as) for repair in alone.repairs)
        problems, warnings = everything.problems[told[0] :], everything.warnings[told[1] :]
        found.append(Checked(source.name, progress, tuple(problems), repairs, tuple(warnings)))
    return found


def _progress(study: Study, returned: Returned, name: str) -> Progress:
    entered = returned.annotations.get(name, {})
    dimensions = [study.by_code[code].dimension for code in study.assignments[name]]
    scored = [study.by_code[code].dimension for code, given in entered.items() if given.score is not None]
    keys = [key for key in study.rubric.dimensions if key in dimensions]
    file = returned.files.get(name)
    return Progress(
        annotator=name,
        file=file[0] if file else None,
        scored={key: scored.count(key) for key in keys},
        assigned={key: dimensions.count(key) for key in keys},
        doubts=sum(given.doubt for given in entered.values()),
        missing=tuple(
            f"{code} ({given.place.rpartition(' > ')[2]})" for code, given in entered.items() if given.score is None
        ),
        without_justification=sum(given.score is not None and not given.justification for given in entered.values()),
    )


def _next_step(folder: Path, people: Sequence[Progress], problems: Sequence[Problem]) -> str:
    absent = [person.annotator for person in people if person.done == 0]
    unfinished = [
        f"{person.annotator} ({person.total - person.done} left)" for person in people if 0 < person.done < person.total
    ]
    if len(absent) == len(people):
        return f"send each file in {folder / SEND} to its annotator; put what comes back into {folder / FILLED}"
    if problems:
        return (
            f"solve the problems above (toolkit check {folder} FILE --annotated COPY.xlsx marks them for the annotator)"
        )
    if absent or unfinished:
        waiting = ", ".join(shown(name) for name in [*absent, *unfinished])
        return f"wait for, or remind: {waiting}"
    if not (folder / REPORT).is_dir():
        return f"everybody is done: toolkit consolidate {folder}"
    if (folder / REPORT / FILE_NAME).exists():
        return (
            f"discuss {folder / REPORT / FILE_NAME}, then: toolkit consolidate {folder} --discussion FILE -o NEW-FOLDER"
        )
    return f"read {folder / REPORT / 'report.html'}"


def _marked(source: Source, limits: Limits, problems: Sequence[Problem]) -> bytes:
    """Return a copy of an .xlsx file in which every problem cell is coloured and has a note that says what is wrong."""
    import openpyxl
    from openpyxl.comments import Comment
    from openpyxl.styles import PatternFill

    if read_book(source, limits).format != "xlsx":
        raise ToolkitError(
            Problem("only .xlsx files can be marked", "save it as .xlsx first, or send the messages", source.name)
        )
    notes: dict[tuple[str, str], list[str]] = {}
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.data), rich_text=True, keep_vba=source.name.endswith(".xlsm"))
        for problem in problems:
            if problem.cell and problem.sheet in book.sheetnames:
                place = problem.sheet, _visible(book[problem.sheet], problem.cell)
                notes.setdefault(place, []).append(shown(f"{problem.what}. {problem.fix}", NOTE_CHARACTERS))
        for (sheet, address), texts in notes.items():
            cell = book[sheet][address]
            cell.fill = PatternFill("solid", fgColor=PROBLEM_FILL)
            cell.comment = Comment("\n\n".join(texts), "toolkit", height=120, width=320)
        buffer = io.BytesIO()
        book.save(buffer)
    except Exception as error:  # openpyxl refuses files that can be read, and says so with any exception there is
        what = f"can be read, but cannot be marked ({type(error).__name__})"
        raise ToolkitError(Problem(what, "send the messages instead", source.name)) from error
    return buffer.getvalue()


def _visible(sheet: Worksheet, address: str) -> str:
    """Return the cell that people see at an address: of a merged range only the first can hold a note."""
    area = next((area for area in sheet.merged_cells.ranges if address in area), None)
    return address if area is None else str(area.start_cell.coordinate)
