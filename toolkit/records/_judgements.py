"""From a row to what judges said: the headline judge's fields, and the list of several judges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from toolkit.model import Judgement, Scale, Trace
from toolkit.tables import BAD
from toolkit.tables.fields import Fields, Noticed, as_text, judge_score, kind_of, number

UNNAMED = "judge"
_CLOSE = 1e-6
_WORDS = ("method", "failure", "reason", "prompt")
_ENTRY_KEYS = ("judge", "score", "scores", "unit", "justification", "confidence")

Unit = Literal["set", "response"]


@dataclass(frozen=True)
class Said:
    """What a row says of its judges, before it is known what the headline judge is called.

    Attributes:
        own: The judgement of `judge_score` and its companions, under its `judge_model` or no name.
        others: The entries of `judgements`.
        unknown: For each entry of `judgements` the fields nobody here knows.
    """

    own: Judgement | None
    others: tuple[Judgement, ...]
    unknown: tuple[dict[str, Any], ...]


class JudgementReader:
    """Reads the judges' fields of one row after another."""

    def __init__(self, scale: Scale, noticed: Noticed, *, means: bool):
        """Read judgements on a scale.

        Args:
            scale: The scale.
            noticed: Takes what is worth saying.
            means: Whether a mean taken of `judge_scores` goes without saying.
        """
        self.scale, self.noticed, self.means = scale, noticed, means

    def read(self, fields: Fields, key: tuple[str, str]) -> Said:
        """Return what judges said in a row; what is wrong goes to the row's problems."""
        own = self._own(fields, key)
        others, unknown = [], []
        for place, entry in enumerate(fields.listed("judgements") or [], start=1):
            if not isinstance(entry, dict):
                what = f"judgements: number {place} is {kind_of(entry)}, not an object"
                fields.report(what, 'every entry is {"judge": ..., "score": ...}', column="judgements", value=entry)
                continue
            made = self._entry(fields, key, place, entry)
            if made is not None:
                others.append(made)
                unknown.append({k: v for k, v in entry.items() if k not in _ENTRY_KEYS})
        return Said(own, self._once(fields, others), tuple(unknown) if any(unknown) else ())

    def score(self, fields: Fields, name: str, raw: Any) -> float | str | None:
        """Return one score, or None after reporting what is wrong with it."""
        try:
            score = judge_score(raw, self.scale)
            fields.check_look(fields.column(name), score, rounded=True)
            return score
        except ValueError as error:
            fix = f"correct it, or leave it blank where the judge gave none (the scale is {self.scale})"
            fields.report(f"{name} {error}", fix, column=fields.column(name) or name, value=raw)
            return None

    def _own(self, fields: Fields, key: tuple[str, str]) -> Judgement | None:
        raw = fields.raw("judge_score")
        score = None if raw is None or raw is BAD else self.score(fields, "judge_score", raw)
        listed = fields.raw("judge_scores")
        if isinstance(listed, int | float) and not isinstance(listed, bool):
            # one judgement in a column meant for several
            listed = [listed]
        elif listed is not None and listed is not BAD:
            listed = fields.listed("judge_scores")
        scores = self._scores(fields, "judge_scores", listed if isinstance(listed, list) else [])
        unit = self._unit(fields, "judge_unit", fields.label("judge_unit"))
        justification = fields.text("judge_justification")
        confidence = fields.number("judge_confidence")
        model = fields.label("judge_model")
        if score is None and raw is None:
            score = self._mean(fields, scores)
        elif isinstance(score, float) and scores and not math.isclose(score, _mean(scores), abs_tol=_CLOSE):
            self.noticed.add("judge_score is not the mean of judge_scores; it is used as it is", fields.item)
        trace = self._trace(_own_trace(fields))
        if score is None and not scores and justification is None and trace is None:
            return None
        return Judgement(
            item_id=key[0],
            dimension=key[1],
            judge=model or "",
            score=score,
            scores=tuple(scores),
            unit=unit,
            justification=justification,
            confidence=confidence,
            trace=trace,
        )

    def _trace(self, found: Mapping[str, Any]) -> Trace | None:
        """Return how a judgement came about; what is not as `toolkit judge` writes it is somebody else's field."""
        words = {name: value for name in _WORDS if isinstance(value := found.get(name), str) and value}
        clamped, consistent = found.get("clamped"), found.get("consistent")
        try:
            clamped = None if clamped is None else judge_score(clamped, self.scale)
        except ValueError:
            clamped = None
        if isinstance(consistent, str):
            consistent = {"true": True, "false": False}.get(consistent.strip().casefold())
        consistent = consistent if isinstance(consistent, bool) else None
        if not words and clamped is None and consistent is None:
            return None
        return Trace(**words, clamped=clamped, consistent=consistent)

    def _mean(self, fields: Fields, scores: list[float]) -> float | str | None:
        if not scores:
            return None
        if self.scale.kind == "nominal":
            if len(set(scores)) == 1:
                return str(self.scale.value(scores[0]))
            self.noticed.add("judge_scores differ and there is no judge_score; no score is taken", fields.item)
            return None
        if not self.means:
            self.noticed.add("judge_score is blank: the mean of judge_scores is used", fields.item)
        return _mean(scores)

    def _scores(self, fields: Fields, name: str, listed: list[Any]) -> list[float]:
        scores = []
        for raw in listed:
            if raw is None:
                self.noticed.add(f"a blank among {name} is left out", fields.item)
                continue
            score = self.score(fields, name, raw)
            if score is not None:
                scores.append(self.scale.code(score))
        return scores

    def _unit(self, fields: Fields, name: str, unit: str | None) -> Unit | None:
        if unit == "set" or unit == "response":
            return "set" if unit == "set" else "response"
        if unit is not None:
            fix = "write set (repeated judgements of the same input) or response (one per response)"
            fields.report(f"{name} is neither set nor response", fix, column=name, value=unit)
        return None

    def _entry(self, fields: Fields, key: tuple[str, str], place: int, entry: dict[str, Any]) -> Judgement | None:
        name = f"judgements: number {place}:"
        texts: dict[str, str | None] = {}
        for part in ("judge", "justification", "unit"):
            try:
                texts[part] = None if entry.get(part) is None else as_text(entry[part])
            except ValueError as error:
                fields.report(f"{name} {part} {error}", "write it as text", column="judgements", value=entry[part])
        judge = (texts.get("judge") or "").strip()
        if not judge:
            if "judge" in texts:
                fields.report(f"{name} has no judge", "name the judge", column="judgements")
            return None
        scores: list[float] = []
        listed = entry.get("scores")
        if isinstance(listed, list):
            scores = self._scores(fields, f"{name} scores", listed)
        elif listed is not None:
            what = f"{name} scores is {kind_of(listed)}, not a list"
            fields.report(what, "write a list of numbers", column="judgements", value=listed)
        raw = entry.get("score")
        confidence = None
        try:
            confidence = None if entry.get("confidence") is None else number(entry["confidence"])
        except ValueError as error:
            fix = "write a number, or leave it out"
            fields.report(f"{name} confidence {error}", fix, column="judgements", value=entry["confidence"])
        return Judgement(
            item_id=key[0],
            dimension=key[1],
            judge=judge,
            score=self._mean(fields, scores) if raw is None else self.score(fields, f"{name} score", raw),
            scores=tuple(scores),
            unit=self._unit(fields, f"{name} unit", texts.get("unit")),
            justification=texts.get("justification"),
            confidence=confidence,
            trace=self._trace(
                {"method": entry["parse_method"], "failure": entry.get("failure"), "reason": entry.get("reason")}
                if "parse_method" in entry
                else {}
            ),
        )

    def _once(self, fields: Fields, judgements: list[Judgement]) -> tuple[Judgement, ...]:
        kept: dict[str, Judgement] = {}
        for judgement in judgements:
            other = kept.setdefault(judgement.judge, judgement)
            if other.score != judgement.score:
                scores = ("no score" if score is None else str(score) for score in (other.score, judgement.score))
                what = f"judgements has {judgement.judge} twice, with {' and '.join(scores)}"
                fields.report(what, "keep one of them", column="judgements")
            elif other is not judgement:
                self.noticed.add("the same judgement is there twice; it counts once", fields.item)
        return tuple(kept.values())


def _own_trace(fields: Fields) -> dict[str, Any]:
    """Return what stands beside a headline judge's score; the columns stay the item's own fields all the same."""
    names = {
        "method": "parse_method",
        "failure": "judge_failure",
        "reason": "judge_reason",
        "clamped": "judge_clamped",
        "consistent": "position_consistent",
        "prompt": "judge_prompt",
    }
    return {name: fields.row.values.get(fields.table.column(column) or "") for name, column in names.items()}


def _mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores)
