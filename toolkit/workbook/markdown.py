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
MOST_CHARACTERS, MOST_LINES, MOST_BRACKETS, MOST_CELLS = 100_000, 5_000, 2_000, 6_000
BULLETS = ("• ", "◦ ")
INDENT = "    "
QUOTE = "│ "
RULE = "─" * 40
TAB = 4
# So many monospaced characters fit on a line of the text column; an indent takes the room of two.
COLUMNS, INDENT_COLUMNS = 58, 3
SPACED = ("fence", "code_block", "table_open")
LARGE_HEADINGS = ("h1", "h2", "h3")
# Without one of these a text has no markdown in it.
_MARKUP = re.compile(r"[*_`|~\[\\<]|^[ \t]*([-+>#=]|\d{1,9}[.)]([ \t]|$))|^( {4}|[ \t]*\t)", re.MULTILINE)
_QUOTE_MARKS = re.compile(r"[\s>]*")


def rendered(text: str) -> tuple[Run, ...]:
    """Return a cleaned text of markdown as runs; plain runs of the text itself where there is nothing to render.

    >>> [(run.text, run.style.name) for run in rendered("**a**: `b`")]
    [('a', 'BOLD'), (': ', 'PLAIN'), ('b', 'CODE')]
    """
    as_written = merged([Run(text, Style.PLAIN)])
    if not _MARKUP.search(text) or _is_strange(text):
        return as_written
    page = _Page(text)
    lines = page.top()
    runs = joined(lines) if lines else ()
    return runs if plain(runs).strip() else as_written


def _is_strange(text: str) -> bool:
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_LINES or text.count("[") > MOST_BRACKETS:
        return True
    # every row of a table is filled up to the width of its header
    cells = [count for line in text.split("\n") if (count := line.count("|"))] if "|" in text else []
    return len(cells) * max(cells, default=0) > MOST_CELLS


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser()


