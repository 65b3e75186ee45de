"""Designs in which two people share few items: every table and picture rests on what all scores say together."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import openpyxl
import pytest

from tests.report import stories
from tests.report.page import Page
from toolkit.report.facts import Facts
from toolkit.report.html import render_html
from toolkit.report.pictures import ceiling
from toolkit.report.story import Story
from toolkit.report.tables import (
    ceiling_table,
    pair_matrix,
    people_table,
    sensitivity_table,
    without_sentence,
)
from toolkit.report.verdict import verdict
from toolkit.report.xlsx import render_xlsx


@cache
def sparse(people: int = 6, scores: int = 2, items: int = 60) -> Story:
    """Return a study in which chance decides who of the people scores an item."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, items)
    given = np.clip(truth[:, None] + rng.integers(-1, 2, (items, people)), 1, 5).astype(float)
    for row in given:
        row[rng.permutation(people)[scores:]] = np.nan
    judge = np.clip(truth + rng.integers(-1, 2, items), 1, 5)
    return stories.make(given.tolist(), {"J": judge.tolist()}, dimensions=["factual", "consistency"] * (items // 2))


def test_the_comparison_with_people_shows_what_the_verdict_rests_on() -> None:
    facts = Facts(sparse())
    found = facts.ceiling
    assert found is not None and found.sparse
    pooled = [found.pooled_person_person, found.pooled_judge_person, found.pooled_difference]
    shown = ceiling_table(facts)
    assert shown is not None and [row.estimates[0] for row in shown.rows[:3]] == pooled
    assert shown.columns == ["Agreement"] and "Pooled over all items" in shown.rows[0].meaning
    said = " ".join(verdict(facts).support)
    assert "the scores of all items are pooled" in said
    assert all(facts.number(one.value or 0.0) in said for one in pooled[:2])
    assert facts.signed(found.pooled_difference.value or 0.0) in said
    # and each person left out is left out of the same figure
    moved = [facts.signed(value) for value in found.without.values() if value is not None]
    assert len(moved) == 6 and sum(value in without_sentence(facts) for value in moved) >= 2


def test_so_does_the_picture() -> None:
    facts = Facts(sparse())
    drawn = ceiling(facts)
    assert drawn is not None and facts.ceiling is not None
    assert [row.label for row in drawn.rows] == ["Person with person, pooled", "Judge with person, pooled"]
    pooled = (facts.ceiling.pooled_person_person, facts.ceiling.pooled_judge_person)
    assert [row.value for row in drawn.rows] == [facts.number(one.value or 0.0) for one in pooled]
    page = render_html(sparse()).decode()
    assert 'id="picture-ceiling-title"' in page and "mean kappas of pairs would say little" in page


def test_so_does_the_workbook() -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(sparse())))
    ceiling = Facts(sparse()).ceiling
    assert ceiling is not None
    cells = [cell.value for sheet in book for line in sheet.iter_rows() for cell in line]
    for one in ceiling.leading:
        assert any(isinstance(value, float) and value == pytest.approx(one.value) for value in cells)
    for one in (ceiling.judge_person, ceiling.difference):
        assert not any(isinstance(value, float) and value == pytest.approx(one.value, abs=1e-9) for value in cells)


def test_the_figure_that_leads_the_report_leads_the_tables() -> None:
    facts = Facts(sparse())
    assert facts.people_figure == "krippendorff_alpha_interval"
    assert people_table(facts, main=True).rows[0].estimates[0] == facts.people_kappa
    assert facts.people_kappa not in [row.estimates[0] for row in people_table(facts, main=False).rows]
    shown = sensitivity_table(facts)
    assert shown.columns[0] == "People: Krippendorff's alpha (interval)"
    assert shown.rows[0].estimates[0] == facts.people_kappa
    # where pairs share all items, their mean leads as ever
    usual = Facts(stories.example("en"))
    assert people_table(usual).rows[0].title == "Mean pairwise kappa"
    assert sensitivity_table(usual).columns[0] == "People: Mean pairwise kappa"


def test_pairs_that_share_few_items_are_not_shaded() -> None:
    facts = Facts(sparse())
    matrix = pair_matrix(facts)
    shared = [estimates["kappa_quadratic"].n for estimates in facts.block.pairs.values()]
    assert min(shared) < 5 <= max(shared)
    cells = [cell for row in matrix.rows for cell in row[1:] if cell.value is not None]
    few = {f"n = {n}" for n in shared if n < 5}
    assert {cell.heat is None for cell in cells if cell.under in few} == {True}
    assert {cell.heat is None for cell in cells if cell.under not in few} == {False}
    pale = "Pairs that share fewer than 5 items are not shaded: their kappa says little."
    assert ("", pale) in matrix.remarks
    assert ("", pale) not in pair_matrix(Facts(stories.make([[1, 2], [3, 3], [4, 5], [2, 2], [5, 4]]))).remarks


def test_a_report_on_people_alone_has_one_card_as_wide_as_the_page() -> None:
    rows = [[1, 2], [3, 3], [4, 4], [5, 4], [2, 5]] * 3
    for held in (True, False):
        judges = {"J": [row[0] for row in rows]} if held else None
        page = Page(render_html(stories.make(rows, judges, options={"hold_judge": held})))
        assert page.root.one("div", **{"class": "cards alone"}).text.count("Mean pairwise kappa") == 1
    page = Page(render_html(stories.make(rows, {"J": [row[0] for row in rows]})))
    assert "Pearson" in page.root.one("div", **{"class": "cards"}).text
