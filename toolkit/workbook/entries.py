"""What somebody entered in the answer cells of an item. A score is certain, or it is a problem that names its cell."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache

from toolkit.errors import shown
from toolkit.i18n import LANGUAGES, language
from toolkit.model import Annotation, Value
from toolkit.study import Study
from toolkit.texts import clean, plain_key
from toolkit.values import Repair, labels_of, parse_score
from toolkit.workbook.guide import CLOSING, CLOSING_COLUMN, closing_questions
from toolkit.workbook.layout import TIME_KEYS
from toolkit.workbook.readers.raw import PERCENTAGE, Cell, RawBook, RawSheet

MINUTES_A_DAY = 24 * 60
FIRST_YEAR = 2000
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3])[:hH]([0-5][0-9])(?::([0-5][0-9]))?\s*(?:([ap])\.?\s?m\.?)?", re.IGNORECASE)
_SIGNED = re.compile(r"[-−–]?[0-9]+(?:[.,][0-9]+)?")
# `4 of 5`: how high the scale goes, not another score
_OF = re.compile(r"\b(?:of|de)\s+[0-9]+\s*$")


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
        self._locked(code, row)
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

    def _locked(self, code: str, row: Mapping[str, Cell]) -> None:
        """Name what stands in the locked cells of an answer row and was not sent there."""
        beside, dimension = row.get("rubric"), row.get("dimension")
        if beside is not None and not beside.blank and not beside.merged:
            self.problem(
                f"something is written beside the score of item {code}, where nothing is entered",
                "move it into the yellow cells, or delete it",
                beside,
                beside.text or beside.trouble,
            )
        sent = self.study.by_code[code].dimension
        if dimension is not None and not dimension.blank and dimension.text.strip() != sent:
            self.problem(
                f"the hidden dimension of item {code} is not the one that was sent ({sent})",
                "copy the answers into a fresh workbook from send/, or ask the annotator to",
                dimension,
                dimension.text,
            )

    def _score(self, code: str, cell: Cell) -> Value | None:
        item = self.study.by_code[code]
        scale = self.study.rubric.scale
        if cell.trouble:
            value = cell.text or None
            self.problem(
                f"the score of item {code} is {cell.trouble}; the scale is {scale}",
                "type the value itself; where the cell keeps the format, choose Format > Number > Automatic first"
                if cell.trouble == PERCENTAGE
                else "type the value itself",
                cell,
                value,
            )
            return None
        textual = self.sheet.textual
        try:
            parsed = parse_score(cell.value, scale, self.labels[item.dimension], textual=textual)
        except ValueError as error:
            seen = f" (the cell shows {shown(cell.shown)})" if cell.shown else ""
            self.problem(
                f"the score of item {code} cannot be read: {error}{seen}",
                "type one value of the scale",
                cell,
                cell.value,
            )
            return None
        if cell.shown is not None and not _shows(cell.shown, parsed.value):
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
        yes, no = _doubt_words()
        word = plain_key(cell.text)
        if cell.trouble or (word and word not in yes and word not in no):
            self.problem(
                f"the doubt of item {code} is neither yes nor no",
                "choose one from the list, or leave it blank for no",
                cell,
                cell.text or cell.trouble,
            )
            return False
        if isinstance(cell.value, bool) or word in ("x", "1", "0"):
            self._repaired(cell, code, "doubt", cell.text, "yes" if word in yes else "no")
        return word in yes

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
                    f"the {key.removeprefix('time_')} time of item {code} is no time of day",
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
        if cell.trouble:
            self.problem(f"this text is {cell.trouble}", "type it as words", cell, cell.text or None)
            return ""
        return entered(cell.text)

    def _repaired(self, cell: Cell, code: str, field_name: str, found: str, read_as: str) -> None:
        self.repairs.append(Repair(self.place(cell), self.annotator, code, field_name, found, read_as))


def entered(text: str) -> str:
    """Return an annotator's words: programs write line ends and accents in several ways for the same."""
    return unicodedata.normalize("NFC", clean(re.sub("_x000D_\n?", "\n", text))).strip()


def _shows(display: str, value: Value | None) -> bool:
    """Return whether what a cell displays (`R$ 4,00`, `4 of 5`) is the value and no other number."""
    numbers = _SIGNED.findall(_OF.sub("", display))
    return len(numbers) == 1 and float(re.sub("[−–]", "-", numbers[0]).replace(",", ".")) == value


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


@cache
def _doubt_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for yes and for no, in every language: a sheet may have been filled in another's program."""
    yes = {plain_key(language(code)("yes")) for code in LANGUAGES} | {"y", "s", "x", "1", "true"}
    no = {plain_key(language(code)("no")) for code in LANGUAGES} | {"n", "0", "false"}
    return frozenset(yes), frozenset(no)
