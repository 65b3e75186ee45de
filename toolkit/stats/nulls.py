"""Judges that know nothing, so that a number has something to be compared with.

Each function returns a column of scores for the same items. Put it into `bootstrap` beside the real judge's column
and it gets every figure that the judge gets, from the same draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats._weighted import Array, as_column, as_weights, levels, merge
from toolkit.stats.agreement import PairKernel, quadratic_kappa
from toolkit.stats.correlation import spearman

SHUFFLES = 1000

__all__ = ["SHUFFLES", "Shuffled", "commonest_score", "length_only", "shuffled"]


def commonest_score(human: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Give every item the commonest human score.

    Its kappa is 0 by construction; its exact agreement and mean absolute error can be hard to beat.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        weights: How often each item counts, shape (n,); None for once each.

    Returns:
        Shape (n,), constant (the lowest of several equally common scores); all NaN without scores.

    Raises:
        ValueError: Weights do not fit, or a score is infinite.

    Example:
        >>> commonest_score([5, 4, 5, np.nan]).tolist()
        [5.0, 5.0, 5.0, 5.0]
    """
    scores = as_column(human, "human")
    present = ~np.isnan(scores)
    if not present.any():
        return np.full(scores.shape, np.nan)
    distinct, index = levels(scores[present])
    share = merge(as_weights(weights, scores.size)[present], index, distinct.size)
    return np.full(scores.shape, distinct[share.argmax()])


@dataclass(frozen=True, slots=True)
class Shuffled:
    """What a statistic gives when the judge's scores are dealt out at random.

    Attributes:
        mean: Mean over the shuffles in which it is defined; None when it never is.
        low: Lower end of the central 95% of the shuffles.
        high: Upper end.
        p_value: Share of orders (the given one included) with a value at least as high as the judge's own.
    """

    mean: float | None
    low: float | None
    high: float | None
    p_value: float | None


def shuffled(
    human: ArrayLike, judge: ArrayLike, kernel: PairKernel = quadratic_kappa, *, shuffles: int = SHUFFLES, seed: int
) -> Shuffled:
    """Deal the judge's own scores out at random, many times.

    The p-value counts the given order among the random ones, so it is never 0 (Phipson & Smyth 2010, Statistical
    Applications in Genetics and Molecular Biology 9:39).

    Args:
        human: Human scores, shape (n,); NaN where missing.
        judge: Judge scores, shape (n,); only items that both scored take part.
        kernel: Function of (human, judge, weights) for which higher means more agreement.
        shuffles: How many times, at least once.
        seed: Of the random generator.

    Returns:
        Mean, central 95%, and p-value; all None where the kernel is undefined.

    Raises:
        ValueError: Different numbers of items, or no shuffles.

    Example:
        >>> human = np.arange(60) % 5 + 1.0
        >>> null = shuffled(human, human, seed=0)
        >>> abs(null.mean) < 0.05, null.high < 0.35, round(null.p_value, 6)
        (True, True, 0.000999)
    """
    first, second = as_column(human, "human"), as_column(judge, "judge")
    if first.size != second.size:
        raise ValueError(f"human has {first.size} values and judge {second.size}")
    if shuffles < 1:
        raise ValueError(f"shuffles must be 1 or more, not {shuffles}")
    present = ~(np.isnan(first) | np.isnan(second))
    x, x_index = levels(first[present])
    y, y_index = levels(second[present])
    if not x.size:
        return Shuffled(None, None, None, None)
    # A shuffle is a table of how often each human level meets each judge level: weights over the grid of levels.
    rng = np.random.default_rng(seed)
    counts = np.empty((shuffles, x.size * y.size))
    for count in counts:
        count[:] = np.bincount(x_index + rng.permuted(y_index * x.size), minlength=count.size)
    values = kernel(np.tile(x, y.size), np.repeat(y, x.size), counts)
    observed = float(kernel(first, second, None))
    values = values[~np.isnan(values)]
    if np.isnan(observed) or not values.size:
        return Shuffled(None, None, None, None)
    low, high = np.quantile(values, [0.025, 0.975])
    p_value = (1 + (values >= observed - 1e-12).sum()) / (values.size + 1)
    return Shuffled(float(values.mean()), float(low), float(high), float(p_value))


def length_only(human: ArrayLike, lengths: ArrayLike, *, folds: int = 10, seed: int) -> Array:
    """Score each answer from its length alone, learnt from the other items.

    In each fold, lengths are ranked among the training items, turned round if shorter answers score higher there, and
    the answer gets the human score at the same rank: the judge knows how people use the scale, and nothing else but
    length.

    Args:
        human: Human scores, shape (n,); NaN where missing.
        lengths: Length of each answer (words or characters), shape (n,); NaN where missing.
        folds: Into how many parts the items are divided, at least 2.
        seed: Of the division.

    Returns:
        Shape (n,), values that occur among the human scores; NaN where the length is missing or fewer than two
        other items have both.

    Raises:
        ValueError: Different numbers of items, or fewer than two folds.

    Example:
        >>> human = np.array([1, 2, 3, 4, 5] * 6, dtype=float)
        >>> guessed = length_only(human, human * 100, seed=0)
        >>> bool(np.mean(guessed == human) > 0.7)
        True
    """
    scores, size = as_column(human, "human"), as_column(lengths, "lengths")
    if scores.size != size.size:
        raise ValueError(f"human has {scores.size} values and lengths {size.size}")
    if folds < 2:
        raise ValueError(f"folds must be 2 or more, not {folds}")
    fold = np.random.default_rng(seed).permutation(scores.size) % folds
    guessed = np.full(scores.shape, np.nan)
    for number in range(folds):
        train = (fold != number) & ~np.isnan(scores) & ~np.isnan(size)
        test = (fold == number) & ~np.isnan(size)
        if train.sum() < 2:
            continue
        known, ordered = np.sort(size[train]), np.sort(scores[train])
        share = (np.searchsorted(known, size[test]) + np.searchsorted(known, size[test], side="right")) / 2
        share = share / known.size
        if spearman(size[train], scores[train]) < 0:
            share = 1 - share
        guessed[test] = ordered[np.minimum((share * known.size).astype(int), known.size - 1)]
    return guessed
