"""The real studies: run as a user would, compared with values that independent libraries computed."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.studies import annotation_sheet, answer_rows, consensus, metrics, ok
from toolkit.study import read_study

TOLERANCE = 1e-9
INTERVAL_TOLERANCE = 0.015


def same(metric: dict[str, Any], expected: float | None) -> None:
    """A metric equals its reference value; what is undefined says why."""
    if expected is None:
        assert metric["value"] is None and metric["note"]
    else:
        assert metric["value"] == pytest.approx(expected, abs=TOLERANCE)


def near(metric: dict[str, Any], expected: dict[str, Any]) -> None:
    """An interval is close to a reference bootstrap of 10,000 replicates."""
    assert metric["ci95"] == pytest.approx(expected["ci95_percentile"], abs=INTERVAL_TOLERANCE)


# --- two annotators, the whole way ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study made, filled in through openpyxl and consolidated, before and after the discussion."""
    case, folder = cases / "two-annotators-pt", tmp_path_factory.mktemp("two") / "study"
    sample = ("make-sheets", case / "items.jsonl", "--judged", case / "judge.csv", "--annotators", "A1,A2")
    ok(*sample, "--lang", "pt-BR", "-o", folder, "--seed", "20260101")
    study = read_study(folder)
    with (case / "ratings.csv").open(newline="", encoding="utf-8") as file:
        entered = {(row["annotator_id"], row["item_id"]): row for row in csv.DictReader(file)}
    (folder / "filled").mkdir(exist_ok=True)
    for name in study.names:
        book = openpyxl.load_workbook(folder / "send" / f"{name}.xlsx")
        sheet, keys = annotation_sheet(book)
        for code, row in answer_rows(sheet, keys).items():
            given = entered[name, study.by_code[code].item_id]
            sheet.cell(row, keys["score"]).value = int(given["score"])
            sheet.cell(row, keys["justification"]).value = given["justification"]
        book.save(folder / "filled" / f"{name}.xlsx")
    ok("consolidate", folder)

    book = openpyxl.load_workbook(folder / "report" / "discussion.xlsx")
    sheet, keys = annotation_sheet(book)
    with (case / "discussion.csv").open(newline="", encoding="utf-8") as file:
        agreed = {row["item_id"]: int(row["consensus_after_discussion"]) for row in csv.DictReader(file)}
    rows = answer_rows(sheet, keys)
    assert {study.by_code[code].item_id for code in rows} == set(agreed)
    for code, row in rows.items():
        sheet.cell(row, keys["consensus_after_discussion"]).value = agreed[study.by_code[code].item_id]
    book.save(folder / "discussed.xlsx")
    ok("consolidate", folder, "--discussion", folder / "discussed.xlsx", "-o", folder / "final")
    return folder


