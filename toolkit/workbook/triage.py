"""The triage workbook: items where judge and people lie far apart, the two scores unlabelled; and its way back.

Who reads an item again must not know which score is the judge's, or a wrong judge is forgiven and a wrong person
blamed. So both scores stand side by side as whole levels, in an order that follows from the seed, and nothing else
that was said of the item is there. A hidden token in each row keeps the order; it says nothing by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from toolkit.errors import Problem, shown
from toolkit.files import canonical_json, sha256
from toolkit.i18n import LANGUAGES, Language, language
from toolkit.model import Item, Rubric
from toolkit.texts import plain_key
from toolkit.workbook.keyed import Keyed, Wrong, asking_part, keyed_sheet, misplaced
from toolkit.workbook.layout import HEADER_PART
from toolkit.workbook.markdown import Mode
from toolkit.workbook.measure import height, line_count
from toolkit.workbook.parts import TEXT_POINTS, TEXT_WIDTH_PX, part_code, pieces
from toolkit.workbook.readers.raw import Cell, RawBook
from toolkit.workbook.sheets import Book, Sheet

FILE_NAME = "triage.xlsx"
TOKEN, FIRST, SECOND, VERDICT, NOTES = "token", "first_score", "second_score", "verdict", "triage_notes"
ANSWERS = (VERDICT, NOTES)
COLUMNS = ("study", TOKEN, "part", "item_code", "label", "text", FIRST, SECOND, VERDICT, NOTES)
KEYS = frozenset({"item_code", TOKEN, FIRST, SECOND, *ANSWERS})
HIDDEN = ("study", TOKEN, "part")
LABEL_WIDTH_PX, GUIDE_WIDTH_PX = 130, 760
ANSWER_ROW_POINTS = 66.0
TOKEN_LETTERS = 16


class Fault(StrEnum):
    """What somebody who read the item again found wrong."""

    JUDGE = "judge"
    PEOPLE = "people"
    RUBRIC = "rubric"
    ITEM = "item"


@dataclass(frozen=True, slots=True)
class Triaged:
    """What was found of one item."""

    fault: Fault
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Dispute:
    """One item to be read again: what was read, and the two scores."""

    item: Item
    judge: float
    people: float
    token: str

    @property
    def judge_first(self) -> bool:
        """Whether the judge's score stands first; known from the token alone, so that a file can be read back."""
        return int(sha256(f"order {self.token}")[0], 16) % 2 == 0

    @property
    def scores(self) -> tuple[int, int]:
        """Both scores as whole levels, in the order shown: a mean such as 4.67 would say that it is a judge's."""
        judge, people = round(self.judge), round(self.people)
        return (judge, people) if self.judge_first else (people, judge)

    def fault(self, word: str) -> Fault:
        """Return what a verdict on the first or second score, the rubric or the item means."""
        if word in ("first", "second"):
            return Fault.JUDGE if (word == "first") == self.judge_first else Fault.PEOPLE
        return Fault(word)


def token(seed: int, item_code: str) -> str:
    """Return what decides the order of an item's two scores."""
    return sha256(canonical_json(["triage", seed, item_code]))[:TOKEN_LETTERS]


def verdict_words(_: Language) -> dict[str, str]:
    """Return the verdicts as the dropdown offers them in a language."""
    return {
        "first": _("first score wrong"),
        "second": _("second score wrong"),
        "rubric": _("rubric unclear"),
        "item": _("item broken"),
    }


def render_triage(
    disputes: Sequence[Dispute], rubric: Rubric, *, study_id: str, language_code: str, markdown: Mode
) -> bytes:
    """Return the triage workbook."""
    _ = language(language_code)
    book = Book(_("Triage workbook"), {"study": study_id})
    sheet = book.sheet(_("Triage"))
    titles = (
        *("", "", "", _("Item"), _("What it is"), _("Text to read")),
        *(_("First score"), _("Second score"), _("What is wrong?"), _("Why")),
    )
    widths = (40, 40, 40, 56, LABEL_WIDTH_PX, TEXT_WIDTH_PX, 64, 70, 116, 185)
    for place, (key, title, width) in enumerate(zip(COLUMNS, titles, widths, strict=True)):
        sheet.raw.set_column_pixels(place, place, width, None, {"hidden": key in HIDDEN})
        sheet.text(0, place, key, "key")
        sheet.text(1, place, HEADER_PART if key == "part" else title, "header")
    sheet.raw.set_row(0, None, None, {"hidden": True})
    sheet.raw.set_row_pixels(1, 36)
    sheet.raw.freeze_panes(2, 0)
    row = 2
    for number, dispute in enumerate(disputes, 1):
        row = _block(sheet, row, dispute, rubric, study_id, _, f"{number}/{len(disputes)}", markdown)
    sheet.protect()
    sheet.print_setup(_("Page {page} of {pages}", page="&P", pages="&N"))
    sheet.raw.repeat_rows(1)
    _guide(book.sheet(_("How to triage")), _)
    return book.data()


