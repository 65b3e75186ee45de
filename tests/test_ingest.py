"""What comes back: every score that is certainly there is read, every one that is not is a problem with its cell."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.worksheet.worksheet import Worksheet

from tests.studies import annotation_sheet, answer_rows, fill, make, record
from toolkit.study import Study, read_study
from toolkit.workbook.guide import CLOSING, CLOSING_COLUMN
from toolkit.workbook.ingest import Returned, holds_answers, ingest
from toolkit.workbook.readers import Source, find_sources, read_book

ITEMS = ("i1", "i2", "c1", "r1")
SCORES = {"i1": 5, "i2": 3, "c1": 1, "r1": 4}


@pytest.fixture(scope="module")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingest") / "s"
    records = [
        record("i1"),
        record("i2"),
        record("c1", "consistency", response=None, responses=["um", "dois " * 900, "três"]),
        record("r1", "robustness", original_response="o", variant_type="typo", variant_prompt="p?"),
    ]
    make(folder, records, "A1,A2,A3", "--lang", "pt-BR")
    return folder


@pytest.fixture
def study(study_folder: Path) -> Study:
    return read_study(study_folder)


Changes = Callable[[Worksheet, dict[str, int], dict[str, int]], None]


@pytest.fixture
def returned(study_folder: Path, study: Study, tmp_path: Path) -> Callable[..., Returned]:
    """Fill A1's workbook, change it, and read it back."""

    def run(change: Changes | None = None, score: Callable[[str], Any] = SCORES.__getitem__) -> Returned:
        (tmp_path / "send").mkdir(exist_ok=True)
        (tmp_path / "send" / "A1.xlsx").write_bytes((study_folder / "send" / "A1.xlsx").read_bytes())
        path = fill(study, tmp_path, "A1", score, change)
        return ingest([read_book(Source.at(path))], study)

    return run


def scores(study: Study, found: Returned, name: str = "A1") -> dict[str, Any]:
    return {study.by_code[code].item_id: a.score for code, a in found.annotations[name].items()}


def test_what_was_entered_is_what_is_read(returned: Callable[..., Returned], study: Study) -> None:
    def more(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["doubt"]).value = "sim"
        sheet.cell(rows["i2"], keys["doubt"]).value = "não"
        sheet.cell(rows["i1"], keys["notes"]).value = "  falta contexto\nmesmo "

    found = returned(more)
    assert not found.problems and not found.repairs and not found.warnings
    assert scores(study, found) == SCORES
    entered = {study.by_code[code].item_id: a for code, a in found.annotations["A1"].items()}
    assert entered["i1"].doubt and not entered["i2"].doubt and not entered["c1"].doubt
    assert entered["i1"].notes == "falta contexto\nmesmo"
    assert entered["r1"].justification == "because r1"


def test_a_blank_workbook_is_read_as_blank(study_folder: Path, study: Study) -> None:
    book = read_book(Source.at(study_folder / "send" / "A2.xlsx"))
    found = ingest([book], study)
    assert not found.problems
    assert set(scores(study, found, "A2").values()) == {None}
    assert not holds_answers(book)


@pytest.mark.parametrize(
    ("typed", "value"), [("4", 4), (" 4 ", 4), ("4,0", 4), ("４", 4), ("4 - Boa", 4), ("boa", 4), (4.0, 4)]
)
def test_a_score_that_is_certain_is_taken_and_its_form_kept(
    returned: Callable[..., Returned], study: Study, typed: object, value: int
) -> None:
    found = returned(score=lambda item: typed if item == "i1" else SCORES[item])
    assert not found.problems
    assert scores(study, found) == SCORES | {"i1": value}
    assert [(r.item, r.found) for r in found.repairs] == ([] if typed == 4.0 else [(code_of(study, "i1"), str(typed))])


def code_of(study: Study, item_id: str) -> str:
    return next(item.item_code for item in study.items if item.item_id == item_id)


@pytest.mark.parametrize(
    "typed",
    [
        4.5,
        0,
        6,
        -1,
        "3-4",
        "4/5",
        "4 ou 5",
        "ok",
        True,
        False,
        datetime.datetime(2026, 5, 4),
        "=2+2",
        "#N/A",
        "4 - Fraca",
    ],
)
def test_any_other_score_is_a_problem_that_names_its_cell(
    returned: Callable[..., Returned], study: Study, typed: object
) -> None:
    found = returned(score=lambda item: typed if item == "i2" else SCORES[item])
    [problem] = found.problems
    assert problem.file == "A1.xlsx" and problem.sheet == "Anotação"
    assert problem.cell is not None and problem.cell.startswith("I")
    assert code_of(study, "i2") in str(problem) and "1-5" in str(problem) and "->" in str(problem)
    assert scores(study, found) == SCORES | {"i2": None}


