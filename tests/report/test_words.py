"""What a report puts into words: the gravest first, nothing that names lack, no word that is not known."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import openpyxl
import pytest

from tests.report import stories
from tests.report.page import Page, table
from tests.report.test_content import study
from tests.report.test_provenance import of_a_study
from tests.studies import fill, make, metrics, ok, record, write_jsonl
from toolkit.analysis import analyse
from toolkit.cli.common import say_headline
from toolkit.consensus import Decision, Discussed
from toolkit.i18n import LANGUAGES
from toolkit.model import Annotation, Item, Response, Scale
from toolkit.report import paper, tables
from toolkit.report.facts import Facts
from toolkit.report.figures import LABEL_CHARACTERS, ForestRow
from toolkit.report.golden import render_golden_set
from toolkit.report.html import LIMITS_FIRST, render_html
from toolkit.report.latex import render_latex
from toolkit.report.limits import limits
from toolkit.report.provenance import method, repairs_table
from toolkit.report.sentences import band_sentence, people_sentence
from toolkit.report.story import Story
from toolkit.report.verdict import verdict
from toolkit.report.xlsx import render_xlsx
from toolkit.rubrics import bare_rubric
from toolkit.stats.results import Estimate
from toolkit.values import Repair
from toolkit.workbook.blindness import UNNAMED_JUDGE
from toolkit.workbook.discussion import Talk, render_discussion

# where these words are right: how far people worked blind, the points of a guideline
HOW_FAR = re.compile("Até que ponto|Hasta qué punto|pontos das diretrizes|puntos de las directrices")
NAMES = Scale(kind="nominal", values=("A", "B", "tie"))


# --- the gravest limitations come first, and all of them on the first page ---


def broken() -> Story:
    """A study in which everything has gone wrong that can."""
    return of_a_study(
        closing={
            "Ana": {"saw_scores": "yes"},
            "Bo": {"saw_scores": "no, or only once", "recognised": "sim"},
            "Cy": {"saw_scores": "perhaps"},
        },
        moved=["judge_scores", "rubric"],
        judge_seen_first=True,
    )


def test_what_breaks_blindness_or_the_seal_comes_first() -> None:
    found = limits(Facts(broken()))
    assert [limit.short for limit in found if limit.grave] == [
        "Somebody saw scores",
        "Perhaps somebody saw scores",
        "Something moved after the start",
        "Judge seen before the discussion",
        "Somebody recognised a model",
    ]
    assert [limit.grave for limit in found] == sorted((limit.grave for limit in found), reverse=True)
    texts = {limit.short: limit.text for limit in found}
    assert texts["Somebody saw scores"].startswith("Ana saw a score")
    assert "Cy (“perhaps”)" in texts["Perhaps somebody saw scores"]
    assert "the judge scores, the rubric" in texts["Something moved after the start"]


def test_the_box_holds_every_grave_limitation() -> None:
    found = limits(Facts(broken()))
    grave = [limit for limit in found if limit.grave]
    assert len(grave) > LIMITS_FIRST
    box = Page(render_html(broken())).root.one("div", **{"class": "limits"})
    assert [node.one("b").text for node in box.all("li")] == [f"{limit.short}." for limit in grave]


def test_a_box_without_grave_ones_holds_the_first_few() -> None:
    story = stories.make([[1, 2, 1], [2, 2, 4]], {"J": [1, None]}, dimensions=["a", "b"])
    assert not any(limit.grave for limit in limits(Facts(story)))
    box = Page(render_html(story)).root.one("div", **{"class": "limits"})
    assert len(box.all("li")) == LIMITS_FIRST < len(limits(Facts(story)))


def test_two_annotators_are_grave_and_few_items_per_dimension_are_not() -> None:
    found = limits(Facts(stories.make([[1, 2], [2, 2]] * 6, {"J": [1, 3] * 6}, dimensions=["a", "b"] * 6)))
    assert found[0].short == "Two annotators only" and found[0].grave
    assert next(limit for limit in found if limit.short == "Few items per dimension") in found[3:]


# --- names have no median and no distance ---


def of_two(language: str, *, talked: bool, assigned: bool) -> Story:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 40)

    def column(right: float) -> list[int]:
        return np.where(rng.random(40) < right, truth, rng.integers(0, 3, 40)).tolist()

    scores = [list(pair) for pair in zip(column(0.8), column(0.8), strict=True)]
    differ = next(row for row, (one, two) in enumerate(scores) if one != two)
    return stories.make(
        scores,
        {"J": column(0.7)},
        scale=NAMES,
        language=language,
        assigned=assigned,
        discussed={differ: Discussed(Decision.REVISE, "A", "agreed")} if talked else None,
        options={"reveal_judge": True},
    )


def texts(story: Story) -> Iterator[str]:
    page = Page(render_html(story))
    yield page.root.one("main").text
    for sheet in openpyxl.load_workbook(io.BytesIO(render_xlsx(story))).worksheets:
        yield "\n".join(str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None)
    facts = Facts(story)
    yield "\n".join((*paper.methods(facts), *paper.results(facts)))
    yield render_golden_set(story).decode()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("talked", [False, True])
@pytest.mark.parametrize("assigned", [False, True])
def test_names_have_no_median_and_no_distance(language: str, talked: bool, assigned: bool) -> None:
    wrong = re.compile(r"[^.\n]*\b(medians?|medianas?|points?|pontos?|puntos?)\b[^.\n]*", re.IGNORECASE)
    for text in texts(of_two(language, talked=talked, assigned=assigned)):
        assert [match.group().strip() for match in wrong.finditer(HOW_FAR.sub("", text))] == []


def test_two_who_differ_have_no_commonest_answer() -> None:
    told = {limit.short: limit.text for limit in limits(Facts(of_two("en", talked=False, assigned=False)))}
    assert "there is no commonest one" in told["Two annotators only"]
    assert "not compared with the judge" in told["Discussions to come"]
    name, meaning = tables.sensitivity_name("median_of_two", Facts(of_two("en", talked=True, assigned=False)))
    assert name == "The two independent answers" and "on which the two differ" in meaning


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_discussion_of_names_speaks_of_names(language: str) -> None:
    item = Item(item_code="AB-1", dimension="factual", responses=(Response(response="An answer"),))
    said = tuple(Annotation(annotator=who, item_code="AB-1", score=score) for who, score in (("Ana", "A"), ("Bo", "B")))
    talk = Talk("i1", item, said, None, None)
    rubric = bare_rubric(NAMES, {"factual": None}, language)
    data = render_discussion([talk], rubric, study_id="s", language_code=language, judge_shown=False, markdown="raw")
    book = openpyxl.load_workbook(io.BytesIO(data))
    words = [str(cell.value) for sheet in book.worksheets for row in sheet.iter_rows() for cell in row if cell.value]
    words += [str(one.prompt) for sheet in book.worksheets for one in sheet.data_validations.dataValidation]
    assert not re.search(r"\b(median|mediana|points?|pontos?|puntos?)\b", "\n".join(words), re.IGNORECASE)


# --- the verdict and what to do about it ---


def test_a_judge_above_people_is_no_more_than_at_least_as_good() -> None:
    found = verdict(Facts(study(0.6, 0.2)))
    assert found.tone == "good" and "at least as well as people" in found.sentence
    assert found.word == "As good as a person, here"
    assert any("does not make it better than a person" in text for text in found.support)
    files = render_latex(study(0.6, 0.2))
    assert b"at least as well as people" in files["latex/results.tex"]


def test_more_items_are_asked_for_only_where_a_figure_is_known_roughly_and_it_is_named() -> None:
    settled, rough = Facts(study(0.6, 0.2)), Facts(study(0.8, 0.3, 14))
    assert verdict(settled).tone == verdict(rough).tone == "good"
    assert "more items" not in verdict(settled).advice
    kappa = rough.judge_estimates["kappa_quadratic"]
    assert kappa.ci95 is not None and kappa.ci95[1] - kappa.ci95[0] > 0.2
    advice = verdict(rough).advice
    assert "may stand in for one more person" in advice
    assert f"Quadratic-weighted kappa, 95% interval {rough.interval(kappa, edges=(0.4, 0.6, 0.8))}" in advice


def test_what_cannot_be_settled_says_which_figure_is_wide() -> None:
    facts = Facts(study(0.6, 0.6, 14))
    assert facts.ceiling is not None
    found = verdict(facts)
    assert found.tone == "open" and "known only roughly (95% interval" in found.advice


# --- nobody says more than the data ---


def test_nobody_claims_to_have_checked_anything_against_guidelines() -> None:
    told = " ".join(paper.methods(Facts(stories.example())))
    assert "checked against" not in told and "left to the author" in told


@pytest.mark.parametrize("items", [1, 4, 9])
def test_without_an_interval_there_is_no_word(items: int) -> None:
    people = [[1, 2, 1], [5, 4, 5], [3, 3, 2]] * 3
    facts = Facts(stories.make(people[:items], {"J": [2, 5, 4, 2, 5, 4, 2, 5, 4][:items]}))
    assert facts.people_kappa is not None
    sentence = people_sentence(facts.people_kappa, facts)
    assert "“" not in sentence and not facts.people_low
    assert "“" not in band_sentence(Estimate(0.3, items), facts._)
    whole = Page(render_html(facts.story)).root.one("main").text
    assert "more generous than people" not in whole.replace("the judge is more generous than people, to their", "")
    assert "People agree little" not in whole


# --- small things ---


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_judge_without_a_name_is_called_the_judge(language: str) -> None:
    scores: list[float | None] = [1, 2, 4, None] * 5
    story = stories.make([[1, 2, 1], [2, 3, 2], [4, 4, 5], [3, 3, 3]] * 5, {UNNAMED_JUDGE: scores}, language=language)
    other = replace(story, language_code=language)
    shown = [Page(render_html(other)).root.one("main").text]
    for sheet in openpyxl.load_workbook(io.BytesIO(render_xlsx(other))).worksheets:
        shown += [str(cell.value) for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
    shown += [data.decode() for name, data in render_latex(other).items() if name.endswith(".tex")]
    text = "\n".join(shown)
    # as a name: by itself, behind a colon, in parentheses, or at the beginning of a line
    assert not re.search(r"^judge\b|: judge$|: judge[;,.)]|\(judge\)|[Jj]udge judge", text, re.MULTILINE)
    if language == "en":
        assert "The judge has no usable score for 5 of 20 items." in text


def test_numbers_have_as_many_places_at_both_ends_and_more_than_two_are_explained() -> None:
    facts = Facts(stories.make([[1, 2, 3]], {"J": [1]}))
    assert facts.interval(Estimate(0.7, 40, (0.598, 0.78)), edges=(0.6, 0.8)) == "0.598\u00a0to\u00a00.780"
    assert facts.is_fine(Estimate(0.396, 40, (0.1, 0.5)), edges=(0.4,))
    assert not facts.is_fine(Estimate(0.39, 40, (0.1, 0.5)), edges=(0.4,))
    assert facts.rounding in dict(method(facts))["Rounding"]


def test_the_method_says_how_to_compute_a_kappa_again() -> None:
    told = dict(method(Facts(stories.make([[1, 2, 3]]))))["To recompute"]
    assert "labels=[1, 2, 3, 4, 5]" in told
    assert "labels=['A', 'B', 'tie']" in dict(method(Facts(of_two("en", talked=False, assigned=False))))["To recompute"]


def test_a_value_that_looks_the_same_says_what_was_different() -> None:
    found = [("4", "4"), (" 4 ", "4"), ("4,0", "4")]
    story = stories.make([[1, 2, 3]], repairs=[Repair("f > s > A1", "A1", "i1", "score", *pair) for pair in found])
    assert [row[-1].text for row in repairs_table(Facts(story)).rows] == [
        "text instead of a number",
        "spaces around it",
        "another way to write it",
    ]


def test_notes_of_a_table_in_latex_say_which_cell_they_are_about() -> None:
    story = stories.make(
        [[1, 2, 1]] * 4 + [[4, 5, 4]] * 12, {"J": [1] * 4 + [5] * 12}, dimensions=["a"] * 4 + ["b"] * 12
    )
    text = render_latex(story)["latex/table-judge.tex"].decode()
    mark = re.search(r"\\textsuperscript\{([a-z])\}No interval: fewer than ten items", text)
    assert mark is not None
    line = next(line for line in text.splitlines() if f"\\textsuperscript{{{mark[1]}" in line or f"{mark[1]}}}" in line)
    assert "&" in line


def test_too_few_items_says_how_many_it_takes() -> None:
    people = [[1, 2, 1], [5, 4, 5], [3, 3, 2]] * 6
    shown = Page(render_html(stories.make(people, {"J": [2, 5, 4] * 6}))).root.one("main").text
    assert "Somebody scored fewer than 30 items" in shown


def test_a_label_is_cut_only_where_it_leaves_no_room() -> None:
    row = ForestRow(0, "Alfa de Krippendorff (intervalar), todos", "0,70", "", "mean", 50, None, None)
    assert row.short == row.label and len(row.label) == LABEL_CHARACTERS
    assert replace(row, label=row.label + "!").short.endswith("…")


def test_the_figure_that_leads_is_in_the_open_table() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, 60)
    scores = np.full((60, 6), np.nan)
    for row in range(60):
        chosen = rng.choice(6, 2, replace=False)
        scores[row, chosen] = np.clip(truth[row] + rng.integers(-1, 2, 2), 1, 5)
    sparse = stories.make(scores.tolist(), {"J": truth.tolist()}, options={"fewest_scores": 2})
    assert Facts(sparse).people_figure == "krippendorff_alpha_interval"
    for story in (sparse, stories.example(), of_two("en", talked=False, assigned=False)):
        facts = Facts(story)
        page = Page(render_html(story))
        card = page.root.one("div", **{"class": "group people"})
        name = card.one("p", **{"class": "name"}).text
        assert any(row[0].startswith(name) for row in table(page, "Agreement among all people together"))
        summary = openpyxl.load_workbook(io.BytesIO(render_xlsx(story))).worksheets[0]
        first = next(row for row in summary.iter_rows(values_only=True) if str(row[0]).startswith("People: "))
        assert first[0] == f"People: {name}" and facts.people_kappa is not None


# --- what the console says first ---


def test_the_console_says_why_more_items_are_flagged_than_wait(capsys: pytest.CaptureFixture[str]) -> None:
    story = stories.make([[1, 3, np.nan], [1, 3, 5], [2, 2, 2], [4, 4, np.nan]], assigned=True)
    panel = story.analysis.panel
    analysis = analyse(replace(panel, assigned=~np.isnan(panel.scores)), story.analysis.options)
    say_headline(SimpleNamespace(analysis=analysis))
    assert "flagged for discussion: 2 (1 scored by two people: needed; 1 by more: optional)" in capsys.readouterr().out
    say_headline(SimpleNamespace(analysis=stories.make([[1, 3]], assigned=True).analysis))
    assert "flagged for discussion: 1\n" in capsys.readouterr().out


def test_the_console_says_before_all_else_that_the_seal_is_broken(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record(f"i{n}", judge_score=4) for n in range(3)], "A1,A2,A3")
    for name in study.names:
        fill(study, tmp_path / "s", name, lambda item: "4" if item == "i0" else 4)
    path = tmp_path / "s" / "study.json"
    changed = json.loads(path.read_text(encoding="utf-8"))
    changed["judgements"][0]["score"] = 5
    path.write_text(json.dumps(changed), encoding="utf-8")
    ok("consolidate", tmp_path / "s", "-q")
    assert metrics(tmp_path / "s" / "report")["warnings"][0].startswith("the sealed judge scores changed")


def test_the_console_says_of_names_that_they_differ(tmp_path: Path) -> None:
    rubric = tmp_path / "rubric.yaml"
    levels = "{A: {short: a, description: a}, B: {short: b, description: b}}"
    rubric.write_text(
        "name: Pairs\nlanguage: en\nscale: {kind: nominal, values: [A, B]}\n"
        f"dimensions: {{pref: {{title: P, question: Which one, levels: {levels}}}}}\n"
    )
    sample = write_jsonl(tmp_path / "s.jsonl", [record("i1", "pref", judge_score="A")])
    told = ok("make-sheets", sample, "--annotators", 2, "--rubric", rubric, "-o", tmp_path / "s")
    assert "two annotators are a fallback: scores that differ have to be discussed" in told
    planned = ok("plan", "--annotators", 2, "--scale", "no,yes", "--metrics", "kappa", "--seed", 1, "--half-width", 0.3)
    assert "scores that differ have to be discussed" in planned
