"""The language of what people read: gettext catalogues, and numbers and dates as the locale writes them.

A message is written in English where it is used, through a `Language` called `_`; the catalogues in
`templates/locale` translate it. The command line itself speaks English only.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations

from toolkit.errors import Problem, ToolkitError
from toolkit.files import languages, resources

LANGUAGES = languages()
MISSING = "—"
# A spreadsheet program shows a number by its first 15 digits and rounds halves up; so does everything here.
DIGITS = 15


class Language:
    """One language: call it with an English message to get the message in that language.

    >>> language("pt-BR").number(0.789, 2)
    '0,79'
    """

    def __init__(self, code: str, translations: NullTranslations):
        self.code = code
        self.locale = code.replace("-", "_")
        self._translations = translations

    def __call__(self, message: str, **values: object) -> str:
        """Return the message in this language, with `{name}` places filled from `values`."""
        text = self._translations.gettext(message)
        return text.format_map(values) if values else text

    def plural(self, one: str, many: str, n: int, **values: object) -> str:
        """Return the message that fits the number `n`, which fills `{n}`."""
        return self._translations.ngettext(one, many, n).format_map({"n": self.number(n, 0), **values})

    def number(self, value: float | None, digits: int = 2) -> str:
        """Return a number with the locale's decimal separator, or a dash where there is none."""
        if value is None:
            return MISSING
        from babel.numbers import format_decimal

        pattern = "#,##0." + "0" * digits if digits else "#,##0"
        return str(format_decimal(rounded(value, digits), format=pattern, locale=self.locale))

    def span(self, counts: Iterable[int]) -> str:
        """Return one whole number, or from which to which several go.

        >>> language("en").span([12, 13, 12]), language("pt-BR").span([1200])
        ('12 to 13', '1.200')
        """
        numbers = sorted(counts)
        low, high = self.number(int(numbers[0]), 0), self.number(int(numbers[-1]), 0)
        return low if low == high else self("{low} to {high}", low=low, high=high)

    def score(self, value: float | str | None) -> str:
        """Return a score as short as it is exact: 4, 3,5, 4,67, or a name."""
        if isinstance(value, str):
            return value
        if value is None:
            return MISSING
        from babel.numbers import format_decimal

        return str(format_decimal(rounded(value, 2), format="0.##", locale=self.locale))

    def percent(self, share: float | None, digits: int = 0) -> str:
        """Return a share between 0 and 1 as a percentage."""
        return MISSING if share is None else self.number(100 * share, digits) + "%"


def rounded(value: float, digits: int) -> Decimal:
    """Return a number rounded as a spreadsheet program shows it: halves away from 0, by its decimal digits.

    >>> str(rounded(0.625, 2)), str(rounded(-0.125, 2)), str(rounded(0.145 * 100, 0)), str(rounded(-0.001, 2))
    ('0.63', '-0.13', '15', '0.00')
    """
    shown = Decimal(f"{value:.{DIGITS}g}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return abs(shown) if shown.is_zero() else shown


@cache
def language(code: str) -> Language:
    """Return a language by its code.

    Raises:
        ToolkitError: When there is no such language.
    """
    if code not in LANGUAGES:
        raise ToolkitError(Problem(f"there is no language {code!r}", f"use one of {', '.join(LANGUAGES)}"))
    if code == "en":
        return Language(code, NullTranslations())
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with (resources("templates") / "locale" / f"{code}.po").open("rb") as file:
        catalogue = read_po(file, locale=code.replace("-", "_"))
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Language(code, GNUTranslations(compiled))