def test_a_percentage_is_refused_and_a_number_format_hides_nothing(returned: Callable[..., Returned]) -> None:
    def formats(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["score"]).number_format = "0%"
        sheet.cell(rows["i2"], keys["score"]).value = 4.6
        sheet.cell(rows["i2"], keys["score"]).number_format = "0"
        sheet.cell(rows["c1"], keys["score"]).number_format = "0.00"

    found = returned(formats)
    told = sorted(str(problem) for problem in found.problems)
    assert len(told) == 2
    assert any("percentage" in line for line in told)
    assert any("4.6" in line and "shows 5" in line for line in told)


def test_all_problems_are_told_at_once(returned: Callable[..., Returned]) -> None:
    def wreck(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["score"]).value = 9
        sheet.cell(rows["i2"], keys["doubt"]).value = "talvez"
        sheet.cell(rows["c1"], keys["justification"]).value = "=1+1"
        sheet.cell(rows["r1"], keys["text"]).value = "outro texto"

    found = returned(wreck)
    assert len(found.problems) == 4


@pytest.mark.parametrize("word", ["sim", "SIM", "s", "x", "yes", "sí", True, 1, "1"])
def test_every_way_to_say_yes(returned: Callable[..., Returned], study: Study, word: object) -> None:
    def doubt(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["doubt"]).value = word

    found = returned(doubt)
    assert not found.problems
    assert found.annotations["A1"][code_of(study, "i1")].doubt


def moved(sheet: Worksheet, rows: list[int], columns: list[int]) -> None:
    """Rearrange all rows and columns, as an unprotected sort and dragged columns do."""
    kept = [[cell.value for cell in sheet[row]] for row in range(1, sheet.max_row + 1)]
    for merge in list(sheet.merged_cells.ranges):
        sheet.unmerge_cells(str(merge))
    for row, source in enumerate(rows, 1):
        for column, beside in enumerate(columns, 1):
            sheet.cell(row, column).value = kept[source][beside]


