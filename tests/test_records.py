"""Judged samples in: all the forms that answers and scores come in, and every reason to refuse one, at once."""

import csv
import json
import math
from pathlib import Path

import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.errors import Problem, ToolkitError
from toolkit.model import Judgement, Response, Scale
from toolkit.records import JudgeTable, Sample, read_judgements, read_records

SCALE = Scale()
DIMENSIONS = ("factual", "consistency", "robustness")


def put(folder: Path, name: str, content) -> Path:
    """Write text as it is, a list of dicts as JSON Lines, anything else as JSON."""
    path = folder / name
    if isinstance(content, list) and path.suffix == ".jsonl":
        content = "\n".join(json.dumps(record, ensure_ascii=False) for record in content)
    elif not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    path.write_bytes(content.encode("utf-8"))
    return path


def item(item_id="i1", dimension="factual", **fields):
    return {"item_id": item_id, "dimension": dimension, "response": "r", **fields}


def read(folder: Path, records, **options) -> Sample:
    return read_records(put(folder, "s.jsonl", records), scale=SCALE, **options)


def refused(folder: Path, records, **options) -> tuple[Problem, ...]:
    with pytest.raises(ToolkitError) as caught:
        read(folder, records, **options)
    return caught.value.problems


def judged(folder: Path, content, name="j.csv", scale=SCALE, **options) -> JudgeTable:
    return read_judgements(put(folder, name, content), scale=scale, **options)


def judged_badly(folder: Path, content, name="j.csv", **options) -> tuple[Problem, ...]:
    with pytest.raises(ToolkitError) as caught:
        judged(folder, content, name, **options)
    return caught.value.problems


def the_judgement(sample: Sample) -> Judgement:
    ((judgement,),) = [record.judgements for record in sample.records]
    return judgement


# --- identifiers and dimensions


@pytest.mark.parametrize(
    ("raw", "text"), [("00123", "00123"), ("8e5", "8e5"), (" x ", "x"), (17, "17"), ("1.0", "1.0"), ("TRUE", "TRUE")]
)
def test_identifiers_are_text(tmp_path, raw, text):
    assert read(tmp_path, [item(raw)]).records[0].item.item_id == text


@pytest.mark.parametrize("raw", [8e5, 1.5, True, ["a"], {"a": 1}])
def test_identifiers_that_are_none(tmp_path, raw):
    (found,) = refused(tmp_path, [item(raw)])
    assert "item_id" in found.what and found.cell == "line 1" and found.fix


def test_a_judge_score_is_what_its_cell_shows(tmp_path):
    path = tmp_path / "j.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["item_id", "dimension", "prompt", "response", "judge_score"])
        looks = [{"num_format": '"5"'}, {"num_format": ";;;"}, {"font_strikeout": True}, {"num_format": "0.00"}]
        for row, look in enumerate(looks, 1):
            sheet.write_row(row, 0, [f"i{row}", "factual", "p", "r"])
            # a mean is shown with as many decimals as anybody likes
            sheet.write_number(row, 4, 4 + 2 / 3 if row == 4 else 4, book.add_format(look))
    with pytest.raises(ToolkitError) as caught:
        read_records(path, scale=Scale())
    assert [(p.cell, p.what) for p in caught.value.problems] == [
        ("E2", "item i1: judge_score is stored as 4.0, but the cell shows 5"),
        ("E3", "item i2: judge_score is stored as 4.0, but the cell shows nothing"),
        ("E4", "item i3: judge_score is struck out"),
    ]


