"""Whatever people send: no exception, no warning, and no number where there is none."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from toolkit import stats

SCALE = [1, 2, 3, 4, 5]
VALUES = st.sampled_from([1.0, 2.0, 3.5, 14 / 3, 5.0, float("nan")])
# Three people and a judge; often constant, empty, or all missing.
TABLES = st.integers(0, 14).flatmap(
    lambda n: st.one_of(
        hnp.arrays(np.float64, (n, 4), elements=VALUES),
        hnp.arrays(np.float64, (n, 4), elements=st.sampled_from([5.0, 5.0, 4.0])),
        st.just(np.full((n, 4), 5.0)),
        st.just(np.full((n, 4), np.nan)),
    )
)


def numbers(result: Any) -> list[float]:
    """Every float inside a result, however deep."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return [number for field in dataclasses.fields(result) for number in numbers(getattr(result, field.name))]
    if isinstance(result, dict):
        return [number for value in result.values() for number in numbers(value)]
    if isinstance(result, tuple | list):
        return [number for value in result for number in numbers(value)]
    return [result] if isinstance(result, float) else []


def everything(table: np.ndarray, replicates: int) -> dict[str, Any]:
    people, judge = table[:, :3], table[:, 3]
    names = ("A1", "A2", "A3")
    columns = {**dict(zip(names, people.T, strict=True)), "judge": judge, "dimension": np.arange(len(table)) % 2}
    wanted: dict[Any, stats.Statistic] = {("people", k): s for k, s in stats.people_statistics(names, SCALE).items()}
    wanted |= {("pair", k): s for k, s in stats.pair_statistics("A1", "A2", SCALE).items()}
    wanted |= {("judge", k): s for k, s in stats.judge_statistics("A1", "judge", SCALE).items()}
    wanted |= {("within", k): s for k, s in stats.within_statistics("A1", "judge", "dimension", SCALE).items()}
    options: dict[str, Any] = {"seed": 0, "replicates": replicates}
    rows = np.arange(len(table))
    return {
        "bootstrap": stats.bootstrap(columns, wanted, **options),
        "bca": stats.bootstrap(columns, wanted, method="bca", clusters=rows // 2, strata=rows % 3, **options),
        "ceiling": stats.human_ceiling(dict(zip(names, people.T, strict=True)), judge, **options),
        "alternative": [stats.alternative_annotator_test(people, judge, epsilon=e) for e in (0, 0.2)],
        "profile": stats.annotator_profile(
            people[:, 0], people[:, 1:], SCALE, position=rows, doubts=rows % 2, divergent=rows % 3 == 0, **options
        ),
        "group": stats.bias_by_group(people, judge, [f"g{i % 2}" for i in rows], **options),
        "level": stats.bias_by_level(people, judge, SCALE, **options),
        "along": stats.bias_along(people, judge, rows, "length", **options),
        "shuffled": stats.shuffled(people[:, 0], judge, shuffles=20, seed=0),
        "selective": stats.selective_agreement(people[:, 0], judge, rows % 4, **options),
        "routing": stats.routing(people[:, 0], judge, rows % 4, 0.8, seed=0),
        "reliability": stats.reliability_table(np.clip(judge / 5, 0, 1), (people[:, 0] > 3).astype(float)),
        "several": stats.simultaneous_intervals(stats.resample(columns, wanted, **options)),
        "ranking": stats.ranking_agreement(people[:, 0], judge, rows % 2, **options) if len(table) > 1 else None,
    }


@settings(max_examples=25, deadline=None)
@given(table=TABLES)
def test_no_exception_no_warning_no_nan(table: np.ndarray) -> None:
    # pytest turns warnings into errors.
    found = numbers(everything(table, replicates=12))
    assert all(math.isfinite(number) for number in found)


@settings(max_examples=25, deadline=None)
@given(table=TABLES)
def test_an_undefined_value_has_a_note_and_no_interval(table: np.ndarray) -> None:
    for result in everything(table, replicates=12)["bootstrap"].values():
        if result.value is None:
            assert result.ci95 is None
            assert result.notes
        elif result.ci95 is None:
            assert set(result.notes) & {
                stats.Note.NO_INTERVAL_UNDER_10,
                stats.Note.FEW_SHARED_ITEMS,
                stats.Note.INTERVAL_UNDEFINED_RESAMPLES,
            }


@pytest.mark.parametrize("n", [0, 1, 2, 9, 10, 11])
def test_the_edges_of_small_numbers(n: int) -> None:
    table = np.random.default_rng(n).integers(1, 6, (n, 4)).astype(float)
    results = everything(table, replicates=50)["bootstrap"]
    assert all((result.ci95 is None) or n >= 10 for result in results.values())
