"""toolkit metrics."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from toolkit.cli import common
from toolkit.texts import many

METRICS = ("bertscore", "consistency", "variance")
# a correlation of two points is always 1 or -1
FEWEST = 3


def parse_metrics(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return the metrics named, in the order of `METRICS`."""
    if value is None:
        return None
    names = {name.strip() for name in value.split(",") if name.strip()}
    if unknown := sorted(names - set(METRICS)):
        raise click.BadParameter(f"there is no metric {unknown[0]!r}", ctx=ctx, param=param)
    if not names:
        raise click.BadParameter("names no metric", ctx=ctx, param=param)
    return tuple(name for name in METRICS if name in names)


@click.command()
@click.argument("source", metavar="INPUT", type=common.FILE)
@common.options(
    click.option("--model", type=common.FILE, help="Folder of a model on this machine; nothing is downloaded."),
    click.option(
        "--backend",
        type=click.Choice(["onnx", "torch"]),
        help="What runs the model. [default: onnx where the folder has a model.onnx, else torch]",
    ),
    click.option("--layer", type=click.IntRange(1), help="Layer whose tokens BERTScore compares. [default: the last]"),
    click.option(
        "--metrics",
        "chosen",
        callback=parse_metrics,
        metavar="NAMES",
        help="bertscore,consistency,variance. [default: all; without --model, variance]",
    ),
    click.option(
        "--people", type=common.FILE, help="Human scores: a report folder, its consensus.csv or golden_set.json."
    ),
    common.rubric,
    common.rename,
    click.option("-o", "--out", type=common.FILE, help="Records with the metrics. [default: INPUT.metrics.jsonl]"),
    common.seed,
    common.force,
    common.as_json,
    common.quiet,
    common.verbose,
)
def command(source: Path, out: Path | None, **given: Any) -> None:
    """Add automatic metrics to the records in INPUT, and say how far they agree with people, beside the judge.

    \b
    bertscore    each answer against the reference, token by token
    consistency  the cosine between the answers of a set
    variance     the mean Jaccard distance between the words of a set's
                 answers; needs no model

    None of them knows what is right: they measure likeness. The new fields are called metric_...; `toolkit sample
    --problem-share 0.3 --metrics metric_variance` takes items where judge and metric part.
    """  # noqa: D301 - the backslash is click's
    from toolkit.jobs.metrics import MetricsOrder, metrics
    from toolkit.rubrics import default_rubric, read_rubric

    rubric = read_rubric(given["rubric"]) if given["rubric"] else default_rubric("en")
    order = MetricsOrder(
        source=source,
        scale=rubric.scale,
        model=given["model"],
        backend=given["backend"],
        layer=given["layer"],
        metrics=given["chosen"],
        people=given["people"],
        rename=given["rename"],
        seed=common.any_seed(given["seed"]),
    )
    out = out or source.with_name(f"{source.stem}.metrics.jsonl")
    show = sys.stderr.isatty() and not given["quiet"]
    try:
        done = metrics(order, out, force=given["force"], progress=_progress if show else None)
    finally:
        if show:
            click.echo(err=True)
    common.say_warnings(done.warnings, quiet=given["quiet"], verbose=given["verbose"])
    if given["as_json"]:
        common.say_json(done.content)
        return
    click.echo(many(done.items, "item") + (f", model {done.model}" if done.model else ""))
    for field, count in done.counts.items():
        click.echo(f"  {field}: {count}")
    if done.agreement:
        _say_agreement(done.agreement)
    for path in done.files:
        click.echo(f"  {path}")


def _say_agreement(agreement: Any) -> None:
    from toolkit.errors import shown

    rows = []
    for group, found in agreement.items():
        for one in found:
            figures = one.figures
            kappa = _figure(figures["kappa_quadratic"]) if one.is_judge else "not defined"
            rows.append(
                [
                    shown(group, 40),
                    f"judge {shown(one.name, 40)}" if one.is_judge else one.name,
                    str(figures["spearman"].n),
                    _figure(figures["spearman"]),
                    _figure(figures["kendall_tau_b"]),
                    kappa,
                    _figure(figures["judge_less_metric"]) if "judge_less_metric" in figures else "",
                ]
            )
    header = ["dimension", "agreement with people of", "n", "Spearman", "Kendall tau-b", "quadratic kappa"]
    click.echo(common.table([*header, "judge less it (Spearman)"], rows, "  "))


def _figure(estimate: Any) -> str:
    if estimate.n < FEWEST:
        return "too few"
    if estimate.value is None:
        return "undefined"
    interval = f" ({estimate.ci95[0]:z.2f} to {estimate.ci95[1]:z.2f})" if estimate.ci95 else ""
    return f"{estimate.value:z.2f}{interval}"


def _progress(done: int, total: int) -> None:
    click.echo(f"\r{done} of {many(total, 'item')} ", nl=False, err=True)
