"""How fast and how stubbornly a run asks: concurrency, rate, retries."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

from toolkit.judging.provider import CallError


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a run.

    Attributes:
        concurrency: Calls under way at once.
        per_minute: Calls started in a minute at most; None for no limit.
        tries: How often a call is sent before it counts as failed.
        first_delay: Seconds before the second try; doubled for each further one, with jitter.
        longest_delay: Longest wait between tries. A server that asks for a longer one is not waited for.
        budget: Money; None for no limit.
    """

    concurrency: int = 8
    per_minute: float | None = None
    tries: int = 5
    first_delay: float = 1.0
    longest_delay: float = 120.0
    budget: float | None = None

    def delay(self, error: CallError, tried: int) -> float | None:
        """Return the seconds to wait before another try; None when there is no point in one.

        Args:
            error: Why the last try failed.
            tried: How often it has been tried.
        """
        if error.kind != "transport" or tried >= self.tries:
            return None
        backoff = min(self.longest_delay, self.first_delay * 2.0 ** (tried - 1))
        jittered = backoff * random.uniform(0.5, 1.0)
        if error.retry_after is None:
            return jittered
        if error.retry_after > self.longest_delay:
            return None
        # never sooner than asked, and not all at the same moment
        return error.retry_after + jittered * 0.25


class Pace:
    """Lets calls start: at most so many a minute, and none while a server has asked for a pause."""

    def __init__(self, per_minute: float | None):
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for one's turn."""
        now = time.monotonic()
        start = max(now, self._next)
        if self._gap:
            self._next = start + self._gap
        if start > now:
            await asyncio.sleep(start - now)

    def pause(self, seconds: float) -> None:
        """Start nothing for a while: a server said that there are too many calls."""
        self._next = max(self._next, time.monotonic() + seconds)
