"""The first sheet of an annotator's workbook."""

from __future__ import annotations

from xlsxwriter.utility import xl_col_to_name, xl_range_abs, xl_rowcol_to_cell

from toolkit.i18n import Language
from toolkit.workbook.canvas import FIRST_ROW, Answers, Canvas, Choices
from toolkit.workbook.layout import LAYOUT_VERSION, PRACTICE, Layout, sittings
from toolkit.workbook.measure import height, line_count

GUIDE_WIDTHS = (28, 250, 110, 110, 330)
GUIDE_TEXT_PX = sum(GUIDE_WIDTHS[1:])
# Machine keys of the closing questions, in the first column; the answer stands so many columns to the right.
CLOSING = "closing:"
CLOSING_COLUMN = 4


def guide_sheet(layout: Layout, sheet: Canvas, annotation: Canvas, answers: Answers) -> None:
    """Write the first sheet: what the work is, how to fill in, live progress, and the closing questions."""
    _, options = layout._, layout.options
    sheet.widths(*GUIDE_WIDTHS)
    total = sum(layout.item_counts.values())
    row = 1
    sheet.merged(row, 1, row, len(GUIDE_WIDTHS) - 1, _("Annotation of chatbot answers"), "h1")
    sheet.height(row, 30)
    paragraphs = [
        _("This workbook is for: {annotator}", annotator=layout.annotator),
        _.plural(
            "You will read {n} answer (or set of answers) of a chatbot and give it a score from the rubric. "
            "Your score is compared with those of other people and of an automatic judge, so please work alone: "
            "do not talk about the item until everyone has finished, and do not ask a chatbot.",
            "You will read {n} answers (or sets of answers) of chatbots and give each a score from the rubric. "
            "Your scores are compared with those of other people and of an automatic judge, so please work alone: "
            "do not talk about the items until everyone has finished, and do not ask a chatbot.",
            total,
        ),
        _(
            "Reading and scoring take about {minutes} minutes in all. You can stop at any time, save, and go on later.",
            minutes=layout.minutes,
        ),
    ]
    sessions, each = sittings(layout.minutes)
    if sessions > 1:
        paragraphs.append(
            _(
                "Tired eyes score differently: better {n} sittings of about {minutes} minutes than one.",
                n=sessions,
                minutes=each,
            )
        )
    if options.deadline and layout.online:
        paragraphs.append(_("Please finish by: {deadline}", deadline=options.deadline))
    elif options.deadline:
        paragraphs.append(_("Please send the file back by: {deadline}", deadline=options.deadline))
    if options.contact:
        paragraphs.append(
            _("Questions about the work (not about single items) go to: {contact}", contact=options.contact)
        )
    paragraphs += (options.instructions or "").strip().split("\n") if options.instructions else []
    row = _paragraphs(sheet, row + 1, paragraphs, "body")
    row = _heading(sheet, row + 1, _("How to fill in"))
    scale = ", ".join(map(str, layout.scale.values))
    time_step = [_("Start, End: the time of day when you begin and finish an item, such as 14:05.")]
    time_step = time_step if options.time_columns else []
    steps = [
        _("Read the sheet “{rubric}” once, from top to bottom.", rubric=_("Rubric")),
        _(
            "Go to the sheet “{annotation}”. Each item shows its texts one below the other; "
            "the yellow cells beside its last text are yours.",
            annotation=annotation.title,
        ),
        _("Score: choose one value ({values}). The description of the levels stands right above.", values=scale),
        _("Short justification: one sentence that says why this score and not the one beside it. It is required.")
        if options.require_justification
        else _("Short justification: one sentence that says why this score and not the one beside it."),
        _(
            "Doubt: “{yes}” if you could defend another score. Left blank, it means “{no}”.",
            yes=layout.doubt_choices[0],
            no=layout.doubt_choices[1],
        ),
        _("Notes: anything ambiguous, missing or difficult. May stay blank."),
        *time_step,
        _("Change only the yellow cells; the rest is locked. Everything is saved by itself; there is nothing to send.")
        if layout.online
        else _("Change only the yellow cells; the rest is locked. Save the file and send it back under any name."),
    ]
    row = _paragraphs(sheet, row, [f"{place}. {step}" for place, step in enumerate(steps, 1)], "body")
    row = _heading(sheet, row + 1, _("Your progress"))
    row = _progress(layout, sheet, annotation, answers, row)
    row = _heading(sheet, row + 1, _("When everything is scored"))
    row = _closing(layout, sheet, row)
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
    sheet.protect()
    sheet.begin_at(0, 0)
    sheet.print_setup(layout.page, landscape=False)


