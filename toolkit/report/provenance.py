"""Who scored, what was read, what happened to it on the way, and how everything was computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from toolkit.files import code_version
from toolkit.report import judge_reading
from toolkit.report.blindness import fingerprints, sealed
from toolkit.report.cells import Cell, EstimateRow, EstimateTable, Table
from toolkit.report.facts import Facts
from toolkit.report.procedures import procedures
from toolkit.report.sayings import Saying, saying, statistic_keys
from toolkit.stats import Look
from toolkit.values import Repair


def annotators_table(facts: Facts) -> Table:
    """Return who scored: what is known about each person, how much they scored, and how."""
    _ = facts._
    known = {one.name: one for one in facts.story.study.annotators} if facts.story.study else {}
    asked = {
        "role": _("Role"),
        "expertise": _("Expertise"),
        "language": _("Language"),
        "training": _("Training"),
        "hours": _("Hours"),
    }
    told = {
        field: title
        for field, title in asked.items()
        if any(getattr(known.get(name), field, None) is not None for name in facts.panel.annotators)
    }
    rows = []
    for place, name in enumerate(facts.panel.annotators):
        scores = facts.panel.scores[:, place]
        given = scores[~np.isnan(scores)]
        said = [one for (_row, who), one in facts.panel.annotations.items() if who == name]
        doubts, reasons = sum(one.doubt for one in said), sum(bool(one.justification.strip()) for one in said)
        mean = float(given.mean()) if given.size and not facts.nominal else None
        minutes = facts.minutes.get(name)
        facts_told = (getattr(known.get(name), field, None) for field in told)
        rows.append(
            (
                Cell(name),
                *(Cell(_.score(one) if isinstance(one, float) else str(one or "")) for one in facts_told),
                Cell(_.number(given.size, 0), given.size, kind="count"),
                *((Cell(_.number(mean), mean, kind="points"),) if not facts.nominal else ()),
                Cell(_.number(reasons, 0), reasons, kind="count"),
                Cell(_.number(doubts, 0), doubts, kind="count"),
                *((Cell(_.number(minutes, 1), minutes, kind="points"),) if facts.minutes else ()),
            )
        )
    columns = [_("Annotator"), *told.values(), _("Items scored")]
    columns += [_("Mean score")] if not facts.nominal else []
    columns += [_("Justifications"), _("Doubts marked")]
    columns += [_("Minutes per item, median")] if facts.minutes else []
    return Table("annotators", _("Who scored"), columns, rows, sortable=True)


def profiles_table(facts: Facts) -> EstimateTable | None:
    """Return how each annotator compares with the others; None on a scale without order."""
    _, profiles = facts._, facts.analysis.profiles
    if not profiles:
        return None
    severity = EstimateRow(
        _("More generous or severe"),
        _("Own score minus the median of the others, in points; below 0 more severe."),
        [one.severity for one in profiles.values()],
        "points",
    )
    agreement = EstimateRow(
        _("Agreement with the others"),
        _("Quadratic-weighted kappa with the median of the others."),
        [one.agreement for one in profiles.values()],
    )
    return EstimateTable("profiles", _("Each annotator beside the others"), list(profiles), [severity, agreement])


def worth_a_look(facts: Facts) -> list[str]:
    """Say what about an annotator's sheet is worth a look; none of it is an accusation."""
    _ = facts._
    words = {
        Look.ONE_SCORE: _("gave the same score throughout"),
        Look.LONG_RUN: _("gave one score for longer in a row than chance would"),
        Look.ALTERNATION: _("took turns between two scores for longer than chance would"),
        Look.DRIFT: _("moved away from the others in the course of the sheet"),
        Look.SEVERE: _("is clearly more severe than the others"),
        Look.LENIENT: _("is clearly more generous than the others"),
        Look.LOW_AGREEMENT: _("agrees little with the others"),
    }
    return [
        _("{name}: {what}.", name=name, what="; ".join(words[look] for look in profile.look_at))
        for name, profile in facts.analysis.profiles.items()
        if profile.look_at
    ]


def repairs_table(facts: Facts) -> Table:
    """Return the values that were read other than as plain values."""
    _ = facts._

    def differs(one: Repair) -> str:
        # what looks the same to the eye is not the same in the file
        if one.found == one.read_as:
            return _("text instead of a number")
        return _("spaces around it") if one.found.strip() == one.read_as else _("another way to write it")

    rows = [
        (Cell(one.place), Cell(str(one.found)), Cell(str(one.read_as)), Cell(differs(one)))
        for one in facts.story.repairs
    ]
    title = _("Values that were not plain, and how they were read: {n}", n=_.number(len(rows), 0))
    return Table("repairs", title, (_("Place"), _("Found"), _("Read as"), _("What was different")), rows)


def files_table(facts: Facts) -> Table:
    """Return what was read, with its fingerprint."""
    _ = facts._
    named = {
        "ratings": _("Ratings"),
        "judged": _("Judge scores"),
        "discussion": _("Discussion"),
        "triage": _("Triage"),
        "population": _("Estimates for the whole log"),
        "study": _("Study"),
        "sample": _("Sample"),
    }
    rows = [
        (Cell(named.get(what, what)), Cell(name), Cell(digest)) for what, (name, digest) in facts.story.files.items()
    ]
    return Table("files", _("Files read, with SHA-256"), (_("What"), _("File"), _("SHA-256")), rows, look="wordy")


def quality(facts: Facts) -> list[str]:
    """Say in sentences what happened to the data."""
    return [*_counts(facts), *judge_reading.sentences(facts), *_seal(facts)]


