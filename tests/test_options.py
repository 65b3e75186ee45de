"""What the coordinator may ask of the workbooks, and what comes back of it."""

from __future__ import annotations

import csv
import datetime
import json
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from tests.report.recalculated import recalculate
from tests.returned.workbook import as_ods
from tests.studies import (
    annotation_sheet,
    answer_rows,
    consensus,
    fill,
    make,
    metrics,
    ok,
    record,
    refused,
    toolkit,
    write_csv,
)
from toolkit.model import Item, Response, SheetOptions
from toolkit.rubrics import default_rubric
from toolkit.study import MASK, read_study
from toolkit.workbook.guide import CLOSING, CLOSING_COLUMN
from toolkit.workbook.ingest import ingest
from toolkit.workbook.layout import annotator_layout
from toolkit.workbook.readers import Source, read_book

RECORDS = [record(f"i{n}") for n in range(3)] + [record("c1", "consistency")]


def guide_texts(path: Path) -> list[str]:
    sheet = openpyxl.load_workbook(path).worksheets[0]
    return [str(cell.value) for line in sheet.iter_rows() for cell in line if cell.value is not None]


def test_deadline_contact_and_instructions_stand_on_the_first_sheet(tmp_path: Path) -> None:
    extra = tmp_path / "more.txt"
    extra.write_text("Leia devagar.\nUse o dicionário.\n", encoding="utf-8")
    options = ("--deadline", "30 de novembro", "--contact", "a coordenação", "--instructions", extra, "--lang", "pt-BR")
    make(tmp_path / "s", RECORDS, "A1,A2", *options)
    texts = "\n".join(guide_texts(tmp_path / "s" / "send" / "A1.xlsx"))
    for words in ("30 de novembro", "a coordenação", "Leia devagar.", "Use o dicionário."):
        assert words in texts
    message = (tmp_path / "s" / "send" / "message.txt").read_text(encoding="utf-8")
    assert "30 de novembro" in message and "a coordenação" in message and "4" in message
    assert read_study(tmp_path / "s").sheets.deadline == "30 de novembro"


def test_instructions_that_would_unblind_are_refused(tmp_path: Path) -> None:
    extra = tmp_path / "more.txt"
    extra.write_text("All answers are by modelo-azul.", encoding="utf-8")
    (tmp_path / "s.jsonl").write_text(json.dumps(record("i1", model="modelo-azul")))
    command = ("make-sheets", tmp_path / "s.jsonl", "--annotators", "2", "-o", tmp_path / "s")
    assert "name of a model" in refused(*command, "--instructions", extra)
    assert not (tmp_path / "s").exists()
    assert "cannot be read" in refused(*command, "--instructions", tmp_path / "absent.txt")


def test_practice_items_come_first_and_are_never_read(tmp_path: Path) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2", "--practice")

    book = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx")
    sheet, keys = annotation_sheet(book)
    rows = answer_rows(sheet, keys)
    practice = [row for code, row in rows.items() if code.startswith("practice")]
    assert len(practice) == 2 and max(practice) < min(row for code, row in rows.items() if code in study.by_code)
    for code, row in rows.items():
        sheet.cell(row, keys["score"]).value = 4 if code in study.by_code else "anything"
    (tmp_path / "s" / "filled").mkdir(exist_ok=True)
    book.save(tmp_path / "s" / "filled" / "A1.xlsx")
    output = ok("check", tmp_path / "s", tmp_path / "s" / "filled")
    assert "4 of 4 items scored" in output
    # the code of a practice item is not shown, and what a program saves may be what it shows
    for row in practice:
        sheet.cell(row, keys["item_code"]).value = None
    book.save(tmp_path / "s" / "filled" / "A1.xlsx")
    output = ok("check", tmp_path / "s", tmp_path / "s" / "filled")
    assert "4 of 4 items scored" in output and "belongs to no item" not in output


