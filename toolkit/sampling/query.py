"""The questions sampling asks a log: what it holds per stratum with a few candidates each, and whole records.

A candidate is a record with one of the smallest `md5(seed | item_id | dimension)` of its group. Any engine computes the
same text, so any engine has the same candidates; the order of rows plays no part; and a record that joins the log can
only push out the last candidate of its own group (bottom-k sampling: Cohen & Kaplan 2007, Summarizing data using
bottom-k sketches, PODC; permanent random numbers: Ohlsson 1995, in Business Survey Methods).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import Problem, ToolkitError
from toolkit.model import Scale
from toolkit.sampling.columns import MISSING, Columns, as_number, joined, literal, on_scale, quoted, trimmed
from toolkit.sampling.logs import Log

OK, NO_ID, BAD_SCORE, EXCLUDED, FILTERED = "ok", "no item_id", "judge score", "excluded", "filtered"
MOST_GROUPS = 50_000
MOST_USUAL = 10
LEVEL = "CAST(FLOOR(t_score + 0.5) AS INTEGER)"
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, order=True)
class Candidate:
    """A record that may be chosen; candidates sort as they are to be chosen."""

    hash: str
    item_id: str
    dimension: str | None = field(compare=False)

    @property
    def key(self) -> tuple[str, str | None]:
        """What identifies the record."""
        return self.item_id, self.dimension


@dataclass(frozen=True)
class Group:
    """Records of the log that are alike in everything the sample is stratified by.

    Attributes:
        by: The values of the stratifying columns.
        status: Whether they may be chosen, or why not.
        level: The judge's score rounded to a level of the scale (halves up); None where there is none.
        problem: Whether they are problem cases.
        n: How many there are.
        total: Sum of their judge scores; `squares`, of the squares.
        candidates: The first of them in hash order.
    """

    by: tuple[str, ...]
    status: str
    level: int | None
    problem: bool
    n: int
    total: float
    squares: float
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Flag:
    """A condition of the toolkit's own that makes a record a problem case.

    Attributes:
        name: In words.
        sql: Over the log's raw columns.
        columns: The columns it reads.
    """

    name: str
    sql: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Ask:
    """What is asked of a log.

    Attributes:
        by: The stratifying columns, `judge_score` among them where wanted (its level then).
        where: A condition in SQL that a record must meet to be in the frame.
        problems: The user's conditions in SQL, each of which makes a record a problem case; `flags`, the toolkit's.
        excluded_ids: Keys (item_id, dimension or None for any) of records that must not be chosen.
        excluded_prompts: Prompts, trimmed, whose records must not be chosen.
        dimension: The dimension of every record, where the log has none.
    """

    scale: Scale
    seed: int
    by: Sequence[str] = ()
    where: str | None = None
    problems: Sequence[str] = ()
    flags: Sequence[Flag] = ()
    excluded_ids: Collection[tuple[str, str | None]] = ()
    excluded_prompts: Collection[str] = ()
    dimension: str | None = None


def hash_of(seed: int, item_id: str, dimension: str | None) -> str:
    """Return what puts a record into its place, as every engine computes it.

    >>> hash_of(42, "a", "factual") == hash_of(42, "a", None)
    False
    """
    import hashlib

    return hashlib.md5(f"{seed}|{item_id}|{dimension or ''}".encode(), usedforsecurity=False).hexdigest()


def base(log: Log, ask: Ask) -> str:
    """Return SQL with a row for each of the log's: t_id, t_dim, t_score, t_hash, t_status, t_level, t_problem, t_g0.

    Step by step, each over the one before: no engine then has to compute anything twice.
    """
    columns = log.columns
    raw: dict[str, str] = {}

    def take(sql: str) -> str:
        return raw.setdefault(sql, f"t_raw{len(raw)}")

    identifier = joined([take(sql) for sql in columns.untrimmed_identifiers()])
    dimension = trimmed(take(columns.untrimmed("dimension"))) if ask.dimension is None else literal(ask.dimension)
    groups = ["t_level" if name == "judge_score" else trimmed(take(columns.untrimmed(name))) for name in ask.by]
    if columns.is_number("judge_score"):
        given, number = take(columns.number("judge_score")), "t_given"
    else:
        usual = ask.scale.codes if log.embedded and len(ask.scale.codes) <= MOST_USUAL else ()
        given, number = trimmed(take(columns.untrimmed("judge_score"))), as_number("t_given", usual)
    conditions = [condition for condition in (ask.where, *ask.problems) if condition]
    named = {_written(name, conditions, log): sql for name, sql in _mentioned(columns, conditions).items()}
    known = f"COALESCE({columns.text('prompt')} IN ({_listed(ask.excluded_prompts)}), FALSE)"
    read = [
        *(f"{sql} AS {name}" for sql, name in raw.items()),
        *(f"{sql} AS {name}" for name, sql in named.items() if sql),
        *(f"{flag.sql} AS t_p{place}" for place, flag in enumerate(ask.flags)),
        *([f"{known} AS t_known"] if ask.excluded_prompts else []),
    ]
    steps = [
        [f"{identifier} AS t_id", f"{dimension} AS t_dim", f"{given} AS t_given"],
        [f"{number} AS t_number"],
        [f"{on_scale('t_number', ask.scale)} AS t_score"],
        [
            f"{LEVEL} AS t_level",
            *(f"t_score AS {name}" for name, sql in named.items() if not sql),
        ],
    ]
    sql = f"SELECT {', '.join(read)} FROM {log.relation(columns.read_as(used(log, ask)))} AS t_log"
    for place, step in enumerate(steps):
        sql = f"SELECT *, {', '.join(step)} FROM ({sql}) AS t_step{place}"
    cases = [*(f"t_p{place}" for place in range(len(ask.flags))), *ask.problems]
    problem = " OR ".join(f"COALESCE(({case}), FALSE)" for case in cases) or "FALSE"
    outer = [
        "t_id",
        "t_dim",
        "t_score",
        # one call instead of ||, for a tenth of the time; a record without an identifier has no use for it
        f"MD5(CONCAT('{ask.seed}|', t_id, '|', COALESCE(t_dim, ''))) AS t_hash",
        f"{_status(ask)} AS t_status",
        "t_level",
        f"({problem}) AS t_problem",
        *(f"{group} AS t_g{place}" for place, group in enumerate(groups)),
    ]
    return f"SELECT {', '.join(outer)} FROM ({sql}) AS t_rows"


def used(log: Log, ask: Ask) -> list[str]:
    """Return the log's columns that a question reads, in the order of the log."""
    columns = log.columns
    names = ["dimension", "judge_score", *(columns.id_from or ("item_id",)), *ask.by]
    names += ["prompt"] if ask.excluded_prompts else []
    found = {columns.find(name) for name in names} | {column for flag in ask.flags for column in flag.columns}
    found |= {columns.find(word) for e in (ask.where, *ask.problems) if e for word in _WORD.findall(e)}
    return [column for column in columns.types if column in found]


