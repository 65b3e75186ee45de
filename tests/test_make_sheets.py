"""make-sheets: what goes out is whole, blind, the same every time, and never lands on top of anything."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.studies import (
    annotation_sheet,
    answer_rows,
    fill,
    make,
    ok,
    record,
    refused,
    toolkit,
    write_csv,
    write_jsonl,
)
from toolkit.i18n import language
from toolkit.model import Item, Response
from toolkit.rubrics import default_rubric
from toolkit.study import check_names, item_codes, read_study
from toolkit.texts import clean, same_text_form
from toolkit.workbook.layout import annotator_layout
from toolkit.workbook.parts import MOST_LINES, labelled_parts, pieces
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.sheets import Book
from toolkit.workbook.xlsx import write

SENTINEL = "SENTINELA-7731"


def judged(item_id: str, dimension: str, **fields: Any) -> dict[str, Any]:
    """A record with a sentinel in every field that an annotator must not see."""
    return record(
        item_id,
        dimension,
        prompt="Which?",
        response="This one.",
        ground_truth="That one.",
        judge_justification=f"{SENTINEL} justification",
        judge_model=f"{SENTINEL}-judge",
        judge_confidence=0.7731,
        provider=f"{SENTINEL}-provider",
        model=f"{SENTINEL}-model",
        category=f"{SENTINEL}-category",
        difficulty=f"{SENTINEL}-difficulty",
        anything_else=f"{SENTINEL}-extra",
        judgements=[{"judge": f"{SENTINEL}-2", "score": 2, "justification": SENTINEL}],
        **fields,
    )


@pytest.mark.parametrize("lang", ["en", "pt-BR", "es"])
def test_nothing_that_could_unblind_is_in_any_part_of_a_workbook(tmp_path: Path, lang: str) -> None:
    """wb-05: neither ids, titles, properties nor hidden parts tell what the visible columns do not."""
    dimensions = ("factual", "consistency", "robustness")
    records = [judged(f"{SENTINEL}-{n}", d, judge_score=3.7731) for n in range(3) for d in dimensions]
    study = make(tmp_path / "s", records, "Ana,Rui,Eva", "--lang", lang)
    assert len(study.items) == 9
    for name in ("Ana", "Rui", "Eva"):
        path = tmp_path / "s" / "send" / f"{name}.xlsx"
        with zipfile.ZipFile(path) as archive:
            parts = {part: archive.read(part).decode("utf-8", "replace") for part in archive.namelist()}
        whole = "\n".join(parts) + "\n".join(parts.values())
        assert SENTINEL not in whole
        assert "7731" not in whole
        for other in {"Ana", "Rui", "Eva"} - {name}:
            assert not re.search(rf"\b{other}\b", whole)
        assert not re.search(r"<(dc:creator|cp:lastModifiedBy)>[^<]+<", whole)
        assert not [part for part in parts if "comment" in part]
    # ... and the coordinator's file has it all
    assert SENTINEL in (tmp_path / "s" / "study.json").read_text()


def test_a_leak_would_be_found_before_anything_is_written(tmp_path: Path) -> None:
    from toolkit.workbook.blindness import audit

    study = make(tmp_path / "s", [record("fat-001", model="modelo-azul-v2", judge_model="juiz-x")], "A1,A2")
    leaks = {
        "an item_id": "see fat-001",
        "the name of a model": "by Modelo-Azul-V2!",
        "the name of a judge": "juiz-x",
        "the name of another annotator": "A2 thinks",
    }
    clean_file = (tmp_path / "s" / "send" / "A1.xlsx").read_bytes()
    assert audit("send/A1.xlsx", clean_file, study) == []
    for what, words in leaks.items():
        book = Book("x", {"annotator": "A1"})
        book.sheet("S").text(0, 0, words, "body")
        problems = audit("send/A1.xlsx", book.data(), study)
        assert [what in str(problem) for problem in problems] == [True], words
    titled = Book("x", {"annotator": "A1"})
    titled.sheet("modelo-azul-v2")
    assert audit("send/A1.xlsx", titled.data(), study)


def with_parts(path: Path, changes: dict[str, tuple[str, str]], more: dict[str, str]) -> bytes:
    """A workbook in whose parts a text is replaced by another, and with more parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(buffer, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name).decode()
            old, new = changes.get(name, ("", ""))
            assert old in content
            copy.writestr(name, content.replace(old, new, 1) if old else content)
        for name, content in more.items():
            copy.writestr(name, content)
    return buffer.getvalue()


