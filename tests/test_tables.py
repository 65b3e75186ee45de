"""Files in: every format gives the same table, and every file that is not one says why."""

import csv
import datetime
import io
import json
import os
import re
import string
import warnings
import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.errors import Problem, ToolkitError
from toolkit.tables import BAD, Table, read_table

ITEM = [frozenset({"item_id", "id"})]


def put(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def values(table: Table) -> list[dict]:
    return [row.values for row in table.rows]


def problems(path: Path, **options) -> tuple[Problem, ...]:
    with pytest.raises(ToolkitError) as caught:
        read_table(path, **options)
    return caught.value.problems


def message(path: Path, **options) -> str:
    return "\n".join(map(str, problems(path, **options)))


def workbook(folder: Path, sheets: dict[str, list[list]], name: str = "book.xlsx") -> Path:
    path = folder / name
    with xlsxwriter.Workbook(path) as book:
        for title, rows in sheets.items():
            sheet = book.add_worksheet(title)
            for number, row in enumerate(rows):
                for place, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(number, place, value)
                    elif value is not None:
                        sheet.write(number, place, value)
    return path


def parquet(folder: Path, query: str, name: str = "table.parquet") -> Path:
    import duckdb

    path = folder / "plain.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path.rename(folder / name)


# --- CSV


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be-mark", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_csv_of_every_make_is_the_same_table(tmp_path, separator, encoding, end):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([["item_id", "resposta"], ["i1", 'não; é, assim\tou "assim"'], ["00123", "duas\nlinhas"]])
    text = file.getvalue()
    data = b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-mark" else text.encode(encoding)
    table = read_table(put(tmp_path, "t.csv", data), wanted=ITEM)
    assert table.header == ("item_id", "resposta")
    assert values(table) == [
        {"item_id": "i1", "resposta": 'não; é, assim\tou "assim"'},
        {"item_id": "00123", "resposta": "duas\nlinhas"},
    ]
    assert bool(table.notes) == (encoding == "cp1252")


def test_separator_is_the_one_that_makes_sense_of_the_header(tmp_path):
    """The commas in the lists outnumber the semicolons, and csv.Sniffer picks the comma."""
    text = "item_id;nota;comentario\ni1;4;['boa', 'clara', 'a', 'b']\ni2;3;['ruim', 'longa']\n"
    table = read_table(put(tmp_path, "t.csv", text), wanted=ITEM)
    assert table.header == ("item_id", "nota", "comentario")
    assert [row["nota"] for row in values(table)] == ["4", "3"]
    assert values(table)[0]["comentario"] == "['boa', 'clara', 'a', 'b']"


def test_header_that_fits_no_separator_is_an_error_and_no_one_column_table(tmp_path):
    text = message(put(tmp_path, "t.csv", "codigo|nota\ni1|4\n"), wanted=ITEM)
    assert "no column item_id" in text and "codigo|nota" in text and "t.csv" in text


def test_excels_sep_line_is_no_header(tmp_path):
    table = read_table(put(tmp_path, "t.csv", "sep=;\r\nitem_id;a\r\ni1;x\r\n"), wanted=ITEM)
    assert values(table) == [{"item_id": "i1", "a": "x"}]
    assert table.rows[0].place == "line 3"


def test_header_names_match_in_spite_of_marks_nobody_sees(tmp_path):
    data = b"\xef\xbb\xbf" + '"item_id","Clareza\u00a0","Precisa\u0303o "\n"i1","4","5"\n'.encode()
    table = read_table(put(tmp_path, "t.csv", data), wanted=[frozenset({"ITEM_ID"}), frozenset({"precisão"})])
    assert table.header == ("item_id", "Clareza", "Precisão")
    assert table.column("clareza") == "Clareza"
    assert values(table) == [{"item_id": "i1", "Clareza": "4", "Precisão": "5"}]


def test_column_given_twice_is_an_error_naming_columns_and_rows(tmp_path):
    text = message(put(tmp_path, "t.csv", "item_id,nota,comentario,nota\ni1,4,bom,2\ni2,5,bom,\n"), wanted=ITEM)
    assert "'nota'" in text and "columns 2 and 4" in text
    assert "line 2: '4' and '2'" in text and "line 3: '5' and blank" in text


def test_column_given_twice_is_an_error_even_without_a_conflict(tmp_path):
    assert "columns 1 and 2" in message(put(tmp_path, "t.csv", "item_id,Item_ID \ni1,i1\n"), wanted=ITEM)


def test_unquoted_separator_in_a_text_does_not_shift_cells(tmp_path):
    found = problems(put(tmp_path, "t.csv", "item_id,text,score\ni1,one, two,4\ni2,x,5\ni3,a,b,c,5\n"), wanted=ITEM)
    assert [p.cell for p in found] == ["line 2", "line 4"]
    assert "has 4 cells in this line where the header has 3" in found[0].what


def test_a_row_too_long_is_told_with_any_separator_and_below_a_header_that_is_there_again(tmp_path):
    [found] = problems(put(tmp_path, "t.csv", "sep=|\nitem_id|text\ni1|a|b\n"), wanted=ITEM)
    assert found.cell == "line 3" and "a '|' in a text" in found.what
    [found] = problems(put(tmp_path, "t.csv", "item_id,text\ni1,a\nitem_id,text\ni2,b,c\n"), wanted=ITEM)
    assert found.cell == "line 4"


def test_where_every_line_ends_with_a_separator_a_halved_number_is_told_all_the_same(tmp_path):
    rows = "item_id,score,justification\ni1,4,good,\ni2,4,good,\ni3,3,5,\n"
    [found] = problems(put(tmp_path, "t.csv", rows), wanted=ITEM)
    assert found.cell == "line 4" and "two numbers side by side" in found.what


def test_short_rows_are_blank_at_the_end_and_said(tmp_path):
    table = read_table(
        put(tmp_path, "t.csv", "item_id,texto,nota,comentario,,\ni1,t1\ni2,t2,4\n,,,\ni3,t3,5,ok,x\n"), wanted=ITEM
    )
    assert [row.get("nota") for row in values(table)] == [None, "4", "5"]
    assert [row.place for row in table.rows] == ["line 2", "line 3", "line 5"]
    assert any("column 5 has no name" in note for note in table.notes)
    assert any("fewer cells" in note and "line 2" in note for note in table.notes)


def test_quote_that_is_never_closed_does_not_swallow_the_rest(tmp_path):
    (found,) = problems(put(tmp_path, "t.csv", 'item_id,text\ni1,ok\ni2,"open\ni3,lost\n'), wanted=ITEM)
    assert found.cell == "line 3" and "not valid CSV" in found.what


def test_line_numbers_are_those_of_an_editor(tmp_path):
    table = read_table(put(tmp_path, "t.csv", 'item_id,text\r\ni1,"a\r\nb\r\nc"\r\n\r\ni2,d\r\n'), wanted=ITEM)
    assert [row.place for row in table.rows] == ["line 2", "line 6"]


def test_a_cell_may_be_longer_than_the_csv_module_likes(tmp_path):
    before = csv.field_size_limit()
    long = "x" * 400_000
    table = read_table(put(tmp_path, "t.csv", f"item_id,text\ni1,{long}\n"), wanted=ITEM)
    assert values(table)[0]["text"] == long
    assert csv.field_size_limit() == before


def test_broken_utf8_is_not_taken_for_windows_1252(tmp_path):
    data = "item_id,text\ni1,ação é boa\n".encode() + b"i2,caf\xe9\n"
    (found,) = problems(put(tmp_path, "t.csv", data), wanted=ITEM)
    assert "UTF-8" in found.what and found.cell == "line 3"


@pytest.mark.parametrize("data", [b"item_id,a\n\x81\x8d,b\n", b"\xef\xbb\xbfitem_id\ni\xff\n", b"item_id\ni\0 1\n"])
def test_bytes_that_are_no_text_are_refused(tmp_path, data):
    (found,) = problems(put(tmp_path, "t.csv", data), wanted=ITEM)
    assert found.cell in ("line 2",) and "save" in found.fix


# --- JSON Lines and JSON


def test_jsonl_is_split_at_line_feeds_only(tmp_path):
    data = (
        b"\xef\xbb\xbf"
        + '{"id":"a","answer":"um\u2028dois\u2029três","score":4}\r\n{"id":"b","answer":"x\u0085y\x0b","score":2}'
        '\r\n\r\n{"id":"c","score":5}'.replace("\x0b", "\\u000b").encode()
    )
    table = read_table(put(tmp_path, "log.jsonl", data), wanted=ITEM)
    assert values(table) == [
        {"id": "a", "answer": "um\u2028dois\u2029três", "score": 4},
        {"id": "b", "answer": "x\u0085y\x0b", "score": 2},
        {"id": "c", "score": 5},
    ]
    assert [row.place for row in table.rows] == ["line 1", "line 2", "line 4"]


def test_every_bad_line_is_named_and_none_is_skipped(tmp_path):
    lines = ['{"id":"a"}', '{"id":"b"', "[1]", "", "oops", '{"id":"c"}', '{"id":"d"}{"id":"e"}']
    found = problems(put(tmp_path, "log.jsonl", "\n".join(lines)), wanted=ITEM)
    assert [p.cell for p in found] == ["line 2", "line 3", "line 5", "line 7"]
    assert all(p.fix and p.file and p.value for p in found)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 5000])
