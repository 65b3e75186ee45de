"""rubric draft: a model writes a rubric for a person to edit."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import sha256, write_atomically
from toolkit.jobs.judge import Estimate, estimate
from toolkit.jobs.rubric_check import lint
from toolkit.judging.drafts import Draft, Topic, draft_prompt, draft_schema, read_draft
from toolkit.judging.limits import Limits
from toolkit.judging.panel import JudgeSpec, make_judge
from toolkit.judging.plan import Call, Judge, call_of
from toolkit.judging.prices import Prices
from toolkit.judging.prompts import Strictness
from toolkit.judging.provider import About, Request
from toolkit.judging.runs import Progress, Run, Tally
from toolkit.judging.session import Planned
from toolkit.judging.settings import read_settings
from toolkit.judging.store import Store, check_apart
from toolkit.model import Rubric, Scale
from toolkit.rubrics import as_rubric
from toolkit.texts import clean

# how often a model may correct an answer that cannot be used
ROUNDS = 3
WIDTH = 118
LONGEST_GUIDANCE = 4000


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """What is wanted.

    Attributes:
        writer: Who writes.
        domain: What the chatbot is for.
        dimensions: Key of each dimension to the question it asks, empty to leave that to the model.
        scale: The scale.
        language: Language of the texts.
        strictness: How much a fault costs.
        limits: Bounds.
        prices: File of prices.
    """

    writer: JudgeSpec
    domain: str
    dimensions: dict[str, str]
    scale: Scale
    language: str
    strictness: Strictness = "balanced"
    limits: Limits = field(default_factory=Limits)
    prices: Path | None = None

    def topics(self) -> list[Topic]:
        """Return one topic for each dimension."""
        return [
            Topic(key, question, self.domain, self.scale, self.strictness, self.language)
            for key, question in self.dimensions.items()
        ]


@dataclass(frozen=True, slots=True)
class Drafted:
    """What was written, and what a person should look at first."""

    rubric: Rubric
    file: Path
    tally: Tally
    currency: str
    warnings: tuple[str, ...]


def draft_rubric(
    order: DraftOrder, out: Path, store: Path, *, force: bool, progress: Progress | None = None
) -> Drafted:
    """Ask a model for each dimension, let it correct what cannot be used, and write the draft.

    Raises:
        ToolkitError: When the file exists, or an answer stays unusable: nothing is written then, and every answer is
            in the store.
    """
    check_apart(out, store)
    if out.exists() and not force:
        fix = "choose another file with -o, or --force"
        raise ToolkitError(Problem("exists already and is not overwritten", fix, str(out)))
    prices = _prices(order)
    with Store(store) as opened:
        drafts, tally, writer = asyncio.run(_ask(order, opened, prices, progress))
    content = _content(order, drafts)
    text = _yaml(content, drafts, writer, order)
    # what the file says, not what was meant to be written into it
    rubric = as_rubric(yaml.safe_load(text), out)
    write_atomically(out, text.encode())
    warnings = tuple(str(problem) for problem in lint(rubric, out))
    return Drafted(rubric, out, tally, prices.currency, warnings)


def dry_run(order: DraftOrder, store: Path) -> Estimate:
    """Return what a run would ask when no answer needs correction, without asking or writing anything."""
    writer = make_judge(order.writer, offline=True)
    calls = [_call(writer, topic, 0, ()) for topic in order.topics()]
    waiting = calls
    if store.exists():
        with Store(store) as opened:
            waiting = [call for call in calls if not opened.has(call)]
    return estimate([Planned(writer, tuple(calls), tuple(waiting))], _prices(order))


async def _ask(
    order: DraftOrder, store: Store, prices: Prices, progress: Progress | None
) -> tuple[dict[str, Draft], Tally, Judge]:
    writer = make_judge(order.writer)
    run = Run({writer.name: writer}, store, order.limits, prices, progress)
    drafts: dict[str, Draft] = {}
    problems: dict[str, tuple[str, ...]] = {topic.key: () for topic in order.topics()}
    try:
        for number in range(ROUNDS):
            waiting = [topic for topic in order.topics() if topic.key not in drafts]
            calls = {topic.key: _call(writer, topic, number, problems[topic.key]) for topic in waiting}
            await run.make(list(calls.values()))
            for topic in waiting:
                draft, problems[topic.key] = _read(calls[topic.key], store, topic)
                if draft is not None:
                    drafts[topic.key] = draft
            if len(drafts) == len(problems) or run.tally.stopped:
                break
    finally:
        await writer.provider.close()
    refuse(
        Problem(
            f"{shown(key)}: no usable answer: {said}",
            f"ask again or another model; the answers are in {store.path.name}",
        )
        for key, found in problems.items()
        if key not in drafts
        for said in found
    )
    return {key: drafts[key] for key in problems}, run.tally, writer


def _call(writer: Judge, topic: Topic, number: int, problems: Sequence[str]) -> Call:
    request = Request(
        prompt=draft_prompt(topic, problems),
        schema=draft_schema(topic.scale),
        temperature=writer.temperature,
        seed=writer.seed,
        max_tokens=writer.max_tokens,
        about=About("rubric", topic.key, sample=number),
    )
    return call_of(writer, request, sha256(topic.key))


def _read(call: Call, store: Store, topic: Topic) -> tuple[Draft | None, tuple[str, ...]]:
    stored = store.answer(call)
    if stored is None:
        return None, (store.failure(call) or "it was not asked",)
    return read_draft(stored.text, stored.finish, topic.scale)


def _prices(order: DraftOrder) -> Prices:
    return read_settings(order.prices, Prices) if order.prices else Prices()


def _content(order: DraftOrder, drafts: dict[str, Draft]) -> dict[str, Any]:
    """Return the rubric as a file has it; characteristics become part of the descriptions."""
    scale: dict[str, Any] = {"kind": order.scale.kind, "values": list(order.scale.values)}
    scale |= {
        name: dict(texts)
        for name, texts in (("labels", order.scale.labels), ("descriptions", order.scale.descriptions))
        if texts
    }
    dimensions = {}
    for key, draft in drafts.items():
        levels = {level.value: level for level in draft.levels}
        dimensions[key] = {
            "title": clean(draft.title),
            "question": clean(draft.question),
            "levels": {
                value: {
                    "short": clean(levels[value].short),
                    "description": _described(levels[value].description, levels[value].characteristics),
                }
                for value in order.scale.values
            },
            "edge_cases": [clean(case) for case in draft.edge_cases if case.strip()],
            "examples": [
                {"text": clean(example.text), "score": example.score, "why": clean(example.why)}
                for example in draft.examples
            ],
        }
    return {
        "schema": 1,
        "name": shown(order.domain, 120),
        "language": order.language,
        "scale": scale,
        "dimensions": dimensions,
    }


def _described(description: str, characteristics: Sequence[str]) -> str:
    return clean("\n".join([description, *(f"- {one}" for one in characteristics if one.strip())]))


def _yaml(content: dict[str, Any], drafts: dict[str, Draft], writer: Judge, order: DraftOrder) -> str:
    """Return the file: a header that says what it is, and the model's guidance as a comment at each dimension."""
    header = (
        f"DRAFT, written by a model ({shown(writer.name)}) and to be edited by a person. "
        f"Strictness: {order.strictness}. Read every level against real answers, change what does not fit, replace the "
        "examples by your own (never by items that will be scored), and take these lines out when you are done. "
        "`toolkit rubric check` names what is missing or overlaps."
    )
    head = {name: value for name, value in content.items() if name != "dimensions"}
    parts = [_comment(header), "\n", _dump(head), "\ndimensions:\n"]
    for key, dimension in content["dimensions"].items():
        guidance = shown(drafts[key].guidance, LONGEST_GUIDANCE)
        parts.append(_comment(f"Guidance: {guidance}", "  ") if guidance else "")
        parts.append(textwrap.indent(_dump({key: dimension}), "  ", lambda line: bool(line.strip())))
    return "".join(parts)


class _Dumper(yaml.SafeDumper):
    """Writes a text of several lines as such, which is easier to edit."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _dump(value: Any) -> str:
    return str(yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=WIDTH))


def _comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(text, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    return "".join(f"{indent}# {line}\n" for line in lines)
