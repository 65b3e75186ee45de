"""What toolkit plan prints: tables for people who choose a design, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from toolkit.cli import common
from toolkit.texts import many

if TYPE_CHECKING:
    from toolkit.jobs.plan_data import Design, Goal, Planned, Question

HEADS = {"kappa": "kappa", "mae": "MAE", "ceiling": "ceiling", "tpr": "TPR", "tnr": "TNR", "as_good": "as good"}
WIDE, HUNG = 79, 14
HOURS = ["hours each", "in all"]


def as_person_reads(done: Planned) -> Iterator[str]:
    """Yield the lines of the answer: a table for intervals, one for findings, and what every column means."""
    several = len(done.designs) > 1
    goals = [goal for goal in done.question.goals if any(goal in design.needed for design in done.designs)]
    for kind in ([g for g in goals if not g.finding], [g for g in goals if g.finding]):
        if kind and several:
            yield from (f"Items for {_what(done.question, kind[0])}", _comparison(done, kind), "")
        elif kind:
            yield from _sizes(done, done.designs[0], kind)
    if goals:
        yield from _words(done.question, goals, several=several)
    else:
        yield "no figure that was asked for is defined with this design"
    yield from _closed_forms(done)
    for remark in dict.fromkeys(remark for design in done.designs for remark in design.remarks):
        yield from wrap(remark, WIDE, initial_indent="note: ", subsequent_indent="      ")
    if several:
        last = done.designs[-1]
        yield f"for one design, size by size: the same with --annotators {last.annotators} --overlap {last.overlap}"
    yield from (f"figure: {path}" for path in done.files)


def _what(question: Question, goal: Goal) -> str:
    if goal.finding:
        return f"a finding in {question.power:.0%} of studies (power {question.power:g})"
    return f"95% intervals of half-width {question.half_width:g} (the value, give or take {question.half_width:g})"


def _head(goal: Goal) -> str:
    return HEADS.get(goal.key, goal.key)


def _comparison(done: Planned, goals: list[Goal]) -> str:
    """Return a line for each design: the items for each goal, and what the first goal costs."""
    rows = []
    for design in done.designs:
        items = [_items(design, goal) for goal in goals]
        hours = _hours(design, design.needed.get(goals[0]))
        rows.append([str(design.annotators), str(design.overlap), *items, *hours])
    return common.table(["annotators", "overlap", *map(_head, goals), *HOURS], rows)


def _items(design: Design, goal: Goal) -> str:
    found = design.needed.get(goal)
    if found is None and goal in design.needed and (most := design.most(goal)) is not None:
        return f">{most}"
    return "-" if found is None else str(found)


def _hours(design: Design, items: int | None) -> list[str]:
    return ["-", "-"] if items is None else [f"{design.hours_each(items):.1f}", f"{design.hours_in_all(items):.1f}"]


def _sizes(done: Planned, design: Design, goals: list[Goal]) -> Iterator[str]:
    """Yield what one design gives, size by size, and what it takes to reach each goal."""
    kind = "Share of studies that find it" if goals[0].finding else "Half-width of the 95% intervals"
    yield f"{kind}; {design.overlap} of {many(design.annotators, 'annotator')} for each item"
    rows = []
    for place, items in enumerate(done.question.sizes):
        cells = []
        for goal in goals:
            found = design.powers[goal][place] if goal.finding else design.widths[goal][place].half_width
            cells.append("-" if found is None else f"{found:.0%}" if goal.finding else f"{found:.2f}")
        rows.append([str(items), *cells, *_hours(design, items)])
    yield common.table(["items", *map(_head, goals), *HOURS], rows)
    yield ""
    yield f"Items for {_what(done.question, goals[0])}"
    more = [] if done.have is None else [f"more than the {done.have} there are"]
    costs = []
    for goal in goals:
        needed = design.needed[goal]
        missing = [] if done.have is None else ["-" if needed is None else str(max(0, needed - done.have))]
        costs.append([_head(goal), _items(design, goal), *_hours(design, needed), *missing])
    yield common.table(["", "items", *HOURS, *more], costs)
    yield ""


def _words(question: Question, goals: list[Goal], *, several: bool) -> Iterator[str]:
    """Yield an explanation of every column."""
    level = question.scale.value(question.threshold)
    passing = f"score {level}" if question.threshold == question.scale.codes[-1] else f"score {level} or more"
    words = {
        "annotators": "people; each of them scores as many items as the others",
        "overlap": "scores per item: how many of the annotators score the same item",
        "kappa": "quadratic-weighted kappa of the judge and the consensus (median) of people",
        "mae": "mean absolute error of the judge, in points of the scale",
        "ceiling": "judge-person kappa less person-person kappa: 0 where the judge is like a person",
        "tpr": f"true-positive rate: of the answers people pass ({passing}), those the judge passes",
        "tnr": "true-negative rate: of the answers people fail, those the judge fails",
        "as_good": f"the judge is found as good as people: the ceiling's interval lies above -{question.margin:g}, "
        "and that of people's own kappa above 0.4",
        "alt-test": "the judge passes the alternative annotator test (epsilon 0.2; 30 items or more for each person)",
    }
    for key in [*(("annotators", "overlap") if several else ()), *(goal.key for goal in goals)]:
        if key in words:
            yield from _hung(HEADS.get(key, key), words[key])
    for goal in goals:
        if goal.beat is not None:
            side = "below" if goal.metric == "mae" else "above"
            yield from _hung(goal.key, f"the whole 95% interval of {HEADS[goal.metric]} lies {side} {goal.beat:g}")
    first = "; in each table for its first figure" if several and len(goals) > 1 else ""
    yield from _hung("hours", f"at {question.minutes:.3g} minutes for an item and a person{first}")
    yield from _hung("-", "not defined: this design, or studies of this size, cannot tell")


def _hung(head: str, text: str) -> list[str]:
    """Return a word and its explanation, in lines that fit a terminal."""
    return wrap(text, WIDE, initial_indent=f"  {head:<{HUNG - 4}}  ", subsequent_indent=" " * HUNG)


def _closed_forms(done: Planned) -> Iterator[str]:
    overlaps = {design.overlap: design.closed_form for design in done.designs}
    if "kappa" in done.question.metrics:
        said = {overlap: "not defined" if n is None else many(n, "item") for overlap, n in overlaps.items()}
        each = ", ".join(text + (f" (overlap {overlap})" if len(said) > 1 else "") for overlap, text in said.items())
        yield from wrap(f"by closed form (Fleiss, Cohen & Everitt 1969), for kappa: {each}", WIDE)
    if done.binary is not None:
        yield "by closed form for two levels (Donner & Eliasziw 1992), judge and one person:"
        if done.binary.limit is not None:
            width = f"{done.question.half_width:g}"
            count = many(done.binary.limit, "item puts", "items put")
            yield f"  {count} kappa's one-sided lower 95% limit {width} below it"
        if done.binary.power is not None:
            beat, power = dict(done.question.beat)["kappa"], done.question.power
            count = many(done.binary.power, "item tells", "items tell")
            yield f"  {count} kappa from {beat:g} with power {power:g} (two-sided test, 5%)"


def as_program_reads(done: Planned) -> dict[str, object]:
    """Return everything that was found, for JSON."""
    question = done.question
    return {
        "schema": 2,
        "seed": done.seed,
        "scale": list(question.scale.values),
        "half_width": question.half_width,
        "power": question.power,
        "beat": dict(question.beat),
        "threshold": question.threshold,
        "margin": question.margin,
        "minutes_per_item": question.minutes,
        "pilot_items": done.have,
        "designs": [_design(done, design) for design in done.designs],
        "closed_form_binary": {"limit": done.binary.limit, "power": done.binary.power} if done.binary else None,
        "files": [str(path) for path in done.files],
        "warnings": list(done.warnings),
    }


def _design(done: Planned, design: Design) -> dict[str, object]:
    def cost(items: int | None) -> dict[str, object]:
        each, in_all = (None, None) if items is None else (design.hours_each(items), design.hours_in_all(items))
        return {"items": items, "hours_each": each, "hours_in_all": in_all}

    sizes = done.question.sizes
    return {
        "annotators": design.annotators,
        "overlap": design.overlap,
        "needed": {goal.key: cost(items) for goal, items in design.needed.items()},
        "half_widths": {goal.key: [vars(width) for width in widths] for goal, widths in design.widths.items()},
        "powers": {
            goal.key: [{"items": n, "power": power} for n, power in zip(sizes, powers, strict=True)]
            for goal, powers in design.powers.items()
        },
        "closed_form_kappa": design.closed_form,
        "remarks": list(design.remarks),
    }