class _Page:
    """The blocks of one text, as lines."""

    def __init__(self, text: str):
        self.source = text.split("\n")
        self.tokens = _parser().parse(text)
        self.ends = _ends(self.tokens)
        self.said: list[str] = []  # everything rendered so far, in the order of the source

    def top(self) -> list[Line] | None:
        """Return the whole page, each block of it as written where rendering would change a word.

        None when the parser left lines out, which it does not tell.
        """
        found: list[Line] = []
        done = place = 0
        above: Token | None = None
        while place < len(self.tokens):
            token, last = self.tokens[place], self.ends[place]
            first, end = token.map or (0, 0)
            if first < done or not _blank(self.source[done:first]):
                return None
            self.said = []
            block = self._block(place, COLUMNS)
            written = "\n".join(self.source[first:end])
            if not same_words(written, "\n".join(self.said), _text(block)) or not _text(block).strip():
                block = _as_written(self.source[first:end])
            found += [*([[]] if above and self._apart(above, token) else []), *block]
            done, place, above = end, last + 1, token
        return found if _blank(self.source[done:]) else None

    def _apart(self, above: Token, token: Token) -> bool:
        """Return whether an empty line stands between two blocks: where the author left one, and where a chat has one.

        That is above headings, and around code and tables.
        """
        if token.type == "heading_open" or token.type in SPACED or above.type in SPACED:
            return True
        line = token.map[0] if token.map else 0
        return line > 0 and _QUOTE_MARKS.fullmatch(self.source[line - 1]) is not None

    def _blocks(self, first: int, last: int, columns: int) -> list[Line]:
        found: list[Line] = []
        place = first
        above: Token | None = None
        while place < last:
            if above and self._apart(above, self.tokens[place]):
                found.append([])
            found += self._block(place, columns)
            place, above = self.ends[place] + 1, self.tokens[place]
        return found

    def _block(self, place: int, columns: int) -> list[Line]:
        token, end = self.tokens[place], self.ends[place]
        match token.type:
            case "paragraph_open":
                return self._inline(self.tokens[place + 1])
            case "heading_open":
                large = Style.LARGE if token.tag in LARGE_HEADINGS else Style.PLAIN
                return self._inline(self.tokens[place + 1], Style.BOLD | large)
            case "bullet_list_open" | "ordered_list_open":
                return self._blocks(place + 1, end, columns)
            case "list_item_open":
                return self._item(place, end, columns)
            case "blockquote_open":
                return _indented(self._blocks(place + 1, end, columns - INDENT_COLUMNS), QUOTE, QUOTE)
            case "fence" | "code_block":
                return self._code(token)
            case "table_open":
                return self._table(place, end, columns)
            case "hr":
                return [[Run(RULE, Style.QUIET)]]
            case _:  # a formula, or what no rule here knows, is its own text
                self.said.append(token.content)
                return [[Run(line, Style.PLAIN)] for line in token.content.rstrip("\n").split("\n")]

    def _inline(self, token: Token, style: Style = Style.PLAIN) -> list[Line]:
        lines = inline_lines(token, style)
        self.said.append(_text(lines))
        return lines

    def _item(self, place: int, end: int, columns: int) -> list[Line]:
        token = self.tokens[place]
        bullet = BULLETS[min(len(BULLETS), (token.level + 1) // 2) - 1]
        # the number its author gave it, whatever comes before
        mark = f"{token.info}{token.markup} " if token.info else bullet
        self.said.append(mark)
        return _indented(self._blocks(place + 1, end, columns - INDENT_COLUMNS), mark, INDENT) or [
            [Run(mark.rstrip(), Style.PLAIN)]
        ]

    def _code(self, token: Token) -> list[Line]:
        self.said += [token.info, token.content]
        name = [[Run(token.info.strip(), Style.CODE | Style.QUIET)]] if token.info.strip() else []
        lines = token.content.removesuffix("\n").expandtabs(TAB).split("\n")
        return [*name, *([Run(line, Style.CODE)] for line in lines)]

    def _table(self, place: int, end: int, columns: int) -> list[Line]:
        rows: list[list[Line]] = []
        alignments: list[str] = []
        for token in self.tokens[place:end]:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                alignments.append(str(token.attrs.get("style", "")).partition(":")[2])
            elif token.type == "inline":
                rows[-1].append([run for line in inline_lines(token) for run in (*line, Run(" ", Style.PLAIN))][:-1])
        first, last = self.tokens[place].map or (0, 0)
        written = "\n".join(self.source[first:last])
        said = "\n".join(plain(cell) for row in rows for cell in row)
        lines = table_lines(rows, alignments, columns)
        if not same_words(written, said, _text(lines)):
            # cells beyond the header's, which markdown leaves out; monospaced, its columns stay columns
            self.said.append(written)
            return [[Run(line.strip(), Style.CODE)] for line in self.source[first:last]]
        self.said.append(said)
        return lines


def _ends(tokens: list[Token]) -> dict[int, int]:
    """Return the place of the token that closes each one; of a token that stands alone, its own."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.nesting > 0:
            opened.append(place)
        elif token.nesting < 0:
            found[opened.pop()] = place
        else:
            found[place] = place
    return found


def _indented(lines: list[Line], first: str, others: str) -> list[Line]:
    look = Style.QUIET if first == QUOTE else Style.PLAIN
    return [
        [Run(first if place == 0 else others, look), *line] if line or others == QUOTE or place == 0 else []
        for place, line in enumerate(lines)
    ]


def _as_written(source: list[str]) -> list[Line]:
    lines = "\n".join(source).rstrip().split("\n")
    return [[Run(line, Style.PLAIN)] if line else [] for line in lines]


def _text(lines: list[Line]) -> str:
    return "\n".join(map(plain, lines))


def _blank(lines: list[str]) -> bool:
    return not any(line.strip() for line in lines)
