"""What keeps a report honest: marks beside fragile figures, the plan, the checklist, what is missing, who saw what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report import stories
from tests.report.page import Page, table
from tests.report.test_provenance import of_a_study
from toolkit.model import Annotation, SourceItem
from toolkit.report.blindness import saw_scores
from toolkit.report.cells import OUTSIDE_MARK, THRESHOLD_MARK, EstimateRow, EstimateTable, grid
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.plan import plan, validity
from toolkit.report.story import Story
from toolkit.stats.results import Estimate


def section(story: Story, key: str) -> str:
    return Page(render_html(story)).root.one("section", id=key).text


# --- a mark where a point lies outside its own interval or a threshold inside it ---


@pytest.mark.parametrize(
    ("estimate", "thresholds", "marks"),
    [
        (Estimate(0.5, 40, (0.45, 0.55)), (0.4, 0.6, 0.8), ""),
        (Estimate(0.5, 40, (0.55, 0.58)), (0.4, 0.6, 0.8), OUTSIDE_MARK),
        (Estimate(0.5, 40, (0.35, 0.55)), (0.4, 0.6, 0.8), THRESHOLD_MARK),
        (Estimate(0.3, 40, (0.35, 0.65)), (0.4, 0.6, 0.8), f"{OUTSIDE_MARK} {THRESHOLD_MARK}"),
        (Estimate(0.1, 40, (-0.1, 0.3)), (0.0,), THRESHOLD_MARK),
        (Estimate(0.1, 40, (0.0, 0.3)), (0.0,), ""),
        (Estimate(0.1, 40), (0.0,), ""),
        (Estimate(None, 0), (0.0,), ""),
    ],
)
def test_fragile_figures_are_marked(estimate: Estimate, thresholds: tuple[float, ...], marks: str) -> None:
    facts = Facts(stories.make([[1, 2, 3]], {"J": [1]}))
    found = grid(EstimateTable("t", "T", ["all"], [EstimateRow("r", "", [estimate], thresholds=thresholds)]), facts)
    assert found.rows[0][1].notes == marks
    assert [mark for mark, _text in found.remarks] == marks.split()


def test_marks_are_explained_where_they_stand() -> None:
    text = section(stories.example(), "judge")
    assert THRESHOLD_MARK in text and "on which side the true value lies is open" in text


# --- the plan and what became of it ---


def test_a_study_as_planned_says_so() -> None:
    story = of_a_study()
    assert story.study is not None
    found = dict(plan(Facts(stories.make([[1, 2, 3]] * 12, study=story.study, names=story.study.names, assigned=True,
                                         options={"seed": story.study.seed}))))  # fmt: skip
    assert found["Primary figure"] == "Quadratic-weighted kappa" and "0.10" in found["Margin"]
    assert found["Deviations"] == "The files show none."


def test_every_deviation_is_told_with_the_day() -> None:
    story = of_a_study(
        moved=["plan", "items"], left_out={"Di": "dropped out"}, judge_seen_first=True, date="2026-03-01"
    )
    told = [text for label, text in plan(Facts(story)) if label == "Deviation"]
    for words in (
        "the plan",
        "the items",
        "Di does not take part: dropped out.",
        "another seed",
        "before the discussion",
    ):
        assert any(words in text for text in told), words
    assert dict(plan(Facts(story)))["Date"].startswith("As of March 1, 2026")


def test_ratings_from_elsewhere_have_no_plan() -> None:
    assert "None that the files know of" in dict(plan(Facts(stories.make([[1, 2, 3]]))))["Plan"]


# --- for what the report is valid ---


def test_validity_changes_with_everything_it_names() -> None:
    def said(scores: list[list[float]], judge: list[float], **more: Any) -> str:
        return validity(Facts(stories.make(scores, {"J": judge}, **more)))

    first = said([[1, 2, 3]], [1])
    assert "Holds for J" in first and "to be made again" in first
    assert len({first, said([[1, 2, 4]], [1]), said([[1, 2, 3]], [2]), said([[1, 2, 3]], [1], language="es")}) == 4
    assert "Made on July 4, 2026." in said([[1, 2, 3]], [1], date="2026-07-04")
    assert said([[1, 2, 3]], [1]) == first


def test_validity_says_nothing_of_a_held_judge() -> None:
    one, two = (stories.make([[1, 4], [2, 2]] * 6, {"SENTINEL": [score] * 12}, assigned=True) for score in (1.5, 4.5))
    assert validity(Facts(one)) == validity(Facts(two)) and "SENTINEL" not in validity(Facts(one))


# --- the checklist ---


def test_checklist_is_filled_where_the_data_allow() -> None:
    told = table(Page(render_html(of_a_study())), "GRRAS")
    assert [row[0] for row in told[1:]] == [str(number) for number in range(1, 16)]
    state = {int(row[0]): row[3] for row in told[1:]}
    assert {state[number] for number in (2, 8, 9, 10, 11, 12, 13, 15)} == {"told here"}
    assert {state[number] for number in (1, 3, 4, 5, 14)} == {"for you to write"}
    assert "3 annotators, 12 items, of which 12 count; 36 scores." in told[11][2]
    elsewhere = table(Page(render_html(stories.make([[1, 2, 3]] * 12))), "GRRAS")
    assert elsewhere[8][3] == elsewhere[9][3] == "for you to write"


# --- what was left out, and who saw what ---


def test_items_left_out_are_compared_with_those_kept() -> None:
    story = stories.make(
        [[1, 1, 1], [3, 3, 3], [5, 5, None], [None, None, None]],
        {"J": [1, 3, 2, 4]},
        assigned=True,
        annotations={(2, "A1"): Annotation(annotator="A1", item_code="", doubt=True)},
    )
    told = {row[0]: row[1:] for row in table(Page(render_html(story)), "Items left out beside")}
    assert told["Items"] == ["2", "2"] and told["Mean score of people"] == ["2.00", "5.00"]
    assert told["Mean score of the judge"] == ["2.00", "3.00"] and told["Scores per item"] == ["3.00", "1.00"]
    assert told["Items somebody doubted"] == ["—", "100%"]
    assert "Items left out beside" not in section(stories.make([[1, 2, 3]] * 3), "data")


@pytest.mark.parametrize(("answer", "saw"), [("yes", True), ("SIM", True), ("sí ", True), ("no", False), ("", False)])
def test_who_saw_scores(answer: str, saw: bool) -> None:
    assert bool(saw_scores({"Ana": {"saw_scores": answer}})) is saw


def test_closing_answers_are_shown() -> None:
    story = of_a_study(closing={"Ana": {"saw_scores": "yes", "comment": "<b>tired</b>"}, "Bo": {"recognised": "no"}})
    told = table(Page(render_html(story)), "What annotators said")
    assert told[0] == ["Question", "Ana", "Bo"]
    assert ["Anything else we should know?", "<b>tired</b>", ""] in told
    assert "Saw a score of the judge or of another annotator before finishing: Ana." in section(story, "data")
    assert "Somebody saw scores" in section(story, "limits")
    # the checklist may not tick blindness that an annotator denies
    checklist = section(story, "checklist")
    assert "Ana said they had seen a score" in checklist and "Blind to the judge" not in checklist


def test_nobody_asked_is_not_nobody_saw() -> None:
    assert "is not known" in section(of_a_study(), "data")
    assert "nobody saw a score" in section(of_a_study(closing={"Bo": {"saw_scores": "no"}}), "data")


def test_what_is_known_of_the_annotators_is_told_and_the_rest_named() -> None:
    text = section(of_a_study(), "data")
    assert "Not told about the annotators: expertise, language, training." in text


def test_same_texts_for_all_and_nothing_claimed_for_the_judge() -> None:
    text = section(of_a_study(), "data")
    assert "All annotators read the same texts" in text and "does not come with its scores" in text
    assert "Which texts people and judge were given is not recorded" in section(stories.make([[1, 2, 3]]), "data")


def test_minutes_are_a_column_only_where_there_are_any() -> None:
    said = {
        (row, "A1"): Annotation(annotator="A1", item_code="", score=1, minutes=minutes)
        for row, minutes in enumerate((1.0, 2.0, 9.0))
    }
    items = [SourceItem(item_id=f"i{n}", dimension="factual") for n in range(3)]
    told = table(Page(render_html(stories.make([[1, 2, 3]] * 3, items=items, annotations=said))), "Who scored")
    assert told[0][-1] == "Minutes per item, median" and [row[-1] for row in told[1:]] == ["2.0", "—", "—"]
    assert "Minutes" not in table(Page(render_html(stories.make([[1, 2, 3]]))), "Who scored")[0][-1]
