"""Tables in: CSV, JSON, JSON Lines, XLSX and Parquet as one kind of thing, or every reason why not.

What a file is follows from its content first and its name second, because names lie: an export called `.xls` may be
a web page, and a `.json` may hold one record a line.
"""

from __future__ import annotations

import difflib
import zipfile
from collections.abc import Collection
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.tables._base import BAD, Bad, Format, Row, Table, header_key, in_order, is_blank
from toolkit.tables._json import parse as parse_json
from toolkit.tables._json import read_json, read_jsonl
from toolkit.tables._text import decode, read_csv

__all__ = [
    "BAD",
    "NO_DIMENSION",
    "Bad",
    "Format",
    "Row",
    "Table",
    "header_key",
    "in_order",
    "is_blank",
    "parse_json",
    "read_table",
]

# The dimension of ratings and judgements whose table has no dimension column.
NO_DIMENSION = "all"

_SAVE = "save it as .xlsx or as CSV (UTF-8), and try again"
_KINDS = (
    (b"%PDF", "a PDF document", _SAVE),
    (b"\x89PNG", "a picture", "check that it is the right file"),
    (b"\xff\xd8\xff", "a picture", "check that it is the right file"),
    (b"GIF8", "a picture", "check that it is the right file"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"BZh", "a bzip2 archive", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it first"),
    (b"SQLite format 3", "a SQLite database", "export the table as CSV"),
    (b"{\\rtf", "a word processor document", _SAVE),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MARKUP = ("<!doctype", "<html", "<table", "<?xml", "<workbook")
_HEAD = 16


def read_table(
    path: Path,
    *,
    sheet: str | None = None,
    wanted: Collection[frozenset[str]] = (),
    problems: list[Problem] | None = None,
) -> Table:
    """Return the table that a file holds.

    Args:
        path: A CSV, JSON, JSON Lines, XLSX, XLSM or Parquet file.
        sheet: For a workbook, the title of the sheet to read.
        wanted: The columns it must have, each as the set of names it may go by. They also tell which separator a
            CSV uses, and which sheet of a workbook, or list of a JSON object, is meant.
        problems: Where given, what is wrong with single rows and cells is added here instead of being raised (the
            cells are `BAD` then), so that the caller can report it together with what else it finds.

    Raises:
        ToolkitError: With everything that is wrong with the file.
    """
    collected: list[Problem] = [] if problems is None else problems
    table = _read(path, sheet, wanted, collected)
    if not table.rows and not collected:
        what = "has a header but no rows" if table.header else "is empty"
        raise ToolkitError(table.problem(what, "check that it is the right file"))
    if problems is None:
        refuse(in_order(collected))
    return table


def _read(path: Path, sheet: str | None, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    try:
        _check_path(path)
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if head.startswith(b"PK\x03\x04"):
                file.close()
                return _zip(path, sheet, wanted, problems)
            if head.startswith(b"PAR1"):
                file.close()
                from toolkit.tables._parquet import read_parquet

                return read_parquet(path, wanted, problems)
            data = head + file.read()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ToolkitError(Problem(f"cannot be read: {why}", "check the file and its permissions", path)) from error
    return _text(data, path, wanted, problems)


def _check_path(path: Path) -> None:
    if path.is_dir():
        raise ToolkitError(Problem("is a folder, not a file", "name a file in it", str(path)))
    if not path.exists():
        try:
            others = [other.name for other in path.parent.iterdir() if other.is_file()]
        except OSError:
            others = []
        near = difflib.get_close_matches(path.name, others, 1)
        fix = f"perhaps {shown(near[0])!r} is meant" if near else "check the name and the folder"
        raise ToolkitError(Problem("there is no such file", fix, str(path)))
    if not path.is_file():
        raise ToolkitError(Problem("is not an ordinary file", "save it as a file first", str(path)))


def _wrong_kind(path: Path, kind: str, fix: str) -> ToolkitError:
    what = f"is {kind}; CSV, JSON, JSON Lines, XLSX and Parquet are read"
    return ToolkitError(Problem(what, fix, path))


def _zip(path: Path, sheet: str | None, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    from toolkit.tables._xlsx import read_xlsx

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        what = "is a damaged or incomplete workbook or archive"
        raise ToolkitError(Problem(what, "save or copy it again", path)) from error
    if "xl/workbook.bin" in names:
        raise _wrong_kind(path, "a binary Excel workbook (.xlsb)", _SAVE)
    if any(name.startswith("xl/") for name in names):
        return read_xlsx(path, sheet, wanted, problems)
    if "content.xml" in names and "mimetype" in names:
        raise _wrong_kind(path, "an OpenDocument file", _SAVE)
    if any(name.startswith("word/") for name in names):
        raise _wrong_kind(path, "a Word document", _SAVE)
    if any(name.endswith(".iwa") for name in names) or "Index.zip" in names:
        raise _wrong_kind(path, "a Numbers document", "export it as Excel or CSV, and try again")
    raise _wrong_kind(path, "a ZIP archive", "unpack it first")


def _text(data: bytes, path: Path, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    if data.startswith(_OLE):
        protected = "EncryptedPackage".encode("utf-16-le") in data
        if protected:
            raise _wrong_kind(path, "a workbook protected with a password", "save it without the password")
        raise _wrong_kind(path, "an old Office file (.xls or .doc) or protected with a password", _SAVE)
    for magic, kind, fix in _KINDS:
        if data.startswith(magic):
            raise _wrong_kind(path, kind, fix)
    text, notes = decode(data, path)
    start = text.lstrip()[:20].casefold()
    if not start:
        raise ToolkitError(Problem("is empty", "check that it is the right file", path))
    if start.startswith(_MARKUP):
        raise _wrong_kind(path, "a web page or XML file", _SAVE)
    lines = path.suffix.casefold() in (".jsonl", ".ndjson")
    if start[0] == "[" or (start[0] == "{" and not _is_lines(text, expected=lines)):
        return read_json(text, path, wanted, problems, notes)
    if start[0] == "{" or lines:
        return read_jsonl(text, path, wanted, problems, notes)
    if path.suffix.casefold() == ".json":
        return read_json(text, path, wanted, problems, notes)
    return read_csv(text, path, wanted, problems, notes)


def _is_lines(text: str, *, expected: bool) -> bool:
    """Return whether a text that starts with an object has one object a line.

    Args:
        text: The text.
        expected: Whether the file's name says so; it decides where the first line does not.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) == 1:
        return expected
    if lines[0].endswith("}") and lines[1].startswith("{"):
        return True
    if not expected:
        return False
    # a pretty-printed object under the wrong name; a broken first line stays a broken line
    return not (lines[0] == "{" or lines[-1] == "}")
