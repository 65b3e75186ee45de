"""What plan starts from: a pilot's scores, scale and texts; a log's margins; a sample's words."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.jobs.golden import read_golden
from toolkit.jobs.judged import join_judged, judge_columns
from toolkit.jobs.make_sheets import REPORT
from toolkit.model import Scale, SourceItem
from toolkit.ratings import NO_RENAME, read_ratings
from toolkit.records import read_records
from toolkit.report.consensus_csv import guarded
from toolkit.rubrics import parse_scale
from toolkit.sampling.files import open_files
from toolkit.sampling.logs import Log
from toolkit.sampling.panels import SKEWED, UNIFORM, Pilot
from toolkit.sampling.query import Ask, groups
from toolkit.sampling.warehouse import open_table
from toolkit.study import Study, read_study
from toolkit.tables import Row, Table, is_blank, read_table
from toolkit.tables.fields import number
from toolkit.workbook.layout import minutes_to_score

CONSENSUS, METRICS, GOLDEN, STUDY = "consensus.csv", "metrics.json", "golden_set.json", "study.json"


@dataclass(frozen=True)
class Source:
    """Where a pilot's parts are.

    Attributes:
        scores: Its consensus.csv, or a table of ratings.
        scale: The scale that the files themselves tell; None where they do not.
        items: What the files tell of its items: texts, and what they share.
    """

    scores: Path
    scale: Scale | None = None
    items: tuple[SourceItem, ...] = ()


def locate(path: Path, report: Path | None = None) -> Source:
    """Return the parts of a pilot: a study folder, a report folder, or a table of scores.

    Args:
        path: The pilot.
        report: The report folder of a study, where it is not STUDY/report.

    Raises:
        ToolkitError: When a study has no report yet, the report is another study's, or a file was damaged.
    """
    study = read_study(path) if (path / STUDY).is_file() else None
    if report is not None:
        _check_report(report, study, path)
    if path.is_dir():
        folder = (report or path / REPORT) if study else path
        if not (folder / CONSENSUS).is_file():
            fix = "run toolkit consolidate first, or name the report folder with --report"
            raise ToolkitError(Problem(f"holds no {CONSENSUS}: a pilot is a finished report", fix, folder))
    elif path.name == CONSENSUS:
        folder = path.parent
    else:
        return Source(path)
    scale = study.rubric.scale if study else _told_scale(folder / METRICS)
    return Source(folder / CONSENSUS, scale, study.items if study else _golden_items(folder / GOLDEN, scale))


def _check_report(report: Path, study: Study | None, path: Path) -> None:
    if study is None:
        fix = "leave --report out, or name the study whose report it is"
        raise ToolkitError(Problem("is no study folder: --report goes with one", fix, path))
    if not (report / METRICS).is_file():
        return
    found = None
    with suppress(ValueError, AttributeError):
        found = json.loads((report / METRICS).read_bytes()).get("study_id")
    if found != study.study_id:
        what = f"is not the report of this study ({study.study_id})"
        raise ToolkitError(Problem(what, "name the folder that toolkit consolidate -o wrote", report, value=found))


def _golden_items(path: Path, scale: Scale | None) -> tuple[SourceItem, ...]:
    """Return the items of a golden set; a report in which every item waits for its discussion has none."""
    if not path.is_file():
        return ()
    with suppress(ValueError, AttributeError):
        if not json.loads(path.read_bytes()).get("scenarios", True):
            return ()
    golden, told = read_golden(path, scale=scale), {}
    # where some items have no texts, it is not known how long they take to read
    with suppress(ToolkitError):
        told = {item.key: item for item in texts_of(path, golden.scale)}
    return tuple(told.get(item.key, item).model_copy(update={"cluster": item.cluster}) for item in golden.items)


def _told_scale(path: Path) -> Scale | None:
    try:
        values = tuple(json.loads(path.read_bytes())["scale"])
        return Scale(kind="ordinal" if all(isinstance(v, int) for v in values) else "nominal", values=values)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        fix = "make the report again, or name its consensus.csv alone and --scale"
        raise ToolkitError(Problem(f"tells no scale: {shown(str(error), 100)}", fix, path)) from error


def planned_scale(given: str | None, told: Scale | None = None) -> Scale:
    """Return the scale to plan for: numbers in order, or two names, of which the second counts as a pass.

    Args:
        given: As a user names it (`1-5`, `no,yes`); 1 to 5 by default.
        told: The pilot's own.

    Raises:
        ToolkitError: When they contradict each other, or the scale is of three names or more.
    """
    scale = parse_scale(given) if given is not None else told or Scale()
    if told is not None and scale.values != told.values:
        what, fix = f"--scale contradicts the pilot, whose scale is {told}", "leave --scale out"
        raise ToolkitError(Problem(what, fix, value=given))
    if scale.kind == "nominal" and len(scale.values) > 2:
        what = "the scale must be of numbers in order, or of two names"
        raise ToolkitError(Problem(what, "write 1-5, or no,yes", value=str(scale)))
    return scale


def read_pilot(source: Source, scale: Scale, judged: Path | None = None) -> Pilot:
    """Return a pilot's scores.

    Args:
        source: Its parts.
        scale: The scale.
        judged: The judge's scores, for a table of ratings.

    Raises:
        ToolkitError: With everything that is wrong with the files.
    """
    if judged:
        return _ratings(source.scores, scale, judged)
    return _consensus(source.scores, scale, {tuple(map(guarded, item.key)): shares(item) for item in source.items})


def shares(item: SourceItem) -> str:
    """Return what an item shares with others that resemble it, as the report's intervals have it."""
    return item.cluster or item.prompt or item.item_id


