"""What people score by, and must not be touched: labels, levels, questions, the rubric, instructions."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from openpyxl.cell import MergedCell
from openpyxl.styles import Font

from tests.returned.way import Make, way
from tests.returned.workbook import Filled, as_csv, as_ods, as_xls

# A table reads better with a line for a row.
# fmt: off
GUIDE, RUBRIC = 0, 1
Change = Callable[[str], Any]


def _first(filled: Filled, key: str, starts: str, part: str = "") -> Any:
    """Return the first cell of a column that begins with some words, in rows whose hidden code begins with others."""
    for row in range(3, filled.sheet.max_row + 1):
        cell = filled.sheet.cell(row, filled.keys[key])
        code = str(filled.sheet.cell(row, filled.keys["part"]).value)
        if not isinstance(cell, MergedCell) and str(cell.value).startswith(starts) and code.startswith(part):
            return cell
    raise AssertionError(starts)


def _put(cell: Any, value: Any) -> None:
    cell.value = value
    if isinstance(value, str) and not value.startswith("=2"):
        cell.data_type = "s"


def _change(key: str, starts: str, part: str, change: Change) -> Make:
    """Return a change of the first such cell."""

    def put(filled: Filled) -> None:
        cell = _first(filled, key, starts, part.format(**filled.codes))
        _put(cell, change(str(cell.value)))

    return put


def _everywhere(key: str, old: str, new: str) -> Make:
    """Return what search and replace does to a column."""

    def put(filled: Filled) -> None:
        for row in range(3, filled.sheet.max_row + 1):
            cell = filled.sheet.cell(row, filled.keys[key])
            if not isinstance(cell, MergedCell) and old in str(cell.value):
                _put(cell, str(cell.value).replace(old, new))

    return put


def _on_sheet(place: int, starts: str, change: Change) -> Make:
    """Return a change of the first cell with such words on another sheet."""

    def put(filled: Filled) -> None:
        cells = (cell for line in filled.book.worksheets[place].iter_rows() for cell in line)
        cell = next(cell for cell in cells if str(cell.value).startswith(starts))
        _put(cell, change(str(cell.value)))

    return put


LEVELS, BANNER, QUESTION, LABEL, RULES = (
    "the level descriptions beside item", "what opens the dimension", "the question above", "a label of item",
    "the rubric was changed")

# --- labels -------------------------------------------------------------------------------------------------------


def _swap_labels(filled: Filled) -> None:
    """The variant is read as the original."""
    labels = ("Resposta original", "Variante 1: res")
    one, two = (_first(filled, "label", words, filled.codes["r1"]) for words in labels)
    one.value, two.value = two.value, one.value


way("labels-swapped", "swapped two labels, so that the variant is read as the original", _swap_labels,
    problems=[("label:r1:2", f"{LABEL} "), ("label:r1", "'Variante 1: resposta' became 'Resposta original'")])
way("label-changed", "called an answer by another number",
    _change("label", "Resposta 2", "{c1}", lambda _l: "Resposta 3"),
    problems=[("label:c1:3", "'Resposta 2' became 'Resposta 3'")])
way("label-emptied", "emptied a label", _change("label", "Pergunta", "{f1}", lambda _l: None),
    problems=[("label:f1:1", LABEL)])
way("label-space", "a program added a space to a label", _change("label", "Pergunta", "{f1}", lambda t: t + " "))
way("label-of-an-opening", "renamed a dimension", _change("label", "Factual", "dimension:", lambda _l: "Estilo"),
    problems=[("F11", "the title of the dimension factual was changed")])
for key in ("label", "rubric"):
    way(f"{key}-column-deleted", f"deleted the column {key}", lambda f, key=key: f.delete_columns(key),
        problems=[(None, f"lacks the column {key}")])

# --- levels -------------------------------------------------------------------------------------------------------

way("levels-changed", "softened the best level beside an item",
    _change("rubric", "5 = ", "{f1}", lambda t: t.replace("correta, co", "quase correta, co", 1)),
    problems=[("H13", LEVELS)])
way("levels-written-over", "wrote into the level descriptions", _change("rubric", "5 = ", "{f1}", lambda _t: "?"),
    problems=[("H13", "became '?'")])
way("levels-emptied", "emptied the level descriptions", _change("rubric", "5 = ", "{c1}", lambda _t: None),
    problems=[("H34", "were emptied")])


def _emptied_and_apart(filled: Filled) -> None:
    filled.unmerge()
    _first(filled, "rubric", "5 = ", filled.codes["c1"]).value = None


way("levels-emptied-and-apart", "took the merged cells apart and emptied the levels", _emptied_and_apart,
    problems=[("H30", "were emptied")])
way("levels-of-another-dimension", "copied the levels of another dimension beside an item",
    lambda f: _put(_first(f, "rubric", "5 = ", f.codes["f1"]), _first(f, "rubric", "5 = ", f.codes["c1"]).value),
    problems=[("H13", LEVELS)])
way("levels-replaced-everywhere", "searched and replaced a word of the levels",
    _everywhere("rubric", "A resposta é correta", "A resposta é boa"),
    problems=[*((cell, LEVELS) for cell in ("H13", "H17", "H21", "H4", "H8"))])
way("levels-formula", "a formula instead of the levels", _change("rubric", "5 = ", "{f1}", lambda _t: "=2+2"),
    problems=[("H13", "it is a formula")])
way("levels-crlf", "a program wrote the line ends of Windows",
    _everywhere("rubric", "\n", "_x000D_\n"))
way("levels-spaces", "a program added space at the ends of lines", _everywhere("rubric", "\n", " \t\n"))


def _decompose(filled: Filled) -> None:
    """All accents of all sheets."""
    for sheet in filled.book.worksheets:
        for line in sheet.iter_rows():
            for cell in line:
                if isinstance(cell.value, str) and not cell.value.startswith("="):
                    cell.value = unicodedata.normalize("NFD", cell.value)


way("levels-decomposed", "a program took all accents apart", _decompose)

# --- what opens a dimension, an item ------------------------------------------------------------------------------

way("opening-changed", "added a rule to what opens a dimension",
    _change("text", "Quanto a resposta", "dimension:", lambda t: t + "\nNa dúvida, dê 5."),
    problems=[("G11", "what opens the dimension factual was changed")])
way("opening-deleted", "deleted what opens a dimension", lambda f: f.delete_rows(11),
    warnings=["were deleted, with no answers in them (those of dimension factual)"])
way("question-changed", "asked another question above an item",
    _change("text", "Quanto a resposta", "{f2}:000", lambda _t: "A resposta é bem escrita?"),
    problems=[("G16", f"{QUESTION} item")])
way("question-emptied", "emptied the question above an item",
    _change("text", "Quanto a resposta", "{f2}:000", lambda _t: None), problems=[("G16", "became ''")])
way("title-deleted", "deleted the row above an item", lambda f: f.delete_rows(16), warnings=["those of item "])
way("title-renumbered", "renumbered the items", _change("label", "Item 2", "{f2}:000", lambda _l: "Item 9 de 9"))
way("practice-changed", "changed a text to practise on",
    _change("text", "Pergunta: Quantos", "practice-1:001", lambda t: t + "!"),
    problems=[("G5", "the text of practice-1 was changed")])
way("practice-question-changed", "changed the question above an item for practice",
    _change("text", "Quanto a resposta", "practice-1:000", lambda t: t + "!"), problems=[("G3", QUESTION)])

# --- the other sheets ---------------------------------------------------------------------------------------------

way("rubric-level-changed", "changed a level in the rubric",
    _on_sheet(RUBRIC, "A resposta é essencialmente", lambda t: t.replace("essencialmente", "mais ou menos")),
    problems=[("D12", f"{RULES}, and a score by another rubric is another score: ")])
way("rubric-edge-case-changed", "changed an edge case",
    _on_sheet(RUBRIC, "• A resposta diz que não", lambda t: t + " 5."), problems=[("B19", RULES)])
way("rubric-scale-changed", "changed a value of the scale", _on_sheet(RUBRIC, "3 —", lambda _t: "4 — Mista"),
    problems=[("B6", RULES)])
way("rubric-example-score-changed", "changed the score of an example",
    lambda f: _put(f.book.worksheets[RUBRIC]["B27"], "4"), problems=[("B27", RULES)])
way("rubric-cell-emptied", "emptied a cell of the rubric",
    _on_sheet(RUBRIC, "A resposta é essencialmente", lambda _t: None), problems=[("D12", RULES)])


def _swap_levels(filled: Filled) -> None:
    sheet = filled.book.worksheets[RUBRIC]
    for column in "CD":
        one, two = sheet[f"{column}11"], sheet[f"{column}15"]
        one.value, two.value = two.value, one.value


def _rubric_row_deleted(filled: Filled) -> None:
    sheet = filled.book.worksheets[RUBRIC]
    for area in list(sheet.merged_cells.ranges):
        sheet.unmerge_cells(str(area))
    sheet.delete_rows(17)


def _rubric_rearranged(filled: Filled) -> None:
    """Rows and columns backwards, notes beside and between, another name, another place."""
    sheet = filled.book.worksheets[RUBRIC]
    values = [[cell.value for cell in line] for line in sheet.iter_rows()]
    del filled.book[sheet.title]
    other = filled.book.create_sheet("Regras", 0)
    for line in reversed(values):
        other.append(["nota minha", *reversed(line), None, "outra"])
        other.append([])


def _numbers(filled: Filled) -> None:
    """A program made numbers of texts that look like some."""
    for line in filled.book.worksheets[RUBRIC].iter_rows():
        for cell in line:
            if str(cell.value).isdecimal():
                cell.value = int(cell.value)


def _two_cells(filled: Filled) -> None:
    for cell in ("C12", "D12", "H12"):
        filled.book.worksheets[RUBRIC][cell].value = cell


def _struck(filled: Filled) -> None:
    for cell in (filled.book.worksheets[RUBRIC]["D12"], filled.cell("text", "f1"), filled.cell("label", "f1")):
        cell.font = Font(strike=True)


def _rubric_deleted(filled: Filled) -> None:
    del filled.book[filled.book.sheetnames[RUBRIC]]


def _rubric_copied(filled: Filled) -> None:
    twin = filled.book.copy_worksheet(filled.book.worksheets[RUBRIC])
    twin["D12"].value = "outra coisa"


way("rubric-levels-swapped", "swapped two levels in the rubric", _swap_levels,
    problems=[(cell, RULES) for cell in ("C11", "D11", "C15", "D15")])
way("rubric-row-deleted", "deleted an edge case", _rubric_row_deleted,
    problems=[(None, "1 rows of the rubric are missing (• Você acha")])
way("rubric-rearranged", "rearranged the rubric, with notes", _rubric_rearranged,
    warnings=["(Regras > A1: 'nota minha', and "])
way("rubric-rule-added", "wrote a rule below the rubric",
    lambda f: _put(f.book.worksheets[RUBRIC]["B80"], "Na dúvida, 5."), warnings=["(Rubrica > B80: 'Na dúvida, 5.')"])
way("rubric-numbers", "a program made numbers of the examples' scores", _numbers)
way("rubric-two-cells-changed", "changed two cells beside each other, with a note to their right",
    _two_cells, problems=[("C12", "became 'C12'"), ("D12", "became 'D12'")], warnings=["(Rubrica > H12: 'H12')"])
way("rubric-deleted", "deleted the rubric", _rubric_deleted)
way("rubric-copied", "changed a copy of the rubric", _rubric_copied, problems=[("D12", "became 'outra coisa'")])
way("rubric-struck-out", "struck out a level in the rubric, and a text", _struck)
way("closing-question-changed", "changed a closing question",
    _on_sheet(GUIDE, "Você viu alguma nota", lambda t: t.replace("viu", "não viu")),
    problems=[("B28", "a closing question was changed")])
way("first-sheet-changed", "changed how the sheet is filled in",
    _on_sheet(GUIDE, "4. Justificativa", lambda t: t + "!"))

# --- other formats ------------------------------------------------------------------------------------------------


def _all_changed(filled: Filled) -> None:
    """One of each kind that the annotation sheet has."""
    for key, starts, part in (("rubric", "5 = ", "{f1}"), ("text", "Quanto", "dimension:"),
                              ("text", "Quanto", "{f2}:000"), ("label", "Pergunta", "{f3}")):
        _change(key, starts, part, lambda t: t + "!")(filled)


ALL_CHANGED = [("H13", LEVELS), ("G11", BANNER), ("G16", QUESTION), ("label:f3:1", LABEL)]
for kind, save in (("csv", as_csv), ("ods", as_ods), ("xls", as_xls)):

    def _saved(filled: Filled, save: Callable[[Any], bytes] = save) -> bytes:
        _all_changed(filled)
        return save(filled.grid())

    way(f"locked-{kind}", f"changed much that is locked, saved as .{kind}", _saved, problems=ALL_CHANGED,
        file=f"A1.{kind}")
