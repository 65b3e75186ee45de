"""toolkit init."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.cli import common


@click.command("init")
@click.argument("folder", type=common.FILE, metavar="DIR")
@common.options(common.lang, common.force)
def command(folder: Path, lang: str | None, force: bool) -> None:
    """Write rubric.yaml, sample.csv and notes for the coordinator into DIR, to edit and then use."""
    from toolkit.jobs.init import init

    for path in init(folder, lang or "en", force=force):
        click.echo(f"  {path}")
    click.echo(
        f"next: edit {folder / 'rubric.yaml'}, replace the rows of {folder / 'sample.csv'} by your own, then run:"
    )
    click.echo(f"      toolkit make-sheets {folder / 'sample.csv'} --rubric {folder / 'rubric.yaml'} --annotators 3")
