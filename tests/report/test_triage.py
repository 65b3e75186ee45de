"""The triage workbook: two scores without a name, marked, and read back as the judge's genuine error rate."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from tests.report import stories
from tests.report.page import Page
from tests.studies import fill, make, metrics, ok, refused, toolkit
from toolkit.i18n import LANGUAGES, language
from toolkit.model import Item, Response
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.metrics import render_metrics
from toolkit.report.story import Story
from toolkit.report.triaged import figures
from toolkit.rubrics import default_rubric
from toolkit.study import Study
from toolkit.workbook.readers import Source, read_book
from toolkit.workbook.triage import (
    Dispute,
    Fault,
    Triaged,
    holds_verdicts,
    read_triage,
    render_triage,
    token,
    verdict_words,
)

SECRET = "SENTINEL-JUDGE"
PEOPLE = {f"i{n:02d}": 2 for n in range(12)}
JUDGE = {f"i{n:02d}": 5.0 if n < 4 else 2.0 for n in range(12)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("triage") / "study"
    records = [
        {
            "item_id": item,
            "dimension": "factual",
            "prompt": f"Question {item[1:]}",
            "response": f"**Answer** {item[1:]}",
            "judge_score": score,
            "judge_model": SECRET,
            "judge_justification": f"{SECRET} says",
            "model": "chatbot-x",
        }
        for item, score in JUDGE.items()
    ]
    study = make(folder, records)
    for name in study.names:
        fill(study, folder, name, PEOPLE.__getitem__)
    ok("consolidate", folder, "-q")
    return study, folder


def marked(path: Path, target: Path, said: Callable[[Worksheet, int, dict[str, int]], tuple[str, str] | None]) -> Path:
    """Fill in a triage workbook as somebody at a spreadsheet would."""
    book = openpyxl.load_workbook(path)
    sheet = book["Triage"]
    keys = {str(cell.value): cell.column for cell in sheet[1]}
    for row in range(3, sheet.max_row + 1):
        if sheet.cell(row, keys["token"]).value:
            answer = said(sheet, row, keys)
            if answer:
                sheet.cell(row, keys["verdict"]).value, sheet.cell(row, keys["triage_notes"]).value = answer
    book.save(target)
    return target


def judge_is_wrong(sheet: Worksheet, row: int, keys: dict[str, int]) -> tuple[str, str]:
    """The judge's score is 5 on every disputed item."""
    first = sheet.cell(row, keys["first_score"]).value == 5
    return ("first score wrong" if first else "second score wrong"), "unsupported"


def test_is_written_where_judge_and_people_are_far_apart(made: tuple[Study, Path]) -> None:
    _study, folder = made
    book = openpyxl.load_workbook(folder / "report" / "triage.xlsx")
    sheet = book["Triage"]
    keys = {str(cell.value): cell.column for cell in sheet[1]}
    rows = [row for row in range(3, sheet.max_row + 1) if sheet.cell(row, keys["token"]).value]
    scores = [(sheet.cell(row, keys["first_score"]).value, sheet.cell(row, keys["second_score"]).value) for row in rows]
    assert sorted(map(tuple, map(sorted, scores))) == [(2, 5)] * 4
    with zipfile.ZipFile(folder / "report" / "triage.xlsx") as parts:
        for name in parts.namelist():
            for secret in (SECRET, "chatbot-x", "i01", "A1<", "because i"):
                assert secret.encode() not in parts.read(name), name


def test_order_follows_from_the_seed_and_says_nothing() -> None:
    firsts = [Dispute(item("C"), 5, 2, token(seed, f"C{code}")).judge_first for seed in (1, 2) for code in range(200)]
    assert 150 < sum(firsts) < 250
    assert firsts[:200] != firsts[200:]
    assert token(1, "CODE") == token(1, "CODE") and "CODE" not in token(1, "CODE")


def item(code: str) -> Item:
    return Item(item_code=code, dimension="factual", prompt="q", responses=(Response(response="a"),))


def test_a_mean_does_not_give_the_judge_away() -> None:
    assert set(Dispute(item("C"), 4.67, 2.5, "t").scores) == {5, 2}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("word", ["first", "second", "rubric", "item"])
def test_what_is_marked_comes_back(tmp_path: Path, code: str, word: str) -> None:
    disputes = [Dispute(item(f"C{n}"), 1, 4, token(9, f"C{n}")) for n in range(6)]
    data = render_triage(disputes, default_rubric(code), study_id="st-x", language_code=code, markdown="rendered")
    assert data == render_triage(
        disputes, default_rubric(code), study_id="st-x", language_code=code, markdown="rendered"
    )
    path = tmp_path / "triage.xlsx"
    path.write_bytes(data)
    assert not holds_verdicts(read_book(Source.at(path)))
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    keys = {str(cell.value): cell.column for cell in sheet[1]}
    for row in range(3, sheet.max_row + 1):
        if sheet.cell(row, keys["token"]).value:
            sheet.cell(row, keys["verdict"]).value = verdict_words(language(code))[word].upper()
    book.save(path)
    read = read_book(Source.at(path))
    assert holds_verdicts(read)
    found, problems = read_triage(read, study_id="st-x", disputes={d.item.item_code: d for d in disputes})
    assert not problems and len(found) == 6
    for dispute in disputes:
        wanted = {"rubric": Fault.RUBRIC, "item": Fault.ITEM}.get(word)
        judge_first = dispute.scores[0] == 1
        wanted = wanted or (Fault.JUDGE if (word == "first") == judge_first else Fault.PEOPLE)
        assert found[dispute.item.item_code].fault is wanted


