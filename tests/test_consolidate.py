"""consolidate: who takes part, what waits, what is written, what is refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

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
from toolkit.study import Study, read_study

ITEMS = [f"i{n:02}" for n in range(12)]
# A1, A2, A3 and the judge; i03 is three apart, the judge is 3 off at i05
TABLE = {
    "A1": [5, 4, 3, 1, 5, 1, 4, 2, 3, 5, 4, 2],
    "A2": [5, 4, 2, 4, 5, 1, 4, 3, 3, 5, 5, 2],
    "A3": [4, 4, 3, 2, 5, 2, 5, 2, 3, 4, 4, 1],
    "judge": [5, 4, 3, 3, 5, 4, 4, 2, 4, 5, 4, 2],
}
MEDIAN = [5, 4, 3, 2, 5, 1, 4, 2, 3, 5, 4, 2]


def score_of(name: str) -> Callable[[str], int]:
    return lambda item: TABLE[name][ITEMS.index(item)]


def new_study(folder: Path, annotators: str = "A1,A2,A3", judged: bool = True) -> Study:
    dimensions = ["factual"] * 6 + ["consistency"] * 6
    records = [
        record(item, dimension, judge_score=TABLE["judge"][n] if judged else None)
        for n, (item, dimension) in enumerate(zip(ITEMS, dimensions, strict=True))
    ]
    return make(folder, records, annotators)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of three annotators, all of whom returned their workbook."""
    study = new_study(tmp_path / "s")
    for name in study.names:
        fill(study, tmp_path / "s", name, score_of(name))
    return tmp_path / "s"


