"""Logs in databases and warehouses: the questions go there, translated; only counts and chosen records come back.

Ibis knows how to reach an engine, sqlglot how it writes SQL; both come with the `warehouse` extra. A DuckDB file needs
neither.
"""

from __future__ import annotations

from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.sampling.columns import Columns, literal, quoted
from toolkit.sampling.files import asker, connect
from toolkit.sampling.logs import Log, Rows, Scratch


def open_table(url: str, table: str) -> Log:
    """Return the log in a table of a database.

    Args:
        url: `duckdb://file.db`, or any address Ibis knows: `bigquery://project/dataset`, `snowflake://...`,
            `postgres://...`, `pyspark://...`.
        table: The table, with its schema in front where it needs one.

    Raises:
        ToolkitError: When it cannot be reached, or the extra is not installed.
    """
    if url.startswith("duckdb://"):
        return _duckdb(url.removeprefix("duckdb://"), table)
    try:
        import ibis
    except ImportError as error:
        fix = "pip install 'toolkit[warehouse]' and the driver of the engine (pip install 'ibis-framework[bigquery]')"
        raise ToolkitError(Problem("--connect needs the warehouse extra", fix)) from error
    try:
        backend = ibis.connect(url)
    except Exception as error:
        raise ToolkitError(Problem(f"cannot be reached: {_first(error)}", "check the address", _safe(url))) from error
    return open_backend(backend, table, name=f"{_safe(url)} {table}")


def open_backend(backend: Any, table: str, *, name: str | None = None) -> Log:
    """Return the log in a table of a connected Ibis backend.

    Raises:
        ToolkitError: When there is no such table.
    """
    name = name or f"{backend.name} {table}"
    *schema, last = table.split(".")
    try:
        found = backend.table(last, database=tuple(schema) if len(schema) > 1 else schema[0] if schema else None)
        types = {column: str(kind).upper() for column, kind in found.schema().items()}
    except Exception as error:
        raise ToolkitError(Problem(f"cannot be read: {_first(error)}", "check --table", name)) from error
    source = ".".join(map(quoted, (*schema, last)))

    def run(sql: str) -> Rows:
        try:
            rows = backend.sql(sql, dialect="duckdb").to_pyarrow()
        except Exception as error:
            raise ToolkitError(Problem(f"cannot be queried: {_first(error)}", "", name)) from error
        return list(zip(*(column.to_pylist() for column in rows.columns), strict=True)) if rows.num_rows else []

    return Log(name, lambda _: source, f"SELECT * FROM {source}", Columns("typed", types), run, embedded=False)


def compiled(sql: str, dialect: str) -> str:
    """Return a query of ours as another engine writes it.

    Args:
        sql: In DuckDB's dialect.
        dialect: `bigquery`, `snowflake`, `spark`, `postgres`, ...
    """
    import sqlglot

    return str(sqlglot.transpile(sql, read="duckdb", write=dialect)[0])


def _duckdb(path: str, table: str) -> Log:
    folder = Scratch()
    run = asker(connect(folder.name), f"{path} {table}")
    run(f"ATTACH {literal(path)} AS log (READ_ONLY)")
    source = ".".join(("log", *map(quoted, table.split("."))))
    types = {str(row[0]): str(row[1]).upper() for row in run(f"DESCRIBE SELECT * FROM {source}")}
    columns = ", ".join(
        f"CAST({quoted(c)} AS VARCHAR) AS {quoted(c)}" if "TIME ZONE" in kind else quoted(c)
        for c, kind in types.items()
    )
    records = f"SELECT {columns} FROM {source}"
    return Log(f"{path} {table}", lambda _: source, records, Columns("typed", types), run, keep=folder)


def _first(error: Exception) -> str:
    text = str(error).strip()
    return shown(text.splitlines()[0] if text else type(error).__name__, 200)


def _safe(url: str) -> str:
    """Return an address without user and password."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
