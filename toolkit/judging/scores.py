"""Which value of the scale a judge wrote: exactly one, one just off the scale, or a reason why it is none.

Stricter than a reader of prose would be: a wrong score is worse than none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolkit.model import Scale, Value
from toolkit.texts import plain_key
from toolkit.values import FLOAT_NOISE

LONGEST = 200
# at most two decimals: 1,000 and 1.000 are a thousand in one language or another
_NUMBER = r"[+-]?\d{1,4}(?:[.,]\d{1,2})?"
_OF = r"(?:/|out\s+of|of|de|sobre|em|en|von)"
_FRACTION = re.compile(rf"({_NUMBER})\s*{_OF}\s*({_NUMBER})", re.IGNORECASE)
_PLAIN = re.compile(_NUMBER)
_EXPONENT = re.compile(r"[+-]?\d+(?:\.\d+)?[eE][+-]?\d+")
_RANGE = re.compile(
    rf"(?:between\s+|entre\s+)?{_NUMBER}\s*(?:-|to|a|or|ou|o|and|e|y|,|;|~|\.\.)\s*{_NUMBER}", re.IGNORECASE
)
_LABELLED = re.compile(rf"({_NUMBER})\s*(?:[-:=.]\s*|\()(.+?)\)?")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_QUOTES = "\"'`“”‘’«»*_ \t\r\n"


@dataclass(frozen=True, slots=True)
class Found:
    """What a score field holds.

    Attributes:
        value: The value of the scale; None where there is none.
        clamped: The end of the scale, where what was written lies exactly one step beyond it.
        reason: Why there is no value.
        numbered: Whether a digit was written; only told of what stands behind a label.
    """

    value: Value | None = None
    clamped: Value | None = None
    reason: str | None = None
    numbered: bool = field(default=False, compare=False)

    def contradicts(self, other: Found) -> bool:
        """Return whether this, read beside `other`, leaves open which of the two is meant."""
        same = (self.value, self.clamped) == (other.value, other.clamped)
        return not same and (self.numbered or (self.value, self.clamped) != (None, None))


def interpret(raw: object, scale: Scale, labels: Mapping[str, Value] | None = None) -> Found:
    """Return what a judge wrote as its score.

    Args:
        raw: A JSON value, or the text behind a label.
        scale: The scale.
        labels: Words that stand for a value (`toolkit.values.labels_of`).

    >>> interpret("4,0", Scale()).value, interpret("8/10", Scale()).reason
    (4, 'another scale (out of 10)')
    """
    if raw is None:
        return Found(reason="the score is null")
    if isinstance(raw, bool):
        return Found(reason="the score is true or false")
    if isinstance(raw, list):
        return Found(reason="the score is a list")
    if isinstance(raw, dict):
        return Found(reason="the score is an object")
    if isinstance(raw, int | float):
        return _number(float(raw) if abs(raw) < 1e300 else float("inf"), scale)
    return _text(str(raw), scale, labels or {})


def _text(raw: str, scale: Scale, labels: Mapping[str, Value]) -> Found:
    if any(unicodedata.category(character) == "No" for character in raw[:LONGEST]):
        return Found(reason="a raised, circled or fractional number")
    text = unicodedata.normalize("NFKC", raw[:LONGEST]).translate(_DASHES).strip(_QUOTES)
    # a sentence's own full stop, or a comma with nothing behind it; not an ellipsis
    text = re.sub(r"(?<=[^.,;])[.,;]$", "", text).strip(_QUOTES)
    if not text:
        return Found(reason="the score is empty")
    if len(raw) > LONGEST:
        return Found(reason="the score is a long text")
    if (named := _named(text, scale, labels)) is not None:
        return Found(named)
    if scale.kind == "nominal":
        return Found(reason=f"not one of {scale}")
    if _PLAIN.fullmatch(text) or _EXPONENT.fullmatch(text):
        try:
            return _number(float(text.replace(",", ".")), scale)
        except OverflowError:
            return Found(reason="off the scale")
    if match := _FRACTION.fullmatch(text):
        whole = float(match[2].replace(",", "."))
        if whole != scale.codes[-1]:
            return Found(reason=f"another scale (out of {match[2]})")
        return _number(float(match[1].replace(",", ".")), scale)
    if match := _LABELLED.fullmatch(text):
        second = labels.get(plain_key(match[2]))
        first = _number(float(match[1].replace(",", ".")), scale)
        if second is not None and first.value == second:
            return first
        if second is not None:
            return Found(reason="the number and the words of the score differ")
    if "%" in text:
        return Found(reason="another scale (per cent)")
    if _RANGE.fullmatch(text):
        return Found(reason="a range, not one score")
    return Found(reason="the score does not hold exactly one value")


def _named(text: str, scale: Scale, labels: Mapping[str, Value]) -> Value | None:
    key = plain_key(text)
    if scale.kind == "nominal":
        for value in scale.values:
            if plain_key(str(value)) == key:
                return value
    return labels.get(key)


def _number(number: float, scale: Scale) -> Found:
    if scale.kind == "nominal":
        return Found(reason=f"a number, not one of {scale}")
    for value in scale.values:
        if abs(number - float(value)) < FLOAT_NOISE:
            return Found(value)
    if scale.holds(number):
        return Found(reason=f"{number:g} lies between two values of the scale")
    for end, beyond in ((scale.values[0], scale.codes[0] - 1), (scale.values[-1], scale.codes[-1] + 1)):
        if number == beyond:
            return Found(clamped=end, reason=f"{number:g} is off the scale by one")
    return Found(reason=f"{number:g} is off the scale")
