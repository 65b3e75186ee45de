"""CSV: the separator that makes the key row appear, in whatever encoding it came."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from toolkit.cells.csv_rows import SEPARATORS, Rows, Shifted, told
from toolkit.texts import plain_key
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused, too_much
from toolkit.workbook.readers.grid import LAST_COLUMN, LAST_ROW, Cells, address
from toolkit.workbook.readers.raw import Cell, Limits, RawSheet

ANNOTATION_KEYS = frozenset({"study", "annotator", "item_code", "score"})
WINDOWS = "cp1252"
# People insert rows above the key row, but not this many.
KEY_ROW_SEARCHED = 1_000
# Much longer than any row of cells that spreadsheet programs can hold; a line is taken into memory as a whole.
LONGEST_LINE = 8_000_000
# More does not fit the csv module's C long on every system.
LARGEST_FIELD = 2**31 - 1
PIECE = 1 << 20
QUOTES = 'save it as .xlsx; in CSV a text with " in it needs quotation marks around it, and "" inside'
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8_LETTER = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")


def read_csv(data: bytes, keys: Collection[str], budget: Budget) -> tuple[RawSheet, tuple[str, ...], str | None]:
    """Return the one sheet of a CSV file, what had to be assumed to read it, and its encoding if that loses characters.

    Args:
        data: The file.
        keys: Words that stand in one row.
        budget: Counts what is read.

    Raises:
        Refused: When it is no text, is cut off, has no row with the keys, or rows with more cells than that one.
    """
    _check_lines(data)
    text = _Text(data, _encoding(data))
    with _long_fields(budget.limits.cell_characters):
        separators = [separator for separator in SEPARATORS if _has_key_row(text, separator, keys)]
        if not separators:
            raise _no_key_row(text, keys)
        if len(separators) > 1:
            raise Refused("can be read with more than one separator, with different results", SAVE_AGAIN)
        cells: Cells = {}
        rows: Rows | None = None
        for row, line, record in text.records(separators[0]):
            _add(cells, row, record, budget)
            if rows is not None:
                rows.take(line, record)
            elif is_key_row(record, keys):
                rows = Rows(record, separators[0], hidden=True)
    if rows is not None and (shifted := rows.shifted()):
        raise Refused.together([_refusal(row) for row in told(shifted)])
    sheet = RawSheet("", cells, textual=True)
    if text.encoding != WINDOWS:
        return sheet, (), None
    return sheet, ("read as Windows-1252, since it is not UTF-8; check the accents",), WINDOWS


def _refusal(row: Shifted) -> Refused:
    return Refused(row.what, row.fix, cell=f"line {row.line}", value=row.text or None)


def _check_lines(data: bytes) -> None:
    """Refuse a file with a line that is too long to be taken into memory."""
    start = 0
    while len(data) - start > LONGEST_LINE:
        window = (start, start + LONGEST_LINE)
        end = max(data.rfind(b"\n", *window), data.rfind(b"\r", *window))
        if end < 0:
            raise Refused(f"holds a line of more than {LONGEST_LINE:,} bytes, which is the limit", SAVE_AGAIN)
        start = end + 1


@dataclass(frozen=True)
class _Text:
    """Text that is decoded while it is read: as a whole it may take four times the memory of the file."""

    data: bytes
    encoding: str

    def records(self, separator: str) -> Iterator[tuple[int, int, list[str]]]:
        """Yield each record with its number, which is the row a spreadsheet program puts it in, and its first line.

        Raises:
            Refused: When the file breaks the rules of CSV, with the line.
        """
        lines = io.TextIOWrapper(io.BytesIO(self.data), self.encoding, newline="")
        # strict: a quote that is never closed would otherwise swallow the rest of the file
        reader = csv.reader(lines, delimiter=separator, strict=True)
        start = 1
        try:
            for row, record in enumerate(reader, 1):
                yield row, start, record
                start = reader.line_num + 1
        except csv.Error as error:
            if "field larger" in str(error):
                limit = csv.field_size_limit()
                raise too_much(f"holds a cell of more than {limit:,} characters", "cell_characters") from error
            what = "is no valid CSV from here on: a quotation mark is not closed, or stands where none may"
            raise Refused(what, QUOTES, cell=f"line {start}") from error


def _encoding(data: bytes) -> str:
    """Return the encoding, after making sure that the whole file is text in it."""
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None) or _utf16_without_bom(data)
    if encoding is None and len(_CONTROL.findall(data[:10_000])) > 10:
        raise Refused("is of a kind that is not known here: neither a workbook nor text", SAVE_AGAIN)
    fault = _fault(data, encoding or "utf-8")
    if fault is None:
        return encoding or "utf-8"
    place, what = fault
    line = f"line {data.count(10, 0, place) + 1}"
    if what or encoding:
        raise Refused(what or "is damaged: it begins as Unicode text and does not go on as such", SAVE_AGAIN, cell=line)
    letters = sum(map(len, _UTF8_LETTER.findall(data)))
    if letters >= len(data.translate(None, bytes(range(128)))) - letters:
        # read as Windows-1252 every accent would come out as two wrong letters
        raise Refused("is UTF-8 text with bytes in it that are not UTF-8", SAVE_AGAIN, cell=line)
    if _fault(data, WINDOWS) is not None:
        raise Refused("is neither UTF-8 nor UTF-16 nor Windows-1252 text", SAVE_AGAIN, cell=line)
    return WINDOWS


def _fault(data: bytes, encoding: str) -> tuple[int, str] | None:
    """Return where data stop being text in an encoding, and why if it is no matter of encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        try:
            text = decoder.decode(piece, final=start + PIECE >= len(data))
        except UnicodeDecodeError as error:
            return start + max(error.start, 0), ""
        if "\0" in text:
            return start + max(piece.find(0), 0), "is no spreadsheet and no text: it holds null bytes"
    return None


