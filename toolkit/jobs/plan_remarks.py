"""What is worth saying about a plan: what a design cannot tell, where the formula is optimistic, what is rough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolkit.jobs.plan_data import Design, Goal, Question
from toolkit.sampling.panels import Panel, Pilot
from toolkit.texts import many

FEW_PILOT_ITEMS = 30
OPTIMISTIC = 1.05
SKEW = 0.5
FEW_ITEMS = 100
CROWDED = 1.005
HOPELESS = 0.5


def of_design(question: Question, annotators: int, overlap: int) -> list[str]:
    """Return what a design cannot tell."""
    if overlap == 1:
        what = "one score per item: people cannot be compared with each other, so no ceiling"
        return [f"{what}, no alternative annotator test, and no consensus: the judge is set against one person"]
    said = []
    if annotators == 2:
        apart = "that differ" if question.scale.kind == "nominal" else "two or more apart"
        said.append(f"two annotators are a fallback: scores {apart} have to be discussed")
    if overlap == 2 and "alt-test" in question.metrics:
        said.append("two scores per item: no alternative annotator test, which needs three")
    if overlap == 2 and question.scale.kind == "nominal":
        said.append("two scores per item: two that differ give no consensus; here they count as half a pass")
    return said


def hopeless(needed: Mapping[Goal, int | None], powers: Mapping[Goal, list[float | None]]) -> list[str]:
    """Return the findings that no number of items makes probable."""
    why = "more items hardly help, since what is expected of judge and people does not amount to it"
    return [
        f"{goal.key.replace('_', ' ')}: {why}"
        for goal, shares in powers.items()
        if needed[goal] is None and shares[-1] is not None and shares[-1] < HOPELESS
    ]


def optimistic(designs: Sequence[Design], panel: Panel) -> list[str]:
    """Say where the simulation asks for more items than the formula, and why."""
    said = []
    for overlap, design in {design.overlap: design for design in designs}.items():
        simulated, formula = design.needed.get(Goal("kappa")), design.closed_form
        if simulated is None or formula is None or simulated <= OPTIMISTIC * formula:
            continue
        table, _ = panel.table(overlap)
        commonest = float(max(table.sum(axis=0).max(), table.sum(axis=1).max()))
        reasons = []
        if commonest > SKEW:
            reasons.append(f"{commonest:.0%} of the scores are on one level")
        if isinstance(panel, Pilot) and panel.clusters_drawn(overlap):
            reasons.append("it takes items that share a prompt for independent")
        if formula < FEW_ITEMS:
            reasons.append("so few items are not enough for a normal approximation")
        why = " and ".join(reasons) or "kappas of single studies spread unevenly about their mean"
        said.append(
            f"overlap {overlap}: the closed form (Fleiss, Cohen & Everitt 1969) asks for {many(formula, 'item')} only, "
            f"the simulation for {simulated}: the formula is optimistic here ({why})"
        )
    return said


def small_studies(question: Question, designs: Sequence[Design]) -> list[str]:
    """Say which rates are undefined in small studies."""
    said = []
    for metric, name in (("tpr", "pass"), ("tnr", "fail")):
        if any(w.half_width is None for design in designs for w in design.widths.get(Goal(metric), [])):
            level = question.scale.value(question.threshold)
            said.append(f"in small studies too few answers {name} (they pass from {level} on) for a rate to be defined")
    return said


def about_items(have: int | None, crowded: tuple[int, float] | None, drawn: int | None = None) -> list[str]:
    """Say what the items of the pilot or sample mean for the plan.

    Args:
        have: Complete items of the pilot.
        crowded: Prompts of a sample or pilot, and items per prompt.
        drawn: The prompts of the pilot, where studies are drawn by whole prompts.
    """
    said = []
    if have is not None and have < FEW_PILOT_ITEMS:
        said.append(f"the pilot has {many(have, 'complete item')}: what it says of larger studies is rough")
    together = "scores of one prompt go up and down together"
    if drawn is not None:
        said.append(
            f"some items share a prompt ({many(drawn, 'prompt')} in the pilot), and {together}: studies were simulated "
            "prompt by prompt, with as many items from each as in the pilot; formulas take items for independent"
        )
    elif crowded is not None and crowded[1] > CROWDED:
        prompts, most = crowded
        said.append(
            f"some items share a prompt ({many(prompts, 'prompt')} in all), and {together}; "
            f"simulation and formula take items for independent, so plan up to {most:.1f} times as many"
        )
    return said
