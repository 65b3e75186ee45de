"""What a study's scores will look like, so that studies can be drawn from it.

Stated beforehand (margins and kappas, through one common latent factor, normal as in the polychoric model), or taken
from a pilot as they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from toolkit.stats import row_median
from toolkit.stats.resampling import MIN_CLUSTERS

Index = NDArray[np.intp]
Array = NDArray[np.float64]

UNIFORM = (0.2, 0.2, 0.2, 0.2, 0.2)
SKEWED = (0.02, 0.03, 0.05, 0.10, 0.80)
_NODES = 161
_REACH = 8.0
# a judge that knows the common factor perfectly; more agreement than that the model cannot give
_MOST = 0.9999


class UnreachableError(ValueError):
    """Margins and kappas that no panel can have together."""


class Panel(Protocol):
    """Where scores come from; people are exchangeable, and any number of them may be asked for."""

    def draw(self, rng: np.random.Generator, shape: tuple[int, int], raters: int) -> tuple[list[Array], Array]:
        """Return scores of as many people, each of the shape (studies, items), and the judge's."""
        ...

    def table(self, raters: int) -> tuple[Array, Array]:
        """Return the joint probabilities of consensus (rows) and judge (columns), and the values of both."""
        ...


@dataclass(frozen=True)
class Latent:
    """People and judge who see one common factor, each with an error of their own.

    Attributes:
        values: The levels of the scale.
        people: How often people give each level.
        judge: How often the judge does.
        loading: Correlation of a person's impression with the common factor.
        judge_loading: The same for the judge.
    """

    values: Array
    people: Array
    judge: Array
    loading: float
    judge_loading: float

    def draw(self, rng: np.random.Generator, shape: tuple[int, int], raters: int) -> tuple[list[Array], Array]:
        """Return scores of as many people, each of the shape (studies, items), and the judge's."""
        factor = rng.standard_normal(shape, dtype=np.float32)

        def scores(margins: Array, loading: float) -> Array:
            own = rng.standard_normal(shape, dtype=np.float32) * np.float32(np.sqrt(1 - loading**2))
            return self.values[np.searchsorted(_cuts(margins), factor * np.float32(loading) + own)]

        return [scores(self.people, self.loading) for _ in range(raters)], scores(self.judge, self.judge_loading)

    def table(self, raters: int) -> tuple[Array, Array]:
        """Return the joint probabilities of consensus (rows) and judge (columns), and the values of both."""
        nodes, density = _quadrature()
        person, judge = _given(nodes, self.people, self.loading), _given(nodes, self.judge, self.judge_loading)
        halves = (self.values[:, None] + self.values) / 2
        values, places = np.unique(halves, return_inverse=True)
        consensus = np.stack(
            [np.bincount(places.ravel(), _middle(row, raters).ravel(), minlength=values.size) for row in person]
        )
        judged = np.zeros((nodes.size, values.size))
        judged[:, np.searchsorted(values, self.values)] = judge
        return _occurring((density[:, None] * consensus).T @ judged, values)


