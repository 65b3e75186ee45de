"""What is entered into the answer cells."""

from __future__ import annotations

import datetime
from typing import Any

from openpyxl.worksheet.formula import ArrayFormula

from tests.returned.way import Make, puts, unread, way
from tests.returned.workbook import Filled, patched

# A table reads better with a line for a row.
# fmt: off
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
way("score-two-decimals", "4 shown as 4.00 (in-13)", puts("score", 4, "0.00"), {"f1": 4})
way("score-currency", "4 shown as R$ 4,00", puts("score", 4, '"R$" #,##0.00'), {"f1": 4})
way("score-of-five", "4 shown as 4 of 5", puts("score", 4, '0" de 5"'), {"f1": 4})
way("score-cleared", "emptied the score", puts("score", None), {"f1": None})
way("score-space", "pressed the space bar", puts("score", " "), {"f1": None})


def _all_as_text(filled: Filled) -> None:
    for item in filled.rows:
        filled.put("score", item, str(filled.cell("score", item).value))


way("score-all-text", "pasted all scores from a web page", _all_as_text, repairs=6)

# --- a score that is not ------------------------------------------------------------------------------------------

# in-05: zero, true, false and true-word
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
    ("hidden-decimals", "typed 4.6, which shows as 5 (in-13)", 4.6, "0", "the cell shows 5"),
    ("shows-another", "4 in a cell that shows 5 whatever is in it", 4, '"5"', "the cell shows 5"),
    *((f"format-{n}", f"4 in a cell of the format {code}", 4, code, "but the cell shows") for n, code in enumerate((
        '[=4]"5"', '[=4]"five"', '[>0]"bad"', "5", "0,", '"1"General', '"3-"0', '0" - 5"', '"-"0', '0" "0',
         r"00000\-0000"), 1)),
    ("shows-nothing", "4 in a cell that shows nothing", 4, ";;;", "the cell shows nothing"),
):
    way(f"score-{id_}", did, puts("score", value, kind), {"f1": None}, problems=[("score:f1", words)])



def _one_column_left(filled: Filled) -> None:
    filled.put("score", "f1", None)
    filled.put("rubric", "f1", 4)


way("score-one-column-left", "typed 4 beside the score's cell", _one_column_left, {"f1": None},
    problems=[("rubric:f1", "beside the score of item")])
way("dimension-changed", "changed the hidden dimension of an item", puts("dimension", "robustness"),
    problems=[("dimension:f1", "hidden dimension")])

FORMULA = [("score:f1", "a formula")]


def _cell(content: str, attributes: str = "") -> Make:
    return lambda filled: patched(filled.data(), str(filled.address("score:f1")), content, attributes)


way("score-formula", "typed =2+2", lambda f: f.formula("score", "f1", "=2+2"), {"f1": None}, problems=FORMULA)
way("score-formula-cached", "typed =2+2, computed", _cell("<f>2+2</f><v>4</v>"), {"f1": None}, problems=FORMULA)
way("score-formula-empty", "typed =\"\"", _cell('<f>""</f><v></v>', 't="str"'), {"f1": None}, problems=FORMULA)
way("score-formula-shared", "filled a formula down", _cell('<f t="shared" si="0"/><v>4</v>'), {"f1": None},
    problems=FORMULA)
way("score-damaged-number", "a program stored NaN", _cell("<v>NaN</v>"), {"f1": None},
    problems=[("score:f1", "a number no program can read")])
way("score-binary-noise", "copied 2.9999999999999996 (in-13)", _cell("<v>2.9999999999999996</v>"), {"f1": 3},
    repairs=1)
way("score-inline", "a program stored the text in the cell", _cell("<is><t>4</t></is>", 't="inlineStr"'), {"f1": 4},
    repairs=1)
way("score-iso-date", "a program stored a date as text", _cell("<v>2026-05-04</v>", 't="d"'), {"f1": None},
    problems=[("score:f1", "date or time")])
unread("score-unknown-text", "a program lost the texts", _cell("<v>99999</v>", 't="s"'), "a text that is not there",
       cell="score:f1")


