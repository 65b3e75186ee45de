"""toolkit plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli import common
from toolkit.cli.sample import ordinal_scale, parse_names

if TYPE_CHECKING:
    from toolkit.jobs.plan import Planned
    from toolkit.sampling.simulate import Width

HEADS = {
    "kappa": "kappa",
    "mae": "MAE",
    "ceiling": "ceiling",
    "tpr": "TPR",
    "tnr": "TNR",
    "alt-test": "alt-test passes",
}


@click.command("plan")
@click.argument("pilot", required=False, type=common.FILE)
@common.options(
    click.option(
        "--half-width",
        type=click.FloatRange(0.005, 1),
        default=0.10,
        show_default=True,
        help="Wanted, of the 95% intervals.",
    ),
    click.option(
        "--power",
        type=click.FloatRange(0.05, 0.99),
        default=0.8,
        show_default=True,
        help="Wanted, of the alternative annotator test.",
    ),
    click.option(
        "--kappa",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.6,
        show_default=True,
        help="Expected: quadratic kappa of judge and one person.",
    ),
    click.option(
        "--people-kappa",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="Expected: of two people. [default: --kappa]",
    ),
    click.option(
        "--margins",
        default="uniform",
        show_default=True,
        metavar="HOW",
        help="How often people give each level: uniform, skewed (80% on the highest), shares, or a LOG (its judge's).",
    ),
    click.option("--judge-margins", metavar="HOW", help="How often the judge does. [default: as --margins]"),
    click.option("--annotators", type=click.IntRange(1, 200), default=3, show_default=True, help="People."),
    click.option("--overlap", type=click.IntRange(1, 5), help="Scores per item. [default: all annotators, up to 5]"),
    click.option(
        "--metrics",
        callback=parse_names,
        metavar="NAMES",
        help="Some of kappa,mae,ceiling,tpr,tnr,alt-test. [default: all]",
    ),
    click.option(
        "--threshold", type=float, help="Score from which an answer passes (TPR, TNR). [default: the second highest]"
    ),
    click.option(
        "--margin",
        type=click.FloatRange(0, 1),
        default=0.10,
        show_default=True,
        help="How far below people's kappa the judge's still counts as as good.",
    ),
    click.option("--sample", type=common.FILE, help="A sample, whose words give the time an item takes."),
    click.option("--minutes", type=click.FloatRange(0.05, 240), help="Minutes per item and person. [default: 2]"),
    common.judged,
    click.option("--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="The scale of the scores."),
    click.option("-o", "--out", type=common.FILE, help="Write the figure (SVG): items against half-widths."),
    common.seed,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(
    pilot: Path | None,
    half_width: float,
    power: float,
    kappa: float,
    people_kappa: float | None,
    margins: str,
    judge_margins: str | None,
    annotators: int,
    overlap: int | None,
    metrics: tuple[str, ...] | None,
    threshold: float | None,
    margin: float,
    sample: Path | None,
    minutes: float | None,
    judged: Path | None,
    scale: str,
    out: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Simulate studies of many sizes before anybody is asked for an hour of their time.

    Without PILOT, from what is expected: kappas and margins. With PILOT, from what it found: a report folder, its
    consensus.csv, or a table of ratings with --judged; after a study this says how many more items it would take.
    """
    from toolkit.jobs.plan import MOST_RATERS, Question, assumed, from_pilot, minutes_per_item, named_margins, plan
    from toolkit.sampling.simulate import METRICS

    unknown = [name for name in metrics or () if name not in METRICS]
    if unknown:
        raise click.UsageError(f"--metrics: {unknown[0]!r} is none of {', '.join(METRICS)}")
    if sample and minutes:
        raise click.UsageError("give --sample or --minutes, not both")
    if overlap and overlap > annotators:
        raise click.UsageError("--overlap cannot be more than --annotators")
    of = ordinal_scale(scale)
    panel = from_pilot(pilot, of, overlap, judged) if pilot else None
    per_item = panel.raters if panel else overlap or min(annotators, MOST_RATERS)
    question = Question(
        scale=of,
        annotators=max(annotators, per_item),
        overlap=per_item,
        half_width=half_width,
        power=power,
        threshold=of.codes[-2] if threshold is None else threshold,
        margin=margin,
        minutes=minutes_per_item(sample, of) if sample else minutes or 2.0,
        metrics=metrics or METRICS,
    )
    if panel is None:
        panel = assumed(
            question,
            named_margins(margins, of),
            kappa=kappa,
            people_kappa=people_kappa,
            judge_margins=named_margins(judge_margins, of) if judge_margins else None,
        )
    done = plan(question, panel, seed=common.any_seed(seed), out=out, force=force)
    common.say_warnings(done.warnings, quiet=quiet, verbose=verbose)
    if as_json:
        common.say_json(_as_json(done))
    else:
        _say(done)


def _say(done: Planned) -> None:
    from toolkit.jobs.plan import NAMES

    question = done.question
    click.echo(
        f"95% intervals, half of their width, by {question.overlap} of {question.annotators} annotators on each item "
        f"(seed {done.seed})"
    )
    header = ["items", *(HEADS[m] for m in done.widths), "hours each"]
    rows = []
    for place, items in enumerate(question.sizes):
        cells = [_cell(m, done.widths[m][place]) for m in done.widths]
        rows.append([str(items), *cells, f"{done.hours(items):.1f}"])
    click.echo(common.table(header, rows))
    for metric, found in done.needed.items():
        goal = f"power {question.power:g}" if metric == "alt-test" else f"a half-width of {question.half_width:g}"
        if found is None:
            text = "more items than were tried"
        else:
            text = f"{found} items, {done.hours(found):.1f} hours for each annotator"
            if done.have is not None:
                text += f" ({max(0, found - done.have)} more than the {done.have} there are)"
        click.echo(f"{NAMES[metric]}, {goal}: {text}")
    if "kappa" in done.needed:
        click.echo(f"by closed form (Fleiss, Cohen & Everitt 1969), for kappa: {done.closed_form} items")
    for path in done.files:
        click.echo(f"figure: {path}")


def _cell(metric: str, one: Width) -> str:
    if metric == "alt-test":
        return "-" if one.power is None else f"{one.power:.0%}"
    return "-" if one.half_width is None else f"{one.half_width:.2f}"


def _as_json(done: Planned) -> dict[str, object]:
    return {
        "schema": 1,
        "seed": done.seed,
        "half_width": done.question.half_width,
        "power": done.question.power,
        "annotators": done.question.annotators,
        "overlap": done.question.overlap,
        "minutes_per_item": done.question.minutes,
        "sizes": {
            metric: [
                {
                    "items": w.items,
                    "mean": w.mean,
                    "half_width": w.half_width,
                    "undefined": w.undefined,
                    "power": w.power,
                    "hours_each": done.hours(w.items),
                }
                for w in widths
            ]
            for metric, widths in done.widths.items()
        },
        "needed": done.needed,
        "closed_form_kappa": done.closed_form,
        "pilot_items": done.have,
        "files": [str(path) for path in done.files],
        "warnings": list(done.warnings),
    }
