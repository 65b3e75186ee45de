"""What people would have scored on the whole log: the estimates of `toolkit population`, as a report shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toolkit.errors import shown
from toolkit.i18n import Language
from toolkit.report.cells import Cell, Table
from toolkit.report.coverage import NOMINAL, SHORTFALL, of_populations
from toolkit.report.facts import Facts
from toolkit.sampling.population_file import Corrected, Dimension, PopulationFile, Remark, RoganGladen

NAME_CHARACTERS = 60
SOURCE = "(Angelopoulos, Duchi & Zrnic 2023)"


def estimates(facts: Facts) -> PopulationFile | None:
    """Return the estimates to show; None where there are none, or the judge behind them is held back."""
    return facts.story.population if facts.judge is not None else None


def estimand(log: str, _: Language) -> str:
    """Say what is estimated."""
    return _("the median score that annotators such as those of this study would give to each record of {log}", log=log)


def lead(facts: Facts) -> str:
    """Say what the section is about."""
    _, found = facts._, estimates(facts)
    if found is None:
        return ""
    return _(
        "Estimated is {estimand}: {n} records, of which the judge scored {scored}.",
        estimand=estimand(found.log.name, _),
        n=_.number(found.log.frame, 0),
        scored=_.number(found.log.scored, 0),
    )


def method(facts: Facts, source: str = SOURCE) -> list[str]:
    """Say how, and how far the intervals can be trusted, sentence by sentence.

    Args:
        facts: The report.
        source: How the method's source is cited.
    """
    _ = facts._
    return [
        _(
            "Prediction-powered inference {source} with the sample's weights: people's scores, moved by as much as the "
            "judge's scores of the sample differ from its scores of the log, and by more the better the judge follows "
            "people (the weight, from 0 to 1).",
            source=source,
        ),
        _(
            "The weight of a record is chosen from the other records, so that no score decides how far it is itself "
            "corrected (cross-fitting); the tables show the mean of these weights, which alone does not give the "
            "estimate."
        ),
        *(covered(of_populations(), _)),
    ]


def covered(measured: Mapping[int, Mapping[str, float]], _: Language) -> list[str]:
    """Say how often intervals held the truth in simulations, and for which figures that is too seldom.

    Args:
        measured: Coverage by records scored and kind of figure.
        _: The language.
    """
    lowest = "; ".join(
        _("{n} scored records: {share}", n=_.number(n, 0), share=_.percent(min(of.values())))
        for n, of in measured.items()
    )
    floor = NOMINAL - SHORTFALL
    kinds = {
        "share": _("shares"),
        "mean": _("the mean score"),
        "difference": _("differences between models"),
    }
    short = [
        _("{figures} at {n} scored records", figures=", ".join(figures), n=_.number(n, 0))
        for n, of in measured.items()
        if (figures := [name for kind, name in kinds.items() if of[kind] < floor])
    ]
    said = _(
        "In simulated logs (judges that are biased, noisy, skewed, useless or excellent; even and skewed scores; "
        "random samples and samples with unequal weights) 95% intervals held the truth at least so often: {lowest}.",
        lowest=lowest,
    )
    if not short:
        return [said]
    return [
        said,
        _(
            "That is less than {floor}, so take intervals for too narrow: {figures}.",
            floor=_.percent(floor),
            figures="; ".join(short),
        ),
    ]


def tables(facts: Facts, *, wide: bool = False) -> list[Table]:
    """Return a table for each dimension that has estimates.

    Args:
        facts: The report.
        wide: Whether the ends of an interval have columns of their own, as a spreadsheet wants them.
    """
    found = estimates(facts)
    if found is None:
        return []
    return [
        _table(place, key, one, facts, wide)
        for place, (key, one) in enumerate(found.dimensions.items())
        if one is not None
    ]


def remarks(facts: Facts) -> list[str]:
    """Say what limits the estimates, strata that cannot be estimated among it."""
    found = estimates(facts)
    if found is None:
        return []
    several = len(found.dimensions) > 1
    return [
        remark_text(one, facts._, facts.dimension(one.dimension) if several and one.dimension else "")
        for one in found.remarks
    ]


def _table(place: int, key: str, one: Dimension, facts: Facts, wide: bool) -> Table:
    _ = facts._
    rows = [
        _row(_("Share at or above {score}", score=_.score(float(level))), share, "share", facts, wide)
        for level, share in one.share_at_or_above.items()
    ]
    mean = _("It treats the steps between scores as equal.")
    rows.append(_row(_("Mean score"), one.mean, "coefficient", facts, wide, mean))
    rows += [
        _row(_("Mean score: {first} less {second}", first=d.first, second=d.second), d, "coefficient", facts, wide)
        for d in one.differences
    ]
    if one.rogan_gladen is not None:
        rows.append(_rogan_gladen(one.rogan_gladen, facts, wide))
    columns = [_("Figure"), _("Estimate"), _("The judge alone"), _("People alone"), _("Weight of the judge")]
    if wide:
        columns[2:2] = [_("95% from"), _("95% to")]
    return Table(
        f"population-{place}",
        _(
            "{dimension}: the whole log, from {n} records that people scored",
            dimension=facts.dimension(key),
            n=_.number(one.n, 0),
        ),
        columns,
        rows,
    )


def _row(name: str, one: Corrected, kind: str, facts: Facts, wide: bool, meaning: str = "") -> tuple[Cell, ...]:
    return (
        Cell(name, under=meaning),
        *_value(one.value, one.ci95, kind, facts, wide),
        _cell(one.judge_alone, kind, facts),
        _cell(one.people_alone, kind, facts),
        _cell(one.power, "coefficient", facts),
    )


def _rogan_gladen(one: RoganGladen, facts: Facts, wide: bool) -> tuple[Cell, ...]:
    _ = facts._
    name = _("Share at or above {score}, Rogan-Gladen", score=_.score(one.threshold))
    meaning = _("The judge's share, corrected for its false passes and fails.")
    return Cell(name, under=meaning), *_value(one.value, one.ci95, "share", facts, wide), *(Cell(""),) * 3


def _value(value: float, ends: tuple[float, float], kind: str, facts: Facts, wide: bool) -> tuple[Cell, ...]:
    if wide:
        return tuple(_cell(number, kind, facts) for number in (value, *ends))
    low, high = (_cell(end, kind, facts).text for end in ends)
    under = facts._("{low} to {high}", low=low, high=high).replace(" ", "\u00a0")
    return (replace(_cell(value, kind, facts), under=under),)


def _cell(value: float, kind: str, facts: Facts) -> Cell:
    return Cell(facts._.percent(value) if kind == "share" else facts.number(value), value, kind=kind)


def remark_text(remark: Remark, _: Language, dimension: str = "") -> str:
    """Say what a remark means, after the name of its dimension where that is given."""
    text = _remark(remark, _)
    return _("{dimension}: {text}", dimension=dimension, text=text) if dimension else text


def _remark(remark: Remark, _: Language) -> str:
    n, of = _.number(remark.n, 0), _.number(remark.of, 0)
    names = ", ".join(shown(name, NAME_CHARACTERS) for name in remark.names)
    match remark.kind:
        case "items_not_in_log":
            return _("items of the study that are not in the log: {n} ({names})", n=n, names=names)
        case "scores_not_in_log":
            return _("judge scores in the log that are not the study's: {n} ({names})", n=n, names=names)
        case "no_consensus":
            return _("{n} of {of} items have no consensus; others of their stratum represent them", n=n, of=of)
        case "lost_strata":
            return _("not estimable, because no record of the stratum has a consensus: {names}", names=names)
        case "nothing_scored":
            return _("not estimable: the log has no scored record of it, or people scored none")
        case "too_few":
            return _("not estimable: people and judge scored fewer than {n} records", n=n)
        case "not_judged":
            return _("{n} of {of} records have no judge score and are left out of the estimates", n=n, of=of)
        case "no_chance":
            return _("no chance of being chosen, so not estimable and left out: {names}", names=names)
        case "other_size":
            return _(
                "the sample's weights stand for {n} records and the log has {of}: some had no chance of being chosen, "
                "or the log is another one; estimates are of those that had a chance, from people's scores alone",
                n=n,
                of=of,
            )
        case "no_weights":
            return _("the sample carries no weights: it is treated as a random sample of the whole log")
        case "few":
            return _("{n} records: below {of}, intervals are rough", n=n, of=of)
        case "rare":
            levels = ", ".join(map(_.score, remark.levels))
            return _(
                "fewer than five records on one side of level {levels}: its interval rests on very little",
                levels=levels,
            )
