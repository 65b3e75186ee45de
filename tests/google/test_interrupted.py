"""Whatever goes wrong, and wherever: nothing is made twice, nothing is half shared, running again goes on."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR, MAILS, NAMES
from toolkit.errors import ToolkitError
from toolkit.google.service import Service
from toolkit.jobs.google_close import close
from toolkit.jobs.google_make import Wishes, make_google
from toolkit.jobs.google_pull import Pulled, pull
from toolkit.jobs.make_sheets import Prepared, prepare
from toolkit.rubrics import default_rubric
from toolkit.study import read_study

CALLS = 16  # what making a study for three takes: who am I, and five for each
WISHES = Wishes(share=MAILS, notify=True)


class KilledError(BaseException):
    """The program ends here, like a process that is killed."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("prepared")
    rubric = default_rubric("en")
    return prepare(online.sample(folder, 1), folder / "study", NAMES, rubric, language_code="en", seed=1)


def make(server: FakeServer, folder: Path, prepared: Prepared, wishes: Wishes = WISHES, **patience: float) -> Service:
    with online.service(server, **patience) as door:
        make_google(folder, prepared, door, wishes)
    return door


@contextmanager
def killed_at(server: FakeServer, index: int, *, after: bool) -> Iterator[Service]:
    """Open a door through which so many calls go; the program dies before the next, or before it hears the answer."""
    with server.session(COORDINATOR) as session:
        send, count = session.request, 0

        def request(*args: Any, **named: Any) -> Any:
            nonlocal count
            if count == index and not after:
                raise KilledError
            answer = send(*args, **named)
            if count == index:
                raise KilledError
            count += 1
            return answer

        session.request = request  # type: ignore[method-assign]
        yield Service(session, sleep=server.advance, clock=lambda: server.now)


def check_whole(server: FakeServer, folder: Path) -> None:
    """Everything is there once, whole, and shared with the one it is for."""
    google = read_study(folder).google
    assert google is not None and list(google.sheets) == list(NAMES)
    assert len(server.files()) == len(NAMES)
    for name, sheet in google.sheets.items():
        assert sheet.complete and sheet.shared and sheet.mail == MAILS[name]
        book = server.book(sheet.spreadsheet)
        assert [one.title for one in book.sheets] == ["Start here", "Rubric", "Annotation"]
        assert sorted(one.id for one in book.sheets) == [1, 2, 3]
        assert all(one.protected for one in book.sheets)
        file = server.store.files[sheet.spreadsheet]
        roles = {one.get("emailAddress"): (one["type"], one["role"]) for one in file.permissions}
        assert roles == {COORDINATOR: ("user", "owner"), MAILS[name]: ("user", "writer")}
        assert file.meta["writersCanShare"] is False


@pytest.mark.parametrize("index", range(CALLS))
def test_a_fault_at_any_call_is_got_over(server: FakeServer, tmp_path: Path, prepared: Prepared, index: int) -> None:
    online.people(server)
    for number, (kind, done) in enumerate([(503, False), ("torn" if index % 2 else "cut", True)]):
        server.store.files.clear()
        server.calls.clear()
        server.fail_at(lambda call: len(server.calls) == index + 1, kind, done=done)  # type: ignore[arg-type]
        folder = tmp_path / str(number)
        make(server, folder, prepared)
        assert not server.faults[-1].times, "no fault occurred"
        check_whole(server, folder)
    assert server.now > 0


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("index", range(CALLS))
def test_a_run_killed_at_any_call_is_gone_on_with(
    server: FakeServer, tmp_path: Path, prepared: Prepared, index: int, after: bool
) -> None:
    online.people(server)
    folder = tmp_path / "study"
    with killed_at(server, index, after=after) as door, pytest.raises(KilledError):
        make_google(folder, prepared, door, WISHES)
    shared = [
        name for file in server.files() for name in NAMES if len(file.permissions) > 1 and file.name.endswith(name)
    ]
    for name in shared:  # whoever has been given access has all of it
        book = next(file.book for file in server.files() if file.name.endswith(name))
        assert book is not None and len(book.sheets) == 3
    make(server, folder, prepared)
    check_whole(server, folder)


