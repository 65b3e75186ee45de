"""A real spreadsheet program saves what is locked in every format and changes nothing; what people change is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.office import Office
from tests.returned.workbook import Filled
from tests.test_locked import special_study
from tests.test_office import ANNOTATION, CSV, CSV_REST, GUIDE, RUBRIC, returned
from toolkit.study import Study

pytestmark = pytest.mark.office
KINDS = ("xlsx", "ods", "xls", "csv")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("special") / "s"
    return special_study(folder), folder


def saved(locale: str, folder: Path) -> tuple[dict[str, Path], list[list[Any]]]:
    """Return where a workbook goes in every format, and how."""
    paths = {kind: folder / kind / f"A1.{kind}" for kind in KINDS}
    for path in paths.values():
        path.parent.mkdir(parents=True)
    return paths, [
        ["save", str(path), kind, CSV[locale] + CSV_REST if kind == "csv" else ""] for kind, path in paths.items()
    ]


def test_nothing_of_what_is_locked_is_changed_by_the_program(
    program: tuple[str, Office], study: tuple[Study, Path], tmp_path: Path
) -> None:
    locale, office = program
    paths, saving = saved(locale, tmp_path)
    office.ask(study[1] / "send" / "A1.xlsx", *saving)
    # and again, from each format into each
    again: dict[str, dict[str, Path]] = {}
    for kind in ("xlsx", "ods", "xls"):
        again[kind], saving = saved(locale, tmp_path / "again" / kind)
        office.ask(paths[kind], *saving)
    for once in (paths, *again.values()):
        for kind, path in once.items():
            # LibreOffice adds the sheet's name to that of a CSV
            [file] = path.parent.iterdir()
            found = returned(file, study[0])
            assert not found.problems and not found.warnings, (kind, path, found.problems, found.warnings)


def test_whatever_a_person_changes_is_told_from_every_format(
    program: tuple[str, Office], study: tuple[Study, Path], tmp_path: Path
) -> None:
    locale, office = program
    workbook = Filled(study[0], study[1] / "send" / "A1.xlsx", {})
    sheet, keys = workbook.sheet, workbook.keys
    title = workbook.row_of(f"{workbook.codes['f1']}:000")
    opening = workbook.row_of("dimension:factual")
    levels = next(row for row in range(title, sheet.max_row + 1) if sheet.cell(row, keys["rubric"]).value)
    cells = {
        sheet.cell(title, keys["text"]).coordinate: "Outra pergunta?",
        sheet.cell(opening, keys["text"]).coordinate: "Outras regras.",
        sheet.cell(levels, keys["rubric"]).coordinate: "3 = tudo",
        workbook.cell("label", "r1").coordinate: "Resposta original",
    }
    others = {RUBRIC: {"B2": "Outra rubrica"}, GUIDE: {}}
    guide = workbook.book.worksheets[GUIDE]
    for line in guide.iter_rows(max_col=1):
        if line[0].value in ("instructions:1", "closing:saw_scores"):
            others[GUIDE][str(guide.cell(line[0].row, 2).coordinate)] = "Outra coisa"
    paths, saving = saved(locale, tmp_path)
    changes = [["overwrite", place, wanted] for place, wanted in {ANNOTATION: cells, **others}.items()]
    office.ask(study[1] / "send" / "A1.xlsx", *changes, *saving)
    for kind, path in paths.items():
        [file] = path.parent.iterdir()
        told = {(problem.cell, problem.value) for problem in returned(file, study[0]).problems}
        expected = {*cells.items()}
        if kind != "csv":  # which holds the annotation sheet alone
            expected |= {entry for wanted in others.values() for entry in wanted.items()}
        assert told == expected, kind
        assert len(expected) == (4 if kind == "csv" else 7)
