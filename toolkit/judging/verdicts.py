"""From answers to a verdict: samples, the answers of a set, both orders of a comparison, several judges."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from toolkit.judging.parsing import Failure, Parsed
from toolkit.judging.provider import About
from toolkit.model import Scale

Score = float | str
Unit = Literal["set", "response"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer, read.

    Attributes:
        about: What it is about.
        parsed: What the parser found.
        score: The score that counts; None where there is none.
        text: The answer as it came; None where none came.
        criteria: The score of each criterion, where there are criteria.
    """

    about: About
    parsed: Parsed
    score: Score | None
    text: str | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge, or several, say of one item.

    Attributes:
        score: The score; None where there is none.
        confidence: Share of the answers asked for that gave this score, failures in the denominator; None for a
            single one.
        scores: The scores behind it.
        unit: What they are: of the whole set, or one for each response.
        failure: What went wrong, where there is no score.
        reason: The same in words; also said of a tie that has a score.
        clamped: The end of the scale, where the only answer lay one step beyond it.
        readings: The answers.
        consistent: For a comparison, whether both orders agree.
    """

    score: Score | None
    confidence: float | None = None
    scores: tuple[Score, ...] = ()
    unit: Unit = "set"
    failure: Failure | None = None
    reason: str | None = None
    clamped: Score | None = None
    readings: tuple[Reading, ...] = ()
    consistent: bool | None = None

    @property
    def best(self) -> Reading | None:
        """The answer whose words stand for the verdict: the first that gave its score, or the first with a score."""
        scored = [reading for reading in self.readings if reading.score is not None]
        return next((r for r in scored if r.score == self.score), scored[0] if scored else None)


def centre(scores: Sequence[Score], scale: Scale) -> tuple[Score | None, str | None]:
    """Return the median (a tie between two middle scores is kept: 3.5), or the majority of names, and what to say.

    >>> centre([3, 4, 4, 3], Scale()), centre(["A", "B"], Scale(kind="nominal", values=("A", "B")))
    ((3.5, None), (None, 'a tie: A 1, B 1'))
    """
    if not scores:
        return None, None
    if scale.kind == "ordinal":
        median = float(statistics.median(float(score) for score in scores))
        return (int(median) if median == int(median) else median), None
    return _majority(scores)


def _majority(scores: Sequence[Score]) -> tuple[Score | None, str | None]:
    counts = Counter(scores).most_common()
    most = [score for score, count in counts if count == counts[0][1]]
    if len(most) < 2:
        return (most[0] if most else None), None
    return None, "a tie: " + ", ".join(f"{score} {counts[0][1]}" for score in sorted(most, key=str))


def share(score: Score | None, scores: Sequence[Score], asked: int) -> float | None:
    """Return the share of the answers asked for that gave a score; None for a single answer.

    Where the score lies between the two middle ones, the share of the more frequent of those counts.
    """
    if asked < 2:
        return None
    if score is None:
        return 0.0
    counts = Counter(scores)
    if score in counts or isinstance(score, str):
        return counts[score] / asked
    below = max(float(s) for s in scores if float(s) < score)
    above = min(float(s) for s in scores if float(s) > score)
    return max(counts[below], counts[above]) / asked


def of_samples(readings: Sequence[Reading], scale: Scale) -> Verdict:
    """Return the verdict of K answers to the same question."""
    scores = tuple(reading.score for reading in readings if reading.score is not None)
    score, said = centre(scores, scale)
    confidence = share(score, scores, len(readings))
    verdict = Verdict(score, confidence, scores, readings=tuple(readings), reason=said)
    if score is not None:
        return verdict
    if said:
        return replace(verdict, failure="unparsed")
    first = readings[0].parsed
    clamped = {reading.parsed.clamped for reading in readings}
    return replace(
        verdict,
        failure=first.failure,
        reason=first.reason,
        clamped=clamped.pop() if len(clamped) == 1 else None,
    )


def of_responses(verdicts: Sequence[Verdict], scale: Scale) -> Verdict:
    """Return the verdict of a set whose responses were judged one by one: the median of theirs, when all have one."""
    readings = tuple(reading for verdict in verdicts for reading in verdict.readings)
    missing = [number for number, verdict in enumerate(verdicts, start=1) if verdict.score is None]
    if missing:
        first = verdicts[missing[0] - 1]
        reason = f"response {missing[0]}: {first.reason}"
        return Verdict(None, unit="response", failure=first.failure, reason=reason, readings=readings)
    scores = tuple(verdict.score for verdict in verdicts if verdict.score is not None)
    score, said = centre(scores, scale)
    known = [verdict.confidence for verdict in verdicts if verdict.confidence is not None]
    # a set is as sure as its least sure response
    confidence = min(known) if known else None
    failure: Failure | None = "unparsed" if score is None else None
    return Verdict(score, confidence, scores, "response", failure, said, readings=readings)


def of_orders(ab: Sequence[Reading], ba: Sequence[Reading], scale: Scale) -> Verdict:
    """Return the verdict of a comparison in both orders.

    There is a winner only where both orders name the same answer; otherwise it is a tie, and the inconsistency is
    recorded. The confidence is the mean of the two where they agree, and 0.5 where they do not.
    """
    swapped = [replace(reading, score=_other(reading.score)) for reading in ba]
    sides = [of_samples(ab, scale), of_samples(swapped, scale)]
    readings = (*ab, *swapped)
    for order, side in zip(("AB", "BA"), sides, strict=True):
        if not side.scores:
            return Verdict(None, failure=side.failure, reason=f"order {order}: {side.reason}", readings=readings)
    winners = [side.score if side.score is not None else "tie" for side in sides]
    if winners[0] != winners[1]:
        said = f"the orders disagree: {winners[0]} in order AB, {winners[1]} in order BA"
        return Verdict("tie", 0.5, reason=said, readings=readings, consistent=False)
    known = [_confidence(side) for side in sides]
    confidence = statistics.fmean(c for c in known if c is not None) if None not in known else None
    return Verdict(winners[0], confidence, reason=sides[0].reason, readings=readings, consistent=True)


def of_judges(verdicts: Mapping[str, Verdict], scale: Scale, by: Literal["median", "majority"]) -> Verdict:
    """Return the verdict of a panel: the median of its judges, or what most of them say."""
    scores = tuple(verdict.score for verdict in verdicts.values() if verdict.score is not None)
    score, said = _majority(scores) if by == "majority" else centre(scores, scale)
    silent = [name for name, verdict in verdicts.items() if verdict.score is None]
    if silent:
        said = "; ".join(filter(None, [said, f"no score from {', '.join(silent)}"]))
    failure: Failure | None = None if score is not None else "unparsed"
    return Verdict(score, share(score, scores, len(verdicts)), scores, failure=failure, reason=said)


def _confidence(side: Verdict) -> float | None:
    """Return the empirical confidence of one order, or for a single answer the one its judge states."""
    if side.confidence is not None:
        return side.confidence
    return side.readings[0].parsed.confidence


def _other(score: Score | None) -> Score | None:
    return {"A": "B", "B": "A"}.get(str(score), score)
