"""The figures of an analysis as tables: people, judge, sensitivities. HTML and XLSX show the same ones."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.analysis import Block, Blocks, Estimates
from toolkit.report.cells import Cell, EstimateRow, EstimateTable, Table, heat, statistic_row, thresholds_of
from toolkit.report.facts import BAND_EDGES, Facts
from toolkit.report.sayings import saying
from toolkit.stats.results import Estimate

# What leads among the figures; the others stand behind them.
MAIN_PEOPLE = ("mean_pairwise_kappa", "krippendorff_alpha_ordinal", "icc_a1", "ac2_quadratic", "fleiss_kappa")
MAIN_JUDGE = ("kappa_quadratic", "pearson", "mae", "bias", "exact_agreement", "within_one")
# The kappa of pairs that share fewer items than this says too little to be shaded.
FEWEST_SHADED = 5
MAIN_NAMES = ("fleiss_kappa", "krippendorff_alpha_nominal", "kappa_unweighted", "exact_agreement")


def people_table(facts: Facts, *, main: bool | None = None) -> EstimateTable:
    """Return the coefficients of all people together, overall and by dimension: all, the main ones, or the others."""
    _ = facts._
    blocks, columns = _columns(facts)
    rows = []
    # the figure that leads the report leads here
    leading = tuple(dict.fromkeys((facts.people_figure, *MAIN_PEOPLE)))
    for key in _chosen(facts, facts.block.people, leading, main):
        rows.append(statistic_row(key, [block.people.get(key) for block in blocks], facts))
        rows += _within_row(facts, key, facts.block.within_people, len(columns))
    caption = _("Agreement among all people together") if main is not False else _("Other coefficients of all people")
    return EstimateTable("people", caption, columns, rows)


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
        shown = estimate.value is not None and estimate.n >= FEWEST_SHADED
        shade = heat(max(0.0, estimate.value or 0.0)) if shown else None
        under = _("n = {n}", n=_.number(estimate.n, 0))
        return Cell(facts.estimate(estimate, edges=BAND_EDGES), estimate.value, under, shade, kind="coefficient")

    remarks = [("", _("The stronger the colour of a cell, the better the two agree."))]
    if any(estimate.value is not None and estimate.n < FEWEST_SHADED for estimate in found.values()):
        pale = _("Pairs that share fewer than {n} items are not shaded: their kappa says little.", n=FEWEST_SHADED)
        remarks.append(("", pale))
    return Table(
        "matrix",
        _("{kappa} of each pair of people", kappa=saying(facts.kappa, _).name),
        (_("Annotator"), *names),
        [(Cell(one), *(cell(one, two) for two in names)) for one in names],
        remarks=remarks,
        look="heat",
    )


def judge_table(facts: Facts, judge: str, *, main: bool | None = None) -> EstimateTable:
    """Return one judge's figures against the consensus, overall and by dimension: all, main ones, or the others."""
    _ = facts._
    blocks, columns = _columns(facts)
    rows = []
    for key in _chosen(facts, facts.block.judges[judge], MAIN_JUDGE, main):
        rows.append(statistic_row(key, [block.judges[judge].get(key) for block in blocks], facts))
        rows += _within_row(facts, key, facts.block.within_judges.get(judge, {}), len(columns))
    caption = _("{judge} against the human consensus", judge=facts.titled(judge))
    if main is False:
        caption = _("Other figures of {judge} against the human consensus", judge=facts.titled(judge))
    return EstimateTable(f"judge-{facts.number_of(judge)}", caption, columns, rows)


def _chosen(facts: Facts, estimates: Estimates, leading: Sequence[str], main: bool | None) -> list[str]:
    """Return the keys of the main figures, in our order; of the others; or of both."""
    order = MAIN_NAMES if facts.nominal else leading
    first, others = [key for key in order if key in estimates], [key for key in estimates if key not in order]
    return first + others if main is None else first if main else others


def _within_row(facts: Facts, key: str, within: Estimates, columns: int) -> list[EstimateRow]:
    """Return the row of a figure within dimensions, where it has one."""
    if key not in within:
        return []
    _, said = facts._, saying(key, facts._)
    title = _("{figure}, within dimensions", figure=said.name)
    meaning = _("The same without what comes only from one dimension being easier than another.")
    return [EstimateRow(title, meaning, [within[key], *[None] * (columns - 1)], said.kind, thresholds_of(key))]


