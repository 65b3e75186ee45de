"""Criteria with weights: a score for each, and their weighted mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from toolkit.judging.blocks import DuplicateKey, find_blocks, strict_json
from toolkit.judging.objects import key_word
from toolkit.judging.scores import Found, interpret
from toolkit.judging.settings import Settings
from toolkit.model import Scale


class Criterion(Settings):
    """One thing to look at, and how much it counts."""

    name: str = Field(min_length=1, pattern=r"^[^\s\"'{}<>]+$")
    description: str = Field(min_length=1)
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0


class CriteriaFile(Settings):
    """`criteria:` and a list of them."""

    criteria: tuple[Criterion, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> CriteriaFile:
        names = [key_word(criterion.name) for criterion in self.criteria]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        return self


def criteria_scores(text: str, criteria: Sequence[Criterion], scale: Scale) -> tuple[dict[str, float], str | None]:
    """Return the score of each criterion in an answer, or none and the reason.

    Only JSON is read, and only when every criterion has a value of the scale: a mean over some of them would be a
    mean of something else.
    """
    spans = find_blocks(text)
    try:
        objects = [_object(text[start:end]) for start, end in spans.spans]
    except DuplicateKey:
        return {}, "duplicate keys in an object"
    given = [value for value in objects if value]
    if not spans.complete or len(given) != 1:
        return {}, "not one JSON object with a score for each criterion"
    found: dict[str, float] = {}
    for criterion in criteria:
        said = [raw for key, raw in given[0].items() if key_word(key) == key_word(criterion.name)]
        read = interpret(said[0], scale) if len(said) == 1 else Found(reason="there is no score")
        if read.value is None:
            return {}, f"criterion {criterion.name}: {read.reason}"
        found[criterion.name] = float(read.value)
    return found, None


def weighted_mean(scores: dict[str, float], criteria: Sequence[Criterion]) -> float:
    """Return the mean of the criteria's scores, each with its weight.

    >>> weighted_mean({"a": 5, "b": 2}, [Criterion(name="a", description="-", weight=2), Criterion(name="b",
    ...     description="-")])
    4.0
    """
    total = math.fsum(criterion.weight for criterion in criteria)
    return math.fsum(scores[criterion.name] * criterion.weight for criterion in criteria) / total


def _object(block: str) -> dict[str, Any]:
    """Return the object of scores: under the key `scores`, or the block itself."""
    try:
        value = strict_json(block)
    except DuplicateKey:
        raise
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    inner = value.get("scores", value)
    return inner if isinstance(inner, dict) else {}
