"""make-sheets: from a judged sample to a study and one blind workbook for each annotator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from toolkit.errors import Problem, ToolkitError, refuse, shown
from toolkit.files import sha256, write_all
from toolkit.i18n import language
from toolkit.jobs.init import example_prompts
from toolkit.jobs.judged import Judged, join_judged, merged
from toolkit.model import Judgement, Record, Rubric, SheetOptions
from toolkit.records import read_records
from toolkit.study import Study, create_study, read_study
from toolkit.texts import holds_forbidden, many
from toolkit.workbook.blindness import Auditor, own_names
from toolkit.workbook.fits import misfits
from toolkit.workbook.ingest import holds_answers
from toolkit.workbook.layout import Layout, annotator_layout, minutes_of_workbook, practice_items
from toolkit.workbook.limits import limits_for
from toolkit.workbook.locked import locked_hashes
from toolkit.workbook.markdown import Mode
from toolkit.workbook.parts import content_hashes, labelled_parts
from toolkit.workbook.quotes import quoted_justifications
from toolkit.workbook.readers import Limits, find_sources, read_book
from toolkit.workbook.xlsx import write

SEND = "send"
FILLED = "filled"
REPORT = "report"
_PLAIN_NAME = re.compile(r"[\w][\w .-]{0,59}", re.UNICODE)
_WINDOWS_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


@dataclass(frozen=True)
class Made:
    """What make-sheets did."""

    study: Study
    folder: Path
    files: tuple[Path, ...]
    minutes_each: dict[str, int]
    warnings: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Prepared:
    """A study in memory, checked, with nothing written yet.

    Attributes:
        contents: What goes into its folder, by relative path; study.json is not among it.
    """

    study: Study
    contents: dict[str, bytes]
    warnings: tuple[str, ...]

    @cached_property
    def minutes_each(self) -> dict[str, int]:
        """How long reading and scoring take each annotator."""
        return _minutes_each(self.study)


def make_sheets(folder: Path, prepared: Prepared, *, force: bool = False) -> Made:
    """Write STUDY/study.json and STUDY/send/ANNOTATOR.xlsx, and make STUDY/filled/ for what comes back.

    Args:
        folder: The study folder.
        prepared: The study.
        force: Whether an existing study may be replaced; filled-in answers never are.

    Raises:
        ToolkitError: When files exist, or cannot be written.
    """
    _refuse_to_lose_spreadsheets(folder)
    contents = {"study.json": prepared.study.to_json(), **prepared.contents}
    files = write_all(folder, contents, force=force)
    (folder / FILLED).mkdir(exist_ok=True)
    workbooks = tuple(path for path in files if path.suffix == ".xlsx")
    return Made(prepared.study, folder, workbooks, prepared.minutes_each, prepared.warnings)


def prepare(
    sample: Path,
    folder: Path,
    annotators: Sequence[str],
    rubric: Rubric,
    *,
    language_code: str,
    seed: int,
    judged: Path | None = None,
    order: Literal["grouped", "mixed"] = "grouped",
    markdown: Mode = "rendered",
    sheets: SheetOptions | None = None,
    masks: Sequence[str] = (),
    overlap: int | None = None,
    common: int = 0,
    rename: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
) -> Prepared:
    """Return a study with its workbooks. Everything is built and checked in memory; nothing is written.

    Args:
        sample: The judged sample.
        folder: The study folder, where filled-in answers may stand in the way.
        annotators: Their names, in study order.
        rubric: The rubric, whose scale and dimensions the sample must fit.
        language_code: Language of the workbooks.
        seed: Of codes and orders.
        judged: File of judge scores to join.
        order: Items grouped by dimension, or all mixed.
        markdown: Answers as their markdown means, or as it is written.
        sheets: What the coordinator wants of the workbooks: deadline, contact, practice...
        masks: Names of models to hide in the items' texts.
        overlap: How many annotators score an item; None for all.
        common: How many items all of them score, where the others have fewer scores.
        rename: Reserved field to the name it has in the sample.
        limits: Limits of a file that were chosen, by name.

    Raises:
        ToolkitError: With every problem found.
    """
    refuse(misfits(rubric))
    read = read_records(sample, rename=rename or {}, scale=rubric.scale, dimensions=list(rubric.dimensions))
    warnings = list(read.warnings)
    records, headline = read.records, read.headline_judge
    if judged is not None:
        records, headline, said = _joined(judged, records, headline, rubric)
        warnings += said
    study = create_study(
        records,
        rubric,
        annotators,
        language=language_code,
        seed=seed,
        order=order,
        markdown=markdown,
        sheets=sheets,
        masks=masks,
        headline_judge=headline,
        overlap=overlap,
        common=common,
    )
    if study.sheets.practice and not practice_items([item.seen for item in study.items], rubric):
        what = "the rubric has no examples for practice in the dimensions of the sample"
        raise ToolkitError(Problem(what, "give its dimensions `examples`, or leave out --practice"))
    del read, records  # the study holds it all; of thousands of items, twice is too much
    study = _with_hashes(study)
    warnings += _warnings(study)
    _refuse_to_lose_answers(folder, study, limits_for(study, limits))
    contents: dict[str, bytes] = {}
    for name, file in file_names(study.names).items():
        contents[f"{SEND}/{file}.xlsx"] = write(study_layout(study, name))
    refuse(quoted_justifications(study))
    auditor = Auditor(study)
    refuse(problem for path, data in contents.items() for problem in auditor.audit(path, data))
    contents[f"{SEND}/message.txt"] = message(study).encode()
    return Prepared(study, contents, tuple(warnings))


def message(study: Study, name: str | None = None, *, online: bool = False) -> str:
    """Return the text to send along with an annotator's file, or link, in the study's language.

    Args:
        study: The study.
        name: The annotator; None for a text that goes to everybody, and says from what to what their numbers go.
        online: Whether it is a link.
    """
    _, options = language(study.language), study.sheets
    names = study.names if name is None else (name,)
    totals, each = [len(study.assignments[one]) for one in names], _minutes_each(study)
    minutes = _.span(each[one] for one in names)
    guide = _("Start here")
    lines = [
        _("Hello,"),
        _thanks(study, online=online),
        _.plural(
            "It holds {n} item. Reading and scoring it takes about {minutes} minutes.",
            "It holds {n} items. Reading and scoring them takes about {minutes} minutes.",
            totals[0],
            minutes=minutes,
        )
        if len(set(totals)) == 1
        else _(
            "It holds {items} items. Reading and scoring them takes about {minutes} minutes.",
            items=_.span(totals),
            minutes=minutes,
        ),
        _("You can stop at any time and go on later; everything is saved by itself.")
        if online
        else _("You can stop at any time, save the file, and go on later."),
        _("Open it in Google Sheets and begin with the sheet “{guide}”.", guide=guide)
        if online
        else _("Open it in Excel, LibreOffice or Google Sheets and begin with the sheet “{guide}”.", guide=guide),
        _("Please work alone: do not discuss the items, and do not ask a chatbot, until everybody has finished."),
    ]
    if options.deadline and online:
        lines.append(_("Please finish by: {deadline}", deadline=options.deadline))
    elif options.deadline:
        lines.append(_("Please send the file back by: {deadline}", deadline=options.deadline))
    if options.contact:
        lines.append(_("Questions about the work (not about single items) go to: {contact}", contact=options.contact))
    lines.append(_("Many thanks!"))
    return "\n\n".join(lines) + "\n"


def _minutes_each(study: Study) -> dict[str, int]:
    minutes: dict[frozenset[str], int] = {}
    for codes in map(frozenset, study.assignments.values()):
        if codes not in minutes:
            items = [item.seen for item in study.items if item.item_code in codes]
            minutes[codes] = minutes_of_workbook(items, study.rubric, study.sheets)
    return {name: minutes[frozenset(codes)] for name, codes in study.assignments.items()}


def _thanks(study: Study, *, online: bool) -> str:
    _ = language(study.language)
    if not online:
        return _("thank you for scoring chatbot answers with us. Your workbook is attached; it is for you alone.")
    if study.google is not None and study.google.one_spreadsheet:
        return _(
            "thank you for scoring chatbot answers with us. The spreadsheet has sheets for each of us: please fill in "
            "those with your name, and do not look at the others."
        )
    return _("thank you for scoring chatbot answers with us. Your spreadsheet is shared with you; it is for you alone.")


def study_layout(study: Study, annotator: str, *, online: bool = False) -> Layout:
    """Return the layout of an annotator's workbook; blind, since only the items' visible side goes in."""
    return annotator_layout(
        [study.by_code[code].seen for code in study.assignments[annotator]],
        study.rubric,
        study_id=study.study_id,
        annotator=annotator,
        language_code=study.language,
        markdown=study.markdown,
        options=study.sheets,
        online=online,
    )


def file_names(annotators: Sequence[str]) -> dict[str, str]:
    """Return a file name (without suffix) for each annotator: their name, where every system can hold it.

    A name with anything else in it (slashes, dots in front, emoji) becomes a plain one with a short hash, so that no
    name is ever a path and no two names are one file.
    """
    found: dict[str, str] = {}
    for name in annotators:
        plain = _PLAIN_NAME.fullmatch(name) and not name.endswith((".", " ")) and not _WINDOWS_DEVICES.fullmatch(name)
        slug = name if plain else re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-")[:40] or "annotator"
        if not plain or slug.casefold() in (other.casefold() for other in found.values()):
            slug = f"{slug}-{sha256(name)[:6]}"
        found[name] = slug
    return found


def _joined(
    path: Path, records: tuple[Record, ...], headline: str | None, rubric: Rubric
) -> tuple[tuple[Record, ...], str | None, tuple[str, ...]]:
    own = [judgement for record in records for judgement in record.judgements]
    joined: Judged = merged(own, headline, join_judged(path, [r.item for r in records], rubric.scale), path)
    by_item: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in joined.judgements:
        by_item.setdefault(judgement.key, []).append(judgement)
    records = tuple(
        record.model_copy(update={"judgements": tuple(by_item.get(record.item.key, ()))}) for record in records
    )
    return records, joined.headline, joined.warnings


def _with_hashes(study: Study) -> Study:
    _ = language(study.language)
    items = tuple(
        item.model_copy(update={"hashes": content_hashes(item.seen, _, study.markdown)}) for item in study.items
    )
    return study.model_copy(update={"items": items, "locked": locked_hashes(study)})


def _warnings(study: Study) -> list[str]:
    _ = language(study.language)
    found = []
    for item in study.items:
        if any(holds_forbidden(text) for _label, text in labelled_parts(item.seen, _)):
            found.append(
                f"item {shown(item.item_id)}: characters that no spreadsheet can hold are shown as ␀ or \ufffd"
            )
    for item_id, names in own_names(study).items():
        named = ", ".join(map(shown, names))
        whose = "its own model or provider, or a judge"
        found.append(f"item {shown(item_id)}: a text names {whose} ({named}); --mask can hide it")
    examples = example_prompts()
    if left := [item.item_id for item in study.items if item.prompt in examples]:
        listed = ", ".join(map(shown, left))
        found.append(f"{many(len(left), 'example')} that toolkit init wrote, to be replaced by yours ({listed})")
    bare = [item.item_id for item in study.items if not item.prompt.strip()]
    if bare:
        listed = ", ".join(map(shown, bare[:10])) + (" ..." if len(bare) > 10 else "")
        found.append(
            f"{many(len(bare), 'item')} without a prompt: annotators see the answer without its question ({listed})"
        )
    if len(study.annotators) == 2:
        apart_by = "that differ" if study.rubric.scale.kind == "nominal" else "two or more apart"
        found.append(
            f"two annotators are a fallback: scores {apart_by} have to be discussed before they count, and the "
            "report states the limitation"
        )
    design = study.design
    shared = design.shared.values()
    if apart := sum(not count for count in shared):
        found.append(
            f"{apart} of {many(len(shared), 'pair')} of annotators without a shared item: the agreement stays "
            "unknown; a higher --overlap, more items or fewer annotators change that"
        )
    if design.partial and _few_shared([*shared], len(study.items)):
        each = language("en").span(count for count in shared if count)
        found.append(
            f"items that two annotators share: {each}; with fewer than "
            "20 the mean kappa of pairs gets no interval, and the report leads with Krippendorff's alpha; a higher "
            "--overlap or more items change that"
        )
    scored = {judgement.key for judgement in study.judgements if judgement.score is not None}
    missing = sum(item.key not in scored for item in study.items)
    if missing:
        found.append(
            f"{missing} of {many(len(study.items), 'item')} without a judge score yet (join one later with --judged)"
        )
    return found


def _few_shared(shared: Sequence[float], items: int) -> bool:
    from toolkit.stats.diagnosis import few_shared  # brings numpy, which most studies here do without

    return few_shared(shared, items)


def _refuse_to_lose_spreadsheets(folder: Path) -> None:
    """Refuse, force or not, to replace the only file that says where people are annotating in Google Sheets."""
    try:
        google = read_study(folder).google
    except ToolkitError:
        return
    if google is not None and google.sheets:
        what = "is a study with spreadsheets in Google Sheets, whose answers could not be found any more"
        fix = "choose another folder with -o, or go on with this one with --google"
        raise ToolkitError(Problem(what, fix, str(folder / "study.json")))


def _refuse_to_lose_answers(folder: Path, study: Study, limits: Limits) -> None:
    """Refuse, force or not, when somebody's answers would be overwritten or would lose the study they belong to."""
    problems = []
    if (folder / SEND).is_dir():
        sources, _ignored = find_sources([folder / SEND], limits)
        problems += [
            Problem("holds answers that somebody filled in here", "move it to filled/ or elsewhere first", source.name)
            for source in sources
            if holds_answers(read_book(source, limits))
        ]
    if (folder / FILLED).is_dir() and find_sources([folder / FILLED])[0]:
        try:
            same = read_study(folder).study_id == study.study_id
        except ToolkitError:
            same = False
        if not same:
            problems.append(
                Problem(
                    "holds workbooks filled in for the study that is here now; a new study could not read them",
                    "choose another folder with -o, or move the filled workbooks away first",
                    str(folder / FILLED),
                )
            )
    refuse(problems)