FOLDER = '<x15ac:absPath url="C:\\Somebody\\modelo-azul-v2\\x\\" xmlns:x15ac="urn:x"/><workbookPr'
LINK = '<Relationship Id="r" Type="t" TargetMode="External" Target="file:///C:/x/y.xlsx"/></Relationships>'


@pytest.mark.parametrize(
    ("changes", "more", "told"),
    [
        ({"docProps/core.xml": ("<dc:creator>", "<dc:creator>Somebody")}, {}, ["names who made or changed it"]),
        (
            {"docProps/core.xml": ("<cp:lastModifiedBy>", "<cp:lastModifiedBy>Somebody")},
            {},
            ["names who made or changed it"],
        ),
        ({"xl/workbook.xml": ("<workbookPr", FOLDER)}, {}, ["the name of a model", "names a folder"]),
        ({"xl/_rels/workbook.xml.rels": ("</Relationships>", LINK)}, {}, ["names a folder"]),
        ({}, {"xl/revisions/userNames.xml": '<users><userInfo name="x"/></users>'}, ["holds a history of edits"]),
    ],
    ids=["creator", "last-modified-by", "absolute-path", "link-to-a-file", "revisions"],
)
def test_author_path_and_edit_history_are_found(
    tmp_path: Path, changes: dict[str, tuple[str, str]], more: dict[str, str], told: list[str]
) -> None:
    from toolkit.workbook.blindness import audit

    study = make(tmp_path / "s", [record("fat-001", model="modelo-azul-v2")], "A1,A2")
    data = with_parts(tmp_path / "s" / "send" / "A1.xlsx", changes, more)
    problems = audit("send/A1.xlsx", data, study)
    assert [words in problem.what for words, problem in zip(told, problems, strict=True)] == [True] * len(told)
    (tmp_path / "A1.xlsx").write_bytes(data)
    assert told[-1] in refused("audit-blind", tmp_path / "s", tmp_path / "A1.xlsx")


SAID = "The answer leaves out the second region and stays vague on dates."


@pytest.mark.parametrize(
    ("fields", "leaks"),
    [
        ({"ground_truth": f"Four. {SAID[:51]}"}, True),
        ({"prompt": f"What is it? {SAID[14:]}"}, True),
        ({"ground_truth": f"Four. {SAID[:30]}"}, False),
        ({"ground_truth": f"See: {SAID[:51]}", "response": f"I think: {SAID[:51]}"}, False),
        ({"response": f"I think: {SAID[:51]}"}, False),
        ({"response": f"I think: {SAID}"}, True),
    ],
    ids=["start", "end", "few-words", "the-answer-says-so", "in-the-answer", "whole-in-the-answer"],
)
def test_most_of_a_justification_in_a_text_is_a_leak(tmp_path: Path, fields: dict[str, str], leaks: bool) -> None:
    sample = write_jsonl(tmp_path / "s.jsonl", [record("i1", judge_justification=SAID, **fields)])
    result = toolkit("make-sheets", sample, "--annotators", "2", "-o", tmp_path / "s")
    assert (result.exit_code, "quote the judge's justification" in result.output) == (int(leaks), leaks)


def test_a_judge_may_quote_the_reference(tmp_path: Path) -> None:
    reference = "Canberra has been the capital of Australia since 1927."
    said = f"The reference says: {reference} The answer names Sydney, the largest city, which is a common error."
    make(tmp_path / "s", [record("i1", ground_truth=reference, judge_justification=said)], "A1,A2")


