"""The fake of Google lets people and programs do what Google lets them, and no more."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import Any

import gspread
import pytest
import requests
from google.auth.exceptions import RefreshError
from google_auth_oauthlib.flow import InstalledAppFlow

from tests.google.caller import ANA, BIA, BOT, DRIVE, SHEETS, Caller, error, look, protected_book
from tests.google.fake_server import SCOPES, FakeServer
from tests.google.person import RefusedError

DRIVE_FILE = frozenset({"https://www.googleapis.com/auth/drive.file"})


def test_people_are_held_back_by_protection_and_strict_validation(server: FakeServer, ana: Caller) -> None:
    book, bia = protected_book(ana), server.as_user(BIA)
    bia.type(book, "S!B1", "4,0")
    assert ana.values(book, "S!B1") == [[4]]
    for cell, text in (("B1", "6"), ("B1", "4/5"), ("B1", "x"), ("A1", "x"), ("C9", "")):
        with pytest.raises(RefusedError):
            bia.type(book, f"S!{cell}", text)
    bia.paste(book, "S!B1", "5\nbecause")
    assert (bia.see(book, "S!B1"), bia.see(book, "S!B2")) == ("5", "because")
    with pytest.raises(RefusedError):
        bia.paste(book, "S!B1", "3\nwhy\tbeyond")
    assert bia.see(book, "S!B1") == "5"
    with pytest.raises(RefusedError):
        server.as_user("carl@example.org").see(book, "S!B1")
    server.as_user(ANA).type(book, "S!A1", "the owner may")


def test_a_writer_is_held_back_by_protection_in_the_interface_too(server: FakeServer, ana: Caller) -> None:
    book = protected_book(ana)
    number = ana("GET", f"{SHEETS}/{book}")["sheets"][0]["protectedRanges"][0]["protectedRangeId"]
    with server.session(BIA) as session:
        bia = Caller(session)
        assert "updatedCells" in bia.write(book, [[3]], "B1")
        assert "protected cell" in bia.write(book, [["x"]], "A1")["error"]["message"]
        fill = {"repeatCell": {"range": look(7, 0, 1), "cell": {"note": "x"}, "fields": "note"}}
        assert "protected cell" in bia.batch(book, fill)["error"]["message"]
        delete = {"deleteProtectedRange": {"protectedRangeId": number}}
        assert "protected cell" in bia.batch(book, delete)["error"]["message"]
        seen = bia("GET", f"{SHEETS}/{book}")["sheets"][0]["protectedRanges"][0]
        assert not seen["requestingUserCanEdit"]
        assert "editors" not in seen
        assert "replies" in ana.batch(book, delete)
        assert "updatedCells" in bia.write(book, [["x"]], "A1")


def test_a_service_account_signs_in_and_owns_nothing(server: FakeServer, tmp_path: Path) -> None:
    client = gspread.service_account(server.service_account_file(tmp_path / "key.json", BOT))
    with client.http_client.session:
        with pytest.raises(gspread.exceptions.APIError, match="storage quota"):
            client.create("x")
        with pytest.raises(gspread.exceptions.APIError, match="storage quota"):
            client.create("x", folder_id=server.add_folder("f", owner=ANA, shared_with=BOT))
        drive = server.add_shared_drive("Study", {BOT: "fileOrganizer", BIA: "reader"})
        made = client.create("x", folder_id=server.add_folder("f", drive_id=drive))
        assert {one["emailAddress"]: one["role"] for one in made.list_permissions()} == {
            BOT: "fileOrganizer",
            BIA: "reader",
        }
        answer = client.http_client.session.get(f"{DRIVE}/files/{made.id}").json()
        assert error(answer) == (404, "notFound")  # without supportsAllDrives
        body = {"mimeType": "application/vnd.google-apps.spreadsheet", "parents": [drive], "writersCanShare": False}
        url = f"{DRIVE}/files?supportsAllDrives=true"
        answer = client.http_client.session.post(url, json=body).json()
        assert error(answer) == (403, "teamDrivesSharingRestrictionNotAllowed")
    del server.accounts.known[BOT]
    stranger = gspread.service_account(tmp_path / "key.json")
    with stranger.http_client.session, pytest.raises(RefreshError, match="invalid_grant"):
        stranger.open_by_key("x")


def test_a_person_consents_in_the_browser(server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.accounts.at_the_browser = ANA
    opened: list[threading.Thread] = []

    class Browser:
        def open(self, url: str, **_how: Any) -> None:
            opened.append(threading.Thread(target=lambda: requests.get(url, timeout=10).close()))
            opened[0].start()

    monkeypatch.setattr(webbrowser, "get", lambda using=None: Browser())
    flow = InstalledAppFlow.from_client_secrets_file(server.client_file(tmp_path / "client.json"), sorted(SCOPES))
    credentials = flow.run_local_server(port=0, timeout_seconds=20)
    opened[0].join()
    flow.oauth2session.close()
    client = gspread.Client(auth=credentials)
    with client.http_client.session:
        made = client.create("mine")
    assert server.store.files[made.id].owner == ANA


def test_who_may_not_is_told_why(server: FakeServer, ana: Caller) -> None:
    book = ana.book()
    assert error(requests.get(f"{SHEETS}/{book}", timeout=10).json()) == (403, "PERMISSION_DENIED")
    with server.session(BIA) as session:
        assert error(Caller(session)("GET", f"{SHEETS}/{book}")) == (403, "PERMISSION_DENIED")
        assert error(Caller(session)("GET", f"{SHEETS}/nothing")) == (404, "NOT_FOUND")
        assert error(Caller(session)("GET", f"{DRIVE}/files/{book}")) == (404, "notFound")
    with server.session(ANA, frozenset({"https://www.googleapis.com/auth/userinfo.email"})) as session:
        answer = Caller(session)("GET", f"{SHEETS}/{book}")
        assert answer["error"]["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
        assert error(Caller(session)("GET", f"{DRIVE}/files/{book}")) == (403, "insufficientPermissions")
    server.disabled = {"drive"}
    answer = ana("GET", f"{DRIVE}/files/{book}")
    assert error(answer) == (403, "accessNotConfigured")
    assert answer["error"]["details"][0]["reason"] == "SERVICE_DISABLED"
    assert "spreadsheetId" in ana("GET", f"{SHEETS}/{book}")
    server.advance(4000)
    assert error(ana("GET", f"{SHEETS}/{book}")) == (401, "UNAUTHENTICATED")


def test_files_are_found_by_what_a_program_noted_on_them(server: FakeServer, ana: Caller) -> None:
    note = {"mimeType": "application/vnd.google-apps.spreadsheet", "name": "A1", "appProperties": {"study": "s'1"}}
    with server.session(ANA, DRIVE_FILE, client="another program") as session:
        program = Caller(session)
        made = program("POST", f"{DRIVE}/files", note)
        ana.book()
        query = "appProperties has { key='study' and value='s\\'1' } and trashed = false"
        found = program("GET", f"{DRIVE}/files", q=query, fields="files(id,appProperties)")
        assert found == {"files": [{"id": made["id"], "appProperties": {"study": "s'1"}}]}
        # drive.file reaches only the program's own files
        assert len(program("GET", f"{DRIVE}/files")["files"]) == 1
        assert len(ana("GET", f"{DRIVE}/files")["files"]) == 2
        program("PATCH", f"{DRIVE}/files/{made['id']}", {"trashed": True})
        assert program("GET", f"{DRIVE}/files", q=query)["files"] == []
        assert error(program("GET", f"{DRIVE}/files", q="name is 'x'")) == (400, "invalid")
    answer = ana("PATCH", f"{DRIVE}/files/{made['id']}", {"appProperties": {"k": "v" * 124}})
    assert error(answer) == (400, "propertyTooLarge")


def test_sharing(server: FakeServer, ana: Caller) -> None:
    server.add_person("old@example.net", google=False)
    book = ana.book()
    url = f"{DRIVE}/files/{book}/permissions"
    share = {"type": "user", "role": "writer", "emailAddress": BIA}
    made = ana("POST", url, share | {"withLink": False}, emailMessage="Hello")
    assert server.mails == [{"to": BIA, "file": book, "role": "writer", "message": "Hello"}]
    assert server.calls[-1].ignored == ('Invalid JSON payload received. Unknown name "withLink": Cannot find field.',)
    ana("POST", url, share, sendNotificationEmail="false")
    assert len(server.mails) == 1
    assert len(ana("GET", url)["permissions"]) == 2
    old = share | {"emailAddress": "old@example.net"}
    assert error(ana("POST", url, old, sendNotificationEmail="false")) == (400, "invalidSharingRequest")
    assert error(ana("POST", url, share | {"emailAddress": "no address"})) == (400, "invalid")
    with server.session(BIA) as session:
        other = share | {"emailAddress": "carl@example.org"}
        assert Caller(session)("POST", url, other)["role"] == "writer"
        ana("PATCH", f"{DRIVE}/files/{book}", {"writersCanShare": False})
        assert error(Caller(session)("POST", url, other)) == (403, "insufficientFilePermissions")
        ana("PATCH", f"{url}/{made['id']}", {"role": "reader"})
        assert error(Caller(session).write(book, [[1]])) == (403, "PERMISSION_DENIED")
        assert ana("DELETE", f"{url}/{made['id']}") is None
        assert error(Caller(session)("GET", f"{DRIVE}/files/{book}")) == (404, "notFound")
