"""Formulas read into trees, with the separators of the spreadsheet's locale.

Where the decimal mark is a comma, arguments stand between semicolons and the columns of `{...}` between backslashes; a
comma there is a parse error, as it is in the service. A semicolon separates arguments in every locale.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.google import a1
from tests.google.entered import customs

NAME = r"[A-Za-z_][\w.]*"
REFERENCE = r"(?:(?:'(?:[^']|'')+'|[^\W\d]\w*)!)?\$?[A-Za-z]{1,3}\$?\d+(?::\$?[A-Za-z]{1,3}(?:\$?\d+)?)?"
COLUMNS = r"(?:(?:'(?:[^']|'')+'|[^\W\d]\w*)!)\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}"
LEVELS = (("=", "<>", "<=", ">=", "<", ">"), ("&",), ("+", "-"), ("*", "/"), ("^",))


@dataclass(frozen=True)
class Node:
    """A part of a formula.

    Args:
        kind: `value`, `range`, `array`, `call`, `infix` or `prefix`.
        what: The value, the range's name, the function's name or the operator.
        parts: What it is made of; rows of nodes for an array.
    """

    kind: str
    what: Any = None
    parts: tuple[Any, ...] = ()


class UnreadableError(ValueError):
    """The text is not a formula in this locale."""


@cache
def parse(formula: str, locale: str) -> Node:
    """Return the tree of a formula, which starts with `=`.

    Raises:
        UnreadableError: It is not one.
    """
    reader = _Reader(formula[1:], locale)
    node = reader.expression()
    if reader.tokens:
        raise UnreadableError(formula)
    return node


class _Reader:
    def __init__(self, text: str, locale: str):
        how = customs(locale)
        self.decimal = how.decimal
        self.separators = {";", how.argument}
        self.column = "\\" if how.decimal == "," else ","
        number = rf"\d+(?:{re.escape(how.decimal)}\d+)?(?:[eE][+-]?\d+)?|{re.escape(how.decimal)}\d+"
        token = re.compile(
            rf'\s*(?:(?P<text>"(?:[^"]|"")*")|(?P<range>{COLUMNS}|{REFERENCE}(?![\w(]))|(?P<name>{NAME})'
            rf"|(?P<number>{number})|(?P<mark><>|<=|>=|[-+*/^&=<>(){{}}%,;\\]))",
        )
        self.tokens: list[tuple[str, str]] = []
        place, text = 0, text.rstrip()
        while place < len(text):
            match = token.match(text, place)
            if match is None:
                raise UnreadableError(text)
            kind = match.lastgroup or ""
            self.tokens.append((kind, match[kind]))
            place = match.end()

    def _next(self, *marks: str) -> str:
        if self.tokens and self.tokens[0][0] == "mark" and self.tokens[0][1] in marks:
            return self.tokens.pop(0)[1]
        return ""

    def _want(self, mark: str) -> None:
        if not self._next(mark):
            raise UnreadableError(mark)

    def expression(self, level: int = 0) -> Node:
        if level == len(LEVELS):
            return self._prefixed()
        left = self.expression(level + 1)
        while operator := self._next(*LEVELS[level]):
            left = Node("infix", operator, (left, self.expression(level + 1)))
        return left

    def _prefixed(self) -> Node:
        if sign := self._next("-", "+"):
            return Node("prefix", sign, (self._prefixed(),))
        node = self._primary()
        while self._next("%"):
            node = Node("infix", "/", (node, Node("value", 100)))
        return node

    def _primary(self) -> Node:
        if self._next("("):
            node = self.expression()
            self._want(")")
            return node
        if self._next("{"):
            return self._array()
        if not self.tokens or self.tokens[0][0] == "mark":
            raise UnreadableError("a value is missing")
        kind, text = self.tokens.pop(0)
        if kind == "text":
            return Node("value", text[1:-1].replace('""', '"'))
        if kind == "number":
            number = float(text.replace(self.decimal, "."))
            return Node("value", int(number) if number == int(number) else number)
        if kind == "range":
            return Node("range", text.replace("$", ""))
        if self._next("("):
            return Node("call", text.upper(), tuple(self._arguments()))
        if text.upper() in ("TRUE", "FALSE"):
            return Node("value", text.upper() == "TRUE")
        return Node("range", text)

    def _arguments(self) -> list[Node]:
        if self._next(")"):
            return []
        found = [self._argument()]
        while self._next(*self.separators):
            found.append(self._argument())
        self._want(")")
        return found

    def _argument(self) -> Node:
        empty = self.tokens and self.tokens[0][0] == "mark" and self.tokens[0][1] in (*self.separators, ")")
        return Node("value", None) if empty else self.expression()

    def _array(self) -> Node:
        rows = [[self.expression()]]
        while mark := self._next(self.column, ";"):
            if mark == ";":
                rows.append([])
            rows[-1].append(self.expression())
        self._want("}")
        return Node("array", None, tuple(tuple(row) for row in rows))


def titles(node: Node) -> set[str | None]:
    """Return the titles of the sheets a formula looks at; None for its own."""
    if node.kind == "range":
        return {a1.split(node.what)[0]}
    parts = [part for row in node.parts for part in row] if node.kind == "array" else node.parts
    return set().union(*map(titles, parts))


def open_formula(node: Node) -> str:
    """Return a tree as OpenDocument writes it, whose ranges stand in brackets: `[.A1:.B2]`, `[$Sheet.A1]`."""
    if node.kind == "value":
        text = '"' + str(node.what).replace('"', '""') + '"' if isinstance(node.what, str) else str(node.what).upper()
        return "" if node.what is None else text
    if node.kind == "range":
        title, cells = a1.split(node.what)
        if a1.box(cells or node.what) is None:
            return str(node.what)
        first = "" if title is None else "$'" + title.replace("'", "''") + "'"
        return f"[{first}." + (cells or node.what).replace(":", ":.") + "]"
    if node.kind == "array":
        return "{" + "|".join(";".join(map(open_formula, row)) for row in node.parts) + "}"
    parts = [open_formula(part) for part in node.parts]
    if node.kind == "call":
        return f"{node.what}({';'.join(parts)})"
    return f"({node.what}{parts[0]})" if node.kind == "prefix" else f"({parts[0]}{node.what}{parts[1]})"
