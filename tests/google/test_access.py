"""Signing in, permissions and refusals: each said in words, with what to do; and what the doctor sees."""

from __future__ import annotations

import stat
import threading
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR, MAILS, NAMES
from tests.studies import ok, refused
from toolkit.errors import ToolkitError
from toolkit.google.credentials import ALL_FILES, OWN_FILES, sign_in
from toolkit.google.service import Service
from toolkit.jobs.google_close import close
from toolkit.jobs.google_doctor import Finding, doctor
from toolkit.jobs.google_make import Wishes, make_google
from toolkit.jobs.google_pull import pull
from toolkit.jobs.make_sheets import prepare
from toolkit.model import SheetOptions
from toolkit.rubrics import default_rubric
from toolkit.study import read_study

ROBOT = "robot@project.iam.gserviceaccount.com"
SHARE = Wishes(share=MAILS)


def bad(findings: list[Finding]) -> str:
    return "\n".join(finding.text for finding in findings if finding.good is False)


def notes(findings: list[Finding]) -> str:
    return "\n".join(finding.text for finding in findings if finding.good is None)


def examined(server: FakeServer, who: str, folder: str | None = None, study: Path | None = None) -> list[Finding]:
    with online.service(server, who) as door:
        return doctor(door, "test", folder, study)


def made_by(server: FakeServer, folder: Path, who: str, wishes: Wishes, **more: Any) -> Any:
    return online.make(server, folder, items=1, wishes=wishes, through=lambda one: online.service(one, who), **more)


@pytest.mark.parametrize(
    ("api", "doing"), [("drive", "looking up the account"), ("sheets", "writing the sheet “Annotation”")]
)
def test_an_api_that_is_off_is_named_with_the_page_that_turns_it_on(
    server: FakeServer, tmp_path: Path, api: str, doing: str
) -> None:
    online.people(server)
    server.disabled.add(api)
    with pytest.raises(ToolkitError) as caught:
        online.make(server, tmp_path / "study", items=1)
    said = str(caught.value)
    assert f"{doing} did not work: the API is switched off" in said and "https://console.developers.google.com" in said
    assert "the API is switched off" in bad(examined(server, COORDINATOR))


