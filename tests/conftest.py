"""Fixtures that many tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import office as office_module

# run by the system's Python, which has LibreOffice's bridge; this one has not
collect_ignore = ["office_script.py"]
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of real studies with reference values, which lies beside the repository where it is there at all."""
    folder = Path(os.environ.get("TOOLKIT_CASES", ROOT.parent / "shared" / "cases"))
    if not folder.is_dir():
        pytest.skip("the shared cases are not beside the repository")
    return folder


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[office_module.Office]:
    """A running headless LibreOffice."""
    if why := office_module.missing():
        pytest.skip(why)
    with office_module.running(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module", params=["en-US", "pt-BR"])
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, office_module.Office]]:
    """A locale, and a headless LibreOffice that runs in it."""
    if why := office_module.missing():
        pytest.skip(why)
    with office_module.running(tmp_path_factory.mktemp("profile"), request.param) as running:
        yield request.param, running
