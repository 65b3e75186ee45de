"""Making calls: those that are not in the store yet, side by side, within limits, each answer stored as it comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from toolkit.judging.limits import Limits, Pace
from toolkit.judging.plan import Call, Judge
from toolkit.judging.prices import Prices, Purse
from toolkit.judging.provider import CallError
from toolkit.judging.store import Store


@dataclass(slots=True)
class Tally:
    """What a run did.

    Attributes:
        planned: Calls the run is about.
        stored: Of those, answered before.
        answered: Answered now.
        failed: Without an answer after every try.
        retries: Further tries.
        skipped: Not made, because the budget was used up or the run was stopped.
        input_tokens: As far as providers said.
        output_tokens: As far as providers said.
        cost: Of this run's calls, as far as it is known.
        unknown_cost: Answers whose cost is unknown.
        stopped: Why the run ended before its last call.
    """

    planned: int = 0
    stored: int = 0
    answered: int = 0
    failed: int = 0
    retries: int = 0
    skipped: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unknown_cost: int = 0
    stopped: str | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Calls that need nothing more."""
        return self.stored + self.answered + self.failed + self.skipped

    @property
    def per_minute(self) -> float:
        """Answers a minute."""
        return 60 * self.answered / max(time.monotonic() - self.started, 1e-9)


Progress = Callable[[Tally], None]


class Run:
    """One pass over calls. `Tally` says how it went."""

    def __init__(
        self,
        judges: Mapping[str, Judge],
        store: Store,
        limits: Limits,
        prices: Prices,
        progress: Progress | None = None,
    ):
        """Prepare a run.

        Args:
            judges: Name to judge.
            store: Where answers are and go.
            limits: Bounds.
            prices: Price table.
            progress: Called after each call.
        """
        self._judges, self._store, self._limits, self._prices = judges, store, limits, prices
        self._progress = progress
        self._pace = Pace(limits.per_minute)
        # where tokens are unknown, an answer counts as the most it can have cost, as it did while it was asked for
        known = (
            prices.cost(spent.model, spent.usage) if spent.request is None else prices.most(spent.model, spent.request)
            for spent in store.spent()
        )
        self._purse = Purse(prices, limits.budget, sum(filter(None, known)))
        self.tally = Tally()

    async def make(self, calls: Sequence[Call]) -> Tally:
        """Make the calls that have no answer yet.

        Raises:
            ToolkitError: When a budget is asked for that cannot be kept.
        """
        tally = self.tally
        tally.planned += len(calls)
        waiting = [call for call in calls if not self._store.has(call)]
        tally.stored += len(calls) - len(waiting)
        queue = iter(waiting)
        workers = [
            asyncio.create_task(self._work(queue)) for _ in range(max(1, min(self._limits.concurrency, len(waiting))))
        ]
        # where one breaks, the others still finish, and store, the call they are in
        for broken in await asyncio.gather(*workers, return_exceptions=True):
            if isinstance(broken, BaseException):
                raise broken
        return tally

    async def _work(self, queue: Iterator[Call]) -> None:
        tally = self.tally
        for call in queue:
            reserved = self._purse.reserve(call.model, call.request) if tally.stopped is None else None
            if reserved is None:
                tally.skipped += 1
                tally.stopped = (
                    tally.stopped or f"the budget of {self._limits.budget} {self._prices.currency} is used up"
                )
                continue
            try:
                await self._call(call, reserved)
            except BaseException as error:
                tally.stopped = tally.stopped or type(error).__name__
                raise
            if self._progress:
                self._progress(tally)

    async def _call(self, call: Call, reserved: float) -> None:
        provider, tally = self._judges[call.judge].provider, self.tally
        await self._pace.turn()
        place = self._store.begin(call)
        tried = 0
        while True:
            tried += 1
            try:
                reply = await provider.send(call.request)
                break
            except CallError as error:
                delay = self._limits.delay(error, tried) if tally.stopped is None else None
                if delay is None:
                    self._store.fail(place, error, tried)
                    self._purse.settle(call.model, reserved, None)
                    tally.failed += 1
                    if error.kind == "fatal" and tally.stopped is None:
                        tally.stopped = str(error)
                    return
                tally.retries += 1
                if error.retry_after is not None:
                    self._pace.pause(delay)
                await asyncio.sleep(delay)
        self._store.succeed(place, call, reply, tried)
        tally.answered += 1
        tally.input_tokens += reply.usage.input_tokens or 0
        tally.output_tokens += reply.usage.output_tokens or 0
        cost = self._purse.settle(call.model, reserved, reply.usage)
        tally.cost += cost or 0.0
        tally.unknown_cost += cost is None
