"""A study: who scores which items in which order, what was decided beforehand, and the seal that proves it.

`study.json` is the coordinator's memory. Everything in it follows from the sample, the rubric, the annotators and
the seed, so the same inputs give the same study.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, ValidationError

from toolkit.assignments import Design, Slot, assign, design_of
from toolkit.errors import Problem, ToolkitError, refuse
from toolkit.files import canonical_json, pretty_json, sha256
from toolkit.model import Annotator, Frozen, Google, Item, Judgement, Record, Rubric, SheetOptions, SourceItem
from toolkit.spellings import hidden
from toolkit.texts import plain_key

NAME_CHARACTERS = 60
# What stands in a text where a model's name was (`--mask`).
MASK = "[…]"
# No vowels (no words, no exponents such as 1E5, no months), nothing that looks like something else.
_LETTERS, _DIGITS = "BCDFGHJKLMNPQRSTVWXZ", "23456789"


class StudyItem(SourceItem):
    """An item of a study, with its opaque code and the hashes of its texts as annotators see them.

    Attributes:
        masked: Whether a name in its texts was replaced (`--mask`); the texts here are the replaced ones.
    """

    item_code: str
    masked: bool = False
    hashes: dict[str, str] = Field(default_factory=dict)

    @property
    def seen(self) -> Item:
        """What annotators may see of it."""
        return self.blind(self.item_code)


class Plan(Frozen):
    """What was decided before anybody scored.

    Attributes:
        primary: The figure the study is about; every other one is exploratory.
        margin: How much less than people agree with people a judge may agree with them and still count as good.
        exclusions: The rule for excluding items.
    """

    primary: str = "kappa_quadratic"
    margin: float = 0.10
    exclusions: str = "none beforehand; an item excluded in the discussion stays in the headline figures"


class Deviation(Frozen):
    """What was done otherwise than planned, and when; the coordinator adds it to study.json."""

    date: datetime.date
    what: str


class Seal(Frozen):
    """SHA-256 of what must not move once annotation has begun.

    Attributes:
        rubric: Of the rubric; None in studies that earlier releases made.
    """

    items: str
    rubric: str | None = None
    judge_scores: str
    plan: str


class Study(Frozen):
    """The content of study.json.

    Attributes:
        locked: SHA-256 of what all annotators score by beside the texts of their items, as `workbook.locked` says it;
            None in studies that earlier releases made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: Literal[1] = Field(default=1, alias="schema")
    study_id: str
    seed: int
    language: str
    order: Literal["grouped", "mixed"] = "grouped"
    markdown: Literal["rendered", "raw"] = "rendered"
    rubric: Rubric
    annotators: tuple[Annotator, ...]
    items: tuple[StudyItem, ...]
    assignments: dict[str, tuple[str, ...]]
    headline_judge: str | None = None
    judgements: tuple[Judgement, ...] = ()
    sheets: SheetOptions = SheetOptions()
    plan: Plan = Plan()
    deviations: tuple[Deviation, ...] | None = None
    seal: Seal
    locked: dict[str, tuple[str, ...]] | None = None
    google: Google | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators' names, in study order."""
        return tuple(annotator.name for annotator in self.annotators)

    @cached_property
    def by_code(self) -> dict[str, StudyItem]:
        """The items by their opaque code."""
        return {item.item_code: item for item in self.items}

    @property
    def design(self) -> Design:
        """How many items each annotator scores, and how many scores each item gets."""
        return design_of(self.assignments)

    def to_json(self) -> bytes:
        """Return the file's content; fields that say nothing are left out."""
        return pretty_json(self.model_dump(mode="json", by_alias=True, exclude_none=True))

    def moved(self) -> list[str]:
        """Return which sealed things no longer have the hash they had when the workbooks were made."""
        now = seal(self.items, self.rubric, self.judgements, self.plan).model_dump()
        return [name for name, value in self.seal.model_dump().items() if value is not None and now[name] != value]


