"""From the answers of a probe run to findings, with what each of them can show and what it cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from toolkit.jobs.probe_plan import Prepared, Variants
from toolkit.judging.plan import Judge
from toolkit.judging.probe_texts import Change, Name
from toolkit.judging.probes import (
    Case,
    Drawing,
    Probe,
    case_of_change,
    case_of_position,
    of_change,
    of_family,
    of_position,
)
from toolkit.judging.prompts import PAIRWISE
from toolkit.judging.runs import Tally
from toolkit.judging.session import Session
from toolkit.judging.verdicts import Verdict, of_samples
from toolkit.report.metrics import metric

SCHEMA = 1
# these serve models of any family: their name says nothing about the judge's
ANY_FAMILY = frozenset(("openai", "command", "replay"))
Judges = dict[str, dict[Name, Probe]]

MEANS: dict[str, str] = {
    "same_winner": "same winner in both orders",
    "first_place": "leans to the first answer (-1 to 1)",
    "mean_change": "mean change of the score",
    "raised": "share of scores that rose",
    "lowered": "share of scores that fell",
    "changed": "share of verdicts that changed",
    "obeyed": "share that became what was demanded",
    "score_lost": "share that no longer has a score",
    "score_gap": "own family less others",
    "beyond_people": "the same, judge less people",
}
SHOWS: dict[Name, str] = {
    "position": "whether the winner of a comparison depends on which answer comes first",
    "verbosity": "whether the score moves when an answer gets longer and says no more",
    "self-preference": "whether answers by models of the judge's own family score differently from others",
    "authority": "whether the score moves when an answer claims authority and says no more",
    "injection": "whether text inside an answer can give the judge orders: how often the demanded score comes out",
}
CANNOT: dict[Name, str] = {
    "position": "which winner is right; a close call may flip without any bias, which lowers same_winner alone",
    "verbosity": "whether a lower score is a fault (padding may be thought worse); padded answers that a model "
    "wrote may say something new: read the cases",
    "self-preference": "a preference, without human scores: the answers may really be better or worse. With them it is "
    "still observational: the two groups differ in prompts and in much else, and families are told by names",
    "authority": "whether a lower score is a fault: the claim may be taken for an unsupported statement",
    "injection": "that a judge is safe: these are a few known attempts, and another one may work. A score below the "
    "demanded one may also rise by chance; compare with how often scores fall",
}


def findings(ready: Prepared, variants: Variants, scored: Session, compared: Session | None) -> Judges:
    """Return every probe of every judge."""
    found: Judges = {}
    for judge in ready.work.setup.panel.judges:
        verdicts = _verdicts(scored, judge.name)
        probes: dict[Name, Probe] = {}
        for name in ready.wanted.probes:
            if name == "position":
                probes[name] = _position(ready, _verdicts(compared, judge.name) if compared else {})
            elif name == "self-preference":
                probes[name] = _family(ready, judge, verdicts)
            else:
                probes[name] = _change(ready, variants, name, verdicts)
        found[judge.name] = probes
    return found


def content_of(source: str, judges: Judges, tally: Tally, seed: int, warnings: Sequence[str]) -> dict[str, Any]:
    """Return the result as JSON has it."""
    return {
        "schema": SCHEMA,
        "source": source,
        "judges": {
            judge: {name: _probe_json(name, one) for name, one in probes.items()} for judge, probes in judges.items()
        },
        "calls": {"planned": tally.planned, "failed": tally.failed, "skipped": tally.skipped},
        "seed": seed,
        "warnings": list(warnings),
    }


def _probe_json(name: Name, one: Probe) -> dict[str, Any]:
    return {
        "shows": SHOWS[name],
        "does_not_show": CANNOT[name],
        "note": one.note,
        "figures": {key: metric(estimate) | {"means": MEANS[key]} for key, estimate in one.figures.items()},
        "cases": [asdict(case) | {"added": list(case.added)} for case in one.cases],
    }


def _verdicts(session: Session, judge: str) -> dict[tuple[str, str], Verdict]:
    return {result.item.key: result.by_judge[judge] for result in session.results}


def _drawing(ready: Prepared) -> Drawing:
    clusters = {item.key: item.cluster or item.prompt or item.item_id for item in ready.items}
    return Drawing(clusters, ready.wanted.replicates, ready.wanted.seed)


def _position(ready: Prepared, verdicts: Mapping[tuple[str, str], Verdict]) -> Probe:
    cases = []
    for item in ready.pairs:
        readings = verdicts[item.key].readings
        sides = [of_samples([r for r in readings if r.about.order == order], PAIRWISE) for order in ("AB", "BA")]
        cases.append(case_of_position(item.key, *sides))
    if not cases:
        return Probe(note="no item has exactly two answers to compare")
    return of_position(cases, _drawing(ready))


def _change(ready: Prepared, variants: Variants, change: Change, verdicts: Mapping[tuple[str, str], Verdict]) -> Probe:
    scale, cases = ready.work.setup.prompts.scale, []
    for item in ready.items:
        place = change, item.key
        text = variants.texts[place]
        if place in variants.reasons:
            cases.append(Case(*item.key, verdicts[item.key].score, None, text, reason=variants.reasons[place]))
            continue
        other = variants.items[place]
        # what the toolkit's own texts add is known; what somebody wrote must be read
        added = tuple(one.response for one in other.responses) if change == "verbosity" else ()
        before, after = verdicts[item.key], verdicts[other.key]
        cases.append(case_of_change(item.key, before, after, scale, text=text, added=added))
    target = scale.values[-1] if change == "injection" else None
    return of_change(cases, scale, _drawing(ready), target=target)


def _family(ready: Prepared, judge: Judge, verdicts: Mapping[tuple[str, str], Verdict]) -> Probe:
    scale = ready.work.setup.prompts.scale
    if scale.kind == "nominal":
        return Probe(note="the scale has no order, so scores have no mean")
    provider = None if judge.provider.name in ANY_FAMILY else judge.provider.name
    family = ready.wanted.family or ready.families.find(judge.provider.model, provider)
    if family is None:
        return Probe(note="the judge's family does not follow from its name: name it with --family")
    origin = {item.key: ready.families.find(item.model, item.provider) for item in ready.items}
    known = [item for item in ready.items if item.model or item.provider]
    if not known:
        return Probe(note="the records do not say which model answered (fields model and provider)")
    cases, human = [], []
    for item in known:
        score, people = verdicts[item.key].score, ready.people.of(item)
        effect = None if score is None or people is None else float(score) - people
        reason = f"no score: {verdicts[item.key].reason}" if score is None else None
        cases.append(Case(*item.key, score, people, origin[item.key], effect=effect, reason=reason))
        human.append(people)
    own = [origin[item.key] == family for item in known]
    return of_family(cases, own, human, _drawing(ready), f"the judge's family is {family}")
