"""The live progress on the first sheet of an annotator's workbook, by formulas alone.

Every formula carries its value, for viewers that do not calculate.
"""

from __future__ import annotations

import re
from typing import Generic, NamedTuple, TypeVar

from xlsxwriter.utility import xl_col_to_name, xl_range_abs, xl_rowcol_to_cell

from toolkit.workbook.canvas import FIRST_ROW, Answers, Canvas
from toolkit.workbook.layout import PRACTICE, Layout
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.recognised import blank, is_word, quoted, recognised
from toolkit.workbook.style import DONE

# The columns of the first sheet: a margin; dimension, done, left, off the scale, doubts, unexplained, and all that in
# a word.
GUIDE_WIDTHS = (16, 250, 90, 90, 120, 120, 150, 240)
LAST = len(GUIDE_WIDTHS) - 1
# Stand for numbers in a text until a formula takes their place.
_HERE, _THERE = "\x00", "\x01"
_Count = TypeVar("_Count", int, str)


class _Counts(NamedTuple, Generic[_Count]):
    """What is counted of a dimension: as numbers, for viewers that do not calculate, or as formulas or cells."""

    done: _Count
    left: _Count
    wrong: _Count
    doubts: _Count
    bare: _Count


def progress(layout: Layout, sheet: Canvas, annotation: Canvas, answers: Answers, row: int) -> int:
    """Write the live progress: a line for each dimension and one for all, and whether the sheet is complete."""
    _ = layout._
    titles = (_("Dimension"), _("Done"), _("Left"), _("Not on the scale"), _("Marked as doubtful"),
              _("Scored without a justification"), _("Status"))  # fmt: skip
    for column, title in enumerate(titles, 1):
        sheet.text(row, column, title, "column")
    sheet.height(
        row, height(max(line_count(title, GUIDE_WIDTHS[n] * 0.9, 11) for n, title in enumerate(titles, 1)), 11)
    )
    first, every = row + 1, []
    for row, key in enumerate(layout.dimensions, first):
        sheet.text(row, 1, layout.rubric.dimensions[key].title, "cell")
        found = _counted(layout, key, answers)
        every.append(found)
        formulas, wrong_row = _formulas(layout, annotation, key, xl_rowcol_to_cell(row, 2))
        _line(layout, sheet, row, formulas, found, wrong_row)
    row += 1
    sheet.text(row, 1, _("All"), "cell_bold")
    letters = [xl_col_to_name(column) for column in range(2, LAST)]
    sums = _Counts(*(f"SUM({letter}{first + 1}:{letter}{row})" for letter in letters))
    total = _Counts(*(sum(numbers) for numbers in zip(*every, strict=True)))
    _line(layout, sheet, row, sums, total, None)
    complete, to_do = _("Complete. Thank you! Please save the file and send it back."), _("Not complete yet.")
    if layout.online:
        complete = _("Complete. Thank you! There is nothing to send.")
    left, bare = xl_rowcol_to_cell(row, 3), xl_rowcol_to_cell(row, 6)
    finished, nothing_left = not total.left, f"{left}=0"
    if layout.options.require_justification:
        finished, nothing_left = finished and not total.bare, f"AND({left}=0,{bare}=0)"
    row += 1
    sheet.merged(row, 1, row, LAST, "", "status")
    status = complete if finished else to_do
    sheet.formula(row, 1, f"=IF({nothing_left},{quoted(complete)},{quoted(to_do)})", "status", status)
    sheet.sign((row, row), 1, f"={nothing_left}", {"bg_color": DONE})
    sheet.height(row, 24)
    return row + 1


def _counted(layout: Layout, key: str, answers: Answers) -> _Counts[int]:
    codes = [row.item_code for row in layout.rows if row.dimension == key]
    scored = [answers[code] for code in codes if code in answers and answers[code].score is not None]
    bare = sum(not answer.justification for answer in scored)
    return _Counts(len(scored), layout.item_counts[key] - len(scored), 0, sum(one.doubt for one in scored), bare)


def _formulas(layout: Layout, annotation: Canvas, key: str, done: str) -> tuple[_Counts[str], str]:
    """Return the formulas that count a dimension, and the one for the last row with an answer off the scale."""
    last = FIRST_ROW + len(layout.rows) - 1

    def cells(key: str) -> str:
        place = layout.column(key)
        return f"{annotation.quoted}!{xl_range_abs(FIRST_ROW, place, last, place)}"

    code, score = cells("item_code"), cells("score")
    item = f'({cells("dimension")}={quoted(key)})*({code}<>"")*(LEFT({code},{len(PRACTICE)})<>"{PRACTICE}")'
    read = recognised(score, layout.rubric, key)
    # what is red in the sheet, and not done
    wrong = f"{item}*(1-{read})*(1-{blank(score)})"
    counts = _Counts(
        f"SUMPRODUCT({item}*{read})",
        f"{layout.item_counts[key]}-{done}",
        f"SUMPRODUCT({wrong})",
        f"SUMPRODUCT({item}*{is_word(cells('doubt'), layout.doubt_choices[0])})",
        f"SUMPRODUCT({item}*{read}*{blank(cells('justification'))})",
    )
    return counts, f"SUMPRODUCT(MAX({wrong}*ROW({score})))"


def _line(
    layout: Layout, sheet: Canvas, row: int, formulas: _Counts[str], counts: _Counts[int], wrong_row: str | None
) -> None:
    """Write the counts of a dimension, or of all, and what they come to in a word.

    Args:
        layout: What the workbook is.
        sheet: The first sheet.
        row: Where.
        formulas: The formulas of the counts.
        counts: Their values.
        wrong_row: The formula of a row with an answer off the scale; None in the line for all.
    """
    _, bold = layout._, wrong_row is None
    for column, (formula, value) in enumerate(zip(formulas, counts, strict=True), 2):
        sheet.formula(row, column, f"={formula}", "number", value, bold=bold)
    cells = _Counts(*(xl_rowcol_to_cell(row, column) for column in range(2, LAST)))
    formula, state = quoted(_("OK")), _("OK")
    said = [(cells.bare, counts.bare, _("{n} to justify", n=_HERE))] if layout.options.require_justification else []
    said.append((cells.left, counts.left, _("{n} to do", n=_HERE)))
    place = _("{n} to correct: row {row}", n=_HERE, row=_THERE) if wrong_row else _("{n} to correct", n=_HERE)
    said.append((cells.wrong, counts.wrong, place))
    # what is said last comes first
    for cell, count, text in said:
        known = {_HERE: cell, _THERE: str(wrong_row)}
        pieces = [known.get(piece, quoted(piece)) for piece in re.split(f"([{_HERE}{_THERE}])", text) if piece]
        formula = f"IF({cell}>0,{'&'.join(pieces)},{formula})"
        state = text.replace(_HERE, str(count)) if count else state
    sheet.formula(row, LAST, f"={formula}", "state", state)
