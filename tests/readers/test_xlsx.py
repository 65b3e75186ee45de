"""Workbooks of Excel and of everything that writes the same format: one small file per way of going wrong."""

import datetime
import io

import openpyxl
import pytest
import xlsxwriter

from tests.readers.build import MAIN, STYLES, cells, read, row, xlsx, xlsx_parts, zipped
from toolkit.cells.number_formats import UNKNOWN
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import Cell


def refused(data: bytes) -> str:
    with pytest.raises(ToolkitError) as caught:
        read(data)
    (problem,) = caught.value.problems
    assert problem.file == "A1.xlsx"
    assert problem.fix
    return str(problem)


def only(cell: str, **options: object) -> Cell | None:
    """What becomes of one cell, H5."""
    found = cells(xlsx(row(cell, 5), **options))
    assert set(found) <= {"H5"}
    return found.get("H5")


# --- what a value is


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        ("<v>4</v>", 4),
        ("<v>4.0</v>", 4),
        ("<v>4E0</v>", 4),
        ("<v> 4 </v>", 4),
        ("<v>2.9999999999999996</v>", 2.9999999999999996),
        ("<v>-1.5e-3</v>", -0.0015),
        ("<v>12345678901234567890</v>", 12345678901234567890.0),
    ],
)
def test_numbers_are_int_where_they_are_whole(xml, value):
    cell = only(f'<c r="H5">{xml}</c>')
    assert cell == Cell("H5", value)
    assert type(cell.value) is type(value)


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-Infinity", "1_0", "0x4", "1e999", "4,0", "４", "four", "4 5", "9" * 500]
)
def test_numbers_no_program_can_read_are_troubled(text):
    cell = only(f'<c r="H5"><v>{text}</v></c>')
    assert cell.trouble == "a number no program can read"


def test_true_and_false_are_not_1_and_0():
    found = cells(xlsx(row('<c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c><c r="C1"><v>1</v></c>')))
    assert found["A1"].value is True
    assert found["B1"].value is False
    assert found["C1"].value == 1
    assert not isinstance(found["C1"].value, bool)


def test_percentages_are_troubled_and_show_what_the_annotator_saw():
    assert only('<c r="H5" s="1"><v>0.04</v></c>') == Cell("H5", 0.04, "a percentage", "4%")
    assert only('<c r="H5" s="1"><v>1</v></c>').trouble == "a percentage"


def test_dates_stay_dates():
    # what Excel makes of 4/5
    assert only('<c r="H5" s="2"><v>45417</v></c>') == Cell("H5", datetime.datetime(2024, 5, 5))
    epoch = '<workbookPr date1904="1"/>'
    assert only('<c r="H5" s="2"><v>43955</v></c>', book=epoch).value == datetime.datetime(2024, 5, 5)
    assert only('<c r="H5" s="2"><v>99999999</v></c>').trouble == "a date no program can read"
    assert only('<c r="H5" s="2"><v>-5</v></c>').value == datetime.datetime(1899, 12, 25)


