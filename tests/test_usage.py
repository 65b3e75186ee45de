"""What the judge's scores mean in use, on data whose answer is known."""

from __future__ import annotations

import numpy as np

from toolkit.analysis import Options, Panel, analyse
from toolkit.model import Response, Scale, SourceItem


def panel(judge_name: str, judge: np.ndarray, models: list[str]) -> Panel:
    rng = np.random.default_rng(1)
    n = len(judge)
    truth = rng.integers(2, 5, n).astype(float)
    people = np.column_stack([np.clip(truth + rng.integers(-1, 2, n), 1, 5) for _person in range(3)])
    items = tuple(
        SourceItem(item_id=str(k), dimension="d", model=model, responses=(Response(response="word " * (k + 1)),))
        for k, model in enumerate(models)
    )
    names = ("A", "B", "C")
    return Panel(Scale(), items, tuple(map(str, range(n))), names, people, judges={judge_name: truth + judge})


def test_a_judge_that_favours_its_own_family_is_seen() -> None:
    models = ["gpt-3.5", "claude-2"] * 30
    bonus = np.array([1.0, 0.0] * 30)
    found = analyse(panel("GPT-4o", bonus, models), Options(seed=1, replicates=200)).usage
    assert found is not None and found.own_family is not None
    assert found.own_family.excess.value is not None and abs(found.own_family.excess.value - 1) < 0.4
    assert found.own_family.p_value is not None and found.own_family.p_value < 0.01


def test_families_that_cannot_be_told_are_not_guessed() -> None:
    models = ["gpt-3.5", "claude-2"] * 30
    for judge in ("gemini-pro", "4o", "J1"):
        found = analyse(panel(judge, np.zeros(60), models), Options(seed=1, replicates=50)).usage
        assert found is not None and found.own_family is None
