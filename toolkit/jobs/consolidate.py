"""consolidate: from the workbooks that came back to the report folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from toolkit.analysis import Analysis, Options, Panel, analyse
from toolkit.consensus import FEWEST_SCORES
from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import sha256, write_all
from toolkit.jobs.answers import refuse_to_overwrite_answers
from toolkit.jobs.check import unjustified, unjustified_warning
from toolkit.jobs.discussed import Discussion, discuss
from toolkit.jobs.judged import Judged, join_judged, judge_columns, merged
from toolkit.jobs.make_sheets import FILLED, REPORT
from toolkit.jobs.population import include
from toolkit.jobs.report import Wanted, today, write_report
from toolkit.jobs.triaged import triage
from toolkit.model import Judgement
from toolkit.report.blindness import RECOGNISED, SAW, said_otherwise, said_yes, saw_scores
from toolkit.report.consensus_csv import render_repairs
from toolkit.report.sharing import Pseudonyms
from toolkit.report.story import ABSENT, DROPPED, Story
from toolkit.study import Study, read_study
from toolkit.texts import many, plain_key
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.limits import limits_for
from toolkit.workbook.readers import Limits, find_sources, read_book

# Of items in a warning.
MOST_LISTED = 10


@dataclass(frozen=True)
class Done:
    """What consolidate or analyze did."""

    story: Story
    folder: Path
    files: tuple[Path, ...]
    warnings: tuple[str, ...]

    @property
    def analysis(self) -> Analysis:
        """The results."""
        return self.story.analysis


def consolidate(
    folder: Path,
    paths: Sequence[Path] = (),
    *,
    judged: Path | None = None,
    discussion: Path | None = None,
    triaged: Path | None = None,
    population: Path | None = None,
    without: Sequence[str] = (),
    missing: Literal["leave-out", "keep"] = "leave-out",
    out: Path | None = None,
    repairs: Path | None = None,
    seed: int | None = None,
    hold_judge: bool = False,
    reveal_judge: bool = False,
    language_code: str | None = None,
    wanted: Wanted | None = None,
    limits: Mapping[str, int] | None = None,
    force: bool = False,
) -> Done:
    """Read what came back for a study and write its report folder. Nothing is remembered between runs.

    Args:
        folder: The study folder.
        paths: Filled workbooks or folders of them; STUDY/filled by default.
        judged: File of judge scores to join.
        discussion: A filled discussion workbook, or a table.
        triaged: A filled triage workbook.
        population: Estimates for the whole log, from `toolkit population`.
        without: Annotators to leave out.
        missing: Whether items with missing scores are left out of the figures, or kept with two scores or more.
        out: The report folder; STUDY/report by default.
        repairs: Where to list the values read other than as plain ones; None for nowhere.
        seed: Of the bootstrap; the study's own by default.
        hold_judge: Whether judge figures are held back whatever came in.
        reveal_judge: Whether they are shown although items wait for their discussion.
        language_code: Language of the report; the study's by default.
        wanted: What is asked of the report beyond its usual files.
        limits: Limits of a file that were chosen, by name.
        force: Whether files of an earlier report may be replaced.

    Raises:
        ToolkitError: With every problem of every file; nothing is written then.
    """
    study = read_study(folder)
    most = limits_for(study, limits)
    returned, warnings = read_returned(study, paths or [folder / FILLED], most)
    dropped = _dropped(study, without)
    warnings += _refuse_problems(returned, dropped)
    left_out = dict.fromkeys(dropped, DROPPED)
    for name in study.names:
        entered = returned.annotations.get(name, {})
        if name not in left_out and not any(annotation.score is not None for annotation in entered.values()):
            left_out[name] = ABSENT
            warnings.append(f"annotator {shown(name)} returned no score and is left out")
        if name not in left_out and (items := unjustified(study, entered)):
            warnings.append(f"annotator {shown(name)}: {unjustified_warning(items, MOST_LISTED)}")
    files = {name: file for name, file in returned.files.items() if name not in dropped}

    judgements = Judged(study.judgements, study.headline_judge)
    if judged is not None:
        judgements = merged(
            study.judgements, study.headline_judge, join_judged(judged, study.items, study.rubric.scale), judged
        )
        warnings += judgements.warnings
        files["judged"] = (judged.name, sha256(judged.read_bytes()))
    panel = _panel(study, returned, left_out, judgements)
    talked: Discussion | None = None
    if discussion is not None:
        talked = discuss(discussion, panel, study.rubric, study.study_id, most)
        panel = replace(panel, discussed=talked.outcomes)
        files["discussion"] = talked.file
        warnings += talked.warnings
    pseudonyms = Pseudonyms.of(study.names, files) if wanted and wanted.anonymous else None
    if pseudonyms is not None:
        panel = pseudonyms.panel(panel)
    analysis = analyse(
        panel,
        Options(
            seed=study.seed if seed is None else seed,
            fewest_scores=FEWEST_SCORES if missing == "keep" else None,
            hold_judge=hold_judge,
            reveal_judge=reveal_judge,
            margin=study.plan.margin,
        ),
    )
    outcomes = None
    if triaged is not None:
        outcomes, files["triage"] = triage(triaged, analysis, study.study_id, most)
    whole_log = None
    if population is not None:
        whole_log, files["population"] = include(population, analysis, study.study_id)
    closing = {name: dict(said) for name, said in returned.closing.items() if name not in left_out}
    moved = study.moved()
    # before everything else: of many warnings a console shows the first
    warnings[:0] = [*_broken_blindness(closing), *_broken_seal(moved)]
    if talked is not None:
        names = [panel.names[row] for row in analysis.rows(analysis.consensus.flagged) if row not in panel.discussed]
        if names:
            listed = ", ".join(map(shown, names[:MOST_LISTED])) + (" ..." if len(names) > MOST_LISTED else "")
            warnings.append(f"the discussion decides nothing about {many(len(names), 'flagged item')}: {listed}")
    warnings += analysis.warnings
    if analysis.judge_held:
        warnings.append(
            "the judge's figures are held back"
            + (" (--hold-judge)" if hold_judge else " until the discussion comes (--discussion), or --reveal-judge")
        )
    story = Story(
        analysis=analysis,
        rubric=study.rubric,
        language_code=language_code or study.language,
        title=(wanted and wanted.title) or folder.resolve().name,
        study=study,
        judgements=_by_item(judgements),
        files=files,
        left_out=left_out,
        repairs=tuple(repair for repair in returned.repairs if repair.annotator not in left_out),
        moved=moved,
        closing=closing,
        triage=outcomes,
        population=whole_log,
        date=today(),
        judge_seen_first=_seen_first(analysis, talked),
        warnings=tuple(warnings),
    )
    if pseudonyms is not None:
        story = pseudonyms.story(story)
    target = out or folder / REPORT
    if repairs is not None:
        refuse_to_overwrite_answers([repairs], most)
    written, notices = write_report(story, target, force=force, wanted=wanted, limits=most)
    if repairs is not None:
        written += write_all(repairs.parent, {repairs.name: render_repairs(story)}, force=force)
    return Done(story, target, tuple(written), (*warnings, *notices))


def _broken_blindness(closing: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Say who saw a score, or perhaps did, or knew whose answer it was."""
    for name in saw_scores(closing):
        yield (
            f"annotator {shown(name)} says they saw a score of the judge or of somebody else before they finished; "
            "--without leaves an annotator out"
        )
    for name, text in said_otherwise(closing, SAW).items():
        yield f"annotator {shown(name)} answered {shown(text)!r}, neither yes nor no, when asked about scores they saw"
    for name in said_yes(closing, RECOGNISED):
        yield f"annotator {shown(name)} says they recognised which model or product gave an answer"


