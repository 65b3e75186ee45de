"""One sheet of an .xlsx file: from its XML to cells, one event at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.readers.grid import COLUMNS, LAST_COLUMN, LAST_ROW, Grid, address, parse_range, position
from toolkit.workbook.readers.markup import DEEPEST, MOST_ATTRIBUTES, abnormal
from toolkit.workbook.readers.number_formats import GENERAL, NumberFormat, iso_cell, number_cell, parse_number
from toolkit.workbook.readers.raw import ERROR_VALUE, FORMULA, Cell

# The two names of the same vocabulary: what Excel writes, and what it writes as "Strict Open XML".
NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
_ROW, _CELL, _VALUE, _FORMULA, _TEXT, _DATA, _MERGE, _PHONETIC, _INLINE, _SHEET = range(1, 11)
_LOCAL = {"row": _ROW, "c": _CELL, "v": _VALUE, "f": _FORMULA, "t": _TEXT, "sheetData": _DATA, "mergeCell": _MERGE}
_LOCAL |= {"rPh": _PHONETIC, "is": _INLINE, "worksheet": _SHEET}
KINDS: Final = {f"{space} {local}": kind for space in NAMESPACES for local, kind in _LOCAL.items()}
# worksheet 1, sheetData 2, row 3, c 4, v 5
_CELL_DEPTH, _PART_DEPTH = 4, 5


class SheetHandler:
    """Takes the events of a sheet; afterwards `grid` holds what it says."""

    def __init__(
        self, title: str, strings: Sequence[str], styles: Sequence[NumberFormat], from_1904: bool, budget: Budget
    ):
        self.depth = self.count = 0
        self.grid = Grid(title, budget)
        self._strings, self._from_1904 = strings, from_1904
        self._styles = {str(place): style for place, style in enumerate(styles)}
        self._budget, self._longest = budget, budget.limits.cell_characters
        self._row = self._column = 0
        self._place = self._stated_row = ""
        self._in_data = self._in_cell = False
        self._phonetic = 0
        # Of the cell at hand: its attributes, and the text of its parts as far as it has them. `_pieces` takes the text
        # that is read now.
        self._attributes: dict[str, str] = {}
        self._pieces: list[str] | None = None
        self._length = 0
        self._value: list[str] | None = None
        self._inline: list[str] | None = None
        self._formula: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `markup.Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        kind = KINDS.get(name)
        if kind is None:
            if self.depth == 1:
                raise Refused("is damaged: a sheet holds something else", SAVE_AGAIN, sheet=self.grid.title)
            return
        if kind in (_CELL, _ROW):
            # outside the data, in an extension, a program may keep whatever it likes
            if self._in_data:
                if self.depth != (_CELL_DEPTH if kind == _CELL else _CELL_DEPTH - 1):
                    raise self._misplaced()
                (self._start_cell if kind == _CELL else self._start_row)(attributes)
        elif self._in_cell:
            self._start_part(kind, attributes)
        elif kind == _DATA:
            self._in_data = self.depth == _CELL_DEPTH - 2
        elif kind == _MERGE:
            self._merge(attributes)

    def _start_row(self, attributes: dict[str, str]) -> None:
        stated = attributes.get("r")
        row = self._row + 1 if stated is None else parse_number(stated)
        if not isinstance(row, int) or not 1 <= row <= LAST_ROW:
            raise Refused("is damaged: a row has an impossible number", SAVE_AGAIN, sheet=self.grid.title, value=stated)
        self._row, self._column, self._stated_row = row, 0, "" if stated is None else str(row)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        stated = attributes.get("r")
        if stated is None:
            self._column += 1
            if self._column > LAST_COLUMN:
                raise Refused("is damaged: a row has too many cells", SAVE_AGAIN, sheet=self.grid.title)
            self._place = address(self._row, self._column)
        elif (
            self._stated_row
            and stated.endswith(self._stated_row)
            and (column := COLUMNS.get(stated[: -len(self._stated_row)]))
        ):
            self._column, self._place = column, stated
        else:
            self._column, self._place = self._unusual_place(stated)
        self._in_cell, self._attributes = True, attributes
        self._value = self._inline = self._formula = None
        self._length = 0

    def _unusual_place(self, stated: str) -> tuple[int, str]:
        place = position(stated)
        if place is None:
            what = "is damaged: a cell has an impossible address"
            raise Refused(what, SAVE_AGAIN, sheet=self.grid.title, value=stated)
        if self._stated_row and place[0] != self._row:
            what = f"is damaged: row {self._row} holds a cell of another row"
            raise Refused(what, SAVE_AGAIN, sheet=self.grid.title, cell=stated)
        self._row = place[0]
        return place[1], address(*place)

    def _style(self) -> NumberFormat:
        stated = self._attributes.get("s")
        if stated is None:
            return GENERAL
        style = self._styles.get(stated) or self._styles.get(str(parse_number(stated)))
        if style is None:
            # without its format nobody knows whether a number is a score, a date or a percentage
            raise self._unknown(f"a number format that is not there ({stated[:20]})")
        return style

    def _start_part(self, kind: int, attributes: dict[str, str]) -> None:
        if kind == _PHONETIC:
            self._phonetic = self._phonetic or self.depth
        elif kind == _TEXT and self._inline is not None and not self._phonetic:
            self._pieces = self._inline
        elif kind in (_VALUE, _INLINE, _FORMULA):
            if self.depth != _PART_DEPTH:
                raise self._misplaced()
            if (kind == _VALUE and self._value) or (kind == _INLINE and self._inline is not None):
                raise self.grid.stored_twice(self._row, self._column)
            if kind == _VALUE:
                self._value = self._pieces = []
            elif kind == _INLINE:
                self._inline = []
            else:
                self._formula = self._pieces = []
                if attributes.get("t") in ("array", "dataTable") and (area := parse_range(attributes.get("ref", ""))):
                    self.grid.array_formula(area)

    def _misplaced(self) -> Refused:
        place = self._place if self._in_cell else None
        return Refused("is damaged: its cells are nested wrongly", SAVE_AGAIN, sheet=self.grid.title, cell=place)

    def _merge(self, attributes: dict[str, str]) -> None:
        area = parse_range(attributes.get("ref", ""))
        if area is None:
            what = "is damaged: a merged range has an impossible address"
            raise Refused(what, SAVE_AGAIN, sheet=self.grid.title, value=attributes.get("ref"))
        self.grid.merge(area)

    def text(self, data: str) -> None:
        """See `markup.Handler`."""
        if self._pieces is not None:
            self._length += len(data)
            if self._length > self._longest:
                raise self._budget.long_cell()
            self._pieces.append(data)

    def end(self, name: str) -> None:
        """See `markup.Handler`."""
        if self._in_cell:
            self._pieces = None
            if self.depth == _CELL_DEPTH:
                self._in_cell, self._phonetic = False, 0
                self._finish_cell()
            elif self.depth == self._phonetic:
                self._phonetic = 0
        elif self.depth == _CELL_DEPTH - 2:
            self._in_data = False
        self.depth -= 1

    def _finish_cell(self) -> None:
        blank = not self._value and self._inline is None and self._formula is None
        self.grid.put(self._row, self._column, None if blank else self._cell())

    def _cell(self) -> Cell | None:
        place, kind = self._place, self._attributes.get("t", "n")
        value, inline = "".join(self._value or ()), self._inline
        if self._formula is not None:
            text = "".join(self._formula)
            shown = unescape(self._string(value) if kind == "s" else value) or None
            # the others of a shared formula have no text of their own
            return Cell(place, f"={text}", FORMULA, shown) if text else Cell(place, shown, FORMULA)
        if (inline is not None) != (kind == "inlineStr") or (inline is not None and value):
            raise self._unknown("a text and a value at once")
        if inline is not None:
            return _text_cell(place, "".join(inline))
        if kind == "s":
            return _text_cell(place, self._string(value))
        if kind == "str":
            return _text_cell(place, value)
        if not value.strip():
            return None
        if kind == "n":
            number = parse_number(value)
            return number_cell(place, number, self._style(), from_1904=self._from_1904, raw=value)
        if kind == "b":
            if (word := value.strip().casefold()) not in ("0", "1", "true", "false"):
                raise self._unknown(f"a true/false value {value[:20]!r}")
            return Cell(place, word in ("1", "true"))
        if kind == "e":
            return Cell(place, value, ERROR_VALUE)
        if kind == "d":
            return iso_cell(place, value)
        raise self._unknown(f"a value of an unknown kind ({kind[:20]!r})")

    def _string(self, value: str) -> str:
        index = parse_number(value)
        if not isinstance(index, int) or not 0 <= index < len(self._strings):
            raise self._unknown(f"a text that is not there (number {value[:20]})")
        return self._strings[index]

    def _unknown(self, what: str) -> Refused:
        what = f"is damaged: the cell refers to {what}"
        return Refused(what, SAVE_AGAIN, sheet=self.grid.title, cell=self._place)


def _text_cell(place: str, stored: str) -> Cell | None:
    if "_x" not in stored:
        return Cell(place, stored) if stored else None
    text = unescape(stored)
    return Cell(place, text, stored=None if text == stored else stored)
