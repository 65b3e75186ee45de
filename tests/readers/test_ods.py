"""OpenDocument sheets: cells by their stated type, repeats, and everything that is not the cell's own text."""

import datetime

import pytest

from tests.readers.build import cells, ods, ods_cell, ods_parts, ods_row, read, zipped
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import Cell

FLOAT = 'office:value-type="float" office:value="4"'


def only(cell: str) -> Cell | None:
    return cells(ods(ods_row(cell))).get("A1")


@pytest.mark.parametrize(
    ("attributes", "text", "expected"),
    [
        (FLOAT, "4", Cell("A1", 4)),
        (FLOAT, None, Cell("A1", 4)),
        ('office:value-type="float" office:value="4.0"', "4,00", Cell("A1", 4)),
        ('office:value-type="float" office:value="4.6"', "5", Cell("A1", 4.6, None, "5")),
        ('office:value-type="float" office:value="4.5"', "4,5", Cell("A1", 4.5)),
        ('office:value-type="float"', "4", Cell("A1", "4", "a number no program can read")),
        ('office:value-type="float" office:value="NaN"', "4", Cell("A1", "NaN", "a number no program can read")),
        ('office:value-type="percentage" office:value="0.04"', "4%", Cell("A1", 0.04, "a percentage", "4%")),
        ('office:value-type="percentage" office:value="1"', "100%", Cell("A1", 1, "a percentage", "100%")),
        (
            'office:value-type="currency" office:value="4" office:currency="BRL"',
            "R$ 4,00",
            Cell("A1", 4, None, "R$ 4,00"),
        ),
        ('office:value-type="boolean" office:boolean-value="true"', "VERDADEIRO", Cell("A1", True)),
        ('office:value-type="boolean" office:boolean-value="false"', "FALSO", Cell("A1", False)),
        ('office:value-type="date" office:date-value="2024-05-04"', "4/5", Cell("A1", datetime.date(2024, 5, 4))),
        (
            'office:value-type="date" office:date-value="2024-05-04T10:30:00"',
            "",
            Cell("A1", datetime.datetime(2024, 5, 4, 10, 30)),
        ),
        ('office:value-type="date" office:date-value="4/5"', "4/5", Cell("A1", "4/5", "a date no program can read")),
        (
            'office:value-type="time" office:time-value="PT04H05M00S"',
            "4:05",
            Cell("A1", datetime.timedelta(hours=4, minutes=5)),
        ),
        ('office:value-type="string"', "4", Cell("A1", "4")),
        ('office:value-type="string" office:string-value="four"', "4", Cell("A1", "four", shown="4")),
        ('office:value-type="string"', "", None),
        ("", None, None),
        (
            'table:formula="of:=2+2" office:value-type="float" office:value="4"',
            "4",
            Cell("A1", "=2+2", "a formula", "4"),
        ),
        ('table:formula="of:=2+2"', None, Cell("A1", "=2+2", "a formula")),
        (
            'table:formula="of:=1/0" office:value-type="string" office:string-value="" calcext:value-type="error"',
            "#DIV/0!",
            Cell("A1", "=1/0", "a formula", "#DIV/0!"),
        ),
        (
            'office:value-type="string" office:string-value="" calcext:value-type="error"',
            "#N/A",
            Cell("A1", "#N/A", "an error value"),
        ),
    ],
)
def test_types(attributes, text, expected):
    assert only(ods_cell(attributes, text)) == expected


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<text:p>a</text:p><text:p>b</text:p><text:p/><text:p>c</text:p>", "a\nb\n\nc"),
        ("<text:p>a<text:s/>b<text:s text:c='3'/>c</text:p>", "a b   c"),
        ("<text:p>a<text:tab/>b<text:line-break/>c</text:p>", "a\tb\nc"),
        ("<text:p>a <text:span>b</text:span> <text:a>c</text:a></text:p>", "a b c"),
        ("<text:p>\n   a\n   b </text:p>", "a b "),
        ("<text:p>a <text:s/>b</text:p>", "a  b"),
        # what LibreOffice writes for the lines of a cell, and reads as it stands
        ("<text:p>  two</text:p><text:p>   three  spaces </text:p>", "  two\n   three  spaces "),
        ("<text:p>漢<text:ruby><text:ruby-text>かん</text:ruby-text></text:ruby></text:p>", "漢"),
        ("<text:p>&lt;b&gt; &amp;amp;</text:p>", "<b> &amp;"),
        ("<office:annotation><text:p>a note</text:p></office:annotation><text:p>a</text:p>", "a"),
        ("<text:p>a<office:annotation><text:p>note</text:p></office:annotation>b</text:p>", "ab"),
        ("<drawing:frame><text:p>a picture's text</text:p></drawing:frame><text:p>a</text:p>", "a"),
        (f"<table:table>{ods_row(ods_cell(text='inner'))}</table:table><text:p>a</text:p>", "a"),
    ],
)  # fmt: skip
def test_texts(xml, text):
    assert only(ods_cell('office:value-type="string"', inside=xml)) == Cell("A1", text)


