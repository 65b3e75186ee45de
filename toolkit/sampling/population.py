"""What people would have scored on a whole log: arrays and counts in, estimates out.

The log is known by counts only (records and judge scores per level, per dimension and model); the records people scored
are known one by one, with the design they were drawn by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from toolkit.sampling.population_file import Remark
from toolkit.sampling.query import OK, Group
from toolkit.stats.correction import Corrected, powered, powered_difference, rogan_gladen
from toolkit.stats.survey import Labelled, labelled

FEWEST = 10
FEWEST_IN_GROUP = 5
FEW = 100
TOLERANCE = 0.5

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """The judge's scores of a part of the log.

    Attributes:
        records: Records in it; `scored` of them have a judge score.
        total: Sum of those scores.
        levels: Records at each level of the scale.
    """

    records: int
    scored: int
    total: float
    levels: Mapping[int, int]

    @property
    def mean(self) -> float:
        """The judge's mean score."""
        return self.total / self.scored

    def share(self, level: float) -> float:
        """The share of records that the judge scored this high or higher."""
        return sum(n for value, n in self.levels.items() if value >= level) / self.scored


@dataclass(frozen=True)
class Scored:
    """The records of one dimension that people scored.

    Attributes:
        human: Their consensus score, shape (n,).
        judge: The judge's score, NaN where it gave none, shape (n,).
        groups: The model (or other group) of each.
        weights: Inverse inclusion probabilities; None where the sample carries none.
        strata: The stratum of each.
        clusters: The cluster of each.
    """

    human: Array
    judge: Array
    groups: Sequence[str]
    weights: Array | None
    strata: Sequence[str]
    clusters: Sequence[str]


@dataclass(frozen=True)
class Estimates:
    """What is said of one dimension of a log.

    Attributes:
        shares: Share of records at or above each level but the lowest.
        mean: The mean score, which takes the steps between levels for equal.
        differences: Of the mean score, between groups: (first, second) to estimate.
        passes: Rogan and Gladen's share of passes with its interval; None where it is undefined.
        threshold: The score from which an answer passes.
        frame: The part of the log the estimates are of.
        n: Records people scored that count.
        remarks: What limits them.
    """

    shares: dict[float, Corrected]
    mean: Corrected
    differences: dict[tuple[str, str], Corrected]
    passes: tuple[float, tuple[float, float]] | None
    threshold: float
    frame: Frame
    n: int
    remarks: tuple[Remark, ...]


def frame_of(groups: Sequence[Group]) -> Frame:
    """Return a part of the log from its groups."""
    own = [group for group in groups if group.status == OK]
    levels: dict[int, int] = {}
    for group in own:
        if group.level is not None:
            levels[group.level] = levels.get(group.level, 0) + group.n
    scored = sum(levels.values())
    return Frame(sum(g.n for g in own), scored, sum(g.total for g in own), dict(sorted(levels.items())))


def estimate(
    scored: Scored, by_group: Mapping[str, Frame], levels: Sequence[float], *, threshold: float, seed: int
) -> Estimates | None:
    """Estimate what people would have scored on the log.

    Args:
        scored: The records people scored.
        by_group: For each group of the log (its models) the judge's scores; one group where they are not told apart.
        levels: The levels of the scale, lowest first.
        threshold: The score from which an answer passes.
        seed: Of the bootstrap behind Rogan and Gladen's interval.

    Returns:
        The estimates; None with fewer than ten records that both people and judge scored.
    """
    inside = ~np.isnan(scored.judge)
    if inside.sum() < FEWEST:
        return None
    said: list[Remark] = []
    covered, power = _covered(scored, by_group, said)
    frame = _joined(list(covered.values()))
    design = labelled(
        scored.human.size,
        weights=scored.weights,
        strata=scored.strata if scored.weights is not None else None,
        clusters=scored.clusters,
    )
    if frame.scored < frame.records:
        said.append(Remark(kind="not_judged", n=frame.records - frame.scored, of=frame.records))
    shares = {
        level: _one(
            scored.human >= level, _levels(scored.judge) >= level, frame.share(level), design, inside, power, (0, 1)
        )
        for level in levels[1:]
    }
    mean = _one(scored.human, scored.judge, frame.mean, design, inside, power, (levels[0], levels[-1]))
    return Estimates(
        shares=shares,
        mean=mean,
        differences=_differences(scored, covered, design, inside, power),
        passes=_passes(scored, frame, threshold, inside, seed) if power is None else None,
        threshold=threshold,
        frame=frame,
        n=int(inside.sum()),
        remarks=tuple(said + _limits(scored, shares, int(inside.sum()))),
    )