def test_three_annotators(folder: Path) -> None:
    output = ok("consolidate", folder)
    found = metrics(folder / "report")
    assert found["mode"] == "three_or_more"
    assert found["annotators"] == ["A1", "A2", "A3"]
    assert found["flagged"] == ["i03"]
    assert found["judge_disagreements"] == ["i05"]
    assert found["pending_discussion"] == [] and found["incomplete"] == []
    rows = consensus(folder / "report")
    assert [int(rows[item]["human_consensus_score"]) for item in ITEMS] == MEDIAN
    assert rows["i03"]["disagreement_range"] == "3" and rows["i03"]["requires_discussion"] == "yes"
    assert rows["i05"]["absolute_error"] == "3"
    files = {path.name for path in (folder / "report").iterdir()}
    workbooks = {"report.xlsx", "discussion.xlsx", "triage.xlsx"}
    assert files == workbooks | {"report.html", "metrics.json", "consensus.csv", "golden_set.json"}
    assert "kappa" in output and "discussion.xlsx" in output
    # MAE by hand: judge off by 1 at i03, i08 and by 3 at i05
    assert found["overall"]["judge_human"]["mae"]["value"] == pytest.approx(5 / 12)
    assert found["overall"]["judge_human"]["bias"]["value"] == pytest.approx(5 / 12)
    assert (folder / "report" / "consensus.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_every_pair_is_there_in_study_order(folder: Path) -> None:
    ok("consolidate", folder, "-q")
    pairs = metrics(folder / "report")["overall"]["human_human"]["pairs"]
    assert list(pairs) == ["A1|A2", "A1|A3", "A2|A3"]
    mean = metrics(folder / "report")["overall"]["human_human"]["mean_pairwise_kappa"]["value"]
    assert mean == pytest.approx(sum(pair["kappa_quadratic"]["value"] for pair in pairs.values()) / 3)


def test_it_can_be_run_again_and_says_the_same(folder: Path) -> None:
    ok("consolidate", folder, "-o", folder / "one", "-q")
    ok("consolidate", folder, "-o", folder / "two", "-q")
    for path in (folder / "one").iterdir():
        assert path.read_bytes() == (folder / "two" / path.name).read_bytes(), path.name
    assert sorted(path.name for path in folder.iterdir()) == ["filled", "one", "send", "study.json", "two"]


def test_an_earlier_report_is_not_overwritten_without_force(folder: Path) -> None:
    ok("consolidate", folder, "-q")
    before = {path.name: path.read_bytes() for path in (folder / "report").iterdir()}
    assert "--force" in refused("consolidate", folder, "--without", "A3")
    assert {path.name: path.read_bytes() for path in (folder / "report").iterdir()} == before
    ok("consolidate", folder, "--without", "A3", "--force", "-q")
    assert metrics(folder / "report")["mode"] == "two_annotators"


def test_decisions_in_a_discussion_file_are_never_overwritten(folder: Path) -> None:
    ok("consolidate", folder, "-q")
    path = folder / "report" / "discussion.xlsx"
    discussed(path, path, {"i03": (2, "revise", "relido")}, read_study(folder))
    kept = path.read_bytes()
    output = ok("consolidate", folder, "--force")
    assert "left as it is" in output
    assert path.read_bytes() == kept


def discussed(source: Path, target: Path, outcomes: dict[str, tuple[Any, Any, Any]], study: Study) -> Path:
    """Fill a discussion workbook in."""
    book = openpyxl.load_workbook(source)
    sheet, keys = annotation_sheet(book)
    rows = {study.by_code[code].item_id: row for code, row in answer_rows(sheet, keys).items()}
    for item, (score, decision, notes) in outcomes.items():
        sheet.cell(rows[item], keys["consensus_after_discussion"]).value = score
        sheet.cell(rows[item], keys["decision"]).value = decision
        sheet.cell(rows[item], keys["consensus_notes"]).value = notes
    book.save(target)
    return target


def test_the_discussion_is_kept_apart_and_gives_a_sensitivity(folder: Path) -> None:
    ok("consolidate", folder, "-q")
    study = read_study(folder)
    filled = discussed(
        folder / "report" / "discussion.xlsx", folder / "d.xlsx", {"i03": (4, None, "A1 misread")}, study
    )
    ok("consolidate", folder, "--discussion", filled, "-o", folder / "final", "-q")
    found, row = metrics(folder / "final"), consensus(folder / "final")["i03"]
    assert row["human_consensus_score"] == "2" and row["consensus_after_discussion"] == "4"
    assert row["consensus_notes"] == "A1 misread" and row["excluded"] == "no"
    assert set(found["sensitivity"]) == {"after_discussion"}
    main, after = found["overall"], found["sensitivity"]["after_discussion"]["overall"]
    assert main["judge_human"]["mae"]["value"] == pytest.approx(5 / 12)
    assert after["judge_human"]["mae"]["value"] == pytest.approx(5 / 12)  # 3 is 1 from 2 and 1 from 4
    assert after["judge_human"]["bias"]["value"] == pytest.approx(3 / 12)
    assert main["human_human"]["pairs"] == after["human_human"]["pairs"]


def test_an_excluded_item_counts_in_the_headline_and_not_in_the_sensitivity(folder: Path) -> None:
    ok("consolidate", folder, "-q")
    study, blank = read_study(folder), folder / "report" / "discussion.xlsx"
    filled = discussed(blank, folder / "d.xlsx", {"i03": (None, "exclude", "prompt broken")}, study)
    ok("consolidate", folder, "--discussion", filled, "-o", folder / "final", "-q")
    found = metrics(folder / "final")
    assert found["overall"]["n"] == 12 and found["excluded"] == ["i03"]
    assert found["sensitivity"]["without_excluded"]["overall"]["n"] == 11
    assert consensus(folder / "final")["i03"]["excluded"] == "yes"


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ((None, "exclude", None), "why"),
        ((None, "revise", None), "score is needed"),
        ((4.5, "revise", "x"), "1-5"),
        ((5, "keep", "x"), "median"),
        ((4, "perhaps", "x"), "no decision called"),
        ((None, None, "only notes"), "neither"),
        (("=1+1", None, None), "formula"),
    ],
)
def test_a_decision_that_cannot_be_taken_is_named(folder: Path, outcome: tuple[Any, Any, Any], told: str) -> None:
    ok("consolidate", folder, "-q")
    study = read_study(folder)
    filled = discussed(folder / "report" / "discussion.xlsx", folder / "d.xlsx", {"i03": outcome}, study)
    output = refused("consolidate", folder, "--discussion", filled, "-o", folder / "final")
    assert told in output and "d.xlsx" in output
    assert not (folder / "final").exists()


def test_a_table_of_outcomes_does_as_well(folder: Path) -> None:
    header = ["item_id", "consensus_after_discussion", "decision", "consensus_notes"]
    table = write_csv(folder / "d.csv", header, [["i03", "3", "fix rubric", "says nothing about units"]])
    ok("consolidate", folder, "--discussion", table, "-q")
    assert consensus(folder / "report")["i03"]["consensus_after_discussion"] == "3"
    bad = write_csv(folder / "bad.csv", header, [["i99", "3", "", ""], ["i03", "9", "", ""]])
    output = refused("consolidate", folder, "--discussion", bad, "-o", folder / "x")
    assert "i99" in output and "9" in output and "line 2" in output and "line 3" in output


