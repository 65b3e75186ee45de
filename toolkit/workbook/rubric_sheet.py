"""The rubric as a sheet of an annotator's workbook."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise, zip_longest
from typing import NamedTuple

from toolkit.workbook import paper
from toolkit.workbook.canvas import Canvas
from toolkit.workbook.layout import Layout
from toolkit.workbook.measure import height, line_count, rows_of
from toolkit.workbook.style import FORMATS

# Margin; value and label; short form; the rest of the description or of an example; why an example gets its score.
WIDTHS = (10, 132, 265, 404, 320)
KEY, VALUE, SHORT, FULL, LAST = 0, 1, 2, 3, 4
# With it begin the machine keys of the lines.
RUBRIC = "rubric:"
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


class Line(NamedTuple):
    """A row of the sheet: the machine key it is known by when it comes back, and its texts."""

    key: str
    cells: tuple[_Cell, ...]

    @property
    def height(self) -> float:
        """How tall it is, in points."""
        return max(height(line_count(cell.text, cell.width, cell.points), cell.points) for cell in self.cells)


class _Lines:
    """Lines written one below the other. Their keys count them anew for each dimension."""

    def __init__(self) -> None:
        self.found: list[Line] = []
        self._of, self._count = RUBRIC, 0

    def begin(self, dimension: str) -> None:
        """Begin a dimension."""
        self._of, self._count = f"{RUBRIC}{dimension}:", 0

    def line(self, *cells: _Cell) -> None:
        """Write texts beside each other; in several lines where one of them is too tall for a row."""
        pieces = [rows_of(cell.text, cell.width, cell.points) for cell in cells]
        for texts in zip_longest(*pieces, fillvalue=""):
            self._count += 1
            cut = tuple(cell._replace(text=text) for cell, text in zip(cells, texts, strict=True))
            self.found.append(Line(f"{self._of}{self._count}", cut))

    def whole(self, text: str, style: str) -> None:
        """Write a text in all columns."""
        self.line(_Cell(VALUE, LAST, text, style))


def rubric_lines(layout: Layout) -> list[list[Line]]:
    """Return the lines of the rubric: what is said of the scale, and then those of each dimension."""
    _, scale, lines = layout._, layout.rubric.scale, _Lines()
    lines.whole(layout.rubric.name, "h1")
    if scale.descriptions:
        lines.whole(_("The scale in general"), "h2")
        for value in reversed(scale.values):
            described = _Cell(SHORT, LAST, scale.descriptions.get(value, ""), "cell")
            lines.line(_Cell(VALUE, VALUE, _named(layout, value), "cell_bold"), described)
    begins = []
    for key in layout.dimensions:
        begins.append(len(lines.found))
        lines.begin(key)
        _dimension(layout, lines, key)
    return [lines.found[start:end] for start, end in pairwise([0, *begins, len(lines.found)])]


def rubric_sheet(layout: Layout, sheet: Canvas) -> None:
    """Write the rubric: the scale, and for each dimension, on a page of its own, levels, edge cases and examples."""
    sheet.widths(*WIDTHS)
    parts = rubric_lines(layout)
    for row, line in enumerate(chain.from_iterable(parts), FIRST):
        sheet.text(row, KEY, line.key, "hidden_key")
        for cell in line.cells:
            sheet.merged(row, cell.first, row, cell.last, cell.text, cell.style)
        sheet.height(row, line.height)
    sheet.protect()
    _print(layout, sheet, parts)


def _print(layout: Layout, sheet: Canvas, parts: Sequence[Sequence[Line]]) -> None:
    """Set up to print: the rubric's name on every page, and a page for each dimension.

    What stands before the first dimension shares its page where both have room on it.
    """
    # the name may take several rows, of which one is enough
    name = parts[0][0].height
    scale, *talls = (sum(line.height for line in part) for part in parts)
    percent = paper.percent(WIDTHS, name + max(talls), POINTS)
    together = scale + talls[0] <= paper.HEIGHT * 100 / percent
    begins = [FIRST + before for before in accumulate(len(part) for part in parts[:-1])]
    breaks = begins[1:] if together else begins
    sheet.print_setup(layout.page, repeated=FIRST, breaks=breaks, percent=percent)


def _named(layout: Layout, value: int | str) -> str:
    label = layout.rubric.scale.labels.get(value)
    return f"{value} — {label}" if label else str(value)


def _dimension(layout: Layout, lines: _Lines, key: str) -> None:
    """Write a dimension: its question, levels, edge cases, rule for sets of answers, and examples."""
    _, described = layout._, layout.rubric.dimensions[key]
    lines.line(_Cell(VALUE, SHORT, described.title, "h2"), _Cell(FULL, LAST, described.question, "body"))
    titles = ((VALUE, VALUE, _("Score")), (SHORT, SHORT, _("In short")), (FULL, LAST, _("What it means")))
    lines.line(*(_Cell(*title, "column") for title in titles))
    for value in reversed(layout.scale.values):
        level = described.levels[value]
        cells = (_Cell(SHORT, SHORT, level.short, "cell"), _Cell(FULL, LAST, level.description, "cell"))
        lines.line(_Cell(VALUE, VALUE, _named(layout, value), "cell_bold"), *cells)
    lists = [(_("Edge cases"), [f"• {case}" for case in described.edge_cases])]
    lists.append((_("One score for several answers"), [described.sets] if described.sets else []))
    for heading, texts in lists:
        if texts:
            lines.whole(heading, "section")
        for text in texts:
            lines.whole(text, "cell")
    if described.examples:
        titles = ((VALUE, VALUE, _("Score")), (SHORT, FULL, _("Example")), (LAST, LAST, _("Why")))
        lines.line(*(_Cell(*title, "column") for title in titles))
    for example in described.examples:
        cells = (_Cell(SHORT, FULL, example.text, "cell"), _Cell(LAST, LAST, example.why, "cell"))
        lines.line(_Cell(VALUE, VALUE, str(example.score), "cell_bold"), *cells)