@pytest.mark.parametrize("form", ['{{"id":"b","x":{}}}', '{{"id":"b","m":{{"x":[1,{}]}}}}'])
def test_numbers_that_json_does_not_allow_are_refused_wherever_they_are(tmp_path, literal, form):
    line = form.format(literal)
    (found,) = problems(put(tmp_path, "log.jsonl", f'{{"id":"a"}}\n{line}\n'), wanted=ITEM)
    assert found.cell == "line 2" and "number" in found.what
    (found,) = problems(put(tmp_path, "log.json", f'[{{"id":"a"}},{line}]'), wanted=ITEM)
    assert found.cell == "record 2"


@pytest.mark.parametrize("rest", ['"s":4,"s":2', '"m":[{"s":4,"s":4}]', '"S":4,"s ":2'])
def test_a_key_twice_in_one_object_is_an_error(tmp_path, rest):
    (found,) = problems(put(tmp_path, "log.jsonl", f'{{"id":"a",{rest}}}\n{{"id":"b"}}\n'), wanted=ITEM)
    assert found.cell == "line 1" and ("twice" in found.what or "two keys" in found.what)


@pytest.mark.parametrize("depth", [150, 990, 100_000])
def test_deep_nesting_is_a_message(tmp_path, depth):
    line = '{"id":"a","x":' + "[" * depth + "]" * depth + "}"
    assert "nested" in message(put(tmp_path, "log.jsonl", line + "\n" + '{"id":"b"}'), wanted=ITEM)
    assert "nested" in message(put(tmp_path, "log.json", f"[{line}]"), wanted=ITEM)


