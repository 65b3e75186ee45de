"""The one door for errors: code raises `ToolkitError` with every problem found; the command line prints them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SHOWN_CHARACTERS = 80


def shown(value: object, limit: int = SHOWN_CHARACTERS) -> str:
    """Return a value as it may stand in a message: one short line with no control characters.

    Args:
        value: Anything that came from outside.
        limit: Longest text shown, in characters; the rest becomes an ellipsis.

    >>> shown("a" + chr(10) + "b" + chr(27) + "[31m")
    'a b [31m'
    """
    text = str(value)[: limit * 4]
    text = "".join(" " if unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" else c for c in text)
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, why, and what to do about it.

    Attributes:
        what: What is wrong and why, one sentence without its full stop.
        fix: What the reader can do, one sentence without its full stop.
        file: File name as the user knows it.
        sheet: Sheet title inside the file.
        cell: Cell address such as `H12`, or `line 3`.
        value: The offending value as found; None where there is none.
    """

    what: str
    fix: str = ""
    file: str | Path | None = None
    sheet: str | None = None
    cell: str | None = None
    value: object = None

    @property
    def place(self) -> str:
        """File, sheet and cell, as far as they are known, on one line."""
        # the current folder has no name
        name = (self.file.name or str(self.file)) if isinstance(self.file, Path) else self.file
        if name and len(name) > SHOWN_CHARACTERS:
            # the end of a path says more than its beginning
            name = "…" + name[1 - SHOWN_CHARACTERS :]
        return " > ".join(shown(part) for part in (name, self.sheet, self.cell) if part)

    def __str__(self) -> str:
        head = f"{self.place}: " if self.place else ""
        value = f" (found: {shown(self.value)!r})" if self.value is not None else ""
        fix = f" -> {self.fix}" if self.fix else ""
        return f"{head}{self.what}{value}.{fix}" + ("." if fix else "")


class ToolkitError(Exception):
    """Something in the user's data or files stops the work; carries every problem found, not just the first."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def refuse(problems: Iterable[Problem]) -> None:
    """Raise `ToolkitError` when there is at least one problem.

    Raises:
        ToolkitError: With all the problems given.
    """
    found = tuple(problems)
    if found:
        raise ToolkitError(found)
