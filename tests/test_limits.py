"""What a message says to do when a file holds too much works in the command that said it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.google import online
from tests.google.fake_server import FakeServer, running
from tests.studies import fill, make, ok, record, toolkit, write_csv

ADVICE = re.compile(r"add --limit (\w+)=NUMBER to the command")
LOW, HIGH = 20, 100_000


def told_and_solved(*arguments: object) -> None:
    """Run a command that a low limit stops, and again as it says."""
    told = toolkit(*arguments, "--limit", f"cells={LOW}").output
    assert f"more than {LOW} filled cells" in told, told
    names = set(ADVICE.findall(" ".join(told.split())))
    assert names == {"cells"}
    # the last one counts, and any number of limits may be given
    done = ok(*arguments, "--limit", f"cells={LOW}", "--limit", f"cells={HIGH}", "--limit", "sheets=9")
    assert "filled cells" not in done


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that came back, whose judge and people lie apart, with its report."""
    folder = tmp_path_factory.mktemp("limits")
    study = make(folder / "s", [record(f"i{n}", judge_score=1) for n in range(4)])
    for name in study.names:
        fill(study, folder / "s", name, lambda item, low=name == "A1": 2 if low else 5)  # type: ignore[misc]
    ok("consolidate", folder / "s", "--reveal-judge", "-q")
    scores = {name: [4 - 3 * (name == "A"), 5, 5, 5] for name in "ABC"}
    lines = [[f"i{n}", *(column[n] for column in scores.values()), 1] for n in range(4)]
    write_csv(folder / "t.csv", ["item_id", "score_A", "score_B", "score_C", "judge_score"], lines)
    ok("analyze", folder / "t.csv", "--seed", "1", "-o", folder / "r")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "check s",
        "check s s/filled/A1.xlsx --annotated marked.xlsx",
        "status s",
        "consolidate s -o again",
        "consolidate s -o talked --discussion s/report/discussion.xlsx",
        "consolidate s --reveal-judge -o read --triage s/report/triage.xlsx",
        "audit-blind s s/send",
        "make-sheets s.jsonl --annotators A1,A2,A3 --seed 1 -o s --force",
        "analyze t.csv --seed 1 -o one --discussion r/discussion.xlsx",
        "analyze t.csv --seed 1 -o two --triage r/triage.xlsx",
        "analyze t.csv --seed 1 -o r --force",
    ],
)
def test_the_advice_works_in_every_command(filled: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(filled)
    told_and_solved(*command.split())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with running(monkeypatch) as fake:
        yield fake


def test_it_works_in_the_commands_that_read_google_sheets(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    folder, key = tmp_path / "study", server.authorized_user_file(tmp_path / "key.json", online.COORDINATOR)
    study = online.make(server, folder, items=1).study
    for command in ("pull", "check --pull", "status --pull", "close"):
        online.annotate(server, study, "A1", {item.item_id: "4" for item in study.items})
        told_and_solved(*command.split(), folder, "--credentials", key)
        for copy in (folder / "filled").iterdir():  # what has not changed is not read again
            copy.unlink()


@pytest.mark.parametrize("given", ["cells", "cells=", "cells=many", "cells=0", "cells=-1", "cells=1e6", "texts=5",
                                   "=5", f"cells={10**13}", "cells=٤"])  # fmt: skip
def test_a_limit_that_is_none_is_wrong_usage_that_lists_them(tmp_path: Path, given: str) -> None:
    for command in ("check", "status", "consolidate", "pull", "close"):
        result = toolkit(command, tmp_path, "--limit", given)
        assert result.exit_code == 2
        assert "cells=1000000" in result.output and "text_bytes=150000000" in result.output
