"""CSV: the separator that makes the key row appear, in whatever encoding it came."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Collection, Iterator

from toolkit.texts import plain_key
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.grid import LAST_COLUMN, LAST_ROW, Cells, address
from toolkit.workbook.readers.raw import Cell, RawSheet

ANNOTATION_KEYS = frozenset({"study", "annotator", "item_code", "score"})
SEPARATORS = (",", ";", "\t")
# People insert rows above the key row, but not this many.
KEY_ROW_SEARCHED = 1_000
_INVISIBLE = dict.fromkeys((0xFEFF, 0x200B))
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8_LETTER = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f]")


def read_csv(data: bytes, keys: Collection[str], budget: Budget) -> RawSheet:
    """Return the one sheet of a CSV file.

    Args:
        data: The file.
        keys: Words that stand in one row.
        budget: Counts what is read.

    Raises:
        Refused: When it is no text, is cut off, or has no row with the keys.
    """
    text = _decoded(data)
    with _long_fields(budget.limits.cell_characters):
        separators = [separator for separator in SEPARATORS if _has_key_row(text, separator, keys)]
        if not separators:
            raise _no_key_row(text, keys)
        if len(separators) > 1:
            raise Refused("can be read with more than one separator, with different results", SAVE_AGAIN)
        cells: Cells = {}
        try:
            for row, record in _records(text, separators[0]):
                _add(cells, row, record, budget)
        except csv.Error as error:
            raise _malformed(error, text, separators[0]) from error
    return RawSheet("", cells, textual=True)


def _decoded(data: bytes) -> str:
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None) or _utf16_without_bom(data)
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line = f"line {data.count(10, 0, error.start) + 1}"
        if encoding:
            what = "is damaged: it begins as Unicode text and does not go on as such"
            raise Refused(what, SAVE_AGAIN, cell=line) from error
        text = _windows(data, line)
    place = text.find("\0")
    if place >= 0:
        line = f"line {text.count(chr(10), 0, place) + 1}"
        raise Refused("is no spreadsheet and no text: it holds null bytes", SAVE_AGAIN, cell=line)
    if len(_CONTROL.findall(text[:10_000])) > 10:
        raise Refused("is of a kind that is not known here: neither a workbook nor text", SAVE_AGAIN)
    return text


def _utf16_without_bom(data: bytes) -> str | None:
    """Return UTF-16's name when every second byte of the beginning is null, as Western text makes it."""
    head = data[:4096]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 or min(even, odd) * 10 > max(even, odd) or max(even, odd) * 4 < len(head):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _windows(data: bytes, line: str) -> str:
    """Read as Windows-1252, unless it is UTF-8 with a few broken bytes: that would garble every accent."""
    letters = _UTF8_LETTER.findall(data)
    stray = len(data.translate(None, bytes(range(128)))) - sum(map(len, letters))
    try:
        if len(letters) > stray:
            raise Refused("is UTF-8 text with bytes in it that are not UTF-8", SAVE_AGAIN, cell=line)
        return data.decode("cp1252")
    except UnicodeDecodeError as error:
        what = "is neither UTF-8 nor UTF-16 nor Windows-1252 text"
        raise Refused(what, "save it as .xlsx, or as CSV in UTF-8", cell=line) from error


@contextlib.contextmanager
def _long_fields(limit: int) -> Iterator[None]:
    """Let a cell hold more than the csv module's 131,072 characters; its limit is a global of the interpreter."""
    before = csv.field_size_limit(limit)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    # strict: a quote that is never closed would otherwise swallow the rest of the file
    return enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 1)


def _word(cell: str) -> str:
    return plain_key(cell.translate(_INVISIBLE)) if len(cell) < 100 else ""


def _has_key_row(text: str, separator: str, keys: Collection[str]) -> bool:
    try:
        for row, record in _records(text, separator):
            if row > KEY_ROW_SEARCHED:
                return False
            if len(record) >= len(keys) and {_word(cell) for cell in record}.issuperset(keys):
                return True
    except csv.Error:
        pass
    return False


def _no_key_row(text: str, keys: Collection[str]) -> Refused:
    for separator in SEPARATORS:
        try:
            for row, _record in _records(text, separator):
                if row > KEY_ROW_SEARCHED:
                    break
        except csv.Error as error:
            if all(key in plain_key(text[:1_000_000]) for key in keys):
                return _malformed(error, text, separator)
    words = ", ".join(sorted(keys))
    return Refused(
        f"is text without the row of hidden keys ({words}), so nobody can say what its columns are",
        "save the annotation sheet with its hidden first row, or better send the whole workbook as .xlsx",
    )


def _malformed(error: csv.Error, text: str, separator: str) -> Refused:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    start = 1
    with contextlib.suppress(csv.Error):
        for _record in lines:
            start = lines.line_num + 1
    if "field larger" in str(error):
        return Refused(f"holds a cell of more than {csv.field_size_limit():,} characters, which is the limit", SAVE_AGAIN)
    what = "is no valid CSV from here on: a quotation mark is not closed, or stands where none may"
    return Refused(what, 'save it as .xlsx; in CSV a text with " needs quotation marks around it and "" inside',
                   cell=f"line {start}")  # fmt: skip


def _add(cells: Cells, row: int, record: list[str], budget: Budget) -> None:
    if row > LAST_ROW or len(record) > LAST_COLUMN:
        raise Refused(f"has more than {LAST_ROW:,} rows or {LAST_COLUMN:,} columns", SAVE_AGAIN)
    budget.elements(len(record))
    for column, value in enumerate(record, 1):
        if value:
            budget.cells(1)
            budget.characters(len(value))
            cells[row, column] = Cell(address(row, column), value)
