"""JSON and JSON Lines, read strictly: what standard JSON forbids is named, not taken for something else."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.tables._base import Builder, Fault, Table, missing_columns, no_such_columns

# llm-eval's results are the records even where the file repeats its scenarios beside them
PREFERRED = ("scenario_results",)
_SPACE = " \t\r\n"
_TOO_DEEP = "is nested too deeply to be read"


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            said = f"{shown(made[key], 30)} and {shown(value, 30)}"
            value = Fault(f"the key {shown(key)!r} occurs twice in one object ({said})", "keep one of them")
        made[key] = value
    return made


def _no_number(text: str) -> Fault:
    return Fault(f"{text} is not a number that JSON allows", "write null where there is no value", text)


def _float(text: str) -> float | Fault:
    number = float(text)
    return number if math.isfinite(number) else Fault("the number is too large", "correct it", shown(text))


def _int(text: str) -> int | Fault:
    try:
        return int(text)
    except ValueError:
        return Fault("the number has too many digits", "correct it", shown(text))


def parse(text: str) -> Any:
    """Return the value of a JSON text, with a `Fault` for every value that JSON does not allow.

    Raises:
        json.JSONDecodeError: When it is not JSON at all.
        RecursionError: When it is nested deeper than the parser goes.
    """
    return json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_number, parse_float=_float, parse_int=_int)


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "null", dict: "an object"}
    return names.get(type(value), "a number")


def _reason(error: json.JSONDecodeError) -> str:
    return f"is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}, at character {error.colno}"


def read_jsonl(
    text: str,
    path: Path,
    wanted: Collection[frozenset[str]],
    problems: list[Problem],
    notes: tuple[str, ...] = (),
) -> Table:
    r"""Return the table in a JSON Lines text: one object a line, lines ended by \n and nothing else.

    Raises:
        ToolkitError: When it is empty, no line is JSON, or no record has the wanted columns.
    """
    builder = Builder(path, "jsonl", problems, word="line")
    builder.notes.extend(notes)
    found: list[Problem] = []
    read = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip(_SPACE):
            continue
        place = f"line {number}"
        try:
            value = parse(line)
        except RecursionError:
            found.append(Problem(_TOO_DEEP, "flatten it", path, cell=place))
            continue
        except json.JSONDecodeError as error:
            fix = "every line holds one whole object; check whether it was cut off"
            found.append(Problem(_reason(error), fix, path, cell=place, value=line))
            continue
        read += 1
        if isinstance(value, dict):
            builder.add_record(number, value)
        else:
            what = f"holds {_kind(value)}, not an object {{...}}"
            found.append(Problem(what, "every line holds one object", path, cell=place, value=line))
    if not read and len(found) > 1:
        what = f"not one of its {len(found)} lines is valid JSON"
        raise ToolkitError(Problem(what, "check that it is the right file", path, cell=found[0].cell))
    problems.extend(found)
    return _checked(builder.table(), wanted, problems)


def _checked(table: Table, wanted: Collection[frozenset[str]], problems: list[Problem]) -> Table:
    """Return the table; when a column is missing from all of its records, say so once."""
    if not table.rows:
        raise ToolkitError(problems or [Problem("holds no records", "check that it is the right file", table.path)])
    if missing_columns(table.header, wanted):
        error = no_such_columns(table.path, table.sheet, table.header, wanted)
        raise ToolkitError([*problems, *error.problems])
    return table


def _is_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(record, dict) for record in value)


def _keys(records: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for record in records for key in record))


def read_json(
    text: str,
    path: Path,
    wanted: Collection[frozenset[str]],
    problems: list[Problem],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return the table in a JSON text: a list of objects, or an object with such a list in it, or one record.

    Raises:
        ToolkitError: When it is no JSON, or holds no such list, or more than one.
    """
    try:
        value = parse(text)
    except RecursionError:
        raise ToolkitError(Problem(_TOO_DEEP, "flatten it", path)) from None
    except json.JSONDecodeError as error:
        fix = "check whether the file is complete, and for a comma or quote too many"
        raise ToolkitError(Problem(_reason(error), fix, path, cell=f"line {error.lineno}")) from error
    sheet, around = None, {}
    if isinstance(value, dict) and wanted and not missing_columns(value, wanted):
        value = [value]
    elif isinstance(value, dict):
        around = value
        sheet = _list_in(value, path, wanted)
        around = {key: inner for key, inner in value.items() if key != sheet}
        value = value[sheet]
    if not isinstance(value, list):
        what = f"holds {_kind(value)}, not a list of records"
        raise ToolkitError(Problem(what, "write a list of objects: [{...}, {...}]", path))
    builder = Builder(path, "json", problems, sheet=sheet)
    builder.notes.extend(notes)
    for number, record in enumerate(value, start=1):
        if isinstance(record, dict):
            builder.add_record(number, record)
        else:
            what = f"is {_kind(record)}, not an object {{...}}"
            place = f"record {number}"
            problems.append(Problem(what, "every record is an object", path, sheet, place, record))
    return _checked(builder.table(around), wanted, problems)


def _list_in(value: dict[str, Any], path: Path, wanted: Collection[frozenset[str]]) -> str:
    """Return the key of the one list of records inside an object."""
    lists = [key for key, inner in value.items() if _is_records(inner)]
    fitting = [key for key in lists if not missing_columns(_keys(value[key]), wanted)]
    if preferred := [key for key in fitting if key in PREFERRED]:
        return preferred[0]
    if len(fitting) > 1:
        names = " and ".join(repr(shown(key)) for key in fitting)
        what = f"holds {len(fitting)} lists of records, {names}"
        raise ToolkitError(Problem(what, "keep the one that is meant in a file of its own", path))
    if not fitting and len(lists) == 1:
        raise no_such_columns(path, lists[0], _keys(value[lists[0]]), wanted)
    if not fitting:
        what = f"holds an object without a list of records; its keys are: {shown(', '.join(value), 300)}"
        raise ToolkitError(Problem(what, "write a list of objects: [{...}, {...}]", path))
    return fitting[0]
