"""The report for a thesis or paper as a Word document: text, tables, pictures."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any

from toolkit.errors import Problem, ToolkitError
from toolkit.report import paper
from toolkit.report.cells import EstimateTable, grid
from toolkit.report.cite import REFERENCES, used
from toolkit.report.facts import Facts
from toolkit.report.figure_files import drawings, saved
from toolkit.report.limits import limits
from toolkit.report.plan import validity
from toolkit.report.story import Story
from toolkit.texts import clean

# A document says when it was made, and so does every part of its zip; ours say the same always.
MADE = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
ZIP_TIME = (2000, 1, 1, 0, 0, 0)
PICTURE_INCHES, DOTS_PER_INCH = 6.0, 200
TITLE_CHARACTERS = 200


def render_docx(story: Story) -> bytes:
    """Return the Word document.

    Raises:
        ToolkitError: When python-docx is not installed.
    """
    try:
        from docx import Document
        from docx.shared import Inches
    except ImportError as error:
        raise ToolkitError(
            Problem("a Word document needs python-docx, which is not installed", "pip install 'toolkit[docx]'")
        ) from error
    facts = Facts(story)
    _ = facts._
    document = Document()
    title = clean(_("Validation report: {title}", title=story.title)).replace("\n", " ")[:TITLE_CHARACTERS]
    _properties(document, title, story.language_code)
    document.add_heading(title, 0)
    document.add_heading(_("Method"), 1)
    document.add_paragraph(_prose(paper.methods(facts)))
    document.add_heading(_("Results"), 1)
    document.add_paragraph(_prose(paper.results(facts)))
    for table in paper.main_tables(facts).values():
        _table(document, table, facts)
    for caption, draw in drawings(story).values():
        picture = saved(draw, caption, ("png",), DOTS_PER_INCH)["png"]
        document.add_picture(io.BytesIO(picture), width=Inches(PICTURE_INCHES))
        document.add_paragraph(clean(caption), style="Caption")
    document.add_heading(_("Limitations"), 1)
    for limit in limits(facts):
        paragraph = document.add_paragraph(style="List Bullet")
        paragraph.add_run(clean(limit.short) + ". ").bold = True
        paragraph.add_run(clean(limit.text))
    document.add_paragraph(clean(validity(facts)))
    document.add_heading(_("References"), 1)
    for one in used(facts):
        fields = one.fields
        where = fields.get("journal") or fields.get("publisher") or fields.get("institution") or fields["booktitle"]
        place = ":".join(filter(None, (fields.get("volume"), fields.get("pages", "").replace("--", "–"))))
        text = f"{one.short}. {fields['title']}. {where}{' ' + place if place else ''}."
        document.add_paragraph(text.replace("{", "").replace("}", ""))
    buffer = io.BytesIO()
    document.save(buffer)
    return _timeless(buffer.getvalue())


def _properties(document: Any, title: str, language_code: str) -> None:
    properties = document.core_properties
    properties.title, properties.language, properties.author = title, language_code, "toolkit"
    properties.last_modified_by, properties.comments = "toolkit", ""
    properties.created = properties.modified = MADE


def _prose(sentences: list[str]) -> str:
    names = {one.key: one.short for one in REFERENCES}

    def cite(keys: list[str]) -> str:
        known = [names[key] for key in keys if key in names]
        return f"[{'; '.join(known)}]" if known else ""

    return " ".join(" ".join(paper.cited(one, cite, clean).split()) for one in sentences)


def _table(document: Any, table: EstimateTable, facts: Facts) -> None:
    found = grid(table, facts)
    document.add_paragraph(clean(found.caption), style="Caption").paragraph_format.keep_with_next = True
    shown = document.add_table(rows=1, cols=len(found.columns), style="Light List")
    for cell, title in zip(shown.rows[0].cells, found.columns, strict=True):
        cell.text = clean(title)
    for row in found.rows:
        for cell, content in zip(shown.add_row().cells, row, strict=True):
            under = content.under if content is not row[0] else ""
            marks = f" {content.notes}" if content.notes else ""
            cell.text = clean(f"{content.text}{marks}\n{under}" if under else content.text + marks)
    for mark, remark in found.remarks:
        document.add_paragraph(f"{mark} {remark}".strip())


def _timeless(data: bytes) -> bytes:
    """Return a zip with the same parts, none of which says when it was written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, ZIP_TIME), old.read(name), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
