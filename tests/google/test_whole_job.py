"""From a sample to the report by way of Google Sheets, in several locales, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from xlsxwriter.utility import xl_rowcol_to_cell

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR, MAILS, NAMES, YES
from tests.google.person import RefusedError
from tests.studies import consensus, metrics, ok, refused, toolkit
from toolkit.i18n import language
from toolkit.jobs.make_sheets import study_layout
from toolkit.study import Study, read_study
from toolkit.workbook.canvas import FIRST_ROW

SHARE = ",".join(f"{name}={mail}" for name, mail in MAILS.items())
# What a locale could read something into: numbers, a date, a phone number, formulas, an error, a link.
HOSTILE = ["0012", "1-2", "+55 11", "0,914", "0.914", "=1+1", "'4", "#REF!", "TRUE", "@import", "10:30", "1e5"]


def make(server: FakeServer, folder: Path, lang: str, *more: object, items: int = 10) -> tuple[Study, str]:
    online.people(server, lang)
    key = server.authorized_user_file(folder / "key.json", COORDINATOR)
    path = online.sample(folder, items)
    printed = ok(
        "make-sheets", path, "--annotators", "3", "--lang", lang, "--seed", "1", "-o", folder / "study",
        "--google", "--share", SHARE, "--credentials", key, *more,
    )  # fmt: skip
    return read_study(folder / "study"), printed


def scores(study: Study, name: str) -> dict[str, str]:
    """Return what an annotator scores: items differ, and the second annotator lies one above the first."""
    shift = {"A1": 0, "A2": 1, "A3": 0}[name]
    return {item.item_id: str(1 + (place + shift) % 5) for place, item in enumerate(study.items)}


@pytest.mark.parametrize(("lang", "items"), [("pt-BR", 10), ("en", 5), ("es", 4)])
def test_from_sample_to_report(server: FakeServer, tmp_path: Path, lang: str, items: int) -> None:
    study, printed = make(server, tmp_path, lang, items=items)
    folder, key = tmp_path / "study", tmp_path / "key.json"
    assert study.google is not None
    assert "16 calls to Google, at most 5 for one annotator" in printed
    assert [file.name for file in server.files()] == [
        f"{language(lang)('Annotation workbook')} – {name}" for name in NAMES
    ]
    assert not server.mails and not any(call.ignored for call in server.calls)

    for name in NAMES:
        texts = dict(zip([item.item_id for item in study.items], HOSTILE, strict=False))
        online.annotate(server, study, name, scores(study, name), texts)
    code = study.assignments["A1"][0]
    place = online.cell(study, "A1", code, "doubt")
    server.as_user(MAILS["A1"]).type(study.google.sheets["A1"].spreadsheet, place, YES[lang])

    before = len(server.calls)
    printed = ok("pull", folder, "--credentials", key)
    assert len(server.calls) - before == 2 * len(NAMES)
    assert "6 calls to Google, at most 2 for one spreadsheet" in printed
    assert len(list((folder / "filled").glob("*.xlsx"))) == len(list((folder / "filled").glob("*.json"))) == 3
    assert f"everybody is done: toolkit close {folder}, then: toolkit consolidate" in ok("status", folder)
    assert "no problem found" in ok("check", folder, folder / "filled")
    # read in place: what is in the spreadsheets now, at the price of one call for each where nothing is new
    before = len(server.calls)
    assert "nothing has changed since" in ok("status", folder, "--pull", "--credentials", key)
    assert len(server.calls) - before == len(NAMES)

    ok("close", folder, "--credentials", key)
    assert f"everybody is done: toolkit consolidate {folder}" in ok("status", folder)
    ok("consolidate", folder, "-q")
    found = consensus(folder / "report")
    # A1 and A3 agree, so the median of three is theirs
    assert {item: row["human_consensus_score"] for item, row in found.items()} == scores(study, "A1")
    assert metrics(folder / "report")["warnings"] is not None
    # ids, links and addresses stay in study.json
    private = [sheet.spreadsheet for sheet in study.google.sheets.values()] + [COORDINATOR, *MAILS.values()]
    for path in folder.rglob("*"):
        if path.suffix in (".html", ".json", ".csv", ".txt") and path.name != "study.json":
            text = path.read_text(encoding="utf-8")
            assert not [word for word in private if word in text], path


@pytest.mark.parametrize("lang", ["pt-BR", "en"])
def test_an_annotator_sees_progress_and_can_change_answer_cells_only(
    server: FakeServer, tmp_path: Path, lang: str
) -> None:
    study, _printed = make(server, tmp_path, lang, items=2)
    assert study.google is not None
    _, sheet = language(lang), study.google.sheets["A1"]
    person = server.as_user(MAILS["A1"])
    annotation, guide = sheet.tabs
    layout = study_layout(study, "A1", online=True)
    progress = _progress(server, study, guide)
    assert progress["left"] == "6" and progress["status"] == _("Not complete yet.")
    assert progress["state"] == _("{n} to do", n=6)

    online.annotate(server, study, "A1", scores(study, "A1"))
    progress = _progress(server, study, guide)
    assert progress["left"] == "0" and progress["state"] == _("OK")
    assert progress["status"] == _("Complete. Thank you! There is nothing to send.")

    code = study.assignments["A1"][0]
    for value in ("6", "4,5", "4.5", "0", "bom"):
        with pytest.raises(RefusedError, match="validation rules"):
            person.type(sheet.spreadsheet, online.cell(study, "A1", code, "score"), value)
    with pytest.raises(RefusedError, match="validation rules"):
        person.type(sheet.spreadsheet, online.cell(study, "A1", code, "doubt"), "maybe")
    for key in ("text", "item_code", "part", "study", "label"):
        with pytest.raises(RefusedError, match="protected"):
            person.type(sheet.spreadsheet, online.cell(study, "A1", code, key), "x")
    with pytest.raises(RefusedError, match="protected"):
        person.type(sheet.spreadsheet, f"'{annotation}'!A1", "x")
    with pytest.raises(RefusedError, match="protected"):
        person.type(sheet.spreadsheet, f"'{_('Rubric')}'!B2", "x")
    with pytest.raises(RefusedError):
        person.rename(sheet.spreadsheet, annotation, "mine")
    # the coordinator may correct everything, the other annotators cannot even look
    top = xl_rowcol_to_cell(FIRST_ROW, layout.column("label"))
    server.as_user(COORDINATOR).type(sheet.spreadsheet, f"'{annotation}'!{top}", "x")
    with pytest.raises(RefusedError, match="access"):
        server.as_user(MAILS["A2"]).see(sheet.spreadsheet, f"'{annotation}'!A1")


def _progress(server: FakeServer, study: Study, guide: str) -> dict[str, str]:
    assert study.google is not None
    _, person = language(study.language), server.as_user(MAILS["A1"])
    spreadsheet = study.google.sheets["A1"].spreadsheet
    rows = {person.see(spreadsheet, f"'{guide}'!B{row}"): row for row in range(1, 36)}
    row = rows[_("All")]
    return {
        "left": person.see(spreadsheet, f"'{guide}'!D{row}"),
        "state": person.see(spreadsheet, f"'{guide}'!H{row}"),
        "status": person.see(spreadsheet, f"'{guide}'!B{row + 1}"),
    }


def test_a_closed_sheet_takes_nothing_any_more(server: FakeServer, tmp_path: Path) -> None:
    study, _printed = make(server, tmp_path, "en", items=1)
    folder, key = tmp_path / "study", tmp_path / "key.json"
    assert study.google is not None
    online.annotate(server, study, "A1", scores(study, "A1"))
    before = len(server.calls)
    printed = ok("close", folder, "--credentials", key)
    # what is fetched last is what was locked: two calls where there is something, one where nothing is entered
    assert "locked, with 6 calls" in printed and "A1: A1.google-" in printed and "4 calls to Google" in printed
    assert len(server.calls) - before == 10
    code = study.assignments["A1"][0]
    with pytest.raises(RefusedError, match="protected"):
        place = online.cell(study, "A1", code, "score")
        server.as_user(MAILS["A1"]).type(study.google.sheets["A1"].spreadsheet, place, "2")
    assert read_study(folder).google.closed  # type: ignore[union-attr]
    # once more is harmless, and finds nothing to do
    assert "locked, with 3 calls" in ok("close", folder, "--credentials", key)
    assert "A1: nothing has changed since A1.google-" in ok("pull", folder, "--credentials", key)


def test_pulling_again_keeps_every_copy_and_reads_the_newest(server: FakeServer, tmp_path: Path) -> None:
    study, _printed = make(server, tmp_path, "pt-BR", items=1)
    folder, key = tmp_path / "study", tmp_path / "key.json"
    clock = iter(f"2026-03-0{day}T10:00:00+00:00" for day in range(1, 9))

    def pull() -> list[str]:
        from datetime import datetime

        from toolkit.jobs.google_pull import pull as pulled

        with online.service(server) as door:
            return [sheet.note for sheet in pulled(folder, door, datetime.fromisoformat(next(clock))).sheets]

    assert pull() == ["nothing is entered yet"] * 3
    first = {study.items[0].item_id: "2"}
    for name in NAMES:
        online.annotate(server, study, name, first)
    assert pull() == [""] * 3
    assert all("nothing has changed since" in note for note in pull())
    online.annotate(server, study, "A1", {study.items[0].item_id: "5"})
    assert pull()[0] == ""
    names = sorted(path.name for path in (folder / "filled").iterdir() if path.name.startswith("A1"))
    assert names == [
        "A1.google-20260302T100000Z.json",
        "A1.google-20260302T100000Z.xlsx",
        "A1.google-20260304T100000Z.json",
        "A1.google-20260304T100000Z.xlsx",
    ]
    # what was emptied counts as empty, not as it was before
    online.annotate(server, study, "A1", {study.items[0].item_id: ""}, {study.items[0].item_id: ""})
    assert pull()[0] == ""
    assert "A1 returned no score" in ok("consolidate", folder, "-o", folder / "early")
    online.annotate(server, study, "A1", {study.items[0].item_id: "5"})
    for item in study.items[1:]:
        for name in NAMES:
            online.annotate(server, study, name, {item.item_id: "3"})
    ok("pull", folder, "--credentials", key)
    printed = ok("consolidate", folder)
    assert "earlier copies from Google Sheets: kept, but not read" in printed
    assert "is a copy of" not in printed and "second file" not in printed
    assert consensus(folder / "report")[study.items[0].item_id]["score_A1"] == "5"


def test_a_mixed_team_sends_a_file_for_who_does_not_use_google(server: FakeServer, tmp_path: Path) -> None:
    from tests.studies import fill

    study, _printed = make(server, tmp_path, "en", items=1)
    folder, key = tmp_path / "study", tmp_path / "key.json"
    for name in ("A1", "A2"):
        online.annotate(server, study, name, scores(study, name))
    fill(study, folder, "A3", lambda item: int(scores(study, "A3")[item]))
    assert "A3: nothing is entered yet" in ok("pull", folder, "--credentials", key)
    ok("consolidate", folder, "-q")
    assert {row["score_A3"] for row in consensus(folder / "report").values()} <= set("12345")


def test_check_and_status_read_the_spreadsheets_as_they_are_now(server: FakeServer, tmp_path: Path) -> None:
    study, _printed = make(server, tmp_path, "pt-BR", items=1)
    folder, key = tmp_path / "study", tmp_path / "key.json"
    online.annotate(server, study, "A1", scores(study, "A1"))
    for command in ("status", "check"):
        assert toolkit(command, folder, "--credentials", key).exit_code == 2
    assert "3/3" in ok("status", folder, "--pull", "--credentials", key)
    assert "3 of 3 items scored" in ok("check", folder, "--pull", "--credentials", key)
    assert len(list((folder / "filled").iterdir())) == 2  # the evidence of what was read


def test_google_options_want_google(tmp_path: Path) -> None:
    path = online.sample(tmp_path)
    for option in (["--share", "A1=a@example.org"], ["--folder", "x"], ["--notify"], ["--one-spreadsheet"]):
        assert toolkit("make-sheets", path, "--annotators", "3", *option).exit_code == 2
    for share in ("A1", "A1=", "=a@example.org", "A1=nobody", "A1=a@b.org,A1=c@d.org"):
        assert toolkit("make-sheets", path, "--annotators", "3", "--google", "--share", share).exit_code == 2


def test_a_study_without_spreadsheets_has_nothing_to_pull(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    key = server.authorized_user_file(tmp_path / "key.json", COORDINATOR)
    ok("make-sheets", online.sample(tmp_path), "--annotators", "3", "-o", tmp_path / "study", "-q")
    for command in ("pull", "close"):
        assert "without spreadsheets" in refused(command, tmp_path / "study", "--credentials", key)
    assert not server.calls