def _block(
    sheet: Sheet, row: int, dispute: Dispute, rubric: Rubric, study_id: str, _: Language, number: str, markdown: Mode
) -> int:
    """Write one item from `row` on; return the row after it."""
    item, code = dispute.item, dispute.item.item_code
    described = rubric.dimensions[item.dimension]
    place = {key: column for column, key in enumerate(COLUMNS)}
    title = f"{number} · {described.title}"
    sheet.text(row, place["part"], part_code(code, 0), "key")
    sheet.text(row, place["item_code"], "", "title")
    sheet.text(row, place["label"], title, "title")
    sheet.merged(row, place["text"], row, place[NOTES], described.question, "title_text")
    sheet.raw.set_row(row, height(max(line_count(title, LABEL_WIDTH_PX * 0.9, 10), 1), 10) + 4)
    row += 1
    for piece in pieces(item, _, markdown):
        _line(sheet, row, part_code(code, piece.number), piece.label, "", least=piece.height)
        sheet.rich(row, place["text"], piece.runs, "text")
        row += 1
    levels = "\n".join(f"{value} = {level.short}" for value, level in described.levels.items())
    _line(sheet, row, asking_part(code), _("What the scores mean"), levels, least=ANSWER_ROW_POINTS)
    sheet.text(row, place["study"], study_id, "key")
    sheet.text(row, place[TOKEN], dispute.token, "key")
    sheet.text(row, place["item_code"], code, "code")
    for key, score in zip((FIRST, SECOND), dispute.scores, strict=True):
        sheet.number(row, place[key], score, "code", font_size=14, valign="vcenter")
    sheet.text(row, place[VERDICT], "", "doubt")
    sheet.text(row, place[NOTES], "", "notes")
    choices = {
        "validate": "list",
        "source": list(verdict_words(_).values()),
        "input_title": _("What is wrong?"),
        "input_message": _("Score the item in your mind first, then choose. Say why in the next cell."),
    }
    sheet.raw.data_validation(row, place[VERDICT], row, place[VERDICT], choices)
    return row + 1


def _line(sheet: Sheet, row: int, part: str, label: str, text: str, least: float) -> None:
    sheet.text(row, COLUMNS.index("part"), part, "key")
    sheet.text(row, COLUMNS.index("item_code"), "", "label")
    sheet.text(row, COLUMNS.index("label"), label, "label")
    sheet.text(row, COLUMNS.index("text"), text, "text")
    lines = height(line_count(text, TEXT_WIDTH_PX, TEXT_POINTS), TEXT_POINTS)
    sheet.raw.set_row(row, min(409.0, max(lines, height(line_count(label, LABEL_WIDTH_PX, 9), 9), least)))


def _guide(sheet: Sheet, _: Language) -> None:
    words = verdict_words(_)
    sheet.widths(28, GUIDE_WIDTH_PX)
    lines = [
        (_("How to triage"), "h1", 18),
        (
            _(
                "On these items the judge and the people lie two or more points apart. Each shows two scores; which is "
                "whose is not said on purpose, and the order changes from item to item. Please do not look it up."
            ),
            "body",
            11,
        ),
        (_("Read the item, decide on a score of your own, then say what is wrong:"), "body", 11),
        (
            _("{first} or {second}: that score cannot be defended.", first=words["first"], second=words["second"]),
            "body",
            11,
        ),
        (_("{word}: both can be defended, because the rubric does not settle it.", word=words["rubric"]), "body", 11),
        (_("{word}: the item cannot be scored as it is.", word=words["item"]), "body", 11),
        (_("Scores between two levels are shown as the nearest level."), "body", 11),
    ]
    for row, (text, style, points) in enumerate(lines, 1):
        sheet.text(row, 1, text, style)
        sheet.raw.set_row(row, height(line_count(text, GUIDE_WIDTH_PX, points), points))
    sheet.protect()
    sheet.print_setup(_("Page {page} of {pages}", page="&P", pages="&N"))


