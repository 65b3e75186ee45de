"""Which value of the scale a cell holds: exactly one, or none, or an error that says why.

People and programs write the same score in many ways (`4`, `4.0`, `"4"`, `"4,0"`, `４`, `4 - Boa`). A way is
accepted only when it can mean one value and no other; nothing is rounded, clipped or guessed.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from toolkit.model import Rubric, Scale, Value
from toolkit.texts import composed, plain_key, visible

# 2.9999999999999996 is 3 after a journey through binary arithmetic; 2.99 is not.
# A whole number beyond this is written as a power of ten.
LARGEST_SHOWN = 10**15
FLOAT_NOISE = 1e-12
MINUS = "\u2212"
# 4,000 is four to some people and four thousand to others
_NUMBER = re.compile(r"[+-]?(?:\d+|\d+[.,](?:\d{1,2}|\d{4,})|0[.,]\d{3})")
# In the form of `plain_key`, in every language: a file may have been filled in another's program.
_YES = frozenset(("yes", "y", "sim", "sí", "si", "s", "true", "verdadeiro", "verdadero", "x", "1"))
_NO = frozenset(("no", "n", "não", "nao", "false", "falso", "0"))
# `4 of 5`: how high the scale goes, not another score
_OF = re.compile(r"\b(?:of|de)\s+\d+\s*$")
_DISPLAYED = re.compile(
    r"(?P<before>[^\d()]*?)(?P<open>\(?)(?P<inside>[^\d()]*?)(?<![.,])(?P<number>[-−–]?(?!0\d)\d+(?:[.,]\d+)?)"
    r"(?P<after>[^\d()]*)(?P<close>\)?)\s*"
)
LONGEST_DISPLAY = 100
_LABELLED = re.compile(r"(\S+)\s*(?:[-–—:=.)]\s*)(.+)")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A cell's value on the scale.

    Attributes:
        value: The value; None where the cell is blank.
        repair: How it was written, where it was not written as the plain value.
    """

    value: Value | None
    repair: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """A value that was certain but not written as the plain value: where, whose, what was found, what was read.

    Attributes:
        place: File, sheet and cell.
        item: The item, as the file names it.
        field: What was read: `score` or `doubt`.
    """

    place: str
    annotator: str
    item: str
    field: str
    found: str
    read_as: str


def says_yes(text: str) -> bool | None:
    """Return whether a text is a word for yes, in any of the languages; None where it is none for no either.

    >>> says_yes("Sim"), says_yes(" não"), says_yes("maybe")
    (True, False, None)
    """
    word = plain_key(text)
    return True if word in _YES else False if word in _NO else None


def labels_of(rubric: Rubric, dimension: str | None = None) -> dict[str, Value]:
    """Return the words that stand for a value: the scale's labels, and the dimension's short forms.

    Args:
        rubric: The rubric.
        dimension: The dimension whose short forms count too.

    Returns:
        `plain_key` of the words to the value. Words that would stand for two values are left out.
    """
    pairs = [(plain_key(label), value) for value, label in rubric.scale.labels.items()]
    if dimension in rubric.dimensions:
        pairs += [(plain_key(lv.short), v) for v, lv in rubric.dimensions[dimension].levels.items()]
    found: dict[str, set[Value]] = {}
    for words, value in pairs:
        found.setdefault(words, set()).add(value)
    return {words: next(iter(values)) for words, values in found.items() if len(values) == 1}


def parse_score(
    raw: object, scale: Scale, labels: Mapping[str, Value] | None = None, *, textual: bool = False
) -> Parsed:
    """Return the one value of the scale that a cell holds.

    Args:
        raw: The cell as the file stores it: text, number, bool, date, or None.
        scale: The scale.
        labels: Words that stand for a value, from `labels_of`.
        textual: Whether the file holds nothing but text (CSV), so that `4` as text is the plain way to write it.

    Raises:
        ValueError: With the reason in words, when the cell holds anything but one value of the scale.

    >>> parse_score("4,0", Scale()).value, parse_score(None, Scale()).value
    (4, None)
    """
    allowed = f"the scale is {scale}"
    if raw is None:
        return Parsed(None)
    if isinstance(raw, bool):
        raise ValueError(f"a true/false value is not a score; {allowed}")
    if isinstance(raw, datetime.date | datetime.time | datetime.timedelta):
        raise ValueError(f"a date or time is not a score (a program may have turned 4/5 into one); {allowed}")
    if isinstance(raw, int | float):
        return _number(raw, scale, allowed)
    if not isinstance(raw, str):
        raise ValueError(f"this is not a score; {allowed}")
    if any(unicodedata.category(character) == "No" for character in raw):
        raise ValueError(f"a raised, circled or fractional number is not a score; {allowed}")
    text = visible(composed(raw, "NFKC")).replace(MINUS, "-")
    if not text:
        return Parsed(None)
    parsed = _text(text, raw, scale, labels or {}, allowed)
    return Parsed(parsed.value) if textual and raw == str(parsed.value) else parsed


