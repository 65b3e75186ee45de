"""Rows of a CSV file whose cells do not stand below their names, since a separator has no quotation marks around it.

Programs put quotation marks where they are needed; a person who types `3,5`, or a comma in a text, into the file itself
makes two cells of one, and all that follow move on by one. Nothing of such a row is certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from toolkit.texts import plain_key

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
# So many rows are told one by one; what is wrong in so many more is one fault.
MOST_TOLD = 20
_MOST_DIGITS = 2
_LONGEST_KEY = 50
_LONGEST_TEXT = 200
_JUSTIFICATIONS, _NOTES = ("justification", "judge_justification"), "notes"


class Shifted(NamedTuple):
    """A row of which nothing is certain: the line it begins in, and why."""

    line: int
    what: str
    fix: str
    text: str = ""


class _Row(NamedTuple):
    line: int
    length: int
    filled: bool  # whether anything stands beyond the names
    text: str


class Rows:
    """Takes the rows below the names of the columns, one after the other, and says which are not what they seem."""

    def __init__(self, keys: Sequence[str], separator: str, *, hidden: bool):
        """Begin a table.

        Args:
            keys: The names of its columns.
            separator: What stands between cells.
            hidden: Whether they are the hidden keys of a sheet, which may hold another table below.
        """
        self._keys, self._separator, self._hidden = [plain_key(key) for key in keys], separator, hidden
        self._first = next((place for place, key in enumerate(self._keys) if _is_score(key)), 0)
        # the scores with words behind them; a number behind another score is one
        self._worded = [
            place
            for place, (key, after) in enumerate(pairwise(self._keys))
            if after.startswith(_JUSTIFICATIONS) or (_is_score(key) and after.startswith(_NOTES))
        ]
        self._lengths = Counter[int]()
        self._long: list[_Row] = []
        self._halves: list[_Row] = []
        self._ended = False

    def take(self, line: int, record: Sequence[str]) -> None:
        """Take a row and the line it begins in."""
        if self._ended or not any(record):
            return
        length, width = len(record), len(self._keys)
        if self._hidden and self._is_of_keys(record):
            self._ended = True  # below it, the columns may be others
            return
        self._lengths[length] += 1
        halved = self._separator == "," and any(_is_halved(record[place : place + 2]) for place in self._worded)
        if length > width or halved:
            text = self._separator.join(record[self._first :])[:_LONGEST_TEXT]
            row = _Row(line, length, any(map(str.strip, record[width:])), text)
            self._long += [row] * (length > width)
            self._halves += [row] * halved

    def _is_of_keys(self, record: Sequence[str]) -> bool:
        short = [field for field in record if len(field) < _LONGEST_KEY]
        if not any(self._keys[self._first] in field.casefold() for field in short):
            return False
        return len({plain_key(field) for field in short} & {*self._keys}) * 2 > len(self._keys)

    def shifted(self) -> list[Shifted]:
        """Return the rows that cannot be taken, in order."""
        most = max(self._lengths.values(), default=0)
        usual = min((length for length, count in self._lengths.items() if count == most), default=0)
        # where all rows have a length, what is longer has a cell more; where rows differ, as programs and people leave
        # out what is empty at the end, a row does not show that
        found = {row: _HALVED for row in self._halves if self._lengths.keys() != {len(self._keys)}}
        found |= {row: self._too_long(row) for row in self._long if row.filled or row.length > usual}
        return [Shifted(row.line, *words, row.text) for row, words in sorted(found.items())]

    def _too_long(self, row: _Row) -> tuple[str, str]:
        # a file may name a separator of its own in its first line
        name, head = SEPARATORS.get(self._separator, repr(self._separator)), "row of keys" if self._hidden else "header"
        what = (
            f"has {row.length} cells in this line where the {head} has {len(self._keys)}: a {name} in a text or "
            "a number without quotation marks makes two cells of one, and moves the others"
        )
        fix = (
            f'put quotation marks around the cell with the {name} (as in "3,5"), or, if it is a note beside the table, '
            "take it away; or use the workbook as .xlsx"
        )
        return what, fix


def told(rows: Sequence[Shifted]) -> list[Shifted]:
    """Return the first of the rows, and how many more there are."""
    first, more = [*rows[:MOST_TOLD]], rows[MOST_TOLD:]
    if more:
        what = f"is the first of {len(more):,} more such lines"
        first.append(Shifted(more[0].line, what, "put these right in the same way", more[0].text))
    return first


_HALVED = (
    "holds two numbers side by side, which may be a score and its justification, or one number with a decimal comma",
    'write the number with quotation marks ("3,5"), or the justification in words; or use the workbook as .xlsx',
)


def _is_score(key: str) -> bool:
    return key in ("score", "judge_score") or key.startswith("score_")


def _is_halved(cells: Sequence[str]) -> bool:
    """Return whether the score and what follows it may be the two halves of a decimal number."""
    if len(cells) < 2:
        return False
    whole, decimals = cells[0].strip(), cells[1].strip()
    return whole.lstrip("+-").isdecimal() and decimals.isdecimal() and len(decimals) <= _MOST_DIGITS