def _one(
    human: Array | NDArray[np.bool_],
    judge: Array | NDArray[np.bool_],
    log_mean: float,
    design: Labelled,
    inside: NDArray[np.bool_],
    power: float | None,
    within: tuple[float, float] | None = None,
) -> Corrected:
    y, f = human.astype(float), np.where(inside, judge, 0.0).astype(float)
    return powered(y, f, log_mean, design, domain=inside, power=power, within=within)


def _covered(
    scored: Scored, by_group: Mapping[str, Frame], said: list[Remark]
) -> tuple[dict[str, Frame], float | None]:
    """Return the groups of the log that the sample stands for, and a lambda of 0 where that cannot be told."""
    if scored.weights is None:
        return dict(by_group), None
    stands_for, size = float(scored.weights.sum()), sum(frame.records for frame in by_group.values())
    if abs(stands_for - size) <= TOLERANCE:
        return dict(by_group), None
    sampled = {name: frame for name, frame in by_group.items() if name in set(scored.groups)}
    absent = {name: frame.records for name, frame in by_group.items() if name not in sampled}
    if absent and abs(stands_for - sum(frame.records for frame in sampled.values())) <= TOLERANCE:
        names = tuple(f"{name} ({n})" for name, n in sorted(absent.items()))
        said.append(Remark(kind="no_chance", names=names))
        return sampled, None
    said.append(Remark(kind="other_size", n=round(stands_for), of=size))
    return dict(by_group), 0.0


def _joined(frames: Sequence[Frame]) -> Frame:
    levels: dict[int, int] = {}
    for frame in frames:
        for level, n in frame.levels.items():
            levels[level] = levels.get(level, 0) + n
    total = sum(frame.total for frame in frames)
    return Frame(sum(f.records for f in frames), sum(f.scored for f in frames), total, dict(sorted(levels.items())))


def _levels(judge: Array) -> Array:
    return np.floor(judge + 0.5)


def _differences(
    scored: Scored, covered: Mapping[str, Frame], design: Labelled, inside: NDArray[np.bool_], power: float | None
) -> dict[tuple[str, str], Corrected]:
    names = np.array(scored.groups)
    of: dict[str, Corrected] = {}
    for name, frame in sorted(covered.items()):
        own = inside & (names == name)
        if frame.scored and own.sum() >= FEWEST_IN_GROUP:
            of[name] = _one(scored.human, scored.judge, frame.mean, design, own, power)
    return {(a, b): powered_difference(of[a], of[b], design) for a, b in combinations(of, 2)}


def _passes(
    scored: Scored, frame: Frame, threshold: float, inside: NDArray[np.bool_], seed: int
) -> tuple[float, tuple[float, float]] | None:
    return rogan_gladen(
        (scored.human[inside] >= threshold).astype(float),
        (_levels(scored.judge[inside]) >= threshold).astype(float),
        frame.share(threshold),
        frame.scored,
        weights=None if scored.weights is None else scored.weights[inside],
        strata=np.array(scored.strata)[inside] if scored.weights is not None else None,
        clusters=np.array(scored.clusters)[inside],
        seed=seed,
    )


def _limits(scored: Scored, shares: Mapping[float, Corrected], n: int) -> list[Remark]:
    said = []
    if scored.weights is None:
        said.append(Remark(kind="no_weights"))
    if n < FEW:
        said.append(Remark(kind="few", n=n, of=FEW))
    rare = tuple(level for level, one in shares.items() if min(one.people, 1 - one.people) * n < 5)
    if rare:
        said.append(Remark(kind="rare", levels=rare))
    return said
