"""The report folder: everything consolidate and analyze write, all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolkit.analysis import Analysis
from toolkit.errors import shown
from toolkit.files import write_all
from toolkit.model import Annotation
from toolkit.report.consensus_csv import render_consensus
from toolkit.report.golden import render_golden_set
from toolkit.report.html import render_html
from toolkit.report.metrics import render_metrics
from toolkit.report.story import Story
from toolkit.report.xlsx import render_xlsx
from toolkit.workbook.discussion import FILE_NAME, Talk, holds_decisions, render_discussion
from toolkit.workbook.readers import Source, read_book


def write_report(story: Story, folder: Path, *, force: bool) -> tuple[list[Path], list[str]]:
    """Write the report folder.

    A discussion workbook with answers in it is never overwritten; the others are with `force`.

    Returns:
        The files written, and what was noticed.

    Raises:
        ToolkitError: When files exist and `force` is off; nothing is written then.
    """
    contents = {
        "report.html": render_html(story),
        "report.xlsx": render_xlsx(story),
        "metrics.json": render_metrics(story),
        "consensus.csv": render_consensus(story),
        "golden_set.json": render_golden_set(story),
    }
    notices = []
    if talks := _talks(story.analysis):
        existing = folder / FILE_NAME
        if existing.exists() and holds_decisions(read_book(Source.at(existing))):
            notices.append(f"{shown(FILE_NAME)} holds decisions and was left as it is")
        else:
            contents[FILE_NAME] = render_discussion(
                talks,
                story.rubric,
                study_id=story.study.study_id if story.study else "",
                language_code=story.language_code,
                judge_shown=bool(story.analysis.headline.overall.judges),
                markdown=story.markdown,
            )
    return write_all(folder, contents, force=force), notices


def _talks(analysis: Analysis) -> Sequence[Talk]:
    """Return the flagged items still to be decided, with what people said of them, never with what a judge said."""
    panel, consensus = analysis.panel, analysis.consensus
    talks = []
    for row in analysis.rows(consensus.flagged):
        if row in panel.discussed:
            continue
        item, code = panel.items[row], panel.codes[row]
        talks.append(
            Talk(
                item_id=item.item_id,
                item=item.blind(code),
                annotations=tuple(
                    panel.annotations.get((row, name)) or Annotation(annotator=name, item_code=code)
                    for name in panel.annotators
                ),
                median=panel.scale.value(float(consensus.median[row])),
                disagreement_range=float(consensus.disagreement_range[row]) if panel.scale.kind == "ordinal" else None,
            )
        )
    return talks
