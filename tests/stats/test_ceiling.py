"""The human ceiling: like with like, in every design, with each verdict reachable."""

from pathlib import Path

import numpy as np
import pytest

from toolkit import stats
from toolkit.stats import Estimate, Note, Verdict

from .study import dimensions


def panel(
    n: int, noise: float, judge_noise: float, raters: int = 3, seed: int = 0
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)

    def score(sd: float) -> np.ndarray:
        return np.clip(np.rint(truth + rng.normal(0, sd, n)), 1, 5)

    return {f"A{i}": score(noise) for i in range(1, raters + 1)}, score(judge_noise)


@pytest.mark.parametrize(
    ("noise", "judge_noise", "n", "verdict"),
    [
        (0.7, 0.7, 600, Verdict.AS_GOOD),
        (0.7, 0.2, 100, Verdict.AS_GOOD),
        (0.5, 1.8, 200, Verdict.WORSE),
        (0.7, 1.2, 30, Verdict.INCONCLUSIVE),
        (4.0, 0.5, 200, Verdict.PEOPLE_DISAGREE),
    ],
)
def test_verdicts(noise: float, judge_noise: float, n: int, verdict: Verdict) -> None:
    people, judge = panel(n, noise, judge_noise)
    assert stats.human_ceiling(people, judge, seed=1, replicates=1000).verdict == verdict


def test_values_are_means_of_kappas_on_the_same_items() -> None:
    people, judge = panel(50, 0.8, 0.8)
    people["A1"][:10] = np.nan
    judge[5:15] = np.nan
    result = stats.human_ceiling(people, judge, seed=1, replicates=0)
    names = list(people)
    here = {name: np.where(np.isnan(judge), np.nan, column) for name, column in people.items()}
    judged = np.mean([stats.quadratic_kappa(here[name], judge) for name in names])
    between = np.mean([stats.quadratic_kappa(here[a], here[b]) for a, b in (("A1", "A2"), ("A1", "A3"), ("A2", "A3"))])
    assert result.judge_person.value == pytest.approx(judged)
    assert result.person_person.value == pytest.approx(between)
    assert result.difference.value == pytest.approx(judged - between)
    assert result.difference.n == 40
    assert set(result.without) == {"A1", "A2", "A3"}
    assert result.without["A1"] == pytest.approx(
        np.mean([stats.quadratic_kappa(here[name], judge) for name in ("A2", "A3")])
        - stats.quadratic_kappa(here["A2"], here["A3"])
    )


def test_leave_one_out_holds_both_to_the_median_of_the_others() -> None:
    people, judge = panel(40, 0.8, 0.8, raters=4)
    result = stats.human_ceiling(people, judge, seed=1, replicates=0)
    matrix = np.column_stack(list(people.values()))
    judged, person = [], []
    for i in range(4):
        others = np.median(np.delete(matrix, i, axis=1), axis=1)
        judged.append(stats.quadratic_kappa(others, judge))
        person.append(stats.quadratic_kappa(others, matrix[:, i]))
    assert result.leave_one_out_judge.value == pytest.approx(np.mean(judged))
    assert result.leave_one_out_person.value == pytest.approx(np.mean(person))
    assert result.leave_one_out_difference.value == pytest.approx(np.mean(judged) - np.mean(person))


def test_a_person_as_judge_is_as_good_on_average() -> None:
    # The fault this guards against: a judge compared with the consensus ties a ceiling of single persons.
    people, judge = panel(2000, 0.8, 0.8, raters=4, seed=5)
    result = stats.human_ceiling(people, judge, seed=1, replicates=500)
    assert abs(result.difference.value) < 0.02
    assert abs(result.leave_one_out_difference.value) < 0.02
    assert abs(result.pooled_difference.value) < 0.02
    consensus = np.median(np.column_stack(list(people.values())), axis=1)
    assert stats.quadratic_kappa(consensus, judge) > result.person_person.value + 0.05


