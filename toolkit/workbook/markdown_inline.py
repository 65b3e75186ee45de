"""The inside of a paragraph: emphasis, code, links, as runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from toolkit.workbook.markdown_parser import MATH
from toolkit.workbook.runs import Line, Run, Style, plain, split_lines

_STYLES = {"em": Style.ITALIC, "strong": Style.BOLD, "s": Style.STRIKE}
# Scripts that put no space between words: each character counts as a word, so emphasis may stand inside a line.
_UNSPACED = "\u0e00-\u1dff\u2e80-\U0010ffff"
# What markdown may take away (emphasis, marks of lists, tables, links, titles) or the page adds (bullets, lines).
_MARKS = re.escape("*_~`#>|-+=[]()<!\\\"':") + "•◦│─┼"
_TOKEN = re.compile(rf"(?!\W)[{_UNSPACED}]|[^\W_{_UNSPACED}]+|[^\w\s{_MARKS}]")
_LETTER = re.compile(rf"[^\W{_UNSPACED}]")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def tokens(text: str) -> list[str]:
    """Return the words and signs of a text, in order, without the marks of markdown.

    This is what rendering may not change: letters and digits, and every other sign that markdown does not use.

    >>> tokens("**Olá**, `a_1` (50 %)")
    ['Olá', ',', 'a', '1', '50', '%']
    """
    return _TOKEN.findall(text)


def same_words(source: str, shown: str, laid_out: str | None = None) -> bool:
    """Return whether a rendering says what its source says.

    Args:
        source: The markdown.
        shown: The rendering, in the order of the source.
        laid_out: The same as it stands on the page, where a table puts it in another order or repeats its header.
    """
    if shown != source and tokens(shown) != tokens(source):
        return False
    if laid_out is None or laid_out == shown:
        return True
    placed, wanted = Counter(tokens(laid_out)), Counter(tokens(source))
    return placed.keys() == wanted.keys() and wanted <= placed


@dataclass
class _Part:
    """Something visible (`text`), or the mark where an emphasis begins or ends (`mark`)."""

    text: str = ""
    style: Style = Style.PLAIN
    mark: str = ""
    pair: int = -1  # place of the other mark
    around: bool = False  # inline code: the marks stand on both sides of the text


def inline_lines(token: Token, style: Style = Style.PLAIN) -> list[Line]:
    """Return the lines of a paragraph, heading or table cell; as written where rendering would change a word."""
    children = token.children or []
    if len(children) == 1 and children[0].type == "text" and children[0].content == token.content:
        return [[Run(token.content, style)]]
    found = split_lines(_runs(_parts(children), style))
    shown = "\n".join(plain(line) for line in found)
    if not same_words(token.content, shown) or (token.content.strip() and not shown.strip()):
        return split_lines([Run(token.content, style)])
    return found


def _parts(children: Sequence[Token]) -> list[_Part]:
    parts: list[_Part] = []
    opened: list[int] = []
    links: list[Token] = []
    for token in children:
        name, _sign, side = token.type.partition("_")
        if token.type in ("text", "text_special", MATH):
            parts.append(_Part(token.content))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(_Part("\n"))
        elif token.type == "code_inline":
            parts.append(_Part(token.content, Style.CODE, token.markup, around=True))
        elif name in _STYLES and side == "open":
            opened.append(len(parts))
            parts.append(_Part(style=_STYLES[name], mark=token.markup))
        elif name in _STYLES and opened:
            first = opened.pop()
            parts[first].pair = len(parts)
            parts.append(_Part(style=_STYLES[name], mark=token.markup, pair=first))
        elif token.type == "link_open":
            links.append(token)
        elif token.type == "link_close" and links:
            parts += _address(links.pop(), "href")
        elif token.type == "image":
            parts += [*_parts(token.children or []), *_address(token, "src")]
        else:
            parts.append(_Part(token.content))
    return parts


def _address(token: Token, key: str) -> list[_Part]:
    """Return where a link leads, in brackets after its text."""
    if token.markup == "autolink":
        return []
    title = f' "{token.attrs["title"]}"' if token.attrs.get("title") else ""
    address = f"{token.attrs.get(key, '')}{title}".strip()
    return [_Part(f" ({address})", Style.QUIET)] if address else []


def _runs(parts: list[_Part], base: Style) -> list[Run]:
    shown = _marks_to_show(parts)
    runs: list[Run] = []
    active: Counter[Style] = Counter()
    style = base
    for place, part in enumerate(parts):
        if part.mark and not part.around:
            if place in shown:
                runs.append(Run(part.mark, style))
            else:
                active[part.style] += 1 if part.pair > place else -1
                style = base
                for added in +active:
                    style |= added
        elif place in shown:
            runs.append(Run(f"{part.mark}{part.text}{part.mark}", style))
        else:
            runs.append(Run(part.text, style | part.style))
    return runs


def _marks_to_show(parts: list[_Part]) -> set[int]:
    """Return the marks that stay visible because hiding them would join or rename words.

    `2*3*4` may be a product, `__init__` a name, "`int`s" a plural: with a mark inside a word nobody knows, so the
    reader sees it.
    """
    after = [""] * (len(parts) + 1)  # the first visible character from each place on
    for place in range(len(parts) - 1, -1, -1):
        after[place] = parts[place].text[:1] or after[place + 1]
    found: set[int] = set()
    before = ""
    for place, part in enumerate(parts):
        if part.mark:
            first = part.text[:1] if part.around else after[place + 1]
            joins = _inside_word(before, first)
            if part.around:
                joins = joins or _inside_word(part.text[-1:], after[place + 1])
            if joins or _is_name(parts, place):
                found |= {place} if part.around else {place, part.pair}
        before = part.text[-1:] or before
    return found


def _inside_word(left: str, right: str) -> bool:
    return _spaced(left) and _spaced(right)


def _spaced(character: str) -> bool:
    return _LETTER.fullmatch(character) is not None


def _is_name(parts: list[_Part], place: int) -> bool:
    """Return whether underscores enclose what looks like an identifier: `__init__`, `_my_name_`."""
    part = parts[place]
    if not part.mark.startswith("_") or part.pair != place + 2:
        return False
    word = parts[place + 1].text
    return _IDENTIFIER.fullmatch(word) is not None and (part.mark == "__" or "_" in word)
