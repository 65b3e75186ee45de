"""The store of calls: every attempt and every answer is a row that is only ever appended (SQLite, WAL).

An attempt is written before the request goes out, its outcome as soon as it is there, raw; parsing comes after. So a
run killed at any moment loses no answer that had arrived and asks for none of them again, and what was under way at
that moment is known: those calls may have been paid for, and are said.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.errors import Problem, ToolkitError
from toolkit.judging.plan import Call
from toolkit.judging.provider import About, CallError, Finish, Reply, Request, Usage
from toolkit.texts import sound

_SCHEMA = """
CREATE TABLE IF NOT EXISTS request (
    hash TEXT PRIMARY KEY, provider TEXT NOT NULL, model TEXT NOT NULL, identity TEXT NOT NULL, content TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attempt (
    id INTEGER PRIMARY KEY, item_id TEXT NOT NULL, dimension TEXT NOT NULL, part TEXT NOT NULL, ord TEXT NOT NULL,
    sample INTEGER NOT NULL, judge TEXT NOT NULL, texts TEXT NOT NULL, request TEXT NOT NULL REFERENCES request,
    started REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS attempt_item ON attempt (item_id, dimension);
CREATE TABLE IF NOT EXISTS outcome (
    attempt INTEGER PRIMARY KEY REFERENCES attempt, ok INTEGER NOT NULL, text TEXT, finish TEXT, input_tokens INTEGER,
    output_tokens INTEGER, sent TEXT, model TEXT, failure TEXT, message TEXT, tries INTEGER NOT NULL,
    ended REAL NOT NULL
);
"""
_TABLES = frozenset(("request", "attempt", "outcome"))
_VERSION = 1
_MAGIC = b"SQLite format 3\0"
# what a call is known by: the item, the judge, the full request, and which of the repeated ones
Key = tuple[str, str, str, str, int, str, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer in the store."""

    text: str
    finish: Finish
    sent: dict[str, Any]


class Spent(NamedTuple):
    """What an answered call took; the request only where the provider did not say how many tokens."""

    model: str
    usage: Usage
    request: Request | None


def check_apart(out: Path, store: Path) -> None:
    """Refuse to write results over the store of calls: its answers may have been paid for.

    Raises:
        ToolkitError: When both are one file, or `out` is a store.
    """
    same = out.resolve() == store.resolve()
    if not same and out.is_file():
        with out.open("rb") as file:
            same = file.read(len(_MAGIC)) == _MAGIC
    if same:
        raise ToolkitError(
            Problem("is a store of calls, and results are not written over it", "choose another -o", out)
        )


class Store:
    """One store, open for this process alone."""

    def __init__(self, path: Path):
        """Open or make the store.

        Raises:
            ToolkitError: When it cannot be opened, is no store, or another run has it open.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=1.0, isolation_level=None)
            # the lock is the operating system's: it goes away with the process, however that ends
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._check()
            self._base.execute("PRAGMA journal_mode = WAL")
            # what is committed outlives the process however it ends; only a power cut may take the last moments
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.executescript("BEGIN IMMEDIATE;" + _SCHEMA + "COMMIT;")
            self._base.execute(f"PRAGMA user_version = {_VERSION}")
            self._answered = self._index()
        except (sqlite3.Error, OSError) as error:
            busy = "locked" in str(error)
            what = "is in use by another run" if busy else f"cannot be used as a store of calls: {error}"
            raise ToolkitError(
                Problem(what, "wait for it to end" if busy else "choose another --store", path)
            ) from error

    def _check(self) -> None:
        """Refuse a database that is something else, before anything is written into it."""
        tables = {row[0] for row in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not tables >= _TABLES:
            raise ToolkitError(Problem("is a database, but no store of calls", "choose another --store", self.path))
        if self._base.execute("PRAGMA user_version").fetchone()[0] not in (0, _VERSION):
            fix = "use the toolkit that wrote it, or another --store"
            raise ToolkitError(Problem("was written by a newer toolkit", fix, self.path))

    def close(self) -> None:
        """Close the store."""
        self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _index(self) -> dict[Key, int]:
        rows = self._base.execute(
            "SELECT item_id, dimension, part, ord, sample, judge, request, id "
            "FROM attempt JOIN outcome ON attempt = id WHERE ok ORDER BY id DESC"
        )
        return {tuple(row[:-1]): row[-1] for row in rows}

    def has(self, call: Call) -> bool:
        """Return whether the answer to a call is here."""
        return _key(call) in self._answered

    def answer(self, call: Call) -> Stored | None:
        """Return the answer to a call, None when it is not here."""
        place = self._answered.get(_key(call))
        return None if place is None else self._stored(place)

    def latest(self, call: Call) -> Stored | None:
        """Return the last answer of this judge about these very texts, whatever the prompt was."""
        row = self._base.execute(
            "SELECT id FROM attempt JOIN outcome ON attempt = id WHERE ok AND item_id = ? AND dimension = ? "
            "AND part = ? AND ord = ? AND sample = ? AND judge = ? AND texts = ? ORDER BY id DESC LIMIT 1",
            (*_key(call)[:-1], call.texts),
        ).fetchone()
        return None if row is None else self._stored(row[0])

    def failure(self, call: Call) -> str | None:
        """Return why the last attempt at a call gave no answer, None when there was none."""
        row = self._base.execute(
            "SELECT message FROM attempt LEFT JOIN outcome ON attempt = id WHERE item_id = ? AND dimension = ? AND "
            "part = ? AND ord = ? AND sample = ? AND judge = ? AND request = ? ORDER BY id DESC LIMIT 1",
            _key(call),
        ).fetchone()
        return None if row is None else row[0] or "stopped before the answer came"

    def begin(self, call: Call) -> int:
        """Write down that a call is about to go out, and return its number."""
        self._base.execute("BEGIN")
        self._base.execute(
            "INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?)",
            (call.hash, call.provider, sound(call.model), _json(dict(call.identity)), _json(call.request.content)),
        )
        place = self._base.execute(
            "INSERT INTO attempt (item_id, dimension, part, ord, sample, judge, request, texts, started) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*_key(call), call.texts, time.time()),
        ).lastrowid
        self._base.execute("COMMIT")
        assert place is not None
        return place

    def succeed(self, place: int, call: Call, reply: Reply, tries: int) -> None:
        """Write down an answer, as it came."""
        usage, sent = reply.usage, _json(dict(reply.sent))
        row = (
            sound(reply.text),
            reply.finish,
            usage.input_tokens,
            usage.output_tokens,
            sent,
            reply.model and sound(reply.model),
        )
        self._base.execute(
            "INSERT INTO outcome VALUES (?, 1, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?)", (place, *row, tries, time.time())
        )
        self._answered[_key(call)] = place

    def fail(self, place: int, error: CallError, tries: int) -> None:
        """Write down that no answer came."""
        self._base.execute(
            "INSERT INTO outcome VALUES (?, 0, NULL, NULL, NULL, NULL, NULL, NULL, ?, ?, ?, ?)",
            (place, error.kind, sound(str(error)), tries, time.time()),
        )

    def under_way(self) -> int:
        """Return how many calls had gone out, nobody knows what became of them, and they were not answered later."""
        rows = self._base.execute(
            "SELECT item_id, dimension, part, ord, sample, judge, request FROM attempt "
            "LEFT JOIN outcome ON attempt = id WHERE ok IS NULL"
        )
        return sum(tuple(row) not in self._answered for row in rows)

    def spent(self) -> Iterator[Spent]:
        """Yield what every answered call took."""
        rows = self._base.execute(
            "SELECT request.model, input_tokens, output_tokens, "
            "CASE WHEN input_tokens IS NULL OR output_tokens IS NULL THEN content END "
            "FROM outcome JOIN attempt ON attempt = id JOIN request ON request = hash WHERE ok"
        )
        for model, given, written, content in rows:
            asked = json.loads(content) if content else None
            request = Request(asked["prompt"], asked["system"], max_tokens=asked["max_tokens"]) if asked else None
            yield Spent(model, Usage(given, written), request)

    def _stored(self, place: int) -> Stored:
        row = self._base.execute("SELECT text, finish, sent FROM outcome WHERE attempt = ?", (place,)).fetchone()
        return Stored(row[0], row[1], json.loads(row[2]))


def _key(call: Call) -> Key:
    about: About = call.about
    return (
        sound(about.item_id),
        sound(about.dimension),
        about.part,
        about.order,
        about.sample,
        sound(call.judge),
        call.hash,
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)
