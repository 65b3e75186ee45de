"""The verdict: in a word, in a sentence, what it rests on, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolkit.report.cells import thresholds_of
from toolkit.report.facts import BAND_EDGES, NO_LEAN, NOISE, Facts
from toolkit.report.sayings import band_word, saying
from toolkit.report.sentences import judge_sentence, no_width, no_width_text, people_sentence
from toolkit.stats.bands import BAND_FLOORS, Band, bands_spanned
from toolkit.stats.ceiling import Ceiling
from toolkit.stats.ceiling import Verdict as Outcome

Tone = Literal["good", "bad", "open"]
# Half an interval wider than this is wide: `toolkit plan` asks for as much, if nobody says otherwise.
ROUGH = 0.10


@dataclass(frozen=True)
class Verdict:
    """What the first screen says.

    Attributes:
        tone: Whether it speaks for the judge, against it, or leaves the question open.
        word: The tone in a word or two, so that nothing rests on a colour.
        sentence: The verdict.
        support: What it rests on.
        advice: What to do about it; empty where it follows from nothing here.
    """

    tone: Tone
    word: str
    sentence: str
    support: tuple[str, ...]
    advice: str = ""


def verdict(facts: Facts) -> Verdict:
    """Return the verdict."""
    _ = facts._
    if facts.analysis.judge_held:
        return Verdict("open", _("Judge held back"), _held(facts), _people_support(facts))
    if facts.judge is None:
        sentence = _.plural(
            "No judge scores were given: this report says how far people agree, on {n} item.",
            "No judge scores were given: this report says how far people agree, on {n} items.",
            facts.block.n,
        )
        return Verdict("open", _("People only"), sentence, _people_support(facts))
    ceiling = facts.ceiling
    if ceiling is None or ceiling.leading[-1].value is None:
        return _descriptive(facts)
    return _outcome(facts, ceiling, (*_which_judge(facts), *_ceiling_support(facts, ceiling)))


def _held(facts: Facts) -> str:
    _ = facts._
    pending = int(facts.consensus.pending.sum())
    if pending:
        return _.plural(
            "Nothing is said about the judge yet: {n} item waits for discussion; nobody may know its score before.",
            "Nothing is said about the judge yet: {n} items wait for discussion, and nobody may know the scores "
            "before.",
            pending,
        )
    return _("Nothing is said about the judge in this report: its figures were held back on request.")


def _people_support(facts: Facts) -> tuple[str, ...]:
    found = facts.people_kappa
    return (people_sentence(found, facts),) if found else ()


def _which_judge(facts: Facts) -> tuple[str, ...]:
    """Say which of several judges the verdict is about, and why that one."""
    _ = facts._
    if facts.judge is None or len(facts.judges) < 2:
        return ()
    return (
        _(
            "This is about {judge}, one of {n} judges. It leads because the data name it first, not because it agrees "
            "best; all of them stand beside each other under “{section}”.",
            judge=facts.called(facts.judge),
            n=_.number(len(facts.judges), 0),
            section=_("Judge against people"),
        ),
    )


def _outcome(facts: Facts, ceiling: Ceiling, support: tuple[str, ...]) -> Verdict:
    _ = facts._
    told = {"n": _.number(ceiling.person_person.n, 0), "judge": facts.the_judge}
    _judged, people, difference = ceiling.leading
    if people.ci95 is None or difference.ci95 is None:
        sentence = _(
            "Too few items were scored (n = {n}) to say whether {judge} agrees with people. Read it as description.",
            **told,
        )
        advice = _(
            "Do not decide on this alone: so few items give no interval. Have people score more of them (toolkit plan "
            "says how many)."
        )
        return Verdict("open", _("Too few items"), sentence, support, advice)
    if ceiling.verdict is Outcome.AS_GOOD:
        return _as_good(facts, difference.ci95, told, support)
    if ceiling.verdict is Outcome.WORSE:
        return _worse(facts, ceiling, difference.ci95, support)
    if ceiling.verdict is Outcome.PEOPLE_DISAGREE:
        if people.value is not None and people.value < BAND_FLOORS[Band.MODERATE]:
            sentence = _(
                "On these {n} items people agree too little with each other to measure a judge against them.", **told
            )
            advice = _("Sharpen the rubric first: find out under “{section}” what people read differently.",
                       section=_("Items to read"))  # fmt: skip
            return Verdict("open", _("People disagree"), sentence, support, advice)
        sentence = _(
            "These {n} items cannot show that people agree well enough with each other to measure a judge against "
            "them.",
            **told,
        )
        advice = _(
            "Do not decide on this alone: how far people agree with each other is still known only roughly (95% "
            "interval {interval}). Have people score more items (toolkit plan says how many).",
            interval=facts.interval(people, edges=BAND_EDGES),
        )
        return Verdict("open", _("Undecided"), sentence, support, advice)
    sentence = _("These {n} items cannot settle whether {judge} agrees with people as well as people do.", **told)
    advice = _(
        "Do not decide on this alone: the difference between judge and people is still known only roughly (95% "
        "interval {interval}). Have people score more items; toolkit plan says how many, or that more would hardly "
        "help.",
        interval=facts.interval(difference, edges=(-ceiling.margin, *NO_LEAN)),
    )
    return Verdict("open", _("Undecided"), sentence, support, advice)


def _as_good(facts: Facts, interval: tuple[float, float], told: dict[str, str], support: tuple[str, ...]) -> Verdict:
    """Say that the judge is as good as a person, and what is known only roughly all the same."""
    _ = facts._
    if interval[0] > NOISE:
        sentence = _(
            "On these {n} items {judge} agrees with people at least as well as people agree with each other.", **told
        )
        # whoever keeps to the middle is nearer to everybody than they are to each other
        support = (
            *support,
            _("That alone does not make it better than a person: whoever keeps to the middle agrees more with each."),
        )
    else:
        sentence = _(
            "On these {n} items {judge} agrees with people about as well as people agree with each other.", **told
        )
    advice = _(
        "For items like these the judge may stand in for one more person. Look under “{section}” for the kinds of "
        "items that people should still see.",
        section=_("Where the judge may be left alone"),
    )
    found = facts.judge_estimates[facts.kappa]
    if found.ci95 is not None and found.ci95[1] - found.ci95[0] > 2 * ROUGH:
        rough = _(
            "How well it agrees with the consensus is known only roughly, though ({figure}, 95% interval {interval}): "
            "to quote that figure more exactly, have people score more items (toolkit plan says how many).",
            figure=saying(facts.kappa, _).name,
            interval=facts.interval(found, edges=thresholds_of(facts.kappa)),
        )
        advice = f"{advice} {rough}"
    return Verdict("good", _("As good as a person, here"), sentence, support, advice)


def _worse(facts: Facts, ceiling: Ceiling, interval: tuple[float, float], support: tuple[str, ...]) -> Verdict:
    """Say that the judge is below people, and whether by more than the margin."""
    _ = facts._
    told = {"n": _.number(ceiling.person_person.n, 0), "judge": facts.the_judge, "margin": _.number(ceiling.margin)}
    sentence = (
        _("On these {n} items {judge} agrees with people less well than people agree with each other.", **told)
        if interval[1] < -ceiling.margin
        else _(
            "On these {n} items {judge} agrees with people less well than people agree with each other; whether by "
            "more than the margin of {margin} is open.",
            **told,
        )
    )
    advice = _(
        "Do not let the judge decide alone: let people score, or change the judge and measure it again. Exceptions, if "
        "there are any, stand under “{section}”.",
        section=_("Where the judge may be left alone"),
    )
    return Verdict("bad", _("Below people"), sentence, support, advice)


def _ceiling_support(facts: Facts, ceiling: Ceiling) -> list[str]:
    _ = facts._
    number, margin, edges = facts.number, facts._.number(ceiling.margin), (-ceiling.margin, *NO_LEAN)
    found = []
    judged, people, difference = ceiling.leading
    if judged.value is not None and people.value is not None:
        told = {"judge": number(judged.value, BAND_EDGES), "people": number(people.value, BAND_EDGES)}
        found.append(
            _(
                "Two people share few items, so the scores of all items are pooled: the agreement of the judge with a "
                "person is {judge}, that of two people with each other {people}.",
                **told,
            )
            if ceiling.sparse
            else _(
                "The kappa of the judge with one person is {judge} on average, that of two people with each other "
                "{people}.",
                **told,
            )
        )
    if difference.value is not None and difference.ci95 is not None:
        found.append(
            _(
                "The difference is {difference} (95% interval {interval}); the judge counts as good as a person when "
                "the whole interval lies above −{margin}.",
                difference=facts.signed(difference.value, edges),
                interval=facts.interval(difference, edges=edges),
                margin=margin,
            )
        )
        if no_width(difference):
            found.append(no_width_text(_))
    if ceiling.person_person.n < facts.block.n:
        found.append(
            _(
                "This comparison rests on {n} of the {all} items: those scored by the judge and by two people or more.",
                n=_.number(ceiling.person_person.n, 0),
                all=_.number(facts.block.n, 0),
            )
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
        sentence = _.plural(
            "{n} item is too little to say how far {judge} agrees with people.",
            "These {n} items are too few to say how far {judge} agrees with people.",
            found.n,
            judge=facts.the_judge,
        )
    elif len(spanned) > 1:
        word = _("Undecided")
        sentence = _(
            "On these {n} items the agreement of {judge} with the human consensus may be anything from “{low}” to "
            "“{high}”.",
            n=n,
            judge=facts.the_judge,
            low=spanned[0],
            high=spanned[-1],
        )
    else:
        word = spanned[0].capitalize()
        sentence = _(
            "On these {n} items the agreement of {judge} with the human consensus is “{band}”.",
            n=n,
            judge=facts.the_judge,
            band=spanned[0],
        )
    advice = _(
        "Read this as description: it does not say whether the judge is as good as a person. What comes closest to "
        "that stands under “{section}”.",
        section=_("A closer look at the judge"),
    )
    support = (*_which_judge(facts), judge_sentence(facts.kappa, found, facts), *_people_support(facts))
    return Verdict("open", word, sentence, support, advice if facts.detail else "")
