"""The .xls format (Excel 97 to 2003, BIFF8): cells with their types, and formulas told from values.

The records are read here and not by xlrd, which gives a formula's result as if somebody had typed it, takes the last of
two cells with one address, and follows a hostile directory without end.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from struct import unpack_from

import olefile

from toolkit.cells.number_formats import builtin, whole
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.grid import Grid, Range, address
from toolkit.workbook.readers.numbers import number_cell
from toolkit.workbook.readers.raw import ERROR_VALUE, FORMULA, Cell, RawSheet, struck_out
from toolkit.workbook.readers.sniff import PASSWORD, require_workbook
from toolkit.workbook.readers.styles import Style
from toolkit.workbook.readers.xls_text import is_struck, runs_after, shared_strings, text_at

_BOF, _EOF, _CONTINUE, _FILEPASS, _DATEMODE = 0x0809, 0x000A, 0x003C, 0x002F, 0x0022
_BOUNDSHEET, _SST, _FORMAT, _XF, _FONT = 0x0085, 0x00FC, 0x041E, 0x00E0, 0x0031
_FORMULA, _STRING, _NUMBER, _RK, _MULRK = 0x0006, 0x0207, 0x0203, 0x027E, 0x00BD
_LABEL, _RSTRING, _LABELSST, _BOOLERR = 0x0204, 0x00D6, 0x00FD, 0x0205
_BLANK, _MULBLANK, _MERGED, _NOTE = 0x0201, 0x00BE, 0x00E5, 0x001C
_BIFF8 = 0x0600
_WORKSHEET = 0
_HIDDEN = 3  # 1 hidden, 2 hidden so that only a program brings it back
_STRIKES = 8
# The format has no fifth font: the place after the fourth is left out in counting.
_NO_FONT = 4
_ERRORS = {0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A"}

Record = tuple[int, bytes]


def read_xls(data: bytes, budget: Budget) -> tuple[RawSheet, ...]:
    """Return the sheets of a workbook. Its document properties are not read; the sheets say the same.

    Args:
        data: The file: an OLE container.
        budget: Counts what is read.

    Raises:
        Refused: When it is protected or damaged, holds too much, or is no workbook.
    """
    with olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_INCORRECT) as container:
        names = {str(path[0]) for path in container.listdir() if len(path) == 1}
        require_workbook(names)
        if "Workbook" not in names:
            raise Refused("is a workbook of Excel 95 or older", SAVE_AGAIN)
        if container.get_size("Workbook") > len(data):
            raise Refused("is incomplete: its end is missing", SAVE_AGAIN)
        stream = container.openstream("Workbook").read()
    return _Workbook(stream, budget).sheets()


def _records(stream: bytes, position: int, budget: Budget) -> Iterator[Record]:
    """Yield the records of a substream, from its BOF to its EOF, without those of charts embedded in it."""
    depth = 0
    while True:
        code, length = unpack_from("<HH", stream, position)
        body = stream[position + 4 : position + 4 + length]
        if len(body) < length:
            raise Refused("is incomplete: its end is missing", SAVE_AGAIN)
        position += 4 + length
        budget.elements(1)
        if code == _BOF:
            depth += 1
        if depth == 1:
            yield code, body
        elif depth == 0:
            raise Refused("is damaged: a sheet is not where it should be", SAVE_AGAIN)
        if code == _EOF:
            depth -= 1
            if depth == 0:
                return


class _Workbook:
    """A stream of BIFF8 records: what all sheets share, and where each begins."""

    def __init__(self, stream: bytes, budget: Budget):
        self._stream, self._budget = stream, budget
        self._title = ""
        self.from_1904 = False
        self.strings: list[str] = []
        self.styles: list[Style] = []
        self._listed: list[tuple[str, int, bool]] = []
        self._fonts: list[bool] = []  # whether each strikes out
        codes: dict[int, str] = {}
        formats: list[tuple[int, int]] = []
        sst: list[bytes] = []
        previous = 0
        for number, (code, body) in enumerate(_records(stream, 0, budget)):
            if number == 0 and unpack_from("<H", body)[0] != _BIFF8:
                raise Refused("is a workbook of Excel 95 or older", SAVE_AGAIN)
            if code == _FILEPASS:
                raise Refused(PASSWORD.what, PASSWORD.fix)
            if code == _DATEMODE:
                self.from_1904 = unpack_from("<H", body)[0] == 1
            elif code == _FORMAT:
                codes[unpack_from("<H", body)[0]] = text_at(body, 2, budget)
            elif code == _XF:
                formats.append(unpack_from("<HH", body))
            elif code == _FONT:
                self._fonts.append(bool(unpack_from("<H", body, 2)[0] & _STRIKES))
            elif code == _BOUNDSHEET:
                if body[5] == _WORKSHEET:
                    title = text_at(body, 6, budget, short=True)
                    self._listed.append((title, unpack_from("<I", body)[0], bool(body[4] & _HIDDEN)))
            elif code == _SST or (code == _CONTINUE and previous == _SST):
                sst.append(body)
                code = _SST
            previous = code
        budget.sheets(len(self._listed))
        self.styles = [Style(builtin(number, codes), self._strikes(font)) for font, number in formats]
        self._odd = {place: style for place, style in enumerate(self.styles) if style.odd}
        self.strings, self._struck = shared_strings(sst, budget, self._strikes) if sst else ([], set())

    def sheets(self) -> tuple[RawSheet, ...]:
        """Return the worksheets; charts, macros and dialogs have no cells."""
        if not self._listed:
            raise Refused("is damaged: it names no sheets", SAVE_AGAIN)
        found = []
        for title, position, hidden in self._listed:
            self._title, grid = title, Grid(title, self._budget, hidden=hidden)
            for place, record in enumerate(_with_results(_records(self._stream, position, self._budget))):
                if place:
                    self._take(grid, *record)
            found.append(grid.finish())
        return tuple(found)

    def _strikes(self, font: int) -> bool:
        place = font - (font > _NO_FONT)
        return place < len(self._fonts) and self._fonts[place]

    def _damaged(self, what: str, place: str) -> Refused:
        return Refused(f"is damaged: {what}", SAVE_AGAIN, sheet=self._title, cell=place)

    def _take(self, grid: Grid, code: int, body: bytes, result: str | None) -> None:
        """Put what a record holds into the grid."""
        if code == _MERGED:
            for place in range(unpack_from("<H", body)[0]):
                top, bottom, left, right = unpack_from("<4H", body, 2 + 8 * place)
                if top <= bottom and left <= right:
                    grid.merge(Range(top + 1, left + 1, bottom + 1, right + 1))
        elif code == _NOTE:
            row, column = unpack_from("<HH", body)
            grid.comments.add((row + 1, column + 1))
        elif code in (_MULRK, _MULBLANK):
            row, first = unpack_from("<HH", body)
            size = 6 if code == _MULRK else 2
            count = (len(body) - 6) // size
            self._budget.elements(count)
            for place in range(count):
                position = 4 + size * place
                cell = None
                if code == _MULRK:
                    style, packed = unpack_from("<HI", body, position)
                    cell = self._styled(
                        self._number(address(row + 1, first + place + 1), _unpacked(packed), style), style
                    )
                grid.put(row + 1, first + place + 1, cell)
        elif code in _CELLS:
            row, column, style = unpack_from("<3H", body)
            place_name = address(row + 1, column + 1)
            grid.put(row + 1, column + 1, self._styled(self._cell(place_name, code, body, style, result), style))

    def _styled(self, cell: Cell | None, style: int) -> Cell | None:
        odd = self._odd.get(style)
        return odd.on(cell) if odd is not None and cell is not None else cell

    def _cell(self, place: str, code: int, body: bytes, style: int, result: str | None) -> Cell | None:
        if code == _BLANK:
            return None
        if code == _NUMBER:
            return self._number(place, unpack_from("<d", body, 6)[0], style)
        if code == _RK:
            return self._number(place, _unpacked(unpack_from("<I", body, 6)[0]), style)
        if code == _LABELSST:
            index = unpack_from("<I", body, 6)[0]
            if index >= len(self.strings):
                raise self._damaged("the cell refers to a text that is not there", place)
            return _text_cell(place, self.strings[index], index in self._struck)
        if code in (_LABEL, _RSTRING):
            text = text_at(body, 6, self._budget)
            struck = code == _RSTRING and is_struck(text, runs_after(body, 6), self._strikes)
            return _text_cell(place, text, struck)
        if code == _BOOLERR:
            value, is_error = body[6], body[7]
            if is_error:
                return Cell(place, _ERRORS.get(value, f"error {value}"), ERROR_VALUE)
            return Cell(place, bool(value))
        if result is None and body[12:14] != b"\xff\xff":
            number = whole(unpack_from("<d", body, 6)[0])
            result = None if number is None else str(number)
        return Cell(place, result, FORMULA)

    def _number(self, place: str, value: float, style: int) -> Cell:
        if style >= len(self.styles) > 0:
            raise self._damaged("the cell refers to a style that is not there", place)
        format_ = (self.styles[style] if self.styles else Style()).format
        return number_cell(place, whole(value), format_, from_1904=self.from_1904, raw=str(value))


_CELLS = frozenset((_BLANK, _NUMBER, _RK, _LABELSST, _LABEL, _RSTRING, _BOOLERR, _FORMULA))


def _text_cell(place: str, text: str, struck: bool) -> Cell | None:
    if not text:
        return None
    return struck_out(Cell(place, text)) if struck else Cell(place, text)


def _with_results(records: Iterator[Record]) -> Iterator[tuple[int, bytes, str | None]]:
    """Yield each record; a formula together with its text result, which is the next record but one or two."""
    formula: bytes | None = None
    for code, body in records:
        if formula is not None and code == _STRING:
            length, flags = unpack_from("<HB", body)
            raw = body[3 : 3 + (length * 2 if flags & 1 else length)]
            yield _FORMULA, formula, raw.decode("utf-16-le" if flags & 1 else "latin-1", "replace")
            formula = None
            continue
        if formula is not None and code in (_FORMULA, _EOF):
            yield _FORMULA, formula, None
            formula = None
        if code == _FORMULA:
            formula = body
        else:
            yield code, body, None


def _unpacked(packed: int) -> float:
    """Return the number in the 30 bits of an RK value.

    >>> _unpacked(0x3FF00000), _unpacked((450 << 2) | 3)
    (1.0, 4.5)
    """
    if packed & 2:
        value = float((packed >> 2) - (1 << 30 if packed & 0x80000000 else 0))
    else:
        value = float(unpack_from("<d", bytes(4) + (packed & 0xFFFFFFFC).to_bytes(4, "little"))[0])
    return value / 100 if packed & 1 else value
