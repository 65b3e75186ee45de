r"""The markdown that chatbots write: CommonMark with tables and strikethrough, formulas left alone, nothing decoded.

Three rules differ from CommonMark, because here a text must never lose or change a word:

- HTML, entities and link definitions are not understood, so they stay as they were written.
- Formulas (`$$...$$`, `\[...\]`, `\(...\)`, `$...$`, `\begin{...}...\end{...}`) are not looked into.
- A backslash is hidden only where it can only be there for markdown's sake (`\*`, `1\.` at the start of a line).
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

# Quotes in lists in quotes: no answer nests this deep, and beyond it the parser stops looking, which the comparison
# of words notices.
DEEPEST = 40
MOST_FORMULA_LINES = 60
MATH = "math"
_ENDS = {"$$": "$$", "\\[": "\\]"}
_BEGIN = re.compile(r"\\begin\{([^}\n]{1,40})\}")
# A price is no formula: the signs stand right at what they enclose, and no digit follows.
_DOLLARS = re.compile(r"\$(?=[^\s$])[^$\n]{0,300}(?<![\s\\])\$(?!\d)")
_FORMULA_SIGN = re.compile(r"[\\^_={}]")
_ESCAPED_ANYWHERE = "*_`~|"
_ESCAPED_AT_THE_START = "-+#>.)"
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Parser(MarkdownIt):
    """markdown-it, set up for answers. Addresses stay as they are written."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": DEEPEST})
        self.enable(["table", "strikethrough"]).disable(["reference", "entity", "html_block", "html_inline"])
        self.block.ruler.before("table", "math_block", _math_block, {"alt": ["paragraph", "blockquote", "list"]})
        self.inline.ruler.before("escape", MATH, _math_inline)
        self.inline.ruler.at("escape", _escape)

    def normalizeLink(self, url: str) -> str:  # noqa: N802 (the library's name)
        """Return an address as it was written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """Return an address as it was written."""
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Take any address: it is shown as text and leads nowhere."""
        return True


def _math_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A formula of its own lines, which could hold what looks like a list, a table or a heading."""
    if state.is_code_block(first):
        return False
    text = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]]
    begin = _BEGIN.match(text)
    end = f"\\end{{{begin[1]}}}" if begin else _ENDS.get(text[:2])
    if end is None:
        return False
    start = begin.end() if begin else 2
    line = first
    while True:
        if text.rstrip().endswith(end, start):
            break
        if end in text[start:]:
            return False  # it ends in the middle of a line: a formula inside a sentence
        line, start = line + 1, 0
        if line >= min(last, first + MOST_FORMULA_LINES) or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    if silent:
        return True
    token = state.push("math_block", "", 0)
    token.content = state.getLines(first, line + 1, state.blkIndent, False)
    token.map = [first, line + 1]
    state.line = line + 1
    return True


def _math_inline(state: StateInline, silent: bool) -> bool:
    text, place = state.src, state.pos
    two = text[place : place + 2]
    if two in ("$$", "\\(", "\\["):
        close = {"$$": "$$", "\\(": "\\)", "\\[": "\\]"}[two]
        end = text.find(close, place + 2, state.posMax)
        if end < 0:
            return False
        end += 2
    elif two[:1] == "$" and (match := _DOLLARS.match(text, place, state.posMax)):
        if not _FORMULA_SIGN.search(match[0]):
            return False
        end = match.end()
    else:
        return False
    if not silent:
        state.push(MATH, "", 0).content = text[place:end]
    state.pos = end
    return True


def _escape(state: StateInline, silent: bool) -> bool:
    text, place = state.src, state.pos
    if text[place] != "\\":
        return False
    following = text[place + 1 : place + 2] if place + 1 < state.posMax else ""
    hidden = following != "" and following in _ESCAPED_ANYWHERE
    if following and following in _ESCAPED_AT_THE_START:
        before = text[text.rfind("\n", 0, place) + 1 : place].strip()
        hidden = before == "" or before.isdecimal()
    taken = following if following in _PUNCTUATION else ""
    if not silent:
        state.pending += taken if hidden else "\\" + taken
    state.pos = place + 1 + len(taken)
    return True
