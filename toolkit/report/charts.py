"""Native charts of the workbook: kappa by dimension, and how each rater uses the scale. They follow the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xlsxwriter.utility import xl_range_abs

from toolkit.analysis import Block
from toolkit.i18n import MISSING
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
    page: Page,
    facts: Facts,
    people: Mapping[str, str],
    judged: Mapping[tuple[str, str], str],
    estimates: Mapping[tuple[str, str], int],
    scores: Place,
) -> None:
    """Write a small table of kappas and put the charts below it.

    Args:
        page: The summary.
        facts: The report.
        people: Cell of people's mean kappa, by dimension.
        judged: Cell of each of the judge's figures, by statistic and dimension.
        estimates: Row of the summary with each figure and its interval, by statistic and dimension.
        scores: Where the table of scores by rater stands.
    """
    sides = []
    if people:
        sides.append(_Side(facts._("People"), PEOPLE, "mean_pairwise_kappa", people, _people(facts)))
        if facts.judge is not None:
            cells = {key: cell for (name, key), cell in judged.items() if name == "kappa_quadratic"}
            sides.append(_Side(facts._("Judge"), JUDGE, "kappa_quadratic", cells, _judge(facts, facts.judge)))
        _kappas(page, facts, sides, estimates)
    top, column = page.row, 0
    if sides:
        page.sheet.raw.insert_chart(top, column, _kappa_chart(page, facts, sides), CHART)
        column = 5
    page.sheet.raw.insert_chart(top, column, _scores_chart(page, facts, scores), CHART)
    for _row in range(ROWS):
        page.next()


@dataclass(frozen=True)
class _Side:
    """People or the judge: its kappas by dimension, the cells they are computed in, and the estimates."""

    name: str
    colour: str
    statistic: str
    cells: Mapping[str, str]
    estimates: Sequence[Estimate]


def _scopes(facts: Facts) -> list[str]:
    keys = list(facts.analysis.headline.by_dimension)
    return ["", *keys] if len(keys) > 1 else [""]


def _kappas(page: Page, facts: Facts, sides: Sequence[_Side], rows: Mapping[tuple[str, str], int]) -> None:
    """Write the kappas by dimension side by side, each the very cell in which it is computed, and their intervals."""
    _ = facts._
    page.heading(_("Kappa by dimension"))
    heads = [head for side in sides for head in (side.name, _("Interval: below by"), _("Interval: above by"))]
    page.header([_("Scope"), *heads], numbers=range(1, 1 + len(heads)))
    for place, key in enumerate(_scopes(facts)):
        page.text(0, facts.dimension(key) if key else _("All items"), "cell_bold")
        for number, side in enumerate(sides):
            one, column, row = side.estimates[place], 1 + 3 * number, rows[side.statistic, key] + 1
            page.formula(column, f"={side.cells[key]}", "coefficient", MISSING if one.value is None else one.value)
            for end, distance in enumerate((f"C{row}-D{row}", f"E{row}-C{row}")):
                shown = f'=IF(COUNT(C{row}:E{row})=3,MAX(0,{distance}),"{MISSING}")'
                page.formula(column + 1 + end, shown, "coefficient", _reach(one, end))
        page.next()
    page.next()


def _people(facts: Facts) -> list[Estimate]:
    return [block.people["mean_pairwise_kappa"] for block in _blocks(facts)]


def _judge(facts: Facts, judge: str) -> list[Estimate]:
    return [block.judges[judge]["kappa_quadratic"] for block in _blocks(facts)]


def _blocks(facts: Facts) -> list[Block]:
    headline = facts.analysis.headline
    return [headline.by_dimension[key] if key else headline.overall for key in _scopes(facts)]


def _kappa_chart(page: Page, facts: Facts, sides: Sequence[_Side]) -> Any:
    _ = facts._
    chart = page.sheet.book.book.add_chart({"type": "column"})
    # the table ends above a blank row
    last = page.row - 2
    first = last - len(_scopes(facts)) + 1
    for number, side in enumerate(sides):
        column = 1 + 3 * number
        arms: dict[str, Any] = {}
        for end, sign in enumerate(("minus", "plus")):
            cells = xl_range_abs(first, column + 1 + end, last, column + 1 + end)
            arms[f"{sign}_values"] = f"={page.sheet.quoted}!{cells}"
            arms[f"{sign}_data"] = [_reach(one, end) for one in side.estimates]
        chart.add_series(
            {
                "name": side.name,
                "categories": [page.sheet.title, first, 0, last, 0],
                "values": [page.sheet.title, first, column, last, column],
                "fill": {"color": side.colour},
                "gap": 80,
                "y_error_bars": {"type": "custom", **arms, "line": {"color": INK}},
            }
        )
    return _finished(
        chart,
        saying("kappa_quadratic", _).name,
        {"max": 1, "major_unit": 0.2, "num_format": LOCALES.get(_.code, "") + "0.0"},
    )


def _reach(one: Estimate, end: int) -> float | str:
    """Return how far the interval reaches below (0) or above (1) the value; a dash where there is none."""
    if one.value is None or one.ci95 is None:
        return MISSING
    return max(0.0, one.ci95[1] - one.value if end else one.value - one.ci95[0])


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
