"""A pilot without a single miss must not promise certainty from a handful of items."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.sampling.panels import Patterns
from toolkit.sampling.simulate import width


def perfect() -> Patterns:
    levels = np.array([1.0, 2.0, 4.0, 5.0])
    return Patterns(people=np.column_stack([levels, levels]), judge=levels, probabilities=np.full(4, 0.25))


@pytest.mark.parametrize("metric", ["tpr", "tnr"])
def test_a_rate_without_misses_has_wilsons_width(metric: str) -> None:
    found = width(perfect(), metric, 40, seed=1, studies=200)
    # half of the items pass: none missed among 20, so Wilson's interval is [20 / (20 + z^2), 1]
    assert found.mean == 1.0
    assert found.half_width == pytest.approx((1 - 20 / (20 + 1.959964**2)) / 2)


def test_a_perfect_kappa_promises_nothing() -> None:
    assert width(perfect(), "kappa", 40, seed=1, studies=200).half_width is None
