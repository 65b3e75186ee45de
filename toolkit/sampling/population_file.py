"""What population found, as the file that `consolidate --population` reads back into a report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, ValidationError

from toolkit.errors import Problem, ToolkitError
from toolkit.files import canonical_json, pretty_json, read_text, sha256
from toolkit.model import Frozen

RemarkKind = Literal[
    "items_not_in_log",
    "scores_not_in_log",
    "no_consensus",
    "lost_strata",
    "nothing_scored",
    "too_few",
    "not_judged",
    "no_chance",
    "other_size",
    "no_weights",
    "few",
    "rare",
]


class Remark(Frozen):
    """Something that limits the estimates; its words are `toolkit.report.population.remark_text`.

    Attributes:
        dimension: Which dimension it is about; empty for all.
        n: A number in it, `of` another number or a whole.
        names: Items, groups or strata it names.
        levels: Levels of the scale it names.
    """

    kind: RemarkKind
    dimension: str = ""
    n: int = 0
    of: int = 0
    names: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()


class Corrected(Frozen):
    """An estimate: see `toolkit.stats.correction.Corrected`. `power` is called lambda in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False)

    value: float
    ci95: tuple[float, float]
    n: int
    judge_alone: float
    people_alone: float
    power: float = Field(alias="lambda")


class Difference(Corrected):
    """The mean score of one group less that of another."""

    first: str
    second: str


class RoganGladen(Frozen):
    """The share of passes, corrected for the judge's false passes and false fails."""

    threshold: float
    value: float
    ci95: tuple[float, float]


class Dimension(Frozen):
    """The estimates of one dimension.

    Attributes:
        n: Records that people and judge scored.
        share_at_or_above: By level, as text.
    """

    n: int
    log_records: int
    judge_scored: int
    share_at_or_above: dict[str, Corrected]
    mean: Corrected
    differences: tuple[Difference, ...] = ()
    rogan_gladen: RoganGladen | None = None


class Counts(Frozen):
    """Records of the log: read, of the study's kind (`frame`), and scored by the judge."""

    name: str
    read: int
    frame: int
    scored: int


class PopulationFile(Frozen):
    """The whole file.

    Attributes:
        scores: SHA-256 of the human scores the estimates rest on.
        by: The column whose groups are compared.
        dimensions: Estimates by dimension; None where there are too few records for any.
        warnings: The remarks in English.
    """

    schema_: Literal[1] = Field(1, alias="schema")
    study_id: str
    scores: str
    estimand: str
    by: str | None
    log: Counts
    dimensions: dict[str, Dimension | None]
    remarks: tuple[Remark, ...]
    warnings: tuple[str, ...]

    def to_json(self) -> bytes:
        """Return the file's content."""
        return pretty_json(self.model_dump(mode="json", by_alias=True))


def scores_digest(codes: Sequence[str], human: Iterable[float]) -> str:
    """Return the fingerprint of the human scores of a study's items, in the order of the study."""
    scores = [None if math.isnan(score) else float(score) for score in human]
    return sha256(canonical_json(list(zip(codes, scores, strict=True))))


def read_population(path: Path) -> PopulationFile:
    """Return what `toolkit population -o` wrote.

    Raises:
        ToolkitError: When it cannot be read, or is something else.
    """
    fix = "give the file that toolkit population STUDY --log LOG -o FILE wrote"
    try:
        return PopulationFile.model_validate_json(read_text(path))
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"])) or None
        raise ToolkitError(
            Problem(f"holds no estimates of toolkit population: {fault['msg']}", fix, path, cell=place)
        ) from error
