"""The report for a thesis or paper as a Word document: text, tables, pictures."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from dataclasses import replace
from typing import Any

from toolkit import __version__
from toolkit.errors import Problem, ToolkitError
from toolkit.report import paper, population
from toolkit.report.cells import EstimateTable, Table, grid
from toolkit.report.cite import PROGRAM, REFERENCES, used
from toolkit.report.facts import Facts
from toolkit.report.figure_files import drawings, saved
from toolkit.report.limits import limits
from toolkit.report.plan import validity
from toolkit.report.story import Story
from toolkit.texts import clean

# A document says when it was made, and so does every part of its zip; ours say the same always.
MADE = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
ZIP_TIME = (2000, 1, 1, 0, 0, 0)
INCH, POINT, MILLIMETRE = 914_400, 12_700, 36_000
PAGE, MARGIN = (210 * MILLIMETRE, 297 * MILLIMETRE), 25 * MILLIMETRE
TEXT = PAGE[0] - 2 * MARGIN
PICTURE, DOTS_PER_INCH = 6 * INCH, 200
# An interval, "−0.63 to 0.68", fits into a column; the names of the rows get what is left of the page.
COLUMN, FIRST_COLUMN = int(1.05 * INCH), int(1.3 * INCH)
TABLE_SIZE, REMARK_SIZE = int(7.5 * POINT), int(7.5 * POINT)
# A table of more columns goes on below itself.
MOST_COLUMNS = 5
TITLE_CHARACTERS = 200


def render_docx(story: Story) -> bytes:
    """Return the Word document.

    Raises:
        ToolkitError: When python-docx is not installed.
    """
    try:
        from docx import Document
    except ImportError as error:
        raise ToolkitError(
            Problem("a Word document needs python-docx, which is not installed", "pip install 'toolkit[docx]'")
        ) from error
    facts = Facts(story)
    _ = facts._
    document = Document()
    page = document.sections[0]
    page.page_width, page.page_height = PAGE
    page.left_margin = page.right_margin = MARGIN
    title = clean(_("Validation report: {title}", title=story.title)).replace("\n", " ")[:TITLE_CHARACTERS]
    _properties(document, title, story.language_code)
    document.add_heading(title, 0)
    document.add_heading(_("Method"), 1)
    document.add_paragraph(_prose(paper.methods(facts)))
    document.add_heading(_("Results"), 1)
    document.add_paragraph(_prose(paper.results(facts)))
    main = paper.main_tables(facts).values()
    for number, table in enumerate(main, start=1):
        _tables(document, table, facts, _("Table {n}", n=number))
    for number, (caption, draw) in enumerate(drawings(story).values(), start=1):
        picture = saved(draw, caption, ("png",), DOTS_PER_INCH)["png"]
        document.add_picture(io.BytesIO(picture), width=PICTURE)
        document.paragraphs[-1].paragraph_format.keep_with_next = True
        _caption(document, _("Figure {n}", n=number), caption)
    if said := paper.whole_log(facts):
        document.add_heading(_("The whole log"), 1)
        document.add_paragraph(_prose(said))
        for remark in population.remarks(facts):
            document.add_paragraph(clean(remark), style="List Bullet")
        for number, estimated in enumerate(population.tables(facts), start=len(main) + 1):
            _caption(document, _("Table {n}", n=number), estimated.caption).paragraph_format.keep_with_next = True
            _table(document, estimated, explained=True)
    document.add_heading(_("Limitations"), 1)
    for limit in limits(facts):
        paragraph = document.add_paragraph(style="List Bullet")
        paragraph.add_run(clean(limit.short) + ". ").bold = True
        paragraph.add_run(clean(limit.text))
    document.add_paragraph(clean(validity(facts)))
    document.add_heading(_("References"), 1)
    for one in used(facts):
        fields = one.fields
        where = fields.get("journal") or fields.get("publisher") or fields.get("institution")
        where = where or fields.get("booktitle") or fields["howpublished"]
        place = ":".join(filter(None, (fields.get("volume"), fields.get("pages", "").replace("--", "–"))))
        text = f"{one.short}. {fields['title']}. {where}{' ' + place if place else ''}."
        document.add_paragraph(text.replace("{", "").replace("}", ""))
    document.add_paragraph(f"{PROGRAM} {__version__}.")
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
        known = [re.sub(r" \((\d+)\)$", r", \1", names[key]) for key in keys if key in names]
        return f"({'; '.join(known)})" if known else ""

    return " ".join(" ".join(paper.cited(one, cite, clean).split()) for one in sentences)


def _caption(document: Any, number: str, caption: str) -> Any:
    return document.add_paragraph(f"{number}. {clean(caption)}", style="Caption")


def _tables(document: Any, table: EstimateTable, facts: Facts, number: str) -> None:
    """Write a table, in parts that fit the page."""
    _caption(document, number, table.caption).paragraph_format.keep_with_next = True
    for first in range(0, len(table.columns), MOST_COLUMNS):
        part = slice(first, first + MOST_COLUMNS)
        rows = [replace(row, estimates=row.estimates[part]) for row in table.rows if any(row.estimates[part])]
        _table(document, grid(replace(table, columns=table.columns[part], rows=rows), facts))


def _table(document: Any, found: Table, *, explained: bool = False) -> None:
    """Write a table; `explained` where the second lines of the rows' names belong to it."""
    shown = document.add_table(rows=1, cols=len(found.columns), style="Light List")
    for cell, title in zip(shown.rows[0].cells, found.columns, strict=True):
        _write(cell.paragraphs[0], clean(title), "", TABLE_SIZE)
    for row in found.rows:
        for cell, content in zip(shown.add_row().cells, row, strict=True):
            _write(cell.paragraphs[0], clean(content.text), content.notes, TABLE_SIZE)
            if content.under and (explained or content is not row[0]):
                _write(cell.add_paragraph(), clean(content.under), "", TABLE_SIZE)
    _shape(shown)
    for mark, remark in found.remarks:
        paragraph = document.add_paragraph()
        paragraph.paragraph_format.space_after = 0
        _write(paragraph, "", mark, REMARK_SIZE)
        _write(paragraph, f" {remark}" if mark else remark, "", REMARK_SIZE)
    document.add_paragraph()


def _write(paragraph: Any, text: str, marks: str, size: int) -> None:
    """Add a text and the letters that stand raised behind it."""
    for piece, raised in ((text, False), (marks, True)):
        if piece:
            font = paragraph.add_run(piece).font
            font.size, font.superscript = size, raised or None


def _shape(table: Any) -> None:
    """Give a table widths that break no number, rows that stay whole, and a head that is repeated on each page."""
    from docx.oxml import OxmlElement

    others = len(table.columns) - 1
    width = min(COLUMN, (TEXT - FIRST_COLUMN) // others)
    table.autofit = False
    for place, column in enumerate(table.columns):
        column.width = width if place else TEXT - others * width
    for place, row in enumerate(table.rows):
        for cell, column in zip(row.cells, table.columns, strict=True):
            cell.width = column.width
        properties = row._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if not place:
            properties.append(OxmlElement("w:tblHeader"))


def _timeless(data: bytes) -> bytes:
    """Return a zip with the same parts, none of which says when it was written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, ZIP_TIME), old.read(name), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