@pytest.mark.parametrize(
    "code", ["d-mmm", "yyyy\\-mm\\-dd", "[$-416]dd/mm/yyyy;@", "mmm-yy", "[h]:mm", "m/d/yy h:mm", "[$-F800]dddd"]
)
def test_every_date_format_makes_a_date(code):
    styles = STYLES.replace("0&quot; of 5&quot;", code)
    cell = only('<c r="H5" s="4"><v>45417.5</v></c>', styles=styles)
    assert isinstance(cell.value, datetime.datetime | datetime.timedelta)


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("0", "4.6", "5"),
        ("0", "2.5", "3"),
        ("0", "4", None),
        ("0.00", "4", None),
        ("0.0", "4.04", "4.0"),
        ("#,##0", "4.4", "4"),
        ("0&quot; of 5&quot;", "4", "4 of 5"),
        ("&quot;boa&quot;", "2", "boa"),
        (";;;", "4", ""),
        ("[Red]0", "3.7", "4"),
        ("# ?/?", "4.5", None),
        ("[&gt;3]&quot;high&quot;;&quot;low&quot;", "4", UNKNOWN),
        ("[=4]&quot;5&quot;", "4", UNKNOWN),
        ("[=4]5", "4", UNKNOWN),
        ("[&gt;3][Green]0;[Red]0", "4", None),
        ("5", "4", "5"),
        ("0,", "4", UNKNOWN),
        ("00000\\-0000", "4", UNKNOWN),
        ("0&quot; &quot;0", "4", UNKNOWN),
        ("&quot;1&quot;General", "4", "14"),
        ("&quot;1&quot;#", "4", "14"),
        ("&quot;3-&quot;0", "4", "3-4"),
        ("0&quot; - 5&quot;", "4", "4 - 5"),
        ("-0", "4", "-4"),
        ("#", "4", None),
        ("0.##", "4", None),
        ("0.00E+00", "4", None),
        ("[$R$-416] #,##0.00", "4", "R$ 4.00"),
        ("_-* #,##0.00_-", "4", None),
        ("[Red]General", "4", None),
        ("0_);(0)", "4", None),
        ("0;[Red]0", "-2", "2"),
        ("0;-0;0;@", "-2", "-2"),
        ("0;0;&quot;5&quot;", "0", "5"),
        ("General", "4.123456789123", None),
    ],
)
def test_what_a_number_format_displays(code, number, shown):
    cell = only(f'<c r="H5" s="4"><v>{number}</v></c>', styles=STYLES.replace("0&quot; of 5&quot;", code))
    assert (cell.value, cell.trouble, cell.shown) == (pytest.approx(float(number)), None, shown)


def test_error_values():
    assert only('<c r="H5" t="e"><v>#N/A</v></c>') == Cell("H5", "#N/A", "an error value")


def test_texts_of_every_kind():
    strings = (
        "<si><t>plain</t></si>"
        "<si><r><t>ri</t></r><r><rPr><b/></rPr><t xml:space='preserve'>ch </t></r></si>"
        "<si><t>漢字</t><rPh sb='0' eb='2'><t>かんじ</t></rPh><phoneticPr fontId='1'/></si>"
        "<si><t/></si>"
    )
    body = "".join(f'<c r="{column}1" t="s"><v>{n}</v></c>' for n, column in enumerate("ABCD"))
    body += '<c r="E1" t="inlineStr"><is><t>in</t></is></c>'
    body += '<c r="F1" t="inlineStr"><is><r><t>l</t></r><r><t>ine</t></r></is></c>'
    body += '<c r="G1" t="str"><v>result</v></c><c r="H1" t="s" quotePrefix="1"><v>0</v></c>'
    found = {address: cell.value for address, cell in cells(xlsx(row(body), strings=strings)).items()}
    assert found == {
        "A1": "plain",
        "B1": "rich ",
        "C1": "漢字",
        "E1": "in",
        "F1": "line",
        "G1": "result",
        "H1": "plain",
    }


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("linha 1_x000D_\nlinha 2", "linha 1\r\nlinha 2"),
        ("var _x0041_ap = 1", "var Aap = 1"),
        ("var _x005F_x0041_ap = 1", "var _x0041_ap = 1"),
        ("_x005F_x005F_", "_x005F_"),
        ("_xD83D__xDE00_ and _xD83D_", "😀 and \ufffd"),
        ("_x41_ _x004G_ x0041_", "_x41_ _x004G_ x0041_"),
    ],
)
def test_escapes_become_what_excel_shows(stored, shown):
    for cell in (
        only('<c r="H5" t="s"><v>0</v></c>', strings=f"<si><t>{stored}</t></si>"),
        only(f'<c r="H5" t="inlineStr"><is><t>{stored}</t></is></c>'),
        only(f'<c r="H5" t="str"><v>{stored}</v></c>'),
    ):
        assert cell.value == shown
        assert cell.stored == (None if stored == shown else stored)


def test_xlsxwriters_own_escapes_come_back():
    texts = ["_x0041_", "a_x000D_b", "\x01", "_x005F_", "a\nb\tc", " x ", "=1+1", "'quoted"]
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    sheet = book.add_worksheet()
    for place, text in enumerate(texts):
        sheet.write_string(place, 0, text)
    book.close()
    assert [cell.value for cell in cells(buffer.getvalue()).values()] == texts


