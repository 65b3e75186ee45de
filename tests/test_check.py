"""check and status: what came back so far, and what to do now."""

from __future__ import annotations

import json
import os
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from tests.studies import annotation_sheet, fill, make, ok, record, refused, toolkit
from toolkit.i18n import language


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make(tmp_path / "s", [record("i1"), record("i2"), record("c1", "consistency")], "A1,A2,A3")
    return tmp_path / "s"


def study(folder: Path):  # type: ignore[no-untyped-def]
    from toolkit.study import read_study

    return read_study(folder)


def test_a_file_without_faults(folder: Path) -> None:
    path = fill(study(folder), folder, "A1", lambda item: None if item == "i2" else "4")
    output = ok("check", folder, path)
    assert "A1.xlsx: A1" in output and "2 of 3 items scored" in output and "no problem found" in output
    assert output.count("taken as 4: the text '4'") == 2


def test_what_concerns_no_file_is_told_apart_from_the_files(folder: Path) -> None:
    path = fill(study(folder), folder, "A1", lambda item: 4)
    (path.parent / "LEIAME.txt").write_text("notes of the coordinator")
    result = toolkit("check", folder, path.parent)
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: ") and "LEIAME.txt" in result.stderr
    assert "LEIAME.txt" not in result.stdout and "A1.xlsx: A1" in result.stdout
    found = toolkit("check", folder, path.parent, "--json")
    assert "LEIAME.txt" in found.stderr and [one["warnings"] for one in json.loads(found.stdout)] == [[]]


def test_comments_are_told_once_for_each_file_by_every_command(folder: Path) -> None:
    for name in ("A1", "A2"):
        path = fill(study(folder), folder, name, lambda item: 4)
        book = openpyxl.load_workbook(path)
        for sheet, cell in ((book.worksheets[0], "B9"), (annotation_sheet(book)[0], "H9")):
            sheet[cell].comment = Comment("I meant 2", name)
        book.save(path)
    for command in (["check"], ["status"], ["consolidate", "--reveal-judge"]):
        output = ok(command[0], folder, *command[1:])
        assert output.count("A1.xlsx has comments on 2 cells, which are not read: ") == 1
        assert output.count("A2.xlsx has comments on 2 cells") == 1
        assert " > B9, " in output and " > H9; " in output and "I meant" not in output


@pytest.mark.parametrize(("shared", "spread", "warned"), [(10, 5, True), (9, 5, False), (10, 1, False)])
def test_annotators_with_the_same_scores_are_told(tmp_path: Path, shared: int, spread: int, warned: bool) -> None:
    folder = tmp_path / "t"
    made = make(folder, [record(f"i{n}") for n in range(shared)], "A1,A2,A3")
    for name in made.names:
        fill(made, folder, name, lambda item, name=name: int(item[1:]) % spread + 1 if name != "A2" else 5)
    words = "warning: A1 and A3 gave the same scores throughout: is one a copy of the other?"
    for command in ("check", "status", "consolidate"):
        output = ok(command, folder, *(["--reveal-judge"] if command == "consolidate" else []))
        assert output.count(words) == warned and output.count("gave the same scores throughout") == warned
    assert words not in ok("consolidate", folder, "--without", "A3", "--reveal-judge", "--force")


def test_every_problem_of_every_file_and_exit_code_one(folder: Path) -> None:
    fill(study(folder), folder, "A1", lambda item: 9)
    fill(study(folder), folder, "A2", lambda item: 4)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    output = refused("check", folder, folder / "filled")
    assert output.count("off the scale") == 3
    assert "A2.xlsx: A2" in output
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_same_for_programs(folder: Path) -> None:
    fill(study(folder), folder, "A1", lambda item: "4/5" if item == "i1" else 4)
    result = toolkit("check", folder, folder / "filled", "--json")
    assert result.exit_code == 1
    [found] = json.loads(result.output)
    assert (found["annotator"], found["scored"], found["assigned"]) == ("A1", 2, 3)
    [problem] = found["problems"]
    assert problem["value"] == "4/5" and problem["cell"] and problem["fix"]


