"""What people see that is not what the file stores: number formats, strike-through, what takes no room, copies."""

from __future__ import annotations

from typing import Any

from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font

from tests.readers.build import ods_cell
from tests.returned.way import Make, puts, unread, way
from tests.returned.workbook import Filled, as_ods

# A table reads better with a line for a row.
# fmt: off
# --- a text that is shown as another ------------------------------------------------------------------------------


def _text(value: str, code: str, key: str = "score") -> Make:
    def put(filled: Filled) -> None:
        filled.put(key, "f1", value)
        filled.cell(key, "f1").number_format = code

    return put


for id_, code, seen in (
    ("nothing", ";;;", "but the cell shows nothing"),
    ("digit-before", '"1"@', "but the cell shows 14"),
    ("digit-after", '0;0;0;@"5"', "but the cell shows 45"),
    ("another", '0;0;0;"5"', "but the cell shows 5"),
    ("another-after-numbers", '0;"2"@', "but the cell shows 24"),
    ("percent", '@"%"', "but the cell shows 4%"),
    ("about", '"~"@', "but the cell shows ~4"),
    ("twice", "@ @", "but the cell shows what its number format"),
    ("date", 'dd/mm/yyyy;@"9"', "but the cell shows 49"),
):
    way(f"text-shown-{id_}", f"typed 4 as text under the format {code}", _text("4", code), {"f1": None},
        problems=[("score:f1", seen)], repairs=0)
for id_, code in (("text", "@"), ("date", "dd/mm/yyyy;@"), ("accounting", r'_(* #,##0_);_(* \(#,##0\);_(* "-"_);_(@_)'),
                  ("numbers", '0" x";"y"0;"5"'), ("percent", "0%"), ("unit", '@" pontos"')):
    way(f"text-shown-as-is-{id_}", f"typed 4 as text under the format {code}", _text("4", code), {"f1": 4}, repairs=1)
way("label-shown-as-another", "typed a label under a format of one's own", _text("boa", '"muito "@'), {"f1": None},
    problems=[("score:f1", "but the cell shows muito boa")])
way("doubt-shown-as-nothing", "chose yes in a cell that shows nothing", _text("sim", ";;;", "doubt"),
    problems=[("doubt:f1", "the cell shows nothing")])
way("format-percent-literal", "4 shown as 4%", puts("score", 4, '0"%"'), {"f1": None},
    problems=[("score:f1", "but the cell shows 4%")])
way("format-endless", "4 under a format of 300 characters", puts("score", 4, '"' + "5" * 300 + '"'), {"f1": None},
    problems=[("score:f1", "but the cell shows")])


def _ods_score(xml: str) -> Make:
    return lambda filled: as_ods(filled.grid(), {(filled.rows["f1"], filled.keys["score"]): xml})


STORED = 'office:value-type="string" office:string-value="{}"'
way("ods-text-unsaid", "a program stored no text beside the one in view", _ods_score(ods_cell(STORED.format(""), "4")),
    {"f1": 4}, repairs=1, file="A1.ods")
way("ods-text-off-scale", "the same, off the scale", _ods_score(ods_cell(STORED.format(""), "9")), {"f1": None},
    problems=[("score:f1", "off the scale")], file="A1.ods")
way("ods-text-shown-as-another", "a format shows 14 for the text 4", _ods_score(ods_cell(STORED.format(4), "14")),
    {"f1": None}, problems=[("score:f1", "but the cell shows 14")], file="A1.ods")
way("ods-text-shown-as-nothing", "a format shows nothing for the text 4", _ods_score(ods_cell(STORED.format(4), "")),
    {"f1": None}, problems=[("score:f1", "but the cell shows nothing")], file="A1.ods")
way("ods-text-shown-with-space", "a format puts space around it", _ods_score(ods_cell(STORED.format(4), " 4 ")),
    {"f1": 4}, repairs=1, file="A1.ods")

# --- struck out ---------------------------------------------------------------------------------------------------


def _struck(*keys: str, value: Any = None) -> Make:
    def strike(filled: Filled) -> None:
        for key in keys:
            if value is not None:
                filled.put(key, "f1", value)
            filled.cell(key, "f1").font = Font(strike=True)

    return strike


