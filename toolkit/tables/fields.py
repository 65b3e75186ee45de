"""Typed access to the cells of a row: each wrong one becomes a problem that names item, field, place and value."""

from __future__ import annotations

import datetime
import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from toolkit.errors import Problem, shown
from toolkit.model import Scale, Value
from toolkit.tables import BAD, Row, Table, header_key, is_blank, parse_json
from toolkit.tables._base import faults_in, plain
from toolkit.texts import composed, plain_key
from toolkit.values import FLOAT_NOISE, parse_score

T = TypeVar("T")

TEXTS = ("ground_truth", "original_response", "expected_behavior")
LABELS = ("category", "provider", "model", "difficulty", "stratum", "cluster")
# the fields of a judged sample; everything else in it is the user's own
RESERVED = (
    "item_id",
    "dimension",
    "prompt",
    "response",
    "responses",
    "comparison_responses",
    "variant_type",
    "variant_prompt",
    *TEXTS,
    *LABELS,
    "weight",
    "inclusion_probability",
    "judge_score",
    "judge_scores",
    "judge_unit",
    "judge_justification",
    "judge_model",
    "judge_confidence",
    "judgements",
)
# other names that a field may go by
ALIASES: dict[str, tuple[str, ...]] = {
    "item_id": ("id", "scenario_id"),
    "response": ("chatbot_response",),
    "annotator_id": ("annotator", "rater", "rater_id"),
    "judge": ("judge_model",),
}
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_EXPONENT = re.compile(r"[+-]?\d+(?:\.\d+)?[eE][+-]?\d+")


def names_of(field: str, rename: Mapping[str, str]) -> frozenset[str]:
    """Return the names under which a field may stand in a file."""
    if field in rename:
        return frozenset((rename[field],))
    return frozenset((field, *ALIASES.get(field, ())))


def number(raw: object) -> float:
    """Return the number a cell holds, as a number or written out (`4 `, `4,5`).

    Raises:
        ValueError: With the reason in words.

    >>> number("4,5")
    4.5
    """
    if isinstance(raw, bool):
        raise ValueError("is true or false, not a number")
    if isinstance(raw, int | float):
        try:
            found = float(raw)
        except OverflowError:
            found = math.inf
    elif isinstance(raw, str):
        text = composed(raw, "NFKC").strip()
        if not _NUMBER.fullmatch(text) and not _EXPONENT.fullmatch(text):
            raise ValueError("is not a number")
        found = float(text.replace(",", "."))
    else:
        raise ValueError(f"is {kind_of(raw)}, not a number")
    if not math.isfinite(found):
        raise ValueError("is not a finite number")
    return found


def judge_score(raw: object, scale: Scale) -> float | str | None:
    """Return the score a judge gave: a number within the scale, fractions included, or one of a nominal scale's names.

    Raises:
        ValueError: With the reason in words.
    """
    if is_blank(raw):
        return None
    if scale.kind == "nominal":
        value = parse_score(raw, scale, {plain_key(label): v for v, label in scale.labels.items()}).value
        return None if value is None else str(value)
    score = number(raw)
    for end in (scale.codes[0], scale.codes[-1]):
        # a mean of fives that comes out as 5.000000000000001
        if abs(score - end) < FLOAT_NOISE:
            return end
    if not scale.holds(score):
        raise ValueError(f"is outside the scale {scale}")
    return score


