"""How the figures come about, in sentences: intervals, tests, comparisons with a person held out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from toolkit.analysis.usage import ROUTING_TARGET
from toolkit.report.facts import Facts
from toolkit.stats import MIN_CLUSTERS
from toolkit.stats.alternative import MIN_ITEMS_EACH
from toolkit.stats.nulls import SHUFFLES


def procedures(facts: Facts) -> list[tuple[str, str]]:
    """Return what was done for the figures that this report has, as (label, text)."""
    return [*_shares(facts), *_intervals(facts), *_beside_people(facts), *_closer_looks(facts), *_tests(facts)]


def _shares(facts: Facts) -> Iterator[tuple[str, str]]:
    """Say who was to score which items, where not everybody was to score all, and what that means for the figures."""
    _, assigned = facts._, facts.panel.assigned
    if assigned is None or assigned.all():
        return
    given = assigned.astype(int)
    shared = (given.T @ given)[np.triu_indices(given.shape[1], 1)]
    yield (
        _("Who scored which items"),
        _(
            "Not everybody was to score every item: an annotator had {each} of {items} items, a pair of annotators "
            "shares {shared}. The kappa of a pair is that of the items both scored. Fleiss' kappa, Gwet's coefficients "
            "and Krippendorff's alpha are computed over all scores there are; the intraclass correlations need items "
            "that everybody scored.",
            each=_.span(given.sum(axis=0)),
            items=_.number(len(given), 0),
            shared=_.span(shared),
        ),
    )


def _intervals(facts: Facts) -> Iterator[tuple[str, str]]:
    _, options = facts._, facts.analysis.options
    yield (
        _("What an interval says"),
        _(
            "Items are drawn again and again from those of the study, as many as it has, some of them twice and others "
            "not at all. The interval holds the middle 95% of the values that come out: so far the figure might move "
            "if other items of the same kind had been scored."
        ),
    )
    yield (
        _("Intervals"),
        _(
            "95% percentile intervals of a bootstrap over items (Efron 1979) with {replicates} resamples. Agreement "
            "among people and that of the judges with the consensus come from the same resamples, so a report in which "
            "the judge is held back may show the same interval a little otherwise; each dimension, each sensitivity "
            "and each closer look has its own, from the same seed. No interval below ten items, or when over 5% of the "
            "resamples are undefined.",
            replicates=_.number(options.replicates, 0),
        ),
    )
    yield _("What is drawn"), _drawn(facts)
    if facts.judge is not None:
        yield (
            _("Intervals of a share"),
            _(
                "Shares of items that pass, fail, flip or are judged right have Wilson's interval (1927) where the "
                "bootstrap has none or one without width; so have all shares in the tables of what may be left to the "
                "judge."
            ),
        )


def _drawn(facts: Facts) -> str:
    """Say what the resamples draw: items, or prompts with their items, within strata."""
    _, counted = facts._, facts.consensus.counted
    clusters, strata = facts.panel.clusters(counted), facts.panel.strata(counted)
    different = 0 if clusters is None else len(set(clusters.tolist()))
    if clusters is None:
        text = _("Items, one by one: no two of them are known to share a prompt or a text.")
    elif different < MIN_CLUSTERS:
        text = _.plural(
            "Items, one by one, although they share {n} prompt or text: too few to draw those instead.",
            "Items, one by one, although they share {n} prompts or texts: too few to draw those instead.",
            different,
        )
    else:
        text = _.plural(
            "Prompts or texts with all their items: {n} of them stand behind the {items} items.",
            "Prompts or texts with all their items: {n} of them stand behind the {items} items.",
            different,
            items=_.number(facts.block.n, 0),
        )
    if strata is None:
        return text
    within = _.plural(
        "They are drawn within {n} stratum of the sample.",
        "They are drawn within {n} strata of the sample.",
        len(set(strata.tolist())),
    )
    return f"{text} {within}"


def _beside_people(facts: Facts) -> Iterator[tuple[str, str]]:
    _, usage = facts._, facts.analysis.usage
    if facts.ceiling is not None:
        yield (
            _("Judge and people, like with like"),
            (
                _(
                    "Two people share few items, so mean kappas of pairs would say little. On each item the squared "
                    "differences of the judge from the people are averaged, and those of the people from each other; "
                    "agreement is 1 minus their mean over all items, divided by twice the variance of the human "
                    "scores, in which each item counts once; judge and people have the same items and resamples."
                )
                if facts.ceiling.sparse
                else _(
                    "The mean kappa of the judge with each person is set beside the mean kappa of the people with each "
                    "other, on the same items and resamples."
                )
            )
            + " "
            + _(
                "The judge against the consensus is not comparable with it: a median of several people is steadier "
                "than one person, so a worse judge can look as good."
            ),
        )
        yield (
            _("One person held out"),
            _(
                "Each person in turn is compared with the median of the others, and so is the judge, on the same "
                "items; the kappas are averaged over people. The same is done for the lean, so that what any rater "
                "shows by chance stands beside what is the judge's own."
            ),
        )
    if usage is not None and usage.routing is not None:
        yield (
            _("What may be left to the judge"),
            _(
                "The certainty at which the judge lies within one point of people on {target} of the items is chosen "
                "on four fifths of the items and tried on the last fifth, in turn; the figures are of the items that "
                "it was not chosen on.",
                target=_.percent(ROUTING_TARGET),
            ),
        )
    if facts.analysis.best:
        yield (
            _("Several judges at once"),
            _(
                "Intervals for all judges together are the kappa plus and minus its standard error times the quantile "
                "of the largest deviation in the same resample (Westfall & Young 1993)."
            ),
        )


def _closer_looks(facts: Facts) -> Iterator[tuple[str, str]]:
    """Say how the figures of the closer look at the judge are defined."""
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None or usage is None:
        return
    if usage.passing and usage.threshold is not None:
        yield (
            _("What passes"),
            _(
                "A score of {threshold} or more: the second highest level of the scale, or the higher one of two.",
                threshold=_.score(usage.threshold),
            ),
        )
    if "length" in usage.nulls:
        yield (
            _("A judge that knows only the length"),
            _(
                "A tenth of the items at a time: among the other items lengths (in words) and human scores are put in "
                "order, and an answer gets the score at the place of its length; the other way round where shorter "
                "answers score higher."
            ),
        )
    if usage.length is not None:
        yield (
            _("Lean and length"),
            _(
                "The slope of the least-squares line of the lean on the base-2 logarithm of the number of words in an "
                "item's answers."
            ),
        )
    if usage.calibration:
        yield (
            _("Stated confidence"),
            _(
                "A score is right when it lies at most half a point from the human consensus. For the ECE the items "
                "are put into ten equal ranges of confidence; the distance between mean confidence and share of right "
                "scores in each is averaged, weighted by the items in it (Naeini, Cooper & Hauskrecht 2015). The Brier "
                "score is the mean of (confidence − right)², with right as 1 or 0 (Brier 1950)."
            ),
        )


def _tests(facts: Facts) -> Iterator[tuple[str, str]]:
    _, usage, detail = facts._, facts.analysis.usage, facts.detail
    if facts.judge is not None and usage is not None and usage.shuffled is not None:
        yield (
            _("p of the permutation test"),
            _(
                "The judge's scores are dealt out at random {n} times; p is the share of orders, the true one "
                "included, whose kappa is at least as high (Phipson & Smyth 2010).",
                n=_.number(SHUFFLES, 0),
            ),
        )
    if facts.judge is not None and usage is not None and any(usage.patterns.values()):
        yield (
            _("p of a lean"),
            _(
                "Two-sided, normal, with the standard error of the bootstrap, adjusted for the number of groups in a "
                "table (Benjamini & Hochberg 1995)."
            ),
        )
    if detail is not None and detail.alternative:
        yield (
            _("Alternative annotator test"),
            _(
                "For each person a one-sided t-test, or Wilcoxon's signed-rank test below {n} items, of the person's "
                "lead over the judge against the allowance; p-values corrected for the number of people (Benjamini & "
                "Yekutieli 2001), at 5%.",
                n=_.number(MIN_ITEMS_EACH, 0),
            ),
        )
