"""What limits the claims of a report: written from the data, never a standing list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from toolkit.analysis import copies
from toolkit.consensus import Mode
from toolkit.report.blindness import RECOGNISED, SAW, said_otherwise, said_yes, saw_scores, sealed
from toolkit.report.facts import DOMINANT, FEW_ITEMS, MANY_FLAGGED, Facts
from toolkit.report.sayings import saying
from toolkit.stats import MIN_ITEMS


@dataclass(frozen=True, slots=True)
class Limit:
    """One limitation.

    Attributes:
        short: In a few words.
        text: In full.
        grave: Whether it puts in question what the figures stand on: that people scored blind and alone, that nothing
            moved afterwards, that there are three of them. A report says those on its first page.
    """

    short: str
    text: str
    grave: bool = False


def limits(facts: Facts) -> list[Limit]:
    """Return the limitations, the gravest first."""
    found = [
        *_of_blindness(facts),
        *_of_people(facts),
        *_of_size(facts),
        *_one_person(facts),
        *_of_judge(facts),
        *_of_process(facts),
        *_of_sample(facts),
    ]
    return sorted(found, key=lambda limit: not limit.grave)


def _of_blindness(facts: Facts) -> Iterator[Limit]:
    """Say what breaks blindness or the seal, or leaves them unknown."""
    _, story = facts._, facts.story
    if names := saw_scores(story.closing):
        yield Limit(
            _("Somebody saw scores"),
            _(
                "{names} saw a score of the judge or of another annotator before finishing. Scores given after that "
                "are not independent; compare with the figures without them (--without).",
                names=", ".join(names),
            ),
            grave=True,
        )
    if otherwise := said_otherwise(story.closing, SAW):
        yield Limit(
            _("Perhaps somebody saw scores"),
            _(
                "Whether they saw a score before finishing was answered with neither yes nor no by: {answers}. Ask "
                "before resting anything on their scores.",
                answers="; ".join(f"{name} (“{text}”)" for name, text in otherwise.items()),
            ),
            grave=True,
        )
    if story.moved:
        yield Limit(
            _("Something moved after the start"),
            _(
                "Not as it was when the workbooks were made: {what}. People may have read other texts, or the judge "
                "given other scores, than the report shows; see the section on data.",
                what=", ".join(sealed(part, _) for part in story.moved),
            ),
            grave=True,
        )
    if story.judge_seen_first and facts.judge is not None:
        yield Limit(
            _("Judge seen before the discussion"),
            _(
                "The judge's scores were shown while items still waited for their discussion. Discussed scores may "
                "have moved towards the judge and make it look better than it is."
            ),
            grave=True,
        )
    for one, two in copies(facts.panel, facts.judges):
        yield Limit(
            _("Perhaps a copy"),
            _(
                "{one} and {two} gave the same scores wherever both scored. Check whether one of the two columns is a "
                "copy of the other: then every figure that compares them says nothing.",
                one=facts.called(one),
                two=facts.called(two),
            ),
            grave=True,
        )
    if names := said_yes(story.closing, RECOGNISED):
        yield Limit(
            _("Somebody recognised a model"),
            _(
                "{names} recognised which model or product gave an answer. Their scores may say what they think of it "
                "rather than of the answer.",
                names=", ".join(names),
            ),
            grave=True,
        )
    if story.study is None:
        yield Limit(
            _("Blindness cannot be checked"),
            _(
                "The scores were collected elsewhere. Whether people scored blind, alone and with the same texts "
                "cannot be seen from the files."
            ),
        )


def _of_people(facts: Facts) -> Iterator[Limit]:
    _, consensus = facts._, facts.consensus
    if consensus.mode is Mode.TWO and facts.nominal:
        yield _two_names(facts)
    elif consensus.mode is Mode.TWO and len(facts.panel.annotators) > 2:
        yield Limit(
            _("Two scores per item"),
            _.plural(
                "{n} of {all} items has two annotators only, an emergency solution: two scores that lie apart have a "
                "median nobody gave, so the discussed score stands in for it, and one person's habits weigh half.",
                "{n} of {all} items have two annotators only, an emergency solution: two scores that lie apart have a "
                "median nobody gave, so the discussed score stands in for it, and one person's habits weigh half.",
                int(consensus.of_two.sum()),
                all=_.number(len(facts.panel.items), 0),
            ),
            grave=True,
        )
    elif consensus.mode is Mode.TWO:
        yield Limit(
            _("Two annotators only"),
            _(
                "There are two annotators, an emergency solution: two scores that lie apart have a median nobody gave, "
                "so the discussed score stands in for it, and one person's habits weigh half."
            ),
            grave=True,
        )
    if facts.people_low:
        yield Limit(
            _("People agree little"),
            _(
                "Agreement among people is low (below {floor}). That is first of all a finding about the rubric and "
                "the task: where people do not agree, a judge has nothing to agree with.",
                floor=_.number(0.4, 1),
            ),
        )
    if facts.nominal and (without := int((consensus.counted & np.isnan(consensus.headline)).sum())):
        yield Limit(
            _("Items without a consensus"),
            _.plural(
                "On {n} of {all} items no answer is the most frequent one: it counts among people, but cannot be "
                "compared with the judge.",
                "On {n} of {all} items no answer is the most frequent one: they count among people, but cannot be "
                "compared with the judge.",
                without,
                all=_.number(facts.block.n, 0),
            ),
        )
    elif facts.flagged_share > MANY_FLAGGED:
        yield Limit(
            _("Many items where people are apart"),
            _(
                "People are two or more points apart on {share} of the items. So many divergences may come from the "
                "rubric, from ambiguous items or from a single person: compare the pairs of people above.",
                share=_.percent(facts.flagged_share),
            ),
        )


def _two_names(facts: Facts) -> Limit:
    """Say what two annotators mean where scores are names: they agree, or there is no commonest answer."""
    _, of_two, items = facts._, int(facts.consensus.of_two.sum()), len(facts.panel.items)
    if of_two == items:
        return Limit(
            _("Two annotators only"),
            _(
                "There are two annotators, an emergency solution: where they give different answers there is no "
                "commonest one, so the answer agreed in the discussion stands in for it, and one person's habits weigh "
                "half."
            ),
            grave=True,
        )
    return Limit(
        _("Two scores per item"),
        _.plural(
            "{n} of {all} items has two annotators only, an emergency solution: where they give different answers "
            "there is no commonest one, so the answer agreed in the discussion stands in for it, and one person's "
            "habits weigh half.",
            "{n} of {all} items have two annotators only, an emergency solution: where they give different answers "
            "there is no commonest one, so the answer agreed in the discussion stands in for it, and one person's "
            "habits weigh half.",
            of_two,
            all=_.number(items, 0),
        ),
        grave=True,
    )


def _one_person(facts: Facts) -> Iterator[Limit]:
    """Say what hangs on a single person: the comparison with people, or the consensus of single items."""
    _, ceiling = facts._, facts.ceiling
    whole = ceiling.leading[-1].value if ceiling is not None else None
    if ceiling is not None and whole is not None:
        moved = {name: value for name, value in ceiling.without.items() if value is not None}
        name = max(moved, key=lambda one: abs(moved[one] - whole), default=None)
        if name is not None and abs(moved[name] - whole) >= ceiling.margin / 2:
            yield Limit(
                _("One person moves the comparison"),
                _(
                    "Without {name} the difference between judge and people would be {without} instead of {whole}. "
                    "Look at that person's scores before resting anything on the verdict.",
                    name=name,
                    without=facts.signed(moved[name]),
                    whole=facts.signed(whole),
                ),
            )
    single = int((facts.consensus.counted & ((~np.isnan(facts.panel.scores)).sum(axis=1) == 1)).sum())
    if single:
        yield Limit(
            _("Consensus of one person"),
            _.plural(
                "On {n} item the consensus is the score of a single person.",
                "On {n} items the consensus is the score of a single person.",
                single,
            ),
        )


def _of_judge(facts: Facts) -> Iterator[Limit]:
    _, analysis = facts._, facts.analysis
    if analysis.judge_held:
        yield Limit(
            _("The judge is held back"),
            _(
                "No figure, score or justification of the judge is in this report, so that whoever discusses the "
                "flagged items cannot be swayed by it. Consolidate again with the discussion to see the judge."
            ),
        )
    said = [one for row in analysis.rows(facts.consensus.counted) for one in facts.judgements(row).values()]
    averaged = [one for one in said if one.judge == facts.judge and len(one.scores) > 1]
    if facts.judge is not None and (averaged or _fractional(facts)):
        if not averaged:
            text = _(
                "The judge gave scores between the levels, as a mean of several judgements does. Such a mean is "
                "steadier than one person's score, which is an advantage over people that no figure here takes off."
            )
        elif any(one.unit == "response" for one in averaged):
            text = _(
                "The judge's score is a mean over several answers of a set, while people gave one score for the whole "
                "set: a mean hides a single bad answer that people may have punished."
            )
        else:
            text = _(
                "The judge's score is a mean of several judgements. A mean is steadier than one person's score, which "
                "is an advantage over people that no figure here takes off."
            )
        yield Limit(_("An averaged judge"), text)
    missing = [(name, int(np.isnan(scores[facts.consensus.counted]).sum())) for name, scores in facts.judges.items()]
    for name, count in missing:
        if count:
            yield Limit(
                _("Items the judge did not score"),
                _(
                    "{judge} has no usable score for {n} of {all} items. They are left out of its figures; if it fails "
                    "on hard items, the figures flatter it.",
                    judge=facts.called(name, first=True),
                    n=_.number(count, 0),
                    all=_.number(facts.block.n, 0),
                ),
            )


def _of_size(facts: Facts) -> Iterator[Limit]:
    _, block = facts._, facts.block
    if block.n < FEW_ITEMS:
        yield Limit(
            _("A small sample"),
            _.plural(
                "Only {n} item counts, too few for any interval.",
                "Only {n} items count, too few for any interval.",
                block.n,
            )
            if block.n < MIN_ITEMS
            else _(
                "Only {n} items count. Wide as they are, the intervals still understate the uncertainty at this size.",
                n=_.number(block.n, 0),
            ),
        )


def _of_sample(facts: Facts) -> Iterator[Limit]:
    _ = facts._
    small = {key: one.n for key, one in facts.analysis.headline.by_dimension.items() if one.n < FEW_ITEMS}
    if small and len(facts.analysis.headline.by_dimension) > 1:
        listed = "; ".join(f"{facts.dimension(key)}: {_.number(n, 0)}" for key, n in small.items())
        yield Limit(
            _("Few items per dimension"),
            _(
                "Single dimensions rest on few items ({listed}). Differences between dimensions are hints, not "
                "findings.",
                listed=listed,
            ),
        )
    scores = facts.panel.scores[facts.consensus.counted]
    given = scores[~np.isnan(scores)]
    codes = np.asarray(facts.panel.scale.codes)
    shares = np.array([(given == code).mean() for code in codes])
    top = int(shares.argmax())
    if shares[top] >= DOMINANT:
        yield Limit(
            _("One score dominates"),
            _(
                "{share} of all human scores are {score}. Kappa then falls far below the raw agreement; read the "
                "identical scores and {coefficient} beside it.",
                share=_.percent(float(shares[top])),
                score=facts.score(codes[top]),
                coefficient=saying("ac1" if facts.nominal else "ac2_quadratic", _).name,
            ),
        )
    medians = np.rint(facts.consensus.headline[facts.consensus.counted])
    unused = [facts.score(code) for code in codes if not (medians == code).any()]
    if unused and facts.judge is not None:
        yield Limit(
            _("Scores that never occur"),
            _(
                "No item has the human consensus {levels}. How the judge does there remains unknown.",
                levels=", ".join(unused),
            ),
        )


def _of_process(facts: Facts) -> Iterator[Limit]:
    _, consensus = facts._, facts.consensus
    waiting = int(consensus.pending.sum())
    if waiting and not facts.analysis.judge_held:
        text = (
            _.plural(
                "{n} item waits for its discussion and counts with the median of its two scores until then.",
                "{n} items wait for their discussion and count with the median of their two scores until then.",
                waiting,
            )
            if facts.analysis.options.collected_elsewhere and not facts.nominal
            else _.plural(
                "{n} item waits for its discussion; it has no consensus yet and is not compared with the judge.",
                "{n} items wait for their discussion; they have no consensus yet and are not compared with the judge.",
                waiting,
            )
        )
        yield Limit(_("Discussions to come"), text)
    incomplete = int((~consensus.counted).sum())
    if incomplete:
        yield Limit(
            _("Items left out"),
            _.plural(
                "{n} of {all} items does not count because scores are missing. If people skipped a hard one, the "
                "figures are too good.",
                "{n} of {all} items do not count because scores are missing. If people skipped the hard ones, the "
                "figures are too good.",
                incomplete,
                all=_.number(len(facts.panel.items), 0),
            ),
        )
    kept = int((consensus.counted & ~consensus.complete).sum())
    if kept and facts.panel.assigned is not None:
        yield Limit(
            _("Incomplete items kept"),
            _.plural(
                "{n} item counts although somebody's score is missing; its consensus rests on fewer people.",
                "{n} items count although somebody's score is missing; their consensus rests on fewer people.",
                kept,
            ),
        )
    for text in facts.left_out:
        yield Limit(_("An annotator left out"), text)
    if consensus.excluded.any():
        yield Limit(
            _("Items to exclude still count"),
            _.plural(
                "The discussion advises to exclude {n} item. It stays in the headline figures, because dropping hard "
                "items raises agreement by itself; the figures without it stand under sensitivities.",
                "The discussion advises to exclude {n} items. They stay in the headline figures, because dropping hard "
                "items raises agreement by itself; the figures without them stand under sensitivities.",
                int(consensus.excluded.sum()),
            ),
        )


def _fractional(facts: Facts) -> bool:
    scores = facts.judges[facts.judge] if facts.judge is not None else np.array([])
    scores = scores[~np.isnan(scores)]
    return not facts.nominal and bool((np.abs(scores - np.rint(scores)) > 1e-9).any())
