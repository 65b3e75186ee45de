"""The bootstrap: the distribution of the textbook's loop, shared draws, clusters, strata, weights, and its refusals."""

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import ks_2samp

from toolkit import stats
from toolkit.stats import Note, Statistic

SCALE = [1, 2, 3, 4, 5]


def study(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    noisy = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 3)), 1, 5).astype(float)
    return {"A1": noisy[:, 0], "A2": noisy[:, 1], "judge": noisy[:, 2]}


KAPPA = stats.pair_statistic(stats.quadratic_kappa, "A1", "judge")


class TestDistribution:
    def test_replicates_follow_the_distribution_of_drawing_items_one_by_one(self) -> None:
        data = study(30)
        ours = stats.resample(data, {"kappa": KAPPA}, replicates=4000, seed=1)["kappa"].replicates
        rng = np.random.default_rng(2)
        drawn = rng.integers(0, 30, (4000, 30))
        theirs = [float(stats.quadratic_kappa(data["A1"][rows], data["judge"][rows])) for rows in drawn]
        assert ks_2samp(ours, theirs).pvalue > 0.001

    @pytest.mark.parametrize("method", ["percentile", "bca"])
    def test_intervals_are_scipys(self, method: Any) -> None:
        data = study(60, seed=3)
        ours = stats.bootstrap(data, {"kappa": KAPPA}, replicates=20_000, seed=1, method=method)["kappa"].ci95

        def kappa(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
            gap = ((x - y) ** 2).mean(axis=axis)
            return 1 - gap / (x.var(axis=axis) + y.var(axis=axis) + (x.mean(axis=axis) - y.mean(axis=axis)) ** 2)

        theirs = scipy_bootstrap(
            (data["A1"], data["judge"]),
            kappa,
            paired=True,
            vectorized=True,
            n_resamples=20_000,
            method=method,
            rng=np.random.default_rng(5),
        ).confidence_interval
        assert ours == pytest.approx((theirs.low, theirs.high), abs=0.01)

    def test_bca_of_a_mean_shifts_with_the_skew_as_scipys_does(self) -> None:
        x = np.random.default_rng(0).exponential(size=25)
        mean = Statistic(lambda c, w: w @ c["x"] / w.sum(axis=-1), ("x",))
        ours = stats.bootstrap({"x": x}, {"m": mean}, replicates=40_000, seed=1, method="bca")["m"].ci95
        theirs = scipy_bootstrap((x,), np.mean, n_resamples=40_000, rng=np.random.default_rng(1)).confidence_interval
        assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)
        assert ours != pytest.approx(
            stats.bootstrap({"x": x}, {"m": mean}, replicates=40_000, seed=1)["m"].ci95, abs=0.02
        )

    def test_a_wanted_confidence(self) -> None:
        data = study(60)
        ends = [
            stats.bootstrap(data, {"k": KAPPA}, seed=1, replicates=2000, confidence=c)["k"].ci95
            for c in (0.5, 0.9, 0.99)
        ]
        widths = [high - low for low, high in ends]
        assert widths == sorted(widths)


