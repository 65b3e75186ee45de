"""The table: each way of going wrong, or oddly right, with what must come of it.

A way is told by what the annotator did. `scores` are the scores that are read where they differ from those entered
(None: refused, or left blank); `problems` are all that may be told, each with its cell (`score:f1` is the score cell
of item f1, `text:c1:2` its second text, `*` any) and words of the message. Nothing else may be told, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.returned.workbook import Filled

Told = tuple[str | None, str]  # (cell, words of the message)
Make = Callable[[Filled], bytes | None]


@dataclass(frozen=True)
class Way:
    """What happened to a workbook, and what must come of it.

    Attributes:
        did: What the annotator did.
        make: Does it; returns the file, or None for the workbook as it is then.
        scores: Scores that differ from those entered; None when the file cannot be read at all.
        repairs: How many values are taken other than as plain ones.
        warnings: Words of each warning.
        words: What else is read: (key, item) to value.
    """

    id: str
    did: str
    make: Make
    scores: Mapping[str, int | None] | None = field(default_factory=dict)
    problems: Sequence[Told] = ()
    repairs: int = 0
    warnings: Sequence[str] = ()
    words: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    file: str = "A1.xlsx"


WAYS: list[Way] = []


def way(id: str, did: str, make: Make, scores: Mapping[str, int | None] | None = None, **more: Any) -> None:
    """Add a way to the table; `scores="unread"` says that nothing is read."""
    WAYS.append(Way(id, did, make, {} if scores is None else scores, **more))


def unread(
    id: str, did: str, make: Make, words: str, file: str = "A1.xlsx", cell: str | None = None, **more: Any
) -> None:
    """Add a file that cannot be taken at all, with one problem that says why."""
    WAYS.append(Way(id, did, make, None, [(cell, words)], file=file, **more))


MISSING_ONE: Told = (None, "1 items are missing")


def puts(key: str, value: Any, number_format: str | None = None, item: str = "f1") -> Make:
    """Return a change: something is entered into an answer cell."""
    return lambda filled: filled.put(key, item, value, number_format)


def sets(key: str, item: str, value: Any) -> Make:
    """Return a change: a cell of an answer row holds something else, and whatever openpyxl makes of it."""

    def put(filled: Filled) -> None:
        filled.cell(key, item).value = value

    return put
