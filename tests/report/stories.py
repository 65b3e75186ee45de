"""Stories to render: from small arrays, from the bundled example, from the shared cases."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.analysis import Options, Panel, analyse
from toolkit.consensus import Decision, Discussed
from toolkit.model import Annotation, Judgement, Response, Scale, SourceItem
from toolkit.report.story import Story
from toolkit.rubrics import bare_rubric, default_rubric

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "sheets" / "example"
CASES = Path(os.environ.get("TOOLKIT_CASES", ROOT.parent / "shared" / "cases"))


def make(
    scores: Sequence[Sequence[float | None]],
    judges: Mapping[str, Sequence[float | None]] | None = None,
    *,
    dimensions: Sequence[str] | None = None,
    items: Sequence[SourceItem] | None = None,
    annotations: Mapping[tuple[int, str], Annotation] | None = None,
    judgements: Mapping[tuple[str, str], Sequence[Judgement]] | None = None,
    discussed: Mapping[int, Discussed] | None = None,
    scale: Scale | None = None,
    assigned: bool = False,
    language: str = "en",
    names: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    repeats: Mapping[str, Sequence[Sequence[float]]] | None = None,
    confidence: Mapping[str, Sequence[float]] | None = None,
    **story: Any,
) -> Story:
    """Return a story from rows of scores, one row an item, one column an annotator."""
    scale = scale or Scale()
    table = np.array(scores, dtype=float)
    keys = dimensions or ["factual"] * len(table)
    panel = Panel(
        scale=scale,
        items=tuple(
            items
            or (
                SourceItem(item_id=f"i{n + 1:02d}", dimension=key, responses=(Response(response=f"Answer {n + 1}"),))
                for n, key in enumerate(keys)
            )
        ),
        codes=tuple(f"C{n + 1:03d}" for n in range(len(table))),
        annotators=tuple(names or (f"A{n + 1}" for n in range(table.shape[1]))),
        scores=table,
        assigned=np.ones(table.shape, bool) if assigned else None,
        annotations=annotations or {},
        judges={name: np.array(column, dtype=float) for name, column in (judges or {}).items()},
        discussed=discussed or {},
        repeats={name: np.array(columns, dtype=float) for name, columns in (repeats or {}).items()},
        confidence={name: np.array(column, dtype=float) for name, column in (confidence or {}).items()},
    )
    chosen: dict[str, Any] = {"seed": 1, "replicates": 100, "collected_elsewhere": not assigned, **(options or {})}
    told: dict[str, Any] = {"title": "A study", "judgements": judgements or {}, **story}
    rubric = default_rubric(language) if scale == Scale() else bare_rubric(scale, dict.fromkeys(keys), language)
    return Story(analysis=analyse(panel, Options(**chosen)), rubric=rubric, language_code=language, **told)


@cache
def example(language: str = "en") -> Story:
    """Return the bundled example, read without the package's own readers."""
    records = [json.loads(line) for line in (EXAMPLE / "sample.jsonl").read_text(encoding="utf-8").splitlines()]
    with (EXAMPLE / "answers.csv").open(encoding="utf-8-sig", newline="") as file:
        answers = list(csv.DictReader(file))
    with (EXAMPLE / "discussion.csv").open(encoding="utf-8-sig", newline="") as file:
        talked = list(csv.DictReader(file))
    items, said = [], {}
    for record in records:
        taken = {name: record[name] for name in SourceItem.model_fields if name in record and name != "responses"}
        texts = record.get("responses") or ([{"response": record["response"]}] if "response" in record else [])
        items.append(SourceItem(**taken, responses=tuple(Response(**text) for text in texts)))
        said[items[-1].key] = (
            Judgement(
                item_id=record["item_id"],
                dimension=record["dimension"],
                judge=record["judge_model"],
                score=record["judge_score"],
                scores=tuple(record.get("judge_scores", ())),
                unit=record.get("judge_unit"),
                justification=record["judge_justification"],
                confidence=record["judge_confidence"],
            ),
        )
    people = sorted({answer["annotator_id"] for answer in answers})
    place = {item.item_id: row for row, item in enumerate(items)}
    scores = np.full((len(items), len(people)), np.nan)
    annotations = {}
    for answer in answers:
        row, who = place[answer["item_id"]], answer["annotator_id"]
        scores[row, people.index(who)] = float(answer["score"])
        annotations[row, who] = Annotation(
            annotator=who,
            item_code="",
            score=int(answer["score"]),
            justification=answer["justification"],
            doubt=answer["doubt"] == "sim",
            notes=answer["notes"],
        )
    discussed = {
        place[line["item_id"]]: Discussed(
            Decision(line["decision"]), int(line["consensus_after_discussion"]), line["consensus_notes"]
        )
        for line in talked
    }
    judge = next(iter(said.values()))[0].judge
    return make(
        scores.tolist(),
        {judge: [said[item.key][0].score for item in items]},
        items=items,
        dimensions=[item.dimension for item in items],
        annotations=annotations,
        judgements=said,
        names=people,
        assigned=True,
        language=language,
        options={"replicates": 1000},
        discussed=discussed,
        title="Exemplo",
    )