def test_the_sheet_of_a_discussion_saved_as_csv_is_no_table_of_somebody(folder: Path) -> None:
    ok("consolidate", folder, "-q")
    study, blank = read_study(folder), folder / "report" / "discussion.xlsx"
    filled = discussed(blank, folder / "d.xlsx", {"i03": (4, "revise", "relido")}, study)
    sheet = openpyxl.load_workbook(filled).worksheets[0]
    header, *rows = sheet.iter_rows(values_only=True)
    table = write_csv(folder / "d.csv", list(header), rows)
    ok("consolidate", folder, "--discussion", table, "-o", folder / "final", "-q")
    found = consensus(folder / "final")["i03"]
    assert (found["consensus_after_discussion"], found["consensus_notes"]) == ("4", "relido")
    # whether the judge was seen first is a property of the workbook, and CSV has none
    assert metrics(folder / "final")["judge_seen_before_discussion"] is None


def test_what_names_an_item_names_one_and_the_same(folder: Path) -> None:
    codes = {item.item_id: item.item_code for item in read_study(folder).items}
    header = ["item_id", "item_code", "dimension", "consensus_after_discussion"]
    one, other = codes["i03"], codes["i04"]
    for line, told in (
        (["i03", other, "", 3], f"item_code '{other}' is that of item 'i04', but item_id says 'i03'"),
        (["i99", one, "", 3], "but item_id says 'i99'"),
        (["", one, "consistency", 3], f"item_code '{one}' is of the dimension 'factual', but dimension says"),
        (["i03", "", "consistency", 3], "item 'i03' has no dimension 'consistency'"),
        (["i03", "QQQQ", "", 3], "no item of the study has the code 'QQQQ'"),
        (["", "QQQQ", "", 3], "no item of the study has the code 'QQQQ'"),
        (["i99", "", "", 3], "no item of the study is called 'i99'"),
    ):
        table = write_csv(folder / "bad.csv", header, [line])
        output = refused("consolidate", folder, "--discussion", table, "-o", folder / "x")
        assert told in output and "line 2" in output
    for number, line in enumerate((["i03", one, "factual", 3], ["", one, "", 3], ["i03", "", "factual", 3])):
        table = write_csv(folder / "good.csv", header, [line])
        ok("consolidate", folder, "--discussion", table, "-o", folder / str(number), "-q")
        assert consensus(folder / str(number))["i03"]["consensus_after_discussion"] == "3"


def test_all_that_is_wrong_in_a_line_is_told_at_once(folder: Path) -> None:
    header = ["item_id", "consensus_after_discussion", "decision"]
    bad = write_csv(folder / "bad.csv", header, [["i03", "7", "revizar"]])
    output = refused("consolidate", folder, "--discussion", bad, "-o", folder / "x")
    assert "off the scale" in output and "no decision called 'revizar'" in output


# --- fewer people than planned -------------------------------------------------------------------------------------


def test_one_of_three_returned_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    study = new_study(folder)
    for name in ("A1", "A3"):
        fill(study, folder, name, score_of(name))
    output = ok("consolidate", folder)
    assert "A2 returned no score" in output
    found = metrics(folder / "report")
    assert found["mode"] == "two_annotators" and found["annotators"] == ["A1", "A3"]
    assert found["left_out_annotators"] == {"A2": "returned nothing"}
    assert found["incomplete"] == []


def test_a_workbook_that_came_back_blank_counts_as_nothing_returned(folder: Path) -> None:
    (folder / "filled" / "A2.xlsx").write_bytes((folder / "send" / "A2.xlsx").read_bytes())
    ok("consolidate", folder, "-q")
    assert metrics(folder / "report")["annotators"] == ["A1", "A3"]


