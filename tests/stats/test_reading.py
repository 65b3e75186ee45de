"""Bands, annotators, nulls, patterns, calibration, use: what a reader makes of the numbers."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from toolkit import stats
from toolkit.stats import Band, Estimate, Look, Note

from .study import dimensions
from .test_cases import two_annotators

SCALE = [1, 2, 3, 4, 5]


class TestBands:
    @pytest.mark.parametrize(
        ("value", "band"),
        [
            (-1, Band.LOW),
            (0.3999, Band.LOW),
            (0.4, Band.MODERATE),
            (1 - 0.6, Band.MODERATE),
            (0.5999, Band.MODERATE),
            (0.6, Band.SUBSTANTIAL),
            (0.7999, Band.SUBSTANTIAL),
            (0.8, Band.ALMOST_PERFECT),
            (1.0000000000000002, Band.ALMOST_PERFECT),
        ],
    )
    def test_a_floor_belongs_to_its_band(self, value: float, band: Band) -> None:
        assert stats.band(value) == band

    def test_bands_spanned(self) -> None:
        assert stats.bands_spanned((0.1, 0.9)) == tuple(Band)
        assert stats.bands_spanned((0.61, 0.62)) == (Band.SUBSTANTIAL,)
        assert stats.bands_spanned(None) == ()

    @pytest.mark.parametrize("value", [1.5, float("nan")])
    def test_what_is_no_kappa_is_refused(self, value: float) -> None:
        with pytest.raises(ValueError, match="kappa"):
            stats.band(value)

    def test_ends_in_the_wrong_order_are_refused(self) -> None:
        with pytest.raises(ValueError, match="above its upper"):
            stats.bands_spanned((0.5, 0.4))


class TestAnnotators:
    def profile(self, own: object, others: object, **options: object) -> stats.AnnotatorProfile:
        return stats.annotator_profile(own, others, SCALE, seed=1, replicates=1000, **options)

    def careful(self, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(1)
        truth = rng.integers(1, 6, n)
        scores = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 3)), 1, 5).astype(float)
        return scores[:, 0], scores[:, 1:]

    def test_a_careful_annotator_gives_nothing_to_look_at(self) -> None:
        own, others = self.careful()
        profile = self.profile(own, others, position=np.arange(40))
        assert profile.look_at == ()
        assert sum(profile.use) == profile.n == 40
        assert profile.mean == pytest.approx(own.mean())
        assert profile.sd == pytest.approx(own.std(ddof=1))

    def test_a_long_run_and_the_same_scores_in_another_order(self) -> None:
        own, others = np.repeat([1.0, 2, 3, 4, 5], 8), np.tile([[1.0], [2], [3], [4], [5]], (8, 1))
        profile = self.profile(own, others, position=np.arange(40))
        assert profile.longest_run == 8
        assert Look.LONG_RUN in profile.look_at
        mixed = self.profile(own, others, position=np.random.default_rng(0).permutation(40))
        assert Look.LONG_RUN not in mixed.look_at

    def test_a_run_that_its_dimension_explains_is_no_long_run(self) -> None:
        # One sheet, grouped: ten easy items that all deserve a 5, then twenty mixed ones.
        rng = np.random.default_rng(3)
        own = np.concatenate([np.full(10, 5.0), rng.integers(1, 5, 20)])
        others = np.tile(own[:, None], 2)
        dimension = np.repeat(["consistency", "factual"], [10, 20])
        pooled = self.profile(own, others, position=np.arange(30))
        within = self.profile(own, others, position=np.arange(30), groups=dimension)
        assert pooled.longest_run == within.longest_run == 10
        assert pooled.longest_run_p < 0.01
        assert within.longest_run_p == 1
        assert Look.LONG_RUN in pooled.look_at
        assert Look.LONG_RUN not in within.look_at

    def test_a_run_inside_one_dimension_is_still_one(self) -> None:
        own, others = np.tile(np.repeat([1.0, 5], 10), 2), np.tile([[1.0], [2], [3], [4], [5]], (8, 1))
        within = self.profile(own, others, position=np.arange(40), groups=np.repeat(["a", "b"], 20))
        assert Look.LONG_RUN in within.look_at

    def test_drift_between_dimensions_is_no_drift(self) -> None:
        rng = np.random.default_rng(0)
        own, others = np.repeat([2.0, 4], 20), 3 + rng.integers(-1, 2, (40, 2)).astype(float)
        options = {"position": np.arange(40)}
        assert Look.DRIFT in self.profile(own, others, **options).look_at
        within = self.profile(own, others, groups=np.repeat(["a", "b"], 20), **options)
        assert Look.DRIFT not in within.look_at

    def test_the_two_annotator_study(self, cases: Path) -> None:
        # The ten consistency answers deserve the 5 that they all got. In the order of the file.
        table = two_annotators(cases, discussed=False)
        options = {"position": np.arange(30), "replicates": 10_000, "seed": 0}
        a1, a2 = table["A1"], table["A2"][:, None]
        assert stats.annotator_profile(a1, a2, SCALE, **options).longest_run_p == pytest.approx(0.003, abs=0.002)
        within = stats.annotator_profile(a1, a2, SCALE, groups=table["dimension"], **options)
        assert within.longest_run == 12
        assert within.longest_run_p == pytest.approx(0.4, abs=0.02)
        assert within.look_at == ()

    def test_without_an_order_there_is_no_run(self) -> None:
        own, others = self.careful()
        for options in ({}, {"position": np.full(40, np.nan)}):
            profile = self.profile(own, others, **options)
            assert (profile.longest_run, profile.longest_alternation, profile.drift) == (None, None, None)
            assert (profile.longest_run_p, profile.longest_alternation_p, profile.drift_p) == (None, None, None)

    def test_groups_that_do_not_fit_are_named(self) -> None:
        own, others = self.careful()
        with pytest.raises(ValueError, match="groups"):
            self.profile(own, others, position=np.arange(40), groups=["a"])

    def test_strata_reach_the_intervals(self) -> None:
        # Between strata all the spread, within them none: the interval has no width.
        own = np.repeat([1.0, 5.0], 20)
        others = np.repeat([1.0, 3.0], 20)[:, None]
        assert np.ptp(self.profile(own, others).severity.ci95) > 0.3
        assert np.ptp(self.profile(own, others, strata=np.repeat(["x", "y"], 20)).severity.ci95) == 0

    def test_alternation(self) -> None:
        own, others = np.tile([2.0, 4], 15), np.tile([[1.0], [5]], (15, 1))
        profile = self.profile(own, others, position=np.arange(30))
        assert profile.longest_alternation == 30
        assert Look.ALTERNATION in profile.look_at
        assert profile.longest_run == 1

    def test_one_score_throughout_is_no_alternation(self) -> None:
        _, others = self.careful()
        profile = self.profile(np.full(40, 3.0), others, position=np.arange(40))
        assert (profile.longest_run, profile.longest_alternation) == (40, 0)
        assert Look.ONE_SCORE in profile.look_at
        assert Look.ALTERNATION not in profile.look_at

    def test_drift(self) -> None:
        _, others = self.careful(60)
        own = np.clip(np.median(others, axis=1) + np.repeat([-1.0, 0, 1], 20), 1, 5)
        profile = self.profile(own, others, position=np.arange(60))
        assert profile.drift > 0.5
        assert Look.DRIFT in profile.look_at
        backwards = self.profile(own, others, position=-np.arange(60))
        assert backwards.drift == pytest.approx(-profile.drift)

    @pytest.mark.parametrize(("shift", "look"), [(-1, Look.SEVERE), (1, Look.LENIENT)])
    def test_severity(self, shift: int, look: Look) -> None:
        others = np.tile([[2.0, 3], [3, 3], [4, 4], [2, 2]], (10, 1))
        profile = self.profile(np.median(others, axis=1) + shift, others)
        assert profile.severity.value == shift
        assert look in profile.look_at

    def test_doubts_beside_divergences(self) -> None:
        own, others = self.careful(8)
        profile = self.profile(own, others, doubts=[1, 1, 0, 0, 0, 0, 0, 0], divergent=[1, 0, 0, 0, 0, 0, 0, 1])
        assert profile.doubts == 2
        assert profile.divergent_when_doubted == 0.5
        assert profile.divergent_when_sure == pytest.approx(1 / 6)
        assert self.profile(own, others).doubts is None

    def test_gaps_and_nothing_at_all(self) -> None:
        own, others = self.careful(12)
        own[:] = np.nan
        profile = self.profile(own, others, position=np.arange(12), doubts=np.zeros(12))
        assert (profile.n, profile.mean, profile.sd, profile.longest_run, profile.drift) == (0, None, None, 0, None)
        assert profile.agreement.notes == (Note.NO_SHARED_ITEMS,)


class TestNulls:
    def test_the_commonest_score_has_kappa_zero(self) -> None:
        human = np.array([5.0, 5, 4, 3, 5, 1])
        null = stats.commonest_score(human)
        assert (null == 5).all()
        assert stats.quadratic_kappa(human, null) == pytest.approx(0, abs=1e-12)
        assert (stats.commonest_score(human, [1, 1, 9, 1, 1, 1]) == 4).all()
        assert np.isnan(stats.commonest_score([np.nan])).all()

    @pytest.mark.parametrize("kernel", [stats.quadratic_kappa, stats.spearman, stats.within_one])
    def test_shuffles_are_shuffles(self, kernel: object) -> None:
        rng = np.random.default_rng(0)
        human, judge = rng.integers(1, 6, 30).astype(float), rng.integers(1, 6, 30) + 0.5
        null = stats.shuffled(human, judge, kernel, shuffles=4000, seed=1)
        loop = [float(kernel(human, rng.permutation(judge))) for _ in range(2000)]
        assert null.mean == pytest.approx(np.mean(loop), abs=0.02)
        assert (null.low, null.high) == pytest.approx(np.quantile(loop, [0.025, 0.975]).tolist(), abs=0.04)

    def test_shuffling_a_constant_is_undefined(self) -> None:
        assert stats.shuffled([5.0] * 9, [5.0] * 9, seed=0) == stats.Shuffled(None, None, None, None)
        assert stats.shuffled([np.nan], [1.0], seed=0).mean is None

    def test_length_alone_is_as_good_as_length_is(self) -> None:
        rng = np.random.default_rng(0)
        human = rng.integers(1, 6, 200).astype(float)
        unrelated = stats.length_only(human, rng.uniform(10, 500, 200), seed=0)
        assert abs(stats.quadratic_kappa(human, unrelated)) < 0.2
        shorter_is_better = stats.length_only(human, 600 - human * 100 + rng.normal(0, 30, 200), seed=0)
        assert stats.quadratic_kappa(human, shorter_is_better) > 0.9
        assert set(np.unique(unrelated)) <= set(np.unique(human))

    def test_length_alone_learns_nothing_from_the_item_itself(self) -> None:
        human, lengths = np.array([1.0, 2, 3, 4, 5] * 4), np.arange(20.0)
        before = stats.length_only(human, lengths, folds=20, seed=0)
        changed = human.copy()
        changed[7] = 1.0
        assert stats.length_only(changed, lengths, folds=20, seed=0)[7] == before[7]


class TestPatterns:
    def panel(self, n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng = np.random.default_rng(2)
        truth = rng.integers(1, 6, n)
        ratings = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 3)), 1, 5).astype(float)
        judge = np.clip(truth + rng.integers(-1, 2, n), 1, 5).astype(float)
        return ratings, judge, truth

    def test_a_lean_in_one_group_is_found_and_no_other(self) -> None:
        ratings, judge, _ = self.panel()
        groups = np.array(["easy", "hard"])[np.arange(400) % 2]
        judge = np.where(groups == "hard", np.minimum(judge + 1, 5), judge)
        easy, hard = stats.bias_by_group(ratings, judge, groups, seed=1, replicates=1000)
        assert (easy.label, hard.label) == ("easy", "hard")
        assert (easy.judge.n, hard.judge.n) == (200, 200)
        assert hard.excess.ci95[0] > 0.4
        assert hard.adjusted_p_value < 0.001
        assert easy.excess.ci95[0] < 0 < easy.excess.ci95[1]
        assert easy.adjusted_p_value >= easy.p_value > 0.05

    def test_values_by_hand(self) -> None:
        ratings, judge = np.array([[1.0, 2, 3], [4, 4, np.nan]]), np.array([3.0, 5])
        (pattern,) = stats.bias_by_group(ratings, judge, ["g", "g"], seed=0, replicates=0)
        # Others' medians 2.5, 2, 1.5 and 4, 4: judge +0.5, +1, +1.5, +1, +1; persons -1.5, 0, +1.5, 0, 0.
        assert pattern.judge.value == pytest.approx(1)
        assert pattern.person.value == pytest.approx(0)
        assert pattern.excess.value == pytest.approx(1)
        assert (pattern.judge.n, pattern.p_value) == (2, None)

    def test_regression_to_the_mean_is_not_the_judges(self) -> None:
        ratings, judge, _ = self.panel(2000)
        lowest, *_, highest = stats.bias_by_level(ratings, judge, SCALE, seed=1, replicates=500)
        assert lowest.judge.value > 0.1
        assert highest.judge.value < -0.1
        for pattern in (lowest, highest):
            assert pattern.excess.ci95[0] < 0 < pattern.excess.ci95[1]

    def test_a_judge_that_avoids_the_ends_shows_beyond_people(self) -> None:
        ratings, _, truth = self.panel(400)
        timid = np.clip(truth, 2, 4).astype(float)
        lowest, *_, highest = stats.bias_by_level(ratings, timid, SCALE, seed=1, replicates=500)
        assert lowest.excess.ci95[0] > 0
        assert highest.excess.ci95[1] < 0

    def test_strata_reach_every_pattern(self) -> None:
        ratings = np.full((40, 2), 3.0)
        judge, strata = np.tile([3.0, 5.0], 20), np.tile(["x", "y"], 20)
        options = {"seed": 1, "replicates": 200}
        for pattern in (
            lambda **o: stats.bias_by_group(ratings, judge, ["g"] * 40, **options, **o)[0],
            lambda **o: stats.bias_by_level(ratings, judge, SCALE, **options, **o)[2],
            lambda **o: stats.bias_along(ratings, judge, np.tile([0.0, 1.0], 20), "x", **options, **o),
        ):
            drawn = pattern(strata=strata).excess
            assert drawn.ci95 == (drawn.value, drawn.value)
        free = stats.bias_by_group(ratings, judge, ["g"] * 40, **options)[0].excess
        assert free.ci95[1] - free.ci95[0] > 0.3

    def test_every_level_is_listed_even_unused(self) -> None:
        ratings = np.full((12, 3), 4.0)
        patterns = stats.bias_by_level(ratings, ratings[:, 0], SCALE, seed=0, replicates=50)
        assert [pattern.label for pattern in patterns] == ["1", "2", "3", "4", "5"]
        assert patterns[0].judge.value is None
        assert patterns[0].judge.n == 0
        assert patterns[3].excess.value == 0
        assert patterns[3].p_value is None

    def test_verbosity_is_a_slope_in_points_per_doubling(self) -> None:
        ratings, judge, _ = self.panel()
        doublings = np.random.default_rng(0).uniform(4, 9, 400)
        pattern = stats.bias_along(ratings, judge + 0.3 * doublings, doublings, "length", seed=1, replicates=500)
        assert pattern.excess.value == pytest.approx(0.3, abs=0.1)
        assert pattern.excess.ci95[0] > 0
        flat = stats.bias_along(ratings, judge, np.full(400, 7.0), "length", seed=1, replicates=50)
        assert flat.excess.value is None

    def test_the_slope_is_numpys(self) -> None:
        ratings, judge, _ = self.panel(50)
        x = np.random.default_rng(3).normal(size=50)
        others = [np.median(np.delete(ratings, i, axis=1), axis=1) for i in range(3)]
        slope = np.polyfit(np.tile(x, 3), np.concatenate([judge - median for median in others]), 1)[0]
        pattern = stats.bias_along(ratings, judge, x, "x", seed=0, replicates=0)
        assert pattern.judge.value == pytest.approx(slope)

    def test_wrong_input_is_named(self) -> None:
        with pytest.raises(ValueError, match="two raters"):
            stats.bias_by_group([[1.0]], [1], ["a"], seed=0)
        with pytest.raises(ValueError, match="groups"):
            stats.bias_by_group([[1.0, 2]], [1], ["a", "b"], seed=0)


class TestCalibration:
    def test_a_calibrated_judge(self) -> None:
        rng = np.random.default_rng(0)
        confidence = rng.uniform(0, 1, 20_000)
        correct = (rng.uniform(size=20_000) < confidence).astype(float)
        assert stats.expected_calibration_error(confidence, correct) < 0.02
        assert stats.brier_score(confidence, correct) == pytest.approx(1 / 6, abs=0.01)
        for row in stats.reliability_table(confidence, correct):
            assert row.accuracy == pytest.approx(row.confidence, abs=0.05)

    def test_ends_of_bins(self) -> None:
        table = stats.reliability_table([0, 0.1, 0.1 + 0.2, 1], [0, 0, 1, 1])
        assert [row.n for row in table] == [2, 0, 1, 0, 0, 0, 0, 0, 0, 1]
        assert table[1].confidence is None

    def test_gaps_and_wrong_values(self) -> None:
        assert np.isnan(stats.brier_score([np.nan], [1]))
        with pytest.raises(ValueError, match="confidence"):
            stats.brier_score([1.2], [1])
        with pytest.raises(ValueError, match="bins"):
            stats.expected_calibration_error([0.5], [1], 0)

    def test_weights_are_repetitions(self) -> None:
        rng = np.random.default_rng(0)
        confidence, correct = rng.uniform(size=15), rng.integers(0, 2, 15).astype(float)
        repeats = rng.integers(1, 3, (15, 3)).astype(float)
        times = rng.integers(0, 4, 15)
        again = [np.repeat(column, times, axis=0) for column in (confidence, correct, repeats)]
        ece = stats.expected_calibration_error
        assert ece(confidence, correct, weights=times) == pytest.approx(float(ece(again[0], again[1])))
        assert stats.retest_agreement(repeats, times) == pytest.approx(float(stats.retest_agreement(again[2])))
        assert stats.flip_rate(repeats, times) == pytest.approx(float(stats.flip_rate(again[2])))

    def test_one_judgement_is_no_repetition(self) -> None:
        assert np.isnan(stats.retest_agreement([[4, np.nan]]))
        assert np.isnan(stats.flip_rate([[4, np.nan]]))
        assert stats.retest_agreement([[4, np.nan], [3, 3]]) == 1


class TestUse:
    def test_a_judge_that_adds_a_constant_keeps_the_ranking(self) -> None:
        rng = np.random.default_rng(0)
        systems = np.repeat(["a", "b", "c"], 60)
        human = np.clip(rng.normal(np.repeat([2, 3, 4], 60), 0.5), 1, 5)
        result = stats.ranking_agreement(human, human + 0.7, systems, seed=1, replicates=500)
        assert result.tau.value == 1
        assert result.same_order == result.same_best == 1
        assert [estimate.n for estimate in result.human] == [60, 60, 60]

    def test_a_chatbot_with_nine_items_gets_a_mean_without_an_interval(self) -> None:
        human = np.random.default_rng(0).integers(1, 6, 49).astype(float)
        result = stats.ranking_agreement(human, human, np.repeat(["a", "b"], [40, 9]), seed=1, replicates=200)
        assert [estimate.n for estimate in result.judge] == [40, 9]
        assert result.judge[0].ci95 is not None
        assert result.judge[1].ci95 is None
        assert Note.NO_INTERVAL_UNDER_10 in result.judge[1].notes

    def test_strata_reach_ranking_and_selection(self) -> None:
        human, judge = np.tile([1.0, 2, 4, 5], 20), np.tile([1.0, 3, 4, 5], 20)
        strata = np.tile([0, 1, 2, 3], 20)
        ranked = stats.ranking_agreement(human, judge, np.repeat(["a", "b"], 40), seed=1, replicates=200, strata=strata)
        assert all(one.ci95 == pytest.approx((one.value, one.value)) for one in (*ranked.human, *ranked.judge))
        (point,) = stats.selective_agreement(human, judge, np.zeros(80), seed=1, replicates=200, strata=strata)
        assert point.agreement.ci95 == pytest.approx((point.agreement.value, point.agreement.value))
        with pytest.raises(ValueError, match="strata"):
            stats.ranking_agreement(human, judge, np.repeat(["a", "b"], 40), seed=1, strata=[0])

    def test_the_n_of_a_rate_is_what_it_is_a_rate_of(self) -> None:
        human = np.concatenate([np.full(9, 2.0), np.full(31, 5.0), [np.nan]])
        judge = np.concatenate([np.full(3, 4.0), np.full(6, 1.0), np.full(30, 5.0), [2.0, 5.0]])
        found = stats.bootstrap(*stats.passing_statistics(human, judge, 4), seed=1, replicates=500)
        assert {key: one.n for key, one in found.items()} == {
            "agreement": 40,
            "false_pass_rate": 9,
            "false_fail_rate": 31,
        }
        assert found["false_pass_rate"].value == pytest.approx(3 / 9)
        assert found["false_pass_rate"].ci95 is None
        assert Note.NO_INTERVAL_UNDER_10 in found["false_pass_rate"].notes
        assert found["false_fail_rate"].value == pytest.approx(1 / 31)
        assert found["false_fail_rate"].ci95 is not None
        kernels = (stats.false_pass_rate, stats.false_fail_rate)
        assert [float(kernel(human, judge, 4)) for kernel in kernels] == [3 / 9, 1 / 31]
        nobody = stats.bootstrap(*stats.passing_statistics([5.0] * 12, [5.0] * 12, 4), seed=1, replicates=50)
        assert (nobody["false_pass_rate"].value, nobody["false_pass_rate"].n) == (None, 0)

    def test_systems_that_people_cannot_tell_apart_leave_the_order_open(self) -> None:
        rng = np.random.default_rng(0)
        systems = np.repeat(["a", "b"], 40)
        result = stats.ranking_agreement(rng.normal(3, 1, 80), rng.normal(3, 1, 80), systems, seed=1, replicates=1000)
        assert 0.05 < result.same_order < 0.95

    def test_a_tie_is_no_order(self) -> None:
        result = stats.ranking_agreement([1.0, 2] * 10, [1.0, 2] * 10, [0, 0, 1, 1] * 5, seed=0, replicates=0)
        assert (result.tau.value, result.same_best_observed, result.same_best) == (None, None, None)

    def test_shared_prompts_are_drawn_together(self) -> None:
        # The judge is right on every prompt about which chatbot is better; prompts differ more than chatbots.
        prompts = np.tile(np.arange(30), 2)
        human = np.random.default_rng(0).normal(0, 5, 30)
        human = np.concatenate([human, human + 0.1])
        paired = stats.ranking_agreement(
            human, human * 2, np.repeat(["a", "b"], 30), seed=0, replicates=300, clusters=prompts
        )
        assert paired.same_order == 1

    def test_threshold_decisions_by_hand(self) -> None:
        human, judge = [2, 3, 4, 5, 4], [4, 3, 3, 5, np.nan]
        assert stats.threshold_agreement(human, judge, 4) == 0.5
        assert stats.false_pass_rate(human, judge, 4) == 0.5
        assert stats.false_fail_rate(human, judge, 4) == 0.5
        assert np.isnan(stats.false_pass_rate([5, 5], [1, 5], 4))

    def test_agreement_falls_as_less_sure_items_are_added(self) -> None:
        rng = np.random.default_rng(0)
        human, spread = rng.integers(1, 6, 400).astype(float), rng.uniform(0, 2, 400)
        judge = np.clip(human + rng.normal(0, 1, 400) * spread, 1, 5)
        points = stats.selective_agreement(human, judge, spread, seed=1, replicates=200)
        values = [point.agreement.value for point in points]
        assert values == sorted(values, reverse=True)
        assert [round(point.share, 2) for point in points] == [0.25, 0.5, 0.75, 1.0]
        assert points[0].agreement.n == 100

    def test_equal_uncertainty_stays_together(self) -> None:
        points = stats.selective_agreement([1.0, 2, 3, 4], [1.0, 2, 3, 4], [0, 0, 0, 1], seed=0, replicates=0)
        assert [point.share for point in points] == [0.75, 1.0]
        assert stats.selective_agreement([1.0], [1.0], [np.nan], seed=0, replicates=0) == ()

    def test_a_route_is_judged_on_items_it_was_not_chosen_on(self) -> None:
        # Uncertainty that tells nothing: a chosen threshold looks fine where it was chosen, and fails elsewhere.
        held_out = []
        for seed in range(60):
            rng = np.random.default_rng(seed)
            human, judge, noise = rng.integers(1, 6, 40), rng.integers(1, 6, 40), rng.uniform(size=40)
            route = stats.routing(human, judge, noise, target=0.8, seed=seed)
            if route.threshold is not None:
                chosen = noise <= route.threshold
                assert stats.within_one(human[chosen], judge[chosen]) >= 0.8
                held_out.append((route.n, route.agreement))
        items = sum(n for n, _ in held_out)
        assert items > 50
        assert sum(n * (agreement or 0) for n, agreement in held_out) / items < 0.7

    def test_no_route_reaches_the_impossible(self) -> None:
        route = stats.routing([1.0] * 10, [5.0] * 10, np.arange(10.0), target=0.5, seed=0)
        assert route == stats.Routing(None, 0.0, None, 0)


class TestSeveralJudges:
    def data(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(0)
        human = rng.integers(1, 6, 60).astype(float)
        judges = {f"j{k}": np.clip(human + rng.normal(0, 1, 60), 1, 5) for k in range(6)}
        return {"human": human, **judges}

    def test_intervals_for_all_at_once_are_wider_than_one_alone(self) -> None:
        data = self.data()
        wanted = {name: stats.pair_statistic(stats.quadratic_kappa, "human", name) for name in data if name != "human"}
        draws = stats.resample(data, wanted, seed=1, replicates=4000)
        together = stats.simultaneous_intervals(draws)
        alone = {name: stats.simultaneous_intervals({name: draw})[name] for name, draw in draws.items()}
        for name in wanted:
            width = together[name].ci95[1] - together[name].ci95[0]
            assert width > alone[name].ci95[1] - alone[name].ci95[0]

    def test_all_at_once_hold_as_often_as_they_say(self) -> None:
        # Means of six independent columns, true value 0: how often all six intervals hold it.
        held, rounds = 0, 200
        for seed in range(rounds):
            data = {f"x{i}": column for i, column in enumerate(np.random.default_rng(seed).normal(size=(6, 60)))}
            wanted = {
                name: stats.Statistic(lambda c, w, name=name: w @ c[name] / w.sum(axis=-1), (name,)) for name in data
            }
            results = stats.simultaneous_intervals(stats.resample(data, wanted, seed=seed, replicates=400))
            held += all(result.ci95[0] <= 0 <= result.ci95[1] for result in results.values())
        assert 0.88 < held / rounds < 0.99

    def test_undefined_and_constant_judges_do_not_disturb_the_others(self) -> None:
        data = self.data()
        data |= {"constant": np.full(60, 3.0), "silent": np.full(60, np.nan), "perfect": data["human"]}
        wanted = {name: stats.pair_statistic(stats.quadratic_kappa, "human", name) for name in data if name != "human"}
        results = stats.simultaneous_intervals(stats.resample(data, wanted, seed=1, replicates=500))
        assert results["silent"].value is None
        assert results["perfect"].ci95 == (1, 1)
        assert Note.INTERVAL_DEGENERATE in results["perfect"].notes
        assert results["j0"].ci95 is not None

    def test_intervals_end_where_kappa_does(self) -> None:
        human = np.tile([1.0, 2, 3, 4, 5], 3)
        near = human.copy()
        near[0] = 3
        data = {"human": human, "near": near, "random": np.random.default_rng(1).integers(1, 6, 15).astype(float)}
        wanted = {name: stats.pair_statistic(stats.quadratic_kappa, "human", name) for name in ("near", "random")}
        draws = stats.resample(data, wanted, seed=1, replicates=1000)
        free, bounded = stats.simultaneous_intervals(draws), stats.simultaneous_intervals(draws, bounds=(-1, 1))
        assert free["near"].ci95[1] > 1
        assert bounded["near"].ci95 == (free["near"].ci95[0], 1)
        assert bounded["random"].ci95 == free["random"].ci95

    def test_what_is_fragile_about_them_is_noted_as_for_one(self) -> None:
        human = np.tile([1.0, 2, 3, 4, 5], 6)
        wanted = {"k": stats.pair_statistic(stats.quadratic_kappa, "human", "judge", stats.kappa_notes())}

        def notes(judge: np.ndarray, **options: object) -> tuple[Note, ...]:
            data = {"human": human[: len(judge)], "judge": judge}
            return stats.simultaneous_intervals(stats.resample(data, wanted, seed=1, replicates=100, **options))[
                "k"
            ].notes

        judge = human.copy()
        judge[:3] = 4
        assert notes(judge) == (Note.SMALL_N,)
        assert notes(judge, clusters=np.arange(30) % 5) == (Note.SMALL_N, Note.FEW_CLUSTERS)
        assert notes(judge[:9]) == (Note.NO_INTERVAL_UNDER_10,)
        assert notes(np.full(30, np.nan)) == (Note.NO_SHARED_ITEMS,)
        assert notes(np.full(30, 3.0)) == (Note.ONE_CONSTANT, Note.INTERVAL_DEGENERATE, Note.SMALL_N)

    def test_paired_differences_on_the_same_items(self, cases: Path) -> None:
        summaries = dimensions(cases, "summeval")[0]
        data = {"human": summaries.median, **summaries.judges}
        pairs = list(itertools.combinations(summaries.judges, 2))
        wanted = {pair: stats.paired_difference("human", *pair) for pair in pairs}
        results = stats.bootstrap(data, wanted, seed=1, replicates=1000)
        for (first, second), result in results.items():
            theirs = [summaries.expected["judges"][name]["qwk_vs_median_raw_formula"] for name in (first, second)]
            assert isinstance(result, Estimate)
            assert result.value == pytest.approx(theirs[0] - theirs[1], abs=1e-9)
            assert result.ci95[0] < result.value < result.ci95[1]


class TestHeldOut:
    def test_the_median_is_numpys(self) -> None:
        rng = np.random.default_rng(0)
        for raters in range(1, 7):
            ratings = rng.integers(1, 6, (200, raters)).astype(float)
            ratings[rng.random(ratings.shape) < 0.4] = np.nan
            some = ~np.isnan(ratings).all(axis=1)
            np.testing.assert_array_equal(stats.row_median(ratings)[some], np.nanmedian(ratings[some], axis=1))
            assert np.isnan(stats.row_median(ratings)[~some]).all()
        assert stats.row_median(np.empty((0, 3))).shape == (0,)
