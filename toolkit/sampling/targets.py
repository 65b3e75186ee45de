"""A given number of records for each stratum, from a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolkit.errors import refuse
from toolkit.sampling import MOST_WANTED
from toolkit.sampling.columns import MISSING
from toolkit.tables import BAD, is_blank, read_table

# enough of a number to see that it is too large
DIGITS = 20


def read_targets(path: Path, by: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Return how many records to take from each stratum: a table with the stratifying columns and `n`.

    A blank cell means records without a value.

    Raises:
        ToolkitError: When a column is missing, a number is none, or a stratum is there twice.
    """
    table = read_table(path, wanted=[*(frozenset((name,)) for name in by), frozenset(("n",))])
    columns = [table.column(name) or name for name in by]
    number = table.column("n") or "n"
    found: dict[tuple[str, ...], int] = {}
    problems = []
    for row in table.rows:
        values = [row.values.get(column) for column in columns]
        key = tuple(MISSING if is_blank(value) or value is BAD else str(value).strip() for value in values)
        raw = row.values.get(number)
        text = str(raw).strip().removesuffix(".0")
        if not text.isdecimal() or isinstance(raw, bool):
            fix = "write how many records to take, 0 or more"
            problems.append(table.problem("n is no whole number", fix, row=row, column=number, value=raw))
        elif int(text[:DIGITS]) > MOST_WANTED:
            fix = f"write {MOST_WANTED} or less"
            problems.append(table.problem("n is more than a sample holds", fix, row=row, column=number, value=raw))
        elif key in found:
            problems.append(table.problem(f"the stratum {' / '.join(key)} is there twice", "keep one", row=row))
        else:
            found[key] = int(text)
    refuse(problems)
    return found