def test_an_unquoted_decimal_comma_makes_no_judge_score(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text(
        "item_id,dimension,prompt,response,judge_score,judge_justification\n"
        "i1,factual,p,r,4,good\ni2,factual,p,r,3,5,\ni3,factual,p,r,5,good\n"
    )
    with pytest.raises(ToolkitError) as caught:
        read_records(path, scale=Scale())
    [problem] = caught.value.problems
    assert problem.cell == "line 3" and problem.value == "3,5," and "has 7 cells" in problem.what


def test_csv_and_xlsx_leave_identifiers_alone(tmp_path):
    text = "item_id,dimension,response\n00123,d,r\n8e5,d,r\n1.50,d,r\n"
    sample = read_records(put(tmp_path, "s.csv", text), scale=SCALE)
    assert [record.item.item_id for record in sample.records] == ["00123", "8e5", "1.50"]
    with xlsxwriter.Workbook(tmp_path / "s.xlsx") as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([["item_id", "dimension", "response"], ["00123", "d", "r"], [17, "d", 1969]]):
            sheet.write_row(number, 0, row)
    sample = read_records(tmp_path / "s.xlsx", scale=SCALE)
    assert [record.item.item_id for record in sample.records] == ["00123", "17"]
    assert sample.records[1].item.responses[0].response == "1969"


def test_an_identifier_is_what_the_format_of_its_cell_shows(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "s.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["item_id", "dimension", "response", "judge_score"])
        sheet.write_row(1, 0, [123, "d", "r"], book.add_format({"num_format": "00000"}))
        sheet.write_number(1, 3, 4, book.add_format({"num_format": "00"}))
    record = read_records(tmp_path / "s.xlsx", scale=SCALE).records[0]
    assert (record.item.item_id, record.judgements[0].score) == ("00123", 4)


def test_a_date_that_a_program_made_of_an_identifier_is_refused(tmp_path):
    import datetime

    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["item_id", "dimension", "response", "when"])
    book.active.append([datetime.date(2026, 1, 2), "d", "r", datetime.date(2026, 1, 2)])
    book.save(tmp_path / "s.xlsx")
    with pytest.raises(ToolkitError, match=r"A2: .*date"):
        read_records(tmp_path / "s.xlsx", scale=SCALE)


@pytest.mark.parametrize("name", ["item_id", "id", "scenario_id", "Item_ID"])
def test_names_of_the_identifier(tmp_path, name):
    sample = read(tmp_path, [{name: "a", "dimension": "d", "chatbot_response": "r"}])
    assert sample.records[0].item.item_id == "a"
    assert sample.records[0].item.responses == (Response(response="r"),)


def test_an_id_beside_the_item_id_is_the_users_own(tmp_path):
    assert read(tmp_path, [item("a", id=99)]).records[0].item.extra == {"id": 99}


def test_two_names_for_one_field_that_differ_are_not_chosen_between(tmp_path):
    (found,) = refused(tmp_path, [{"id": "a", "scenario_id": "b", "dimension": "d", "response": "r"}])
    assert "id and scenario_id" in found.what
    (found,) = refused(tmp_path, [item(chatbot_response="other")])
    assert "response and chatbot_response" in found.what
    assert read(tmp_path, [item(chatbot_response="r")]).records[0].item.extra == {}


def test_duplicates_name_both_lines(tmp_path):
    (found,) = refused(tmp_path, [item("a"), item("b"), item(" a"), item("a", "consistency")])
    assert "line 1 and in line 3" in found.what and "item a" in found.what and found.cell == "line 3"


def test_unknown_dimension_lists_the_known_and_the_nearest(tmp_path):
    (found,) = refused(tmp_path, [item(dimension="Factuall")], dimensions=DIMENSIONS)
    assert found.value == "Factuall" and "'factual'" in found.fix and "consistency, robustness" in found.fix
    (found,) = refused(tmp_path, [item(dimension="zzz")], dimensions=DIMENSIONS)
    assert "perhaps" not in found.fix
    assert len(read(tmp_path, [item(dimension="zzz")]).records) == 1


@pytest.mark.parametrize("text", ["id,response\na,r\n", "dimension,response\nd,r\n"])
def test_a_column_that_is_absent_is_said_once(tmp_path, text):
    with pytest.raises(ToolkitError) as caught:
        read_records(put(tmp_path, "s.csv", text + text.split("\n")[1] + "\n"), scale=SCALE)
    (found,) = caught.value.problems
    assert "there is no column" in found.what and "--map" in found.fix


# --- answers


def test_one_response_with_its_variant(tmp_path):
    sample = read(
        tmp_path, [item(dimension="robustness", original_response="o", variant_prompt="p2", variant_type="t")]
    )
    found = sample.records[0].item
    assert found.responses == (Response(response="r", prompt="p2", variant_type="t"),)
    assert found.original_response == "o" and found.extra == {}


@pytest.mark.parametrize(
    "responses",
    [
        ["a", "b"],
        [{"response": "a"}, "b"],
        [{"response": "a", "prompt": None}, {"chatbot_response": "b"}],
        '["a", "b"]',
        ' [{"response": "a"}, {"response": "b"}]',
    ],
)
def test_lists_of_responses(tmp_path, responses):
    record = {"item_id": "i", "dimension": "d", "responses": responses}
    assert read(tmp_path, [record]).records[0].item.responses == (Response(response="a"), Response(response="b"))


def test_a_list_with_prompts_and_fields_nobody_knows(tmp_path):
    responses = [{"response": "a", "prompt": "p1", "variant_type": "v", "tokens": 3}, {"response": "b"}]
    found = read(tmp_path, [{"item_id": "i", "dimension": "d", "responses": responses}]).records[0].item
    assert found.responses == (Response(response="a", prompt="p1", variant_type="v"), Response(response="b"))
    assert found.extra == {"responses": [{"tokens": 3}, {}]}


def test_comparison_responses_join_the_response(tmp_path):
    found = read(tmp_path, [item(dimension="consistency", comparison_responses=["b", "c"])]).records[0].item
    assert [response.response for response in found.responses] == ["r", "b", "c"]


def test_numbered_columns(tmp_path):
    text = (
        "item_id,dimension,response_2,prompt_2,response_1,Variant_Type_1,response_10\n"
        "a,d,two,p2,one,typo,ten\n"
        "b,d,,,one,,\n"
    )
    first, second = (r.item for r in read_records(put(tmp_path, "s.csv", text), scale=SCALE).records)
    assert first.responses == (
        Response(response="one", variant_type="typo"),
        Response(response="two", prompt="p2"),
        Response(response="ten"),
    )
    assert second.responses == (Response(response="one"),)
    assert first.extra == {}


def test_numbered_columns_can_be_mapped(tmp_path):
    text = "item_id,dimension,first,second\na,d,x,y\n"
    rename = {"response_1": "second", "response_2": "first"}
    found = read_records(put(tmp_path, "s.csv", text), scale=SCALE, rename=rename).records[0].item
    assert [response.response for response in found.responses] == ["y", "x"]


def test_response_columns_without_a_number_are_the_users_own(tmp_path):
    found = read(tmp_path, [item(response_a="x", prompt_1="p")]).records[0].item
    assert found.extra == {"response_a": "x", "prompt_1": "p"}


def test_an_answer_that_is_empty_is_an_answer_where_it_says_so(tmp_path):
    (record,) = read(tmp_path, [item(response=None, responses=[""])]).records
    assert [one.response for one in record.item.responses] == [""]


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({}, "no responses"),
        ({"response": ""}, "no responses"),
        ({"response": " \n"}, "no responses"),
        ({"responses": []}, "no responses"),
        ({"responses": None}, "no responses"),
        ({"responses": "um; dois"}, "not a list"),
        ({"responses": "[um, dois]"}, "not a valid JSON list"),
        ({"responses": "[" * 5000}, "not a valid JSON list"),
        ({"responses": '["a", NaN]'}, "wrong at [1]"),
        ({"responses": {"response": "a"}}, "an object, not a list"),
        ({"responses": 4}, "a number, not a list"),
        ({"responses": [None]}, "number 1 holds no response"),
        ({"responses": [{"prompt": "p"}]}, "number 1 holds no response"),
        ({"responses": [["a"]]}, "response 1 is a list"),
        ({"responses": [{"response": True}]}, "true or false"),
        ({"response": ["a"]}, "is a list"),
        ({"response": {"text": "a"}}, "is an object"),
        ({"response": True}, "true or false"),
        ({"response": "x", "responses": ["a", "b"]}, "not among its responses"),
        ({"responses": ["a"], "comparison_responses": ["b"]}, "twice"),
        ({"responses": ["a"], "response_1": "b"}, "twice"),
        ({"response_1": "a", "prompt_2": "p"}, "no response_2"),
        ({"response": "a", "ground_truth": ["x"]}, "ground_truth is a list"),
        ({"response": "a", "category": True}, "category is true or false"),
        ({"response": "a", "weight": 0}, "not positive"),
        ({"response": "a", "weight": "many"}, "weight is not a number"),
        ({"response": "a", "inclusion_probability": 1.2}, "probability"),
    ],
)
def test_answers_that_are_none(tmp_path, fields, word):
    (found,) = refused(tmp_path, [{"item_id": "i7", "dimension": "d", "prompt": "p", **fields}])
    assert word in found.what and "item i7" in found.what and found.cell == "line 1" and found.fix


