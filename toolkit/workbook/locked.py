"""What annotators score by beside the texts of their items: the same for everybody, hashed when it is sent.

Rubric, levels, questions and instructions stand in every workbook, locked. Somebody who read others scored something
else. The hashes in study.json are of what was sent then; another release of the toolkit may word or cut it otherwise.
"""

from __future__ import annotations

from itertools import chain

from toolkit.i18n import language
from toolkit.model import Item, Response
from toolkit.study import Study
from toolkit.texts import same_text_form
from toolkit.workbook.guide import CLOSING, closing_questions, instruction_lines
from toolkit.workbook.layout import Layout, annotator_layout
from toolkit.workbook.parts import pieces, text_hash
from toolkit.workbook.rubric_sheet import rubric_lines

# Keys for each dimension: what opens it is called as its rows are.
OPENING, TITLE, QUESTION, LEVELS = "dimension:", "title:", "question:", "levels:"
EXAMPLES = "practice"


def locked_hashes(study: Study) -> dict[str, tuple[str, ...]]:
    """Return SHA-256 of every locked text that is the same for all annotators, by what it is."""
    return {key: tuple(map(text_hash, texts)) for key, texts in locked_texts(study).items()}


def locked_texts(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the locked texts that are the same for all annotators.

    Those of a dimension are under the constants above followed by its key: the pieces of what opens it, its title, the
    question above each item, the levels beside each. The texts of practice items are under `EXAMPLES`, and those of a
    row of the other sheets under the machine key of the row.
    """
    _ = language(study.language)
    layout = _one_of_each(study)
    found: dict[str, tuple[str, ...]] = {}
    for row in layout.rows:
        if row.kind == "banner":
            opening, title = OPENING + row.dimension, TITLE + row.dimension
            found[opening] = (*found.get(opening, ()), row.text)
            found.setdefault(title, (row.label,))
        elif row.kind == "title":
            found[QUESTION + row.dimension] = (row.text,)
            found[LEVELS + row.dimension] = (layout.levels_text(row.dimension),)
    if study.sheets.practice:
        found[EXAMPLES] = tuple(_practice_texts(layout))
    for line in chain.from_iterable(rubric_lines(layout)):
        found[line.key] = tuple(cell.text for cell in line.cells)
    found |= {f"{CLOSING}{key}": (question,) for key, question in closing_questions(_).items()}
    found |= {key: (line,) for key, line in instruction_lines(study.sheets).items()}
    said = {key: tuple(text for text in texts if same_text_form(text)) for key, texts in found.items()}
    return {same_text_form(key): texts for key, texts in said.items() if texts}


def _one_of_each(study: Study) -> Layout:
    """Return a layout with an item of each dimension."""
    present = {item.dimension for item in study.items}
    items = [
        Item(item_code=f"X{place}", dimension=key, prompt="p", responses=(Response(response="r"),))
        for place, key in enumerate(study.rubric.dimensions)
        if key in present
    ]
    return annotator_layout(
        items, study.rubric, study_id="", annotator="", language_code=study.language, markdown="raw"
    )


def _practice_texts(layout: Layout) -> list[str]:
    """Return the texts of every item there could be for practice: which there are depends on whose dimensions."""
    examples = (example for key in layout.dimensions for example in layout.rubric.dimensions[key].examples)
    items = (Item(item_code="", dimension="", responses=(Response(response=example.text),)) for example in examples)
    return [piece.text for item in items for piece in pieces(item, layout._, "raw")]
