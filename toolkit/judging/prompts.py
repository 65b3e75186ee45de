"""Prompts: Jinja2 templates per dimension and language; the texts to judge go in as data, in a single pass.

Nothing inside a text is ever expanded, whatever braces or template syntax it holds. A placeholder that does not
exist is reported before the first call: every template is checked, and every prompt rendered, beforehand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import canonical_json, sha256, template
from toolkit.judging.criteria import Criterion
from toolkit.model import Example, Response, Rubric, Scale, SourceItem, Value
from toolkit.values import labels_of

Strictness = Literal["lenient", "balanced", "strict"]
STRICTNESS: tuple[Strictness, ...] = ("lenient", "balanced", "strict")
PAIRWISE = Scale(kind="nominal", values=("A", "B", "tie"))
BINARY = Scale(kind="nominal", values=("fail", "pass"))
GENERIC, PARTS, SYSTEM = "generic", "parts", "system"
FINGERPRINT_CHARACTERS = 16
LONGEST_REASON = 300
_KNOWN = frozenset(
    [
        "boundary",
        "dimension",
        "levels",
        "scale",
        "scale_values",
        "strictness",
        "suggestion",
        "examples",
        "criteria",
        "failure",
        "prompt",
        "ground_truth",
        "expected_behavior",
        "original_response",
        "responses",
        "response",
        "variant_type",
        "variant_prompt",
    ]
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the judge is asked, beside the item and the rubric.

    Attributes:
        strictness: What to do when in doubt between two levels.
        suggestion: Whether a suggestion for improvement is wanted.
        examples: Worked examples beside those of the rubric.
        criteria: Criteria with weights, each of which gets a score of its own.
        failure: The one failure that a binary judge looks for.
        pairwise: Whether two answers are compared.
    """

    strictness: Strictness = "balanced"
    suggestion: bool = False
    examples: tuple[Example, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    failure: str | None = None
    pairwise: bool = False

    def scale(self, rubric: Rubric) -> Scale:
        """Return the scale of the answer."""
        if self.pairwise:
            return PAIRWISE
        return BINARY if self.failure else rubric.scale


@dataclass(frozen=True, slots=True)
class Prompt:
    """What goes to a model, and the hash of the texts that are judged and of the scale, however the rest is worded."""

    system: str
    text: str
    schema: Mapping[str, Any]
    texts: str


class Prompts:
    """The templates of one language."""

    def __init__(self, language: str, rubric: Rubric, asked: Asked, folder: Path | None = None):
        """Load the templates and check them.

        Args:
            language: Language of the prompts.
            rubric: Scale and dimensions.
            asked: What the judge is asked.
            folder: Templates of the user's own, which take the place of ours under the same names.

        Raises:
            ToolkitError: When a template is broken or uses a placeholder that does not exist.
        """
        folders = [*([folder] if folder else []), template("prompts", language)]
        if folder and not folder.is_dir():
            raise ToolkitError(Problem("is not a folder of prompt templates", "check --prompts", str(folder)))
        self._environment = ImmutableSandboxedEnvironment(
            loader=FileSystemLoader(folders),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._rubric, self._asked = rubric, asked
        self._labels: dict[str, Mapping[str, Value]] = {}
        self._by_dimension: dict[str, dict[str, Any]] = {}
        self._templates = frozenset(self._environment.list_templates())
        self.scale = asked.scale(rubric)
        self.schema = schema(self.scale, asked)
        used = self._names()
        included = set().union(*map(self._used, used)) - {f"{name}.j2" for name in used}
        refuse(
            [
                *(problem for name in used for problem in self._faults(f"{name}.j2")),
                # what another template includes may use what that one has set
                *(problem for file in sorted(included) for problem in self._faults(file, placeholders=False)),
            ]
        )
        if folder and not any((folder / f"{name}.j2").is_file() for name in used):
            what = f"none of the templates that are used here is in it ({', '.join(f'{name}.j2' for name in used)})"
            raise ToolkitError(Problem(what, "give one of them this name", str(folder)))

    def _names(self) -> list[str]:
        return [SYSTEM, PARTS, *dict.fromkeys(map(self._template_name, self._rubric.dimensions))]

    def _template_name(self, dimension: str) -> str:
        if self._asked.pairwise:
            return "pairwise"
        if self._asked.failure:
            return "binary"
        return dimension if f"{dimension}.j2" in self._templates else GENERIC

    def _faults(self, file: str, *, placeholders: bool = True) -> list[Problem]:
        try:
            tree = self._environment.parse(self._source(file))
        except TemplateNotFound:
            return [Problem("the prompt template is missing", "install the toolkit again", file)]
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            why = f"is not a valid prompt template: {(error.message or '').rstrip('.')}"
            return [Problem(why, "correct the template", file, cell=f"line {line}" if line else None)]
        except (OSError, UnicodeDecodeError):
            return [Problem("cannot be read as a prompt template", "save it as text in UTF-8", file)]
        except RecursionError:
            return [Problem("is nested too deeply for a prompt template", "flatten it", file)]
        unknown = sorted(meta.find_undeclared_variables(tree) - _KNOWN) if placeholders else []
        fix = f"the placeholders are {', '.join(sorted(_KNOWN))}"
        return [Problem(f"uses the unknown placeholder {name!r}", fix, file) for name in unknown]

    def prompt(self, item: SourceItem, responses: Sequence[Response]) -> Prompt:
        """Return the prompt for an item.

        Args:
            item: The item.
            responses: The answers of it that are judged: all of them, one, or two in the order to compare.

        Raises:
            ToolkitError: When a template asks for something that is not there.
        """
        texts = texts_hash(item, responses)
        # a text cannot hold the hash of itself, so it cannot close its own tag
        values = self._values(item, responses, texts[:8])
        name = self._template_name(item.dimension)
        try:
            system, text = (
                self._environment.get_template(f"{template}.j2").render(values).strip() for template in (SYSTEM, name)
            )
        except Exception as error:
            # a template can do almost anything: divide by zero, count to a billion, include itself
            said = shown(str(error) or type(error).__name__, LONGEST_REASON).rstrip(".")
            why = f"the prompt of item {shown(item.item_id)} cannot be made: {said}"
            raise ToolkitError(Problem(why, "correct the template", f"{name}.j2")) from error
        return Prompt(system, text, self.schema, self._task(texts))

    def _task(self, texts: str) -> str:
        """Return the hash of what is judged and on which scale: an answer to it answers no other question."""
        asked = self._asked
        names = [criterion.name for criterion in asked.criteria]
        return sha256(canonical_json([texts, self.scale.kind, list(self.scale.values), asked.failure, names]))

    def fingerprint(self, dimension: str) -> str:
        """Return a hash of the prompt of a dimension without the texts that are judged: template, rubric, examples."""
        fixed = self._fixed(dimension) | {"scale": self.scale.model_dump(mode="json")}
        files = self._used(SYSTEM) | self._used(self._template_name(dimension))
        sources = {file.removesuffix(".j2"): self._source(file) for file in files}
        return sha256(canonical_json([sources, fixed, json.dumps(self.schema)]))[:FINGERPRINT_CHARACTERS]

    def _source(self, file: str) -> str:
        assert self._environment.loader is not None
        return self._environment.loader.get_source(self._environment, file)[0]

    def _used(self, name: str) -> set[str]:
        """Return the file of a template and those it includes, as far as they are there."""
        used, waiting = set(), [f"{name}.j2"]
        while waiting:
            used.add(found := waiting.pop())
            try:
                named = list(meta.find_referenced_templates(self._environment.parse(self._source(found))))
            except (TemplateError, OSError, UnicodeDecodeError, RecursionError):
                # `_faults` says why
                continue
            waiting += ({other for other in named if other} & self._templates) - used
        return used

    def labels(self, dimension: str) -> Mapping[str, Value]:
        """Return the words that stand for a value in answers about a dimension."""
        if dimension not in self._labels:
            own = self.scale is self._rubric.scale
            self._labels[dimension] = labels_of(self._rubric, dimension) if own else {}
        return self._labels[dimension]

    def _values(self, item: SourceItem, responses: Sequence[Response], boundary: str) -> dict[str, Any]:
        first = responses[0] if responses else Response(response="")
        return self._fixed(item.dimension) | {
            "prompt": item.prompt,
            "ground_truth": item.ground_truth,
            "expected_behavior": item.expected_behavior,
            "original_response": item.original_response,
            "responses": [
                {"response": answer.response, "prompt": answer.prompt, "variant_type": answer.variant_type}
                for answer in responses
            ],
            "response": first.response,
            "variant_type": first.variant_type,
            "variant_prompt": first.prompt,
            "boundary": boundary,
        }

    def _fixed(self, dimension: str) -> dict[str, Any]:
        """Return what is the same for every item of a dimension."""
        if dimension not in self._by_dimension:
            rubric, asked = self._rubric, self._asked
            described = rubric.dimensions[dimension]
            self._by_dimension[dimension] = {
                # plain dictionaries: the sandbox looks at every attribute of anything else
                "dimension": {
                    "title": described.title,
                    "question": described.question,
                    "sets": described.sets,
                    "edge_cases": described.edge_cases,
                },
                "levels": [
                    {
                        "value": value,
                        "label": rubric.scale.labels.get(value, ""),
                        "description": described.levels[value].description,
                    }
                    for value in rubric.scale.values
                ],
                "scale": self.scale,
                "scale_values": ", ".join(map(str, self.scale.values)),
                "strictness": asked.strictness,
                "suggestion": asked.suggestion,
                "examples": [example.model_dump() for example in (*described.examples, *asked.examples)],
                "criteria": [criterion.model_dump() for criterion in asked.criteria],
                "failure": asked.failure,
            }
        return self._by_dimension[dimension]


def texts_hash(item: SourceItem, responses: Sequence[Response]) -> str:
    """Return the hash of the texts that are judged, without the prompt around them."""
    texts = [item.prompt, item.ground_truth, item.expected_behavior, item.original_response]
    answers = [[answer.response, answer.prompt, answer.variant_type] for answer in responses]
    return sha256(canonical_json([texts, answers]))


def schema(scale: Scale, asked: Asked) -> dict[str, Any]:
    """Return the JSON schema of the answer; its properties stand in the order in which they are to be written.

    Values are listed (`enum`) rather than bounded: not every provider knows minimum and maximum.
    """
    text = {"type": "string"}
    kind = "integer" if scale.kind == "ordinal" else "string"
    score = {"type": kind, "enum": list(scale.values)}
    properties: dict[str, Any]
    if asked.pairwise:
        properties = {"evidence": text, "justification": text, "confidence": {"type": "number"}, "winner": score}
    elif asked.failure:
        properties = {"critique": text, "verdict": score}
    else:
        properties = {"evidence": text, "justification": text}
        if asked.suggestion:
            properties["suggestion"] = text
        if asked.criteria:
            properties["scores"] = object_schema({criterion.name: score for criterion in asked.criteria})
        else:
            properties["score"] = score
    return object_schema(properties)


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
