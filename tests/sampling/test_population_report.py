"""From a log to a study, back to the whole log, and into the report that people read."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from tests.report import stories
from tests.report.page import Page, table
from tests.sampling.logs import records, write_as, write_jsonl
from tests.sampling.test_sample import draw
from tests.sampling.test_selection import Backend
from tests.studies import fill, metrics, ok, refused
from toolkit.i18n import language
from toolkit.jobs.population import population
from toolkit.report.coverage import of_populations
from toolkit.report.latex import render_latex
from toolkit.report.population import covered, remark_text
from toolkit.sampling.population_file import Remark, RemarkKind, scores_digest
from toolkit.sampling.warehouse import open_backend
from toolkit.study import read_study

N = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A study of 40 records of a log of 120, reported, and its estimates."""
    folder = tmp_path_factory.mktemp("population")
    log = write_jsonl(folder / "log.jsonl", records(dimensions=("factual",)))
    draw(log, folder / "s.jsonl", by=("dimension",), total=N)
    ok("make-sheets", folder / "s.jsonl", "--annotators", "Ana,Rui,Eva", "--seed", 1, "-o", folder / "s", "-q")
    study = read_study(folder / "s")
    judged = {row.item_id: row.score for row in study.judgements}
    for place, name in enumerate(study.names):
        # people are a point more severe than the judge; the last one, on every other item
        fill(
            study,
            folder / "s",
            name,
            lambda i, place=place: max(1, int(judged[i] or 0) - (place < 2 or int(i[1:]) % 2)),
        )
    ok("consolidate", folder / "s", "-q")
    ok("population", folder / "s", "--log", log, "-o", folder / "p.json", "-q")
    return folder, folder / "p.json"


def test_the_report_has_the_estimates_where_they_can_be_seen(made: tuple[Path, Path]) -> None:
    folder, file = made
    ok("consolidate", folder / "s", "--population", file, "-o", folder / "r", "-q")
    found, written = metrics(folder / "r")["population"], json.loads(file.read_text())
    assert found == {key: value for key, value in written.items() if key not in ("schema", "study_id")}
    one = found["dimensions"]["factual"]
    shown = table(Page((folder / "r" / "report.html").read_bytes()), "the whole log, from 40 records")
    mean = next(row for row in shown if row[0].startswith("Mean score"))
    assert mean[1].startswith(f"{one['mean']['value']:.2f}") and mean[2] == f"{one['mean']['judge_alone']:.2f}"
    assert float(mean[3]) < float(mean[2])
    page = Page((folder / "r" / "report.html").read_bytes()).root.one("section", id="population").text
    assert "annotators such as those of this study" in page and "120 records" in page
    assert "40 records: below 100, intervals are rough" in page
    assert f"100 scored records: {min(of_populations()[100].values()):.0%};" in page
    cells = {str(c.value) for row in openpyxl.load_workbook(folder / "r" / "report.xlsx")["Judge"] for c in row}
    assert any("the whole log, from 40 records" in cell for cell in cells)


def test_nobody_is_named_in_a_report_to_share(made: tuple[Path, Path]) -> None:
    folder, file = made
    ok("consolidate", folder / "s", "--population", file, "--anonymous", "-o", folder / "shared", "-q")
    assert metrics(folder / "shared")["population"] is not None
    for path in (folder / "shared").glob("*.[jh]*"):
        assert not re.search(r"\b(Ana|Rui|Eva)\b", path.read_text()), path


def test_estimates_of_other_scores_or_of_another_study_are_refused(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, file = made
    said = refused("consolidate", folder / "s", "--population", file, "--hold-judge", "-o", tmp_path / "r")
    assert "rests on a judge whose figures are held back" in said
    said = refused("consolidate", folder / "s", "--population", file, "--without", "Ana", "-o", tmp_path / "r")
    assert "other human scores" in said
    content: dict[str, Any] = json.loads(file.read_text())
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content | {"study_id": "st-other"}))
    assert "belongs to another study" in refused(
        "consolidate", folder / "s", "--population", other, "-o", tmp_path / "r"
    )
    other.write_text(json.dumps(content | {"scores": "0" * 64}))
    assert "other human scores" in refused("consolidate", folder / "s", "--population", other, "-o", tmp_path / "r")
    for text in ("", "{}", "[1]", '{"schema": 2}', json.dumps(content).replace("0.", "NaN, 0.")):
        other.write_text(text)
        assert "no estimates of toolkit population" in refused(
            "consolidate", folder / "s", "--population", other, "-o", tmp_path / "r"
        )
    assert "No such file" in refused(
        "consolidate", folder / "s", "--population", tmp_path / "nowhere.json", "-o", tmp_path / "r"
    )
    assert not (tmp_path / "r").exists()


