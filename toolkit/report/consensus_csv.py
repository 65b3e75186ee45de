"""consensus.csv: one line for each item, for people with a spreadsheet and programs with a CSV reader."""

from __future__ import annotations

import csv
import io
import math

import numpy as np

from toolkit.report.story import Story
from toolkit.texts import clean


def render_consensus(story: Story) -> bytes:
    """Return consensus.csv in UTF-8 with BOM (so that Excel reads the accents), commas and decimal points."""
    analysis = story.analysis
    panel, consensus = analysis.panel, analysis.consensus
    scale, judge = panel.scale, analysis.judge
    shown = None if analysis.judge_held or judge is None else panel.judges[judge]
    header = [
        "item_id",
        "item_code",
        "dimension",
        *(f"score_{name}" for name in panel.annotators),
        "human_consensus_score",
        "disagreement_range",
        "requires_discussion",
        "consensus_after_discussion",
        "consensus_notes",
        "excluded",
        "judge_score",
        "absolute_error",
    ]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    for row, item in enumerate(panel.items):
        outcome = panel.discussed.get(row)
        judged = math.nan if shown is None else float(shown[row])
        target = float(consensus.headline[row])
        error = abs(judged - target) if scale.kind == "ordinal" else math.nan
        cells: list[object] = [
            item.item_id,
            panel.codes[row],
            item.dimension,
            *(scale.value(score) for score in panel.scores[row]),
            scale.value(target),
            _number(consensus.disagreement_range[row]),
            "yes" if consensus.flagged[row] else "no",
            scale.value(consensus.revised[row]),
            outcome.notes if outcome else "",
            "yes" if consensus.excluded[row] else "no",
            scale.value(judged),
            _number(error),
        ]
        writer.writerow([guarded(cell) for cell in cells])
    return buffer.getvalue().encode("utf-8-sig", "replace")


def render_repairs(story: Story) -> bytes:
    """Return every value that was read other than as the plain value, as CSV: where, whose, what, and as what."""
    header = ["place", "annotator", "item", "field", "found", "read_as"]
    rows = [[r.place, r.annotator, r.item, r.field, r.found, r.read_as] for r in story.repairs]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows([[guarded(cell) for cell in row] for row in [header, *rows]])
    return buffer.getvalue().encode("utf-8-sig", "replace")


def guarded(cell: object) -> str:
    """Return a cell of a CSV in which no text can become a formula when a spreadsheet program opens it.

    A text that begins like a formula gets an apostrophe in front, the mark of "this is text" in these programs.
    Numbers are written plainly, negative ones too.
    """
    if cell is None:
        return ""
    if isinstance(cell, int | float):
        return repr(cell)
    text = clean(str(cell))
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _number(value: float) -> float | int | None:
    if np.isnan(value):
        return None
    return int(value) if value == int(value) else float(value)
