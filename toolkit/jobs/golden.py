"""Golden sets in: items with a human consensus, from this toolkit's own report, from llm-eval, or judged records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.jobs.make_sheets import REPORT
from toolkit.model import Scale, SourceItem
from toolkit.records import item_key
from toolkit.rubrics import parse_scale
from toolkit.tables import BAD, in_order, is_blank, read_table
from toolkit.tables.fields import Fields, judge_score, names_of
from toolkit.texts import many

FILE_NAME = "golden_set.json"
ANSWERS = ("response", "chatbot_response", "responses", "comparison_responses", "response_1")
CONSENSUS = "human_consensus_score"
Array = NDArray[np.float64]
Key = tuple[str, str]


@dataclass(frozen=True)
class GoldenSet:
    """Items that people agreed on; arrays have shape (n_items,), or (n_items, n_annotators) for the people.

    Attributes:
        path: The file.
        scale: The scale of the scores.
        items: The items that have a consensus, without their answers.
        human: The consensus, as codes of the scale.
        annotators: The people behind it, where the file has their scores.
        people: Their scores as codes, NaN where missing.
        judged: Whether the file holds judge scores too.
        texts: Whether it holds answers, so that a judge can be asked about them.
        seed: Of the report that the file came from, so that its figures come out again; 0 for other files.
        without: Items without a consensus, which are left out.
        warnings: What was noticed and is worth saying.
    """

    path: Path
    scale: Scale
    items: tuple[SourceItem, ...]
    human: Array
    annotators: tuple[str, ...]
    people: Array
    judged: bool
    texts: bool
    seed: int
    without: tuple[str, ...]
    warnings: tuple[str, ...]

    def keeping(self, kept: frozenset[Key]) -> GoldenSet:
        """Return the golden set with these items only."""
        rows = [row for row, item in enumerate(self.items) if item.key in kept]
        return GoldenSet(
            self.path,
            self.scale,
            tuple(self.items[row] for row in rows),
            self.human[rows],
            self.annotators,
            self.people[rows],
            self.judged,
            self.texts,
            self.seed,
            self.without,
            self.warnings,
        )


def find_golden(path: Path) -> Path:
    """Return the golden set's file: itself, or the one in a report or study folder.

    Raises:
        ToolkitError: When a folder holds none.
    """
    if not path.is_dir():
        return path
    found = next((p for p in (path / FILE_NAME, path / REPORT / FILE_NAME) if p.is_file()), None)
    if found is None:
        fix = "name a report folder, or the file itself"
        raise ToolkitError(Problem(f"there is no {FILE_NAME} in this folder", fix, str(path)))
    return found


def read_golden(path: Path, *, scale: Scale | None) -> GoldenSet:
    """Return the golden set in a file.

    Args:
        path: A golden set (llm-eval's form), or any table with item_id, dimension and human_consensus_score.
        scale: The scale; None for the one the file names, or 1 to 5.

    Raises:
        ToolkitError: With everything that is wrong with the file, or when no item has a consensus.
    """
    problems: list[Problem] = []
    wanted = [names_of(name, {}) for name in ("item_id", "dimension", CONSENSUS)]
    table = read_table(path, wanted=wanted, problems=problems)
    given = table.around.get("annotation_protocol")
    protocol: dict[str, Any] = given if isinstance(given, dict) else {}
    scale = scale or _scale_of(protocol)
    rows: dict[Key, tuple[SourceItem, float | str, dict[str, float]]] = {}
    without: list[str] = []
    seen: set[Key] = set()
    for row in table.rows:
        fields = Fields(table, row, problems, {})
        key = item_key(fields, None)
        score = fields.score(CONSENSUS, scale)
        if key is None:
            continue
        if key in seen:
            fields.report("is there twice in this dimension", "keep one of them")
        seen.add(key)
        if score is None:
            if is_blank(fields.raw(CONSENSUS)):
                without.append(key[0])
            continue
        item = SourceItem(
            item_id=key[0],
            dimension=key[1],
            prompt=fields.text("prompt") or "",
            stratum=fields.label("stratum"),
            cluster=fields.label("cluster"),
        )
        rows[key] = item, score, _people(fields, scale)
    refuse(in_order(problems))
    if not rows:
        raise ToolkitError(Problem(f"no item has a {CONSENSUS}", "check that it is the right file", path))
    annotators = _annotators(protocol, [people for *_, people in rows.values()])
    # llm-eval's form has no place for items without a consensus: a report names those it left out
    listed = protocol.get("left_out")
    without += [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    warnings = [*table.notes]
    if without:
        names = ", ".join(shown(name, 40) for name in without[:5]) + (" ..." if len(without) > 5 else "")
        warnings.append(f"{many(len(without), 'item')} without a {CONSENSUS} left out ({names})")
    return GoldenSet(
        path=path,
        scale=scale,
        items=_designed([item for item, *_ in rows.values()], protocol),
        human=np.array([scale.code(score) for _, score, _ in rows.values()]),
        annotators=annotators,
        people=np.array([[people.get(name, np.nan) for name in annotators] for *_, people in rows.values()]).reshape(
            len(rows), len(annotators)
        ),
        judged=any(table.column(name) for name in ("judge_score", "judge_scores", "judgements")),
        texts=any(
            not is_blank(row.values.get(column))
            for name in ANSWERS
            if (column := table.column(name))
            for row in table.rows
        ),
        seed=seed if isinstance(seed := protocol.get("seed"), int) and seed >= 0 else 0,
        without=tuple(without),
        warnings=tuple(warnings),
    )


def _scale_of(protocol: Mapping[str, Any]) -> Scale:
    named = protocol.get("scale")
    if not isinstance(named, str):
        return Scale()
    try:
        return parse_scale(named)
    except ToolkitError:
        return Scale()


def _people(fields: Fields, scale: Scale) -> dict[str, float]:
    """Return the scores behind a consensus, as codes; they serve the draws only, so what is unclear is left out."""
    listed = fields.raw("human_scores")
    if listed is BAD or not isinstance(listed, list):
        return {}
    found: dict[str, float] = {}
    for entry in listed:
        name = entry.get("annotator_id") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            continue
        try:
            found[name] = scale.code(judge_score(entry.get("score"), scale))
        except ValueError:
            continue
    return found


def _annotators(protocol: Mapping[str, Any], people: list[dict[str, float]]) -> tuple[str, ...]:
    """Return the people in the order of their study; one alone cannot be compared with anybody."""
    given = {name for scores in people for name in scores}
    listed = protocol.get("annotators")
    ordered = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    names = dict.fromkeys([*(name for name in ordered if name in given), *(name for s in people for name in s)])
    return tuple(names) if len(names) > 1 else ()


def _designed(items: list[SourceItem], protocol: Mapping[str, Any]) -> tuple[SourceItem, ...]:
    """Return the items with what a report says of their sampling where llm-eval's form has no field for it."""
    count = Counter(item.item_id for item in items)

    def told(field: str, item: SourceItem) -> str | None:
        by_name = protocol.get(field)
        name = f"{item.item_id}#{item.dimension}" if count[item.item_id] > 1 else item.item_id
        value = by_name.get(name) if isinstance(by_name, dict) else None
        return value if isinstance(value, str) else None

    return tuple(
        item.model_copy(
            update={
                "stratum": item.stratum or told("strata", item),
                "cluster": item.cluster or told("clusters", item),
            }
        )
        for item in items
    )
