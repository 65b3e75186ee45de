"""Scales of another kind: names without order, and two levels only. What has no meaning there is not said."""

from __future__ import annotations

import json
import re

import pytest

from tests.report import stories
from tests.report.page import Page, table
from toolkit.jobs.triaged import disputes
from toolkit.model import Scale
from toolkit.report.absent import not_computed
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.metrics import render_metrics
from toolkit.report.sentences import direction_sentence
from toolkit.report.story import Story
from toolkit.report.verdict import verdict

NAMES = Scale(kind="nominal", values=("A", "B", "tie"))
BINARY = Scale(values=(0, 1))


def names() -> Story:
    """People say A on six items, B on three, and disagree on the last; the judge says B once where they say A."""
    people = [[0, 0, 1]] * 6 + [[1, 1, 1]] * 3 + [[0, 1, 2]]
    return stories.make(people, {"J": [0] * 5 + [1] * 4 + [2]}, scale=NAMES)


def binary() -> Story:
    return stories.make([[0, 0, 1]] * 6 + [[1, 1, 1]] * 6, {"J": [0] * 5 + [1] * 7}, scale=BINARY)


def section(story: Story, key: str) -> str:
    return Page(render_html(story)).root.one("section", id=key).text


def test_items_where_the_judge_names_another_answer_are_listed() -> None:
    found = json.loads(render_metrics(names()))
    assert found["judge_disagreements"] == ["i06"] and found["flagged"] == ["i10"]
    text = section(names(), "read")
    assert "The judge says B, people's most frequent answer is A." in text
    assert "People do not agree on a most frequent score." in text
    assert "the judge's is another one" in text and "points apart" not in text


def test_items_without_a_consensus_are_not_said_to_count_against_the_judge() -> None:
    assert "Every item counts in the agreement among people." in section(names(), "data")
    assert "not compared with the judge: i10." in section(names(), "data")
    assert "On 1 of 10 items no answer is the most frequent one" in section(names(), "limits")


@pytest.mark.parametrize("story", [names(), binary()])
def test_nothing_is_said_of_two_points(story: Story) -> None:
    whole = Page(render_html(story)).root.one("main").text
    assert not re.search("two or more points", whole.replace("No two scores of this scale lie two points apart", ""))
    assert not disputes(story.analysis)


def test_verdict_on_names_says_where_to_look_further() -> None:
    found = verdict(Facts(names()))
    assert "it does not say whether the judge is as good as a person" in found.advice


def test_two_levels_list_every_difference() -> None:
    found = json.loads(render_metrics(binary()))
    assert found["judge_disagreements"] == ["i06"]
    text = section(binary(), "read")
    assert "The judge is 1 point above people." in text and "the judge's score is another than the people's" in text
    assert "level on 11" in direction_sentence(Facts(binary())) and "two or more" not in direction_sentence(
        Facts(binary())
    )
    assert "No two scores of this scale lie two points apart." in dict(not_computed(Facts(binary()))).values()


def test_two_levels_pass_at_the_higher_one() -> None:
    told = table(Page(render_html(binary())), "If a score of 1 or more passes")
    share = next(row[1] for row in told if row[0].startswith("Wrongly passed"))
    assert share.replace("\u00a0", " ").startswith("17%") and share.replace("\u00a0", " ").endswith("1 of 6")
    alike = stories.make([[0, 0, 1]] * 6 + [[1, 1, 1]] * 6, {"J": [0] * 6 + [1] * 6}, scale=BINARY)
    assert "No item is flagged: the judge says everywhere what people say." in section(alike, "read")


def test_figures_of_a_person_do_not_speak_of_the_consensus() -> None:
    for story in (names(), stories.make([[1, 2, 3], [2, 3, 4]] * 6, {"J": [2, 3] * 6})):
        told = " ".join(row[0] for row in table(Page(render_html(story)), "The judge against each person")[1:])
        assert "consensus" not in told and "that person" in told