def test_equal_neighbours_are_stored_once_and_read_as_often_as_they_stand():
    """in-07: neither repeated nor without its words is a value blank."""
    body = ods_row(
        ods_cell('office:value-type="string"', "i1")
        + ods_cell(FLOAT + ' table:number-columns-repeated="3"')
        + ods_cell('table:number-columns-repeated="2"')
        + ods_cell(FLOAT),
        'table:number-rows-repeated="2"',
    )
    found = {address: cell.value for address, cell in cells(ods(body)).items()}
    row = {"A": "i1", "B": 4, "C": 4, "D": 4, "G": 4}
    assert found == {f"{column}{number}": value for number in (1, 2) for column, value in row.items()}


def test_repeated_blanks_up_to_the_last_row_cost_nothing():
    """in-07: blanks to the end of the sheet are no rows."""
    blank = ods_row(ods_cell('table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048570"')
    assert set(cells(ods(ods_row(ods_cell(FLOAT)) + blank))) == {"A1"}


def test_a_value_repeated_without_end_is_refused():
    for body in (
        ods_row(ods_cell(FLOAT + ' table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048576"'),
        ods_row(ods_cell(FLOAT + ' table:number-columns-repeated="99999"')),
        ods_row("", 'table:number-rows-repeated="1048576"') + ods_row(ods_cell(FLOAT)),
        ods_row(ods_cell(FLOAT), 'table:number-rows-repeated="-1"'),
        ods_row(ods_cell(FLOAT), 'table:number-rows-repeated="many"'),
        ods_row(ods_cell(FLOAT), f'table:number-rows-repeated="{"9" * 5000}"'),
        ods_row(ods_cell('office:value-type="string"', inside="<text:p><text:s text:c='99999999999'/></text:p>")),
    ):
        with pytest.raises(ToolkitError):
            read(ods(body))


def test_row_groups_headers_hidden_and_filtered_rows_are_read():
    collapsed, filtered = (f'table:visibility="{how}"' for how in ("collapse", "filter"))
    body = (
        "<table:table-column/><table:shapes><text:p>no cell</text:p></table:shapes>"
        f"<table:table-header-rows>{ods_row(ods_cell(FLOAT))}</table:table-header-rows>"
        f"<table:table-row-group><table:table-row-group>{ods_row(ods_cell(FLOAT), collapsed)}"
        f"</table:table-row-group></table:table-row-group>{ods_row(ods_cell(FLOAT), filtered)}"
    )
    assert set(cells(ods(body))) == {"A1", "A2", "A3"}


def test_merged_cells_and_results_of_matrix_formulas():
    covered = f"<table:covered-table-cell {FLOAT}/>"
    body = ods_row(ods_cell(FLOAT + ' table:number-columns-spanned="2" table:number-rows-spanned="2"') + covered)
    body += ods_row("<table:covered-table-cell table:number-columns-repeated='2'/>")
    matrix = 'table:formula="of:=A1:A2" table:number-matrix-columns-spanned="1" table:number-matrix-rows-spanned="2"'
    body += ods_row(ods_cell(f"{matrix} {FLOAT}")) + ods_row(ods_cell(FLOAT))
    assert cells(ods(body)) == {
        "A1": Cell("A1", 4),
        "B1": Cell("B1", 4, "merged with A1"),
        "A2": Cell("A2", None, "merged with A1"),
        "B2": Cell("B2", None, "merged with A1"),
        "A3": Cell("A3", "=A1:A2", "a formula"),
        "A4": Cell("A4", 4, "a formula"),
    }


def test_changes_and_other_files_sheets_are_no_sheets():
    cell = f"<table:table-cell {FLOAT}/>"
    inside = (
        "<table:tracked-changes><table:cell-content-change><table:previous>"
        f"{cell}</table:previous></table:cell-content-change></table:tracked-changes>"
        f"<table:table table:name=\"'file:///elsewhere/other.ods'#$A\">{ods_row(cell)}</table:table>"
    )
    book = read(ods(ods_row(cell), inside=inside))
    assert [(sheet.title, len(sheet.cells)) for sheet in book.sheets] == [("A", 1)]
    assert (book.format, book.properties) == ("ods", {"study": "s1"})


def test_protected_and_broken_files():
    parts = ods_parts("")
    parts["META-INF/manifest.xml"] = (
        "<m:manifest xmlns:m='m'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
    )
    parts["content.xml"] = b"\x93\x01garbage"
    with pytest.raises(ToolkitError, match="password"):
        read(zipped(parts))
    del parts["META-INF/manifest.xml"]
    with pytest.raises(ToolkitError, match="damaged"):
        read(zipped(parts))
    del parts["content.xml"]
    with pytest.raises(ToolkitError, match=r"content\.xml is missing"):
        read(zipped(parts))


@pytest.mark.parametrize("attributes", ['office:value-type="fraction" office:value="4"', 'office:value-type="boolean"'])
def test_unknown_types_are_refused(attributes):
    with pytest.raises(ToolkitError, match="damaged"):
        read(ods(ods_row(ods_cell(attributes, "4"))))
