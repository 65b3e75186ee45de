"""From scores to every result a report shows: over all items, for each dimension, and under each sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from toolkit.consensus import FLAG_RANGE, Consensus, Discussed, Mode, build_consensus
from toolkit.errors import Problem, ToolkitError
from toolkit.model import Annotation, Scale, SourceItem
from toolkit.stats import (
    Estimate,
    Statistic,
    bootstrap,
    confusion_matrix,
    judge_statistics,
    mean_pairwise,
    pair_statistics,
    people_statistics,
    within_quadratic_kappa,
    within_statistics,
)

REPLICATES = 10_000
JUDGE_DIFFERENCE = 2.0
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Pair = tuple[str, str]
Estimates = dict[str, Estimate]


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
        discussed: Outcomes of the discussion by row.
    """

    scale: Scale
    items: tuple[SourceItem, ...]
    codes: tuple[str, ...]
    annotators: tuple[str, ...]
    scores: Array
    assigned: Mask | None = None
    annotations: Mapping[tuple[int, str], Annotation] = field(default_factory=dict)
    judges: Mapping[str, Array] = field(default_factory=dict)
    discussed: Mapping[int, Discussed] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """How each item is called in results: its id, with the dimension where the id occurs in several."""
        ids = [item.item_id for item in self.items]
        repeated = {item_id for item_id in ids if ids.count(item_id) > 1} if len(set(ids)) < len(ids) else set()
        return tuple(f"{i.item_id}#{i.dimension}" if i.item_id in repeated else i.item_id for i in self.items)


