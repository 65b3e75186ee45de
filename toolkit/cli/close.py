"""toolkit close."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.cli import common, online


@click.command("close")
@click.argument("study", type=common.STUDY)
@common.options(online.credentials, online.time_limit, common.limits, common.as_json)
def command(study: Path, credentials: Path | None, time_limit: float, limits: dict[str, int], as_json: bool) -> None:
    """Lock every cell of the study's spreadsheets for the annotators, who can still look at them, and fetch it all.

    What is fetched last, as pull does, is therefore what was locked.
    """
    from toolkit.jobs.google_close import close
    from toolkit.jobs.google_pull import pull

    with online.service(credentials, time_limit, folder=online.folder_of(study)) as (service, _kind):
        calls = close(study, service)
        pulled = pull(study, service, limits=limits)
    if as_json:
        common.say_json({"closed": True, "calls": calls, "pulled": online.pulled_json(pulled)})
    else:
        click.echo(f"locked, with {online.counted(calls)}")
        online.say_pulled(pulled)
        click.echo(f"next: toolkit status {study}")
    sys.exit(1 if pulled.problems else 0)
