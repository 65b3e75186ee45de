"""What the commands that go to Google have in common: options, and the way in."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from toolkit.cli import common
from toolkit.texts import many

MINUTES = 30.0
# How much of a line of the terminal is used.
LINE = 78

credentials = click.option(
    "--credentials",
    type=common.FILE,
    metavar="FILE.json",
    help="Key of a service account, or OAuth client of the kind Desktop app. [default: what gcloud has stored]",
)
time_limit = click.option(
    "--time-limit",
    type=common.Number(0, min_open=True),
    default=MINUTES,
    show_default=True,
    metavar="MINUTES",
    help="Give up after so long; running again goes on.",
)


fetch = click.option(
    "--pull", "fetch", is_flag=True, help="Fetch what is in the Google spreadsheets now, as pull does, and read that."
)


@contextmanager
def service(
    credentials: Path | None, minutes: float, *, folder: str | None, anew: bool = False
) -> Iterator[tuple[Any, str]]:
    """Open the way to Google, and tell how it was signed in. On a terminal, what is being done is shown meanwhile.

    Args:
        credentials: The file named, if any.
        minutes: After how long to give up.
        folder: The folder that spreadsheets lie in: it takes a wider permission to reach one.
        anew: Whether a stored sign-in is forgotten first.
    """
    from toolkit.google.credentials import sign_in
    from toolkit.google.service import Patience, Service

    signed = sign_in(credentials, Path(click.get_app_dir("toolkit")), all_files=folder is not None, anew=anew)
    on_terminal = sys.stderr.isatty()
    patience = Patience(total=minutes * 60)
    try:
        with signed.session:
            tell = _show if on_terminal else None
            yield Service(signed.session, account=signed.account, patience=patience, tell=tell), signed.kind
    finally:
        if on_terminal:
            _show("")


def pull_first(study: Path, fetch: bool, credentials: Path | None, minutes: float, limits: Mapping[str, int]) -> bool:
    """Fetch what is in the spreadsheets, if that is wanted; return whether all could be read.

    Args:
        study: The study folder.
        fetch: Whether it is wanted.
        credentials: The file named, if any.
        minutes: After how long to give up.
        limits: Limits of a file that were chosen, by name.
    """
    if not fetch:
        if credentials:
            raise click.UsageError("--credentials needs --pull")
        return True
    from toolkit.jobs.google_pull import pull

    with service(credentials, minutes, folder=folder_of(study)) as (door, _kind):
        pulled = pull(study, door, limits=limits)
    say_pulled(pulled, err=True)
    return not pulled.problems


def say_pulled(pulled: Any, *, err: bool = False) -> None:
    """Print what pull did.

    Args:
        pulled: That.
        err: Whether it is only said beside what was asked for.
    """
    for sheet in pulled.sheets:
        click.echo(sheet.said, err=err)
    for problem in pulled.problems:
        click.echo(f"error: {problem}", err=True)
    click.echo(f"{counted(pulled.calls)}, at most {pulled.most} for one spreadsheet", err=err)


def pulled_json(pulled: Any) -> dict[str, Any]:
    """Return what pull did, for programs."""
    return {
        "sheets": [
            {"annotators": list(one.annotators), "files": list(map(str, one.files)), "note": one.note}
            for one in pulled.sheets
        ],
        "problems": [str(problem) for problem in pulled.problems],
        "calls": pulled.calls,
    }


def counted(calls: int) -> str:
    """Return how many calls there were, in words."""
    return f"{many(calls, 'call')} to Google"


def _show(text: str) -> None:
    click.echo(f"\r{text[:LINE]:{LINE}}\r", nl=False, err=True)


def folder_of(study: Path) -> str | None:
    """Return the folder in which the spreadsheets of a study lie."""
    from toolkit.study import read_study

    google = read_study(study).google
    return google.folder if google else None


def parse_share(ctx: click.Context, param: click.Parameter, value: Iterable[str]) -> dict[str, str]:
    """Return {annotator: address} from `A1=ana@example.org,A2=rui@example.org`."""
    found: dict[str, str] = {}
    for pair in (pair for given in value for pair in given.split(",") if pair.strip()):
        name, _sign, mail = (part.strip() for part in pair.partition("="))
        if not name or not _is_address(mail):
            raise click.BadParameter(f"{pair.strip()!r} is not NAME=ADDRESS", ctx=ctx, param=param)
        if name in found:
            raise click.BadParameter(f"{name!r} is there twice", ctx=ctx, param=param)
        found[name] = mail
    return found


def parse_addresses(ctx: click.Context, param: click.Parameter, value: Iterable[str]) -> tuple[str, ...]:
    """Return mail addresses."""
    found = [mail.strip() for given in value for mail in given.split(",") if mail.strip()]
    for mail in found:
        if not _is_address(mail):
            raise click.BadParameter(f"{mail!r} is not a mail address", ctx=ctx, param=param)
    return tuple(found)


def _is_address(text: str) -> bool:
    name, _sign, host = text.rpartition("@")
    return bool(name) and "." in host.strip(".") and not any(c.isspace() for c in text)