def test_times_are_read_however_they_are_stored(tmp_path: Path) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2", "--time-columns")
    pairs = {
        "i0": (datetime.time(14, 5), datetime.time(14, 9)),
        "i1": ("23:58", "0:03"),
        "i2": (0.5, 0.5 + 3 / 1440),
        "c1": (datetime.time(9, 0), None),
    }

    def clock(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for item, (start, end) in pairs.items():
            sheet.cell(rows[item], keys["time_start"]).value = start
            sheet.cell(rows[item], keys["time_end"]).value = end

    path = fill(study, tmp_path / "s", "A1", lambda item: 4, clock)
    found = ingest([read_book(Source.at(path))], study)
    assert not found.problems
    minutes = {study.by_code[code].item_id: given.minutes for code, given in found.annotations["A1"].items()}
    assert minutes == {"i0": 4, "i1": 5, "i2": 3, "c1": None}

    def wrong(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i0"], keys["time_start"]).value = "yesterday"

    path = fill(study, tmp_path / "s", "A1", lambda item: 4, wrong)
    [problem] = ingest([read_book(Source.at(path))], study).problems
    assert "no time of day" in problem.what


def test_no_scrolling_sideways_on_a_small_screen(tmp_path: Path) -> None:
    make(tmp_path / "a", RECORDS, "A1,A2")
    make(tmp_path / "b", RECORDS, "A1,A2", "--time-columns")
    for name in ("a", "b"):
        sheet, _keys = annotation_sheet(openpyxl.load_workbook(tmp_path / name / "send" / "A1.xlsx"))
        pixels = 0.0
        for dimension in sheet.column_dimensions.values():
            if not dimension.hidden and dimension.min and dimension.max:
                pixels += (dimension.max - dimension.min + 1) * dimension.width * 7
        assert pixels * 1.07 < 1366 - 100  # LibreOffice's wider columns; row numbers, scroll bar and side bar


def test_a_required_justification_keeps_the_sheet_from_being_complete(tmp_path: Path) -> None:
    make(tmp_path / "s", RECORDS, "A1,A2", "--require-justification")
    sheet = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx").worksheets[0]
    cells = [str(cell.value) for line in sheet.iter_rows() for cell in line]
    formulas = [words for words in cells if words.startswith("=IF(AND(")]
    assert len(formulas) == 1


def test_closing_questions_come_back(tmp_path: Path) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2", "--lang", "pt-BR")
    path = fill(study, tmp_path / "s", "A1", lambda item: 4)
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    places = {
        str(cell.value).removeprefix(CLOSING): cell
        for line in sheet.iter_rows()
        for cell in line
        if str(cell.value).startswith(CLOSING)
    }
    assert list(places) == ["recognised", "guessed", "saw_scores", "comment"]
    for key, answer in (("saw_scores", "sim"), ("comment", "=1+1 é brincadeira")):
        cell = sheet.cell(places[key].row, places[key].column + CLOSING_COLUMN)
        assert not cell.protection.locked
        cell.value = answer
        cell.data_type = "s"
    book.save(path)
    found = ingest([read_book(Source.at(path))], study)
    assert found.closing == {"A1": {"saw_scores": "sim", "comment": "=1+1 é brincadeira"}}


def test_an_answer_that_names_its_model_is_told_and_can_be_masked(tmp_path: Path) -> None:
    """wb-05: the texts themselves may leak, too."""
    records = [
        record("i1", model="Aurora-1", response="Sou o aurora-1, e Aurora-10 não sou."),
        record("i2", model="Aurora-1", response="Quatro."),
    ]
    sample = tmp_path / "s.jsonl"
    sample.write_text("\n".join(map(json.dumps, records)))
    command = ("make-sheets", sample, "--annotators", "2", "--seed", "1")
    output = ok(*command, "-o", tmp_path / "plain")
    assert "i1" in output and "Aurora-1" in output and "--mask" in output and "item i2" not in output
    ok(*command, "--mask", "aurora-1", "-o", tmp_path / "masked", "-q")
    study = read_study(tmp_path / "masked")
    texts = {item.item_id: item.responses[0].response for item in study.items}
    assert texts == {"i1": f"Sou o {MASK}, e Aurora-10 não sou.", "i2": "Quatro."}
    assert [item.masked for item in study.items] == [True, False]
    for name in study.names:
        fill(study, tmp_path / "masked", name, lambda item: 4 if item == "i1" else 2)
    ok("consolidate", tmp_path / "masked", "-q")
    assert metrics(tmp_path / "masked" / "report")["sensitivity"]["without_masked"]["overall"]["n"] == 1


def test_a_text_that_quotes_the_judge_is_refused(tmp_path: Path) -> None:
    said = "The answer omits the second region and is vague."
    sample = tmp_path / "s.jsonl"
    sample.write_text(json.dumps(record("i1", judge_justification=said, ground_truth=f"Four. {said}")))
    output = refused("make-sheets", sample, "--annotators", "2", "-o", tmp_path / "s")
    assert "i1" in output and "quote" in output


@pytest.mark.parametrize("justification", ["ok", "just", "to do", "OK"])
def test_the_words_of_every_workbook_are_no_leak(tmp_path: Path, justification: str) -> None:
    """A judge that says no more than a status or a formula of the first sheet says leaks nothing by it."""
    sample = tmp_path / "s.jsonl"
    sample.write_text("\n".join(json.dumps(record(f"i{n}", judge_justification=justification)) for n in range(3)))
    ok("make-sheets", sample, "--annotators", "2", "--seed", "1", "-o", tmp_path / "s")
    ok("audit-blind", tmp_path / "s", tmp_path / "s" / "send")


def test_audit_blind_proves_each_file(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record(f"i{n}", judge_score=1 + n % 5, model=f"m{n % 3}x") for n in range(9)])
    output = ok("audit-blind", tmp_path / "s", tmp_path / "s" / "send")
    assert output.count(": blind") == 3 and "rank correlation" in output
    book = openpyxl.load_workbook(tmp_path / "s" / "send" / "A2.xlsx")
    book.worksheets[0]["Z99"] = f"psst: {study.items[0].item_id}"
    book.properties.creator = "A1"
    book.save(tmp_path / "leak.xlsx")
    result = toolkit("audit-blind", tmp_path / "s", tmp_path / "leak.xlsx", "--json")
    assert result.exit_code == 1
    [found] = json.loads(result.output)["files"]
    told = " ".join(found["problems"])
    assert found["annotator"] == "A2" and "an item_id" in told and "another annotator" in told
    (tmp_path / "x.csv").write_text("a,b")
    assert "could not be checked" in refused("audit-blind", tmp_path / "s", tmp_path / "x.csv")


def test_repairs_can_be_listed(tmp_path: Path) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2")
    fill(study, tmp_path / "s", "A1", lambda item: "4,0")
    fill(study, tmp_path / "s", "A2", lambda item: 4)
    ok("consolidate", tmp_path / "s", "--repairs", tmp_path / "repairs.csv", "-q")
    with (tmp_path / "repairs.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [(row["annotator"], row["found"], row["read_as"]) for row in rows] == [("A1", "4,0", "4")] * 4
    assert metrics(tmp_path / "s" / "report")["repairs"] == 4
    assert set(consensus(tmp_path / "s" / "report")) == {"i0", "i1", "i2", "c1"}


@pytest.mark.parametrize("option", ["--practice", "--time-columns", "--require-justification"])
def test_options_keep_the_bytes_the_same(tmp_path: Path, option: str) -> None:
    for name in ("a", "b"):
        make(tmp_path / name / "s", RECORDS, "A1,A2", option)
    one, two = ((tmp_path / name / "s" / "send" / "A1.xlsx").read_bytes() for name in ("a", "b"))
    assert one == two


def test_closing_questions_offer_yes_and_no(tmp_path: Path) -> None:
    make(tmp_path / "s", RECORDS, "A1,A2", "--lang", "pt-BR")
    sheet = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx").worksheets[0]
    keys = {str(row[0].value).removeprefix(CLOSING): row[0].row for row in sheet.iter_rows() if row[0].value}
    offered = {str(rule.sqref): rule for rule in sheet.data_validations.dataValidation}
    for key in ("recognised", "guessed", "saw_scores"):
        rule = offered[f"E{keys[key]}"]
        assert (rule.type, rule.formula1, rule.errorStyle) == ("list", '"sim,não"', None)
    assert f"E{keys['comment']}" not in offered


def test_audit_blind_names_sheet_and_cell_and_reads_every_kind(tmp_path: Path) -> None:
    records = [record(f"quiz-{n}", judge_model="jury-9", judge_score=3, model="Aurora-1") for n in range(9)]
    study = make(tmp_path / "s", records)

    def plainly(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for row in rows.values():
            sheet.cell(row, keys["justification"]).value = "because"

    for place, name in enumerate(study.names):
        fill(study, tmp_path / "s", name, lambda item, place=place: 1 + 4 * (place == 0), plainly)  # type: ignore[misc]
    ok("consolidate", tmp_path / "s", "-q")
    folder = tmp_path / "s" / "report"
    output = ok("audit-blind", tmp_path / "s", folder / "discussion.xlsx", folder / "triage.xlsx")
    assert "discussion.xlsx (discussion): blind" in output and "triage.xlsx (triage): blind" in output
    book = openpyxl.load_workbook(folder / "discussion.xlsx")
    sheet, keys = annotation_sheet(book)
    cell = sheet.cell(sheet.max_row, keys["consensus_notes"])
    cell.value = "the judge Jury 9 says so, and A1 too"
    book.properties.creator = "Aurora-1"
    book.save(tmp_path / "leak.xlsx")
    told = refused("audit-blind", tmp_path / "s", tmp_path / "leak.xlsx")
    assert f"leak.xlsx > {sheet.title} > {cell.coordinate}: would show the name of a judge" in told
    assert "the name of a model to the annotator (in the part docProps/core.xml)" in told and "problem" not in told
    assert told.count("would show") == 2  # people's names may stand in a discussion
    lines = [["study", "item_code", "consensus_after_discussion", "decision", "consensus_notes"]]
    lines += [["st-other", study.items[0].item_code, 3, None, None]]
    (tmp_path / "other.ods").write_bytes(as_ods(lines))
    assert "belongs to another study" in refused("audit-blind", tmp_path / "s", tmp_path / "other.ods")


def test_audit_blind_reads_ods_and_csv(tmp_path: Path) -> None:
    make(tmp_path / "s", [record(f"quiz-{n}", judge_model="jury-9", model="Aurora-1") for n in range(3)])
    sheet, _keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx"))
    grid = [[cell.value for cell in row] for row in sheet.iter_rows()]
    ods, table = tmp_path / "A1.ods", tmp_path / "A1.csv"
    for path in (ods, table):
        write_csv(table, grid[0], grid[1:]) if path is table else ods.write_bytes(as_ods(grid))
        assert ": blind" in ok("audit-blind", tmp_path / "s", path)
    grid[2][11] = "psst: quiz-1"
    for path in (ods, table):
        write_csv(table, grid[0], grid[1:]) if path is table else ods.write_bytes(as_ods(grid))
        told = refused("audit-blind", tmp_path / "s", path)
        assert "L3: would show an item_id" in told and ": NOT BLIND" in told


@pytest.mark.office
def test_the_solution_of_a_practice_item_comes_after_its_score(tmp_path: Path) -> None:
    make(tmp_path / "s", RECORDS, "A1,A2", "--practice")
    book = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx")
    sheet, keys = annotation_sheet(book)
    scored = answer_rows(sheet, keys)["practice-1"]
    sheet.cell(scored, keys["score"]).value = 3
    path = tmp_path / "s" / "filled" / "A1.xlsx"
    book.save(path)
    shown, _keys = annotation_sheet(recalculate(path.read_bytes(), tmp_path))
    rows = [row for row in range(3, 30) if str(sheet.cell(row, keys["part"]).value).endswith(":why")]
    first, second = (str(shown.cell(row, keys["text"]).value) for row in (rows[0], rows[-1]))
    assert first.startswith("Then compare: this example gets") and second == "(is shown when the item has a score)"
    # nothing of it is in the way when the workbook comes back
    assert "no problem found" in ok("check", tmp_path / "s", path)


def test_practice_items_get_different_scores() -> None:
    rubric = default_rubric("en")
    layout = annotator_layout(
        [Item(item_code="X", dimension=key, responses=(Response(response="r"),)) for key in rubric.dimensions],
        rubric,
        study_id="s",
        annotator="A",
        language_code="en",
        markdown="raw",
        options=SheetOptions(practice=True),
    )
    solutions = [row.text for row in layout.rows if row.after]
    assert {row.after for row in layout.rows if row.after} == {"practice-1", "practice-2"}
    assert len({text.split(".")[0] for text in solutions if text.startswith("Then compare")}) == 2


def test_practice_needs_examples(tmp_path: Path) -> None:
    rubric = tmp_path / "r.json"
    plain = default_rubric("en").model_dump(mode="json")
    for dimension in plain["dimensions"].values():
        dimension["examples"] = []
    rubric.write_text(json.dumps(plain), encoding="utf-8")
    sample = tmp_path / "s.jsonl"
    sample.write_text(json.dumps(record("i1")))
    command = ("make-sheets", sample, "--annotators", "2", "--rubric", rubric, "-o", tmp_path / "s")
    assert "no examples for practice" in refused(*command, "--practice")
    assert not (tmp_path / "s").exists()
    ok(*command)


@pytest.mark.parametrize(
    ("words", "minutes", "sessions", "each"),
    [
        # 10 items of 660 words: 6,600 / 220 = 30 minutes of reading, and 10 of scoring; one sitting of up to 45
        (660, 40, 1, 40),
        # 10 items of 2,002 words: 20,020 / 220 = 91, and 10; 101 / 45 = 2.2, so 3 sittings of 101 / 3 = 33.7
        (2002, 101, 3, 34),
    ],
)
def test_minutes_and_sessions(tmp_path: Path, words: int, minutes: int, sessions: int, each: int) -> None:
    # a prompt of 1 word and a reference of 2 stand beside the answer
    texts = {"prompt": "Why?", "ground_truth": "Because so.", "response": "word " * (words - 3)}
    sample = tmp_path / "s.jsonl"
    sample.write_text("\n".join(json.dumps(record(f"i{n}", **texts)) for n in range(10)))
    command = ("make-sheets", sample, "--annotators", "2", "--seed", "1", "-o", tmp_path / "s")
    made = json.loads(ok(*command, "--json", "-q"))
    assert (made["minutes"], made["sessions"], made["minutes_per_session"]) == (minutes, sessions, each)
    told = ok(*command, "--force")
    suggestion = f"better {sessions} sittings of about {each} minutes than one"
    hours = f" ({minutes / 60:.1f} hours)" if minutes > 60 else ""
    assert f"about {minutes} minutes{hours} for each annotator" in told and (suggestion in told) == (sessions > 1)
    guide = "\n".join(guide_texts(tmp_path / "s" / "send" / "A1.xlsx"))
    assert f"take about {minutes} minutes in all" in guide and (suggestion in guide) == (sessions > 1)
    assert f"about {minutes} minutes" in (tmp_path / "s" / "send" / "message.txt").read_text(encoding="utf-8")


def test_practice_counts_in_the_minutes(tmp_path: Path) -> None:
    rubric = tmp_path / "r.json"
    long = default_rubric("en").model_dump(mode="json")
    for dimension in long["dimensions"].values():
        dimension["examples"] = [{"text": "word " * 440, "score": 3, "why": "so"}] * 2
    rubric.write_text(json.dumps(long), encoding="utf-8")
    sample = tmp_path / "s.jsonl"
    sample.write_text("\n".join(json.dumps(record(f"i{n}", response="word " * 220)) for n in range(4)))
    command = ("make-sheets", sample, "--annotators", "2", "--rubric", rubric, "--seed", "1", "--force", "--json", "-q")
    # 4 items of a minute of reading (and a few words) and one of scoring; 2 for practice, of 2 minutes and one
    for options, minutes in (((), 8), (("--practice",), 14)):
        assert json.loads(ok(*command, "-o", tmp_path / "s", *options))["minutes"] == minutes
        assert f"about {minutes} minutes" in "\n".join(guide_texts(tmp_path / "s" / "send" / "A2.xlsx"))
