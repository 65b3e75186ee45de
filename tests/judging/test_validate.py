"""toolkit validate-judge, as CI runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.judging.fake_server import score_reply
from tests.studies import fill, make, metrics, ok, record, toolkit, write_csv, write_jsonl
from toolkit.model import Scale
from toolkit.records import read_records

RNG = np.random.default_rng(7)
PEOPLE = [int(score) for score in RNG.integers(1, 6, 60)]
NEAR = [int(np.clip(score + step, 1, 5)) for score, step in zip(PEOPLE, RNG.choice([0, 0, 0, 1, -1], 60), strict=True)]
FAR = [int(score) for score in RNG.integers(1, 6, 60)]


def golden(path: Path, human: Any = PEOPLE, judge: Any = None, **more: Any) -> Path:
    """Write judged records with a human consensus, some of them with a judge's scores."""
    rows = []
    for number, score in enumerate(human):
        fields = {"human_consensus_score": score, "judge_score": None if judge is None else judge[number]}
        fields |= {name: values[number] for name, values in more.items()}
        rows.append(record(f"i{number}", "factual" if number % 2 else "robustness", original_response="o", **fields))
    if judge is None:
        rows = [{name: value for name, value in row.items() if name != "judge_score"} for row in rows]
    return write_jsonl(path, rows)


def judged(path: Path, scores: Any, name: str = "J") -> Path:
    rows = [[f"i{n}", "factual" if n % 2 else "robustness", name, score] for n, score in enumerate(scores)]
    return write_csv(path, ["item_id", "dimension", "judge", "score"], rows)


def run(*arguments: object, exit_code: int = 0) -> dict[str, Any]:
    """Run validate-judge --json; return what it printed, which is strict JSON."""
    result = toolkit("validate-judge", *arguments, "--json", "-q")
    assert result.exit_code == exit_code, result.output
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=lambda text: pytest.fail(text))
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    golden(tmp_path / "golden.jsonl")
    judged(tmp_path / "near.csv", NEAR, "near")
    judged(tmp_path / "far.csv", FAR, "far")
    return tmp_path


# what numpy says it is, to put a threshold right beside it
KAPPA = 1 - np.mean((np.array(PEOPLE) - NEAR) ** 2) / (
    np.var(PEOPLE) + np.var(NEAR) + (np.mean(PEOPLE) - np.mean(NEAR)) ** 2
)


@pytest.mark.parametrize(
    ("options", "exit_code", "outcome"),
    [
        ([], 0, None),
        (["--min-kappa", "0.5"], 0, "pass"),
        (["--min-kappa", KAPPA - 0.01, "--on-inconclusive", "pass"], 0, "inconclusive"),
        (["--min-kappa", KAPPA - 0.01, "--on-inconclusive", "fail"], 1, "inconclusive"),
        (["--max-mae", "1", "--min-kappa", "0.5"], 0, "pass"),
        (["--max-mae", "0.05", "--on-inconclusive", "pass"], 1, "fail"),
        (["--baseline", "{far}", "--max-drop", "0"], 0, "pass"),
    ],
)
def test_the_exit_code(files: Path, options: list[Any], exit_code: int, outcome: Any) -> None:
    given = [str(files / "far.csv") if option == "{far}" else option for option in options]
    found = run(files / "golden.jsonl", "--judged", files / "near.csv", *given, exit_code=exit_code)
    assert (found["outcome"], found["exit_code"]) == (outcome, exit_code)
    assert found["overall"]["kappa_quadratic"]["value"] == pytest.approx(KAPPA, abs=1e-12)


@pytest.mark.parametrize(
    ("judge", "threshold", "exit_code"),
    [("near.csv", 0.5, 0), ("near.csv", 0.99, 1), ("near.csv", KAPPA, 3), ("none.csv", 0.5, 4), ("near.csv", 7, 2)],
)
def test_the_exit_code_of_the_process(files: Path, judge: str, threshold: float, exit_code: int) -> None:
    program = "from toolkit.cli import main; main()"
    command = [sys.executable, "-c", program, "validate-judge", "golden.jsonl", "--judged", judge]
    done = subprocess.run([*command, "--min-kappa", str(threshold)], cwd=files, capture_output=True, text=True)
    assert done.returncode == exit_code, done.stderr
    assert "Traceback" not in done.stderr


