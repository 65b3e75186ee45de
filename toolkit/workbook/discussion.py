"""The discussion workbook: flagged items with everybody's scores side by side, blind to the judge; and its way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from toolkit.consensus import Decision, Discussed
from toolkit.errors import Problem, shown
from toolkit.i18n import LANGUAGES, Language, language
from toolkit.model import Annotation, Item, Rubric, Scale, Value
from toolkit.texts import plain_key
from toolkit.values import labels_of, parse_score, shows
from toolkit.workbook.fits import LIST_CHARACTERS, list_characters
from toolkit.workbook.keyed import Keyed, Wrong, asking_part, keyed_sheet, misplaced
from toolkit.workbook.layout import HEADER_PART, annotator_layout
from toolkit.workbook.markdown import Mode
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.parts import TEXT_POINTS, TEXT_WIDTH_PX, cut_words, part_code, pieces
from toolkit.workbook.readers.raw import Cell, RawBook
from toolkit.workbook.rubric_sheet import rubric_sheet
from toolkit.workbook.sheets import Book, Sheet

SCORE, DECISION, NOTES = "consensus_after_discussion", "decision", "consensus_notes"
ANSWERS = (SCORE, DECISION, NOTES)
# What tells the sheet saved as CSV from a table of decisions that somebody wrote.
CSV_KEYS = frozenset({"part", "item_code", *ANSWERS})
FILE_NAME = "discussion.xlsx"
ANSWER_ROW_POINTS = 66.0
NO_TROUBLES: Mapping[str, str | None] = MappingProxyType({})
LABEL_WIDTH_PX = 130
JUDGE_PROPERTY = "judge"


@dataclass(frozen=True)
class Talk:
    """One flagged item as the discussion sees it: what was read, and what each annotator said of it."""

    item_id: str
    item: Item
    annotations: tuple[Annotation, ...]
    median: float | str | None
    disagreement_range: float | None


def render_discussion(
    talks: Sequence[Talk],
    rubric: Rubric,
    *,
    study_id: str,
    language_code: str,
    judge_shown: bool,
    markdown: Mode,
) -> bytes:
    """Return the discussion workbook.

    Args:
        talks: The flagged items.
        rubric: The rubric.
        study_id: The study.
        language_code: Language of everything but the items.
        judge_shown: Whether a report with judge figures was written beside it; a document property keeps that, so that
            the final report can say whether the discussion was blind to the judge.
        markdown: How the annotators saw the answers.
    """
    _ = language(language_code)
    shown_word = "shown" if judge_shown else "held"
    book = Book(_("Discussion workbook"), {"study": study_id, JUDGE_PROPERTY: shown_word})
    sheet = book.sheet(_("Discussion"))
    columns = (
        ("study", "", 40),
        ("part", "", 40),
        ("item_code", _("Item"), 56),
        ("label", _("What it is"), LABEL_WIDTH_PX),
        ("text", _("Text to read"), TEXT_WIDTH_PX),
        (SCORE, _("Agreed score"), 76),
        (DECISION, _("Decision"), 105),
        (NOTES, _("What was decided, and why"), 250),
    )
    for place, (key, title, width) in enumerate(columns):
        sheet.raw.set_column_pixels(place, place, width, None, {"hidden": key in ("study", "part")})
        sheet.text(0, place, key, "key")
        sheet.text(1, place, HEADER_PART if key == "part" else title, "header")
    sheet.raw.set_row(0, None, None, {"hidden": True})
    sheet.raw.set_row_pixels(1, 36)
    sheet.raw.freeze_panes(2, 0)
    row, asked = 2, []
    for number, talk in enumerate(talks, 1):
        row = _block(sheet, row, talk, rubric, study_id, _, f"{number}/{len(talks)}", markdown)
        asked.append(row - 1)
    _choices(sheet, asked, rubric.scale, _)
    sheet.protect()
    sheet.print_setup(_("Page {page} of {pages}", page="&P", pages="&N"))
    sheet.raw.repeat_rows(1)
    if _described(rubric):
        layout = annotator_layout(
            [talk.item for talk in talks],
            rubric,
            study_id=study_id,
            annotator="",
            language_code=language_code,
            markdown=markdown,
        )
        rubric_sheet(layout, book.sheet(_("Rubric")))
    _guide(book.sheet(_("How to discuss")), rubric.scale, _)
    return book.data()


def _described(rubric: Rubric) -> bool:
    """Return whether a rubric says more than the values of its scale."""
    levels = ((value, level) for described in rubric.dimensions.values() for value, level in described.levels.items())
    return any(level.description != str(value) for value, level in levels)


def decision_words(_: Language) -> dict[Decision, str]:
    """Return the decisions as the dropdown offers them in a language."""
    return {
        Decision.KEEP: _("keep"),
        Decision.REVISE: _("revise"),
        Decision.FIX_RUBRIC: _("fix rubric"),
        Decision.EXCLUDE: _("exclude"),
    }


def _block(
    sheet: Sheet, row: int, talk: Talk, rubric: Rubric, study_id: str, _: Language, number: str, markdown: Mode
) -> int:
    """Write one item from `row` on; return the row after it."""
    described = rubric.dimensions[talk.item.dimension]
    code = talk.item.item_code
    sheet.text(row, 1, part_code(code, 0), "key")
    sheet.text(row, 2, "", "title")
    sheet.text(row, 3, f"{number} · {described.title}", "title")
    sheet.merged(row, 4, row, 7, described.question, "title_text")
    # bold letters are wider than those measured
    lines = line_count(f"{number} · {described.title}", LABEL_WIDTH_PX * 0.9, 10)
    sheet.raw.set_row(row, height(max(lines, 1), 10) + 4)
    row += 1
    for piece in pieces(talk.item, _, markdown):
        _line(sheet, row, part_code(code, piece.number), piece.label, "", least=piece.height)
        sheet.rich(row, 4, piece.runs, "text")
        row += 1
    for place, annotation in enumerate(talk.annotations):
        said = [annotation.justification]
        if annotation.doubt:
            said.append(_("(marked as doubtful)"))
        if annotation.notes:
            said.append(_("Notes: {text}", text=annotation.notes))
        score = _("{annotator}: {score}", annotator=annotation.annotator, score=_.score(annotation.score))
        text = "\n".join(line for line in said if line) or _("(no justification)")
        for count, words in enumerate(cut_words(text)):
            label = score if count == 0 else _("{part} (continued)", part=score)
            _line(sheet, row, f"{code}:said:{place}" + (f":{count}" if count else ""), label, words)
            row += 1
    summary = (
        _("No answer is more frequent than every other one. What do you agree on?")
        if talk.disagreement_range is None  # names have no order, so no median and no distance
        else _(
            "Median {median}, {range} points apart. What do you agree on?",
            median=_.score(talk.median),
            range=_.score(talk.disagreement_range),
        )
    )
    _line(sheet, row, asking_part(code), _("To decide"), summary, least=ANSWER_ROW_POINTS)
    sheet.text(row, 0, study_id, "key")
    sheet.text(row, 2, code, "code")
    for place, style in ((5, "score"), (6, "doubt"), (7, "notes")):
        sheet.text(row, place, "", style)
    return row + 1


def _line(sheet: Sheet, row: int, part: str, label: str, text: str, least: float = 0.0) -> None:
    sheet.text(row, 1, part, "key")
    sheet.text(row, 2, "", "label")
    sheet.text(row, 3, label, "label")
    sheet.text(row, 4, text, "text")
    lines = height(line_count(text, TEXT_WIDTH_PX, TEXT_POINTS), TEXT_POINTS)
    sheet.raw.set_row(row, min(409.0, max(lines, height(line_count(label, LABEL_WIDTH_PX, 9), 9), least)))


def _offered(scale: Scale) -> dict[str, object]:
    """Return what a score cell offers: the values, where a list can hold them (ratings may come with any scale)."""
    if list_characters(scale) <= LIST_CHARACTERS:
        return {"validate": "list", "source": list(scale.values)}
    if scale.kind == "ordinal":
        return {"validate": "integer", "criteria": "between", "minimum": scale.values[0], "maximum": scale.values[-1]}
    return {"validate": "any"}


def _choices(sheet: Sheet, rows: Sequence[int], scale: Scale, _: Language) -> None:
    for row in rows:
        sheet.raw.data_validation(
            row,
            5,
            row,
            5,
            {
                **_offered(scale),
                "input_title": _("Agreed score"),
                "input_message": _("The answer you agree on. Leave it blank where you agree on none.")
                if scale.kind == "nominal"
                else _("The score you agree on. Leave it blank to keep the median."),
            },
        )
        sheet.raw.data_validation(
            row,
            6,
            row,
            6,
            {
                "validate": "list",
                "source": list(decision_words(_).values()),
                "input_title": _("Decision"),
                "input_message": _("A score without a decision means: revise. To exclude an item, give the reason."),
            },
        )


def _guide(sheet: Sheet, scale: Scale, _: Language) -> None:
    sheet.widths(28, 760)
    words = decision_words(_)
    apart = (
        _(
            "On these items no answer is more frequent than every other one. Read each again together, let everyone "
            "say why, and decide. The independent answers stay as they are; your decision is kept beside them."
        )
        if scale.kind == "nominal"
        else _(
            "These items got scores two or more points apart. Read each again together, let everyone say why, and "
            "decide. The independent scores stay as they are; your decision is kept beside them."
        )
    )
    lines = [
        (_("How to discuss"), "h1", 18),
        (apart, "body", 11),
        (_("{word}: the scores stand; the difference is one of opinion.", word=words[Decision.KEEP]), "body", 11),
        (_("{word}: somebody misread; enter the score you agree on.", word=words[Decision.REVISE]), "body", 11),
        (
            _("{word}: the rubric does not settle this case; say what is missing.", word=words[Decision.FIX_RUBRIC]),
            "body",
            11,
        ),
        (
            _(
                "{word}: the item itself is broken; say why. It is left out in a second calculation only.",
                word=words[Decision.EXCLUDE],
            ),
            "body",
            11,
        ),
        (
            _("The judge's scores are not shown here on purpose: please do not look them up before you decide."),
            "body",
            11,
        ),
    ]
    for row, (text, style, points) in enumerate(lines, 1):
        sheet.text(row, 1, text, style)
        sheet.raw.set_row(row, height(line_count(text, 760, points), points))
    sheet.protect()
    sheet.print_setup(_("Page {page} of {pages}", page="&P", pages="&N"))


@dataclass
class Talked:
    """What a discussion file says.

    Attributes:
        outcomes: Outcome by item code.
        judge_shown: Whether judge figures were there to be seen when the file was made; None when it does not tell.
        problems: What stands in the way.
    """

    outcomes: dict[str, Discussed]
    judge_shown: bool | None
    problems: list[Problem]


def sheet_of(book: RawBook) -> Keyed | None:
    """Return the sheet with the discussion's keys, and its rows that ask for a decision."""
    return keyed_sheet(book, {"item_code"}, ANSWERS, _asks)


