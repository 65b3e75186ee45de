"""The reporting checklist: what the GRRAS guidelines ask for, in our words, filled where the data allow."""

from __future__ import annotations

from toolkit.i18n import Language
from toolkit.report.blindness import saw_scores
from toolkit.report.cells import Cell, Table
from toolkit.report.facts import Facts
from toolkit.report.plan import TOLD
from toolkit.report.sayings import saying


def checklist(facts: Facts) -> Table:
    """Return the checklist as a table: number, what is asked, what the data say to it."""
    _ = facts._
    rows = []
    for number, (asked, told) in enumerate(zip(_asked(_), _told(facts), strict=True), 1):
        state = _("told here") if told else _("for you to write")
        rows.append((Cell(str(number)), Cell(asked), Cell(told or "—"), Cell(state)))
    columns = (_("No."), _("What is asked"), _("What the data say"), _("State"))
    return Table("checklist-table", _("GRRAS, item by item"), columns, rows, look="wordy")


def _asked(_: Language) -> tuple[str, ...]:
    return (
        _("Say in the title or the abstract that agreement between raters was studied."),
        _("Name and describe the instrument whose scores are compared."),
        _("Say to which objects the results are to apply."),
        _("Say to which raters the results are to apply."),
        _("Say what is known already about this agreement, and why the study was made."),
        _("Explain how the numbers of raters, of items and of repeated scores were chosen."),
        _("Describe how the items and the raters were found."),
        _("Describe how scoring went: what raters knew, what they could see, in what order."),
        _("Say whether the scores were given independently."),
        _("Describe the statistical analysis."),
        _("Give the numbers of raters, items and repeated scores that came in."),
        _("Describe the raters and the items: training, experience, kinds of items."),
        _("Report the estimates with their uncertainty."),
        _("Discuss what the results mean in practice."),
        _("Give the results in detail."),
    )


def _told(facts: Facts) -> tuple[str, ...]:
    """Return what the data say to each item; empty where they say nothing."""
    _, panel, story = facts._, facts.panel, facts.story
    dimensions = ", ".join(facts.dimensions.values())
    scale = _("the scale {scale}", scale=str(panel.scale))
    instrument = _("{rubric}: {dimensions}, on {scale}.", rubric=story.rubric.name, dimensions=dimensions, scale=scale)
    if facts.judge is not None:
        instrument += " " + _("The judge: {judge}.", judge=facts.judge)
    return (
        "",
        instrument,
        "",
        "",
        "",
        "",
        _sampling(facts),
        _scoring(facts),
        _("Each annotator had a workbook of their own, without anybody else's scores.") if story.study else "",
        _(
            "Section “{section}”: {figure} first, bootstrap intervals with {n} resamples, seed {seed}.",
            section=_("Method"),
            figure=saying(facts.kappa, _).name,
            n=_.number(facts.analysis.options.replicates, 0),
            seed=facts.analysis.options.seed,
        ),
        _(
            "{raters} annotators, {items} items, of which {counted} count; {scores} scores.",
            raters=_.number(len(panel.annotators), 0),
            items=_.number(len(panel.items), 0),
            counted=_.number(facts.block.n, 0),
            scores=_.number(int((panel.scores == panel.scores).sum()), 0),
        )
        + (f" {facts.scored_by}" if facts.scored_by else ""),
        _people(facts),
        _("With 95% intervals: {sections}.", sections=_estimates(_, judge=facts.judge is not None)),
        "",
        _("Every item with all its scores is in this report, in consensus.csv and in report.xlsx."),
    )


def _sampling(facts: Facts) -> str:
    _ = facts._
    strata = {item.stratum for item in facts.panel.items if item.stratum}
    if not strata:
        return ""
    return _("The items name the stratum they were drawn from: {n} strata.", n=_.number(len(strata), 0))


def _scoring(facts: Facts) -> str:
    _, study = facts._, facts.story.study
    if study is None:
        return ""
    order = (
        _("all items mixed, in an order of each annotator's own")
        if study.order == "mixed"
        else _("one dimension at a time, in an order of each annotator's own")
    )
    if names := saw_scores(facts.story.closing):
        return _(
            "The workbooks show neither judge nor model nor anybody else's scores, but {names} said they had seen a "
            "score before they finished; {order}.",
            names=", ".join(names),
            order=order,
        )
    return _("The workbooks show neither judge nor model nor anybody else's scores; {order}.", order=order)


def _people(facts: Facts) -> str:
    _, study = facts._, facts.story.study
    known = [one for one in (study.annotators if study else ()) if any(getattr(one, field) for field in TOLD)]
    if not known:
        return ""
    return _.plural(
        "Section “{section}” describes {n} of the annotators.",
        "Section “{section}” describes {n} of the annotators.",
        len(known),
        section=_("Annotators and data"),
    )


def _estimates(_: Language, *, judge: bool) -> str:
    return "; ".join([_("People among themselves"), *([_("Judge against people")] if judge else [])])
