"""toolkit close."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.cli import common, online


@click.command("close", short_help="Lock the Google spreadsheets when annotation ends.")
@click.argument("study", type=common.FILE)
@common.options(online.credentials, online.time_limit, common.as_json)
def command(study: Path, credentials: Path | None, time_limit: float, as_json: bool) -> None:
    """Lock every cell of the study's spreadsheets for the annotators, who can still look at them.

    Run pull afterwards, so that the last copy is what was locked.
    """
    from toolkit.jobs.google_close import close

    with online.service(credentials, time_limit, folder=online.folder_of(study)) as (service, _kind):
        calls = close(study, service)
    if as_json:
        common.say_json({"closed": True, "calls": calls})
        return
    click.echo(f"locked, with {online.counted(calls)}")
    click.echo(f"next: toolkit pull {study}")
