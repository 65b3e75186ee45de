"""The verdict in a sentence, and what is said beside the headline figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from toolkit.i18n import Language
from toolkit.report.facts import FEW_ITEMS, Facts
from toolkit.report.sayings import band_word, saying
from toolkit.stats.bands import BAND_FLOORS, Band, band, bands_spanned
from toolkit.stats.ceiling import Ceiling
from toolkit.stats.ceiling import Verdict as Outcome
from toolkit.stats.results import Estimate

Tone = Literal["good", "bad", "open"]
NO_DIFFERENCE = 0.005


@dataclass(frozen=True)
class Verdict:
    """What the first screen says.

    Attributes:
        tone: Whether it speaks for the judge, against it, or leaves the question open.
        word: The tone in a word or two, so that nothing rests on a colour.
        sentence: The verdict.
        support: What it rests on.
    """

    tone: Tone
    word: str
    sentence: str
    support: tuple[str, ...]


def verdict(facts: Facts) -> Verdict:
    """Return the verdict."""
    _, n = facts._, facts._.number(facts.block.n, 0)
    if facts.analysis.judge_held:
        return Verdict("open", _("Judge held back"), _held(facts), _people_support(facts))
    if facts.judge is None:
        sentence = _("No judge scores were given: this report says how far people agree, on {n} items.", n=n)
        return Verdict("open", _("People only"), sentence, _people_support(facts))
    ceiling = facts.ceiling
    if ceiling is None or ceiling.difference.value is None:
        return _descriptive(facts)
    tone, word, sentence = _outcome(facts, ceiling)
    return Verdict(tone, word, sentence, tuple(_ceiling_support(facts, ceiling)))


def _held(facts: Facts) -> str:
    _ = facts._
    pending = int(facts.consensus.pending.sum())
    if pending:
        return _(
            "Nothing is said about the judge yet: {n} items wait for their discussion, which must not know its scores.",
            n=_.number(pending, 0),
        )
    return _("Nothing is said about the judge in this report: its figures were held back on request.")


def _people_support(facts: Facts) -> tuple[str, ...]:
    found = facts.people_kappa
    return (people_sentence(found, facts),) if found else ()


def _outcome(facts: Facts, ceiling: Ceiling) -> tuple[Tone, str, str]:
    _ = facts._
    n = _.number(ceiling.person_person.n, 0)
    people = ceiling.pooled_person_person if ceiling.sparse else ceiling.person_person
    difference = ceiling.pooled_difference if ceiling.sparse else ceiling.difference
    if people.ci95 is None or difference.ci95 is None:
        return (
            "open",
            _("Too few items"),
            _(
                "Too little was scored (n = {n}) to say whether the judge agrees with people. Read it as description.",
                n=n,
            ),
        )
    if ceiling.verdict is Outcome.AS_GOOD:
        sentence = _(
            "On these {n} items the judge agrees with people about as well as people agree with each other.", n=n
        )
        return "good", _("As good as a person, here"), sentence
    if ceiling.verdict is Outcome.WORSE:
        sentence = _(
            "On these {n} items the judge agrees with people less well than people agree with each other.", n=n
        )
        return "bad", _("Below people"), sentence
    if ceiling.verdict is Outcome.PEOPLE_DISAGREE:
        if people.value is not None and people.value < BAND_FLOORS[Band.MODERATE]:
            sentence = _(
                "On these {n} items people agree too little with each other to measure a judge against them.", n=n
            )
            return "open", _("People disagree"), sentence
        sentence = _(
            "These {n} items cannot show that people agree well enough with each other to measure a judge against "
            "them.",
            n=n,
        )
        return "open", _("Undecided"), sentence
    sentence = _("These {n} items cannot settle whether the judge agrees with people as well as people do.", n=n)
    return "open", _("Undecided"), sentence


def _ceiling_support(facts: Facts, ceiling: Ceiling) -> list[str]:
    _ = facts._
    number, margin = facts.number, facts._.number(ceiling.margin)
    found = []
    if ceiling.judge_person.value is not None and ceiling.person_person.value is not None:
        found.append(
            _(
                "The kappa of the judge with one person is {judge} on average, that of two people with each other "
                "{people}.",
                judge=number(ceiling.judge_person.value),
                people=number(ceiling.person_person.value),
            )
        )
    difference = ceiling.pooled_difference if ceiling.sparse else ceiling.difference
    if difference.value is not None and difference.ci95 is not None:
        found.append(
            _(
                "The difference is {difference} (95% interval {interval}); down to −{margin} counts as equally good.",
                difference=facts.signed(difference.value),
                interval=facts.interval(difference),
                margin=margin,
            )
        )
    if ceiling.sparse:
        found.append(
            _("Few items are shared by any two people, so the verdict rests on differences pooled over items.")
        )
    return found


def _descriptive(facts: Facts) -> Verdict:
    """Say no more than how the judge agrees with the consensus, where it cannot be set beside the people."""
    _ = facts._
    found = facts.judge_estimates.get(facts.kappa)
    if found is None or found.value is None:
        sentence = _("The judge's agreement with people is undefined on these scores.")
        return Verdict("open", _("Undefined"), sentence, _people_support(facts))
    n = _.number(found.n, 0)
    spanned = [band_word(one, _) for one in bands_spanned(found.ci95)]
    if not spanned:
        word = _("Too few items")
        sentence = _("These {n} items are too few to say how far the judge agrees with people.", n=n)
    elif len(spanned) > 1:
        word = _("Undecided")
        sentence = _(
            "On these {n} items the judge's agreement with the human consensus may be anything from “{low}” to "
            "“{high}”.",
            n=n,
            low=spanned[0],
            high=spanned[-1],
        )
    else:
        word = spanned[0].capitalize()
        sentence = _(
            "On these {n} items the judge's agreement with the human consensus is “{band}”.", n=n, band=spanned[0]
        )
    return Verdict("open", word, sentence, (judge_sentence(facts.kappa, found, facts), *_people_support(facts)))


def people_sentence(found: Estimate, facts: Facts) -> str:
    """Say how far people agree."""
    _ = facts._
    name = saying("fleiss_kappa" if facts.nominal else "mean_pairwise_kappa", _).name
    if found.value is None:
        return _("People among themselves: {figure} is undefined.", figure=name)
    value, word = facts.number(found.value), band_word(band(found.value) or Band.LOW, _)
    if found.ci95 is None:
        return _(
            "People's agreement with each other is “{band}” ({figure} {value}, without an interval).",
            band=word,
            figure=name,
            value=value,
        )
    interval = facts.interval(found)
    spanned = bands_spanned(found.ci95)
    if len(spanned) > 2:
        return _(
            "People's agreement with each other may be anything from “{low}” to “{high}” "
            "({figure} {value}, 95% interval {interval}).",
            low=band_word(spanned[0], _),
            high=band_word(spanned[-1], _),
            figure=name,
            value=value,
            interval=interval,
        )
    return _(
        "People's agreement with each other is “{band}” ({figure} {value}, 95% interval {interval}).",
        band=word,
        figure=name,
        value=value,
        interval=interval,
    )


def judge_sentence(key: str, found: Estimate, facts: Facts) -> str:
    """Say what one figure of the judge is, in a sentence."""
    _ = facts._
    name, value = saying(key, _).name, facts.estimate(found, saying(key, _).kind)
    interval = facts.interval(found, saying(key, _).kind)
    if found.value is None:
        return _("{figure}: undefined.", figure=name)
    if not interval:
        return _("{figure} {value}; no interval.", figure=name, value=value)
    return _("{figure} {value}, 95% interval {interval}.", figure=name, value=value, interval=interval)


def band_sentence(found: Estimate, _: Language) -> str:
    """Name the band of a kappa and those its interval touches; no word of its own where it touches three or more."""
    word = band(found.value)
    if word is None:
        return ""
    spanned = [band_word(one, _) for one in bands_spanned(found.ci95)]
    name = band_word(word, _)
    if not spanned:
        return _("“{band}”, without an interval", band=name)
    if len(spanned) > 2:
        return _("anything from “{low}” to “{high}”", low=spanned[0], high=spanned[-1])
    if len(spanned) == 2:
        return _("“{band}”; perhaps “{other}”", band=name, other=next(one for one in spanned if one != name))
    return _("“{band}”, the whole interval", band=name)


def bias_sentence(facts: Facts, found: Estimate | None) -> str:
    """Say in words which way the judge leans."""
    _ = facts._
    if found is None or found.value is None:
        return _("Which way the judge leans is undefined: no item has both scores.")
    points = _.number(abs(found.value), 2 if abs(found.value) < 1 else 1)
    if abs(found.value) < NO_DIFFERENCE:
        sentence = _("On average the judge leans neither way.")
    elif found.value > 0:
        sentence = _("On average the judge is {points} points more generous than people.", points=points)
    else:
        sentence = _("On average the judge is {points} points more severe than people.", points=points)
    if found.ci95 is None:
        return sentence
    if found.ci95[0] <= 0 <= found.ci95[1]:
        return (
            sentence
            + " "
            + _("The interval ({interval}) includes 0: the lean may be chance.", interval=facts.interval(found))
        )
    return sentence + " " + _("The interval ({interval}) leaves out 0.", interval=facts.interval(found))


def direction_sentence(facts: Facts) -> str:
    """Count where the judge is above, at and below the consensus."""
    _ = facts._
    rows = [row for row in facts.analysis.rows(facts.consensus.counted) if facts.difference(row) is not None]
    differences = np.array([facts.difference(row) for row in rows], dtype=float)
    return _(
        "Of {n} items the judge is above people on {above}, level on {level} and below on {below}; "
        "on {far} it is two or more points away.",
        n=_.number(len(rows), 0),
        above=_.number(int((differences > 0).sum()), 0),
        level=_.number(int((differences == 0).sum()), 0),
        below=_.number(int((differences < 0).sum()), 0),
        far=_.number(len(facts.analysis.headline.judge_disagreements), 0),
    )


def exploratory(facts: Facts) -> str:
    """Say what the report is."""
    _ = facts._
    if facts.judge is None:
        return _(
            "This is exploratory evidence about people's agreement on this sample of {n} items.",
            n=_.number(facts.block.n, 0),
        )
    few = " " + _("With fewer than 30 items every figure is uncertain.") if facts.block.n < FEW_ITEMS else ""
    return (
        _(
            "This is exploratory evidence about this judge on this sample of {n} items. "
            "It does not prove that any chatbot is reliable.",
            n=_.number(facts.block.n, 0),
        )
        + few
    )
