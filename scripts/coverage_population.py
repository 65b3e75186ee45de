"""How often the intervals of `toolkit population` hold the truth: what its section of the report says of them.

    python scripts/coverage_population.py            writes templates/coverage/population.json
    python scripts/coverage_population.py --show     prints that file as a table

A log of 5,000 records of two models is made for each kind of judge and each distribution of scores; people score 30,
100 or 300 of them, drawn at random or equally many from each score of the judge (so with unequal weights); the truth is
what people would have scored on all. A 95% interval should hold it in 95 of 100 draws. Every line of the table has
random numbers of its own, so any of them can be made again alone (tests/stats/test_correction.py does).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolkit.stats.correction import Corrected, powered, powered_difference
from toolkit.stats.survey import Labelled, labelled

FILE = Path(__file__).resolve().parent.parent / "templates" / "coverage" / "population.json"
SEED, DRAWS, LOG = 1, 2_000, 5_000
# The file holds the counts of the first draws too: so many are soon made again.
FIRST = 200
SIZES = (30, 100, 300)
SCORES = {"even": (0.2, 0.2, 0.2, 0.2, 0.2), "skewed": (0.02, 0.03, 0.05, 0.10, 0.80)}
JUDGES = ("biased", "noisy", "skewed", "useless", "excellent")
SAMPLES = ("random", "stratified")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One line of the table: the kind of judge, the distribution of people's scores, the kind of sample, its size."""

    judge: str
    scores: str
    sample: str
    n: int

    def random(self, draw: int | None = None) -> np.random.Generator:
        """Return the random numbers of a draw; without one, those of the log, which all its samples share."""
        of = [SEED, JUDGES.index(self.judge), list(SCORES).index(self.scores)]
        return np.random.default_rng(of if draw is None else [*of, SAMPLES.index(self.sample), self.n, draw])


def cases() -> Iterator[Case]:
    yield from (Case(*one) for one in product(JUDGES, SCORES, SAMPLES, SIZES))


def make_log(case: Case) -> tuple[Ints, Ints]:
    """Return what people would score and what the judge scored, for every record of a log."""
    rng = case.random()
    human = rng.choice(np.arange(1, 6), size=LOG, p=SCORES[case.scores])
    moves = {
        "biased": lambda: rng.choice([0, 1, 2], size=LOG, p=[0.4, 0.4, 0.2]),
        "noisy": lambda: rng.choice([-2, -1, 0, 1, 2], size=LOG, p=[0.1, 0.2, 0.4, 0.2, 0.1]),
        "skewed": lambda: np.where(rng.random(LOG) < 0.7, 4, rng.choice([-1, 0, 1], size=LOG)),
        "useless": lambda: rng.integers(1, 6, LOG) - human,
        "excellent": lambda: rng.choice([-1, 0, 1], size=LOG, p=[0.04, 0.92, 0.04]),
    }
    return human, np.clip(human + moves[case.judge](), 1, 5)


def sample(judge: Ints, case: Case, rng: np.random.Generator) -> tuple[Ints, Labelled]:
    """Return the rows that people score, and the design they are drawn by."""
    if case.sample == "random":
        return rng.choice(LOG, case.n, replace=False), labelled(case.n, weights=np.full(case.n, LOG / case.n))
    rows, weights = [], []
    for level in np.unique(judge):
        own = np.flatnonzero(judge == level)
        take = min(own.size, max(2, case.n // 5))
        rows.append(rng.choice(own, take, replace=False))
        weights.append(np.full(take, own.size / take))
    chosen = np.concatenate(rows)
    return chosen, labelled(chosen.size, weights=np.concatenate(weights), strata=judge[chosen].tolist())


class Log:
    """A log, and what a report would say of it from a sample."""

    def __init__(self, case: Case):
        self.human, self.judge = make_log(case)
        self.models = np.arange(LOG) % 2 == 0, np.arange(LOG) % 2 == 1
        at_least = [(self.human >= level, self.judge >= level) for level in range(2, 6)]
        self.shares = [(y.astype(float), f.astype(float), float(f.mean())) for y, f in at_least]
        means = [float(self.human[own].mean()) for own in self.models]
        self.truth = {f">={level}": float(y.mean()) for level, (y, _f, _mean) in enumerate(self.shares, 2)}
        self.truth |= {"mean": float(self.human.mean()), "difference": means[0] - means[1]}

    def estimates(self, rows: Ints, design: Labelled) -> dict[str, Corrected]:
        """Return each estimate that a report shows."""
        found = {
            f">={level}": powered(y[rows], f[rows], mean, design, within=(0, 1))
            for level, (y, f, mean) in enumerate(self.shares, 2)
        }
        human, judge = self.human[rows], self.judge[rows]
        found["mean"] = powered(human, judge, float(self.judge.mean()), design, within=(1, 5))
        parts = [powered(human, judge, float(self.judge[own].mean()), design, domain=own[rows]) for own in self.models]
        found["difference"] = powered_difference(*parts, design)
        return found


def held(case: Case, draws: range) -> dict[str, int]:
    """Return in how many draws of a case each interval held the truth."""
    log = Log(case)
    counts = dict.fromkeys(log.truth, 0)
    for draw in draws:
        for name, one in log.estimates(*sample(log.judge, case, case.random(draw))).items():
            counts[name] += int(one.ci95[0] <= log.truth[name] <= one.ci95[1])
    return counts


def line(case: Case) -> dict[str, Any]:
    """Return what the file says of a case."""
    first, rest = held(case, range(FIRST)), held(case, range(FIRST, DRAWS))
    return {**case._asdict(), "first": first, "held": {name: first[name] + rest[name] for name in first}}


def rendered(lines: list[dict[str, Any]]) -> str:
    """Return the file, with a line for each case."""
    head = f'"seed": {SEED}, "log": {LOG}, "draws": {DRAWS}, "first": {FIRST}'
    return f'{{{head}, "cases": [\n' + ",\n".join(json.dumps(line) for line in lines) + "\n]}\n"


def main() -> None:
    if "--show" not in sys.argv[1:]:
        with ProcessPoolExecutor() as pool:
            lines = list(pool.map(line, cases()))
        FILE.write_text(rendered(lines), encoding="utf-8")
    found = json.loads(FILE.read_text(encoding="utf-8"))
    error = 100 * np.sqrt(0.95 * 0.05 / found["draws"])
    print(f"coverage of 95% intervals, in percent, {found['draws']} draws (standard error {error:.1f})")
    names = list(found["cases"][0]["held"])
    print(f"{'judge':10}{'scores':8}{'sample':11}{'n':>4}  " + "".join(f"{name:>11}" for name in names))
    for one in found["cases"]:
        shares = "".join(f"{100 * one['held'][name] / found['draws']:11.1f}" for name in names)
        print(f"{one['judge']:10}{one['scores']:8}{one['sample']:11}{one['n']:4}  {shares}")


if __name__ == "__main__":
    main()
