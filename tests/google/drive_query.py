"""The search language of drive.files.list (`q`), as far as programs that look for their own files use it."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.google.errors import Json, bad

TOKEN = re.compile(r"""\s*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[A-Za-z]\w*|!=|<=|>=|[=<>(){}])""")
QUOTES = ("'", '"')
Test = Callable[[Json], bool]
LISTS = ("parents", "owners", "writers", "readers")


def parse(query: str) -> Test:
    """Return what tells whether a file is found.

    Raises:
        ApiError: The query cannot be read.
    """
    tokens, place = [], 0
    while place < len(query.rstrip()):
        match = TOKEN.match(query, place)
        if match is None:
            raise _invalid()
        tokens.append(match[1])
        place = match.end()
    reader = _Reader(tokens)
    test = reader.any_of()
    if reader.tokens:
        raise _invalid()
    return test


def _invalid() -> Exception:
    return bad("Invalid Value", reason="invalid", location="q")


class _Reader:
    def __init__(self, tokens: list[str]):
        self.tokens = tokens

    def _next(self, *wanted: str) -> str:
        if not self.tokens or (wanted and self.tokens[0] not in wanted):
            raise _invalid()
        return self.tokens.pop(0)

    def _text(self) -> str:
        token = self._next()
        if token[0] not in QUOTES:
            raise _invalid()
        return re.sub(r"\\(.)", r"\1", token[1:-1])

    def any_of(self) -> Test:
        tests = [self._all_of()]
        while self.tokens[:1] == ["or"]:
            self._next()
            tests.append(self._all_of())
        return lambda file: any(test(file) for test in tests)

    def _all_of(self) -> Test:
        tests = [self._one()]
        while self.tokens[:1] == ["and"]:
            self._next()
            tests.append(self._one())
        return lambda file: all(test(file) for test in tests)

    def _one(self) -> Test:
        if self.tokens[:1] == ["not"]:
            self._next()
            test = self._one()
            return lambda file: not test(file)
        if self.tokens[:1] == ["("]:
            self._next()
            test = self.any_of()
            self._next(")")
            return test
        if self.tokens and self.tokens[0][0] in QUOTES:
            value = self._text()
            self._next("in")
            field = self._next(*LISTS)
            return lambda file: value in file[field]
        return self._compared(self._next())

    def _compared(self, field: str) -> Test:
        if field in ("appProperties", "properties"):
            return self._has(field)
        if field in ("trashed", "starred"):
            operator, wanted = self._next("=", "!="), self._next("true", "false") == "true"
            return lambda file: (bool(file.get(field)) == wanted) == (operator == "=")
        if field == "sharedWithMe":
            return lambda file: bool(file["sharedWithMe"])
        if field not in ("name", "mimeType", "modifiedTime", "createdTime"):
            raise _invalid()
        operator, value = self._next("=", "!=", "contains", "<", ">", "<=", ">="), self._text()
        tests: dict[str, Test] = {
            "=": lambda file: file[field].lower() == value.lower(),
            "!=": lambda file: file[field].lower() != value.lower(),
            # names are found by the beginnings of their words
            "contains": lambda file: bool(re.search(rf"\b{re.escape(value)}", file[field], re.IGNORECASE)),
            "<": lambda file: file[field] < value,
            ">": lambda file: file[field] > value,
            "<=": lambda file: file[field] <= value,
            ">=": lambda file: file[field] >= value,
        }
        return tests[operator]

    def _has(self, field: str) -> Test:
        self._next("has")
        self._next("{")
        self._next("key")
        self._next("=")
        key = self._text()
        self._next("and")
        self._next("value")
        self._next("=")
        value = self._text()
        self._next("}")
        return lambda file: file.get(field, {}).get(key) == value
