"""What the service accepts as a cell, a condition, a validation rule: checks that the schema alone does not make."""

from __future__ import annotations

import re

from tests.google import a1, discovery
from tests.google.book import Sheet, Spreadsheet, utf16
from tests.google.errors import Json, bad
from tests.google.syntax import UnreadableError, parse, titles

READ_ONLY = ("effectiveValue", "effectiveFormat", "formattedValue", "hyperlink")
CONDITIONAL_FORMAT = {"backgroundColor", "backgroundColorStyle", "textFormat"}
CONDITIONAL_TEXT = {"bold", "italic", "strikethrough", "underline", "foregroundColor", "foregroundColorStyle"}
MOST_LIST_ITEMS = 500
MOST_RULE_TEXT = 50_000
USES = {"dataValidation": "data validation", "conditionalFormat": "conditional formatting"}


def cell(book: Spreadsheet, given: Json) -> Json:
    """Return a cell as it is kept, without what only the service writes.

    Raises:
        ApiError: The cell is not one that the service takes.
    """
    kept = {key: value for key, value in given.items() if key not in READ_ONLY and value is not None}
    value = kept.get("userEnteredValue")
    if value is not None:
        filled = [key for key, part in value.items() if part is not None]
        if len(filled) > 1:
            raise bad(f"oneof field 'value' is already set. Cannot set '{filled[1]}'")
        if "errorValue" in filled:
            raise bad("error_value cannot be set")
        if not value.get("formulaValue", "=").startswith("="):
            raise bad("A formula must start with '='")
    if "dataValidation" in kept:
        validation(book, kept["dataValidation"])
    runs = kept.get("textFormatRuns", [])
    text = (value or {}).get("stringValue", "")
    starts = [run.get("startIndex", 0) for run in runs]
    if starts != sorted(set(starts)) or any(start >= max(1, utf16(text)) for start in starts if value is not None):
        raise bad("TextFormatRun.startIndex must be ascending and less than the length of the text")
    return kept


def validation(book: Spreadsheet, rule: Json) -> None:
    """Check a data validation rule.

    Raises:
        ApiError: It has no condition, or one that is not for validation.
    """
    wanted = condition(rule.get("condition"), "dataValidation")
    values = [one.get("userEnteredValue", "") for one in wanted.get("values", ())]
    if wanted["type"] == "ONE_OF_LIST":
        if not values or any(not value for value in values):
            raise bad("ONE_OF_LIST needs at least one value, and none that is empty")
        if len(values) > MOST_LIST_ITEMS:
            raise bad(f"Please enter up to {MOST_LIST_ITEMS} items in the list")
        if any(value.startswith("=") for value in values):
            raise bad("Formulas are not supported in the values of ONE_OF_LIST")
    if wanted["type"] == "ONE_OF_RANGE":
        book.place(values[0].removeprefix("="))
    if wanted["type"] == "CUSTOM_FORMULA" and not values[0].startswith("="):
        raise bad(f"Invalid ConditionValue.userEnteredValue: {values[0]}")


def condition(given: Json | None, use: str) -> Json:
    """Return a condition that fits its use, by what the interface's own description says of its type.

    Args:
        given: The BooleanCondition.
        use: `dataValidation` or `conditionalFormat`.

    Raises:
        ApiError: The type is missing or not for this use, or has too few or too many values.
    """
    if not given or not given.get("type"):
        raise bad("A condition with a type is required")
    described = discovery.schema("sheets", "BooleanCondition")["properties"]["type"]
    about = dict(zip(described["enum"], described["enumDescriptions"], strict=True))[given["type"]]
    if USES[use] not in about:
        raise bad(f'ConditionType "{given["type"]}" is not supported for {USES[use]}')
    count = len(given.get("values", ()))
    wanted = {"single": 1, "exactly two": 2, "no": 0}
    needed = re.search(r"Requires (?:a )?(single|exactly two|no) ConditionValue", about)
    if needed and count != wanted[needed[1]]:
        raise bad(f'ConditionType "{given["type"]}" needs {wanted[needed[1]]} values, got {count}')
    return given


def conditional_format(book: Spreadsheet, rule: Json) -> Sheet:
    """Return the sheet that a conditional format is for.

    Raises:
        ApiError: The rule has no range or no condition, or a look that conditional formats do not have.
    """
    ranges = rule.get("ranges") or []
    if not ranges:
        raise bad("At least one range is required")
    sheet = book.sheet(ranges[0].get("sheetId"))
    if any(one.get("sheetId", 0) != sheet.id for one in ranges):
        raise bad("All ranges of a conditional format must be on one sheet")
    for one in ranges:
        sheet.box(one)
    if ("booleanRule" in rule) == ("gradientRule" in rule):
        raise bad("Exactly one of booleanRule and gradientRule is required")
    if "booleanRule" in rule:
        wanted = condition(rule["booleanRule"].get("condition"), "conditionalFormat")
        if wanted["type"] == "CUSTOM_FORMULA":
            _own_formula(book, sheet, wanted["values"][0].get("userEnteredValue", ""))
        look = rule["booleanRule"].get("format", {})
        wrong = set(look) - CONDITIONAL_FORMAT | set(look.get("textFormat", {})) - CONDITIONAL_TEXT
        if wrong:
            raise bad(f"{min(wrong)} is not supported in conditional formats")
    return sheet


def _own_formula(book: Spreadsheet, sheet: Sheet, formula: str) -> None:
    """Check the formula of a conditional format, which may look at no other sheet."""
    try:
        seen = titles(parse(formula, book.locale)) if formula.startswith("=") else None
    except UnreadableError:
        seen = None
    if seen is None:
        raise bad(f"Invalid ConditionValue.userEnteredValue: {formula}")
    if seen - {None, sheet.title}:
        raise bad("Conditional format rule cannot reference a different sheet.")


def protected_range(book: Spreadsheet, given: Json) -> Sheet:
    """Return the sheet of a protected range.

    Raises:
        ApiError: It is not one the service takes.
    """
    if sum(key in given for key in ("range", "namedRangeId", "tableId")) != 1:
        raise bad("Exactly one of range, namedRangeId and tableId must be set")
    if given.get("warningOnly") and given.get("editors"):
        raise bad("ProtectedRange is warningOnly. Editors cannot be set on it.")
    area = given.get("range")
    if area is None:
        area = next((one["range"] for one in book.named if one["namedRangeId"] == given.get("namedRangeId")), None)
        if area is None:
            raise bad(f"No named range with id: {given.get('namedRangeId')}")
    sheet = book.sheet(area.get("sheetId"))
    sheet.box(area)
    free = given.get("unprotectedRanges", [])
    if free and set(area) - {"sheetId"}:
        raise bad("Unprotected ranges are only supported on protected sheets")
    for one in free:
        if one.get("sheetId", 0) != sheet.id:
            raise bad("Unprotected ranges must be on the protected sheet")
        sheet.box(one)
    for address in given.get("editors", {}).get("users", ()):
        if "@" not in address:
            raise bad(f"Invalid email address: {address}")
    return sheet


def named_range(book: Spreadsheet, given: Json) -> None:
    """Check a named range.

    Raises:
        ApiError: Its name is taken or none, or its cells are not there.
    """
    name = given.get("name", "")
    if not re.fullmatch(r"[^\W\d]\w{0,249}", name) or a1.box(name):
        raise bad(f"Invalid name: {name}")
    if any(one["name"].lower() == name.lower() for one in book.named):
        raise bad(f"A named range with the name {name} already exists")
    area = given.get("range", {})
    book.sheet(area.get("sheetId")).box(area)
