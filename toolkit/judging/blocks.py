"""JSON inside a model's answer: strict reading that sees duplicate keys, and the balanced blocks of a text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

MOST_BLOCKS = 100
LONGEST_TEXT = 200_000


class DuplicateKey(ValueError):  # noqa: N818 - it names a finding, not a fault of ours
    """An object has the same key twice; whichever were taken, the other might be meant."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The outermost balanced `{...}` of a text.

    Attributes:
        spans: Start and end of each.
        complete: Whether every brace that opens also closes; where one does not, what follows it may be a part of
            something larger, and is not looked at.
    """

    spans: tuple[tuple[int, int], ...]
    complete: bool


def strict_json(text: str) -> Any:
    """Return the value of a JSON text; line ends inside strings are let pass.

    Raises:
        DuplicateKey: When an object has a key twice.
        ValueError: When it is not JSON, or holds NaN or an infinity.
    """
    try:
        return json.loads(text, strict=False, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def find_blocks(text: str) -> Blocks:
    """Return the outermost balanced blocks, strings respected, from left to right.

    >>> find_blocks('a {"b": "}"} c').spans
    ((2, 12),)
    """
    spans: list[tuple[int, int]] = []
    place = 0
    while (start := text.find("{", place)) >= 0:
        end = _closing(text, start) if len(spans) < MOST_BLOCKS else None
        if end is None:
            return Blocks(tuple(spans), complete=False)
        spans.append((start, end))
        place = end
    return Blocks(tuple(spans), complete=True)


def _closing(text: str, start: int) -> int | None:
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        character = text[place]
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if not depth:
                return place + 1
    return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DuplicateKey
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
