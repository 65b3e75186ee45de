"""A dimension of a rubric, drafted by a model: the question, and what can be used of the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from toolkit.errors import shown
from toolkit.files import template
from toolkit.judging.blocks import LONGEST_TEXT, DuplicateKey, find_blocks, strict_json
from toolkit.judging.parsing import without_fence
from toolkit.judging.prompts import Strictness, object_schema
from toolkit.judging.provider import Finish
from toolkit.model import INPUT_MESSAGE_CHARACTERS, SHORT_FORM_CHARACTERS, Scale, Value

Given = StrictInt | StrictStr


class DraftPart(BaseModel):
    """A part of a model's answer: what is not asked for is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class DraftLevel(DraftPart):
    """One level as the model describes it."""

    value: Given
    short: str = Field(min_length=1, max_length=SHORT_FORM_CHARACTERS)
    description: str = Field(min_length=1)
    characteristics: tuple[str, ...] = ()


class DraftExample(DraftPart):
    """One worked example."""

    text: str = Field(min_length=1)
    score: Given
    why: str = Field(min_length=1)


class Draft(DraftPart):
    """One dimension as the model writes it."""

    title: str = Field(min_length=1)
    question: str = Field(min_length=1)
    levels: tuple[DraftLevel, ...]
    edge_cases: tuple[str, ...] = ()
    examples: tuple[DraftExample, ...] = ()
    guidance: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a dimension is to be about.

    Attributes:
        key: Its key in the rubric.
        question: What it asks; empty leaves that to the model.
        domain: What the chatbot is for.
        scale: The scale.
        strictness: How much a fault costs.
        language: Language of the texts.
    """

    key: str
    question: str
    domain: str
    scale: Scale
    strictness: Strictness
    language: str


def draft_prompt(topic: Topic, problems: Sequence[str]) -> str:
    """Return the question to the model, with what was wrong with its last answer."""
    path = template("drafts", topic.language, ".j2")
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(path.parent),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return (
        environment.get_template(path.name)
        .render(
            domain=topic.domain,
            key=topic.key,
            question=topic.question,
            values=", ".join(map(str, topic.scale.values)),
            strictness=topic.strictness,
            short=SHORT_FORM_CHARACTERS,
            form=_form(topic.scale),
            problems=problems,
        )
        .strip()
    )


def draft_schema(scale: Scale) -> dict[str, Any]:
    """Return the JSON schema of the answer, in the order in which it is to be written."""
    text: dict[str, Any] = {"type": "string"}
    value = {"type": "integer" if scale.kind == "ordinal" else "string", "enum": list(scale.values)}
    texts = {"type": "array", "items": text}
    level = object_schema({"value": value, "characteristics": texts, "description": text, "short": text})
    example = object_schema({"text": text, "score": value, "why": text})
    return object_schema(
        {
            "title": text,
            "question": text,
            "levels": {"type": "array", "items": level},
            "edge_cases": texts,
            "examples": {"type": "array", "items": example},
            "guidance": text,
        }
    )


def read_draft(text: str, finish: Finish, scale: Scale) -> tuple[Draft | None, tuple[str, ...]]:
    """Return the dimension in an answer, or everything that makes the answer unusable."""
    if finish != "stop":
        return None, ("the model declined" if finish == "refusal" else "the answer is cut off at the length limit",)
    value = _answered_object(text)
    if value is None:
        return None, ("the answer is not one JSON object",)
    try:
        draft = Draft.model_validate(value)
    except ValidationError as error:
        return None, tuple(
            f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {shown(fault['msg'], 160)}"
            for fault in error.errors()
        )
    draft = _on_scale(draft, scale)
    problems = tuple(_faults(draft, scale))
    return (None, problems) if problems else (draft, ())


def _on_scale(draft: Draft, scale: Scale) -> Draft:
    """Return a draft whose values are the scale's own: a model may write "1" for 1."""
    known: dict[str, Value] = {str(value): value for value in scale.values}
    levels = [one.model_copy(update={"value": known.get(str(one.value).strip(), one.value)}) for one in draft.levels]
    examples = [
        one.model_copy(update={"score": known.get(str(one.score).strip(), one.score)}) for one in draft.examples
    ]
    return draft.model_copy(update={"levels": tuple(levels), "examples": tuple(examples)})


def _answered_object(text: str) -> dict[str, Any] | None:
    if len(text) > LONGEST_TEXT:
        return None
    candidates = [without_fence(text)]
    blocks = find_blocks(text)
    if blocks.complete and len(blocks.spans) == 1:
        candidates.append(text[slice(*blocks.spans[0])])
    for candidate in candidates:
        try:
            value = strict_json(candidate.strip())
        except DuplicateKey:
            return None
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return None


def _faults(draft: Draft, scale: Scale) -> list[str]:
    given = [level.value for level in draft.levels]
    found = [f"the level {value} is missing" for value in scale.values if value not in given]
    found += [f"{shown(value)} is not on the scale" for value in dict.fromkeys(given) if value not in scale.values]
    found += [f"the level {shown(value)} is there twice" for value in dict.fromkeys(given) if given.count(value) > 1]
    message = "\n".join(f"{level.value} = {level.short}" for level in draft.levels)
    if not found and len(message) > INPUT_MESSAGE_CHARACTERS:
        room = INPUT_MESSAGE_CHARACTERS
        found.append(f"the short forms need {len(message)} characters together, and {room} fit; shorten them")
    found += [
        f"examples.{place}: the score {shown(example.score)} is not on the scale"
        for place, example in enumerate(draft.examples)
        if example.score not in scale.values
    ]
    return found


def _form(scale: Scale) -> str:
    """Return the form of the answer, as an example with dots."""
    value = scale.values[0]
    level = {"value": value, "characteristics": ["...", "..."], "description": "...", "short": "..."}
    example = {"text": "...", "score": value, "why": "..."}
    form = {
        "title": "...",
        "question": "...",
        "levels": [level],
        "edge_cases": ["..."],
        "examples": [example],
        "guidance": "...",
    }
    return json.dumps(form, ensure_ascii=False, indent=1)
