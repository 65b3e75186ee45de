"""Where the judge may be left alone, which judge is meant, and what hangs on one person: the figures of a decision."""

from __future__ import annotations

import numpy as np
import pytest

from tests.report import stories
from tests.report.page import Page, table
from toolkit.model import Scale, SourceItem
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.limits import limits
from toolkit.report.story import Story
from toolkit.report.trust import rule_sentence, surest_table
from toolkit.report.verdict import verdict

TRUTH = np.tile(np.arange(1, 6), 40)


def near(noise: float, seed: int = 11) -> list[float]:
    return np.clip(np.rint(TRUTH + np.random.default_rng(seed).normal(0, noise, TRUTH.size)), 1, 5).tolist()


def people(*noises: float) -> list[list[float]]:
    return np.column_stack([near(noise, seed) for seed, noise in enumerate(noises)]).tolist()


def section(story: Story, key: str) -> str:
    return Page(render_html(story)).root.one("section", id=key).text


# --- kinds of items ---


def test_kinds_of_items_with_their_counts_and_what_follows() -> None:
    # judge right on all 40 items of dimension a, 10 of 40 of b, and 9 of 10 of c
    judge = [3] * 40 + [3] * 10 + [5] * 30 + [3] * 9 + [5]
    dimensions = ["a"] * 40 + ["b"] * 40 + ["c"] * 10
    told = {row[0]: row[1:] for row in table(Page(render_html(stories.make([[3, 3, 3]] * 90, {"J": judge},
            dimensions=dimensions))), "Which items may be left to")}  # fmt: skip
    assert told["Dimension: a"] == [
        "40",
        "100%91%\u00a0to\u00a0100%;\u00a040\u00a0of\u00a040",
        "may be left to the judge",
    ]
    assert told["Dimension: b"][1].endswith("10\u00a0of\u00a040") and told["Dimension: b"][2] == "send to people"
    assert told["Dimension: c"][1].startswith("90%60%\u00a0to\u00a098%") and told["Dimension: c"][2].startswith(
        "undecided"
    )
    assert told["The judge says 3"][0] == "59" and told["The judge says 5"][1].endswith("0\u00a0of\u00a031")


def test_kinds_with_few_items_are_counted_not_shown() -> None:
    text = section(stories.example(), "trust")
    assert "kinds of items have fewer than ten items and are left out" in text
    assert [row[0] for row in table(Page(render_html(stories.example())), "Which items may be left to")][
        1
    ] == "All items"


def test_right_means_the_same_answer_where_scores_have_no_order() -> None:
    story = stories.make([[0, 0, 0]] * 40, {"J": [0] * 30 + [1] * 10}, scale=Scale(kind="nominal", values=("A", "B")))
    told = {row[0]: row[1:] for row in table(Page(render_html(story)), "Which items may be left to")}
    assert told["All items"][1].endswith("30\u00a0of\u00a040") and told["The judge says A"][1].startswith("100%")


# --- the surest items, and the rule ---


def sure() -> Story:
    """Sure of every other item, and right there; unsure and three points off on the others."""
    judge = np.where(np.arange(200) % 2, TRUTH, np.where(TRUTH > 3, TRUTH - 3, TRUTH + 2))
    confidence = np.where(np.arange(200) % 2, 0.9, 0.4)
    items = [SourceItem(item_id=f"i{n:03d}", dimension="factual") for n in range(200)]
    return stories.make(
        people(0.3, 0.3, 0.3), {"J": judge.tolist()}, items=items, confidence={"J": confidence.tolist()}
    )


def test_agreement_of_the_surest_items_stands_beside_all() -> None:
    story = sure()
    told = table(Page(render_html(story)), "Agreement when only the items")
    assert [row[0].split("%")[0] for row in told[1:]] == [
        "The surest 50",
        "All items200 left to the judge, 0 sent to people.",
    ]
    assert "100 left to the judge, 100 sent to people." in told[1][0]
    usage = story.analysis.usage
    assert usage is not None
    for row, point in zip(told[1:], usage.selective, strict=True):
        assert point.agreement.value is not None and row[1].startswith(f"{point.agreement.value:.2f}")


def test_what_the_judge_is_sure_by_is_said() -> None:
    by_words = surest_table(Facts(sure()))
    assert by_words is not None and by_words.caption.endswith("left to it, by the confidence it states")
    spread = [[score, score if n % 3 else 6 - score] for n, score in enumerate(TRUTH.tolist())]
    repeated = stories.make(people(0.3, 0.3, 0.3), {"J": near(0.3)}, repeats={"J": spread})
    by_repeats = surest_table(Facts(repeated))
    assert by_repeats is not None and by_repeats.caption.endswith("left to it, by its repeated scores")


def test_the_rule_says_what_it_kept_on_items_it_was_not_chosen_on() -> None:
    text = rule_sentence(Facts(sure()))
    assert "the judge's confidence is at least 0.90" in text and "left 50% of them" in text
    assert "of 100, 95% interval" in text


