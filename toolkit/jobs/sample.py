"""sample: from a judged log of any size to the few records that people will score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import pretty_json, write_all
from toolkit.model import Scale
from toolkit.records import read_records
from toolkit.sampling.choose import Choice, choose
from toolkit.sampling.exclusions import Exclusions, read_exclusions
from toolkit.sampling.fetch import Key, fetch, judged_record, prompt_of, to_jsonl
from toolkit.sampling.logs import Log
from toolkit.sampling.problems import built_in, unseen
from toolkit.sampling.query import Ask, groups
from toolkit.sampling.rejects import name_rejects
from toolkit.sampling.report import cell_label, fingerprint, labels, rows_of, shortfalls, stratum_rows
from toolkit.sampling.strata import Allocation, Stratum, build
from toolkit.sampling.targets import read_targets
from toolkit.texts import many

DEFAULT_PER_STRATUM = 10
SPARE = 5
# candidates looked at per record wanted where prompts must not be alike
OVERSAMPLED = 5
REPEATED_SHOWN = 3
MOST_NAMED = 20


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a sample.

    Attributes:
        by: Stratifying columns; None for dimension where the log has it.
        per_stratum: Records from each stratum; or
        total: records in all, divided by `allocation`, or as the table `targets` says.
        mix: Spread over the judge's scores.
        problem_share: Share of problem cases; `problems` are conditions of the user's own.
        judges: Columns of other judges' scores: a record on which two judges are far apart is a problem case.
        metrics: Columns of metrics: so is a record on which one of them disagrees with the judge's score.
        similarity: From which similarity prompts count as near-duplicates, of which one is chosen; None to keep them.
        where: A condition that every record must meet.
        exclude: Files of records to leave out.
        dimension: The dimension of all records, where the log has none.
        id_from: Columns that together identify a record.
    """

    by: tuple[str, ...] | None = None
    per_stratum: int | None = None
    total: int | None = None
    allocation: Allocation = "proportional"
    targets: Path | None = None
    mix: bool = False
    problem_share: float | None = None
    problems: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    similarity: float | None = None
    where: str | None = None
    exclude: tuple[Path, ...] = ()
    dimension: str | None = None
    id_from: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sampled:
    """What sample did: the records, the report, and what is worth saying."""

    records: tuple[dict[str, Any], ...]
    report: dict[str, Any]
    files: tuple[Path, ...]
    warnings: tuple[str, ...]


def sample(log: Log, wanted: Wanted, out: Path, *, scale: Scale, seed: int, force: bool = False) -> Sampled:
    """Draw a sample from a log and write it, with its report beside it.

    Args:
        log: From `toolkit.sampling.files.open_files` or `toolkit.sampling.warehouse.open_table`.
        wanted: What is wanted.
        out: JSON Lines file to write; its report is written beside it, as NAME_report.json.
        scale: The scale of the judge's scores.
        seed: Of the selection.
        force: Whether existing files may be replaced.

    Raises:
        ToolkitError: With every problem found; nothing is written then.
    """
    _refuse_existing(out, force=force)
    named = (
        *wanted.id_from,
        *(wanted.by or ()),
        *wanted.judges,
        *wanted.metrics,
        *wanted.rename,
        "item_id",
        "dimension",
        "judge_score",
    )
    log = log.called(wanted.rename, wanted.id_from).knowing(named)
    by = _check_columns(log, wanted)
    left_out = Exclusions()
    for path in wanted.exclude:
        left_out |= read_exclusions(path)
    flags = []
    if wanted.problem_share is not None:
        flags = built_in(log, scale, judges=wanted.judges, metrics=wanted.metrics)
    ask = Ask(
        scale=scale,
        seed=seed,
        by=by,
        where=wanted.where,
        problems=wanted.problems,
        flags=flags,
        excluded_ids=left_out.keys,
        excluded_prompts=left_out.prompts,
        dimension=wanted.dimension,
    )
    targets = read_targets(wanted.targets, by) if wanted.targets else None
    per_stratum = wanted.per_stratum
    if per_stratum is None and wanted.total is None and targets is None:
        per_stratum = DEFAULT_PER_STRATUM
    most = max(per_stratum or 0, wanted.total or 0, *(targets or {}).values())
    found = groups(log, ask, most * (OVERSAMPLED if wanted.similarity is not None else 1) + SPARE)
    rows = rows_of(found, log.broken() if log.broken else 0)
    warnings = [*log.notes, *_rejected(log, scale, rows)]
    if log.columns.find("judge_score") is None and log.columns.find("judge_scores"):
        warnings.append("there is no column judge_score: judge_scores alone are kept, but play no part in strata")
    if wanted.problem_share is not None and (lists := unseen(log)):
        warnings.append(
            f"this engine cannot compare the scores inside {' and '.join(lists)}: judges that are far apart are no "
            "problem cases, unless --judges names columns with a score each"
        )
    if not rows["frame"]:
        raise ToolkitError(Problem("holds no record that could be chosen", _why(rows), log.name))
    strata = build(
        found,
        per_stratum=per_stratum,
        total=wanted.total,
        allocation=wanted.allocation,
        targets=targets,
        mix=wanted.mix,
        problem_share=wanted.problem_share,
    )
    choice, records = _chosen(log, wanted, strata, left_out)
    names = labels(strata, by)
    made, lost = [], []
    for pick in choice.picks:
        label = cell_label(names[pick.cell.by], pick.cell, mix=wanted.mix)
        record, bad = judged_record(records[pick.candidate.key], pick, label, log.columns, scale)
        made.append(record)
        lost += [f"{name} of item {shown(pick.candidate.item_id)}" for name in bad]
    scores = {p.candidate.key: r.get("judge_score") for p, r in zip(choice.picks, made, strict=True)}
    per = stratum_rows(strata, found, choice.picks, scores, names, by)
    warnings += shortfalls(per) + _said(choice, lost, targets, strata, per, wanted) + _shared_prompts(made)
    report = {
        "schema": 1,
        "seed": seed,
        "by": list(by),
        "allocation": "targets" if targets else "equal" if per_stratum else wanted.allocation,
        "mix": wanted.mix,
        "problem_share": wanted.problem_share,
        "problem_conditions": [flag.name for flag in flags] + list(wanted.problems),
        "similarity": wanted.similarity,
        "where": wanted.where,
        "log": {"name": log.name, "fingerprint": fingerprint(found)},
        "files": [{"name": path.name, "bytes": path.stat().st_size} for path in log.files],
        "rows": rows,
        "near_duplicates_passed_over": len(choice.alike),
        "chosen": len(made),
        "strata": per,
    }
    files = write_all(out.parent, {out.name: to_jsonl(made), report_name(out): pretty_json(report)}, force=force)
    warnings += _as_make_sheets_reads(out, scale)
    return Sampled(tuple(made), report, tuple(files), tuple(dict.fromkeys(warnings)))


