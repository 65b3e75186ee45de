"""metrics: automatic metrics beside the judge, and how far either agrees with people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import pretty_json, write_all
from toolkit.jobs.judged import judge_columns
from toolkit.jobs.people import own_people, read_people
from toolkit.judging.output import to_jsonl
from toolkit.llm_eval import is_run_result, run_records
from toolkit.metrics.embedding import Backend, open_embedder
from toolkit.metrics.measure import METRICS, NEED_A_MODEL, Measured, Metric, measure
from toolkit.model import Scale, SourceItem
from toolkit.records import Sample, read_records
from toolkit.report.metrics import metric
from toolkit.stats import (
    Estimate,
    Statistic,
    bootstrap,
    correlation_notes,
    kappa_notes,
    kendall_tau_b,
    pair_statistic,
    paired_difference,
    quadratic_kappa,
    spearman,
)
from toolkit.tables import BAD, read_table
from toolkit.tables.fields import json_safe, names_of
from toolkit.texts import many

SCHEMA = 1
OVERALL = "all"
# what stands beside the judge: field, name, and whether a high value means that the texts differ
COMPARED = (
    ("metric_bertscore_f1", "BERTScore F1", False),
    ("metric_consistency", "consistency (mean cosine)", False),
    ("metric_consistency_lowest", "consistency (lowest cosine)", False),
    ("metric_variance", "variance, reversed", True),
)
NOT_ON_THE_SCALE = "not defined: the metric has no values of the scale"
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MetricsOrder:
    """What is wanted.

    Attributes:
        source: The judged records.
        scale: The scale of judge and people.
        model: Folder of a model; None for metrics that need none.
        backend: What runs it; None to go by the folder.
        layer: Layer that BERTScore compares; None for the last.
        metrics: Which metrics; None for all that can be computed with what is given.
        people: File of human scores; None for those in the records, if any.
        rename: Reserved field to the name it has in the source.
        replicates: Bootstrap replicates.
        seed: Of the bootstrap.
    """

    source: Path
    scale: Scale
    model: Path | None = None
    backend: Backend | None = None
    layer: int | None = None
    metrics: tuple[Metric, ...] | None = None
    people: Path | None = None
    rename: Mapping[str, str] | None = None
    replicates: int = 10_000
    seed: int = 1

    @property
    def wanted(self) -> tuple[Metric, ...]:
        """The metrics to compute."""
        if self.metrics is not None:
            return self.metrics
        return METRICS if self.model else tuple(name for name in METRICS if name not in NEED_A_MODEL)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far one thing agrees with people.

    Attributes:
        name: A metric, or a judge.
        is_judge: Whether it is a judge.
        figures: `spearman`, `kendall_tau_b`, and for a judge `kappa_quadratic`; for a metric `judge_less_metric`, the
            headline judge's Spearman correlation less this one, on the same items.
    """

    name: str
    is_judge: bool
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class MetricsDone:
    """What was computed: how many items have each field, and agreement with people by dimension."""

    counts: Mapping[str, int]
    items: int
    model: str | None
    agreement: Mapping[str, tuple[Agreement, ...]]
    files: tuple[Path, ...]
    warnings: tuple[str, ...]
    content: Mapping[str, Any]


def metrics(
    order: MetricsOrder, out: Path, *, force: bool, progress: Callable[[int, int], None] | None = None
) -> MetricsDone:
    """Compute the metrics, and write the records with them and, where people scored, the agreement.

    Args:
        order: What is wanted.
        out: The file of records (JSON Lines); the agreement goes beside it.
        force: Whether files that exist may be replaced.
        progress: Called with items done and items in all.

    Raises:
        ToolkitError: With what is wrong with the input, the model or the files.
    """
    if lacking := [name for name in order.wanted if name in NEED_A_MODEL and order.model is None]:
        raise ToolkitError(Problem(f"{lacking[0]} needs a model", "name its folder with --model"))
    sample = read_records(order.source, rename=order.rename or {}, scale=order.scale)
    lines = _lines(order)
    items = [record.item for record in sample.records]
    people = read_people(order.people, order.scale) if order.people else own_people(items, order.scale, order.source)
    if len(people) and order.scale.kind == "nominal":
        raise ToolkitError(Problem("agreement with people needs a scale of numbers in order", "leave --people out"))
    embedder = open_embedder(order.model, order.backend, order.layer) if order.model else None
    measured: list[Measured] = []
    for place, item in enumerate(items, start=1):
        measured.append(measure(item, order.wanted, embedder))
        if progress:
            progress(place, len(items))
    warnings = [warning for warning in sample.warnings if not warning.startswith("no judge score")]
    if cut := sum(one.cut for one in measured):
        warnings.append(f"{many(cut, 'text is', 'texts are')} longer than the model reads: only the beginning counts")
    human = np.array([np.nan if (score := people.of(item)) is None else score for item in items])
    known = ~np.isnan(human)
    if order.people and not known.any():
        fix = "check that item_id and dimension are the same in both files"
        raise ToolkitError(Problem("holds no human score for any of these items", fix, order.people))
    agreement = _agreement(order, sample, items, measured, human) if known.any() else {}
    fields = list(measured[0].fields) if measured else []
    counts = {name: sum(one.fields[name] is not None for one in measured) for name in fields}
    name = embedder.name if embedder else None
    content = {
        "schema": SCHEMA,
        "source": order.source.name,
        "model": name,
        "items": len(items),
        "measured": counts,
        "human_scores": int(known.sum()),
        "seed": order.seed,
        "agreement": {group: [_json(one) for one in found] for group, found in agreement.items()},
        "warnings": warnings,
    }
    contents = {out.name: to_jsonl([line | one.fields for line, one in zip(lines, measured, strict=True)])}
    if agreement:
        contents[f"{out.stem}.agreement.json"] = pretty_json(content)
    files = write_all(out.parent, contents, force=force)
    return MetricsDone(counts, len(items), name, agreement, tuple(files), tuple(warnings), content)


