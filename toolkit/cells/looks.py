"""What people see in a cell where that is something else than what the file stores."""

from __future__ import annotations

from typing import NamedTuple

from toolkit.errors import shown as quoted
from toolkit.model import Value
from toolkit.values import shows


class Look(NamedTuple):
    """How a cell looks that does not look like its value.

    Attributes:
        struck: Whether what is in it is struck out.
        shown: What is displayed; None where that is the value.
    """

    struck: bool = False
    shown: str | None = None

    def check(self, value: Value | float, *, rounded: bool = False) -> None:
        """Refuse a value that nobody sees in the cell.

        Args:
            value: What was read from it.
            rounded: Whether it may be shown with fewer decimals, as means are.

        Raises:
            ValueError: With the reason in words that go on after the name of the field.
        """
        if self.struck:
            raise ValueError("is struck out")
        if self.shown is not None and not shows(self.shown, value, rounded=rounded):
            raise ValueError(f"is stored as {value}, but the cell shows {quoted(self.shown) or 'nothing'}")
