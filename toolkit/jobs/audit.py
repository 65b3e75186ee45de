"""audit-blind: proof, file by file, that nothing in an outgoing workbook unblinds; and what its order could tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from toolkit.errors import Problem, ToolkitError
from toolkit.jobs.judged import judge_columns
from toolkit.study import Study, read_study
from toolkit.workbook import discussion, triage
from toolkit.workbook.blindness import Auditor, own_names
from toolkit.workbook.ingest import ingest
from toolkit.workbook.layout import words
from toolkit.workbook.limits import limits_for
from toolkit.workbook.quotes import quoted_by_people, quoted_justifications
from toolkit.workbook.readers import Limits, Source, find_sources, read_book
from toolkit.workbook.readers.raw import Cell

TAKE_OUT = "take it out before others read this file, and ask its annotator where the words are from"


@dataclass(frozen=True)
class Association:
    """A rank test, for information: of many of them one in twenty is `significant` by chance.

    Attributes:
        what: The two things compared.
        rho: Spearman's rank correlation; None between groups, or where nothing varies.
        p_value: Of Spearman's, or of Kruskal and Wallis's test between groups; None where nothing varies.
    """

    what: str
    rho: float | None
    p_value: float | None
    n: int


@dataclass(frozen=True)
class Audited:
    """What was found in one file.

    Attributes:
        annotator: Whose workbook it is; None for one that annotators share, and where that is not known.
        kind: What it is.
    """

    name: str
    annotator: str | None
    kind: Literal["workbook", "discussion", "triage", "unknown"]
    problems: tuple[Problem, ...]
    associations: tuple[Association, ...] = field(default=())


@dataclass(frozen=True)
class Audit:
    """What was found in a study and its outgoing files.

    Attributes:
        own_names: By item_id, names of its own model or provider, or of a judge, that an item's texts give away.
        moved: Sealed things that changed since the workbooks were made.
    """

    files: tuple[Audited, ...]
    own_names: dict[str, tuple[str, ...]]
    moved: tuple[str, ...]


def audit_blind(folder: Path, paths: Sequence[Path], limits: Mapping[str, int] | None = None) -> Audit:
    """Search outgoing workbooks, and those of discussion and triage, for anything that could unblind.

    Args:
        folder: The study folder.
        paths: The workbooks, or folders of them.
        limits: Limits of a file that were chosen, by name.

    Raises:
        ToolkitError: When there is no study or no file.
    """
    study = read_study(folder)
    auditor = Auditor(study)
    most = limits_for(study, limits)
    sources, _warnings = find_sources(paths, most)
    if not sources:
        raise ToolkitError(Problem("no workbook is there", "name the files that go out (STUDY/send)"))
    quoted = tuple(quoted_justifications(study))
    files = tuple(_audited(study, auditor, source, quoted, most) for source in sources)
    return Audit(files, own_names(study), tuple(study.moved()))


def _audited(study: Study, auditor: Auditor, source: Source, quoted: tuple[Problem, ...], limits: Limits) -> Audited:
    try:
        book = read_book(source, limits)
    except ToolkitError as error:
        return Audited(source.name, None, "unknown", error.problems)
    shared: tuple[tuple[Literal["discussion", "triage"], Any], ...] = (
        ("discussion", discussion.sheet_of(book)),
        ("triage", triage.sheet_of(book)),
    )
    for kind, found in shared:
        if found is not None:
            cells = [row.get("study", Cell("")) for row in found.rows]
            foreign = [cell for cell in cells if cell.code not in ("", study.study_id)]
            if foreign:
                what, fix = "belongs to another study", f"this study is {study.study_id}"
                problem = Problem(what, fix, source.name, found.title, foreign[0].address, foreign[0].text)
                return Audited(source.name, None, "unknown", (problem,))
            return Audited(source.name, None, kind, tuple(auditor.audit_book(book, None, shared=True)))
    returned = ingest([book], study)
    name = next(iter(returned.annotations), None)
    if name is None:
        return Audited(source.name, None, "unknown", tuple(returned.problems))
    repeated = [
        Problem(f"repeats a judge's justification of item {given.item_code}", TAKE_OUT, given.place, value=words)
        for given, words in quoted_by_people(study, returned.annotations[name].values())
    ]
    problems = (*auditor.audit_book(book, name), *repeated, *quoted)
    return Audited(source.name, name, "workbook", problems, _associations(study, name))


def _associations(study: Study, name: str) -> tuple[Association, ...]:
    items = [study.by_code[code] for code in study.assignments[name]]
    scale = study.rubric.scale
    position = np.arange(len(items), dtype=float)
    length = np.array([words(item.seen) for item in items], dtype=float)
    models = [item.model or "" for item in items]
    found = [_between("place in the sheet and model", position, models), _between("length and model", length, models)]
    judges = judge_columns(study.judgements, study.headline_judge, items, scale).judges
    scores = next(iter(judges.values()), None)
    if scores is not None:
        found.append(_spearman("place in the sheet and judge score", position, scores))
        found.append(_spearman("length and judge score", length, scores))
    return tuple(found)


def _between(what: str, values: NDArray[np.float64], groups: Sequence[str]) -> Association:
    from scipy.stats import kruskal

    samples = [values[[group == name for group in groups]] for name in dict.fromkeys(groups)]
    if len(samples) < 2 or np.ptp(values) == 0:
        return Association(what, None, None, len(values))
    return Association(what, None, float(kruskal(*samples).pvalue), len(values))


def _spearman(what: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Association:
    from scipy.stats import spearmanr

    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Association(what, None, None, len(x))
    result = spearmanr(x, y)
    return Association(what, float(result.statistic), float(result.pvalue), len(x))
