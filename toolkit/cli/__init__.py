"""The command line. Each command has a module of its own that is imported only when it is called or listed."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Any

import click

# Command name to module; the order is the order of the work, and of `toolkit --help`.
COMMANDS = {
    "demo": "demo",
    "init": "init",
    "rubric": "rubric",
    "judge": "judge",
    "probe": "probe",
    "sample": "sample",
    "plan": "plan",
    "make-sheets": "make_sheets",
    "audit-blind": "audit_blind",
    "google": "google",
    "pull": "pull",
    "close": "close",
    "status": "status",
    "check": "check",
    "consolidate": "consolidate",
    "analyze": "analyze",
    "metrics": "metrics",
    "population": "population",
    "validate-judge": "validate_judge",
}
# A command that could not do its work ends with 1; where 1 is an answer of its own, with this.
COULD_NOT_RUN = {"validate-judge": 4}


class Commands(click.Group):
    """Loads commands when needed and is the one place where errors become text and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"toolkit.cli.{COMMANDS[cmd_name]}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Problems in the user's data end with one line for each, and exit code 1."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo("\nAborted!", err=True)
        except BrokenPipeError:
            # whoever read the output has gone (`| head`): nothing is wrong here, and what is left goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as error:
            from toolkit.errors import ToolkitError

            if isinstance(error, ToolkitError):
                for problem in error.problems:
                    click.echo(f"error: {problem}", err=True)
                count = len(error.problems)
                click.echo(f"{count} problem{'s' if count != 1 else ''} found.", err=True)
            else:
                if os.environ.get("TOOLKIT_DEBUG"):
                    traceback.print_exc()
                click.echo(
                    f"error: something unforeseen happened ({type(error).__name__}); this is a fault of the toolkit. "
                    "Set TOOLKIT_DEBUG=1, run the command again and report what it prints.",
                    err=True,
                )
        sys.exit(COULD_NOT_RUN.get(ctx.invoked_subcommand or "", 1))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="toolkit", message="%(prog)s %(version)s")
def main() -> None:
    """Find out whether an LLM judge can be trusted.

    From a judged sample to one blind annotation workbook per annotator (make-sheets), and from the filled workbooks to
    a validation report (consolidate). Start with: toolkit demo
    """
