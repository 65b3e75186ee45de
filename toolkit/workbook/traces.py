"""What programs leave in a file about who made it, where and how; no file that goes out to annotators has any."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterator

from toolkit.errors import Problem
from toolkit.workbook.readers.sniff import OLE, ZIP
from toolkit.workbook.traces_xls import ABSOLUTE, HISTORY, MACROS, MADE_BY, MADE_IN, NOBODY, xls_traces

REMEDY = "send the file that make-sheets wrote, or take this out (in Excel: File > Info > Inspect Workbook)"
# Parts about the file as a whole, of .xlsx and of .ods, and what in them names a person.
_PROPERTIES = frozenset({"docProps/core.xml", "docProps/app.xml", "meta.xml"})
_PEOPLE = frozenset({"creator", "lastModifiedBy", "initial-creator", "printed-by", "Manager", "Company"})
# Who wrote a comment, and who keeps a file for themselves (.xlsx); who wrote a comment (.ods).
_COMMENTS = re.compile(r"xl/comments[^/]*\.xml")
_AUTHOR, _KEPT_BY = "author", ("fileSharing", "userName")
_ODS_AUTHOR = re.compile(rb"<(?:[\w.-]+:)?creator(?:\s[^>]*)?>([^<]+)<")
# No words to search, or none that can be: programs, and files inside the file.
_MACRO_PARTS = re.compile(r"xl/vbaProject|Basic/")
_INSIDE = re.compile(r"xl/(media|embeddings)/|Pictures/")
# Shared workbooks and people in threads of comments (.xlsx), earlier versions (.ods).
_HISTORY = re.compile(r"xl/(revisions|persons)/|Versions/|VersionList\.xml", re.IGNORECASE)
_TRACKED_CHANGES = b":tracked-changes"
_SAVED_IN = "absPath"
_ODS_LINK, _OUTSIDE = "href", "../"  # from the file's own folder: a template in the user's
_LINKS = frozenset({"Target", _ODS_LINK})
# Large, and of words: `toolkit.workbook.blindness` reads those.
_HOLDS_CELLS = re.compile(r"xl/sharedStrings\.xml|xl/worksheets/[^/]+\.xml")
_ODS_CELLS = "content.xml"


def traces(path: str, data: bytes) -> list[Problem]:
    """Return a problem for each author, absolute path, history of edits, and part that cannot be searched.

    That is in .xlsx, .ods and .xls files; others have nothing but what is in their cells.

    Args:
        path: The file's name as the user knows it.
        data: The file.
    """
    found = dict.fromkeys(_found(data) if data.startswith(ZIP) else xls_traces(data) if data.startswith(OLE) else ())
    return [Problem(f"{what} (in the part {part})", REMEDY, path, value=value) for what, part, value in found]


def _found(data: bytes) -> Iterator[tuple[str, str, str | None]]:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.endswith("/"):
                continue
            if _HISTORY.match(name):
                yield HISTORY, name, None
            if _MACRO_PARTS.match(name):
                yield MACROS, name, None
            if _INSIDE.match(name):
                yield "holds a picture or a file inside it, which cannot be searched", name, None
            if not name.endswith((".xml", ".rels")) or _HOLDS_CELLS.fullmatch(name):
                continue
            content = archive.read(name)
            if name == _ODS_CELLS:
                if _TRACKED_CHANGES in content:
                    yield HISTORY, name, None
                for author in _ODS_AUTHOR.findall(content):
                    yield MADE_BY, name, html.unescape(author.decode("utf-8", "replace")).strip()
                continue
            try:
                root = fromstring(content)
            except (ParseError, DefusedXmlException):
                yield "holds a part that cannot be searched, since it is no plain XML", name, None
                continue
            for element in root.iter():
                tag = element.tag.rsplit("}", 1)[-1]
                words = (element.text or "").strip()
                if (name in _PROPERTIES and tag in _PEOPLE) or (tag == _AUTHOR and _COMMENTS.fullmatch(name)):
                    if words and words.casefold() not in NOBODY:
                        yield MADE_BY, name, words
                elif name in _PROPERTIES and ABSOLUTE.match(words):
                    yield MADE_IN, name, words
                for key, value in element.attrib.items():
                    plain = key.rsplit("}", 1)[-1]
                    if (tag, plain) == _KEPT_BY and value.strip():
                        yield MADE_BY, name, value.strip()
                    elif _is_folder(tag, plain, value):
                        yield MADE_IN, name, value


def _is_folder(tag: str, key: str, value: str) -> bool:
    """Return whether an attribute says where the file, or one it uses, lies on somebody's computer."""
    if tag == _SAVED_IN and key == "url":
        return True
    return (key in _LINKS and ABSOLUTE.match(value) is not None) or (key == _ODS_LINK and value.startswith(_OUTSIDE))