def test_texts_come_through_unchanged(tmp_path):
    text = "  um\u2028dois\r\n\ttrês \u0085 fim \udcb2 "
    record = json.dumps({"item_id": "i", "dimension": "d", "prompt": text, "response": text, "note": text})
    found = read(tmp_path, record).records[0].item
    assert (found.prompt, found.responses[0].response, found.extra["note"]) == (text, text, text)


def test_strata_and_unknown_fields_are_kept(tmp_path):
    sample = read(
        tmp_path,
        [item(category="geo", provider="p", model="m", difficulty=2, stratum="s", weight="1.5", cluster="c", n=[{}])],
    )
    found = sample.records[0].item
    assert (found.category, found.provider, found.model, found.difficulty) == ("geo", "p", "m", "2")
    assert (found.stratum, found.weight, found.cluster, found.extra) == ("s", 1.5, "c", {"n": [{}]})
    json.dumps(found.extra)


def test_blank_strata_are_absent_and_their_records_are_kept(tmp_path):
    records = [item(f"i{n}", category=value) for n, value in enumerate(["saude", None, "", " "])]
    assert [r.item.category for r in read(tmp_path, records).records] == ["saude", None, None, None]


def test_what_is_fine_but_worth_saying(tmp_path):
    said = "\n".join(
        read(
            tmp_path,
            [
                item("a"),
                {"item_id": "b", "dimension": "consistency", "responses": ["x"]},
                item("c", "robustness"),
                {"item_id": "d", "dimension": "other", "responses": ["x", " "]},
            ],
        ).warnings
    )
    assert "ground_truth to compare with (a)" in said and "one response only (b)" in said
    assert "original_response to compare with (c)" in said and "responses is empty (d)" in said


# --- --map


def test_map(tmp_path):
    text = "ID,dim,response,answer,model\n1,d,old,new,x\n"
    rename = {"item_id": "id", "dimension": "dim", "response": "answer", "provider": "model"}
    found = read_records(put(tmp_path, "s.csv", text), scale=SCALE, rename=rename).records[0].item
    assert (found.item_id, found.dimension, found.responses) == ("1", "d", (Response(response="new"),))
    assert (found.provider, found.model, found.extra) == ("x", None, {"response": "old"})


def test_map_of_what_is_not_there(tmp_path):
    found = refused(tmp_path, [item(answer="x")], rename={"respons": "answer", "prompt": "anser", "category": "zzz"})
    assert ["'respons'" in found[0].what, "'anser'" in found[1].what, "'zzz'" in found[2].what] == [True] * 3
    assert "'response'" in found[0].fix and "'answer'" in found[1].fix and "answer" in found[2].fix


# --- judge scores


