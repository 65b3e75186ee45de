"""Excel workbooks: the sheet whose header has the wanted columns, and the values its cells store."""

from __future__ import annotations

import itertools
import re
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from toolkit.cells.looks import Look
from toolkit.cells.number_formats import NumberFormat, builtin
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.tables._base import (
    Builder,
    Fault,
    Table,
    is_blank,
    missing_columns,
    no_such_columns,
    tidy_name,
)
from toolkit.texts import plain_key

LARGEST_UNPACKED = 500_000_000
HEADER_SEARCHED_ROWS = 20
LARGEST_EXACT = 2**53
# The file format writes a character that XML cannot hold as `_x0001_`, and the underscore of a literal `_x0001_` as
# `_x005F_`. Other characters are never written so: what looks like it is the text itself.
_ESCAPE = re.compile("_x(00[01][0-9A-F]|007F|005F|FFF[EF]|D[89A-F][0-9A-F]{2})_", re.IGNORECASE)
_PADDED = re.compile("0{2,}")
# openpyxl numbers the formats of the file itself anew, from this number on.
_FIRST_OWN_FORMAT = 164

Cells = list[tuple[int, list[Any], dict[int, Look]]]
Styles = dict[tuple[int, int], tuple[bool, NumberFormat]]


def check_size(path: Path) -> None:
    """Refuse a workbook that would fill the memory: a few kilobytes can unpack to gigabytes.

    Raises:
        ToolkitError: When it is too large, or no readable archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        what = "is a damaged or incomplete workbook"
        raise ToolkitError(Problem(what, "save or copy it again", path)) from error
    if size > LARGEST_UNPACKED:
        what = f"unpacks to {size / 1e6:,.0f} MB; the limit is {LARGEST_UNPACKED / 1e6:,.0f} MB"
        raise ToolkitError(Problem(what, "save the sheet as CSV, or remove what is not needed", path))


def read_xlsx(path: Path, sheet: str | None, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    """Return the table in a workbook's sheet.

    Args:
        path: The workbook.
        sheet: The sheet's title; None for the one sheet whose header has the wanted columns.
        wanted: The columns, each as the set of names it may go by.
        problems: Takes what is wrong with single cells.

    Raises:
        ToolkitError: When it cannot be read, or no sheet fits, or more than one does.
    """
    check_size(path)
    try:
        return _read(path, sheet, wanted, problems)
    except ToolkitError:
        raise
    except Exception as error:  # openpyxl raises whatever its parts happen to: KeyError, ParseError, ValueError...
        what = f"cannot be read as a workbook ({type(error).__name__}: {shown(error)})"
        fix = "open it in a spreadsheet program, save it as .xlsx, and try again"
        raise ToolkitError(Problem(what, fix, path)) from error


def _sheets(path: Path, *, values: bool) -> Iterator[tuple[str, Iterator[tuple[int, tuple[Any, ...]]]]]:
    """Yield each sheet's title and its rows of cells, without taking the whole workbook into memory."""
    import openpyxl

    with path.open("rb") as file, warnings.catch_warnings():
        # openpyxl warns of features it does not know; none of them concerns values
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(file, read_only=True, data_only=values)
        try:
            for sheet in book.worksheets:
                # the dimensions a file states may be wrong, and pad every row to 16,384 cells
                sheet.reset_dimensions()
                yield sheet.title, enumerate(sheet.iter_rows(), start=1)
        finally:
            book.close()