def test_the_marked_copy_shows_each_problem_at_its_cell(folder: Path) -> None:
    path = fill(study(folder), folder, "A1", lambda item: 7 if item == "i1" else 4)
    copy = folder / "marked.xlsx"
    assert toolkit("check", folder, path, "--annotated", copy).exit_code == 1
    sheet, keys = annotation_sheet(openpyxl.load_workbook(copy))
    marked = [cell for line in sheet.iter_rows() for cell in line if cell.comment]
    assert len(marked) == 1
    assert marked[0].value == 7 and marked[0].column == keys["score"]
    assert "scale" in marked[0].comment.text
    assert marked[0].fill.fgColor.rgb.endswith("F8D0CC")
    kept = copy.read_bytes()
    assert "--force" in refused("check", folder, path, "--annotated", copy)
    assert copy.read_bytes() == kept


def test_a_file_that_cannot_be_read_is_a_problem_of_that_file(folder: Path) -> None:
    (folder / "broken.xlsx").write_bytes(b"nothing")
    path = fill(study(folder), folder, "A1", lambda item: 4)
    output = refused("check", folder, folder / "broken.xlsx", path)
    assert "broken.xlsx" in output and "3 of 3 items scored" in output


def test_status_names_the_next_thing_to_do(folder: Path) -> None:
    assert "send each file" in ok("status", folder)
    fill(study(folder), folder, "A1", lambda item: 4)
    fill(study(folder), folder, "A2", lambda item: None if item == "i1" else 4)
    output = ok("status", folder)
    assert "A3" in output.splitlines()[-1] and "A2 (1 left)" in output.splitlines()[-1]
    assert "not returned" in output
    for name in ("A2", "A3"):
        fill(study(folder), folder, name, lambda item: 4)
    assert "everybody is done" in ok("status", folder)
    ok("consolidate", folder, "-q")
    assert "report.html" in ok("status", folder)
    fill(study(folder), folder, "A3", lambda item: "?")
    assert "solve the problems" in ok("status", folder)


def test_status_for_programs(folder: Path) -> None:
    fill(study(folder), folder, "A1", lambda item: 4)
    found = json.loads(ok("status", folder, "--json"))
    assert [person["name"] for person in found["annotators"]] == ["A1", "A2", "A3"]
    assert found["annotators"][0]["scored"] == {"factual": 2, "consistency": 1}
    assert found["next"]


def test_no_copy_and_no_report_is_written_over_answers_even_with_force(folder: Path) -> None:
    first = fill(study(folder), folder, "A1", lambda item: 9)
    second = fill(study(folder), folder, "A2", lambda item: 4)
    fill(study(folder), folder, "A3", lambda item: 3)
    kept = {path: path.read_bytes() for path in (first, second)}
    for target in (first, second):
        told = refused("check", folder, first, "--annotated", target, "--force")
        assert "never overwritten" in told
    copy = folder / "copy.xlsx"
    for force in ((), ("--force",)):  # its own earlier copy holds no other answers
        assert toolkit("check", folder, first, "--annotated", copy, *force).exit_code == 1 and copy.exists()
    fill(study(folder), folder, "A1", lambda item: 4)
    kept[first] = first.read_bytes()
    (folder / "filled" / "report.xlsx").write_bytes(second.read_bytes())
    assert "never overwritten" in refused("consolidate", folder, "--repairs", second, "--force", "-q")
    assert "never overwritten" in refused("consolidate", folder, "-o", folder / "filled", "--force", "-q")
    assert {path: path.read_bytes() for path in kept} == kept
    ok("consolidate", folder, first, "--repairs", folder / "r.csv", "-q", second)
    ok("consolidate", folder, first, second, "--repairs", folder / "r.csv", "--force", "-q")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_file_and_nobody_waits_for_it(folder: Path) -> None:
    os.mkfifo(folder / "pipe.xlsx")
    for command in ("check", "audit-blind", "consolidate"):
        assert "ordinary file" in refused(command, folder, folder / "pipe.xlsx")


