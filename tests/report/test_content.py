"""What a report says: the verdict, the direction of the judge's errors, what is undefined, what limits it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import openpyxl
import pytest

from tests.report import stories
from tests.report.page import Page, table
from toolkit.consensus import Decision, Discussed
from toolkit.i18n import language
from toolkit.model import Judgement, SourceItem
from toolkit.report import pictures
from toolkit.report.absent import not_computed
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.limits import limits
from toolkit.report.sayings import band_word, metrics_note, note_text, saying, statistic_keys
from toolkit.report.sentences import bias_sentence
from toolkit.report.story import Story
from toolkit.report.verdict import verdict
from toolkit.report.xlsx import render_xlsx
from toolkit.stats.bands import Band
from toolkit.stats.results import Estimate, Note

_ = language("en")


# --- confusion: rows are people, columns the judge, everywhere (public report rp-03) ---


def sheet_confusion(story: Story) -> list[list[str]]:
    sheet = openpyxl.load_workbook(io.BytesIO(render_xlsx(story)))["Judge"]
    rows = [["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    start = next(place for place, row in enumerate(rows) if row[0].startswith("Where J and people agree"))
    return [row[:7] for row in rows[start + 1 : start + 8]]


@pytest.mark.parametrize(
    ("human", "judge", "words"),
    [(2, 5, "3.00 points more generous"), (5, 2, "3.00 points more severe"), (4, 4, "people: 0.00 points")],
)
def test_confusion_has_one_orientation(human: int, judge: int, words: str) -> None:
    story = stories.make([[human] * 3] * 12, {"J": [judge] * 12})
    page = Page(render_html(story))
    shown, written = table(page, "Where J and people agree"), sheet_confusion(story)
    assert shown[0][0] == "Human consensus" and shown[0][judge] == f"Judge: {judge}"
    assert shown[human][0] == f"People: {human}"
    assert shown == written
    counts = [[int(cell) for cell in row[1:6]] for row in shown[1:6]]
    assert counts[human - 1][judge - 1] == 12 and sum(map(sum, counts)) == 12
    assert words in page.root.one("section", id="errors").text


def test_confusion_sums_to_the_items_and_follows_the_scores() -> None:
    rng = np.random.default_rng(8)
    human, judge = rng.integers(1, 6, 60), rng.integers(1, 6, 60)
    story = stories.make([[score] * 3 for score in human.tolist()], {"J": judge.tolist()})
    shown = table(Page(render_html(story)), "Where J and people agree")
    for row in range(1, 6):
        for column in range(1, 6):
            assert int(shown[row][column]) == ((human == row) & (judge == column)).sum()
        assert int(shown[row][6]) == (human == row).sum()
        assert int(shown[6][row]) == (judge == row).sum()
    assert shown == sheet_confusion(story)


@pytest.mark.parametrize(
    ("value", "interval", "words"),
    [
        (0.3, (0.1, 0.5), "0.30 points more generous than people. The interval (0.10\u00a0to\u00a00.50) leaves out 0."),
        (-1.25, (-2.0, 0.1), "minus people: −1.25 points on average (n = 20). The interval (−2.00\u00a0to\u00a00.10) "),
        (-1.25, (-2.0, -0.1), "1.25 points more severe than people."),
        (0.1, (0.0, 0.2), "includes 0: which way the judge leans is open."),
        (
            0.004,
            (0.001, 0.007),
            "0.004 points more generous than people. The interval (0.001\u00a0to\u00a00.007) leaves",
        ),
        (0.5, (0.5, 0.5), "0.50 points more generous than people. Every resample gave the same value"),
        (0.0, (0.0, 0.0), "0.00 points on average (n = 20). Every resample gave the same value"),
        (1.0, None, "+1.00 points on average (n = 20). Without an interval that says nothing about a lean."),
        (None, None, "undefined"),
    ],
)
def test_bias_in_words(value: float | None, interval: tuple[float, float] | None, words: str) -> None:
    facts = Facts(stories.make([[1, 2, 3]], {"J": [1]}))
    assert words in bias_sentence(facts, Estimate(value, 20, interval))


# --- the verdict ---


def study(people_noise: float, judge_noise: float, n: int = 200) -> Story:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 6, n).astype(float)

    def noisy(scale: float) -> list[float]:
        return np.clip(np.rint(truth + rng.normal(0, scale, n)), 1, 5).tolist()

    columns = [noisy(people_noise) for _person in range(3)]
    return stories.make([list(row) for row in zip(*columns, strict=True)], {"J": noisy(judge_noise)})


@pytest.mark.parametrize(
    ("story", "tone", "words"),
    [
        (study(0.6, 0.2), "good", "at least as well as people agree with each other"),
        (study(0.6, 0.6), "good", "about as well as people agree with each other"),
        (study(0.4, 2.0), "bad", "less well than people agree with each other"),
        (study(3.0, 0.5), "open", "people agree too little with each other"),
        (study(0.6, 0.6, 14), "open", "cannot"),
        (study(0.6, 0.6, 6), "open", "Read it as description"),
        (stories.make([[1, 2, 3], [4, 4, 5]]), "open", "No judge scores were given"),
        (stories.make([[5, 5, 5]] * 12, {"J": [5] * 12}), "open", "undefined on these scores"),
    ],
)
def test_verdict(story: Story, tone: str, words: str) -> None:
    found = verdict(Facts(story))
    assert found.tone == tone and words in found.sentence
    assert found.word and found.sentence.endswith(".")


@pytest.mark.parametrize(("interval", "open_"), [((-0.3, -0.15), False), ((-0.18, -0.04), True)])
def test_below_people_says_whether_by_more_than_the_margin(
    monkeypatch: pytest.MonkeyPatch, interval: tuple[float, float], open_: bool
) -> None:
    facts = Facts(study(0.4, 2.0))
    assert facts.ceiling is not None
    below = replace(facts.ceiling, difference=Estimate(sum(interval) / 2, 200, interval), sparse=False)
    monkeypatch.setattr(Facts, "ceiling", property(lambda _self: below))
    found = verdict(facts)
    assert found.tone == "bad" and ("whether by more than the margin of 0.10 is open" in found.sentence) is open_
    assert any("as good as a person when the whole interval lies above −0.10" in text for text in found.support)


def test_every_verdict_on_a_judge_says_what_to_do() -> None:
    for story in (study(0.6, 0.2), study(0.4, 2.0), study(3.0, 0.5), study(0.6, 0.6, 14), study(0.6, 0.6, 6)):
        found = verdict(Facts(story))
        assert found.advice in Page(render_html(story)).root.one("section", id="verdict").text and found.advice
    assert "Do not let the judge decide alone" in verdict(Facts(study(0.4, 2.0))).advice
    assert "Sharpen the rubric" in verdict(Facts(study(3.0, 0.5))).advice


def test_two_points_apart_is_two_points_apart_whatever_floating_point_loses() -> None:
    scores = [[3, 3, 3]] * 12
    story = stories.make(scores, {"J": [5 - 1e-12, 5 - 1e-6, *[3] * 10]})
    assert story.analysis.headline.judge_disagreements == (0,)
    assert "The judge is 2 points above people." in Page(render_html(story)).root.one("section", id="read").text


def test_the_mean_within_dimensions_says_when_it_is_fragile() -> None:
    within = stories.make(
        [[3, 3, 1], [3, 3, 2]] * 12, dimensions=["a", "b"] * 12
    ).analysis.headline.overall.within_people
    assert within["mean_pairwise_kappa"].notes


def test_verdict_on_names_without_order_describes_only(cases: object) -> None:
    found = verdict(Facts(stories.case("mtbench_pairwise")))
    assert found.tone == "open" and "human consensus" in found.sentence


def test_judge_against_consensus_is_not_drawn_beside_the_people() -> None:
    page = Page(render_html(stories.example()))
    (picture,) = (n for n in page.root.all("svg") if n.attributes.get("aria-labelledby") == "picture-ceiling-title")
    assert "onsensus" not in picture.text
    assert "not to be compared" in page.root.one("section", id="verdict").text


# --- what is undefined says so ---


def test_undefined_is_a_dash_with_its_reason() -> None:
    story = stories.make([[5, 5, 5]] * 12, {"J": [5] * 12})
    page = Page(render_html(story))
    rows = {row[0].split("Agreement")[0]: row for row in table(page, "J against the human consensus")}
    assert rows["Quadratic-weighted kappa"][1].startswith("—")
    absent = dict(not_computed(Facts(story)))
    assert "one and the same score" in absent["Quadratic-weighted kappa · J"]
    sheet = openpyxl.load_workbook(io.BytesIO(render_xlsx(story)), data_only=True)["Judge"]
    live = next(row for row in sheet.iter_rows(values_only=True) if row[0] == "All items")
    assert live[8] == "—" and live[9] == "—" and live[10] == 0


def test_every_statistic_is_explained() -> None:
    story = stories.example()
    block = story.analysis.headline.overall
    keys = {*block.people, *block.within_people}
    for one in (*block.pairs.values(), *block.judges.values(), *block.within_pairs.values()):
        keys |= set(one)
    assert keys <= set(statistic_keys())
    for key in statistic_keys():
        said = saying(key, _)
        assert said.name and said.meaning.endswith(".") and said.formula
        assert said.kind in ("coefficient", "share", "points")


def test_every_note_and_band_has_its_words() -> None:
    sentences = [note_text(note, _) for note in Note]
    assert len(set(sentences)) == len(sentences) and all(text.endswith(".") for text in sentences)
    assert [band_word(one, _) for one in Band] == ["low", "moderate", "substantial", "almost perfect"]


def test_metrics_note_joins_sentences_or_is_none() -> None:
    assert metrics_note(Estimate(0.5, 40, (0.4, 0.6))) is None
    joined = metrics_note(Estimate(None, 1, notes=(Note.SINGLE_ITEM, Note.BOTH_CONSTANT)))
    assert joined is not None and joined.startswith("Only one item") and "Undefined" in joined


# --- limitations are written from the data ---


def shorts(story: Story) -> list[str]:
    return [limit.short for limit in limits(Facts(story))]


def averaged(unit: str) -> Story:
    said = {
        ("i01", "factual"): [
            Judgement(item_id="i01", dimension="factual", judge="J", score=1.5, scores=(1, 2), unit=unit)  # type: ignore[arg-type]
        ]
    }
    return stories.make([[1, 2, 3], [3, 3, 3]], {"J": [1.5, 3]}, judgements=said)


@pytest.mark.parametrize(
    ("story", "short"),
    [
        (stories.make([[1, 2]] * 3), "Two annotators only"),
        (stories.make([[1, 5, 3], [5, 1, 3], [2, 4, 1]] * 5), "People agree little"),
        (stories.make([[1, 5, 3], [5, 5, 5], [2, 2, 2]]), "Many items where people are apart"),
        (stories.make([[1, 3]] * 3, {"J": [1] * 3}, assigned=True), "The judge is held back"),
        (stories.make([[1, 2, 1]] * 3, {"J": [1] * 3}, judge_seen_first=True), "Judge seen before the discussion"),
        (averaged("set"), "An averaged judge"),
        (averaged("response"), "An averaged judge"),
        (stories.make([[1, 2, 1], [2, 2, 2]], {"J": [1, None]}), "Items the judge did not score"),
        (stories.make([[1, 2, 1]] * 3), "A small sample"),
        (stories.make([[1, 2, 1], [2, 2, 3]], dimensions=["a", "b"]), "Few items per dimension"),
        (stories.make([[5, 5, 5]] * 9 + [[1, 1, 1]], {"J": [5] * 10}), "One score dominates"),
        (stories.make([[5, 5, 4]] * 9, {"J": [5] * 9}), "Scores that never occur"),
        (stories.make([[1, 3]] * 3, {"J": [1] * 3}), "Discussions to come"),
        (stories.make([[1, None, 2], [1, 1, 1]], assigned=True), "Items left out"),
        (stories.make([[1, None, 2], [1, 1, 1]], assigned=True, options={"fewest_scores": 2}), "Incomplete items kept"),
        (stories.make([[1, 2]] * 3, left_out={"A3": "had seen the judge's scores"}), "An annotator left out"),
        (
            stories.make([[1, 2, 4]], discussed={0: Discussed(Decision.EXCLUDE, None, "x")}),
            "Items to exclude still count",
        ),
        (stories.make([[1, 2, 4]], moved=["items"]), "Something moved after the start"),
    ],
)
def test_limitation(story: Story, short: str) -> None:
    assert short in shorts(story)
    text = Page(render_html(story)).root.one("section", id="limits").text
    assert short in text


def test_limitations_are_not_a_standing_list() -> None:
    rng = np.random.default_rng(3)
    truth = np.tile(np.arange(1, 6), 40)
    people = np.clip(truth[:, None] + rng.integers(0, 2, (200, 3)) * (rng.random((200, 3)) < 0.3), 1, 5)
    assert shorts(stories.make(people.tolist(), {"J": truth.tolist()})) == ["Blindness cannot be checked"]


def test_low_agreement_is_a_finding_about_the_rubric() -> None:
    page = Page(render_html(stories.make([[1, 5, 3], [5, 1, 3], [2, 4, 1]] * 5)))
    assert "a finding about the rubric" in page.root.one("section", id="people").text


# --- items to read ---


def test_items_to_read_are_those_apart_the_furthest_first() -> None:
    scores: Sequence[Sequence[float]] = [[3, 3, 3], [1, 3, 3], [2, 2, 2], [4, 4, 4]]
    page = Page(render_html(stories.make(scores, {"J": [3, 3, 5, 2]})))
    items = page.root.one("section", id="read").all("details")
    assert [item.attributes["id"] for item in items] == ["item-3", "item-2", "item-4"]
    assert "The judge is 3 points above people." in items[0].text
    assert "People are 2 points apart." in items[1].text
    assert "The judge is 2 points below people." in items[2].text


def test_readings_hold_every_word_and_score() -> None:
    page = Page(render_html(stories.example()))
    text = page.root.one("section", id="read").text
    for wanted in ("con-005", "In doubt", "certo seria 5/6", "Erro de conteúdo conta em", "A3 releu o caso limite"):
        assert wanted in text
    assert "mean of 5, 2, 4" in page.root.one("section", id="items").text


# --- a judge that is held back ---

SECRET = "SENTINEL-9f3a"


def held(**options: object) -> Story:
    items = [SourceItem(item_id=f"i{n}", dimension=("a", "b")[n % 2], provider="p") for n in range(12)]
    said = {
        item.key: [
            Judgement(
                item_id=item.item_id,
                dimension=item.dimension,
                judge=SECRET,
                score=4.37,
                scores=(4.36, 4.38),
                unit="set",
                justification=f"{SECRET} justification",
            )
        ]
        for item in items
    }
    return stories.make(
        [[1, 4], [2, 2], [5, 4]] * 4,
        {SECRET: [4.37] * 12, SECRET + "-2": [None, *[2.71] * 11]},
        items=items,
        dimensions=[item.dimension for item in items],
        judgements=said,
        assigned=True,
        warnings=[f"judge {SECRET} has no score for 1 of 12 items"],
        options=options,
    )


@pytest.mark.parametrize("story", [held(), held(hold_judge=True)])
def test_a_held_judge_is_nowhere(story: Story) -> None:
    assert story.analysis.judge_held
    html = render_html(story).decode()
    parts = zipfile.ZipFile(io.BytesIO(render_xlsx(story)))
    for text in (html, *(parts.read(name).decode("utf-8", "replace") for name in parts.namelist())):
        for secret in (SECRET, "4.37", "4.36", "2.71", "3.37"):
            assert secret not in text
    page = Page(html.encode())
    assert "Nothing is said about the judge" in page.root.one("section", id="verdict").text
    assert not [n for n in page.root.all("section") if n.attributes.get("id") in ("judge", "errors")]
    assert "held back" in page.root.one("section", id="limits").text
    assert "held back" in page.root.one("section", id="absent").text


def test_a_judge_shown_is_everywhere_it_belongs() -> None:
    html = render_html(held(reveal_judge=True)).decode()
    assert SECRET in html and "4.37" in html and f"{SECRET} justification" in html


def test_the_picture_of_several_judges_names_more_than_one() -> None:
    one = stories.make([[1, 2, 2], [4, 4, 5]] * 10, {"J": [1, 4] * 10})
    several = stories.make([[1, 2, 2], [4, 4, 5]] * 10, {"J": [1, 4] * 10, "K": [2, 4] * 10})
    drawn = pictures.judge(Facts(one)), pictures.judge(Facts(several))
    assert drawn[0] is not None and drawn[0].title.endswith("of J with the human consensus")
    assert drawn[1] is not None and "of J and the other judges with" in drawn[1].title
