"""toolkit judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from toolkit.cli import asking, common
from toolkit.texts import many


@click.command()
@click.argument("source", metavar="INPUT", type=common.FILE)
@common.options(
    asking.who,
    click.option("--swap", is_flag=True, help="Compare each item's two answers, in both orders, instead of scoring."),
    asking.prompts,
    asking.limits,
    click.option("--reparse", is_flag=True, help="Read the stored answers again; send nothing."),
    click.option(
        "--on-unparsed",
        type=click.Choice(["leave", "neutral"]),
        default="leave",
        show_default=True,
        help="neutral: give the middle score in a field of its own, which never counts in agreement.",
    ),
    click.option("--keep-clamped", is_flag=True, help="Count a score one step off the scale as the end of the scale."),
    common.rename,
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
    from toolkit.judging.summary import as_json, nothing_scored

    out = out or source.with_name(f"{source.stem}.judged.jsonl")
    store = store or out.with_name(f"{out.name}.calls.sqlite")
    order = _order(source, given)
    if given["dry_run"]:
        asking.say_estimate(dry_run(order, store), as_json=given["as_json"])
        return
    bar = asking.Bar(quiet=given["quiet"])
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
        raise nothing_scored(done)


def _order(source: Path, given: dict[str, Any]) -> Any:
    from toolkit.jobs.judge import Order

    rubric, language = asking.rubric_of(given)
    kinds = [name for name in ("swap", "failure", "criteria") if given[name]]
    if len(kinds) > 1:
        raise click.UsageError(f"--{kinds[0]} and --{kinds[1]} are different kinds of judging; choose one")
    return Order(
        source=source,
        judges=asking.judges(given),
        rubric=rubric,
        language_code=language,
        pairwise=given["swap"],
        limits=asking.limits_of(given),
        prices=given["prices"],
        on_unparsed=given["on_unparsed"],
        keep_clamped=given["keep_clamped"],
        reparse=given["reparse"],
        rename=given["rename"],
        **{name: given[name] for name in asking.PROMPT_FIELDS},
    )


def _say(done: Any) -> None:
    tally = done.session.tally
    total = len(done.session.results)
    click.echo(f"{done.judge}: {done.scored} of {many(total, 'item')} scored")
    if done.reasons:
        click.echo("  without: " + ", ".join(f"{count} {what}" for what, count in sorted(done.reasons.items())))
    click.echo("  read by: " + (", ".join(f"{n} {m}" for m, n in sorted(done.methods.items())) or "nothing"))
    if (consistent := _consistency(done)) is not None:
        click.echo(f"  position consistency: {consistent}")
    asking.say_spent(tally, done.currency)
    for path in done.files:
        click.echo(f"  {path}")
    if len(done.files) > 1:
        click.echo("  the last file holds the items the judges are not sure of: a sample for people")


def _consistency(done: Any) -> str | None:
    known = [r.verdict.consistent for r in done.session.results if r.verdict.consistent is not None]
    return f"{sum(known)} of {len(known)} comparisons" if known else None
