"""What people see of a cell and a sheet in each format: texts under number formats, strike-through, hidden sheets."""

from __future__ import annotations

import json
from struct import pack

import pytest

from tests.readers.build import (
    MAIN,
    biff,
    cells,
    ods_cell,
    ods_parts,
    ods_row,
    ole,
    read,
    record,
    row,
    xlsx,
    xlsx_parts,
    zipped,
)
from toolkit.cells.number_formats import UNKNOWN, builtin, number_format
from toolkit.workbook.readers.google_values import google_values
from toolkit.workbook.readers.raw import STRUCK, Cell

# --- what becomes of texts and numbers


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("@", None),
        ("0", None),
        ("0;0;0;@", None),
        ("_(@_)", None),
        ("dd/mm/yyyy;@", None),
        ("0%", None),
        (";;", None),
        (";;;", ""),
        ("0;0;0;", ""),
        ('"1"@', "14"),
        ('0;"-"@', "-4"),
        ('0;0;0;"5"', "5"),
        ('0%;"x"@"y"', "x4y"),
        ("[h]:mm;@;", UNKNOWN),
        ("@@", UNKNOWN),
        ("0;0;0;0", UNKNOWN),
        ("@;0;0;@", UNKNOWN),
        ('@"', UNKNOWN),
        ("0;0;0;0;@", UNKNOWN),
        ("@" + " " * 300, UNKNOWN),
    ],
)
def test_a_text_under_a_number_format(code: str, shown: str | None) -> None:
    assert number_format(code).shown_text("4") == shown


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("#", 4, None),
        ("#", 0, ""),
        ("#.##", 0, ""),
        ("#,##0", 0, None),
        ("0;0;?", 0, ""),
        ("[>3]0;#", 0, UNKNOWN),
        ("[>3]0;0", -2, UNKNOWN),
        ("# ?/?", 4, None),
        ("0/0", 4, UNKNOWN),
        ("# 0/8", 4, UNKNOWN),
        ("0,.0", 4, UNKNOWN),
        ("0[$-409]", 4, UNKNOWN),
        ("[$-409]0", 4, None),
        ("[$-F800]0", 4, UNKNOWN),
        ('"1"@', 4, UNKNOWN),
        ('0;"1"@', -2, None),
        ('"x;0', 4, UNKNOWN),
        ("Standard", 4, "date"),
        ("0" * 300, 4, UNKNOWN),
    ],
)
def test_a_number_under_a_format_that_shows_something_else(code: str, value: int, shown: str | None) -> None:
    found = number_format(code)
    assert (found.kind if found.kind != "plain" else found.shown(value)) == shown


@pytest.mark.parametrize(
    ("number", "value", "shown"),
    [
        (0, 4, None),
        (1, 4, None),
        (44, 4, "$4.00"),
        (44, -2, "$(2.00)"),
        (44, 0, "$-"),
        (41, -2, "(2)"),
        (62, 4, UNKNOWN),
        (200, 4, UNKNOWN),
        (164, 4, "4 x"),
    ],
)
def test_formats_known_by_their_number(number: int, value: int, shown: str | None) -> None:
    assert builtin(number, {164: '0" x"'}).shown(value) == shown


# --- .xlsx

STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="&quot;1&quot;@"/></numFmts>
<fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts>
<cellXfs><xf numFmtId="9"/><xf numFmtId="164"/><xf fontId="1"/><xf fontId="2"/><xf numFmtId="9" fontId="1"/></cellXfs>
</styleSheet>"""
RUN = "<r><rPr>{}</rPr><t>{}</t></r>"


@pytest.mark.parametrize(
    ("attributes", "content", "expected"),
    [
        ('s="1" t="str"', "<v>4</v>", Cell("A1", "4", shown="14")),
        ('s="01" t="inlineStr"', "<is><t>4</t></is>", Cell("A1", "4", shown="14")),
        ('s="2"', "<v>4</v>", Cell("A1", 4, STRUCK)),
        ('s="02"', "<v>4</v>", Cell("A1", 4, STRUCK)),
        ('s="3"', "<v>4</v>", Cell("A1", 4)),
        ('s="4"', "<v>4</v>", Cell("A1", 4, "a percentage", "400%")),
        ('s="2" t="b"', "<v>1</v>", Cell("A1", True, STRUCK)),
        ('s="2"', "<f>2+2</f><v>4</v>", Cell("A1", "=2+2", "a formula", "4")),
        ('s="2"', "", None),
        # a cell without a style has the first
        ("", "<v>4</v>", Cell("A1", 4, "a percentage", "400%")),
    ],
)
def test_the_style_of_a_cell(attributes: str, content: str, expected: Cell | None) -> None:
    found = cells(xlsx(row(f'<c r="A1" {attributes}>{content}</c>'), styles=STYLES))
    assert found.get("A1") == expected


@pytest.mark.parametrize(
    ("runs", "struck"),
    [
        (RUN.format("<strike/>", "3") + RUN.format("", " 4"), True),
        (RUN.format("<b/>", "4") + RUN.format('<strike val="true"/>', ",5"), True),
        (RUN.format("<b/>", "4") + RUN.format("<strike/>", " "), False),
        (RUN.format('<strike val="0"/>', "4"), False),
        (RUN.format("<strike/>", "") + "<r><t>4</t></r>", False),
        ("<t>4</t>" + "<rPh><r><rPr><strike/></rPr><t>5</t></r></rPh>", False),
    ],
)
def test_a_text_of_which_a_part_is_struck_out(runs: str, struck: bool) -> None:
    body = f'<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is>{runs}</is></c>'
    body += '<c r="D1" t="inlineStr"><is><t>4</t></is></c>'
    found = cells(xlsx(row(body), strings=f"<si>{runs}</si><si><t>4</t></si>"))
    troubles = {address: cell.trouble for address, cell in found.items()}
    assert troubles == {"A1": STRUCK if struck else None, "B1": None, "C1": STRUCK if struck else None, "D1": None}


def test_what_is_merged_is_so_though_it_is_struck_out() -> None:
    body = row('<c r="A1" s="2"><v>4</v></c><c r="B1" s="2"><v>5</v></c>')
    found = cells(xlsx(body, styles=STYLES, tail='<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'))
    assert found == {"A1": Cell("A1", 4, STRUCK), "B1": Cell("B1", 5, "merged with A1")}


# --- .ods

STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
_LINE = '<style:text-properties style:text-line-through-{}="{}"/>'
AUTOMATIC = "".join(
    f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">{inside}'
    "</style:style>"
    for name, family, parent, inside in (
        ("struck", "table-cell", "", _LINE.format("style", "solid")),
        ("child", "table-cell", "struck", '<style:table-cell-properties style:x="y"/>'),
        ("plain", "table-cell", "struck", _LINE.format("type", "none")),
        ("one", "table-cell", "two", ""),
        ("two", "table-cell", "one", ""),
        ("struck", "paragraph", "", ""),
        ("T1", "text", "", _LINE.format("type", "double")),
        ("T2", "text", "", _LINE.format("type", "none")),
        ("T3", "text", "named", ""),
        ("hidden", "table", "", '<style:table-properties table:display="false"/>'),
        ("seen", "table", "", '<style:table-properties table:display="true"/>'),
    )
)
NAMED = f'<style:style style:name="named" style:family="text">{_LINE.format("style", "wave")}</style:style>'
NAMED += f'<style:style style:name="T2" style:family="text">{_LINE.format("style", "wave")}</style:style>'


def ods(body: str, table: str = "") -> bytes:
    parts = ods_parts(body)
    styles = f"<office:automatic-styles>{AUTOMATIC}</office:automatic-styles><office:body>"
    content = str(parts["content.xml"]).replace("<office:body>", styles, 1)
    content = content.replace(" xmlns:", f' xmlns:style="{STYLE}" xmlns:', 1)
    content = content.replace('table:name="A"', f'table:name="A" {table}')
    spaces = content[content.index(" xmlns") : content.index(">")]
    parts["content.xml"] = content
    parts["styles.xml"] = (
        f"<office:document-styles{spaces}><office:styles>{NAMED}</office:styles></office:document-styles>"
    )
    return zipped(parts)


FOUR = 'office:value-type="float" office:value="4"'


def styled(name: str, text: str = "4", kind: str = FOUR) -> str:
    return ods_cell(f'table:style-name="{name}" {kind}', text)


@pytest.mark.parametrize(
    ("body", "struck"),
    [
        (ods_row(styled("struck")), True),
        (ods_row(styled("child")), True),
        (ods_row(styled("plain")), False),
        (ods_row(styled("one")), False),
        (ods_row(styled("unheard-of")), False),
        (ods_row(ods_cell(FOUR, "4"), 'table:default-cell-style-name="struck"'), True),
        (ods_row(styled("plain"), 'table:default-cell-style-name="struck"'), False),
        ('<table:table-column table:default-cell-style-name="struck"/>' + ods_row(ods_cell(FOUR, "4")), True),
        (
            '<table:table-columns><table:table-column table:number-columns-repeated="2"/>'
            '<table:table-column table:default-cell-style-name="struck"/></table:table-columns>'
            + ods_row(ods_cell(FOUR, "4")),
            False,
        ),
        (ods_row(ods_cell("", '<text:span text:style-name="T1">3</text:span> 4')), True),
        (ods_row(ods_cell("", '3<text:span text:style-name="T3"> 4</text:span>')), True),
        (ods_row(ods_cell("", '4<text:span text:style-name="T1"> </text:span>')), False),
        (ods_row(ods_cell("", '<text:span text:style-name="T2">4</text:span>')), False),
        (ods_row(ods_cell("", '<text:span text:style-name="T1"><text:span>4</text:span></text:span>')), True),
        (ods_row(ods_cell("", '<text:span text:style-name="T1"/>4')), False),
    ],
)
def test_styles_of_ods(body: str, struck: bool) -> None:
    found = cells(ods(body))
    assert found["A1"].trouble == (STRUCK if struck else None)


def test_a_column_of_ods_that_is_struck_out_is_that_column_alone() -> None:
    columns = '<table:table-column/><table:table-column table:default-cell-style-name="struck"/><table:table-column/>'
    found = cells(ods(columns + ods_row(ods_cell(FOUR, "4") * 3)))
    assert {address: cell.trouble for address, cell in found.items()} == {"A1": None, "B1": STRUCK, "C1": None}


@pytest.mark.parametrize(("style", "hidden"), [("hidden", True), ("seen", False), ("none", False)])
def test_hidden_sheets_of_ods(style: str, hidden: bool) -> None:
    assert read(ods(ods_row(ods_cell(FOUR, "4")), f'table:style-name="{style}"')).sheets[0].hidden is hidden


@pytest.mark.parametrize(
    ("stored", "text", "expected"),
    [
        ("", "4", Cell("A1", "4")),
        ("4", None, Cell("A1", "4")),
        ("4", " 4 ", Cell("A1", "4")),
        ("4", "14", Cell("A1", "4", shown="14")),
        ("4", "", Cell("A1", "4", shown="")),
        ("", "", None),
    ],
)
def test_a_text_of_ods_beside_the_one_in_view(stored: str, text: str | None, expected: Cell | None) -> None:
    kind = f'office:value-type="string" office:string-value="{stored}"'
    assert cells(ods(ods_row(ods_cell(kind, text)))).get("A1") == expected


# --- .xls

BOUNDSHEET_FLAGS = b"\x00\x00\x01\x00A"
# Fonts 0 to 3, and 5: there is no fourth
FONTS = b"".join(record(0x31, pack("<HH", 200, 8 * strikes) + bytes(10)) for strikes in (0, 1, 0, 0, 1))
TEXT_FORMAT = record(0x41E, pack("<H", 164) + pack("<HB", 4, 0) + b'"1"@')
XFS = b"".join(record(0xE0, pack("<HH", font, number) + bytes(16)) for font, number in (
    (0, 0), (1, 0), (3, 0), (5, 0), (0, 164), (1, 9)))  # fmt: skip
HEAD = FONTS + TEXT_FORMAT + XFS


def xls(records: bytes, globals_: bytes = HEAD) -> bytes:
    return ole({"Workbook": biff(records, globals_=globals_, formats=())})


def place(style: int) -> bytes:
    return pack("<3H", 0, 0, style)


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (record(0x203, place(0) + pack("<d", 4)), Cell("A1", 4)),
        (record(0x203, place(1) + pack("<d", 4)), Cell("A1", 4, STRUCK)),
        (record(0x203, place(2) + pack("<d", 4)), Cell("A1", 4)),
        (record(0x203, place(3) + pack("<d", 4)), Cell("A1", 4, STRUCK)),
        (record(0x203, place(5) + pack("<d", 4)), Cell("A1", 4, "a percentage", "400%")),
        (record(0x204, place(4) + b"\x01\x00\x004"), Cell("A1", "4", shown="14")),
        (record(0x204, place(1) + b"\x01\x00\x004"), Cell("A1", "4", STRUCK)),
        (record(0xBD, pack("<HHHIH", 0, 0, 1, (4 << 2) | 2, 0)), Cell("A1", 4, STRUCK)),
        (record(0xD6, place(0) + b"\x03\x00\x003 4" + pack("<HHH", 1, 0, 5)), Cell("A1", "3 4", STRUCK)),
        (record(0xD6, place(0) + b"\x03\x00\x003 4" + pack("<HHH", 1, 0, 2)), Cell("A1", "3 4")),
        (record(0x201, place(1)), None),
    ],
)
def test_styles_of_xls(records: bytes, expected: Cell | None) -> None:
    assert cells(xls(records)).get("A1") == expected


@pytest.mark.parametrize(
    ("text", "runs", "struck"),
    [
        ("3 4", ((0, 1), (1, 0)), True),
        ("3 4", ((1, 1), (2, 0)), False),
        ("3 4", ((2, 5),), True),
        ("3 4", ((2, 3),), False),
        ("\U0001f600 4", ((3, 1),), True),
        ("\U0001f600 4 ", ((4, 1),), False),
    ],
)
@pytest.mark.parametrize("cut", [False, True])
def test_parts_of_a_text_of_xls(text: str, runs: tuple[tuple[int, int], ...], struck: bool, cut: bool) -> None:
    raw, fonts = text.encode("utf-16-le"), b"".join(pack("<HH", *run) for run in runs)
    first = pack("<II", 2, 2) + pack("<HBH", len(raw) // 2, 9, len(runs)) + raw
    second = fonts + pack("<HB", 1, 0) + b"x"
    # the fonts run on in another record wherever the first was full
    table = record(0xFC, first + fonts[:2]) + record(0x3C, second[2:]) if cut else record(0xFC, first + second)
    cell = record(0xFD, place(0) + pack("<I", 0)) + record(0xFD, pack("<3HI", 0, 1, 0, 1))
    found = cells(xls(cell, HEAD + table))
    assert found == {"A1": Cell("A1", text, STRUCK if struck else None), "B1": Cell("B1", "x")}


@pytest.mark.parametrize(("state", "hidden"), [(0, False), (1, True), (2, True)])
def test_hidden_sheets_of_xls_and_xlsx(state: int, hidden: bool) -> None:
    stream = biff(record(0x203, place(0) + pack("<d", 4)), globals_=HEAD, formats=())
    assert stream.count(BOUNDSHEET_FLAGS) == 1
    data = ole({"Workbook": stream.replace(BOUNDSHEET_FLAGS, bytes((state,)) + BOUNDSHEET_FLAGS[1:])})
    assert read(data).sheets[0].hidden is hidden
    name = ("visible", "hidden", "veryHidden")[state]
    parts = xlsx_parts(row('<c r="A1"><v>4</v></c>'))
    parts["xl/workbook.xml"] = str(parts["xl/workbook.xml"]).replace("<sheet ", f'<sheet state="{name}" ')
    assert read(zipped(parts)).sheets[0].hidden is hidden


# --- Google Sheets


def test_raw_values_and_what_is_seen_of_them() -> None:
    values = [["4", 4, "x", 4], ["4"], [4]]
    seen = [["14", "4", "x"], ["4"]]
    found = cells(google_values(["A"], [values], "now", [values], [seen]))
    assert {address: cell.shown for address, cell in found.items()} == {
        "A1": "14",
        "B1": None,
        "C1": None,
        "D1": "",  # what is shown as nothing at the end of a row is not sent
        "A2": None,
        "A3": "",
    }
    assert json.loads(google_values(["A"], [values], "now"))["sheets"][0].keys() == {"title", "values"}
    assert all(cell.shown is None for cell in cells(google_values(["A"], [values], "now")).values())