def test_gives_the_genuine_error_rate(made: tuple[Study, Path], tmp_path: Path) -> None:
    _study, folder = made
    filled = marked(folder / "report" / "triage.xlsx", tmp_path / "t.xlsx", judge_is_wrong)
    ok("consolidate", folder, "--triage", filled, "-o", tmp_path / "final", "-q")
    found = metrics(tmp_path / "final")["triage"]
    assert set(found["items"].values()) == {"judge"} and len(found["items"]) == 4 and found["waiting"] == []
    assert found["genuine_error_rate"]["value"] == pytest.approx(4 / 12) and found["genuine_error_rate"]["n"] == 12
    low, high = found["genuine_error_rate"]["ci95"]
    # Wilson (1927): (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), with p = 4/12 and z = 1.959964
    assert (low, high) == pytest.approx((0.13812, 0.60937), abs=1e-4)
    assert "final/triage.xlsx" not in [str(path) for path in (tmp_path / "final").iterdir()]
    text = Page((tmp_path / "final" / "report.html").read_bytes()).root.one("section", id="errors").text
    assert "wrong by two or more points on 4 of 12 items: 33%" in text
    assert "unsupported" in (tmp_path / "final" / "report.html").read_text(encoding="utf-8")


def test_the_rate_waits_for_the_last_verdict(made: tuple[Study, Path], tmp_path: Path) -> None:
    _study, folder = made
    given: list[int] = []

    def some(sheet: Worksheet, row: int, keys: dict[str, int]) -> tuple[str, str] | None:
        given.append(row)
        return judge_is_wrong(sheet, row, keys) if len(given) < 4 else None

    filled = marked(folder / "report" / "triage.xlsx", tmp_path / "t.xlsx", some)
    ok("consolidate", folder, "--triage", filled, "-o", tmp_path / "final", "-q")
    found = metrics(tmp_path / "final")["triage"]
    assert found["genuine_error_rate"]["value"] is None and len(found["waiting"]) == 1
    assert found["judge_wrong_share"]["value"] == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda sheet, row, keys: ("the judge", ""), "no verdict"),
        (lambda sheet, row, keys: ("", "only a reason"), "no verdict"),
    ],
)
def test_what_cannot_be_taken_is_named(made: tuple[Study, Path], tmp_path: Path, change: Any, told: str) -> None:
    _study, folder = made
    filled = marked(folder / "report" / "triage.xlsx", tmp_path / "t.xlsx", change)
    assert told in refused("consolidate", folder, "--triage", filled, "-o", tmp_path / "final")


def test_other_scores_are_noticed(made: tuple[Study, Path], tmp_path: Path) -> None:
    _study, folder = made

    def other(sheet: Worksheet, row: int, keys: dict[str, int]) -> tuple[str, str]:
        sheet.cell(row, keys["first_score"]).value = 3
        return "rubric unclear", ""

    filled = marked(folder / "report" / "triage.xlsx", tmp_path / "t.xlsx", other)
    assert "not those of the study" in refused("consolidate", folder, "--triage", filled, "-o", tmp_path / "final")


def test_verdicts_are_never_overwritten(made: tuple[Study, Path], tmp_path: Path) -> None:
    _study, folder = made
    out = tmp_path / "report"
    ok("consolidate", folder, "-o", out, "-q")
    marked(out / "triage.xlsx", out / "triage.xlsx", judge_is_wrong)
    before = (out / "triage.xlsx").read_bytes()
    assert "left as it is" in toolkit("consolidate", folder, "-o", out, "--force").output
    assert (out / "triage.xlsx").read_bytes() == before


def test_not_while_the_judge_is_held(made: tuple[Study, Path], tmp_path: Path) -> None:
    _study, folder = made
    ok("consolidate", folder, "--hold-judge", "-o", tmp_path / "held", "-q")
    assert not (tmp_path / "held" / "triage.xlsx").exists()
    filled = folder / "report" / "triage.xlsx"
    assert "held back" in refused("consolidate", folder, "--hold-judge", "--triage", filled, "-o", tmp_path / "x")


def told(**changes: Any) -> Story:
    return stories.make([[2, 2, 2]] * 4, {"J": [5, 5, 2, 2]}, **changes)


def test_without_a_triage_the_report_says_how_to_get_one() -> None:
    assert "fill in triage.xlsx" in Page(render_html(told())).root.one("section", id="errors").text
    assert json.loads(render_metrics(told()))["triage"] is None


def test_everything_but_the_judge_is_no_error_of_the_judge() -> None:
    story = told(triage={0: Triaged(Fault.PEOPLE), 1: Triaged(Fault.RUBRIC, "unclear")})
    assert figures(Facts(story))["genuine_error_rate"].value == 0
    assert "read again: the rubric does not settle it. unclear" in render_html(story).decode()


def test_opens_in_a_program() -> None:
    disputes = [Dispute(item("C1"), 1, 4, token(9, "C1"))]
    data = render_triage(disputes, default_rubric("en"), study_id="", language_code="en", markdown="raw")
    sheet = openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]
    assert sheet.protection.sheet and len(sheet.data_validations.dataValidation) == 1
