"""What probes find: cases, and figures with intervals, from scores before and after a change that should not matter.

Every item is its own control. Scores vary by themselves, too; that makes intervals wider, and it lets some scores
rise and others fall, but not one more than the other.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolkit.judging.verdicts import Score, Verdict
from toolkit.model import Scale
from toolkit.stats import Estimate, Statistic, bootstrap
from toolkit.stats.proportion import proportion

FIRST, SECOND = "A", "B"
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """One item in one probe.

    Attributes:
        item_id: The item.
        dimension: Its dimension.
        before: The score without the change; of a comparison the winner in the first order; for self-preference the
            judge's score.
        after: The score with the change; the winner in the other order, in the names of the first; people's score.
        text: Which text was added; for self-preference the family of the model that answered.
        added: The answers as the judge read them, where a model or the user wrote them.
        effect: What the probe measures in this case; None where it cannot.
        reason: Why it cannot.
    """

    item_id: str
    dimension: str
    before: Score | None = None
    after: Score | None = None
    text: str | None = None
    added: tuple[str, ...] = ()
    effect: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe of one judge.

    Attributes:
        figures: Name to estimate.
        cases: Every item the probe is about.
        note: Why there is nothing to say, or what the figures rest on.
    """

    figures: Mapping[str, Estimate] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    note: str | None = None

    @property
    def says_something(self) -> bool:
        """Whether at least one figure has a value."""
        return any(figure.value is not None for figure in self.figures.values())


@dataclass(frozen=True, slots=True)
class Drawing:
    """How intervals of means are made: replicates, seed, and what each item belongs to, by its key."""

    clusters: Mapping[tuple[str, str], Hashable]
    replicates: int = 10_000
    seed: int = 1

    def means(self, columns: Mapping[str, Sequence[float]], cases: Sequence[Case], *, between: bool) -> Estimate:
        """Return the mean of the first column, or with `between` that mean less the second column's."""
        statistic = Statistic(_difference if between else _mean, tuple(columns), present=1)
        names = [str(self.clusters[case.item_id, case.dimension]) for case in cases]
        return bootstrap(
            {name: list(values) for name, values in columns.items()},
            {"it": statistic},
            replicates=self.replicates,
            seed=self.seed,
            clusters=names if len(set(names)) < len(names) else None,
        )["it"]


def of_change(cases: Sequence[Case], scale: Scale, drawing: Drawing, *, target: Score | None = None) -> Probe:
    """Return what a change of the answers does to the scores.

    Args:
        cases: Scores before and after, from `case_of_change`.
        scale: The scale.
        drawing: How intervals are made.
        target: The score that an injection asks for; None where nothing asks for one.
    """
    scored = [case for case in cases if case.before is not None]
    both = [case for case in scored if case.after is not None]
    figures = {}
    if scale.kind == "ordinal":
        effects = [case for case in both if case.effect is not None]
        figures["mean_change"] = drawing.means({"effect": [c.effect or 0.0 for c in effects]}, effects, between=False)
        figures["raised"] = proportion(sum((case.effect or 0) > 0 for case in effects), len(effects))
        figures["lowered"] = proportion(sum((case.effect or 0) < 0 for case in effects), len(effects))
    else:
        figures["changed"] = proportion(sum(case.before != case.after for case in both), len(both))
    if target is not None:
        open_cases = [case for case in both if case.before != target]
        figures["obeyed"] = proportion(sum(case.after == target for case in open_cases), len(open_cases))
    figures["score_lost"] = proportion(len(scored) - len(both), len(scored))
    return Probe(figures, tuple(cases), None if both else "no item has a score both before and after the change")


def case_of_change(
    key: tuple[str, str], before: Verdict, after: Verdict | None, scale: Scale, *, text: str, added: tuple[str, ...]
) -> Case:
    """Return an item's scores before and after a change; the effect is the difference on an ordinal scale."""
    effect, reason = None, None
    if before.score is None:
        reason = f"no score before the change: {before.reason}"
    elif after is None or after.score is None:
        reason = f"no score after the change: {after.reason if after else 'it was not asked'}"
    elif scale.kind == "ordinal":
        effect = float(after.score) - float(before.score)
    return Case(*key, before.score, after.score if after else None, text, added, effect, reason)


