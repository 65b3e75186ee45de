"""A thin door to XlsxWriter: text is text, every return code is looked at, same content gives same bytes."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import xlsxwriter
from xlsxwriter import xmlwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from toolkit.texts import clean
from toolkit.workbook import paper
from toolkit.workbook.canvas import Choices
from toolkit.workbook.runs import Run, Style, merged, plain
from toolkit.workbook.style import FONT, FORMATS, font_changes

# A workbook says when it was made; ours says the same always, so that equal content is equal bytes.
CREATED = datetime.datetime(2000, 1, 1)
TITLE_CHARACTERS = 31
CELL_CHARACTERS = 32_767
# One validation can name many cells; a few hundred keep the attribute short enough for every program.
CELLS_PER_VALIDATION = 200
_FLAGS = {"bold": "<b/>", "italic": "<i/>", "font_strikeout": "<strike/>"}
# What stands for a character in the file. XlsxWriter escapes a literal one twice in a text of several looks, so that
# programs would show another text; such a text has one look.
_ESCAPE = re.compile("_x[0-9A-Fa-f]{4}_")
# XlsxWriter would escape `_x0041_x0042_` once, and programs would show `_x0041B`. Looking ahead it finds both.
xmlwriter.re_control_chars_1 = re.compile("(_(?=x[0-9A-Fa-f]{4}_))")
_FORBIDDEN_IN_TITLES = str.maketrans(dict.fromkeys("[]:*?/\\", "-"))


def sheet_title(wanted: str, taken: tuple[str, ...] = ()) -> str:
    """Return a title that every program accepts: at most 31 characters, none forbidden, not taken yet."""
    title = clean(wanted).replace("\n", " ").translate(_FORBIDDEN_IN_TITLES).strip("' ")[:TITLE_CHARACTERS] or "-"
    count = 2
    while title.casefold() in (other.casefold() for other in taken):
        title = f"{title[: TITLE_CHARACTERS - 4]} ({count})"
        count += 1
    return title


class Book:
    """A workbook being written."""

    def __init__(self, title: str, properties: dict[str, str] | None = None, *, large: bool = False):
        """Begin a workbook.

        Args:
            title: The document's title property.
            properties: Custom document properties.
            large: Whether its parts are put together in temporary files, for which less memory is needed.
        """
        self._buffer = io.BytesIO()
        options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
        # The width of a column is stored in digits of the default font; Arial has them equally wide everywhere, while
        # Calibri, the usual default, is missing on many machines and replaced by something wider.
        font = {"default_format_properties": {"font_name": FONT, "font_size": 10}}
        self.book = xlsxwriter.Workbook(self._buffer, {"in_memory": not large, **options, **font})
        self.book.set_properties({"title": title, "created": CREATED})
        for name, value in (properties or {}).items():
            self.book.set_custom_property(name, value, "text")
        self._formats: dict[str, Format] = {}
        self._titles: tuple[str, ...] = ()

    def format(self, name: str, **changes: Any) -> Format:
        """Return a cell format of `style.FORMATS`, with changes."""
        key = name + repr(sorted(changes.items())) if changes else name
        if key not in self._formats:
            self._formats[key] = self.book.add_format(FORMATS[name] | changes)
        return self._formats[key]

    def sheet(self, title: str) -> Sheet:
        """Add a sheet."""
        title = sheet_title(title, self._titles)
        self._titles += (title,)
        return Sheet(self, self.book.add_worksheet(title))

    def data(self) -> bytes:
        """Finish and return the file."""
        self.book.close()
        return self._buffer.getvalue()


class Sheet:
    """A sheet being written. Rows and columns count from 0."""

    def __init__(self, book: Book, raw: Worksheet):
        self.book, self.raw = book, raw
        self._fonts: dict[tuple[Style, str], str] = {}

    @property
    def title(self) -> str:
        """The sheet's title."""
        return str(self.raw.get_name())

    @property
    def quoted(self) -> str:
        """The sheet's title as formulas want it."""
        return "'" + self.title.replace("'", "''") + "'"

    def text(self, row: int, column: int, text: str, style: str, **changes: Any) -> None:
        """Write a text, never anything else, whatever it looks like."""
        text, cell = clean(text), self.book.format(style, **changes)
        if text.startswith("<r>") and text.endswith("</r>"):
            text += " "  # XlsxWriter would take it for markup of its own and write it unescaped
        if text:
            _check(self.raw.write_string(row, column, text, cell))
        else:
            _check(self.raw.write_blank(row, column, None, cell))

    def rich(self, row: int, column: int, runs: Iterable[Run], style: str) -> None:
        """Write a text of several looks; no run is empty."""
        runs = tuple(runs)
        whole = plain(runs)
        if clean(whole) != whole:
            runs = merged(Run(clean(text), look) for text, look in runs)
            whole = plain(runs)
        if len(runs) < 2 or _ESCAPE.search(whole):
            look = runs[0].style if len(runs) == 1 else Style.PLAIN
            self.text(row, column, whole, style, **font_changes(look))
            return
        markup = "".join(self._run(text, look, style) for text, look in runs)
        if len(markup) <= CELL_CHARACTERS:
            # XlsxWriter writes what begins with <r> as it is, four times as fast as by its own method for looks
            _check(self.raw.write_string(row, column, markup, self.book.format(style)))
            return
        looks = {look: self.book.format(style, **font_changes(look)) for look in {run.style for run in runs}}
        fragments = [part for text, look in runs for part in (looks[look], text)]
        _check(self.raw.write_rich_string(row, column, *fragments, self.book.format(style)))

    def _run(self, text: str, look: Style, style: str) -> str:
        if (look, style) not in self._fonts:
            self._fonts[look, style] = _font_markup(FORMATS[style] | font_changes(look))
        preserved = ' xml:space="preserve"' if text != text.strip() else ""
        return f"<r>{self._fonts[look, style]}<t{preserved}>{escape(text)}</t></r>"

    def merged(self, row: int, column: int, last_row: int, last_column: int, text: str, style: str) -> None:
        """Write a text into a merged range, which may be a single cell."""
        if (row, column) != (last_row, last_column):
            _check(self.raw.merge_range(row, column, last_row, last_column, "", self.book.format(style)))
        self.text(row, column, text, style)

    def number(self, row: int, column: int, value: float | None, style: str, **changes: Any) -> None:
        """Write a number, or a blank where there is none."""
        if value is None:
            _check(self.raw.write_blank(row, column, None, self.book.format(style, **changes)))
        else:
            _check(self.raw.write_number(row, column, value, self.book.format(style, **changes)))

    def formula(
        self, row: int, column: int, formula: str, style: str, value: float | str | None, **changes: Any
    ) -> None:
        """Write a formula together with its computed value, for viewers that do not calculate."""
        shown = "" if value is None else value
        _check(self.raw.write_formula(row, column, clean(formula), self.book.format(style, **changes), shown))

    def height(self, row: int, points: float) -> None:
        """Set the height of a row."""
        _check(self.raw.set_row(row, points))

    def hide_row(self, row: int) -> None:
        """Hide a row."""
        _check(self.raw.set_row(row, None, None, {"hidden": True}))

    def width(self, column: int, pixels: int, *, hidden: bool = False) -> None:
        """Set the width of a column, which may be hidden."""
        _check(self.raw.set_column_pixels(column, column, pixels, None, {"hidden": hidden}))

    def freeze(self, rows: int) -> None:
        """Keep the first rows in sight."""
        self.raw.freeze_panes(rows, 0)

    def choices(self, rows: Sequence[int], column: int, choices: Choices) -> None:
        """Offer choices in cells of a column."""
        options: dict[str, object] = {"validate": "list", "source": list(choices.values)}
        options["error_type"] = "stop" if choices.strict else "warning"
        words = {"input_title": choices.title, "input_message": choices.message}
        words |= {"error_title": choices.error_title, "error_message": choices.error}
        options |= {key: clean(text) for key, text in words.items() if text}
        for start in range(0, len(rows), CELLS_PER_VALIDATION):
            part = rows[start : start + CELLS_PER_VALIDATION]
            others = {"multi_range": " ".join(xl_rowcol_to_cell(row, column) for row in part)}
            _check(self.raw.data_validation(part[0], column, part[0], column, options | others))

    def sign(self, rows: tuple[int, int], column: int, formula: str, look: Mapping[str, Any]) -> None:
        """Give the cells of a column, from one row to another, a look where a formula is true."""
        rule = {"type": "formula", "criteria": clean(formula), "format": self.book.book.add_format(dict(look))}
        _check(self.raw.conditional_format(rows[0], column, rows[1], column, rule))

    def begin_at(self, row: int, column: int) -> None:
        """Put the cursor of whoever opens the sheet into a cell."""
        self.raw.set_selection(row, column, row, column)

    def protect(self) -> None:
        """Lock everything but the cells to fill in. No password: this guards against slips, not against people."""
        self.raw.protect("", {"format_rows": True, "format_columns": True, "select_locked_cells": True})

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
        self.raw.set_landscape()
        self.raw.set_paper(paper.A4)
        self.raw.set_margins(left=paper.LEFT, right=paper.RIGHT, top=paper.TOP, bottom=paper.BOTTOM)
        if percent is None:
            self.raw.fit_to_pages(1, 0)
        else:
            self.raw.set_print_scale(percent)
        self.raw.set_footer(f"&L&A&R{page}")
        self.raw.hide_gridlines(2)
        if repeated is not None:
            self.raw.repeat_rows(repeated)
        if breaks:
            self.raw.set_h_pagebreaks(list(breaks))

    def widths(self, *pixels: int) -> None:
        """Set the widths of the first columns."""
        for column, width in enumerate(pixels):
            _check(self.raw.set_column_pixels(column, column, width))


def _font_markup(look: dict[str, Any]) -> str:
    """Return the font of a format as the markup of a run."""
    flags = "".join(tag for name, tag in _FLAGS.items() if look.get(name))
    return (
        f'<rPr>{flags}<sz val="{look["font_size"]}"/><color rgb="FF{look["font_color"][1:]}"/>'
        f'<rFont val="{look["font_name"]}"/><family val="2"/></rPr>'
    )


def _check(code: int) -> None:
    """Refuse to go on when XlsxWriter did not write what it was given (it says so by a number, not an error)."""
    if code:
        raise RuntimeError(f"XlsxWriter refused a cell (code {code})")
