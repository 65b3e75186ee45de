"""metrics.json: every number, for programs. Its shape is part of the contract (design.md, section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from toolkit.analysis import Analysis, Block, Blocks, Estimates, JudgeDetail
from toolkit.files import code_version, pretty_json
from toolkit.report import judge_reading
from toolkit.report.facts import Facts, minutes_per_item
from toolkit.report.population import estimates
from toolkit.report.sayings import metrics_note
from toolkit.report.story import Story
from toolkit.report.triaged import figures, waiting
from toolkit.stats import AlternativeTest, Estimate, judge_statistics, pair_statistics, people_statistics

SCHEMA = 1
NO_ORDER = "Undefined: the values of the scale have no order."


def render_metrics(story: Story) -> bytes:
    """Return metrics.json as strict JSON in UTF-8."""
    analysis = story.analysis
    consensus = analysis.consensus
    content = {
        "schema": SCHEMA,
        "mode": str(consensus.mode),
        "annotators": list(analysis.panel.annotators),
        "n_items": len(analysis.panel.items),
        **_headline(analysis),
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
        "closing": {name: dict(answers) for name, answers in story.closing.items()},
        "triage": triage_metrics(Facts(story)),
        "judge_reading": _judge_reading(Facts(story)),
        "population": _population(Facts(story)),
        "scale": list(analysis.panel.scale.values),
        "seed": analysis.options.seed,
        "replicates": analysis.options.replicates,
        "study_id": story.study.study_id if story.study else None,
        "files": {what: {"name": name, "sha256": digest} for what, (name, digest) in story.files.items()},
        "version": code_version(),
        "warnings": list(story.warnings),
    }
    return pretty_json(content)


def _headline(analysis: Analysis) -> dict[str, Any]:
    """Return the main figures, with what only they have: each annotator, and what the judge's scores mean in use."""
    found = _blocks(analysis, analysis.headline)
    overall = found["overall"]
    profiles = plain(analysis.profiles)
    for name, minutes in minutes_per_item(analysis.panel).items():
        profiles.setdefault(name, {})["median_minutes"] = minutes
    overall["human_human"]["per_annotator"] = profiles
    if analysis.usage is not None:
        overall["usage"] = plain(analysis.usage)
    if analysis.best:
        overall["judges_simultaneous"] = _metrics(analysis.best)
    if analysis.compared:
        overall["judge_pairs"] = {"|".join(pair): _metrics(figures) for pair, figures in analysis.compared.items()}
    return found


def plain(value: Any) -> Any:
    """Return a result as JSON holds it: estimates as metrics, records as objects, codes as their words."""
    if isinstance(value, Estimate):
        return metric(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: plain(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(content) for key, content in value.items()}
    if isinstance(value, tuple | list):
        return [plain(content) for content in value]
    return str(value) if isinstance(value, StrEnum) else value


def _detail(analysis: Analysis, detail: JudgeDetail) -> dict[str, Any]:
    """Return a judge beside the people one by one."""
    names = analysis.panel.annotators

    def test(result: AlternativeTest, commonest: AlternativeTest) -> dict[str, Any]:
        return {
            "winning_rate": result.winning_rate,
            "advantage_probability": result.advantage_probability,
            "p_values": dict(zip(names, result.p_values, strict=True)),
            "passed": result.passed,
            "notes": [str(note) for note in result.notes],
            "commonest_score_judge": {
                "winning_rate": commonest.winning_rate,
                "advantage_probability": commonest.advantage_probability,
            },
        }

    return {
        "per_annotator": {name: _metrics(figures) for name, figures in detail.per_annotator.items()},
        "human_ceiling": plain(detail.ceiling),
        "alt_test": {
            f"{epsilon:g}": test(result, detail.alternative_commonest[epsilon])
            for epsilon, result in detail.alternative.items()
        },
    }


def metric(estimate: Estimate) -> dict[str, Any]:
    """Return one number as metrics.json has it: value, interval, n, and why it is undefined or fragile."""
    return {
        "value": estimate.value,
        "ci95": list(estimate.ci95) if estimate.ci95 else None,
        "n": estimate.n,
        "note": metrics_note(estimate),
    }


def _judge_reading(facts: Facts) -> dict[str, Any] | None:
    found = judge_reading.metrics(facts)
    consistency = judge_reading.position_consistency(facts)
    return found and found | {"position_consistency": None if consistency is None else metric(consistency)}


def _population(facts: Facts) -> dict[str, Any] | None:
    found = estimates(facts)
    return None if found is None else found.model_dump(mode="json", by_alias=True, exclude={"schema_", "study_id"})


def triage_metrics(facts: Facts) -> dict[str, Any] | None:
    """Return what was found of the items where the judge is far from people; None where nobody looked."""
    if facts.triage is None:
        return None
    return {
        "items": {facts.names[row]: str(one.fault) for row, one in sorted(facts.triage.items())},
        "notes": {facts.names[row]: one.notes for row, one in sorted(facts.triage.items()) if one.notes},
        "waiting": [facts.names[row] for row in waiting(facts)],
        **_metrics(figures(facts)),
    }


def _metrics(estimates: Estimates, wanted: Iterable[str] = (), n: int = 0) -> dict[str, Any]:
    """Return estimates as metrics; a key that is wanted and not there is undefined, because the scale has no order."""
    found = {key: metric(estimate) for key, estimate in estimates.items()}
    missing = {"value": None, "ci95": None, "n": n, "note": NO_ORDER}
    return found | {key: dict(missing) for key in wanted if key not in found}


def _blocks(analysis: Analysis, blocks: Blocks) -> dict[str, Any]:
    found: dict[str, Any] = {
        "overall": _block(analysis, blocks.overall),
        "by_dimension": {key: _block(analysis, block) for key, block in blocks.by_dimension.items()},
    }
    if blocks is not analysis.headline:
        found["judge_disagreements"] = _names(analysis, blocks.judge_disagreements)
    return found


def _block(analysis: Analysis, block: Block) -> dict[str, Any]:
    codes = analysis.panel.scale.codes
    of_judge, of_pair = judge_statistics("x", "y", codes), pair_statistics("x", "y", codes)
    judges = {
        name: _metrics(estimates, of_judge, block.n)
        | {"confusion_matrix": block.confusion[name].tolist()}
        | (_detail(analysis, block.details[name]) if name in block.details else {})
        for name, estimates in block.judges.items()
    }
    found: dict[str, Any] = {
        "n": block.n,
        "human_human": {
            "pairs": {"|".join(pair): _metrics(figures, of_pair, block.n) for pair, figures in block.pairs.items()},
            **_metrics(block.people, people_statistics(("x", "y"), codes), block.n),
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
