"""Options and printing that several commands share."""

from __future__ import annotations

import json
import math
import os
import re
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from toolkit.files import languages
from toolkit.texts import many

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
LANGUAGES = languages()
LARGEST_SEED = 2**31 - 1
LARGEST_LIMIT = 10**12
STUDY_FILE = "study.json"
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Apply several option decorators, the first one shown first."""

    def apply(function: F) -> F:
        for decorate in reversed(decorators):
            function = decorate(function)
        return function

    return apply


def parse_rename(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Return {reserved field: column} from `response=answer`."""
    found: dict[str, str] = {}
    for pair in value:
        field, sign, column = pair.partition("=")
        if not sign or not field.strip() or not column.strip():
            raise click.BadParameter(f"{pair!r} is not FIELD=COLUMN", ctx=ctx, param=param)
        if field.strip() in found:
            raise click.BadParameter(f"{field.strip()!r} is named twice", ctx=ctx, param=param)
        found[field.strip()] = column.strip()
    return found


def parse_limits(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    """Return {limit: number} from `cells=2000000`."""
    from dataclasses import asdict

    from toolkit.workbook.readers.raw import DEFAULT_LIMITS

    usual = asdict(DEFAULT_LIMITS)
    found: dict[str, int] = {}
    for pair in value:
        name, _sign, number = (part.strip() for part in pair.partition("="))
        if name not in usual or not number.isascii() or not number.isdigit() or not 1 <= int(number) <= LARGEST_LIMIT:
            listed = ", ".join(f"{one}={most}" for one, most in usual.items())
            what = f"{pair!r} is not NAME=NUMBER, a whole number from 1 to {LARGEST_LIMIT}; usually: {listed}"
            raise click.BadParameter(what, ctx=ctx, param=param)
        found[name] = int(number)  # the last one counts: advice is added to a command that had less
    return found


lang = click.option("--lang", type=click.Choice(LANGUAGES), help="Language of sheets and report.")
seed = click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    help="Seed of everything random; the same seed and inputs give the same files. [default: random, recorded]",
)
force = click.option("--force", is_flag=True, help="Replace files that exist. Filled-in answers are never replaced.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Print no warnings, only the result.")
verbose = click.option("-v", "--verbose", is_flag=True, help="Print everything that was noticed, in full.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for programs.")
rubric = click.option("--rubric", type=FILE, help="Your own rubric (YAML). [default: the toolkit's, in --lang]")
rename = click.option(
    "--map",
    "rename",
    multiple=True,
    callback=parse_rename,
    metavar="FIELD=COLUMN",
    help="The input calls FIELD by another name. May be repeated.",
)
limits = click.option(
    "--limit",
    "limits",
    multiple=True,
    callback=parse_limits,
    metavar="NAME=NUMBER",
    help="Let a file hold more than usual; the message that refuses it gives the NAME. May be repeated.",
)
judged = click.option(
    "--judged", type=FILE, help="Judge scores in a file of their own, joined by item_id and dimension."
)

triage = click.option(
    "--triage", "triaged", type=FILE, help="The triage workbook filled in: which disputes the judge lost."
)
title = click.option("--title", default="", help="What the report is called. [default: the study's or the file's name]")
anonymous = click.option("--anonymous", is_flag=True, help="Replace the annotators' names by P1, P2... everywhere.")
no_texts = click.option("--no-texts", is_flag=True, help="Leave prompts and answers out everywhere, for sharing.")
figures = click.option("--figures", is_flag=True, help="Write each figure as SVG, PDF and 300-dpi PNG as well.")
latex = click.option(
    "--latex", is_flag=True, help="Write tables and a methods paragraph in LaTeX as well, with figures."
)
docx = click.option("--docx", is_flag=True, help="Write the same as a Word document (needs toolkit[docx]).")

WARNINGS_SHOWN = 12


