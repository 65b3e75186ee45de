"""Where the data come from, what happened to them, and whether anything moved: said in the report and the workbook."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import openpyxl
import pytest

from tests.report import stories
from tests.report.page import Page, table
from toolkit.model import Annotator, Record, Response, SourceItem
from toolkit.report.cite import used
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.procedures import procedures
from toolkit.report.story import Story
from toolkit.report.xlsx import render_xlsx
from toolkit.rubrics import default_rubric
from toolkit.study import create_study


class Repair:
    """A cell that was read other than as a plain value."""

    place, found, read_as = "A1.xlsx > Annotation > H12", "4,0", "4"


def of_a_study(**changes: Any) -> Story:
    items = [SourceItem(item_id=f"i{n}", dimension="factual", prompt=f"p{n}") for n in range(12)]
    records = [Record(item=item) for item in items]
    study = create_study(records, default_rubric("en"), ["Ana", "Bo", "Cy"], language="en", seed=7)
    people = (Annotator(name="Ana", role="physician", hours=2.5), *study.annotators[1:])
    study = study.model_copy(update={"annotators": people})
    scores = np.random.default_rng(2).integers(1, 6, (12, 3)).tolist()
    return stories.make(scores, {"J": [3] * 12}, items=items, names=study.names, assigned=True, study=study, **changes)


@pytest.fixture(scope="module")
def story() -> Story:
    return of_a_study(repairs=[Repair()], files={"Ana": ("Ana.xlsx", "ab" * 32)}, moved=["judge_scores"])


def test_report_tells_where_the_data_come_from(story: Story) -> None:
    page = Page(render_html(story))
    assert table(page, "Who scored")[1][:3] == ["Ana", "physician", "2.5"]
    assert "Values that were not plain, and how they were read: 1" in page.root.text
    assert "Before the workbooks were handed over, every part of them was searched" in page.root.text
    assert table(page, "Values that were not plain")[1] == [
        "A1.xlsx > Annotation > H12",
        "4,0",
        "4",
        "another way to write it",
    ]
    assert table(page, "Files read")[1] == ["Ana", "Ana.xlsx", "ab" * 32]
    assert story.study is not None
    assert [row[1] for row in table(page, "What was sealed")[2:]] == list(story.study.seal.model_dump().values())
    assert "Changed since annotation began: the judge scores." in page.root.one("section", id="data").text
    assert "Blindness cannot be checked" not in page.root.one("section", id="limits").text


def test_workbook_tells_the_same(story: Story) -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(render_xlsx(story)))["Annotators"]
    cells = {str(cell) for row in sheet.iter_rows(values_only=True) for cell in row if cell is not None}
    assert {"Ana", "physician", "4,0", "ab" * 32, "Changed since annotation began: the judge scores."} <= cells


def test_nothing_moved_is_said_too() -> None:
    text = Page(render_html(of_a_study())).root.one("section", id="data").text
    assert "are those that were sealed before annotation began" in text
    assert "nothing was repaired" in text and "Every item counts" in text


def test_method_holds_what_is_needed_to_compute_again(story: Story) -> None:
    text = Page(render_html(story)).root.one("section", id="method").text
    for wanted in ("100 resamples", "Seed", "toolkit 0.", "1 − mean((x − y)²)", "Cohen (1968)", "Below 0.4 low"):
        assert wanted in text


CLOSER = ("What passes", "A judge that knows only the length", "Lean and length", "Stated confidence")


def test_the_figures_of_the_closer_look_are_defined_where_they_are_shown() -> None:
    rows, judge = [[1 + n % 5, 1 + n % 4] for n in range(12)], {"J": [1 + n % 5 for n in range(12)]}
    texts = [(Response(response="word " * (n + 1)),) for n in range(12)]
    items = [SourceItem(item_id=f"i{n}", dimension="factual", responses=text) for n, text in enumerate(texts)]
    whole = Facts(stories.make(rows, judge, items=items, confidence={"J": [n / 12 for n in range(12)]}))
    said = dict(procedures(whole))
    assert set(CLOSER) <= set(said)
    assert said["What passes"].startswith("A score of 4 or more: the second highest level")
    assert "Brier 1950" in said["Stated confidence"]
    assert {"brier1950", "naeini2015"} <= {one.key for one in used(whole)}
    # no texts, so no lengths; no stated confidence; and without a judge nothing of it
    items = [SourceItem(item_id=f"i{n}", dimension="factual") for n in range(12)]
    bare = Facts(stories.make(rows, judge, items=items))
    assert [label for label in CLOSER if label in dict(procedures(bare))] == ["What passes"]
    assert not {"brier1950", "naeini2015"} & {one.key for one in used(bare)}
    people = dict(procedures(Facts(stories.make(rows))))
    assert not set(CLOSER) & set(people) and "What an interval says" in people
