"""What a sheet can be told, whatever it is drawn in: the one door between what a workbook is and a file format.

`sheets` draws into an .xlsx file, `gsheets` into requests to Google. The pages of a workbook (`guide`, `rubric_sheet`,
`annotation_sheet`) are written against this alone, so there is one description of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from toolkit.model import Annotation, Value
from toolkit.workbook.runs import Run

# What is filled in already, by item code.
Answers = Mapping[str, Annotation]
# Rows of the annotation sheet, counted from 0: machine keys, visible header, first row of items.
HEADER_ROW, FIRST_ROW = 1, 2


@dataclass(frozen=True, slots=True)
class Choices:
    """What a cell to fill in offers.

    Attributes:
        values: The choices.
        title: Of the message that appears beside the cell.
        message: The message itself.
        error_title: Of what is said to another value.
        error: What is said then.
        strict: Whether another value is refused, not only warned of.
    """

    values: Sequence[Value]
    title: str = ""
    message: str = ""
    error_title: str = ""
    error: str = ""
    strict: bool = True


class Canvas(Protocol):
    """A sheet being drawn. Rows and columns count from 0; styles are names of `style.FORMATS`."""

    @property
    def title(self) -> str:
        """The sheet's title."""

    @property
    def quoted(self) -> str:
        """The sheet's title as formulas want it."""

    def text(self, row: int, column: int, text: str, style: str) -> None:
        """Write a text, never anything else, whatever it looks like."""

    def rich(self, row: int, column: int, runs: Iterable[Run], style: str) -> None:
        """Write a text of several looks; no run is empty."""

    def merged(self, row: int, column: int, last_row: int, last_column: int, text: str, style: str) -> None:
        """Write a text into a merged range, which may be a single cell."""

    def number(self, row: int, column: int, value: float | None, style: str) -> None:
        """Write a number, or a blank where there is none."""

    def formula(
        self, row: int, column: int, formula: str, style: str, value: float | str | None, *, bold: bool = False
    ) -> None:
        """Write a formula, in the spelling of Excel's file format, together with its computed value."""

    def height(self, row: int, points: float) -> None:
        """Set the height of a row."""

    def hide_row(self, row: int) -> None:
        """Hide a row."""

    def width(self, column: int, pixels: int, *, hidden: bool = False) -> None:
        """Set the width of a column, which may be hidden."""

    def widths(self, *pixels: int) -> None:
        """Set the widths of the first columns."""

    def freeze(self, rows: int) -> None:
        """Keep the first rows in sight."""

    def choices(self, rows: Sequence[int], column: int, choices: Choices) -> None:
        """Offer choices in cells of a column."""

    def sign(self, rows: tuple[int, int], column: int, formula: str, look: Mapping[str, Any]) -> None:
        """Give the cells of a column, from one row to another, a look where a formula is true.

        Args:
            rows: The first and the last row.
            column: The column.
            formula: The condition, written for the first row.
            look: What changes in the cell's format.
        """

    def protect(self) -> None:
        """Lock everything but the cells to fill in. This guards against slips, not against people."""

    def begin_at(self, row: int, column: int) -> None:
        """Put the cursor of whoever opens the sheet into a cell."""

    def print_setup(
        self, page: str, *, repeated: int | None = None, breaks: Sequence[int] = (), percent: int | None = None
    ) -> None:
        """Set up to print on A4 paper, landscape, with the sheet's title and `page` at the bottom.

        Args:
            page: `Page &P of &N` in the language of the sheet.
            repeated: The row that every page begins with.
            breaks: Rows that begin a page.
            percent: The size; by default the sheet is made to fit into one page in width. Programs that make a sheet
                fit pay no attention to `breaks`.
        """
