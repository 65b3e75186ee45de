"""A workbook as annotators get it, and the same filled in."""

import io
from collections.abc import Iterator

import openpyxl
import pytest

from toolkit.model import Item, Response
from toolkit.rubrics import default_rubric
from toolkit.workbook.layout import annotator_layout
from toolkit.workbook.xlsx import write

ITEMS = (
    Item(
        item_code="K7Q",
        dimension="factual",
        prompt="Qual é a capital?\r\nResponda em uma linha.",
        ground_truth="Paris",
        responses=(Response(response="É _x0041_ Paris; \"sim\", disse = 'sim'\n\t- 😀  dois espaços"),),
    ),
    Item(
        item_code="M2X",
        dimension="consistency",
        prompt="=1+1",
        responses=(Response(response="dois"), Response(response="+2"), Response(response="linha 1\n\nlinha 3 ")),
    ),
    Item(
        item_code="P9A",
        dimension="robustness",
        prompt="Por quê?",
        original_response="Porque sim",
        responses=(Response(response="Porque não"),),
    ),
)


@pytest.fixture(scope="session")
def blank() -> bytes:
    rubric = default_rubric("pt-BR")
    return write(annotator_layout(ITEMS, rubric, study_id="s-1", annotator="A1", language_code="pt-BR"))


@pytest.fixture(scope="session")
def filled(blank: bytes) -> bytes:
    """The workbook with scores 4, 5, 2, saved by another program than the one that wrote it."""
    book = openpyxl.load_workbook(io.BytesIO(blank))
    sheet = book.worksheets[2]
    keys = {cell.value: cell.column for cell in sheet[1]}
    for score, number in zip((4, 5, 2), _answer_rows(sheet, keys), strict=True):
        sheet.cell(number, keys["score"], score)
        sheet.cell(number, keys["justification"], f"Nota {score}: está certo; ou quase")
        sheet.cell(number, keys["doubt"], "não")
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _answer_rows(sheet: openpyxl.worksheet.worksheet.Worksheet, keys: dict[object, int]) -> Iterator[int]:
    for number in range(3, sheet.max_row + 1):
        if sheet.cell(number, keys["item_code"]).value:
            yield number
