"""Small studies for tests, made and filled in as people would."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
from click.testing import CliRunner, Result
from openpyxl.worksheet.worksheet import Worksheet

from toolkit.cli import main
from toolkit.study import Study, read_study

Answers = Mapping[tuple[str, str], Any]  # (annotator, item_id) -> score


def toolkit(*arguments: object) -> Result:
    """Run a toolkit command as from a shell."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="toolkit")


def ok(*arguments: object) -> str:
    """Run a command that must succeed; return what it printed."""
    result = toolkit(*arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.output


def refused(*arguments: object) -> str:
    """Run a command that must be refused with exit code 1, without a traceback; return what it printed."""
    result = toolkit(*arguments)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert "unforeseen" not in result.output, result.output
    return result.output


def record(item_id: str, dimension: str = "factual", **fields: Any) -> dict[str, Any]:
    """Return a judged record with a sensible default for everything."""
    texts: dict[str, Any] = {"prompt": f"Question {item_id}?", "response": f"Answer {item_id}.", "judge_score": 4}
    if dimension == "factual":
        texts["ground_truth"] = f"Reference {item_id}."
    return {"item_id": item_id, "dimension": dimension} | texts | fields


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Write records as JSON Lines."""
    path.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in records), encoding="utf-8")
    return path


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> Path:
    """Write a CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(header), *map(list, rows)])
    return path


def make(folder: Path, records: Iterable[Mapping[str, Any]], annotators: str = "A1,A2,A3", *options: object) -> Study:
    """Run make-sheets; return the study."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    sample = write_jsonl(folder.parent / f"{folder.name}.jsonl", records)
    ok("make-sheets", sample, "--annotators", annotators, "--seed", "1", "-o", folder, "-q", *options)
    return read_study(folder)


def annotation_sheet(book: openpyxl.Workbook) -> tuple[Worksheet, dict[str, int]]:
    """Return the annotation sheet of a workbook as written, and its columns by machine key."""
    for sheet in book.worksheets:
        keys = {str(cell.value): cell.column for cell in sheet[1] if cell.value is not None}
        if "item_code" in keys:
            return sheet, keys
    raise AssertionError("no annotation sheet")


def answer_rows(sheet: Worksheet, keys: Mapping[str, int]) -> dict[str, int]:
    """Return the row of the answer cells of each item code."""
    found = {}
    for row in range(3, sheet.max_row + 1):
        if code := sheet.cell(row, keys["item_code"]).value:
            found[str(code)] = row
    return found


Change = Callable[[Worksheet, dict[str, int], dict[str, int]], None]


def fill(
    study: Study, folder: Path, name: str, score: Callable[[str], Any], change: Change | None = None, to: str = "filled"
) -> Path:
    """Fill one annotator's workbook through openpyxl and save it under STUDY/filled.

    Args:
        score: Item id to what is typed into the score cell.
        change: What else happens to the sheet: called with (sheet, columns by key, rows by item id).
    """
    book = openpyxl.load_workbook(folder / "send" / f"{name}.xlsx")
    sheet, keys = annotation_sheet(book)
    rows = answer_rows(sheet, keys)
    by_id = {study.by_code[code].item_id: row for code, row in rows.items()}
    for item_id, row in by_id.items():
        sheet.cell(row, keys["score"]).value = score(item_id)
        sheet.cell(row, keys["justification"]).value = f"because {item_id}"
    if change is not None:
        change(sheet, keys, by_id)
    target = folder / to / f"{name}.xlsx"
    target.parent.mkdir(exist_ok=True)
    book.save(target)
    return target


def metrics(folder: Path) -> dict[str, Any]:
    """Return metrics.json of a report folder, which must be strict JSON."""

    def strict(text: str) -> Any:
        raise AssertionError(f"{text} is not JSON")

    content: dict[str, Any] = json.loads((folder / "metrics.json").read_text(), parse_constant=strict)
    return content


def consensus(folder: Path) -> dict[str, dict[str, str]]:
    """Return consensus.csv by item_id."""
    with (folder / "consensus.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["item_id"]: row for row in csv.DictReader(file)}
