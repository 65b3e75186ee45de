"""How blind the work was, as far as anybody can tell: what annotators said, and who read the same texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from toolkit.files import canonical_json, sha256
from toolkit.i18n import Language
from toolkit.report.cells import Cell, Table
from toolkit.report.facts import Facts
from toolkit.report.judge_reading import prompts
from toolkit.texts import plain_key
from toolkit.values import says_yes
from toolkit.workbook.guide import closing_questions

SAW, RECOGNISED, GUESSED = "saw_scores", "recognised", "guessed"
# What people put where they have nothing to tell.
NOTHING = ("", "-", "—")


def said_yes(closing: Mapping[str, Mapping[str, str]], question: str) -> list[str]:
    """Return the annotators who answered a closing question with yes, or with yes and more (`yes, once`)."""
    return [name for name, answers in closing.items() if says_yes(_first_word(answers.get(question, "")))]


def said_otherwise(closing: Mapping[str, Mapping[str, str]], question: str) -> dict[str, str]:
    """Return what annotators wrote who answered a closing question with neither yes nor no."""
    answers = {name: given.get(question, "").strip() for name, given in closing.items()}
    return {name: text for name, text in answers.items() if text not in NOTHING and says_yes(_first_word(text)) is None}


def _first_word(answer: str) -> str:
    return re.split(r"[\s,;:.!]+", plain_key(answer), maxsplit=1)[0]


def saw_scores(closing: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the annotators who say they saw a score of the judge or of somebody else before they finished."""
    return said_yes(closing, SAW)


def sealed(part: str, _: Language) -> str:
    """Return what a part of the seal is called in a sentence."""
    parts = {
        "items": _("the items"),
        "rubric": _("the rubric"),
        "judge_scores": _("the judge scores"),
        "plan": _("the plan"),
    }
    return parts.get(part, part)


def closing_table(facts: Facts) -> Table | None:
    """Return the answers to the closing questions; None where nobody answered any."""
    _, closing = facts._, facts.story.closing
    people = [name for name in facts.panel.annotators if closing.get(name)]
    if not people:
        return None
    rows = [
        (Cell(question), *(Cell(closing[name].get(key, "")) for name in people))
        for key, question in closing_questions(_).items()
        if any(closing[name].get(key) for name in people)
    ]
    return Table(
        "closing", _("What annotators said when they had finished"), (_("Question"), *people), rows, look="wordy"
    )


def blindness(facts: Facts) -> list[str]:
    """Say in sentences how blind the work was, as far as that can be known."""
    return [*_searched(facts), *_said(facts), *_revealed(facts), *_texts(facts)]


def _searched(facts: Facts) -> Iterator[str]:
    """Say that the workbooks were searched: there is no study without it, since make-sheets refuses what leaks."""
    _ = facts._
    if facts.story.study is not None:
        yield _(
            "Before the workbooks were handed over, every part of them was searched: outside the items' own texts, "
            "none showed a judge's justification, an item_id, or the name of a judge, a model, a provider or another "
            "annotator."
        )


def _revealed(facts: Facts) -> Iterator[str]:
    """Say whether the judge's figures could be seen before the flagged items were discussed."""
    _, story = facts._, facts.story
    if not facts.panel.judges or not facts.consensus.flagged.any():
        return
    if facts.analysis.judge_held:
        yield _("The judge's figures have been held back so far.")
    elif story.judge_seen_first is None:
        yield _("Whether the judge's figures were seen before the flagged items were discussed is not in the files.")
    elif not story.judge_seen_first:
        yield _("The judge's figures were held back until the flagged items had been discussed.")
    elif facts.panel.discussed:
        yield _("The judge's figures were there to be seen before the flagged items were discussed.")
    else:
        yield _("This report shows the judge's figures, and the flagged items have not been discussed yet.")


def _said(facts: Facts) -> Iterator[str]:
    _, closing = facts._, facts.story.closing
    if facts.story.study is None:
        return
    if not closing:
        yield _("Nobody answered the closing questions, so whether anyone saw a score beforehand is not known.")
        return
    told = {
        SAW: _("Saw a score of the judge or of another annotator before finishing: {names}."),
        RECOGNISED: _("Recognised which model or product gave an answer: {names}."),
        GUESSED: _("Guessed what the study wants to show: {names}."),
    }
    for key, sentence in told.items():
        if names := said_yes(closing, key):
            yield sentence.format(names=", ".join(names))
        if otherwise := said_otherwise(closing, key):
            yield _(
                "To the question “{question}” neither yes nor no was answered by: {answers}.",
                question=closing_questions(_)[key],
                answers="; ".join(f"{name} (“{text}”)" for name, text in otherwise.items()),
            )
    if (
        not saw_scores(closing)
        and not said_otherwise(closing, SAW)
        and any(SAW in answers for answers in closing.values())
    ):
        yield _("Of those who answered, nobody said they had seen a score of the judge or of another annotator.")


def _texts(facts: Facts) -> Iterator[str]:
    """Say whether people and judge read the same: known for people from the fingerprints, of the judge only by word."""
    _, study = facts._, facts.story.study
    if study is None:
        yield _("Which texts people and judge were given is not recorded in the files.")
        return
    yield _(
        "The workbooks of all annotators hold the same texts, reference answers and rubric: the texts that came back "
        "have the fingerprints they were sent out with."
    )
    if facts.judge is not None:
        yield _(
            "Which texts, reference answers and rubric the judge was given does not come with its scores. The same "
            "ones for people and judge is what the comparison takes for granted; check it against the judge's own "
            "records."
        )
        masked = int(np.sum([item.masked for item in study.items]))
        if masked:
            yield _.plural(
                "In {n} item a model's name was hidden from the annotators and was there for the judge to read.",
                "In {n} items a model's name was hidden from the annotators and was there for the judge to read.",
                masked,
            )


def fingerprints(facts: Facts) -> list[tuple[str, str]]:
    """Return (what, SHA-256) of what the comparison rests on: texts, references, rubric, the judge's prompt."""
    _, story = facts._, facts.story
    found = [(_("Rubric"), sha256(canonical_json(story.rubric.model_dump(mode="json"))))]
    if story.study is not None:
        sources = [item.hashes.get("source", "") for item in story.study.items]
        references = [item.ground_truth or item.expected_behavior or "" for item in story.study.items]
        if all(sources):
            found.append((_("Texts as people read them"), sha256(canonical_json(sources))))
        if any(references):
            found.append((_("Reference answers"), sha256(canonical_json(references))))
    if asked := prompts(facts):
        digest = asked[0] if len(asked) == 1 else sha256(canonical_json(asked))
        found.append((_("Prompt of the judge, without the texts"), digest))
    return found
