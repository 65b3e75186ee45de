"""`toolkit analyze`: what it takes from a table of ratings as it comes, and what it says where it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studies import metrics, ok, refused, write_csv

ITEMS = [f"i{n:02}" for n in range(12)]


def wide(path: Path, **columns: list[object]) -> Path:
    header = ["item_id", *columns]
    return write_csv(
        path, header, [[item, *(column[n] for column in columns.values())] for n, item in enumerate(ITEMS)]
    )


def test_the_judge_of_a_wide_table_counts(tmp_path: Path) -> None:
    people = {"score_A": [1, 2, 3, 4] * 3, "score_B": [1, 2, 3, 5] * 3}
    table = wide(tmp_path / "t.csv", **people, judge_score=[1, 2, 4, 4] * 3)
    said = ok("analyze", table, "--seed", 1, "-o", tmp_path / "r")
    assert "the column judge_score is taken for the judge's" in said
    # consensus 1, 2, 3 and 4.5: the judge is off by 0, 0, 1 and 0.5
    assert metrics(tmp_path / "r")["overall"]["judge_human"]["mae"]["value"] == pytest.approx(0.375)
    judge = wide(tmp_path / "j.csv", judge_score=[1, 2, 3, 4] * 3)
    said = ok("analyze", table, "--judged", judge, "--seed", 1, "-o", tmp_path / "other")
    assert "is taken for the judge's" not in said
    assert metrics(tmp_path / "other")["overall"]["judge_human"]["mae"]["value"] == pytest.approx(0.125)
    # a report's consensus.csv is such a table
    again = ok("analyze", tmp_path / "r" / "consensus.csv", "--seed", 1, "-o", tmp_path / "again")
    assert "is taken for the judge's" in again
    assert metrics(tmp_path / "again")["overall"]["judge_human"] == metrics(tmp_path / "r")["overall"]["judge_human"]
    blank = wide(tmp_path / "b.csv", **people, judge_score=[""] * 12)
    assert "judge_score" not in ok("analyze", blank, "--seed", 1, "-o", tmp_path / "blank")


def test_the_judge_of_a_long_table_is_not_lost_in_silence(tmp_path: Path) -> None:
    rows = [[item, name, 3, 4] for item in ITEMS for name in "AB"]
    table = write_csv(tmp_path / "t.csv", ["item_id", "annotator_id", "score", "judge_score"], rows)
    assert "give the judge's scores in a file of their own, with --judged" in ok(
        "analyze", table, "--seed", 1, "-o", tmp_path / "r"
    )


@pytest.mark.parametrize(
    ("values", "scale"),
    [(["no", "yes"], "no,yes"), (["Sim", "Não"], "Não,Sim"), ([0, 10, 7], "0-10"), (["bad", "good"], "bad,good")],
)
def test_another_scale_is_told_once(values: list[object], scale: str, tmp_path: Path) -> None:
    scores = [values[n % len(values)] for n in range(12)]
    table = wide(tmp_path / "t.csv", score_A=scores, score_B=scores[1:] + scores[:1])
    said = refused("analyze", table, "-o", tmp_path / "r")
    assert f"--scale {scale}" in said
    assert said.count("\n") <= 3 and "none of the 24 scores is on the scale" in said
    ok("analyze", table, "--scale", scale, "--seed", 1, "-o", tmp_path / "r")


def test_a_few_wrong_scores_are_named_one_by_one(tmp_path: Path) -> None:
    table = wide(tmp_path / "t.csv", score_A=[1, "yes", "no"] * 4, score_B=[2] * 12)
    said = refused("analyze", table, "-o", tmp_path / "r")
    assert said.count("does not hold exactly one value") == 8 and "none of the" not in said


def test_columns_by_other_names(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", ["frage", "wer", "note"], [[i, n, 3] for i in ITEMS for n in "AB"])
    said = refused("analyze", table, "-o", tmp_path / "r")
    assert "--map item_id=YOUR_COLUMN" in said
    maps = ("--map", "item_id=frage", "--map", "annotator_id=wer", "--map", "score=note")
    ok("analyze", table, *maps, "--seed", 1, "-o", tmp_path / "r")
    assert metrics(tmp_path / "r")["annotators"] == ["A", "B"]
    said = refused("analyze", table, "--map", "item_id=fragen", "-o", tmp_path / "r2")
    assert "perhaps 'frage' is meant" in said


def test_every_missing_column_is_named(tmp_path: Path) -> None:
    sample = write_csv(tmp_path / "s.csv", ["a", "b"], [["x", "y"]])
    said = refused("make-sheets", sample, "--annotators", "2", "-o", tmp_path / "s")
    assert "there is no column item_id" in said and "there is no column dimension" in said
    assert "--map item_id=YOUR_COLUMN --map dimension=YOUR_COLUMN" in said


def judged_records(path: Path, **fields: list[object]) -> Path:
    lines = [
        {"item_id": item, "judge_score": 1 + n % 4, **{name: column[n] for name, column in fields.items()}}
        for n, item in enumerate(ITEMS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_judged_records_say_what_the_items_are(tmp_path: Path) -> None:
    table = wide(tmp_path / "t.csv", score_A=[1, 2, 3, 4] * 3, score_B=[1, 2, 3, 5] * 3)
    told = judged_records(
        tmp_path / "told.jsonl",
        prompt=[f"Question {n % 10}" for n in range(12)],
        category=["arithmetic", "history"] * 6,
        stratum=["rare", "common"] * 6,
        ours=["kept to yourself"] * 12,
    )
    bare = judged_records(tmp_path / "bare.jsonl")
    for name, judged in (("told", told), ("bare", bare)):
        ok("analyze", table, "--judged", judged, "--seed", 1, "-o", tmp_path / name, "-q")
    pages = {name: (tmp_path / name / "report.html").read_text(encoding="utf-8") for name in ("told", "bare")}
    # what consolidate says of a study whose items share prompts
    assert "10 of them stand behind the 12 items" in pages["told"] and "within 2 strata" in pages["told"]
    assert "no two of them are known to share a prompt" in pages["bare"]
    for word in ("arithmetic", "history", "Question 3"):
        assert word in pages["told"] and word not in pages["bare"], word
    assert "kept to yourself" not in pages["told"]
    found = {name: metrics(tmp_path / name)["overall"]["judge_human"]["mae"] for name in pages}
    # the clusters change the interval and nothing else: 12 items, off by 0, 0, 0 and 0.5 in turn
    assert found["told"]["value"] == found["bare"]["value"] == pytest.approx(0.125)
    assert found["told"]["ci95"] != found["bare"]["ci95"]
    golden = json.loads((tmp_path / "told" / "golden_set.json").read_text(encoding="utf-8"))
    assert [one["category"] for one in golden["scenarios"][:2]] == ["arithmetic", "history"]


def test_what_judged_records_say_wrongly_is_named(tmp_path: Path) -> None:
    table = wide(tmp_path / "t.csv", score_A=[1, 2, 3, 4] * 3, score_B=[1, 2, 3, 5] * 3)
    judged = judged_records(tmp_path / "j.jsonl", weight=[*[2] * 11, 0], responses=[["a", "b"]] * 11 + ["[broken"])
    said = refused("analyze", table, "--judged", judged, "-o", tmp_path / "r")
    assert "weight is not positive" in said and "responses" in said and "line 12" in said


def test_a_rubric_without_the_texts_of_the_items(tmp_path: Path) -> None:
    """What is to be discussed is written with the rubric beside it, also where there is nothing else to read."""
    ok("init", tmp_path / "s", "--lang", "en")
    table = write_csv(
        tmp_path / "t.csv",
        ["item_id", "dimension", "score_A", "score_B", "score_C"],
        [[item, "factual", 1 + n % 2, 4, 2] for n, item in enumerate(ITEMS)],
    )
    ok("analyze", table, "--rubric", tmp_path / "s" / "rubric.yaml", "--seed", 1, "-o", tmp_path / "r")
    assert (tmp_path / "r" / "discussion.xlsx").exists()
    assert len(metrics(tmp_path / "r")["flagged"]) == 12


def test_words_beside_a_score_count_with_the_rubric_they_are_from(tmp_path: Path) -> None:
    """Whose word for 4 it is nobody can know without a rubric, and with one a contradiction shows."""
    ok("init", tmp_path / "s", "--lang", "pt-BR")
    table, rubric = tmp_path / "t.csv", tmp_path / "s" / "rubric.yaml"
    header = ["item_id", "dimension", "score_A", "score_B"]
    write_csv(table, header, [[item, "factual", "4 - boa", 2] for item in ITEMS])
    assert "count with the rubric they are from (--rubric FILE)" in refused("analyze", table, "-o", tmp_path / "r")
    ok("analyze", table, "--rubric", rubric, "--seed", 1, "-o", tmp_path / "r")
    write_csv(table, header, [[item, "factual", "4 - fraca", 2] for item in ITEMS])
    said = refused("analyze", table, "--rubric", rubric, "-o", tmp_path / "q")
    assert "the number says 4 and the words say 2" in said and "(--rubric FILE)" not in said


@pytest.mark.parametrize("judge", ["juiz", "Nota do Juiz", "LLM", "judge-4"])
def test_a_column_called_judge_is_no_annotator(judge: str, tmp_path: Path) -> None:
    people = {"Ana": [1, 2, 3, 4] * 3, "Rui": [1, 2, 3, 5] * 3}
    table = wide(tmp_path / "t.csv", **people, **{judge: [1, 2, 4, 4] * 3})
    said = refused("analyze", table, "-o", tmp_path / "r")
    assert f"the column '{judge}' looks like the judge's" in said and f"--map judge_score={judge};" in said
    said = ok("analyze", table, "--map", f"judge_score={judge}", "--seed", 1, "-o", tmp_path / "r")
    assert f"the column {judge} is taken for the judge's" in said
    assert metrics(tmp_path / "r")["annotators"] == ["Ana", "Rui"]
    assert metrics(tmp_path / "r")["overall"]["judge_human"]["mae"]["value"] == pytest.approx(0.375)


def test_a_judge_without_a_score_is_refused(tmp_path: Path) -> None:
    people = {"score_A": [1, 2, 3, 4] * 3, "score_B": [1, 2, 3, 5] * 3}
    table = wide(tmp_path / "t.csv", **people, judge_score=[1, 2, 4, 4] * 3)
    judge = tmp_path / "j.jsonl"
    # as `toolkit judge` writes it, with the judge that was there before
    row = {"judge_model": "mute", "judge_score": None, "judge_failure": "unparsed",
           "parse_method": "default", "judgements": [{"judge": "before", "score": 3}]}  # fmt: skip
    judge.write_text("".join(json.dumps({"item_id": item} | row) + "\n" for item in ITEMS))
    said = refused("analyze", table, "--judged", judge, "-o", tmp_path / "r")
    assert "judge mute, whose file this is, has no score for any item" in said
    judge.write_text("".join(json.dumps({"item_id": item} | row | {"judge_score": 4}) + "\n" for item in ITEMS))
    said = ok("analyze", table, "--judged", judge, "--seed", 1, "-o", tmp_path / "r")
    assert "judge with consensus:  kappa_quadratic" in said and ", mute\n" in said


def test_names_without_an_order_lead_with_one_figure_everywhere(tmp_path: Path) -> None:
    table = wide(tmp_path / "t.csv", score_A=["A", "B", "tie", "A"] * 3, score_B=["A", "B", "tie", "B"] * 3)
    said = ok("analyze", table, "--scale", "A,B,tie", "--seed", 1, "-o", tmp_path / "r")
    assert "people with people:    fleiss_kappa" in said and "(no answer is the commonest)" in said
    assert "or more apart" not in said
