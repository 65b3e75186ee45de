"""What calls cost: a table the user edits, and a limit. A price that is not in the table stays unknown."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolkit.errors import Problem, ToolkitError
from toolkit.judging.provider import Request, Usage
from toolkit.judging.settings import Settings

MILLION = 1_000_000
# characters for a token: few, so that an estimate is rather too high than too low
CHARACTERS = 3
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(Settings):
    """Price of one model, for a million tokens."""

    input: Amount
    output: Amount


class Prices(Settings):
    """The table: `currency`, and `models` with a price each."""

    currency: str = "USD"
    models: dict[str, Price] = Field(default_factory=dict)

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return what a call cost; None when the price or the number of tokens is unknown."""
        price = self.models.get(model)
        if price is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * price.input + usage.output_tokens * price.output) / MILLION

    def most(self, model: str, request: Request) -> float | None:
        """Return about the most a call can cost: its prompt, and an answer of the full length; None when unknown."""
        return self.cost(model, Usage(estimated_tokens(request), request.max_tokens))


def estimated_tokens(request: Request) -> int:
    """Return about how many tokens a request has."""
    return (len(request.prompt) + len(request.system)) // CHARACTERS + 1


class Purse:
    """Keeps a spending limit, with the calls under way counted at the most they can cost."""

    def __init__(self, prices: Prices, budget: float | None, spent: float):
        """Start with what has been spent already; a budget of None is no limit."""
        self.prices, self.budget, self.spent = prices, budget, spent
        self._reserved = 0.0

    def reserve(self, model: str, request: Request) -> float | None:
        """Set money aside for a call; None when there is not enough left.

        Raises:
            ToolkitError: When there is a limit, and no price to keep it by.
        """
        most = self.prices.most(model, request)
        if self.budget is None:
            return 0.0
        if most is None:
            what = f"--budget cannot be kept: the price of {model} is unknown"
            raise ToolkitError(Problem(what, "put it into the table given with --prices"))
        if self.spent + self._reserved + most > self.budget:
            return None
        self._reserved += most
        return most

    def settle(self, model: str, reserved: float, usage: Usage | None) -> float | None:
        """Count what a call really cost; where that is unknown, what was set aside.

        Returns:
            The cost, as far as it is known; 0 for a call without an answer.
        """
        self._reserved -= reserved
        if usage is None:
            return 0.0
        cost = self.prices.cost(model, usage)
        self.spent += reserved if cost is None else cost
        return cost
