"""What the styles of an .ods file strike out, and which sheets they hide; what they display, the cells say."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.workbook.readers.markup import DEEPEST, MOST_ATTRIBUTES, abnormal

_STYLE_SPACE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
_TABLE_SPACE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_STYLES = (f"{_STYLE_SPACE} style", f"{_STYLE_SPACE} default-style")
_TEXT_PROPERTIES, _TABLE_PROPERTIES = f"{_STYLE_SPACE} text-properties", f"{_STYLE_SPACE} table-properties"
_LINES = (f"{_STYLE_SPACE} text-line-through-style", f"{_STYLE_SPACE} text-line-through-type")
_NAME, _FAMILY, _PARENT = (f"{_STYLE_SPACE} {key}" for key in ("name", "family", "parent-style-name"))
CELL, SPAN, TABLE = "table-cell", "text", "table"
_STYLE_DEPTH = 3  # document-content or document-styles, automatic-styles or styles, style
# A style inherits from another, and that from yet another; in a circle, for ever.
_LONGEST_LINE = 100


class Styles:
    """Takes the events of the styles, and answers what they say.

    A style is known by its family and name; one without a name is what all of its family begin with.
    """

    def __init__(self) -> None:
        self.depth = self.count = 0
        self._parents: dict[tuple[str, str], str] = {}
        self._lines: dict[tuple[str, str], bool] = {}
        self._hidden: set[str] = set()
        self._current: tuple[str, str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `markup.Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        if self.depth == _STYLE_DEPTH:
            self._current = None
            family = attributes.get(_FAMILY)
            if name in _STYLES and family in (CELL, SPAN, TABLE):
                # a file's own styles come after those that all sheets share, and go before them
                self._current = family, attributes.get(_NAME, "")
                self._lines.pop(self._current, None)
                self._parents[self._current] = attributes.get(_PARENT, "")
        elif self.depth == _STYLE_DEPTH + 1 and self._current is not None:
            self._properties(self._current, name, attributes)

    def _properties(self, style: tuple[str, str], name: str, attributes: Mapping[str, str]) -> None:
        if name == _TEXT_PROPERTIES:
            lines = [attributes[key] for key in _LINES if key in attributes]
            if lines:
                self._lines[style] = "none" not in lines
        elif name == _TABLE_PROPERTIES and attributes.get(f"{_TABLE_SPACE} display") == "false":
            self._hidden.add(style[1])

    def end(self, name: str) -> None:
        """See `markup.Handler`."""
        self.depth -= 1

    def text(self, data: str) -> None:
        """See `markup.Handler`."""

    @property
    def strike(self) -> bool:
        """Whether any style strikes out."""
        return any(self._lines.values())

    def strikes(self, family: str, name: str) -> bool:
        """Return whether a style strikes out."""
        for _step in range(_LONGEST_LINE):
            if (struck := self._lines.get((family, name))) is not None:
                return struck
            if not name:
                break
            name = self._parents.get((family, name), "")
        return False

    def hides(self, name: str) -> bool:
        """Return whether a style of a sheet hides it."""
        return name in self._hidden
