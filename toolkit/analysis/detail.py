"""A closer look: a judge beside the people one by one, judges beside each other, and each annotator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from toolkit.analysis.panel import Array, Mask, Options, Panel
from toolkit.consensus import Consensus
from toolkit.stats import (
    AlternativeTest,
    AnnotatorProfile,
    Ceiling,
    Estimate,
    Statistic,
    alternative_annotator_test,
    annotator_profile,
    bootstrap,
    commonest_score,
    human_ceiling,
    judge_statistics,
    kappa_notes,
    mae,
    pair_statistic,
    paired_difference,
    quadratic_kappa,
    resample,
    simultaneous_intervals,
    unweighted_kappa,
)

# Cost of a person over the judge in the alternative annotator test: crowd workers, skilled people, experts.
EPSILONS = (0.1, 0.15, 0.2)
# What a held-out person is compared by needs few words: the same figures as the judge's in brief.
PERSON_KEYS = ("kappa_quadratic", "kappa_unweighted", "exact_agreement", "mae", "bias")
Estimates = dict[str, Estimate]


@dataclass(frozen=True)
class JudgeDetail:
    """A judge beside the people, over one set of items.

    Attributes:
        per_annotator: The judge against each person.
        ceiling: Judge-person agreement beside person-person agreement; None on a scale without order.
        alternative: The alternative annotator test, by epsilon.
        alternative_commonest: The same test for a judge that always gives the commonest score, to be read beside it.
    """

    per_annotator: dict[str, Estimates]
    ceiling: Ceiling | None
    alternative: dict[float, AlternativeTest]
    alternative_commonest: dict[float, AlternativeTest]


def judge_detail(panel: Panel, options: Options, judge: str, counted: Mask) -> JudgeDetail:
    """Return a judge beside the people, over the items of a mask."""
    scale, nominal = panel.scale.codes, panel.scale.kind == "nominal"
    ratings, scores = panel.scores[counted], panel.judges[judge][counted]
    clusters, strata = panel.clusters(counted), panel.strata(counted)
    columns: dict[str, Array] = {"judge": scores} | {f"p{k}": ratings[:, k] for k in range(ratings.shape[1])}
    wanted: dict[tuple[int, str], Statistic] = {}
    for place in range(ratings.shape[1]):
        statistics = judge_statistics(f"p{place}", "judge", scale)
        keys = ("kappa_unweighted", "exact_agreement") if nominal else PERSON_KEYS
        wanted |= {(place, key): statistics[key] for key in keys}
    found = bootstrap(
        columns, wanted, replicates=options.replicates, seed=options.seed, clusters=clusters, strata=strata
    )
    commonest = commonest_score(ratings.ravel())[: len(scores)]
    scoring: Literal["accuracy", "rmse"] = "accuracy" if nominal else "rmse"

    def tested(candidate: Array) -> dict[float, AlternativeTest]:
        return {e: alternative_annotator_test(ratings, candidate, epsilon=e, scoring=scoring) for e in EPSILONS}

    return JudgeDetail(
        per_annotator={
            name: {key: estimate for (of, key), estimate in found.items() if of == place}
            for place, name in enumerate(panel.annotators)
        },
        ceiling=None
        if nominal
        else human_ceiling(
            {name: ratings[:, place] for place, name in enumerate(panel.annotators)},
            scores,
            margin=options.margin,
            replicates=options.replicates,
            seed=options.seed,
            clusters=clusters,
            strata=strata,
        ),
        alternative=tested(scores),
        alternative_commonest=tested(np.where(np.isnan(scores), np.nan, commonest)),
    )


def judges_compared(
    panel: Panel, options: Options, judges: Mapping[str, Array], target: Array, counted: Mask
) -> dict[tuple[str, str], Estimates]:
    """Return how each pair of judges agree, and by how much their agreement with people (a target) differs."""
    columns = {"human": target[counted]} | {name: scores[counted] for name, scores in judges.items()}
    names = {name: f"j{place}" for place, name in enumerate(judges)}
    columns = {names.get(name, name): column for name, column in columns.items()}
    wanted: dict[tuple[str, str, str], Statistic] = {}

    def unordered(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Array:
        return unweighted_kappa(x, y, panel.scale.codes, weights)

    for one, two in combinations(judges, 2):
        first, second = names[one], names[two]
        if panel.scale.kind == "nominal":
            wanted[one, two, "kappa_unweighted"] = pair_statistic(
                unordered, first, second, kappa_notes(panel.scale.codes)
            )
            wanted[one, two, "kappa_difference"] = paired_difference("human", first, second, unordered)
            continue
        wanted[one, two, "kappa_quadratic"] = pair_statistic(quadratic_kappa, first, second, kappa_notes())
        wanted[one, two, "kappa_difference"] = paired_difference("human", first, second)
        wanted[one, two, "mae_difference"] = paired_difference("human", first, second, mae)
    if not wanted:
        return {}
    found = bootstrap(
        columns,
        wanted,
        replicates=options.replicates,
        seed=options.seed,
        clusters=panel.clusters(counted),
        strata=panel.strata(counted),
    )
    compared: dict[tuple[str, str], Estimates] = {}
    for (one, two, key), estimate in found.items():
        compared.setdefault((one, two), {})[key] = estimate
    return compared


def best_judge(panel: Panel, options: Options, judges: Mapping[str, Array], consensus: Consensus) -> Estimates:
    """Return each judge's kappa with intervals that hold for all at once; empty with fewer than two judges.

    Whoever picks the best of several judges and quotes its own interval promises too much.
    """
    if len(judges) < 2 or panel.scale.kind == "nominal":
        return {}
    counted = consensus.counted
    names = {name: f"j{place}" for place, name in enumerate(judges)}
    columns = {"human": consensus.headline[counted]}
    columns |= {names[name]: scores[counted] for name, scores in judges.items()}
    draws = resample(
        columns,
        {name: pair_statistic(quadratic_kappa, "human", column, kappa_notes()) for name, column in names.items()},
        replicates=options.replicates,
        seed=options.seed,
        clusters=panel.clusters(counted),
        strata=panel.strata(counted),
    )
    return simultaneous_intervals(draws, bounds=(-1.0, 1.0))


def people_profiles(panel: Panel, options: Options, consensus: Consensus) -> dict[str, AnnotatorProfile]:
    """Return what each annotator's scores look like; empty on a scale without order."""
    if panel.scale.kind == "nominal":
        return {}
    counted = consensus.counted
    divergent = consensus.flagged[counted].astype(float)
    found = {}
    for place, name in enumerate(panel.annotators):
        entered = [panel.annotations.get((int(row), name)) for row in np.flatnonzero(counted)]
        doubts = np.array([np.nan if given is None else float(given.doubt) for given in entered])
        found[name] = annotator_profile(
            panel.scores[counted, place],
            np.delete(panel.scores[counted], place, axis=1),
            panel.scale.codes,
            position=None if panel.positions is None else panel.positions[counted, place],
            groups=panel.dimensions[counted],
            doubts=doubts if np.nansum(doubts) > 0 else None,
            divergent=divergent,
            seed=options.seed,
            clusters=panel.clusters(counted),
            strata=panel.strata(counted),
        )
    return found
