"""Judges as a user describes them: one on the command line, or several in a panel file."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.judging.plan import Judge
from toolkit.judging.providers import ProviderSpec, make_provider
from toolkit.judging.settings import Settings, read_settings


class JudgeSpec(Settings):
    """One judge: provider and model, and how it is asked."""

    provider: str
    model: str | None = None
    name: str | None = None
    base_url: str | None = None
    answers: Path | None = None
    command: str | None = None
    samples: Annotated[int, Field(ge=1, le=1000)] = 1
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    seed: Annotated[int, Field(ge=0)] | None = None
    max_tokens: Annotated[int, Field(ge=16)] = 2048
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0

    @property
    def called(self) -> str | None:
        """What the user calls the judge, as far as that is said."""
        return self.name or self.model or (self.answers.stem if self.answers else self.command)


class PanelFile(Settings):
    """Several judges.

    Attributes:
        judges: The judges; in a cascade in the order in which they are asked.
        aggregate: How their verdicts become one.
        cascade: Confidence below which the next judge is asked (and after the last one, people); None asks all.
    """

    judges: tuple[JudgeSpec, ...] = Field(min_length=1)
    aggregate: Literal["median", "majority"] = "median"
    cascade: Annotated[float, Field(gt=0, le=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> PanelFile:
        names = [spec.called or spec.provider for spec in self.judges]
        if len(set(names)) < len(names):
            raise ValueError("two judges have the same name; give each a name of its own")
        if self.cascade is not None and any(spec.samples < 2 for spec in self.judges):
            raise ValueError("a cascade goes by confidence, which takes samples: 2 or more for every judge")
        return self


@dataclass(frozen=True, slots=True)
class Panel:
    """Judges ready to be asked; a single one is a panel of one."""

    judges: tuple[Judge, ...]
    aggregate: Literal["median", "majority"] = "median"
    cascade: float | None = None

    @property
    def name(self) -> str:
        """What the verdict of all of them is called in records."""
        names = [judge.name for judge in self.judges]
        if len(names) == 1:
            return names[0]
        return (
            "cascade " + " > ".join(names) if self.cascade is not None else f"{self.aggregate} of " + ", ".join(names)
        )


def read_panel(path: Path) -> PanelFile:
    """Return the panel in a file; `answers` in it is relative to the file.

    Raises:
        ToolkitError: When it cannot be read as one.
    """
    read = read_settings(path, PanelFile)
    judges = [
        spec.model_copy(update={"answers": path.parent / spec.answers} if spec.answers else {}) for spec in read.judges
    ]
    return read.model_copy(update={"judges": tuple(judges)})


def make_panel(file: PanelFile, *, offline: bool = False) -> Panel:
    """Return the judges, ready to be asked.

    Raises:
        ToolkitError: When a provider lacks something it needs.
    """
    judges = tuple(make_judge(spec, offline=offline) for spec in file.judges)
    # what was said of the file holds for names that follow from models and programs too
    names = Counter(judge.name for judge in judges)
    refuse(
        Problem(f"{count} judges are called {shown(name)!r}", "give each a name of its own (name: ...)")
        for name, count in names.items()
        if count > 1
    )
    return Panel(judges, file.aggregate, file.cascade)


def make_judge(spec: JudgeSpec, *, offline: bool = False) -> Judge:
    """Return one judge, ready to be asked.

    Raises:
        ToolkitError: When its provider lacks something it needs.
    """
    try:
        command = tuple(shlex.split(spec.command or ""))
    except ValueError as error:
        what = f"the command cannot be read: {str(error).lower()}"
        raise ToolkitError(Problem(what, "close every quotation", value=spec.command)) from error
    provider = make_provider(
        ProviderSpec(
            provider=spec.provider,
            model=spec.model,
            base_url=spec.base_url,
            timeout=spec.timeout,
            answers=spec.answers,
            command=command,
        ),
        offline=offline,
    )
    return Judge(
        name=spec.name or provider.model,
        provider=provider,
        samples=spec.samples,
        temperature=spec.temperature,
        seed=spec.seed,
        max_tokens=spec.max_tokens,
    )
