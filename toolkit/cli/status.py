"""toolkit status."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli import common, online

if TYPE_CHECKING:
    from toolkit.jobs.check import Progress

# Of somebody who has just begun, the number says enough.
MOST_NAMED = 10


@click.command("status")
@click.argument("study", type=common.STUDY)
@click.argument("filled", type=common.FILE, nargs=-1, metavar="[FILE_OR_FOLDER]...")
@common.options(
    online.fetch, online.credentials, online.time_limit, common.limits, common.as_json, common.quiet, common.verbose
)
def command(
    study: Path,
    filled: tuple[Path, ...],
    fetch: bool,
    credentials: Path | None,
    time_limit: float,
    limits: dict[str, int],
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Show how far each annotator is, by dimension, and what to do next. Reads STUDY/filled/ unless told otherwise."""
    from toolkit.errors import shown
    from toolkit.jobs.check import status

    all_read = online.pull_first(study, fetch, credentials, time_limit, limits)
    found = status(study, filled, limits)
    if as_json:
        common.say_json(
            {
                "study_id": found.study.study_id,
                "annotators": [
                    {
                        "name": person.annotator,
                        "file": person.file,
                        "unusable": person.unusable,
                        "scored": person.scored,
                        "assigned": person.assigned,
                        "missing": list(person.missing),
                        "doubts": person.doubts,
                        "without_justification": person.without_justification,
                        "justification_required": list(person.unjustified),
                    }
                    for person in found.people
                ],
                "problems": [str(problem) for problem in found.problems],
                "next": found.next_step,
            }
        )
        sys.exit(0 if all_read else 1)
    common.say_warnings(found.warnings, quiet=quiet, verbose=verbose)
    for problem in found.problems:
        click.echo(f"problem: {problem}", err=True)
    # a small share of the items may have none of some dimension
    keys = [key for key in found.study.rubric.dimensions if any(key in person.assigned for person in found.people)]
    rows = [
        [
            shown(person.annotator, 30),
            _file(person),
            *(f"{person.scored[key]}/{person.assigned[key]}" if key in person.assigned else "-" for key in keys),
            f"{person.done}/{person.total}",
            str(person.doubts),
            str(person.without_justification),
        ]
        for person in found.people
    ]
    click.echo(common.table(["annotator", "file", *keys, "all", "doubts", "no justification"], rows))
    for person in found.people:
        if 0 < len(person.missing) <= MOST_NAMED:
            click.echo(f"{shown(person.annotator, 30)} still has to score: {', '.join(person.missing)}")
        if 0 < len(person.unjustified) <= MOST_NAMED:
            click.echo(f"{shown(person.annotator, 30)} still has to justify: {', '.join(person.unjustified)}")
    click.echo(f"next: {found.next_step}")
    sys.exit(0 if all_read else 1)


def _file(person: Progress) -> str:
    from toolkit.errors import shown

    if person.file:
        return shown(person.file, 30)
    return f"{shown(person.unusable, 30)} came back, cannot be used" if person.unusable else "not returned"
