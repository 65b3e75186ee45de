"""population: from a finished study back to the whole log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.analysis import Analysis
from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import sha256, write_all
from toolkit.i18n import language
from toolkit.jobs.make_sheets import REPORT
from toolkit.model import Scale
from toolkit.report.consensus_csv import guarded
from toolkit.report.population import estimand, remark_text
from toolkit.sampling.columns import MISSING
from toolkit.sampling.fetch import fetch
from toolkit.sampling.logs import Log
from toolkit.sampling.population import FEWEST, Estimates, Scored, estimate, frame_of
from toolkit.sampling.population_file import (
    Corrected,
    Counts,
    Difference,
    Dimension,
    PopulationFile,
    Remark,
    RoganGladen,
    read_population,
    scores_digest,
)
from toolkit.sampling.query import Ask, Group, groups
from toolkit.sampling.rejects import score_fault
from toolkit.stats import correction
from toolkit.study import Study, StudyItem, read_study
from toolkit.tables import is_blank, read_table
from toolkit.tables.fields import number
from toolkit.texts import many

CONSENSUS = "consensus.csv"
NEAR = 1e-6
NAMED = 3
MOST_DIFFERENT = 0.5
Key = tuple[str, str]


@dataclass(frozen=True)
class Population:
    """What population found: for each dimension its estimates, or None with too few records."""

    estimates: dict[str, Estimates | None]
    content: PopulationFile
    files: tuple[Path, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The remarks, in English."""
        return self.content.warnings


def population(
    folder: Path,
    log: Log,
    *,
    report: Path | None = None,
    by: str | None = None,
    threshold: float | None = None,
    where: str | None = None,
    out: Path | None = None,
    seed: int | None = None,
    force: bool = False,
) -> Population:
    """Estimate what the study's annotators would have scored on the log the study was sampled from.

    Args:
        folder: The study folder.
        log: The log.
        report: Its report folder; STUDY/report by default.
        by: Column whose groups are compared; `model` where the log has it.
        threshold: The score from which an answer passes; the scale's second highest by default.
        where: The condition the sample was drawn with.
        out: Where to write the estimates (JSON); nowhere by default.
        seed: Of the bootstrap; the study's own by default.
        force: Whether an existing file may be replaced.

    Raises:
        ToolkitError: When there is no report yet, the scale is not ordinal, or the log is not the study's.
    """
    study = read_study(folder)
    scale = study.rubric.scale
    if scale.kind != "ordinal":
        raise ToolkitError(Problem("population needs a scale of numbers in order", "", str(folder)))
    log = log.knowing([name for name in ("item_id", "dimension", "judge_score", by) if name])
    refuse(_unusable(log, scale, by, threshold))
    scores = _consensus((report or folder / REPORT) / CONSENSUS)
    dimensions = list(dict.fromkeys(item.dimension for item in study.items))
    only = dimensions[0] if len(dimensions) == 1 and log.columns.find("dimension") is None else None
    by = by or ("model" if log.columns.find("model") else None)
    names = [name for name in (None if only else "dimension", by) if name]
    found = groups(log, Ask(scale=scale, seed=0, by=names, where=where, dimension=only))
    remarks = _same_judge(log, study, scores, only)
    estimates: dict[str, Estimates | None] = {}
    for dimension in dimensions:
        own = [g for g in found if only or g.by[0] == dimension]
        scored, said = _scored(study, dimension, scores, by)
        pass_mark = scale.pass_mark if threshold is None else threshold
        frames = {name: frame_of(of) for name, of in _by_group(own, by).items()}
        if scored is None or not sum(frame.scored for frame in frames.values()):
            estimates[dimension] = None
            said.append(Remark(kind="nothing_scored"))
        else:
            one = estimate(scored, frames, scale.codes, threshold=pass_mark, seed=study.seed if seed is None else seed)
            estimates[dimension] = one
            said += one.remarks if one else (Remark(kind="too_few", n=FEWEST),)
        remarks += [remark.model_copy(update={"dimension": dimension}) for remark in said]
    english = language("en")
    content = PopulationFile(
        study_id=study.study_id,
        scores=scores_digest([item.item_code for item in study.items], [_of(scores, item)[0] for item in study.items]),
        estimand=estimand(log.name, english),
        by=by,
        log=Counts(
            name=log.name,
            read=sum(g.n for g in found),
            frame=frame_of(found).records,
            scored=frame_of(found).scored,
        ),
        dimensions={name: None if e is None else _dimension(e) for name, e in estimates.items()},
        remarks=tuple(remarks),
        warnings=tuple(dict.fromkeys(remark_text(remark, english, remark.dimension) for remark in remarks)),
    )
    files = [] if out is None else write_all(out.parent, {out.name: content.to_json()}, force=force)
    return Population(estimates, content, tuple(files))


