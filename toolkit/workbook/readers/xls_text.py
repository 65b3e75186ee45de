"""Texts in .xls files: one or two bytes a character, and a table of them that is cut wherever a record was full."""

from __future__ import annotations

from struct import unpack_from

from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused

_WIDE, _EXTENDED, _RICH = 1, 4, 8


def text_at(body: bytes, position: int, budget: Budget, *, short: bool = False) -> str:
    """Return the text at a place in a record.

    Args:
        body: The record.
        position: Where the text's length stands.
        budget: Counts the characters.
        short: Whether its length takes one byte, not two.
    """
    length, flags = unpack_from("<BB" if short else "<HB", body, position)
    start = position + (2 if short else 3)
    start += (2 if flags & _RICH else 0) + (4 if flags & _EXTENDED else 0)
    size = length * 2 if flags & _WIDE else length
    if start + size > len(body):
        raise Refused("is damaged: a text is cut off", SAVE_AGAIN)
    text = _wide(body[start : start + size], flags).decode("utf-16-le", "replace")
    budget.table(text)
    return text


def shared_strings(records: list[bytes], budget: Budget) -> list[str]:
    """Return the texts of the table that cells refer to.

    Args:
        records: The table's record and those that continue it.
        budget: Counts the characters.

    Raises:
        Refused: When the table is cut off.
    """
    count = unpack_from("<I", records[0], 4)[0]
    reader = _Continued(records)
    budget.elements(min(count, sum(map(len, records)) // 3 + 1))
    found = []
    for _number in range(count):
        text = reader.text()
        if text is None:
            break  # some programs count more texts than they write; a cell that misses one is refused
        budget.table(text)
        found.append(text)
    return found


class _Continued:
    """Reads texts across the borders of records."""

    def __init__(self, records: list[bytes]):
        self._records, self._record, self._position = records, 0, 8

    def text(self) -> str | None:
        """Return the next text; None at the end."""
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
        self._skip(4 * runs + extra)
        return b"".join(pieces).decode("utf-16-le", "replace")

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

    def _skip(self, count: int) -> None:
        """Pass over formatting and reading aids, which run across records without further ado."""
        while count > self._left():
            count -= self._left()
            if not self._next_record():
                raise Refused("is damaged: its table of texts is cut off", SAVE_AGAIN)
        self._position += count


def _wide(raw: bytes, flags: int) -> bytes:
    """Return characters as two bytes each: halves of one character may stand in two records."""
    return raw if flags & _WIDE else raw.decode("latin-1").encode("utf-16-le")
