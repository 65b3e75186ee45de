"""The .xlsx and .xlsm formats, Excel's own: what every cell stores, formulas and errors told apart from values.

This is a reader of its own and not openpyxl, because annotators' files come from any program. openpyxl builds styles,
drawings, validations and filters before it gives a cell, and refuses files that Excel opens when one of them is odd
(an empty `<fill/>`, for one); it takes the last of two cells with one address, leaves `_x000D_` in texts, and needs
some fifty times the size of the file. Here nothing is looked at but cells, and the number formats they need.
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from toolkit.cells.number_formats import GENERAL, builtin, parse_number
from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.readers.grid import Grid
from toolkit.workbook.readers.markup import SMALL_PART, Collector, Element, parse
from toolkit.workbook.readers.package import Package
from toolkit.workbook.readers.raw import RawSheet
from toolkit.workbook.readers.styles import Style
from toolkit.workbook.readers.xlsx_sheet import CommentHandler, SheetHandler
from toolkit.workbook.readers.xlsx_strings import Strings, is_on

_HIDDEN = ("hidden", "veryHidden")
_COMMENTS = ("comments", "threadedComment")


def read_xlsx(package: Package, budget: Budget) -> tuple[tuple[RawSheet, ...], dict[str, str]]:
    """Return the sheets and the custom document properties of a workbook.

    Args:
        package: The container.
        budget: Counts what is read.

    Raises:
        Refused: When it is damaged or holds too much.
    """
    root = _relations(package, "", budget)
    book = next((target for kind, target in root.values() if kind == "officeDocument"), "xl/workbook.xml")
    elements = _elements(package, book, budget)
    relations = _relations(package, book, budget)
    listed = [element for element in elements if element.path == "/workbook/sheets/sheet"]
    budget.sheets(len(listed))
    from_1904 = any(
        element.get("date1904") in ("1", "true") for element in elements if element.path == "/workbook/workbookPr"
    )
    parts = {kind: target for kind, target in relations.values() if kind in ("sharedStrings", "styles")}
    strings = _strings(package, parts.get("sharedStrings"), budget)
    styles = _styles(package, parts.get("styles"), budget)
    sheets = []
    for element in listed:
        kind, target = relations.get(element.get("id"), ("", ""))
        title = unescape(element.get("name"))
        if kind in ("chartsheet", "dialogsheet", "xlMacrosheet", "xlIntlMacrosheet"):
            continue
        if kind != "worksheet":
            raise Refused(f"is damaged: its sheet {title[:40]!r} is missing", SAVE_AGAIN)
        grid = Grid(title, budget, hidden=element.get("state") in _HIDDEN)
        handler = SheetHandler(grid, strings, styles, from_1904, budget)
        parse(package.chunks(target), handler, budget)
        for kind, part in _relations(package, target, budget).values():
            if kind in _COMMENTS and part in package:
                # a thread of comments has a comment of the old kind beside it, for programs that know no threads
                parse(package.chunks(part), CommentHandler(grid), budget)
        sheets.append(grid.finish())
    if not sheets:
        raise Refused("is damaged: it names no sheets", SAVE_AGAIN)
    properties = next((target for kind, target in root.values() if kind == "custom-properties"), None)
    return tuple(sheets), _properties(package, properties, budget)


def _elements(package: Package, part: str, budget: Budget) -> list[Element]:
    collector = Collector()
    parse(package.chunks(part, SMALL_PART), collector, budget)
    return collector.elements


def _relations(package: Package, part: str, budget: Budget) -> dict[str, tuple[str, str]]:
    """Return the parts that a part refers to: id to kind and name. What lies outside the file is left out."""
    folder, name = posixpath.split(part)
    file = posixpath.join(folder, "_rels", f"{name}.rels")
    if file not in package:
        return {}
    found = {}
    for element in _elements(package, file, budget):
        if element.get("TargetMode") == "External" or not element.get("Target"):
            continue
        target = unquote(element.get("Target"))
        target = target if target.startswith("/") else posixpath.join("/", folder, target)
        kind = element.get("Type").rpartition("/")[2]
        if element.get("Id") in found:
            raise Refused(f"is damaged: two of its parts are both called {element.get('Id')[:40]!r}", SAVE_AGAIN)
        found[element.get("Id")] = (kind, posixpath.normpath(target).lstrip("/"))
    return found


def _strings(package: Package, part: str | None, budget: Budget) -> Strings:
    handler = Strings(budget)
    if part is not None and part in package:
        parse(package.chunks(part), handler, budget)
    return handler


def _styles(package: Package, part: str | None, budget: Budget) -> list[Style]:
    if part is None:
        return [Style()]
    elements = _elements(package, part, budget)
    codes = {}
    fonts: list[bool] = []  # whether each strikes out
    for element in elements:
        if element.path == "/styleSheet/numFmts/numFmt":
            number = parse_number(element.get("numFmtId"))
            if isinstance(number, int):
                codes[number] = element.get("formatCode")
        elif element.path == "/styleSheet/fonts/font":
            fonts.append(False)
        elif element.path == "/styleSheet/fonts/font/strike":
            fonts[-1] = is_on(element.attributes)
    struck = {str(place) for place, strikes in enumerate(fonts) if strikes}
    styles = []
    for element in elements:
        if element.path == "/styleSheet/cellXfs/xf":
            number = parse_number(element.get("numFmtId") or "0")
            code = builtin(number, codes) if isinstance(number, int) else GENERAL
            styles.append(Style(code, str(parse_number(element.get("fontId") or "0")) in struck))
    return styles or [Style()]


def _properties(package: Package, part: str | None, budget: Budget) -> dict[str, str]:
    if part is None or part not in package:
        return {}
    found: dict[str, str] = {}
    name = ""
    for element in _elements(package, part, budget):
        if element.path == "/Properties/property":
            name = element.get("name")
        elif name and element.path.startswith("/Properties/property/"):
            found.setdefault(name, unescape(element.own_text))
    return found
