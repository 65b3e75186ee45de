"""Items as people read them: texts, every score with its justification, the discussion, why to look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup

from toolkit.analysis import JUDGE_DIFFERENCE
from toolkit.consensus import FLAG_RANGE, Decision
from toolkit.i18n import Language
from toolkit.model import Response
from toolkit.report.facts import Facts
from toolkit.report.markdown_html import rendered
from toolkit.report.triaged import fault_word
from toolkit.workbook.parts import labelled_parts


@dataclass(frozen=True, slots=True)
class Voice:
    """What one annotator or judge said of an item."""

    name: str
    judge: bool
    score: str
    value: float | None
    justification: str = ""
    notes: str = ""
    doubt: bool = False
    single: str = ""


@dataclass(frozen=True)
class Part:
    """Something people read: a question, a reference, an answer.

    Attributes:
        text: As written.
        asked: Whether it is a question: people write these as plain text, and annotators saw them so.
    """

    label: str
    text: str
    asked: bool

    @cached_property
    def html(self) -> Markup | None:
        """The text formatted, safe to show; None where there is no markdown in it."""
        html = None if self.asked else rendered(self.text)
        return None if html is None else Markup(html)


@dataclass(frozen=True)
class Reading:
    """An item to read.

    Attributes:
        about: (label, text) of what is known about it: dimension, category, model...
        parts: What annotators read.
        consensus, spread, difference: Human consensus, range of the human scores, judge minus consensus; as read.
        why: Why it should be read, in sentences; empty for an ordinary item.
        state: What holds for it besides: does not count, waits for its discussion, to be excluded.
        discussion: (label, text) of the outcome of its discussion.
    """

    name: str
    code: str
    about: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]
    voices: tuple[Voice, ...]
    consensus: str
    spread: str
    difference: str
    why: tuple[str, ...]
    state: tuple[str, ...]
    discussion: tuple[tuple[str, str], ...]


def reading(facts: Facts, row: int) -> Reading:
    """Return an item as people read it."""
    _, consensus = facts._, facts.consensus
    difference = facts.difference(row)
    return Reading(
        name=facts.names[row],
        code=facts.panel.codes[row],
        about=about(facts, row),
        parts=_parts(facts, row),
        voices=(*_people(facts, row), *_judges(facts, row)),
        consensus=facts.score(consensus.headline[row]),
        spread="" if np.isnan(consensus.disagreement_range[row]) else _.score(float(consensus.disagreement_range[row])),
        difference=""
        if difference is None
        else facts.signed(difference, digits=0 if difference == int(difference) else 2),
        why=_why(facts, row, difference),
        state=_state(facts, row),
        discussion=_discussion(facts, row),
    )


def _parts(facts: Facts, row: int) -> tuple[Part, ...]:
    item = facts.panel.items[row]
    item = item.model_copy(update={"responses": tuple(_named(response, facts._) for response in item.responses)})
    asked = {item.prompt, *(response.prompt for response in item.responses)}
    return tuple(
        Part(label, text, text in asked) for label, text in labelled_parts(item.blind(facts.panel.codes[row]), facts._)
    )


def _named(response: Response, _: Language) -> Response:
    """Return a response whose kind of variant is named in the report's language, where it is a usual one."""
    known = {
        "typo": _("typing error"),
        "paraphrase": _("paraphrase"),
        "noise": _("noise"),
        "adversarial": _("adversarial"),
        "formatting": _("formatting"),
        "reordering": _("reordering"),
    }
    kind = response.variant_type
    return response.model_copy(update={"variant_type": known.get(kind, kind)}) if kind else response


def about(facts: Facts, row: int) -> tuple[tuple[str, str], ...]:
    """Return (label, text) of what is known about an item."""
    _, item = facts._, facts.panel.items[row]
    found = [(_("Dimension"), facts.dimension(item.dimension))]
    if not facts.analysis.judge_held:
        # Whoever discusses the item next reads this report too, and must not know which model wrote the answer.
        found += [
            (_("Category"), item.category or ""),
            (_("Provider"), item.provider or ""),
            (_("Model"), item.model or ""),
            (_("Difficulty"), item.difficulty or ""),
        ]
    return tuple((label, text) for label, text in found if text)


def _people(facts: Facts, row: int) -> list[Voice]:
    voices = []
    for name in facts.panel.voices(row):
        score = float(facts.panel.scores[row, facts.panel.annotators.index(name)])
        said = facts.panel.annotations.get((row, name))
        voice = Voice(name, False, facts.score(score), None if np.isnan(score) else score)
        if said is not None:
            voice = Voice(*_head(voice), said.justification, said.notes, said.doubt)
        voices.append(voice)
    return voices


