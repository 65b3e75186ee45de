"""Ratings that leave figures undefined, from the command line: no accident, and every gap says why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studies import metrics, ok, write_csv

Score = Callable[[int, int], Any]  # (item, annotator) -> score, None for none
OF_THREE = ("A", "B", "tie")


def five(item: int, who: int) -> int:
    return 1 + (item + who // 2) % 5


# (items, people, score, judge, scale, what is undefined among people, what is undefined for the judge)
CASES: dict[str, tuple[int, int, Score, Callable[[int], Any], str, bool, bool]] = {
    "everything alike": (12, 3, lambda i, k: 4, lambda i: 4, "1-5", True, True),
    "people alike": (12, 3, lambda i, k: 4, lambda i: 1 + i % 5, "1-5", True, False),
    "one item": (1, 3, lambda i, k: 3, lambda i: 3, "1-5", True, True),
    "two items": (2, 3, lambda i, k: 3 + i, lambda i: 3 + i, "1-5", False, False),
    "nothing shared": (20, 2, lambda i, k: 1 + i % 5 if i % 2 == k else None, lambda i: 1 + i % 5, "1-5", True, False),
    "one shared": (21, 2, lambda i, k: 1 + i % 5 if i % 2 == k or i == 20 else None, lambda i: 1 + i % 5, "1-5",
                   True, False),
    "two levels": (20, 3, lambda i, k: (i + k // 2) % 2, lambda i: i % 2, "0-1", False, False),
    "eleven levels": (20, 3, lambda i, k: (3 * i + k) % 11, lambda i: 3 * i % 11, "0-10", False, False),
    "below nought": (20, 3, lambda i, k: (i + k) % 5 - 2, lambda i: i % 5 - 2, "-2-2", False, False),
    "halves": (20, 2, lambda i, k: 1 + (i + k) % 5, lambda i: 1.5 + i % 4, "1-5", False, False),
    "names": (20, 3, lambda i, k: OF_THREE[(i + k // 2) % 3], lambda i: OF_THREE[i % 3], "A,B,tie", False, False),
    "one name": (20, 3, lambda i, k: "A", lambda i: "A", "A,B,tie", True, True),
    "no commonest name": (20, 3, lambda i, k: OF_THREE[k], lambda i: "A", "A,B,tie", False, True),
    "a dimension without a judge": (24, 3, five, lambda i: 1 + i % 5 if i % 2 else None, "1-5", False, False),
    "a dimension of one person": (24, 3, lambda i, k: five(i, k) if i % 2 or k == 0 else None, lambda i: 1 + i % 5,
                                  "1-5", False, False),
}  # fmt: skip


def figures(found: Any) -> Iterator[dict[str, Any]]:
    """Yield every figure, however deep."""
    if isinstance(found, dict) and {"value", "ci95", "n", "note"} <= found.keys():
        yield found
    elif isinstance(found, dict | list):
        for part in found.values() if isinstance(found, dict) else found:
            yield from figures(part)


@pytest.mark.parametrize("name", CASES)
def test_what_is_undefined_says_so(name: str, tmp_path: Path) -> None:
    items, people, score, judge, scale, no_people, no_judge = CASES[name]
    # a dimension of one item beside another, where there is room for it
    dimension = {i: "single" if i == items - 1 and items % 2 == 1 else "ab"[i % 2] for i in range(items)}
    rows = [(i, k, score(i, k)) for i in range(items) for k in range(people)]
    told = [[f"i{i}", dimension[i], "ABC"[k], value] for i, k, value in rows if value is not None]
    ratings = write_csv(tmp_path / "r.csv", ["item_id", "dimension", "annotator_id", "score"], told)
    told = [[f"i{i}", dimension[i], "J", judge(i)] for i in range(items) if judge(i) is not None]
    judged = write_csv(tmp_path / "j.csv", ["item_id", "dimension", "judge", "score"], told)
    ok("analyze", ratings, "--judged", judged, f"--scale={scale}", "-o", tmp_path / "report", "--seed", "1", "-q")
    found = metrics(tmp_path / "report")
    every = list(figures(found))
    assert len(every) > 50
    for figure in every:
        assert figure["value"] is not None or (figure["ci95"] is None and figure["note"]), figure
    people_figures, kind = found["overall"]["human_human"], "kappa_unweighted" if "A" in scale else "kappa_quadratic"
    assert (people_figures["mean_pairwise_kappa"]["value"] is None) == no_people
    assert (found["overall"]["judge_human"][kind]["value"] is None) == no_judge
    assert set(people_figures["pairs"]) == {"A|B", "A|C", "B|C"} if people == 3 else {"A|B"}


def test_a_scale_below_nought_is_no_list_of_names(tmp_path: Path) -> None:
    """Named one by one it was taken for names without order, and every figure was another one."""
    rows = [[f"i{n}", "d", who, (n + k) % 5 - 2] for n in range(20) for k, who in enumerate("AB")]
    table = write_csv(tmp_path / "r.csv", ["item_id", "dimension", "annotator_id", "score"], rows)
    values = {}
    for scale in ("-2-2", "-2,-1,0,1,2"):
        ok("analyze", table, f"--scale={scale}", "-o", tmp_path / scale, "-q")
        values[scale] = metrics(tmp_path / scale)["overall"]["human_human"]["mean_pairwise_kappa"]["value"]
    # by hand, a one below: differences are 1, 1, 1, 1, 4 in a round of five, both variances 2: 1 - (4 + 16) / 5 / 4
    assert values["-2-2"] == values["-2,-1,0,1,2"] == pytest.approx(0)
