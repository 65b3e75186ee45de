"""What an analysis hands to the statistics: every figure of a study knows its strata, its dimensions and its range."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from toolkit.analysis.detail import best_judge, people_profiles
from toolkit.analysis.panel import Options, Panel
from toolkit.analysis.usage import judge_usage
from toolkit.consensus import build_consensus
from toolkit.model import Response, Scale, SourceItem
from toolkit.stats import Estimate, Look, Note
from toolkit.stats.proportion import proportion

OPTIONS = Options(seed=1, replicates=200)


def panel(scores: np.ndarray, judges: dict[str, np.ndarray], items: list[dict[str, Any]], **more: Any) -> Panel:
    return Panel(
        scale=Scale(),
        items=tuple(SourceItem(item_id=f"i{n}", **item) for n, item in enumerate(items)),
        codes=tuple(f"C{n}" for n in range(len(items))),
        annotators=tuple(f"A{n + 1}" for n in range(scores.shape[1])),
        scores=scores,
        judges=judges,
        **more,
    )


def estimates(result: Any) -> list[Estimate]:
    if isinstance(result, Estimate):
        return [result]
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return [one for field in dataclasses.fields(result) for one in estimates(getattr(result, field.name))]
    values = result.values() if isinstance(result, dict) else result if isinstance(result, tuple) else ()
    return [one for value in values for one in estimates(value)]


def test_every_interval_of_a_study_knows_its_strata() -> None:
    # All items of a stratum are alike, so nothing varies once resamples keep to the strata.
    n = 80
    kind = np.arange(n) % 4
    people = np.array([[1.0, 1, 2], [2, 3, 3], [4, 4, 5], [5, 4, 5]])[kind]
    judge = np.array([1.0, 2, 5, 5])[kind]
    items = [
        {
            "dimension": "ab"[k // 2],
            "model": f"m{n // 4 % 2}",
            "stratum": f"s{k}",
            "responses": (Response(response="word " * (k + 1)),),
        }
        for n, k in enumerate(kind)
    ]
    study = panel(
        people,
        {"judge": judge},
        items,
        confidence={"judge": np.array([0.9, 0.5, 0.7, 0.8])[kind]},
        repeats={"judge": np.column_stack([judge, np.array([1.0, 3, 5, 5])[kind]])},
    )
    consensus = build_consensus(people, study.scale)
    usage = judge_usage(study, OPTIONS, "judge", consensus)
    assert usage is not None
    assert usage.length is not None and usage.ranking is not None and usage.selective and usage.retest
    # The strata determine neither what the answer's length foretells, fitted on parts of the items, nor the model.
    # Shares without width have Wilson's interval instead.
    assert usage.passing["agreement"].ci95 == proportion(80, 80).ci95
    alike = dataclasses.replace(
        usage,
        nulls={"commonest": usage.nulls["commonest"]},
        patterns={key: pattern for key, pattern in usage.patterns.items() if key != "model"},
        passing={},
        retest={"agreement": usage.retest["agreement"]},
    )
    found = [one for one in estimates(alike) if one.ci95 is not None]
    found += [one for one in estimates(people_profiles(study, OPTIONS, consensus)) if one.ci95 is not None]
    assert len(found) > 30
    assert all(one.ci95[1] - one.ci95[0] < 1e-9 for one in found)


def test_order_is_judged_within_the_dimensions_of_a_sheet() -> None:
    rng = np.random.default_rng(3)
    own = np.concatenate([np.full(10, 5.0), rng.integers(1, 5, 20)])
    scores = np.column_stack([own, own])
    items = [{"dimension": "consistency" if n < 10 else "factual"} for n in range(30)]
    study = panel(scores, {}, items, positions=np.tile(np.arange(30.0)[:, None], 2))
    consensus = build_consensus(scores, study.scale)
    profile = people_profiles(study, OPTIONS, consensus)["A1"]
    assert (profile.longest_run, profile.longest_run_p, profile.look_at) == (10, 1, ())
    whole = dataclasses.replace(study, items=tuple(SourceItem(item_id=f"i{n}", dimension="all") for n in range(30)))
    assert Look.LONG_RUN in people_profiles(whole, OPTIONS, consensus)["A1"].look_at
    unknown = people_profiles(dataclasses.replace(study, positions=None), OPTIONS, consensus)["A1"]
    assert (unknown.longest_run, unknown.longest_alternation) == (None, None)


def test_the_best_of_several_judges_ends_at_one_and_says_what_is_fragile() -> None:
    human = np.tile([1.0, 2, 3, 4, 5], 3)
    near = human.copy()
    near[0] = 3
    scores = np.column_stack([human, human])
    judges = {"near": near, "constant": np.full(15, 3.0), "random": np.random.default_rng(1).integers(1, 6, 15) + 0.0}
    study = panel(scores, judges, [{"dimension": "d"}] * 15)
    found = best_judge(study, OPTIONS, judges, build_consensus(scores, study.scale))
    assert found["near"].ci95 is not None
    assert found["near"].ci95[1] == 1
    assert Note.SMALL_N in found["near"].notes
    assert Note.ONE_CONSTANT in found["constant"].notes


def test_nine_items_that_people_fail_give_false_passes_the_interval_of_wilson() -> None:
    human = np.concatenate([np.full(9, 2.0), np.full(31, 5.0)])
    scores = np.column_stack([human, human, human])
    judge = np.where(np.arange(40) % 3 == 0, 4.0, human)
    study = panel(scores, {"judge": judge}, [{"dimension": "d"}] * 40)
    usage = judge_usage(study, OPTIONS, "judge", build_consensus(scores, study.scale))
    assert usage is not None
    rates = usage.passing
    assert {key: one.n for key, one in rates.items()} == {
        "agreement": 40,
        "false_pass_rate": 9,
        "false_fail_rate": 31,
    }
    assert rates["false_pass_rate"].value == 3 / 9
    # Wilson (1927) for 3 of 9, worked out by hand: the bootstrap has no interval for fewer than 10 items
    assert rates["false_pass_rate"].ci95 == pytest.approx((0.1206, 0.6458), abs=5e-5)
    assert rates["agreement"].ci95 is not None