def test_the_report_says_that_nobody_estimated(made: tuple[Path, Path]) -> None:
    folder, _ = made
    page = Page((folder / "s" / "report" / "report.html").read_bytes())
    assert "What people would have scored on the whole log" in page.root.one("section", id="absent").text
    assert metrics(folder / "s" / "report")["population"] is None


def test_a_report_that_holds_the_judge_back_is_no_start(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, _ = made
    ok("consolidate", folder / "s", "--hold-judge", "-o", tmp_path / "held", "-q")
    said = refused("population", folder / "s", "--log", folder / "log.jsonl", "--report", tmp_path / "held")
    assert "holds no judge score" in said


def test_a_log_in_a_warehouse_gives_the_same_estimates(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, file = made
    path = write_as(tmp_path, ".parquet", records(dimensions=("factual",)))
    away = population(folder / "s", open_backend(Backend(path), "judged.log"))
    written = json.loads(file.read_text())["dimensions"]
    assert away.content.model_dump(mode="json", by_alias=True)["dimensions"] == written


@pytest.mark.parametrize("kind", RemarkKind.__args__)  # type: ignore[attr-defined]
def test_every_remark_has_words_in_every_language(kind: RemarkKind) -> None:
    remark = Remark(kind=kind, n=3, of=1000, names=("a" * 500, "b\nc"), levels=(4.0, 4.5))
    for code in ("en", "pt-BR", "es"):
        text = remark_text(remark, language(code), "Factual")
        assert text.startswith("Factual: ") and "\n" not in text and len(text) < 400


def test_the_fingerprint_of_scores_is_of_the_scores_alone() -> None:
    assert scores_digest(["a", "b"], [4, math.nan]) == scores_digest(["a", "b"], [4.0, math.nan])
    assert scores_digest(["a", "b"], [4, 3]) != scores_digest(["a", "b"], [3, 4])


def test_the_report_says_which_intervals_are_too_narrow() -> None:
    fine = {"share": 0.95, "mean": 0.93, "difference": 0.94}
    said = covered({30: fine | {"difference": 0.91, "mean": 0.92}, 100: fine}, language("en"))
    assert "30 scored records: 91%; 100 scored records: 93%." in said[0]
    assert said[1] == (
        "That is less than 93%, so take intervals for too narrow: the mean score, differences between models at 30 "
        "scored records."
    )
    assert len(covered({30: fine, 100: fine}, language("en"))) == 1


def test_latex_and_word_have_the_estimates_too(made: tuple[Path, Path]) -> None:
    folder, file = made
    ok("consolidate", folder / "s", "--population", file, "--latex", "--docx", "-o", folder / "paper", "-q")
    one = json.loads(file.read_text())["dimensions"]["factual"]
    latex = {path.name: path.read_text(encoding="utf-8") for path in (folder / "paper" / "latex").glob("*.tex")}
    assert "\\input{population}\n\\input{table-population-0}" in latex["report.tex"]
    assert "\\cite{angelopoulos2023}" in latex["population.tex"] and "120 records" in latex["population.tex"]
    assert "\\item 40 records: below 100, intervals are rough" in latex["population.tex"]
    (row,) = (line for line in latex["table-population-0.tex"].splitlines() if line.startswith("Mean score\\newline"))
    low, high = one["mean"]["ci95"]
    assert f"& {one['mean']['value']:.2f}\\newline{{\\footnotesize {low:.2f}~to~{high:.2f}}} &" in row
    assert "angelopoulos2023" in (folder / "paper" / "references.bib").read_text(encoding="utf-8")
    word = docx.Document(folder / "paper" / "report.docx")
    texts = [paragraph.text for paragraph in word.paragraphs]
    assert "The whole log" in texts and any("(Angelopoulos, Duchi & Zrnic, 2023)" in text for text in texts)
    shown = [[cell.text for cell in row.cells] for row in word.tables[-1].rows]
    mean = next(cells for cells in shown if cells[0].startswith("Mean score"))
    assert mean[1].startswith(f"{one['mean']['value']:.2f}\n{low:.2f}") and "equal" in mean[0]
    # a report without estimates says nothing of them
    assert "population" not in " ".join(render_latex(stories.example()))
