"""Shares of items in Google Sheets: each annotator's spreadsheet holds their own items, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR, MAILS
from tests.studies import consensus, metrics, ok
from toolkit.study import read_study

SHARE = ",".join(f"{name}={mail}" for name, mail in MAILS.items())


@pytest.mark.parametrize("together", [[], ["--one-spreadsheet"]])
def test_shares_by_way_of_google_sheets(server: FakeServer, tmp_path: Path, together: list[str]) -> None:
    online.people(server)
    key = server.authorized_user_file(tmp_path / "key.json", COORDINATOR)
    folder, path = tmp_path / "study", online.sample(tmp_path, 4)
    made = ok(
        "make-sheets", path, "--annotators", "3", "--overlap", "2", "--common", "3", "--seed", "1", "-o", folder,
        "--google", *together, "--share", SHARE, "--credentials", key,
    )  # fmt: skip
    assert "9 items by 2, 3 items by 3; 9 items for each annotator, 6 shared by each pair" in made
    study = read_study(folder)
    assert study.google is not None
    want = {item.item_id: 1 + place % 5 for place, item in enumerate(study.items)}
    for name in study.names:
        own = study.google.sheets[name]
        tabs = str([vars(tab) for tab in server.book(own.spreadsheet).sheets if tab.title in own.tabs])
        assert {code for code in study.by_code if code in tabs} == set(study.assignments[name])
        online.annotate(server, study, name, {item: str(score) for item, score in want.items()})
    ok("pull", folder, "--credentials", key)
    assert "everybody is done" in ok("status", folder)
    assert ok("check", folder).count("9 of 9 items scored") == 3
    ok("close", folder, "--credentials", key)
    ok("consolidate", folder, "-q")
    found, rows = metrics(folder / "report"), consensus(folder / "report")
    assert found["incomplete"] == [] and found["overall"]["n"] == 12
    for item in study.items:
        row = rows[item.item_id]
        assert row["human_consensus_score"] == str(want[item.item_id])
        given = [name for name in study.names if row[f"score_{name}"]]
        assert given == [name for name in study.names if item.item_code in study.assignments[name]]