def test_a_worse_judge_fails_the_drop(files: Path) -> None:
    given = [files / "golden.jsonl", "--judged", files / "far.csv", "--baseline", files / "near.csv"]
    found = run(*given, "--max-drop", "0.2", exit_code=1)
    assert found["baseline"]["difference"]["kappa_difference"]["ci95"][1] < -0.2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nothing.jsonl", "--judged", "near.csv"], "no such file"),
        (["golden.jsonl", "--judged", "nothing.csv"], "no such file"),
        (["golden.jsonl", "--judged", "other.csv"], "no judge score for any item"),
        (["golden.jsonl", "--judged", "broken.csv"], "outside the scale"),
        (["golden.jsonl", "--judged", "near.csv", "--baseline", "other.csv"], "no judge score for any item"),
        (["golden.jsonl", "--provider", "replay", "--answers", "none.jsonl"], "no such file"),
        (["without.jsonl", "--judged", "near.csv"], "no item has a human_consensus_score"),
        (["near.csv", "--judged", "near.csv"], "human_consensus_score"),
        ([".", "--judged", "near.csv"], "no golden_set.json"),
    ],
)
def test_what_could_not_run_is_exit_4_and_said_in_the_junit_file(files: Path, given: list[str], said: str) -> None:
    golden(files / "without.jsonl", [None] * 60)
    judged(files / "broken.csv", [9] * 60)
    write_csv(files / "other.csv", ["item_id", "dimension", "score"], [["x", "factual", 3]])
    paths = [str(files / one) if "." in one else one for one in given]
    result = toolkit("validate-judge", *paths, "--min-kappa", "0.5", "--junit", files / "out.xml")
    assert result.exit_code == 4
    assert said in result.output
    assert "Traceback" not in result.output
    suite = ElementTree.parse(files / "out.xml").getroot()
    assert (suite.get("errors"), suite.get("failures"), suite.get("tests")) == ("1", "0", "1")
    error = suite.find(".//error")
    assert error is not None and said in (error.text or "")


def test_a_fault_of_ours_is_exit_4_too(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolkit.jobs import validate_judge

    for broken, exit_code in ((ZeroDivisionError, 4), (KeyboardInterrupt, 4)):

        def fails(*_: object, error: type[BaseException] = broken, **__: object) -> None:
            raise error

        monkeypatch.setattr(validate_judge, "stage", fails)
        assert toolkit("validate-judge", files / "golden.jsonl").exit_code == exit_code


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "say who judges"),
        (["--judged", "near.csv", "--provider", "replay"], "choose one"),
        (["--judged", "near.csv", "--max-drop", "0.1"], "give it --baseline"),
        (["--judged", "near.csv", "--baseline-rerun"], "give it --baseline"),
        (["--judged", "near.csv", "--dry-run"], "--dry-run is for asking a judge"),
        (["--judged", "near.csv", "--base-url", "u"], "--base-url is for asking a judge"),
        (["--judged", "near.csv", "--command", "u"], "--command is for asking a judge"),
        (["--judged", "near.csv", "--strictness", "strict"], "--strictness is for asking a judge"),
        (["--judged", "near.csv", "--min-kappa", "2"], "--min-kappa"),
        (["--judged", "near.csv", "--on-inconclusive", "perhaps"], "--on-inconclusive"),
    ],
)
def test_wrong_usage_is_exit_2(files: Path, options: list[str], said: str) -> None:
    paths = [str(files / one) if one.endswith(".csv") else one for one in options]
    result = toolkit("validate-judge", files / "golden.jsonl", *paths)
    assert (result.exit_code, said in result.output) == (2, True), result.output


def test_the_figures_are_those_of_the_report_to_the_last_bit(tmp_path: Path) -> None:
    records = [
        record(f"i{n}", "factual" if n % 2 else "robustness", original_response="o", judge_score=NEAR[n])
        | ({"prompt": f"shared {n // 4}"} if n < 8 else {})
        for n in range(24)
    ]
    study = make(tmp_path / "study", records)
    for place, name in enumerate(study.names):
        fill(study, tmp_path / "study", name, lambda item, place=place: 1 + (PEOPLE[int(item[1:])] + (place > 1)) % 5)  # type: ignore[misc]
    ok("consolidate", tmp_path / "study", "-q")
    report = metrics(tmp_path / "study" / "report")
    found = run(tmp_path / "study", "--judged", tmp_path / "study.jsonl")
    for name, block in {"overall": found["overall"], **found["by_dimension"]}.items():
        theirs = report["overall"] if name == "overall" else report["by_dimension"][name]
        for key in ("kappa_quadratic", "pearson", "mae", "bias", "kappa_quadratic_rounded"):
            assert block[key] == theirs["judge_human"][key], (name, key)
    assert found["high_disagreements"] == report["judge_disagreements"]
    assert found["overall"]["within_dimension"] == report["overall"]["within_dimension"]["judge_human"]


