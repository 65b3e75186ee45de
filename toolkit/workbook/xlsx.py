"""An annotator's layout as an .xlsx file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell

from toolkit.model import Annotation
from toolkit.workbook.guide import FIRST_ROW, HEADER_ROW, Answers, guide_sheet
from toolkit.workbook.layout import HEADER_PART, LAYOUT_VERSION, TIME_KEYS, Layout, Row
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.rubric_sheet import rubric_sheet
from toolkit.workbook.sheets import Book, Sheet
from toolkit.workbook.style import DONE, MISSING, WRONG, WRONG_INK

# One validation can name many cells; a few hundred keep the attribute short enough for every program.
CELLS_PER_VALIDATION = 200
# With more rows than this, memory matters more than time.
LARGE = 20_000


def write(layout: Layout, answers: Answers = MappingProxyType({})) -> bytes:
    """Return the workbook of one annotator as .xlsx. The same layout gives the same bytes.

    Args:
        layout: What the workbook is.
        answers: What is filled in already, by item code; nothing in a workbook that goes out.
    """
    _ = layout._
    book = Book(
        _("Annotation workbook"),
        {"study": layout.study_id, "annotator": layout.annotator, "layout": str(LAYOUT_VERSION)},
        large=len(layout.rows) > LARGE,
    )
    guide, rubric = book.sheet(_("Start here")), book.sheet(_("Rubric"))
    annotation = book.sheet(_("Annotation"))
    _annotation_sheet(layout, annotation, answers)
    guide_sheet(layout, guide, annotation, answers)
    rubric_sheet(layout, rubric)
    guide.raw.activate()
    return book.data()


def _annotation_sheet(layout: Layout, sheet: Sheet, answers: Answers) -> None:
    raw, columns = sheet.raw, layout.columns
    for place, column in enumerate(columns):
        raw.set_column_pixels(place, place, column.width_px, None, {"hidden": column.hidden})
        sheet.text(0, place, column.key, "key")
        # the reader knows the header row by this word, wherever sorting has taken it
        sheet.text(HEADER_ROW, place, HEADER_PART if column.key == "part" else column.title, "header")
    raw.set_row(0, None, None, {"hidden": True})
    # bold letters are wider than those measured
    lines = max(line_count(column.title, column.width_px * 0.9, 10) for column in columns if not column.hidden)
    raw.set_row(HEADER_ROW, height(lines, 10))
    raw.freeze_panes(FIRST_ROW, 0)
    places = {column.key: place for place, column in enumerate(columns)}
    for place, row in enumerate(layout.rows, FIRST_ROW):
        raw.set_row(place, row.height)
        _annotation_row(layout, sheet, place, row, places)
        if row.kind == "answer":
            _answer_cells(layout, sheet, place, answers.get(row.item_code))
    _choices(layout, sheet)
    _signs(layout, sheet)
    first = next(place for place, row in enumerate(layout.rows, FIRST_ROW) if row.kind == "answer")
    raw.set_selection(first, layout.column("score"), first, layout.column("score"))
    sheet.protect()
    sheet.print_setup(layout.page)
    raw.repeat_rows(HEADER_ROW)


def _annotation_row(layout: Layout, sheet: Sheet, place: int, row: Row, column: Mapping[str, int]) -> None:
    label, text, rubric, end = column["label"], column["text"], column["rubric"], layout.last_column
    sheet.text(place, column["part"], row.part, "key")
    sheet.text(place, column["dimension"], row.dimension, "key")
    code = "code" if row.kind == "answer" else {"banner": "banner", "title": "title"}.get(row.kind, "label")
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
    sheet.rich(place, text, row.runs, "text")
    if row.levels:
        sheet.merged(place, rubric, place + row.levels - 1, end, layout.levels_text(row.dimension), "levels")
    if row.kind == "answer":
        sheet.text(place, column["study"], layout.study_id, "key")
        sheet.text(place, column["annotator"], layout.annotator, "key")


def _answer_cells(layout: Layout, sheet: Sheet, place: int, given: Annotation | None) -> None:
    yes, no = layout.doubt_choices
    score = given.score if given else None
    if isinstance(score, int):
        sheet.number(place, layout.column("score"), score, "score")
    else:
        sheet.text(place, layout.column("score"), score or "", "score")
    doubt = (yes if given.doubt else no) if given and given.score is not None else ""
    sheet.text(place, layout.column("justification"), given.justification if given else "", "justification")
    sheet.text(place, layout.column("doubt"), doubt, "doubt")
    sheet.text(place, layout.column("notes"), given.notes if given else "", "notes")
    for key in TIME_KEYS if layout.options.time_columns else ():
        sheet.text(place, layout.column(key), "", "time")


def _answer_rows(layout: Layout, dimension: str | None = None) -> list[int]:
    return [
        place
        for place, row in enumerate(layout.rows, FIRST_ROW)
        if row.kind == "answer" and dimension in (None, row.dimension)
    ]


def _choices(layout: Layout, sheet: Sheet) -> None:
    _ = layout._
    values = list(layout.scale.values)
    for dimension in layout.dimensions:
        title = layout.rubric.dimensions[dimension].title[:32]
        _validate(
            sheet,
            _answer_rows(layout, dimension),
            layout.column("score"),
            {
                "validate": "list",
                "source": values,
                "input_title": title,
                "input_message": layout.input_message(dimension),
                "error_type": "stop",
                "error_title": _("Not on the scale")[:32],
                "error_message": _("Enter one of: {values}.", values=", ".join(map(str, values))),
            },
        )
    _validate(
        sheet,
        _answer_rows(layout),
        layout.column("doubt"),
        {
            "validate": "list",
            "source": list(layout.doubt_choices),
            "input_title": _("Doubt?"),
            "input_message": _("Yes if you could defend another score. Blank means no."),
            "error_type": "stop",
            "error_title": _("Doubt?"),
            "error_message": _("Enter one of: {values}.", values=", ".join(layout.doubt_choices)),
        },
    )


def _validate(sheet: Sheet, rows: list[int], column: int, options: dict[str, object]) -> None:
    for start in range(0, len(rows), CELLS_PER_VALIDATION):
        part = rows[start : start + CELLS_PER_VALIDATION]
        others = {"multi_range": " ".join(xl_rowcol_to_cell(row, column) for row in part)}
        code = sheet.raw.data_validation(part[0], column, part[0], column, options | others)
        if code:
            raise RuntimeError(f"XlsxWriter refused a validation (code {code})")


def _signs(layout: Layout, sheet: Sheet) -> None:
    """Colour the answer cells by what is in them. Each colour goes with words on the first sheet, never alone."""
    first, last = FIRST_ROW, FIRST_ROW + len(layout.rows) - 1
    code, score, justification = (layout.column(key) for key in ("item_code", "score", "justification"))
    c, s, j = (f"${xl_col_to_name(place)}{first + 1}" for place in (code, score, justification))
    # Excel takes no list of constants in the formula of a conditional format, so the values are compared one by one
    if layout.scale.kind == "ordinal":
        on_scale = "OR(" + ",".join(f"IFERROR(VALUE({s})={value},FALSE)" for value in layout.scale.values) + ")"
    else:
        names = [str(value).replace('"', '""') for value in layout.scale.values]
        on_scale = "OR(" + ",".join(f'TRIM({s})="{name}"' for name in names) + ")"
    blank = f'TRIM({s})=""'
    rules = [
        (
            score,
            f'AND({c}<>"",NOT({blank}),NOT({on_scale}))',
            {"bg_color": WRONG, "font_color": WRONG_INK, "bold": True},
        ),
        (score, f'AND({c}<>"",{on_scale})', {"bg_color": DONE}),
        (justification, f'AND({c}<>"",{on_scale},TRIM({j})="")', {"bg_color": MISSING}),
    ]
    for place, formula, look in rules:
        style = sheet.book.book.add_format(look)
        sheet.raw.conditional_format(
            first, place, last, place, {"type": "formula", "criteria": "=" + formula, "format": style}
        )
