"""The simulation behind `toolkit plan`: the sizes others publish, the report's own kernels, and what a study finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from toolkit.sampling.closed_form import binary_limit_size, binary_power_size, kappa_size, kappa_variance
from toolkit.sampling.panels import SKEWED, UNIFORM, Pilot, UnreachableError, _middle, stated
from toolkit.sampling.simulate import Studies
from toolkit.stats import alternative_annotator_test, mae, mean_pairwise, quadratic_kappa, row_median

VALUES = (1, 2, 3, 4, 5)
# n for a 95% half-width of 0.10 of quadratic kappa, two raters of one latent normal trait: the issue's own numbers
PUBLISHED = [
    (UNIFORM, 0.4, 282),
    (UNIFORM, 0.6, 170),
    (UNIFORM, 0.8, 56),
    (SKEWED, 0.4, 709),
    (SKEWED, 0.6, 499),
    (SKEWED, 0.8, 180),
]


@pytest.mark.parametrize(("margins", "kappa", "items"), PUBLISHED)
def test_the_formula_reaches_the_published_sizes(margins: tuple[float, ...], kappa: float, items: int) -> None:
    table, values = stated(VALUES, margins, judge_kappa=kappa, people_kappa=kappa).table(1)
    one, other = np.repeat(values, 5), np.tile(values, 5)
    assert float(quadratic_kappa(one, other, table.ravel())) == pytest.approx(kappa, abs=1e-6)
    assert kappa_size(table, values, 0.10) == items


@pytest.mark.parametrize(("margins", "kappa", "items"), PUBLISHED)
def test_the_simulation_agrees_and_shows_where_the_formula_is_optimistic(
    margins: tuple[float, ...], kappa: float, items: int
) -> None:
    panel = stated(VALUES, margins, judge_kappa=kappa, people_kappa=kappa)
    found = Studies(panel, annotators=1, overlap=1, seed=1, studies=10_000).items_for_width("kappa", 0.10)
    assert found is not None
    # within 4%, except at a kappa of 0.8, where estimates are skewed and the formula asks for too few
    assert items * 0.96 <= found <= items * (1.04 if kappa < 0.8 else 1.14)
    if kappa == 0.8:
        assert found > items


def test_kappasize_published_examples() -> None:
    """CIBinary(kappa0=0.6, kappaL=0.4, props=0.3) and PowerBinary(kappa0=0.4, kappa1=0.6, props=0.3), two raters."""
    assert binary_limit_size(0.6, 0.4, 0.3) == 66
    assert binary_power_size(0.4, 0.6, 0.3) == 191


def test_the_variance_is_statsmodels() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    rng = np.random.default_rng(3)
    for _ in range(5):
        table = rng.integers(1, 40, (5, 5)) + np.diag(rng.integers(20, 200, 5))
        theirs = cohens_kappa(table, weights=np.arange(5), wt="quadratic")
        assert kappa_variance(table, np.arange(5)) / table.sum() == pytest.approx(theirs.var_kappa)


def test_a_stated_panel_is_what_was_stated() -> None:
    panel = stated(VALUES, SKEWED, judge_kappa=0.2, people_kappa=0.7, judge_margins=UNIFORM)
    people, judge = panel.draw(np.random.default_rng(1), (1, 400_000), 3)
    for person in people:
        assert [float((person == v).mean()) for v in VALUES] == pytest.approx(SKEWED, abs=0.003)
    assert [float((judge == v).mean()) for v in VALUES] == pytest.approx(UNIFORM, abs=0.003)
    assert float(mean_pairwise(np.vstack(people).T)) == pytest.approx(0.7, abs=0.005)
    assert float(quadratic_kappa(people[0][0], judge[0])) == pytest.approx(0.2, abs=0.005)
    with pytest.raises(UnreachableError, match="below"):
        stated(VALUES, SKEWED, judge_kappa=0.95, people_kappa=0.9, judge_margins=(0.8, 0.1, 0.05, 0.03, 0.02))


@pytest.mark.parametrize("raters", [1, 2, 3, 4, 5])
def test_the_middle_scores_are_those_of_every_possible_row(raters: int) -> None:
    shares = np.array([0.5, 0.2, 0.3])
    expected = np.zeros((3, 3))
    for row in itertools.product(range(3), repeat=raters):
        ordered = sorted(row)
        expected[ordered[(raters - 1) // 2], ordered[raters // 2]] += shares[list(row)].prod()
    assert _middle(shares, raters) == pytest.approx(expected)


@pytest.mark.parametrize("raters", [2, 3])
def test_the_table_is_what_is_drawn(raters: int) -> None:
    panel = stated(VALUES, SKEWED, judge_kappa=0.5, people_kappa=0.6)
    table, values = panel.table(raters)
    people, judge = panel.draw(np.random.default_rng(1), (1, 400_000), raters)
    consensus = row_median(np.vstack(people).T)
    for one, other in ((1, 1), (5, 5), (4.5, 5), (4, 5)):
        expected = table[values == one][:, values == other].sum()
        assert float(((consensus == one) & (judge[0] == other)).mean()) == pytest.approx(expected, abs=0.003)


def test_every_figure_is_the_reports_own() -> None:
    panel = stated(VALUES, UNIFORM, judge_kappa=0.5, people_kappa=0.6)
    studies = Studies(panel, annotators=3, overlap=3, seed=1, studies=40, largest=60)
    for metric, size in itertools.product(("kappa", "mae", "ceiling", "people", "tpr", "tnr"), (30, 60)):
        found = studies._values(metric, size)
        for study in range(40):
            people = np.stack([person[study, :size] for person in studies.people], axis=1)
            judge, consensus = studies.judge[study, :size], row_median(people)
            between = float(mean_pairwise(people))
            passes = (consensus >= 4) == (metric != "tnr")
            expected = {
                "kappa": lambda j=judge, c=consensus: quadratic_kappa(c, j),
                "mae": lambda j=judge, c=consensus: mae(c, j),
                "ceiling": lambda j=judge, p=people, b=between: np.mean([quadratic_kappa(q, j) for q in p.T]) - b,
                "people": lambda b=between: b,
                "tpr": lambda j=judge, p=passes: (j[p] >= 4).mean(),
                "tnr": lambda j=judge, p=passes: (j[p] < 4).mean(),
            }[metric]()
            assert found[study] == pytest.approx(float(expected))


@pytest.mark.parametrize(("annotators", "overlap", "items"), [(3, 3, 40), (5, 5, 40), (5, 3, 60), (4, 3, 45)])
def test_the_alternative_annotator_test_is_the_reports_own(annotators: int, overlap: int, items: int) -> None:
    panel = stated(VALUES, UNIFORM, judge_kappa=0.6, people_kappa=0.55)
    studies = Studies(panel, annotators=annotators, overlap=overlap, seed=2, studies=60, largest=items)
    passed = []
    for study in range(60):
        matrix = np.full((items, annotators), np.nan)
        for item, place in itertools.product(range(items), range(overlap)):
            matrix[item, (item * overlap + place) % annotators] = studies.people[place][study, item]
        found = alternative_annotator_test(matrix, studies.judge[study], epsilon=0.2)
        assert found.passed is not None
        passed.append(found.passed)
    assert 0 < sum(passed) < 60
    assert studies.power("alt-test", items) == pytest.approx(np.mean(passed))


def test_no_verdict_of_the_test_without_thirty_items_for_each() -> None:
    panel = stated(VALUES, UNIFORM, judge_kappa=0.6, people_kappa=0.6)
    studies = Studies(panel, annotators=5, overlap=3, seed=1, studies=50, largest=60)
    assert studies.power("alt-test", 49) is None
    assert studies.power("alt-test", 50) is not None
    assert Studies(panel, annotators=5, overlap=2, seed=1, studies=50, largest=60).power("alt-test", 60) is None


def test_wider_studies_are_surer_and_small_ones_are_undefined() -> None:
    studies = Studies(stated(VALUES, SKEWED, judge_kappa=0.6, people_kappa=0.6), annotators=3, overlap=3, seed=1)
    for metric in ("kappa", "mae", "ceiling", "tnr"):
        few, many = (studies.width(metric, n).half_width for n in (100, 400))
        assert few is not None and many is not None and many < 0.62 * few
    assert studies.width("kappa", 5).half_width is None
    good = Studies(stated(VALUES, UNIFORM, judge_kappa=0.7, people_kappa=0.6), annotators=3, overlap=3, seed=1)
    few_items, many_items = good.power("alt-test", 30), good.power("alt-test", 150)
    assert few_items is not None and many_items is not None and few_items < many_items
    ceiling = good.power("ceiling", 300)
    assert ceiling is not None and ceiling > 0.95


def test_sizes_beyond_those_drawn_follow_the_square_root() -> None:
    panel = stated(VALUES, SKEWED, judge_kappa=0.5, people_kappa=0.5)
    short = Studies(panel, annotators=2, overlap=2, seed=1, largest=300)
    long = Studies(panel, annotators=2, overlap=2, seed=2, largest=1200)
    for metric in ("kappa", "mae", "ceiling", "tpr"):
        guessed, drawn = short.width(metric, 1200).half_width, long.width(metric, 1200).half_width
        assert guessed == pytest.approx(drawn, rel=0.06)


def test_a_value_is_beaten_as_often_as_arithmetic_says() -> None:
    # ten items that people pass, nine of them passed by the judge: of n items Binomial(n, 0.9) are right
    people = np.tile([[4.0, 5.0]], (10, 1))
    studies = Studies(Pilot(people, np.array([5.0] * 9 + [1.0])), annotators=2, overlap=2, seed=1)
    low, high = binom.ppf([0.025, 0.975], 100, 0.9) / 100
    half = studies.width("tpr", 100).half_width
    assert half == pytest.approx((high - low) / 2, abs=0.011)
    expected = float(binom.sf(np.floor((0.8 + half) * 100), 100, 0.9))
    assert studies.power("tpr", 100, 0.8) == pytest.approx(expected, abs=0.03)
    # the judge is 0.5 off where people's median is 4.5, and 3.5 once in ten: mean error 0.8
    assert studies.width("mae", 500).mean == pytest.approx(0.8, abs=0.01)
    below, above = studies.power("mae", 500, 1.0), studies.power("mae", 500, 0.7)
    assert below == pytest.approx(1.0, abs=0.01) and above == pytest.approx(0.0, abs=0.01)


def test_the_ceilings_power_is_the_reports_verdict() -> None:
    panel = stated(VALUES, UNIFORM, judge_kappa=0.5, people_kappa=0.5)
    studies = Studies(panel, annotators=3, overlap=3, seed=1)
    difference, people = studies._values("ceiling", 200), studies._values("people", 200)
    half, own = studies.width("ceiling", 200).half_width, studies.width("people", 200).half_width
    assert half is not None and own is not None
    as_good = (difference - half > -0.1) & (people - own >= 0.4)
    assert studies.power("ceiling", 200) == pytest.approx(as_good.mean())
    # people whose agreement may lie under 0.4 get the verdict that they disagree, not one on the judge
    low = Studies(stated(VALUES, UNIFORM, judge_kappa=0.35, people_kappa=0.35), annotators=3, overlap=3, seed=1)
    assert (low.power("ceiling", 500) or 0) < 0.01
    assert low.items_for_power("ceiling", 0.8) is None
    needed = studies.items_for_power("ceiling", 0.8)
    assert needed is not None and (studies.power("ceiling", needed) or 0) >= 0.8


def test_scales_of_many_levels_are_simulated_too() -> None:
    panel = stated(range(101), (1.0,) * 101, judge_kappa=0.6, people_kappa=0.6)
    studies = Studies(panel, annotators=5, overlap=5, seed=1, studies=500, largest=100)
    assert studies.width("kappa", 100).half_width == pytest.approx(0.10, abs=0.03)
    table, values = panel.table(4)
    assert table.sum() == pytest.approx(1) and values.size == 201


def test_a_pilot_in_which_everybody_scored_a_part() -> None:
    # six people, three scores an item; by hand: every score of an item stands for two of its three pairs
    scores = np.full((12, 6), np.nan)
    for item in range(12):
        scores[item, [item % 6, (item + 1) % 6, (item + 3) % 6]] = (1 + item % 5, 1 + item % 5, 1 + (item + 1) % 5)
    pilot = Pilot(scores, np.arange(12) % 5 + 1.0)
    people, judge, shares = pilot.patterns(2)
    assert people.shape == (36, 2) and judge.shape == (36,) and shares == pytest.approx(np.full(36, 1 / 36))
    assert (pilot.people, pilot.usual, pilot.items(3), pilot.items(4)) == (6, 3, 12, 0)
    drawn, _ = pilot.draw(np.random.default_rng(1), (50, 40), 3)
    assert len(drawn) == 3 and not np.isnan(drawn).any()


def test_whole_clusters_are_drawn_and_every_item_is_as_likely_everywhere() -> None:
    """Sizes 1, 2 and 3 in turn: twelve clusters, 24 items; the judge's score tells the item."""
    clusters = np.repeat(np.arange(12), np.tile([1, 2, 3], 4))
    pilot = Pilot(np.ones((24, 2)), np.arange(24.0), clusters)
    assert pilot.clusters_drawn(2) == 12
    _people, drawn = pilot.draw(np.random.default_rng(3), (24_000, 9), 2)
    for place in (0, 1, 8):
        # 1000 of each are expected; six standard errors are 186
        assert np.abs(np.bincount(drawn[:, place].astype(int), minlength=24) - 1000).max() < 190
    items = drawn.astype(int)
    first = np.append(True, clusters[1:] != clusters[:-1])
    follows = items[:, 1:] == items[:, :-1] + 1
    # inside a cluster an item is followed by the next one; after the last of it, by the first of any
    last = np.append(first[1:], True)[items[:, :-1]]
    assert follows[~last].all() and first[items[:, 1:]][last].all()
    assert Pilot(np.ones((24, 2)), np.arange(24.0), np.arange(24) // 3).clusters_drawn(2) is None  # eight only
    assert Pilot(np.ones((24, 2)), np.arange(24.0), np.arange(24)).clusters_drawn(2) is None


@pytest.mark.parametrize("size", [2, 4, 8])
def test_the_design_effect_is_that_of_the_literature(size: int) -> None:
    """Variance of a mean in clusters of m: 1 + (m - 1) rho times that of as many independent items (Kish 1965)."""
    rng = np.random.default_rng(size)
    error = (rng.random((40, 1)) < 0.5) ^ (rng.random((40, size)) < 0.2)
    human = rng.integers(1, 5, error.size).astype(float)
    clusters = np.repeat(np.arange(40), size)
    known = {"scores": np.stack([human, human], axis=1), "judge": human + error.ravel()}
    half = {}
    for name, pilot in (("one by one", Pilot(**known)), ("whole", Pilot(**known, clusters=clusters))):
        half[name] = Studies(pilot, annotators=2, overlap=2, seed=1).width("mae", 400).half_width
    assert half["whole"] is not None and half["one by one"] is not None
    between = error.mean(axis=1).var()
    rho = (size * between / error.var() - 1) / (size - 1)
    assert 0.2 < rho < 0.6
    assert (half["whole"] / half["one by one"]) ** 2 == pytest.approx(1 + (size - 1) * rho, rel=0.1)
