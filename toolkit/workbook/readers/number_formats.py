"""What a stored number is, and what a program displays for it."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal

from toolkit.workbook.readers.raw import DAMAGED_DATE, DAMAGED_NUMBER, PERCENTAGE, Cell, Plain

LARGEST_EXACT = 2**53
# Dates of the Chinese, Japanese, Korean and Thai editions, which have these numbers only there.
_LOCAL_DATES = frozenset((*range(27, 37), *range(50, 59)))
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
# What stands for itself in a format code (in quotes or after a backslash), or for width, colour, currency, condition.
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|[_*].|\[[^\]]*\]')
_SECTION = re.compile(r'((?:"[^"]*"|\\.|[^;"\\]|["\\])*?)(?:;|$)')
_CONDITION = re.compile(r"\[[<>=]")
_PLACES = re.compile(r"(?:#,##)?#*0+(?:\.(0+))?")
_DURATION = re.compile(r"(-)?P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a number format makes of a number.

    Attributes:
        kind: `duration` is a date format that counts past 24 hours.
        decimals: The places it rounds to, where that is known.
        before: Literal text it puts in front.
        after: Literal text it puts behind.
        empty: Whether it shows its literal text alone, or nothing, for any number.
        positive_only: Whether zero and negative numbers have formats of their own.
    """

    kind: Literal["plain", "percentage", "date", "duration"] = "plain"
    decimals: int | None = None
    before: str = ""
    after: str = ""
    empty: bool = False
    positive_only: bool = False

    def shown(self, value: float) -> str | None:
        """Return what is displayed for a number, where that is known and reads as another value."""
        if self.positive_only and value <= 0:
            return None
        if self.empty:
            return self.before
        if self.decimals is None:
            return None
        exact = Decimal(repr(value)) * (100 if self.kind == "percentage" else 1)
        if abs(exact) >= 10**15:
            return None
        rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_UP)
        text = f"{self.before}{rounded}{self.after}"
        # 4 displayed as 4.00 is still a 4
        return None if rounded == exact and text == str(rounded) else text


GENERAL = NumberFormat()


@lru_cache(maxsize=1000)
def number_format(code: str) -> NumberFormat:
    """Return what a format code does; only codes that can be told for certain say what is displayed.

    >>> number_format("0").shown(4.6), number_format("0.00").shown(4), number_format("0%").shown(0.04)
    ('5', None, '4%')
    >>> number_format(";;;").shown(4), number_format('0" of 5"').shown(4)
    ('', '4 of 5')
    >>> number_format('[=4]"5"').shown(4), number_format("[>3][Green]0;[Red]0").shown(4)
    ('what the number format [=4]"5" makes of it', None)
    """
    from openpyxl.styles.numbers import (
        is_date_format,
        is_timedelta_format,
    )  # half of the time this package takes to load

    if len(code) > 255 or code.casefold() in ("general", "standard", "@", ""):
        return GENERAL
    several = ";" in _LITERAL.sub("", code)
    first = _first_section(code)
    bare = _LITERAL.sub("", first)
    places = _PLACES.search(bare)
    if "%" in _LITERAL.sub("", code):
        known = not several and places is not None and first == f"{places.group()}%"
        return NumberFormat("percentage", len(places[1] or "") if places and known else None, after="%")
    if is_timedelta_format(code):
        return NumberFormat("duration")
    if is_date_format(code):
        return NumberFormat("date")
    if _CONDITION.search(code):
        # which condition holds is not worked out; digits that stand for themselves could show any score for any other
        digits = any(character.isdigit() for character in _literal(code))
        return NumberFormat(before=f"what the number format {code} makes of it", empty=True) if digits else GENERAL
    if not bare.strip():
        return NumberFormat(before=_literal(first), empty=True, positive_only=several)
    if places is None or places.group() != bare.strip():
        return GENERAL
    # the digits must not be looked for inside a quoted text
    blanked = _LITERAL.sub(lambda match: "\0" * len(match.group()), first)
    start = blanked.index(places.group())
    before, after = _literal(first[:start]), _literal(first[start + len(places.group()) :])
    return NumberFormat("plain", len(places[1] or ""), before, after, positive_only=several)


def _first_section(code: str) -> str:
    match = _SECTION.match(code)
    return match[1] if match else code


def _literal(part: str) -> str:
    return "".join(match[1] or match[2] or "" for match in _LITERAL.finditer(part))


def builtin(number: int, codes: dict[int, str]) -> NumberFormat:
    """Return the format with a number: one of the file's own, or one every program knows."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    if number in codes:
        return number_format(codes[number])
    if number in _LOCAL_DATES:
        return NumberFormat("date")
    return number_format(BUILTIN_FORMATS.get(number, ""))


def parse_number(text: str) -> int | float | None:
    """Return the number a file's text stands for; None when it stands for none.

    Whole numbers come as int, since a workbook has one kind of number and 4 and 4.0 are the same cell.

    >>> parse_number("4.0"), parse_number("4.5"), parse_number("nan"), parse_number("1e999"), parse_number("1_0")
    (4, 4.5, None, None, None)
    """
    if text.isdecimal() and text.isascii() and len(text) < 16:
        return int(text)
    text = text.strip(" \t\r\n")
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    return whole(float(text))


def whole(value: float) -> int | float | None:
    """Return a number as int where it is whole and exact; None when it is infinite or none."""
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value.is_integer() and abs(value) < LARGEST_EXACT else value


def number_cell(place: str, value: int | float | None, style: NumberFormat, *, from_1904: bool, raw: str) -> Cell:
    """Return the cell of a stored number.

    Args:
        place: Its address.
        value: The number; None when the text in the file is none.
        style: Its number format.
        from_1904: Whether days count from 1904.
        raw: The text in the file, for a damaged one.
    """
    if value is None:
        return Cell(place, raw[:100], DAMAGED_NUMBER)
    if style is GENERAL:
        return Cell(place, value)
    if style.kind == "percentage":
        return Cell(place, value, PERCENTAGE, style.shown(value))
    if style.kind == "plain":
        return Cell(place, value, None, style.shown(value))
    moment = _moment(value, style.kind == "duration", from_1904)
    return Cell(place, value, DAMAGED_DATE) if moment is None else Cell(place, moment)


def _moment(days: float, duration: bool, from_1904: bool) -> Plain:
    from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

    epoch = MAC_EPOCH if from_1904 else WINDOWS_EPOCH
    try:
        moment = from_excel(days, epoch, timedelta=duration)
    except (ValueError, OverflowError, TypeError):
        return None
    return moment if isinstance(moment, datetime.datetime | datetime.time | datetime.timedelta) else None


def iso_cell(place: str, text: str) -> Cell:
    """Return the cell of a date, time or duration as ISO 8601 writes it.

    >>> iso_cell("A1", "2024-05-04").value, iso_cell("A1", "PT4H5M").value, iso_cell("A1", "4/5").trouble
    (datetime.date(2024, 5, 4), datetime.timedelta(seconds=14700), 'a date no program can read')
    """
    text = text.strip()
    match = _DURATION.fullmatch(text)
    try:
        if match and any(match.groups()[1:]):
            days, hours, minutes = (int(match[group] or 0) for group in (2, 3, 4))
            seconds = float((match[5] or "0").replace(",", "."))
            span = datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
            return Cell(place, -span if match[1] else span)
        if len(text) == 10:
            return Cell(place, datetime.date.fromisoformat(text))
        kind = datetime.datetime if "-" in text else datetime.time
        return Cell(place, kind.fromisoformat(text))
    except (ValueError, OverflowError):
        return Cell(place, text[:100], DAMAGED_DATE)
