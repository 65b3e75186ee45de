"""Whole records for a few keys, in the form `toolkit.records` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolkit.model import Scale
from toolkit.sampling.choose import Pick
from toolkit.sampling.columns import Columns, json_path, literal, quoted
from toolkit.sampling.logs import Log
from toolkit.tables import is_blank
from toolkit.tables._base import Fault, faults_in, plain
from toolkit.tables._json import parse
from toolkit.tables.fields import LABELS, RESERVED, json_safe, number

Key = tuple[str, str | None]
DESIGN = ("stratum", "inclusion_probability", "weight")
IDS_AT_ONCE = 5_000


def fetch(log: Log, keys: Iterable[Key], dimension: str | None = None) -> dict[Key, list[dict[str, Any]]]:
    """Return the log's records with these keys: several for a key that the log has more than once.

    Args:
        log: The log.
        keys: (item_id, dimension).
        dimension: The dimension of every record, where the log has none.
    """
    wanted = set(keys)
    found = _fetch(log, wanted, dimension, plain=True)
    if missing := wanted - set(found):  # identifiers with space around them, or that are no texts in the log
        found |= _fetch(log, missing, dimension, plain=False)
    return found


def _fetch(log: Log, wanted: set[Key], dimension: str | None, *, plain: bool) -> dict[Key, list[dict[str, Any]]]:
    columns = log.columns
    dim = columns.text("dimension") if dimension is None else literal(dimension)
    names = sorted({n for n in map(columns.find, ("dimension", *(columns.id_from or ("item_id",)))) if n})
    ids = sorted({item_id for item_id, _ in wanted})
    found: dict[Key, list[dict[str, Any]]] = {}
    for start in range(0, len(ids), IDS_AT_ONCE):
        listed = ", ".join(map(literal, ids[start : start + IDS_AT_ONCE]))
        # a plain identifier is looked for before anything is computed, or taken out of JSON, for every record
        source = f"SELECT * FROM ({log.records}) AS t_all"
        source += f" WHERE {columns.plain_identifier()} IN ({listed})" if plain else ""
        if columns.kind == "json":
            parts = [
                f"json {'->' if kind == 'JSON' else '->>'} {literal(json_path(name))} AS {quoted(name)}"
                for name, kind in columns.read_as(names).items()
            ]
            source = f"SELECT {', '.join(['json', *parts])} FROM ({source}) AS t_json"
        selected = "json" if columns.kind == "json" else ", ".join(map(quoted, columns.types))
        sql = f"SELECT {columns.identifier()} AS t_id, {dim} AS t_dim, {selected} FROM ({source}) AS t_log"
        sql += "" if plain else f" WHERE {columns.identifier()} IN ({listed})"
        for item_id, of, *cells in log.run(sql):
            if (item_id, of) in wanted:
                record = parse(cells[0]) if columns.kind == "json" else dict(zip(columns.types, cells, strict=True))
                found.setdefault((item_id, of), []).append(record)
    return found


def prompt_of(record: Mapping[str, Any], columns: Columns) -> str:
    """Return a record's prompt as text."""
    value = record.get(columns.find("prompt") or "")
    return value if isinstance(value, str) else ""


def judged_record(
    record: Mapping[str, Any], pick: Pick, stratum: str, columns: Columns, scale: Scale
) -> tuple[dict[str, Any], list[str]]:
    """Return a record as it goes into the sample, and the names of fields whose values JSON could not hold.

    Reserved fields get their own names (an `id` is an `item_id` from here on), the judge's score is a number, and the
    design is added. Everything else stays as it is.
    """
    own = {columns.find(name): name for name in (*RESERVED,) if columns.find(name) is not None}
    made: dict[str, Any] = {"item_id": pick.candidate.item_id}
    if pick.candidate.dimension is not None:
        made["dimension"] = pick.candidate.dimension
    lost = []
    for name, raw in record.items():
        value = json_safe(plain(raw))
        field = own.get(name, name)
        if isinstance(value, Fault) or next(faults_in(value), None):
            lost.append(name)
            continue
        if field in ("item_id", "dimension") or is_blank(value):
            continue
        if field == "judge_score":
            value = number(value)
            value = int(value) if value == int(value) else value
        elif field in LABELS and not isinstance(value, str):
            value = str(value)
        made[field] = value
    made |= dict(zip(DESIGN, (stratum, pick.probability, 1 / pick.probability), strict=True))
    return made, lost


def to_jsonl(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Return records as JSON Lines."""
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    return "".join(line + "\n" for line in lines).encode("utf-8", "backslashreplace")
