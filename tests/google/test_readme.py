"""The README's commands that need an account at Google run as they are shown, against the fake."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR
from tests.studies import ok
from toolkit.study import read_study

ROOT = Path(__file__).resolve().parents[2]


def test_the_commands_for_google_run_in_the_order_they_are_shown(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("### Google Sheets\n")[2]
    [block, *_others] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    commands = [shlex.split(line)[1:] for line in block.replace("\\\n", "").splitlines()]
    assert [command[0] for command in commands] == ["google", "make-sheets", "pull", "status", "close"]
    monkeypatch.chdir(tmp_path)
    online.people(server)
    ok("init", "my-study")
    # in place of the browser: what a sign-in leaves
    server.authorized_user_file(tmp_path / "client.json", COORDINATOR)
    for command in commands:
        ok(*command)
    google = read_study(tmp_path / "my-study" / "online").google
    assert google is not None and google.closed and len(server.files()) == len(server.mails) == 3
