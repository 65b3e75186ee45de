"""How wide the intervals of a study will be, by simulating the study many times.

A simulated study is a vector of counts over the patterns of scores, so that a thousand studies are one matrix and each
figure one pass of the report's own kernel over it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.sampling.panels import Patterns
from toolkit.stats import alternative_annotator_test, mae, mean_pairwise, quadratic_kappa

Array = NDArray[np.float64]

METRICS = ("kappa", "mae", "ceiling", "tpr", "tnr", "alt-test")
WIDTHS = METRICS[:-1]
SIZES = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500)
STUDIES = 2_000
TESTS = 200
LARGEST = 20_000
CONFIDENCE = 0.95
MAX_UNDEFINED = 0.05
CLOSE = 0.01
# counts computed at once
_BLOCK = 4_000_000
NORMAL_QUANTILE = 1.959964


@dataclass(frozen=True)
class Width:
    """What one figure looks like over the simulated studies of one size.

    Attributes:
        items: Items in the study.
        mean: Mean of the figure.
        half_width: Half of the range that holds 95% of the studies; None where too many leave it undefined.
        undefined: Share of studies that leave it undefined.
        power: For the ceiling and the alternative annotator test: share of studies with a favourable outcome.
    """

    items: int
    mean: float | None
    half_width: float | None
    undefined: float
    power: float | None = None


def figures(threshold: float) -> dict[str, Callable[[Patterns, Array], Array]]:
    """Return the figures that have a width, each a function of the patterns and of counts (studies, patterns).

    Args:
        threshold: For the true-positive and true-negative rate: the score from which an answer passes.
    """

    def kappa(panel: Patterns, counts: Array) -> Array:
        return quadratic_kappa(panel.consensus, panel.judge, counts)

    def error(panel: Patterns, counts: Array) -> Array:
        return mae(panel.consensus, panel.judge, counts)

    def ceiling(panel: Patterns, counts: Array) -> Array:
        of_judge = np.stack([quadratic_kappa(person, panel.judge, counts) for person in panel.people.T])
        return np.asarray(of_judge.mean(axis=0) - mean_pairwise(panel.people, counts))

    def rate(positive: bool) -> Callable[[Patterns, Array], Array]:
        def compute(panel: Patterns, counts: Array) -> Array:
            human = (panel.consensus >= threshold) == positive
            right = human & ((panel.judge >= threshold) == positive)
            with np.errstate(invalid="ignore"):
                return np.asarray((counts @ right) / (counts @ human))

        return compute

    return {"kappa": kappa, "mae": error, "ceiling": ceiling, "tpr": rate(True), "tnr": rate(False)}


def _none_missed(panel: Patterns, metric: str, items: int, threshold: float) -> float | None:
    """Return half of Wilson's interval for a rate that the patterns put at 0 or 1; None for other figures."""
    if metric not in ("tpr", "tnr"):
        return None
    passes = panel.consensus >= threshold
    share = float(panel.probabilities[passes if metric == "tpr" else ~passes].sum())
    squared = NORMAL_QUANTILE**2
    return squared / (2 * (items * share + squared))


def width(
    panel: Patterns,
    metric: str,
    items: int,
    *,
    seed: int,
    threshold: float = 4,
    margin: float = 0.10,
    studies: int = STUDIES,
) -> Width:
    """Return how wide a figure's interval is in studies of one size.

    Args:
        panel: The patterns of scores.
        metric: One of `METRICS`.
        items: Items in a study.
        seed: Of the simulation.
        threshold: The score from which an answer passes.
        margin: How far below the people's kappa the judge's still counts as as good.
        studies: Simulated studies.
    """
    if metric == "alt-test":
        return _test(panel, items, seed)
    compute = figures(threshold)[metric]
    rng = np.random.default_rng([seed, items])
    step = max(1, _BLOCK // panel.probabilities.size)
    found = np.concatenate(
        [
            compute(panel, rng.multinomial(items, panel.probabilities, size=min(step, studies - start)).astype(float))
            for start in range(0, studies, step)
        ]
    )
    defined = found[~np.isnan(found)]
    undefined = 1 - defined.size / studies
    if undefined > MAX_UNDEFINED:
        return Width(items, None, None, undefined)
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    half: float | None = float(high - low) / 2
    if half == 0:
        # a pilot without a single miss says little about misses: Wilson's interval for none among so many, or nothing
        half = _none_missed(panel, metric, items, threshold)
    power = float((defined - half > -margin).mean()) if metric == "ceiling" and half is not None else None
    return Width(items, float(defined.mean()), half, undefined, power)


def needed(
    panel: Patterns,
    metric: str,
    target: float,
    *,
    seed: int,
    threshold: float = 4,
    margin: float = 0.10,
    studies: int = 2 * STUDIES,
) -> int | None:
    """Return the smallest number of items with at most this half-width (for `alt-test`: at least this power).

    A half-width shrinks with the root of the number of items, nearly; so the answer is found by a few simulations
    that come closer, and the last of them, close by, corrects for the rest.

    Returns:
        The number; None where not even 20,000 items suffice.
    """
    if metric == "alt-test":
        return _for_power(panel, target, seed)
    items = 100
    for _ in range(6):
        one = width(panel, metric, items, seed=seed, threshold=threshold, margin=margin, studies=studies)
        factor = 2.0 if one.half_width is None else (one.half_width / target) ** 2
        before, items = items, min(max(math.ceil(items * factor - 1e-9), 5), LARGEST)
        if abs(items - before) <= CLOSE * before:
            break
    last = width(panel, metric, items, seed=seed, threshold=threshold, margin=margin, studies=studies)
    enough = last.half_width is not None and last.half_width <= target * 1.05
    return items if enough else None


def _test(panel: Patterns, items: int, seed: int) -> Width:
    if panel.raters < 3:
        return Width(items, None, None, 1.0)
    rng = np.random.default_rng([seed, items, 1])
    places = np.arange(panel.probabilities.size)
    rates = []
    for _ in range(TESTS):
        rows = np.repeat(places, rng.multinomial(items, panel.probabilities))
        result = alternative_annotator_test(panel.people[rows], panel.judge[rows], epsilon=0.2)
        rates.append(result.winning_rate or 0.0)
    return Width(items, float(np.mean(rates)), None, 0.0, float(np.mean(np.array(rates) >= 0.5)))


def _for_power(panel: Patterns, power: float, seed: int, sizes: Sequence[int] = SIZES) -> int | None:
    """Return the first of the sizes from 30 on (the test's own minimum) with this power."""
    for items in [size for size in sizes if size >= 30]:
        if (_test(panel, items, seed).power or 0.0) >= power:
            return items
    return None


__all__ = ["METRICS", "SIZES", "WIDTHS", "Width", "figures", "needed", "width"]
