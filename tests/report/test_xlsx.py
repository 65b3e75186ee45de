"""report.xlsx: live formulas that say what metrics say, in every program that calculates and in those that do not."""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from tests.report import stories
from tests.report.recalculated import recalculate
from toolkit.consensus import Decision, Discussed
from toolkit.model import Scale
from toolkit.report.story import Story
from toolkit.report.xlsx import render_xlsx
from toolkit.stats import mae, pearson, quadratic_kappa

SHEETS = ["Summary", "Agreement", "Judge", "Consensus", "Divergences", "Items", "Annotators", "Method"]


@cache
def awkward() -> Story:
    """Return missing scores, half points, thirds, holes, a constant judge, dimensions that differ by case only."""
    rng = np.random.default_rng(6)
    scores = rng.integers(1, 6, (23, 4)).astype(float)
    scores[rng.random((23, 4)) < 0.25] = np.nan
    scores[3] = np.nan
    judge = np.round(rng.integers(3, 16, 23) / 3, 12)
    judge[5] = np.nan
    return stories.make(
        scores.tolist(),
        {"J": judge.tolist(), "constant": [4] * 23},
        dimensions=(["a", "A", "="] * 8)[:23],
        options={"fewest_scores": 2},
    )


@cache
def two_people() -> Story:
    return stories.make(
        [[1, 4], [2, 2], [5, 4], [3, 5], [4, 4], [1, 1]] * 3,
        {"J": [1.5, 2, 4.67, 3, 4, 1] * 3},
        dimensions=["a", "b", "b"] * 6,
        discussed={
            0: Discussed(Decision.REVISE, 3),
            3: Discussed(Decision.KEEP),
            6: Discussed(Decision.EXCLUDE, None, "x"),
        },
        assigned=True,
        options={"reveal_judge": True},
    )


@cache
def names() -> Story:
    """Return scores without order: names that begin alike, that look like formulas or patterns; holes."""
    rng = np.random.default_rng(4)
    scale = Scale(kind="nominal", values=("a", "ab", "=1+1", "*"))
    scores = rng.integers(0, 4, (30, 3)).astype(float)
    scores[:, 1] = np.where(rng.random(30) < 0.6, scores[:, 0], scores[:, 1])
    scores[rng.random((30, 3)) < 0.15] = np.nan
    judge = np.where(rng.random(30) < 0.5, scores[:, 0], rng.integers(0, 4, 30))
    return stories.make(
        scores.tolist(),
        {"J": judge.tolist(), "constant": [1] * 30},
        dimensions=["a", "A"] * 15,
        scale=scale,
        options={"fewest_scores": 2},
    )


STORIES = {
    "names": names,
    "one name": lambda: stories.make([[0, 0]] * 4, {"J": [0] * 4}, scale=Scale(kind="nominal", values=("x", "y"))),
    "names, nobody judged": lambda: stories.make([[0, 1]] * 4, scale=Scale(kind="nominal", values=("x", "y"))),
    "example": stories.example,
    "awkward": awkward,
    "two people": two_people,
    "constant": lambda: stories.make([[5, 5]] * 4, {"J": [5] * 4}),
    "one item": lambda: stories.make([[5, 4, 4]], {"J": [3]}),
    "held": lambda: stories.make([[1, 4], [2, 2]] * 4, {"J": [1, 2] * 4}, assigned=True),
}


def same(stored: object, found: object) -> bool:
    if isinstance(stored, int | float) and isinstance(found, int | float):
        return abs(stored - found) < 1e-9
    return (stored or "") == (found or "")


@pytest.mark.office
@pytest.mark.parametrize("name", STORIES)
def test_formulas_give_what_is_stored_with_them(name: str, tmp_path: Path) -> None:
    data = render_xlsx(STORIES[name]())
    formulas = openpyxl.load_workbook(io.BytesIO(data))
    stored = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    found = recalculate(data, tmp_path)
    count = 0
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    count += 1
                    pair = stored[sheet.title][cell.coordinate].value, found[sheet.title][cell.coordinate].value
                    assert same(*pair), (sheet.title, cell.coordinate, cell.value, pair)
    assert count > 10


