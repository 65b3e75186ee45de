"""The text of an OpenDocument cell: paragraphs, in which line ends of the XML are mere layout.

The standard would have runs of spaces collapse too. LibreOffice neither writes nor reads cells that way: the lines of a
cell stand in the file with their indentation, as plain spaces.
"""

from __future__ import annotations

import re

from toolkit.workbook.readers.budget import Budget

_LAYOUT = re.compile("[ \t\r\n]*[\t\r\n][ \t\r\n]*")


class CellText:
    r"""Collects the text of one cell.

    >>> from toolkit.workbook.readers.raw import Limits
    >>> text = CellText(Budget(Limits()))
    >>> text.paragraph(); text.add("a "); text.spaces(2); text.add("b"); text.paragraph(); text.add("  c\n  d")
    >>> str(text)
    'a   b\n  c d'
    """

    def __init__(self, budget: Budget):
        self._budget, self._limit = budget, budget.limits.cell_characters
        self.clear()

    def clear(self) -> None:
        """Begin the text of another cell."""
        self._pieces: list[str] = []
        self._length = 0
        self._paragraphs = 0
        # white space at the start of a paragraph, and after other white space, is only layout of the XML
        self._after_space = True

    def paragraph(self) -> None:
        """Begin a paragraph."""
        if self._paragraphs:
            self._append("\n")
        self._paragraphs += 1
        self._after_space = True

    def add(self, data: str) -> None:
        """Add text as it stands in the XML."""
        data = _LAYOUT.sub("\n", data)
        if self._after_space:
            data = data.removeprefix("\n")
        data = data.replace("\n", " ")
        if data:
            self._append(data)
            self._after_space = data.endswith(" ")

    def spaces(self, count: int) -> None:
        """Add spaces that do not collapse."""
        if count > self._limit:
            raise self._budget.long_cell()
        self.literal(" " * count)

    def literal(self, data: str) -> None:
        """Add text that does not collapse."""
        self._append(data)
        self._after_space = False

    def _append(self, data: str) -> None:
        self._length += len(data)
        if self._length > self._limit:
            raise self._budget.long_cell()
        self._pieces.append(data)

    def __str__(self) -> str:
        return "".join(self._pieces)