def report_name(out: Path) -> str:
    """Return the name of the report beside a sample.

    >>> report_name(Path("june/sample.jsonl"))
    'sample_report.json'
    """
    return f"{out.stem}_report.json"


def _refuse_existing(out: Path, *, force: bool) -> None:
    if out.suffix.casefold() not in (".jsonl", ".ndjson"):
        raise ToolkitError(Problem("a sample is written as JSON Lines", "give -o a name that ends in .jsonl", str(out)))
    what, fix = "exists already and is not overwritten", "choose another name with -o, or --force to replace it"
    paths = (out, out.with_name(report_name(out)))
    refuse(Problem(what, fix, str(path)) for path in paths if path.exists() and not force)


def _check_columns(log: Log, wanted: Wanted) -> tuple[str, ...]:
    columns = log.columns
    if not columns.types:
        raise ToolkitError(Problem("holds no record", "check that it is the right file", log.name))
    problems = []
    for name in [n for n in wanted.id_from if columns.find(n) is None]:
        problems.append(_no_column(log, "--id", name))
    if not wanted.id_from and columns.find("item_id") is None:
        problems.append(_no_column(log, "--map item_id=COLUMN, or --id", "item_id"))
    by = wanted.by
    if by is None:
        by = ("dimension",) if columns.find("dimension") and wanted.dimension is None else ()
    for name in [n for n in by if columns.find(n) is None]:
        problems.append(_no_column(log, "--by", name))
    problems += [_no_column(log, "--judges", name) for name in wanted.judges if columns.find(name) is None]
    problems += [_no_column(log, "--metrics", name) for name in wanted.metrics if columns.find(name) is None]
    for name, column in wanted.rename.items():
        if columns.find(name) is None:
            problems.append(_no_column(log, f"--map {name}", column))
    refuse(problems)
    return by


def _no_column(log: Log, option: str, name: str) -> Problem:
    known = shown(", ".join(log.columns.types), 300)
    return Problem(f"there is no column {shown(name)!r}; the columns are: {known}", f"check {option}", log.name)


def _rejected(log: Log, scale: Scale, rows: Mapping[str, int]) -> list[str]:
    count = rows["broken"] + rows["no_item_id"] + rows["bad_judge_score"]
    if not count:
        return []
    named = name_rejects(log, scale, count)
    said = [
        f"{count} of {many(rows['read'], 'row')} rejected: {rows['broken'] + rows['no_item_id']} unreadable or "
        f"without an item_id, {rows['bad_judge_score']} with a judge score that is none"
    ]
    said += [str(problem).rstrip(".") for problem in named]
    if len(named) < count:
        said.append(f"rejected rows: {many(count - len(named), 'more is', 'more are')} not named")
    return said


