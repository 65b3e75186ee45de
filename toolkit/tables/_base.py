"""What a table is, and how cells become rows: one header, no column twice, nothing lost on the way."""

from __future__ import annotations

import difflib
import functools
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal
from uuid import UUID

from toolkit.cells.looks import Look
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.texts import composed, plain_key

Format = Literal["csv", "json", "jsonl", "parquet", "xlsx"]

DEEPEST_NESTING = 100
CONFLICTS_SHOWN = 5
_INVISIBLE = dict.fromkeys((0xFEFF, 0x200B))


class Bad:
    """Stands for a value whose problem has been reported: present, but not to be used or complained of again."""

    def __repr__(self) -> str:
        return "BAD"


BAD: Final = Bad()


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that cannot be used, before anybody knows which row it stands in."""

    what: str
    fix: str = ""
    value: object = None


NO_LOOKS: Mapping[Any, Look] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Row:
    """One row or record.

    Attributes:
        values: Column name to value. Blank cells are absent; a value already reported as wrong is `BAD`.
        place: Where it stands, for messages: `line 3`, `row 5`, `record 2`.
        number: The number in `place`.
        looks: How the cells look, by column, that do not look like their values.
    """

    values: dict[str, Any]
    place: str
    number: int
    looks: Mapping[str, Look] = field(default_factory=lambda: NO_LOOKS)


@dataclass(frozen=True, slots=True)
class Table:
    """What a file holds, whatever its format.

    Attributes:
        path: The file.
        format: What it turned out to be.
        sheet: The sheet it was read from, or the key of the list inside a JSON object.
        header: The column names as written, without spare space; for JSON all keys, in order of appearance.
        rows: The rows that are not blank.
        positions: For each column its place in the file, counted from 1; empty for JSON.
        around: What stands beside the list inside a JSON object.
        notes: What was noticed and is worth saying, though nothing is wrong.
    """

    path: Path
    format: Format
    sheet: str | None
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    positions: tuple[int, ...] = ()
    around: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    _by_key: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_key", {header_key(name): name for name in self.header})

    def column(self, *names: str) -> str | None:
        """Return the first of these columns that the header has, as the header writes it."""
        return next((self._by_key[key] for key in map(header_key, names) if key in self._by_key), None)

    def problem(
        self, what: str, fix: str = "", *, row: Row | None = None, column: str | None = None, value: object = None
    ) -> Problem:
        """Return a problem that names the file, the sheet, and the cell or line."""
        place = row.place if row else None
        if row and column in self.header and self.format == "xlsx":
            place = f"{letters(self.positions[self.header.index(column)])}{row.number}"
        return Problem(what, fix, self.path, self.sheet, place, value)


@functools.lru_cache(maxsize=4096)
def header_key(name: str) -> str:
    """Return the form in which two column names are the same.

    >>> header_key(chr(0xFEFF) + "Precisa" + chr(0x303) + "o ") == header_key("precisão")
    True
    """
    return plain_key(name.translate(_INVISIBLE))


def tidy_name(name: object) -> str:
    """Return a column name as text, composed, without marks nobody sees and without spare space."""
    text = "" if name is None or isinstance(name, Fault) else str(name)
    return " ".join(composed(text.translate(_INVISIBLE)).split())


def letters(position: int) -> str:
    """Return the letters of a spreadsheet column.

    >>> letters(1), letters(28)
    ('A', 'AB')
    """
    text = ""
    while position:
        position, rest = divmod(position - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def is_blank(value: object) -> bool:
    """Return whether a cell holds nothing, or only white space."""
    return value is None or (isinstance(value, str) and not value.strip())


# how much alike two names of columns are that are probably one, spelt twice
CLOSE = 0.8


def missing_columns(header: Iterable[str], wanted: Collection[frozenset[str]]) -> list[frozenset[str]]:
    """Return the wanted columns, each a set of the names it may have, that a header lacks."""
    keys = {header_key(name) for name in header}
    return [names for names in wanted if keys.isdisjoint(map(header_key, names))]


def spoken(names: frozenset[str]) -> str:
    """Return the names a column may have, in words, the shortest set of quotes."""
    return " or ".join(sorted(names, key=lambda name: (name not in ("item_id", "dimension"), name)))


def no_such_columns(
    path: Path, sheet: str | None, header: Sequence[str], wanted: Collection[frozenset[str]]
) -> ToolkitError:
    """Return the error for a header that lacks wanted columns; it names them and what was found instead."""
    found = ", ".join(name for name in header if name)
    missing = [spoken(names) for names in missing_columns(header, wanted)]
    what = "; ".join(f"there is no column {names}" for names in missing)
    near = [match for names in missing for match in difflib.get_close_matches(names, filter(None, header), 1, CLOSE)]
    maps = " ".join(f"--map {names.split()[0]}=YOUR_COLUMN" for names in missing)
    fix = f"rename the columns that are meant, or say which they are where the command has --map: {maps}"
    if len(near) == len(missing):
        fix = f"perhaps {' and '.join(repr(shown(name)) for name in near)} is meant"
    return ToolkitError(Problem(f"{what}; the columns are: {shown(found, 300)}", fix, path, sheet))


def plain(value: object, depth: int = 0) -> Any:
    """Return a value of a library as one that JSON knows (dates stay dates), with a `Fault` where it cannot be."""
    if depth > DEEPEST_NESTING:
        return Fault(f"is nested more than {DEEPEST_NESTING} levels deep", "flatten it, or leave it out")
    if isinstance(value, bool) or value is None or isinstance(value, int | str | Fault):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return Fault(f"{value} is not a number", "leave the cell empty where there is no value")
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            return Fault(f"{value} is not a number", "leave the cell empty where there is no value")
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes | bytearray):
        return Fault("holds bytes, not text", "write the column as text")
    if isinstance(value, Mapping):
        return {str(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner, depth + 1) for inner in value]
    return value


def faults_in(value: object, where: str = "") -> Iterator[tuple[str, Fault]]:
    """Yield the faults anywhere inside a value that `plain` made, with the path to each (`[2].score`)."""
    if isinstance(value, Fault):
        yield where, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from faults_in(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from faults_in(inner, f"{where}[{place}]")


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems in the order of the file, whichever step found them; those without a place first."""

    def place(problem: Problem) -> int:
        digits = re.search(r"\d+$", problem.cell or "")
        return int(digits[0]) if digits else 0

    return sorted(problems, key=place)