@pytest.fixture(scope="module")
def three_filled(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The workbooks of three annotators who do not agree."""
    folder = tmp_path_factory.mktemp("three")
    (folder / "send").mkdir()
    study = read_study(study_folder)
    for path in (study_folder / "send").glob("*.xlsx"):
        (folder / "send" / path.name).write_bytes(path.read_bytes())

    def more(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i2"], keys["doubt"]).value = "sim"
        sheet.cell(rows["c1"], keys["notes"]).value = "nota"

    return [
        fill(study, folder, "A1", SCORES.__getitem__, more),
        fill(study, folder, "A2", lambda item: 6 - SCORES[item]),
        fill(study, folder, "A3", lambda item: None if item == "c1" else 2),
    ]


def contents(found: Returned) -> dict[str, dict[str, Any]]:
    assert not found.problems
    return {name: {code: one.content for code, one in given.items()} for name, given in found.annotations.items()}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.permutations(range(3)), st.permutations(range(3)))
def test_rows_columns_sheets_names_and_files_may_be_in_any_order(
    study: Study, three_filled: list[Path], tmp_path: Path, chance: random.Random, order: list[int], names: list[int]
) -> None:
    as_made = contents(ingest([read_book(Source.at(path)) for path in three_filled], study))
    assert as_made.keys() == {"A1", "A2", "A3"}
    books = []
    for place in order:
        book = openpyxl.load_workbook(three_filled[place])
        sheet, _keys = annotation_sheet(book)
        rows, columns = list(range(sheet.max_row)), list(range(sheet.max_column))
        chance.shuffle(rows)
        chance.shuffle(columns)
        moved(sheet, rows, columns)
        rubric = book.worksheets[1]
        lines, beside = list(range(rubric.max_row)), list(range(rubric.max_column))
        chance.shuffle(lines)
        chance.shuffle(beside)
        moved(rubric, lines, beside)
        for _time in range(3):
            for one in (sheet, rubric):
                one.insert_cols(chance.randint(1, one.max_column))
                one.insert_rows(chance.randint(1, one.max_row))
        sheet.title = f"Folha {chance.randint(0, 10**6)}"
        chance.shuffle(book._sheets)
        # the name of one annotator's file may even be that of another's
        target = tmp_path / f"A{names[place] + 1}.xlsx"
        book.save(target)
        books.append(read_book(Source.at(target)))
    assert contents(ingest(books, study)) == as_made


def test_a_file_named_after_somebody_else_is_taken_for_whose_it_is_and_said(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1"), record("i2")], "A1,A2,Ana B")
    data = fill(study, tmp_path / "s", "A1", lambda item: 4, to="x").read_bytes()
    more = fill(study, tmp_path / "s", "Ana B", lambda item: 3, to="x").read_bytes()

    def read(**files: bytes) -> Returned:
        return ingest((read_book(Source(name.replace("_", "."), content=content)) for name, content in files.items()),
                      study)  # fmt: skip

    for name in ("A2.xlsx", "a2.XLSX", "back.zip > A2.xlsx", "Rui/A2 (1).xlsx"):
        found = read(**{name: data})
        assert list(found.annotations) == ["A1"] and not found.problems
        [warning] = found.warnings
        assert "is A1's workbook, though it is named after A2; it counts as A1's" in warning
    assert "named after Ana B" in read(**{"ana b.xlsx": data}).warnings[0]
    for name in ("A1.xlsx", "A1 (2).xlsx", "A3.xlsx", "A2 final.xlsx", "A2/answers.xlsx"):
        assert not read(**{name: data}).warnings
    # a copy under another's name is told as both
    told = read(**{"A1.xlsx": data, "A2.xlsx": data, "Ana B.xlsx": more}).warnings
    assert len(told) == 2 and "named after A2" in told[0] and "is a copy of" in told[1]


def test_hidden_and_filtered_rows_are_read(returned: Callable[..., Returned], study: Study) -> None:
    def hide(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for row in rows.values():
            sheet.row_dimensions[row].hidden = True
        sheet.auto_filter.ref = f"A2:L{sheet.max_row}"
        sheet.sheet_state = "hidden"

    assert scores(study, returned(hide)) == SCORES


def test_locked_texts_that_changed_are_named(returned: Callable[..., Returned], study: Study) -> None:
    def edit(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["text"]).value += "!"

    [problem] = returned(edit).problems
    assert "changed" in problem.what and code_of(study, "i1") in problem.what and problem.cell


def test_rows_and_items_that_are_missing_or_doubled_are_named(returned: Callable[..., Returned], study: Study) -> None:
    def delete(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.delete_rows(rows["i1"])

    told = " ".join(str(problem) for problem in returned(delete).problems)
    assert "missing" in told and code_of(study, "i1") in told

    def double(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for column in range(1, sheet.max_column + 1):
            sheet.cell(sheet.max_row + 0, column)
        target = sheet.max_row + 1
        for column in range(1, len(keys) + 1):
            sheet.cell(target, column).value = sheet.cell(rows["i2"], column).value
        sheet.cell(target, keys["score"]).value = 1

    [problem] = returned(double).problems
    assert "twice" in problem.what and code_of(study, "i2") in problem.what


def test_a_score_in_a_row_that_asks_for_nothing_is_not_lost_silently(returned: Callable[..., Returned]) -> None:
    def stray(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(sheet.max_row + 2, keys["score"]).value = 5

    [problem] = returned(stray).problems
    assert "asks for nothing" in problem.what


def test_a_doubled_column_is_an_error_not_a_choice(returned: Callable[..., Returned]) -> None:
    """in-09: both columns are named, and the items in which they differ with both scores."""

    def double(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        column = len(keys) + 1
        sheet.cell(1, column).value = "score"
        first, second, *_rest = rows.values()
        sheet.cell(first, keys["score"]).value, sheet.cell(first, column).value = 4, 2
        sheet.cell(second, column).value = sheet.cell(second, keys["score"]).value
        differing.append(f"({sheet.cell(first, keys['item_code']).value}: 4 vs 2)")

    differing: list[str] = []
    [problem] = returned(double).problems
    assert "twice" in problem.what and "'score'" in problem.what and problem.what.endswith(differing[0])


def test_two_sheets_that_look_like_the_one_are_both_named(study_folder: Path, study: Study, tmp_path: Path) -> None:
    """in-11: neither the first nor the active sheet is taken for the one that counts."""
    book = openpyxl.load_workbook(study_folder / "send" / "A1.xlsx")
    sheet, _keys = annotation_sheet(book)
    book.copy_worksheet(sheet).title = "Rascunho"
    book.active = len(book.worksheets) - 1
    book.save(tmp_path / "x.xlsx")
    [problem] = ingest([read_book(Source.at(tmp_path / "x.xlsx"))], study).problems
    assert "Rascunho" in problem.what and "Anotação" in problem.what


def test_a_foreign_workbook_is_refused(study: Study, tmp_path: Path) -> None:
    other = make(tmp_path / "other", [record("i1"), record("z")], "A1,A2")
    path = fill(other, tmp_path / "other", "A1", lambda _item: 3)
    found = ingest([read_book(Source.at(path))], study)
    [problem] = found.problems
    assert "another study" in problem.what and not found.annotations
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    [problem] = ingest([read_book(Source.at(tmp_path / "empty.xlsx"))], study).problems
    assert "no annotation sheet" in problem.what


def test_a_copy_is_ignored_and_said_a_different_second_file_is_an_error(
    study_folder: Path, study: Study, tmp_path: Path
) -> None:
    (tmp_path / "send").mkdir()
    (tmp_path / "send" / "A1.xlsx").write_bytes((study_folder / "send" / "A1.xlsx").read_bytes())
    first = fill(study, tmp_path, "A1", SCORES.__getitem__)
    (tmp_path / "filled" / "copy.xlsx").write_bytes(first.read_bytes())
    sources, _warnings = find_sources([tmp_path / "filled"])
    found = ingest([read_book(source) for source in sources], study)
    assert not found.problems
    assert len(found.warnings) == 1 and "copy" in found.warnings[0]
    fill(study, tmp_path, "A1", lambda item: 2)
    found = ingest([read_book(source) for source in find_sources([tmp_path / "filled"])[0]], study)
    [problem] = found.problems
    assert "second file from A1" in problem.what and "first difference" in problem.what


@pytest.mark.parametrize(
    ("first", "second", "kept", "words"),
    [
        ({}, {"saw_scores": "sim"}, {"saw_scores": "sim"}, "it counts instead"),
        ({"saw_scores": "sim"}, {}, {"saw_scores": "sim"}, "it was ignored"),
        ({"saw_scores": "sim"}, {"saw_scores": "sim", "comment": "x"}, {"saw_scores": "sim", "comment": "x"}, "more"),
        ({"saw_scores": "sim"}, {"saw_scores": "não"}, None, "saw_scores: 'sim' vs 'não'"),
        ({"saw_scores": "sim"}, {"comment": "x"}, None, "comment: blank vs 'x'; saw_scores: 'sim' vs blank"),
    ],
)
def test_of_two_copies_the_answers_to_the_closing_questions_are_kept(
    study_folder: Path,
    study: Study,
    tmp_path: Path,
    first: dict[str, str],
    second: dict[str, str],
    kept: Any,
    words: str,
) -> None:
    books = []
    for name, answers in (("one.xlsx", first), ("two.xlsx", second)):
        book = openpyxl.load_workbook(study_folder / "send" / "A1.xlsx")
        sheet, keys = annotation_sheet(book)
        sheet.cell(answer_rows(sheet, keys)[code_of(study, "i1")], keys["score"]).value = "4"
        for [key] in book.worksheets[0].iter_rows(max_col=1):
            if str(key.value).startswith(CLOSING):
                key.offset(column=CLOSING_COLUMN).value = answers.get(key.value.removeprefix(CLOSING))
        book.save(tmp_path / name)
        books.append(read_book(Source.at(tmp_path / name)))
    found = ingest(books, study)
    assert scores(study, found)["i1"] == 4 and len(found.repairs) == 1
    said = [*found.warnings, *(problem.what for problem in found.problems)]
    assert len(said) == 1 and words in said[0]
    assert bool(found.problems) == (kept is None) and found.closing.get("A1", {}) == (first if kept is None else kept)
    counted = "two.xlsx" if "instead" in said[0] else "one.xlsx"
    assert found.files["A1"][0] == counted and found.repairs[0].place.startswith(counted)


def test_hidden_columns_that_were_emptied_or_mixed_are_told(returned: Callable[..., Returned]) -> None:
    def empty(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for row in rows.values():
            sheet.cell(row, keys["annotator"]).value = None

    [problem] = returned(empty).problems
    assert "whose" in problem.what

    def mixed(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["annotator"]).value = "A2"

    [problem] = returned(mixed).problems
    assert "several annotators" in problem.what

    def stranger(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for row in rows.values():
            sheet.cell(row, keys["annotator"]).value = "Z9"

    [problem] = returned(stranger).problems
    assert "not in the study" in problem.what
