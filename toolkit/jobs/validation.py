"""What validate-judge finds: the judge beside people, and beside the judge before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolkit.analysis import Blocks, Estimates, Options, Panel, compute_blocks, judges_compared
from toolkit.errors import Problem, ToolkitError
from toolkit.jobs.gates import Gate, Outcome, verdict
from toolkit.jobs.golden import GoldenSet, Key
from toolkit.jobs.halves import Half
from toolkit.jobs.judged import join_judged
from toolkit.judging.summary import Judged as Run
from toolkit.model import Judgement
from toolkit.sampling.report import chosen_as_problem, chosen_by_score
from toolkit.texts import many

# an item has flipped when its score moved by this much; on a scale of names, when it is another name
FLIP = 1.0
NEW, OLD = "judge", "baseline"
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Baseline:
    """The judge beside the one before, on the items that both scored.

    Attributes:
        name: What the other judge is called.
        scores: Its scores, shape (n_items,), NaN where missing or left out of the comparison.
        figures: Its own figures on those items.
        difference: Judge minus baseline (`kappa_difference`, `mae_difference`) and the agreement of the two.
        by_dimension: The same for each dimension.
        flipped: Items whose score moved, by row, those that moved the furthest first.
        left_out: Items that the sample took because the old judge seemed to err.
    """

    name: str
    scores: Array
    figures: Estimates
    difference: Estimates
    by_dimension: dict[str, Estimates]
    flipped: tuple[int, ...]
    left_out: tuple[int, ...]


@dataclass(frozen=True)
class Validation:
    """What was found.

    Attributes:
        golden: The items that were looked at.
        panel: Their scores; the judge's own stands under `NEW`.
        judge: What the judge is called.
        judgements: What it said, by item.
        blocks: Its figures.
        baseline: The judge before; None without.
        gates: The thresholds and what became of them.
        examples: Items left out because they are examples in the prompt.
        half: The half that was looked at, and
        looks: how often the test half has been looked at by now; None without halves.
        run: The run of the judge; None where its scores were given.
        warnings: What was noticed.
    """

    golden: GoldenSet
    panel: Panel
    judge: str
    judgements: Mapping[Key, Judgement]
    blocks: Blocks
    baseline: Baseline | None
    gates: tuple[Gate, ...]
    examples: tuple[str, ...]
    half: Half | None
    looks: int | None
    run: Run | None
    warnings: tuple[str, ...]

    @property
    def outcome(self) -> Outcome | None:
        """What the gates say together; None without any."""
        return verdict(self.gates)

    @property
    def scores(self) -> Array:
        """The judge's scores."""
        return self.panel.judges[NEW]

    @property
    def kappa(self) -> str:
        """The key of the kappa that leads."""
        return leading_kappa(self.panel)

    @property
    def missing(self) -> dict[str, list[str]]:
        """The items without a score, by what went wrong."""
        found: dict[str, list[str]] = {}
        for row in np.flatnonzero(np.isnan(self.scores)):
            said = self.judgements.get(self.panel.items[row].key)
            trace = said.trace if said is not None else None
            what = "not in the judged records" if said is None else (trace and trace.failure) or "no score"
            found.setdefault(what, []).append(self.panel.names[row])
        return found

    @property
    def clamped(self) -> tuple[list[str], list[str]]:
        """The items with an answer one step off the scale: those that count all the same, and those that do not."""
        counted: list[str] = []
        left: list[str] = []
        for row, item in enumerate(self.panel.items):
            said = self.judgements.get(item.key)
            if said is not None and said.trace is not None and said.trace.clamped is not None:
                (left if np.isnan(self.scores[row]) else counted).append(self.panel.names[row])
        return counted, left


def leading_kappa(panel: Panel) -> str:
    """Return the key of the kappa that leads: the weighted one, where scores have an order."""
    return "kappa_unweighted" if panel.scale.kind == "nominal" else "kappa_quadratic"


def score_column(golden: GoldenSet, said: Mapping[Key, Judgement]) -> Array:
    """Return a judge's scores over the items as codes, NaN where there is none."""
    found = [said.get(item.key) for item in golden.items]
    return np.array([golden.scale.code(one.score if one is not None else None) for one in found])


def compare(
    previous: Path, golden: GoldenSet, panel: Panel, options: Options, *, rerun: bool
) -> tuple[Baseline, list[str]]:
    """Return the judge beside the one before, and what is to be said of the comparison.

    Args:
        previous: What the judge before scored.
        golden: The items.
        panel: Their scores, the judge's among them.
        options: Seed and replicates.
        rerun: Whether `previous` is the old judge asked again, and not what the sample's problem cases were chosen by.

    Raises:
        ToolkitError: When the file cannot be read, or shares no scored item with the judge.
    """
    joined = join_judged(previous, golden.items, golden.scale)
    before = {one.key: one for one in joined.judgements if one.judge == joined.headline}
    strata = [item.stratum or "" for item in golden.items]
    chosen = np.array([chosen_as_problem(stratum) for stratum in strata])
    left_out: Mask = np.zeros(len(strata), bool) if rerun else chosen
    scores = np.where(left_out, np.nan, score_column(golden, before))
    both: Mask = ~(np.isnan(scores) | np.isnan(panel.judges[NEW]))
    if not both.any():
        what = "shares no scored item with the judge" + (" outside the problem cases" if left_out.any() else "")
        raise ToolkitError(Problem(what, "check --baseline", previous))
    judges = {NEW: panel.judges[NEW], OLD: scores}
    pair = (NEW, OLD)
    dimensions = list(dict.fromkeys(panel.dimensions[both].tolist()))
    own = compute_blocks(panel, options, {OLD: scores}, golden.human, both, closer=False)
    moved = np.nan_to_num(np.abs(panel.judges[NEW] - scores))
    least = np.finfo(float).eps if panel.scale.kind == "nominal" else FLIP
    flipped = sorted(np.flatnonzero(moved >= least), key=lambda row: (-moved[row], row))
    baseline = Baseline(
        name=joined.headline or OLD,
        scores=scores,
        figures=own.overall.judges[OLD],
        difference=judges_compared(panel, options, judges, golden.human, both)[pair],
        by_dimension={
            name: judges_compared(panel, options, judges, golden.human, both & (panel.dimensions == name))[pair]
            for name in dimensions
        },
        flipped=tuple(int(row) for row in flipped),
        left_out=tuple(int(row) for row in np.flatnonzero(left_out)),
    )
    return baseline, [*_said_of(strata, chosen, both, rerun=rerun), *(f"baseline: {one}" for one in joined.warnings)]


def _said_of(strata: Sequence[str], chosen: Mask, both: Mask, *, rerun: bool) -> list[str]:
    said = []
    if chosen.any() and not rerun:
        said.append(
            f"{many(int(chosen.sum()), 'item')} chosen because the old judge seemed to err, and left out of the "
            "comparison: there its scores can only get better by themselves (regression to the mean), or the new "
            "judge's look better; run the old judge again and say --baseline-rerun to keep them"
        )
    if any(map(chosen_by_score, strata)) and not rerun:
        said.append(
            "the items were chosen by a judge's score (--mix-scores); if that was the old judge, its extreme scores "
            "are further off than usual, which favours the new one: run the old judge again (--baseline-rerun)"
        )
    kept = int((~chosen).sum()) if not rerun else len(strata)
    if int(both.sum()) < kept:
        said.append(f"the comparison is on the {int(both.sum())} of {many(kept, 'item')} that both judges scored")
    return said