@pytest.mark.parametrize(
    ("raw", "score"),
    [(4, 4.0), ("4 ", 4.0), ("4,5", 4.5), (4.67, 4.67), ("４", 4.0), (1, 1.0), (5.000000000000001, 5.0), ("4e0", 4.0)],
)
def test_judge_scores(tmp_path, raw, score):
    judgement = the_judgement(read(tmp_path, [item(judge_score=raw)]))
    assert (judgement.score, judgement.judge) == (score, "judge")


@pytest.mark.parametrize(
    "raw",
    [
        7,
        0,
        "0",
        5.1,
        0.999,
        True,
        False,
        "true",
        "NaN",
        "nan",
        "inf",
        "4/5",
        "3-4",
        "4;5",
        "four",
        [4],
        {"s": 4},
        10**400,
    ],
)
def test_judge_scores_that_are_none(tmp_path, raw):
    (found,) = refused(tmp_path, [item("i7", judge_score=raw)])
    assert "judge_score" in found.what and "item i7" in found.what and found.cell == "line 1" and found.fix


@pytest.mark.parametrize("raw", ["NaN", "Infinity", "1e400"])
def test_judge_scores_that_json_does_not_know(tmp_path, raw):
    line = json.dumps(item("i7", judge_score="?")).replace('"?"', raw)
    (found,) = refused(tmp_path, line)
    assert found.cell == "line 1" and "judge_score" in found.what


def test_nominal_judge_scores(tmp_path):
    scale = Scale(kind="nominal", values=("A", "B", "tie"))
    path = put(
        tmp_path, "s.jsonl", [item("a", judge_score="A"), item("b", judge_score="Tie ", judge_scores=["tie", "A"])]
    )
    first, second = read_records(path, scale=scale).records
    assert (first.judgements[0].score, second.judgements[0].score) == ("A", "tie")
    assert second.judgements[0].scores == (2.0, 0.0)
    for wrong in ("C", 1, True):
        with pytest.raises(ToolkitError, match="judge_score"):
            read_records(put(tmp_path, "s.jsonl", [item(judge_score=wrong)]), scale=scale)


def test_everything_of_a_judgement(tmp_path):
    judgement = the_judgement(
        read(
            tmp_path,
            [
                item(
                    judge_score=4.5,
                    judge_scores=[4, "5"],
                    judge_unit="response",
                    judge_justification="why",
                    judge_model=" gpt ",
                    judge_confidence="0,9",
                )
            ],
        )
    )
    assert judgement == Judgement(
        item_id="i1",
        dimension="factual",
        judge="gpt",
        score=4.5,
        scores=(4, 5),
        unit="response",
        justification="why",
        confidence=0.9,
    )


def test_the_mean_of_judge_scores_where_there_is_no_judge_score(tmp_path):
    sample = read(tmp_path, [item(judge_scores=[4, None, 5, 5])])
    assert math.isclose(the_judgement(sample).score, 14 / 3)
    assert any("mean of judge_scores" in w for w in sample.warnings)
    assert any("blank among judge_scores" in w for w in sample.warnings)


def test_judge_score_that_is_not_the_mean_is_kept_and_said(tmp_path):
    sample = read(tmp_path, [item(judge_score=4, judge_scores="[4, 5, 5]")])
    assert the_judgement(sample).score == 4
    assert any("not the mean" in warning for warning in sample.warnings)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"judge_scores": [4, 9]}, "judge_scores is outside"),
        ({"judge_scores": "4,5,4"}, "judge_scores is a text, not a list"),
        ({"judge_scores": {"a": 1}}, "judge_scores is an object"),
        ({"judge_scores": [True]}, "judge_scores is true or false"),
        ({"judge_score": 4, "judge_unit": "item"}, "judge_unit"),
        ({"judge_score": 4, "judge_confidence": "high"}, "judge_confidence is not a number"),
        ({"judge_score": 4, "judge_justification": ["x"]}, "judge_justification is a list"),
        ({"judgements": "gpt: 4"}, "judgements is a text"),
        ({"judgements": ["4"]}, "number 1 is a text"),
        ({"judgements": [{"score": 4}]}, "has no judge"),
        ({"judgements": [{"judge": " ", "score": 4}]}, "has no judge"),
        ({"judgements": [{"judge": ["a"], "score": 4}]}, "judge is a list"),
        ({"judgements": [{"judge": "a", "score": 0}]}, "outside the scale"),
        ({"judgements": [{"judge": "a", "scores": 4}]}, "scores is a number"),
        ({"judgements": [{"judge": "a", "score": 4, "confidence": "x"}]}, "confidence"),
        ({"judgements": [{"judge": "a", "score": 4}, {"judge": "a", "score": 5}]}, "twice"),
        ({"judge_score": 3, "judge_model": "a", "judgements": [{"judge": "a", "score": 4}]}, "disagree"),
    ],
)
def test_judgements_that_are_none(tmp_path, fields, word):
    (found,) = refused(tmp_path, [item("i7", **fields)])
    assert word in found.what and "item i7" in found.what and found.fix


