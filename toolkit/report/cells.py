"""Tables as a report means them, before HTML or a spreadsheet writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from toolkit.report.facts import Facts
from toolkit.report.sayings import Saying, note_text, saying
from toolkit.stats.results import Estimate, Note

HEAT_STEPS = 6


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: What it says.
        value: The number behind it, where a spreadsheet should have one.
        under: A second, quieter line.
        heat: Shade from 0 (none) to HEAT_STEPS, for heat maps.
        marked: Whether it is outlined (the diagonal of a confusion table).
        kind: How its number is formatted: `count`, `score`, `coefficient`, `share` or `points`.
        notes: Letters of the remarks below the table.
    """

    text: str
    value: float | None = None
    under: str = ""
    heat: int | None = None
    marked: bool = False
    kind: str = "text"
    notes: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first cell of each row names the row.

    Attributes:
        key: Names the table inside the page.
        remarks: Sentences below it, each with its letter, empty for one that holds for the whole table.
        look: `plain`, or `heat`.
        sortable: Whether sorting its rows makes sense.
    """

    key: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    remarks: Sequence[tuple[str, str]] = ()
    look: str = "plain"
    sortable: bool = False


@dataclass(frozen=True)
class EstimateRow:
    """A row of estimates, one for each column.

    Attributes:
        title: Name of the row.
        meaning: One sentence about it.
        kind: How the values are written.
    """

    title: str
    meaning: str
    estimates: Sequence[Estimate | None]
    kind: str = "coefficient"


@dataclass(frozen=True)
class EstimateTable:
    """Estimates with their intervals; HTML shows them as a grid, a spreadsheet as a long table."""

    key: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[EstimateRow]
    row_head: str = ""


def statistic_row(key: str, estimates: Sequence[Estimate | None], facts: Facts) -> EstimateRow:
    """Return a row for a statistic, explained."""
    said: Saying = saying(key, facts._)
    return EstimateRow(said.name, said.meaning, estimates, said.kind)


def grid(table: EstimateTable, facts: Facts) -> Table:
    """Return estimates as a grid: value, interval below it, and letters for what is to be said about them."""
    _ = facts._
    said = [set(e.notes) for row in table.rows for e in row.estimates if e is not None]
    everywhere = set.intersection(*said) if len(said) > 1 else set()
    order = [note for note in Note if any(note in notes for notes in said)]
    single = [note for note in order if note not in everywhere]
    letters = {note: ascii_lowercase[place] for place, note in enumerate(single)}
    largest = max((e.n for row in table.rows for e in row.estimates if e is not None), default=0)

    def cells(row: EstimateRow) -> Iterator[Cell]:
        yield Cell(row.title, under=row.meaning)
        for one in row.estimates:
            if one is None:
                yield Cell("")
                continue
            under = facts.interval(one, row.kind)
            if len(table.columns) == 1 and one.n != largest:
                under = "; ".join(filter(None, (under, _("n = {n}", n=_.number(one.n, 0)))))
            marks = " ".join(letters[note] for note in single if note in one.notes)
            yield Cell(facts.estimate(one, row.kind), one.value, under, kind=row.kind, notes=marks)

    return Table(
        table.key,
        table.caption,
        (table.row_head or _("Figure"), *table.columns),
        [tuple(cells(row)) for row in table.rows],
        remarks=[("", note_text(note, _)) for note in order if note in everywhere]
        + [(letters[note], note_text(note, _)) for note in single],
    )


def heat(share: float) -> int:
    """Return the shade for a share between 0 and 1; anything above 0 is seen."""
    return 0 if share <= 0 else min(HEAT_STEPS, 1 + int(share * HEAT_STEPS))