# --- formulas


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        ("<f>2+2</f><v>4</v>", "=2+2"),
        ("<f>2+2</f>", "=2+2"),
        ("<f>2+2</f><v></v>", "=2+2"),
        ("<f/><v>4</v>", "4"),
        ('<f t="shared" si="0"/><v>4</v>', "4"),
        ('<f t="shared" si="0" ref="H5:H9">A1</f><v>4</v>', "=A1"),
        ('<f t="dataTable" ref="H5:H6" r1="A1"/><v>4</v>', "4"),
        ('<f t="nonsense">A1</f><v>4</v>', "=A1"),
    ],
)
def test_formulas_are_never_their_results(xml, value):
    for kind in ("n", "str", "b", "e"):
        cell = only(f'<c r="H5" t="{kind}">{xml}</c>')
        assert (cell.trouble, cell.value) == ("a formula", value)


def test_results_of_an_array_formula_are_formulas_where_only_the_first_cell_says_so():
    body = row('<c r="A1"><f t="array" ref="A1:B2">C1:D2</f><v>4</v></c><c r="B1"><v>5</v></c><c r="C1"><v>3</v></c>')
    body += row('<c r="A2"><v>4</v></c>', 2)
    found = cells(xlsx(body))
    assert {address: cell.trouble for address, cell in found.items()} == {
        "A1": "a formula",
        "B1": "a formula",
        "A2": "a formula",
        "C1": None,
    }


def test_a_formula_in_an_extension_is_no_formula_of_a_cell():
    tail = (
        f'<extLst><ext xmlns:x="urn:x"><x:f>A1</x:f><sheetData xmlns="{MAIN}"><row r="1"><c r="A1"><v>1</v></c></row>'
        "</sheetData></ext></extLst>"
    )
    assert cells(xlsx(row('<c r="A1"><v>4</v></c>'), tail=tail)) == {"A1": Cell("A1", 4)}


# --- where a cell is


def test_cells_and_rows_without_addresses_follow_one_another():
    body = "<row><c><v>1</v></c><c><v>2</v></c></row>"
    body += "<row r='5'><c r='C5'><v>3</v></c><c><v>4</v></c></row><row><c><v>5</v></c></row>"
    found = {address: cell.value for address, cell in cells(xlsx(body)).items()}
    assert found == {"A1": 1, "B1": 2, "C5": 3, "D5": 4, "A6": 5}


def test_rows_and_cells_out_of_order_are_read():
    body = row('<c r="B9"><v>9</v></c><c r="A9"><v>8</v></c>', 9) + row('<c r="A2"><v>2</v></c>', 2)
    book = read(xlsx(body))
    assert [number for number, _cells in book.sheets[0].rows()] == [2, 9]


@pytest.mark.parametrize(
    ("first", "second", "fine"),
    [
        ("<v>4</v>", "<v>5</v>", False),
        ("<v>4</v>", "", False),
        ("", "<v>4</v>", False),
        ("<v>4</v>", "<v>4</v>", True),
        ("", "", True),
    ],
)
def test_a_cell_that_is_there_twice(first, second, fine):
    for body in (
        row(f'<c r="H5">{first}</c><c r="H5">{second}</c>', 5),
        row(f'<c r="H5">{first}</c>', 5) + row('<c r="A6"><v>1</v></c>', 6) + row(f'<c r="H5">{second}</c>', 5),
    ):
        if fine:
            read(xlsx(body))
        else:
            message = refused(xlsx(body))
            assert "A1.xlsx > S1 > H5" in message
            assert "twice" in message


