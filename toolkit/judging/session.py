"""The whole of a run: items in, verdicts out. What `toolkit judge` does, without files of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolkit.judging.criteria import criteria_scores, weighted_mean
from toolkit.judging.limits import Limits
from toolkit.judging.panel import Panel
from toolkit.judging.parsing import Parsed, failed, parse_reply
from toolkit.judging.plan import Call, Judge, Unit, check_items, plan
from toolkit.judging.prices import Prices
from toolkit.judging.prompts import Asked, Prompts
from toolkit.judging.providers.replay import Replay
from toolkit.judging.runs import Progress, Run, Tally
from toolkit.judging.store import Store, Stored
from toolkit.judging.verdicts import Reading, Verdict, of_judges, of_orders, of_responses, of_samples
from toolkit.model import Rubric, SourceItem

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Setup:
    """How a run is done.

    Attributes:
        panel: Who is asked.
        rubric: Scale and dimensions.
        prompts: The templates, which know what is asked.
        asked: What is asked.
        unit: A score for each item as people give it, or one for each response.
        limits: Bounds.
        prices: Price table.
        keep_clamped: Whether a score one step off the scale counts as the end of the scale.
        reparse: Whether stored answers are read again, whatever the prompt was then, and nothing is asked.
    """

    panel: Panel
    rubric: Rubric
    prompts: Prompts
    asked: Asked = field(default_factory=Asked)
    unit: Unit = "set"
    limits: Limits = field(default_factory=Limits)
    prices: Prices = field(default_factory=Prices)
    keep_clamped: bool = False
    reparse: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What was said of one item.

    Attributes:
        item: The item.
        verdict: The verdict of all judges together, or of the only one.
        by_judge: The verdict of each judge that was asked.
        unsure: Whether a cascade ended without enough confidence: a case for people.
    """

    item: SourceItem
    verdict: Verdict
    by_judge: Mapping[str, Verdict]
    unsure: bool = False


# asyncio.run writes out the result of its task, to nobody; with thousands of items that takes a while
@dataclass(frozen=True, slots=True, repr=False)
class Session:
    """What a run gave."""

    results: tuple[Result, ...]
    tally: Tally
    warnings: tuple[str, ...]


def calls_for(items: Sequence[SourceItem], judge: Judge, setup: Setup) -> list[Call]:
    """Return every call for one judge.

    Raises:
        ToolkitError: When an item cannot be asked about, or a prompt cannot be made.
    """
    check_items(items, pairwise=setup.asked.pairwise)
    return list(plan(items, judge, setup.prompts, setup.unit, pairwise=setup.asked.pairwise))


async def judge_items(
    items: Sequence[SourceItem], setup: Setup, store: Store, progress: Progress | None = None
) -> Session:
    """Ask what has not been answered yet, and return the verdicts on all items.

    Args:
        items: The items, whose dimensions the rubric has.
        setup: How.
        store: Where answers are and go.
        progress: Called after each call.

    Raises:
        ToolkitError: Before the first call, when something is wrong with items, prompts or budget.
    """
    judges = setup.panel.judges
    run = Run({judge.name: judge for judge in judges}, store, setup.limits, setup.prices, progress)
    planned = {judge.name: calls_for(items, judge, setup) for judge in judges}
    warnings = _unsupported(judges)
    for judge in judges:
        if isinstance(judge.provider, Replay) and (
            more := judge.provider.left_over(c.about for c in planned[judge.name])
        ):
            warnings.append(f"{judge.name}: {more} recorded answers are about other items")
    if lost := store.under_way():
        warnings.append(
            f"{lost} calls had gone out when an earlier run was stopped, and their answers never came; "
            "they may have been paid for, and are made again where they are still wanted"
        )
    found: dict[str, dict[Key, Verdict]] = {}
    open_items = list(items)
    try:
        for judge in judges:
            wanted = {item.key for item in open_items}
            calls = [call for call in planned[judge.name] if (call.about.item_id, call.about.dimension) in wanted]
            if not setup.reparse:
                await run.make(calls)
            found[judge.name] = _verdicts(calls, setup, store)
            warnings += _noticed(judge, calls, store)
            if setup.panel.cascade is not None:
                open_items = [item for item in open_items if _unsure(found[judge.name][item.key], setup)]
    finally:
        for judge in judges:
            await judge.provider.close()
    results = tuple(_result(item, found, setup) for item in items)
    return Session(results, run.tally, tuple(dict.fromkeys(warnings)))


