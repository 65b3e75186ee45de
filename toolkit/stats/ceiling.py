"""The human ceiling: does the judge agree with people as well as people agree with each other?

A judge against the consensus is not comparable with a person against a person: the median of three is steadier than
one person, so a clearly worse judge can tie that "ceiling". Here like is compared with like, on the same items and in
the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import Array, as_column, as_matrix, as_weights, ratio
from toolkit.stats.agreement import mean_defined, mean_pairwise, quadratic_kappa
from toolkit.stats.bands import BAND_FLOORS, Band
from toolkit.stats.bootstrap import MIN_ITEMS, Columns, Statistic, bootstrap
from toolkit.stats.diagnosis import Diagnose, few_shared, mean_pairwise_notes
from toolkit.stats.held_out import held_out
from toolkit.stats.results import Estimate, Note

__all__ = ["Ceiling", "Verdict", "ceiling_verdict", "human_ceiling", "pooled_agreement"]


class Verdict(StrEnum):
    """What the comparison with people amounts to."""

    AS_GOOD = "as_good"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"
    PEOPLE_DISAGREE = "people_disagree"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A judge beside the people, all from the same items and draws.

    Attributes:
        judge_person: Mean quadratic kappa of the judge with each person.
        person_person: Mean quadratic kappa of the pairs of people.
        difference: The first minus the second; below 0 the judge agrees less.
        leave_one_out_judge: Mean kappa of the judge with the median of the others, each person held out in turn.
        leave_one_out_person: Mean kappa of the held-out person with the same medians, on the same items.
        leave_one_out_difference: The first minus the second.
        squared_deviation_difference: Mean squared judge-person difference less mean squared person-person
            difference, item by item, in squared points; above 0 the judge is further away.
        pooled_judge_person: Agreement of the judge with a person, with squared differences pooled over items.
        pooled_person_person: Agreement of people with their squared differences pooled over items.
        pooled_difference: The first of these minus the second; `squared_deviation_difference` in units of kappa, sign
            turned.
        without: The difference that the verdict rests on with each person left out, under the person's name; None
            where undefined. Empty with two people.
        sparse: Most pairs of people share few items (`diagnosis.few_shared`): the verdict rests on the pooled figures.
        margin: How much less than a person's still counts as as good.
        verdict: In one word.
    """

    judge_person: Estimate
    person_person: Estimate
    difference: Estimate
    leave_one_out_judge: Estimate
    leave_one_out_person: Estimate
    leave_one_out_difference: Estimate
    squared_deviation_difference: Estimate
    pooled_judge_person: Estimate
    pooled_person_person: Estimate
    pooled_difference: Estimate
    without: dict[str, float | None]
    sparse: bool
    margin: float
    verdict: Verdict

    @property
    def leading(self) -> tuple[Estimate, Estimate, Estimate]:
        """What the verdict rests on: judge with person, person with person, and their difference."""
        if self.sparse:
            return self.pooled_judge_person, self.pooled_person_person, self.pooled_difference
        return self.judge_person, self.person_person, self.difference


