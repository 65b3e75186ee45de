"""SQL for the toolkit's fields over a log's own columns, whatever their type and the engine.

Everything is written in DuckDB's dialect with functions that every engine has (CAST, TRIM, REPLACE, MD5, CASE), so
that the same text runs embedded and, translated by sqlglot, on Spark, BigQuery or Snowflake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from toolkit.model import Scale
from toolkit.tables import header_key
from toolkit.tables.fields import ALIASES

MISSING = "(missing)"
NOISE = 1e-9
# what toolkit.tables.fields.number accepts, as far as a regular expression without \d can say it
NUMBER = r"^[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?$"
_WHOLE = r"^-?[0-9]+$"
_NUMERIC = re.compile("!?(U?(TINY|SMALL|BIG|HUGE)?INT|U?INT(EGER|[0-9]+)|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)")
LOG_ALIASES = ALIASES | {"judge_score": ("score",)}

Kind = Literal["json", "text", "typed"]


def quoted(name: str) -> str:
    """Return a column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def json_path(name: str) -> str:
    """Return the path of a key inside a JSON object."""
    return '$."' + name + '"'


@dataclass(frozen=True)
class Columns:
    """The columns of a log and how the toolkit's fields are read from them.

    Attributes:
        kind: `json` (each column the JSON text of a value), `text` (all text, as in CSV) or `typed`.
        types: Column name to its SQL type, in upper case; the names in the order of the log.
        rename: Field to the log's own name for it (`--map`).
        id_from: Columns that together identify a record, where no single one does; empty for `item_id`.
    """

    kind: Kind
    types: dict[str, str]
    rename: Mapping[str, str] = field(default_factory=dict)
    id_from: Sequence[str] = ()

    def find(self, name: str) -> str | None:
        """Return the log's column for a field or for one of the log's own names; None where there is none."""
        keys = {header_key(column): column for column in self.types}
        if name in self.rename:
            return keys.get(header_key(self.rename[name]))
        taken = {header_key(column) for column in self.rename.values()}
        for candidate in (name, *LOG_ALIASES.get(name, ())):
            key = header_key(candidate)
            if key in keys and key not in taken:
                return keys[key]
        return keys.get(header_key(name))

    def text(self, name: str) -> str:
        """Return SQL for a field as trimmed text, NULL where it is absent or blank."""
        column = self.find(name)
        if column is None:
            return "CAST(NULL AS VARCHAR)"
        raw = quoted(column)
        if self.kind == "json":
            return f"NULLIF(TRIM({raw} ->> '$'), '')"
        if self.types[column] not in ("VARCHAR", "STRING"):
            return f"NULLIF(TRIM(CAST({raw} AS VARCHAR)), '')"
        # to look at both ends costs half of what TRIM does, and hardly a text has a space there
        spaced = f"{raw} LIKE ' %' OR {raw} LIKE '% ' OR {raw} = ''"
        return f"CASE WHEN {spaced} THEN NULLIF(TRIM({raw}), '') ELSE {raw} END"

    def identifier(self) -> str:
        """Return SQL for the item's identifier: text or a whole number; NULL for anything else."""
        if self.id_from:
            return " || '/' || ".join(self._identifier(name) for name in self.id_from)
        return self._identifier("item_id")

    def plain_identifier(self) -> str:
        """Return SQL that an engine can look an identifier up with, without computing anything for every row."""
        column = self.find("item_id")
        if column is None or self.id_from:
            return self.identifier()
        if self.kind == "json":
            return f"(json ->> {literal(json_path(column))})"
        return quoted(column) if re.match("!?(VARCHAR|STRING)", self.types[column]) else self.identifier()

    def _identifier(self, name: str) -> str:
        column = self.find(name)
        if column is None:
            return "CAST(NULL AS VARCHAR)"
        if self.kind == "json":
            raw = f"CAST({quoted(column)} AS VARCHAR)"
            return (
                f"CASE WHEN {raw} LIKE '\"%' THEN {self.text(name)} "
                f"WHEN REGEXP_MATCHES({raw}, '{_WHOLE}') THEN {raw} END"
            )
        if self.kind == "typed" and re.search("DOUBLE|FLOAT|REAL|BOOL|STRUCT|ARRAY|MAP", self.types[column]):
            return "CAST(NULL AS VARCHAR)"
        return self.text(name)

    def scored(self) -> str:
        """Return SQL for whether the judge gave anything as a score, good or bad."""
        column = self.find("judge_score")
        if column is None:
            return "FALSE"
        if self.kind == "typed" and self._is_number(column):
            return f"({quoted(column)} IS NOT NULL)"
        return f"({self.text('judge_score')} IS NOT NULL)"

    def score(self, scale: Scale) -> str:
        """Return SQL for the judge's score; NULL where there is none, or none that can be read and is on the scale.

        NaN is greater than everything, or equal to nothing, in every engine: beyond the scale either way.
        """
        column = self.find("judge_score")
        if column is None:
            return "CAST(NULL AS DOUBLE)"
        low, high = scale.codes[0] - NOISE, scale.codes[-1] + NOISE
        if self.kind == "typed" and self._is_number(column):
            value, test = f"CAST({quoted(column)} AS DOUBLE)", ""
        else:
            text = self.text("judge_score")
            value, test = f"TRY_CAST(REPLACE({text}, ',', '.') AS DOUBLE)", f"REGEXP_MATCHES({text}, '{NUMBER}') AND "
        return f"CASE WHEN {test}{value} >= {low!r} AND {value} <= {high!r} THEN {value} END"

    def number(self, name: str) -> str:
        """Return SQL for a number field, NULL where it holds none."""
        column = self.find(name)
        if column is not None and self.kind == "typed" and self._is_number(column):
            return f"CAST({quoted(column)} AS DOUBLE)"
        text = self.text(name)
        return f"CASE WHEN REGEXP_MATCHES({text}, '{NUMBER}') THEN TRY_CAST(REPLACE({text}, ',', '.') AS DOUBLE) END"

    def _is_number(self, column: str) -> bool:
        return bool(_NUMERIC.match(self.types[column]))
