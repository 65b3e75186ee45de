"""The figures of an analysis as tables: people, judge, confusion, sensitivities. HTML and XLSX show the same ones."""

from __future__ import annotations

import numpy as np

from toolkit.analysis import Block, Blocks
from toolkit.i18n import Language
from toolkit.report.cells import Cell, EstimateRow, EstimateTable, Table, heat, statistic_row
from toolkit.report.facts import Facts
from toolkit.report.sayings import saying
from toolkit.stats.results import Estimate

OFF_SCALE = 1e-9


def people_table(facts: Facts) -> EstimateTable:
    """Return every coefficient of all people together, overall and by dimension."""
    _ = facts._
    blocks, columns = _columns(facts, within=bool(facts.block.within_people))
    rows = []
    for key in facts.block.people:
        values = [block.people.get(key) if block else facts.block.within_people.get(key) for block in blocks]
        rows.append(statistic_row(key, values, facts))
    return EstimateTable("people", _("Agreement among all people together"), columns, rows)


def pairs_table(facts: Facts) -> EstimateTable:
    """Return agreement of each pair of people, over all items."""
    _ = facts._
    pairs = list(facts.block.pairs)
    rows = []
    for key in facts.block.pairs[pairs[0]] if pairs else ():
        rows.append(statistic_row(key, [facts.block.pairs[pair][key] for pair in pairs], facts))
    return EstimateTable(
        "pairs",
        _("Agreement of each pair of people"),
        [_("{one} and {two}", one=one, two=two) for one, two in pairs],
        rows,
    )


def pair_matrix(facts: Facts) -> Table:
    """Return the kappa of each pair as a square, shaded by agreement."""
    _ = facts._
    names = facts.panel.annotators
    found = {frozenset(pair): estimates[facts.kappa] for pair, estimates in facts.block.pairs.items()}

    def cell(one: str, two: str) -> Cell:
        if one == two:
            return Cell("·", kind="text")
        estimate = found[frozenset((one, two))]
        shade = heat(max(0.0, estimate.value)) if estimate.value is not None else None
        under = _("n = {n}", n=_.number(estimate.n, 0))
        return Cell(facts.estimate(estimate), estimate.value, under, shade, kind="coefficient")

    return Table(
        "matrix",
        _("{kappa} of each pair of people", kappa=saying(facts.kappa, _).name),
        ("", *names),
        [(Cell(one), *(cell(one, two) for two in names)) for one in names],
        look="heat",
    )


def judge_table(facts: Facts, judge: str) -> EstimateTable:
    """Return everything about one judge against the consensus, overall, within dimensions and by dimension."""
    _ = facts._
    blocks, columns = _columns(facts, within=judge in facts.block.within_judges)
    rows = []
    for key in facts.block.judges[judge]:
        within = facts.block.within_judges.get(judge, {})
        values = [block.judges[judge].get(key) if block else within.get(key) for block in blocks]
        rows.append(statistic_row(key, values, facts))
    return EstimateTable(
        f"judge-{facts.number_of(judge)}", _("{judge} against the human consensus", judge=judge), columns, rows
    )


def judges_table(facts: Facts) -> EstimateTable:
    """Return the main figures of all judges beside each other."""
    _ = facts._
    keys = [key for key in (facts.kappa, "pearson", "mae", "bias", "exact_agreement") if key in facts.judge_estimates]
    return EstimateTable(
        "judges",
        _("All judges against the human consensus"),
        list(facts.judges),
        [statistic_row(key, [facts.block.judges[judge][key] for judge in facts.judges], facts) for key in keys],
    )


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
    caption = _("Where {judge} and people agree: rows are the human consensus, columns the judge", judge=judge)
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


def sensitivity_name(name: str, _: Language) -> tuple[str, str]:
    """Return what a sensitivity is called and what it changes."""
    return {
        "median_of_two": (
            _("Median of the two independent scores"),
            _("Takes the median even where the two discussed another score."),
        ),
        "after_discussion": (
            _("Scores after the discussion"),
            _("Takes the score of the discussion wherever there is one."),
        ),
        "without_excluded": (
            _("Without excluded items"),
            _("Leaves out the items that the discussion advises to exclude."),
        ),
        "complete_only": (_("Complete items only"), _("Leaves out the items on which somebody's score is missing.")),
    }[name]


def sensitivity_table(facts: Facts) -> EstimateTable:
    """Return the main figures under each other way to look at the same scores."""
    _ = facts._
    chosen = {_("As in this report"): (_("The headline figures, for comparison."), facts.analysis.headline)}
    for name, blocks in facts.analysis.sensitivity.items():
        title, meaning = sensitivity_name(name, _)
        chosen[title] = meaning, blocks
    keys = [key for key in (facts.kappa, "pearson", "mae", "bias") if key in facts.judge_estimates]
    people = "fleiss_kappa" if facts.nominal else "mean_pairwise_kappa"

    def estimates(blocks: Blocks) -> list[Estimate | None]:
        judge = blocks.overall.judges.get(facts.judge, {}) if facts.judge is not None else {}
        return [blocks.overall.people.get(people), *(judge.get(key) for key in keys)]

    return EstimateTable(
        "sensitivity",
        _("The main figures when the same scores are looked at in other ways"),
        [_("People: {figure}", figure=saying(people, _).name)]
        + [_("Judge: {figure}", figure=saying(key, _).name) for key in keys],
        [
            EstimateRow(_("{name} (n = {n})", name=title, n=_.number(blocks.overall.n, 0)), meaning, estimates(blocks))
            for title, (meaning, blocks) in chosen.items()
        ],
        _("Scores"),
    )


def counts_by_rater(facts: Facts) -> Table:
    """Return how often each rater gave each score."""
    _ = facts._
    codes = np.asarray(facts.panel.scale.codes)
    counted = facts.consensus.counted
    raters = {name: facts.panel.scores[counted, place] for place, name in enumerate(facts.panel.annotators)}
    for name, scores in facts.judges.items():
        raters[_("Judge {judge}", judge=name)] = scores[counted]
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


def _columns(facts: Facts, *, within: bool) -> tuple[list[Block | None], list[str]]:
    """Return the blocks of a table's columns and their headings; None stands for `within dimensions`."""
    _ = facts._
    blocks: list[Block | None] = [facts.block]
    names = [_("All items (n = {n})", n=_.number(facts.block.n, 0))]
    if within:
        blocks.append(None)
        names.append(_("Within dimensions"))
    if len(facts.analysis.headline.by_dimension) > 1:
        for key, block in facts.analysis.headline.by_dimension.items():
            blocks.append(block)
            names.append(_("{dimension} (n = {n})", dimension=facts.dimension(key), n=_.number(block.n, 0)))
    return blocks, names
