"""The reporting checklist: what the GRRAS guidelines ask for, in our words, filled where the data allow."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from toolkit.i18n import Language
from toolkit.report.blindness import saw_scores
from toolkit.report.cells import Cell, Table
from toolkit.report.facts import Facts
from toolkit.report.plan import TOLD
from toolkit.report.sayings import saying
from toolkit.report.verdict import verdict

# More kinds of items than this are counted, not named.
MOST_NAMED = 8


class _Told(NamedTuple):
    """What the data say to an item of the checklist, and whether that is all it asks for."""

    text: str = ""
    whole: bool = True


def checklist(facts: Facts) -> Table:
    """Return the checklist as a table: number, what is asked, what the data say to it."""
    _ = facts._
    rows = []
    for number, (asked, told) in enumerate(zip(_asked(_), _told(facts), strict=True), 1):
        state = _("for you to write") if not told.text else _("told here") if told.whole else _("told here in part")
        rows.append((Cell(str(number)), Cell(asked), Cell(told.text or "—"), Cell(state)))
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


def _told(facts: Facts) -> tuple[_Told, ...]:
    """Return what the data say to each item; nothing where only the author knows."""
    _, panel, story = facts._, facts.panel, facts.story
    dimensions = ", ".join(facts.dimensions.values())
    scale = _("the scale {scale}", scale=str(panel.scale))
    instrument = _("{rubric}: {dimensions}, on {scale}.", rubric=story.rubric.name, dimensions=dimensions, scale=scale)
    if facts.judge is not None:
        instrument += " " + (
            _("The judge: {judge}.", judge=facts.judge)
            if facts.judge in facts.named_judges
            else _("The judge has no name in the files.")
        )
    people, kinds = _people(facts), _kinds(facts)
    return (
        _Told(),
        _Told(instrument),
        _Told(kinds, whole=False),
        _Told(people, whole=False),
        _Told(),
        _Told(_numbers(facts), whole=False),
        _Told(_sampling(facts), whole=False),
        _Told(_scoring(facts)),
        _Told(_("Each annotator had a workbook of their own, without anybody else's scores.") if story.study else ""),
        _Told(
            _(
                "Section “{section}”: {figure} first, bootstrap intervals with {n} resamples, seed {seed}.",
                section=_("Method"),
                figure=saying(facts.kappa, _).name,
                n=_.number(facts.analysis.options.replicates, 0),
                seed=facts.analysis.options.seed,
            )
        ),
        _Told(" ".join(filter(None, (_counts(facts), facts.scored_by, _repeats(facts))))),
        _Told(" ".join(filter(None, (people, kinds))), whole=bool(people)),
        _Told(_("With 95% intervals: {sections}.", sections=_estimates(_, judge=facts.judge is not None))),
        _Told(" ".join(filter(None, (verdict(facts).sentence, verdict(facts).advice))), whole=False),
        _Told(_("Every item with all its scores is in this report, in consensus.csv and in report.xlsx.")),
    )


def _counts(facts: Facts) -> str:
    """Return how many raters, items and scores came in."""
    _, panel = facts._, facts.panel
    return _(
        "{raters} annotators, {items} items, of which {counted} count; {scores} scores.",
        raters=_.number(len(panel.annotators), 0),
        items=_.number(len(panel.items), 0),
        counted=_.number(facts.block.n, 0),
        scores=_.number(int((~np.isnan(panel.scores)).sum()), 0),
    )


def _repeats(facts: Facts) -> str:
    """Return how often the judge scored an item again; empty where it did not, or where that is not known."""
    _, repeats = facts._, facts.panel.repeats.get(facts.judge or "")
    if repeats is None:
        return ""
    given = (~np.isnan(repeats)).sum(axis=1)
    return _(
        "{judge} scored each item {n} times.",
        judge=facts.called(facts.judge or "", first=True),
        n=_.span(given[given > 0]),
    )


def _kinds(facts: Facts) -> str:
    """Return what kinds of items were scored."""
    _, items = facts._, facts.panel.items
    fields: dict[str, list[str | None]] = {
        _("Dimension"): [facts.dimension(item.dimension) for item in items],
        _("Category"): [item.category for item in items],
        _("Provider"): [item.provider for item in items],
        _("Model"): [item.model for item in items],
        _("Difficulty"): [item.difficulty for item in items],
    }
    found = []
    for title, values in fields.items():
        counts = Counter(value for value in values if value)
        if 0 < len(counts) <= MOST_NAMED:
            named = ", ".join(f"{value} ({_.number(count, 0)})" for value, count in counts.items())
            found.append(_("{field}: {values}.", field=title, values=named))
        elif counts:
            found.append(_("{field}: {n} different ones.", field=title, n=_.number(len(counts), 0)))
    return " ".join(found)


def _numbers(facts: Facts) -> str:
    """Return how wide an interval these numbers of raters and items allow."""
    _, first = facts._, facts.judge_estimates.get(facts.kappa) or facts.people_kappa
    if first is None or first.ci95 is None:
        return ""
    key = facts.kappa if facts.judge is not None else facts.people_figure
    return _(
        "The 95% interval with these numbers of raters and items: {interval} ({figure}).",
        figure=saying(key, _).name,
        interval=facts.interval(first),
    )


def _sampling(facts: Facts) -> str:
    _ = facts._
    strata = {item.stratum for item in facts.panel.items if item.stratum}
    if not strata:
        return ""
    return _.plural(
        "The items name the stratum they were drawn from: {n} stratum.",
        "The items name the stratum they were drawn from: {n} strata.",
        len(strata),
    )


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
