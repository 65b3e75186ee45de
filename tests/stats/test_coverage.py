"""How often bootstrap intervals hold the truth: what the report says of it is what `scripts/coverage.py` found."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from tests.report import stories
from toolkit.report.coverage import coverage_table
from toolkit.report.facts import Facts

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "coverage.py"))
STORED = json.loads(SCRIPT["FILE"].read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", [*SCRIPT["cases"]()], ids=str)
def test_the_first_samples_drawn_again_give_the_same_counts(case: tuple[str, int]) -> None:
    stored = {one["statistic"]: one["first"] for one in STORED["cases"] if (one["scores"], one["n"]) == case}
    assert SCRIPT["held"](SCRIPT["Case"](*case), range(STORED["first"])) == stored


def test_what_was_measured_is_what_the_script_writes() -> None:
    assert SCRIPT["FILE"].read_text(encoding="utf-8") == SCRIPT["rendered"](STORED["cases"])
    names = (*SCRIPT["OF_JUDGE"], *SCRIPT["OF_PEOPLE"])
    wanted = [(scores, n, name) for scores, n in SCRIPT["cases"]() for name in names]
    assert [(one["scores"], one["n"], one["statistic"]) for one in STORED["cases"]] == wanted
    for one in STORED["cases"]:
        assert one["truth"] == pytest.approx(SCRIPT["truth"](one["scores"])[one["statistic"]], abs=1e-6)
        for method in SCRIPT["METHODS"]:
            (given, held), (first_given, first_held) = one["all"][method], one["first"][method]
            assert 0 <= first_held <= first_given <= STORED["first"]
            assert 0 <= held - first_held <= given - first_given <= STORED["samples"] - STORED["first"]


def test_the_true_values_are_those_of_the_population() -> None:
    """Worked out from the whole population: the mean distance of a judge from the median of three people."""
    columns, probability = SCRIPT["population"]("uniform")
    assert probability.sum() == pytest.approx(1)
    distance = float(probability @ abs(columns["judge"] - columns["human"]))
    assert SCRIPT["truth"]("uniform")["mae"] == pytest.approx(distance)
    # an error beyond the end of the scale is none: at both ends 0.85, in the middle 0.7 of the scores are right
    right = float(probability @ (columns["A1"] == 1 + SCRIPT["np"].repeat(range(5), 81)))
    assert right == pytest.approx(0.6 * 0.7 + 0.4 * 0.85)


def test_the_report_shows_what_the_file_says() -> None:
    table = coverage_table(Facts(stories.make([[1, 2, 3]] * 5)))
    assert table.columns[1:4] == ("30 items, even scores", "30 items, mild skew", "30 items, heavy skew")
    heavy = next(
        one for one in STORED["cases"] if (one["statistic"], one["scores"], one["n"]) == ("pearson", "heavy skew", 30)
    )
    given, held = heavy["all"]["percentile"]
    # some samples got no interval, and the share is of those that did
    assert given < STORED["samples"]
    [row] = [row for row in table.rows if row[0].text == "Pearson's r"]
    assert row[3].value == held / given and row[3].text == f"{100 * held / given:.0f}%"
    assert len(table.rows) == 6 and all(len(row) == 7 for row in table.rows)
    told = table.remarks[0][1]
    assert "2,000 simulated studies" in told and "45% with a mild and 85% with a heavy skew" in told
