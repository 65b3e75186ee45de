"""Tables from the literature, with their arithmetic, and places where a popular library gives another number.

A published figure is checked to the digits it was printed with; the arithmetic in the comments says how it comes about.
"""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from toolkit import stats


def from_table(table: list[list[int]], levels: list[float] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns x, y and counts from a contingency table (rows x, columns y)."""
    counts = np.array(table)
    grid = np.array(levels if levels is not None else range(1, counts.shape[0] + 1), dtype=float)
    x, y = np.meshgrid(grid, grid, indexing="ij")
    return x.ravel(), y.ravel(), counts.ravel()


class TestPublishedTables:
    def test_cohen_1960_unweighted(self) -> None:
        # Cohen (1960), table 1: proportions .25 .13 .12 / .12 .02 .16 / .03 .15 .02. Observed .29; margins
        # .50 .30 .20 and .40 .30 .30, so chance is .20 + .09 + .06 = .35; kappa = (.29 - .35) / .65 = -.09.
        x, y, counts = from_table([[25, 13, 12], [12, 2, 16], [3, 15, 2]])
        assert stats.unweighted_kappa(x, y, [1, 2, 3], counts) == pytest.approx(-0.06 / 0.65)

    def test_cohen_1968_weighted_by_any_distance(self) -> None:
        # Weighted kappa is 1 - sum(v po) / sum(v pe) for any disagreement weights v. On his table of 100,
        # 44 5 1 / 7 20 3 / 9 5 6, with squared distances: observed 5 + 7 + 3 + 5 + 4 * (1 + 9) = 60.
        # Margins (50 30 20) and (60 30 10): expected = [50*30 + 30*60 + 30*10 + 20*30 + 4*(50*10 + 20*60)] / 100
        # = (1500 + 1800 + 300 + 600 + 6800) / 100 = 110. Kappa = 1 - 60/110 = 0.4545.
        x, y, counts = from_table([[44, 5, 1], [7, 20, 3], [9, 5, 6]])
        assert stats.quadratic_kappa(x, y, counts) == pytest.approx(1 - 60 / 110)
        # Linear: observed 20 + 2*10 = 40; expected (4200 + 2*1700) / 100 = 76.
        assert stats.linear_kappa(x, y, [1, 2, 3], counts) == pytest.approx(1 - 40 / 76)
        # Unweighted on the same table: po = 0.70, pe = .30 + .09 + .02 = 0.41; kappa 0.492 as printed.
        assert stats.unweighted_kappa(x, y, [1, 2, 3], counts) == pytest.approx(0.29 / 0.59)

    def test_fleiss_1971(self) -> None:
        # Thirty patients, six psychiatrists, five diagnoses. Shares of all 180: 26, 26, 30, 55, 43, so chance is
        # (26^2 + 26^2 + 30^2 + 55^2 + 43^2) / 180^2 = 0.220; observed 0.556; kappa = 0.430.
        table = """
            00060 03003 01401 00006 03030 20400 00402 20310 20040 00006
            10050 11040 03300 10050 02031 00501 30012 51000 02040 10203
            00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
        """
        ratings = np.array([np.repeat(np.arange(5), [int(digit) for digit in row]) for row in table.split()])
        assert np.bincount(ratings.ravel()).tolist() == [26, 26, 30, 55, 43]
        assert stats.fleiss_kappa(ratings) == pytest.approx(0.430, abs=5e-4)

    def test_fleiss_textbook_table(self) -> None:
        # Ten subjects, fourteen raters, five categories: observed 0.378, chance 0.213, kappa 0.210.
        table = "0000e 02642 00356 03920 22811 77000 32630 25322 65210 02237"
        ratings = np.array([np.repeat(np.arange(5), [int(digit, 16) for digit in row]) for row in table.split()])
        assert stats.fleiss_kappa(ratings) == pytest.approx(0.210, abs=5e-4)

    def test_krippendorff_2011_four_observers(self) -> None:
        # Krippendorff (2011), section C/D: twelve units, four observers, gaps; 40 pairable values.
        nan = float("nan")
        observers = np.array(
            [
                [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
                [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
                [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
                [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
            ]
        )
        assert stats.krippendorff_alpha(observers.T, "nominal") == pytest.approx(0.743, abs=5e-4)
        assert stats.krippendorff_alpha(observers.T, "ordinal") == pytest.approx(0.815, abs=5e-4)
        assert stats.krippendorff_alpha(observers.T, "interval") == pytest.approx(0.849, abs=5e-4)

    def test_krippendorff_2011_two_observers_binary(self) -> None:
        # Krippendorff (2011), section A: ten units, 14 zeros and 6 ones among 20 values, 4 units disagree:
        # alpha = 1 - (20 - 1) * 4 / (14 * 6) = 0.095.
        first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
        second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
        alpha = stats.krippendorff_alpha(np.column_stack([first, second]), "nominal")
        assert alpha == pytest.approx(1 - 19 * 4 / (14 * 6))
        assert alpha == pytest.approx(0.095, abs=5e-4)

    def test_gwet_2008_high_agreement_low_kappa(self) -> None:
        # 125 subjects: 118 both "+", 5 and 2 split, none both "-". po = 0.944.
        # kappa: pe = .984 * .96 + .016 * .04 = 0.94528, kappa = -0.00128 / 0.05472 = -0.0234.
        # AC1: p = (123 + 120) / 250, pe = 2 p (1 - p) = 0.054432: (0.944 - 0.054432) / 0.945568 = 0.9408.
        x, y, counts = from_table([[118, 5], [2, 0]])
        assert stats.unweighted_kappa(x, y, [1, 2], counts) == pytest.approx(-0.0234, abs=5e-5)
        assert stats.gwet_ac1(np.column_stack([x, y]), [1, 2], counts) == pytest.approx(0.9408, abs=5e-5)

    def test_gwet_2014_four_raters_with_gaps(self) -> None:
        # Gwet's four raters and twelve units, scores missing: AC1 = 0.775, Fleiss' kappa generalised 0.761.
        nan = float("nan")
        ratings = np.array(
            [
                [1, 1, nan, 1],
                [2, 2, 3, 2],
                [3, 3, 3, 3],
                [3, 3, 3, 3],
                [2, 2, 2, 2],
                [1, 2, 3, 4],
                [4, 4, 4, 4],
                [1, 1, 2, 1],
                [2, 2, 2, 2],
                [nan, 5, 5, 5],
                [nan, nan, 1, 1],
                [nan, nan, 3, nan],
            ]
        )
        assert stats.gwet_ac1(ratings, [1, 2, 3, 4, 5]) == pytest.approx(0.77544, abs=5e-6)
        assert stats.fleiss_kappa(ratings) == pytest.approx(0.76117, abs=5e-6)

    def test_shrout_fleiss_1979(self) -> None:
        # Six targets, four judges; mean squares 11.24 (targets), 32.49 (judges), 1.02 (residual).
        # ICC(2,1) = (11.24 - 1.02) / (11.24 + 3 * 1.02 + 4 * (32.49 - 1.02) / 6) = 0.29; ICC(2,4) = 0.62.
        targets = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        assert stats.icc_a1(targets) == pytest.approx(0.29, abs=5e-3)
        assert stats.icc_ak(targets) == pytest.approx(0.62, abs=5e-3)

    def test_lin_1989_identity(self) -> None:
        # 2 s_xy / (s_x^2 + s_y^2 + (mean difference)^2), population moments, on arbitrary numbers.
        x, y = np.array([1.0, 2.5, 3.0, 4.5, 2.0]), np.array([1.5, 2.0, 3.5, 5.0, 1.0])
        covariance = np.mean((x - x.mean()) * (y - y.mean()))
        expected = 2 * covariance / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
        assert stats.lin_ccc(x, y) == pytest.approx(expected)

    def test_feinstein_cicchetti_1990_paradox(self) -> None:
        # Two 2x2 tables with the same agreement 0.85: balanced margins give kappa 0.70, skewed ones 0.32.
        # pe = .46 * .49 + .54 * .51 = .5008 and .85 * .90 + .15 * .10 = .78.
        balanced, skewed = from_table([[40, 9], [6, 45]]), from_table([[80, 10], [5, 5]])
        assert stats.unweighted_kappa(*balanced[:2], [1, 2], balanced[2]) == pytest.approx(0.70, abs=5e-3)
        assert stats.unweighted_kappa(*skewed[:2], [1, 2], skewed[2]) == pytest.approx(0.32, abs=5e-3)


class TestWherePopularLibrariesGiveAnotherNumber:
    def test_scikit_learn_shortens_distances_across_an_unused_level(self) -> None:
        # Without `labels`, scikit-learn takes the labels that occur: 1, 3, 4, 5 become positions 0 to 3.
        x, y = [1, 3, 4, 5, 5, 1], [3, 3, 4, 5, 4, 1]
        for ours, weights in (
            (stats.linear_kappa(x, y, [1, 2, 3, 4, 5]), "linear"),
            (stats.quadratic_kappa(x, y), "quadratic"),
        ):
            assert cohen_kappa_score(x, y, weights=weights) != pytest.approx(float(ours), abs=1e-3)
            full = cohen_kappa_score(x, y, weights=weights, labels=[1, 2, 3, 4, 5])
            assert full == pytest.approx(float(ours))

    def test_scikit_learn_takes_no_half_points(self) -> None:
        # It refuses or re-labels continuous targets; rounding first is the usual way out, and costs accuracy.
        with pytest.raises(ValueError, match=r"continuous|label"):
            cohen_kappa_score([1, 2, 3.5], [1, 2, 3], weights="quadratic", labels=[1, 2, 3, 4, 5])
        x, y = [1.0, 2.5, 3.5, 4.5], [1.0, 2.0, 4.0, 5.0]
        assert stats.rounded_quadratic_kappa(x, y) != pytest.approx(float(stats.quadratic_kappa(x, y)), abs=1e-3)

    def test_statsmodels_divides_nothing_by_nothing_on_constant_ratings(self) -> None:
        # One category holds everything: observed 1, chance 1. statsmodels warns and returns NaN, irrCAC returns 1.
        constant = np.full((6, 3), 5)
        with pytest.warns(RuntimeWarning):
            assert np.isnan(fleiss_kappa(aggregate_raters(constant)[0]))
        assert np.isnan(stats.fleiss_kappa(constant))

    def test_statsmodels_stops_at_unequal_numbers_of_raters(self) -> None:
        # All raters agree on every item; two items have two raters, two have three.
        with pytest.raises(AssertionError):
            fleiss_kappa(np.array([[3, 0], [0, 2], [2, 0], [0, 3]]))
        nan = float("nan")
        assert stats.fleiss_kappa([[1, 1, 1], [2, 2, nan], [1, 1, nan], [2, 2, 2]]) == 1

    def test_scipy_breaks_ties_that_only_floating_point_broke(self) -> None:
        # The same mean, reached by two sums: scipy takes the last bit for a difference.
        from scipy.stats import kendalltau

        third = 0.1 + 0.2  # 0.30000000000000004
        x, y = np.array([0.3, third, 1.0, 2.0]), np.array([2.0, 1.0, 3.0, 4.0])
        assert stats.kendall_tau_b(x, y) == pytest.approx(kendalltau([0, 0, 1, 2], y).statistic)
        assert kendalltau(x, y).statistic != pytest.approx(kendalltau([0, 0, 1, 2], y).statistic)

    def test_values_written_with_four_and_five_digits_stay_two_values_and_are_said(self) -> None:
        data = {"human": [1, 2, 3, 4, 5, 5], "judge": [1, 2, 3, 4.6667, 4.66667, 5]}
        block = stats.judge_statistics("human", "judge", [1, 2, 3, 4, 5])
        results = stats.bootstrap(data, block, seed=0, replicates=0)
        assert stats.Note.NEAR_TIES in results["spearman"].notes

    def test_krippendorff_of_ordinal_weights_is_not_his_ordinal_metric(self) -> None:
        # irrCAC's alpha with "ordinal" weights on two items, 4-5 and 2-2, is 0.84211; his own metric gives 5/6:
        # pairable values 2 2 4 5, mid-ranks 1.5 1.5 3 4: observed 2 * 1 = 2 ordered, expected
        # 2 * 4 * spread / 3 with spread = 2 * 1^2 + 0.5^2 + 1.5^2 = 4.5: 12; alpha = 1 - 2/12.
        alpha = stats.krippendorff_alpha([[4, 5], [2, 2]], "ordinal")
        assert alpha == pytest.approx(1 - 2 / 12)
        assert alpha != pytest.approx(0.84211, abs=1e-3)
