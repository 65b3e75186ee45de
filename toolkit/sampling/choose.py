"""From candidates to chosen records: each cell in hash order, nothing twice, and prompts that are alike only once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.sampling.query import Candidate
from toolkit.sampling.strata import Cell, Stratum
from toolkit.texts import composed

PERMUTATIONS = 128
SHINGLE = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Pick:
    """A chosen record with the cell it stands for.

    Attributes:
        probability: Of being chosen: records taken from the cell over records in it.
    """

    candidate: Candidate
    cell: Cell
    probability: float


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Attributes:
        picks: By stratum, in hash order within a cell.
        alike: Candidates passed over because their prompt is a near-duplicate of one chosen, or of one to leave out.
        repeated: Keys that the log has more than once among the candidates looked at.
    """

    picks: tuple[Pick, ...]
    alike: tuple[Candidate, ...]
    repeated: tuple[tuple[str, str | None], ...]


def choose(
    strata: Sequence[Stratum],
    prompts: Mapping[tuple[str, str | None], str] | None = None,
    *,
    similarity: float = 0.8,
    left_out: Iterable[str] = (),
) -> Choice:
    """Choose the records of a sample.

    Args:
        strata: From `toolkit.sampling.strata.build`.
        prompts: Prompt of each candidate, where prompts must not be alike; None where they may.
        similarity: From which Jaccard similarity of their word triples two prompts count as alike.
        left_out: Prompts that no chosen one may be like (few-shot examples, calibration items).
    """
    known = None if prompts is None else Prompts(similarity)
    for text in left_out if known is not None else ():
        known.add(text)  # type: ignore[union-attr]
    picks: list[Pick] = []
    alike: list[Candidate] = []
    repeated: dict[tuple[str, str | None], None] = {}
    for stratum in strata:
        for cell in stratum.cells:
            taken: list[Candidate] = []
            seen: set[tuple[str, str | None]] = set()
            for candidate in cell.candidates:
                if candidate.key in seen:
                    repeated[candidate.key] = None
                    continue
                seen.add(candidate.key)
                if len(taken) == cell.wanted:
                    continue
                if known is not None and not known.admit((prompts or {}).get(candidate.key, "")):
                    alike.append(candidate)
                    continue
                taken.append(candidate)
            picks += [Pick(candidate, cell, len(taken) / cell.size) for candidate in taken]
    return Choice(tuple(picks), tuple(alike), tuple(repeated))


class Prompts:
    """Prompts seen so far, for asking whether another one is like one of them.

    MinHash signatures (Broder 1997, On the resemblance and containment of documents) find the few that may be alike,
    by locality-sensitive hashing; the similarity itself is then computed exactly.
    """

    def __init__(self, similarity: float):
        from datasketch import MinHashLSH

        self.similarity = similarity
        # a lower threshold than asked for: the exact comparison follows, and misses are what must not happen
        self._index = MinHashLSH(threshold=max(0.1, similarity - 0.25), num_perm=PERMUTATIONS)
        self._shingles: list[frozenset[str]] = []

    def admit(self, prompt: str) -> bool:
        """Add a prompt unless it is like one that is there; return whether it was added. A blank one always is."""
        return not prompt.strip() or self.add(prompt, unless_alike=True)

    def add(self, prompt: str, *, unless_alike: bool = False) -> bool:
        """Add a prompt; return whether it was added."""
        words = shingles(prompt)
        signature = _signature(words)
        if unless_alike and any(
            jaccard(words, self._shingles[place]) >= self.similarity for place in self._index.query(signature)
        ):
            return False
        self._index.insert(len(self._shingles), signature)
        self._shingles.append(words)
        return True


def shingles(text: str) -> frozenset[str]:
    """Return the word triples of a text (shorter texts: all of it), without case, accents' spelling and punctuation.

    >>> sorted(shingles("What is the LAW?"))
    ['is the law', 'what is the']
    """
    words = _WORD.findall(composed(text, "NFKC").casefold())
    if len(words) <= SHINGLE:
        return frozenset((" ".join(words) or text,))
    return frozenset(" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1))


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the share of what two sets have in common.

    >>> jaccard(frozenset("abc"), frozenset("bcd"))
    0.5
    """
    return len(a & b) / len(a | b)


def _signature(words: frozenset[str]) -> Any:
    from datasketch import MinHash

    signature = MinHash(num_perm=PERMUTATIONS, seed=1)
    signature.update_batch([word.encode("utf-8", "surrogatepass") for word in sorted(words)])
    return signature
