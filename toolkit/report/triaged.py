"""What a second reading found where judge and people lie far apart: how often the judge is really wrong."""

from __future__ import annotations

from collections import Counter

import numpy as np

from toolkit.i18n import Language
from toolkit.report.cells import Cell, EstimateRow, EstimateTable, Table, grid
from toolkit.report.facts import Facts
from toolkit.stats.proportion import proportion
from toolkit.stats.results import Estimate
from toolkit.workbook.triage import Fault


def waiting(facts: Facts) -> list[int]:
    """Return the items still to be read again."""
    return [row for row in facts.analysis.headline.judge_disagreements if row not in (facts.triage or {})]


def figures(facts: Facts) -> dict[str, Estimate]:
    """Return the judge's genuine error rate, and the share of the triaged items on which it is the judge that errs.

    The rate is undefined until every item is triaged: those left over could be anything.
    """
    triage = facts.triage or {}
    wrong = sum(one.fault is Fault.JUDGE for one in triage.values())
    judged = facts.judges[facts.judge] if facts.judge is not None else np.array([])
    compared = int((~np.isnan(judged + facts.consensus.headline)).sum()) if judged.size else 0
    rate = Estimate(None, compared) if waiting(facts) else proportion(wrong, compared)
    return {"genuine_error_rate": rate, "judge_wrong_share": proportion(wrong, len(triage))}


def fault_word(fault: Fault, _: Language) -> str:
    """Return what was found wrong, in words."""
    return {
        Fault.JUDGE: _("the judge's score is wrong"),
        Fault.PEOPLE: _("the people's score is wrong"),
        Fault.RUBRIC: _("the rubric does not settle it"),
        Fault.ITEM: _("the item is broken"),
    }[fault]


def sentence(facts: Facts) -> str:
    """Say what the triage found, or what it could find."""
    _, disputes = facts._, facts.analysis.headline.judge_disagreements
    if facts.judge is None or not facts.wide or not disputes:
        return ""
    if facts.triage is None:
        return _.plural(
            "On {n} item the judge lies two or more points from people. Whether it errs there, or the people, the "
            "rubric or the item, is settled by reading it again: fill in triage.xlsx and give it back with --triage.",
            "On {n} items the judge lies two or more points from people. Whether it errs there, or the people, the "
            "rubric or the item, is settled by reading them again: fill in triage.xlsx and give it back with --triage.",
            len(disputes),
        )
    if left := waiting(facts):
        return _.plural(
            "{n} item is still to be triaged; the genuine error rate comes with it.",
            "{n} items are still to be triaged; the genuine error rate comes with the last.",
            len(left),
        )
    rate = figures(facts)["genuine_error_rate"]
    return _(
        "Read again with the two scores unlabelled, the judge is wrong by two or more points on {wrong} of "
        "{compared} items: {rate} (95% interval {interval}).",
        wrong=_.number(sum(one.fault is Fault.JUDGE for one in facts.triage.values()), 0),
        compared=_.number(rate.n, 0),
        rate=facts.estimate(rate, "share"),
        interval=facts.interval(rate, "share"),
    )


def tables(facts: Facts) -> list[Table]:
    """Return what was found, item by item counted, and the two rates."""
    _, triage = facts._, facts.triage
    if not triage:
        return []
    counts = Counter(one.fault for one in triage.values())
    found = [
        (Cell(fault_word(fault, _)), Cell(_.number(counts[fault], 0), counts[fault], kind="count")) for fault in Fault
    ]
    left = len(waiting(facts))
    found.append((Cell(_("not triaged yet")), Cell(_.number(left, 0), left, kind="count")))
    kinds = Table("triage", _("What is wrong where judge and people lie two or more points apart"),
                  (_("Found on reading again"), _("Items")), found)  # fmt: skip
    return [kinds, grid(rates_table(facts), facts)]


def rates_table(facts: Facts) -> EstimateTable:
    """Return the two rates with their intervals."""
    _, estimates = facts._, figures(facts)
    rows = [
        EstimateRow(
            _("Genuine error rate of the judge"),
            _(
                "Of all items compared, the share on which the judge is two or more points off and was found wrong. "
                "Smaller errors were not looked at."
            ),
            [estimates["genuine_error_rate"]],
            "share",
        ),
        EstimateRow(
            _("Judge found wrong among the triaged"),
            _("Of the items read again, the share on which it is the judge that errs."),
            [estimates["judge_wrong_share"]],
            "share",
        ),
    ]
    return EstimateTable("triage-rates", _("How often the judge is really wrong"), [_("All items")], rows)
