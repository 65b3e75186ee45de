"""Judged samples in: the records that `make-sheets` starts from, and the judge scores that are joined later.

Everything that is wrong anywhere in a file is reported at once. A score is taken as it is or refused; it is never
guessed, rounded or dropped. Identifiers are text whatever they look like.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.llm_eval import is_run_result, run_records
from toolkit.model import Judgement, Record, Scale, SourceItem
from toolkit.records._items import item_key, numbered_columns, source_item
from toolkit.records._judgements import UNNAMED, JudgementReader, Said
from toolkit.tables import BAD, NO_DIMENSION, Row, Table, in_order, read_table
from toolkit.tables.fields import RESERVED, Fields, Noticed, as_identifier, check_rename, names_of

__all__ = ["RESERVED", "JudgeTable", "Sample", "item_key", "read_judgements", "read_records"]

LONG = ("item_id", "dimension", "judge", "score", "justification", "confidence")
NO_RENAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sample:
    """A judged sample.

    Attributes:
        records: The records in the order of the file.
        headline_judge: The name of the judge that agreement is reported for; None when no record has a judge score.
        warnings: What was noticed and is worth saying, though nothing is wrong.
    """

    records: tuple[Record, ...]
    headline_judge: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeTable:
    """What judges said, apart from the items.

    Attributes:
        judgements: One per item, dimension and judge.
        headline_judge: The judge that agreement is reported for.
        warnings: What was noticed and is worth saying.
        has_dimension: Whether the file has dimensions; without, every judgement's dimension is `NO_DIMENSION`.
        items: What the file says of the items themselves, where it holds judged records and that was asked for.
    """

    judgements: tuple[Judgement, ...]
    headline_judge: str
    warnings: tuple[str, ...]
    has_dimension: bool
    items: tuple[SourceItem, ...] = ()


def read_records(
    path: Path,
    *,
    rename: Mapping[str, str] = NO_RENAME,
    scale: Scale,
    dimensions: Collection[str] | None = None,
) -> Sample:
    """Return the judged sample in a file.

    Args:
        path: CSV, JSON, JSON Lines, XLSX or Parquet, or llm-eval's golden set or run_result.json.
        rename: Field to the file's own name for it.
        scale: The scale the judge used.
        dimensions: The dimensions there are; None where any will do.

    Raises:
        ToolkitError: With everything that is wrong with the file.
    """
    problems: list[Problem] = []
    wanted = [names_of("item_id", rename), names_of("dimension", rename)]
    table = read_table(path, wanted=wanted, problems=problems)
    known = (*RESERVED, *(name for name in rename if _is_numbered(name)))
    refuse([*problems, *bad] if (bad := check_rename(table, rename, known)) else ())
    return _Reading(table, problems, rename, scale).sample(dimensions)


def read_judgements(
    path: Path, *, scale: Scale, rename: Mapping[str, str] = NO_RENAME, described: bool = False
) -> JudgeTable:
    """Return the judge scores in a file: judged records, or a table with one row per item and judge.

    Args:
        path: The file: anything `read_records` reads (the texts may be absent), or a table with the columns item_id,
            dimension (optional), judge (optional), score, justification and confidence (optional).
        scale: The scale the judge used.
        rename: Field to the file's own name for it.
        described: Whether to read of judged records what they say of the items too.

    Raises:
        ToolkitError: With everything that is wrong with the file.
    """
    problems: list[Problem] = []
    table = read_table(path, wanted=[names_of("item_id", rename)], problems=problems)
    refuse([*problems, *bad] if (bad := check_rename(table, rename, (*RESERVED, *LONG))) else ())
    has = {field: table.column(*names_of(field, rename)) for field in ("judge_score", "judge_scores", "judgements")}
    score = table.column(*names_of("score", rename))
    if has["judge_score"] and not score and not has["judgements"] and table.column(rename.get("judge", "judge")):
        # a row per item and judge, whatever the score is called
        score, rename = has["judge_score"], {**rename, "score": has["judge_score"]}
    elif any(has.values()) or is_run_result(table):
        return _Reading(table, problems, rename, scale).judgements(described=described)
    if score is None:
        columns = shown(", ".join(table.header), 300)
        what = f"there is no column judge_score, judgements or score; the columns are: {columns}"
        fix = "say which it is with --map judge_score=YOUR_COLUMN"
        raise ToolkitError([*problems, table.problem(what, fix)])
    return _LongReading(table, problems, rename, scale).judgements()


class _Reading:
    """One pass over judged records."""

    def __init__(self, table: Table, problems: list[Problem], rename: Mapping[str, str], scale: Scale):
        self.problems, self.rename = problems, rename
        self.warnings: list[str] = list(table.notes)
        self.noticed = Noticed()
        run = is_run_result(table)
        if run:
            table, said = run_records(table, problems)
            self.warnings.extend(said)
        self.table = table
        self.has_dimension = table.column(*names_of("dimension", rename)) is not None
        self.judges = JudgementReader(scale, self.noticed, means=run)
        self.numbered = numbered_columns(table.header)
        for field, column in rename.items():
            if _is_numbered(field) and (found := table.column(column)):
                self.numbered[found] = field

    def sample(self, dimensions: Collection[str] | None) -> Sample:
        items: list[tuple[SourceItem, Said]] = []
        for fields, key in self._rows(dimensions):
            item = source_item(fields, key, self.numbered, self.noticed)
            said = self.judges.read(fields, key)
            if item is not None:
                extra = item.extra | fields.rest()
                if said.unknown:
                    extra["judgements"] = list(said.unknown)
                items.append((item.model_copy(update={"extra": extra}), said))
        headline, judgements = self._named([said for _, said in items])
        refuse(in_order(self.problems))
        records = tuple(Record(item=item, judgements=found) for (item, _), found in zip(items, judgements, strict=True))
        silent = [r.item.item_id for r in records if headline not in [j.judge for j in r.judgements if _scored(j)]]
        if headline is not None:
            for item_id in silent:
                self.noticed.add("no judge score", item_id)
        return Sample(records, headline, self._all_warnings())

    def judgements(self, *, described: bool) -> JudgeTable:
        said, items = [], []
        for fields, key in self._rows(None, answered=False):
            said.append(self.judges.read(fields, key))
            item = source_item(fields, key, self.numbered, Noticed(), answered=False) if described else None
            if item is not None:
                items.append(item.model_copy(update={"extra": {}}))
        headline, judgements = self._named(said)
        refuse(in_order(self.problems))
        found = tuple(judgement for row in judgements for judgement in row)
        if headline is None or not any(map(_scored, found)):
            raise ToolkitError(self.table.problem("holds no judge score at all", "check that it is the right file"))
        return JudgeTable(found, headline, self._all_warnings(), self.has_dimension, tuple(items))

    def _rows(
        self, dimensions: Collection[str] | None, *, answered: bool = True
    ) -> Iterator[tuple[Fields, tuple[str, str]]]:
        """Yield each row with its key; rows without one, or with one that was there before, are reported."""
        seen: dict[tuple[str, str], Row] = {}
        for row in self.table.rows:
            fields = Fields(self.table, row, self.problems, self.rename)
            key = self._key(fields, dimensions)
            if key is None:
                # read on for what else is wrong with the row
                source_item(fields, ("", ""), self.numbered, Noticed(), answered=answered)
                self.judges.read(fields, ("", ""))
                continue
            if (first := seen.setdefault(key, row)) is not row:
                of = f" in dimension {shown(key[1])}" if self.has_dimension else ""
                what = f"is there twice{of}, in {first.place} and in {row.place}"
                fields.report(what, "keep one of them, or give them different identifiers")
            yield fields, key

    def _key(self, fields: Fields, dimensions: Collection[str] | None) -> tuple[str, str] | None:
        if self.has_dimension:
            return item_key(fields, dimensions)
        return _bare_key(fields)

    def _named(self, said: list[Said]) -> tuple[str | None, list[tuple[Judgement, ...]]]:
        """Return the headline judge's name, and each row's judgements with that judge first."""
        models = [row.own.judge for row in said if row.own is not None]
        headline: str | None
        if models:
            headline = models[0] if models[0] and len(set(models)) == 1 else UNNAMED
            if headline == UNNAMED and any(models):
                names = ", ".join(sorted({shown(model, 40) if model else "none" for model in models}))
                self.warnings.append(f"judge_model differs between records ({names}): the judge is called {UNNAMED}")
        else:
            headline = next((other.judge for row in said for other in row.others), None)
        return headline, [self._row(row, headline) for row in said]

    def _row(self, row: Said, headline: str | None) -> tuple[Judgement, ...]:
        others = list(row.others)
        if row.own is None:
            return tuple(sorted(others, key=lambda judgement: judgement.judge != headline))
        own = row.own.model_copy(update={"judge": headline})
        for other in [other for other in others if other.judge == headline]:
            others.remove(other)
            if _scored(other) and other.score != own.score:
                what = f"judge_score and judgements disagree about {headline}: {own.score} and {other.score}"
                item = f"item {shown(own.item_id)}: "
                self.problems.append(self.table.problem(item + what, "correct one of them"))
        return (own, *others)

    def _all_warnings(self) -> tuple[str, ...]:
        return (*self.warnings, *self.noticed)


class _LongReading:
    """One pass over a table with one row per item and judge."""

    def __init__(self, table: Table, problems: list[Problem], rename: Mapping[str, str], scale: Scale):
        self.table, self.problems, self.rename = table, problems, rename
        self.noticed = Noticed()
        self.reader = JudgementReader(scale, self.noticed, means=True)
        self.has_dimension = table.column(*names_of("dimension", rename)) is not None

    def judgements(self) -> JudgeTable:
        kept: dict[tuple[str, str, str], tuple[Judgement, Row]] = {}
        for row in self.table.rows:
            fields = Fields(self.table, row, self.problems, self.rename)
            judgement = self._judgement(fields)
            if judgement is None:
                continue
            place = (*judgement.key, judgement.judge)
            other, first = kept.setdefault(place, (judgement, row))
            if first is row or not _scored(judgement):
                continue
            if not _scored(other):
                kept[place] = judgement, row
            elif other.score != judgement.score:
                what = (
                    f"{shown(judgement.judge)} scored it twice, {other.score} in {first.place} and "
                    f"{judgement.score} in {row.place}"
                )
                fields.report(what, "keep one of them", column=fields.column("score"))
            else:
                self.noticed.add("the same judgement is there twice; it counts once", judgement.item_id)
        refuse(in_order(self.problems))
        found = tuple(judgement for judgement, _ in kept.values())
        if not any(map(_scored, found)):
            raise ToolkitError(self.table.problem("holds no judge score at all", "check that it is the right file"))
        judges = list(dict.fromkeys(judgement.judge for judgement in found))
        warnings = [*self.table.notes, *self.noticed]
        if len(judges) > 1:
            names = ", ".join(shown(judge, 40) for judge in judges)
            warnings.append(f"several judges ({names}): {shown(judges[0])} is the headline judge, the file's first")
        return JudgeTable(found, judges[0], tuple(warnings), self.has_dimension)

    def _judgement(self, fields: Fields) -> Judgement | None:
        key = item_key(fields, None) if self.has_dimension else _bare_key(fields)
        judge = fields.label("judge")
        if judge is None and self.table.column(*names_of("judge", self.rename)) is not None:
            if fields.raw("judge") is None:
                fields.report("has no judge", "name the judge in every row, or in none")
            key = None
        raw = fields.raw("score")
        score = None if raw is None or raw is BAD else self.reader.score(fields, "score", raw)
        justification, confidence = fields.text("justification"), fields.number("confidence")
        if key is None:
            return None
        if raw is None:
            self.noticed.add("no judge score", key[0])
        return Judgement(
            item_id=key[0],
            dimension=key[1],
            judge=judge or UNNAMED,
            score=score,
            justification=justification,
            confidence=confidence,
        )


def _bare_key(fields: Fields) -> tuple[str, str] | None:
    item_id = fields.read("item_id", as_identifier, "write it as text")
    if item_id:
        fields.item = item_id
        return item_id, NO_DIMENSION
    if fields.raw("item_id") is None:
        fields.report("has no item_id", "give every row the item's identifier")
    return None


def _is_numbered(name: str) -> bool:
    return bool(numbered_columns([name, "response_1"]).get(name))


def _scored(judgement: Judgement) -> bool:
    return judgement.score is not None
