"""Field masks: `fields` of a query, which cuts an answer down, and `fields` of a request, which says what it writes."""

from __future__ import annotations

import re
from typing import Any

from tests.google import discovery
from tests.google.errors import ApiError, Json, bad

Tree = dict[str, "Tree"]
TOKEN = re.compile(r"[\w*]+|[.,/()]")


def parse(mask: str) -> Tree:
    """Return a mask as a tree of names; `*` stands for everything.

    Raises:
        ValueError: The mask is not written as one; a space makes it so, too.
    """
    tokens = TOKEN.findall(mask)
    if "".join(tokens) != mask or not mask:
        raise ValueError(mask)
    tree, rest = _many(tokens)
    if rest:
        raise ValueError(mask)
    return tree


def _many(tokens: list[str]) -> tuple[Tree, list[str]]:
    tree: Tree = {}
    while True:
        path, tokens = _path(tokens)
        below: Tree = {}
        if tokens[:1] == ["("]:
            below, tokens = _many(tokens[1:])
            if tokens[:1] != [")"]:
                raise ValueError("unclosed parenthesis")
            tokens = tokens[1:]
        node = tree
        for name in path:
            node = node.setdefault(name, {})
        for name, value in below.items():
            node.setdefault(name, {}).update(value)
        if tokens[:1] != [","]:
            return tree, tokens
        tokens = tokens[1:]


def _path(tokens: list[str]) -> tuple[list[str], list[str]]:
    path = []
    while True:
        if not tokens or tokens[0] in ".,/()":
            raise ValueError("a name is missing")
        path.append(tokens[0])
        tokens = tokens[1:]
        if tokens[:1] not in (["."], ["/"]):
            return path, tokens
        tokens = tokens[1:]


def unknown(api: str, schema: Json, tree: Tree, where: str = "") -> list[str]:
    """Return the paths of a mask that a schema does not have."""
    if "$ref" in schema:
        schema = discovery.schema(api, schema["$ref"])
    if schema.get("type") == "array":
        return unknown(api, schema["items"], tree, where)
    if schema.get("type") == "any":
        return []
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    found = []
    for name, below in tree.items():
        path = f"{where}.{name}" if where else name
        if name == "*":
            continue
        if name not in known and others is None:
            found.append(path)
        elif below:
            found += unknown(api, known.get(name, others), below, path)
    return found


def cut(value: Any, tree: Tree) -> Any:
    """Return only the parts of an answer that a mask names."""
    if isinstance(value, list):
        return [cut(item, tree) for item in value]
    if not tree or "*" in tree or not isinstance(value, dict):
        return value
    kept = {name: cut(value[name], below) for name, below in tree.items() if name in value}
    return {name: kept[name] for name in value if name in kept}


def answer(method: discovery.Method, mask: str | None, body: Json) -> Json:
    """Return an answer cut down to what the caller asked for.

    Raises:
        ApiError: The mask names what the answer does not have, or has a space in it where Sheets is asked.
    """
    if mask is None:
        return body
    sheets = method.api == "sheets"
    try:
        tree = parse(mask if sheets else re.sub(r"\s", "", mask))
        wrong = unknown(method.api, {"$ref": method.response}, tree) if method.response else []
    except ValueError:
        wrong = [mask]
    if wrong and sheets:
        sentence = f"Error expanding 'fields' parameter. Cannot find matching fields for path '{wrong[0]}'."
        details: list[Json] = [
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{"field": wrong[0], "description": sentence}],
            }
        ]
        raise ApiError(400, "Request contains an invalid argument.", reason="badRequest", details=details)
    if wrong:
        raise bad(f"Invalid field selection {wrong[0]}", reason="invalidParameter", location="fields")
    cut_down: Json = cut(body, tree)
    return cut_down


def written(mask: str | None, schema: str) -> Tree:
    """Return the mask of a request of batchUpdate.

    Raises:
        ApiError: There is none, or it names what there is not.
    """
    if not mask:
        raise bad("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)")
    try:
        tree = parse(mask)
        wrong = unknown("sheets", {"$ref": schema}, tree)
    except ValueError:
        wrong = [mask]
    if wrong:
        raise bad(f"Invalid field: {wrong[0]}")
    return tree


def merge(old: Json, new: Json, tree: Tree) -> Json:
    """Return an object after a write: what the mask names is as in the new one, and gone where that has nothing."""
    if "*" in tree:
        return dict(new)
    result = dict(old)
    for name, below in tree.items():
        if below and isinstance(result.get(name, {}), dict) and isinstance(new.get(name, {}), dict):
            result[name] = merge(result.get(name, {}), new.get(name) or {}, below)
            if not result[name]:
                del result[name]
        elif new.get(name) is not None:
            result[name] = new[name]
        else:
            result.pop(name, None)
    return result