def test_problems_can_be_collected_and_the_cell_is_marked(tmp_path):
    found: list[Problem] = []
    table = read_table(
        put(tmp_path, "log.jsonl", '{"id":"a","s":NaN}\n{"id":"b","s":3}\n'), wanted=ITEM, problems=found
    )
    assert [p.cell for p in found] == ["line 1"]
    assert values(table) == [{"id": "a", "s": BAD}, {"id": "b", "s": 3}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '[{"id":"a"},\n{"id":"b"}]'),
        ("a.json", '{"id":"a"}\n{"id":"b"}\n'),
        ("a.jsonl", '{\n "items": [{"id":"a"}, {"id":"b"}]\n}'),
        ("a.csv", '[{"id":"a"}, {"id":"b"}]'),
        ("a.txt", '{"id":"a"}\n{"id":"b"}\n'),
        ("a.csv", "id\na\nb\n"),
        ("a.dat", "id\na\nb\n"),
        ("a.json", '{"meta": [1], "notes": [{"x": 1}], "items": [{"id":"a"}, {"id":"b"}]}'),
    ],
)
def test_content_decides_before_the_name_does(tmp_path, name, text):
    assert values(read_table(put(tmp_path, name, text), wanted=ITEM)) == [{"id": "a"}, {"id": "b"}]


def test_one_object_is_one_record(tmp_path):
    table = read_table(put(tmp_path, "a.json", '{"id": "a", "responses": [{"response": "x"}]}'), wanted=ITEM)
    assert values(table) == [{"id": "a", "responses": [{"response": "x"}]}]


def test_the_list_and_what_stands_around_it(tmp_path):
    table = read_table(put(tmp_path, "a.json", '{"version": "1", "scenarios": [{"id": "a"}]}'), wanted=ITEM)
    assert (table.sheet, table.around) == ("scenarios", {"version": "1"})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"a": [{"id": "x"}], "b": [{"id": "y"}]}', "'a' and 'b'"),
        ('{"a": 1}', "without a list of records"),
        ("[]", "no records"),
        ("[1, 2]", "record 2"),
        ('[{"id": "x"}, 3]', "record 2"),
        ('[{"id": "x"}', "line 1"),
        ('[{"nota": 1}]', "no column"),
        ('{"a": [{"nota": 1}]}', "no column"),
        ('[{"id": "x"},\n{"id": "y",}]', "line 2"),
    ],
)
def test_json_that_is_no_table(tmp_path, text, word):
    assert word in message(put(tmp_path, "a.json", text), wanted=ITEM)


