"""What holds for every kernel: weights are repetitions, rows have no order, gaps do not count, blocks are loops."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from toolkit import stats

SCALE = [1, 2, 3, 4, 5]
Kernel = Callable[[np.ndarray, np.ndarray | None], np.ndarray]

# Every kernel as a function of a matrix (rows, 3) and weights; the third column serves as group where one is wanted.
PAIRS: dict[str, Kernel] = {
    "quadratic_kappa": lambda r, w: stats.quadratic_kappa(r[:, 0], r[:, 1], w),
    "linear_kappa": lambda r, w: stats.linear_kappa(r[:, 0], r[:, 1], SCALE, w),
    "unweighted_kappa": lambda r, w: stats.unweighted_kappa(r[:, 0], r[:, 1], SCALE, w),
    "rounded_quadratic_kappa": lambda r, w: stats.rounded_quadratic_kappa(r[:, 0], r[:, 1], w),
    "within_quadratic_kappa": lambda r, w: stats.within_quadratic_kappa(r[:, 0], r[:, 1], r[:, 2], w),
    "within_linear_kappa": lambda r, w: stats.within_linear_kappa(r[:, 0], r[:, 1], r[:, 2], SCALE, w),
    "within_unweighted_kappa": lambda r, w: stats.within_unweighted_kappa(r[:, 0], r[:, 1], r[:, 2], SCALE, w),
    "percent_agreement": lambda r, w: stats.percent_agreement(r[:, 0], r[:, 1], w),
    "within_one": lambda r, w: stats.within_one(r[:, 0], r[:, 1], w),
    "pearson": lambda r, w: stats.pearson(r[:, 0], r[:, 1], w),
    "spearman": lambda r, w: stats.spearman(r[:, 0], r[:, 1], w),
    "kendall_tau_b": lambda r, w: stats.kendall_tau_b(r[:, 0], r[:, 1], w),
    "lin_ccc": lambda r, w: stats.lin_ccc(r[:, 0], r[:, 1], w),
    "mae": lambda r, w: stats.mae(r[:, 0], r[:, 1], w),
    "rmse": lambda r, w: stats.rmse(r[:, 0], r[:, 1], w),
    "bias": lambda r, w: stats.bias(r[:, 0], r[:, 1], w),
    "exact_agreement": lambda r, w: stats.exact_agreement(r[:, 0], r[:, 1], w),
}
MATRICES: dict[str, Kernel] = {
    "mean_pairwise": lambda r, w: stats.mean_pairwise(r, w),
    "gwet_ac1": lambda r, w: stats.gwet_ac1(r, SCALE, w),
    "gwet_ac2": lambda r, w: stats.gwet_ac2(r, SCALE, w),
    "fleiss_kappa": lambda r, w: stats.fleiss_kappa(r, w),
    "alpha_nominal": lambda r, w: stats.krippendorff_alpha(r, "nominal", w),
    "alpha_ordinal": lambda r, w: stats.krippendorff_alpha(r, "ordinal", w),
    "alpha_interval": lambda r, w: stats.krippendorff_alpha(r, "interval", w),
    "icc_a1": lambda r, w: stats.icc_a1(r, w),
    "icc_ak": lambda r, w: stats.icc_ak(r, w),
}
KERNELS = PAIRS | MATRICES

# Whole scores, half points, thirds and gaps; few different values, so that ties and constants are common.
VALUES = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, 3.5, 1 + 2 / 3, float("nan")])
RATINGS = st.integers(0, 12).flatmap(lambda n: hnp.arrays(np.float64, (n, 3), elements=VALUES))


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), ratings=RATINGS)
def test_weights_are_repetitions(name: str, data: st.DataObject, ratings: np.ndarray) -> None:
    kernel, n = KERNELS[name], ratings.shape[0]
    counts = data.draw(hnp.arrays(np.int64, (4, n), elements=st.integers(0, 4)))
    block = kernel(ratings, counts)
    assert block.shape == (4,)
    for value, times in zip(block, counts, strict=True):
        repeated = kernel(np.repeat(ratings, times, axis=0), None)
        np.testing.assert_allclose(value, repeated, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=20, deadline=None)
@given(ratings=RATINGS, seed=st.integers(0, 2**32 - 1))
def test_order_and_empty_rows_do_not_matter(name: str, ratings: np.ndarray, seed: int) -> None:
    kernel = KERNELS[name]
    shuffled = np.random.default_rng(seed).permutation(ratings, axis=0)
    padded = np.vstack([shuffled, np.full((2, 3), np.nan)])
    np.testing.assert_allclose(kernel(ratings, None), kernel(padded, None), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", KERNELS)
def test_no_rows_and_no_weight_are_undefined(name: str) -> None:
    ratings = np.array([[1.0, 2.0, 1.0], [2.0, 2.0, 1.0], [4.0, 5.0, 1.0]])
    assert np.isnan(KERNELS[name](ratings[:0], None))
    assert np.isnan(KERNELS[name](ratings, np.zeros((2, 3)))).all()


@pytest.mark.parametrize("name", KERNELS)
def test_scaling_all_weights_changes_nothing_but_finite_corrections(name: str) -> None:
    ratings = np.random.default_rng(5).integers(1, 6, (40, 3)).astype(float)
    weights = np.random.default_rng(6).uniform(0.5, 2.0, 40)
    one, two = KERNELS[name](ratings, weights), KERNELS[name](ratings, 2 * weights)
    # alpha and ICC know how many items there are; the others only their shares.
    loose = 0.05 if name.startswith(("alpha", "icc")) else 1e-12
    assert one == pytest.approx(float(two), abs=loose)


@pytest.mark.parametrize("name", sorted(set(KERNELS) - {"gwet_ac1", "gwet_ac2"}))
def test_constant_scores_are_never_a_number_of_agreement_beyond_chance(name: str) -> None:
    value = KERNELS[name](np.full((6, 3), 14 / 3), None)
    if name in ("mae", "rmse", "bias"):
        assert value == 0
    elif name in ("percent_agreement", "within_one", "exact_agreement"):
        assert value == 1
    else:
        assert np.isnan(value)


@pytest.mark.parametrize("name", PAIRS)
def test_constant_scores_stay_undefined_in_resamples_however_they_are_rounded(name: str) -> None:
    # A resample that holds one row only, many times: sums of thirds must not leave a residue that looks like variance.
    ratings = np.array([[1 / 3, 1 / 3, 0.0], [7 / 3, 7 / 3, 0.0], [14 / 3, 11 / 3, 0.0]])
    scale = [0, 5]
    kernels = PAIRS | {
        "linear_kappa": lambda r, w: stats.linear_kappa(r[:, 0], r[:, 1], scale, w),
        "unweighted_kappa": lambda r, w: stats.unweighted_kappa(r[:, 0], r[:, 1], scale, w),
        "within_linear_kappa": lambda r, w: stats.within_linear_kappa(r[:, 0], r[:, 1], r[:, 2], scale, w),
        "within_unweighted_kappa": lambda r, w: stats.within_unweighted_kappa(r[:, 0], r[:, 1], r[:, 2], scale, w),
    }
    value = kernels[name](ratings, np.array([[999_983, 0, 0], [0, 999_983, 0]]))
    if name in ("mae", "rmse", "bias"):
        np.testing.assert_allclose(value, 0)
    elif name in ("percent_agreement", "within_one", "exact_agreement"):
        np.testing.assert_allclose(value, 1)
    else:
        assert np.isnan(value).all()


@settings(max_examples=80, deadline=None)
@given(ratings=RATINGS)
def test_agreement_never_exceeds_one(ratings: np.ndarray) -> None:
    for name, kernel in KERNELS.items():
        value = kernel(ratings, None)
        if name not in ("mae", "rmse", "bias", "icc_a1", "icc_ak") and not np.isnan(value):
            assert value <= 1 + 1e-12, name


def test_confusion_matrix_weights_are_repetitions() -> None:
    rng = np.random.default_rng(0)
    human, judge = rng.integers(1, 6, (2, 20)).astype(float)
    human[3] = np.nan
    counts = rng.integers(0, 4, (3, 20))
    block = stats.confusion_matrix(human, judge, SCALE, counts)
    for table, times in zip(block, counts, strict=True):
        repeated = stats.confusion_matrix(np.repeat(human, times), np.repeat(judge, times), SCALE)
        np.testing.assert_array_equal(table, repeated)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.quadratic_kappa([1, 2], [1]), "x has 2 values and y 1"),
        (lambda: stats.quadratic_kappa([[1, 2]], [[1, 2]]), "one dimension"),
        (lambda: stats.quadratic_kappa([1, np.inf], [1, 2]), "infinite"),
        (lambda: stats.quadratic_kappa([1, 2], [1, 2], [1, 2, 3]), "do not fit 2 rows"),
        (lambda: stats.quadratic_kappa([1, 2], [1, 2], [1, -1]), "from 0 up"),
        (lambda: stats.quadratic_kappa([1, 2], [1, 2], [1, np.nan]), "from 0 up"),
        (lambda: stats.linear_kappa([1, 6], [1, 2], SCALE), "6 is outside the scale 1 to 5"),
        (lambda: stats.unweighted_kappa([0, 1], [1, 2], SCALE), "0 is outside the scale 1 to 5"),
        (lambda: stats.linear_kappa([1], [1], [1]), "at least two different levels"),
        (lambda: stats.gwet_ac1([[1, 6]], SCALE), "6 is outside the scale"),
        (lambda: stats.confusion_matrix([3.5], [3], SCALE), "3.5 is not a level"),
        (lambda: stats.krippendorff_alpha([[1, 2]], "ratio"), "metric must be one of"),
        (lambda: stats.krippendorff_alpha([1, 2], "nominal"), "two dimensions"),
        (lambda: stats.icc_a1([[1], [2]]), "at least two raters"),
        (lambda: stats.pairwise([[1], [2]]), "at least two raters"),
        (lambda: stats.within_quadratic_kappa([1, 2], [1, 2], [0]), "groups 1"),
    ],
)
def test_wrong_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
