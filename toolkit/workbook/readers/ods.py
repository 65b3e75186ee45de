"""The .ods format of LibreOffice and Google Sheets: cells by their stated type, never by what they display."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.cells.number_formats import parse_number
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.grid import LAST_COLUMN, LAST_ROW, Grid, Range, address
from toolkit.workbook.readers.markup import DEEPEST, MOST_ATTRIBUTES, SMALL_PART, Collector, abnormal, parse
from toolkit.workbook.readers.numbers import iso_cell
from toolkit.workbook.readers.ods_styles import CELL, SPAN, Styles
from toolkit.workbook.readers.ods_text import CellText
from toolkit.workbook.readers.package import Package
from toolkit.workbook.readers.raw import DAMAGED_NUMBER, ERROR_VALUE, FORMULA, PERCENTAGE, Cell, RawSheet, struck_out
from toolkit.workbook.readers.sniff import PASSWORD

_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
}


def _name(prefixed: str) -> str:
    prefix, _, local = prefixed.partition(":")
    return f"{_SPACES[prefix]} {local}"


_TABLE, _ROW, _COLUMN = map(_name, ("table:table", "table:table-row", "table:table-column"))
_GROUPS = frozenset(
    _name(f"table:table-{kind}")
    for kind in ("row-group", "header-rows", "rows", "column-group", "header-columns", "columns")
)
_CELLS = frozenset(map(_name, ("table:table-cell", "table:covered-table-cell")))
_PARAGRAPHS = frozenset(map(_name, ("text:p", "text:h")))
_SPACE, _TAB, _BREAK, _SPAN = map(_name, ("text:s", "text:tab", "text:line-break", "text:span"))
# Inside a paragraph, what is not its text: a note on the cell, a footnote, a reading aid.
_COMMENT = _name("office:annotation")
_ASIDE = frozenset((_COMMENT, *map(_name, ("text:note", "text:ruby-text"))))
_TABLE_DEPTH = 4  # document-content, body, spreadsheet, table
_BODY = _name("office:body")
_STYLE, _DEFAULT_STYLE = _name("table:style-name"), _name("table:default-cell-style-name")


def read_ods(package: Package, budget: Budget) -> tuple[tuple[RawSheet, ...], dict[str, str]]:
    """Return the sheets and the custom document properties of a workbook.

    Args:
        package: The container.
        budget: Counts what is read.

    Raises:
        Refused: When it is protected or damaged, or holds too much.
    """
    if "encrypted-package" in package or b"encryption-data" in package.head("META-INF/manifest.xml"):
        raise Refused(PASSWORD.what, PASSWORD.fix)
    styles = Styles()
    if "styles.xml" in package:
        parse(package.chunks("styles.xml"), styles, budget)
    handler = _Content(budget, styles)
    parse(package.chunks("content.xml"), handler, budget)
    if not handler.sheets:
        raise Refused("is damaged: it holds no sheets", SAVE_AGAIN)
    properties: dict[str, str] = {}
    if "meta.xml" in package:
        collector = Collector()
        parse(package.chunks("meta.xml", SMALL_PART), collector, budget)
        for element in collector.elements:
            if element.path == "/document-meta/meta/user-defined":
                properties.setdefault(element.get("name"), element.own_text)
    return tuple(handler.sheets), properties


class _Content:
    """Takes the events of content.xml."""

    def __init__(self, budget: Budget, styles: Styles):
        self.depth = self.count = 0
        self.sheets: list[RawSheet] = []
        self._budget, self._styles = budget, styles
        self._in_body = False
        self._strike = False  # whether any style strikes out
        self._skipped = 0  # the depth of an element that is passed over with all it holds
        self._grid = Grid("", budget)
        self._row = self._column = 0  # the place after the last, counted from 1
        self._row_repeats = self._cell_repeats = 1
        self._row_depth = self._cell_depth = 0
        self._row_cells: list[tuple[int, Cell]] = []
        self._attributes: dict[str, str] = {}
        self._text = CellText(budget)
        self._in_paragraph = self._displayed = False
        self._column_styles: list[tuple[int, str]] = []  # the last column of each, and what its cells begin with
        self._row_style = ""
        self._spans: list[tuple[int, bool]] = []  # the depth of each that is open, and whether it is struck out
        self._partly_struck = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `markup.Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        if not self._in_body:
            self._styles.start(name, attributes)
            if name == _BODY:
                self._in_body, self._strike = True, self._styles.strike
            return
        if self._skipped or self.depth < _TABLE_DEPTH:
            return
        if self._cell_depth:
            self._start_in_cell(name, attributes)
        elif self._row_depth:
            if name in _CELLS and self.depth == self._row_depth + 1:
                self._cell_depth, self._attributes = self.depth, attributes
                self._cell_repeats = _count(attributes, "table:number-columns-repeated")
                self._text.clear()
                self._displayed = self._partly_struck = False
            else:
                self._skipped = self.depth
        elif self.depth == _TABLE_DEPTH:
            # Programs keep copies of other files' sheets here, and the history of changes; both hold tables too.
            if name == _TABLE and not attributes.get(_name("table:name"), "").startswith("'file:"):
                self._start_table(attributes)
            else:
                self._skipped = self.depth
        elif name == _ROW:
            self._row_depth, self._column, self._row_cells = self.depth, 1, []
            self._row_repeats = _count(attributes, "table:number-rows-repeated")
            self._row_style = attributes.get(_DEFAULT_STYLE, "")
        elif name == _COLUMN:
            before = self._column_styles[-1][0] if self._column_styles else 0
            last = before + _count(attributes, "table:number-columns-repeated")
            self._column_styles.append((last, attributes.get(_DEFAULT_STYLE, "")))
            self._skipped = self.depth
        elif name not in _GROUPS:
            self._skipped = self.depth

    def _start_table(self, attributes: dict[str, str]) -> None:
        self._budget.sheets(len(self.sheets) + 1)
        hidden = self._styles.hides(attributes.get(_STYLE, ""))
        self._grid = Grid(attributes.get(_name("table:name"), ""), self._budget, hidden=hidden)
        self._row, self._column_styles = 1, []

    def _start_in_cell(self, name: str, attributes: dict[str, str]) -> None:
        if self.depth == self._cell_depth + 1:
            if name in _PARAGRAPHS:
                self._in_paragraph = self._displayed = True
                self._text.paragraph()
            else:
                self._skipped = self.depth  # comments, drawings, tables inside
                if name == _COMMENT and self._row <= LAST_ROW and self._column <= LAST_COLUMN:
                    self._grid.comments.add((self._row, self._column))
        elif name in _ASIDE:
            self._skipped = self.depth
        elif name == _SPACE:
            self._text.spaces(_count(attributes, "text:c"))
        elif name == _TAB:
            self._text.literal("\t")
        elif name == _BREAK:
            self._text.literal("\n")
        elif name == _SPAN and self._strike:
            # inside one another, the innermost that says anything counts; to be sure, any that strikes out does
            style = attributes.get(_name("text:style-name"), "")
            self._spans.append((self.depth, self._styles.strikes(SPAN, style)))

    def text(self, data: str) -> None:
        """See `markup.Handler`."""
        if self._in_paragraph and not self._skipped:
            self._text.add(data)
            if self._spans and data.strip():
                self._partly_struck |= any(struck for _depth, struck in self._spans)

    def end(self, name: str) -> None:
        """See `markup.Handler`."""
        depth = self.depth
        self.depth -= 1
        if not self._in_body:
            self._styles.end(name)
        elif self._skipped:
            if depth == self._skipped:
                self._skipped = 0
        elif self._cell_depth:
            if self._spans and self._spans[-1][0] == depth:
                self._spans.pop()
            elif depth == self._cell_depth + 1:
                self._in_paragraph = False
            elif depth == self._cell_depth:
                self._cell_depth = 0
                self._end_cell()
        elif depth == self._row_depth:
            self._row_depth = 0
            self._end_row()
        elif depth == _TABLE_DEPTH:
            self.sheets.append(self._grid.finish())

    def _end_cell(self) -> None:
        column, repeats = self._column, self._cell_repeats
        self._column += repeats
        for take, prefix in ((self._grid.merge, "table:number-"), (self._grid.array_formula, "table:number-matrix-")):
            right = column + _count(self._attributes, f"{prefix}columns-spanned") - 1
            bottom = self._row + _count(self._attributes, f"{prefix}rows-spanned") - 1
            if (bottom, right) != (self._row, column):
                take(Range(self._row, column, min(bottom, LAST_ROW), min(right, LAST_COLUMN)))
        cell = ods_cell("", self._attributes, str(self._text) if self._displayed else None)
        if cell is None:
            return
        # counted before they are made
        self._budget.cells(repeats * self._row_repeats)
        if isinstance(cell.value, str):
            self._budget.text(cell.value, repeats * self._row_repeats)
        if self._strike and (self._partly_struck or self._strikes(column)):
            cell = struck_out(cell)
        if self._column - 1 > LAST_COLUMN or self._row + self._row_repeats - 1 > LAST_ROW:
            raise Refused("is damaged: it has cells beyond the last row or column", SAVE_AGAIN, sheet=self._grid.title)
        self._row_cells += ((column + place, cell) for place in range(repeats))

    def _strikes(self, column: int) -> bool:
        """Return whether the style of the cell at hand strikes out: its own, or that of its row or column."""
        style = self._attributes.get(_STYLE) or self._row_style
        if not style:
            style = next((style for last, style in self._column_styles if column <= last), "")
        return self._styles.strikes(CELL, style)

    def _end_row(self) -> None:
        if self._row_cells:
            for row in range(self._row, self._row + self._row_repeats):
                for column, cell in self._row_cells:
                    place = Cell(address(row, column), cell.value, cell.trouble, cell.shown)
                    self._grid.cells[row, column] = place
        self._row += self._row_repeats


def _count(attributes: Mapping[str, str], name: str) -> int:
    """Return an attribute that counts something; 1 where it is absent."""
    stated = attributes.get(_name(name))
    if stated is None:
        return 1
    count = parse_number(stated)
    if not isinstance(count, int) or count < 0:
        raise Refused(f"is damaged: it repeats a cell {stated[:20]!r} times", SAVE_AGAIN)
    return max(count, 1)


def ods_cell(place: str, attributes: Mapping[str, str], displayed: str | None) -> Cell | None:
    """Return a cell from its attributes and its displayed text; None for a blank.

    Args:
        place: Its address.
        attributes: The attributes of its element.
        displayed: What it displays, with paragraphs joined by line ends; None where the file does not say.
    """
    text = displayed or ""
    kind = attributes.get(_name("office:value-type"), "")
    formula = attributes.get(_name("table:formula"))
    if formula is not None:
        # `of:=1+1`: the prefix names the language of the formula
        return Cell(place, formula[formula.find("=") :] if "=" in formula else formula, FORMULA, text or None)
    if attributes.get(_name("calcext:value-type")) == "error":
        return Cell(place, text, ERROR_VALUE)
    if kind in ("float", "currency", "percentage"):
        stored = attributes.get(_name("office:value"), "")
        number = parse_number(stored)
        if number is None:
            return Cell(place, stored[:100] or text, DAMAGED_NUMBER)
        trouble = PERCENTAGE if kind == "percentage" else None
        same = parse_number(text.replace(",", ".")) == number and kind == "float"
        return Cell(place, number, trouble, None if same else displayed)
    if kind == "boolean":
        word = attributes.get(_name("office:boolean-value"), "")
        if word not in ("true", "false"):
            raise Refused("is damaged: it holds a true/false value that is neither", SAVE_AGAIN, value=word[:20])
        return Cell(place, word == "true")
    if kind in ("date", "time"):
        return iso_cell(place, attributes.get(_name(f"office:{kind}-value"), ""))
    if kind not in ("string", "", "void"):
        raise Refused(f"is damaged: it holds a value of an unknown kind ({kind[:20]!r})", SAVE_AGAIN)
    # programs write the text itself only where its number format shows another; an empty one they pass over
    words = attributes.get(_name("office:string-value"))
    if not words:
        return Cell(place, text) if text else None
    same = displayed is None or words.split() == text.split()
    return Cell(place, words, shown=None if same else text)
