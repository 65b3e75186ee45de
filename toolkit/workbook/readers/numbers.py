"""The cells of stored numbers, dates and times."""

from __future__ import annotations

import datetime
import re

from toolkit.cells.number_formats import GENERAL, NumberFormat
from toolkit.workbook.readers.raw import DAMAGED_DATE, DAMAGED_NUMBER, PERCENTAGE, Cell, Plain

_DURATION = re.compile(r"(-)?P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?")


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
