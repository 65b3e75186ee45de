"""Time and memory of make-sheets, of reading what comes back, and of consolidate, beside a plain openpyxl script.

The plain scripts do the minimum in the usual way. `bare texts`: reads the sample and writes, for three annotators, the
texts of the annotation sheet into a workbook as they are: nothing in bold, no formats, no cutting into rows, no rubric.
`same cells`: writes what is in every cell of the three workbooks, which it is given ready made, markdown as rich
strings: no formats of cells, widths, heights, validations or formulas of colours; nothing is read, cut, measured or
audited. `same looks`: these cells with their fonts, fills, borders and locks. `plain read`: loads the same filled files
that the toolkit reads, visits every cell of every sheet, and collects the scores by item code: no checks. Each
measurement is a process of its own, so that its peak memory is its own too. Times are processor time of the work alone,
without the start of Python: others use the machine.

Run: python scripts/benchmark_sheets.py [ITEMS ...]      (default: 30 1000; 20000 takes some minutes)
     python scripts/benchmark_sheets.py --profile make|read|consolidate ITEMS
"""

import argparse
import cProfile
import json
import os
import pstats
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path

ANNOTATORS = ("A1", "A2", "A3")
SEED = 1
REPEATS = {30: 5, 1000: 3}
SYLLABLES = ("ba", "co", "de", "fi", "gu", "la", "me", "no", "pi", "ru", "são", "te", "vo", "xi", "zé", "qua", "nhe")


def text(chance: random.Random, words: int) -> str:
    """Return a text of distinct words, a sentence to every dozen."""
    found = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _word in range(words)]
    return " ".join(word + ("." if place % 12 == 11 else "") for place, word in enumerate(found))


def answer(chance: random.Random) -> str:
    """Return an answer as chatbots write them: paragraphs, a list, some words in bold, now and then code."""
    lines = "".join(f"- **{text(chance, 2)}**: {text(chance, 12)}\n" for _line in range(3))
    code = "```python\nfor a in b:\n    print(a)\n```\n" if chance.random() < 0.1 else ""
    return f"{text(chance, 45)}\n\n{lines}\n{code}{text(chance, 30)}"


def records(count: int) -> list[dict]:
    """Return a judged sample: a third of each dimension."""
    chance = random.Random(count)
    found = []
    for place in range(count):
        dimension = ("factual", "consistency", "robustness")[place % 3]
        record = {"item_id": f"item-{place}", "dimension": dimension, "prompt": text(chance, 20), "judge_score": 3,
                  "model": f"model-{place % 4}", "judge_justification": text(chance, 20)}  # fmt: skip
        if dimension == "factual":
            record |= {"ground_truth": text(chance, 25), "response": answer(chance)}
        elif dimension == "consistency":
            record |= {"responses": [answer(chance) for _response in range(3)]}
        else:
            record |= {"response": answer(chance), "original_response": answer(chance), "variant_type": "typo"}
        found.append(record)
    return found


