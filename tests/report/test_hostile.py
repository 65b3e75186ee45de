"""Texts from outside are shown as text, whatever they hold; they never become part of the page."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from typing import Any

import openpyxl
import pytest

from tests.report import stories
from tests.report.page import Page
from toolkit.consensus import Decision, Discussed
from toolkit.model import Annotation, Judgement, Response, SourceItem
from toolkit.report.html import render_html
from toolkit.report.story import Story
from toolkit.report.xlsx import render_xlsx
from toolkit.texts import clean

HOSTILE = {
    # public report rp-01: a closing script tag in an answer ends the page's own
    "script in any case": 'use </ScRiPt><img src=x onerror=alert(1)> e <!-- <script>"',
    "ends of other elements": "</style></title></textarea></svg></details></table></main></html><plaintext>",
    "comment and cdata": "<!-- --!> <![CDATA[ ]]> <?php ?>",
    "attribute": '"\' onfocus=alert(1) autofocus x="',
    "entity": "&lt;b&gt; &amp; &#60;script&#62; &notanentity;",
    "template": "{{ 7 * 7 }} {% raw %} {name} %s {0}",
    "no space": "x" * 20_000,
    "right to left": "\u202eevil\u202c עברית العربية \u2067abc",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "control characters": "a\x00b\x1b[31mc\x07\x0b\x7f\x9f",
    "lone surrogate": "broken \ud83d emoji \udfff",
    "noncharacters": "\ufffe\uffff\ufeff",
    "markdown table": "| a | b |\n|---|---|\n| 1 | <b>2</b> |",
    "line ends": "one\r\ntwo\rthree\u2028four\x85five",
    "formula": '=HYPERLINK("http://example.org","x")',
    "javascript link": "[click](javascript:alert(1)) <a href='javascript:alert(1)'>x</a>",
}


# what an answer's markdown may become
MARKDOWN_TAGS = {"blockquote", "br", "code", "em", "hr", "pre", "s", "strong"}


@cache
def plain_tags() -> set[str]:
    return {node.tag for node in Page(render_html(story("plain"))).root.all()}


@cache
def story(text: str) -> Story:
    """Return a story that has a text wherever a text from outside can be."""
    judge, names = f"J{text}"[:200], (f"A{text}"[:60].replace("|", ""), "B")
    item = SourceItem(
        item_id=text[:300],
        dimension="factual",
        prompt=text,
        ground_truth=text,
        original_response=text,
        expected_behavior=text,
        responses=(Response(response=text, prompt=text + "?", variant_type=text[:50]), Response(response=text)),
        category=text[:200],
        model=text[:200],
    )
    items = [item, *(SourceItem(item_id=f"i{n}", dimension="factual") for n in range(11))]
    said = Judgement(item_id=item.item_id, dimension="factual", judge=judge, score=1, justification=text)

    class Repair:
        place, found, read_as = text, text, text

    changes: dict[str, Any] = {"title": text[:100], "left_out": {text[:60]: text}, "repairs": [Repair()]}
    return stories.make(
        [[5, 2]] + [[n % 5 + 1, n % 5 + 1] for n in range(11)],
        {judge: [1] + [n % 5 + 1 for n in range(11)]},
        items=items,
        dimensions=["factual"] * 12,
        names=names,
        annotations={
            (0, names[0]): Annotation(annotator=names[0], item_code="", justification=text, doubt=True, notes=text)
        },
        judgements={item.key: [said]},
        discussed={0: Discussed(Decision.REVISE, 3, text)},
        files={"ratings": (text[:100], "0" * 64)},
        **changes,
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_becomes_no_element(name: str) -> None:
    page = Page(render_html(story(HOSTILE[name])))
    tags = [node.tag for node in page.root.all()]
    assert len(page.root.all("script")) == 1
    assert not {"img", "b0", "plaintext", "iframe", "object"} & set(tags)
    # a line or two of a note comes and goes with the text; the elements of the page stay the same kinds
    assert set(tags) <= plain_tags() | MARKDOWN_TAGS
    assert not page.comments
    shown = page.root.one("main").text
    assert clean(HOSTILE[name]) in shown
    assert clean(HOSTILE[name]) in page.root.one("section", id="read").text
    known = {
        "class",
        "id",
        "role",
        "tabindex",
        "scope",
        "dir",
        "open",
        "href",
        "hidden",
        "type",
        "autocomplete",
        "value",
    }
    for node in page.root.one("main").all():
        if node.tag not in ("svg", "line", "rect", "circle", "text", "path", "g", "tspan"):
            unknown = {key for key in node.attributes if not key.startswith(("data-", "aria-"))} - known
            assert not unknown, (node.tag, unknown)


@pytest.mark.parametrize("name", HOSTILE)
def test_stays_text_in_the_workbook(name: str) -> None:
    data = render_xlsx(story(HOSTILE[name]))
    book = openpyxl.load_workbook(io.BytesIO(data))
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    assert "HYPERLINK" not in str(cell.value)
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert parts.testzip() is None
        assert not any("external" in part for part in parts.namelist())
        for part in parts.namelist():
            if part.endswith(".rels"):
                assert b"External" not in parts.read(part), part


def test_a_text_no_cell_can_hold_says_where_the_rest_is() -> None:
    note = "ç👍 " * 20_000
    made = stories.make(
        [[1, 4], [2, 2]], annotations={(0, "A1"): Annotation(annotator="A1", item_code="", justification=note)}
    )
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(made)))
    cells = [str(cell.value) for row in book["Divergences"].iter_rows() for cell in row if cell.value]
    assert any(text.endswith("the HTML report has all of it]") for text in cells)
    assert clean(note) in Page(render_html(made)).root.one("main").text
