"""The table: each way of going wrong, or oddly right, with what must come of it.

A way is told by what the annotator did. `scores` are the scores that are read where they differ from those entered
(None: refused, or left blank); `problems` are all that may be told, each with its cell (`score:f1` is the score cell of
item f1, `text:c1:2` its second text) and words of the message; nothing else may be told, and nothing is told twice.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from tests.readers.build import ole, zipped
from tests.returned.workbook import Filled, as_csv, as_ods, as_xls, parts_of, patched, replaced

Told = tuple[str | None, str]  # (cell, words of the message)
Make = Callable[[Filled], bytes | None]  # None: the workbook as it is now


@dataclass(frozen=True)
class Way:
    """What happened to a workbook, and what must come of it.

    Attributes:
        scores: Scores that differ from those entered; None when the file cannot be read at all.
        repairs: How many values are taken other than as plain ones.
        warnings: Words of each warning.
        words: What else is read: (key, item) to value.
    """

    id: str
    did: str
    make: Make
    scores: Mapping[str, int | None] | None = field(default_factory=dict)
    problems: Sequence[Told] = ()
    repairs: int = 0
    warnings: Sequence[str] = ()
    words: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    file: str = "A1.xlsx"


WAYS: list[Way] = []


def way(id: str, did: str, make: Make, scores: Mapping[str, int | None] | None = None, **more: Any) -> None:
    """Add a way to the table; `scores="unread"` says that nothing is read."""
    WAYS.append(Way(id, did, make, {} if scores is None else scores, **more))


def unread(id: str, did: str, make: Make, words: str, file: str = "A1.xlsx", cell: str | None = None) -> None:
    """Add a file that cannot be taken at all, with one problem that says why."""
    WAYS.append(Way(id, did, make, None, [(cell, words)], file=file))


def puts(key: str, value: Any, number_format: str | None = None, item: str = "f1") -> Make:
    """Return a change: something is entered into an answer cell."""
    return lambda filled: filled.put(key, item, value, number_format)


# --- a score that is certain, however it is written ---------------------------------------------------------------

for id_, typed in {
    "comma": "4,0",
    "point-as-text": "4.0",
    "spaces": " 4 ",
    "no-break-space": "4\u00a0",
    "value-and-label": "4 - Boa",
    "value-colon-label": "4: boa",
    "label": "boa",
    "label-in-capitals": " BOA ",
    "short-form": "Essencialmente correta, pequenas omissões",
    "full-width": "４",
    "full-width-comma": "４，０",
    "arabic-digit": "٤",
    "text-digit": "4",
    "line-end": "4\n",
}.items():
    way(f"score-{id_}", f"typed {typed!r}", puts("score", typed), {"f1": 4}, repairs=1)
way("score-float", "typed 4.0", puts("score", 4.0), {"f1": 4})
way("score-two-decimals", "4 shown as 4.00", puts("score", 4, "0.00"), {"f1": 4})
way("score-currency", "4 shown as R$ 4,00", puts("score", 4, '"R$" #,##0.00'), {"f1": 4})
way("score-of-five", "4 shown as 4 of 5", puts("score", 4, '0" de 5"'), {"f1": 4})
way("score-binary-noise", "copied 2.9999999999999996", puts("score", 2.9999999999999996), {"f1": 3}, repairs=1)
way("score-cleared", "emptied the score", puts("score", None), {"f1": None})
way("score-space", "pressed the space bar", puts("score", " "), {"f1": None})


def _all_as_text(filled: Filled) -> None:
    for item in filled.rows:
        filled.put("score", item, str(filled.cell("score", item).value))


way("score-all-text", "pasted all scores from a web page", _all_as_text, repairs=6)

# --- a score that is not ------------------------------------------------------------------------------------------

for id_, typed, words in (
    ("zero", 0, "off the scale"),
    ("six", 6, "off the scale"),
    ("negative", -1, "off the scale"),
    ("huge", 1e300, "off the scale"),
    ("half", 4.5, "between two values"),
    ("half-as-text", "4,5", "between two values"),
    ("nearly", 3.99, "between two values"),
    ("range", "3-4", "exactly one value"),
    ("fraction", "4/5", "exactly one value"),
    ("either", "4 ou 5", "exactly one value"),
    ("two-lines", "4\n5", "exactly one value"),
    ("question-mark", "4?", "exactly one value"),
    ("ok", "ok", "exactly one value"),
    ("sentence", "nota 4", "exactly one value"),
    ("percent-text", "4%", "exactly one value"),
    ("keycap", "4\ufe0f\u20e3", "exactly one value"),
    ("circled", "④", "raised, circled or fractional"),
    ("superscript", "4⁵", "raised, circled or fractional"),
    ("other-label", "4 - Fraca", "the number says 4 and the words say 2"),
    ("other-dimension", "As respostas se contradizem", "exactly one value"),
    ("true", True, "true/false"),
    ("false", False, "true/false"),
    ("true-word", "VERDADEIRO", "exactly one value"),
    ("date", datetime.datetime(2026, 5, 4), "date or time"),
    ("time", datetime.time(4, 0), "date or time"),
    ("na", "#N/A", "an error value"),
):
    value, kind = (typed, None) if typed != "#N/A" else (typed, "formula")
    way(f"score-{id_}", f"entered {typed!r}", puts("score", value, kind), {"f1": None}, problems=[("score:f1", words)])

for id_, did, value, kind, words in (
    ("one-in-date-format", "typed 4 in a cell made for dates", 4, "dd/mm/yyyy", "date or time"),
    ("percent", "typed 4%, stored as 0.04", 0.04, "0%", "a percentage"),
    ("percent-400", "typed 400%, stored as 4", 4, "0%", "a percentage"),
    ("hidden-decimals", "typed 4.6, which shows as 5", 4.6, "0", "the cell shows 5"),
    ("shows-another", "4 in a cell that shows 5 whatever is in it", 4, '"5"', "the cell shows 5"),
    ("shows-nothing", "4 in a cell that shows nothing", 4, ";;;", "the cell shows nothing"),
):
    way(f"score-{id_}", did, puts("score", value, kind), {"f1": None}, problems=[("score:f1", words)])

FORMULA = [("score:f1", "a formula")]


def _cell(content: str, attributes: str = "") -> Make:
    return lambda filled: patched(filled.data(), str(filled.address("score:f1")), content, attributes)


way("score-formula", "typed =2+2", lambda f: f.formula("score", "f1", "=2+2"), {"f1": None}, problems=FORMULA)
way("score-formula-cached", "typed =2+2, computed", _cell("<f>2+2</f><v>4</v>"), {"f1": None}, problems=FORMULA)
way("score-formula-empty", "typed =\"\"", _cell('<f>""</f><v></v>', 't="str"'), {"f1": None}, problems=FORMULA)
way("score-formula-shared", "filled a formula down", _cell('<f t="shared" si="0"/><v>4</v>'), {"f1": None},
    problems=FORMULA)  # fmt: skip
way("score-damaged-number", "a program stored NaN", _cell("<v>NaN</v>"), {"f1": None},
    problems=[("score:f1", "a number no program can read")])  # fmt: skip
way("score-inline", "a program stored the text in the cell", _cell("<is><t>4</t></is>", 't="inlineStr"'), {"f1": 4},
    repairs=1)  # fmt: skip
way("score-iso-date", "a program stored a date as text", _cell("<v>2026-05-04</v>", 't="d"'), {"f1": None},
    problems=[("score:f1", "date or time")])  # fmt: skip
unread("score-unknown-text", "a program lost the texts", _cell("<v>99999</v>", 't="s"'), "a text that is not there",
       cell="score:f1")  # fmt: skip


def _array(filled: Filled) -> None:
    cell = filled.cell("score", "f1")
    filled.sheet[cell.coordinate] = ArrayFormula(f"{cell.coordinate}:{filled.address('justification:f1')}", "={4,5}")


way("score-array", "typed an array formula over two cells", _array, {"f1": None},
    problems=[*FORMULA, ("justification:f1", "a formula")])  # fmt: skip

# --- doubts, words, times -----------------------------------------------------------------------------------------

for word, repairs in (("sim", 0), ("SIM", 0), ("yes", 0), ("x", 1), (True, 1), (1, 1)):
    way(f"doubt-{word}".lower(), f"doubt {word!r}", puts("doubt", word), repairs=repairs, words={("doubt", "f1"): True})
for word in ("não", "n", "no", False, None):
    repairs = int(word is False)
    way(f"doubt-{word}", f"doubt {word!r}", puts("doubt", word), repairs=repairs, words={("doubt", "f1"): False})
for word in ("talvez", 4, "?"):
    way(f"doubt-{word}", f"doubt {word!r}", puts("doubt", word), problems=[("doubt:f1", "neither yes nor no")])
way("doubt-formula", "doubt =1=1", lambda f: f.formula("doubt", "f1", "=1=1"),
    problems=[("doubt:f1", "neither yes nor no")])  # fmt: skip

for id_, text in {
    "equals": "=1+1, disse ele",
    "plus": "+1",
    "minus": "- falta a fonte",
    "at": "@maria discorda",
    "tab": "\tcom tabulação",
    "html": "<script>alert(1)</script> & <b>",
    "emoji": "👍🏽 ótima 😀",
    "long": "muito longo " * 3334,
}.items():
    way(f"words-{id_}", f"wrote a text ({id_})", puts("justification", text),
        words={("justification", "f1"): text.strip()})  # fmt: skip
way("words-crlf", "line ends of Windows", puts("notes", "um_x000D_\ndois\r\n"), words={("notes", "f1"): "um\ndois"})
way("words-decomposed", "accents of a Mac", puts("notes", "na\u0303o"), words={("notes", "f1"): "não"})
way("words-number", "a number as justification", puts("justification", 4), words={("justification", "f1"): "4"})
way("words-formula", "a formula as justification", lambda f: f.formula("justification", "f1", '=HYPERLINK("x")'),
    problems=[("justification:f1", "a formula")])  # fmt: skip
way("words-error", "#NAME? as note", lambda f: f.formula("notes", "f1", "#NAME?"),
    problems=[("notes:f1", "an error value")])  # fmt: skip
way("words-none", "no justification at all", puts("justification", None), words={("justification", "f1"): ""})


def _times(start: Any, end: Any, kind: str | None = None) -> Make:
    def put(filled: Filled) -> None:
        filled.put("time_start", "f1", start, kind)
        filled.put("time_end", "f1", end, kind)

    return put


for id_, start, end, minutes in (
    ("typed", "14:05", "14:15", 10),
    ("h", "9h05", "9h20", 15),
    ("values", datetime.time(14, 5), datetime.time(14, 15), 10),
    ("moments", datetime.datetime(2026, 5, 4, 14, 5), datetime.datetime(2026, 5, 4, 14, 35), 30),
    ("midnight", "23:50", "0:10", 20),
    ("share-of-day", 0.5, 0.75, 360),
    ("start-only", "14:05", None, None),
    ("blank", None, None, None),
):
    way(f"time-{id_}", f"worked from {start} to {end}", _times(start, end), words={("minutes", "f1"): minutes})
for id_, start in (("word", "agora"), ("hour", 14), ("impossible", "25:00"), ("negative", -0.5)):
    way(f"time-{id_}", f"began at {start!r}", _times(start, "14:15"),
        problems=[("time_start:f1", "no time of day")])  # fmt: skip

# --- rows, columns, sheets ----------------------------------------------------------------------------------------


def _by_score(filled: Filled) -> None:
    column = filled.keys["score"]
    filled.reordered(lambda rows: sorted(rows, key=lambda row: str(filled.sheet.cell(row, column).value)))


def _hide(filled: Filled) -> None:
    for row in filled.rows.values():
        filled.sheet.row_dimensions[row].hidden = True
    filled.sheet.auto_filter.ref = f"A2:N{filled.sheet.max_row}"
    filled.sheet.sheet_state = "veryHidden"


def _unhide(filled: Filled) -> None:
    for key in ("study", "annotator", "part", "dimension"):
        filled.sheet.column_dimensions[filled.cell(key, "f1").column_letter].hidden = False
    filled.sheet.row_dimensions[1].hidden = False


def _insert(filled: Filled) -> None:
    filled.sheet.insert_rows(1, 3)
    filled.sheet["A1"] = "minhas notas"
    filled.find()
    filled.sheet.insert_rows(filled.rows["f1"], 2)
    filled.sheet.insert_cols(3)
    filled.sheet.insert_cols(9, 2)


def _columns_backwards(filled: Filled) -> None:
    for area in list(filled.sheet.merged_cells.ranges):
        filled.sheet.unmerge_cells(str(area))
    for line in filled.sheet.iter_rows():
        for cell, value in zip(line, [(other.value, other.data_type) for other in reversed(line)], strict=True):
            cell.value, cell.data_type = value


def _rename(filled: Filled) -> None:
    filled.sheet.title = "Folha 1 (Ana) 😀"
    filled.book.worksheets[0].title = "x"
    for key in ("score", "justification", "item_code"):
        filled.sheet.cell(2, filled.keys[key]).value = "minha coluna"


def _values_only(filled: Filled) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    for line in filled.grid():
        book.active.append([None] * len(line))
        for cell, value in zip(book.active[book.active.max_row], line, strict=True):
            cell.value = value
            cell.data_type = "s" if isinstance(value, str) else cell.data_type
    filled.book = book
    filled.find()
    return filled.data()


def _copy_sheet(state: str) -> Make:
    def copy_it(filled: Filled) -> None:
        twin = filled.book.copy_worksheet(filled.sheet)
        twin.title, twin.sheet_state = "Rascunho", state
        twin.cell(filled.rows["f1"], filled.keys["score"]).value = 1
        filled.book.active = len(filled.book.worksheets) - 1 if state == "visible" else 0

    return copy_it


def _other_sheets(filled: Filled) -> None:
    filled.book.create_sheet("Listas", 0).append(["item_code", "score"])
    filled.book.create_sheet("Contas")["B2"] = "=SUM(A1:A9)"
    filled.book["Contas"].sheet_state = "hidden"
    del filled.book[filled.book.sheetnames[1]]


way("sorted-by-score", "sorted the whole sheet by score", _by_score)
way("rows-backwards", "turned the rows around", lambda f: f.reordered(lambda rows: rows[::-1]))
way("hidden", "hid rows and sheet, with a filter", _hide)
way("unhidden", "made the hidden rows and columns visible", _unhide)
way("inserted", "inserted rows and columns everywhere", _insert)
way("columns-backwards", "turned the columns around", _columns_backwards)
way("renamed", "renamed sheets and headers", _rename, file="versão final (2).xlsx")
way("values-only", "pasted the values of the sheet into a new workbook", _values_only)
way("other-sheets", "added sheets, deleted the first", _other_sheets)
unread("copied-sheet", "copied the sheet to try other scores", _copy_sheet("visible"), "2 annotation sheets")
unread("copied-sheet-hidden", "kept a hidden copy of the sheet", _copy_sheet("hidden"), "'Rascunho'")


def _format(filled: Filled) -> None:
    sheet = filled.sheet
    area = f"{filled.address('score:f1')}:{filled.address('notes:r1')}"
    sheet.conditional_formatting.add(area, CellIsRule("equal", ["4"], fill=PatternFill("solid", bgColor="FFFF0000")))
    sheet.conditional_formatting.add(area, ColorScaleRule("min", color="FFFF0000", end_type="max", end_color="FF00FF00"))
    for item in filled.rows:
        cell = filled.cell("score", item)
        cell.fill, cell.font = PatternFill("solid", fgColor="FF123456"), Font(strike=True)
        cell.hyperlink = "https://example.com/"
    sheet.data_validations.dataValidation = []
    sheet.protection.sheet = False


def _comments(filled: Filled) -> None:
    for key in ("score", "notes", "text"):
        filled.cell(key, "f1").comment = Comment("não sei, talvez 2", "Ana")


def _table(filled: Filled) -> None:
    for area in list(filled.sheet.merged_cells.ranges):
        filled.sheet.unmerge_cells(str(area))
    filled.sheet.cell(2, filled.keys["rubric"]).value = "Coluna1"
    filled.sheet.add_table(Table(displayName="Tabela1", ref=f"A2:N{filled.sheet.max_row}"))


way("coloured", "coloured, struck out, linked; took validation and protection away", _format)
way("comments", "left comments on cells", _comments)
way("table", "made it a table", _table)
way("unmerged", "took all merged cells apart", lambda f: f.reordered(lambda rows: rows))


def _merge(first: str, last: str) -> Make:
    return lambda filled: filled.sheet.merge_cells(f"{filled.address(first)}:{filled.address(last)}")


way("merged-score-and-justification", "merged the score with its justification", _merge("score:f1", "justification:f1"),
    problems=[("justification:f1", "merged with")])  # fmt: skip
way("merged-justification-and-score", "merged everything from the text to the score", _merge("text:f1", "score:f1"),
    {"f1": None}, problems=[("score:f1", "merged with")])  # fmt: skip
way("merged-notes", "merged doubt and notes", _merge("doubt:f1", "notes:f1"), problems=[("notes:f1", "merged with")])

# --- what must not be touched -------------------------------------------------------------------------------------


def _text(value: Callable[[str], Any], item: str = "f1", part: int | None = None) -> Make:
    def change(filled: Filled) -> None:
        cell = filled.cell("text", item, part)
        cell.value = value(str(cell.value))
        if isinstance(cell.value, str) and not cell.value.startswith("=2"):
            cell.data_type = "s"

    return change


way("text-changed", "corrected a word of the answer", _text(lambda t: t.replace("linha 1", "linha l")),
    problems=[("text:f1", "was changed")])  # fmt: skip
way("text-of-another-row", "corrected the question", _text(lambda t: t + "!", "c1", 1),
    problems=[("text:c1:1", "was changed")])  # fmt: skip
way("text-emptied", "deleted the text after reading it", _text(lambda _t: None, "c1", 2),
    problems=[("text:c1:2", "was changed")])  # fmt: skip
way("text-number", "typed over the text", _text(lambda _t: 5), problems=[("text:f1", "was changed")])
way("text-formula", "a formula instead of the text", _text(lambda _t: "=2+2"), problems=[("text:f1", "was changed")])
way("text-trailing-space", "a program added space at the ends of lines", _text(lambda t: t.replace("\n", "  \n") + " "))
way("text-crlf", "a program wrote the line ends of Windows", _text(lambda t: t.replace("\n", "_x000D_\n")))
way("text-composed", "a program composed the accents", _text(lambda t: t.replace("a\u0303", "ã"), "c2", 2))
way("text-escape", "a program shows _x0041_ as it was meant", _text(lambda t: t.replace("_x005F_x0041_", "_x0041_")))


def _swap_codes(filled: Filled) -> None:
    one, two = filled.cell("item_code", "f1"), filled.cell("item_code", "f2")
    one.value, two.value = two.value, one.value


def _shift_answers(filled: Filled) -> None:
    """Delete cells and let those below move up, in the answer columns alone."""
    for key in ("item_code", "score", "justification"):
        values = [filled.cell(key, item).value for item in filled.rows]
        for item, value in zip(filled.rows, [*values[1:], values[0]], strict=True):
            filled.cell(key, item).value = value


def _set(key: str, item: str, value: Any) -> Make:
    def put(filled: Filled) -> None:
        filled.cell(key, item).value = value

    return put


SWAPPED = "does not belong"
way("codes-sorted-alone", "sorted the column of codes alone", _swap_codes, {"f1": None, "f2": None},
    problems=[("item_code:f1", SWAPPED), ("item_code:f2", SWAPPED)])  # fmt: skip
way("answers-shifted", "sorted codes and answers without their texts", _shift_answers, dict.fromkeys(("f1", "f2", "f3", "c1", "c2", "r1")),
    problems=[(f"item_code:{item}", SWAPPED) for item in ("f1", "f2", "f3", "c1", "c2", "r1")])  # fmt: skip
way("code-changed", "changed a code", _set("item_code", "f1", "F1"), {"f1": None},
    problems=[("text:f1", "x")], )  # fmt: skip
way("code-emptied", "emptied a code", _set("item_code", "f1", None), {"f1": None},
    problems=[("x", "x")])  # fmt: skip
