"""What Sheets makes of a text that is typed in, or sent with USER_ENTERED, by the spreadsheet's locale.

Not simulated: names of months, currencies other than the locale's own and `$`, durations, fractions, dates of other
calendars, smart chips. A number whose thousands are grouped oddly loses its marks (`0.91` in pt-BR is 91), as people
report it of the service.
"""

from __future__ import annotations

import datetime
import re
from functools import cache
from typing import NamedTuple

from babel import Locale, UnknownLocaleError
from babel.numbers import get_currency_symbol, get_decimal_symbol, get_group_symbol, get_territory_currencies

from tests.google.errors import Json

EPOCH = datetime.date(1899, 12, 30)
TRUE_FALSE = {
    "pt": ("VERDADEIRO", "FALSO"),
    "es": ("VERDADERO", "FALSO"),
    "de": ("WAHR", "FALSCH"),
    "fr": ("VRAI", "FAUX"),
}
DATE = re.compile(r"(\d{1,4})([/.-])(\d{1,2})(?:\2(\d{2,4}))?")
TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])\.?m\.?)?", re.IGNORECASE)


class Customs(NamedTuple):
    """How numbers and dates are written in a locale."""

    decimal: str
    group: str
    currency: str
    day_first: bool
    true: str
    false: str

    @property
    def argument(self) -> str:
        """What separates the arguments of a formula where the decimal mark is a comma, or is not."""
        return ";" if self.decimal == "," else ","

    @property
    def date(self) -> str:
        """The pattern in which a date with its year is shown."""
        return "dd/mm/yyyy" if self.day_first else "m/d/yyyy"


@cache
def customs(locale: str) -> Customs:
    """Return the customs of a spreadsheet's locale (`pt_BR`).

    Raises:
        ValueError: There is no such locale.
    """
    try:
        known = Locale.parse(locale)
    except (UnknownLocaleError, ValueError) as problem:
        raise ValueError(locale) from problem
    short = known.date_formats["short"].pattern
    codes = get_territory_currencies(known.territory or "US") or ["USD"]
    true, false = TRUE_FALSE.get(known.language, ("TRUE", "FALSE"))
    return Customs(
        get_decimal_symbol(known),
        get_group_symbol(known),
        get_currency_symbol(codes[0], known),
        short.lower().index("d") < short.index("M"),
        true,
        false,
    )


def entered(text: str, locale: str, year: int) -> tuple[Json, Json | None]:
    """Return what a typed text becomes: an ExtendedValue, and the number format that comes with it.

    Args:
        text: What was typed.
        locale: The spreadsheet's.
        year: The one that a date without a year is of.

    >>> entered("4,0", "pt_BR", 2026), entered("4/5", "en_US", 2026)[0], entered("'4/5", "en_US", 2026)[0]
    (({'numberValue': 4}, None), {'numberValue': 46117}, {'stringValue': '4/5'})
    """
    how, bare = customs(locale), text.strip()
    if text.startswith("'"):
        return {"stringValue": text[1:]}, None
    if text.startswith("=") and len(text) > 1:
        return {"formulaValue": text}, None
    if bare.upper() in ("TRUE", how.true):
        return {"boolValue": True}, None
    if bare.upper() in ("FALSE", how.false):
        return {"boolValue": False}, None
    if (value := _number(bare, how)) is not None:
        return {"numberValue": value}, None
    for found in (_percent(bare, how), _currency(bare, how), _moment(bare, how, year), _loose(bare, how)):
        if found is not None:
            value, shown = found
            return {"numberValue": _whole(value)}, shown
    if text.startswith("+") and len(text) > 1:
        return {"formulaValue": "=" + text}, None
    return {"stringValue": text}, None


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _number(text: str, how: Customs) -> float | None:
    decimal, group = re.escape(how.decimal), re.escape(how.group)
    whole = rf"(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)"
    if not re.fullmatch(rf"[+-]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?", text, re.ASCII):
        return None
    return _whole(float(text.replace(how.group, "").replace(how.decimal, ".")))


def _percent(text: str, how: Customs) -> tuple[float, Json] | None:
    value = _number(text[:-1].strip(), how) if text.endswith("%") else None
    if value is None:
        return None
    return value / 100, {"type": "PERCENT", "pattern": "0%" if value == int(value) else "0.00%"}


def _currency(text: str, how: Customs) -> tuple[float, Json] | None:
    for sign in (how.currency, "$"):
        value = _number(text.removeprefix(sign).strip(), how) if text.startswith(sign) else None
        if value is not None:
            return value, {"type": "CURRENCY", "pattern": f'"{sign}"#,##0.00'}
    return None


def _moment(text: str, how: Customs, year: int) -> tuple[float, Json] | None:
    """Return a date, a time or both as a serial number."""
    first, _, second = text.partition(" ")
    if second and (day := _date(first, how, year)) and (time := _time(second)) is not None:
        return day[0] + time, {"type": "DATE_TIME", "pattern": f"{how.date} hh:mm"}
    if (day := _date(text, how, year)) is not None:
        return day
    if (time := _time(text)) is not None:
        return time, {"type": "TIME", "pattern": "hh:mm:ss"}
    return None


def _date(text: str, how: Customs, year: int) -> tuple[float, Json] | None:
    match = DATE.fullmatch(text)
    if match is None:
        return None
    first, second, third = int(match[1]), int(match[3]), match[4]
    if len(match[1]) == 4:
        if third is None:
            return None
        numbers, pattern = (first, second, int(third)), "yyyy-mm-dd"
    elif len(match[1]) > 2:
        return None
    else:
        day, month = (first, second) if how.day_first else (second, first)
        pattern = how.date if third else how.date.removesuffix("/yyyy")
        of = year if third is None else int(third) + (2000 if len(third) == 2 else 0)
        numbers = (of, month, day)
    try:
        return (datetime.date(*numbers) - EPOCH).days, {"type": "DATE", "pattern": pattern}
    except ValueError:
        return None


def _time(text: str) -> float | None:
    match = TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4]:
        hours = hours % 12 + (12 if match[4].lower() == "p" else 0)
    return (hours * 3600 + minutes * 60 + seconds) / 86400 if minutes < 60 and seconds < 60 else None


def _loose(text: str, how: Customs) -> tuple[float, None] | None:
    """Return a number whose marks of grouping stand where none belong."""
    plain = re.fullmatch(rf"[+-]?\d+(?:{re.escape(how.group)}\d+)+", text, re.ASCII)
    return (float(text.replace(how.group, "")), None) if plain else None