def create_study(
    records: Sequence[Record],
    rubric: Rubric,
    annotators: Sequence[str],
    *,
    language: str,
    seed: int,
    order: Literal["grouped", "mixed"] = "grouped",
    markdown: Literal["rendered", "raw"] = "rendered",
    headline_judge: str | None = None,
    plan: Plan | None = None,
    sheets: SheetOptions | None = None,
    masks: Sequence[str] = (),
    overlap: int | None = None,
    common: int = 0,
) -> Study:
    """Return a new study: every annotator scores every item, or a balanced share of them, in an order of their own.

    The order follows from the seed, the dimension and the annotator's name alone, so it can say nothing about judge
    or model.

    Args:
        records: The items, with what judges said of them.
        rubric: The rubric.
        annotators: Their names.
        language: Language of the workbooks.
        seed: Of codes, shares and orders.
        order: Items grouped by dimension, or all mixed.
        markdown: Answers as their markdown means, or as it is written.
        headline_judge: The judge that leads, of several.
        plan: What was decided beforehand.
        sheets: What the coordinator wants of the workbooks.
        masks: Names of models to hide in the items' texts.
        overlap: How many annotators score an item; None for all.
        common: How many items all of them score, where the others have fewer scores.

    Raises:
        ToolkitError: When an annotator's name cannot be used, or somebody would have nothing to score.
    """
    check_names(annotators)
    plan = plan or Plan()
    codes = item_codes([record.item.key for record in records], seed)
    items = tuple(_study_item(record.item, code, masks) for record, code in zip(records, codes, strict=True))
    judgements = tuple(judgement for record in records for judgement in record.judgements)
    content = [[item.model_dump(mode="json") for item in items], rubric.model_dump(mode="json"), list(annotators), seed]
    if markdown == "raw":  # the texts are other texts, so workbooks of one cannot be read as the other's
        content.append(markdown)
    shares = dict.fromkeys(annotators, frozenset(codes))
    if overlap is not None and overlap < len(annotators):
        content.append([overlap, common])  # a workbook of one share cannot be read as that of another
        if common >= len(items):
            what = f"{common} items for everybody are all the items there are"
            raise ToolkitError(Problem(what, "lower --common, or leave --overlap out"))
        slots = [Slot(item.item_code, item.dimension, item.stratum or "") for item in items]
        shares = assign(slots, annotators, overlap, seed=seed, common=common)
        if idle := [name for name, share in shares.items() if not share]:
            what = f"{len(items)} items with {overlap} scores each are too few: {len(idle)} annotators would have none"
            raise ToolkitError(Problem(what, "raise --overlap, take more items, or name fewer annotators"))
    return Study(
        study_id="st-" + _letters(sha256(canonical_json(content)), 10).lower(),
        seed=seed,
        language=language,
        order=order,
        markdown=markdown,
        rubric=rubric,
        annotators=tuple(Annotator(name=name) for name in annotators),
        items=items,
        assignments={
            name: _order(
                [item for item in items if item.item_code in shares[name]],
                rubric,
                name,
                place,
                seed,
                mixed=order == "mixed",
            )
            for place, name in enumerate(annotators)
        },
        headline_judge=headline_judge,
        judgements=judgements,
        sheets=sheets or SheetOptions(),
        plan=plan,
        seal=seal(items, rubric, judgements, plan),
    )


def _study_item(item: SourceItem, code: str, masks: Sequence[str]) -> StudyItem:
    fields = {name: getattr(item, name) for name in SourceItem.model_fields}
    plain = StudyItem(**fields, item_code=code)
    if not masks:
        return plain

    def hide(text: str | None) -> str | None:
        return None if text is None else hidden(text, masks, MASK)

    texts = {name: hide(fields[name]) for name in ("prompt", "ground_truth", "expected_behavior", "original_response")}
    responses = tuple(
        response.model_copy(update={"response": hide(response.response), "prompt": hide(response.prompt)})
        for response in item.responses
    )
    masked = plain.model_copy(update={**texts, "responses": responses})
    return masked if masked == plain else masked.model_copy(update={"masked": True})


