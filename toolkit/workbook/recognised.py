"""Whether a score cell holds what will be read as a score, as a formula: `values.parse_score` in a spreadsheet.

A cell is green and counts as done where the reader would take it, and red where the reader would refuse it. What no
list can hold (`004`, `4.0000`, digits of other scripts) is read and yet red. What is refused and yet green: a formula
that gives a value of the scale, a number that is right under a format that is not (100%), and a label whose own
colon, dash or comma somebody typed as another mark.

The formulas use FIND, SUBSTITUTE, LOWER and TRIM, which are the same in Excel, LibreOffice and Google Sheets, in
every locale, and work on a range as well as on a cell. VALUE would not do: it takes dates, times, shares and money,
and each locale's own. A conditional format of Excel takes no constant with several values, so lists are texts; it
may be as long as any formula, 16,384 bytes ([MS-XLSB] 2.5.98.6, CFParsedFormula).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolkit.model import Rubric
from toolkit.texts import plain_key
from toolkit.values import labels_of

# Stands between the texts of a list. TRIM leaves no two spaces side by side, so nothing typed can reach over it.
GAP = "  "
# A text inside a formula has at most 255 characters, every quotation mark doubled.
LONGEST_TEXT = 120
NO_BREAK_SPACE = "\u00a0"
# What may stand between a value and its label: `4 - boa`, `4: boa`. Each is read as a hyphen without spaces.
_JOINTS = ("–", "—", ":", "=", ")")
_FULL_WIDTH = {digit: digit + ord("０") - ord("0") for digit in range(ord("0"), ord("9") + 1)}


def quoted(text: str) -> str:
    """Return a text as formulas want it, in parts where it is long."""
    parts = (text[start : start + LONGEST_TEXT] for start in range(0, len(text), LONGEST_TEXT))
    return "&".join('"' + part.replace('"', '""') + '"' for part in parts) or '""'


def recognised(cells: str, rubric: Rubric, dimension: str) -> str:
    """Return a condition: the cells hold a value of the scale as the reader knows it. An error value is none.

    Args:
        cells: A cell, or a range inside of SUMPRODUCT.
        rubric: The rubric.
        dimension: The dimension of the items, whose short forms stand for values.
    """
    found = [_in_list(_pointed(_words(cells)), _plain_forms(rubric, dimension))]
    if joined := list(_labelled_forms(rubric, dimension)):
        found.append(_in_list(_joined(_words(cells)), joined))
    # to LibreOffice true is 1
    return f"(({'+'.join(found)})*(1-ISLOGICAL({cells}))>0)"


def blank(cells: str) -> str:
    """Return a condition: the cells are empty, or hold nothing but spaces. An error value is not blank."""
    return is_word(cells, "")


def is_word(cells: str, word: str) -> str:
    """Return a condition: the cells hold a word, in capitals or not. An error value is none."""
    return f'ISNUMBER(FIND("<"&{_words(cells)}&">",{quoted(f"<{plain_key(word)}>")}))'


def _words(cells: str) -> str:
    return f'TRIM(LOWER(SUBSTITUTE({cells},"{NO_BREAK_SPACE}"," ")))'


def _in_list(needle: str, texts: Iterable[str]) -> str:
    whole = quoted(GAP + GAP.join(dict.fromkeys(texts)) + GAP)
    return f'ISNUMBER(FIND("{GAP}"&{needle}&"{GAP}",{whole}))'


def _pointed(words: str) -> str:
    return f'SUBSTITUTE({words},",",".")'


def _joined(words: str) -> str:
    for old, new in _replacements():
        words = f'SUBSTITUTE({words},"{old}","{new}")'
    return words


def _replacements() -> Iterator[tuple[str, str]]:
    yield from ((joint, "-") for joint in _JOINTS)
    yield from ((". ", "-"), (" -", "-"), ("- ", "-"))


def _plain_forms(rubric: Rubric, dimension: str) -> Iterator[str]:
    """Yield the ways in which a value is written by itself."""
    for value in rubric.scale.values:
        if rubric.scale.kind == "nominal":
            yield plain_key(str(value)).replace(",", ".")
            continue
        sign = ("", "+") if float(value) >= 0 else ("",)
        yield from (f"{plus}{value}{zeros}" for plus in sign for zeros in ("", ".0", ".00"))
        yield str(value).translate(_FULL_WIDTH)
    yield from (word.replace(",", ".") for word in labels_of(rubric, dimension))


def _labelled_forms(rubric: Rubric, dimension: str) -> Iterator[str]:
    """Yield values together with their labels, as `_joined` leaves them."""
    for word, value in labels_of(rubric, dimension).items():
        text = f"{plain_key(str(value))}-{word}"
        for old, new in _replacements():
            text = text.replace(old, new)
        yield text
