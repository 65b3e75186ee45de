"""Every file made to do harm, in one place: what it is, and words of what must be said of it.

Where no words stand, it is within the limits, at their most expensive, and read.
"""

import io
import struct
import zipfile
from collections.abc import Callable, Iterable

from tests.readers.build import KEYS, MAIN, biff, ods, ods_cell, ods_row, ole, record, row, xlsx, xlsx_parts, zipped

MB = 1_000_000
CSV_KEYS = b"study,annotator,item_code,score\n"
SHEET = "xl/worksheets/sheet1.xml"
Hostile = tuple[Callable[[], bytes], str]


def with_part(name: str, chunks: Iterable[bytes], **options: object) -> bytes:
    """A workbook one of whose parts is written piece by piece."""
    parts = xlsx_parts(**options)  # type: ignore[arg-type]
    parts.pop(name, None)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for other, content in parts.items():
            archive.writestr(other, content)
        with archive.open(name, "w") as part:
            for chunk in chunks:
                part.write(chunk)
    return buffer.getvalue()


def sheet(*chunks: bytes | Iterable[bytes]) -> bytes:
    def all_chunks() -> Iterable[bytes]:
        yield f'<worksheet xmlns="{MAIN}"><sheetData>'.encode()
        for chunk in chunks:
            yield from ([chunk] if isinstance(chunk, bytes) else chunk)
        yield b"</sheetData></worksheet>"

    return with_part(SHEET, all_chunks())


def strings(item: str, count: int) -> bytes:
    chunks = (f'<sst xmlns="{MAIN}">', *([item] * count), "</sst>")
    return with_part("xl/sharedStrings.xml", map(str.encode, chunks), strings="")


def document_type(declared: str) -> bytes:
    return zipped(xlsx_parts() | {SHEET: f"<!DOCTYPE x {declared}><worksheet/>"})


def directory() -> bytes:
    entries = b"PK\x03\x04" + bytes(26) + (b"PK\x01\x02" + bytes(42)) * 500_000
    return entries + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 46 * 500_000, 30, 0)


def merges(count: int) -> bytes:
    body = row("".join(f'<c r="{chr(65 + n)}1"><v>1</v></c>' for n in range(26)))
    ranges = "".join(f'<mergeCell ref="A1:XFD{n}"/>' for n in range(2, count))
    return xlsx(body, tail=f"<mergeCells>{ranges}</mergeCells>")


def xls(records: bytes) -> bytes:
    return ole({"Workbook": biff(records)})


def keyed(rows: Iterable[str]) -> bytes:
    """A sheet of ours with very many rows."""
    keys = [*KEYS, "notes"]
    texts = "".join(f"<si><t>{key}</t></si>" for key in keys) + "<si><t>K7Q</t></si>"
    head = row("".join(f'<c t="s"><v>{n}</v></c>' for n in range(len(keys))))
    return with_part(
        SHEET,
        (
            chunk.encode()
            for chunk in (f'<worksheet xmlns="{MAIN}"><sheetData>', head, *rows, "</sheetData></worksheet>")
        ),
        strings=texts,
    )


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
ATTRIBUTES = b" ".join(b'a%d=""' % n for n in range(20_000))
FOUR = 'office:value-type="float" office:value="4'
STRING = 'office:value-type="string"'

