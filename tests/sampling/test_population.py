"""`toolkit population`: from a sampled, scored study back to its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.sampling.logs import write_as, write_jsonl
from tests.sampling.test_sample import draw
from toolkit.cli import main
from toolkit.errors import ToolkitError
from toolkit.jobs.population import population
from toolkit.model import Scale
from toolkit.records import read_records
from toolkit.rubrics import default_rubric
from toolkit.sampling.files import open_files
from toolkit.study import create_study

N = 900


def judged_log(seed: int = 0) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """A log of two models with a generous judge, and what people would score."""
    rng = np.random.default_rng(seed)
    rows, truth = [], {}
    for i in range(N):
        model = f"m{i % 2}"
        human = int(rng.choice(5, p=(0.1, 0.15, 0.2, 0.25, 0.3) if i % 2 else (0.25, 0.25, 0.2, 0.2, 0.1))) + 1
        judge = min(5, human + int(rng.choice(3, p=(0.5, 0.4, 0.1))))
        truth[f"x{i}"] = human
        row = {"item_id": f"x{i}", "dimension": "factual", "model": model, "prompt": f"question {i}"}
        rows.append(row | {"response": "an answer", "ground_truth": "g", "judge_score": judge})
    return rows, truth


def study_of(folder: Path, sample: Path, truth: dict[str, int], *, blank: int = 0) -> Path:
    read = read_records(sample, scale=Scale())
    study = create_study(read.records, default_rubric("en"), ["A1", "A2", "A3"], language="en", seed=1,
                         headline_judge=read.headline_judge)  # fmt: skip
    (folder / "report").mkdir(parents=True)
    (folder / "study.json").write_bytes(study.to_json())
    lines = ["item_id,item_code,dimension,human_consensus_score,judge_score"]
    for place, record in enumerate(read.records):
        human = "" if place < blank else truth[record.item.item_id]
        lines.append(f"{record.item.item_id},c{place},factual,{human},{record.judgements[0].score}")
    (folder / "report" / "consensus.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    return folder


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    return judged_log()[0]


@pytest.fixture
def truth() -> dict[str, int]:
    return judged_log()[1]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_the_whole_log_from_two_hundred_records(
    suffix: str, rows: list[dict[str, Any]], truth: dict[str, int], tmp_path: Path
) -> None:
    log = write_as(tmp_path, suffix, rows)
    draw(log, tmp_path / "s.jsonl", by=("dimension", "model"), per_stratum=100)
    study = study_of(tmp_path / "study", tmp_path / "s.jsonl", truth, blank=3)
    done = population(study, open_files([str(log)]), out=tmp_path / "p.json")
    one = done.estimates["factual"]
    assert one is not None
    assert one.n == 197
    values = np.array(list(truth.values()))
    for level, found in one.shares.items():
        true = float((values >= level).mean())
        # one draw: a 95% interval may miss (how often, tests/stats/test_correction.py counts); three errors hardly ever
        assert abs(found.value - true) < 3 * found.error
        assert abs(found.value - true) < abs(found.judge - true)
    assert abs(one.mean.value - values.mean()) < 3 * one.mean.error
    assert one.mean.ci95[1] < one.mean.judge
    difference = one.differences["m0", "m1"]
    assert abs(difference.value - (values[::2].mean() - values[1::2].mean())) < 3 * difference.error
    assert difference.ci95[1] < 0
    assert one.passes is not None
    width = one.passes[1][1] - one.passes[1][0]
    assert abs(one.passes[0] - (values >= 4).mean()) < 0.75 * width
    assert done.content.log.scored == N
    assert done.content.estimand.endswith(
        "annotators such as those of this study would give to each record of " + log.name
    )
    assert any("3 of 200 items have no consensus" in warning for warning in done.warnings)
    written = json.loads((tmp_path / "p.json").read_text())
    assert list(written["dimensions"]["factual"]["share_at_or_above"]) == ["2", "3", "4", "5"]


def test_a_model_without_a_chance_is_left_out_and_named(
    rows: list[dict[str, Any]], truth: dict[str, int], tmp_path: Path
) -> None:
    more = [r | {"item_id": f"n{r['item_id']}", "model": "new", "judge_score": 1} for r in rows[:50]]
    log = write_jsonl(tmp_path / "log.jsonl", rows + more)
    targets = tmp_path / "targets.csv"
    targets.write_text("model,n\nm0,40\nm1,40\n")
    draw(log, tmp_path / "s.jsonl", by=("model",), targets=targets)
    study = study_of(tmp_path / "study", tmp_path / "s.jsonl", truth)
    done = population(study, open_files([str(log)]))
    one = done.estimates["factual"]
    assert one is not None
    assert one.frame.records == N
    assert any("not estimable and left out: new (50)" in warning for warning in done.warnings)
    partly = write_jsonl(tmp_path / "partly.jsonl", rows[:700])
    half = population(study, open_files([str(partly)]))
    assert half.estimates["factual"] is not None
    assert half.estimates["factual"].mean.power == 0
    assert any("from people's scores alone" in warning for warning in half.warnings)


def test_a_sample_without_weights_is_taken_as_random(
    rows: list[dict[str, Any]], truth: dict[str, int], tmp_path: Path
) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    sample = write_jsonl(tmp_path / "s.jsonl", rows[:60])
    done = population(study_of(tmp_path / "study", sample, truth), open_files([str(log)]))
    assert any("no weights" in warning for warning in done.warnings)
    assert any("below 100" in warning for warning in done.warnings)


def test_another_log_or_another_judge_is_refused(
    rows: list[dict[str, Any]], truth: dict[str, int], tmp_path: Path
) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    draw(log, tmp_path / "s.jsonl", per_stratum=30)
    study = study_of(tmp_path / "study", tmp_path / "s.jsonl", truth)
    again = write_jsonl(tmp_path / "again.jsonl", [r | {"judge_score": 6 - r["judge_score"]} for r in rows])
    with pytest.raises(ToolkitError, match="another judge"):
        population(study, open_files([str(again)]))
    other = write_jsonl(tmp_path / "other.jsonl", [r | {"item_id": "o" + r["item_id"]} for r in rows])
    with pytest.raises(ToolkitError, match="not in this log"):
        population(study, open_files([str(other)]))
    with pytest.raises(ToolkitError, match=r"no consensus\.csv"):
        population(study, open_files([str(log)]), report=tmp_path / "nowhere")


def test_the_command(rows: list[dict[str, Any]], truth: dict[str, int], tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    draw(log, tmp_path / "s.jsonl", per_stratum=30)
    study = study_of(tmp_path / "study", tmp_path / "s.jsonl", truth)
    run = CliRunner().invoke(main, ["population", str(study), "--log", str(log)])
    assert run.exit_code == 0, run.output
    assert "share at or above 5" in run.output
    assert "Rogan-Gladen" in run.output
    assert "judge alone" in run.output
    printed = json.loads(CliRunner().invoke(main, ["population", str(study), "--log", str(log), "--json"]).stdout)
    assert printed["dimensions"]["factual"]["n"] == 30
    assert CliRunner().invoke(main, ["population", str(study)]).exit_code == 2
    command = ["population", str(study), "--log", str(log), "--by", "nosuch", "--threshold", "9"]
    wrong = CliRunner().invoke(main, command)
    assert wrong.exit_code == 1
    assert "there is no column 'nosuch'" in wrong.output and "--threshold 9: everything passes" in wrong.output
