"""A fake of Google Sheets (v4), Google Drive (v3) and Google's sign-in, on the loopback interface, for tests.

Use::

    with running(monkeypatch) as server:                        # in tests/google: the fixture `server`
        server.add_person("ana@example.org", locale="pt_BR")
        with server.session("ana@example.org") as session: ...  # a signed-in session of `requests`
        gspread.Client(auth=server.credentials("ana@example.org"))

With `monkeypatch`, every request that the `requests` library sends to a host of googleapis.com comes here instead, so
the program under test needs no switch. Its sign-in works as well: `service_account_file`, `authorized_user_file` and
`client_file` write the files that Google gives out; `server.accounts.at_the_browser` consents to a desktop program.

State that a test may prepare:

- `add_person`, `add_service_account`, `add_shared_drive(name, {address: role})`, `add_folder(name, owner or drive)`;
  an address with `google=False` has no Google account, so it cannot be shared with silently.
- `server.disabled`: interfaces that are off (`{"sheets", "drive"}`): 403 SERVICE_DISABLED.
- `server.per_minute = 60`: reads and writes of Sheets per user and minute of the server's own clock, `server.now`,
  which stands still but for `advance(seconds)`; beyond it 429 with Retry-After. None: no limit.
- `fail_at(where, status, ...)`: see `faults.Fault`. `where` is the index of a call or tells which calls are meant;
  `status` a number, `"timeout"`, `"cut"` or `"torn"`; with `done=True` the work is done and only the answer is lost.

What a test may look at: `server.calls` (method, path, query, body, status, who), `count("sheets.")`, `server.mails`,
`server.book(id)`, and the eyes and hands of people: `server.as_user(address).type(id, "Annotation!D5", "4,0")`,
`.see(id, "Annotation!D5")`, `.paste(...)`, `.rename(...)`, which raise `person.RefusedError` where the browser
refuses; `.upload(path)` turns an .xlsx into a spreadsheet, as Drive does when it opens one with Sheets.

As in the service: every body and query is checked against the discovery documents; batchUpdate and
values.batchUpdate are done whole or not at all; Sheets answers 403 where Drive answers 404; a service account owns
nothing in My Drive; shared drives want `supportsAllDrives`; the scope drive.file reaches only the program's own files;
appProperties are each program's own; a cell takes 50,000 characters, counted as JavaScript does (the stricter way, for
what Google counts is not known); a spreadsheet 10 million cells; protected ranges hold back writers in the interface
and the browser alike; strict validation holds back the browser only.

Not simulated (501, and the test fails at the end): methods and requests that are not in `dispatch.HANDLERS` and
`spreadsheets.HANDLERS`; revisions; uploads. Simulated in part: see the modules `entered` (typed texts), `display`
(formats), `formulas` (the calculator) and `export` (files). Error texts are Google's where they are publicly reported;
others have the right status and shape, and a text of their own: compare status and reason, not sentences.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from google.oauth2.credentials import Credentials

from tests.google import accounts, drive, files
from tests.google.accounts import Account, Accounts, Token
from tests.google.book import Spreadsheet
from tests.google.faults import Call, Fault, Kind
from tests.google.files import File, SharedDrive, Store
from tests.google.handler import Handler
from tests.google.person import Person

# 2026-03-02, a Monday, noon UTC.
START = 1_772_452_800.0
YEAR = 2026
SCOPES = frozenset({"https://www.googleapis.com/auth/spreadsheets", "https://www.googleapis.com/auth/drive"})
HOSTS = ("googleapis.com", "accounts.google.com")
PROGRAM = accounts.CLIENT["client_id"]


class FakeServer(ThreadingHTTPServer):
    """The server and all it knows."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 50

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.now: float = START
        self.year: int = YEAR
        self.accounts: Accounts = Accounts(self.url)
        self.store: Store = Store()
        self.disabled: set[str] = set()
        self.per_minute: int | None = None
        self.spent: dict[tuple[str, str], list[float]] = {}
        self.calls: list[Call] = []
        self.mails: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        # what the fake itself cannot do or does wrong: a test that meets it must not pass
        self.defects: list[str] = []

    # ---- what is there before the test begins

    def add_person(self, email: str, *, locale: str = "en_US", google: bool = True) -> Account:
        """Make a person known."""
        return self.accounts.add(Account(email, locale=locale, google=google))

    def add_service_account(self, email: str) -> Account:
        """Make a service account known."""
        return self.accounts.add(Account(email, service=True))

    def add_shared_drive(self, name: str, members: dict[str, str]) -> str:
        """Make a shared drive with its members' roles, and return its id."""
        made = SharedDrive(self.store.new_id("drive"), name, dict(members))
        self.store.drives[made.id] = made
        return made.id

    def add_folder(self, name: str, *, owner: str = "", drive_id: str = "", shared_with: str = "") -> str:
        """Make a folder in someone's My Drive or in a shared drive, and return its id.

        Args:
            name: Its name.
            owner: Whose My Drive it is in.
            drive_id: The shared drive it is in, instead.
            shared_with: An address that may write in it.
        """
        token = Token(owner, SCOPES, "browser", self.now)
        parent = drive_id or drive.root(owner)
        folder = drive.add(self.store, token, name, files.FOLDER, owner, drive_id, [parent], self.now)
        if shared_with:
            folder.permissions.append(files.permission(shared_with, "writer"))
        return folder.id

    # ---- signing in

    def token(self, email: str, scopes: frozenset[str] = SCOPES, client: str = PROGRAM) -> str:
        """Return an access token."""
        return self.accounts.issue(email, scopes, client, self.now)

    def credentials(self, email: str, scopes: frozenset[str] = SCOPES) -> Credentials:
        """Return credentials as google-auth's users hold them."""
        return Credentials(token=self.token(email, scopes))

    @contextmanager
    def session(self, email: str, scopes: frozenset[str] = SCOPES, client: str = PROGRAM) -> Iterator[requests.Session]:
        """Return a session in which a program (the client) is signed in for someone."""
        with requests.Session() as session:
            session.headers["Authorization"] = f"Bearer {self.token(email, scopes, client)}"
            yield session

    def service_account_file(self, path: Path, email: str) -> Path:
        """Write the key file of a service account, which is made known."""
        self.add_service_account(email)
        return accounts.service_account_file(path, email, self.url)

    def authorized_user_file(self, path: Path, email: str, scopes: frozenset[str] = SCOPES) -> Path:
        """Write the file of a person's consent."""
        return accounts.authorized_user_file(path, email, scopes, self.url)

    def client_file(self, path: Path) -> Path:
        """Write the file of an OAuth client of the kind Desktop app."""
        return accounts.client_file(path)

    # ---- during the test

    def fail_at(self, where: int | Callable[[Call], bool], status: Kind = 503, **how: Any) -> Fault:
        """Order a fault; `how` is what else `faults.Fault` takes."""
        fault = Fault(where, status, **how)
        self.faults.append(fault)
        return fault

    def advance(self, seconds: float) -> None:
        """Let time pass; stands in for `time.sleep` as well."""
        self.now += seconds

    def as_user(self, email: str) -> Person:
        """Return someone at a browser."""
        return Person(email, self)

    # ---- what has come of it

    def count(self, start: str = "") -> int:
        """Return how many calls there were of methods whose names start so."""
        return sum(call.method.startswith(start) for call in self.calls)

    def files(self, name: str = "") -> list[File]:
        """Return the spreadsheets, or those of a name, in the order in which they were made."""
        found = [file for file in self.store.files.values() if file.book is not None]
        return [file for file in found if not name or file.name == name]

    def book(self, spreadsheet: str) -> Spreadsheet:
        """Return a spreadsheet by its id."""
        book = self.store.files[spreadsheet].book
        assert book is not None
        return book

    def route(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let every request to Google that the `requests` library sends come here."""
        send = requests.adapters.HTTPAdapter.send

        def sent(adapter: Any, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
            parts = urlsplit(request.url or "")
            host = parts.hostname or ""
            if any(host == one or host.endswith("." + one) for one in HOSTS):
                request.url = self.url + (request.url or "").split(parts.netloc, 1)[1]
            return send(adapter, request, *args, **kwargs)

        monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", sent)


@contextmanager
def running(monkeypatch: pytest.MonkeyPatch | None = None) -> Iterator[FakeServer]:
    """Run a server; with `monkeypatch`, what is meant for Google comes to it."""
    with FakeServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        if monkeypatch is not None:
            server.route(monkeypatch)
        try:
            yield server
            assert not server.defects, server.defects
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()
