"""toolkit sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli import common
from toolkit.sampling import MOST_WANTED
from toolkit.texts import many

if TYPE_CHECKING:
    from toolkit.jobs.sample import Sampled
    from toolkit.model import Scale
    from toolkit.sampling.strata import Allocation

STRATA_SHOWN = 30
COUNT = click.IntRange(1, MOST_WANTED)
ALLOCATIONS = ("equal", "proportional", "neyman")


def parse_names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return the names in `dimension,model`."""
    if value is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    if not names:
        raise click.BadParameter("names no column", ctx=ctx, param=param)
    return names


def ordinal_scale(text: str) -> Scale:
    """Return the scale a user names, which must be of numbers in order.

    Raises:
        ToolkitError: When it names none.
    """
    from toolkit.errors import Problem, ToolkitError
    from toolkit.rubrics import parse_scale

    scale = parse_scale(text)
    if scale.kind != "ordinal":
        raise ToolkitError(Problem("--scale must be of numbers in order", "write 1-5, or 0,1", value=text))
    return scale


@click.command("sample")
@click.argument("logs", nargs=-1, metavar="[LOG]...")
@common.options(
    click.option(
        "--connect", metavar="URL", help="A database instead of files: duckdb://, bigquery://, snowflake://..."
    ),
    click.option("--table", metavar="NAME", help="The table (--connect, SQLite) or sheet (XLSX)."),
    click.option("--by", callback=parse_names, metavar="COLUMNS", help="Strata. [default: dimension]"),
    click.option("--per-stratum", type=COUNT, metavar="N", help="Records per stratum. [default: 10]"),
    click.option("-n", "--total", type=COUNT, metavar="N", help="Records in all, divided over the strata."),
    click.option(
        "--allocation",
        default="proportional",
        show_default=True,
        metavar="HOW",
        help="equal, proportional, neyman, or a table with the strata's columns and n.",
    ),
    click.option("--mix-scores", is_flag=True, help="Spread each stratum over the judge's scores: not only extremes."),
    click.option("--problem-share", type=common.Number(0, 1), metavar="SHARE", help="Share of problem cases, 0 to 1."),
    click.option(
        "--problem", "problems", multiple=True, metavar="SQL", help="Also a problem case: 'CAST(bleu AS DOUBLE) < 0.2'."
    ),
    click.option(
        "--judges",
        callback=parse_names,
        metavar="COLUMNS",
        help="Also: two of judge_score and these judges' scores two or more points apart.",
    ),
    click.option(
        "--metrics",
        callback=parse_names,
        metavar="COLUMNS",
        help="Also: one of these metrics disagrees with the judge.",
    ),
    click.option(
        "--unlike",
        "similarity",
        type=common.Number(0.05, 1),
        metavar="SIMILARITY",
        help="Of prompts this similar (0.8 is usual) take one only.",
    ),
    click.option("--where", metavar="SQL", help="Only records like this: 'judge_score >= 4'."),
    click.option(
        "--exclude", multiple=True, type=common.FILE, help="Leave out its items (calibration, few-shot examples)."
    ),
    click.option("--dimension", metavar="NAME", help="The dimension of all records, where the log has none."),
    click.option(
        "--id", "id_from", callback=parse_names, metavar="COLUMNS", help="Columns that together identify a record."
    ),
    common.rename,
    click.option(
        "--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="The scale of the judge's scores."
    ),
    click.option(
        "-o",
        "--out",
        type=common.FILE,
        default=Path("sample.jsonl"),
        show_default=True,
        help="The sample, as JSON Lines.",
    ),
    common.seed,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(
    logs: tuple[str, ...],
    connect: str | None,
    table: str | None,
    by: tuple[str, ...] | None,
    per_stratum: int | None,
    total: int | None,
    allocation: str,
    mix_scores: bool,
    problem_share: float | None,
    problems: tuple[str, ...],
    judges: tuple[str, ...] | None,
    metrics: tuple[str, ...] | None,
    similarity: float | None,
    where: str | None,
    exclude: tuple[Path, ...],
    dimension: str | None,
    id_from: tuple[str, ...] | None,
    rename: dict[str, str],
    scale: str,
    out: Path,
    seed: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Draw the records that people will score from a judged log of any size.

    LOG is CSV, JSON Lines, Parquet, XLSX, JSON or SQLite: files, folders or patterns in quotes ('logs/*.parquet').
    With --connect the log stays in its database; only counts and the chosen records come here.

    Which records are chosen follows from the seed and each record's identifier alone. The sample carries stratum,
    inclusion_probability and weight; NAME_report.json beside it shows the sample against the log.
    """
    if bool(logs) == bool(connect):
        raise click.UsageError("name a log: files, or --connect URL with --table NAME")
    if connect and not table:
        raise click.UsageError("--connect needs --table")
    if per_stratum and (total or allocation not in ("proportional", "equal")):
        raise click.UsageError(
            "--per-stratum takes the same number from each stratum: no -n and no --allocation with it"
        )
    if dimension is not None and not dimension.strip():
        raise click.UsageError("--dimension is blank: give the dimension's name")
    if (problems or judges or metrics) and problem_share is None:
        raise click.UsageError("--problem, --judges and --metrics need --problem-share")
    from toolkit.jobs.sample import Wanted, sample
    from toolkit.sampling.files import open_files
    from toolkit.sampling.warehouse import open_table

    named: Allocation | None = allocation if allocation in ALLOCATIONS else None  # type: ignore[assignment]
    if named is None and total:
        raise click.UsageError("a table of targets says how many: no -n with it")
    chosen = common.any_seed(seed)
    wanted = Wanted(
        by=by,
        per_stratum=per_stratum,
        total=total,
        allocation=named or "proportional",
        targets=None if named else Path(allocation),
        mix=mix_scores,
        problem_share=problem_share,
        problems=problems,
        judges=judges or (),
        metrics=metrics or (),
        similarity=similarity,
        where=where,
        exclude=exclude,
        dimension=dimension,
        id_from=id_from or (),
        rename=rename,
    )
    log = open_table(connect, table or "") if connect else open_files(logs, table=table)
    done = sample(log, wanted, out, scale=ordinal_scale(scale), seed=chosen, force=force)
    common.say_warnings(done.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(done.report | {"files": [str(path) for path in done.files], "warnings": list(done.warnings)})
        return
    _say(done, out)


def _say(done: Sampled, out: Path) -> None:
    report, rows = done.report, done.report["rows"]
    counted = ", ".join(f"{n} {key.replace('_', ' ')}" for key, n in rows.items() if n and key not in ("read", "frame"))
    click.echo(f"{many(rows['read'], 'row')} read{f' ({counted})' if counted else ''}, {rows['frame']} to choose from")
    header = ["stratum", "log", "chosen", "probability", "judge mean, log", "chosen", "judge scores, log", "chosen"]
    body = [
        [
            row["stratum"],
            str(row["log"]),
            str(row["chosen"]),
            "-"
            if not row["inclusion_probability"]
            else "-".join(dict.fromkeys(f"{p:.3g}" for p in row["inclusion_probability"])),
            _mean(row["judge_mean_log"]),
            _mean(row["judge_mean_chosen"]),
            _levels(row["levels_log"]),
            _levels(row["levels_chosen"]),
        ]
        for row in report["strata"]
    ]
    click.echo(common.table(header, body[:STRATA_SHOWN]))
    if len(body) > STRATA_SHOWN:
        click.echo(f"and {many(len(body) - STRATA_SHOWN, 'more stratum', 'more strata')}, all in the report")
    click.echo(f"{many(report['chosen'], 'record')}, seed {report['seed']}: {out}")
    click.echo(f"the sample against the log: {done.files[1]}")
    click.echo(f"next: toolkit make-sheets {out} --annotators 3")


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _levels(counts: dict[str, int]) -> str:
    total = sum(counts.values())
    return " ".join(f"{level}:{n / total:.0%}" for level, n in counts.items())
