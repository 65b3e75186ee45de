"""What a report tells besides the figures: where the data come from and what happened to them on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from toolkit.analysis import Analysis
from toolkit.i18n import Language, language
from toolkit.model import Judgement, Rubric
from toolkit.sampling.population_file import PopulationFile
from toolkit.study import Study
from toolkit.values import Repair
from toolkit.workbook.triage import Triaged

# Why an annotator does not take part; metrics.json has the words as they stand here, a report translates them.
ABSENT, DROPPED = "returned nothing", "left out with --without"


@dataclass(frozen=True)
class Story:
    """An analysis with its circumstances: the input of every report.

    Attributes:
        title: Name of the study or of the file of ratings.
        study: The study; None for ratings collected elsewhere.
        judgements: What judges said of each item, by (item_id, dimension), for the items people read about.
        files: (file name, SHA-256) of what was read, by what it was (an annotator, `ratings`, `judged`,
            `discussion`).
        left_out: Annotators who do not take part, with the reason in words.
        repairs: Values that were not plain, and how they were read.
        moved: Sealed things that changed since the workbooks were made (`items`, `judge_scores`, `plan`).
        closing: Answers to the closing questions, by annotator and machine key.
        triage: What somebody found of items where judge and consensus lie far apart, by row; None when nobody looked.
        population: What people would have scored on the whole log; None when nobody estimated it.
        date: The day the report was made, as YYYY-MM-DD; empty when that does not matter.
        texts: Whether prompts and answers are shown; without them the items are names only.
        anonymous: Whether the annotators' names have been replaced.
        judge_seen_first: Whether the judge's figures were there to be seen before the discussion; None when nothing
            was flagged or the discussion came in a file that does not tell.
        warnings: Everything noticed, in English, for metrics.json and the command line.
    """

    analysis: Analysis
    rubric: Rubric
    language_code: str
    title: str
    study: Study | None = None
    judgements: Mapping[tuple[str, str], Sequence[Judgement]] = field(default_factory=dict)
    files: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    repairs: Sequence[Repair] = ()
    moved: Sequence[str] = ()
    closing: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    triage: Mapping[int, Triaged] | None = None
    population: PopulationFile | None = None
    date: str = ""
    texts: bool = True
    anonymous: bool = False
    judge_seen_first: bool | None = None
    warnings: Sequence[str] = ()

    @property
    def markdown(self) -> Literal["rendered", "raw"]:
        """How the annotators saw the answers."""
        return self.study.markdown if self.study else "rendered"

    @property
    def _(self) -> Language:
        """The report's language."""
        return language(self.language_code)
