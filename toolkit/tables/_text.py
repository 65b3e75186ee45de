"""Tables that are text: CSV with the separator that makes sense of the header, in whatever encoding it came."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from toolkit.cells.csv_rows import SEPARATORS, Rows, told
from toolkit.errors import Problem, ToolkitError
from toolkit.tables._base import Builder, Table, is_blank, missing_columns, no_such_columns, tidy_name

LONGEST_FIELD = 2**31 - 1
_UTF8_SEQUENCE = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_SEP_LINE = re.compile(r"\s*\"?sep=(.)\"?[ \t]*(?:\r\n|\r|\n)", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def decode(data: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    """Return a file's text and what is to be said of its encoding.

    Raises:
        ToolkitError: When it is no text, or a mixture of encodings in which letters would be read wrongly.
    """
    notes: tuple[str, ...] = ()
    mark = next((mark for mark in _MARKS if data.startswith(mark[0])), None)
    try:
        text = data[len(mark[0]) :].decode(mark[1]) if mark else data.decode()
    except UnicodeDecodeError as error:
        line = f"line {error.object.count(10, 0, error.start) + 1}"
        if mark:
            what = f"starts as {mark[2]}, but its bytes are not {mark[2]} throughout"
            raise ToolkitError(Problem(what, "save it again as UTF-8", path, cell=line)) from error
        text, notes = _windows(data, path, line)
    if "\0" in text:
        line = f"line {text.count(chr(10), 0, text.index(chr(0))) + 1}"
        what = "is not a text file (it holds null bytes)"
        fix = "check that it is the right file; if it is text, save it as UTF-8"
        raise ToolkitError(Problem(what, fix, path, cell=line))
    return text, notes


def _windows(data: bytes, path: Path, line: str) -> tuple[str, tuple[str, ...]]:
    """Read as Windows-1252, unless it looks like UTF-8 with a few broken bytes: that would garble every accent."""
    sequences = _UTF8_SEQUENCE.findall(data)
    stray = sum(byte > 0x7F for byte in data) - sum(map(len, sequences))
    if len(sequences) > stray:
        what = "is UTF-8 text with bytes that are not UTF-8 in it"
        fix = "repair or remove the characters there, and save it as UTF-8"
        raise ToolkitError(Problem(what, fix, path, cell=line))
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        what = "is neither UTF-8 nor UTF-16 nor Windows-1252 text"
        raise ToolkitError(Problem(what, "save it as UTF-8", path, cell=line)) from error
    return text, (f"{path.name}: read as Windows-1252, since it is not UTF-8; check the accents",)


@contextlib.contextmanager
def _long_fields() -> Iterator[None]:
    """Let a cell hold more than the csv module's 131,072 characters; the limit is a global of the interpreter."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


class _BrokenError(Exception):
    """A record that is no CSV: the line it starts in, and why."""


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the number of the line it starts in."""
    # strict: a quote that is never closed would otherwise swallow the rest of the file
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    start = 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise _BrokenError(start, str(error)) from error


def _header(text: str, separator: str) -> list[str] | None:
    try:
        return next((cells for _, cells in _records(text, separator) if not all(map(is_blank, cells))), None)
    except _BrokenError:
        return None


def read_csv(
    text: str,
    path: Path,
    wanted: Collection[frozenset[str]],
    problems: list[Problem],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return the table in a CSV text.

    Args:
        text: The text.
        path: Where it came from, for messages.
        wanted: The columns the header must have, each as the set of names it may go by. The separator is the one
            with which the header has them; without any, the one that makes the most columns.
        problems: Takes what is wrong with single rows.
        notes: What is already known and to be kept.

    Raises:
        ToolkitError: When the header has not got the columns, or the file is no CSV.
    """
    skipped = 0
    separators = list(SEPARATORS)
    if announced := _SEP_LINE.match(text):
        # Excel's own way of naming the separator in a first line
        separators, skipped = [announced[1]], 1
        text = text[announced.end() :]
    with _long_fields():
        headers = {separator: _header(text, separator) or [] for separator in separators}
        best = min(separators, key=lambda s: (len(missing_columns(headers[s], wanted)), -len(headers[s])))
        if missing_columns(headers[best], wanted) and headers[best]:
            raise no_such_columns(path, None, [tidy_name(name) for name in headers[best]], wanted)
        return _read(text, path, best, skipped, problems, notes)


def _read(
    text: str, path: Path, separator: str, skipped: int, problems: list[Problem], notes: tuple[str, ...]
) -> Table:
    builder: Builder | None = None
    rows: Rows | None = None
    width, short = 0, []
    try:
        for line, cells in _records(text, separator):
            if all(map(is_blank, cells)):
                continue
            if builder is None or rows is None:
                builder = Builder(path, "csv", problems, header=cells, word="line")
                width = len(cells)
                rows = Rows(cells, separator, hidden=False)
                continue
            rows.take(line + skipped, cells)
            if len(cells) < width:
                short.append(line + skipped)
            builder.add_cells(line + skipped, cells)
    except _BrokenError as error:
        line, why = error.args
        what = f"is not valid CSV from this record on: {why}"
        fix = 'a text with a quote in it needs quotes around it, and "" for each quote inside'
        raise ToolkitError([*problems, Problem(what, fix, path, cell=f"line {line + skipped}")]) from error
    if builder is None or rows is None:
        raise ToolkitError(Problem("is empty", "check that it is the right file", path))
    shifted = rows.shifted()
    builder.leave({row.line for row in shifted})
    for row in told(shifted):
        problems.append(Problem(row.what, row.fix, path, None, f"line {row.line}", row.text or None))
    builder.notes.extend(notes)
    if short:
        builder.notes.append(
            f"{path.name}: {len(short)} rows have fewer cells than the header (first in line {short[0]}); the rest "
            "counts as blank"
        )
    return builder.table()
