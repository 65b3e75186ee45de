"""What a file is, by its content and never by its name, and what to say of one that cannot be read."""

from __future__ import annotations

import re

from toolkit.workbook.readers.budget import SAVE_AGAIN, Refused

ZIP, OLE = b"PK", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SHEET_WANTED = "ask the annotator for the workbook itself, as .xlsx"
PASSWORD = Refused("is protected by a password", "ask the annotator to save it without the password")
NUMBERS = Refused(
    "is a document of Apple Numbers (or Pages, or Keynote)",
    "open it in Numbers, choose File > Export To > Excel, and send that file",
)
_OTHER: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "is a PDF", SHEET_WANTED),
    (b"\x89PNG", "is a picture", SHEET_WANTED),
    (b"\xff\xd8\xff", "is a picture", SHEET_WANTED),
    (b"GIF8", "is a picture", SHEET_WANTED),
    (b"{\\rtf", "is a text document (RTF)", SHEET_WANTED),
    (b"Rar!", "is an archive of a kind that is not opened here (RAR)", "unpack it and name the files"),
    (b"7z\xbc\xaf", "is an archive of a kind that is not opened here (7z)", "unpack it and name the files"),
    (b"\x1f\x8b", "is an archive of a kind that is not opened here (gzip)", "unpack it and name the files"),
    (b"SQLite format 3", "is a database", SHEET_WANTED),
    (b"PAR1", "is a Parquet table", SHEET_WANTED),
)
_OLD_BIFF = re.compile(rb"\x09[\x00\x02\x04][\x04\x06\x08]\x00")
_HTML = re.compile(rb"<(!doctype\s+html|html|head|body|table|meta|style)\b", re.IGNORECASE)


def refuse_other(data: bytes) -> None:
    """Refuse the kinds of file that people send by mistake.

    Raises:
        Refused: With what it is and what to do.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise Refused("is empty", "ask the annotator to send it again; the copying or sending went wrong")
    for magic, what, fix in _OTHER:
        if data.startswith(magic):
            raise Refused(what, fix)
    if _OLD_BIFF.match(data):
        raise Refused("is a workbook of Excel 4 or older", SAVE_AGAIN)
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").replace(b"\0", b"")
    if head.startswith((b"MIME-Version:", b"From: <Saved by")):
        raise Refused("is a saved web page", SAVE_AGAIN)
    if head.startswith(b"<"):
        if b"schemas-microsoft-com:office:spreadsheet" in head:
            raise Refused("is in the XML format of Excel 2003", SAVE_AGAIN)
        if b"urn:oasis:names:tc:opendocument" in head:
            raise Refused("is a flat OpenDocument file", SAVE_AGAIN)
        if _HTML.search(head):
            raise Refused("is a web page, whatever its name says", SAVE_AGAIN)
        raise Refused("is an XML file, but no workbook", SHEET_WANTED)
    if head.startswith(b"{") and (b"docs.google.com" in head or b'"doc_id"' in head):
        what = "is only a link to a Google Sheet"
        raise Refused(what, "open the sheet in the browser, choose File > Download > Microsoft Excel, and send that")
    if head.startswith((b"{", b"[{")):
        raise Refused("is a JSON file, but no sheet", SHEET_WANTED)


def zip_kind(names: list[str], content_types: bytes, mimetype: bytes) -> str:
    """Return what a zip container is: `xlsx`, `ods`, or `archive` for an ordinary one.

    Args:
        names: The names of its parts, in lower case.
        content_types: The part [Content_Types].xml, if any.
        mimetype: The part mimetype, if any.

    Raises:
        Refused: When it is a document of another kind.
    """
    present = set(names)
    if mimetype.startswith(b"application/vnd.oasis.opendocument."):
        if b"spreadsheet" in mimetype:
            return "ods"
        raise Refused("is an OpenDocument file, but no spreadsheet", SHEET_WANTED)
    if mimetype.startswith(b"application/vnd.sun.xml"):
        raise Refused("is a file of OpenOffice 1", SAVE_AGAIN)
    if any(name.startswith("index/") and name.endswith(".iwa") for name in names) or "index.zip" in present:
        raise Refused(NUMBERS.what, NUMBERS.fix)
    if content_types or "[content_types].xml" in present or "xl/workbook.xml" in present:
        if b"spreadsheetml" in content_types or "xl/workbook.xml" in present:
            return "xlsx"
        if "xl/workbook.bin" in present or b"sheet.binary" in content_types:
            raise Refused("is a binary workbook (.xlsb)", SAVE_AGAIN)
        if any(name.startswith("word/") for name in names):
            raise Refused("is a Word document", SHEET_WANTED)
        if any(name.startswith("ppt/") for name in names):
            raise Refused("is a PowerPoint presentation", SHEET_WANTED)
        raise Refused("is an Office document, but no workbook", SHEET_WANTED)
    if {"content.xml", "meta-inf/manifest.xml"} <= present:
        return "ods"
    return "archive"


def require_workbook(streams: set[str]) -> None:
    """Refuse a container of old Office programs that holds anything but a workbook.

    Args:
        streams: The names of its streams.

    Raises:
        Refused: With what it holds.
    """
    if "EncryptedPackage" in streams or "EncryptionInfo" in streams:
        raise Refused(PASSWORD.what, PASSWORD.fix)
    if any("DRMContent" in stream for stream in streams):
        raise Refused("is protected by rights management", "ask the annotator to save it without restrictions")
    if {"Workbook", "Book"} & streams:
        return
    if "WordDocument" in streams:
        raise Refused("is a Word document", SHEET_WANTED)
    if "PowerPoint Document" in streams:
        raise Refused("is a PowerPoint presentation", SHEET_WANTED)
    raise Refused("is an old Office file, but no workbook", SHEET_WANTED)
