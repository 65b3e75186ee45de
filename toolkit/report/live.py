"""The sheets whose figures are live formulas over the raw scores: a referee clicks and sees.

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

from toolkit.consensus import FLAG_RANGE, Mode
from toolkit.i18n import MISSING
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying
from toolkit.report.sheet_page import Page
from toolkit.stats.results import Estimate

# Sums of squares of constant scores miss 0 by rounding; this far from it they are constant.
ZERO = "1E-9"
IDENTITY = 3
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """Where the consensus sheet keeps what; ranges hold the sheet's name and absolute addresses.

    Attributes:
        sheet: The sheet's quoted name.
        rows: Number of items.
    """

    sheet: str
    rows: int
    annotators: int
    judges: int

    def letter(self, column: int) -> str:
        """Return a column's letters."""
        return str(xl_col_to_name(column))

    def range(self, column: int) -> str:
        """Return all items of a column as formulas on any sheet name it."""
        letter = self.letter(column)
        return f"{self.sheet}!${letter}$2:${letter}${self.rows + 1}"

    @property
    def dimension(self) -> int:
        """The column of the dimension."""
        return 2

    def score(self, annotator: int) -> int:
        """Return the column of an annotator's scores."""
        return IDENTITY + annotator

    @property
    def counts(self) -> int:
        """The column that says which items count; after it median, range, flag, discussion, consensus."""
        return IDENTITY + self.annotators

    @property
    def consensus(self) -> int:
        """The column of the consensus."""
        return self.counts + 7

    def judge(self, number: int) -> int:
        """Return the column of a judge's scores; after it the difference and the absolute error."""
        return self.consensus + 1 + 3 * number


def consensus_sheet(page: Page, facts: Facts) -> Columns:
    """Write raw scores, what follows from them, and the judges; return where things are."""
    _, panel, consensus = facts._, facts.panel, facts.consensus
    at = Columns(page.sheet.quoted, len(panel.items), len(panel.annotators), len(facts.judges))
    titles = [_("Item"), _("Code"), _("Dimension"), *panel.annotators, _("Counts (1 = yes)"), _("Median"), _("Range")]
    titles += [
        _("Flagged (1 = yes)"),
        _("Discussed (1 = yes)"),
        _("Score after the discussion"),
        _("To exclude (1 = yes)"),
    ]
    titles.append(_("Human consensus"))
    for name in facts.judges:
        titles += [_("Judge {judge}", judge=name), _("Judge minus people"), _("Absolute error")]
    page.header(titles)
    for row, item in enumerate(panel.items):
        page.text(0, facts.names[row], "cell_bold")
        page.text(1, panel.codes[row])
        page.text(2, item.dimension)
        for place in range(len(panel.annotators)):
            _raw(page, facts, at.score(place), float(panel.scores[row, place]))
        page.value(at.counts, int(consensus.counted[row]), "count")
        page.value(at.counts + 4, int(row in panel.discussed), "count")
        _raw(page, facts, at.counts + 5, float(consensus.revised[row]))
        page.value(at.counts + 6, int(consensus.excluded[row]), "count")
        for number, scores in enumerate(facts.judges.values()):
            _raw(page, facts, at.judge(number), float(scores[row]))
        (_named if facts.nominal else _calculated)(page, facts, at, row)
        page.row += 1
    page.sheet.widths(170, 70, 110, *[64] * len(panel.annotators), *[82] * 8, *[90] * 3 * len(facts.judges))
    page.sheet.raw.set_row_pixels(0, 52)
    page.sheet.raw.freeze_panes(1, IDENTITY)
    page.sheet.raw.autofilter(0, 0, len(panel.items), len(titles) - 1)
    return at


def _raw(page: Page, facts: Facts, column: int, code: float) -> None:
    if np.isnan(code):
        page.text(column, "", "number")
    elif facts.nominal:
        page.text(column, facts.score(code), "number")
    else:
        page.value(column, code, "score")


def _named(page: Page, facts: Facts, at: Columns, row: int) -> None:
    """Write what a scale without order has: no median, no differences."""
    for column in (at.counts + 1, at.counts + 2):
        page.text(column, MISSING, "number")
    page.value(at.counts + 3, int(facts.consensus.flagged[row]), "count")
    _raw(page, facts, at.consensus, float(facts.consensus.headline[row]))
    for number in range(at.judges):
        for column in (at.judge(number) + 1, at.judge(number) + 2):
            page.text(column, MISSING, "number")


def _calculated(page: Page, facts: Facts, at: Columns, row: int) -> None:
    consensus, line = facts.consensus, row + 2

    def cell(column: int) -> str:
        return f"{at.letter(column)}{line}"

    scores = f"{cell(at.score(0))}:{cell(at.score(at.annotators - 1))}"
    counts, median, spread, flag = (cell(at.counts + step) for step in range(4))
    talked, revised = cell(at.counts + 4), cell(at.counts + 5)
    page.formula(
        at.counts + 1, f'=IF(COUNT({scores})=0,"",MEDIAN({scores}))', "score", _or_blank(consensus.median[row])
    )
    page.formula(
        at.counts + 2,
        f'=IF(COUNT({scores})=0,"",MAX({scores})-MIN({scores}))',
        "score",
        _or_blank(consensus.disagreement_range[row]),
    )
    # AND would compare an empty text with a number, which programs decide differently; so ask for a number first.
    page.formula(
        at.counts + 3,
        f"=IF(ISNUMBER({spread}),IF({spread}>={FLAG_RANGE:g},{counts},0),0)",
        "count",
        int(consensus.flagged[row]),
    )
    taken = median
    if consensus.mode is Mode.TWO:
        waiting = median if facts.analysis.options.collected_elsewhere else f'IF({flag}*(1-{talked})=1,"",{median})'
        taken = f"IF(ISNUMBER({revised}),{revised},{waiting})"
    headline = float(consensus.headline[row])
    page.formula(at.consensus, f'=IF({counts}=1,{taken},"")', "score", _or_blank(headline))
    for number, judged in enumerate(facts.judges.values()):
        judge, difference = cell(at.judge(number)), cell(at.judge(number) + 1)
        value = float(judged[row]) - headline
        page.formula(
            at.judge(number) + 1,
            f'=IF(ISNUMBER({cell(at.consensus)}),IF(ISNUMBER({judge}),{judge}-{cell(at.consensus)},""),"")',
            "points",
            _or_blank(value),
        )
        page.formula(
            at.judge(number) + 2, f'=IF(ISNUMBER({difference}),ABS({difference}),"")', "points", _or_blank(abs(value))
        )


