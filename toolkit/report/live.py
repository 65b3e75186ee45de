"""The main figures as live formulas over the raw scores: moments, kappa in closed form, Pearson, errors.

Only functions that Excel, LibreOffice and Google Sheets share, and no array formulas. `SUMPRODUCT` with its arrays
apart (not multiplied) takes the empty texts of items without a consensus as 0, as it does empty cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xlsxwriter.utility import xl_col_to_name

from toolkit.i18n import MISSING
from toolkit.report.facts import Facts
from toolkit.report.live_items import Columns
from toolkit.report.sayings import saying
from toolkit.report.sheet_page import Page
from toolkit.stats.results import Estimate

# Sums of squares of constant scores miss 0 by rounding; this far from it they are constant.
ZERO = "1E-9"
Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Sample:
    """Two columns of a scope: as formulas name them, and as numbers for the cached values."""

    mask: str
    x: str
    y: str
    squares: str
    left: Array
    right: Array


def pairs_table(page: Page, facts: Facts, at: Columns) -> dict[str, str]:
    """Write the kappa of each pair of people as formulas; return the cell of the mean, by dimension ('' is all)."""
    _, panel, means = facts._, facts.panel, {}
    page.heading(_("Quadratic-weighted kappa of each pair, calculated from the raw scores"))
    page.sentence(_("Each cell is a formula over the sheet with the scores; click on it to see it."), "small")
    titles = (_("Dimension"), _("Pair"), *_moments(facts), _("Quadratic-weighted kappa"))
    page.header(titles, numbers=range(2, len(titles)))
    for key in ("", *dimensions(facts)):
        first = page.row + 1
        for one, two in facts.block.pairs:
            places = panel.annotators.index(one), panel.annotators.index(two)
            a, b = (at.range(at.score(place)) for place in places)
            mask = f"{at.range(at.counts)}*ISNUMBER({a})*ISNUMBER({b}){of_dimension(at, page, key)}"
            rows = facts.consensus.counted & rows_of(facts, key) & ~np.isnan(panel.scores[:, list(places)]).any(axis=1)
            left, right = (panel.scores[rows, place] for place in places)
            scope(page, key)
            page.text(1, _("{one} and {two}", one=one, two=two))
            block = facts.analysis.headline.by_dimension[key] if key else facts.block
            sample = _Sample(mask, a, b, f"SUMPRODUCT({mask}*({a}-{b})^2)", left, right)
            _moments_row(page, 2, sample)
            _kappa(page, 9, 2, block.pairs[one, two]["kappa_quadratic"])
            page.next()
        scope(page, key)
        page.text(1, _("Mean of all pairs"), "cell_bold")
        block = facts.analysis.headline.by_dimension[key] if key else facts.block
        mean = block.people["mean_pairwise_kappa"]
        span = f"J{first}:J{page.row}"
        page.formula(9, f'=IF(COUNT({span})=0,"{MISSING}",AVERAGE({span}))', "coefficient", or_dash(mean), bold=True)
        means[key] = f"{page.sheet.quoted}!$J${page.row + 1}"
        page.next()
    return means


def judge_table(page: Page, facts: Facts, at: Columns, judge: str) -> dict[tuple[str, str], str]:
    """Write a judge's main figures as formulas; return the cell of each by (statistic, dimension; '' is all)."""
    _, number = facts._, facts.number_of(judge)
    found: dict[tuple[str, str], str] = {}
    page.heading(_("{judge}: calculated from the raw scores", judge=facts.titled(judge)))
    page.sentence(_("Each cell is a formula over the sheet with the scores; click on it to see it."), "small")
    keys = ("kappa_quadratic", "pearson", "mae", "bias")
    titles = (_("Dimension"), *_moments(facts), *(saying(key, _).name for key in keys))
    page.header(titles, numbers=range(1, len(titles)))
    human, model = at.range(at.consensus), at.range(at.judge(number))
    differences, errors = at.range(at.judge(number) + 1), at.range(at.judge(number) + 2)
    first = page.row + 2
    for key in ("", *dimensions(facts)):
        mask = f"ISNUMBER({differences})*1{of_dimension(at, page, key)}"
        scores, target = facts.judges[judge], facts.consensus.headline
        rows = rows_of(facts, key) & ~np.isnan(scores + target)
        scope(page, key)
        squares = f"SUMPRODUCT({mask},{differences},{differences})"
        _moments_row(page, 1, _Sample(mask, human, model, squares, target[rows], scores[rows]))
        block = facts.analysis.headline.by_dimension[key] if key else facts.block
        estimates, line = block.judges[judge], page.row + 1
        _kappa(page, 8, 1, estimates["kappa_quadratic"])
        n, mean_x, mean_y, var_x, var_y = (f"{letter}{line}" for letter in "BCDEF")
        covariance = f"SUMPRODUCT({mask},{human},{model})/{n}-{mean_x}*{mean_y}"
        pearson = f'IF(MIN({var_x},{var_y})<{ZERO},"{MISSING}",({covariance})/SQRT({var_x}*{var_y}))'
        formulas = {
            "pearson": pearson,
            "mae": f"SUMPRODUCT({mask},{errors})/{n}",
            "bias": f"SUMPRODUCT({mask},{differences})/{n}",
        }
        for column, (name, formula) in enumerate(formulas.items(), 9):
            shown = f'=IF({n}=0,"{MISSING}",{formula})'
            page.formula(column, shown, saying(name, _).kind, or_dash(estimates[name]))
        found |= {(name, key): f"{page.sheet.quoted}!${xl_col_to_name(8 + c)}${line}" for c, name in enumerate(keys)}
        page.next()
    within = facts.block.within_judges.get(judge, {}).get("kappa_quadratic")
    if within is not None:
        page.text(0, _("Within dimensions"), "cell_bold")
        n, seen, chance = (f"{letter}{first}:{letter}{page.row}" for letter in "BGH")
        shown = f'=IF(SUMPRODUCT({n},{chance})<{ZERO},"{MISSING}",1-SUMPRODUCT({n},{seen})/SUMPRODUCT({n},{chance}))'
        page.formula(8, shown, "coefficient", or_dash(within))
        found["kappa_quadratic", "within"] = f"{page.sheet.quoted}!$I${page.row + 1}"
        page.next()
    return found


