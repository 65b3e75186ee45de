"""The .xlsx and .xlsm formats, Excel's own: what every cell stores, formulas and errors told apart from values.

This is a reader of its own and not openpyxl, because annotators' files come from any program. openpyxl builds styles,
drawings, validations and filters before it gives a cell, and refuses files that Excel opens when one of them is odd
(an empty `<fill/>`, for one); it takes the last of two cells with one address, leaves `_x000D_` in texts, and needs
some fifty times the size of the file. Here nothing is looked at but cells, and the number formats they need.
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from toolkit.workbook.readers.budget import SAVE_AGAIN, Budget, Refused
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.readers.markup import (
    DEEPEST,
    MOST_ATTRIBUTES,
    SMALL_PART,
    Collector,
    Element,
    abnormal,
    parse,
)
from toolkit.workbook.readers.number_formats import GENERAL, NumberFormat, builtin, parse_number
from toolkit.workbook.readers.package import Package
from toolkit.workbook.readers.raw import RawSheet
from toolkit.workbook.readers.xlsx_sheet import NAMESPACES, SheetHandler

_TEXT = tuple(f"{space} t" for space in NAMESPACES)
_ITEM = tuple(f"{space} si" for space in NAMESPACES)
_PHONETIC = tuple(f"{space} rPh" for space in NAMESPACES)


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
        handler = SheetHandler(title, strings, styles, from_1904, budget)
        parse(package.chunks(target), handler, budget)
        sheets.append(handler.grid.finish())
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


class _Strings:
    """Takes the events of the shared strings: plain and rich texts, without their reading aids (phonetic runs)."""

    def __init__(self, budget: Budget):
        self.depth = self.count = 0
        self.found: list[str] = []
        self._budget = budget
        self._pieces: list[str] = []
        self._length = 0
        self._reading = False
        self._phonetic = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        if name in _TEXT:
            self._reading = not self._phonetic
        elif name in _PHONETIC:
            self._phonetic = self._phonetic or self.depth

    def text(self, data: str) -> None:
        if self._reading:
            self._pieces.append(data)
            self._length += len(data)
            if self._length > self._budget.limits.cell_characters:
                raise self._budget.long_cell()

    def end(self, name: str) -> None:
        self._reading = False
        if self.depth == self._phonetic:
            self._phonetic = 0
        if name in _ITEM and self.depth == 2:
            text = "".join(self._pieces)
            self._budget.table(text)
            self.found.append(text)
            self._pieces, self._length = [], 0
        self.depth -= 1


def _strings(package: Package, part: str | None, budget: Budget) -> list[str]:
    if part is None or part not in package:
        return []
    handler = _Strings(budget)
    parse(package.chunks(part), handler, budget)
    return handler.found


def _styles(package: Package, part: str | None, budget: Budget) -> list[NumberFormat]:
    if part is None:
        return [GENERAL]
    elements = _elements(package, part, budget)
    codes = {}
    for element in elements:
        if element.path == "/styleSheet/numFmts/numFmt":
            number = parse_number(element.get("numFmtId"))
            if isinstance(number, int):
                codes[number] = element.get("formatCode")
    styles = []
    for element in elements:
        if element.path == "/styleSheet/cellXfs/xf":
            number = parse_number(element.get("numFmtId") or "0")
            styles.append(builtin(number, codes) if isinstance(number, int) else GENERAL)
    return styles or [GENERAL]


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
