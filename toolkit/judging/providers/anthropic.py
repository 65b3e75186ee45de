"""Anthropic's Messages API, through its own SDK (extra `anthropic`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.judging.keys import Secret
from toolkit.judging.provider import CallError, Finish, Parameter, Reply, Request, Usage, counted
from toolkit.judging.providers.http import status_error

_FINISH: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
# the SDK has no argument for a temperature any more, and newer models refuse one; it travels in extra_body
_OPTIONAL = {"extra_body": ("temperature",), "output_config": ("output_config", "output_format", "json_schema")}


class Anthropic:
    """Messages with structured output. There is no seed."""

    name = "anthropic"
    capabilities: frozenset[Parameter] = frozenset(("temperature", "schema"))
    notices: tuple[str, ...] = ()

    def __init__(self, model: str, base_url: str | None, key: Secret, timeout: float):
        """Make the client.

        Raises:
            ToolkitError: When the SDK is not installed.
        """
        try:
            import anthropic
        except ImportError as error:
            raise ToolkitError(
                Problem("provider anthropic needs the package anthropic", "pip install 'toolkit[anthropic]'")
            ) from error
        self.model = model
        self.identity: Mapping[str, str] = {"base_url": base_url} if base_url else {}
        self._sdk, self._key, self._timeout = anthropic, key, timeout
        self._left_out: set[str] = set()
        self._client = anthropic.AsyncAnthropic(
            # an empty key would send the SDK looking for credentials of its own
            api_key=key.reveal() or "none",
            base_url=base_url,
            timeout=timeout,
            max_retries=0,
        )

    def body(self, request: Request) -> dict[str, Any]:
        """Return the SDK's arguments."""
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens,
            "messages": [{"role": "user", "content": request.prompt}],
        }
        if request.system:
            body["system"] = request.system
        if request.temperature is not None:
            body["extra_body"] = {"temperature": request.temperature}
        if request.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
        return {name: value for name, value in body.items() if name not in self._left_out}

    async def send(self, request: Request) -> Reply:
        """Send one request; a parameter that the model refuses is left out, and said in `sent`."""
        while True:
            body = self.body(request)
            try:
                async with asyncio.timeout(self._timeout):
                    message = await self._client.messages.create(**body)
                return self._reply(message, body)
            except (TimeoutError, self._sdk.APITimeoutError):
                raise CallError("transport", f"no answer within {self._timeout:g} seconds") from None
            except self._sdk.APIStatusError as error:
                said = self._key.masked(error.message)
                if error.status_code == 400 and self._can_leave_out(said, body):
                    continue
                raise status_error(error.status_code, said, error.response.headers) from None
            except self._sdk.APIError as error:
                said = shown(self._key.masked(str(error)), 200)
                raise CallError("transport", f"connection failed: {said}") from None
            except (ValueError, TypeError, AttributeError) as error:
                raise CallError("transport", f"the answer is not a message ({type(error).__name__})") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _can_leave_out(self, message: str, body: Mapping[str, Any]) -> bool:
        for argument, names in _OPTIONAL.items():
            if argument in body and any(name in message.casefold() for name in names):
                self._left_out.add(argument)
                return True
        return False

    def _reply(self, message: Any, body: Mapping[str, Any]) -> Reply:
        sent = {name: value for name, value in body.items() if name not in ("model", "messages", "system")}
        return Reply(
            text=self._key.masked("".join(block.text for block in message.content if block.type == "text")),
            finish=_FINISH.get(str(message.stop_reason), "stop"),
            usage=Usage(counted(message.usage.input_tokens), counted(message.usage.output_tokens)),
            sent=sent | sent.pop("extra_body", {}),
            model=str(message.model) if message.model else None,
        )
