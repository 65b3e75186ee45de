"""Rendered by LibreOffice: no line of any text is cut off, in the sheets that go out and in the discussion's."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from tests.office import Office
from tests.studies import annotation_sheet, make, ok, record
from toolkit.jobs.demo import demo

pytestmark = pytest.mark.office
# half a screen pixel: LibreOffice rounds heights to twips
TOLERANCE_POINTS = 0.4


def pixels(path: Path, sheet: int) -> list[int]:
    """Return the width of each column of a sheet in pixels, as Excel has it; 0 where it is hidden."""
    found: dict[int, int] = {}
    for dimension in openpyxl.load_workbook(path).worksheets[sheet].column_dimensions.values():
        if dimension.min and dimension.max and not dimension.hidden:
            for column in range(dimension.min, dimension.max + 1):
                found[column] = round(dimension.width * 7)
    return [found.get(column, 0) for column in range(1, max(found) + 1)]


def clipped(office: Office, path: Path, sheet: int) -> list[tuple[int, float, float]]:
    """Return (row, height, height needed) of every row that is too low for a text in it."""
    [heights] = office.ask(path, ["optimal_heights", sheet, pixels(path, sheet)])
    return [
        (row, stored, needed)
        for row, (stored, needed) in enumerate(heights, 1)
        if row > 2 and needed > stored + TOLERANCE_POINTS
    ]


@pytest.mark.parametrize("markdown", ["rendered", "raw"])
def test_no_line_of_the_real_case_is_cut_off(office: Office, cases: Path, tmp_path: Path, markdown: str) -> None:
    sample = cases / "two-annotators-pt" / "items.jsonl"
    command = ("make-sheets", sample, "--annotators", "2", "--lang", "pt-BR", "--markdown", markdown)
    ok(*command, "-o", tmp_path / "s", "--seed", "3", "-q")
    path = tmp_path / "s" / "send" / "A2.xlsx"
    book = openpyxl.load_workbook(path)
    titles = [sheet.title for sheet in book.worksheets]
    for place, _title in enumerate(titles):
        assert clipped(office, path, place) == []


@pytest.mark.parametrize("lang", ["en", "pt-BR", "es"])
def test_no_line_of_the_guide_the_rubric_and_the_options_is_cut_off(office: Office, tmp_path: Path, lang: str) -> None:
    records = [record("i1"), record("c1", "consistency"), record("r1", "robustness", original_response="o")]
    options = ("--practice", "--time-columns", "--require-justification", "--deadline", "x", "--contact", "y")
    make(tmp_path / "s", records, "A1,A2", "--lang", lang, *options)
    path = tmp_path / "s" / "send" / "A1.xlsx"
    for place in range(3):
        assert clipped(office, path, place) == []


def test_no_line_of_the_discussion_is_cut_off(office: Office, tmp_path: Path) -> None:
    demo(tmp_path / "demo")
    ok("consolidate", tmp_path / "demo", "-o", tmp_path / "undecided", "-q")
    path = tmp_path / "undecided" / "discussion.xlsx"
    sheet, _keys = annotation_sheet(openpyxl.load_workbook(path))
    assert sheet.max_row > 10
    for place in range(2):
        assert clipped(office, path, place) == []


def test_hard_texts_are_not_cut_off(office: Office, tmp_path: Path) -> None:
    texts = [
        "W" * 3000,
        "word " * 2000,
        "linha\n" * 300,
        "ありがとうございます。" * 80,
        "😀 emoji 😀 " * 100,
        "مرحبا بكم " * 120,
        "| a | b |\n|---|---|\n" + "| um valor bem longo aqui | outro |\n" * 30,
        "```python\n" + "\n".join(f"x_{n} = {'y' * n}" for n in range(90)) + "\n```",
        "# " + "Um título muito comprido " * 8 + "\n\n" + "**negrito** e *itálico* " * 120,
    ]
    records = [record(f"i{n}", response=text) for n, text in enumerate(texts)]
    make(tmp_path / "s", records, "A1,A2")
    assert clipped(office, tmp_path / "s" / "send" / "A1.xlsx", 2) == []
