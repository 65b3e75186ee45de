"""metrics.json: every number, for programs. Its shape is part of the contract (design.md, section 6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolkit.analysis import Analysis, Block, Blocks, Estimates
from toolkit.files import code_version, pretty_json
from toolkit.report.sayings import metrics_note
from toolkit.report.story import Story
from toolkit.stats import Estimate

SCHEMA = 1


def render_metrics(story: Story) -> bytes:
    """Return metrics.json as strict JSON in UTF-8."""
    analysis = story.analysis
    consensus = analysis.consensus
    content = {
        "schema": SCHEMA,
        "mode": str(consensus.mode),
        "annotators": list(analysis.panel.annotators),
        "n_items": len(analysis.panel.items),
        **_blocks(analysis, analysis.headline),
        "sensitivity": {name: _blocks(analysis, blocks) for name, blocks in analysis.sensitivity.items()},
        "flagged": _names(analysis, analysis.rows(consensus.flagged)),
        "judge_disagreements": _names(analysis, analysis.headline.judge_disagreements),
        "incomplete": _names(analysis, analysis.rows(~consensus.complete)),
        "pending_discussion": _names(analysis, analysis.rows(consensus.pending)),
        "excluded": _names(analysis, analysis.rows(consensus.excluded)),
        "left_out_annotators": dict(story.left_out),
        "headline_judge": None if analysis.judge_held else analysis.judge,
        "judge_held": analysis.judge_held,
        "judge_seen_before_discussion": story.judge_seen_first,
        "repairs": len(story.repairs),
        "seal_moved": list(story.moved),
        "scale": list(analysis.panel.scale.values),
        "seed": analysis.options.seed,
        "replicates": analysis.options.replicates,
        "study_id": story.study.study_id if story.study else None,
        "files": {what: {"name": name, "sha256": digest} for what, (name, digest) in story.files.items()},
        "version": code_version(),
        "warnings": list(story.warnings),
    }
    return pretty_json(content)


def metric(estimate: Estimate) -> dict[str, Any]:
    """Return one number as metrics.json has it: value, interval, n, and why it is undefined or fragile."""
    return {
        "value": estimate.value,
        "ci95": list(estimate.ci95) if estimate.ci95 else None,
        "n": estimate.n,
        "note": metrics_note(estimate),
    }


def _metrics(estimates: Estimates) -> dict[str, Any]:
    return {key: metric(estimate) for key, estimate in estimates.items()}


def _blocks(analysis: Analysis, blocks: Blocks) -> dict[str, Any]:
    found: dict[str, Any] = {
        "overall": _block(analysis, blocks.overall),
        "by_dimension": {key: _block(analysis, block) for key, block in blocks.by_dimension.items()},
    }
    if blocks is not analysis.headline:
        found["judge_disagreements"] = _names(analysis, blocks.judge_disagreements)
    return found


def _block(analysis: Analysis, block: Block) -> dict[str, Any]:
    judges = {
        name: _metrics(estimates) | {"confusion_matrix": block.confusion[name].tolist()}
        for name, estimates in block.judges.items()
    }
    found: dict[str, Any] = {
        "n": block.n,
        "human_human": {
            "pairs": {"|".join(pair): _metrics(estimates) for pair, estimates in block.pairs.items()},
            **_metrics(block.people),
        },
        "judge_human": judges.get(analysis.judge or ""),
        "judges": judges,
    }
    if block.within_pairs:
        within = {name: _metrics(estimates) for name, estimates in block.within_judges.items()}
        found["within_dimension"] = {
            "human_human": {
                "pairs": {"|".join(pair): _metrics(estimates) for pair, estimates in block.within_pairs.items()},
                **_metrics(block.within_people),
            },
            "judge_human": within.get(analysis.judge or ""),
            "judges": within,
        }
    return found


def _names(analysis: Analysis, rows: Iterable[int]) -> list[str]:
    names = analysis.panel.names
    return [names[row] for row in rows]
