"""The rows of a log's files one by one, with the place of each: for naming a bad row, and for formats DuckDB lacks."""

from __future__ import annotations

import csv
import datetime
import itertools
import json
import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolkit.cells.csv_rows import SEPARATORS
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.sampling.logs import RawRow
from toolkit.tables import BAD, read_table
from toolkit.tables._base import tidy_name
from toolkit.tables._text import LONGEST_FIELD
from toolkit.tables.fields import json_safe

_HEAD = 1 << 20
_HEAD_ROWS = 5_000
# stands in a record for a cell that toolkit.tables refused: no identifier and no score is ever true
REFUSED = True


def csv_header(path: Path) -> tuple[str, list[str]] | None:
    """Return a CSV's separator and column names; None where it is not plain UTF-8 with one name per column.

    Such a file goes through `toolkit.tables`, which reads more encodings and says what is wrong.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:
            return None
        text = head[: error.start].decode("utf-8-sig")
    if "\0" in text or text.lstrip()[:4].casefold() == "sep=":
        return None
    try:
        headers = {
            s: next(csv.reader(text.splitlines(keepends=True), delimiter=s, strict=True), []) for s in SEPARATORS
        }
    except csv.Error:
        return None
    separator = max(headers, key=lambda s: len(headers[s]))
    names = [tidy_name(name) for name in headers[separator]]
    if not names or not all(names) or len({name.casefold() for name in names}) < len(names):
        return None
    return separator, names


def csv_rows(path: Path, separator: str) -> Iterator[RawRow]:
    """Yield the rows of a CSV; a row with too many or too few cells is no record."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
            reader = csv.reader(file, delimiter=separator)
            header = [tidy_name(name) for name in next(reader, [])]
            start = reader.line_num + 1
            for cells in reader:
                place = f"{path.name} > line {start}"
                start = reader.line_num + 1
                if cells:
                    whole = len(cells) == len(header)
                    yield RawRow(place, dict(zip(header, cells, strict=True)) if whole else None)
    finally:
        csv.field_size_limit(before)


def json_header(path: Path) -> tuple[list[str], bool]:
    """Return the keys of the first records of JSON Lines, and whether these are all of them."""
    keys: dict[str, None] = {}
    rows = json_rows(path)
    for row in itertools.islice(rows, _HEAD_ROWS):
        keys |= dict.fromkeys(row.values or ())
    more = next(rows, None)
    return list(keys), more is None


def json_rows(path: Path) -> Iterator[RawRow]:
    r"""Yield the lines of JSON Lines, ended by \n and nothing else; a line that is no object is no record."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape").strip(" \t\r\n")
            if not text:
                continue
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = None
            yield RawRow(f"{path.name} > line {number}", value if isinstance(value, dict) else None)


def convert(path: Path, sheet: str | None) -> tuple[list[RawRow], list[str]]:
    """Return the rows of a file through `toolkit.tables`, and what is to be said of them.

    Raises:
        ToolkitError: When it cannot be read at all.
    """
    problems: list[Problem] = []
    table = read_table(path, sheet=sheet, problems=problems)
    broken = [problem for problem in problems if problem.cell is None]
    if broken:
        raise ToolkitError(broken)
    rows = [
        RawRow(
            f"{path.name} > {row.place}",
            {name: REFUSED if value is BAD else json_safe(value) for name, value in row.values.items()},
        )
        for row in table.rows
    ]
    return rows, [*table.notes, *map(str, problems)]


def sqlite_records(path: Path, table: str | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a SQLite table as records that JSON knows.

    Raises:
        ToolkitError: When there is no such table, or several and none was named.
    """
    try:
        with sqlite3.connect(f"file:{path.resolve()}?mode=ro", uri=True) as connection:
            query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
            names = [str(name) for (name,) in connection.execute(query)]
            chosen = table or (names[0] if len(names) == 1 else None)
            if chosen not in names:
                what = f"has the tables {shown(', '.join(names), 200)}" if names else "has no tables"
                raise ToolkitError(Problem(what, "say which with --table NAME", path, value=table))
            quoted = '"' + str(chosen).replace('"', '""') + '"'
            cursor = connection.execute(f"SELECT * FROM {quoted}")
            header = [str(column[0]) for column in cursor.description]
            for row in cursor:
                yield {name: _plain(value) for name, value in zip(header, row, strict=True)}
    except sqlite3.Error as error:
        raise ToolkitError(Problem(f"cannot be read as SQLite: {error}", "check the file", path)) from error
    finally:
        if "connection" in locals():
            connection.close()


def _plain(value: object) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value
