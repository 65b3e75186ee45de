"""The geometry of the report's pictures. Templates draw them as SVG.

Hand-written SVG, not a plotting library's: colours are the page's own variables, so that dark mode and print follow by
themselves; horizontal places are percentages, so that a picture fills a phone or a page without shrinking its words;
and a picture takes a few kilobytes. Matrices (pairs of people, confusion) are shaded HTML tables instead: there the
table itself is the picture, and a screen reader, a phone and a spreadsheet all get it whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolkit.report.cells import OUTSIDE_MARK, Cell, Table, outside_its_interval, outside_text
from toolkit.report.facts import BAND_EDGES, NO_LEAN, Facts
from toolkit.report.sayings import note_text
from toolkit.stats.bands import BAND_FLOORS
from toolkit.stats.results import Estimate

INSET = 2.0
ROW, HEAD, FOOT = 50, 8, 26
GAP = 18
LABEL_CHARACTERS = 40
BUBBLE_HEIGHT = 320
SMALLEST_BUBBLE, LARGEST_BUBBLE = 4.0, 17.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis, at a percentage (or pixel) place."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One line of a forest plot; `point` is None where the value is undefined, `low` where there is no interval.

    Attributes:
        label: Its name, in full: a picture file is wider than a phone.
    """

    top: float
    label: str
    value: str
    range: str
    kind: str
    point: float | None
    low: float | None
    high: float | None

    @property
    def short(self) -> str:
        """The label as far as it leaves room for its value on a phone; the table behind the picture has it in full."""
        return self.label if len(self.label) <= LABEL_CHARACTERS else self.label[: LABEL_CHARACTERS - 1] + "…"


@dataclass(frozen=True)
class Forest:
    """Values with their intervals, over the bands of the protocol."""

    key: str
    title: str
    description: str
    height: float
    axis: float
    rows: Sequence[ForestRow]
    bands: Sequence[tuple[str, float, float]]
    ticks: Sequence[Tick]
    table: Table
    zero: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a forest plot: a label, an estimate, whose it is (`people`, `judge`, `mean`), and its group."""

    label: str
    estimate: Estimate
    kind: str
    group: int = 0


def forest(key: str, title: str, lines: Sequence[Line], facts: Facts) -> Forest:
    """Return a forest plot of kappas over the protocol's bands."""
    floor = max(-1.0, math.floor(min([0.0, *_extent(lines)]) * 5) / 5)
    floors = [max(floor, f) for f in BAND_FLOORS.values()]
    bands = list(zip(map(str, BAND_FLOORS), floors, [*floors[1:], 1.0], strict=True))
    steps = [float(step) for step in np.arange(round(floor * 5), 6) / 5]
    return _forest(key, title, lines, facts, _Axis(floor, 1.0, steps), bands)


def lean(key: str, title: str, lines: Sequence[Line], facts: Facts) -> Forest:
    """Return a forest plot of differences in points, with 0 in the middle."""
    most = max([0.5, *(abs(value) for value in _extent(lines))])
    step = next((step for step in (0.25, 0.5, 1.0) if most / step <= 4), 1.0)
    end = math.ceil(most / step) * step
    steps = [float(place) * step for place in range(-round(end / step), round(end / step) + 1)]
    return _forest(key, title, lines, facts, _Axis(-end, end, steps, zero=0.0), [])


@dataclass(frozen=True)
class _Axis:
    """From where to where an axis goes, its marks, and where nothing leans to either side."""

    low: float
    high: float
    steps: Sequence[float]
    zero: float | None = None

    def place(self, value: float) -> float:
        share = (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)
        return round(INSET + share * (100 - 2 * INSET), 3)


def _extent(lines: Sequence[Line]) -> list[float]:
    ends = [end for line in lines for end in (line.estimate.ci95 or ())]
    return ends + [line.estimate.value for line in lines if line.estimate.value is not None]


def _forest(
    key: str, title: str, lines: Sequence[Line], facts: Facts, axis: _Axis, bands: Sequence[tuple[str, float, float]]
) -> Forest:
    _, place, signed = facts._, axis.place, axis.zero is not None
    edges, write = (NO_LEAN, facts.signed) if signed else (BAND_EDGES, facts.number)
    rows, top = [], float(HEAD)
    for number, line in enumerate(lines):
        one = line.estimate
        low, high = (place(one.ci95[0]), place(one.ci95[1])) if one.ci95 else (None, None)
        point = None if one.value is None else place(one.value)
        value = _("undefined") if one.value is None else write(one.value, edges)
        if outside_its_interval(one):
            value += f" {OUTSIDE_MARK}"
        if number and line.group != lines[number - 1].group:
            top += GAP
        rows.append(ForestRow(top, line.label, value, facts.interval(one, edges=edges), line.kind, point, low, high))
        top += ROW
    below = top + 4
    digits = 2 if any(round(step, 1) != step for step in axis.steps) else 1
    return Forest(
        key,
        title,
        "; ".join(f"{line.label}: {_spoken(line.estimate, facts, edges)}" for line in lines) + ".",
        below + FOOT,
        below,
        rows,
        [(band.replace("_", "-"), place(start), place(end)) for band, start, end in bands],
        [Tick(place(step), facts._.number(step, digits).replace("-", "−")) for step in axis.steps],
        _forest_table(key, title, lines, facts, edges),
        None if axis.zero is None else place(axis.zero),
    )