@pytest.mark.parametrize("name", STORIES)
def test_what_is_stored_is_what_was_computed(name: str) -> None:
    story = STORIES[name]()
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(story)), data_only=True)
    assert book.sheetnames == SHEETS
    overall = story.analysis.headline.overall
    live = {row[1]: row[9] for row in book["Agreement"].iter_rows(values_only=True) if row[0] == "All items"}
    mean = overall.people["mean_pairwise_kappa"].value
    nominal = story.analysis.panel.scale.kind == "nominal"
    if nominal:
        live = {row[1]: row[6] for row in book["Agreement"].iter_rows(values_only=True) if row[0] == "All items"}
    assert same(live["Mean of all pairs"], "—" if mean is None else mean)
    if nominal and story.analysis.panel.judges:
        row = next(row for row in book["Judge"].iter_rows(values_only=True) if row[0] == "All items")
        for value, key in zip((row[4], *row[6:8]), ("exact_agreement", "kappa_unweighted", "ac1"), strict=True):
            wanted = overall.judges["J"][key].value
            assert same(value, "—" if wanted is None else wanted), key
    elif story.analysis.panel.judges and not story.analysis.judge_held:
        row = next(row for row in book["Judge"].iter_rows(values_only=True) if row[0] == "All items")
        for value, key in zip(row[8:12], ("kappa_quadratic", "pearson", "mae", "bias"), strict=True):
            wanted = overall.judges["J" if "J" in overall.judges else story.analysis.judge][key].value  # type: ignore[index]
            assert same(value, "—" if wanted is None else wanted), key
    consensus = list(book["Consensus"].iter_rows(min_row=2, values_only=True))
    if nominal:
        return
    place = 3 + len(story.analysis.panel.annotators) + 7
    for row, headline in zip(consensus, story.analysis.consensus.headline, strict=True):
        assert same(row[place], "" if np.isnan(headline) else float(headline))


@pytest.mark.office
def test_a_referee_can_leave_an_item_out(tmp_path: Path) -> None:
    story = stories.example()
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(story)))
    sheet = book["Consensus"]
    titles = [cell.value for cell in sheet[1]]
    for row in (2, 5, 9):
        sheet.cell(row, titles.index("Counts (1 = yes)") + 1).value = 0
    changed = io.BytesIO()
    book.save(changed)
    found = recalculate(changed.getvalue(), tmp_path)["Judge"]
    row = next(row for row in found.iter_rows(values_only=True) if row[0] == "All items")
    keep = ~np.isin(np.arange(15), (0, 3, 7))
    human = story.analysis.consensus.headline[keep]
    judge = story.analysis.panel.judges["juiz-demo-1"][keep]
    assert row[1] == 12
    for value, kernel in zip(row[8:11], (quadratic_kappa, pearson, mae), strict=True):
        assert value == pytest.approx(float(kernel(human, judge)), abs=1e-9)


def test_formulas_use_only_what_every_program_knows() -> None:
    known = {"IF", "COUNT", "MEDIAN", "MAX", "MIN", "ISNUMBER", "ABS", "SUMPRODUCT", "EXACT", "SQRT", "AVERAGE", "LEN"}
    books = [openpyxl.load_workbook(io.BytesIO(render_xlsx(story()))) for story in (awkward, names)]
    for sheet in (sheet for book in books for sheet in book):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    text = str(cell.value)
                    assert set(re.findall(r"([A-Z][A-Z.]+)\(", text)) <= known, text
                    assert len(text) < 8192 and "{" not in text


def test_raw_scores_are_numbers_and_texts_are_texts() -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(render_xlsx(awkward())))["Consensus"]
    assert [sheet.cell(row, 3).data_type for row in range(2, 25)] == ["s"] * 23
    for row in range(2, 25):
        for column in range(4, 8):
            value = sheet.cell(row, column).value
            assert value is None or isinstance(value, int | float)


def test_long_tables_have_a_filter_and_a_header_that_stays() -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(stories.example())))
    for title in ("Consensus", "Divergences", "Items"):
        assert book[title].freeze_panes and book[title].auto_filter.ref


def test_same_input_gives_the_same_bytes() -> None:
    assert render_xlsx(stories.example()) == render_xlsx(stories.example.__wrapped__())


def test_every_item_is_there_in_full() -> None:
    story = stories.example()
    rows = list(openpyxl.load_workbook(io.BytesIO(render_xlsx(story)))["Items"].iter_rows(values_only=True))
    column = rows[0].index("Text")
    words = " ".join(re.findall(r"\w+", "\n".join(str(row[column]) for row in rows[1:])))
    for item in story.analysis.panel.items:
        for response in item.responses:
            # markdown is shown as it means: other marks, the same words
            assert " ".join(re.findall(r"\w+", response.response)) in words