def include(path: Path, analysis: Analysis, study_id: str) -> tuple[PopulationFile, tuple[str, str]]:
    """Return the estimates that a report of the study shows, and the file's name and SHA-256.

    Raises:
        ToolkitError: When they are of another study or rest on other human scores, or the judge may not be shown.
    """
    content = read_population(path)
    again = "run toolkit population again, on this report"
    problems = []
    if analysis.judge_held:
        what = "rests on a judge whose figures are held back"
        problems.append(Problem(what, "bring the discussion first (--discussion)", path))
    if content.study_id != study_id:
        problems.append(Problem("belongs to another study", again, path, value=content.study_id))
    elif content.scores != scores_digest(analysis.panel.codes, analysis.consensus.headline.tolist()):
        problems.append(Problem("was estimated from other human scores than this report's", again, path))
    refuse(problems)
    return content, (path.name, sha256(path.read_bytes()))


def _consensus(path: Path) -> dict[Key, tuple[float, float]]:
    """Return human and judge score of each item of a report, NaN where there is none."""
    if not path.is_file():
        what = "there is no consensus.csv: population starts from a finished report"
        raise ToolkitError(Problem(what, "run toolkit consolidate first, or name its folder with --report", str(path)))
    table = read_table(path, wanted=[frozenset((name,)) for name in ("item_id", "dimension", "human_consensus_score")])
    found = {}
    for row in table.rows:
        cells = [row.values.get(name) for name in ("human_consensus_score", "judge_score")]
        human, judge = (math.nan if is_blank(cell) else number(cell) for cell in cells)
        found[str(row.values.get("item_id")), str(row.values.get("dimension"))] = human, judge
    if all(math.isnan(judge) for _, judge in found.values()):
        what, fix = "holds no judge score", "run toolkit consolidate with judge scores that are not held back"
        raise ToolkitError(Problem(what, fix, path))
    return found


def _of(scores: dict[Key, tuple[float, float]], item: StudyItem) -> tuple[float, float]:
    """Return human and judge score of an item; consensus.csv guards names that look like formulas."""
    return scores.get((guarded(item.item_id), guarded(item.dimension)), (math.nan, math.nan))


def _unusable(log: Log, scale: Scale, by: str | None, threshold: float | None) -> Iterator[Problem]:
    """Yield what stands in the way of any estimate."""
    known = shown(", ".join(log.columns.types), 300)
    if not log.columns.id_from and log.columns.find("item_id") is None:
        yield Problem(f"there is no column item_id; the columns are: {known}", "see --map", log.name)
    if by is not None and log.columns.find(by) is None:
        yield Problem(f"there is no column {shown(by)!r}; the columns are: {known}", "check --by", log.name)
    if threshold is not None and not scale.codes[0] < threshold <= scale.codes[-1]:
        what = f"--threshold {threshold:g}: everything passes, or nothing, on the scale {scale}"
        yield Problem(what, f"name a score above {scale.codes[0]:g} and up to {scale.codes[-1]:g}")


def _by_group(found: Sequence[Group], by: str | None) -> dict[str, list[Group]]:
    parts: dict[str, list[Group]] = {}
    for group in found:
        parts.setdefault(group.by[-1] if by else "all", []).append(group)
    return parts


def _group_of(item: StudyItem, by: str | None) -> str:
    if by is None:
        return "all"
    value = getattr(item, by, None) if by in StudyItem.model_fields else item.extra.get(by)
    return MISSING if is_blank(value) else str(value).strip()