def _judges(facts: Facts, row: int) -> list[Voice]:
    _, said, voices = facts._, facts.judgements(row), []
    for name, scores in facts.judges.items():
        score = float(scores[row])
        voice = Voice(facts.titled(name), True, facts.score(score), None if np.isnan(score) else score)
        one = said.get(name)
        if one is not None:
            single = ", ".join(_.score(value) for value in one.scores) if len(one.scores) > 1 else ""
            if single:
                single = _("mean of {scores}", scores=single)
            voice = Voice(*_head(voice), one.justification or "", single=single)
        voices.append(voice)
    return voices


def _head(voice: Voice) -> tuple[str, bool, str, float | None]:
    return voice.name, voice.judge, voice.score, voice.value


def _why(facts: Facts, row: int, difference: float | None) -> tuple[str, ...]:
    _, found = facts._, []
    if facts.consensus.flagged[row]:
        spread = float(facts.consensus.disagreement_range[row])
        found.append(
            _("People do not agree on a most frequent score.")
            if np.isnan(spread)
            else _("People are {points} points apart.", points=_.score(spread))
        )
    if row in facts.apart and difference is None and facts.judge is not None:
        answers = facts.judges[facts.judge][row], facts.consensus.headline[row]
        judge, people = (facts.score(float(answer)) for answer in answers)
        found.append(
            _("The judge says {judge}, people's most frequent answer is {people}.", judge=judge, people=people)
        )
    elif row in facts.apart and difference is not None:
        points, number = _.score(abs(difference)), 1 if abs(difference) == 1 else 2
        found.append(
            _.plural(
                "The judge is {points} point above people.",
                "The judge is {points} points above people.",
                number,
                points=points,
            )
            if difference > 0
            else _.plural(
                "The judge is {points} point below people.",
                "The judge is {points} points below people.",
                number,
                points=points,
            )
        )
    return tuple(found)


def _state(facts: Facts, row: int) -> tuple[str, ...]:
    _, consensus, found = facts._, facts.consensus, []
    if not consensus.counted[row]:
        found.append(_("does not count: scores are missing"))
    if consensus.pending[row]:
        found.append(_("waits for its discussion"))
    if consensus.excluded[row]:
        found.append(_("the discussion advises to exclude it"))
    if facts.triage and (triaged := facts.triage.get(row)) is not None:
        said = ". ".join(filter(None, (fault_word(triaged.fault, _), triaged.notes)))
        found.append(_("read again: {what}", what=said))
    return tuple(found)


def decision_word(decision: Decision, _: Language) -> str:
    """Return what a discussion decided, in words."""
    return {
        Decision.KEEP: _("keep the scores"),
        Decision.REVISE: _("revise the score"),
        Decision.FIX_RUBRIC: _("fix the rubric"),
        Decision.EXCLUDE: _("exclude the item"),
    }[decision]


def _discussion(facts: Facts, row: int) -> tuple[tuple[str, str], ...]:
    _, outcome = facts._, facts.panel.discussed.get(row)
    if outcome is None:
        return ()
    found = [
        (_("Decision"), decision_word(outcome.decision, _)),
        (_("Score after the discussion"), "" if outcome.score is None else _.score(outcome.score)),
        (_("Notes"), outcome.notes),
    ]
    return tuple((label, text) for label, text in found if text)


def none_flagged(facts: Facts) -> str:
    """Say that there is no item to read."""
    _, judge = facts._, facts.judge is not None
    if facts.wide:
        return (
            _("No item is flagged: people and judge are nowhere two or more points apart.")
            if judge
            else _("No item is flagged: people are nowhere two or more points apart.")
        )
    return (
        _("No item is flagged: the judge says everywhere what people say.")
        if judge
        else _("No item is flagged: people have a consensus everywhere.")
    )


def flag_rule(facts: Facts) -> str:
    """Say when an item is among those to read."""
    _ = facts._
    if facts.nominal:
        return _("An item stands here when people have no most frequent answer, or the judge's is another one.")
    if not facts.wide:
        return _("An item stands here when the judge's score is another than the people's.")
    return _(
        "An item is flagged when people are {people} or more points apart, or the judge {judge} or more from them.",
        people=_.score(FLAG_RANGE),
        judge=_.score(JUDGE_DIFFERENCE),
    )
