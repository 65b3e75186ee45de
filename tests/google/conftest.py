"""The fake of Google that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.google.caller import ANA, Caller
from tests.google.fake_server import FakeServer, running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A fresh server, to which everything goes that is meant for Google."""
    with running(monkeypatch) as fake:
        yield fake


@pytest.fixture
def ana(server: FakeServer) -> Iterator[Caller]:
    """Ana, who is signed in with all scopes."""
    server.add_person(ANA)
    with server.session(ANA) as session:
        yield Caller(session)
