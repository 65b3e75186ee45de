"""The figures over one set of items, all from one set of bootstrap draws, and the same for each dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from toolkit.analysis.detail import JudgeDetail, judge_detail
from toolkit.analysis.panel import Array, Mask, Options, Panel
from toolkit.model import Scale
from toolkit.stats import (
    Estimate,
    Note,
    Statistic,
    bootstrap,
    confusion_matrix,
    judge_statistics,
    mean_pairwise,
    mean_pairwise_notes,
    mean_pairwise_statistic,
    pair_statistics,
    people_statistics,
    quadratic_kappa,
    unweighted_kappa,
    within_quadratic_kappa,
    within_statistics,
)

JUDGE_DIFFERENCE = 2.0
NOISE = 1e-9
Pair = tuple[str, str]
Estimates = dict[str, Estimate]


@dataclass(frozen=True)
class Block:
    """All figures over one set of items.

    Attributes:
        n: Number of items that count.
        pairs: Agreement of each pair of people.
        people: Agreement of all people together.
        judges: Each judge against the consensus; empty when held back.
        confusion: For each judge, counts by (consensus level, judge level), off-grid values rounded to the nearest
            level with halves to even.
        details: Each judge beside the people one by one.
        within_pairs, within_people, within_judges: Kappas with numerators and denominators summed over dimensions.
    """

    n: int
    pairs: dict[Pair, Estimates]
    people: Estimates
    judges: dict[str, Estimates]
    confusion: dict[str, NDArray[np.int64]]
    details: dict[str, JudgeDetail] = field(default_factory=dict)
    within_pairs: dict[Pair, Estimates] = field(default_factory=dict)
    within_people: Estimates = field(default_factory=dict)
    within_judges: dict[str, Estimates] = field(default_factory=dict)

    @property
    def people_figure(self) -> str:
        """The name of the figure that leads for people among themselves; of pairs that share few items, no mean."""
        mean, distances = self.people.get("mean_pairwise_kappa"), "krippendorff_alpha_interval"
        if mean is None or distances not in self.people:  # names without an order
            return "fleiss_kappa"
        return distances if Note.FEW_SHARED_ITEMS in mean.notes else "mean_pairwise_kappa"


@dataclass(frozen=True)
class Blocks:
    """The same figures over all items and for each dimension, and the items where judge and people part.

    Attributes:
        judge_disagreements: Items on which headline judge and consensus are apart (see `far_apart`).
    """

    overall: Block
    by_dimension: dict[str, Block]
    judge_disagreements: tuple[int, ...]


def far_apart(scale: Scale) -> float:
    """Return how many points judge and consensus lie apart on an item worth reading.

    0, for any difference, on a scale without order or one that is too short for two points.
    """
    wide = scale.kind == "ordinal" and scale.codes[-1] - scale.codes[0] >= JUDGE_DIFFERENCE
    return JUDGE_DIFFERENCE if wide else 0.0


def compute_blocks(
    panel: Panel,
    options: Options,
    judges: Mapping[str, Array],
    target: Array,
    counted: Mask,
    *,
    closer: bool,
    weighted: bool = False,
) -> Blocks:
    """Return the figures over the items of a mask, against a target (a consensus).

    Args:
        panel: Who scored what.
        options: Seed and replicates.
        judges: The judges whose figures may be shown.
        target: Consensus of each item, shape (n_items,), NaN where there is none.
        counted: The items that count.
        closer: Whether each judge is also looked at beside the people one by one (see `JudgeDetail`).
        weighted: Whether items count with their sampling weights.
    """
    dimensions = panel.dimensions
    keys = list(dict.fromkeys(dimensions[counted].tolist()))

    def block(chosen: Mask, grouped: NDArray[np.str_] | None) -> Block:
        return _block(panel, options, judges, target, chosen, grouped, closer=closer, weighted=weighted)

    overall = block(counted, dimensions if len(keys) > 1 else None)
    # a study of one dimension is its only dimension
    by_dimension = {keys[0]: overall} if len(keys) == 1 else {k: block(counted & (dimensions == k), None) for k in keys}
    headline = next(iter(judges.values()), None)
    apart: tuple[int, ...] = ()
    if headline is not None:
        least = far_apart(panel.scale)
        with np.errstate(invalid="ignore"):
            far = np.abs(headline - target) > (least - NOISE if least else NOISE)
        apart = tuple(int(row) for row in np.flatnonzero(counted & far))
    return Blocks(overall, by_dimension, apart)


def _block(
    panel: Panel,
    options: Options,
    judges: Mapping[str, Array],
    target: Array,
    counted: Mask,
    dimensions: NDArray[np.str_] | None,
    *,
    closer: bool,
    weighted: bool,
) -> Block:
    """Compute one block from one set of bootstrap draws."""
    # Column names of the table are short and ours; people's and judges' names never mix with them.
    people = {name: f"p{place}" for place, name in enumerate(panel.annotators)}
    judge = {name: f"j{place}" for place, name in enumerate(judges)}
    columns: dict[str, Array] = {people[name]: panel.scores[counted, place] for name, place in _places(panel)}
    columns |= {judge[name]: scores[counted] for name, scores in judges.items()}
    columns["consensus"] = target[counted]
    scale = panel.scale.codes
    pairs = list(combinations(panel.annotators, 2))

    wanted: dict[tuple[object, ...], Statistic] = {}
    for pair in pairs:
        one, two = people[pair[0]], people[pair[1]]
        wanted |= {("pair", pair, key): s for key, s in pair_statistics(one, two, scale).items()}
    several = len(people) > 1
    if several:
        wanted |= {("people", "", key): s for key, s in people_statistics(tuple(people.values()), scale).items()}
    for name in judges:
        statistics = judge_statistics("consensus", judge[name], scale)
        wanted |= {("judge", name, key): s for key, s in statistics.items()}
    if dimensions is not None:
        columns["dimension"] = np.unique(dimensions[counted], return_inverse=True)[1].astype(np.float64)
        for pair in pairs:
            statistics = within_statistics(people[pair[0]], people[pair[1]], "dimension", scale)
            wanted |= {("within pair", pair, key): s for key, s in statistics.items()}
        if several:
            wanted["within people", "", "mean_pairwise_kappa"] = _within_mean(tuple(people.values()), "dimension")
        for name in judges:
            statistics = within_statistics("consensus", judge[name], "dimension", scale)
            wanted |= {("within judge", name, key): s for key, s in statistics.items()}
    if panel.scale.kind == "nominal":
        wanted = {key: s for key, s in wanted.items() if key[2] in NOMINAL}
        names = tuple(people.values())
        if several:
            wanted["people", "", "mean_pairwise_kappa"] = mean_pairwise_statistic(
                names, lambda x, y, w: unweighted_kappa(x, y, scale, w)
            )

    found = bootstrap(
        columns,
        wanted,
        replicates=options.replicates,
        seed=options.seed,
        clusters=panel.clusters(counted),
        strata=panel.strata(counted),
        weights=panel.weights(counted) if weighted else None,
    )

    def group(kind: str, name: object) -> Estimates:
        return {str(key[2]): estimate for key, estimate in found.items() if key[:2] == (kind, name)}

    return Block(
        n=int(counted.sum()),
        pairs={pair: group("pair", pair) for pair in pairs},
        people=group("people", ""),
        judges={name: group("judge", name) for name in judges},
        confusion={
            name: np.rint(confusion_matrix(np.rint(columns["consensus"]), np.rint(columns[judge[name]]), scale)).astype(
                np.int64
            )
            for name in judges
        },
        details={name: judge_detail(panel, options, name, counted) for name in judges} if closer else {},
        within_pairs={pair: group("within pair", pair) for pair in pairs} if dimensions is not None else {},
        within_people=group("within people", ""),
        within_judges={name: group("within judge", name) for name in judges} if dimensions is not None else {},
    )


# What has a meaning on a scale of names without order; everything else would treat A, B, tie as 0, 1, 2.
NOMINAL = frozenset(
    {"kappa_unweighted", "percent_agreement", "exact_agreement", "ac1", "fleiss_kappa", "krippendorff_alpha_nominal"}
)


def _within_mean(raters: Sequence[str], groups: str) -> Statistic:
    """Mean over pairs of the within-dimension quadratic kappa."""

    def compute(columns: Mapping[str, Array], weights: Array) -> Array:
        ratings = np.column_stack([columns[name] for name in raters])
        return mean_pairwise(ratings, weights, lambda x, y, w: within_quadratic_kappa(x, y, columns[groups], w))

    among_people = mean_pairwise_notes(quadratic_kappa)

    def notes(columns: Mapping[str, Array], weights: Array, value: float) -> tuple[Note, ...]:
        return among_people({name: columns[name] for name in raters}, weights, value)

    return Statistic(compute, (*raters, groups), present=3, diagnose=notes)


def _places(panel: Panel) -> list[tuple[str, int]]:
    return [(name, place) for place, name in enumerate(panel.annotators)]
