"""toolkit rubric: draft one, check one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from toolkit.cli import asking, common
from toolkit.texts import many


@click.group("rubric")
def command() -> None:
    """Draft a rubric with a model, for a person to edit, or check one for what makes people disagree."""


@command.command("check", short_help="Name what is missing, overlaps or is too long in a rubric.")
@click.argument("file", type=common.FILE)
@common.options(common.as_json, common.quiet)
def check(file: Path, *, as_json: bool, quiet: bool) -> None:
    """Name what is missing, overlaps or is too long in the rubric FILE.

    An error makes it unusable (exit 1). A warning is worth a second look: levels described in nearly the same words, a
    dimension that asks for several things, no edge cases, no examples. The check knows words and not meaning.
    """
    from toolkit.errors import ToolkitError
    from toolkit.jobs.rubric_check import check_rubric

    found = check_rubric(file)
    if as_json:
        common.say_json(
            {
                "file": str(file),
                "errors": [_problem(problem) for problem in found.errors],
                "warnings": [_problem(problem) for problem in found.warnings],
            }
        )
        if found.errors:
            raise SystemExit(1)
        return
    common.say_warnings(map(str, found.warnings), quiet=quiet, verbose=True)
    if found.errors or found.rubric is None:
        raise ToolkitError(found.errors)
    levels = len(found.rubric.scale.values)
    count = len(found.warnings)
    said = f"{count} warning{'s' if count != 1 else ''}" if count else "nothing to say against it"
    click.echo(f"{file.name}: {many(len(found.rubric.dimensions), 'dimension')}, {many(levels, 'level')}; {said}")


@command.command("draft", short_help="Let a model write a rubric for a person to edit.")
@common.options(
    click.option("--domain", required=True, metavar="TEXT", help="What the chatbot is for."),
    click.option(
        "--dimension",
        "dimensions",
        multiple=True,
        required=True,
        metavar="KEY[=QUESTION]",
        help="What is to be scored, and what it asks; once for each dimension.",
    ),
    click.option("--scale", help="1-5, or A,B,C. [default: the toolkit's, with its labels]"),
    click.option(
        "--strictness", type=click.Choice(["lenient", "balanced", "strict"]), default="balanced", show_default=True
    ),
    click.option("--lang", type=click.Choice(common.LANGUAGES), default="en", show_default=True),
    asking.who,
    asking.limits,
    click.option("--store", type=common.FILE, help="Store of calls. [default: OUT.calls.sqlite]"),
    click.option(
        "-o", "--out", type=common.FILE, default=Path("rubric.yaml"), show_default=True, help="The draft (YAML)."
    ),
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def draft(out: Path, store: Path | None, **given: Any) -> None:
    """Let a model write level descriptions, characteristics, examples, edge cases and guidance.

    What comes out is a draft: a person edits it before anybody scores with it. An answer that cannot be used is sent
    back with what is wrong with it, twice at most; nothing is written when one stays unusable.
    """
    from toolkit.jobs.rubric_draft import draft_rubric, dry_run

    store = store or out.with_name(f"{out.name}.calls.sqlite")
    order = _order(given)
    if given["dry_run"]:
        asking.say_estimate(dry_run(order, store), as_json=given["as_json"])
        return
    bar = asking.Bar(quiet=given["quiet"])
    try:
        done = draft_rubric(order, out, store, force=given["force"], progress=bar.show if bar.wanted else None)
    finally:
        bar.end()
    common.say_warnings(done.warnings, quiet=given["quiet"], verbose=given["verbose"])
    if given["as_json"]:
        common.say_json({"file": str(out), "dimensions": list(done.rubric.dimensions), "warnings": list(done.warnings)})
        return
    click.echo(f"{out}: a draft of {many(len(done.rubric.dimensions), 'dimension')}, to be edited by a person")
    asking.say_spent(done.tally, done.currency)
    click.echo(f"next: edit it, then toolkit rubric check {out}")


def _order(given: dict[str, Any]) -> Any:
    from toolkit.jobs.rubric_draft import DraftOrder
    from toolkit.rubrics import default_rubric, parse_scale

    writers = asking.judges(given).judges
    if len(writers) > 1 or writers[0].samples > 1:
        raise click.UsageError("one model writes, and once: no panel of several, and no --samples")
    dimensions = {}
    for text in given["dimensions"]:
        key, _, question = text.partition("=")
        if not key.strip() or key.strip() in dimensions:
            raise click.UsageError("--dimension: each needs a key of its own")
        dimensions[key.strip()] = question.strip()
    return DraftOrder(
        writer=writers[0],
        domain=given["domain"],
        dimensions=dimensions,
        scale=parse_scale(given["scale"]) if given["scale"] else default_rubric(given["lang"]).scale,
        language=given["lang"],
        strictness=given["strictness"],
        limits=asking.limits_of(given),
        prices=given["prices"],
    )


def _problem(problem: Any) -> dict[str, Any]:
    from toolkit.errors import shown

    value = None if problem.value is None else shown(problem.value)
    return {"place": problem.cell, "what": problem.what, "fix": problem.fix, "value": value}
