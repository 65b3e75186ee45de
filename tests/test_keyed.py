"""Discussion and triage workbooks as a group sends them back: one sheet, one row of keys, and what is in view."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from toolkit.consensus import Decision, Discussed
from toolkit.model import Annotation, Item, Response
from toolkit.rubrics import default_rubric
from toolkit.workbook.discussion import CSV_KEYS, Talk, holds_decisions, read_discussion, render_discussion
from toolkit.workbook.readers import Source, read_book
from toolkit.workbook.triage import KEYS, Dispute, Fault, Triaged, holds_verdicts, read_triage, render_triage

RUBRIC = default_rubric("en")
ITEMS = {
    code: Item(item_code=code, dimension="factual", prompt="?", responses=(Response(response=code),))
    for code in ("K1", "K2")
}
DISPUTES = {code: Dispute(item, 5, 2, f"{code}-token") for code, item in ITEMS.items()}
Keys = dict[str, int]
Change = Callable[[openpyxl.Workbook, Worksheet, Keys, int], Any]


def returned(kind: str, change: Change, *, saved_as: str = "xlsx") -> tuple[Any, list[str], bool]:
    """Return what is read of K1 in a workbook of a kind, what is told, and whether it holds answers."""
    if kind == "discussion":
        said = tuple(Annotation(annotator=name, item_code="K1", score=score) for name, score in (("A1", 1), ("A2", 4)))
        talks = [Talk(code, item, said, 2.5, 3) for code, item in ITEMS.items()]
        options = {"judge_shown": False, "markdown": "raw"}
        data = render_discussion(talks, RUBRIC, study_id="st-1", language_code="en", **options)  # type: ignore[arg-type]
    else:
        data = render_triage([*DISPUTES.values()], RUBRIC, study_id="st-1", language_code="en", markdown="raw")
    book = openpyxl.load_workbook(io.BytesIO(data))
    sheet = book.worksheets[0]
    keys = {str(cell.value): cell.column for cell in sheet[1]}
    row = next(row for row in range(3, 99) if sheet.cell(row, keys["item_code"]).value == "K1")
    change(book, sheet, keys, row)
    if saved_as == "csv":
        text = io.StringIO()
        csv.writer(text).writerows(sheet.iter_rows(values_only=True))
        content = text.getvalue().encode("cp1252", "replace")
    else:
        buffer = io.BytesIO()
        book.save(buffer)
        content = buffer.getvalue()
    read = read_book(Source(f"x.{saved_as}", content=content), csv_keys=CSV_KEYS if kind == "discussion" else KEYS)
    if kind == "discussion":
        talked = read_discussion(read, study_id="st-1", rubric=RUBRIC, items=ITEMS, medians={})
        return talked.outcomes.get("K1"), list(map(str, talked.problems)), holds_decisions(read)
    outcomes, problems = read_triage(read, study_id="st-1", disputes=DISPUTES)
    return outcomes.get("K1"), list(map(str, problems)), holds_verdicts(read)


def scored(value: Any, number_format: str = "General", **font: Any) -> Change:
    def put(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, row: int) -> None:
        cell = sheet.cell(row, keys["consensus_after_discussion"])
        cell.value, cell.number_format, cell.font = value, number_format, Font(**font)

    return put


def copied(state: str) -> Change:
    def copy(book: openpyxl.Workbook, sheet: Worksheet, _keys: Keys, _row: int) -> None:
        book.copy_worksheet(sheet).title = "Copy"
        book["Copy"].sheet_state = state

    return copy


def doubled(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, _row: int) -> None:
    key = "consensus_after_discussion" if "decision" in keys else "verdict"
    sheet.cell(1, 20).value = f"\u200b{key.upper()} "


def keys_again(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, _row: int) -> None:
    for key, column in keys.items():
        sheet.cell(60, column).value = key


def a_row_too_high(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, row: int) -> None:
    sheet.cell(row - 1, keys.get("decision", keys.get("verdict", 0))).value = "keep"


def unseen(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, row: int) -> None:
    for key in ("study", "item_code"):
        sheet.cell(row, keys[key]).value = f"\ufeff{sheet.cell(row, keys[key]).value}"
    sheet.cell(1, keys["item_code"]).value = "\ufeffitem_code"


def nothing(*_: Any) -> None:
    pass


@pytest.mark.parametrize("kind", ["discussion", "triage"])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (nothing, ()),
        (unseen, ()),
        (copied("visible"), ("holds 2 sheets of this kind", "'Copy'")),
        (copied("hidden"), ("holds 2 sheets of this kind", "'Copy' (hidden)")),
        (doubled, ("is there twice, in", "T1")),
        (keys_again, ("the row of keys is there again in row 60", "one below the other")),
        (a_row_too_high, ("of a row that asks for nothing", "keep")),
    ],
    ids=lambda value: getattr(value, "__qualname__", None),
)
def test_one_sheet_with_one_row_of_keys(kind: str, change: Change, told: tuple[str, ...]) -> None:
    outcome, problems, answered = returned(kind, change)
    # what cannot be read may hold answers, and is never written over
    assert outcome is None and bool(problems) == bool(told) == answered
    assert all(words in problems[0] for words in told)


@pytest.mark.parametrize(
    ("change", "outcome", "told"),
    [
        (scored(4), 4, ""),
        (scored(4, "0.00"), 4, ""),
        (scored("4", '"1"@'), None, "stored as 4, but the cell shows 14"),
        (scored(4, ";;;"), None, "stored as 4, but the cell shows nothing"),
        (scored(4, '"5"'), None, "stored as 4, but the cell shows 5"),
        (scored(4, strike=True), None, "struck out"),
    ],
)
def test_the_agreed_score_is_the_one_in_view(change: Change, outcome: int | None, told: str) -> None:
    found, problems, answered = returned("discussion", change)
    assert found == (None if outcome is None else Discussed(Decision.REVISE, outcome))
    assert answered
    assert len(problems) == bool(told) and told in "".join(problems)


def test_words_that_are_struck_out_can_still_be_read() -> None:
    def strike(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, row: int) -> None:
        scored(4)(_book, sheet, keys, row)
        cell = sheet.cell(row, keys["consensus_notes"])
        cell.value, cell.font = "agreed", Font(strike=True)

    assert returned("discussion", strike)[:2] == (Discussed(Decision.REVISE, 4, "agreed"), [])


def entered(**answers: Any) -> Change:
    def put(_book: openpyxl.Workbook, sheet: Worksheet, keys: Keys, row: int) -> None:
        for key, value in answers.items():
            sheet.cell(row, keys[key]).value = value

    return put


@pytest.mark.parametrize("saved_as", ["xlsx", "csv"])
def test_a_sheet_saved_as_csv_says_the_same(saved_as: str) -> None:
    agreed = entered(consensus_after_discussion=4, decision="revisar", consensus_notes="razão,\nlida")
    assert returned("discussion", agreed, saved_as=saved_as)[:2] == (Discussed(Decision.REVISE, 4, "razão,\nlida"), [])
    found, told, _answered = returned("triage", entered(verdict="rubric", triage_notes="x"), saved_as=saved_as)
    assert found == Triaged(Fault.RUBRIC, "x") and told == []
    for kind, key in (("discussion", "decision"), ("triage", "verdict")):
        _found, [told_once], _answered = returned(kind, entered(**{key: "perhaps"}), saved_as=saved_as)
        assert "'perhaps'" in told_once
        _found, [told_once], _answered = returned(kind, entered(study="st-2"), saved_as=saved_as)
        assert "belongs to another study" in told_once


@pytest.mark.parametrize(
    ("kind", "answers", "told"),
    [
        (
            "discussion",
            {"consensus_after_discussion": 7, "decision": "revizar", "consensus_notes": "=A1"},
            ("off the scale", "no decision called 'revizar'", "a formula"),
        ),
        ("discussion", {"consensus_after_discussion": 7, "decision": "exclude"}, ("off the scale", "must say why")),
        ("discussion", {"decision": "revise", "consensus_notes": "=A1"}, ("a score is needed", "a formula")),
        ("discussion", {"consensus_after_discussion": "=1+1", "decision": "no"}, ("a formula", "no decision called")),
        ("discussion", {"consensus_after_discussion": 7}, ("off the scale",)),
        ("discussion", {"consensus_notes": "=A1"}, ("a formula",)),
        (
            "triage",
            {"first_score": 1, "verdict": "neither", "triage_notes": "=A1"},
            ("is no verdict", "not those of the study now", "a formula"),
        ),
        ("triage", {"verdict": "=A1", "second_score": 3}, ("a formula", "not those of the study now")),
    ],
)
def test_all_that_is_wrong_in_a_row_is_told_at_once(kind: str, answers: dict[str, Any], told: tuple[str, ...]) -> None:
    found, problems, _answered = returned(kind, entered(**answers))
    assert found is None and len(problems) == len(told)
    assert all(any(words in problem for problem in problems) for words in told)


def swapped(*keys: str) -> Change:
    """Swap cells of the two items, as sorting some columns without the rest does."""

    def swap(_book: openpyxl.Workbook, sheet: Worksheet, places: Keys, row: int) -> None:
        entered(**{"decision": "keep"} if "decision" in places else {"verdict": "rubric"})(_book, sheet, places, row)
        other = next(at for at in range(3, 99) if sheet.cell(at, places["item_code"]).value == "K2")
        for key in keys:
            one, two = sheet.cell(row, places[key]), sheet.cell(other, places[key])
            one.value, two.value = two.value, one.value

    return swap


@pytest.mark.parametrize("saved_as", ["xlsx", "csv"])
@pytest.mark.parametrize("kind", ["discussion", "triage"])
@pytest.mark.parametrize("keys", [("item_code",), ("part",), ("item_code", "text")])
def test_a_code_in_the_row_of_another_item_is_named(kind: str, keys: tuple[str, ...], saved_as: str) -> None:
    outcome, problems, _answered = returned(kind, swapped(*keys), saved_as=saved_as)
    assert outcome is None and len(problems) == 2
    assert "the code of item K" in problems[0] and "does not belong to it" in problems[0]
    assert f" > {'C8' if kind == 'discussion' else 'D6'}: " in problems[0]


def test_the_token_of_another_item_is_named() -> None:
    moved = swapped("token", "first_score", "second_score")
    outcome, problems, _answered = returned("triage", moved)
    assert outcome is None
    assert "its token is that of another item" in problems[0]


@pytest.mark.parametrize("kind", ["discussion", "triage"])
def test_whole_rows_may_be_moved_and_a_sheet_without_parts_goes_by_its_codes(kind: str) -> None:
    def moved(book: openpyxl.Workbook, sheet: Worksheet, places: Keys, row: int) -> None:
        swapped(*places)(book, sheet, places, row)
        sheet.insert_rows(row)

    def without_parts(book: openpyxl.Workbook, sheet: Worksheet, places: Keys, row: int) -> None:
        swapped()(book, sheet, places, row)
        sheet.delete_cols(places["part"])
        for cell in sheet[2]:
            cell.value = None  # the header is told by its part

    def emptied(book: openpyxl.Workbook, sheet: Worksheet, places: Keys, row: int) -> None:
        swapped()(book, sheet, places, row)
        sheet.cell(row, places["part"]).value = None

    wanted = Discussed(Decision.KEEP) if kind == "discussion" else Triaged(Fault.RUBRIC)
    # openpyxl leaves merged cells where they were when it inserts a row, so this goes by CSV
    for change, saved_as in ((moved, "csv"), (without_parts, "xlsx")):
        assert returned(kind, change, saved_as=saved_as)[:2] == (wanted, [])
    outcome, [told], _answered = returned(kind, emptied)
    assert outcome is None and "does not belong to it" in told