HOSTILE: dict[str, Hostile] = {
    # containers
    "zip bomb": (lambda: with_part("xl/media/x.bin", (bytes(MB) for _ in range(300))), "unpacks to 300 MB"),
    "one part under many names": (
        lambda: with_part(SHEET, [f'<worksheet xmlns="{MAIN}">'.encode(), b"\n" * 3 * MB, b"</worksheet>"], sheets=99),
        "unpacks to more than 250 MB",
    ),
    "many members": (lambda: zipped({f"x{n}": b"" for n in range(5_001)}), "more than 5,000 files"),
    "a directory of nothing": (directory, "more than 5,000 files"),
    "many sheets": (lambda: xlsx(sheets=501), "more than 500 sheets"),
    "archive in an archive": (lambda: zipped({"a.zip": zipped({"b.zip": b"PK"})}), "archive inside an archive"),
    "archive of many": (lambda: zipped({f"{n}.csv": CSV_KEYS for n in range(1_001)}), "more than 1,000 sheets"),
    # XML
    "billion laughs": (lambda: document_type(f'[<!ENTITY l0 "ha">{LAUGHS}]'), "document type"),
    "quadratic entity": (lambda: document_type(f'[<!ENTITY a "{"x" * 3 * MB}">]'), "document type"),
    "external entity": (lambda: document_type('SYSTEM "file:///etc/hostname"'), "document type"),
    "depth": (lambda: sheet(b"<a>" * MB), "deeper than 100"),
    "one long tag": (lambda: sheet(b'<row r="', (b"1" * MB for _ in range(20)), b'"/>'), "more than 4,000,000 bytes"),
    "one long comment": (lambda: sheet(b"<!--", (b"x" * MB for _ in range(20)), b"-->"), "more than 4,000,000 bytes"),
    "attributes": (lambda: sheet(b"<row " + ATTRIBUTES + b"/>"), "200 attributes"),
    "elements": (lambda: sheet(b"<row/>" * 4_100_000), "impossible number"),
    "huge styles": (
        lambda: with_part("xl/styles.xml", [b"<styleSheet>", *[b"<xf/>" * MB] * 3, b"</styleSheet>"]),
        "elements",
    ),
    "huge workbook part": (
        lambda: with_part("xl/workbook.xml", [b"<workbook>", *[b" " * MB] * 40, b"</workbook>"]),
        "more than 30 MB",
    ),
    # cells
    "one long text": (
        lambda: sheet(b'<row><c t="str"><v>', b"x" * (2 * MB), b"</v></c></row>"),
        "1,000,000 characters",
    ),
    "much text": (lambda: strings(f"<si><t>😀{'x' * 900_000}</t></si>", 99), "150 MB of text"),
    "one text in many cells": (
        lambda: xlsx(row('<c t="s"><v>0</v></c>' * 1000), strings=f"<si><t>{'x' * 900_000}</t></si>"),
        "150 MB of text",
    ),
    "merged ranges": (lambda: merges(250_000), "more than 200,000 merged ranges"),
    "overlapping ranges": (lambda: merges(120_000), "overlap"),
    "merged wholes on many sheets": (
        lambda: xlsx(row("<c><v>1</v></c>"), tail='<mergeCells><mergeCell ref="A1:Z3000"/></mergeCells>', sheets=20),
        "no annotation sheet",
    ),
    "blank cells": (
        lambda: sheet(b'<row r="%d">%s</row>' % (n, b"<c/>" * 1000) for n in range(1, 3501)), "no annotation sheet"
    ),
    "repeated cells (.ods)": (
        lambda: ods(ods_row(ods_cell(f'{FOUR}" table:number-columns-repeated="16384"'),
                            'table:number-rows-repeated="1048576"')),
        "more than 1,000,000 filled cells",
    ),
    "repeated texts (.ods)": (
        lambda: ods(ods_row(ods_cell(f'{STRING} table:number-columns-repeated="9999"', "x" * 100_000))),
        "150 MB of text",
    ),
    "repeated spaces (.ods)": (
        lambda: ods(ods_row(ods_cell(STRING, "<text:s text:c='999999999'/>"))), "1,000,000 characters"
    ),
    "records (.xls)": (lambda: xls(record(0x99, b"") * 4_100_000), "elements"),
    "a chain in circles (.xls)": (lambda: circle(), "is incomplete"),
    # text
    "one long line (.csv)": (lambda: CSV_KEYS + b"," * (20 * MB), "line of more than 8,000,000 bytes"),
    "blank cells (.csv)": (lambda: CSV_KEYS + (b"," * 999 + b"\n") * 20_000, "elements"),
    "blank lines (.csv)": (lambda: CSV_KEYS + b"\n" * (20 * MB), "1,048,576 rows"),
    "an open quote (.csv)": (lambda: CSV_KEYS + b'"' + b"x\n" * (10 * MB), "1,000,000 characters"),
    "quotes (.csv)": (lambda: CSV_KEYS + b'"' * (7 * MB), "1,000,000 characters"),
    "columns (.csv)": (lambda: CSV_KEYS + b"," * 20_000, "16,384 columns"),
    # the dearest within the limits
    "a million numbers": (
        lambda: ods(ods_row(ods_cell(f'{FOUR}.5" table:number-columns-repeated="1000"'),
                            'table:number-rows-repeated="999"')),
        "no annotation sheet",
    ),
    "wide texts": (
        lambda: xlsx(row("".join(f'<c t="s"><v>{n}</v></c>' for n in range(1000))),
                     strings=f"<si><t>😀{'x' * 36_000}</t></si>" * 1000),
        "no annotation sheet",
    ),
    "wide texts (.csv)": (lambda: CSV_KEYS + f"é😀{'x' * 30_000},a,b\n".encode() * 3_000, "150 MB of text"),
    "many rows of ours": (
        lambda: keyed(f'<row><c r="E{n}" t="s"><v>12</v></c></row>' for n in range(2, 200_000)),
        "many times as many as were sent",
    ),
    "many rows of somebody's": (
        lambda: keyed(f'<row><c r="A{n}"><v>4</v></c></row>' for n in range(2, 200_000)),
        "says nowhere whose it is",
    ),
}  # fmt: skip


def circle() -> bytes:
    """A container whose chain of sectors runs in circles, with a size to match."""
    data = bytearray(ole({"Workbook": biff(b"")}))
    fat = struct.unpack_from("<I", data, 76)[0] * 512 + 512
    struct.pack_into("<I", data, fat, 0)
    start = struct.unpack_from("<I", data, 48)[0] * 512 + 512
    struct.pack_into("<I", data, start + 128 + 120, 0x7FFFFFFF)
    return bytes(data)
