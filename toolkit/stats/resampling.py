"""What a bootstrap replicate draws: items, or clusters of items, within strata, as counts over different rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats._weighted import Array, Index, as_column

__all__ = ["MIN_CLUSTERS", "Design", "design"]

MIN_CLUSTERS = 10
"""With fewer clusters their bootstrap is worth no more than one on as many items: items are drawn instead."""


@dataclass(frozen=True, slots=True)
class Design:
    """The different rows of a table, and how replicates are drawn over them.

    Attributes:
        columns: Each column over the U different rows; NaN where missing.
        counts: How many items each different row stands for, shape (U,).
        weights: Sampling weight of each different row, mean 1 over items, shape (U,).
        strata: For each stratum: its units (rows, or clusters) as indices, how many of each, and how many are drawn.
        membership: Clusters x rows counts (a scipy sparse array), or None when the units are the rows themselves.
        few_clusters: Clusters were given, but fewer than MIN_CLUSTERS, so that items are drawn.
    """

    columns: dict[str, Array]
    counts: Array
    weights: Array
    strata: tuple[tuple[Index, Array, int], ...]
    membership: Any
    few_clusters: bool

    @property
    def point(self) -> Array:
        """The weight of each different row in the data as they are, shape (U,)."""
        return self.counts * self.weights

    def draw(self, rng: np.random.Generator, size: int) -> Array:
        """Draw the row weights of `size` replicates, shape (size, U)."""
        units = self.counts.size if self.membership is None else self.membership.shape[0]
        drawn = np.empty((size, units))
        for index, multiplicity, draws in self.strata:
            total = multiplicity.sum()
            counts = rng.multinomial(draws, multiplicity / total, size=size)
            drawn[:, index] = counts * (total / draws) if draws != total else counts
        if self.membership is not None:
            drawn = drawn @ self.membership
        return drawn if (self.weights == 1).all() else drawn * self.weights

    def leave_one_out(self, step: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield, `step` units at a time, what the jackknife needs.

        Yields:
            Row weights without one unit (units, U); multiplicity of the unit; number of units in its stratum.
        """
        for index, multiplicity, _ in self.strata:
            total = multiplicity.sum()
            for start in range(0, index.size, step):
                block = index[start : start + step]
                if self.membership is None:
                    without = np.zeros((block.size, self.counts.size))
                    without[np.arange(block.size), block] = 1.0
                else:
                    without = self.membership[block].toarray()
                yield (
                    np.maximum(self.counts - without, 0.0) * self.weights,
                    multiplicity[start : start + step],
                    np.full(block.size, total),
                )


