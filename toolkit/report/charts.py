"""Native charts of the workbook: kappa by dimension, and how each rater uses the scale. They follow the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.report.cells import Table
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying
from toolkit.report.sheet_page import LOCALES, Page
from toolkit.stats.results import Estimate
from toolkit.texts import clean

CHART = {"x_scale": 1.0, "y_scale": 1.0, "object_position": 1}
WIDTH_PX, HEIGHT_PX, ROWS = 620, 300, 16
PEOPLE, JUDGE, INK = "#1D5FA6", "#A8480B", "#1B2733"
SHADES = ("#1D5FA6", "#6C9DCB", "#123C6B", "#9DBFE0", "#3E7FBE", "#0B2745")
NAME_CHARACTERS = 60


@dataclass(frozen=True)
class Place:
    """Where a table of numbers stands: its sheet, its header row, its first and last rows and columns from 0."""

    sheet: str
    header: int
    first: int
    last: int
    columns: int


def placed(page: Page, table: Table, columns: int) -> Place:
    """Write a table and return where it stands.

    Args:
        page: The sheet it is written into.
        table: The table.
        columns: How many columns of numbers follow the names of the rows.
    """
    page.table(table)
    last = page.row - len(table.remarks) - 1
    first = last - len(table.rows) + 1
    return Place(page.sheet.title, first - 1, first, last, columns)


def charts(
    page: Page, facts: Facts, people: Mapping[str, str], judged: Mapping[tuple[str, str], str], scores: Place
) -> None:
    """Write a small table of kappas and put the charts below it.

    Args:
        page: The summary.
        facts: The report.
        people: Cell of people's mean kappa, by dimension.
        judged: Cell of each of the judge's figures, by statistic and dimension.
        scores: Where the table of scores by rater stands.
    """
    _, row = facts._, page.row
    if people:
        _kappas(page, facts, people, judged)
    top, column = page.row, 0
    if people:
        page.sheet.raw.insert_chart(top, column, _kappa_chart(page, facts, row), CHART)
        column = 5
    page.sheet.raw.insert_chart(top, column, _scores_chart(page, facts, scores), CHART)
    for _row in range(ROWS):
        page.next()


def _scopes(facts: Facts) -> list[str]:
    keys = list(facts.analysis.headline.by_dimension)
    return ["", *keys] if len(keys) > 1 else [""]


def _kappas(page: Page, facts: Facts, people: Mapping[str, str], judged: Mapping[tuple[str, str], str]) -> None:
    """Write the kappas by dimension side by side, each the very cell in which it is computed."""
    _ = facts._
    page.heading(_("Kappa by dimension"))
    page.header([_("Scope"), _("People"), *([_("Judge")] if judged else [])])
    for key, people_one, judge_one in zip(_scopes(facts), _people(facts), _judge(facts), strict=True):
        page.text(0, facts.dimension(key) if key else _("All items"), "cell_bold")
        page.formula(1, f"={people[key]}", "coefficient", people_one.value if people_one.value is not None else "—")
        if judged:
            value = judge_one.value if judge_one is not None and judge_one.value is not None else "—"
            page.formula(2, f"={judged['kappa_quadratic', key]}", "coefficient", value)
        page.next()
    page.next()


def _people(facts: Facts) -> list[Estimate]:
    headline = facts.analysis.headline
    blocks = [headline.by_dimension[key] if key else headline.overall for key in _scopes(facts)]
    return [block.people["mean_pairwise_kappa"] for block in blocks]


def _judge(facts: Facts) -> list[Estimate | None]:
    headline = facts.analysis.headline
    blocks = [headline.by_dimension[key] if key else headline.overall for key in _scopes(facts)]
    return [None if facts.judge is None else block.judges[facts.judge]["kappa_quadratic"] for block in blocks]


def _kappa_chart(page: Page, facts: Facts, row: int) -> Any:
    _ = facts._
    chart = page.sheet.book.book.add_chart({"type": "column"})
    scopes, header = len(_scopes(facts)), row + 2 if row else 1
    first, last = header + 1, header + scopes
    sides: list[tuple[str, str, Sequence[Estimate | None]]] = [(_("People"), PEOPLE, _people(facts))]
    if facts.judge is not None:
        sides.append((_("Judge"), JUDGE, _judge(facts)))
    for column, (name, colour, estimates) in enumerate(sides, 1):
        chart.add_series(
            {
                "name": name,
                "categories": [page.sheet.title, first, 0, last, 0],
                "values": [page.sheet.title, first, column, last, column],
                "fill": {"color": colour},
                "gap": 80,
                "y_error_bars": {
                    "type": "custom",
                    "plus_values": [_arm(one, 1) for one in estimates],
                    "minus_values": [_arm(one, 0) for one in estimates],
                    "line": {"color": INK},
                },
            }
        )
    return _finished(
        chart,
        saying("kappa_quadratic", _).name,
        {"max": 1, "major_unit": 0.2, "num_format": LOCALES.get(_.code, "") + "0.0"},
    )


def _arm(one: Estimate | None, end: int) -> float:
    """Return how far the interval reaches from the value; 0 where there is none."""
    if one is None or one.value is None or one.ci95 is None:
        return 0.0
    return abs(one.ci95[end] - one.value)


def _scores_chart(page: Page, facts: Facts, at: Place) -> Any:
    _ = facts._
    chart = page.sheet.book.book.add_chart({"type": "column"})
    people = len(facts.panel.annotators)
    for place, row in enumerate(range(at.first, at.last + 1)):
        colour = SHADES[place % len(SHADES)] if place < people else JUDGE
        chart.add_series(
            {
                "name": [at.sheet, row, 0],
                "categories": [at.sheet, at.header, 1, at.header, at.columns],
                "values": [at.sheet, row, 1, row, at.columns],
                "fill": {"color": colour},
            }
        )
    return _finished(chart, _("How often each rater gave each score"), {"num_format": "0"})


def _finished(chart: Any, title: str, axis: dict[str, Any]) -> Any:
    chart.set_title({"name": clean(title)[:NAME_CHARACTERS], "name_font": {"size": 12, "color": INK}, "overlay": False})
    chart.set_y_axis(axis | {"major_gridlines": {
        "visible": True, "line": {"color": "#D8DFE7"}}})  # fmt: skip
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": WIDTH_PX, "height": HEIGHT_PX})
    return chart
