"""What an annotator's workbook looks like on a screen and on paper."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock

from tests.studies import annotation_sheet, answer_rows, make, record
from tests.test_rubric_fits import rubric as rubric_of
from toolkit.i18n import LANGUAGES, language
from toolkit.model import Item, Response, SheetOptions
from toolkit.rubrics import default_rubric
from toolkit.workbook.layout import annotator_layout
from toolkit.workbook.measure import CELL_PADDING_PX, PIXELS_PER_POINT, character_width
from toolkit.workbook.style import FORMATS, QUIET

# WCAG 2.1, success criterion 1.4.3, for text of any size
ENOUGH = 4.5
WHITE = "#FFFFFF"
# What the margins leave of the paper, in points.
A4_ACROSS, A4_DOWN = 297 / 25.4 * 72 - 2 * 0.4 * 72, 210 / 25.4 * 72 - 1.1 * 72
ANSWER = (
    "Some **bold** words, `code`, [a link](https://example.org/page).\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |"
)
RECORDS = [
    record("f1", response=ANSWER),
    record("c1", "consistency", response=None, responses=["one", "two"]),
]


def luminance(code: str) -> float:
    """Relative luminance of a colour such as #1F3A5F, as WCAG 2.1 defines it."""
    parts = [int(code[-6:][place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, as WCAG 2.1 defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> openpyxl.Workbook:
    folder = tmp_path_factory.mktemp("look") / "s"
    make(folder, RECORDS, "A1,A2", "--practice", "--time-columns")
    return openpyxl.load_workbook(folder / "send" / "A1.xlsx", rich_text=True)


def test_contrasts_known_from_elsewhere() -> None:
    assert contrast("#000000", WHITE) == pytest.approx(21)
    assert contrast("#777777", WHITE) == pytest.approx(4.48, abs=0.005)
    assert contrast("#0000FF", "#FFFFFF") == pytest.approx(8.59, abs=0.005)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_read(name: str) -> None:
    ground = FORMATS[name].get("bg_color", WHITE)
    assert contrast(FORMATS[name]["font_color"], ground) >= ENOUGH


def test_every_cell_and_every_stretch_of_its_text_can_be_read(book: openpyxl.Workbook) -> None:
    seen = set()
    for sheet in book.worksheets:
        for cell in (cell for line in sheet.iter_rows() for cell in line if cell.value is not None):
            ground = cell.fill.fgColor.rgb if cell.fill.fill_type == "solid" else WHITE
            runs = cell.value if isinstance(cell.value, CellRichText) else []
            inks = {run.font.color.rgb for run in runs if isinstance(run, TextBlock) and run.font.color}
            for ink in {cell.font.color.rgb, *inks}:
                assert contrast(ink, ground) >= ENOUGH, (sheet.title, cell.coordinate, ink, ground)
                seen.add((ink[-6:], ground[-6:]))
    assert (QUIET[1:], "FFFFFF") in seen and len(seen) >= 6


def test_every_conditional_look_can_be_read(book: openpyxl.Workbook) -> None:
    sheet, _keys = annotation_sheet(book)
    rules = [rule for area in sheet.conditional_formatting for rule in area.rules]
    assert len(rules) >= 3
    for rule in rules:
        changed = rule.dxf.font is not None and rule.dxf.font.color is not None
        ink = rule.dxf.font.color.rgb if changed else FORMATS["score"]["font_color"]
        assert contrast(ink, rule.dxf.fill.bgColor.rgb) >= ENOUGH, rule.formula


def test_the_annotation_sheet_prints_landscape_with_its_header_on_every_page(book: openpyxl.Workbook) -> None:
    sheet, keys = annotation_sheet(book)
    assert (sheet.page_setup.orientation, int(sheet.page_setup.paperSize)) == ("landscape", 9)
    assert sheet.print_title_rows == "$2:$2"
    assert sheet.cell(2, keys["score"]).value == "Score"


def test_every_sheet_prints_landscape_one_page_wide_with_its_title_and_page_number(book: openpyxl.Workbook) -> None:
    printed = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    assert len(printed) == 3
    for sheet in printed:
        assert (sheet.page_setup.orientation, int(sheet.page_setup.paperSize)) == ("landscape", 9)
        assert sheet.oddFooter.left.text == "&A"
        assert sheet.oddFooter.right.text == "Page &P of &N"
    guide, rubric, annotation = printed
    # where pages begin is fixed, which programs heed only where nothing is made to fit
    for sheet, breaks in ((guide, 1), (rubric, 2), (annotation, 2)):
        assert sheet.sheet_properties.pageSetUpPr is None or not sheet.sheet_properties.pageSetUpPr.fitToPage
        shown = [column for column in sheet.column_dimensions.values() if not column.hidden]
        pixels = sum(column.width * 7 * (column.max - column.min + 1) for column in shown)
        assert pixels * 0.75 * 1.07 * sheet.page_setup.scale / 100 <= A4_ACROSS
        assert sheet.page_setup.scale >= 82 and len(sheet.row_breaks.brk) == breaks
    assert guide.cell(guide.row_breaks.brk[0].id + 1, 2).value == "Your progress"
    assert rubric.print_title_rows == "$2:$2" and str(rubric["B2"].value).startswith("Default rubric")
    assert [rubric.cell(mark.id + 1, 2).value for mark in rubric.row_breaks.brk] == ["Factuality", "Consistency"]


def test_what_a_colour_says_is_also_said_in_words(book: openpyxl.Workbook) -> None:
    sheet, keys = annotation_sheet(book)
    signs = {str(area.sqref).split(":")[0][0] for area in sheet.conditional_formatting}
    assert signs == {sheet.cell(2, keys[key]).column_letter for key in ("score", "justification")}
    guide = book.worksheets[0]
    [header] = [line for line in guide.iter_rows() if line[1].value == "Dimension"]
    titles = [cell.value for cell in header[1:8]]
    assert titles[3:] == ["Not on the scale", "Marked as doubtful", "Scored without a justification", "Status"]
    for cell in (guide.cell(header[0].row + below, 8) for below in (1, 2, 3)):
        assert all(word in cell.value for word in (" to correct", " to do", '"OK"'))


@pytest.mark.parametrize("words", [3, 20, 400])
def test_a_rubric_of_any_length_is_made_smaller_to_keep_a_dimension_on_a_page(words: int, tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text(json.dumps(rubric_of([1, 2, 3, 4, 5], words)), encoding="utf-8")
    make(tmp_path / "s", RECORDS[:1], "A1,A2", "--rubric", tmp_path / "rubric.yaml")
    sheet = openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx").worksheets[1]
    tall = sum(sheet.row_dimensions[row].height for row in range(2, sheet.max_row + 1))
    percent = sheet.page_setup.scale
    # a long one takes several pages rather than letters of less than 7 points
    fits = tall * percent / 100 <= A4_DOWN
    assert fits == (words < 400), (tall, percent)
    assert percent >= 82 if words == 3 else 63 <= percent < 82


@pytest.mark.parametrize("times", [False, True])
@pytest.mark.parametrize("code", LANGUAGES)
def test_no_word_of_the_header_is_broken(code: str, times: bool) -> None:
    item = Item(item_code="AB-1", dimension="factual", responses=(Response(response="x"),))
    options = SheetOptions(time_columns=times)
    layout = annotator_layout(
        [item], default_rubric(code), study_id="s", annotator="A", language_code=code, markdown="raw", options=options
    )
    pixels_per_unit = 10 * PIXELS_PER_POINT / 2048
    for column in (column for column in layout.columns if not column.hidden):
        for word in column.title.split():
            wide = sum(character_width(letter, bold=True) for letter in word) * pixels_per_unit
            assert wide + CELL_PADDING_PX <= column.width_px, (word, wide, column.width_px)


def test_a_practice_item_is_named_in_the_language_of_the_study(tmp_path: Path) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2", "--practice", "--lang", "pt-BR")
    sheet, keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx"))
    rows = {code: row for code, row in answer_rows(sheet, keys).items() if code.startswith("practice-")}
    assert len(rows) == 2 and study.items
    for row in rows.values():
        # the machine's code is there for the reader, and shown to nobody
        assert sheet.cell(row, keys["item_code"]).number_format == ";;;"
        labels = [sheet.cell(place, keys["label"]).value for place in range(row - 3, row + 1)]
        assert any(str(label).startswith(language("pt-BR")("Example")) for label in labels)
        assert not any(str(label).startswith(language("pt-BR")("Answer")) for label in labels)
