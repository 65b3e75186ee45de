"""Gemini through google-genai (extra `gemini`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.judging.keys import Secret
from toolkit.judging.provider import CallError, Finish, Parameter, Reply, Request, Usage
from toolkit.judging.providers.http import status_error

# finish and block reasons that mean: declined
DECLINED = frozenset(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"))


def finish_of(reason: str) -> Finish:
    """Return what one of Gemini's finish reasons means."""
    if reason == "MAX_TOKENS":
        return "length"
    return "refusal" if reason in DECLINED else "stop"


class Gemini:
    """generateContent with a JSON schema whose properties keep their order, and a seed."""

    name = "gemini"
    capabilities: frozenset[Parameter] = frozenset(("temperature", "seed", "schema"))
    notices: tuple[str, ...] = ()

    def __init__(self, model: str, base_url: str | None, key: Secret, timeout: float):
        """Make the client.

        Raises:
            ToolkitError: When the SDK is not installed.
        """
        try:
            from google import genai
            from google.genai import errors, types
        except ImportError as error:
            raise ToolkitError(
                Problem("provider gemini needs the package google-genai", "pip install 'toolkit[gemini]'")
            ) from error
        self.model = model
        self.identity: Mapping[str, str] = {"base_url": base_url} if base_url else {}
        self._api_error, self._key, self._timeout = errors.APIError, key, timeout
        options = types.HttpOptions(
            base_url=base_url,
            timeout=int(timeout * 1000),
            retry_options=types.HttpRetryOptions(attempts=1),
        )
        self._client = genai.Client(api_key=key.reveal() or "none", vertexai=False, http_options=options)

    def config(self, request: Request) -> dict[str, Any]:
        """Return the SDK's configuration of one call."""
        config: dict[str, Any] = {"max_output_tokens": request.max_tokens}
        if request.system:
            config["system_instruction"] = request.system
        if request.temperature is not None:
            config["temperature"] = request.temperature
        if request.seed is not None:
            config["seed"] = request.seed
        if request.schema is not None:
            config["response_mime_type"] = "application/json"
            # Gemini 2.0 writes the properties in alphabetical order unless told otherwise
            config["response_json_schema"] = {
                **request.schema,
                "propertyOrdering": list(request.schema.get("properties", ())),
            }
        return config

    async def send(self, request: Request) -> Reply:
        """Send one request."""
        config = self.config(request)
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._client.aio.models.generate_content(
                    model=self.model, contents=request.prompt, config=config
                )
            return self._reply(response, config)
        except CallError:
            raise
        except TimeoutError:
            raise CallError("transport", f"no answer within {self._timeout:g} seconds") from None
        except self._api_error as error:
            headers = getattr(error.response, "headers", None) or {}
            raise status_error(error.code or 500, self._key.masked(str(error.message)), headers) from None
        except Exception as error:
            # the SDK lets the exceptions of whichever HTTP library it found through
            said = shown(self._key.masked(str(error)), 200)
            raise CallError("transport", f"{type(error).__name__}: {said}") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aio.aclose()

    def _reply(self, response: Any, config: dict[str, Any]) -> Reply:
        usage = response.usage_metadata
        spent = Usage()
        if usage is not None:
            # thinking is billed as output
            answer, thoughts = usage.candidates_token_count, usage.thoughts_token_count or 0
            spent = Usage(usage.prompt_token_count, None if answer is None else answer + thoughts)
        sent = {name: value for name, value in config.items() if name != "system_instruction"}
        if not response.candidates:
            blocked = response.prompt_feedback and response.prompt_feedback.block_reason
            if not blocked:
                raise CallError("transport", "the answer holds no candidate")
            return Reply("", "refusal", spent, sent, response.model_version)
        candidate = response.candidates[0]
        parts = (candidate.content.parts or []) if candidate.content else []
        return Reply(
            text=self._key.masked("".join(part.text or "" for part in parts if not part.thought)),
            finish=finish_of(candidate.finish_reason.name if candidate.finish_reason else "STOP"),
            usage=spent,
            sent=sent,
            model=response.model_version,
        )
