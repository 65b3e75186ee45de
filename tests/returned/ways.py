"""The table: each way of going wrong, or oddly right, with what must come of it.

A way is told by what the annotator did. `scores` are the scores that are read where they differ from those entered
(None: refused, or left blank); `problems` are all that may be told, each with its cell (`score:f1` is the score cell of
item f1, `text:c1:2` its second text) and words of the message; nothing else may be told, and nothing is told twice.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from tests.readers.build import ods_cell, ole, row, xlsx_parts, zipped
from tests.returned.workbook import SCORES, Filled, as_csv, as_ods, as_xls, parts_of, patched, replaced

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
way("answers-shifted", "sorted codes and answers without their texts", _shift_answers, dict.fromkeys(SCORES),
    problems=[(f"item_code:{item}", SWAPPED) for item in SCORES])  # fmt: skip
MISSING_ONE: Told = (None, "1 items are missing")
way("code-changed", "changed a code", _set("item_code", "f1", "F1"), {"f1": None},
    problems=[("item_code:f1", "no item of this annotator"), MISSING_ONE])  # fmt: skip
way("code-emptied", "emptied a code", _set("item_code", "f1", None), {"f1": None},
    problems=[("score:f1", "asks for nothing"), ("justification:f1", "asks for nothing"), MISSING_ONE])  # fmt: skip
way("part-emptied", "emptied a hidden cell", _set("part", "f1", None), {"f1": None},
    problems=[("item_code:f1", SWAPPED), (None, "1 rows of the text of item")])  # fmt: skip


def _delete_row(item: str, part: int | None = None) -> Make:
    return lambda filled: filled.sheet.delete_rows(filled.cell("text", item, part).row)


def _append(item: str, part: int | None = None, **values: Any) -> Make:
    """Copy a row to the end of the sheet."""

    def add(filled: Filled) -> None:
        source, target = filled.cell("text", item, part).row, filled.sheet.max_row + 1
        for column in range(1, filled.sheet.max_column + 1):
            old, new = filled.sheet.cell(source, column), filled.sheet.cell(target, column)
            new.value, new.data_type = old.value, old.data_type
        for key, value in values.items():
            filled.sheet.cell(target, filled.keys[key]).value = value

    return add


def _swap_text_and_code(filled: Filled) -> None:
    """A row copied without its code comes first, so that the text of the answer row comes second."""
    source = filled.rows["f1"]
    row = filled.row_of(f"{filled.codes['f1']}:001")
    for key in ("part", "text"):
        old, new = filled.sheet.cell(source, filled.keys[key]), filled.sheet.cell(row, filled.keys[key])
        new.value, new.data_type = old.value, old.data_type
    filled.cell("text", "f1").value = "outro"


way("row-deleted", "deleted an answer row", _delete_row("r1"), {"r1": None},
    problems=[(None, "1 rows of the text of item"), MISSING_ONE])  # fmt: skip
way("text-row-deleted", "deleted a row of text", _delete_row("r1", 1), problems=[(None, "1 rows of the text of item")])
way("row-doubled", "copied an answer row", _append("f1"), problems=[("E40", "is there twice")])
way("row-doubled-other-score", "copied an answer row to change it", _append("f1", score=2),
    problems=[("E40", "is there twice")])  # fmt: skip
way("text-row-doubled", "copied a row of text", _append("c1", 1), problems=[("G40", "is there twice")])
way("text-row-moved", "overwrote one text with another", _swap_text_and_code,
    problems=[("text:f1", "is there twice"), ("text:f1", "was changed"), (None, "1 rows of the text of item")])  # fmt: skip


def _stray(key: str, part: str, value: Any = 5) -> Make:
    def put(filled: Filled) -> None:
        row = filled.row_of(part.format(**filled.codes))
        for area in list(filled.sheet.merged_cells.ranges):
            if area.min_row <= row <= area.max_row:
                filled.sheet.unmerge_cells(str(area))
        filled.sheet.cell(row, filled.keys[key]).value = value

    return put


def _below(filled: Filled) -> None:
    filled.sheet.cell(filled.sheet.max_row + 2, filled.keys["score"]).value = 3.5


def _beside(value: Any, title: str | None = None) -> Make:
    def put(filled: Filled) -> None:
        filled.sheet.cell(filled.rows["f1"], 15).value = value
        filled.sheet.cell(2, 15).value = title

    return put


way("score-in-the-title", "scored in the title row", _stray("score", "{f1}:000"),
    problems=[("I13", "asks for nothing")])  # fmt: skip
way("score-beside-another-text", "scored beside a text that is not the last", _stray("doubt", "{c1}:002", "sim"),
    problems=[("K30", "asks for nothing")])  # fmt: skip
way("time-in-the-title", "entered a time in the title row", _stray("time_end", "{f1}:000", "14:05"),
    problems=[("N13", "asks for nothing")])  # fmt: skip
way("score-below", "wrote an average below the table", _below, problems=[("I41", "asks for nothing")])
way("beside-note", "wrote beside the table", _beside("ver item 2"), warnings=["O"])
way("beside-score", "scored anew beside the table, under the same title", _beside(2, "Nota"),
    problems=[("O2", "is there twice")])  # fmt: skip


def _double_column(filled: Filled) -> None:
    for row in range(1, filled.sheet.max_row + 1):
        filled.sheet.cell(row, 15).value = filled.sheet.cell(row, filled.keys["score"]).value


unread("column-doubled", "copied the score column, keys and all", _double_column, "the column 'score' is there twice",
       cell="O1")  # fmt: skip
unread("key-emptied", "emptied a key", lambda f: setattr(f.sheet.cell(1, f.keys["score"]), "value", None),
       "no annotation sheet")  # fmt: skip
unread("key-row-deleted", "deleted the hidden first row", lambda f: f.sheet.delete_rows(1), "no annotation sheet")
way("header-deleted", "deleted the visible header", lambda f: f.sheet.delete_rows(2))
way("levels-changed", "wrote into the level descriptions", _stray("rubric", "{f1}:001", "?"))

# --- whose it is, and of which study ------------------------------------------------------------------------------


def _every(key: str, value: Any) -> Make:
    def put(filled: Filled) -> None:
        for row in filled.rows.values():
            filled.sheet.cell(row, filled.keys[key]).value = value

    return put


def _layout(version: str) -> Make:
    return lambda filled: replaced(
        replaced(filled.data(), "docProps/custom.xml", "<vt:lpwstr>1</vt:lpwstr>", f"<vt:lpwstr>{version}</vt:lpwstr>"),
        "xl/sharedStrings.xml", "<t>layout</t>", "<t>layout</t>",
    )  # fmt: skip


unread("other-study", "sent the workbook of another study", _every("study", "st-bcdfghjklm"), "another study",
       cell="A15")  # fmt: skip
unread("nobodys", "emptied the hidden columns", _every("annotator", None), "says nowhere whose it is")
unread("strangers", "is not in the study", _every("annotator", "Z9"), "not in the study")
unread("two-peoples", "pasted rows of a colleague", _set("annotator", "f1", "A2"), "several annotators")
way("name-in-capitals", "a program changed case and space of the name", _every("annotator", " a1 "))
way("hidden-cell-emptied", "emptied one hidden cell", _set("annotator", "f1", None),
    problems=[("item_code:f1", "'annotator' was emptied")])  # fmt: skip
unread("newer-layout", "has a workbook of a newer toolkit", _layout("2"), "newer")
unread("older-layout", "has a workbook of an older toolkit", _layout("0"), "older")

# --- how much is filled in ----------------------------------------------------------------------------------------


def _only(*items: str) -> Make:
    def empty(filled: Filled) -> None:
        for item in filled.rows:
            if item not in items:
                filled.put("score", item, None)
                filled.put("justification", item, None)

    return empty


def _practice(value: Any) -> Make:
    def put(filled: Filled) -> None:
        for number in (1, 2):
            row = filled.row_of(f"practice-{number}:001")
            for key in ("score", "doubt", "notes"):
                filled.sheet.cell(row, filled.keys[key]).value = value

    return put


def _closing(filled: Filled) -> None:
    guide = filled.book.worksheets[0]
    for line in guide.iter_rows(max_col=1):
        if str(line[0].value).startswith("closing:"):
            guide.cell(line[0].row, 5).value = {"saw_scores": "não", "comment": "closing: =1+1"}.get(line[0].value[8:])


way("blank", "sent it back as it came", _only(), dict.fromkeys(SCORES))
way("half", "stopped halfway", _only("f1", "c1"), dict.fromkeys(("f2", "f3", "c2", "r1")))
way("justified-but-not-scored", "justified without a score", puts("score", None, item="c2"), {"c2": None})
way("practice-filled", "filled in the practice items", _practice(5))
way("practice-nonsense", "wrote nonsense into the practice items", _practice("não sei"))
way("practice-deleted", "deleted the practice items", lambda f: f.sheet.delete_rows(3, 8))
way("closing", "answered the closing questions", _closing,
    words={("closing", "saw_scores"): "não", ("closing", "comment"): "closing: =1+1"})  # fmt: skip

# --- other files --------------------------------------------------------------------------------------------------

for id_, separator, encoding in (
    ("comma", ",", "utf-8"),
    ("semicolon-bom", ";", "utf-8-sig"),
    ("tab-utf16", "\t", "utf-16"),
    ("tab-utf16-be", "\t", "utf-16-be"),
    ("comma-utf16-le", ",", "utf-16-le"),
):
    way(f"csv-{id_}", f"saved as CSV ({id_})", lambda f, s=separator, e=encoding: as_csv(f.grid(), s, e), file="A1.csv")
way("csv-windows", "saved as CSV (semicolon, Windows-1252)", lambda f: as_csv(f.grid(), ";", "cp1252"), file="A1.csv",
    warnings=["Windows-1252"])  # fmt: skip
way("csv-unix", "saved as CSV with the line ends of Unix", lambda f: as_csv(f.grid(), ",", end="\n"), file="A1.txt")
way("csv-sep-line", "a program put sep=; above", lambda f: b"sep=;\r\n" + as_csv(f.grid(), ";"), file="A1.csv")
unread("csv-first-row-gone", "saved as CSV without the hidden row", lambda f: as_csv(f.grid()[1:]),
       "without the row of hidden keys", "A1.csv")  # fmt: skip
unread("csv-cut-off", "the copying stopped", lambda f: as_csv(f.grid())[:-900], "quotation mark is not closed", "A1.csv",
       cell="line 1")  # fmt: skip


def _typed(key: str, item: str, value: Any, save: Callable[..., bytes], *more: Any) -> Make:
    def put(filled: Filled) -> bytes:
        filled.put(key, item, value)
        return save(filled.grid(), *more)

    return put


way("csv-decimal-comma", "typed 4,0, saved as CSV", _typed("score", "f1", "4,0", as_csv), {"f1": 4}, repairs=1,
    file="A1.csv")  # fmt: skip
way("csv-date", "typed 4/5, saved as CSV", _typed("score", "f1", "04/05/2026", as_csv, ";"), {"f1": None},
    problems=[("score:f1", "exactly one value")], file="A1.csv")  # fmt: skip
way("csv-true", "typed true, saved as CSV", _typed("score", "f1", "VERDADEIRO", as_csv), {"f1": None},
    problems=[("score:f1", "exactly one value")], file="A1.csv")  # fmt: skip
way("csv-words", "wrote quotes and lines, saved as CSV", _typed("notes", "f1", 'a "b";\n=c, d', as_csv, ";"),
    words={("notes", "f1"): 'a "b";\n=c, d'}, file="A1.csv")  # fmt: skip
way("ods", "saved as .ods", lambda f: as_ods(f.grid()), file="A1.ods")
way("ods-text-score", "typed 4,0, saved as .ods", _typed("score", "f1", "4,0", as_ods), {"f1": 4}, repairs=1,
    file="A1.ods")  # fmt: skip
for id_, value, words in (
    ("true", True, "true/false"),
    ("date", datetime.datetime(2026, 5, 4), "date or time"),
    ("half", 4.5, "between two values"),
):
    way(f"ods-{id_}", f"entered {value!r}, saved as .ods", _typed("score", "f1", value, as_ods), {"f1": None},
        problems=[("score:f1", words)], file="A1.ods")  # fmt: skip


def _ods_raw(xml: str) -> Make:
    return lambda f: as_ods(f.grid(), {(f.rows["f1"], f.keys["score"]): xml})


for id_, xml, words in (
    ("percent", 'office:value-type="percentage" office:value="4"', "a percentage"),
    ("formula", 'table:formula="of:=2+2" office:value-type="float" office:value="4"', "a formula"),
    ("time", 'office:value-type="time" office:time-value="PT04H00M00S"', "date or time"),
):
    way(f"ods-{id_}", f"{id_} as score, saved as .ods", _ods_raw(ods_cell(xml, "4")), {"f1": None},
        problems=[("score:f1", words)], file="A1.ods")  # fmt: skip
way("xls", "saved as .xls", lambda f: as_xls(f.grid()), file="A1.xls")
way("xls-true", "entered true, saved as .xls", _typed("score", "f1", True, as_xls), {"f1": None},
    problems=[("score:f1", "true/false")], file="A1.xls")  # fmt: skip


def _macros(filled: Filled) -> bytes:
    data = replaced(filled.data(), "[Content_Types].xml", "sheet.main+xml", "sheet.macroEnabled.main+xml")
    return zipped(parts_of(data) | {"xl/vbaProject.bin": ole({"VBA": b"x"})})


way("xlsm", "saved with macros", _macros, file="A1.xlsm")
way("xlsx-called-csv", "gave it another ending", lambda f: None, file="A1.csv")
way("csv-called-xlsx", "gave a CSV the ending .xlsx", lambda f: as_csv(f.grid(), ";"), file="A1.xlsx")
way("zip", "packed it", lambda f: zipped({"pasta/A1.xlsx": f.data(), "__MACOSX/._A1.xlsx": b"x"}), file="A1.zip")
way("zip-with-letter", "packed it with a letter", lambda f: zipped({"A1.ods": as_ods(f.grid()), "carta.txt": b"Oi!"}),
    file="respostas.zip", warnings=["carta.txt"])  # fmt: skip
unread("password", "set a password", lambda f: ole({"EncryptedPackage": b"x" * 99, "EncryptionInfo": b"\4\0\4\0"}),
       "protected by a password")  # fmt: skip
unread("cut-off", "the copying stopped", lambda f: f.data()[:-3000], "incomplete or damaged")
unread("empty-file", "the copying did not begin", lambda f: b"", "is empty")
unread("pdf", "printed it into a file", lambda f: b"%PDF-1.7\n", "is a PDF", "A1.pdf")
unread("web-page", "saved it as a web page called .xls", lambda f: b"<html><table><tr><td>4", "is a web page", "A1.xls")
unread("empty-zip", "packed nothing", lambda f: zipped({"leia.txt": b"Oi!"}), "no sheet in it", "A1.zip")
unread("foreign-workbook", "sent some other workbook", lambda f: zipped(xlsx_parts(row('<c r="A1"><v>4</v></c>'))), "no annotation sheet")
