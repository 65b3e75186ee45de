"""An annotator's layout as the sheets of a Google spreadsheet, ready to send; and several in one spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from toolkit.errors import Problem
from toolkit.workbook.annotation_sheet import annotation_sheet
from toolkit.workbook.canvas import Answers
from toolkit.workbook.gsheets import GoogleSheet
from toolkit.workbook.gsheets_look import Json, spreadsheet_locale
from toolkit.workbook.guide import guide_sheet
from toolkit.workbook.layout import LAYOUT_VERSION, Layout
from toolkit.workbook.rubric_sheet import rubric_sheet
from toolkit.workbook.sheets import sheet_title

# https://support.google.com/drive/answer/37603
SPREADSHEET_CELLS, SPREADSHEET_SHEETS = 10_000_000, 200
# The sheet that every new spreadsheet has.
FIRST_SHEET = 0
GUIDE, RUBRIC, ANNOTATION = 1, 2, 3
# Numbers of the sheets of each annotator in a common spreadsheet.
TABS_FROM, TABS_EACH = 10, 2
_EMPTY: Answers = MappingProxyType({})


@dataclass(frozen=True)
class Page:
    """A sheet to send.

    Attributes:
        sheet_id: Its number.
        title: Its title.
        annotator: Whose it is; None for a sheet that several share.
        requests: The batch that makes it.
        lock: The requests that close it.
        size: Its rows and columns.
        problems: Why it cannot be made.
    """

    sheet_id: int
    title: str
    annotator: str | None
    requests: tuple[Json, ...]
    lock: tuple[Json, ...] = ()
    size: tuple[int, int] = (0, 0)
    problems: tuple[Problem, ...] = field(default=())


def private_pages(layout: Layout, editors: Sequence[str]) -> tuple[Page, ...]:
    """Return the sheets of one annotator's own spreadsheet, in the order in which they are sent.

    The progress on the first sheet refers to the annotation sheet, which must be there before it.

    Args:
        layout: What the workbook is.
        editors: Mail addresses of those who may edit everything.
    """
    _, locale = layout._, spreadsheet_locale(layout._.code)
    titles = _titles(_("Start here"), _("Rubric"), _("Annotation"))
    guide, rubric, annotation = (
        GoogleSheet(number, title, locale) for number, title in zip((GUIDE, RUBRIC, ANNOTATION), titles, strict=True)
    )
    annotation_sheet(layout, annotation, _EMPTY)
    rubric_sheet(layout, rubric)
    guide_sheet(layout, guide, annotation, _EMPTY)
    begin = _begin(locale)
    return (
        _page(
            annotation, layout.annotator, annotation.requests(editors, before=[*begin, *_metadata(layout, ANNOTATION)])
        ),
        _page(rubric, None, rubric.requests(editors, index=0)),
        _page(guide, layout.annotator, guide.requests(editors, index=0)),
    )


def common_pages(layouts: Sequence[Layout], editors: Sequence[str], mails: Mapping[str, str]) -> tuple[Page, ...]:
    """Return the sheets of one spreadsheet for all annotators, in the order in which they are sent.

    Args:
        layouts: Of each annotator, in study order.
        editors: Mail addresses of those who may edit everything.
        mails: The address of each annotator, who alone may fill in their own tabs.
    """
    _, locale = layouts[0]._, spreadsheet_locale(layouts[0]._.code)
    names = [layout.annotator for layout in layouts]
    titles = _titles(_("Rubric"), *(title for name in names for title in (name, f"{name[:16]} {_('Start here')}")))
    rubric = GoogleSheet(RUBRIC, titles[0], locale)
    # annotators who score a share of the items need not have all dimensions
    dimensions = dict.fromkeys(key for layout in layouts for key in layout.dimensions)
    rubric_sheet(replace(layouts[0], dimensions=tuple(dimensions)), rubric)
    pages = [_page(rubric, None, rubric.requests(editors, before=_begin(locale)))]
    for place, layout in enumerate(layouts):
        (number, first), own = tab_numbers(place), [mails[layout.annotator]]
        annotation = GoogleSheet(number, titles[1 + 2 * place], locale)
        guide = GoogleSheet(first, titles[2 + 2 * place], locale)
        annotation_sheet(layout, annotation, _EMPTY)
        guide_sheet(layout, guide, annotation, _EMPTY)
        batch = annotation.requests(editors, own=own, before=_metadata(layout, number))
        pages.append(_page(annotation, layout.annotator, batch, own=True))
        pages.append(_page(guide, layout.annotator, guide.requests(editors, own=own), own=True))
    return tuple(pages)


def tab_numbers(place: int | None) -> tuple[int, int]:
    """Return the numbers of an annotator's annotation sheet and first sheet.

    Args:
        place: The annotator's place in a common spreadsheet, from 0; None for a spreadsheet of their own.
    """
    if place is None:
        return ANNOTATION, GUIDE
    number = TABS_FROM + place * TABS_EACH
    return number, number + 1


def page_problems(pages: Sequence[Page]) -> list[Problem]:
    """Return why the sheets of one spreadsheet cannot be made; empty when they can."""
    found = [problem for page in pages for problem in page.problems]
    cells = sum(rows * columns for rows, columns in (page.size for page in pages))
    if cells > SPREADSHEET_CELLS:
        what = f"needs {cells:,} cells; a spreadsheet of Google Sheets holds {SPREADSHEET_CELLS:,}"
        found.append(Problem(what, "make several studies of fewer items, or send .xlsx files"))
    if len(pages) > SPREADSHEET_SHEETS:
        what = f"needs {len(pages)} sheets; a spreadsheet of Google Sheets holds {SPREADSHEET_SHEETS}"
        found.append(Problem(what, "leave --one-spreadsheet out"))
    return found


def words_of(requests: Sequence[Json]) -> list[str]:
    """Return every text that requests bring into a spreadsheet; the addresses of editors are none."""
    found: list[str] = []
    waiting: list[object] = list(requests)
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict):
            waiting += [content for key, content in part.items() if key != "editors"]
        elif isinstance(part, list):
            waiting += part
    return found


def _titles(*wanted: str) -> list[str]:
    titles: tuple[str, ...] = ()
    for title in wanted:
        titles += (sheet_title(title, titles),)
    return list(titles)


def _page(sheet: GoogleSheet, annotator: str | None, requests: list[Json], *, own: bool = False) -> Page:
    return Page(
        sheet.sheet_id,
        sheet.title,
        annotator,
        tuple(requests),
        tuple(sheet.lock(own=own)),
        sheet.size,
        tuple(sheet.problems),
    )


def _begin(locale: str) -> list[Json]:
    """Return what the first batch does beside its sheet: the locale, before any formula; and the empty sheet goes."""
    return [
        {"updateSpreadsheetProperties": {"properties": {"locale": locale}, "fields": "locale"}},
        {"deleteSheet": {"sheetId": FIRST_SHEET}},
    ]


def _metadata(layout: Layout, sheet_id: int) -> list[Json]:
    """Return what an .xlsx file has in its custom properties."""
    values = {"study": layout.study_id, "annotator": layout.annotator, "layout": str(LAYOUT_VERSION)}
    return [
        {
            "createDeveloperMetadata": {
                "developerMetadata": {
                    "metadataKey": key,
                    "metadataValue": value,
                    "location": {"sheetId": sheet_id},
                    "visibility": "DOCUMENT",
                }
            }
        }
        for key, value in values.items()
    ]
