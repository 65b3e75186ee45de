"""toolkit population."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli import common
from toolkit.cli.sample import parse_names
from toolkit.texts import many

if TYPE_CHECKING:
    from toolkit.jobs.population import Population
    from toolkit.stats.correction import Corrected


@click.command("population")
@click.argument("study", type=common.STUDY)
@common.options(
    click.option(
        "--log", "logs", multiple=True, metavar="LOG", help="The log of the sample: a file, folder or pattern."
    ),
    click.option("--connect", metavar="URL", help="A database instead of files, as in toolkit sample."),
    click.option("--table", metavar="NAME", help="The table (--connect, SQLite) or sheet (XLSX)."),
    click.option("--report", type=common.FILE, help="The report folder. [default: STUDY/report]"),
    click.option("--by", metavar="COLUMN", help="Compare its groups. [default: model]"),
    click.option(
        "--threshold",
        type=common.Number(),
        help="Score from which an answer passes. [default: the second highest; of two, the higher]",
    ),
    click.option("--where", metavar="SQL", help="The condition the sample was drawn with."),
    click.option("--id", "id_from", callback=parse_names, metavar="COLUMNS", help="As in toolkit sample."),
    common.rename,
    click.option("-o", "--out", type=common.FILE, help="Write everything as JSON."),
    common.seed,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(
    study: Path,
    logs: tuple[str, ...],
    connect: str | None,
    table: str | None,
    report: Path | None,
    by: str | None,
    threshold: float | None,
    where: str | None,
    id_from: tuple[str, ...] | None,
    rename: dict[str, str],
    out: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Estimate what people would have scored on the whole log, from the few records they did score.

    The judge's scores of all records help as far as they agree with people's on the records of STUDY
    (prediction-powered inference); beside each estimate stands what the judge alone, and people alone, would say.
    Run consolidate first: the human scores are those of the report. With -o FILE, consolidate --population FILE then
    shows the estimates in the report.
    """
    if bool(logs) == bool(connect):
        raise click.UsageError("name the log: --log FILE, or --connect URL with --table NAME")
    if connect and not table:
        raise click.UsageError("--connect needs --table")
    from toolkit.jobs.population import population
    from toolkit.sampling.files import open_files
    from toolkit.sampling.warehouse import open_table

    log = open_table(connect, table or "") if connect else open_files(logs, table=table)
    done = population(
        study,
        log.called(rename, id_from or ()),
        report=report,
        by=by,
        threshold=threshold,
        where=where,
        out=out,
        seed=seed,
        force=force,
    )
    common.say_warnings(done.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(done.content.model_dump(mode="json", by_alias=True))
    else:
        _say(done)


def _say(done: Population) -> None:
    click.echo(f"estimated: {done.content.estimand}")
    header = ["", "estimate", "95% interval", "judge alone", "people alone", "lambda"]
    for dimension, one in done.estimates.items():
        if one is None:
            click.echo(f"{dimension}: too few records to say anything")
            continue
        click.echo(f"{dimension}: {many(one.n, 'record')} that people scored, {one.frame.scored} that the judge scored")
        rows = [_row(f"share at or above {level:g}", c, percent=True) for level, c in one.shares.items()]
        rows.append(_row("mean score (takes steps for equal)", one.mean))
        rows += [_row(f"mean score, {a} less {b}", c) for (a, b), c in one.differences.items()]
        if one.passes is not None:
            value, (low, high) = one.passes
            text = f"share at or above {one.threshold:g} (Rogan-Gladen)"
            rows.append([text, f"{value:.1%}", f"{low:.1%} to {high:.1%}", "", "", ""])
        click.echo(common.table(header, rows, indent="  "))
    for path in done.files:
        click.echo(f"written: {path}; toolkit consolidate STUDY --population {path} shows it in the report")


def _row(name: str, one: Corrected, *, percent: bool = False) -> list[str]:
    form = "z.1%" if percent else "z.2f"
    low, high = one.ci95
    numbers = [format(value, form) for value in (one.value, low, high, one.judge, one.people)]
    return [name, numbers[0], f"{numbers[1]} to {numbers[2]}", numbers[3], numbers[4], f"{one.power:.2f}"]
