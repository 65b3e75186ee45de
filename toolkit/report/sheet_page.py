"""Writing a report's tables into a sheet, from the top down."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from string import ascii_lowercase
from typing import Any

from toolkit.i18n import MISSING, Language
from toolkit.report.cells import Cell, EstimateTable, Table
from toolkit.report.sayings import note_text
from toolkit.stats.results import Estimate, Note
from toolkit.texts import clean, utf16_length
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.sheets import Sheet
from toolkit.workbook.style import FORMATS as SHEET_FORMATS

# What a cell holds, less room for the words that say where the rest is.
CELL_UNITS = 32_000
# Heights in points; the characters that can matter for the tallest row a program shows; room for bold letters.
STANDARD_HEIGHT, TALLEST, MEASURED, BOLD = 18.0, 409.0, 6_000, 0.93
# the columns of an estimate: value, interval, items, remarks
ESTIMATE = range(2, 7)
# the widest line that is read with ease
LINE_PX = 1_000
FORMATS = {"count": "#,##0", "score": "0.##", "coefficient": "0.00", "share": "0%", "points": "0.00"}
# Windows' number of a language: LibreOffice then writes its decimal separator; Excel has its user's in any case.
LOCALES = {"pt-BR": "[$-416]", "es": "[$-C0A]"}
HEATS = ("#FFFFFF", "#EDF1F6", "#DBE3EC", "#C6D2E0", "#AFC0D3", "#4C617F", "#2A4468")
HEAT_INK_FROM = 5


class Page:
    """A sheet that is filled row by row. Rows grow with their texts, because no program does that by itself."""

    def __init__(self, sheet: Sheet, _: Language):
        self.sheet, self._, self.row = sheet, _, 0
        self._widths: tuple[int, ...] = ()
        self._height = 0.0
        self._remarks: dict[Note, str] = {}

    def widths(self, *pixels: int) -> None:
        """Set the widths of the columns; rows are measured by them, so this comes first."""
        self._widths = pixels
        self.sheet.widths(*pixels)

    def next(self) -> None:
        """End the current row."""
        if self._height > STANDARD_HEIGHT:
            self.sheet.raw.set_row(self.row, min(self._height, TALLEST))
        self._height = 0.0
        self.row += 1

    def text(self, column: int, text: str, style: str = "cell", lines: int | None = None, **changes: Any) -> None:
        """Write a text into the current row; what no cell can hold is cut, and the cell says so."""
        cleaned = clean(text)
        if utf16_length(cleaned) > CELL_UNITS:
            kept = cleaned.encode("utf-16-le")[: 2 * CELL_UNITS].decode("utf-16-le", "ignore")
            cleaned = kept + "\n" + self._("[cut here: a cell holds no more; the HTML report has all of it]")
        self.sheet.text(self.row, column, cleaned, style, **changes)
        width = self._widths[column] if changes.get("text_wrap", True) and column < len(self._widths) else 0
        self._grow(cleaned, style, width, lines)

    def wide(self, column: int, text: str, style: str = "cell") -> None:
        """Write a text into the current row over its column and those to its right, as far as a line can be read."""
        last, cleaned = self._reach(column), clean(text)[:CELL_UNITS]
        self.sheet.merged(self.row, column, self.row, last, cleaned, style)
        self._grow(cleaned, style, sum(self._widths[column : last + 1]))

    def _reach(self, column: int) -> int:
        """Return the last column of those that make a line from a column on."""
        widths = accumulate(self._widths[column:])
        return column + max((place for place, width in enumerate(widths) if width <= LINE_PX), default=0)

    def _grow(self, text: str, style: str, width: int, lines: int | None = None) -> None:
        """Make the current row high enough for a text, which is broken into lines where there is a width."""
        points = float(SHEET_FORMATS[style]["font_size"])
        if lines is None:
            # bold letters are wider than those measured
            broken = width and (len(text) * points > width or "\n" in text)
            lines = line_count(text[:MEASURED], width * BOLD, points) if broken else 1
        self._height = max(self._height, height(lines, points))

    def value(self, column: int, value: float | None, kind: str, **changes: Any) -> None:
        """Write a number into the current row, or a dash where there is none."""
        if value is None:
            self.text(column, MISSING, "number")
        else:
            self.sheet.number(self.row, column, float(value), "number", **self._format(kind), **changes)

    def _format(self, kind: str) -> dict[str, Any]:
        return {"num_format": LOCALES.get(self._.code, "") + FORMATS[kind]}

    def formula(self, column: int, formula: str, kind: str, value: float | str | None, **changes: Any) -> None:
        """Write a formula with its value into the current row."""
        self.sheet.formula(self.row, column, formula, "number", value, **self._format(kind), **changes)

    def heading(self, text: str, style: str = "h2") -> None:
        """Write a heading into a row of its own, after a blank one."""
        if self.row:
            self.next()
        self.text(0, text, style, text_wrap=False)
        self.next()

    def sentence(self, text: str, style: str = "body") -> None:
        """Write a sentence into a row of its own."""
        self.wide(0, text, style)
        self.next()

    def printed(self, *, repeated: int | None = None) -> None:
        """Set the sheet up for paper: one page wide, nothing beyond the last column, pages numbered.

        Args:
            repeated: The row that every page begins with.
        """
        self.sheet.print_setup(self._("Page {page} of {pages}", page="&P", pages="&N"), repeated=repeated)
        columns = max(self.sheet.raw.dim_colmax or 0, len(self._widths) - 1, 1)
        self.sheet.raw.print_area(0, 0, max(1, self.row - 1), columns)

    def header(self, titles: Iterable[str], *, numbers: Collection[int] = (), wide: bool = False) -> None:
        """Write a header row.

        Args:
            titles: Of the columns.
            numbers: Columns of numbers, whose titles stand in the middle as these do.
            wide: Whether the last cell is as wide as the texts below it.
        """
        titles = list(titles)
        for column, title in enumerate(titles):
            if wide and column == len(titles) - 1:
                self.wide(column, title, "header")
            elif column in numbers:
                self.text(column, title, "header", align="center")
            else:
                self.text(column, title, "header")
        self.next()

    def table(self, table: Table) -> None:
        """Write a table as the page shows it."""
        self.heading(table.caption)
        last = len(table.columns) - 1
        wide = last > 0 and any(cell.kind == "text" and self._too_long(last, cell.text) for *_, cell in table.rows)
        numbers = [
            place for place, cell in enumerate(table.rows[0] if table.rows else ()) if place and cell.kind != "text"
        ]
        self.header(table.columns, numbers=numbers, wide=wide)
        for row in table.rows:
            for column, cell in enumerate(row):
                if wide and column == last:
                    self.wide(column, cell.text)
                else:
                    self._cell(column, cell, heat=table.look == "heat")
            self.next()
        for letter, remark in table.remarks:
            self.sentence(f"{letter} {remark}".strip(), "small")

    def _too_long(self, column: int, text: str) -> bool:
        points = float(SHEET_FORMATS["cell"]["font_size"])
        return column < len(self._widths) and line_count(text[:MEASURED], self._widths[column] * BOLD, points) > 1

    def _cell(self, column: int, cell: Cell, *, heat: bool) -> None:
        if column == 0:
            self.text(0, cell.text, "cell_bold")
        elif cell.value is None or cell.kind == "text":
            self.text(column, cell.text, "number" if heat else "cell")
        else:
            changes: dict[str, Any] = {}
            if heat and cell.heat:
                changes = {"bg_color": HEATS[cell.heat]}
                if cell.heat >= HEAT_INK_FROM:
                    changes["font_color"] = "#FFFFFF"
            if cell.marked:
                changes |= {"bold": True, "border": 2}
            self.value(column, cell.value, cell.kind, **changes)

    def estimates(self, table: EstimateTable, scope: str) -> None:
        """Write estimates as a long table: a row for each figure and column of the page's grid."""
        _ = self._
        self.heading(table.caption)
        self.header(
            (table.row_head or _("Figure"), scope, *self.estimate_titles(), _("What it says")),
            numbers=ESTIMATE,
            wide=True,
        )
        for row in table.rows:
            meaning = row.meaning
            for title, one in zip(table.columns, row.estimates, strict=True):
                if one is not None:
                    self.text(0, row.title, "cell_bold")
                    self.text(1, title)
                    self.estimate(2, one, row.kind)
                    self.wide(7, meaning)
                    meaning = ""
                    self.next()
        self.remarks()

    def estimate_titles(self) -> tuple[str, ...]:
        """Return the titles of the columns of `estimate`."""
        _ = self._
        return _("Value"), _("95% from"), _("95% to"), _("Items"), _("Remarks")

    def estimate(self, column: int, one: Estimate, kind: str, formula: str | None = None) -> None:
        """Write value, interval, number of items and remarks of an estimate, side by side."""
        low, high = one.ci95 or (None, None)
        if formula is None:
            self.value(column, one.value, kind)
        else:
            self.formula(column, formula, kind, MISSING if one.value is None else one.value)
        self.value(column + 1, low, kind)
        self.value(column + 2, high, kind)
        self.value(column + 3, one.n, "count")
        letters = [self._remarks.setdefault(note, _letter(len(self._remarks))) for note in one.notes]
        self.text(column + 4, " ".join(letters), "number")

    def remarks(self) -> None:
        """Write what the letters of the estimates above mean."""
        for note, letter in self._remarks.items():
            self.sentence(f"{letter} {note_text(note, self._)}", "small")
        self._remarks = {}

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Write labels with their texts."""
        for label, text in pairs:
            self.text(0, label, "cell_bold")
            self.wide(1, text)
            self.next()


def _letter(place: int) -> str:
    """Return a, b ... z, aa, ab ... as a table's remarks are called."""
    rest, last = divmod(place, len(ascii_lowercase))
    return (_letter(rest - 1) if rest else "") + ascii_lowercase[last]
