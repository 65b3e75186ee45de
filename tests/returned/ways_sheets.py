"""What happens to rows, columns, sheets, and to what must not be touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.table import Table

from tests.returned.way import MISSING_ONE, Make, puts, sets, unread, way
from tests.returned.workbook import SCORES, Filled

# A table reads better with a line for a row.
# fmt: off
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
    filled.unmerge()
    filled.sheet.insert_rows(1, 3)
    filled.sheet["A1"] = "minhas notas"
    filled.find()
    filled.sheet.insert_rows(filled.rows["f1"], 2)
    filled.sheet.insert_cols(3)
    filled.sheet.insert_cols(9, 2)


def _columns_backwards(filled: Filled) -> None:
    filled.unmerge()
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
way("hidden", "hid rows and sheet, with a filter", _hide, warnings=["is hidden"])
way("unhidden", "made the hidden rows and columns visible", _unhide)
way("inserted", "inserted rows and columns everywhere", _insert, warnings=["minhas notas"])
way("columns-backwards", "turned the columns around", _columns_backwards)
way("renamed", "renamed sheets and headers", _rename, file="versão final (2).xlsx")
way("values-only", "pasted the values of the sheet into a new workbook", _values_only)
way("other-sheets", "added sheets, deleted the first", _other_sheets)
unread("copied-sheet", "copied the sheet to try other scores (in-11)", _copy_sheet("visible"), "2 annotation sheets")
unread("copied-sheet-hidden", "kept a hidden copy of the sheet (in-11)", _copy_sheet("hidden"), "'Rascunho' (hidden)")


def _format(filled: Filled) -> None:
    sheet = filled.sheet
    area = f"{filled.address('score:f1')}:{filled.address('notes:r1')}"
    sheet.conditional_formatting.add(area, CellIsRule("equal", ["4"], fill=PatternFill("solid", bgColor="FFFF0000")))
    colours = ColorScaleRule("min", None, "FFFF0000", "max", None, None, "max", None, "FF00FF00")
    sheet.conditional_formatting.add(area, colours)
    for item in filled.rows:
        cell = filled.cell("score", item)
        cell.fill, cell.font = PatternFill("solid", fgColor="FF123456"), Font(bold=True)
        cell.hyperlink = "https://example.com/"
    sheet.data_validations.dataValidation = []
    sheet.protection.sheet = False


def _comments(filled: Filled) -> None:
    for key in ("score", "notes", "text"):
        filled.cell(key, "f1").comment = Comment("não sei, talvez 2", "Ana")


def _table(filled: Filled) -> None:
    filled.unmerge()
    filled.sheet.cell(2, filled.keys["rubric"]).value = "Coluna1"
    filled.sheet.add_table(Table(displayName="Tabela1", ref=f"A2:N{filled.sheet.max_row}"))


way("coloured", "coloured, made bold, linked; took validation and protection away", _format)
way("comments", "left comments on cells", _comments, warnings=["has comments on 3 cells, which are not read: "])
way("table", "made it a table", _table)
way("unmerged", "took all merged cells apart", lambda f: f.reordered(lambda rows: rows))


def _merge(first: str, last: str) -> Make:
    return lambda filled: filled.sheet.merge_cells(f"{filled.address(first)}:{filled.address(last)}")


way("merged-score-and-justification", "merged the score with its justification", _merge("score:f1", "justification:f1"),
    problems=[("justification:f1", "merged with")])
way("merged-justification-and-score", "merged everything from the text to the score", _merge("text:f1", "score:f1"),
    {"f1": None}, problems=[("score:f1", "merged with")])
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
    problems=[("text:f1", "was changed")])
way("text-of-another-row", "corrected the question", _text(lambda t: t + "!", "c1", 1),
    problems=[("text:c1:1", "was changed")])
way("text-emptied", "deleted the text after reading it", _text(lambda _t: None, "c1", 2),
    problems=[("text:c1:2", "was changed")])
way("text-number", "typed over the text", _text(lambda _t: 5), problems=[("text:f1", "was changed")])
way("text-formula", "a formula instead of the text", _text(lambda _t: "=2+2"), problems=[("text:f1", "was changed")])
way("text-trailing-space", "a program added space at the ends of lines (wb-03)",
    _text(lambda t: t.replace("\n", "  \n") + " "))
way("text-crlf", "a program wrote the line ends of Windows (wb-03)", _text(lambda t: t.replace("\n", "_x000D_\n")))
way("text-composed", "a program composed the accents", _text(lambda t: t.replace("a\u0303", "ã"), "c2", 2))
way("text-escape", "a program shows _x0041_ as it was meant (wb-03)",
    _text(lambda t: t.replace("_x005F_x0041_", "_x0041_")))


def _swap_codes(filled: Filled) -> None:
    one, two = filled.cell("item_code", "f1"), filled.cell("item_code", "f2")
    one.value, two.value = two.value, one.value


def _shift_answers(filled: Filled) -> None:
    """Delete cells and let those below move up, in the answer columns alone."""
    for key in ("item_code", "score", "justification"):
        values = [filled.cell(key, item).value for item in filled.rows]
        for item, value in zip(filled.rows, [*values[1:], values[0]], strict=True):
            filled.cell(key, item).value = value


SWAPPED = "does not belong"
way("codes-sorted-alone", "sorted the column of codes alone", _swap_codes, {"f1": None, "f2": None},
    problems=[("item_code:f1", SWAPPED), ("item_code:f2", SWAPPED)])
way("answers-shifted", "sorted codes and answers without their texts", _shift_answers, dict.fromkeys(SCORES),
    problems=[(f"item_code:{item}", SWAPPED) for item in SCORES])
way("code-changed", "changed a code", sets("item_code", "f1", "F1"), {"f1": None},
    problems=[("item_code:f1", "no item of this annotator"), MISSING_ONE])
way("code-emptied", "emptied a code", sets("item_code", "f1", None), {"f1": None},
    problems=[("score:f1", "asks for nothing"), ("justification:f1", "asks for nothing"), MISSING_ONE])
way("part-emptied", "emptied a hidden cell", sets("part", "f1", None), {"f1": None},
    problems=[("item_code:f1", SWAPPED), (None, "1 rows of the text of item")])


def _delete_row(item: str, part: int | None = None) -> Make:
    return lambda filled: filled.delete_rows(filled.cell("text", item, part).row)


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
    problems=[(None, "1 rows of the text of item"), MISSING_ONE])
way("text-row-deleted", "deleted a row of text", _delete_row("r1", 1), problems=[(None, "1 rows of the text of item")])
way("row-doubled", "copied an answer row", _append("f1"), problems=[("E43", "is there twice")])
way("row-doubled-other-score", "copied an answer row to change it", _append("f1", score=2),
    problems=[("E43", "is there twice")])
way("text-row-doubled", "copied a row of text", _append("c1", 1), problems=[("G43", "is there twice")])
way("text-row-moved", "overwrote one text with another", _swap_text_and_code,
    problems=[("text:f1", "was changed"), (None, "1 rows of the text of item"), ("F13", "a label of item")])


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
    problems=[("I12", "asks for nothing")])
way("score-beside-another-text", "scored beside a text that is not the last", _stray("doubt", "{c1}:002", "sim"),
    problems=[("K31", "asks for nothing")])
way("time-in-the-title", "entered a time in the title row", _stray("time_end", "{f1}:000", "14:05"),
    problems=[("N12", "asks for nothing")])
way("score-below", "wrote an average below the table", _below, problems=[("I44", "asks for nothing")])
way("beside-note", "wrote beside the table", _beside("ver item 2"), warnings=["O"])
way("beside-score", "scored anew beside the table, under the same title (in-09)", _beside(2, "Nota"),
    problems=[("O2", ": 5 vs 2)")])


def _double_column(filled: Filled) -> None:
    for row in range(1, filled.sheet.max_row + 1):
        filled.sheet.cell(row, 15).value = filled.sheet.cell(row, filled.keys["score"]).value


unread("column-doubled", "copied the score column, keys and all (in-09)", _double_column,
       "the column 'score' is there twice", cell="O1")
unread("key-emptied", "emptied a key", lambda f: setattr(f.sheet.cell(1, f.keys["score"]), "value", None),
       "lacks the column score")
unread("notes-column-deleted", "deleted the notes", lambda f: f.delete_columns("notes"), "lacks the column notes")
unread("two-columns-deleted", "deleted justification and doubt",
       lambda f: f.delete_columns("doubt", "justification"), "lacks the column doubt, justification")
unread("key-row-deleted", "deleted the hidden first row", lambda f: f.delete_rows(1), "no annotation sheet")
way("header-deleted", "deleted the visible header", lambda f: f.delete_rows(2))

# --- whose it is, and of which study ------------------------------------------------------------------------------


def _every(key: str, value: Any) -> Make:
    def put(filled: Filled) -> None:
        for row in filled.rows.values():
            filled.sheet.cell(row, filled.keys[key]).value = value

    return put


def _layout(version: str) -> Make:
    def change(filled: Filled) -> None:
        for holder in filled.book.custom_doc_props.props:
            if holder.name == "layout":
                holder.value = version

    return change


def _layout_of_first_sheet(filled: Filled) -> None:
    """Change what the first sheet says, which is all that .xls and some programs keep."""
    del filled.book.custom_doc_props["layout"]
    for line in filled.book.worksheets[0].iter_rows():
        for cell in line:
            if cell.value == "layout":
                filled.book.worksheets[0].cell(cell.row, cell.column + 1).value = "2"


unread("other-study", "sent the workbook of another study", _every("study", "st-bcdfghjklm"), "another study",
       cell="A15")
unread("nobodys", "emptied the hidden columns", _every("annotator", None), "says nowhere whose it is")
unread("strangers", "is not in the study", _every("annotator", "Z9"), "not in the study")
unread("two-peoples", "pasted rows of a colleague", sets("annotator", "f1", "A2"), "several annotators")


def _taken_for_another(filled: Filled) -> None:
    """Change whose it is as far as only the first sheet tells, which is all that .xls and some programs keep."""
    del filled.book.custom_doc_props["annotator"]
    _every("annotator", "A2")(filled)


unread("anothers", "sent a workbook whose hidden column says another", _every("annotator", "A2"), "was made for A1",
       cell="B15")
unread("anothers-by-the-first-sheet", "sent one of which only the first sheet tells", _taken_for_another,
       "was made for A1", cell="B15")
way("name-in-capitals", "a program changed case and space of the name", _every("annotator", " a1 "))
way("hidden-cell-emptied", "emptied one hidden cell", sets("annotator", "f1", None),
    problems=[("item_code:f1", "'annotator' was emptied")])
unread("newer-layout", "has a workbook of a newer toolkit", _layout("2"), "newer")
unread("newer-layout-first-sheet", "has one that only its first sheet tells of", _layout_of_first_sheet, "newer")
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
way("practice-deleted", "deleted the practice items", lambda f: f.delete_rows(3, 8))
way("closing", "answered the closing questions", _closing,
    words={("closing", "saw_scores"): "não", ("closing", "comment"): "closing: =1+1"})
