"""The alternative annotator test against its authors' own code, and where it must not give a verdict."""

from pathlib import Path

import numpy as np
import pytest

from toolkit import stats
from toolkit.stats import Note

from .study import Dimension, dimensions, expected


def check(dimension_ratings: np.ndarray, judge: np.ndarray, theirs: dict) -> None:
    ours = stats.alternative_annotator_test(
        dimension_ratings,
        judge,
        epsilon=theirs["epsilon"],
        scoring="accuracy" if theirs["scoring"] == "accuracy" else "rmse",
    )
    assert ours.winning_rate == pytest.approx(theirs["omega"], abs=1e-9)
    assert ours.advantage_probability == pytest.approx(theirs["rho"], abs=1e-9)
    np.testing.assert_allclose(ours.p_values, theirs["p_values"], atol=1e-9, rtol=1e-9)
    assert [i for i, win in enumerate(ours.wins) if win] == sorted(theirs["rejected_idx"])


@pytest.mark.parametrize("case", ["summeval", "cebab_stars", "mtbench_pairwise"])
def test_equals_the_reference_code_in_every_dimension(cases: Path, case: str) -> None:
    checked = 0
    for dimension in dimensions(cases, case):
        for name, values in dimension.expected["judges"].items():
            theirs = values["alt_test_reference_code"]
            judge = dimension.judges[name]
            # The reference was run on judge scores at four decimals where it says so.
            check(dimension.ratings, judge.round(4) if "note" in theirs else judge, theirs)
            checked += 1
    assert checked >= 2


@pytest.mark.parametrize("case", ["summeval", "cebab_stars", "mtbench_pairwise"])
def test_equals_the_reference_code_on_all_dimensions_together(cases: Path, case: str) -> None:
    found: list[Dimension] = dimensions(cases, case)
    for name, theirs in expected(cases, case)["alt_test_all_dimensions_pooled"].items():
        order = [found[0].annotators.index(annotator) for annotator in theirs["annotators"]]
        ratings = np.vstack([dimension.ratings for dimension in found])[:, order]
        judge = np.concatenate([dimension.judges[name] for dimension in found])
        check(ratings, judge, theirs)


def people(n: int, raters: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    return np.clip(truth[:, None] + rng.integers(-1, 2, (n, raters)), 1, 5).astype(float), truth.astype(float)


def test_no_verdict_under_three_annotators_or_thirty_items() -> None:
    ratings, judge = people(60)
    assert stats.alternative_annotator_test(ratings, judge, epsilon=0.2).passed is True
    two = stats.alternative_annotator_test(ratings[:, :2], judge, epsilon=0.2)
    assert two.passed is None
    assert two.notes == (Note.FEW_ANNOTATORS,)
    few = stats.alternative_annotator_test(ratings[:29], judge[:29], epsilon=0.2)
    assert few.passed is None
    assert few.notes == (Note.FEW_ITEMS_PER_ANNOTATOR,)
    assert all(p is not None and 0 <= p <= 1 for p in few.p_values)


def test_wilcoxon_under_thirty_items() -> None:
    from scipy.stats import wilcoxon

    ratings, judge = people(20, seed=4)
    result = stats.alternative_annotator_test(ratings, judge, epsilon=0.1)
    lead = []
    for item, scores in enumerate(ratings):
        own, others = scores[0], scores[1:]
        person, model = ((others - own) ** 2).mean(), ((others - judge[item]) ** 2).mean()
        lead.append(float(person <= model) - float(model <= person))
    theirs = wilcoxon(np.array(lead) - 0.1, alternative="less", method="approx").pvalue
    assert result.p_values[0] == pytest.approx(theirs, abs=1e-12)


def test_ties_on_every_item_decide_nothing_at_epsilon_zero_and_everything_above() -> None:
    ratings = np.tile(np.arange(1.0, 6.0), 8)[:, None] * np.ones(3)
    judge = ratings[:, 0]
    nothing = stats.alternative_annotator_test(ratings, judge, epsilon=0)
    assert nothing.p_values == (None, None, None)
    assert nothing.winning_rate == 0
    assert nothing.passed is False
    everything = stats.alternative_annotator_test(ratings, judge, epsilon=0.1)
    assert everything.p_values == (0, 0, 0)
    assert everything.winning_rate == everything.advantage_probability == 1


def test_a_judge_that_knows_nothing_can_pass_on_a_skewed_scale() -> None:
    # The weakness that the report prints beside the result.
    rng = np.random.default_rng(2)
    ratings = rng.choice([5.0, 4.0, 3.0], p=[0.9, 0.07, 0.03], size=(200, 3))
    nothing = stats.commonest_score(stats.row_median(ratings))
    assert stats.alternative_annotator_test(ratings, nothing, epsilon=0.2).passed is True


def test_missing_scores_and_silent_judge() -> None:
    ratings, judge = people(80)
    ratings[::5, 0] = np.nan
    judge[3] = np.nan
    result = stats.alternative_annotator_test(ratings, judge, epsilon=0.2)
    assert result.items == (63, 79, 79)
    nobody = np.full((80, 1), np.nan)
    wider = stats.alternative_annotator_test(np.hstack([ratings, nobody]), judge, epsilon=0.2)
    assert wider.items == (63, 79, 79, 0)
    assert wider.p_values[3] is None
    assert wider.winning_rate == result.winning_rate


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1.5}, "epsilon"),
        ({"epsilon": 0.1, "scoring": "kappa"}, "scoring"),
    ],
)
def test_wrong_input_is_named(options: dict, message: str) -> None:
    ratings, judge = people(10)
    with pytest.raises(ValueError, match=message):
        stats.alternative_annotator_test(ratings, judge, **options)
    with pytest.raises(ValueError, match="two raters"):
        stats.alternative_annotator_test(ratings[:, :1], judge, epsilon=0.1)
