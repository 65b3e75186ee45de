"""The looks of `style.FORMATS` and the spelling of formulas, as Google Sheets wants them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from toolkit.workbook.runs import Style
from toolkit.workbook.style import FORMATS, font_changes

Json = dict[str, Any]

# Google wants a country with every language; where a catalogue names none, this one.
_COUNTRIES = {"en": "US", "es": "ES"}
# Border widths in the numbers of Excel's file format.
_BORDERS = {1: "SOLID", 2: "SOLID_MEDIUM", 4: "DOTTED"}
_SIDES = ("top", "bottom", "left", "right")
_ACROSS = {"center": "CENTER"}
_DOWN = {"top": "TOP", "vcenter": "MIDDLE", "bottom": "BOTTOM"}
# The kind of each number format that a cell of ours has.
_NUMBER_KINDS = {"@": "TEXT", "hh:mm": "TIME", ";;;": "NUMBER"}
# A string, a quoted sheet title, a brace, a comma, or the point inside a number.
_TOKEN = re.compile(r'"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'|[{},]|(?<=[0-9])\.(?=[0-9])')


def spreadsheet_locale(language_code: str) -> str:
    """Return the locale of a spreadsheet in a language.

    >>> spreadsheet_locale("pt-BR"), spreadsheet_locale("en")
    ('pt_BR', 'en_US')
    """
    locale = language_code.replace("-", "_")
    return f"{locale}_{_COUNTRIES[locale]}" if locale in _COUNTRIES else locale


@cache
def _decimal_comma(locale: str) -> bool:
    from babel.numbers import get_decimal_symbol

    return str(get_decimal_symbol(locale)) == ","


def localised(formula: str, locale: str) -> str:
    r"""Return a formula as it is typed in a spreadsheet of a locale.

    Function names stay English there. Where numbers have a decimal comma, arguments are separated by semicolons and
    the columns of a constant by backslashes, as
    https://support.google.com/docs/answer/6208276 (arrays) describes it. What is sent as `formulaValue` is read so
    too: https://github.com/googleapis/google-api-nodejs-client/issues/1994.

    >>> localised('=MATCH(1.5,{1,2},0)&"a,b"', "pt_BR")
    '=MATCH(1,5;{1\\2};0)&"a,b"'
    """
    if not _decimal_comma(locale):
        return formula
    depth = 0

    def spelt(match: re.Match[str]) -> str:
        nonlocal depth
        token = match.group()
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token == ",":
            return "\\" if depth else ";"
        return "," if token == "." else token

    return _TOKEN.sub(spelt, formula)


def colour(code: str) -> Json:
    """Return a colour such as #1F3A5F as Google writes it."""
    red, green, blue = (round(int(code[place : place + 2], 16) / 255, 4) for place in (1, 3, 5))
    return {"rgbColor": {"red": red, "green": green, "blue": blue}}


def cell_format(look: Mapping[str, Any]) -> Json:
    """Return the format of a cell, or of a conditional format, from one of XlsxWriter's."""
    found: Json = {}
    if "num_format" in look:
        found["numberFormat"] = {"type": _NUMBER_KINDS[look["num_format"]], "pattern": look["num_format"]}
    if "bg_color" in look:
        found["backgroundColorStyle"] = colour(look["bg_color"])
    borders = {side: _border(look, side) for side in _SIDES if look.get(side, look.get("border"))}
    if borders:
        found["borders"] = borders
    if "align" in look:
        found["horizontalAlignment"] = _ACROSS[look["align"]]
    if "valign" in look:
        found["verticalAlignment"] = _DOWN[look["valign"]]
    if "text_wrap" in look:
        found["wrapStrategy"] = "WRAP" if look["text_wrap"] else "CLIP"
    if text := _text_format(look):
        found["textFormat"] = text
    return found


@cache
def named_format(name: str, bold: bool = False) -> Json:
    """Return the format of a style of `style.FORMATS`."""
    return cell_format(FORMATS[name] | ({"bold": True} if bold else {}))


@cache
def run_format(look: Style) -> Json:
    """Return what a look changes in the text of a cell."""
    if look == Style.PLAIN:
        return {}
    return _text_format(font_changes(look))


def _border(look: Mapping[str, Any], side: str) -> Json:
    width = look.get(side, look.get("border"))
    return {"style": _BORDERS[width or 1], "colorStyle": colour(look.get(f"{side}_color", look.get("border_color")))}


def _text_format(look: Mapping[str, Any]) -> Json:
    names = {"font_name": "fontFamily", "font_size": "fontSize", "bold": "bold", "italic": "italic"}
    names["font_strikeout"] = "strikethrough"
    text: Json = {theirs: look[ours] for ours, theirs in names.items() if ours in look}
    if "font_color" in look:
        text["foregroundColorStyle"] = colour(look["font_color"])
    return text
