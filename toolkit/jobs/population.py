"""population: from a finished study back to the whole log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import pretty_json, write_all
from toolkit.jobs.make_sheets import REPORT
from toolkit.sampling.columns import MISSING
from toolkit.sampling.fetch import fetch
from toolkit.sampling.logs import Log
from toolkit.sampling.population import Estimates, Scored, estimate, frame_of
from toolkit.sampling.query import Ask, Group, groups
from toolkit.sampling.rejects import score_fault
from toolkit.stats.correction import Corrected
from toolkit.study import Study, StudyItem, read_study
from toolkit.tables import is_blank, read_table
from toolkit.tables.fields import number

CONSENSUS = "consensus.csv"
NEAR = 1e-6
MOST_DIFFERENT = 0.5
Key = tuple[str, str]


@dataclass(frozen=True)
class Population:
    """What population found: for each dimension its estimates, or None with too few records."""

    estimates: dict[str, Estimates | None]
    estimand: str
    by: str | None
    rows: dict[str, int]
    files: tuple[Path, ...]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON knows it."""
        return {
            "schema": 1,
            "estimand": self.estimand,
            "by": self.by,
            "log": self.rows,
            "dimensions": {name: None if e is None else _estimates_json(e) for name, e in self.estimates.items()},
            "warnings": list(self.warnings),
        }


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
    if not log.columns.id_from and log.columns.find("item_id") is None:
        known = shown(", ".join(log.columns.types), 300)
        raise ToolkitError(Problem(f"there is no column item_id; the columns are: {known}", "see --map", log.name))
    scores = _consensus((report or folder / REPORT) / CONSENSUS)
    dimensions = list(dict.fromkeys(item.dimension for item in study.items))
    only = dimensions[0] if len(dimensions) == 1 and log.columns.find("dimension") is None else None
    by = by or ("model" if log.columns.find("model") else None)
    names = [name for name in (None if only else "dimension", by) if name]
    found = groups(log, Ask(scale=scale, seed=0, by=names, where=where, dimension=only), 1)
    warnings = _same_judge(log, study, scores, only)
    estimates: dict[str, Estimates | None] = {}
    for dimension in dimensions:
        own = [g for g in found if only or g.by[0] == dimension]
        scored, said = _scored(study, dimension, scores, by)
        warnings += [f"{dimension}: {text}" for text in said]
        pass_mark = scale.codes[-2] if threshold is None else threshold
        frames = {name: frame_of(of) for name, of in _by_group(own, by).items()}
        if scored is None or not sum(frame.scored for frame in frames.values()):
            estimates[dimension] = None
            warnings.append(f"{dimension}: the log has no scored record of it, or people scored none")
            continue
        estimates[dimension] = estimate(
            scored, frames, scale.codes, threshold=pass_mark, seed=study.seed if seed is None else seed
        )
        one = estimates[dimension]
        warnings += [f"{dimension}: {text}" for text in (one.warnings if one else ("fewer than ten records",))]
    rows = {"read": sum(g.n for g in found), "frame": frame_of(found).records, "scored": frame_of(found).scored}
    people = ", ".join(study.names)
    done = Population(
        estimates,
        f"what the median of annotators such as these ({people}) would be on the records of {log.name}",
        by,
        rows,
        (),
        tuple(dict.fromkeys(warnings)),
    )
    if out is None:
        return done
    files = write_all(out.parent, {out.name: pretty_json(done.as_json())}, force=force)
    return Population(done.estimates, done.estimand, by, rows, tuple(files), done.warnings)


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
    return found


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
) -> tuple[Scored | None, list[str]]:
    items = [item for item in study.items if item.dimension == dimension]
    whole = [item for item in items if not math.isnan(scores.get(item.key, (math.nan, math.nan))[0])]
    said = []
    if len(whole) < len(items):
        said.append(
            f"{len(items) - len(whole)} of {len(items)} items have no consensus; others of their stratum stand for them"
        )
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
            said.append(f"no record with a consensus in stratum {shown(', '.join(lost), 120)}")
        weights = np.array([sizes[item.stratum or ""] / counts[item.stratum or ""] for item in whole])
    elif any(weighted):
        raise ToolkitError(
            Problem("some items carry a weight and others none", "sample with toolkit sample", dimension)
        )
    return (
        Scored(
            human=np.array([scores[item.key][0] for item in whole]),
            judge=np.array([scores[item.key][1] for item in whole]),
            groups=[_group_of(item, by) for item in whole],
            weights=weights,
            strata=[item.stratum or "" for item in whole],
            clusters=[item.cluster or item.prompt or item.item_id for item in whole],
        ),
        said,
    )


def _same_judge(log: Log, study: Study, scores: dict[Key, tuple[float, float]], only: str | None) -> list[str]:
    """Return warnings where the log's judge scores are not the study's.

    Raises:
        ToolkitError: When most of them differ, or hardly an item is in the log: it is another log, or another judge.
    """
    records = fetch(log, [item.key for item in study.items], only)
    column = log.columns.find("judge_score")
    compared, different = 0, []
    for item in study.items:
        judged = scores.get(item.key, (math.nan, math.nan))[1]
        for record in records.get(item.key, [])[:1]:
            raw = record.get(column or "")
            if is_blank(raw) or math.isnan(judged) or score_fault(raw, study.rubric.scale):
                continue
            compared += 1
            if abs(number(raw) - judged) > NEAR:
                different.append(item.item_id)
    missing = [item.item_id for item in study.items if item.key not in records]
    if len(missing) > MOST_DIFFERENT * len(study.items):
        what = f"{len(missing)} of the study's {len(study.items)} items are not in this log"
        raise ToolkitError(Problem(what, "name the log the sample was drawn from", log.name))
    if compared and len(different) > MOST_DIFFERENT * compared:
        what = f"{len(different)} of {compared} judge scores are not the study's: another judge, or judged again"
        raise ToolkitError(Problem(what, "name the log whose scores the study compares with people", log.name))
    said = []
    if missing:
        said.append(f"{len(missing)} items of the study are not in the log ({shown(', '.join(missing[:3]), 80)})")
    if different:
        said.append(
            f"{len(different)} judge scores in the log are not the study's ({shown(', '.join(different[:3]), 80)})"
        )
    return said


def _estimates_json(one: Estimates) -> dict[str, Any]:
    return {
        "n": one.n,
        "log_records": one.frame.records,
        "judge_scored": one.frame.scored,
        "share_at_or_above": {f"{level:g}": _corrected_json(c) for level, c in one.shares.items()},
        "mean": _corrected_json(one.mean),
        "differences": [{"first": a, "second": b, **_corrected_json(c)} for (a, b), c in one.differences.items()],
        "rogan_gladen": None
        if one.passes is None
        else {"threshold": one.threshold, "value": one.passes[0], "ci95": list(one.passes[1])},
        "warnings": list(one.warnings),
    }


def _corrected_json(one: Corrected) -> dict[str, Any]:
    return {
        "value": one.value,
        "ci95": list(one.ci95),
        "n": one.n,
        "judge_alone": one.judge,
        "people_alone": one.people,
        "lambda": one.power,
    }
