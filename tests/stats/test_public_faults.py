"""Faults that people met in neighbouring tools, each with its whole kind. Inputs are ours."""

from itertools import combinations

import numpy as np
import pytest

from toolkit import stats
from toolkit.stats import Note

SCALE = [1, 2, 3, 4, 5]
GAP = float("nan")


class TestAGapIsNotAScore:
    human = np.array([4, 5, GAP, GAP, GAP, 2, 3, GAP])
    judge = np.array([4, 3, GAP, GAP, GAP, 2, 1, 5])

    def test_only_pairs_where_both_scored_count(self) -> None:
        block = stats.judge_statistics("human", "judge", SCALE)
        results = stats.bootstrap({"human": self.human, "judge": self.judge}, block, seed=0, replicates=0)
        assert {result.n for result in results.values()} == {4}
        assert results["exact_agreement"].value == 0.5
        assert results["kappa_unweighted"].value == pytest.approx(0.385, abs=5e-4)
        assert results["kappa_quadratic"].value == pytest.approx(0.429, abs=5e-4)
        ordinal = stats.krippendorff_alpha(np.column_stack([self.human, self.judge]), "ordinal")
        assert ordinal == pytest.approx(0.471, abs=5e-4)

    @pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
    def test_raters_who_never_disagree_where_both_scored_agree_perfectly(self, metric: str) -> None:
        ratings = np.array([[1, 1, 5, GAP], [1, 1, GAP, 2], [GAP, 1, 5, 2]]).T
        assert stats.krippendorff_alpha(ratings, metric) == pytest.approx(1)
        assert stats.mean_pairwise(ratings) == pytest.approx(1)
        assert stats.fleiss_kappa(ratings) == pytest.approx(1)

    def test_items_with_one_score_are_no_part_of_n(self) -> None:
        data = {"A1": [1, 2, 3, 4, 5, 1], "A2": [1, 2, 3, 4, GAP, GAP], "A3": [1, 3, GAP, GAP, GAP, 2]}
        results = stats.bootstrap(data, stats.people_statistics(tuple(data), SCALE), seed=0, replicates=0)
        icc = {"icc_a1": 2, "icc_ak": 2}
        assert {key: result.n for key, result in results.items()} == {key: icc.get(key, 5) for key in results}

    def test_rows_of_gaps_change_nothing_in_any_statistic_nor_interval(self) -> None:
        rng = np.random.default_rng(3)
        data = {name: rng.integers(1, 6, 40).astype(float) for name in ("A1", "A2", "A3")}
        padded = {name: np.append(column, [GAP] * 7) for name, column in data.items()}
        people = stats.people_statistics(tuple(data), SCALE)
        bare = stats.bootstrap(data, people, seed=0, replicates=0)
        assert bare == stats.bootstrap(padded, people, seed=0, replicates=0)


class TestNoAgreementAboveOne:
    def test_copied_columns_reach_one_and_never_pass_it(self) -> None:
        column = np.random.default_rng(1).integers(1, 6, 30).astype(float)
        ratings = np.column_stack([column, column, column])
        names = ("R1", "R2", "R3")
        everything = stats.people_statistics(names, SCALE) | stats.judge_statistics("R1", "R2", SCALE)
        results = stats.bootstrap(dict(zip(names, ratings.T, strict=True)), everything, seed=0, replicates=500)
        for key, result in results.items():
            assert result.value is not None
            if key not in ("mae", "rmse", "bias"):
                assert result.value == pytest.approx(1), key
                assert result.ci95 is not None
                assert max(result.ci95) <= 1 + 1e-12


class TestChanceCarriesTheWeightsToo:
    ratings = np.random.default_rng(7).integers(1, 6, size=(5, 2000)).T

    def test_unrelated_ratings_have_no_alpha(self) -> None:
        values = {
            metric: stats.krippendorff_alpha(self.ratings, metric) for metric in ("nominal", "ordinal", "interval")
        }
        assert all(abs(value) < 0.03 for value in values.values())
        assert values["ordinal"] == pytest.approx(-0.005, abs=5e-4)

    def test_unrelated_ratings_have_no_weighted_kappa(self) -> None:
        for i, j in combinations(range(5), 2):
            x, y = self.ratings[:, i], self.ratings[:, j]
            for kappa in (
                stats.quadratic_kappa(x, y),
                stats.linear_kappa(x, y, SCALE),
                stats.unweighted_kappa(x, y, SCALE),
            ):
                assert abs(kappa) < 0.08

    def test_nor_any_other_coefficient(self) -> None:
        assert abs(stats.gwet_ac1(self.ratings, SCALE)) < 0.03
        assert abs(stats.gwet_ac2(self.ratings, SCALE)) < 0.03
        assert abs(stats.fleiss_kappa(self.ratings)) < 0.03
        assert abs(stats.icc_a1(self.ratings)) < 0.03


