"""Hostile records, templates, stores, servers and settings: no accident, no wrong score, no lost answer, no key."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.judging.fake_server import FakeServer, Fault, score_reply
from tests.judging.fakes import FakeProvider, items, run, says, setup
from tests.studies import ok, record, refused, toolkit, write_jsonl
from toolkit.errors import ToolkitError
from toolkit.judging.keys import find_key
from toolkit.judging.limits import Limits
from toolkit.judging.panel import JudgeSpec, PanelFile, make_panel
from toolkit.judging.plan import Judge
from toolkit.judging.prices import Price, Prices
from toolkit.judging.provider import Reply
from toolkit.judging.providers import ProviderSpec, make_provider
from toolkit.judging.summary import run_warnings

KEY = "sk-SENTINEL-6602-key"
SURROGATE = "\ud83d"
PROGRAM = 'import sys; sys.stdin.read(); print(\'{"justification": "x", "score": 4}\')'
# a chat completion with whatever a server might put where text and numbers belong
ODD = {
    "choices": [{"message": {"content": '{"justification": "x", "score": 4}'}, "finish_reason": 7}],
    "model": ["m", SURROGATE],
    "usage": {"prompt_tokens": [1], "completion_tokens": 10**400},
}


def program(tmp_path: Path, code: str = PROGRAM, name: str = "judge") -> str:
    script = tmp_path / f"{name}.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(code)
    return shlex.join([sys.executable, str(script)])


def test_texts_and_names_without_a_utf8_form_are_judged(tmp_path: Path) -> None:
    names = [f"a{SURROGATE}", "b\0c", "{{ d }}"]
    texts = {"prompt": SURROGATE, "response": f"{SURROGATE} {{% raw %}}"}
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(record(name, f"x{SURROGATE}", **texts)) + "\n" for name in names))
    verdict = 'import sys; sys.stdin.read(); print(\'{"critique": "x", "verdict": "pass"}\')'
    out = tmp_path / "out.jsonl"
    given = ["judge", source, "--failure", "too long", "--provider", "command", "--command", program(tmp_path, verdict)]
    assert "3 of 3 items scored" in ok(*given, "-o", out)
    assert "0 made, 3 from the store" in ok(*given, "-o", out, "--force")
    assert [line["item_id"] for line in map(json.loads, out.read_text().splitlines())] == names
    with FakeServer(lambda seen, number: json.dumps({"critique": "x", "verdict": "fail"})) as server:
        asked = ["--provider", "openai", "--model", "m", "--base-url", server.root + "/v1"]
        assert "3 of 3" in ok("judge", source, "--failure", "x", *asked, "-o", tmp_path / "2.jsonl")


def test_an_identifier_too_long_for_a_program_fails_alone(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record("a" * 300_000), record("b")])
    said = ok("judge", source, "--provider", "command", "--command", program(tmp_path), "-o", tmp_path / "o.jsonl")
    assert "1 of 2 items scored" in said


@pytest.mark.parametrize(
    "body",
    [f"<html>Bearer {KEY}</html>", json.dumps({"choices": [{"message": {"content": KEY}}], "model": KEY}), None],
)
def test_a_gateway_that_echoes_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str | None) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    source = write_jsonl(tmp_path / "in.jsonl", [record("a"), record("b")])
    fault = Fault(body=body) if body else Fault(status=302, headers={"location": "http://127.0.0.1:9"}, body="")
    with FakeServer(lambda seen, number: score_reply(4), lambda seen, number: fault) as server:
        asked = ["--provider", "openai", "--model", "m", "--base-url", server.root, "--tries", 1, "-v"]
        assert KEY not in refused("judge", source, *asked, "-o", tmp_path / "o.jsonl")
    (tmp_path / ".env").unlink()
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 3
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_an_answer_of_odd_types_is_stored_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    fault = Fault(body=json.dumps(ODD))
    with FakeServer(lambda seen, number: "", lambda seen, number: fault) as server:
        asked = ["--provider", "openai", "--model", "m", "--base-url", server.root, "-o", tmp_path / "o.jsonl"]
        said = ok("judge", source, *asked)
    assert "1 of 1 item scored" in said
    assert "tokens unknown, cost unknown" in said


def test_what_an_sdk_does_not_check_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    odd = {"type": "message", "role": "assistant", "model": ["m"], "stop_reason": 7}
    odd |= {
        "content": [{"type": "text", "text": score_reply(4)}],
        "usage": {"input_tokens": [1], "output_tokens": True},
    }
    with FakeServer(lambda seen, number: "", lambda seen, number: Fault(body=json.dumps(odd))) as server:
        asked = ["--provider", "anthropic", "--model", "m", "--base-url", server.root, "-o", tmp_path / "o.jsonl"]
        assert "1 of 1 item scored" in ok("judge", source, *asked)


@pytest.mark.parametrize("key", ["sk-ação", "sk one", "sk\nX-Evil: 1", "sk\x01"])
def test_what_cannot_be_a_key_is_said_without_showing_it(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(ToolkitError, match="SOME_KEY holds characters") as caught:
        find_key(["SOME_KEY"], optional=True)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("localhost:11434", "not the address"),
        ("http://", "not the address"),
        ("ftp://host/v1", "not the address"),
        ("http://[::1", "not the address"),
        ("https://me:SECRET@host/v1", "more than an address"),
        ("https://host/v1?key=SECRET", "more than an address"),
    ],
)
@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "google-generativeai"])
def test_an_address_that_is_none_or_holds_a_secret(name: str, address: str, said: str) -> None:
    with pytest.raises(ToolkitError, match=said) as caught:
        make_provider(ProviderSpec(name, "m", address))
    assert "SECRET" not in str(caught.value)


def test_what_is_given_to_a_program_is_written_nowhere(tmp_path: Path) -> None:
    command = program(tmp_path) + " --token SECRET-1 SECRET-2 strict"
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    said = ok("judge", source, "--provider", "command", "--command", command, "-o", tmp_path / "o.jsonl", "-v")
    written = [path for path in tmp_path.iterdir() if path.is_file()]
    assert not [path for path in written if b"SECRET" in path.read_bytes()]
    assert "SECRET" not in said
    # another argument is another question all the same
    other = ["--provider", "command", "--command", command + "er", "-o", tmp_path / "o.jsonl", "--force"]
    assert "1 made, 0 from the store" in ok("judge", source, *other)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ 1 / 0 }}", "division by zero"),
        ("{% for i in range(10 ** 9) %}x{% endfor %}", "Range too big"),
        ("{% include 'factual.j2' %}", "recursion"),
        ("{{ {}['x'] }}", "cannot be made"),
        ("{% include 'other.txt' %}", "other.txt > line 1: is not a valid prompt template"),
        ("{% if false %}{% include 'other.txt' %}{% endif %}", "other.txt > line 1"),
        (b"caf\xe9", "cannot be read as a prompt template"),
        ("{{ (" + "(" * 5000, "prompt template"),
    ],
)
def test_a_template_can_do_no_harm(tmp_path: Path, template: str | bytes, said: str) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "factual.j2").write_bytes(template if isinstance(template, bytes) else template.encode())
    (folder / "other.txt").write_text("{% what %}")
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    command = program(tmp_path, f"open({str(tmp_path / 'asked')!r}, 'w'); {PROGRAM}")
    given = ["--provider", "command", "--command", command, "--prompts", folder, "-o", tmp_path / "o.jsonl"]
    assert said in refused("judge", source, *given)
    assert not (tmp_path / "asked").exists()


def test_templates_may_include_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    include = "{% set word = 'good' %}{% include 'more.txt' %}{% include 'none.j2' ignore missing %}{{ response }}"
    (folder / "factual.j2").write_text(include)
    (folder / "more.txt").write_text("Is it {{ word }}?")
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    asked = ["--provider", "command", "--command", program(tmp_path), "--prompts", folder]
    prompts = []
    for text in ("Is it {{ word }}?", "How {{ word }} is it?"):
        (folder / "more.txt").write_text(text)
        ok("judge", source, *asked, "-o", tmp_path / "o.jsonl", "--force")
        prompts.append(json.loads((tmp_path / "o.jsonl").read_text())["judge_prompt"])
    # a text that is included is a part of the prompt
    assert prompts[0] != prompts[1]
    (folder / "factual.j2").rename(folder / "Facts.j2")
    said = refused("judge", source, *asked, "-o", tmp_path / "o.jsonl", "--force")
    assert "none of the templates that are used here" in said and "factual.j2" in said


def test_a_database_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    for name, version in (("theirs", 0), ("numbered", 7)):
        with closing(sqlite3.connect(tmp_path / name)) as base:
            base.executescript(f"CREATE TABLE cookies (a); PRAGMA user_version = {version}")
        before = (tmp_path / name).read_bytes()
        with pytest.raises(ToolkitError, match="no store of calls"):
            run(tmp_path / name, setup(FakeProvider()), items(1))
        assert (tmp_path / name).read_bytes() == before
    run(tmp_path / "newer", setup(FakeProvider()), items(1))
    with closing(sqlite3.connect(tmp_path / "newer")) as base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(ToolkitError, match="newer toolkit"):
        run(tmp_path / "newer", setup(FakeProvider()), items(1))


def test_a_damaged_store_is_said(tmp_path: Path) -> None:
    run(tmp_path / "s", setup(FakeProvider()), items(50))
    content = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    with pytest.raises(ToolkitError, match="cannot be used as a store"):
        run(tmp_path / "s", setup(FakeProvider()), items(50))


@pytest.mark.parametrize("command", ["judge", "probe", "draft"])
def test_results_are_never_written_over_the_store(tmp_path: Path, command: str) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    asked = ["--provider", "command", "--command", program(tmp_path)]
    ok("judge", source, *asked, "-o", tmp_path / "o.jsonl")
    store = tmp_path / "o.jsonl.calls.sqlite"
    before = store.read_bytes()
    words = ["rubric", "draft", "--domain", "x", "--dimension", "y"] if command == "draft" else [command, source]
    for more in (["-o", store], ["-o", store, "--store", store], ["-o", tmp_path / "new", "--store", tmp_path / "new"]):
        assert "not written over it" in refused(*words, *asked, *more, "--force")
    assert store.read_bytes() == before
    assert not (tmp_path / "new").exists()


def test_a_file_for_people_is_not_overwritten_without_force(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    rows = [{"item_id": "a", "dimension": "factual", "sample": sample, "text": str(sample + 1)} for sample in range(2)]
    write_jsonl(tmp_path / "r.jsonl", rows)
    (tmp_path / "p.yaml").write_text("cascade: 0.9\njudges: [{provider: replay, answers: r.jsonl, samples: 2}]")
    people = tmp_path / "o.people.jsonl"
    people.write_text("mine")
    given = ["judge", source, "--panel", tmp_path / "p.yaml", "-o", tmp_path / "o.jsonl"]
    assert "o.people.jsonl: exists already" in refused(*given)
    assert people.read_text() == "mine"
    ok(*given, "--force")
    assert json.loads(people.read_text())["item_id"] == "a"


def test_two_judges_that_would_be_called_the_same_are_refused(tmp_path: Path) -> None:
    # with one name for both, one of them would never be asked, and the other would count twice
    commands = [program(tmp_path / folder) for folder in ("one", "two")]
    specs = tuple(JudgeSpec(provider="command", command=command) for command in commands)
    with pytest.raises(ToolkitError, match="2 judges are called"):
        make_panel(PanelFile(judges=specs))
    named = tuple(spec.model_copy(update={"name": name}) for spec, name in zip(specs, "ab", strict=True))
    assert [judge.name for judge in make_panel(PanelFile(judges=named)).judges] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "must hold keys and values"),
        ("- 1", "must hold keys and values"),
        ("judges: []", "judges: must not be empty"),
        ("judges: 3", "judges: must be a list"),
        ("judges: [{model: m}]", "provider: is missing"),
        ('judges: [{provider: command, command: "judge \'x"}]', "no closing quotation"),
        ('judges: [{provider: command, command: "judge\\0 x"}]', "no program"),
        ("judges: [{provider: command, command: x, timeout: .inf}]", "finite"),
        ("judges: [{provider: command, command: x, samples: 0}]", "judges.0.samples: Input should be greater"),
    ],
)
def test_a_panel_that_cannot_be_read(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "p.yaml").write_text(content)
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    found = refused("judge", source, "--panel", tmp_path / "p.yaml", "-o", tmp_path / "o.jsonl")
    assert said in found
    # one fault is one problem: not also a list that is short by the entry that could not be read
    assert "1 problem found" in found


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (command, option)
        for command in ("judge", "probe", "validate-judge")
        for option in ("--temperature", "--rate", "--timeout", "--budget")
    ]
    + [("validate-judge", "--min-kappa"), ("validate-judge", "--max-mae"), ("validate-judge", "--max-drop")],
)
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_numbers_are_finite(tmp_path: Path, command: str, option: str, number: str) -> None:
    result = toolkit(command, tmp_path / "none.jsonl", option, number)
    assert result.exit_code == 2
    assert option in result.output


def test_answers_without_tokens_count_against_the_budget_of_the_next_run(tmp_path: Path) -> None:
    silent = FakeProvider(lambda request, number: Reply(score_reply(4)))
    prices = Prices(models={"m": Price(input=0, output=100)})  # at most 0.01 for each answer
    chosen = setup(Judge("m", silent, max_tokens=100), prices=prices, limits=Limits(concurrency=1, budget=0.035))
    for _ in range(3):
        run(tmp_path / "s", chosen, items(10))
    assert len(silent.requests) == 3


def test_recorded_answers_about_other_items_are_said(tmp_path: Path) -> None:
    # jr-11: what was recorded of z belongs to nobody
    source = write_jsonl(tmp_path / "in.jsonl", [record("a"), record("b")])
    rows = [{"item_id": name, "dimension": "factual", "text": "4"} for name in "abz"]
    write_jsonl(tmp_path / "r.jsonl", rows)
    given = ["--provider", "replay", "--answers", tmp_path / "r.jsonl", "-o", tmp_path / "o.jsonl"]
    assert "r: 1 recorded answers are about other items" in ok("judge", source, *given)


def test_answers_that_are_missing_behind_a_score_are_said(tmp_path: Path) -> None:
    replies = ["4", "no idea", "4", "4"]
    judge = Judge("m", FakeProvider(lambda request, number: replies[request.about.sample]), samples=4)
    warnings = run_warnings(run(tmp_path / "s", setup(judge), items(3)), keep_clamped=False)
    assert warnings == ["3 answers about items with a score have none (3 unparsed); they lower the confidence"]
    whole = run(tmp_path / "t", setup(Judge("m", FakeProvider(says("4")), samples=2)), items(3))
    assert run_warnings(whole, keep_clamped=False) == []


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    rows = [record(f"i{n}", human_consensus_score=n % 5 + 1, judge_score=n % 5 + 1) for n in range(20)]
    write_jsonl(tmp_path / "golden.jsonl", rows)
    command = [sys.executable, "-c", "from toolkit.cli import main; main()", "validate-judge", "golden.jsonl"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    # nobody has seen the figures: neither passed nor failed
    assert done.returncode == 4
    assert "unforeseen" not in done.stderr and "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_a_field_of_padded_answers_that_nobody_has(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record("a", longer="Answer a, and that is all of it, to be sure.")])
    given: list[Any] = ["probe", source, "--probes", "verbosity", "--provider", "command", "--command"]
    given += [program(tmp_path), "-o", tmp_path / "o.json", "--padded-field"]
    assert "no item has the field 'longr'" in refused(*given, "longr")
    ok(*given, "longer")


def test_an_answer_to_another_question_is_not_read_again(tmp_path: Path) -> None:
    # --reparse reads whatever the prompt was worded like, but not an answer about another failure or on another scale
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    verdict = 'import sys; sys.stdin.read(); print(\'{"critique": "x", "verdict": "pass"}\')'
    out = tmp_path / "out.jsonl"
    given = ["judge", source, "--provider", "command", "--command", program(tmp_path, verdict), "-o", out, "--force"]
    ok(*given, "--failure", "it is too long")
    assert "1 of 1" in ok(*given, "--failure", "it is too long", "--lang", "es", "--reparse")
    assert "it was not asked" in refused(*given, "--failure", "it is rude", "--reparse")
    assert "it was not asked" in refused(*given, "--reparse")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"sample": "one"}, "no whole number from 0 on"),
        ({"sample": -1}, "no whole number from 0 on"),
        ({"sample": "²"}, "no whole number from 0 on"),
        ({"finish": "max_tokens"}, "finish is one of stop, length, refusal"),
        ({"sample": 0.0, "finish": " "}, ""),
    ],
)
def test_recorded_answers_with_odd_fields(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record("a")])
    write_jsonl(tmp_path / "r.jsonl", [{"item_id": "a", "dimension": "factual", "text": "4", **fields}])
    given = ["judge", source, "--provider", "replay", "--answers", tmp_path / "r.jsonl", "-o", tmp_path / "o.jsonl"]
    found = refused(*given) if said else ok(*given)
    assert said in found


def test_why_a_gate_could_not_run_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    golden = write_jsonl(tmp_path / "golden.jsonl", [record(name, human_consensus_score=3) for name in "ab"])
    fault = Fault(status=401, body=json.dumps({"error": {"message": f"wrong key {KEY}"}}))
    with FakeServer(lambda seen, number: "", lambda seen, number: fault) as server:
        asked = ["--provider", "openai", "--model", "m", "--base-url", server.root, "--junit", tmp_path / "out.xml"]
        result = toolkit("validate-judge", golden, *asked, "--min-kappa", "0.4")
    assert result.exit_code == 4
    assert "not one of 2 items has a score (transport: HTTP 401: wrong key [key])" in result.output
    assert "HTTP 401" in (tmp_path / "out.xml").read_text()
    assert KEY not in (tmp_path / "out.xml").read_text()


def test_recorded_answers_that_are_missing_are_one_warning(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record(name) for name in "abcd"])
    write_jsonl(tmp_path / "r.jsonl", [{"item_id": "a", "dimension": "factual", "text": "4"}])
    given = ["judge", source, "--provider", "replay", "--answers", tmp_path / "r.jsonl", "-o", tmp_path / "o.jsonl"]
    assert "3 without a score, transport: no answer is recorded (items b, c, d)" in ok(*given)
