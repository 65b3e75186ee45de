"""Repairing JSON, and believing the result only where the score stands in the text as the repair has it."""

from __future__ import annotations

import json
import re
from typing import Any

from toolkit.judging.objects import SCORE_WORDS, is_score_key, without_accents

_QUOTE = "[\"'“”‘’«»„]"
_SPELLED = re.compile(
    rf"(?<![a-z0-9])(?:[a-z]+[ _-])?(?:{'|'.join(SCORE_WORDS)})(?:[ _-][a-z]+)?{_QUOTE}?\s*[:=]\s*"
    rf"(?:{_QUOTE}(?P<quoted>[^\"'“”‘’«»„\n]*){_QUOTE}|(?P<bare>[^\s,;}}\]\"'“”]+))"
    rf"(?=\s*(?:[,;}}\n]|$|//|#|{_QUOTE}))",
    re.IGNORECASE,
)
_MENTION = re.compile(
    rf"(?<![a-z0-9])(?:[a-z]+[ _-])?(?:{'|'.join(SCORE_WORDS)})(?:[ _-][a-z]+)?{_QUOTE}?\s*[:=]", re.IGNORECASE
)
_STRAY_KEY = re.compile(rf"{_QUOTE}\s*(?:[a-z]+[ _-])?(?:{'|'.join(SCORE_WORDS)})(?:[ _-][a-z]+)?\s*{_QUOTE}\s*:", re.I)
LONGEST = 40_000


def repaired_object(block: str) -> dict[str, Any] | None:
    """Return the object that a damaged block stands for; None where that is not certain.

    The score must stand in the text exactly once (or more often with the same value), be followed by something that
    ends it, and be what the repair made of it; a repair that invents or drops a part of it is not believed.
    """
    from json_repair import repair_json

    if len(block) > LONGEST or not block.startswith("{") or not block.rstrip().endswith("}"):
        return None
    plain = without_accents(block)
    stated = [match["quoted"] if match["quoted"] is not None else match["bare"] for match in _SPELLED.finditer(plain)]
    if not stated or len(stated) != len(_MENTION.findall(plain)) or len(set(map(_bare, stated))) != 1:
        return None
    try:
        value = json.loads(repair_json(block))
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError):
        # json-repair reads anything, and now and then trips over it
        return None
    if not isinstance(value, dict):
        return None
    scores = list(_scores(value))
    wanted = _bare(stated[0])
    return value if scores and all(_bare(str(score)) == wanted for score in scores) else None


def mentions_score(block: str) -> bool:
    """Return whether a block has something that looks like a score's key."""
    return _MENTION.search(without_accents(block)) is not None


def holds_stray_key(text: str) -> bool:
    """Return whether a text outside every block has a score's key as JSON writes it.

    A quotation that was not escaped can close the object early; then the real score stands behind it.
    """
    return _STRAY_KEY.search(without_accents(text)) is not None


def _scores(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [score for inner in value for score in _scores(inner)]
    if not isinstance(value, dict):
        return []
    found = [inner for key, inner in value.items() if is_score_key(key)]
    return found + [score for inner in value.values() for score in _scores(inner)]


def _bare(text: str) -> str:
    return without_accents(text).strip(" \"'“”‘’").casefold()
