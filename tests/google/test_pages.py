"""What is sent to Google: the same workbook as the file, values that no locale changes, nothing that unblinds."""

from __future__ import annotations

import io
import json
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import MAILS, NAMES
from tests.google.test_whole_job import HOSTILE
from tests.studies import record, write_jsonl
from toolkit.errors import ToolkitError
from toolkit.jobs.google_make import Wishes
from toolkit.jobs.google_pull import pull
from toolkit.jobs.make_sheets import prepare, study_layout
from toolkit.model import SheetOptions
from toolkit.rubrics import default_rubric
from toolkit.study import Study
from toolkit.texts import utf16_length
from toolkit.workbook.gsheets import CELL_CHARACTERS, GoogleSheet
from toolkit.workbook.gsheets_look import localised
from toolkit.workbook.gsheets_pages import SPREADSHEET_CELLS, Page, common_pages, page_problems, private_pages
from toolkit.workbook.xlsx import write

OPTIONS = SheetOptions(deadline="Friday", contact="us", practice=True, time_columns=True, require_justification=True)


def study_of(folder: Path, lang: str, options: SheetOptions | None = None, **fields: Any) -> Study:
    path = online.sample(folder, 2, **fields)
    rubric = default_rubric(lang)
    return prepare(path, folder / "s", NAMES, rubric, language_code=lang, seed=1, sheets=options).study


def grid(page: Page) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the cells of a page by row and column, from 1."""
    [rows] = [request["updateCells"]["rows"] for request in page.requests if "updateCells" in request]
    return {(r, c): cell for r, row in enumerate(rows, 1) for c, cell in enumerate(row["values"], 1) if cell}


def asked(page: Page, kind: str) -> list[dict[str, Any]]:
    return [request[kind] for request in page.requests if kind in request]


@pytest.mark.parametrize("lang", ["en", "pt-BR", "es"])
def test_it_is_the_same_workbook_as_the_file(tmp_path: Path, lang: str) -> None:
    study = study_of(tmp_path, lang, OPTIONS, response="# Title\n\n**bold** and `code` 🎉 _it_")
    layout = study_layout(study, "A1", online=True)
    book = openpyxl.load_workbook(io.BytesIO(write(layout)), rich_text=False)
    pages = {page.title: page for page in private_pages(layout, ["c@example.org"])}
    assert set(pages) == set(book.sheetnames)
    for sheet in book.worksheets:
        page, cells = pages[sheet.title], grid(pages[sheet.title])
        texts = {place: cell["userEnteredValue"] for place, cell in cells.items() if "userEnteredValue" in cell}
        file = {
            (cell.row, cell.column): cell.value for row in sheet.iter_rows() for cell in row if cell.value is not None
        }
        assert set(texts) == set(file)
        for place, value in file.items():
            if isinstance(value, str) and value.startswith("="):
                assert texts[place] == {"formulaValue": localised(value, {"en": "en_US"}.get(lang, "pt_BR"))}
            else:
                assert texts[place] == {"stringValue": value}
        assert _merged(page) == {str(area) for area in sheet.merged_cells.ranges}
        assert _open(page) == {
            (cell.row, cell.column) for row in sheet.iter_rows() for cell in row if not cell.protection.locked
        }
        hidden = {d["range"]["startIndex"] for d in asked(page, "updateDimensionProperties")
                  if d["range"]["dimension"] == "ROWS" and d["properties"].get("hiddenByUser")}  # fmt: skip
        assert hidden == {row - 1 for row, look in sheet.row_dimensions.items() if look.hidden}
        assert _choices(cells) == _file_choices(sheet)
        signs = [rule["rule"]["booleanRule"]["condition"]["values"][0]["userEnteredValue"]
                 for rule in asked(page, "addConditionalFormatRule")]  # fmt: skip
        rules = [f"={rule.formula[0]}" for found in sheet.conditional_formatting for rule in found.rules]
        assert sorted(signs) == sorted(localised(rule, {"en": "en_US"}.get(lang, "pt_BR")) for rule in rules)
    runs = [cell["textFormatRuns"] for cell in grid(next(iter(pages.values()))).values() if "textFormatRuns" in cell]
    assert runs and any(run["format"].get("bold") for cell in runs for run in cell)


def _merged(page: Page) -> set[str]:
    from openpyxl.utils import get_column_letter as letter

    found = [merge["range"] for merge in asked(page, "mergeCells")]
    return {
        f"{letter(r['startColumnIndex'] + 1)}{r['startRowIndex'] + 1}:{letter(r['endColumnIndex'])}{r['endRowIndex']}"
        for r in found
    }


def _open(page: Page) -> set[tuple[int, int]]:
    [protected] = asked(page, "addProtectedRange")
    assert protected["protectedRange"]["editors"] == {"users": ["c@example.org"]}
    assert protected["protectedRange"]["range"] == {"sheetId": page.sheet_id}
    return {
        (row + 1, column + 1)
        for area in protected["protectedRange"]["unprotectedRanges"]
        for row, column in product(
            range(area["startRowIndex"], area["endRowIndex"]), range(area["startColumnIndex"], area["endColumnIndex"])
        )
    }


def _choices(cells: dict[tuple[int, int], dict[str, Any]]) -> dict[tuple[int, int], tuple[list[str], bool, str]]:
    rules = {place: cell["dataValidation"] for place, cell in cells.items() if "dataValidation" in cell}
    assert all(rule["showCustomUi"] for rule in rules.values())
    return {
        place: (
            [value["userEnteredValue"] for value in rule["condition"]["values"]],
            rule["strict"],
            rule.get("inputMessage", ""),
        )
        for place, rule in rules.items()
    }


def _file_choices(sheet: Any) -> dict[tuple[int, int], tuple[list[str], bool, str]]:
    return {
        (cell.row, cell.column): (
            rule.formula1.strip('"').split(","),
            rule.errorStyle in (None, "stop"),
            rule.prompt or "",
        )
        for rule in sheet.data_validations.dataValidation
        for area in rule.sqref.ranges
        for row in sheet[area.coord if ":" in area.coord else f"{area.coord}:{area.coord}"]
        for cell in row
    }


def test_gs_01_no_locale_reads_anything_into_a_text(server: FakeServer, tmp_path: Path) -> None:
    """Values that are re-read by the spreadsheet's locale: 0.91 becomes 91 or a time, 1-2 a date, ids lose zeros."""
    sheet = GoogleSheet(1, "x", "pt_BR")
    sheet.number(0, 0, 0.914, "number")
    sheet.text(0, 1, "0,914", "cell")
    [row] = next(one["updateCells"]["rows"] for one in sheet.requests([]) if "updateCells" in one)
    assert row["values"] == [
        {"userEnteredValue": {"numberValue": 0.914}},
        {"userEnteredValue": {"stringValue": "0,914"}},
    ]
    online.people(server, "pt-BR")
    records = [record(f"i{n}", prompt=text, response=text, ground_truth=text) for n, text in enumerate(HOSTILE)]
    path = write_jsonl(tmp_path / "hostile.jsonl", records)
    made = online.make(server, tmp_path / "study", language="pt-BR", path=path)
    bodies = [call.body for call in server.calls if call.method == "sheets.spreadsheets.batchUpdate"]
    values = [
        cell["userEnteredValue"]
        for body in bodies
        for request in body["requests"]
        for row in request.get("updateCells", {}).get("rows", ())
        for cell in row["values"]
        if "userEnteredValue" in cell
    ]
    sent = [value["stringValue"] for value in values if "stringValue" in value]
    assert all(sent.count(text) >= 9 for text in HOSTILE)  # three parts for each of three annotators
    assert all(isinstance(value.get("numberValue", 0), int | float) for value in values)
    # and they come back as they went: no text counts as changed
    for name in NAMES:
        online.annotate(server, made.study, name, {item.item_id: "4" for item in made.study.items})
    with online.service(server) as door:
        pulled = pull(tmp_path / "study", door)
    assert [sheet.note for sheet in pulled.sheets] == [""] * 3
    from toolkit.jobs.check import check

    for checked in check(tmp_path / "study", [tmp_path / "study" / "filled"])[0]:
        assert not checked.problems and checked.progress is not None and checked.progress.done == len(HOSTILE)