class TestSharedDraws:
    def test_statistics_drawn_a_few_at_a_time_see_the_same_draws(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(5)
        columns = {name: rng.integers(1, 6, 40).astype(float) for name in "abcd"}
        wanted = {name: stats.pair_statistic(stats.quadratic_kappa, "a", name) for name in "bcd"}
        together = stats.bootstrap(columns, wanted, seed=3, replicates=200)
        monkeypatch.setattr(importlib.import_module("toolkit.stats.bootstrap"), "_AT_A_TIME", 1)
        apart = stats.bootstrap(columns, wanted, seed=3, replicates=200)
        assert apart == together and list(apart) == list(together)

    def test_a_difference_of_equal_columns_is_zero_in_every_replicate(self) -> None:
        data = study(40)
        data["copy"] = data["judge"].copy()
        draws = stats.resample(
            data,
            {"d": stats.paired_difference("A1", "judge", "copy"), "k": KAPPA},
            replicates=300,
            seed=1,
        )
        assert (draws["d"].replicates == 0).all()
        assert np.ptp(draws["k"].replicates) > 0

    def test_what_else_is_computed_changes_nothing_on_the_same_columns(self) -> None:
        data = study(40)
        block = stats.judge_statistics("A1", "judge", SCALE)
        alone = stats.bootstrap(data, {"kappa_quadratic": block["kappa_quadratic"]}, replicates=500, seed=9)
        together = stats.bootstrap(data, block, replicates=500, seed=9)
        assert alone["kappa_quadratic"] == together["kappa_quadratic"]

    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 1000), share=st.floats(0, 0.6))
    def test_values_are_the_kernels_own_with_any_gaps(self, seed: int, share: float) -> None:
        data, rng = study(25, seed), np.random.default_rng(seed)
        for column in data.values():
            column[rng.random(25) < share] = np.nan
        wanted = stats.people_statistics(("A1", "A2"), SCALE) | stats.judge_statistics("A1", "judge", SCALE)
        results = stats.bootstrap(data, wanted, seed=0, replicates=0)
        people = np.column_stack([data["A1"], data["A2"]])
        direct = {
            "krippendorff_alpha_ordinal": stats.krippendorff_alpha(people, "ordinal"),
            "fleiss_kappa": stats.fleiss_kappa(people),
            "icc_a1": stats.icc_a1(people),
            "mean_pairwise_kappa": stats.quadratic_kappa(data["A1"], data["A2"]),
            "kappa_quadratic": stats.quadratic_kappa(data["A1"], data["judge"]),
            "spearman": stats.spearman(data["A1"], data["judge"]),
        }
        for key, value in direct.items():
            if np.isnan(value):
                assert results[key].value is None
                assert results[key].notes
            else:
                assert results[key].value == pytest.approx(float(value), abs=1e-12)


class TestClusters:
    def test_repeating_every_item_widens_nothing_when_clusters_are_known(self) -> None:
        # Each item ten times over: as clusters they are the original items, as items they pretend to be more.
        data = study(40)
        repeated = {name: np.repeat(column, 10) for name, column in data.items()}
        width = {}
        for key, columns, clusters in (
            ("once", data, None),
            ("clustered", repeated, np.repeat(np.arange(40), 10)),
            ("pretended", repeated, None),
        ):
            low, high = stats.bootstrap(columns, {"k": KAPPA}, seed=1, replicates=4000, clusters=clusters)["k"].ci95
            width[key] = high - low
        assert width["clustered"] == pytest.approx(width["once"], rel=0.05)
        assert width["pretended"] < width["once"] / 2

    def test_clusters_of_one_are_items(self) -> None:
        data = study(50)
        names = np.array([f"prompt {i}" for i in range(50)])
        clustered = stats.bootstrap(data, {"k": KAPPA}, seed=1, replicates=8000, clusters=names)["k"].ci95
        assert clustered == pytest.approx(
            stats.bootstrap(data, {"k": KAPPA}, seed=2, replicates=8000)["k"].ci95, abs=0.02
        )

    @pytest.mark.parametrize("clusters", [1, 2, 9])
    def test_few_clusters_give_an_interval_with_width_and_a_note(self, clusters: int) -> None:
        data = study(45)
        result = stats.bootstrap(data, {"k": KAPPA}, seed=1, replicates=1000, clusters=np.arange(45) % clusters)["k"]
        assert Note.FEW_CLUSTERS in result.notes
        assert result.ci95 == stats.bootstrap(data, {"k": KAPPA}, seed=1, replicates=1000)["k"].ci95
        assert result.ci95[1] - result.ci95[0] > 0.01

    def test_unequal_clusters_against_a_loop(self) -> None:
        data = study(60, seed=8)
        cluster = np.sort(np.random.default_rng(1).integers(0, 15, 60))
        ours = stats.resample(data, {"k": KAPPA}, replicates=3000, seed=1, clusters=cluster)["k"].replicates
        rng, groups = np.random.default_rng(2), [np.flatnonzero(cluster == c) for c in np.unique(cluster)]
        theirs = []
        for _ in range(3000):
            rows = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
            theirs.append(float(stats.quadratic_kappa(data["A1"][rows], data["judge"][rows])))
        assert ks_2samp(ours, theirs).pvalue > 0.001


