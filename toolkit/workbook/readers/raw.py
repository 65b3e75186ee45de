"""What every reader delivers: sheets of typed cells, with nothing interpreted and nothing lost."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Final

from toolkit.texts import NOTHING, visible
from toolkit.workbook.readers.source import Source

Plain = str | int | float | bool | datetime.date | datetime.time | datetime.timedelta | None

# The words of `Cell.trouble`, each of which completes "this is ...".
FORMULA: Final = "a formula"
ERROR_VALUE: Final = "an error value"
PERCENTAGE: Final = "a percentage"
DAMAGED_NUMBER: Final = "a number no program can read"
DAMAGED_DATE: Final = "a date no program can read"
STRUCK: Final = "struck out, at least in part"
_MERGED: Final = "merged with "


def merged_with(address: str) -> str:
    """Return the trouble of a cell that is hidden under a merged one.

    >>> Cell("H13", trouble=merged_with("H12")).merged
    True
    """
    return _MERGED + address


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as the file stores it.

    Attributes:
        address: Where it is, as a spreadsheet program names it (`H12`).
        value: The stored value with its type; None for a blank. A formula is its text, where the file has one.
        trouble: Why the value cannot be taken at its word, in words that complete "this is ..." (`a formula`,
            `an error value`, `a percentage`, `struck out...`, `merged with H12`); None for an ordinary cell.
        shown: What a program displays, where that is known and differs from the value.
        stored: A text as the file writes it, where a program shows another: `_x0041_` is how Excel writes an A that
            another program may have meant literally (openpyxl, for one, writes it so).
    """

    address: str
    value: Plain = None
    trouble: str | None = None
    shown: str | None = None
    stored: str | None = None

    @property
    def text(self) -> str:
        """The value as text; empty for a blank."""
        return "" if self.value is None else str(self.value)

    @property
    def code(self) -> str:
        """The text of a machine's key or code: what nobody sees is no part of it."""
        return visible(self.text)

    @property
    def blank(self) -> bool:
        """Whether nothing was entered."""
        return self.trouble is None and not self.text.strip(NOTHING)

    @property
    def words(self) -> str | None:
        """Why the cell does not hold just words; None where it does: struck out, they can still be read."""
        return None if self.trouble == STRUCK else self.trouble

    @property
    def merged(self) -> bool:
        """Whether the cell is hidden under a merged one."""
        return self.trouble is not None and self.trouble.startswith(_MERGED)


@dataclass(frozen=True)
class RawSheet:
    """A sheet: its cells by (row, column), counted from 1; blank cells may be absent.

    Attributes:
        textual: Whether the format holds nothing but text (CSV).
        hidden: Whether a program shows no tab for it.
        comments: The addresses of the cells with a comment (a note, a thread), which is not read itself.
    """

    title: str
    cells: dict[tuple[int, int], Cell]
    textual: bool = False
    hidden: bool = False
    comments: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[int, dict[int, Cell]]]:
        """Yield (row number, cells by column) of every row that has a cell, from the top."""
        # one at a time: a million rows with a cell each would take the memory of a million tables
        for row, places in groupby(sorted(self.cells), key=itemgetter(0)):
            yield row, {place[1]: self.cells[place] for place in places}


def struck_out(cell: Cell) -> Cell:
    """Return a cell with what is in it struck out; whatever else is wrong with it goes first."""
    return cell if cell.trouble else replace(cell, trouble=STRUCK)


@dataclass(frozen=True)
class RawBook:
    """A file that was read: its sheets, in order.

    Attributes:
        source: The file, with the very bytes that were read.
        format: What it was found to be: `xlsx`, `ods`, `xls`, `google` (raw values) or `csv`.
        properties: Custom document properties, as text (.xlsx and .ods).
        notes: What had to be assumed to read it, in words for the coordinator.
        lossy: The encoding of a CSV file that has not every character, which a program then writes as others.
    """

    source: Source
    format: str
    sheets: tuple[RawSheet, ...]
    properties: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    lossy: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a file may hold before it is refused; generous for annotation, small for an attack.

    Attributes:
        file_bytes: Size of the file on disk.
        unpacked_bytes: Size of everything inside it, unpacked.
        cells: Number of cells that are not blank.
        members: Number of files inside a zip container.
        elements: Number of XML elements (or BIFF records) read, blank cells among them.
        text_bytes: Memory that the texts of all cells take together (one to four bytes a character).
        cell_characters: Number of characters in one cell.
        sheets: Number of sheets.
        archived: Number of sheets in an archive of them.
    """

    file_bytes: int = 100_000_000
    unpacked_bytes: int = 250_000_000
    cells: int = 1_000_000
    members: int = 5_000
    elements: int = 4_000_000
    text_bytes: int = 150_000_000
    cell_characters: int = 1_000_000
    sheets: int = 500
    archived: int = 1_000


DEFAULT_LIMITS: Final = Limits()