def test_gs_05_a_text_that_no_cell_holds_is_refused_before_the_first_write(server: FakeServer, tmp_path: Path) -> None:
    """One text above 50,000 characters makes a whole batch fail after earlier batches were written."""
    online.people(server)
    long = SheetOptions(instructions="x" * (CELL_CHARACTERS + 1))
    wide = SheetOptions(instructions="🎉" * (CELL_CHARACTERS // 2 + 1))
    from toolkit.workbook.layout import annotator_layout

    study = study_of(tmp_path, "en")
    items = [item.seen for item in study.items]
    for options in (long, wide):
        layout = annotator_layout(
            items, study.rubric, study_id="st", annotator="A1", language_code="en", markdown="raw", options=options
        )
        [problem] = page_problems(private_pages(layout, ()))
        assert problem.sheet == "Start here" and problem.cell is not None and "longer than a cell" in problem.what
    # an item is cut into rows, so it may be as long as it likes
    records = [
        record("i1", response="a short answer"),
        record("i2", response="word " * 10_001),
        record("i3", response="🎉 " * 30_000),
    ]
    made = online.make(server, tmp_path / "study", path=write_jsonl(tmp_path / "long.jsonl", records))
    assert len(made.sheets) == 3
    book = server.book(made.sheets["A1"].spreadsheet)
    values = [
        cell.get("userEnteredValue", {}).get("stringValue", "")
        for sheet in book.sheets
        for cell in sheet.cells.values()
    ]
    assert max(map(utf16_length, values)) < CELL_CHARACTERS


def test_a_spreadsheet_too_large_for_google_is_refused(tmp_path: Path) -> None:
    page = Page(1, "x", None, (), size=(SPREADSHEET_CELLS // 10 + 1, 10))
    [problem] = page_problems([page])
    assert "10,000,010 cells" in problem.what and "10,000,000" in problem.what
    [problem] = page_problems([Page(n, "x", None, ()) for n in range(201)])
    assert "201 sheets" in problem.what


def test_a_choice_that_google_takes_for_a_formula_is_refused(tmp_path: Path) -> None:
    from toolkit.workbook.canvas import Choices

    sheet = GoogleSheet(1, "x", "en_US")
    sheet.text(0, 0, "", "score")
    sheet.choices([0], 0, Choices(["=A1", "+1", "fine"]))
    assert [problem.value for problem in sheet.problems] == ["=A1", "+1"]


SECRET = {
    "judge_model": "Sentinel-Judge",
    "judge_justification": "sentinel words of a judge that nobody may read",
    "model": "Sentinel-Model",
    "provider": "Sentinel-Provider",
    "category": "Sentinel-Category",
    "difficulty": "Sentinel-Difficulty",
    "stratum": "Sentinel-Stratum",
    "judge_score": 2,
}


@pytest.mark.parametrize("one", [False, True])
def test_nothing_that_is_sent_unblinds(server: FakeServer, tmp_path: Path, one: bool) -> None:
    online.people(server)
    texts = {"prompt": "Why?", "response": "Because.", "ground_truth": "So."}
    records = [record(f"sentinel-id-{n}", **texts, **SECRET) for n in range(3)]
    path = write_jsonl(tmp_path / "secret.jsonl", records)
    online.make(server, tmp_path / "study", path=path, wishes=Wishes(share=MAILS, one_spreadsheet=one, notify=True))
    sent = json.dumps([[call.path, call.query, call.body] for call in server.calls]) + json.dumps(server.mails)
    assert "sentinel" not in sent.casefold()
    assert len(server.mails) == 3


def test_a_leak_is_refused_before_anything_is_made(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    with pytest.raises(ToolkitError, match="would show the name of a model"):
        online.make(
            server,
            tmp_path / "study",
            items=1,
            model="Gemini",
            options=SheetOptions(instructions="Mind what Gemini says."),
        )
    assert not server.calls and not (tmp_path / "study").exists()


def test_the_audit_reads_what_goes_to_google(tmp_path: Path) -> None:
    from toolkit.workbook.blindness import Auditor

    study = study_of(tmp_path, "en", model="Gemini")
    layout = study_layout(study, "A1", online=True)
    auditor = Auditor(study)
    assert auditor.audit_pages("A1", private_pages(layout, ["a2@example.org"])) == []
    told = json.loads(json.dumps(private_pages(layout, ())[0].requests).replace("Question f0?", "Gemini, or A2?"))
    pages = [Page(3, "Annotation", "A1", tuple(told)), Page(4, "A3", "A1", ())]
    assert {problem.value for problem in auditor.audit_pages("A1", pages)} == {"gemini", "a2", "a3"}


@pytest.mark.parametrize(
    ("formula", "spelt"),
    [
        ("=SUM(A1,2)", "=SUM(A1;2)"),
        ('=IF(A1=1.5,"a,b;1.5",0.25)', '=IF(A1=1,5;"a,b;1.5";0,25)'),
        ("=MATCH(x,{1,2},0)", "=MATCH(x;{1\\2};0)"),
        ('=COUNTIF(\'Folha, 1.5\'!A1:A2,"x""y,")', '=COUNTIF(\'Folha, 1.5\'!A1:A2;"x""y,")'),
    ],
)
def test_formulas_are_spelt_as_the_locale_wants(formula: str, spelt: str) -> None:
    assert localised(formula, "en_US") == formula
    assert localised(formula, "pt_BR") == localised(formula, "es_ES") == spelt


def test_numbers_of_sheets_and_protections_never_meet(tmp_path: Path) -> None:
    study = study_of(tmp_path, "en")
    layouts = [study_layout(study, name, online=True) for name in NAMES]
    pages = common_pages(layouts, ["c@example.org"], MAILS)
    numbers = [one["protectedRange"]["protectedRangeId"] for page in pages for one in asked(page, "addProtectedRange")]
    assert len(set(numbers)) == len(numbers) > 3 * 6
    assert max(numbers) < 2**31
    assert len({page.sheet_id for page in pages}) == len({page.title.casefold() for page in pages}) == len(pages)


def test_names_that_titles_cannot_hold_stay_apart(tmp_path: Path) -> None:
    names = ("An:na/1", "An-na-1", "x" * 60, "x" * 59 + "y")
    rubric = default_rubric("en")
    study = prepare(online.sample(tmp_path, 1), tmp_path / "s", names, rubric, language_code="en", seed=1).study
    layouts = [study_layout(study, name, online=True) for name in names]
    pages = common_pages(layouts, [], {name: f"{n}@example.org" for n, name in enumerate(names)})
    assert len({page.title.casefold() for page in pages}) == 9
    assert all(len(page.title) <= 31 for page in pages)
