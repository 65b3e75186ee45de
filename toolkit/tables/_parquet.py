"""Parquet files, through DuckDB."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.tables._base import Builder, Table, missing_columns, no_such_columns


def read_parquet(path: Path, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    """Return the table in a Parquet file.

    Raises:
        ToolkitError: When it cannot be read, or lacks a wanted column.
    """
    names, rows = _fetch(path)
    if missing_columns(names, wanted):
        raise no_such_columns(path, None, names, wanted)
    builder = Builder(path, "parquet", problems, header=names)
    for number, row in enumerate(rows, start=1):
        builder.add_cells(number, row)
    return builder.table()


def _fetch(path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    import duckdb

    # DuckDB reads the name as a pattern; a file may be called answers[1].parquet
    name = re.sub(r"[*?\[]", lambda match: f"[{match[0]}]", str(path.resolve()))
    source = "read_parquet(?, hive_partitioning = false, binary_as_string = true)"
    try:
        with duckdb.connect(":memory:") as connection:
            schema = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [name]).fetchall()
            described = connection.execute(f"DESCRIBE SELECT * FROM {source}", [name]).fetchall()
            # times with a zone would need another library to come out as Python values
            columns = ", ".join(
                f'CAST("{quoted}" AS VARCHAR)' if "TIME ZONE" in str(kind) else f'"{quoted}"'
                for quoted, kind in ((str(column[0]).replace('"', '""'), column[1]) for column in described)
            )
            rows = connection.execute(f"SELECT {columns} FROM {source}", [name]).fetchall()
    except Exception as error:  # whatever the library raises becomes a message with the file's name
        what = f"cannot be read as Parquet ({shown(str(error).splitlines()[0] if str(error) else error)})"
        raise ToolkitError(Problem(what, "check that the file is complete, or write it again", path)) from error
    return _top_level(schema), rows


def _top_level(schema: list[tuple[Any, ...]]) -> list[str]:
    """Return the file's own column names; DuckDB would rename the second of two equal ones.

    The schema lists every node depth first, each with the number of its children; the first is the root.
    """
    names: list[str] = []
    pending = 0
    for name, children in schema[1:]:
        if pending == 0:
            names.append(str(name))
            pending = 1
        pending += (children or 0) - 1
    return names
