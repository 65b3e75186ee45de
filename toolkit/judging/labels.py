"""Scores behind an anchored label (`Nota: 4`, `**Score:** 4/5`, `<score>4</score>`); answers that are one number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from toolkit.judging.objects import SCORE_WORDS, without_accents
from toolkit.judging.scores import Found, interpret
from toolkit.model import Scale, Value

_WORDS = "|".join(SCORE_WORDS)
_MARKS = " \t*_#>•`\"'“”‘’-"
_NUMBERED = re.compile(r"\d{1,2}[.)]\s")
_LABEL = re.compile(
    r"(?:(?:the|my|final|overall|total|a|minha|la|mi)\s+){0,2}"
    rf"(?:{_WORDS})(?:\s+(?:final|geral|general|total|global))?[*_`\"'“”]*\s*"
    r"(?P<scale>\([^()\n]{1,40}\)|\[[^\[\]\n]{1,40}\])?[*_`\"'“”]*"
    r"(?:(?:\s*\b(?:is|e|es)\b)?\s*[:=：](?P<rest>.*)|\s*\b(?:is|e|es)\s(?P<said>.*)|\s*[-–—]\s(?P<dash>.*)|\s*)$",
    re.IGNORECASE,
)
_TAG = re.compile(rf"<({_WORDS})>([^<]*)</\1>", re.IGNORECASE)
_BRACKETED = re.compile(r"\[\[([^\[\]\n]{1,20})\]\]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_LONGEST_BARE = 60
# a longer line holds more than a score, and is none
_LONGEST_LINE = 300


def labelled_scores(text: str, scale: Scale, labels: Mapping[str, Value]) -> list[Found]:
    """Return what stands behind each label, in the order of the text."""
    plain = without_accents(text)
    found = [_read(match[2], scale, labels) for match in _TAG.finditer(plain)]
    found += [_read(match[1], scale, labels) for match in _BRACKETED.finditer(plain)]
    lines = [line for line in plain.splitlines() if line.strip()]
    for place, line in enumerate(lines):
        match = _LABEL.match(_without_marks(line[:_LONGEST_LINE]))
        if match is None:
            continue
        rest = match["rest"] or match["said"] or match["dash"] or ""
        if not rest.strip(" *_`"):
            # a heading, with the score on the next line
            rest = lines[place + 1] if place + 1 < len(lines) else ""
        if (another := _another(match["scale"], scale)) is not None:
            found.append(another)
        elif rest:
            found.append(_read(_BRACKETED.sub(r"\1", rest), scale, labels))
    return found


def _read(text: str, scale: Scale, labels: Mapping[str, Value]) -> Found:
    return replace(interpret(text, scale, labels), numbered=any(map(str.isdecimal, text)))


def _without_marks(line: str) -> str:
    """Return a line without the bullets, numbers and markup in front."""
    line = line.lstrip(_MARKS)
    number = _NUMBERED.match(line)
    return line[number.end() :].lstrip(_MARKS) if number else line


def bare_score(text: str, scale: Scale, labels: Mapping[str, Value]) -> Found | None:
    """Return the score of an answer that is nothing but one; None for anything else."""
    if len(text.strip()) > _LONGEST_BARE:
        return None
    found = interpret(text.strip(), scale, labels)
    if found.value is not None or found.clamped is not None:
        return found
    return found if scale.kind == "ordinal" and re.fullmatch(r"[\s*_`]*[+-]?[\d.,].*", text.strip()) else None


def _another(stated: str | None, scale: Scale) -> Found | None:
    """Return what is wrong with a scale stated beside the label, such as (0-10)."""
    if stated is None or scale.kind == "nominal":
        return None
    numbers = [float(number.replace(",", ".")) for number in _NUMBER.findall(stated)]
    if numbers and numbers[-1] != scale.codes[-1]:
        return Found(reason=f"another scale {stated}", numbered=True)
    return None
