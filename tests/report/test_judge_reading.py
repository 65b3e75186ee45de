"""What `toolkit judge` recorded beside its scores comes into the report: clamped, unread, inconsistent answers."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.judging.fake_server import score_reply
from tests.report import stories
from tests.report.page import Page
from tests.studies import fill, make, metrics, ok, record, write_jsonl
from toolkit.model import Judgement, Trace
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.judge_reading import position_consistency

PEOPLE = [1, 2, 3, 4, 5, 4, 3, 2, 1, 2, 3, 5]
TEXTS = {f"i{n}": score_reply(score) for n, score in enumerate(PEOPLE)} | {
    "i3": "no idea",
    "i4": score_reply(6),
    "i5": "I'm sorry, but I can't help with that.",
}


def report(folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    """Go the whole way from answers to a report; return metrics.json and the words on the data."""
    write_jsonl(folder / "in.jsonl", [record(f"i{n}", judge_score=None) for n in range(len(PEOPLE))])
    write_jsonl(folder / "answers.jsonl", [{"item_id": item, "text": text} for item, text in TEXTS.items()])
    given = ["--provider", "replay", "--answers", folder / "answers.jsonl", "--model", "J", "-o", folder / "j.jsonl"]
    ok("judge", folder / "in.jsonl", *given, *options, "-q")
    study = make(folder / "study", map(json.loads, (folder / "j.jsonl").read_text().splitlines()))
    for name in study.names:
        fill(study, folder / "study", name, lambda item: PEOPLE[int(item[1:])])
    ok("consolidate", folder / "study", "-q")
    page = Page((folder / "study" / "report" / "report.html").read_bytes())
    return metrics(folder / "study" / "report"), page.root.one("section", id="data").text


def test_what_was_clamped_is_counted_and_left_out(tmp_path: Path) -> None:
    found, said = report(tmp_path)
    assert found["judge_reading"] == {
        "parse_methods": {"json": 10, "default": 2},
        "without_score": [
            {"failure": "unparsed", "reason": "no score in the answer", "items": ["i3"]},
            {"failure": "refusal", "reason": "the answer declines to score", "items": ["i5"]},
        ],
        "clamped": {"counted": [], "left_out": ["i4"]},
        "position_consistency": None,
    }
    assert found["overall"]["judge_human"]["mae"]["n"] == 9
    assert "One point off the scale, and left out: i4." in said
    assert "because no score can be read from its answer [no score in the answer]: i3." in said
    assert "because it declined to answer: i5." in said
    assert "10 json, 2 default" in said
    # another prompt makes another report: its hash stands among what the report holds for
    asked = {json.loads(line)["judge_prompt"] for line in (tmp_path / "j.jsonl").read_text().splitlines()}
    assert len(asked) == 1 and asked.pop() in said
    with (tmp_path / "study" / "report" / "consensus.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["item_id"] for row in csv.DictReader(file) if not row["judge_score"]] == ["i3", "i4", "i5"]


def test_it_is_in_agreement_only_when_it_was_kept(tmp_path: Path) -> None:
    found, said = report(tmp_path, "--keep-clamped")
    assert found["judge_reading"]["clamped"] == {"counted": ["i4"], "left_out": []}
    assert found["overall"]["judge_human"]["mae"]["n"] == 10
    assert "counted as the end of the scale (--keep-clamped): i4." in said


def pairs(consistent: list[bool | None]) -> Any:
    names = tuple(f"i{n:02d}" for n in range(len(consistent)))
    story = stories.make([[3, 3, 4]] * len(names), {"J": [3] * len(names)})
    keys = [item.key for item in story.analysis.panel.items]
    said = {
        key: [Judgement(item_id=key[0], dimension=key[1], judge="J", score=3, trace=Trace(consistent=one))]
        for key, one in zip(keys, consistent, strict=True)
    }
    return replace(story, judgements=said)


def test_how_often_both_orders_agree() -> None:
    story = pairs([True] * 15 + [False] * 5 + [None] * 4)
    found = position_consistency(Facts(story))
    assert found is not None and found.ci95 is not None
    assert (found.value, found.n) == (0.75, 20)
    # 2.5% and 97.5% points of a binomial of 20 with 0.75: 11 and 18
    assert np.array(found.ci95) == pytest.approx([0.55, 0.9], abs=0.051)
    said = Page(render_html(story)).root.one("section", id="data").text
    assert "the same answer in both orders in 75% of 20 comparisons" in said


def test_nothing_is_said_where_nothing_was_recorded() -> None:
    story = pairs([None] * 12)
    assert position_consistency(Facts(story)) is None
    assert "both orders" not in Page(render_html(story)).root.one("section", id="data").text
