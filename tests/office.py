"""A headless LibreOffice for tests: one process for the session, asked through its UNO bridge."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SOFFICE = shutil.which("soffice")
SYSTEM_PYTHON = "/usr/bin/python3"
SCRIPT = Path(__file__).parent / "office_script.py"


def missing() -> str | None:
    """Return why there is no LibreOffice to test with, or None."""
    if SOFFICE is None:
        return "LibreOffice is not installed"
    has_uno = subprocess.run([SYSTEM_PYTHON, "-c", "import uno"], capture_output=True, check=False)
    return None if has_uno.returncode == 0 else "LibreOffice's Python bridge (python3-uno) is not installed"


class Office:
    """A running LibreOffice."""

    def __init__(self, port: int):
        self.port = port

    def ask(self, path: Path, *actions: list[Any]) -> list[Any]:
        """Open a file, do something with it, and return what each action answered."""
        request = json.dumps({"open": str(path), "do": actions})
        done = subprocess.run(
            [SYSTEM_PYTHON, str(SCRIPT), str(self.port)], input=request, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == 0, (done.returncode, done.stderr)
        answer: list[Any] = json.loads(done.stdout)
        return answer


LOCALE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{locale}</value></prop>
</item>
</oor:items>
"""


@contextmanager
def running(profile: Path, locale: str = "en-US") -> Iterator[Office]:
    """Start LibreOffice with a profile of its own and end it afterwards.

    Args:
        profile: An empty folder.
        locale: What decides how dates and decimals are typed and shown.
    """
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(LOCALE.format(locale=locale), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [
            SOFFICE or "soffice",
            f"-env:UserInstallation={profile.as_uri()}",
            "--headless",
            "--norestore",
            "--nologo",
            f"--accept=socket,host=127.0.0.1,port={port};urp;",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Office(port)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
