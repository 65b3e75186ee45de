"""Whatever came back: every way in the table is read as it must be, by `check` and by the report alike."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.cell import MergedCell
from openpyxl.cell.rich_text import CellRichText

from tests.readers.build import zipped
from tests.returned.ways import WAYS, Way
from tests.returned.workbook import OPTIONS, RECORDS, SCORES, Filled, as_csv, as_ods, parts_of
from tests.studies import consensus, make, ok, refused, toolkit
from tests.studies import record as judged
from toolkit.errors import ToolkitError
from toolkit.study import Study
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.readers import find_sources, read_book

FEWEST_WAYS = 60


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("returned") / "s"
    return make(folder, RECORDS, "A1,A2,A3", *OPTIONS), folder


def written(way: Way, study: Study, folder: Path, target: Path) -> tuple[Path, Filled]:
    filled = Filled(study, folder / "send" / "A1.xlsx")
    data = way.make(filled)
    path = target / way.file
    path.write_bytes(filled.data() if data is None else data)
    return path, filled


def read(path: Path, study: Study) -> tuple[Returned, tuple[str, ...]]:
    sources, warnings = find_sources([path])
    books = []
    for source in sources:
        with contextlib.suppress(ToolkitError):
            books.append(read_book(source))
    return ingest(books, study), warnings


def test_the_table_is_long_and_each_way_is_there_once() -> None:
    assert len(WAYS) >= FEWEST_WAYS
    assert len({way.id for way in WAYS}) == len(WAYS)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.id)
def test_what_comes_of_it(way: Way, study: tuple[Study, Path], tmp_path: Path) -> None:
    path, filled = written(way, *study, tmp_path)
    result = toolkit("check", study[1], path, "--json")
    assert result.exit_code == (1 if way.problems else 0), result.output
    [found] = json.loads(result.stdout)
    told = [(problem["cell"], problem["what"]) for problem in found["problems"]]
    expected = [(filled.address(cell), words) for cell, words in way.problems]
    assert len(told) == len(expected), told
    for cell, words in expected:
        assert any(cell in (where, "*") and words in what for where, what in told), (cell, words, told)
    assert all(problem["fix"] for problem in found["problems"])
    assert len(found["repairs"]) == way.repairs, found["repairs"]
    apart = [line for line in result.stderr.splitlines() if line.startswith("warning: ")]
    warnings = [*apart, *found["warnings"]]
    assert len(warnings) == len(way.warnings) and all(map(str.__contains__, warnings, way.warnings)), warnings

    returned, _warnings = read(path, study[0])
    if way.scores is None:
        assert not returned.annotations and found["annotator"] is None
        return
    right = SCORES | way.scores
    assert scores(returned, study[0]) == right
    assert (found["annotator"], found["scored"]) == ("A1", sum(score is not None for score in right.values()))
    for (key, item), value in way.words.items():
        assert entered(returned, filled, key, item) == value


def scores(returned: Returned, study: Study) -> dict[str, Any]:
    annotations = returned.annotations["A1"]
    return {item.item_id: annotations[item.item_code].score if item.item_code in annotations else None
            for item in study.items}  # fmt: skip


def entered(returned: Returned, filled: Filled, key: str, item: str) -> Any:
    if key == "closing":
        return returned.closing["A1"].get(item)
    return getattr(returned.annotations["A1"][filled.codes[item]], key)


MARKED = [way for way in WAYS if way.scores is not None and way.file == "A1.xlsx" and any(c for c, _w in way.problems)]
KINDS = ("merged", "score-array", "score-six", "score-na", "text-changed", "row-doubled", "text-emptied", "score-below")
KINDS += ("labels-swapped", "levels-changed", "levels-emptied", "opening-changed", "question-changed", "rubric-level-")


@pytest.mark.parametrize("way", [w for w in MARKED if w.id.startswith(KINDS)], ids=lambda way: way.id)
def test_the_copy_for_the_annotator_marks_every_cell_and_changes_nothing(
    way: Way, study: tuple[Study, Path], tmp_path: Path
) -> None:
    path, _filled = written(way, *study, tmp_path)
    copy = tmp_path / "copy.xlsx"
    before = json.loads(toolkit("check", study[1], path, "--json", "--annotated", copy).stdout)
    after = json.loads(toolkit("check", study[1], copy, "--json").stdout)
    assert [p["cell"] for p in after[0]["problems"]] == [p["cell"] for p in before[0]["problems"]]
    book = openpyxl.load_workbook(copy, rich_text=True)
    marked = {cell.coordinate for sheet in book for line in sheet.iter_rows() for cell in line if cell.comment}
    assert marked >= {problem["cell"] for problem in before[0]["problems"]} - hidden_under_merges(book) - {None}
    assert marked
    assert any(isinstance(cell.value, CellRichText) for line in book.worksheets[2].iter_rows() for cell in line)


def hidden_under_merges(book: openpyxl.Workbook) -> set[str]:
    """The cells that nobody sees; the cell above them carries their note."""
    return {
        cell.coordinate for sheet in book for line in sheet.iter_rows() for cell in line if isinstance(cell, MergedCell)
    }


def test_a_file_that_only_we_can_read_is_not_marked_but_said(study: tuple[Study, Path], tmp_path: Path) -> None:
    filled = Filled(study[0], study[1] / "send" / "A1.xlsx", SCORES | {"f1": 9})
    parts = parts_of(filled.data())
    parts["xl/styles.xml"] = parts["xl/styles.xml"].replace(b"</fills>", b"<fill/></fills>", 1)
    (tmp_path / "A1.xlsx").write_bytes(zipped(parts))
    assert "off the scale" in refused("check", study[1], tmp_path / "A1.xlsx")
    told = refused("check", study[1], tmp_path / "A1.xlsx", "--annotated", tmp_path / "copy.xlsx")
    assert "cannot be marked" in told and not (tmp_path / "copy.xlsx").exists()


def test_two_files_of_one_annotator_are_told_with_the_second(study: tuple[Study, Path], tmp_path: Path) -> None:
    filled = Filled(study[0], study[1] / "send" / "A1.xlsx")
    (tmp_path / "1.xlsx").write_bytes(filled.data())
    (tmp_path / "2.ods").write_bytes(as_ods(filled.grid()))
    found = json.loads(ok("check", study[1], tmp_path, "--json"))
    assert [len(file["problems"]) for file in found] == [0, 0]
    assert "same answers" in found[1]["warnings"][0] and not found[0]["warnings"]
    filled.put("score", "f1", 1)
    (tmp_path / "2.ods").write_bytes(as_ods(filled.grid()))
    result = toolkit("check", study[1], tmp_path, "--json")
    first, second = json.loads(result.stdout)
    assert result.exit_code == 1 and not first["problems"]
    assert "second file from A1" in second["problems"][0]["what"] and "has 5" in second["problems"][0]["what"]


def test_good_oddities_make_the_right_report(study: tuple[Study, Path], tmp_path: Path) -> None:
    # three people, each in a way of their own; the medians are worked out by hand
    people = {
        "A1": {"f1": 5, "f2": 3, "f3": 4, "c1": 1, "c2": 2, "r1": 4},
        "A2": {"f1": 4, "f2": 3, "f3": 2, "c1": 1, "c2": 3, "r1": 5},
        "A3": {"f1": 4, "f2": 1, "f3": 5, "c1": 2, "c2": 2, "r1": 1},
    }
    medians = {"f1": 4, "f2": 3, "f3": 4, "c1": 1, "c2": 2, "r1": 4}
    ranges = {"f1": 1, "f2": 2, "f3": 3, "c1": 1, "c2": 1, "r1": 4}
    one, two, three = (Filled(study[0], study[1] / "send" / f"{name}.xlsx", people[name]) for name in people)
    returned = tmp_path / "returned"
    (returned / "Ana").mkdir(parents=True)
    (returned / "Ana" / "respostas.ods").write_bytes(as_ods(one.grid()))
    two.put("score", "f1", "4,0")
    grid = two.grid()
    grid[two.rows["r1"] - 1][two.keys["justification"] - 1] = "muito longo 😀 " * 2858
    (returned / "A1.csv").write_bytes(as_csv(grid, ";", "utf-16"))
    three.reordered(lambda rows: sorted(rows, key=lambda row: row * 7 % 11))
    three.sheet.insert_cols(9)
    three.sheet.title = "Folha1"
    (returned / "enviado.zip").write_bytes(zipped({"A2 (1).xlsx": three.data()}))
    ok("consolidate", study[1], returned, "-o", tmp_path / "report", "-q")
    rows = consensus(tmp_path / "report")
    for item, median in medians.items():
        assert [rows[item][f"score_{name}"] for name in people] == [str(people[name][item]) for name in people]
        assert float(rows[item]["human_consensus_score"]) == median
        assert float(rows[item]["disagreement_range"]) == ranges[item]
    # the flagged item's 40,000 characters are all in the discussion workbook, a row is no longer than a cell may be
    sheet = openpyxl.load_workbook(tmp_path / "report" / "discussion.xlsx").worksheets[0]
    said = "".join(str(cell.value) for line in sheet.iter_rows() for cell in line if "😀" in str(cell.value))
    assert said.count("muito") == said.count("😀") == 2858
    assert max(sheet.row_dimensions[row].height or 0 for row in range(1, sheet.max_row + 1)) < 409


def test_the_files_can_be_written_to_look_at(tmp_path: Path) -> None:
    from tests.returned.__main__ import write

    write(tmp_path / "all")
    assert len(list((tmp_path / "all").glob("*/*"))) == len(WAYS)
    assert len((tmp_path / "all" / "README.md").read_text().splitlines()) > len(WAYS)


def test_an_answer_of_thirty_thousand_lines_comes_back(tmp_path: Path) -> None:
    long = "\n".join(f"linha {number}" for number in range(30_000))
    study = make(tmp_path / "s", [judged("f1", response=long), judged("f2")], "A1,A2")
    filled = Filled(study, tmp_path / "s" / "send" / "A1.xlsx", {"f1": 4, "f2": 2})
    assert f"{filled.codes['f1']}:1200" in {row[2] for row in filled.grid()}
    (tmp_path / "A1.xlsx").write_bytes(filled.data())
    [found] = json.loads(ok("check", tmp_path / "s", tmp_path / "A1.xlsx", "--json"))
    assert found["scored"] == 2 and not found["problems"]


@pytest.mark.parametrize("lost", ["?", "??"], ids=["LibreOffice", "Excel"])
def test_a_csv_whose_encoding_lacks_characters_is_read_and_other_changes_are_still_told(
    lost: str, tmp_path: Path
) -> None:
    texts = ["Ótimo 👍🏽! 2 ≥ 1", "安 é na\u0303o 😀"]
    study = make(tmp_path / "s", [judged("f1", response=texts[0]), judged("f2", response=texts[1])], "A1,A2")
    filled = Filled(study, tmp_path / "s" / "send" / "A1.xlsx", {"f1": 4, "f2": 2})
    grid = [[lossy(value, lost) for value in line] for line in filled.grid()]
    (tmp_path / "A1.csv").write_bytes(as_csv(grid, ";", "cp1252"))
    [found] = json.loads(ok("check", tmp_path / "s", tmp_path / "A1.csv", "--json"))
    assert found["scored"] == 2 and not found["problems"]
    assert any("2 texts hold characters" in warning for warning in found["warnings"])
    row, column = filled.rows["f1"] - 1, filled.keys["text"] - 1
    grid[row][column] = str(grid[row][column]).replace("!", "?")
    (tmp_path / "A1.csv").write_bytes(as_csv(grid, ";", "cp1252"))
    told = refused("check", tmp_path / "s", tmp_path / "A1.csv")
    assert "was changed" in told and "1 texts hold characters" in told


def lossy(value: Any, astral: str) -> Any:
    if not isinstance(value, str):
        return value
    kept = (c if c.encode("cp1252", "ignore") else "=" if c == "≥" else astral if c > "\uffff" else "?" for c in value)
    return "".join(kept)


def test_one_fault_in_very_many_rows_is_told_in_few_words(
    study: tuple[Study, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = Filled(study[0], study[1] / "send" / "A1.xlsx")
    last = filled.sheet.max_row
    for row in range(last + 1, last + 1_501):
        filled.sheet.cell(row, filled.keys["study"]).value = "x"
    (tmp_path / "A1.xlsx").write_bytes(filled.data())
    [found] = json.loads(ok("check", study[1], tmp_path / "A1.xlsx", "--json"))
    assert len(found["warnings"]) == 1 and "and 1,499 more such rows" in found["warnings"][0]
    for row in range(last + 1, last + 1_501):
        filled.sheet.cell(row, filled.keys["score"]).value = 4
    (tmp_path / "A1.xlsx").write_bytes(filled.data())
    [found] = json.loads(toolkit("check", study[1], tmp_path / "A1.xlsx", "--json").stdout)
    assert found["scored"] == len(SCORES) and len(found["problems"]) == 1_001
    assert "has 500 more problems" in found["problems"][-1]["what"]
    for row in range(last + 1, last + 1_501):
        filled.sheet.cell(row, filled.keys["item_code"]).value = filled.codes["f1"]
    (tmp_path / "A1.xlsx").write_bytes(filled.data())
    monkeypatch.setattr("toolkit.workbook.ingest.ROWS_TO_SPARE", 0)
    told = refused("check", study[1], tmp_path / "A1.xlsx")
    assert "many times as many as were sent" in told and len(told.splitlines()) < 6
