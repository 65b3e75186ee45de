"""Ratings in: long and wide tables, and every score that is none refused with its place."""

import csv
import datetime
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.studies import ok
from toolkit.errors import Problem, ToolkitError
from toolkit.model import Scale
from toolkit.ratings import Rating, Ratings, read_ratings

SCALE = Scale()


def read(folder: Path, text: str, name="r.csv", scale=SCALE, **options) -> Ratings:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return read_ratings(path, scale=scale, **options)


def refused(folder: Path, text: str, name="r.csv", **options) -> tuple[Problem, ...]:
    with pytest.raises(ToolkitError) as caught:
        read(folder, text, name, **options)
    return caught.value.problems


def scores(ratings: Ratings) -> dict:
    return {key: {name: r.value for name, r in found.items()} for key, found in ratings.annotations.items()}


def xlsx(folder: Path, rows: list[list], formats: dict[str, str] | None = None) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cell, form in (formats or {}).items():
        book.active[cell].number_format = form
    book.active.title = "S"
    book.save(folder / "r.xlsx")
    return folder / "r.xlsx"


EXPECTED = {("i1", "d"): {"A2": 4, "A1": 5}, ("00123", "d"): {"A1": 3, "A2": 1}}


@pytest.mark.parametrize(
    "text",
    [
        "item_id,dimension,annotator_id,score\ni1,d,A2,4\ni1,d,A1,5\n00123,d,A1,3\n00123,d,A2,1\n",
        "score;Annotator;item_id;dimension\n4;A2;i1;d\n5; A1 ;i1;d\n3;A1;00123;d\n1;A2;00123;d\n",
        "id\trater\tdimension\tscore\ni1\tA2\td\t4\ni1\tA1\td\t5\n00123\tA1\td\t3\n00123\tA2\td\t1\n",
        "item_id,dimension,A2,A1\ni1,d,4,5\n00123,d,1,3\n",
        "item_id,item_code,dimension,score_A2,Score_A1,human_consensus_score,judge_score,x\ni1,K1,d,4,5,4.5,2,y\n00123,K2,d,1,3,2,,\n",
        '[{"item_id":"i1","dimension":"d","A2":4,"A1":5},{"item_id":"00123","dimension":"d","A2":1,"A1":3}]',
    ],
)
def test_long_and_wide_are_the_same(tmp_path, text):
    ratings = read(tmp_path, text)
    assert scores(ratings) == EXPECTED
    assert (ratings.items, ratings.annotators) == ((("i1", "d"), ("00123", "d")), ("A2", "A1"))
    assert (ratings.repairs, ratings.warnings, ratings.has_dimension) == ((), (), True)


def test_without_dimension_it_is_all(tmp_path):
    ratings = read(tmp_path, "item_id,A1,A2\ni1,4,5\n")
    assert (ratings.items, ratings.has_dimension) == ((("i1", "all"),), False)


def test_one_item_in_two_dimensions_is_two_items(tmp_path):
    text = "item_id,dimension,A1,A2\ni1,d,4,5\ni1,e,1,2\n"
    assert scores(read(tmp_path, text)) == {("i1", "d"): {"A1": 4, "A2": 5}, ("i1", "e"): {"A1": 1, "A2": 2}}


def test_everything_of_a_rating(tmp_path):
    text = "item_id,annotator_id,score,justification,doubt,notes\ni1,A,4,why,sim,hm\ni1,B,5,,,\ni2,A,,no idea,,\n"
    ratings = read(tmp_path, text)
    assert ratings.annotations["i1", "all"]["A"] == Rating(4, "why", True, "hm", "line 2")
    assert ratings.annotations["i2", "all"]["A"] == Rating(None, "no idea", False, "", "line 4")
    text = "item_id,score_A,justification_A,doubt_A,notes_A,score_B\ni1,4,why,x,hm,5\n"
    ratings = read(tmp_path, text)
    assert ratings.annotators == ("A", "B")
    assert ratings.annotations["i1", "all"]["A"] == Rating(4, "why", True, "hm", "line 2")


