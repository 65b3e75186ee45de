"""A real spreadsheet program: LibreOffice opens our workbook, people fill it in there and save it, in two locales."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.office import Office
from tests.studies import annotation_sheet, answer_rows, make, ok, record, refused
from tests.test_rubric_fits import rubric
from toolkit.i18n import language
from toolkit.study import Study
from toolkit.workbook.guide import CLOSING, CLOSING_COLUMN
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

    def beside(self, title: str, columns: int = 1, rows: int = 0) -> str:
        """The cell so many columns to the right of a title on the first sheet, and so many rows below it."""
        for line in self.book.worksheets[GUIDE].iter_rows():
            for cell in line:
                if cell.value == title:
                    return str(cell.offset(rows, columns).coordinate)
        raise AssertionError(title)

    def status(self) -> str:
        """The cell that says whether everything is done, below the table of the progress."""
        return self.beside(language("pt-BR")("All"), 0, 1)


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


@pytest.mark.parametrize("kind", ["xls", "ods", "xlsx"])
def test_who_made_it_and_what_is_in_no_cell_is_found_in_every_format(
    program: tuple[str, Office], study: tuple[Study, Path], tmp_path: Path, kind: str
) -> None:
    _locale, office = program
    source, clean, path = study[1] / "send" / "A1.xlsx", tmp_path / f"clean.{kind}", tmp_path / f"A1.{kind}"
    office.ask(source, ["save", str(clean), kind])
    assert "A1): blind" in ok("audit-blind", study[1], clean)
    about = {"Author": "Fulana de Tál", "Title": "see f2", "TemplateURL": "file:///" + "home/f/x.ots", "Ours": "f3 too"}
    office.ask(source, ["describe", about], ["comment", 1, "A2", "say nothing of c1"], ["save", str(path), kind])
    told = refused("audit-blind", study[1], path)
    assert "names who made or changed it" in told and "found: 'Fulana de Tál'" in told
    assert all(f"found: '{item}'" in told for item in ("f2", "f3", "c1"))
    if kind == "ods":  # the others keep no address of a template
        assert "names a folder of the computer it was made on" in told


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
    """Done in each dimension and in all, doubts, unexplained; left in each and in all; then the words.

    They are whether everything is done; what is said of each dimension, and of all; and how many are off the scale.
    """
    dimensions = study.rubric.dimensions
    rows = [*(dimensions[key].title for key in ("factual", "consistency", "robustness")), language("pt-BR")("All")]
    cells = [places.beside(title) for title in rows] + [places.beside(rows[-1], place) for place in (4, 5)]
    cells += [places.beside(title, 2) for title in rows]
    return [*cells, places.status(), *(places.beside(title, 6) for title in rows), places.beside(rows[-1], 3)]


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
    to_do = [_("{n} to do", n=left) for left in range(7)]
    row = places.rows["c1"]
    said = [[text for text, _value, _error in answers[11:]] for answers in (before, half, full)]
    assert said[0] == [to_do[3], to_do[2], to_do[1], to_do[6], "0"]
    assert said[1] == [to_do[2], _("{n} to correct: row {row}", n=1, row=row), to_do[1], _("{n} to correct", n=1), "1"]
    assert said[2] == [_("OK")] * 4 + ["0"]


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
@pytest.mark.parametrize("lang", ["pt-BR", "es", "en"])
def test_the_rubric_prints_a_dimension_to_a_page(office: Office, tmp_path: Path, lang: str) -> None:
    study, _ = make(tmp_path / "s", RECORDS, "A1,A2", "--lang", lang), language(lang)
    book = tmp_path / "s" / "send" / "A1.xlsx"
    office.ask(book, ["only", RUBRIC], ["save", str(tmp_path / "a.pdf"), "pdf"])
    text = subprocess.run(["pdftotext", "-layout", tmp_path / "a.pdf", "-"], capture_output=True, text=True, check=True)
    *pages, rest = (" ".join(page.split()) for page in text.stdout.split("\f"))
    # the scale comes first, and the last page ends the text
    assert len(pages) == 1 + len(study.rubric.dimensions) and not rest
    for place, page in enumerate(pages, 1):
        assert page.startswith(study.rubric.name[:40])
        assert page.endswith(f"{_('Rubric')} " + _("Page {page} of {pages}", page=place, pages=len(pages)))
    for place, dimension in enumerate(study.rubric.dimensions.values(), 1):
        texts = (dimension.question, *dimension.edge_cases, *(example.why for example in dimension.examples),
                 *(level.short for level in dimension.levels.values()))  # fmt: skip
        words = [" ".join(text.split())[:25] for text in (*texts, dimension.sets)]
        assert all(word in pages[place] for word in words), [word for word in words if word not in pages[place]]
    # and it can be read: every text has 11 points before it is made smaller
    sheet = openpyxl.load_workbook(book).worksheets[RUBRIC]
    assert sheet.page_setup.scale * 11 / 100 >= 9
    cells = [cell for line in sheet.iter_rows() for cell in line if cell.value is not None]
    # the machine keys are not shown
    assert min(cell.font.size for cell in cells if cell.number_format != ";;;") >= 11


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler's pdftotext is not installed")
def test_the_annotation_sheet_prints_an_item_to_a_page_where_it_fits(office: Office, tmp_path: Path) -> None:
    """The pages begin where the file says, and nowhere else."""
    lengths = (5, 30, 300, 80, 900, 10, 120)
    made = [record(f"i{n}", response="some words " * length) for n, length in enumerate(lengths)]
    study = make(tmp_path / "s", made, "A1,A2")
    book = tmp_path / "s" / "send" / "A1.xlsx"
    office.ask(book, ["only", ANNOTATION], ["save", str(tmp_path / "a.pdf"), "pdf"])
    text = subprocess.run(["pdftotext", "-layout", tmp_path / "a.pdf", "-"], capture_output=True, text=True, check=True)
    *pages, rest = (" ".join(page.split()) for page in text.stdout.split("\f"))
    sheet, keys = annotation_sheet(openpyxl.load_workbook(book))
    begins = [3, *(mark.id + 1 for mark in sheet.row_breaks.brk)]
    assert len(pages) == len(begins) and not rest and len(pages) >= 5
    for page, first, last in zip(pages, begins, [*begins[1:], sheet.max_row + 1], strict=True):
        assert "Item What it is Text to read Score" in page[:80]
        codes = [sheet.cell(row, keys["item_code"]).value for row in range(first, last)]
        assert [code for code in study.by_code if code in page.split()] == [c for c in study.by_code if c in codes]


def test_no_sheet_needs_scrolling_sideways(study: tuple[Study, Path], places: Places) -> None:
    for sheet in places.book.worksheets:
        seen = [column for column in sheet.column_dimensions.values() if not column.hidden and column.width]
        pixels = sum(column.width * 7 * (column.max - column.min + 1) for column in seen)
        # measured in a window of 1366 pixels: how much wider LibreOffice shows columns, and what its row numbers,
        # scroll bar and side bar leave
        assert 700 < pixels * 1.12 <= 1267, sheet.title
    seen = [column for column in places.sheet.column_dimensions.values() if not column.hidden]
    assert sum(column.max - column.min + 1 for column in seen) == 10


TAB = ".uno:JumpToNextUnprotected"  # what LibreOffice does when Tab is pressed in a protected sheet


def test_tab_goes_from_answer_to_answer(office: Office, study: tuple[Study, Path], places: Places) -> None:
    keys = ("score", "justification", "doubt", "notes", "time_start", "time_end")
    rows = sorted(row for row in range(3, places.sheet.max_row + 1)
                  if places.sheet.cell(row, places.keys["item_code"]).value)  # fmt: skip
    expected = [str(places.sheet.cell(row, places.keys[key]).coordinate) for row in rows for key in keys]
    # the sheet opens on the first of them; behind the last one Tab begins again
    assert places.sheet.sheet_view.selection[0].activeCell == expected[0]
    book = study[1] / "send" / "A1.xlsx"
    [visited] = office.ask(book, ["press", ANNOTATION, expected[0], TAB, len(expected)])
    assert visited == [*expected[1:], expected[0]]
    # on the first sheet, the answers to the closing questions alone
    answers = [str(cell.offset(0, CLOSING_COLUMN).coordinate) for line in places.book.worksheets[GUIDE].iter_rows()
               for cell in line if str(cell.value).startswith(CLOSING)]  # fmt: skip
    [visited] = office.ask(book, ["press", GUIDE, "A1", TAB, len(answers) + 1])
    assert visited == [*answers, answers[0]] and len(answers) == 4


# What is in a score cell: typed, or pasted as a text. {short} is the short form of a level of the item's dimension,
# {other} of another one's.
TYPED_IN = ("4", "0", "6", "44", "-4", "4,5", "4.5", "4/5", "TRUE", "=NA()")
PASTED = (
    *(
        "4",
        " 4 ",
        "\u00a04",
        "4,0",
        "4.0",
        "4.00",
        "+4",
        "\uff14",
        "Boa",
        "BOA ",
        "4 - boa",
        "4-Boa",
        "4: boa",
        "4) boa",
    ),
    *("4 \u2013 boa", "4 \u2014 Boa", "4 = boa", "4. boa", "{short}", "4 - {short}", "6", "4,5", "3-4", "4/5", "4 5"),
    *(
        "4  5",
        "4|5",
        "abc",
        "5 - boa",
        "4 boa",
        "4 - ",
        "{other}",
        "4 - {other}",
        "1.000",
        "4*",
        "4?",
        "<>",
        "4:00",
        " ",
    ),
    *("1/1/1900", "100%", "R$ 4", "4e0", "(4)", "4;", "#N/A", "TRUE", "4.", ",4", "1  1.0", "VERDADEIRO"),
)


def test_red_is_what_is_not_read_and_green_what_is(program: tuple[str, Office], tmp_path: Path) -> None:
    locale, office = program
    answers = [*TYPED_IN, *PASTED]
    records = [record(f"f{place}") for place in range(len(answers))] + [RECORDS[3]]
    study = make(tmp_path / "s", records, "A1,A2", "--lang", "pt-BR")
    places = Places(study, tmp_path / "s" / "send" / "A1.xlsx")
    described = study.rubric.dimensions
    words = {"short": described["factual"].levels[4].short, "other": described["consistency"].levels[4].short}
    cells = {places.cell("score", f"f{place}"): text.format(**words) for place, text in enumerate(answers)}
    typed, pasted = (dict(list(cells.items())[part]) for part in (slice(len(TYPED_IN)), slice(len(TYPED_IN), None)))
    page, book = tmp_path / "a.html", tmp_path / "back" / "A1.xlsx"
    book.parent.mkdir()
    title = described["factual"].title
    *_others, counted = office.ask(
        tmp_path / "s" / "send" / "A1.xlsx",
        ["paste", ANNOTATION, pasted],
        ["enter", ANNOTATION, typed],
        ["save", str(page), "html"],
        ["save", str(book), "xlsx"],
        ["values", GUIDE, [places.beside(title, columns) for columns in (1, 3, 6)]],
    )
    found = returned(book, study).annotations["A1"]
    refused_in = {problem.cell for problem in returned(book, study).problems}
    looks: dict[str, list[str]] = {"read": [], "refused": [], "blank": []}
    wrong: list[tuple[str, str, str]] = []
    lines = re.split(r"<tr>", page.read_text(encoding="utf-8"))
    for item in study.items:
        if item.item_id == "c1":
            continue
        text = answers[int(item.item_id[1:])]
        [line] = [line for line in lines if re.search(rf">{item.item_code}<", line)]
        colours = [name for name, count in colours_of(line).items() if count and name != "missing"]
        entry = found.get(item.item_code)
        outcome = "read" if entry is not None and entry.score is not None else "blank"
        outcome = "refused" if places.cell("score", item.item_id) in refused_in else outcome
        looks[outcome].append(text)
        if colours != {"read": ["done"], "refused": ["wrong"], "blank": []}[outcome]:
            wrong.append((text, outcome, str(colours)))
    assert not wrong
    assert len(looks["read"]) >= 20 and len(looks["refused"]) >= 20 and looks["blank"] == [" "]
    # and the first sheet counts the same, but in a range LibreOffice cannot tell true, which "TRUE" is there, from 1
    true = int(locale == "en-US")
    (_a, done, _b), (_c, off, _d), (said, _e, error) = counted
    assert (done - true, off + true, error) == (len(looks["read"]), len(looks["refused"]), 0)
    last = max(int(re.sub(r"\D", "", cell)) for cell in refused_in)
    assert said == language("pt-BR")("{n} to correct: row {row}", n=int(off), row=last)
