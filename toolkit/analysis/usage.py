"""What the headline judge's scores mean in use: against judges without judgement, by group, for decisions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from toolkit.analysis.panel import Array, Mask, Options, Panel
from toolkit.consensus import Consensus
from toolkit.stats import (
    Estimate,
    Note,
    Pattern,
    Ranking,
    ReliabilityBin,
    Routing,
    SelectivePoint,
    Shuffled,
    Statistic,
    bias_along,
    bias_by_group,
    bias_by_level,
    bootstrap,
    brier_score,
    commonest_score,
    expected_calibration_error,
    flip_rate,
    judge_statistics,
    length_only,
    pair_statistic,
    passing_statistics,
    ranking_agreement,
    reliability_table,
    retest_agreement,
    routing,
    selective_agreement,
    shuffled,
)
from toolkit.stats.proportion import proportion
from toolkit.texts import plain_key

NULL_KEYS = ("kappa_quadratic", "mae", "exact_agreement")
MOST_GROUPS = 12
# Of the items left to the judge, the share on which it should be within one point of people.
ROUTING_TARGET = 0.9
Estimates = dict[str, Estimate]


@dataclass(frozen=True)
class JudgeUsage:
    """What the headline judge's scores mean in use, over all items that count.

    Attributes:
        nulls: What judges without judgement reach: `commonest` (always the commonest score), `length` (from the length
            of the answer alone).
        shuffled: Quadratic kappa when the judge's own scores are dealt out at random.
        patterns: Where the judge leans, by what the items are grouped by (`level`, `dimension`, `model`...).
        length: How its bias changes with each doubling of the answer's length.
        own_family: How much more it gives chatbots of its own family than others; None where that cannot be told.
        ranking: Whether people and judge rank the chatbots alike; None with fewer than two.
        threshold: The lowest score that passes in `passing`.
        passing: Agreement on what passes, and the shares wrongly passed and failed.
        calibration: ECE and Brier score of the stated confidence, and the table behind them.
        retest: Agreement of the judge with itself, and the share of items on which it changes its mind.
        selective: Agreement when only the items the judge is surest of are left to it.
        routing: A rule for what to leave to the judge, checked on items it was not chosen on.
    """

    nulls: dict[str, Estimates] = field(default_factory=dict)
    shuffled: Shuffled | None = None
    patterns: dict[str, tuple[Pattern, ...]] = field(default_factory=dict)
    length: Pattern | None = None
    own_family: Pattern | None = None
    ranking: Ranking | None = None
    threshold: float | None = None
    passing: Estimates = field(default_factory=dict)
    calibration: Estimates = field(default_factory=dict)
    reliability: tuple[ReliabilityBin, ...] = ()
    retest: Estimates = field(default_factory=dict)
    selective: tuple[SelectivePoint, ...] = ()
    routing: Routing | None = None


def judge_usage(panel: Panel, options: Options, judge: str, consensus: Consensus) -> JudgeUsage | None:
    """Return what a judge's scores mean in use; None on a scale without order, where little of it has a meaning."""
    if panel.scale.kind == "nominal":
        return None
    counted = consensus.counted
    human, scores, ratings = consensus.headline[counted], panel.judges[judge][counted], panel.scores[counted]
    rows = np.flatnonzero(counted)
    seed, replicates = options.seed, options.replicates
    clusters, strata = panel.clusters(counted), panel.strata(counted)
    lengths = panel.lengths[counted]
    top = panel.scale.codes[-1]
    threshold = top - 1 if len(panel.scale.codes) > 2 else top

    def estimates(columns: Mapping[str, Array], wanted: Mapping[str, Statistic]) -> Estimates:
        return dict(bootstrap(columns, wanted, replicates=replicates, seed=seed, clusters=clusters, strata=strata))

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
        "level": bias_by_level(
            ratings, scores, panel.scale.codes, replicates=replicates, seed=seed, clusters=clusters, strata=strata
        )
    }
    for key in ("dimension", "category", "provider", "model", "difficulty"):
        groups = np.array([getattr(panel.items[row], key) or "" for row in rows])
        if 1 < len(set(groups)) <= MOST_GROUPS and all(groups):
            patterns[key] = bias_by_group(
                ratings, scores, groups, replicates=replicates, seed=seed, clusters=clusters, strata=strata
            )
    models = np.array([panel.items[row].model or "" for row in rows])
    ranked = len(set(models)) > 1 and all(models)
    own = _own_family(judge, models.tolist())
    repeats = panel.repeats.get(judge)
    confidence = panel.confidence.get(judge)
    stated = None if confidence is None else confidence[counted]
    unsure = uncertainty(panel, judge, counted)
    doubt = None if unsure is None else unsure.values
    calibration, reliability = _calibration(human, scores, stated, estimates)
    return JudgeUsage(
        nulls=null_figures,
        shuffled=shuffled(human, scores, seed=seed),
        patterns=patterns,
        length=bias_along(
            ratings,
            scores,
            np.log2(lengths),
            "length",
            replicates=replicates,
            seed=seed,
            clusters=clusters,
            strata=strata,
        )
        if "length" in nulls
        else None,
        own_family=None
        if own is None
        else bias_along(
            ratings, scores, own, "own family", replicates=replicates, seed=seed, clusters=clusters, strata=strata
        ),
        ranking=ranking_agreement(
            human, scores, models, replicates=replicates, seed=seed, clusters=clusters, strata=strata
        )
        if ranked
        else None,
        threshold=threshold,
        passing={key: _counted(one) for key, one in estimates(*passing_statistics(human, scores, threshold)).items()},
        calibration=calibration,
        reliability=reliability,
        retest={} if repeats is None else _retest(repeats[counted], estimates),
        selective=()
        if doubt is None
        else selective_agreement(
            human, scores, doubt, replicates=replicates, seed=seed, clusters=clusters, strata=strata
        ),
        routing=None if doubt is None else routing(human, scores, doubt, ROUTING_TARGET, seed=seed),
    )


