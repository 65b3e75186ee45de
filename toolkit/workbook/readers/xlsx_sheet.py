"""One sheet of an .xlsx file: from its XML to cells, one event at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.cells.number_formats import parse_number
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.readers.grid import COLUMNS, LAST_COLUMN, LAST_ROW, Grid, address, parse_range, position
from toolkit.workbook.readers.markup import DEEPEST, MOST_ATTRIBUTES, abnormal
from toolkit.workbook.readers.numbers import iso_cell, number_cell
from toolkit.workbook.readers.raw import ERROR_VALUE, FORMULA, Cell, struck_out
from toolkit.workbook.readers.styles import Style
from toolkit.workbook.readers.xlsx_strings import NAMESPACES, Strings, is_on

_ROW, _CELL, _VALUE, _FORMULA, _TEXT, _DATA, _MERGE, _PHONETIC, _INLINE, _SHEET, _RUN, _STRIKE = range(1, 13)
_LOCAL = {"row": _ROW, "c": _CELL, "v": _VALUE, "f": _FORMULA, "t": _TEXT, "sheetData": _DATA, "mergeCell": _MERGE}
_LOCAL |= {"rPh": _PHONETIC, "is": _INLINE, "worksheet": _SHEET, "r": _RUN, "strike": _STRIKE}
KINDS: Final = {f"{space} {local}": kind for space in NAMESPACES for local, kind in _LOCAL.items()}
# worksheet 1, sheetData 2, row 3, c 4, v 5
_CELL_DEPTH, _PART_DEPTH = 4, 5


class SheetHandler:
    """Takes the events of a sheet; afterwards its grid holds what it says."""

    def __init__(self, grid: Grid, strings: Strings, styles: Sequence[Style], from_1904: bool, budget: Budget):
        self.depth = self.count = 0
        self.grid = grid
        self._strings, self._struck, self._from_1904 = strings.found, strings.struck, from_1904
        self._styles = {str(place): style for place, style in enumerate(styles)}
        self._any_odd = any(style.odd for style in styles)
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
        # whether what is read now is struck out, and whether anything in the cell is
        self._run_struck = self._partly_struck = False

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

    def _style(self) -> Style | None:
        stated = self._attributes.get("s", "0")
        return self._styles.get(stated) or self._styles.get(str(parse_number(stated)))

    def _start_part(self, kind: int, attributes: dict[str, str]) -> None:
        if kind == _PHONETIC:
            self._phonetic = self._phonetic or self.depth
        elif kind == _TEXT and self._inline is not None and not self._phonetic:
            self._pieces = self._inline
        elif kind == _RUN:
            self._run_struck = False
        elif kind == _STRIKE:
            self._run_struck = is_on(attributes)
        elif kind in (_VALUE, _INLINE, _FORMULA):
            if self.depth != _PART_DEPTH:
                raise self._misplaced()
            if (kind == _VALUE and self._value) or (kind == _INLINE and self._inline is not None):
                raise self.grid.stored_twice(self._row, self._column)
            if kind == _VALUE:
                self._value = self._pieces = []
            elif kind == _INLINE:
                self._inline, self._run_struck = [], False
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
            if self._run_struck and data.strip():
                self._partly_struck = True

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
        cell = None if blank else self._cell()
        if cell is not None and (self._partly_struck or self._any_odd):
            cell = self._as_seen(cell)
        self.grid.put(self._row, self._column, cell)

    def _as_seen(self, cell: Cell) -> Cell:
        if self._partly_struck:
            cell, self._partly_struck = struck_out(cell), False
        style = self._style()
        return style.on(cell) if style is not None and style.odd else cell

    def _cell(self) -> Cell | None:
        place, kind = self._place, self._attributes.get("t", "n")
        value, inline = "".join(self._value or ()), self._inline
        if self._formula is not None:
            text = "".join(self._formula)
            shown = unescape(self._strings[self._text_place(value)] if kind == "s" else value) or None
            # the others of a shared formula have no text of their own
            return Cell(place, f"={text}", FORMULA, shown) if text else Cell(place, shown, FORMULA)
        if (inline is not None) != (kind == "inlineStr") or (inline is not None and value):
            raise self._unknown("a text and a value at once")
        if inline is not None:
            return _text_cell(place, "".join(inline))
        if kind == "s":
            number = self._text_place(value)
            if number in self._struck:
                self._partly_struck = True
            return _text_cell(place, self._strings[number])
        if kind == "str":
            return _text_cell(place, value)
        if not value.strip():
            return None
        if kind == "n":
            if (style := self._style()) is None:
                # without its format nobody knows whether a number is a score, a date or a percentage
                raise self._unknown(f"a number format that is not there ({self._attributes['s'][:20]})")
            return number_cell(place, parse_number(value), style.format, from_1904=self._from_1904, raw=value)
        if kind == "b":
            if (word := value.strip().casefold()) not in ("0", "1", "true", "false"):
                raise self._unknown(f"a true/false value {value[:20]!r}")
            return Cell(place, word in ("1", "true"))
        if kind == "e":
            return Cell(place, value, ERROR_VALUE)
        if kind == "d":
            return iso_cell(place, value)
        raise self._unknown(f"a value of an unknown kind ({kind[:20]!r})")

    def _text_place(self, value: str) -> int:
        place = parse_number(value)
        if not isinstance(place, int) or not 0 <= place < len(self._strings):
            raise self._unknown(f"a text that is not there (number {value[:20]})")
        return place

    def _unknown(self, what: str) -> Refused:
        what = f"is damaged: the cell refers to {what}"
        return Refused(what, SAVE_AGAIN, sheet=self.grid.title, cell=self._place)


def _text_cell(place: str, stored: str) -> Cell | None:
    if "_x" not in stored:
        return Cell(place, stored) if stored else None
    text = unescape(stored)
    return Cell(place, text, stored=None if text == stored else stored)


class CommentHandler:
    """Takes the events of a part with comments, and tells the grid where they are."""

    def __init__(self, grid: Grid):
        self.depth = self.count = 0
        self._grid = grid

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `markup.Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        if name.endswith((" comment", " threadedComment")) and (place := position(attributes.get("ref", ""))):
            self._grid.comments.add(place)

    def text(self, data: str) -> None:
        """See `markup.Handler`."""

    def end(self, name: str) -> None:
        """See `markup.Handler`."""
        self.depth -= 1