@pytest.mark.parametrize(("raw", "doubt"), [("yes", True), ("Não", False), ("0", False), ("TRUE", True), ("", False)])
def test_doubt(tmp_path, raw, doubt):
    text = f"item_id,annotator_id,score,doubt\ni1,A,4,{raw}\ni1,B,5,\n"
    assert read(tmp_path, text).annotations["i1", "all"]["A"].doubt is doubt


@pytest.mark.parametrize(
    "text",
    ["item_id,annotator_id,score,doubt\ni1,A,4,maybe\ni1,B,5,\n", "item_id,A,doubt_A,B\ni1,4,maybe,5\n"],
)
def test_doubt_that_is_neither(tmp_path, text):
    (found,) = refused(tmp_path, text)
    assert "neither yes nor no" in found.what and found.value == "maybe" and found.cell == "line 2"


# --- blanks and repetitions


@pytest.mark.parametrize(
    "text",
    [
        "item_id,A,B\ni1,4,\ni2, ,5\ni3,,\ni4,1,2\n",
        "item_id,annotator,score\ni1,A,4\ni1,B,\ni2,A, \ni2,B,5\ni3,A,\ni4,A,1\ni4,B,2\n",
    ],
)
def test_a_blank_is_missing_and_no_category(tmp_path, text):
    ratings = read(tmp_path, text)
    expected = {"i1": {"A": 4}, "i2": {"B": 5}, "i3": {}, "i4": {"A": 1, "B": 2}}
    assert scores(ratings) == {(name, "all"): found for name, found in expected.items()}


@pytest.mark.parametrize("placeholder", ["NA", "-", "n/a", "?", "none", "."])
def test_a_placeholder_is_refused(tmp_path, placeholder):
    (found,) = refused(tmp_path, f"item_id,annotator,score\ni1,A,4\ni1,B,{placeholder}\n")
    assert found.value == placeholder and found.cell == "line 3"


def test_two_scores_of_one_annotator_are_an_error_naming_both_lines(tmp_path):
    (found,) = refused(tmp_path, "item_id,annotator,score\ni1,R1,5\ni1,R2,5\ni1,R1,2\n")
    assert "line 2" in found.what and "line 4" in found.what and "R1" in found.what and "item i1" in found.what
    (found,) = refused(tmp_path, "item_id,R1,R2\ni1,5,4\ni1,2,4\n")
    assert "line 2" in found.what and "line 3" in found.what and "R1" in found.what


def test_the_same_score_twice_counts_once_and_is_said(tmp_path):
    ratings = read(tmp_path, "item_id,annotator,score\ni2,R1,4\ni2,R1,4\ni2,R2,3\ni3,R1,\ni3,R1,2\ni3,R1,\n")
    assert scores(ratings) == {("i2", "all"): {"R1": 4, "R2": 3}, ("i3", "all"): {"R1": 2}}
    assert len(ratings.warnings) == 1 and "it counts once (i2)" in ratings.warnings[0]


def test_a_score_and_a_remark_of_one_annotator_in_two_rows(tmp_path):
    text = "item_id,annotator,score,notes\ni1,A,,hm\ni1,A,4,\ni1,B,3,\ni1,B,,hm\n"
    ratings = read(tmp_path, text)
    assert scores(ratings) == {("i1", "all"): {"A": 4, "B": 3}}
    assert any("once without a score (i1, i1)" in warning for warning in ratings.warnings)


def copied(n: int, last: int = 1) -> str:
    rows = [f"i{k},{k % 5 + 1},{k % 5 + 1}" for k in range(n - 1)]
    return "item_id,R2,R3\n" + "\n".join([*rows, f"z,1,{last}"]) + "\n"


@pytest.mark.parametrize(("n", "last", "warned"), [(30, 1, True), (10, 1, True), (9, 1, False), (30, 2, False)])
def test_identical_columns_are_suspected(tmp_path, n, last, warned):
    (tmp_path / "r.csv").write_text(copied(n, last))
    said = ok("analyze", tmp_path / "r.csv", "--seed", 1, "-o", tmp_path / "r")
    assert said.count("R2 and R3 gave the same scores throughout: is one a copy of the other?") == warned


def test_names_that_differ_in_case_only(tmp_path):
    ratings = read(tmp_path, "item_id,annotator,score\ni1,Ana,4\ni2,ana,4\n")
    assert ratings.annotators == ("Ana", "ana") and any("spelt twice" in warning for warning in ratings.warnings)


