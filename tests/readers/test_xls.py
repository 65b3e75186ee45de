"""The old format: types, and formulas told from values. The files are made record by record."""

import datetime
from struct import pack

import pytest

from tests.readers.build import biff, cells, ole, read, record
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import Cell

BLANK, NUMBER, RK, LABELSST, LABEL, BOOLERR, FORMULA, STRING = 0x201, 0x203, 0x27E, 0xFD, 0x204, 0x205, 0x06, 0x207
SST, CONTINUE, FORMAT, MERGED, MULRK, MULBLANK, BOF, EOF = 0xFC, 0x3C, 0x41E, 0xE5, 0xBD, 0xBE, 0x809, 0x0A


def place(row: int = 4, column: int = 7, style: int = 0) -> bytes:
    return pack("<3H", row, column, style)


TEXT_RESULT = record(FORMULA, place() + bytes(6) + b"\xff\xff" + bytes(8))


def book(records: bytes, **options: object) -> bytes:
    return ole({"Workbook": biff(records, **options)})  # type: ignore[arg-type]


def only(records: bytes, **options: object) -> Cell | None:
    found = cells(book(records, **options))
    assert set(found) <= {"H5"}
    return found.get("H5")


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (record(NUMBER, place() + pack("<d", 4)), Cell("H5", 4)),
        (record(NUMBER, place() + pack("<d", 4.6)), Cell("H5", 4.6)),
        (record(NUMBER, place(style=3) + pack("<d", 4.6)), Cell("H5", 4.6, None, "5")),
        (record(NUMBER, place(style=1) + pack("<d", 0.04)), Cell("H5", 0.04, "a percentage", "4%")),
        (record(NUMBER, place(style=2) + pack("<d", 45417)), Cell("H5", datetime.datetime(2024, 5, 5))),
        (record(NUMBER, place() + pack("<d", float("nan"))), Cell("H5", "nan", "a number no program can read")),
        (record(RK, place() + pack("<I", (4 << 2) | 2)), Cell("H5", 4)),
        (record(RK, place() + pack("<i", (-4 << 2) | 2)), Cell("H5", -4)),
        (record(RK, place() + pack("<I", (450 << 2) | 3)), Cell("H5", 4.5)),
        (record(RK, place() + pack("<I", 0x40100000)), Cell("H5", 4)),
        (record(BOOLERR, place() + b"\x01\x00"), Cell("H5", True)),
        (record(BOOLERR, place() + b"\x00\x00"), Cell("H5", False)),
        (record(BOOLERR, place() + b"\x2a\x01"), Cell("H5", "#N/A", "an error value")),
        (record(LABEL, place() + b"\x01\x00\x00\xe9"), Cell("H5", "é")),
        (record(LABEL, place() + b"\x02\x00\x01" + "😀".encode("utf-16-le")), Cell("H5", "😀")),
        (record(BLANK, place()), None),
        (record(FORMULA, place() + pack("<d", 4) + bytes(8)), Cell("H5", "4", "a formula")),
        (TEXT_RESULT + record(STRING, b"\x01\x00\x00x"), Cell("H5", "x", "a formula")),
        (TEXT_RESULT, Cell("H5", None, "a formula")),
        (record(FORMULA, place() + b"\x03" + b"\x00" * 5 + b"\xff\xff" + bytes(8)), Cell("H5", None, "a formula")),
    ],
)  # fmt: skip
def test_types(records, expected):
    assert only(records) == expected


def test_runs_of_cells_in_one_record():
    run = record(MULRK, pack("<HH", 4, 1) + b"".join(pack("<HI", 0, (n << 2) | 2) for n in (1, 2, 3)) + pack("<H", 3))
    run += record(MULBLANK, pack("<HH", 5, 1) + pack("<HH", 0, 0) + pack("<H", 2))
    assert {address: cell.value for address, cell in cells(book(run)).items()} == {"B5": 1, "C5": 2, "D5": 3}


