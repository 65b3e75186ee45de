"""A validation for programs: JSON, and JUnit's XML, which CI servers show as tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from toolkit.analysis import REPLICATES, Block, Estimates
from toolkit.errors import Problem, shown
from toolkit.jobs.gates import FAIL, INCONCLUSIVE, Gate
from toolkit.jobs.validation import NEW, Baseline, Validation
from toolkit.report.metrics import metric
from toolkit.stats import Estimate
from toolkit.texts import many

SCHEMA = 1
SUITE = "toolkit validate-judge"
LONGEST = 400
DIFFERENCES = ("kappa_difference", "mae_difference")
HEADLINE = ("kappa_quadratic", "kappa_unweighted", "pearson", "mae", "bias", "exact_agreement")


def as_json(found: Validation, exit_code: int) -> dict[str, Any]:
    """Return what a program wants to know. `items` makes it a table of judge scores: a baseline for the next time."""
    panel, names = found.panel, found.panel.names
    counted, left = found.clamped
    overall = found.blocks.overall
    return {
        "schema": SCHEMA,
        "outcome": found.outcome,
        "exit_code": exit_code,
        "gates": [_gate(gate) for gate in found.gates],
        "judge": found.judge,
        "golden_set": found.golden.path.name,
        "n_items": len(panel.items),
        "half": found.half,
        "test_half_looks": found.looks,
        "left_out": {"without_consensus": list(found.golden.without), "examples": list(found.examples)},
        "overall": _block(overall) | {"within_dimension": _metrics(overall.within_judges.get(NEW, {}))},
        "by_dimension": {name: _block(block) for name, block in found.blocks.by_dimension.items()},
        "high_disagreements": [names[row] for row in found.blocks.judge_disagreements],
        "without_score": found.missing,
        "clamped": {"counted": counted, "left_out": left},
        "cost": _cost(found),
        "baseline": None if found.baseline is None else _baseline(found, found.baseline),
        "seed": found.golden.seed,
        "replicates": REPLICATES,
        "warnings": list(found.warnings),
        "items": _items(found),
    }


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "option": gate.option,
        "figure": gate.figure,
        "threshold": gate.threshold,
        "outcome": gate.outcome,
        "more_items": gate.more_items,
        **metric(gate.estimate),
    }


def _block(block: Block) -> dict[str, Any]:
    return {"n": block.n, **_metrics(block.judges[NEW])}


def _metrics(estimates: Estimates) -> dict[str, Any]:
    return {key: metric(estimate) for key, estimate in estimates.items()}


def _cost(found: Validation) -> dict[str, Any] | None:
    if found.run is None:
        return None
    tally = found.run.session.tally
    return {
        "calls": {"answered": tally.answered, "stored": tally.stored, "failed": tally.failed},
        "tokens": {"input": tally.input_tokens, "output": tally.output_tokens},
        "cost": None if tally.unknown_cost else tally.cost,
        "currency": found.run.currency,
    }


def _baseline(found: Validation, baseline: Baseline) -> dict[str, Any]:
    names, scale = found.panel.names, found.panel.scale
    return {
        "judge": baseline.name,
        "figures": _metrics(baseline.figures),
        "difference": _metrics(baseline.difference),
        "difference_by_dimension": {name: _metrics(one) for name, one in baseline.by_dimension.items()},
        "left_out": [names[row] for row in baseline.left_out],
        "flipped": [
            {
                "item": names[row],
                "from": scale.value(float(baseline.scores[row])),
                "to": scale.value(float(found.scores[row])),
                "human": scale.value(float(found.golden.human[row])),
            }
            for row in baseline.flipped
        ],
    }


def _items(found: Validation) -> list[dict[str, Any]]:
    scale = found.panel.scale
    rows = []
    for row, item in enumerate(found.panel.items):
        said = found.judgements.get(item.key)
        entry: dict[str, Any] = {
            "item_id": item.item_id,
            "dimension": item.dimension,
            "judge": found.judge,
            "score": scale.value(float(found.scores[row])),
            "human_consensus_score": scale.value(float(found.golden.human[row])),
        }
        if said is not None and said.trace is not None:
            told = {"parse_method": said.trace.method, "failure": said.trace.failure, "reason": said.trace.reason}
            entry |= {name: value for name, value in told.items() if value is not None}
        rows.append(entry)
    return rows


def figure(estimate: Estimate) -> str:
    """Return a value with its interval, as a person reads it."""
    if estimate.value is None:
        return "undefined"
    ends = f" ({estimate.ci95[0]:z.2f} to {estimate.ci95[1]:z.2f})" if estimate.ci95 else ""
    return f"{estimate.value:z.2f}{ends}"


def sentence(gate: Gate) -> str:
    """Return what became of a threshold, in words."""
    text, more = f"{gate}: {figure(gate.estimate)}", gate.more_items
    if gate.outcome != INCONCLUSIVE:
        return text
    if more is None:
        return f"{text}; more items alone may not decide it"
    if gate.estimate.ci95 is None:
        return f"{text}; an interval takes {many(more, 'more item')} with a human score at least"
    return f"{text}; about {many(more, 'more item')} with a human score would decide it"


def junit(found: Validation, on_inconclusive: str | None) -> bytes:
    """Return the gates as a JUnit test suite: one test for each, and the figures as properties.

    Args:
        found: What was found.
        on_inconclusive: `pass` or `fail`, where it was said; otherwise an undecided gate is an error, as the exit code
            is neither.
    """
    cases = []
    for gate in found.gates:
        case = ElementTree.Element("testcase", name=_text(gate), classname=_text(f"validate-judge.{gate.option}"))
        if gate.outcome == FAIL:
            _because(case, "failure", gate.outcome, sentence(gate))
        elif gate.outcome == INCONCLUSIVE:
            kind = {"pass": "skipped", "fail": "failure"}.get(on_inconclusive or "", "error")
            _because(case, kind, gate.outcome, sentence(gate))
        cases.append(case)
    properties = {"judge": found.judge, "items": len(found.panel.items)}
    figures = found.blocks.overall.judges[NEW]
    properties |= {key: figure(figures[key]) for key in HEADLINE if key in figures}
    if found.baseline is not None:
        # the agreement of the two judges with each other stands there too, under the names of the figures above
        difference = found.baseline.difference
        properties |= {key: figure(difference[key]) for key in DIFFERENCES if key in difference}
    return _suite(cases, properties)


def junit_of_problems(problems: Iterable[Problem]) -> bytes:
    """Return a test suite that says why nothing could be run."""
    case = ElementTree.Element("testcase", name="could not run", classname="validate-judge")
    _because(case, "error", "could not run", "\n".join(shown(problem, LONGEST) for problem in problems))
    return _suite([case], {})


def _because(case: ElementTree.Element, kind: str, type_: str, message: str) -> None:
    if kind == "skipped":
        ElementTree.SubElement(case, kind, message=_text(message))
        return
    ElementTree.SubElement(case, kind, message=_text(message), type=type_).text = "\n".join(
        map(_text, message.split("\n"))
    )


def _suite(cases: list[ElementTree.Element], properties: dict[str, Any]) -> bytes:
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
    }
    root = ElementTree.Element("testsuites", counts)
    skipped = str(sum(case.find("skipped") is not None for case in cases))
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts, "skipped": skipped})
    if properties:
        listed = ElementTree.SubElement(suite, "properties")
        for name, value in properties.items():
            ElementTree.SubElement(listed, "property", name=name, value=_text(value))
    suite.extend(cases)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _text(value: object) -> str:
    """Return a text that XML can hold: one line, without control characters."""
    return shown(value, LONGEST)
