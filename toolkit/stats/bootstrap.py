"""Every statistic of a block, with its interval, from one set of bootstrap draws.

A replicate is a vector of counts over the different rows of the table, so a block of replicates is a matrix, and each
statistic is one pass of its kernel over that matrix. All statistics of a call see the same draws: the interval of a
difference is the interval of a statistic that subtracts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import Array, Index, merge
from toolkit.stats.intervals import bca_interval, percentile_interval
from toolkit.stats.resampling import Design, design, unique_rows
from toolkit.stats.results import Estimate, Note

__all__ = ["MAX_UNDEFINED", "MIN_ITEMS", "SMALL_N", "Draws", "Statistic", "bootstrap", "estimate", "resample"]

MIN_ITEMS = 10
"""No interval below this number of items."""
SMALL_N = 30
"""Up to this number of items an interval carries a warning."""
MAX_UNDEFINED = 0.05
"""No interval above this share of undefined replicates."""

# Replicates are computed in blocks of about this many counts (4 MB), which stay in the processor's cache.
_BLOCK_CELLS = 500_000
# The pairs of a hundred annotators have tens of thousands of statistics, and 10,000 replicates of one are 80 kB: only
# so many are drawn at a time, from the same seed and so from the same draws.
_AT_A_TIME = 500

K = TypeVar("K", bound=Hashable)
Columns = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of a table: what it reads, its kernel, and what to say about its value.

    Attributes:
        compute: Kernel: gets the columns in `count` over different rows (NaN where missing, rows that do not count
            left out) and weights of shape (..., rows), and returns the value, shape (...), NaN where undefined.
        count: Names of the columns that it reads.
        present: How many of them must be present for a row to count; None for all.
        required: Those of them without which a row does not count, whatever `present` says.
        diagnose: Gets the same columns, items per row of shape (rows,) and the value, and returns notes; None for none.
        counted: How many must be present for a row to be part of n, when fewer already reach the kernel; None for
            `present`.

    Example:
        >>> from toolkit.stats import mae
        >>> error = Statistic(lambda c, w: mae(c["human"], c["judge"], w), ("human", "judge"))
        >>> bootstrap({"human": [1, 2, 3], "judge": [1, 2, 4]}, {"mae": error}, seed=1, replicates=0)["mae"].n
        3
    """

    compute: Callable[[Columns, Array], Array]
    count: tuple[str, ...]
    present: int | None = None
    diagnose: Callable[[Columns, Array, float], tuple[Note, ...]] | None = None
    required: tuple[str, ...] = ()
    counted: int | None = None


@dataclass(frozen=True, slots=True)
class Draws:
    """A statistic on the data and in every replicate, before any interval is taken.

    Attributes:
        value: On the data; NaN where undefined.
        n: Number of items that count.
        replicates: Shape (replicates,); NaN where undefined.
        notes: What the statistic's diagnosis says.
        few_clusters: Items were drawn because there are too few clusters.
    """

    value: float
    n: int
    replicates: Array
    notes: tuple[Note, ...]
    few_clusters: bool = False


