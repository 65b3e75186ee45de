"""A real spreadsheet program: LibreOffice opens our workbook, people fill it in there and save it, in two locales."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests import office as office_module
from tests.office import Office
from tests.studies import annotation_sheet, answer_rows, make, ok, record
from tests.test_rubric_fits import rubric
from toolkit.i18n import language
from toolkit.study import Study, read_study
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.readers import find_sources, read_book
from toolkit.workbook.style import DONE, MISSING, WRONG

pytestmark = pytest.mark.office

RECORDS = [
    record("f1", response="Uma **resposta**:\n\n- um\n- dois\n\n`a_b`"),
    record("f2", response="=1+1"),
    record("f3"),
    record("c1", "consistency", response=None, responses=["um", "dois " * 400]),
    record("c2", "consistency", response=None, responses=["Precisa\u0303o", "é"]),
    record("r1", "robustness", original_response="o", variant_type="typo", variant_prompt="p?"),
]
# The third sheet as it is shown: separator, quotes, character set (76: UTF-8, 65535: UTF-16).
CSV = {"en-US": "44,34,76", "pt-BR": "59,34,65535"}
CSV_REST = ",1,,0,false,true,false,false,false,3"
GUIDE, RUBRIC, ANNOTATION = 0, 1, 2
# What is typed in each locale, and what must come of it: a score, or words of a problem.
TYPED: dict[str, dict[str, tuple[str, int | str]]] = {
    "en-US": {"f1": ("5", 5), "f2": ("4.0", 4), "f3": ("4/5", "date"), "c1": (" 2 ", 2), "c2": ("3.5", "between")},
    "pt-BR": {"f1": ("5", 5), "f2": ("4,0", 4), "f3": ("4/5", "date"), "c1": (" 2 ", 2), "c2": ("3,5", "between")},
}


@pytest.fixture(scope="module", params=["en-US", "pt-BR"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Office]]:
    """LibreOffice in a locale."""
    if why := office_module.missing():
        pytest.skip(why)
    with office_module.running(tmp_path_factory.mktemp("profile"), request.param) as running:
        yield request.param, running


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("office") / "s"
    return make(folder, RECORDS, "A1,A2", "--lang", "pt-BR", "--practice", "--time-columns"), folder


class Places:
    """Where things are in the workbook as it goes out."""

    def __init__(self, study: Study, path: Path):
        self.book = openpyxl.load_workbook(path)
        self.sheet, self.keys = annotation_sheet(self.book)
        self.rows = {study.by_code[code].item_id: row for code, row in answer_rows(self.sheet, self.keys).items()
                     if code in study.by_code}  # fmt: skip

    def cell(self, key: str, item: str) -> str:
        return str(self.sheet.cell(self.rows[item], self.keys[key]).coordinate)

    def beside(self, title: str, columns: int = 1) -> str:
        """The cell so many columns to the right of a title on the first sheet."""
        for line in self.book.worksheets[GUIDE].iter_rows():
            for cell in line:
                if cell.value == title:
                    return str(cell.offset(0, columns).coordinate)
        raise AssertionError(title)

    def status(self) -> str:
        found = [cell for line in self.book.worksheets[GUIDE].iter_rows() for cell in line
                 if str(cell.value).startswith("=IF(")]  # fmt: skip
        return str(found[0].coordinate)


@pytest.fixture(scope="module")
def places(study: tuple[Study, Path]) -> Places:
    return Places(study[0], study[1] / "send" / "A1.xlsx")


@pytest.fixture(scope="module")
def saved(
    program: tuple[str, Office], study: tuple[Study, Path], places: Places, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The workbook, filled in by typing and saved in every format."""
    locale, office = program
    folder = tmp_path_factory.mktemp("saved")
    cells = {places.cell("score", item): typed for item, (typed, _expected) in TYPED[locale].items()}
    cells |= {places.cell("score", "r1"): "1", places.cell("doubt", "r1"): "sim", places.cell("notes", "r1"): "=1+1"}
    cells |= {places.cell("justification", "f1"): "4/5", places.cell("time_start", "f1"): "14:05"}
    cells |= {places.cell("time_end", "f1"): "14:35"}
    paths = {kind: folder / kind / f"A1.{kind}" for kind in ("xlsx", "ods", "xls", "csv", "html")}
    for path in paths.values():
        path.parent.mkdir()
    actions: list[list[Any]] = [["enter", ANNOTATION, cells]]
    actions += [
        ["save", str(path), kind, CSV[locale] + CSV_REST if kind == "csv" else ""] for kind, path in paths.items()
    ]
    office.ask(study[1] / "send" / "A1.xlsx", *actions)
    [paths["csv"]] = (folder / "csv").iterdir()  # LibreOffice adds the sheet's name to the file's
    return paths


