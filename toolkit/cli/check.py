"""toolkit check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli import common, online
from toolkit.texts import many

if TYPE_CHECKING:
    from toolkit.jobs.check import Progress


@click.command("check")
@click.argument("study", type=common.STUDY)
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
    common.limits,
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
    limits: dict[str, int],
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

    all_read = online.pull_first(study, fetch, credentials, time_limit, limits)
    filled = filled or (study / FILLED,)
    found, warnings = check(study, filled, limits)
    common.say_warnings(warnings, quiet=False, verbose=True)
    if as_json:
        common.say_json(
            [
                {
                    "file": checked.name,
                    "annotator": checked.progress.annotator if checked.progress else None,
                    **_counts(checked.progress),
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
        copy = annotate(study, filled, found, annotated, limits=limits, force=force)
        click.echo(f"marked copy: {copy}", err=as_json)
    sys.exit(0 if all_read and not any(checked.problems for checked in found) else 1)


def _counts(progress: Progress | None) -> dict[str, object]:
    """Return how far the annotator of a file is; of nobody's file, nothing is scored."""
    return {
        "scored": progress.done if progress else 0,
        "assigned": progress.total if progress else 0,
        "scored_by_dimension": progress.scored if progress else {},
        "assigned_by_dimension": progress.assigned if progress else {},
        "missing": list(progress.missing) if progress else [],
        "doubts": progress.doubts if progress else 0,
        "without_justification": progress.without_justification if progress else 0,
        "justification_required": list(progress.unjustified) if progress else [],
    }


def _say(checked: object) -> None:
    from toolkit.errors import shown
    from toolkit.jobs.check import Checked

    assert isinstance(checked, Checked)
    whose = f": {checked.progress.annotator}" if checked.progress else ""
    click.echo(f"{shown(checked.name)}{whose}")
    if progress := checked.progress:
        click.echo(
            f"  {progress.done} of {many(progress.total, 'item')} scored, {progress.doubts} marked as doubtful, "
            f"{progress.without_justification} without a justification"
        )
        if len(progress.assigned) > 1:
            each = (f"{key} {progress.scored[key]} of {count}" for key, count in progress.assigned.items())
            click.echo(f"  by dimension: {', '.join(each)}")
    if checked.progress and checked.progress.missing:
        click.echo(f"  still to score: {', '.join(checked.progress.missing)}")
    rows = [
        [
            " > ".join(shown(part) for part in (p.sheet, p.cell) if part),
            "" if p.value is None else shown(p.value, 24),
            p.what,
            p.fix,
        ]
        for p in checked.problems
    ]
    if rows:
        click.echo(common.table(["where", "found", "problem", "what to do"], rows, indent="  "))
    for place, what, read_as in checked.repairs:
        click.echo(f"  taken as {read_as}: the text {shown(what, 40)!r} ({place})")
    for warning in checked.warnings:
        click.echo(f"  note: {warning}")
    if not rows:
        click.echo("  no problem found")
