"""golden_set.json: the consensus in the form of llm-eval, with exactly its fields."""

from __future__ import annotations

from typing import Any

from toolkit.consensus import FLAG_RANGE, Consensus
from toolkit.files import pretty_json
from toolkit.model import SourceItem
from toolkit.report.story import Story

LLM_EVAL_SCORES = 3


def render_golden_set(story: Story) -> bytes:
    """Return the golden set. What llm-eval has no field for is said under `annotation_protocol`, which is free."""
    analysis = story.analysis
    panel, consensus = analysis.panel, analysis.consensus
    value = panel.scale.value
    scenarios, left_out, fractional = [], [], []
    for row, (item, name) in enumerate(zip(panel.items, panel.names, strict=True)):
        score = value(float(consensus.headline[row]))
        if score is None:
            left_out.append(name)
            continue
        if isinstance(score, float):
            fractional.append(name)
        people = []
        for place, annotator in enumerate(panel.annotators):
            given = value(float(panel.scores[row, place]))
            if given is not None:
                entered = panel.annotations.get((row, annotator))
                words = entered.justification if entered else ""
                people.append({"annotator_id": annotator, "score": given, "justification": words})
        scenarios.append(_scenario(item) | {"human_scores": people, "human_consensus_score": score})
    limitations = []
    if consensus.of_two.all():
        limitations.append("two annotators: llm-eval wants three or more scores for each scenario")
    elif few := sum(len(scenario["human_scores"]) < LLM_EVAL_SCORES for scenario in scenarios):
        limitations.append(f"{few} scenarios have two scores: llm-eval wants three or more for each")
    if fractional:
        limitations.append("llm-eval wants a whole-number consensus; the true value is kept where it is a half point")
    if not story.texts:
        limitations.append("prompts and answers were left out (--no-texts): a judge cannot be run on these scenarios")
    if left_out:
        limitations.append("scenarios without a consensus (incomplete, or waiting for a discussion) are left out")
    names = panel.names
    protocol = {
        "mode": str(consensus.mode),
        "rule": _rule(consensus, named=panel.scale.kind == "nominal"),
        "scale": str(panel.scale),
        "annotators": list(panel.annotators),
        "study_id": story.study.study_id if story.study else None,
        "seed": analysis.options.seed,
        "strata": {name: item.stratum for name, item in zip(panel.names, panel.items, strict=True) if item.stratum},
        "clusters": {name: item.cluster for name, item in zip(panel.names, panel.items, strict=True) if item.cluster},
        "limitations": limitations,
        "left_out": left_out,
        "fractional_consensus": fractional,
        "consensus_after_discussion": {
            names[row]: value(float(consensus.revised[row]))
            for row in sorted(panel.discussed)
            if value(float(consensus.revised[row])) is not None
        },
        "excluded": [names[row] for row in analysis.rows(consensus.excluded)],
    }
    version = story.study.study_id if story.study else story.title
    return pretty_json({"version": version, "annotation_protocol": protocol, "scenarios": scenarios})


def _rule(consensus: Consensus, *, named: bool) -> str:
    if named:
        rule = "the commonest of the independent blind answers"
        if not consensus.of_two.any():
            return f"{rule}; answers agreed in a discussion are kept apart"
        return f"{rule}; where an item has two annotators who answer differently, the answer agreed in the discussion"
    if consensus.of_two.all():
        return (
            f"median of two independent blind scores; where they lie {FLAG_RANGE:g} or more apart, "
            "the score agreed in the discussion"
        )
    if consensus.of_two.any():
        return (
            f"median of the independent blind scores; where an item has two annotators whose scores lie "
            f"{FLAG_RANGE:g} or more apart, the score agreed in the discussion; other agreed scores are kept apart"
        )
    return "median of the independent blind scores; scores agreed in a discussion are kept apart"


def _scenario(item: SourceItem) -> dict[str, Any]:
    """Return an item in llm-eval's fields: the first answer is the chatbot's, the others are for comparison."""
    first, *others = [response.response for response in item.responses] or [""]
    variant = item.responses[0] if item.responses else None
    perturbed = variant is not None and (item.original_response is not None or variant.variant_type is not None)
    fields: dict[str, Any] = {
        "id": item.item_id,
        "dimension": item.dimension,
        "prompt": item.prompt,
        "category": item.category,
        "ground_truth": item.ground_truth,
        "chatbot_response": first,
        "comparison_responses": others or None,
        "original_response": item.original_response,
        "variant_type": variant.variant_type if variant and perturbed else None,
        "variant_prompt": variant.prompt if variant and perturbed else None,
    }
    always = ("id", "dimension", "prompt", "chatbot_response")
    return {key: content for key, content in fields.items() if content is not None or key in always}
