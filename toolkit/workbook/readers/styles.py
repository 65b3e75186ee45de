"""What the style of a cell does to what is in it, where people read something else than the file stores."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from toolkit.cells.number_formats import GENERAL, NumberFormat
from toolkit.workbook.readers.raw import Cell, struck_out


class Style(NamedTuple):
    """The style of a cell, as far as it matters here.

    Attributes:
        format: Its number format.
        struck: Whether what is in the cell is struck out.
    """

    format: NumberFormat = GENERAL
    struck: bool = False

    @property
    def odd(self) -> bool:
        """Whether a text may look other than it is."""
        return self.struck or self.format.words is not None

    def on(self, cell: Cell) -> Cell:
        """Return a cell as it looks in this style; of a number, the format is known already."""
        if cell.trouble is None and isinstance(cell.value, str):
            cell = replace(cell, shown=self.format.shown_text(cell.value))
        return struck_out(cell) if self.struck else cell
