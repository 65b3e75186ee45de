"""Reports for sharing, and everything else that can be asked of a report folder: one study, every file looked at."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from tests.report import stories
from tests.studies import fill, make, metrics, ok
from toolkit.consensus import Decision, Discussed
from toolkit.model import Annotation, Judgement, Response, SourceItem
from toolkit.report.consensus_csv import render_consensus
from toolkit.report.facts import Facts
from toolkit.report.golden import render_golden_set
from toolkit.report.html import render_html
from toolkit.report.metrics import render_metrics
from toolkit.report.sharing import Pseudonyms, without_texts
from toolkit.report.story import Story
from toolkit.report.xlsx import render_xlsx

NAMES = ("Zoraide Quilombo", "Bartolomeu", "Wenceslau")
FIRST = "Zoraide"
TEXT = "SENTINEL-TEXT"
SCORES = {f"i{n:02d}": n % 5 + 1 for n in range(12)}


def inside(data: bytes, name: str = "") -> str:
    """Return everything a file says; what a workbook or document holds, unpacked."""
    if data[:2] != b"PK":
        return data.decode("utf-8", "replace")
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        return "\n".join(parts.read(part).decode("utf-8", "replace") for part in parts.namelist())


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sharing") / "study"
    records = [
        {
            "item_id": item,
            "dimension": "factual",
            "prompt": f"{TEXT} asked {item}",
            "ground_truth": f"{TEXT} true {item}",
            "response": f"{TEXT} *answered* {item}",
            "judge_score": float(score if score != 1 else 4),
            "judge_model": "judge-x",
            "judge_justification": "so",
        }
        for item, score in SCORES.items()
    ]
    made = make(folder, records, ",".join(NAMES), "--time-columns")

    def change(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for place, (item, row) in enumerate(rows.items()):
            sheet.cell(row, keys["notes"]).value = f"{NAMES[1]} and {FIRST} said so of {item}"
            sheet.cell(row, keys["time_start"]).value = "10:00"
            sheet.cell(row, keys["time_end"]).value = f"10:0{place % 4 + 1}"
        guide = next(s for s in sheet.parent.worksheets if any(str(c.value).startswith("closing:") for c in s["A"]))
        for cell in guide["A"]:
            if str(cell.value) == "closing:saw_scores":
                guide.cell(cell.row, 5).value = "yes"
            if str(cell.value) == "closing:comment":
                guide.cell(cell.row, 5).value = f"ask {NAMES[0]}"

    for place, name in enumerate(made.names):
        worse = {item: 5 if item == "i00" and place == 0 else score for item, score in SCORES.items()}
        path = fill(made, folder, name, worse.__getitem__, change)
        path.rename(path.with_name(f"{name}_final.xlsx"))
    return folder


@pytest.fixture(scope="module")
def shared(study: Path) -> Path:
    out = study / "shared"
    ok("consolidate", study, "--anonymous", "--no-texts", "--latex", "--docx", "-o", out, "-q")
    return out


def test_no_name_and_no_text_is_in_any_file(shared: Path) -> None:
    paths = [path for path in shared.rglob("*") if path.is_file()]
    assert {"report.html", "report.xlsx", "metrics.json", "consensus.csv", "golden_set.json", "report.docx"} <= {
        path.name for path in paths
    }
    for path in paths:
        told = inside(path.read_bytes())
        for secret in (*NAMES, FIRST, "Quilombo", "zoraide", TEXT):
            assert secret not in told, (path.name, secret)
    assert "P2 and P1 said so" in inside((shared / "report.html").read_bytes())
    found = metrics(shared)
    assert found["annotators"] == ["P1", "P2", "P3"]
    assert "P1|P2" in found["overall"]["human_human"]["pairs"]
    assert found["closing"]["P1"] == {"saw_scores": "yes", "comment": "ask P1"}
    assert found["files"]["P1"]["name"] == "P1.xlsx"


def test_figures_are_the_same_as_in_the_report_with_everything(study: Path, shared: Path) -> None:
    ok("consolidate", study, "-o", study / "open", "-q")
    whole, part = metrics(study / "open"), metrics(shared)
    assert whole["overall"]["judge_human"]["kappa_quadratic"] == part["overall"]["judge_human"]["kappa_quadratic"]
    assert whole["overall"]["usage"] == part["overall"]["usage"]
    assert whole["annotators"] == list(NAMES)
    # what nobody can work with is not written
    assert {"discussion.xlsx", "triage.xlsx"} <= {path.name for path in (study / "open").iterdir()}
    assert not {"discussion.xlsx", "triage.xlsx"} & {path.name for path in shared.iterdir()}
    assert any("left out" in text for text in json.loads((shared / "golden_set.json").read_bytes())
               ["annotation_protocol"]["limitations"])  # fmt: skip


def test_anonymous_workbooks_for_work_keep_the_texts(study: Path) -> None:
    out = study / "anonymous"
    ok("consolidate", study, "--anonymous", "-o", out, "-q")
    told = inside((out / "discussion.xlsx").read_bytes())
    assert TEXT in told and "P1: 5" in told
    for path in out.iterdir():
        for name in (*NAMES, FIRST):
            assert name not in inside(path.read_bytes()), (path.name, name)


def test_minutes_and_closing_answers_are_told(study: Path) -> None:
    ok("consolidate", study, "-o", study / "told", "-q")
    found = metrics(study / "told")
    profile = found["overall"]["human_human"]["per_annotator"]["Bartolomeu"]
    assert profile["median_minutes"] == 2.5
    # what breaks blindness comes before everything else, since a console shows the first warnings only
    assert ["saw a score" in warning for warning in found["warnings"]] == [True] * 3 + [False] * (
        len(found["warnings"]) - 3
    )
    html = inside((study / "told" / "report.html").read_bytes())
    for words in ("Minutes per item, median", "Somebody saw scores", "ask Zoraide Quilombo", "Did you see any score"):
        assert words in html


def test_what_is_for_papers_is_all_there(shared: Path) -> None:
    names = {str(path.relative_to(shared)) for path in shared.rglob("*") if path.is_file()}
    for wanted in ("CITATION.cff", "references.bib", "latex/report.tex", "latex/methods.tex", "latex/table-judge.tex"):
        assert wanted in names
    for kind in ("svg", "pdf", "png"):
        assert {f"figures/{name}.{kind}" for name in ("people", "judge", "pairs", "confusion", "items")} <= names


# --- names in other spellings ---


def pseudonyms() -> Pseudonyms:
    return Pseudonyms.of(NAMES, {NAMES[0]: ("zq v2.xlsx", "0" * 64)})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ZORAIDE QUILOMBO, bartolomeu.", "P1, P2."),
        ("Zoraide agrees, Quilombo too", "P1 agrees, P1 too"),
        ("a quilombo is a place", "a quilombo is a place"),
        ("Bartolomeuzinho", "Bartolomeuzinho"),
        ("Wenceslau_v2.xlsx > A > H1; zq v2.xlsx > B", "P3_v2.xlsx > A > H1; P1.xlsx > B"),
        ("P1 {0} \\1", "P1 {0} \\1"),
    ],
)
def test_names_in_texts(text: str, wanted: str) -> None:
    assert pseudonyms().text(text) == wanted


def test_a_new_name_that_is_an_old_one_of_somebody_else() -> None:
    found = Pseudonyms.of(("P2", "P1", "X.Y(z)"), {})
    assert found.text("P1, P2 and X.Y(z)") == "P2, P1 and P3"


# --- each renderer by itself ---


def told(**changes: Any) -> Story:
    items = [
        SourceItem(
            item_id=f"i{n}",
            dimension="factual",
            prompt=f"{TEXT}{n}",
            ground_truth=TEXT,
            original_response=TEXT,
            expected_behavior=TEXT,
            responses=(Response(response=f"{TEXT} {n}", prompt=f"{TEXT}?"),),
            cluster=f"{TEXT}{n}",
            extra={"anything": TEXT},
        )
        for n in range(4)
    ]
    return stories.make([[1, 4, 5], [2, 2, 2], [3, 3, 3], [4, 4, 4]], {"J": [1, 2, 3, 1]}, items=items, **changes)


def test_without_texts_nothing_of_an_item_is_left() -> None:
    story = without_texts(told())
    for data in (render_html(story), render_xlsx(story), render_golden_set(story), render_consensus(story)):
        assert TEXT not in inside(data)
    assert "left out of this report on request" in render_html(story).decode()


def test_names_are_replaced_in_what_was_discussed() -> None:
    story = told(
        names=NAMES,
        discussed={0: Discussed(Decision.REVISE, 3, f"{NAMES[1]} read it again")},
        annotations={(0, NAMES[0]): Annotation(annotator=NAMES[0], item_code="", justification=f"as {NAMES[2]}")},
    )
    panel = pseudonyms().panel(story.analysis.panel)
    assert panel.annotators == ("P1", "P2", "P3") and panel.discussed[0].notes == "P2 read it again"
    assert panel.annotations[0, "P1"].justification == "as P3"


def test_a_held_judge_is_in_no_file_for_papers() -> None:
    from toolkit.report import docx, figure_files, latex

    secret = "SENTINEL-9f3a"
    said = {
        (f"i{n:02d}", "factual"): [
            Judgement(item_id=f"i{n:02d}", dimension="factual", judge=secret, score=4.37, justification=secret)
        ]
        for n in range(1, 13)
    }
    story = stories.make(
        [[1, 4], [2, 2], [5, 4]] * 4, {secret: [4.37] * 12}, judgements=said, assigned=True, triage={0: None}
    )
    assert story.analysis.judge_held and Facts(story).triage is None
    files = {**latex.render_latex(story), "d": docx.render_docx(story), "m": render_metrics(story)}
    files["captions"] = " ".join(caption for caption, _draw in figure_files.drawings(story).values()).encode()
    for name, data in files.items():
        for word in (secret, "4.37", "3.37"):
            assert word not in inside(data), (name, word)
    assert set(figure_files.drawings(story)) == {"people", "pairs", "scores"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(figure_files.SETTINGS, "svg.fonttype", "none")
        for caption, draw in figure_files.drawings(story).values():
            assert secret.encode() not in figure_files.saved(draw, caption, ("svg",))["svg"]


def test_workbook_has_no_name_left() -> None:
    story = told(names=NAMES)
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(story)))
    assert any(NAMES[0] in str(cell.value) for cell in book["Consensus"][1])
