"""Where the printed pages of an annotation sheet begin."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import openpyxl
import pytest

from tests.studies import annotation_sheet, make, record
from toolkit.workbook import paper
from toolkit.workbook.layout import Row
from toolkit.workbook.page_breaks import page_starts


def rows(*items: str, tall: float = 100.0) -> tuple[list[Row], list[bool]]:
    """Return rows, equally tall, from a letter each.

    b is a banner, t a title, x the beginning of a text, c its continuation, l where the levels stand above an answer,
    m the same in a continuation, a the answer row.
    """
    kinds = {"b": "banner", "t": "title", "a": "answer"}
    letters = "".join(items)
    made = [
        Row(kinds.get(letter, "text"), "", "factual", tall, levels=1 if letter in "lm" else 0)  # type: ignore[arg-type]
        for letter in letters
    ]
    return made, [letter in "cm" for letter in letters]


@pytest.mark.parametrize(
    ("items", "room", "starts"),
    [
        # everything on one page
        (["btxla", "txla"], 900, []),
        # an item that does not fit begins a page, with the banner above it; a next one that fits stays
        (["btxla", "txla", "tla"], 800, [5]),
        (["btxla", "btxla"], 900, [5]),
        # on exactly the room there is
        (["txla", "txla"], 800, []),
        # an item longer than a page is cut before its levels, which stay with the answer
        (["txxxxla"], 600, [5]),
        (["txla", "txxxxla"], 600, [4, 9]),
        # rather before a part than within one
        (["txccxcccla"], 600, [4]),
        # but not where more than half of a page would stay empty
        (["txcccccccla"], 600, [6]),
        (["txxccccccla"], 600, [6]),
        # what is left of its last page is for the next item
        (["txxxxla", "tla"], 600, [5]),
        # never right below a title
        (["ttxla"], 400, [1]),
        # nothing is cut where it hurts, unless there is nothing else
        (["btxxla"], 300, [3]),
        (["tmla"], 200, [2]),
        # a row taller than a page has one of its own
        (["txla", "tl"], 50, [1, 2, 3, 4, 5]),
        # practice items have their solution below the answer
        (["tlacc"], 400, [4]),
    ],
)
def test_where_pages_begin(items: list[str], room: float, starts: list[int]) -> None:
    assert page_starts(*rows(*items), room) == starts


def test_ratings_without_texts_have_no_answer_row_to_keep() -> None:
    assert page_starts(*rows("btt"), 200) == [2]


@pytest.mark.parametrize("options", [(), ("--order", "mixed"), ("--practice", "--time-columns")])
def test_an_item_is_printed_on_one_page_if_it_fits_on_one(options: tuple[str, ...], tmp_path: Path) -> None:
    """The pages of a workbook, by the heights and the breaks that are in the file."""
    lengths = [5, 40, 200, 90, 900, 10, 2500, 120, 300, 60]
    records = [
        record(f"i{n}", ("factual", "robustness")[n % 2], response="some words " * length, original_response="o " * 99)
        for n, length in enumerate(lengths)
    ]
    make(tmp_path / "s", records, "A1,A2", *options)
    sheet, keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx"))
    assert not (sheet.sheet_properties.pageSetUpPr and sheet.sheet_properties.pageSetUpPr.fitToPage)
    percent = sheet.page_setup.scale
    room = paper.HEIGHT * 100 / percent - sheet.row_dimensions[2].height
    begins = [3, *(mark.id + 1 for mark in sheet.row_breaks.brk), sheet.max_row + 1]
    pages = [range(one, other) for one, other in pairwise(begins)]
    tall = {row: float(sheet.row_dimensions[row].height) for row in range(3, sheet.max_row + 1)}
    assert all(sum(map(tall.__getitem__, page)) <= room for page in pages)
    page_of = {row: place for place, page in enumerate(pages) for row in page}
    items: dict[str, list[int]] = {}
    for row in tall:
        part = str(sheet.cell(row, keys["part"]).value)
        if not part.startswith("dimension:"):
            items.setdefault(part.split(":")[0], []).append(row)
    whole = {code: len({page_of[row] for row in of}) == 1 for code, of in items.items()}
    assert {len(pages) > 4, any(whole.values()), all(whole.values())} == {True, False}
    for code, of in items.items():
        assert whole[code] or sum(map(tall.__getitem__, of)) > room * paper.SPARE - 100, code
        # an answer row has company: the levels above it are merged cells, which no page cuts
        answer = next(row for row in of if sheet.cell(row, keys["score"]).protection.locked is False)
        assert page_of[answer] == page_of[answer - 1]
    merged = [area for area in sheet.merged_cells.ranges if area.min_row != area.max_row]
    assert merged and all(page_of[area.min_row] == page_of[area.max_row] for area in merged)
    # and a banner is printed with the item below it
    for row in tall:
        if str(sheet.cell(row, keys["part"]).value).startswith("dimension:"):
            assert page_of[row] == page_of[row + 1] == page_of[row + 2]
