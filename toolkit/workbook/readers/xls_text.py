"""Texts in .xls files: one or two bytes a character, and a table of them that is cut wherever a record was full."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from struct import iter_unpack, unpack_from

from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused

_WIDE, _EXTENDED, _RICH = 1, 4, 8
# Where a font begins, in halves of characters as UTF-16 counts them, and which.
Runs = Iterable[tuple[int, int]]


def text_at(body: bytes, position: int, budget: Budget, *, short: bool = False) -> str:
    """Return the text at a place in a record.

    Args:
        body: The record.
        position: Where the text's length stands.
        budget: Counts the characters.
        short: Whether its length takes one byte, not two.
    """
    start, size, flags = _extent(body, position, short=short)
    if start + size > len(body):
        raise Refused("is damaged: a text is cut off", SAVE_AGAIN)
    text = _wide(body[start : start + size], flags).decode("utf-16-le", "replace")
    budget.table(text)
    return text


def _extent(body: bytes, position: int, *, short: bool = False) -> tuple[int, int, int]:
    """Return where the characters of a text begin, how many bytes they take, and the text's flags."""
    length, flags = unpack_from("<BB" if short else "<HB", body, position)
    start = position + (2 if short else 3)
    start += (2 if flags & _RICH else 0) + (4 if flags & _EXTENDED else 0)
    return start, length * 2 if flags & _WIDE else length, flags


def runs_after(body: bytes, position: int) -> Runs:
    """Return the fonts of the text at a place in a record that lists them behind it."""
    start, size, _flags = _extent(body, position)
    count = unpack_from("<H", body, start + size)[0]
    return iter_unpack("<HH", body[start + size + 2 : start + size + 2 + 4 * count])


def is_struck(text: str, runs: Runs, strikes: Callable[[int], bool]) -> bool:
    """Return whether a part of a text that is no mere space has a font that strikes out."""
    raw = text.encode("utf-16-le")
    ends = pairwise([*runs, (len(raw) // 2, 0)])
    return any(strikes(font) and raw[2 * start : 2 * end].strip(b" \0") for (start, font), (end, _next) in ends)


def shared_strings(records: list[bytes], budget: Budget, strikes: Callable[[int], bool]) -> tuple[list[str], set[int]]:
    """Return the texts of the table that cells refer to, and the places of those of which a part is struck out.

    Args:
        records: The table's record and those that continue it.
        budget: Counts the characters.
        strikes: Whether a font strikes out.

    Raises:
        Refused: When the table is cut off.
    """
    count = unpack_from("<I", records[0], 4)[0]
    reader = _Continued(records)
    budget.elements(min(count, sum(map(len, records)) // 3 + 1))
    found: list[str] = []
    struck = set()
    for number in range(count):
        rich = reader.text()
        if rich is None:
            break  # some programs count more texts than they write; a cell that misses one is refused
        text, runs = rich
        budget.table(text)
        found.append(text)
        if runs and is_struck(text, iter_unpack("<HH", runs), strikes):
            struck.add(number)
    return found, struck


class _Continued:
    """Reads texts across the borders of records."""

    def __init__(self, records: list[bytes]):
        self._records, self._record, self._position = records, 0, 8

    def text(self) -> tuple[str, bytes] | None:
        """Return the next text and the fonts of its parts; None at the end."""
        if self._left() == 0 and not self._next_record():
            return None
        length, flags = unpack_from("<HB", self._records[self._record], self._position)
        self._position += 3
        runs = self._number("<H") if flags & _RICH else 0
        extra = self._number("<I") if flags & _EXTENDED else 0
        pieces = []
        while True:
            width = 2 if flags & _WIDE else 1
            taken = min(length, self._left() // width)
            start = self._position
            pieces.append(_wide(self._records[self._record][start : start + taken * width], flags))
            self._position += taken * width
            length -= taken
            if not length:
                break
            if not self._next_record() or not self._left():
                raise Refused("is damaged: its table of texts is cut off", SAVE_AGAIN)
            # where a text goes on, it says anew how many bytes its characters take
            flags = self._records[self._record][0]
            self._position = 1
        fonts = self._bytes(4 * runs) if runs else b""
        if extra:
            self._bytes(extra)
        return b"".join(pieces).decode("utf-16-le", "replace"), fonts

    def _left(self) -> int:
        return len(self._records[self._record]) - self._position

    def _next_record(self) -> bool:
        if self._record + 1 >= len(self._records):
            return False
        self._record, self._position = self._record + 1, 0
        return True

    def _number(self, form: str) -> int:
        value = unpack_from(form, self._records[self._record], self._position)[0]
        self._position += 2 if form == "<H" else 4
        return int(value)

    def _bytes(self, count: int) -> bytes:
        """Return bytes of formatting and reading aids, which run across records without further ado."""
        pieces = []
        while count > self._left():
            pieces.append(self._records[self._record][self._position :])
            count -= self._left()
            if not self._next_record():
                raise Refused("is damaged: its table of texts is cut off", SAVE_AGAIN)
        pieces.append(self._records[self._record][self._position : self._position + count])
        self._position += count
        return b"".join(pieces)


def _wide(raw: bytes, flags: int) -> bytes:
    """Return characters as two bytes each: halves of one character may stand in two records."""
    return raw if flags & _WIDE else raw.decode("latin-1").encode("utf-16-le")