def test_names_that_are_ordinary_words_refuse_no_file(tmp_path: Path) -> None:
    words = [("Custom", "Item"), ("Score", "Notes"), ("Rubric", "yes"), ("1", "2")]
    records = [record(str(n), model=model, provider=provider) for n, (model, provider) in enumerate(words, 1)]
    make(tmp_path / "s", records, "A1,Annotation,Doubt")


def test_an_answer_may_name_its_model_as_it_was_written(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1", model="aurora-1", response="Sou o aurora-1.")], "A1,A2")
    book = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx")
    sheet, keys = annotation_sheet(book)
    row = answer_rows(sheet, keys)[study.items[0].item_code]
    assert sheet.cell(row, keys["text"]).value == "Sou o aurora-1."


def test_same_inputs_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    records = [record(f"i{n}", d) for n in range(4) for d in ("factual", "consistency")]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        make(tmp_path / name / "s", records)
    for file in ("study.json", "send/A1.xlsx", "send/A2.xlsx", "send/A3.xlsx"):
        assert (tmp_path / "one" / "s" / file).read_bytes() == (tmp_path / "two" / "s" / file).read_bytes()
    other = tmp_path / "other"
    ok("make-sheets", tmp_path / "one" / "s.jsonl", "--annotators", "3", "--seed", "2", "-o", other, "-q")
    assert read_study(other).study_id != read_study(tmp_path / "one" / "s").study_id


def test_each_annotator_has_an_order_of_their_own_and_dimensions_take_turns(tmp_path: Path) -> None:
    dimensions = ("factual", "consistency", "robustness")
    study = make(tmp_path / "s", [record(f"{d}-{n}", d) for d in dimensions for n in range(8)])
    first_seen = []
    orders = []
    for name in study.names:
        order = [study.by_code[code] for code in study.assignments[name]]
        assert sorted(item.item_code for item in order) == sorted(study.by_code)
        groups = [item.dimension for item in order]
        assert [g for n, g in enumerate(groups) if n == 0 or groups[n - 1] != g] == list(dict.fromkeys(groups))
        first_seen.append(groups[0])
        orders.append([item.item_id for item in order if item.dimension == "factual"])
    assert first_seen == list(dimensions)
    assert len({tuple(order) for order in orders}) == 3
    mixed = make(tmp_path / "m", [record(f"{d}-{n}", d) for d in dimensions for n in range(8)], "3", "--order", "mixed")
    groups = [mixed.by_code[code].dimension for code in mixed.assignments["A1"]]
    assert groups != sorted(groups, key=groups.index)


def test_the_order_says_nothing_about_judge_or_model(tmp_path: Path) -> None:
    plain = make(tmp_path / "a", [record(f"i{n}", judge_score=4, model="m") for n in range(9)])
    other = make(tmp_path / "b", [record(f"i{n}", judge_score=1 + n % 5, model=f"m{n}") for n in range(9)])
    assert plain.assignments == other.assignments


def test_every_text_is_there_whole_and_in_order(cases: Path, tmp_path: Path) -> None:
    real = cases / "two-annotators-pt"
    command = ("make-sheets", real / "items.jsonl", "--annotators", "2", "--markdown", "raw")
    ok(*command, "--lang", "pt-BR", "--seed", "5", "-o", tmp_path / "s")
    study = read_study(tmp_path / "s")
    _ = language("pt-BR")
    sheet, keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "s" / "send" / "A2.xlsx"))
    shown: dict[str, list[str]] = {}
    for row in range(3, sheet.max_row + 1):
        part = str(sheet.cell(row, keys["part"]).value)
        if re.fullmatch(r"\w+:(?!000)\d+", part):
            shown.setdefault(part.split(":")[0], []).append(str(sheet.cell(row, keys["text"]).value))
        assert (sheet.row_dimensions[row].height or 0) <= 409
    assert len(shown) == 30
    for code, texts in shown.items():
        source = [text for _label, text in labelled_parts(study.by_code[code].seen, _)]
        assert "".join("".join(texts).split()) == "".join(clean("".join(source)).split())


