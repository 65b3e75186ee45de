"""Small files made by hand: what no program writes, or what only some do."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from struct import pack

from toolkit.workbook.readers import Cell, Limits, RawBook, Source, read_book

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_OFFICE = "http://purl.oclc.org/ooxml/officeDocument/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
# general, a percentage, a date, a whole number, and one of the file's own
STYLES = f"""<styleSheet xmlns="{MAIN}">
<numFmts><numFmt numFmtId="164" formatCode="0&quot; of 5&quot;"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="14"/><xf numFmtId="1"/><xf numFmtId="164"/></cellXfs>
</styleSheet>"""

KEYS = (
    "study",
    "annotator",
    "part",
    "dimension",
    "item_code",
    "label",
    "text",
    "rubric",
    "score",
    "justification",
    "doubt",
)


def zipped(
    parts: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in parts.items() if isinstance(parts, Mapping) else parts:
            archive.writestr(name, content)
    return buffer.getvalue()


def xlsx_parts(
    body: str = "",
    *,
    tail: str = "",
    strings: str | None = None,
    styles: str | None = STYLES,
    sheets: int = 1,
    strict: bool = False,
    book: str = "",
) -> dict[str, str | bytes]:
    """The parts of a workbook whose sheets all show the same part, with `body` in its sheetData."""
    main, office = (STRICT, STRICT_OFFICE) if strict else (MAIN, OFFICE)
    listed = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId1"/>' for n in range(1, sheets + 1))
    relations = f'<Relationship Id="rId1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}">{book}<sheets>{listed}</sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData>{tail}</worksheet>',
    }  # fmt: skip
    if strings is not None:
        relations += f'<Relationship Id="rId2" Type="{office}/sharedStrings" Target="/xl/sharedStrings.xml"/>'
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{main}">{strings}</sst>'
    if styles is not None:
        relations += f'<Relationship Id="rId3" Type="{office}/styles" Target="styles.xml"/>'
        parts["xl/styles.xml"] = styles.replace(MAIN, main)
    parts["xl/_rels/workbook.xml.rels"] = f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>'
    return parts


def xlsx(body: str = "", **options: object) -> bytes:
    return zipped(xlsx_parts(body, **options))  # type: ignore[arg-type]


def row(cells: str, number: int = 1) -> str:
    return f'<row r="{number}">{cells}</row>'


def ods_parts(body: str, *, inside: str = "") -> dict[str, str | bytes]:
    """The parts of an .ods file: `body` is what its one table holds, `inside` stands before the table."""
    names = "".join(
        f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"'
        for prefix in ("office", "table", "text", "meta", "drawing")
    )
    names += ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    return {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "content.xml": f"<office:document-content{names}><office:body><office:spreadsheet>{inside}"
        f'<table:table table:name="A">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>",
        "meta.xml": f"<office:document-meta{names}><office:meta>"
        '<meta:user-defined meta:name="study">s1</meta:user-defined></office:meta></office:document-meta>',
    }


def ods(body: str, **options: str) -> bytes:
    return zipped(ods_parts(body, **options))


def ods_row(cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{cells}</table:table-row>"


def ods_cell(attributes: str = "", text: str | None = None, inside: str = "") -> str:
    paragraph = "" if text is None else f"<text:p>{text}</text:p>"
    return f"<table:table-cell {attributes}>{inside}{paragraph}</table:table-cell>"


def record(code: int, body: bytes = b"") -> bytes:
    return pack("<HH", code, len(body)) + body


def biff(
    records: bytes, *, globals_: bytes = b"", version: int = 0x0600, formats: Iterable[int] = (0, 9, 14, 1)
) -> bytes:
    """A stream of one sheet, called A, that holds the records."""
    head = record(0x0809, pack("<HH", version, 5) + bytes(12))
    middle = globals_ + b"".join(record(0x00E0, pack("<HH", 0, number) + bytes(16)) for number in formats)
    size = len(head) + len(middle) + 4 + 9 + 4
    sheet = record(0x0085, pack("<IBB", size, 0, 0) + b"\x01\x00A")
    begin, end = record(0x0809, pack("<HH", version, 0x10) + bytes(12)), record(0x000A)
    return head + middle + sheet + end + begin + records + end


def ole(streams: Mapping[str, bytes]) -> bytes:
    """A container with the streams, each made at least 4,096 bytes long so that none is a "mini" one."""
    sector = 512
    chains: list[int] = []  # the FAT: for every sector the next one
    data = b""

    def add(content: bytes) -> int:
        nonlocal data
        first, count = len(chains), max(1, -(-len(content) // sector))
        chains.extend([*range(first + 1, first + count), 0xFFFFFFFE])
        data += content.ljust(count * sector, b"\0")
        return first

    def entry(name: str, kind: int, start: int, size: int, left: int, right: int, child: int) -> bytes:
        encoded = (name + "\0").encode("utf-16-le")
        return (encoded.ljust(64, b"\0") + pack("<HBB3i", len(encoded), kind, 1, left, right, child) + bytes(36)
                + pack("<IIi", start, size, 0))  # fmt: skip

    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    entries = []
    for place, name in enumerate(names, 1):
        content = streams[name].ljust(4096, b"\0")
        # a tree that leans to the right is a tree
        entries.append(entry(name, 2, add(content), len(content), -1, place + 1 if place < len(names) else -1, -1))
    root = entry("Root Entry", 5, 0xFFFFFFFE, 0, -1, -1, 1 if names else -1)
    directory = b"".join([root, *entries])
    start = add(directory + entry("", 0, 0, 0, -1, -1, -1) * (-(len(entries) + 1) % 4))
    fats, difats = 1, 0  # sectors of the FAT, and of the list of those that the header has no room for
    while fats * 128 < len(chains) + fats + difats:
        fats += 1
        difats = -(-max(0, fats - 109) // 127)
    first_fat = len(chains)
    fat = [*chains, *([0xFFFFFFFD] * fats), *([0xFFFFFFFC] * difats)]
    fat += [0xFFFFFFFF] * (fats * 128 - len(fat))
    places = [*range(first_fat, first_fat + fats)]
    first_difat = first_fat + fats
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += pack("<IIIIII", 0, fats, start, 0, 4096, 0xFFFFFFFE)
    header += pack("<III", 0, first_difat if difats else 0xFFFFFFFE, difats)
    header += b"".join(pack("<I", place) for place in places[:109])
    lists = b""
    for number in range(difats):
        part = places[109 + 127 * number : 109 + 127 * (number + 1)]
        part += [0xFFFFFFFF] * (127 - len(part))
        lists += pack("<128I", *part, first_difat + number + 1 if number < difats - 1 else 0xFFFFFFFE)
    return header.ljust(512, b"\xff") + data + pack(f"<{len(fat)}I", *fat) + lists


def read(data: bytes, limits: Limits | None = None, name: str = "A1.xlsx") -> RawBook:
    return read_book(Source(name, content=data), limits or Limits())


def cells(data: bytes, sheet: int = 0) -> dict[str, Cell]:
    """The cells of a sheet by their addresses, after checking that address and place agree."""
    found = read(data).sheets[sheet].cells
    by_address = {cell.address: cell for cell in found.values()}
    assert len(by_address) == len(found)
    return by_address
