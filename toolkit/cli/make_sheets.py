"""toolkit make-sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from toolkit.cli import common, online
from toolkit.texts import many

FEWEST_ANNOTATORS, MOST_ANNOTATORS = 2, 200


def parse_annotators(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the annotators' names from `Ana,Rui,Eva` or from a number."""
    if value.strip().isdecimal():
        names = tuple(f"A{place}" for place in range(1, min(int(value), MOST_ANNOTATORS + 1) + 1))
    else:
        names = tuple(name.strip() for name in value.split(",") if name.strip())
    if not FEWEST_ANNOTATORS <= len(names) <= MOST_ANNOTATORS:
        raise click.BadParameter(
            f"agreement needs {FEWEST_ANNOTATORS} to {MOST_ANNOTATORS} annotators, three or more is better; "
            f"{len(names)} given ({', '.join(names[:3])}). Names are separated by commas.",
            ctx=ctx,
            param=param,
        )
    return names


@click.command("make-sheets")
@click.argument("sample", type=common.FILE)
@common.options(
    click.option(
        "--annotators",
        required=True,
        callback=parse_annotators,
        metavar="NAMES",
        help="Their names, separated by commas, or how many (3 means A1,A2,A3).",
    ),
    common.judged,
    click.option("-o", "--out", type=common.FILE, help="Study folder. [default: sheets/SAMPLE-NAME]"),
    common.lang,
    common.rubric,
    click.option(
        "--order",
        type=click.Choice(["grouped", "mixed"]),
        default="grouped",
        show_default=True,
        help="Items grouped by dimension, or all mixed.",
    ),
    click.option(
        "--overlap",
        type=click.IntRange(2),
        metavar="K",
        help="So many annotators score each item, in balanced shares. [default: all]",
    ),
    click.option(
        "--common",
        "common_items",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="With --overlap: so many items, of all dimensions, are scored by everybody.",
    ),
    click.option(
        "--markdown",
        type=click.Choice(["rendered", "raw"]),
        default="rendered",
        show_default=True,
        help="Answers as a chatbot's user sees them, or as written.",
    ),
    common.rename,
    click.option("--deadline", metavar="TEXT", help="Until when the files should be back; shown to the annotators."),
    click.option("--contact", metavar="TEXT", help="Whom annotators may ask."),
    click.option("--instructions", type=common.FILE, help="A text file with further instructions for the first sheet."),
    click.option("--practice", is_flag=True, help="Put two practice items (not counted) first."),
    click.option("--time-columns", is_flag=True, help="Ask for start and end of each item."),
    click.option("--require-justification", is_flag=True, help="An item without a justification is not finished."),
    click.option(
        "--mask",
        "masks",
        multiple=True,
        metavar="NAME",
        help="Hide a name of a model or judge in the items' texts, however it is written. May be repeated.",
    ),
    click.option("--google", is_flag=True, help="Also make a private Google spreadsheet for each annotator."),
    click.option("--folder", metavar="ID", help="With --google: the folder of Drive, from its address."),
    click.option(
        "--share",
        multiple=True,
        callback=online.parse_share,
        metavar="NAME=ADDRESS,...",
        help="With --google: whom each spreadsheet is shared with, and nobody else.",
    ),
    click.option(
        "--coordinator",
        "coordinators",
        multiple=True,
        callback=online.parse_addresses,
        metavar="ADDRESS",
        help="With --google: who else may edit everything (you, where a service account makes the spreadsheets).",
    ),
    click.option("--notify", is_flag=True, help="With --google: let Google send each annotator a mail with the link."),
    click.option(
        "--one-spreadsheet",
        is_flag=True,
        help="With --google: one spreadsheet, in which each annotator has tabs; the others can look.",
    ),
    online.credentials,
    online.time_limit,
    common.limits,
    common.seed,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(
    sample: Path,
    annotators: tuple[str, ...],
    judged: Path | None,
    out: Path | None,
    lang: str | None,
    rubric: Path | None,
    order: Literal["grouped", "mixed"],
    overlap: int | None,
    common_items: int,
    markdown: Literal["rendered", "raw"],
    rename: dict[str, str],
    deadline: str | None,
    contact: str | None,
    instructions: Path | None,
    practice: bool,
    time_columns: bool,
    require_justification: bool,
    masks: tuple[str, ...],
    google: bool,
    folder: str | None,
    share: dict[str, str],
    coordinators: tuple[str, ...],
    notify: bool,
    one_spreadsheet: bool,
    credentials: Path | None,
    time_limit: float,
    limits: dict[str, int],
    seed: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Turn a judged sample into a study: STUDY/study.json and one blind workbook per annotator in STUDY/send/.

    SAMPLE is JSONL, JSON, CSV, XLSX or Parquet with item_id, dimension, prompt and response(s). Judge scores,
    models and providers in it stay with you; no workbook shows them.

    With --google there is a spreadsheet for each annotator as well; whoever cannot use it gets the file. A run that
    stopped is gone on with by the same command.
    """
    if not google and (folder or share or coordinators or notify or one_spreadsheet or credentials):
        raise click.UsageError(
            "--folder, --share, --coordinator, --notify, --one-spreadsheet and --credentials need --google"
        )
    if overlap and overlap > len(annotators):
        raise click.UsageError(f"--overlap {overlap} is more than the {many(len(annotators), 'annotator')}")
    if common_items and not overlap:
        raise click.UsageError("--common needs --overlap: without it everybody scores every item")
    from toolkit.files import read_text
    from toolkit.jobs.make_sheets import file_names, make_sheets, prepare
    from toolkit.model import SheetOptions
    from toolkit.rubrics import default_rubric, read_rubric

    chosen = read_rubric(rubric) if rubric else default_rubric(lang or "en")
    language_code = lang or (chosen.language if chosen.language in common.LANGUAGES else "en")
    target = out or Path("sheets") / file_names([sample.stem])[sample.stem]
    if google and seed is None:
        from toolkit.jobs.google_make import recorded_seed

        seed = recorded_seed(target)
    prepared = prepare(
        sample,
        target,
        annotators,
        chosen,
        language_code=language_code,
        seed=common.any_seed(seed),
        judged=judged,
        order=order,
        overlap=overlap,
        common=common_items,
        markdown=markdown,
        rename=rename,
        limits=limits,
        sheets=SheetOptions(
            deadline=deadline,
            contact=contact,
            instructions=read_text(instructions) if instructions else None,
            practice=practice,
            time_columns=time_columns,
            require_justification=require_justification,
        ),
        masks=[name.strip() for given in masks for name in given.split(",") if name.strip()],
    )
    if google:
        from toolkit.jobs.google_make import Wishes, make_google

        wishes = Wishes(folder, share, coordinators, notify, one_spreadsheet)
        with online.service(credentials, time_limit, folder=folder) as (service, _kind):
            online_study = make_google(target, prepared, service, wishes, force=force)
        _say_online(online_study, prepared, as_json=as_json, quiet=quiet, verbose=verbose)
        return
    made = make_sheets(target, prepared, force=force)
    common.say_warnings(made.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(
            {
                "study_id": made.study.study_id,
                "study": str(made.folder / "study.json"),
                "seed": made.study.seed,
                "sheets": dict(zip(made.study.names, map(str, made.files), strict=True)),
                **_work(made),
                "warnings": list(made.warnings),
            }
        )
        return
    click.echo(f"study {made.study.study_id}: {many(len(made.study.items), 'item')}, seed {made.study.seed}")
    for path in made.files:
        click.echo(f"  {path}")
    _say_work(made)
    click.echo(f"next: send each file in {target / 'send'} to its annotator; keep study.json to yourself.")
    click.echo(f"      put what comes back into {target / 'filled'} and run: toolkit consolidate {target}")
    click.echo("      (with --hold-judge, if whoever sees the report is going to discuss scores that lie apart)")


def _work(of: Any) -> dict[str, Any]:
    """Return how much there is to do; for the one who has most, and for each."""
    from toolkit.workbook.layout import sittings

    sessions, each = sittings(most := max(of.minutes_each.values()))
    design = of.study.design
    return {
        "items_each": design.items_each,
        "scores_per_item": {str(scores): items for scores, items in design.scores_per_item.items()},
        "minutes_each": of.minutes_each,
        "minutes": most,
        "sessions": sessions,
        "minutes_per_session": each,
    }


def _say_work(of: Any) -> None:
    from toolkit.i18n import language
    from toolkit.workbook.layout import sittings

    span = language("en").span
    design = of.study.design
    if design.partial:
        people = len(design.items_each)
        scores = ", ".join(f"{many(items, 'item')} by {number}" for number, items in design.scores_per_item.items())
        each, shared = span(design.items_each.values()), span(design.shared.values())
        click.echo(f"of {people} annotators: {scores}; {each} items for each annotator, {shared} shared by each pair")
    most = max(of.minutes_each.values())
    hours = f" ({most / 60:.1f} hours)" if most > 60 else ""
    click.echo(f"reading and scoring take about {span(of.minutes_each.values())} minutes{hours} for each annotator")
    sessions, minutes = sittings(most)
    if sessions > 1:
        click.echo(f"better {sessions} sittings of about {minutes} minutes than one")


def _say_online(made: Any, prepared: Any, *, as_json: bool, quiet: bool, verbose: bool) -> None:
    from toolkit.errors import shown

    common.say_warnings(made.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(
            {
                "study_id": made.study.study_id,
                "study": str(made.folder / "study.json"),
                "seed": made.study.seed,
                "google": {name: sheet.link for name, sheet in made.sheets.items()},
                "calls": made.calls,
                **_work(prepared),
                "warnings": list(made.warnings),
            }
        )
        return
    click.echo(f"study {made.study.study_id}: {many(len(made.study.items), 'item')}, seed {made.study.seed}")
    for name, sheet in made.sheets.items():
        whom = f"shared with {sheet.mail}" if sheet.shared else "shared with nobody yet"
        click.echo(f"  {shown(name)}: {sheet.link} ({whom})")
    _say_work(prepared)
    click.echo(f"{online.counted(made.calls)}, at most {made.most} for one annotator")
    click.echo(
        f"next: give each annotator the link; who cannot use Google Sheets gets a file of {made.folder / 'send'}."
    )
    click.echo(f"      When they have scored: toolkit pull {made.folder}")
