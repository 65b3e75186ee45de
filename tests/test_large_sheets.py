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
from toolkit.workbook.limits import limits_for
from toolkit.workbook.readers import Limits


def test_a_large_workbook_is_the_same_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2", *OPTIONS)
    small = (tmp_path / "s" / "send" / "A1.xlsx").read_bytes()
    monkeypatch.setattr(xlsx, "LARGE", 10)
    large = xlsx.write(study_layout(study, "A1"))
    assert large == xlsx.write(study_layout(study, "A1"))
    with zipfile.ZipFile(io.BytesIO(small)) as one, zipfile.ZipFile(io.BytesIO(large)) as two:
        assert one.namelist() == two.namelist()
        assert all(one.read(name) == two.read(name) for name in one.namelist())


def test_the_limits_grow_with_the_study(tmp_path: Path) -> None:
    study = make(tmp_path / "s", RECORDS, "A1,A2")
    assert limits_for(study) == Limits()
    many = study.model_copy(update={"items": study.items * 4_000})
    assert limits_for(many).elements == 6 * Limits().elements and limits_for(many).cells == 6 * Limits().cells
    # what protects from an attack by one cell, or by thousands of files, does not
    assert limits_for(many).cell_characters == Limits().cell_characters
    assert limits_for(many).members == Limits().members
    long = study.model_copy(update={"items": (study.items[0].model_copy(update={"prompt": "x" * 20_000_000}),)})
    assert limits_for(long).text_bytes > 2 * Limits().text_bytes
