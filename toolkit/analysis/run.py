"""The whole analysis: consensus, headline, sensitivities, people, judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from toolkit.analysis.blocks import NOISE, Blocks, Estimates, Pair, compute_blocks
from toolkit.analysis.detail import best_judge, judges_compared, people_profiles
from toolkit.analysis.panel import Array, Mask, Options, Panel
from toolkit.analysis.usage import JudgeUsage, judge_usage
from toolkit.consensus import FEWEST_SCORES, FLAG_RANGE, Consensus, Mode, build_consensus
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.stats import AnnotatorProfile
from toolkit.texts import many

# Fewer equal scores than these are no sign of a copy.
FEWEST_ALIKE = 10


@dataclass(frozen=True)
class Analysis:
    """Every result. Item numbers are rows of the panel.

    Attributes:
        profiles: What each annotator's scores look like.
        usage: What the headline judge's scores mean in use; None without a judge.
        compared: Each pair of judges: their agreement, and the difference of their agreement with people.
        best: Kappa of each of several judges with intervals that hold for all of them at once, and so for the best one.
        judge_held: Whether there are judge scores that may not be shown yet.
    """

    panel: Panel
    options: Options
    consensus: Consensus
    headline: Blocks
    sensitivity: dict[str, Blocks]
    profiles: dict[str, AnnotatorProfile]
    usage: JudgeUsage | None
    compared: dict[Pair, Estimates]
    best: Estimates
    judge_held: bool
    warnings: tuple[str, ...]

    @property
    def judge(self) -> str | None:
        """The headline judge."""
        return next(iter(self.panel.judges), None)

    def rows(self, mask: Mask) -> tuple[int, ...]:
        """Return the items of a mask."""
        return tuple(int(row) for row in np.flatnonzero(mask))


def analyse(panel: Panel, options: Options) -> Analysis:
    """Return every result for a panel.

    Raises:
        ToolkitError: When fewer than two annotators or no usable item are left.
    """
    if len(panel.annotators) < 2:
        raise ToolkitError(
            Problem(
                f"scores of {len(panel.annotators)} annotator(s) are usable; agreement needs two",
                "wait for another annotator's workbook",
            )
        )
    consensus = build_consensus(
        panel.scores,
        panel.scale,
        assigned=panel.assigned,
        fewest_scores=options.fewest_scores,
        discussed=panel.discussed,
        pending_counts_median=options.collected_elsewhere,
    )
    if not consensus.counted.any():
        raise ToolkitError(
            Problem("no item has all its scores", "wait for the missing scores, or use --missing keep to go on without")
        )
    waiting = consensus.pending.any() and not options.collected_elsewhere and not options.reveal_judge
    held = bool(panel.judges) and bool(options.hold_judge or waiting)
    judges = {} if held else dict(panel.judges)

    headline = compute_blocks(panel, options, judges, consensus.headline, consensus.counted, closer=True)
    sensitivity = {
        name: compute_blocks(panel, options, judges, target, counted, closer=False)
        for name, (target, counted) in _sensitivities(panel, consensus).items()
    }
    if panel.weights(consensus.counted) is not None:
        sensitivity["weighted"] = compute_blocks(
            panel, options, judges, consensus.headline, consensus.counted, closer=False, weighted=True
        )
    return Analysis(
        panel,
        options,
        consensus,
        headline,
        sensitivity,
        people_profiles(panel, options, consensus),
        judge_usage(panel, options, next(iter(judges)), consensus) if judges else None,
        judges_compared(panel, options, judges, consensus.headline, consensus.counted),
        best_judge(panel, options, judges, consensus),
        held,
        (*_warnings(panel, consensus), *_copies(panel, judges)),
    )


def _sensitivities(panel: Panel, consensus: Consensus) -> dict[str, tuple[Array, Mask]]:
    """Return the other ways to look at the same scores, as far as they differ: a target and the items that count."""
    found: dict[str, tuple[Array, Mask]] = {}
    counted = consensus.counted
    median = np.where(counted, consensus.median, np.nan)
    if consensus.mode is Mode.TWO and panel.discussed:
        found["median_of_two"] = median, counted
    if not np.isnan(consensus.revised[counted & ~consensus.of_two]).all():
        found["after_discussion"] = consensus.after_discussion, counted
    if consensus.excluded.any():
        found["without_excluded"] = consensus.headline, counted & ~consensus.excluded
    if panel.masked is not None and (counted & panel.masked).any() and (counted & ~panel.masked).any():
        found["without_masked"] = consensus.headline, counted & ~panel.masked
    if (counted & ~consensus.complete).any() and (counted & consensus.complete).any():
        found["complete_only"] = consensus.headline, counted & consensus.complete
    return found


def _copies(panel: Panel, judges: Mapping[str, Array]) -> list[str]:
    people = dict(zip(panel.annotators, panel.scores.T, strict=True))
    return [*copied_people(people), *map(_same_scores, copies(panel, judges))]


def copied_people(scores: Mapping[str, Array]) -> list[str]:
    """Return what to say of each pair of annotators who gave the same score wherever both scored.

    Args:
        scores: The scores of each annotator, for the same items in the same order.
    """
    return [_same_scores(pair) for pair in combinations(scores, 2) if _alike(scores[pair[0]], scores[pair[1]])]


def _same_scores(pair: Pair) -> str:
    one, two = map(shown, pair)
    return f"{one} and {two} gave the same scores throughout: is one a copy of the other?"


def copies(panel: Panel, judges: Mapping[str, Array]) -> list[Pair]:
    """Return pairs of a judge and an annotator, or of two judges, that gave the same score wherever both scored.

    A few items, or one score throughout, can be chance: those do not count.
    """
    people = dict(zip(panel.annotators, panel.scores.T, strict=True))
    pairs = [(judge, name) for judge in judges for name in people] + list(combinations(judges, 2))
    columns = people | dict(judges)
    return [(one, two) for one, two in pairs if _alike(columns[one], columns[two])]


def _alike(one: Array, two: Array) -> bool:
    both = ~np.isnan(one + two)
    return bool(
        both.sum() >= FEWEST_ALIKE and np.unique(one[both]).size > 1 and (np.abs(one[both] - two[both]) <= NOISE).all()
    )


def _warnings(panel: Panel, consensus: Consensus) -> list[str]:
    found = []
    incomplete = int((~consensus.counted).sum())
    if incomplete:
        found.append(f"{incomplete} of {len(panel.items)} items do not count: scores are missing")
    if panel.assigned is not None and (alone := int((panel.assigned.sum(axis=1) < FEWEST_SCORES).sum())):
        found.append(
            f"{many(alone, 'item is', 'items are')} left to fewer than {FEWEST_SCORES} annotators, because somebody "
            "does not take part"
        )
    for name, scores in panel.judges.items():
        missing = int(np.isnan(scores[consensus.counted]).sum())
        if missing:
            found.append(f"judge {name} has no score for {missing} of {many(int(consensus.counted.sum()), 'item')}")
    if not panel.judges:
        found.append("no judge scores: only the agreement among people is reported")
    if consensus.pending.any():
        named = panel.scale.kind == "nominal"
        apart = "no answer is the commonest" if named else f"scores {FLAG_RANGE:g} or more apart"
        found.append(f"{many(int(consensus.pending.sum()), 'item waits', 'items wait')} for discussion ({apart})")
    share = consensus.flagged.sum() / max(1, consensus.counted.sum())
    if share > 0.2 and panel.scale.kind == "nominal":
        found.append(
            f"people have no commonest answer on {share:.0%} of the items, which cannot be compared with a judge"
        )
    elif share > 0.2:
        found.append(f"people are {FLAG_RANGE:g} or more apart on {share:.0%} of the items: look at the rubric")
    return found
