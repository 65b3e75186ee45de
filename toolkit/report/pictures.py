"""Which pictures a report has, and what is in them. Both the page and the picture files draw these."""

from __future__ import annotations

from toolkit.report.facts import Facts
from toolkit.report.figures import Forest, Line, forest, lean
from toolkit.report.sayings import saying

# More pairs than this are read in the matrix, not in the picture.
MOST_PAIRS = 15


def ceiling(facts: Facts) -> Forest | None:
    """Return the judge beside the people, like with like; None where they are not compared."""
    _, found = facts._, facts.ceiling
    if found is None or found.leading[-1].value is None:
        return None
    of_judge, of_people, _difference = found.leading
    lines = [
        Line(_("Person with person, pooled") if found.sparse else _("Person with person, mean"), of_people, "people"),
        Line(_("Judge with person, pooled") if found.sparse else _("Judge with person, mean"), of_judge, "judge"),
    ]
    return forest("picture-ceiling", _("The judge beside the people, like with like"), lines, facts)


def people(facts: Facts) -> Forest | None:
    """Return how far people agree: all pairs, each pair, each dimension; None where nothing can be drawn."""
    _, mean = facts._, facts.people_kappa
    if facts.people_figure == "krippendorff_alpha_interval":
        return _all_at_once(facts)
    lines = [Line(_("Mean of all pairs"), mean, "mean")] if mean is not None and not facts.nominal else []
    if "mean_pairwise_kappa" in facts.block.within_people:
        lines.append(Line(_("Mean, within dimensions"), facts.block.within_people["mean_pairwise_kappa"], "mean"))
    if 1 < len(facts.block.pairs) <= MOST_PAIRS:
        for (one, two), estimates in facts.block.pairs.items():
            lines.append(Line(_("{one} and {two}", one=one, two=two), estimates[facts.kappa], "people", 1))
    if len(facts.analysis.headline.by_dimension) > 1 and not facts.nominal:
        for key, block in facts.analysis.headline.by_dimension.items():
            lines.append(Line(facts.dimension(key), block.people["mean_pairwise_kappa"], "people", 2))
    return forest("picture-people", _("How far people agree with each other"), lines, facts) if lines else None


def _all_at_once(facts: Facts) -> Forest | None:
    """Return how far people agree where pairs share so few items that the figures of pairs say nothing."""
    key, lead = facts.people_figure, facts.people_kappa
    lines = [Line(saying(key, facts._).name, lead, "mean")] if lead is not None else []
    if len(facts.analysis.headline.by_dimension) > 1:
        for dimension, block in facts.analysis.headline.by_dimension.items():
            lines.append(Line(facts.dimension(dimension), block.people[key], "people", 2))
    return forest("picture-people", facts._("How far people agree with each other"), lines, facts) if lines else None


def judge(facts: Facts) -> Forest | None:
    """Return the judges' kappa with the consensus, overall and by dimension; None without a judge."""
    _, name = facts._, facts.judge
    if name is None:
        return None
    lines = [Line(_("All items"), facts.judge_estimates[facts.kappa], "mean")]
    within = facts.block.within_judges.get(name, {}).get(facts.kappa)
    if within is not None:
        lines.append(Line(_("Within dimensions"), within, "mean"))
    if len(facts.analysis.headline.by_dimension) > 1:
        for key, block in facts.analysis.headline.by_dimension.items():
            lines.append(Line(facts.dimension(key), block.judges[name][facts.kappa], "judge", 1))
    for other in list(facts.judges)[1:]:
        lines.append(
            Line(_("{judge}, all items", judge=facts.titled(other)), facts.block.judges[other][facts.kappa], "judge", 2)
        )
    told = {"kappa": saying(facts.kappa, _).name, "judge": facts.titled(name)}
    title = (
        _("{kappa} of {judge} and the other judges with the human consensus", **told)
        if len(facts.judges) > 1
        else _("{kappa} of {judge} with the human consensus", **told)
    )
    return forest("picture-judge", title, lines, facts)


def bias(facts: Facts) -> Forest | None:
    """Return which way the judge leans, overall and by dimension; None without a judge or an order of scores."""
    _, name = facts._, facts.judge
    if name is None or facts.nominal:
        return None
    lines = [Line(_("All items"), facts.judge_estimates["bias"], "mean")]
    if len(facts.analysis.headline.by_dimension) > 1:
        for key, block in facts.analysis.headline.by_dimension.items():
            lines.append(Line(facts.dimension(key), block.judges[name]["bias"], "judge", 1))
    title = _("Judge minus people, in points: to the right more generous, to the left more severe")
    return lean("picture-bias", title, lines, facts)