def returned(path: Path, study: Study) -> Returned:
    sources, warnings = find_sources([path])
    assert not warnings
    return ingest([read_book(source) for source in sources], study)


@pytest.mark.parametrize("kind", ["xlsx", "ods", "xls", "csv"])
def test_what_was_typed_is_read_from_every_format(
    kind: str, program: tuple[str, Office], saved: dict[str, Path], study: tuple[Study, Path], places: Places
) -> None:
    found = returned(saved[kind], study[0])
    expected = TYPED[program[0]] | {"r1": ("1", 1)}
    ids = {item.item_code: item.item_id for item in study[0].items}
    scores = {ids[code]: given.score for code, given in found.annotations["A1"].items()}
    assert scores == {item: value if isinstance(value, int) else None for item, (_typed, value) in expected.items()}
    # a CSV says what was shown; that this was a date, nobody can tell any more
    words = {"date": "exactly one value" if kind == "csv" else "date or time", "between": "between two values"}
    told = {problem.cell: problem.what for problem in found.problems}
    refused = {places.cell("score", item): words[value] for item, (_t, value) in expected.items()
               if isinstance(value, str)}  # fmt: skip
    assert told.keys() == refused.keys(), found.problems
    assert all(refused[cell] in told[cell] for cell in told)
    entered = {ids[code]: given for code, given in found.annotations["A1"].items()}
    assert entered["r1"].doubt and entered["r1"].notes == "=1+1"
    assert entered["f1"].justification == "4/5" and entered["f1"].minutes == 30


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_choices_protection_and_signs_survive(
    kind: str, program: tuple[str, Office], saved: dict[str, Path], places: Places
) -> None:
    _locale, office = program
    score, doubt = places.cell("score", "c1"), places.cell("doubt", "c1")
    asked = [score, doubt, *(places.cell(key, "c1") for key in ("justification", "notes", "time_start"))]
    fixed = [places.cell(key, "c1") for key in ("text", "item_code", "part")]
    again = saved[kind].with_name("again.html")
    rules, (protected, locked), _saved = office.ask(
        saved[kind],
        ["validations", ANNOTATION, [score, doubt]],
        ["locked", ANNOTATION, asked + fixed],
        ["save", str(again), "html"],
    )
    assert [rule[:3] for rule in rules] == [["LIST", '"1";"2";"3";"4";"5"', True], ["LIST", '"sim";"não"', True]]
    assert "5 = " in rules[0][4] and rules[0][3]
    assert protected and locked == [False] * len(asked) + [True] * len(fixed)
    # programs show conditional colours; so does the page LibreOffice makes of the sheet
    for page in (saved["html"], again):
        colours = colours_of(page.read_text(encoding="utf-8", errors="replace"))
        assert colours["wrong"] >= 2 and colours["done"] >= 4 and colours["missing"] >= 3


def colours_of(page: str) -> dict[str, int]:
    found = re.findall(r'bgcolor="#([0-9A-F]{6})"', page)
    return {name: found.count(code[1:]) for name, code in {"wrong": WRONG, "done": DONE, "missing": MISSING}.items()}


