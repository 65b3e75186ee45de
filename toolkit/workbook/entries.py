"""What somebody entered in the answer cells of an item. A score is certain, or it is a problem that names its cell."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping

from toolkit.errors import shown
from toolkit.i18n import language
from toolkit.model import Annotation, Value
from toolkit.study import Study
from toolkit.texts import clean, composed, plain_key
from toolkit.values import Repair, labels_of, parse_score, says_yes, shows
from toolkit.workbook.guide import CLOSING, CLOSING_COLUMN, closing_questions
from toolkit.workbook.layout import TIME_KEYS
from toolkit.workbook.readers.raw import PERCENTAGE, STRUCK, Cell, RawBook, RawSheet

MINUTES_A_DAY = 24 * 60
FIRST_YEAR = 2000
# Taken for yes or no in the doubt column, and listed, since no word was written.
NOT_WORDS = ("x", "1", "0")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3])[:hH]([0-5][0-9])(?::([0-5][0-9]))?\s*(?:([ap])\.?\s?m\.?)?", re.IGNORECASE)
HOW_TO_TYPE = {
    PERCENTAGE: "type the value itself; where the cell keeps the format, choose Format > Number > Automatic first",
    STRUCK: "type the value that counts, and take the strike-through off it (Format > Font)",
}


class Entries:
    """The answer cells of one annotator's sheet.

    Attributes:
        repairs: Values read other than as plain values.
    """

    def __init__(self, study: Study, annotator: str, file: str, sheet: RawSheet, problem: Callable[..., None]):
        """Begin to read a sheet.

        Args:
            study: The study.
            annotator: Whose sheet it is.
            file: The file it came in.
            sheet: The sheet.
            problem: Takes what is wrong, what to do, the cell and the value found.
        """
        self.annotator, self.file, self.sheet, self.problem = annotator, file, sheet, problem
        self.study, self.repairs = study, list[Repair]()
        self.labels = {key: labels_of(study.rubric, key) for key in study.rubric.dimensions}

    def annotation(self, code: str, row: Mapping[str, Cell]) -> Annotation:
        """Return what was entered for an item, in the cells of its answer row by machine key."""
        return Annotation(
            annotator=self.annotator,
            item_code=code,
            score=self._score(code, row["score"]),
            justification=self._words(row["justification"]),
            doubt=self._doubt(code, row["doubt"]),
            notes=self._words(row["notes"]),
            minutes=self._minutes(code, row),
            place=self.place(row["score"]),
        )

    def place(self, cell: Cell) -> str:
        """Return where a cell is, in words."""
        return " > ".join(shown(part) for part in (self.file, self.sheet.title, cell.address) if part)

    def _score(self, code: str, cell: Cell) -> Value | None:
        item = self.study.by_code[code]
        scale = self.study.rubric.scale
        if cell.trouble:
            value = cell.text or None
            self.problem(
                f"the score of item {code} is {cell.trouble}; the scale is {scale}",
                HOW_TO_TYPE.get(cell.trouble, "type the value itself"),
                cell,
                value,
            )
            return None
        textual = self.sheet.textual
        try:
            parsed = parse_score(cell.value, scale, self.labels[item.dimension], textual=textual)
        except ValueError as error:
            self.problem(
                f"the score of item {code} cannot be read: {error}{_but(cell)}",
                "type one value of the scale",
                cell,
                cell.value,
            )
            return None
        if cell.shown is not None and not shows(cell.shown, parsed.value):
            self.problem(
                f"the score of item {code} is stored as {parsed.value}, but the cell shows "
                + (shown(cell.shown) or "nothing"),
                "type the value again, in a cell without a number format of its own",
                cell,
                cell.value,
            )
            return None
        if parsed.repair is not None:
            self._repaired(cell, code, "score", parsed.repair, str(parsed.value))
        return parsed.value

    def _doubt(self, code: str, cell: Cell) -> bool:
        said = says_yes(cell.text)
        unseen = cell.shown is not None and says_yes(cell.shown) is not said
        if cell.trouble or unseen or (said is None and plain_key(cell.text)):
            self.problem(
                f"the doubt of item {code} is neither yes nor no{_but(cell)}",
                "choose one from the list, or leave it blank for no",
                cell,
                cell.text or cell.trouble,
            )
            return False
        if isinstance(cell.value, bool) or plain_key(cell.text) in NOT_WORDS:
            self._repaired(cell, code, "doubt", cell.text, "yes" if said else "no")
        return said is True

    def _minutes(self, code: str, row: Mapping[str, Cell]) -> float | None:
        """Return the time from start to end, where both were recorded; past midnight counts as the next day."""
        times = []
        for key in TIME_KEYS:
            cell = row.get(key, Cell(""))
            if cell.blank:
                continue
            time = None if cell.trouble else _time_of_day(cell.value)
            if time is None:
                self.problem(
                    f"the {key.removeprefix('time_')} time of item {code} is no time of day{_but(cell)}",
                    "write it like 14:05, or leave it blank",
                    cell,
                    cell.text or cell.trouble,
                )
            else:
                times.append(time)
        if len(times) < len(TIME_KEYS):
            return None
        start, end = times
        return round((end - start) % MINUTES_A_DAY, 2)

    def _words(self, cell: Cell) -> str:
        if cell.words:
            self.problem(f"this text is {cell.words}", "type it as words", cell, cell.text or None)
            return ""
        return entered(cell.text)

    def _repaired(self, cell: Cell, code: str, field_name: str, found: str, read_as: str) -> None:
        self.repairs.append(Repair(self.place(cell), self.annotator, code, field_name, found, read_as))


def entered(text: str) -> str:
    """Return an annotator's words: programs write line ends and accents in several ways for the same."""
    return composed(clean(re.sub("_x000D_\n?", "\n", text))).strip()


def _but(cell: Cell) -> str:
    """Return in words what else is to be said of a cell than what is in it."""
    if cell.trouble:
        return f" (it is {cell.trouble})"
    return "" if cell.shown is None else f" (the cell shows {shown(cell.shown) or 'nothing'})"


def _time_of_day(value: object) -> float | None:
    """Return a time of day in minutes after midnight; None for what is none."""
    if isinstance(value, datetime.datetime) and value.year < FIRST_YEAR:
        return None  # 14, typed for two o'clock, is a day in 1900 to a spreadsheet
    if isinstance(value, datetime.datetime | datetime.time):
        return value.hour * 60 + value.minute + value.second / 60
    if isinstance(value, datetime.timedelta):
        minutes = value.total_seconds() / 60
        return minutes if 0 <= minutes < MINUTES_A_DAY else None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1:
        return value * MINUTES_A_DAY  # a spreadsheet stores a time as a share of the day
    match = _CLOCK.fullmatch(str(value).strip())
    if match is None:
        return None
    hour = int(match[1])
    if match[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[4].lower() == "p" else 0)
    return hour * 60 + int(match[2]) + int(match[3] or 0) / 60


def closing_answers(book: RawBook) -> dict[str, str]:
    """Return what was answered to the closing questions of the first sheet, by machine key."""
    known = {f"{CLOSING}{key}": key for key in closing_questions(language("en"))}
    found: dict[str, str] = {}
    for sheet in book.sheets:
        for (row, column), cell in sheet.cells.items():
            if isinstance(cell.value, str) and (key := known.get(cell.value)):
                answer = sheet.cells.get((row, column + CLOSING_COLUMN), Cell(""))
                if not answer.blank:
                    found.setdefault(key, entered(answer.text))
    return found
