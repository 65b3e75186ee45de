"""What a stored number is, and what a program displays for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal

LARGEST_EXACT = 2**53
# Dates of the Chinese, Japanese, Korean and Thai editions, which have these numbers only there.
_LOCAL_DATES = frozenset((*range(27, 37), *range(50, 59)))
# openpyxl's list has it without what divides its sections.
_ACCOUNTING, _ACCOUNTING_CODE = 44, r'_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)'
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
# A format code in parts: what stands for itself (in quotes or after a backslash), width, colour, condition or currency,
# digits, `General`, the end of a section, and everything else.
_PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<width>[_*].)|\[(?P<bracket>[^\]]*)\]|(?P<general>general|@)'
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?(?:E[+-]0+)?(?:\s?[#?]*/[#?0-9]+)?|\.[0#?]+)|(?P<end>;)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
# Other characters that programs show as they are, also without quotes; letters mean something, or nothing for sure.
_SHOWN_AS_IS = frozenset("$€£¥+-–−/():!^&'~{}<>= ") | frozenset("123456789")
# A whole number and a rest that is blank where there is none; `0/0` shows 4 as 4/1.
_WITH_REST = re.compile(r"[0#?,]+ [#?]+/[#?0-9]+")
_CONDITION = re.compile("[<>=]")
_DATE_OF_THE_SYSTEM = ("$-F800", "$-F400")
_CURRENCY = re.compile(r"\$([^-\]]*)")
UNKNOWN = "what its number format makes of it"


@dataclass(frozen=True, slots=True)
class Section:
    """What one section of a format code does.

    Attributes:
        before: Literal text in front of the number.
        after: Literal text behind it.
        decimals: The places it rounds to; None for as many as there are.
        number: Whether the number is shown at all.
        zero: Whether it is when it is zero; digits that may be left out leave nothing of it.
        known: Whether all of this is certain.
    """

    before: str = ""
    after: str = ""
    decimals: int | None = None
    number: bool = True
    zero: bool = True
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
        words: What it makes of a text; None where texts are shown as they are.
    """

    kind: Literal["plain", "percentage", "date", "duration"] = "plain"
    sections: tuple[Section, ...] = (Section(),)
    conditional: bool = False
    words: Section | None = None

    def shown(self, value: float) -> str | None:
        """Return what is displayed for a number; None where that is the number itself, for all that can be told.

        What cannot be told is `UNKNOWN`: a cell that may show one score and store another is nobody's answer.
        """
        if self.kind == "percentage":
            [section] = self.sections
            return _displayed(section, value * 100) or f"{_rounded(value * 100, section.decimals)}%"
        if self.conditional:
            # which section shows it, and with which sign, is for the conditions to say
            same = value > 0 or (value == 0 and all(section.zero for section in self.sections))
            return None if same and all(section.plain for section in self.sections) else UNKNOWN
        place = 1 if value < 0 else 2 if value == 0 else 0
        own = place < len(self.sections)
        # a section for negative numbers shows them without their sign, as it says itself how they look
        return _displayed(self.sections[place if own else 0], abs(value) if own and value < 0 else value, value)

    def shown_text(self, text: str) -> str | None:
        """Return what is displayed for a text; None where that is the text itself, `UNKNOWN` as in `shown`."""
        if self.words is None or self.words.plain:
            return None
        if not self.words.known:
            return UNKNOWN
        return f"{self.words.before}{text}{self.words.after}" if self.words.number else self.words.before


def _displayed(section: Section, value: float, stored: float | None = None) -> str | None:
    if not section.known:
        return UNKNOWN
    if not section.number:
        return section.before
    if section.decimals is None and section.plain and stored in (None, value) and (section.zero or value):
        return None
    number = _rounded(value, section.decimals)
    if number is None:
        return None
    if not section.zero and not Decimal(number):
        return f"{section.before}{section.after}"
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
# No program writes one so long, or with more sections.
_LONGEST, _SECTIONS = 255, 4
_UNCERTAIN = NumberFormat(sections=(Section(known=False),), words=Section(known=False))


