"""The command line. Each command has a module of its own that is imported only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

# Each command's module and what it is for, in the order of the work; so `toolkit --help` imports none of them.
COMMANDS = {
    "demo": ("demo", "Run the whole job on the bundled example."),
    "init": ("init", "Write a study to start from: rubric, sample, notes."),
    "rubric": ("rubric", "Draft a rubric with a model, or check one."),
    "judge": ("judge", "Run LLM judges over answers."),
    "probe": ("probe", "Measure an LLM judge's biases: position, length, own family, authority, injection."),
    "sample": ("sample", "Judged log of any size to a stratified, weighted sample."),
    "plan": ("plan", "How many items and annotators a wanted precision needs."),
    "make-sheets": ("make_sheets", "Judged sample to one blind workbook per annotator."),
    "audit-blind": ("audit_blind", "Prove that outgoing workbooks show nothing of judge or model."),
    "google": ("google", "Google Sheets: what is missing, or wrong (google doctor)."),
    "pull": ("pull", "Fetch what is in the Google spreadsheets into STUDY/filled."),
    "close": ("close", "Lock the Google spreadsheets when annotation ends, and fetch them."),
    "status": ("status", "Progress per annotator, and the next thing to do."),
    "check": ("check", "Name every problem of filled workbooks, change nothing."),
    "consolidate": ("consolidate", "Filled workbooks to consensus and validation report."),
    "analyze": ("analyze", "The same report from ratings collected elsewhere."),
    "metrics": ("metrics", "Automatic metrics beside the judge: BERTScore, consistency, variance."),
    "population": ("population", "What people would have scored on the whole log."),
    "validate-judge": ("validate_judge", "Runs or reads a judge against a golden set: a gate for CI."),
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
        command: click.Command = importlib.import_module(f"toolkit.cli.{COMMANDS[cmd_name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command is for."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_module, purpose) in COMMANDS.items()])

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
                    import traceback

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