def kind_of(value: object) -> str:
    """Return what a value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return "a date or time"
    if isinstance(value, int | float):
        return "a number"
    words: dict[type, str] = {str: "a text", list: "a list", dict: "an object", type(None): "null"}
    return words.get(type(value), type(value).__name__)


def as_text(raw: object) -> str:
    """Return a cell's text; a whole number becomes its digits.

    Raises:
        ValueError: With the reason in words.
    """
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return str(raw)
    raise ValueError(f"is {kind_of(raw)}, not a text")


def as_identifier(raw: object) -> str:
    """Return an identifier, which is text even when it looks like a number.

    Raises:
        ValueError: With the reason in words.

    >>> as_identifier("00123"), as_identifier("8e5"), as_identifier(17)
    ('00123', '8e5', '17')
    """
    if isinstance(raw, float):
        raise ValueError("is a number with a fraction or exponent, which may not be what was written")
    return as_text(raw).strip()


class Fields:
    """The cells of one row under the toolkit's names.

    Attributes:
        item: The item's identifier, once known, for messages.
    """

    def __init__(self, table: Table, row: Row, problems: list[Problem], rename: Mapping[str, str]):
        self.table, self.row, self.problems = table, row, problems
        self.rename = rename
        self.item = ""
        self._used: set[str] = set()
        self._found: dict[str, Any] = {}

    def report(self, what: str, fix: str = "", *, column: str | None = None, value: object = None) -> None:
        """Add a problem of this row."""
        head = f"item {shown(self.item)}: " if self.item else ""
        if value is BAD:
            value = None
        self.problems.append(self.table.problem(head + what, fix, row=self.row, column=column, value=value))

    def _candidates(self, field: str) -> list[str]:
        if field in self.rename:
            names: Iterable[str] = (self.rename[field],)
        else:
            taken = {header_key(name) for name in self.rename.values()}
            names = [n for n in (field, *ALIASES.get(field, ())) if header_key(n) not in taken]
        columns = (self.table.column(name) for name in names)
        return [column for column in columns if column is not None and column in self.row.values]

    def column(self, field: str) -> str | None:
        """Return the column of this row that a field is read from."""
        return next(iter(self._candidates(field)), None)

    def raw(self, field: str) -> Any:
        """Return a field as it stands, None where it is absent, `BAD` where its problem is known already."""
        if field not in self._found:
            self._found[field] = self._look_up(field)
        return self._found[field]

    def _look_up(self, field: str) -> Any:
        columns = self._candidates(field)
        if not columns:
            return None
        first = columns[0]
        value = self.row.values[first]
        self._used.add(first)
        if header_key(first) == "item_id" or field in self.rename:
            # an `id` beside an `item_id` is one of the user's own fields
            return value
        for other in columns[1:]:
            self._used.add(other)
            if BAD in (value, self.row.values[other]):
                return BAD
            if self.row.values[other] != value:
                what = f"{first} and {other} both give the {field}, and they differ"
                self.report(what, f"remove one, or say which is meant with --map {field}=COLUMN", column=other)
                return BAD
        return value

    def read(self, field: str, convert: Callable[[Any], T], fix: str = "") -> T | None:
        """Return a field through a conversion that raises ValueError with the reason in words; None when wrong."""
        raw = self.raw(field)
        if raw is None or raw is BAD:
            return None
        try:
            return convert(raw)
        except ValueError as error:
            column = self.column(field)
            self.report(f"{column or field} {error}", fix, column=column, value=raw)
            return None

    def check_look(self, column: str | None, value: Value | float | None, *, rounded: bool = False) -> None:
        """Refuse a score that nobody sees in its cell; see `Look.check`.

        Raises:
            ValueError: With the reason in words.
        """
        look = self.row.looks.get(column or "")
        if look is not None and value is not None:
            look.check(value, rounded=rounded)

    def text(self, field: str) -> str | None:
        """Return a text field."""
        return self.read(field, as_text, "write it as text")

    def label(self, field: str) -> str | None:
        """Return a text field that names something: without space around it."""
        found = self.text(field)
        return found.strip() if found else None

    def number(self, field: str) -> float | None:
        """Return a number field."""
        return self.read(field, number, "write a number, or leave it out")

    def score(self, field: str, scale: Scale) -> float | str | None:
        """Return a score that need not be whole; see `judge_score`."""

        def seen(raw: object) -> float | str | None:
            score = judge_score(raw, scale)
            self.check_look(self.column(field), score, rounded=True)
            return score

        return self.read(field, seen, f"the scale is {scale}")

    def listed(self, field: str) -> list[Any] | None:
        """Return a list, or a text that holds one as JSON."""
        return self.read(field, as_list, 'write a JSON list: ["...", "..."]')

    def rest(self) -> dict[str, Any]:
        """Return what has not been read, in values that JSON knows."""
        return {
            name: json_safe(value)
            for name, value in self.row.values.items()
            if name not in self._used and value is not BAD
        }

    def leave(self, *columns: str) -> None:
        """Count columns as read."""
        self._used.update(columns)


def as_list(raw: object) -> list[Any]:
    """Return a list, or the list that a text holds as JSON.

    Raises:
        ValueError: With the reason in words.
    """
    if isinstance(raw, list):
        return raw
    if not isinstance(raw, str):
        raise ValueError(f"is {kind_of(raw)}, not a list")
    if not raw.lstrip().startswith("["):
        raise ValueError("is a text, not a list")
    try:
        value = plain(parse_json(raw))
    except (json.JSONDecodeError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise ValueError(f"is not a valid JSON list ({reason})") from None
    for where, fault in faults_in(value):
        raise ValueError(f"is a list in which something is wrong at {where}: {fault.what}")
    if not isinstance(value, list):
        raise ValueError("is not a list")
    return value


def json_safe(value: Any) -> Any:
    """Return a value with dates and times as ISO text."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: json_safe(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [json_safe(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def check_rename(table: Table, rename: Mapping[str, str], fields: Iterable[str]) -> list[Problem]:
    """Return what is wrong with a `--map`: a field nobody knows, or a column the file has not got."""
    known = list(fields)
    problems = []
    for field, column in rename.items():
        if field not in known:
            near = difflib.get_close_matches(field, known, 1)
            fix = f"perhaps {near[0]!r} is meant" if near else f"the fields are {', '.join(known)}"
            problems.append(table.problem(f"--map: there is no field {shown(field)!r}", fix))
        elif table.column(column) is None:
            near = difflib.get_close_matches(column, table.header, 1)
            columns = shown(", ".join(table.header), 300)
            fix = f"perhaps {shown(near[0])!r} is meant" if near else f"the columns are {columns}"
            problems.append(table.problem(f"--map {field}: there is no column {shown(column)!r}", fix))
    return problems


class Noticed:
    """Things worth saying of several items, said once each with a count and the first few."""

    SHOWN = 3

    def __init__(self) -> None:
        self._items: dict[str, list[str]] = {}

    def add(self, what: str, item: str) -> None:
        """Note something of an item."""
        self._items.setdefault(what, []).append(item)

    def __iter__(self) -> Iterator[str]:
        for what, items in self._items.items():
            names = ", ".join(shown(item, 40) for item in items[: self.SHOWN])
            more = f" and {len(items) - self.SHOWN} more" if len(items) > self.SHOWN else ""
            yield f"{what} ({names}{more})"