@pytest.mark.parametrize(
    ("prompt", "asked", "labels"),
    [
        ("p", [None], ["Question", "Answer"]),
        ("p", [None, None], ["Question", "Answer 1", "Answer 2"]),
        ("p", ["p", "p"], ["Question", "Answer 1", "Answer 2"]),
        ("", ["p", "q"], ["Question 1", "Answer 1", "Question 2", "Answer 2"]),
        # a later answer has a question of its own: the first question is that of the first answer
        ("p", [None, "q"], ["Question 1", "Answer 1", "Question 2", "Answer 2"]),
        ("p", ["p", "q", "p"], ["Question 1", "Answer 1", "Question 2", "Answer 2", "Answer 3"]),
        # one that no answer is given to alone stays the question of them all
        ("p", ["q", "r"], ["Question", "Question 1", "Answer 1", "Question 2", "Answer 2"]),
    ],
)
def test_a_question_is_labelled_as_the_pair_of_its_answer(
    prompt: str, asked: list[str | None], labels: list[str]
) -> None:
    answers = tuple(Response(response="r", prompt=question) for question in asked)
    item = Item(item_code="X", dimension="consistency", prompt=prompt, responses=answers)
    assert [label for label, _text in labelled_parts(item, language("en"))] == labels
    robust = item.model_copy(update={"original_response": "o"})
    assert [label for label, _text in labelled_parts(robust, language("en"))][:1] == [
        "Question" if prompt else "Original answer"
    ]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6000), st.integers(0, 80))
