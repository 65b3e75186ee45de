"""A study of thousands of items: same bytes, same reading, and no step that grows faster than the study."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.returned.workbook import OPTIONS, RECORDS
from tests.studies import make
from toolkit.jobs.make_sheets import study_layout
from toolkit.workbook import xlsx


def test_a_large_workbook_is_the_same_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2", *OPTIONS)
    small = (tmp_path / "s" / "send" / "A1.xlsx").read_bytes()
    monkeypatch.setattr(xlsx, "LARGE", 10)
    large = xlsx.write(study_layout(study, "A1"))
    assert large == xlsx.write(study_layout(study, "A1"))
    with zipfile.ZipFile(io.BytesIO(small)) as one, zipfile.ZipFile(io.BytesIO(large)) as two:
        assert one.namelist() == two.namelist()
        assert all(one.read(name) == two.read(name) for name in one.namelist())
