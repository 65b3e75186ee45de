"""analyze: the same report from ratings collected elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from toolkit.analysis import Options, Panel, analyse
from toolkit.errors import Problem, refuse, shown
from toolkit.files import sha256
from toolkit.jobs.consolidate import Done
from toolkit.jobs.discussed import discuss
from toolkit.jobs.judged import join_judged, judge_columns
from toolkit.jobs.report import Wanted, today, write_report
from toolkit.jobs.triaged import triage
from toolkit.model import Annotation, Judgement, Rubric, Scale, SourceItem
from toolkit.ratings import JUDGED, Ratings, read_ratings
from toolkit.report.sharing import Pseudonyms
from toolkit.report.story import DROPPED, Story
from toolkit.rubrics import bare_rubric
from toolkit.study import item_codes
from toolkit.values import labels_of
from toolkit.workbook.limits import limits_for

# Ratings collected elsewhere have no study and so no seed of their own; their codes only have to be the same each time.
CODE_SEED = 0


def analyze(
    ratings_path: Path,
    out: Path,
    *,
    scale: Scale | None = None,
    rubric: Rubric | None = None,
    rename: Mapping[str, str] | None = None,
    judged: Path | None = None,
    discussion: Path | None = None,
    triaged: Path | None = None,
    without: tuple[str, ...] = (),
    seed: int,
    language_code: str,
    wanted: Wanted | None = None,
    limits: Mapping[str, int] | None = None,
    force: bool = False,
) -> Done:
    """Write a report folder from a table of ratings.

    Args:
        ratings_path: A long or a wide table of ratings.
        out: The report folder.
        scale: The scale; the rubric's, or 1 to 5, where it is not given.
        rubric: The rubric, where there is one.
        rename: Field of the ratings to the file's own name for it.
        judged: File of judge scores to join; those in a wide table of ratings itself by default. Judged records also
            say what the items are: texts, categories, models, strata.
        discussion: Outcomes of a discussion.
        triaged: A filled triage workbook.
        without: Annotators to leave out.
        seed: Of the bootstrap.
        language_code: Language of the report.
        wanted: What is asked of the report beyond its usual files.
        limits: Limits of a file that were chosen, by name.
        force: Whether files of an earlier report may be replaced.

    Raises:
        ToolkitError: With every problem found; nothing is written then.
    """
    scale, most = scale or (rubric.scale if rubric else Scale()), limits_for(None, limits)
    ratings = read_ratings(ratings_path, scale=scale, labels=labels_of(rubric) if rubric else {}, rename=rename or {})
    refuse(
        Problem("an annotator's name holds |, which joins the two names of a pair", "rename the annotator", value=name)
        for name in ratings.annotators
        if "|" in name
    )
    unknown = [name for name in without if name not in ratings.annotators]
    refuse(
        Problem("--without names nobody in the file", f"it has {', '.join(map(shown, ratings.annotators))}", value=name)
        for name in unknown
    )
    rubric = rubric or bare_rubric(scale, dict.fromkeys(dimension for _id, dimension in ratings.items), language_code)
    panel = _panel(ratings, scale, without)
    files = {"ratings": (ratings_path.name, sha256(ratings_path.read_bytes()))}
    warnings = list(ratings.warnings)
    judgements: dict[tuple[str, str], list[Judgement]] = {}
    if judged is None and ratings.judged:
        judged = ratings_path
        column = shown((rename or {}).get("judge_score", "judge_score"))
        warnings.append(f"{shown(ratings_path.name)}: the column {column} is taken for the judge's (see --judged)")
    if judged is not None:
        # a wide table of ratings has its own names for the judge's fields, too
        given = (rename or {}) if judged == ratings_path else {}
        names = {field: name for field, name in given.items() if field in JUDGED}
        joined = join_judged(judged, panel.items, scale, rename=names, described=True)
        columns = judge_columns(joined.judgements, joined.headline, panel.items, scale)
        panel = replace(panel, items=joined.items, **columns._asdict())
        files["judged"] = (judged.name, sha256(judged.read_bytes()))
        warnings += joined.warnings
        for judgement in joined.judgements:
            judgements.setdefault(judgement.key, []).append(judgement)
    if discussion is not None:
        talked = discuss(discussion, panel, rubric, "", most)
        panel = replace(panel, discussed=talked.outcomes)
        files["discussion"] = talked.file
        warnings += talked.warnings
    pseudonyms = Pseudonyms.of((*panel.annotators, *without), files) if wanted and wanted.anonymous else None
    if pseudonyms is not None:
        panel = pseudonyms.panel(panel)
    analysis = analyse(panel, Options(seed=seed, fewest_scores=1, collected_elsewhere=True))
    warnings += analysis.warnings
    outcomes = None
    if triaged is not None:
        outcomes, files["triage"] = triage(triaged, analysis, "", most)
    story = Story(
        analysis=analysis,
        rubric=rubric,
        language_code=language_code,
        title=(wanted and wanted.title) or ratings_path.stem,
        judgements=judgements,
        files=files,
        left_out=dict.fromkeys(without, DROPPED),
        repairs=ratings.repairs,
        triage=outcomes,
        date=today(),
        warnings=tuple(warnings),
    )
    if pseudonyms is not None:
        story = pseudonyms.story(story)
    written, notices = write_report(story, out, force=force, wanted=wanted, limits=most)
    return Done(story, out, tuple(written), (*warnings, *notices))


def _panel(ratings: Ratings, scale: Scale, without: tuple[str, ...]) -> Panel:
    people = tuple(name for name in ratings.annotators if name not in without)
    items = tuple(SourceItem(item_id=item_id, dimension=dimension) for item_id, dimension in ratings.items)
    codes = tuple(item_codes([item.key for item in items], CODE_SEED))
    scores = np.full((len(items), len(people)), np.nan)
    annotations = {}
    for row, key in enumerate(ratings.items):
        for column, name in enumerate(people):
            rating = ratings.annotations.get(key, {}).get(name)
            if rating is None:
                continue
            scores[row, column] = scale.code(rating.value)
            annotations[row, name] = Annotation(
                annotator=name,
                item_code=codes[row],
                score=rating.value,
                justification=rating.justification,
                doubt=rating.doubt,
                notes=rating.notes,
                place=rating.place,
            )
    return Panel(scale, items, codes, people, scores, annotations=annotations)