def _or_blank(value: float) -> float | str:
    return "" if np.isnan(value) else float(value)


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
    page.header((_("Dimension"), _("Pair"), *_moments(facts), _("Quadratic-weighted kappa")))
    for key in ("", *_dimensions(facts)):
        first = page.row + 1
        for one, two in facts.block.pairs:
            places = panel.annotators.index(one), panel.annotators.index(two)
            a, b = (at.range(at.score(place)) for place in places)
            mask = f"{at.range(at.counts)}*ISNUMBER({a})*ISNUMBER({b}){_of_dimension(at, page, key)}"
            rows = facts.consensus.counted & _rows(facts, key) & ~np.isnan(panel.scores[:, list(places)]).any(axis=1)
            left, right = (panel.scores[rows, place] for place in places)
            _scope(page, key)
            page.text(1, _("{one} and {two}", one=one, two=two))
            block = facts.analysis.headline.by_dimension[key] if key else facts.block
            sample = _Sample(mask, a, b, f"SUMPRODUCT({mask}*({a}-{b})^2)", left, right)
            _moments_row(page, 2, sample)
            _kappa(page, 9, 2, block.pairs[one, two]["kappa_quadratic"])
            page.row += 1
        _scope(page, key)
        page.text(1, _("Mean of all pairs"), "cell_bold")
        block = facts.analysis.headline.by_dimension[key] if key else facts.block
        mean = block.people["mean_pairwise_kappa"]
        span = f"J{first}:J{page.row}"
        page.formula(9, f'=IF(COUNT({span})=0,"{MISSING}",AVERAGE({span}))', "coefficient", _or_dash(mean), bold=True)
        means[key] = f"{page.sheet.quoted}!$J${page.row + 1}"
        page.row += 1
    return means


def judge_table(page: Page, facts: Facts, at: Columns, judge: str) -> dict[tuple[str, str], str]:
    """Write a judge's main figures as formulas; return the cell of each by (statistic, dimension; '' is all)."""
    _, number = facts._, facts.number_of(judge)
    found: dict[tuple[str, str], str] = {}
    page.heading(_("{judge}: calculated from the raw scores", judge=judge))
    page.sentence(_("Each cell is a formula over the sheet with the scores; click on it to see it."), "small")
    keys = ("kappa_quadratic", "pearson", "mae", "bias")
    page.header((_("Dimension"), *_moments(facts), *(saying(key, _).name for key in keys)))
    human, model = at.range(at.consensus), at.range(at.judge(number))
    differences, errors = at.range(at.judge(number) + 1), at.range(at.judge(number) + 2)
    first = page.row + 2
    for key in ("", *_dimensions(facts)):
        mask = f"ISNUMBER({differences})*1{_of_dimension(at, page, key)}"
        scores, target = facts.judges[judge], facts.consensus.headline
        rows = _rows(facts, key) & ~np.isnan(scores + target)
        _scope(page, key)
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
            page.formula(column, shown, saying(name, _).kind, _or_dash(estimates[name]))
        found |= {(name, key): f"{page.sheet.quoted}!${xl_col_to_name(8 + c)}${line}" for c, name in enumerate(keys)}
        page.row += 1
    within = facts.block.within_judges.get(judge, {}).get("kappa_quadratic")
    if within is not None:
        page.text(0, _("Within dimensions"), "cell_bold")
        n, seen, chance = (f"{letter}{first}:{letter}{page.row}" for letter in "BGH")
        shown = f'=IF(SUMPRODUCT({n},{chance})<{ZERO},"{MISSING}",1-SUMPRODUCT({n},{seen})/SUMPRODUCT({n},{chance}))'
        page.formula(8, shown, "coefficient", _or_dash(within))
        found["kappa_quadratic", "within"] = f"{page.sheet.quoted}!$I${page.row + 1}"
        page.row += 1
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
    page.formula(column, formula, "coefficient", _or_dash(estimate), bold=True)


def _scope(page: Page, key: str) -> None:
    page.text(0, key or page._("All items"), "cell_bold")


def _dimensions(facts: Facts) -> tuple[str, ...]:
    keys = tuple(facts.analysis.headline.by_dimension)
    return keys if len(keys) > 1 else ()


def _of_dimension(at: Columns, page: Page, key: str) -> str:
    return f"*EXACT({at.range(at.dimension)},$A{page.row + 1})" if key else ""


def _rows(facts: Facts, key: str) -> NDArray[np.bool_]:
    return np.array([key in ("", item.dimension) for item in facts.panel.items])


def _or_dash(estimate: Estimate) -> float | str:
    return MISSING if estimate.value is None else estimate.value
