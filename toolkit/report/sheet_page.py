"""Writing a report's tables into a sheet, from the top down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolkit.i18n import MISSING, Language
from toolkit.report.cells import Cell, EstimateTable, Table
from toolkit.report.sayings import note_text
from toolkit.stats.results import Estimate
from toolkit.texts import clean, utf16_length
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.sheets import Sheet
from toolkit.workbook.style import FORMATS as SHEET_FORMATS

# What a cell holds, less room for the words that say where the rest is.
CELL_UNITS = 32_000
# Heights in points; the characters that can matter for the tallest row a program shows; room for bold letters.
STANDARD_HEIGHT, TALLEST, MEASURED, BOLD = 18.0, 409.0, 6_000, 0.93
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
        self._grow(column, cleaned, style, lines, wrapped=changes.get("text_wrap", True))

    def _grow(self, column: int, text: str, style: str, lines: int | None, *, wrapped: bool) -> None:
        points = float(SHEET_FORMATS[style]["font_size"])
        if lines is None:
            lines = 1
            narrow = column < len(self._widths) and len(text) * points > self._widths[column]
            if wrapped and (narrow or "\n" in text) and column < len(self._widths):
                # bold letters are wider than those measured
                lines = line_count(text[:MEASURED], self._widths[column] * BOLD, points)
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
        """Write a sentence that may run over the columns to its right."""
        self.text(0, text, style, text_wrap=False)
        self.next()

    def header(self, titles: Iterable[str]) -> None:
        """Write a header row."""
        for column, title in enumerate(titles):
            self.text(column, title, "header")
        self.next()

    def table(self, table: Table) -> None:
        """Write a table as the page shows it."""
        self.heading(table.caption)
        self.header(table.columns)
        for row in table.rows:
            for column, cell in enumerate(row):
                self._cell(column, cell, heat=table.look == "heat")
            self.next()
        for letter, remark in table.remarks:
            self.sentence(f"{letter} {remark}".strip(), "small")

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
            (
                table.row_head or _("Figure"),
                scope,
                _("Value"),
                _("95% from"),
                _("95% to"),
                _("Items"),
                _("Remarks"),
                _("What it says"),
            )
        )
        for row in table.rows:
            meaning = row.meaning
            for title, one in zip(table.columns, row.estimates, strict=True):
                if one is not None:
                    self.text(0, row.title, "cell_bold")
                    self.text(1, title)
                    self.estimate(2, one, row.kind)
                    self.text(7, meaning)
                    meaning = ""
                    self.next()

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
        self.text(column + 4, " ".join(note_text(note, self._) for note in one.notes))

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Write labels with their texts."""
        for label, text in pairs:
            self.text(0, label, "cell_bold")
            self.text(1, text)
            self.next()
