"""Gates: whether a figure's interval clears a threshold, lies on the wrong side of it, or decides nothing yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toolkit.stats import MIN_ITEMS, Estimate

# what two computations of one figure may differ by
NOISE = 1e-9
Outcome = Literal["pass", "fail", "inconclusive"]
PASS: Outcome = "pass"
FAIL: Outcome = "fail"
INCONCLUSIVE: Outcome = "inconclusive"


@dataclass(frozen=True, slots=True)
class Gate:
    """A threshold for a figure, and what the data say of it.

    Attributes:
        option: The option that asked for it, without its dashes.
        figure: The figure, in the words of metrics.json.
        threshold: The worst value that is still good enough; itself it is good enough.
        highest: Whether it is the highest good value (an error) instead of the lowest (an agreement).
        estimate: The figure.
    """

    option: str
    figure: str
    threshold: float
    highest: bool
    estimate: Estimate

    @property
    def _ends(self) -> tuple[float, float, float] | None:
        """Distance from the threshold of the worse end, the value and the better end; above 0 is good."""
        if self.estimate.value is None or self.estimate.ci95 is None:
            return None
        low, high = self.estimate.ci95
        points = (high, self.estimate.value, low) if self.highest else (low, self.estimate.value, high)
        sign = -1.0 if self.highest else 1.0
        worse, value, better = (sign * (point - self.threshold) for point in points)
        return worse, value, better

    @property
    def outcome(self) -> Outcome:
        """`pass` when the whole interval is good enough, `fail` when none of it is, else `inconclusive`."""
        if self._ends is None:
            return INCONCLUSIVE
        worse, _, better = self._ends
        if worse >= 0:
            return PASS
        return FAIL if better < 0 else INCONCLUSIVE

    @property
    def more_items(self) -> int | None:
        """About how many more items with a human score would decide it, if the figure stays where it is.

        The width of an interval shrinks with the square root of the number of items. None where it is decided, or where
        no number would do, because the figure sits on the threshold itself or is undefined.
        """
        if self.outcome != INCONCLUSIVE or self.estimate.value is None:
            return None
        if self._ends is None:
            return MIN_ITEMS - self.estimate.n if self.estimate.n < MIN_ITEMS else None
        worse, value, better = self._ends
        if abs(value) < NOISE:
            return None
        width = value - worse if value > 0 else better - value
        return max(1, math.ceil(self.estimate.n * ((width / value) ** 2 - 1) - NOISE))

    def __str__(self) -> str:
        return f"{self.figure} {'at most' if self.highest else 'at least'} {self.threshold:g}"


def verdict(gates: Sequence[Gate]) -> Outcome | None:
    """Return what all gates say together: one that fails decides; None without any."""
    found = {gate.outcome for gate in gates}
    return next((outcome for outcome in (FAIL, INCONCLUSIVE, PASS) if outcome in found), None)
