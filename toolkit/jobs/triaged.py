"""Where judge and people lie far apart: which items somebody should read again, and what they found."""

from __future__ import annotations

from pathlib import Path

from toolkit.analysis import Analysis, far_apart
from toolkit.errors import Problem, ToolkitError, refuse
from toolkit.files import sha256
from toolkit.workbook.readers import Limits, Source, read_book
from toolkit.workbook.triage import KEYS, Dispute, Triaged, read_triage, token


def disputes(analysis: Analysis) -> list[Dispute]:
    """Return the items on which judge and consensus lie two or more points apart; none while the judge is held back."""
    if analysis.judge_held or analysis.judge is None or not far_apart(analysis.panel.scale):
        return []
    panel, judge = analysis.panel, analysis.panel.judges[analysis.judge]
    return [
        Dispute(
            panel.items[row].blind(panel.codes[row]),
            float(judge[row]),
            float(analysis.consensus.headline[row]),
            token(analysis.options.seed, panel.codes[row]),
        )
        for row in analysis.headline.judge_disagreements
    ]


def triage(path: Path, analysis: Analysis, study_id: str, limits: Limits) -> tuple[dict[int, Triaged], tuple[str, str]]:
    """Return what a triage workbook says, by row of the panel, and the file's name and SHA-256.

    Raises:
        ToolkitError: With everything that is wrong in the file, or when the judge may not be shown.
    """
    if analysis.judge_held:
        raise ToolkitError(
            Problem("is about a judge whose figures are held back", "bring the discussion first (--discussion)", path)
        )
    source = Source.at(path)
    book = read_book(source, limits, csv_keys=KEYS)
    known = {one.item.item_code: one for one in disputes(analysis)}
    found, problems = read_triage(book, study_id=study_id, disputes=known)
    refuse(problems)
    rows = {code: row for row, code in enumerate(analysis.panel.codes)}
    return {rows[code]: outcome for code, outcome in found.items()}, (path.name, sha256(source.data))
