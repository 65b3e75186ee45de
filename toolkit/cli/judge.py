"""toolkit judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from toolkit.cli import common
from toolkit.cli.make_sheets import parse_rename
from toolkit.judging.providers import NAMES

SHOWN_PROMPTS = 1


@click.command(short_help="Run LLM judges over answers.")
@click.argument("source", metavar="INPUT", type=common.FILE)
@common.options(
    click.option("--provider", type=click.Choice(NAMES), help="Who answers. Keys come from the environment or .env."),
    click.option("--model", help="The model's name, as the provider calls it."),
    click.option("--base-url", help="Address of a server of your own (Ollama, vLLM, LM Studio, a gateway)."),
    click.option("--answers", type=common.FILE, help="replay: recorded answers (columns item_id, text; sample, ...)."),
    click.option("--command", "program", help="command: a program that reads the prompt and writes the answer."),
    click.option("--panel", type=common.FILE, help="Several judges (YAML: judges, aggregate, cascade)."),
    click.option("--samples", type=click.IntRange(1, 1000), help="Ask every question K times. [default: 1]"),
    click.option("--temperature", type=click.FloatRange(0, 2), help="[default: the provider's own]"),
    click.option(
        "--seed",
        type=click.IntRange(0, common.LARGEST_SEED),
        help="Of the first sample; each further one gets the next number.",
    ),
    click.option("--max-tokens", type=click.IntRange(16), help="Longest answer. [default: 2048]"),
    click.option("--swap", is_flag=True, help="Compare each item's two answers, in both orders, instead of scoring."),
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
    click.option("--concurrency", type=click.IntRange(1, 256), default=8, show_default=True, help="Calls at once."),
    click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Calls a minute at most."),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds for one call. [default: 120]"),
    click.option(
        "--tries", type=click.IntRange(1, 20), default=5, show_default=True, help="Tries of one call at most."
    ),
    click.option("--budget", type=click.FloatRange(min=0), help="Spend no more than this, earlier runs included."),
    click.option("--prices", type=common.FILE, help="Price table (YAML: currency, models: NAME: input, output)."),
    click.option("--dry-run", is_flag=True, help="Show the first prompt and an estimate; send and write nothing."),
    click.option("--reparse", is_flag=True, help="Read the stored answers again; send nothing."),
    click.option(
        "--on-unparsed",
        type=click.Choice(["leave", "neutral"]),
        default="leave",
        show_default=True,
        help="neutral: give the middle score in a field of its own, which never counts in agreement.",
    ),
    click.option("--keep-clamped", is_flag=True, help="Count a score one step off the scale as the end of the scale."),
    click.option(
        "--map", "rename", multiple=True, callback=parse_rename, metavar="FIELD=COLUMN", help="As in make-sheets."
    ),
    click.option("--store", type=common.FILE, help="Store of calls. [default: OUT.calls.sqlite]"),
    click.option("-o", "--out", type=common.FILE, help="Judged records (JSONL). [default: INPUT.judged.jsonl]"),
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(source: Path, out: Path | None, store: Path | None, **given: Any) -> None:
    """Run LLM judges over the answers in INPUT and write judged records.

    Every answer is stored as it comes (OUT.calls.sqlite): run the same command again (with --force once OUT is
    there), and only what has no answer yet is asked. An answer from which no score can be read for certain has none:
    it is counted and shown, and left out of agreement.

    \b
    --prices FILE     currency: USD
                      models: {NAME: {input: 0.10, output: 0.40}}
                      (for a million tokens)
    --panel FILE      aggregate: median       (or majority)
                      cascade: 0.8            (optional: ask the next judge
                                              only below this confidence)
                      judges:
                        - {provider: gemini, model: NAME, samples: 3}
                        - {provider: openai, model: NAME, base_url: URL}
    --criteria FILE   criteria:
                        - {name: clarity, description: TEXT, weight: 2}
    """  # noqa: D301 - the backslash is click's
    from toolkit.jobs.judge import dry_run, judge
    from toolkit.judging.summary import as_json

    out = out or source.with_name(f"{source.stem}.judged.jsonl")
    store = store or out.with_name(f"{out.name}.calls.sqlite")
    order = _order(source, given)
    if given["dry_run"]:
        _say_estimate(dry_run(order, store), as_json=given["as_json"])
        return
    bar = _Bar(quiet=given["quiet"])
    try:
        done = judge(order, out, store, force=given["force"], progress=bar.show if bar.wanted else None)
    finally:
        bar.end()
    common.say_warnings(done.warnings, quiet=given["quiet"], verbose=given["verbose"])
    if given["as_json"]:
        common.say_json(as_json(done))
    else:
        _say(done)
    if not done.scored:
        _nothing(done)


def _order(source: Path, given: dict[str, Any]) -> Any:
    from toolkit.jobs.judge import Order
    from toolkit.judging.limits import Limits
    from toolkit.rubrics import default_rubric, read_rubric

    rubric = read_rubric(given["rubric"]) if given["rubric"] else default_rubric(given["lang"] or "en")
    language = given["lang"] or (rubric.language if rubric.language in common.LANGUAGES else "en")
    kinds = [name for name in ("swap", "failure", "criteria") if given[name]]
    if len(kinds) > 1:
        raise click.UsageError(f"--{kinds[0]} and --{kinds[1]} are different kinds of judging; choose one")
    return Order(
        source=source,
        judges=_judges(given),
        rubric=rubric,
        language_code=language,
        strictness=given["strictness"],
        suggestion=given["suggestion"],
        pairwise=given["swap"],
        failure=given["failure"],
        criteria=given["criteria"],
        examples=given["examples"],
        prompts=given["prompts"],
        unit=given["unit"],
        limits=Limits(
            concurrency=given["concurrency"],
            per_minute=given["rate"],
            tries=given["tries"],
            budget=given["budget"],
        ),
        prices=given["prices"],
        on_unparsed=given["on_unparsed"],
        keep_clamped=given["keep_clamped"],
        reparse=given["reparse"],
        rename=given["rename"],
    )


def _judges(given: dict[str, Any]) -> Any:
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


def _say(done: Any) -> None:
    tally = done.session.tally
    total = len(done.session.results)
    click.echo(f"{done.judge}: {done.scored} of {total} items have a score")
    if done.reasons:
        click.echo("  without: " + ", ".join(f"{count} {what}" for what, count in sorted(done.reasons.items())))
    click.echo("  read by: " + (", ".join(f"{n} {m}" for m, n in sorted(done.methods.items())) or "nothing"))
    if (consistent := _consistency(done)) is not None:
        click.echo(f"  position consistency: {consistent}")
    made = f"{tally.answered} made, {tally.stored} from the store, {tally.failed} failed, {tally.retries} retries"
    click.echo(f"  calls:   {made}")
    tokens = f"{tally.input_tokens} tokens in, {tally.output_tokens} out"
    cost = "cost unknown (no price)" if tally.unknown_cost else f"{tally.cost:.4f} {done.currency}"
    click.echo(f"  spent:   {tokens}, {cost}")
    for path in done.files:
        click.echo(f"  {path}")
    if len(done.files) > 1:
        click.echo("  the last file holds the items the judges are not sure of: a sample for people")


def _consistency(done: Any) -> str | None:
    known = [r.verdict.consistent for r in done.session.results if r.verdict.consistent is not None]
    return f"{sum(known)} of {len(known)} comparisons" if known else None


def _nothing(done: Any) -> None:
    from toolkit.errors import Problem, ToolkitError

    what = f"not one of {len(done.session.results)} items has a score"
    raise ToolkitError(Problem(what, "see the warnings; the answers are stored and can be read again with --reparse"))


def _say_estimate(estimate: Any, *, as_json: bool) -> None:
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
        click.echo(f"{one.judge.name}: {len(one.calls)} calls, {len(one.waiting)} of them not answered yet")
    click.echo(f"about {estimate.input_tokens} tokens in")
    if estimate.cost is None:
        click.echo("cost unknown: give a table of prices with --prices")
    else:
        click.echo(f"about {estimate.cost:.4f} {estimate.currency}, at most about {estimate.most:.4f}")


class _Bar:
    """Progress on a terminal, and none anywhere else."""

    def __init__(self, *, quiet: bool):
        self.wanted = sys.stderr.isatty() and not quiet
        self._shown = False

    def show(self, tally: Any) -> None:
        """Draw it anew."""
        self._shown = True
        cost = f", {tally.cost:.4f} spent" if tally.cost else ""
        line = f"\r{tally.done} of {tally.planned} calls, {tally.per_minute:.0f} a minute, {tally.failed} failed{cost} "
        click.echo(line, nl=False, err=True)

    def end(self) -> None:
        """Leave the line."""
        if self._shown:
            click.echo(err=True)
