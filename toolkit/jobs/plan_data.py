"""What is asked of a plan, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolkit.model import Scale
from toolkit.sampling.simulate import LARGEST, METRICS, SIZES, WIDTHS, Width


@dataclass(frozen=True)
class Goal:
    """One thing that a study should reach: an interval as narrow as wanted, or a finding as probable as wanted.

    Attributes:
        metric: The figure, one of `METRICS`.
        finding: Whether it is a finding: that the judge is as good as people (`ceiling`), that it passes (`alt-test`),
            that the figure is better than
        beat: this value.
    """

    metric: str
    finding: bool = False
    beat: float | None = None

    @property
    def key(self) -> str:
        """A short name: `kappa`, `as_good`, `alt-test`, `kappa>0.6`, `mae<0.5`."""
        if self.beat is not None:
            return f"{self.metric}{'<' if self.metric == 'mae' else '>'}{self.beat:g}"
        return "as_good" if self.metric == "ceiling" and self.finding else self.metric


@dataclass(frozen=True)
class Question:
    """What is asked of a plan.

    Attributes:
        designs: Each a number of annotators, and how many of them score an item.
        half_width: The half-width of the 95% intervals that is wanted.
        power: The probability of a finding that is wanted, where the judge is as good as assumed.
        beat: For some figures, the value that the judge should be shown to be better than.
        threshold: The score from which an answer passes, for the true-positive and true-negative rate.
        margin: How far below the people's kappa a judge's still counts as as good.
        minutes: For one item and one person.
    """

    scale: Scale
    designs: tuple[tuple[int, int], ...]
    half_width: float = 0.10
    power: float = 0.8
    beat: tuple[tuple[str, float], ...] = ()
    threshold: float = 4
    margin: float = 0.10
    minutes: float = 2.0
    metrics: tuple[str, ...] = METRICS
    sizes: tuple[int, ...] = SIZES

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Everything a study should reach: intervals first, then findings."""
        widths = [Goal(metric) for metric in self.metrics if metric in WIDTHS]
        findings = [Goal(metric, finding=True) for metric in self.metrics if metric in ("ceiling", "alt-test")]
        return (*widths, *findings, *(Goal(metric, finding=True, beat=value) for metric, value in self.beat))


@dataclass(frozen=True)
class Design:
    """What plan found for one design.

    Attributes:
        annotators: How many people; `overlap` of them score an item.
        largest: The largest study that was drawn.
        needed: For each goal that this design can reach the items it takes; None where no size that was tried will do.
        widths: For each interval one `Width` per size.
        powers: For each finding its probability per size, None where it cannot be found.
        closed_form: Items for kappa by formula; None where it says nothing.
        remarks: What this design cannot tell, and what it means.
    """

    annotators: int
    overlap: int
    minutes: float
    largest: int
    needed: dict[Goal, int | None]
    widths: dict[Goal, list[Width]]
    powers: dict[Goal, list[float | None]]
    closed_form: int | None
    remarks: tuple[str, ...]

    def hours_each(self, items: int) -> float:
        """Return the hours of each annotator for a number of items, equally shared."""
        return self.hours_in_all(items) / self.annotators

    def hours_in_all(self, items: int) -> float:
        """Return the hours of all annotators together."""
        return items * self.overlap * self.minutes / 60

    def most(self, goal: Goal) -> int | None:
        """Return up to how many items were tried for a goal; None where it is undefined in the largest studies, too."""
        if goal.metric == "alt-test":
            return self.largest
        last = self.powers[goal][-1] if goal.finding else self.widths[goal][-1].half_width
        return None if last is None else LARGEST


@dataclass(frozen=True)
class Binary:
    """Closed forms for scores of two levels: kappa of the judge and one person.

    Attributes:
        limit: Items that put the one-sided lower limit of kappa the wanted half-width below it.
        power: Items that show with the wanted power that kappa is not the value to beat; None without such a value
            below it.
    """

    limit: int | None
    power: int | None


@dataclass(frozen=True)
class Planned:
    """What plan found.

    Attributes:
        designs: In the order asked.
        binary: For a scale of two levels.
        have: Items of the pilot; None without one.
    """

    question: Question
    designs: tuple[Design, ...]
    binary: Binary | None
    have: int | None
    seed: int
    files: tuple[Path, ...]
    warnings: tuple[str, ...]
