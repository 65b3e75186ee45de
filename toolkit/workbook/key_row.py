"""Where the machine keys of an annotation sheet are: people insert rows and columns, so no place is certain."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.texts import plain_key
from toolkit.workbook.layout import ANSWER_KEYS
from toolkit.workbook.readers.raw import RawSheet

REQUIRED_KEYS = frozenset({"study", "annotator", "part", "item_code", "text", *ANSWER_KEYS})


def key_row(sheet: RawSheet) -> tuple[int, dict[str, list[int]]] | None:
    """Return the row of the machine keys and the columns of each key; people insert rows and columns."""
    for number, cells in sheet.rows():
        keys: dict[str, list[int]] = {}
        for column, cell in sorted(cells.items()):
            if isinstance(cell.value, str) and (key := plain_key(cell.value)):
                keys.setdefault(key, []).append(column)
        if keys.keys() >= REQUIRED_KEYS:
            return number, keys
    return None


def almost_key_rows(sheet: RawSheet) -> Iterator[tuple[int, set[str]]]:
    """Yield each row that has most of the machine keys, and those it has."""
    for number, cells in sheet.rows():
        keys = {plain_key(cell.value) for cell in cells.values() if isinstance(cell.value, str)} & REQUIRED_KEYS
        if len(keys) > len(REQUIRED_KEYS) / 2:
            yield number, keys
