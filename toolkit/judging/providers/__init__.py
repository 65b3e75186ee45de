"""The providers, each in a module of its own that is imported only when it is used."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from toolkit.errors import Problem, ToolkitError
from toolkit.judging.keys import find_key
from toolkit.judging.provider import Provider

T = TypeVar("T")
NAMES = ("gemini", "google-generativeai", "openai", "anthropic", "replay", "command")
# where each looks for its key, in this order
KEYS = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "google-generativeai": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
}
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """How a user describes a provider.

    Attributes:
        provider: One of `NAMES`.
        model: The model; may be left out for `replay` and `command`.
        base_url: Address of a server other than the provider's own.
        timeout: Seconds one request may take.
        answers: For `replay`, the file of recorded answers.
        command: For `command`, the program and its arguments.
    """

    provider: str
    model: str | None = None
    base_url: str | None = None
    timeout: float = 120.0
    answers: Path | None = None
    command: tuple[str, ...] = field(default=())


def make_provider(spec: ProviderSpec, *, offline: bool = False) -> Provider:
    """Return a provider, ready to send.

    Args:
        spec: What the user asked for.
        offline: Whether nothing will be sent (`--dry-run`, `--reparse`), so that no key is needed.

    Raises:
        ToolkitError: When something it needs is missing: a model, a key, a package, a file.
    """
    if spec.provider == "replay":
        from toolkit.judging.providers.replay import Replay

        return Replay(_needed(spec.answers, "replay", "--answers FILE"), spec.model)
    if spec.provider == "command":
        from toolkit.judging.providers.command import Command

        return Command(_needed(spec.command, "command", "--command 'PROGRAM ARGUMENTS'"), spec.model, spec.timeout)
    if spec.provider not in KEYS:
        raise ToolkitError(Problem(f"there is no provider {spec.provider!r}", f"use one of {', '.join(NAMES)}"))
    model = _needed(spec.model, spec.provider, "--model NAME")
    _check_address(spec.base_url)
    # a server of one's own often wants no key
    optional = offline or (spec.provider == "openai" and spec.base_url is not None)
    key = find_key(KEYS[spec.provider], optional=optional)
    if spec.provider == "openai":
        from toolkit.judging.providers.openai import OpenAI

        return OpenAI(model, spec.base_url or OPENAI_URL, key, spec.timeout)
    if spec.provider == "anthropic":
        from toolkit.judging.providers.anthropic import Anthropic

        return Anthropic(model, spec.base_url, key, spec.timeout)
    if spec.provider == "gemini":
        from toolkit.judging.providers.gemini import Gemini

        return Gemini(model, spec.base_url, key, spec.timeout)
    from toolkit.judging.providers.gemini_legacy import GeminiLegacy

    return GeminiLegacy(model, spec.base_url, key, spec.timeout)


def _check_address(base_url: str | None) -> None:
    """Refuse an address that is none, or that holds a secret: the address of an answer is written down with it.

    Raises:
        ToolkitError: With what is wrong.
    """
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        fix = "write it as in http://localhost:11434/v1"
        raise ToolkitError(Problem("--base-url is not the address of a server", fix))
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        what = "--base-url holds more than an address (a name, a password, or something behind ? or #)"
        raise ToolkitError(Problem(what, "leave it out; a key belongs into the environment or a .env file"))


def _needed(value: T | None, provider: str, option: str) -> T:
    if not value:
        raise ToolkitError(Problem(f"provider {provider} needs {option}", f"give it {option}"))
    return value