def resample(
    columns: Mapping[str, ArrayLike],
    statistics: Mapping[K, Statistic],
    *,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> dict[K, Draws]:
    """Compute statistics on the data and on shared bootstrap replicates.

    For what an interval alone cannot answer: the probability that a ranking changes, or the largest of several
    differences. Arguments and errors are those of `bootstrap`.

    Returns:
        For each key the value and its replicates; replicate i is the same resample for all keys.

    Example:
        >>> from toolkit.stats import pair_statistic, mae
        >>> data = {"human": [1, 2, 3, 4], "a": [1, 2, 3, 5], "b": [2, 3, 4, 5]}
        >>> both = {name: pair_statistic(mae, "human", name) for name in ("a", "b")}
        >>> draws = resample(data, both, seed=1, replicates=100)
        >>> bool(np.all(draws["a"].replicates <= draws["b"].replicates))
        True
    """
    plan = design(_read(columns, statistics), clusters, strata, weights)
    return _draws(plan, statistics, _views(plan, statistics), replicates, seed)


def bootstrap(
    columns: Mapping[str, ArrayLike],
    statistics: Mapping[K, Statistic],
    *,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
    method: Literal["percentile", "bca"] = "percentile",
) -> dict[K, Estimate]:
    """Estimate statistics of a table, each with a bootstrap interval, from one set of draws.

    Efron (1979, Annals of Statistics 7:1-26). Items are drawn with replacement (clusters of items, within strata, where
    given: see `design`), as multinomial counts over the different rows. The value is computed from the data as they
    are; replicates serve the interval only.

    There is no interval with fewer than 10 items, or when more than 5% of the replicates are undefined; in both
    cases a note says so. When all replicates are equal (perfect agreement has nothing to vary) both ends are that
    value, and a note says that the interval is degenerate. With fewer than 10 clusters items are drawn as if
    independent, and a note says that: the interval may be too narrow, but not without width.

    Args:
        columns: Named columns of equal length n (items); NaN where missing.
        statistics: What to compute, under any keys.
        replicates: Number of resamples; 0 for values only.
        seed: Of the random generator; the same seed and data give the same intervals.
        clusters: What each item belongs to (its prompt), shape (n,), any values; None for independent items.
        strata: Stratum of each item, shape (n,), any values; None for one.
        weights: Sampling weight of each item, shape (n,), above 0 (inverse inclusion probability); None for equal.
        confidence: Of the interval.
        method: "percentile", or "bca" (bias-corrected and accelerated; needs one more evaluation per item).

    Returns:
        An `Estimate` under each key.

    Raises:
        ValueError: Columns of different length, weights that are not above 0, a statistic that reads a column which is
            not there, negative replicates, or a confidence that is not between 0 and 1.

    Example:
        >>> from toolkit.stats import pair_statistic, quadratic_kappa
        >>> scores = {"human": [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 1, 2], "judge": [1, 2, 3, 4, 5, 4, 4, 3, 1, 1, 2, 2]}
        >>> kappa = bootstrap(scores, {"kappa": pair_statistic(quadratic_kappa, "human", "judge")}, seed=7)["kappa"]
        >>> round(kappa.value, 3), kappa.n, kappa.ci95[0] < kappa.value < kappa.ci95[1]
        (0.933, 12, True)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if method not in ("percentile", "bca"):
        raise ValueError(f"method must be percentile or bca, not {method!r}")
    plan = design(_read(columns, statistics), clusters, strata, weights)
    found: dict[K, Estimate] = {}
    keys = list(statistics)
    for start in range(0, len(keys), _AT_A_TIME):
        part = {key: statistics[key] for key in keys[start : start + _AT_A_TIME]}
        views = _views(plan, part)
        drawn = _draws(plan, part, views, replicates, seed)
        influence = _influence(plan, part, views) if method == "bca" and replicates and plan.strata else {}
        found |= {key: estimate(draws, confidence, influence.get(key)) for key, draws in drawn.items()}
    return found


def estimate(draws: Draws, confidence: float = 0.95, influence: tuple[Array, Array, Array] | None = None) -> Estimate:
    """Take an interval from draws, under the rules of `bootstrap`.

    Args:
        draws: From `resample`.
        confidence: Of the interval, between 0 and 1.
        influence: For BCa: jackknife influence of the units, units in their stratum, and multiplicity (see
            `bca_interval`); None for the percentile interval.

    Returns:
        The estimate.

    Raises:
        ValueError: A confidence that is not between 0 and 1.

    Example:
        >>> [round(end, 6) for end in estimate(Draws(0.5, 40, np.linspace(0, 1, 101), ()), 0.9).ci95]
        [0.05, 0.95]
    """
    notes = list(draws.notes)
    total = draws.replicates.size
    defined = draws.replicates[~np.isnan(draws.replicates)]
    undefined = total - defined.size
    interval = None
    if np.isnan(draws.value):
        if not notes:
            notes.append(Note.UNDEFINED if draws.n else Note.NO_SHARED_ITEMS)
    elif total:
        if draws.n < MIN_ITEMS:
            notes.append(Note.NO_INTERVAL_UNDER_10)
        elif Note.FEW_SHARED_ITEMS in notes:
            pass  # the note says that there is none, and why
        elif undefined > MAX_UNDEFINED * total:
            notes.append(Note.INTERVAL_UNDEFINED_RESAMPLES)
        else:
            interval = percentile_interval(defined, confidence)
            degenerate = bool(np.ptp(defined) < 1e-12)
            if degenerate:
                interval = (draws.value, draws.value)
            elif influence is not None:
                corrected = bca_interval(draws.value, defined, *influence, confidence)
                notes.extend(() if corrected else (Note.PERCENTILE_INSTEAD,))
                interval = corrected or interval
            notes.extend(interval_notes(draws, degenerate=degenerate))
    if interval is None:
        notes = [note for note in notes if note is not Note.SKEWED_SMALL]
    return Estimate(
        value=None if np.isnan(draws.value) else draws.value,
        n=draws.n,
        ci95=interval,
        notes=tuple(dict.fromkeys(notes)),
        replicates=total,
        undefined_replicates=undefined,
    )


def interval_notes(draws: Draws, *, degenerate: bool) -> tuple[Note, ...]:
    """Return what is fragile about an interval taken from draws, beside what the statistic's diagnosis says.

    Args:
        draws: From `resample`.
        degenerate: Whether the interval has no width.

    Returns:
        Codes.

    Example:
        >>> [str(note) for note in interval_notes(Draws(0.5, 30, np.linspace(0, 1, 101), ()), degenerate=False)]
        ['small_n']
    """
    notes = {
        Note.INTERVAL_DEGENERATE: degenerate,
        Note.SOME_RESAMPLES_UNDEFINED: bool(np.isnan(draws.replicates).any()),
        Note.SMALL_N: draws.n <= SMALL_N,
        Note.FEW_CLUSTERS: draws.few_clusters,
    }
    return tuple(note for note, holds in notes.items() if holds)


def _read(columns: Mapping[str, ArrayLike], statistics: Mapping[K, Statistic]) -> dict[str, ArrayLike]:
    """Return the columns that some statistic reads: others would only split equal rows."""
    wanted = {name for statistic in statistics.values() for name in statistic.count}
    absent = sorted(wanted - set(columns))
    if absent:
        raise ValueError(f"statistics read columns that are not there: {absent}")
    # Without statistics there is nothing to leave out, and nothing will be read.
    return {name: column for name, column in columns.items() if name in wanted or not wanted}


@dataclass(frozen=True, slots=True)
class _View:
    """The rows that count for some columns, merged into those columns' own different rows."""

    columns: dict[str, Array]
    rows: Index
    index: Index
    size: int

    def weights(self, counts: Array) -> Array:
        """Carry weights over all different rows (..., U) to this view's rows."""
        kept = counts if self.rows.size == counts.shape[-1] else counts[..., self.rows]
        return merge(kept, self.index, self.size)


_ViewKey = tuple[tuple[str, ...], int, tuple[str, ...]]


def _view_key(statistic: Statistic) -> _ViewKey:
    present = len(statistic.count) if statistic.present is None else statistic.present
    return statistic.count, present, statistic.required


def _views(plan: Design, statistics: Mapping[K, Statistic]) -> dict[_ViewKey, _View]:
    views: dict[_ViewKey, _View] = {}
    for statistic in statistics.values():
        names, present, required = view_key = _view_key(statistic)
        if view_key not in views:
            columns = [plan.columns[name] for name in names]
            given = np.sum([~np.isnan(column) for column in columns], axis=0)
            missing = [np.isnan(plan.columns[name]) for name in required]
            rows = np.flatnonzero((given >= present) & ~np.any([np.zeros(given.size, bool), *missing], axis=0))
            first, index = unique_rows([column[rows] for column in columns])
            own = {name: column[rows][first] for name, column in zip(names, columns, strict=True)}
            views[view_key] = _View(own, rows, index, first.size)
    return views


def _draws(
    plan: Design,
    statistics: Mapping[K, Statistic],
    views: Mapping[_ViewKey, _View],
    replicates: int,
    seed: int,
) -> dict[K, Draws]:
    if replicates < 0:
        raise ValueError(f"replicates must be 0 or more, not {replicates}")
    rng = np.random.default_rng(seed)
    samples = {key: np.full(replicates, np.nan) for key in statistics}
    step = max(1, _BLOCK_CELLS // max(plan.counts.size, 1))
    for start in range(0, replicates if plan.counts.size else 0, step):
        block = slice(start, min(start + step, replicates))
        for key, values in _evaluate(plan.draw(rng, block.stop - start), statistics, views):
            samples[key][block] = values
    drawn = {}
    for key, value in _evaluate(plan.point, statistics, views):
        view, statistic = views[_view_key(statistics[key])], statistics[key]
        notes: tuple[Note, ...] = ()
        if statistic.diagnose is not None:
            notes = statistic.diagnose(view.columns, view.weights(plan.counts), float(value))
        given = np.sum([~np.isnan(plan.columns[name][view.rows]) for name in statistic.count], axis=0)
        n = int(plan.counts[view.rows][given >= (statistic.counted or 0)].sum())
        drawn[key] = Draws(float(value), n, samples[key], notes, plan.few_clusters)
    return drawn


def _evaluate(
    counts: Array, statistics: Mapping[K, Statistic], views: Mapping[_ViewKey, _View]
) -> Iterator[tuple[K, Array]]:
    weights = {view_key: view.weights(counts) for view_key, view in views.items()}
    for key, statistic in statistics.items():
        view_key = _view_key(statistic)
        yield key, statistic.compute(views[view_key].columns, weights[view_key])


def _influence(
    plan: Design, statistics: Mapping[K, Statistic], views: Mapping[_ViewKey, _View]
) -> dict[K, tuple[Array, Array, Array]]:
    """Return for each key the jackknife influence of the units, their stratum's size, and their multiplicity."""
    without: dict[K, list[Array]] = {key: [] for key in statistics}
    sizes, multiplicities, stratum = [], [], []
    step = max(1, _BLOCK_CELLS // max(plan.counts.size, 1))
    for counts, multiplicity, size in plan.leave_one_out(step):
        for key, values in _evaluate(counts, statistics, views):
            without[key].append(np.atleast_1d(values))
        sizes.append(size)
        multiplicities.append(multiplicity)
    for number, (index, _, _) in enumerate(plan.strata):
        stratum.append(np.full(index.size, number))
    size_of, times, group = np.concatenate(sizes), np.concatenate(multiplicities), np.concatenate(stratum)
    result = {}
    for key, parts in without.items():
        values = np.concatenate(parts)
        mean = np.bincount(group, values * times) / np.bincount(group, times)
        result[key] = ((size_of - 1) * (mean[group] - values), size_of, times)
    return result
