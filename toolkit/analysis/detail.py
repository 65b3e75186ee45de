"""A closer look: a judge beside the people one by one, what its scores mean in use, and each annotator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.analysis.panel import Array, Mask, Options, Panel
from toolkit.consensus import Consensus
from toolkit.stats import (
    AlternativeTest,
    AnnotatorProfile,
    Ceiling,
    Estimate,
    Pattern,
    Ranking,
    ReliabilityBin,
    Shuffled,
    Statistic,
    alternative_annotator_test,
    annotator_profile,
    bias_along,
    bias_by_group,
    bias_by_level,
    bootstrap,
    brier_score,
    commonest_score,
    expected_calibration_error,
    false_fail_rate,
    false_pass_rate,
    flip_rate,
    human_ceiling,
    judge_statistics,
    length_only,
    mae,
    pair_statistic,
    paired_difference,
    quadratic_kappa,
    ranking_agreement,
    reliability_table,
    retest_agreement,
    shuffled,
    threshold_agreement,
    unweighted_kappa,
)
from toolkit.stats.agreement import PairKernel

# Cost of a person over the judge in the alternative annotator test: crowd workers, skilled people, experts.
EPSILONS = (0.1, 0.15, 0.2)
NULL_KEYS = ("kappa_quadratic", "mae", "exact_agreement")
# What a held-out person is compared by needs few words: the same figures as the judge's in brief.
PERSON_KEYS = ("kappa_quadratic", "kappa_unweighted", "exact_agreement", "mae", "bias")
MOST_GROUPS = 12
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


@dataclass(frozen=True)
class JudgeUsage:
    """What the headline judge's scores mean in use, over all items that count.

    Attributes:
        nulls: What judges without judgement reach: `commonest` (always the commonest score), `length` (from the length
            of the answer alone).
        shuffled: Quadratic kappa when the judge's own scores are dealt out at random.
        patterns: Where the judge leans, by what the items are grouped by (`level`, `dimension`, `model`...).
        length: How its bias changes with each doubling of the answer's length.
        ranking: Whether people and judge rank the chatbots alike; None with fewer than two.
        threshold: The lowest score that passes in `passing`.
        passing: Agreement on what passes, and the shares wrongly passed and failed.
        calibration: ECE and Brier score of the stated confidence, and the table behind them.
        retest: Agreement of the judge with itself, and the share of items on which it changes its mind.
    """

    nulls: dict[str, Estimates] = field(default_factory=dict)
    shuffled: Shuffled | None = None
    patterns: dict[str, tuple[Pattern, ...]] = field(default_factory=dict)
    length: Pattern | None = None
    ranking: Ranking | None = None
    threshold: float | None = None
    passing: Estimates = field(default_factory=dict)
    calibration: Estimates = field(default_factory=dict)
    reliability: tuple[ReliabilityBin, ...] = ()
    retest: Estimates = field(default_factory=dict)


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


def judge_usage(panel: Panel, options: Options, judge: str, consensus: Consensus) -> JudgeUsage | None:
    """Return what a judge's scores mean in use; None on a scale without order, where little of it has a meaning."""
    if panel.scale.kind == "nominal":
        return None
    counted = consensus.counted
    human, scores, ratings = consensus.headline[counted], panel.judges[judge][counted], panel.scores[counted]
    rows = np.flatnonzero(counted)
    seed, replicates = options.seed, options.replicates
    clusters = panel.clusters(counted)
    lengths = panel.lengths[counted]
    top = panel.scale.codes[-1]
    threshold = top - 1

    def estimates(columns: Mapping[str, Array], wanted: Mapping[str, Statistic]) -> Estimates:
        return dict(bootstrap(columns, wanted, replicates=replicates, seed=seed, clusters=clusters))

    nulls = {"commonest": commonest_score(human)}
    if np.isfinite(lengths).sum() >= 2 and np.unique(lengths[np.isfinite(lengths)]).size > 1:
        nulls["length"] = length_only(human, lengths, seed=seed)
    null_figures = {
        name: estimates(
            {"human": human, "judge": values},
            {key: s for key, s in judge_statistics("human", "judge", panel.scale.codes).items() if key in NULL_KEYS},
        )
        for name, values in nulls.items()
    }
    patterns: dict[str, tuple[Pattern, ...]] = {
        "level": bias_by_level(ratings, scores, panel.scale.codes, replicates=replicates, seed=seed, clusters=clusters)
    }
    for key in ("dimension", "category", "provider", "model", "difficulty"):
        groups = np.array([getattr(panel.items[row], key) or "" for row in rows])
        if 1 < len(set(groups)) <= MOST_GROUPS and all(groups):
            patterns[key] = bias_by_group(ratings, scores, groups, replicates=replicates, seed=seed, clusters=clusters)
    both = {"human": human, "judge": scores}
    passing = {
        name: pair_statistic(_at(kernel, threshold), "human", "judge")
        for name, kernel in (
            ("agreement", threshold_agreement),
            ("false_pass_rate", false_pass_rate),
            ("false_fail_rate", false_fail_rate),
        )
    }
    models = np.array([panel.items[row].model or "" for row in rows])
    ranked = len(set(models)) > 1 and all(models)
    repeats = panel.repeats.get(judge)
    confidence = panel.confidence.get(judge)
    stated = None if confidence is None else confidence[counted]
    calibration, reliability = _calibration(human, scores, stated, estimates)
    return JudgeUsage(
        nulls=null_figures,
        shuffled=shuffled(human, scores, seed=seed),
        patterns=patterns,
        length=bias_along(
            ratings, scores, np.log2(lengths), "length", replicates=replicates, seed=seed, clusters=clusters
        )
        if "length" in nulls
        else None,
        ranking=ranking_agreement(human, scores, models, replicates=replicates, seed=seed, clusters=clusters)
        if ranked
        else None,
        threshold=threshold,
        passing=estimates(both, passing),
        calibration=calibration,
        reliability=reliability,
        retest={} if repeats is None else _retest(repeats[counted], estimates),
    )