def _runs(key: str, *runs: tuple[str, bool]) -> Make:
    def put(filled: Filled) -> None:
        blocks = (TextBlock(InlineFont(strike=struck), text) for text, struck in runs)
        filled.cell(key, "f1").value = CellRichText(*blocks)

    return put


STRUCK = [("score:f1", "is struck out, at least in part")]
way("struck", "struck the score out", _struck("score"), {"f1": None}, problems=STRUCK)
way("struck-text", "struck out a score that is text", _struck("score", value="4"), {"f1": None}, problems=STRUCK)
way("struck-part", "struck out 3 and wrote 4 after it", _runs("score", ("3", True), (" 4", False)), {"f1": None},
    problems=STRUCK)
way("struck-comma", "struck out what stands behind the comma", _runs("score", ("4", False), (",5", True)),
    {"f1": None}, problems=STRUCK)
way("struck-space", "struck out a space", _runs("score", ("4", False), (" ", True)), {"f1": 4}, repairs=1)
way("not-struck", "took the strike-through away again", _runs("score", ("4", False)), {"f1": 4}, repairs=1)
way("struck-blank", "struck out an empty cell", lambda f: (puts("score", None)(f), _struck("score")(f))[0],
    {"f1": None})
way("struck-true", "struck out a true", _struck("score", value=True), {"f1": None}, problems=STRUCK)
way("struck-words", "struck out words, which can still be read", _struck("justification", "notes", value="era bom"),
    words={("justification", "f1"): "era bom", ("notes", "f1"): "era bom"})
way("struck-part-of-words", "struck out a word", _runs("justification", ("não ", True), ("está certo", False)),
    words={("justification", "f1"): "não está certo"})
way("struck-doubt", "struck out the doubt", _struck("doubt", value="sim"),
    problems=[("doubt:f1", "it is struck out")])
way("struck-time", "struck out a time", _struck("time_end", value="14:05"),
    problems=[("time_end:f1", "it is struck out")])
way("struck-text-to-read", "struck out what was read already", _struck("text", "item_code", "study", "part"))


def _struck_and_merged(filled: Filled) -> None:
    _struck("score", "justification")(filled)
    filled.sheet.merge_cells(f"{filled.address('score:f1')}:{filled.address('justification:f1')}")


way("struck-and-merged", "struck out and merged score and justification", _struck_and_merged, {"f1": None},
    problems=[*STRUCK, ("justification:f1", "merged with")])

# --- what takes no room -------------------------------------------------------------------------------------------


def _with(character: str, *keys: str, in_keys: bool = False) -> Make:
    def put(filled: Filled) -> None:
        for key in keys:
            rows = [filled.key_row] if in_keys else list(filled.rows.values())
            for row in rows:
                cell = filled.sheet.cell(row, filled.keys[key])
                cell.value = f"{character}{cell.value}"
                cell.data_type = "s"

    return put


for name, character in (("mark", "\ufeff"), ("zero-width", "\u200b"), ("joiner", "\u200d"), ("direction", "\u200e")):
    way(f"unseen-{name}-in-codes", f"a {name} got into all codes",
        _with(character, "study", "annotator", "item_code", "part"))
    way(f"unseen-{name}-in-keys", f"a {name} got into the keys",
        _with(character, "study", "score", "item_code", in_keys=True))
    way(f"unseen-{name}-in-score", f"pasted a score with a {name}", puts("score", f"{character}4{character}"),
        {"f1": 4}, repairs=1)
    way(f"unseen-{name}-alone", f"pasted a {name} and nothing else", puts("score", character), {"f1": None})
    way(f"unseen-{name}-in-label", f"pasted a label with a {name}", puts("score", f"Bo{character}a"), {"f1": 4},
        repairs=1)

# --- hidden sheets, copies ----------------------------------------------------------------------------------------