def test_squared_deviations_by_hand() -> None:
    people = {"A": [1.0, 3, 5], "B": [2.0, 3, np.nan], "C": [np.nan, 5, 5]}
    judge = [1.0, 4, 5]
    result = stats.human_ceiling(people, judge, seed=0, replicates=0)
    # Judge to people: (0 + 1) / 2, (1 + 1 + 1) / 3, 0; people: 1, (0 + 4 + 4) / 3, 0.
    assert result.squared_deviation_difference.value == pytest.approx(0.5 - 11 / 9)
    # People's medium scores 1.5, 11/3 and 5 have the mean 61/18; with the variance within items 1/4, 8/9 and 0 a score
    # has the variance (1.5**2 + (11/3)**2 + 5**2 + 1/4 + 8/9) / 3 - (61/18)**2, and two of them twice that.
    expected = 2 * ((1.5**2 + (11 / 3) ** 2 + 5**2 + 1 / 4 + 8 / 9) / 3 - (61 / 18) ** 2)
    assert result.pooled_judge_person.value == pytest.approx(1 - 0.5 / expected)
    assert result.pooled_person_person.value == pytest.approx(1 - 11 / 9 / expected)
    assert result.pooled_difference.value == pytest.approx((11 / 9 - 0.5) / expected)


def test_sparse_designs_rest_on_pooled_differences(cases: Path) -> None:
    rng = np.random.default_rng(0)
    people, judge = panel(300, 0.6, 0.6, raters=30)
    matrix = np.column_stack(list(people.values()))
    for row in matrix:
        row[rng.permutation(30)[3:]] = np.nan
    sparse = dict(zip(people, matrix.T, strict=True))
    result = stats.human_ceiling(sparse, judge, seed=1, replicates=300)
    assert result.sparse
    assert result.verdict == Verdict.AS_GOOD
    assert result.pooled_difference.ci95 is not None
    assert result.leading == (result.pooled_judge_person, result.pooled_person_person, result.pooled_difference)
    # left out, a person moves the figure that the verdict rests on
    rest = {name: column for name, column in sparse.items() if name != "A1"}
    alone = stats.human_ceiling(rest, judge, seed=1, replicates=0)
    assert result.without["A1"] == pytest.approx(alone.pooled_difference.value)
    (stars,) = dimensions(cases, "cebab_stars")
    columns = dict(zip(stars.annotators, stars.ratings.T, strict=True))
    result = stats.human_ceiling(columns, stars.judges["gpt-4o"], seed=1, replicates=200)
    assert not result.sparse
    assert result.leading == (result.judge_person, result.person_person, result.difference)
    # w40 scores at random: without that person the others agree better, and the judge's lead shrinks.
    assert min(result.without.values()) == result.without["w40"]
    assert result.person_person.value == pytest.approx(stars.expected["mean_pairwise_qwk"]["value"], abs=1e-9)


def test_two_people_are_enough_and_one_is_not() -> None:
    people, judge = panel(40, 0.8, 0.8, raters=2)
    assert stats.human_ceiling(people, judge, seed=0, replicates=100).without == {}
    with pytest.raises(ValueError, match="two people"):
        stats.human_ceiling({"A1": people["A1"]}, judge, seed=0)
    with pytest.raises(ValueError, match="margin"):
        stats.human_ceiling(people, judge, seed=0, replicates=0, margin=-0.1)


def test_constant_people_are_undefined_and_inconclusive() -> None:
    result = stats.human_ceiling({"A1": [5.0] * 20, "A2": [5.0] * 20}, [5.0] * 20, seed=0, replicates=100)
    assert result.difference.value is None
    assert result.difference.notes == (Note.UNDEFINED,)
    assert Note.ALL_SAME in result.person_person.notes
    assert Note.ALL_SAME in result.judge_person.notes
    assert result.verdict == Verdict.INCONCLUSIVE


def test_a_constant_judge_is_flagged() -> None:
    people, _ = panel(40, 0.8, 0.8)
    result = stats.human_ceiling(people, np.full(40, 3.0), seed=0, replicates=50)
    assert result.judge_person.value == 0
    assert Note.ONE_CONSTANT in result.judge_person.notes
    assert Note.ONE_CONSTANT not in result.person_person.notes


def test_a_silent_judge_says_that_nothing_is_shared() -> None:
    people, _ = panel(20, 0.8, 0.8)
    result = stats.human_ceiling(people, np.full(20, np.nan), seed=0, replicates=50)
    assert result.difference.notes == (Note.NO_SHARED_ITEMS,)


def test_the_margin_decides_between_as_good_and_inconclusive() -> None:
    people = Estimate(0.7, 100, (0.6, 0.8))
    difference = Estimate(-0.02, 100, (-0.12, 0.08))
    assert stats.ceiling_verdict(difference, people, 0.15) == Verdict.AS_GOOD
    assert stats.ceiling_verdict(difference, people, 0.10) == Verdict.INCONCLUSIVE
    assert stats.ceiling_verdict(Estimate(-0.02, 9), people, 0.15) == Verdict.INCONCLUSIVE
