"""An annotator's layout as an .xlsx file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xlsxwriter.utility import xl_col_to_name, xl_range_abs, xl_rowcol_to_cell

from toolkit.model import Annotation
from toolkit.workbook.layout import HEADER_PART, LAYOUT_VERSION, Layout, Row
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.sheets import Book, Sheet
from toolkit.workbook.style import DONE, MISSING, WRONG, WRONG_INK

HEADER_ROW, FIRST_ROW = 1, 2
GUIDE_WIDTHS = (28, 250, 110, 110, 330)
GUIDE_TEXT_PX = sum(GUIDE_WIDTHS[1:])
# One validation can name many cells; a few hundred keep the attribute short enough for every program.
CELLS_PER_VALIDATION = 200


Answers = Mapping[str, Annotation]


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
    )
    guide, rubric = book.sheet(_("Start here")), book.sheet(_("Rubric"))
    annotation = book.sheet(_("Annotation"))
    _annotation_sheet(layout, annotation, answers)
    _guide_sheet(layout, guide, annotation, answers)
    _rubric_sheet(layout, rubric)
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
    raw.set_row_pixels(HEADER_ROW, 36)
    raw.freeze_panes(FIRST_ROW, 0)
    for place, row in enumerate(layout.rows, FIRST_ROW):
        raw.set_row(place, row.height)
        _annotation_row(layout, sheet, place, row)
        if row.kind == "answer":
            _answer_cells(layout, sheet, place, answers.get(row.item_code))
    _choices(layout, sheet)
    _signs(layout, sheet)
    first = next(place for place, row in enumerate(layout.rows, FIRST_ROW) if row.kind == "answer")
    raw.set_selection(first, layout.column("score"), first, layout.column("score"))
    raw.set_top_left_cell(FIRST_ROW, 0)
    _protect(sheet)
    _printing(layout, sheet)
    raw.repeat_rows(HEADER_ROW)


def _annotation_row(layout: Layout, sheet: Sheet, place: int, row: Row) -> None:
    column = layout.column
    label, text, rubric, notes = column("label"), column("text"), column("rubric"), column("notes")
    sheet.text(place, column("part"), row.part, "key")
    sheet.text(place, column("dimension"), row.dimension, "key")
    code = "code" if row.kind == "answer" else {"banner": "banner", "title": "title"}.get(row.kind, "label")
    sheet.text(place, column("item_code"), row.item_code, code)
    if row.kind == "banner":
        sheet.text(place, label, row.label, "banner_title")
        sheet.merged(place, text, place, notes, row.text, "banner")
        return
    if row.kind == "title":
        sheet.text(place, label, row.label, "title")
        sheet.merged(place, text, place, notes, row.text, "title_text")
        return
    sheet.text(place, label, row.label, "label")
    sheet.rich(place, text, row.runs, "text")
    if row.levels:
        sheet.merged(place, rubric, place + row.levels - 1, notes, layout.levels_text(row.dimension), "levels")
    if row.kind == "answer":
        sheet.text(place, column("study"), layout.study_id, "key")
        sheet.text(place, column("annotator"), layout.annotator, "key")


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
    values = ",".join(
        str(v) if layout.scale.kind == "ordinal" else '"' + str(v).replace('"', '""') + '"' for v in layout.scale.values
    )
    on_scale = f"ISNUMBER(MATCH({s},{{{values}}},0))"
    if layout.scale.kind == "ordinal":
        on_scale = f"IFERROR(ISNUMBER(MATCH(VALUE({s}),{{{values}}},0)),FALSE)"
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


def _protect(sheet: Sheet) -> None:
    # No password: this guards against slips, not against people.
    sheet.raw.protect("", {"format_rows": True, "format_columns": True, "select_locked_cells": True})


def _printing(layout: Layout, sheet: Sheet) -> None:
    sheet.raw.set_landscape()
    sheet.raw.set_paper(9)
    sheet.raw.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    sheet.raw.fit_to_pages(1, 0)
    page = layout._("Page {page} of {pages}", page="&P", pages="&N")
    sheet.raw.set_footer(f"&L&A&R{page}")
    sheet.raw.hide_gridlines(2)


def _guide_sheet(layout: Layout, sheet: Sheet, annotation: Sheet, answers: Answers) -> None:
    _ = layout._
    sheet.widths(*GUIDE_WIDTHS)
    total = sum(layout.item_counts.values())
    row = 1
    sheet.merged(row, 1, row, len(GUIDE_WIDTHS) - 1, _("Annotation of chatbot answers"), "h1")
    sheet.raw.set_row(row, 30)
    paragraphs = [
        _("This workbook is for: {annotator}", annotator=layout.annotator),
        _(
            "You will read {n} answers (or sets of answers) of chatbots and give each a score from the rubric. "
            "Your scores are compared with those of other people and of an automatic judge, so please work alone: "
            "do not talk about the items until everyone has finished, and do not ask a chatbot.",
            n=total,
        ),
        _(
            "Reading and scoring take about {minutes} minutes in all. You can stop at any time, save, and go on later.",
            minutes=layout.minutes,
        ),
    ]
    row = _paragraphs(sheet, row + 1, paragraphs, "body")
    row = _heading(sheet, row + 1, _("How to fill in"))
    scale = ", ".join(map(str, layout.scale.values))
    steps = [
        _("Read the sheet “{rubric}” once, from top to bottom.", rubric=_("Rubric")),
        _(
            "Go to the sheet “{annotation}”. Each item shows its texts one below the other; "
            "the yellow cells beside its last text are yours.",
            annotation=_("Annotation"),
        ),
        _("Score: choose one value ({values}). The description of the levels stands right above.", values=scale),
        _("Short justification: one sentence that says why this score and not the one beside it."),
        _(
            "Doubt: “{yes}” if you could defend another score. Left blank, it means “{no}”.",
            yes=layout.doubt_choices[0],
            no=layout.doubt_choices[1],
        ),
        _("Notes: anything ambiguous, missing or difficult. May stay blank."),
        _("Change only the yellow cells; the rest is locked. Save the file and send it back under any name."),
    ]
    row = _paragraphs(sheet, row, [f"{place}. {step}" for place, step in enumerate(steps, 1)], "body")
    row = _heading(sheet, row + 1, _("Your progress"))
    row = _progress(layout, sheet, annotation, answers, row)
    row = _heading(sheet, row + 1, _("What the colours say"))
    colours = [
        _("Yellow: to be filled in. Green: a score of the scale is there."),
        _("Red, bold: what is in the score cell is not on the scale. Orange: a score without a justification."),
    ]
    row = _paragraphs(sheet, row, colours, "body")
    row += 1
    for key, value in (("study", layout.study_id), ("annotator", layout.annotator), ("layout", str(LAYOUT_VERSION))):
        sheet.text(row, 1, key, "key")
        sheet.text(row, 2, value, "key")
        row += 1
    _protect(sheet)
    sheet.raw.set_selection(0, 0, 0, 0)
    _printing(layout, sheet)
    sheet.raw.set_portrait()


def _heading(sheet: Sheet, row: int, text: str) -> int:
    sheet.merged(row, 1, row, len(GUIDE_WIDTHS) - 1, text, "h2")
    sheet.raw.set_row(row, 22)
    return row + 1


def _paragraphs(sheet: Sheet, row: int, texts: list[str], style: str, points: float = 11) -> int:
    for text in texts:
        sheet.merged(row, 1, row, len(GUIDE_WIDTHS) - 1, text, style)
        sheet.raw.set_row(row, height(line_count(text, GUIDE_TEXT_PX, points), points))
        row += 1
    return row


def _progress(layout: Layout, sheet: Sheet, annotation: Sheet, answers: Answers, row: int) -> int:
    """Write the live progress. Every formula carries its value, for viewers that do not calculate."""
    _ = layout._
    scored = [(row.dimension, answers[row.item_code]) for row in layout.rows if row.item_code in answers]
    scored = [(dimension, answer) for dimension, answer in scored if answer.score is not None]
    last = FIRST_ROW + len(layout.rows) - 1

    def cells(key: str) -> str:
        place = layout.column(key)
        return f"{annotation.quoted}!{xl_range_abs(FIRST_ROW, place, last, place)}"

    code, dimension, score = cells("item_code"), cells("dimension"), cells("score")
    is_scored = f'({code}<>"")*(TRIM({score})<>"")'
    for column, title in enumerate((_("Dimension"), _("Done"), _("Left")), 1):
        sheet.text(row, column, title, "cell_bold")
    first = row + 1
    for row, key in enumerate(layout.dimensions, first):
        count = layout.item_counts[key]
        sheet.text(row, 1, layout.rubric.dimensions[key].title, "cell")
        name = key.replace('"', '""')
        done = sum(of == key for of, _answer in scored)
        sheet.formula(row, 2, f'=SUMPRODUCT({is_scored}*({dimension}="{name}"))', "number", done)
        sheet.formula(row, 3, f"={count}-{xl_rowcol_to_cell(row, 2)}", "number", count - done)
    total, row = sum(layout.item_counts.values()), row + 1
    sheet.text(row, 1, _("All"), "cell_bold")
    for column, value in ((2, len(scored)), (3, total - len(scored))):
        letter = xl_col_to_name(column)
        sheet.formula(row, column, f"=SUM({letter}{first + 1}:{letter}{row})", "number", value, bold=True)
    left = xl_rowcol_to_cell(row, 3)
    doubt, justification = cells("doubt"), cells("justification")
    doubts = f'SUMPRODUCT(({code}<>"")*(LOWER(TRIM({doubt}))="{layout.doubt_choices[0]}"))'
    bare = f'SUMPRODUCT({is_scored}*(TRIM({justification})=""))'
    doubtful = sum(answer.doubt for _of, answer in scored)
    unexplained = sum(not answer.justification for _of, answer in scored)
    for title, formula, value in (
        (_("Marked as doubtful"), doubts, doubtful),
        (_("Scored without a justification"), bare, unexplained),
    ):
        row += 1
        sheet.text(row, 1, title, "cell")
        sheet.formula(row, 2, f"={formula}", "number", value)
    row += 1
    complete, to_do = _("Complete. Thank you! Please save the file and send it back."), _("Not complete yet.")
    sheet.merged(row, 1, row, 3, "", "status")
    status = complete if len(scored) == total else to_do
    sheet.formula(row, 1, f'=IF({left}=0,"{complete}","{to_do}")', "status", status)
    sheet.raw.set_row(row, 36)
    return row + 1


def _rubric_sheet(layout: Layout, sheet: Sheet) -> None:
    _, rubric = layout._, layout.rubric
    widths = (28, 120, 200, 520)
    sheet.widths(*widths)
    text_px = sum(widths[1:])
    row = 1
    sheet.merged(row, 1, row, 3, rubric.name, "h1")
    sheet.raw.set_row(row, height(line_count(rubric.name, text_px, 18), 18))
    row += 1
    if rubric.scale.descriptions:
        row = _levels_table(layout, sheet, row, _("The scale in general"), None)
    breaks = []
    for key in layout.dimensions:
        described = rubric.dimensions[key]
        breaks.append(row)
        row = _levels_table(layout, sheet, row + 1, described.title, key)
        lists = [(_("Edge cases"), [f"• {case}" for case in described.edge_cases])]
        lists.append((_("One score for several answers"), [described.sets] if described.sets else []))
        examples = [f"{e.text}\n→ {e.score}: {e.why}" for e in described.examples]
        lists.append((_("Examples"), examples))
        for title, texts in lists:
            if not texts:
                continue
            sheet.merged(row, 1, row, 3, title, "title")
            row += 1
            for text in texts:
                sheet.merged(row, 1, row, 3, text, "cell")
                sheet.raw.set_row(row, height(line_count(text, text_px, 11), 11))
                row += 1
    sheet.raw.set_h_pagebreaks(breaks[1:])
    _protect(sheet)
    _printing(layout, sheet)
    sheet.raw.set_portrait()


def _levels_table(layout: Layout, sheet: Sheet, row: int, title: str, dimension: str | None) -> int:
    rubric = layout.rubric
    sheet.merged(row, 1, row, 3, title, "h2")
    sheet.raw.set_row(row, 22)
    row += 1
    if dimension:
        question = rubric.dimensions[dimension].question
        sheet.merged(row, 1, row, 3, question, "body")
        sheet.raw.set_row(row, height(line_count(question, 840, 11), 11))
        row += 1
    for value in reversed(rubric.scale.values):
        label = rubric.scale.labels.get(value)
        named = f"{value} — {label}" if label else str(value)
        level = rubric.dimensions[dimension].levels[value] if dimension else None
        full = level.description if level else rubric.scale.descriptions.get(value, "")
        sheet.text(row, 1, named, "cell_bold")
        if level:
            sheet.text(row, 2, level.short, "cell")
            sheet.text(row, 3, full, "cell")
        else:
            sheet.merged(row, 2, row, 3, full, "cell")
        columns = ((named, 120), (level.short if level else "", 200), (full, 520 if level else 720))
        sheet.raw.set_row(row, height(max(line_count(text, width, 11) for text, width in columns), 11))
        row += 1
    return row
