"""A judged log, wherever it is: what it is called, what its columns are, and how to ask it something."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolkit.sampling.columns import Columns

Rows = list[tuple[Any, ...]]


class Scratch:
    """A temporary folder that goes when nobody refers to it any more."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="toolkit-sample-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


@dataclass(frozen=True)
class RawRow:
    """A row of the log as it was written, for finding the place of a bad one.

    Attributes:
        place: `x.jsonl > line 3`.
        values: Column to value; None where the line is no record at all.
    """

    place: str
    values: dict[str, Any] | None


@dataclass(frozen=True)
class Log:
    """An open log.

    Attributes:
        name: What messages call it.
        relation: SQL that stands after FROM and has the columns asked for, given their names and, for JSON, the types
            they are read as (`Columns.read_as`).
        records: SQL that gives whole records: their columns, or one column with the JSON text of each.
        columns: Its columns.
        run: Runs a query in DuckDB's dialect and returns its rows.
        embedded: Whether the engine is the DuckDB of this process.
        rows: Yields the rows as they stand in the files, in order; None where only the engine can see them.
        files: The files, sorted by name.
        notes: What was noticed and is worth saying.
        broken: Returns how many rows the engine dropped as no rows, after a question; None where it never does.
        all_columns: Reads the whole log for its columns, where `columns` has those of its first records only.
        keep: Something to keep alive as long as the log is used (a temporary folder).
    """

    name: str
    relation: Callable[[Mapping[str, str]], str]
    records: str
    columns: Columns
    run: Callable[[str], Rows]
    embedded: bool = True
    rows: Callable[[], Iterator[RawRow]] | None = None
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    broken: Callable[[], int] | None = None
    all_columns: Callable[[], Sequence[str]] | None = None
    keep: Any = field(default=None, repr=False)

    def knowing(self, names: Sequence[str]) -> Log:
        """Return the same log, looked through to its end for columns where one of these was not in its first rows."""
        if self.all_columns is None or all(self.columns.find(name) for name in names):
            return self
        types = self.columns.types | dict.fromkeys(self.all_columns(), "JSON")
        return replace(self, columns=replace(self.columns, types=types), all_columns=None)

    def called(self, rename: Mapping[str, str], id_from: Sequence[str]) -> Log:
        """Return the same log with other names for its columns."""
        return replace(self, columns=replace(self.columns, rename=rename, id_from=tuple(id_from)))
