"""A closer look at the judge: beside each person, beside trivial judges, where it leans, what it decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolkit.report.cells import Cell, EstimateRow, EstimateTable, Table, statistic_row, thresholds_of
from toolkit.report.facts import NO_LEAN, NOISE, Facts
from toolkit.report.sayings import note_text
from toolkit.stats import AlternativeTest, Pattern
from toolkit.stats.results import Estimate

SMALLEST_P = 0.001


def closer_tables(facts: Facts) -> list[EstimateTable | Table]:
    """Return what can be said about the headline judge in use, as tables; none without a judge."""
    found = [
        each_person(facts),
        alternative(facts),
        without_judgement(facts),
        passing(facts),
        consistency(facts),
        ranking(facts),
        judges_compared(facts),
    ]
    return [table for table in found if table is not None]


def p_text(p: float | None, facts: Facts) -> str:
    """Return a p-value as people write it."""
    if p is None:
        return "—"
    return "< " + facts._.number(SMALLEST_P, 3) if p < SMALLEST_P else facts._.number(p, 3)


def each_person(facts: Facts) -> EstimateTable | None:
    """Return the judge against each person."""
    _, detail = facts._, facts.detail
    if detail is None or not detail.per_annotator:
        return None
    words = {
        "exact_agreement": _("The share of items on which the judge gave exactly that person's score."),
        "mae": _("How many points the judge lies from that person on average, in either direction. 0 is perfect."),
        "bias": _("Judge minus that person on average: above 0 the judge is more generous, below 0 more severe."),
    }
    rows = []
    for key in next(iter(detail.per_annotator.values())):
        row = statistic_row(key, [figures.get(key) for figures in detail.per_annotator.values()], facts)
        rows.append(replace(row, meaning=words.get(key, row.meaning)))
    return EstimateTable("each", _("The judge against each person"), list(detail.per_annotator), rows)


def alternative(facts: Facts) -> Table | None:
    """Return the alternative annotator test, with a judge that always gives the commonest score beside it."""
    _, detail = facts._, facts.detail
    if detail is None or not detail.alternative:
        return None

    def verdict(test: AlternativeTest) -> str:
        return "—" if test.passed is None else _("yes") if test.passed else _("no")

    rows = []
    for epsilon, test in detail.alternative.items():
        other = detail.alternative_commonest[epsilon]
        rows.append(
            (
                Cell(_("Cost of a person {epsilon}", epsilon=_.number(epsilon, 2))),
                *(
                    Cell(_.number(value), value, kind="coefficient")
                    for value in (test.winning_rate, test.advantage_probability, other.winning_rate)
                ),
                Cell(verdict(test)),
            )
        )
    notes = dict.fromkeys(note for test in detail.alternative.values() for note in test.notes)
    meaning = _(
        "For each person in turn: is the judge at least as close to the other people as that person is? It passes when "
        "it wins against at least half of them (Calderon, Reichart & Dror 2025). The allowance (epsilon) is by how "
        "much it may fall short of a person, as a share of the items, because a person costs more. A judge that always "
        "gives the commonest score stands beside it: where that one wins too, passing says little."
    )
    columns = (
        _("Allowance for the judge"),
        _("Share of people it wins against"),
        _("Chance to be as close as a person"),
        _("Always the commonest score: share of people it wins against"),
        _("Passes"),
    )
    remarks = [("", meaning), *(("", note_text(note, _)) for note in notes)]
    return Table("alternative", _("Alternative annotator test"), columns, rows, remarks=remarks)


def without_judgement(facts: Facts) -> EstimateTable | None:
    """Return the judge beside judges that know nothing."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None or not usage.nulls:
        return None
    names = {"commonest": _("Always the commonest score"), "length": _("From the answer's length alone")}
    keys = next(iter(usage.nulls.values()))
    rows = [
        statistic_row(key, [facts.judge_estimates.get(key), *(null.get(key) for null in usage.nulls.values())], facts)
        for key in keys
    ]
    columns = [facts.titled(facts.judge), *(names.get(name, name) for name in usage.nulls)]
    return EstimateTable("nulls", _("The judge beside judges that ignore the answer"), columns, rows)


def shuffled_sentence(facts: Facts) -> str:
    """Say what kappa would be if the judge's scores were dealt out at random."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None or usage.shuffled is None or usage.shuffled.low is None:
        return ""
    return _(
        "If the judge's own scores were dealt out to the items at random, kappa would lie between {low} and {high} in "
        "95 of 100 cases (p of the true order: {p}).",
        low=facts.number(usage.shuffled.low),
        high=facts.number(usage.shuffled.high or 0.0),
        p=p_text(usage.shuffled.p_value, facts),
    )


def passing(facts: Facts) -> EstimateTable | None:
    """Return what happens when scores become a decision."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None or not usage.passing or usage.threshold is None:
        return None
    words = {
        "agreement": (_("Same decision"), _("The share of items that people and judge both pass or both fail.")),
        "false_pass_rate": (_("Wrongly passed"), _("Of the items that people fail, the share that the judge passes.")),
        "false_fail_rate": (_("Wrongly failed"), _("Of the items that people pass, the share that the judge fails.")),
    }
    rows = [EstimateRow(*words[key], [estimate], "share") for key, estimate in usage.passing.items()]
    caption = _("If a score of {threshold} or more passes", threshold=_.score(usage.threshold))
    return EstimateTable("passing", caption, [_("All items")], rows, _("Decision"))