def test_going_on_changes_nothing_that_is_done(server: FakeServer, tmp_path: Path, prepared: Prepared) -> None:
    online.people(server)
    make(server, tmp_path / "study", prepared)
    content, mails = (tmp_path / "study" / "study.json").read_bytes(), len(server.mails)
    door = make(server, tmp_path / "study", prepared)
    assert door.calls == 1  # who am I
    assert (tmp_path / "study" / "study.json").read_bytes() == content and len(server.mails) == mails == 3


def test_reading_and_closing_get_over_a_fault_at_any_call(
    server: FakeServer, tmp_path: Path, prepared: Prepared
) -> None:
    online.people(server)
    folder = tmp_path / "study"
    make(server, folder, prepared)
    study = read_study(folder)
    for name in NAMES:
        online.annotate(server, study, name, {item.item_id: "3" for item in study.items})
    books = {file.id: copy.deepcopy(file.book) for file in server.files()}
    for index in range(6):
        silence = "torn" if index % 2 else "cut"
        # reading changes nothing, so it is the same whether it was done before it went wrong
        reads, writes = [(silence, True) if index % 3 else (503, False)], [(503, False), (silence, True)]
        for job, faults in ((pull, reads), (close, writes)):
            for kind, done in faults:
                shutil.rmtree(folder / "filled", ignore_errors=True)
                for file in server.files():
                    file.book = copy.deepcopy(books[file.id])
                server.calls.clear()
                server.fail_at(lambda call, index=index: len(server.calls) == index + 1, kind, done=done)  # type: ignore
                with online.service(server) as door:
                    result = job(folder, door)
                assert not server.faults[-1].times, "no fault occurred"
                if isinstance(result, Pulled):
                    assert len(result.files) == 6 and not result.problems
                else:
                    tabs = [tab for file in server.files() if file.book for tab in file.book.sheets]
                    assert not any(one.get("unprotectedRanges") for tab in tabs for one in tab.protected)


def test_the_limit_of_calls_per_minute_is_waited_for(server: FakeServer, tmp_path: Path, prepared: Prepared) -> None:
    online.people(server)
    server.per_minute = 2
    begun = server.now
    make(server, tmp_path / "study", prepared)
    assert server.now - begun >= 4 * 60  # nine writes, two a minute
    check_whole(server, tmp_path / "study")


def test_retry_after_is_honoured(server: FakeServer, tmp_path: Path, prepared: Prepared) -> None:
    online.people(server)
    begun = server.now
    server.fail_at(2, 429, retry_after=90)
    make(server, tmp_path / "study", prepared)
    assert 90 <= server.now - begun <= 92


def test_an_answer_that_never_comes_is_not_waited_for(server: FakeServer, tmp_path: Path, prepared: Prepared) -> None:
    online.people(server)
    server.fail_at(2, "timeout")
    make(server, tmp_path / "study", prepared, call=0.2)
    check_whole(server, tmp_path / "study")


def test_attempts_and_time_have_an_end(server: FakeServer, tmp_path: Path, prepared: Prepared) -> None:
    online.people(server)
    server.fail_at(lambda call: call.method.endswith("batchUpdate"), 503, times=10_000)
    begun = server.now
    with pytest.raises(
        ToolkitError, match=r"writing the sheet “Annotation” did not work: Google is in trouble just now"
    ):
        make(server, tmp_path / "study", prepared)
    assert server.count("sheets.spreadsheets.batchUpdate") == 8 and 60 < server.now - begun < 130
    with pytest.raises(ToolkitError, match=r"given up after 0.33 minutes.*run the same command again.*--time-limit"):
        make(server, tmp_path / "study", prepared, total=20)
    server.faults.clear()
    make(server, tmp_path / "study", prepared)
    check_whole(server, tmp_path / "study")
