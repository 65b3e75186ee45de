"""Any server that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, LM Studio, gateways."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx2

from toolkit.errors import shown
from toolkit.judging.keys import Secret
from toolkit.judging.provider import CallError, Finish, Parameter, Reply, Request, Usage, counted
from toolkit.judging.providers.http import status_error

# what a server that knows a parameter not (or the model's own choice of it) complains of -> what to leave out then
_OPTIONAL = {
    "temperature": ("temperature",),
    "seed": ("seed",),
    "response_format": ("response_format", "json_schema", "structured output"),
    "max_tokens": ("max_tokens",),
}
_FINISH: Mapping[str, Finish] = {"length": "length", "max_tokens": "length", "content_filter": "refusal"}


class OpenAI:
    """Chat completions over HTTP."""

    name = "openai"
    capabilities: frozenset[Parameter] = frozenset(("temperature", "seed", "schema"))
    notices: tuple[str, ...] = ()

    def __init__(self, model: str, base_url: str, key: Secret, timeout: float):
        self.model = model
        self.identity: Mapping[str, str] = {"base_url": base_url.rstrip("/")}
        self._key, self._timeout = key, timeout
        self._left_out: set[str] = set()
        self._client: httpx2.AsyncClient | None = None

    def body(self, request: Request) -> dict[str, Any]:
        """Return the request as it goes out."""
        messages = [{"role": "system", "content": request.system}] if request.system else []
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [*messages, {"role": "user", "content": request.prompt}],
            "max_tokens": request.max_tokens,
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.seed is not None:
            body["seed"] = request.seed
        if request.schema is not None:
            schema = {"name": "judgement", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if "max_tokens" in self._left_out:
            # the newer name; models that want it refuse the older one
            body["max_completion_tokens"] = body["max_tokens"]
        return {name: value for name, value in body.items() if name not in self._left_out}

    async def send(self, request: Request) -> Reply:
        """Send one request; a parameter that the server does not know is left out, and said in `sent`."""
        while True:
            body = self.body(request)
            try:
                # httpx times each read; the whole request has one deadline here
                async with asyncio.timeout(self._timeout):
                    response = await self._http().post("/chat/completions", content=json.dumps(body))
            except (TimeoutError, httpx2.TimeoutException):
                raise CallError("transport", f"no answer within {self._timeout:g} seconds") from None
            except httpx2.HTTPError as error:
                message = self._key.masked(str(error)) or type(error).__name__
                raise CallError("transport", f"connection failed: {shown(message, 200)}") from None
            # a gateway may echo what it was sent
            text = self._key.masked(response.text)
            if response.status_code == 400 and self._can_leave_out(text, body):
                continue
            if response.status_code != 200:
                raise status_error(response.status_code, _message(text), response.headers)
            return self._reply(text, body)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _http(self) -> httpx2.AsyncClient:
        if self._client is None:
            self._client = httpx2.AsyncClient(
                base_url=self.identity["base_url"],
                headers={"Content-Type": "application/json"}
                | ({"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}),
                timeout=self._timeout,
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
            )
        return self._client

    def _can_leave_out(self, text: str, body: Mapping[str, Any]) -> bool:
        said = _message(text).casefold()
        for parameter, names in _OPTIONAL.items():
            if parameter in body and any(name in said for name in names):
                self._left_out.add(parameter)
                return True
        return False

    def _reply(self, text: str, body: Mapping[str, Any]) -> Reply:
        try:
            answer = json.loads(text)
            choice = answer["choices"][0]
            message = choice["message"]
            content, declined = message.get("content"), message.get("refusal")
            if not isinstance(content, str | None):
                content = "".join(part.get("text") or "" for part in content)
            finish = "refusal" if declined else _FINISH.get(str(choice.get("finish_reason")), "stop")
            usage = answer.get("usage") or {}
            return Reply(
                text=content or declined or "",
                finish=finish,
                usage=Usage(counted(usage.get("prompt_tokens")), counted(usage.get("completion_tokens"))),
                sent={name: value for name, value in body.items() if name not in ("messages", "model")},
                model=str(answer["model"]) if answer.get("model") else None,
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise CallError("transport", f"the server's answer is not a chat completion: {shown(text, 120)}") from None


def _message(text: str) -> str:
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