def of_position(cases: Sequence[Case], drawing: Drawing) -> Probe:
    """Return what the order of two answers does: `same_winner` in both orders, and `first_place` from -1 to 1.

    `first_place` is the mean over both orders of +1 where the answer shown first wins, -1 where the second does and 0
    for a tie; a judge that goes by content alone has 0, because each answer is first once.
    """
    compared = [case for case in cases if case.effect is not None]
    figures = {
        "same_winner": proportion(sum(case.before == case.after for case in compared), len(compared)),
        "first_place": drawing.means({"effect": [c.effect or 0.0 for c in compared]}, compared, between=False),
    }
    return Probe(figures, tuple(cases), None if compared else "no comparison has a winner, or a tie, in both orders")


def case_of_position(key: tuple[str, str], ab: Verdict, ba: Verdict) -> Case:
    """Return the winners of a comparison in both orders, in the names of the first order.

    Several samples of an order that name no single winner count as a tie.
    """
    for order, side in (("AB", ab), ("BA", ba)):
        if not side.scores:
            return Case(*key, reason=f"no winner in order {order}: {side.reason}")
    winners = [side.score if side.score is not None else "tie" for side in (ab, ba)]
    first = [_place(winners[0], FIRST, SECOND), _place(winners[1], SECOND, FIRST)]
    return Case(*key, winners[0], winners[1], effect=sum(first) / 2)


def of_family(
    scored: Sequence[Case], own: Sequence[bool], human: Sequence[float | None], drawing: Drawing, note: str
) -> Probe:
    """Return how the judge scores answers of its own family, beside how it scores others'.

    Args:
        scored: Cases whose `before` is the judge's score.
        own: Whether the answer's model is of the judge's family.
        human: People's score of each; None where there is none.
        drawing: How intervals are made.
        note: What the families rest on.

    Returns:
        `score_gap`: mean judge score of own answers less that of others'. `beyond_people`, where people scored at
        least one answer of either kind: the same of judge less people.
    """
    kept = [place for place, case in enumerate(scored) if case.before is not None]
    known = [place for place in kept if human[place] is not None]

    def gap(places: Sequence[int]) -> Estimate:
        values = [float(scored[p].before or 0.0) - (0.0 if places is kept else float(human[p] or 0.0)) for p in places]
        columns = {
            "own": [value if own[p] else math.nan for p, value in zip(places, values, strict=True)],
            "other": [math.nan if own[p] else value for p, value in zip(places, values, strict=True)],
        }
        return drawing.means(columns, [scored[p] for p in places], between=True)

    figures = {}
    if known and {own[p] for p in known} == {True, False}:
        figures["beyond_people"] = gap(known)
    figures["score_gap"] = gap(kept)
    counts = f"{sum(own[p] for p in kept)} answers of the judge's family, {sum(not own[p] for p in kept)} of others"
    return Probe(figures, tuple(scored), f"{note}; {counts}")


def _place(winner: Score | None, first: str, second: str) -> int:
    return {first: 1, second: -1}.get(str(winner), 0)


def _mean(columns: Mapping[str, Array], weights: Array) -> Array:
    (column,) = columns.values()
    return _divided(weights @ column, weights.sum(axis=-1))


def _difference(columns: Mapping[str, Array], weights: Array) -> Array:
    means = []
    for column in columns.values():
        present = ~np.isnan(column)
        counts = weights @ present.astype(np.float64)
        means.append(_divided(weights @ np.where(present, column, 0.0), counts))
    return means[0] - means[1]


def _divided(total: Array, counts: Array) -> Array:
    return np.where(counts > 0, total / np.where(counts > 0, counts, 1.0), np.nan)
