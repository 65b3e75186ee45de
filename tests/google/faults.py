"""Faults that a test orders for certain calls: refusals, silences, and answers that get lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.google.errors import SENTENCES, ApiError, Json, rate_exceeded

Kind = int | Literal["timeout", "cut", "torn"]


@dataclass
class Call:
    """A call as it came in, and what became of it.

    Args:
        index: Its place among the calls of both interfaces, from 0; sign-in is not counted.
        method: The interface's name of the method, such as `sheets.spreadsheets.create`; empty where there is none.
        verb: GET, POST...
        path: With its percent-encoding.
        query: Every parameter's values.
        body: The JSON, None where there is none.
        who: The address behind the token.
        status: What was answered; 0 where nothing was.
        ignored: What Drive passes over without a word: fields it does not know. A test may want none.
        answer: The JSON that the server has worked out, even where a fault kept it from being sent.
    """

    index: int
    method: str
    verb: str
    path: str
    query: dict[str, list[str]]
    body: Any
    who: str = ""
    status: int = 0
    ignored: tuple[str, ...] = ()
    answer: Json | None = None

    @property
    def api(self) -> str:
        """`sheets` or `drive`."""
        return self.method.split(".")[0] or "sheets"


@dataclass
class Fault:
    """What is to go wrong, where, and how often.

    Args:
        where: The index of a call, or what tells whether a call is meant.
        status: The status to answer with; `timeout` never answers, `cut` closes the connection, `torn` does so in the
            middle of the answer.
        retry_after: Seconds or a date to name in the header of that name.
        done: Whether the work is done before it goes wrong.
        times: How many calls it hits.
        reason: Drive's reason for a 403 that is not about permissions, such as `userRateLimitExceeded` or
            `sharingRateLimitExceeded`.
        html: Whether the answer is a page of a server in front of the interface, not JSON.
    """

    where: int | Callable[[Call], bool]
    status: Kind = 503
    retry_after: float | str | None = None
    done: bool = False
    times: int = 1
    reason: str = ""
    html: bool = False

    def hits(self, call: Call) -> bool:
        """Return whether a call is meant; one hit is then used up."""
        meant = call.index == self.where if isinstance(self.where, int) else self.where(call)
        if not meant or self.times < 1:
            return False
        self.times -= 1
        return True

    def error(self, call: Call) -> ApiError:
        """Return the answer of a fault that has a status."""
        assert isinstance(self.status, int)
        if self.status == 429 and not self.reason:
            kind = "Read" if call.verb == "GET" else "Write"
            return rate_exceeded(call.api, kind, 60, self.retry_after)
        sentence = self.reason or SENTENCES.get(self.status, "The service is currently unavailable.")
        domain, reason = ("usageLimits", self.reason) if self.reason else ("global", "backendError")
        return ApiError(self.status, sentence, reason=reason, domain=domain, retry_after=self.retry_after)