@pytest.mark.parametrize(
    "body",
    [
        row('<c r="H6"><v>4</v></c>', 5),
        row('<c r="XFE5"><v>4</v></c>', 5),
        row('<c r="H0"><v>4</v></c>', 0),
        row('<c r="4"><v>4</v></c>', 5),
        '<row r="-1"/>',
        '<row r="1048577"/>',
        '<row r="x"/>',
        row('<c r="H5" s="99"><v>4</v></c>', 5),
        row('<c r="H5" s="x"><v>4</v></c>', 5),
        row('<c r="H5" t="s"><v>0</v></c>', 5),
        row('<c r="H5" t="s"><v>-1</v></c>', 5),
        row('<c r="H5" t="b"><v>2</v></c>', 5),
        row('<c r="H5" t="wrong"><v>4</v></c>', 5),
        row('<c r="H5"><v>4</v><v>5</v></c>', 5),
        row('<c r="H5"><is><t>4</t></is></c>', 5),
        row('<c r="H5"><x><v>4</v></x></c>', 5),
        row('<c r="H5"><c r="H6"><v>4</v></c></c>', 5),
        row('<x><c r="H5"><v>4</v></c></x>', 5),
        f"<x>{row('', 5)}</x>",
        row('<c r="H5" t="inlineStr"><v>4</v></c>', 5),
        row('<c r="H5" t="inlineStr"><is><t>4</t></is><is><t>5</t></is></c>', 5),
    ],
)
def test_cells_that_make_no_sense_are_refused(body):
    assert "damaged" in refused(xlsx(body))


@pytest.mark.parametrize("part", ["<a/>", f'<chartsheet xmlns="{MAIN}"/>', '<worksheet xmlns="urn:other"/>'])
def test_a_sheet_that_is_none(part):
    assert "something else" in refused(zipped(xlsx_parts() | {"xl/worksheets/sheet1.xml": part}))


def test_addresses_in_every_spelling():
    body = row('<c r="h5"><v>4</v></c><c r="$I$5"><v>5</v></c>', 5).replace('r="5"', 'r="05"')
    assert {address: cell.value for address, cell in cells(xlsx(body)).items()} == {"H5": 4, "I5": 5}


# --- merged, hidden, elsewhere


def test_merged_cells():
    tail = '<mergeCells count="2"><mergeCell ref="H12:H13"/><mergeCell ref="A1"/></mergeCells>'
    body = row('<c r="H12"><v>4</v></c>', 12) + row('<c r="H13"/><c r="I13"><v>1</v></c>', 13)
    found = cells(xlsx(body, tail=tail))
    assert found["H12"] == Cell("H12", 4)
    assert found["H13"] == Cell("H13", None, "merged with H12")
    assert found["H13"].merged
    assert not found["H13"].blank
    # a value that was there before the merge, as LibreOffice keeps it
    body = row('<c r="H12"><v>4</v></c>', 12) + row('<c r="H13"><v>5</v></c>', 13)
    assert cells(xlsx(body, tail=tail))["H13"] == Cell("H13", 5, "merged with H12")


def test_a_merge_of_the_whole_sheet_costs_nothing():
    tail = '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    found = cells(xlsx(row('<c r="A1"><v>4</v></c><c r="C1"><v>5</v></c>'), tail=tail))
    assert found == {"A1": Cell("A1", 4), "C1": Cell("C1", 5, "merged with A1")}


def test_hidden_and_filtered_rows_columns_and_sheets_are_read():
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    for title in ("Instruções", "Avaliação"):
        sheet = book.add_worksheet(title)
        sheet.write(4, 7, 4)
        sheet.set_row(4, None, None, {"hidden": True})
        sheet.set_column(7, 7, None, None, {"hidden": True})
    sheet.very_hidden()
    book.close()
    read_back = read(buffer.getvalue())
    assert [(sheet.title, sheet.cells[5, 8].value) for sheet in read_back.sheets] == [
        ("Instruções", 4),
        ("Avaliação", 4),
    ]


def test_properties_and_format():
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    book.add_worksheet()
    book.set_custom_property("study", "s_x0041_1")
    book.set_custom_property("number", 7)
    book.close()
    found = read(buffer.getvalue())
    assert (found.format, found.properties) == ("xlsx", {"study": "s_x0041_1", "number": "7"})
    assert found.source.data == buffer.getvalue()


