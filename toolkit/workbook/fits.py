"""Whether a rubric fits into a workbook: what spreadsheet programs can offer as a choice, or hold in a cell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolkit.errors import Problem, shown
from toolkit.model import INPUT_MESSAGE_CHARACTERS, Rubric, Scale
from toolkit.texts import plain_key, utf16_length
from toolkit.workbook.layout import SMALL_POINTS
from toolkit.workbook.measure import TALLEST_ROW, height, line_count
from toolkit.workbook.parts import TEXT_WIDTH_PX
from toolkit.workbook.sheets import CELL_CHARACTERS

LIST_CHARACTERS = 255
SHORTEN = "shorten it in the rubric"
# What a program takes for a number, date, time, share or sum when it is typed or chosen: `1/2`, `5%`, `1e5`, `R$ 4`.
_NO_NAME = re.compile(r"[=+@'-].*|[0-9\s.,:/%eE+$€£-]*[0-9][0-9\s.,:/%eE+$€£-]*|.*[,\"\n].*", re.DOTALL)
_TRUTHS = frozenset({"true", "false", "verdadeiro", "falso", "verdadero"})


def list_characters(scale: Scale) -> int:
    """Return how many characters the values of a scale take as the list a cell offers."""
    return len(",".join(map(str, scale.values)))


def misfits(rubric: Rubric) -> Iterator[Problem]:
    """Yield what about a rubric no workbook can hold, or would hand back as something else."""
    values, needed = [str(value) for value in rubric.scale.values], list_characters(rubric.scale)
    if needed > LIST_CHARACTERS:
        what = f"the values of the scale need {needed} characters together; a cell's list holds {LIST_CHARACTERS}"
        yield Problem(what, "use a scale of fewer values, or shorter names")
    if rubric.scale.kind == "nominal":
        for value in values:
            if _NO_NAME.fullmatch(value.strip()) or plain_key(value) in _TRUTHS:
                what = "spreadsheet programs take this name for a number, date, formula or list"
                yield Problem(what, "choose a name of letters, such as A or yes", value=value)
    for key, dimension in rubric.dimensions.items():
        message = "\n".join(f"{value} = {level.short}" for value, level in dimension.levels.items())
        if len(message) > INPUT_MESSAGE_CHARACTERS:
            what = f"the short forms of {shown(key)} need {len(message)} characters together"
            yield Problem(f"{what}; a spreadsheet's input message holds {INPUT_MESSAGE_CHARACTERS}", SHORTEN)
        if height(line_count(dimension.question, TEXT_WIDTH_PX, SMALL_POINTS + 1), SMALL_POINTS + 1) > TALLEST_ROW:
            what = f"the question of {shown(key)} is longer than fits into a row, and it stands above every item"
            yield Problem(what, SHORTEN, value=dimension.question)
        texts = [dimension.question, dimension.title, dimension.sets, *dimension.edge_cases]
        texts += ["\n".join(f"{value} = {level.description}" for value, level in dimension.levels.items())]
        texts += [text for example in dimension.examples for text in (example.text, example.why)]
        for text in texts:
            if utf16_length(text) > CELL_CHARACTERS:
                what = f"a text of {shown(key)} has {utf16_length(text):,} characters; a cell holds {CELL_CHARACTERS:,}"
                yield Problem(what, SHORTEN, value=text)
