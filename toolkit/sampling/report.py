"""The sample report: who was chosen, against the log, stratum by stratum; and what was left out, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.errors import shown
from toolkit.files import canonical_json, sha256
from toolkit.sampling.choose import Pick
from toolkit.sampling.query import BAD_SCORE, EXCLUDED, FILTERED, NO_ID, OK, Group
from toolkit.sampling.strata import Cell, Stratum

LABEL_CHARACTERS = 60
STRATA_NAMED = 5


def labels(strata: Sequence[Stratum], by: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Return a name for each stratum: its values, with their columns where there are several."""
    found: dict[tuple[str, ...], str] = {}
    for stratum in strata:
        pairs = zip(by, stratum.by, strict=True)
        text = ", ".join(f"{name}={shown(value, LABEL_CHARACTERS)}" for name, value in pairs) or "all"
        if text in found.values():  # values with a comma in them, or cut off
            text += f" #{sha256(canonical_json(stratum.by))[:6]}"
        found[stratum.by] = text
    return found


def cell_label(stratum: str, cell: Cell, *, mix: bool) -> str:
    """Return the name of a cell: what its records' `stratum` field holds."""
    parts = [stratum]
    if cell.problem is not None:
        parts.append(f"problem={'yes' if cell.problem else 'no'}")
    if mix:
        parts.append(f"judge={'none' if cell.level is None else cell.level}")
    return ", ".join(parts)


def chosen_as_problem(stratum: str) -> bool:
    """Return whether a record was chosen because its judge seemed to err: from the name of its cell."""
    return "problem=yes" in stratum.split(", ")


def chosen_by_score(stratum: str) -> bool:
    """Return whether a record was chosen by its judge's score: from the name of its cell."""
    return stratum.rpartition(", ")[2].startswith("judge=")


def fingerprint(groups: Sequence[Group]) -> str:
    """Return a hash of what the log held (counts and first candidates of every group), whatever its order."""
    content = [
        [list(g.by), g.status, g.level, g.problem, g.n, [[c.hash, c.item_id] for c in g.candidates]] for g in groups
    ]
    content.sort(key=canonical_json)
    return sha256(canonical_json(content))


def rows_of(groups: Sequence[Group], broken: int) -> dict[str, int]:
    """Return how many of the log's rows may be chosen, and how many may not, by reason.

    Args:
        groups: From `toolkit.sampling.query.groups`.
        broken: Rows that the engine could not read as rows.
    """
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.status] += group.n
    return {
        "read": sum(counts.values()) + broken,
        "broken": broken,
        "no_item_id": counts[NO_ID],
        "bad_judge_score": counts[BAD_SCORE],
        "excluded": counts[EXCLUDED],
        "filtered": counts[FILTERED],
        "frame": counts[OK],
    }


def stratum_rows(
    strata: Sequence[Stratum],
    groups: Sequence[Group],
    picks: Sequence[Pick],
    scores: Mapping[tuple[str, str | None], float | None],
    names: Mapping[tuple[str, ...], str],
    by: Sequence[str],
) -> list[dict[str, Any]]:
    """Return for each stratum the log beside the sample: numbers, judge scores, problem cases, probabilities."""
    found = []
    for stratum in strata:
        own = [g for g in groups if g.by == stratum.by and g.status == OK]
        chosen = [pick for pick in picks if pick.cell.by == stratum.by]
        given = [s for pick in chosen if (s := scores.get(pick.candidate.key)) is not None]
        scored = sum(g.n for g in own if g.level is not None)
        found.append(
            {
                "stratum": names[stratum.by],
                "values": dict(zip(by, stratum.by, strict=True)),
                "log": stratum.size,
                "wanted": stratum.target,
                "chosen": len(chosen),
                "without_chance": sum(c.size for c in stratum.cells if not any(p.cell is c for p in chosen)),
                "judge_mean_log": sum(g.total for g in own) / scored if scored else None,
                "judge_mean_chosen": sum(given) / len(given) if given else None,
                "levels_log": _levels((g.level, g.n) for g in own),
                "levels_chosen": _levels((_level(scores.get(p.candidate.key)), 1) for p in chosen),
                "problems_log": sum(g.n for g in own if g.problem),
                "problems_chosen": sum(bool(p.cell.problem) for p in chosen) if _has_sides(stratum) else None,
                "inclusion_probability": _range([p.probability for p in chosen]),
            }
        )
    return found


def shortfalls(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what could not be had, in words."""
    said = [
        f"stratum {row['stratum']}: {row['chosen']} of the {row['wanted']} wanted (the log has {row['log']})"
        for row in rows
        if row["chosen"] < row["wanted"]
    ]
    without = [row for row in rows if row["without_chance"]]
    if without:
        names = "; ".join(
            f"{row['without_chance']} of {row['log']} in {row['stratum']}" for row in without[:STRATA_NAMED]
        )
        more = f" and {len(without) - STRATA_NAMED} more strata" if len(without) > STRATA_NAMED else ""
        count = sum(row["without_chance"] for row in without)
        said.append(f"{count} records had no chance of being chosen; nothing can be said of them: {names}{more}")
    return said


def _has_sides(stratum: Stratum) -> bool:
    return any(cell.problem is not None for cell in stratum.cells)


def _level(score: float | None) -> int | None:
    return None if score is None else math.floor(score + 0.5)


def _levels(pairs: Any) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for level, n in pairs:
        counts["none" if level is None else str(level)] += n
    return dict(sorted(counts.items()))


def _range(values: Sequence[float]) -> list[float] | None:
    return [min(values), max(values)] if values else None
