"""Every adapter against a server that speaks its provider's wire format, with everything that goes wrong there."""

from __future__ import annotations

import asyncio
import email.utils
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.judging.fake_server import Answer, FakeServer, Fault, Seen, score_reply
from toolkit.errors import ToolkitError
from toolkit.judging.keys import Secret, find_key
from toolkit.judging.prompts import Asked, schema
from toolkit.judging.provider import About, CallError, Provider, Reply, Request, request_hash
from toolkit.judging.providers import ProviderSpec, make_provider
from toolkit.judging.providers.http import retry_after
from toolkit.model import Scale

KEY = "sk-SENTINEL-8819-key"
SCHEMA = schema(Scale(), Asked(suggestion=True))
REQUEST = Request(
    prompt="Rate {this} {{ now }} ção 😀", system="Be fair.", schema=SCHEMA, temperature=0.5, seed=7, max_tokens=99
)
PACKAGES = {"gemini": "google.genai", "google-generativeai": "google.generativeai", "anthropic": "anthropic"}
HTTP = ("openai", "anthropic", "gemini", "google-generativeai")


def installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(params=HTTP)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    provider = str(request.param)
    if provider in PACKAGES and not installed(PACKAGES[provider]):
        pytest.skip(f"the extra for {provider} is not installed")
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.chdir(tmp_path)
    return provider


def made(name: str, server: FakeServer, timeout: float = 5.0) -> Provider:
    base = server.root + "/v1" if name == "openai" else server.root
    return make_provider(ProviderSpec(name, "judge-model", base, timeout))


def sent(name: str, server: FakeServer, request: Request = REQUEST, timeout: float = 5.0) -> Reply:
    async def once() -> Reply:
        provider = made(name, server, timeout)
        try:
            return await provider.send(request)
        finally:
            await provider.close()

    return asyncio.run(once())


def failure(name: str, fault: Fault, timeout: float = 5.0) -> CallError:
    with (
        FakeServer(lambda seen, number: score_reply(4), lambda seen, number: fault) as server,
        pytest.raises(CallError) as caught,
    ):
        sent(name, server, timeout=timeout)
    # adapters do no retrying of their own: the run does
    # (but the older Google package asks for new credentials at a 401, and there is no option against it)
    assert len(server.seen) == 1 or (name == "google-generativeai" and fault.status == 401)
    assert KEY not in str(caught.value)
    return caught.value


def test_an_answer_comes_back_whole(name: str) -> None:
    with FakeServer(lambda seen, number: score_reply(4, "ção 😀")) as server:
        reply = sent(name, server)
    assert json.loads(reply.text) == {"evidence": "e", "justification": "ção 😀", "score": 4}
    assert reply.finish == "stop"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 20)
    assert server.seen[0].prompt == REQUEST.prompt
    assert KEY not in repr(reply)


