"""Numbers as they are written: rounded as a spreadsheet does, on the right side of an edge, with their n."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.report import stories
from tests.report.page import Page, table
from toolkit.i18n import language
from toolkit.report.cells import THRESHOLD_MARK, EstimateRow, EstimateTable, grid
from toolkit.report.facts import BAND_EDGES, NO_LEAN, Facts
from toolkit.report.html import render_html
from toolkit.report.metrics import render_metrics
from toolkit.report.sentences import band_sentence, people_sentence
from toolkit.report.tables import judge_table
from toolkit.stats.bands import band
from toolkit.stats.results import Estimate, Note

FACTS = Facts(stories.make([[1, 2, 3]], {"J": [1]}))


# --- halves: what Excel shows for the same number in the format 0.00 or 0% ---


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.625, 2, "0.63"),
        (0.635, 2, "0.64"),
        (1.005, 2, "1.01"),
        (-0.125, 2, "-0.13"),
        (2.5, 0, "3"),
        (-0.001, 2, "0.00"),
        (0.6249999, 2, "0.62"),
        (1 / 3, 2, "0.33"),
        (1234.5, 0, "1,235"),
    ],
)
def test_halves_are_rounded_as_a_spreadsheet_shows_them(value: float, digits: int, shown: str) -> None:
    assert language("en").number(value, digits) == shown


def test_halves_of_shares_and_scores() -> None:
    _ = language("en")
    assert (_.percent(0.145), _.percent(0.125), _.percent(0.005)) == ("15%", "13%", "1%")
    assert (_.score(4.625), _.score(3.5), _.score(4.0)) == ("4.63", "3.5", "4")


# --- the edge of a band, of a lean, of the margin ---


@pytest.mark.parametrize(
    ("value", "edges", "shown"),
    [
        (0.597, BAND_EDGES, "0.597"),
        (0.5996, BAND_EDGES, "0.5996"),
        (0.603, BAND_EDGES, "0.60"),
        (0.6, BAND_EDGES, "0.60"),
        (0.597, (), "0.60"),
        (0.003, NO_LEAN, "0.003"),
        (-0.003, NO_LEAN, "−0.003"),
        (0.0, NO_LEAN, "0.00"),
        (-0.098, (-0.1, 0.0), "−0.098"),
        (-0.1, (-0.1, 0.0), "−0.10"),
    ],
)
def test_a_number_stays_on_its_side(value: float, edges: tuple[float, ...], shown: str) -> None:
    assert FACTS.number(value, edges) == shown


def test_no_kappa_is_written_into_another_band() -> None:
    for value in np.linspace(-0.2, 1.0, 4001).tolist():
        assert band(float(FACTS.number(value, BAND_EDGES).replace("−", "-"))) is band(value)


def test_a_kappa_below_an_edge_is_never_shown_at_it() -> None:
    found = Estimate(0.597, 40, (0.45, 0.5999))
    row = EstimateRow("r", "", [found], thresholds=BAND_EDGES)
    cell = grid(EstimateTable("t", "T", ["all"], [row]), FACTS).rows[0][1]
    assert (cell.text, cell.under) == ("0.597", "0.4500\u00a0to\u00a00.5999") and THRESHOLD_MARK not in cell.notes
    assert band_sentence(found, FACTS._) == "“moderate”, the whole interval"
    assert "0.597" in people_sentence(found, FACTS)


def test_an_interval_without_width_is_not_called_certain() -> None:
    found = Estimate(1.0, 40, (1.0, 1.0), (Note.INTERVAL_DEGENERATE,))
    assert "no width" in band_sentence(found, FACTS._) and "whole interval" not in band_sentence(found, FACTS._)
    assert "no width, which is not certainty" in people_sentence(found, FACTS)
    same = stories.make([[score] * 3 for score in (1, 2, 3, 4, 5)] * 4, {"J": [1, 2, 3, 4, 5] * 4})
    text = Page(render_html(same)).root.one("section", id="verdict").text
    assert text.count("no width") >= 3 and "the whole interval”" not in text


# --- how many items stand behind a figure ---


def test_column_heads_count_the_items_of_their_figures() -> None:
    judge = [None, None, *[3] * 18]
    story = stories.make([[3, 3, 4], [2, 2, 2]] * 10, {"J": judge}, dimensions=["a"] * 10 + ["b"] * 10)
    page = Page(render_html(story))
    heads = [head.replace("\u00a0", " ") for head in table(page, "J against the human consensus")[0]]
    assert heads[1:] == ["All items (n = 18)", "a (n = 8)", "b (n = 10)"]
    heads = [head.replace("\u00a0", " ") for head in table(page, "Agreement among all people together")[0]]
    assert heads[1:] == ["All items (n = 20)", "a (n = 10)", "b (n = 10)"]


def rows(*numbers: tuple[int, ...]) -> list[tuple[str, ...]]:
    made = [EstimateRow("row", "", [Estimate(0.5, n, (0.4, 0.6)) for n in row]) for row in numbers]
    found = grid(EstimateTable("t", "T", [f"c{place}" for place in range(len(numbers[0]))], made), FACTS)
    lines = [found.columns[1:], *([line[0].text, *(cell.under for cell in line[1:])] for line in found.rows)]
    return [tuple(text.replace("\u00a0", " ") for text in line) for line in lines]


def test_a_figure_with_fewer_items_than_its_column_says_so() -> None:
    assert rows((30, 20), (30, 20), (12, 20)) == [
        ("c0 (n = 30)", "c1 (n = 20)"),
        ("row", "0.40 to 0.60", "0.40 to 0.60"),
        ("row", "0.40 to 0.60", "0.40 to 0.60"),
        ("row", "0.40 to 0.60; n = 12", "0.40 to 0.60"),
    ]


def test_a_row_with_items_of_its_own_says_them_once() -> None:
    assert rows((4, 4), (7, 7)) == [
        ("c0", "c1"),
        ("row (n = 4)", "0.40 to 0.60", "0.40 to 0.60"),
        ("row (n = 7)", "0.40 to 0.60", "0.40 to 0.60"),
    ]


def test_small_shares_show_their_counts_and_an_interval() -> None:
    # one item judged twice, and differently: 100% of one
    story = stories.make(
        [[3, 3, 3], [4, 4, 4]] * 6, {"J": [3, 4] * 6}, repeats={"J": [[3, 4]] + [[np.nan, np.nan]] * 11}
    )
    told = {row[0]: row[1] for row in table(Page(render_html(story)), "The judge and itself")}
    flips = next(cell for title, cell in told.items() if title.startswith("Changes its mind"))
    assert flips.replace("\u00a0", " ") == "100%21% to 100%; 1 of 1"
    usage = json.loads(render_metrics(story))["overall"]["usage"]
    assert usage["retest"]["flip_rate"]["ci95"][0] == pytest.approx(0.2065, abs=1e-4)
    assert usage["passing"]["false_pass_rate"]["ci95"][1] == pytest.approx(0.3903, abs=1e-4)  # 0 of 6


def test_figures_within_dimensions_are_marked_too() -> None:
    story = stories.example()
    rows = judge_table(Facts(story), Facts(story).judge or "", main=True).rows
    within = next(row for row in rows if "within dimensions" in row.title)
    assert within.thresholds == BAND_EDGES
    told = table(Page(render_html(story)), "against the human consensus")
    assert any(THRESHOLD_MARK in row[1] for row in told if "within dimensions" in row[0])
