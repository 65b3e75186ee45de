"""The metrics of one item: which of its texts are compared with which."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from toolkit.metrics.embedding import Embedder, Encoded
from toolkit.metrics.similarity import bert_score, pairwise_similarity
from toolkit.metrics.words import response_variance
from toolkit.model import SourceItem

Metric = Literal["bertscore", "consistency", "variance"]
METRICS: tuple[Metric, ...] = ("bertscore", "consistency", "variance")
NEED_A_MODEL: tuple[Metric, ...] = ("bertscore", "consistency")
FIELDS: dict[Metric, tuple[str, ...]] = {
    "bertscore": ("metric_bertscore_precision", "metric_bertscore_recall", "metric_bertscore_f1"),
    "consistency": ("metric_consistency", "metric_consistency_lowest"),
    "variance": ("metric_variance",),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one item.

    Attributes:
        fields: The record's new fields; a metric that the item has no texts for is None.
        cut: Texts that are longer than the model reads.
    """

    fields: dict[str, float | None] = field(default_factory=dict)
    cut: int = 0


def measure(item: SourceItem, wanted: Collection[Metric], embedder: Embedder | None) -> Measured:
    """Return an item's metrics.

    - BERTScore: each answer against the reference (`ground_truth`, or the `original_response` of a robustness item);
      the mean over the answers of a set.
    - Consistency: the cosine of every pair of the set's texts, their mean and the lowest; variance: the mean Jaccard
      distance of the same pairs. The set is the answers, with the original answer where there is one.

    Args:
        item: The item.
        wanted: Which metrics.
        embedder: The model; None where no wanted metric needs one.
    """
    answers = [response.response for response in item.responses]
    together = [*([item.original_response] if item.original_response else []), *answers]
    reference = item.ground_truth or item.original_response
    fields: dict[str, float | None] = {name: None for metric in METRICS if metric in wanted for name in FIELDS[metric]}
    seen: dict[str, Encoded] = {}

    def encoded(text: str) -> Encoded:
        assert embedder is not None
        return seen.setdefault(text, embedder.encode(text)) if text not in seen else seen[text]

    if "bertscore" in wanted and reference:
        scores = [bert_score(encoded(answer), encoded(reference)) for answer in answers]
        means = [math.fsum(values) / len(scores) for values in zip(*scores, strict=True)]
        fields |= dict(zip(FIELDS["bertscore"], means, strict=True))
    if "consistency" in wanted and len(together) > 1:
        similar = pairwise_similarity([encoded(text) for text in together])
        fields |= {"metric_consistency": math.fsum(similar) / len(similar), "metric_consistency_lowest": min(similar)}
    if "variance" in wanted and len(together) > 1:
        fields["metric_variance"] = response_variance(together)
    return Measured(fields, sum(text.cut for text in seen.values()))
