"""What people score by comes back as it was sent, or it is said what changed: where the table of `returned` ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml

from tests.returned.test_returned import lossy
from tests.returned.workbook import Filled, as_csv, as_ods
from tests.studies import make, ok, record, refused
from tests.test_rubric_fits import rubric
from toolkit.study import Study, read_study
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.readers import Source, read_book

RECORDS = [
    record("f1"),
    record("c1", "consistency", response=None, responses=["um", "dois"]),
    record("r1", "robustness", original_response="o", variant_type="typo", variant_prompt="p?"),
]
SCORES = {"f1": 5, "c1": 1, "r1": 4}
GUIDE, RUBRIC = 0, 1


def read(data: bytes, study: Study, name: str = "A1.xlsx") -> Returned:
    return ingest([read_book(Source(name, content=data))], study)


def told(returned: Returned) -> list[str]:
    return [problem.what for problem in returned.problems]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("locked") / "s"
    return make(folder, RECORDS, "A1,A2", "--lang", "pt-BR"), folder


def filled(made: tuple[Study, Path], annotator: str = "A1", scores: dict[str, int] = SCORES) -> Filled:
    return Filled(made[0], made[1] / "send" / f"{annotator}.xlsx", scores)


def all_changed(workbook: Filled) -> bytes:
    """Change one of each kind."""
    cell: Any
    for cell in (*(cell for line in workbook.sheet.iter_rows(3) for cell in line),
                 *(cell for line in workbook.book.worksheets[RUBRIC].iter_rows() for cell in line)):  # fmt: skip
        changed = {"Pergunta": "Resposta", "Factualidade": "Estilo"}.get(cell.value)
        text = str(cell.value)
        if changed is not None:
            cell.value = changed
        elif text.startswith(("5 = A resposta", "Quanto a resposta")):
            cell.value = text + "!"
    return workbook.data()


def test_a_study_of_an_earlier_release_is_read_and_its_texts_are_looked_at_as_before(
    made: tuple[Study, Path], tmp_path: Path
) -> None:
    content = json.loads((made[1] / "study.json").read_text())
    assert content.pop("locked") and content["seal"].pop("rubric")
    assert all(item["hashes"].pop("labels") for item in content["items"])
    (tmp_path / "study.json").write_text(json.dumps(content))
    old = read_study(tmp_path)
    workbook = filled(made)
    workbook.cell("text", "f1").value = "outro"
    data = all_changed(workbook)
    assert len(told(read(data, made[0]))) > 8
    [problem] = told(read(data, old))
    assert "locked text" in problem
    assert not read(data, old).warnings and not old.moved()


def test_what_was_sent_counts_whatever_words_a_later_release_has(made: tuple[Study, Path]) -> None:
    # in another language every label and heading is another, as if the catalogue had been rewritten
    later = made[0].model_copy(update={"language": "es"})
    assert not read(filled(made).data(), later).problems
    workbook = filled(made)
    workbook.cell("label", "r1", 2).value = "Variante 1: resposta"
    workbook.book.worksheets[RUBRIC]["B3"].value = "?"
    [label, heading] = read(workbook.data(), later).problems
    assert "labels of item" in label.what and "not all those that were sent" in label.what and label.cell
    assert heading.what.endswith("is another score") and heading.cell == "B3"
    # what is known all the same is shown
    workbook = filled(made)
    workbook.book.worksheets[RUBRIC]["C4"].value = "?"
    [problem] = told(read(workbook.data(), later))
    assert "'Resposta plenamente adeq' became '?'" in problem


def test_a_deleted_text_does_not_make_its_items_labels_wrong(made: tuple[Study, Path]) -> None:
    workbook = filled(made)
    workbook.cell("label", "r1").value = "x"
    workbook.delete_rows(workbook.cell("text", "r1", 2).row)
    gone, label = told(read(workbook.data(), made[0]))
    assert "1 rows of the text" in gone and "'Variante 1: resposta' became 'x'" in label


SPECIAL = {
    "description": "a\tb  c \r\n- \u2265 90% \U0001f44d\U0001f3fd Precisa\u0303o _x000D_ _x0041_ \u0007 \u2028 fim\n\n",
    "other": "=1+1\n\"aspas\"; 'x', <r>y</r>",
    "number": "4",
}


def special(folder: Path) -> Path:
    """Write a rubric with everything that programs change on the way."""
    content = rubric([1, 2, 3])
    described = content["dimensions"]["factual"]
    for value, text in zip((1, 2, 3), SPECIAL.values(), strict=True):
        described["levels"][value] = {"short": text.split()[0][:20], "description": text}
    described |= {"question": SPECIAL["description"], "sets": SPECIAL["other"], "edge_cases": [*SPECIAL.values()]}
    described["examples"] = [{"text": text, "score": 3, "why": text} for text in SPECIAL.values()]
    content["dimensions"] |= {"robustn\u0065\u0301e:1": described | {"title": "=T\u00e9"}}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rubric.yaml"
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    return path


def special_study(folder: Path) -> Study:
    """Make a study of it, with labels and instructions of the same kind."""
    variant = {"original_response": "o", "variant_prompt": "p?", "variant_type": '\u2265 =typo; "x"\tna\u0303o'}
    records = [record("f1", judge_score=3), record("r1", "robustn\u0065\u0301e:1", judge_score=3, **variant)]
    (folder.parent / "note.txt").write_text("\n\n".join(SPECIAL.values()), encoding="utf-8")
    options = ("--rubric", special(folder.parent), "--instructions", folder.parent / "note.txt", "--practice")
    return make(folder, records, "A1,A2", "--lang", "pt-BR", *options)


def test_texts_of_every_kind_come_back_as_they_were_sent(tmp_path: Path) -> None:
    study = special_study(tmp_path / "s")
    workbook = Filled(study, tmp_path / "s" / "send" / "A1.xlsx", {"f1": 3, "r1": 2})
    returned = read((tmp_path / "s" / "send" / "A1.xlsx").read_bytes(), study)
    assert not returned.problems and not returned.warnings
    for name, data in (("A1.xlsx", workbook.data()), ("A1.csv", as_csv(workbook.grid(), ";", "utf-16"))):
        returned = read(data, study, name)
        assert not returned.problems and not returned.warnings, name
    returned = read(as_ods(workbook.grid()), study, "A1.ods")
    assert not returned.problems and not returned.warnings


@pytest.mark.parametrize("astral", ["?", "??"], ids=["LibreOffice", "Excel"])
def test_an_encoding_that_lacks_characters_changes_nothing(astral: str, tmp_path: Path) -> None:
    study = special_study(tmp_path / "s")
    workbook = Filled(study, tmp_path / "s" / "send" / "A1.xlsx", {"f1": 3, "r1": 2})
    grid = [[lossy(value, astral) for value in line] for line in workbook.grid()]
    returned = read(as_csv(grid, ";", "cp1252"), study, "A1.csv")
    assert not returned.problems
    assert any("texts hold characters" in warning for warning in returned.warnings)
    row = workbook.row_of(f"{workbook.codes['f1']}:000") - 1
    grid[row][workbook.keys["text"] - 1] = str(grid[row][workbook.keys["text"] - 1]).replace("90%", "95%")
    [problem] = told(read(as_csv(grid, ";", "cp1252"), study, "A1.csv"))
    assert "the question above item" in problem


def test_an_instruction_that_changed_is_told_in_the_first_sheet(tmp_path: Path) -> None:
    study = special_study(tmp_path / "s")
    workbook = Filled(study, tmp_path / "s" / "send" / "A1.xlsx", {"f1": 3, "r1": 2})
    guide = workbook.book.worksheets[GUIDE]
    [cell] = [guide.cell(line[0].row, 2) for line in guide.iter_rows(max_col=1) if line[0].value == "instructions:1"]
    cell.value = "D\u00ea 3 a tudo."
    [problem] = read(workbook.data(), study).problems
    assert (problem.sheet, problem.cell) == ("Comece aqui", cell.coordinate)
    assert "the instructions were changed" in problem.what and "became 'D\u00ea 3 a tudo.'" in problem.what


def test_an_opening_of_several_rows_is_known_by_any_of_them(tmp_path: Path) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text(yaml.safe_dump(rubric([1, 2, 3], 400), allow_unicode=True), encoding="utf-8")
    study = make(tmp_path / "s", [record("f1", judge_score=2)], "A1,A2", "--rubric", path)
    assert study.locked is not None and len(study.locked["dimension:factual"]) > 1
    workbook = Filled(study, tmp_path / "s" / "send" / "A1.xlsx", {"f1": 3})
    assert not read(workbook.data(), study).problems
    workbook.reordered(lambda rows: rows[::-1])
    returned = read(workbook.data(), study)
    assert not returned.problems and not returned.warnings
    rows = [row for row in range(3, workbook.sheet.max_row + 1)
            if workbook.sheet.cell(row, workbook.keys["part"]).value == "dimension:factual"]  # fmt: skip
    cell = workbook.sheet.cell(rows[0], workbook.keys["text"])
    cell.value = f"{cell.value} mais"
    [problem] = read(workbook.data(), study).problems
    assert problem.cell == cell.coordinate and "what opens the dimension factual was changed" in problem.what
    assert "mais' became" not in problem.what and problem.what.endswith("mais'")


@pytest.mark.parametrize("options", [("--order", "mixed"), ("--overlap", "2")], ids=lambda options: options[0])
def test_what_some_have_and_others_have_not_is_missed_by_nobody(options: tuple[str, ...], tmp_path: Path) -> None:
    records = [record(f"f{n}") for n in range(5)] + RECORDS[1:]
    study = make(tmp_path / "s", records, "A1,A2,A3", *options)
    for name in study.names:
        returned = read((tmp_path / "s" / "send" / f"{name}.xlsx").read_bytes(), study, f"{name}.xlsx")
        assert not returned.problems and not returned.warnings
    if options[0] == "--overlap":
        kinds = [{study.by_code[code].dimension for code in codes} for codes in study.assignments.values()]
        assert any(len(dimensions) < 3 for dimensions in kinds)


def test_a_rubric_that_several_share_is_told_once(made: tuple[Study, Path], tmp_path: Path) -> None:
    """As a spreadsheet of Google has it: a rubric, and for each annotator a first sheet and one to fill in."""
    whole = filled(made)
    other = filled(made, "A2")
    for source in (other.book.worksheets[GUIDE], other.sheet):
        sheet = whole.book.create_sheet(f"{source.title} A2")
        for line in source.iter_rows():
            for cell in line:
                if cell.value is not None:
                    sheet.cell(cell.row, cell.column).value = cell.value
    returned = read(whole.data(), made[0])
    assert not returned.problems and returned.annotations.keys() == {"A1", "A2"}
    whole.book.worksheets[RUBRIC]["D12"].value = "?"
    [problem] = read(whole.data(), made[0]).problems
    assert problem.sheet == "Rubrica" and problem.cell == "D12"


def test_a_rubric_that_was_changed_in_the_study_is_noticed(made: tuple[Study, Path], tmp_path: Path) -> None:
    content = json.loads((made[1] / "study.json").read_text())
    level = content["rubric"]["dimensions"]["factual"]["levels"]["4"]
    level["description"] += " Ou quase."
    (tmp_path / "send").mkdir()
    (tmp_path / "study.json").write_text(json.dumps(content))
    (tmp_path / "send" / "A1.xlsx").write_bytes((made[1] / "send" / "A1.xlsx").read_bytes())
    changed = read_study(tmp_path)
    assert changed.moved() == ["rubric"]
    assert "the sealed rubric changed" in ok("audit-blind", tmp_path, tmp_path / "send")
    # and the workbooks are still compared with what was sent
    assert not read(filled(made).data(), changed).problems


def test_every_problem_is_told_with_its_sheet_what_was_sent_and_what_to_do(
    made: tuple[Study, Path], tmp_path: Path
) -> None:
    (tmp_path / "A1.xlsx").write_bytes(all_changed(filled(made)))
    output = refused("check", made[1], tmp_path / "A1.xlsx")
    lines = [line for line in output.splitlines() if " became '" in line]
    assert len(lines) > 8 and all("send/" in line for line in lines)
    # two sheets have a cell of this name
    assert all(line.split("  ")[1].startswith(("Anotação > ", "Rubrica > ")) for line in lines), lines
    assert {line.split("  ")[1].partition(" > ")[0] for line in lines} == {"Anotação", "Rubrica"}
    # consolidate names the file as well
    told = refused("consolidate", made[1], tmp_path / "A1.xlsx", made[1] / "send" / "A2.xlsx", "-o", tmp_path / "r")
    assert "A1.xlsx > Rubrica > B9: the rubric was changed" in told


def test_the_copy_for_the_annotator_says_it_in_their_language(made: tuple[Study, Path], tmp_path: Path) -> None:
    (tmp_path / "A1.xlsx").write_bytes(all_changed(filled(made)))
    refused("check", made[1], tmp_path / "A1.xlsx", "--annotated", tmp_path / "copy.xlsx")
    rubric_copy = openpyxl.load_workbook(tmp_path / "copy.xlsx").worksheets[RUBRIC]
    notes = [cell.comment.text for line in rubric_copy.iter_rows() for cell in line if cell.comment]
    assert notes and all("Algo bloqueado" in note or "bloque" in note for note in notes)


def test_an_outgoing_workbook_is_as_blind_as_before(made: tuple[Study, Path]) -> None:
    assert ok("audit-blind", made[1], made[1] / "send").count(": blind") == 2


def unchanged(_text: str) -> str:
    return _text


@pytest.mark.parametrize("change", [unchanged, str.upper], ids=["sent", "changed"])
def test_a_closing_question_and_its_answer_are_kept_apart(
    change: Callable[[str], str], made: tuple[Study, Path]
) -> None:
    workbook = filled(made)
    guide = workbook.book.worksheets[GUIDE]
    row = next(line[0].row for line in guide.iter_rows(max_col=1) if line[0].value == "closing:comment")
    guide.cell(row, 2).value = change(str(guide.cell(row, 2).value))
    guide.cell(row, 5).value = "Tudo bem."
    returned = read(workbook.data(), made[0])
    assert returned.closing["A1"] == {"comment": "Tudo bem."}
    assert [problem.cell for problem in returned.problems] == ([] if change is unchanged else [f"B{row}"])
    # an answer is not taken for the question that was deleted
    guide.cell(row, 2).value = None
    [problem] = read(workbook.data(), made[0]).problems
    assert problem.cell == f"B{row}" and not problem.value
