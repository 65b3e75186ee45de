"""Tables as a report means them, before HTML or a spreadsheet writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from toolkit.i18n import Language
from toolkit.report.facts import BAND_EDGES, FEW_ITEMS, NO_LEAN, NOISE, Facts
from toolkit.report.sayings import Saying, note_text, saying
from toolkit.stats.results import Estimate, Note

HEAT_STEPS = 6
# A value outside its own interval; an interval that holds a threshold.
OUTSIDE_MARK, THRESHOLD_MARK = "†", "‡"


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
        look: `plain`, `heat`, or `wordy` for words and fingerprints rather than numbers.
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
        thresholds: Values at which the reading of the figure changes: where an interval holds one, that is marked.
    """

    title: str
    meaning: str
    estimates: Sequence[Estimate | None]
    kind: str = "coefficient"
    thresholds: Sequence[float] = ()


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
    return EstimateRow(said.name, said.meaning, estimates, said.kind, thresholds_of(key))


def thresholds_of(key: str) -> tuple[float, ...]:
    """Return where the reading of a statistic changes: a kappa's bands, the direction of a lean."""
    if key == "bias":
        return NO_LEAN
    return BAND_EDGES if "kappa" in key else ()


def outside_its_interval(one: Estimate) -> bool:
    """Return whether a value lies outside its own interval, as it may where resamples are lopsided."""
    return one.value is not None and one.ci95 is not None and not one.ci95[0] <= one.value <= one.ci95[1]


def outside_text(_: Language) -> str:
    """Say what it means that a value lies outside its own interval."""
    return _("The value lies outside its own interval: the resamples are lopsided, so trust neither too far.")


def grid(table: EstimateTable, facts: Facts) -> Table:
    """Return estimates as a grid: value, interval below it, and letters for what is to be said about them."""
    _ = facts._
    said = [set(e.notes) for row in table.rows for e in row.estimates if e is not None]
    everywhere = set.intersection(*said) if len(said) > 1 else set()
    order = [note for note in Note if any(note in notes for notes in said)]
    single = [note for note in order if note not in everywhere]
    letters = {note: ascii_lowercase[place] for place, note in enumerate(single)}
    usual = [_usual(row.estimates[place] for row in table.rows) for place in range(len(table.columns))]
    of_rows = [{one.n for one in row.estimates if one is not None} for row in table.rows]
    # where each row has one number of items, and another than the next, the row says it and not the column
    by_row = len(usual) > 1 and all(len(own) == 1 for own in of_rows) and len(set().union(*of_rows)) > 1
    if by_row or (len(usual) == 1 and len(set().union(*of_rows)) > 1):
        usual = [None] * len(usual)

    marked = {OUTSIDE_MARK: False, THRESHOLD_MARK: False}

    def marks(one: Estimate, row: EstimateRow) -> Iterator[str]:
        if outside_its_interval(one):
            marked[OUTSIDE_MARK] = True
            yield OUTSIDE_MARK
        if one.ci95 is not None and any(_holds(one.ci95, threshold) for threshold in row.thresholds):
            marked[THRESHOLD_MARK] = True
            yield THRESHOLD_MARK
        yield from (letters[note] for note in single if note in one.notes)

    def cells(row: EstimateRow) -> Iterator[Cell]:
        of_row = next(one.n for one in row.estimates if one is not None) if by_row else None
        yield Cell(_headed(row.title, of_row, _), under=row.meaning)
        for one, most in zip(row.estimates, usual, strict=True):
            if one is None:
                yield Cell("")
                continue
            counted = _counted(one, row.kind, facts, most if of_row is None else of_row)
            said = [facts.interval(one, row.kind, row.thresholds), counted]
            shown = " ".join(marks(one, row))
            value = facts.estimate(one, row.kind, row.thresholds)
            yield Cell(value, one.value, "; ".join(filter(None, said)), kind=row.kind, notes=shown)

    rows = [tuple(cells(row)) for row in table.rows]
    fine = any(facts.is_fine(one, row.kind, row.thresholds) for row in table.rows for one in row.estimates)
    explained = {
        OUTSIDE_MARK: outside_text(_),
        THRESHOLD_MARK: _(
            "The interval holds or touches a threshold (edge of a band, 0, margin): on which side the true value lies "
            "is open."
        ),
    }
    return Table(
        table.key,
        table.caption,
        (table.row_head or _("Figure"), *(_headed(*column, _) for column in zip(table.columns, usual, strict=True))),
        rows,
        remarks=[(mark, explained[mark]) for mark, found in marked.items() if found]
        + ([("", facts.rounding)] if fine else [])
        + [("", note_text(note, _)) for note in order if note in everywhere]
        + [(letters[note], note_text(note, _)) for note in single],
    )


def _holds(interval: tuple[float, float], threshold: float) -> bool:
    return interval[0] - NOISE <= threshold <= interval[1] + NOISE


def _usual(column: Iterable[Estimate | None]) -> int | None:
    """Return the number of items that stands behind more than half of a column's figures; None where none does."""
    counts = Counter(one.n for one in column if one is not None)
    n, times = counts.most_common(1)[0] if counts else (0, 0)
    return n if 2 * times > counts.total() else None


def _headed(name: str, n: int | None, _: Language) -> str:
    """Return the name of a column or row with the number of items behind its figures."""
    if n is None:
        return name
    return _("{name} (n = {n})", name=name, n=_.number(n, 0)).replace(" = ", "\u00a0=\u00a0")


def _counted(one: Estimate, kind: str, facts: Facts, most: int | None) -> str:
    """Return what stands behind a figure: the items of a small share, its own n where it is not said elsewhere."""
    _, count = facts._, None if one.value is None else one.value * one.n
    if (
        kind == "share"
        and count is not None
        and one.n < FEW_ITEMS
        and abs(count - round(count)) < NOISE * max(1, one.n)
    ):
        return _("{count} of {n}", count=_.number(round(count), 0), n=_.number(one.n, 0)).replace(" ", "\u00a0")
    return _("n = {n}", n=_.number(one.n, 0)).replace(" ", "\u00a0") if one.n != most else ""


def heat(share: float) -> int:
    """Return the shade for a share between 0 and 1; anything above 0 is seen."""
    return 0 if share <= 0 else min(HEAT_STEPS, 1 + int(share * HEAT_STEPS))