def _counts(facts: Facts) -> Iterator[str]:
    _, consensus = facts._, facts.consensus
    incomplete = [facts.names[row] for row in facts.analysis.rows(~consensus.counted)]
    split = [facts.names[row] for row in facts.analysis.rows(consensus.flagged)] if facts.nominal else []
    excluded = [facts.names[row] for row in facts.analysis.rows(consensus.excluded)]
    pending = [facts.names[row] for row in facts.analysis.rows(consensus.pending)]
    if incomplete:
        yield _("Left out because scores are missing: {items}.", items=", ".join(incomplete))
    else:
        yield _("Every item counts.") if not split else _("Every item counts in the agreement among people.")
    if split:
        yield _("Without a most frequent answer, so not compared with the judge: {items}.", items=", ".join(split))
    if pending:
        yield _("Waiting for their discussion: {items}.", items=", ".join(pending))
    if excluded:
        yield _("Advised to be excluded, but still in the headline figures: {items}.", items=", ".join(excluded))
    yield from facts.left_out
    if not facts.story.repairs:
        yield _("Every value was read as a plain value; nothing was repaired.")


def _seal(facts: Facts) -> Iterator[str]:
    _, story = facts._, facts.story
    if story.study is None:
        yield _("The ratings were collected elsewhere: nothing was sealed, so nothing can be proved about blindness.")
        return
    if story.moved:
        yield _("Changed since annotation began: {parts}.", parts=", ".join(sealed(part, _) for part in story.moved))
    elif story.study.seal.rubric is None:
        yield _("Items, judge scores and plan are those that were sealed before annotation began.")
    else:
        yield _("Items, rubric, judge scores and plan are those that were sealed before annotation began.")


def seal_table(facts: Facts) -> Table | None:
    """Return the fingerprints of what was sealed; None without a study."""
    _, study = facts._, facts.story.study
    if study is None:
        return None
    sealed = {
        _("Study"): study.study_id,
        _("Items"): study.seal.items,
        _("Rubric"): study.seal.rubric,
        _("Judge scores"): study.seal.judge_scores,
        _("Plan"): study.seal.plan,
    }
    rows = [(Cell(what), Cell(digest)) for what, digest in sealed.items() if digest is not None]
    return Table(
        "seal",
        _("What was sealed before annotation began (SHA-256)"),
        (_("What"), _("Fingerprint")),
        rows,
        look="wordy",
    )


def fingerprints_table(facts: Facts) -> Table:
    """Return the fingerprints of what the comparison rests on."""
    _ = facts._
    rows = [(Cell(what), Cell(digest)) for what, digest in fingerprints(facts)]
    return Table(
        "fingerprints", _("What the comparison rests on (SHA-256)"), (_("What"), _("Fingerprint")), rows, look="wordy"
    )


def method(facts: Facts) -> list[tuple[str, str]]:
    """Say how the report was made, as (label, text)."""
    _, options, scale = facts._, facts.analysis.options, facts.panel.scale
    found = [
        (_("Scale"), ", ".join(_labelled(facts, value) for value in scale.values)),
        (_("Human consensus"), _consensus_rule(facts)),
        *procedures(facts),
        (_("Seed"), str(options.seed)),
        (_("Rounding"), " ".join((facts.rounding, _("report.xlsx and metrics.json have every digit.")))),
    ]
    found.append(
        (
            _("Bands of a kappa"),
            _(
                "Below {a} low, {a} to below {b} moderate, {b} to below {c} substantial, from {c} almost perfect. "
                "Set by the protocol beforehand; where the interval touches three bands, no single word is given.",
                a=_.number(0.4, 1),
                b=_.number(0.6, 1),
                c=_.number(0.8, 1),
            ),
        )
    )
    if not facts.nominal:
        found += [
            (
                _("Within dimensions"),
                _(
                    "Numerators and denominators of kappa are summed over dimensions. Pooling dimensions of different "
                    "difficulty inflates agreement; this version does not."
                ),
            ),
        ]
    found.append((_("To recompute"), _recomputed(facts)))
    found.append((_("Software"), code_version()))
    return found


def _recomputed(facts: Facts) -> str:
    """Say what a kappa computed elsewhere has to be told to come out the same."""
    _, levels = facts._, str(list(facts.panel.scale.values))
    text = _(
        "Every kappa uses the whole scale, also where a dimension or a pair of people lacks a level. scikit-learn's "
        "cohen_kappa_score takes the levels it finds unless it is told: labels={levels}.",
        levels=levels,
    )
    if facts.nominal:
        return text
    return f"{text} " + _("It takes whole scores only: with half points, both sides and the levels times two.")


def _labelled(facts: Facts, value: int | str) -> str:
    label = facts.panel.scale.labels.get(value)
    return f"{value} = {label}" if label else str(value)


def _consensus_rule(facts: Facts) -> str:
    _ = facts._
    if facts.nominal:
        rule = _("The score most people gave; items without a unique one have no consensus.")
        if not facts.consensus.of_two.any():
            return rule
        return " ".join(
            (rule, _("Where the two annotators of an item differ, the one they agree on in a discussion counts."))
        )
    if facts.consensus.of_two.any() and not facts.consensus.of_two.all():
        return _(
            "The median of the independent scores; where an item has two annotators whose scores lie two or more "
            "points apart, the discussed score. What else a discussion decided is kept apart."
        )
    if facts.consensus.of_two.all():
        return _(
            "The median of the two independent scores, or the discussed score where the two lie two or more points "
            "apart."
        )
    return _("The median of the independent scores. What a discussion decided is kept apart and never replaces it.")


def explained(facts: Facts) -> list[Saying]:
    """Return the statistics that occur in this report, explained."""
    block = facts.block
    keys = {*block.people, *(key for one in block.pairs.values() for key in one)}
    keys |= {key for one in block.judges.values() for key in one}
    return [saying(key, facts._) for key in statistic_keys() if key in keys]
