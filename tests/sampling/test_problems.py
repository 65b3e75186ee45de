"""Judges that disagree with each other or with a metric, in every kind of log and engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.sampling.logs import records, write_as, write_jsonl
from tests.sampling.test_sample import draw, ids
from tests.sampling.test_selection import Backend
from toolkit.cli import main
from toolkit.errors import ToolkitError
from toolkit.jobs.sample import Wanted, sample
from toolkit.model import Scale
from toolkit.sampling.warehouse import open_backend

KINDS = [".jsonl", ".csv", ".parquet"]


def rows_with(**columns: list[Any]) -> list[dict[str, Any]]:
    found = records(len(next(iter(columns.values()))), dimensions=("factual",))
    for name, values in columns.items():
        found = [row | {name: value, "response": "word"} for row, value in zip(found, values, strict=True)]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_judges_in_columns(kind: str, tmp_path: Path) -> None:
    n = 12
    # 0: judge and a; 1: a and b, with no headline score between them; 2: one point apart; 3: only one score
    headline = [1, 3, 3, 3, *[4] * (n - 4)]
    a = [3, 2, 4, None, *[4] * (n - 4)]
    b = [None, 4, 4, None, *[4] * (n - 4)]
    log = write_as(tmp_path, kind, rows_with(judge_score=headline, a=a, b=b))
    done = draw(log, tmp_path / "s.jsonl", by=(), per_stratum=4, problem_share=1.0, judges=("a", "b"))
    assert sorted(r["item_id"] for r in done.records if "problem=yes" in r["stratum"]) == ["x0", "x1"]
    assert "judges apart (columns)" in done.report["problem_conditions"]


def metric_rows(sign: int) -> list[dict[str, Any]]:
    """Thirty records of a metric that follows the judge to within 0.02, but for one, x7, and one not measured."""
    scores = [1 + i % 5 for i in range(30)]
    metric: list[float | None] = [sign * (0.2 * s + (0.02 if i // 5 % 2 else -0.02)) for i, s in enumerate(scores)]
    metric[7] = sign * 0.98  # the judge gave 3, the metric what goes with a 5
    metric[8] = None
    return rows_with(judge_score=scores, bleu=metric)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_metric_that_disagrees_whichever_way_it_runs(kind: str, sign: int, tmp_path: Path) -> None:
    # residuals are 0.02, one is 0.38: their deviation is about 0.07, and twice that is exceeded once
    log = write_as(tmp_path, kind, metric_rows(sign))
    done = draw(log, tmp_path / "s.jsonl", by=(), per_stratum=2, problem_share=0.5, metrics=("bleu",))
    assert [r["item_id"] for r in done.records if "problem=yes" in r["stratum"]] == ["x7"]
    assert "bleu disagrees" in done.report["problem_conditions"]
    assert done.report["strata"][0]["problems_log"] == 1


@pytest.mark.parametrize("values", [[0.5] * 10, [None] * 10, ["NaN"] * 10, [0.2 * (1 + i * 7 % 5) for i in range(10)]])
def test_a_metric_that_says_nothing_flags_nothing(values: list[Any], tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", rows_with(bleu=values))
    done = draw(log, tmp_path / "s.jsonl", by=(), per_stratum=4, problem_share=0.5, metrics=("bleu",))
    assert done.report["strata"][0]["problems_log"] == 0


def test_a_warehouse_finds_the_same_and_says_what_it_cannot(tmp_path: Path) -> None:
    rows = [row | {"a": 1 + i % 3, "judge_scores": [1, 5]} for i, row in enumerate(metric_rows(1))]
    path = write_as(tmp_path, ".parquet", rows)
    wanted = Wanted(by=(), per_stratum=8, problem_share=1.0, judges=("a",), metrics=("bleu",))
    away = sample(open_backend(Backend(path), "judged.log"), wanted, tmp_path / "b.jsonl", scale=Scale(), seed=7)
    assert any("cannot compare the scores inside judge_scores" in warning for warning in away.warnings)
    plain = write_as(tmp_path, ".parquet", [{k: v for k, v in row.items() if k != "judge_scores"} for row in rows])
    local = draw(plain, tmp_path / "a.jsonl", by=(), per_stratum=8, problem_share=1.0, judges=("a",), metrics=("bleu",))
    assert ids(away) == ids(local)


def test_columns_that_are_not_there_are_all_named(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", records(5))
    with pytest.raises(ToolkitError) as caught:
        draw(log, tmp_path / "s.jsonl", problem_share=0.5, judges=("a", "b"), metrics=("bleu",))
    assert [problem.fix for problem in caught.value.problems] == ["check --judges", "check --judges", "check --metrics"]
    run = CliRunner().invoke(main, ["sample", str(log), "--metrics", "bleu"])
    assert run.exit_code == 2 and "--problem-share" in run.output
