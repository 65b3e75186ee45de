"""Reading a report as a browser would, as far as the standard library goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "hr", "img"}
SVG_VOID = {"line", "rect", "circle", "path"}


@dataclass
class Node:
    """An element with its attributes, its children and all text inside it."""

    tag: str
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)
    pieces: list[str | Node] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.pieces)

    def all(self, tag: str = "") -> list[Node]:
        found = [child for child in self.children if tag in ("", child.tag)]
        return found + [deeper for child in self.children for deeper in child.all(tag)]

    def one(self, tag: str, **wanted: str) -> Node:
        return next(n for n in self.all(tag) if all(n.attributes.get(k) == v for k, v in wanted.items()))


class Page(HTMLParser):
    """A page as a tree; elements must be closed in the order in which they were opened."""

    def __init__(self, data: bytes):
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.stack = [self.root]
        self.comments: list[str] = []
        self.source = data.decode("utf-8")
        self.feed(self.source)
        self.close()
        assert self.stack == [self.root], f"never closed: {[node.tag for node in self.stack[1:]]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice: {names}"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.stack[-1].children.append(node)
        self.stack[-1].pieces.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SVG_VOID, f"<{tag}/> does not close itself in HTML"
        self.handle_starttag(tag, attrs)
        self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].tag == tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].pieces.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def table(page: Page, caption: str) -> list[list[str]]:
    """Return the cells of the first table whose caption holds a text, header row first."""
    for node in page.root.all("table"):
        if caption in node.one("caption").text:
            return [[c.text for c in row.children if c.tag in ("th", "td")] for row in node.all("tr")]
    raise AssertionError(f"no table {caption!r}")
