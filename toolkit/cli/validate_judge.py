"""toolkit validate-judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolkit.cli import asking, common
from toolkit.texts import many

if TYPE_CHECKING:
    from toolkit.jobs.judge import Order
    from toolkit.jobs.validate_judge import Stage, Wanted
    from toolkit.jobs.validation import Validation
    from toolkit.judging.summary import Judged

FLIPPED_SHOWN = 10
# what has a meaning where scores are read and nobody is asked
READING = frozenset(
    (
        "golden",
        "judged",
        "baseline",
        "baseline_rerun",
        "min_kappa",
        "max_mae",
        "max_drop",
        "on_inconclusive",
        "half",
        "junit",
        "examples",
        "failure",
        "rubric",
        "force",
        "as_json",
        "quiet",
        "verbose",
    )
)
PASSED, FAILED, UNDECIDED = 0, 1, 3


@click.command("validate-judge")
@click.argument("golden", type=common.FILE)
@common.options(
    click.option("--judged", type=common.FILE, help="The judge's scores, instead of asking it."),
    click.option(
        "--baseline",
        type=common.FILE,
        metavar="PREVIOUS",
        help="Scores of the judge before: judged records, or what --json printed then.",
    ),
    click.option(
        "--baseline-rerun",
        is_flag=True,
        help="PREVIOUS is the old judge asked again, not the scores by which the items were chosen.",
    ),
    click.option("--min-kappa", type=common.Number(-1, 1), metavar="K", help="Lowest good kappa with people."),
    click.option("--max-mae", type=common.Number(min=0), metavar="E", help="Highest good mean absolute error."),
    click.option("--max-drop", type=common.Number(0, 2), metavar="D", help="Largest good drop of kappa (--baseline)."),
    click.option(
        "--on-inconclusive",
        type=click.Choice(["pass", "fail"]),
        help="Exit 0 or 1 where the data do not decide. [default: exit 3]",
    ),
    click.option(
        "--half",
        type=click.Choice(["tuning", "test"]),
        help="Look at one half of the golden set; looks at the test half are counted.",
    ),
    click.option("--junit", type=common.FILE, metavar="FILE", help="Write the gates as JUnit XML too; replaces FILE."),
    asking.who,
    asking.prompts,
    asking.limits,
    click.option("--keep-clamped", is_flag=True, help="Count a score one step off the scale as the end of the scale."),
    click.option("--store", type=common.FILE, help="Store of calls. [default: OUT.calls.sqlite]"),
    click.option("-o", "--out", type=common.FILE, help="Judged records. [default: GOLDEN.judged.jsonl]"),
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(golden: Path, out: Path | None, store: Path | None, junit: Path | None, **given: Any) -> None:
    """Compare a judge with the human consensus in GOLDEN: does it still agree with people?

    GOLDEN is a golden_set.json, judged records with human_consensus_score, or a report or study folder. The judge is
    asked (--provider or --panel, with the options of `toolkit judge`), or its scores are read: from --judged, or from
    GOLDEN itself.

    A threshold is passed when the whole 95% interval is on its good side, and failed when none of it is. Exit codes: 0
    passed (or no threshold given), 1 failed, 2 wrong usage, 3 not decided by these data, 4 could not run.

    An item has flipped when its score differs from the baseline's by a point or more. The halves of a golden set are
    written to GOLDEN.halves.json beside it: tune on one half, and keep that file under version control.
    """
    from toolkit.errors import ToolkitError
    from toolkit.files import write_atomically
    from toolkit.jobs import validation_output

    try:
        found = _validated(golden, out, store, given)
    except ToolkitError as error:
        if junit is not None:
            write_atomically(junit, validation_output.junit_of_problems(error.problems))
        raise
    if found is None:
        return
    code = _exit_code(found, given["on_inconclusive"])
    if junit is not None:
        write_atomically(junit, validation_output.junit(found, given["on_inconclusive"]))
    common.say_warnings(found.warnings, quiet=given["quiet"], verbose=given["verbose"])
    if given["as_json"]:
        common.say_json(validation_output.as_json(found, code))
    else:
        _say(found)
    sys.exit(code)


def _validated(golden: Path, out: Path | None, store: Path | None, given: dict[str, Any]) -> Validation | None:
    """Return what was found; None after a dry run."""
    from toolkit.jobs.validate_judge import only_these, stage, validate

    wanted = _wanted(golden, given)
    asks = given["provider"] or given["panel"]
    staged = stage(wanted)
    if not asks:
        _refuse_idle()
        if wanted.judged is None and not staged.golden.judged:
            raise click.UsageError("say who judges: --judged FILE, --provider, or --panel FILE")
        return validate(wanted, staged)
    from toolkit.jobs.judge import dry_run

    path = staged.golden.path
    out = out or path.with_name(f"{path.stem}.judged.jsonl")
    store = store or out.with_name(f"{out.name}.calls.sqlite")
    order = only_these(_order(path, given), staged)
    if given["dry_run"]:
        asking.say_estimate(dry_run(order, store), as_json=given["as_json"])
        return None
    return _asked(order, wanted, staged, out, store, given)


def _asked(order: Order, wanted: Wanted, staged: Stage, out: Path, store: Path, given: dict[str, Any]) -> Validation:
    from dataclasses import replace

    from toolkit.jobs.judge import judge
    from toolkit.jobs.validate_judge import validate
    from toolkit.judging.summary import nothing_scored

    bar = asking.Bar(quiet=given["quiet"])
    try:
        run: Judged = judge(order, out, store, force=given["force"], progress=bar.show if bar.wanted else None)
    finally:
        bar.end()
    if not run.scored:
        raise nothing_scored(run)
    return validate(replace(wanted, judged=out), staged, run=run)


def _wanted(golden: Path, given: dict[str, Any]) -> Wanted:
    from toolkit.jobs.validate_judge import Thresholds, Wanted
    from toolkit.judging.prompts import BINARY
    from toolkit.rubrics import read_rubric

    if given["judged"] and (given["provider"] or given["panel"]):
        raise click.UsageError("--judged reads scores, --provider and --panel ask for them; choose one")
    if given["baseline"] is None:
        for name in ("max_drop", "baseline_rerun"):
            if given[name]:
                raise click.UsageError(f"--{name.replace('_', '-')} compares with a judge before: give it --baseline")
    scale = BINARY if given["failure"] else read_rubric(given["rubric"]).scale if given["rubric"] else None
    return Wanted(
        golden=golden,
        judged=given["judged"],
        scale=scale,
        baseline=given["baseline"],
        baseline_rerun=given["baseline_rerun"],
        examples=given["examples"],
        half=given["half"],
        thresholds=Thresholds(given["min_kappa"], given["max_mae"], given["max_drop"]),
    )


def _refuse_idle() -> None:
    """Refuse options that would do nothing, because nobody is asked."""
    ctx = click.get_current_context()
    for option in ctx.command.params:
        given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name not in READING:
            raise click.UsageError(f"{option.opts[0]} is for asking a judge: give --provider, or --panel FILE")


def _order(source: Path, given: dict[str, Any]) -> Order:
    from toolkit.jobs.judge import Order

    rubric, language = asking.rubric_of(given)
    if given["failure"] and given["criteria"]:
        raise click.UsageError("--failure and --criteria are different kinds of judging; choose one")
    return Order(
        source=source,
        judges=asking.judges(given),
        rubric=rubric,
        language_code=language,
        strictness=given["strictness"],
        suggestion=given["suggestion"],
        failure=given["failure"],
        criteria=given["criteria"],
        examples=given["examples"],
        prompts=given["prompts"],
        unit=given["unit"],
        limits=asking.limits_of(given),
        prices=given["prices"],
        keep_clamped=given["keep_clamped"],
    )


def _exit_code(found: Validation, on_inconclusive: str | None) -> int:
    if found.outcome == "inconclusive":
        return {"pass": PASSED, "fail": FAILED}.get(on_inconclusive or "", UNDECIDED)
    return FAILED if found.outcome == "fail" else PASSED


def _say(found: Validation) -> None:
    from toolkit.analysis import far_apart
    from toolkit.errors import shown
    from toolkit.jobs.validation import NEW
    from toolkit.jobs.validation_output import figure, sentence

    kappa = found.kappa
    half = f" ({found.half} half)" if found.half else ""
    name = shown(found.judge, 40)
    click.echo(f"judge {name}, {many(len(found.panel.items), 'item')} of {shown(found.golden.path.name)}{half}")
    keys = (kappa, "exact_agreement") if found.panel.scale.kind == "nominal" else (kappa, "pearson", "mae")
    blocks = {"all": found.blocks.overall}
    if len(found.blocks.by_dimension) > 1:
        blocks |= {shown(key, 40): block for key, block in found.blocks.by_dimension.items()}
    rows = [
        [label, str(block.judges[NEW][kappa].n), *(figure(block.judges[NEW][key]) for key in keys)]
        for label, block in blocks.items()
    ]
    click.echo(common.table(["", "scored", *keys], rows, "  "))
    apart = [shown(found.panel.names[row], 40) for row in found.blocks.judge_disagreements]
    what = "two or more points from people" if far_apart(found.panel.scale) else "not what people say"
    click.echo(f"{what}: {_listed(apart)}")
    for what, names in sorted(found.missing.items()):
        click.echo(f"without a score, {shown(what)}: {_listed(names)}")
    counted, left = found.clamped
    if counted or left:
        click.echo(f"one step off the scale: {len(counted)} clamped and counted, {len(left)} left out")
    if found.run is not None:
        asking.say_spent(found.run.session.tally, found.run.currency)
    _say_baseline(found)
    for gate in found.gates:
        click.echo(f"{gate.outcome}: {sentence(gate)}")
    if found.looks is not None:
        click.echo(f"looks at the test half so far: {found.looks}")
    click.echo(f"outcome: {found.outcome or 'no threshold given'}")


def _say_baseline(found: Validation) -> None:
    from toolkit.errors import shown
    from toolkit.jobs.validation_output import figure

    baseline = found.baseline
    if baseline is None:
        return
    click.echo(f"against baseline {shown(baseline.name, 40)}, judge minus baseline:")
    for key in ("kappa_difference", "mae_difference"):
        if key in baseline.difference:
            click.echo(f"  {key} {figure(baseline.difference[key])}, on {many(baseline.difference[key].n, 'item')}")
    scale, names = found.panel.scale, found.panel.names
    flips = [
        f"{shown(names[row], 40)} {scale.value(float(baseline.scores[row]))} to "
        f"{scale.value(float(found.scores[row]))} (people {scale.value(float(found.golden.human[row]))})"
        for row in baseline.flipped
    ]
    click.echo(f"  flipped: {_listed(flips)}")


def _listed(names: list[str]) -> str:
    if not names:
        return "none"
    more = f" and {len(names) - FLIPPED_SHOWN} more" if len(names) > FLIPPED_SHOWN else ""
    return f"{len(names)} ({', '.join(names[:FLIPPED_SHOWN])}{more})"
