"""What annotators write that repeats the judge is found; what both quote from the item or the rubric is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.worksheet.worksheet import Worksheet

from tests.studies import fill, make, ok, record, refused
from toolkit.workbook.quotes import WORDS_ALIKE

SAID = (
    "The second region is missing, and the dates stay vague throughout, although the reference gives every one of them"
)
RUN = SAID.replace(",", "").lower().split()


def found(tmp_path: Path, words: str, key: str = "justification", **fields: str) -> str:
    """What check says of an annotator who wrote some words."""
    record_ = record("i1", judge_justification=fields.pop("said", SAID), **fields)
    study = make(tmp_path / "s", [record_, record("i2")], "A1,A2")

    def write(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys[key]).value = words

    fill(study, tmp_path / "s", "A1", lambda item: 4, write)
    told = ok("check", tmp_path / "s")
    code = next(item.item_code for item in study.items if item.item_id == "i1")
    assert ("repeats the judge's justification" in told) == (f"about item {code} repeats" in told)
    return told


@pytest.mark.parametrize("key", ["justification", "notes"])
@pytest.mark.parametrize("start", [0, 3, len(RUN) - WORDS_ALIKE])
def test_ten_words_in_a_row_are_found_wherever_they_begin(tmp_path: Path, key: str, start: int) -> None:
    quoted = " ".join(RUN[start : start + WORDS_ALIKE])
    told = found(tmp_path, f"I think: «{quoted.upper()}» - so two", key)
    assert f"({quoted!r})" in told and "no problem found" in told
    assert "repeats the judge's justification" in ok("status", tmp_path / "s")
    audit = refused("audit-blind", tmp_path / "s", tmp_path / "s" / "filled" / "A1.xlsx")
    assert "repeats a judge's justification of item" in audit and "NOT BLIND" in audit


def test_fewer_words_or_in_another_order_are_not(tmp_path: Path) -> None:
    told = found(tmp_path, " ".join(RUN[: WORDS_ALIKE - 1]) + " and so on; " + " ".join(reversed(RUN)))
    assert "repeats the judge's" not in told


def test_a_short_justification_is_found_when_all_of_it_is_repeated(tmp_path: Path) -> None:
    said = "Right, but far too long."
    assert "repeats the judge's" in found(tmp_path / "a", "Yes: right but FAR too long", said=said)
    assert "repeats the judge's" not in found(tmp_path / "b", "right, but too long", said=said)
    assert "repeats the judge's" not in found(tmp_path / "c", "all correct", said="All correct")


def test_what_both_quote_from_the_item_or_the_rubric_is_nobodys(tmp_path: Path) -> None:
    quoted = "water boils at one hundred degrees at sea level and at less on mountains"
    said = (
        f"It says that {quoted}, which is right; then it goes on about pressure, vapour and kettles, none of which "
        "anybody has asked for, and closes with a recipe for tea that takes up most of the page"
    )
    assert "repeats" not in found(tmp_path / "a", f"It has {quoted}", said=said, response=f"Sure: {quoted}.")
    assert "repeats" not in found(tmp_path / "b", f"Cf. {quoted}", said=said, ground_truth=quoted.title())
    assert "repeats" in found(tmp_path / "c", f"It has {quoted}", said=said)
    study = make(tmp_path / "d", [record("i1"), record("i2")], "A1,A2")
    level = max((level.description for level in study.rubric.dimensions["factual"].levels.values()), key=len)
    assert "repeats" not in found(tmp_path / "e", level, said=f"{level} Hence this score")


def test_the_words_of_another_item_are_not_looked_for(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1"), record("i2", judge_justification=SAID)], "A1,A2")

    def write(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["justification"]).value = SAID

    fill(study, tmp_path / "s", "A1", lambda item: 4, write)
    assert "repeats" not in ok("check", tmp_path / "s")
