"""How a value is shown in a cell: what FORMATTED_VALUE, a CSV and a person's eyes get.

Not simulated: patterns beyond those that typing a value brings and plain ones such as `0`, `0.00`, `#,##0.0`, `0%`, `@`
and dates made of d, m, y, h and s.
"""

from __future__ import annotations

import datetime
import re
from typing import Any

from tests.google.entered import EPOCH, Customs, customs
from tests.google.errors import Json

ERRORS = {
    "ERROR": "#ERROR!", "NULL_VALUE": "#NULL!", "DIVIDE_BY_ZERO": "#DIV/0!", "VALUE": "#VALUE!", "REF": "#REF!",
    "NAME": "#NAME?", "NUM": "#NUM!", "N_A": "#N/A", "LOADING": "Loading...",
}  # fmt: skip
DATES = ("DATE", "TIME", "DATE_TIME")


def plain(value: Json | None) -> Any:
    """Return a value as UNFORMATTED_VALUE gives it: a number, a text, a truth value; an empty text for nothing."""
    if not value:
        return ""
    if "errorValue" in value:
        return ERRORS[value["errorValue"]["type"]]
    return next(iter(value.values()))


def shown(value: Json | None, number_format: Json | None, locale: str) -> str:
    """Return a value as the cell shows it."""
    content, how = plain(value), customs(locale)
    if isinstance(content, bool):
        return how.true if content else how.false
    if isinstance(content, str):
        return content
    kind, pattern = (number_format or {}).get("type"), (number_format or {}).get("pattern", "")
    if kind in DATES:
        return _date(content, pattern or how.date)
    if kind == "TEXT" or pattern == "@" or not (pattern or kind):
        return _general(content, how)
    return _patterned(content, pattern or {"PERCENT": "0.00%"}.get(str(kind), "#,##0.00"), how)


def _general(number: float, how: Customs) -> str:
    return f"{number:.15g}".replace(".", how.decimal).replace("e", "E")


def _patterned(number: float, pattern: str, how: Customs) -> str:
    digits = re.search(r"[#0,]*[#0](?:\.([#0]+))?", pattern)
    if digits is None:
        return _general(number, how)
    if "%" in pattern:
        number *= 100
    text = f"{number:,.{len(digits[1] or '')}f}" if "," in digits[0] else f"{number:.{len(digits[1] or '')}f}"
    marks = str.maketrans({",": how.group, ".": how.decimal})
    around = pattern[: digits.start()], pattern[digits.end() :]
    return around[0].replace('"', "") + text.translate(marks) + around[1].replace('"', "")


def _date(serial: float, pattern: str) -> str:
    midnight = datetime.datetime.combine(EPOCH, datetime.time())
    moment = midnight + datetime.timedelta(seconds=round(serial * 86400))
    clock = False
    parts = []
    for token in re.findall(r"y+|m+|d+|h+|s+|[^ymdhs]+", pattern.lower()):
        letter, wide = token[0], len(token) > 1
        clock = clock or letter == "h"
        number = {"y": moment.year, "m": moment.minute if clock else moment.month, "d": moment.day}.get(letter)
        number = {"h": moment.hour, "s": moment.second}.get(letter, number)
        if number is None:
            parts.append(token)
        elif letter == "y":
            parts.append(str(number) if len(token) > 2 else f"{number % 100:02}")
        else:
            parts.append(f"{number:02}" if wide else str(number))
    return "".join(parts)