# --- scores that are none


def test_kinds_of_cells_and_their_addresses(tmp_path):
    rows = [["item_id", "A", "B"]]
    rows += [[f"i{n}", raw, 3] for n, raw in enumerate([True, False, "VERDADEIRO", 1, 0, "=2+2", 4.6, 4.0])]
    rows += [["d", datetime.date(2026, 5, 4), 3], ["n", 2.9999999999999996, 3]]
    path = xlsx(tmp_path, rows, {"B8": "0", "B9": "0.00"})
    with pytest.raises(ToolkitError) as caught:
        read_ratings(path, scale=SCALE)
    assert [p.cell for p in caught.value.problems] == ["B2", "B3", "B4", "B6", "B7", "B8", "B10"]
    assert all(p.place.startswith("r.xlsx > S > B") for p in caught.value.problems)


def test_a_score_is_what_the_cell_stores(tmp_path):
    rows = [["item_id", "A", "B"], ["i1", 4.0, "4"], ["i2", 3, "4,0"], ["i3", 1, " 5 "]]
    ratings = read_ratings(xlsx(tmp_path, rows, {"B2": "0.00"}), scale=SCALE)
    assert scores(ratings) == {
        ("i1", "all"): {"A": 4, "B": 4},
        ("i2", "all"): {"A": 3, "B": 4},
        ("i3", "all"): {"A": 1, "B": 5},
    }
    assert [(r.place, r.annotator, r.item, r.found, r.read_as) for r in ratings.repairs] == [
        ("r.xlsx > S > C2", "B", "i1", "4", "4"),
        ("r.xlsx > S > C3", "B", "i2", "4,0", "4"),
        ("r.xlsx > S > C4", "B", "i3", " 5 ", "5"),
    ]


def test_a_score_that_its_format_hides_or_shows_as_another_is_refused(tmp_path):
    path = xlsx(
        tmp_path,
        [["item_id", "A", "B"], ["i1", 4, 4], ["i2", 3, 3], ["i3", "4", 2], ["i4", 2, 2], ["i5", 4, 5]],
        {"C2": '"5"', "C3": ";;;", "B4": '0;"1"@', "C4": '0" of 5"', "B5": "0.00", "C5": "0%", "B6": "#,##0.0"},
    )
    with pytest.raises(ToolkitError) as caught:
        read_ratings(path, scale=SCALE)
    assert [p.cell for p in caught.value.problems] == ["C2", "C3", "B4", "C5"]
    told = [p.what.partition("the score of ")[2] for p in caught.value.problems]
    assert told == [
        "B is stored as 4, but the cell shows 5",
        "B is stored as 3, but the cell shows nothing",
        "A is stored as 4, but the cell shows 14",
        "B is stored as 2, but the cell shows 200%",
    ]


def test_a_struck_out_score_is_refused_and_other_struck_out_cells_are_not(tmp_path):
    path = xlsx(tmp_path, [["item_id", "A", "B"], ["i1", 4, 4], ["i2", 3, 4], ["i3", 3, 2]])
    book = openpyxl.load_workbook(path)
    for cell in ("A1", "A2", "B2", "A4"):
        book.active[cell].font = openpyxl.styles.Font(strike=cell != "A4", bold=True)
    book.save(path)
    with pytest.raises(ToolkitError) as caught:
        read_ratings(path, scale=SCALE)
    assert [(p.cell, p.what) for p in caught.value.problems] == [
        ("B2", "item i1: the score of A is struck out"),
    ]


def test_an_unquoted_decimal_comma_makes_no_score(tmp_path):
    long = "item_id,annotator_id,score,justification\ni1,A,4,good\ni1,B,4,good\ni2,A,3,5,\ni2,B,2,bad\n"
    [problem] = refused(tmp_path, long)
    assert problem.cell == "line 4" and "has 5 cells in this line where the header has 4" in problem.what
    assert problem.value == "3,5,"
    # where words may be left out at the end, the length of a row says nothing
    short = "item_id,annotator_id,score,justification\ni1,A,4\ni1,B,4\ni2,A,3,5\ni2,B,2,bad\n"
    [problem] = refused(tmp_path, short)
    assert problem.cell == "line 4" and "two numbers side by side" in problem.what
    wide = "item_id,score_A,justification_A,score_B\ni1,4,good,4\ni2,3,5\n"
    [problem] = refused(tmp_path, wide)
    assert problem.cell == "line 3" and "two numbers side by side" in problem.what