@cache
def case(name: str, dimension: str | None = None, judge: str | None = None) -> Story:
    """Return a shared case, or one dimension of it."""
    folder = CASES / name
    with (folder / "ratings.csv").open(encoding="utf-8-sig", newline="") as file:
        ratings = [row for row in csv.DictReader(file) if dimension in (None, row["dimension"])]
    with (folder / "judge.csv").open(encoding="utf-8-sig", newline="") as file:
        judged = [row for row in csv.DictReader(file) if dimension in (None, row["dimension"])]
    keys = list(dict.fromkeys((row["item_id"], row["dimension"]) for row in ratings))
    place, people = {key: row for row, key in enumerate(keys)}, sorted({row["annotator_id"] for row in ratings})
    nominal = not all(row["score"].replace(".", "").isdigit() for row in ratings)
    scale = Scale(kind="nominal", values=("A", "B", "tie")) if nominal else Scale()
    scores = np.full((len(keys), len(people)), np.nan)
    for row in ratings:
        value: float | str = row["score"] if nominal else float(row["score"])
        scores[place[row["item_id"], row["dimension"]], people.index(row["annotator_id"])] = scale.code(value)
    judges: dict[str, list[float | None]] = {}
    for row in judged:
        key = row["item_id"], row["dimension"]
        found = row.get("score", row.get("judge_score"))
        if key in place and found:
            column = judges.setdefault(row.get("judge") or "judge", [None] * len(keys))
            column[place[key]] = scale.code(found if nominal else float(found))
    if judge:
        judges = {judge: judges[judge]}
    items: list[SourceItem] = []
    known = {}
    if (folder / "items.jsonl").exists():
        for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            known[record.get("item_id", record.get("id")), record.get("dimension")] = record
    for key in keys:
        record = known.get(key, {})
        texts = record.get("responses") or ([{"response": record["response"]}] if record.get("response") else [])
        wanted = ("prompt", "ground_truth", "category", "model", "original_response", "expected_behavior")
        taken = {name: record[name] for name in wanted if isinstance(record.get(name), str)}
        answers = tuple(_response(text) for text in texts)
        items.append(SourceItem(item_id=key[0], dimension=key[1], responses=answers, **taken))
    annotations = {
        (place[row["item_id"], row["dimension"]], row["annotator_id"]): Annotation(
            annotator=row["annotator_id"], item_code="", justification=row.get("justification") or ""
        )
        for row in ratings
    }
    return make(
        scores.tolist(),
        judges,
        items=items,
        dimensions=[dimension for _item_id, dimension in keys],
        names=people,
        scale=scale,
        annotations=annotations,
        title=name,
        options={"fewest_scores": 1 if name == "edge_synthetic" else 2},
    )


def _response(text: str | Mapping[str, Any]) -> Response:
    if isinstance(text, str):
        return Response(response=text)
    return Response(**{name: text[name] for name in Response.model_fields if name in text})
