"""Time all intervals of one report block against the two usual ways, in one run.

The block is a judge against the consensus of three people: the agreement statistics that scikit-learn and scipy have,
each with a percentile interval from 10,000 resamples. The usual ways:

loop     scikit-learn and scipy called once per statistic and resample (timed on some resamples and scaled up)
vector   scipy.stats.bootstrap with vectorized=True, statistics written on whole batches of resamples; without Kendall's
         tau-b, which cannot be (so the toolkit is timed without it too)

Run: python scripts/benchmark_stats.py [N ...]
"""

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

from toolkit.stats import bootstrap, judge_statistics

SCALE = np.arange(1.0, 6.0)
REPLICATES = 10_000
Kernel = Callable[..., np.ndarray]


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the median of three simulated people, and a judge, both whole scores."""
    rng = np.random.default_rng(n)
    truth = rng.integers(1, 6, n)
    people = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 3)), 1, 5)
    return np.median(people, axis=1), np.clip(truth + rng.integers(-1, 2, n), 1, 5).astype(float)


def sklearn_kappa(weights: str | None) -> Kernel:
    return lambda x, y: cohen_kappa_score(x.astype(int), y.astype(int), labels=SCALE.astype(int), weights=weights)


LOOP: dict[str, Kernel] = {
    "kappa_quadratic": sklearn_kappa("quadratic"),
    "kappa_linear": sklearn_kappa("linear"),
    "kappa_unweighted": sklearn_kappa(None),
    "pearson": lambda x, y: scipy_stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: scipy_stats.spearmanr(x, y).statistic,
    "kendall_tau_b": lambda x, y: scipy_stats.kendalltau(x, y).statistic,
    "mae": mean_absolute_error,
    "rmse": lambda x, y: np.sqrt(np.mean((x - y) ** 2)),
    "bias": lambda x, y: np.mean(y - x),
    "exact_agreement": lambda x, y: np.mean(x == y),
    "within_one": lambda x, y: np.mean(np.abs(x - y) <= 1),
}


def correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    return (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))


def kappa(x: np.ndarray, y: np.ndarray, distance: Kernel) -> np.ndarray:
    margins = [np.stack([(side == level).mean(axis=-1) for level in SCALE], axis=-1) for side in (x, y)]
    expected = np.einsum("...i,ij,...j->...", margins[0], distance(SCALE[:, None], SCALE), margins[1])
    return 1 - distance(x, y).mean(axis=-1) / expected


def squared_kappa(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    shift = (x.mean(axis=-1) - y.mean(axis=-1)) ** 2
    return 1 - ((x - y) ** 2).mean(axis=-1) / (x.var(axis=-1) + y.var(axis=-1) + shift)


VECTOR: dict[str, Kernel] = {
    "kappa_quadratic": squared_kappa,
    "kappa_linear": lambda x, y: kappa(x, y, lambda a, b: np.abs(a - b)),
    "kappa_unweighted": lambda x, y: kappa(x, y, lambda a, b: (a != b).astype(float)),
    "pearson": correlation,
    "spearman": lambda x, y: correlation(scipy_stats.rankdata(x, axis=-1), scipy_stats.rankdata(y, axis=-1)),
    "mae": lambda x, y: np.abs(x - y).mean(axis=-1),
    "rmse": lambda x, y: np.sqrt(((x - y) ** 2).mean(axis=-1)),
    "bias": lambda x, y: (y - x).mean(axis=-1),
    "exact_agreement": lambda x, y: (x == y).mean(axis=-1),
    "within_one": lambda x, y: (np.abs(x - y) <= 1).mean(axis=-1),
}


def timed(run: Callable[[], object], repeats: int = 1) -> float:
    """Return the best of some wall-clock times, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def with_loop(human: np.ndarray, judge: np.ndarray, resamples: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(resamples):
        rows = rng.integers(0, human.size, human.size)
        for statistic in LOOP.values():
            statistic(human[rows], judge[rows])


def with_scipy(human: np.ndarray, judge: np.ndarray) -> dict[str, tuple[float, float]]:
    ends = {}
    for name, statistic in VECTOR.items():
        result = scipy_stats.bootstrap(
            (human, judge),
            lambda x, y, axis=-1, statistic=statistic: statistic(x, y),
            paired=True,
            vectorized=True,
            axis=-1,
            n_resamples=REPLICATES,
            batch=1000,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
        ends[name] = (float(result.low), float(result.high))
    return ends


def compare(n: int) -> str:
    """Time one size and return its line of the table."""
    human, judge = scores(n)
    columns = {"human": human, "judge": judge}
    block = judge_statistics("human", "judge", SCALE)
    everything = {name: block[name] for name in LOOP}
    vectorisable = {name: block[name] for name in VECTOR}
    ours = timed(lambda: bootstrap(columns, everything, seed=0, replicates=REPLICATES), 3)
    ours_vector = timed(lambda: bootstrap(columns, vectorisable, seed=0, replicates=REPLICATES), 3)
    some = 100 if n <= 300 else 30
    loop = timed(lambda: with_loop(human, judge, some)) * REPLICATES / some
    vector = timed(lambda: with_scipy(human, judge), 3 if n <= 300 else 1)
    theirs = with_scipy(human, judge)
    mine = bootstrap(columns, vectorisable, seed=0, replicates=REPLICATES)
    gap = max(np.abs(np.subtract(mine[name].ci95, ends)).max() for name, ends in theirs.items())
    return (
        f"{n:>6} {ours:>9.3f} {loop:>9.1f} {loop / ours:>6.0f}x   "
        f"{ours_vector:>9.3f} {vector:>9.2f} {vector / ours_vector:>6.1f}x   {gap:.3f}"
    )


def main() -> None:
    warnings.simplefilter("ignore")
    sizes = [int(argument) for argument in sys.argv[1:]] or [30, 300, 3000]
    print(f"{REPLICATES:,} resamples; {len(LOOP)} statistics (loop), {len(VECTOR)} (vector); seconds, and ratios")
    print(
        f"{'n':>6} {'toolkit':>9} {'loop':>9} {'ratio':>7}   {'toolkit':>9} {'vector':>9} {'ratio':>7}   ends differ by"
    )
    for n in sizes:
        print(compare(n), flush=True)


if __name__ == "__main__":
    main()