class Builder:
    """Collects rows into a table, and what is wrong with their cells into the caller's list of problems."""

    def __init__(
        self,
        path: Path,
        format: Format,
        problems: list[Problem],
        *,
        sheet: str | None = None,
        header: Sequence[object] | None = None,
        word: str = "record",
    ):
        self.path, self.format, self.sheet, self.problems, self.word = path, format, sheet, problems, word
        self.notes: list[str] = []
        self.rows: list[Row] = []
        self.header: list[str] = []
        self._by_key: dict[str, str] = {}
        # a column's name, and where it stands; several places are a column given twice
        self._places: dict[str, list[int]] = {}
        self._conflicts: dict[str, list[str]] = {}
        self._unnamed: dict[int, str] = {}
        self._named: set[int] = set()
        self._width = 0
        if header is not None:
            self._width = len(header)
            for position, name in enumerate(map(tidy_name, header)):
                if name:
                    self._named.add(position)
                    self._places.setdefault(self._known(name), []).append(position)

    def _known(self, name: str) -> str:
        """Return the first spelling of a column name; a new one joins the header."""
        key = header_key(name)
        if key not in self._by_key:
            self._by_key[key] = name
            self.header.append(name)
        return self._by_key[key]

    def add_cells(self, number: int, cells: Sequence[object], looks: Mapping[int, Look] = NO_LOOKS) -> None:
        """Add a row given as cells in the order of the header, and how some of them look, by their position."""
        cells = list(cells)
        while cells and is_blank(cells[-1]):
            cells.pop()
        if all(is_blank(cell) for cell in cells):
            return
        place = f"{self.word} {number}"
        for position, cell in enumerate(cells):
            if position not in self._named and not is_blank(cell):
                self._unnamed.setdefault(position, place)
        values = {name: self._one(name, places, cells, place) for name, places in self._places.items()}
        seen = {name: looks[place] for name, places in self._places.items() for place in places if place in looks}
        self._add(number, place, values, seen)

    def leave(self, numbers: Collection[int]) -> None:
        """Leave out rows again, of which it turned out that their cells are not what they seem."""
        self.rows = [row for row in self.rows if row.number not in numbers]

    def _one(self, name: str, places: list[int], cells: Sequence[object], place: str) -> object:
        found = [cells[position] if position < len(cells) else None for position in places]
        if len(found) > 1:
            found = [None if is_blank(value) else value for value in found]
        if any(value != found[0] for value in found[1:]):
            said = " and ".join("blank" if is_blank(v) else f"'{shown(v, 30)}'" for v in found)
            self._conflicts.setdefault(name, []).append(f"{place}: {said}")
            return BAD
        return found[0]

    def add_record(self, number: int, record: Mapping[str, object]) -> None:
        """Add a record given as keys and values."""
        place = f"{self.word} {number}"
        values: dict[str, object] = {}
        for key, value in record.items():
            name = self._known(tidy_name(key))
            if name in values:
                value = Fault(f"two keys of the record are both {name!r}", "keep one of them")
            values[name] = value
        self._add(number, place, values)

    def _add(self, number: int, place: str, values: Mapping[str, object], looks: Mapping[str, Look] = NO_LOOKS) -> None:
        kept: dict[str, Any] = {}
        row = Row(kept, place, number, looks)
        for name, raw in values.items():
            value = plain(raw)
            if is_blank(value):
                continue
            kept[name] = value
            for where, fault in faults_in(value):
                kept[name] = BAD
                what = f"{name}{shown(where, 40)}: {fault.what}"
                table = self._table()
                self.problems.append(table.problem(what, fault.fix, row=row, column=name, value=fault.value))
        if kept:
            self.rows.append(row)

    def _table(self, rows: tuple[Row, ...] = ()) -> Table:
        positions = tuple(self._places[name][0] + 1 if name in self._places else 0 for name in self.header)
        return Table(self.path, self.format, self.sheet, tuple(self.header), rows, positions)

    def table(self, around: dict[str, Any] | None = None) -> Table:
        """Return the table, after reporting columns given twice and data without a column name."""
        for name, places in self._places.items():
            if len(places) > 1:
                self.problems.append(self._twice(name, places))
        for position, place in sorted(self._unnamed.items()):
            self.notes.append(
                f"{self.path.name}: column {self._spoken(position)} has no name and is not read, though it holds "
                f"something (first in {place})"
            )
        made = self._table(tuple(self.rows))
        return Table(
            made.path,
            made.format,
            made.sheet,
            made.header,
            made.rows,
            made.positions if self._places else (),
            around or {},
            tuple(self.notes),
        )

    def _spoken(self, position: int) -> str:
        return letters(position + 1) if self.format == "xlsx" else str(position + 1)

    def _twice(self, name: str, places: list[int]) -> Problem:
        where = " and ".join(map(self._spoken, places))
        conflicts = self._conflicts.get(name, [])
        what = f"the column {name!r} occurs twice, in columns {where}"
        if conflicts:
            more = len(conflicts) - CONFLICTS_SHOWN
            what += f", and they differ ({'; '.join(conflicts[:CONFLICTS_SHOWN])}"
            what += f"; and {more} more rows)" if more > 0 else ")"
        return Problem(what, "keep one of them, or rename the other", self.path, self.sheet)