def parameters(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Model-independent view of what a provider's request says."""
    if name == "openai":
        schema = body["response_format"]["json_schema"]["schema"]
        return {"temperature": body["temperature"], "seed": body["seed"], "max": body["max_tokens"], "schema": schema}
    if name == "anthropic":
        schema = body["output_config"]["format"]["schema"]
        return {
            "temperature": body["temperature"],
            "seed": body.get("seed"),
            "max": body["max_tokens"],
            "schema": schema,
        }
    config = body["generationConfig"]
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    keys = {"temperature": config["temperature"], "seed": config.get("seed"), "max": config["maxOutputTokens"]}
    return keys | {"schema": schema}


def test_the_request_body_says_what_was_asked(name: str) -> None:
    with FakeServer(lambda seen, number: score_reply(4)) as server:
        reply = sent(name, server)
    seen = server.seen[0]
    said = parameters(name, seen.body)
    assert said["temperature"] == 0.5
    assert said["max"] == 99
    assert said["seed"] == (7 if name in ("openai", "gemini") else None)
    assert ("seed" in reply.sent) == (name in ("openai", "gemini"))
    assert reply.sent["temperature"] == 0.5
    assert "judge-model" in (seen.path if "gemini" in name or "google" in name else seen.body["model"])
    system = json.dumps(seen.body.get("system") or seen.body.get("systemInstruction") or seen.body.get("messages"))
    assert "Be fair." in system
    if name == "google-generativeai":
        # it would send the keys in its own order, the score before its justification
        assert said["schema"] is None
        assert seen.body["generationConfig"]["responseMimeType"] == "application/json"
        return
    assert list(said["schema"]["properties"]) == ["evidence", "justification", "suggestion", "score"]
    assert said["schema"]["properties"]["score"]["enum"] == [1, 2, 3, 4, 5]
    assert set(said["schema"]["required"]) == set(said["schema"]["properties"])
    if name == "gemini":
        assert said["schema"]["propertyOrdering"] == list(SCHEMA["properties"])


def test_nothing_is_sent_that_was_not_asked_for(name: str) -> None:
    with FakeServer(lambda seen, number: "4") as server:
        reply = sent(name, server, Request("Rate."))
    assert "temperature" not in json.dumps(server.seen[0].body)
    assert "seed" not in json.dumps(server.seen[0].body)
    assert not {"temperature", "seed", "response_format", "output_config"} & set(reply.sent)


@pytest.mark.parametrize(("finish", "expected"), [("length", "length"), ("refusal", "refusal")])
def test_truncation_and_refusal_are_told_apart(name: str, finish: str, expected: str) -> None:
    with FakeServer(lambda seen, number: Answer('{"score": 4', finish)) as server:
        assert sent(name, server).finish == expected


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_worth_another_try(name: str, status: int) -> None:
    error = failure(name, Fault(status, {"Retry-After": "3"}))
    assert error.kind == "transport"
    assert error.retry_after == 3
    assert str(status) in str(error)


@pytest.mark.parametrize(("status", "kind"), [(401, "fatal"), (404, "fatal"), (400, "rejected")])
def test_a_lasting_fault_is_not(name: str, status: int, kind: str) -> None:
    assert failure(name, Fault(status)).kind == kind


def test_a_slow_answer_times_out(name: str) -> None:
    started = time.monotonic()
    assert failure(name, Fault(delay=3), timeout=0.4).kind == "transport"
    assert time.monotonic() - started < 2.5


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(body="<html>proxy</html>"), Fault(body="{}"), Fault(body="")])
def test_an_answer_that_is_none_is_a_transport_failure(name: str, fault: Fault) -> None:
    assert failure(name, fault).kind == "transport"


def test_a_refused_connection_is_a_transport_failure(name: str) -> None:
    with FakeServer(lambda seen, number: "4") as server:
        pass
    with pytest.raises(CallError) as caught:
        sent(name, server)
    assert caught.value.kind == "transport"


def test_retry_after_may_be_a_date() -> None:
    later = email.utils.formatdate(time.time() + 30, usegmt=True)
    seconds = retry_after({"retry-after": later})
    assert seconds is not None
    assert 25 < seconds <= 30
    assert retry_after({"retry-after": email.utils.formatdate(0)}) == 0
    for nonsense in ("soon", "", "inf", "nan"):
        assert retry_after({"retry-after": nonsense}) is None


def test_a_key_that_a_server_echoes_is_masked(name: str) -> None:
    body = json.dumps(
        {"error": {"code": 400, "message": f"bad key {KEY}", "status": "X", "type": "x"}, "type": "error"}
    )
    assert "[key]" in str(failure(name, Fault(400, body=body)))


def test_a_parameter_the_model_refuses_is_left_out_and_said() -> None:
    def picky(seen: Seen, number: int) -> Fault | None:
        for parameter in ("temperature", "response_format", "max_tokens"):
            if parameter in seen.body:
                message = f"Unsupported parameter: '{parameter}'"
                return Fault(400, body=json.dumps({"error": {"message": message}}))
        return None

    with FakeServer(lambda seen, number: score_reply(4), picky) as server:
        provider = make_provider(ProviderSpec("openai", "m", server.root + "/v1"))

        async def twice() -> Reply:
            await provider.send(REQUEST)
            reply = await provider.send(REQUEST)
            await provider.close()
            return reply

        reply = asyncio.run(twice())
    assert dict(reply.sent) == {"seed": 7, "max_completion_tokens": 99}
    # three refusals, then two answers: what was learned is kept
    assert len(server.seen) == 5


