"""Markdown as a chatbot's user sees it, as text with looks for one spreadsheet cell.

The words are those of the source, all of them and in its order (`markdown_inline.tokens` says what counts): every
block is compared with its source, and one that would lose, join or change a word is shown as it was written. So a
code block keeps the name of its language, a link its address, a list the numbers its author gave it. Only a table
that is too wide for the page may say its words in another order, or its header more than once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from markdown_it.token import Token

from toolkit.workbook.markdown_inline import inline_lines, same_words
from toolkit.workbook.markdown_parser import Parser
from toolkit.workbook.markdown_table import table_lines
from toolkit.workbook.runs import Line, Run, Style, joined, merged, plain

Mode = Literal["rendered", "raw"]
# What is larger or stranger than any answer is shown as written, so that no text can keep the program busy.
MOST_CHARACTERS, MOST_LINES, MOST_BRACKETS, MOST_CELLS = 100_000, 5_000, 2_000, 60
BULLETS = ("• ", "◦ ")
INDENT = "    "
QUOTE = "│ "
RULE = "─" * 40
TAB = 4
# So many monospaced characters fit on a line of the text column; an indent takes the room of two.
COLUMNS, INDENT_COLUMNS = 62, 3
LARGE_HEADINGS = ("h1", "h2", "h3")
# Without one of these a text has no markdown in it.
_MARKUP = re.compile(r"[*_`|~\[\\<]|^[ \t]*([-+>#=]|\d{1,9}[.)]([ \t]|$))|^( {4}|[ \t]*\t)", re.MULTILINE)
_QUOTE_MARKS = re.compile(r"[\s>]*")


def rendered(text: str) -> tuple[Run, ...]:
    """Return a cleaned text of markdown as runs; plain runs of the text itself where there is nothing to render.

    >>> rendered("**a** and `b`")
    (Run(text='a', style=<Style.BOLD: 1>), Run(text=' and ', style=<Style.PLAIN: 0>), Run(text='b', style=<Style.CODE: 8>))
    """
    as_written = merged([Run(text, Style.PLAIN)])
    if not _MARKUP.search(text) or _is_strange(text):
        return as_written
    lines = text.split("\n")
    page = _Page(_parser().parse(text), lines)
    found: list[Line] = []
    done = 0
    for first, last, end in page.top():
        if not _all_blank(lines[done:first]):
            return as_written  # the parser left something out
        block, start = page.checked(first, last, end)
        if found and (start or done < first or _heads(block)):
            found.append([])
        found += block
        done = end
    runs = joined(found)
    return runs if _all_blank(lines[done:]) and plain(runs).strip() else as_written


def _is_strange(text: str) -> bool:
    return (
        len(text) > MOST_CHARACTERS
        or text.count("\n") > MOST_LINES
        or text.count("[") > MOST_BRACKETS
        or ("|" in text and any(line.count("|") > MOST_CELLS for line in text.split("\n")))
    )