def test_a_text_called_jsonl_is_one_message_and_not_one_a_line(tmp_path):
    (found,) = problems(put(tmp_path, "a.jsonl", "hello\nworld\n" * 50))
    assert "not one of its 100 lines" in found.what


# --- XLSX


def test_xlsx_keeps_kinds_of_values_and_addresses(tmp_path):
    rows = [
        ["item_id", "score", "flag", "text"],
        ["00123", 4.0, True, "=1+1"],
        [],
        [17, 4.6, False, "a\r\nb _x0041_ \x01"],
    ]
    table = read_table(workbook(tmp_path, {"S": rows}), wanted=ITEM)
    assert values(table) == [
        {"item_id": "00123", "score": 4, "flag": True, "text": "=1+1"},
        {"item_id": 17, "score": 4.6, "flag": False, "text": "a\r\nb _x0041_ \x01"},
    ]
    problem = table.problem("is wrong", row=table.rows[1], column="score")
    assert problem.place == "book.xlsx > S > B4"


@pytest.mark.parametrize("text", ["_x0000_", "_x000D_", "a_x005F_b", "\x01_x0001_", "_x0041_", "\ufffe"])
def test_texts_that_look_like_the_formats_own_escapes(tmp_path, text):
    assert values(read_table(workbook(tmp_path, {"S": [["item_id"], [text]]}), wanted=ITEM)) == [{"item_id": text}]


def test_sheet_is_found_by_its_header_not_by_its_place(tmp_path):
    path = workbook(
        tmp_path,
        {
            "Instruções": [["Preencha a coluna nota"]],
            "Listas": [[1], [2]],
            "Avaliação": [["Relatório de 2026"], [], ["Item_ID ", "nota"], ["i1", 4], ["i2", 5]],
        },
    )
    book = openpyxl.load_workbook(path)
    book["Listas"].sheet_state = "hidden"
    book.active = 0
    book.save(path)
    table = read_table(path, wanted=[frozenset({"item_id"}), frozenset({"nota"})])
    assert (table.sheet, [row.place for row in table.rows]) == ("Avaliação", ["row 4", "row 5"])
    assert [row["nota"] for row in values(table)] == [4, 5]


def test_two_sheets_that_fit_are_an_error_naming_both(tmp_path):
    rows = [["item_id", "nota"], ["i1", 4]]
    path = workbook(tmp_path, {"Avaliação": rows, "Rascunho": rows, "Outra": [["x"]]})
    text = message(path, wanted=ITEM)
    assert "'Avaliação'" in text and "'Rascunho'" in text and "Outra" not in text
    assert read_table(path, wanted=ITEM, sheet="avaliação ").sheet == "Avaliação"
    assert "Rascunho" in message(path, wanted=ITEM, sheet="Nenhuma")
    assert "no column" in message(path, wanted=ITEM, sheet="Outra")


def test_no_sheet_fits(tmp_path):
    text = message(workbook(tmp_path, {"A": [["x"]], "B": [["y", "z"]], "Empty": []}), wanted=ITEM)
    assert "book.xlsx > A" in text and "book.xlsx > B" in text and "y, z" in text


def test_xlsx_column_twice_has_letters(tmp_path):
    path = workbook(tmp_path, {"S": [["item_id", "nota", "c", "Nota"], ["i1", 4, "bom", 2]]})
    text = message(path, wanted=ITEM)
    assert "columns B and D" in text and "row 2: '4' and '2'" in text


def test_formulas_count_with_their_stored_result_and_never_as_blank(tmp_path):
    path = tmp_path / "f.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["item_id", "score"])
        sheet.write_row(1, 0, ["i1"])
        sheet.write_formula(1, 1, "=2+2", value=4)
        sheet.write_row(2, 0, ["i2"])
        sheet.write_formula(2, 1, '="4"', value="4")
    assert [row["score"] for row in values(read_table(path, wanted=ITEM))] == [4, "4"]
    # openpyxl writes formulas without results
    book = openpyxl.load_workbook(path)
    book.save(path)
    found = problems(path, wanted=ITEM)
    assert [p.cell for p in found] == ["B2", "B3"]
    assert "without a stored result" in found[0].what


