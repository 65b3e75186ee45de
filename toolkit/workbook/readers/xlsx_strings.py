"""The texts of an .xlsx file that its cells refer to, and which of them are struck out."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.workbook.readers.budget import Budget
from toolkit.workbook.readers.markup import DEEPEST, MOST_ATTRIBUTES, abnormal

# The two names of the same vocabulary: what Excel writes, and what it writes as "Strict Open XML".
NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
_ITEM, _RUN, _STRIKE, _TEXT, _PHONETIC = range(1, 6)
_LOCAL = {"si": _ITEM, "r": _RUN, "strike": _STRIKE, "t": _TEXT, "rPh": _PHONETIC}
_KINDS = {f"{space} {local}": kind for space in NAMESPACES for local, kind in _LOCAL.items()}


def is_on(attributes: Mapping[str, str]) -> bool:
    """Return whether an element such as `strike` says yes, which it does by being there."""
    return attributes.get("val", "1") not in ("0", "false", "off")


class Strings:
    """Takes the events of the shared strings: plain and rich texts, without their reading aids (phonetic runs).

    Attributes:
        found: The texts.
        struck: The places of those of which a part is struck out.
    """

    def __init__(self, budget: Budget):
        self.depth = self.count = 0
        self.found: list[str] = []
        self.struck: set[int] = set()
        self._budget = budget
        self._pieces: list[str] = []
        self._length = 0
        self._reading = self._run_struck = False
        self._phonetic = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """See `markup.Handler`."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise abnormal()
        kind = _KINDS.get(name)
        if kind == _TEXT:
            self._reading = not self._phonetic
        elif kind == _RUN:
            self._run_struck = False
        elif kind == _STRIKE:
            self._run_struck = is_on(attributes)
        elif kind == _PHONETIC:
            self._phonetic = self._phonetic or self.depth

    def text(self, data: str) -> None:
        """See `markup.Handler`."""
        if self._reading:
            self._pieces.append(data)
            if self._run_struck and data.strip():
                self.struck.add(len(self.found))
            self._length += len(data)
            if self._length > self._budget.limits.cell_characters:
                raise self._budget.long_cell()

    def end(self, name: str) -> None:
        """See `markup.Handler`."""
        self._reading = False
        if self.depth == self._phonetic:
            self._phonetic = 0
        if self.depth == 2 and _KINDS.get(name) == _ITEM:
            text = "".join(self._pieces)
            self._budget.table(text)
            self.found.append(text)
            self._pieces, self._length, self._run_struck = [], 0, False
        self.depth -= 1
