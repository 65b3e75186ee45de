"""The formula that says of a score cell whether it will be read, against the reader itself, on scales of all kinds.

Calculated by the small calculator of the tests of Google Sheets; LibreOffice calculates it in `test_office`.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.google.book import Sheet, Spreadsheet
from tests.google.formulas import effective
from tests.test_rubric_fits import rubric
from toolkit.model import Rubric, Value
from toolkit.values import labels_of, parse_score
from toolkit.workbook.gsheets_look import localised
from toolkit.workbook.recognised import LONGEST_TEXT, blank, is_word, quoted, recognised

LABELS = {1: "Weak", 2: "So-so, mixed", 3: 'Good "enough"'}
RUBRICS = {
    "ordinal": Rubric.model_validate(rubric([1, 2, 3], labels=LABELS)),
    "signed": Rubric.model_validate(rubric([-2, -1, 0, 1, 2])),
    "wide": Rubric.model_validate(rubric(list(range(11)))),
    "nominal": Rubric.model_validate(rubric(["A", "B", "tie"], kind="nominal", labels={"A": "First", "B": "Second"})),
}
WORDS = ("", "  ", " - ", ". ", "10", "00", "tie", "Weak", "good", 'good "enough"', "so-so, mixed", "first")
PIECES = st.sampled_from([*" -:=),./0123+%e|<>aB\u00a0\u2013\uff12", *WORDS])


def calculated(formula: str, cell: Value | bool, locale: str = "en_US") -> Any:
    """Return what a formula about A1 gives."""
    grid = {"rowCount": 2, "columnCount": 2}
    sheet = Sheet({"sheetId": 0, "title": "S", "gridProperties": grid})
    kind = "boolValue" if isinstance(cell, bool) else "stringValue" if isinstance(cell, str) else "numberValue"
    sheet.put(0, 0, {"userEnteredValue": {kind: cell}})
    sheet.put(0, 1, {"userEnteredValue": {"formulaValue": localised(f"={formula}", locale)}})
    found = effective(Spreadsheet("b", {"locale": locale}, [sheet]), sheet, (0, 1))
    assert found is not None
    return next(iter(found.values()))


def read(cell: Value | bool, kind: str) -> Value | None:
    """Return what the reader makes of a cell; None where it refuses it or finds nothing."""
    of = RUBRICS[kind]
    try:
        return parse_score(cell, of.scale, labels_of(of, "factual")).value
    except ValueError:
        return None


@pytest.mark.parametrize("kind", RUBRICS)
@given(st.lists(PIECES, max_size=4).map("".join))
def test_what_is_recognised_is_read_as_a_score(kind: str, text: str) -> None:
    if calculated(recognised("A1", RUBRICS[kind], "factual"), text):
        assert read(text, kind) is not None
    assert calculated(blank("A1"), text) == (not text.strip())


@pytest.mark.parametrize("locale", ["en_US", "pt_BR"])
@pytest.mark.parametrize(("kind", "cells"), [
    ("ordinal", [1, 3, "2", "2,0", "2.00", "+2", "\uff12", "weak", " WEAK ", "so-so,  mixed", "2 - So-so, mixed",
                 "1: weak"]),
    ("signed", [-2, 0, 2, "-2", "-2,0", "0", "+1", "+0"]),
    ("wide", [0, 10, "10", "10,0", "0.0"]),
    ("nominal", ["A", "a", " tie", "TIE", "first", "B - second", "b: Second"]),
])  # fmt: skip
def test_what_is_read_as_a_score_is_recognised(kind: str, cells: list[Value], locale: str) -> None:
    formula = recognised("A1", RUBRICS[kind], "factual")
    for cell in cells:
        assert read(cell, kind) is not None and calculated(formula, cell, locale) is True, cell


@pytest.mark.parametrize("locale", ["en_US", "pt_BR"])
def test_what_is_no_score_is_not_recognised(locale: str) -> None:
    cells = {
        "ordinal": [0, 4, 1.5, True, "1.5", "1/2", "3 - weak", "1-2", "x"],
        "nominal": [1, True, "C", "A - second"],
    }
    for kind, values in cells.items():
        for cell in values:
            assert read(cell, kind) is None  # type: ignore[arg-type]
            assert calculated(recognised("A1", RUBRICS[kind], "factual"), cell, locale) is False, cell  # type: ignore[arg-type]


def test_an_error_value_is_no_score_and_not_blank() -> None:
    broken = "1/0"
    assert calculated(recognised(broken, RUBRICS["ordinal"], "factual"), 1) is False
    assert calculated(blank(broken), 1) is False and calculated(is_word(broken, "sim"), 1) is False


def test_a_long_text_is_whole_in_a_formula() -> None:
    text = 'say "no", ' * 60
    assert calculated(quoted(text), 1) == text and calculated(quoted(""), 1) == ""
    assert max(map(len, quoted(text).split("&"))) <= 2 * LONGEST_TEXT + 2