def test_chart_sheets_are_passed_over_and_comments_are_no_cells():
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    sheet = book.add_worksheet("data")
    sheet.write(0, 0, 4)
    sheet.write_comment(0, 1, "a note")
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "=data!$A$1:$A$2"})
    book.add_chartsheet("chart").set_chart(chart)
    book.close()
    found = read(buffer.getvalue())
    assert [sheet.title for sheet in found.sheets] == ["data"]
    assert list(found.sheets[0].cells) == [(1, 1)]


# --- other programs


def test_strict_open_xml_is_read():
    body = row('<c r="A1"><v>4</v></c><c r="B1" t="d"><v>2024-05-04</v></c><c r="C1" t="s"><v>0</v></c>')
    body += row('<c r="A2" t="d"><v>2024-05-04T10:30:00</v></c><c r="B2" t="d"><v>4/5</v></c>', 2)
    found = cells(xlsx(body, strings="<si><t>text</t></si>", strict=True))
    assert found["A1"].value == 4
    assert found["B1"].value == datetime.date(2024, 5, 4)
    assert found["A2"].value == datetime.datetime(2024, 5, 4, 10, 30)
    assert found["B2"].trouble == "a date no program can read"
    assert found["C1"].value == "text"


def test_prefixed_names_and_other_encodings_are_the_same_xml():
    parts = xlsx_parts()
    cell = '<x:row r="1"><x:c r="A1"><x:v>4</x:v></x:c></x:row>'
    sheet = f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{cell}</x:sheetData></x:worksheet>'
    sheet = f'<?xml version="1.0" encoding="UTF-16"?>{sheet}'
    parts["xl/worksheets/sheet1.xml"] = sheet.encode("utf-16")
    assert cells(zipped(parts))["A1"].value == 4


def test_a_file_that_excel_opens_and_openpyxl_does_not():
    styles = STYLES.replace("<cellXfs>", "<fills><fill/></fills><cellXfs>")
    data = xlsx(row('<c r="A1"><v>4</v></c>'), styles=styles)
    with pytest.raises(TypeError):
        openpyxl.load_workbook(io.BytesIO(data))
    assert cells(data)["A1"].value == 4


def test_parts_under_other_names_and_in_other_cases():
    parts = xlsx_parts(row('<c r="A1"><v>4</v></c>'))
    moved = {name.replace("xl/w", "XL/W"): content for name, content in parts.items()}
    assert cells(zipped(moved))["A1"].value == 4
    renamed = dict(parts)
    renamed["_rels/.rels"] = str(parts["_rels/.rels"]).replace("xl/workbook.xml", "/other/book%202.xml")
    renamed["other/book 2.xml"] = renamed.pop("xl/workbook.xml")
    renamed["other/_rels/book 2.xml.rels"] = renamed.pop("xl/_rels/workbook.xml.rels")
    renamed["other/worksheets/sheet1.xml"] = renamed.pop("xl/worksheets/sheet1.xml")
    renamed["other/styles.xml"] = renamed.pop("xl/styles.xml")
    assert cells(zipped(renamed))["A1"].value == 4


def test_macros_and_links_to_other_files_are_ignored():
    parts = xlsx_parts(row('<c r="A1"><v>4</v></c>'))
    parts["xl/vbaProject.bin"] = b"\xd0\xcf\x11\xe0"
    parts["xl/_rels/workbook.xml.rels"] = str(parts["xl/_rels/workbook.xml.rels"]).replace(
        "</Relationships>",
        '<Relationship Id="rId9" Type="x/externalLink" TargetMode="External" Target="file:///etc/passwd"/></Relationships>',
    )
    assert cells(zipped(parts))["A1"].value == 4


def test_our_own_workbook_as_openpyxl_reads_it(filled):
    """Every value is the same, but for the escapes, which openpyxl leaves as the file has them."""
    ours = read(filled)
    theirs = openpyxl.load_workbook(io.BytesIO(filled))
    for sheet, other in zip(ours.sheets, theirs.worksheets, strict=True):
        assert sheet.title == other.title
        values = {(c.row, c.column): c.value for cells in other.iter_rows() for c in cells if c.value is not None}
        found = {place: cell.stored or cell.value for place, cell in sheet.cells.items() if cell.value is not None}
        assert found == values
