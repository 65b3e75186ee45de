"""How often the intervals hold the truth, as simulations found it: what a report says of its own intervals.

`scripts/coverage.py` and `scripts/coverage_population.py` write what they found of the bootstrap, and of estimates for
a whole log, into files that ship.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from toolkit.files import resources
from toolkit.report.cells import Cell, Table
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying

# What 95% intervals promise, and how much less is said to be too little.
NOMINAL, SHORTFALL = 0.95, 0.02


@cache
def of_populations() -> dict[int, dict[str, float]]:
    """Return the lowest coverage over all simulated logs, by records scored and kind of figure.

    The kinds are `share`, `mean` and `difference`. Shares are cut to whole percents, so that "at least" is true.
    """
    content = _measured("population")
    found: dict[int, dict[str, float]] = {}
    for case in content["cases"]:
        lowest = found.setdefault(case["n"], {})
        for name, held in case["held"].items():
            kind = "share" if name.startswith(">=") else name
            lowest[kind] = min(lowest.get(kind, 1.0), math.floor(100 * held / content["draws"]) / 100)
    return found


def coverage_table(facts: Facts) -> Table | None:
    """Return how often 95% percentile intervals held the true value in simulated studies; None for names.

    The simulated scores have an order, and so have the figures that were looked at.
    """
    if facts.nominal:
        return None
    _, content = facts._, _measured("bootstrap")
    kinds = {"uniform": _("even scores"), "mild skew": _("mild skew"), "heavy skew": _("heavy skew")}
    columns: dict[tuple[int, str], str] = {}
    rows: dict[str, list[Cell]] = {}
    for case in sorted(content["cases"], key=lambda one: int(one["n"])):
        given, held = case["all"]["percentile"]
        columns[case["n"], case["scores"]] = _("{n} items, {scores}", n=case["n"], scores=kinds[case["scores"]])
        row = rows.setdefault(case["statistic"], [Cell(saying(case["statistic"], _).name)])
        row.append(Cell(_.percent(held / given), held / given, kind="share"))
    highest = {name: _.percent(shares[-1]) for name, shares in content["levels"].items()}
    remark = _(
        "{samples} simulated studies of each kind with three people and a judge, {resamples} resamples each; the "
        "shares are of the studies that got an interval. Of the true levels, {even} are on the highest where scores "
        "are even, {mild} with a mild and {heavy} with a heavy skew.",
        samples=_.number(content["samples"], 0),
        resamples=_.number(content["resamples"], 0),
        even=highest["uniform"],
        mild=highest["mild skew"],
        heavy=highest["heavy skew"],
    )
    caption = _("How often 95% intervals held the truth in simulated studies (95% would be right)")
    return Table("coverage", caption, (_("Figure"), *columns.values()), list(rows.values()), remarks=[("", remark)])


def _measured(name: str) -> dict[str, Any]:
    """Return what a simulation wrote."""
    content: dict[str, Any] = json.loads((resources("templates") / "coverage" / f"{name}.json").read_text("utf-8"))
    return content