def test_error_values_and_dates(tmp_path):
    path = tmp_path / "f.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["item_id", "score", "day"])
    book.active.append(["i1", "#N/A", datetime.date(2026, 5, 4)])
    book.save(path)
    (found,) = problems(path, wanted=ITEM)
    assert found.cell == "B2" and "#N/A" in found.what
    collected: list[Problem] = []
    table = read_table(path, wanted=ITEM, problems=collected)
    assert values(table)[0]["day"] == datetime.datetime(2026, 5, 4)


def test_a_styled_cell_at_the_end_of_the_sheet_costs_no_time(tmp_path):
    path = tmp_path / "tall.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["item_id"])
    book.active.append(["i1"])
    book.active.cell(1_048_576, 16_384).font = openpyxl.styles.Font(bold=True)
    book.save(path)
    assert values(read_table(path, wanted=ITEM)) == [{"item_id": "i1"}]


def test_size_guard_before_anything_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("toolkit.tables._xlsx.LARGEST_UNPACKED", 2_000)
    assert "limit" in message(workbook(tmp_path, {"S": [["item_id"], ["i1"]]}), wanted=ITEM)


def test_entities_are_not_expanded(tmp_path):
    path = workbook(tmp_path, {"S": [["item_id"], ["i1"]]})
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'
    evil = tmp_path / "evil.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(evil, "w") as new:
        for part in old.infolist():
            new.writestr(part, bomb if "sheet1.xml" in part.filename else old.read(part))
    assert "evil.xlsx" in message(evil, wanted=ITEM)


def test_openpyxls_warnings_stay_inside(tmp_path):
    path = workbook(tmp_path, {"S": [["item_id"], ["i1"]]})
    bare = tmp_path / "bare.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bare, "w") as new:
        for part in old.infolist():
            new.writestr(part, re.sub(b"<cellStyles.*</cellStyles>", b"", old.read(part)))
    with pytest.warns(UserWarning, match="default style"):
        openpyxl.load_workbook(bare)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert values(read_table(bare, wanted=ITEM)) == [{"item_id": "i1"}]


# --- Parquet


def test_parquet(tmp_path):
    path = parquet(
        tmp_path,
        """SELECT * FROM (VALUES
           ('00123', 4::INT, 4.5::DECIMAL(3,1), TRUE, [{'response': 'a', 'prompt': NULL}], DATE '2026-05-04',
            TIMESTAMPTZ '2026-05-04 10:00:00+00', 'x'::BLOB, MAP {'k': 1}),
           ('8e5', NULL, 4::DECIMAL(3,1), NULL, [], NULL, NULL, NULL, NULL))
           t(item_id, score, mean, flag, responses, day, "at", bytes, more)""",
    )
    first, second = values(read_table(path, wanted=ITEM))
    at = first.pop("at")
    assert str(at).startswith("2026-05-04")
    assert first == {
        "item_id": "00123",
        "score": 4,
        "mean": 4.5,
        "flag": True,
        "responses": [{"response": "a", "prompt": None}],
        "day": datetime.date(2026, 5, 4),
        "bytes": "x",
        "more": {"k": 1},
    }
    assert second == {"item_id": "8e5", "mean": 4, "responses": []}


def test_parquet_nan_is_refused_and_its_record_named(tmp_path):
    (found,) = problems(parquet(tmp_path, "SELECT 'a' AS item_id, 'nan'::DOUBLE AS score"), wanted=ITEM)
    assert found.cell == "record 1" and found.what == "score: nan is not a number"


def test_parquet_file_names_are_no_patterns_and_folders_no_columns(tmp_path):
    folder = tmp_path / "model=gpt[1]"
    folder.mkdir()
    path = parquet(tmp_path, "SELECT 'a' AS item_id").rename(folder / "a[12]?*.parquet")
    parquet(tmp_path, "SELECT 'b' AS item_id").rename(folder / "a1.parquet")
    assert values(read_table(path, wanted=ITEM)) == [{"item_id": "a"}]