class TestStrata:
    def test_strata_take_out_the_variance_between_them(self) -> None:
        # A mean that differs between strata only does not vary when strata are kept.
        group = np.repeat([0, 1], 20)
        data = {"x": group.astype(float) * 4 + 1}
        mean = {"m": Statistic(lambda c, w: w @ c["x"] / w.sum(axis=-1), ("x",))}
        kept = stats.resample(data, mean, seed=1, replicates=200, strata=group)["m"].replicates
        free = stats.resample(data, mean, seed=1, replicates=200)["m"].replicates
        assert np.ptp(kept) < 1e-12 < np.ptp(free)

    def test_small_strata_keep_their_variance(self) -> None:
        # Two units a stratum: the variance of the mean is estimated without bias, not at half its size.
        rng = np.random.default_rng(3)
        group, x = np.repeat(np.arange(200), 2), rng.normal(size=400)
        mean = {"m": Statistic(lambda c, w: w @ c["x"] / w.sum(axis=-1), ("x",))}
        drawn = stats.resample({"x": x}, mean, seed=1, replicates=4000, strata=group)["m"].replicates
        within = np.array([x[group == g].var(ddof=1) for g in range(200)]).mean()
        assert drawn.var() == pytest.approx(within / 400, rel=0.1)

    @pytest.mark.parametrize("strata", [np.arange(30), np.append(np.zeros(29), 1)])
    def test_strata_of_one_item_are_put_together(self, strata: np.ndarray) -> None:
        result = stats.bootstrap(study(30), {"k": KAPPA}, seed=1, replicates=500, strata=strata)["k"]
        assert result.ci95[1] - result.ci95[0] > 0.01

    def test_strata_that_share_clusters_are_drawn_together(self) -> None:
        plan = stats.design({"x": np.arange(24.0)}, clusters=np.arange(24) % 12, strata=np.arange(24) // 12)
        assert len(plan.strata) == 1
        nested = stats.design({"x": np.arange(48.0)}, clusters=np.arange(48) // 2, strata=np.arange(48) // 24)
        assert len(nested.strata) == 2

    @pytest.mark.parametrize("method", ["percentile", "bca"])
    def test_clusters_within_strata_run_under_either_method(self, method: Any) -> None:
        result = stats.bootstrap(
            study(120),
            {"k": KAPPA},
            seed=1,
            replicates=1000,
            clusters=[f"p{i // 3}" for i in range(120)],
            strata=["easy" if i < 60 else "hard" for i in range(120)],
            method=method,
        )["k"]
        assert result.ci95[0] < result.value < result.ci95[1]


class TestSamplingWeights:
    def test_a_weighted_value_is_that_of_the_population(self) -> None:
        # Half of stratum 1 was sampled, a tenth of stratum 2: weights 2 and 10 restore the proportions.
        human, judge = np.array([1.0, 2, 3, 4, 5, 5]), np.array([1.0, 2, 3, 3, 4, 3])
        weights = np.array([2.0, 2, 2, 10, 10, 10])
        result = stats.bootstrap({"A1": human, "judge": judge}, {"k": KAPPA}, seed=0, replicates=0, weights=weights)[
            "k"
        ]
        expanded = stats.quadratic_kappa(np.repeat(human, [1, 1, 1, 5, 5, 5]), np.repeat(judge, [1, 1, 1, 5, 5, 5]))
        assert result.value == pytest.approx(float(expanded), abs=1e-12)
        assert result.n == 6

    @pytest.mark.parametrize("weights", [[0, 1, 1], [-1, 1, 1], [np.nan, 1, 1], [1, 1]])
    def test_weights_that_are_none_are_refused(self, weights: list[float]) -> None:
        with pytest.raises(ValueError, match="weights"):
            stats.bootstrap({"A1": [1, 2, 3], "judge": [1, 2, 3]}, {"k": KAPPA}, seed=0, weights=weights)


class TestRefusals:
    def test_under_ten_items_there_is_a_value_and_no_interval(self) -> None:
        result = stats.bootstrap(study(9), {"k": KAPPA}, seed=0, replicates=200)["k"]
        assert result.value is not None
        assert result.ci95 is None
        assert Note.NO_INTERVAL_UNDER_10 in result.notes

    def test_ten_items_where_both_scored_count_not_ten_rows(self) -> None:
        data = study(14)
        data["judge"][:5] = np.nan
        result = stats.bootstrap(data, {"k": KAPPA}, seed=0, replicates=200)["k"]
        assert (result.n, result.ci95) == (9, None)

    def test_an_undefined_value_says_why(self) -> None:
        block = stats.judge_statistics("human", "judge", SCALE)
        for human, judge, note in (
            ([5] * 12, [5] * 12, Note.BOTH_CONSTANT),
            ([np.nan] * 12, [5] * 12, Note.NO_SHARED_ITEMS),
        ):
            results = stats.bootstrap({"human": human, "judge": judge}, block, seed=0, replicates=100)
            kappa = results["kappa_quadratic"]
            assert (kappa.value, kappa.ci95) == (None, None)
            assert note in kappa.notes
            for key, result in results.items():
                assert result.value is not None or result.notes, key

    def test_a_constant_rater_is_flagged(self) -> None:
        block = stats.judge_statistics("human", "judge", SCALE)
        results = stats.bootstrap({"human": [1, 2, 3, 4] * 5, "judge": [3] * 20}, block, seed=0, replicates=100)
        assert results["kappa_quadratic"].value == 0
        assert Note.ONE_CONSTANT in results["kappa_quadratic"].notes
        assert results["pearson"].value is None
        assert Note.CONSTANT in results["pearson"].notes

    @pytest.mark.parametrize(("n", "small"), [(10, True), (30, True), (31, False)])
    def test_thirty_items_are_still_few(self, n: int, small: bool) -> None:
        result = stats.bootstrap(study(n), {"k": KAPPA}, seed=0, replicates=200)["k"]
        assert (Note.SMALL_N in result.notes) is small

    @pytest.mark.parametrize(
        ("fives", "n", "warned"), [(18, 30, True), (17, 30, False), (60, 99, True), (60, 100, False), (6, 9, False)]
    )
    def test_few_items_with_most_scores_alike_warn_of_a_narrow_interval(self, fives: int, n: int, warned: bool) -> None:
        human = np.concatenate([np.full(fives, 5.0), np.arange(n - fives) % 4 + 1])
        judge = np.arange(n) % 5 + 1.0
        found = stats.bootstrap(
            {"human": human, "judge": judge},
            stats.judge_statistics("human", "judge", SCALE) | stats.people_statistics(("human", "judge"), SCALE),
            seed=0,
            replicates=100,
        )
        of_share = ("kappa_quadratic", "kappa_unweighted", "pearson", "kendall_tau_b", "lin_ccc", "mean_pairwise_kappa")
        for key in (*of_share, "krippendorff_alpha_ordinal", "icc_a1"):
            assert (Note.SKEWED_SMALL in found[key].notes) is warned, key
        # Their intervals hold what they say, skewed or not.
        for key in ("ac1", "ac2_quadratic", "mae", "exact_agreement"):
            assert Note.SKEWED_SMALL not in found[key].notes

    def test_a_rater_of_many_with_few_items_does_not_make_the_scores_skewed(self) -> None:
        columns = {"a": np.tile([1.0, 2, 3, 4], 10), "b": np.tile([1.0, 3, 2, 4], 10)}
        columns["c"] = np.concatenate([[5.0, 5, 1], np.full(37, np.nan)])
        mean = {"mean": stats.mean_pairwise_statistic(tuple("abc"))}
        assert Note.SKEWED_SMALL not in stats.bootstrap(columns, mean, seed=0, replicates=100)["mean"].notes
        skewed = {name: np.where(np.arange(40) < 28, 5, column) for name, column in columns.items()}
        assert Note.SKEWED_SMALL in stats.bootstrap(skewed, mean, seed=0, replicates=100)["mean"].notes

    def test_the_mean_of_pairs_says_that_a_pair_of_it_is_empty(self) -> None:
        mean = {"mean": stats.mean_pairwise_statistic(("a", "b", "c"))}
        mixed = [1.0, 2, 3, 4] * 10

        def found(a: object, b: object, c: object) -> stats.Estimate:
            return stats.bootstrap({"a": a, "b": b, "c": c}, mean, seed=0, replicates=50)["mean"]

        constant = found(mixed, mixed, [4.0] * 40)
        assert constant.value == pytest.approx(1 / 3)
        assert Note.ONE_CONSTANT in constant.notes
        differ = found(mixed, [3.0] * 40, [4.0] * 40)
        assert differ.value == 0
        assert {Note.ONE_CONSTANT, Note.CONSTANTS_DIFFER} <= set(differ.notes)
        single = found(mixed, mixed, [4.0] + [np.nan] * 39)
        assert single.value == pytest.approx(1 / 3)
        assert {Note.SINGLE_ITEM, Note.CONSTANTS_DIFFER} <= set(single.notes)
        assert not set(found(mixed, mixed, mixed[::-1]).notes) & {Note.ONE_CONSTANT, Note.SINGLE_ITEM}

    def test_the_mean_of_pairs_says_why_it_is_undefined(self) -> None:
        gap = np.nan
        for a, b, c, d, note in (
            ([5.0] * 12, [5.0] * 12, [5.0] * 12, [5.0] * 12, Note.ALL_SAME),
            ([5.0, gap], [5.0, gap], [gap, 4.0], [gap, 4.0], Note.BOTH_CONSTANT),
            ([5.0, gap, gap, gap], [gap, 4.0, gap, gap], [gap, gap, 3.0, gap], [gap] * 4, Note.NO_SHARED_ITEMS),
        ):
            columns = {"a": a, "b": b, "c": c, "d": d}
            mean = {"mean": stats.mean_pairwise_statistic(tuple(columns))}
            result = stats.bootstrap(columns, mean, seed=0, replicates=50)["mean"]
            assert result.value is None
            assert note in result.notes
            assert Note.UNDEFINED not in result.notes

    def test_no_replicates_give_values_only(self) -> None:
        result = stats.bootstrap(study(40), {"k": KAPPA}, seed=0, replicates=0)["k"]
        assert (result.ci95, result.replicates, result.notes) == (None, 0, ())

    def test_nothing_asked_for_is_nothing(self) -> None:
        assert stats.bootstrap(study(12), {}, seed=0) == {}

    def test_no_items_at_all(self) -> None:
        result = stats.bootstrap({"A1": [], "judge": []}, {"k": KAPPA}, seed=0, replicates=50)["k"]
        assert (result.value, result.n, result.undefined_replicates) == (None, 0, 50)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"replicates": -1}, "replicates"),
            ({"confidence": 1}, "confidence"),
            ({"method": "t"}, "method"),
            ({"clusters": [1, 2]}, "clusters"),
            ({"strata": [1, 2]}, "strata"),
        ],
    )
    def test_wrong_options_are_named(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            stats.bootstrap(study(12), {"k": KAPPA}, seed=0, **options)

    def test_columns_that_are_not_there_or_do_not_fit_are_named(self) -> None:
        with pytest.raises(ValueError, match="judge"):
            stats.bootstrap({"A1": [1, 2]}, {"k": KAPPA}, seed=0)
        with pytest.raises(ValueError, match="one length"):
            stats.bootstrap({"A1": [1, 2], "judge": [1]}, {"k": KAPPA}, seed=0)


def test_memory_stays_bounded_on_many_different_items() -> None:
    import tracemalloc

    rng = np.random.default_rng(0)
    data = {name: rng.normal(size=20_000) for name in ("A1", "judge")}
    tracemalloc.start()
    stats.bootstrap(data, {"k": KAPPA}, seed=0, replicates=200)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6
