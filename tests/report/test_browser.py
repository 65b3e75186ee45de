"""The report in a real browser: nothing fails, nothing is fetched, everybody can use it, and it opens fast."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.report import stories
from tests.report.test_hostile import HOSTILE, story
from tests.report.test_html import long_story
from toolkit.report.html import render_html

pytestmark = pytest.mark.browser
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (toolkit[dev])")

AXE = "axe-core-4.14.1"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "toolkit-tests"
CALM = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")
OPENS_WITHIN_MS = 2000


@cache
def axe() -> str:
    """Return axe-core, from the cache or else from npm."""
    path = CACHE / AXE / "package" / "axe.min.js"
    if not path.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed, and axe-core is not in the cache")
        (CACHE / AXE).mkdir(parents=True, exist_ok=True)
        package = AXE.replace("axe-core-", "axe-core@")
        done = subprocess.run([npm, "pack", package, "--silent"], cwd=CACHE / AXE, capture_output=True, timeout=120)
        if done.returncode:
            pytest.skip("npm cannot be reached, and axe-core is not in the cache")
        with tarfile.open(CACHE / AXE / f"{AXE}.tgz") as archive:
            archive.extractall(CACHE / AXE, filter="data")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium, args=list(CALM))
        yield found
        found.close()


def opened(browser: Any, data: bytes, folder: Path, **context: Any) -> tuple[Any, list[str]]:
    """Open a report; return its page and everything that went wrong, to which more is added as it happens."""
    path = folder / "report.html"
    path.write_bytes(data)
    page = browser.new_context(**context).new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url) if elsewhere(request.url, path) else None)
    page.goto(path.as_uri())
    return page, wrong


def elsewhere(url: str, path: Path) -> bool:
    return not url.startswith((path.as_uri(), "data:"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1366, 1920])
def test_everybody_can_use_it(browser: Any, tmp_path: Path, scheme: str, width: int) -> None:
    data = render_html(stories.example("pt-BR"))
    page, wrong = opened(browser, data, tmp_path, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.evaluate(axe())
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    grave = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
    assert not grave
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not wrong
    page.context.close()


def test_hostile_texts_do_nothing(browser: Any, tmp_path: Path) -> None:
    data = render_html(story(" ".join(HOSTILE.values())))
    page, wrong = opened(browser, data, tmp_path, viewport={"width": 390, "height": 900})
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.querySelectorAll('main script, main img, main iframe').length") == 0
    assert not wrong
    page.context.close()


def test_works_without_javascript(browser: Any, tmp_path: Path) -> None:
    data = render_html(stories.example())
    page, wrong = opened(browser, data, tmp_path, java_script_enabled=False)
    item = page.locator("#items details.item").first
    assert not item.locator(".body").is_visible()
    item.locator("summary").first.click()
    assert item.locator(".body").is_visible()
    # the switch to the text as it was written
    part = page.locator("#read .part", has=page.locator("details.other")).first
    assert part.locator(".meant").is_visible() and not part.locator(".written").is_visible()
    part.locator("summary").click()
    assert part.locator(".written").is_visible() and not part.locator(".meant").is_visible()
    assert not wrong
    page.context.close()


def test_the_keyboard_is_enough(browser: Any, tmp_path: Path) -> None:
    page, wrong = opened(browser, render_html(stories.example()), tmp_path)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')").startswith("#")  # past the contents
    item = page.locator("#items details.item").first
    item.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert item.locator(".body").is_visible()
    table = page.locator("table[data-sort]").first
    table.locator("thead th button").nth(1).focus()
    page.keyboard.press("Enter")
    assert table.locator("thead th[aria-sort=ascending]").count() == 1
    assert not wrong
    page.context.close()


def test_paper_shows_all_of_it(browser: Any, tmp_path: Path) -> None:
    page, wrong = opened(browser, render_html(stories.example()), tmp_path)
    page.emulate_media(media="print")
    # what is done by clicking is not on paper, and what a click would show is
    assert not page.locator("#find").is_visible()
    assert page.locator("#read .part").first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert not wrong
    page.context.close()


def test_sorts_filters_and_unfolds(browser: Any, tmp_path: Path) -> None:
    page, wrong = opened(browser, render_html(stories.example()), tmp_path)
    page.locator("#find").fill("fat-002")
    assert page.locator(".items > li:visible").count() == 1
    page.locator("#find").fill("")
    page.locator("#which").select_option(label="Robustness")
    assert page.locator(".items > li:visible").count() == 5
    table = page.locator("table[data-sort]").first
    table.locator("thead th button").nth(1).click()
    assert table.locator("thead th[aria-sort=ascending]").count() == 1
    assert not wrong
    page.context.close()


def test_long_lists_come_packed_and_nothing_in_them_is_lost(browser: Any, tmp_path: Path) -> None:
    hidden = "the-needle-in-the-haystack </noscript><img src=x onerror=alert(1)>"
    data = render_html(long_story(np.random.default_rng(2), [f"answer {n} {hidden}" for n in range(60)]))
    page, wrong = opened(browser, data, tmp_path, viewport={"width": 1366, "height": 900})
    item = page.locator("#items details.item").last
    item.locator("summary").first.click()
    item.locator(".body").wait_for(state="visible")
    assert hidden in item.inner_text() and item.locator("noscript").count() == 0
    page.locator("#find").fill("NEEDLE-in-the")
    assert (
        page.locator(".items > li:visible").count()
        == page.locator(".items > li").count() - page.locator(".pointer").count()
    )
    page.locator("#find").fill("summary")  # a word of the markup is no word of the report
    assert page.locator(".items > li:visible").count() == 0
    page.wait_for_function("document.querySelectorAll('details.item > noscript').length === 0")
    assert page.evaluate("document.querySelectorAll('main img, main noscript').length") == 0
    assert not wrong
    page.context.close()


def test_a_thousand_items_open_at_once(browser: Any, tmp_path: Path) -> None:
    answer = "## Título\n\n" + "**palavra** e outras palavras, com `código`, sem fim. \n\n" + "palavra " * 250
    data = render_html(long_story(np.random.default_rng(2), [answer] * 1000))
    assert len(data) < 10_000_000
    page, wrong = opened(browser, data, tmp_path)
    took = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    # whatever else runs on the machine makes the browser wait, and is not the page's fault
    waiting = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert took < OPENS_WITHIN_MS * waiting, (took, waiting)
    assert not wrong
    page.context.close()
