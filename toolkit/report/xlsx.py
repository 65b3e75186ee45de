"""report.xlsx: the report's tables, with the main figures as live formulas over the raw scores."""

from __future__ import annotations

from toolkit.report import (
    blindness,
    closer,
    counts,
    live,
    live_items,
    live_nominal,
    plan,
    population,
    provenance,
    tables,
    triaged,
    trust,
)
from toolkit.report.absent import not_computed
from toolkit.report.cells import Table
from toolkit.report.charts import Place, charts, placed
from toolkit.report.checklist import checklist
from toolkit.report.cite import citation
from toolkit.report.facts import Facts
from toolkit.report.limits import limits
from toolkit.report.readings import Reading, about, reading
from toolkit.report.sayings import saying
from toolkit.report.sentences import bias_sentence, direction_sentence, exploratory
from toolkit.report.sheet_page import ESTIMATE, Page
from toolkit.report.story import Story
from toolkit.report.verdict import verdict
from toolkit.texts import clean
from toolkit.workbook.parts import TEXT_WIDTH_PX, pieces
from toolkit.workbook.sheets import Book

TITLE_CHARACTERS = 200
# With more items than this, some 20,000 rows, memory matters more than time.
LARGE = 2_500
FIGURE_WIDTHS = (250, 190, *[90] * 5, *[110] * 5)


def render_xlsx(story: Story) -> bytes:
    """Return the report as a workbook. The same story gives the same bytes."""
    facts = Facts(story)
    _ = facts._
    title = clean(_("Validation report: {title}", title=story.title))[:TITLE_CHARACTERS]
    book = Book(title, large=len(facts.panel.items) > LARGE)
    titles = (
        _("Summary"),
        _("Agreement"),
        _("Judge"),
        _("Consensus"),
        _("Divergences"),
        _("Items"),
        _("Annotators"),
        _("Method"),
    )
    pages = [Page(book.sheet(title), _) for title in titles]
    summary, agreement, judge, consensus, divergences, items, annotators, method = pages
    at = live_items.consensus_sheet(consensus, facts)
    people, scores = _agreement(agreement, facts, at)
    judged = _judge(judge, facts, at)
    _summary(summary, facts, people, judged, scores)
    _divergences(divergences, facts)
    _items(items, facts)
    _annotators(annotators, facts)
    _method(method, facts)
    for page in pages:
        page.printed(repeated=0 if page in (consensus, divergences, items) else None)
    summary.sheet.raw.activate()
    return book.data()


def _summary(
    page: Page, facts: Facts, people: dict[str, str], judged: dict[tuple[str, str], str], scores: Place
) -> None:
    _, said = facts._, verdict(facts)
    page.widths(270, 150, 90, 90, 90, 80, 90, 560)
    page.heading(facts.story.title, "h1")
    page.sentence(f"{said.word}: {said.sentence}", "h2")
    for text in (*said.support, exploratory(facts)):
        page.sentence(text)
    page.next()
    page.header((_("Figure"), _("Scope"), *page.estimate_titles(), _("What it says")), numbers=ESTIMATE)
    scopes = [("", _("All items"), facts.block)]
    if len(facts.analysis.headline.by_dimension) > 1:
        scopes += [(key, facts.dimension(key), block) for key, block in facts.analysis.headline.by_dimension.items()]
    rows_of: dict[tuple[str, str], int] = {}
    for key, title, block in scopes:
        # the chart wants the mean of the pairs also where another figure leads
        main = "fleiss_kappa" if facts.nominal else "mean_pairwise_kappa"
        rows = [
            (name, _("People: {figure}", figure=saying(name, _).name), block.people.get(name), cell)
            for name, cell in {facts.people_figure: None, main: people.get(key)}.items()
        ]
        estimates = block.judges.get(facts.judge, {}) if facts.judge is not None else {}
        for name in (facts.kappa, "pearson", "mae", "bias", "exact_agreement"):
            label = _("Judge: {figure}", figure=saying(name, _).name)
            rows.append((name, label, estimates.get(name), judged.get((name, key))))
        for name, label, estimate, cell in rows:
            if estimate is not None:
                rows_of[name, key] = page.row
                page.text(0, label, "cell_bold")
                page.text(1, title)
                page.estimate(2, estimate, saying(name, _).kind, f"={cell}" if cell else None)
                page.text(7, "" if key else saying(name, _).meaning)
                page.next()
    page.remarks()
    page.next()
    charts(page, facts, people, judged, rows_of, scores)
    page.heading(_("Limitations"))
    for limit in limits(facts):
        page.sentence(f"{limit.short}. {limit.text}")
    page.next()
    page.sentence(plan.validity(facts))


