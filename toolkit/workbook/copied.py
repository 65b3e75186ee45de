"""Copies of the table in other sheets of the file: a score that is only there must not be lost.

People go on in a copy of what they see, which lacks the hidden keys, and such a sheet looks like the one that is read.
A sheet of private notes may list items by their codes too: it is only named, unless it has scores where the table has
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolkit.errors import shown
from toolkit.model import Annotation, Value
from toolkit.texts import many, plain_key
from toolkit.values import parse_score
from toolkit.workbook.entries import Entries
from toolkit.workbook.key_row import LONGEST_KEY, names_item
from toolkit.workbook.layout import HEADER_PART
from toolkit.workbook.readers.raw import Cell, RawSheet

# Of the items in which a copy says something else, so many are named.
MOST_NAMED = 5


class _Other(NamedTuple):
    """What a copy says of an item that the annotation sheet does not say."""

    code: str
    cell: Cell
    kept: Value | None


def look_at_copies(
    entries: Entries, copies: Iterable[RawSheet], columns: Mapping[str, int], read: Mapping[str, Annotation]
) -> Iterator[str]:
    """Refuse each copy with other scores than were read; yield what to say of a sheet without any.

    Args:
        entries: The answer cells of the annotation sheet.
        copies: Other sheets of the file with codes of items.
        columns: The columns of the annotation sheet, by machine key.
        read: What was read there, by item code.
    """
    title = _title(entries.sheet, columns)
    for copy in copies:
        others = list(_others(entries, copy, columns, title, read))
        if not others:
            hidden = " (hidden)" if copy.hidden else ""
            yield f"the sheet {shown(copy.title, 40)!r}{hidden} names items by their codes; what is in it is not read"
            continue
        listed = "; ".join(f"{one.code}: {shown(one.cell.text)} vs {_said(one.kept)}" for one in others[:MOST_NAMED])
        more = f"; and {len(others) - MOST_NAMED:,} more" if len(others) > MOST_NAMED else ""
        entries.problem(
            f"this sheet lacks the hidden keys, so it is not read, but the scores of {many(len(others), 'item')} in it "
            f"are not those in the annotation sheet {shown(entries.sheet.title, 40)!r} ({listed}{more})",
            "enter what counts into the annotation sheet, and delete the copy",
            others[0].cell,
            others[0].cell.text,
            copy,
        )


def _title(sheet: RawSheet, columns: Mapping[str, int]) -> str:
    """Return the visible title of the score column; empty where the header is gone."""
    for _number, cells in sheet.rows():
        if cells.get(columns["part"], Cell("")).code == HEADER_PART:
            return plain_key(cells.get(columns["score"], Cell("")).text)
    return ""


def _others(
    entries: Entries, copy: RawSheet, columns: Mapping[str, int], title: str, read: Mapping[str, Annotation]
) -> Iterator[_Other]:
    codes, place = entries.study.by_code, columns["score"]
    titled = False
    for _number, cells in copy.rows():
        at = next((column for column, cell in cells.items() if names_item(cell, codes)), None)
        if at is None:
            headers = (column for column, cell in cells.items() if title and _is_title(cell, title))
            if (header := next(headers, None)) is not None:
                place, titled = header, True
            continue
        in_place = (at, place) == (columns["item_code"], columns["score"])
        if place not in cells or cells[place].blank or not (titled or in_place):
            continue
        code, cell = cells[at].code, cells[place]
        kept = read[code].score if code in read else None
        try:
            item = codes[code]
            score = parse_score(cell.value, entries.study.rubric.scale, entries.labels[item.dimension], textual=True)
        except ValueError:
            # words below the title of the scores may be somebody's notes, but not where the table has its scores
            if in_place:
                yield _Other(code, cell, kept)
        else:
            if score.value != kept:
                yield _Other(code, cell, kept)


def _is_title(cell: Cell, title: str) -> bool:
    return isinstance(cell.value, str) and len(cell.value) < LONGEST_KEY and plain_key(cell.value) == title


def _said(kept: Value | None) -> str:
    return "blank" if kept is None else str(kept)
