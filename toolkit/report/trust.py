"""Where the judge may be left alone: kinds of items, how sure it is, and which items of the study go to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from toolkit.analysis.usage import MOST_GROUPS, ROUTING_TARGET, Uncertainty, uncertainty
from toolkit.report.cells import Cell, EstimateRow, EstimateTable, Table
from toolkit.report.facts import BAND_EDGES, NOISE, Facts
from toolkit.stats import Estimate
from toolkit.stats.proportion import proportion

# Of fewer items nothing can be said.
FEWEST = 10
# Longer lists of items are told by their number.
MOST_LISTED = 40
NEAR = 1.0
Rows = NDArray[np.bool_]


def trust_tables(facts: Facts) -> list[EstimateTable | Table]:
    """Return where the judge may be trusted, as tables; none without a judge."""
    if facts.judge is None:
        return []
    found = [kinds_table(facts), surest_table(facts), people_table(facts)]
    return [table for table in found if table is not None]


def kinds_table(facts: Facts) -> Table | None:
    """Return how often the judge is right on each kind of item, and what follows for such items."""
    _, right = facts._, _right(facts)
    rows: list[tuple[Cell, ...]] = []
    few = 0
    for label, chosen in _kinds(facts):
        these = right[chosen & ~np.isnan(right)]
        if these.size >= FEWEST or (these.size and not rows):  # all items come first, and always
            rows.append(_kind(label, proportion(int(these.sum()), these.size), facts))
        else:
            few += bool(these.size)
    if not rows:
        return None
    meaning = (
        _(
            "Right means at most one point from the human consensus. Items may be left to the judge where the whole "
            "interval lies at {target} or above, which takes 35 items or more.",
            target=_.percent(ROUTING_TARGET),
        )
        if facts.wide
        else _(
            "Right means the same answer as the human consensus. Items may be left to the judge where the whole "
            "interval lies at {target} or above, which takes 35 items or more.",
            target=_.percent(ROUTING_TARGET),
        )
    )
    careful = _(
        "Wilson's intervals, which take items as independent, one row at a time: of many rows one may look good, or "
        "bad, by chance."
    )
    remarks = [("", meaning), ("", careful)]
    if few:
        left_out = _.plural(
            "{n} kind of item has fewer than ten items and is left out.",
            "{n} kinds of items have fewer than ten items and are left out.",
            few,
        )
        remarks.append(("", left_out))
    columns = (_("Kind of item"), _("Items"), _("The judge is right"), _("What to do"))
    caption = _("Which items may be left to {judge}", judge=facts.the_judge)
    return Table("kinds", caption, columns, rows, remarks=remarks)


def _kind(label: str, share: Estimate, facts: Facts) -> tuple[Cell, ...]:
    _ = facts._
    low, high = share.ci95 or (0.0, 1.0)
    advice = (
        _("may be left to the judge")
        if low >= ROUTING_TARGET - NOISE
        else _("send to people")
        if high < ROUTING_TARGET
        else _("undecided: send to people for now")
    )
    count = _("{count} of {n}", count=_.number(round((share.value or 0.0) * share.n), 0), n=_.number(share.n, 0))
    under = f"{facts.interval(share, 'share')}; {count}"
    return (
        Cell(label),
        Cell(_.number(share.n, 0), share.n, kind="count"),
        Cell(facts.estimate(share, "share"), share.value, under.replace(" ", "\u00a0"), kind="share"),
        Cell(advice),
    )


def _right(facts: Facts) -> NDArray[np.float64]:
    """Return 1 for items on which the judge is right, 0 for others, NaN where that is not known; shape (n_items,)."""
    assert facts.judge is not None
    apart = np.abs(facts.judges[facts.judge] - np.where(facts.consensus.counted, facts.consensus.headline, np.nan))
    near = (apart <= (NEAR if facts.wide else 0.0) + NOISE).astype(np.float64)
    return np.where(np.isnan(apart), np.nan, near)


def _kinds(facts: Facts) -> Iterator[tuple[str, Rows]]:
    """Yield kinds of items that are known before any person has scored, each with its items."""
    _, items = facts._, facts.panel.items
    yield _("All items"), np.ones(len(items), bool)
    titles = {
        "dimension": _("Dimension"),
        "category": _("Category"),
        "provider": _("Provider"),
        "model": _("Model"),
        "difficulty": _("Difficulty"),
    }
    for field, title in titles.items():
        groups = np.array([getattr(item, field) or "" for item in items])
        if 1 < len(set(groups)) <= MOST_GROUPS and all(groups):
            for group in dict.fromkeys(groups.tolist()):
                name = facts.dimension(group) if field == "dimension" else group
                yield _("{what}: {which}", what=title, which=name), groups == group
    assert facts.judge is not None
    given = facts.judges[facts.judge]
    for code in facts.panel.scale.codes:
        # a mean of several judgements belongs to the level nearest to it
        yield _("The judge says {level}", level=facts.score(code)), np.rint(given) == code
    if (rule := _rule(facts)) is not None:
        unsure, threshold = rule
        left = np.zeros(len(items), bool)
        left[np.flatnonzero(facts.consensus.counted)] = unsure.values <= threshold
        yield _condition(unsure, threshold, facts), left


def _rule(facts: Facts) -> tuple[Uncertainty, float] | None:
    """Return how unsure the judge is and up to where it may be left alone; None where that divides no items."""
    usage = facts.analysis.usage
    if usage is None or usage.routing is None or usage.routing.threshold is None or facts.judge is None:
        return None
    found = uncertainty(facts.panel, facts.judge, facts.consensus.counted)
    if found is None or usage.routing.threshold >= np.nanmax(found.values) - NOISE:
        return None
    return found, usage.routing.threshold


def _condition(unsure: Uncertainty, threshold: float, facts: Facts) -> str:
    _ = facts._
    if unsure.kind == "confidence":
        return _("The judge's confidence is at least {confidence}", confidence=_.number(1 - threshold))
    return _("The judge's repeated scores differ by at most {spread} points", spread=_.number(threshold))


def surest_table(facts: Facts) -> EstimateTable | None:
    """Return agreement when only the items that the judge is surest of are left to it; None where that is unknown."""
    _, usage = facts._, facts.analysis.usage
    if usage is None or not usage.selective:
        return None
    rows = []
    known = usage.selective[-1].agreement.n
    for point in usage.selective:
        left = point.agreement.n
        meaning = _(
            "{left} left to the judge, {sent} sent to people.", left=_.number(left, 0), sent=_.number(known - left, 0)
        )
        title = _("The surest {share}", share=_.percent(point.share)) if left < known else _("All items")
        rows.append(EstimateRow(title, meaning, [point.agreement], thresholds=BAND_EDGES))
    found = uncertainty(facts.panel, facts.judge or "", facts.consensus.counted)
    caption = (
        _("Agreement when only the items that the judge is surest of are left to it, by the confidence it states")
        if found is None or found.kind == "confidence"
        else _("Agreement when only the items that the judge is surest of are left to it, by its repeated scores")
    )
    return EstimateTable(
        "surest",
        caption,
        [_("Quadratic-weighted kappa")],
        rows,
        _("Items"),
    )


def rule_sentence(facts: Facts) -> str:
    """Say by which rule items could be divided between judge and people, and what it keeps of its promise."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None or usage.routing is None:
        return ""
    found, rule = usage.routing, _rule(facts)
    if found.threshold is not None and rule is None:
        return _(
            "Over all items the judge already lies within one point of people on {target} of them or more, so its own "
            "certainty draws no line between items for it and items for people.",
            target=_.percent(ROUTING_TARGET),
        )
    if rule is None or found.agreement is None:
        return _(
            "However sure the judge is, it does not lie within one point of people on {target} of the items: no rule "
            "by its own certainty can be given.",
            target=_.percent(ROUTING_TARGET),
        )
    kept = proportion(round(found.agreement * found.n), found.n)
    return _(
        "A rule: leave an item to the judge when this holds: {condition}. The others go to people. Tried on items that "
        "it was not chosen on, the rule left {share} of them to the judge, which was within one point of people on "
        "{kept} ({count} of {n}, 95% interval {interval}).",
        condition=_lower(_condition(*rule, facts)),
        share=_.percent(found.share),
        kept=facts.estimate(kept, "share"),
        count=_.number(round(found.agreement * found.n), 0),
        n=_.number(found.n, 0),
        interval=facts.interval(kept, "share"),
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def people_table(facts: Facts) -> Table | None:
    """Return the study's items that the rule would send to people, the least sure first; None where it sends none."""
    _, rule = facts._, _rule(facts)
    if rule is None or facts.judge is None:
        return None
    unsure, threshold = rule
    counted = np.flatnonzero(facts.consensus.counted)
    sent = [place for place in np.argsort(-unsure.values, kind="stable") if unsure.values[place] > threshold]
    if not sent:
        return None
    confidence = unsure.kind == "confidence"
    rows = []
    for place in sent[:MOST_LISTED]:
        row, shown = int(counted[place]), float(1 - unsure.values[place] if confidence else unsure.values[place])
        rows.append(
            (
                Cell(facts.names[row]),
                Cell(facts.dimension(facts.panel.items[row].dimension)),
                Cell(_.number(shown), shown, kind="coefficient"),
                *(_score(value, facts) for value in (facts.judges[facts.judge][row], facts.consensus.headline[row])),
            )
        )
    columns = (
        _("Item"),
        _("Dimension"),
        _("Confidence") if confidence else _("Spread"),
        _("Judge"),
        _("Consensus"),
    )
    return Table("to-people", _("Send these to people"), columns, rows, remarks=_more(len(sent), facts), sortable=True)


def _score(value: float, facts: Facts) -> Cell:
    return Cell(facts.score(value), None if np.isnan(value) else float(value), kind="score")


def _more(n: int, facts: Facts) -> Sequence[tuple[str, str]]:
    if n <= MOST_LISTED:
        return ()
    return [("", facts._.plural("And {n} more.", "And {n} more.", n - MOST_LISTED))]