def test_the_paired_difference_is_that_of_a_bootstrap_by_hand(files: Path) -> None:
    given = [files / "golden.jsonl", "--judged", files / "near.csv", "--baseline", files / "far.csv"]
    difference = run(*given)["baseline"]["difference"]

    def kappa(x: Any, y: Any) -> float:
        return float(1 - np.mean((x - y) ** 2) / (np.var(x) + np.var(y) + (x.mean() - y.mean()) ** 2))

    human, new, old = (np.array(scores, float) for scores in (PEOPLE, NEAR, FAR))
    rng = np.random.default_rng(0)
    kappas, errors = [], []
    for _ in range(4000):
        rows = rng.integers(0, 60, 60)
        kappas.append(kappa(human[rows], new[rows]) - kappa(human[rows], old[rows]))
        errors.append(np.mean(abs(human - new)[rows]) - np.mean(abs(human - old)[rows]))
    for key, value, draws in (
        ("kappa_difference", kappa(human, new) - kappa(human, old), kappas),
        ("mae_difference", np.mean(abs(human - new)) - np.mean(abs(human - old)), errors),
    ):
        assert difference[key]["value"] == pytest.approx(value, abs=1e-12)
        assert difference[key]["ci95"] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.03)
        assert difference[key]["n"] == 60


def test_the_same_judge_has_not_changed(files: Path) -> None:
    given = [files / "golden.jsonl", "--judged", files / "near.csv", "--baseline", files / "near.csv"]
    baseline = run(*given, "--max-drop", "0")["baseline"]
    for key in ("kappa_difference", "mae_difference"):
        assert (baseline["difference"][key]["value"], baseline["difference"][key]["ci95"]) == (0, [0, 0])
    assert baseline["flipped"] == []


def test_what_it_printed_is_a_baseline(files: Path) -> None:
    first = toolkit("validate-judge", files / "golden.jsonl", "--judged", files / "near.csv", "--json", "-q").stdout
    (files / "before.json").write_text(first)
    given = [files / "golden.jsonl", "--judged", files / "far.csv", "--baseline"]
    assert run(*given, files / "before.json")["baseline"] == run(*given, files / "near.csv")["baseline"]
    again = toolkit("validate-judge", files / "golden.jsonl", "--judged", files / "near.csv", "--json", "-q").stdout
    assert again == first  # same input, same bytes


def test_items_that_flipped_those_furthest_first(tmp_path: Path) -> None:
    human = [3] * 11 + [5]
    golden(tmp_path / "golden.jsonl", human)
    before = [3, 3, 3, 3, 2, 4, 4, 3, 2, 3, 3, 5]
    after = [3, 5, 3, 3.5, 3, 4, 4, 3, 2, 3, 3, 1]
    judged(tmp_path / "before.csv", before)
    judged(tmp_path / "after.csv", after)
    given = [tmp_path / "golden.jsonl", "--judged", tmp_path / "after.csv", "--baseline", tmp_path / "before.csv"]
    found = run(*given)
    assert found["baseline"]["flipped"] == [
        {"item": "i11", "from": 5, "to": 1, "human": 5},
        {"item": "i1", "from": 3, "to": 5, "human": 3},
        {"item": "i4", "from": 2, "to": 3, "human": 3},
    ]
    assert found["high_disagreements"] == ["i1", "i11"]
    said = toolkit("validate-judge", *given).output
    assert "flipped: 3 (i11 5 to 1 (people 5), i1 3 to 5 (people 3), i4 2 to 3 (people 3))" in said