def test_several_judges_the_first_is_the_headline(tmp_path):
    judgements = [{"judge": "b", "score": 3, "justification": "w", "confidence": 1}, {"judge": "a", "score": 4, "k": 1}]
    sample = read(tmp_path, [item("x", judgements=judgements), item("y", judgements=judgements[::-1])])
    assert sample.headline_judge == "b"
    assert [[j.judge for j in record.judgements] for record in sample.records] == [["b", "a"], ["b", "a"]]
    assert sample.records[0].judgements[0].justification == "w"
    assert sample.records[0].item.extra == {"judgements": [{}, {"k": 1}]}


def test_judge_score_is_the_headline_judge_even_among_several(tmp_path):
    records = [
        item(judge_score=4.5, judge_model="m", judgements=[{"judge": "a", "score": 3}, {"judge": "m", "score": 4.5}])
    ]
    sample = read(tmp_path, records)
    assert [(j.judge, j.score) for j in sample.records[0].judgements] == [("m", 4.5), ("a", 3)]
    assert sample.headline_judge == "m"


def test_the_judges_name_when_records_differ(tmp_path):
    sample = read(tmp_path, [item("a", judge_score=4, judge_model="m"), item("b", judge_score=4, judge_model="n")])
    assert sample.headline_judge == "judge" and any("m, n" in warning for warning in sample.warnings)
    assert read(tmp_path, [item("a", judge_score=4), item("b", judge_score=4)]).warnings[:-1] == ()


def test_missing_judge_scores_are_allowed_and_said(tmp_path):
    sample = read(tmp_path, [item("a", judge_score=4), item("b"), item("c", judge_score=None)])
    assert [len(record.judgements) for record in sample.records] == [1, 0, 0]
    assert any("no judge score (b, c)" in warning for warning in sample.warnings)
    sample = read(tmp_path, [item("a")])
    assert sample.headline_judge is None and not any("judge" in warning for warning in sample.warnings)


def test_every_problem_of_the_file_at_once_in_its_order(tmp_path):
    lines = [
        json.dumps(item("a", judge_score=7)),
        json.dumps(item("a")),
        "{broken",
        json.dumps(item("c", "tone")),
        json.dumps({"item_id": "d", "dimension": "factual"}),
        json.dumps({"dimension": "factual", "response": "r", "judge_score": True}),
        '{"item_id": "e", "dimension": "factual", "response": "r", "judge_score": NaN}',
        json.dumps(item("f")),
    ]
    found = refused(tmp_path, "\n".join(lines), dimensions=DIMENSIONS)
    assert [p.cell for p in found] == [f"line {n}" for n in (1, 2, 3, 4, 5, 6, 6, 7)]
    assert all(p.file.name == "s.jsonl" and p.what and p.fix for p in found)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.csv", ""),
        ("s.jsonl", "\n"),
        ("s.json", "[]"),
        ("s.csv", "%PDF-1.7"),
        ("s.csv", "item_id,dimension,response\n"),
    ],
)
def test_empty_files_and_files_of_the_wrong_kind(tmp_path, name, content):
    with pytest.raises(ToolkitError, match=name):
        read_records(put(tmp_path, name, content), scale=SCALE)


# --- llm-eval

GOLDEN = {
    "version": "1",
    "annotation_protocol": {"overview": "x"},
    "scenarios": [
        {
            "id": "g1",
            "dimension": "factual",
            "prompt": "q",
            "category": "geo",
            "ground_truth": "t",
            "chatbot_response": "a",
            "human_scores": [{"annotator_id": "A1", "score": 5, "justification": "ok"}],
            "human_consensus_score": 5,
        },
        {
            "id": "g2",
            "dimension": "consistency",
            "prompt": "q",
            "chatbot_response": "a",
            "comparison_responses": ["b", "c"],
        },
        {
            "id": "g3",
            "dimension": "robustness",
            "prompt": "q",
            "original_response": "o",
            "variant_type": "adversarial",
            "variant_prompt": "q!",
            "chatbot_response": "a",
        },
    ],
}


def test_golden_set(tmp_path):
    sample = read_records(put(tmp_path, "golden_set.json", GOLDEN), scale=SCALE, dimensions=DIMENSIONS)
    first, second, third = (record.item for record in sample.records)
    assert (first.item_id, first.ground_truth, first.category) == ("g1", "t", "geo")
    assert first.extra == {
        "human_scores": [{"annotator_id": "A1", "score": 5, "justification": "ok"}],
        "human_consensus_score": 5,
    }
    assert [r.response for r in second.responses] == ["a", "b", "c"]
    assert third.responses == (Response(response="a", prompt="q!", variant_type="adversarial"),)
    assert (third.original_response, sample.headline_judge, sample.warnings) == ("o", None, ())


def result(score, why="w", model="gemini", dimension=None, **metadata):
    return {
        "dimension": dimension,
        "score": score,
        "justification": why,
        "metadata": {"judge_model": model, **metadata},
    }


def scenario(scenario_id, dimension, **fields):
    base = {"scenario_id": scenario_id, "dimension": dimension, "category": "c", "prompt": "q", "metric_results": [1]}
    return {**base, "error": None, "variant_responses": {}, **fields}


def answers(*texts):
    return [{"response_text": text, "model": "m"} for text in texts]


