"""Which files to read, when people name files, folders and archives."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from toolkit.cells.csv_rows import SEPARATORS
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.workbook.readers.budget import SEND_AGAIN, Budget
from toolkit.workbook.readers.delimited import ANNOTATION_KEYS, is_key_row
from toolkit.workbook.readers.google_values import is_google_values
from toolkit.workbook.readers.package import METHODS, Package, open_zip
from toolkit.workbook.readers.pulls import newest_pulls
from toolkit.workbook.readers.raw import DEFAULT_LIMITS, Limits
from toolkit.workbook.readers.sniff import NUMBERS, OLE, ZIP, zip_kind
from toolkit.workbook.readers.source import Source, raise_limit

HEAD = 65_536
# Files with these endings are kept in any case, so that reading them says what is wrong.
SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".csv", ".tsv", ".numbers", ".gsheet", ".zip"})
OTHER_SUFFIXES = frozenset({".docx", ".pptx", ".doc", ".ppt", ".odt", ".odp", ".pages", ".key", ".msg"})
_CLUTTER = re.compile(r"~\$.*|\.~lock\..*#|\..*|desktop\.ini|thumbs\.db", re.IGNORECASE)


def find_sources(paths: Sequence[Path], limits: Limits = DEFAULT_LIMITS) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """Return every file to read, and what was left out.

    Folders are searched with all their subfolders, and archives of sheets are opened. Lock files, hidden files and the
    clutter of operating systems are passed over without a word, other files that are no sheets with a warning. A
    file that was named is always among the sources. Nothing is raised: what cannot be opened becomes a source that
    says so when it is read, together with the problems of all the others.

    Args:
        paths: Files, folders and archives.
        limits: What an archive may hold.

    Returns:
        The sources, in the order of the paths and sorted within each folder, each file once; and the warnings.
    """
    sources: list[Source] = []
    warnings: list[str] = []
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir() and path.suffix.casefold() != ".numbers":
            walked = newest_pulls(list(_walk(path, warnings)), warnings)
            files = [(file, str(file.relative_to(path))) for file in walked]
        else:
            files = [(path, "")]
        for file, inside in files:
            real = Path(os.path.realpath(file))
            if real in seen:
                continue
            seen.add(real)
            # two people's files may have the same name in different folders
            source = Source(inside or file.name, file)
            if inside and not file.exists():
                warnings.append(f"{shown(inside)} is a link that leads nowhere; it was left out")
            elif file.is_dir():
                problem = Problem(NUMBERS.what, NUMBERS.fix, file.name)
                sources.append(Source(file.name, file, problem=problem))
            elif inside and not (file.is_file() and _looks_like_sheet(file.name, _head(source))):
                warnings.append(f"{shown(inside)} is no spreadsheet; it was left out")
            else:
                sources += _expanded(source, limits, warnings)
    return tuple(sources), tuple(warnings)


def _walk(folder: Path, warnings: list[str]) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        warnings.append(f"the folder {shown(error.filename)} cannot be opened ({error.strerror}); it was left out")

    for where, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not _CLUTTER.fullmatch(name) and name != "__MACOSX")
        # Numbers saves a document as a folder when it likes
        for name in [name for name in folders if name.casefold().endswith(".numbers")]:
            folders.remove(name)
            files.append(name)
        yield from (Path(where, name) for name in sorted(files) if not _CLUTTER.fullmatch(name))


def _looks_like_sheet(name: str, head: bytes) -> bool:
    """Return whether a file that nobody named is one to read, or to complain of."""
    suffix = PurePosixPath(name).suffix.casefold()
    if suffix in SUFFIXES:
        return True
    if head.startswith((ZIP + b"\x03\x04", OLE)):
        return suffix not in OTHER_SUFFIXES
    if is_google_values(head):
        return True
    lines = head.replace(b"\0", b"").decode("utf-8", "replace").splitlines()
    return any(
        is_key_row([cell.strip(' "') for cell in line.split(separator)], ANNOTATION_KEYS)
        for line in lines
        for separator in SEPARATORS
    )


def _head(source: Source) -> bytes:
    try:
        return source.head(HEAD)
    except ToolkitError:
        return b""


def _expanded(source: Source, limits: Limits, warnings: list[str]) -> list[Source]:
    """Return the sheets in an archive of sheets; any other file alone."""
    if not _head(source).startswith(ZIP):
        return [source]
    try:
        archive = open_zip(source.loaded(limits.file_bytes).data, limits)
        package = Package(archive, Budget(limits))
        if zip_kind(package.names, package.head("[Content_Types].xml"), package.head("mimetype", 200)) == "archive":
            return list(_members(source, archive, limits, warnings))
    except Exception:
        pass  # reading it says what is wrong
    return [source]


def _members(source: Source, archive: zipfile.ZipFile, limits: Limits, warnings: list[str]) -> Iterator[Source]:
    found = 0
    for place, member in sorted(enumerate(archive.infolist()), key=lambda pair: pair[1].filename):
        # the name is only ever shown, never opened, so that it can lead nowhere
        parts = [part for part in member.filename.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if member.is_dir() or "__MACOSX" in parts or any(map(_CLUTTER.fullmatch, parts)):
            continue
        name = f"{source.name} > {'/'.join(parts)}"
        head, problem = b"", _member_problem(member, name, limits)
        if problem is None:
            try:
                with archive.open(member) as file:
                    head = file.read(HEAD)
            except Exception as error:
                problem = Problem(f"cannot be taken out of its archive ({shown(error)})", SEND_AGAIN, name)
        if problem is None and head.startswith(ZIP) and PurePosixPath(name).suffix.casefold() == ".zip":
            problem = Problem("is an archive inside an archive", "unpack it and name the files", name)
        if problem is None and not _looks_like_sheet(name, head):
            warnings.append(f"{shown(name)} is no spreadsheet; it was left out")
            continue
        found += 1
        if found > limits.archived:
            what = f"holds more than {limits.archived:,} sheets, which is the limit"
            fix = f"unpack it and name the files; {raise_limit('archived')}"
            yield Source(source.name, source.path, problem=Problem(what, fix, source.name))
            return
        yield Source(name, source.path, place, problem=problem)
    if not found:
        problem = Problem("is an archive with no sheet in it", SEND_AGAIN, source.name)
        yield Source(source.name, source.path, problem=problem)


def _member_problem(member: zipfile.ZipInfo, name: str, limits: Limits) -> Problem | None:
    if member.flag_bits & 1:
        return Problem("is in an archive with a password", "unpack it and name the files", name)
    if member.compress_type not in METHODS:
        return Problem("is in an archive of an unusual kind", "unpack it and name the files", name)
    if member.file_size > limits.file_bytes:
        limit = f"{limits.file_bytes / 1e6:,.0f} MB, which is the limit"
        fix = f"unpack it, and remove what is not needed; {raise_limit('file_bytes')}"
        return Problem(f"is larger than {limit}", fix, name)
    return None
