"""What a report does not hold, and why: never a silent gap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from toolkit.analysis.usage import MOST_GROUPS
from toolkit.consensus import Mode
from toolkit.report.facts import Facts
from toolkit.report.sayings import note_text, saying
from toolkit.stats.results import Estimate

FEW_FOR_INTERVAL = 10


def not_computed(facts: Facts) -> list[tuple[str, str]]:
    """Return what is not in the report, and why."""
    _ = facts._
    found: list[tuple[str, str]] = []
    if facts.analysis.judge_held:
        found.append((_("Everything about the judge"), _("The judge is held back (see the limitations).")))
    elif facts.judge is None:
        found.append((_("Everything about a judge"), _("No judge scores were given.")))
    if not facts.story.texts:
        found.append((_("Prompts and answers"), _("They were left out of this report on request (--no-texts).")))
    if facts.story.anonymous:
        found.append((_("The annotators' names"), _("They were replaced on request (--anonymous).")))
    scopes = {"": facts.block}
    if len(facts.analysis.headline.by_dimension) > 1:
        scopes |= {facts.dimension(key): one for key, one in facts.analysis.headline.by_dimension.items()}
    for scope, block in scopes.items():
        groups = {
            _("people"): block.people,
            **{f"{one} · {two}": estimates for (one, two), estimates in block.pairs.items()},
            **{facts.titled(name): estimates for name, estimates in block.judges.items()},
        }
        for who, estimates in groups.items():
            for key, estimate in estimates.items():
                if estimate.value is None:
                    label = " · ".join(filter(None, (saying(key, _).name, who, scope)))
                    found.append((label, _reason(estimate, facts)))
        if block.n < FEW_FOR_INTERVAL:
            label = _("Intervals: {scope}", scope=scope) if scope else _("Intervals")
            found.append((label, _("Fewer than ten items.")))
    if len(facts.analysis.headline.by_dimension) < 2:
        found.append((_("Kappa within dimensions"), _("There is only one dimension.")))
    if facts.nominal:
        what = _("How often intervals hold the truth in simulated studies")
        found.append((what, _("Only scores with an order were simulated.")))
    found += _sensitivities_absent(facts)
    found += _closer_absent(facts)
    found += _people_absent(facts)
    return found


def _closer_absent(facts: Facts) -> Iterator[tuple[str, str]]:
    _, usage = facts._, facts.analysis.usage
    if facts.judge is None:
        return
    if usage is None:
        yield (
            _("The judge's lean and calibration, and the ranking of the chatbots"),
            _("They have no meaning on a scale without order."),
        )
        return
    groups = {
        "category": _("Lean by category"),
        "provider": _("Lean by provider"),
        "model": _("Lean by model"),
        "difficulty": _("Lean by difficulty"),
    }
    for field, title in groups.items():
        if field not in usage.patterns:
            yield title, _ungrouped(facts, field)
    if usage.length is None:
        yield _("Lean by the answer's length"), _("The answers' texts are not known, or all equally long.")
    if usage.ranking is None:
        yield _("Ranking of the chatbots"), _ungrouped(facts, "model")
    if usage.threshold is None or not usage.passing:
        yield _("Decisions from scores"), _("The scale has no score that could pass.")
    if facts.triage is None and facts.wide and facts.apart:
        yield _("Genuine error rate of the judge"), _("No triage was given (triage.xlsx, --triage).")
    if not facts.wide:
        yield _("Genuine error rate of the judge"), _("No two scores of this scale lie two points apart.")
    elif not facts.apart:
        yield _("Genuine error rate of the judge"), _("Nowhere do judge and people lie two or more points apart.")
    if facts.story.population is None and any(item.weight is not None for item in facts.panel.items):
        yield _("What people would have scored on the whole log"), _("No estimate was given (toolkit population).")
    if not usage.calibration:
        yield _("Calibration of the judge's confidence"), _("The judge states no confidence.")
    if usage.routing is None:
        yield (
            _("A rule for what to leave to the judge"),
            _("It states no confidence and judged no item twice, or it is equally sure of every item."),
        )
    if not usage.retest:
        yield _("Agreement of the judge with itself"), _("It judged no item twice.")


def _ungrouped(facts: Facts, field: str) -> str:
    """Say why the items cannot be grouped by a field."""
    _ = facts._
    rows = np.flatnonzero(facts.consensus.counted)
    given = [value for row in rows if (value := getattr(facts.panel.items[row], field))]
    if len(given) < len(rows):
        return _(
            "The field “{field}” is missing for {missing} of {n} items.",
            field=field,
            missing=_.number(len(rows) - len(given), 0),
            n=_.number(len(rows), 0),
        )
    if len(set(given)) < 2:
        return _("The field “{field}” has the same value for every item.", field=field)
    return _(
        "The field “{field}” has {n} values; more than {most} groups say nothing one by one.",
        field=field,
        n=_.number(len(set(given)), 0),
        most=_.number(MOST_GROUPS, 0),
    )


def _people_absent(facts: Facts) -> Iterator[tuple[str, str]]:
    _, panel = facts._, facts.panel
    if not facts.minutes:
        yield _("Minutes per item"), _("Start and end were not recorded (make-sheets --time-columns).")
    if not facts.analysis.profiles:
        yield _("Each annotator beside the others"), _("It has no meaning on a scale without order.")
    if not any(item.responses or item.prompt for item in panel.items) and facts.story.texts:
        yield _("The items' texts"), _("They are not in the files that were read.")
    if not any(one.justification for one in panel.annotations.values()):
        yield _("Justifications"), _("The annotators gave none.")


def _sensitivities_absent(facts: Facts) -> Iterator[tuple[str, str]]:
    _, done = facts._, facts.analysis.sensitivity
    if not facts.consensus.of_two.all() and "after_discussion" not in done:
        yield _("Figures after the discussion"), _("No discussion has given a score.")
    if facts.consensus.mode is Mode.TWO and "median_of_two" not in done:
        name = (
            _("Figures with the two independent answers") if facts.nominal else _("Figures with the median of the two")
        )
        yield name, _("No discussion has been read.")
    if "without_excluded" not in done:
        yield _("Figures without excluded items"), _("No item is advised to be excluded.")
    if "complete_only" not in done:
        yield _("Figures of complete items only"), _("They are the same items: no incomplete one counts.")


def _reason(estimate: Estimate, facts: Facts) -> str:
    return " ".join(note_text(note, facts._) for note in estimate.notes)