def run(*scenarios):
    provider = {"type": "openai", "model": "chat-1", "api_key_env": "K"}
    return {"run_id": "r", "config": {"provider": provider}, "scenario_results": list(scenarios)}


def test_run_result(tmp_path):
    content = run(
        scenario(
            "f", "factual", responses=answers("a", "b", "c"), judge_results=[result(4), result(5), result(5, "v")]
        ),
        scenario(
            "k",
            "consistency",
            responses=answers("a"),
            variant_responses={"v1": answers("b"), "v2": answers("c")},
            judge_results=[result(4, dimension="consistency")],
        ),
        scenario(
            "r",
            "robustness",
            responses=answers("o"),
            variant_responses={"typo": answers("x", "y"), "adversarial": answers("z")},
            judge_results=[result(4), result(1), result(3)],
        ),
        scenario("t", "factual", responses=answers("a"), judge_results=[result(4), result(5)]),
    )
    sample = read_records(put(tmp_path, "run_result.json", content), scale=SCALE, dimensions=DIMENSIONS)
    f, k, r, t = sample.records
    assert sample.headline_judge == "gemini"
    assert (f.item.model, f.item.provider, f.item.category, f.item.prompt) == ("chat-1", "openai", "c", "q")
    assert f.item.extra == {"metric_results": [1]}
    assert [x.response for x in f.item.responses] == ["a", "b", "c"]
    (judgement,) = f.judgements
    assert (judgement.scores, judgement.unit, judgement.justification) == ((4, 5, 5), "response", "w\n\nv")
    assert math.isclose(judgement.score, 14 / 3)
    assert [(x.response, x.variant_type) for x in k.item.responses] == [("a", None), ("b", "v1"), ("c", "v2")]
    assert (k.judgements[0].score, k.judgements[0].unit) == (4, "set")
    assert r.item.original_response == "o"
    assert [(x.response, x.variant_type) for x in r.item.responses] == [
        ("x", "typo"),
        ("y", "typo"),
        ("z", "adversarial"),
    ]
    assert (r.judgements[0].unit, t.judgements[0].unit) == ("response", "set")
    assert sample.warnings == ("factual, but without a ground_truth to compare with (f, t)",)


def test_run_result_with_gaps(tmp_path):
    content = run(
        scenario("a", "factual", responses=answers("x", "y"), judge_results=[result(4), result(None, "unreadable")]),
        scenario("b", "factual", responses=answers("x"), judge_results=[result(1, parse_method="failed")]),
        scenario("c", "factual", responses=[], judge_results=[], error="HTTP 500"),
        scenario("d", "factual", responses=answers("x"), judge_results=[result(3), result(2, dimension="tone")]),
        scenario(
            "e", "robustness", responses=answers("o", "p"), variant_responses={"v": answers("x")}, judge_results=None
        ),
    )
    sample = read_records(put(tmp_path, "run_result.json", content), scale=SCALE)
    a, b, d, e = sample.records
    assert (a.judgements[0].score, a.judgements[0].scores, a.judgements[0].unit) == (4, (4,), "response")
    assert b.judgements == () and d.judgements[0].score == 3 and e.judgements == ()
    said = "\n".join(sample.warnings)
    assert "without a score are left out (a, b)" in said and "there is no answer (c)" in said
    assert "another dimension are left out (d)" in said and "the first is used (e)" in said


def test_run_result_that_repeats_its_scenarios(tmp_path):
    content = run(scenario("a", "factual", responses=answers("x"), judge_results=[result(4)]))
    content["scenarios"] = [{"id": "a", "dimension": "factual"}]
    sample = read_records(put(tmp_path, "run_result.json", content), scale=SCALE)
    assert sample.records[0].judgements[0].score == 4


def test_run_result_of_several_judges(tmp_path):
    results = [result(4, model="m1"), result(2, model="m2"), result(5, model="m1"), result(3, model="m2")]
    content = run(scenario("a", "factual", responses=answers("x", "y"), judge_results=results))
    sample = read_records(put(tmp_path, "run_result.json", content), scale=SCALE)
    found = [(j.judge, j.score, j.scores, j.unit) for j in sample.records[0].judgements]
    assert found == [("m1", 4.5, (4, 5), "response"), ("m2", 2.5, (2, 3), "response")]


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"judge_results": [result(7)]}, "outside the scale"),
        ({"judge_results": [result(True)]}, "true or false"),
        ({"judge_results": {"score": 4}}, "not a list of objects"),
        ({"judge_results": [4]}, "not a list of objects"),
        ({"responses": "x"}, "responses is a text"),
        ({"responses": [4]}, "answer 1 is a number"),
        ({"variant_responses": ["x"]}, "variant_responses is a list"),
        ({"variant_responses": {"v": [{"response_text": 4}]}}, "variant_responses.v"),
        ({"responses": []}, "no responses"),
    ],
)
def test_run_result_that_is_wrong(tmp_path, fields, word):
    content = run(scenario("i7", "factual", **{"responses": answers("x"), "judge_results": [], **fields}))
    with pytest.raises(ToolkitError) as caught:
        read_records(put(tmp_path, "run_result.json", content), scale=SCALE)
    (found,) = caught.value.problems
    assert word in found.what and "item i7" in found.what and found.place.endswith("scenario_results > record 1")


# --- judgements apart from the items