def _verdicts(calls: Sequence[Call], setup: Setup, store: Store) -> dict[Key, Verdict]:
    grouped: dict[Key, dict[tuple[str, str], list[Reading]]] = {}
    for call in calls:
        about = call.about
        parts = grouped.setdefault((about.item_id, about.dimension), {})
        parts.setdefault((about.part, about.order), []).append(read_call(call, setup, store))
    scale = setup.prompts.scale
    found: dict[Key, Verdict] = {}
    for key, parts in grouped.items():
        if setup.asked.pairwise:
            found[key] = of_orders(parts["", "AB"], parts["", "BA"], scale)
        elif ("", "") in parts:
            found[key] = of_samples(parts["", ""], scale)
        else:
            found[key] = of_responses([of_samples(readings, scale) for readings in parts.values()], scale)
    return found


def read_call(call: Call, setup: Setup, store: Store) -> Reading:
    """Return the reading of a call: of its stored answer, or of the fact that there is none."""
    stored: Stored | None = store.latest(call) if setup.reparse else store.answer(call)
    if stored is None:
        message = store.failure(call)
        parsed = failed("transport", message) if message else failed("not_called", "it was not asked")
        return Reading(call.about, parsed, None)
    scale = setup.prompts.scale
    labels = setup.prompts.labels(call.about.dimension)
    if setup.asked.criteria:
        return _by_criteria(call, stored, setup)
    parsed = parse_reply(stored.text, scale, labels=labels, finish=stored.finish)
    score = parsed.score
    if score is None and parsed.clamped is not None and setup.keep_clamped:
        score = parsed.clamped
    return Reading(call.about, parsed, score, stored.text)


def _by_criteria(call: Call, stored: Stored, setup: Setup) -> Reading:
    if stored.finish != "stop":
        return Reading(
            call.about, parse_reply(stored.text, setup.prompts.scale, finish=stored.finish), None, stored.text
        )
    scores, why = criteria_scores(stored.text, setup.asked.criteria, setup.prompts.scale)
    if why is not None:
        return Reading(call.about, failed("unparsed", why), None, stored.text)
    parsed = Parsed(method="json_embedded")
    return Reading(call.about, parsed, weighted_mean(scores, setup.asked.criteria), stored.text, scores)


def _result(item: SourceItem, found: Mapping[str, Mapping[Key, Verdict]], setup: Setup) -> Result:
    by_judge = {name: verdicts[item.key] for name, verdicts in found.items() if item.key in verdicts}
    last = next(reversed(by_judge.values()))
    if setup.panel.cascade is not None or len(setup.panel.judges) == 1:
        return Result(item, last, by_judge, _unsure(last, setup))
    return Result(item, of_judges(by_judge, setup.prompts.scale, setup.panel.aggregate), by_judge)


def _unsure(verdict: Verdict, setup: Setup) -> bool:
    threshold = setup.panel.cascade
    return threshold is not None and (verdict.score is None or (verdict.confidence or 0.0) < threshold)


def _unsupported(judges: Sequence[Judge]) -> list[str]:
    found = [notice for judge in judges for notice in judge.provider.notices]
    for judge in judges:
        asked = {"temperature": judge.temperature, "seed": judge.seed}
        found += [
            f"{judge.name}: provider {judge.provider.name} has no {name}; it was asked for and is not sent"
            for name, value in asked.items()
            if value is not None and name not in judge.provider.capabilities
        ]
    return found


def _noticed(judge: Judge, calls: Sequence[Call], store: Store) -> list[str]:
    """Return what is to be said of a judge's answers taken together."""
    answered = [(call, stored) for call in calls if (stored := store.answer(call)) is not None]
    found = []
    for name, asked in (("temperature", judge.temperature), ("seed", judge.seed)):
        left_out = sum(name not in stored.sent for _, stored in answered)
        if asked is not None and name in judge.provider.capabilities and left_out:
            found.append(
                f"{judge.name}: {left_out} answers were given without the {name} asked for: the server refuses it"
            )
    if judge.samples < 2 or judge.temperature:
        return found
    texts: dict[tuple[str, str, str, str], list[str]] = {}
    for call, stored in answered:
        about = call.about
        texts.setdefault((about.item_id, about.dimension, about.part, about.order), []).append(stored.text)
    full = [group for group in texts.values() if len(group) == judge.samples]
    if full and all(len(set(group)) == 1 for group in full):
        found.append(
            f"{judge.name}: all {judge.samples} samples of every item are the same text; without a --temperature "
            "above 0 their agreement says nothing about confidence"
        )
    return found


@dataclass(frozen=True, slots=True)
class Planned:
    """What one judge would be asked: every call, and those among them that have no answer yet."""

    judge: Judge
    calls: tuple[Call, ...]
    waiting: tuple[Call, ...]


def planned_calls(items: Sequence[SourceItem], setup: Setup, store: Store | None) -> list[Planned]:
    """Return what would be asked, without asking.

    Raises:
        ToolkitError: When an item cannot be asked about, or a prompt cannot be made.
    """
    found = []
    for judge in setup.panel.judges:
        calls = tuple(calls_for(items, judge, setup))
        found.append(Planned(judge, calls, tuple(call for call in calls if store is None or not store.has(call))))
    return found
