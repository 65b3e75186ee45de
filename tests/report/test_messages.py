"""Every message that the code asks for is one that the catalogues are made from."""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator

import pytest

from tests.report import stories

CALLS = {"_", "plural"}


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each message that a module asks for, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        first = node.args[0]
        if name in CALLS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield node.lineno, first.value


@pytest.fixture(scope="module")
def extracted() -> set[str]:
    found = runpy.run_path(str(stories.ROOT / "scripts" / "messages.py"))["messages"]()
    return {one.id if isinstance(one.id, str) else one.id[0] for one in found if one.id}


def test_a_message_inside_an_f_string_is_seen_here() -> None:
    source = '''x = f"{n} {_('Validity')}"'''
    assert list(messages(source)) == [(1, "Validity")]


def test_no_message_hides_where_the_extraction_does_not_look(extracted: set[str]) -> None:
    # Babel reads a module's tokens, and before Python 3.12 an f-string is one token
    modules = sorted((stories.ROOT / "toolkit").rglob("*.py"))
    asked = [(path.name, *one) for path in modules for one in messages(path.read_text(encoding="utf-8"))]
    assert len(asked) > 500
    assert not [one for one in asked if one[2] not in extracted]
