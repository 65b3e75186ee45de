"""Answers' markdown as HTML: what a chatbot's user saw, and nothing that could run, load or lead away."""

from __future__ import annotations

import re

import pytest

from tests.report import stories
from tests.report.page import Page
from tests.report.test_hostile import HOSTILE
from toolkit.model import Response, SourceItem
from toolkit.report.html import render_html
from toolkit.report.markdown_html import ATTRIBUTES, TAGS, rendered

ATTACKS = (
    *HOSTILE.values(),
    "[x](javascript:alert(1)) ![y](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>",
    "`<img src=x onerror=alert(1)>` **<b onclick=x>**",
    '```"><script>alert(1)</script>\ncode\n```',
    '[a]: http://e.org\n\n[a] [b](http://e.org "\'><script>")',
    '|a|b|\n|:-:|--:|\n|<td onload=x>|"|',
    "$$</code><script>x</script>$$\n\n\\[ <b> \\]",
    "<details open ontoggle=alert(1)>**x**",
    "> " * 200 + "**deep**",
    "- " * 60 + "**deep**",
)


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_but_known_elements_comes_out(text: str) -> None:
    html = rendered(text + "\n\n**bold**")
    if html is None:
        return
    for closing, tag, rest in re.findall(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>", html):
        assert tag in TAGS
        assert closing == "" or rest == ""
        assert re.fullmatch(r"""(\s(class="(head|address|across|end|mid)"|scope="col"|start="\d+"))*\s?/?""", rest), (
            rest
        )
    assert not {"href", "src", "style"} & {name for names in ATTRIBUTES.values() for name in names}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("# T\n\ntext", '<p class="head">T</p>\n<p>text</p>'),
        ("3. **c**\n4. d", '<ol start="3">\n<li><strong>c</strong></li>\n<li>d</li>\n</ol>'),
        ("[a](http://e.org)", '<p>a <span class="address">(http://e.org)</span></p>'),
        ("```py\n1 < 2\n```", '<p class="head">py</p>\n<pre><code>1 &lt; 2\n</code></pre>'),
        ("**x** &lt;", "<p><strong>x</strong> &amp;lt;</p>"),
    ],
)
def test_markdown_means_what_it_means(text: str, html: str) -> None:
    assert rendered(text) == html


@pytest.mark.parametrize("text", ["plain", "two\nlines", "", "a * b", "snake_case_name"])
def test_text_without_markdown_is_left_alone(text: str) -> None:
    assert rendered(text) is None


def test_the_text_as_written_is_one_switch_away() -> None:
    text = "# Title\n\n**bold** and | pipes"
    items = [SourceItem(item_id="i01", dimension="factual", prompt="**asked**", responses=(Response(response=text),))]
    page = Page(render_html(stories.make([[1, 4, 5]], items=items)))
    part = page.root.one("section", id="read").one("div", **{"class": "parts"})
    switch = part.one("details", **{"class": "other"})
    # the switch is an element that opens by itself, and the style sheet hides the other text then
    assert switch.one("div", **{"class": "text written"}).text == text
    assert part.one("div", **{"class": "text meant"}).one("strong").text == "bold"
    assert ".other[open] + .text { display: none; }" in page.root.one("style").text
    # a question is a person's plain text
    assert "**asked**" in part.text and len(part.all("details")) == 1