@pytest.fixture(scope="module")
def expected_two(cases: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((cases / "two-annotators-pt" / "expected.json").read_text())
    return content


def agree(blocks: dict[str, Any], expected: dict[str, Any]) -> None:
    """All blocks of metrics.json equal the reference."""
    for name, reference in [("overall", expected["overall"]), *expected["by_dimension"].items()]:
        block = blocks["overall"] if name == "overall" else blocks["by_dimension"][name]
        assert block["n"] == reference["n"]
        judge = block["judge_human"]
        same(block["human_human"]["pairs"]["A1|A2"]["kappa_quadratic"], reference["kappa_quadratic_A1_A2"])
        same(block["human_human"]["mean_pairwise_kappa"], reference["kappa_quadratic_A1_A2"])
        same(judge["kappa_quadratic"], reference["kappa_quadratic_judge_human"])
        same(judge["kappa_quadratic_rounded"], reference["kappa_quadratic_judge_human_rounded_half_even"])
        for key in ("pearson", "spearman", "kendall_tau_b", "mae"):
            same(judge[key], reference[key])
        same(judge["bias"], reference["bias_judge_minus_human"])


def test_before_the_discussion_the_flagged_items_wait_and_no_judge_figure_is_written(
    two: Path, expected_two: dict[str, Any]
) -> None:
    found = metrics(two / "report")
    assert found["mode"] == "two_annotators"
    assert sorted(found["pending_discussion"]) == expected_two["flagged_for_discussion"]
    assert sorted(found["flagged"]) == expected_two["flagged_for_discussion"]
    assert found["judge_disagreements"] == []
    for block in [found["overall"], *found["by_dimension"].values()]:
        assert block["judge_human"] is None and block["judges"] == {}
    kappa = found["overall"]["human_human"]["pairs"]["A1|A2"]["kappa_quadratic"]["value"]
    assert kappa == pytest.approx(expected_two["published_by_the_study"]["kappa_A1_A2"], abs=TOLERANCE)
    for row in consensus(two / "report").values():
        assert row["judge_score"] == "" and row["absolute_error"] == ""
    held = {item: row for item, row in consensus(two / "report").items() if row["human_consensus_score"] == ""}
    assert sorted(held) == expected_two["flagged_for_discussion"]


def test_after_the_discussion_every_figure_is_the_reference_value(two: Path, expected_two: dict[str, Any]) -> None:
    found = metrics(two / "final")
    agree(found, expected_two["two_annotator_contingency"])
    agree(found["sensitivity"]["median_of_two"], expected_two["median_of_two"])
    apart = expected_two["judge_disagreements_at_least_2"]
    assert found["judge_disagreements"] == apart["two_annotator_contingency"]
    assert found["sensitivity"]["median_of_two"]["judge_disagreements"] == apart["median_of_two"]
    assert found["pending_discussion"] == []
    assert sorted(found["flagged"]) == expected_two["flagged_for_discussion"]


def test_the_published_figures_stand_beside_ours(two: Path, expected_two: dict[str, Any]) -> None:
    found, published = metrics(two / "final"), expected_two["published_by_the_study"]
    after = found["overall"]["judge_human"]
    same(after["kappa_quadratic_rounded"], published["after_discussion"]["kappa_judge_human_on_rounded"])
    same(after["pearson"], published["after_discussion"]["pearson"])
    same(after["mae"], published["after_discussion"]["mae"])
    before = found["sensitivity"]["median_of_two"]["overall"]["judge_human"]
    same(before["kappa_quadratic_rounded"], published["kappa_judge_human_on_rounded_median"])
    same(before["pearson"], published["pearson"])
    same(before["mae"], published["mae"])


def test_the_original_scores_and_the_median_are_never_erased(two: Path, cases: Path) -> None:
    rows = consensus(two / "final")
    with (cases / "two-annotators-pt" / "ratings.csv").open(newline="", encoding="utf-8") as file:
        for given in csv.DictReader(file):
            assert rows[given["item_id"]][f"score_{given['annotator_id']}"] == given["score"]
    agreed = [row for row in rows.values() if row["consensus_after_discussion"]]
    assert len(agreed) == 4
    for row in agreed:
        assert row["human_consensus_score"] == row["consensus_after_discussion"]
        assert row["requires_discussion"] == "yes"


def test_the_golden_set_says_what_llm_eval_cannot_hold(two: Path) -> None:
    golden = json.loads((two / "final" / "golden_set.json").read_text())
    assert set(golden) == {"version", "annotation_protocol", "scenarios"}
    assert golden["annotation_protocol"]["mode"] == "two_annotators"
    assert any("two annotators" in said for said in golden["annotation_protocol"]["limitations"])
    assert len(golden["scenarios"]) == 30
    allowed = {"id", "dimension", "prompt", "category", "ground_truth", "chatbot_response", "comparison_responses"}
    allowed |= {"original_response", "variant_type", "variant_prompt", "human_scores", "human_consensus_score"}
    for scenario in golden["scenarios"]:
        assert set(scenario) <= allowed
        for person in scenario["human_scores"]:
            assert set(person) == {"annotator_id", "score", "justification"}
    waiting = json.loads((two / "report" / "golden_set.json").read_text())
    assert len(waiting["scenarios"]) == 26
    assert len(waiting["annotation_protocol"]["left_out"]) == 4


# --- ratings collected elsewhere -----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["summeval", "cebab_stars", "edge_synthetic"])
def analysed(
    request: pytest.FixtureRequest, cases: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """(case, metrics, expected) of a case run through `toolkit analyze`."""
    case, out = cases / request.param, tmp_path_factory.mktemp(request.param) / "report"
    ok("analyze", case / "ratings.csv", "--judged", case / "judge.csv", "-o", out, "--seed", "20260101", "-q")
    return request.param, metrics(out), json.loads((case / "expected.json").read_text())


def test_every_reference_value_of_every_dimension_is_met(
    analysed: tuple[str, dict[str, Any], dict[str, Any]],
) -> None:
    _case, found, expected = analysed
    assert found["mode"] == ("two_annotators" if len(found["annotators"]) == 2 else "three_or_more")
    compared = 0
    for dimension, reference in expected["dimensions"].items():
        block = found["by_dimension"][dimension]
        assert block["n"] == reference["n_items"]
        people(block["human_human"], reference, found["annotators"])
        for judge, figures in reference["judges"].items():
            judged(block["judges"][judge], figures)
            compared += 1
    assert compared > 0


def people(block: dict[str, Any], reference: dict[str, Any], annotators: list[str]) -> None:
    for pair, figures in reference["pairwise"].items():
        metric = block["pairs"][in_study_order(pair, annotators)]
        assert metric["kappa_quadratic"]["n"] == figures["n"]
        for ours, theirs in [
            ("kappa_quadratic", "qwk_raw_formula"),
            ("kappa_quadratic", "qwk_sklearn"),
            ("kappa_linear", "kappa_linear_sklearn"),
            ("kappa_unweighted", "kappa_unweighted_sklearn"),
        ]:
            same(metric[ours], figures.get(theirs))
    same(block["mean_pairwise_kappa"], reference["mean_pairwise_qwk"]["value"])
    gwet = reference.get("irrCAC_python", {})
    for ours, theirs in (("ac1", "gwet_ac1"), ("ac2_quadratic", "gwet_ac2_quadratic")):
        if gwet.get(theirs, {}).get("value") is not None:
            assert block[ours]["value"] == pytest.approx(gwet[theirs]["value"], abs=1e-5)
    icc = reference.get("icc_pingouin_complete_items", {})
    for ours, theirs in (("icc_a1", "ICC(A,1)"), ("icc_ak", "ICC(A,k)")):
        if theirs in icc and reference["missing_cells"] == 0:
            same(block[ours], icc[theirs])
    fleiss = reference.get("fleiss_statsmodels_complete_items")
    if fleiss and reference["missing_cells"] == 0:
        same(block["fleiss_kappa"], fleiss["value"])
    for name in ("nominal", "ordinal", "interval"):
        alpha = reference[f"krippendorff_alpha_{name}"]
        same(block[f"krippendorff_alpha_{name}"], None if isinstance(alpha, dict) else alpha)


def in_study_order(pair: str, annotators: list[str]) -> str:
    return "|".join(sorted(pair.split("|"), key=annotators.index))


def judged(metric: dict[str, Any], figures: dict[str, Any]) -> None:
    assert metric["mae"]["n"] == figures["n"]
    for ours, theirs in [
        ("kappa_quadratic", "qwk_vs_median_raw_formula"),
        ("kappa_quadratic", "qwk_vs_median_sklearn_grid"),
        ("pearson", "pearson_scipy"),
        ("spearman", "spearman_scipy"),
        ("kendall_tau_b", "kendall_tau_b_scipy"),
        ("mae", "mae_sklearn"),
        ("rmse", "rmse"),
        ("bias", "bias_judge_minus_median"),
        ("exact_agreement", "exact_agreement"),
        ("within_one", "within_1"),
    ]:
        same(metric[ours], figures.get(theirs))
    for name, reference in figures["vs_each_annotator"].items():
        one = metric["per_annotator"][name]["kappa_quadratic"]
        assert one["n"] == reference["n"]
        same(one, reference["qwk_sklearn_grid"])
    if test := figures.get("alt_test_reference_code"):
        ours_test = metric["alt_test"][f"{test['epsilon']:g}"]
        assert ours_test["winning_rate"] == pytest.approx(test["omega"], abs=TOLERANCE)
        assert ours_test["advantage_probability"] == pytest.approx(test["rho"], abs=TOLERANCE)
        p_values = list(ours_test["p_values"].values())
        assert sorted(p_values) == pytest.approx(sorted(test["p_values"]), abs=TOLERANCE)
    for ours, theirs in [("kappa_quadratic", "qwk"), ("pearson", "pearson"), ("mae", "mae")]:
        if reference := figures.get("bootstrap", {}).get(theirs):
            near(metric[ours], reference)


def test_three_names_without_order(cases: Path, tmp_path: Path) -> None:
    case = cases / "mtbench_pairwise"
    ok(
        "analyze",
        case / "ratings.csv",
        "--judged",
        case / "judge.csv",
        "--scale",
        "A,B,tie",
        "-o",
        tmp_path / "r",
        "-q",
    )
    whole = metrics(tmp_path / "r")
    found = whole["by_dimension"]["preference"]
    expected = json.loads((case / "expected.json").read_text())["dimensions"]["preference"]
    for pair, figures in expected["pairwise"].items():
        metric = found["human_human"]["pairs"][in_study_order(pair, whole["annotators"])]
        same(metric["kappa_unweighted"], figures["kappa_unweighted_sklearn"])
        assert metric["kappa_quadratic"]["value"] is None and metric["kappa_quadratic"]["note"]
    same(found["human_human"]["krippendorff_alpha_nominal"], expected["krippendorff_alpha_nominal"])
    same(found["human_human"]["mean_pairwise_kappa"], expected["mean_pairwise_kappa"]["value"])
    for judge, figures in expected["judges"].items():
        assert found["judges"][judge]["mae"]["value"] is None and found["judges"][judge]["mae"]["note"]
        same(found["judges"][judge]["exact_agreement"], figures["accuracy_vs_majority_sklearn"])
        same(found["judges"][judge]["kappa_unweighted"], figures["kappa_vs_majority_sklearn"])
        assert found["judges"][judge]["kappa_unweighted"]["n"] == figures["n"]