def prepare(count: int, folder: Path) -> None:
    """Write the sample, the study, and its workbooks filled in."""
    from toolkit.jobs.make_sheets import study_layout
    from toolkit.model import Annotation
    from toolkit.study import read_study
    from toolkit.workbook.xlsx import write

    (folder / "sample.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records(count)))
    make(folder, "study")
    study = read_study(folder / "study")
    (folder / "study" / "filled").mkdir(exist_ok=True)
    chance = random.Random(SEED)
    for name in ANNOTATORS:
        answers = {
            item.item_code: Annotation(
                annotator=name,
                item_code=item.item_code,
                score=chance.choice((2, 3, 3, 4)),
                justification=text(chance, 12),
                doubt=chance.random() < 0.1,
            )
            for item in study.items
        }
        (folder / "study" / "filled" / f"{name}.xlsx").write_bytes(write(study_layout(study, name), answers))


def make(folder: Path, study: str = "") -> None:
    """Run make-sheets."""
    from toolkit.jobs.make_sheets import make_sheets, prepare
    from toolkit.rubrics import default_rubric

    target, rubric = folder / (study or f"made-{os.getpid()}"), default_rubric("pt-BR")
    prepared = prepare(folder / "sample.jsonl", target, ANNOTATORS, rubric, language_code="pt-BR", seed=SEED)
    make_sheets(target, prepared)


def bare_texts(folder: Path) -> None:
    """Write the texts of the annotation sheets, with openpyxl."""
    import openpyxl

    with (folder / "sample.jsonl").open() as file:
        sample = [json.loads(line) for line in file]
    for name in ANNOTATORS:
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(("study", "annotator", "part", "dimension", "item_code", "label", "text", "score"))
        order = sorted(sample, key=lambda record: record["dimension"])
        random.Random(name).shuffle(order)
        for place, record in enumerate(order, 1):
            code, dimension = f"K{place}", record["dimension"]
            texts = [("Question", record["prompt"])]
            texts += [(label, record[key]) for label, key in (("Reference", "ground_truth"),
                      ("Original answer", "original_response")) if key in record]  # fmt: skip
            answers = record.get("responses") or [record["response"]]
            texts += [(f"Answer {number}", response) for number, response in enumerate(answers, 1)]
            sheet.append((None, None, f"{code}:000", dimension, None, f"Item {place} of {len(order)}", "Question?"))
            for number, (label, words) in enumerate(texts, 1):
                last = number == len(texts)
                keys = ("st-1", name) if last else (None, None)
                sheet.append((*keys, f"{code}:{number:03d}", dimension, code if last else None, label, words))
        book.save(folder / f"plain-{name}.xlsx")


def same_cells(folder: Path, *, looks: bool = False) -> None:
    """Write the cells of the workbooks that go out, with openpyxl."""
    start = time.process_time()
    import openpyxl
    from openpyxl.cell.cell import MergedCell

    imported = time.process_time() - start

    made = [openpyxl.load_workbook(path, rich_text=True) for path in sorted((folder / "study/send").glob("*.xlsx"))]
    shared: dict[str, tuple[object, ...]] = {}

    def look(cell: openpyxl.cell.cell.Cell) -> tuple[object, ...]:
        parts = (cell.font, cell.fill, cell.alignment, cell.border, cell.protection)
        return shared.setdefault(repr(parts), tuple(map(copy, parts)))

    sheets = [
        (place, sheet.title, [
            (cell.row, cell.column, cell.value, look(cell) if looks else ())
            for line in sheet.iter_rows() for cell in line
            if not isinstance(cell, MergedCell) and (cell.value is not None or (looks and cell.has_style))
        ])
        for place, book in enumerate(made) for sheet in book
    ]  # fmt: skip
    start = time.process_time()
    books = [openpyxl.Workbook() for _book in made]
    for place, title, cells in sheets:
        sheet = books[place].create_sheet(title)
        for row, column, value, parts in cells:
            cell = sheet.cell(row, column, value)
            if parts:
                cell.font, cell.fill, cell.alignment, cell.border, cell.protection = parts
    for place, book in enumerate(books):
        book.save(folder / f"same-{place}.xlsx")
    same_cells.seconds = imported + time.process_time() - start  # type: ignore[attr-defined]


def same_looks(folder: Path) -> None:
    """Write the cells of the workbooks that go out with their looks, with openpyxl."""
    same_cells(folder, looks=True)
    same_looks.seconds = same_cells.seconds  # type: ignore[attr-defined]


def read(folder: Path) -> None:
    """Read what came back."""
    from toolkit.study import read_study
    from toolkit.workbook.ingest import ingest
    from toolkit.workbook.limits import limits_for
    from toolkit.workbook.readers import find_sources, read_book

    study = read_study(folder / "study")
    start = time.process_time()
    limits = limits_for(study)
    sources, _warnings = find_sources([folder / "study" / "filled"], limits)
    returned = ingest((read_book(source, limits) for source in sources), study)
    assert not returned.problems, returned.problems[:3]
    assert all(len(found) == len(study.items) for found in returned.annotations.values())
    read.seconds = time.process_time() - start  # type: ignore[attr-defined]


def plain_read(folder: Path) -> None:
    """Read the cells, with openpyxl."""
    import openpyxl

    for path in sorted((folder / "study" / "filled").glob("*.xlsx")):
        book = openpyxl.load_workbook(path)
        scores: dict[str, object] = {}
        for sheet in book.worksheets:
            lines = sheet.iter_rows(values_only=True)
            keys = next(lines, ())
            if "item_code" in keys:
                code, score = keys.index("item_code"), keys.index("score")
                scores = {line[code]: line[score] for line in lines if line[code]}
            else:
                for _line in lines:
                    pass
        assert scores


def consolidate(folder: Path) -> None:
    """Run consolidate."""
    from toolkit.jobs.consolidate import consolidate

    consolidate(folder / "study", out=folder / "report", force=True)


# beside what each is put
BESIDE = {"make-sheets": ("bare texts", "same cells", "same looks"), "reading": ("plain read",)}
BESIDE |= {"consolidate": ("plain read",)}
WORK: dict[str, Callable[[Path], None]] = {
    "make-sheets": make,
    "bare texts": bare_texts,
    "same cells": same_cells,
    "same looks": same_looks,
    "reading": read,
    "plain read": plain_read,
    "consolidate": consolidate,
}


def one(name: str, folder: Path) -> None:
    """Do one thing and print its time and peak memory."""
    work = WORK[name]
    start = time.process_time()
    work(folder)
    seconds = getattr(work, "seconds", time.process_time() - start)
    print(json.dumps({"seconds": seconds, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def measure(name: str, count: int, folder: Path) -> tuple[float, float]:
    """Return the shortest time of a few runs, and the most memory."""
    found = []
    for _repeat in range(REPEATS.get(count, 1)):
        command = [sys.executable, __file__, "--one", name, "--folder", str(folder)]
        found.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    return min(run["seconds"] for run in found), max(run["mb"] for run in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("items", nargs="*", type=int, default=[30, 1000])
    parser.add_argument("--one", choices=["prepare", *WORK], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--profile", choices=["make", "read", "consolidate"])
    chosen = parser.parse_args()
    if chosen.one == "prepare":
        prepare(chosen.items[0], chosen.folder)
        return
    if chosen.one:
        one(chosen.one, chosen.folder)
        return
    for count in chosen.items:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # a process of its own: Linux counts the peak of a parent as its children's
            subprocess.run([sys.executable, __file__, "--one", "prepare", "--folder", name, str(count)], check=True)
            if chosen.profile:
                profile = cProfile.Profile()
                profile.runcall({"make": make, "read": read, "consolidate": consolidate}[chosen.profile], folder)
                pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
                continue
            load = os.getloadavg()[0]
            found = {name: measure(name, count, folder) for name in WORK}
            print(f"{count:,} items x {len(ANNOTATORS)} annotators (load {load:.1f} on {os.cpu_count()} cores before)")
            for name, (seconds, memory) in found.items():
                ratios = ", ".join(f"{seconds / found[one][0]:.2f} x {one}" for one in BESIDE.get(name, ()))
                print(f"  {name:12} {seconds:8.2f} s {memory:7.0f} MB  {ratios}", flush=True)


if __name__ == "__main__":
    main()
