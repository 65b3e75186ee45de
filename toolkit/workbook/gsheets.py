"""A sheet as requests to Google Sheets: the same pages that `sheets` draws into a file, in one batch for each sheet.

Every text is sent as a string value, which Google never parses, and every number as a number, so no locale can read
anything into them. Formulas alone are spelt as the spreadsheet's locale wants them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any

from toolkit.errors import Problem
from toolkit.texts import clean, utf16_length
from toolkit.workbook.canvas import Choices
from toolkit.workbook.gsheets_look import Json, cell_format, localised, named_format, run_format
from toolkit.workbook.measure import PIXELS_PER_POINT
from toolkit.workbook.runs import Run, merged, plain
from toolkit.workbook.style import FORMATS

# https://support.google.com/drive/answer/37603; which unit Google counts is not said, and UTF-16 is the larger one
CELL_CHARACTERS = 50_000
# Protections are numbered by us, so that closing the sheet needs no look-up: so many for each sheet.
PROTECTIONS_PER_SHEET = 1_000_000
_FIELDS = "userEnteredValue,textFormatRuns,dataValidation"


class GoogleSheet:
    """A sheet being drawn; see `Canvas`. Rows and columns count from 0."""

    def __init__(self, sheet_id: int, title: str, locale: str):
        """Begin a sheet.

        Args:
            sheet_id: Its number, which never changes whatever the sheet is called.
            title: Its title.
            locale: The spreadsheet's.
        """
        self.sheet_id, self.title, self.problems = sheet_id, title, list[Problem]()
        self._locale = locale
        self._cells: dict[tuple[int, int], Json] = {}
        self._looks: dict[tuple[int, int], tuple[str, bool]] = {}
        self._open: set[tuple[int, int]] = set()
        self._merges: list[Json] = []
        self._signs: list[Json] = []
        self._rows: dict[int, Json] = {}
        self._columns: dict[int, Json] = {}
        self._frozen = 0
        self._protected = False

    @property
    def quoted(self) -> str:
        """The sheet's title as formulas want it."""
        return "'" + self.title.replace("'", "''") + "'"

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        places = self._looks.keys()
        rows = max([row for row, _column in places] + [*self._rows], default=0) + 1
        columns = max([column for _row, column in places] + [*self._columns], default=0) + 1
        return rows, columns

    def text(self, row: int, column: int, text: str, style: str) -> None:
        """Write a text, never anything else, whatever it looks like."""
        text = clean(text)
        cell = self._cell(row, column, style)
        if text:
            self._check(row, column, text)
            cell["userEnteredValue"] = {"stringValue": text}

    def rich(self, row: int, column: int, runs: Iterable[Run], style: str) -> None:
        """Write a text of several looks; no run is empty."""
        runs = merged(Run(clean(text), look) for text, look in runs)
        self.text(row, column, plain(runs), style)
        place, found = 0, []
        for text, look in runs:
            found.append({"startIndex": place, "format": run_format(look)})
            place += utf16_length(text)
        if any(run["format"] for run in found):
            self._cells[row, column]["textFormatRuns"] = found

    def merged(self, row: int, column: int, last_row: int, last_column: int, text: str, style: str) -> None:
        """Write a text into a merged range, which may be a single cell."""
        if (row, column) != (last_row, last_column):
            area = self._area(row, column, last_row, last_column)
            self._merges.append({"mergeCells": {"range": area, "mergeType": "MERGE_ALL"}})
            places = set(product(range(row, last_row + 1), range(column, last_column + 1)))
            self._looks |= dict.fromkeys(places, (style, False))
            if FORMATS[style].get("locked") is False:
                self._open |= places
        self.text(row, column, text, style)

    def number(self, row: int, column: int, value: float | None, style: str) -> None:
        """Write a number, or a blank where there is none."""
        cell = self._cell(row, column, style)
        if value is not None:
            cell["userEnteredValue"] = {"numberValue": value}

    def formula(
        self, row: int, column: int, formula: str, style: str, value: float | str | None, *, bold: bool = False
    ) -> None:
        """Write a formula; Google computes its value itself."""
        spelt = localised(formula, self._locale)
        self._check(row, column, spelt)
        self._cell(row, column, style, bold=bold)["userEnteredValue"] = {"formulaValue": spelt}

    def height(self, row: int, points: float) -> None:
        """Set the height of a row."""
        self._rows.setdefault(row, {})["pixelSize"] = round(points * PIXELS_PER_POINT)

    def hide_row(self, row: int) -> None:
        """Hide a row."""
        self._rows.setdefault(row, {})["hiddenByUser"] = True

    def width(self, column: int, pixels: int, *, hidden: bool = False) -> None:
        """Set the width of a column, which may be hidden."""
        self._columns[column] = {"pixelSize": pixels} | ({"hiddenByUser": True} if hidden else {})

    def widths(self, *pixels: int) -> None:
        """Set the widths of the first columns."""
        for column, width in enumerate(pixels):
            self.width(column, width)

    def freeze(self, rows: int) -> None:
        """Keep the first rows in sight."""
        self._frozen = rows

    def choices(self, rows: Sequence[int], column: int, choices: Choices) -> None:
        """Offer choices in cells of a column."""
        values = [str(value) for value in choices.values]
        # a value of a condition is parsed as if it were typed
        self.problems += [
            Problem("Google Sheets would take this choice for a formula", "name the value otherwise", value=value)
            for value in values
            if value.startswith(("=", "+")) and rows
        ]
        condition = {"type": "ONE_OF_LIST", "values": [{"userEnteredValue": value} for value in values]}
        rule: Json = {"condition": condition, "strict": choices.strict, "showCustomUi": True}
        if choices.message:
            rule["inputMessage"] = choices.message
        for row in rows:
            self._cells[row, column]["dataValidation"] = rule

    def sign(self, rows: tuple[int, int], column: int, formula: str, look: Mapping[str, Any]) -> None:
        """Give the cells of a column, from one row to another, a look where a formula is true."""
        condition = {
            "type": "CUSTOM_FORMULA",
            "values": [{"userEnteredValue": localised(formula, self._locale)}],
        }
        rule = {
            "ranges": [self._area(rows[0], column, rows[1], column)],
            "booleanRule": {"condition": condition, "format": cell_format(look)},
        }
        self._signs.append({"addConditionalFormatRule": {"rule": rule, "index": len(self._signs)}})

    def protect(self) -> None:
        """Lock everything but the cells to fill in."""
        self._protected = True

    def begin_at(self, row: int, column: int) -> None:
        """Do nothing: where the cursor stands is each reader's own in Google Sheets."""

    def print_setup(
        self, page: str, *, repeated: int | None = None, breaks: Sequence[int] = (), percent: int | None = None
    ) -> None:
        """Do nothing: how a sheet is printed is chosen in Google's print dialogue and cannot be sent."""

    def requests(
        self, editors: Sequence[str], *, index: int | None = None, own: Sequence[str] = (), before: Sequence[Json] = ()
    ) -> list[Json]:
        """Return the one batch that makes the sheet, whole or not at all.

        Args:
            editors: Mail addresses of those who may edit everything.
            index: Its place among the sheets; the last by default.
            own: The only ones beside the editors who may fill in; everybody with access by default.
            before: What comes right after the sheet was added.
        """
        rows, columns = self.size
        grid = {"rowCount": rows, "columnCount": columns, "frozenRowCount": self._frozen, "hideGridlines": True}
        properties: Json = {"sheetId": self.sheet_id, "title": self.title, "gridProperties": grid}
        if index is not None:
            properties["index"] = index
        table = [{"values": [self._cells.get((row, column), {}) for column in range(columns)]} for row in range(rows)]
        start = {"sheetId": self.sheet_id, "rowIndex": 0, "columnIndex": 0}
        return [
            {"addSheet": {"properties": properties}},
            *before,
            *self._dimensions("ROWS", self._rows),
            *self._dimensions("COLUMNS", self._columns),
            *self._merges,
            *self._formats(),
            {"updateCells": {"start": start, "rows": table, "fields": _FIELDS}},
            *self._signs,
            *self._protections(editors, own),
        ]

    def lock(self, *, own: bool) -> list[Json]:
        """Return the requests that close the cells to fill in, for everybody but the editors.

        Args:
            own: Whether the sheet was made with `own`, so that these cells have protections of their own.
        """
        if not self._open:
            return []
        first = self.sheet_id * PROTECTIONS_PER_SHEET
        closed = {"protectedRangeId": first, "unprotectedRanges": []}
        theirs = range(first + 1, first + 1 + len(list(self._open_areas()))) if own else ()
        return [
            {"updateProtectedRange": {"protectedRange": closed, "fields": "unprotectedRanges"}},
            *({"deleteProtectedRange": {"protectedRangeId": number}} for number in theirs),
        ]

    def _protections(self, editors: Sequence[str], own: Sequence[str]) -> Iterator[Json]:
        if not self._protected:
            return
        areas, first = list(self._open_areas()), self.sheet_id * PROTECTIONS_PER_SHEET
        whole = {
            "protectedRangeId": first,
            "range": {"sheetId": self.sheet_id},
            "unprotectedRanges": areas,
            "editors": {"users": list(editors)},
        }
        yield {"addProtectedRange": {"protectedRange": whole}}
        for number, area in enumerate(areas if own else (), first + 1):
            part = {"protectedRangeId": number, "range": area, "editors": {"users": [*editors, *own]}}
            yield {"addProtectedRange": {"protectedRange": part}}

    def _open_areas(self) -> Iterator[Json]:
        """Yield the cells to fill in, those beside each other as one range."""
        for row, places in groupby(sorted(self._open), key=lambda place: place[0]):
            for left, right in _stretches(column for _row, column in places):
                yield self._area(row, left, row, right)

    def _dimensions(self, dimension: str, looks: Mapping[int, Json]) -> Iterator[Json]:
        """Yield the sizes of rows or columns, those of neighbours that are alike together."""
        for _key, run in groupby(enumerate(sorted(looks.items())), key=lambda pair: (pair[1][0] - pair[0], pair[1][1])):
            alike = [entry for _place, entry in run]
            (first, look), (last, _look) = alike[0], alike[-1]
            area = {"sheetId": self.sheet_id, "dimension": dimension, "startIndex": first, "endIndex": last + 1}
            yield {"updateDimensionProperties": {"range": area, "properties": look, "fields": ",".join(look)}}

    def _formats(self) -> Iterator[Json]:
        """Yield the format of every cell, once for each run of cells of a column that are alike.

        Said of every cell, formats would be four fifths of what is sent.
        """
        cells = sorted(self._looks.items(), key=lambda entry: (entry[0][1], entry[0][0]))
        runs = groupby(enumerate(cells), key=lambda pair: (pair[1][0][1], pair[1][0][0] - pair[0], pair[1][1]))
        # columns beside each other with the same run share one
        areas: dict[tuple[int, int, tuple[str, bool]], list[int]] = {}
        for (column, _shift, look), run in runs:
            rows = [place[0] for _number, (place, _look) in run]
            areas.setdefault((rows[0], rows[-1], look), []).append(column)
        for (first, last, (style, bold)), columns in areas.items():
            for left, right in _stretches(columns):
                area, look = self._area(first, left, last, right), {"userEnteredFormat": named_format(style, bold)}
                yield {"repeatCell": {"range": area, "cell": look, "fields": "userEnteredFormat"}}

    def _cell(self, row: int, column: int, style: str, *, bold: bool = False) -> Json:
        self._looks[row, column] = style, bold
        cell = self._cells[row, column] = {}
        if FORMATS[style].get("locked") is False:
            self._open.add((row, column))
        return cell

    def _area(self, row: int, column: int, last_row: int, last_column: int) -> Json:
        return {
            "sheetId": self.sheet_id,
            "startRowIndex": row,
            "endRowIndex": last_row + 1,
            "startColumnIndex": column,
            "endColumnIndex": last_column + 1,
        }

    def _check(self, row: int, column: int, text: str) -> None:
        from xlsxwriter.utility import xl_rowcol_to_cell

        if (length := utf16_length(text)) > CELL_CHARACTERS:
            what = f"a text of {length:,} characters is longer than a cell of Google Sheets holds ({CELL_CHARACTERS:,})"
            place = xl_rowcol_to_cell(row, column)
            self.problems.append(Problem(what, "shorten it", sheet=self.title, cell=place, value=text[:40]))


def _stretches(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of numbers that follow each other.

    >>> list(_stretches([1, 2, 3, 7, 9, 10]))
    [(1, 3), (7, 7), (9, 10)]
    """
    for _shift, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        together = [number for _place, number in run]
        yield together[0], together[-1]
