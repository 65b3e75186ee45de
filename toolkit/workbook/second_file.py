"""What becomes of a second file from one annotator: which of the two counts, where they say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolkit.errors import Problem, shown
from toolkit.model import Annotation


class Back(NamedTuple):
    """What came back in one file.

    Attributes:
        file: Its name.
        entered: The annotation of each item, by its code.
        closing: The answers to the closing questions that were given, by machine key.
    """

    file: str
    entered: Mapping[str, Annotation]
    closing: Mapping[str, str]


class Verdict(NamedTuple):
    """What becomes of the second file.

    Attributes:
        instead: Whether it counts instead of the first.
        said: What to say of it: a warning, or a problem where nobody can tell which of them counts.
    """

    instead: bool
    said: str | Problem


def compare(annotator: str, first: Back, second: Back) -> Verdict:
    """Return what becomes of the second of two files from one annotator."""
    name, other = shown(second.file), shown(first.file)
    codes = [code for code in first.entered if _differ(first.entered[code], second.entered.get(code))]
    if codes:
        there = _difference(codes[0], first.entered[codes[0]], second.entered.get(codes[0]))
        return _refused(
            second, f"is a second file from {annotator}, and differs from {other} in {len(codes)} items{there}"
        )
    if second.closing.items() <= first.closing.items():
        return Verdict(False, f"{name} is a copy of {other}, with the same answers; it was ignored")
    if first.closing.items() <= second.closing.items():
        said = f"{name} is a copy of {other}, with more answers to the closing questions; it counts instead"
        return Verdict(True, said)
    keys = [
        key for key in sorted({*first.closing, *second.closing}) if first.closing.get(key) != second.closing.get(key)
    ]
    told = "; ".join(f"{key}: {_answer(first, key)} vs {_answer(second, key)}" for key in keys)
    return _refused(
        second,
        f"is a second file from {annotator}, with the scores of {other} and other answers to the closing questions "
        f"({told})",
    )


def _refused(second: Back, what: str) -> Verdict:
    return Verdict(False, Problem(what, "keep the one that counts and take the other away", second.file))


def _differ(one: Annotation, two: Annotation | None) -> bool:
    return two is None or one.content != two.content


def _difference(code: str, one: Annotation, two: Annotation | None) -> str:
    there = f"; first difference at item {code}: {one.place}"
    if two and one.score != two.score:
        there += f" {_has(one)}, {two.place} {_has(two)}"
    return there


def _has(one: Annotation) -> str:
    return "is blank" if one.score is None else f"has {one.score}"


def _answer(back: Back, key: str) -> str:
    return repr(shown(back.closing[key], 40)) if key in back.closing else "blank"