def _moments(facts: Facts) -> Iterator[str]:
    _ = facts._
    yield from (_("Items"), _("Mean, first"), _("Mean, second"), _("Variance, first"), _("Variance, second"))
    yield from (_("Mean squared difference"), _("The same expected by chance"))


def _moments_row(page: Page, column: int, sample: _Sample) -> None:
    """Write n, both means and population variances, and the mean squared difference, seen and expected by chance."""
    names = [f"{xl_col_to_name(column + step)}{page.row + 1}" for step in range(6)]
    n, mean_x, mean_y, var_x, var_y, _squares = names
    x, y, mask = sample.x, sample.y, sample.mask
    left, right = sample.left, sample.right
    page.formula(column, f"=SUMPRODUCT({mask})", "count", left.size)
    parts: list[tuple[str, Callable[[], np.floating[Any]]]] = [
        (f"SUMPRODUCT({mask},{x})/{n}", left.mean),
        (f"SUMPRODUCT({mask},{y})/{n}", right.mean),
        (f"SUMPRODUCT({mask},{x},{x})/{n}-{mean_x}^2", left.var),
        (f"SUMPRODUCT({mask},{y},{y})/{n}-{mean_y}^2", right.var),
        (f"{sample.squares}/{n}", lambda: ((left - right) ** 2).mean()),
        (
            f"{var_x}+{var_y}+({mean_x}-{mean_y})^2",
            lambda: left.var() + right.var() + (left.mean() - right.mean()) ** 2,
        ),
    ]
    for step, (formula, compute) in enumerate(parts, 1):
        cached = float(compute()) if left.size else MISSING
        page.formula(column + step, f'=IF({n}=0,"{MISSING}",{formula})', "points", cached)


def _kappa(page: Page, column: int, moments: int, estimate: Estimate) -> None:
    """Write the closed form of the quadratic-weighted kappa over the moments beside it."""
    n, seen, chance = (f"{xl_col_to_name(moments + step)}{page.row + 1}" for step in (0, 5, 6))
    formula = f'=IF({n}=0,"{MISSING}",IF({chance}<{ZERO},"{MISSING}",1-{seen}/{chance}))'
    page.formula(column, formula, "coefficient", or_dash(estimate), bold=True)


def scope(page: Page, key: str) -> None:
    """Write the dimension of a row, or that it is about all items."""
    page.text(0, key or page._("All items"), "cell_bold")


def dimensions(facts: Facts) -> tuple[str, ...]:
    """Return the dimensions that have rows of their own: none where there is only one."""
    keys = tuple(facts.analysis.headline.by_dimension)
    return keys if len(keys) > 1 else ()


def of_dimension(at: Columns, page: Page, key: str) -> str:
    """Return the factor of a mask that keeps the items of the dimension named in the current row."""
    return f"*EXACT({at.range(at.dimension)},$A{page.row + 1})" if key else ""


def rows_of(facts: Facts, key: str) -> NDArray[np.bool_]:
    """Return which items are of a dimension; all for ''."""
    return np.array([key in ("", item.dimension) for item in facts.panel.items])


def or_dash(estimate: Estimate) -> float | str:
    """Return a value, or a dash where it is undefined."""
    return MISSING if estimate.value is None else estimate.value