@dataclass(frozen=True)
class Options:
    """How an analysis is done.

    Attributes:
        fewest_scores: Scores an item needs to count; None for all that were assigned.
        collected_elsewhere: Whether the ratings come without assignments (`analyze`): an undiscussed item of two
            annotators then counts with its median, and nothing is held back.
        hold_judge: Whether judge figures are held back whatever the number of annotators.
        reveal_judge: Whether they are shown although items wait for their discussion.
    """

    seed: int
    replicates: int = REPLICATES
    fewest_scores: int | None = None
    collected_elsewhere: bool = False
    hold_judge: bool = False
    reveal_judge: bool = False


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
        within_pairs, within_people, within_judges: Kappas with numerators and denominators summed over dimensions.
    """

    n: int
    pairs: dict[Pair, Estimates]
    people: Estimates
    judges: dict[str, Estimates]
    confusion: dict[str, NDArray[np.int64]]
    within_pairs: dict[Pair, Estimates] = field(default_factory=dict)
    within_people: Estimates = field(default_factory=dict)
    within_judges: dict[str, Estimates] = field(default_factory=dict)


@dataclass(frozen=True)
class Blocks:
    """The same figures over all items and for each dimension, and the items where judge and people part."""

    overall: Block
    by_dimension: dict[str, Block]
    judge_disagreements: tuple[int, ...]


@dataclass(frozen=True)
class Analysis:
    """Every result. Item numbers are rows of the panel."""

    panel: Panel
    options: Options
    consensus: Consensus
    headline: Blocks
    sensitivity: dict[str, Blocks]
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

    def blocks(target: Array, counted: Mask) -> Blocks:
        return _blocks(panel, options, judges, target, counted)

    return Analysis(
        panel,
        options,
        consensus,
        blocks(consensus.headline, consensus.counted),
        {name: blocks(*chosen) for name, chosen in _sensitivities(panel, consensus).items()},
        held,
        tuple(_warnings(panel, consensus)),
    )


def _sensitivities(panel: Panel, consensus: Consensus) -> dict[str, tuple[Array, Mask]]:
    """Return the other ways to look at the same scores, as far as they differ: a target and the items that count."""
    found: dict[str, tuple[Array, Mask]] = {}
    counted = consensus.counted
    median = np.where(counted, consensus.median, np.nan)
    if consensus.mode is Mode.TWO and panel.discussed:
        found["median_of_two"] = median, counted
    if consensus.mode is Mode.THREE_OR_MORE and not np.isnan(consensus.revised[counted]).all():
        found["after_discussion"] = consensus.after_discussion, counted
    if consensus.excluded.any():
        found["without_excluded"] = consensus.headline, counted & ~consensus.excluded
    if (counted & ~consensus.complete).any() and (counted & consensus.complete).any():
        found["complete_only"] = consensus.headline, counted & consensus.complete
    return found


def _blocks(panel: Panel, options: Options, judges: Mapping[str, Array], target: Array, counted: Mask) -> Blocks:
    dimensions = np.array([item.dimension for item in panel.items])
    keys = list(dict.fromkeys(dimensions[counted].tolist()))
    overall = _block(panel, options, judges, target, counted, dimensions if len(keys) > 1 else None)
    by_dimension = {key: _block(panel, options, judges, target, counted & (dimensions == key), None) for key in keys}
    headline = next(iter(judges.values()), None)
    apart: tuple[int, ...] = ()
    if headline is not None and panel.scale.kind == "ordinal":
        with np.errstate(invalid="ignore"):
            apart = tuple(int(row) for row in np.flatnonzero(counted & (np.abs(headline - target) >= JUDGE_DIFFERENCE)))
    return Blocks(overall, by_dimension, apart)


def _block(
    panel: Panel,
    options: Options,
    judges: Mapping[str, Array],
    target: Array,
    counted: Mask,
    dimensions: NDArray[np.str_] | None,
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
    wanted |= {("people", "", key): s for key, s in people_statistics(tuple(people.values()), scale).items()}
    for name in judges:
        statistics = judge_statistics("consensus", judge[name], scale)
        wanted |= {("judge", name, key): s for key, s in statistics.items()}
    if dimensions is not None:
        columns["dimension"] = np.unique(dimensions[counted], return_inverse=True)[1].astype(np.float64)
        for pair in pairs:
            statistics = within_statistics(people[pair[0]], people[pair[1]], "dimension", scale)
            wanted |= {("within pair", pair, key): s for key, s in statistics.items()}
        wanted["within people", "", "mean_pairwise_kappa"] = _within_mean(tuple(people.values()), "dimension")
        for name in judges:
            statistics = within_statistics("consensus", judge[name], "dimension", scale)
            wanted |= {("within judge", name, key): s for key, s in statistics.items()}
    if panel.scale.kind == "nominal":
        wanted = {key: s for key, s in wanted.items() if key[2] in NOMINAL}

    found = bootstrap(
        columns,
        wanted,
        replicates=options.replicates,
        seed=options.seed,
        clusters=_clusters(panel, counted),
        strata=_strata(panel, counted),
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

    return Statistic(compute, (*raters, groups), present=3)


def _places(panel: Panel) -> list[tuple[str, int]]:
    return [(name, place) for place, name in enumerate(panel.annotators)]


def _clusters(panel: Panel, counted: Mask) -> NDArray[np.str_] | None:
    """Return what items share (their prompt, unless the sample says otherwise), where anything is shared."""
    items = [panel.items[row] for row in np.flatnonzero(counted)]
    named = [item.cluster or item.prompt or f"#{place}" for place, item in enumerate(items)]
    return np.array(named) if len(set(named)) < len(named) else None


def _strata(panel: Panel, counted: Mask) -> NDArray[np.str_] | None:
    """Return the strata the sample was drawn from, where it names them for every item."""
    strata = [panel.items[row].stratum for row in np.flatnonzero(counted)]
    return np.array(strata) if all(strata) and len(set(strata)) > 1 else None


def _warnings(panel: Panel, consensus: Consensus) -> list[str]:
    found = []
    incomplete = int((~consensus.counted).sum())
    if incomplete:
        found.append(f"{incomplete} of {len(panel.items)} items do not count: scores are missing")
    for name, scores in panel.judges.items():
        missing = int(np.isnan(scores[consensus.counted]).sum())
        if missing:
            found.append(f"judge {name} has no score for {missing} of {int(consensus.counted.sum())} items")
    if not panel.judges:
        found.append("no judge scores: only the agreement among people is reported")
    if consensus.pending.any():
        found.append(
            f"{int(consensus.pending.sum())} items wait for their discussion (scores {FLAG_RANGE:g} or more apart)"
        )
    share = consensus.flagged.sum() / max(1, consensus.counted.sum())
    if share > 0.2:
        found.append(f"people are {FLAG_RANGE:g} or more apart on {share:.0%} of the items: look at the rubric")
    return found
