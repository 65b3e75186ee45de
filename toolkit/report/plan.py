"""What was planned and what became of it; what was left out beside what was kept; for what the report is valid."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from toolkit.files import canonical_json, sha256
from toolkit.report.blindness import fingerprints, sealed
from toolkit.report.cells import Cell, Table
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying, statistic_keys
from toolkit.study import Plan

# The fields of an annotator in study.json that the coordinator fills in for the report.
TOLD = ("role", "expertise", "language", "training", "hours")
SHORT_HASH = 12


def plan(facts: Facts) -> list[tuple[str, str]]:
    """Return what was decided beforehand, then what deviates from it, as (label, text)."""
    _ = facts._
    found = []
    if facts.story.study is None:
        found.append((_("Plan"), _("None that the files know of: the ratings were collected elsewhere.")))
    else:
        decided = facts.plan
        primary = saying(decided.primary, _).name if decided.primary in statistic_keys() else decided.primary
        if facts.nominal and decided.primary != facts.kappa:
            primary = _(
                "{planned}, which has no meaning on a scale without order; {shown} stands in for it.",
                planned=primary,
                shown=saying(facts.kappa, _).name,
            )
        found += [
            (_("Primary figure"), primary),
            (
                _("Margin"),
                _("It has no meaning on a scale without order.")
                if facts.nominal
                else _(
                    "A judge whose kappa lies up to {margin} below that of people counts as good as a person.",
                    margin=_.number(decided.margin),
                ),
            ),
            (_("Exclusions"), _exclusions(facts)),
        ]
    recorded = (facts.story.study.deviations if facts.story.study else None) or ()
    found += [(_("Deviation"), f"{written(one.date, facts)}: {one.what}") for one in recorded]
    deviations = list(_deviations(facts))
    found += [(_("Deviation"), text) for text in deviations]
    if not deviations and not recorded:
        found.append((_("Deviations"), _("The files show none.")))
    elif deviations and facts.story.date:
        found.append((_("Date"), _("As of {date}; when each came about is not in the files.", date=day(facts))))
    return found


def _exclusions(facts: Facts) -> str:
    """Return the rule for excluding items; the one that nobody wrote themselves, in the report's language."""
    usual = facts._("none beforehand; an item excluded in the discussion stays in the headline figures")
    return usual if facts.plan.exclusions == Plan().exclusions else facts.plan.exclusions


def _deviations(facts: Facts) -> Iterator[str]:
    _, story, options = facts._, facts.story, facts.analysis.options
    for part in story.moved:
        yield _("Changed after annotation had begun: {what}.", what=sealed(part, _))
    yield from facts.left_out
    if options.fewest_scores is not None and not options.collected_elsewhere:
        yield _("Items with missing scores were kept (--missing keep).")
    if incomplete := int((~facts.consensus.counted).sum()):
        yield _.plural(
            "{n} item does not count because scores are missing.",
            "{n} items do not count because scores are missing.",
            incomplete,
        )
    if excluded := int(facts.consensus.excluded.sum()):
        yield _.plural(
            "The discussion advises to exclude {n} item; the headline keeps it.",
            "The discussion advises to exclude {n} items; the headline keeps them.",
            excluded,
        )
    if story.study is not None and options.seed != story.study.seed:
        yield _("The intervals have another seed than the study ({seed}).", seed=options.seed)
    if story.judge_seen_first and facts.judge is not None:
        yield _("The judge's scores were to be seen before the discussion.")


def day(facts: Facts) -> str:
    """Return the report's date as the language writes it."""
    return written(datetime.date.fromisoformat(facts.story.date), facts)


def written(date: datetime.date, facts: Facts) -> str:
    """Return a date as the report's language writes it."""
    from babel.dates import format_date

    return str(format_date(date, format="long", locale=facts._.locale))


