"""A workbook like those annotators get (hidden keys, merged cells, formulas, protection), and the same filled in."""

import io

import openpyxl
import pytest
import xlsxwriter

from tests.readers.build import KEYS

TEXTS = {
    "K7Q": (
        "Qual é a capital?\nResponda em uma linha.",
        "É _x0041_ Paris; \"sim\", disse = 'sim'\n  - 😀  dois espaços",
    ),
    "M2X": ("=1+1", "+2", "linha 1\n\nlinha 3 "),
    "P9A": ("@Por quê?", "<b>Porque</b> &amp; não"),
}


@pytest.fixture(scope="session")
def filled() -> bytes:
    """Written by XlsxWriter, filled with the scores 4, 5, 2 and saved by openpyxl."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"strings_to_formulas": False})
    for name, value in (("study", "s-1"), ("annotator", "A1"), ("layout", "1")):
        book.set_custom_property(name, value)
    guide, sheet = book.add_worksheet("Comece aqui"), book.add_worksheet("Avaliação")
    guide.merge_range("B2:E2", "Avaliação de respostas")
    guide.write_formula("C4", "=COUNT('Avaliação'!I3:I20)", None, 0)
    for column, key in enumerate(KEYS):
        sheet.write_string(0, column, key)
        sheet.write_string(1, column, key.title())
    sheet.set_row(0, None, None, {"hidden": True})
    sheet.set_column(0, 3, None, None, {"hidden": True})
    answer, row = book.add_format({"locked": False, "bg_color": "#FFF2CC"}), 2
    for code, texts in TEXTS.items():
        for number, text in enumerate(texts, 1):
            sheet.write_string(row, 2, f"{code}:{number:03}")
            sheet.write_string(row, 6, text)
            row += 1
        sheet.merge_range(row - len(texts), 7, row - 2, 10, "5 = tudo certo") if len(texts) > 2 else None
        for column, value in ((0, "s-1"), (1, "A1"), (3, "factual"), (4, code)):
            sheet.write_string(row - 1, column, value)
        for column in (8, 9, 10):
            sheet.write_blank(row - 1, column, None, answer)
        sheet.data_validation(row - 1, 8, row - 1, 8, {"validate": "list", "source": [1, 2, 3, 4, 5]})
    sheet.conditional_format(
        "I3:I20", {"type": "formula", "criteria": "=$I3>5", "format": book.add_format({"bold": 1})}
    )
    sheet.protect()
    book.close()

    filled = openpyxl.load_workbook(buffer)
    for cells in filled["Avaliação"].iter_rows(min_row=3):
        if (code := cells[4].value) is not None:
            cells[8].value = score = {"K7Q": 4, "M2X": 5, "P9A": 2}[code]
            cells[9].value = f"Nota {score}: está certo; ou quase"
            cells[10].value = "não"
    saved = io.BytesIO()
    filled.save(saved)
    return saved.getvalue()
