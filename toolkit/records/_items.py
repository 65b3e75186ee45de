"""From a row to an item: its identifier, its texts, its answers in whichever of the accepted forms they came."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from typing import Any

from toolkit.errors import shown
from toolkit.model import Response, SourceItem
from toolkit.tables import BAD, is_blank
from toolkit.tables.fields import LABELS, TEXTS, Fields, Noticed, as_identifier, as_text, kind_of

_NUMBERED = re.compile(r"(prompt|response|variant_type)_(\d+)", re.IGNORECASE)
_RESPONSE_KEYS = ("response", "chatbot_response", "response_text", "prompt", "variant_type")


def item_key(fields: Fields, dimensions: Collection[str] | None) -> tuple[str, str] | None:
    """Return identifier and dimension of a row, or None after reporting what is wrong with them.

    Args:
        fields: The row.
        dimensions: The dimensions there are; None where any will do.
    """
    item_id = _identifier(fields)
    fields.item = item_id or ""
    dimension = fields.label("dimension")
    if dimension is None:
        if fields.raw("dimension") is None:
            known = f": one of {', '.join(dimensions)}" if dimensions else ""
            fields.report("has no dimension", f"give it one{known}")
        return None
    if dimensions is not None and dimension not in dimensions:
        near = difflib.get_close_matches(dimension.casefold(), dimensions, 1)
        fix = f"the rubric has {', '.join(dimensions)}"
        if near:
            fix = f"perhaps {near[0]!r} is meant; {fix}"
        fields.report("unknown dimension", fix, column=fields.column("dimension"), value=dimension)
        return None
    return (item_id, dimension) if item_id else None


def _identifier(fields: Fields) -> str | None:
    item_id = fields.read("item_id", as_identifier, 'write it as text ("8e5"), and the column in Excel as Text')
    if item_id is None and fields.raw("item_id") is None:
        fields.report("has no item_id", "give every record an identifier of its own")
    return item_id or None


def source_item(
    fields: Fields,
    key: tuple[str, str],
    numbered: Mapping[str, str],
    noticed: Noticed,
    *,
    answered: bool = True,
) -> SourceItem | None:
    """Return the item in a row, or None after reporting what is wrong with it.

    Args:
        fields: The row.
        key: Its identifier and dimension.
        numbered: Columns such as `response_2`, by their names in the file.
        noticed: Takes what is worth saying.
        answered: Whether there has to be an answer to score.
    """
    found = len(fields.problems)
    texts: dict[str, Any] = {name: fields.text(name) for name in TEXTS}
    texts |= {name: fields.label(name) for name in LABELS}
    prompt = fields.text("prompt") or ""
    responses, extra = _responses(fields, numbered, answered=answered)
    weight, probability = fields.number("weight"), fields.number("inclusion_probability")
    if weight is not None and weight <= 0:
        fields.report("weight is not positive", "a weight is above 0", column=fields.column("weight"), value=weight)
    if probability is not None and not 0 < probability <= 1:
        what = "inclusion_probability is not a probability"
        column = fields.column("inclusion_probability")
        fields.report(what, "it is above 0 and at most 1", column=column, value=probability)
    if len(fields.problems) > found:
        return None
    item = SourceItem(
        item_id=key[0],
        dimension=key[1],
        prompt=prompt,
        responses=tuple(responses),
        weight=weight,
        inclusion_probability=probability,
        **texts,
    )
    _notice(item, noticed)
    return item.model_copy(update={"extra": extra})


def _notice(item: SourceItem, noticed: Noticed) -> None:
    if any(is_blank(response.response) for response in item.responses):
        noticed.add("one of the responses is empty", item.item_id)
    if item.dimension == "factual" and item.ground_truth is None:
        noticed.add("factual, but without a ground_truth to compare with", item.item_id)
    if item.dimension == "consistency" and len(item.responses) == 1:
        noticed.add("consistency, but with one response only", item.item_id)
    if item.dimension == "robustness" and item.original_response is None:
        noticed.add("robustness, but without an original_response to compare with", item.item_id)


def numbered_columns(header: Collection[str]) -> dict[str, str]:
    """Return the columns `response_1`, `prompt_1`, `variant_type_1`, ... by their names in the file.

    Without any `response_N` the others are fields of the user's own.
    """
    names = {name: match for name in header if (match := _NUMBERED.fullmatch(name))}
    if not any(match[1].casefold() == "response" for match in names.values()):
        return {}
    return {name: match[0].casefold() for name, match in names.items()}


def _responses(fields: Fields, numbered: Mapping[str, str], *, answered: bool) -> tuple[list[Response], dict[str, Any]]:
    """Return the answers to score, and what came with them that has no place in an answer."""
    given = fields.raw("response")
    single = fields.text("response")
    variant_prompt, variant_type = fields.text("variant_prompt"), fields.label("variant_type")
    several: dict[str, tuple[list[Response], list[dict[str, Any]]]] = {}
    found = len(fields.problems)
    if (listed := fields.listed("responses")) is not None:
        several["responses"] = _listed(fields, "responses", listed)
    if (listed := fields.listed("comparison_responses")) is not None:
        several["comparison_responses"] = _listed(fields, "comparison_responses", listed)
    if columns := _from_columns(fields, numbered):
        several["numbered columns"] = columns, []
    several = {name: lists for name, lists in several.items() if lists[0]}
    if len(fields.problems) > found or BAD in (given, fields.raw("responses"), fields.raw("comparison_responses")):
        return [], {}
    first = [] if single is None else [Response(response=single, prompt=variant_prompt, variant_type=variant_type)]
    if len(several) > 1:
        what = f"has its answers twice, in {' and in '.join(several)}"
        fields.report(what, "keep one of them, or rename the other")
        return [], {}
    if not several:
        if answered and not first and given is None:
            # a blank cell may be an answer that was left out, or one that is empty; only its author knows
            fix = (
                "give it a response, or a list of responses (--map response=YOUR_COLUMN when it is called otherwise); "
                'of a chatbot that answered nothing, responses is [""]'
            )
            fields.report("has no responses: there is nothing to score", fix)
        return first, {}
    name, (responses, unknown) = next(iter(several.items()))
    extra: dict[str, Any] = {name: unknown} if any(unknown) else {}
    if name == "comparison_responses" and first:
        return first + responses, extra
    if single is not None and all(single != response.response for response in responses):
        what = f"has a response that is not among its {name}"
        fields.report(what, "keep one of them, or name the other one original_response", value=single)
    # they belong to a single response; which of several they mean is not for us to say
    lone = {"variant_prompt": variant_prompt, "variant_type": variant_type}
    return responses, extra | {key: value for key, value in lone.items() if value is not None}


def _listed(fields: Fields, name: str, listed: list[Any]) -> tuple[list[Response], list[dict[str, Any]]]:
    responses, unknown = [], []
    for number, entry in enumerate(listed, start=1):
        known = entry if isinstance(entry, dict) else {"response": entry}
        values: dict[str, str | None] = {}
        for key in ("response", "prompt", "variant_type"):
            aliases = _RESPONSE_KEYS[:3] if key == "response" else (key,)
            raw = next((known[alias] for alias in aliases if known.get(alias) is not None), None)
            try:
                values[key] = None if raw is None else as_text(raw)
            except ValueError as error:
                fields.report(f"{name}: {key} {number} {error}", "write it as text", column=name, value=raw)
        if "response" in values and values["response"] is None:
            what = f"{name}: number {number} holds no response"
            fix = 'every entry is a text or an object with "response"'
            value = None if entry is None or isinstance(entry, dict) else kind_of(entry)
            fields.report(what, fix, column=name, value=value)
        responses.append(
            Response(
                response=values.get("response") or "",
                prompt=values.get("prompt"),
                variant_type=values.get("variant_type"),
            )
        )
        unknown.append({key: value for key, value in known.items() if key not in _RESPONSE_KEYS})
    return responses, unknown


def _from_columns(fields: Fields, numbered: Mapping[str, str]) -> list[Response]:
    """Return the answers in `response_1`, `response_2`, ... of one row, in the order of their numbers."""
    found: dict[int, dict[str, tuple[str, Any]]] = {}
    for column, name in numbered.items():
        fields.leave(column)
        value = fields.row.values.get(column)
        if value is None or value is BAD:
            continue
        kind, number = name.rsplit("_", 1)
        found.setdefault(int(number), {})[kind] = column, value
    responses = []
    for index, parts in sorted(found.items()):
        values: dict[str, str] = {}
        for kind, (column, raw) in parts.items():
            try:
                values[kind] = as_text(raw)
            except ValueError as error:
                fields.report(f"{column} {error}", "write it as text", column=column, value=raw)
        if "response" not in parts:
            column = next(iter(parts.values()))[0]
            what = f"has {shown(column)} and no response_{index}"
            fields.report(what, "give the response, or leave both blank", column=column)
        if "response" in values:
            responses.append(
                Response(
                    response=values["response"],
                    prompt=values.get("prompt"),
                    variant_type=values.get("variant_type"),
                )
            )
    return responses
