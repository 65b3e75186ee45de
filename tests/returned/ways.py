"""All ways, in the order in which they are written down."""

from __future__ import annotations

from tests.returned import ways_cells, ways_csv, ways_files, ways_locked, ways_sheets, ways_sight
from tests.returned.way import WAYS, Way

__all__ = ["WAYS", "Way", "ways_cells", "ways_csv", "ways_files", "ways_locked", "ways_sheets", "ways_sight"]
