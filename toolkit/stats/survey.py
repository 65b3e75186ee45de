"""How a sample was drawn, and what that does to a variance: weights, strata, clusters, a log with an end."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats._weighted import Array, as_column

__all__ = ["Labelled", "freedom", "labelled", "totals", "unseen_variance", "variance"]

FOLDS = 20


@dataclass(frozen=True, slots=True)
class Labelled:
    """The design of the records people scored.

    Attributes:
        weights: Inverse inclusion probabilities, shape (n,).
        strata: Index of each record's stratum, shape (n,).
        clusters: Index of each record's cluster, shape (n,).
        scale: For each record `sqrt((1 - n_h / N_h) m_h / (m_h - 1))`, m_h the clusters in its stratum h: what a
            deviation from the stratum's mean counts in a variance.
        left: For each record the share of its stratum that people did not score, `1 - n_h / N_h`.
        folds: The fold in which each record's lambda is estimated without it.
        freedom: Clusters less strata, at least 1: the most degrees of freedom that a variance can have.
    """

    weights: Array
    strata: NDArray[np.intp]
    clusters: NDArray[np.intp]
    scale: Array
    left: Array
    folds: NDArray[np.intp]
    freedom: int


def labelled(
    n: int,
    *,
    weights: ArrayLike | None = None,
    strata: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    finite: bool = True,
) -> Labelled:
    """Return the design of n records.

    Strata with a single cluster have no variance of their own; they are taken together as one (Cochran 1977, Sampling
    Techniques, 5A.12), which makes intervals a little too wide, not too narrow.

    Args:
        n: Records that people scored.
        weights: Inverse inclusion probabilities, shape (n,), at least 1; None for equal ones of a log without end.
        strata: Stratum of each record; None for one.
        clusters: What each record belongs to (its prompt); None for independent records.
        finite: Whether the estimate is of this log (a record that people scored is known for certain), rather than of
            all the logs there might have been.

    Raises:
        ValueError: Fewer than two records, or lengths that differ, or weights below 1.
    """
    given = np.ones(n) if weights is None else as_column(weights, "weights")
    if n < 2:
        raise ValueError("an estimate needs at least two records that people scored")
    if given.size != n or (given < 1 - 1e-9).any() or np.isnan(given).any():
        raise ValueError("weights are inverse probabilities: one for each record, none below 1")
    of = _indices(strata, n)
    within = _indices(clusters if clusters is not None else range(n), n)
    counts = np.array([len(set(within[of == h])) for h in range(of.max() + 1)])
    alone = counts[of] < 2
    if alone.any():
        joined = int(of[alone][0]) if alone.sum() > 1 else int(np.argmax(np.bincount(of)))
        of = np.unique(np.where(alone, joined, of), return_inverse=True)[1]
        counts = np.array([len(set(within[of == h])) for h in range(of.max() + 1)])
    fraction = np.array([(of == h).sum() / given[of == h].sum() for h in range(of.max() + 1)])
    if weights is None or not finite:
        fraction = np.zeros_like(fraction)
    left = (1 - np.minimum(fraction, 1.0))[of]
    scale = np.sqrt(left * (counts / np.maximum(counts - 1, 1))[of])
    # neighbours in a stratum go to different folds; a cluster stays whole
    order = np.lexsort((within, of))
    rank = {cluster: place for place, cluster in enumerate(dict.fromkeys(within[order].tolist()))}
    folds = np.array([rank[cluster] % min(FOLDS, len(rank)) for cluster in within.tolist()])
    return Labelled(given, of, within, scale, left, folds, max(1, len(rank) - int(of.max()) - 1))


def totals(values: Array, design: Labelled, among: NDArray[np.bool_] | None = None) -> Array:
    """Return cluster totals of deviations from the stratum's mean, each times what it counts in a variance.

    Args:
        values: Contributions, weight included, which within a stratum have one weight; shape (n,) or (rows, n).
        design: The design.
        among: Which records there are, in the same shape; None for all.
    """
    kept = np.ones(values.shape) if among is None else among.astype(float)
    means = _sums(values * kept, design.strata) / np.maximum(_sums(kept, design.strata), 1.0)
    return _sums((values - means[..., design.strata]) * design.scale * kept, design.clusters)


def variance(influence: Array, design: Labelled) -> float:
    """Return the variance of an estimate from what each record adds to it (linearised; ultimate clusters)."""
    return float((totals(influence, design) ** 2).sum())


def freedom(influence: Array, design: Labelled) -> float:
    """Return Satterthwaite's degrees of freedom of the variance of an estimate.

    Example:
        Two strata of three that add the same to the variance: `(1 + 1)^2 / (1 / 2 + 1 / 2)`; and one that adds all.

        >>> design = labelled(6, strata=list("aaabbb"))
        >>> [round(freedom(np.array([0, 1, 2, *others]), design), 6) for others in ([0, 1, 2.0], [1, 1, 1.0])]
        [4.0, 2.0]
    """
    of = np.zeros(int(design.clusters.max()) + 1, dtype=np.intp)
    of[design.clusters] = design.strata
    parts = np.bincount(of, weights=totals(influence, design) ** 2)
    spread = float((parts**2 / np.maximum(np.bincount(of) - 1, 1)).sum())
    return float(parts.sum() ** 2 / spread) if spread > 0 else float(design.freedom)


def unseen_variance(share_of: Array, design: Labelled) -> float:
    """Return the variance of two disagreements, spread over the strata as the log is."""
    part = np.bincount(design.strata, weights=share_of)
    counts = np.bincount(design.strata, weights=(share_of > 0).astype(float))
    left = np.zeros(part.size)
    left[design.strata] = design.left
    added = 2 * part
    with np.errstate(divide="ignore", invalid="ignore"):
        each = part**2 * left * added / (counts + added) ** 2
    return float(np.nan_to_num(each).sum())


def _sums(values: Array, of: NDArray[np.intp]) -> Array:
    """Return the sums of what has one index, along the last axis."""
    rows, width = values.reshape(-1, of.size), int(of.max()) + 1
    places = of + width * np.arange(len(rows))[:, None]
    found = np.bincount(places.ravel(), weights=rows.ravel(), minlength=len(rows) * width)
    return np.asarray(found, dtype=np.float64).reshape(*values.shape[:-1], width)


def _indices(values: Sequence[Hashable] | range | None, n: int) -> NDArray[np.intp]:
    if values is None:
        return np.zeros(n, dtype=np.intp)
    if len(values) != n:
        raise ValueError(f"{len(values)} labels for {n} records")
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(value, len(places)) for value in values], dtype=np.intp)
