"""The annotation sheet: each item a block of rows, its texts one below the other, the answer cells beside the last."""

from __future__ import annotations

from collections.abc import Mapping

from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell

from toolkit.model import Annotation
from toolkit.workbook import paper
from toolkit.workbook.canvas import FIRST_ROW, HEADER_ROW, Answers, Canvas, Choices
from toolkit.workbook.layout import HEADER_PART, PRACTICE, TIME_KEYS, Layout, Row
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.page_breaks import page_starts
from toolkit.workbook.recognised import blank, quoted, recognised
from toolkit.workbook.style import DONE, MISSING, WRONG, WRONG_INK


def annotation_sheet(layout: Layout, sheet: Canvas, answers: Answers) -> None:
    """Write the annotation sheet.

    Args:
        layout: What the workbook is.
        sheet: Where it is drawn.
        answers: What is filled in already; nothing in a workbook that goes out.
    """
    columns = layout.columns
    for place, column in enumerate(columns):
        sheet.width(place, column.width_px, hidden=column.hidden)
        sheet.text(0, place, column.key, "key")
        # the reader knows the header row by this word, wherever sorting has taken it
        sheet.text(HEADER_ROW, place, HEADER_PART if column.key == "part" else column.title, "header")
    sheet.hide_row(0)
    # bold letters are wider than those measured
    lines = max(line_count(column.title, column.width_px * 0.9, 10) for column in columns if not column.hidden)
    header = height(lines, 10)
    sheet.height(HEADER_ROW, header)
    sheet.freeze(FIRST_ROW)
    places = {column.key: place for place, column in enumerate(columns)}
    for place, row in enumerate(layout.rows, FIRST_ROW):
        sheet.height(place, row.height)
        _annotation_row(layout, sheet, place, row, places)
        if row.kind == "answer":
            _answer_cells(layout, sheet, place, places, answers.get(row.item_code))
    _choices(layout, sheet)
    _signs(layout, sheet)
    first = next(place for place, row in enumerate(layout.rows, FIRST_ROW) if row.kind == "answer")
    sheet.begin_at(first, layout.column("score"))
    sheet.protect()
    percent = paper.percent([column.width_px for column in columns if not column.hidden])
    starts = page_starts(layout.rows, _continued(layout), paper.room(percent) - header)
    breaks = [FIRST_ROW + start for start in starts]
    sheet.print_setup(layout.page, repeated=HEADER_ROW, breaks=breaks, percent=percent)


def _continued(layout: Layout) -> list[bool]:
    """Return for each row whether its text goes on from the row above."""
    found, part = [], ""
    for row in layout.rows:
        found.append(row.label in ("", layout._("{part} (continued)", part=part)))
        part = part if found[-1] else row.label
    return found


def _annotation_row(layout: Layout, sheet: Canvas, place: int, row: Row, column: Mapping[str, int]) -> None:
    label, text, rubric, end = column["label"], column["text"], column["rubric"], layout.last_column
    sheet.text(place, column["part"], row.part, "key")
    sheet.text(place, column["dimension"], row.dimension, "key")
    code = "practice" if row.item_code.startswith(PRACTICE) else "code"
    code = code if row.kind == "answer" else {"banner": "banner", "title": "title"}.get(row.kind, "label")
    sheet.text(place, column["item_code"], row.item_code, code)
    if row.kind == "banner":
        sheet.text(place, label, row.label, "banner_title")
        sheet.merged(place, text, place, end, row.text, "banner")
        return
    if row.kind == "title":
        sheet.text(place, label, row.label, "title")
        sheet.merged(place, text, place, end, row.text, "title_text")
        return
    sheet.text(place, label, row.label, "label")
    if row.after:
        sheet.formula(place, text, _shown_after(layout, row), "text", layout._("(is shown when the item has a score)"))
    else:
        sheet.rich(place, text, row.runs, "text")
    if row.levels:
        sheet.merged(place, rubric, place + row.levels - 1, end, layout.levels_text(row.dimension), "levels")
    if row.kind == "answer":
        sheet.text(place, column["study"], layout.study_id, "key")
        sheet.text(place, column["annotator"], layout.annotator, "key")


def _shown_after(layout: Layout, row: Row) -> str:
    """Return a formula that shows a row's text once an item has a score, and says so before."""
    answer = next(
        n for n, one in enumerate(layout.rows, FIRST_ROW) if one.kind == "answer" and one.item_code == row.after
    )
    cell = xl_rowcol_to_cell(answer, layout.column("score"), row_abs=True, col_abs=True)
    hint = layout._("(is shown when the item has a score)")
    return f"=IF({blank(cell)},{quoted(hint)},{quoted(row.text)})"


def _answer_cells(
    layout: Layout, sheet: Canvas, place: int, column: Mapping[str, int], given: Annotation | None
) -> None:
    yes, no = layout.doubt_choices
    score = given.score if given else None
    if isinstance(score, int):
        sheet.number(place, column["score"], score, "score")
    else:
        sheet.text(place, column["score"], score or "", "score")
    doubt = (yes if given.doubt else no) if given and given.score is not None else ""
    sheet.text(place, column["justification"], given.justification if given else "", "justification")
    sheet.text(place, column["doubt"], doubt, "doubt")
    sheet.text(place, column["notes"], given.notes if given else "", "notes")
    for key in TIME_KEYS if layout.options.time_columns else ():
        sheet.text(place, column[key], "", "time")


def _answer_rows(layout: Layout, dimension: str | None = None) -> list[int]:
    return [
        place
        for place, row in enumerate(layout.rows, FIRST_ROW)
        if row.kind == "answer" and dimension in (None, row.dimension)
    ]


def _choices(layout: Layout, sheet: Canvas) -> None:
    _ = layout._
    values = layout.scale.values
    for dimension in layout.dimensions:
        choices = Choices(
            values,
            title=layout.rubric.dimensions[dimension].title[:32],
            message=layout.input_message(dimension),
            error_title=_("Not on the scale")[:32],
            error=_("Enter one of: {values}.", values=", ".join(map(str, values))),
        )
        sheet.choices(_answer_rows(layout, dimension), layout.column("score"), choices)
    choices = Choices(
        layout.doubt_choices,
        title=_("Doubt?"),
        message=_("Yes if you could defend another score. Blank means no."),
        error_title=_("Doubt?"),
        error=_("Enter one of: {values}.", values=", ".join(layout.doubt_choices)),
    )
    sheet.choices(_answer_rows(layout), layout.column("doubt"), choices)


def _signs(layout: Layout, sheet: Canvas) -> None:
    """Colour the answer cells by what is in them. Each colour goes with words on the first sheet, never alone."""
    rows = FIRST_ROW, FIRST_ROW + len(layout.rows) - 1
    score, justification = layout.column("score"), layout.column("justification")
    keys = ("item_code", "dimension", "score", "justification")
    c, d, s, j = (f"${xl_col_to_name(layout.column(key))}{FIRST_ROW + 1}" for key in keys)
    for dimension in layout.dimensions:
        asked = f'{c}<>"",{d}={quoted(dimension)}'
        read = recognised(s, layout.rubric, dimension)
        wrong = {"bg_color": WRONG, "font_color": WRONG_INK, "bold": True}
        sheet.sign(rows, score, f"=AND({asked},NOT({read}),NOT({blank(s)}))", wrong)
        sheet.sign(rows, score, f"=AND({asked},{read})", {"bg_color": DONE})
        sheet.sign(rows, justification, f'=AND({asked},{read},TRIM({j})="")', {"bg_color": MISSING})
