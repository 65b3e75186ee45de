"""From independent scores to a consensus: medians, divergences, the discussion, and the fallback for two.

The original scores and their median are never changed. What a discussion decides is kept beside them; only where an
item was given to two annotators does the discussed score become the consensus, because two scores that lie apart have
a median nobody gave. That counts for each item: of four annotators two may score it, or of three one may have left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from toolkit.model import Scale, Value

FLAG_RANGE = 2.0
# A single score is nobody's consensus.
FEWEST_SCORES = 2
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Mode(StrEnum):
    """How many independent scores stand behind the consensus."""

    THREE_OR_MORE = "three_or_more"
    TWO = "two_annotators"


class Decision(StrEnum):
    """What a discussion decided about an item."""

    KEEP = "keep"
    REVISE = "revise"
    FIX_RUBRIC = "fix rubric"
    EXCLUDE = "exclude"


@dataclass(frozen=True, slots=True)
class Discussed:
    """The outcome of discussing one item."""

    decision: Decision
    score: Value | None = None
    notes: str = ""


@dataclass(frozen=True)
class Consensus:
    """What people think of each item; arrays have shape (n_items,).

    Attributes:
        mode: Whether there are items of two annotators, or three or more score every item.
        of_two: Items of two annotators.
        median: Median of the independent scores (the unique commonest name on a nominal scale); NaN without one.
        disagreement_range: Largest minus smallest score; NaN on a nominal scale or without scores.
        flagged: Items to be discussed.
        counted: Items that take part in the figures.
        complete: Items with every score that was to be given, and two of them at least.
        pending: Flagged items whose discussion decides their consensus and has not come (those of two annotators only).
        headline: `human_consensus_score`; NaN for items that do not count or are pending.
        after_discussion: The headline with every revised score in place, for whatever number of annotators.
        revised: `consensus_after_discussion`; NaN where the discussion gave no score.
        excluded: Items the discussion advises to leave out.
    """

    mode: Mode
    of_two: Mask
    median: Array
    disagreement_range: Array
    flagged: Mask
    counted: Mask
    complete: Mask
    pending: Mask
    headline: Array
    after_discussion: Array
    revised: Array
    excluded: Mask


def build_consensus(
    scores: Array,
    scale: Scale,
    *,
    assigned: Mask | None = None,
    fewest_scores: int | None = None,
    discussed: Mapping[int, Discussed] | None = None,
    pending_counts_median: bool = False,
) -> Consensus:
    """Return the consensus of independent scores.

    Args:
        scores: Codes of the scores, shape (n_items, n_annotators), NaN where missing.
        scale: The scale.
        assigned: Which scores were to be given, same shape; None when nobody was assigned anything.
        fewest_scores: How many scores an item needs to count; None for all that were assigned.
        discussed: Outcomes of the discussion by item (row).
        pending_counts_median: Whether a flagged item of two annotators counts with its median until it is discussed
            (ratings collected elsewhere) instead of not at all.
    """
    discussed = discussed or {}
    present = ~np.isnan(scores)
    given = present.sum(axis=1)
    complete: Mask
    if assigned is None:
        # where nobody was assigned anything, an item is complete with the scores it has
        complete = given > 0
        of_two = np.full(len(scores), given.max(initial=0) <= 2)
    else:
        complete = np.logical_and((present | ~assigned).all(axis=1), given >= FEWEST_SCORES)
        of_two = assigned.sum(axis=1) == 2
    counted: Mask = complete if fewest_scores is None else given >= fewest_scores
    median, spread, flagged = _nominal(scores, scale) if scale.kind == "nominal" else _ordinal(scores)
    # an item somebody still has to score blind is not up for discussion yet
    flagged &= counted
    mode = Mode.TWO if of_two.any() else Mode.THREE_OR_MORE

    revised = np.full(len(scores), np.nan)
    excluded = np.zeros(len(scores), bool)
    decided = np.zeros(len(scores), bool)
    for row, outcome in discussed.items():
        decided[row] = True
        excluded[row] = outcome.decision is Decision.EXCLUDE
        revised[row] = scale.code(outcome.score)

    pending = of_two & flagged & ~decided
    base = np.where(counted, median, np.nan)
    after = np.where(counted & ~np.isnan(revised), revised, base)
    if not pending_counts_median:
        after = np.where(pending, np.nan, after)
    # an item that was not flagged keeps its median even if somebody discussed it
    headline = np.where(of_two & flagged, after, base)
    return Consensus(
        mode, of_two, median, spread, flagged, counted, complete, pending, headline, after, revised, excluded
    )


def _ordinal(scores: Array) -> tuple[Array, Array, Mask]:
    some = ~np.isnan(scores).all(axis=1)
    median, spread = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    if some.any():
        median[some] = np.nanmedian(scores[some], axis=1)
        spread[some] = np.nanmax(scores[some], axis=1) - np.nanmin(scores[some], axis=1)
    return median, spread, np.nan_to_num(spread, nan=0.0) >= FLAG_RANGE


def _nominal(scores: Array, scale: Scale) -> tuple[Array, Array, Mask]:
    votes = np.stack([(scores == code).sum(axis=1) for code in scale.codes], axis=1)
    most = votes.max(axis=1)
    unique = (votes == most[:, None]).sum(axis=1) == 1
    majority = np.where((most > 0) & unique, np.asarray(scale.codes)[votes.argmax(axis=1)], np.nan)
    return majority, np.full(len(scores), np.nan), (most > 0) & ~unique
