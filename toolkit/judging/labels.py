"""Scores behind an anchored label (`Nota: 4`, `**Score:** 4/5`, `<score>4</score>`); answers that are one number."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolkit.judging.objects import SCORE_WORDS, without_accents
from toolkit.judging.scores import Found, interpret
from toolkit.model import Scale, Value

_WORDS = "|".join(SCORE_WORDS)
_MARKS = r"[\s*_#>•`\"'“”‘’-]*"
_LABEL = re.compile(
    rf"^{_MARKS}(?:\d{{1,2}}[.)]\s*)?{_MARKS}"
    r"(?:(?:the|my|final|overall|total|a|minha|la|mi)\s+){0,2}"
    rf"(?:{_WORDS})(?:\s+(?:final|geral|general|total|global))?{_MARKS[:-2]}]*"
    r"(?P<scale>\([^()\n]{1,40}\)|\[[^\[\]\n]{1,40}\])?[\s*_`\"'“”]*"
    r"(?:(?P<sign>(?:\s(?:is|e|es))?\s*[:=：]|\s(?:is|e|es)\s|\s[-–—]\s)(?P<rest>.*))?$",
    re.IGNORECASE,
)
_TAG = re.compile(rf"<({_WORDS})>([^<]*)</\1>", re.IGNORECASE)
_BRACKETED = re.compile(r"\[\[([^\[\]\n]{1,20})\]\]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_LONGEST_BARE = 60


def labelled_scores(text: str, scale: Scale, labels: Mapping[str, Value]) -> list[Found]:
    """Return what stands behind each label, in the order of the text."""
    plain = without_accents(text)
    found = [interpret(match[2], scale, labels) for match in _TAG.finditer(plain)]
    found += [interpret(match[1], scale, labels) for match in _BRACKETED.finditer(plain)]
    lines = [line for line in plain.splitlines() if line.strip()]
    for place, line in enumerate(lines):
        match = _LABEL.match(line) if len(line) < 2000 else None
        if match is None:
            continue
        rest = match["rest"]
        if not (rest or "").strip(" *_`"):
            # a heading, with the score on the next line
            if place + 1 == len(lines):
                continue
            rest = lines[place + 1]
        found.append(_another(match["scale"], scale) or interpret(_BRACKETED.sub(r"\1", rest), scale, labels))
    return found


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
        return Found(reason=f"another scale {stated}")
    return None
