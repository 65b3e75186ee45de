"""What a discussion decided, from the workbook consolidate wrote or from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolkit.analysis import Panel
from toolkit.cells.looks import Look
from toolkit.consensus import Discussed, build_consensus
from toolkit.errors import Problem, refuse, shown
from toolkit.files import sha256
from toolkit.model import Rubric
from toolkit.tables import Row, Table, read_table
from toolkit.texts import plain_key
from toolkit.workbook.discussion import (
    CSV_KEYS,
    DECISION,
    NO_TROUBLES,
    NOTES,
    SCORE,
    outcome_of,
    read_discussion,
    sheet_of,
)
from toolkit.workbook.hints import commented
from toolkit.workbook.readers import Limits, Source, holds_key_row, read_book
from toolkit.workbook.readers.raw import STRUCK

TABLE_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Discussion:
    """Outcomes by row of the panel, and where they were read.

    Attributes:
        judge_shown: Whether judge figures were there to be seen when the discussion file was made; None when it does
            not tell.
    """

    outcomes: dict[int, Discussed]
    file: tuple[str, str]
    judge_shown: bool | None
    warnings: tuple[str, ...]


def discuss(path: Path, panel: Panel, rubric: Rubric, study_id: str, limits: Limits) -> Discussion:
    """Return what a discussion file decides about the items of a panel.

    Args:
        path: A discussion workbook in any format, CSV of its sheet included, or a table with item_id (dimension) and
            consensus_after_discussion (decision, consensus_notes).
        panel: The scores it is about.
        rubric: The rubric.
        study_id: The study; empty for ratings collected elsewhere.
        limits: What a workbook may hold.

    Raises:
        ToolkitError: With everything that is wrong in the file.
    """
    found = build_consensus(panel.scores, panel.scale, fewest_scores=1)
    medians = [panel.scale.value(float(median)) for median in found.median]
    source = Source.at(path)
    file = (path.name, sha256(source.data))
    problems: list[Problem] = []
    seen: bool | None = None
    plain = path.suffix.lower() in TABLE_SUFFIXES and not holds_key_row(source.data, CSV_KEYS, limits)
    book = None if plain else read_book(source, limits, csv_keys=CSV_KEYS)
    if book is not None and sheet_of(book) is not None:
        rows = {code: row for row, code in enumerate(panel.codes)}
        talked = read_discussion(
            book,
            study_id=study_id,
            rubric=rubric,
            items={code: panel.items[row].blind(code) for code, row in rows.items()},
            medians={code: medians[row] for code, row in rows.items()},
        )
        outcomes = {rows[code]: outcome for code, outcome in talked.outcomes.items()}
        problems += talked.problems
        seen = talked.judge_shown
    else:
        table = read_table(path, wanted=[frozenset({"item_id", "item_code"}), frozenset({SCORE})], problems=problems)
        outcomes = _from_table(table, panel, rubric, medians, problems, coded=bool(study_id))
    refuse(problems)
    flagged = {int(row) for row in found.flagged.nonzero()[0]}
    extra = [panel.names[row] for row in outcomes if row not in flagged]
    warnings = [f"{path.name}: {name} was discussed although nothing flagged it" for name in extra]
    if book is not None:
        warnings += [*(f"{path.name}: {note}" for note in book.notes), *commented(book)]
    return Discussion(outcomes, file, seen, tuple(warnings))


def _from_table(
    table: Table,
    panel: Panel,
    rubric: Rubric,
    medians: Sequence[float | str | None],
    problems: list[Problem],
    *,
    coded: bool,
) -> dict[int, Discussed]:
    by_id: dict[str, list[int]] = {}
    for number, item in enumerate(panel.items):
        by_id.setdefault(item.item_id, []).append(number)
    by_code = {code: row for row, code in enumerate(panel.codes) if code}
    names = {plain_key(name): name for name in table.header}
    found: dict[int, Discussed] = {}
    for line in table.rows:
        cell = _cells(line, names)
        place = _row_of(cell, by_id, by_code, panel, coded=coded)
        if isinstance(place, str):
            problems.append(Problem(place, "correct the line", table.path, table.sheet, line.place))
            continue
        row = place
        look = line.looks.get(names.get(SCORE, ""), Look())
        outcome = outcome_of(
            cell.get(SCORE),
            str(cell.get(DECISION) or ""),
            str(cell.get(NOTES) or "").strip(),
            rubric=rubric,
            dimension=panel.items[row].dimension,
            median=medians[row],
            troubles={SCORE: STRUCK} if look.struck else NO_TROUBLES,
            display=look.shown,
        )
        if isinstance(outcome, list):
            for key, why in outcome:
                what = f"the decision on item {panel.names[row]} cannot be taken: {why}"
                problems.append(Problem(what, "correct the line", table.path, table.sheet, line.place, cell.get(key)))
        elif outcome is not None:
            if found.get(row, outcome) != outcome:
                what = f"item {panel.names[row]} is there twice, decided differently"
                problems.append(Problem(what, "keep one of the lines", table.path, table.sheet, line.place))
            found[row] = outcome
    return found


def _cells(line: Row, names: Mapping[str, str]) -> dict[str, object]:
    return {key: line.values.get(name) for key, name in names.items()}


def _named(value: object) -> str:
    return "" if value is None else str(value).strip()


def _row_of(
    cell: Mapping[str, object], by_id: Mapping[str, list[int]], by_code: Mapping[str, int], panel: Panel, *, coded: bool
) -> int | str:
    """Return the row a line is about, or in words why there is none: all that names it must name one and the same.

    Args:
        cell: The line's cells by key.
        by_id: The rows of each item_id.
        by_code: The row of each code.
        panel: The panel.
        coded: Whether people know the codes; of ratings collected elsewhere a code may be another's, and says nothing.
    """
    item_id, code, dimension = (_named(cell.get(key)) for key in ("item_id", "item_code", "dimension"))
    rows = by_id.get(item_id, [])
    if code in by_code:
        row = by_code[code]
        item = panel.items[row]
        if item_id and row not in rows:
            said = f"but item_id says {shown(item_id)!r}"
            return f"item_code {shown(code)!r} is that of item {shown(item.item_id)!r}, {said}"
        if dimension and item.dimension != dimension:
            said = f"but dimension says {shown(dimension)!r}"
            return f"item_code {shown(code)!r} is of the dimension {shown(item.dimension)!r}, {said}"
        return row
    if code and (coded or not item_id):
        return f"no item of the study has the code {shown(code)!r}"
    if not rows:
        return f"no item of the study is called {shown(item_id)!r}"
    if dimension:
        rows = [row for row in rows if panel.items[row].dimension == dimension]
        if not rows:
            return f"item {shown(item_id)!r} has no dimension {shown(dimension)!r}"
    if len(rows) > 1:
        return f"item {shown(item_id)!r} has several dimensions; a column dimension must say which is meant"
    return rows[0]