def _why(rows: Mapping[str, int]) -> str:
    reasons = {key.replace("_", " "): n for key, n in rows.items() if n and key not in ("read", "frame")}
    return ", ".join(f"{n} {reason}" for reason, n in reasons.items()) or "the log is empty"


def _chosen(
    log: Log, wanted: Wanted, strata: Sequence[Stratum], left_out: Exclusions
) -> tuple[Choice, dict[Key, dict[str, Any]]]:
    prompts = None
    records: dict[Key, list[dict[str, Any]]] = {}
    if wanted.similarity is not None:
        records = _fetched(log, [c.key for s in strata for cell in s.cells for c in cell.candidates], wanted)
        prompts = {key: prompt_of(found[0], log.columns) for key, found in records.items()}
    choice = choose(strata, prompts, similarity=wanted.similarity or 1.0, left_out=sorted(left_out.prompts))
    if not records:
        records = _fetched(log, [pick.candidate.key for pick in choice.picks], wanted)
    problems = []
    for pick in choice.picks:
        found = records.get(pick.candidate.key, [])
        if any(other != found[0] for other in found[1:]):
            item, dimension = pick.candidate.key
            of = f" in dimension {shown(dimension)}" if dimension else ""
            what = f"item {shown(item)} is there {len(found)} times{of}, each time different"
            fix = "say which columns tell records apart: --id item_id,model"
            problems.append(Problem(what, fix, log.name))
    refuse(problems[:MOST_NAMED])
    return choice, {key: found[0] for key, found in records.items()}


def _fetched(log: Log, keys: Sequence[Key], wanted: Wanted) -> dict[Key, list[dict[str, Any]]]:
    records = fetch(log, keys, wanted.dimension)
    # what only a whole record shows: bytes that are no text, in a column that nobody had asked for yet
    what, fix = "cannot be read whole: it holds bytes that are no UTF-8", "save the log as UTF-8"
    lost = dict.fromkeys(key[0] for key in keys if key not in records)
    refuse(Problem(f"item {shown(item)} {what}", fix, log.name) for item in list(lost)[:MOST_NAMED])
    return records


def _said(
    choice: Choice,
    lost: Sequence[str],
    targets: Mapping[tuple[str, ...], int] | None,
    strata: Sequence[Stratum],
    rows: Sequence[Mapping[str, Any]],
    wanted: Wanted,
) -> list[str]:
    said = []
    if choice.repeated:
        names = ", ".join(shown(item) for item, _ in choice.repeated[:REPEATED_SHOWN])
        looked = sum(len(cell.candidates) for stratum in strata for cell in stratum.cells)
        said.append(
            f"in the log more than once: {len(choice.repeated)} of {many(looked, 'candidate')} looked at ({names}); "
            "each counts once in the sample, but every copy counts in the log's numbers"
        )
    if choice.alike:
        said.append(
            f"{many(len(choice.alike), 'candidate')} passed over as near-duplicates of a prompt; probabilities and "
            "weights are those of the cells, as if these had been passed over by chance"
        )
    if lost:
        said.append(f"values that JSON cannot hold were left out: {', '.join(lost[:5])}")
    unknown = set(targets or ()) - {stratum.by for stratum in strata}
    said += [f"--allocation: the log has no stratum {' / '.join(values)}" for values in sorted(unknown)]
    if wanted.problem_share is not None:
        for row in rows:
            asked = int(row["chosen"] * wanted.problem_share + 0.5)
            if (row["problems_chosen"] or 0) != asked:
                said.append(
                    f"stratum {row['stratum']}: {row['problems_chosen']} problem cases instead of {asked} (the log has "
                    f"{row['problems_log']})"
                )
    return said


def _shared_prompts(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which records of one dimension have a prompt in common, word for word."""
    prompts = Counter(
        (record.get("dimension"), prompt.strip())
        for record in records
        if isinstance(prompt := record.get("prompt"), str) and prompt.strip()
    )
    repeated = [n for n in prompts.values() if n > 1]
    if not repeated:
        return []
    return [
        f"{sum(repeated)} of the {len(records)} chosen records share their prompt with another of their dimension "
        f"({many(len(repeated), 'different prompt')}); --unlike takes one record per prompt"
    ]


def _as_make_sheets_reads(out: Path, scale: Scale) -> list[str]:
    try:
        read_records(out, scale=scale)
    except ToolkitError as error:
        first = str(error.problems[0]).rstrip(".")
        more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        return [f"make-sheets cannot use this sample as it is: {first}{more}"]
    return []