def test_long_table(tmp_path):
    table = judged(
        tmp_path, "item_id,dimension,judge,score,justification,confidence\na,d,m,4,w,0.5\nb,d,m,3.5,,\nc,d,m,,,\n"
    )
    assert (table.headline_judge, table.has_dimension) == ("m", True)
    assert [j.score for j in table.judgements] == [4, 3.5, None]
    assert (table.judgements[0].justification, table.judgements[0].confidence) == ("w", 0.5)
    assert table.warnings == ("no judge score (c)",)


def test_long_table_without_dimension_and_judge(tmp_path):
    table = judged(tmp_path, "id,score\n00123,4\n")
    assert table.judgements == (Judgement(item_id="00123", dimension="all", judge="judge", score=4),)
    assert (table.has_dimension, table.headline_judge) == (False, "judge")


def test_long_table_of_several_judges(tmp_path):
    table = judged(tmp_path, "id,judge,score\na,m2,4\na,m1,3\nb,m1,4\n")
    assert table.headline_judge == "m2" and any("m2, m1" in w and "headline" in w for w in table.warnings)


@pytest.mark.parametrize(
    "records", [[item("a", judge_score=4)], [{"item_id": "a", "dimension": "factual", "judge_score": 4}]]
)
def test_judged_records_with_or_without_texts(tmp_path, records):
    table = judged(tmp_path, records, "j.jsonl")
    assert [(j.key, j.score) for j in table.judgements] == [(("a", "factual"), 4)]


def test_a_row_per_judge_whatever_the_score_is_called(tmp_path):
    table = judged(tmp_path, "item_id,judge,judge_score\na,m1,4\na,m2,3\n")
    assert [(j.judge, j.score) for j in table.judgements] == [("m1", 4), ("m2", 3)]
    table = judged(tmp_path, "item_id,juiz,nota\na,m1,4\na,m2,3\n", rename={"judge": "juiz", "judge_score": "nota"})
    assert [(j.judge, j.score) for j in table.judgements] == [("m1", 4), ("m2", 3)]


def test_judged_records_without_dimension(tmp_path):
    table = judged(tmp_path, "item_id,judge_score,model\na,4,Gemini\nb,,Gemini\n")
    assert (table.has_dimension, table.headline_judge) == (False, "judge")
    assert [j.key for j in table.judgements] == [("a", "all")]


def test_run_result_as_judgements(tmp_path):
    content = run(scenario("a", "factual", responses=answers("x"), judge_results=[result(4)]))
    assert judged(tmp_path, content, "run_result.json").headline_judge == "gemini"


def test_the_same_judgement_twice(tmp_path):
    table = judged(tmp_path, "id,judge,score\na,m,4\na,m,4.0\nb,m,\nb,m,3\nb,m,\n")
    assert [(j.item_id, j.score) for j in table.judgements] == [("a", 4), ("b", 3)]
    assert any("twice; it counts once (a)" in warning for warning in table.warnings)
    (found,) = judged_badly(tmp_path, "id,judge,score\na,m,4\nb,m,4\na,m,2\n")
    assert "line 2" in found.what and "line 4" in found.what and found.cell == "line 4"


def test_scores_of_every_wrong_kind_with_their_lines(tmp_path):
    lines = '{"id":"a","score":NaN}\n{"id":"b","score":1e400}\n{"id":"c","score":"4 "}\n{"id":"d","score":true}\n'
    lines += '{"id":"e","score":"0"}\n{"id":"f","score":5}\n'
    found = judged_badly(tmp_path, lines, "j.jsonl")
    assert [p.cell for p in found] == ["line 1", "line 2", "line 4", "line 5"]
    good = [line for line in lines.splitlines() if '"c"' in line or '"f"' in line]
    table = judged(tmp_path, "\n".join(good), "j.jsonl")
    scores = [j.score for j in table.judgements]
    assert scores == [4, 5] and sum(scores) / 2 == 4.5


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("id,score\na,\n", "no judge score at all"),
        ("id,judge_score\na,\n", "no judge score at all"),
        ("id,nota\na,4\n", "no column judge_score"),
        ("id,judge,score\na,,4\n", "has no judge"),
        ("id,judge,score\n,m,4\n", "has no item_id"),
        ("id,dimension,judge,score\na,,m,4\n", "has no dimension"),
        ("id,judge_score\na,4\na,4\n", "twice"),
        ("nome,score\na,4\n", "no column item_id"),
    ],
)
def test_judgements_with_something_missing(tmp_path, text, word):
    (found,) = judged_badly(tmp_path, text)
    assert word in found.what and found.fix


def test_map_of_judgements(tmp_path):
    table = judged(tmp_path, "id,nota,juiz\na,4,m\n", rename={"score": "nota", "judge": "juiz"})
    assert [(j.judge, j.score) for j in table.judgements] == [("m", 4)]
    table = judged(tmp_path, "id,nota\na,4\n", rename={"judge_score": "nota"})
    assert [j.score for j in table.judgements] == [4]
    (found,) = judged_badly(tmp_path, "id,score\na,4\n", rename={"score": "nota"})
    assert "nota" in found.what


# --- the shared cases


