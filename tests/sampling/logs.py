"""Small logs for the tests, in every format."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import openpyxl

Record = dict[str, Any]


def records(n: int = 120, dimensions: Sequence[str] = ("factual", "consistency")) -> list[Record]:
    """A judged log: ids, dimensions, models, prompts and scores that differ from each other."""
    return [
        {
            "item_id": f"x{i}",
            "dimension": dimensions[i % len(dimensions)],
            "model": f"m{i % 3}",
            "prompt": f"question number {i} about {'law' if i % 2 else 'tax'} and case {i * 7}",
            "response": "word " * (3 + i % 11),
            "ground_truth": "yes",
            "judge_score": 1 + (i * 7) % 5,
        }
        for i in range(n)
    ]


def write_jsonl(path: Path, rows: Sequence[Record]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_as(folder: Path, suffix: str, rows: Sequence[Record]) -> Path:
    """Write the same rows in one of the formats."""
    path = folder / f"log{suffix}"
    header = list(dict.fromkeys(key for row in rows for key in row))
    if suffix == ".jsonl":
        return write_jsonl(path, rows)
    if suffix == ".json":
        path.write_text(json.dumps(rows))
    elif suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows([["" if row.get(key) is None else row[key] for key in header] for row in rows])
    elif suffix == ".xlsx":
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        for row in [header, *([r.get(key) for key in header] for r in rows)]:
            sheet.append(row)
        book.save(path)
    elif suffix == ".sqlite":
        with sqlite3.connect(path) as connection:
            connection.execute(f"CREATE TABLE log ({', '.join(header)})")
            marks = ", ".join("?" * len(header))
            connection.executemany(f"INSERT INTO log VALUES ({marks})", [[r.get(k) for k in header] for r in rows])
        connection.close()
    else:
        source = write_jsonl(folder / "source.jsonl.txt", rows)
        duckdb.connect().execute(f"COPY (SELECT * FROM read_json('{source}')) TO '{path}' (FORMAT parquet)")
    return path
