"""What is said in a sentence beside the headline figures: how far people agree, which way the judge leans."""

from __future__ import annotations

import numpy as np

from toolkit.i18n import Language
from toolkit.report.cells import thresholds_of
from toolkit.report.facts import BAND_EDGES, FEW_ITEMS, NO_LEAN, NOISE, Facts
from toolkit.report.sayings import band_word, saying
from toolkit.stats.bands import Band, band, bands_spanned
from toolkit.stats.results import Estimate


def people_sentence(found: Estimate, facts: Facts) -> str:
    """Say how far people agree."""
    _ = facts._
    name = saying(facts.people_figure, _).name
    if found.value is None:
        return _("People among themselves: {figure} is undefined.", figure=name)
    value, word = facts.number(found.value, BAND_EDGES), band_word(band(found.value) or Band.LOW, _)
    if found.ci95 is None:
        # a word for a value that nobody knows how far to trust would say more than is known
        return _(
            "People among themselves: {figure} {value} (n = {n}), without an interval.",
            figure=name,
            value=value,
            n=_.number(found.n, 0),
        )
    interval = facts.interval(found, edges=BAND_EDGES)
    spanned = bands_spanned(found.ci95)
    if no_width(found):
        return _(
            "People's agreement with each other is “{band}” ({figure} {value}). {warning}",
            band=word,
            figure=name,
            value=value,
            warning=no_width_text(_),
        )
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
    name, kind, edges = saying(key, _).name, saying(key, _).kind, thresholds_of(key)
    value, interval = facts.estimate(found, kind, edges), facts.interval(found, kind, edges)
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
        return _("no interval, so no word for it")
    if no_width(found):
        return _("“{band}”; the interval has no width, which is not certainty", band=name)
    if len(spanned) > 2:
        return _("anything from “{low}” to “{high}”", low=spanned[0], high=spanned[-1])
    if len(spanned) == 2:
        return _("“{band}”; perhaps “{other}”", band=name, other=next(one for one in spanned if one != name))
    return _("“{band}”, the whole interval", band=name)


def bias_sentence(facts: Facts, found: Estimate | None) -> str:
    """Say which way the judge leans: in words only where the interval leaves out 0, in numbers where it does not."""
    _ = facts._
    if found is None or found.value is None:
        return _("Which way the judge leans is undefined: no item has both scores.")
    told = {"difference": facts.signed(found.value, NO_LEAN), "n": _.number(found.n, 0)}
    if found.ci95 is None:
        return _(
            "Judge minus people: {difference} points on average (n = {n}). Without an interval that says nothing about "
            "a lean.",
            **told,
        )
    interval = facts.interval(found, "points", NO_LEAN)
    if found.ci95[0] - NOISE <= 0 <= found.ci95[1] + NOISE:
        sentence = _("Judge minus people: {difference} points on average (n = {n}).", **told)
        about = (
            no_width_text(_)
            if no_width(found)
            else _("The interval ({interval}) includes 0: which way the judge leans is open.", interval=interval)
        )
        return f"{sentence} {about}"
    points = facts.number(abs(found.value), NO_LEAN)
    if found.value > 0:
        sentence = _("On average the judge is {points} points more generous than people.", points=points)
    else:
        sentence = _("On average the judge is {points} points more severe than people.", points=points)
    about = no_width_text(_) if no_width(found) else _("The interval ({interval}) leaves out 0.", interval=interval)
    return f"{sentence} {about}"


def direction_sentence(facts: Facts) -> str:
    """Count where the judge is above, at and below the consensus."""
    _ = facts._
    rows = [row for row in facts.analysis.rows(facts.consensus.counted) if facts.difference(row) is not None]
    differences = np.array([facts.difference(row) for row in rows], dtype=float)
    counts = {
        "n": _.number(len(rows), 0),
        "above": _.number(int((differences > NOISE).sum()), 0),
        "level": _.number(int((np.abs(differences) <= NOISE).sum()), 0),
        "below": _.number(int((differences < -NOISE).sum()), 0),
    }
    if not facts.wide:
        return _("Of {n} items the judge is above people on {above}, level on {level} and below on {below}.", **counts)
    return _(
        "Of {n} items the judge is above people on {above}, level on {level} and below on {below}; "
        "on {far} it is two or more points away.",
        far=_.number(len(facts.analysis.headline.judge_disagreements), 0),
        **counts,
    )


def no_width(found: Estimate) -> bool:
    """Return whether an interval is a single point, which every resample gave."""
    return found.ci95 is not None and found.ci95[1] - found.ci95[0] <= NOISE


def no_width_text(_: Language) -> str:
    """Say what an interval without width means."""
    return _("Every resample gave the same value: the interval has no width, which is not certainty.")


def exploratory(facts: Facts) -> str:
    """Say what the report is."""
    _ = facts._
    if facts.judge is None:
        return _.plural(
            "This is exploratory evidence about people's agreement on this sample of {n} item.",
            "This is exploratory evidence about people's agreement on this sample of {n} items.",
            facts.block.n,
        )
    few = " " + _("With fewer than 30 items every figure is uncertain.") if facts.block.n < FEW_ITEMS else ""
    return (
        _.plural(
            "This is exploratory evidence about this judge on this sample of {n} item. "
            "It does not prove that any chatbot is reliable.",
            "This is exploratory evidence about this judge on this sample of {n} items. "
            "It does not prove that any chatbot is reliable.",
            facts.block.n,
        )
        + few
    )