def test_what_cannot_be_marked_is_listed_all_the_same(folder: Path) -> None:
    first, second = (fill(study(folder), folder, name, lambda item: 9) for name in ("A1", "A2"))
    assert "ends in .xlsx" in refused("check", folder, first, "--annotated", folder / "copy.ods")
    assert not (folder / "copy.ods").exists()
    told = refused("check", folder, first, second, "--annotated", folder / "copy.xlsx")
    assert told.count("off the scale") == 6 and "marks one file at a time" in told
    keys = "study,annotator,part,dimension,item_code,label,text,rubric,score,justification,doubt,notes"
    other = folder / "A1.csv"
    other.write_text(keys + "\n")
    told = refused("check", folder, other, "--annotated", folder / "copy.xlsx")
    assert told.index("A1.csv") < told.index("only .xlsx files can be marked")
    assert not (folder / "copy.xlsx").exists()


@pytest.mark.parametrize("code", ["pt-BR", "es"])
def test_notes_for_the_annotator_are_in_their_language(code: str, tmp_path: Path) -> None:
    made = make(tmp_path / "s", [record("i1"), record("i2")], "A1,A2", "--lang", code)

    def change(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["doubt"]).value = "perhaps"
        sheet.cell(rows["i2"], keys["notes"]).value = "=1+1"
        sheet.cell(rows["i2"], keys["text"]).value = "changed"

    path = fill(made, tmp_path / "s", "A1", lambda item: 7 if item == "i1" else 4, change)
    assert toolkit("check", tmp_path / "s", path, "--annotated", tmp_path / "copy.xlsx").exit_code == 1
    sheet, keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "copy.xlsx"))
    notes = {c.column: c.comment.text for line in sheet.iter_rows() for c in line if c.comment}
    assert set(notes) == {keys[key] for key in ("score", "doubt", "notes", "text")}
    _ = language(code)
    assert notes[keys["doubt"]] == _("Enter one of: {values}.", values=", ".join((_("yes"), _("no"))))
    assert "1, 2, 3, 4, 5" in notes[keys["score"]]
    assert len(set(notes.values())) == 4