def test_a_blank_cell_is_not_the_0_of_a_scale(office: Office, tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text(json.dumps(rubric([0, 1, 2])), encoding="utf-8")
    items = [record(f"f{n}", judge_score=1) for n in range(3)]
    study = make(tmp_path / "s", items, "A1,A2", "--rubric", tmp_path / "rubric.yaml")
    places = Places(study, tmp_path / "s" / "send" / "A1.xlsx")
    entered = {places.cell("score", "f0"): "0", places.cell("score", "f1"): "9"}
    pages = [tmp_path / "before.html", tmp_path / "after.html"]
    look: list[Any] = ["values", GUIDE, [places.beside(language("pt-BR")("All"))]]
    _saved, before, _entered, _again, after = office.ask(
        tmp_path / "s" / "send" / "A1.xlsx",
        ["save", str(pages[0]), "html"],
        look,
        ["enter", ANNOTATION, entered],
        ["save", str(pages[1]), "html"],
        look,
    )
    colours = [colours_of(page.read_text(encoding="utf-8", errors="replace")) for page in pages]
    # the status on the first sheet has the colour of what is missing, always
    assert colours == [{"wrong": 0, "done": 0, "missing": 1}, {"wrong": 1, "done": 1, "missing": 2}]
    assert [value for [(_text, value, _error)] in (before, after)] == [0, 1]


def progress_cells(study: Study, places: Places) -> list[str]:
    """Done in each dimension and in all, doubts, unexplained; left in each and in all; the status."""
    dimensions = study.rubric.dimensions
    _ = language("pt-BR")
    rows = [*(dimensions[key].title for key in ("factual", "consistency", "robustness")), _("All")]
    rows += [_("Marked as doubtful"), _("Scored without a justification")]
    cells = [places.beside(title) for title in rows] + [places.beside(title, 2) for title in rows[:4]]
    return [*cells, places.status()]


def test_the_progress_is_live(program: tuple[str, Office], study: tuple[Study, Path], places: Places) -> None:
    _locale, office = program
    _ = language("pt-BR")
    practice = next(r for r in range(3, 20) if places.sheet.cell(r, places.keys["item_code"]).value == "practice-1")
    look: list[Any] = ["values", GUIDE, progress_cells(study[0], places)]
    scores = {places.cell("score", item): "3" for item in places.rows}
    before, _1, half, _2, full = office.ask(
        study[1] / "send" / "A1.xlsx",
        look,
        ["enter", ANNOTATION, {
            places.cell("score", "f1"): "4", places.cell("score", "c1"): "9", places.cell("doubt", "f1"): "sim",
            f"I{practice}": "5", f"K{practice}": "sim", places.cell("justification", "f3"): "sem nota"}],
        look,
        ["enter", ANNOTATION, scores | {places.cell("justification", item): "x" for item in places.rows}],
        look,
    )  # fmt: skip
    assert not any(error for answers in (before, half, full) for _text, _value, error in answers)
    numbers = [[value for _text, value, _error in answers[:10]] for answers in (before, half, full)]
    assert numbers[0] == [0, 0, 0, 0, 0, 0, 3, 2, 1, 6]
    # a score off the scale, which the annotator sees in red, is no score
    assert numbers[1] == [1, 0, 0, 1, 1, 1, 2, 2, 1, 5]
    assert numbers[2] == [3, 2, 1, 6, 1, 0, 0, 0, 0, 0]
    complete, not_yet = _("Complete. Thank you! Please save the file and send it back."), _("Not complete yet.")
    assert [answers[10][0] for answers in (before, half, full)] == [not_yet, not_yet, complete]


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_the_progress_stays_live_in_what_the_program_saved(
    kind: str, program: tuple[str, Office], saved: dict[str, Path], study: tuple[Study, Path], places: Places
) -> None:
    _locale, office = program
    look: list[Any] = ["values", GUIDE, progress_cells(study[0], places)]
    scores = {places.cell("score", item): "3" for item in places.rows}
    reasons = {places.cell("justification", item): "x" for item in places.rows if item != "f2"}
    _entered, full, _changed, half = office.ask(
        saved[kind],
        ["enter", ANNOTATION, scores | reasons],
        look,
        ["enter", ANNOTATION, {places.cell("score", "f1"): "9", places.cell("score", "c1"): ""}],
        look,
    )
    assert not any(error for answers in (full, half) for _text, _value, error in answers)
    # the doubt about r1 was there when it was saved
    assert [value for _text, value, _error in full[:10]] == [3, 2, 1, 6, 1, 1, 0, 0, 0, 0]
    assert [value for _text, value, _error in half[:10]] == [2, 1, 1, 4, 1, 1, 1, 1, 0, 2]
    _ = language("pt-BR")
    assert full[10][0] == _("Complete. Thank you! Please save the file and send it back.")
    assert half[10][0] == _("Not complete yet.")


@pytest.fixture(scope="module")
def real(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real study, with everything that the coordinator may want in its workbooks."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "note.txt").write_text("Leia devagar.\n\n" + "Uma instrução bem comprida. " * 40, encoding="utf-8")
    items = (cases / "two-annotators-pt" / "items.jsonl").read_text(encoding="utf-8")
    (folder / "s.jsonl").write_text(items, encoding="utf-8")
    options = ("--practice", "--time-columns", "--deadline", "sexta-feira", "--contact", "Ana <ana@example.org>")
    ok("make-sheets", folder / "s.jsonl", "--annotators", "2", "--lang", "pt-BR", "--seed", "5", *options,
       "--instructions", folder / "note.txt", "-o", folder / "s", "-q")  # fmt: skip
    return folder / "s" / "send" / "A1.xlsx"


def test_nothing_is_clipped(office: Office, real: Path) -> None:
    book = openpyxl.load_workbook(real)
    sheet, keys = annotation_sheet(book)
    ranges = [[str(area) for area in one.merged_cells.ranges] for one in book.worksheets]
    # the best heights last, because the sheet has them afterwards
    *merged, heights = office.ask(
        real,
        *(["merged_heights", place, areas] for place, areas in enumerate(ranges)),
        ["optimal_heights", ANNOTATION],
    )
    low = []
    for row in range(2, sheet.max_row + 1):
        stored, needed = heights[row - 1]
        if stored < needed - 0.2:
            low.append((sheet.cell(row, keys["part"]).value, stored, needed))
    for one, areas, found in zip(book.worksheets, ranges, merged, strict=True):
        for area, (stored, needed) in zip(areas, found, strict=True):
            if stored < needed - 0.2:
                low.append((one.title, area, stored, needed, str(one[area.split(":")[0]].value)[:40]))
    assert not low
    assert sum(map(len, ranges)) > 60 and len(heights) > 100


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler's pdftotext is not installed")
def test_the_rubric_prints_a_dimension_to_a_page(office: Office, real: Path, tmp_path: Path) -> None:
    office.ask(real, ["only", RUBRIC], ["save", str(tmp_path / "a.pdf"), "pdf"])
    text = subprocess.run(["pdftotext", "-layout", tmp_path / "a.pdf", "-"], capture_output=True, text=True, check=True)
    pages = [page for page in text.stdout.split("\f") if re.search(r"^\s*Rubrica\s+Página \d", page, re.MULTILINE)]
    dimensions = read_study(real.parent.parent).rubric.dimensions
    places = {}
    for key, dimension in dimensions.items():
        whole = [" ".join(page.split()) for page in pages]
        words = [" ".join(text.split())[:30] for text in (
            dimension.question, *dimension.edge_cases, *(example.why for example in dimension.examples),
            *(level.short for level in dimension.levels.values()))]  # fmt: skip
        found = {place for place, page in enumerate(whole) for word in words if word in page}
        assert len(found) == 1, (key, found)
        places[key] = found.pop()
    assert len(set(places.values())) == len(dimensions) == len(pages)


def test_the_sheet_needs_no_scrolling_sideways(study: tuple[Study, Path], places: Places) -> None:
    seen = [column for column in places.sheet.column_dimensions.values() if not column.hidden]
    assert sum(column.max - column.min + 1 for column in seen) == 10
    # in pixels, on a screen without row numbers and scroll bar
    assert sum((column.width * 7 + 5) * (column.max - column.min + 1) for column in seen) <= 1366 - 60
