"""A study in the fake Google Sheets, and people who annotate in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from tests.google.fake_server import FakeServer
from tests.studies import record, write_jsonl
from toolkit.google.service import Patience, Service
from toolkit.jobs.google_make import MadeOnline, Wishes, make_google
from toolkit.jobs.make_sheets import prepare, study_layout
from toolkit.model import SheetOptions
from toolkit.rubrics import default_rubric
from toolkit.study import Study
from toolkit.workbook.canvas import FIRST_ROW

COORDINATOR = "coordinator@example.org"
NAMES = ("A1", "A2", "A3")
MAILS = {name: f"{name.lower()}@example.org" for name in NAMES}
LOCALES = {"en": "en_US", "pt-BR": "pt_BR", "es": "es_ES"}
YES = {"en": "yes", "pt-BR": "sim", "es": "sí"}


def people(server: FakeServer, language: str = "en") -> None:
    """Make the coordinator and the annotators known."""
    for mail in (COORDINATOR, *MAILS.values()):
        server.add_person(mail, locale=LOCALES[language])


@contextmanager
def service(server: FakeServer, email: str = COORDINATOR, **patience: float) -> Iterator[Service]:
    """Open the door to the fake; waiting lets the server's clock go on, and takes no time."""
    with server.session(email) as session:
        yield Service(
            session,
            patience=Patience(**{"call": 2, **patience}),  # type: ignore[arg-type]
            clock=lambda: server.now,
            sleep=server.advance,
            jitter=lambda: 0.5,
        )


def sample(folder: Path, items: int = 3, **fields: Any) -> Path:
    """Write a judged sample with as many items of each dimension."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        record(f"{dimension[0]}{n}", dimension, **fields)
        for n in range(items)
        for dimension in ("factual", "consistency", "robustness")
    ]
    return write_jsonl(folder / "sample.jsonl", records)


def make(
    server: FakeServer,
    folder: Path,
    *,
    language: str = "en",
    items: int = 3,
    wishes: Wishes | None = None,
    options: SheetOptions | None = None,
    path: Path | None = None,
    through: Callable[[FakeServer], Any] = service,
    seed: int = 1,
    **fields: Any,
) -> MadeOnline:
    """Make a study with spreadsheets, without the command line."""
    prepared = prepare(
        path or sample(folder.parent, items, **fields),
        folder,
        NAMES,
        default_rubric(language),
        language_code=language,
        seed=seed,
        sheets=options,
    )
    with through(server) as door:
        return make_google(folder, prepared, door, wishes or Wishes(share=MAILS))


def cell(study: Study, name: str, code: str, key: str) -> str:
    """Return where an annotator enters something, as `Sheet!H12`."""
    assert study.google is not None
    layout = study_layout(study, name, online=True)
    row = next(place for place, row in enumerate(layout.rows, FIRST_ROW) if row.item_code == code)
    title = study.google.sheets[name].tabs[0].replace("'", "''")
    return f"'{title}'!{xl_rowcol_to_cell(row, layout.column(key))}"


def annotate(
    server: FakeServer, study: Study, name: str, scores: Mapping[str, str], texts: Mapping[str, str] | None = None
) -> None:
    """Let an annotator type scores, by item_id, and justifications."""
    assert study.google is not None
    person, spreadsheet = server.as_user(MAILS[name]), study.google.sheets[name].spreadsheet
    for code in study.assignments[name]:
        item_id = study.by_code[code].item_id
        if item_id in scores:
            person.type(spreadsheet, cell(study, name, code, "score"), scores[item_id])
            text = (texts or {}).get(item_id, f"because {item_id}")
            person.type(spreadsheet, cell(study, name, code, "justification"), text)
