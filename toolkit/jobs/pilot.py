"""What plan starts from: a pilot's scores, scale and texts; a log's margins; a sample's words."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.jobs.make_sheets import REPORT
from toolkit.model import Scale, SourceItem
from toolkit.ratings import NO_RENAME, read_ratings
from toolkit.records import read_judgements, read_records
from toolkit.report.consensus_csv import guarded
from toolkit.rubrics import parse_scale
from toolkit.sampling.files import open_files
from toolkit.sampling.logs import Log
from toolkit.sampling.panels import SKEWED, UNIFORM, Pilot
from toolkit.sampling.query import Ask, groups
from toolkit.sampling.warehouse import open_table
from toolkit.study import read_study
from toolkit.tables import NO_DIMENSION, Row, Table, is_blank, read_table
from toolkit.tables.fields import number
from toolkit.workbook.layout import minutes_to_score

CONSENSUS, METRICS, GOLDEN, STUDY = "consensus.csv", "metrics.json", "golden_set.json", "study.json"


@dataclass(frozen=True)
class Source:
    """Where a pilot's parts are.

    Attributes:
        scores: Its consensus.csv, or a table of ratings.
        scale: The scale that the files themselves tell; None where they do not.
        texts: A file with the texts that people read; None where there is none.
    """

    scores: Path
    scale: Scale | None = None
    texts: Path | None = None


def locate(path: Path) -> Source:
    """Return the parts of a pilot: a study folder, a report folder, or a table of scores.

    Raises:
        ToolkitError: When a study has no report yet, or a file was damaged.
    """
    scale = read_study(path).rubric.scale if (path / STUDY).is_file() else None
    if path.is_dir():
        folder = path / REPORT if scale else path
        if not (folder / CONSENSUS).is_file():
            fix = "run toolkit consolidate first, or name the report folder"
            raise ToolkitError(Problem(f"holds no {CONSENSUS}: a pilot is a finished report", fix, folder))
    elif path.name == CONSENSUS:
        folder = path.parent
    else:
        return Source(path)
    texts = folder / GOLDEN
    return Source(folder / CONSENSUS, scale or _told_scale(folder / METRICS), texts if texts.is_file() else None)


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
    return _ratings(source.scores, scale, judged) if judged else _consensus(source.scores, scale)


def _consensus(path: Path, scale: Scale) -> Pilot:
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
    # an annotator who returned nothing has a column, too
    return Pilot(people[:, ~np.isnan(people).all(axis=0)], scores[:, -1])


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
    ratings, judgements = read_ratings(path, scale=scale), read_judgements(judged, scale=scale)
    by_key = {j.key: j.score for j in judgements.judgements if j.judge == judgements.headline_judge}
    if not judgements.has_dimension:
        by_key |= {(item, of): by_key[k] for item, of in ratings.items for k in [(item, NO_DIMENSION)] if k in by_key}
    people = [
        [scale.code(r.value) if (r := ratings.annotations[key].get(name)) else math.nan for name in ratings.annotators]
        for key in ratings.items
    ]
    return Pilot(np.array(people), np.array([scale.code(by_key.get(key)) for key in ratings.items]))


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
    found = groups(log.knowing(("judge_score",)), Ask(scale=scale, seed=0), 1)
    counts = [sum(g.n for g in found if g.level == code) for code in scale.codes]
    if not any(counts):
        what = f"holds no judge score from {scale.codes[0]:g} to {scale.codes[-1]:g}"
        fix = "name another log (see --map, --scale), or shares such as 0.1,0.2,0.7"
        raise ToolkitError(Problem(what, fix, log.name))
    return tuple(n / sum(counts) for n in counts)


def texts_of(path: Path, scale: Scale) -> list[SourceItem]:
    """Return the items of a sample, or of a golden set."""
    return [record.item for record in read_records(path, scale=scale).records]


def minutes_per_item(items: Sequence[SourceItem]) -> float:
    """Return the minutes that reading and scoring an item takes."""
    return minutes_to_score([item.blind("") for item in items]) / len(items)


def crowding(items: Sequence[SourceItem]) -> tuple[int, float]:
    """Return how many prompts items have between them, and how many items a prompt has, seen from an item.

    The second is the most by which shared prompts can inflate variances (Kish 1965, Survey Sampling).

    Example:
        Two items of one prompt and one of another: (2 * 2 + 1 * 1) / 3.

        >>> items = [SourceItem(item_id=i, dimension="d", prompt=p) for i, p in (("a", "x"), ("b", "x"), ("c", "y"))]
        >>> crowding(items)[0], round(crowding(items)[1], 3)
        (2, 1.667)
    """
    sizes = Counter(item.cluster or item.prompt or item.item_id for item in items)
    return len(sizes), sum(size * size for size in sizes.values()) / max(len(items), 1)
