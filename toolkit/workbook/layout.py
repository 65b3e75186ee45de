"""What an annotator's workbook is: sheets, columns, rows, choices. It knows no file format.

`xlsx` renders it and the readers look its keys up again, so the columns are written down once. Blindness is in the
signature: `annotator_layout` takes blind items, the rubric and an order, and nothing that knows a judge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from toolkit.i18n import Language, language
from toolkit.model import Example, Item, Response, Rubric, Scale, SheetOptions
from toolkit.workbook.markdown import Mode
from toolkit.workbook.measure import TALLEST_ROW, height, line_count, rows_of
from toolkit.workbook.parts import TEXT_WIDTH_PX, part_code, pieces
from toolkit.workbook.runs import BODY_POINTS, Run

LAYOUT_VERSION = 1
# What the hidden `part` column says of the visible header row.
HEADER_PART = "header"
WORDS_PER_MINUTE = 220
SCORING_MINUTES_PER_ITEM = 1.0
# A sitting longer than this is better taken in parts.
SESSION_MINUTES = 45
SMALL_POINTS = 9
# Practice items have codes that no item can have; what is entered there is not read.
PRACTICE = "practice-"
PRACTICE_ITEMS = 2
ANSWER_ROW_POINTS = 78.0
# The columns of the answers, which the levels stand above. Together with the rest they fill a 1366-pixel screen at
# 100% without scrolling sideways, also in LibreOffice, which shows every column up to 12% wider and keeps a side bar
# open: 1,267 pixels are left there.
_WIDTHS = {"item_code": 54, "label": 110, "text": TEXT_WIDTH_PX, "rubric": 8, "score": 62, "justification": 199}
_WIDTHS |= {"doubt": 62, "notes": 126}
_WITH_TIMES = {"justification": 127, "notes": 106, "time_start": 46, "time_end": 46}
ANSWER_KEYS = ("score", "justification", "doubt", "notes")
TIME_KEYS = ("time_start", "time_end")
LEVELS_WIDTH_PX = sum(_WIDTHS[key] for key in ("rubric", *ANSWER_KEYS))
# bold letters are wider
TITLE_WIDTH_PX = _WIDTHS["label"] * 0.9
BANNER_WIDTH_PX = LEVELS_WIDTH_PX + _WIDTHS["text"]


NO_OPTIONS = SheetOptions()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the annotation sheet. `key` is its machine name in the hidden key row."""

    key: str
    title: str
    width_px: int
    hidden: bool = False

    @property
    def answer(self) -> bool:
        """Whether the annotator writes here."""
        return self.key in ANSWER_KEYS + TIME_KEYS


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the annotation sheet.

    Attributes:
        kind: `banner` opens a dimension, `title` an item; `text` and `answer` carry the item's text, and `answer`,
            the last of a block, also its answer cells.
        part: The hidden code of the row, by which it is known after any sorting.
        height: In points.
        levels: On the row where the level descriptions start: how many rows they span.
        runs: The text with its looks, where it may have several.
        after: Code of the (practice) item that must have a score before the text is shown.
    """

    kind: Literal["banner", "title", "text", "answer"]
    part: str
    dimension: str
    height: float
    item_code: str = ""
    label: str = ""
    text: str = ""
    levels: int = 0
    runs: tuple[Run, ...] = ()
    after: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that is in one annotator's workbook.

    Attributes:
        online: Whether it is a spreadsheet that stays where it is and saves itself, not a file that is sent back.
    """

    study_id: str
    annotator: str
    rubric: Rubric
    dimensions: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    item_counts: dict[str, int]
    minutes: int
    options: SheetOptions
    _: Language
    online: bool = False

    @property
    def scale(self) -> Scale:
        """The values the score cells offer."""
        return self.rubric.scale

    def column(self, key: str) -> int:
        """Return the place of a column, from 0."""
        return next(place for place, column in enumerate(self.columns) if column.key == key)

    def levels_text(self, dimension: str) -> str:
        """Return the full level descriptions of a dimension, best first, one to a line."""
        levels = self.rubric.dimensions[dimension].levels
        return "\n".join(f"{value} = {levels[value].description}" for value in reversed(self.scale.values))

    def input_message(self, dimension: str) -> str:
        """Return the short forms of the levels, as the message that appears beside a score cell."""
        levels = self.rubric.dimensions[dimension].levels
        return "\n".join(f"{value} = {levels[value].short}" for value in reversed(self.scale.values))

    @property
    def page(self) -> str:
        """The page number for printing, in the codes of spreadsheet programs."""
        return self._("Page {page} of {pages}", page="&P", pages="&N")

    @property
    def last_column(self) -> int:
        """The place of the last column."""
        return len(self.columns) - 1

    @property
    def doubt_choices(self) -> tuple[str, str]:
        """What the doubt column offers."""
        return self._("yes"), self._("no")