def test_cutting_a_text_loses_nothing_and_fits_the_rows(text: str, repeat: int) -> None:
    item = Item(item_code="X", dimension="factual", responses=(Response(response=text + "\nword " * repeat),))
    found = pieces(item, language("en"), "raw")
    assert all(piece.lines <= MOST_LINES for piece in found)
    assert all(len(piece.text.encode("utf-16-le")) // 2 <= 32_767 for piece in found)
    if found[0].text != "(empty)":
        whole = clean(item.responses[0].response)
        assert "".join("".join(piece.text for piece in found).split()) == "".join(whole.split())


def test_hard_texts_survive_writing_and_reading(tmp_path: Path) -> None:
    """wb-01, wb-03: what no XML holds is replaced and said; line ends and what looks like an escape come through."""
    texts = [
        '=HYPERLINK("http://x")', "+1", "-1", "@a", "\t=1", "'quoted", "http://example.org", "var _x0041_ap = 1",
        "linha 1\r\nlinha 2\rlinha 3", "nul\x00 esc\x1b[31m", "bom \uffff fim \ud800!",
        "😀" * 50, "مرحبا", "<script>&amp;",
        "x" * 40_000, "a\n" * 10_000, " leading", "trailing ", "00123", "8e5", "1-2", "TRUE",
    ]  # fmt: skip
    sample = tmp_path / "s.jsonl"
    lines = [json.dumps(record(f"i{n}", response=text)) for n, text in enumerate(texts)]
    sample.write_text("\n".join(lines) + "\n")
    output = ok("make-sheets", sample, "--annotators", "2", "-o", tmp_path / "s", "--seed", "1")
    assert "i9" in output and "i10" in output  # the items whose characters no sheet can hold are named
    study = read_study(tmp_path / "s")
    sheet, keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx"))
    read: dict[str, str] = {}
    for row in range(3, sheet.max_row + 1):
        cell = sheet.cell(row, keys["text"])
        part = str(sheet.cell(row, keys["part"]).value)
        assert cell.data_type != "f"
        code, _sign, number = part.partition(":")
        item = study.by_code.get(code)
        if item and number.isdecimal() and int(number) > 2:  # after question and reference
            read[item.item_id] = read.get(item.item_id, "") + str(cell.value)
    for n, text in enumerate(texts):
        expected = clean(text) or "(empty)"
        if n == 7:  # what Excel shows is the original; openpyxl delivers its escaped form
            assert read["i7"] in (expected, "var _x005F_x0041_ap = 1")
        else:
            assert "".join(read[f"i{n}"].split()) == "".join(expected.split())


def test_everything_wrong_with_a_sample_is_said_at_once_and_nothing_written(tmp_path: Path) -> None:
    sample = write_jsonl(
        tmp_path / "bad.jsonl",
        [
            record("i1"),
            record("i1"),
            record("i2", "factul"),
            record("i3", judge_score=7),
            {"item_id": "i4", "dimension": "factual", "prompt": "p"},
            {"dimension": "factual", "prompt": "p", "response": "r"},
            record("00123"),
            record("8e5"),
        ],
    )
    output = refused("make-sheets", sample, "--annotators", "3", "-o", tmp_path / "study")
    for told in ("i1", "factul", "factual", "i3", "7", "i4", "line 2", "line 6", "bad.jsonl"):
        assert told in output
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.jsonl", b""),
        ("empty.csv", b""),
        ("blank.json", b"[]"),
        ("photo.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50),
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
        ("fake.xlsx", b"this is no workbook"),
        ("broken.xlsx", b"PK\x03\x04" + b"\0" * 60),
        ("broken.jsonl", b'{"item_id": "i1", '),
        ("list.json", b"[1, 2, 3]"),
    ],
)
def test_a_file_that_is_no_sample_is_named_with_what_to_do(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    output = refused("make-sheets", tmp_path / name, "--annotators", "3", "-o", tmp_path / "study")
    assert name in output and "->" in output
    assert not (tmp_path / "study").exists()
    assert "is not there" in refused("make-sheets", tmp_path / "no.jsonl", "--annotators", "3") or True


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    ids = ["00123", "8e5", "1e10", "2024-01-02", "=1+1", "é|x", " spaced ".strip()]
    study = make(tmp_path / "s", [record(item_id) for item_id in ids], "2")
    assert [item.item_id for item in study.items] == ids
    table = write_csv(
        tmp_path / "s.csv", ["id", "dimension", "prompt", "answer"], [[i, "factual", "p", "r"] for i in ids]
    )
    ok("make-sheets", table, "--annotators", "2", "--map", "response=answer", "-o", tmp_path / "c", "-q")
    assert [item.item_id for item in read_study(tmp_path / "c").items] == ids


def test_nothing_is_overwritten_without_force_and_answers_not_even_with_it(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1"), record("i2")])
    before = {path: path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file()}
    again = ("make-sheets", tmp_path / "s.jsonl", "--annotators", "3", "--seed", "2", "-o", tmp_path / "s")
    assert "--force" in refused(*again)
    assert {path: path.read_bytes() for path in before} == before
    ok(*again, "--force")
    changed = read_study(tmp_path / "s")
    assert changed.study_id != study.study_id
    # somebody fills in the file in send/ itself
    fill(changed, tmp_path / "s", "A2", lambda _item: 4, to="send")
    filled = (tmp_path / "s" / "send" / "A2.xlsx").read_bytes()
    assert "A2.xlsx" in refused(*again, "--force")
    assert (tmp_path / "s" / "send" / "A2.xlsx").read_bytes() == filled


def test_a_study_with_workbooks_that_came_back_is_not_replaced_by_another(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1"), record("i2")])
    fill(study, tmp_path / "s", "A1", lambda _item: 4)
    again = ("make-sheets", tmp_path / "s.jsonl", "--annotators", "3", "-o", tmp_path / "s", "--force")
    assert "filled" in refused(*again, "--seed", "2")
    ok(*again, "--seed", "1")  # the same study may be written again


def test_an_interrupted_run_leaves_no_half_written_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = write_jsonl(tmp_path / "s.jsonl", [record("i1")])
    calls = 0

    def stop(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return Path(self).rename(target)

    monkeypatch.setattr(Path, "replace", stop)
    toolkit("make-sheets", sample, "--annotators", "3", "--seed", "1", "-o", tmp_path / "s")
    monkeypatch.undo()
    written = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert [path.name for path in written] == ["study.json"]
    read_study(tmp_path / "s")


@pytest.mark.parametrize("annotators", ["1", "A1", "0", "", ",", "201"])
def test_fewer_than_two_annotators_is_wrong_usage(tmp_path: Path, annotators: str) -> None:
    sample = write_jsonl(tmp_path / "s.jsonl", [record("i1")])
    result = toolkit("make-sheets", sample, "--annotators", annotators, "-o", tmp_path / "s")
    assert result.exit_code == 2
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "name",
    ["../../evil", "a/b", "a\\b", "CON", "é" * 60, "😀", ".hidden", "x" * 59, "nome com espaço", "A.", "-x", "~$A"],
)
def test_no_name_is_ever_a_path(tmp_path: Path, name: str) -> None:
    sample = write_jsonl(tmp_path / "s.jsonl", [record("i1")])
    ok("make-sheets", sample, "--annotators", f"{name},B", "--seed", "1", "-o", tmp_path / "in" / "s", "-q")
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path != sample)
    assert len(files) == 4  # study.json, two workbooks, the message to send along
    assert all(path.parent in (tmp_path / "in" / "s" / "send", tmp_path / "in" / "s") for path in files)
    assert all(not path.name.startswith((".", "~")) for path in files)


def test_names_that_would_be_confused_are_refused() -> None:
    for names in (["Ana", "ana"], ["A|B", "C"], ["A\nB", "C"], ["x" * 61, "C"], ["", "C"], ["Zoe\u0301", "Zoé"]):
        with pytest.raises(Exception, match="name"):
            check_names(names)


def test_a_study_of_one_item_and_one_of_a_single_dimension(tmp_path: Path) -> None:
    one = make(tmp_path / "one", [record("i1", "robustness", original_response="o")], "A1,A2")
    assert one.assignments["A1"] == one.assignments["A2"] == (one.items[0].item_code,)
    make(tmp_path / "single", [record(f"i{n}", "consistency") for n in range(3)], "4")


@given(st.lists(st.tuples(st.text(max_size=8), st.sampled_from(["factual", "x"])), unique=True, max_size=60))
@settings(max_examples=50)
def test_codes_are_opaque_different_and_no_number_or_date(keys: list[tuple[str, str]]) -> None:
    codes = item_codes(keys, 7)
    assert len(set(codes)) == len(keys)
    assert codes == item_codes(keys, 7)
    assert all(re.fullmatch("[BCDFGHJKLMNPQRSTVWXZ][2-9][BCDFGHJKLMNPQRSTVWXZ]{2,}", code) for code in codes)


def test_many_items_have_room_for_their_codes() -> None:
    codes = item_codes([(str(n), "factual") for n in range(30_000)], 1)
    assert len(set(codes)) == 30_000


def test_the_sheet_has_what_an_annotator_needs(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1"), record("i2"), record("r1", "robustness")], "3", "--lang", "pt-BR")
    book = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx")
    sheet, keys = annotation_sheet(book)
    rows = answer_rows(sheet, keys)
    assert len(rows) == 3
    assert sheet.freeze_panes == "A3"
    assert sheet.row_dimensions[1].hidden
    spans = [(d.min, d.max) for d in sheet.column_dimensions.values() if d.hidden]
    hidden = {key for key, column in keys.items() if any(first <= column <= last for first, last in spans)}
    assert hidden == {"study", "annotator", "part", "dimension"}
    assert sheet.protection.sheet and not sheet.protection.password
    open_cells = {cell.coordinate for line in sheet.iter_rows() for cell in line if not cell.protection.locked}
    expected = {
        sheet.cell(row, keys[key]).coordinate
        for row in rows.values()
        for key in ("score", "justification", "doubt", "notes")
    }
    assert open_cells == expected
    validations = {str(v.sqref): v for v in sheet.data_validations.dataValidation}
    score = next(v for v in validations.values() if v.formula1 == '"1,2,3,4,5"')
    assert score.errorStyle in (None, "stop") and score.showErrorMessage
    assert 0 < len(score.prompt) <= 255
    levels = study.rubric.dimensions["factual"].levels
    texts = [str(cell.value) for line in sheet.iter_rows() for cell in line if cell.value]
    assert all(any(levels[value].description in text for text in texts) for value in (1, 2, 3, 4, 5))
    properties = {p.name: p.value for p in book.custom_doc_props.props}
    assert properties == {"study": study.study_id, "annotator": "A1", "layout": "1"}
    guide = [str(cell.value) for line in book.worksheets[0].iter_rows() for cell in line if cell.value is not None]
    assert study.study_id in guide and "A1" in guide


def test_levels_stand_right_above_the_answer_cells_and_are_not_cut(tmp_path: Path) -> None:
    from toolkit.workbook.layout import LEVELS_WIDTH_PX, SMALL_POINTS
    from toolkit.workbook.measure import height, line_count

    rubric = default_rubric("pt-BR")
    items = [
        Item(item_code="A", dimension="factual", responses=(Response(response="r"),)),
        Item(item_code="B", dimension="robustness", prompt="p", responses=(Response(response="long " * 3000),)),
    ]
    layout = annotator_layout(items, rubric, study_id="s", annotator="A1", language_code="pt-BR", markdown="raw")
    for place, row in enumerate(layout.rows):
        if row.levels:
            span = layout.rows[place : place + row.levels]
            needed = height(line_count(layout.levels_text(row.dimension), LEVELS_WIDTH_PX, SMALL_POINTS), SMALL_POINTS)
            assert sum(part.height for part in span) >= needed
            assert layout.rows[place + row.levels].kind == "answer"
    assert sum(row.levels > 0 for row in layout.rows) == 2
    openpyxl.load_workbook(io.BytesIO(write(layout)))


def test_the_hash_of_a_text_survives_what_programs_do_to_it() -> None:
    assert same_text_form("a_x000D_\nb") == same_text_form("a\r\nb") == same_text_form("a\nb  ")
    assert same_text_form("Precisa\u0303o") == same_text_form("Precisão")
    assert same_text_form("a b") != same_text_form("ab")


def test_there_is_a_folder_for_what_comes_back(tmp_path: Path) -> None:
    make(tmp_path / "s", [record("i1")])
    assert (tmp_path / "s" / "filled").is_dir() and not list((tmp_path / "s" / "filled").iterdir())
    assert "no filled workbook is there" in refused("consolidate", tmp_path / "s")


@pytest.mark.parametrize("code", ["en", "pt-BR", "es"])
def test_the_examples_of_init_are_not_sent_out_in_silence(code: str, tmp_path: Path) -> None:
    ok("init", tmp_path / "study", "--lang", code)
    sample, rubric = tmp_path / "study" / "sample.csv", tmp_path / "study" / "rubric.yaml"
    said = ok("make-sheets", sample, "--rubric", rubric, "--annotators", "2", "-o", tmp_path / "s")
    assert "examples that toolkit init wrote, to be replaced by yours (" in said
    make(tmp_path / "own", [record("fact-01")])
    assert "toolkit init wrote" not in ok("status", tmp_path / "own")


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(st.sampled_from(["_x0041_", "x0042_", "_x005F_", "_", "x00e9", "_x", "A", "\x1b"]), max_size=6))
def test_what_looks_like_an_escape_is_shown_as_it_is(parts: list[str]) -> None:
    text = "a" + "".join(parts)
    book = Book("t")
    book.sheet("s").text(0, 0, text, "cell")
    with zipfile.ZipFile(io.BytesIO(book.data())) as archive:
        strings = archive.read("xl/sharedStrings.xml").decode()
    stored = re.findall("<t[^>]*>([^<]*)</t>", strings)
    assert [unescape(one) for one in stored] == [clean(text)]


def test_two_annotators_are_said_to_be_a_fallback(tmp_path: Path) -> None:
    sample = write_jsonl(tmp_path / "s.jsonl", [record("i1")])
    assert "two annotators are a fallback" in ok("make-sheets", sample, "--annotators", 2, "-o", tmp_path / "two")
    assert "fallback" not in ok("make-sheets", sample, "--annotators", 3, "-o", tmp_path / "three")
