"""A server on loopback that speaks the providers' wire formats, with faults to order.

It listens on 127.0.0.1 only, answers a bounded number of requests, and stops by itself: with its context, when its
standard input closes (as a program), and after its time is up in any case.

As a program it prints its address as JSON and answers `GET /log` with how often each prompt was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_REQUESTS = 100_000
LONGEST_LIFE = 300.0


@dataclass
class Fault:
    """What goes wrong with one request: a status with headers, a delay, a body cut off, or a body of its own."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    body: str | None = None


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def prompt(self) -> str:
        """The text of the user, whatever the wire format."""
        if "contents" in self.body:
            return str(self.body["contents"][-1]["parts"][0]["text"])
        return str(self.body["messages"][-1]["content"])


@dataclass
class Answer:
    """What the model says."""

    text: str
    finish: str = "stop"


Model = Callable[[Seen, int], "Answer | str"]
Faults = Callable[[Seen, int], Fault | None]


def openai_body(seen: Seen, answer: Answer) -> dict[str, Any]:
    declined = answer.finish == "refusal"
    message = {"role": "assistant", "content": None if declined else answer.text}
    if declined:
        message["refusal"] = answer.text
    finish = {"length": "length"}.get(answer.finish, "stop")
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": f"{seen.body['model']}-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def anthropic_body(seen: Seen, answer: Answer) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": seen.body["model"],
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": {"length": "max_tokens", "refusal": "refusal"}.get(answer.finish, "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def gemini_body(seen: Seen, answer: Answer) -> dict[str, Any]:
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    if answer.finish == "refusal":
        return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage, "modelVersion": "gemini-x"}
    finish = {"length": "MAX_TOKENS"}.get(answer.finish, "STOP")
    content = {"role": "model", "parts": [{"text": answer.text}]}
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "usageMetadata": usage,
        "modelVersion": "gemini-x",
    }


def error_body(path: str, status: int, message: str) -> dict[str, Any]:
    if "generateContent" in path:
        return {"error": {"code": status, "message": message, "status": "UNAVAILABLE"}}
    if path.endswith("/messages"):
        return {"type": "error", "error": {"type": "api_error", "message": message}}
    return {"error": {"message": message, "type": "server_error", "code": None}}


class FakeServer:
    """The server, in a thread of its own, for the length of a `with`."""

    def __init__(self, model: Model, faults: Faults | None = None, latency: float = 0.0):
        self.seen: list[Seen] = []
        self.now = self.most = 0
        self._model, self._faults, self._latency = model, faults, latency
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    def __enter__(self) -> FakeServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prompts(self) -> list[str]:
        return [seen.prompt for seen in self.seen]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self.serve())
        finally:
            self._loop.close()

    async def serve(self) -> None:
        """Answer until told to end, or until the time is up."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._end.wait(), LONGEST_LIFE)
        server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while len(self.seen) < MOST_REQUESTS and await self._request(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET":
            counts: dict[str, int] = {}
            for seen in self.seen:
                counts[seen.prompt] = counts.get(seen.prompt, 0) + 1
            _write(writer, 200, {}, json.dumps(counts))
            await writer.drain()
            return True
        seen = Seen(path, headers, json.loads(content), time.monotonic())
        self.seen.append(seen)
        number = len(self.seen)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            fault = (self._faults(seen, number) if self._faults else None) or Fault()
            if self._latency or fault.delay:
                await asyncio.sleep(self._latency + fault.delay)
            body = fault.body if fault.body is not None else json.dumps(self._body(seen, number, fault))
            if fault.cut:
                # promises more than it sends, and hangs up
                _write(writer, fault.status, fault.headers, body[: len(body) // 2], len(body.encode()))
                await writer.drain()
                return False
            _write(writer, fault.status, fault.headers, body)
            await writer.drain()
        finally:
            self.now -= 1
        return True

    def _body(self, seen: Seen, number: int, fault: Fault) -> dict[str, Any]:
        if fault.status != 200:
            return error_body(seen.path, fault.status, f"fault {fault.status}")
        said = self._model(seen, number)
        answer = said if isinstance(said, Answer) else Answer(said)
        if "generateContent" in seen.path:
            return gemini_body(seen, answer)
        return anthropic_body(seen, answer) if seen.path.endswith("/messages") else openai_body(seen, answer)


def _write(writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: str, length: int = -1) -> None:
    data = body.encode()
    fields = {
        "Content-Type": "application/json",
        "Content-Length": str(length if length >= 0 else len(data)),
        **headers,
    }
    head = f"HTTP/1.1 {status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(head.encode() + b"\r\n" + data)


def score_reply(score: object, why: str = "because") -> str:
    """What a well-behaved judge writes."""
    return json.dumps({"evidence": "e", "justification": why, "score": score})


@contextlib.contextmanager
def server_process(latency: float) -> Iterator[str]:
    """The server as a process of its own, which ends when this one does; yields its address."""
    import subprocess

    arguments = [sys.executable, "-m", "tests.judging.fake_server", "--latency", str(latency)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield json.loads(process.stdout.readline())["root"]
        finally:
            process.stdin.close()
            process.wait(10)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--latency", type=float, default=0.0)
    latency = options.parse_args().latency
    with FakeServer(lambda seen, number: score_reply(len(seen.prompt) % 5 + 1), latency=latency) as server:
        sys.stdout.write(json.dumps({"root": server.root}) + "\n")
        sys.stdout.flush()
        watch = threading.Thread(target=sys.stdin.read, daemon=True)
        watch.start()
        watch.join(LONGEST_LIFE)


if __name__ == "__main__":
    main()
