"""judge: from answers to judged records, by one judge or several."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import write_all, write_atomically
from toolkit.judging.criteria import CriteriaFile
from toolkit.judging.examples import read_examples
from toolkit.judging.limits import Limits
from toolkit.judging.output import judged_record, neutral_score, to_jsonl
from toolkit.judging.panel import PanelFile, make_panel
from toolkit.judging.plan import Unit
from toolkit.judging.prices import Prices, estimated_tokens
from toolkit.judging.prompts import Asked, Prompts, Strictness
from toolkit.judging.provider import Usage
from toolkit.judging.runs import Progress
from toolkit.judging.session import Planned, Setup, judge_items, planned_calls
from toolkit.judging.settings import read_settings
from toolkit.judging.store import Store, check_apart
from toolkit.judging.summary import Judged, run_warnings
from toolkit.model import Record, Rubric
from toolkit.records import read_records
from toolkit.rubrics import bare_rubric
from toolkit.texts import many

# what an estimate takes an answer to be
TYPICAL_ANSWER_TOKENS = 250


@dataclass(frozen=True, slots=True)
class Order:
    """What the user asked for.

    Attributes:
        source: The judged records to judge.
        judges: The judges.
        rubric: Scale and dimensions.
        language_code: Language of the prompts.
        strictness: What to do when in doubt between two levels.
        suggestion: Whether a suggestion for improvement is wanted.
        pairwise: Whether each item's two answers are compared, in both orders.
        failure: The one failure a binary judge looks for.
        criteria: File of criteria with weights.
        examples: File of corrected items that serve as examples.
        prompts: Folder of the user's own templates.
        unit: A score for the set, or for each response.
        limits: Bounds.
        prices: File of prices.
        on_unparsed: What becomes of an answer without a score.
        keep_clamped: Whether a score one step off the scale counts.
        reparse: Whether stored answers are read again, and nothing is asked.
        rename: Reserved field to the name it has in the source.
        only: The items (identifier, dimension) that are judged; None for all.
    """

    source: Path
    judges: PanelFile
    rubric: Rubric
    language_code: str
    strictness: Strictness = "balanced"
    suggestion: bool = False
    pairwise: bool = False
    failure: str | None = None
    criteria: Path | None = None
    examples: Path | None = None
    prompts: Path | None = None
    unit: Unit = "set"
    limits: Limits = field(default_factory=Limits)
    prices: Path | None = None
    on_unparsed: Literal["leave", "neutral"] = "leave"
    keep_clamped: bool = False
    reparse: bool = False
    rename: Mapping[str, str] | None = None
    only: frozenset[tuple[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """An order made ready: nothing has been sent."""

    records: tuple[Record, ...]
    setup: Setup
    warnings: tuple[str, ...]
    keep_others: bool


def prepare(order: Order, *, offline: bool) -> Work:
    """Read and check everything a run needs.

    Raises:
        ToolkitError: With what is wrong.
    """
    asked = Asked(
        strictness=order.strictness,
        suggestion=order.suggestion,
        failure=order.failure,
        pairwise=order.pairwise,
        criteria=read_settings(order.criteria, CriteriaFile).criteria if order.criteria else (),
    )
    own_scale = asked.scale(order.rubric) is order.rubric.scale
    anything = order.pairwise or order.failure is not None
    read = read_records(
        order.source,
        rename=order.rename or {},
        scale=asked.scale(order.rubric) if order.pairwise else order.rubric.scale,
        dimensions=None if anything else list(order.rubric.dimensions),
    )
    records, warnings = read.records, [w for w in read.warnings if not w.startswith("no judge score")]
    if order.only is not None:
        records = tuple(record for record in records if record.item.key in order.only)
    rubric = _with_dimensions(order.rubric, records) if anything else order.rubric
    if order.examples:
        examples, keys = read_examples(order.examples, rubric, order.language_code)
        asked = replace(asked, examples=examples)
        left = tuple(record for record in records if record.item.key not in keys)
        if len(left) < len(records):
            warnings.append(f"{many(len(records) - len(left), 'item')} not judged: examples in the prompt")
        records = left
    if not records:
        raise ToolkitError(Problem("holds no item to judge", "check that it is the right file", order.source))
    if order.on_unparsed == "neutral" and neutral_score(asked.scale(rubric)) is None:
        raise ToolkitError(Problem("--on-unparsed neutral: this scale has no middle", "leave it out"))
    setup = Setup(
        panel=make_panel(order.judges, offline=offline),
        rubric=rubric,
        prompts=Prompts(order.language_code, rubric, asked, order.prompts),
        asked=asked,
        unit=order.unit,
        limits=order.limits,
        prices=read_settings(order.prices, Prices) if order.prices else Prices(),
        keep_clamped=order.keep_clamped,
        reparse=order.reparse,
    )
    if order.limits.budget is not None:
        _check_prices(setup)
    return Work(records, setup, tuple(warnings), keep_others=own_scale or order.pairwise)


def judge(order: Order, out: Path, store: Path, *, force: bool, progress: Progress | None = None) -> Judged:
    """Run the judges and write the judged records.

    Args:
        order: What the user asked for.
        out: The file of judged records.
        store: The store of calls; made when absent, continued when there.
        force: Whether files that exist may be replaced.
        progress: Called after each call.

    Raises:
        ToolkitError: With what is wrong.
    """
    people = out.with_name(f"{out.stem}.people.jsonl")
    check_apart(out, store)
    written = [out, *([people] if order.judges.cascade is not None else [])]
    refuse(
        Problem("exists already and is not overwritten", "choose another file with -o, or --force", str(file))
        for file in written
        if file.exists() and not force
    )
    work = prepare(order, offline=order.reparse)
    if order.reparse and not store.exists():
        raise ToolkitError(Problem("there is no store of calls to read again", "check --store", str(store)))
    items = [record.item for record in work.records]
    with Store(store) as opened:
        session = asyncio.run(judge_items(items, work.setup, opened, progress))
    name = work.setup.panel.name
    neutral = neutral_score(work.setup.prompts.scale) if order.on_unparsed == "neutral" else None
    # stored answers may have been given to another prompt than today's
    dimensions = () if order.reparse else {item.dimension for item in items}
    prompts = {dimension: work.setup.prompts.fingerprint(dimension) for dimension in dimensions}
    lines = [
        judged_record(
            record,
            result,
            name,
            keep_others=work.keep_others,
            neutral=neutral,
            prompt=prompts.get(record.item.dimension),
        )
        for record, result in zip(work.records, session.results, strict=True)
    ]
    write_atomically(out, to_jsonl(lines))
    files = [out]
    unsure = [line for line, result in zip(lines, session.results, strict=True) if result.unsure]
    if unsure:
        files += write_all(people.parent, {people.name: to_jsonl(unsure)}, force=True)
    warnings = (*work.warnings, *session.warnings, *run_warnings(session, keep_clamped=order.keep_clamped))
    return Judged(session, name, work.setup.prices.currency, tuple(files), warnings)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would ask and cost.

    Attributes:
        planned: Per judge, the calls and those not answered yet.
        input_tokens: Estimated tokens of the prompts still to be sent.
        cost: With answers of `TYPICAL_ANSWER_TOKENS`; None where a price is unknown.
        most: With answers of the full length; None where a price is unknown.
        currency: Of the costs.
    """

    planned: tuple[Planned, ...]
    input_tokens: int
    cost: float | None
    most: float | None
    currency: str


