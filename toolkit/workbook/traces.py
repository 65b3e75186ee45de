"""What programs leave in a file about who made it, where and how; no file that goes out to annotators has any."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator

from toolkit.errors import Problem

REMEDY = "send the file that make-sheets wrote, or take this out (in Excel: File > Info > Inspect Workbook)"
# Parts about the file as a whole, of .xlsx and of .ods, and what in them names a person.
_PROPERTIES = frozenset({"docProps/core.xml", "docProps/app.xml", "meta.xml"})
_PEOPLE = frozenset({"creator", "lastModifiedBy", "initial-creator", "printed-by", "Manager"})
# Shared workbooks and people in threads of comments (.xlsx), earlier versions (.ods).
_HISTORY = re.compile(r"xl/(revisions|persons)/|Versions/|VersionList\.xml", re.IGNORECASE)
_TRACKED_CHANGES = b":tracked-changes"
_SAVED_IN = "absPath"
_LINKS = frozenset({"Target", "href"})
_ABSOLUTE = re.compile(r"file:|[a-z]:[\\/]|\\\\", re.IGNORECASE)
# Large, and of words: `toolkit.workbook.blindness` reads those.
_HOLDS_CELLS = re.compile(r"xl/sharedStrings\.xml|xl/worksheets/[^/]+\.xml")
_ODS_CELLS = "content.xml"


def traces(path: str, data: bytes) -> list[Problem]:
    """Return a problem for each author, absolute path and history of edits in a file of the kind .xlsx or .ods.

    Args:
        path: The file's name as the user knows it.
        data: The file.
    """
    found = dict.fromkeys(_found(data))
    return [Problem(f"{what} (in the part {part})", REMEDY, path, value=value) for what, part, value in found]


def _found(data: bytes) -> Iterator[tuple[str, str, str | None]]:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if _HISTORY.match(name) and not name.endswith("/"):
                yield "holds a history of edits", name, None
            if not name.endswith((".xml", ".rels")) or _HOLDS_CELLS.fullmatch(name):
                continue
            content = archive.read(name)
            if name == _ODS_CELLS:
                if _TRACKED_CHANGES in content:
                    yield "holds a history of edits", name, None
                continue
            try:
                root = fromstring(content)
            except (ParseError, DefusedXmlException):
                yield "holds a part that cannot be searched, since it is no plain XML", name, None
                continue
            for element in root.iter():
                tag = element.tag.rsplit("}", 1)[-1]
                if name in _PROPERTIES and tag in _PEOPLE and (element.text or "").strip():
                    yield "names who made or changed it", name, (element.text or "").strip()
                for key, value in element.attrib.items():
                    plain = key.rsplit("}", 1)[-1]
                    if (tag == _SAVED_IN and plain == "url") or (plain in _LINKS and _ABSOLUTE.match(value)):
                        yield "names a folder of the computer it was made on", name, value
