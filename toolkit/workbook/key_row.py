"""Where the machine keys of an annotation sheet are: people insert rows and columns, so no place is certain."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from toolkit.texts import plain_key
from toolkit.workbook.layout import ANSWER_KEYS
from toolkit.workbook.readers.raw import Cell, RawBook, RawSheet

REQUIRED_KEYS = frozenset({"study", "annotator", "part", "item_code", "text", *ANSWER_KEYS})
# Zero-width characters that got into it count too.
LONGEST_KEY = 50


def key_row(sheet: RawSheet) -> tuple[int, dict[str, list[int]]] | None:
    """Return the row of the machine keys and the columns of each key; people insert rows and columns."""
    for number, cells in sheet.rows():
        keys: dict[str, list[int]] = {}
        for column, cell in sorted(cells.items()):
            if isinstance(cell.value, str) and len(cell.value) < LONGEST_KEY and (key := plain_key(cell.value)):
                keys.setdefault(key, []).append(column)
        if keys.keys() >= REQUIRED_KEYS:
            return number, keys
    return None


def almost_key_rows(sheet: RawSheet) -> Iterator[tuple[int, set[str]]]:
    """Yield each row that has most of the machine keys, and those it has."""
    most = len(REQUIRED_KEYS)
    for number, cells in sheet.rows():
        # a key is short, and most texts are not
        short = [cell.value for cell in cells.values() if isinstance(cell.value, str) and len(cell.value) < LONGEST_KEY]
        if len(short) > most / 2 and len(keys := set(map(plain_key, short)) & REQUIRED_KEYS) > most / 2:
            yield number, keys


def key_row_again(sheet: RawSheet, number: int) -> Cell | None:
    """Return the first cell of another row with machine keys than the one with a number; None where there is none."""
    for row, _keys in almost_key_rows(sheet):
        if row != number:
            return next(cell for (place, _column), cell in sorted(sheet.cells.items()) if place == row)
    return None


def sheets_with_codes(book: RawBook, codes: Collection[str]) -> list[RawSheet]:
    """Return the sheets of a book that name items by their codes."""
    return [sheet for sheet in book.sheets if any(names_item(cell, codes) for cell in sheet.cells.values())]


def names_item(cell: Cell, codes: Collection[str]) -> bool:
    """Return whether all that a cell shows is the code of an item."""
    return isinstance(cell.value, str) and len(cell.value) < LONGEST_KEY and cell.code in codes
