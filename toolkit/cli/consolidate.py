"""toolkit consolidate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Literal

import click

from toolkit.cli import common


@click.command("consolidate")
@click.argument("study", type=common.STUDY)
@click.argument("filled", type=common.FILE, nargs=-1, metavar="[FILE_OR_FOLDER]...")
@common.options(
    common.judged,
    click.option("--discussion", type=common.FILE, help="The discussion workbook filled in, or a table of outcomes."),
    common.triage,
    click.option(
        "--population", type=common.FILE, help="Estimates for the whole log, as toolkit population -o wrote them."
    ),
    click.option(
        "--without", multiple=True, metavar="NAME", help="Leave an annotator out; the report says so. May be repeated."
    ),
    click.option(
        "--missing",
        type=click.Choice(["leave-out", "keep"]),
        default="leave-out",
        show_default=True,
        help="Items with missing scores: leave them out of the figures, or keep those with two scores or more.",
    ),
    click.option("-o", "--out", type=common.FILE, help="Report folder. [default: STUDY/report]"),
    click.option(
        "--repairs",
        type=common.FILE,
        metavar="FILE.csv",
        help="Also list every value that was read other than as a plain number.",
    ),
    click.option("--hold-judge", is_flag=True, help="Hold the judge's figures back, for a discussion blind to them."),
    click.option("--reveal-judge", is_flag=True, help="Show the judge although items wait for their discussion."),
    click.option("--lang", type=click.Choice(common.LANGUAGES), help="Language of the report. [default: the study's]"),
    click.option(
        "--seed", type=click.IntRange(0, common.LARGEST_SEED), help="Seed of the intervals. [default: the study's]"
    ),
    common.title,
    common.anonymous,
    common.no_texts,
    common.figures,
    common.latex,
    common.docx,
    common.limits,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(
    study: Path,
    filled: tuple[Path, ...],
    judged: Path | None,
    discussion: Path | None,
    triaged: Path | None,
    population: Path | None,
    without: tuple[str, ...],
    missing: Literal["leave-out", "keep"],
    out: Path | None,
    repairs: Path | None,
    hold_judge: bool,
    reveal_judge: bool,
    lang: str | None,
    seed: int | None,
    title: str,
    anonymous: bool,
    no_texts: bool,
    figures: bool,
    latex: bool,
    docx: bool,
    limits: dict[str, int],
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Read the workbooks that came back, compute the consensus and write the validation report.

    FILE_OR_FOLDER are the filled workbooks, by default STUDY/filled/. Run it as often as you like: it writes only into
    the report folder and remembers nothing.
    """
    if hold_judge and reveal_judge:
        raise click.UsageError("--hold-judge and --reveal-judge contradict each other")
    from toolkit.jobs.consolidate import consolidate
    from toolkit.jobs.report import Wanted

    names = tuple(name.strip() for given in without for name in given.split(",") if name.strip())
    done = consolidate(
        study,
        filled,
        judged=judged,
        discussion=discussion,
        triaged=triaged,
        population=population,
        without=names,
        missing=missing,
        out=out,
        repairs=repairs,
        seed=seed,
        hold_judge=hold_judge,
        reveal_judge=reveal_judge,
        language_code=lang,
        wanted=Wanted(title=title, anonymous=anonymous, texts=not no_texts, figures=figures, latex=latex, docx=docx),
        limits=limits,
        force=force,
    )
    common.say_warnings(done.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(common.result_of(done))
        return
    common.say_headline(done)
    click.echo(f"report: {done.folder / 'report.html'}")
    if any(path.name == "discussion.xlsx" for path in done.files):
        workbook = done.folder / "discussion.xlsx"
        again = [*map(str, filled), *(part for name in names for part in ("--without", name))]
        again += ["--judged", str(judged)] if judged else []
        again += ["--missing", missing] if missing != "leave-out" else []
        again += [part for name, number in limits.items() for part in ("--limit", f"{name}={number}")]
        target = done.folder.parent / "report-final"
        command = ["toolkit", "consolidate", str(study), *again, "--discussion", str(workbook), "-o", str(target)]
        click.echo(f"next: discuss the flagged items in {workbook}, then run:")
        click.echo(f"      {shlex.join(command)}")
    if any(path.name == "triage.xlsx" for path in done.files):
        click.echo(
            f"to learn where the judge really errs: fill in {done.folder / 'triage.xlsx'}, run again with --triage"
        )
