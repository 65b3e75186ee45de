"""What a run did, in figures and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.judging.session import Result, Session


@dataclass(frozen=True, slots=True)
class Judged:
    """What a run did.

    Attributes:
        session: Verdicts and tally.
        judge: What the verdict's judge is called.
        currency: Of the costs.
        files: What was written; a second file holds the cases for people.
        warnings: What was noticed.
    """

    session: Session
    judge: str
    currency: str
    files: tuple[Path, ...]
    warnings: tuple[str, ...]

    @property
    def scored(self) -> int:
        """Items with a score."""
        return sum(result.verdict.score is not None for result in self.session.results)

    @property
    def reasons(self) -> dict[str, int]:
        """How many items have no score, by what went wrong."""
        return dict(Counter(r.verdict.failure or "unparsed" for r in self.session.results if r.verdict.score is None))

    @property
    def methods(self) -> dict[str, int]:
        """How many answers each layer of the parser read, failures under `default`."""
        readings = [
            reading for result in self.session.results for v in result.by_judge.values() for reading in v.readings
        ]
        return dict(Counter(reading.parsed.method for reading in readings if reading.text is not None))

    @property
    def clamped(self) -> int:
        """Answers one step off the scale."""
        verdicts = [verdict for result in self.session.results for verdict in result.by_judge.values()]
        return sum(reading.parsed.clamped is not None for verdict in verdicts for reading in verdict.readings)


def run_warnings(session: Session, *, keep_clamped: bool) -> list[str]:
    """Return what is to be said of a run: why it ended early, which items have no score and why, what was clamped."""
    tally, found = session.tally, []
    if tally.stopped:
        left = f"; {tally.skipped} calls were not made" if tally.skipped else ""
        found.append(f"stopped before the last call: {tally.stopped}{left}")
    without = [result for result in session.results if result.verdict.score is None]
    kinds = Counter(f"{r.verdict.failure}: {r.verdict.reason}" for r in without)
    for what, count in kinds.most_common():
        names = ", ".join(
            shown(r.item.item_id, 40) for r in without if f"{r.verdict.failure}: {r.verdict.reason}" == what
        )
        found.append(f"{count} without a score, {shown(what, 160)} (items {shown(names, 120)})")
    lost = Counter(
        reading.parsed.failure
        for result in session.results
        if result.verdict.score is not None
        for verdict in result.by_judge.values()
        for reading in verdict.readings
        if reading.score is None and reading.parsed.failure not in (None, "clamped")
    )
    if lost:
        kinds_of = ", ".join(f"{count} {what}" for what, count in lost.most_common())
        found.append(
            f"{lost.total()} answers about items with a score have none ({kinds_of}); they lower the confidence"
        )
    if any(_clamped(result) for result in session.results):
        count = sum(map(_clamped, session.results))
        counted = "count" if keep_clamped else "do not count (--keep-clamped to count them)"
        found.append(f"{count} items have a score one step off the scale; the clamped ones {counted}")
    return found


def nothing_scored(done: Judged) -> ToolkitError:
    """Return what is wrong with a run that gave no score at all, with the most frequent reason."""
    verdicts = [result.verdict for result in done.session.results]
    why = Counter(f"{verdict.failure}: {verdict.reason}" for verdict in verdicts).most_common(1)[0][0]
    what = f"not one of {len(verdicts)} items has a score ({shown(why, 200)})"
    fix = "correct what is wrong and run it again with --force; answers that came are stored, and not asked for again"
    return ToolkitError(Problem(what, fix))


def _clamped(result: Result) -> bool:
    return any(r.parsed.clamped is not None for v in result.by_judge.values() for r in v.readings)


def as_json(done: Judged) -> dict[str, Any]:
    """Return what a program wants to know of a run."""
    tally = done.session.tally
    return {
        "files": [str(path) for path in done.files],
        "judge": done.judge,
        "items": len(done.session.results),
        "scored": done.scored,
        "without_score": done.reasons,
        "parse_methods": done.methods,
        "clamped": done.clamped,
        "calls": {
            "planned": tally.planned,
            "stored": tally.stored,
            "answered": tally.answered,
            "failed": tally.failed,
            "retries": tally.retries,
            "skipped": tally.skipped,
        },
        "tokens": {"input": tally.input_tokens, "output": tally.output_tokens},
        "cost": None if tally.unknown_cost else tally.cost,
        "currency": done.currency,
        "warnings": list(dict.fromkeys(done.warnings)),
    }
