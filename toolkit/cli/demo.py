"""toolkit demo."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.cli import common


@click.command("demo")
@click.argument("folder", type=common.FILE, metavar="[DIR]", default=Path("toolkit-demo"))
@common.options(common.force)
def command(folder: Path, force: bool) -> None:
    """Run the whole job on a bundled, invented study and print where the report is. DIR: toolkit-demo by default."""
    from toolkit.jobs.demo import demo

    made = demo(folder, force=force)
    common.say_warnings(made.done.warnings, quiet=False, verbose=False)
    click.echo(f"blank workbooks:  {folder / 'send'}")
    click.echo(f"filled workbooks: {folder / 'filled'}")
    common.say_headline(made.done)
    click.echo(f"report:           {made.done.folder / 'report.html'}")
