"""An annotator's layout as an .xlsx file."""

from __future__ import annotations

import gc
from types import MappingProxyType

from toolkit.workbook.annotation_sheet import annotation_sheet
from toolkit.workbook.canvas import Answers
from toolkit.workbook.guide import guide_sheet
from toolkit.workbook.layout import LAYOUT_VERSION, Layout
from toolkit.workbook.rubric_sheet import rubric_sheet
from toolkit.workbook.sheets import Book

# With more rows than this, memory matters more than time.
LARGE = 20_000


def write(layout: Layout, answers: Answers = MappingProxyType({})) -> bytes:
    """Return the workbook of one annotator as .xlsx. The same layout gives the same bytes.

    Args:
        layout: What the workbook is.
        answers: What is filled in already, by item code; nothing in a workbook that goes out.
    """
    large = len(layout.rows) > LARGE
    data = _drawn(layout, answers, large=large).data()
    if large:
        gc.collect()  # the book's cells hang in cycles and would otherwise be there still when the next is written
    return data


def _drawn(layout: Layout, answers: Answers, *, large: bool) -> Book:
    _ = layout._
    properties = {"study": layout.study_id, "annotator": layout.annotator, "layout": str(LAYOUT_VERSION)}
    book = Book(_("Annotation workbook"), properties, large=large)
    guide, rubric = book.sheet(_("Start here")), book.sheet(_("Rubric"))
    annotation = book.sheet(_("Annotation"))
    annotation_sheet(layout, annotation, answers)
    guide_sheet(layout, guide, annotation, answers)
    rubric_sheet(layout, rubric)
    guide.raw.activate()
    return book
