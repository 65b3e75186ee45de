"""Rubrics as YAML files: the default ones, the user's own, and a bare one for a scale alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import template
from toolkit.model import LARGEST_VALUE, Dimension, Level, Rubric, Scale

# Of a scale that is named by its ends.
MOST_VALUES = 1_001
_DIGITS = rf"-?\d{{1,{len(str(LARGEST_VALUE))}}}"
_VALUE, _ENDS = re.compile(_DIGITS), re.compile(rf"({_DIGITS})\s*-\s*({_DIGITS})")
FIX = "correct the file; `toolkit init` writes a rubric that is right"


def default_rubric(language: str) -> Rubric:
    """Return the rubric that ships for a language."""
    return read_rubric(template("rubrics", language, ".yaml"))


def read_rubric(path: Path) -> Rubric:
    """Return the rubric of a YAML file.

    Raises:
        ToolkitError: When the file cannot be read or does not describe a rubric; every fault is named.
    """
    return as_rubric(rubric_content(path), path)


def rubric_content(path: Path) -> dict[str, Any]:
    """Return what a rubric file says, not yet as a rubric.

    Raises:
        ToolkitError: When it cannot be read, or is no mapping.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ToolkitError(Problem(f"cannot be read: {error.strerror}", "check the path", path)) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date or number that cannot be is a ValueError
        mark = getattr(error, "problem_mark", None)
        why = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else shown(error)
        why = getattr(error, "problem", None) or why
        line = f"line {mark.line + 1}" if mark else None
        raise ToolkitError(Problem(f"cannot be read as YAML: {why}", FIX, path, cell=line)) from error
    if not isinstance(content, dict):
        raise ToolkitError(Problem("holds no rubric (a mapping with scale and dimensions)", FIX, path))
    return content


def as_rubric(content: dict[str, Any], path: Path) -> Rubric:
    """Return the rubric that a file describes.

    Raises:
        ToolkitError: When it describes none; every fault is named.
    """
    try:
        return Rubric.model_validate(content)
    except ValidationError as error:
        raise ToolkitError(_problem(path, fault) for fault in error.errors()) from error


def parse_scale(text: str) -> Scale:
    """Return the scale a user names: `1-5`, `-2-2`, `1,3,5`, `no,yes`, `A,B,tie`.

    Raises:
        ToolkitError: When it names none.
    """
    ends = _ENDS.fullmatch(text.strip())
    try:
        if ends:
            low, high = ends.groups()
            if int(high) - int(low) >= MOST_VALUES:
                what = f"--scale has more than {MOST_VALUES:,} values"
                raise ToolkitError(Problem(what, "write 1-5, or A,B,tie", value=text))
            return Scale(values=tuple(range(int(low), int(high) + 1)))
        names = tuple(name.strip() for name in text.split(","))
        if all(map(_VALUE.fullmatch, names)):
            return Scale(values=tuple(int(name) for name in names))
        return Scale(kind="nominal", values=names)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ToolkitError(Problem(f"--scale names no scale: {why}", "write 1-5, or A,B,tie", value=text)) from error


def bare_rubric(scale: Scale, dimensions: Iterable[str], language: str) -> Rubric:
    """Return a rubric that says nothing but the scale, for ratings collected elsewhere."""
    levels = {value: Level(short=str(value)[:45], description=str(value)) for value in scale.values}
    described = {key: Dimension(title=key, question=key, levels=levels) for key in dimensions}
    return Rubric(name=str(scale), language=language, scale=scale, dimensions=described)


def _problem(path: Path, fault: Any) -> Problem:
    where = ".".join(str(part) for part in fault["loc"]) or None
    value = fault.get("input")
    plain = value if isinstance(value, str | int | float) else None
    return Problem(fault["msg"].removeprefix("Value error, "), FIX, path, cell=where, value=plain)
