"""The first sheet of an annotator's workbook."""

from __future__ import annotations

from toolkit.i18n import Language
from toolkit.model import SheetOptions
from toolkit.workbook import paper
from toolkit.workbook.canvas import Answers, Canvas, Choices
from toolkit.workbook.layout import LAYOUT_VERSION, Layout, sittings
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.progress import GUIDE_WIDTHS, LAST, progress

GUIDE_TEXT_PX = sum(GUIDE_WIDTHS[1:])
# Machine keys of the closing questions, in the first column; the answer stands so many columns to the right.
CLOSING = "closing:"
CLOSING_COLUMN = 4
# Machine keys of the lines of the coordinator's own instructions, in the first column.
INSTRUCTIONS = "instructions:"


def guide_sheet(layout: Layout, sheet: Canvas, annotation: Canvas, answers: Answers) -> None:
    """Write the first sheet: what the work is, how to fill in, live progress, and the closing questions."""
    _, options = layout._, layout.options
    sheet.widths(*GUIDE_WIDTHS)
    total = sum(layout.item_counts.values())
    row = 1
    sheet.merged(row, 1, row, LAST, _("Annotation of chatbot answers"), "h1")
    sheet.height(row, 30)
    paragraphs = [
        _("This workbook is for: {annotator}", annotator=layout.annotator),
        _.plural(
            "You will read {n} answer (or set of answers) by a chatbot and give it a score from the rubric. "
            "Your score will be compared with those of other people and of an automatic judge, so please work alone: "
            "do not talk about the item until everyone has finished, and do not ask a chatbot.",
            "You will read {n} answers (or sets of answers) by chatbots and give each a score from the rubric. "
            "Your scores will be compared with those of other people and of an automatic judge, so please work alone: "
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
    row = _paragraphs(sheet, row + 1, paragraphs, "body")
    own = instruction_lines(options)
    for place, key in enumerate(own, row):
        sheet.text(place, 0, key, "hidden_key")
    row = _paragraphs(sheet, row, [*own.values()], "body")
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
        _("Score: choose one value ({values}). The description of the levels is right above.", values=scale),
        required_justification(_)
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
    second_page = row + 1
    row = _heading(sheet, second_page, _("Your progress"))
    row = progress(layout, sheet, annotation, answers, row)
    row = _heading(sheet, row + 1, _("When everything is scored"))
    row = _closing(layout, sheet, row)
    row = _heading(sheet, row + 1, _("What the colours say"))
    colours = [
        _("Yellow: to be filled in. Green: a score of the scale is there."),
        _("Red, bold: what is in the score cell is not on the scale; the table of your progress says in which row."),
        _("Orange: a score without a justification."),
    ]
    row = _paragraphs(sheet, row, colours, "body")
    row += 1
    for key, value in (("study", layout.study_id), ("annotator", layout.annotator), ("layout", str(LAYOUT_VERSION))):
        sheet.text(row, 1, key, "key")
        sheet.text(row, 2, value, "key")
        row += 1
    sheet.protect()
    sheet.begin_at(0, 0)
    # what is read through on one page, as far as it goes; what is filled in on another, in one piece
    sheet.print_setup(layout.page, breaks=[second_page], percent=paper.percent(GUIDE_WIDTHS))


def _heading(sheet: Canvas, row: int, text: str) -> int:
    sheet.merged(row, 1, row, LAST, text, "h2")
    sheet.height(row, 22)
    return row + 1


def _paragraphs(sheet: Canvas, row: int, texts: list[str], style: str, points: float = 11) -> int:
    for text in texts:
        sheet.merged(row, 1, row, LAST, text, style)
        sheet.height(row, height(line_count(text, GUIDE_TEXT_PX, points), points))
        row += 1
    return row


def _closing(layout: Layout, sheet: Canvas, row: int) -> int:
    """Write the closing questions, whose answers tell how blind the work really was."""
    _ = layout._
    for key, question in closing_questions(_).items():
        sheet.text(row, 0, CLOSING + key, "hidden_key")
        sheet.merged(row, 1, row, 3, question, "cell")
        sheet.merged(row, CLOSING_COLUMN, row, LAST, "", "closing")
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


def instruction_lines(options: SheetOptions) -> dict[str, str]:
    """Return the lines of the coordinator's own instructions by their machine keys."""
    lines = options.instructions.strip().split("\n") if options.instructions else []
    return {f"{INSTRUCTIONS}{number}": line for number, line in enumerate(lines, 1)}


def required_justification(_: Language) -> str:
    """Return what a justification is, where the study does not go without."""
    return _("Short justification: one sentence that says why this score and not the one beside it. It is required.")


def closing_questions(_: Language) -> dict[str, str]:
    """Return the closing questions by their machine keys."""
    return {
        "recognised": _("Did you recognise which model or product gave an answer?"),
        "guessed": _("Did you guess what this study wants to show?"),
        "saw_scores": _("Did you see any score of the judge or of another annotator before you finished?"),
        "comment": _("Anything else we should know?"),
    }
