"""The rubric as a sheet of an annotator's workbook."""

from __future__ import annotations

from toolkit.workbook.canvas import Canvas
from toolkit.workbook.layout import Layout
from toolkit.workbook.measure import height, line_count, rows_of


def rubric_sheet(layout: Layout, sheet: Canvas) -> None:
    """Write the rubric: the scale, and for each dimension, on a page of its own, levels, edge cases and examples."""
    _, rubric = layout._, layout.rubric
    widths = (28, 120, 200, 520)
    sheet.widths(*widths)
    text_px = sum(widths[1:])
    row = 1
    sheet.merged(row, 1, row, 3, rubric.name, "h1")
    sheet.height(row, height(line_count(rubric.name, text_px, 18), 18))
    row += 1
    if rubric.scale.descriptions:
        row = _levels_table(layout, sheet, row, _("The scale in general"), None)
    breaks = []
    for key in layout.dimensions:
        described = rubric.dimensions[key]
        breaks.append(row)
        row = _levels_table(layout, sheet, row + 1, described.title, key)
        lists = [(_("Edge cases"), [f"• {case}" for case in described.edge_cases])]
        lists.append((_("One score for several answers"), [described.sets] if described.sets else []))
        examples = [f"{e.text}\n→ {e.score}: {e.why}" for e in described.examples]
        lists.append((_("Examples"), examples))
        for title, texts in lists:
            if not texts:
                continue
            sheet.merged(row, 1, row, 3, title, "title")
            row += 1
            for piece in (piece for text in texts for piece in rows_of(text, text_px, 11)):
                sheet.merged(row, 1, row, 3, piece, "cell")
                sheet.height(row, height(line_count(piece, text_px, 11), 11))
                row += 1
    sheet.protect()
    sheet.print_setup(layout.page, landscape=False, breaks=breaks[1:])


def _levels_table(layout: Layout, sheet: Canvas, row: int, title: str, dimension: str | None) -> int:
    rubric = layout.rubric
    sheet.merged(row, 1, row, 3, title, "h2")
    sheet.height(row, 22)
    row += 1
    if dimension:
        for question in rows_of(rubric.dimensions[dimension].question, 840, 11):
            sheet.merged(row, 1, row, 3, question, "body")
            sheet.height(row, height(line_count(question, 840, 11), 11))
            row += 1
    for value in reversed(rubric.scale.values):
        label = rubric.scale.labels.get(value)
        named = f"{value} — {label}" if label else str(value)
        level = rubric.dimensions[dimension].levels[value] if dimension else None
        full = level.description if level else rubric.scale.descriptions.get(value, "")
        short, width = (level.short, 520) if level else ("", 720)
        for place, piece in enumerate(rows_of(full, width, 11)):
            begins = place == 0
            sheet.text(row, 1, named if begins else "", "cell_bold")
            if level:
                sheet.text(row, 2, short if begins else "", "cell")
                sheet.text(row, 3, piece, "cell")
            else:
                sheet.merged(row, 2, row, 3, piece, "cell")
            columns = ((named, 120), (short, 200)) if begins else ()
            lines = max(line_count(text, wide, 11) for text, wide in (*columns, (piece, width)))
            sheet.height(row, height(lines, 11))
            row += 1
    return row
