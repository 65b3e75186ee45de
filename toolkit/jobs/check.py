"""check and status: what came back so far, without changing or writing anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

import numpy as np

from toolkit.analysis import copied_people
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.jobs.make_sheets import FILLED, REPORT, SEND, file_names
from toolkit.model import Annotation, Google
from toolkit.study import Study, read_study
from toolkit.workbook.discussion import FILE_NAME
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.limits import limits_for
from toolkit.workbook.readers import Limits, Source, find_sources, read_book
from toolkit.workbook.tabs import by_annotator


@dataclass(frozen=True)
class Progress:
    """How far one annotator is.

    Attributes:
        scored: Items with a score, by dimension.
        assigned: Items to score, by dimension.
        missing: Where the scores are missing that are still to come: item code and cell.
        unjustified: Items with a score and no justification, where the study requires one: item code and the score's
            cell.
        unusable: A file under their name that came back and gave nothing of theirs, where no other did.
    """

    annotator: str
    file: str | None
    scored: dict[str, int]
    assigned: dict[str, int]
    doubts: int = 0
    without_justification: int = 0
    missing: tuple[str, ...] = ()
    unjustified: tuple[str, ...] = ()
    unusable: str | None = None

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
        repairs: Values that were not plain, and how they were read: (cell, what was found, as what it was read).
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


def check(
    folder: Path, paths: Sequence[Path], limits: Mapping[str, int] | None = None
) -> tuple[list[Checked], tuple[str, ...]]:
    """Read filled workbooks one by one; return all that is wrong with each, and what is to be said of none of them.

    Args:
        folder: The study folder.
        paths: The files, or folders of them.
        limits: Limits of a file that were chosen, by name.

    Raises:
        ToolkitError: When there is no study, or no file.
    """
    study = read_study(folder)
    most = limits_for(study, limits)
    sources, warnings = find_sources(paths, most)
    if not sources:
        raise ToolkitError(Problem("no filled workbook is there", "name the files to check"))
    everything = Returned()
    found = _checked(study, sources, most, everything)
    return found, (*warnings, *_copied(study, everything))


def status(folder: Path, paths: Sequence[Path] = (), limits: Mapping[str, int] | None = None) -> Status:
    """Return where a study stands: who returned what, and what to do now.

    Raises:
        ToolkitError: When there is no study.
    """
    study = read_study(folder)
    paths = paths or ([folder / FILLED] if (folder / FILLED).is_dir() else [])
    most = limits_for(study, limits)
    sources, warnings = find_sources(paths, most)
    returned = Returned()
    problems: list[Problem] = []
    useless = []
    for source in sources:
        before = len(returned.problems), len(returned.annotations)
        try:
            ingest([read_book(source, most)], study, returned)
        except ToolkitError as error:
            problems += error.problems
            useless.append(source.name)
        else:
            if len(returned.problems) > before[0] and len(returned.annotations) == before[1]:
                useless.append(source.name)
    people = _with_unusable([_progress(study, returned, name) for name in study.names], useless)
    problems += returned.problems
    return Status(
        study,
        people,
        tuple(problems),
        (*warnings, *returned.warnings, *_copied(study, returned)),
        _next_step(folder, people, problems, study.google),
    )


def _copied(study: Study, returned: Returned) -> list[str]:
    """Return what to say of annotators with the same scores."""
    code = study.rubric.scale.code
    return copied_people(
        {
            name: np.array([code(entered[key].score if key in entered else None) for key in study.by_code])
            for name, entered in returned.annotations.items()
        }
    )


def _checked(study: Study, sources: Sequence[Source], limits: Limits, everything: Returned) -> list[Checked]:
    """Read files one by one into `everything`; a second file from one annotator is told with that file."""
    found: list[Checked] = []
    for source in sources:
        try:
            book = read_book(source, limits)
        except ToolkitError as error:
            found.append(Checked(source.name, None, error.problems))
            continue
        for part in by_annotator(book):
            alone = ingest([part], study)
            told = len(everything.problems), len(everything.warnings)
            ingest([part], study, everything)
            name = next(iter(alone.annotations), None)
            progress = _progress(study, alone, name) if name else None
            repairs = tuple((repair.place, repair.found, repair.read_as) for repair in alone.repairs)
            problems, warnings = everything.problems[told[0] :], everything.warnings[told[1] :]
            if progress and progress.unjustified:
                warnings.append(unjustified_warning(progress.unjustified))
            found.append(Checked(source.name, progress, tuple(problems), repairs, tuple(warnings)))
    return found


def unjustified(study: Study, entered: Mapping[str, Annotation]) -> tuple[str, ...]:
    """Return what has a score and lacks the justification that the study requires: item code and the score's cell."""
    return tuple(f"{code} ({_cell(given)})" for code, given in entered.items() if lacks_justification(study, given))