def _heading(sheet: Canvas, row: int, text: str) -> int:
    sheet.merged(row, 1, row, len(GUIDE_WIDTHS) - 1, text, "h2")
    sheet.height(row, 22)
    return row + 1


def _paragraphs(sheet: Canvas, row: int, texts: list[str], style: str, points: float = 11) -> int:
    for text in texts:
        sheet.merged(row, 1, row, len(GUIDE_WIDTHS) - 1, text, style)
        sheet.height(row, height(line_count(text, GUIDE_TEXT_PX, points), points))
        row += 1
    return row


def _progress(layout: Layout, sheet: Canvas, annotation: Canvas, answers: Answers, row: int) -> int:
    """Write the live progress. Every formula carries its value, for viewers that do not calculate."""
    _ = layout._
    scored = [(row.dimension, answers[row.item_code]) for row in layout.rows if row.item_code in answers]
    scored = [(dimension, answer) for dimension, answer in scored if answer.score is not None]
    last = FIRST_ROW + len(layout.rows) - 1

    def cells(key: str) -> str:
        place = layout.column(key)
        return f"{annotation.quoted}!{xl_range_abs(FIRST_ROW, place, last, place)}"

    code, dimension, score = cells("item_code"), cells("dimension"), cells("score")
    is_item = f'({code}<>"")*(LEFT({code},{len(PRACTICE)})<>"{PRACTICE}")'
    # what is off the scale is red in the sheet, and not done
    values = ",".join('"' + str(value).replace('"', '""') + '"' for value in layout.scale.values)
    is_scored = f"{is_item}*ISNUMBER(MATCH(TRIM({score}),{{{values}}},0))"
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
    doubts = f'SUMPRODUCT({is_item}*(LOWER(TRIM({doubt}))="{layout.doubt_choices[0]}"))'
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
    if layout.online:
        complete = _("Complete. Thank you! There is nothing to send.")
    sheet.merged(row, 1, row, 3, "", "status")
    finished, nothing_left = len(scored) == total, f"{left}=0"
    if layout.options.require_justification:
        finished = finished and not unexplained
        nothing_left = f"AND({left}=0,{xl_rowcol_to_cell(row - 1, 2)}=0)"
    status = complete if finished else to_do
    sheet.formula(row, 1, f'=IF({nothing_left},"{complete}","{to_do}")', "status", status)
    sheet.height(row, 36)
    return row + 1


def _closing(layout: Layout, sheet: Canvas, row: int) -> int:
    """Write the closing questions, whose answers tell how blind the work really was."""
    _ = layout._
    for key, question in closing_questions(_).items():
        sheet.text(row, 0, CLOSING + key, "hidden_key")
        sheet.merged(row, 1, row, 3, question, "cell")
        sheet.text(row, CLOSING_COLUMN, "", "closing")
        sheet.height(row, height(line_count(question, sum(GUIDE_WIDTHS[1:4]), 11), 11))
        if key != "comment":
            sheet.choices(
                [row],
                CLOSING_COLUMN,
                Choices(
                    layout.doubt_choices,
                    error_title=_("Yes or no"),
                    error=_(
                        "Enter one of: {values}. There is room for more in the last question.",
                        values=", ".join(layout.doubt_choices),
                    ),
                ),
            )
        row += 1
    return row


def closing_questions(_: Language) -> dict[str, str]:
    """Return the closing questions by their machine keys."""
    return {
        "recognised": _("Did you recognise which model or product gave an answer?"),
        "guessed": _("Did you guess what this study wants to show?"),
        "saw_scores": _("Did you see any score of the judge or of another annotator before you finished?"),
        "comment": _("Anything else we should know?"),
    }
