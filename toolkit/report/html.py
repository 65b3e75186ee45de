"""report.html: one file that needs nothing else, from the templates in `templates/report`."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from toolkit.files import resources
from toolkit.model import Dimension
from toolkit.report import (
    blindness,
    cite,
    closer,
    counts,
    figures,
    pictures,
    plan,
    population,
    provenance,
    tables,
    triaged,
    trust,
)
from toolkit.report.absent import not_computed
from toolkit.report.cells import EstimateTable, Table, grid, thresholds_of
from toolkit.report.checklist import checklist
from toolkit.report.coverage import coverage_table
from toolkit.report.facts import BAND_EDGES, NO_LEAN, Facts
from toolkit.report.limits import limits
from toolkit.report.readings import flag_rule, none_flagged, reading
from toolkit.report.sayings import band_range, band_word, saying
from toolkit.report.sentences import (
    band_sentence,
    bias_sentence,
    direction_sentence,
    exploratory,
    people_sentence,
)
from toolkit.report.story import Story
from toolkit.report.verdict import verdict
from toolkit.stats.bands import Band
from toolkit.texts import clean

OPEN_READINGS = 12
# More items to read than these stay folded on paper, too.
MOST_PRINTED = 40
LIMITS_FIRST = 4
SHORT_NAME = 24


def render_html(story: Story) -> bytes:
    """Return the report as one HTML file. The same story gives the same bytes."""
    facts = Facts(story)
    environment = Environment(
        loader=FileSystemLoader(resources("templates") / "report", encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # whatever a text holds, the file stays valid: control characters and lone surrogates become visible
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    source = environment.loader
    assert source is not None
    style, script = (source.get_source(environment, name)[0] for name in ("report.css", "report.js"))
    # piece by piece: the whole page as one text, in as many bytes a character as its rarest takes, would be far larger
    page = environment.get_template("report.html").generate(
        _=facts._,
        plural=facts._.plural,
        facts=facts,
        story=story,
        style=style,
        script=script,
        policy=_policy(style, script),
        **_context(facts),
    )
    found = io.BytesIO()
    found.writelines(piece.encode() for piece in page)
    return found.getvalue()


def _policy(style: str, script: str) -> str:
    """Return a content security policy that lets nothing run or load but our own style and script."""

    def digest(text: str) -> str:
        return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; style-src '{digest(style)}'; script-src '{digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _described(facts: Facts) -> list[Dimension]:
    """Return the dimensions whose scores are put into words; ratings from elsewhere may come without any."""
    return [
        dimension
        for key, dimension in facts.story.rubric.dimensions.items()
        if key in facts.dimensions and any(level.description != str(value) for value, level in dimension.levels.items())
    ]


def _context(facts: Facts) -> dict[str, Any]:
    given = counts.counts_by_rater(facts)
    said = verdict(facts)
    found, ceiling, profiles = limits(facts), tables.ceiling_table(facts), provenance.profiles_table(facts)
    leans = closer.lean_tables(facts)
    return {
        "verdict": said,
        "verdict_title": _unbroken(said.sentence, facts.the_judge),
        "exploratory": exploratory(facts),
        "people": _people_card(facts),
        "cards": _judge_cards(facts),
        "fine": _fine(facts),
        "limits": found,
        # the gravest come first; none of those is left for later
        "limits_first": found[: max(LIMITS_FIRST, sum(limit.grave for limit in found))],
        "not_computed": not_computed(facts),
        "legend": [(_class(band), band_word(band, facts._), band_range(band, facts._)) for band in Band],
        "ceiling_forest": pictures.ceiling(facts),
        "people_forest": pictures.people(facts),
        "judge_forest": pictures.judge(facts),
        "matrix": tables.pair_matrix(facts),
        "people_table": grid(tables.people_table(facts, main=True), facts),
        "people_others": grid(tables.people_table(facts, main=False), facts),
        "pairs_table": grid(tables.pairs_table(facts), facts),
        "counts": given,
        "distributions": figures.distributions(given, facts),
        "judge_tables": [grid(tables.judge_table(facts, judge, main=True), facts) for judge in facts.judges],
        "judge_others": [grid(tables.judge_table(facts, judge, main=False), facts) for judge in facts.judges],
        "ceiling_table": grid(ceiling, facts) if ceiling is not None else None,
        "judges_table": grid(tables.judges_table(facts), facts) if len(facts.judges) > 1 else None,
        "closer": [_shown(table, facts) for table in closer.closer_tables(facts)],
        "shuffled": closer.shuffled_sentence(facts),
        "trust": [_shown(table, facts) for table in trust.trust_tables(facts)],
        "rule": trust.rule_sentence(facts),
        "without": tables.without_sentence(facts),
        "described": _described(facts),
        "leans": [grid(table, facts) for table in leans],
        "leans_alone": any(len(table.columns) == 1 for table in leans[1:]),
        "confusions": [counts.confusion_table(facts, judge) for judge in facts.judges],
        "confusions_by_dimension": _confusions_by_dimension(facts),
        "bubbles": [] if facts.nominal else [figures.bubbles(facts, judge) for judge in facts.judges],
        "bias": bias_sentence(facts, facts.judge_estimates.get("bias")) if not facts.nominal else "",
        "bias_by_dimension": _bias_by_dimension(facts),
        "bias_forest": pictures.bias(facts),
        "directions": direction_sentence(facts) if facts.judge and not facts.nominal else "",
        "flag_rule": flag_rule(facts),
        "none_flagged": none_flagged(facts),
        "to_read": facts.to_read,
        "open_readings": OPEN_READINGS,
        "most_printed": MOST_PRINTED,
        "read_rows": {*facts.to_read},
        # one at a time: with their texts formatted, all of them take more memory than the page
        "reading": partial(reading, facts),
        "sensitivity": grid(tables.sensitivity_table(facts), facts) if facts.analysis.sensitivity else None,
        "annotators": provenance.annotators_table(facts),
        "profiles": grid(profiles, facts) if profiles is not None else None,
        "worth_a_look": provenance.worth_a_look(facts),
        "quality": provenance.quality(facts),
        "repairs": provenance.repairs_table(facts) if facts.story.repairs else None,
        "files": provenance.files_table(facts) if facts.story.files else None,
        "seal": provenance.seal_table(facts),
        "fingerprints": provenance.fingerprints_table(facts),
        "closing": blindness.closing_table(facts),
        "blindness": blindness.blindness(facts),
        "who_is_unknown": plan.who_is_unknown(facts),
        "incomplete": plan.incomplete_table(facts),
        "plan": plan.plan(facts),
        "validity": plan.validity(facts),
        "triaged_sentence": triaged.sentence(facts),
        "triaged": triaged.tables(facts),
        "population_lead": population.lead(facts),
        "population_tables": population.tables(facts),
        "population_remarks": population.remarks(facts),
        "population_method": " ".join(population.method(facts)),
        "checklist": checklist(facts),
        "citation": cite.citation(facts),
        "bibliography": cite.bibliography(facts),
        "method": provenance.method(facts),
        "coverage": coverage_table(facts),
        "explained": provenance.explained(facts),
    }


def _unbroken(sentence: str, name: str) -> Markup:
    """Return a sentence in which a short name stays on one line: `gpt-4o` would break at its hyphen."""
    name, text = escape(clean(name)), escape(clean(sentence))
    if not 1 < len(name) <= SHORT_NAME:
        return text
    return Markup(re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _match: f'<span class="whole">{name}</span>', text))


def _shown(table: EstimateTable | Table, facts: Facts) -> Table:
    return grid(table, facts) if isinstance(table, EstimateTable) else table


def _class(band: Band) -> str:
    return str(band).replace("_", "-")


def _people_card(facts: Facts) -> dict[str, str] | None:
    found = facts.people_kappa
    if found is None:
        return None
    said = saying(facts.people_figure, facts._)
    return {
        "name": said.name,
        "value": facts.estimate(found, edges=BAND_EDGES),
        "interval": facts.interval(found, edges=BAND_EDGES),
        "band": band_sentence(found, facts._),
        "meaning": said.meaning,
        "sentence": people_sentence(found, facts),
    }


def _judge_cards(facts: Facts) -> list[dict[str, str]]:
    cards = []
    for key in _card_keys(facts):
        found = facts.judge_estimates.get(key)
        if found is None:
            continue
        said = saying(key, facts._)
        cards.append(
            {
                "name": said.name,
                "value": facts.estimate(found, said.kind, thresholds_of(key)),
                "interval": facts.interval(found, said.kind, thresholds_of(key)),
                "band": band_sentence(found, facts._) if key == facts.kappa else "",
                "meaning": said.meaning,
            }
        )
    return cards


def _fine(facts: Facts) -> bool:
    """Return whether a number of the first page has more places than the others."""
    shown = [(facts.people_kappa, BAND_EDGES)]
    shown += [(facts.judge_estimates.get(key), thresholds_of(key)) for key in _card_keys(facts)]
    if facts.ceiling is not None:
        judge, people, difference = facts.ceiling.leading
        shown += [(judge, BAND_EDGES), (people, BAND_EDGES), (difference, (-facts.ceiling.margin, *NO_LEAN))]
    return any(facts.is_fine(one, edges=edges) for one, edges in shown)


def _card_keys(facts: Facts) -> tuple[str, ...]:
    return (facts.kappa, "exact_agreement") if facts.nominal else (facts.kappa, "pearson", "mae")


def _confusions_by_dimension(facts: Facts) -> list[Table]:
    if facts.judge is None or len(facts.analysis.headline.by_dimension) < 2:
        return []
    return [counts.confusion_table(facts, facts.judge, key) for key in facts.analysis.headline.by_dimension]


def _bias_by_dimension(facts: Facts) -> list[tuple[str, str]]:
    return list(_biases(facts)) if facts.judge is not None and not facts.nominal else []


def _biases(facts: Facts) -> Iterator[tuple[str, str]]:
    if len(facts.analysis.headline.by_dimension) > 1 and facts.judge is not None:
        for key, block in facts.analysis.headline.by_dimension.items():
            yield facts.dimension(key), bias_sentence(facts, block.judges[facts.judge].get("bias"))