def lacks_justification(study: Study, given: Annotation) -> bool:
    """Return whether an item has a score and lacks the justification that the study requires."""
    return study.sheets.require_justification and given.score is not None and not given.justification


def unjustified_warning(items: Sequence[str], most: int | None = None) -> str:
    """Return the words for scored items without their justification; the scores count all the same."""
    listed = ", ".join(items[:most]) + (", ..." if len(items) > len(items[:most]) else "")
    return f"{len(items)} scored without the justification that this study requires: {listed}"


def _cell(given: Annotation) -> str:
    return given.place.rpartition(" > ")[2]


def _with_unusable(people: Sequence[Progress], useless: Sequence[str]) -> tuple[Progress, ...]:
    """Tell of those of whom nothing was read which file has their name; what is in it nobody knows."""
    sent = file_names([person.annotator for person in people])
    # `returned.zip > A1.xlsx` is A1.xlsx too
    by_stem = {PurePath(name.rpartition(" > ")[2]).stem.casefold(): name for name in useless}
    return tuple(
        person if person.file else replace(person, unusable=by_stem.get(sent[person.annotator].casefold()))
        for person in people
    )


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
        missing=tuple(f"{code} ({_cell(given)})" for code, given in entered.items() if given.score is None),
        unjustified=unjustified(study, entered),
        without_justification=sum(given.score is not None and not given.justification for given in entered.values()),
    )


def _next_step(folder: Path, people: Sequence[Progress], problems: Sequence[Problem], google: Google | None) -> str:
    absent = [person.annotator for person in people if person.done == 0]
    unfinished = [f"{person.annotator} ({left})" for person in people if person.done and (left := _left(person))]
    if problems:
        return (
            f"solve the problems above (toolkit check {folder} FILE --annotated COPY.xlsx marks them for the annotator)"
        )
    if len(absent) == len(people) and google:
        return f"wait until they have scored in Google Sheets, then: toolkit pull {folder}"
    if len(absent) == len(people):
        return f"send each file in {folder / SEND} to its annotator; put what comes back into {folder / FILLED}"
    if absent or unfinished:
        waiting = ", ".join(shown(name) for name in [*absent, *unfinished])
        again = f", then: toolkit pull {folder}" if google else ""
        return f"wait for, or remind: {waiting}{again}"
    if google and google.sheets and not google.closed:
        return f"everybody is done: toolkit close {folder}, then: toolkit consolidate {folder}"
    if not (folder / REPORT).is_dir():
        return f"everybody is done: toolkit consolidate {folder}"
    if (folder / REPORT / FILE_NAME).exists():
        return (
            f"discuss {folder / REPORT / FILE_NAME}, then: toolkit consolidate {folder} --discussion FILE -o NEW-FOLDER"
        )
    return f"read {folder / REPORT / 'report.html'}"


def _left(person: Progress) -> str:
    """Return what an annotator still has to do, in words; empty when there is nothing."""
    scores = f"{person.total - person.done} left" if person.done < person.total else ""
    reasons = f"{len(person.unjustified)} without a justification" if person.unjustified else ""
    return ", ".join(filter(None, (scores, reasons)))
