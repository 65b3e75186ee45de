"""Judge scores that come in a file of their own, joined to items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.model import Judgement, Scale, SourceItem
from toolkit.records import NO_RENAME, JudgeTable, read_judgements
from toolkit.texts import many

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Key = tuple[str, str]


@dataclass(frozen=True)
class Judged:
    """Judgements that belong to known items, and the judge the report is about.

    Attributes:
        items: What judged records say of the items, in the order of the known items; those themselves otherwise.
    """

    judgements: tuple[Judgement, ...]
    headline: str | None
    warnings: tuple[str, ...] = ()
    items: tuple[SourceItem, ...] = ()


def join_judged(
    path: Path,
    items: Sequence[SourceItem],
    scale: Scale,
    *,
    rename: Mapping[str, str] = NO_RENAME,
    described: bool = False,
) -> Judged:
    """Return the judgements of a file that are about these items.

    They are joined by item_id and dimension; a file without dimensions is joined by item_id where that is enough.

    Args:
        path: The file.
        items: The items.
        scale: The scale the judge used.
        rename: Field to the file's own name for it.
        described: Whether judged records tell what the items are, too: texts, categories, models, strata.

    Raises:
        ToolkitError: When the file cannot be read, nothing in it fits or is a score, or an item_id without a dimension
            fits several.
    """
    table = read_judgements(path, scale=scale, rename=rename, described=described)
    keys = {item.key for item in items}
    judgements = table.judgements if table.has_dimension else _with_dimensions(path, table, items)
    fitting = tuple(judgement for judgement in judgements if judgement.key in keys)
    if not fitting:
        example = judgements[0].item_id if judgements else None
        raise ToolkitError(
            Problem(
                "holds no judge score for any item of the study (they are joined by item_id and dimension)",
                "check that the identifiers are the same in both files",
                path,
                value=example,
            )
        )
    warnings = list(table.warnings)
    if len(fitting) < len(judgements):
        warnings.append(f"{shown(path.name)}: {many(len(judgements) - len(fitting), 'judge score')} about other items")
    headline = table.headline_judge
    if headline not in {judgement.judge for judgement in fitting}:
        headline = fitting[0].judge
    if all(judgement.score is None for judgement in fitting if judgement.judge == headline):
        # another judge in the file must not take its place in silence
        what = f"judge {shown(headline)}, whose file this is, has no score for any item of the study"
        raise ToolkitError(Problem(what, "look at its raw answers; toolkit judge --reparse reads them again", path))
    return Judged(fitting, headline, tuple(warnings), _described(table, items))


def _described(table: JudgeTable, items: Sequence[SourceItem]) -> tuple[SourceItem, ...]:
    known = {item.key if table.has_dimension else item.item_id: item for item in table.items}
    found = ((item, known.get(item.key if table.has_dimension else item.item_id, item)) for item in items)
    return tuple(told.model_copy(update={"dimension": item.dimension}) for item, told in found)


def merged(own: Sequence[Judgement], own_headline: str | None, joined: Judged, path: Path) -> Judged:
    """Return the judgements of a sample together with those of a `--judged` file, whose judge becomes the headline.

    Raises:
        ToolkitError: When both hold a score of one judge for one item, and the scores differ.
    """
    known = {(judgement.key, judgement.judge): judgement for judgement in own}
    conflicts = [
        (judgement, known[judgement.key, judgement.judge])
        for judgement in joined.judgements
        if (judgement.key, judgement.judge) in known
        and judgement.score is not None
        and known[judgement.key, judgement.judge].score not in (None, judgement.score)
    ]
    if conflicts:
        raise ToolkitError(
            Problem(
                f"judge {shown(new.judge)} gives item {shown(new.item_id)} {new.score}, the sample says {old.score}",
                "remove the judge scores that do not count from one of the two files",
                path,
            )
            for new, old in conflicts
        )
    added = {(judgement.key, judgement.judge) for judgement in joined.judgements if judgement.score is not None}
    kept = tuple(judgement for judgement in own if (judgement.key, judgement.judge) not in added)
    return Judged(joined.judgements + kept, joined.headline or own_headline, joined.warnings)


class JudgeColumns(NamedTuple):
    """What judges said, as arrays over the items; the fields are those of `Panel`."""

    judges: dict[str, Array]
    confidence: dict[str, Array]
    repeats: dict[str, Array]


def judge_columns(
    judgements: Iterable[Judgement], headline: str | None, items: Sequence[SourceItem], scale: Scale
) -> JudgeColumns:
    """Return each judge's scores over the items, NaN where there is none, the headline judge first.

    Its stated confidence and its repeated judgements of the same input come along, for judges that have any.
    """
    import numpy as np

    rows = {item.key: row for row, item in enumerate(items)}
    found = JudgeColumns({}, {}, {})
    said = [(rows[judgement.key], judgement) for judgement in judgements if judgement.key in rows]
    for row, judgement in said:
        if judgement.score is not None:
            found.judges.setdefault(judgement.judge, np.full(len(items), np.nan))[row] = scale.code(judgement.score)
        if judgement.confidence is not None and 0 <= judgement.confidence <= 1:
            column = found.confidence.setdefault(judgement.judge, np.full(len(items), np.nan))
            column[row] = judgement.confidence
    for judge in found.judges:
        repeated = {
            row: judgement.scores
            for row, judgement in said
            if judgement.judge == judge and judgement.unit == "set" and len(judgement.scores) > 1
        }
        if repeated:
            repeats = np.full((len(items), max(map(len, repeated.values()))), np.nan)
            for row, scores in repeated.items():
                repeats[row, : len(scores)] = scores
            found.repeats[judge] = repeats
    ordered = dict(sorted(found.judges.items(), key=lambda pair: pair[0] != headline))
    return found._replace(judges=ordered)


def _with_dimensions(path: Path, table: JudgeTable, items: Sequence[SourceItem]) -> tuple[Judgement, ...]:
    dimensions: dict[str, list[str]] = {}
    for item in items:
        dimensions.setdefault(item.item_id, []).append(item.dimension)
    unclear = sorted({j.item_id for j in table.judgements if len(dimensions.get(j.item_id, [])) > 1})
    if unclear:
        raise ToolkitError(
            Problem(
                "names no dimension for an item that has several",
                "add a column dimension",
                path,
                value=item_id,
            )
            for item_id in unclear
        )
    return tuple(
        judgement.model_copy(update={"dimension": dimensions[judgement.item_id][0]})
        if judgement.item_id in dimensions
        else judgement
        for judgement in table.judgements
    )
