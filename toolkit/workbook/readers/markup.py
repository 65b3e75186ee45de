"""XML as a stream of events: no document type, no entities, no depth, no piece without bound.

The standard library's expat is used directly. What defusedxml adds to it, a refusal of document types (and with them of
entities and external references), is a single handler here; in exchange nothing builds a tree, so that a hostile
file costs no more memory than what its cells are worth.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn, Protocol
from xml.parsers import expat

from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused

DEEPEST, MOST_ATTRIBUTES = 100, 200
# Expat keeps a tag or a comment in memory until it is complete, and older versions start over with every chunk.
LONGEST_TAG = 4_000_000
# Everything but sheets and texts is kept as a whole while it is read.
SMALL_PART = 30_000_000


class Handler(Protocol):
    """Takes the events of one XML part. Names come as `namespace local`, as expat joins them."""

    depth: int
    count: int

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins. Counts it in `count`, and `depth` with it."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """A piece of text."""


def parse(chunks: Iterable[bytes], handler: Handler, budget: Budget) -> None:
    """Feed a part to a handler.

    Args:
        chunks: The bytes of the part.
        handler: What becomes of them.
        budget: Counts the elements.

    Raises:
        Refused: When the part is no XML, or XML of a kind no spreadsheet program writes.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    fed = 0
    try:
        for chunk in chunks:
            before = handler.count
            parser.Parse(chunk, False)
            fed += len(chunk)
            budget.elements(handler.count - before)
            if fed - parser.CurrentByteIndex > LONGEST_TAG:
                raise Refused(f"holds a tag or comment of more than {LONGEST_TAG:,} bytes", SAVE_AGAIN)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise Refused(f"is damaged: its XML breaks off or is malformed ({error})", SAVE_AGAIN) from error


def abnormal() -> Refused:
    """Return the refusal of a part that is built as no spreadsheet program builds one."""
    what = f"nests its XML deeper than {DEEPEST} levels, or gives an element more than {MOST_ATTRIBUTES} attributes"
    return Refused(what, SAVE_AGAIN)


def _refuse_doctype(*_: object) -> NoReturn:
    raise Refused("declares an XML document type, as no spreadsheet program does", SAVE_AGAIN)


class Collector:
    """A handler for small parts: every element with its attributes and its own text, in order of their ends."""

    def __init__(self, limit: int = 200_000) -> None:
        self.depth = self.count = 0
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._limit = limit

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        if self.count > self._limit:
            raise Refused(f"holds a part with more than {self._limit:,} elements, which is the limit", SAVE_AGAIN)
        parent = self._open[-1].path if self._open else ""
        element = Element(f"{parent}/{name.rpartition(' ')[2]}", attributes)
        self.elements.append(element)
        self._open.append(element)

    def end(self, name: str) -> None:
        """See `Handler`."""
        self.depth -= 1
        self._open.pop()

    def text(self, data: str) -> None:
        """See `Handler`."""
        if self._open:
            self._open[-1].pieces.append(data)


class Element:
    """An element of a small part: its path of local names from the root, attributes, and own text."""

    __slots__ = ("attributes", "path", "pieces")

    def __init__(self, path: str, attributes: dict[str, str]):
        self.path, self.attributes = path, attributes
        self.pieces: list[str] = []

    def get(self, local: str) -> str:
        """Return an attribute by its local name; empty where there is none."""
        for name, value in self.attributes.items():
            if name.rpartition(" ")[2] == local:
                return value
        return ""

    @property
    def own_text(self) -> str:
        """The text directly inside."""
        return "".join(self.pieces)
