"""API keys: from the environment or a .env file, into a request header, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from toolkit.errors import Problem, ToolkitError

MASK = "[key]"
_SHORTEST_SECRET = 6


class Secret:
    """A key that shows itself to nobody who prints or logs it."""

    __slots__ = ("_value",)

    def __init__(self, value: str):
        self._value = value

    def reveal(self) -> str:
        """Return the key itself."""
        return self._value

    def masked(self, text: str) -> str:
        """Return a text without the key: error messages of servers and libraries may quote it."""
        return text.replace(self._value, MASK) if len(self._value) >= _SHORTEST_SECRET else text

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return MASK


def find_key(names: Sequence[str], *, optional: bool) -> Secret:
    """Return the first of these variables that is set, in the environment or else in `.env` of the current folder.

    Args:
        names: Variable names in order of preference.
        optional: Whether an empty key will do.

    Raises:
        ToolkitError: When none is set and one is needed.
    """
    from dotenv import dotenv_values

    file = Path(".env")
    try:
        written = dotenv_values(file) if file.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise ToolkitError(Problem("cannot be read as a .env file", "save it as UTF-8 text", file)) from error
    for source in (os.environ, written):
        for name in names:
            if value := (source.get(name) or "").strip():
                if not value.isascii() or not value.isprintable() or " " in value:
                    what = f"{name} holds characters that no key has (a space, a line end, a letter with an accent)"
                    raise ToolkitError(Problem(what, "copy the key again, alone"))
                return Secret(value)
    if optional:
        return Secret("")
    raise ToolkitError(
        Problem(f"no API key: {' or '.join(names)} is not set", f"set {names[0]} in the environment or in a .env file")
    )