def _broken_seal(moved: Sequence[str]) -> Iterator[str]:
    for what in moved:
        yield f"the sealed {what.replace('_', ' ')} changed after the workbooks were made"


def read_returned(study: Study, paths: Sequence[Path], limits: Limits) -> tuple[Returned, list[str]]:
    """Return what is in the files that came back, with the problems of all of them together.

    Raises:
        ToolkitError: When there is no file at all.
    """
    absent = [path for path in paths if not path.exists()]
    refuse(
        Problem("is not there", "put the workbooks that came back into STUDY/filled, or name them", str(path))
        for path in absent
    )
    sources, found = find_sources(paths, limits)
    if not sources:
        raise ToolkitError(
            Problem(
                "no filled workbook is there",
                "put the workbooks that came back into this folder, or name them",
                ", ".join(str(path) for path in paths),
            )
        )
    returned = Returned()
    problems: list[Problem] = []
    for source in sources:
        try:
            ingest([read_book(source, limits)], study, returned)  # no two of them in memory at a time
        except ToolkitError as error:
            problems += error.problems
    returned.problems[:0] = problems
    return returned, [*found, *returned.warnings]


def _dropped(study: Study, without: Sequence[str]) -> list[str]:
    known = {plain_key(name): name for name in study.names}
    unknown = [name for name in without if plain_key(name) not in known]
    refuse(
        Problem("--without names nobody of the study", f"its annotators are {', '.join(study.names)}", value=name)
        for name in unknown
    )
    return [known[plain_key(name)] for name in without]


