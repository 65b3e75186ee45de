"""Who scores which items, where not everybody scores all of them: balanced, and drawn from the seed.

A balanced incomplete block design, as nearly as the numbers allow: in each dimension every annotator gets the same
number of items, or one more, and every pair of annotators shares nearly the same number, so that the agreement of each
pair can be computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from toolkit.files import canonical_json, sha256

# So many items are dealt out at a time and then balanced; what is left uneven is made up for by the next ones.
DEAL = 60


class Slot(NamedTuple):
    """An item as far as it matters who scores it."""

    code: str
    dimension: str
    stratum: str = ""


@dataclass(frozen=True)
class Design:
    """What an assignment amounts to.

    Attributes:
        items_each: Number of items of each annotator.
        scores_per_item: How many items get how many scores, by that number of scores.
        shared: Number of items that both of a pair score, by pair.
    """

    items_each: dict[str, int]
    scores_per_item: dict[int, int]
    shared: dict[tuple[str, str], int]

    @property
    def partial(self) -> bool:
        """Whether somebody does not score everything."""
        return set(self.scores_per_item) != {len(self.items_each)}


def design_of(assignments: Mapping[str, Iterable[str]]) -> Design:
    """Return what an assignment of item codes to annotators amounts to."""
    own = {name: set(codes) for name, codes in assignments.items()}
    counts: dict[str, int] = {}
    for codes in own.values():
        for code in codes:
            counts[code] = counts.get(code, 0) + 1
    scores = sorted(counts.values())
    return Design(
        items_each={name: len(codes) for name, codes in own.items()},
        scores_per_item={number: scores.count(number) for number in dict.fromkeys(scores)},
        shared={(one, two): len(own[one] & own[two]) for one, two in combinations(own, 2)},
    )


def assign(
    items: Iterable[Slot], annotators: Sequence[str], overlap: int, *, seed: int, common: int = 0
) -> dict[str, frozenset[str]]:
    """Return the codes of the items that each annotator scores.

    It follows from the seed, the items' codes, dimensions and strata and the annotators' names alone; the order of the
    items does not matter.

    Args:
        items: The items, their codes all different.
        annotators: Their names, all different.
        overlap: How many of them score an item; from 1 to all.
        seed: The study's seed.
        common: How many items everybody scores, spread evenly over the dimensions; all, where there are fewer.

    Returns:
        For each annotator, in the order given, the codes of their items. In each dimension and over all, the numbers
        of items of any two annotators differ by one at most.

    Raises:
        ValueError: When the overlap is not from 1 to the number of annotators.

    Example:
        Six items, four annotators, two scores each: everybody gets three, and each of the six pairs shares one.

        >>> found = assign([Slot(f"i{n}", "factual") for n in range(6)], ["A", "B", "C", "D"], 2, seed=1)
        >>> [len(codes) for codes in found.values()]
        [3, 3, 3, 3]
        >>> sorted(design_of(found).shared.values())
        [1, 1, 1, 1, 1, 1]
    """
    from toolkit.dealing import deal, nobody  # brings numpy, which most studies here do without

    if not 1 <= overlap <= len(annotators):
        raise ValueError(f"an overlap of {overlap} is not from 1 to {len(annotators)}")
    groups: dict[str, list[Slot]] = {}
    for item in sorted(items, key=lambda item: (item.dimension, _digest(seed, item))):
        groups.setdefault(item.dimension, []).append(item)
    # the first of each dimension, then the second of each...
    in_turn = sorted((place, slot) for group in groups.values() for place, slot in enumerate(group))
    for_all = {slot.code for _place, slot in in_turn[:common]}
    found: list[set[str]] = [set(for_all) for _name in annotators]
    everywhere = nobody(len(annotators))
    for group in groups.values():
        here = nobody(len(annotators))
        # of a stratum everybody gets a share
        left = sorted((slot for slot in group if slot.code not in for_all), key=lambda slot: slot.stratum)
        for start in range(0, len(left), DEAL):
            part = left[start : start + DEAL]
            lots = [[_digest(seed, slot, name) for name in annotators] for slot in part]
            teams = deal(overlap, lots, here, everywhere)
            for place, codes in enumerate(found):
                codes.update(part[item].code for item in teams[:, place].nonzero()[0])
    return {name: frozenset(codes) for name, codes in zip(annotators, found, strict=True)}


def _digest(seed: int, slot: Slot, name: str = "") -> str:
    return sha256(canonical_json([seed, slot.dimension, slot.code, name]))