def ceiling_table(facts: Facts) -> EstimateTable | None:
    """Return the judge beside the people, like with like, in both ways of comparing them; None where it is not done."""
    _, found = facts._, facts.ceiling
    if found is None or found.leading[-1].value is None:
        return None
    pooled = found.sparse
    judge, people, difference = found.leading
    of_people = (
        _(
            "1 minus the squared difference of two people on an item, as a share of that of two scores of different "
            "items. Pooled over all items that the judge scored too, since two people share few."
        )
        if pooled
        else _("The kappa of two people, averaged over all pairs, on the items that the judge scored too.")
    )
    of_judge = (
        _("The same for the judge and each person.")
        if pooled
        else _("The kappa of the judge with one person, averaged over people.")
    )
    rows = [
        EstimateRow(_("Person with person"), of_people, [people], thresholds=thresholds_of("kappa")),
        EstimateRow(_("Judge with person"), of_judge, [judge], thresholds=thresholds_of("kappa")),
        EstimateRow(
            _("Difference"),
            _("Judge with person minus person with person; below 0 the judge agrees less."),
            [difference],
            thresholds=(-found.margin, 0.0),
        ),
    ]
    if found.leave_one_out_difference.value is not None and len(facts.panel.annotators) > 2:
        rows += [
            EstimateRow(
                _("One person with the others"),
                _("The kappa of each person with the median of the others, averaged over people."),
                [found.leave_one_out_person],
            ),
            EstimateRow(
                _("Judge with the same others"),
                _("The kappa of the judge with the same medians, averaged over people."),
                [found.leave_one_out_judge],
            ),
            EstimateRow(
                _("Difference against the others"),
                _("Judge minus person, both against the median of the others; below 0 the judge agrees less."),
                [found.leave_one_out_difference],
                thresholds=(-found.margin, 0.0),
            ),
        ]
    return EstimateTable(
        "ceiling",
        _("The judge beside the people, like with like"),
        [_("Agreement") if pooled else _("Kappa")],
        rows,
        _("Who with whom"),
    )


def judges_table(facts: Facts) -> EstimateTable:
    """Return the main figures of all judges beside each other."""
    _ = facts._
    keys = [key for key in (facts.kappa, "pearson", "mae", "bias", "exact_agreement") if key in facts.judge_estimates]
    rows = [statistic_row(key, [facts.block.judges[judge][key] for judge in facts.judges], facts) for key in keys]
    if best := facts.analysis.best:
        together = EstimateRow(
            _("{figure}, all judges at once", figure=saying(facts.kappa, _).name),
            _(
                "Intervals that hold for all {n} judges together: whoever picks the best of them must quote these.",
                n=_.number(len(best), 0),
            ),
            [best.get(judge) for judge in facts.judges],
            thresholds=thresholds_of(facts.kappa),
        )
        rows.insert(1, together)
    return EstimateTable(
        "judges", _("All judges against the human consensus"), list(map(facts.titled, facts.judges)), rows
    )


def without_sentence(facts: Facts) -> str:
    """Say how far the difference between judge and people hangs on single people; empty where that is not known."""
    _, ceiling = facts._, facts.ceiling
    found = {name: value for name, value in (ceiling.without if ceiling else {}).items() if value is not None}
    if ceiling is None or len(found) < 2 or ceiling.leading[-1].value is None:
        return ""
    lowest, highest = min(found, key=lambda one: found[one]), max(found, key=lambda one: found[one])
    return _(
        "Leaving out one person at a time, the difference runs from {low} (without {lowest}) to {high} (without "
        "{highest}).",
        low=facts.signed(found[lowest]),
        lowest=lowest,
        high=facts.signed(found[highest]),
        highest=highest,
    )


def sensitivity_name(name: str, facts: Facts) -> tuple[str, str]:
    """Return what a sensitivity is called and what it changes."""
    _ = facts._
    if name == "median_of_two" and facts.nominal:
        return (
            _("The two independent answers"),
            _("Leaves out the items on which the two differ, even where they agreed on an answer in the discussion."),
        )
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
        "weighted": (
            _("With sampling weights"),
            _("Counts each item as often as it stands for items of the log it was drawn from."),
        ),
        "without_masked": (
            _("Without masked items"),
            _("Leaves out the items in whose texts a model's name was hidden from the annotators."),
        ),
        "complete_only": (_("Complete items only"), _("Leaves out the items on which somebody's score is missing.")),
    }[name]


def sensitivity_table(facts: Facts) -> EstimateTable:
    """Return the main figures under each other way to look at the same scores."""
    _ = facts._
    chosen = {_("As in this report"): (_("The headline figures, for comparison."), facts.analysis.headline)}
    for name, blocks in facts.analysis.sensitivity.items():
        title, meaning = sensitivity_name(name, facts)
        chosen[title] = meaning, blocks
    keys = [key for key in (facts.kappa, "pearson", "mae", "bias") if key in facts.judge_estimates]
    people = facts.people_figure

    def estimates(blocks: Blocks) -> list[Estimate | None]:
        judge = blocks.overall.judges.get(facts.judge, {}) if facts.judge is not None else {}
        return [blocks.overall.people.get(people), *(judge.get(key) for key in keys)]

    return EstimateTable(
        "sensitivity",
        _("The main figures when the same scores are looked at in other ways"),
        [_("People: {figure}", figure=saying(people, _).name)]
        + [_("Judge: {figure}", figure=saying(key, _).name) for key in keys],
        [EstimateRow(title, meaning, estimates(blocks)) for title, (meaning, blocks) in chosen.items()],
        _("Scores"),
    )


def _columns(facts: Facts) -> tuple[list[Block], list[str]]:
    """Return the blocks of a table's columns and their headings."""
    _ = facts._
    blocks, names = [facts.block], [_("All items")]
    if len(facts.analysis.headline.by_dimension) > 1:
        for key, block in facts.analysis.headline.by_dimension.items():
            blocks.append(block)
            names.append(facts.dimension(key))
    return blocks, names
