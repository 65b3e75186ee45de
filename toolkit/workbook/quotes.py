"""Texts that repeat what a judge said: those annotators read (a log may have mixed up its fields), and their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolkit.errors import Problem, shown
from toolkit.model import Annotation, SourceItem
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
# What people write repeats the judge when so many words in a row are the judge's and stand in none of the texts that
# both read. Between two people who justified 30 scores independently, no 4 words in a row were the same and not in
# those texts; within one hand, which writes formulas, runs of 9 occur in 2 of 870 pairs of texts, of 10 in none.
WORDS_ALIKE = 10
# A justification shorter than that is repeated when all of it is.
FEWEST_WORDS = 5
_WORD = re.compile(r"\w+")


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


def quoted_by_people(study: Study, entered: Iterable[Annotation]) -> Iterator[tuple[Annotation, str]]:
    """Yield each annotation whose justification or notes repeat what a judge said of the item, and the words.

    What stands in the item's own texts or in the rubric is nobody's: people and judges both quote it.
    """
    said: dict[tuple[str, str], list[str]] = {}
    for judgement in study.judgements:
        if judgement.justification:
            said.setdefault(judgement.key, []).append(judgement.justification)
    for given in entered:
        item = study.by_code[given.item_code]
        for justification in said.get(item.key, ()):
            if words := _repeated(given, justification, item, study):
                yield given, words
                break


def _repeated(given: Annotation, justification: str, item: SourceItem, study: Study) -> str:
    """Return the longest run of words that an annotator shares with a judge alone; empty without one."""
    judge = _words(justification)
    length = min(WORDS_ALIKE, len(judge))
    theirs = _words(f"{given.justification} \n {given.notes}")
    if length < FEWEST_WORDS or len(theirs) < length:
        return ""
    shared = _runs(judge, length)
    starts = [at for at in range(len(theirs) - length + 1) if tuple(theirs[at : at + length]) in shared]
    if not starts:
        return ""
    both = _runs(_words(" ".join((*texts_of(item), *_all_texts(study.rubric.model_dump())))), length)
    begin = previous = -2
    longest = 0, 0
    for at in starts:
        if tuple(theirs[at : at + length]) not in both:
            begin = begin if at == previous + 1 else at
            longest = max(longest, (begin, at + length), key=lambda run: run[1] - run[0])
            previous = at
    return " ".join(theirs[slice(*longest)])


def _runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def _words(text: str) -> list[str]:
    return _WORD.findall(plain_key(text))


def _all_texts(value: object) -> Iterator[str]:
    """Yield every text in nested tables and lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _all_texts(inner)


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
