"""Which files to read, when people name files, folders and archives."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.texts import plain_key
from toolkit.workbook.readers.budget import SEND_AGAIN, Budget, Refused
from toolkit.workbook.readers.package import Package, open_zip
from toolkit.workbook.readers.raw import DEFAULT_LIMITS, Limits
from toolkit.workbook.readers.sniff import OLE, ZIP, zip_kind
from toolkit.workbook.readers.source import Source

HEAD = 65_536
# Names under which people send sheets. Files that have one are kept in any case, so that reading them says what is wrong.
SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".csv", ".tsv", ".numbers", ".gsheet", ".zip"})
KEYS = ("item_code", "score")
_CLUTTER = re.compile(r"~\$.*|\.~lock\..*#|\..*|desktop\.ini|thumbs\.db", re.IGNORECASE)


def find_sources(
    paths: Sequence[Path], limits: Limits = DEFAULT_LIMITS
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
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
            files = [(file, str(file.relative_to(path))) for file in _walk(path)]
        else:
            files = [(path, "")]
        for file, inside in files:
            real = Path(os.path.realpath(file))
            if real in seen:
                continue
            seen.add(real)
            source = Source.at(file)
            if file.is_dir():
                sources.append(source)  # a Numbers document can be a folder
            elif inside and not _is_sheet(source):
                warnings.append(f"{shown(inside)} is no spreadsheet; it was left out")
            else:
                sources += _expanded(source, limits, warnings)
    return tuple(sources), tuple(warnings)


def _walk(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _CLUTTER.fullmatch(name) and name != "__MACOSX")
        for name in [name for name in folders if name.casefold().endswith(".numbers")]:
            folders.remove(name)
            files.append(name)
        yield from (Path(where, name) for name in sorted(files) if not _CLUTTER.fullmatch(name))


def _is_sheet(source: Source) -> bool:
    """Return whether a file that nobody named looks like one to read."""
    suffix = PurePosixPath(source.name).suffix.casefold()
    if suffix in SUFFIXES:
        return True
    try:
        head = source.head(HEAD)
    except ToolkitError:
        return False
    if head.startswith((ZIP + b"\x03\x04", OLE)):
        return suffix not in (".docx", ".pptx", ".doc", ".ppt", ".odt", ".odp", ".pages", ".key", ".msg")
    words = plain_key(head.replace(b"\0", b"").decode("utf-8", "replace"))
    return all(key in words for key in KEYS)


def _expanded(source: Source, limits: Limits, warnings: list[str]) -> list[Source]:
    """Return the sheets in an archive of sheets; any other file alone."""
    try:
        if not source.head(4).startswith(ZIP):
            return [source]
        archive = open_zip(source.loaded(limits.file_bytes).data, limits)
        package = Package(archive, Budget(limits))
        kind = zip_kind(package.names, package.head("[Content_Types].xml"), package.head("mimetype", 200))
        if kind != "archive":
            return [source]
        return list(_members(source, archive.infolist(), limits, warnings))
    except Exception:
        return [source]  # reading it says what is wrong


def _members(
    archive: Source, members: list[zipfile.ZipInfo], limits: Limits, warnings: list[str]
) -> Iterator[Source]:
    found = 0
    for place, member in sorted(enumerate(members), key=lambda pair: pair[1].filename):
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if member.is_dir() or "__MACOSX" in path.parts or any(_CLUTTER.fullmatch(part) for part in path.parts):
            continue
        # the name is only ever shown, never opened
        name = f"{archive.name} > {'/'.join(part for part in path.parts if part not in ('..', '/'))}"
        problem = None
        if member.flag_bits & 1:
            problem = Problem("is in an archive with a password", "unpack it and name the files", name)
        elif member.file_size > limits.file_bytes:
            problem = Problem(f"is larger than {limits.file_bytes / 1e6:,.0f} MB, which is the limit", SEND_AGAIN, name)
        source = Source(name, archive.path, place, problem=problem)
        if problem is None and not _is_sheet(source):
            warnings.append(f"{shown(name)} is no spreadsheet; it was left out")
            continue
        found += 1
        yield source
    if not found:
        what = "is an archive with no sheet in it"
        yield Source(archive.name, archive.path, problem=Problem(what, SEND_AGAIN, archive.name))