def test_the_key_goes_into_the_header_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY='{KEY}'\n")
    with FakeServer(lambda seen, number: "4") as server:
        sent("openai", server)
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(server.seen[0].body)
    assert KEY not in repr(Secret(KEY))
    assert KEY not in f"{Secret(KEY)}"


def test_a_missing_key_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ToolkitError, match="ANTHROPIC_API_KEY is not set"):
        find_key(("ANTHROPIC_API_KEY",), optional=False)
    assert not find_key(("ANTHROPIC_API_KEY",), optional=True)


def run(provider: Provider, request: Request) -> Reply:
    return asyncio.run(provider.send(request))  # type: ignore[arg-type]


def command(tmp_path: Path, code: str, timeout: float = 10.0) -> Provider:
    script = tmp_path / "judge.py"
    script.write_text(code)
    return make_provider(ProviderSpec("command", None, None, timeout, None, (sys.executable, str(script))))


def test_a_program_reads_the_prompt_and_writes_the_answer(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.stdin.read().upper(), os.environ['TOOLKIT_SEED'], os.environ['TOOLKIT_ITEM'])"
    reply = run(command(tmp_path, code), Request("olá", "sys", seed=3, about=About("i1")))
    assert reply.text == "SYS\n\nOLÁ 3 i1\n"
    assert reply.sent == {"seed": 3, "sample": 0}


@pytest.mark.parametrize(
    ("code", "said"),
    [("import sys; sys.exit('boom')", "boom"), ("import time; time.sleep(30)", "more than 0.5 seconds")],
)
def test_a_program_that_fails_is_a_transport_failure(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(CallError, match=said) as caught:
        run(command(tmp_path, code, timeout=0.5 if "sleep" in code else 10.0), Request("x"))
    assert caught.value.kind == "transport"


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ToolkitError, match="no program"):
        make_provider(ProviderSpec("command", command=("no-such-program-here",)))


def test_replay_finds_an_answer_by_item_dimension_and_sample(tmp_path: Path) -> None:
    rows = [
        {"item_id": "007", "dimension": "factual", "text": "4"},
        {"item_id": "007", "dimension": "factual", "sample": 1, "text": "5", "finish": "length"},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    provider = make_provider(ProviderSpec("replay", answers=path))
    assert provider.model == "answers"
    assert run(provider, Request("x", about=About("007", "factual"))).text == "4"
    assert run(provider, Request("x", about=About("007", "factual", sample=1))).finish == "length"
    with pytest.raises(CallError, match="no answer is recorded for sample 2"):
        run(provider, Request("x", about=About("007", "factual", sample=2)))


def test_replay_refuses_two_answers_for_one_question(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("item_id,text\na,4\na,5\n")
    with pytest.raises(ToolkitError, match="two recorded answers"):
        make_provider(ProviderSpec("replay", answers=path))


@pytest.mark.parametrize(
    "change",
    [
        lambda r: Request(r.prompt + " ", r.system, r.schema, r.temperature, r.seed, r.max_tokens),
        lambda r: Request(r.prompt, r.system + ".", r.schema, r.temperature, r.seed, r.max_tokens),
        lambda r: Request(r.prompt, r.system, None, r.temperature, r.seed, r.max_tokens),
        lambda r: Request(r.prompt, r.system, r.schema, 0.6, r.seed, r.max_tokens),
        lambda r: Request(r.prompt, r.system, r.schema, r.temperature, 8, r.max_tokens),
        lambda r: Request(r.prompt, r.system, r.schema, r.temperature, r.seed, 100),
        lambda r: Request(
            r.prompt,
            r.system,
            {**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))},
            r.temperature,
            r.seed,
            r.max_tokens,
        ),
    ],
)
def test_anything_that_can_change_the_answer_changes_the_hash(change: Callable[[Request], Request]) -> None:
    provider = make_provider(ProviderSpec("openai", "m", "http://127.0.0.1:9/v1"))
    other_model = make_provider(ProviderSpec("openai", "m2", "http://127.0.0.1:9/v1"))
    other_server = make_provider(ProviderSpec("openai", "m", "http://127.0.0.1:8/v1"))
    hashes = {request_hash(p, REQUEST) for p in (provider, other_model, other_server)}
    assert len(hashes | {request_hash(provider, change(REQUEST))}) == 4
