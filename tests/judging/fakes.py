"""A provider that needs no network, and short ways to set a run up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.judging.fake_server import score_reply
from toolkit.judging.limits import Limits
from toolkit.judging.panel import Panel
from toolkit.judging.plan import Judge
from toolkit.judging.prompts import Asked, Prompts
from toolkit.judging.provider import CallError, Parameter, Reply, Request, Usage
from toolkit.judging.session import Session, Setup, judge_items
from toolkit.judging.store import Store
from toolkit.model import Response, Rubric, SourceItem
from toolkit.rubrics import default_rubric

RUBRIC = default_rubric("en")
FAST = Limits(concurrency=4, tries=3, first_delay=0.001, longest_delay=0.2)
Say = Callable[[Request, int], "str | Reply | CallError"]


class FakeProvider:
    """Says what it is told to, and remembers what it was asked."""

    name = "fake"
    capabilities: frozenset[Parameter] = frozenset(("temperature", "seed", "schema"))
    notices: tuple[str, ...] = ()

    def __init__(self, say: Say | None = None, model: str = "m", identity: Mapping[str, str] | None = None):
        self.model, self.identity = model, identity or {}
        self.requests: list[Request] = []
        self.closed = False
        self._say = say or (lambda request, number: score_reply(4))

    async def send(self, request: Request) -> Reply:
        self.requests.append(request)
        number = len(self.requests)
        await asyncio.sleep(0)
        said = self._say(request, number)
        if isinstance(said, CallError):
            raise said
        if isinstance(said, Reply):
            return said
        asked = {"temperature": request.temperature, "seed": request.seed}
        sent = {name: value for name, value in asked.items() if value is not None}
        return Reply(said, usage=Usage(1000, 100), sent=sent)

    async def close(self) -> None:
        self.closed = True


def says(*texts: str) -> Say:
    """A provider that says these one after the other."""
    return lambda request, number: texts[(number - 1) % len(texts)]


def item(item_id: str = "i1", *responses: str, **fields: Any) -> SourceItem:
    texts = responses or (f"answer {item_id}",)
    made = tuple(Response(response=text) for text in texts)
    return SourceItem(
        **{"item_id": item_id, "dimension": "factual", "prompt": "Q?", "ground_truth": "G", "responses": made} | fields
    )


def items(count: int) -> list[SourceItem]:
    return [item(f"i{number}") for number in range(count)]


def setup(
    *judges: FakeProvider | Judge, rubric: Rubric = RUBRIC, asked: Asked | None = None, panel: Any = None, **more: Any
) -> Setup:
    chosen = asked or Asked()
    made = tuple(j if isinstance(j, Judge) else Judge(j.model, j) for j in judges)
    return Setup(
        **{
            "panel": replace(panel or Panel(()), judges=made),
            "rubric": rubric,
            "prompts": Prompts("en", rubric, chosen),
            "asked": chosen,
            "limits": FAST,
        }
        | more
    )


def run(store: Path, chosen: Setup, wanted: Iterable[SourceItem]) -> Session:
    with Store(store) as opened:
        return asyncio.run(judge_items(list(wanted), chosen, opened))
