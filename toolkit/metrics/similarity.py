"""BERTScore, and how alike the answers of a set are: arithmetic on vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from toolkit.metrics.embedding import Encoded


class BertScore(NamedTuple):
    """How much of a candidate is found in a reference, of the reference in the candidate, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def bert_score(candidate: Encoded, reference: Encoded) -> BertScore:
    """Return BERTScore: each token matched to the most similar one of the other text.

    Zhang, Kishore, Wu, Weinberger & Artzi (2020, International Conference on Learning Representations), with equal
    weights for all tokens (no inverse document frequencies) and without rescaling. As in the authors' code, a model's
    own marks can be matched and do not count, and a text without tokens has 0 everywhere.

    Args:
        candidate: The text to measure.
        reference: The text it is measured by.
    """
    if not candidate.content.any() or not reference.content.any():
        return BertScore(0.0, 0.0, 0.0)
    similar = candidate.tokens @ reference.tokens.T
    precision = float(similar.max(axis=1)[candidate.content].mean())
    recall = float(similar.max(axis=0)[reference.content].mean())
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total else 0.0)


def pairwise_similarity(texts: Sequence[Encoded]) -> list[float]:
    """Return the cosine of every pair of texts, of two or more."""
    return [float(np.clip(a.sentence @ b.sentence, -1.0, 1.0)) for a, b in combinations(texts, 2)]
