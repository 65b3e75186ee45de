"""One sheet of an .xlsx file: from its XML to cells, one event at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.readers.grid import LAST_COLUMN, LAST_ROW, Grid, address, parse_range, position
from toolkit.workbook.readers.markup import DEEPEST, too_deep
from toolkit.workbook.readers.number_formats import GENERAL, NumberFormat, iso_cell, number_cell, parse_number
from toolkit.workbook.readers.raw import ERROR_VALUE, FORMULA, Cell

# The two names of the same vocabulary: what Excel writes, and what it writes as "Strict Open XML".
NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
_ROW, _CELL, _VALUE, _FORMULA, _TEXT, _DATA, _MERGE, _PHONETIC, _INLINE = range(1, 10)
_LOCAL = {"row": _ROW, "c": _CELL, "v": _VALUE, "f": _FORMULA, "t": _TEXT, "sheetData": _DATA, "mergeCell": _MERGE}
_LOCAL |= {"rPh": _PHONETIC, "is": _INLINE}
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
        self._title, self._strings, self._styles, self._from_1904 = title, strings, styles, from_1904
        self._budget, self._longest = budget, budget.limits.cell_characters
        self._row = self._column = 0
        self._row_is_stated = False
        self._in_data = self._in_cell = False
        self._phonetic = 0
        # Of the cell at hand: its attributes, and the text of its parts. `_pieces` takes the text that is read now.
        self._type, self._style = "n", GENERAL
        self._pieces: list[str] | None = None
        self._length = 0
        self._value: list[str] = []
        self._inline: list[str] = []
        self._formula: list[str] | None = None
        self._has_inline = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `markup.Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST:
            raise too_deep()
        kind = KINDS.get(name)
        if kind is None:
            return
        if kind == _CELL:
            if self.depth == _CELL_DEPTH and self._in_data:
                self._start_cell(attributes)
        elif self._in_cell:
            self._start_part(kind, attributes)
        elif kind == _ROW:
            if self._in_data and self.depth == _CELL_DEPTH - 1:
                self._start_row(attributes)
        elif kind == _DATA:
            self._in_data = self.depth == _CELL_DEPTH - 2
        elif kind == _MERGE:
            self._merge(attributes)

    def _start_row(self, attributes: dict[str, str]) -> None:
        stated = attributes.get("r")
        row = self._row + 1 if stated is None else parse_number(stated)
        if not isinstance(row, int) or not 1 <= row <= LAST_ROW:
            raise Refused("is damaged: a row has an impossible number", SAVE_AGAIN, sheet=self._title, value=stated)
        self._row, self._column, self._row_is_stated = row, 0, stated is not None

    def _start_cell(self, attributes: dict[str, str]) -> None:
        stated = attributes.get("r")
        if stated is None:
            self._row, self._column = max(self._row, 1), self._column + 1
        else:
            place = position(stated)
            if place is None:
                what = "is damaged: a cell has an impossible address"
                raise Refused(what, SAVE_AGAIN, sheet=self._title, value=stated)
            if self._row_is_stated and place[0] != self._row:
                what = f"is damaged: row {self._row} holds a cell of another row"
                raise Refused(what, SAVE_AGAIN, sheet=self._title, cell=stated)
            self._row, self._column = place
        if self._column > LAST_COLUMN:
            raise Refused("is damaged: a row has too many cells", SAVE_AGAIN, sheet=self._title)
        self._in_cell = True
        self._type = attributes.get("t", "n")
        style = attributes.get("s")
        self._style = GENERAL if style is None else self._style_at(style)
        self._value, self._inline, self._formula, self._length = [], [], None, 0
        self._has_inline = False

    def _style_at(self, style: str) -> NumberFormat:
        try:
            index = int(style)
        except ValueError:
            index = -1
        if not 0 <= index < len(self._styles):
            # without its format nobody knows whether a number is a score, a date or a percentage
            what = f"is damaged: a cell refers to a style that is not there ({style[:20]})"
            raise Refused(what, SAVE_AGAIN, sheet=self._title, cell=address(self._row, self._column))
        return self._styles[index]

    def _start_part(self, kind: int, attributes: dict[str, str]) -> None:
        if kind == _PHONETIC:
            self._phonetic = self._phonetic or self.depth
        elif kind == _TEXT and self._has_inline and not self._phonetic:
            self._pieces = self._inline
        elif self.depth == _PART_DEPTH:
            if (kind == _VALUE and self._value) or (kind == _INLINE and self._has_inline):
                raise self.grid.stored_twice(self._row, self._column)
            if kind == _VALUE:
                self._pieces = self._value
            elif kind == _INLINE:
                self._has_inline = True
            elif kind == _FORMULA:
                self._formula = self._pieces = []
                if attributes.get("t") in ("array", "dataTable") and (area := parse_range(attributes.get("ref", ""))):
                    self.grid.arrays.append(area)

    def _merge(self, attributes: dict[str, str]) -> None:
        area = parse_range(attributes.get("ref", ""))
        if area is None:
            what = "is damaged: a merged range has an impossible address"
            raise Refused(what, SAVE_AGAIN, sheet=self._title, value=attributes.get("ref"))
        self.grid.merges.append(area)

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
        row, column = self._row, self._column
        self.grid.put(row, column, self._cell(address(row, column)))

    def _cell(self, place: str) -> Cell | None:
        kind, value = self._type, "".join(self._value)
        if self._formula is not None:
            text = "".join(self._formula)
            if kind == "s":
                value = self._string(value, place)
            # the others of a shared or array formula have no text of their own
            return Cell(place, f"={text}", FORMULA, value or None) if text else Cell(place, value or None, FORMULA)
        if self._has_inline != (kind == "inlineStr") or (self._has_inline and value):
            raise self._unknown(place, "a text and a value at once")
        if kind == "s":
            return self._text_cell(place, self._string(value, place)) if value else None
        if kind == "inlineStr":
            return self._text_cell(place, unescape("".join(self._inline)))
        if kind == "str":
            return self._text_cell(place, unescape(value))
        if not value.strip():
            return None
        if kind == "n":
            number = parse_number(value)
            return number_cell(place, number, self._style, from_1904=self._from_1904, raw=value)
        if kind == "b":
            if (word := value.strip().casefold()) not in ("0", "1", "true", "false"):
                raise self._unknown(place, f"a true/false value {value[:20]!r}")
            return Cell(place, word in ("1", "true"))
        if kind == "e":
            return Cell(place, value, ERROR_VALUE)
        if kind == "d":
            return iso_cell(place, value)
        raise self._unknown(place, f"a value of an unknown kind ({kind[:20]!r})")

    @staticmethod
    def _text_cell(place: str, text: str) -> Cell | None:
        return Cell(place, text) if text else None

    def _string(self, value: str, place: str) -> str:
        index = parse_number(value)
        if not isinstance(index, int) or not 0 <= index < len(self._strings):
            raise self._unknown(place, f"a text that is not there (number {value[:20]})")
        return self._strings[index]

    def _unknown(self, place: str, what: str) -> Refused:
        return Refused(f"is damaged: the cell refers to {what}", SAVE_AGAIN, sheet=self._title, cell=place)
