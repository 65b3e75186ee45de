"""How often the intervals of `toolkit population` hold the truth.

    python scripts/coverage_population.py [REPLICATES]

A log of 5,000 records is made for each kind of judge; people score 30, 100 or 300 of them, drawn at random or in
strata of the judge's score; the truth is what people would have scored on all. A 95% interval should hold it in 95 of
100 draws; the standard error of a line's coverage is printed above the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from toolkit.stats.correction import powered
from toolkit.stats.survey import labelled

LOG = 5_000
SIZES = (30, 100, 300)
MARGINS = {"even": (0.2, 0.2, 0.2, 0.2, 0.2), "skewed": (0.02, 0.03, 0.05, 0.10, 0.80)}
JUDGES = ("biased", "noisy", "useless", "excellent")
Ints = NDArray[np.int64]


def make_log(judge: str, margins: tuple[float, ...], rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return what people would score and what the judge scored, for every record of a log."""
    human = rng.choice(np.arange(1, 6), size=LOG, p=margins)
    moves = {
        "biased": rng.choice([0, 1, 2], size=LOG, p=[0.4, 0.4, 0.2]),
        "noisy": rng.choice([-2, -1, 0, 1, 2], size=LOG, p=[0.1, 0.2, 0.4, 0.2, 0.1]),
        "useless": rng.integers(1, 6, LOG) - human,
        "excellent": rng.choice([-1, 0, 1], size=LOG, p=[0.04, 0.92, 0.04]),
    }
    return human, np.clip(human + moves[judge], 1, 5)


def draw(judge: Ints, n: int, design: str, rng: np.random.Generator) -> tuple[Ints, NDArray[np.float64]]:
    """Return the rows that people score and their weights."""
    if design == "random":
        return rng.choice(LOG, n, replace=False), np.full(n, LOG / n)
    rows, weights = [], []
    for level in np.unique(judge):
        own = np.flatnonzero(judge == level)
        take = min(own.size, max(2, n // 5))
        rows.append(rng.choice(own, take, replace=False))
        weights.append(np.full(take, own.size / take))
    return np.concatenate(rows), np.concatenate(weights)


def coverage(replicates: int, seed: int = 1) -> Iterator[tuple[str, str, str, int, dict[str, float], float]]:
    """Yield judge, margins, design, n, coverage of each estimate, and mean width relative to people alone."""
    for kind in JUDGES:
        for name, margins in MARGINS.items():
            rng = np.random.default_rng([seed, JUDGES.index(kind), len(name)])
            human, judge = make_log(kind, margins, rng)
            targets = {f">={k}": ((human >= k).astype(float), (judge >= k).astype(float)) for k in (2, 3, 4, 5)}
            targets["mean"] = human.astype(float), judge.astype(float)
            for design in ("random", "stratified"):
                for n in SIZES:
                    held = dict.fromkeys(targets, 0)
                    widths = np.zeros(2)
                    for _ in range(replicates):
                        rows, weights = draw(judge, n, design, rng)
                        of = labelled(
                            rows.size, weights=weights, strata=judge[rows].tolist() if design == "stratified" else None
                        )
                        for target, (y, f) in targets.items():
                            one = powered(y[rows], f[rows], float(f.mean()), of, share=target != "mean")
                            held[target] += one.ci95[0] <= y.mean() <= one.ci95[1]
                        alone = powered(y[rows], f[rows], float(f.mean()), of, power=0.0)
                        widths += np.ptp(one.ci95), np.ptp(alone.ci95)
                    yield kind, name, design, n, {t: c / replicates for t, c in held.items()}, widths[0] / widths[1]


def main() -> None:
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    error = 100 * np.sqrt(0.95 * 0.05 / replicates)
    print(f"coverage of 95% intervals, in percent, {replicates} draws (standard error {error:.1f})")
    print(f"{'judge':10} {'margins':8} {'drawn':11} {'n':>4}    >=2   >=3   >=4   >=5  mean  width")
    for kind, name, design, n, held, width in coverage(replicates):
        cells = " ".join(f"{100 * value:5.1f}" for value in held.values())
        print(f"{kind:10} {name:8} {design:11} {n:4}  {cells}  {width:.2f}", flush=True)
    print("width: of the mean's interval, relative to people's scores alone (1 where the judge does not help)")


if __name__ == "__main__":
    main()
