"""From a model's answer to a score, in layers: JSON, JSON inside text, an anchored label; or no score, with a reason.

Nothing here guesses. Where two readings are possible the answer is unparsed: a score left out is counted and shown,
a wrong one is neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from toolkit.judging.blocks import LONGEST_TEXT, DuplicateKey, find_blocks, strict_json
from toolkit.judging.labels import bare_score, labelled_scores
from toolkit.judging.objects import Told, told, without_accents
from toolkit.judging.provider import Finish
from toolkit.judging.repair import holds_stray_key, mentions_score, repaired_object
from toolkit.judging.scores import Found
from toolkit.model import Scale, Value

Method = Literal["json", "json_embedded", "regex", "default"]
Failure = Literal["refusal", "truncated", "transport", "unparsed", "clamped", "not_called"]

_FENCE_START = re.compile(r"(```|~~~)[\w+-]*")
_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*</(think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_DECLINED = re.compile(
    r"\b(i can(?:'|no|)t|i can not|i am unable|i'm unable|i won't|i'm sorry|i am sorry|as an ai|unable to rate"
    r"|nao consigo|nao posso|desculpe|lamento|como uma ia|sinto muito"
    r"|no puedo|lo siento|no me es posible|como una ia)\b"
)
_DECLINED_WITHIN = 300
NO_LABELS: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an answer says.

    Attributes:
        score: The value of the scale; None where there is none.
        method: The layer that found it; `default` where none did.
        failure: What kind of thing went wrong; None with a score.
        reason: The same in words.
        clamped: The end of the scale, where the score lay one step beyond it.
        repaired: Whether the JSON had to be repaired.
        texts: `justification`, `evidence`, `suggestion`, as far as they are there.
        confidence: The model's own, where it states one.
    """

    score: Value | None = None
    method: Method = "default"
    failure: Failure | None = None
    reason: str | None = None
    clamped: Value | None = None
    repaired: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None


def failed(failure: Failure, reason: str) -> Parsed:
    """Return the reading of a call that gave no score."""
    return Parsed(failure=failure, reason=reason)


def parse_reply(text: str, scale: Scale, *, labels: Mapping[str, Value] = NO_LABELS, finish: Finish = "stop") -> Parsed:
    """Return what an answer says.

    Args:
        text: The answer as it came.
        scale: The scale.
        labels: Words that stand for a value (`toolkit.values.labels_of`).
        finish: Why the answer ended.

    >>> parse_reply('{"justification": "ok", "score": 4}', Scale()).score
    4
    """
    if (failure := _unusable(text, finish)) is not None:
        return failure
    try:
        found = _json(text, scale, labels)
        if found is None:
            text = _without_thoughts(text)
            if not text.strip():
                return failed("truncated", "nothing but thinking")
            found = _json(text, scale, labels) or _embedded(text, scale, labels)
    except DuplicateKey:
        return failed("unparsed", "duplicate keys in an object")
    return found or _regex(text, scale, labels)


def _unusable(text: str, finish: Finish) -> Parsed | None:
    if finish == "refusal":
        return failed("refusal", "the provider or the model declined")
    if finish == "length":
        return failed("truncated", "cut off at the length limit")
    if not text.strip():
        return failed("unparsed", "the answer is empty")
    if len(text) > LONGEST_TEXT:
        return failed("unparsed", f"the answer has more than {LONGEST_TEXT} characters")
    return None


def _without_thoughts(text: str) -> str:
    while match := _THOUGHT.match(text):
        text = text[match.end() :]
    if _THINKING.match(text):
        return ""
    # servers that put the opening tag into the prompt send only the closing one
    return _THOUGHT_END.sub("", text)


def without_fence(text: str) -> str:
    """Return what stands inside a code fence, where the fence is all there is."""
    bare = text.strip()
    start = _FENCE_START.match(bare)
    if start is None or not bare.endswith(start[1]) or len(bare) < start.end() + len(start[1]):
        return text
    inside = bare[start.end() : -len(start[1])]
    return text if start[1] in inside else inside