def _array(filled: Filled) -> None:
    cell = filled.cell("score", "f1")
    filled.sheet[cell.coordinate] = ArrayFormula(f"{cell.coordinate}:{filled.address('justification:f1')}", "={4,5}")


way("score-array", "typed an array formula over two cells", _array, {"f1": None},
    problems=[*FORMULA, ("justification:f1", "a formula")])

# --- doubts, words, times -----------------------------------------------------------------------------------------

for word, repairs in (("sim", 0), ("SIM", 0), ("yes", 0), ("x", 1), (True, 1), (1, 1)):
    way(f"doubt-{word}-{type(word).__name__}", f"doubt {word!r}", puts("doubt", word), repairs=repairs,
        words={("doubt", "f1"): True})
for word in ("não", "n", "no", False, None):
    repairs = int(word is False)
    way(f"doubt-{word}-{type(word).__name__}", f"doubt {word!r}", puts("doubt", word), repairs=repairs,
        words={("doubt", "f1"): False})
for word in ("talvez", 4, "?"):
    way(f"doubt-{word}", f"doubt {word!r}", puts("doubt", word), problems=[("doubt:f1", "neither yes nor no")])
way("doubt-formula", "doubt =1=1", lambda f: f.formula("doubt", "f1", "=1=1"),
    problems=[("doubt:f1", "neither yes nor no")])

for id_, text in {
    "equals": "=1+1, disse ele",
    "plus": "+1",
    "minus": "- falta a fonte",
    "at": "@maria discorda",
    "tab": "\tcom tabulação",
    "html": "<script>alert(1)</script> & <b>",
    "emoji": "👍🏽 ótima 😀",
}.items():
    way(f"words-{id_}", f"wrote a text ({id_})", puts("justification", text),
        words={("justification", "f1"): text.strip()})
LONG = "muito longo 😀 " * 2858
way("words-too-long", "wrote 40,000 characters",
    lambda f: patched(f.data(), f.address("justification:f1"), f"<is><t>{LONG}</t></is>", 't="inlineStr"'),
    words={("justification", "f1"): LONG.strip()})
way("words-crlf", "line ends of Windows", puts("notes", "um_x000D_\ndois\r\n"), words={("notes", "f1"): "um\ndois"})
way("words-decomposed", "accents of a Mac", puts("notes", "na\u0303o"), words={("notes", "f1"): "não"})
way("words-number", "a number as justification", puts("justification", 4), words={("justification", "f1"): "4"})
way("words-formula", "a formula as justification", lambda f: f.formula("justification", "f1", '=HYPERLINK("x")'),
    problems=[("justification:f1", "a formula")])
way("words-error", "#NAME? as note", lambda f: f.formula("notes", "f1", "#NAME?"),
    problems=[("notes:f1", "an error value")])
way("words-none", "no justification at all", puts("justification", None), words={("justification", "f1"): ""})


def _times(start: Any, end: Any, kind: str | None = None) -> Make:
    def put(filled: Filled) -> None:
        filled.put("time_start", "f1", start, kind)
        filled.put("time_end", "f1", end, kind)

    return put


for id_, start, end, minutes in (
    ("typed", "14:05", "14:15", 10),
    ("h", "9h05", "9h20", 15),
    ("am-pm", "11:50:30 AM", "12:10 pm", 19.5),
    ("p-m", "1:05 p. m.", "13:15", 10),
    ("midnight-am", "12:10 AM", "0:20", 10),
    ("values", datetime.time(14, 5), datetime.time(14, 15), 10),
    ("moments", datetime.datetime(2026, 5, 4, 14, 5), datetime.datetime(2026, 5, 4, 14, 35), 30),
    ("midnight", "23:50", "0:10", 20),
    ("share-of-day", 0.5, 0.75, 360),
    ("start-only", "14:05", None, None),
    ("blank", None, None, None),
):
    way(f"time-{id_}", f"worked from {start} to {end}", _times(start, end), words={("minutes", "f1"): minutes})
for id_, start in (("word", "agora"), ("hour", 14), ("impossible", "25:00"), ("13-pm", "13:00 PM"), ("negative", -0.5)):
    way(f"time-{id_}", f"began at {start!r}", _times(start, "14:15"),
        problems=[("time_start:f1", "no time of day")])