def _agreement(page: Page, facts: Facts, at: live_items.Columns) -> tuple[dict[str, str], Place]:
    _ = facts._
    page.widths(*_figure_widths(facts))
    page.heading(_("Agreement among people"), "h1")
    cells: dict[str, str] = {}
    if facts.nominal:
        live_nominal.pairs_table(page, facts, at)
    else:
        cells = live.pairs_table(page, facts, at)
    page.estimates(tables.people_table(facts), _("Scope"))
    page.estimates(tables.pairs_table(facts), _("Pair"))
    return cells, placed(page, counts.counts_by_rater(facts), len(facts.panel.scale.codes))


def _figure_widths(facts: Facts) -> list[int]:
    """Return the widths of the columns of figures, as many as the counts of scores without order need."""
    more = live_nominal.COUNTS + 2 * len(facts.panel.scale.codes) - len(FIGURE_WIDTHS) if facts.nominal else 0
    return [*FIGURE_WIDTHS, *[FIGURE_WIDTHS[-1]] * more]


def _judge(page: Page, facts: Facts, at: live_items.Columns) -> dict[tuple[str, str], str]:
    _ = facts._
    page.widths(*_figure_widths(facts))
    page.heading(_("Judge against people"), "h1")
    if facts.judge is None:
        page.sentence(verdict(facts).sentence)
        return {}
    if not facts.nominal:
        page.sentence(bias_sentence(facts, facts.judge_estimates.get("bias")))
        page.sentence(direction_sentence(facts))
    cells: dict[tuple[str, str], str] = {}
    for judge in facts.judges:
        found = (live_nominal if facts.nominal else live).judge_table(page, facts, at, judge)
        cells = cells or found
    ceiling = tables.ceiling_table(facts)
    if ceiling is not None:
        page.estimates(ceiling, _("Figure"))
    for judge in facts.judges:
        page.table(counts.confusion_table(facts, judge))
    for judge in facts.judges:
        page.estimates(tables.judge_table(facts, judge), _("Scope"))
    for table in (*trust.trust_tables(facts), *closer.closer_tables(facts), *closer.lean_tables(facts)):
        if isinstance(table, Table):
            page.table(table)
        else:
            page.estimates(table, _("Who"))
    if len(facts.analysis.headline.by_dimension) > 1:
        for key in facts.analysis.headline.by_dimension:
            page.table(counts.confusion_table(facts, facts.judge, key))
    if facts.analysis.sensitivity:
        page.estimates(tables.sensitivity_table(facts), _("Figure"))
    if said := population.lead(facts):
        page.heading(_("The whole log"))
        for text in (said, *population.remarks(facts), *population.method(facts)):
            page.sentence(text)
        for table in population.tables(facts, wide=True):
            page.table(table)
    if said := triaged.sentence(facts):
        page.heading(_("Is it really the judge that errs?"))
        page.sentence(said)
        for table in triaged.tables(facts):
            page.table(table)
    return cells


def _divergences(page: Page, facts: Facts) -> None:
    _ = facts._
    titles = (
        _("Item"),
        _("Code"),
        _("Dimension"),
        _("Why to read it"),
        _("Who"),
        _("Score"),
        _("Justification"),
        _("Doubt"),
        _("Notes"),
        _("Consensus"),
        _("Outcome of the discussion"),
    )
    page.widths(150, 70, 110, 190, 120, 60, 380, 60, 240, 80, 280)
    page.header(titles)
    for item in (reading(facts, row) for row in facts.to_read):
        outcome = "\n".join(f"{label}: {text}" for label, text in item.discussion)
        for voice in item.voices:
            page.text(0, item.name, "cell_bold")
            page.text(1, item.code)
            page.text(2, item.about[0][1])
            page.text(3, " ".join((*item.why, *item.state)))
            page.text(4, _("Judge {judge}", judge=voice.name) if voice.judge else voice.name)
            _score(page, 5, voice.value, voice.score, facts)
            page.text(6, voice.justification)
            page.text(7, _("yes") if voice.doubt else "")
            page.text(8, "\n".join(filter(None, (voice.single, voice.notes))))
            page.text(9, item.consensus, "number")
            page.text(10, outcome)
            page.next()
    _list(page, len(titles))


