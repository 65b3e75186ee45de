"""How sure the figures of a study will be, and what it will find, by drawing the study many times.

All sizes are prefixes of the same draws, so that a size is one pass over an array and curves over sizes are smooth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from toolkit.sampling.panels import Panel
from toolkit.stats import row_median
from toolkit.stats.agreement import mean_defined
from toolkit.stats.bands import BAND_FLOORS, Band

Array = NDArray[np.float64]

METRICS = ("kappa", "mae", "ceiling", "tpr", "tnr", "alt-test")
WIDTHS = METRICS[:-1]
BEATEN = ("kappa", "mae", "tpr", "tnr")
SIZES = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500)
STUDIES = 4_000
FEWEST, LARGEST = 5, 20_000
CONFIDENCE = 0.95
MAX_UNDEFINED = 0.05
CLOSE = 0.01
NORMAL_QUANTILE = 1.959964
# of the alternative annotator test: its epsilon for experts, its own minimum, the share of annotators to win against
EPSILON, ITEMS_EACH, WINNING, FALSE_DISCOVERIES = 0.2, 30, 0.5, 0.05
# scores and spreads closer than this are equal
_NOISE = 1e-9


@dataclass(frozen=True)
class Width:
    """What one figure looks like over the simulated studies of one size.

    Attributes:
        items: Items in the study.
        mean: Mean of the figure.
        half_width: Half of the range that holds 95% of the studies; None where too many leave it undefined.
        undefined: Share of studies that leave it undefined.
    """

    items: int
    mean: float | None
    half_width: float | None
    undefined: float


class Studies:
    """Many simulated studies of one design.

    Args:
        panel: Where the scores come from.
        annotators: How many people there are; each scores as many items as the others.
        overlap: How many of them score an item.
        seed: Of the simulation.
        threshold: The score from which an answer passes, for the true-positive and true-negative rate.
        margin: How far below the people's kappa the judge's still counts as as good.
        studies: How many.
        largest: Items drawn; what larger studies look like follows from these by the square root of the size.
    """

    def __init__(
        self,
        panel: Panel,
        *,
        annotators: int,
        overlap: int,
        seed: int,
        threshold: float = 4,
        margin: float = 0.10,
        studies: int = STUDIES,
        largest: int = SIZES[-1],
    ):
        self.annotators, self.overlap, self.largest = annotators, overlap, largest
        self.threshold, self.margin = threshold, margin
        shape = studies, largest
        self.people, self.judge = panel.draw(np.random.default_rng([seed, overlap]), shape, overlap)
        self.consensus = row_median(np.stack(self.people, axis=-1).reshape(-1, overlap)).reshape(shape)
        self._found: dict[tuple[str, int], Array] = {}
        self._leads: Array | None = None

    def width(self, metric: str, items: int) -> Width:
        """Return how wide the interval of a figure of `WIDTHS` is in studies of a size."""
        found = self._values(metric, items)
        defined = found[~np.isnan(found)]
        undefined = 1 - defined.size / found.size
        if undefined > MAX_UNDEFINED:
            return Width(items, None, None, undefined)
        low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        half: float | None = float(high - low) / 2
        if half == 0:
            # a pilot without a miss says little about misses: Wilson's interval for none among so many, or nothing
            half = self._none_missed(metric, items)
        return Width(items, float(defined.mean()), half, undefined)

    def power(self, metric: str, items: int, beat: float = 0.0) -> float | None:
        """Return the share of studies of a size that find what is hoped for; None where they can find nothing.

        Args:
            metric: `ceiling`: the judge is as good as people. `alt-test`: it passes. One of `BEATEN`: its interval
                lies on the better side of
            items: Items in a study.
            beat: this value.
        """
        if metric == "alt-test":
            return self._passes(items)
        half = self.width(metric, items).half_width
        if half is None:
            return None
        found = self._values(metric, items)
        if metric == "mae":
            return float((found + half < beat).mean())
        if metric != "ceiling":
            return float((found - half > beat).mean())
        # as the report's verdict: where people may disagree among themselves, it does not speak of the judge
        people = self.width("people", items).half_width
        if people is None:
            return None
        agree = self._values("people", items) - people >= BAND_FLOORS[Band.MODERATE]
        return float((agree & (found - half > -self.margin)).mean())

    def items_for_width(self, metric: str, half_width: float) -> int | None:
        """Return the smallest number of items with at most this half-width; None where not even 20,000 suffice."""

        def enough(items: int) -> bool:
            half = self.width(metric, items).half_width
            return half is not None and half <= half_width

        return _smallest(enough)

    def items_for_power(self, metric: str, power: float, beat: float = 0.0) -> int | None:
        """Return the smallest number of items with at least this power; None where not even 20,000 suffice."""
        return _smallest(lambda items: (self.power(metric, items, beat) or 0.0) >= power)

    def _values(self, metric: str, items: int) -> Array:
        """Return a figure of each study, NaN where it is undefined."""
        drawn = min(items, self.largest)
        if (metric, drawn) not in self._found:
            self._found |= {(name, drawn): found for name, found in self._compute(metric, drawn).items()}
        found = self._found[metric, drawn]
        if items > drawn:
            middle = np.nanmean(found) if not np.isnan(found).all() else 0.0
            found = middle + (found - middle) * math.sqrt(drawn / items)
        return found

    def _compute(self, metric: str, items: int) -> dict[str, Array]:
        consensus, judge = self.consensus[:, :items], self.judge[:, :items]
        if metric == "kappa":
            return {metric: _kappa(_Column(consensus), _Column(judge))}
        if metric == "mae":
            return {metric: np.abs(consensus - judge).mean(axis=1)}
        if metric in ("tpr", "tnr"):
            human = (consensus >= self.threshold) == (metric == "tpr")
            right = human & ((judge >= self.threshold) == (metric == "tpr"))
            with np.errstate(invalid="ignore"):
                return {metric: np.asarray(right.sum(axis=1) / human.sum(axis=1))}
        # All scored all of the items here. With less overlap the pairs are the same, only dealt out to more people,
        # and the mean over pairs has the same spread but for terms of the order 1 / items.
        people, of_judge = [_Column(person[:, :items]) for person in self.people], _Column(judge)
        between = mean_defined(np.stack([_kappa(one, other) for one, other in combinations(people, 2)], axis=-1))
        judged = mean_defined(np.stack([_kappa(person, of_judge) for person in people], axis=-1))
        return {"people": between, "ceiling": judged - between}

    def _none_missed(self, metric: str, items: int) -> float | None:
        """Return half of Wilson's interval for a rate that all studies put at 0 or 1; None for other figures."""
        if metric not in ("tpr", "tnr"):
            return None
        share = float(((self.consensus >= self.threshold) == (metric == "tpr")).mean())
        squared = NORMAL_QUANTILE**2
        return squared / (2 * (items * share + squared))

    def _passes(self, items: int) -> float | None:
        """Return the share of studies in which the judge passes the alternative annotator test.

        The same as `toolkit.stats.alternative_annotator_test`, for all studies at once: items are dealt out to the
        annotators in turn, and each of these is tested on the items dealt to them.
        """
        if self.overlap < 3 or items > self.largest or items * self.overlap // self.annotators < ITEMS_EACH:
            return None
        from scipy.special import stdtr

        if self._leads is None:
            self._leads = self._person_leads()
        dealt = self._leads[:, : items * self.overlap]
        p_values = []
        for annotator in range(self.annotators):
            own = dealt[:, annotator :: self.annotators] - EPSILON
            mean, spread = own.mean(axis=1), own.std(axis=1, ddof=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                p = stdtr(own.shape[1] - 1, mean / (spread / math.sqrt(own.shape[1])))
            p_values.append(np.where(spread < _NOISE, mean > 0, p))
        ordered = np.sort(np.stack(p_values, axis=1), axis=1)
        rank = np.arange(1, self.annotators + 1)
        level = FALSE_DISCOVERIES * rank / (self.annotators * (1 / rank).sum())
        wins = ((ordered <= level) * rank).max(axis=1)
        return float((wins / self.annotators >= WINNING).mean())

    def _person_leads(self) -> Array:
        """Return whether each score is closer to the others of its item than the judge's: 1, 0 or -1, item by item."""
        leads = np.empty((*self.judge.shape, self.overlap), dtype=np.float32)
        for place, own in enumerate(self.people):
            ahead = np.zeros(own.shape)
            for other in self.people[:place] + self.people[place + 1 :]:
                ahead += (own - other) ** 2 - (self.judge - other) ** 2
            leads[..., place] = (ahead < -_NOISE).astype(np.float32) - (ahead > _NOISE)
        return np.asarray(leads.reshape(len(leads), -1))


class _Column:
    """Scores of one person or the judge, shape (studies, items), with the means of each study and of its squares."""

    def __init__(self, scores: Array):
        self.scores = scores
        self.mean, self.square = scores.mean(axis=1), self.product(scores)

    def product(self, other: Array) -> Array:
        """Return the mean product with other scores; unlike a difference, it needs no room for every item."""
        return np.asarray(np.einsum("ij,ij->i", self.scores, other) / other.shape[1])


def _kappa(x: _Column, y: _Column) -> Array:
    """Return the quadratic kappa of each study, as `toolkit.stats.quadratic_kappa`, its squares multiplied out."""
    chance = x.square + y.square - 2 * x.mean * y.mean
    apart = x.square + y.square - 2 * x.product(y.scores)
    return np.asarray(1 - np.divide(apart, chance, out=np.full(len(apart), np.nan), where=chance > _NOISE))


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number of items, within a hundredth, that is enough; larger numbers are, too."""
    low, high = FEWEST - 1, FEWEST
    while not enough(high):
        if high == LARGEST:
            return None
        low, high = high, min(2 * high, LARGEST)
    while high - low > max(1, CLOSE * high):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


__all__ = ["BEATEN", "METRICS", "SIZES", "WIDTHS", "Studies", "Width"]
