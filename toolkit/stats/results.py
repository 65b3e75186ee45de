"""What a statistic returns: an estimate, and codes for what is undefined or fragile about it.

The codes are machine words. The sentences that explain them to a reader, in three languages, live with the
report, which knows its reader; numbers and codes are all that is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Estimate", "Note"]


class Note(StrEnum):
    """One code for each way in which a value can be undefined or can mislead."""

    NO_SHARED_ITEMS = "no_shared_items"
    """No item was scored by both sides (or by two raters at all): undefined."""
    SINGLE_ITEM = "single_item"
    """One shared item only; a kappa of 0 here says nothing."""
    TWO_ITEMS = "two_items"
    """Two shared items; a correlation of two points is always 1 or -1."""
    BOTH_CONSTANT = "both_constant"
    """Every score on both sides is the same one: kappa is 0/0, undefined."""
    ONE_CONSTANT = "one_constant"
    """One side always gave the same score: a kappa of 0 that follows from that alone."""
    CONSTANTS_DIFFER = "constants_differ"
    """Each side always gave the same score, a different one: kappa is 0 whatever the distance."""
    CONSTANT = "constant"
    """One side never varies: a correlation is undefined."""
    ALL_SAME = "all_same"
    """All raters gave one and the same score throughout: kappa and alpha are 0/0; AC1 and AC2 are 1 by construction."""
    UNDEFINED = "undefined"
    """The formula divides nothing by nothing on these data."""
    SOME_PAIRS_UNDEFINED = "some_pairs_undefined"
    """The mean leaves out pairs whose kappa is undefined."""
    FEW_SHARED_ITEMS = "few_shared_items"
    """Not everybody scored every item, and most pairs share fewer than 20: kappas of so few are too low on average, and
    an interval of their mean would be far too narrow, so there is none."""
    NO_COMPLETE_ITEMS = "no_complete_items"
    """Fewer than two items were scored by every rater: an ICC is undefined."""
    OUT_OF_RANGE = "out_of_range"
    """The formula's value lies outside -1 to 1: items differ less than chance would make them."""
    SMALL_N = "small_n"
    """Ten to 30 items: intervals are wide and tend to be a little too narrow."""
    SKEWED_SMALL = "skewed_small"
    """Fewer than 100 items and one score makes up at least 60% of one side: intervals of kappas, alphas and
    correlations are too narrow."""
    PREVALENCE = "prevalence"
    """One score makes up at least 80% of all scores: kappa collapses even on near-perfect agreement."""
    HALF_POINTS = "half_points"
    """Values between the levels of the scale count as scores of their own (3.5 is neither 3 nor 4)."""
    NEAR_TIES = "near_ties"
    """Values that differ by less than a thousandth of a point: a mean rounded differently in two places?"""
    NO_INTERVAL_UNDER_10 = "no_interval_under_10"
    """Fewer than ten items: a bootstrap interval would not deserve the name."""
    INTERVAL_UNDEFINED_RESAMPLES = "interval_undefined_resamples"
    """Undefined in more than 5% of the resamples: no interval."""
    SOME_RESAMPLES_UNDEFINED = "some_resamples_undefined"
    """Undefined in some resamples, 5% at most: the interval is of the others."""
    INTERVAL_DEGENERATE = "interval_degenerate"
    """Every resample gave the same value: the interval has no width, which is not certainty."""
    PERCENTILE_INSTEAD = "percentile_instead"
    """BCa was asked for and cannot be computed on these data: the percentile interval stands in."""
    FEW_CLUSTERS = "few_clusters"
    """Fewer than ten clusters: items were resampled as if independent; the interval may be too narrow."""
    FEW_ANNOTATORS = "few_annotators"
    """Fewer annotators than the procedure needs for a verdict."""
    FEW_ITEMS_PER_ANNOTATOR = "few_items_per_annotator"
    """Some annotator scored fewer items than the procedure needs for a verdict."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, how many items stand behind it, and how sure it is.

    Attributes:
        value: The statistic on the data; None where it is undefined.
        n: Number of items that count for it.
        ci95: Lower and upper end of its interval (95% unless another confidence was asked for); None where
            there is none, for a reason that is in `notes`, or because no replicates were asked for.
        notes: Codes for what is undefined or fragile, without repetition.
        replicates: Bootstrap replicates drawn.
        undefined_replicates: How many of them left the statistic undefined.

    Example:
        >>> Estimate(0.79, 30, (0.61, 0.9))
        Estimate(value=0.79, n=30, ci95=(0.61, 0.9), notes=(), replicates=0, undefined_replicates=0)
    """

    value: float | None
    n: int
    ci95: tuple[float, float] | None = None
    notes: tuple[Note, ...] = ()
    replicates: int = 0
    undefined_replicates: int = 0