def _asks(row: Mapping[str, Cell]) -> bool:
    """Return whether a row asks for a decision: it has an item's code and is not the header."""
    return not row["item_code"].blank and row.get("part", Cell("")).code != HEADER_PART


def holds_decisions(book: RawBook) -> bool:
    """Return whether somebody entered anything in a discussion workbook."""
    found = sheet_of(book)
    return found is not None and found.filled(ANSWERS)


def read_discussion(
    book: RawBook,
    *,
    study_id: str,
    rubric: Rubric,
    items: Mapping[str, Item],
    medians: Mapping[str, float | str | None],
) -> Talked:
    """Return the outcomes in a discussion workbook.

    Args:
        book: The file as read.
        study_id: The study it should belong to.
        rubric: The rubric.
        items: The study's items by code.
        medians: Median of the independent scores by code, to compare a `keep` with.
    """
    problems: list[Problem] = []
    told = {"shown": True, "held": False}.get(book.properties.get(JUDGE_PROPERTY, ""))
    found = sheet_of(book)
    if found is None:
        problems.append(
            Problem(
                "holds no discussion sheet: no row has the keys item_code, consensus_after_discussion, decision, "
                "consensus_notes",
                "name the discussion.xlsx that consolidate wrote, filled in",
                book.source.name,
            )
        )
        return Talked({}, told, problems)
    if found.problems:
        return Talked({}, told, [*found.problems])
    outcomes = _outcomes(found.rows, book.source.name, found.title, study_id, rubric, items, medians, problems)
    return Talked(outcomes, told, problems)


