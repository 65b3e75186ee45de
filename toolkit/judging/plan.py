"""From items to calls: which questions are asked of which judge, how often, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from toolkit.errors import Problem, refuse
from toolkit.judging.prompts import Prompts
from toolkit.judging.provider import About, Provider, Request, request_hash
from toolkit.model import Response, SourceItem
from toolkit.texts import sound

Unit = Literal["set", "response"]
ORDERS = ("AB", "BA")
# a set of answers is compared with itself there: one answer alone has nothing to be consistent with
ONLY_SETS = frozenset(("consistency",))


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge: who answers, and how often and how it is asked.

    Attributes:
        name: What it is called in records and reports.
        provider: The way to it.
        samples: How many times each question is asked.
        temperature: None leaves it to the provider.
        seed: Seed of the first sample; sample k is asked with seed + k. None for none.
        max_tokens: Longest answer.
    """

    name: str
    provider: Provider
    samples: int = 1
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int = 2048


@dataclass(frozen=True, slots=True)
class Call:
    """One question to one judge.

    Attributes:
        judge: The judge's name.
        about: The item, the answer of it, the order, the sample.
        request: What is sent.
        texts: Hash of the texts that are judged and of the scale, without the prompt around them.
        hash: Hash of provider, model, address and full request.
    """

    judge: str
    about: About
    request: Request
    texts: str
    hash: str
    provider: str
    model: str
    identity: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """The answers of an item that one question is about: all of them, one of them, or two in an order."""

    name: str
    order: str
    responses: tuple[Response, ...]


def parts_of(item: SourceItem, unit: Unit, *, pairwise: bool) -> list[Part]:
    """Return the questions an item makes."""
    responses = item.responses
    if pairwise:
        return [Part("", order, responses if order == "AB" else responses[::-1]) for order in ORDERS]
    if unit == "response" and len(responses) > 1 and item.dimension not in ONLY_SETS:
        return [Part(str(number), "", (response,)) for number, response in enumerate(responses, start=1)]
    return [Part("", "", responses)]


def check_items(items: Sequence[SourceItem], *, pairwise: bool) -> None:
    """Check that every item can be asked about.

    Raises:
        ToolkitError: With every item that cannot.
    """
    refuse(
        Problem(
            f"item {item.item_id} has {len(item.responses)} answers; a comparison needs exactly two",
            "give it two responses (response_1 and response_2)",
        )
        for item in items
        if pairwise and len(item.responses) != 2
    )


def plan(items: Sequence[SourceItem], judge: Judge, prompts: Prompts, unit: Unit, *, pairwise: bool) -> Iterator[Call]:
    """Yield every call for one judge.

    Raises:
        ToolkitError: When a prompt cannot be made.
    """
    for item in items:
        for part in parts_of(item, unit, pairwise=pairwise):
            prompt = prompts.prompt(item, part.responses)
            for sample in range(judge.samples):
                about = About(item.item_id, item.dimension, part.name, part.order, sample)
                request = Request(
                    prompt=prompt.text,
                    system=prompt.system,
                    schema=prompt.schema,
                    temperature=judge.temperature,
                    seed=None if judge.seed is None else judge.seed + sample,
                    max_tokens=judge.max_tokens,
                    about=about,
                )
                yield call_of(judge, request, prompt.texts)


def call_of(judge: Judge, request: Request, texts: str) -> Call:
    """Return the call that puts a request to a judge, in characters that can be sent."""
    provider = judge.provider
    request = replace(request, prompt=sound(request.prompt), system=sound(request.system))
    return Call(
        judge=judge.name,
        about=request.about,
        request=request,
        texts=texts,
        hash=request_hash(provider, request),
        provider=provider.name,
        model=provider.model,
        identity=provider.identity,
    )
