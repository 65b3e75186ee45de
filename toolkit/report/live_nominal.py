"""Scores without order as live formulas: how often two raters give the same, and how often chance would.

Counts of each score by each rater stand beside the figures; Cohen's kappa and Gwet's AC1 are closed forms over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xlsxwriter.utility import xl_col_to_name

from toolkit.i18n import MISSING
from toolkit.report.facts import Facts
from toolkit.report.live import ZERO, dimensions, of_dimension, or_dash, rows_of, scope
from toolkit.report.live_items import Columns
from toolkit.report.sayings import saying
from toolkit.report.sheet_page import Page
from toolkit.stats.results import Estimate

Array = NDArray[np.float64]
# where the figures begin, after the dimension and who is compared; where the counts do
FIGURES, COUNTS = 2, 8


@dataclass(frozen=True)
class _Two:
    """Two columns of names: as formulas name them, and as codes for the stored values."""

    x: str
    y: str
    left: Array
    right: Array


def pairs_table(page: Page, facts: Facts, at: Columns) -> None:
    """Write the figures of each pair of people as formulas, and the mean of their kappas."""
    _, panel = facts._, facts.panel
    page.heading(_("Agreement of each pair, calculated from the raw scores"))
    labels = _header(page, facts, _("Pair"))
    for key in ("", *dimensions(facts)):
        first = page.row + 1
        block = facts.analysis.headline.by_dimension[key] if key else facts.block
        for one, two in facts.block.pairs:
            left, right = (panel.annotators.index(name) for name in (one, two))
            columns = at.range(at.score(left)), at.range(at.score(right))
            scope(page, key)
            page.text(1, _("{one} and {two}", one=one, two=two))
            _row(page, facts, at, _Two(*columns, panel.scores[:, left], panel.scores[:, right]), key, labels,
                 block.pairs[one, two], "percent_agreement")  # fmt: skip
        scope(page, key)
        page.text(1, _("Mean of all pairs"), "cell_bold")
        column = FIGURES + 4
        span = f"{xl_col_to_name(column)}{first}:{xl_col_to_name(column)}{page.row}"
        mean = block.people["mean_pairwise_kappa"]
        formula = f'=IF(COUNT({span})=0,"{MISSING}",AVERAGE({span}))'
        page.formula(column, formula, "coefficient", or_dash(mean), bold=True)
        page.next()
    page.sentence(
        _(
            "Fleiss' kappa and Krippendorff's alpha need the scores of all people at once, and intervals the "
            "resamples: below they stand as numbers, not as formulas."
        ),
        "small",
    )


def judge_table(page: Page, facts: Facts, at: Columns, judge: str) -> dict[tuple[str, str], str]:
    """Write a judge's figures as formulas; return the cell of each by (statistic, dimension; '' is all)."""
    _ = facts._
    found: dict[tuple[str, str], str] = {}
    page.heading(_("{judge}: calculated from the raw scores", judge=facts.titled(judge)))
    labels = _header(page, facts, _("Who with whom"))
    columns = at.range(at.consensus), at.range(at.judge(facts.number_of(judge)))
    for key in ("", *dimensions(facts)):
        block = facts.analysis.headline.by_dimension[key] if key else facts.block
        scope(page, key)
        page.text(1, _("People and the judge"))
        line = page.row + 1
        two = _Two(*columns, facts.consensus.headline, facts.judges[judge])
        _row(page, facts, at, two, key, labels, block.judges[judge], "exact_agreement")
        places = {"exact_agreement": 2, "kappa_unweighted": 4, "ac1": 5}
        found |= {
            (name, key): f"{page.sheet.quoted}!${xl_col_to_name(FIGURES + step)}${line}"
            for name, step in places.items()
        }
    page.sentence(
        _("The consensus is the score that most people gave, which has no formula: it stands as it was counted."),
        "small",
    )
    return found


def _header(page: Page, facts: Facts, who: str) -> list[str]:
    """Write two header rows; return the cells that hold the scale's names, which the formulas compare with."""
    _, values = facts._, [facts.score(code) for code in facts.panel.scale.codes]
    page.sentence(_("Each cell is a formula over the sheet with the scores; click on it to see it."), "small")
    for column in range(COUNTS):
        page.text(column, "", "header")
    for place, title in enumerate((_("First, counts"), _("Second, counts"))):
        page.sheet.merged(page.row, COUNTS + place * len(values), page.row, COUNTS + (place + 1) * len(values) - 1,
                          title, "header")  # fmt: skip
    page.next()
    figures = (
        _("Items"),
        _("Identical"),
        saying("percent_agreement", _).name,
        _("The same expected by chance"),
        saying("kappa_unweighted", _).name,
        saying("ac1", _).name,
    )
    titles = (_("Dimension"), who, *figures, *values, *values)
    page.header(titles, numbers=range(FIGURES, len(titles)))
    return [f"{xl_col_to_name(COUNTS + place)}${page.row}" for place in range(len(values))]


def _row(
    page: Page,
    facts: Facts,
    at: Columns,
    two: _Two,
    key: str,
    labels: list[str],
    estimates: Mapping[str, Estimate],
    agreement: str,
) -> None:
    codes, line = facts.panel.scale.codes, page.row + 1
    counted = rows_of(facts, key) & facts.consensus.counted & ~np.isnan(two.left + two.right)
    left, right = two.left[counted], two.right[counted]
    mask = f"{at.range(at.counts)}*(LEN({two.x})>0)*(LEN({two.y})>0){of_dimension(at, page, key)}"
    letters = [xl_col_to_name(COUNTS + place) for place in range(2 * len(codes))]
    firsts, seconds = (f"{part[0]}{line}:{part[-1]}{line}" for part in (letters[: len(codes)], letters[len(codes) :]))
    n, same, seen, chance = (f"{xl_col_to_name(FIGURES + step)}{line}" for step in range(4))
    page.formula(FIGURES, f"=SUMPRODUCT({mask})", "count", left.size)
    page.formula(FIGURES + 1, f"=SUMPRODUCT({mask}*EXACT({two.x},{two.y}))", "count", int((left == right).sum()))
    counts = [[int((side == code).sum()) for code in codes] for side in (left, right)]
    expected = float(np.dot(counts[0], counts[1])) / left.size**2 if left.size else MISSING
    gwet = f"(1-SUMPRODUCT(({firsts}+{seconds})^2)/(4*{n}^2))/{len(codes) - 1}"
    formulas = [
        (f"{same}/{n}", "share", or_dash(estimates[agreement])),
        (f"SUMPRODUCT({firsts},{seconds})/{n}^2", "share", expected),
        (f'IF(1-{chance}<{ZERO},"{MISSING}",({seen}-{chance})/(1-{chance}))', "coefficient",
         or_dash(estimates["kappa_unweighted"])),
        (f"({seen}-{gwet})/(1-{gwet})", "coefficient", or_dash(estimates["ac1"])),
    ]  # fmt: skip
    for step, (formula, kind, value) in enumerate(formulas, FIGURES + 2):
        page.formula(step, f'=IF({n}=0,"{MISSING}",{formula})', kind, value)
    for column, (side, values) in enumerate(zip((two.x, two.y), counts, strict=True)):
        for place, (label, count) in enumerate(zip(labels, values, strict=True)):
            cell = COUNTS + column * len(codes) + place
            page.formula(cell, f"=SUMPRODUCT({mask}*EXACT({side},{label}))", "count", count)
    page.next()
