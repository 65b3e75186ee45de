"""A scale that goes below zero, where number formats say in several ways that a number does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.readers.build import ods_cell
from tests.returned.workbook import Filled, as_ods
from tests.studies import make, record, toolkit
from toolkit.study import Study

LEVELS = {value: {"short": f"level {value}", "description": f"description {value}"} for value in range(-2, 3)}
RUBRIC = {
    "schema": 1,
    "name": "below zero",
    "language": "en",
    "scale": {"kind": "ordinal", "values": list(LEVELS)},
    "dimensions": {"factual": {"title": "Factual", "question": "Is it so?", "levels": LEVELS}},
}
ACCOUNTING = r'_(* #,##0_);_(* \(#,##0\);_(* "-"_);_(@_)'


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("below-zero")
    (folder / "rubric.yaml").write_text(yaml.safe_dump(RUBRIC), encoding="utf-8")
    return make(folder / "s", [record("f1", judge_score=1)], "A1,A2", "--rubric", folder / "rubric.yaml"), folder / "s"


@pytest.mark.parametrize(
    ("value", "number_format", "told"),
    [
        (-2, "General", ""),
        (-2, "0.00", ""),
        (-2, ACCOUNTING, ""),
        (2, ACCOUNTING, ""),
        (0, ACCOUNTING, "stored as 0, but the cell shows -"),
        (-2, "#,##0_);(#,##0)", ""),
        (-2, "#,##0.00_);[Red](#,##0.00)", ""),
        (-2, '"R$" #,##0_);("R$" #,##0)', ""),
        (-2, "0;[Red]0", "stored as -2, but the cell shows 2"),
        (-2, "0;0-", "stored as -2, but the cell shows 2-"),
        (2, '"("0")"', "stored as 2, but the cell shows (2)"),
        (0, "#", "stored as 0, but the cell shows nothing"),
        (0, "0;-0;;@", "stored as 0, but the cell shows nothing"),
        ("(2)", "General", "exactly one value"),
        ("-2", "General", ""),
        ("\u20132", "General", "exactly one value"),
        ("\u22122", "General", ""),
    ],
)
def test_a_number_below_zero(
    study: tuple[Study, Path], tmp_path: Path, value: int | str, number_format: str, told: str
) -> None:
    filled = Filled(study[0], study[1] / "send" / "A1.xlsx", {})
    filled.put("score", "f1", value, number_format)
    (tmp_path / "A1.xlsx").write_bytes(filled.data())
    [found] = json.loads(toolkit("check", study[1], tmp_path / "A1.xlsx", "--json").stdout)
    assert len(found["problems"]) == bool(told)
    assert all(told in problem["what"] for problem in found["problems"])
    assert found["scored"] == (not told)


@pytest.mark.parametrize(
    ("value", "display", "told"), [(-2, "(2)", ""), (-2, " -2 ", ""), (0, " - ", "shows -"), (-2, "2", "shows 2")]
)
def test_a_number_below_zero_in_ods(
    study: tuple[Study, Path], tmp_path: Path, value: int, display: str, told: str
) -> None:
    filled = Filled(study[0], study[1] / "send" / "A1.xlsx", {})
    cell = ods_cell(f'office:value-type="float" office:value="{value}"', display)
    data = as_ods(filled.grid(), {(filled.rows["f1"], filled.keys["score"]): cell})
    (tmp_path / "A1.ods").write_bytes(data)
    [found] = json.loads(toolkit("check", study[1], tmp_path / "A1.ods", "--json").stdout)
    assert found["scored"] == (not told) and len(found["problems"]) == bool(told)
    assert all(told in problem["what"] for problem in found["problems"])
