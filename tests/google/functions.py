"""The operators and functions of the small calculator in `formulas`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any


class Wrong(str):
    """An error value, by its type."""

    __slots__ = ()


def number(value: Any) -> float:
    """Return a value as the operators of arithmetic take it."""
    if isinstance(value, str):
        if value.strip() and not isinstance(value, Wrong):
            return float(value)
        raise ValueError(value)
    return value or 0


def infix(operator: str, left: Any, right: Any, text: Callable[[Any], str]) -> Any:
    for value in (left, right):
        if isinstance(value, Wrong):
            return value
    if operator == "&":
        return text(left) + text(right)
    if operator in "+-*/^":
        first, second = number(left), number(right)
        whole = {"+": first + second, "-": first - second, "*": first * second}.get(operator)
        if whole is None:
            whole = first**second if operator == "^" else first / second
        return int(whole) if whole == int(whole) else whole
    return _compared(operator, left, right)


def _compared(operator: str, left: Any, right: Any) -> bool:
    def key(value: Any, other: Any) -> tuple[int, Any]:
        if value is None:
            value = "" if isinstance(other, str) else 0
        return (2, value) if isinstance(value, bool) else (1, value.lower()) if isinstance(value, str) else (0, value)

    one, two = key(left, right), key(right, left)
    results = {"=": one == two, "<>": one != two, "<": one < two, ">": one > two, "<=": one <= two, ">=": one >= two}
    return results[operator]


def _flat(*parts: Any) -> list[Any]:
    found = []
    for part in parts:
        found += [value for row in part for value in row] if isinstance(part, list) else [part]
    return found


def total(*parts: Any) -> Any:
    values = _flat(*parts)
    wrong = next((value for value in values if isinstance(value, Wrong)), None)
    if wrong is not None:
        return wrong
    result = math.fsum(_numbers(values))
    return int(result) if result == int(result) else result


def _numbers(values: list[Any]) -> list[float]:
    return [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]


def match_place(wanted: Any, block: Any) -> Any:
    if isinstance(wanted, Wrong):
        return wanted
    for place, value in enumerate(_flat(block), 1):
        if value is not None and type(value) is type(wanted) and _compared("=", value, wanted):
            return place
    return Wrong("N_A")


def _fits(value: Any, wanted: Any) -> bool:
    """Return whether a value fits a criterion of COUNTIF: a value, or a comparison written as text."""
    match = re.fullmatch(r"(<>|<=|>=|=|<|>)?(.*)", wanted, re.DOTALL) if isinstance(wanted, str) else None
    operator, bare = (match[1] or "=", match[2]) if match else ("=", wanted)
    if isinstance(bare, str) and re.fullmatch(r"-?\d+(\.\d+)?", bare):
        bare = float(bare)
    if operator == "=" and isinstance(bare, str):
        pattern = "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in bare)
        return isinstance(value or "", str) and bool(re.fullmatch(pattern, value or "", re.IGNORECASE | re.DOTALL))
    if operator != "<>" and isinstance(value, str) != isinstance(bare, str):
        return False
    return value is not None and _compared(operator, value, bare)


def _count_ifs(*parts: Any) -> int:
    columns = [_flat(part) for part in parts[::2]]
    return sum(all(_fits(value, wanted) for value, wanted in zip(row, parts[1::2])) for row in zip(*columns))  # noqa: B905


WHOLE: dict[str, Callable[..., Any]] = {
    "SUM": total,
    "COUNT": lambda *parts: len(_numbers(_flat(*parts))),
    "COUNTA": lambda *parts: sum(value is not None for value in _flat(*parts)),
    "COUNTBLANK": lambda *parts: sum(value in (None, "") for value in _flat(*parts)),
    "COUNTIF": _count_ifs,
    "COUNTIFS": _count_ifs,
    "MAX": lambda *parts: max(_numbers(_flat(*parts)), default=0),
    "MIN": lambda *parts: min(_numbers(_flat(*parts)), default=0),
    "ROWS": lambda part: len(part) if isinstance(part, list) else 1,
    "AND": lambda *parts: next((one for one in _flat(*parts) if isinstance(one, Wrong)), all(_flat(*parts))),
    "OR": lambda *parts: next((one for one in _flat(*parts) if isinstance(one, Wrong)), any(_flat(*parts))),
}
Text = Callable[[Any], str]


def _careful(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that hands on the first error among its arguments."""
    return lambda text, *values: (
        next((one for one in values if isinstance(one, Wrong)), None) or function(text, *values)
    )


SCALAR: dict[str, Callable[..., Any]] = {
    "IF": lambda text, test, yes=True, no=False: test if isinstance(test, Wrong) else yes if test else no,
    "IFERROR": lambda text, value, other="": other if isinstance(value, Wrong) else value,
    "ISERROR": lambda text, value: isinstance(value, Wrong),
    "ISBLANK": lambda text, value: value is None,
    "ISTEXT": lambda text, value: isinstance(value, str) and not isinstance(value, Wrong),
    "ISLOGICAL": lambda text, value: isinstance(value, bool),
    "ISNUMBER": lambda text, value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "NOT": _careful(lambda text, value: not value),
    "N": _careful(lambda text, value: value if isinstance(value, (int, float)) else 0),
    "VALUE": _careful(lambda text, value: number(value)),
    "TRIM": _careful(lambda text, value: " ".join(part for part in text(value).split(" ") if part)),
    "LOWER": _careful(lambda text, value: text(value).lower()),
    "UPPER": _careful(lambda text, value: text(value).upper()),
    "LEN": _careful(lambda text, value: len(text(value))),
    "LEFT": _careful(lambda text, value, count=1: text(value)[: int(count)]),
    "RIGHT": _careful(lambda text, value, count=1: text(value)[-int(count) :]),
    "FIND": _careful(lambda text, wanted, within: text(within).index(text(wanted)) + 1),
    "SUBSTITUTE": _careful(lambda text, value, old, new: text(value).replace(text(old), text(new))),
    "EXACT": _careful(lambda text, one, two: text(one) == text(two)),
    "ROUND": _careful(lambda text, value, places=0: math.floor(value * 10**places + 0.5) / 10**places),
    "REGEXMATCH": _careful(lambda text, value, pattern: bool(re.search(pattern, text(value)))),
}
