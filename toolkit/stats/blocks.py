"""The statistics of a report's block, ready for `bootstrap`, under the keys of metrics.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from toolkit.stats import agreement, correlation, diagnosis, error, multirater
from toolkit.stats._weighted import Array
from toolkit.stats.agreement import PairKernel
from toolkit.stats.bootstrap import Columns, Statistic
from toolkit.stats.diagnosis import Diagnose

__all__ = [
    "judge_statistics",
    "matrix_statistic",
    "mean_pairwise_statistic",
    "pair_statistic",
    "pair_statistics",
    "people_statistics",
    "within_statistics",
]

MatrixKernel = Callable[[ArrayLike, ArrayLike | None], Array]


def pair_statistic(kernel: PairKernel, x: str, y: str, diagnose: Diagnose | None = None) -> Statistic:
    """Make a statistic of two columns, on the rows where both are present.

    Args:
        kernel: Function of (x, y, weights).
        x: Name of the first column (the human side of errors and biases).
        y: Name of the second column (the judge).
        diagnose: Notes; None for none.

    Returns:
        The statistic.

    Example:
        >>> from toolkit.stats import bias, bootstrap
        >>> lean = pair_statistic(bias, "human", "judge")
        >>> bootstrap({"human": [1, 2], "judge": [2, 3]}, {"bias": lean}, seed=0, replicates=0)["bias"].value
        1.0
    """

    def compute(columns: Columns, weights: Array) -> Array:
        return kernel(columns[x], columns[y], weights)

    return Statistic(compute, (x, y), diagnose=diagnose)


def matrix_statistic(
    kernel: MatrixKernel,
    raters: Sequence[str],
    present: int,
    diagnose: Diagnose | None = None,
    counted: int | None = None,
) -> Statistic:
    """Make a statistic of several raters' columns.

    Args:
        kernel: Function of (ratings of shape (rows, raters), weights).
        raters: Names of the columns.
        present: How many raters must have scored an item for it to reach the kernel.
        diagnose: Notes; None for none.
        counted: How many for it to be part of n; None for `present`.

    Returns:
        The statistic.

    Example:
        >>> from toolkit.stats import bootstrap, fleiss_kappa
        >>> fleiss = matrix_statistic(fleiss_kappa, ("a", "b"), present=2)
        >>> bootstrap({"a": [1, 2], "b": [1, 2]}, {"fleiss": fleiss}, seed=0, replicates=0)["fleiss"].value
        1.0
    """
    names = tuple(raters)

    def compute(columns: Columns, weights: Array) -> Array:
        return kernel(np.column_stack([columns[name] for name in names]), weights)

    return Statistic(compute, names, present, diagnose, counted=counted)


def mean_pairwise_statistic(raters: Sequence[str], kernel: PairKernel = agreement.quadratic_kappa) -> Statistic:
    """Make the mean of a two-rater kappa over all defined pairs of raters.

    Args:
        raters: Names of the columns, at least two.
        kernel: Function of (x, y, weights).

    Returns:
        The statistic; its n is the number of items that two raters or more scored.

    Example:
        >>> from toolkit.stats import bootstrap
        >>> mean = mean_pairwise_statistic(("a", "b", "c"))
        >>> data = {"a": [1, 2, 3], "b": [1, 2, 3], "c": [2, 1, 3]}
        >>> round(bootstrap(data, {"mean": mean}, seed=0, replicates=0)["mean"].value, 6)
        0.666667
    """

    def compute(ratings: ArrayLike, weights: ArrayLike | None) -> Array:
        return agreement.mean_pairwise(ratings, weights, kernel)

    return matrix_statistic(compute, raters, 2, diagnosis.mean_pairwise_notes(kernel))


def pair_statistics(x: str, y: str, scale: ArrayLike) -> dict[str, Statistic]:
    """Everything about two people: kappas, raw agreement, Gwet's coefficients, on the items both scored.

    Args:
        x: Name of one rater's column.
        y: Name of the other's.
        scale: Levels of the rubric.

    Returns:
        Statistics under their metrics.json keys.

    Example:
        >>> list(pair_statistics("A1", "A2", range(1, 6)))
        ['kappa_quadratic', 'kappa_linear', 'kappa_unweighted', 'percent_agreement', 'within_one', 'ac1',
         'ac2_quadratic']
    """
    levels = np.asarray(scale, dtype=np.float64)
    on_scale, as_is = diagnosis.kappa_notes(levels), diagnosis.kappa_notes()
    raw = diagnosis.error_notes(levels)
    gwet = diagnosis.multirater_notes(scale=levels, collapses=False)
    gwet_weighted = diagnosis.multirater_notes(collapses=False)
    return {
        "kappa_quadratic": pair_statistic(agreement.quadratic_kappa, x, y, as_is),
        "kappa_linear": pair_statistic(lambda a, b, w: agreement.linear_kappa(a, b, levels, w), x, y, as_is),
        "kappa_unweighted": pair_statistic(lambda a, b, w: agreement.unweighted_kappa(a, b, levels, w), x, y, on_scale),
        "percent_agreement": pair_statistic(agreement.percent_agreement, x, y, raw),
        "within_one": pair_statistic(agreement.within_one, x, y, diagnosis.error_notes()),
        "ac1": matrix_statistic(lambda r, w: multirater.gwet_ac1(r, levels, w), (x, y), 2, gwet),
        "ac2_quadratic": matrix_statistic(lambda r, w: multirater.gwet_ac2(r, levels, w), (x, y), 2, gwet_weighted),
    }


def judge_statistics(human: str, judge: str, scale: ArrayLike) -> dict[str, Statistic]:
    """Everything about a judge against a human column (the consensus, or one person).

    Args:
        human: Name of the human column.
        judge: Name of the judge's column.
        scale: Levels of the rubric.

    Returns:
        Those of `pair_statistics`, then rounded kappa, correlations and errors, under their metrics.json keys.

    Example:
        >>> [key for key in judge_statistics("human", "judge", range(1, 6)) if key.startswith("kappa")]
        ['kappa_quadratic', 'kappa_linear', 'kappa_unweighted', 'kappa_quadratic_rounded']
    """
    correlated, plain = diagnosis.correlation_notes, diagnosis.error_notes()
    statistics = pair_statistics(human, judge, scale)
    statistics["exact_agreement"] = statistics.pop("percent_agreement")
    return statistics | {
        "kappa_quadratic_rounded": pair_statistic(
            agreement.rounded_quadratic_kappa, human, judge, diagnosis.kappa_notes()
        ),
        "pearson": pair_statistic(correlation.pearson, human, judge, correlated),
        "spearman": pair_statistic(correlation.spearman, human, judge, correlated),
        "kendall_tau_b": pair_statistic(correlation.kendall_tau_b, human, judge, correlated),
        "lin_ccc": pair_statistic(correlation.lin_ccc, human, judge, diagnosis.kappa_notes()),
        "mae": pair_statistic(error.mae, human, judge, plain),
        "rmse": pair_statistic(error.rmse, human, judge, plain),
        "bias": pair_statistic(error.bias, human, judge, plain),
    }


def people_statistics(raters: Sequence[str], scale: ArrayLike) -> dict[str, Statistic]:
    """Everything about all people together.

    Args:
        raters: Names of the people's columns, at least two; no judge among them.
        scale: Levels of the rubric.

    Returns:
        Statistics under their metrics.json keys.

    Example:
        >>> list(people_statistics(("A1", "A2", "A3"), range(1, 6)))[:3]
        ['mean_pairwise_kappa', 'ac1', 'ac2_quadratic']
    """
    levels = np.asarray(scale, dtype=np.float64)
    plain, complete = diagnosis.multirater_notes(), diagnosis.multirater_notes(complete=True)
    on_scale = diagnosis.multirater_notes(scale=levels)
    gwet = diagnosis.multirater_notes(scale=levels, collapses=False)
    gwet_weighted = diagnosis.multirater_notes(collapses=False)
    everyone = len(raters)
    statistics = {
        "mean_pairwise_kappa": mean_pairwise_statistic(raters),
        # Items with one rating inform the chance term of these three, and are no part of their n.
        "ac1": matrix_statistic(lambda r, w: multirater.gwet_ac1(r, levels, w), raters, 1, gwet, counted=2),
        "ac2_quadratic": matrix_statistic(
            lambda r, w: multirater.gwet_ac2(r, levels, w), raters, 1, gwet_weighted, counted=2
        ),
        "fleiss_kappa": matrix_statistic(multirater.fleiss_kappa, raters, 1, on_scale, counted=2),
        "icc_a1": matrix_statistic(multirater.icc_a1, raters, everyone, complete),
        "icc_ak": matrix_statistic(multirater.icc_ak, raters, everyone, complete),
    }
    statistics["krippendorff_alpha_nominal"] = matrix_statistic(
        lambda r, w: multirater.krippendorff_alpha(r, "nominal", w), raters, 2, on_scale
    )
    statistics["krippendorff_alpha_ordinal"] = matrix_statistic(
        lambda r, w: multirater.krippendorff_alpha(r, "ordinal", w), raters, 2, plain
    )
    statistics["krippendorff_alpha_interval"] = matrix_statistic(
        lambda r, w: multirater.krippendorff_alpha(r, "interval", w), raters, 2, plain
    )
    return statistics


def within_statistics(x: str, y: str, groups: str, scale: ArrayLike) -> dict[str, Statistic]:
    """Make the within-group kappas of two columns.

    Args:
        x: Name of one column.
        y: Name of the other.
        groups: Name of the column that codes the group (dimension).
        scale: Levels of the rubric.

    Returns:
        Statistics under the keys of the kappas that they are the within-group version of.

    Example:
        >>> list(within_statistics("human", "judge", "dimension", range(1, 6)))
        ['kappa_quadratic', 'kappa_linear', 'kappa_unweighted']
    """
    levels = np.asarray(scale, dtype=np.float64)
    names = (x, y, groups)

    def quadratic(columns: Columns, weights: Array) -> Array:
        return agreement.within_quadratic_kappa(columns[x], columns[y], columns[groups], weights)

    def linear(columns: Columns, weights: Array) -> Array:
        return agreement.within_linear_kappa(columns[x], columns[y], columns[groups], levels, weights)

    def unweighted(columns: Columns, weights: Array) -> Array:
        return agreement.within_unweighted_kappa(columns[x], columns[y], columns[groups], levels, weights)

    def notes(scale: Array | None) -> Diagnose:
        of_pair = diagnosis.kappa_notes(scale)
        return lambda columns, weights, value: of_pair({x: columns[x], y: columns[y]}, weights, value)

    return {
        "kappa_quadratic": Statistic(quadratic, names, diagnose=notes(None)),
        "kappa_linear": Statistic(linear, names, diagnose=notes(None)),
        "kappa_unweighted": Statistic(unweighted, names, diagnose=notes(levels)),
    }
