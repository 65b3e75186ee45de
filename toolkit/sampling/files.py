"""Logs in files, through an embedded DuckDB with a fixed memory limit.

JSON Lines and CSV are read as text, column by column, so that nothing is guessed from a first few rows; Parquet with
its types. XLSX, JSON and text that is not UTF-8 go through `toolkit.tables`, SQLite through Python's own driver, into
a temporary file of JSON Lines.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.sampling.columns import Columns, literal, quoted
from toolkit.sampling.logs import Log, RawRow, Rows, Scratch
from toolkit.sampling.rows import convert, csv_header, csv_rows, json_header, json_rows, sqlite_records

MEMORY = "350MB"
THREADS = 4
SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
SQLITE = {".sqlite", ".sqlite3", ".db"}
OTHERS = {".xlsx", ".xlsm", ".json"}


def connect(folder: str) -> Any:
    """Return a DuckDB connection that stays under its memory limit, spilling into a folder."""
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    connection.execute(f"SET threads = {min(THREADS, os.cpu_count() or 1)}")
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(f"SET temp_directory = {literal(folder)}")
    return connection


def asker(connection: Any, name: str) -> Any:
    """Return the function that runs a query and turns the engine's complaints into problems."""

    def run(sql: str) -> Rows:
        try:
            return list(connection.execute(sql).fetchall())
        except Exception as error:  # whatever the library raises becomes a message
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            fix = "check --where, --problem and --by" if first.startswith(("Parser", "Binder", "Conversion")) else ""
            if first.startswith("Out of Memory"):
                fix = "ask for fewer records, or for strata with fewer different values"
            raise ToolkitError(Problem(f"cannot be queried ({shown(first, 200)})", fix, name)) from error

    return run


def open_files(paths: Sequence[str], *, table: str | None = None) -> Log:
    """Return the log in files, folders and patterns, which must be of one format.

    Args:
        paths: Files; folders (everything in them that is a log); patterns such as `logs/*.parquet`.
        table: For SQLite, the table; for XLSX, the sheet.

    Raises:
        ToolkitError: When there is no such file, or formats are mixed, or a file cannot be read.
    """
    files = _found(paths)
    formats = {SUFFIXES.get(path.suffix.casefold(), "other") for path in files}
    if len(formats) > 1:
        what = f"the files are of different formats ({', '.join(sorted({path.suffix or 'none' for path in files}))})"
        raise ToolkitError(Problem(what, "sample from files of one format", shown(paths[0])))
    folder = Scratch()
    name = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"
    run = asker(connect(folder.name), name)
    match formats.pop():
        case "parquet":
            return _parquet(files, name, run, folder)
        case "csv" if (headers := [csv_header(path) for path in files]) and all(headers):
            return _csv(files, [header for header in headers if header], name, run, folder)
        case "jsonl" if all(_is_utf8(path) for path in files):
            return _jsonl(files, files, name, run, folder)
    made, notes, kept = _converted(files, table, Path(folder.name))
    log = _jsonl(made, files, name, run, folder, notes)
    return log if kept is None else replace(log, rows=lambda: iter(kept))


def _found(paths: Sequence[str]) -> list[Path]:
    found: dict[Path, None] = {}
    for text in paths:
        path = Path(text)
        known = (*SUFFIXES, *OTHERS, *SQLITE)
        if path.is_dir():
            files = sorted(p for p in path.rglob("*") if p.suffix.casefold() in known and not p.name.startswith("."))
            what, fix = "holds no log", "a log is .jsonl, .csv, .parquet, .xlsx, .json or .sqlite"
        elif path.is_file():
            files, what, fix = [path], "", ""
        else:
            files = sorted(Path(match) for match in glob.glob(text, recursive=True) if Path(match).is_file())  # noqa: PTH207
            what, fix = "there is no such file", "check the name and the folder"
        if not files:
            raise ToolkitError(Problem(what, fix, text))
        found |= dict.fromkeys(files)
    return sorted(found, key=lambda path: (path.name, str(path)))


