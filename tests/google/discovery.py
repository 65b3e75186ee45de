"""The interfaces' own descriptions (discovery documents), and whether a call fits them.

The documents travel in google-api-python-client; only the files are read, none of its code runs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote

from tests.google.errors import Json, violations

FILES = {"sheets": "sheets.v4.json", "drive": "drive.v3.json"}
PREFIXES = {"sheets": "/", "drive": "/drive/v3/"}
UNKNOWN = "Invalid JSON payload received. Unknown name"
# What the documents call a type, and what the answers of the service call it.
NAMES = {"string": "TYPE_STRING", "integer": "TYPE_INT32", "number": "TYPE_DOUBLE", "boolean": "TYPE_BOOL"}

# The way to a place in a body: the way to what it is in, and its name or number there.
Where = tuple[()] | tuple["Where", str | int]


@dataclass(frozen=True)
class Method:
    """One method of an interface: how it is reached, what it takes and gives, and who may call it."""

    api: str
    id: str
    verb: str
    pattern: re.Pattern[str]
    parameters: dict[str, Json]
    request: str
    response: str
    scopes: frozenset[str]


@cache
def document(api: str) -> Json:
    """Return the discovery document of `sheets` or `drive`."""
    folder = resources.files("googleapiclient.discovery_cache.documents")
    found: Json = json.loads((folder / FILES[api]).read_text(encoding="utf-8"))
    return found


def schema(api: str, name: str) -> Json:
    """Return a schema by its name."""
    found: Json = document(api)["schemas"][name]
    return found


@cache
def methods() -> list[Method]:
    """Return every method of both interfaces, those with the longest literal path first."""
    found: list[tuple[int, Method]] = []

    def walk(api: str, node: Json) -> None:
        for described in node.get("methods", {}).values():
            path = PREFIXES[api] + described["path"]
            pattern = re.sub(r"\\{\+?(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path))
            method = Method(
                api,
                described["id"],
                described["httpMethod"],
                re.compile(pattern),
                described.get("parameters", {}),
                described.get("request", {}).get("$ref", ""),
                described.get("response", {}).get("$ref", ""),
                frozenset(described.get("scopes", ())),
            )
            found.append((len(re.sub(r"\{.*?\}", "", path)), method))
        for below in node.get("resources", {}).values():
            walk(api, below)

    for api in FILES:
        walk(api, document(api))
    return [method for _literal, method in sorted(found, key=lambda pair: -pair[0])]


def find(verb: str, path: str) -> tuple[Method, dict[str, str]] | None:
    """Return the method that answers under a path, and the parameters the path holds."""
    for method in methods():
        if method.verb == verb and (match := method.pattern.fullmatch(path)):
            return method, {name: unquote(value) for name, value in match.groupdict().items()}
    return None


def query(method: Method, given: dict[str, list[str]]) -> Json:
    """Return the query's parameters in their types.

    Sheets refuses parameters it does not know; Drive lets them pass.

    Raises:
        ApiError: A parameter is unknown, of the wrong type, given twice, or missing.
    """
    known = document(method.api)["parameters"] | method.parameters
    taken: Json = {}
    wrong: list[tuple[str, str]] = []
    for name, values in given.items():
        if name not in known:
            if method.api == "sheets":
                sentence = f"Cannot bind query parameter. Field '{name}' could not be found in request message."
                wrong.append(("", f'{UNKNOWN} "{name}": {sentence}'))
            continue
        described = known[name]
        many = described.get("repeated", False)
        if len(values) > 1 and not many:
            wrong.append((snake(name), f"Invalid value at '{snake(name)}', Proto field is not repeating."))
        converted = [_converted(described, value) for value in values]
        if any(value is None for value in converted):
            wrong.append((snake(name), f"Invalid value at '{snake(name)}' ({_type(described)}), \"{values[0]}\""))
        taken[name] = converted if many else converted[0]
    for name, described in method.parameters.items():
        if described.get("required") and described["location"] == "query" and name not in taken:
            wrong.append((name, f"Required parameter: {name}"))
    if wrong:
        raise violations(wrong)
    return taken


def _converted(described: Json, value: str) -> Any:
    if "enum" in described and value not in described["enum"]:
        return None
    if described["type"] == "boolean":
        return {"true": True, "false": False}.get(value.lower())
    if described["type"] == "integer":
        return int(value) if re.fullmatch(r"-?\d+", value) else None
    return value


def _type(described: Json) -> str:
    return "type.googleapis.com/google.apps.sheets.v4.Enum" if "enum" in described else NAMES[described["type"]]


def snake(name: str) -> str:
    """Return a name as the protocol buffers spell it, which is how the answers name fields."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def misfits(api: str, name: str, value: Any) -> list[tuple[str, str]]:
    """Return what in a value does not fit a schema, as pairs of the field and a sentence."""
    return _misfits(api, {"$ref": name}, value, ())


def _misfits(api: str, described: Json, value: Any, where: Where) -> list[tuple[str, str]]:
    if value is None:
        return []
    if "$ref" in described:
        described = schema(api, described["$ref"])
    kind = described.get("type", "object")
    if kind == "object":
        return _object_misfits(api, described, value, where)
    if kind == "any":
        return []
    if kind == "array":
        if isinstance(value, list):
            item = described["items"]
            return [one for place, part in enumerate(value) for one in _misfits(api, item, part, (where, place))]
        # a single value is taken for a list of one by the service; whoever means a list should send one
        wanted = "repeated field"
    elif _fits(described, value):
        return []
    else:
        wanted = _type(described)
    path = _path(where)
    return [(path, f"Invalid value at '{path}' ({wanted}), {json.dumps(value)}")]


def _object_misfits(api: str, described: Json, value: Any, where: Where) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        path = _path(where)
        return [(path, f"Invalid value at '{path}' (an object is wanted), {json.dumps(value)}")]
    known, others = described.get("properties", {}), described.get("additionalProperties")
    found = []
    for name, part in value.items():
        if name in known or others is not None:
            found += _misfits(api, known.get(name, others), part, (where, name))
        else:
            path = _path(where)
            at = f" at '{path}'" if path else ""
            found.append((path, f'{UNKNOWN} "{name}"{at}: Cannot find field.'))
    return found


def _path(where: Where) -> str:
    """Return the name of a place in a body, such as `requests[0].add_sheet`."""
    parts: list[str | int] = []
    while where:
        where, part = where
        parts.insert(0, part)
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{snake(part)}" for part in parts)
    return text.removeprefix(".")


def _fits(described: Json, value: Any) -> bool:
    kind = described["type"]
    if "enum" in described:
        return value in described["enum"]
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "string":
        return isinstance(value, str)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole and -(2**31) <= value < 2**32
    return isinstance(value, (int, float))


def unknown_fields(api: str, name: str, body: Any) -> list[str]:
    """Return the sentences about fields that a schema does not know; Drive ignores these without a word."""
    return [sentence for _where, sentence in misfits(api, name, body) if sentence.startswith(UNKNOWN)]
