"""The input of an analysis: who scored what, and how it is to be analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from toolkit.consensus import Discussed
from toolkit.model import Annotation, Scale, SourceItem

REPLICATES = 10_000
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Panel:
    """Who scored what: the input of an analysis. Rows are items, columns annotators or judges.

    Attributes:
        items: The items; `codes` are their opaque codes, where they have any.
        annotators: The people who take part, in study order.
        scores: Codes of their scores, shape (n_items, n_annotators), NaN where missing.
        assigned: Which scores were to be given; None when nobody was assigned anything.
        annotations: What people wrote beside the score, by (row, annotator).
        judges: Scores of each judge, shape (n_items,) each, the headline judge first.
        confidence: Stated confidence of each judge that states any, shape (n_items,), NaN where missing.
        repeats: Repeated judgements of the same input, by judge, shape (n_items, most repeats), NaN where missing.
        positions: Place of each item in each annotator's sheet, shape (n_items, n_annotators); None when unknown.
        discussed: Outcomes of the discussion by row.
        masked: Items in whose texts a model's name was hidden; None for none.
    """

    scale: Scale
    items: tuple[SourceItem, ...]
    codes: tuple[str, ...]
    annotators: tuple[str, ...]
    scores: Array
    assigned: Mask | None = None
    annotations: Mapping[tuple[int, str], Annotation] = field(default_factory=dict)
    judges: Mapping[str, Array] = field(default_factory=dict)
    confidence: Mapping[str, Array] = field(default_factory=dict)
    repeats: Mapping[str, Array] = field(default_factory=dict)
    positions: Array | None = None
    discussed: Mapping[int, Discussed] = field(default_factory=dict)
    masked: Mask | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """How each item is called in results: its id, with the dimension where the id occurs in several."""
        count = Counter(item.item_id for item in self.items)
        return tuple(f"{i.item_id}#{i.dimension}" if count[i.item_id] > 1 else i.item_id for i in self.items)

    @cached_property
    def dimensions(self) -> NDArray[np.str_]:
        """Dimension of each item, shape (n_items,)."""
        return np.array([item.dimension for item in self.items])

    @cached_property
    def lengths(self) -> Array:
        """Words of each item's answers, shape (n_items,); NaN where the texts are not known."""
        words = [sum(len(answer.response.split()) for answer in item.responses) for item in self.items]
        return np.where(np.array(words) > 0, np.array(words, dtype=float), np.nan)

    def voices(self, row: int) -> tuple[str, ...]:
        """Return who was to score an item; where nobody was assigned anything, who did or wrote something on it."""
        asked = ~np.isnan(self.scores[row]) if self.assigned is None else self.assigned[row]
        return tuple(
            name
            for place, name in enumerate(self.annotators)
            if asked[place] or (self.assigned is None and (row, name) in self.annotations)
        )

    def clusters(self, chosen: Mask) -> NDArray[np.str_] | None:
        """Return what the chosen items share; None for nothing.

        That is what the sample says, else their prompt, else, where no texts are known, their identifier: the same
        answer scored in several dimensions is one answer.
        """
        items = [self.items[row] for row in np.flatnonzero(chosen)]
        named = [item.cluster or item.prompt or item.item_id for item in items]
        return np.array(named) if len(set(named)) < len(named) else None

    def weights(self, chosen: Mask) -> Array | None:
        """Return the sampling weights of the chosen items; None where the sample has none or they are all equal."""
        weights = [self.items[row].weight for row in np.flatnonzero(chosen)]
        known = [weight for weight in weights if weight is not None and weight > 0]
        return np.array(known) if len(known) == len(weights) and len(set(known)) > 1 else None

    def strata(self, chosen: Mask) -> NDArray[np.str_] | None:
        """Return the strata the chosen items were drawn from; None where the sample does not name them."""
        strata = [self.items[row].stratum for row in np.flatnonzero(chosen)]
        return np.array(strata) if all(strata) and len(set(strata)) > 1 else None


@dataclass(frozen=True)
class Options:
    """How an analysis is done.

    Attributes:
        fewest_scores: Scores an item needs to count; None for all that were assigned.
        collected_elsewhere: Whether the ratings come without assignments (`analyze`): an undiscussed item of two
            annotators then counts with its median, and nothing is held back.
        hold_judge: Whether judge figures are held back whatever the number of annotators.
        reveal_judge: Whether they are shown although items wait for their discussion.
        margin: How much less than people agree with people a judge may agree with them and still count as good.
    """

    seed: int
    replicates: int = REPLICATES
    fewest_scores: int | None = None
    collected_elsewhere: bool = False
    hold_judge: bool = False
    reveal_judge: bool = False
    margin: float = 0.10