@dataclass(frozen=True)
class Pilot:
    """The items of a pilot, each as likely as the others.

    Items that share a prompt resemble each other, and studies of prompts with several items each have less to tell than
    as many separate items. So whole clusters are drawn, as for the report's intervals; fewer than `MIN_CLUSTERS` cannot
    stand for others, and their items are drawn one by one.

    Attributes:
        scores: Scores of people, shape (items, people), NaN where missing.
        judge: Shape (items,), NaN where missing.
        clusters: What each item shares with others, shape (items,), any values; None for nothing.
    """

    scores: Array
    judge: Array
    clusters: NDArray[Any] | None = None

    @property
    def people(self) -> int:
        """How many people there were."""
        return int(self.scores.shape[1])

    @property
    def usual(self) -> int:
        """How many people scored an item, mostly; at least one."""
        given = (~np.isnan(self.scores)).sum(axis=1)
        return int(np.bincount(given[given > 0]).argmax()) if given.any() else 1

    def items(self, raters: int) -> int:
        """Return how many items have scores of so many people, and of the judge."""
        return int(self._enough(raters).sum())

    def clusters_drawn(self, raters: int) -> int | None:
        """Return from how many clusters items are drawn; None where they are drawn one by one."""
        if self.clusters is None:
            return None
        count = np.unique(self.clusters[self._enough(raters)]).size
        return count if MIN_CLUSTERS <= count < self.items(raters) else None

    def _enough(self, raters: int) -> NDArray[np.bool_]:
        return np.asarray(((~np.isnan(self.scores)).sum(axis=1) >= raters) & ~np.isnan(self.judge))

    def patterns(self, raters: int) -> tuple[Array, Array, Array]:
        """Return what so many people and the judge gave an item, and how likely each of these rows is.

        Every choice of so many of an item's scores is as likely as the others.

        Example:
            >>> found = Pilot(np.array([[1, 2, 3], [4, 4, np.nan]]), np.array([2, 5])).patterns(2)
            >>> found[0].tolist(), found[2].round(3).tolist()
            ([[1.0, 2.0], [4.0, 4.0], [1.0, 3.0], [2.0, 3.0]], [0.167, 0.5, 0.167, 0.167])
        """
        people, judge, shares, _items = self._patterns(raters)
        return people, judge, shares

    def _patterns(self, raters: int) -> tuple[Array, Array, Array, Index]:
        """Return the patterns, and the item of each."""
        rows = self._enough(raters).nonzero()[0]
        matrix, model = np.asarray(self.scores, dtype=float)[rows], np.asarray(self.judge, dtype=float)[rows]
        given = (~np.isnan(matrix)).sum(axis=1)
        share = np.array([1 / math.comb(int(count), raters) for count in given]) / max(len(given), 1)
        scores, places = [], []
        for columns in itertools.combinations(range(matrix.shape[1]), raters):
            present = (~np.isnan(matrix[:, columns]).any(axis=1)).nonzero()[0]
            scores.append(matrix[present][:, columns])
            places.append(present)
        found = np.concatenate(places)
        return np.concatenate(scores), model[found], share[found], rows[found]

    def draw(self, rng: np.random.Generator, shape: tuple[int, int], raters: int) -> tuple[list[Array], Array]:
        """Return scores of as many people, each of the shape (studies, items), and the judge's."""
        people, judge, shares, items = self._patterns(raters)
        if self.clusters is not None and self.clusters_drawn(raters):
            rows = _whole_clusters(rng, shape, items, self.clusters)
        else:
            rows = rng.choice(judge.size, size=shape, p=shares / shares.sum())
        return [column[rows] for column in people.T], judge[rows]

    def table(self, raters: int) -> tuple[Array, Array]:
        """Return the joint probabilities of consensus (rows) and judge (columns), and the values of both."""
        people, judge, shares = self.patterns(raters)
        consensus = row_median(people)
        values = np.unique(np.concatenate([consensus, judge]))
        found = np.zeros((values.size, values.size))
        np.add.at(found, (np.searchsorted(values, consensus), np.searchsorted(values, judge)), shares)
        return found, values


def _whole_clusters(rng: np.random.Generator, shape: tuple[int, int], items: Index, clusters: NDArray[Any]) -> Index:
    """Return patterns, shape (studies, items): clusters one after the other, of each item one of its patterns.

    A study begins anywhere in its first cluster and ends anywhere in its last, so that at every place every item is
    equally likely.

    Args:
        rng: What draws.
        shape: Studies, and items in each.
        items: The item of each pattern.
        clusters: The cluster of each item.
    """
    known, ways = np.unique(items, return_counts=True)
    patterns, first = np.argsort(items, kind="stable"), np.cumsum(ways) - ways
    cluster = np.unique(clusters[known], return_inverse=True)[1]
    by_cluster, size = np.argsort(cluster, kind="stable"), np.bincount(cluster)
    head = np.cumsum(size) - size
    drawn, entry = rng.integers(size.size, size=shape), rng.integers(known.size, size=shape[0])
    drawn[:, 0] = cluster[by_cluster[entry]]
    ends = np.cumsum(size[drawn], axis=1) - (entry - head[drawn[:, 0]])[:, None]
    # at every place, how many clusters ended before it
    over = np.zeros((shape[0], shape[1] + 1), dtype=np.intp)
    study, turn = (ends <= shape[1]).nonzero()
    over[study, ends[study, turn]] = 1
    turns = np.cumsum(over[:, :-1], axis=1)
    within = np.take_along_axis(drawn, turns, axis=1)
    left = np.take_along_axis(ends, turns, axis=1) - np.arange(shape[1])
    chosen = by_cluster[head[within] + size[within] - left]
    return np.asarray(patterns[first[chosen] + (rng.random(shape) * ways[chosen]).astype(np.intp)])


