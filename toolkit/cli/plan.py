"""toolkit plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from toolkit.cli import common
from toolkit.cli.planned import as_person_reads, as_program_reads
from toolkit.cli.sample import parse_names

MOST_DESIGNS = 12


def numbers(low: int, high: int) -> Callable[..., tuple[int, ...] | None]:
    """Return a callback that reads whole numbers between two bounds from `2,3,5`."""

    def parse(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
        if value is None:
            return None
        parts = [part.strip() for part in value.split(",")]
        if not all(part.isascii() and part.isdigit() and low <= int(part[:9]) <= high for part in parts):
            what = f"{value!r} is not a number from {low} to {high}, or several of them: 2,3,5"
            raise click.BadParameter(what, ctx=ctx, param=param)
        return tuple(dict.fromkeys(map(int, parts)))

    return parse


def parse_beat(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[tuple[str, float], ...]:
    """Return the figures and values in `kappa=0.6,tpr=0.8`."""
    from toolkit.sampling.simulate import BEATEN

    found: dict[str, float] = {}
    for pair in value.split(",") if value else ():
        name, _, number = (part.strip() for part in pair.partition("="))
        if name not in BEATEN:
            raise click.BadParameter(f"{name!r} is none of {', '.join(BEATEN)}", ctx=ctx, param=param)
        if name in found:
            raise click.BadParameter(f"{name!r} is named twice", ctx=ctx, param=param)
        found[name] = common.Number(0, None if name == "mae" else 1).convert(number, param, ctx)
    return tuple(found.items())


@click.command("plan")
@click.argument("pilot", required=False, type=common.FILE)
@common.options(
    click.option(
        "--annotators",
        callback=numbers(1, 200),
        metavar="NUMBERS",
        help="People; several numbers to compare: 2,3,5. [default: 2,3,5; with PILOT, as many as it has]",
    ),
    click.option(
        "--overlap",
        callback=numbers(1, 10),
        metavar="NUMBERS",
        help="Scores per item, at most as many as annotators; several to compare. [default: all annotators, up to 5]",
    ),
    click.option(
        "--half-width",
        type=common.Number(0.005, 1),
        default=0.10,
        show_default=True,
        help="Wanted, of the 95% intervals.",
    ),
    click.option(
        "--power",
        type=common.Number(0.05, 0.99),
        default=0.8,
        show_default=True,
        help="Wanted: the share of studies with a finding (as good as people, passes the alternative annotator test, "
        "--beat).",
    ),
    click.option(
        "--beat",
        callback=parse_beat,
        metavar="VALUES",
        help="Also the items for a 95% interval wholly above these values (for mae, below): "
        "kappa=0.6,tpr=0.8,tnr=0.8,mae=0.7.",
    ),
    click.option(
        "--kappa",
        type=common.Number(0.01, 0.99),
        default=0.6,
        show_default=True,
        help="Expected: quadratic kappa of judge and one person.",
    ),
    click.option(
        "--people-kappa",
        type=common.Number(0.01, 0.99),
        help="Expected: of two people. [default: --kappa]",
    ),
    click.option(
        "--margins",
        metavar="HOW",
        help="How often people give each level: uniform, skewed (80% on the highest), shares, or a LOG as in toolkit "
        "sample (its judge's). [default: uniform]",
    ),
    click.option("--judge-margins", metavar="HOW", help="How often the judge does. [default: as --margins]"),
    click.option("--connect", metavar="URL", help="--margins from a database, as in toolkit sample."),
    click.option("--table", metavar="NAME", help="The table (--connect, SQLite) or sheet (XLSX) of --margins."),
    common.rename,
    click.option(
        "--metrics",
        callback=parse_names,
        metavar="NAMES",
        help="Some of kappa,mae,ceiling,tpr,tnr,alt-test; the first one's hours are shown. [default: all]",
    ),
    click.option(
        "--threshold",
        type=common.Number(),
        help="Score from which an answer passes (TPR, TNR). [default: the second highest; the higher of two]",
    ),
    click.option(
        "--margin",
        type=common.Number(0, 1),
        default=0.10,
        show_default=True,
        help="How far below people's kappa the judge's still counts as equally good.",
    ),
    click.option("--report", type=common.FILE, help="The report folder of a study. [default: PILOT/report]"),
    click.option("--sample", type=common.FILE, help="A sample, whose words give the time an item takes."),
    click.option(
        "--minutes",
        type=common.Number(0.05, 240),
        help="Minutes per item and person. [default: from the pilot's words, else 2]",
    ),
    common.judged,
    click.option(
        "--scale",
        metavar="SCALE",
        help="Of the scores: 1-5, or two levels (0-1, no,yes). [default: the pilot's, or 1-5]",
    ),
    click.option("-o", "--out", type=common.FILE, help="Write the figure (SVG): items against half-widths."),
    click.option("--lang", type=click.Choice(common.LANGUAGES), default="en", help="Language of the figure."),
    common.seed,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(
    pilot: Path | None,
    annotators: tuple[int, ...] | None,
    overlap: tuple[int, ...] | None,
    half_width: float,
    power: float,
    beat: tuple[tuple[str, float], ...],
    kappa: float,
    people_kappa: float | None,
    margins: str | None,
    judge_margins: str | None,
    connect: str | None,
    table: str | None,
    rename: dict[str, str],
    metrics: tuple[str, ...] | None,
    threshold: float | None,
    margin: float,
    report: Path | None,
    sample: Path | None,
    minutes: float | None,
    judged: Path | None,
    scale: str | None,
    out: Path | None,
    lang: str,
    seed: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Find out how many items, for how many annotators, before anybody is asked for an hour of their time.

    Studies are simulated. Without PILOT, from what is expected: kappas and margins. With PILOT, from what it found: a
    study, its report folder or consensus.csv, or a table of ratings with --judged; after a study this says how many
    more items it would take.

    Several designs (--annotators, --overlap) are compared, a line for each. For one design the answer goes into detail:
    every size from 10 to 500 items.
    """
    from toolkit.jobs import pilot as parts
    from toolkit.jobs.plan import assumed, designs, plan
    from toolkit.jobs.plan_data import Question
    from toolkit.sampling.simulate import METRICS

    unknown = [name for name in metrics or () if name not in METRICS]
    if unknown:
        raise click.UsageError(f"--metrics: {unknown[0]!r} is none of {', '.join(METRICS)}")
    if sample and minutes:
        raise click.UsageError("give --sample or --minutes, not both")
    if connect and (margins or not table):
        raise click.UsageError("--connect needs --table, and takes the place of --margins")
    if pilot and (margins or judge_margins or connect):
        raise click.UsageError("a pilot has its own margins: no --margins, --judge-margins or --connect with it")
    if report and not pilot:
        raise click.UsageError("--report goes with a study: toolkit plan STUDY --report FOLDER")
    if judged and not pilot:
        raise click.UsageError("--judged goes with a table of ratings: toolkit plan RATINGS --judged FILE")
    source = parts.locate(pilot, report) if pilot else None
    of = parts.planned_scale(scale, source.scale if source else None)
    found = parts.read_pilot(source, of, judged) if source else None
    items = parts.texts_of(sample, of) if sample else source.items if source else ()
    question = Question(
        scale=of,
        designs=designs(annotators, overlap, found),
        half_width=half_width,
        power=power,
        beat=beat,
        threshold=of.pass_mark if threshold is None else threshold,
        margin=margin,
        minutes=minutes or parts.minutes_per_item(items) or 2.0,
        metrics=metrics or METRICS,
    )
    if not question.designs:
        raise click.UsageError("--overlap cannot be more than --annotators")
    if len(question.designs) > MOST_DESIGNS:
        raise click.UsageError(f"{len(question.designs)} designs are too many to compare; {MOST_DESIGNS} at most")
    panel = found or assumed(
        of,
        parts.margins(margins or "uniform", of, connect=connect, table=table, rename=rename),
        kappa=kappa,
        people_kappa=people_kappa,
        judge_margins=parts.margins(judge_margins, of, table=table, rename=rename) if judge_margins else None,
    )
    crowded = parts.crowding(items) if items else None
    done = plan(question, panel, seed=common.any_seed(seed), crowded=crowded, out=out, lang=lang, force=force)
    common.say_warnings(done.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(as_program_reads(done))
    else:
        click.echo("\n".join(as_person_reads(done)))
