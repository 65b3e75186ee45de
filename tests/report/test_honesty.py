"""What keeps a report honest: marks beside fragile figures, the plan, the checklist, what is missing, who saw what."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.report import stories
from tests.report.page import Page, table
from tests.report.test_provenance import of_a_study
from toolkit.consensus import Decision, Discussed
from toolkit.model import Annotation, Scale, SourceItem
from toolkit.report.absent import not_computed
from toolkit.report.blindness import saw_scores
from toolkit.report.cells import OUTSIDE_MARK, THRESHOLD_MARK, EstimateRow, EstimateTable, grid
from toolkit.report.closer import lean_tables
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.plan import plan, validity
from toolkit.report.story import ABSENT, DROPPED, Story
from toolkit.report.verdict import verdict
from toolkit.stats.results import Estimate
from toolkit.study import Deviation, Study


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
        (Estimate(0.1, 40, (0.0, 0.3)), (0.0,), THRESHOLD_MARK),
        (Estimate(0.1, 40, (0.001, 0.3)), (0.0,), ""),
        (Estimate(-0.1, 40, (-0.3, 0.0)), (0.0,), THRESHOLD_MARK),
        (Estimate(0.1, 40), (0.0,), ""),
        (Estimate(None, 0), (0.0,), ""),
    ],
)
def test_fragile_figures_are_marked(estimate: Estimate, thresholds: tuple[float, ...], marks: str) -> None:
    facts = Facts(stories.make([[1, 2, 3]], {"J": [1]}))
    found = grid(EstimateTable("t", "T", ["all"], [EstimateRow("r", "", [estimate], thresholds=thresholds)]), facts)
    assert found.rows[0][1].notes == marks
    assert [mark for mark, _text in found.remarks if mark] == marks.split()


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


def test_recorded_deviations_have_their_own_date() -> None:
    story = of_a_study(date="2026-03-01")
    assert story.study is not None
    noted = (Deviation(date=datetime.date(2026, 1, 20), what="Bo scored the last six items a week later."),)
    study = Study.model_validate_json(story.study.model_copy(update={"deviations": noted}).to_json())
    told = [text for label, text in plan(Facts(replace(story, study=study))) if label == "Deviation"]
    assert told[0] == "January 20, 2026: Bo scored the last six items a week later."
    assert b"deviations" not in story.study.to_json() and study.moved() == []


def test_the_primary_figure_of_names_without_order_is_one_that_has_a_meaning() -> None:
    study = of_a_study().study
    names = stories.make([[0, 1, 1]] * 12, {"J": [1] * 12}, scale=Scale(kind="nominal", values=("A", "B")), study=study)
    said = dict(plan(Facts(names)))["Primary figure"]
    assert said.startswith("Quadratic-weighted kappa, which has no meaning") and "Unweighted kappa stands in" in said


def test_who_is_left_out_and_why_is_said_the_same_way_everywhere() -> None:
    story = of_a_study(left_out={"Di": ABSENT, "Ed": DROPPED})
    for key in ("limits", "data"):
        text = section(story, key)
        assert "Di does not take part: returned nothing." in text and "Ed does not take part: left out" in text


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


# --- how the figures come about ---


def test_method_says_what_was_drawn_and_how_p_values_come_about() -> None:
    text = section(of_a_study(), "method")
    for words in (
        "Items, one by one",
        "1,000 times",
        "the true one included",
        "Benjamini & Hochberg",
        "signed-rank test below 30 items",
        "Yekutieli 2001",
        "Each person in turn",
        "from the same seed",
    ):
        assert words in text, words
    assert "the same ones for all figures" not in text


def test_method_counts_the_prompts_behind_the_items() -> None:
    items = [SourceItem(item_id=f"i{n}", dimension="factual", prompt=f"p{n // 2}") for n in range(24)]
    scores = [[1, 2, 3], [2, 3, 4]] * 12
    assert "12 of them stand behind the 24 items" in section(stories.make(scores, items=items), "method")
    few = [SourceItem(item_id=f"i{n}", dimension="factual", prompt=f"p{n // 8}") for n in range(24)]
    assert "although they share 3 prompts or texts" in section(stories.make(scores, items=few), "method")
    drawn = [item.model_copy(update={"stratum": f"s{n % 4}"}) for n, item in enumerate(items)]
    assert "drawn within 4 strata" in section(stories.make(scores, items=drawn), "method")


# --- the checklist ---


def test_checklist_is_filled_where_the_data_allow() -> None:
    told = table(Page(render_html(of_a_study())), "GRRAS")
    assert [row[0] for row in told[1:]] == [str(number) for number in range(1, 16)]
    state = {int(row[0]): row[3] for row in told[1:]}
    assert {state[number] for number in (2, 8, 9, 10, 11, 12, 13, 15)} == {"told here"}
    assert {state[number] for number in (3, 4, 6, 14)} == {"told here in part"}
    assert {state[number] for number in (1, 5, 7)} == {"for you to write"}
    assert "3 annotators, 12 items, of which 12 count; 36 scores." in told[11][2]
    facts = Facts(of_a_study())
    assert told[14][2] == f"{verdict(facts).sentence} {verdict(facts).advice}"
    assert facts.interval(facts.judge_estimates["kappa_quadratic"]) in told[6][2]
    elsewhere = table(Page(render_html(stories.make([[1, 2, 3]] * 12))), "GRRAS")
    assert elsewhere[8][3] == elsewhere[9][3] == "for you to write"
    assert elsewhere[12][2:] == ["Dimension: Factuality (12).", "told here in part"]


def test_checklist_names_the_kinds_of_items_and_the_repeated_scores() -> None:
    items = [
        SourceItem(item_id=f"i{n}", dimension="factual", category=f"c{n}", model=f"m{n % 2}", stratum="s")
        for n in range(12)
    ]
    story = stories.make(
        [[1 + n % 5, 1 + n % 4] for n in range(12)],
        {"J": [1 + n % 5 for n in range(12)]},
        items=items,
        repeats={"J": [[1 + n % 5, 1 + n % 5, np.nan] if n else [1, 2, 3] for n in range(12)]},
    )
    told = table(Page(render_html(story)), "GRRAS")
    assert (
        told[3][2] == told[12][2] == "Dimension: Factuality (12). Category: 12 different ones. Model: m0 (6), m1 (6)."
    )
    assert told[11][2].endswith("J scored each item 2 to 3 times.")
    assert told[7][2:] == ["The items name the stratum they were drawn from: 1 stratum.", "told here in part"]


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
    assert "Ana said they had seen a score" in checklist and "neither judge nor model" in checklist


def test_nobody_asked_is_not_nobody_saw() -> None:
    assert "is not known" in section(of_a_study(), "data")
    assert "nobody said they had seen a score" in section(of_a_study(closing={"Bo": {"saw_scores": "no"}}), "data")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"judge_seen_first": True, "discussed": {0: Discussed(Decision.KEEP)}}, "were there to be seen before"),
        ({"judge_seen_first": True}, "have not been discussed yet"),
        ({"judge_seen_first": False, "discussed": {0: Discussed(Decision.KEEP)}}, "held back until the flagged items"),
        ({"judge_seen_first": None}, "is not in the files"),
        ({"judge_seen_first": False, "options": {"hold_judge": True}}, "held back so far"),
    ],
)
def test_when_the_judge_was_revealed_is_always_said(changes: dict[str, Any], words: str) -> None:
    said = ("before the flagged items were discussed", "have not been discussed yet", "held back")
    text = section(stories.make([[1, 4, 4], [2, 2, 2]] * 6, {"J": [3] * 12}, **changes), "data")
    assert words in text
    calm = section(stories.make([[2, 2, 2]] * 12, {"J": [3] * 12}), "data")
    assert not any(one in calm for one in said)


def test_what_is_known_of_the_annotators_is_told_and_the_rest_named() -> None:
    text = section(of_a_study(), "data")
    assert "Not told about the annotators: expertise, language, training." in text


def test_same_texts_for_all_and_nothing_claimed_for_the_judge() -> None:
    text = section(of_a_study(), "data")
    assert "all annotators hold the same texts" in text and "does not come with its scores" in text
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


@pytest.mark.parametrize(("answer", "saw"), [("yes, once", True), ("sim: uma nota", True), ("SIM.", True)])
def test_yes_and_more_is_yes(answer: str, saw: bool) -> None:
    assert bool(saw_scores({"Ana": {"saw_scores": answer}})) is saw


def test_neither_yes_nor_no_is_told_and_not_taken_for_no() -> None:
    told = section(of_a_study(closing={"Ana": {"saw_scores": "one, by chance"}, "Bo": {"saw_scores": "não"}}), "data")
    assert "neither yes nor no was answered by: Ana (“one, by chance”)." in told
    assert "Bo (“" not in told and "nobody said they had seen" not in told
    told = section(of_a_study(closing={"Ana": {"saw_scores": "-"}, "Bo": {"saw_scores": "falso"}}), "data")
    assert "neither yes nor no" not in told and "nobody said they had seen" in told


# --- what a referee found: counts that need a word, reasons that name their field ---


def test_the_verdict_says_when_it_rests_on_fewer_items_than_the_report() -> None:
    rows = [[1, 2], [4, 4], [5, 4], [2, 2]] * 5
    alone: list[list[float | None]] = [[3, None], [None, 2]]
    scores = [*rows, *alone]
    some = stories.make(scores, {"J": [1, 4, 5, 3] * 5 + [3, 2]}, options={"fewest_scores": 1})
    said = " ".join(verdict(Facts(some)).support)
    assert "rests on 20 of the 22 items" in said
    every = stories.make(rows, {"J": [1, 4, 5, 3] * 5})
    assert "rests on" not in " ".join(verdict(Facts(every)).support)


def test_a_lean_without_a_person_beside_it_speaks_of_no_difference() -> None:
    keys = ["a", "b"] * 15
    table = [[1 + n % 5, 1 + (n + n % 2) % 5] for n in range(30)]
    told = stories.make(table, {"J": [1 + (n + 1) % 5 for n in range(30)]}, dimensions=keys)
    page = Page(render_html(told))
    errors = page.root.one("section", id="errors").text
    assert "p of no lean, adjusted" in errors and "leans of those held out add up to 0" in errors
    levels = lean_tables(Facts(told))[0]
    # each item counts once in every level that the median of some other people has: here, in one or two
    assert 30 <= sum(row.estimates[0].n for row in levels.rows if row.estimates[0]) <= 60
    assert "may add up to more items than there are" in errors


@pytest.mark.parametrize(
    ("categories", "reason"),
    [
        ([None] * 14, "is missing for 14 of 14 items"),
        (["x"] * 13 + [None], "is missing for 1 of 14 items"),
        (["x"] * 14, "has the same value for every item"),
        ([f"c{n}" for n in range(14)], "has 14 values; more than 12 groups"),
    ],
)
def test_what_is_not_grouped_says_why_in_numbers(categories: list[str | None], reason: str) -> None:
    items = [SourceItem(item_id=f"i{n}", dimension="factual", category=one) for n, one in enumerate(categories)]
    told = stories.make([[1, 2, 2], [4, 4, 5]] * 7, {"J": [1, 4] * 7}, items=items)
    assert reason in dict(not_computed(Facts(told)))["Lean by category"]


def test_scores_that_nobody_described_are_not_listed_as_their_own_meaning() -> None:
    bare = stories.make([[1, 2, 3], [4, 4, 7]] * 6, {"J": [1, 4] * 6}, scale=Scale(values=(1, 2, 3, 4, 5, 6, 7)))
    assert "What the scores mean" not in render_html(bare).decode()
    assert "What the scores mean" in render_html(stories.example()).decode()
