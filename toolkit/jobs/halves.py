"""The sealed half of a golden set: a split that follows from the items alone, and a record of every look at it.

A prompt is tuned on one half, as often as one likes; the other one says what came of it. Every look at that one is
written down in a small file beside the golden set, which belongs under version control with it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, ValidationError

from toolkit.errors import Problem, ToolkitError
from toolkit.files import canonical_json, pretty_json, sha256, write_atomically
from toolkit.model import Frozen, SourceItem

Half = Literal["tuning", "test"]
TUNING: Half = "tuning"
TEST: Half = "test"
Key = tuple[str, str]


class Use(Frozen):
    """One look at the test half.

    Attributes:
        date: The day.
        judge: What the judge was called.
        prompt: Fingerprint of its prompts; None where the judged records do not tell.
        scores: Fingerprint of the scores it gave.
    """

    date: str
    judge: str
    prompt: str | None
    scores: str


class Halves(Frozen):
    """The content of the file: which items are in which half, and the looks at the test half."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: Literal[1] = Field(default=1, alias="schema")
    tuning: tuple[Key, ...] = ()
    test: tuple[Key, ...] = ()
    uses: tuple[Use, ...] = ()

    def keys(self, half: Half) -> frozenset[Key]:
        """Return the items of a half."""
        return frozenset(self.test if half == TEST else self.tuning)

    def to_json(self) -> bytes:
        """Return the file's content."""
        return pretty_json(self.model_dump(mode="json", by_alias=True))


def halves_file(golden: Path) -> Path:
    """Return where the halves of a golden set are written down.

    >>> halves_file(Path("report/golden_set.json")).name
    'golden_set.halves.json'
    """
    return golden.with_name(f"{golden.stem}.halves.json")


def read_halves(path: Path) -> Halves | None:
    """Return the halves in a file; None when there is no file.

    Raises:
        ToolkitError: When it cannot be read as one.
    """
    try:
        return Halves.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        what = "cannot be read as the halves of a golden set"
        fix = "restore it; without it nobody knows how often the test half was looked at"
        raise ToolkitError(Problem(what, fix, path)) from error


def split(items: Iterable[SourceItem], known: Halves | None) -> Halves:
    """Return the halves with every item in one of them; an item that is in one already stays there.

    Items that share a prompt (a cluster) stay together, because who has seen one has seen much of the other. Clusters
    come in the order of their hashes, and each goes to the half that has fewer items of its dimension.
    """
    known = known or Halves()
    place: dict[Key, Half] = {**dict.fromkeys(known.tuning, TUNING), **dict.fromkeys(known.test, TEST)}
    clusters: dict[str, list[SourceItem]] = {}
    for item in items:
        clusters.setdefault(item.cluster or item.prompt or item.item_id, []).append(item)
    filled: Counter[tuple[str, Half]] = Counter((dimension, half) for (_, dimension), half in place.items())
    added: dict[Half, list[Key]] = {TUNING: [], TEST: []}
    for cluster in sorted(clusters, key=lambda name: (sha256(name), name)):
        members = sorted(item.key for item in clusters[cluster])
        new = [key for key in members if key not in place]
        if not new:
            continue
        dimension = members[0][1]
        half = next((place[key] for key in members if key in place), None)
        if half is None:
            half = TEST if filled[dimension, TEST] < filled[dimension, TUNING] else TUNING
        for key in new:
            place[key] = half
            added[half].append(key)
            filled[key[1], half] += 1
    return known.model_copy(
        update={half: (*getattr(known, half), *sorted(keys)) for half, keys in added.items() if keys}
    )


def looked(halves: Halves, use: Use) -> tuple[Halves, list[str]]:
    """Return the halves with one more look at the test half, and what is to be said of it."""
    before = halves.uses
    said = [f"the test half of this golden set has now been looked at {len(before) + 1} times"] if before else []
    changed = bool(before) and use.prompt is not None and any(one.prompt not in (None, use.prompt) for one in before)
    if changed:
        said.append(
            "the prompt is another one than at an earlier look: a prompt that was changed after a look at the test "
            "half has been tuned on it, and the figures flatter the judge; take new items for an honest answer"
        )
    elif _unclear(before, use):
        said.append(
            "the scores are others than at an earlier look, and the judged records do not tell whether the prompt is "
            "the same; if it was changed after that look, it has been tuned on the test half"
        )
    return halves.model_copy(update={"uses": (*before, use)}), said


def _unclear(before: Sequence[Use], use: Use) -> bool:
    return any(one.scores != use.scores and None in (one.prompt, use.prompt) for one in before)


def write_halves(path: Path, halves: Halves) -> None:
    """Write the halves down.

    Raises:
        ToolkitError: When the folder cannot be written to.
    """
    write_atomically(path, halves.to_json())


def fingerprint(content: object) -> str:
    """Return a short hash of something that JSON can hold."""
    return sha256(canonical_json(content))[:16]
