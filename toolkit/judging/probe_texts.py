"""What probes add to answers: editable texts in three languages, put around the answer in a single pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from toolkit.errors import shown
from toolkit.files import resources, template
from toolkit.judging.settings import Settings, read_settings
from toolkit.model import Response, SourceItem

Change = Literal["verbosity", "authority", "injection"]
CHANGES: tuple[Change, ...] = ("verbosity", "authority", "injection")
Name = Literal["position", "verbosity", "self-preference", "authority", "injection"]
NAMES: tuple[Name, ...] = ("position", "verbosity", "self-preference", "authority", "injection")
ANSWER, TOP = "{answer}", "{top}"
# between an item's identifier and the change, in the store and in recorded answers (`replay`)
MARK = "#"
FIX = "correct the file; templates/probes/ holds the toolkit's own"


class ProbeTexts(Settings):
    """The texts of one language; each holds `{answer}` once."""

    padding: dict[str, str] = Field(min_length=1)
    authority: dict[str, str] = Field(min_length=1)
    injection: dict[str, str] = Field(min_length=1)
    writer: str

    @field_validator("padding", "authority", "injection")
    @classmethod
    def _check(cls, texts: dict[str, str]) -> dict[str, str]:
        for name, text in texts.items():
            if text.count(ANSWER) != 1:
                raise ValueError(f"{shown(name)}: the text must hold {ANSWER} exactly once")
        return texts

    @field_validator("writer")
    @classmethod
    def _check_writer(cls, text: str) -> str:
        if text.count(ANSWER) != 1:
            raise ValueError(f"the text must hold {ANSWER} exactly once")
        return text

    def of(self, change: Change) -> Mapping[str, str]:
        """Return the texts of a probe by name."""
        return {"verbosity": self.padding, "authority": self.authority, "injection": self.injection}[change]


class Families(Settings):
    """Words by which a model's family is known, in the order in which they are tried."""

    families: dict[str, tuple[str, ...]] = Field(min_length=1)

    def find(self, model: str | None, provider: str | None) -> str | None:
        """Return the family of a model: by its own name first, then by its provider's; None where neither says.

        >>> Families(families={"a": ("alpha",), "b": ("beta",)}).find("Beta-2 large", "alpha")
        'b'
        """
        for name in (model, provider):
            word = (name or "").casefold()
            for family, words in self.families.items():
                if any(known.casefold() in word for known in words):
                    return family
        return None


def read_texts(language: str, path: Path | None = None) -> ProbeTexts:
    """Return the texts of a file, or the toolkit's own in a language.

    Raises:
        ToolkitError: When the file is not one of such texts.
    """
    return read_settings(path or template("probes", language, ".yaml"), ProbeTexts, FIX)


def read_families(path: Path | None = None) -> Families:
    """Return the families of a file, or the toolkit's own.

    Raises:
        ToolkitError: When the file is not one of families.
    """
    return read_settings(path or resources("templates") / "probes" / "families.yaml", Families, FIX)


def put_into(text: str, answer: str, top: object) -> str:
    """Return a text with the answer in its place; what stands in the answer is never looked at.

    >>> put_into("A {answer} B {top}", "{answer} {top}", 5)
    'A {answer} {top} B 5'
    """
    before, _, after = text.partition(ANSWER)
    return before.replace(TOP, str(top)) + answer + after.replace(TOP, str(top))


def dealt(items: Sequence[SourceItem], names: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return which text each item gets: in turn, by the order of identifiers, whatever the order of rows."""
    return {item.key: names[place % len(names)] for place, item in enumerate(sorted(items, key=lambda i: i.key))}


def changed(item: SourceItem, change: Change, answers: Sequence[str]) -> SourceItem:
    """Return an item with other answers, under an identifier that says so."""
    responses = [
        Response(response=answer, prompt=old.prompt, variant_type=old.variant_type)
        for old, answer in zip(item.responses, answers, strict=True)
    ]
    name = f"{item.item_id}{MARK}{change}"
    return item.model_copy(update={"item_id": name, "responses": tuple(responses)})