def dry_run(order: Order, store: Path) -> Estimate:
    """Return what a run would ask, without asking or writing anything.

    Raises:
        ToolkitError: With what is wrong.
    """
    work = prepare(order, offline=True)
    items = [record.item for record in work.records]
    if store.exists():
        with Store(store) as opened:
            planned = planned_calls(items, work.setup, opened)
    else:
        planned = planned_calls(items, work.setup, None)
    return estimate(planned, work.setup.prices)


def estimate(planned: Sequence[Planned], prices: Prices) -> Estimate:
    """Return what the calls that have no answer yet would cost."""
    waiting = [(call, estimated_tokens(call.request)) for one in planned for call in one.waiting]
    costs = [prices.cost(call.model, Usage(tokens, TYPICAL_ANSWER_TOKENS)) for call, tokens in waiting]
    most = [prices.most(call.model, call.request) for call, _ in waiting]
    return Estimate(
        planned=tuple(planned),
        input_tokens=sum(tokens for _, tokens in waiting),
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
        most=None if None in most else sum(cost or 0.0 for cost in most),
        currency=prices.currency,
    )


def _with_dimensions(rubric: Rubric, records: tuple[Record, ...]) -> Rubric:
    """Return the rubric with every dimension of the records: a comparison and a binary judge need no levels."""
    missing = [name for name in dict.fromkeys(r.item.dimension for r in records) if name not in rubric.dimensions]
    added = bare_rubric(rubric.scale, missing, rubric.language).dimensions if missing else {}
    return rubric.model_copy(update={"dimensions": rubric.dimensions | added})


def _check_prices(setup: Setup) -> None:
    unknown = [j.provider.model for j in setup.panel.judges if j.provider.model not in setup.prices.models]
    if unknown:
        raise ToolkitError(
            Problem(
                f"--budget cannot be kept: the price of {shown(model)} is unknown", "put it into the --prices table"
            )
            for model in unknown
        )
