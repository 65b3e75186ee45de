"""Agreement statistics that a referee can recompute: numpy arrays in, frozen results out.

A statistic is a *kernel*: a function of one or more columns of scores (NaN where missing) and of weights that say how
often each row counts. Called without weights it gives the value; called with a matrix of bootstrap counts it gives
every replicate at once. What is undefined is NaN from a kernel and None in an `Estimate`, never an invented 0 or 1.

    >>> from toolkit.stats import bootstrap, judge_statistics, quadratic_kappa
    >>> human = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 4, 3.5]
    >>> judge = [1, 2, 3, 5, 5, 4, 4, 3, 1, 2, 4, 4]
    >>> round(float(quadratic_kappa(human, judge)), 3)
    0.903
    >>> block = judge_statistics("human", "judge", scale=[1, 2, 3, 4, 5])
    >>> results = bootstrap({"human": human, "judge": judge}, block, seed=2026)
    >>> results["mae"].value, results["mae"].n, [str(note) for note in results["mae"].notes]
    (0.375, 12, ['small_n'])
    >>> low, high = results["kappa_quadratic"].ci95
    >>> low < results["kappa_quadratic"].value < high
    True

Where to look: `agreement` (two raters), `multirater`, `correlation`, `error`, `bootstrap` and `blocks` (intervals for all
of them from one set of draws), `bands` (the protocol's words).
"""

from toolkit.stats.agreement import (
    linear_kappa,
    mean_pairwise,
    pairwise,
    percent_agreement,
    quadratic_kappa,
    rounded_quadratic_kappa,
    unweighted_kappa,
    within_linear_kappa,
    within_one,
    within_quadratic_kappa,
    within_unweighted_kappa,
)
from toolkit.stats.bands import BAND_FLOORS, Band, band, bands_spanned
from toolkit.stats.blocks import (
    judge_statistics,
    matrix_statistic,
    mean_pairwise_statistic,
    pair_statistic,
    pair_statistics,
    people_statistics,
    within_statistics,
)
from toolkit.stats.bootstrap import Draws, Statistic, bootstrap, resample
from toolkit.stats.correlation import kendall_tau_b, lin_ccc, pearson, spearman
from toolkit.stats.error import bias, confusion_matrix, exact_agreement, mae, rmse
from toolkit.stats.multirater import fleiss_kappa, gwet_ac1, gwet_ac2, icc_a1, icc_ak, krippendorff_alpha
from toolkit.stats.results import Estimate, Note

__all__ = [
    "BAND_FLOORS",
    "Band",
    "Draws",
    "Estimate",
    "Note",
    "Statistic",
    "band",
    "bands_spanned",
    "bias",
    "bootstrap",
    "confusion_matrix",
    "exact_agreement",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "icc_a1",
    "icc_ak",
    "judge_statistics",
    "kendall_tau_b",
    "krippendorff_alpha",
    "lin_ccc",
    "linear_kappa",
    "mae",
    "matrix_statistic",
    "mean_pairwise",
    "mean_pairwise_statistic",
    "pair_statistic",
    "pair_statistics",
    "pairwise",
    "pearson",
    "people_statistics",
    "percent_agreement",
    "quadratic_kappa",
    "resample",
    "rmse",
    "rounded_quadratic_kappa",
    "spearman",
    "unweighted_kappa",
    "within_linear_kappa",
    "within_one",
    "within_quadratic_kappa",
    "within_statistics",
    "within_unweighted_kappa",
]
