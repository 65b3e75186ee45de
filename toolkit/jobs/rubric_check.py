"""rubric check: what makes a rubric unusable, and what makes people disagree about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.metrics.words import jaccard, words
from toolkit.model import INPUT_MESSAGE_CHARACTERS, SHORT_FORM_CHARACTERS, Dimension, Rubric, Scale
from toolkit.rubrics import as_rubric, rubric_content
from toolkit.texts import plain_key

# share of words from which two descriptions are nearly the same: "mostly right" and "fully right" differ in one of six
NEARLY_SAME = 0.65
# words below which a description names a level and does not describe it
FEW_WORDS = 3
FEWEST_SCORES = 2
# "correct and complete" is one thing to most readers; from two conjunctions on, a question asks for several
MOST_CONJUNCTIONS = 1
_CONJUNCTIONS = {"en": "and|or", "pt": "e|ou", "es": "y|e|o|u"}
_JOINED = re.compile(r"[/&+,;]")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found; with errors, warnings are of what could be read."""

    rubric: Rubric | None
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def check_rubric(path: Path) -> Checked:
    """Return everything that is wrong with a rubric file, and everything that is worth a second look."""
    try:
        content = rubric_content(path)
    except ToolkitError as error:
        return Checked(None, error.problems, ())
    errors = list(_faults(content, path))
    places = {problem.cell for problem in errors}
    try:
        rubric = as_rubric(content, path)
    except ToolkitError as error:
        # a fault of the whole rubric has no place, and is found by place above
        errors += [problem for problem in error.problems if (problem.cell or not errors) and problem.cell not in places]
        return Checked(None, tuple(errors), ())
    return Checked(rubric, (), tuple(lint(rubric, path)))


def lint(rubric: Rubric, path: Path | None = None) -> Iterator[Problem]:
    """Yield what is worth a second look in a rubric that can be used."""
    for key, dimension in rubric.dimensions.items():
        place = f"dimensions.{key}"
        yield from _several_things(dimension, rubric.language, place, path)
        yield from _levels(dimension, rubric.scale, f"{place}.levels", path)
        if not dimension.edge_cases:
            fix = "add the situations in which people would hesitate, each with the decision"
            yield Problem("has no edge cases", fix, path, cell=f"{place}.edge_cases")
        scores = {example.score for example in dimension.examples}
        if not scores:
            yield Problem("has no examples", "add invented ones with different scores", path, cell=f"{place}.examples")
        elif len(scores) < FEWEST_SCORES:
            what, fix = f"all examples have the score {shown(scores.pop())}", "add one with another score"
            yield Problem(what, fix, path, cell=f"{place}.examples")


def _faults(content: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield what is missing or too long, in every dimension at once."""
    scale, dimensions = content.get("scale"), content.get("dimensions")
    if not isinstance(scale, dict) or not isinstance(dimensions, dict):
        return
    values = scale.get("values", list(Scale().values))
    if not isinstance(values, list):
        return
    for key, dimension in dimensions.items():
        levels = dimension.get("levels") if isinstance(dimension, dict) else None
        if not isinstance(levels, dict):
            continue
        place = f"dimensions.{key}.levels"
        described = {str(value): level for value, level in levels.items()}
        for value in values:
            if str(value) not in described:
                fix = "describe it, with short and description"
                yield Problem(f"the level {shown(value)} is missing", fix, path, cell=f"{place}.{value}")
        for value in described:
            if value not in set(map(str, values)):
                what, fix = f"there is no value {shown(value)} on the scale", "take the level out"
                yield Problem(what, fix, path, cell=f"{place}.{value}")
        shorts = {
            value: level["short"]
            for value, level in described.items()
            if isinstance(level, dict) and isinstance(level.get("short"), str)
        }
        long = [value for value, short in shorts.items() if len(short) > SHORT_FORM_CHARACTERS]
        for value in long:
            what = f"short has {len(shorts[value])} characters; {SHORT_FORM_CHARACTERS} fit beside the score"
            yield Problem(what, "shorten it", path, cell=f"{place}.{value}.short", value=shorts[value])
        message = "\n".join(f"{value} = {short}" for value, short in shorts.items())
        if not long and len(message) > INPUT_MESSAGE_CHARACTERS:
            what = f"the short forms need {len(message)} characters together; {INPUT_MESSAGE_CHARACTERS} fit"
            yield Problem(what, "shorten some of them", path, cell=place)


def _several_things(dimension: Dimension, language: str, place: str, path: Path | None) -> Iterator[Problem]:
    fix = "make a dimension of each, or leave all but one out: people weigh them differently"
    conjunctions = _CONJUNCTIONS.get(language.partition("-")[0])
    joined = re.compile(rf"\b(?:{conjunctions})\b", re.IGNORECASE) if conjunctions else re.compile("(?!)")
    if _JOINED.search(dimension.title) or joined.search(dimension.title):
        yield Problem("the title names several things", fix, path, cell=f"{place}.title", value=dimension.title)
    question = dimension.question
    if question.count("?") > 1 or len(joined.findall(question)) > MOST_CONJUNCTIONS:
        yield Problem("the question asks for several things", fix, path, cell=f"{place}.question", value=question)


def _levels(dimension: Dimension, scale: Scale, place: str, path: Path | None) -> Iterator[Problem]:
    levels = {value: dimension.levels[value] for value in scale.values}
    for value, level in levels.items():
        said = words(level.description) - words(scale.labels.get(value, "")) - {plain_key(str(value))}
        if len(said) < FEW_WORDS:
            what, fix = "the description says hardly more than the level's name", "say what is seen in such an answer"
            yield Problem(what, fix, path, cell=f"{place}.{value}.description", value=level.description)
    for (one, first), (other, second) in combinations(levels.items(), 2):
        if plain_key(first.short) == plain_key(second.short):
            what = f"the levels {shown(one)} and {shown(other)} have the same short form"
            yield Problem(what, "make them differ", path, cell=f"{place}.{other}.short", value=second.short)
        alike = jaccard(words(first.description), words(second.description))
        if alike >= NEARLY_SAME:
            degree = "the same" if alike == 1 else "nearly the same"
            what = f"the levels {shown(one)} and {shown(other)} are described in {degree} words"
            fix = "say what is seen in one of them and not in the other"
            yield Problem(what, fix, path, cell=f"{place}.{other}.description", value=second.description)
