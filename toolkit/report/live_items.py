"""The sheet of raw scores and, beside them, what follows from them: live formulas that a referee clicks on and sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xlsxwriter.utility import xl_col_to_name

from toolkit.consensus import FLAG_RANGE
from toolkit.i18n import MISSING
from toolkit.report.facts import Facts
from toolkit.report.sheet_page import Page

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
    titles = [_("Item"), _("Code"), _("Dimension"), *panel.annotators, _("Counts (1 = yes)")]
    titles += [_("Commonest score") if facts.nominal else _("Median"), _("Range")]
    titles += [
        _("Flagged (1 = yes)"),
        _("Discussed (1 = yes)"),
        _("Score after the discussion"),
        _("To exclude (1 = yes)"),
    ]
    titles.append(_("Human consensus"))
    for name in facts.judges:
        titles += [facts.as_rater(name), _("Judge minus people"), _("Absolute error")]
    page.widths(170, 70, 110, *[70] * len(panel.annotators), *[90] * 8, *[95] * 3 * len(facts.judges))
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
        page.next()
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
    """Write what a scale without order has: a commonest score, no differences."""
    _raw(page, facts, at.counts + 1, float(facts.consensus.median[row]))
    page.text(at.counts + 2, MISSING, "number")
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
    if consensus.of_two[row]:
        waiting = median if facts.analysis.options.collected_elsewhere else f'IF({flag}*(1-{talked})=1,"",{median})'
        # only a flagged item takes the score of the discussion
        taken = f"IF({flag}=1,IF(ISNUMBER({revised}),{revised},{waiting}),{median})"
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
