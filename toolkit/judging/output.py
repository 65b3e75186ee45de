"""Verdicts as judged records: JSON Lines that `toolkit.records` reads back.

What does not count in agreement is never in `judge_score`: a neutral score for an unparsed answer and a clamped one
have fields of their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.judging.session import Result
from toolkit.judging.verdicts import Reading, Verdict
from toolkit.model import Judgement, Record, Response, Scale, SourceItem

# fields of an earlier run that this one replaces
OWN = (
    "parse_method",
    "judge_failure",
    "judge_reason",
    "judge_clamped",
    "judge_neutral",
    "judge_repaired",
    "judge_evidence",
    "judge_suggestion",
    "judge_criteria",
    "judge_samples",
    "judge_unsure",
    "judge_prompt",
    "position_consistent",
)
_PLAIN = (
    "ground_truth",
    "expected_behavior",
    "original_response",
    "category",
    "provider",
    "model",
    "difficulty",
    "stratum",
    "weight",
    "inclusion_probability",
    "cluster",
)


def to_jsonl(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """Return records as JSON Lines; a lone surrogate stays as its escape."""
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join(json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n" for line in lines).encode()


def neutral_score(scale: Scale) -> float | None:
    """Return the middle of an ordinal scale; a nominal one has none."""
    if scale.kind == "nominal":
        return None
    middle = (scale.codes[(len(scale.codes) - 1) // 2] + scale.codes[len(scale.codes) // 2]) / 2
    return int(middle) if middle == int(middle) else middle


def judged_record(
    record: Record, result: Result, judge: str, *, keep_others: bool, neutral: float | None, prompt: str | None
) -> dict[str, Any]:
    """Return the judged record of an item.

    Args:
        record: The item, and what other judges said of it before.
        result: What was said of it now.
        judge: What the verdict's judge is called.
        keep_others: Whether earlier judgements are kept beside the new one.
        neutral: The score given to an unparsed answer, beside the scores that count; None leaves it without.
        prompt: The prompt's fingerprint, so that it can be told later whether it was another one; None where it is
            not known.
    """
    verdict = result.verdict
    fields = item_fields(record.item) | {"judge_model": judge, "judge_score": verdict.score}
    if verdict.score is not None and (len(verdict.scores) > 1 or verdict.unit == "response"):
        fields |= {"judge_scores": list(verdict.scores), "judge_unit": verdict.unit}
    fields |= _present(judge_confidence=verdict.confidence, position_consistent=verdict.consistent)
    fields |= _words(verdict) if len(result.by_judge) == 1 else {}
    fields |= _trouble(verdict, neutral)
    if result.unsure:
        fields["judge_unsure"] = True
    fields |= _present(judge_prompt=prompt)
    panel = [_entry(name, said) for name, said in result.by_judge.items()] if len(result.by_judge) > 1 else []
    named = {judge, *result.by_judge}
    earlier = [_earlier(said) for said in record.judgements if keep_others and said.judge not in named]
    return fields | ({"judgements": panel + earlier} if panel or earlier else {})


def item_fields(item: SourceItem) -> dict[str, Any]:
    """Return an item's fields as a judged sample has them."""
    extra = {name: value for name, value in item.extra.items() if name not in (*OWN, "judgements")}
    fields: dict[str, Any] = {"item_id": item.item_id, "dimension": item.dimension}
    if item.prompt:
        fields["prompt"] = item.prompt
    fields |= _present(**{name: getattr(item, name) for name in _PLAIN})
    if len(item.responses) == 1:
        only = item.responses[0]
        return fields | {"response": only.response} | _variant(only, "variant_prompt") | extra
    unknown = [extra.pop(name, None) for name in ("responses", "comparison_responses")]
    listed = [{"response": response.response} | _variant(response, "prompt") for response in item.responses]
    for more in unknown:
        if isinstance(more, list) and len(more) == len(listed):
            listed = [known | own for known, own in zip(listed, more, strict=True)]
    return fields | {"responses": listed} | extra


def _variant(response: Response, prompt: str) -> dict[str, Any]:
    return _present(**{prompt: response.prompt, "variant_type": response.variant_type})


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _words(verdict: Verdict) -> dict[str, Any]:
    best = verdict.best or (verdict.readings[0] if verdict.readings else None)
    if best is None:
        return {}
    texts = best.parsed.texts
    fields: dict[str, Any] = {
        f"judge_{name}": texts[name] for name in ("justification", "evidence", "suggestion") if name in texts
    }
    fields["parse_method"] = best.parsed.method
    if best.parsed.repaired:
        fields["judge_repaired"] = True
    if best.criteria:
        fields["judge_criteria"] = dict(best.criteria)
    if len(verdict.readings) > 1:
        fields["judge_samples"] = [_sample(reading) for reading in verdict.readings]
    return fields


def _sample(reading: Reading) -> dict[str, Any]:
    about, parsed = reading.about, reading.parsed
    place = {name: value for name, value in (("part", about.part), ("order", about.order)) if value}
    said = {"sample": about.sample, "score": reading.score, "parse_method": parsed.method}
    return place | said | _present(failure=parsed.failure, reason=parsed.reason, clamped=parsed.clamped)


def _trouble(verdict: Verdict, neutral: float | None) -> dict[str, Any]:
    clamped = verdict.clamped
    if clamped is None and any(reading.parsed.clamped is not None for reading in verdict.readings):
        # kept, or one of several
        clamped = next(r.parsed.clamped for r in verdict.readings if r.parsed.clamped is not None)
    fields = _present(judge_failure=verdict.failure, judge_reason=verdict.reason, judge_clamped=clamped)
    if neutral is not None and verdict.failure == "unparsed":
        fields["judge_neutral"] = neutral
    return fields


def _entry(name: str, verdict: Verdict) -> dict[str, Any]:
    words = _words(verdict)
    scores = list(verdict.scores) if verdict.score is not None and len(verdict.scores) > 1 else None
    return {"judge": name, "score": verdict.score} | _present(
        scores=scores,
        unit=verdict.unit if scores else None,
        justification=words.get("judge_justification"),
        confidence=verdict.confidence,
        parse_method=words.get("parse_method"),
        failure=verdict.failure,
        reason=verdict.reason,
    )


def _earlier(said: Judgement) -> dict[str, Any]:
    scores: Sequence[float] | None = said.scores or None
    return {"judge": said.judge, "score": _whole(said.score)} | _present(
        scores=[_whole(score) for score in scores] if scores else None,
        unit=said.unit,
        justification=said.justification,
        confidence=said.confidence,
    )


def _whole(score: float | str | None) -> float | str | None:
    return int(score) if isinstance(score, float) and score == int(score) else score
