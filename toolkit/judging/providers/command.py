"""A program of the user's own: it reads the prompt on standard input and writes the answer to standard output."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import sha256
from toolkit.judging.provider import CallError, FailureKind, Parameter, Reply, Request
from toolkit.texts import REPLACEMENT, sound

LONGEST_ANSWER = 4_000_000


class Command:
    """Starts the program once for each call. Parameters reach it as TOOLKIT_* variables, the item's name does too."""

    name = "command"
    capabilities: frozenset[Parameter] = frozenset(("temperature", "seed"))
    notices: tuple[str, ...] = ()

    def __init__(self, command: Sequence[str], model: str | None, timeout: float):
        """Check that the program is there.

        Raises:
            ToolkitError: When it is not.
        """
        if "\0" in "".join(command) or shutil.which(command[0]) is None:
            raise ToolkitError(Problem(f"there is no program {shown(command[0])!r}", "check --command"))
        self._command, self._timeout = tuple(command), timeout
        # `python3 my_judge.py` is called "python3 my_judge"; other arguments may be secrets, and are not written down
        files = [word for word in command[1:] if not word.startswith("-") and Path(word).is_file()]
        self.model = model or " ".join(Path(word).stem for word in (command[0], *files))[:80]
        self.identity: Mapping[str, str] = {"command": sha256("\0".join(command))}

    async def send(self, request: Request) -> Reply:
        """Run the program once."""
        asked = {"TEMPERATURE": request.temperature, "SEED": request.seed, "SAMPLE": request.about.sample}
        asked_about = {"ITEM": request.about.item_id, "MODEL": self.model}
        environment = {f"TOOLKIT_{name}": str(value) for name, value in asked.items() if value is not None}
        environment |= {f"TOOLKIT_{name}": sound(text).replace("\0", REPLACEMENT) for name, text in asked_about.items()}
        text = f"{request.system}\n\n{request.prompt}" if request.system else request.prompt
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=os.environ | environment,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            # an identifier too long for the environment is the fault of one item
            kind: FailureKind = "rejected" if error.errno == errno.E2BIG else "fatal"
            raise CallError(kind, f"the program cannot be started: {error.strerror}") from error
        try:
            async with asyncio.timeout(self._timeout):
                out, err = await process.communicate(text.encode("utf-8", "surrogatepass"))
        except TimeoutError:
            raise CallError("transport", f"the program took more than {self._timeout:g} seconds") from None
        finally:
            await _end(process)
        if process.returncode != 0:
            said = shown(err.decode("utf-8", "replace").strip()[-400:], 200)
            raise CallError("transport", f"the program ended with {process.returncode}: {said}")
        if len(out) > LONGEST_ANSWER:
            raise CallError("rejected", f"the program wrote more than {LONGEST_ANSWER} bytes")
        sent = {name.casefold(): value for name, value in asked.items() if value is not None}
        return Reply(text=out.decode("utf-8", "replace"), sent=sent, model=self.model)

    async def close(self) -> None:
        """Nothing to close."""


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the program and whatever it started, where it is still there."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    await process.wait()
