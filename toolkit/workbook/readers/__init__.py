"""Reading whatever people send back: files of any program to sheets of typed cells, or a problem that says why not."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.delimited import ANNOTATION_KEYS, holds_key_row, read_csv
from toolkit.workbook.readers.find import find_sources
from toolkit.workbook.readers.google_values import is_google_values, read_google_values
from toolkit.workbook.readers.ods import read_ods
from toolkit.workbook.readers.package import Package, open_zip
from toolkit.workbook.readers.raw import DEFAULT_LIMITS, Cell, Limits, RawBook, RawSheet
from toolkit.workbook.readers.sniff import OLE, ZIP, refuse_other, zip_kind
from toolkit.workbook.readers.source import Source
from toolkit.workbook.readers.xls import read_xls
from toolkit.workbook.readers.xlsx import read_xlsx

__all__ = [
    "ANNOTATION_KEYS",
    "Cell",
    "Limits",
    "RawBook",
    "RawSheet",
    "Source",
    "find_sources",
    "holds_key_row",
    "read_book",
]


def read_book(
    source: Source | Path, limits: Limits = DEFAULT_LIMITS, *, csv_keys: Collection[str] = ANNOTATION_KEYS
) -> RawBook:
    """Return the sheets of a file, whose format is told by its content.

    Args:
        source: The file.
        limits: How much it may hold.
        csv_keys: Words that stand in one row of the file if it is CSV: the separator is the one that makes them cells.

    Raises:
        ToolkitError: When it cannot be read, with the reason and what to do. No other exception leaves this function.
    """
    source = Source.at(source) if isinstance(source, Path) else source
    source = source.loaded(limits.file_bytes)
    try:
        return _read(source, limits, csv_keys)
    except Refused as refused:
        problems = [
            Problem(one.what, one.fix, source.name, one.sheet, one.cell, one.value)
            for one in (refused, *refused.others)
        ]
        raise ToolkitError(problems) from refused
    except Exception as error:  # whatever a damaged file makes a library raise: KeyError, struct.error, MemoryError...
        what = f"is damaged and cannot be read ({type(error).__name__}: {shown(error)})"
        raise ToolkitError(Problem(what, SAVE_AGAIN, source.name)) from error


def _read(source: Source, limits: Limits, csv_keys: Collection[str]) -> RawBook:
    data, budget = source.data, Budget(limits)
    if data.startswith(ZIP):
        package = Package(open_zip(data, limits), budget)
        kind = zip_kind(package.names, package.head("[Content_Types].xml"), package.head("mimetype", 200))
        if kind == "archive":
            raise Refused("is an archive, not a workbook", "name the archive itself, or unpack it and name the files")
        sheets, properties = (read_xlsx if kind == "xlsx" else read_ods)(package, budget)
        return RawBook(source, kind, sheets, properties)
    if data.startswith(OLE):
        return RawBook(source, "xls", read_xls(data, budget))
    if is_google_values(data):
        return RawBook(source, "google", read_google_values(data, budget))
    refuse_other(data)
    sheet, notes, lossy = read_csv(data, csv_keys, budget)
    return RawBook(source, "csv", (sheet,), notes=notes, lossy=lossy)