@lru_cache(maxsize=1000)
def number_format(code: str) -> NumberFormat:
    """Return what a format code does.

    >>> number_format("0").shown(4.6), number_format("0.00").shown(4), number_format("0%").shown(0.04)
    ('5', None, '4%')
    >>> number_format(";;;").shown(4), number_format('0" of 5"').shown(4), number_format('"1"General').shown(4)
    ('', '4 of 5', '14')
    >>> number_format('[=4]"5"').shown(4) == UNKNOWN, number_format("[>3][Green]0;[Red]0").shown(4)
    (True, None)
    >>> number_format('0;"1"@').shown_text("4"), number_format('0;"1"@').shown(-4), number_format("0;0").shown_text("4")
    ('14', None, None)
    """
    from openpyxl.styles.numbers import (
        is_date_format,
        is_timedelta_format,
    )  # half of the time this package takes to load

    if code.casefold() in ("general", "@", ""):
        return GENERAL
    parts = list(_PART.finditer(code[: _LONGEST + 1]))
    if len(code) > _LONGEST or any(part["other"] == '"' for part in parts):
        return _UNCERTAIN
    sections: list[list[re.Match[str]]] = [[]]
    for part in parts:
        if part["end"]:
            sections.append([])
        else:
            sections[-1].append(part)
    if len(sections) > _SECTIONS:
        return _UNCERTAIN
    words = _words(sections)
    if any(part["other"] == "%" for part in parts):
        digits = [part["digits"] for part in parts if part["digits"]]
        known = len(parts) == 2 and len(digits) == 1
        return NumberFormat("percentage", (Section(decimals=_decimals(digits[0]) if known else None),), words=words)
    if is_timedelta_format(code):
        return NumberFormat("duration", words=words)
    if is_date_format(code):
        return NumberFormat("date", words=words)
    conditional = any(_CONDITION.search(part["bracket"] or "") for part in parts)
    return NumberFormat("plain", tuple(map(_section, sections[:3])), conditional, words)


def _words(sections: list[list[re.Match[str]]]) -> Section | None:
    """Return what becomes of texts, and take the section that says so away from those for numbers.

    That is the fourth, or the last if it has a place for a text. One that stands alone is left: what it makes of
    numbers, programs do not agree about. Nor do they about places for a text in other sections.
    """
    places = [place for place, parts in enumerate(sections) if any(part[0] == "@" for part in parts)]
    last = len(sections) - 1
    if last + 1 < _SECTIONS and not places:
        return None
    parts = sections.pop() if last else sections[0]
    certain = set(places) <= {last} and not any(part["digits"] for part in parts)
    words = _section(parts, of_texts=True)
    return replace(words, known=words.known and certain)


def _section(parts: list[re.Match[str]], *, of_texts: bool = False) -> Section:
    texts, digits, known = ["", ""], "", True
    number = False
    for part in parts:
        kind = part.lastgroup
        if kind in ("digits", "general"):
            # digits in two groups, or thousands left out (`0,`), show another number
            known = known and not number and not part[0].partition(".")[0].endswith(",")
            known = known and ("/" not in part[0] or _WITH_REST.fullmatch(part[0]) is not None)
            known = known and (of_texts or part[0] != "@")
            digits, number = part[0] if kind == "digits" else "", True
        elif kind == "bracket":
            currency = _CURRENCY.match(part["bracket"])
            texts[number] += currency[1] if currency else ""
            known = known and part["bracket"].upper() not in _DATE_OF_THE_SYSTEM
            # a language goes first; further on, programs take it for a currency called so
            known = known and not (part["bracket"].startswith("$-") and (texts[0] or number))
        elif kind == "other":
            known = known and part["other"] in _SHOWN_AS_IS
            texts[number] += part["other"]
        elif kind != "width":
            texts[number] += part["quoted"] or part["escaped"] or ""
    zero = not digits or "0" in digits.upper().partition("E")[0]
    return Section(texts[0], texts[1], _decimals(digits), number, zero, known)


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
    if number == _ACCOUNTING:
        return number_format(_ACCOUNTING_CODE)
    # what no list has is another edition's, or lost
    return number_format(BUILTIN_FORMATS[number]) if number in BUILTIN_FORMATS else _UNCERTAIN


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
