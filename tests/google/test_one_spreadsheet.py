"""--one-spreadsheet: tabs for all annotators, each to be filled in by one person alone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.google import online
from tests.google.fake_server import FakeServer
from tests.google.online import MAILS, NAMES
from tests.google.person import RefusedError
from tests.studies import consensus, ok
from toolkit.errors import ToolkitError
from toolkit.i18n import language
from toolkit.jobs.google_close import close
from toolkit.jobs.google_make import Wishes, make_google
from toolkit.jobs.google_pull import pull
from toolkit.jobs.make_sheets import prepare
from toolkit.rubrics import default_rubric

WISHES = Wishes(share=MAILS, one_spreadsheet=True)


def test_each_annotator_fills_in_their_own_tabs_only(server: FakeServer, tmp_path: Path) -> None:
    online.people(server, "pt-BR")
    made = online.make(server, tmp_path / "study", language="pt-BR", items=2, wishes=WISHES)
    [file] = server.files()
    assert file.name == "Planilha de anotação" and made.most <= 6
    assert any("everybody can look at the tabs" in warning for warning in made.warnings)
    titles = [sheet.title for sheet in server.book(file.id).sheets]
    assert titles == ["Rubrica", "A1", "A1 Comece aqui", "A2", "A2 Comece aqui", "A3", "A3 Comece aqui"]
    study = made.study
    code = study.assignments["A1"][0]
    own = online.cell(study, "A1", code, "score")
    server.as_user(MAILS["A1"]).type(file.id, own, "4")
    for other in ("A2", "A3"):
        assert server.as_user(MAILS[other]).see(file.id, own) == "4"  # they can look, which the warning says
        with pytest.raises(RefusedError, match="protected"):
            server.as_user(MAILS[other]).type(file.id, own, "5")
    with pytest.raises(RefusedError, match="protected"):
        server.as_user(MAILS["A1"]).type(file.id, online.cell(study, "A1", code, "text"), "x")


def test_the_whole_of_it_is_read_tab_by_tab(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    folder = tmp_path / "study"
    made = online.make(server, folder, items=2, wishes=WISHES)
    for place, name in enumerate(NAMES):
        scores = {item.item_id: str(1 + (n + place) % 5) for n, item in enumerate(made.study.items)}
        online.annotate(server, made.study, name, scores)
    [file] = server.files()
    server.as_user(MAILS["A2"]).type(file.id, f"'A2 Start here'!E{_closing_row(server, file.id)}", "yes")
    before = len(server.calls)
    with online.service(server) as door:
        pulled = pull(folder, door, datetime(2026, 3, 2, tzinfo=UTC))
    assert [path.name for path in pulled.files] == [
        "all.google-20260302T000000Z.json",
        "all.google-20260302T000000Z.xlsx",
    ]
    assert len(server.calls) - before == 2 and pulled.sheets[0].note == ""
    printed = ok("check", folder, folder / "filled")
    assert printed.count("6 of 6 items scored") == 3 and printed.count("no problem found") == 3
    assert "everybody is done" in ok("status", folder)
    ok("consolidate", folder, "-q")
    for place, name in enumerate(NAMES):
        found = consensus(folder / "report")
        assert [found[item.item_id][f"score_{name}"] for item in made.study.items] == [
            str(1 + (n + place) % 5) for n in range(len(made.study.items))
        ]
    # the raw values alone say the same
    next((folder / "filled").glob("*.xlsx")).unlink()
    ok("consolidate", folder, "-q", "--force")
    assert consensus(folder / "report") == found


def _closing_row(server: FakeServer, spreadsheet: str) -> int:
    """Return the row of the question that A2 answers: whether a model was recognised."""
    person = server.as_user(MAILS["A2"])
    return next(row for row in range(1, 36) if "recognise" in person.see(spreadsheet, f"'A2 Start here'!B{row}"))


def test_closing_locks_everybodys_tabs(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    made = online.make(server, tmp_path / "study", items=1, wishes=WISHES)
    [file] = server.files()
    with online.service(server) as door:
        assert close(tmp_path / "study", door) == 2
    for name in NAMES:
        place = online.cell(made.study, name, made.study.assignments[name][0], "score")
        with pytest.raises(RefusedError, match="protected"):
            server.as_user(MAILS[name]).type(file.id, place, "4")
    with online.service(server) as door:
        assert close(tmp_path / "study", door) == 1


def test_everybody_needs_an_address(server: FakeServer, tmp_path: Path) -> None:
    online.people(server)
    wishes = Wishes(share={"A1": MAILS["A1"]}, one_spreadsheet=True)
    with pytest.raises(ToolkitError, match=r"needs the address of everybody.*A2, A3 missing"):
        online.make(server, tmp_path / "study", items=1, wishes=wishes)
    assert not server.files() and not (tmp_path / "study").exists()


def test_names_of_any_kind_make_tabs_that_count(server: FakeServer, tmp_path: Path) -> None:
    """The titles of tabs are in formulas and ranges, where signs of a name could mean something else."""
    names = ('O\'Brien "x"', "=Ana!A1", "Zé 🎉, [2]")
    mails = {name: f"p{n}@example.org" for n, name in enumerate(names)}
    online.people(server)
    path, folder, rubric = online.sample(tmp_path, 1), tmp_path / "study", default_rubric("pt-BR")
    prepared = prepare(path, folder, names, rubric, language_code="pt-BR", seed=1)
    with online.service(server) as door:
        study = make_google(folder, prepared, door, Wishes(share=mails, one_spreadsheet=True)).study
    [file] = server.files()
    for name, mail in mails.items():
        person = server.as_user(mail)
        for code in study.assignments[name]:
            person.type(file.id, online.cell(study, name, code, "score"), "4")
        assert study.google is not None
        guide = study.google.sheets[name].tabs[1].replace("'", "''")
        rows = {person.see(file.id, f"'{guide}'!B{row}"): row for row in range(1, 35)}
        assert person.see(file.id, f"'{guide}'!C{rows[language('pt-BR')('All')]}") == "3", name
    with online.service(server) as door:
        [pulled] = pull(folder, door).sheets
    assert len(pulled.files) == 2 and pulled.note == ""
    assert ok("check", folder, folder / "filled").count("3 of 3 items scored") == 3
