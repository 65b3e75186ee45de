"""A pilot without a single miss must not promise certainty from a handful of items."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.sampling.panels import Pilot
from toolkit.sampling.simulate import Studies


def perfect() -> Studies:
    levels = np.array([1.0, 2.0, 4.0, 5.0])
    return Studies(Pilot(np.column_stack([levels, levels]), levels), annotators=2, overlap=2, seed=1, studies=200)


@pytest.mark.parametrize("metric", ["tpr", "tnr"])
def test_a_rate_without_misses_has_wilsons_width(metric: str) -> None:
    studies = perfect()
    found = studies.width(metric, 40)
    # about half of the items pass: none missed among 20, so Wilson's interval is [20 / (20 + z^2), 1]
    assert found.mean == 1.0
    assert found.half_width == pytest.approx((1 - 20 / (20 + 1.959964**2)) / 2, rel=0.01)


def test_a_perfect_kappa_promises_nothing() -> None:
    assert perfect().width("kappa", 40).half_width is None
    assert perfect().power("kappa", 40, 0.5) is None