def test_scores_side_by_side_are_scores(tmp_path):
    found = read(tmp_path, "item_id,A,B,C\ni1,3,5,4\ni2,3,5\ni3,2,2,2\n")
    assert scores(found)["i2", "all"] == {"A": 3, "B": 5}
    with_words = read(tmp_path, 'item_id,annotator_id,score,justification\ni1,A,3,5\ni1,B,"3,0",5\n')
    assert scores(with_words)["i1", "all"] == {"A": 3, "B": 3}


def test_noise_of_binary_arithmetic_is_no_fraction(tmp_path):
    ratings = read(tmp_path, '[{"item_id":"i","A":2.9999999999999996,"B":3}]', "r.json")
    assert scores(ratings) == {("i", "all"): {"A": 3, "B": 3}}
    assert [(r.place, r.found) for r in ratings.repairs] == [("r.json > record 1", "2.9999999999999996")]


def test_plain_numbers_in_a_csv_are_no_repairs_and_others_are(tmp_path):
    ratings = read(tmp_path, "item_id;A;B\ni1;4;4,0\ni2;3.0; 5\n")
    assert [(r.place, r.found) for r in ratings.repairs] == [
        ("r.csv > line 2", "4,0"),
        ("r.csv > line 3", "3.0"),
        ("r.csv > line 3", " 5"),
    ]


@pytest.mark.parametrize("raw", ["4.5", "0", "6", "3-4", "4/5", "TRUE", "100%", "#N/A", "nan", "1e0", "four", "4 5"])
def test_scores_that_are_none(tmp_path, raw):
    (found,) = refused(tmp_path, f"item_id,annotator,score\ni7,A,{raw}\ni7,B,4\n")
    assert found.cell == "line 2" and found.value == raw and "item i7" in found.what and "A" in found.what
    (found,) = refused(tmp_path, f"item_id,A,B\ni7,{raw},4\ni8,3,3\n")
    assert found.cell == "line 2" and found.value == raw and "score_NAME" in found.fix


def test_all_problems_at_once(tmp_path):
    text = "item_id,annotator,score\ni1,A,7\n,A,3\ni3,,3\ni4,B,x\ni5,B,4\n"
    assert [p.cell for p in refused(tmp_path, text)] == ["line 2", "line 3", "line 4", "line 5"]
    lines = '{"item_id":"a","annotator_id":"A","score":NaN}\n{"item_id":"a","annotator_id":"B","score":true}\n'
    assert [p.cell for p in refused(tmp_path, lines, "r.jsonl")] == ["line 1", "line 2"]


@pytest.mark.parametrize("item_id", ["8e5", "1.5", "true"])
def test_identifiers_that_json_made_numbers(tmp_path, item_id):
    (found,) = refused(tmp_path, f'[{{"item_id":{item_id},"A":4,"B":5}}]', "r.json")
    assert "item_id" in found.what


def test_labels_and_names(tmp_path):
    ratings = read(tmp_path, "item_id,A,B\ni1,Boa,4 - boa\n", labels={"boa": 4})
    assert scores(ratings) == {("i1", "all"): {"A": 4, "B": 4}}
    scale = Scale(kind="nominal", values=("A", "B", "tie"))
    ratings = read(tmp_path, "item_id,annotator,score\ni1,x,A\ni1,y,Tie\n", scale=scale)
    assert scores(ratings) == {("i1", "all"): {"x": "A", "y": "tie"}}
    assert len(ratings.repairs) == 1


# --- who is an annotator


def test_columns_of_texts_are_no_annotators_and_said(tmp_path):
    ratings = read(tmp_path, "item_id,A1,comentario,A2,category\ni1,4,muito bom,5,geo\ni2,3,,2,geo\n")
    assert ratings.annotators == ("A1", "A2")
    assert len(ratings.warnings) == 1 and "'comentario'" in ratings.warnings[0]


