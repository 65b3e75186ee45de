"""How often the bootstrap intervals of a report hold the truth: what its method section says of them.

    python scripts/coverage.py            writes templates/coverage/bootstrap.json (four minutes on two cores)
    python scripts/coverage.py --show     prints that file as a table, with the intervals by BCa beside

Three people and a judge score items of a known population: a true level, drawn from a uniform, mildly skewed or
heavily skewed distribution, plus each rater's own error of one point, clipped to the scale. The population has few
enough cells to be written down in full, so the true values are exact. The file says for each statistic, and for
percentile and BCa intervals, how many samples got an interval (none does where the statistic is undefined, or
undefined in more than 5% of the resamples) and how many of these held the true value. Every sample has random numbers
of its own, so the first few are soon drawn again (tests/stats/test_coverage.py does).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolkit.stats import bootstrap, judge_statistics, people_statistics

FILE = Path(__file__).resolve().parent.parent / "templates" / "coverage" / "bootstrap.json"
SEED, SAMPLES, RESAMPLES = 1, 2_000, 1_000
# The file holds the counts of the first samples too: so many are soon drawn again.
FIRST = 25
SIZES = (30, 100)
SCORES = {
    "uniform": (0.2, 0.2, 0.2, 0.2, 0.2),
    "mild skew": (0.05, 0.10, 0.15, 0.25, 0.45),
    "heavy skew": (0.01, 0.02, 0.04, 0.08, 0.85),
}
METHODS = ("percentile", "bca")
SCALE = np.arange(1.0, 6.0)
PEOPLE = ("A1", "A2", "A3")
# How often a rater is a level too low, right, a level too high.
PERSON, JUDGE = (0.15, 0.7, 0.15), (0.2, 0.6, 0.2)
OF_JUDGE = ("kappa_quadratic", "ac2_quadratic", "pearson", "mae")
OF_PEOPLE = ("mean_pairwise_kappa", "krippendorff_alpha_ordinal")
# As many items as make the finite corrections vanish.
MANY = 1e9
# {statistic: {method: [samples with an interval, those whose interval holds the truth]}}
Counts = dict[str, dict[str, list[int]]]
Floats = NDArray[np.float64]


class Case(NamedTuple):
    """The distribution of the true levels, and how many items a sample has."""

    scores: str
    n: int

    def random(self, sample: int) -> np.random.Generator:
        """Return the random numbers of a sample."""
        return np.random.default_rng([SEED, list(SCORES).index(self.scores), self.n, sample])


def cases() -> Iterator[Case]:
    yield from (Case(*one) for one in product(SCORES, SIZES))


@cache
def population(scores: str) -> tuple[dict[str, Floats], Floats]:
    """Return every possible row of scores, and its probability."""
    cells = np.array(list(product(range(5), *[range(3)] * 4)))
    raters = {**dict.fromkeys(PEOPLE, PERSON), "judge": JUDGE}
    probability, columns = np.array(SCORES[scores])[cells[:, 0]], {}
    for place, (name, errors) in enumerate(raters.items(), 1):
        probability = probability * np.array(errors)[cells[:, place]]
        columns[name] = np.clip(SCALE[cells[:, 0]] + cells[:, place] - 1, SCALE[0], SCALE[-1])
    columns["human"] = np.median(np.column_stack([columns[name] for name in PEOPLE]), axis=1)
    return columns, probability / probability.sum()


@cache
def statistics() -> dict[str, Any]:
    """Return the statistics whose intervals are tried."""
    judged, people = judge_statistics("human", "judge", SCALE), people_statistics(PEOPLE, SCALE)
    return {name: judged[name] for name in OF_JUDGE} | {name: people[name] for name in OF_PEOPLE}


@cache
def truth(scores: str) -> dict[str, float]:
    """Return the true values: those of the whole population."""
    columns, probability = population(scores)
    return {
        name: float(one.compute({key: columns[key] for key in one.count}, probability * MANY))
        for name, one in statistics().items()
    }


def held(case: Case, samples: range) -> Counts:
    """Return how many samples of a case got an interval for each statistic, and how many intervals held the truth."""
    columns, probability = population(case.scores)
    true = truth(case.scores)
    counts: Counts = {name: {method: [0, 0] for method in METHODS} for name in true}
    for sample in samples:
        rng = case.random(sample)
        rows = rng.choice(probability.size, size=case.n, p=probability)
        drawn = {name: column[rows] for name, column in columns.items()}
        seed = int(rng.integers(2**31))
        for method in METHODS:
            found = bootstrap(drawn, statistics(), replicates=RESAMPLES, seed=seed, method=method)
            for name, one in found.items():
                if one.ci95 is not None:
                    low, high = one.ci95
                    counts[name][method][0] += 1
                    counts[name][method][1] += int(low <= true[name] <= high)
    return counts


def lines(case: Case) -> list[dict[str, Any]]:
    """Return what the file says of a case: a line for each statistic."""
    first, rest = held(case, range(FIRST)), held(case, range(FIRST, SAMPLES))
    return [
        {
            **case._asdict(),
            "statistic": name,
            "truth": round(true, 6),
            "first": first[name],
            "all": {
                method: [a + b for a, b in zip(first[name][method], rest[name][method], strict=True)]
                for method in METHODS
            },
        }
        for name, true in truth(case.scores).items()
    ]


def rendered(found: list[dict[str, Any]]) -> str:
    """Return the file, with a line for each case and statistic."""
    head = f'"seed": {SEED}, "samples": {SAMPLES}, "resamples": {RESAMPLES}, "first": {FIRST}'
    head += f',\n"levels": {json.dumps(SCORES)}'
    return f'{{{head},\n"cases": [\n' + ",\n".join(json.dumps(line) for line in found) + "\n]}\n"


def main() -> None:
    if "--show" not in sys.argv[1:]:
        with ProcessPoolExecutor() as pool:
            found = [line for part in pool.map(lines, cases()) for line in part]
        FILE.write_text(rendered(found), encoding="utf-8")
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    print(f"coverage of 95% intervals, in percent, {stored['samples']} samples, {stored['resamples']} resamples each")
    print(f"{'statistic':28}{'scores':12}{'n':>4}{'truth':>8}{'percentile':>12}{'BCa':>8}{'no interval':>13}")
    for one in stored["cases"]:
        shares = [100 * hits / given for given, hits in one["all"].values()]
        without = 100 - 100 * one["all"]["percentile"][0] / stored["samples"]
        name, scores = one["statistic"], one["scores"]
        print(f"{name:28}{scores:12}{one['n']:4}{one['truth']:8.3f}{shares[0]:12.1f}{shares[1]:8.1f}{without:13.1f}")


if __name__ == "__main__":
    main()
