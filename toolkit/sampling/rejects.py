"""Which rows of a log cannot be used, where they stand and why: counted all, named the first few."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator

from toolkit.errors import Problem, shown
from toolkit.model import Scale
from toolkit.sampling.columns import NOISE, NUMBER, Columns
from toolkit.sampling.logs import Log, RawRow

NAMED = 20
_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(NUMBER)


def name_rejects(log: Log, scale: Scale, count: int) -> list[Problem]:
    """Return the first rows that were rejected, with file, line, value and reason.

    The files are read once more, row by row, until all (or the first 20) are found; only a log with bad rows costs
    that.

    Args:
        log: The log.
        scale: The scale.
        count: How many the engine rejected.
    """
    if log.rows is None or not count:
        return []
    return list(itertools.islice(_rejects(log, log.rows(), scale), min(count, NAMED)))


def _rejects(log: Log, rows: Iterator[RawRow], scale: Scale) -> Iterator[Problem]:
    score_column = log.columns.find("judge_score")
    for row in rows:
        if row.values is None:
            yield Problem("is no record (cut off, or with too many or too few cells); rejected", "", row.place)
        elif why := _text_fault(row):
            yield Problem(f"{why}; rejected", "correct it there, and save the log as UTF-8", row.place)
        elif why := _identifier_fault(log.columns, row):
            yield Problem(f"{why}; rejected", "", row.place)
        elif score_column is not None and (why := score_fault(row.values.get(score_column), scale)):
            found = row.values.get(score_column)
            yield Problem(f"{score_column} {why}; rejected", "", row.place, value=shown(found, 40))


def _text_fault(row: RawRow) -> str | None:
    """Return which field holds what no engine takes for text, and so drops with its whole row."""
    for name, value in (row.values or {}).items():
        try:
            json.dumps([name, value], ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError as error:
            found = ascii(str(error.object)[error.start])
            return f"{shown(name)} holds {found}, which is no character: half of one, or a byte that is no UTF-8"
    return None


def _identifier_fault(columns: Columns, row: RawRow) -> str | None:
    for name in columns.id_from or ("item_id",):
        value = (row.values or {}).get(columns.find(name) or "")
        if isinstance(value, bool) or not isinstance(value, str | int | float | None):
            return f"{name} is no text"
        if isinstance(value, float):
            return f"{name} is a number with a fraction or exponent"
        if value is None or not str(value).strip(" "):
            return f"has no {name}"
    return None


def score_fault(value: object, scale: Scale) -> str | None:
    """Return why a value is no judge score, in words; None for a score and for none at all.

    >>> score_fault("4 ", Scale()), score_fault(None, Scale()), score_fault(True, Scale())
    (None, None, 'is true or false, not a number')
    """
    if isinstance(value, bool):
        return "is true or false, not a number"
    text = ("" if value is None else str(value)).strip(" ")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        return "is not a finite number" if text.casefold().strip("+-") in ("nan", "inf", "infinity") else "is no number"
    number = float(text.replace(",", "."))
    if number in (float("inf"), float("-inf")):
        return "is not a finite number"
    inside = scale.codes[0] - NOISE <= number <= scale.codes[-1] + NOISE
    return None if inside else f"is outside the scale {scale}"
