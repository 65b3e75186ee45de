"""Few-shot examples from corrected items: an item, the score people agreed on, and their reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError
from toolkit.i18n import language
from toolkit.model import Example, Rubric, SourceItem
from toolkit.records import read_records
from toolkit.values import parse_score

SCORE_FIELDS = ("consensus_after_discussion", "human_consensus_score")
WHY_FIELDS = ("consensus_notes", "why")


def read_examples(
    path: Path, rubric: Rubric, language_code: str
) -> tuple[tuple[Example, ...], frozenset[tuple[str, str]]]:
    """Return the examples in a file, and the keys of the items they are: those must not be judged.

    Args:
        path: Judged records, or a golden set, with a human score.
        rubric: The scale.
        language_code: Language of the labels in an example.

    Raises:
        ToolkitError: When it cannot be read, or an item has no human score that is a value of the scale.
    """
    read = read_records(path, scale=rubric.scale)
    problems, examples, keys = [], [], set()
    for record in read.records:
        item = record.item
        raw = next((item.extra[name] for name in SCORE_FIELDS if item.extra.get(name) is not None), None)
        try:
            score = parse_score(raw, rubric.scale).value
        except ValueError as error:
            problems.append(Problem(f"item {item.item_id}: {error}", "an example needs a whole score", path, value=raw))
            continue
        if score is None:
            fix = f"give it a {SCORE_FIELDS[1]}, or leave it out"
            problems.append(Problem(f"item {item.item_id} has no human score", fix, path))
            continue
        examples.append(Example(text=example_text(item, language_code), score=score, why=_why(item.extra)))
        keys.add(item.key)
    if problems:
        raise ToolkitError(problems)
    return tuple(examples), frozenset(keys)


def example_text(item: SourceItem, language_code: str) -> str:
    """Return an item as the text of an example."""
    _ = language(language_code)
    parts = [
        (_("Question"), item.prompt),
        (_("Reference answer"), item.ground_truth),
        (_("Expected behaviour"), item.expected_behavior),
        (_("Original answer"), item.original_response),
    ]
    many = len(item.responses) > 1
    for place, response in enumerate(item.responses, start=1):
        parts.append((_("Question {n}", n=place), response.prompt))
        parts.append((_("Answer {n}", n=place) if many else _("Answer"), response.response))
    return "\n".join(f"{label}: {text}" for label, text in parts if text)


def _why(extra: dict[str, Any]) -> str:
    for name in WHY_FIELDS:
        if isinstance(extra.get(name), str) and extra[name].strip():
            return str(extra[name]).strip()
    given = extra.get("human_scores")
    reasons = (
        [str(one.get("justification") or "") for one in given if isinstance(one, dict)]
        if isinstance(given, list)
        else []
    )
    return next(filter(None, reasons), "—")
