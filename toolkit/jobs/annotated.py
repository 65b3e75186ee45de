"""check --annotated: a copy of what came back with every problem marked at its cell, for the annotator to read."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import write_all
from toolkit.i18n import language
from toolkit.jobs.answers import refuse_to_lose_answers
from toolkit.jobs.check import Checked, lacks_justification
from toolkit.study import Study, read_study
from toolkit.texts import plain_key
from toolkit.workbook.guide import required_justification
from toolkit.workbook.ingest import ingest
from toolkit.workbook.layout import TIME_KEYS
from toolkit.workbook.limits import limits_for
from toolkit.workbook.readers import Source, find_sources, read_book

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

PROBLEM_FILL, NOTE_CHARACTERS = "FFF8D0CC", 400


def annotate(
    folder: Path,
    paths: Sequence[Path],
    found: Sequence[Checked],
    target: Path,
    *,
    limits: Mapping[str, int] | None = None,
    force: bool = False,
) -> Path:
    """Write the copy.

    Args:
        folder: The study folder.
        paths: The file that was checked.
        found: What `check` found in it.
        target: The copy.
        limits: Limits of a file that were chosen, by name.
        force: Whether it may replace a file.

    Raises:
        ToolkitError: When there are several files, it is no .xlsx, or the copy cannot be written.
    """
    study = read_study(folder)
    most = limits_for(study, limits)
    sources, _left_out = find_sources(paths, most)
    if target.suffix.casefold() != ".xlsx":
        raise ToolkitError(Problem("a marked copy is an .xlsx file", "give it a name that ends in .xlsx", target.name))
    if len(sources) > 1:
        raise ToolkitError(Problem("--annotated marks one file at a time", "name one file"))
    book = read_book(sources[0], most)
    if book.format != "xlsx":
        raise ToolkitError(
            Problem("only .xlsx files can be marked", "save it as .xlsx first, or send the messages", sources[0].name)
        )
    refuse_to_lose_answers(target, book, study, most)
    problems = [problem for checked in found for problem in checked.problems]
    unjustified = [
        code
        for entered in ingest([book], study).annotations.values()
        for code, given in entered.items()
        if lacks_justification(study, given)
    ]
    marked = _marked(sources[0], study, problems, unjustified)
    return write_all(target.parent, {target.name: marked}, force=force)[0]


def _marked(source: Source, study: Study, problems: Sequence[Problem], unjustified: Sequence[str]) -> bytes:
    """Return a copy in which every problem cell is coloured and has a note that says what is wrong.

    So has every cell for the required justification of a scored item that is blank, by the item's code.
    """
    import openpyxl
    from openpyxl.comments import Comment
    from openpyxl.styles import PatternFill

    notes: dict[tuple[str, str], dict[str, None]] = {}
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.data), rich_text=True, keep_vba=source.name.endswith(".xlsm"))
        for problem in problems:
            if problem.cell and problem.sheet in book.sheetnames:
                sheet = book[problem.sheet]
                address = _visible(sheet, problem.cell)
                key = _keys(sheet).get(sheet[address].column, "")
                notes.setdefault((problem.sheet, address), {})[shown(_note(problem, key, study), NOTE_CHARACTERS)] = (
                    None
                )
        asked = required_justification(language(study.language))
        for title, address in _justifications(book, unjustified):
            notes.setdefault((title, address), {})[asked] = None
        for (title, address), texts in notes.items():
            cell = book[title][address]
            cell.fill = PatternFill("solid", fgColor=PROBLEM_FILL)
            cell.comment = Comment("\n\n".join(texts), "toolkit", height=120, width=320)
        buffer = io.BytesIO()
        book.save(buffer)
    except Exception as error:  # openpyxl refuses files that can be read, and says so with any exception there is
        what = f"can be read, but cannot be marked ({type(error).__name__})"
        raise ToolkitError(Problem(what, "send the messages instead", source.name)) from error
    return buffer.getvalue()


def _note(problem: Problem, key: str, study: Study) -> str:
    """Return what an annotator can do about a problem, in the study's language; in English, the message itself."""
    _ = language(study.language)
    if _.code == "en":
        return f"{problem.what}. {problem.fix}"
    if key == "score":
        values = ", ".join(map(str, study.rubric.scale.values))
        return _("This is not a score of the scale. Enter one of: {values}.", values=values)
    if key == "doubt":
        return _("Enter one of: {values}.", values=", ".join((_("yes"), _("no"))))
    if key in TIME_KEYS:
        return _("This is not a time of day. Enter it as hours and minutes, such as 14:05.")
    if key in ("justification", "notes"):
        return _("This cannot be read as a text. Please type it as words.")
    return _("Something locked was changed here. Please restore it, or copy your answers into a fresh workbook.")


def _keys(sheet: Worksheet) -> dict[int, str]:
    """Return the machine key of each column, from the hidden row that has `item_code`; none without one."""
    for row in sheet.iter_rows():
        keys = {place: plain_key(str(cell.value)) for place, cell in enumerate(row, 1)}
        if "item_code" in keys.values():
            return keys
    return {}


def _justifications(book: Workbook, codes: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield sheet and address of the cell for the justification of each item of these codes."""
    for sheet in book.worksheets if codes else ():
        columns = {key: column for column, key in _keys(sheet).items()}
        if {"item_code", "justification"} <= columns.keys():
            for row in range(1, sheet.max_row + 1):
                if str(sheet.cell(row, columns["item_code"]).value).strip() in codes:
                    yield sheet.title, _visible(sheet, sheet.cell(row, columns["justification"]).coordinate)


def _visible(sheet: Worksheet, address: str) -> str:
    """Return the cell that people see at an address: of a merged range only the first can hold a note."""
    area = next((area for area in sheet.merged_cells.ranges if address in area), None)
    return address if area is None else str(area.start_cell.coordinate)