def consistency(facts: Facts) -> EstimateTable | None:
    """Return how far the judge agrees with itself, and whether its stated confidence can be believed."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None or not (usage.retest or usage.calibration):
        return None
    words = {
        "agreement": (
            _("Agreement with itself"),
            _("Of two judgements of the same item, how often they give the same score."),
            "share",
        ),
        "flip_rate": (
            _("Changes its mind"),
            _("The share of items on which repeated judgements are not all the same."),
            "share",
        ),
        "ece": (
            _("Confidence off by"),
            _("How far the stated confidence lies from the share of right scores, on average (ECE). 0 is perfect."),
            "coefficient",
        ),
        "brier": (
            _("Brier score"),
            _("Mean squared distance between the stated confidence and being right. 0 is perfect."),
            "coefficient",
        ),
    }
    rows = []
    for key, estimate in {**usage.retest, **usage.calibration}.items():
        title, meaning, kind = words[key]
        rows.append(EstimateRow(title, meaning, [estimate], kind))
    return EstimateTable("self", _("The judge and itself"), [_("All items")], rows)


def ranking(facts: Facts) -> Table | None:
    """Return whether people and judge rank the chatbots alike."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None or usage.ranking is None:
        return None
    found = usage.ranking

    def cell(one: Estimate) -> Cell:
        return Cell(facts.estimate(one), one.value, facts.interval(one), kind="points")

    rows = [
        (Cell(name), cell(human), cell(judge))
        for name, human, judge in zip(found.systems, found.human, found.judge, strict=True)
    ]
    remarks = []
    # the order of two is right or wrong; a correlation says nothing more
    if found.tau.value is not None and len(found.systems) > 2:
        remarks.append(("", _("Kendall's tau-b of the two orders: {tau}.", tau=facts.estimate(found.tau))))
    if found.same_best is not None:
        share = _.percent(found.same_best)
        remarks.append(("", _("Both put the same chatbot first in {share} of the resamples.", share=share)))
    columns = (_("Chatbot"), _("Mean score of people"), _("Mean score of the judge"))
    return Table("ranking", _("Do people and judge rank the chatbots alike?"), columns, rows, remarks=remarks)


def judges_compared(facts: Facts) -> EstimateTable | None:
    """Return how judges agree with each other, and by how much they differ in their agreement with people."""
    _ = facts._
    if facts.judge is None or not facts.analysis.compared:
        return None
    words = {
        "kappa_quadratic": (_("Agreement with each other"), _("The quadratic-weighted kappa of the two judges.")),
        "kappa_unweighted": (_("Agreement with each other"), _("The unweighted kappa of the two judges.")),
        "kappa_difference": (
            _("Difference in kappa"),
            _("Kappa with the consensus, first judge minus second; an interval that includes 0 decides nothing."),
        ),
        "mae_difference": (
            _("Difference in error"),
            _("Mean absolute error, first judge minus second; below 0 the first is closer to people."),
        ),
    }
    pairs = facts.analysis.compared
    rows = [
        EstimateRow(
            *words[key],
            [figures.get(key) for figures in pairs.values()],
            "points" if key == "mae_difference" else "coefficient",
            NO_LEAN if key.endswith("difference") else thresholds_of(key),
        )
        for key in next(iter(pairs.values()))
    ]
    columns = [_("{one} and {two}", one=facts.titled(one), two=facts.titled(two)) for one, two in pairs]
    return EstimateTable("compared", _("The judges beside each other"), columns, rows)


def lean_tables(facts: Facts) -> list[EstimateTable]:
    """Return where the judge leans, by level and by group, with a held-out person's lean beside it."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None:
        return []
    captions = {
        "level": _("Lean by what the other people think of the item"),
        "dimension": _("Lean by dimension"),
        "category": _("Lean by category"),
        "provider": _("Lean by provider"),
        "model": _("Lean by model"),
        "difficulty": _("Lean by difficulty"),
    }
    found = [_lean(facts, key, captions.get(key, key), patterns) for key, patterns in usage.patterns.items()]
    if usage.own_family is not None:
        found.append(_lean(facts, "family", _("Lean towards chatbots of the judge's own family"), [usage.own_family]))
    if usage.length is not None:
        found.append(
            _lean(facts, "length", _("Change of the lean with each doubling of the answer's length"), [usage.length])
        )
    return found


def _lean(facts: Facts, key: str, caption: str, patterns: Sequence[Pattern]) -> EstimateTable:
    _ = facts._
    rows = []
    # With two or three people on every item the held-out leans add up to 0 by construction: nothing to compare with.
    beside = any(abs(one.person.value or 0.0) > NOISE for one in patterns)
    for one in patterns:
        meaning = ""
        if one.adjusted_p_value is not None:
            p = p_text(one.adjusted_p_value, facts)
            meaning = (
                _("p of the difference, adjusted: {p}.", p=p) if beside else _("p of no lean, adjusted: {p}.", p=p)
            )
        shown = [one.judge, one.person, one.excess] if beside else [one.judge]
        rows.append(EstimateRow(_group(facts, key, one.label), meaning, shown, "points", NO_LEAN))
    columns = [_("Judge"), _("A person, held out"), _("Difference: the judge's own")][: 3 if beside else 1]
    return EstimateTable(f"lean-{key}", caption, columns, rows, _("Items"))


def _group(facts: Facts, key: str, label: str) -> str:
    if key == "level":
        return facts._("Others say {level}", level=label)
    if key == "length":
        return facts._("Each doubling")
    if key == "family":
        return facts._("Own family less others")
    return facts.dimension(label) if key == "dimension" else label
