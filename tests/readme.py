"""What the README's commands need that a person would do between them: annotators fill in, people discuss."""

from __future__ import annotations

from pathlib import Path

import openpyxl

from tests.studies import annotation_sheet, answer_rows, fill, write_csv
from toolkit.study import read_study


def prepare(command: str, folder: Path) -> None:
    """Bring the folder into the state in which a reader would type this command."""
    study_folder = folder / "my-study" / "round-1"
    if command.startswith("toolkit status"):
        study = read_study(study_folder)
        for place, name in enumerate(study.names):
            # one item lies two apart, so that there is something to discuss
            fill(study, study_folder, name, lambda item, place=place: 2 + 2 * place % 3)  # type: ignore[misc]
    elif "--discussion" in command:
        path = study_folder / "report" / "discussion.xlsx"
        book = openpyxl.load_workbook(path)
        sheet, keys = annotation_sheet(book)
        for row in answer_rows(sheet, keys).values():
            sheet.cell(row, keys["consensus_after_discussion"]).value = 3
        book.save(path)
    elif command.startswith("toolkit analyze"):
        items = [f"i{n}" for n in range(12)]
        rows = [[item, name, 1 + (n + place) % 5] for n, item in enumerate(items) for place, name in enumerate("AB")]
        write_csv(folder / "ratings.csv", ["item_id", "annotator_id", "score"], rows)
        write_csv(
            folder / "judge.csv", ["item_id", "judge", "score"], [[i, "J", 1 + n % 5] for n, i in enumerate(items)]
        )
