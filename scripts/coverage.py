"""How often do the 95% intervals hold the true value? A simulation whose table goes into the method notes.

Three people and a judge score items of a known population: a true level, drawn from a uniform, mildly skewed or
heavily skewed distribution, plus each rater's own error of one point, clipped to the scale. The population has few
enough cells to be written down in full, so true values are exact. Reported per statistic and method: the share of
samples with an interval that holds the true value, among those that got an interval, and the share that got none
(undefined, or undefined in more than 5% of the resamples).

Run: python scripts/coverage.py [SAMPLES [RESAMPLES]]   (default 1000 and 1000; about two minutes)
"""

import itertools
import sys

import numpy as np

from toolkit.stats import bootstrap, judge_statistics, people_statistics

SCALE = np.arange(1.0, 6.0)
SHAPES = {
    "uniform": [0.2, 0.2, 0.2, 0.2, 0.2],
    "mild skew": [0.05, 0.10, 0.15, 0.25, 0.45],
    "heavy skew": [0.01, 0.02, 0.04, 0.08, 0.85],
}
SHIFTS = np.array([-1, 0, 1])
PERSON, JUDGE = [0.15, 0.7, 0.15], [0.2, 0.6, 0.2]
PEOPLE = ("A1", "A2", "A3")


def population(shape: list[float]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return every possible row of scores, and its probability."""
    cells = np.array(list(itertools.product(range(5), range(3), range(3), range(3), range(3))))
    probability = np.array(shape)[cells[:, 0]]
    for rater in range(1, 5):
        probability = probability * np.array(JUDGE if rater == 4 else PERSON)[cells[:, rater]]
    columns = {
        name: np.clip(SCALE[cells[:, 0]] + SHIFTS[cells[:, rater]], 1, 5)
        for rater, name in enumerate((*PEOPLE, "judge"), start=1)
    }
    columns["human"] = np.median(np.column_stack([columns[name] for name in PEOPLE]), axis=1)
    return columns, probability


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    resamples = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    judged, people = judge_statistics("human", "judge", SCALE), people_statistics(PEOPLE, SCALE)
    wanted = {name: judged[name] for name in ("kappa_quadratic", "ac2_quadratic", "pearson", "mae")}
    wanted |= {name: people[name] for name in ("mean_pairwise_kappa", "krippendorff_alpha_ordinal")}
    print(f"{samples} samples, {resamples} resamples each. Coverage of 95% intervals in %, (none: share without one)\n")
    print("| statistic | n | scores | true value | percentile | BCa | none |")
    print("|---|---|---|---|---|---|---|")
    for n, (shape, levels) in itertools.product((30, 100), SHAPES.items()):
        columns, probability = population(levels)
        # As many items as make the finite corrections vanish.
        truth = {
            name: float(one.compute({key: columns[key] for key in one.count}, probability * 1e9))
            for name, one in wanted.items()
        }
        held = {(name, method): 0 for name in wanted for method in ("percentile", "bca")}
        without = dict.fromkeys(wanted, 0)
        for sample in range(samples):
            rng = np.random.default_rng([sample, n])
            rows = rng.choice(probability.size, size=n, p=probability / probability.sum())
            drawn = {name: column[rows] for name, column in columns.items()}
            for method in ("percentile", "bca"):
                results = bootstrap(drawn, wanted, replicates=resamples, seed=sample, method=method)
                for name, result in results.items():
                    if result.ci95 is None:
                        without[name] += method == "bca"
                    else:
                        low, high = result.ci95
                        held[name, method] += low <= truth[name] <= high
        for name in wanted:
            got = samples - without[name]
            shares = [f"{100 * held[name, method] / got:.1f}" if got else "-" for method in ("percentile", "bca")]
            none = f"{100 * without[name] / samples:.1f}"
            print(f"| {name} | {n} | {shape} | {truth[name]:.3f} | {shares[0]} | {shares[1]} | {none} |", flush=True)


if __name__ == "__main__":
    main()