class TestIntervalsOfDegenerateData:
    def interval(self, human: list[float], judge: list[float], **options: object) -> stats.Estimate:
        kappa = {"kappa": stats.judge_statistics("human", "judge", SCALE)["kappa_quadratic"]}
        return stats.bootstrap({"human": human, "judge": judge}, kappa, seed=5, **options)["kappa"]

    @pytest.mark.parametrize("method", ["percentile", "bca"])
    def test_perfect_agreement_says_that_its_interval_is_degenerate(self, method: str) -> None:
        result = self.interval([5, 4, 3, 2, 1] * 2, [5, 4, 3, 2, 1] * 2, method=method)
        assert result.value == 1
        assert result.ci95 == (1, 1)
        assert Note.INTERVAL_DEGENERATE in result.notes

    @pytest.mark.parametrize("method", ["percentile", "bca"])
    def test_undefined_resamples_are_counted_and_leave_no_interval(self, method: str) -> None:
        result = self.interval([5] * 9 + [2], [5] * 9 + [2], method=method)
        assert result.value == 1
        assert result.ci95 is None
        assert Note.INTERVAL_UNDEFINED_RESAMPLES in result.notes
        # One item of ten holds the other value: (9/10)^10 miss it, (1/10)^10 hold nothing else.
        assert result.undefined_replicates / result.replicates == pytest.approx(0.9**10, abs=0.02)

    def test_a_few_undefined_resamples_are_reported_beside_the_interval(self) -> None:
        result = self.interval([5] * 17 + [2, 1, 3], [5] * 17 + [2, 2, 3])
        # (17/20)^20 of the resamples, 3.9%, hold nothing but 5.
        assert 0.03 < result.undefined_replicates / result.replicates < 0.05
        assert result.ci95 is not None
        assert Note.SOME_RESAMPLES_UNDEFINED in result.notes

    def test_the_same_seed_gives_the_same_interval(self) -> None:
        human, judge = [5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 5, 1], [5, 4, 3, 2, 2, 1, 2, 4, 4, 5, 5, 1]
        assert self.interval(human, judge) == self.interval(human, judge)


class TestOneScoreDominates:
    human, judge = [5] * 46 + [4, 5, 4, 5], [5] * 46 + [5, 4, 5, 4]

    def test_kappa_is_shown_with_raw_agreement_ac1_and_a_note(self) -> None:
        block = stats.judge_statistics("human", "judge", SCALE)
        results = stats.bootstrap({"human": self.human, "judge": self.judge}, block, seed=0, replicates=0)
        assert results["kappa_unweighted"].value == pytest.approx(-0.042, abs=5e-4)
        assert results["exact_agreement"].value == 0.92
        assert results["ac1"].value == pytest.approx(0.918, abs=5e-4)
        for key in ("kappa_quadratic", "kappa_linear", "kappa_unweighted"):
            assert Note.PREVALENCE in results[key].notes

    def test_a_balanced_sample_carries_no_such_note(self) -> None:
        block = stats.judge_statistics("human", "judge", SCALE)
        results = stats.bootstrap({"human": SCALE * 4, "judge": SCALE * 4}, block, seed=0, replicates=0)
        assert not any(Note.PREVALENCE in result.notes for result in results.values())

    def test_gwets_coefficients_do_not_collapse_and_are_not_flagged(self) -> None:
        block = stats.judge_statistics("human", "judge", SCALE)
        results = stats.bootstrap({"human": self.human, "judge": self.judge}, block, seed=0, replicates=0)
        assert results["ac2_quadratic"].value > 0.9
        for key in ("ac1", "ac2_quadratic"):
            assert Note.PREVALENCE not in results[key].notes
