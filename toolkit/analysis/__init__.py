"""From scores to every result a report shows: over all items, for each dimension, and under each sensitivity."""

from toolkit.analysis.blocks import JUDGE_DIFFERENCE, Block, Blocks, Estimates, Pair, compute_blocks, far_apart
from toolkit.analysis.detail import JudgeDetail, judges_compared
from toolkit.analysis.panel import REPLICATES, Options, Panel
from toolkit.analysis.run import Analysis, analyse, copied_people, copies
from toolkit.analysis.usage import JudgeUsage

__all__ = [
    "JUDGE_DIFFERENCE",
    "REPLICATES",
    "Analysis",
    "Block",
    "Blocks",
    "Estimates",
    "JudgeDetail",
    "JudgeUsage",
    "Options",
    "Pair",
    "Panel",
    "analyse",
    "compute_blocks",
    "copied_people",
    "copies",
    "far_apart",
    "judges_compared",
]
