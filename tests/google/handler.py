"""The server's HTTP side: reads a call, has it answered, and lets go wrong what a test has ordered to."""

from __future__ import annotations

import json
import select
import socket
import traceback
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tests.google import discovery, dispatch
from tests.google.accounts import SignInError
from tests.google.dispatch import JSON
from tests.google.errors import ApiError
from tests.google.faults import Call, Fault

if TYPE_CHECKING:
    from tests.google.fake_server import FakeServer

HTML = "text/html; charset=UTF-8"
PAGE = b"<!DOCTYPE html><title>Error (Server Error)!!1</title><p>The server encountered a temporary error."
Answer = tuple[int, str, bytes, dict[str, str]]
NOT_A_PATH = b"<!DOCTYPE html><title>Error 404 (Not Found)!!1</title><p>The requested URL was not found on this server."


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: FakeServer

    def log_message(self, *args: object) -> None:
        """Keep quiet: the calls are in `server.calls`."""

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        if parts.path == "/token" and self.command == "POST":
            self._sign_in(raw.decode())
        elif parts.path.startswith("/o/oauth2/"):
            self._send(302, HTML, b"", {"Location": self.server.accounts.consent(parts.query)})
        else:
            self._call(parts.path, parse_qs(parts.query, keep_blank_values=True), raw)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle  # noqa: N815

    def _sign_in(self, form: str) -> None:
        try:
            with self.server.lock:
                answer = self.server.accounts.answer(form, self.server.now)
            self._send(200, JSON, json.dumps(answer).encode(), {})
        except SignInError as problem:
            self._send(400, JSON, str(problem).encode(), {})

    def _call(self, path: str, query: dict[str, list[str]], raw: bytes) -> None:
        server = self.server
        with server.lock:
            call = Call(len(server.calls), "", self.command, path, query, None)
            server.calls.append(call)
            found = discovery.find(self.command, path)
            call.method = found[0].id if found else ""
            fault = next((one for one in server.faults if one.hits(call)), None)
            answer: Answer = (0, JSON, b"", {})
            if fault is None or fault.done or fault.status == "torn":
                answer = self._done(call, raw)
        if fault is not None:
            self._fail(fault, call, answer)
        else:
            call.status = answer[0]
            self._send(*answer)

    def _done(self, call: Call, raw: bytes) -> Answer:
        """Do what a call asks for and return the answer."""
        try:
            kind, data = dispatch.answer(self.server, call, self.headers.get("Authorization"), raw)
            return (200 if data or call.verb != "DELETE" else 204), kind, data, {}
        except ApiError as problem:
            body = problem.body(call.api)
            return problem.status, JSON, json.dumps(body).encode(), problem.headers
        except LookupError as problem:
            if call.method:
                return self._defect(500, "", traceback.format_exc())
            return 404, HTML, NOT_A_PATH, {"X-Path": str(problem)}
        except NotImplementedError as problem:
            return self._defect(501, f"the fake does not simulate {problem}", "")
        except Exception:
            return self._defect(500, "", traceback.format_exc())

    def _defect(self, status: int, message: str, trace: str) -> Answer:
        self.server.defects.append(message or trace)
        body = {"error": {"code": status, "message": message or trace, "status": "UNIMPLEMENTED"}}
        return status, JSON, json.dumps(body).encode(), {}

    def _fail(self, fault: Fault, call: Call, answer: Answer) -> None:
        if fault.status == "timeout":
            self._wait_for_goodbye()
        if fault.status == "torn":
            status, kind, data, headers = answer
            self._send(status, kind, data, headers, torn=True)
        if isinstance(fault.status, str):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        problem = fault.error(call)
        call.status = problem.status
        kind, data = (HTML, PAGE) if fault.html else (JSON, json.dumps(problem.body(call.api)).encode())
        self._send(problem.status, kind, data, problem.headers)

    def _wait_for_goodbye(self) -> None:
        """Say nothing until the caller gives up."""
        while not self.server.closing.is_set():
            if select.select([self.connection], [], [], 0.05)[0]:
                return

    def _send(self, status: int, kind: str, data: bytes, headers: dict[str, str], *, torn: bool = False) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if torn else data)
