"""What a probe run is made of: what is asked for, what is read beforehand, and the changed answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.jobs.judge import Order, Work, prepare
from toolkit.jobs.people import People, own_people, read_people
from toolkit.judging.padding import Padded, from_texts, given, usable
from toolkit.judging.panel import PanelFile, make_judge, make_panel
from toolkit.judging.plan import Judge
from toolkit.judging.probe_texts import (
    CHANGES,
    NAMES,
    Change,
    Families,
    Name,
    ProbeTexts,
    changed,
    dealt,
    put_into,
    read_families,
    read_texts,
)
from toolkit.judging.prompts import Asked, Prompts
from toolkit.judging.session import Setup
from toolkit.model import SourceItem

Key = tuple[str, str]

# where padded answers are looked for, when nobody says
PADDED_FIELD = "padded_response"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is probed, and with what.

    Attributes:
        order: Whom to ask, about what, how: as for `toolkit judge`.
        probes: Which probes.
        texts: The user's own texts; None for the toolkit's.
        families: The user's own families; None for the toolkit's.
        family: The judge's family, where its name does not tell it.
        padded_field: Field of the records that holds padded answers.
        writer: Who writes padded answers where that field is absent (a panel of one); None for the texts.
        people: File of human scores; None for those in the records.
        replicates: Bootstrap replicates.
        seed: Of the bootstrap.
    """

    order: Order
    probes: tuple[Name, ...] = NAMES
    texts: Path | None = None
    families: Path | None = None
    family: str | None = None
    padded_field: str = PADDED_FIELD
    writer: PanelFile | None = None
    people: Path | None = None
    replicates: int = 10_000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Variants:
    """The changed items of each probe.

    Attributes:
        items: Change, and key of the item, to the item with changed answers.
        texts: The same to the name of the text that was added.
        reasons: The same to the reason why there is no changed item.
    """

    items: Mapping[tuple[Change, Key], SourceItem]
    texts: Mapping[tuple[Change, Key], str]
    reasons: Mapping[tuple[Change, Key], str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything made ready: nothing has been sent."""

    wanted: Wanted
    work: Work
    texts: ProbeTexts
    families: Families
    people: People
    padding: Mapping[Key, Padded]
    writer: Judge | None

    @property
    def items(self) -> list[SourceItem]:
        """The items of the run."""
        return [record.item for record in self.work.records]

    @property
    def to_score(self) -> list[SourceItem]:
        """The items that are scored as they are: every probe but `position` starts from these scores."""
        return self.items if set(self.wanted.probes) - {"position"} else []

    @property
    def pairs(self) -> list[SourceItem]:
        """The items whose answers are compared."""
        return [item for item in self.items if len(item.responses) == 2] if "position" in self.wanted.probes else []

    @property
    def unpadded(self) -> list[SourceItem]:
        """The items whose padded answers are not given."""
        return [item for item in self.items if item.key not in self.padding]

    def pairwise(self, *, offline: bool) -> Setup:
        """Return how comparisons are made."""
        order, rubric = self.wanted.order, self.work.setup.rubric
        asked = Asked(strictness=order.strictness, pairwise=True)
        return replace(
            self.work.setup,
            panel=make_panel(order.judges, offline=offline),
            prompts=Prompts(order.language_code, rubric, asked, order.prompts),
            asked=asked,
        )


def prepare_probes(wanted: Wanted, *, offline: bool) -> Prepared:
    """Read and check everything the probes need.

    Raises:
        ToolkitError: With what is wrong.
    """
    if wanted.order.judges.cascade is not None:
        raise ToolkitError(
            Problem("a cascade asks its later judges about some items only", "take cascade out of the panel file")
        )
    work = prepare(wanted.order, offline=offline)
    items = [record.item for record in work.records]
    scale = work.setup.rubric.scale
    people = read_people(wanted.people, scale) if wanted.people else own_people(items, scale, wanted.order.source)
    texts = read_texts(wanted.order.language_code, wanted.texts)
    padding: dict[Key, Padded] = {}
    writer = None
    if "verbosity" in wanted.probes:
        padding = given(items, wanted.padded_field)
        if not padding and wanted.padded_field != PADDED_FIELD:
            raise ToolkitError(
                Problem(
                    f"no item has the field {shown(wanted.padded_field)!r}", "check --padded-field", wanted.order.source
                )
            )
        rest = [item for item in items if item.key not in padding]
        if wanted.writer is None:
            padding |= from_texts(rest, texts)
        elif rest:
            writer = make_judge(wanted.writer.judges[0], offline=offline)
    return Prepared(wanted, work, texts, read_families(wanted.families), people, padding, writer)


def variants_of(ready: Prepared, padding: Mapping[Key, Padded]) -> Variants:
    """Return the changed items of every probe that changes answers."""
    items: dict[tuple[Change, Key], SourceItem] = {}
    texts: dict[tuple[Change, Key], str] = {}
    reasons: dict[tuple[Change, Key], str] = {}
    top = ready.work.setup.prompts.scale.values[-1]
    for change in CHANGES:
        if change not in ready.wanted.probes:
            continue
        if change == "verbosity":
            answers = usable(padding)
            texts |= {(change, key): one.source for key, one in padding.items()}
            reasons |= {(change, key): one.reason for key, one in padding.items() if one.reason}
        else:
            known = ready.texts.of(change)
            names = dealt(ready.items, list(known))
            texts |= {(change, key): name for key, name in names.items()}
            answers = {
                item.key: tuple(put_into(known[names[item.key]], one.response, top) for one in item.responses)
                for item in ready.items
            }
        items |= {
            (change, item.key): changed(item, change, answers[item.key]) for item in ready.items if item.key in answers
        }
    return Variants(items, texts, reasons)
