"""What an .xls file says of who made it, where and how, and the words in it that are in no cell."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from struct import unpack_from
from typing import Any

import olefile

MADE_BY, MADE_IN = "names who made or changed it", "names a folder of the computer it was made on"
HISTORY, MACROS = "holds a history of edits", "holds macros, which cannot be searched"
# Who writes their name where other programs write a person's, but is none.
NOBODY = frozenset({"calc", "toolkit"})
ABSOLUTE = re.compile(r"file:|[a-z]:[\\/]|\\\\", re.IGNORECASE)
# Attributes of olefile's metadata that name a person, or the computer of one.
_PEOPLE = ("author", "last_saved_by", "manager", "company")
_FOLDERS = ("template", "link_base")
# A shared workbook keeps who changed what.
_CHANGED_BY = ("Revision Log", "User Names")
_PROJECT = "_VBA_PROJECT_CUR"
_WORKBOOK, _CONTINUE = "Workbook", 0x003C
_PROPERTY_SETS = ("\x05SummaryInformation", "\x05DocumentSummaryInformation")
_WRITEACCESS, _SUPBOOK, _HLINK, _NOTE = 0x005C, 0x01AE, 0x01B8, 0x001C
# Records that name a person, and the place of the name: who saved the file, who wrote a comment.
_NAMED_AT = {_WRITEACCESS: 0, _NOTE: 8}
# Records whose words stand in no cell: header, footer, name, comment (its author, its text), who saved it, title of a
# sheet, other workbooks, links, and the messages of cells.
_WORDY = frozenset({0x0014, 0x0015, 0x0018, _NOTE, 0x01B6, _WRITEACCESS, 0x0085, _SUPBOOK, _HLINK, 0x01BE})
_UNPRINTABLE = re.compile(r"[^\w\x20-\x7e\xa0-\uffff]+|\ufffd+")
_OWN_SHEETS, _ADD_IN = b"\x01\x04", b"\x01\x3a"
_UTF8 = 65001
# Shorter runs of characters are in any sequence of bytes.
SHORTEST = 3


def xls_traces(data: bytes) -> Iterator[tuple[str, str, str | None]]:
    """Yield (what it is, where, value) for each author, absolute path, history of edits and macro."""
    with olefile.OleFileIO(io.BytesIO(data)) as container:
        streams = {str(path[0]) for path in container.listdir()}
        about: Any = container.get_metadata()
        summary, document = (name.lstrip("\x05") for name in _PROPERTY_SETS)
        for name in _PEOPLE:
            if value := _decoded(getattr(about, name), about.codepage):
                yield MADE_BY, summary if name in about.SUMMARY_ATTRIBS else document, value
        for name in _FOLDERS:
            if (value := _decoded(getattr(about, name), about.codepage)) and ABSOLUTE.match(value):
                yield MADE_IN, summary, value
        for name in sorted(streams.intersection(_CHANGED_BY)):
            yield HISTORY, name, None
        if _PROJECT in streams:
            yield MACROS, _PROJECT, None
        records = list(_records(container.openstream(_WORKBOOK).read()))
    for kind, body in records:
        if kind in _NAMED_AT and (name := _stated(body, _NAMED_AT[kind])) and name.casefold() not in NOBODY:
            yield MADE_BY, _WORKBOOK, name
        elif kind == _SUPBOOK and body[2:4] not in (_OWN_SHEETS, _ADD_IN):
            yield MADE_IN, _WORKBOOK, "/".join(_runs(body.decode("latin-1")))
        elif kind == _HLINK:
            yield from ((MADE_IN, _WORKBOOK, words)
                        for words in _words(body) if ABSOLUTE.match(words))  # fmt: skip


def xls_words(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield (part, words) of what is readable outside cells: titles, names, comments, messages, properties."""
    with olefile.OleFileIO(io.BytesIO(data)) as container:
        for name in _PROPERTY_SETS:
            if container.exists(name):
                yield from ((name.lstrip("\x05"), words) for words in _words(container.openstream(name).read()))
        stream = container.openstream(_WORKBOOK).read()
    for kind, body in _records(stream):
        if kind in _WORDY:
            yield from ((_WORKBOOK, words) for words in _words(body))


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the records of all substreams, each with those that continue it."""
    kind, body, position = 0, b"", 0
    while position + 4 <= len(stream):
        code, length = unpack_from("<HH", stream, position)
        part = stream[position + 4 : position + 4 + length]
        position += 4 + length
        if code == _CONTINUE:
            body += part
            continue
        if kind:
            yield kind, body
        kind, body = code, part
    if kind:
        yield kind, body


def _stated(body: bytes, place: int) -> str:
    """Return the text whose length stands at a place of a record; empty where the record is cut off."""
    if len(body) < place + 3:
        return ""
    length, flags = unpack_from("<HB", body, place)
    text = body[place + 3 : place + 3 + length * (2 if flags & 1 else 1)]
    return text.decode("utf-16-le" if flags & 1 else "latin-1", "replace").strip(" \0")


def _decoded(value: object, codepage: object) -> str:
    if not isinstance(value, bytes):
        return str(value or "").strip(" \0")
    number = codepage & 0xFFFF if isinstance(codepage, int) else 0
    try:
        return value.decode("utf-8" if number == _UTF8 else f"cp{number}").strip(" \0")
    except (LookupError, UnicodeDecodeError):
        return value.decode("latin-1").strip(" \0")


def _words(body: bytes) -> Iterator[str]:
    """Yield every run of characters in some bytes, in each of the ways in which they may be meant."""
    yield from _runs(body.decode("cp1252", "replace"))
    yield from _runs(body.decode("utf-8", "replace"))
    for start in (0, 1):
        for run in _runs(body[start:].decode("utf-16-le", "replace")):
            yield run
            # the byte before a text says that its characters take two, and looks like half of one
            yield run[1:]


def _runs(text: str) -> list[str]:
    return [run for run in _UNPRINTABLE.split(text) if len(run) >= SHORTEST]