def groups(log: Log, ask: Ask, candidates: int = 0) -> list[Group]:
    """Return what the log holds, group by group, each with its first candidates, from one scan.

    Where no candidates are asked for no engine computes a hash, which is half of the work.

    Raises:
        ToolkitError: When the engine refuses, or the columns have too many different values to be strata.
    """
    by = [f"t_g{place}" for place in range(len(ask.by))]
    keys = ", ".join([*by, "t_status", "t_level", "t_problem"])
    sums = "COUNT(*) AS n, SUM(t_score) AS total, SUM(t_score * t_score) AS squares"
    table = base(log, ask)
    keyed = f"FROM ({table}) AS t_base GROUP BY {keys} LIMIT {MOST_GROUPS + 1}"
    drawn: dict[tuple[Any, ...], list[tuple[str, str, str | None]]] = {}
    if log.embedded and candidates:
        # three lists, not one of structs, which the engine would encode for every row; a list takes no NULL
        parts = ("t_hash", "t_id", "COALESCE(t_dim, '')")
        first = ", ".join(f"MIN_BY({part}, t_hash, {candidates})" for part in parts)
        found = log.run(f"SELECT {keys}, {sums}, {first} {keyed}")
        for *key, status, level, problem, _, _, _, hashes, ids, dimensions in found:
            if status == OK:
                chosen = zip(hashes, ids, (dimension or None for dimension in dimensions), strict=True)
                drawn[*key, status, level, problem] = list(chosen)
    else:
        found = log.run(f"SELECT {keys}, {sums} {keyed}")
        for row in log.run(candidates_sql(table, keys, candidates)) if candidates else ():
            drawn.setdefault(tuple(row[:-3]), []).append((row[-3], row[-2], row[-1]))
    if len(found) > MOST_GROUPS:
        what = f"--by {','.join(ask.by)}: more than {MOST_GROUPS:,} different combinations of values"
        raise ToolkitError(Problem(what, "name columns with few different values", log.name))
    width = len(by)
    return [
        Group(
            by=tuple(MISSING if value is None else str(value) for value in row[:width]),
            status=row[width],
            level=None if row[width + 1] is None else int(row[width + 1]),
            problem=bool(row[width + 2]),
            n=int(row[width + 3]),
            total=float(row[width + 4] or 0.0),
            squares=float(row[width + 5] or 0.0),
            candidates=tuple(sorted(Candidate(*c) for c in drawn.get(tuple(row[: width + 3]), ()))),
        )
        for row in found
    ]


