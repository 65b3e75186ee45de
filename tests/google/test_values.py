"""The raw values that pull keeps: rows as short as they are filled, formulas told from results, copies by date."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.google import export, online
from tests.google.fake_server import FakeServer
from tests.google.online import COORDINATOR, MAILS
from tests.google.person import RefusedError
from tests.studies import consensus, ok, refused
from toolkit.errors import ToolkitError
from toolkit.google.refusals import TOO_LARGE
from toolkit.jobs.google_make import MadeOnline
from toolkit.jobs.google_pull import Pulled, pull
from toolkit.study import read_study
from toolkit.workbook.readers import Source, find_sources, read_book
from toolkit.workbook.readers.google_values import google_values
from toolkit.workbook.readers.pulls import newest_pulls
from toolkit.workbook.readers.raw import FORMULA

WHEN = datetime(2026, 3, 2, 12, tzinfo=UTC)


def book_of(values: list[list[Any]], formulas: list[list[Any]] | None = None) -> Any:
    data = google_values(["S"], [values], "now", [] if formulas is None else [formulas])
    return read_book(Source("x", content=data)).sheets[0].cells


def scored(server: FakeServer, folder: Path, lang: str = "en") -> MadeOnline:
    online.people(server, lang)
    made = online.make(server, folder, language=lang, items=1)
    for name in online.NAMES:
        online.annotate(server, made.study, name, {item.item_id: "3" for item in made.study.items})
    return made


def pulled(server: FakeServer, folder: Path, when: datetime = WHEN) -> Pulled:
    with online.service(server) as door:
        return pull(folder, door, when)


def test_gs_03_short_rows_empty_rows_and_blank_headers() -> None:
    """The API omits what is empty at the end, returns hundreds of empty rows, and headers that are blank."""
    values = [
        ["item_id", "texto", "nota", "comentario", "", ""],
        ["i1", "t1"],
        ["i2", "t2", 4],
        [],
        ["i3", "t3", "5", "ok", "x"],
    ]
    cells = book_of([*values, *[[] for _ in range(300)]])
    assert {place: cell.value for place, cell in cells.items() if place[1] == 3} == {
        (1, 3): "nota",
        (3, 3): 4,
        (5, 3): "5",
    }
    assert (2, 3) not in cells and (1, 5) not in cells  # i1 is unrated, a blank header is no header
    assert not any(row == 4 or row > 5 for row, _column in cells)
    assert cells[5, 5].value == "x" and cells[5, 5].address == "E5"


def test_gs_03_a_sheet_with_empty_ends_is_read_whole(server: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    made = scored(server, folder)
    last, study = made.study.assignments["A1"][-1], made.study
    assert study.google is not None
    server.as_user(MAILS["A1"]).type(study.google.sheets["A1"].spreadsheet, online.cell(study, "A1", last, "score"), "")
    server.as_user(MAILS["A1"]).type(
        study.google.sheets["A1"].spreadsheet, online.cell(study, "A1", last, "justification"), ""
    )
    server.as_user(COORDINATOR).type(study.google.sheets["A1"].spreadsheet, "Annotation!A1", "study")
    pulled(server, folder)
    for workbook in (folder / "filled").glob("*.xlsx"):
        workbook.unlink()
    printed = ok("status", folder)
    assert f"A1 still has to score: {last}" in printed
    assert "3/3" in printed and "2/3" in printed


def test_a_formula_is_told_from_a_text_that_looks_like_one() -> None:
    cells = book_of([["=1+1", 4, "ok", True, 4.5]], [["=1+1", "=2+2", "ok", True, 4.5]])
    assert cells[1, 1].trouble is None and cells[1, 1].value == "=1+1"
    assert cells[1, 2].trouble == FORMULA and cells[1, 2].value == "=2+2"
    assert [cells[1, column].value for column in (3, 4, 5)] == ["ok", True, 4.5]


def test_a_formula_as_a_score_is_named(server: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    study = scored(server, folder).study
    assert study.google is not None
    place = online.cell(study, "A1", study.assignments["A1"][0], "score")
    server.as_user(MAILS["A1"]).type(study.google.sheets["A1"].spreadsheet, place, "=1+3")
    note = pulled(server, folder).sheets[0].note
    assert "or holds formulas" in note
    assert "is a formula" in refused("consolidate", folder)


def test_what_is_too_large_to_export_is_read_from_its_values(server: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    study = scored(server, folder).study
    assert study.google is not None
    place = online.cell(study, "A2", study.assignments["A2"][0], "score")
    server.as_user(MAILS["A2"]).type(study.google.sheets["A2"].spreadsheet, place, "=1+3")

    from toolkit.google import calls
    from toolkit.google.refusals import GoogleError, Refusal

    def too_large(*_arguments: object) -> bytes:
        raise GoogleError(Refusal(403, "This file is too large to be exported.", frozenset({TOO_LARGE})), "x", "y")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "export", too_large)
        found = pulled(server, folder)
    assert all("too large for Google to export" in sheet.note for sheet in found.sheets)
    assert len(found.files) == 3 and all(path.suffix == ".json" for path in found.files)
    assert "is a formula" in refused("consolidate", folder)
    server.as_user(MAILS["A2"]).type(study.google.sheets["A2"].spreadsheet, place, "4")
    pulled(server, folder, WHEN.replace(hour=13))
    ok("consolidate", folder, "-q")
    assert sorted(row["score_A2"] for row in consensus(folder / "report").values()) == ["3", "3", "4"]


def test_a_score_that_is_shown_as_another_is_never_taken(server: FakeServer, tmp_path: Path) -> None:
    """Sheets takes 100% for a 1 of the list; the raw values alone would say so too."""
    folder = tmp_path / "study"
    study = scored(server, folder).study
    assert study.google is not None
    place = online.cell(study, "A1", study.assignments["A1"][0], "score")
    server.as_user(MAILS["A1"]).type(study.google.sheets["A1"].spreadsheet, place, "100%")
    assert "values such as 100%" in pulled(server, folder).sheets[0].note
    said = refused("check", folder)
    assert "is a percentage" in said and "Format > Number > Automatic" in said

    from toolkit.google import calls
    from toolkit.google.refusals import GoogleError, Refusal

    def too_large(*_arguments: object) -> bytes:
        raise GoogleError(Refusal(403, "This file is too large to be exported.", frozenset({TOO_LARGE})), "x", "y")

    for path in (folder / "filled").iterdir():
        path.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "export", too_large)
        pulled(server, folder)
        assert "stored as 1, but the cell shows 100%" in refused("check", folder)
        # what is shown as it is counts as the same
        assert all("nothing has changed" in sheet.note for sheet in pulled(server, folder).sheets[1:])


def test_a_copy_that_would_not_be_the_newest_is_not_kept(server: FakeServer, tmp_path: Path) -> None:
    """A computer's clock was set back: what was scored since must not be passed over for an older copy."""
    folder = tmp_path / "study"
    study = scored(server, folder).study
    pulled(server, folder)
    online.annotate(server, study, "A1", {item.item_id: "5" for item in study.items})
    for when in (WHEN.replace(hour=11), WHEN):
        [problem] = pulled(server, folder, when).problems
        assert "by this computer's clock" in problem.what and "A1.google-20260302T120000Z" in str(problem)
    assert len(list((folder / "filled").iterdir())) == 6
    assert not pulled(server, folder, WHEN.replace(second=1)).problems
    ok("consolidate", folder, "-q")
    assert {row["score_A1"] for row in consensus(folder / "report").values()} == {"5"}