def test_merged_cells_embedded_charts_and_two_truths():
    chart = (
        record(BOF, pack("<HH", 0x600, 0x20) + bytes(12)) + record(NUMBER, place(9, 9) + pack("<d", 9)) + record(EOF)
    )
    cell = record(NUMBER, place() + pack("<d", 4))
    merge = record(MERGED, pack("<H4H", 1, 4, 5, 7, 7))
    assert cells(book(chart + cell + merge)) == {"H5": Cell("H5", 4), "H6": Cell("H6", None, "merged with H5")}
    assert only(cell + cell) == Cell("H5", 4)
    with pytest.raises(ToolkitError, match=r"A > H5.*twice"):
        read(book(cell + record(NUMBER, place() + pack("<d", 5))))


def table(*records: bytes, count: int) -> bytes:
    first, *others = records
    return record(SST, pack("<II", count, count) + first) + b"".join(record(CONTINUE, other) for other in others)


def label(number: int) -> bytes:
    return record(LABELSST, place() + pack("<I", number))


def test_texts_of_the_table_may_be_cut_anywhere():
    wide = "日本😀".encode("utf-16-le")
    assert only(label(1), globals_=table(b"\x01\x00\x00a" + b"\x02\x00\x00bc", count=2)).value == "bc"
    # the text goes on in the next record, once more with its width: first one byte a character, then two
    cut = table(b"\x06\x00\x00ab", b"\x01" + wide, count=1)
    assert only(label(0), globals_=cut).value == "ab日本😀"
    # rich runs and reading aids stand behind the text, and run across records as they are
    rich = table(b"\x02\x00\x0c\x01\x00\x03\x00\x00\x00ab" + b"\x00", b"\x00" * 6 + b"\x01\x00\x00c", count=2)
    assert only(label(1), globals_=rich).value == "c"
    between = table(b"\x01\x00\x00a", b"\x01\x00\x00b", count=2)
    assert only(label(1), globals_=between).value == "b"


@pytest.mark.parametrize(
    "data",
    [
        book(label(0)),
        book(label(5), globals_=table(b"\x01\x00\x00a", count=9)),
        book(label(0), globals_=table(b"\x09\x00\x00a", count=1)),
        book(label(0), globals_=table(b"\x01\x00\x04\xff\xff\xff\xffa", count=1)),
        book(record(NUMBER, place(style=99) + pack("<d", 4))),
        book(record(NUMBER, b"\x01")),
        book(record(NUMBER, place(column=40000) + pack("<d", 4))),
        ole({"Workbook": biff(b"")[:-8]}),
        ole({"Workbook": b"\x09\x08\xff\xff"}),
        ole({"Workbook": b""}),
        ole({"Workbook": biff(b"").replace(b"\x01\x00A", b"\x01\x00A", 1)[:60]}),
        book(b"")[:700],
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    ],
)
def test_damaged_files(data):
    with pytest.raises(ToolkitError):
        read(data)


def test_number_formats_of_the_file_and_days_from_1904():
    code = '0.0"%"'
    head = record(FORMAT, pack("<HHB", 164, len(code), 0) + code.encode()) + record(0x22, b"\x01\x00")
    cell = record(NUMBER, place(style=0) + pack("<d", 4.25))
    assert only(cell, globals_=head, formats=(164,)).shown == "4.3%"
    assert only(cell, globals_=head, formats=(14,)).value == datetime.datetime(1904, 1, 5, 6)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (book(b"", globals_=record(0x2F, bytes(54))), "password"),
        (book(b"", version=0x500), "Excel 95"),
        (ole({"Book": b"x"}), "Excel 95"),
        (ole({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}), "password"),
        (ole({"WordDocument": b"x"}), "Word document"),
        (ole({"PowerPoint Document": b"x"}), "PowerPoint"),
        (ole({"\tDRMContent": b"x"}), "rights"),
        (ole({"other": b"x"}), "no workbook"),
    ],
)
def test_what_else_comes_in_this_container(data, message):
    with pytest.raises(ToolkitError, match=message):
        read(data)
