"""validate-judge: does the judge still agree with people, and as well as the one before?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toolkit.analysis import Blocks, Options, Panel, compute_blocks
from toolkit.errors import Problem, ToolkitError, shown
from toolkit.jobs import judge as judge_job
from toolkit.jobs.gates import Gate
from toolkit.jobs.golden import GoldenSet, Key, find_golden, read_golden
from toolkit.jobs.halves import (
    TEST,
    Half,
    Halves,
    Use,
    fingerprint,
    halves_file,
    looked,
    read_halves,
    split,
    write_halves,
)
from toolkit.jobs.judged import join_judged
from toolkit.jobs.report import today
from toolkit.jobs.validation import NEW, Baseline, Validation, compare, leading_kappa, score_column
from toolkit.judging.prompts import BINARY
from toolkit.judging.summary import Judged as Run
from toolkit.model import Scale
from toolkit.report.sayings import metrics_note
from toolkit.sampling.exclusions import read_exclusions
from toolkit.texts import many


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What is good enough; None where nothing is asked.

    Attributes:
        min_kappa: Lowest good kappa of judge and consensus.
        max_mae: Highest good mean absolute error.
        max_drop: Largest good drop of kappa against the baseline.
    """

    min_kappa: float | None = None
    max_mae: float | None = None
    max_drop: float | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be validated, against what.

    Attributes:
        golden: A golden set, judged records with a human consensus, or a report or study folder.
        judged: What the judge scored; None for the scores in the golden set itself.
        scale: The scale; None for the one that the golden set names.
        baseline: What the judge before scored: judged records, or what an earlier validate-judge --json printed.
        baseline_rerun: Whether those are not the scores by which the sample's problem cases were chosen.
        examples: Items that are examples in the prompt.
        half: The half of the golden set that is looked at; None for all of it.
        thresholds: What is good enough.
    """

    golden: Path
    judged: Path | None = None
    scale: Scale | None = None
    baseline: Path | None = None
    baseline_rerun: bool = False
    examples: Path | None = None
    half: Half | None = None
    thresholds: Thresholds = Thresholds()


@dataclass(frozen=True)
class Stage:
    """A golden set made ready: the items to look at, and the halves of it."""

    golden: GoldenSet
    examples: tuple[str, ...]
    halves: Halves | None

    @property
    def keys(self) -> frozenset[Key]:
        """The items to look at."""
        return frozenset(item.key for item in self.golden.items)


def stage(wanted: Wanted) -> Stage:
    """Return the items that are looked at: without examples, of the half that is asked for.

    Raises:
        ToolkitError: With what is wrong with the files, or when no item is left.
    """
    path = find_golden(wanted.golden)
    golden = read_golden(path, scale=wanted.scale)
    halves = read_halves(halves_file(path))
    kept = {item.key for item in golden.items}
    if wanted.half is not None:
        halves = split(golden.items, halves)
        kept &= halves.keys(wanted.half)
    examples: list[str] = []
    if wanted.examples is not None:
        shown_to_judge = read_exclusions(wanted.examples)
        for item in golden.items:
            named = not shown_to_judge.keys.isdisjoint(((item.item_id, item.dimension), (item.item_id, None)))
            if item.key in kept and (named or item.prompt.strip(" ") in shown_to_judge.prompts):
                kept.discard(item.key)
                examples.append(item.item_id)
    if not kept:
        what = "no item is left" + (f" in the {wanted.half} half" if wanted.half else "")
        raise ToolkitError(Problem(what, "check --examples and --half", path))
    return Stage(golden.keeping(frozenset(kept)), tuple(examples), halves)


def only_these(order: judge_job.Order, staged: Stage) -> judge_job.Order:
    """Return an order that asks about the items of a stage, and nothing else.

    Raises:
        ToolkitError: When the judge's scale is another one, or there are no answers to ask about.
    """
    golden = staged.golden
    asked = BINARY if order.failure is not None else order.rubric.scale
    if (asked.kind, asked.values) != (golden.scale.kind, golden.scale.values):
        what = f"the judge would score on {asked}, people scored on {golden.scale}"
        raise ToolkitError(Problem(what, "give the rubric with --rubric", golden.path))
    if not golden.texts:
        what = "holds no answers (a report made with --no-texts?): there is nothing to ask a judge about"
        raise ToolkitError(Problem(what, "give the scores with --judged", golden.path))
    return replace(order, source=golden.path, only=staged.keys)


def validate(wanted: Wanted, staged: Stage, *, run: Run | None = None) -> Validation:
    """Compare a judge with people, and with the judge before, and write down a look at the test half.

    Args:
        wanted: What is wanted; `judged` is what the run wrote, where there was one.
        staged: The items.
        run: The run of the judge.

    Raises:
        ToolkitError: With everything that is wrong with the files.
    """
    golden = staged.golden
    source = wanted.judged or golden.path
    joined = join_judged(source, golden.items, golden.scale)
    said = {one.key: one for one in joined.judgements if one.judge == joined.headline}
    scores = score_column(golden, said)
    panel = Panel(golden.scale, golden.items, (), golden.annotators, golden.people, judges={NEW: scores})
    options = Options(seed=golden.seed)
    everything = np.ones(len(golden.items), bool)
    warnings = [*golden.warnings, *joined.warnings, *(run.warnings if run else ())]
    if np.isnan(scores).all():
        raise ToolkitError(Problem("the judge has no score for any item of the golden set", "check --judged", source))
    blocks = compute_blocks(panel, options, panel.judges, golden.human, everything, closer=False)
    baseline = None
    if wanted.baseline is not None:
        baseline, noticed = compare(wanted.baseline, golden, panel, options, rerun=wanted.baseline_rerun)
        warnings += noticed
    found = Validation(
        golden=golden,
        panel=panel,
        judge=joined.headline or NEW,
        judgements=said,
        blocks=blocks,
        baseline=baseline,
        gates=tuple(_gates(wanted.thresholds, panel, blocks, baseline)),
        examples=staged.examples,
        half=wanted.half,
        looks=None,
        run=run,
        warnings=(),
    )
    if missing := int(np.isnan(scores).sum()):
        warnings.append(
            f"{missing} of {many(len(scores), 'item')} without a score, left out; if the judge fails on hard items, "
            "the figures flatter it"
        )
    for gate in found.gates:
        if note := metrics_note(gate.estimate):
            warnings.append(f"{gate.figure}: {note}")
    looks, noticed = _write_look(wanted, staged, found)
    return replace(found, looks=looks, warnings=tuple(dict.fromkeys([*warnings, *noticed])))


def _gates(thresholds: Thresholds, panel: Panel, blocks: Blocks, baseline: Baseline | None) -> list[Gate]:
    figures = blocks.overall.judges[NEW]
    gates = []
    if thresholds.min_kappa is not None:
        key = leading_kappa(panel)
        gates.append(Gate("min-kappa", key, thresholds.min_kappa, False, figures[key]))
    if thresholds.max_mae is not None:
        if "mae" not in figures:
            why = "--max-mae needs scores in order; the scale of this golden set has names"
            raise ToolkitError(Problem(why, "leave it out"))
        gates.append(Gate("max-mae", "mae", thresholds.max_mae, True, figures["mae"]))
    if thresholds.max_drop is not None:
        assert baseline is not None, "a drop comes with a baseline"
        difference = baseline.difference["kappa_difference"]
        gates.append(Gate("max-drop", "kappa_difference", 0.0 - thresholds.max_drop, False, difference))
    return gates


def _write_look(wanted: Wanted, staged: Stage, found: Validation) -> tuple[int | None, list[str]]:
    """Write the halves down, and this look at the test half, where it is one."""
    halves, path = staged.halves, halves_file(staged.golden.path)
    if halves is None:
        return None, []
    said: list[str] = []
    if wanted.half is None:
        said.append(
            f"{shown(path.name)} seals a half of this golden set, and all of it was looked at: that counts as a look "
            "at the test half (--half tuning, --half test)"
        )
    if wanted.half in (None, TEST):
        use = Use(date=today(), judge=found.judge, prompt=_prompt(found), scores=_scores(found, halves))
        halves, noticed = looked(halves, use)
        said += noticed
    write_halves(path, halves)
    return len(halves.uses), said


def _prompt(found: Validation) -> str | None:
    """Return what tells the prompts of all dimensions from others; None where the records do not say."""
    prompts = {
        (key[1], said.trace.prompt if said.trace is not None else None) for key, said in found.judgements.items()
    }
    if not prompts or None in {prompt for _, prompt in prompts}:
        return None
    return fingerprint(sorted((dimension, prompt or "") for dimension, prompt in prompts))


def _scores(found: Validation, halves: Halves) -> str:
    test = halves.keys(TEST)
    given = [(*key, said.score) for key, said in found.judgements.items() if key in test]
    return fingerprint([list(one) for one in sorted(given, key=lambda one: one[:2])])
