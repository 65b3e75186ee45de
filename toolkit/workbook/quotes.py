"""Texts annotators are to read that repeat what a judge said: a log may have mixed up its fields."""

from __future__ import annotations

from toolkit.errors import Problem, shown
from toolkit.model import SourceItem
from toolkit.study import Study
from toolkit.texts import plain_key

# A justification shorter than this (`Correct.`) may be in an answer by chance.
QUOTE_CHARACTERS = 20
# So many characters alike are no chance. A justification is looked up by pieces of this length, one beginning every few
# characters: every run a little longer is found.
RUN_CHARACTERS = 40
STEP_CHARACTERS = 10
# A judge may repeat the reference or the question. It is a leak when this share of the justification is nothing else.
QUOTED_SHARE = 0.5


def quoted_justifications(study: Study) -> list[Problem]:
    """Return a problem for every item whose texts quote what a judge said of it, all or most of it."""
    said: dict[tuple[str, str], list[str]] = {}
    for judgement in study.judgements:
        words = plain_key(judgement.justification or "")
        if len(words) >= QUOTE_CHARACTERS:
            said.setdefault(judgement.key, []).append(words)
    return [
        Problem(
            f"the texts of item {shown(item.item_id)} quote the judge's justification",
            "correct the sample: annotators must not read what the judge said",
            value=shown(quoted),
        )
        for item in study.items
        for quoted in _quoted(item, list(dict.fromkeys(said.get(item.key, ()))))
    ]


def texts_of(item: SourceItem) -> list[str]:
    """Return every text of an item that annotators read."""
    texts = [item.prompt, item.ground_truth, item.expected_behavior, item.original_response]
    texts += [text for response in item.responses for text in (response.prompt, response.response)]
    return [text for text in texts if text]


def _quoted(item: SourceItem, justifications: list[str]) -> list[str]:
    """Return the justifications that stand in an item's texts: whole in any of them, or mostly in those no answer."""
    if not justifications:
        return []
    whole = plain_key(" ".join(texts_of(item)))
    asked = [item.prompt, item.ground_truth, item.expected_behavior, *(one.prompt for one in item.responses)]
    given = plain_key(" ".join(text for text in asked if text))
    answers = [item.original_response or "", *(one.response for one in item.responses)]
    return [words for words in justifications if words in whole or _mostly_in(words, given, answers)]


def _mostly_in(words: str, given: str, answers: list[str]) -> bool:
    """Return whether most of a justification stands in a text; what it quotes of an answer is the answer's."""
    starts = range(0, len(words) - RUN_CHARACTERS + 1, STEP_CHARACTERS)
    found = [start for start in starts if words[start : start + RUN_CHARACTERS] in given]
    answered = plain_key(" ".join(answers)) if found else ""
    own = (start for start in found if words[start : start + RUN_CHARACTERS] not in answered)
    covered = {place for start in own for place in range(start, start + RUN_CHARACTERS)}
    return bool(covered) and len(covered) >= QUOTED_SHARE * len(words)
