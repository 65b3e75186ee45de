"""Reports for sharing: without the annotators' names, without prompts and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TypeVar

from toolkit.analysis import Panel
from toolkit.model import SourceItem
from toolkit.report.story import Story
from toolkit.study import Study

# What is left of an item without its texts: what tells it from others, and what it is grouped by.
KEPT_OF_AN_ITEM = (
    "item_id",
    "item_code",
    "dimension",
    "category",
    "provider",
    "model",
    "difficulty",
    "stratum",
    "masked",
)
SHORTEST_PART = 3
Item = TypeVar("Item", bound=SourceItem)


@dataclass(frozen=True)
class Pseudonyms:
    """Names for the report in place of the annotators' own.

    Attributes:
        names: The new name of each annotator.
        files: File name of what each annotator sent, which often holds the name in a spelling of its own.
    """

    names: Mapping[str, str]
    files: Mapping[str, str]

    @classmethod
    def of(cls, annotators: Iterable[str], files: Mapping[str, tuple[str, str]]) -> Pseudonyms:
        """Return P1, P2... for annotators, in their order."""
        names = {name: f"P{number}" for number, name in enumerate(dict.fromkeys(annotators), 1)}
        return cls(names, {name: files[name][0] for name in names if name in files})

    @cached_property
    def _whole(self) -> dict[str, str]:
        """File names and names, case folded: people write their own in any case."""
        found = {file: self._file(name) for name, file in self.files.items()} | dict(self.names)
        return {name.casefold(): new for name, new in found.items()}

    @cached_property
    def _parts(self) -> dict[str, str]:
        """The single words of names of several, as they are written: `Rosa` is a name, `rosa` a colour."""
        found: dict[str, str] = {}
        for name, new in self.names.items():
            for part in name.split():
                if len(part) >= SHORTEST_PART and part[0].isupper():
                    found.setdefault(part, new)
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        whole, parts = (
            "|".join(map(re.escape, sorted(of, key=len, reverse=True))) for of in (self._whole, self._parts)
        )
        # an underscore ends a name: people call files Ana_final.xlsx
        return re.compile(rf"(?<![^\W_])(?:(?i:{whole})|(?:{parts or '(?!)'}))(?![^\W_])")

    def text(self, text: str) -> str:
        """Return a text that people or the toolkit wrote about the study, with every name in it replaced."""
        return self._pattern.sub(
            lambda match: self._whole.get(match.group().casefold()) or self._parts[match.group()], text
        )

    def _file(self, name: str) -> str:
        return self.names[name] + PurePath(self.files[name]).suffix

    def panel(self, panel: Panel) -> Panel:
        """Return a panel under the new names. Whatever follows from it then knows no other ones."""
        return replace(
            panel,
            annotators=tuple(self.names[name] for name in panel.annotators),
            annotations={
                (row, self.names[name]): said.model_copy(
                    update={
                        "annotator": self.names[name],
                        "justification": self.text(said.justification),
                        "notes": self.text(said.notes),
                        "place": "",
                    }
                )
                for (row, name), said in panel.annotations.items()
            },
            discussed={row: replace(one, notes=self.text(one.notes)) for row, one in panel.discussed.items()},
        )

    def story(self, story: Story) -> Story:
        """Return a story whose panel has the new names already, with them in everything else it tells."""
        return replace(
            story,
            title=self.text(story.title),
            study=story.study and self._study(story.study),
            files={
                self.names.get(what, what): (self._file(what) if what in self.files else self.text(name), digest)
                for what, (name, digest) in story.files.items()
            },
            left_out={self.names.get(name, name): why for name, why in story.left_out.items()},
            repairs=tuple(
                replace(one, place=self.text(one.place), annotator=self.names.get(one.annotator, one.annotator))
                for one in story.repairs
            ),
            closing={
                self.names[name]: {key: self.text(answer) for key, answer in answers.items()}
                for name, answers in story.closing.items()
            },
            triage=None
            if story.triage is None
            else {row: replace(one, notes=self.text(one.notes)) for row, one in story.triage.items()},
            warnings=tuple(map(self.text, story.warnings)),
            anonymous=True,
        )

    def _study(self, study: Study) -> Study:
        return study.model_copy(
            update={
                "annotators": tuple(one.model_copy(update={"name": self.names[one.name]}) for one in study.annotators),
                "assignments": {self.names[name]: codes for name, codes in study.assignments.items()},
                "deviations": study.deviations
                and tuple(one.model_copy(update={"what": self.text(one.what)}) for one in study.deviations),
            }
        )


def without_texts(story: Story) -> Story:
    """Return a story that no longer holds what the chatbot was asked and what it answered.

    The figures stay: some of them (the answers' length, items that share a prompt) were computed from the texts.
    """
    panel = story.analysis.panel
    bare = replace(panel, items=tuple(map(_bare, panel.items)))
    study = story.study
    if study is not None:
        study = study.model_copy(update={"items": tuple(map(_bare, study.items))})
    return replace(story, analysis=replace(story.analysis, panel=bare), study=study, texts=False)


def _bare(item: Item) -> Item:
    emptied = {
        name: field.get_default(call_default_factory=True)
        for name, field in type(item).model_fields.items()
        if name not in KEPT_OF_AN_ITEM
    }
    return item.model_copy(update=emptied)