def judges_compared(
    panel: Panel, options: Options, judges: Mapping[str, Array], consensus: Consensus
) -> dict[tuple[str, str], Estimates]:
    """Return how each pair of judges agree, and by how much their agreement with people differs."""
    counted = consensus.counted
    columns = {"human": consensus.headline[counted]} | {name: scores[counted] for name, scores in judges.items()}
    names = {name: f"j{place}" for place, name in enumerate(judges)}
    columns = {names.get(name, name): column for name, column in columns.items()}
    wanted: dict[tuple[str, str, str], Statistic] = {}

    def unordered(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Array:
        return unweighted_kappa(x, y, panel.scale.codes, weights)

    for one, two in combinations(judges, 2):
        first, second = names[one], names[two]
        if panel.scale.kind == "nominal":
            wanted[one, two, "kappa_unweighted"] = pair_statistic(unordered, first, second)
            continue
        wanted[one, two, "kappa_quadratic"] = pair_statistic(quadratic_kappa, first, second)
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
            doubts=doubts if np.nansum(doubts) > 0 else None,
            divergent=divergent,
            seed=options.seed,
            clusters=panel.clusters(counted),
        )
    return found


def _at(kernel: Callable[..., Array], threshold: float) -> PairKernel:
    return lambda human, judge, weights: kernel(human, judge, threshold, weights)


def _calibration(
    human: Array,
    scores: Array,
    confidence: Array | None,
    estimates: Callable[[Mapping[str, Array], Mapping[str, Statistic]], Estimates],
) -> tuple[Estimates, tuple[ReliabilityBin, ...]]:
    """Compare the stated confidence with how often the judge, to the nearest level, says what people say."""
    if confidence is None or not np.isfinite(confidence).any():
        return {}, ()
    known = np.isfinite(human) & np.isfinite(scores)
    correct: Array = np.where(known, np.abs(human - scores) <= 0.5, np.nan)
    wanted = {
        "ece": pair_statistic(lambda c, y, w: expected_calibration_error(c, y, weights=w), "confidence", "correct"),
        "brier": pair_statistic(brier_score, "confidence", "correct"),
    }
    columns = {"confidence": confidence, "correct": correct}
    return estimates(columns, wanted), reliability_table(confidence, correct)


def _retest(
    repeats: Array, estimates: Callable[[Mapping[str, Array], Mapping[str, Statistic]], Estimates]
) -> Estimates:
    names = tuple(f"r{place}" for place in range(repeats.shape[1]))

    def of(kernel: Callable[[NDArray[np.float64], Array | None], Array]) -> Statistic:
        return Statistic(lambda c, w: kernel(np.column_stack([c[name] for name in names]), w), names, present=2)

    columns = {name: repeats[:, place] for place, name in enumerate(names)}
    return estimates(columns, {"agreement": of(retest_agreement), "flip_rate": of(flip_rate)})
