"""YAML files that a user writes for a run: prices, a panel, criteria."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from toolkit.errors import Problem, ToolkitError

Model = TypeVar("Model", bound=BaseModel)
# in the words of somebody who writes YAML
_SAID = {
    "missing": "is missing",
    "extra_forbidden": "is no key that is known here",
    "model_type": "must hold keys and values (key: value)",
    "dict_type": "must hold keys and values (key: value)",
    "tuple_type": "must be a list",
    "too_short": "must not be empty",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "may not hold spaces, quotation marks or brackets",
}
FIX = "correct the file; `toolkit judge --help` says what belongs into it"


class Settings(BaseModel):
    """A file of settings; a key that does not exist is an error, so that a typing mistake is seen."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_settings(path: Path, model: type[Model], fix: str = FIX) -> Model:
    """Return the settings in a YAML (or JSON) file.

    Raises:
        ToolkitError: When it cannot be read or holds something else; every fault is named.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ToolkitError(Problem(f"cannot be read: {error.strerror}", "check the path", path)) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or "it is not YAML text in UTF-8"
        line = f"line {mark.line + 1}" if mark else None
        raise ToolkitError(Problem(f"cannot be read as YAML: {why}", "correct the file", path, cell=line)) from error
    try:
        return model.model_validate(content)
    except ValidationError as error:
        faults = error.errors()
        raise ToolkitError(
            Problem(_why(fault), fix, path, cell=".".join(map(str, fault["loc"])) or None)
            for fault in faults
            # pydantic takes what it could not read for absent, and the list for too short
            if fault["type"] != "too_short" or not any(_inside(other["loc"], fault["loc"]) for other in faults)
        ) from error


def _why(fault: Any) -> str:
    return _SAID.get(fault["type"]) or str(fault["msg"]).removeprefix("Value error, ")


def _inside(place: tuple[int | str, ...], around: tuple[int | str, ...]) -> bool:
    return len(place) > len(around) and place[: len(around)] == around