def _utf16_without_bom(data: bytes) -> str | None:
    """Return UTF-16's name when every second byte of the beginning is null, as Western text makes it."""
    head = data[:4096]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 or min(even, odd) * 10 > max(even, odd) or max(even, odd) * 4 < len(head):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


@contextlib.contextmanager
def _long_fields(limit: int) -> Iterator[None]:
    """Let a cell hold more than the csv module's 131,072 characters; its limit is a global of the interpreter."""
    before = csv.field_size_limit(min(limit, LARGEST_FIELD))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def is_key_row(record: Collection[str], keys: Collection[str]) -> bool:
    """Return whether the cells of a record include all keys, however they are spaced or capitalised."""
    if len(record) < len(keys):
        return False
    return {plain_key(cell) for cell in record if len(cell) < 100}.issuperset(keys)


def holds_key_row(data: bytes, keys: Collection[str], limits: Limits) -> bool:
    """Return whether data are CSV with a row that has all keys; what is no text has none."""
    with contextlib.suppress(Refused), _long_fields(limits.cell_characters):
        _check_lines(data)
        text = _Text(data, _encoding(data))
        return any(_has_key_row(text, separator, keys) for separator in SEPARATORS)
    return False


def _has_key_row(text: _Text, separator: str, keys: Collection[str]) -> bool:
    with contextlib.suppress(Refused):
        for row, _line, record in text.records(separator):
            if row > KEY_ROW_SEARCHED:
                break
            if is_key_row(record, keys):
                return True
    return False


def _no_key_row(text: _Text, keys: Collection[str]) -> Refused:
    """Return the refusal; when the keys are there all the same, the quotes are what is wrong."""
    head = plain_key(text.data[:1_000_000].decode(text.encoding, "replace"))
    if all(key in head for key in keys):
        for separator in SEPARATORS:
            try:
                for _record in zip(range(KEY_ROW_SEARCHED), text.records(separator), strict=False):
                    pass
            except Refused as refused:
                return refused
    words = ", ".join(sorted(keys))
    return Refused(
        f"is text without the row of hidden keys ({words}), so nobody can say what its columns are",
        "save the annotation sheet with its hidden first row, or better send the whole workbook as .xlsx",
    )


def _add(cells: Cells, row: int, record: list[str], budget: Budget) -> None:
    if row > LAST_ROW or len(record) > LAST_COLUMN:
        raise Refused(f"has more than {LAST_ROW:,} rows or {LAST_COLUMN:,} columns", SAVE_AGAIN)
    budget.elements(len(record))
    for column, value in enumerate(record, 1):
        if value:
            budget.cells(1)
            budget.text(value)
            cells[row, column] = Cell(address(row, column), value)