def test_items_that_go_to_people_are_listed() -> None:
    told = table(Page(render_html(sure())), "Send these to people")
    assert len(told) == 41 and {row[2] for row in told[1:]} == {"0.40"}
    assert "And 60 more." in section(sure(), "trust")


def test_without_certainty_there_is_no_rule_and_that_is_said() -> None:
    story = stories.make(people(0.3, 0.3, 0.3), {"J": near(0.3)})
    assert rule_sentence(Facts(story)) == ""
    assert "A rule for what to leave to the judge" in section(story, "absent")
    spread = [[score, score] for score in TRUTH.tolist()]
    wrong = [6 - score for score in TRUTH.tolist()]
    spread[0] = [1, 5]
    never = stories.make(people(0.3, 0.3, 0.3), {"J": wrong}, repeats={"J": spread})
    assert "no rule by its own certainty can be given" in rule_sentence(Facts(never))
    always = stories.make(people(0.1, 0.1, 0.1), {"J": TRUTH.tolist()}, repeats={"J": spread})
    assert "its own certainty draws no line" in rule_sentence(Facts(always))
    assert "repetitions spread" not in section(always, "trust")


# --- several judges ---


def test_the_verdict_names_the_judge_it_is_about() -> None:
    story = stories.make(people(0.5, 0.5, 0.5), {"first": near(2.0), "second": near(0.1)})
    found = verdict(Facts(story))
    assert "first agrees with people less well" in found.sentence
    assert "one of 2 judges" in found.support[0] and "the data name it first" in found.support[0]
    alone = verdict(Facts(stories.make(people(0.5, 0.5, 0.5), {"first": near(0.1)})))
    assert "the judge agrees" in alone.sentence and not any("one of" in text for text in alone.support)


def test_a_judge_s_name_is_never_markup_and_stays_whole() -> None:
    story = stories.make(people(0.5, 0.5, 0.5), {"<b>&-4o": near(2.0), "K": near(0.1)})
    title = Page(render_html(story)).root.one("h2", id="verdict-title")
    assert "items <b>&-4o agrees" in title.text and [node.text for node in title.all("span")] == ["<b>&-4o"]
    assert not title.all("b")


def test_intervals_for_all_judges_at_once_are_shown() -> None:
    story = stories.make(people(0.5, 0.5, 0.5), {"J": near(0.6), "K": near(0.9)})
    told = {row[0].split("Intervals")[0]: row for row in table(Page(render_html(story)), "All judges against")}
    row = told["Quadratic-weighted kappa, all judges at once"]
    for cell, judge in zip(row[1:], ("J", "K"), strict=True):
        best = story.analysis.best[judge]
        assert best.ci95 is not None and f"{best.ci95[0]:.2f}\u00a0to\u00a0{best.ci95[1]:.2f}" in cell


# --- one person ---


def test_one_person_who_moves_the_comparison_is_seen() -> None:
    story = stories.make(people(0.3, 0.3, 0.3, 3.0), {"J": near(0.3)}, names=["Ana", "Bo", "Cy", "Di"])
    assert "Without Di the difference" in " ".join(limit.text for limit in limits(Facts(story)))
    facts = Facts(story)
    assert facts.ceiling is not None and facts.ceiling.without["Di"] is not None
    assert f"{facts.signed(facts.ceiling.without['Di'])} (without Di)" in section(story, "judge")
    even = stories.make(people(0.5, 0.5, 0.5, 0.5), {"J": near(0.5)})
    assert "One person moves the comparison" not in [limit.short for limit in limits(Facts(even))]


def test_consensus_of_one_person_is_said() -> None:
    story = stories.make([[1, 2, 2]] * 4 + [[3, None, None]], options={"fewest_scores": 1})
    assert "On 1 item the consensus is the score of a single person." in section(story, "limits")


@pytest.mark.parametrize(("copy", "told"), [(0, True), (3, False)])
def test_a_judge_that_copies_an_annotator_is_suspected(copy: int, told: bool) -> None:
    scores = people(0.5, 0.5, 0.5)
    judge = [row[0] for row in scores]
    judge[0] = scores[0][0] if not copy else 6 - scores[0][0] if scores[0][0] != 3 else 1
    story = stories.make(scores, {"J": judge})
    assert any("J and A1 gave the same scores" in warning for warning in story.analysis.warnings) is told
    assert ("Perhaps a copy" in [limit.short for limit in limits(Facts(story))]) is told


def test_two_judges_with_the_same_scores_are_suspected_and_held_ones_are_not_named() -> None:
    judge = near(0.5)
    story = stories.make(people(0.5, 0.5, 0.5), {"J": judge, "K": judge})
    assert any("J and K gave the same scores" in warning for warning in story.analysis.warnings)
    held = stories.make(people(0.5, 0.5, 0.5), {"J": judge, "K": judge}, options={"hold_judge": True})
    assert not any("same scores" in warning for warning in held.analysis.warnings)
