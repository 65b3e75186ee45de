"""What BigQuery and Snowflake are asked: known text, and the same items when that text is read back and run.

sqlglot reads the text as the engine's own dialect and writes it for DuckDB; every function of ours has a counterpart
there. What no test here can show is how the real engines run it.

    python -m tests.sampling.test_warehouse_sql      # writes the known text anew
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sampling.logs import records, write_as
from tests.sampling.test_sample import draw
from tests.sampling.test_selection import Backend
from toolkit.jobs.sample import Wanted, sample
from toolkit.model import Scale
from toolkit.sampling.columns import Columns
from toolkit.sampling.logs import Log
from toolkit.sampling.query import Ask, base, candidates_sql
from toolkit.sampling.warehouse import compiled, open_backend

sqlglot = pytest.importorskip("sqlglot")
KNOWN = Path(__file__).with_name("sql")
DIALECTS = ("bigquery", "snowflake")


def question(dialect: str) -> Any:
    """The candidates of a log whose scores are text, with a condition and something left out."""
    types = dict.fromkeys(("item_id", "dimension", "model", "judge_score"), "STRING")
    log = Log("log", lambda _: '"judged"."log"', "", Columns("typed", types), lambda _: [], embedded=False)
    ask = Ask(scale=Scale(), seed=42, by=("model",), where="judge_score >= 2", excluded_ids=[("x1", None)])
    sql = candidates_sql(base(log, ask), "t_g0, t_status, t_level, t_problem", 15)
    return sqlglot.parse_one(compiled(sql, dialect), read=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_text_is_the_known_one(dialect: str) -> None:
    known = (KNOWN / f"{dialect}.sql").read_text(encoding="utf-8")
    assert sqlglot.parse_one(known, read=dialect) == question(dialect)


class ThereAndBack(Backend):
    """A backend that gets every question in an engine's own words."""

    def __init__(self, path: Path, dialect: str):
        super().__init__(path)
        self.dialect = dialect

    def sql(self, text: str, dialect: str) -> Any:
        there = compiled(text, self.dialect)
        return super().sql(sqlglot.transpile(there, read=self.dialect, write="duckdb")[0], dialect)


@pytest.mark.parametrize("scores", [int, str])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_engines_words_choose_the_same_items(dialect: str, scores: type, tmp_path: Path) -> None:
    rows = [
        row
        | {
            "item_id": f" x{i}" if i % 50 == 0 else row["item_id"],
            "model": None if i % 9 == 0 else row["model"],
            "judge_score": None if i % 31 == 0 else scores(row["judge_score"]) if i % 37 else scores(9),
            "other": 1 + i % 4,
            "bleu": (row["judge_score"] + i % 3) / 7,
        }
        for i, row in enumerate(records(400))
    ]
    path = write_as(tmp_path, ".parquet", rows)
    wanted: dict[str, Any] = {
        "by": ("dimension", "model"), "per_stratum": 4, "mix": True, "where": "judge_score >= 2 OR model = 'm1'",
        "problem_share": 0.5, "judges": ("other",), "metrics": ("bleu",),
    }  # fmt: skip
    local = draw(path, tmp_path / "a.jsonl", seed=9, **wanted)
    backend = ThereAndBack(path, dialect)
    away = sample(open_backend(backend, "judged.log"), Wanted(**wanted), tmp_path / "b.jsonl", scale=Scale(), seed=9)
    assert away.records == local.records
    assert away.report["strata"] == local.report["strata"]
    assert away.report["log"]["fingerprint"] == local.report["log"]["fingerprint"]


if __name__ == "__main__":
    for name in DIALECTS:
        (KNOWN / f"{name}.sql").write_text(question(name).sql(dialect=name, pretty=True) + "\n", encoding="utf-8")
