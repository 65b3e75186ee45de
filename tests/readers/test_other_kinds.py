"""Files that are no workbooks, or not yet: each says what it is and what to do."""

import zipfile
from pathlib import Path

import pytest

from tests.readers.build import ods, read, row, xlsx, xlsx_parts, zipped
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import read_book

SHEET = xlsx(row('<c r="A1"><v>4</v></c>'))
WORD = {"[Content_Types].xml": "<Types>wordprocessingml</Types>", "word/document.xml": "<d/>"}


@pytest.mark.parametrize(
    ("data", "what", "fix"),
    [
        (b"", "is empty", "send it again"),
        (bytes(5000), "is empty", "send it again"),
        (b" \r\n", "is empty", "send it again"),
        (SHEET[:1000], "incomplete", "send it again"),
        (SHEET[:-30], "incomplete", "send it again"),
        (b"PK\x03\x04", "incomplete", "send it again"),
        (b"PK", "incomplete", "send it again"),
        (b"%PDF-1.7\n", "is a PDF", ".xlsx"),
        (b"\x89PNG\r\n\x1a\n", "picture", ".xlsx"),
        (b"\xff\xd8\xff\xe0JFIF", "picture", ".xlsx"),
        (b"{\\rtf1 text}", "RTF", ".xlsx"),
        (b"Rar!\x1a\x07", "RAR", "unpack"),
        (b"7z\xbc\xaf\x27\x1c", "7z", "unpack"),
        (b"\x1f\x8b\x08\x00", "gzip", "unpack"),
        (b"\x09\x04\x06\x00\x00\x00\x10\x00", "Excel 4", "save it as .xlsx"),
        (b"<html><body><table><tr><td>4</td></tr></table>", "web page", "save it as .xlsx"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html>", "web page", "save it as .xlsx"),
        ("<html>".encode("utf-16-le"), "web page", "save it as .xlsx"),
        (b"MIME-Version: 1.0\nX-Document-Type: Workbook\n", "web page", "save it as .xlsx"),
        (
            b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
            "Excel 2003",
            "save",
        ),
        (b'<?xml version="1.0"?><o xmlns="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>', "flat", "save"),
        (b'<?xml version="1.0"?><svg/>', "XML", ".xlsx"),
        (b'{"url": "https://docs.google.com/spreadsheets/d/x", "doc_id": "x"}', "link to a Google Sheet", "Download"),
        (b'{"schema": 1}', "JSON", ".xlsx"),
        (zipped(WORD), "Word", ".xlsx"),
        (zipped(WORD | {"word/document.xml": "", "ppt/p.xml": ""}), "Word", ".xlsx"),
        (zipped({"[Content_Types].xml": "<Types/>", "ppt/presentation.xml": ""}), "PowerPoint", ".xlsx"),
        (zipped({"[Content_Types].xml": "<Types/>", "xl/workbook.bin": ""}), ".xlsb", "save it as .xlsx"),
        (zipped({"[Content_Types].xml": "<Types/>"}), "Office document", ".xlsx"),
        (zipped({"Index/Document.iwa": "", "Metadata/Properties.plist": ""}), "Numbers", "Export"),
        (zipped({"Index.zip": ""}), "Numbers", "Export"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "no spreadsheet", ".xlsx"),
        (zipped({"mimetype": "application/vnd.sun.xml.calc"}), "OpenOffice 1", "save it as .xlsx"),
        (zipped({"A1.xlsx": SHEET}), "archive", "unpack"),
        (zipped({}), "archive", "unpack"),
    ],
)
def test_what_it_is_and_what_to_do(data, what, fix):
    with pytest.raises(ToolkitError) as caught:
        read(data, name="resposta.xls")
    (problem,) = caught.value.problems
    assert problem.file == "resposta.xls"
    assert what in problem.what
    assert fix in problem.fix


def test_names_say_nothing(tmp_path):
    for name, data, kind in (("a.csv", SHEET, "xlsx"), ("a.xls", SHEET, "xlsx"), ("a", ods(""), "ods")):
        path = tmp_path / name
        path.write_bytes(data)
        assert read_book(path).format == kind


def test_files_that_cannot_be_opened(tmp_path):
    for path, what in ((tmp_path / "none.xlsx", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(ToolkitError, match=what):
            read_book(path)


def test_a_macro_workbook_and_a_template_are_workbooks():
    parts = xlsx_parts(row('<c r="A1"><v>4</v></c>'))
    for kind in ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", "application/vnd.ms-excel.template.main+xml"):
        parts["[Content_Types].xml"] = f"<Types><Override PartName='/xl/workbook.xml' ContentType='{kind}'/></Types>"
        assert read(zipped(parts)).sheets[0].cells[1, 1].value == 4


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_stored_and_deflated(method):
    assert read(zipped(xlsx_parts(row('<c r="A1"><v>4</v></c>')), method)).format == "xlsx"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(method):
    with pytest.raises(ToolkitError, match="compressed in a way"):
        read(zipped(xlsx_parts(), method))


def test_the_interface_takes_paths_and_keeps_the_bytes(tmp_path: Path):
    path = tmp_path / "x.xlsx"
    path.write_bytes(SHEET)
    book = read_book(path)
    path.write_bytes(b"changed")
    assert (book.source.name, book.source.path, book.source.data) == ("x.xlsx", path, SHEET)
