"""Ratings collected elsewhere: a long table with a row per score, or a wide one with a column per annotator."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.model import Scale, Value
from toolkit.tables import BAD, NO_DIMENSION, Table, header_key, in_order, is_blank, read_table
from toolkit.tables.fields import RESERVED, Fields, Noticed, as_identifier, as_text, check_rename, kind_of, names_of
from toolkit.texts import plain_key
from toolkit.values import Parsed, Repair, parse_score, says_yes

__all__ = ["NO_DIMENSION", "Rating", "Ratings", "read_ratings"]

SCALE_SUSPECTED_SCORES, MOST_VALUES = 3, 12
SCORE_PREFIX = "score_"
# columns of a wide table that cannot be an annotator
_OTHER = frozenset(
    (
        *RESERVED,
        "item_code",
        "id",
        "scenario_id",
        "chatbot_response",
        "human_consensus_score",
        "disagreement_range",
        "requires_discussion",
        "consensus_after_discussion",
        "consensus_notes",
        "excluded",
        "absolute_error",
        "justification",
        "doubt",
        "notes",
        "judge",
        "confidence",
        "duration",
        "seconds",
        "minutes",
        "date",
        "time",
    )
)
_COMPANIONS = ("justification", "doubt", "notes")
LONG = ("item_id", "dimension", "annotator_id", "score", *_COMPANIONS)
# what of a wide table a judge has, too
JUDGED = ("item_id", "dimension", "judge_score")
_JUDGES = frozenset({"judge", "juiz", "juez", "llm"})
# `4 - Boa`
_WITH_WORDS = re.compile(r"\s*\d+\s*[-–—:=.)]\s*[^\W\d]")

Key = tuple[str, str]
NO_RENAME: Mapping[str, str] = MappingProxyType({})
NO_LABELS: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rating:
    """What one annotator entered for one item; `value` is None where there is no score.

    Attributes:
        place: Where it was read, for messages.
    """

    value: Value | None
    justification: str = ""
    doubt: bool = False
    notes: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of several annotators.

    Attributes:
        items: Identifier and dimension of every item, in order of first appearance.
        annotators: Who scored, in order of first appearance; those without a single score are left out.
        annotations: Item to annotator to rating; a rating that says nothing is absent.
        repairs: Values taken other than as written, with their places.
        warnings: What was noticed and is worth saying.
        has_dimension: Whether the file has dimensions; without, every item's dimension is `NO_DIMENSION`.
        judged: Whether the file has the judge's score of each item beside those of people.
    """

    items: tuple[Key, ...]
    annotators: tuple[str, ...]
    annotations: dict[Key, dict[str, Rating]]
    repairs: tuple[Repair, ...]
    warnings: tuple[str, ...]
    has_dimension: bool
    judged: bool = False


def read_ratings(
    path: Path,
    *,
    scale: Scale,
    labels: Mapping[str, Value] = NO_LABELS,
    rename: Mapping[str, str] = NO_RENAME,
) -> Ratings:
    """Return the ratings in a file.

    Args:
        path: A table in any of the formats of `read_table`. Long: item_id, dimension (optional), annotator_id, score,
            and optionally justification, doubt, notes. Wide: item_id, dimension (optional), and a column per
            annotator called `score_NAME` (then only these count) or just `NAME`.
        scale: The scale.
        labels: Words that stand for a value of the scale.
        rename: Field to the file's own name for it.

    Raises:
        ToolkitError: With everything that is wrong with the file, or when there are fewer than two annotators.
    """
    problems: list[Problem] = []
    table = read_table(path, wanted=[names_of("item_id", rename)], problems=problems)
    refuse([*problems, *bad] if (bad := check_rename(table, rename, (*LONG, "judge_score"))) else ())
    return _Reading(table, problems, scale, labels, rename).ratings()


@dataclass(frozen=True, slots=True)
class _Found:
    """One score of one annotator as the file has it; the companions are of the same annotator."""

    annotator: str
    column: str
    raw: object
    justification: str = ""
    doubt: bool = False
    notes: str = ""