def candidates_sql(table: str, keys: str, candidates: int) -> str:
    """Return SQL for the first candidates of each group, as any engine with window functions runs it."""
    return (
        f"SELECT {keys}, t_hash, t_id, t_dim FROM ({table}) AS t_base WHERE t_status = '{OK}' "
        f"QUALIFY ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY t_hash) <= {candidates}"
    )


def _mentioned(columns: Columns, expressions: Sequence[str]) -> Mapping[str, str]:
    """Return the columns that the user's conditions name, with SQL for their values; none for the judge's score."""
    words = {word for expression in expressions for word in _WORD.findall(expression)}
    found: dict[str, str] = {}
    score = columns.find("judge_score")
    for word in sorted(words):
        column = columns.find(word)
        if column is None or word.casefold() in {name.casefold() for name in found}:
            continue
        if column == score:
            found[word] = ""
        else:
            found[word] = quoted(column) if columns.kind == "typed" else columns.text(word)
    return found


def _written(name: str, conditions: Sequence[str], log: Log) -> str:
    """Return a column's name as the conditions write it: Snowflake and Postgres tell `model` from `"model"`."""
    return quoted(name) if log.embedded or any(quoted(name) in condition for condition in conditions) else name


def _status(ask: Ask) -> str:
    whens = [f"WHEN t_id IS NULL THEN '{NO_ID}'", f"WHEN t_given IS NOT NULL AND t_score IS NULL THEN '{BAD_SCORE}'"]
    if ask.where:
        whens.append(f"WHEN NOT COALESCE(({ask.where}), FALSE) THEN '{FILTERED}'")
    if excluded := _excluded(ask):
        whens.append(f"WHEN {excluded} THEN '{EXCLUDED}'")
    return f"CASE {' '.join(whens)} ELSE '{OK}' END"


def _excluded(ask: Ask) -> str:
    ids = {item_id for item_id, dimension in ask.excluded_ids if dimension is None}
    keys = {f"{item_id}|{dimension}" for item_id, dimension in ask.excluded_ids if dimension is not None}
    tests = ["t_known"] if ask.excluded_prompts else []
    if ids:
        tests.append(f"t_id IN ({_listed(ids)})")
    if keys:
        tests.append(f"t_id || '|' || COALESCE(t_dim, '') IN ({_listed(keys)})")
    return " OR ".join(tests)


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(literal, sorted(set(texts))))
