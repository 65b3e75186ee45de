"""Several judges on the same items: paired differences, and an interval for the best that knows it was picked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from toolkit.stats._weighted import Array
from toolkit.stats.agreement import PairKernel, quadratic_kappa
from toolkit.stats.bootstrap import MAX_UNDEFINED, MIN_ITEMS, Columns, Draws, Statistic, interval_notes
from toolkit.stats.results import Estimate, Note

__all__ = ["paired_difference", "simultaneous_intervals"]


def paired_difference(human: str, first: str, second: str, kernel: PairKernel = quadratic_kappa) -> Statistic:
    """Make the difference of two judges' agreement with the same human column.

    Args:
        human: Name of the human column.
        first: Name of one judge's column.
        second: Name of the other's.
        kernel: Function of (human, judge, weights).

    Returns:
        The statistic: first minus second, on the items that all three scored.

    Example:
        >>> from toolkit.stats import bootstrap, mae
        >>> data = {"human": [1, 2, 3], "a": [1, 2, 4], "b": [2, 3, 4]}
        >>> result = bootstrap(data, {"a-b": paired_difference("human", "a", "b", mae)}, seed=0, replicates=0)
        >>> round(result["a-b"].value, 6)
        -0.666667
    """

    def compute(columns: Columns, weights: Array) -> Array:
        return kernel(columns[human], columns[first], weights) - kernel(columns[human], columns[second], weights)

    return Statistic(compute, (human, first, second))


def simultaneous_intervals(
    draws: Mapping[str, Draws], confidence: float = 0.95, *, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> dict[str, Estimate]:
    """Give several statistics intervals that hold for all of them at once, and so for the best one too.

    The bootstrap of the largest studentised deviation (max statistic; Westfall & Young 1993, Resampling-Based Multiple
    Testing): `value +- q * standard error`, q the quantile of the largest deviation among all statistics in the same
    replicate. Picking the best of several judges and quoting its own interval promises too much; this does not.

    Args:
        draws: From one call of `resample`, so that replicates are shared.
        confidence: That all intervals hold, between 0 and 1.
        bounds: Smallest and largest value that the statistics can take; intervals, symmetric by nature, end there.

    Returns:
        Estimates under the same keys. Statistics that are undefined, that have fewer than 10 items, or more than 5%
        undefined replicates get no interval and do not count.

    Raises:
        ValueError: A confidence that is not between 0 and 1, or draws of different numbers of replicates.

    Example:
        >>> from toolkit.stats import pair_statistic, resample
        >>> rng = np.random.default_rng(0)
        >>> human = rng.integers(1, 6, 50)
        >>> data = {"human": human, "a": np.clip(human + rng.integers(-1, 2, 50), 1, 5), "b": rng.integers(1, 6, 50)}
        >>> judges = {name: pair_statistic(quadratic_kappa, "human", name) for name in ("a", "b")}
        >>> best = simultaneous_intervals(resample(data, judges, seed=1, replicates=2000))["a"]
        >>> best.ci95[0] < best.value < best.ci95[1]
        True
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if len({draw.replicates.size for draw in draws.values()}) > 1:
        raise ValueError("draws of different numbers of replicates cannot be compared")
    refused = {key: _refusal(draw) for key, draw in draws.items()}
    kept = [key for key, note in refused.items() if note is None and draws[key].replicates.size]
    errors = {key: float(np.nanstd(draws[key].replicates, ddof=1)) for key in kept}
    varied = [key for key in kept if errors[key] > 1e-12]
    largest = np.zeros(0)
    if varied:
        deviations = [np.abs(draws[key].replicates - draws[key].value) / errors[key] for key in varied]
        largest = np.fmax.reduce(deviations)
        largest = largest[~np.isnan(largest)]
    quantile = float(np.quantile(largest, confidence)) if largest.size else 0.0
    results = {}
    for key, draw in draws.items():
        interval, notes = None, list(draw.notes)
        if (note := refused[key]) is not None:
            # a diagnosis that says why a value is undefined says more than that it is
            notes.extend(() if notes and np.isnan(draw.value) else (note,))
        elif key in errors:
            half = quantile * errors[key] if key in varied else 0.0
            interval = (
                min(max(draw.value - half, bounds[0]), draw.value),
                max(min(draw.value + half, bounds[1]), draw.value),
            )
            notes.extend(interval_notes(draw, degenerate=key not in varied))
        if interval is None:
            notes = [note for note in notes if note is not Note.SKEWED_SMALL]
        results[key] = Estimate(
            value=None if np.isnan(draw.value) else draw.value,
            n=draw.n,
            ci95=interval,
            notes=tuple(dict.fromkeys(notes)),
            replicates=draw.replicates.size,
            undefined_replicates=int(np.isnan(draw.replicates).sum()),
        )
    return results


def _refusal(draw: Draws) -> Note | None:
    if np.isnan(draw.value):
        return Note.UNDEFINED if draw.n else Note.NO_SHARED_ITEMS
    if draw.replicates.size and draw.n < MIN_ITEMS:
        return Note.NO_INTERVAL_UNDER_10
    if draw.replicates.size and np.isnan(draw.replicates).mean() > MAX_UNDEFINED:
        return Note.INTERVAL_UNDEFINED_RESAMPLES
    return None
