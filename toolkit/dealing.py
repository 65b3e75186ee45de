"""Dealing out items to annotators as evenly as the numbers allow: by turns first, then by swaps.

Everything is in matrices of whole numbers as floating point, so exact; products of such matrices are far faster than
those of a type for whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def nobody(size: int) -> Array:
    """Return how many items annotators share who have none yet."""
    return np.zeros((size, size))


def deal(size: int, lots: Sequence[Sequence[str]], here: Array, everywhere: Array) -> Array:
    """Deal out some items, and count them into what annotators share.

    Args:
        size: How many annotators score an item.
        lots: For each item (row) and annotator a text of its own, which decides where all else is equal.
        here: How many items any two annotators share in the dimension so far, and each has on the diagonal; changed.
        everywhere: The same over all dimensions; changed.

    Returns:
        1 where an annotator (column) scores an item (row), else 0.
    """
    ranks = np.array(lots).argsort().argsort()
    teams = _balanced(_teams(here, everywhere, size, ranks), here, everywhere)
    for shared in (here, everywhere):
        shared += teams.T @ teams
    return teams


def _teams(here: Array, everywhere: Array, size: int, lots: NDArray[np.int_]) -> Array:
    """Choose who scores each item: who has least to do, of these who has met the others least, then by lot.

    Args:
        here: How many items any two annotators share in the dimension so far, and each has on the diagonal.
        everywhere: The same over all dimensions.
        size: How many annotators score an item.
        lots: A rank for each item (row) and annotator, which decides where all else is equal.

    Returns:
        1 where an annotator (column) scores an item (row), else 0.
    """
    here, everywhere, teams = here.copy(), everywhere.copy(), np.zeros(lots.shape)
    for team, lot in zip(teams, lots, strict=True):
        met = np.zeros(len(lot))
        for _chosen in range(size):
            place = np.lexsort((lot, met, everywhere.diagonal(), here.diagonal(), team))[0]
            team[place] = 1
            met += here[place] + everywhere[place]
        for shared in (here, everywhere):
            shared += np.outer(team, team)
    return teams


def _balanced(teams: Array, here: Array, everywhere: Array) -> Array:
    """Let two annotators swap an item each for as long as that brings the numbers of the pairs closer together.

    What goes down with every swap is the sum of the squares of these numbers, in the dimension and over all. Nobody
    gets more or fewer items by it.

    Args:
        teams: Who scores each item, from `_teams`.
        here: How many items any two annotators share in the dimension, without these.
        everywhere: The same over all dimensions.
    """
    both = [shared + teams.T @ teams for shared in (here, everywhere)]
    if all(_even(shared) for shared in both):
        return teams
    swaps = _Swaps(teams, both[0] + both[1])
    better = True
    while better:
        better = False
        for one in range(len(here)):
            after = one
            while (found := swaps.find(one, after + 1)) is not None:
                swaps.make(one, *found)
                after, better = found[0], True
    return swaps.homes.T


class _Swaps:
    """What two annotators can swap.

    Attributes:
        homes: 1 where an annotator (row) scores an item (column), else 0.
    """

    def __init__(self, teams: Array, shared: Array):
        self.homes = teams.T.copy()
        self._pairs = shared - np.diag(shared.diagonal())
        # how often the people of an item (column) meet each annotator (row), and how many of them score another item
        self._met, self._alike = self._pairs @ self.homes, teams @ teams.T
        self._part()

    def _part(self) -> None:
        # the same apart: of those who score the item, and of those who do not
        there = self.homes > 0
        self._inside, self._outside = np.where(there, self._met, -np.inf), np.where(there, np.inf, self._met)

    def find(self, one: int, start: int) -> tuple[int, int, int] | None:
        """Return the first annotator from `start` on with whom a swap is worth it, the item given and the one taken."""
        mine, others = self.homes[one].nonzero()[0], (self.homes[one] == 0).nonzero()[0]
        if start == len(self.homes) or not mine.size or not others.size:
            return None
        # half the change of the sum of squares: met less often there, more often here
        given = self._outside[start:, mine] - self._met[one, mine]
        taken = self._met[one, others] - self._inside[start:, others]
        first, second, every = given.argmin(axis=1), taken.argmin(axis=1), np.arange(len(given))
        # whoever scores both items meets the same two people after the swap as before it
        alike = self._alike[0, 0] - 1 - self._alike[mine[first], others[second]]
        change = given[every, first] + taken[every, second] - 2 * self._pairs[one, start:] + 4 * alike
        worth = (change < 0).nonzero()[0]
        if not worth.size:
            return None
        place = worth[0]
        return start + int(place), int(mine[first[place]]), int(others[second[place]])

    def make(self, one: int, two: int, given: int, taken: int) -> None:
        """Let two annotators swap an item each."""
        for item, old, new in ((given, one, two), (taken, two, one)):
            team = self.homes[:, item]
            team[old] = 0
            self._met[:, item] -= self._pairs[old]
            # a pair's number counts twice: in the dimension, and over all
            for place, by in ((old, -2), (new, 2)):
                self._pairs[place] += by * team
                self._pairs[:, place] += by * team
                self._met[place] += by * (team @ self.homes)
                self._met += np.outer(by * team, self.homes[place])
            team[new] = 1
            self._met[:, item] += self._pairs[new]
            self._alike[item] = self._alike[:, item] = team @ self.homes
        self._part()


def _even(shared: Array) -> bool:
    """Return whether the numbers of all pairs differ by one at most."""
    counts = shared[np.triu_indices(len(shared), 1)]
    return bool(counts.max(initial=0) - counts.min(initial=np.inf) <= 1)
