"""A story seen as a report shows it: what may be shown, what things are called, and who is compared with whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from toolkit.analysis import Analysis, Block, JudgeDetail, Panel, far_apart
from toolkit.consensus import Consensus
from toolkit.i18n import MISSING, Language, rounded
from toolkit.model import Judgement
from toolkit.report.story import ABSENT, DROPPED, Story
from toolkit.stats.bands import BAND_FLOORS, band
from toolkit.stats.ceiling import Ceiling
from toolkit.stats.results import Estimate
from toolkit.study import Plan
from toolkit.workbook.blindness import UNNAMED_JUDGE
from toolkit.workbook.triage import Triaged

Array = NDArray[np.float64]
FEW_ITEMS = 30
MANY_FLAGGED = 0.2
DOMINANT = 0.8
# Where the reading of a kappa changes, and that of a lean or a difference.
BAND_EDGES = tuple(BAND_FLOORS.values())[1:]
NO_LEAN = (0.0,)
NOISE = 1e-9
PLACES, MOST_PLACES = 2, 6


def _places(value: float, edges: Sequence[float], digits: int = PLACES) -> int:
    """Return how many places a number needs so that rounding does not carry it onto or over an edge."""
    for places in range(digits, MOST_PLACES):
        shown = float(rounded(value, places))
        if all(_side(value, edge) == _side(shown, edge) for edge in edges):
            return places
    return digits


def _side(value: float, edge: float) -> int:
    """Return on which side of an edge a value lies; a band holds its floor, so there is no place of its own on it."""
    reached, passed = value >= edge - NOISE, value > edge + NOISE
    return int(reached) if edge in BAND_EDGES else reached + passed


def minutes_per_item(panel: Panel) -> dict[str, float]:
    """Return the median minutes per item of each annotator who recorded any."""
    found = {
        name: [one.minutes for (_row, who), one in panel.annotations.items() if who == name and one.minutes is not None]
        for name in panel.annotators
    }
    return {name: float(np.median(minutes)) for name, minutes in found.items() if minutes}


@dataclass(frozen=True)
class Facts:
    """The one door from a story to its report. Nothing of a judge that is held back comes through it."""

    story: Story

    @cached_property
    def _(self) -> Language:
        """The report's language."""
        return self.story._

    @property
    def analysis(self) -> Analysis:
        """Every result."""
        return self.story.analysis

    @property
    def panel(self) -> Panel:
        """Who scored what."""
        return self.analysis.panel

    @property
    def consensus(self) -> Consensus:
        """What people think of each item."""
        return self.analysis.consensus

    @property
    def block(self) -> Block:
        """The headline figures over all items."""
        return self.analysis.headline.overall

    @property
    def nominal(self) -> bool:
        """Whether scores are names without order."""
        return self.panel.scale.kind == "nominal"

    @property
    def kappa(self) -> str:
        """The key of the kappa that leads the report: the weighted one, where scores have an order."""
        return "kappa_unweighted" if self.nominal else "kappa_quadratic"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """How each item is called."""
        return self.panel.names

    @cached_property
    def judges(self) -> Mapping[str, Array]:
        """Scores of the judges that may be shown, the headline judge first."""
        return {} if self.analysis.judge_held else self.panel.judges

    @property
    def judge(self) -> str | None:
        """The headline judge, where it may be shown."""
        return next(iter(self.judges), None)

    @property
    def the_judge(self) -> str:
        """How a sentence calls the headline judge: by its name where there are others."""
        return self.called(self.judge) if self.judge is not None and len(self.judges) > 1 else self._("the judge")

    def called(self, name: str, *, first: bool = False) -> str:
        """Return how a sentence calls a judge (or annotator): a name that nobody gave is no name.

        Args:
            name: The name.
            first: Whether the sentence begins with it.
        """
        if name != UNNAMED_JUDGE:
            return name
        ours = self._("the judge")
        return ours[:1].upper() + ours[1:] if first else ours

    def titled(self, name: str) -> str:
        """Return how a heading calls a judge."""
        return self._("Judge") if name == UNNAMED_JUDGE else name

    def as_rater(self, name: str) -> str:
        """Return how a judge is called among people."""
        return self._("Judge") if name == UNNAMED_JUDGE else self._("Judge {judge}", judge=name)

    @property
    def named_judges(self) -> tuple[str, ...]:
        """The names of the judges that have one."""
        return tuple(name for name in self.judges if name != UNNAMED_JUDGE)

    @property
    def wide(self) -> bool:
        """Whether two scores can lie two points apart: the scale has an order and three levels or more."""
        return far_apart(self.panel.scale) > 0

    def number_of(self, judge: str) -> int:
        """Return a judge's place, which names its tables: a name may hold anything, an id may not."""
        return list(self.judges).index(judge)

    @property
    def judge_estimates(self) -> Mapping[str, Estimate]:
        """The headline judge against the consensus; empty without a judge."""
        return self.block.judges.get(self.judge, {}) if self.judge is not None else {}

    @property
    def people_figure(self) -> str:
        """The name of the figure that leads for people among themselves."""
        return self.block.people_figure

    @property
    def people_kappa(self) -> Estimate | None:
        """The figure that leads for people among themselves."""
        return self.block.people.get(self.people_figure)

    @property
    def plan(self) -> Plan:
        """What was decided beforehand; the defaults for ratings collected elsewhere."""
        return self.story.study.plan if self.story.study else Plan()

    @cached_property
    def dimensions(self) -> dict[str, str]:
        """The title of each dimension that has items, by its key, in the order of the results."""
        keys = dict.fromkeys(item.dimension for item in self.panel.items)
        return {key: self.dimension(key) for key in (*self.analysis.headline.by_dimension, *keys)}

    def dimension(self, key: str) -> str:
        """Return a dimension's title."""
        described = self.story.rubric.dimensions.get(key)
        return described.title if described else key

    def judgements(self, row: int) -> dict[str, Judgement]:
        """Return what the judges said of an item, by judge; nothing while they are held back."""
        said = self.story.judgements.get(self.panel.items[row].key, ())
        return {one.judge: one for one in said if one.judge in self.judges}

    def difference(self, row: int) -> float | None:
        """Return judge minus consensus for an item; None where either is missing or scores have no order."""
        if self.judge is None or self.nominal:
            return None
        value = float(self.judges[self.judge][row] - self.consensus.headline[row])
        return None if np.isnan(value) else value

    def score(self, code: float) -> str:
        """Return a score as people read it."""
        return self._.score(self.panel.scale.value(float(code)))

    def signed(self, value: float, edges: Sequence[float] = (), digits: int = PLACES) -> str:
        """Return a number with its sign, to so many places that it stays on its side of the edges."""
        places = _places(value, edges, digits)
        shown = self._.number(abs(value), places)
        return shown if rounded(value, places) == 0 else ("+" if value > 0 else "−") + shown

    def estimate(self, estimate: Estimate | None, kind: str = "coefficient", edges: Sequence[float] = ()) -> str:
        """Return a value as its kind is written, or a dash."""
        if estimate is None or estimate.value is None:
            return MISSING
        return self._.percent(estimate.value) if kind == "share" else self.number(estimate.value, edges)

    def number(self, value: float, edges: Sequence[float] = ()) -> str:
        """Return a number with a true minus, to two places, or as many as keep it on its side of the edges.

        A kappa of 0.597 is moderate; written as 0.60 it would contradict its band.
        """
        return self._written(value, _places(value, edges))

    def _written(self, value: float, places: int) -> str:
        return self._.number(value, places).replace("-", "−")

    def is_fine(self, estimate: Estimate | None, kind: str = "coefficient", edges: Sequence[float] = ()) -> bool:
        """Return whether a value or its interval is written with more than two places; see `rounding`."""
        if estimate is None or estimate.value is None or kind == "share":
            return False
        return any(_places(value, edges) > PLACES for value in (estimate.value, *(estimate.ci95 or ())))

    @property
    def rounding(self) -> str:
        """To how many places numbers are written, in a sentence."""
        return self._(
            "Two decimals, and more only where rounding would carry a number onto or over a threshold (edge of a band, "
            "0, margin)."
        )

    def interval(self, estimate: Estimate | None, kind: str = "coefficient", edges: Sequence[float] = ()) -> str:
        """Return an interval, or nothing where there is none."""
        if estimate is None or estimate.ci95 is None:
            return ""
        places = max(_places(end, edges) for end in estimate.ci95)
        low, high = (self._.percent(end) if kind == "share" else self._written(end, places) for end in estimate.ci95)
        # no line break inside an interval
        return self._("{low} to {high}", low=low, high=high).replace(" ", "\u00a0")

    @cached_property
    def minutes(self) -> dict[str, float]:
        """Median minutes per item of each annotator who recorded any."""
        return minutes_per_item(self.panel)

    @cached_property
    def triage(self) -> Mapping[int, Triaged] | None:
        """What somebody found of the items where the judge is far from people; None without the judge or a triage."""
        return self.story.triage if self.judge is not None else None

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Who does not take part, and why, in sentences."""
        _ = self._
        known = {ABSENT: _("returned nothing"), DROPPED: _("left out with --without")}
        return tuple(
            _("{name} does not take part: {reason}", name=name, reason=known.get(reason, reason).rstrip(".") + ".")
            for name, reason in self.story.left_out.items()
        )

    @property
    def scored_by(self) -> str:
        """How many of the annotators scored an item that counts, in a sentence; empty where all of them did."""
        _, people = self._, len(self.panel.annotators)
        given = (~np.isnan(self.panel.scores[self.consensus.counted])).sum(axis=1)
        if given.min() == people:
            return ""
        return _("Each item was scored by {k} of the {n} annotators.", k=_.span(given), n=_.number(people, 0))

    @property
    def detail(self) -> JudgeDetail | None:
        """The headline judge beside the people one by one; None without a judge."""
        return self.block.details.get(self.judge) if self.judge is not None else None

    @property
    def ceiling(self) -> Ceiling | None:
        """The headline judge beside the people, like with like; None without a judge or an order of scores."""
        return self.detail.ceiling if self.detail is not None else None

    @property
    def people_low(self) -> bool:
        """Whether people's own agreement falls into the lowest band, which is a finding about the rubric.

        Without an interval nobody knows how far to trust the value: a handful of items finds nothing.
        """
        found = self.people_kappa
        return found is not None and found.ci95 is not None and str(band(found.value)) == "low"

    @property
    def flagged_share(self) -> float:
        """The share of items that count on which people are two or more points apart, or of no most frequent answer."""
        return float(self.consensus.flagged.sum() / max(1, self.consensus.counted.sum()))

    @cached_property
    def to_read(self) -> tuple[int, ...]:
        """The items to read: flagged ones and those where judge and people part, the furthest apart first."""
        flagged = self.consensus.flagged
        rows = {*self.analysis.rows(flagged), *self.apart}

        def distance(row: int) -> float:
            return max(float(np.nan_to_num(self.consensus.disagreement_range[row])), abs(self.difference(row) or 0.0))

        return tuple(sorted(rows, key=lambda row: (-distance(row), not flagged[row], row)))

    @cached_property
    def apart(self) -> frozenset[int]:
        """The items on which the headline judge and people part; none where it may not be shown."""
        return frozenset(self.analysis.headline.judge_disagreements if self.judge is not None else ())
