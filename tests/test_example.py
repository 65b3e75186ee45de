"""sheets/example is what scripts/make_example.py makes today."""

from __future__ import annotations

import json
import runpy
import zipfile
from pathlib import Path

import pytest

from toolkit.jobs.demo import demo

EXAMPLE = Path(__file__).resolve().parent.parent / "sheets" / "example"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example") / "example"
    demo(folder)
    return folder


def parts(path: Path) -> dict[str, bytes]:
    """What is in a workbook; how it is compressed differs between machines."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("folder", ["send", "filled"])
def test_the_workbooks_are_the_same(fresh: Path, folder: str) -> None:
    names = sorted(path.name for path in (fresh / folder).glob("*.xlsx"))
    assert names == sorted(path.name for path in (EXAMPLE / folder).glob("*.xlsx")) == ["A1.xlsx", "A2.xlsx", "A3.xlsx"]
    for name in names:
        assert parts(fresh / folder / name) == parts(EXAMPLE / folder / name), name


def test_the_study_and_its_tables_are_the_same(fresh: Path) -> None:
    for name in ("study.json", "send/message.txt", "report/consensus.csv", "report/golden_set.json"):
        assert (fresh / name).read_bytes() == (EXAMPLE / name).read_bytes(), name


def test_the_recorded_answers_are_the_same() -> None:
    script = runpy.run_path(str(EXAMPLE.parent.parent / "scripts" / "make_example.py"))
    assert script["recorded"](EXAMPLE / "sample.jsonl") == (EXAMPLE / script["RECORDED"]).read_bytes()


def test_the_figures_are_the_same(fresh: Path) -> None:
    ours, kept = (json.loads((folder / "report" / "metrics.json").read_text()) for folder in (fresh, EXAMPLE))
    for metrics in (ours, kept):
        del metrics["version"]
    close(ours, kept)


def close(ours: object, kept: object, place: str = "") -> None:
    """Numbers may differ in the last digits between machines; nothing else may."""
    if isinstance(ours, dict) and isinstance(kept, dict):
        assert ours.keys() == kept.keys(), place
        for key in ours:
            close(ours[key], kept[key], f"{place}/{key}")
    elif isinstance(ours, list) and isinstance(kept, list):
        assert len(ours) == len(kept), place
        for number, (one, two) in enumerate(zip(ours, kept, strict=True)):
            close(one, two, f"{place}[{number}]")
    elif isinstance(ours, float) and isinstance(kept, float):
        assert ours == pytest.approx(kept, abs=1e-9), place
    else:
        assert ours == kept, place


def test_it_shows_what_an_example_should(fresh: Path) -> None:
    metrics = json.loads((fresh / "report" / "metrics.json").read_text())
    assert metrics["n_items"] >= 12 and len(metrics["by_dimension"]) == 3
    assert metrics["mode"] == "three_or_more"
    assert len(metrics["flagged"]) >= 2 and len(metrics["judge_disagreements"]) >= 1
    assert "after_discussion" in metrics["sensitivity"]
    assert (fresh / "report" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
