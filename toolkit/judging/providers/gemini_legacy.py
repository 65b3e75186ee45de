"""Gemini through google-generativeai, whose support has ended (extra `gemini-legacy`)."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.judging.keys import Secret
from toolkit.judging.provider import CallError, Parameter, Reply, Request, Usage
from toolkit.judging.providers.gemini import finish_of
from toolkit.judging.providers.http import status_error

THREADS = 64


class GeminiLegacy:
    """The older package, in threads over REST.

    It has no seed. It sends a schema's keys in its own order, so that the score may come before its justification:
    JSON is asked for, the schema is not sent, and the prompt alone says in which order to write.
    """

    name = "google-generativeai"
    capabilities: frozenset[Parameter] = frozenset(("temperature",))
    notices: tuple[str, ...] = (
        "Google's support for google-generativeai ended on 2025-11-30; --provider gemini replaces it",
    )

    def __init__(self, model: str, base_url: str | None, key: Secret, timeout: float):
        """Set the package up.

        Raises:
            ToolkitError: When it is not installed.
        """
        try:
            with warnings.catch_warnings():
                # both packages say on import what `notices` says once
                warnings.simplefilter("ignore")
                import google.generativeai as legacy
                from google.api_core import exceptions
        except ImportError as error:
            raise ToolkitError(
                Problem(
                    "provider google-generativeai needs the package of that name",
                    "pip install 'toolkit[gemini-legacy]', or better: use --provider gemini",
                )
            ) from error
        self.model = model
        self.identity: Mapping[str, str] = {"base_url": base_url} if base_url else {}
        self._key, self._timeout, self._legacy, self._exceptions = key, timeout, legacy, exceptions
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="gemini")
        # setting the package up is global to the process: one base URL and key at a time
        legacy.configure(
            api_key=key.reveal() or "none",
            transport="rest",
            client_options={"api_endpoint": base_url} if base_url else None,
        )

    def config(self, request: Request) -> dict[str, Any]:
        """Return the generation configuration of one call."""
        config: dict[str, Any] = {"max_output_tokens": request.max_tokens}
        if request.temperature is not None:
            config["temperature"] = request.temperature
        if request.schema is not None:
            config["response_mime_type"] = "application/json"
        return config

    async def send(self, request: Request) -> Reply:
        """Send one request in a thread."""
        try:
            async with asyncio.timeout(self._timeout + 1):
                return await asyncio.get_running_loop().run_in_executor(self._threads, self._send, request)
        except TimeoutError:
            raise CallError("transport", f"no answer within {self._timeout:g} seconds") from None

    async def close(self) -> None:
        """Let the threads go."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _send(self, request: Request) -> Reply:
        config = self.config(request)
        model = self._legacy.GenerativeModel(self.model, system_instruction=request.system or None)
        try:
            response = model.generate_content(
                request.prompt,
                generation_config=config,
                request_options={"timeout": self._timeout, "retry": None},
            )
            reply = _reply(response, config)
            return replace(reply, text=self._key.masked(reply.text))
        except CallError:
            raise
        except self._exceptions.GoogleAPICallError as error:
            headers = getattr(error.response, "headers", None) or {}
            message = self._key.masked(str(error.message))
            raise status_error(int(error.code or 500), message, headers) from None
        except Exception as error:
            # requests, proto and json exceptions come through as they are
            said = shown(self._key.masked(str(error)), 200)
            raise CallError("transport", f"{type(error).__name__}: {said}") from None


def _reply(response: Any, config: dict[str, Any]) -> Reply:
    usage = response.usage_metadata
    spent = Usage(usage.prompt_token_count or None, usage.candidates_token_count or None)
    if not response.candidates:
        if not response.prompt_feedback.block_reason:
            raise CallError("transport", "the answer holds no candidate")
        return Reply("", "refusal", spent, config)
    candidate = response.candidates[0]
    text = "".join(part.text for part in candidate.content.parts)
    return Reply(text, finish_of(candidate.finish_reason.name), spent, config)