def test_parquet_columns_twice(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    table = arrow.table([arrow.array(["a"]), arrow.array([4]), arrow.array([2])], names=["item_id", "score", "Score"])
    writer.write_table(table, tmp_path / "t.parquet")
    assert "columns 2 and 3" in message(tmp_path / "t.parquet", wanted=ITEM)


def test_parquet_without_the_column_or_cut_off(tmp_path):
    path = parquet(tmp_path, "SELECT 1 AS nota")
    assert "no column item_id or id" in message(path, wanted=ITEM)
    data = path.read_bytes()
    assert "Parquet" in message(put(tmp_path, "cut.parquet", data[: len(data) // 2]), wanted=ITEM)


# --- what is no table


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("a.csv", b"%PDF-1.7\n", "PDF"),
        ("a.xlsx", b"\x89PNG\r\n\x1a\n", "picture"),
        ("a.jsonl", b"\x1f\x8b\x08\0", "gzip"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old Office file"),
        (
            "a.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
            "password",
        ),
        ("a.xls", b"<html><table><tr><td>item_id</td></tr></table></html>", "web page"),
        ("a.csv", b'<?xml version="1.0"?><x/>', "XML"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "damaged"),
        ("a.csv", b"", "empty"),
        ("a.jsonl", b" \n\n", "empty"),
        ("a.json", b"\xef\xbb\xbf", "empty"),
        ("a.parquet", b"PAR1", "Parquet"),
        ("a.csv", b"item_id,a\n", "no rows"),
        ("a.csv", b"item_id,a\n,\n , \n", "no rows"),
        ("a.bin", b"\x7fELF\x02\x01\x01\0\0\0", "null bytes"),
    ],
)
def test_files_of_the_wrong_kind(tmp_path, name, data, word):
    (found,) = problems(put(tmp_path, name, data))
    assert word in found.what and found.fix and found.place.startswith(name)


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        (("xl/workbook.bin",), ".xlsb"),
        (("mimetype", "content.xml"), "OpenDocument"),
        (("word/document.xml",), "Word"),
        (("Index/Document.iwa",), "Numbers"),
        (("a.csv",), "ZIP"),
        (("xl/workbook.xml",), "workbook"),
    ],
)
def test_archives_that_are_no_workbook(tmp_path, parts, word):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        for part in parts:
            archive.writestr(part, "x")
    assert word in message(tmp_path / "a.xlsx")


def test_paths_that_are_no_file(tmp_path):
    put(tmp_path, "sample.jsonl", "{}")
    assert "folder" in message(tmp_path)
    assert "perhaps 'sample.jsonl'" in message(tmp_path / "sampel.jsonl")
    assert "no such file" in message(tmp_path / "nowhere" / "x.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "ordinary" in message(tmp_path / "pipe")


def test_messages_hold_no_control_characters(tmp_path):
    text = message(put(tmp_path, "a.csv", "x\x1b[31m,\u2028y\nz\n"), wanted=ITEM)
    assert "\x1b" not in text and "\u2028" not in text


# --- the same rows through every format

names = st.text(string.ascii_letters + "áçõ_", min_size=1, max_size=8).filter(lambda n: n.casefold() != "item_id")
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufffe\uffff"), min_size=1, max_size=30).filter(
    str.strip
)


@st.composite
def grids(draw):
    columns = draw(st.lists(names, max_size=3, unique_by=str.casefold))
    row = st.tuples(texts, *(st.one_of(texts, st.just(None)) for _ in columns))
    rows = draw(st.lists(row, min_size=1, max_size=4))
    return ["item_id", *columns], [list(row) for row in rows]


@settings(max_examples=60, deadline=None)
@given(grids())
def test_every_format_gives_the_same_rows(tmp_path_factory, grid):
    import duckdb

    header, rows = grid
    folder = tmp_path_factory.mktemp("grid")
    expected = [{n: v for n, v in zip(header, row, strict=True) if v is not None} for row in rows]
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    records = [dict(zip(header, row, strict=True)) for row in rows]
    lines = "\n".join(json.dumps(r, ensure_ascii=False) for r in records)
    put(folder, "t.jsonl", lines + "\n")
    put(folder, "t.json", json.dumps(records))
    workbook(folder, {"S": [header, *rows]}, "t.xlsx")
    with duckdb.connect() as connection:
        columns = ", ".join(f'"{name}" VARCHAR' for name in header)
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(header))})", rows)
        connection.execute(f"COPY t TO '{folder / 't.parquet'}' (FORMAT parquet)")
    for kind in ("csv", "jsonl", "json", "xlsx", "parquet"):
        table = read_table(folder / f"t.{kind}", wanted=[frozenset({"item_id"})])
        assert table.format == kind
        assert values(table) == expected, kind


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.json", "a.jsonl", "a.xlsx", "a.parquet"]))
def test_any_bytes_are_a_table_or_a_message(tmp_path_factory, data, name):
    path = put(tmp_path_factory.mktemp("any"), name, data)
    try:
        read_table(path)
    except ToolkitError as error:
        assert error.problems and all(p.what for p in error.problems)
