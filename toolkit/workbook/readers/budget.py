"""What a file has used of its limits, and the one way in which the readers refuse a file."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getsizeof

from toolkit.workbook.readers.raw import Limits
from toolkit.workbook.readers.source import SMALLER, raise_limit

# A merge of a whole sheet is a few bytes in the file: so many blank cells are marked as hidden under one, and so many
# looked at, in all sheets together.
MARKED, STEPS, RANGES = 100_000, 3_000_000, 200_000
SAVE_AGAIN = "open it in a spreadsheet program, save it as .xlsx, and send that file"
SEND_AGAIN = "ask the annotator to send it again"


class Refused(Exception):  # noqa: N818  (it never reaches a user: read_book turns it into a ToolkitError)
    """A reader's "no": what is wrong and what to do. `read_book` adds the name of the file.

    Attributes:
        others: More of the same, where a file has several such places.
    """

    def __init__(
        self, what: str, fix: str = "", *, sheet: str | None = None, cell: str | None = None, value: object = None
    ):
        super().__init__(what)
        self.what, self.fix = what, fix
        self.sheet, self.cell, self.value = sheet, cell, value
        self.others: tuple[Refused, ...] = ()

    @classmethod
    def together(cls, refusals: Sequence[Refused]) -> Refused:
        """Return one refusal for several reasons."""
        first, *others = refusals
        first.others = (*others,)
        return first


class Budget:
    """Counts what was read of one file, over all its parts, and refuses what goes past a limit."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self._marked = self._steps = self._ranges = 0
        self._unpacked = self._cells = self._elements = self._text = self._table = 0

    def unpacked(self, count: int) -> None:
        """Count bytes that came out of a container."""
        self._unpacked += count
        if self._unpacked > self.limits.unpacked_bytes:
            raise too_much(f"unpacks to more than {self.limits.unpacked_bytes / 1e6:,.0f} MB", "unpacked_bytes")

    def elements(self, count: int) -> None:
        """Count elements of XML, or records."""
        self._elements += count
        if self._elements > self.limits.elements:
            raise too_much(f"is made of more than {self.limits.elements:,} elements", "elements")

    def cells(self, count: int) -> None:
        """Count cells that hold something."""
        self._cells += count
        if self._cells > self.limits.cells:
            raise too_much(f"holds more than {self.limits.cells:,} filled cells", "cells")

    def text(self, text: str, times: int = 1) -> None:
        """Count the text of a cell, which may be repeated."""
        if len(text) > self.limits.cell_characters:
            raise self.long_cell()
        self._text += getsizeof(text) * times
        if self._text > self.limits.text_bytes:
            raise too_much(f"holds more than {self.limits.text_bytes / 1e6:,.0f} MB of text", "text_bytes")

    def table(self, text: str) -> None:
        """Count a text of a table that cells refer to."""
        self._table += getsizeof(text)
        if self._table > self.limits.text_bytes:
            raise too_much(f"holds more than {self.limits.text_bytes / 1e6:,.0f} MB of text", "text_bytes")

    def long_cell(self) -> Refused:
        """Return the refusal of a cell that is too long."""
        return too_much(f"holds a cell of more than {self.limits.cell_characters:,} characters", "cell_characters")

    def may_mark(self, count: int) -> bool:
        """Return whether so many blank cells may still be marked, and count them if so."""
        if self._marked + count > MARKED:
            return False
        self._marked += count
        return True

    def ranges(self, count: int) -> None:
        """Count merged ranges and array formulas."""
        self._ranges += count
        if self._ranges > RANGES:
            raise too_much(f"holds more than {RANGES:,} merged ranges or array formulas")

    def steps(self, count: int) -> None:
        """Count cells that are looked at for merged ranges and array formulas."""
        self._steps += count
        if self._steps > STEPS:
            raise Refused("is damaged: its merged ranges or array formulas overlap", SAVE_AGAIN)

    def sheets(self, count: int) -> None:
        """Check the number of sheets."""
        if count > self.limits.sheets:
            raise too_much(f"holds more than {self.limits.sheets:,} sheets", "sheets")


def too_much(what: str, limit: str | None = None) -> Refused:
    """Return the refusal of a file that goes past a limit, named where it can be raised."""
    return Refused(f"{what}, which is the limit", f"{SMALLER}; {raise_limit(limit)}" if limit else SMALLER)
