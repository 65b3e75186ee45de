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


# --- rows whose cells do not stand below their keys

HEAD = "study,annotator,item_code,text,score,justification,notes\n"


def rows(*lines: str) -> bytes:
    texts = "".join(f"s1,A1,,text {number},,,\n" for number in range(3))
    return (HEAD + texts + "".join(f"{line}\n" for line in lines)).encode()


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("s1,A1,K1,t,3,5,good,", "3,5,good,"),
        ("s1,A1,K1,t,3,5,,", "3,5,,"),
        ("s1,A1,K1,t,4,good, but short,", "4,good, but short,"),
        ("s1,A1,K1,t,,t,4,good", ",t,4,good"),
        ("s1,A1,K1,t,4,good,,beside", "4,good,,beside"),
    ],
)
def test_a_row_with_more_cells_than_keys(line: str, held: str) -> None:
    message = refused(rows("s1,A1,K0,t,4,fine,", line))
    assert message.startswith("A1.csv > line 6: has 8 cells in this line where the row of keys has 7")
    assert f"(found: {held!r})" in message and "quotation marks" in message


@pytest.mark.parametrize(
    "lines",
    [
        ('s1,A1,K1,t,"3,5",good,', "s1,A1,K2,t,4,5,"),
        ("s1,A1,K1,t,4", "s1,A1,K2,t,4,good", "s1,A1,K2"),
        ("", ",,,,,,,,", "s1,A1,K1,t,4,good,"),
    ],
)
def test_rows_that_are_what_they_seem(lines: tuple[str, ...]) -> None:
    assert read(rows(*lines)).sheets[0].textual


def test_all_rows_may_end_in_separators_that_nothing_follows() -> None:
    head, *lines = rows("s1,A1,K1,t,4,good,", "s1,A1,K2,t,4,,").decode().splitlines()
    assert cells("\n".join([head, *(f"{line},," for line in lines)]).encode())["E5"].value == "4"
    assert "has 10 cells" in refused("\n".join([head, *(f"{line},," for line in lines), "s1,A1,K3,t,3,5,,,,"]).encode())


@pytest.mark.parametrize("line", ["s1,A1,K1,t,3,5", "s1,A1,K1,t,3,5,", "s1,A1,K1,t,-3,05", "s1,A1,K1,t, 3 , 5 ,x"])
def test_where_rows_are_of_several_lengths_two_numbers_may_be_one(line: str) -> None:
    message = refused(rows("s1,A1,K0,t,4", line))
    assert "line 6: holds two numbers side by side" in message and "3" in message
    assert read(rows(line.replace(",", ";")).replace(b",", b";")).sheets[0].textual


def test_all_such_rows_are_told_at_once_and_many_in_few_words() -> None:
    with pytest.raises(ToolkitError) as caught:
        read_book(Source("A1.csv", content=rows(*["s1,A1,K1,t,4,good,"] * 60, *["s1,A1,K1,t,3,5,,"] * 30)))
    assert [problem.cell for problem in caught.value.problems] == [f"line {65 + n}" for n in range(21)]
    assert "10 more such lines" in caught.value.problems[-1].what


def test_below_another_row_of_keys_columns_may_be_others() -> None:
    data = rows("s1,A1,K1,t,4,good,") + b"\xef\xbb\xbfx," + HEAD.encode() + b"x,s1,A1,K2,t,4,good,\n"
    assert cells(data)["F7"].value == "4"