@pytest.mark.parametrize("name", ["two-annotators-pt", "mtbench_pairwise", "edge_synthetic"])
def test_real_studies_make_whole_workbooks(cases: Path, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(render_xlsx(stories.case(name)))) as parts:
        assert parts.testzip() is None


def test_charts_follow_the_cells() -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(stories.example())))
    kappas, scores = book["Summary"]._charts
    for chart in (kappas, scores):
        for series in chart.series:
            title, cells = series.val.numRef.f.split("!")
            sheet = book[title.strip("'")]
            values = [cell.value for row in sheet[cells.replace("$", "")] for cell in row]
            assert values and all(isinstance(value, int | float) or str(value).startswith("=") for value in values)
    assert len(kappas.series) == 2 and len(scores.series) == 4
    first = kappas.series[0]
    sheet, cells = book["Summary"], first.cat.numRef or first.cat.strRef
    assert next(cell.value for row in sheet[cells.f.split("!")[1].replace("$", "")] for cell in row) == "All items"


@pytest.mark.office
def test_the_whiskers_of_the_chart_are_the_intervals_of_the_table(tmp_path: Path) -> None:
    """What LibreOffice calculates in the cells that the error bars name, against the intervals themselves."""
    story = stories.example()
    data, overall = render_xlsx(story), story.analysis.headline
    kappas = openpyxl.load_workbook(io.BytesIO(data))["Summary"]._charts[0]
    sheet = recalculate(data, tmp_path)["Summary"]

    def values(reference: str) -> list[Any]:
        return [cell.value for row in sheet[reference.split("!")[1].replace("$", "")] for cell in row]

    blocks = [overall.overall, *overall.by_dimension.values()]
    sides = (
        [block.people["mean_pairwise_kappa"] for block in blocks],
        [block.judges["juiz-demo-1"]["kappa_quadratic"] for block in blocks],
    )
    for series, estimates in zip(kappas.series, sides, strict=True):
        middle = values(series.val.numRef.f)
        low, high = (values(end.numRef.f) for end in (series.errBars.minus, series.errBars.plus))
        for one, m, down, up in zip(estimates, middle, low, high, strict=True):
            if one.ci95 is None:
                assert (down, up) == ("—", "—")
            else:
                assert (m - down, m + up) == pytest.approx(one.ci95, abs=1e-9)
        cached = [float(point.v) for point in series.errBars.plus.numRef.numCache.pt]
        assert cached == pytest.approx([0.0 if up == "—" else up for up in high], abs=1e-9)


@pytest.mark.parametrize(("language", "shown"), [("en", "0.00"), ("pt-BR", "[$-416]0.00"), ("es", "[$-C0A]0.00")])
def test_numbers_have_the_format_of_the_language(language: str, shown: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(stories.example(language))))
    formats = {c.number_format for row in book.worksheets[0].iter_rows() for c in row if c.data_type in ("n", "f")}
    assert shown in formats


def test_new_tables_are_in_the_workbook() -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(stories.example())))
    cells = {str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.value}
    for caption in ("GRRAS, item by item", "The plan, and what became of it", "What the comparison rests on (SHA-256)"):
        assert caption in cells


def test_every_sheet_prints_one_page_wide_with_its_number() -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(stories.example("pt-BR"))))
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape" and sheet.page_setup.paperSize == 9
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert (sheet.page_setup.fitToWidth or 1, sheet.page_setup.fitToHeight) == (1, 0)
        assert sheet.oddFooter.right.text == "Página &P de &N" and sheet.oddFooter.left.text == "&A"
        assert sheet.print_area
        written = max(cell.column for row in sheet.iter_rows() for cell in row if cell.value is not None)
        assert openpyxl.utils.range_boundaries(sheet.print_area.split("!")[1])[2] >= written, sheet.title
        assert sheet.print_title_rows == ("$1:$1" if sheet.freeze_panes else None), sheet.title


def test_what_is_said_of_estimates_is_said_once() -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(render_xlsx(stories.example())))["Summary"]
    rows = [[str(cell or "") for cell in row] for row in sheet.iter_rows(values_only=True)]
    letters = {letter for row in rows if row[7] and row[6] != "Remarks" for letter in row[6].split()}
    assert letters and all(any(row[0].startswith(f"{letter} ") for row in rows) for letter in letters)
