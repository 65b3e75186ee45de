"""Prompts: Jinja2 templates per dimension and language; the texts to judge go in as data, in a single pass.

Nothing inside a text is ever expanded, whatever braces or template syntax it holds. A placeholder that does not
exist is reported before the first call: every template is checked, and every prompt rendered, beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolkit.errors import Problem, ToolkitError, refuse
from toolkit.files import canonical_json, resources, sha256
from toolkit.judging.criteria import Criterion
from toolkit.model import Example, Response, Rubric, Scale, SourceItem

Strictness = Literal["lenient", "balanced", "strict"]
STRICTNESS: tuple[Strictness, ...] = ("lenient", "balanced", "strict")
PAIRWISE = Scale(kind="nominal", values=("A", "B", "tie"))
BINARY = Scale(kind="nominal", values=("fail", "pass"))
GENERIC, PARTS, SYSTEM = "generic", "parts", "system"
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
    """What goes to a model."""

    system: str
    text: str
    schema: Mapping[str, Any]


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
        folders = [*([folder] if folder else []), resources("templates") / "prompts" / language]
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
        self.scale = asked.scale(rubric)
        self.schema = schema(self.scale, asked)
        refuse(problem for name in self._names() for problem in self._faults(name))

    def _names(self) -> list[str]:
        return [SYSTEM, PARTS, *dict.fromkeys(map(self._template_name, self._rubric.dimensions))]

    def _template_name(self, dimension: str) -> str:
        if self._asked.pairwise:
            return "pairwise"
        if self._asked.failure:
            return "binary"
        return dimension if f"{dimension}.j2" in self._environment.list_templates() else GENERIC

    def _faults(self, name: str) -> list[Problem]:
        assert self._environment.loader is not None
        try:
            source, path, _ = self._environment.loader.get_source(self._environment, f"{name}.j2")
            tree = self._environment.parse(source)
        except TemplateNotFound:
            return [Problem("the prompt template is missing", "install the toolkit again", f"{name}.j2")]
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            why = f"is not a valid prompt template: {error.message}"
            return [Problem(why, "correct the template", f"{name}.j2", cell=f"line {line}" if line else None)]
        unknown = sorted(meta.find_undeclared_variables(tree) - _KNOWN)
        fix = f"the placeholders are {', '.join(sorted(_KNOWN))}"
        return [Problem(f"uses the unknown placeholder {name!r}", fix, Path(path or name).name) for name in unknown]

    def prompt(self, item: SourceItem, responses: Sequence[Response]) -> Prompt:
        """Return the prompt for an item.

        Args:
            item: The item.
            responses: The answers of it that are judged: all of them, one, or two in the order to compare.

        Raises:
            ToolkitError: When a template asks for something that is not there.
        """
        values = self._values(item, responses)
        name = self._template_name(item.dimension)
        try:
            system, text = (
                self._environment.get_template(f"{template}.j2").render(values).strip() for template in (SYSTEM, name)
            )
        except (TemplateError, TypeError, ValueError) as error:
            why = f"the prompt of item {item.item_id} cannot be made: {error}"
            raise ToolkitError(Problem(why, "correct the template", f"{name}.j2")) from error
        return Prompt(system, text, self.schema)

    def _values(self, item: SourceItem, responses: Sequence[Response]) -> dict[str, Any]:
        rubric, asked = self._rubric, self._asked
        dimension = rubric.dimensions[item.dimension]
        examples = [*dimension.examples, *asked.examples]
        first = responses[0] if responses else Response(response="")
        shown = {
            "prompt": item.prompt,
            "ground_truth": item.ground_truth,
            "expected_behavior": item.expected_behavior,
            "original_response": item.original_response,
            "responses": [response.model_dump() for response in responses],
            "response": first.response,
            "variant_type": first.variant_type,
            "variant_prompt": first.prompt,
            "examples": [example.model_dump() for example in examples],
        }
        levels = [
            {"value": v, "label": rubric.scale.labels.get(v, ""), "description": dimension.levels[v].description}
            for v in rubric.scale.values
        ]
        return shown | {
            # a text cannot hold the hash of itself, so it cannot close its own tag
            "boundary": sha256(canonical_json(shown))[:8],
            "dimension": dimension,
            "levels": levels,
            "scale": self.scale,
            "scale_values": ", ".join(map(str, self.scale.values)),
            "strictness": asked.strictness,
            "suggestion": asked.suggestion,
            "criteria": asked.criteria,
            "failure": asked.failure,
        }


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
            properties["scores"] = _object({criterion.name: score for criterion in asked.criteria})
        else:
            properties["score"] = score
    return _object(properties)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