def _consensus(path: Path, scale: Scale, shared: Mapping[tuple[str, ...], str]) -> Pilot:
    table = read_table(path, wanted=[frozenset(("item_id",)), frozenset(("judge_score",))])
    columns = [name for name in table.header if name.startswith("score_")]
    if not columns:
        fix = "name a study, a report folder, or ratings together with --judged"
        raise ToolkitError(table.problem("has no columns score_ANNOTATOR", fix))
    problems: list[Problem] = []
    judge = table.column("judge_score") or "judge_score"
    cells = [[_score(table, row, name, scale, problems) for name in (*columns, judge)] for row in table.rows]
    refuse(problems)
    scores = np.array(cells).reshape(-1, len(columns) + 1)
    people = scores[:, :-1]
    keys = [tuple(str(row.values.get(name)) for name in ("item_id", "dimension")) for row in table.rows]
    clusters = np.array([shared.get(key, key[0]) for key in keys])
    # an annotator who returned nothing has a column, too
    return Pilot(people[:, ~np.isnan(people).all(axis=0)], scores[:, -1], clusters)


def _score(table: Table, row: Row, column: str, scale: Scale, problems: list[Problem]) -> float:
    raw = row.values.get(column)
    if is_blank(raw):
        return math.nan
    if scale.kind == "nominal":
        names = {guarded(name): place for place, name in enumerate(scale.values)}
        found = float(names.get(str(raw), math.nan))
    else:
        try:
            found = number(raw)
        except ValueError:
            found = math.nan
    if math.isnan(found) or not scale.holds(found):
        what, fix = f"is no score on the scale {scale}", "correct it, or say which scale it is with --scale"
        problems.append(table.problem(what, fix, row=row, column=column, value=raw))
    return found


def _ratings(path: Path, scale: Scale, judged: Path) -> Pilot:
    ratings = read_ratings(path, scale=scale)
    items = [SourceItem(item_id=item_id, dimension=dimension) for item_id, dimension in ratings.items]
    joined = join_judged(judged, items, scale, described=True)
    judges = judge_columns(joined.judgements, joined.headline, items, scale).judges
    people = [
        [scale.code(r.value) if (r := ratings.annotations[key].get(name)) else math.nan for name in ratings.annotators]
        for key in ratings.items
    ]
    judge = next(iter(judges.values()), np.full(len(items), math.nan))
    return Pilot(np.array(people), judge, np.array([shares(item) for item in joined.items]))


def margins(
    text: str,
    scale: Scale,
    *,
    connect: str | None = None,
    table: str | None = None,
    rename: Mapping[str, str] = NO_RENAME,
) -> tuple[float, ...]:
    """Return how often each level is given.

    Args:
        text: `uniform`, `skewed`, shares, or a log (file, folder or pattern), whose judge scores tell.
        scale: The scale.
        connect: A database that holds the log, instead of files.
        table: The table or sheet of the log.
        rename: Field to the log's own name for it.

    Raises:
        ToolkitError: When the log cannot be read, or has no judge scores.

    >>> margins("1,1,2", Scale(values=(1, 2, 3)))
    (1.0, 1.0, 2.0)
    """
    count = len(scale.codes)
    if connect:
        return _of_log(open_table(connect, table or "").called(rename, ()), scale)
    if text == "uniform":
        return UNIFORM if count == len(UNIFORM) else (1 / count,) * count
    if text == "skewed":
        return SKEWED if count == len(SKEWED) else (0.2 / (count - 1),) * (count - 1) + (0.8,)
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return _of_log(open_files([text], table=table).called(rename, ()), scale)


def _of_log(log: Log, scale: Scale) -> tuple[float, ...]:
    found = groups(log.knowing(("judge_score",)), Ask(scale=scale, seed=0))
    counts = [sum(g.n for g in found if g.level == code) for code in scale.codes]
    if not any(counts):
        what = f"holds no judge score from {scale.codes[0]:g} to {scale.codes[-1]:g}"
        fix = "name another log (see --map, --scale), or shares such as 0.1,0.2,0.7"
        raise ToolkitError(Problem(what, fix, log.name))
    return tuple(n / sum(counts) for n in counts)


def texts_of(path: Path, scale: Scale) -> list[SourceItem]:
    """Return the items of a sample, or of a golden set."""
    return [record.item for record in read_records(path, scale=scale).records]


def minutes_per_item(items: Sequence[SourceItem]) -> float | None:
    """Return the minutes that reading and scoring an item takes; None where no answers are known."""
    known = [item.blind("") for item in items if item.responses]
    return minutes_to_score(known) / len(known) if known else None


def crowding(items: Sequence[SourceItem]) -> tuple[int, float]:
    """Return how many prompts items have between them, and how many items a prompt has, seen from an item.

    The second is the most by which shared prompts can inflate variances (Kish 1965, Survey Sampling).

    Example:
        Two items of one prompt and one of another: (2 * 2 + 1 * 1) / 3.

        >>> items = [SourceItem(item_id=i, dimension="d", prompt=p) for i, p in (("a", "x"), ("b", "x"), ("c", "y"))]
        >>> crowding(items)[0], round(crowding(items)[1], 3)
        (2, 1.667)
    """
    sizes = Counter(map(shares, items))
    return len(sizes), sum(size * size for size in sizes.values()) / max(len(items), 1)