def _family(name: str) -> str:
    """Return the family a model's name tells: its first word (`gpt` of `gpt-4o`); empty where there is none."""
    match = re.match("[a-z]{3,}", plain_key(name))
    return match[0] if match else ""


def _own_family(judge: str, models: Sequence[str]) -> Array | None:
    """Return 1 for items answered by a chatbot of the judge's family, 0 for others; None where that cannot be told."""
    families = [_family(model) for model in models]
    if not _family(judge) or not all(families):
        return None
    own = np.array([family == _family(judge) for family in families], dtype=float)
    return own if 0 < own.sum() < len(own) else None


@dataclass(frozen=True)
class Uncertainty:
    """How unsure a judge is of each item.

    Attributes:
        kind: What that is read from: what its stated `confidence` lacks to 1, or the `spread` of its repetitions.
        values: Shape (items,), NaN where it is not known.
    """

    kind: Literal["confidence", "spread"]
    values: Array


def uncertainty(panel: Panel, judge: str, counted: Mask) -> Uncertainty | None:
    """Return how unsure a judge is of each item of a mask; None where nothing tells, or it is equally sure of all."""
    confidence, repeats = panel.confidence.get(judge), panel.repeats.get(judge)
    if confidence is not None:
        stated = confidence[counted]
        if np.isfinite(stated).sum() > 1 and np.nanstd(stated) > 0:
            return Uncertainty("confidence", np.asarray(1 - stated))
    if repeats is not None:
        given = repeats[counted]
        several = np.isfinite(given).sum(axis=1) > 1
        spread = np.full(len(given), np.nan)
        spread[several] = np.nanstd(given[several], axis=1)
        if several.any() and np.nanmax(spread) > 0:
            return Uncertainty("spread", spread)
    return None


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
    found = estimates(columns, {"agreement": of(retest_agreement), "flip_rate": of(flip_rate)})
    return found | {"flip_rate": _counted(found["flip_rate"])}


def _counted(share: Estimate) -> Estimate:
    """Return a share of items with Wilson's interval, where the bootstrap has none or one without width.

    A share of weighted items is no count over n, and keeps what the bootstrap says.
    """
    if share.value is None or (share.ci95 is not None and share.ci95[0] < share.ci95[1]):
        return share
    count = round(share.value * share.n)
    if abs(share.value * share.n - count) > 1e-9:
        return share
    notes = tuple(note for note in share.notes if note not in (Note.NO_INTERVAL_UNDER_10, Note.INTERVAL_DEGENERATE))
    return replace(share, ci95=proportion(count, share.n).ci95, notes=notes)