def shows(display: str, value: Value | float | None, *, rounded: bool = False) -> bool:
    """Return whether what a program displays for a cell (`R$ 4,00`, `4 of 5`, `(2)` for -2) is a value, no other one.

    >>> shows("R$ 4,00", 4), shows("(2)", -2), shows("4 of 5", 4)
    (True, True, True)
    >>> shows("4,67", 4.6667, rounded=True), shows("4,67", 4.6667), shows("4", 4.6667, rounded=True)
    (True, False, False)
    >>> [shows(display, 4) for display in ("5", "", "3-4", "~4", "4%", ".4", "04", "(4)")]
    [False, False, False, False, False, False, False, False]
    """
    match = _DISPLAYED.fullmatch(_OF.sub("", display)) if len(display) <= LONGEST_DISPLAY else None
    if match is None or bool(match["open"]) != bool(match["close"]):
        return False
    if not all(map(_is_unit, match["before"] + match["inside"] + match["after"])):
        return False
    number = float(re.sub("[−–]", "-", match["number"]).replace(",", "."))
    if rounded and isinstance(value, float):
        value = round(value, len(re.split("[.,]", match["number"] + ".")[1]))
    # accountants write what is below zero in parentheses
    return (-abs(number) if match["open"] else number) == value


def _is_unit(character: str) -> bool:
    """Return whether a character beside a number leaves it what it is: of a word or a currency."""
    return character.isalpha() or character.isspace() or unicodedata.category(character) == "Sc" or character in ".:"


def _number(number: float, scale: Scale, allowed: str) -> Parsed:
    if scale.kind == "nominal":
        raise ValueError(f"a number is not one of the names; {allowed}")
    for value in scale.values:
        distance = abs(number - float(value))
        if distance == 0:
            return Parsed(value)
        if distance < FLOAT_NOISE:
            return Parsed(value, repr(number))
    if scale.holds(number):
        raise ValueError(f"{number!r} lies between two values; {allowed}")
    shown = int(number) if abs(number) < LARGEST_SHOWN and float(number).is_integer() else number
    raise ValueError(f"{shown!r} is off the scale; {allowed}")


def _text(text: str, raw: str, scale: Scale, labels: Mapping[str, Value], allowed: str) -> Parsed:
    written = None if scale.kind == "nominal" and raw in scale.values else raw
    if value := _one_word(text, scale, labels):
        return Parsed(value[0], written)
    # `4 - Boa`: a value and its own label; with another value's label it is a contradiction
    if (match := _LABELLED.fullmatch(text)) and (second := labels.get(plain_key(match[2]))) is not None:
        first = _one_word(match[1], scale, {})
        if first == (second,):
            return Parsed(second, written)
        if first:
            raise ValueError(f"the number says {first[0]} and the words say {second}; {allowed}")
    if _NUMBER.fullmatch(text):
        return _number(float(text.replace(",", ".")), scale, allowed)
    raise ValueError(f"this does not hold exactly one value; {allowed}")


def _one_word(text: str, scale: Scale, labels: Mapping[str, Value]) -> tuple[Value] | None:
    """Return the value in a tuple (so that a value may be falsy), or None."""
    key = plain_key(text)
    for value in scale.values:
        if scale.kind == "nominal" and plain_key(str(value)) == key:
            return (value,)
        if scale.kind == "ordinal" and _NUMBER.fullmatch(text) and float(text.replace(",", ".")) == value:
            return (value,)
    return (labels[key],) if key in labels else None
