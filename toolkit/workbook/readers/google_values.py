"""The raw values of a Google Sheet, as `toolkit pull` keeps them: rows of JSON values, as long as they are filled.

Sheets answers with the values themselves, unformatted: a number is a number and a text is a text, whatever the locale
displays. What is empty at the end of a row, and rows at the end of a sheet, are left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from toolkit.files import pretty_json
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.grid import LAST_COLUMN, LAST_ROW, address
from toolkit.workbook.readers.raw import FORMULA, Cell, RawSheet

# The first key of the file, by which it is known.
MARK = "google_values"
VERSION = 1
_HEAD = f'"{MARK}"'.encode()
_HEAD_BYTES = 40
Rows = list[list[Any]]


def is_google_values(head: bytes) -> bool:
    """Return whether a file that begins so holds raw values of a Google Sheet."""
    return head.startswith(b"{") and _HEAD in head[:_HEAD_BYTES]


def google_values(
    titles: Sequence[str],
    rows: Sequence[Rows],
    fetched: str,
    formulas: Sequence[Rows] = (),
    seen: Sequence[Rows] = (),
) -> bytes:
    """Return the file.

    Args:
        titles: Of the sheets.
        rows: The unformatted values of each.
        fetched: When.
        formulas: The same with formulas as they were written, where these were fetched.
        seen: The same as people see them, where this was fetched.
    """
    sheets = [{"title": title, "values": values} for title, values in zip(titles, rows, strict=True)]
    for key, fuller in (("formulas", formulas), ("shown", seen)):
        for sheet, more in zip(sheets, fuller, strict=False):
            sheet[key] = more
    return pretty_json({MARK: VERSION, "fetched": fetched, "sheets": sheets})


def read_google_values(data: bytes, budget: Budget) -> tuple[RawSheet, ...]:
    """Return the sheets of the file.

    Raises:
        Refused: When it is damaged, or of a newer toolkit.
    """
    try:
        content = json.loads(data)
        if content[MARK] != VERSION:
            raise Refused("was saved by a newer toolkit", "update the toolkit")
        sheets = content["sheets"]
        budget.sheets(len(sheets))
        return tuple(
            RawSheet(
                str(sheet["title"]),
                _cells(sheet["values"], sheet.get("formulas", []), sheet.get("shown", []), budget),
            )
            for sheet in sheets
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused("is damaged", SAVE_AGAIN) from error


def _cells(rows: Rows, formulas: Rows, seen: Rows, budget: Budget) -> dict[tuple[int, int], Cell]:
    cells: dict[tuple[int, int], Cell] = {}
    for row, record in enumerate(rows, 1):
        if row > LAST_ROW or len(record) > LAST_COLUMN:
            raise Refused(f"has more than {LAST_ROW:,} rows or {LAST_COLUMN:,} columns", SAVE_AGAIN)
        written, display = (more[row - 1] if row <= len(more) else [] for more in (formulas, seen))
        for column, value in enumerate(record, 1):
            if value is None or value == "":
                continue
            if not isinstance(value, str | int | float | bool):
                raise TypeError(value)
            budget.cells(1)
            budget.text(str(value))
            formula = written[column - 1] if column <= len(written) else None
            name = address(row, column)
            # a text that looks like a formula is the same both ways; a formula shows its value
            if isinstance(formula, str) and formula.startswith("=") and formula != value:
                cells[row, column] = Cell(name, formula, FORMULA)
            else:
                # what shows nothing at the end of a row is left out like what is empty there
                sight = display[column - 1] if column <= len(display) else "" if seen else value
                same = isinstance(value, bool) or str(sight) == str(value)
                cells[row, column] = Cell(name, value, shown=None if same else str(sight))
    return cells
