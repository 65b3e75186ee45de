"""How the judge's answers became scores, where `toolkit judge` recorded it: what was clamped, unread, inconsistent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from toolkit.errors import shown
from toolkit.model import Judgement, Trace
from toolkit.report.facts import Facts
from toolkit.stats import Estimate, bootstrap, pair_statistic, percent_agreement

REASON_CHARACTERS = 100


def sentences(facts: Facts) -> Iterator[str]:
    """Say of the headline judge what its scores alone do not show."""
    _ = facts._
    counted, left = _clamped(facts)
    if methods := _methods(facts):
        listed = ", ".join(f"{_.number(count, 0)} {method}" for method, count in methods.items())
        yield _("How the judge's answers were read (layer of the parser): {methods}.", methods=listed)
    words = {
        "unparsed": _("no score can be read from its answer"),
        "refusal": _("it declined to answer"),
        "truncated": _("its answer was cut off"),
        "transport": _("no answer came"),
        "not_called": _("it was not asked"),
    }
    for (kind, reason), names in _unread(facts).items():
        why = words.get(kind, kind) + (f" [{reason}]" if reason and kind == "unparsed" else "")
        yield _("The judge has no score because {why}: {items}.", why=why, items=", ".join(names))
    if left:
        yield _("One point off the scale, and left out: {items}.", items=", ".join(left))
    if counted:
        yield _(
            "One step off the scale, and counted as the end of the scale (--keep-clamped): {items}.",
            items=", ".join(counted),
        )
    consistent = position_consistency(facts)
    if consistent is not None and consistent.value is not None:
        interval = facts.interval(consistent, "share")
        yield _(
            "Position: the judge names the same answer in both orders in {share} of {n} comparisons{interval}. The "
            "others count as ties.",
            share=_.percent(consistent.value),
            n=_.number(consistent.n, 0),
            interval=f" ({interval})" if interval else "",
        )


def metrics(facts: Facts) -> dict[str, Any] | None:
    """Return the same for metrics.json, positions apart; None where nothing was recorded."""
    if not _traces(facts):
        return None
    counted, left = _clamped(facts)
    return {
        "parse_methods": _methods(facts),
        "without_score": [
            {"failure": kind, "reason": reason, "items": names} for (kind, reason), names in _unread(facts).items()
        ],
        "clamped": {"counted": counted, "left_out": left},
    }


def position_consistency(facts: Facts) -> Estimate | None:
    """Return the share of comparisons in which both orders agree; None without any."""
    found = {row: trace.consistent for row, (_, trace) in _traces(facts).items()}
    agreed = {row: float(both) for row, both in found.items() if both is not None}
    if not agreed:
        return None
    known = np.zeros(len(facts.panel.items), bool)
    known[list(agreed)] = True
    columns = {"agreed": np.array(list(agreed.values())), "always": np.ones(len(agreed))}
    panel, options = facts.panel, facts.analysis.options
    estimates = bootstrap(
        columns,
        {"share": pair_statistic(percent_agreement, "agreed", "always")},
        replicates=options.replicates,
        seed=options.seed,
        clusters=panel.clusters(known),
        strata=panel.strata(known),
    )
    return estimates["share"]


def _traces(facts: Facts) -> dict[int, tuple[Judgement, Trace]]:
    """Return what was recorded of the headline judge's judgement of each item, by row; nothing while it is held."""
    if facts.judge is None:
        return {}
    said = {row: facts.judgements(row).get(facts.judge) for row in range(len(facts.panel.items))}
    return {row: (one, one.trace) for row, one in said.items() if one is not None and one.trace is not None}


def prompts(facts: Facts) -> list[str]:
    """Return the fingerprints of the prompts, without the texts that were judged, where the run recorded them."""
    return sorted({trace.prompt for _, trace in _traces(facts).values() if trace.prompt})


def _methods(facts: Facts) -> dict[str, int]:
    return dict(Counter(trace.method for _, trace in _traces(facts).values() if trace.method).most_common())


def _unread(facts: Facts) -> dict[tuple[str, str], list[str]]:
    """Return the items without a score by what went wrong, and its words, which may quote the judge's answer."""
    found: dict[tuple[str, str], list[str]] = {}
    for row, (said, trace) in _traces(facts).items():
        if said.score is None and trace.clamped is None and trace.failure:
            reason = shown(trace.reason, REASON_CHARACTERS) if trace.reason and facts.story.texts else ""
            found.setdefault((shown(trace.failure), reason), []).append(facts.names[row])
    return found


def _clamped(facts: Facts) -> tuple[list[str], list[str]]:
    counted: list[str] = []
    left: list[str] = []
    for row, (said, trace) in _traces(facts).items():
        if trace.clamped is not None:
            (left if said.score is None else counted).append(facts.names[row])
    return counted, left
