"""The sheet of a workbook that a row of machine keys makes readable, where the whole group fills in one workbook."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from toolkit.errors import Problem, shown
from toolkit.texts import plain_key
from toolkit.workbook.key_row import LONGEST_KEY
from toolkit.workbook.layout import HEADER_PART
from toolkit.workbook.readers.raw import Cell, RawBook, RawSheet

KEEP_ONE = "delete the copy that does not count"


@dataclass(frozen=True)
class Keyed:
    """A sheet with a row of keys.

    Attributes:
        rows: The rows that ask for something, by key.
        problems: Why nobody can tell what stands below a key, and what is written where nothing is asked.
    """

    title: str
    rows: list[dict[str, Cell]]
    problems: tuple[Problem, ...]

    def filled(self, answers: Collection[str]) -> bool:
        """Return whether anything is entered, or may be, in a place where it cannot be told."""
        return bool(self.problems) or any(not row[key].blank for row in self.rows for key in answers)


class Wrong(NamedTuple):
    """Why what is entered in a row cannot be taken: the key of the cell, and the reason in words."""

    key: str
    what: str


def asking_part(item_code: str) -> str:
    """Return what the hidden `part` column says of the row in which an item asks for something."""
    return f"{item_code}:decide"


def misplaced(row: Mapping[str, Cell], file: str, sheet: str) -> Problem | None:
    """Return why nobody knows whose the answers of a row are; None where its part and its code are of one item.

    In a sheet without a column of parts, the codes are all there is.
    """
    cell, part = row["item_code"], row.get("part")
    if part is None or part.code == asking_part(cell.code):
        return None
    what = (
        f"the code of item {shown(cell.code)} stands in a row that does not belong to it, so nobody knows whose the "
        "answers beside it are (a part of the sheet was sorted or moved without the rest)"
    )
    fix = "restore the codes and the hidden column part, or copy the answers into the workbook as it was written"
    return Problem(what, fix, file, sheet, cell.address, part.text or None)


def keyed_sheet(
    book: RawBook, keys: Collection[str], answers: Collection[str], asks: Callable[[Mapping[str, Cell]], bool]
) -> Keyed | None:
    """Return the sheet of a book that has a row with all of the keys and answers; None where there is none.

    Args:
        book: The book.
        keys: The keys of what is given.
        answers: The keys of what is entered.
        asks: Whether a row asks for answers.
    """
    wanted = {*keys, *answers}
    found = [(sheet, numbers) for sheet in book.sheets if (numbers := list(_key_rows(sheet, wanted)))]
    if not found:
        return None
    sheet, (number, *again) = found[0]
    problems = []
    if len(found) > 1:
        what = f"holds {len(found)} sheets of this kind: {titled(sheet for sheet, _numbers in found)}"
        problems.append(Problem(what, KEEP_ONE, book.source.name))

    def problem(what: str, fix: str, cell: Cell, value: object = None) -> None:
        problems.append(Problem(what, fix, book.source.name, sheet.title, cell.address, value))

    lines = dict(sheet.rows())
    columns: dict[str, int] = {}
    for column, cell in lines[number].items():
        key = plain_key(cell.value) if isinstance(cell.value, str) else ""
        if columns.setdefault(key, column) != column and key in wanted:
            first = lines[number][columns[key]].address
            problem(f"the column {key!r} is there twice, in {first} and {cell.address}", KEEP_ONE, cell)
    for place in again:
        what = f"the row of keys is there again in row {place}: two sheets were put one below the other"
        problem(what, KEEP_ONE, next(iter(lines[place].values())))
    rows = [
        {key: cells.get(column, Cell("")) for key, column in columns.items()}
        for place, cells in lines.items()
        if place not in (number, *again)
    ]
    for row in rows:
        if not asks(row) and row.get("part", Cell("")).code != HEADER_PART:
            for key in answers:
                if not row[key].blank and not row[key].merged:
                    what = f"something is written in the column {key!r} of a row that asks for nothing"
                    problem(what, "move it to the cells of its item, or delete it", row[key], row[key].text or None)
    return Keyed(sheet.title, list(filter(asks, rows)), tuple(problems))


def titled(sheets: Iterable[RawSheet]) -> str:
    """Return the titles of sheets, and which of them nobody sees."""
    return ", ".join(f"{shown(sheet.title, 40)!r}" + (" (hidden)" if sheet.hidden else "") for sheet in sheets)


def _key_rows(sheet: RawSheet, keys: Collection[str]) -> Iterator[int]:
    for number, cells in sheet.rows():
        # a key is short, and most texts are not
        short = (cell.value for cell in cells.values() if isinstance(cell.value, str) and len(cell.value) < LONGEST_KEY)
        if set(map(plain_key, short)).issuperset(keys):
            yield number
