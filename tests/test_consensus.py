"""Medians, divergences, discussion and the two-annotator contingency, with the arithmetic in sight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.consensus import Decision, Discussed, Mode, build_consensus
from toolkit.model import Scale

NAN = float("nan")
SCALE = Scale()


def scores(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, dtype=float)


def test_three_annotators_keep_the_median_whatever_is_discussed() -> None:
    given_scores = scores((1, 2, 5), (4, 4, 5), (3, 3, 3))
    found = build_consensus(given_scores, SCALE, discussed={0: Discussed(Decision.REVISE, 4, "misread")})
    assert found.mode is Mode.THREE_OR_MORE
    assert found.headline.tolist() == [2, 4, 3]
    assert found.disagreement_range.tolist() == [4, 1, 0]
    assert found.flagged.tolist() == [True, False, False]
    assert found.after_discussion.tolist() == [4, 4, 3]
    assert np.array_equal(found.revised, [4, NAN, NAN], equal_nan=True)
    assert not found.pending.any()


def test_an_even_number_gives_half_points_kept_exactly() -> None:
    found = build_consensus(scores((1, 2, 3, 4), (2, 3, 3, 5), (4, 4, 5, 5)), SCALE)
    assert found.headline.tolist() == [2.5, 3.0, 4.5]
    assert found.mode is Mode.THREE_OR_MORE


def test_two_annotators_wait_for_the_discussion_and_then_take_its_score() -> None:
    given_scores = scores((1, 3), (4, 5), (2, 5))
    waiting = build_consensus(given_scores, SCALE)
    assert waiting.mode is Mode.TWO
    assert waiting.pending.tolist() == [True, False, True]
    assert np.array_equal(waiting.headline, [NAN, 4.5, NAN], equal_nan=True)
    talked = {0: Discussed(Decision.REVISE, 1), 2: Discussed(Decision.KEEP)}
    after = build_consensus(given_scores, SCALE, discussed=talked)
    assert after.headline.tolist() == [1, 4.5, 3.5]  # 3.5: kept, so the median of 2 and 5 stands
    assert after.median.tolist() == [2, 4.5, 3.5]
    assert not after.pending.any()


def test_two_annotators_collected_elsewhere_count_with_the_median_until_discussed() -> None:
    found = build_consensus(scores((1, 3), (4, 5)), SCALE, pending_counts_median=True)
    assert found.headline.tolist() == [2, 4.5]
    assert found.pending.tolist() == [True, False]


def test_two_annotators_keep_the_median_of_an_item_that_was_not_flagged() -> None:
    found = build_consensus(scores((4, 5), (1, 5)), SCALE, discussed={0: Discussed(Decision.REVISE, 5)})
    assert found.headline[0] == 4.5
    assert found.after_discussion[0] == 5


def test_incomplete_items_do_not_count_unless_two_scores_are_enough() -> None:
    given_scores = scores((4, NAN, 5), (NAN, NAN, 3), (2, 2, 3), (NAN, NAN, NAN))
    everyone = np.ones(given_scores.shape, bool)
    strict = build_consensus(given_scores, SCALE, assigned=everyone)
    assert strict.counted.tolist() == [False, False, True, False]
    assert np.array_equal(strict.headline, [NAN, NAN, 2, NAN], equal_nan=True)
    kept = build_consensus(given_scores, SCALE, assigned=everyone, fewest_scores=2)
    assert kept.counted.tolist() == [True, False, True, False]
    assert kept.headline[0] == 4.5
    assert kept.complete.tolist() == [False, False, True, False]


def test_an_item_still_to_be_scored_blind_is_not_up_for_discussion() -> None:
    given_scores = scores((1, 5, NAN), (1, 5, 3))
    found = build_consensus(given_scores, SCALE, assigned=np.ones((2, 3), bool))
    assert found.flagged.tolist() == [False, True]


def test_an_excluded_item_stays_in_the_headline() -> None:
    found = build_consensus(
        scores(
            (1, 2, 5),
        ),
        SCALE,
        discussed={0: Discussed(Decision.EXCLUDE, None, "broken")},
    )
    assert found.excluded.tolist() == [True]
    assert found.headline.tolist() == [2]


def test_names_without_order_take_the_commonest_or_none() -> None:
    scale = Scale(kind="nominal", values=("A", "B", "tie"))
    found = build_consensus(scores((0, 0, 1), (0, 1, 2), (2, 2, NAN)), scale, fewest_scores=1)
    assert np.array_equal(found.headline, [0, NAN, 2], equal_nan=True)
    assert np.isnan(found.disagreement_range).all()
    assert found.flagged.tolist() == [False, True, False]


@given(st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 5]), min_size=3, max_size=3), min_size=1, max_size=20))
def test_the_median_of_three_is_a_score_somebody_gave_and_order_does_not_matter(rows: list[list[int]]) -> None:
    found = build_consensus(np.array(rows, float), SCALE)
    turned = build_consensus(np.array(rows, float)[:, ::-1], SCALE)
    for row, median in zip(rows, found.headline, strict=True):
        assert median == sorted(row)[1]
    assert found.headline.tolist() == turned.headline.tolist()
    assert found.flagged.tolist() == [max(row) - min(row) >= 2 for row in rows]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_mode_is_the_number_of_annotators(count: int) -> None:
    found = build_consensus(np.full((1, count), 3.0), SCALE)
    assert found.mode is (Mode.TWO if count == 2 else Mode.THREE_OR_MORE)