def sheet_of(book: RawBook) -> Keyed | None:
    """Return the sheet with the triage's keys, and its rows that ask for a verdict."""
    return keyed_sheet(
        book, KEYS - {*ANSWERS}, ANSWERS, lambda row: not row["item_code"].blank and not row[TOKEN].blank
    )


def holds_verdicts(book: RawBook) -> bool:
    """Return whether somebody entered anything in a triage workbook."""
    found = sheet_of(book)
    return found is not None and found.filled(ANSWERS)


def read_triage(
    book: RawBook, *, study_id: str, disputes: Mapping[str, Dispute]
) -> tuple[dict[str, Triaged], list[Problem]]:
    """Return what was found of each item, by code, and what stands in the way.

    Args:
        book: The file as read.
        study_id: The study it should belong to; empty for ratings collected elsewhere.
        disputes: The items on which judge and people lie far apart now, by code.
    """
    file = book.source.name
    found = sheet_of(book)
    if found is None:
        what = f"holds no triage sheet: no row has the keys item_code, {TOKEN}, {FIRST}, {SECOND}, {VERDICT}, {NOTES}"
        return {}, [Problem(what, "name the triage.xlsx that was written beside the report, filled in", file)]
    if found.problems:
        return {}, [*found.problems]
    sheet, rows = found.title, found.rows
    tokens = {dispute.token for dispute in disputes.values()}
    outcomes: dict[str, Triaged] = {}
    problems: list[Problem] = []
    for row in rows:
        cell, code = row["item_code"], row["item_code"].code
        study = row.get("study", Cell("")).code
        if study != study_id:
            problems.append(
                Problem("belongs to another study", f"this study is {study_id}", file, sheet, cell.address, study)
            )
            return {}, problems
        if wrong_place := misplaced(row, file, sheet):
            problems.append(wrong_place)
            continue
        outcome = _outcome(row, disputes.get(code), tokens)
        if isinstance(outcome, list):
            for key, why in outcome:
                what = f"the verdict on item {shown(code)} cannot be taken: {why}"
                problems.append(Problem(what, "correct the row", file, sheet, row[key].address, row[key].text or None))
        elif outcome is not None:
            if outcomes.get(code, outcome) != outcome:
                what = f"item {code} is there twice, with different verdicts"
                problems.append(Problem(what, "keep one of the rows", file, sheet, cell.address))
            outcomes[code] = outcome
    return outcomes, problems


def _outcome(row: Mapping[str, Cell], known: Dispute | None, tokens: Collection[str]) -> Triaged | list[Wrong] | None:
    """Return what a row says, None where it says nothing, or everything for which it cannot be taken.

    Args:
        row: The row.
        known: Its item, with the token that the seed gives it now; None where judge and people are not far apart.
        tokens: Those of all items.
    """
    answer, notes = row[VERDICT], row[NOTES]
    wrong = [
        Wrong(key, f"this is {trouble}")
        for key, trouble in ((VERDICT, answer.trouble), (NOTES, notes.words))
        if trouble
    ]
    word = plain_key(answer.text)
    if not wrong and not word:
        return [Wrong(VERDICT, "there is a reason, but no verdict")] if not notes.blank else None
    kinds = {plain_key(said): key for code in LANGUAGES for key, said in verdict_words(language(code)).items()}
    kind, offered = kinds.get(word, word), verdict_words(language("en"))
    if word and answer.trouble is None and kind not in offered:
        wrong.append(Wrong(VERDICT, f"{shown(answer.text)!r} is no verdict; choose {', '.join(offered.values())}"))
    if known is None:
        anew = "judge and people are not two or more points apart on it now; write the triage workbook anew"
        return [*wrong, Wrong("item_code", anew)]
    # a workbook that was written with another seed has other tokens, and its scores still tell whose is whose
    dispute = replace(known, token=row[TOKEN].code)
    if dispute.token != known.token and dispute.token in tokens:
        moved = "its token is that of another item (a part of the sheet was sorted or moved without the rest)"
        wrong.append(Wrong(TOKEN, moved))
    if _levels(row) != dispute.scores:
        anew = "its scores are not those of the study now; restore the cells, or write the triage workbook anew"
        wrong.append(Wrong(FIRST, anew))
    return wrong or Triaged(dispute.fault(kind), notes.text.strip())


def _levels(row: Mapping[str, Cell]) -> tuple[int, int] | None:
    try:
        first, second = (float(row[key].text.replace(",", ".")) for key in (FIRST, SECOND))
    except ValueError:
        return None
    return (int(first), int(second)) if first.is_integer() and second.is_integer() else None
