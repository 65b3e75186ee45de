"""What a study's scores will look like: the patterns of scores an item may get, and how likely each is.

Stated beforehand (margins and kappas, through one common latent factor, normal as in the polychoric model), or taken
from a pilot as they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats import row_median

Array = NDArray[np.float64]

UNIFORM = (0.2, 0.2, 0.2, 0.2, 0.2)
SKEWED = (0.02, 0.03, 0.05, 0.10, 0.80)
_NODES = 161
_REACH = 8.0
# a judge that knows the common factor perfectly; more agreement than that the model cannot give
_MOST = 0.9999


class UnreachableError(ValueError):
    """Margins and kappas that no panel can have together."""


@dataclass(frozen=True)
class Patterns:
    """The different rows of scores an item may get.

    Attributes:
        people: Scores of the people, shape (patterns, raters).
        judge: The judge's score, shape (patterns,).
        probabilities: Of each pattern, shape (patterns,), summing to 1.
        items: Items behind them: those of the pilot; None where they were stated.
    """

    people: Array
    judge: Array
    probabilities: Array
    items: int | None = None

    @property
    def raters(self) -> int:
        """How many people score an item."""
        return int(self.people.shape[1])

    @property
    def consensus(self) -> Array:
        """The median of the people's scores, shape (patterns,)."""
        return row_median(self.people)

    def table(self) -> tuple[Array, Array]:
        """Return the joint probabilities of consensus (rows) and judge (columns), and the values of both."""
        values = np.unique(np.concatenate([self.consensus, self.judge]))
        found = np.zeros((values.size, values.size))
        places = np.searchsorted(values, self.consensus), np.searchsorted(values, self.judge)
        np.add.at(found, places, self.probabilities)
        return found, values


def stated(
    values: Sequence[float],
    margins: Sequence[float],
    *,
    judge_kappa: float,
    people_kappa: float,
    raters: int,
    judge_margins: Sequence[float] | None = None,
) -> Patterns:
    """Return patterns for stated margins and kappas.

    Every score is a cut of a normal variable; what two of them share is one common factor. The loadings are those that
    give the wanted quadratic kappas.

    Args:
        values: The levels of the scale.
        margins: How often people give each level.
        judge_kappa: Quadratic kappa of the judge with one person.
        people_kappa: Quadratic kappa of two people.
        raters: People who score an item.
        judge_margins: How often the judge gives each level; as people do by default.

    Raises:
        UnreachableError: When no such panel exists.

    Example:
        >>> panel = stated(range(1, 6), UNIFORM, judge_kappa=0.6, people_kappa=0.6, raters=1)
        >>> panel.people.shape, round(float(panel.probabilities.sum()), 9)
        ((25, 1), 1.0)
    """
    human = np.asarray(margins, dtype=float) / np.sum(margins)
    model = human if judge_margins is None else np.asarray(judge_margins, dtype=float) / np.sum(judge_margins)
    scale = np.asarray(values, dtype=float)
    between = _correlation(scale, human, human, people_kappa, "two people")
    with_judge = _correlation(scale, human, model, judge_kappa, "judge and a person")
    if raters == 1:
        between = with_judge
    loading = np.sqrt(between)
    judged = with_judge / loading
    if judged > _MOST:
        raise UnreachableError(
            f"a judge cannot agree with each person at {judge_kappa:g} where people agree at {people_kappa:g} only"
        )
    nodes = np.linspace(-_REACH, _REACH, _NODES)
    density = np.exp(-(nodes**2) / 2)
    density /= density.sum()
    person, of_judge = _given(nodes, human, loading), _given(nodes, model, judged)
    joint = density[:, None] * of_judge
    for _ in range(raters):
        joint = joint[..., None, :] * person.reshape(_NODES, *(1,) * (joint.ndim - 2), scale.size, 1)
    probabilities = joint.sum(axis=0).ravel()
    places = np.array(list(itertools.product(range(scale.size), repeat=raters + 1)))
    kept = probabilities > 1e-12
    probabilities = probabilities[kept] / probabilities[kept].sum()
    return Patterns(scale[places[kept, :-1]], scale[places[kept, -1]], probabilities)


def pilot(people: ArrayLike, judge: ArrayLike, raters: int | None = None) -> Patterns:
    """Return the patterns of a pilot: its items with enough scores, each as likely as the others.

    Args:
        people: Shape (items, raters), NaN where missing.
        judge: Shape (items,), NaN where missing.
        raters: People who will score an item; every choice of so many of an item's scores is as likely. As many as
            there are columns by default.

    Example:
        >>> found = pilot([[1, 2, 3], [4, 4, np.nan]], [2, 5], raters=2)
        >>> found.people.tolist(), found.probabilities.round(3).tolist()
        ([[1.0, 2.0], [4.0, 4.0], [1.0, 3.0], [2.0, 3.0]], [0.167, 0.5, 0.167, 0.167])
    """
    matrix, model = np.asarray(people, dtype=float), np.asarray(judge, dtype=float)
    raters = raters or matrix.shape[1]
    given = (~np.isnan(matrix)).sum(axis=1)
    enough = (given >= raters) & ~np.isnan(model)
    matrix, model, given = matrix[enough], model[enough], given[enough]
    share = np.array([1 / math.comb(int(count), raters) for count in given]) / max(len(given), 1)
    scores, judged, shares = [], [], []
    for columns in itertools.combinations(range(matrix.shape[1]), raters):
        present = ~np.isnan(matrix[:, columns]).any(axis=1)
        scores.append(matrix[present][:, columns])
        judged.append(model[present])
        shares.append(share[present])
    return Patterns(np.concatenate(scores), np.concatenate(judged), np.concatenate(shares), int(enough.sum()))


def _given(nodes: Array, margins: Array, loading: float) -> Array:
    """Return the probability of each level given the common factor, shape (nodes, levels)."""
    from scipy.special import ndtr, ndtri

    cuts = ndtri(np.clip(np.cumsum(margins)[:-1], 1e-12, 1 - 1e-12))
    below = ndtr((cuts - loading * nodes[:, None]) / np.sqrt(1 - min(loading, _MOST) ** 2))
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def _kappa(scale: Array, first: Array, second: Array, correlation: float) -> float:
    nodes = np.linspace(-_REACH, _REACH, _NODES)
    density = np.exp(-(nodes**2) / 2)
    density /= density.sum()
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
