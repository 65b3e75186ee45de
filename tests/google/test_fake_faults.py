"""The fake of Google goes wrong where a test tells it to, and says so where it is no Google."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.google.caller import ANA, DRIVE, SHEETS, Caller, error
from tests.google.fake_server import FakeServer, running
from tests.google.faults import Kind


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("status", [429, 500, 503, "timeout", "cut"])
def test_faults_hit_the_call_they_are_meant_for(server: FakeServer, ana: Caller, status: Kind, done: bool) -> None:
    book = ana.book()
    server.fail_at(1, status, done=done, retry_after=7)
    server.fail_at(lambda call: call.verb == "DELETE", times=2)
    url = f"{SHEETS}/{book}/values/A1?valueInputOption=RAW"
    if isinstance(status, int):
        answer = ana.session.put(url, json={"values": [["x"]]}, timeout=10)
        assert (answer.status_code, answer.headers["Retry-After"]) == (status, "7")
    else:
        wanted = requests.Timeout if status == "timeout" else requests.ConnectionError
        with pytest.raises(wanted):
            ana.session.put(url, json={"values": [["x"]]}, timeout=0.3 if status == "timeout" else 10)
    assert ana.values(book, "A1") == ([["x"]] if done else None)
    assert [ana.session.delete(f"{DRIVE}/files/{book}", timeout=10).status_code for _ in range(3)] == [503, 503, 204]
    names = [call.method.rpartition(".")[2] for call in server.calls]
    assert names == ["create", "update", "get", "delete", "delete", "delete"]
    assert server.count("sheets.") == 3


def test_answers_that_are_no_answers(server: FakeServer, ana: Caller) -> None:
    book = ana.book()
    server.fail_at(1, "torn")
    server.fail_at(2, 502, html=True)
    server.fail_at(3, 403, reason="userRateLimitExceeded", retry_after="Mon, 02 Mar 2026 12:00:10 GMT")
    with pytest.raises(requests.RequestException):
        ana.session.get(f"{SHEETS}/{book}", timeout=10)
    page = ana.session.get(f"{SHEETS}/{book}", timeout=10)
    assert (page.status_code, page.headers["Content-Type"]) == (502, "text/html; charset=UTF-8")
    limited = ana.session.get(f"{DRIVE}/files/{book}", timeout=10)
    assert error(limited.json()) == (403, "userRateLimitExceeded")
    assert limited.headers["Retry-After"] == "Mon, 02 Mar 2026 12:00:10 GMT"


def test_the_quota_is_by_the_minute_and_says_how_long_to_wait(server: FakeServer, ana: Caller) -> None:
    server.per_minute = 2
    book = ana.book()
    ana.write(book, [[1]])
    answer = ana.session.put(f"{SHEETS}/{book}/values/A1?valueInputOption=RAW", json={"values": [[2]]}, timeout=10)
    assert answer.status_code == 429
    assert answer.json()["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert ana.values(book, "A1") == [[1]]  # reads are counted by themselves
    server.advance(float(answer.headers["Retry-After"]))
    assert "updatedCells" in ana.write(book, [[2]])


def test_what_is_not_simulated_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="addChart"), running() as server, server.session(ANA) as session:
        url = f"{server.url}/v4/spreadsheets"
        book = session.post(url, json={}, timeout=10).json()["spreadsheetId"]
        body: Any = {"requests": [{"addChart": {"chart": {}}}]}
        assert session.post(f"{url}/{book}:batchUpdate", json=body, timeout=10).status_code == 501
