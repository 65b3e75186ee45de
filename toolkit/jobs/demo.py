"""demo: the whole job on the bundled example, from the sample to the report after the discussion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toolkit.files import resources, write_all
from toolkit.jobs.consolidate import Done, consolidate
from toolkit.jobs.make_sheets import FILLED, REPORT, Made, file_names, make_sheets, prepare, study_layout
from toolkit.jobs.report import Wanted
from toolkit.model import Annotation
from toolkit.ratings import read_ratings
from toolkit.rubrics import default_rubric
from toolkit.study import Study
from toolkit.workbook.xlsx import write

LANGUAGE = "pt-BR"
ANNOTATORS = ("A1", "A2", "A3")
SEED = 2026
TITLE = "Estudo de exemplo"


@dataclass(frozen=True)
class Demonstrated:
    """What the demo did."""

    made: Made
    done: Done


def demo(folder: Path, *, force: bool = False) -> Demonstrated:
    """Make the example's study, fill its workbooks as its annotators did, and consolidate it with their discussion.

    Raises:
        ToolkitError: When the folder holds a study already and `force` is off.
    """
    example = resources("example")
    rubric = default_rubric(LANGUAGE)
    sample = example / "sample.jsonl"
    made = make_sheets(
        folder, prepare(sample, folder, ANNOTATORS, rubric, language_code=LANGUAGE, seed=SEED), force=force
    )
    write_all(folder / FILLED, filled_workbooks(made.study, example / "answers.csv"), force=force)
    done = consolidate(
        folder,
        discussion=example / "discussion.csv",
        out=folder / REPORT,
        wanted=Wanted(title=TITLE),
        force=force,
    )
    return Demonstrated(made, done)


def filled_workbooks(study: Study, answers: Path) -> dict[str, bytes]:
    """Return each annotator's workbook with the answers of a table filled in, by file name."""
    ratings = read_ratings(answers, scale=study.rubric.scale)
    names = file_names(study.names)
    found = {}
    for annotator in study.names:
        entered: Mapping[str, Annotation] = {
            item.item_code: Annotation(
                annotator=annotator,
                item_code=item.item_code,
                score=rating.value,
                justification=rating.justification,
                doubt=rating.doubt,
                notes=rating.notes,
            )
            for item in study.items
            if (rating := ratings.annotations.get(item.key, {}).get(annotator)) is not None
        }
        found[f"{names[annotator]}.xlsx"] = write(study_layout(study, annotator), entered)
    return found
