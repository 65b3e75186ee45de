"""Agreement statistics that a referee can recompute: numpy arrays in, frozen results out.

A statistic is a *kernel*: a function of one or more columns of scores (NaN where missing) and of weights that say how
often each row counts. Called without weights it gives the value; called with a matrix of bootstrap counts it gives
every replicate at once. What is undefined is NaN from a kernel and None in an `Estimate`, never an invented 0 or 1.

    >>> from toolkit.stats import bootstrap, judge_statistics, quadratic_kappa
    >>> human = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 4, 3.5]
    >>> judge = [1, 2, 3, 5, 5, 4, 4, 3, 1, 2, 4, 4]
    >>> round(float(quadratic_kappa(human, judge)), 3)
    0.901
    >>> block = judge_statistics("human", "judge", scale=[1, 2, 3, 4, 5])
    >>> results = bootstrap({"human": human, "judge": judge}, block, seed=2026)
    >>> results["mae"].value, results["mae"].n, [str(note) for note in results["mae"].notes]
    (0.375, 12, ['small_n'])
    >>> low, high = results["kappa_quadratic"].ci95
    >>> low < results["kappa_quadratic"].value < high
    True

Where to look:

- `agreement`, `multirater`, `correlation`, `error`: the kernels (two raters; several; judge against people).
- `bootstrap`, `blocks`: intervals for any of them from one set of draws; ready-made sets under the report's keys.
- `ceiling`, `alternative`, `comparison`: judge against people as a person would be; several judges.
- `annotators`, `patterns`, `nulls`, `calibration`, `usage`: one annotator's sheet; where the judge leans; what a judge
  that knows nothing gets; whether its confidence is worth anything; what replacing people would change.
- `bands`, `results`: the protocol's words for a kappa; the codes for what is undefined or fragile.
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
from toolkit.stats.alternative import AlternativeTest, alternative_annotator_test
from toolkit.stats.annotators import AnnotatorProfile, Look, annotator_profile
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
from toolkit.stats.bootstrap import MAX_UNDEFINED, MIN_ITEMS, SMALL_N, Draws, Statistic, bootstrap, estimate, resample
from toolkit.stats.calibration import (
    ReliabilityBin,
    brier_score,
    expected_calibration_error,
    flip_rate,
    reliability_table,
    retest_agreement,
)
from toolkit.stats.ceiling import Ceiling, Verdict, ceiling_verdict, human_ceiling, pooled_agreement
from toolkit.stats.comparison import paired_difference, simultaneous_intervals
from toolkit.stats.correlation import kendall_tau_b, lin_ccc, pearson, spearman
from toolkit.stats.diagnosis import correlation_notes, error_notes, kappa_notes, mean_pairwise_notes, multirater_notes
from toolkit.stats.error import bias, confusion_matrix, exact_agreement, mae, rmse
from toolkit.stats.held_out import held_out, row_median
from toolkit.stats.multiplicity import adjusted_p_values
from toolkit.stats.multirater import fleiss_kappa, gwet_ac1, gwet_ac2, icc_a1, icc_ak, krippendorff_alpha
from toolkit.stats.nulls import Shuffled, commonest_score, length_only, shuffled
from toolkit.stats.patterns import Pattern, bias_along, bias_by_group, bias_by_level
from toolkit.stats.resampling import MIN_CLUSTERS, Design, design
from toolkit.stats.results import Estimate, Note
from toolkit.stats.usage import (
    Ranking,
    Routing,
    SelectivePoint,
    false_fail_rate,
    false_pass_rate,
    passing_statistics,
    ranking_agreement,
    routing,
    selective_agreement,
    threshold_agreement,
)

__all__ = [
    "BAND_FLOORS",
    "MAX_UNDEFINED",
    "MIN_CLUSTERS",
    "MIN_ITEMS",
    "SMALL_N",
    "AlternativeTest",
    "AnnotatorProfile",
    "Band",
    "Ceiling",
    "Design",
    "Draws",
    "Estimate",
    "Look",
    "Note",
    "Pattern",
    "Ranking",
    "ReliabilityBin",
    "Routing",
    "SelectivePoint",
    "Shuffled",
    "Statistic",
    "Verdict",
    "adjusted_p_values",
    "alternative_annotator_test",
    "annotator_profile",
    "band",
    "bands_spanned",
    "bias",
    "bias_along",
    "bias_by_group",
    "bias_by_level",
    "bootstrap",
    "brier_score",
    "ceiling_verdict",
    "commonest_score",
    "confusion_matrix",
    "correlation_notes",
    "design",
    "error_notes",
    "estimate",
    "exact_agreement",
    "expected_calibration_error",
    "false_fail_rate",
    "false_pass_rate",
    "fleiss_kappa",
    "flip_rate",
    "gwet_ac1",
    "gwet_ac2",
    "held_out",
    "human_ceiling",
    "icc_a1",
    "icc_ak",
    "judge_statistics",
    "kappa_notes",
    "kendall_tau_b",
    "krippendorff_alpha",
    "length_only",
    "lin_ccc",
    "linear_kappa",
    "mae",
    "matrix_statistic",
    "mean_pairwise",
    "mean_pairwise_notes",
    "mean_pairwise_statistic",
    "multirater_notes",
    "pair_statistic",
    "pair_statistics",
    "paired_difference",
    "pairwise",
    "passing_statistics",
    "pearson",
    "people_statistics",
    "percent_agreement",
    "pooled_agreement",
    "quadratic_kappa",
    "ranking_agreement",
    "reliability_table",
    "resample",
    "retest_agreement",
    "rmse",
    "rounded_quadratic_kappa",
    "routing",
    "row_median",
    "selective_agreement",
    "shuffled",
    "simultaneous_intervals",
    "spearman",
    "threshold_agreement",
    "unweighted_kappa",
    "within_linear_kappa",
    "within_one",
    "within_quadratic_kappa",
    "within_statistics",
    "within_unweighted_kappa",
]
