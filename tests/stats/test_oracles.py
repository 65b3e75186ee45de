"""Against scikit-learn, scipy, statsmodels and krippendorff, on random data with ties, gaps and constants."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats as scipy_stats
from sklearn.metrics import (
    cohen_kappa_score,
    confusion_matrix,
    mean_absolute_error,
    root_mean_squared_error,
)
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from toolkit import stats

SCALE = [1, 2, 3, 4, 5]
WHOLE = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0])
NARROW = st.sampled_from([4.0, 5.0])  # ties and constants
ANY = st.sampled_from([1.0, 1.5, 2.0, 7 / 3, 3.0, 3.5, 4.0, 14 / 3, 5.0])


def columns(values: st.SearchStrategy[float], minimum: int = 2) -> st.SearchStrategy[np.ndarray]:
    return st.integers(minimum, 40).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=values))


def close(ours: object, theirs: float, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@settings(max_examples=100, deadline=None)
@given(data=st.one_of(columns(WHOLE), columns(NARROW)))
def test_kappas_are_scikit_learns_on_the_full_grid(data: np.ndarray) -> None:
    x, y = data
    ours = {
        "quadratic": stats.quadratic_kappa(x, y),
        "linear": stats.linear_kappa(x, y, SCALE),
        None: stats.unweighted_kappa(x, y, SCALE),
    }
    constant = np.unique(data).size == 1
    for weights, value in ours.items():
        if constant:  # scikit-learn's 0/0 is NaN or 1, by version
            assert np.isnan(value)
        else:
            close(value, cohen_kappa_score(x.astype(int), y.astype(int), labels=SCALE, weights=weights))


@settings(max_examples=100, deadline=None)
@given(data=columns(st.sampled_from([1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0])))
def test_half_points_are_scikit_learns_on_a_finer_grid(data: np.ndarray) -> None:
    assume(np.unique(data).size > 1)
    x, y = data
    grid = list(range(2, 11))
    doubled = [(2 * column).astype(int) for column in data]
    close(stats.quadratic_kappa(x, y), cohen_kappa_score(*doubled, labels=grid, weights="quadratic"))
    close(stats.linear_kappa(x, y, SCALE), cohen_kappa_score(*doubled, labels=grid, weights="linear"))
    close(stats.unweighted_kappa(x, y, SCALE), cohen_kappa_score(*doubled, labels=grid))


@settings(max_examples=100, deadline=None)
@given(data=st.one_of(columns(ANY), columns(NARROW)))
def test_correlations_are_scipys(data: np.ndarray) -> None:
    x, y = data
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan([stats.pearson(x, y), stats.spearman(x, y), stats.kendall_tau_b(x, y)]).all()
        return
    close(stats.pearson(x, y), scipy_stats.pearsonr(x, y).statistic)
    close(stats.spearman(x, y), scipy_stats.spearmanr(x, y).statistic)
    close(stats.kendall_tau_b(x, y), scipy_stats.kendalltau(x, y).statistic)


@settings(max_examples=100, deadline=None)
@given(data=columns(ANY))
def test_errors_are_scikit_learns(data: np.ndarray) -> None:
    x, y = data
    close(stats.mae(x, y), mean_absolute_error(x, y))
    close(stats.rmse(x, y), root_mean_squared_error(x, y))
    close(stats.bias(x, y), np.mean(y - x))


@settings(max_examples=100, deadline=None)
@given(data=columns(WHOLE))
def test_the_confusion_matrix_is_scikit_learns(data: np.ndarray) -> None:
    theirs = confusion_matrix(*data.astype(int), labels=SCALE)
    np.testing.assert_array_equal(stats.confusion_matrix(*data, SCALE), theirs)


RATINGS = st.tuples(st.integers(2, 25), st.integers(2, 5)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([1.0, 2.0, 3.0, 3.5, 5.0, float("nan")]))
)


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@settings(max_examples=100, deadline=None)
@given(ratings=RATINGS)
def test_alpha_is_krippendorffs(metric: str, ratings: np.ndarray) -> None:
    ours = stats.krippendorff_alpha(ratings, metric)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=metric)
        except ValueError:  # nothing to pair, or one value in all the data
            assert np.isnan(ours)
            return
    close(ours, theirs)


@settings(max_examples=100, deadline=None)
@given(
    ratings=st.tuples(st.integers(1, 25), st.integers(2, 5)).flatmap(
        lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(1, 4))
    )
)
def test_fleiss_is_statsmodels_on_complete_items(ratings: np.ndarray) -> None:
    ours = stats.fleiss_kappa(ratings)
    if np.unique(ratings).size == 1:
        assert np.isnan(ours)
    else:
        close(ours, fleiss_kappa(aggregate_raters(ratings)[0]))


@settings(max_examples=100, deadline=None)
@given(
    ratings=st.tuples(st.integers(3, 25), st.integers(2, 5)).flatmap(
        lambda shape: hnp.arrays(np.float64, shape, elements=ANY)
    )
)
def test_icc_is_the_analysis_of_variance(ratings: np.ndarray) -> None:
    n, k = ratings.shape
    grand, rows, columns_ = ratings.mean(), ratings.mean(axis=1), ratings.mean(axis=0)
    msr = k * ((rows - grand) ** 2).sum() / (n - 1)
    msc = n * ((columns_ - grand) ** 2).sum() / (k - 1)
    mse = ((ratings - rows[:, None] - columns_ + grand) ** 2).sum() / ((n - 1) * (k - 1))
    single, mean = msr + (k - 1) * mse + k * (msc - mse) / n, msr + (msc - mse) / n
    assume(abs(single) > 1e-3 and abs(mean) > 1e-3)
    close(stats.icc_a1(ratings), (msr - mse) / single, 1e-7)
    close(stats.icc_ak(ratings), (msr - mse) / mean, 1e-7)


@settings(max_examples=100, deadline=None)
@given(data=columns(st.sampled_from([0.0, 0.05, 0.3, 0.31, 0.5, 0.9, 1.0])))
def test_brier_is_scikit_learns(data: np.ndarray) -> None:
    confidence, correct = data[0], (data[1] > 0.4).astype(float)
    close(stats.brier_score(confidence, correct), np.mean((confidence - correct) ** 2))


@settings(max_examples=100, deadline=None)
@given(p=hnp.arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1)))
def test_adjusted_p_values_are_scipys(p: np.ndarray) -> None:
    close(stats.adjusted_p_values(p), scipy_stats.false_discovery_control(p, method="bh"))
    close(stats.adjusted_p_values(p, dependent=True), scipy_stats.false_discovery_control(p, method="by"))
