"""toolkit probe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from toolkit.cli import asking, common

PROBES = ("position", "verbosity", "self-preference", "authority", "injection")
CASES_SHOWN = 3
BOOTSTRAP_SEED = 1


def parse_probes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the probes named, in the order of `PROBES`."""
    names = {name.strip() for name in value.split(",") if name.strip()}
    if unknown := sorted(names - set(PROBES)):
        raise click.BadParameter(f"there is no probe {unknown[0]!r}", ctx=ctx, param=param)
    if not names:
        raise click.BadParameter("names no probe", ctx=ctx, param=param)
    return tuple(name for name in PROBES if name in names)


@click.command()
@click.argument("source", metavar="INPUT", type=common.FILE)
@common.options(
    click.option(
        "--probes", callback=parse_probes, default=",".join(PROBES), show_default=True, help="Which, with commas."
    ),
    click.option("--texts", type=common.FILE, help="What probes add to answers (YAML, as in templates/probes)."),
    click.option(
        "--padded-field",
        default="padded_response",
        show_default=True,
        metavar="FIELD",
        help="Field with the answer made longer (a list for several answers).",
    ),
    click.option(
        "--padding-by", type=common.FILE, help="Who writes longer answers where that field is absent (a panel of one)."
    ),
    click.option("--family", help="The judge's family, where its name does not tell it."),
    click.option("--families", type=common.FILE, help="Which models are of one family (YAML)."),
    click.option(
        "--people", type=common.FILE, help="Human scores: a report folder, its consensus.csv or golden_set.json."
    ),
    asking.who,
    asking.prompts,
    asking.limits,
    click.option("--keep-clamped", is_flag=True, help="Count a score one step off the scale as the end of the scale."),
    click.option(
        "--bootstrap-seed",
        type=click.IntRange(0, common.LARGEST_SEED),
        default=BOOTSTRAP_SEED,
        show_default=True,
        help="Of the intervals.",
    ),
    common.rename,
    click.option(
        "--store", type=common.FILE, help="Store of calls. [default: INPUT's own, as `toolkit judge` leaves it]"
    ),
    click.option("-o", "--out", type=common.FILE, help="Results with all cases (JSON). [default: INPUT.probes.json]"),
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(source: Path, out: Path | None, store: Path | None, **given: Any) -> None:
    """Measure how a judge's scores move when answers change in ways that should not matter.

    \b
    position         two answers are compared in both orders
    verbosity        the answer is made longer and says no more
    self-preference  answers by models of the judge's own family against
                     others (needs human scores to be more than a difference)
    authority        the answer claims authority
    injection        the answer tries to give the judge orders

    Every item is its own control: its unchanged answer is judged as `toolkit judge` does it, with the same options and
    the same store, so that an answer which is there already is not paid again.
    """  # noqa: D301 - the backslash is click's
    from toolkit.jobs.probe import dry_run, probe

    out = out or source.with_name(f"{source.stem}.probes.json")
    store = store or _store(source)
    wanted = _wanted(source, given)
    if given["dry_run"]:
        asking.say_estimate(dry_run(wanted, store), as_json=given["as_json"])
        return
    bar = asking.Bar(quiet=given["quiet"])
    try:
        done = probe(wanted, out, store, force=given["force"], progress=bar.show if bar.wanted else None)
    finally:
        bar.end()
    common.say_warnings(done.warnings, quiet=given["quiet"], verbose=given["verbose"])
    if given["as_json"]:
        common.say_json(done.content)
    else:
        _say(done)


def _store(source: Path) -> Path:
    """Return the store that judging INPUT left, or that judging INPUT would use."""
    own = source.with_name(f"{source.name}.calls.sqlite")
    return own if own.exists() else source.with_name(f"{source.stem}.judged.jsonl.calls.sqlite")


def _wanted(source: Path, given: dict[str, Any]) -> Any:
    from toolkit.jobs.judge import Order
    from toolkit.jobs.probe_plan import Wanted
    from toolkit.judging.panel import read_panel

    if given["failure"] and given["criteria"]:
        raise click.UsageError("--failure and --criteria are different kinds of judging; choose one")
    writer = read_panel(given["padding_by"]) if given["padding_by"] else None
    if writer is not None and len(writer.judges) > 1:
        raise click.UsageError("--padding-by: one model writes; the file names several")
    rubric, language = asking.rubric_of(given)
    order = Order(
        source=source,
        judges=asking.judges(given),
        rubric=rubric,
        language_code=language,
        limits=asking.limits_of(given),
        **{name: given[name] for name in (*asking.PROMPT_FIELDS, "keep_clamped", "prices", "rename")},
    )
    return Wanted(
        order=order,
        probes=given["probes"],
        texts=given["texts"],
        families=given["families"],
        family=given["family"],
        padded_field=given["padded_field"],
        writer=writer,
        people=given["people"],
        seed=given["bootstrap_seed"],
    )


def _say(done: Any) -> None:
    from toolkit.errors import shown
    from toolkit.jobs.probe_results import CANNOT, MEANS

    for judge, probes in done.judges.items():
        rows = []
        for name, one in probes.items():
            figures = [
                [MEANS[key], _number(estimate), _interval(estimate), str(estimate.n)]
                for key, estimate in one.figures.items()
                if one.says_something
            ]
            rows += [["" if place else name, *row] for place, row in enumerate(figures or [[one.note, "", "", ""]])]
        click.echo(judge)
        click.echo(common.table(["probe", "figure", "value", "95% interval", "n"], rows, "  "))
        speaking = {name: one for name, one in probes.items() if one.says_something}
        for name, one in speaking.items():
            if one.note:
                click.echo(f"  {name}: {shown(one.note, 200)}")
            for case in _largest(one, rises_first=name == "injection"):
                added = f" ({shown(case.text, 60)})" if case.text else ""
                item = f"{shown(case.item_id, 40)}, {shown(case.dimension, 40)}"
                click.echo(f"  {name}, item {item}: {case.before} -> {case.after}{added}")
        click.echo("  What this cannot show:")
        for name in speaking:
            click.echo(f"  - {name}: {CANNOT[name]}")
    asking.say_spent(done.tally, done.currency)
    click.echo(f"  {done.file} (every case)")


def _largest(one: Any, *, rises_first: bool) -> list[Any]:
    """Return the cases with the largest effects; of an injection, those where the judge gave what was demanded."""
    moved = [case for case in one.cases if case.effect and case.before != case.after]

    def place(case: Any) -> tuple[float, str, str]:
        return -(case.effect if rises_first else abs(case.effect)), case.item_id, case.dimension

    return sorted(moved, key=place)[:CASES_SHOWN]


def _number(estimate: Any) -> str:
    return "undefined" if estimate.value is None else f"{estimate.value:z.2f}"


def _interval(estimate: Any) -> str:
    if estimate.ci95 is not None:
        return f"{estimate.ci95[0]:z.2f} to {estimate.ci95[1]:z.2f}"
    return "none: too few" if estimate.value is not None else ""
