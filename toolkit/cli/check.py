"""toolkit check."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.cli import common, online


@click.command("check", short_help="Name every problem of filled workbooks, change nothing.")
@click.argument("study", type=common.FILE)
@click.argument("filled", type=common.FILE, nargs=-1, metavar="[FILE_OR_FOLDER]...")
@common.options(
    click.option(
        "--annotated",
        type=common.FILE,
        metavar="COPY.xlsx",
        help="Write a copy of the file with every problem cell marked, to send back to the annotator.",
    ),
    online.fetch,
    online.credentials,
    online.time_limit,
    common.force,
    common.as_json,
)
def command(
    study: Path,
    filled: tuple[Path, ...],
    annotated: Path | None,
    fetch: bool,
    credentials: Path | None,
    time_limit: float,
    force: bool,
    as_json: bool,
) -> None:
    """Read filled workbooks and name every problem: cell, value, why, and what to do.

    Reads STUDY/filled/ unless told otherwise. Ends with exit code 1 when something must be corrected before
    consolidate can use the files.
    """
    from toolkit.jobs.annotated import annotate
    from toolkit.jobs.check import check
    from toolkit.jobs.make_sheets import FILLED

    all_read = online.pull_first(study, fetch, credentials, time_limit)
    filled = filled or (study / FILLED,)
    found = check(study, filled)
    if as_json:
        common.say_json(
            [
                {
                    "file": checked.name,
                    "annotator": checked.progress.annotator if checked.progress else None,
                    "scored": checked.progress.done if checked.progress else 0,
                    "assigned": checked.progress.total if checked.progress else 0,
                    "missing": list(checked.progress.missing) if checked.progress else [],
                    "problems": [
                        {"sheet": p.sheet, "cell": p.cell, "value": None if p.value is None else str(p.value),
                         "what": p.what, "fix": p.fix}
                        for p in checked.problems
                    ],
                    "repairs": [dict(zip(("place", "found", "read_as"), r, strict=True)) for r in checked.repairs],
                    "warnings": list(checked.warnings),
                }
                for checked in found
            ]
        )  # fmt: skip
    else:
        for checked in found:
            _say(checked)
    if annotated:
        copy = annotate(study, filled, found, annotated, force=force)
        click.echo(f"marked copy: {copy}", err=as_json)
    sys.exit(0 if all_read and not any(checked.problems for checked in found) else 1)


def _say(checked: object) -> None:
    from toolkit.errors import shown
    from toolkit.jobs.check import Checked

    assert isinstance(checked, Checked)
    whose = f": {checked.progress.annotator}" if checked.progress else ""
    click.echo(f"{shown(checked.name)}{whose}")
    if progress := checked.progress:
        click.echo(
            f"  {progress.done} of {progress.total} items scored, {progress.doubts} marked as doubtful, "
            f"{progress.without_justification} without a justification"
        )
    if checked.progress and checked.progress.missing:
        click.echo(f"  still to score: {', '.join(checked.progress.missing)}")
    rows = [[p.cell or "", "" if p.value is None else shown(p.value, 24), p.what, p.fix] for p in checked.problems]
    if rows:
        click.echo(common.table(["cell", "found", "problem", "what to do"], rows, indent="  "))
    for place, what, read_as in checked.repairs:
        click.echo(f"  taken as {read_as}: the text {shown(what, 40)!r} ({place})")
    for warning in checked.warnings:
        click.echo(f"  note: {warning}")
    if not rows:
        click.echo("  no problem found")
