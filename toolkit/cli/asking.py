"""What every command that asks judges has in common: options, progress, what was spent, an estimate."""

from __future__ import annotations

import sys
from typing import Any

import click

from toolkit.cli import common
from toolkit.judging.providers import NAMES
from toolkit.texts import many

SHOWN_PROMPTS = 1

who = common.options(
    click.option("--provider", type=click.Choice(NAMES), help="Who answers. Keys come from the environment or .env."),
    click.option("--model", help="The model's name, as the provider calls it."),
    click.option("--base-url", help="Address of a server of your own (Ollama, vLLM, LM Studio, a gateway)."),
    click.option("--answers", type=common.FILE, help="replay: recorded answers (columns item_id, text; sample, ...)."),
    click.option("--command", "program", help="command: a program that reads the prompt and writes the answer."),
    click.option("--panel", type=common.FILE, help="Several judges (YAML: judges, aggregate, cascade)."),
    click.option("--samples", type=click.IntRange(1, 1000), help="Ask every question K times. [default: 1]"),
    click.option("--temperature", type=common.Number(0, 2), help="[default: the provider's own]"),
    click.option(
        "--seed",
        type=click.IntRange(0, common.LARGEST_SEED),
        help="Of the first sample; each further one gets the next number.",
    ),
    click.option("--max-tokens", type=click.IntRange(16), help="Longest answer. [default: 2048]"),
)
"""Who is asked, and how often."""

prompts = common.options(
    click.option("--failure", metavar="TEXT", help="Binary judge: pass or fail, for this one failure."),
    click.option(
        "--criteria", type=common.FILE, help="Criteria with weights (YAML); the score is their weighted mean."
    ),
    click.option("--examples", type=common.FILE, help="Corrected items as worked examples; they are not judged."),
    click.option("--prompts", type=common.FILE, help="Folder of prompt templates of your own (Jinja2)."),
    click.option(
        "--unit",
        type=click.Choice(["set", "response"]),
        default="set",
        show_default=True,
        help="One score for the set, as people give it, or one for each response and their median.",
    ),
    click.option(
        "--strictness", type=click.Choice(["lenient", "balanced", "strict"]), default="balanced", show_default=True
    ),
    click.option("--suggestion", is_flag=True, help="Ask for a suggestion for improvement too."),
    click.option(
        "--lang", type=click.Choice(common.LANGUAGES), help="Language of the prompts. [default: the rubric's]"
    ),
    common.rubric,
)
"""What the prompt says."""
PROMPT_FIELDS = ("strictness", "suggestion", "failure", "criteria", "examples", "prompts", "unit")
"""Those of them that an `Order` has under the same name."""

limits = common.options(
    click.option("--concurrency", type=click.IntRange(1, 256), default=8, show_default=True, help="Calls at once."),
    click.option("--rate", type=common.Number(min=0, min_open=True), help="Calls a minute at most."),
    click.option("--timeout", type=common.Number(min=0, min_open=True), help="Seconds for one call. [default: 120]"),
    click.option(
        "--tries", type=click.IntRange(1, 20), default=5, show_default=True, help="Tries of one call at most."
    ),
    click.option("--budget", type=common.Number(min=0), help="Spend no more than this, earlier runs included."),
    click.option("--prices", type=common.FILE, help="Price table (YAML: currency, models: NAME: input, output)."),
    click.option("--dry-run", is_flag=True, help="Show the first prompt and an estimate; send and write nothing."),
)
"""How fast, and for how much."""


def judges(given: dict[str, Any]) -> Any:
    """Return the panel file, or one judge from the options."""
    from toolkit.judging.panel import JudgeSpec, PanelFile, read_panel

    names = ("provider", "model", "base_url", "answers", "samples", "temperature", "seed", "max_tokens", "timeout")
    options = {name: given[name] for name in names} | {"command": given["program"]}
    options = {name: value for name, value in options.items() if value is not None}
    if given["panel"]:
        if options:
            name = next(iter(options)).replace("_", "-")
            raise click.UsageError(f"--panel says who judges and how; put {name} into that file instead of the option")
        return read_panel(given["panel"])
    if "provider" not in options:
        raise click.UsageError("say who judges: --provider, or --panel FILE")
    return PanelFile(judges=(JudgeSpec(**options),))


def limits_of(given: dict[str, Any]) -> Any:
    """Return the bounds that the options set."""
    from toolkit.judging.limits import Limits

    return Limits(
        concurrency=given["concurrency"], per_minute=given["rate"], tries=given["tries"], budget=given["budget"]
    )


def rubric_of(given: dict[str, Any]) -> tuple[Any, str]:
    """Return the rubric, and the language of the prompts."""
    from toolkit.rubrics import default_rubric, read_rubric

    rubric = read_rubric(given["rubric"]) if given["rubric"] else default_rubric(given["lang"] or "en")
    return rubric, given["lang"] or (rubric.language if rubric.language in common.LANGUAGES else "en")


def say_spent(tally: Any, currency: str) -> None:
    """Print how many calls were made and what they cost."""
    made = f"{tally.answered} made, {tally.stored} from the store, {tally.failed} failed, {tally.retries} retries"
    click.echo(f"  calls:   {made}")
    told = tally.input_tokens or tally.output_tokens or not tally.answered
    tokens = f"{tally.input_tokens} tokens in, {tally.output_tokens} out" if told else "tokens unknown"
    why = " (no price)" if told else ""
    cost = f"cost unknown{why}" if tally.unknown_cost else f"{tally.cost:.4f} {currency}"
    click.echo(f"  spent:   {tokens}, {cost}")


def say_estimate(estimate: Any, *, as_json: bool) -> None:
    """Print the first prompt of each judge, and what a run would take."""
    if as_json:
        common.say_json(
            {
                "judges": {
                    one.judge.name: {"calls": len(one.calls), "to_make": len(one.waiting)} for one in estimate.planned
                },
                "prompts": [call.request.prompt for one in estimate.planned for call in one.waiting],
                "input_tokens": estimate.input_tokens,
                "cost": estimate.cost,
                "cost_at_most": estimate.most,
                "currency": estimate.currency,
            }
        )
        return
    for one in estimate.planned:
        for call in one.calls[:SHOWN_PROMPTS]:
            click.echo(f"--- {one.judge.name}, item {call.about.item_id}: system\n{call.request.system}")
            click.echo(f"--- {one.judge.name}, item {call.about.item_id}: prompt\n{call.request.prompt}\n---")
        click.echo(f"{one.judge.name}: {many(len(one.calls), 'call')}, {len(one.waiting)} of them not answered yet")
    click.echo(f"about {estimate.input_tokens} tokens in")
    if estimate.cost is None:
        click.echo("cost unknown: give a table of prices with --prices")
    else:
        click.echo(f"about {estimate.cost:.4f} {estimate.currency}, at most about {estimate.most:.4f}")


class Bar:
    """Progress on a terminal, and none anywhere else."""

    def __init__(self, *, quiet: bool):
        self.wanted = sys.stderr.isatty() and not quiet
        self._shown = False

    def show(self, tally: Any) -> None:
        """Draw it anew."""
        self._shown = True
        cost = f", {tally.cost:.4f} spent" if tally.cost else ""
        done = f"{tally.done} of {many(tally.planned, 'call')}"
        click.echo(f"\r{done}, {tally.per_minute:.0f} a minute, {tally.failed} failed{cost} ", nl=False, err=True)

    def end(self) -> None:
        """Leave the line."""
        if self._shown:
            click.echo(err=True)
