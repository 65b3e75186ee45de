"""Answers of every kind, also such as Google never gives: retried, refused in words, never a traceback."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import requests

from toolkit.errors import ToolkitError
from toolkit.google.refusals import GoogleError, refusal_of
from toolkit.google.service import Patience, Service


class Scripted:
    """A session that gives the answers of a script, and then ever again the last one."""

    def __init__(self, *script: tuple[int, Any] | Exception, headers: dict[str, str] | None = None):
        self.script, self.headers, self.seen = list(script), headers or {}, list[dict[str, Any]]()

    def request(self, **named: Any) -> requests.Response:
        self.seen.append(named)
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, Exception):
            raise answer
        response = requests.Response()
        response.status_code = answer[0]
        text = answer[1] if isinstance(answer[1], str) else json.dumps(answer[1])
        response._content = text.encode()
        response.headers.update({"Content-Type": "application/json"} | self.headers)
        return response


def door(session: Scripted, waits: list[float] | None = None, **patience: float) -> Service:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if waits is not None:
            waits.append(seconds)

    limits = Patience(**patience)  # type: ignore[arg-type]
    return Service(session, account="me@x.org", patience=limits, clock=lambda: now[0], sleep=sleep, jitter=lambda: 1.0)


def why(reason: str, status: int = 403) -> tuple[int, Any]:
    return status, {"error": {"code": status, "message": "as it is", "errors": [{"reason": reason}]}}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (why("accessNotConfigured"), "the API is switched off"),
        (why("insufficientPermissions"), "wrong scope"),
        (why("storageQuotaExceeded"), "no storage left"),
        (why("sharingRateLimitExceeded"), "again tomorrow, or share by hand"),
        (why("invalidSharingRequest", 400), "no Google account has this address"),
        (why("domainPolicy"), "the rules of your organisation"),
        (why("dailyLimitExceeded"), "for today are used up"),
        (why("exportSizeLimitExceeded"), "too large for Google to export"),
        (why("insufficientFilePermissions"), "me@x.org may not do that"),
        (why("notFound", 404), "not shared with me@x.org"),
        (why("authError", 401), "sign in again"),
        (why("badRequest", 400), "Google refused the call (HTTP 400)"),
        ((400, "<html>Bad</html>"), "Google refused the call (HTTP 400)"),
    ],
)
def test_what_cannot_change_is_refused_at_once(answer: tuple[int, Any], said: str) -> None:
    session = Scripted(answer)
    with pytest.raises(GoogleError) as caught:
        door(session).drive("sharing with somebody", "POST", "/files/x/permissions", body={})
    assert len(session.seen) == 1
    assert said in str(caught.value) and "sharing with somebody did not work" in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        why("rateLimitExceeded"),
        why("userRateLimitExceeded"),
        why("", 429),
        why("backendError", 500),
        (503, "<html>Service Unavailable</html>"),
        (502, ""),
        (504, {"error": "timeout"}),
        (500, {"error": {"message": "no code"}}),
        (500, ["nothing"]),
        (200, "{torn"),
        requests.exceptions.ConnectTimeout("slow"),
        requests.exceptions.ChunkedEncodingError("cut"),
    ],
)
def test_what_may_change_is_tried_again_for_a_while(answer: Any) -> None:
    waits: list[float] = []
    service = door(Scripted(answer, answer, (200, {"id": "x"})), waits)
    assert service.drive("making it", "POST", "/files", body={}) == {"id": "x"}
    assert service.calls == 3 and waits == [1.0, 2.0]
    waits.clear()
    with pytest.raises(ToolkitError, match="making it did not work"):
        door(Scripted(answer), waits).drive("making it", "POST", "/files", body={})
    assert waits == [1, 2, 4, 8, 16, 32, 64] and sum(waits) > 60


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gspread.http_client", None)
    with pytest.raises(ToolkitError, match=r"pip install 'toolkit\[google\]'"):
        door(Scripted((200, {})))


def test_every_call_has_a_timeout() -> None:
    session = Scripted((200, {}))
    door(session, call=7).sheets("x", "GET", "/y")
    assert session.seen[0]["timeout"] == 7
    assert session.seen[0]["url"] == "https://sheets.googleapis.com/v4/spreadsheets/y"


@pytest.mark.parametrize(("header", "least", "most"), [("30", 30, 31), ("nonsense", 0, 1), ("", 0, 1)])
def test_retry_after_is_seconds(header: str, least: float, most: float) -> None:
    waits: list[float] = []
    session = Scripted((429, {"error": {"code": 429, "message": ""}}), (200, {}), headers={"Retry-After": header})
    door(session, waits).sheets("x", "GET", "/y")
    assert least <= waits[0] <= most


def test_retry_after_is_a_date() -> None:
    waits: list[float] = []
    header = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    session = Scripted((503, {"error": {"code": 503, "message": ""}}), (200, {}), headers={"Retry-After": header})
    door(session, waits).sheets("x", "GET", "/y")
    assert 37 <= waits[0] <= 42


def test_a_wait_that_is_too_long_is_not_begun() -> None:
    waits: list[float] = []
    session = Scripted((429, {"error": {"code": 429, "message": "slowly"}}), headers={"Retry-After": "86400"})
    with pytest.raises(ToolkitError, match=r"given up after 10 minutes.*slowly.*--time-limit"):
        door(session, waits, total=600).sheets("reading", "GET", "/y")
    assert not waits


def test_no_call_is_begun_when_the_time_is_over() -> None:
    session, time = Scripted((200, {}), (200, {})), iter([0.0, 1.0, 601.0])
    late = Service(session, patience=Patience(total=600), clock=lambda: next(time))
    late.sheets("reading", "GET", "/y")
    with pytest.raises(ToolkitError, match=r"reading was given up after 10 minutes.*--time-limit"):
        late.sheets("reading", "GET", "/y")
    assert len(session.seen) == 1


def test_an_attempt_that_was_carried_out_is_not_repeated() -> None:
    session = Scripted(requests.exceptions.ReadTimeout("no answer"))
    seen: list[int] = []

    def settled() -> dict[str, str] | None:
        seen.append(len(session.seen))
        return {"id": "made"} if len(seen) == 2 else None

    assert door(session).drive("making it", "POST", "/files", settled=settled) == {"id": "made"}
    assert seen == [1, 2] and len(session.seen) == 2


def test_a_broken_error_tells_no_more_than_it_says() -> None:
    for body in ({"error": {"errors": 4, "details": "x", "message": None}}, {"error": 4}, [], None, {"error": None}):
        refusal = refusal_of(403, body, "text", "")
        assert not refusal.reasons and not refusal.transient
