"""Read a case into matrices. Plain csv: the package under test needs no data frames, nor do its tests."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

# Letters of the pairwise case become codes.
CODES = {"A": 0.0, "tie": 1.0, "B": 2.0}


@dataclass
class Dimension:
    name: str
    items: list[str]
    annotators: list[str]
    ratings: np.ndarray  # (items, annotators)
    judges: dict[str, np.ndarray]
    expected: dict[str, Any]

    @property
    def median(self) -> np.ndarray:
        return np.array([np.nanmedian(row) if (~np.isnan(row)).any() else np.nan for row in self.ratings])


def number(text: str) -> float:
    return CODES[text] if text in CODES else float(text)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected(cases: Path, case: str) -> dict[str, Any]:
    return json.loads((cases / case / "expected.json").read_text(encoding="utf-8"))


def dimensions(cases: Path, case: str) -> list[Dimension]:
    ratings, judged = rows(cases / case / "ratings.csv"), rows(cases / case / "judge.csv")
    found = []
    for name, values in expected(cases, case)["dimensions"].items():
        here = [row for row in ratings if row["dimension"] == name]
        items = list(dict.fromkeys(row["item_id"] for row in here))
        annotators = values["annotators"]
        matrix = np.full((len(items), len(annotators)), np.nan)
        for row in here:
            matrix[items.index(row["item_id"]), annotators.index(row["annotator_id"])] = number(row["score"])
        judges: dict[str, np.ndarray] = {}
        for row in judged:
            if row["dimension"] == name and row["item_id"] in items:
                column = judges.setdefault(row["judge"], np.full(len(items), np.nan))
                column[items.index(row["item_id"])] = number(row["score"])
        found.append(Dimension(name, items, annotators, matrix, judges, values))
    return found