def _outcomes(
    rows: Sequence[dict[str, Cell]],
    file: str,
    sheet: str,
    study_id: str,
    rubric: Rubric,
    items: Mapping[str, Item],
    medians: Mapping[str, float | str | None],
    problems: list[Problem],
) -> dict[str, Discussed]:
    found: dict[str, Discussed] = {}
    for row in rows:
        cell = row["item_code"]
        code = cell.code
        study = row.get("study", Cell("")).code
        if study and study != study_id:
            problems.append(
                Problem("belongs to another study", f"this study is {study_id}", file, sheet, cell.address, study)
            )
            return {}
        if code not in items:
            problems.append(Problem("no item has this code", "restore the code", file, sheet, cell.address, code))
            continue
        if wrong_place := misplaced(row, file, sheet):
            problems.append(wrong_place)
            continue
        score, decision, notes = (row[key] for key in ANSWERS)
        outcome = outcome_of(
            score.value,
            decision.text,
            notes.text.strip(),
            rubric=rubric,
            dimension=items[code].dimension,
            median=medians.get(code),
            troubles={SCORE: score.trouble, DECISION: decision.trouble, NOTES: notes.words},
            display=score.shown,
        )
        if isinstance(outcome, list):
            for key, why in outcome:
                what = f"the decision on item {code} cannot be taken: {why}"
                place, value = row[key].address or None, row[key].text or None
                problems.append(Problem(what, "correct the row", file, sheet, place, value))
        elif outcome is not None:
            if code in found and found[code] != outcome:
                problems.append(
                    Problem(f"item {code} is there twice, decided differently", "keep one", file, sheet, cell.address)
                )
            found[code] = outcome
    return found