def design(
    columns: Mapping[str, ArrayLike],
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Design:
    """Compress a table to its different rows, and decide what is drawn.

    Within strata, `m - 1` of the `m` units are drawn and scaled up by `m / (m - 1)` (Rao & Wu 1988, Journal of the
    American Statistical Association 83:231-241): drawing `m` of `m` makes intervals of small strata too narrow.
    Strata of one unit cannot vary on their own: they are collapsed into one (a single one into the smallest
    other). Strata that share a cluster are drawn as one stratum. Fewer than MIN_CLUSTERS clusters are ignored.

    Args:
        columns: Named columns of equal length n; NaN where missing.
        clusters: What each item belongs to (its prompt), any values, shape (n,); None for independent items.
        strata: Stratum of each item, any values, shape (n,); None for one.
        weights: Sampling weight of each item, shape (n,), above 0; None for equal ones.

    Returns:
        The design.

    Raises:
        ValueError: No column, different lengths, or weights that are not above 0.

    Example:
        >>> plan = design({"human": [1, 1, 2, 2], "judge": [1, 1, 2, 3]})
        >>> plan.counts.tolist(), plan.columns["judge"].tolist()
        ([2.0, 1.0, 1.0], [1.0, 2.0, 3.0])
        >>> plan.draw(np.random.default_rng(0), 3).sum(axis=1).tolist()
        [4.0, 4.0, 4.0]
    """
    table = {name: as_column(values, f"column {name!r}") for name, values in columns.items()}
    lengths = {column.size for column in table.values()}
    if len(lengths) != 1:
        raise ValueError("columns must be given, and be of one length" if table else "no columns given")
    n = lengths.pop()
    weight = _sampling_weights(weights, n)
    stratum = np.zeros(n, dtype=np.intp) if strata is None else _codes(strata, n, "strata")
    cluster = None if clusters is None else _codes(clusters, n, "clusters")
    few = cluster is not None and np.unique(cluster).size < MIN_CLUSTERS
    if few:
        cluster = None
    stratum = _collapse(stratum if cluster is None else _linked(stratum, cluster), cluster)

    keys = [*table.values(), weight, stratum]
    first, row = unique_rows(keys)
    counts = np.bincount(row, minlength=first.size).astype(np.float64)
    membership = None
    unit_stratum, multiplicity = stratum[first], counts
    if cluster is not None:
        from scipy.sparse import csr_array

        membership = csr_array((np.ones(n), (cluster, row)), shape=(int(cluster.max()) + 1, first.size))
        unit_stratum = np.empty(membership.shape[0], dtype=np.intp)
        unit_stratum[cluster] = stratum
        multiplicity = np.ones(membership.shape[0])
    several = unit_stratum.size > 0 and bool((unit_stratum != unit_stratum[0]).any())
    plan = []
    for code in np.unique(unit_stratum):
        index = np.flatnonzero(unit_stratum == code)
        units = int(multiplicity[index].sum())
        plan.append((index, multiplicity[index], units - 1 if several and units > 1 else units))
    return Design(
        columns={name: column[first] for name, column in table.items()},
        counts=counts,
        weights=weight[first],
        strata=tuple(plan),
        membership=membership,
        few_clusters=few,
    )


def unique_rows(columns: Sequence[NDArray[Any]]) -> tuple[Index, Index]:
    """Return the first row of each different row, and for every row the index of its own; NaN equals NaN."""
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        values, index = np.unique(column, return_inverse=True)
        # Numbered anew after every column, so that the codes stay below n squared.
        code = np.unique(code * values.size + index.reshape(-1), return_inverse=True)[1].reshape(-1)
    first = np.unique(code, return_index=True)[1]
    return first, code


def _sampling_weights(weights: ArrayLike | None, n: int) -> Array:
    if weights is None:
        return np.ones(n)
    weight = as_column(weights, "weights")
    if weight.size != n:
        raise ValueError(f"{weight.size} weights for {n} items")
    if not (weight > 0).all():
        raise ValueError("sampling weights must be above 0")
    return weight / weight.mean() if n else weight


def _codes(labels: ArrayLike, n: int, name: str) -> Index:
    values = np.asarray(labels)
    if values.shape != (n,):
        raise ValueError(f"{name} of shape {values.shape} do not fit {n} items")
    if values.dtype == object:
        values = values.astype(str)
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _linked(stratum: Index, cluster: Index) -> Index:
    """Give strata that share a cluster one code."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    strata, clusters = int(stratum.max()) + 1, int(cluster.max()) + 1
    shape = (strata + clusters, strata + clusters)
    graph = csr_array((np.ones(stratum.size), (stratum, strata + cluster)), shape=shape)
    label: Index = connected_components(graph, directed=False)[1]
    return np.unique(label[:strata], return_inverse=True)[1].reshape(-1)[stratum]


def _collapse(stratum: Index, cluster: Index | None) -> Index:
    """Put strata of one unit together; a single such stratum joins the smallest of the others."""
    units = np.arange(stratum.size) if cluster is None else np.unique(cluster, return_index=True)[1]
    sizes = np.bincount(stratum[units] if stratum.size else stratum)
    lonely = np.flatnonzero(sizes == 1)
    if not lonely.size or sizes.size == 1:
        return stratum
    target = lonely[0]
    if lonely.size == 1:
        target = int(np.where(sizes > 1, sizes, sizes.max() + 1).argmin())
    return np.where(np.isin(stratum, lonely), target, stratum)
