"""Who gave which score how often: rater by rater, and judge against people."""

from __future__ import annotations

import numpy as np

from toolkit.i18n import Language
from toolkit.report.cells import Cell, Table, heat
from toolkit.report.facts import Facts

OFF_SCALE = 1e-9


def confusion_table(facts: Facts, judge: str, dimension: str | None = None) -> Table:
    """Return how often each human level (row) met each judge level (column)."""
    _ = facts._
    block = facts.block if dimension is None else facts.analysis.headline.by_dimension[dimension]
    counts = block.confusion[judge]
    levels = [_level(facts, code) for code in facts.panel.scale.codes]
    most = max(1.0, float(counts.max()))
    rows: list[tuple[Cell, ...]] = []
    for human, line in enumerate(counts):
        cells = [
            Cell(_.number(int(count), 0), int(count), "", heat(count / most), human == place, "count")
            for place, count in enumerate(line)
        ]
        total = int(line.sum())
        head = Cell(_("People: {level}", level=levels[human]))
        rows.append((head, *cells, Cell(_.number(total, 0), total, kind="count")))
    totals = [int(total) for total in counts.sum(axis=0)]
    rows.append(
        (
            Cell(_("All")),
            *(Cell(_.number(total, 0), total, kind="count") for total in totals),
            Cell(_.number(sum(totals), 0), sum(totals), kind="count"),
        )
    )
    remarks = [("", _("Outlined cells: judge and people agree."))]
    if not facts.nominal:
        remarks.append(("", _("To their right the judge is more generous than people, to their left more severe.")))
        if _off_scale(facts, judge):
            remarks.append(("", _rounded(_)))
    caption = _(
        "Where {judge} and people agree: rows are the human consensus, columns the judge", judge=facts.called(judge)
    )
    if dimension is not None:
        caption = f"{caption} ({facts.dimension(dimension)})"
    return Table(
        f"confusion-{facts.number_of(judge)}",
        caption,
        (_("Human consensus"), *(_("Judge: {level}", level=level) for level in levels), _("All")),
        rows,
        remarks=remarks,
        look="heat",
    )


def counts_by_rater(facts: Facts) -> Table:
    """Return how often each rater gave each score."""
    _ = facts._
    codes = np.asarray(facts.panel.scale.codes)
    counted = facts.consensus.counted
    raters = {name: facts.panel.scores[counted, place] for place, name in enumerate(facts.panel.annotators)}
    for name, scores in facts.judges.items():
        raters[facts.as_rater(name)] = scores[counted]
    rows = []
    for name, scores in raters.items():
        given = scores[~np.isnan(scores)]
        counts = [int((np.rint(given) == code).sum()) for code in codes]
        mean = float(given.mean()) if given.size and not facts.nominal else None
        rows.append(
            (
                Cell(name),
                *(Cell(_.number(count, 0), count, kind="count") for count in counts),
                Cell(_.number(given.size, 0), given.size, kind="count"),
                *((Cell(_.number(mean), mean, kind="points"),) if not facts.nominal else ()),
            )
        )
    columns = [_("Rater"), *(_level(facts, code) for code in codes), _("All")]
    if not facts.nominal:
        columns.append(_("Mean"))
    fractions = any(_off_scale(facts, judge) for judge in facts.judges)
    return Table(
        "distribution",
        _("How often each rater gave each score"),
        columns,
        rows,
        remarks=[("", _rounded(_))] if fractions else (),
    )


def _rounded(_: Language) -> str:
    return _("Values between the levels are rounded for this table only, halves to the even level.")


def _level(facts: Facts, code: float) -> str:
    return str(facts.panel.scale.value(float(code)))


def _off_scale(facts: Facts, judge: str) -> bool:
    values = np.concatenate([facts.judges[judge], facts.consensus.headline])
    values = values[~np.isnan(values)]
    return bool((np.abs(values - np.rint(values)) > OFF_SCALE).any())