def _lines(order: MetricsOrder) -> list[dict[str, Any]]:
    """Return the records as they stand in the file, so that nothing in them is lost."""
    rename = order.rename or {}
    wanted = [names_of("item_id", rename), names_of("dimension", rename)]
    table = read_table(order.source, wanted=wanted, problems=[])
    if is_run_result(table):
        table, _ = run_records(table, [])
    return [
        {name: json_safe(value) for name, value in row.values.items() if value is not BAD and value is not None}
        for row in table.rows
    ]


def _agreement(
    order: MetricsOrder, sample: Sample, items: Sequence[SourceItem], measured: Sequence[Measured], human: Array
) -> dict[str, tuple[Agreement, ...]]:
    said = [judgement for record in sample.records for judgement in record.judgements]
    judges = judge_columns(said, sample.headline_judge, items, order.scale).judges
    columns: dict[str, Array] = {}
    for field, name, reversed_ in COMPARED:
        values = np.array([np.nan if (v := one.fields.get(field)) is None else v for one in measured])
        if not np.isnan(values).all():
            columns[name] = 1 - values if reversed_ else values
    names = list(dict.fromkeys(item.dimension for item in items))
    dimension = np.array([item.dimension for item in items])
    groups = {OVERALL: np.ones(len(items), dtype=bool)} if len(names) > 1 else {}
    groups |= {name: dimension == name for name in names}
    clusters = np.array([item.cluster or item.prompt or item.item_id for item in items])
    return {
        group: _of_group(order, human[rows], _cut(judges, rows), _cut(columns, rows), clusters[rows])
        for group, rows in groups.items()
        if not np.isnan(human[rows]).all()
    }


def _of_group(
    order: MetricsOrder, human: Array, judges: dict[str, Array], metrics_: dict[str, Array], clusters: NDArray[np.str_]
) -> tuple[Agreement, ...]:
    columns = {"human": human}
    statistics: dict[tuple[str, str], Statistic] = {}
    places = [*((name, True) for name in judges), *((name, False) for name in metrics_)]
    for place, (name, is_judge) in enumerate(places):
        column = f"column {place}"
        columns[column] = judges[name] if is_judge else metrics_[name]
        statistics[column, "spearman"] = pair_statistic(spearman, "human", column, correlation_notes)
        statistics[column, "kendall_tau_b"] = pair_statistic(kendall_tau_b, "human", column, correlation_notes)
        if is_judge:
            notes = kappa_notes(order.scale.codes)
            statistics[column, "kappa_quadratic"] = pair_statistic(quadratic_kappa, "human", column, notes)
        elif judges:
            statistics[column, "judge_less_metric"] = paired_difference("human", "column 0", column, spearman)
    shared = clusters if len(set(clusters)) < len(clusters) else None
    found = bootstrap(columns, statistics, replicates=order.replicates, seed=order.seed, clusters=shared)
    return tuple(
        Agreement(
            name,
            is_judge,
            {key: estimate for (column, key), estimate in found.items() if column == f"column {place}"},
        )
        for place, (name, is_judge) in enumerate(places)
    )


def _cut(columns: Mapping[str, Array], rows: NDArray[np.bool_]) -> dict[str, Array]:
    """Return the columns of some rows, without those that have no value there."""
    return {name: column[rows] for name, column in columns.items() if not np.isnan(column[rows]).all()}


def _json(one: Agreement) -> dict[str, Any]:
    figures = {key: metric(estimate) for key, estimate in one.figures.items()}
    if not one.is_judge:
        empty = {"value": None, "ci95": None, "n": figures["spearman"]["n"], "note": NOT_ON_THE_SCALE}
        figures["kappa_quadratic"] = empty
    return {"kind": "judge" if one.is_judge else "metric", "name": shown(one.name, 200), **figures}