def _spoken(one: Estimate, facts: Facts, edges: Sequence[float]) -> str:
    if one.value is None:
        return facts._("undefined")
    value, interval = facts.number(one.value, edges), facts.interval(one, edges=edges)
    return f"{value} [{interval}]" if interval else value


def _remarks(estimate: Estimate, facts: Facts) -> str:
    said = [note_text(note, facts._) for note in estimate.notes]
    if outside_its_interval(estimate):
        said.insert(0, outside_text(facts._))
    return " ".join(said)


def _forest_table(key: str, title: str, lines: Sequence[Line], facts: Facts, edges: Sequence[float]) -> Table:
    _ = facts._
    rows = [
        (
            Cell(line.label),
            Cell(facts.estimate(line.estimate, edges=edges), line.estimate.value, kind="coefficient"),
            Cell(facts.interval(line.estimate, edges=edges) or "—"),
            Cell(_.number(line.estimate.n, 0), line.estimate.n, kind="count"),
            Cell(_remarks(line.estimate, facts)),
        )
        for line in lines
    ]
    columns = (_("Whose"), _("Value"), _("95% interval"), _("Items"), _("Remarks"))
    return Table(f"{key}-data", title, columns, rows)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a distribution: how many, and how wide it is drawn."""

    label: str
    count: str
    width: float


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often one rater gave each score."""

    key: str
    name: str
    kind: str
    description: str
    bars: Sequence[Bar]


def distributions(table: Table, facts: Facts) -> list[Distribution]:
    """Return a small bar chart for each rater, all to one scale, from the table of counts."""
    levels = len(facts.panel.scale.codes)
    most = max((cell.value or 0.0 for row in table.rows for cell in row[1 : levels + 1]), default=0.0) or 1.0
    found = []
    for number, row in enumerate(table.rows):
        counts = row[1 : levels + 1]
        bars = [
            Bar(label, cell.text, round(100 * (cell.value or 0.0) / most, 2))
            for label, cell in zip(table.columns[1 : levels + 1], counts, strict=True)
        ]
        kind = "people" if number < len(facts.panel.annotators) else "judge"
        described = "; ".join(f"{bar.label}: {bar.count}" for bar in bars)
        found.append(Distribution(f"distribution-{number}", row[0].text, kind, described, bars))
    return found


@dataclass(frozen=True, slots=True)
class Bubble:
    """Items that share a consensus and a judge score."""

    x: float
    y: float
    radius: float
    count: int


@dataclass(frozen=True)
class Bubbles:
    """Judge against consensus: one circle for each combination, its area the number of items."""

    key: str
    title: str
    description: str
    height: int
    bubbles: Sequence[Bubble]
    columns: Sequence[Tick]
    lines: Sequence[Tick]
    table: Table


def bubbles(facts: Facts, judge: str) -> Bubbles:
    """Return the picture of one judge against the consensus."""
    _, human, model = facts._, facts.consensus.headline, facts.judges[judge]
    both = facts.consensus.counted & ~np.isnan(human) & ~np.isnan(model)
    pairs, counts = np.unique(np.column_stack([human[both], model[both]]), axis=0, return_counts=True)
    codes = facts.panel.scale.codes
    low, high = codes[0] - 0.5, codes[-1] + 0.5

    def across(value: float) -> float:
        return round(100 * (value - low) / (high - low), 3)

    def down(value: float) -> float:
        return round(BUBBLE_HEIGHT * (high - value) / (high - low), 2)

    most = int(counts.max()) if counts.size else 1
    drawn = [
        Bubble(
            across(float(x)),
            down(float(y)),
            round(max(SMALLEST_BUBBLE, LARGEST_BUBBLE * math.sqrt(count / most)), 2),
            int(count),
        )
        for (x, y), count in zip(pairs, counts, strict=True)
    ]
    rows = [
        (
            Cell(facts.score(x), float(x), kind="score"),
            Cell(facts.score(y), float(y), kind="score"),
            Cell(_.number(int(count), 0), int(count), kind="count"),
        )
        for (x, y), count in zip(pairs, counts, strict=True)
    ]
    title = _("{judge} against the human consensus, item by item", judge=facts.titled(judge))
    description = _(
        "Circles on the dashed line: judge and people agree. Above them the judge is more generous, below more "
        "severe. The larger the circle, the more items."
    )
    return Bubbles(
        f"bubbles-{facts.number_of(judge)}",
        title,
        description,
        BUBBLE_HEIGHT,
        drawn,
        [Tick(across(code), facts.score(code)) for code in codes],
        [Tick(down(code), facts.score(code)) for code in codes],
        Table(
            f"bubbles-{facts.number_of(judge)}-data",
            title,
            (_("Human consensus"), _("Judge"), _("Items")),
            rows,
        ),
    )