def _visible_copy(hidden: bool, codes: bool = True) -> Make:
    """Copy what is in view into a new sheet, without the hidden row and columns, and score there."""

    def copy(filled: Filled) -> None:
        filled.sheet.sheet_state = "hidden" if hidden else "visible"
        twin = filled.book.create_sheet("Cópia")
        shown = [filled.keys[key] for key in ("item_code", "text", "score", "justification")][not codes:]
        for row in range(2, filled.sheet.max_row + 1):
            for column, source in enumerate(shown, 1):
                twin.cell(row, column).value = filled.sheet.cell(row, source).value
                if isinstance(twin.cell(row, column).value, str):
                    twin.cell(row, column).data_type = "s"
        filled.book.active = len(filled.book.worksheets) - 1

    return copy


unread("hidden-beside-a-copy", "filled in a copy of what is in view, and hid the sheet", _visible_copy(True),
       "the same items are in view in 'Cópia'")
NOT_READ = "names items by their codes"
way("copy-in-view", "keeps a copy beside the sheet", _visible_copy(False), warnings=[NOT_READ])


def _went_on(make: Make, *items: str) -> Make:
    """Copy the table with all scores, of which the sheet itself lacks those of some items."""

    def go_on(filled: Filled) -> None:
        make(filled)
        for item in items:
            filled.put("score", item, None)

    return go_on


def _whole_copy(code: str = "{}", header: bool = True, score: object = 5) -> Make:
    """Copy the sheet with its hidden columns, without the row of keys, and score the first item there."""

    def copy(filled: Filled) -> None:
        twin = filled.book.copy_worksheet(filled.sheet)
        twin.title = "Cópia"
        for row in range(1, 2 if header else 3):
            for column in range(1, twin.max_column + 1):
                twin.cell(row, column).value = None
        for row in filled.rows.values():
            twin.cell(row, filled.keys["item_code"]).value = code.format(twin.cell(row, filled.keys["item_code"]).value)
        twin.cell(filled.rows["f1"], filled.keys["score"]).value = score

    return copy


def _private_notes(filled: Filled) -> None:
    notes = filled.book.create_sheet("Meu")
    notes.append(["Item", "Nota", 3])
    for code, words in zip(filled.codes.values(), ("rever", "ver item 2", "4/5?", "", "nada", "?"), strict=True):
        notes.append([code, words, 1])


LOST = "it is not read, but the scores of {} in it are not those in the annotation sheet"
way("copy-went-on", "went on in a copy of what is in view", _went_on(_visible_copy(False), "f1", "c2"),
    {"f1": None, "c2": None}, problems=[("C15", LOST.format("2 items"))])
way("copy-whole-same", "keeps a copy of the whole sheet", _whole_copy(), warnings=[NOT_READ])
way("copy-whole-codes-spaced", "went on in a copy with spaces around codes",
    _went_on(_whole_copy(" {}\u200b "), "f1"), {"f1": None}, problems=[("score:f1", LOST.format("1 item"))])
way("copy-whole-no-header", "changed a score in a copy without a header", _whole_copy(header=False, score="2"),
    problems=[("score:f1", "2 vs 5")])
way("copy-whole-words", "wrote of two scores in a copy", _whole_copy(score="4/5"), problems=[("score:f1", "4/5 vs 5")])
way("private-notes", "keeps notes about items in a sheet", _private_notes, warnings=[NOT_READ])
way("hidden-beside-notes", "hid the sheet, and keeps notes", _visible_copy(True, codes=False), warnings=["is hidden"])


def _twins(first: str, second: str, differ: bool) -> Make:
    def copy(filled: Filled) -> None:
        twin = filled.book.copy_worksheet(filled.sheet)
        twin.title, twin.sheet_state, filled.sheet.sheet_state = "B", second, first
        if differ:
            twin.cell(filled.rows["f1"], filled.keys["score"]).value = 1

    return copy


for differ in (True, False):
    unread(f"twins-second-hidden-{differ}", "a copy of the sheet is hidden", _twins("visible", "veryHidden", differ),
           "'B' (hidden)")
    unread(f"twins-first-hidden-{differ}", "the sheet is hidden, a copy is not", _twins("hidden", "visible", differ),
           "(hidden), 'B'")

# --- comments -----------------------------------------------------------------------------------------------------


def _commented(filled: Filled) -> None:
    for row in range(1, 13):
        filled.sheet.cell(row, 30).comment = Comment("4, not 3", "A1")


way("comments-many", "commented many cells", _commented, warnings=["and 2 more"])