def _json(text: str, scale: Scale, labels: Mapping[str, Value]) -> Parsed | None:
    try:
        value = strict_json(without_fence(text).strip().lstrip("\ufeff"))
        if isinstance(value, str):
            value = strict_json(value)
    except DuplicateKey:
        raise
    except ValueError:
        return None
    if isinstance(value, list):
        if len(value) != 1:
            return failed("unparsed", "a list, not one object")
        value = value[0]
    if not isinstance(value, dict):
        return None
    said = told(value, scale, labels)
    if said.found is None:
        return failed("unparsed", "the object has no score")
    return _read(said.found, "json", said)


def _embedded(text: str, scale: Scale, labels: Mapping[str, Value]) -> Parsed | None:
    """Return what the JSON inside a text says; None where there is no object with a score."""
    blocks = find_blocks(text)
    objects: list[tuple[Told, bool]] = []
    for start, end in blocks.spans:
        value, repaired = _object(text[start:end])
        if value is not None and (said := told(value, scale, labels)).found is not None:
            objects.append((said, repaired))
    if not blocks.complete:
        start, end = text.find("{"), text.rfind("}") + 1
        # quotes that were not escaped hide the closing brace; anything behind the last one means: cut off
        value = repaired_object(text[start:end]) if end > start and not text[end:].strip("`~ \r\n\t") else None
        said = told(value, scale, labels) if value else Told(None, {})
        if said.found is None or objects:
            return failed("truncated", "a JSON object that never ends")
        objects = [(said, True)]
    outside = _outside(text, blocks.spans) if blocks.complete else ""
    if (blocks.spans or "}" in outside) and holds_stray_key(outside):
        return failed("unparsed", "a piece of JSON with a score of its own beside the object")
    if not objects:
        unread = any(mentions_score(text[start:end]) for start, end in blocks.spans)
        return failed("unparsed", "an object whose score is not certain") if unread else None
    said, repaired = objects[0]
    assert said.found is not None
    if any(other.found != said.found for other, _ in objects):
        return failed("unparsed", "several objects with scores that differ")
    for other in labelled_scores(outside, scale, labels):
        if other.contradicts(said.found):
            return failed("unparsed", "the object and a labelled line give scores that differ")
    return replace(_read(said.found, "json_embedded", said), repaired=repaired)


def _object(block: str) -> tuple[dict[str, Any] | None, bool]:
    try:
        value = strict_json(block)
    except DuplicateKey:
        raise
    except ValueError:
        value = repaired_object(block)
        return value, value is not None
    return (value if isinstance(value, dict) else None), False


def _outside(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    pieces, place = [], 0
    for start, end in spans:
        pieces.append(text[place:start])
        place = end
    return "\n".join([*pieces, text[place:]])


def _regex(text: str, scale: Scale, labels: Mapping[str, Value]) -> Parsed:
    found = labelled_scores(text, scale, labels)
    if not found and (bare := bare_score(text, scale, labels)) is not None:
        found = [bare]
    if not found:
        if _DECLINED.search(without_accents(text[:_DECLINED_WITHIN]).casefold().replace("’", "'")):
            return failed("refusal", "the answer declines to score")
        return failed("unparsed", "no score in the answer")
    if any((other.value, other.clamped) != (found[0].value, found[0].clamped) for other in found):
        return failed("unparsed", "several labelled scores that differ")
    return _read(found[0], "regex", Told(found[0], {}))


def _read(found: Found, method: Method, said: Told) -> Parsed:
    rest: dict[str, Any] = {"texts": said.texts, "confidence": said.confidence}
    if found.value is not None:
        return Parsed(found.value, method, **rest)
    if found.clamped is not None:
        return Parsed(None, method, "clamped", found.reason, found.clamped, **rest)
    return Parsed(None, "default", "unparsed", found.reason, **rest)
