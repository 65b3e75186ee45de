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
# A format code in parts: what stands for itself (in quotes or after a backslash), width, colour, condition or currency,
# digits, `General`, the end of a section, and everything else.
_PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<width>[_*].)|\[(?P<bracket>[^\]]*)\]|(?P<general>general|standard|@)'
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?(?:E[+-]0+)?(?:\s?[#?]*/[#?0-9]+)?|\.[0#?]+)|(?P<end>;)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
# Other characters that programs show as they are, also without quotes; letters mean something, or nothing for sure.
_SHOWN_AS_IS = frozenset("$€£¥+-–−/():!^&'~{}<>= ") | frozenset("123456789")
_CONDITION = re.compile("[<>=]")
_CURRENCY = re.compile(r"\$([^-\]]*)")
UNKNOWN = "what its number format makes of it"
_DURATION = re.compile(r"(-)?P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?")


@dataclass(frozen=True, slots=True)
class Section:
    """What one section of a format code does.

    Attributes:
        before: Literal text in front of the number.
        after: Literal text behind it.
        decimals: The places it rounds to; None for as many as there are.
        number: Whether the number is shown at all.
        known: Whether all of this is certain.
    """

    before: str = ""
    after: str = ""
    decimals: int | None = None
    number: bool = True
    known: bool = True

    @property
    def plain(self) -> bool:
        """Whether it shows the number and nothing else."""
        return self.known and self.number and not self.before.strip() and not self.after.strip()


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a number format makes of a number.

    Attributes:
        kind: `duration` is a date format that counts past 24 hours.
        sections: For positive, negative and zero numbers, as far as there are so many.
        conditional: Whether the sections have conditions of their own, which are not worked out.
    """

    kind: Literal["plain", "percentage", "date", "duration"] = "plain"
    sections: tuple[Section, ...] = (Section(),)
    conditional: bool = False

    def shown(self, value: float) -> str | None:
        """Return what is displayed for a number; None where that is the number itself, for all that can be told.

        What cannot be told is `UNKNOWN`: a cell that may show one score and store another is nobody's answer.
        """
        if self.kind == "percentage":
            [section] = self.sections
            return _displayed(section, value * 100) or f"{_rounded(value * 100, section.decimals)}%"
        if self.conditional:
            return None if all(section.plain for section in self.sections) else UNKNOWN
        place = 1 if value < 0 else 2 if value == 0 else 0
        own = place < len(self.sections)
        # a section for negative numbers shows them without their sign, as it says itself how they look
        return _displayed(self.sections[place if own else 0], abs(value) if own and value < 0 else value, value)


def _displayed(section: Section, value: float, stored: float | None = None) -> str | None:
    if not section.known:
        return UNKNOWN
    if not section.number:
        return section.before
    if section.decimals is None and section.plain and stored in (None, value):
        return None
    number = _rounded(value, section.decimals)
    if number is None:
        return None
    sign, digits = ("-", number[1:]) if number.startswith("-") else ("", number)
    text = f"{sign}{section.before}{digits}{section.after}"
    # 4 displayed as 4.00 is still a 4
    same = Decimal(number) == Decimal(repr(value if stored is None else stored))
    return None if section.plain and same else text


def _rounded(value: float, decimals: int | None) -> str | None:
    exact = Decimal(repr(value))
    if abs(exact) >= 10**15:
        return None
    return f"{exact if decimals is None else exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"


GENERAL = NumberFormat()


@lru_cache(maxsize=1000)
def number_format(code: str) -> NumberFormat:
    """Return what a format code does.

    >>> number_format("0").shown(4.6), number_format("0.00").shown(4), number_format("0%").shown(0.04)
    ('5', None, '4%')
    >>> number_format(";;;").shown(4), number_format('0" of 5"').shown(4), number_format('"1"General').shown(4)
    ('', '4 of 5', '14')
    >>> number_format('[=4]"5"').shown(4) == UNKNOWN, number_format("[>3][Green]0;[Red]0").shown(4)
    (True, None)
    """
    from openpyxl.styles.numbers import (
        is_date_format,
        is_timedelta_format,
    )  # half of the time this package takes to load

    if len(code) > 255 or code.casefold() in ("general", "standard", "@", ""):
        return GENERAL
    parts = list(_PART.finditer(code))
    if any(part["other"] == "%" for part in parts):
        digits = [part["digits"] for part in parts if part["digits"]]
        known = len(parts) == 2 and len(digits) == 1
        return NumberFormat("percentage", (Section(decimals=_decimals(digits[0]) if known else None),))
    if is_timedelta_format(code):
        return NumberFormat("duration")
    if is_date_format(code):
        return NumberFormat("date")
    sections: list[list[re.Match[str]]] = [[]]
    for part in parts:
        if part["end"]:
            sections.append([])
        else:
            sections[-1].append(part)
    conditional = any(_CONDITION.search(part["bracket"] or "") for part in parts)
    return NumberFormat("plain", tuple(map(_section, sections[:3])), conditional)


def _section(parts: list[re.Match[str]]) -> Section:
    texts, digits, known = ["", ""], "", True
    number = False
    for part in parts:
        kind = part.lastgroup
        if kind in ("digits", "general"):
            # digits in two groups, or thousands left out (`0,`), show another number
            known = known and not number and not part[0].endswith(",")
            digits, number = part[0] if kind == "digits" else "", True
        elif kind == "bracket":
            currency = _CURRENCY.match(part["bracket"])
            texts[number] += currency[1] if currency else ""
        elif kind == "other":
            known = known and part["other"] in _SHOWN_AS_IS
            texts[number] += part["other"]
        elif kind != "width":
            texts[number] += part["quoted"] or part["escaped"] or ""
    return Section(texts[0], texts[1], _decimals(digits), number, known)


def _decimals(digits: str) -> int | None:
    """Return the places that digits of a format round to; None for a fraction, a power of ten or no digits."""
    if not digits or "/" in digits or "E" in digits.upper():
        return None
    return len(digits.partition(".")[2])


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
