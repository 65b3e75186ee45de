"""The rubric as a sheet of an annotator's workbook."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from toolkit.workbook import paper
from toolkit.workbook.canvas import Canvas
from toolkit.workbook.layout import Layout
from toolkit.workbook.measure import height, line_count, rows_of
from toolkit.workbook.style import FORMATS

# Margin; value and label; short form; the rest of the description or of an example; why an example gets its score.
WIDTHS = (10, 132, 265, 404, 320)
VALUE, SHORT, FULL, LAST = 1, 2, 3, 4
POINTS = 11
FIRST = 1
# Bold letters are wider than those measured.
BOLD = 0.9


class _Cell(NamedTuple):
    """A text in one or more columns."""

    first: int
    last: int
    text: str
    style: str

    @property
    def points(self) -> float:
        return float(FORMATS[self.style]["font_size"])

    @property
    def width(self) -> float:
        return sum(WIDTHS[self.first : self.last + 1]) * (BOLD if FORMATS[self.style].get("bold") else 1)


class _Page:
    """Rows written one below the other, each as tall as its texts."""

    def __init__(self, sheet: Canvas):
        self.sheet, self.row, self.heights = sheet, FIRST, dict[int, float]()

    def line(self, *cells: _Cell) -> None:
        """Write texts beside each other; in several rows where one of them is too tall for a row."""
        pieces = [rows_of(cell.text, cell.width, cell.points) for cell in cells]
        for texts in zip_longest(*pieces, fillvalue=""):
            tall = 0.0
            for cell, text in zip(cells, texts, strict=True):
                self.sheet.merged(self.row, cell.first, self.row, cell.last, text, cell.style)
                tall = max(tall, height(line_count(text, cell.width, cell.points), cell.points))
            self.sheet.height(self.row, tall)
            self.heights[self.row] = tall
            self.row += 1

    def whole(self, text: str, style: str) -> None:
        """Write a text in all columns."""
        self.line(_Cell(VALUE, LAST, text, style))

    def tall(self, first: int, end: int) -> float:
        """Return the height of the rows from one up to another."""
        return sum(self.heights[row] for row in range(first, end))


def rubric_sheet(layout: Layout, sheet: Canvas) -> None:
    """Write the rubric: the scale, and for each dimension, on a page of its own, levels, edge cases and examples."""
    _, scale = layout._, layout.rubric.scale
    page = _Page(sheet)
    sheet.widths(*WIDTHS)
    page.whole(layout.rubric.name, "h1")
    if scale.descriptions:
        page.whole(_("The scale in general"), "h2")
        for value in reversed(scale.values):
            described = _Cell(SHORT, LAST, scale.descriptions.get(value, ""), "cell")
            page.line(_Cell(VALUE, VALUE, _named(layout, value), "cell_bold"), described)
    begins = []
    for key in layout.dimensions:
        begins.append(page.row)
        _dimension(layout, page, key)
    sheet.protect()
    _print(layout, page, begins)


def _print(layout: Layout, page: _Page, begins: list[int]) -> None:
    """Set up to print: the rubric's name on every page, and a page for each dimension.

    What stands before the first dimension shares its page where both have room on it.
    """
    # the name may take several rows, of which one is enough
    name = page.heights[FIRST]
    ends = [*begins[1:], page.row]
    talls = [name + page.tall(first, end) for first, end in zip(begins, ends, strict=True)]
    percent = paper.percent(WIDTHS, max(talls), POINTS)
    together = page.tall(FIRST, ends[0]) <= paper.HEIGHT * 100 / percent
    breaks = begins[1:] if together else begins
    page.sheet.print_setup(layout.page, repeated=FIRST, breaks=breaks, percent=percent)


def _named(layout: Layout, value: int | str) -> str:
    label = layout.rubric.scale.labels.get(value)
    return f"{value} — {label}" if label else str(value)


def _dimension(layout: Layout, page: _Page, key: str) -> None:
    """Write a dimension: its question, levels, edge cases, rule for sets of answers, and examples."""
    _, described = layout._, layout.rubric.dimensions[key]
    page.line(_Cell(VALUE, SHORT, described.title, "h2"), _Cell(FULL, LAST, described.question, "body"))
    titles = ((VALUE, VALUE, _("Score")), (SHORT, SHORT, _("In short")), (FULL, LAST, _("What it means")))
    page.line(*(_Cell(*title, "column") for title in titles))
    for value in reversed(layout.scale.values):
        level = described.levels[value]
        cells = (_Cell(SHORT, SHORT, level.short, "cell"), _Cell(FULL, LAST, level.description, "cell"))
        page.line(_Cell(VALUE, VALUE, _named(layout, value), "cell_bold"), *cells)
    lists = [(_("Edge cases"), [f"• {case}" for case in described.edge_cases])]
    lists.append((_("One score for several answers"), [described.sets] if described.sets else []))
    for heading, texts in lists:
        if texts:
            page.whole(heading, "section")
        for text in texts:
            page.whole(text, "cell")
    if described.examples:
        titles = ((VALUE, VALUE, _("Score")), (SHORT, FULL, _("Example")), (LAST, LAST, _("Why")))
        page.line(*(_Cell(*title, "column") for title in titles))
    for example in described.examples:
        cells = (_Cell(SHORT, FULL, example.text, "cell"), _Cell(LAST, LAST, example.why, "cell"))
        page.line(_Cell(VALUE, VALUE, str(example.score), "cell_bold"), *cells)
