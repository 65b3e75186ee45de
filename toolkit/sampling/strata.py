"""How many records to take from which part of the log: allocation over strata and over the cells inside them.

Pure arithmetic on counts. Every cell is a simple random sample without replacement of its part of the log, so a
record's inclusion probability is the cell's sample size over its size, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from toolkit.sampling.columns import MISSING
from toolkit.sampling.query import OK, Candidate, Group

Allocation = Literal["equal", "proportional", "neyman"]


@dataclass(frozen=True)
class Cell:
    """A part of the log from which records are taken with one probability.

    Attributes:
        by: The values of the stratifying columns.
        level: The judge's score where the sample is mixed over scores; None where it is not, or there is none.
        problem: Whether these are problem cases; None where the sample takes no share of them.
        size: Records of the log in it.
        wanted: Records to take.
        candidates: Records that may be taken, in order.
    """

    by: tuple[str, ...]
    level: int | None
    problem: bool | None
    size: int
    wanted: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Stratum:
    """A stratum of the log: the records that share the values of the stratifying columns.

    Attributes:
        by: Those values.
        size: Records in the frame.
        target: Records asked for, before the log's own size limits it.
        deviation: Standard deviation of the judge's scores; 0 where fewer than two have one.
        cells: Its cells.
    """

    by: tuple[str, ...]
    size: int
    target: int
    deviation: float
    cells: tuple[Cell, ...]


def build(
    groups: Sequence[Group],
    *,
    per_stratum: int | None = None,
    total: int | None = None,
    allocation: Allocation = "proportional",
    targets: Mapping[tuple[str, ...], int] | None = None,
    mix: bool = False,
    problem_share: float | None = None,
) -> list[Stratum]:
    """Return the strata of a log with what to take from each of their cells.

    Args:
        groups: From `toolkit.sampling.query.groups`.
        per_stratum: The same number from every stratum, or
        total: a number in all, divided by
        allocation: `equal`, `proportional` to size, or `neyman` (size times standard deviation of the judge's scores:
            Neyman 1934, Journal of the Royal Statistical Society 97:558-606), or
        targets: a number for each stratum named; none from the others.
        mix: Whether a stratum's records are spread evenly over the judge's scores.
        problem_share: The share of problem cases in each stratum.
    """
    by_stratum: dict[tuple[str, ...], list[Group]] = {}
    for group in groups:
        if group.status == OK:
            by_stratum.setdefault(group.by, []).append(group)
    keys = sorted(by_stratum, key=lambda by: [(value == MISSING, value) for value in by])
    sizes = [sum(group.n for group in by_stratum[key]) for key in keys]
    deviations = [_deviation(by_stratum[key]) for key in keys]
    if targets is not None:
        wanted = [targets.get(key, 0) for key in keys]
    elif per_stratum is not None:
        wanted = [per_stratum] * len(keys)
    elif allocation == "equal":
        wanted = apportion(total or 0, [1.0] * len(keys), None)
    elif allocation == "neyman":
        wanted = apportion(total or 0, [n * s for n, s in zip(sizes, deviations, strict=True)], sizes)
    else:
        wanted = apportion(total or 0, [float(size) for size in sizes], sizes)
    return [
        Stratum(key, size, target, deviation, _cells(by_stratum[key], min(target, size), mix, problem_share))
        for key, size, target, deviation in zip(keys, sizes, wanted, deviations, strict=True)
    ]


def apportion(total: int, shares: Sequence[float], limits: Sequence[int] | None) -> list[int]:
    """Divide a whole number in proportion to shares, by largest remainders.

    With limits nobody gets more than its limit, and what that leaves goes to the others; and everybody whose limit
    allows it gets at least one (two where the total is at least twice their number, so that a variance within each
    can be estimated), the rare included, as long as the total suffices.

    >>> apportion(20, [60, 20, 20], [60, 20, 20]), apportion(10, [1000, 3], [1000, 3]), apportion(6, [1, 1], [2, 9])
    ([12, 4, 4], [8, 2], [2, 4])
    """
    count = len(shares)
    if not count:
        return []
    if limits is None:
        return _remainders(total, shares)
    total = min(total, sum(limits))
    least = 2 if total >= 2 * count else 1 if total >= count else 0
    floors = [min(least, limit) for limit in limits]
    given: dict[int, int] = {}
    while True:
        free = [i for i in range(count) if i not in given]
        rest = total - sum(given.values())
        weights = [shares[i] for i in free]
        if not any(weights):
            weights = [1.0] * len(free)
        part = dict(zip(free, _remainders(rest, weights), strict=True))
        low = {i: floors[i] for i in free if part[i] < floors[i]}
        high = {i: limits[i] for i in free if part[i] > limits[i]}
        if not low and not high:
            return [{**given, **part}[i] for i in range(count)]
        # fix one side at a time, the one that moves more records, so that the division stays fair
        short = sum(floors[i] - part[i] for i in low)
        over = sum(part[i] - limits[i] for i in high)
        given |= high if over >= short else low


def _remainders(total: int, shares: Sequence[float]) -> list[int]:
    whole = sum(shares)
    exact = [total * share / whole for share in shares]
    found = [math.floor(value + 1e-9) for value in exact]
    order = sorted(range(len(shares)), key=lambda i: (-(exact[i] - found[i]), i))
    for i in order[: total - sum(found)]:
        found[i] += 1
    return found


def _deviation(groups: Sequence[Group]) -> float:
    n = sum(group.n for group in groups if group.level is not None)
    if n < 2:
        return 0.0
    mean = sum(group.total for group in groups) / n
    square = sum(group.squares for group in groups) / n - mean * mean
    return math.sqrt(square) if square > 1e-12 else 0.0


def _cells(groups: Sequence[Group], n: int, mix: bool, problem_share: float | None) -> tuple[Cell, ...]:
    merged: dict[tuple[bool | None, int | None], Cell] = {}
    for group in groups:
        problem = group.problem if problem_share is not None else None
        level = group.level if mix else None
        cell = merged.setdefault((problem, level), Cell(group.by, level, problem, 0, 0, ()))
        merged[problem, level] = replace(
            cell, size=cell.size + group.n, candidates=tuple(sorted((*cell.candidates, *group.candidates)))
        )
    sides: list[tuple[bool | None, int]] = [(None, n)]
    if problem_share is not None:
        have = {side: sum(c.size for c in merged.values() if c.problem is side) for side in (True, False)}
        cases = min(have[True], math.floor(n * problem_share + 0.5))
        others = min(have[False], n - cases)
        sides = [(True, min(have[True], n - others)), (False, others)]
    cells = []
    for side, share in sides:
        found = [merged[key] for key in sorted(merged, key=_order) if key[0] is side]
        sizes = [cell.size for cell in found]
        parts = _level_by_level(share, sizes) if mix else [share] * len(found)
        cells += [replace(cell, wanted=part) for cell, part in zip(found, parts, strict=True)]
    return tuple(cells)


def _order(key: tuple[bool | None, int | None]) -> tuple[bool, bool, int]:
    problem, level = key
    return not problem, level is None, level or 0


def _level_by_level(total: int, sizes: Sequence[int]) -> list[int]:
    """Divide as evenly as the sizes allow; what is left over goes to the middle first, not to the extremes."""
    found = [0] * len(sizes)
    middle = (len(sizes) - 1) / 2
    order = sorted(range(len(sizes)), key=lambda i: (abs(i - middle), i))
    while sum(found) < min(total, sum(sizes)):
        for i in order:
            if found[i] < sizes[i] and sum(found) < total:
                found[i] += 1
    return found
