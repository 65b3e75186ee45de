"""Whether the annotation sheet came back as it was sent: texts and labels, levels and questions.

Rows are known by their hidden `part`, wherever they were moved. One that opens an item or a dimension may be deleted:
what it says stands elsewhere, and nothing else was read in its place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from toolkit.errors import shown
from toolkit.texts import same_text_form
from toolkit.workbook.layout import PRACTICE
from toolkit.workbook.locked import EXAMPLES, LEVELS, OPENING, QUESTION, TITLE
from toolkit.workbook.parts import labels_hash, part_code, text_hash
from toolkit.workbook.readers.raw import Cell
from toolkit.workbook.unchanged import ASK_AGAIN, BY_THE_ORIGINAL, Unchanged, says

TEXT_PART = re.compile(r"(?P<code>[A-Z0-9]+):(?P<number>[0-9]{3,})")
# Of the rows that are gone, so many are named.
MOST_NAMED = 5
# Columns without answers that say what to score, and by what.
LABEL, RUBRIC = "label", "rubric"
ANOTHER_SCORE = "and a score by other levels is another score"

# The cells of a row by machine key; one that is not there is blank.
Row = Mapping[str, Cell]


def look_at_rows(unchanged: Unchanged, rows: Iterable[Row], columns: Collection[str]) -> list[str]:
    """Compare the rows of the annotation sheet; return what was noticed and does not stand in the way.

    Args:
        unchanged: What was sent.
        rows: The rows.
        columns: The machine keys there are.
    """
    if unchanged.locked:
        for key in (LABEL, RUBRIC):
            if key not in columns:
                what = f"lacks the column {key}: its hidden key is gone, or the whole column"
                fix = "copy the answers into a fresh workbook from send/, or undo what took it away"
                unchanged.problem(what, fix)
    return _Rows(unchanged, columns).look_at(rows)


class _Rows:
    """The rows of one sheet, while they are compared."""

    def __init__(self, unchanged: Unchanged, columns: Collection[str]):
        self.unchanged, self.locked, self.columns = unchanged, unchanged.locked, columns
        self.expected = {
            part_code(code, int(number)): value
            for code, item in unchanged.assigned.items()
            for number, value in item.hashes.items()
            if number.isdecimal()
        }
        self.texts: dict[str, Row] = {}  # by part
        self.beside: dict[str, list[Row]] = defaultdict(list)  # rows of an item in which its levels may stand
        self.levels: set[str] = set()  # items that have them
        self.opened: set[str] = set()  # items and dimensions that have the row that opens them

    def look_at(self, rows: Iterable[Row]) -> list[str]:
        for row in rows:
            part = row["part"].code
            match = TEXT_PART.fullmatch(part.removesuffix("-"))
            if match is None:
                self._other(part, row)
            elif match["number"].strip("0"):
                self._text(part, match["code"], match["number"], row)
            elif match["code"] in self.unchanged.assigned:
                self._title(part, match["code"], row)
        missing = Counter(part.partition(":")[0] for part in self.expected if part not in self.texts)
        for code, count in missing.items():
            what = f"{count} rows of the text of item {code} are missing"
            self.unchanged.problem(what, f"{ASK_AGAIN} restore the rows")
        for code in self.unchanged.assigned:
            if LABEL in self.columns:
                self._labels(code)
            if RUBRIC in self.columns and code not in missing:
                self._has_levels(code)
        return self._gone() if self.locked else []

    def _text(self, part: str, code: str, number: str, row: Row) -> None:
        """Compare a text of an item, so that everybody is known to have read the same."""
        cell, before = row["text"], self.texts.setdefault(part, row)
        # a doubled answer row is told by its code
        if before is not row and row["item_code"].blank:
            what = f"a text of item {code} is there twice (also in {before['text'].address})"
            self.unchanged.problem(what, "delete the copy", cell)
        if part not in self.expected:
            return
        item, wanted = self.unchanged.assigned[code], self.expected[part]

        def sent() -> list[str]:
            """Return the text; nothing where another release of the toolkit cut the item in other places."""
            cut = self.unchanged.pieces(item.seen)
            return [piece.text for piece in cut if piece.number == int(number) and text_hash(piece.text) == wanted]

        what, fix = f"the locked text of item {code} was changed", f"{ASK_AGAIN} score the original text"
        self.unchanged.compare(cell, (wanted,), sent, what, fix)
        if row["item_code"].blank:
            self.beside[code].append(row)
            self._levels(code, item.dimension, row)
        elif row is before and row["item_code"].code == code:
            self._answer(code, item.dimension, row)

    def _answer(self, code: str, dimension: str, row: Row) -> None:
        """Refuse what stands in the locked cells of an answer row and was not sent there."""
        beside, found = row.get(RUBRIC, Cell("")), row.get("dimension", Cell(""))
        if not beside.blank and not beside.merged:
            what = f"something is written beside the score of item {code}, where nothing is entered"
            fix = "move it into the yellow cells, or delete it"
            self.unchanged.problem(what, fix, beside, beside.text or beside.trouble)
        if not found.blank and not self.unchanged.is_word(dimension, found.text):
            what = f"the hidden dimension of item {code} is not the one that was sent ({shown(dimension)})"
            fix = "copy the answers into a fresh workbook from send/, or ask the annotator to"
            self.unchanged.problem(what, fix, found, found.text)

    def _title(self, part: str, code: str, row: Row) -> None:
        """Compare the row that opens an item, or an empty one that makes room for its levels."""
        dimension = self.unchanged.assigned[code].dimension
        if part.endswith("-"):
            self.beside[code].append(row)
        else:
            self.opened.add(code)
            self._question(f"item {code}", dimension, row)
        self._levels(code, dimension, row)

    def _other(self, part: str, row: Row) -> None:
        """Compare a row that opens a dimension, or one of a practice item."""
        if part.startswith(OPENING):
            openings = (key for key in self.locked if key.startswith(OPENING))
            if (key := next((key for key in openings if self.unchanged.is_word(key, part)), None)) is not None:
                self.opened.add(key)
                self._opening(key, row)
        elif part.startswith(PRACTICE):
            code, _colon, number = part.partition(":")
            dimension = row.get("dimension", Cell("")).code
            if not number.strip("0"):
                self._question(code, dimension, row)
            elif number.isdecimal() and EXAMPLES in self.locked:
                what = f"the text of {code} was changed, so that the annotator practised on another"
                self.unchanged.same(EXAMPLES, row["text"], what)
            if row["item_code"].blank:
                self._levels(code, dimension, row)

    def _opening(self, key: str, row: Row) -> None:
        dimension = key.removeprefix(OPENING)
        what = f"what opens the dimension {shown(dimension)} was changed, {ANOTHER_SCORE}"
        self.unchanged.same(key, row["text"], what)
        title = TITLE + dimension
        if LABEL not in self.columns or title not in self.locked:
            return
        # of several rows, only the first has the title
        if not row[LABEL].blank or len(self.locked[key]) == 1:
            what = f"the title of the dimension {shown(dimension)} was changed, {ANOTHER_SCORE}"
            self.unchanged.same(title, row[LABEL], what)

    def _question(self, item: str, dimension: str, row: Row) -> None:
        key = same_text_form(QUESTION + dimension)
        if key in self.locked:
            what = f"the question above {item} was changed, and a score answers the question that is asked"
            self.unchanged.same(key, row["text"], what)

    def _levels(self, code: str, dimension: str, row: Row) -> None:
        """Compare what stands beside a text; most rows have nothing there, or are hidden under the levels."""
        cell, key = row.get(RUBRIC), same_text_form(LEVELS + dimension)
        if cell is None or cell.blank or key not in self.locked:
            return
        if not cell.merged:
            self.unchanged.same(key, cell, f"the level descriptions beside item {code} were changed, {ANOTHER_SCORE}")
            self.levels.add(code)
        elif says(Cell(cell.address, cell.value), self.locked[key]):
            self.levels.add(code)  # a program sorted the rows and left merged cells where they were

    def _has_levels(self, code: str) -> None:
        """Refuse an item beside whose texts the levels are gone; the row they stood in may be deleted."""
        rows, dimension = self.beside[code], self.unchanged.assigned[code].dimension
        if code in self.levels or not rows or same_text_form(LEVELS + dimension) not in self.locked:
            return
        # the first of the cells that are one, where they still are
        row = next((row for row in rows if row["score"].merged and not row[RUBRIC].merged), rows[0])
        what = f"the level descriptions beside item {code} were emptied, {ANOTHER_SCORE}"
        self.unchanged.problem(what, BY_THE_ORIGINAL, row[RUBRIC])

    def _labels(self, code: str) -> None:
        """Compare the labels of an item's texts, by which the original is told from its variant."""
        item = self.unchanged.assigned[code]
        wanted, count = item.hashes.get("labels"), sum(number.isdecimal() for number in item.hashes)
        rows = {number: self.texts.get(part_code(code, number)) for number in range(1, count + 1)}
        cells = {number: row[LABEL] for number, row in rows.items() if row is not None}
        whole = len(cells) == count
        if wanted is None or (whole and labels_hash(cell.text for cell in cells.values()) == wanted):
            return
        sent = [piece.label for piece in self.unchanged.pieces(item.seen)]
        why = "so that the text beside it was read as something else"
        if labels_hash(sent) == wanted:
            for number, cell in cells.items():
                label = sent[number - 1]
                what = f"a label of item {code} was changed, {why}"
                self.unchanged.compare(cell, (text_hash(label),), [label].copy, what, BY_THE_ORIGINAL)
        elif whole:
            what = f"the labels of item {code} are not all those that were sent, {why}"
            self.unchanged.problem(what, BY_THE_ORIGINAL, cells[1], cells[1].text)

    def _gone(self) -> list[str]:
        """Return what to say of the rows that open items and dimensions, where some are gone."""
        opening = {same_text_form(OPENING + key): f"dimension {shown(key)}" for key in self.unchanged.dimensions}
        opening |= {code: f"item {code}" for code in self.unchanged.assigned}
        gone = [name for key, name in opening.items() if key not in self.opened]
        if not gone:
            return []
        more = f" and {len(gone) - MOST_NAMED:,} more" if len(gone) > MOST_NAMED else ""
        listed = f"{', '.join(gone[:MOST_NAMED])}{more}"
        return [f"rows that say the question or the levels were deleted, with no answers in them (those of {listed})"]
