"""What must not matter, and what must: order, names, the scale's place, a copy, somebody who leaves."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from toolkit.analysis import Options, Panel
from toolkit.analysis.blocks import compute_blocks
from toolkit.consensus import Consensus, Decision, Discussed, Mode, build_consensus
from toolkit.model import Scale, SourceItem

SCALE = Scale()
SCORES = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0])
GAPS = st.one_of(SCORES, st.just(float("nan")))
SIZES = st.tuples(st.integers(1, 8), st.integers(2, 5))
TABLES = SIZES.flatmap(lambda size: hnp.arrays(np.float64, size, elements=GAPS))
# A judge and a few people, a few items in two dimensions.
PANELS = st.tuples(st.integers(6, 16), st.integers(3, 5)).flatmap(
    lambda size: hnp.arrays(np.float64, size, elements=SCORES)
)
OUTCOMES = st.one_of(
    st.just(Discussed(Decision.KEEP)),
    st.just(Discussed(Decision.EXCLUDE, None, "broken")),
    st.integers(1, 5).map(lambda score: Discussed(Decision.REVISE, score)),
)


@st.composite
def rounds(draw: st.DrawFn) -> dict[str, Any]:
    """Draw what `build_consensus` is given: scores, who was to score what, what was discussed."""
    scores = draw(TABLES)
    given_out = draw(st.none() | hnp.arrays(bool, scores.shape))
    if given_out is not None:
        given_out = given_out | ~np.isnan(scores)
    return {
        "scores": scores,
        "assigned": given_out,
        "fewest_scores": draw(st.sampled_from([None, 1, 2])),
        "discussed": draw(st.dictionaries(st.integers(0, len(scores) - 1), OUTCOMES, max_size=3)),
        "pending_counts_median": draw(st.booleans()),
    }


def built(taken: dict[str, Any], rows: Any = slice(None), columns: Any = slice(None)) -> dict[str, Any]:
    """Return the consensus of some rows and columns, as arrays by name."""
    order = np.arange(len(taken["scores"]))[rows]
    parts = {key: None if taken[key] is None else taken[key][rows][:, columns] for key in ("scores", "assigned")}
    talked = {place: taken["discussed"][row] for place, row in enumerate(order) if row in taken["discussed"]}
    found = build_consensus(**(taken | parts | {"discussed": talked, "scale": SCALE}))
    return {one.name: getattr(found, one.name) for one in fields(Consensus)}


def same(one: dict[str, Any], two: dict[str, Any], order: Any = slice(None)) -> None:
    for name, value in one.items():
        if name != "mode":
            np.testing.assert_array_equal(value[order], two[name], err_msg=name)


@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_items_and_of_annotators_changes_nothing_but_order(taken: dict[str, Any], chance: Any) -> None:
    rows, columns = list(range(taken["scores"].shape[0])), list(range(taken["scores"].shape[1]))
    chance.shuffle(rows)
    chance.shuffle(columns)
    whole, turned = built(taken), built(taken, rows, columns)
    same(whole, turned, rows)
    assert whole["mode"] is turned["mode"]


@given(rounds())
def test_the_rule_holds_item_by_item_where_scores_were_assigned(taken: dict[str, Any]) -> None:
    if taken["assigned"] is None:
        taken["assigned"] = np.ones(taken["scores"].shape, bool)
    whole = built(taken)
    for row in range(len(taken["scores"])):
        same({n: v if n == "mode" else v[row : row + 1] for n, v in whole.items()}, built(taken, [row]))
    # and by hand
    for row, (scores, asked) in enumerate(zip(taken["scores"], taken["assigned"], strict=True)):
        given_scores = sorted(scores[~np.isnan(scores)])
        enough = taken["fewest_scores"]
        counts = (len(given_scores) == asked.sum() >= 2) if enough is None else len(given_scores) >= enough
        apart = len(given_scores) > 0 and given_scores[-1] - given_scores[0] >= 2
        waits = counts and apart and asked.sum() == 2 and row not in taken["discussed"]
        assert (whole["counted"][row], whole["pending"][row]) == (counts, waits)
        middle = float(np.median(given_scores)) if given_scores else np.nan
        said = taken["discussed"].get(row)
        if counts and apart and asked.sum() == 2 and said is not None and said.score is not None:
            middle = float(said.score)
        if not counts or (waits and not taken["pending_counts_median"]):
            middle = np.nan
        np.testing.assert_equal(whole["headline"][row], middle)
    assert whole["mode"] is (Mode.TWO if (taken["assigned"].sum(axis=1) == 2).any() else Mode.THREE_OR_MORE)


@given(TABLES)
def test_everybody_twice_is_the_same_consensus(scores: np.ndarray) -> None:
    once, twice = (build_consensus(table, SCALE, fewest_scores=1) for table in (scores, np.hstack([scores, scores])))
    for name in ("median", "disagreement_range", "flagged"):
        np.testing.assert_array_equal(getattr(once, name), getattr(twice, name))


@given(TABLES, st.integers(-7, 7))
def test_the_place_of_the_scale_does_not_matter(scores: np.ndarray, shift: int) -> None:
    moved = Scale(values=tuple(value + shift for value in range(1, 6)))
    here, there = build_consensus(scores, SCALE), build_consensus(scores + shift, moved)
    np.testing.assert_array_equal(here.headline + shift, there.headline)
    for name in ("disagreement_range", "flagged", "counted", "pending"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))


# --- all figures ---------------------------------------------------------------------------------------------------


def panel_of(table: np.ndarray, names: str = "ABCD", scale: Scale = SCALE) -> Panel:
    """Return a panel whose first column is the judge's."""
    items = tuple(SourceItem(item_id=f"i{n}", dimension="ab"[n % 2], prompt=f"q{n}") for n in range(len(table)))
    people = tuple(names[: table.shape[1] - 1])
    return Panel(scale, items, tuple(item.item_id for item in items), people, table[:, 1:], judges={"J": table[:, 0]})


