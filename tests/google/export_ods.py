"""A spreadsheet as an .ods file: values with their types, hidden and merged cells, no looks."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from xml.sax.saxutils import escape, quoteattr

from tests.google.book import Sheet, Spreadsheet
from tests.google.display import DATES, plain, shown
from tests.google.errors import Json
from tests.google.formulas import Memo, effective
from tests.google.syntax import UnreadableError, open_formula, parse

MIME = "application/vnd.oasis.opendocument.spreadsheet"
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{path}"'
    for name, path in {
        "office": "office:1.0",
        "table": "table:1.0",
        "text": "text:1.0",
        "manifest": "manifest:1.0",
        "of": "of:1.2",
    }.items()
)
MANIFEST = (
    f'<manifest:manifest {SPACES} manifest:version="1.2">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{MIME}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
)
HIDDEN = ' table:visibility="collapse"'


def ods(book: Spreadsheet) -> bytes:
    """Return the spreadsheet as an .ods file."""
    tables = "".join(_table(book, sheet) for sheet in book.sheets)
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {SPACES} office:version="1.2">'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), MIME)
        archive.writestr(zipfile.ZipInfo("content.xml"), content)
        archive.writestr(zipfile.ZipInfo("META-INF/manifest.xml"), MANIFEST)
    return buffer.getvalue()


def _table(book: Spreadsheet, sheet: Sheet) -> str:
    memo: Memo = {}
    rows, columns = sheet.used()
    hidden = [HIDDEN if sheet.columns.get(c, {}).get("hiddenByUser") else "" for c in range(max(columns, 1))]
    lines = "".join(f"<table:table-column{mark}/>" for mark in hidden)
    spans, covered = {}, set()
    for merge in sheet.merges:
        box = sheet.box(merge)
        first, *others = box.cells()
        spans[first] = (
            f' table:number-rows-spanned="{(box.end_row or 0) - (box.row or 0)}"'
            f' table:number-columns-spanned="{(box.end_column or 0) - (box.column or 0)}"'
        )
        covered |= set(others)
    for row in range(rows):
        mark = HIDDEN if sheet.rows.get(row, {}).get("hiddenByUser") else ""
        cells = "".join(
            _cell(book, sheet, (row, column), spans.get((row, column), ""), (row, column) in covered, memo)
            for column in range(columns)
        )
        lines += f"<table:table-row{mark}>{cells}</table:table-row>"
    return f"<table:table table:name={quoteattr(sheet.title)}>{lines}</table:table>"


def _cell(book: Spreadsheet, sheet: Sheet, place: tuple[int, int], spans: str, covered: bool, memo: Memo) -> str:
    if covered:
        return "<table:covered-table-cell/>"
    cell = sheet.cells.get(place, {})
    value, entered = effective(book, sheet, place, memo), cell.get("userEnteredValue", {})
    pattern = cell.get("userEnteredFormat", {}).get("numberFormat")
    content = plain(value)
    if content == "":
        return f"<table:table-cell{spans}/>"
    formula = _formula(entered["formulaValue"], book.locale) if "formulaValue" in entered else ""
    lines = shown(value, pattern, book.locale).split("\n")
    paragraphs = "".join(f"<text:p>{_spaced(line)}</text:p>" for line in lines)
    return f"<table:table-cell{formula}{_type(content, pattern)}{spans}>{paragraphs}</table:table-cell>"


def _formula(formula: str, locale: str) -> str:
    with suppress(UnreadableError):  # such a formula is exported as it was typed
        formula = "=" + open_formula(parse(formula, locale))
    return f" table:formula={quoteattr('of:' + formula)}"


def _type(content: object, pattern: Json | None) -> str:
    if isinstance(content, bool):
        return f' office:value-type="boolean" office:boolean-value="{str(content).lower()}"'
    if isinstance(content, str):
        return ' office:value-type="string"'
    kind = (pattern or {}).get("type")
    if kind in DATES:
        iso = "yyyy-mm-dd" if kind == "DATE" else "yyyy-mm-ddThh:mm:ss"
        day = shown({"numberValue": content}, {"type": kind, "pattern": iso}, "en_US")
        return f' office:value-type="date" office:date-value="{day}"'
    return f' office:value-type="{"percentage" if kind == "PERCENT" else "float"}" office:value="{content}"'


def _spaced(line: str) -> str:
    """Return a line in which rows of spaces, which XML would fold, are kept."""
    return escape(line).replace("  ", " <text:s/>").replace("\t", "<text:tab/>")