def words(item: Item) -> int:
    """Return how many words an annotator reads in an item."""
    texts = [item.prompt, item.ground_truth, item.expected_behavior, item.original_response]
    texts += [text for response in item.responses for text in (response.prompt, response.response)]
    return sum(len(text.split()) for text in texts if text)


def minutes_to_score(items: Sequence[Item]) -> int:
    """Return the estimated time for reading and scoring items, in minutes, at least one."""
    minutes = sum(words(item) for item in items) / WORDS_PER_MINUTE + SCORING_MINUTES_PER_ITEM * len(items)
    return max(1, round(minutes))


def minutes_of_workbook(items: Sequence[Item], rubric: Rubric, options: SheetOptions) -> int:
    """Return the estimated time for a workbook with these items, in minutes; with its practice items, if it has any."""
    practice = practice_items(items, rubric) if options.practice else []
    return minutes_to_score([*items, *(item for item, _example in practice)])


def sittings(minutes: int) -> tuple[int, int]:
    """Return in how many sittings the work is best done, and about how many minutes each of them takes."""
    count = math.ceil(minutes / SESSION_MINUTES)
    return count, math.ceil(minutes / count)


def annotator_layout(
    items: Sequence[Item],
    rubric: Rubric,
    *,
    study_id: str,
    annotator: str,
    language_code: str,
    markdown: Mode,
    options: SheetOptions = NO_OPTIONS,
    online: bool = False,
) -> Layout:
    """Return the workbook of one annotator.

    Args:
        items: The blind items, in the order in which this annotator meets them.
        rubric: The rubric; dimensions no item has are left out.
        study_id: The study, as `study.json` names it.
        annotator: The annotator's name.
        language_code: Language of everything but the items and the rubric.
        markdown: Whether answers are shown as their markdown means, or as it is written.
        options: What the coordinator wants of the workbook.
        online: Whether it stays online, so that nothing is sent back.
    """
    _ = language(language_code)
    columns: tuple[Column, ...] = (
        Column("study", _("Study"), 40, hidden=True),
        Column("annotator", _("Annotator"), 40, hidden=True),
        Column("part", _("Part"), 40, hidden=True),
        Column("dimension", _("Dimension"), 40, hidden=True),
        Column("item_code", _("Item"), _WIDTHS["item_code"]),
        Column("label", _("What it is"), _WIDTHS["label"]),
        Column("text", _("Text to read"), _WIDTHS["text"]),
        Column("rubric", "", _WIDTHS["rubric"]),
        Column("score", _("Score"), _WIDTHS["score"]),
        Column("justification", _("Short justification"), _WIDTHS["justification"]),
        Column("doubt", _("Doubt?"), _WIDTHS["doubt"]),
        Column("notes", _("Notes (ambiguity, missing context, difficulty)"), _WIDTHS["notes"]),
    )
    if options.time_columns:
        # justification and notes give way, so that the sheet still needs no scrolling sideways
        columns += (Column("time_start", _("Start"), 0), Column("time_end", _("End"), 0))
        columns = tuple(replace(column, width_px=_WITH_TIMES.get(column.key, column.width_px)) for column in columns)
    dimensions = tuple(dict.fromkeys(item.dimension for item in items))
    minutes = minutes_of_workbook(items, rubric, options)
    empty = Layout(study_id, annotator, rubric, dimensions, columns, (), {}, minutes, options, _)
    rows = _practice(empty, items) if options.practice else []
    previous = None
    for number, item in enumerate(items, 1):
        if item.dimension != previous:
            rows += _banner(empty, item.dimension)
            previous = item.dimension
        rows += _block(empty, item, number, len(items), markdown)
    counts = {key: sum(item.dimension == key for item in items) for key in dimensions}
    return replace(empty, rows=tuple(rows), item_counts=counts, online=online)


def _banner(layout: Layout, dimension: str) -> list[Row]:
    """Return what opens a dimension: its question and levels, in one row unless they are very long."""
    described = layout.rubric.dimensions[dimension]
    text = f"{described.question}\n{layout.levels_text(dimension)}"
    if described.sets:
        text += f"\n{described.sets}"
    points = SMALL_POINTS + 1
    return [
        Row(
            "banner",
            f"dimension:{dimension}",
            dimension,
            height(line_count(piece, BANNER_WIDTH_PX, points) + 1, points),
            label="" if place else described.title,
            text=piece,
        )
        for place, piece in enumerate(rows_of(text, BANNER_WIDTH_PX, points))
    ]


