"""Answers made longer that say the same: given by the user, made from a text, or written by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolkit.files import sha256
from toolkit.judging.limits import Limits
from toolkit.judging.plan import Call, Judge, call_of
from toolkit.judging.prices import Prices
from toolkit.judging.probe_texts import MARK, ProbeTexts, dealt, put_into
from toolkit.judging.provider import About, Request
from toolkit.judging.runs import Progress, Run, Tally
from toolkit.judging.store import Store
from toolkit.model import SourceItem

# a text that is hardly longer tests nothing
LONGER = 1.2
GIVEN, WRITTEN = "given", "written by"
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Padded:
    """The padded answers of an item.

    Attributes:
        answers: One for each answer; None where they cannot be used.
        source: Where they come from: the field, the text's name, or the model.
        reason: Why they cannot be used.
    """

    answers: tuple[str, ...] | None
    source: str
    reason: str | None = None


def given(items: Sequence[SourceItem], field: str) -> dict[Key, Padded]:
    """Return the padded answers that the records hold: a text for one answer, a list for several."""
    found = {}
    for item in items:
        value = item.extra.get(field)
        if value is None:
            continue
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            found[item.key] = Padded(None, GIVEN, f"{field} is neither a text nor a list of texts")
        elif len(listed) != len(item.responses):
            found[item.key] = Padded(None, GIVEN, f"{field} has {len(listed)} texts for {len(item.responses)} answers")
        else:
            found[item.key] = _checked(item, listed, GIVEN)
    return found


def from_texts(items: Sequence[SourceItem], texts: ProbeTexts) -> dict[Key, Padded]:
    """Return answers padded with the texts."""
    names = dealt(items, list(texts.padding))
    return {
        item.key: Padded(
            tuple(put_into(texts.padding[names[item.key]], answer.response, "") for answer in item.responses),
            names[item.key],
        )
        for item in items
    }


def writer_calls(items: Sequence[SourceItem], writer: Judge, texts: ProbeTexts) -> list[Call]:
    """Return the calls that ask a model for padded answers, one for each answer."""
    calls = []
    for item in items:
        for number, answer in enumerate(item.responses, start=1):
            about = About(f"{item.item_id}{MARK}padding", item.dimension, str(number))
            request = Request(
                prompt=put_into(texts.writer, answer.response, ""),
                temperature=writer.temperature,
                seed=writer.seed,
                max_tokens=writer.max_tokens,
                about=about,
            )
            calls.append(call_of(writer, request, sha256(answer.response)))
    return calls


async def written(
    items: Sequence[SourceItem],
    writer: Judge,
    texts: ProbeTexts,
    store: Store,
    limits: Limits,
    prices: Prices,
    progress: Progress | None = None,
) -> tuple[dict[Key, Padded], Tally]:
    """Ask a model for padded answers, as far as the store has none yet.

    Raises:
        ToolkitError: When a budget is asked for that cannot be kept.
    """
    run = Run({writer.name: writer}, store, limits, prices, progress)
    calls = writer_calls(items, writer, texts)
    try:
        await run.make(calls)
    finally:
        await writer.provider.close()
    return stored(items, calls, writer, store), run.tally


def stored(items: Sequence[SourceItem], calls: Sequence[Call], writer: Judge, store: Store) -> dict[Key, Padded]:
    """Return the padded answers in the store, and why others are not."""
    source = f"{WRITTEN} {writer.name}"
    found, rest = {}, iter(calls)
    for item in items:
        answers, reason = [], None
        for call in [next(rest) for _ in item.responses]:
            answer = store.answer(call)
            if answer is None:
                reason = reason or f"no padded answer: {store.failure(call) or 'it was not asked for'}"
            elif answer.finish != "stop":
                reason = reason or f"no padded answer: it ended with {answer.finish}"
            else:
                answers.append(answer.text.strip())
        found[item.key] = Padded(None, source, reason) if reason else _checked(item, answers, source)
    return found


def _checked(item: SourceItem, answers: Sequence[str], source: str) -> Padded:
    for answer, text in zip(item.responses, answers, strict=True):
        if len(text) < LONGER * len(answer.response):
            return Padded(None, source, f"a padded answer is not {LONGER} times as long as the answer")
    return Padded(tuple(answers), source)


def usable(padded: Mapping[Key, Padded]) -> dict[Key, tuple[str, ...]]:
    """Return the padded answers that can be judged."""
    return {key: one.answers for key, one in padded.items() if one.answers is not None}
