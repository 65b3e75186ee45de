"""What is locked in Google Sheets can still be changed by those who may edit everything; then it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR, MAILS
from tests.google.test_values import WHEN, pulled
from tests.studies import toolkit
from toolkit.jobs.google_make import Wishes


@pytest.mark.parametrize("common", [False, True], ids=["apart", "one-spreadsheet"])
def test_levels_labels_and_the_rubric_are_compared(common: bool, server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    folder, wishes = tmp_path / "study", Wishes(share=MAILS, one_spreadsheet=common)
    study = online.make(server, folder, items=1, wishes=wishes).study
    assert study.google is not None
    spreadsheet, code = study.google.sheets["A1"].spreadsheet, study.assignments["A1"][0]
    online.annotate(server, study, "A1", {item.item_id: "3" for item in study.items})
    pulled(server, folder)
    assert json.loads(toolkit("check", folder, folder / "filled", "--json").stdout)[0]["problems"] == []

    label = online.cell(study, "A1", code, "label")
    editor = server.as_user(COORDINATOR)
    editor.type(spreadsheet, label, "Original answer")
    editor.type(spreadsheet, "'Rubric'!D12", "Whatever you like.")
    online.annotate(server, study, "A1", {study.items[0].item_id: "4"})
    pulled(server, folder, WHEN.replace(hour=13))
    found = json.loads(toolkit("check", folder, folder / "filled", "--json").stdout)
    told = {(p["sheet"], p["cell"], p["value"]) for file in found for p in file["problems"]}
    title, cell = label.replace("'", "").split("!")
    assert told == {(title, cell, "Original answer"), ("Rubric", "D12", "Whatever you like.")}