def _scored(
    study: Study, dimension: str, scores: dict[Key, tuple[float, float]], by: str | None
) -> tuple[Scored | None, list[Remark]]:
    items = [item for item in study.items if item.dimension == dimension]
    whole = [item for item in items if not math.isnan(_of(scores, item)[0])]
    said = []
    if len(whole) < len(items):
        said.append(Remark(kind="no_consensus", n=len(items) - len(whole), of=len(items)))
    if len(whole) < 2:
        return None, said
    weighted = [item.weight is not None for item in items]
    weights = None
    if all(weighted):
        sizes: dict[str, float] = {}
        counts: dict[str, int] = {}
        for item in items:
            sizes[item.stratum or ""] = sizes.get(item.stratum or "", 0.0) + (item.weight or 0.0)
        for item in whole:
            counts[item.stratum or ""] = counts.get(item.stratum or "", 0) + 1
        if lost := [name for name in sizes if name not in counts]:
            said.append(Remark(kind="lost_strata", names=tuple(lost)))
        weights = np.array([sizes[item.stratum or ""] / counts[item.stratum or ""] for item in whole])
    elif any(weighted):
        raise ToolkitError(
            Problem("some items carry a weight and others none", "sample with toolkit sample", dimension)
        )
    return (
        Scored(
            human=np.array([_of(scores, item)[0] for item in whole]),
            judge=np.array([_of(scores, item)[1] for item in whole]),
            groups=[_group_of(item, by) for item in whole],
            weights=weights,
            strata=[item.stratum or "" for item in whole],
            clusters=[item.cluster or item.prompt or item.item_id for item in whole],
        ),
        said,
    )


def _same_judge(log: Log, study: Study, scores: dict[Key, tuple[float, float]], only: str | None) -> list[Remark]:
    """Return remarks where the log's judge scores are not the study's.

    Raises:
        ToolkitError: When most of them differ, or hardly an item is in the log: it is another log, or another judge.
    """
    records = fetch(log, [item.key for item in study.items], only)
    column = log.columns.find("judge_score")
    compared, different = 0, []
    for item in study.items:
        judged = _of(scores, item)[1]
        for record in records.get(item.key, [])[:1]:
            raw = record.get(column or "")
            if is_blank(raw) or math.isnan(judged) or score_fault(raw, study.rubric.scale):
                continue
            compared += 1
            if abs(number(raw) - judged) > NEAR:
                different.append(item.item_id)
    missing = [item.item_id for item in study.items if item.key not in records]
    if len(missing) > MOST_DIFFERENT * len(study.items):
        what = f"not in this log: {len(missing)} of the study's {many(len(study.items), 'item')}"
        raise ToolkitError(Problem(what, "name the log the sample was drawn from", log.name))
    if compared and len(different) > MOST_DIFFERENT * compared:
        what = f"{len(different)} of {many(compared, 'judge score')} not the study's: another judge, or judged again"
        raise ToolkitError(Problem(what, "name the log whose scores the study compares with people", log.name))
    said = []
    if missing:
        said.append(Remark(kind="items_not_in_log", n=len(missing), names=tuple(missing[:NAMED])))
    if different:
        said.append(Remark(kind="scores_not_in_log", n=len(different), names=tuple(different[:NAMED])))
    return said


def _dimension(one: Estimates) -> Dimension:
    return Dimension(
        n=one.n,
        log_records=one.frame.records,
        judge_scored=one.frame.scored,
        share_at_or_above={f"{level:g}": Corrected(**_figures(c)) for level, c in one.shares.items()},
        mean=Corrected(**_figures(one.mean)),
        differences=tuple(Difference(first=a, second=b, **_figures(c)) for (a, b), c in one.differences.items()),
        rogan_gladen=None
        if one.passes is None
        else RoganGladen(threshold=one.threshold, value=one.passes[0], ci95=one.passes[1]),
    )


def _figures(one: correction.Corrected) -> dict[str, Any]:
    return {
        "value": one.value,
        "ci95": one.ci95,
        "n": one.n,
        "judge_alone": one.judge,
        "people_alone": one.people,
        "lambda": one.power,
    }