def seal(items: Iterable[StudyItem], rubric: Rubric, judgements: Iterable[Judgement], plan: Plan) -> Seal:
    """Return the hashes of items, rubric, judge scores and plan."""
    return Seal(
        items=sha256(canonical_json([item.model_dump(mode="json", exclude={"hashes"}) for item in items])),
        rubric=sha256(canonical_json(rubric.model_dump(mode="json"))),
        judge_scores=sha256(
            canonical_json([judgement.model_dump(mode="json", exclude={"trace"}) for judgement in judgements])
        ),
        plan=sha256(canonical_json(plan.model_dump(mode="json"))),
    )


def check_names(names: Sequence[str]) -> None:
    """Refuse annotator names that files, tables or people could confuse.

    Raises:
        ToolkitError: Naming every name that cannot be used.
    """
    problems = []
    for place, name in enumerate(names):
        if not name.strip() or not name.isprintable():
            problems.append(Problem("an annotator's name is empty or has invisible characters", value=name))
        elif len(name) > NAME_CHARACTERS:
            problems.append(Problem(f"an annotator's name is longer than {NAME_CHARACTERS} characters", value=name))
        elif "|" in name:
            problems.append(Problem("an annotator's name holds |, which joins the two names of a pair", value=name))
        if plain_key(name) in map(plain_key, names[:place]):
            problems.append(Problem("two annotators have the same name", "give each a name of their own", value=name))
    refuse(problems)


def item_codes(keys: Sequence[tuple[str, str]], seed: int) -> list[str]:
    """Return an opaque code for each item, the same for the same seed, all different.

    Args:
        keys: (item_id, dimension) of each item, all different.
        seed: The study's seed; without it a code cannot be traced to its item.
    """
    longer = 0
    while len(_LETTERS) ** 3 * len(_DIGITS) * 20**longer < 50 * len(keys):
        longer += 1
    codes: list[str] = []
    taken: set[str] = set()
    for item_id, dimension in keys:
        attempt = 0
        while True:
            digest = sha256(canonical_json([seed, dimension, item_id, attempt]))
            code = _letters(digest, 1) + _DIGITS[int(digest[-6:], 16) % 8] + _letters(digest[8:], 2 + longer)
            if code not in taken:
                break
            attempt += 1
        taken.add(code)
        codes.append(code)
    return codes


def read_study(folder: Path) -> Study:
    """Return the study of a folder.

    Raises:
        ToolkitError: When there is none, or study.json was damaged.
    """
    path = folder / "study.json" if folder.is_dir() else folder
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ToolkitError(
            Problem(
                f"no study.json can be read here: {error.strerror}",
                "name the folder that make-sheets wrote",
                str(folder),
            )
        ) from error
    except (ValueError, RecursionError) as error:
        raise ToolkitError(Problem("is not JSON", "restore the file that make-sheets wrote", path)) from error
    try:
        return Study.model_validate(content)
    except ValidationError as error:
        raise ToolkitError(
            Problem(fault["msg"], _remedy(fault["loc"]), path, cell=".".join(map(str, fault["loc"])) or None)
            for fault in error.errors()[:20]
        ) from error


def _remedy(place: Sequence[int | str]) -> str:
    """Return what to do about a fault of study.json: parts of it are for people to fill in."""
    if place and place[0] in ("annotators", "deviations"):
        return "correct what was filled in there: hours is a number such as 2.5, a date is written like 2026-01-20"
    return "restore the file that make-sheets wrote"


def _letters(digest: str, count: int) -> str:
    number = int(digest[:40], 16)
    letters = ""
    for _place in range(count):
        number, rest = divmod(number, len(_LETTERS))
        letters += _LETTERS[rest]
    return letters


def _order(
    items: Sequence[StudyItem], rubric: Rubric, annotator: str, place: int, seed: int, *, mixed: bool
) -> tuple[str, ...]:
    def shuffled(item: StudyItem) -> bytes:
        group = "" if mixed else item.dimension
        return hashlib.sha256(canonical_json([seed, group, annotator, item.item_code]).encode()).digest()

    if mixed:
        return tuple(item.item_code for item in sorted(items, key=shuffled))
    groups = [key for key in rubric.dimensions if any(item.dimension == key for item in items)]
    turn = place % len(groups)
    order = {key: rank for rank, key in enumerate(groups[turn:] + groups[:turn])}
    return tuple(item.item_code for item in sorted(items, key=lambda item: (order[item.dimension], shuffled(item))))
