"""The shared cases: real studies with values computed by independent libraries."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cases() -> Path:
    root = Path(__file__).resolve().parents[2]
    path = Path(os.environ.get("TOOLKIT_CASES", root.parent / "shared" / "cases"))
    if not path.is_dir():
        pytest.skip(f"no shared cases at {path}; set TOOLKIT_CASES")
    return path