def _items(page: Page, facts: Facts) -> None:
    """Write every item in full: a row for each piece of text, then one for each person and judge."""
    _ = facts._
    rows = range(len(facts.panel.items))
    labels = [label for label, _text in max((about(facts, row) for row in rows), key=len)]
    titles = (_("Item"), _("Code"), *labels, _("What"), _("Score"), _("Text"), _("Doubt"), _("Notes"))
    page.widths(150, 70, *[110] * len(labels), 150, 60, TEXT_WIDTH_PX, 60, 240)
    page.header(titles)
    first = 2 + len(labels)
    for row in rows:
        item = reading(facts, row)
        known = dict(item.about)

        def begin(what: str, item: Reading = item, known: dict[str, str] = known) -> None:
            page.text(0, item.name, "cell_bold")
            page.text(1, item.code)
            for column, label in enumerate(labels, 2):
                page.text(column, known.get(label, ""))
            page.text(first, what)

        for piece in pieces(facts.panel.items[row].blind(item.code), _, facts.story.markdown):
            begin(piece.label)
            for column in (first + 1, first + 3, first + 4):
                page.text(column, "")
            page.text(first + 2, piece.text, lines=piece.lines)
            page.next()
        for voice in item.voices:
            begin(_("Judge {judge}", judge=voice.name) if voice.judge else voice.name)
            _score(page, first + 1, voice.value, voice.score, facts)
            page.text(first + 2, voice.justification)
            page.text(first + 3, _("yes") if voice.doubt else "")
            page.text(first + 4, "\n".join(filter(None, (voice.single, voice.notes))))
            page.next()
    _list(page, len(titles))


def _score(page: Page, column: int, value: float | None, shown: str, facts: Facts) -> None:
    if facts.nominal or value is None:
        page.text(column, shown, "number")
    else:
        page.value(column, value, "score")


def _list(page: Page, columns: int) -> None:
    """Give a sheet that is one long table its filter and a header that stays."""
    page.sheet.raw.freeze_panes(1, 1)
    page.sheet.raw.autofilter(0, 0, max(1, page.row - 1), columns - 1)


def _annotators(page: Page, facts: Facts) -> None:
    page.widths(250, 190, 90, 90, 90, 90, 90, 500)
    page.heading(facts._("Annotators and data"), "h1")
    page.table(provenance.annotators_table(facts))
    profiles = provenance.profiles_table(facts)
    if profiles is not None:
        page.estimates(profiles, facts._("Annotator"))
    page.next()
    for text in (*provenance.worth_a_look(facts), *blindness.blindness(facts), *provenance.quality(facts)):
        page.sentence(text)
    for found in (
        blindness.closing_table(facts),
        plan.incomplete_table(facts),
        provenance.repairs_table(facts) if facts.story.repairs else None,
        provenance.files_table(facts) if facts.story.files else None,
        provenance.seal_table(facts),
        provenance.fingerprints_table(facts),
    ):
        if found is not None:
            page.table(found)
    page.heading(facts._("The plan, and what became of it"))
    page.pairs(plan.plan(facts))


def _method(page: Page, facts: Facts) -> None:
    _ = facts._
    page.widths(240, 520, 460, 330)
    page.heading(_("Method"), "h1")
    page.pairs(provenance.method(facts))
    page.heading(_("The figures, one by one"))
    page.header((_("Figure"), _("What it says"), _("Formula"), _("Source")))
    for one in provenance.explained(facts):
        for column, text in enumerate((one.name, one.meaning, one.formula, one.source)):
            page.text(column, text, "cell" if column else "cell_bold")
        page.next()
    page.heading(_("Not computed"))
    page.pairs(not_computed(facts))
    page.table(checklist(facts))
    page.heading(_("How to cite"))
    page.sentence(citation(facts))