def outcome_of(
    score: object,
    decision: str,
    notes: str,
    *,
    rubric: Rubric,
    dimension: str,
    median: float | str | None,
    troubles: Mapping[str, str | None] = NO_TROUBLES,
    display: str | None = None,
) -> Discussed | list[Wrong] | None:
    """Return what one row decides, None where it decides nothing, or everything for which it cannot be taken.

    Args:
        score: The agreed score as the file has it.
        decision: The decision's word.
        notes: What was written.
        rubric: The rubric.
        dimension: The item's dimension.
        median: Median of the independent scores.
        troubles: Why the cell of a key cannot be taken at its word.
        display: What is displayed for the score, where that is something else.
    """
    wrong = {key: f"this is {trouble}" for key, trouble in troubles.items() if trouble}
    value: Value | None = None
    if SCORE not in wrong:
        try:
            value = parse_score(score, rubric.scale, labels_of(rubric, dimension)).value
        except ValueError as error:
            wrong[SCORE] = str(error)
    word = plain_key(decision)
    if not wrong and not word and value is None:
        return [Wrong(DECISION, "there are notes, but neither a score nor a decision")] if notes else None
    if SCORE not in wrong and display is not None and not shows(display, value):
        wrong[SCORE] = f"the score is stored as {value}, but the cell shows {shown(display) or 'nothing'}"
    known = {plain_key(word): key for code in LANGUAGES for key, word in decision_words(language(code)).items()}
    decided = known.get(word) if word else Decision.REVISE
    if DECISION in wrong:
        pass
    elif decided is None:
        words = ", ".join(decision_words(language(rubric.language if rubric.language in LANGUAGES else "en")).values())
        wrong[DECISION] = f"there is no decision called {shown(decision)!r}; choose {words}"
    elif decided is Decision.EXCLUDE and not notes and NOTES not in wrong:
        wrong[DECISION] = "to exclude an item, the notes must say why"
    elif decided is Decision.REVISE and word and value is None and SCORE not in wrong:
        wrong[DECISION] = "to revise, a score is needed"
    elif decided is Decision.KEEP and value is not None and SCORE not in wrong and value != median:
        stands = "the answers stand as they are" if rubric.scale.kind == "nominal" else f"the median ({median}) stands"
        wrong[SCORE] = f"keep means that {stands}, yet the score says {value}"
    if wrong or decided is None:
        return [Wrong(*one) for one in wrong.items()]
    return Discussed(decided, value, notes)
