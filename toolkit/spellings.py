r"""The ways in which a text may write a name: found, and hidden, in every one of them.

`GPT-4o` is also written with other dashes, as `gpt 4o`, `GPT4o`, `GPT\-4o` or `**GPT**-4o`; people read the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from toolkit.texts import UNSEEN, composed, plain_key

# Dashes, hyphens and the minus sign; what normalisation makes of a full-width one is among them.
_DASH = "\\-\u02d7\u058a\u05be\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\u301c\u3030\u30a0"
_APART = rf"\s_{_DASH}"
# Marks of markdown that may stand inside a name and that nobody reads.
_MARK = rf"*`~\\{UNSEEN}"
_GAP = re.compile(f"[{_APART}]+")
_PART = re.compile(rf"[{_APART}]+|[^\W\d_]+|\d+|.", re.DOTALL)
_RUN = re.compile(r"[^\W\d_]+|\d+")
# One letter is a word in many languages (`o 1º lugar` is not the model o1): with it a space is no part of the name.
_FEWEST_LETTERS = 2
# A text in pieces of which each has a form of its own, whatever stands beside it.
_UNIT = re.compile("[\0-\x7f]+(?=[\0-\x7f]|\\Z)|(?s:.)[\u0300-\u036f\u3099\u309a]*")
_MARKUP = re.compile(r"\\.|\*+|`+|~+|(?<![^\W_])_+|_+(?![^\W_])", re.DOTALL)


@lru_cache(maxsize=10_000)
def literal(words: str) -> re.Pattern[str]:
    """Return what finds words in plain texts, with hyphens, dashes, underscores and spaces alike.

    >>> literal("item-7").findall("item 7, item\u20117, item 70")
    ['item 7', 'item\u20117']
    """
    spelt = rf"[{_APART}]+".join(map(re.escape, _GAP.split(words)))
    return re.compile(rf"(?<!\w){spelt}(?!\w)")


@lru_cache(maxsize=10_000)
def spelling(name: str) -> re.Pattern[str]:
    """Return what finds the name of a model, in its plain form, in plain texts and in their markdown.

    Between a letter and a digit nothing need stand, or something may; marks of markdown count for nothing.

    >>> spelling("gpt-4o").findall("gpt4o, gpt_4o, **gpt**-4o, gpt-4, gpt-4omni")
    ['gpt4o', 'gpt_4o', 'gpt**-4o']
    >>> spelling("o1").findall("o-1, foo1, o 1"), spelling("a b").findall("a-b, ab")
    (['o-1'], ['a-b'])
    """
    spelt, before, gap = "", "", False
    for part in _PART.findall(name):
        if _GAP.fullmatch(part):
            gap = True
            continue
        border = _is_border(before, part)
        if border and (gap or (before.isalpha() and len(before) >= _FEWEST_LETTERS)):
            spelt += f"[{_APART}{_MARK}]*"
        elif border:
            spelt += f"[_{_DASH}{_MARK}]*"
        elif before and gap:
            spelt += f"[{_MARK}]*[{_APART}][{_APART}{_MARK}]*"
        elif before:
            spelt += f"[{_MARK}]*"
        spelt += f"[{_MARK}]*".join(map(re.escape, part))
        before, gap = part, False
    # an underscore may be a mark of emphasis around a name
    return re.compile(rf"(?<![^\W_]){spelt or re.escape(name)}(?![^\W_])")


def first_words(name: str) -> Iterator[str]:
    """Yield every word with which a text that `spelling` finds may begin to write a name.

    >>> list(first_words("claude-3-opus")), list(first_words("gpt4o"))
    (['claude', 'claude3', 'claude3opus'], ['gpt', 'gpt4', 'gpt4o'])
    """
    word, end = "", 0
    for run in _RUN.finditer(name):
        between = name[end : run.start()]
        if word and not (_is_border(word, run[0]) and _GAP.sub("", between) == ""):
            break
        word, end = word + run[0], run.end()
        yield word


def hidden(text: str, names: Sequence[str], mask: str) -> str:
    """Return a text with a mask in the place of each name, however it is written.

    Marks of markdown that begin or end inside a name and not there stay, so that they still come in pairs.

    >>> hidden("I am **GPT**\u20114o, not GPT-4.", ["gpt-4o"], "X")
    'I am **X**, not GPT-4.'
    """
    # the longest first: of `gpt-4` and `gpt-4-turbo` both may begin in one place
    plain = sorted(filter(None, map(plain_key, names)), key=len, reverse=True)
    if not plain:
        return text
    folded, places = _folded(text)
    pieces, done = [], 0
    for hit in re.finditer("|".join(spelling(name).pattern for name in plain), folded):
        start, end = places[hit.start()][0], places[hit.end() - 1][1]
        pieces += [text[done:start], mask, _unpaired(text[start:end])]
        done = end
    return "".join(pieces) + text[done:]


def _is_border(before: str, after: str) -> bool:
    """Return whether between two parts of a name letters end and digits begin, or the other way round."""
    ends = before[-1:], after[:1]
    return all(map(str.isalnum, ends)) and ends[0].isdecimal() != ends[1].isdecimal()


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the form of a text in which names are looked for, and from where to where each character of it was."""
    found, places = [], []
    for unit in _UNIT.finditer(text):
        if unit[0].isascii():
            found.append(unit[0].lower())
            places += [(place, place + 1) for place in range(*unit.span())]
        else:
            found.append(composed(unit[0], "NFKC").casefold())
            places += [unit.span()] * len(found[-1])
    return "".join(found), places


def _unpaired(written: str) -> str:
    """Return the marks of markdown in a name whose other half is outside it."""
    marks: list[str] = []
    for mark in _MARKUP.findall(written):
        if mark.startswith("\\"):
            continue
        if marks[-1:] == [mark]:
            marks.pop()
        else:
            marks.append(mark)
    return "".join(marks)
