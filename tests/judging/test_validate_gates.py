"""Gates and halves: the logic of validate-judge, without files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.jobs.gates import Gate, verdict
from toolkit.jobs.halves import Halves, Use, looked, split
from toolkit.model import SourceItem
from toolkit.stats import Estimate


def gate(
    value: float | None, ci95: tuple[float, float] | None, threshold: float, *, highest: bool = False, n: int = 40
):  # type: ignore[no-untyped-def]
    return Gate("option", "figure", threshold, highest, Estimate(value, n, ci95))


@pytest.mark.parametrize(
    ("ci95", "outcome"),
    [
        ((0.61, 0.80), "pass"),
        ((0.60, 0.80), "pass"),  # the threshold itself is good enough
        ((0.5999, 0.80), "inconclusive"),
        ((0.40, 0.60), "inconclusive"),  # 0.60 would be good enough, and is not ruled out
        ((0.40, 0.5999), "fail"),
        ((0.60, 0.60), "pass"),
        (None, "inconclusive"),
    ],
)
def test_a_lowest_good_value(ci95: tuple[float, float] | None, outcome: str) -> None:
    assert gate(sum(ci95) / 2 if ci95 else 0.9, ci95, 0.6).outcome == outcome


@pytest.mark.parametrize(
    ("ci95", "outcome"),
    [
        ((0.3, 0.5), "pass"),
        ((0.3, 0.5001), "inconclusive"),
        ((0.5, 0.7), "inconclusive"),
        ((0.5001, 0.7), "fail"),
    ],
)
def test_a_highest_good_value(ci95: tuple[float, float], outcome: str) -> None:
    assert gate(sum(ci95) / 2, ci95, 0.5, highest=True).outcome == outcome


def test_undefined_decides_nothing() -> None:
    undefined = gate(None, None, 0.6)
    assert (undefined.outcome, undefined.more_items) == ("inconclusive", None)


def test_how_many_more_items_would_decide() -> None:
    # value 0.7, lower end 0.5: a half-width of 0.2 must become 0.1, which takes 4 times 40 items: 120 more
    assert gate(0.7, (0.5, 0.85), 0.6).more_items == 120
    # value 0.5, upper end 0.65: 0.15 must become 0.1, 2.25 times 40 items: 50 more
    assert gate(0.5, (0.3, 0.65), 0.6).more_items == 50
    # an error: value 0.4, upper end 0.6, threshold 0.5: 4 times
    assert gate(0.4, (0.25, 0.6), 0.5, highest=True).more_items == 120
    # on the threshold itself no number would do
    assert gate(0.6, (0.5, 0.7), 0.6).more_items is None
    # below 10 items there is no interval at all
    assert gate(0.9, None, 0.6, n=7).more_items == 3
    assert gate(0.9, (0.7, 0.95), 0.6).more_items is None


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.integers(10, 1000), st.booleans())
def test_with_that_many_more_items_it_is_decided(
    value: float, below: float, above: float, threshold: float, n: int, highest: bool
) -> None:
    found = gate(value, (value - below, value + above), threshold, highest=highest, n=n)
    if found.more_items is None or abs(value - threshold) < 1e-6:
        return
    shrunk = (n / (n + found.more_items)) ** 0.5
    then = gate(
        value, (value - shrunk * below * 0.999999, value + shrunk * above * 0.999999), threshold, highest=highest
    )
    assert then.outcome == ("pass" if (value < threshold) == highest else "fail")


@pytest.mark.parametrize(
    ("outcomes", "together"),
    [
        ((), None),
        (("pass", "pass"), "pass"),
        (("pass", "inconclusive"), "inconclusive"),
        (("inconclusive", "fail", "pass"), "fail"),
    ],
)
def test_all_gates_together(outcomes: tuple[str, ...], together: str | None) -> None:
    ends = {"pass": (0.7, 0.9), "fail": (0.1, 0.3), "inconclusive": (0.5, 0.7)}
    assert verdict([gate(0.6, ends[outcome], 0.6) for outcome in outcomes]) == together


def some(count: int, dimension: str = "factual", start: int = 0) -> list[SourceItem]:
    return [
        SourceItem(item_id=f"i{number}", dimension=dimension, prompt=f"prompt {number} {dimension}")
        for number in range(start, start + count)
    ]


def test_halves_are_even_in_every_dimension_and_whatever_the_order() -> None:
    items = [*some(10), *some(7, "consistency"), *some(1, "robustness")]
    found = split(items, None)
    for dimension, sizes in {"factual": {5}, "consistency": {3, 4}, "robustness": {0, 1}}.items():
        counts = [sum(of == dimension for _, of in half) for half in (found.tuning, found.test)]
        assert set(counts) == sizes, dimension
    assert sorted([*found.tuning, *found.test]) == sorted(item.key for item in items)
    assert split(items[::-1], None) == found


def test_an_item_never_changes_its_half() -> None:
    first = split(some(9), None)
    more = split(some(30), first)
    assert set(first.test) <= set(more.test)
    assert set(first.tuning) <= set(more.tuning)
    assert {len(more.test), len(more.tuning)} == {15}
    assert split(some(30), more) == more


def test_items_that_share_a_prompt_share_a_half() -> None:
    items = [
        SourceItem(item_id=f"i{number}", dimension=dimension, prompt=f"prompt {number // 3}")
        for number in range(30)
        for dimension in ("factual", "robustness")
    ]
    found = split(items, None)
    halves = {key: half for half in ("tuning", "test") for key in getattr(found, half)}
    for number in range(0, 30, 3):
        together = {halves[f"i{n}", dim] for n in range(number, number + 3) for dim in ("factual", "robustness")}
        assert len(together) == 1
    # one that comes later goes where its prompt is
    late = SourceItem(item_id="late", dimension="factual", prompt="prompt 4")
    assert ("late", "factual") in split([*items, late], found).keys(halves["i12", "factual"])


def test_looks_are_counted_and_a_tuned_prompt_is_said() -> None:
    def look(prompt: str | None, scores: str = "s") -> Use:
        return Use(date="2026-11-30", judge="J", prompt=prompt, scores=scores)

    halves, said = looked(Halves(), look("one"))
    assert (len(halves.uses), said) == (1, [])
    halves, said = looked(halves, look("one", "other scores"))  # a judge is not always steady
    assert len(halves.uses) == 2
    assert "looked at 2 times" in said[0] and len(said) == 1
    halves, said = looked(halves, look("two"))
    assert "looked at 3 times" in said[0]
    assert "tuned on it" in said[1]
    # going back to the first prompt makes it no better
    assert any("tuned on it" in one for one in looked(halves, look("one"))[1])


def test_where_records_do_not_name_the_prompt_other_scores_raise_the_question() -> None:
    unknown = Use(date="2026-11-30", judge="J", prompt=None, scores="a")
    halves, _ = looked(Halves(), unknown)
    assert len(looked(halves, unknown)[1]) == 1
    assert "if it was changed" in looked(halves, unknown.model_copy(update={"scores": "b"}))[1][1]
