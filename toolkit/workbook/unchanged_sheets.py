"""Whether the other sheets came back as they were sent: the rubric, the coordinator's instructions, closing questions.

Their rows are known by machine keys. What else stands in the rubric's sheet was written there by somebody, which is
said. A sheet that is not there was not sent back (a CSV holds one), which says nothing of what was read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from toolkit.errors import shown
from toolkit.texts import same_text_form
from toolkit.workbook.guide import CLOSING, CLOSING_COLUMN, INSTRUCTIONS
from toolkit.workbook.readers.grid import address
from toolkit.workbook.readers.raw import Cell, RawSheet
from toolkit.workbook.rubric_sheet import RUBRIC
from toolkit.workbook.unchanged import ASK_AGAIN, Unchanged, says

ANOTHER_SCORE = "and a score by another rubric is another score"
# What is wrong in a row with such a key, and why it matters.
CHANGED = {
    RUBRIC: f"the rubric was changed, {ANOTHER_SCORE}",
    INSTRUCTIONS: "the instructions were changed, and others scored by the original ones",
    CLOSING: "a closing question was changed, so that its answer is one to another question",
}
# Of the texts that are missing, so many are shown, and so much of each.
MOST_SHOWN, SHOWN_CHARACTERS = 5, 40


def look_at_sheets(unchanged: Unchanged, sheets: Iterable[RawSheet]) -> list[str]:
    """Compare the rows with keys in the sheets beside the annotation sheet; return what does not stand in the way.

    Args:
        unchanged: What was sent.
        sheets: These sheets.
    """
    there: dict[str, RawSheet] = {}
    notes = list[str]()
    for sheet in sheets if unchanged.locked else ():
        lines, more = list(_lines(unchanged, sheet)), list[Cell]()
        for line in lines:
            there.setdefault(line.key, sheet)
            more += _compare(unchanged, line, sheet)
        if any(line.key.startswith(RUBRIC) for line in lines):
            notes += _added(sheet, more, {line.row for line in lines})
    _refuse_a_rubric_with_gaps(unchanged, there)
    return notes


class _Line(NamedTuple):
    """A row with a machine key: where the key is, and the cells by column that say something."""

    key: str
    row: int
    column: int
    cells: dict[int, Cell]


def _lines(unchanged: Unchanged, sheet: RawSheet) -> Iterator[_Line]:
    places = {
        place: key
        for place, cell in sheet.cells.items()
        if isinstance(cell.value, str)
        and (code := cell.code).startswith(tuple(CHANGED))
        and (key := same_text_form(code)) in unchanged.locked
    }
    rows: dict[int, dict[int, Cell]] = {row: {} for row, _column in places}
    for (row, column), cell in sorted(sheet.cells.items()) if rows else ():
        if row in rows and not cell.blank and not cell.merged:
            rows[row][column] = cell
    for (row, column), key in places.items():
        # beside a closing question stands its answer
        others = (column, column + CLOSING_COLUMN) if key.startswith(CLOSING) else (column,)
        yield _Line(key, row, column, {place: cell for place, cell in rows[row].items() if place not in others})


def _compare(unchanged: Unchanged, line: _Line, sheet: RawSheet) -> Iterable[Cell]:
    """Compare a row: each text that was sent must stand in a cell of its own. Return what else stands there."""
    what = next(words for prefix, words in CHANGED.items() if line.key.startswith(prefix))
    left, found = dict(line.cells), dict[int, int]()
    values = unchanged.locked[line.key]
    for number, value in enumerate(values):
        column = next((column for column, cell in left.items() if says(cell, (value,))), None)
        if column is not None:
            found[number] = column
            del left[column]
    # which other cell said a text cannot be known: the next one to the right of the text before it
    before = line.column
    for number, value in enumerate(values):
        if number in found:
            before = found[number]
            continue
        column = next((column for column in left if column > before), None) or next(iter(left), before + 1)
        cell = left.pop(column, Cell(address(line.row, column)))
        unchanged.same(line.key, cell, what, value, sheet)
        before = column
    return left.values()


def _added(sheet: RawSheet, cells: Iterable[Cell], rows: Collection[int]) -> Iterator[str]:
    """Yield what to say of what was written into the rubric, beside its rows or between them."""
    others = (cell for (row, _column), cell in sorted(sheet.cells.items()) if row not in rows)
    found = [*cells, *(cell for cell in others if not cell.blank and not cell.merged)]
    if found:
        first = f"{shown(sheet.title, SHOWN_CHARACTERS)} > {found[0].address}"
        more = f", and {len(found) - 1:,} more cells" if len(found) > 1 else ""
        said = shown(found[0].text, SHOWN_CHARACTERS)
        yield f"the rubric says more than was sent ({first}: {said!r}{more}); ask whether the annotator scored by it"


def _refuse_a_rubric_with_gaps(unchanged: Unchanged, there: Mapping[str, RawSheet]) -> None:
    """Refuse a rubric that lacks rows."""
    sheet = next((sheet for key, sheet in there.items() if key.startswith(RUBRIC)), None)
    if sheet is None:
        return
    # what is said of the scale is of no dimension
    dimensions = {"", *map(same_text_form, unchanged.dimensions)}
    gone = [
        key
        for key in unchanged.locked
        if key.startswith(RUBRIC) and key not in there and key[len(RUBRIC) :].rpartition(":")[0] in dimensions
    ]
    if gone:
        texts = [text for key in gone for text in unchanged.sent(key, unchanged.locked[key])]
        listed = "; ".join(shown(text, SHOWN_CHARACTERS) for text in texts[:MOST_SHOWN])
        more = f" and {len(texts) - MOST_SHOWN} more texts" if len(texts) > MOST_SHOWN else ""
        said = f" ({listed}{more})" if texts else ""
        what = f"{len(gone)} rows of the rubric are missing{said}, {ANOTHER_SCORE}"
        unchanged.problem(what, f"{ASK_AGAIN} score by all of it", None, None, sheet)
