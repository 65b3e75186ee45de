"""The report folder: everything consolidate and analyze write, all of it or nothing."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolkit.analysis import Analysis
from toolkit.errors import shown
from toolkit.files import write_all
from toolkit.jobs.answers import refuse_to_overwrite_answers
from toolkit.jobs.triaged import disputes
from toolkit.model import Annotation
from toolkit.report.consensus_csv import render_consensus
from toolkit.report.golden import render_golden_set
from toolkit.report.html import render_html
from toolkit.report.metrics import render_metrics
from toolkit.report.sharing import without_texts
from toolkit.report.story import Story
from toolkit.report.xlsx import render_xlsx
from toolkit.workbook import triage
from toolkit.workbook.discussion import FILE_NAME, Talk, holds_decisions, render_discussion
from toolkit.workbook.readers import Limits, Source, read_book


@dataclass(frozen=True)
class Wanted:
    """What is asked of a report beyond its usual files.

    Attributes:
        title: What the report is called; by default as the study or the file is.
        anonymous: Whether the annotators' names are replaced.
        texts: Whether prompts and answers are shown.
        figures: Whether each figure is written to a file of its own.
        latex: Whether tables and text for a paper are written in LaTeX.
        docx: Whether they are written as a Word document.
    """

    title: str = ""
    anonymous: bool = False
    texts: bool = True
    figures: bool = False
    latex: bool = False
    docx: bool = False


def today() -> str:
    """Return the day that stands on a report; SOURCE_DATE_EPOCH sets it, so that a report can be made again."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdecimal():
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    return datetime.date.today().isoformat()


def write_report(
    story: Story, folder: Path, *, force: bool, wanted: Wanted | None = None, limits: Limits
) -> tuple[list[Path], list[str]]:
    """Write the report folder.

    A discussion or triage workbook with answers in it is never overwritten; the others are with `force`. Without
    texts there is nothing to discuss or to read again, so neither is written then.

    Args:
        story: What there is to tell.
        folder: The report folder.
        force: Whether files may be replaced.
        wanted: What is asked of the report beyond its usual files.
        limits: What a workbook that is there already may hold.

    Returns:
        The files written, and what was noticed.

    Raises:
        ToolkitError: When files exist and `force` is off; nothing is written then.
    """
    wanted = wanted or Wanted()
    if not wanted.texts:
        story = without_texts(story)
    contents = {
        "report.html": render_html(story),
        "report.xlsx": render_xlsx(story),
        "metrics.json": render_metrics(story),
        "consensus.csv": render_consensus(story),
        "golden_set.json": render_golden_set(story),
        **_for_papers(story, wanted),
    }
    notices = []
    working = {**_discussion(story), **_triage(story)} if wanted.texts else {}
    for name, data in working.items():
        existing = folder / name
        answered = holds_decisions if name == FILE_NAME else triage.holds_verdicts
        if existing.exists() and answered(read_book(Source.at(existing), limits)):
            what = "decisions" if name == FILE_NAME else "verdicts"
            notices.append(f"{shown(name)} holds {what} and was left as it is")
        else:
            contents[name] = data
    refuse_to_overwrite_answers((folder / name for name in contents), limits)
    return write_all(folder, contents, force=force), notices


def _for_papers(story: Story, wanted: Wanted) -> dict[str, bytes]:
    """Return the files for a thesis or paper. What draws and typesets is loaded only where it is asked for."""
    found: dict[str, bytes] = {}
    if wanted.figures or wanted.latex:
        from toolkit.report.figure_files import render_figures

        found |= render_figures(story)
    if wanted.latex:
        from toolkit.report.latex import render_latex

        found |= render_latex(story)
    if wanted.docx:
        from toolkit.report.docx import render_docx

        found["report.docx"] = render_docx(story)
    if wanted.latex or wanted.docx:
        from toolkit.report.cite import render_bibliography, render_citation

        found |= {"CITATION.cff": render_citation(story), "references.bib": render_bibliography(story)}
    return found


def _discussion(story: Story) -> dict[str, bytes]:
    talks = _talks(story.analysis)
    if not talks:
        return {}
    return {
        FILE_NAME: render_discussion(
            talks,
            story.rubric,
            study_id=story.study.study_id if story.study else "",
            language_code=story.language_code,
            judge_shown=bool(story.analysis.headline.overall.judges),
            markdown=story.markdown,
        )
    }


def _triage(story: Story) -> dict[str, bytes]:
    # whoever brings a triage has its workbook already
    found = disputes(story.analysis) if story.triage is None else []
    if not found:
        return {}
    return {
        triage.FILE_NAME: triage.render_triage(
            found,
            story.rubric,
            study_id=story.study.study_id if story.study else "",
            language_code=story.language_code,
            markdown=story.markdown,
        )
    }


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
                    for name in panel.voices(row)
                ),
                median=panel.scale.value(float(consensus.median[row])),
                disagreement_range=float(consensus.disagreement_range[row]) if panel.scale.kind == "ordinal" else None,
            )
        )
    return talks