def test_a_renamed_sheet_is_found_by_its_number(server: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    study = scored(server, folder).study
    assert study.google is not None
    server.as_user(COORDINATOR).rename(study.google.sheets["A1"].spreadsheet, "Annotation", "My 'own' notes")
    before = len(server.calls)
    assert len(pulled(server, folder).files) == 6 and len(server.calls) - before == 2 * 3 + 2
    ok("consolidate", folder, "-q")


def test_one_spreadsheet_that_is_gone_does_not_keep_the_others(server: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    study = scored(server, folder).study
    assert study.google is not None
    del server.store.files[study.google.sheets["A2"].spreadsheet]
    found = pulled(server, folder)
    assert [sheet.annotators for sheet in found.sheets] == [("A1",), ("A3",)]
    [problem] = found.problems
    assert "reading the spreadsheet of A2 did not work: it is not there, or not shared with" in problem.what
    key = server.authorized_user_file(tmp_path / "key.json", COORDINATOR)
    assert "error:" in refused("pull", folder, "--credentials", key)
    # who asks for what is in the spreadsheets now is told that it is not all of it
    assert "spreadsheet of A2 did not work" in refused("status", folder, "--pull", "--credentials", key)
    assert "locking the spreadsheet of A2 did not work" in refused("close", folder, "--credentials", key)
    closed = read_study(folder).google
    assert closed is not None and not closed.closed
    for name in ("A1", "A3"):
        place = online.cell(study, name, study.assignments[name][0], "score")
        with pytest.raises(RefusedError, match="protected"):
            server.as_user(MAILS[name]).type(study.google.sheets[name].spreadsheet, place, "4")


def test_the_newest_copy_is_read_and_named_ones_are_read_as_named(tmp_path: Path) -> None:
    names = ["A1.google-20260302T120000Z.json", "A1.google-20260302T120000Z.xlsx", "A1.google-20260301T120000Z.xlsx",
             "A2.google-20260301T120000Z.json", "A1.xlsx", "A1.google-x.xlsx"]  # fmt: skip
    warnings: list[str] = []
    kept = newest_pulls([tmp_path / name for name in names], warnings)
    assert [path.name for path in kept] == [names[1], names[3], "A1.xlsx", "A1.google-x.xlsx"]
    assert warnings == ["an earlier copy from Google Sheets: kept, but not read, since there are newer ones"]
    (tmp_path / names[3]).write_bytes(google_values(["S"], [[]], "now"))
    sources, _warnings = find_sources([tmp_path / names[3]])
    assert read_book(sources[0]).format == "google"


@pytest.mark.parametrize(
    "content",
    [
        {"google_values": 1},
        {"google_values": 1, "sheets": 4},
        {"google_values": 1, "sheets": [{"title": "x"}]},
        {"google_values": 1, "sheets": [{"title": "x", "values": [["a", {"b": 1}]]}]},
        {"google_values": 1, "sheets": [{"title": "x", "values": 3}]},
        {"google_values": 2, "sheets": []},
        [],
    ],
)
def test_damaged_values_are_refused_in_words(content: Any) -> None:
    data = json.dumps(content).encode()
    with pytest.raises(ToolkitError, match=r"is damaged|newer toolkit|JSON|no spreadsheet|hidden keys"):
        read_book(Source("x.json", content=data))


@pytest.mark.parametrize("kind", ["xlsx", "ods", "csv", "tsv"])
def test_what_google_exports_is_read_like_any_other_file(server: FakeServer, tmp_path: Path, kind: str) -> None:
    """The coordinator downloads it in the browser: a workbook whole, or the sheet in sight as text."""
    folder = tmp_path / "study"
    made = scored(server, folder, "pt-BR")
    book = copy.deepcopy(server.book(made.sheets["A1"].spreadsheet))
    if kind in ("csv", "tsv"):
        book.sheets = [sheet for sheet in book.sheets if sheet.title == made.sheets["A1"].tabs[0]]
    types = {"xlsx": export.XLSX, "ods": export.ODS, "csv": "text/csv", "tsv": "text/tab-separated-values"}
    (folder / "filled").mkdir()
    (folder / "filled" / f"downloaded.{kind}").write_bytes(export.WRITERS[types[kind]](book))
    printed = ok("check", folder, folder / "filled")
    assert "3 of 3 items scored" in printed and "no problem found" in printed


def test_an_uploaded_workbook_comes_back_as_it_went(server: FakeServer, tmp_path: Path) -> None:
    """An annotator opens our .xlsx with Google Sheets, fills it in there and downloads it again."""
    from tests.studies import make

    online.people(server, "pt-BR")
    study = make(tmp_path / "study", [{"item_id": "i1", "dimension": "factual", "prompt": "P", "response": "R"}])
    person = server.as_user(MAILS["A1"])
    spreadsheet = person.upload(tmp_path / "study" / "send" / "A1.xlsx")
    from toolkit.jobs.make_sheets import study_layout
    from toolkit.workbook.canvas import FIRST_ROW

    layout = study_layout(study, "A1")
    row = next(place for place, row in enumerate(layout.rows, FIRST_ROW) if row.item_code)
    from xlsxwriter.utility import xl_rowcol_to_cell

    person.type(spreadsheet, f"Annotation!{xl_rowcol_to_cell(row, layout.column('score'))}", "4")
    from toolkit.google import calls

    with online.service(server, MAILS["A1"]) as door:
        data = calls.export(door, spreadsheet, "downloading")
    (tmp_path / "study" / "filled").mkdir(exist_ok=True)
    (tmp_path / "study" / "filled" / "downloaded.xlsx").write_bytes(data)
    assert "1 of 1 item scored" in ok("check", tmp_path / "study", tmp_path / "study" / "filled")
