"""toolkit pull."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.cli import common, online


@click.command("pull")
@click.argument("study", type=common.STUDY)
@common.options(online.credentials, online.time_limit, common.limits, common.as_json)
def command(study: Path, credentials: Path | None, time_limit: float, limits: dict[str, int], as_json: bool) -> None:
    """Save a dated copy of each spreadsheet under STUDY/filled/: the workbook as Google exports it and the raw values.

    check, status and consolidate read the newest copies, offline; earlier ones are kept. Run it as often as you like.
    """
    from toolkit.jobs.google_pull import pull

    with online.service(credentials, time_limit, folder=online.folder_of(study)) as (service, _kind):
        pulled = pull(study, service, limits=limits)
    if as_json:
        common.say_json(online.pulled_json(pulled))
    else:
        online.say_pulled(pulled)
        click.echo(f"next: toolkit status {study}")
    sys.exit(1 if pulled.problems else 0)
