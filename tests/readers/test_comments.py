"""Comments on cells: that they are there, and where; what they say is for people."""

from struct import pack

from tests.readers.build import (
    MAIN,
    OFFICE,
    PACKAGE,
    biff,
    ods,
    ods_cell,
    ods_row,
    ole,
    read,
    record,
    row,
    xlsx_parts,
    zipped,
)

THREADS = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
THREAD_KIND = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"


def test_notes_and_threads_of_xlsx_are_counted_by_cell() -> None:
    relations = (
        f'<Relationship Id="a" Type="{OFFICE}/comments" Target="../comments1.xml"/>'
        f'<Relationship Id="b" Type="{THREAD_KIND}" Target="../threadedComments/one.xml"/>'
        f'<Relationship Id="c" Type="{OFFICE}/comments" Target="../absent.xml"/>'
    )
    notes = "".join(f'<comment ref="{place}" authorId="0"><text><t>3</t></text></comment>' for place in ("B12", "B2"))
    thread = "".join(
        f'<threadedComment ref="{place}"><text>4</text></threadedComment>' for place in ("B2", "B2", "AA1")
    )
    parts = xlsx_parts(row('<c r="A1"><v>4</v></c>')) | {
        "xl/worksheets/_rels/sheet1.xml.rels": f'<R xmlns="{PACKAGE}/relationships">{relations}</R>',
        "xl/comments1.xml": f'<comments xmlns="{MAIN}"><commentList>{notes}</commentList></comments>',
        "xl/threadedComments/one.xml": f'<ThreadedComments xmlns="{THREADS}">{thread}</ThreadedComments>',
    }
    [sheet] = read(zipped(parts)).sheets
    assert sheet.comments == ("AA1", "B2", "B12")
    assert {place: cell.value for place, cell in sheet.cells.items()} == {(1, 1): 4}


def test_annotations_of_ods_are_no_text_and_are_told_on_blank_cells_too() -> None:
    note = "<office:annotation><text:p>4, not 3</text:p></office:annotation>"
    score = ods_cell('office:value-type="float" office:value="3"', "3", inside=note)
    gap = ods_cell('table:number-columns-repeated="3"')
    [sheet] = read(ods(ods_row(gap + score) + ods_row(ods_cell(inside=note)))).sheets
    assert sheet.comments == ("D1", "A2")
    assert {place: cell.value for place, cell in sheet.cells.items()} == {(1, 4): 3}


def test_notes_of_xls() -> None:
    note = record(0x1C, pack("<4H", 11, 7, 0, 1) + b"\x02\x00\x00A1\x00")
    [sheet] = read(ole({"Workbook": biff(note)})).sheets
    assert sheet.comments == ("H12",) and not sheet.cells