class Number(click.FloatRange):
    """A number within bounds; neither infinite nor undefined, which no bound would refuse."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
            self.fail(f"{value!r} has a comma; write it with a point: {value.strip().replace(',', '.')}", param, ctx)
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number

    def _describe_range(self) -> str:
        # click would say `x<=None` where there are no bounds
        return "" if self.min is None and self.max is None else super()._describe_range()


class StudyFolder(click.Path):
    """The folder of a study; whoever names the study.json in it means the folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the folder."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        return path.parent if path.name == STUDY_FILE and path.is_file() else path


STUDY = StudyFolder()


def any_seed(given: int | None) -> int:
    """Return the seed given, or a random one."""
    return secrets.randbelow(LARGEST_SEED) if given is None else given


def say_warnings(warnings: Iterable[str], *, quiet: bool, verbose: bool) -> None:
    """Print warnings to stderr, each once; a long list is cut unless everything was asked for."""
    found = list(dict.fromkeys(warnings))
    if quiet:
        return
    for warning in found if verbose else found[:WARNINGS_SHOWN]:
        click.echo(f"warning: {warning}", err=True)
    if not verbose and len(found) > WARNINGS_SHOWN:
        click.echo(f"warning: and {len(found) - WARNINGS_SHOWN} more (use -v to see them)", err=True)


def say_json(value: Any) -> None:
    """Print a result for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))


def table(header: list[str], rows: list[list[str]], indent: str = "") -> str:
    """Return rows as text in columns."""
    widths = [max(len(row[place]) for row in [header, *rows]) for place in range(len(header))]
    return "\n".join(
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in [header, *rows]
    )


def say_headline(done: Any) -> None:
    """Print the figures a person wants first, with what they rest on."""
    from toolkit.errors import shown

    analysis = done.analysis
    block = analysis.headline.overall

    def figure(estimate: Any) -> str:
        if estimate is None or estimate.value is None:
            return "undefined"
        text = f"{estimate.value:z.2f}"
        return f"{text} (95% interval {estimate.ci95[0]:z.2f} to {estimate.ci95[1]:z.2f})" if estimate.ci95 else text

    # the keys of metrics.json, where the same figures stand
    people = block.people_figure
    click.echo(f"{many(block.n, 'item counts', 'items count')}, {many(len(analysis.panel.annotators), 'annotator')}")
    click.echo(f"people with people:    {people} {figure(block.people.get(people))}")
    judge = block.judges.get(analysis.judge or "")
    if judge:
        kappa = "kappa_quadratic" if "kappa_quadratic" in judge else "kappa_unweighted"
        named = "" if analysis.judge == "judge" else f", {shown(analysis.judge, 60)}"
        click.echo(f"judge with consensus:  {kappa} {figure(judge.get(kappa))}{named}")
    flagged = int(analysis.consensus.flagged.sum())
    undecided = sum(row not in analysis.panel.discussed for row in analysis.rows(analysis.consensus.flagged))
    pending = int(analysis.consensus.pending.sum())
    states = [f"{flagged - undecided} discussed"] if analysis.panel.discussed else []
    if pending and undecided != pending:
        # where three or more score an item, its consensus is what it is, discussed or not
        states += [f"{pending} scored by two people: needed", f"{undecided - pending} by more: optional"]
    click.echo(f"flagged for discussion: {flagged}" + (f" ({'; '.join(states)})" if states else ""))
    if judge:
        from toolkit.analysis import far_apart

        how = "two or more points apart" if far_apart(analysis.panel.scale) else "of different opinion"
        click.echo(f"judge and people {how}: {len(analysis.headline.judge_disagreements)}")


def result_of(done: Any) -> dict[str, Any]:
    """Return what a program wants to know of a consolidate or analyze run."""
    return {
        "report": str(done.folder),
        "files": [str(path) for path in done.files],
        "mode": str(done.analysis.consensus.mode),
        "judge_held": done.analysis.judge_held,
        "flagged": len(done.analysis.rows(done.analysis.consensus.flagged)),
        "pending_discussion": len(done.analysis.rows(done.analysis.consensus.pending)),
        "warnings": list(dict.fromkeys(done.warnings)),
    }
