"""plan: how many items people would have to score, and what that costs them, before anybody is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toolkit.errors import Problem, ToolkitError
from toolkit.files import write_all
from toolkit.model import Scale
from toolkit.ratings import read_ratings
from toolkit.records import read_judgements, read_records
from toolkit.sampling import figure
from toolkit.sampling.closed_form import kappa_size
from toolkit.sampling.files import open_files
from toolkit.sampling.panels import SKEWED, UNIFORM, Array, Patterns, UnreachableError, pilot, stated
from toolkit.sampling.query import OK, Ask, groups
from toolkit.sampling.simulate import METRICS, SIZES, WIDTHS, Width, needed, width
from toolkit.tables import is_blank, read_table
from toolkit.tables.fields import number
from toolkit.workbook.layout import minutes_to_score

FEWEST_PILOT_ITEMS = 10
FEW_PILOT_ITEMS = 30
MOST_RATERS = 5
OPTIMISTIC = 1.05
CONSENSUS = "consensus.csv"
NAMES = {
    "kappa": "kappa, judge and consensus",
    "mae": "mean absolute error",
    "ceiling": "judge less people's kappa",
    "tpr": "true-positive rate",
    "tnr": "true-negative rate",
    "alt-test": "alternative annotator test",
}


@dataclass(frozen=True)
class Question:
    """What is asked of a plan.

    Attributes:
        half_width: The half-width of the 95% interval that is wanted.
        power: The probability that the alternative annotator test finds for a judge as good as assumed.
        annotators: How many people there are; `overlap` of them score each item.
        threshold: The score from which an answer passes, for the true-positive and true-negative rate.
        margin: How far below the people's kappa a judge's still counts as as good.
        minutes: For one item and one person.
    """

    scale: Scale
    annotators: int
    overlap: int
    half_width: float = 0.10
    power: float = 0.8
    threshold: float = 4
    margin: float = 0.10
    minutes: float = 2.0
    metrics: tuple[str, ...] = METRICS
    sizes: tuple[int, ...] = SIZES


@dataclass(frozen=True)
class Planned:
    """What plan found.

    Attributes:
        widths: For each figure one `Width` per size.
        needed: For each figure the items that reach the target; None where no size does.
        closed_form: Items for kappa by formula.
        have: Items of the pilot; None without one.
    """

    question: Question
    widths: dict[str, list[Width]]
    needed: dict[str, int | None]
    closed_form: int
    have: int | None
    seed: int
    files: tuple[Path, ...]
    warnings: tuple[str, ...]

    def hours(self, items: int) -> float:
        """Return the hours of each annotator for a number of items, equally shared."""
        return items * self.question.overlap / self.question.annotators * self.question.minutes / 60


def plan(question: Question, panel: Patterns, *, seed: int, out: Path | None = None, force: bool = False) -> Planned:
    """Simulate studies of every size, and find the sizes that reach the target.

    Args:
        question: What is asked.
        panel: From `assumed` or `from_pilot`.
        seed: Of the simulation.
        out: Where to write the figure (SVG).
        force: Whether an existing figure may be replaced.
    """
    if out is not None and out.suffix.casefold() != ".svg":
        raise ToolkitError(Problem("the figure is written as SVG", "give -o a name that ends in .svg", str(out)))
    metrics = [m for m in question.metrics if panel.raters > 1 or m != "ceiling"]
    metrics = [m for m in metrics if panel.raters > 2 or m != "alt-test"]
    widths = {m: [_width(question, panel, m, n, seed) for n in question.sizes] for m in metrics}
    targets = {m: question.power if m == "alt-test" else question.half_width for m in metrics}
    found = {
        m: needed(panel, m, targets[m], seed=seed, threshold=question.threshold, margin=question.margin)
        for m in metrics
    }
    table, values = panel.table()
    formula = kappa_size(table, values, question.half_width)
    files: list[Path] = []
    if out is not None:
        lines = {
            NAMES[m]: [(w.items, w.half_width) for w in widths[m] if w.half_width is not None]
            for m in metrics
            if m in WIDTHS
        }
        title = "How sure the figures will be"
        picture = figure.render(title, {k: v for k, v in lines.items() if v}, question.half_width, found.get("kappa"))
        files = write_all(out.parent, {out.name: picture}, force=force)
    said = _said(question, panel, widths, found.get("kappa"), formula)
    return Planned(question, widths, found, formula, panel.items, seed, tuple(files), tuple(said))


def _width(question: Question, panel: Patterns, metric: str, items: int, seed: int) -> Width:
    return width(panel, metric, items, seed=seed, threshold=question.threshold, margin=question.margin)


def _said(
    question: Question, panel: Patterns, widths: dict[str, list[Width]], simulated: int | None, formula: int
) -> list[str]:
    said = []
    if simulated and simulated > OPTIMISTIC * formula:
        said.append(
            f"the closed form (Fleiss, Cohen & Everitt 1969) asks for {formula} items only, the simulation for "
            f"{simulated}: the formula is optimistic here"
        )
    if panel.items is not None and panel.items < FEW_PILOT_ITEMS:
        said.append(f"the pilot has {panel.items} complete items: what it says of larger studies is rough")
    for metric, name in (("tpr", "passes"), ("tnr", "fails")):
        if any(w.half_width is None for w in widths.get(metric, [])):
            said.append(
                f"in small studies too few answers {name[:-1]} (score {question.threshold:g}) for a rate to be defined"
            )
    if panel.raters < 2:
        said.append("with one score per item people cannot be compared with each other: no ceiling, no consensus")
    return said


def assumed(
    question: Question,
    margins: Sequence[float],
    *,
    kappa: float,
    people_kappa: float | None = None,
    judge_margins: Sequence[float] | None = None,
) -> Patterns:
    """Return what scores will look like from stated margins and kappas.

    Raises:
        ToolkitError: When no such panel exists.
    """
    values = question.scale.codes
    for name, given in (("--margins", margins), ("--judge-margins", judge_margins)):
        if given is not None and (len(given) != len(values) or min(given) < 0 or sum(given) <= 0):
            what = f"{name} must name a share for each of the {len(values)} levels of the scale"
            raise ToolkitError(Problem(what, "such as 0.1,0.1,0.2,0.3,0.3", value=",".join(map(str, given))))
    try:
        return stated(
            values,
            margins,
            judge_kappa=kappa,
            people_kappa=kappa if people_kappa is None else people_kappa,
            raters=question.overlap,
            judge_margins=judge_margins,
        )
    except UnreachableError as error:
        raise ToolkitError(Problem(str(error), "choose other values for --kappa, --people-kappa or margins")) from error


def named_margins(text: str, scale: Scale) -> tuple[float, ...]:
    """Return the margins a user names: `uniform`, `skewed`, shares, or a log whose judge scores give them.

    Raises:
        ToolkitError: When it names none, or the log has no judge scores.
    """
    count = len(scale.codes)
    if text == "uniform":
        return UNIFORM if count == len(UNIFORM) else (1 / count,) * count
    if text == "skewed":
        return SKEWED if count == len(SKEWED) else (0.2 / (count - 1),) * (count - 1) + (0.8,)
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        pass
    found = groups(open_files([text]), Ask(scale=scale, seed=0), 1)
    counts = [sum(g.n for g in found if g.status == OK and g.level == value) for value in scale.codes]
    if not any(counts):
        raise ToolkitError(Problem("holds no judge score", "name a log, or shares such as 0.1,0.2,0.7", text))
    return tuple(n / sum(counts) for n in counts)


def from_pilot(path: Path, scale: Scale, overlap: int | None, judged: Path | None = None) -> Patterns:
    """Return what scores will look like if they go on as in a pilot.

    Args:
        path: A report folder, its consensus.csv, or a table of ratings with
        judged: the judge's scores beside it.
        scale: The scale.
        overlap: Scores per item to plan for; as many as most items of the pilot have by default.

    Raises:
        ToolkitError: When there are fewer than ten items with so many scores.
    """
    file = path / CONSENSUS if path.is_dir() else path
    people, judge = _ratings(file, scale, judged) if judged else _consensus(file)
    raters = people.shape[1]
    if overlap is not None and overlap > raters:
        what = f"the pilot has {raters} annotators, not {overlap}"
        raise ToolkitError(Problem(what, "state --margins and --kappa instead, or plan for fewer", file))
    given = (~np.isnan(people)).sum(axis=1)
    usual = int(np.bincount(given[given > 0]).argmax()) if given.any() else 1
    wanted = overlap or min(usual, MOST_RATERS)
    enough = int(((given >= wanted) & ~np.isnan(judge)).sum())
    if enough < FEWEST_PILOT_ITEMS:
        what = (
            f"holds {enough} items with {wanted} or more human scores and a judge score; "
            f"{FEWEST_PILOT_ITEMS} are needed"
        )
        raise ToolkitError(Problem(what, "plan for fewer scores per item (--overlap), or state --margins", file))
    return pilot(people, judge, wanted)


def _consensus(path: Path) -> tuple[Array, Array]:
    table = read_table(path, wanted=[frozenset(("item_id",)), frozenset(("judge_score",))])
    columns = [name for name in table.header if name.startswith("score_")]
    if not columns:
        fix = "name a report folder, or ratings together with --judged"
        raise ToolkitError(table.problem("has no columns score_ANNOTATOR", fix))
    judge = table.column("judge_score") or "judge_score"
    cells = [[row.values.get(name) for name in (*columns, judge)] for row in table.rows]
    scores = np.array([[math.nan if is_blank(cell) else number(cell) for cell in row] for row in cells])
    return scores[:, :-1], scores[:, -1]


def _ratings(path: Path, scale: Scale, judged: Path) -> tuple[Array, Array]:
    ratings, judgements = read_ratings(path, scale=scale), read_judgements(judged, scale=scale)
    by_key = {j.key: j.score for j in judgements.judgements if j.judge == judgements.headline_judge}
    if not judgements.has_dimension:
        by_key |= {(item, dim): by_key[k] for item, dim in ratings.items for k in [(item, "all")] if k in by_key}
    people = [
        [scale.code(r.value) if (r := ratings.annotations[key].get(name)) else math.nan for name in ratings.annotators]
        for key in ratings.items
    ]
    return np.array(people), np.array([scale.code(by_key.get(key)) for key in ratings.items])


def minutes_per_item(path: Path, scale: Scale) -> float:
    """Return the minutes that reading and scoring an item of a sample takes."""
    records = read_records(path, scale=scale).records
    return minutes_to_score([record.item.blind("") for record in records]) / len(records)
