"""How often the intervals hold the truth, as simulations found it: what a report says of its own intervals.

`scripts/coverage_population.py` writes what it found of estimates for a whole log into a file that ships. The table of
bootstrap intervals holds what `scripts/coverage.py` prints: 2,000 simulated samples of each kind, 1,000 resamples each,
percentile intervals. True levels are even, mildly skewed (45% on the highest) or heavily skewed (85%).
"""

from __future__ import annotations

import json
import math
from functools import cache

from toolkit.files import resources
from toolkit.report.cells import Cell, Table
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying

# What 95% intervals promise, and how much less is said to be too little.
NOMINAL, SHORTFALL = 0.95, 0.02
# statistic: coverage at n = 30 (uniform, mild, heavy skew) and at n = 100 (the same)
MEASURED = {
    "kappa_quadratic": (0.932, 0.925, 0.818, 0.942, 0.946, 0.915),
    "mean_pairwise_kappa": (0.933, 0.922, 0.782, 0.943, 0.950, 0.898),
    "krippendorff_alpha_ordinal": (0.937, 0.947, 0.916, 0.951, 0.960, 0.940),
    "ac2_quadratic": (0.845, 0.900, 0.941, 0.918, 0.933, 0.940),
    "pearson": (0.915, 0.924, 0.875, 0.936, 0.942, 0.931),
    "mae": (0.932, 0.927, 0.926, 0.945, 0.950, 0.945),
}


@cache
def of_populations() -> dict[int, dict[str, float]]:
    """Return the lowest coverage over all simulated logs, by records scored and kind of figure.

    The kinds are `share`, `mean` and `difference`. Shares are cut to whole percents, so that "at least" is true.
    """
    path = resources("templates") / "coverage" / "population.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    found: dict[int, dict[str, float]] = {}
    for case in content["cases"]:
        lowest = found.setdefault(case["n"], {})
        for name, held in case["held"].items():
            kind = "share" if name.startswith(">=") else name
            lowest[kind] = min(lowest.get(kind, 1.0), math.floor(100 * held / content["draws"]) / 100)
    return found


def coverage_table(facts: Facts) -> Table:
    """Return how often 95% intervals held the true value in simulated studies."""
    _ = facts._
    kinds = (_("even scores"), _("mild skew"), _("heavy skew"))
    columns = [_("{n} items, {scores}", n=n, scores=kind) for n in (30, 100) for kind in kinds]
    rows = [
        (Cell(saying(key, _).name), *(Cell(_.percent(share), share, kind="share") for share in shares))
        for key, shares in MEASURED.items()
    ]
    caption = _("How often 95% intervals held the truth in simulated studies (95% would be right)")
    return Table("coverage", caption, (_("Figure"), *columns), rows)
