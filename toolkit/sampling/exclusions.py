"""Records that must not be chosen: what the judge was calibrated on, or saw as examples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import Problem, ToolkitError
from toolkit.tables import BAD, read_table
from toolkit.tables.fields import ALIASES, as_identifier


@dataclass(frozen=True)
class Exclusions:
    """What is left out: keys (item_id, dimension or None for every dimension), and prompts whatever their key."""

    keys: frozenset[tuple[str, str | None]] = frozenset()
    prompts: frozenset[str] = frozenset()

    def __or__(self, other: Exclusions) -> Exclusions:
        return Exclusions(self.keys | other.keys, self.prompts | other.prompts)


def read_exclusions(path: Path) -> Exclusions:
    """Return what a file says to leave out: a table or records with item_id (and dimension), or prompt, or both.

    Raises:
        ToolkitError: When it has neither, or cannot be read.
    """
    table = read_table(path)
    item_id = table.column("item_id", *ALIASES["item_id"])
    dimension, prompt = table.column("dimension"), table.column("prompt")
    if item_id is None and prompt is None:
        what = "has neither item_id nor prompt: it cannot say what to leave out"
        raise ToolkitError(Problem(what, "give it one of these columns", path))
    keys, prompts, problems = set(), set(), []
    for row in table.rows:
        cells = {name: row.values.get(name or "") for name in (item_id, dimension, prompt)}
        if item_id is not None and cells[item_id] not in (None, BAD):
            try:
                of = cells[dimension] if dimension is not None else None
                keys.add((as_identifier(cells[item_id]), None if of is None else str(of).strip()))
            except ValueError as error:
                problems.append(table.problem(f"item_id {error}", "write it as text", row=row, value=cells[item_id]))
        if isinstance(text := cells.get(prompt), str) and text.strip(" "):
            prompts.add(text.strip(" "))
    if problems:
        raise ToolkitError(problems)
    return Exclusions(frozenset(keys), frozenset(prompts))