def stated(
    values: Sequence[float],
    margins: Sequence[float],
    *,
    judge_kappa: float,
    people_kappa: float,
    judge_margins: Sequence[float] | None = None,
) -> Latent:
    """Return a panel for stated margins and kappas: the loadings are those that give the wanted quadratic kappas.

    Args:
        values: The levels of the scale.
        margins: How often people give each level.
        judge_kappa: Quadratic kappa of the judge with one person.
        people_kappa: Quadratic kappa of two people.
        judge_margins: How often the judge gives each level; as people do by default.

    Raises:
        UnreachableError: When no such panel exists.

    Example:
        >>> table, values = stated(range(1, 6), UNIFORM, judge_kappa=0.6, people_kappa=0.6).table(raters=1)
        >>> table.shape, round(float(table.sum()), 9), table.sum(axis=1).round(6).tolist()
        ((5, 5), 1.0, [0.2, 0.2, 0.2, 0.2, 0.2])
    """
    for shares in (margins, margins if judge_margins is None else judge_margins):
        if np.count_nonzero(shares) < 2:
            raise UnreachableError("a kappa needs scores on two levels or more")
    human = np.asarray(margins, dtype=float) / np.sum(margins)
    model = human if judge_margins is None else np.asarray(judge_margins, dtype=float) / np.sum(judge_margins)
    scale = np.asarray(values, dtype=float)
    loading = math.sqrt(_correlation(scale, human, human, people_kappa, "two people"))
    judge_loading = _correlation(scale, human, model, judge_kappa, "judge and a person") / loading
    if judge_loading > _MOST:
        raise UnreachableError(
            f"a judge cannot agree with each person at {judge_kappa:g} where people agree at {people_kappa:g} only"
        )
    return Latent(scale, human, model, loading, judge_loading)


def _middle(shares: Array, raters: int) -> Array:
    """Return the probability of each pair of middle scores (lower, upper) of some people, shape (levels, levels).

    With an odd number both are the median. With an even number 2m they differ when just m scores are at most the
    lower one, which is the largest of these, and m at least the upper one, which is the smallest of those.

    Example:
        Two people, levels as likely as 1 to 3: both low 1/16, both high 9/16.

        >>> _middle(np.array([0.25, 0.75]), 2).tolist()
        [[0.0625, 0.375], [0.0, 0.5625]]
    """
    from scipy.special import betainc

    half = (raters + 1) // 2
    below = np.minimum(np.cumsum(shares), 1.0)
    below[-1] = 1.0
    lower: Any = np.diff(betainc(half, raters - half + 1, below), prepend=0.0)
    if raters % 2:
        return np.diag(lower)
    above = (1 - below) ** half
    ways = math.comb(raters, half) * np.diff(below**half, prepend=0.0)
    apart = np.triu(np.outer(ways, -np.diff(above, prepend=1.0)), 1)
    return np.asarray(apart + np.diag(lower - ways * above))


def _occurring(table: Array, values: Array) -> tuple[Array, Array]:
    """Return a table without the values that nobody gives."""
    kept = (table.sum(axis=0) + table.sum(axis=1)) > 1e-12
    return table[kept][:, kept], values[kept]


def _quadrature() -> tuple[Array, Array]:
    nodes = np.linspace(-_REACH, _REACH, _NODES)
    density = np.exp(-(nodes**2) / 2)
    return nodes, density / density.sum()


def _cuts(margins: Array) -> Array:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(np.cumsum(margins)[:-1], 1e-12, 1 - 1e-12)))


def _given(nodes: Array, margins: Array, loading: float) -> Array:
    """Return the probability of each level given the common factor, shape (nodes, levels)."""
    from scipy.special import ndtr

    below = ndtr((_cuts(margins) - loading * nodes[:, None]) / np.sqrt(1 - min(loading, _MOST) ** 2))
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def _kappa(scale: Array, first: Array, second: Array, correlation: float) -> float:
    nodes, density = _quadrature()
    loading = np.sqrt(correlation)
    joint = (density[:, None] * _given(nodes, first, loading)).T @ _given(nodes, second, loading)
    apart = (scale[:, None] - scale) ** 2
    return float(1 - (apart * joint).sum() / (apart * np.outer(first, second)).sum())


def _correlation(scale: Array, first: Array, second: Array, kappa: float, whose: str) -> float:
    from scipy.optimize import brentq

    top = _MOST**2
    most = _kappa(scale, first, second, top)
    if not 0 < kappa < most:
        raise UnreachableError(f"a kappa of {kappa:g} between {whose} must be above 0 and below {most:.2f} here")
    return float(brentq(lambda r: _kappa(scale, first, second, r) - kappa, 0.0, top, xtol=1e-7))