def _refuse_problems(returned: Returned, dropped: Sequence[str]) -> list[str]:
    """Return warnings about files that do not matter, because whoever filled them in is left out.

    Raises:
        ToolkitError: With the problems of all other files.
    """
    theirs = {file: name for name, (file, _sha) in returned.files.items() if name in dropped}
    for name, (file, _sha) in returned.files.items():
        if name not in dropped:
            theirs.pop(file, None)  # several annotators in one file
    refuse(problem for problem in returned.problems if problem.file not in theirs)
    counts = Counter(str(problem.file) for problem in returned.problems)
    return [
        f"{shown(file)} is not used, since annotator {shown(theirs[file])} is left out; problems in it: {count}"
        for file, count in counts.items()
    ]


def _panel(study: Study, returned: Returned, left_out: dict[str, str], judged: Judged) -> Panel:
    people = tuple(name for name in study.names if name not in left_out)
    rows = {item.item_code: row for row, item in enumerate(study.items)}
    scores = np.full((len(study.items), len(people)), np.nan)
    assigned = np.zeros(scores.shape, bool)
    positions = np.full(scores.shape, np.nan)
    annotations = {}
    for column, name in enumerate(people):
        order = [rows[code] for code in study.assignments[name]]
        assigned[order, column] = True
        positions[order, column] = np.arange(len(order))
        for code, annotation in returned.annotations[name].items():
            scores[rows[code], column] = study.rubric.scale.code(annotation.score)
            annotations[rows[code], name] = annotation
    return Panel(
        scale=study.rubric.scale,
        items=tuple(study.items),
        codes=tuple(item.item_code for item in study.items),
        annotators=people,
        scores=scores,
        assigned=assigned,
        annotations=annotations,
        **judge_columns(judged.judgements, judged.headline, study.items, study.rubric.scale)._asdict(),
        positions=positions,
        masked=np.array([item.masked for item in study.items]),
    )


def _by_item(judged: Judged) -> dict[tuple[str, str], list[Judgement]]:
    found: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in judged.judgements:
        found.setdefault(judgement.key, []).append(judgement)
    return found


def _seen_first(analysis: Analysis, talked: Discussion | None) -> bool | None:
    """Return whether the judge's figures could be seen before the discussion; None where that cannot be known."""
    if not analysis.consensus.flagged.any() or not analysis.panel.judges:
        return None
    if talked is not None:
        return talked.judge_shown
    return not analysis.judge_held
