"""Properties of the selection: stable, blind to order, the same on every engine, and its arithmetic exact."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sampling.logs import records, write_as, write_jsonl
from tests.sampling.test_sample import draw, ids
from toolkit.jobs.sample import Wanted, sample
from toolkit.model import Scale
from toolkit.sampling.columns import Columns
from toolkit.sampling.files import open_files
from toolkit.sampling.logs import Log
from toolkit.sampling.problems import built_in
from toolkit.sampling.query import Ask, base, candidates_sql, hash_of
from toolkit.sampling.strata import apportion
from toolkit.sampling.warehouse import compiled, open_backend

FEW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LOGS = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(["a", "b", None]), st.sampled_from([None, 1, 2, 4.5, 5, 9])),
    min_size=3,
    max_size=60,
    unique_by=lambda row: row[0],
)


def _rows(drawn: list[tuple[int, str | None, float | None]]) -> list[dict[str, Any]]:
    return [{"item_id": f"i{i}", "dimension": "d", "model": m, "judge_score": s} for i, m, s in drawn]


@FEW
@given(drawn=LOGS, seed=st.integers(0, 5), data=st.data())
def test_the_order_of_rows_plays_no_part(tmp_path: Path, drawn: Any, seed: int, data: st.DataObject) -> None:
    rows = [{"item_id": "sure", "dimension": "d", "model": "a"}, *_rows(drawn)]
    shuffled = data.draw(st.permutations(rows))
    wanted: dict[str, Any] = {"by": ("model",), "total": 9, "mix": True, "seed": seed}
    one = draw(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / "s.jsonl", **wanted)
    other = draw(write_jsonl(tmp_path / "b.jsonl", shuffled), tmp_path / "s.jsonl", **wanted)
    assert one.records == other.records
    sums: dict[str, float] = {}
    for record in one.records:
        sums[record["stratum"]] = sums.get(record["stratum"], 0) + record["weight"]
    covered = sum(row["log"] - row["without_chance"] for row in one.report["strata"])
    assert sum(sums.values()) == pytest.approx(covered)


@FEW
@given(drawn=LOGS, more=LOGS, k=st.integers(1, 6))
def test_a_record_that_joins_pushes_out_one_at_most(tmp_path: Path, drawn: Any, more: Any, k: int) -> None:
    rows = [{"item_id": "sure", "dimension": "d", "model": "a"}, *_rows(drawn)]
    joined = [r | {"item_id": f"new-{r['item_id']}"} for r in _rows(more)]
    before = draw(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / "s.jsonl", by=("model",), per_stratum=k)
    after = draw(write_jsonl(tmp_path / "b.jsonl", rows + joined), tmp_path / "s.jsonl", by=("model",), per_stratum=k)
    old, new = set(ids(before)), set(ids(after))
    assert new - old <= {r["item_id"] for r in joined}
    assert len(old - new) <= len(new - old)


@given(
    shares=st.lists(st.floats(0, 100), min_size=1, max_size=12),
    total=st.integers(0, 80),
    data=st.data(),
)
def test_apportioning_is_exact(shares: list[float], total: int, data: st.DataObject) -> None:
    limits = data.draw(st.lists(st.integers(1, 30), min_size=len(shares), max_size=len(shares)))
    found = apportion(total, shares, limits)
    assert sum(found) == min(total, sum(limits))
    assert all(0 <= n <= limit for n, limit in zip(found, limits, strict=True))
    if total >= len(shares):
        assert min(found) >= 1


def test_neyman_follows_size_times_spread() -> None:
    # 1000 x 1.0 and 1000 x 0.25: four to one
    assert apportion(50, [1000.0, 250.0], [1000, 1000]) == [40, 10]
    assert apportion(50, [0.0, 0.0], [1000, 1000]) == [25, 25]


def test_the_hash_is_md5_of_seed_id_and_dimension(tmp_path: Path) -> None:
    import hashlib

    assert hash_of(42, "ação", "factual") == hashlib.md5("42|ação|factual".encode()).hexdigest()
    rows = [{"item_id": f"ação-{i}", "dimension": "factual"} for i in range(40)]
    done = draw(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / "s.jsonl", seed=42, per_stratum=4)
    assert ids(done) == sorted((r["item_id"] for r in rows), key=lambda i: hash_of(42, i, "factual"))[:4]


class Backend:
    """An Ibis backend as far as the toolkit uses one, over DuckDB: for the path a warehouse takes, without Ibis."""

    name = "fake"

    def __init__(self, path: Path):
        self.inner = open_files([str(path)])
        self.asked: list[str] = []

    def table(self, name: str, database: object) -> Any:
        assert (name, database) == ("log", "judged")
        types = self.inner.columns.types
        return type("Table", (), {"schema": lambda _: type("Schema", (), {"items": lambda _: types.items()})()})()

    def sql(self, text: str, dialect: str) -> Any:
        assert dialect == "duckdb"
        self.asked.append(text)
        rows = self.inner.run(text.replace('"judged"."log"', self.inner.relation([])))
        columns = [type("Column", (), {"to_pylist": lambda c: c.values}) for _ in rows[:1] for _ in rows[0]]
        for place, column in enumerate(columns):
            column.values = [row[place] for row in rows]
        made = [c() for c in columns]
        table = type("Arrow", (), {"columns": made, "num_rows": len(rows)})()
        return type("Expression", (), {"to_pyarrow": lambda _: table})()


def test_a_warehouse_gives_the_same_sample_and_only_chosen_records_travel(tmp_path: Path) -> None:
    path = write_as(tmp_path, ".parquet", records(300))
    wanted = Wanted(by=("dimension", "model"), per_stratum=4, mix=True, problem_share=0.3, where="judge_score >= 2")
    local = sample(open_files([str(path)]), wanted, tmp_path / "a.jsonl", scale=Scale(), seed=9)
    backend = Backend(path)
    away = sample(open_backend(backend, "judged.log"), wanted, tmp_path / "b.jsonl", scale=Scale(), seed=9)
    assert away.records == local.records
    assert away.report["strata"] == local.report["strata"]
    assert [text for text in backend.asked if text.startswith("SELECT *") and "WHERE" not in text] == []


DIALECTS = {
    "bigquery": ("TO_HEX(MD5(", "SAFE_CAST", "REGEXP_CONTAINS", "QUALIFY"),
    "snowflake": ("MD5(", "TRY_CAST", "REGEXP_LIKE", "QUALIFY"),
    "spark": ("MD5(", "TRY_CAST", "RLIKE", "ROW_NUMBER()"),
    "postgres": ("MD5(", "~ '^", "ROW_NUMBER()"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_question_in_other_engines_words(dialect: str) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    names = ("item_id", "dimension", "model", "score", "lang", "judge_confidence", "other", "bleu", "response")
    asked: list[str] = []

    def run(sql: str) -> list[tuple[float, ...]]:
        asked.append(sql)
        return [(3.0, 1.0, 0.5, 0.1, 0.4)] if "CORR" in sql else [(4.0, 1.0)]

    log = Log(
        "w", lambda _: '"judged"."log"', "", Columns("typed", dict.fromkeys(names, "STRING")), run, embedded=False
    )
    flags = built_in(log, Scale(), judges=("other",), metrics=("bleu",))
    assert [flag.name for flag in flags][1:] == [
        "low confidence", "judges apart (columns)", "bleu disagrees", "unusual length",
    ]  # fmt: skip
    ask = Ask(scale=Scale(), seed=3, by=("model",), where="lang = 'pt'", flags=flags, excluded_ids=[("x", None)])
    table = base(log, ask)
    text = compiled(candidates_sql(table, "t_g0, t_status, t_level, t_problem", 12), dialect)
    assert all(word in text for word in DIALECTS[dialect])
    for sql in (text, *(compiled(one, dialect) for one in asked)):
        assert "MIN_BY" not in sql and "STRUCT" not in sql and "LIST_" not in sql
        sqlglot.parse_one(sql, read=dialect)


@pytest.mark.filterwarnings("ignore")  # Ibis and PySpark use what pandas deprecates
@pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java 17")
def test_pyspark_gives_the_same_sample(tmp_path: Path) -> None:
    pyspark = pytest.importorskip("pyspark", reason="PySpark is no part of the dev extra; scripts/test installs it")
    ibis = pytest.importorskip("ibis")
    rows = [row | {"other": 1 + i % 4, "bleu": (row["judge_score"] + i % 3) / 7} for i, row in enumerate(records(300))]
    path = write_as(tmp_path, ".parquet", rows)
    problems: dict[str, Any] = {"problem_share": 0.5, "judges": ("other",), "metrics": ("bleu",)}
    wanted = Wanted(by=("dimension", "model"), per_stratum=4, mix=True, **problems)
    local = sample(open_files([str(path)]), wanted, tmp_path / "a.jsonl", scale=Scale(), seed=9)
    builder = pyspark.sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    here = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": 2,
    }
    session = builder.config(map={**here, "spark.sql.warehouse.dir": str(tmp_path / "spark")}).getOrCreate()
    try:
        session.read.parquet(str(path)).createOrReplaceTempView("log")
        away = sample(
            open_backend(ibis.pyspark.connect(session), "log"), wanted, tmp_path / "b.jsonl", scale=Scale(), seed=9
        )
    finally:
        session.stop()
    assert away.records == local.records
