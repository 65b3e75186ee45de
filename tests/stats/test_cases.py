"""Every value of the shared cases that this package computes, against the libraries that computed it first."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toolkit import stats

from .study import Dimension, dimensions, expected, rows

SCALE = [1, 2, 3, 4, 5]
SCORED = ("summeval", "cebab_stars", "edge_synthetic")


def same(ours: Any, theirs: Any, tolerance: float = 1e-9) -> bool:
    if theirs is None or isinstance(theirs, dict):  # undefined, or the library refused
        return bool(np.isnan(ours))
    return abs(float(ours) - theirs) <= tolerance


def all_dimensions(cases: Path, names: tuple[str, ...] = SCORED) -> list[Dimension]:
    return [dimension for case in names for dimension in dimensions(cases, case)]


def test_pairs_of_people(cases: Path) -> None:
    checked = 0
    for dimension in all_dimensions(cases):
        columns = dict(zip(dimension.annotators, dimension.ratings.T, strict=True))
        for pair, values in dimension.expected["pairwise"].items():
            x, y = (columns[name] for name in pair.split("|"))
            assert (~np.isnan(x + y)).sum() == values["n"]
            if not values["n"]:
                assert np.isnan(stats.quadratic_kappa(x, y))
                continue
            where = f"{dimension.name} {pair}"
            assert same(stats.quadratic_kappa(x, y), values["qwk_sklearn"]), where
            assert same(stats.quadratic_kappa(x, y), values["qwk_raw_formula"]), where
            assert same(stats.quadratic_kappa(x, y), values["qwk_statsmodels"]), where
            assert same(stats.linear_kappa(x, y, SCALE), values["kappa_linear_sklearn"]), where
            assert same(stats.unweighted_kappa(x, y, SCALE), values["kappa_unweighted_sklearn"]), where
            assert same(stats.pearson(x, y), values["pearson_scipy"]), where
            assert same(stats.mae(x, y), values["mae_sklearn"]), where
            checked += 1
    assert checked >= 60


def test_mean_over_defined_pairs(cases: Path) -> None:
    for dimension in all_dimensions(cases):
        values = dimension.expected["mean_pairwise_qwk"]
        kappas = stats.pairwise(dimension.ratings)
        assert same(stats.mean_pairwise(dimension.ratings), values["value"])
        assert kappas.size == values["n_pairs"]
        assert (~np.isnan(kappas)).sum() == values["n_pairs_defined"]


def test_coefficients_of_several_raters(cases: Path) -> None:
    for dimension in all_dimensions(cases):
        ratings, values, where = dimension.ratings, dimension.expected, dimension.name
        for metric in ("nominal", "ordinal", "interval"):
            ours = stats.krippendorff_alpha(ratings, metric)
            assert same(ours, values[f"krippendorff_alpha_{metric}"]), (where, metric)
        complete = ratings[~np.isnan(ratings).any(axis=1)]
        if "fleiss_statsmodels_complete_items" in values:
            theirs = values["fleiss_statsmodels_complete_items"]
            assert complete.shape[0] == theirs["n"]
            assert same(stats.fleiss_kappa(complete), theirs["value"]), where
        if "icc_pingouin_complete_items" in values:
            theirs = values["icc_pingouin_complete_items"]
            assert same(stats.icc_a1(ratings), theirs["ICC(A,1)"]), where
            assert same(stats.icc_ak(ratings), theirs["ICC(A,k)"]), where


def test_gwet_and_fleiss_with_gaps_against_irrcac(cases: Path) -> None:
    for dimension in all_dimensions(cases):
        theirs = dimension.expected["irrCAC_python"]
        ours = {
            "gwet_ac1": stats.gwet_ac1(dimension.ratings, SCALE),
            "gwet_ac2_quadratic": stats.gwet_ac2(dimension.ratings, SCALE),
            "fleiss": stats.fleiss_kappa(dimension.ratings),
        }
        for key, value in ours.items():
            if "error" in theirs[key]:  # irrCAC divides by n - 1: one item stops it, not the formula
                assert dimension.name == "one_item"
            elif key == "fleiss" and dimension.name.startswith("all_same"):
                assert np.isnan(value), "irrCAC says 1 where chance is 1 as well: 0/0"
            else:
                assert same(value, theirs[key]["value"], 6e-6), (dimension.name, key)


def test_judges_against_the_median(cases: Path) -> None:
    checked = 0
    for dimension in all_dimensions(cases):
        median = dimension.median
        for name, values in dimension.expected["judges"].items():
            judge, where = dimension.judges[name], f"{dimension.name} {name}"
            assert (~np.isnan(median + judge)).sum() == values["n"]
            for key in ("qwk_vs_median_sklearn_grid", "qwk_vs_median_raw_formula"):
                assert same(stats.quadratic_kappa(median, judge), values[key]), where
            assert same(stats.lin_ccc(median, judge), values["qwk_vs_median_raw_formula"]), where
            if values["n"] > 1:
                assert same(stats.pearson(median, judge), values["pearson_scipy"]), where
                assert same(stats.spearman(median, judge), values["spearman_scipy"]), where
                assert same(stats.kendall_tau_b(median, judge), values["kendall_tau_b_scipy"]), where
            assert same(stats.mae(median, judge), values["mae_sklearn"]), where
            assert same(stats.rmse(median, judge), values["rmse"]), where
            assert same(stats.bias(median, judge), values["bias_judge_minus_median"]), where
            assert same(stats.exact_agreement(median, judge), values["exact_agreement"]), where
            assert same(stats.within_one(median, judge), values["within_1"]), where
            kappas = []
            for annotator, scores in zip(dimension.annotators, dimension.ratings.T, strict=True):
                if annotator in values["vs_each_annotator"]:
                    kappas.append(stats.quadratic_kappa(scores, judge))
                    theirs = values["vs_each_annotator"][annotator]["qwk_sklearn_grid"]
                    assert same(kappas[-1], theirs), (where, annotator)
            defined = [float(kappa) for kappa in kappas if not np.isnan(kappa)]
            if values["mean_vs_annotators"] is not None:
                assert same(np.mean(defined), values["mean_vs_annotators"]), where
            checked += 1
    assert checked >= 20


def test_intervals_of_the_large_cases(cases: Path) -> None:
    checked = 0
    for dimension in all_dimensions(cases, ("summeval", "cebab_stars")):
        for name, values in dimension.expected["judges"].items():
            columns = {"human": dimension.median, "judge": dimension.judges[name]}
            wanted = {
                "qwk": stats.pair_statistic(stats.quadratic_kappa, "human", "judge"),
                "pearson": stats.pair_statistic(stats.pearson, "human", "judge"),
                "mae": stats.pair_statistic(stats.mae, "human", "judge"),
            }
            ours = stats.bootstrap(columns, wanted, seed=1, replicates=10_000)
            for key, theirs in values.get("bootstrap", {}).items():
                assert ours[key].ci95 == pytest.approx(theirs["ci95_percentile"], abs=0.015), (name, key)
                assert ours[key].undefined_replicates == theirs["n_undefined"] == 0
                checked += 1
    assert checked >= 20


def test_categories_of_the_pairwise_case(cases: Path) -> None:
    (dimension,) = dimensions(cases, "mtbench_pairwise")
    codes, values = [0, 1, 2], dimension.expected
    columns = dict(zip(dimension.annotators, dimension.ratings.T, strict=True))
    for pair, theirs in values["pairwise"].items():
        x, y = (columns[name] for name in pair.split("|"))
        assert same(stats.unweighted_kappa(x, y, codes), theirs["kappa_unweighted_sklearn"])
        assert same(stats.unweighted_kappa(x, y, codes), theirs["kappa_statsmodels"])
    mean = stats.mean_pairwise(dimension.ratings, None, lambda x, y, w: stats.unweighted_kappa(x, y, codes, w))
    assert same(mean, values["mean_pairwise_kappa"]["value"])
    assert same(stats.krippendorff_alpha(dimension.ratings, "nominal"), values["krippendorff_alpha_nominal"])
    complete = dimension.ratings[~np.isnan(dimension.ratings).any(axis=1)]
    assert same(stats.fleiss_kappa(complete), values["fleiss_statsmodels_complete_items"]["value"])
    assert same(stats.fleiss_kappa(dimension.ratings), values["irrCAC_python"]["fleiss"]["value"], 6e-6)
    assert same(stats.gwet_ac1(dimension.ratings, codes), values["irrCAC_python"]["gwet_ac1"]["value"], 6e-6)

    majority = np.full(len(dimension.items), np.nan)
    for i, row in enumerate(dimension.ratings):
        answers, counts = np.unique(row[~np.isnan(row)], return_counts=True)
        if (counts == counts.max()).sum() == 1:
            majority[i] = answers[counts.argmax()]
    assert (~np.isnan(majority)).sum() == values["majority"]["n_unique_majority"]
    for name, theirs in values["judges"].items():
        judge = dimension.judges[name]
        assert same(stats.percent_agreement(majority, judge), theirs["accuracy_vs_majority_sklearn"])
        assert same(stats.unweighted_kappa(majority, judge, codes), theirs["kappa_vs_majority_sklearn"])
        for annotator, scores in columns.items():
            kappa = stats.unweighted_kappa(scores, judge, codes)
            assert same(kappa, theirs["vs_each_annotator"][annotator]["kappa_sklearn"])


def two_annotators(cases: Path, discussed: bool) -> dict[str, np.ndarray]:
    folder = cases / "two-annotators-pt"
    judge = {row["item_id"]: float(row["judge_score"]) for row in rows(folder / "judge.csv")}
    dimension = {row["item_id"]: row["dimension"] for row in rows(folder / "judge.csv")}
    after = {row["item_id"]: row["consensus_after_discussion"] for row in rows(folder / "discussion.csv")}
    scores: dict[str, dict[str, float]] = {}
    for row in rows(folder / "ratings.csv"):
        scores.setdefault(row["item_id"], {})[row["annotator_id"]] = float(row["score"])
    table: dict[str, list[float]] = {"A1": [], "A2": [], "human": [], "judge": [], "dimension": []}
    names = sorted(set(dimension.values()))
    for item, given in scores.items():
        first, second = given["A1"], given["A2"]
        human = (first + second) / 2
        if discussed and abs(first - second) >= 2:
            human = float(after[item])
        for key, value in zip(table, (first, second, human, judge[item], names.index(dimension[item])), strict=True):
            table[key].append(value)
    return {key: np.array(values) for key, values in table.items()}


@pytest.mark.parametrize("rule", ["median_of_two", "two_annotator_contingency"])
def test_the_two_annotator_study(cases: Path, rule: str) -> None:
    table = two_annotators(cases, discussed=rule == "two_annotator_contingency")
    values = expected(cases, "two-annotators-pt")[rule]
    blocks = {"overall": np.ones(30, dtype=bool)}
    for code, name in enumerate(sorted(values["by_dimension"])):
        blocks[name] = table["dimension"] == code
    for name, rows_of in blocks.items():
        theirs = values["overall"] if name == "overall" else values["by_dimension"][name]
        human, judge = table["human"][rows_of], table["judge"][rows_of]
        assert rows_of.sum() == theirs["n"]
        people = stats.quadratic_kappa(table["A1"][rows_of], table["A2"][rows_of])
        assert same(people, theirs["kappa_quadratic_A1_A2"])
        assert same(stats.quadratic_kappa(human, judge), theirs["kappa_quadratic_judge_human"])
        rounded = stats.rounded_quadratic_kappa(human, judge)
        assert same(rounded, theirs["kappa_quadratic_judge_human_rounded_half_even"])
        assert same(stats.pearson(human, judge), theirs["pearson"])
        assert same(stats.spearman(human, judge), theirs["spearman"])
        assert same(stats.kendall_tau_b(human, judge), theirs["kendall_tau_b"])
        assert same(stats.mae(human, judge), theirs["mae"])
        assert same(stats.bias(human, judge), theirs["bias_judge_minus_human"])


def test_what_the_two_annotator_study_published(cases: Path) -> None:
    published = expected(cases, "two-annotators-pt")["published_by_the_study"]
    for discussed, theirs in ((False, published), (True, published["after_discussion"])):
        table = two_annotators(cases, discussed)
        kappa = theirs.get("kappa_judge_human_on_rounded_median", theirs.get("kappa_judge_human_on_rounded"))
        human, judge = table["human"], table["judge"]
        assert same(stats.rounded_quadratic_kappa(human, judge), kappa)
        assert same(stats.pearson(human, judge), theirs["pearson"])
        assert same(stats.mae(human, judge), theirs["mae"])
        wanted = {
            "judge": stats.pair_statistic(stats.rounded_quadratic_kappa, "human", "judge"),
            "people": stats.pair_statistic(stats.quadratic_kappa, "A1", "A2"),
        }
        ours = stats.bootstrap(table, wanted, seed=3)
        # 1,000 replicates of the study against ten thousand of ours: the study's ends move by about 0.03.
        assert ours["judge"].ci95 == pytest.approx(theirs["ci95"], abs=0.05)
        if not discussed:
            assert ours["people"].ci95 == pytest.approx(theirs["kappa_A1_A2_ci95_percentile_B1000"], abs=0.05)


def test_pairs_are_in_the_order_of_combinations(cases: Path) -> None:
    dimension = dimensions(cases, "summeval")[0]
    names = ["|".join(pair) for pair in combinations(dimension.annotators, 2)]
    for name, kappa in zip(names, stats.pairwise(dimension.ratings), strict=True):
        assert same(kappa, dimension.expected["pairwise"][name]["qwk_sklearn"])
