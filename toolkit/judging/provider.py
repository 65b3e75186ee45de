"""What a provider is: one request in; text, usage, finish reason and what was really sent out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from toolkit.files import canonical_json, sha256

Finish = Literal["stop", "length", "refusal"]
Parameter = Literal["temperature", "seed", "schema"]
# transport: no answer came (429, 5xx, time-out, broken connection); worth another try.
# rejected: the provider refuses this request as it stands. fatal: it would refuse every other one too.
FailureKind = Literal["transport", "rejected", "fatal"]
# more than any call takes, and small enough for a database
_MOST_TOKENS = 10**12


@dataclass(frozen=True, slots=True)
class About:
    """What a call is about; for the store and for `replay`, never sent to anybody."""

    item_id: str = ""
    dimension: str = ""
    part: str = ""
    order: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        prompt: The question, texts to judge included.
        system: The standing instruction.
        schema: JSON schema of the answer, for providers that have structured output. The order of its properties is
            the order in which the model writes them.
        temperature: As asked; None leaves it to the provider.
        seed: As asked; None leaves it to the provider.
        max_tokens: Longest answer.
        about: What the call is about.
    """

    prompt: str
    system: str = ""
    schema: Mapping[str, Any] | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int = 2048
    about: About = field(default=About(), compare=False)

    @property
    def content(self) -> dict[str, Any]:
        """Everything that can change the answer, for hashing and for the record."""
        return {
            "system": self.system,
            "prompt": self.prompt,
            # as text: the order of the keys matters, and canonical JSON sorts them
            "schema": json.dumps(self.schema) if self.schema is not None else None,
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


def counted(tokens: Any) -> int | None:
    """Return a number of tokens as a server gives it; None for anything that is none."""
    plain = isinstance(tokens, int) and not isinstance(tokens, bool) and 0 <= tokens < _MOST_TOKENS
    return int(tokens) if plain else None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: The answer as it came, unparsed.
        finish: Why it ended: by itself, at the length limit, or because the provider or the model declined.
        usage: Tokens.
        sent: The parameters as they were really sent (temperature, seed, structured output, ...).
        model: The model that answered, in the provider's words, where it says so.
    """

    text: str
    finish: Finish = "stop"
    usage: Usage = Usage()
    sent: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None


class CallError(Exception):
    """No answer came."""

    def __init__(self, kind: FailureKind, message: str, *, retry_after: float | None = None):
        self.kind: FailureKind = kind
        self.retry_after = retry_after
        super().__init__(message)


class Provider(Protocol):
    """A way to reach a model. Adapters do no retrying of their own: the run does, for all of them alike.

    Attributes:
        name: The kind of provider (`openai`, `gemini`, ...).
        model: The model's name.
        capabilities: Which optional parameters it can send at all.
        identity: What else, beside the request, determines the answer (a base URL, a program); part of the hash.
        notices: Things a user should be told once.
    """

    name: str
    model: str
    capabilities: frozenset[Parameter]
    identity: Mapping[str, str]
    notices: tuple[str, ...]

    async def send(self, request: Request) -> Reply:
        """Send one request.

        Raises:
            CallError: When no answer came.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def request_hash(provider: Provider, request: Request) -> str:
    """Return the hash of everything that can change an answer: provider, model, address and the full request."""
    content = request.content | {"system": sha256(request.system), "prompt": sha256(request.prompt)}
    address = {"provider": provider.name, "model": provider.model, "identity": dict(provider.identity)}
    return sha256(canonical_json(address | {"request": content}))
