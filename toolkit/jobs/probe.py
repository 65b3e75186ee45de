"""probe: how a judge's scores move when answers change in ways that should not matter."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import Problem, ToolkitError
from toolkit.files import pretty_json, write_atomically
from toolkit.jobs.judge import Estimate, estimate
from toolkit.jobs.probe_plan import Wanted, prepare_probes, variants_of
from toolkit.jobs.probe_results import Judges, content_of, findings
from toolkit.judging.padding import from_texts, stored, writer_calls, written
from toolkit.judging.runs import Progress, Tally
from toolkit.judging.session import Planned, Session, judge_items, planned_calls
from toolkit.judging.store import Store, check_apart
from toolkit.judging.summary import run_warnings


@dataclass(frozen=True, slots=True)
class Probed:
    """What was found, by judge, with the calls of all stages; `content` is the result as JSON has it."""

    judges: Judges
    tally: Tally
    currency: str
    content: Mapping[str, object]
    file: Path
    warnings: tuple[str, ...]


def probe(wanted: Wanted, out: Path, store: Path, *, force: bool, progress: Progress | None = None) -> Probed:
    """Run the probes and write what they find.

    Args:
        wanted: What is probed.
        out: The file of results (JSON).
        store: The store of calls; that of an earlier `toolkit judge` with the same options saves its calls.
        force: Whether a file that exists may be replaced.
        progress: Called after each call.

    Raises:
        ToolkitError: With what is wrong; also, with the results written, when not one probe found anything.
    """
    check_apart(out, store)
    if out.exists() and not force:
        fix = "choose another file with -o, or --force"
        raise ToolkitError(Problem("exists already and is not overwritten", fix, str(out)))
    ready = prepare_probes(wanted, offline=False)
    setup = ready.work.setup
    with Store(store) as opened:
        padding, tallies = dict(ready.padding), []
        if ready.writer is not None:
            made, tally = asyncio.run(
                written(ready.unpadded, ready.writer, ready.texts, opened, setup.limits, setup.prices, progress)
            )
            padding |= made
            tallies.append(tally)
        variants = variants_of(ready, padding)
        scored = asyncio.run(judge_items([*ready.to_score, *variants.items.values()], setup, opened, progress))
        compared = None
        if ready.pairs:
            compared = asyncio.run(judge_items(ready.pairs, ready.pairwise(offline=False), opened, progress))
    sessions: list[Session] = [scored, *([compared] if compared else [])]
    judges = findings(ready, variants, scored, compared)
    warnings = [*ready.work.warnings]
    warnings += [f"stopped while longer answers were written: {one.stopped}" for one in tallies if one.stopped]
    for session in sessions:
        warnings += [*session.warnings, *run_warnings(session, keep_clamped=wanted.order.keep_clamped)]
    tally = _together([*tallies, *(session.tally for session in sessions)])
    currency, said = setup.prices.currency, tuple(dict.fromkeys(warnings))
    content = content_of(wanted.order.source.name, judges, tally, wanted.seed, said)
    write_atomically(out, pretty_json(content))
    probes = [(judge, name, one) for judge, found in judges.items() for name, one in found.items()]
    if not any(one.says_something for _, _, one in probes):
        fix = f"see the warnings, and every case in {out.name}"
        raise ToolkitError(Problem(f"{judge}, {name}: {one.note}", fix) for judge, name, one in probes)
    return Probed(judges, tally, currency, content, out, said)


def dry_run(wanted: Wanted, store: Path) -> Estimate:
    """Return what a run would ask, without asking or writing anything.

    Padded answers that a model is still to write are taken to be those of the toolkit's own padding.

    Raises:
        ToolkitError: With what is wrong.
    """
    ready = prepare_probes(wanted, offline=True)
    opened = Store(store) if store.exists() else None
    try:
        planned: list[Planned] = []
        padding = dict(ready.padding)
        if ready.writer is not None:
            calls = writer_calls(ready.unpadded, ready.writer, ready.texts)
            waiting = tuple(call for call in calls if opened is None or not opened.has(call))
            planned.append(Planned(ready.writer, tuple(calls), waiting))
            padding |= from_texts(ready.unpadded, ready.texts)
            if opened is not None and not waiting:
                padding |= stored(ready.unpadded, calls, ready.writer, opened)
        variants = variants_of(ready, padding)
        planned += planned_calls([*ready.to_score, *variants.items.values()], ready.work.setup, opened)
        if ready.pairs:
            planned += planned_calls(ready.pairs, ready.pairwise(offline=True), opened)
    finally:
        if opened is not None:
            opened.close()
    return estimate(_by_judge(planned), ready.work.setup.prices)


def _by_judge(planned: Sequence[Planned]) -> list[Planned]:
    """Return one plan for each judge: it scores, and it compares."""
    found: dict[str, Planned] = {}
    for one in planned:
        before = found.get(one.judge.name, Planned(one.judge, (), ()))
        found[one.judge.name] = Planned(one.judge, before.calls + one.calls, before.waiting + one.waiting)
    return list(found.values())


def _together(tallies: Sequence[Tally]) -> Tally:
    total = Tally()
    for name in ("planned", "stored", "answered", "failed", "retries", "skipped", "input_tokens", "output_tokens"):
        setattr(total, name, sum(getattr(tally, name) for tally in tallies))
    total.cost = sum(tally.cost for tally in tallies)
    total.unknown_cost = sum(tally.unknown_cost for tally in tallies)
    total.stopped = next((tally.stopped for tally in tallies if tally.stopped), None)
    return total
