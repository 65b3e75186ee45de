"""CSV that a person changed in a text editor, and several sheets in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.returned.way import Make, unread, way
from tests.returned.workbook import Filled, as_csv

# A table reads better with a line for a row.
# fmt: off
# --- CSV with a separator too many --------------------------------------------------------------------------------


def _line(filled: Filled, change: Callable[[str], str], separator: str = ",", **more: Any) -> bytes:
    """Save as CSV and change the end of f1's line, from the score on, as a person does in a text editor."""
    lines = as_csv(filled.grid(), separator, **more).decode().split("\r\n")
    place = next(place for place, line in enumerate(lines) if "porque f1" in line)
    start = lines[place].rindex(f"{separator}5{separator}porque f1") + 1
    lines[place] = lines[place][:start] + change(lines[place][start:])
    return "\r\n".join(lines).encode()


def _edit(old: str, new: str, separator: str = ",") -> Make:
    def change(filled: Filled) -> bytes:
        return _line(filled, lambda end: end.replace(old, new, 1), separator)

    return change


TOO_LONG = "cells in this line where the row of keys has"
for id_, old, new in (
    ("decimal-comma-by-hand", "5,", "3,5,"),
    ("decimal-comma-and-no-justification", "5,porque f1,", "3,5,,"),
    ("comma-in-the-justification", "porque f1", "porque f1, e mais"),
    ("comma-in-the-justification-like-a-doubt", "porque f1", "porque, sim"),
    ("quotes-around-half", "porque f1", '"porque", f1'),
):
    unread(f"csv-{id_}", f"typed {new!r} into the file", _edit(old, new), TOO_LONG, "A1.csv", cell="*")
unread("csv-semicolon-in-the-justification", "typed a semicolon into the file", _edit("porque f1", "porque; f1", ";"),
       TOO_LONG, "A1.csv", cell="*")
way("csv-decimal-comma-in-quotes", "typed 4,0 with quotation marks into the file", _edit("5,", '"4,0",'), {"f1": 4},
    repairs=1, file="A1.csv")
way("csv-decimal-comma-among-semicolons", "typed 4,0 into a file with semicolons", _edit("5;", "4,0;", ";"), {"f1": 4},
    repairs=1, file="A1.csv")


def _short(change: Callable[[str], str]) -> Make:
    """Leave out what is empty at the end of every line, as some programs do."""

    def save(filled: Filled) -> bytes:
        lines = _line(filled, change).decode().split("\r\n")
        return "\r\n".join(line.rstrip(",") for line in lines).encode()

    return save


way("csv-short-lines", "a program left out what is empty at the end", _short(str), file="A1.csv")
unread("csv-short-lines-decimal-comma", "the same, and typed 3,5",
       _short(lambda end: end.replace("5,porque f1", "3,5")), "two numbers side by side", "A1.csv", cell="*")
unread("csv-short-lines-decimal-comma-and-doubt", "the same, with a doubt behind it",
       _short(lambda end: end.replace("5,porque f1,", "3,5,,sim")), "two numbers side by side", "A1.csv", cell="*")
way("csv-number-as-justification", "justified with a number", _edit("porque f1", "5"), file="A1.csv",
    words={("justification", "f1"): "5"})


def _padded(filled: Filled) -> bytes:
    return as_csv([[*line, None, None] if place else line for place, line in enumerate(filled.grid())])


def _beside(title: str | None) -> Make:
    def save(filled: Filled) -> bytes:
        filled.sheet.cell(2, 15).value = title
        filled.sheet.cell(filled.rows["f1"], 15).value = "ver item 2"
        return as_csv(filled.grid())

    return save


way("csv-more-separators", "all lines but the first end in separators", _padded, file="A1.csv")
way("csv-column-added", "added a column with a title", _beside("Comentário"), file="A1.csv", warnings=["O2, O"])
way("csv-beside-note", "wrote beside the table", _beside(None), file="A1.csv", warnings=["(O"])
unread("csv-beside-note-by-hand", "wrote beside the table in a text editor", _edit("porque f1,,,,", "porque f1,,,,,oi"),
       TOO_LONG, "A1.csv", cell="*")

# --- two files in one ---------------------------------------------------------------------------------------------


def _joined(filled: Filled) -> bytes:
    return as_csv(filled.grid(), encoding="utf-8-sig")


def _below(filled: Filled) -> None:
    last = filled.sheet.max_row
    for row in range(1, last + 1):
        for column in range(1, filled.sheet.max_column + 1):
            old, new = filled.sheet.cell(row, column), filled.sheet.cell(last + row, column)
            new.value, new.data_type = old.value, old.data_type


TWICE = "the row of keys is there twice, in row 1 and below"
unread("csv-joined-with-itself", "put the file twice into one", lambda f: _joined(f) * 2, TWICE, "A1.csv", cell="*")
unread("csv-joined-other-order", "put another CSV below, with other columns",
       lambda f: _joined(f) + as_csv([[*line[::-1], "", "x"] for line in f.grid()], encoding="utf-8-sig"), TWICE,
       "A1.csv", cell="*")
unread("sheet-below-itself", "pasted the sheet below itself", lambda f: (f.unmerge(), _below(f))[1], TWICE, cell="*")
unread("key-row-doubled", "inserted the row of keys again", lambda f: f.sheet.append([c.value for c in f.sheet[1]]),
       TWICE, cell="*")


def _after_a_mark(filled: Filled) -> bytes:
    """Two files joined of which the first has nothing but the mark of its encoding, or a program writes it twice."""
    return b"\xef\xbb\xbf" + _joined(filled)


way("csv-mark-twice", "a program put the mark of the encoding twice", _after_a_mark, file="A1.csv")