def test_a_column_with_one_wrong_score_stays_an_annotator(tmp_path):
    (found,) = refused(tmp_path, "item_id,A1,A2\ni1,4,bom\ni2,3,4\n")
    assert found.value == "bom"


def test_an_annotator_without_a_score_is_left_out(tmp_path):
    ratings = read(tmp_path, "item_id,A1,A2,A3\ni1,4,5,\ni2,3,4,\n")
    assert ratings.annotators == ("A1", "A2")
    assert any("A3 gave no score" in warning for warning in ratings.warnings)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("item_id,annotator,score\ni1,A,4\n", "at least two annotators"),
        ("item_id,A1\ni1,4\n", "at least two annotators"),
        ("item_id,A1,A2\ni1,4,\n", "at least two annotators"),
        ("item_id,A1,comentario\ni1,4,bom\n", "'comentario'"),
        ("item_id,category\ni1,4\n", "nobody"),
        ("item_id,score\ni1,4\n", "none called annotator_id"),
        ("item_id,annotator\ni1,4\n", "none called score"),
        ("codigo,A1,A2\ni1,4,5\n", "no column item_id"),
        ("item_id,A1,A2\n", "no rows"),
        ("", "empty"),
        ("item_id,dimension,A1,A2\ni1,,4,5\n", "has no dimension"),
        ("item_id,A1,A2,A1\ni1,4,5,3\n", "columns 2 and 4"),
    ],
)
def test_tables_that_are_no_ratings(tmp_path, text, word):
    (found,) = refused(tmp_path, text)
    assert word in found.what and found.fix


def test_map(tmp_path):
    rename = {"item_id": "codigo", "annotator_id": "quem", "score": "nota"}
    assert read(tmp_path, "codigo,quem,nota\ni1,A,4\ni1,B,5\n", rename=rename).annotators == ("A", "B")
    assert read(tmp_path, "codigo,A,B\ni1,4,5\n", rename={"item_id": "codigo"}).annotators == ("A", "B")
    (found,) = refused(tmp_path, "item_id,A,B\ni1,4,5\n", rename={"score": "nota"})
    assert "nota" in found.what


# --- the shared cases


@pytest.mark.parametrize(
    ("name", "items", "annotators"),
    [("two-annotators-pt", 30, 2), ("summeval", 1600, 3), ("cebab_stars", 711, 10), ("mtbench_pairwise", 120, 3)],
)
def test_cases(cases, name, items, annotators):
    scale = Scale(kind="nominal", values=("A", "B", "tie")) if name == "mtbench_pairwise" else SCALE
    path = cases / name / "ratings.csv"
    ratings = read_ratings(path, scale=scale)
    assert (len(ratings.items), len(ratings.annotators), ratings.warnings) == (items, annotators, ())
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(map(len, ratings.annotations.values())) == len(rows)
    for row in rows:
        found = ratings.annotations[row["item_id"], row["dimension"]][row["annotator_id"]]
        assert str(found.value) == row["score"]
        assert found.justification == row.get("justification", "")


# --- long, wide, read back


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.text("abc01", min_size=1, max_size=4),
        st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3),
        min_size=1,
        max_size=12,
    )
)
def test_long_and_wide_round_trip(tmp_path_factory, grid):
    folder = tmp_path_factory.mktemp("ratings")
    names = ["Ana", "B 2", "C"]
    with (folder / "wide.csv").open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows([["item_id", *names], *([key, *row] for key, row in grid.items())])
    with (folder / "long.csv").open("w", newline="", encoding="utf-16") as file:
        rows = [(key, name, v) for key, row in grid.items() for name, v in zip(names, row, strict=True)]
        csv.writer(file).writerows([["item_id", "annotator_id", "score"], *rows])
    kept = [n for k, n in enumerate(names) if any(row[k] is not None for row in grid.values())]
    for kind in ("wide", "long"):
        if len(kept) < 2:
            with pytest.raises(ToolkitError, match="at least two"):
                read_ratings(folder / f"{kind}.csv", scale=SCALE)
            continue
        ratings = read_ratings(folder / f"{kind}.csv", scale=SCALE)
        assert list(ratings.annotators) == kept
        assert scores(ratings) == {
            (key, "all"): {n: v for n, v in zip(names, row, strict=True) if v is not None} for key, row in grid.items()
        }
