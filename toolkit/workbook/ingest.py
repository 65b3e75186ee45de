"""From files that came back to annotations: by machine keys and codes, never by position, title or file name.

Nothing is guessed and nothing is dropped silently: a score is certain, or it is a problem that names its cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from toolkit.errors import Problem, shown
from toolkit.files import sha256
from toolkit.model import Annotation
from toolkit.study import Study
from toolkit.texts import plain_key
from toolkit.values import Repair
from toolkit.workbook.copied import look_at_copies
from toolkit.workbook.entries import Entries, closing_answers
from toolkit.workbook.hints import commented, misnamed, quoting, shared
from toolkit.workbook.key_row import REQUIRED_KEYS, almost_key_rows, key_row, key_row_again, sheets_with_codes
from toolkit.workbook.keyed import titled
from toolkit.workbook.layout import ANSWER_KEYS, HEADER_PART, LAYOUT_VERSION, PRACTICE, TIME_KEYS
from toolkit.workbook.readers.grid import address
from toolkit.workbook.readers.raw import Cell, RawBook, RawSheet
from toolkit.workbook.second_file import Back, compare
from toolkit.workbook.tabs import by_annotator, named_elsewhere
from toolkit.workbook.unchanged import ASK_AGAIN, Unchanged
from toolkit.workbook.unchanged_rows import TEXT_PART, look_at_rows
from toolkit.workbook.unchanged_sheets import look_at_sheets

# Rows with codes that are taken for each row that was sent, and besides: copies are told one by one up to here.
ROWS_FOR_ONE, ROWS_TO_SPARE = 10, 10_000
# Of one file; what is wrong in so many places is one fault, such as a column filled down to the last row.
MOST_PROBLEMS = 1_000
# Of the items in which two copies of a column differ, so many are named.
MOST_DIFFERING = 5


@dataclass
class Returned:
    """Everything that came back, with all problems of all files together.

    Attributes:
        annotations: For each annotator who returned something, the annotation of each item by its code.
        files: File name and SHA-256 of what was read, by annotator.
        closing: Answers to the closing questions that were given, by annotator and machine key.
        repairs: Values that were not plain, and how they were read.
        warnings: What was noticed and does not stand in the way.
        problems: What does.
    """

    annotations: dict[str, dict[str, Annotation]] = field(default_factory=dict)
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    closing: dict[str, dict[str, str]] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def ingest(books: Iterable[RawBook], study: Study, returned: Returned | None = None) -> Returned:
    """Return what the annotators of a study entered.

    Args:
        books: The files that came back, as read.
        study: The study they should belong to.
        returned: What came back before, to which these are added.
    """
    returned = Returned() if returned is None else returned
    for whole in books:
        parts = by_annotator(whole)
        returned.warnings += shared(whole.source.name, len(parts), study)
        returned.warnings += commented(whole)
        for book in parts:
            _take(book, study, returned, alone=len(parts) == 1)
    return returned


def _take(book: RawBook, study: Study, returned: Returned, *, alone: bool) -> None:
    """Add what is in one annotator's book; `alone` says that the file holds nobody else's."""
    file = _File(book, study, returned)
    annotations = file.read()
    if file.annotator is None or annotations is None:
        return
    name, answers = book.source.name, closing_answers(book)
    if alone:
        returned.warnings += misnamed(name, file.annotator, study)
    previous = returned.annotations.get(file.annotator)
    if previous is not None:
        first = Back(returned.files[file.annotator][0], previous, returned.closing.get(file.annotator, {}))
        instead, said = compare(file.annotator, first, Back(name, annotations, answers))
        if isinstance(said, Problem):
            returned.problems.append(said)
        else:
            returned.warnings.append(said)
        if not instead:
            return
    returned.annotations[file.annotator] = annotations
    returned.files[file.annotator] = (name, sha256(book.source.data))
    returned.repairs = [repair for repair in returned.repairs if repair.annotator != file.annotator]
    returned.repairs += file.repairs
    returned.warnings += [f"{shown(name)}: {note}" for note in (*book.notes, *file.notes)]
    if previous is None:
        returned.warnings += quoting(study, annotations)
    if answers:
        returned.closing[file.annotator] = answers


def holds_answers(book: RawBook) -> bool:
    """Return whether anything is entered in the answer cells of an annotation workbook, whosever it is."""
    for sheet in book.sheets:
        if (found := key_row(sheet)) is not None:
            number, keys = found
            codes, answers = keys["item_code"], [column for key in ANSWER_KEYS for column in keys[key]]
            for row, cells in sheet.rows():
                coded = any(column in cells and not cells[column].blank for column in codes)
                header = any(cells.get(column, Cell("")).text == HEADER_PART for column in keys["part"])
                filled = any(column in cells and not cells[column].blank for column in answers)
                if row != number and coded and not header and filled:
                    return True
    return False


class _Row(dict[str, Cell]):
    """A row's cells by machine key; one that is not there is blank."""

    __slots__ = ("_columns", "_number")

    def __init__(self, number: int, cells: Mapping[int, Cell], columns: Mapping[str, int]):
        super().__init__((key, cells[place]) for key, place in columns.items() if place in cells)
        self._number, self._columns = number, columns

    def __missing__(self, key: str) -> Cell:
        return Cell(address(self._number, self._columns[key]))


