"""report.html as a document: whole, self-contained, accessible, the same every time."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.report import stories
from tests.report.page import Page
from toolkit.cli import main
from toolkit.model import Annotation, Response, SourceItem
from toolkit.report.html import render_html
from toolkit.report.story import Story

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(1, 6, 24)
PEOPLE = np.clip(TRUTH[:, None] + RNG.integers(-1, 2, (24, 3)), 1, 5).tolist()
STORIES: dict[str, Callable[[], Story]] = {
    "example": stories.example,
    "no judge": lambda: stories.make(PEOPLE),
    "two judges": lambda: stories.make(PEOPLE, {"J": TRUTH.tolist(), "K": [3] * 24}, dimensions=["a", "b"] * 12),
    "two people, held": lambda: stories.make([[1, 3], [2, 2]] * 8, {"J": [1, 2] * 8}, assigned=True),
    "one item": lambda: stories.make([[4, 5, 4]], {"J": [3.5]}),
    "all the same": lambda: stories.make([[5, 5, 5]] * 12, {"J": [5] * 12}),
    "a hole": lambda: stories.make([[4, None, 4], [3, 3, None]], {"J": [None, 3]}, options={"fewest_scores": 1}),
}


@pytest.fixture(scope="module", params=STORIES)
def page(request: pytest.FixtureRequest) -> Page:
    return Page(render_html(STORIES[request.param]()))


def test_is_one_whole_document(page: Page) -> None:
    assert [node.tag for node in page.root.children] == ["html"]
    assert page.root.one("html").attributes["lang"] == "en"
    assert len(page.root.all("h1")) == len(page.root.all("main")) == len(page.root.all("nav")) == 1


def test_needs_nothing_from_elsewhere(page: Page) -> None:
    for node in page.root.all():
        for name, value in node.attributes.items():
            assert not name.startswith("on"), (node.tag, name)
            assert name != "style", node.tag
            if name in ("src", "href", "srcset", "action", "poster", "data"):
                assert value.startswith("#") or value == "data:,", (node.tag, value)
    style = page.root.one("style").text
    assert "url(" not in style and "@import" not in style


def test_policy_allows_our_own_style_and_script_only(page: Page) -> None:
    policy = page.root.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for tag in ("style", "script"):
        (node,) = page.root.all(tag)
        digest = base64.b64encode(hashlib.sha256(node.text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_can_be_used_by_everybody(page: Page) -> None:
    ids = [node.attributes["id"] for node in page.root.all() if "id" in node.attributes]
    assert len(set(ids)) == len(ids)
    for link in page.root.all("a"):
        assert link.attributes["href"][1:] in ids
    for node in page.root.all():
        for name in ("aria-labelledby", "aria-describedby"):
            assert node.attributes.get(name, ids[0]) in ids
    # a table in an answer is the chatbot's, and has no caption
    theirs = [id(t) for n in page.root.all("div") if "meant" in n.attributes.get("class", "") for t in n.all("table")]
    for table in page.root.all("table"):
        assert id(table) in theirs or table.one("caption").text.strip()
        assert all(cell.attributes.get("scope") in ("col", "row") for cell in table.all("th"))
        widths = {sum(c.tag in ("td", "th") for c in row.children) for row in table.all("tr")}
        assert len(widths) == 1
    pictures = [node for node in page.root.all("svg") if "role" in node.attributes]
    assert pictures
    for picture in pictures:
        assert picture.attributes["role"] == "img"
        assert picture.children[0].tag == "title" and picture.children[1].tag == "desc"
        assert picture.children[0].text.strip() and picture.children[1].text.strip()
    levels = [int(node.tag[1]) for node in page.root.all() if re.fullmatch("h[1-6]", node.tag)]
    assert levels and levels[0] == 1
    for label in page.root.all("label"):
        assert label.all("input") or label.all("select")


def test_never_shows_what_only_programs_say(page: Page) -> None:
    shown = page.root.one("main").text
    assert not re.search(r"\b(nan|None|Undefined|inf)\b(?!:)", re.sub("Undefined[:.]?", "", shown))
    assert not re.search(r"\{[a-z_]+\}|&[a-z]+;", shown)


def test_says_what_it_is(page: Page) -> None:
    assert "exploratory evidence" in page.root.one("section", id="verdict").text


def test_same_input_gives_the_same_bytes() -> None:
    assert render_html(stories.example()) == render_html(stories.example.__wrapped__())


def test_numbers_are_written_as_the_language_writes_them() -> None:
    shown = Page(render_html(stories.example("pt-BR"))).root
    assert shown.one("html").attributes["lang"] == "pt-BR"
    assert "0,74" in shown.one("main").text and "0.74" not in shown.one("main").text


def test_thirty_items_stay_small() -> None:
    rng = np.random.default_rng(1)
    texts = ["palavra " * 400 for _ in range(30)]
    assert len(render_html(long_story(rng, texts))) < 1_000_000


def test_a_thousand_items_stay_readable() -> None:
    rng = np.random.default_rng(2)
    texts = ["palavra " * 300 for _ in range(1000)]
    start = time.perf_counter()
    data = render_html(long_story(rng, texts))
    assert len(data) < 10_000_000
    assert time.perf_counter() - start < 20


def long_story(rng: np.random.Generator, texts: list[str]) -> Story:
    truth = rng.integers(1, 6, len(texts))
    people = np.clip(truth[:, None] + rng.integers(-1, 2, (len(texts), 3)), 1, 5)
    items = [
        SourceItem(
            item_id=f"i{n}",
            dimension=("factual", "consistency")[n % 2],
            prompt=f"p{n}",
            responses=(Response(response=t),),
        )
        for n, t in enumerate(texts)
    ]
    notes = {
        (row, f"A{who + 1}"): Annotation(annotator=f"A{who + 1}", item_code="", justification="porque sim " * 12)
        for row in range(len(texts))
        for who in range(3)
    }
    return stories.make(
        people.tolist(),
        {"J": np.clip(truth + rng.integers(-1, 2, len(texts)), 1, 5).tolist()},
        items=items,
        dimensions=[item.dimension for item in items],
        annotations=notes,
    )


@pytest.mark.parametrize("name", ["two-annotators-pt", "cebab_stars", "mtbench_pairwise", "edge_synthetic"])
def test_real_studies_make_whole_pages(cases: Path, name: str) -> None:
    page = Page(render_html(stories.case(name)))
    test_can_be_used_by_everybody(page)
    test_needs_nothing_from_elsewhere(page)


def test_every_degenerate_study_makes_a_whole_page(cases: Path) -> None:
    whole = stories.case("edge_synthetic")
    for dimension in whole.analysis.headline.by_dimension:
        page = Page(render_html(stories.case("edge_synthetic", dimension)))
        test_can_be_used_by_everybody(page)
        test_never_shows_what_only_programs_say(page)


def test_title_is_what_the_reader_is_told(tmp_path: Path) -> None:
    ratings = tmp_path / "export.csv"
    ratings.write_text("item_id,A1,A2\n" + "".join(f"i{n},{n % 5 + 1},{n % 4 + 1}\n" for n in range(12)), "utf-8")
    command = ["analyze", str(ratings), "--seed", "1", "--title", "Support bot, <round> 2", "-o", str(tmp_path / "r")]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    root = Page((tmp_path / "r" / "report.html").read_bytes()).root
    assert root.one("h1").text == "Support bot, <round> 2"
    assert root.one("title").text == "Validation report: Support bot, <round> 2"
    done = CliRunner().invoke(main, [*command[:4], "-o", str(tmp_path / "plain")])
    assert Page((tmp_path / "plain" / "report.html").read_bytes()).root.one("h1").text == "export"