def figures(panel: Panel) -> dict[Any, float | None]:
    """Return every value over all items and in each dimension, by what it is of."""
    found: dict[Any, float | None] = {}
    target = build_consensus(panel.scores, panel.scale, pending_counts_median=True).headline
    options, everything = Options(seed=1, replicates=0), np.ones(len(target), bool)
    blocks = compute_blocks(panel, options, panel.judges, target, everything, closer=True)
    for name, block in {"all": blocks.overall, **blocks.by_dimension}.items():
        found |= {(name, *sorted(pair), key): e.value for pair, own in block.pairs.items() for key, e in own.items()}
        found |= {(name, "within", *sorted(pair), key): e.value
                  for pair, own in block.within_pairs.items() for key, e in own.items()}  # fmt: skip
        found |= {(name, key): estimate.value for key, estimate in block.people.items()}
        found |= {(name, judge, key): e.value for judge, own in block.judges.items() for key, e in own.items()}
        for judge, detail in block.details.items():
            assert detail.ceiling is not None
            ceiling = {
                key: getattr(detail.ceiling, key).value for key in ("judge_person", "person_person", "difference")
            }
            found |= {(name, judge, "ceiling", key): value for key, value in ceiling.items()}
            found |= {(name, judge, person, key): estimate.value
                      for person, own in detail.per_annotator.items() for key, estimate in own.items()}  # fmt: skip
            for epsilon, test in detail.alternative.items():
                found[name, judge, epsilon] = test.advantage_probability
                found |= {(name, judge, epsilon, person): p
                          for person, p in zip(panel.annotators, test.p_values, strict=True)}  # fmt: skip
    return found


def alike(one: dict[Any, float | None], two: dict[Any, float | None]) -> None:
    assert one.keys() == two.keys()
    for key, value in one.items():
        assert value == pytest.approx(two[key], abs=1e-9), key


@settings(max_examples=15, deadline=None)
@given(PANELS, st.randoms(use_true_random=False))
def test_figures_do_not_depend_on_order(table: np.ndarray, chance: Any) -> None:
    panel = panel_of(table)
    rows, columns = list(range(len(table))), list(range(table.shape[1] - 1))
    chance.shuffle(rows)
    chance.shuffle(columns)
    turned = replace(
        panel,
        items=tuple(panel.items[row] for row in rows),
        codes=tuple(panel.codes[row] for row in rows),
        annotators=tuple(panel.annotators[column] for column in columns),
        scores=panel.scores[rows][:, columns],
        judges={"J": panel.judges["J"][rows]},
    )
    alike(figures(panel), figures(turned))


@settings(max_examples=10, deadline=None)
@given(PANELS)
def test_other_names_and_another_place_of_the_scale_give_the_same_figures(table: np.ndarray) -> None:
    there = figures(panel_of(table, "WXYZ"))
    renamed = dict(zip("WXYZ", "ABCD", strict=True))
    here = figures(panel_of(table))
    alike(here, {tuple(renamed.get(part, part) for part in key): value for key, value in there.items()})
    # by an even number, for halves are rounded to even numbers
    alike(here, figures(panel_of(table - 4, scale=Scale(values=(-3, -2, -1, 0, 1)))))
    # from the other end: what was too high is too low, and nothing else changes
    turned = figures(panel_of(6 - table))
    alike(here, {key: -value if value is not None and "bias" in key else value for key, value in turned.items()})


@settings(max_examples=10, deadline=None)
@given(PANELS)
def test_a_copy_agrees_with_its_original_and_leaves_the_other_pairs_alone(table: np.ndarray) -> None:
    before = figures(panel_of(table))
    after = figures(panel_of(np.hstack([table, table[:, 1:2]]), "ABCDE"[: table.shape[1] - 1] + "Z"))
    for scope in ("all", "a", "b"):
        assert after[scope, "A", "Z", "percent_agreement"] == 1
        assert after[scope, "A", "Z", "kappa_quadratic"] in (None, pytest.approx(1))
    pairs = {key: value for key, value in before.items() if len(key) == 4 and {key[1], key[2]} <= set("ABCD")}
    assert pairs
    alike(pairs, {key: after[key] for key in pairs})


@settings(max_examples=10, deadline=None)
@given(PANELS)
def test_a_judge_that_is_the_consensus_is_right_throughout(table: np.ndarray) -> None:
    if table.shape[1] % 2:
        table = table[:, :-1] if table.shape[1] > 4 else np.hstack([table, table[:, 1:2]])
    table[:, 0] = np.median(table[:, 1:], axis=1)
    found = figures(panel_of(table))
    assert (found["all", "J", "mae"], found["all", "J", "bias"], found["all", "J", "exact_agreement"]) == (0, 0, 1)
    assert found["all", "J", "kappa_quadratic"] in (None, pytest.approx(1))
