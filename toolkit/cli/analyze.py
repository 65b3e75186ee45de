"""toolkit analyze."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.cli import common


@click.command("analyze")
@click.argument("ratings", type=common.FILE)
@common.options(
    common.judged,
    common.rename,
    click.option("--scale", metavar="SCALE", help="1-5 (the default), no,yes, or A,B,tie."),
    click.option("--rubric", type=common.FILE, help="A rubric (YAML), whose scale counts."),
    click.option("--discussion", type=common.FILE, help="Outcomes of the discussion: a workbook or a table."),
    common.triage,
    click.option("--without", multiple=True, metavar="NAME", help="Leave an annotator out. May be repeated."),
    click.option("-o", "--out", type=common.FILE, help="Report folder. [default: RATINGS-NAME-report]"),
    common.lang,
    common.seed,
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
    ratings: Path,
    judged: Path | None,
    rename: dict[str, str],
    scale: str | None,
    rubric: Path | None,
    discussion: Path | None,
    triaged: Path | None,
    without: tuple[str, ...],
    out: Path | None,
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
    """Write the report for ratings that were not collected with make-sheets.

    RATINGS is a long table (item_id, dimension, annotator_id, score, justification) or a wide one (a column for each
    annotator, and judge_score where there is one) as CSV, XLSX, JSONL or Parquet.
    """
    if scale and rubric:
        raise click.UsageError("give --scale or --rubric, not both")
    from toolkit.jobs.analyze import analyze
    from toolkit.jobs.report import Wanted
    from toolkit.rubrics import parse_scale, read_rubric

    described = read_rubric(rubric) if rubric else None
    language_code = lang or (described.language if described and described.language in common.LANGUAGES else "en")
    done = analyze(
        ratings,
        out or Path(f"{ratings.stem}-report"),
        scale=parse_scale(scale) if scale else None,
        rubric=described,
        rename=rename,
        judged=judged,
        discussion=discussion,
        triaged=triaged,
        without=tuple(name.strip() for given in without for name in given.split(",") if name.strip()),
        seed=common.any_seed(seed),
        language_code=language_code,
        wanted=Wanted(title=title, anonymous=anonymous, texts=not no_texts, figures=figures, latex=latex, docx=docx),
        limits=limits,
        force=force,
    )
    common.say_warnings(done.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(common.result_of(done))
        return
    common.say_headline(done)
    click.echo(f"report: {done.folder / 'report.html'} (seed {done.analysis.options.seed})")
