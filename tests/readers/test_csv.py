"""CSV in every dialect a spreadsheet program writes it, and what is no CSV."""

import pytest

from tests.readers.build import cells, read
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import Limits, Source, read_book

KEYS = ["study", "annotator", "item_code", "text", "score", "notes"]
ROW = ["s1", "A1", "K7Q", "É Paris;\n\"sim\", disse", "4", "['boa', 'clara']; ok"]  # fmt: skip


def line(values: list[str], separator: str) -> str:
    return separator.join('"' + value.replace('"', '""') + '"' for value in values)


def written(separator: str = ",", end: str = "\r\n") -> str:
    return end.join([line(KEYS, separator), line(ROW, separator), ""])


def refused(data: bytes, **options: object) -> str:
    with pytest.raises(ToolkitError) as caught:
        read_book(Source("A1.csv", content=data), **options)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_every_dialect(encoding, separator, end):
    data = written(separator, end).encode(encoding)
    book = read(data)
    (sheet,) = book.sheets
    assert (book.format, sheet.textual) == ("csv", True)
    assert {cell.address: cell.value for cell in sheet.cells.values()} == {
        f"{'ABCDEF'[place]}{number}": value
        for number, values in enumerate((KEYS, ROW), 1)
        for place, value in enumerate(values)
    }
    assert bool(book.notes) == (encoding == "cp1252")


def test_utf16_with_the_big_end_first_and_its_mark():
    assert cells(b"\xfe\xff" + written().encode("utf-16-be"))["C2"].value == "K7Q"


def test_the_separator_is_the_one_that_makes_the_keys_appear():
    # in-01: csv.Sniffer gives a comma here
    data = b"study;annotator;item_code;score;notes\ns1;A1;i1;4;['boa', 'clara']\ns1;A1;i2;3;['ruim', 'longa']\n"
    found = cells(data)
    assert (found["D2"].value, found["E3"].value) == ("4", "['ruim', 'longa']")


def test_keys_in_any_spelling_below_other_rows():
    """in-03: with the mark of the byte order, hard spaces and spaces around."""
    data = '\n"title, with comma"\n\ufeffStudy;"ANNOTATOR\u00a0"; item_code ;score\ns1;A1;i1;4\n'
    found = cells(data.encode())
    assert found["A2"].value == "title, with comma"
    assert found["D4"].value == "4"


@pytest.mark.parametrize("end", ["", " ", "\u00a0"])
def test_a_mark_before_a_quoted_header_a_hard_space_and_a_decomposed_accent_do_not_hide_it(end: str) -> None:
    """in-03: the columns are found whatever bytes spell their names, here with a combining tilde."""
    header = f'"study","Precisa\u0303o{end}","item_code","annotator","Score\u00a0"\n'
    keys = {"study", "precisão", "item_code", "annotator", "score"}
    data = b"\xef\xbb\xbf" + (header + '"s1","5","i1","A1","4"\n').encode()
    book = read_book(Source("A1.csv", content=data), csv_keys=keys)
    assert {cell.address: cell.value for cell in book.sheets[0].cells.values() if cell.address in ("B2", "E2")} == {
        "B2": "5",
        "E2": "4",
    }


def test_addresses_are_those_a_spreadsheet_program_shows():
    data = 'study,annotator,item_code,score\n"two\nlines",A1,i1,4\n\n,,,5\n'
    found = cells(data.encode())
    assert {address for address in found if address.startswith("D")} == {"D1", "D2", "D4"}


def test_other_keys_for_other_sheets():
    data = b"item_id;consensus_after_discussion\ni1;4\n"
    assert "hidden keys" in refused(data)
    book = read_book(Source("d.csv", content=data), csv_keys={"item_id", "consensus_after_discussion"})
    assert book.sheets[0].cells[2, 2].value == "4"


def test_long_cells_within_the_limit_and_beyond():
    data = written().encode().replace(b"Paris", b"x" * 200_000)
    assert len(cells(data)["D2"].text) > 200_000
    assert "1,000 characters" in refused(data, limits=Limits(cell_characters=1000))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (written().replace('disse"', "disse").encode(), ("quotation mark", "line 2")),
        (written().replace('"A1"', '"A"1').encode(), ("quotation mark", "line 2")),
        (written().replace("A1", "A\0").encode(), ("null bytes", "line 2")),
        (b"study,annotator,item_code,score\n\x00\x01\x02\x03", ("null bytes",)),
        (written().encode() + b"\xff", ("not UTF-8", "line 4")),
        (b"\xff\xfe" + written().encode("utf-16-le") + b"\x00", ("Unicode",)),
        (written().encode("cp1252").replace(b"Paris", b"\x81\x8d"), ("neither UTF-8",)),
        (b"hello world\nthis is text\n", ("hidden keys", ".xlsx")),
        (b"Score,Notes\n4,good\n", ("hidden keys",)),
        (b"study annotator item_code score\n", ("hidden keys",)),
        (b"study,annotator,item_code,score\nstudy;annotator;item_code;score\n", ("more than one separator",)),
        (bytes(range(1, 256)) * 50, ("not known",)),
    ],
)
def test_what_is_no_csv_says_so(data, words):
    message = refused(data)
    assert message.startswith("A1.csv")
    assert " -> " in message
    for word in words:
        assert word in message


def test_the_interpreters_own_limit_is_left_as_it_was():
    import csv

    before = csv.field_size_limit()
    read(written().encode())
    refused(b"nothing")
    assert csv.field_size_limit() == before