def test_two_annotators_wait_for_their_discussion(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    study = new_study(folder, "A1,A2")
    for name in study.names:
        fill(study, folder, name, score_of(name))
    output = ok("consolidate", folder)
    assert "held back" in output
    found = metrics(folder / "report")
    assert found["pending_discussion"] == ["i03"]
    assert found["overall"]["judge_human"] is None and found["judge_held"]
    assert found["overall"]["human_human"]["pairs"]["A1|A2"]["kappa_quadratic"]["value"] is not None
    revealed = ok("consolidate", folder, "--reveal-judge", "-o", folder / "revealed")
    assert "held back" not in revealed
    shown = metrics(folder / "revealed")
    assert shown["overall"]["judge_human"]["mae"]["n"] == 11  # the item that waits has no consensus
    assert shown["judge_seen_before_discussion"] is True


def test_held_back_means_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    secret = "SENTINELA-JUIZ"
    records = [
        record(
            item, judge_score=3.7731, judge_justification=f"{secret} why", judge_model=secret, judge_confidence=0.61803
        )
        for item in ITEMS
    ]
    study = make(folder, records, "A1,A2")
    for name in study.names:
        fill(study, folder, name, score_of(name))
    ok("consolidate", folder, "-q")
    import zipfile

    for path in (folder / "report").iterdir():
        data = path.read_bytes()
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as archive:
                data = b"".join(archive.read(name) for name in archive.namelist())
        for word in (secret.encode(), b"3.7731", b"3,7731", b"61803"):
            assert word not in data, (path.name, word)


def test_hold_judge_holds_it_with_three(folder: Path) -> None:
    ok("consolidate", folder, "--hold-judge", "-q")
    assert metrics(folder / "report")["overall"]["judge_human"] is None
    assert toolkit("consolidate", folder, "--hold-judge", "--reveal-judge").exit_code == 2


def test_whether_the_judge_was_seen_first_is_remembered_by_the_discussion_file(folder: Path) -> None:
    study = read_study(folder)
    for option, seen in (("--hold-judge", False), ("--reveal-judge", True)):
        first = folder / option.strip("-")
        ok("consolidate", folder, option, "-o", first, "-q")
        filled = discussed(first / "discussion.xlsx", folder / "d.xlsx", {"i03": (3, None, None)}, study)
        ok("consolidate", folder, "--discussion", filled, "-o", folder / f"final{option}", "-q")
        assert metrics(folder / f"final{option}")["judge_seen_before_discussion"] is seen


def test_one_annotator_alone_is_not_enough(folder: Path) -> None:
    output = refused("consolidate", folder, "--without", "A2,A3")
    assert "two" in output
    assert not (folder / "report").exists()
    assert "nobody" in refused("consolidate", folder, "--without", "Z")


def test_four_annotators_give_half_points(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    study = new_study(folder, "A1,A2,A3,A4")
    for name in study.names:
        fill(study, folder, name, score_of("A1" if name == "A4" else name))
    ok("consolidate", folder, "-q")
    assert metrics(folder / "report")["mode"] == "three_or_more"
    assert consensus(folder / "report")["i03"]["human_consensus_score"] == "1.5"  # of 1, 1, 2, 4
    golden = json.loads((folder / "report" / "golden_set.json").read_text())
    assert golden["annotation_protocol"]["fractional_consensus"]
    assert 1.5 in [scenario["human_consensus_score"] for scenario in golden["scenarios"]]


# --- what is missing -----------------------------------------------------------------------------------------------


def test_missing_scores_leave_the_item_out_or_keep_it(folder: Path) -> None:
    study = read_study(folder)
    fill(study, folder, "A2", lambda item: None if item in ("i00", "i01") else score_of("A2")(item))
    fill(study, folder, "A3", lambda item: None if item == "i00" else score_of("A3")(item))
    output = ok("consolidate", folder)
    assert "2 of 12 items do not count" in output
    found, rows = metrics(folder / "report"), consensus(folder / "report")
    assert found["incomplete"] == ["i00", "i01"] and found["overall"]["n"] == 10
    assert rows["i01"]["human_consensus_score"] == "" and rows["i01"]["score_A1"] == "4"
    ok("consolidate", folder, "--missing", "keep", "-o", folder / "kept", "-q")
    kept = metrics(folder / "kept")
    assert kept["overall"]["n"] == 11  # i00 has one score only
    assert kept["incomplete"] == ["i00", "i01"]
    assert kept["sensitivity"]["complete_only"]["overall"]["n"] == 10


def test_nothing_came_back(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    new_study(folder)
    output = refused("consolidate", folder)
    assert "filled" in output
    (folder / "filled").mkdir(exist_ok=True)
    assert "no filled workbook" in refused("consolidate", folder)
    assert "study.json" in refused("consolidate", tmp_path / "nowhere")


def test_the_judge_may_come_later(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    study = new_study(folder, judged=False)
    for name in study.names:
        fill(study, folder, name, score_of(name))
    output = ok("consolidate", folder)
    assert "no judge scores" in output
    assert metrics(folder / "report")["overall"]["judge_human"] is None
    rows = [[item, "factual" if n < 6 else "consistency", "J", TABLE["judge"][n]] for n, item in enumerate(ITEMS)]
    table = write_csv(folder / "judge.csv", ["item_id", "dimension", "judge", "score"], rows)
    ok("consolidate", folder, "--judged", table, "-o", folder / "later", "-q")
    assert metrics(folder / "later")["overall"]["judge_human"]["mae"]["value"] == pytest.approx(5 / 12)
    assert list(metrics(folder / "later")["overall"]["judges"]) == ["J"]
    other = write_csv(folder / "other.csv", ["item_id", "dimension", "judge", "score"], [["zz", "factual", "J", 3]])
    assert "no judge score for any item" in refused("consolidate", folder, "--judged", other, "-o", folder / "x")


def test_several_judges_each_have_their_block(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    study = new_study(folder, judged=False)
    for name in study.names:
        fill(study, folder, name, score_of(name))
    rows: list[list[Any]] = []
    for n, item in enumerate(ITEMS):
        dimension = "factual" if n < 6 else "consistency"
        rows += [[item, dimension, "first", TABLE["judge"][n]], [item, dimension, "second", TABLE["A1"][n]]]
    table = write_csv(folder / "judge.csv", ["item_id", "dimension", "judge", "score"], rows)
    ok("consolidate", folder, "--judged", table, "-q")
    block = metrics(folder / "report")["overall"]
    assert list(block["judges"]) == ["first", "second"]
    assert block["judge_human"] == block["judges"]["first"]


def test_all_problems_of_all_files_are_told_and_nothing_written(folder: Path) -> None:
    study = read_study(folder)
    fill(study, folder, "A1", lambda item: 9 if item == "i00" else score_of("A1")(item))
    fill(study, folder, "A2", lambda item: "3-4" if item == "i01" else score_of("A2")(item))
    (folder / "filled" / "A9.xlsx").write_bytes(b"PK\x03\x04 broken")
    (folder / "filled" / "notes.txt").write_text("x")
    output = refused("consolidate", folder)
    assert "A1.xlsx" in output and "A2.xlsx" in output and "A9.xlsx" in output
    assert not (folder / "report").exists()


def test_a_study_file_that_was_changed_is_noticed(folder: Path) -> None:
    content = json.loads((folder / "study.json").read_text())
    content["judgements"][0]["score"] = 1
    (folder / "study.json").write_text(json.dumps(content))
    assert "judge scores changed" in ok("consolidate", folder)
    assert metrics(folder / "report")["seal_moved"] == ["judge_scores"]
    (folder / "study.json").write_text("{")
    assert "JSON" in refused("consolidate", folder, "-o", folder / "x")


def test_json_for_programs(folder: Path) -> None:
    result = json.loads(ok("consolidate", folder, "--json", "-q"))
    assert result["mode"] == "three_or_more" and result["flagged"] == 1


# --- ratings collected elsewhere -----------------------------------------------------------------------------------


def test_long_and_wide_tables_say_the_same(tmp_path: Path) -> None:
    long_rows = [[item, name, TABLE[name][n]] for n, item in enumerate(ITEMS) for name in ("A1", "A2", "A3")]
    long = write_csv(tmp_path / "long.csv", ["item_id", "annotator_id", "score"], long_rows)
    wide_rows = [[item, *(TABLE[name][n] for name in ("A1", "A2", "A3"))] for n, item in enumerate(ITEMS)]
    wide = write_csv(tmp_path / "wide.csv", ["item_id", "A1", "A2", "A3"], wide_rows)
    for path in (long, wide):
        ok("analyze", path, "-o", tmp_path / path.stem, "--seed", "1", "-q")
    one, two = metrics(tmp_path / "long"), metrics(tmp_path / "wide")
    assert one["overall"]["human_human"] == two["overall"]["human_human"]
    assert [int(row["human_consensus_score"]) for row in consensus(tmp_path / "long").values()] == MEDIAN


def test_our_own_consensus_file_can_be_analysed_again(folder: Path, tmp_path: Path) -> None:
    ok("consolidate", folder, "-q")
    ok("analyze", folder / "report" / "consensus.csv", "-o", tmp_path / "again", "--seed", "1", "-q")
    first, again = metrics(folder / "report"), metrics(tmp_path / "again")
    for pair, figures in first["overall"]["human_human"]["pairs"].items():
        value = again["overall"]["human_human"]["pairs"][pair]["kappa_quadratic"]["value"]
        assert value == pytest.approx(figures["kappa_quadratic"]["value"])


def test_two_annotators_collected_elsewhere_count_until_discussed(tmp_path: Path) -> None:
    rows = [[item, name, TABLE[name][n]] for n, item in enumerate(ITEMS) for name in ("A1", "A2")]
    table = write_csv(tmp_path / "r.csv", ["item_id", "annotator_id", "score"], rows)
    judge = write_csv(
        tmp_path / "j.csv", ["item_id", "judge", "score"], [[i, "J", TABLE["judge"][n]] for n, i in enumerate(ITEMS)]
    )
    ok("analyze", table, "--judged", judge, "-o", tmp_path / "r", "-q")
    found = metrics(tmp_path / "r")
    assert found["pending_discussion"] == ["i03"] and found["overall"]["judge_human"]["mae"]["n"] == 12
    talked = write_csv(tmp_path / "d.csv", ["item_id", "consensus_after_discussion"], [["i03", 1]])
    ok("analyze", table, "--judged", judge, "--discussion", talked, "-o", tmp_path / "d", "-q")
    after = metrics(tmp_path / "d")
    assert after["pending_discussion"] == []
    assert consensus(tmp_path / "d")["i03"]["human_consensus_score"] == "1"
    assert set(after["sensitivity"]) == {"median_of_two"}


def test_codes_of_a_study_say_nothing_of_ratings_collected_elsewhere(folder: Path, tmp_path: Path) -> None:
    ok("consolidate", folder, "-q")
    ratings, header = folder / "report" / "consensus.csv", ["item_id", "item_code", "consensus_after_discussion"]
    code = consensus(folder / "report")["i03"]["item_code"]
    talked = write_csv(tmp_path / "d.csv", header, [["i03", code, 4]])
    ok("analyze", ratings, "--discussion", talked, "-o", tmp_path / "again", "--seed", "1", "-q")
    assert consensus(tmp_path / "again")["i03"]["consensus_after_discussion"] == "4"


def test_wrong_scales_are_told(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "r.csv", ["item_id", "annotator_id", "score"], [["a", "x", 1], ["a", "y", 7]])
    assert "7" in refused("analyze", table, "-o", tmp_path / "r")
    assert "--scale" in refused("analyze", table, "--scale", "A,A", "-o", tmp_path / "r")
    ok("analyze", table, "--scale", "1-7", "-o", tmp_path / "seven", "-q")
    assert metrics(tmp_path / "seven")["scale"] == [1, 2, 3, 4, 5, 6, 7]


def test_formulas_cannot_come_in_through_ids_or_names(tmp_path: Path) -> None:
    rows = [[f'=cmd|"/c calc"!A{n}', name, 1 + n % 5] for n in range(10) for name in ("@A", "+B")]
    table = write_csv(tmp_path / "r.csv", ["item_id", "annotator_id", "score"], rows)
    ok("analyze", table, "-o", tmp_path / "r", "-q")
    with (tmp_path / "r" / "consensus.csv").open(newline="", encoding="utf-8-sig") as file:
        for row in csv.reader(file):
            assert not any(cell.startswith(("=", "+", "@")) for cell in row)
    for path in (tmp_path / "r").glob("*.xlsx"):
        for sheet in openpyxl.load_workbook(path).worksheets:
            for line in sheet.iter_rows():
                for cell in line:
                    assert cell.data_type != "f" or "cmd" not in str(cell.value)


def test_the_rubric_lies_on_the_table_of_the_discussion(folder: Path, tmp_path: Path) -> None:
    ok("consolidate", folder, "-q")
    book = openpyxl.load_workbook(folder / "report" / "discussion.xlsx")
    assert book.sheetnames == ["Discussion", "Rubric", "How to discuss"]
    told = {str(cell.value) for row in book["Rubric"].iter_rows() for cell in row}
    rubric = read_study(folder).rubric
    # only of the dimension that has something to discuss
    assert rubric.dimensions["factual"].levels[1].description in told
    assert rubric.dimensions["robustness"].question not in told
    # ratings collected elsewhere have no rubric to show
    rows = [[item, name, score_of(name)(item)] for item in ITEMS for name in ("A1", "A2", "A3")]
    ratings = write_csv(tmp_path / "t.csv", ["item_id", "annotator_id", "score"], rows)
    ok("analyze", ratings, "--seed", "1", "-o", tmp_path / "r", "-q")
    assert openpyxl.load_workbook(tmp_path / "r" / "discussion.xlsx").sheetnames == ["Discussion", "How to discuss"]
