"""The alternative annotator test: could the judge stand in for a person drawn from these annotators?

Its known weaknesses belong beside any result: on a skewed scale a judge that always gives the commonest score can pass
(so that judge's result is worth printing too), two annotators are too few, and with epsilon 0 a tie on every item
decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import NOISE, TINY, Array, as_column, as_matrix
from toolkit.stats.multiplicity import adjusted_p_values
from toolkit.stats.results import Note

__all__ = ["AlternativeTest", "alternative_annotator_test"]

MIN_ANNOTATORS = 3
MIN_ITEMS_EACH = 30


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """Result of the test for one judge and one epsilon.

    Attributes:
        epsilon: What a person costs more than the judge, as a reduction of the advantage the judge must show.
        winning_rate: Share of tested annotators against whom the judge wins; None when none could be tested.
        advantage_probability: Mean over annotators of the share of items on which the judge is at least as close
            to the others as the annotator is.
        items: Items that each annotator was tested on.
        advantages: That share for each annotator; None without items.
        p_values: For each annotator; None where undefined.
        wins: Whether the judge wins against each annotator.
        passed: Winning rate of at least one half; None where the test does not support a verdict (fewer than three
            annotators, or fewer than 30 items for one of them).
        notes: Why there is no verdict.
    """

    epsilon: float
    winning_rate: float | None
    advantage_probability: float | None
    items: tuple[int, ...]
    advantages: tuple[float | None, ...]
    p_values: tuple[float | None, ...]
    wins: tuple[bool, ...]
    passed: bool | None
    notes: tuple[Note, ...]


def alternative_annotator_test(
    ratings: ArrayLike,
    judge: ArrayLike,
    *,
    epsilon: float,
    scoring: Literal["rmse", "accuracy"] = "rmse",
    false_discovery_rate: float = 0.05,
) -> AlternativeTest:
    """Test whether a judge may replace an annotator.

    Calderon, Reichart & Dror (2025, The Alternative Annotator Test for LLM-as-a-Judge, ACL). Each annotator is held
    out: on every item the judge and the annotator are scored by their closeness to the remaining ones, and a one-sided
    t-test (Wilcoxon's signed rank under 30 items) asks whether the annotator is ahead by less than epsilon. The
    p-values are corrected after Benjamini & Yekutieli. The authors take epsilon 0.2 for experts, 0.15 for skilled and
    0.1 for crowd annotators.

    Args:
        ratings: Shape (n, raters); NaN where missing. Items with fewer than two scores do not count.
        judge: Judge scores, shape (n,); NaN where missing.
        epsilon: From 0 to 1.
        scoring: Closeness by root mean squared difference (ordered scores), or by share of equal labels.
        false_discovery_rate: Level of the corrected tests.

    Returns:
        The result; annotators in the order of the columns.

    Raises:
        ValueError: Fewer than two raters, different numbers of items, an unknown scoring, or epsilon outside 0 to 1.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.integers(1, 6, 60)
        >>> people = np.clip(truth[:, None] + rng.integers(-1, 2, (60, 3)), 1, 5)
        >>> result = alternative_annotator_test(people, truth, epsilon=0.2)
        >>> result.winning_rate, result.passed, result.items
        (1.0, True, (60, 60, 60))
    """
    matrix, model = as_matrix(ratings), as_column(judge, "judge")
    if matrix.shape[1] < 2:
        raise ValueError("the alternative annotator test needs at least two raters")
    if matrix.shape[0] != model.size:
        raise ValueError(f"ratings of {matrix.shape[0]} items and a judge's of {model.size}")
    if scoring not in ("rmse", "accuracy"):
        raise ValueError(f"scoring must be rmse or accuracy, not {scoring!r}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must be from 0 to 1, not {epsilon}")
    items, advantages, p_values = [], [], []
    for rater in range(matrix.shape[1]):
        person, others = matrix[:, rater], np.delete(matrix, rater, axis=1)
        rows = ~np.isnan(person) & ~np.isnan(model) & ~np.isnan(others).all(axis=1)
        ahead = _distance(person[rows], others[rows], scoring) - _distance(model[rows], others[rows], scoring)
        judge_wins, person_wins = ahead >= -NOISE, ahead <= NOISE
        items.append(int(rows.sum()))
        advantages.append(float(judge_wins.mean()) if rows.any() else np.nan)
        p_values.append(_p_value(person_wins.astype(float) - judge_wins, epsilon))
    wins = np.nan_to_num(adjusted_p_values(p_values, dependent=True), nan=1.0) <= false_discovery_rate
    tested = np.array(items) > 0
    notes = []
    if tested.sum() < MIN_ANNOTATORS:
        notes.append(Note.FEW_ANNOTATORS)
    if min(items) < MIN_ITEMS_EACH:
        notes.append(Note.FEW_ITEMS_PER_ANNOTATOR)
    rate = float(wins[tested].mean()) if tested.any() else None
    return AlternativeTest(
        epsilon=epsilon,
        winning_rate=rate,
        advantage_probability=float(np.nanmean(advantages)) if tested.any() else None,
        items=tuple(items),
        advantages=tuple(None if np.isnan(value) else value for value in advantages),
        p_values=tuple(None if np.isnan(value) else value for value in p_values),
        wins=tuple(bool(win) for win in wins),
        passed=None if notes or rate is None else rate >= 0.5,
        notes=tuple(notes),
    )


def _distance(scores: Array, others: Array, scoring: str) -> Array:
    """Return mean squared distance, or share of unequal labels, from the others present: shape (items,)."""
    present = ~np.isnan(others)
    gap = np.where(present, others - scores[:, None], 0.0)
    # Mean squares order as their roots do, and tie without the root's rounding.
    apart = np.abs(gap) > NOISE if scoring == "accuracy" else gap**2
    return np.asarray(apart.sum(axis=1) / np.maximum(present.sum(axis=1), 1), dtype=np.float64)


def _p_value(lead: Array, epsilon: float) -> float:
    """Return the p-value against a mean (or centre) of the person's lead of epsilon or more."""
    n = lead.size
    if n < 2:
        return float("nan")
    shifted = lead - epsilon
    if n < MIN_ITEMS_EACH:
        if (np.abs(shifted) < TINY).all():
            return float("nan")
        from scipy.stats import wilcoxon

        return float(wilcoxon(shifted, alternative="less", method="approx").pvalue)
    from scipy.special import stdtr

    mean, deviation = shifted.mean(), shifted.std(ddof=1)
    if deviation < TINY:  # every item alike: certain either way, or a tie on all at epsilon 0
        return float("nan") if abs(mean) < TINY else float(mean > 0)
    return float(stdtr(n - 1, mean / (deviation / np.sqrt(n))))
