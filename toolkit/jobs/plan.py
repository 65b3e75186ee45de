"""plan: how many items people would have to score, and what that costs them, before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, refuse
from toolkit.files import write_all
from toolkit.i18n import Language, language
from toolkit.jobs import plan_remarks
from toolkit.jobs.plan_data import Binary, Design, Planned, Question
from toolkit.model import Scale
from toolkit.sampling import figure
from toolkit.sampling.closed_form import binary_limit_size, binary_power_size, kappa_size
from toolkit.sampling.panels import Latent, Panel, Pilot, UnreachableError, stated
from toolkit.sampling.simulate import Studies
from toolkit.stats import quadratic_kappa
from toolkit.texts import many

FEWEST_PILOT_ITEMS = 10
MOST_RATERS = 5
USUAL_ANNOTATORS = (2, 3, 5)


def plan(
    question: Question,
    panel: Panel,
    *,
    seed: int,
    crowded: tuple[int, float] | None = None,
    out: Path | None = None,
    lang: str = "en",
    force: bool = False,
) -> Planned:
    """Simulate studies of every design and size, and find the sizes that reach the goals.

    Args:
        question: What is asked.
        panel: From `assumed`, or a pilot.
        seed: Of the simulation.
        crowded: Prompts of a sample or pilot, and items per prompt; from `toolkit.jobs.pilot.crowding`.
        out: Where to write the figure (SVG).
        lang: The figure's language.
        force: Whether an existing figure may be replaced.

    Raises:
        ToolkitError: When the pilot is too small, or the figure cannot be written.
    """
    if out is not None:
        refuse(_no_place(question, out, force=force))
    low, high = question.scale.codes[0], question.scale.codes[-1]
    if not low < question.threshold <= high:
        what = f"--threshold must lie above {low:g}, so that an answer can fail, and not above {high:g}"
        raise ToolkitError(Problem(what, "name the score from which an answer passes", value=f"{question.threshold:g}"))
    have = drawn = None
    if isinstance(panel, Pilot):
        most = max(overlap for _, overlap in question.designs)
        have, drawn = panel.items(most), panel.clusters_drawn(most)
        overlaps = sorted({overlap for _, overlap in question.designs})
        refuse(_too_small(panel, overlap) for overlap in overlaps if panel.items(overlap) < FEWEST_PILOT_ITEMS)
    designs = tuple(_design(question, panel, *one, seed=seed) for one in question.designs)
    files: list[Path] = []
    if out is not None:
        files = write_all(out.parent, {out.name: _picture(question, designs, language(lang))}, force=force)
    said = [
        *plan_remarks.optimistic(designs, panel),
        *plan_remarks.small_studies(question, designs),
        *plan_remarks.about_items(have, crowded, drawn),
    ]
    binary = _binary(question, panel)
    return Planned(question, designs, binary, have, seed, tuple(files), tuple(dict.fromkeys(said)))


def _design(question: Question, panel: Panel, annotators: int, overlap: int, *, seed: int) -> Design:
    studies = Studies(
        panel,
        annotators=annotators,
        overlap=overlap,
        seed=seed,
        threshold=question.threshold,
        margin=question.margin,
        largest=max(question.sizes),
    )
    goals = [goal for goal in question.goals if overlap >= {"ceiling": 2, "alt-test": 3}.get(goal.metric, 1)]
    needed = {
        goal: studies.items_for_power(goal.metric, question.power, goal.beat or 0.0)
        if goal.finding
        else studies.items_for_width(goal.metric, question.half_width)
        for goal in goals
    }
    widths = {g: [studies.width(g.metric, n) for n in question.sizes] for g in goals if not g.finding}
    powers = {g: [studies.power(g.metric, n, g.beat or 0.0) for n in question.sizes] for g in goals if g.finding}
    remarks = [*plan_remarks.of_design(question, annotators, overlap), *plan_remarks.hopeless(needed, powers)]
    formula = kappa_size(*panel.table(overlap), question.half_width)
    return Design(
        annotators, overlap, question.minutes, studies.largest, needed, widths, powers, formula, tuple(remarks)
    )


def _too_small(panel: Pilot, overlap: int) -> Problem:
    if panel.items(1) == 0:
        fix = (
            "name the report folder in which the judge's scores are not held back (toolkit plan STUDY/final), or state "
            "--margins and --kappa instead"
        )
        return Problem("the pilot holds no item that both people and the judge scored", fix)
    what = (
        f"the pilot holds {many(panel.items(overlap), 'item')} with {overlap} or more human scores and a judge score; "
        f"{FEWEST_PILOT_ITEMS} are needed"
    )
    return Problem(what, "plan for fewer scores per item (--overlap), or state --margins and --kappa instead")


def _binary(question: Question, panel: Panel) -> Binary | None:
    if len(question.scale.values) != 2 or "kappa" not in question.metrics:
        return None
    table, values = panel.table(1)
    if values.size != 2:  # a pilot's judge with scores between the two, or one level only
        return None
    # a stated kappa is met to a few millionths
    kappa = round(float(quadratic_kappa(values.repeat(2), [*values, *values], table.ravel())), 5)
    passes = float(table.sum(axis=0)[1] + table.sum(axis=1)[1]) / 2
    beat, lower = dict(question.beat).get("kappa"), kappa - question.half_width
    return Binary(
        binary_limit_size(kappa, lower, passes) if lower > 0 else None,
        binary_power_size(beat, kappa, passes, power=question.power) if beat is not None and beat < kappa else None,
    )


def names(_: Language) -> dict[str, str]:
    """Return what each figure that has an interval is called."""
    return {
        "kappa": _("kappa, judge and consensus"),
        "mae": _("mean absolute error"),
        "ceiling": _("judge's kappa less people's"),
        "tpr": _("true-positive rate"),
        "tnr": _("true-negative rate"),
    }


def _no_place(question: Question, out: Path, *, force: bool) -> Iterator[Problem]:
    """Say what stands in the way of the figure, before anything is simulated for it."""
    if out.suffix.casefold() != ".svg":
        yield Problem("the figure is written as SVG", "give -o a name that ends in .svg", str(out))
    if out.exists() and not force:
        fix = "choose another name with -o, or --force to replace it"
        yield Problem("exists already and is not overwritten", fix, str(out))
    if all(goal.finding for goal in question.goals):
        yield Problem(
            "there is no interval to draw", "name figures with an interval (--metrics kappa), or leave -o out"
        )


def _picture(question: Question, designs: Sequence[Design], _: Language) -> bytes:
    """Return the figure: a line for each figure of one design, or for each design the first figure."""
    called, first = names(_), designs[0]
    title = _("How sure the figures will be")
    lines = {called[goal.metric]: widths for goal, widths in first.widths.items()}
    if len(designs) > 1 and first.widths:
        goal = next(iter(first.widths))
        title = _("How sure a figure will be: {figure}", figure=called[goal.metric])
        lines = {
            _("annotators: {annotators}, overlap: {overlap}", annotators=d.annotators, overlap=d.overlap): d.widths[
                goal
            ]
            for d in designs
            if goal in d.widths
        }
    points = {
        name: [(w.items, w.half_width) for w in widths if w.half_width is not None] for name, widths in lines.items()
    }
    points = {name: line for name, line in points.items() if line}
    if not points:
        fix = "name other figures (--metrics kappa), or leave -o out"
        raise ToolkitError(Problem("no figure is defined in studies of these sizes: there is nothing to draw", fix))
    chosen = next(iter(first.needed.values()), None) if len(designs) == 1 else None
    return figure.render(title, points, question.half_width, chosen, _)


def assumed(
    scale: Scale,
    margins: Sequence[float],
    *,
    kappa: float,
    people_kappa: float | None = None,
    judge_margins: Sequence[float] | None = None,
) -> Latent:
    """Return what scores will look like from stated margins and kappas.

    Raises:
        ToolkitError: When no such panel exists.
    """
    values = scale.codes
    for name, given in (("--margins", margins), ("--judge-margins", judge_margins)):
        if given is not None and (len(given) != len(values) or not all(0 <= s < 1e9 for s in given) or sum(given) <= 0):
            what = f"{name} must name a share for each of the {len(values)} levels of the scale"
            raise ToolkitError(Problem(what, "such as 0.1,0.1,0.2,0.3,0.3", value=",".join(map(str, given))))
    try:
        return stated(
            values,
            margins,
            judge_kappa=kappa,
            people_kappa=kappa if people_kappa is None else people_kappa,
            judge_margins=judge_margins,
        )
    except UnreachableError as error:
        raise ToolkitError(Problem(str(error), "choose other values for --kappa, --people-kappa or margins")) from error


def designs(
    annotators: Sequence[int] | None, overlaps: Sequence[int] | None, pilot: Pilot | None = None
) -> tuple[tuple[int, int], ...]:
    """Return the designs to compare, each a number of annotators and of scores per item.

    Args:
        annotators: Numbers of people; the usual ones by default, with a pilot as many as it has.
        overlaps: Scores per item; all annotators by default, with a pilot as many as most of its items have. An
            overlap is left out with fewer annotators than that.
        pilot: Whose people stand for all people.

    Raises:
        ToolkitError: When the pilot has not so many annotators.

    >>> designs([2, 3], [2, 3]), designs(None, None)
    (((2, 2), (3, 2), (3, 3)), ((2, 2), (3, 3), (5, 5)))
    """
    people, usual = tuple(annotators or USUAL_ANNOTATORS), MOST_RATERS
    if pilot is not None:
        people, usual = tuple(annotators or (pilot.people,)), min(pilot.usual, MOST_RATERS)
        if too_many := [overlap for overlap in overlaps or () if overlap > pilot.people]:
            what = f"the pilot has {many(pilot.people, 'annotator')}, not {too_many[0]}"
            raise ToolkitError(Problem(what, "state --margins and --kappa instead, or plan for fewer"))
    return tuple(dict.fromkeys((n, k) for n in people for k in overlaps or (min(n, usual),) if k <= n))