class _File:
    """One file being read."""

    def __init__(self, book: RawBook, study: Study, returned: Returned):
        self.book, self.study, self.returned = book, study, returned
        self.annotator: str | None = None
        self.repairs: Sequence[Repair] = ()
        self.notes: list[str] = []
        self.sheet: RawSheet | None = None
        self._told = 0

    def problem(
        self, what: str, fix: str, cell: Cell | None = None, value: object = None, sheet: RawSheet | None = None
    ) -> None:
        """Note a problem at a cell, of the annotation sheet unless another is named."""
        where = sheet or self.sheet
        found = Problem(
            what, fix, self.book.source.name, where.title if where else None, cell.address if cell else None, value
        )
        if sheet is not None and found in self.returned.problems:
            return  # told already with another annotator, who has the same sheet
        self._told += 1
        if self._told <= MOST_PROBLEMS:
            self.returned.problems.append(found)

    def read(self) -> dict[str, Annotation] | None:
        """Return the annotations by item code, or None when this is no workbook of the study."""
        found = [(sheet, row) for sheet in self.book.sheets if (row := key_row(sheet)) is not None]
        if not found:
            self._tell_what_is_missing()
            return None
        if len(found) > 1:
            titles = titled(sheet for sheet, _row in found)
            self.problem(f"holds {len(found)} annotation sheets: {titles}", "delete the one that does not count")
            return None
        self.sheet, (key_place, keys) = found[0]
        if not self._readable_layout() or not self._one_of_its_kind(key_place):
            return None
        doubled = [key for key, columns in keys.items() if len(columns) > 1 and key in REQUIRED_KEYS]
        for key in doubled:
            first, second = (self.sheet.cells[key_place, column] for column in keys[key][:2])
            differing = self._differing({name: places[0] for name, places in keys.items()}, *keys[key][:2])
            self.problem(
                f"the column {key!r} is there twice, in {first.address} and {second.address}{differing}",
                "delete the copy that does not count",
                second,
            )
        if doubled:
            return None
        columns = {key: places[0] for key, places in keys.items()}
        ours = {columns["part"], columns["item_code"]}
        most = ROWS_TO_SPARE + ROWS_FOR_ONE * sum(len(item.hashes) for item in self.study.items)
        count = sum(bool(ours & cells.keys()) for _number, cells in self.sheet.rows())
        if count > most:
            what = f"holds {count:,} rows with codes, many times as many as were sent"
            self.problem(what, "copy the answers into a fresh workbook from send/, or delete what was added")
            return None
        rows = [
            _Row(number, cells, columns)
            for number, cells in self.sheet.rows()
            if number != key_place and ours & cells.keys()
        ]
        # of others there may be a million, which are never in memory together
        others = (
            _Row(number, cells, columns)
            for number, cells in self.sheet.rows()
            if number != key_place and not ours & cells.keys()
        )
        annotations = self._rows(rows, others, columns)
        if self._told > MOST_PROBLEMS:
            what = f"has {self._told - MOST_PROBLEMS:,} more problems, which are not listed"
            self.returned.problems.append(Problem(what, "solve those above first", self.book.source.name))
        if annotations is not None:
            known = {place for places in keys.values() for place in places}
            self._look_beside(known, columns, key_place)
            copies = [one for one in sheets_with_codes(self.book, self.study.by_code) if one is not self.sheet]
            self.notes += look_at_copies(self._entries(), copies, columns, annotations)
        return annotations

    def _tell_what_is_missing(self) -> None:
        """Say why there is no annotation sheet; of one that lost a column, which."""
        nearest = max(
            (
                (len(keys), sheet, row, REQUIRED_KEYS - keys)
                for sheet in self.book.sheets
                for row, keys in almost_key_rows(sheet)
            ),
            key=lambda near: near[0],
            default=None,
        )
        if nearest is None:
            self.problem(
                "holds no annotation sheet: no row has the hidden keys (study, annotator, item_code, score...)",
                "send back the whole workbook, or for CSV the annotation sheet with its hidden first row",
            )
            return
        _count, self.sheet, row, missing = nearest
        self.problem(
            f"lacks the column {', '.join(sorted(missing))}: its hidden key in row {row} is gone, or the whole column",
            "copy the answers into a fresh workbook from send/, or undo what took it away",
        )

    def _differing(self, columns: Mapping[str, int], one: int, two: int) -> str:
        """Return in words the items for which two columns of one key say different things; empty without any."""
        assert self.sheet is not None
        found = [
            f"{shown(cells[columns['item_code']].text)}: {shown(cells[one].text)} vs {shown(cells[two].text)}"
            for _number, cells in self.sheet.rows()
            if all(column in cells and not cells[column].blank for column in (columns["item_code"], one, two))
            and cells.get(columns["part"], Cell("")).code != HEADER_PART
            and cells[one].text.strip() != cells[two].text.strip()
        ]
        more = f"; and {len(found) - MOST_DIFFERING:,} more" if len(found) > MOST_DIFFERING else ""
        return f"; they differ ({'; '.join(found[:MOST_DIFFERING])}{more})" if found else ""

    def _readable_layout(self) -> bool:
        """Return whether the workbook, where it says so, is of the layout that is read here."""
        told = {self.book.properties.get("layout", "").strip()}
        for sheet in self.book.sheets:
            if sheet is not self.sheet:
                keys = [place for place, cell in sheet.cells.items() if cell.value == "layout"]
                told |= {sheet.cells.get((row, column + 1), Cell("")).text.strip() for row, column in keys}
        others = [int(version) for version in told if version.isdecimal() and int(version) != LAYOUT_VERSION]
        if others and others[0] > LAYOUT_VERSION:
            self.problem("was made by a newer toolkit, whose layout this one does not know", "update the toolkit")
        elif others:
            self.problem(
                "was made by an older toolkit, whose layout is read no longer",
                "read it with the toolkit that made the study, or copy the answers into a fresh workbook",
            )
        return not others

    def _one_of_its_kind(self, key_place: int) -> bool:
        """Return whether it is certain that the annotator filled in this sheet and no other, noting why not."""
        assert self.sheet is not None
        if (again := key_row_again(self.sheet, key_place)) is not None:
            self.problem(
                f"the row of keys is there twice, in row {key_place} and below: two sheets, or two files, were put one "
                "below the other",
                "send each as a file of its own, and of one that is there twice only one",
                again,
            )
            return False
        if not self.sheet.hidden:
            return True
        copies = [sheet for sheet in sheets_with_codes(self.book, self.study.by_code) if not sheet.hidden]
        if copies:
            self.problem(
                f"the annotation sheet is hidden, and the same items are in view in {titled(copies)}, which lacks the "
                "hidden keys; nobody can say which of them the annotator filled in",
                "delete the one that does not count; answers that are only in the copy go into the annotation sheet",
            )
        else:
            self.notes.append(f"its annotation sheet {shown(self.sheet.title, 40)!r} is hidden; what is in it counts")
        return not copies

    def _look_beside(self, known: set[int], columns: dict[str, int], key_place: int) -> None:
        """Say what was written beside the columns of the workbook, which is not read."""
        assert self.sheet is not None
        lines = (cells for number, cells in self.sheet.rows() if number != key_place)
        titles: dict[str, int] = {}
        beside: list[Cell] = []
        for cells in lines:
            found = {place: cell for place, cell in cells.items()
                     if place not in known and not cell.blank and not cell.merged}  # fmt: skip
            if cells.get(columns["part"], Cell("")).code == HEADER_PART:
                titles = {plain_key(cells[columns[key]].text): columns[key] for key in ANSWER_KEYS
                          if columns[key] in cells}  # fmt: skip
                copies = {place: cell for place, cell in found.items() if plain_key(cell.text) in titles}
                for place, cell in copies.items():
                    first = titles[plain_key(cell.text)]
                    self.problem(
                        f"the column is there twice, here and in {cells[first].address}"
                        f"{self._differing(columns, first, place)}",
                        "delete the one that does not count",
                        cell,
                        cell.text,
                    )
                if copies:
                    return
            beside += found.values()
        if beside:
            places = ", ".join(cell.address for cell in beside[:5]) + (", ..." if len(beside) > 5 else "")
            self.notes.append(f"what is written beside the table is not read ({places})")

    def _rows(
        self, rows: Sequence[_Row], others: Iterable[_Row], columns: Mapping[str, int]
    ) -> dict[str, Annotation] | None:
        coded = [row for row in rows if not row["item_code"].blank and row["part"].code != HEADER_PART]
        answers = [row for row in coded if not row["item_code"].text.startswith(PRACTICE)]
        # the code of a practice item is not shown, so a CSV of what is shown has none
        uncoded = [row for row in rows if row["item_code"].blank and not row["part"].code.startswith(PRACTICE)]
        if not self._belongs(answers):
            return None
        self._look_at_locked(rows, columns)
        strays = [cell for row in chain(uncoded, others) if (cell := self._check_stray(row)) is not None]
        if strays:
            place = f"{shown(self.book.source.name)} > {strays[0].address}"
            more = f", and {len(strays) - 1:,} more such rows follow" if len(strays) > 1 else ""
            self.returned.warnings.append(
                f"{place}: a row that belongs to no item says {shown(strays[0].text)!r}{more}"
            )
        return self._answers(answers)

    def _belongs(self, answers: Sequence[_Row]) -> bool:
        """Return whether this is one annotator's workbook of this study, noting why not."""
        studies = Counter(row["study"].code for row in answers)
        foreign = [study for study in studies if study not in ("", self.study.study_id)]
        if foreign:
            row = next(row for row in answers if row["study"].code == foreign[0])
            self.problem(
                f"belongs to another study (this one is {self.study.study_id})",
                "send the workbook of this study, or name the folder of the other study",
                row["study"],
                foreign[0],
            )
            return False
        names = Counter(row["annotator"].code for row in answers if not row["annotator"].blank)
        if not names or not studies[self.study.study_id]:
            self.problem(
                "says nowhere whose it is: the hidden columns study and annotator are empty",
                "copy the answers into a fresh workbook from send/",
            )
            return False
        if len(names) > 1:
            told = ", ".join(f"{shown(name)} ({count} rows)" for name, count in names.most_common())
            self.problem(f"holds rows of several annotators: {told}", "send one workbook for each annotator")
            return False
        name = next(iter(names))
        known = {plain_key(known): known for known in self.study.names}
        self.annotator = known.get(plain_key(name))
        if self.annotator is None:
            self.problem(
                "is from somebody who is not in the study",
                f"its annotators are {', '.join(map(shown, self.study.names))}",
                value=name,
            )
            return False
        made_for = named_elsewhere(self.book, self.study.names)
        if made_for and self.annotator not in made_for:
            whose = ", ".join(map(shown, sorted(made_for)))
            self.problem(
                f"was made for {whose}, and says {shown(self.annotator)} in the hidden column annotator, so nobody "
                "knows whose answers these are",
                "ask who filled it in, and copy the answers into a fresh workbook of theirs from send/",
                next(row["annotator"] for row in answers if not row["annotator"].blank),
                name,
            )
            return False
        for row in answers:
            for key in ("study", "annotator"):
                if row[key].blank:
                    self.problem(f"the hidden cell {key!r} was emptied", f"{ASK_AGAIN} do so", row["item_code"])
        return True

    def _look_at_locked(self, rows: Sequence[_Row], columns: Mapping[str, int]) -> None:
        """Compare all that is locked with what was sent."""
        unchanged = Unchanged(self.study, self.annotator or "", self.book.lossy, self.problem)
        self.notes += look_at_rows(unchanged, rows, columns)
        self.notes += look_at_sheets(unchanged, (sheet for sheet in self.book.sheets if sheet is not self.sheet))
        self.notes += unchanged.notes()

    def _check_stray(self, row: _Row) -> Cell | None:
        """Refuse answers where nothing is asked, and return what is written in a row that is none of ours."""
        # the level descriptions are merged over the answer columns of the rows above
        written = {key: cell for key, cell in row.items() if not cell.blank and not cell.merged}
        answers = [key for key in ANSWER_KEYS + TIME_KEYS if key in written]
        for key in answers:
            cell = written[key]
            self.problem(
                f"something is written in the column {key!r} of a row that asks for nothing",
                "move it to the yellow cells of its item, or delete it",
                cell,
                cell.text or cell.trouble,
            )
        if row["part"].blank and written and not answers:
            cell = next(iter(written.values()))
            # some programs write sep=; above a CSV
            return None if plain_key(cell.text).rstrip(";,") == "sep=" else cell
        return None

    def _entries(self) -> Entries:
        assert self.sheet is not None
        return Entries(self.study, self.annotator or "", self.book.source.name, self.sheet, self.problem)

    def _answers(self, answers: Sequence[_Row]) -> dict[str, Annotation]:
        annotator, entries = self.annotator or "", self._entries()
        self.repairs = entries.repairs
        assigned = dict.fromkeys(self.study.assignments.get(annotator, ()))
        found: dict[str, Annotation] = {}
        for row in answers:
            cell = row["item_code"]
            code = cell.code
            if code not in assigned and code in self.study.by_code:
                self.problem(
                    f"item {code} is not one of those that {shown(annotator)} was to score",
                    "delete the row; it was copied from somebody else's workbook",
                    cell,
                    cell.text,
                )
            elif code not in assigned:
                self.problem(
                    "no item of this annotator has this code", f"{ASK_AGAIN} correct the code", cell, cell.text
                )
            elif code in found:
                self.problem(
                    f"item {code} is there twice (also at {found[code].place})", "delete the row that is a copy", cell
                )
            elif (part := TEXT_PART.fullmatch(row["part"].code)) is None or part["code"] != code:
                self.problem(
                    f"the code of item {code} stands in a row that does not belong to it, so nobody knows whose the "
                    "answers beside it are (a part of the sheet was sorted or moved without the rest)",
                    "copy the answers into a fresh workbook from send/, or ask the annotator to",
                    cell,
                    row["part"].text or None,
                )
                found[code] = Annotation(annotator=annotator, item_code=code, place=entries.place(cell))
            else:
                found[code] = entries.annotation(code, row)
        absent = [code for code in assigned if code not in found]
        if absent:
            listed = ", ".join(absent[:10]) + (f" and {len(absent) - 10} more" if len(absent) > 10 else "")
            self.problem(f"{len(absent)} items are missing: {listed}", f"{ASK_AGAIN} restore the rows")
        return found
