"""`toolkit sample`: every format alike, weights that add up, nothing silent, nothing overwritten."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from tests.sampling.logs import records, write_as, write_jsonl
from toolkit.cli import main
from toolkit.errors import ToolkitError
from toolkit.jobs.sample import Sampled, Wanted, sample
from toolkit.model import Scale
from toolkit.records import read_records
from toolkit.sampling.files import open_files
from toolkit.sampling.query import hash_of
from toolkit.sampling.warehouse import open_table


def draw(path: Path | list[Path], out: Path, seed: int = 7, **wanted: Any) -> Sampled:
    paths = [str(p) for p in (path if isinstance(path, list) else [path])]
    return sample(open_files(paths), Wanted(**wanted), out, scale=Scale(), seed=seed, force=True)


def ids(done: Sampled) -> list[str]:
    return [record["item_id"] for record in done.records]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "log.jsonl", records())


def test_what_is_chosen_is_the_head_of_the_hash_order(log: Path, tmp_path: Path) -> None:
    done = draw(log, tmp_path / "s.jsonl", per_stratum=5)
    for dimension in ("factual", "consistency"):
        own = [r["item_id"] for r in records() if r["dimension"] == dimension]
        head = sorted(own, key=lambda i: hash_of(7, i, dimension))[:5]
        assert [r["item_id"] for r in done.records if r["dimension"] == dimension] == head


@pytest.mark.parametrize("suffix", [".json", ".csv", ".xlsx", ".sqlite", ".parquet"])
def test_every_format_gives_the_same_sample(suffix: str, log: Path, tmp_path: Path) -> None:
    rows = [row | {"model": None if i % 5 == 0 else row["model"]} for i, row in enumerate(records())]
    wanted: dict[str, Any] = {"by": ("dimension", "model"), "per_stratum": 3, "mix": True, "problem_share": 0.3}
    expected = draw(write_jsonl(log, rows), tmp_path / "a.jsonl", **wanted)
    found = draw(write_as(tmp_path, suffix, rows), tmp_path / "b.jsonl", **wanted)
    assert found.records == expected.records
    assert found.report["strata"] == expected.report["strata"]
    assert found.report["log"]["fingerprint"] == expected.report["log"]["fingerprint"]


def test_a_duckdb_file_needs_no_extra(log: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE judged AS FROM read_json('{log}')")
    table = open_table(f"duckdb://{path}", "judged")
    found = sample(table, Wanted(), tmp_path / "d.jsonl", scale=Scale(), seed=7)
    assert found.records == draw(log, tmp_path / "s.jsonl").records


def test_make_sheets_reads_the_sample(log: Path, tmp_path: Path) -> None:
    done = draw(log, tmp_path / "s.jsonl", by=("dimension", "model"), per_stratum=4)
    read = read_records(tmp_path / "s.jsonl", scale=Scale())
    assert [r.item.item_id for r in read.records] == ids(done)
    assert all(r.item.stratum and r.item.weight and r.item.inclusion_probability for r in read.records)
    assert done.warnings == ()


@pytest.mark.parametrize(
    "wanted",
    [
        {"per_stratum": 7},
        {"total": 30},
        {"total": 31, "allocation": "neyman", "by": ("model", "dimension")},
        {"total": 40, "allocation": "equal", "mix": True},
        {"per_stratum": 10, "problem_share": 0.5, "problems": ("model = 'm1'",), "mix": True, "by": ("dimension",)},
        {"total": 25, "by": ("judge_score",)},
    ],
)
def test_weights_of_a_cell_add_up_to_its_size_in_the_log(wanted: dict[str, Any], log: Path, tmp_path: Path) -> None:
    done = draw(log, tmp_path / "s.jsonl", **wanted)
    sums: Counter[str] = Counter()
    for record in done.records:
        assert record["weight"] * record["inclusion_probability"] == pytest.approx(1)
        sums[record["stratum"]] += record["weight"]
    covered = sum(row["log"] - row["without_chance"] for row in done.report["strata"])
    assert sum(sums.values()) == pytest.approx(covered)
    assert all(value == pytest.approx(round(value)) for value in sums.values())
    if "total" in wanted:
        assert len(done.records) == wanted["total"]


def test_a_mix_over_scores_and_a_share_of_problem_cases(tmp_path: Path) -> None:
    rows = [r | {"judge_score": 5 if i % 21 else 1 + i // 42 % 4} for i, r in enumerate(records(400))]
    rows = [r | {"judge_confidence": 0.2 if i % 9 == 3 else 0.9} for i, r in enumerate(rows)]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    done = draw(log, tmp_path / "s.jsonl", per_stratum=10, mix=True)
    for row in done.report["strata"]:
        assert max(row["levels_chosen"].values()) <= 4
        assert row["levels_log"]["5"] >= 0.9 * row["log"]
    shared = draw(log, tmp_path / "s.jsonl", per_stratum=10, problem_share=0.3)
    assert [row["problems_chosen"] for row in shared.report["strata"]] == [3, 3]
    unsure = [r for r in shared.records if "problem=yes" in r["stratum"]]
    assert "low confidence" in shared.report["problem_conditions"]
    assert len(unsure) == 6


def test_each_kind_of_problem_case(tmp_path: Path) -> None:
    rows = [r | {"response": "word " * 10, "judge_confidence": 0.9, "judge_scores": [3, 3]} for r in records(60)]
    rows[0]["judge_score"] = None
    rows[1]["judge_confidence"] = 0.1
    rows[2]["judge_scores"] = [2, 5]
    rows[3]["response"] = "word " * 4000
    rows[4]["bleu"] = 0.1
    for row in rows:
        row["judgements"] = [{"judge": "a", "score": 3}, {"judge": "b", "score": 4}]
    rows[5]["judgements"] = [{"judge": "a", "score": 5}, {"judge": "b", "score": 1}]
    for suffix in (".jsonl", ".parquet"):
        log = write_as(tmp_path, suffix, rows)
        done = draw(
            log, tmp_path / "s.jsonl", by=(), per_stratum=6, problem_share=1.0, problems=("CAST(bleu AS DOUBLE) < 0.2",)
        )
        assert sorted(ids(done)) == ["x0", "x1", "x2", "x3", "x4", "x5"]


def test_a_share_that_the_log_cannot_give_is_said(tmp_path: Path, log: Path) -> None:
    done = draw(log, tmp_path / "s.jsonl", per_stratum=10, problem_share=0.5, problems=("item_id = 'x0'",))
    assert len(done.records) == 20
    assert any("1 problem cases instead of 5" in warning for warning in done.warnings)


def test_shortfalls_are_said_and_never_filled(tmp_path: Path) -> None:
    rows = [*records(100, ("factual",)), *(r | {"item_id": f"r{i}"} for i, r in enumerate(records(3, ("robustness",))))]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    done = draw(log, tmp_path / "s.jsonl", per_stratum=10)
    assert Counter(r["dimension"] for r in done.records) == {"factual": 10, "robustness": 3}
    assert "stratum dimension=robustness: 3 of the 10 wanted (the log has 3)" in done.warnings
    rare = draw(log, tmp_path / "s.jsonl", total=10)
    assert Counter(r["dimension"] for r in rare.records) == {"factual": 8, "robustness": 2}


def test_strata_without_a_chance_are_said(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", records(90, tuple("abcdefgh")))
    done = draw(log, tmp_path / "s.jsonl", total=4)
    assert any("had no chance of being chosen" in warning for warning in done.warnings)
    assert sum(row["without_chance"] for row in done.report["strata"]) > 0


def test_a_table_of_targets(tmp_path: Path, log: Path) -> None:
    table = tmp_path / "targets.csv"
    table.write_text("dimension,model,n\nfactual,m0,4\nconsistency,m1,2\nfactual,gone,1\n")
    done = draw(log, tmp_path / "s.jsonl", by=("dimension", "model"), targets=table)
    assert Counter((r["dimension"], r["model"]) for r in done.records) == {
        ("factual", "m0"): 4,
        ("consistency", "m1"): 2,
    }
    assert any("no stratum factual / gone" in warning for warning in done.warnings)
    for n, why in (("many", "no whole number"), ("100001", "more than a sample holds"), ("9" * 5000, "more than")):
        table.write_text(f"dimension,model,n\nfactual,m0,{n}\n")
        with pytest.raises(ToolkitError, match=why):
            draw(log, tmp_path / "s.jsonl", by=("dimension", "model"), targets=table)


def test_exclusions_by_id_dimension_and_prompt(tmp_path: Path, log: Path) -> None:
    rows = records()
    used = tmp_path / "few_shot.csv"
    used.write_text(f"item_id,dimension,prompt\nx1,,\nx2,factual,\nx3,factual,\n,,{rows[9]['prompt']}\n")
    done = draw(log, tmp_path / "s.jsonl", per_stratum=60, exclude=(used,))
    # x3 is of another dimension than the one excluded
    assert {f"x{i}" for i in range(120)} - set(ids(done)) == {"x1", "x2", "x9"}
    assert done.report["rows"]["excluded"] == 3
    assert sum(r["weight"] for r in done.records) == pytest.approx(117)


def test_near_duplicate_prompts_are_taken_once(tmp_path: Path) -> None:
    text = "what should a tenant in Lisbon do when the landlord keeps the deposit after the end of the contract"
    rows = [r | {"prompt": f"{text}, case {i}"} if i % 2 else r for i, r in enumerate(records(200, ("factual",)))]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    plain = draw(log, tmp_path / "s.jsonl", per_stratum=20)
    once = draw(log, tmp_path / "s.jsonl", per_stratum=20, similarity=0.7)
    assert sum(text in r["prompt"] for r in plain.records) > 5
    assert sum(text in r["prompt"] for r in once.records) == 1
    assert len(once.records) == 20
    assert any("near-duplicates" in warning for warning in once.warnings)
    few_shot = write_jsonl(tmp_path / "used.jsonl", [{"prompt": text + ", case 1000"}])
    none = draw(log, tmp_path / "s.jsonl", per_stratum=20, similarity=0.7, exclude=(few_shot,))
    assert not any(text in r["prompt"] for r in none.records)


def test_an_identifier_that_is_not_one(tmp_path: Path) -> None:
    rows = [r | {"item_id": f"x{i // 3}"} for i, r in enumerate(records(60, ("factual",)))]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    with pytest.raises(ToolkitError, match=r"is there 3 times .*--id item_id,model"):
        draw(log, tmp_path / "s.jsonl")
    done = draw(log, tmp_path / "s.jsonl", id_from=("item_id", "model"))
    assert all("/m" in item for item in ids(done))
    copies = write_jsonl(tmp_path / "twice.jsonl", [r for r in records(30) for _ in range(2)])
    once = draw(copies, tmp_path / "s.jsonl")
    assert len(set(ids(once))) == len(ids(once))
    assert any("in the log more than once" in warning for warning in once.warnings)


def test_names_of_the_logs_own(tmp_path: Path) -> None:
    rows = [{"id": i, "question": f"q {i}", "answer": "a", "score": "4,0", "lang": "pt"} for i in range(30)]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    done = draw(
        log,
        tmp_path / "s.jsonl",
        by=("lang",),
        dimension="factual",
        rename={"prompt": "question", "response": "answer"},
        per_stratum=3,
    )
    assert {"item_id", "dimension", "prompt", "response", "judge_score", "lang"} < set(done.records[0])
    assert done.records[0]["judge_score"] == 4
    assert "id" not in done.records[0]
    assert done.records[0]["item_id"].isdecimal()


def test_a_column_that_appears_late_is_found(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"item_id": f"x{i}", "dimension": "d"} for i in range(6000)]
    log = write_jsonl(
        tmp_path / "log.jsonl", [*rows, *({**r, "item_id": "y" + r["item_id"], "late": "yes"} for r in rows[:50])]
    )
    done = draw(log, tmp_path / "s.jsonl", by=("late",), per_stratum=2)
    assert {row["stratum"]: row["log"] for row in done.report["strata"]} == {"late=yes": 50, "late=(missing)": 6000}
    with pytest.raises(ToolkitError, match="no column 'lat'"):
        draw(log, tmp_path / "s.jsonl", by=("lat",))


def test_nothing_is_overwritten(tmp_path: Path, log: Path) -> None:
    out = tmp_path / "s.jsonl"
    arguments = ["sample", str(log), "--seed", "1", "-o", str(out)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    before = out.read_bytes()
    again = CliRunner().invoke(main, [*arguments[:-3], "2", "-o", str(out)])
    assert again.exit_code == 1
    assert "not overwritten" in again.output
    assert out.read_bytes() == before
    assert CliRunner().invoke(main, [*arguments, "--force"]).exit_code == 0


def test_the_command(tmp_path: Path, log: Path) -> None:
    out = tmp_path / "s.jsonl"
    run = CliRunner().invoke(
        main, ["sample", str(log), "--by", "dimension,model", "--seed", "3", "--json", "-o", str(out)]
    )
    assert run.exit_code == 0
    report = json.loads(run.stdout)
    assert report["chosen"] == 60
    beside = json.loads((tmp_path / "s_report.json").read_text())
    assert beside["strata"] == report["strata"]
    only = write_jsonl(tmp_path / "one.jsonl", records(1))
    alone = CliRunner().invoke(main, ["sample", str(only), "--seed", "3", "-o", str(tmp_path / "one_s.jsonl")])
    assert "1 row read, 1 to choose from" in alone.output and "1 record, seed 3" in alone.output
    for wrong in (
        ["sample"],
        ["sample", str(log), "--connect", "duckdb://x"],
        ["sample", str(log), "--per-stratum", "2", "-n", "3"],
        ["sample", str(log), "--per-stratum", "99999999999"],
        ["sample", str(log), "-n", "100001"],
        ["sample", str(log), "--dimension", " "],
        ["sample", str(log), "--map", "response=a", "--map", "response=b"],
    ):
        assert CliRunner().invoke(main, wrong).exit_code == 2
    for bad in (["--where", "nonsense ("], ["--scale", "A,B"], ["--by", "dimension,nope"], ["-o", "x.csv"]):
        failed = CliRunner().invoke(main, ["sample", str(log), "-o", str(tmp_path / "new.jsonl"), *bad])
        assert failed.exit_code == 1, bad
        assert "unforeseen" not in failed.output
    missing = CliRunner().invoke(main, ["sample", str(tmp_path / "nothing*.jsonl")])
    assert "there is no such file" in missing.output


def test_folders_and_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    (folder / "may").mkdir(parents=True)
    rows = records(60)
    write_jsonl(folder / "a[1].jsonl", rows[:30])
    write_jsonl(folder / "may" / "b.jsonl", rows[30:])
    whole = draw(write_jsonl(tmp_path / "all.jsonl", rows), tmp_path / "s.jsonl")
    assert draw(folder, tmp_path / "s.jsonl").records == whole.records
    assert draw(folder / "**" / "*.jsonl", tmp_path / "s.jsonl").records == whole.records
    write_as(folder, ".csv", rows)
    with pytest.raises(ToolkitError, match="different formats"):
        draw(folder, tmp_path / "s.jsonl")


def test_sr_05_two_processes_agree_byte_for_byte(tmp_path: Path) -> None:
    """sr-05: neither hash randomisation, nor the order of files or lines, nor a run of its own changes anything."""
    rows = [{"item_id": f"id-{i}", "prompt": f"p{i}", "response": "r", "dimension": "factual"} for i in range(50)]
    write_jsonl(tmp_path / "x.jsonl", rows[:25])
    write_jsonl(tmp_path / "y.jsonl", rows[25:])
    write_jsonl(tmp_path / "shuffled.jsonl", sorted(rows, key=lambda r: hash_of(1, r["item_id"], None)))
    outputs = []
    for seed, files in (("0", ["x", "y"]), ("1", ["x", "y"]), ("1", ["y", "x"]), ("2", ["shuffled"])):
        out = tmp_path / f"out{len(outputs)}" / "s.jsonl"
        arguments = [f"{name}.jsonl" for name in files] + ["--seed", "7", "-n", "10", "-o", str(out)]
        subprocess.run(
            [sys.executable, "-c", "from toolkit.cli import main; main()", "sample", *arguments],
            check=True,
            cwd=tmp_path,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
            capture_output=True,
        )
        outputs.append((out.read_bytes(), out.with_name("s_report.json").read_bytes()))
    assert len({content for content, _ in outputs}) == 1
    assert outputs[0] == outputs[1] == outputs[2]
    report = json.loads(outputs[0][1])
    assert report["seed"] == 7
    assert report["log"]["fingerprint"] == json.loads(outputs[3][1])["log"]["fingerprint"]