def test_a_required_justification_is_asked_for_and_no_score_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    records = [record("i1"), record("i2"), record("c1", "consistency")]
    made = make(folder, records, "A1,A2,A3", "--require-justification")
    cells: dict[str, str] = {}

    def silent(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for item in ("i1", "c1"):
            sheet.cell(rows[item], keys["justification"]).value = "  "
            cells[item] = sheet.cell(rows[item], keys["score"]).coordinate

    for name in made.names:
        fill(made, folder, name, lambda item: 4, silent if name == "A2" else None)
    codes = {item.item_id: item.item_code for item in made.items}
    places = [f"{codes[item]} ({cells[item]})" for item in ("i1", "c1")]
    told = ok("check", folder)
    assert "3 of 3 items scored" in told and "2 scored without the justification that this study requires" in told
    assert all(place in told for place in places)
    first, second, _third = json.loads(ok("check", folder, "--json"))
    assert (first["justification_required"], first["warnings"]) == ([], [])
    assert sorted(second["justification_required"]) == sorted(places) and len(second["warnings"]) == 1
    assert (second["scored"], second["without_justification"]) == (3, 2)
    told = ok("status", folder)
    assert "A2 (2 without a justification)" in told.splitlines()[-1] and "everybody is done" not in told
    assert "A2 still has to justify" in told and "A1 still" not in told
    told = ok("consolidate", folder)
    assert "annotator A2: 2 scored without the justification" in told and all(place in told for place in places)
    assert json.loads((folder / "report" / "metrics.json").read_text())["overall"]["n"] == 3
    assert "without the justification" not in ok("consolidate", folder, "--without", "A2", "--force")
    told = ok("consolidate", folder, "--anonymous", "--force")
    assert "2 scored without the justification" in told and "A2" not in (folder / "report" / "report.html").read_text()
    fill(made, folder, "A2", lambda item: 4)
    assert "read" in (step := ok("status", folder).splitlines()[-1]) and "without a" not in step


@pytest.mark.parametrize("code", ["en", "pt-BR"])
def test_the_marked_copy_asks_for_each_required_justification(tmp_path: Path, code: str) -> None:
    folder = tmp_path / "s"
    records = [record("i1"), record("i2"), record("i3"), record("i4")]
    made = make(folder, records, "A1,A2", "--require-justification", "--lang", code)
    blank: list[str] = []

    def silent(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        for item, words in {"i1": None, "i2": " ", "i4": None}.items():
            sheet.cell(rows[item], keys["justification"]).value = words
            blank.append(sheet.cell(rows[item], keys["justification"]).coordinate)

    path = fill(made, folder, "A1", lambda item: {"i2": 9, "i4": None}.get(item, 4), silent)
    copy = tmp_path / "copy.xlsx"
    assert toolkit("check", folder, path, "--annotated", copy).exit_code == 1
    sheet, keys = annotation_sheet(openpyxl.load_workbook(copy))
    notes = {cell.coordinate: cell.comment.text for line in sheet.iter_rows() for cell in line if cell.comment}
    # i3 has one; i2 has no score that counts yet, and i4 none at all
    asked = {"en": "It is required", "pt-BR": "É obrigatória"}[code]
    assert len(notes) == 2 and asked in notes[blank[0]]
    assert sheet[blank[0]].fill.fgColor.rgb.endswith("F8D0CC") and sheet[blank[0]].value is None
    # where nothing else is wrong, too
    path = fill(made, folder, "A1", lambda item: 4, silent)
    copy = tmp_path / "second.xlsx"
    ok("check", folder, path, "--annotated", copy)
    sheet, keys = annotation_sheet(openpyxl.load_workbook(copy))
    marked = {cell.coordinate for line in sheet.iter_rows() for cell in line if cell.comment}
    assert marked == set(blank[:3]) and {sheet[cell].column for cell in marked} == {keys["justification"]}
    # another study leaves it to its people
    free = make(tmp_path / "free", records, "A1,A2", "--lang", code)
    path = fill(free, tmp_path / "free", "A1", lambda item: 4, silent)
    copy = tmp_path / "third.xlsx"
    ok("check", tmp_path / "free", path, "--annotated", copy)
    sheet, keys = annotation_sheet(openpyxl.load_workbook(copy))
    assert not any(cell.comment for line in sheet.iter_rows() for cell in line)


def test_a_justification_that_is_not_required_is_counted_and_no_more(folder: Path) -> None:
    def change(sheet: Worksheet, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["justification"]).value = None
        sheet.cell(rows["i2"], keys["doubt"]).value = "yes"

    for name in ("A1", "A2", "A3"):
        fill(study(folder), folder, name, lambda item: None if item == "c1" else 4, change)
    told = ok("check", folder, folder / "filled" / "A1.xlsx")
    assert "2 of 3 items scored, 1 marked as doubtful, 1 without a justification" in told
    assert "by dimension: factual 2 of 2, consistency 0 of 1" in told and "note:" not in told
    [found] = json.loads(ok("check", folder, folder / "filled" / "A1.xlsx", "--json"))
    assert (found["doubts"], found["without_justification"], found["justification_required"]) == (1, 1, [])
    assert found["scored_by_dimension"] == {"factual": 2, "consistency": 0}
    assert found["assigned_by_dimension"] == {"factual": 2, "consistency": 1}
    told = ok("status", folder)
    header, line = told.splitlines()[0], next(line for line in told.splitlines() if line.startswith("A1"))
    assert header.split()[-3:] == ["doubts", "no", "justification"] and line.split()[-2:] == ["1", "1"]
    assert "without a" not in told.splitlines()[-1]


def test_status_does_not_call_a_file_that_cannot_be_read_not_returned(folder: Path) -> None:
    fill(study(folder), folder, "A1", lambda item: 4)
    (folder / "filled" / "a2.XLSX").write_bytes(b"nothing")
    lines = ok("status", folder).splitlines()
    [second] = [line for line in lines if line.startswith("A2")]
    [third] = [line for line in lines if line.startswith("A3")]
    assert "a2.XLSX came back, cannot be used" in second and "not returned" in third
    people = json.loads(ok("status", folder, "--json"))["annotators"]
    assert [person["unusable"] for person in people] == [None, "a2.XLSX", None]
    (folder / "filled" / "A1.xlsx").write_bytes(b"nothing")
    assert "solve the problems" in ok("status", folder).splitlines()[-1]
