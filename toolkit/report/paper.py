"""What a thesis or paper says of the study: a methods paragraph, the results in sentences, the main tables.

LaTeX and Word show the same. A source stands in a sentence as a mark, which each of them turns into a citation of
its own kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from toolkit import __version__
from toolkit.report import population, tables, triaged
from toolkit.report.cells import EstimateTable, thresholds_of
from toolkit.report.cite import PROGRAM
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying
from toolkit.report.sentences import bias_sentence, direction_sentence, exploratory, people_sentence
from toolkit.report.verdict import verdict

_MARK = re.compile("\u27e6([a-z0-9,]+)\u27e7")


def mark(*keys: str) -> str:
    """Return the mark of sources in a sentence."""
    return f"\u27e6{','.join(keys)}\u27e7"


def cited(text: str, cite: Callable[[list[str]], str], other: Callable[[str], str]) -> str:
    """Return a sentence with its marks turned into citations, and everything else into what `other` makes of it.

    Where there is nothing to cite, the space before the mark goes with it.
    """
    found = ""
    for place, piece in enumerate(_MARK.split(text)):
        if place % 2 == 0:
            found += other(piece)
        else:
            shown = cite(piece.split(","))
            found = found + shown if shown else found.rstrip(" ")
    return found


def methods(facts: Facts) -> list[str]:
    """Return the methods paragraph, sentence by sentence."""
    return list(_methods(facts))


def _methods(facts: Facts) -> Iterator[str]:
    _, panel, options = facts._, facts.panel, facts.analysis.options
    counts = {
        "people": _.number(len(panel.annotators), 0),
        "items": _.number(len(panel.items), 0),
        "scale": str(panel.scale),
        "dimensions": ", ".join(facts.dimensions.values()),
    }
    if facts.story.study is not None:
        yield _(
            "{people} annotators scored {items} items ({dimensions}) on the scale {scale}, each in a workbook of their "
            "own, which shows neither judge nor model nor anybody else's scores.",
            **counts,
        )
    else:
        yield _(
            "The scores of {people} annotators on {items} items ({dimensions}, scale {scale}) were analysed.", **counts
        )
    if facts.scored_by:
        yield facts.scored_by
    yield _consensus(facts)
    if facts.block.n < len(panel.items):
        yield _.plural(
            "{n} item counts; on the others scores are missing.",
            "{n} items count; on the others scores are missing.",
            facts.block.n,
        )
    if facts.nominal:
        yield _(
            "Agreement among people was measured by Fleiss' kappa {fleiss}, that of the judge with the consensus by "
            "Cohen's kappa {cohen}.",
            fleiss=mark("fleiss1971"),
            cohen=mark("cohen1960"),
        )
    else:
        if facts.people_figure == "mean_pairwise_kappa":
            yield _(
                "Agreement was measured by quadratic-weighted kappa {cohen}, among people as the mean over all pairs "
                "{light}.",
                cohen=mark("cohen1968"),
                light=mark("light1971"),
            )
        else:
            yield _(
                "Agreement was measured by quadratic-weighted kappa {cohen}, among people, of whom two share few "
                "items, by Krippendorff's alpha with squared differences {krippendorff}.",
                cohen=mark("cohen1968"),
                krippendorff=mark("krippendorff2011"),
            )
        if facts.judge is not None:
            yield _(
                "{judge} was compared with the consensus by quadratic-weighted kappa, Pearson's correlation, mean "
                "absolute error and bias.",
                judge=_("The judge ({judge})", judge=facts.judge)
                if facts.judge in facts.named_judges
                else facts.called(facts.judge, first=True),
            )
    if facts.ceiling is not None and facts.ceiling.sparse:
        yield _(
            "To set it beside people like with like, its squared differences from the annotators were compared with "
            "those of the annotators from each other, pooled over all items and in units of kappa; it counts as "
            "equally good when the interval of the difference lies above −{margin}.",
            margin=_.number(facts.ceiling.margin),
        )
    elif facts.ceiling is not None:
        yield _(
            "To set it beside people like with like, its mean kappa with single annotators was compared with the mean "
            "kappa of the annotators with each other; it counts as equally good when the interval of the difference "
            "lies above −{margin}.",
            margin=_.number(facts.ceiling.margin),
        )
    if facts.triage:
        yield _(
            "Items on which judge and consensus lay two or more points apart were read again with the two scores "
            "unlabelled; the error rate has a Wilson interval {wilson}.",
            wilson=mark("wilson1927"),
        )
    yield _(
        "Intervals are 95% percentile intervals of a bootstrap over items {efron} ({replicates} resamples, seed "
        "{seed}). Everything was computed with toolkit {version} {program}. The report goes through the items of GRRAS "
        "{grras}, says what the data tell about each, and lists those that are left to the author.",
        efron=mark("efron1979"),
        replicates=_.number(options.replicates, 0),
        seed=options.seed,
        version=__version__,
        program=mark(PROGRAM),
        grras=mark("kottner2011"),
    )


def _consensus(facts: Facts) -> str:
    _ = facts._
    if facts.nominal:
        rule = _("The human consensus of an item is the score that most annotators gave.")
        if not facts.consensus.of_two.any():
            return rule
        return " ".join(
            (rule, _("Where two annotators gave different ones, it is the one they agreed on in a discussion."))
        )
    if facts.consensus.of_two.any() and not facts.consensus.of_two.all():
        return _(
            "The human consensus of an item is the median of its independent scores; where it has two annotators "
            "whose scores lay two or more points apart, it is the score agreed in a discussion."
        )
    if facts.consensus.of_two.all():
        return _(
            "The human consensus of an item is the median of its two scores, or the score agreed in a discussion where "
            "they lay two or more points apart."
        )
    return _("The human consensus of an item is the median of its independent scores.")


def results(facts: Facts) -> list[str]:
    """Return the results, sentence by sentence."""
    found = verdict(facts)
    sentences = [found.sentence, *found.support]
    if facts.people_kappa is not None:
        sentences.append(people_sentence(facts.people_kappa, facts))
    sentences.append(_judged(facts))
    if facts.judge is not None and not facts.nominal:
        sentences += [bias_sentence(facts, facts.judge_estimates.get("bias")), direction_sentence(facts)]
    if facts.triage:
        sentences.append(triaged.sentence(facts))
    return list(dict.fromkeys(filter(None, (*sentences, exploratory(facts)))))


def whole_log(facts: Facts) -> list[str]:
    """Return what is estimated for the whole log and how, sentence by sentence; nothing where nobody estimated it."""
    if population.estimates(facts) is None:
        return []
    return [population.lead(facts), *population.method(facts, mark("angelopoulos2023"))]


def _judged(facts: Facts) -> str:
    """Say how the judge agrees with the consensus, in one sentence; nothing without a judge."""
    _, said = facts._, []
    for key in (facts.kappa, "pearson", "mae"):
        if (estimate := facts.judge_estimates.get(key)) is not None:
            name, kind = saying(key, _).name, saying(key, _).kind
            edges = thresholds_of(key)
            value, interval = facts.estimate(estimate, kind, edges), facts.interval(estimate, kind, edges)
            shown = _("{figure}: {value} (95% interval {interval})", figure=name, value=value, interval=interval)
            said.append(shown if interval else f"{name}: {value}")
    return _("The judge against the human consensus: {figures}.", figures="; ".join(said)) if said else ""


def main_tables(facts: Facts) -> dict[str, EstimateTable]:
    """Return the tables that a paper shows, by name."""
    found = {"people": tables.people_table(facts, main=True)}
    if facts.judge is not None:
        found["judge"] = tables.judge_table(facts, facts.judge, main=True)
    if (ceiling := tables.ceiling_table(facts)) is not None:
        found["like-with-like"] = ceiling
    if len(facts.judges) > 1:
        found["judges"] = tables.judges_table(facts)
    if facts.analysis.sensitivity:
        found["sensitivity"] = tables.sensitivity_table(facts)
    if facts.triage:
        found["triage"] = triaged.rates_table(facts)
    return found
