"""What people scored: from a study's report, or in the records themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from toolkit.errors import Problem, refuse, shown
from toolkit.jobs.golden import CONSENSUS, find_golden, read_golden
from toolkit.model import Scale, SourceItem
from toolkit.report.consensus_csv import guarded
from toolkit.tables.fields import judge_score


class People:
    """The human score of each item."""

    def __init__(self, scores: Mapping[tuple[str, str], float]):
        self._scores = scores

    def __len__(self) -> int:
        return len(self._scores)

    def of(self, item: SourceItem) -> float | None:
        """Return an item's human score; None where people gave none.

        consensus.csv guards names that look like formulas.
        """
        own = self._scores.get(item.key)
        return own if own is not None else self._scores.get((guarded(item.item_id), guarded(item.dimension)))


def read_people(path: Path, scale: Scale) -> People:
    """Return the human scores in a report folder, its consensus.csv or golden_set.json, or any table like these.

    Raises:
        ToolkitError: With everything that is wrong with the file.
    """
    golden = read_golden(find_golden(path), scale=scale)
    return People({item.key: float(score) for item, score in zip(golden.items, golden.human, strict=True)})


def own_people(items: Sequence[SourceItem], scale: Scale, source: Path) -> People:
    """Return the human scores that the records themselves hold.

    Raises:
        ToolkitError: When one of them is not on the scale.
    """
    problems, scores = [], {}
    for item in items:
        raw = item.extra.get(CONSENSUS)
        try:
            score = judge_score(raw, scale)
        except ValueError as error:
            what = f"item {shown(item.item_id)}: {CONSENSUS} {error}"
            problems.append(Problem(what, f"write a value within {scale}", source, value=raw))
            continue
        if score is not None:
            scores[item.key] = scale.code(score)
    refuse(problems)
    return People(scores)
