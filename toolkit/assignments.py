"""Who scores which items, where not everybody scores all of them: balanced, and drawn from the seed.

A balanced incomplete block design, as nearly as the numbers allow: in each dimension every annotator gets the same
number of items, or one more, and every pair of annotators shares nearly the same number, so that the agreement of each
pair can be computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
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
    if not 1 <= overlap <= len(annotators):
        raise ValueError(f"an overlap of {overlap} is not from 1 to {len(annotators)}")
    groups: dict[str, list[Slot]] = {}
    for item in sorted(items, key=lambda item: (item.dimension, _digest(seed, item))):
        groups.setdefault(item.dimension, []).append(item)
    # the first of each dimension, then the second of each...
    in_turn = sorted((place, slot) for group in groups.values() for place, slot in enumerate(group))
    for_all = {slot.code for _place, slot in in_turn[:common]}
    found: list[set[str]] = [set(for_all) for _name in annotators]
    everywhere = _Tally(len(annotators))
    for group in groups.values():
        tallies = (_Tally(len(annotators)), everywhere)
        # of a stratum everybody gets a share
        left = sorted((slot for slot in group if slot.code not in for_all), key=lambda slot: slot.stratum)
        for start in range(0, len(left), DEAL):
            part = left[start : start + DEAL]
            teams = [_team(tallies, overlap, [_digest(seed, slot, name) for name in annotators]) for slot in part]
            _balance(teams, tallies)
            for slot, team in zip(part, teams, strict=True):
                for place in team:
                    found[place].add(slot.code)
    return {name: frozenset(codes) for name, codes in zip(annotators, found, strict=True)}


class _Tally:
    """How often each annotator, and each pair of them, was chosen so far."""

    def __init__(self, size: int):
        self.load = [0] * size
        self.pairs = [[0] * size for _place in range(size)]

    def add(self, team: AbstractSet[int]) -> None:
        """Count a team."""
        for place in team:
            self.load[place] += 1
        for one, two in combinations(team, 2):
            self.pairs[one][two] += 1
            self.pairs[two][one] += 1

    def meet(self, others: AbstractSet[int], place: int, by: int) -> None:
        """Count, or discount, the pairs of an annotator with others."""
        for other in others:
            self.pairs[place][other] += by
            self.pairs[other][place] += by

    def even(self) -> bool:
        """Return whether the numbers of all pairs differ by one at most."""
        counts = [count for place, row in enumerate(self.pairs) for count in row[:place]]
        return max(counts) - min(counts) <= 1


_Tallies = tuple[_Tally, _Tally]


def _team(tallies: _Tallies, size: int, ranks: Sequence[str]) -> set[int]:
    """Choose who scores an item: who has least to do, of these who has met the others least, then by lot."""
    here, everywhere = tallies
    team: set[int] = set()
    met = [0] * len(ranks)
    for _chosen in range(size):
        place = min(
            (place for place in range(len(ranks)) if place not in team),
            key=lambda place: (here.load[place], everywhere.load[place], met[place], ranks[place]),
        )
        team.add(place)
        for tally in tallies:
            met = [count + more for count, more in zip(met, tally.pairs[place], strict=True)]
    for tally in tallies:
        tally.add(team)
    return team


def _balance(teams: Sequence[set[int]], tallies: _Tallies) -> None:
    """Let two annotators swap an item each for as long as that brings the numbers of the pairs closer together.

    What goes down with every swap is the sum of the squares of these numbers, in the dimension and over all. Nobody
    gets more or fewer items by it.
    """
    homes: list[set[int]] = [set() for _place in tallies[0].load]
    for number, team in enumerate(teams):
        for place in team:
            homes[place].add(number)

    def best(old: int, new: int) -> tuple[int, int]:
        """Return where someone is best replaced by someone else: half the change of the sum, and the team."""
        return min(
            (sum(tally.pairs[new][other] - tally.pairs[old][other] + 1
                 for other in teams[number] if other != old for tally in tallies), number)
            for number in homes[old] - homes[new]
        )  # fmt: skip

    better = not all(tally.even() for tally in tallies)
    while better:
        better = False
        for one, two in combinations(range(len(homes)), 2):
            if not homes[one] - homes[two] or not homes[two] - homes[one]:
                continue
            (gain, first), (other_gain, second) = best(one, two), best(two, one)
            # whoever is in both teams meets the same two people after the swap as before it
            if gain + other_gain - 4 * len(teams[first] & teams[second]) < 0:
                for number, old, new in ((first, one, two), (second, two, one)):
                    _replace(teams[number], old, new, tallies)
                    homes[old].remove(number)
                    homes[new].add(number)
                better = True


def _replace(team: set[int], old: int, new: int, tallies: _Tallies) -> None:
    team.remove(old)
    for tally in tallies:
        tally.meet(team, old, -1)
        tally.meet(team, new, 1)
    team.add(new)


def _digest(seed: int, slot: Slot, name: str = "") -> str:
    return sha256(canonical_json([seed, slot.dimension, slot.code, name]))