def human_ceiling(
    ratings: Mapping[str, ArrayLike],
    judge: ArrayLike,
    *,
    margin: float = 0.10,
    replicates: int = 10_000,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Ceiling:
    """Compare a judge's agreement with people to people's agreement with each other.

    Only items that the judge and at least two people scored count, for all figures alike. At 30 items the half-width
    of the difference is about 0.15, so with a margin of 0.10 `inconclusive` is the normal outcome of a small study.

    Args:
        ratings: For each person a column of scores, shape (n,); NaN where missing. At least two people.
        judge: Judge scores, shape (n,); NaN where missing. A mean over several calls is steadier than any person, an
            advantage that the figures do not take off.
        margin: How far below the people's kappa still counts as as good, in units of kappa, from 0.
        replicates: Number of resamples; without any there is no verdict but `inconclusive`.
        seed: Of the random generator.
        clusters: What each item belongs to, shape (n,); see `bootstrap`.
        strata: Stratum of each item, shape (n,).
        weights: Sampling weight of each item, shape (n,).

    Returns:
        The comparison.

    Raises:
        ValueError: Fewer than two people, columns of different length, or a negative margin.

    Example:
        A judge that copies one person is closer to all people than they are to each other.

        >>> rng = np.random.default_rng(0)
        >>> truth = rng.integers(1, 6, 200)
        >>> people = {name: np.clip(truth + rng.integers(-1, 2, 200), 1, 5) for name in ("A1", "A2", "A3")}
        >>> result = human_ceiling(people, truth, seed=1, replicates=500)
        >>> str(result.verdict), result.difference.value > 0
        ('as_good', True)
    """
    names = tuple(ratings)
    model = as_column(judge, "judge")
    people = {name: as_column(column, name) for name, column in ratings.items()}
    if len(names) < 2:
        raise ValueError("a human ceiling needs at least two people")
    estimates = bootstrap(
        {**people, _JUDGE: model},
        _statistics(names),
        replicates=replicates,
        seed=seed,
        clusters=clusters,
        strata=strata,
        weights=weights,
    )
    # Items count alike for people and judge: blank where the judge is silent.
    matrix = np.where(np.isnan(model)[:, None], np.nan, np.column_stack(list(people.values())))
    shared = [(~np.isnan(matrix[:, i] + matrix[:, j])).sum() for i, j in combinations(range(len(names)), 2)]
    # where the mean of the pairs has no interval, the pooled figures may have one
    sparse = few_shared(shared, int(((~np.isnan(matrix)).sum(axis=1) > 1).sum())) and matrix.shape[0] >= MIN_ITEMS
    compared = _pooled_difference if sparse else _difference
    without = {}
    if len(names) > 2:
        for i, name in enumerate(names):
            # Items keep counting only where two of the remaining people scored them.
            rest = np.delete(matrix, i, axis=1)
            value = float(compared(_blank_single(rest), model, weights))
            without[name] = None if np.isnan(value) else value
    prefix = "pooled_" if sparse else ""
    difference, people_agree = estimates[f"{prefix}difference"], estimates[f"{prefix}person_person"]
    return Ceiling(
        **estimates,
        without=without,
        sparse=sparse,
        margin=margin,
        verdict=ceiling_verdict(difference, people_agree, margin),
    )


def ceiling_verdict(difference: Estimate, person_person: Estimate, margin: float) -> Verdict:
    """Turn two intervals into a word.

    Args:
        difference: Judge-person less person-person agreement.
        person_person: Agreement among people.
        margin: How far below the people's kappa still counts as as good.

    Returns:
        `people_disagree` when the people's own lower bound is under 0.4; `as_good` when the difference's lower bound is
        above minus the margin; `worse` when its upper bound is below 0; otherwise, or without intervals,
        `inconclusive`.

    Raises:
        ValueError: A negative margin.

    Example:
        >>> people = Estimate(0.7, 100, (0.6, 0.8))
        >>> [str(ceiling_verdict(Estimate(sum(ci) / 2, 100, ci), people, 0.1)) for ci in ((-0.05, 0.1), (-0.3, -0.1))]
        ['as_good', 'worse']
    """
    if not margin >= 0:
        raise ValueError(f"the margin must be 0 or more, not {margin}")
    if person_person.ci95 is None or difference.ci95 is None:
        return Verdict.INCONCLUSIVE
    if person_person.ci95[0] < BAND_FLOORS[Band.MODERATE]:
        return Verdict.PEOPLE_DISAGREE
    if difference.ci95[0] > -margin:
        return Verdict.AS_GOOD
    return Verdict.WORSE if difference.ci95[1] < 0 else Verdict.INCONCLUSIVE


def pooled_agreement(
    ratings: ArrayLike, judge: ArrayLike, weights: ArrayLike | None = None
) -> tuple[Array, Array, Array]:
    """Compare squared differences item by item, for designs in which few people share many items.

    Per item, the mean squared difference of the judge from each person, and of each person from each other one. Both
    are set against the expected squared difference of two human scores of different items, twice their variance.

    Args:
        ratings: Shape (n, raters); NaN where missing. Items with fewer than two human scores or no judge score do not
            count.
        judge: Judge scores, shape (n,); NaN where missing.
        weights: How often each item counts, shape (..., n); None for once each.

    Returns:
        Mean squared judge-person difference, mean squared person-person difference, and the expected one, each of
        shape (...); NaN where no item counts.

    Raises:
        ValueError: Different numbers of items, an infinite value, or a negative weight.

    Example:
        Item 1: judge 0 and 1 away (mean square 1/2), people 1 apart. Item 2: judge 1 away twice, people agree.

        >>> judge_person, person_person, expected = pooled_agreement([[1, 2], [4, 4]], [1, 5])
        >>> float(judge_person), float(person_person)
        (0.75, 0.5)
    """
    matrix, model = as_matrix(ratings), as_column(judge, "judge")
    if matrix.shape[0] != model.size:
        raise ValueError(f"ratings of {matrix.shape[0]} items and a judge's of {model.size}")
    counts = as_weights(weights, model.size)
    present = ~np.isnan(matrix)
    given = present.sum(axis=1)
    rows = (given > 1) & ~np.isnan(model)
    scores, given, counts = np.where(present, matrix, 0.0)[rows], given[rows], counts[..., rows]
    present, model = present[rows], model[rows]
    centre = scores.sum(axis=1) / given
    spread = (present * (scores - centre[:, None]) ** 2).sum(axis=1)
    # Over all ordered pairs of m scores the mean squared difference is 2 spread / (m - 1).
    person_person = 2 * spread / (given - 1)
    judge_person = spread / given + (model - centre) ** 2
    total = counts.sum(axis=-1)
    middle = ratio(counts @ centre, total, 0.0)
    between = counts @ (spread / given + centre**2)
    expected = 2 * (ratio(between, total, 0.0) - middle**2)
    return ratio(counts @ judge_person, total, 0.0), ratio(counts @ person_person, total, 0.0), expected


# No person's column can have this name by accident.
_JUDGE = "\0judge"


def _difference(matrix: Array, model: Array, weights: ArrayLike | None) -> Array:
    return _judge_person(matrix, model, weights) - mean_pairwise(matrix, weights)


def _pooled_difference(matrix: Array, model: Array, weights: ArrayLike | None) -> Array:
    judged, people, expected = pooled_agreement(matrix, model, weights)
    return ratio(people - judged, expected, 1e-12)


def _judge_person(matrix: Array, model: Array, weights: ArrayLike | None) -> Array:
    counts = as_weights(weights, model.size)
    return mean_defined(np.stack([quadratic_kappa(scores, model, counts) for scores in matrix.T], axis=-1))


def _blank_single(matrix: Array) -> Array:
    return np.where((~np.isnan(matrix)).sum(axis=1, keepdims=True) > 1, matrix, np.nan)


def _leave_one_out(matrix: Array, model: Array, weights: Array) -> tuple[Array, Array]:
    judged, person = [], []
    for others, own, of_judge in held_out(matrix, model):
        judged.append(quadratic_kappa(others, of_judge, weights))
        person.append(quadratic_kappa(others, own, weights))
    of_judges, of_people = np.stack(judged, axis=-1), np.stack(person, axis=-1)
    # A mean over the same held-out people on both sides.
    undefined = np.isnan(of_judges) | np.isnan(of_people)
    return (
        mean_defined(np.where(undefined, np.nan, of_judges)),
        mean_defined(np.where(undefined, np.nan, of_people)),
    )


def _statistics(names: Sequence[str]) -> dict[str, Statistic]:
    columns = (*names, _JUDGE)

    def on(function: Callable[[Array, Array, Array], Array], diagnose: Diagnose | None = None) -> Statistic:
        def compute(table: Columns, weights: Array) -> Array:
            matrix = np.column_stack([table[name] for name in names])
            return function(matrix, table[_JUDGE], weights)

        return Statistic(compute, columns, 3, diagnose, required=(_JUDGE,))

    def leave_one_out_difference(matrix: Array, model: Array, weights: Array) -> Array:
        judged, person = _leave_one_out(matrix, model, weights)
        return judged - person

    def pooled_judge(matrix: Array, model: Array, weights: Array) -> Array:
        judged, _, expected = pooled_agreement(matrix, model, weights)
        return 1 - ratio(judged, expected, 1e-12)

    def pooled_people(matrix: Array, model: Array, weights: Array) -> Array:
        _, people, expected = pooled_agreement(matrix, model, weights)
        return 1 - ratio(people, expected, 1e-12)

    def squared(matrix: Array, model: Array, weights: Array) -> Array:
        judged, people, _ = pooled_agreement(matrix, model, weights)
        return judged - people

    among_people = mean_pairwise_notes(quadratic_kappa)

    def people_notes(table: Columns, weights: Array, value: float) -> tuple[Note, ...]:
        return among_people({name: table[name] for name in names}, weights, value)

    return {
        "judge_person": on(_judge_person, mean_pairwise_notes(quadratic_kappa, _JUDGE)),
        "person_person": on(lambda matrix, model, weights: mean_pairwise(matrix, weights), people_notes),
        "difference": on(_difference),
        "leave_one_out_judge": on(lambda *table: _leave_one_out(*table)[0]),
        "leave_one_out_person": on(lambda *table: _leave_one_out(*table)[1]),
        "leave_one_out_difference": on(leave_one_out_difference),
        "squared_deviation_difference": on(squared),
        "pooled_judge_person": on(pooled_judge),
        "pooled_person_person": on(pooled_people),
        "pooled_difference": on(_pooled_difference),
    }
