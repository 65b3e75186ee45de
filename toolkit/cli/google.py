"""toolkit google."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.cli import common, online


@click.group("google")
def command() -> None:
    """Help with Google Sheets. Spreadsheets are made by make-sheets --google, read by pull, locked by close."""


@command.command("doctor", short_help="Say what is missing before spreadsheets can be made.")
@click.argument("study", type=common.STUDY, required=False)
@common.options(
    click.option("--folder", metavar="ID", help="A folder in which spreadsheets are to be made."),
    online.credentials,
    click.option("--sign-in", "anew", is_flag=True, help="Forget a stored sign-in and ask again in the browser."),
    online.time_limit,
    common.as_json,
)
def doctor(
    study: Path | None, folder: str | None, credentials: Path | None, anew: bool, time_limit: float, as_json: bool
) -> None:
    """Look at the sign-in, the APIs, the folder and, with STUDY, who sees its spreadsheets. Changes nothing.

    Ends with exit code 1 when something must be put right.
    """
    from toolkit.jobs.google_doctor import doctor

    folder = folder or (online.folder_of(study) if study else None)
    with online.service(credentials, time_limit, folder=folder, anew=anew) as (service, kind):
        found = doctor(service, kind, folder, study)
    bad = any(finding.good is False for finding in found)
    if as_json:
        common.say_json({"ready": not bad, "findings": [{"good": one.good, "text": one.text} for one in found]})
    else:
        for finding in found:
            sign = {True: "good", None: "note", False: "WRONG"}[finding.good]
            click.echo(f"{sign:5}  {finding.text}")
    sys.exit(int(bad))
