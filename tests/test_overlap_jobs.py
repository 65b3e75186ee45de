"""Every job on a study in which not everybody scores every item, with `tests.test_overlap`'s scores by hand."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.report.test_triage import marked
from tests.studies import consensus, fill, make, metrics, ok, record, refused
from tests.test_overlap import ABOVE, DIMENSIONS, ITEMS, scorers, study_of

DIMENSION = dict(zip(ITEMS, DIMENSIONS, strict=True))


def medians(study: Any) -> dict[str, float]:
    return {i: statistics.median(ITEMS[i] + ABOVE[name] for name in names) for i, names in scorers(study).items()}


def test_check_and_status_count_what_each_was_to_score(tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", "--overlap", "3", filled=False)
    first = study.by_code[study.assignments["A2"][0]].item_id
    for name in ("A1", "A2", "A3"):
        fill(study, tmp_path / "s", name, lambda item, name=name: None if (name, item) == ("A2", first) else 3)  # type: ignore[misc]
    found = json.loads(ok("status", tmp_path / "s", "--json"))
    assert [sum(one["assigned"].values()) for one in found["annotators"]] == [18] * 4
    assert [sum(one["scored"].values()) for one in found["annotators"]] == [18, 17, 18, 0]
    assert "A2 (1 left)" in found["next"] and "A4" in found["next"]
    said = ok("check", tmp_path / "s")
    assert said.count("18 of 18 items scored") == 2 and "17 of 18 items scored" in said


def test_keep_takes_the_scores_that_are_there(tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", "--overlap", "3")
    first = study.by_code[study.assignments["A4"][0]].item_id
    fill(study, tmp_path / "s", "A4", lambda item: None if item == first else ITEMS[item] + ABOVE["A4"])
    ok("consolidate", tmp_path / "s", "-q")
    assert metrics(tmp_path / "s" / "report")["overall"]["n"] == 23
    ok("consolidate", tmp_path / "s", "--missing", "keep", "-o", tmp_path / "kept", "-q")
    found = metrics(tmp_path / "kept")
    assert found["overall"]["n"] == 24 and found["incomplete"] == [first]
    assert found["sensitivity"]["complete_only"]["overall"]["n"] == 23
    left = [name for name in scorers(study)[first] if name != "A4"]
    want = statistics.median(ITEMS[first] + ABOVE[name] for name in left)
    assert float(consensus(tmp_path / "kept")[first]["human_consensus_score"]) == want


def test_the_golden_set_validates_a_judge(tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", "--overlap", "3")
    ok("consolidate", tmp_path / "s", "-q")
    golden = json.loads((tmp_path / "s" / "report" / "golden_set.json").read_text())
    assert {one["id"]: one["human_consensus_score"] for one in golden["scenarios"]} == medians(study)
    found = json.loads(ok("validate-judge", tmp_path / "s", "--judged", tmp_path / "s.jsonl", "--json"))
    theirs = metrics(tmp_path / "s" / "report")["overall"]["judge_human"]
    apart = [middle - ITEMS[item] for item, middle in medians(study).items()]
    for key in ("kappa_quadratic", "mae", "bias"):
        assert found["overall"][key] == theirs[key]
    assert found["overall"]["mae"]["value"] == pytest.approx(statistics.fmean(apart))


def test_items_that_wait_are_not_in_the_golden_set(tmp_path: Path) -> None:
    study_of(tmp_path / "s", "--overlap", "2")
    ok("consolidate", tmp_path / "s", "-q")
    waiting = metrics(tmp_path / "s" / "report")["pending_discussion"]
    golden = json.loads((tmp_path / "s" / "report" / "golden_set.json").read_text())
    assert golden["annotation_protocol"]["left_out"] == waiting and len(waiting) == 8
    found = json.loads(ok("validate-judge", tmp_path / "s", "--judged", tmp_path / "s.jsonl", "--json", "-q"))
    assert found["overall"]["mae"]["n"] == 16 and found["left_out"]["without_consensus"] == waiting
    assert any("8 items without a human_consensus_score" in warning for warning in found["warnings"])


def test_the_whole_log_by_shares_of_items(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record(i, judge_score=b) for i, b in ITEMS.items()], "4", "--overlap", "3")
    for name in study.names:
        fill(study, tmp_path / "s", name, lambda item, name=name: ITEMS[item] + ABOVE[name])  # type: ignore[misc]
    ok("consolidate", tmp_path / "s", "-q")
    ok("population", tmp_path / "s", "--log", tmp_path / "s.jsonl", "-o", tmp_path / "p.json", "-q")
    found = json.loads((tmp_path / "p.json").read_text())["dimensions"]["factual"]
    assert found["n"] == 24
    assert found["mean"]["people_alone"] == pytest.approx(statistics.fmean(medians(study).values()))
    ok("consolidate", tmp_path / "s", "--population", tmp_path / "p.json", "-o", tmp_path / "r", "-q")
    # with somebody left out the consensus is another one
    other = ["--without", "A4", "--reveal-judge", "--population", tmp_path / "p.json", "-o", tmp_path / "x"]
    assert "other human scores" in refused("consolidate", tmp_path / "s", *other)


def test_the_discussion_of_shares_and_the_disputes_after_it(tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", "--overlap", "2")
    ok("consolidate", tmp_path / "s", "-q")
    book = openpyxl.load_workbook(tmp_path / "s" / "report" / "discussion.xlsx")
    sheet = book["Discussion"]
    keys = {str(cell.value): cell.column for cell in sheet[1]}
    far = {i for i, names in scorers(study).items() if "A4" in names and {"A1", "A2"} & set(names)}
    talked = set()
    for row in range(2, sheet.max_row + 1):
        if (code := sheet.cell(row, keys["item_code"]).value) in study.by_code:
            item = study.by_code[code].item_id
            talked.add(item)
            sheet.cell(row, keys["consensus_after_discussion"]).value = ITEMS[item] + 2
    assert talked == far
    book.save(tmp_path / "d.xlsx")
    ok("consolidate", tmp_path / "s", "--discussion", tmp_path / "d.xlsx", "-o", tmp_path / "r", "-q")
    found = metrics(tmp_path / "r")
    assert set(found["judge_disagreements"]) == far and found["pending_discussion"] == []

    def wrong(sheet: Any, row: int, keys: dict[str, int]) -> tuple[str, str]:
        # the judge lies two below
        first, second = (sheet.cell(row, keys[key]).value for key in ("first_score", "second_score"))
        return ("first score wrong" if first < second else "second score wrong"), "too strict"

    filled = marked(tmp_path / "r" / "triage.xlsx", tmp_path / "t.xlsx", wrong)
    ok(
        "consolidate",
        tmp_path / "s",
        "--discussion",
        tmp_path / "d.xlsx",
        "--triage",
        filled,
        "-o",
        tmp_path / "t",
        "-q",
    )
    assert metrics(tmp_path / "t")["triage"]["items"] == dict.fromkeys(sorted(far, key=list(ITEMS).index), "judge")


def figures(folder: Path) -> dict[str, Any]:
    found = metrics(folder)
    return {
        key: found[key] for key in ("mode", "overall", "by_dimension", "flagged", "incomplete", "pending_discussion")
    }


@pytest.mark.parametrize("options", [[], ["--overlap", "3"], ["--overlap", "2", "--common", "4"]])
def test_left_out_is_as_if_nothing_had_come(tmp_path: Path, options: list[str]) -> None:
    study_of(tmp_path / "s", *options)
    ok("consolidate", tmp_path / "s", "--without", "A4", "--reveal-judge", "-o", tmp_path / "told", "-q")
    (tmp_path / "s" / "filled" / "A4.xlsx").unlink()
    ok("consolidate", tmp_path / "s", "--reveal-judge", "-o", tmp_path / "absent", "-q")
    assert figures(tmp_path / "told") == figures(tmp_path / "absent")


def test_left_out_is_as_if_never_asked(tmp_path: Path) -> None:
    records = [record(item, DIMENSION[item], judge_score=base) for item, base in ITEMS.items()]
    for names in ("A1,A2,A3,A4", "A1,A2,A3"):
        folder = tmp_path / str(len(names)) / "s"
        study = make(folder, records, names)
        for name in study.names:
            fill(study, folder, name, lambda item, name=name: ITEMS[item] + ABOVE[name])  # type: ignore[misc]
        left_out = ["--without", "A4"] if "A4" in names else []
        ok("consolidate", folder, *left_out, "-o", tmp_path / str(len(left_out)), "-q")
    told, never = figures(tmp_path / "2"), figures(tmp_path / "0")
    for found in (told, never):
        # what depends on the order in which they scored: it is drawn for each study
        for one in found["overall"]["human_human"]["per_annotator"].values():
            for key in [key for key in one if key.startswith(("longest", "drift"))]:
                del one[key]
        del found["by_dimension"]
    assert told == never


def test_a_file_of_somebody_left_out_stands_in_nobodys_way(tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", "--overlap", "3")
    fill(study, tmp_path / "s", "A4", lambda item: "3-4")
    fill(study, tmp_path / "s", "A3", lambda item: "4/5" if item == "i00" else 3)
    said = refused("consolidate", tmp_path / "s", "--without", "A4")
    a_three = "i00" in {study.by_code[code].item_id for code in study.assignments["A3"]}
    assert a_three and "A3.xlsx" in said and "A4.xlsx" not in said and "1 problem found" in said
    fill(study, tmp_path / "s", "A3", lambda item: 3)
    assert "A4.xlsx" in refused("consolidate", tmp_path / "s")
    said = ok("consolidate", tmp_path / "s", "--without", "A4")
    assert "A4.xlsx is not used, since annotator A4 is left out; problems in it: 18" in said
    assert metrics(tmp_path / "s" / "report")["overall"]["n"] == 24
