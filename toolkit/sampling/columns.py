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
_TEXT = re.compile("!?(VARCHAR|STRING)")
_COLUMN = re.compile(r'\w+|"[^"]*"')
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

    def read_as(self, names: Sequence[str]) -> dict[str, str]:
        """Return the type that each column of JSON Lines is read as: text, but identifiers must be seen as written."""
        return {name: "JSON" if name in self._identifiers() else "VARCHAR" for name in names}

    def untrimmed(self, name: str) -> str:
        """Return SQL for a field as text, as it stands; NULL where it is absent."""
        column = self.find(name)
        if column is None:
            return "CAST(NULL AS VARCHAR)"
        if self.kind == "json" and column in self._identifiers():
            return f"({quoted(column)} ->> '$')"
        if self.kind == "typed" and not _TEXT.match(self.types[column]):
            return f"CAST({quoted(column)} AS VARCHAR)"
        return quoted(column)

    def text(self, name: str) -> str:
        """Return SQL for a field as trimmed text, NULL where it is absent or blank."""
        return trimmed(self.untrimmed(name))

    def identifier(self) -> str:
        """Return SQL for the item's identifier: text or a whole number; NULL for anything else."""
        return joined(self.untrimmed_identifiers())

    def untrimmed_identifiers(self) -> list[str]:
        """Return SQL for the parts of the identifier, as they stand: text or whole numbers; NULL for anything else."""
        return [self._identifier(name) for name in self.id_from or ("item_id",)]

    def plain_identifier(self) -> str:
        """Return SQL that finds an identifier in a whole record (`json` of JSON Lines) with hardly any work.

        It finds one of several columns however it is written, one of a single column unless there is space around it.
        """
        if not self.id_from:
            return self._plain("item_id")
        return " || '/' || ".join(f"TRIM({self._plain(name)})" for name in self.id_from)

    def _plain(self, name: str) -> str:
        column = self.find(name)
        if self.kind == "json" and column is not None:
            return f"(json ->> {literal(json_path(column))})"
        return self.untrimmed(name)

    def _identifiers(self) -> set[str | None]:
        return {self.find(name) for name in self.id_from or ("item_id",)}

    def _identifier(self, name: str) -> str:
        column = self.find(name)
        if column is not None and self.kind == "json":
            raw = f"CAST({quoted(column)} AS VARCHAR)"
            text = self.untrimmed(name)
            return f"CASE WHEN {raw} LIKE '\"%' THEN {text} WHEN REGEXP_MATCHES({raw}, '{_WHOLE}') THEN {raw} END"
        if self.kind == "typed" and column and re.search("DOUBLE|FLOAT|REAL|BOOL|STRUCT|ARRAY|MAP", self.types[column]):
            return "CAST(NULL AS VARCHAR)"
        return self.untrimmed(name)

    def scored(self) -> str:
        """Return SQL for whether the judge gave anything as a score, good or bad."""
        return f"({self._given('judge_score')} IS NOT NULL)"

    def score(self, scale: Scale) -> str:
        """Return SQL for the judge's score; NULL where there is none, or none that can be read and is on the scale."""
        return on_scale(self.number("judge_score"), scale)

    def number(self, name: str) -> str:
        """Return SQL for a number field, NULL where it holds none."""
        given = self._given(name)
        return f"CAST({given} AS DOUBLE)" if self.is_number(name) else as_number(given)

    def is_number(self, name: str) -> bool:
        """Return whether a field's column has a type of numbers."""
        column = self.find(name)
        return column is not None and self.kind == "typed" and bool(_NUMERIC.match(self.types[column]))

    def _given(self, name: str) -> str:
        return quoted(self.find(name) or "") if self.is_number(name) else self.text(name)


def trimmed(sql: str) -> str:
    """Return SQL for a text without the spaces around it, NULL where nothing is left."""
    if not _COLUMN.fullmatch(sql):
        return f"NULLIF(TRIM({sql}), '')"
    # to look at both ends of a column costs half of what TRIM does, and hardly a text has a space there
    return f"CASE WHEN {sql} LIKE ' %' OR {sql} LIKE '% ' OR {sql} = '' THEN NULLIF(TRIM({sql}), '') ELSE {sql} END"


def joined(parts: Sequence[str]) -> str:
    """Return SQL for the identifier that parts make together."""
    return " || '/' || ".join(map(trimmed, parts))


def as_number(text: str, usual: Sequence[float] = ()) -> str:
    """Return SQL for the number that a text is; NULL where it is none.

    Args:
        text: SQL for the text.
        usual: Whole numbers that most texts are: to compare with a few costs a quarter of what reading one does.
    """
    read = f"CASE WHEN REGEXP_MATCHES({text}, '{NUMBER}') THEN TRY_CAST(REPLACE({text}, ',', '.') AS DOUBLE) END"
    whens = " ".join(f"WHEN '{number:.0f}{end}' THEN {number!r}" for number in usual for end in ("", ".0"))
    return f"CASE {text} {whens} ELSE {read} END" if usual else read


def on_scale(number: str, scale: Scale) -> str:
    """Return SQL for a number that is on the scale; NULL where it is not.

    NaN is greater than everything, or equal to nothing, in every engine: beyond the scale either way.
    """
    low, high = scale.codes[0] - NOISE, scale.codes[-1] + NOISE
    return f"CASE WHEN {number} >= {low!r} AND {number} <= {high!r} THEN {number} END"