def _read(path: Path, sheet: str | None, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    headers: dict[str, tuple[int, list[str]] | None] = {}
    for title, rows in _sheets(path, values=False):
        headers[title] = _header(rows, wanted)
    chosen = _chosen(path, sheet, headers, wanted)
    header = headers[chosen]
    if header is None:
        raise ToolkitError(Problem("is empty", "check that it is the right file", path, chosen))
    first, names = header
    cells = _cells(path, chosen, first)
    builder = Builder(path, "xlsx", problems, sheet=chosen, header=names, word="row")
    for number, row, looks in cells:
        builder.add_cells(number, row, looks)
    return builder.table()


def _header(
    rows: Iterator[tuple[int, tuple[Any, ...]]], wanted: Collection[frozenset[str]]
) -> tuple[int, list[str]] | None:
    """Return the row that has the wanted columns among a sheet's first; else its first row with anything in it."""
    first: tuple[int, list[str]] | None = None
    filled = ((number, row) for number, row in rows if any(not is_blank(cell.value) for cell in row))
    for number, row in itertools.islice(filled, HEADER_SEARCHED_ROWS):
        names = [tidy_name(_value(cell)) for cell in row]
        if not missing_columns(names, wanted):
            return number, names
        first = first or (number, names)
    return first


def _chosen(
    path: Path,
    sheet: str | None,
    headers: dict[str, tuple[int, list[str]] | None],
    wanted: Collection[frozenset[str]],
) -> str:
    if sheet is not None:
        named = [title for title in headers if plain_key(title) == plain_key(sheet)]
        if not named:
            what = f"has no sheet {shown(sheet)!r}; its sheets are: {shown(', '.join(headers), 300)}"
            raise ToolkitError(Problem(what, "name one of them", path))
        header = headers[named[0]]
        if header and missing_columns(header[1], wanted):
            raise no_such_columns(path, named[0], header[1], wanted)
        return named[0]
    filled = {title: header[1] for title, header in headers.items() if header}
    if not filled:
        raise ToolkitError(Problem("is empty", "check that it is the right file", path))
    fitting = [title for title, names in filled.items() if not missing_columns(names, wanted)]
    if len(fitting) > 1 and wanted:
        names = " and ".join(repr(shown(title)) for title in fitting)
        what = f"has {len(fitting)} sheets with the columns wanted, {names}"
        raise ToolkitError(Problem(what, "keep one, or save the one that is meant as a file of its own", path))
    if not fitting:
        errors = [no_such_columns(path, title, names, wanted) for title, names in filled.items()]
        raise ToolkitError(problem for error in errors for problem in error.problems)
    return fitting[0]


def _cells(path: Path, title: str, after: int) -> Cells:
    """Return the values below a row; formulas by the result stored with them."""
    found: Cells = []
    styles: Styles = {}
    formulas: list[tuple[int, int]] = []
    escaped = _escaped_texts(path)
    for number, row in _rows_of(path, title, values=False):
        if number <= after:
            continue
        values = [_value(cell, escaped) for cell in row]
        places = [place for place, cell in enumerate(row) if cell.data_type == "f"]
        if any(not is_blank(value) for value in values):
            looks = {place: look for place, cell in enumerate(row) if (look := _look(cell, styles))}
            found.append((number, values, looks))
            formulas.extend((len(found) - 1, place) for place in places)
    if formulas:
        stored = {n: row for n, row in _rows_of(path, title, values=True) if n > after}
        for index, place in formulas:
            number, values, looks = found[index]
            row = stored.get(number, ())
            values[place] = _result(row[place]) if place < len(row) else _NO_RESULT
            if place < len(row) and (look := _look(row[place], styles)):
                looks[place] = look
    return found


def _rows_of(path: Path, title: str, *, values: bool) -> Iterator[tuple[int, tuple[Any, ...]]]:
    for name, rows in _sheets(path, values=values):
        if name == title:
            yield from rows
            return


_NO_RESULT = Fault(
    "holds a formula without a stored result",
    "open the file in a spreadsheet program and save it, or replace the formula by its value",
)


def _result(cell: Any) -> Any:
    # a formula whose result is the empty text stores a text; one that was never calculated stores nothing
    if cell.value is None and cell.data_type not in ("s", "str"):
        return _NO_RESULT
    return _value(cell)


def _look(cell: Any, styles: Styles) -> Look | None:
    """Return how a cell looks, where it does not look like its value; styles are worked out once for a sheet."""
    if cell.value is None or cell.data_type in ("e", "f"):
        return None
    ids = cell.style_array.fontId, cell.style_array.numFmtId
    if ids not in styles:
        own = {ids[1]: cell.number_format} if ids[1] >= _FIRST_OWN_FORMAT else {}
        styles[ids] = bool(cell.font.strike), builtin(ids[1], own)
    struck, form = styles[ids]
    display = None
    if isinstance(cell.value, str):
        display = form.shown_text(cell.value)
    elif type(cell.value) in (int, float) and form.kind in ("plain", "percentage"):
        display = form.shown(cell.value)
    return Look(struck, display) if struck or display is not None else None


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def _escaped_texts(path: Path) -> dict[str, str]:
    """Return the shared texts with an escaped underscore, from what openpyxl makes of them to what they are.

    openpyxl drops the escape of the underscore and leaves all others, after which a literal `_x0001_` and the
    character it stands for can no longer be told apart.
    """
    from openpyxl.cell.text import Text
    from openpyxl.xml.constants import SHEET_MAIN_NS
    from openpyxl.xml.functions import iterparse

    with zipfile.ZipFile(path) as archive:
        name = next((n for n in archive.namelist() if n.casefold() == "xl/sharedstrings.xml"), None)
        if name is None or b"x005F_" not in archive.read(name):
            return {}
        found: dict[str, str] = {}
        with archive.open(name) as part:
            for _, node in iterparse(part):
                if node.tag == f"{{{SHEET_MAIN_NS}}}si":
                    rich = Text.from_tree(node)
                    text = rich.content if rich else ""
                    if "x005F_" in text:
                        found[text.replace("x005F_", "")] = _unescape(text)
                    node.clear()
        return found


def _value(cell: Any, escaped: Mapping[str, str] = MappingProxyType({})) -> Any:
    value = cell.value
    if cell.data_type == "e":
        return Fault(f"holds the error value {shown(value)}", "correct the cell", value)
    if isinstance(value, str):
        return escaped[value] if value in escaped else _unescape(value)
    # a workbook has one kind of number: 7 and 7.0 are the same cell
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT:
        value = int(value)
    # an identifier shown as 00123 by the format of its cell is 00123 to everybody who sees the sheet
    if type(value) is int and value >= 0 and _PADDED.fullmatch(form := cell.number_format):
        return f"{value:0{len(form)}d}"
    return value
