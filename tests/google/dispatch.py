"""From a call to its answer: is the caller known, does the call fit the interface, and what does it do."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.google import discovery, drive, drives, masks, permissions, spreadsheets, values
from tests.google.accounts import Token
from tests.google.discovery import Method
from tests.google.errors import (
    ApiError,
    Json,
    bad,
    rate_exceeded,
    scope_insufficient,
    service_disabled,
    unauthenticated,
    violations,
)  # fmt: skip
from tests.google.faults import Call
from tests.google.files import SPREADSHEET, File

if TYPE_CHECKING:
    from tests.google.fake_server import FakeServer

JSON = "application/json; charset=UTF-8"
STRANGER = (
    "Method doesn't allow unregistered callers (callers without established identity). "
    "Please use API Key or other form of API consumer identity to call this API."
)


@dataclass
class Work:
    """All that doing a call takes."""

    server: FakeServer
    token: Token
    method: Method
    path: dict[str, str]
    query: Json
    body: Json

    @property
    def id(self) -> str:
        """The id of the file or spreadsheet that is meant."""
        return self.path.get("spreadsheetId") or self.path.get("fileId") or self.path.get("driveId") or ""

    def file(self, needed: str) -> File:
        """Return the spreadsheet that is meant, for a caller of Sheets."""
        file = self.server.store.spreadsheet(self.id, self.token, needed)
        if needed == "writer":
            file.modified = self.server.now
        return file

    @property
    def people(self) -> tuple[str, str]:
        """Who calls, and whose the spreadsheet is."""
        return self.token.email, self.server.store.files[self.id].owner


def answer(server: FakeServer, call: Call, authorization: str | None, raw: bytes) -> tuple[str, bytes]:
    """Return the type and the bytes of the answer to a call, after doing what it asks for.

    Raises:
        ApiError: It cannot be done.
    """
    found = discovery.find(call.verb, call.path)
    if found is None:
        raise LookupError(call.path)
    method, path = found
    call.method = method.id
    token = _token(server, method, authorization)
    call.who = token.email
    _admit(server, method, token, call.verb)
    query = discovery.query(method, call.query)
    work = Work(server, token, method, path, query, _body(method, call, raw))
    result = HANDLERS[method.id](work) if method.id in HANDLERS else None
    if method.id not in HANDLERS:
        raise NotImplementedError(method.id)
    if isinstance(result, tuple):
        return result
    if result is None:
        return JSON, b""
    if wrong := discovery.misfits(method.api, method.response, result):
        raise AssertionError(f"the fake's own answer to {method.id} is not Google's: {wrong}")
    result = masks.answer(method, query.get("fields"), result)
    data = json.dumps(result, ensure_ascii=False, indent=2)
    # read anew, for an answer is of its moment and must not change with the state
    call.answer = json.loads(data)
    return JSON, data.encode()


def _token(server: FakeServer, method: Method, authorization: str | None) -> Token:
    rpc = f"google.apps.{method.api}.{method.id.split('.', 1)[1]}"
    if authorization is None:
        raise ApiError(403, STRANGER, reason="forbidden")
    kind, _, text = authorization.partition(" ")
    token = server.accounts.tokens.get(text)
    if kind != "Bearer" or token is None or token.expires <= server.now:
        raise unauthenticated(method.api, rpc, missing=kind != "Bearer")
    if method.api in server.disabled:
        raise service_disabled(method.api)
    if not method.scopes & token.scopes:
        raise scope_insufficient(method.api, rpc)
    return token


def _admit(server: FakeServer, method: Method, token: Token, verb: str) -> None:
    """Count a call against the quota of Sheets, which knows two kinds of calls and every user by themselves."""
    if server.per_minute is None or method.api != "sheets":
        return
    kind = "Read" if verb == "GET" else "Write"
    moments = server.spent.setdefault((token.email, kind), [])
    moments[:] = [moment for moment in moments if moment > server.now - 60]
    if len(moments) >= server.per_minute:
        wait = int(moments[0] + 60 - server.now) + 1
        raise rate_exceeded(method.api, kind, server.per_minute, wait)
    moments.append(server.now)


def _body(method: Method, call: Call, raw: bytes) -> Json:
    if not raw:
        return {}
    try:
        body = json.loads(raw)
    except ValueError as problem:
        raise bad("Invalid JSON payload received. Unexpected token.", reason="parseError") from problem
    call.body = json.loads(raw)
    if not method.request:
        raise violations([("", "Invalid JSON payload received. The method takes no body.")])
    wrong = discovery.misfits(method.api, method.request, body)
    if method.api == "drive":
        call.ignored = tuple(discovery.unknown_fields("drive", method.request, body))
        wrong = [pair for pair in wrong if pair[1] not in call.ignored]
        known = discovery.schema("drive", method.request)["properties"]
        body = {key: value for key, value in body.items() if key in known} if isinstance(body, dict) else body
    if wrong:
        raise violations(wrong)
    taken: Json = body
    return taken


def _create(work: Work) -> Json:
    account = work.server.accounts.get(work.token.email)
    if account.service:
        # Sheets does not say why; the reason is that a service account has no storage
        raise ApiError(403, "The caller does not have permission")
    book = spreadsheets.create("", work.body, account.email, account.locale)
    place = [drive.root(account.email)]
    title = book.properties["title"]
    store, now = work.server.store, work.server.now
    file = drive.add(store, work.token, title, SPREADSHEET, account.email, "", place, now)
    book.id, file.book = file.id, book
    return spreadsheets.resource(book, account.email, account.email, {})


def _get(work: Work) -> Json:
    file = work.file("reader")
    return spreadsheets.resource(_book(file), *work.people, work.query)


def _book(file: File) -> Any:
    return file.book


def _batch_update(work: Work) -> Json:
    file = work.file("writer")
    file.book, result = spreadsheets.batch_update(_book(file), work.body, *work.people)
    file.name = file.book.properties["title"]
    return result


def _change_values(work: Work, change: Callable[[Any], Json]) -> Json:
    """Change a copy of the spreadsheet, which takes its place if nothing is refused."""
    file = work.file("writer")
    book = _book(file).copied()
    result = change(book)
    file.book = book
    return result


def _write_many(work: Work) -> Json:
    file = work.file("writer")
    file.book, result = values.write_many(_book(file), work.body, work.people, work.server.year)
    return result


def _read_many(work: Work) -> Json:
    book = _book(work.file("reader"))
    ranges = [values.read(book, text, work.query) for text in work.query.get("ranges") or ()]
    return {"spreadsheetId": book.id, "valueRanges": ranges}


def _write(work: Work) -> Json:
    given = work.path["range"], work.body, work.query, work.people, work.server.year
    return _change_values(work, lambda book: values.write(book, *given))


def _append(work: Work) -> Json:
    given = work.path["range"], work.body, work.query, work.people, work.server.year
    return _change_values(work, lambda book: values.append(book, *given))


def _clear(work: Work) -> Json:
    def change(book: Any) -> Json:
        return {"spreadsheetId": book.id, "clearedRange": values.clear(book, work.path["range"], work.people)}

    return _change_values(work, change)


def _share(work: Work) -> Json:
    server = work.server
    return permissions.create(server.store, server.accounts, work.token, work.id, work.body, work.query, server.mails)


HANDLERS: dict[str, Callable[[Work], Any]] = {
    "sheets.spreadsheets.create": _create,
    "sheets.spreadsheets.get": _get,
    "sheets.spreadsheets.batchUpdate": _batch_update,
    "sheets.spreadsheets.values.get": lambda w: values.read(_book(w.file("reader")), w.path["range"], w.query),
    "sheets.spreadsheets.values.batchGet": _read_many,
    "sheets.spreadsheets.values.update": _write,
    "sheets.spreadsheets.values.batchUpdate": _write_many,
    "sheets.spreadsheets.values.append": _append,
    "sheets.spreadsheets.values.clear": _clear,
    "drive.about.get": lambda w: drives.about(w.server.accounts, w.token, w.query),
    "drive.drives.get": lambda w: drives.shared_drive(w.server.store, w.token, w.id, w.query),
    "drive.drives.list": lambda w: drives.shared_drives(w.server.store, w.token, w.query),
    "drive.files.create": lambda w: drive.make(
        w.server.store, w.server.accounts, w.token, w.body, w.query, w.server.now
    ),
    "drive.files.get": lambda w: drive.got(w.server.store, w.token, w.id, w.query),
    "drive.files.update": lambda w: drive.update(w.server.store, w.token, w.id, w.body, w.query, w.server.now),
    "drive.files.delete": lambda w: drive.delete(w.server.store, w.token, w.id, w.query),
    "drive.files.list": lambda w: drive.listed(w.server.store, w.token, w.query),
    "drive.files.export": lambda w: drive.exported(w.server.store, w.token, w.id, w.query),
    "drive.permissions.create": _share,
    "drive.permissions.list": lambda w: permissions.listed(w.server.store, w.token, w.id, w.query),
    "drive.permissions.get": lambda w: permissions.get(w.server.store, w.token, w.id, w.path["permissionId"], w.query),
    "drive.permissions.update": lambda w: permissions.update(
        w.server.store, w.token, w.id, w.path["permissionId"], w.body, w.query
    ),
    "drive.permissions.delete": lambda w: permissions.delete(
        w.server.store, w.token, w.id, w.path["permissionId"], w.query
    ),
}