def test_a_service_account_is_told_that_it_owns_nothing(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    server.add_service_account(ROBOT)
    for folder in (None, server.add_folder("Study", owner=COORDINATOR, shared_with=ROBOT)):
        with pytest.raises(ToolkitError, match=r"a folder of a shared drive, or sign in as yourself"):
            made_by(server, tmp_path / "study", ROBOT, Wishes(folder=folder, share=MAILS))
        assert "shared drive" in bad(examined(server, ROBOT, folder))
    assert not server.files() and not (tmp_path / "study").exists()


def test_a_full_drive_is_not_tried_again(server: FakeServer, tmp_path: Path) -> None:
    """A full Drive answers 403 of the domain usageLimits, which looks like a busy one."""
    online.people(server)
    server.add_service_account(ROBOT)
    with server.session(ROBOT) as session:
        door = Service(session, sleep=server.advance, clock=lambda: server.now)
        from toolkit.google import calls

        begun = server.now
        with pytest.raises(ToolkitError, match="no storage left"):
            calls.create_spreadsheet(door, "x", "st-x", "A1", None)
        assert door.calls == 1 and server.now == begun


def test_a_shared_drive_takes_them_and_its_members_are_compared(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    server.add_service_account(ROBOT)
    drive = server.add_shared_drive("Lab", {COORDINATOR: "organizer", ROBOT: "fileOrganizer", MAILS["A2"]: "reader"})
    folder = server.add_folder("Study", drive_id=drive)
    wishes = Wishes(folder=folder, share=MAILS, coordinators=(COORDINATOR,))
    made = made_by(server, tmp_path / "study", ROBOT, wishes)
    assert made.most == 6 and len(server.files()) == 3
    assert not any(call.ignored for call in server.calls)
    [warning] = [warning for warning in made.warnings if MAILS["A2"] in warning]
    assert "sees everything in the folder “Study” of a shared drive" in warning
    for sheet in made.sheets.values():
        people = {one["emailAddress"] for one in server.store.files[sheet.spreadsheet].permissions}
        assert people == {COORDINATOR, sheet.mail}
        for tab in server.book(sheet.spreadsheet).sheets:
            assert [one["editors"]["users"] for one in tab.protected] == [[ROBOT, COORDINATOR]]
    found = examined(server, ROBOT, None, tmp_path / "study")
    assert not bad(found) and f"{MAILS['A2']} sees everything in the folder “Study” of a shared drive" in notes(found)
    with online.service(server, ROBOT) as door:
        assert [sheet.note for sheet in pull(tmp_path / "study", door).sheets] == ["nothing is entered yet"] * 3


def test_who_coordinates_may_annotate_too_which_is_said(server: FakeServer, tmp_path: Path) -> None:
    """The owner of a file cannot be made its writer, nor be told to take their own right away."""
    online.people(server)
    folder = tmp_path / "study"
    wishes = Wishes(share=MAILS | {"A1": "Coordinator@example.org"}, coordinators=(COORDINATOR.upper(), MAILS["A2"]))
    made = made_by(server, folder, COORDINATOR, wishes)
    google = read_study(folder).google
    assert google is not None and google.editors == (COORDINATOR, MAILS["A2"])
    told = [warning for warning in made.warnings if "coordinates, and so can open" in warning]
    assert [warning.split()[0] for warning in told] == ["A1", "A2"]
    shared = [call.body["emailAddress"] for call in server.calls if call.method == "drive.permissions.create"]
    assert sorted(shared) == sorted([MAILS["A2"]] * 4 + [MAILS["A3"]])
    found = examined(server, COORDINATOR, None, folder)
    assert not bad(found) and notes(found).count("coordinates, and so can open") == 2


def test_what_stopped_midway_is_said_to_be_unfinished(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    folder = tmp_path / "study"
    server.fail_at(lambda call: call.method.endswith("batchUpdate") and len(server.files()) == 2, 403)
    with pytest.raises(ToolkitError, match="writing the sheet"):
        made_by(server, folder, COORDINATOR, Wishes(share=MAILS))
    with online.service(server) as door:
        said = [problem.what for problem in pull(folder, door).problems]
        assert said == ["no finished spreadsheet is there for A2, A3"]
        with pytest.raises(ToolkitError, match=r"for A2, A3.*run the same make-sheets command again"):
            close(folder, door)
    assert "no finished spreadsheet is there for A2, A3" in bad(examined(server, COORDINATOR, None, folder))
    made_by(server, folder, COORDINATOR, Wishes(share=MAILS))
    assert not bad(examined(server, COORDINATOR, None, folder)) and len(server.files()) == 3


def test_a_folder_that_the_account_cannot_use_is_refused(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    strange = server.add_folder("Private", owner=MAILS["A1"])
    read_only = server.add_shared_drive("Lab", {COORDINATOR: "reader"})
    for folder, said in [
        ("nowhere", "it is not there, or not shared with"),
        (strange, "it is not there, or not shared with"),
        (server.add_folder("Study", drive_id=read_only), "may not add files to the folder “Study”"),
    ]:
        with pytest.raises(ToolkitError, match=said):
            made_by(server, tmp_path / "study", COORDINATOR, Wishes(folder=folder, share=MAILS))
        assert said in bad(examined(server, COORDINATOR, folder))
    own = online.make(server, tmp_path / "other", items=1)
    with pytest.raises(ToolkitError, match="--folder is no folder"):
        made_by(server, tmp_path / "study", COORDINATOR, Wishes(folder=own.sheets["A1"].spreadsheet))


def test_a_folder_that_others_see_is_warned_of_or_refused(server: FakeServer, tmp_path: Path) -> None:
    from tests.google.files import permission

    online.people(server)
    folder = server.add_folder("Study", owner=COORDINATOR, shared_with=MAILS["A3"])
    made = made_by(server, tmp_path / "study", COORDINATOR, Wishes(folder=folder, share=MAILS))
    assert any(f"{MAILS['A3']} sees everything in the folder" in warning for warning in made.warnings)
    server.store.files[folder].permissions.append(permission("", "reader", "anyone"))
    with pytest.raises(ToolkitError, match=r"anyone with the link can open the folder"):
        made_by(server, tmp_path / "other", COORDINATOR, Wishes(folder=folder, share=MAILS))


def test_an_address_without_an_account_wants_a_mail(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    server.add_person("nobody@example.org", google=False)
    wishes = Wishes(share=MAILS | {"A2": "nobody@example.org"})
    with pytest.raises(ToolkitError, match=r"no Google account has this address.*add --notify"):
        made_by(server, tmp_path / "study", COORDINATOR, wishes)
    made = made_by(server, tmp_path / "study", COORDINATOR, Wishes(share=wishes.share, notify=True))
    assert len(server.files()) == 3 and all(sheet.shared for sheet in made.sheets.values())
    texts = list(server.mails)
    assert len(texts) == 2  # A1 was shared with before, without a mail
    assert "begin with the sheet “Start here”" in str(texts[0])


def test_the_right_scope_is_asked_for_and_a_wrong_one_is_named(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    with server.session(COORDINATOR, frozenset({"https://www.googleapis.com/auth/spreadsheets"})) as session:
        door = Service(session, sleep=server.advance, clock=lambda: server.now)
        assert "wrong scope" in bad(doctor(door, "test", None, None))
    # its own files are enough for everything but a folder
    with server.session(COORDINATOR, frozenset(OWN_FILES)) as session:
        door = Service(session, sleep=server.advance, clock=lambda: server.now)
        path = online.sample(tmp_path, 1)
        rubric = default_rubric("en")
        prepared = prepare(path, tmp_path / "study", NAMES, rubric, language_code="en", seed=1)
        make_google(tmp_path / "study", prepared, door, SHARE)
        assert not bad(doctor(door, "test", None, tmp_path / "study"))
    assert len(server.files()) == 3


def test_the_doctor_sees_what_was_changed_by_hand(server: FakeServer, tmp_path: Path) -> None:
    from tests.google.files import permission

    online.people(server)
    made = online.make(server, tmp_path / "study", items=1)
    assert not bad(examined(server, COORDINATOR, None, tmp_path / "study"))
    files = [server.store.files[made.sheets[name].spreadsheet] for name in NAMES]
    files[0].permissions.append(permission("", "reader", "anyone"))
    files[1].permissions.append(permission(MAILS["A3"], "reader"))
    files[2].permissions = [one for one in files[2].permissions if one.get("emailAddress") != MAILS["A3"]]
    found = bad(examined(server, COORDINATOR, None, tmp_path / "study"))
    assert "anyone with the link can open the spreadsheet of A1" in found
    assert f"{MAILS['A3']}, another annotator, can open the spreadsheet of A2" in found
    assert f"the spreadsheet of A3 is not shared with {MAILS['A3']}" in found


def test_credentials_are_told_by_their_content(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    online.people(server)
    key = server.service_account_file(tmp_path / "key.json", ROBOT)
    signed = sign_in(key, tmp_path / "tokens", all_files=True)
    assert (signed.kind, signed.account) == ("service account", ROBOT)
    assert (
        Service(signed.session).drive("x", "GET", "/about", params={"fields": "user"})["user"]["emailAddress"] == ROBOT
    )
    for name, content, said in [
        ("web.json", '{"web": {}}', "OAuth client for web servers"),
        ("other.json", '{"a": 1}', "no credentials of Google's"),
        ("list.json", "[]", "no credentials of Google's"),
        ("text.json", "hello", "is not JSON"),
        ("half.json", '{"type": "service_account"}', "signing in to Google is not possible"),
    ]:
        (tmp_path / name).write_text(content)
        with pytest.raises(ToolkitError, match=said):
            sign_in(tmp_path / name, tmp_path / "tokens", all_files=False)
    with pytest.raises(ToolkitError, match="cannot be read"):
        sign_in(tmp_path / "absent.json", tmp_path / "tokens", all_files=False)
    assert not (tmp_path / "tokens").exists()


def test_a_person_signs_in_once_in_the_browser(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    online.people(server)
    client = server.client_file(tmp_path / "client.json")
    asked: list[str] = []
    opened: list[threading.Thread] = []

    class Browser:
        def open(self, url: str, **_how: Any) -> None:
            asked.append(url)
            opened.append(threading.Thread(target=lambda: requests.get(url, timeout=10).close()))
            opened[-1].start()

    server.accounts.at_the_browser = COORDINATOR
    monkeypatch.setattr("webbrowser.get", lambda using=None: Browser())
    tokens = tmp_path / "tokens"
    signed = sign_in(client, tokens, all_files=False)
    door = Service(signed.session)
    assert door.drive("x", "GET", "/about", params={"fields": "user"})["user"]["emailAddress"] == COORDINATOR
    [stored] = tokens.iterdir()
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    sign_in(client, tokens, all_files=False)
    assert len(asked) == 1 and "drive.file" in asked[0]
    sign_in(client, tokens, all_files=True)  # another permission is another sign-in
    sign_in(client, tokens, all_files=True, anew=True)
    assert len(asked) == 3 and ALL_FILES[1].rsplit("/", 1)[1] in asked[2]
    for thread in opened:
        thread.join()
    assert capsys.readouterr().out == ""


def test_a_withdrawn_sign_in_is_said(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    with server.session(COORDINATOR) as session:
        session.headers["Authorization"] = "Bearer nonsense"
        with pytest.raises(ToolkitError, match="sign in again"):
            Service(session).drive("looking", "GET", "/about", params={"fields": "user"})


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ({"A9": "a@example.org"}, "--share names nobody of the study"),
        (MAILS | {"A2": MAILS["A1"].upper()}, "two annotators have the same address"),
    ],
)
def test_whom_to_share_with_is_checked_first(server: FakeServer, tmp_path: Path, share: Any, said: str) -> None:
    online.people(server)
    with pytest.raises(ToolkitError, match=said):
        made_by(server, tmp_path / "study", COORDINATOR, Wishes(share=share))
    assert not server.calls


def test_a_study_with_spreadsheets_is_never_replaced(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    folder = tmp_path / "study"
    online.make(server, folder, items=1)
    before = (folder / "study.json").read_bytes()
    for more in ({"seed": 2}, {"options": SheetOptions(deadline="Friday")}, {"wishes": Wishes(one_spreadsheet=True)}):
        with pytest.raises(ToolkitError, match=r"spreadsheets in Google Sheets already|begun otherwise"):
            online.make(server, folder, items=1, **more)  # type: ignore[arg-type]
    with pytest.raises(ToolkitError, match=r"is shared with a1@example\.org already"):
        online.make(server, folder, items=1, wishes=Wishes(share={"A1": "new@example.org"}))
    # nor by files: study.json alone says where people are annotating
    path = tmp_path / "sample.jsonl"
    for seed in ("1", "2"):
        said = refused("make-sheets", path, "--annotators", "3", "-o", folder, "--seed", seed, "--force")
        assert "whose answers could not be found any more" in said
    assert (folder / "study.json").read_bytes() == before and len(server.files()) == 3
    # the same address is the same, however it is written; a file that is gone comes back
    (folder / "send" / "A2.xlsx").unlink()
    online.make(server, folder, items=1, wishes=Wishes(share={"A1": "A1@Example.org"}))
    assert (folder / "send" / "A2.xlsx").exists() and (folder / "study.json").read_bytes() == before


def test_spreadsheets_can_be_added_to_a_study_of_files(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    path, folder = online.sample(tmp_path, 1), tmp_path / "study"
    key = server.authorized_user_file(tmp_path / "key.json", COORDINATOR)
    ok("make-sheets", path, "--annotators", "3", "-o", folder, "-q")
    first = read_study(folder)
    printed = ok("make-sheets", path, "--annotators", "3", "-o", folder, "-q", "--google", "--credentials", key)
    study = read_study(folder)
    assert study.study_id == first.study_id and study.seed == first.seed and "shared with nobody yet" in printed
    # the addresses can come later
    ok("make-sheets", path, "--annotators", "3", "-o", folder, "-q", "--google", "--credentials", key,
       "--share", "A1=a1@example.org")  # fmt: skip
    assert len(server.files()) == 3 and server.count("drive.permissions.create") == 1


def test_everything_works_without_an_account_but_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    said = refused("google", "doctor")
    assert "signing in to Google is not possible" in said and "--credentials" in said and "README" in said
