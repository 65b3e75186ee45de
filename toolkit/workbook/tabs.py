"""One spreadsheet with a tab for each annotator, taken apart: each part is read as if it had come alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from toolkit.texts import plain_key
from toolkit.workbook.layout import HEADER_PART
from toolkit.workbook.readers.raw import Cell, RawBook, RawSheet

_ANNOTATOR = "annotator"
_KEYS = frozenset({"study", _ANNOTATOR, "part", "item_code", "score"})


def by_annotator(book: RawBook) -> tuple[RawBook, ...]:
    """Return a book for each annotator of a book with several; any other book as it is.

    An annotator's first sheet, which names them, goes with their tab, and so does every sheet that names nobody, such
    as the rubric. Two tabs of one annotator stay together, since somebody has to say which one counts.
    """
    found = [(sheet, names) for sheet in book.sheets if (names := _annotators(sheet)) is not None]
    owners = [next(iter(names), "") for _sheet, names in found]
    if len(found) < 2 or any(len(names) != 1 for _sheet, names in found) or len(set(owners)) < len(owners):
        return (book,)
    annotation = [id(sheet) for sheet, _names in found]
    # the file as a whole names one of them at most
    properties = {key: value for key, value in book.properties.items() if key != _ANNOTATOR}
    firsts = [(sheet, _named(sheet)) for sheet in book.sheets if id(sheet) not in annotation]
    return tuple(
        replace(
            book, sheets=(*(first for first, whose in firsts if whose in ("", owner)), sheet), properties=properties
        )
        for (sheet, _names), owner in zip(found, owners, strict=True)
    )


def named_elsewhere(book: RawBook, names: Collection[str]) -> set[str]:
    """Return whom of these names a book says it was made for, apart from its annotation sheets.

    The document property says so; where the format has none, or a program lost it, the first sheet does.
    """
    told = {plain_key(book.properties.get(_ANNOTATOR, ""))} - {""}
    told = told or {_named(sheet) for sheet in book.sheets if _annotators(sheet) is None}
    return {name for name in names if plain_key(name) in told}


def _annotators(sheet: RawSheet) -> set[str] | None:
    """Return whose rows an annotation sheet holds; None where it is no such sheet."""
    keys: dict[str, int] | None = None
    names: set[str] = set()
    for _row, cells in sheet.rows():
        if keys is None:
            words = {plain_key(cell.value): place for place, cell in cells.items() if isinstance(cell.value, str)}
            keys = words if words.keys() >= _KEYS else None
        elif cells.get(keys["part"], Cell("")).code != HEADER_PART:
            names.add(plain_key(cells.get(keys["annotator"], Cell("")).text))
    # only the rows to fill in say whose they are
    return None if keys is None else names - {""}


def _named(sheet: RawSheet) -> str:
    """Return the annotator whom a first sheet names beside the word `annotator`; empty where it names nobody."""
    for (row, column), cell in sheet.cells.items():
        if cell.value == _ANNOTATOR:
            return plain_key(sheet.cells.get((row, column + 1), Cell("")).text)
    return ""
