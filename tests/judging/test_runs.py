"""Runs: what is asked, how often, what is kept, what is asked again."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.judging.fake_server import FakeServer, Fault, score_reply
from tests.judging.fakes import FAST, FakeProvider, item, items, run, says, setup
from toolkit.errors import ToolkitError
from toolkit.judging.limits import Limits, Pace
from toolkit.judging.plan import Judge
from toolkit.judging.prices import Price, Prices
from toolkit.judging.prompts import Asked, Prompts
from toolkit.judging.provider import CallError, Reply, Request
from toolkit.judging.providers import ProviderSpec, make_provider
from toolkit.judging.session import Session, planned_calls
from toolkit.judging.store import Store

LIMITED = CallError("transport", "HTTP 429", retry_after=0.05)


def scores(session: Session) -> list[object]:
    return [result.verdict.score for result in session.results]


def test_failures_are_failures_and_not_scores(tmp_path: Path) -> None:
    # jr-01: of five replies, two can be read; nothing becomes 0, 1 or 3
    replies: list[str | CallError] = ["4", "", CallError("transport", "HTTP 500"), "não consigo avaliar", "5"]
    provider = FakeProvider(lambda request, number: replies[int(request.about.item_id[1:])])
    session = run(tmp_path / "s", setup(provider), items(5))
    assert scores(session) == [4, None, None, None, 5]
    assert [r.verdict.failure for r in session.results] == [None, "unparsed", "transport", "refusal", None]
    assert session.results[2].verdict.reason == "HTTP 500"
    assert session.tally.failed == 1
    assert session.tally.retries == FAST.tries - 1


@pytest.mark.parametrize("change", ["model", "identity", "answer", "strictness", "temperature", "judge"])
def test_whatever_changes_the_question_is_asked_anew(tmp_path: Path, change: str) -> None:
    # jr-09
    store = tmp_path / "s"
    run(store, setup(FakeProvider(says(score_reply(2)))), [item()])
    after = FakeProvider(
        says(score_reply(5)),
        model="m2" if change == "model" else "m",
        identity={"base_url": "elsewhere"} if change == "identity" else {},
    )
    judge = Judge(
        "j2" if change == "judge" else after.model, after, temperature=1.0 if change == "temperature" else None
    )
    asked = Asked(strictness="strict") if change == "strictness" else None
    edited = item("i1", "another answer") if change == "answer" else item()
    assert scores(run(store, setup(judge, asked=asked), [edited])) == [5]
    again = run(store, setup(judge, asked=asked), [edited])
    assert len(after.requests) == 1
    assert again.tally.stored == 1


def test_repeats_are_asked_one_by_one_and_kept_apart(tmp_path: Path) -> None:
    provider = FakeProvider(says(*(score_reply(score) for score in (3, 4, 5))))
    judge = Judge("m", provider, samples=3, temperature=1.0, seed=10)
    chosen = setup(judge, limits=Limits(concurrency=1))
    for _ in range(2):
        verdict = run(tmp_path / "s", chosen, [item()]).results[0].verdict
        assert verdict.scores == (3, 4, 5)
        assert (verdict.score, verdict.confidence) == (4, 1 / 3)
    assert [request.seed for request in provider.requests] == [10, 11, 12]


def test_a_fourth_sample_asks_only_the_fourth(tmp_path: Path) -> None:
    provider = FakeProvider()
    for samples in (3, 4):
        run(tmp_path / "s", setup(Judge("m", provider, samples=samples)), [item()])
    assert len(provider.requests) == 4


def test_a_failed_call_is_asked_again_on_resume_and_an_answer_is_not(tmp_path: Path) -> None:
    down = FakeProvider(lambda r, n: CallError("rejected", "no") if r.about.item_id == "i1" else score_reply(3))
    assert scores(run(tmp_path / "s", setup(down), items(3))) == [3, None, 3]
    up = FakeProvider(says(score_reply(5)))
    assert scores(run(tmp_path / "s", setup(up), items(3))) == [3, 5, 3]
    assert [request.about.item_id for request in up.requests] == ["i1"]


def test_the_answer_is_kept_as_it_came(tmp_path: Path) -> None:
    text = '  <think>ü</think>\n{"score": 4}\n\n😀 \ud800'
    run(tmp_path / "s", setup(FakeProvider(says(text))), [item()])
    with closing(sqlite3.connect(tmp_path / "s")) as base:
        assert base.execute("SELECT text FROM outcome").fetchone()[0] == text.replace("\ud800", "\ufffd")
        assert base.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_newer_prompt_does_not_stop_old_answers_from_being_read_again(tmp_path: Path) -> None:
    provider = FakeProvider(says(score_reply(4)))
    run(tmp_path / "s", setup(provider), items(2))
    later = setup(provider, asked=Asked(strictness="strict"), reparse=True)
    changed = [item("i0"), item("i1", "an edited answer")]
    session = run(tmp_path / "s", later, changed)
    assert scores(session) == [4, None]
    assert session.results[1].verdict.failure == "not_called"
    assert len(provider.requests) == 2


def test_two_runs_cannot_share_a_store(tmp_path: Path) -> None:
    with Store(tmp_path / "s"), pytest.raises(ToolkitError, match="in use by another run"):
        Store(tmp_path / "s")


def test_something_else_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("item_id,text\n" * 100)
    with pytest.raises(ToolkitError, match="cannot be used as a store"):
        Store(tmp_path / "s")


def test_a_call_that_never_came_back_is_said(tmp_path: Path) -> None:
    chosen = setup(FakeProvider())
    with Store(tmp_path / "s") as store:
        store.begin(planned_calls(items(1), chosen, store)[0].waiting[0])
    session = run(tmp_path / "s", chosen, items(1))
    assert scores(session) == [4]
    assert any("1 calls had gone out when an earlier run was stopped" in w for w in session.warnings)
    # said once: by now it has been answered
    assert not run(tmp_path / "s", chosen, items(1)).warnings


def test_retry_after_is_honoured_and_holds_everybody_back() -> None:
    def once(seen: object, number: int) -> Fault | None:
        return Fault(429, {"Retry-After": "0.4"}) if number == 1 else None

    with FakeServer(lambda seen, number: score_reply(4), once) as server:
        provider = make_provider(ProviderSpec("openai", "m", server.root + "/v1"))
        chosen = setup(Judge("m", provider), limits=Limits(concurrency=1, first_delay=0.01))
        with Store(Path(":memory:")) as store:
            session = asyncio.run(run_async(store, chosen, 3))
    assert scores(session) == [4, 4, 4]
    assert session.tally.retries == 1
    assert server.seen[1].at - server.seen[0].at >= 0.4


async def run_async(store: Store, chosen: object, count: int) -> Session:
    from toolkit.judging.session import judge_items

    return await judge_items(items(count), chosen, store)  # type: ignore[arg-type]


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    assert Limits().delay(CallError("transport", "x", retry_after=3600), 1) is None
    assert Limits().delay(CallError("rejected", "x"), 1) is None
    assert Limits(tries=2).delay(CallError("transport", "x"), 2) is None


def test_delays_grow_are_bounded_and_never_shorter_than_asked() -> None:
    limits = Limits(first_delay=1, longest_delay=10, tries=9)
    for tried, most in ((1, 1), (2, 2), (3, 4), (6, 10)):
        delay = limits.delay(CallError("transport", "x"), tried)
        assert delay is not None
        assert most / 2 <= delay <= most
    asked = limits.delay(CallError("transport", "x", retry_after=7), 1)
    assert asked is not None
    assert 7 <= asked <= 8


def test_concurrency_is_kept() -> None:
    with FakeServer(lambda seen, number: score_reply(4), latency=0.02) as server:
        provider = make_provider(ProviderSpec("openai", "m", server.root + "/v1"))
        with Store(Path(":memory:")) as store:
            asyncio.run(run_async(store, setup(Judge("m", provider), limits=Limits(concurrency=3)), 15))
    assert len(server.seen) == 15
    assert server.most == 3


def test_a_rate_is_kept() -> None:
    async def starts() -> float:
        pace = Pace(per_minute=1200)
        began = time.monotonic()
        await asyncio.gather(*(pace.turn() for _ in range(6)))
        return time.monotonic() - began

    assert asyncio.run(starts()) >= 5 * 0.05 - 0.01


def test_a_wrong_key_stops_the_run_at_once(tmp_path: Path) -> None:
    provider = FakeProvider(lambda request, number: CallError("fatal", "HTTP 401: bad key"))
    session = run(tmp_path / "s", setup(provider, limits=Limits(concurrency=2)), items(50))
    assert len(provider.requests) <= 2
    assert session.tally.stopped == "HTTP 401: bad key"
    assert session.tally.failed + session.tally.skipped == 50
    assert {r.verdict.failure for r in session.results} == {"transport", "not_called"}


PRICES = Prices(models={"m": Price(input=10, output=100)})  # 0.01 for 1000 tokens in, 0.01 for 100 out


def test_a_budget_is_kept_over_runs(tmp_path: Path) -> None:
    provider = FakeProvider()
    judge = Judge("m", provider, max_tokens=100)
    chosen = setup(judge, prices=PRICES, limits=Limits(concurrency=1, budget=0.1))
    first = run(tmp_path / "s", chosen, items(20))
    # each call costs 0.02, and there must be enough left for one of the largest kind
    assert first.tally.answered == 4
    assert first.tally.cost == pytest.approx(0.08)
    assert first.tally.skipped == 16
    assert "budget of 0.1 USD is used up" in (first.tally.stopped or "")
    assert run(tmp_path / "s", chosen, items(20)).tally.answered == 0
    assert len(provider.requests) == 4


def test_calls_under_way_count_against_the_budget(tmp_path: Path) -> None:
    judge = Judge("m", FakeProvider(), max_tokens=100)
    chosen = setup(judge, prices=PRICES, limits=Limits(concurrency=16, budget=0.1))
    assert run(tmp_path / "s", chosen, items(40)).tally.cost <= 0.1


def test_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    session = run(tmp_path / "s", setup(FakeProvider()), items(2))
    assert session.tally.unknown_cost == 2
    silent = FakeProvider(lambda request, number: Reply(score_reply(4)))
    session = run(tmp_path / "t", setup(silent, prices=PRICES), items(1))
    assert session.tally.unknown_cost == 1
    chosen = setup(FakeProvider(), limits=Limits(budget=1))
    with pytest.raises(ToolkitError, match="price of m is unknown"):
        run(tmp_path / "u", chosen, items(1))


def test_equal_samples_without_a_temperature_are_warned_about(tmp_path: Path) -> None:
    judge = Judge("m", FakeProvider(), samples=3)
    session = run(tmp_path / "s", setup(judge), items(2))
    assert any("all 3 samples of every item are the same text" in warning for warning in session.warnings)
    warm = Judge("m", FakeProvider(), samples=3, temperature=0.7)
    assert not run(tmp_path / "t", setup(warm), items(2)).warnings


def test_what_a_provider_cannot_send_is_said(tmp_path: Path) -> None:
    provider = FakeProvider()
    provider.capabilities = frozenset(("temperature",))
    session = run(tmp_path / "s", setup(Judge("m", provider, seed=3, temperature=0.1)), items(1))
    assert session.warnings == ("m: provider fake has no seed; it was asked for and is not sent",)


def test_what_a_server_refuses_is_said(tmp_path: Path) -> None:
    provider = FakeProvider(lambda request, number: Reply(score_reply(4), sent={"temperature": 0.1}))
    session = run(tmp_path / "s", setup(Judge("m", provider, seed=3, temperature=0.1)), items(2))
    assert session.warnings == ("m: 2 answers were given without the seed asked for: the server refuses it",)


def test_a_broken_template_is_found_before_the_first_call(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "factual.j2").write_text("{{ dimension.nonsense }}")
    provider = FakeProvider()
    chosen = setup(provider, prompts=Prompts("en", setup(provider).rubric, Asked(), tmp_path / "p"))
    with pytest.raises(ToolkitError, match="nonsense"):
        run(tmp_path / "s", chosen, items(3))
    assert not provider.requests


def test_a_run_that_breaks_leaves_a_store_that_goes_on(tmp_path: Path) -> None:
    def breaks(request: Request, number: int) -> str:
        if number > 5:
            raise RuntimeError("a fault of ours")
        return score_reply(3)

    with pytest.raises(RuntimeError):
        run(tmp_path / "s", setup(FakeProvider(breaks)), items(20))
    provider = FakeProvider(says(score_reply(4)))
    found = scores(run(tmp_path / "s", setup(provider), items(20)))
    assert found.count(3) == 5
    assert len(provider.requests) == 15


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forks, for speed")
def test_killed_at_any_moment_no_answer_is_lost_and_none_asked_for_again() -> None:
    # five runs here; scripts/benchmark_judge.py --kill 50 does the full number
    arguments = [sys.executable, "-m", "tests.judging.killing", "--runs", "5", "--calls", "200"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(done.stdout)
    assert found["kills"] >= 5
    assert found["answers"] == found["records"] == 1000
    assert found["stored_answers_lost"] == 0
    assert found["stored_answers_asked_again"] == 0
    # what was under way at a kill is the only thing asked twice, and the store knows it
    assert found["repeated_without_being_under_way"] == 0
