"""How large what comes back may be: the readers' limits, grown with the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from toolkit.study import Study
from toolkit.workbook.readers.raw import DEFAULT_LIMITS, Limits

# Studies up to this size stay far below the limits of the readers, whatever program saved their workbooks.
ITEMS_WITHIN_LIMITS, CHARACTERS_WITHIN_LIMITS = 4_000, 10_000_000


def limits_for(study: Study | None, chosen: Mapping[str, int] | None = None) -> Limits:
    """Return how much a workbook of a study may hold: what any may, and more where its own workbooks hold more.

    Args:
        study: The study; None for ratings collected elsewhere.
        chosen: What was asked for instead, by the names of `Limits`.
    """
    items = study.items if study else []
    characters = sum(
        len(text)
        for item in items
        for text in (
            *(item.prompt, item.ground_truth, item.expected_behavior, item.original_response),
            *(text for response in item.responses for text in (response.prompt, response.response)),
        )
        if text
    )
    factor = max(1.0, len(items) / ITEMS_WITHIN_LIMITS, characters / CHARACTERS_WITHIN_LIMITS)
    kept = ("members", "cell_characters", "sheets", "archived")
    grown = Limits(**{
        name: value if name in kept else round(value * factor) for name, value in asdict(DEFAULT_LIMITS).items()
    })  # fmt: skip
    return replace(grown, **(chosen or {}))