def practice_items(items: Sequence[Item], rubric: Rubric) -> list[tuple[Item, Example]]:
    """Return practice items made of the rubric's examples, each with its example; of the dimensions the items have.

    They do not depend on the order of the items, so everybody practises the same.
    """
    present = {item.dimension for item in items}
    examples = [
        (key, example)
        for key, dimension in rubric.dimensions.items()
        if key in present
        for example in dimension.examples
    ]
    # one of each of the first dimensions rather than two of one
    places = sorted(range(len(examples)), key=lambda n: sum(examples[n][0] == key for key, _example in examples[:n]))
    ordered = [examples[place] for place in places]
    # and two scores rather than one, so that nobody learns to expect it
    others = sorted(ordered[1:], key=lambda one: one[1].score == ordered[0][1].score)
    return [
        (Item(item_code=f"{PRACTICE}{number}", dimension=key, responses=(Response(response=example.text),)), example)
        for number, (key, example) in enumerate([*ordered[:1], *others][:PRACTICE_ITEMS], 1)
    ]


def _practice(layout: Layout, items: Sequence[Item]) -> list[Row]:
    """Return the practice items, each with the score it should get, shown once it has one."""
    _ = layout._
    chosen = practice_items(items, layout.rubric)
    rows: list[Row] = []
    for number, (item, example) in enumerate(chosen, 1):
        block = _named_example(_block(layout, item, number, len(chosen), "raw"), _)
        title = _("Practice {n}, not counted", n=number)
        solution = _("Then compare: this example gets {score}. {why}", score=example.score, why=example.why)
        rows += [_title(layout, item, title), *block[1:]]
        for piece in rows_of(solution, TEXT_WIDTH_PX, BODY_POINTS):
            tall = height(line_count(piece, TEXT_WIDTH_PX, BODY_POINTS), BODY_POINTS)
            part, label = f"{item.item_code}:why", _("Solution")
            rows.append(Row("text", part, item.dimension, tall, label=label, text=piece, after=item.item_code))
    return rows


def _named_example(rows: list[Row], _: Language) -> list[Row]:
    """Return the rows of a practice item named for what they hold: an example may be a question and its answer."""
    answer, example = _("Answer"), _("Example")
    names = {answer: example, _("{part} (continued)", part=answer): _("{part} (continued)", part=example)}
    return [replace(row, label=names.get(row.label, row.label)) for row in rows]


def _title(layout: Layout, item: Item, title: str) -> Row:
    question = layout.rubric.dimensions[item.dimension].question
    points = SMALL_POINTS + 1
    lines = max(line_count(question, TEXT_WIDTH_PX, points), line_count(title, TITLE_WIDTH_PX, points))
    part = part_code(item.item_code, 0)
    return Row("title", part, item.dimension, height(lines, points) + 4, label=title, text=question)


def _block(layout: Layout, item: Item, number: int, total: int, markdown: Mode) -> list[Row]:
    _, dimension = layout._, item.dimension
    rows = [_title(layout, item, _("Item {n} of {total}", n=number, total=total))]
    texts = pieces(item, _, markdown)
    for piece in texts:
        last = piece is texts[-1]
        label_lines = line_count(piece.label, _WIDTHS["label"], SMALL_POINTS)
        tall = max(piece.height, height(label_lines, SMALL_POINTS))
        rows.append(
            Row(
                "answer" if last else "text",
                part_code(item.item_code, piece.number),
                dimension,
                max(tall, ANSWER_ROW_POINTS) if last else tall,
                item_code=item.item_code if last else "",
                label=piece.label,
                text=piece.text,
                runs=piece.runs,
            )
        )
    # ratings collected elsewhere may come without any text
    return _with_levels(layout, rows, dimension) if texts else rows


def _with_levels(layout: Layout, rows: list[Row], dimension: str) -> list[Row]:
    """Give the levels the rows right above the answer row, as many as they need, made taller where they are few.

    An item of a single text gets an empty row for them: its title row is full already. So does one whose rows
    together could not be made tall enough.
    """
    lines = line_count(layout.levels_text(dimension), LEVELS_WIDTH_PX, SMALL_POINTS)
    needed = height(lines, SMALL_POINTS) + 4
    *above, answer = rows
    while TALLEST_ROW * (len(above) - 1) < needed:
        above.append(Row("text", above[0].part + "-", dimension, ANSWER_ROW_POINTS))
    first = len(above) - 1
    while first > 1 and sum(row.height for row in above[first:]) < needed:
        first -= 1
    heights = _grown([row.height for row in above[first:]], needed)
    taller = [replace(row, height=tall) for row, tall in zip(above[first:], heights, strict=True)]
    taller[0] = replace(taller[0], levels=len(taller))
    return [*above[:first], *taller, answer]


def _grown(heights: list[float], needed: float) -> list[float]:
    """Return heights of rows that together are as tall as needed, each made taller by the same as far as it can be."""
    grown, missing = list(heights), max(0.0, needed - sum(heights))
    # the tallest can take least; what it cannot take is shared by the others
    for done, place in enumerate(sorted(range(len(heights)), key=heights.__getitem__, reverse=True)):
        more = min(missing / (len(heights) - done), max(0.0, TALLEST_ROW - heights[place]))
        grown[place] += more
        missing -= more
    return [round(tall, 2) for tall in grown]
