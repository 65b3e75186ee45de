"""Rubrics of any length and scales of any kind: they fit into a workbook, or it is said why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml

from tests.studies import ok, refused
from toolkit.errors import ToolkitError
from toolkit.rubrics import parse_scale
from toolkit.workbook.measure import line_count, rows_of

EXCELS_TALLEST = 409.5


def rubric(values: list[Any], words: int = 3, question: int = 99, **scale: Any) -> dict[str, Any]:
    text = " ".join(f"palavra{place % 7}" for place in range(words))
    levels = {value: {"short": str(value)[:9], "description": f"{value}: {text}"} for value in values}
    described = {
        "title": "T",
        "question": " ".join(text.split()[:question]),
        "levels": levels,
        "edge_cases": [text * 4],
        "sets": text,
        "examples": [{"text": text * 6, "score": values[0], "why": text * 4}],
    }
    content = {"kind": "ordinal", "values": values} | scale
    return {"schema": 1, "name": "n", "language": "pt-BR", "scale": content, "dimensions": {"factual": described}}


def asked(folder: Path, content: dict[str, Any]) -> tuple[Any, ...]:
    (folder / "r.yaml").write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    item = {"dimension": "factual", "prompt": "p", "response": "r", "judge_score": content["scale"]["values"][0]}
    (folder / "s.jsonl").write_text("\n".join(json.dumps(item | {"item_id": f"i{n}"}) for n in range(3)))
    options = ("--annotators", "2", "--rubric", folder / "r.yaml", "--seed", "1", "--practice", "-q")
    return ("make-sheets", folder / "s.jsonl", *options, "-o", folder / "s", "--force")


@pytest.mark.parametrize("words", [3, 120, 500])
def test_no_row_is_taller_than_excel_allows_and_no_word_is_lost(words: int, tmp_path: Path) -> None:
    content = rubric([1, 2, 3, 4, 5], words)
    ok(*asked(tmp_path, content))
    book = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx")
    tallest = max(row.height or 0 for sheet in book for row in sheet.row_dimensions.values())
    assert tallest < EXCELS_TALLEST
    said = [" ".join(str(cell.value) for line in sheet.iter_rows() for cell in line if cell.value) for sheet in book]
    levels = content["dimensions"]["factual"]["levels"]
    for level in levels.values():
        assert all(level["description"].split()[0] in text for text in said[1:])
    # what is merged over several rows is as tall as its lines
    sheet = book.worksheets[2]
    boxes = [area for area in sheet.merged_cells.ranges if area.max_row > area.min_row or words == 3]
    assert boxes
    for area in boxes:
        text = str(sheet.cell(area.min_row, area.min_col).value)
        room = sum(sheet.row_dimensions[row].height or 0 for row in range(area.min_row, area.max_row + 1))
        assert room >= line_count(text, 470, 9) * 9 * 1.15


def test_a_text_cut_into_rows_is_whole() -> None:
    text = "\n".join(f"linha {place} " + "palavra " * (place % 9) for place in range(200))
    pieces = rows_of(text, 300, 11)
    assert len(pieces) > 10
    assert " ".join(" ".join(pieces).split()) == " ".join(text.split())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (rubric(list(range(101))), "input message holds 255"),
        (rubric(list(range(101))), "a cell's list holds 255"),
        (rubric([1, 2], 999, 999), "longer than fits into a row"),
        (rubric(["1/2", "3/4"], kind="nominal"), "number, date, formula or list"),
        (rubric(["0", "1"], kind="nominal"), "number, date, formula or list"),
        (rubric(["true", "false"], kind="nominal"), "number, date, formula or list"),
        (rubric(["a, b", "c"], kind="nominal"), "number, date, formula or list"),
        (rubric(["=A1", "c"], kind="nominal"), "number, date, formula or list"),
        (rubric([1, 10**18]), "lie between"),
        (rubric([1, 2], 9_000), "a cell holds 32,767"),
    ],
)
def test_what_no_workbook_can_hold_or_give_back_is_refused(content: dict[str, Any], words: str, tmp_path: Path) -> None:
    assert words in refused(*asked(tmp_path, content))
    assert not (tmp_path / "s").exists()


def test_names_of_letters_are_no_numbers(tmp_path: Path) -> None:
    ok(*asked(tmp_path, rubric(["A", "tie", "B 2", "não se aplica"], kind="nominal")))


def test_a_rubric_with_an_impossible_date_is_no_crash(tmp_path: Path) -> None:
    arguments = asked(tmp_path, rubric([1, 2]))
    (tmp_path / "r.yaml").write_text("schema: 1\nname: 2026-13-45\n")
    assert "month must be in 1..12" in refused(*arguments)


def test_scales_for_ratings_from_elsewhere(tmp_path: Path) -> None:
    lines = [f"i{n},d,{name},{(n * step) % 101}" for n in range(8) for name, step in (("A", 13), ("B", 14), ("C", 12))]
    (tmp_path / "r.csv").write_text("\n".join(["item_id,dimension,annotator_id,score", *lines]))
    ok("analyze", tmp_path / "r.csv", "--scale", "0-100", "-o", tmp_path / "report", "-q")
    assert parse_scale("0-100").values == tuple(range(101)) and str(parse_scale("0-100")) == "0-100"
    below = parse_scale("-2-2")
    assert below.values == (-2, -1, 0, 1, 2) == parse_scale("-2,-1,0,1,2").values and str(below) == "-2-2"
    assert parse_scale(" -5 - -3").values == (-5, -4, -3) and parse_scale("-1,yes").kind == "nominal"
    for text in ("0-999999", "1-99999999999999999999", "1-" + "9" * 5_000, "5-1", "2--2", "1", "1--", "-5"):
        with pytest.raises(ToolkitError, match="--scale"):
            parse_scale(text)
