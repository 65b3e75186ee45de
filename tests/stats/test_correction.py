"""Estimates for a whole log: beside ppi_py, by hand, and by how often their intervals hold the truth."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from toolkit.stats.correction import powered, powered_difference, rogan_gladen
from toolkit.stats.survey import labelled

# ppi_py 0.2.3 (ppi-python on PyPI; numpy 2.4.6), ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) on the data of
# `_ppi_data`: n, N, lambda, estimate, interval
PPI_PY = [
    (40, 400, 0.0, 3.0, (2.5509158340728972, 3.4490841659271028)),
    (40, 400, 0.5, 2.975, (2.6815060277030236, 3.2684939722969766)),
    (40, 400, 1.0, 2.95, (2.702518164156555, 3.1974818358434454)),
    (60, 3000, 0.0, 3.0166666666666666, (2.663354301837778, 3.3699790314955553)),
    (60, 3000, 0.5, 2.9658333333333333, (2.7324882260860424, 3.1991784405806243)),
    (60, 3000, 1.0, 2.915, (2.711105829152337, 3.118894170847663)),
]
PPI_PY_TUNED = {(40, 400): 2.959193951165372, (60, 3000): 2.938596985033197}


def _ppi_data() -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    rng, made = np.random.default_rng(2026), {}
    for n, more in ((40, 400), (60, 3000)):
        truth = rng.integers(1, 6, n + more)
        judge = np.clip(truth + rng.integers(-1, 2, n + more), 1, 5)
        made[n, more] = truth[:n].astype(float), judge[:n].astype(float), judge[n:].astype(float)
    return made


@pytest.mark.parametrize(("n", "more", "power", "value", "interval"), PPI_PY)
def test_with_a_given_lambda_it_is_ppi_py(
    n: int, more: int, power: float, value: float, interval: tuple[float, float]
) -> None:
    human, judge, unlabelled = _ppi_data()[n, more]
    found = powered(
        human,
        judge,
        float(unlabelled.mean()),
        labelled(n, finite=False),
        power=power,
        log_variance=float(unlabelled.var()) / more,
        steady=False,
    )
    assert found.value == pytest.approx(value, abs=1e-12)
    theirs = (interval[1] - interval[0]) / 2 / 1.959963984540054
    # ppi_py divides the labelled variance by n, we by n - 1
    labelled_part = found.error**2 - power**2 * float(unlabelled.var()) / more
    assert np.sqrt(labelled_part * (n - 1) / n + power**2 * float(unlabelled.var()) / more) == pytest.approx(theirs)


@pytest.mark.parametrize(("n", "more"), list(PPI_PY_TUNED))
def test_the_cross_fitted_lambda_is_near_ppi_pys(n: int, more: int) -> None:
    human, judge, unlabelled = _ppi_data()[n, more]
    found = powered(human, judge, float(unlabelled.mean()), labelled(n, finite=False))
    assert found.value == pytest.approx(PPI_PY_TUNED[n, more], abs=0.02)
    assert 0.7 < found.power <= 1


def test_a_stratified_estimate_by_hand() -> None:
    """Two strata of 10 and 30 records, two of each scored: weights 5 and 15.

    Means 1.5 and 4; (10 x 1.5 + 30 x 4) / 40 = 3.375. Variance: (10/40)^2 (1 - 2/10) 0.5/2 + (30/40)^2 (1 - 2/30) 2/2.
    """
    design = labelled(4, weights=[5, 5, 15, 15], strata=["a", "a", "b", "b"])
    found = powered([1, 2, 3, 5], [1, 1, 1, 1], 1.0, design, steady=False)
    assert found.value == pytest.approx(3.375)
    assert found.error**2 == pytest.approx(0.0625 * 0.8 * 0.25 + 0.5625 * (28 / 30) * 1.0)
    assert found.power == 0.0
    assert design.freedom == 2


def test_a_log_that_people_scored_whole_is_known() -> None:
    found = powered([1, 2, 3, 4], [2, 2, 3, 5], 3.0, labelled(4, weights=[1, 1, 1, 1], strata=["a"] * 4))
    assert (found.value, found.error) == (2.5, 0.0)


def test_clusters_count_as_one_draw_each() -> None:
    rng = np.random.default_rng(1)
    prompts = np.repeat(np.arange(30), 4)
    human = np.repeat(rng.normal(3, 1, 30), 4) + rng.normal(0, 0.1, 120)
    judge = np.full(120, 3.0)
    alone = powered(human, judge, 3.0, labelled(120), steady=False)
    together = powered(human, judge, 3.0, labelled(120, clusters=prompts.tolist()), steady=False)
    assert together.error == pytest.approx(2 * alone.error, rel=0.05)
    assert together.value == alone.value


def test_a_stratum_of_one_is_taken_with_others() -> None:
    design = labelled(5, weights=[1, 4, 4, 9, 9], strata=["a", "b", "b", "c", "c"])
    assert (np.bincount(design.strata) > 1).all()
    singles = labelled(4, strata=list("abcd"))
    assert singles.freedom == 3


def test_a_useless_judge_is_not_believed_and_a_good_one_is() -> None:
    rng = np.random.default_rng(0)
    human = rng.integers(1, 6, 400).astype(float)
    useless = powered(human, rng.integers(1, 6, 400), 3.0, labelled(400))
    good = powered(human, np.clip(human + 1, 1, 5), 3.8, labelled(400))
    assert useless.power < 0.15
    assert good.power > 0.9
    assert good.error < 0.45 * useless.error


def test_differences_use_what_groups_share() -> None:
    rng = np.random.default_rng(2)
    level = rng.normal(3, 1, 60)
    human = np.concatenate([level, level + 0.5]) + rng.normal(0, 0.1, 120)
    first = np.arange(120) < 60
    design = labelled(120, clusters=[*range(60), *range(60)])
    parts = [powered(human, np.zeros(120), 0.0, design, domain=d, steady=False) for d in (first, ~first)]
    difference = powered_difference(parts[1], parts[0], design)
    assert difference.value == pytest.approx(0.5, abs=0.06)
    assert difference.error < 0.2 * parts[0].error


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two"):
        labelled(1)
    with pytest.raises(ValueError, match="inverse probabilities"):
        labelled(2, weights=[0.5, 1])
    with pytest.raises(ValueError, match="no score missing"):
        powered([1, np.nan], [1, 2], 1.0, labelled(2))
    with pytest.raises(ValueError, match="domain has no record"):
        powered([1, 2], [1, 2], 1.0, labelled(2), domain=[False, False])


SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "coverage_population.py"))
STORED = json.loads(SCRIPT["FILE"].read_text(encoding="utf-8"))


# heavy skew, unequal weights, judges that mislead: where intervals have been seen to fail
@pytest.mark.parametrize(
    "case",
    [
        ("biased", "even", "random", 30),
        ("noisy", "skewed", "random", 100),
        ("skewed", "skewed", "random", 100),
        ("skewed", "skewed", "stratified", 100),
        ("useless", "skewed", "stratified", 100),
        ("biased", "skewed", "stratified", 300),
        ("excellent", "even", "random", 300),
    ],
)
def test_intervals_hold_the_truth_as_often_as_the_report_says(case: tuple[str, str, str, int]) -> None:
    first = SCRIPT["held"](SCRIPT["Case"](*case), range(STORED["first"]))
    stored = next(one for one in STORED["cases"] if (one["judge"], one["scores"], one["sample"], one["n"]) == case)
    assert first == stored["first"]
    # 200 draws: the standard error of a coverage of 0.95 is 0.015, so 0.90 is nominal less two points and two errors
    assert {name: count for name, count in first.items() if count < 0.90 * STORED["first"]} == {}


def test_what_was_measured_is_what_the_script_writes() -> None:
    assert SCRIPT["FILE"].read_text(encoding="utf-8") == SCRIPT["rendered"](STORED["cases"])
    assert [tuple(one[name] for name in SCRIPT["Case"]._fields) for one in STORED["cases"]] == [*SCRIPT["cases"]()]
    names = {"mean", "difference", *(f">={level}" for level in range(2, 6))}
    for one in STORED["cases"]:
        assert set(one["held"]) == set(one["first"]) == names
        for name, held in one["held"].items():
            later = held - one["first"][name]
            assert 0 <= one["first"][name] <= STORED["first"] and 0 <= later <= STORED["draws"] - STORED["first"]


def test_from_a_hundred_records_on_no_interval_is_two_points_short() -> None:
    of_hundreds = [one for one in STORED["cases"] if one["n"] >= 100]
    assert len(of_hundreds) == 40
    lowest = min(count / STORED["draws"] for one in of_hundreds for count in one["held"].values())
    assert lowest >= 0.93


def test_degrees_of_freedom_are_those_of_the_stratum_that_matters() -> None:
    """Of two strata of 3 and 50 records all the variance is in the small one, which stands for most of the log."""
    weights, strata = [300.0] * 3 + [1.0] * 50, ["a"] * 3 + ["b"] * 50
    design = labelled(53, weights=weights, strata=strata)
    found = powered([1, 3, 5, *[2] * 50], np.full(53, 2), 2.0, design, steady=False)
    assert design.freedom == 51
    # t with 2 degrees of freedom reaches 4.3027 standard errors, with 51 it would be 2.0076
    assert (found.ci95[1] - found.value) / found.error == pytest.approx(4.302653, abs=1e-5)


def test_an_interval_within_bounds_is_that_of_the_share_of_the_way() -> None:
    human, judge = [1, 1, 1, 2, 1, 1, 3, 1, 1, 1], [1, 2, 1, 2, 1, 1, 2, 1, 1, 1]
    design = labelled(10)
    mean = powered(human, judge, 1.3, design, power=0.5, steady=False, within=(1, 5))
    of_way = powered((np.array(human) - 1) / 4, (np.array(judge) - 1) / 4, 0.075, design, power=0.5, steady=False)
    # by hand: the logit of the way from 1 to 5, plus and minus t(9) standard errors of it
    p, reach = of_way.value, 2.262157 * of_way.error / (of_way.value * (1 - of_way.value))
    ends = [1 + 4 / (1 + np.exp(-(np.log(p / (1 - p)) + side * reach))) for side in (-1, 1)]
    assert mean.ci95 == pytest.approx(ends, abs=1e-5)
    assert mean.ci95[0] > 1 and mean.ci95[1] - mean.value > 1.5 * (mean.value - mean.ci95[0])


def test_rogan_gladen_undoes_false_passes_and_fails() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(20_000) < 0.3
    judge = np.where(truth, rng.random(20_000) < 0.8, rng.random(20_000) < 0.1)
    rows = rng.choice(20_000, 800, replace=False)
    found = rogan_gladen(truth[rows].astype(float), judge[rows].astype(float), judge.mean(), 20_000, seed=1)
    assert found is not None
    value, (low, high) = found
    assert abs(judge.mean() - truth.mean()) < 0.02 or abs(value - truth.mean()) < abs(judge.mean() - truth.mean())
    assert low < truth.mean() < high
    chance = rogan_gladen([1, 0] * 50, [1, 1, 0, 0] * 25, 0.5, 1000, seed=1)
    assert chance is None


def test_rogan_gladen_is_wider_for_a_small_log() -> None:
    human, judge = [1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [1] * 5 + [0] * 45
    small, large = (rogan_gladen(human, judge, 0.4, size, seed=1) for size in (50, 1_000_000))
    assert small is not None
    assert large is not None
    assert small[1][1] - small[1][0] > 1.3 * (large[1][1] - large[1][0])