def _is_utf8(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(65536)
    return not head.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" not in head


def _names(files: Sequence[Path]) -> str:
    # DuckDB takes a name for a pattern; a file may be called answers[1].parquet
    return "[" + ", ".join(literal(glob.escape(str(path.resolve()))) for path in files) + "]"


def _parquet(files: Sequence[Path], name: str, run: Any, folder: Scratch) -> Log:
    source = f"read_parquet({_names(files)}, union_by_name = true, hive_partitioning = false, binary_as_string = true)"
    types = {str(row[0]): str(row[1]).upper() for row in run(f"DESCRIBE SELECT * FROM {source}")}
    # times with a zone would need another library to come out as Python values
    columns = ", ".join(
        f"CAST({quoted(c)} AS VARCHAR) AS {quoted(c)}" if "TIME ZONE" in kind else quoted(c)
        for c, kind in types.items()
    )

    def rows() -> Iterator[RawRow]:
        for path in files:
            one = f"read_parquet({_names([path])}, file_row_number = true, binary_as_string = true)"
            start = 0
            while found := run(
                f"SELECT * FROM {one} WHERE file_row_number >= {start} AND "
                f"file_row_number < {start + 10_000} ORDER BY file_row_number"
            ):
                header = [str(row[0]) for row in run(f"DESCRIBE SELECT * FROM {one}")]
                for row in found:
                    values = dict(zip(header, row, strict=True))
                    yield RawRow(f"{path.name} > row {values.pop('file_row_number') + 1}", values)
                start += 10_000

    return Log(
        name,
        lambda _: source,
        f"SELECT {columns} FROM {source}",
        Columns("typed", types),
        run,
        rows=rows,
        files=tuple(files),
        keep=folder,
    )


def _csv(files: Sequence[Path], headers: Sequence[tuple[str, list[str]]], name: str, run: Any, folder: Scratch) -> Log:
    parts, names = [], dict.fromkeys(column for _, header in headers for column in header)
    for path, (separator, header) in zip(files, headers, strict=True):
        columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in header)
        parts.append(
            f"SELECT {', '.join(quoted(c) if c in header else f'NULL AS {quoted(c)}' for c in names)} FROM "
            f"read_csv({_names([path])}, delim = {literal(separator)}, quote = '\"', escape = '\"', header = true, "
            f"auto_detect = false, columns = {{{columns}}}, store_rejects = true, strict_mode = true)"
        )
    source = "(" + " UNION ALL ".join(parts) + ")"

    def rows() -> Iterator[RawRow]:
        for path, (separator, _) in zip(files, headers, strict=True):
            yield from csv_rows(path, separator)

    def broken() -> int:
        places = "SELECT DISTINCT file_path, line FROM reject_errors JOIN reject_scans USING (scan_id, file_id)"
        return int(run(f"SELECT COUNT(*) FROM ({places})")[0][0])

    return Log(
        name,
        lambda _: source,
        f"SELECT * FROM {source}",
        Columns("text", dict.fromkeys(names, "VARCHAR")),
        run,
        rows=rows,
        broken=broken,
        files=tuple(files),
        keep=folder,
    )


def _jsonl(
    made: Sequence[Path], files: Sequence[Path], name: str, run: Any, folder: Scratch, notes: Sequence[str] = ()
) -> Log:
    options = "format = 'newline_delimited', ignore_errors = true"
    heads = [json_header(path) for path in made]
    types = dict.fromkeys((key for keys, _ in heads for key in keys), "JSON")

    def all_columns() -> list[str]:
        keys = f"SELECT UNNEST(JSON_KEYS(json)) AS k FROM read_ndjson_objects({_names(made)}, ignore_errors = true)"
        return [str(key) for (key,) in run(f"SELECT DISTINCT k FROM ({keys}) ORDER BY k")]

    def relation(wanted: Mapping[str, str]) -> str:
        columns = ", ".join(f"{literal(column)}: '{kind}'" for column, kind in wanted.items()) or "'item_id': 'JSON'"
        return f"read_json({_names(made)}, {options}, columns = {{{columns}}})"

    def rows() -> Iterator[RawRow]:
        for path in made:
            yield from json_rows(path)

    return Log(
        name,
        relation,
        f"SELECT json FROM read_ndjson_objects({_names(made)}, ignore_errors = true)",
        Columns("json", types),
        run,
        rows=rows,
        files=tuple(files),
        notes=tuple(notes),
        keep=folder,
        all_columns=None if all(whole for _, whole in heads) else all_columns,
    )


def _converted(
    files: Sequence[Path], table: str | None, folder: Path
) -> tuple[list[Path], list[str], list[RawRow] | None]:
    """Write files of other formats as JSON Lines; return those, notes, and the rows where they are held anyway."""
    made, notes, kept = [], [], []
    for place, path in enumerate(files):
        target = folder / f"{place}.jsonl"
        made.append(target)
        with path.open("rb") as file:
            is_sqlite = file.read(15) == b"SQLite format 3"
        with target.open("w", encoding="utf-8", errors="backslashreplace") as out:
            if is_sqlite:
                out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in sqlite_records(path, table))
            else:
                rows, said = convert(path, table)
                notes += said
                kept += rows
                out.writelines(json.dumps(row.values, ensure_ascii=False) + "\n" for row in rows)
    return made, notes, kept or None
