"""Texts as sets of words: how much two of them share, and how much a set of them varies. No model is needed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import combinations

from toolkit.texts import plain_key

# scripts that put no space between words: each character counts as one
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*|[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+")


def words(text: str) -> frozenset[str]:
    """Return the different words of a text, without case and punctuation; a number is one word.

    >>> sorted(words("It is 1,5 km. IT IS!"))
    ['1,5', 'is', 'it', 'km']
    """
    return frozenset(_WORD.findall(plain_key(text)))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of words that two sets have in common; 1 for two empty ones, which are the same.

    Jaccard (1912, New Phytologist 11:37-50).

    >>> jaccard(frozenset("abc"), frozenset("bcd"))
    0.5
    """
    either = first | second
    return len(first & second) / len(either) if either else 1.0


def response_variance(texts: Sequence[str]) -> float:
    """Return the mean Jaccard distance between the texts of a set: 0 where all have the same words, 1 for none shared.

    Args:
        texts: Two or more.

    Distances 0, 2/3 and 2/3:

    >>> round(response_variance(["a b", "a b", "a c"]), 4)
    0.4444
    """
    sets = [words(text) for text in texts]
    distances = [1 - jaccard(a, b) for a, b in combinations(sets, 2)]
    return math.fsum(distances) / len(distances)