def validity(facts: Facts) -> str:
    """Say for what the report holds, and when it has to be made again."""
    _, known = facts._, dict(fingerprints(facts))
    parts = [_("scores {hash}", hash=_scores_hash(facts))]
    parts += [f"{what[:1].lower()}{what[1:]} {digest[:SHORT_HASH]}" for what, digest in known.items()]
    listed = "; ".join(parts)
    made = _(" Made on {date}.", date=day(facts)) if facts.story.date else ""
    if facts.judge is None:
        return _("Holds for these people, texts and rubric only ({listed}).", listed=listed) + made
    return (
        _(
            "Holds for {judge} with the prompt, rubric and texts of this study only ({listed}); to be made again when "
            "one of them changes.",
            judge=facts.called(facts.judge),
            listed=listed,
        )
        + made
    )


def _scores_hash(facts: Facts) -> str:
    """Return the beginning of the fingerprint of all scores that the report shows."""
    scale = facts.panel.scale
    columns = [[scale.value(float(code)) for code in column] for column in facts.panel.scores.T]
    columns += [[scale.value(float(code)) for code in column] for column in facts.judges.values()]
    return sha256(canonical_json(columns))[:SHORT_HASH]


def who_is_unknown(facts: Facts) -> str:
    """Say which facts about the annotators study.json could hold and does not; empty where it has all."""
    _, study = facts._, facts.story.study
    titles = {
        "role": _("role"),
        "expertise": _("expertise"),
        "language": _("language"),
        "training": _("training"),
        "hours": _("hours"),
    }
    people = [one for one in (study.annotators if study else ()) if one.name in facts.panel.annotators]
    missing = [titles[field] for field in TOLD if not any(getattr(one, field) is not None for one in people)]
    if not missing:
        return ""
    if study is None:
        return _("Who the annotators are is not in the files ({fields}).", fields=", ".join(missing))
    return _(
        "Not told about the annotators: {fields}. The coordinator can add it to “annotators” in study.json.",
        fields=", ".join(missing),
    )


def incomplete_table(facts: Facts) -> Table | None:
    """Return the items left out beside those kept: are they other items? None where none was left out."""
    _, panel, kept = facts._, facts.panel, facts.consensus.counted
    if kept.all():
        return None
    groups = (kept, ~kept)

    def means(values: NDArray[np.float64], kind: str = "points") -> list[Cell]:
        found = [values[group] for group in groups]
        found = [one[~np.isnan(one)] for one in found]
        shown = [float(one.mean()) if one.size else None for one in found]
        return [Cell(_.percent(one) if kind == "share" else _.number(one), one, kind=kind) for one in shown]

    rows = [[Cell(_("Items")), *(Cell(_.number(int(g.sum()), 0), int(g.sum()), kind="count") for g in groups)]]
    present = ~np.isnan(panel.scores)
    given = present.sum(axis=1).astype(float)
    rows.append([Cell(_("Scores per item")), *means(given)])
    if not facts.nominal:
        mean = np.where(given > 0, np.where(present, panel.scores, 0).sum(axis=1) / np.maximum(given, 1), np.nan)
        rows.append([Cell(_("Mean score of people")), *means(mean)])
        spread = np.where(given > 1, facts.consensus.disagreement_range, np.nan)
        rows.append([Cell(_("Range among people")), *means(spread)])
        if facts.judge is not None:
            rows.append([Cell(_("Mean score of the judge")), *means(facts.judges[facts.judge])])
    doubts = np.full(len(panel.items), np.nan)
    for (row, _who), said in panel.annotations.items():
        doubts[row] = np.nanmax([doubts[row], float(said.doubt)])
    rows.append([Cell(_("Items somebody doubted")), *means(doubts, "share")])
    rows.append([Cell(_("Words of the answers")), *means(panel.lengths)])
    for key, title in facts.dimensions.items():
        of = panel.dimensions == key
        counts = [int((of & group).sum()) for group in groups]
        rows.append([Cell(title), *(Cell(_.number(count, 0), count, kind="count") for count in counts)])
    return Table("incomplete", _("Items left out beside those kept"), (_("What"), _("Kept"), _("Left out")), rows)