def test_golden_sets_with_items_without_a_consensus(files: Path) -> None:
    golden(files / "some.jsonl", [None if n < 5 else score for n, score in enumerate(PEOPLE)])
    result = toolkit("validate-judge", files / "some.jsonl", "--judged", files / "near.csv")
    assert result.exit_code == 0
    assert "5 items without a human_consensus_score left out (i0, i1, i2, i3, i4)" in result.output
    found = run(files / "some.jsonl", "--judged", files / "near.csv")
    assert found["n_items"] == found["overall"]["kappa_quadratic"]["n"] == 55
    assert found["left_out"]["without_consensus"] == [f"i{n}" for n in range(5)]


def test_a_consensus_that_is_no_score_of_the_scale_is_named(files: Path) -> None:
    golden(files / "bad.jsonl", [9, "x", *PEOPLE[2:]])
    result = toolkit("validate-judge", files / "bad.jsonl", "--judged", files / "near.csv")
    assert result.exit_code == 4
    assert "item i0: human_consensus_score is outside the scale 1-5" in result.output
    assert "item i1: human_consensus_score is not a number" in result.output


def test_half_points_count_as_they_are(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl", [3.5, "4,5", *PEOPLE[2:]])
    judged(tmp_path / "judge.csv", [3.5, 4.5, *PEOPLE[2:]])
    found = run(tmp_path / "golden.jsonl", "--judged", tmp_path / "judge.csv")
    assert found["overall"]["mae"]["value"] == 0
    assert found["items"][0]["human_consensus_score"] == 3.5


def test_judged_items_that_are_missing_and_others_that_are_too_many(files: Path) -> None:
    header = ["item_id", "dimension", "judge", "score"]
    rows = [[f"i{n}", "factual" if n % 2 else "robustness", "J", NEAR[n]] for n in range(50)]
    write_csv(files / "part.csv", header, [*rows, ["more", "factual", "J", 3], ["i1", "consistency", "J", 3]])
    found = run(files / "golden.jsonl", "--judged", files / "part.csv")
    assert found["overall"]["mae"]["n"] == 50
    assert found["without_score"] == {"not in the judged records": [f"i{n}" for n in range(50, 60)]}
    assert any("2 judge scores about other items" in warning for warning in found["warnings"])
    assert any("10 of 60 items without a score" in warning for warning in found["warnings"])


def test_the_scores_in_the_golden_set_itself(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl", judge=NEAR)
    judged(tmp_path / "near.csv", NEAR, "judge")
    assert run(tmp_path / "golden.jsonl") == run(tmp_path / "golden.jsonl", "--judged", tmp_path / "near.csv")


def test_junit_is_what_ci_servers_read(files: Path) -> None:
    near = run(files / "golden.jsonl", "--judged", files / "near.csv")["overall"]["kappa_quadratic"]["value"]
    given = ["validate-judge", files / "golden.jsonl", "--judged", files / "near.csv", "-q", "--junit"]
    gates = ["--min-kappa", near, "--max-mae", "0.05", "--baseline", files / "far.csv", "--max-drop", "0"]
    for on, skipped, errors, failures in ((None, 0, 1, 1), ("pass", 1, 0, 1), ("fail", 0, 0, 2)):
        more = ["--on-inconclusive", on] if on else []
        assert toolkit(*given, files / "out.xml", *gates, *more).exit_code == 1
        root = ElementTree.parse(files / "out.xml").getroot()
        check_shape(root)
        suite = root.find("testsuite")
        assert suite is not None
        counts = {name: int(suite.get(name) or -1) for name in ("tests", "skipped", "errors", "failures")}
        assert counts == {"tests": 3, "skipped": skipped, "errors": errors, "failures": failures}
    # the figures are the judge's with people, and not those of the two judges with each other
    told = {one.get("name"): one.get("value") for one in root.iter("property")}
    figures = run(files / "golden.jsonl", "--judged", files / "near.csv", "--baseline", files / "far.csv")
    for key, estimate in (
        *((name, figures["overall"][name]) for name in ("kappa_quadratic", "kappa_unweighted", "pearson", "mae")),
        *((name, figures["baseline"]["difference"][name]) for name in ("kappa_difference", "mae_difference")),
    ):
        assert (told[key] or "").startswith(f"{estimate['value']:.2f} ("), key
    names = [case.get("name") for case in root.iter("testcase")]
    assert names[1:] == ["mae at most 0.05", "kappa_difference at least -0"] or names[1:] == [
        "mae at most 0.05",
        "kappa_difference at least 0",
    ]


def check_shape(root: ElementTree.Element) -> None:
    """Check against the elements and attributes of the common JUnit schema (Jenkins's junit-10.xsd)."""
    allowed = {
        "testsuites": ({"name", "time", "tests", "failures", "disabled", "errors"}, {"testsuite"}),
        "testsuite": (
            {"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id"},
            {"testsuite", "properties", "testcase", "system-out", "system-err"},
        ),
        "properties": (set(), {"property"}),
        "property": ({"name", "value"}, set()),
        "testcase": (
            {"name", "assertions", "time", "classname", "status"},
            {"skipped", "error", "failure", "system-out", "system-err"},
        ),
        "skipped": ({"message", "type"}, set()),
        "error": ({"message", "type"}, set()),
        "failure": ({"message", "type"}, set()),
    }
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = allowed[element.tag]
        assert set(element.attrib) <= attributes, element.tag
        assert {child.tag for child in element} <= children, element.tag
    for suite in root.iter("testsuite"):
        cases = list(suite.iter("testcase"))
        assert suite.get("name") and all(case.get("name") and case.get("classname") for case in cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(sum(case.find(tag) is not None for case in cases))
        assert suite.get("tests") == str(len(cases))


def test_names_that_xml_cannot_hold(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl")
    rows = [
        {
            "item_id": f"i{n}",
            "dimension": "factual" if n % 2 else "robustness",
            "judge": '<J "&\x00\x1b\ufffe>',
            "score": score,
        }
        for n, score in enumerate(NEAR)
    ]
    write_jsonl(tmp_path / "judge.jsonl", rows)
    ok("validate-judge", tmp_path / "golden.jsonl", "--judged", tmp_path / "judge.jsonl", "--junit", tmp_path / "o.xml")
    judge = ElementTree.parse(tmp_path / "o.xml").getroot().find(".//property[@name='judge']")
    assert judge is not None and str(judge.get("value")).startswith('<J "&')


def test_names_instead_of_numbers(tmp_path: Path) -> None:
    verdicts = ["A", "B", "tie"] * 10
    scenarios = [
        {
            "id": f"p{n}",
            "dimension": "preference",
            "prompt": f"Q{n}",
            "chatbot_response": "x",
            "human_consensus_score": v,
        }
        for n, v in enumerate(verdicts)
    ]
    whole = {"version": "1", "annotation_protocol": {"scale": "A, B, tie"}, "scenarios": scenarios}
    (tmp_path / "golden.json").write_text(json.dumps(whole))
    changed = ["A", "B", "tie"] * 9 + ["B", "B", "tie"]
    header = ["item_id", "dimension", "score"]
    for name, given in (("old", verdicts), ("new", changed)):
        write_csv(tmp_path / f"{name}.csv", header, [[f"p{n}", "preference", v] for n, v in enumerate(given)])
    given = [tmp_path / "golden.json", "--judged", tmp_path / "new.csv", "--baseline", tmp_path / "old.csv"]
    found = run(*given, "--min-kappa", "0.5", "--max-drop", "0.5")
    # 29 of 30 alike, chance 1/3 * (9 + 11 + 10) / 30 = 1/3: kappa (29/30 - 1/3) / (2/3) = 0.95
    assert found["overall"]["kappa_unweighted"]["value"] == pytest.approx(0.95)
    assert found["baseline"]["difference"]["kappa_difference"]["value"] == pytest.approx(-0.05)
    assert found["baseline"]["flipped"] == [{"item": "p27", "from": "A", "to": "B", "human": "A"}]
    assert "kappa_quadratic" not in found["overall"]
    assert toolkit("validate-judge", *given, "--max-mae", "1").exit_code == 4


def strata(problem: int) -> list[str]:
    return [f"factual, problem={'yes' if n < problem else 'no'}" for n in range(60)]


def test_problem_cases_do_not_count_against_the_old_judge(tmp_path: Path) -> None:
    # the old judge is wrong exactly where the sample looked for its mistakes
    before = [6 - score if n < 12 else score for n, score in enumerate(PEOPLE)]
    golden(tmp_path / "golden.jsonl", stratum=strata(12))
    judged(tmp_path / "before.csv", before)
    judged(tmp_path / "after.csv", PEOPLE)
    given = [tmp_path / "golden.jsonl", "--judged", tmp_path / "after.csv", "--baseline", tmp_path / "before.csv"]
    baseline = run(*given)["baseline"]
    assert baseline["difference"]["kappa_difference"]["value"] == 0
    assert baseline["difference"]["kappa_difference"]["n"] == 48
    assert baseline["left_out"] == [f"i{n}" for n in range(12)]
    assert baseline["flipped"] == []
    assert "12 items chosen because the old judge seemed to err" in toolkit("validate-judge", *given).output
    kept = run(*given, "--baseline-rerun")["baseline"]
    assert kept["difference"]["kappa_difference"]["n"] == 60
    assert kept["difference"]["kappa_difference"]["value"] > 0.1
    # the judge's own figures are over all items either way
    assert run(*given)["overall"]["mae"]["n"] == 60


def test_problem_cases_are_known_from_a_sample_to_the_golden_set(tmp_path: Path) -> None:
    log = [
        record(f"i{n}", judge_score=NEAR[n], judge_confidence=0.2 if n % 3 == 0 else 0.9, prompt=f"Q{n}")
        for n in range(60)
    ]
    write_jsonl(tmp_path / "log.jsonl", log)
    drawn = tmp_path / "drawn.jsonl"
    ok("sample", tmp_path / "log.jsonl", "--per-stratum", 24, "--problem-share", 0.5, "--seed", 1, "-o", drawn, "-q")
    rows = [json.loads(line) for line in drawn.read_text().splitlines()]
    problems = {row["item_id"] for row in rows if "problem=yes" in row["stratum"]}
    assert len(problems) == 12
    study = make(tmp_path / "study", rows)
    for name in study.names:
        fill(study, tmp_path / "study", name, lambda item: PEOPLE[int(item[1:])])
    ok("consolidate", tmp_path / "study", "-q")
    baseline = run(tmp_path / "study" / "report", "--judged", drawn, "--baseline", drawn)["baseline"]
    assert set(baseline["left_out"]) == problems


def test_a_judge_is_run_and_its_failures_are_counted(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl", PEOPLE[:20])
    texts: dict[str, Any] = {f"i{n}": score_reply(PEOPLE[n]) for n in range(20)}
    texts |= {"i0": "no idea", "i1": "I'm sorry, but I can't help with that.", "i2": score_reply(6)}
    replay = [{"item_id": item, "text": text} for item, text in texts.items()]
    write_jsonl(tmp_path / "answers.jsonl", replay)
    given = ["--provider", "replay", "--answers", tmp_path / "answers.jsonl", "--model", "new"]
    found = run(tmp_path / "golden.jsonl", *given, "-o", tmp_path / "out.jsonl")
    assert found["judge"] == "new"
    assert found["without_score"] == {"clamped": ["i2"], "refusal": ["i1"], "unparsed": ["i0"]}
    assert found["clamped"] == {"counted": [], "left_out": ["i2"]}
    assert found["overall"]["mae"]["n"] == 17
    assert found["cost"]["calls"] == {"answered": 20, "stored": 0, "failed": 0}
    # started again: nothing is asked twice
    again = run(tmp_path / "golden.jsonl", *given, "-o", tmp_path / "out.jsonl", "--force", "--keep-clamped")
    assert again["cost"]["calls"] == {"answered": 0, "stored": 20, "failed": 0}
    assert again["clamped"] == {"counted": ["i2"], "left_out": []}
    assert again["overall"]["mae"]["n"] == 18
    # what it wrote is read like any other file
    read = run(tmp_path / "golden.jsonl", "--judged", tmp_path / "out.jsonl")
    assert (read["overall"], read["clamped"]) == (again["overall"], again["clamped"])
    assert read["without_score"] == again["without_score"]
    assert read["cost"] is None
    said = toolkit("validate-judge", tmp_path / "golden.jsonl", "--judged", tmp_path / "out.jsonl").output
    assert "without a score, refusal: 1 (i1)" in said
    assert "1 clamped and counted, 0 left out" in said


def test_nothing_is_asked_in_a_dry_run(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl", PEOPLE[:20])
    given = [tmp_path / "golden.jsonl", "--provider", "openai", "--model", "m", "--half", "test", "--dry-run"]
    assert "10 calls, 10 of them not answered yet" in ok("validate-judge", *given)
    assert [path.name for path in tmp_path.iterdir()] == ["golden.jsonl"]


def test_a_golden_set_without_texts_can_be_read_and_not_run(tmp_path: Path) -> None:
    bare = [{"id": f"i{n}", "dimension": "factual", "prompt": "", "chatbot_response": ""} for n in range(12)]
    scenarios = [one | {"human_consensus_score": score} for one, score in zip(bare, PEOPLE, strict=False)]
    (tmp_path / "golden.json").write_text(json.dumps({"version": "1", "scenarios": scenarios}))
    write_jsonl(tmp_path / "a.jsonl", [{"item_id": "i0", "text": "4"}])
    result = toolkit(
        "validate-judge", tmp_path / "golden.json", "--provider", "replay", "--answers", tmp_path / "a.jsonl"
    )
    assert (result.exit_code, "holds no answers" in result.output) == (4, True)


def test_a_judge_on_another_scale_is_refused(tmp_path: Path) -> None:
    whole = {
        "annotation_protocol": {"scale": "1-7"},
        "scenarios": [
            {"id": "a", "dimension": "factual", "prompt": "Q", "chatbot_response": "x", "human_consensus_score": 7}
        ],
    }
    (tmp_path / "golden.json").write_text(json.dumps(whole))
    write_jsonl(tmp_path / "a.jsonl", [{"item_id": "a", "text": "4"}])
    result = toolkit(
        "validate-judge", tmp_path / "golden.json", "--provider", "replay", "--answers", tmp_path / "a.jsonl"
    )
    assert result.exit_code == 4
    assert "the judge would score on 1-5, people scored on 1-7" in result.output


def test_examples_are_not_validated(files: Path) -> None:
    rows = [json.loads(line) for line in (files / "golden.jsonl").read_text().splitlines()]
    # one by its name, one by its question
    write_jsonl(files / "examples.jsonl", [rows[3], rows[8] | {"item_id": "other"}])
    given = [files / "golden.jsonl", "--examples", files / "examples.jsonl"]
    found = run(*given, "--judged", files / "near.csv")
    assert found["left_out"]["examples"] == ["i3", "i8"]
    assert found["overall"]["mae"]["n"] == 58
    replay = [{"item_id": f"i{n}", "text": score_reply(score)} for n, score in enumerate(NEAR)]
    write_jsonl(files / "answers.jsonl", replay)
    asked = run(*given, "--provider", "replay", "--answers", files / "answers.jsonl", "-o", files / "out.jsonl")
    assert asked["overall"] == found["overall"]
    assert len((files / "out.jsonl").read_text().splitlines()) == 58


def test_the_sealed_half_counts_its_looks(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl", PEOPLE[:40])
    replay = [{"item_id": f"i{n}", "text": score_reply(NEAR[n])} for n in range(40)]
    write_jsonl(tmp_path / "answers.jsonl", replay)
    given = [tmp_path / "golden.jsonl", "--provider", "replay", "--answers", tmp_path / "answers.jsonl"]
    given += ["-o", tmp_path / "out.jsonl", "--force", "--half"]
    seal = tmp_path / "golden.halves.json"

    tuning = run(*given, "tuning")
    assert (tuning["half"], tuning["test_half_looks"], tuning["n_items"]) == ("tuning", 0, 20)
    first = run(*given, "test")
    assert (first["test_half_looks"], first["n_items"], len(json.loads(seal.read_text())["uses"])) == (1, 20, 1)
    assert not {i["item_id"] for i in first["items"]} & {i["item_id"] for i in tuning["items"]}
    run(*given, "tuning", "--strictness", "strict")  # tuning is free
    again = run(*given, "test")
    assert again["test_half_looks"] == 2
    assert not any("tuned" in warning for warning in again["warnings"])
    tuned = run(*given, "test", "--strictness", "strict")
    assert tuned["test_half_looks"] == 3
    assert any("tuned on it" in warning for warning in tuned["warnings"])
    # the records say which prompt it was: reading them counts, and knows
    read = run(tmp_path / "golden.jsonl", "--judged", tmp_path / "out.jsonl", "--half", "test")
    assert read["test_half_looks"] == 4
    # looking at everything is looking at the test half too
    whole = run(tmp_path / "golden.jsonl", "--judged", tmp_path / "out.jsonl")
    assert whole["test_half_looks"] == 5
    assert any("counts as a look" in warning for warning in whole["warnings"])


def test_what_could_not_run_was_no_look(tmp_path: Path) -> None:
    golden(tmp_path / "golden.jsonl", PEOPLE[:40])
    result = toolkit("validate-judge", tmp_path / "golden.jsonl", "--judged", tmp_path / "none.csv", "--half", "test")
    assert result.exit_code == 4
    assert not (tmp_path / "golden.halves.json").exists()


def test_a_damaged_record_of_looks_is_no_fresh_start(files: Path) -> None:
    (files / "golden.halves.json").write_text('{"schema": 1, "looks": 0}')
    result = toolkit("validate-judge", files / "golden.jsonl", "--judged", files / "near.csv", "--half", "test")
    assert (result.exit_code, "cannot be read as the halves" in result.output) == (4, True)


def test_what_a_run_records_beside_the_score_is_read_back(tmp_path: Path) -> None:
    rows = [
        record("a", judge_score=None, parse_method="default", judge_failure="unparsed", judge_reason="no number"),
        record("b", judge_score=5, judge_clamped=5, judge_prompt="abc"),
        record("c", judge_score=4, parse_method=7, judge_clamped="high", position_consistent="yes"),
        record("d", judge_score=4, position_consistent="True"),
    ]
    for row in rows:
        row["judge_model"] = "J"
    read = read_records(write_jsonl(tmp_path / "in.jsonl", rows), scale=Scale())
    traces = [one.judgements[0].trace for one in read.records]
    assert traces[0] is not None and traces[1] is not None and traces[3] is not None
    assert (traces[0].method, traces[0].failure, traces[0].reason) == ("default", "unparsed", "no number")
    assert (traces[1].clamped, traces[1].prompt) == (5, "abc")
    assert traces[2] is None  # somebody else's fields
    assert traces[3].consistent is True
    assert read.records[2].item.extra["judge_clamped"] == "high"


def test_the_coverage_of_a_judge_that_fails_is_said(tmp_path: Path) -> None:
    # jr-01: two scores of five, three failures by item and cause, agreement on two of five
    golden(tmp_path / "golden.jsonl", [4, 4, 4, 4, 5])
    replies = {"i0": "4", "i1": "", "i3": "não consigo avaliar", "i4": "5"}  # and no answer at all about i2
    write_jsonl(tmp_path / "answers.jsonl", [{"item_id": item, "text": text} for item, text in replies.items()])
    given = [tmp_path / "golden.jsonl", "--provider", "replay", "--answers", tmp_path / "answers.jsonl"]
    result = toolkit("validate-judge", *given, "--min-kappa", "0.1", "-o", tmp_path / "out.jsonl")
    assert result.exit_code == 3  # two items decide nothing
    assert "an interval takes 8 more items" in result.output
    assert "without a score, refusal: 1 (i3)" in result.output
    assert "without a score, transport: 1 (i2)" in result.output
    assert "without a score, unparsed: 1 (i1)" in result.output
    assert "3 of 5 items without a score" in result.output
    found = run(tmp_path / "golden.jsonl", "--judged", tmp_path / "out.jsonl")
    assert (found["overall"]["mae"]["n"], found["n_items"]) == (2, 5)
    assert np.mean([one["score"] for one in found["items"] if one["score"] is not None]) == 4.5


def test_scores_belong_to_items_by_name_and_never_by_place(tmp_path: Path) -> None:
    # jr-11: asked about a, b, c, d; the reply has c, a, a again with another score, and z
    asked = [record(name, human_consensus_score=score) for name, score in zip("abcd", (1, 2, 5, 4), strict=True)]
    write_jsonl(tmp_path / "golden.jsonl", [{k: v for k, v in one.items() if k != "judge_score"} for one in asked])
    header, said = ["item_id", "dimension", "score"], [["c", 5], ["a", 1], ["a", 2], ["z", 3]]
    write_csv(tmp_path / "reply.csv", header, [[name, "factual", score] for name, score in said])
    result = toolkit("validate-judge", tmp_path / "golden.jsonl", "--judged", tmp_path / "reply.csv")
    assert result.exit_code == 4
    assert "item a: judge scored it twice, 1.0 in" in result.output
    write_csv(tmp_path / "once.csv", header, [[name, "factual", score] for name, score in said if score != 2])
    found = run(tmp_path / "golden.jsonl", "--judged", tmp_path / "once.csv")
    assert {one["item_id"]: one["score"] for one in found["items"]} == {"a": 1, "b": None, "c": 5, "d": None}
    assert found["without_score"] == {"not in the judged records": ["b", "d"]}
    assert any("1 judge score about other items" in warning for warning in found["warnings"])
