"""Verdicts: medians with ties, majorities, failures in the denominator, both orders, panels, cascades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.judging.fake_server import score_reply
from tests.judging.fakes import FakeProvider, item, items, run, says, setup
from toolkit.judging.criteria import Criterion
from toolkit.judging.panel import Panel
from toolkit.judging.parsing import parse_reply
from toolkit.judging.plan import Judge
from toolkit.judging.prompts import BINARY, PAIRWISE, Asked
from toolkit.judging.provider import About, CallError, Request
from toolkit.judging.verdicts import Reading, Verdict, centre, of_judges, of_orders, of_samples, share
from toolkit.model import Scale

SCALE = Scale()


def readings(*texts: str, scale: Scale = SCALE) -> list[Reading]:
    parsed = [parse_reply(text, scale) for text in texts]
    return [Reading(About("i", sample=place), one, one.score) for place, one in enumerate(parsed)]


@pytest.mark.parametrize(
    ("texts", "score", "confidence"),
    [
        (["4"], 4, None),
        (["4", "4", "5"], 4, 2 / 3),
        (["3", "4", "4", "3"], 3.5, 0.5),  # the tie is kept; half of the answers gave the more frequent neighbour
        (["1", "1", "3", "4", "5"], 3, 1 / 5),
        (["4", "", "no idea"], 4, 1 / 3),  # failures count in the denominator
        (["4", "4", "", ""], 4, 2 / 4),
        (["", "", ""], None, 0.0),
    ],
)
def test_the_median_of_samples(texts: list[str], score: float | None, confidence: float | None) -> None:
    verdict = of_samples(readings(*texts), SCALE)
    assert (verdict.score, verdict.confidence) == (score, confidence)


def test_the_majority_of_names_and_its_ties() -> None:
    assert centre(["pass", "fail", "pass"], BINARY) == ("pass", None)
    assert centre(["pass", "fail"], BINARY) == (None, "a tie: fail 1, pass 1")
    verdict = of_samples(readings("pass", "fail", scale=BINARY), BINARY)
    assert (verdict.score, verdict.failure, verdict.reason) == (None, "unparsed", "a tie: fail 1, pass 1")
    assert share(None, ["pass", "fail"], 2) == 0.0


def pair(ab: list[str], ba: list[str]) -> Verdict:
    return of_orders(readings(*ab, scale=PAIRWISE), readings(*ba, scale=PAIRWISE), PAIRWISE)


def says_winner(winner: str, confidence: float) -> str:
    return json.dumps({"winner": winner, "confidence": confidence})


@pytest.mark.parametrize(
    ("ab", "ba", "winner", "confidence", "consistent"),
    [
        (["A"], ["B"], "A", None, True),  # in the order BA, the second answer shown is A
        (["B"], ["A"], "B", None, True),
        (["A"], ["A"], "tie", 0.5, False),  # always the first one shown
        (["tie"], ["tie"], "tie", None, True),
        (["A"], ["tie"], "tie", 0.5, False),
        ([says_winner("A", 0.9)], [says_winner("B", 0.7)], "A", 0.8, True),
        ([says_winner("A", 0.9)], [says_winner("A", 0.7)], "tie", 0.5, False),
        (["A", "A", "B", "A"], ["B", "B"], "A", (0.75 + 1) / 2, True),
        (["A"], ["cannot say"], None, None, None),
    ],
)
def test_both_orders(ab: list[str], ba: list[str], winner: Any, confidence: Any, consistent: Any) -> None:
    verdict = pair(ab, ba)
    assert verdict.score == winner
    assert verdict.confidence == (None if confidence is None else pytest.approx(confidence))
    assert verdict.consistent == consistent


def test_a_failed_order_is_not_a_tie() -> None:
    # jr-11
    # a judge's error is never counted as a tie
    verdict = pair(["A"], [""])
    assert verdict.failure == "unparsed"
    assert "order BA" in (verdict.reason or "")


def test_a_comparison_shows_the_answers_in_both_orders(tmp_path: Path) -> None:
    def longest_first(request: Request, number: int) -> str:
        return says_winner("A" if request.prompt.index("short") > request.prompt.index("a long one") else "B", 1.0)

    provider = FakeProvider(longest_first)
    session = run(tmp_path / "s", setup(provider, asked=Asked(pairwise=True)), [item("i", "short", "a long one")])
    assert session.results[0].verdict.score == "B"
    assert session.results[0].verdict.consistent
    assert [request.about.order for request in provider.requests] == ["AB", "BA"]


def verdicts(*scores: float | None) -> dict[str, Verdict]:
    return {f"j{place}": Verdict(score) for place, score in enumerate(scores)}


@pytest.mark.parametrize(
    ("scores", "by", "score", "said"),
    [
        ((4, 4, 2), "median", 4, None),
        ((4, 3), "median", 3.5, None),
        ((4, None, 2), "median", 3, "no score from j1"),
        ((4, 4, 2), "majority", 4, None),
        ((4, 3, 2), "majority", None, "a tie: 2 1, 3 1, 4 1"),
        ((None, None), "median", None, "no score from j0, j1"),
    ],
)
def test_a_panel(scores: tuple[float | None, ...], by: Any, score: float | None, said: str | None) -> None:
    verdict = of_judges(verdicts(*scores), SCALE, by)
    assert (verdict.score, verdict.reason) == (score, said)


def test_one_score_for_each_response(tmp_path: Path) -> None:
    provider = FakeProvider(lambda r, n: score_reply(int(r.about.part or 9)))
    three = item("i", "x", "y", "z")
    session = run(
        tmp_path / "s",
        setup(provider, unit="response"),
        [three, item("lone"), item("c", "x", "y", dimension="consistency")],
    )
    first, lone, consistency = (result.verdict for result in session.results)
    assert (first.score, first.scores, first.unit) == (2, (1, 2, 3), "response")
    # one response is a set of one, and consistency is about the set whatever was asked
    assert (lone.unit, consistency.unit) == ("set", "set")
    assert [request.about.part for request in provider.requests] == ["1", "2", "3", "", ""]


def test_a_set_with_a_response_that_has_no_score_has_none(tmp_path: Path) -> None:
    provider = FakeProvider(lambda r, n: score_reply(4) if r.about.part == "1" else "no idea")
    verdict = run(tmp_path / "s", setup(provider, unit="response"), [item("i", "x", "y")]).results[0].verdict
    assert (verdict.score, verdict.scores) == (None, ())
    assert verdict.reason == "response 2: no score in the answer"


def test_a_cascade_asks_the_dear_judge_only_where_the_cheap_one_is_unsure(tmp_path: Path) -> None:
    # i0: sure; i1: unsure, then sure; i2: unsure twice, a case for people
    def cheap(request: Request, number: int) -> str:
        return score_reply(4 if request.about.item_id == "i0" else 2 + request.about.sample)

    def dear(request: Request, number: int) -> str:
        return score_reply(5 if request.about.item_id == "i1" else 2 + request.about.sample)

    providers = FakeProvider(cheap, "cheap"), FakeProvider(dear, "dear")
    judges = [Judge(provider.model, provider, samples=3, temperature=1) for provider in providers]
    chosen = setup(*judges, panel=Panel((), cascade=0.6))
    session = run(tmp_path / "s", chosen, items(3))
    assert [result.verdict.score for result in session.results] == [4, 5, 3]
    assert [result.unsure for result in session.results] == [False, False, True]
    assert [list(result.by_judge) for result in session.results] == [["cheap"], ["cheap", "dear"], ["cheap", "dear"]]
    assert {request.about.item_id for request in providers[1].requests} == {"i1", "i2"}
    assert chosen.panel.name == "cascade cheap > dear"


def test_a_binary_judge(tmp_path: Path) -> None:
    provider = FakeProvider(says('{"critique": "it does", "verdict": "fail"}'))
    verdict = run(tmp_path / "s", setup(provider, asked=Asked(failure="invents")), [item()]).results[0].verdict
    assert verdict.score == "fail"
    assert verdict.best is not None
    assert verdict.best.parsed.texts["justification"] == "it does"


def test_weighted_criteria(tmp_path: Path) -> None:
    criteria = (Criterion(name="a", description="-", weight=3), Criterion(name="b", description="-"))
    provider = FakeProvider(says('{"justification": "j", "scores": {"a": 5, "b": 2}}'))
    verdict = run(tmp_path / "s", setup(provider, asked=Asked(criteria=criteria)), [item()]).results[0].verdict
    assert verdict.score == 4.25
    assert verdict.readings[0].criteria == {"a": 5, "b": 2}


def test_a_clamped_score_counts_only_when_wanted(tmp_path: Path) -> None:
    provider = FakeProvider(says(score_reply(6)))
    left = run(tmp_path / "s", setup(provider), [item()]).results[0].verdict
    assert (left.score, left.clamped, left.failure) == (None, 5, "clamped")
    kept = run(tmp_path / "s", setup(provider, keep_clamped=True), [item()]).results[0].verdict
    assert kept.score == 5


def test_a_refused_call_among_samples(tmp_path: Path) -> None:
    provider = FakeProvider(lambda r, n: CallError("rejected", "no") if r.about.sample == 1 else score_reply(4))
    verdict = run(tmp_path / "s", setup(Judge("m", provider, samples=3)), [item()]).results[0].verdict
    assert (verdict.score, verdict.confidence) == (4, 2 / 3)
