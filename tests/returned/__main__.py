"""Write all the files of the table, to look at or to open by hand: python -m tests.returned FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.returned.ways import WAYS
from tests.returned.workbook import OPTIONS, RECORDS, Filled
from tests.studies import make


def write(folder: Path) -> None:
    """Write FOLDER/WAY/FILE for every way, the study they belong to beside it, and the table as README.md."""
    study_folder = folder.parent / f"{folder.name}-study"
    study = make(study_folder, RECORDS, "A1,A2,A3", *OPTIONS)
    lines = [f"The study: `{study_folder}`. Expected is what differs from the scores entered, and what is told.", ""]
    lines += ["| file | what the annotator did | scores | problems |", "|---|---|---|---|"]
    for way in WAYS:
        filled = Filled(study, study_folder / "send" / "A1.xlsx")
        data = way.make(filled)
        path = folder / way.id / way.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(filled.data() if data is None else data)
        scores = "none" if way.scores is None else ", ".join(f"{item}: {score}" for item, score in way.scores.items())
        told = "; ".join(f"{filled.address(cell) or ''} {words}".strip() for cell, words in way.problems)
        cells = (f"{way.id}/{way.file}", way.did, scores, told)
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", "\\n") for cell in cells) + " |")
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