def test_two_annotators_case(cases):
    sample = read_records(cases / "two-annotators-pt" / "items.jsonl", scale=SCALE, dimensions=DIMENSIONS)
    assert len(sample.records) == 30 and sample.warnings == ()
    with (cases / "two-annotators-pt" / "items.jsonl").open(encoding="utf-8") as file:
        raw = [json.loads(line) for line in file]
    for record, line in zip(sample.records, raw, strict=True):
        assert record.item.item_id == line["item_id"] and record.item.prompt == line["prompt"]
        assert [r.response for r in record.item.responses] == [r["response"] for r in line["responses"]]
    table = read_judgements(cases / "two-annotators-pt" / "judge.csv", scale=SCALE)
    assert {j.key for j in table.judgements} == {record.item.key for record in sample.records}
    # the column `model` is the chatbot's model and no judge
    assert (table.headline_judge, table.warnings) == ("judge", ())


@pytest.mark.parametrize(
    ("name", "rows", "headline"),
    [("summeval", 4800, "gpt-4o"), ("cebab_stars", 1422, "gpt-4o"), ("edge_synthetic", 56, "J")],
)
def test_judges_of_the_cases(cases, name, rows, headline):
    table = read_judgements(cases / name / "judge.csv", scale=SCALE)
    assert (len(table.judgements), table.headline_judge) == (rows, headline)
    with (cases / name / "judge.csv").open(encoding="utf-8", newline="") as file:
        assert [j.score for j in table.judgements] == [float(row["score"]) for row in csv.DictReader(file)]


def test_pairwise_case(cases):
    scale = Scale(kind="nominal", values=("A", "B", "tie"))
    assert len(read_judgements(cases / "mtbench_pairwise" / "judge.csv", scale=scale).judgements) == 240


# --- the same records through every format

words = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufffe\uffff"), min_size=1, max_size=20).filter(
    lambda text: text.strip() and not text.lstrip().startswith("[")
)
plain_ids = st.text("abc019e.-", min_size=1, max_size=6)
answer = st.fixed_dictionaries({"response": words}, optional={"prompt": words, "variant_type": words})
record = st.fixed_dictionaries(
    {"dimension": st.sampled_from(DIMENSIONS), "prompt": words, "responses": st.lists(answer, min_size=1, max_size=3)},
    optional={
        "ground_truth": words,
        "category": words,
        "note": words,
        "judge_score": st.integers(4, 20).map(lambda n: n / 4),
        "judge_scores": st.lists(st.integers(1, 5), min_size=1, max_size=3),
        "judge_justification": words,
        "judgements": st.lists(
            st.fixed_dictionaries({"judge": st.sampled_from("xyz"), "score": st.integers(1, 5)}),
            max_size=3,
            unique_by=lambda entry: entry["judge"],
        ),
    },
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(plain_ids, record, min_size=1, max_size=4))
def test_every_format_gives_the_same_records(tmp_path_factory, records):
    import duckdb

    folder = tmp_path_factory.mktemp("records")
    rows = [{"item_id": key, **fields} for key, fields in records.items()]
    put(folder, "s.jsonl", rows)
    put(folder, "s.json", rows)
    header = list(dict.fromkeys(name for row in rows for name in row))
    flat = [
        [json.dumps(v, ensure_ascii=False) if isinstance(v := row.get(name), list) else v for name in header]
        for row in rows
    ]
    with (folder / "s.csv").open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows([header, *flat])
    with xlsxwriter.Workbook(folder / "s.xlsx", {"strings_to_numbers": False}) as book:
        sheet = book.add_worksheet()
        for number, cells in enumerate([header, *flat]):
            for place, cell in enumerate(cells):
                if isinstance(cell, str):
                    sheet.write_string(number, place, cell)
                elif cell is not None:
                    sheet.write_number(number, place, cell)
    with duckdb.connect() as connection:
        kinds = ", ".join(f'"{name}" {"DOUBLE" if name == "judge_score" else "VARCHAR"}' for name in header)
        connection.execute(f"CREATE TABLE t ({kinds})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(header))})", flat)
        connection.execute(f"COPY t TO '{folder / 's.parquet'}' (FORMAT parquet)")
    expected = read_records(folder / "s.jsonl", scale=SCALE)
    assert [r.item.item_id for r in expected.records] == list(records)
    for kind in ("json", "csv", "xlsx", "parquet"):
        assert read_records(folder / f"s.{kind}", scale=SCALE) == expected, kind


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        *("item_id", "id", "dimension", "prompt", "response", "responses", "comparison_responses", "response_1"),
        *("judge_score", "judge_scores", "judge_unit", "judge_model", "judgements", "weight", "score", "judge", "x"),
        *("scenario_results", "judge_results", "variant_responses"),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(FIELDS, json_values, max_size=8), min_size=1, max_size=3), st.booleans())
def test_any_json_is_records_or_a_message(tmp_path_factory, rows, as_run):
    folder = tmp_path_factory.mktemp("any")
    path = put(folder, "run.json", run(*rows)) if as_run else put(folder, "s.json", rows)
    for reader in (read_records, read_judgements):
        try:
            found = reader(path, scale=SCALE)
        except ToolkitError as error:
            assert error.problems
        else:
            assert isinstance(found, Sample | JudgeTable)
