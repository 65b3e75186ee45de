"""Markdown of answers as HTML: what a chatbot's user saw, with nothing in it that could run, load or lead away.

The parser knows no HTML, so tags in an answer stay text; what comes out is washed by nh3 all the same, because one
wall is not enough around texts that anybody can have written. Links and pictures are their words with the address in
brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import nh3
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from toolkit.texts import clean
from toolkit.workbook.markdown import rendered as as_runs
from toolkit.workbook.markdown_parser import Parser
from toolkit.workbook.runs import Style

TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote", "span", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"ol": {"start"}, "th": {"scope"}}
ALLOWED = {"p": ("head",), "span": ("address",), "div": ("across",), "th": ("end", "mid"), "td": ("end", "mid")}
VALUES = {tag: {"class": set(names)} for tag, names in ALLOWED.items()}
ALIGNED = {"text-align:right": "end", "text-align:center": "mid"}


class _Renderer(RendererHTML):
    """HTML without links, headings of the page's own, and style attributes."""

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        # a heading of an answer is none of the report: it would stand in the page's outline
        return '<p class="head">'

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</p>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return ""

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        opened, depth = idx, 0
        while True:
            depth += {"link_close": 1, "link_open": -1}.get(tokens[opened].type, 0)
            if depth == 0:
                break
            opened -= 1
        link = tokens[opened]
        return "" if link.markup == "autolink" else self._address(link, "href")

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        return self.renderInline(token.children or [], options, env) + self._address(token, "src")

    def _address(self, token: Token, key: str) -> str:
        title = f' "{token.attrs["title"]}"' if token.attrs.get("title") else ""
        address = f"{token.attrs.get(key, '')}{title}".strip()
        return f' <span class="address">({escaped(address)})</span>' if address else ""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        info = token.info.strip()
        named = f'<p class="head">{escaped(info)}</p>\n' if info else ""
        return f"{named}<pre><code>{escaped(token.content)}</code></pre>\n"

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<pre><code>{escaped(tokens[idx].content.rstrip())}</code></pre>\n"

    def math(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<code>{escaped(tokens[idx].content)}</code>"

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="across"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<th scope="col"{_aligned(tokens[idx])}>'

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<td{_aligned(tokens[idx])}>"


def escaped(text: str) -> str:
    """Return a text as HTML holds it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _aligned(token: Token) -> str:
    # as a class: the page's policy allows no style attributes
    name = ALIGNED.get(str(token.attrs.get("style", "")))
    return f' class="{name}"' if name else ""


@cache
def _parser() -> tuple[Parser, _Renderer]:
    parser = Parser()
    return parser, _Renderer(parser)


def rendered(text: str) -> str | None:
    """Return an answer as safe HTML; None where it has no markdown, or is too strange to be understood as such.

    >>> rendered("**a** <b>")
    '<p><strong>a</strong> &lt;b&gt;</p>'
    >>> rendered("plain")
    """
    text = clean(text)
    runs = as_runs(text)
    if len(runs) <= 1 and all(run.style == Style.PLAIN and run.text == text for run in runs):
        return None
    parser, renderer = _parser()
    env: dict[str, Any] = {}
    html = renderer.render(parser.parse(text, env), parser.options, env)
    return nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, tag_attribute_values=VALUES, link_rel=None).strip()