class _Reading:
    """One pass over a table."""

    def __init__(
        self,
        table: Table,
        problems: list[Problem],
        scale: Scale,
        labels: Mapping[str, Value],
        rename: Mapping[str, str],
    ):
        self.table, self.problems, self.scale, self.labels = table, problems, scale, labels
        self.rename = rename
        self.noticed = Noticed()
        self.warnings = list(table.notes)
        self.repairs: list[Repair] = []
        self.unread: list[Problem] = []
        self.has_dimension = table.column(*names_of("dimension", rename)) is not None
        self.annotator_column = table.column(*names_of("annotator_id", rename))
        self.score_column = table.column(*names_of("score", rename))
        self.long = self.annotator_column is not None and self.score_column is not None
        if (self.annotator_column is None) != (self.score_column is None) and not self._prefixed():
            there, absent = ("score", "annotator_id") if self.score_column else ("annotator_id", "score")
            columns = shown(", ".join(table.header), 300)
            what = f"there is a column {there} but none called {absent}; the columns are: {columns}"
            fix = "a long table needs both; a wide one has a column score_NAME for each annotator"
            raise ToolkitError([*problems, table.problem(what, fix)])
        self.columns = {} if self.long else self._wide_columns()

    def ratings(self) -> Ratings:
        kept: dict[Key, dict[str, Rating]] = {}
        annotators: dict[str, None] = dict.fromkeys(self.columns.values())
        for row in self.table.rows:
            fields = Fields(self.table, row, self.problems, self.rename)
            key = self._key(fields)
            for found in self._long(fields) if self.long else self._wide(fields):
                annotators.setdefault(found.annotator)
                rating = self._rating(fields, found)
                if key is not None and rating is not None:
                    self._keep(fields, kept.setdefault(key, {}), found, rating)
            if key is not None:
                kept.setdefault(key, {})
        self._refuse_another_scale(kept)
        refuse(in_order(self.problems))
        scored = self._scored(list(annotators), kept)
        judged = self._judged()
        self._look_for_namesakes(scored)
        return Ratings(
            tuple(kept),
            tuple(scored),
            {key: {name: r for name, r in ratings.items() if name in scored} for key, ratings in kept.items()},
            tuple(self.repairs),
            (*self.warnings, *self.noticed),
            self.has_dimension,
            judged,
        )

    def _judged(self) -> bool:
        column = self.table.column(*names_of("judge_score", self.rename))
        if column is None or all(is_blank(row.values.get(column)) for row in self.table.rows):
            return False
        if self.long:
            self.warnings.append(
                f"{self.table.path.name}: the column {shown(column)} is not read in a table with a row for each score; "
                "give the judge's scores in a file of their own, with --judged"
            )
        return not self.long

    def _refuse_another_scale(self, kept: Mapping[Key, Mapping[str, Rating]]) -> None:
        """Say once, and not of each score, that the scores are on another scale than was taken for granted."""
        read = any(rating.value is not None for ratings in kept.values() for rating in ratings.values())
        if read or len(self.unread) < SCALE_SUSPECTED_SCORES:
            return
        values = sorted({str(problem.value).strip() for problem in self.unread}, key=_as_on_a_scale)
        listed = shown(",".join(values))
        scale = f"{values[0]}-{values[-1]}" if all(value.isdecimal() for value in values) else listed
        others = [problem for problem in self.problems if problem not in self.unread]
        what = f"none of the {len(self.unread)} scores is on the scale ({self.scale}); they are: {listed}"
        fix = f"say which scale it is, such as --scale {scale}" if len(values) <= MOST_VALUES else "see --scale"
        raise ToolkitError([self.table.problem(what, fix), *in_order(others)])

    def _key(self, fields: Fields) -> Key | None:
        item_id = fields.read("item_id", as_identifier, "write it as text")
        fields.item = item_id or ""
        if item_id is None and fields.raw("item_id") is None:
            fields.report("has no item_id", "give every row the item's identifier")
        dimension: str | None = NO_DIMENSION
        if self.has_dimension:
            dimension = fields.label("dimension")
            if dimension is None and fields.raw("dimension") is None:
                fields.report("has no dimension", "give every row one, or remove the column")
        return (item_id, dimension) if item_id and dimension else None

    def _long(self, fields: Fields) -> Iterator[_Found]:
        annotator = fields.read("annotator_id", as_identifier, "write the name as text")
        if annotator is None and fields.raw("annotator_id") is None:
            fields.report("has no annotator_id", "say who gave the score")
        texts = [fields.text(name) or "" for name in ("justification", "notes")]
        doubt = fields.read("doubt", _yes, "write yes or no, or leave it blank") or False
        column = str(self.score_column)
        # a row without annotator is wrong already; its score is still looked at
        yield _Found(annotator or "", column, fields.row.values.get(column), texts[0], doubt, texts[1])

    def _prefixed(self) -> list[str]:
        return [name for name in self.table.header if header_key(name).startswith(SCORE_PREFIX)]

    def _wide_columns(self) -> dict[str, str]:
        """Return the columns that are annotators, each with the annotator's name."""
        if prefixed := self._prefixed():
            return {name: name[len(SCORE_PREFIX) :].strip() or name for name in prefixed}
        columns = {}
        given = set(self.rename.values())
        for name in self.table.header:
            key = header_key(name)
            if key in _OTHER or name in given or any(key.startswith(f"{companion}_") for companion in _COMPANIONS):
                continue
            values = [row.values[name] for row in self.table.rows if name in row.values]
            if values and all(isinstance(value, str) and not self._like_a_score(value) for value in values):
                self.warnings.append(
                    f"{self.table.path.name}: the column {shown(name)!r} holds texts and no score; it is not taken "
                    "for an annotator"
                )
            elif _JUDGES & set(re.split(r"[\W_]+", plain_key(name))):
                what = f"the column {shown(name)!r} looks like the judge's, and would count as an annotator"
                fix = f"if it is: --map judge_score={shown(name)}; if a person's: call all such columns score_NAME"
                self.problems.append(self.table.problem(what, fix))
            else:
                columns[name] = name
        return columns

    def _like_a_score(self, text: str) -> bool:
        try:
            parse_score(text, self.scale, self.labels)
        except ValueError:
            # a wrong score in a column of scores must be refused, not make the column something else
            return len(text.strip()) <= 1 or any(c.isdigit() for c in text[:3]) or says_yes(text) is not None
        return True

    def _wide(self, fields: Fields) -> Iterator[_Found]:
        for column, annotator in self.columns.items():
            values = fields.row.values
            beside = {name: self.table.column(f"{name}_{annotator}") for name in _COMPANIONS}
            texts = {name: values.get(place) for name, place in beside.items() if place}
            doubt = False
            try:
                doubt = _yes(texts.get("doubt"))
            except ValueError as error:
                place = beside["doubt"]
                fields.report(f"{place} {error}", "write yes or no", column=place, value=texts.get("doubt"))
            yield _Found(
                annotator,
                column,
                values.get(column),
                _text(texts.get("justification")),
                doubt,
                _text(texts.get("notes")),
            )

    def _rating(self, fields: Fields, found: _Found) -> Rating | None:
        """Return what was entered, or None when that is nothing, or wrong."""
        if found.raw is BAD:
            return None
        try:
            parsed = parse_score(found.raw, self.scale, self.labels, textual=self.table.format == "csv")
        except ValueError as error:
            who = f" of {shown(found.annotator)}" if found.annotator else ""
            fix = "correct it, or leave it blank where there is no score"
            if not self.labels and _WITH_WORDS.match(str(found.raw)):
                fix += "; words beside the number count with the rubric they are from (--rubric FILE)"
            if found.column == found.annotator:
                fix += f"; if {shown(found.column)} is nobody who scored, call the columns of those who did score_NAME"
            fields.report(f"the score{who}: {error}", fix, column=found.column, value=found.raw)
            self.unread.append(self.problems[-1])
            return None
        try:
            fields.check_look(found.column, parsed.value)
        except ValueError as error:
            what = f"the score of {shown(found.annotator)} {error}"
            fields.report(what, "enter the score that counts, in a plain cell", column=found.column, value=found.raw)
            return None
        rating = Rating(parsed.value, found.justification, found.doubt, found.notes, fields.row.place)
        if rating.value is None and not (rating.justification or rating.doubt or rating.notes):
            return None
        self._say_repair(fields, found, parsed)
        return rating

    def _say_repair(self, fields: Fields, found: _Found, parsed: Parsed) -> None:
        if parsed.repair is None:
            return
        place = self.table.problem("", row=fields.row, column=found.column).place
        self.repairs.append(Repair(place, found.annotator, fields.item, "score", parsed.repair, str(parsed.value)))

    def _keep(self, fields: Fields, ratings: dict[str, Rating], found: _Found, rating: Rating) -> None:
        if not found.annotator:
            return
        first = ratings.setdefault(found.annotator, rating)
        if first is rating:
            return
        if rating.value is None or first.value is None:
            ratings[found.annotator] = rating if first.value is None else first
            self.noticed.add("an annotator is there twice, once without a score", fields.item)
        elif first.value != rating.value:
            what = (
                f"{shown(found.annotator)} scored it twice, {first.value} in {first.place} and {rating.value} in "
                f"{rating.place}"
            )
            fields.report(what, "keep the one that counts", column=found.column)
        else:
            self.noticed.add("an annotator is there twice with the same score; it counts once", fields.item)

    def _scored(self, annotators: list[str], kept: dict[Key, dict[str, Rating]]) -> list[str]:
        """Return the annotators who gave at least one score."""
        with_score = {name for ratings in kept.values() for name, rating in ratings.items() if rating.value is not None}
        for name in annotators:
            if name not in with_score:
                self.warnings.append(f"{shown(name)} gave no score at all and is left out")
        scored = [name for name in annotators if name in with_score]
        if len(scored) < 2:
            names = ", ".join(map(shown, scored)) or "nobody"
            what = f"agreement needs at least two annotators with scores; there is {names}"
            fix = "a wide table has a column for each annotator, a long one the columns annotator_id and score"
            notes = "".join(f"; {warning}" for warning in self.warnings)
            raise ToolkitError(self.table.problem(what + notes, fix))
        return scored

    def _look_for_namesakes(self, annotators: list[str]) -> None:
        for one, other in itertools.combinations(annotators, 2):
            if plain_key(one) == plain_key(other):
                self.warnings.append(
                    f"{shown(one)!r} and {shown(other)!r} count as two annotators; are they one person, spelt twice?"
                )


def _as_on_a_scale(value: str) -> tuple[float, bool, str]:
    """Return what puts the values of a scale into order: numbers by size, no before yes, names by the alphabet."""
    return float(value) if value.isdecimal() else math.inf, says_yes(value) is True, value


def _yes(raw: object) -> bool:
    """Return whether a cell says yes; a blank one says no."""
    if isinstance(raw, bool):
        return raw
    if is_blank(raw) or raw is BAD:
        return False
    if isinstance(raw, int | str) and (said := says_yes(str(raw))) is not None:
        return said
    raise ValueError(f"is neither yes nor no ({kind_of(raw)})")


def _text(raw: object) -> str:
    return "" if raw is None or raw is BAD else as_text(raw)
