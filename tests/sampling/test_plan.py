"""`toolkit plan`: designs to choose from, what each costs, findings, pilots and their scales, margins, the figure."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import numpy as np
import pytest

from tests.sampling.logs import records, write_jsonl
from tests.studies import fill, make, ok, record, refused, toolkit, write_csv
from toolkit.errors import ToolkitError
from toolkit.jobs.pilot import crowding, locate, margins, planned_scale, read_pilot
from toolkit.jobs.plan import assumed, designs, plan
from toolkit.jobs.plan_data import Goal, Question
from toolkit.model import Scale, SourceItem
from toolkit.sampling.panels import SKEWED, UNIFORM

EXAMPLE = Path(__file__).parents[2] / "sheets" / "example"


def planned(*arguments: object) -> dict[str, Any]:
    result = toolkit("plan", "--seed", "1", "--json", *arguments)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_usual_designs_are_compared_when_nothing_is_said() -> None:
    printed = toolkit("plan", "--seed", "1").stdout
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 80
    heads = ["annotators", "overlap", "kappa", "MAE", "ceiling", "TPR", "TNR", "hours", "each", "in", "all"]
    assert lines[1].split() == heads
    rows = [line.split() for line in lines[2:5]]
    assert [row[:2] for row in rows] == [["2", "2"], ["3", "3"], ["5", "5"]]
    for row in rows:
        kappa, each, in_all = int(row[2]), float(row[-2]), float(row[-1])
        # two minutes an item and score
        assert each == pytest.approx(kappa * 2 / 60, abs=0.06)
        assert in_all == pytest.approx(kappa * int(row[1]) * 2 / 60, abs=0.06)
    findings = [line.split() for line in lines[8:11]]
    assert [row[3] == "-" for row in findings] == [True, False, False]
    assert "no alternative annotator test, which needs three" in printed and "are a fallback" in printed
    for name in ("annotators", "overlap", "kappa", "MAE", "ceiling", "TPR", "TNR", "as good", "alt-test", "hours"):
        assert f"\n  {name} " in printed


def test_designs_are_every_sensible_combination() -> None:
    found = planned("--annotators", "2,3,6", "--overlap", "2,3", "--metrics", "kappa,alt-test", "--minutes", "3")
    pairs = [(d["annotators"], d["overlap"]) for d in found["designs"]]
    assert pairs == [(2, 2), (3, 2), (3, 3), (6, 2), (6, 3)]
    by = dict(zip(pairs, found["designs"], strict=True))
    # items follow from the overlap; who shares the work changes what it costs each
    assert by[3, 2]["needed"]["kappa"]["items"] == by[6, 2]["needed"]["kappa"]["items"]
    cost = by[6, 3]["needed"]["kappa"]
    assert cost["hours_in_all"] == pytest.approx(cost["items"] * 3 * 3 / 60)
    assert cost["hours_each"] == pytest.approx(cost["hours_in_all"] / 6)
    # thirty items for each of six who share three scores an item: sixty items at least
    assert "alt-test" not in by[3, 2]["needed"]
    assert by[6, 3]["needed"]["alt-test"]["items"] >= 60 > 30
    assert by[6, 3]["powers"]["alt-test"][3] == {"items": 50, "power": None}
    assert toolkit("plan", "--annotators", "2", "--overlap", "3").exit_code == 2
    assert toolkit("plan", "--annotators", "1,2,3,4,5,6", "--overlap", "1,2,3").exit_code == 2
    assert designs([2], None) == ((2, 2),)


def test_one_design_goes_into_detail() -> None:
    printed = ok("plan", "--annotators", "3", "--seed", "1", "--metrics", "ceiling")
    assert max(map(len, printed.splitlines())) <= 80
    assert "Half-width of the 95% intervals; 3 of 3 annotators for each item" in printed
    assert "Share of studies that find it" in printed and "\nas good " in printed
    found = planned("--annotators", "3", "--metrics", "ceiling")["designs"][0]
    assert [w["items"] for w in found["half_widths"]["ceiling"]] == [10, 20, 30, 50, 75, 100, 150, 200, 300, 500]
    powers = [p["power"] for p in found["powers"]["as_good"]]
    assert powers == sorted(powers) and powers[-1] > 0.95
    needed = found["needed"]["as_good"]["items"]
    assert 150 < needed < 200 and powers[6] < 0.8 < powers[7]


def test_the_ceilings_power_asks_for_more_than_its_half_width_and_less_with_a_wider_margin() -> None:
    usual = planned("--annotators", "3", "--metrics", "ceiling")["designs"][0]["needed"]
    wide = planned("--annotators", "3", "--metrics", "ceiling", "--margin", "0.2")["designs"][0]["needed"]
    surer = planned("--annotators", "3", "--metrics", "ceiling", "--power", "0.95")["designs"][0]["needed"]
    assert usual["ceiling"] == wide["ceiling"] == surer["ceiling"]
    assert wide["as_good"]["items"] < usual["as_good"]["items"] < surer["as_good"]["items"]


def test_values_to_beat() -> None:
    beat = "kappa=0.5,tpr=0.6,mae=1.2"
    found = planned("--annotators", "3", "--metrics", "kappa", "--beat", beat)["designs"][0]
    assert list(found["needed"]) == ["kappa", "kappa>0.5", "tpr>0.6", "mae<1.2"]
    easier = planned("--annotators", "3", "--metrics", "kappa", "--beat", "kappa=0.4")["designs"][0]
    assert easier["needed"]["kappa>0.4"]["items"] < found["needed"]["kappa>0.5"]["items"]
    hopeless = toolkit("plan", "--annotators", "3", "--metrics", "kappa", "--beat", "kappa=0.9", "--seed", "1").output
    assert "kappa>0.9  >20000" in hopeless and "more items hardly help" in hopeless
    assert "the whole 95% interval of kappa lies above 0.9" in hopeless
    for wrong in ("ceiling=0.1", "kappa", "kappa=x", "kappa=1.5", "mae=-1", "tpr=nan", "kappa=0.6,kappa=0.7"):
        assert toolkit("plan", "--beat", wrong).exit_code == 2


@pytest.mark.parametrize("scale", ["0-1", "no,yes"])
def test_kappasize_examples_from_the_command_line(scale: str) -> None:
    """CIBinary(kappa0=0.6, kappaL=0.4, props=0.3) is 66, PowerBinary(kappa0=0.4, kappa1=0.6, props=0.3) is 191."""
    case = ["--scale", scale, "--margins", "0.7,0.3", "--kappa", "0.6", "--half-width", "0.2", "--beat", "kappa=0.4"]
    case += ["--annotators", "1", "--metrics", "kappa"]
    printed = ok("plan", "--seed", "1", *case)
    assert "66 items put kappa's one-sided lower 95% limit 0.2 below it" in printed
    assert "191 items tell kappa from 0.4 with power 0.8" in printed
    found = planned(*case)
    assert found["closed_form_binary"] == {"limit": 66, "power": 191}
    # no study tells a kappa of 0.6 from 0.6
    assert planned(*case, "--beat", "kappa=0.6")["closed_form_binary"] == {"limit": 66, "power": None}
    # its upper level passes: with 0.7 and 0.3, both rates are defined
    rates = planned("--scale", scale, "--margins", "0.7,0.3", "--annotators", "3", "--metrics", "tpr,tnr")["designs"][0]
    assert rates["needed"]["tpr"]["items"] > rates["needed"]["tnr"]["items"] > 20
    assert refused("plan", "--scale", "A,B,tie").count("of two names") == 1


def test_closed_form_for_kappa_from_the_command_line() -> None:
    for kappa, uniform, skewed in ((0.4, 282, 709), (0.6, 170, 499), (0.8, 56, 180)):
        for how, items in (("uniform", uniform), ("skewed", skewed)):
            found = planned("--kappa", kappa, "--margins", how, "--annotators", "1", "--metrics", "kappa")
            assert found["designs"][0]["closed_form_kappa"] == items


def _report(folder: Path, n: int, values: tuple[int | str, ...] = (1, 2, 3, 4, 5), *, told: bool = True) -> Path:
    rng = np.random.default_rng(1)
    top = len(values) - 1
    truth = rng.integers(0, top + 1, n)
    places = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 4)) * (rng.random((n, 4)) < 0.4), 0, top)
    lines = ["item_id,score_A1,score_A2,score_A3,human_consensus_score,judge_score"]
    lines += [f"i{k},{values[a]},{values[b]},{values[c]},,{values[j]}" for k, (a, b, c, j) in enumerate(places)]
    lines.append(f"i999,{values[0]},,{values[1]},,{values[0]}")
    folder.mkdir(parents=True)
    (folder / "consensus.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    if told:
        (folder / "metrics.json").write_text(json.dumps({"schema": 1, "scale": values}))
    return folder


def test_from_a_report_how_many_more(tmp_path: Path) -> None:
    folder = _report(tmp_path / "report", 40)
    pilot = read_pilot(locate(folder), Scale())
    assert (pilot.people, pilot.items(3), pilot.items(2), pilot.usual) == (3, 40, 41, 3)
    found = planned(folder, "--metrics", "kappa")
    assert [(d["annotators"], d["overlap"]) for d in found["designs"]] == [(3, 3)]
    printed = ok("plan", folder, "--metrics", "kappa", "--seed", "1")
    needed = found["designs"][0]["needed"]["kappa"]["items"]
    assert "more than the 40 there are" in printed and printed.count(f" {max(0, needed - 40)}\n") == 1
    assert "10 are needed" in refused("plan", _report(tmp_path / "small", 9), "--overlap", "3")
    assert "the pilot has 3 annotators, not 4" in refused("plan", folder, "--annotators", "5", "--overlap", "4")
    more = planned(folder, "--annotators", "2,5", "--metrics", "kappa")
    assert [(d["annotators"], d["overlap"]) for d in more["designs"]] == [(2, 2), (5, 3)]
    assert toolkit("plan", folder, "--margins", "skewed").exit_code == 2


def test_the_pilots_own_scale_is_taken(tmp_path: Path) -> None:
    seven = _report(tmp_path / "seven" / "report", 30, (1, 2, 3, 4, 5, 6, 7))
    for pilot in (seven, seven / "consensus.csv"):
        found = planned(pilot, "--metrics", "kappa")
        assert (found["scale"], found["threshold"]) == ([1, 2, 3, 4, 5, 6, 7], 6)
    assert "contradicts the pilot, whose scale is 1-7" in refused("plan", seven, "--scale", "1-5")
    assert planned(seven, "--metrics", "kappa", "--scale", "1-7")["scale"][-1] == 7
    # a table that tells no scale is taken for 1-5, and what cannot be on it is named
    bare = _report(tmp_path / "bare", 30, (1, 2, 3, 4, 5, 6, 7), told=False)
    said = refused("plan", bare)
    assert "is no score on the scale 1-5" in said and "found: '6'" in said and "--scale" in said
    assert planned(bare, "--metrics", "kappa", "--scale", "1-7")["scale"][-1] == 7
    names = _report(tmp_path / "names", 30, ("no", "yes"))
    found = planned(names, "--metrics", "kappa,tpr")
    assert found["scale"] == ["no", "yes"] and found["threshold"] == 1
    assert "of two names" in refused("plan", _report(tmp_path / "three", 30, ("A", "B", "tie")))
    (names / "metrics.json").write_text("{}")
    assert "tells no scale" in refused("plan", names)


def test_from_a_study_folder(tmp_path: Path) -> None:
    found = planned(EXAMPLE, "--metrics", "kappa")
    assert found["pilot_items"] == 15 and found["scale"] == [1, 2, 3, 4, 5]
    assert any("15 complete items" in warning for warning in found["warnings"])
    # the time comes from the words that people read
    assert found["minutes_per_item"] != 2.0
    assert planned(EXAMPLE, "--metrics", "kappa", "--minutes", "2")["minutes_per_item"] == 2.0
    # a golden set lacks some of the texts in study.json
    alone = planned(EXAMPLE / "report", "--metrics", "kappa")
    assert alone["designs"][0]["half_widths"] == found["designs"][0]["half_widths"]
    assert 0.8 < alone["minutes_per_item"] / found["minutes_per_item"] <= 1
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.json").write_bytes((EXAMPLE / "study.json").read_bytes())
    assert "run toolkit consolidate first" in refused("plan", tmp_path / "study")


def test_a_study_whose_report_lies_elsewhere(tmp_path: Path) -> None:
    study, report = tmp_path / "study", tmp_path / "june"
    study.mkdir()
    shutil.copy(EXAMPLE / "study.json", study)
    shutil.copytree(EXAMPLE / "report", report)
    kappa = ("--metrics", "kappa")
    assert planned(study, "--report", report, *kappa)["designs"] == planned(EXAMPLE, *kappa)["designs"]
    assert "--report goes with one" in refused("plan", report, "--report", report)
    assert toolkit("plan", "--report", report).exit_code == 2
    told = json.loads((report / "metrics.json").read_bytes())
    (report / "metrics.json").write_text(json.dumps(told | {"study_id": "st-another"}))
    said = refused("plan", study, "--report", report)
    assert f"is not the report of this study ({told['study_id']}) (found: 'st-another')" in said
    assert "holds no consensus.csv" in refused("plan", study, "--report", tmp_path / "nowhere")


def test_cells_that_are_no_scores_are_named(tmp_path: Path) -> None:
    folder = _report(tmp_path / "report", 12)
    file = folder / "consensus.csv"
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    file.write_text("\n".join([*lines, "x1,5,many,3,,4", "x2,9,4,3,,4"]), encoding="utf-8-sig")
    said = refused("plan", folder)
    assert "'many'" in said and "'9'" in said and "line 15" in said and "2 problems" in said


def test_from_ratings_and_judge_scores(tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    rows = [f"i{k},d,{a},{1 + (k + (a == 'B')) % 5}" for k in range(12) for a in "AB"]
    ratings.write_text("item_id,dimension,annotator_id,score\n" + "\n".join(rows))
    judged = tmp_path / "judged.csv"
    judged.write_text("item_id,dimension,judge,score\n" + "\n".join(f"i{k},d,j,{1 + k % 5}" for k in range(12)))
    pilot = read_pilot(locate(ratings), Scale(), judged)
    assert pilot.items(2) == 12
    assert pilot.scores[:, 0].tolist() == pilot.judge.tolist()
    assert planned(ratings, "--judged", judged, "--metrics", "kappa")["pilot_items"] == 12
    assert toolkit("plan", "--judged", judged).exit_code == 2


def test_a_log_gives_the_margins_wherever_it_is(tmp_path: Path) -> None:
    rows = [r | {"judge_score": 5 if i % 4 else 1} for i, r in enumerate(records(80))]
    (tmp_path / "logs").mkdir()
    write_jsonl(tmp_path / "logs" / "a.jsonl", rows[:40])
    write_jsonl(tmp_path / "logs" / "b.jsonl", rows[40:])
    expected = (0.25, 0, 0, 0, 0.75)
    for text in (tmp_path / "logs", tmp_path / "logs" / "*.jsonl", tmp_path / "logs" / "a.jsonl"):
        assert margins(str(text), Scale()) == expected
    database = tmp_path / "log.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE judged AS SELECT judge_score AS nota FROM '{tmp_path / 'logs' / '*.jsonl'}'")
    url = f"duckdb://{database}"
    rename, quick = {"judge_score": "nota"}, ("--metrics", "kappa", "--annotators", "1")
    assert margins("", Scale(), connect=url, table="judged", rename=rename) == expected
    found = planned("--connect", url, "--table", "judged", "--map", "judge_score=nota", *quick)
    same = planned("--margins", "0.25,0,0,0,0.75", *quick)
    assert found["designs"] == same["designs"]
    assert "holds no judge score" in refused("plan", "--margins", tmp_path / "logs", "--map", "judge_score=model")
    for wrong in (["--connect", url], ["--connect", url, "--table", "judged", "--margins", "uniform"]):
        assert toolkit("plan", *wrong).exit_code == 2


def test_margins_and_kappas_that_cannot_be(tmp_path: Path) -> None:
    assert margins("0.5,0.5", Scale(values=(0, 1))) == (0.5, 0.5)
    for wrong in ((0.5, 0.5), (0, 0, 0, 0, 0), (1, 1, 1, 1, -1), (1, 1, 1, 1, float("nan"))):
        with pytest.raises(ToolkitError, match="a share for each of the 5 levels"):
            assumed(Scale(), wrong, kappa=0.6)
    with pytest.raises(ToolkitError, match="cannot agree"):
        assumed(Scale(), UNIFORM, kappa=0.9, people_kappa=0.3)
    for threshold in ("1", "6"):
        assert "--threshold must lie above 1" in refused("plan", "--threshold", threshold)
    for option in (["--metrics", "beauty"], ["--minutes", "3", "--sample", "x"], ["--annotators", "3,x"]):
        assert toolkit("plan", *option).exit_code == 2
    assert planned_scale("no,yes").codes == (0, 1)


def test_the_figure_shows_one_design_by_figures_and_several_by_design(tmp_path: Path) -> None:
    def texts(path: Path) -> list[str]:
        return [element.text for element in ElementTree.fromstring(path.read_bytes()).iter() if element.text]

    one, several = tmp_path / "one.svg", tmp_path / "several.svg"
    sample = write_jsonl(tmp_path / "sample.jsonl", [r | {"response": "word " * 460} for r in records(10)])
    arguments = ["--annotators", "1", "--metrics", "kappa,mae", "--sample", sample, "-o", one]
    assert planned(*arguments)["minutes_per_item"] > 2
    assert {"mean absolute error", "kappa, judge and consensus", "wanted: 0.10"} <= set(texts(one))
    assert "not overwritten" in refused("plan", *arguments)
    planned("--annotators", "2,3", "--metrics", "kappa", "-o", several, "--lang", "pt-BR")
    shown = texts(several)
    assert "0,1" in shown and "0.1" not in shown
    assert sum(text.endswith((": 2", ": 3")) for text in shown) == 2
    assert "no interval to draw" in refused("plan", "--metrics", "alt-test", "-o", tmp_path / "none.svg")
    assert "written as SVG" in refused("plan", "-o", tmp_path / "plan.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.svg", "sample.jsonl", "several.svg"]


def test_a_formula_that_is_optimistic_is_said_with_the_reason() -> None:
    skewed = Question(Scale(), ((1, 1),), metrics=("kappa",), sizes=(30, 300), half_width=0.15)
    said = plan(skewed, assumed(Scale(), SKEWED, kappa=0.85), seed=1).warnings
    assert any("the formula is optimistic here (80% of the scores are on one level" in warning for warning in said)
    small = Question(Scale(), ((1, 1),), metrics=("kappa",), sizes=(30, 300), half_width=0.2)
    said = plan(small, assumed(Scale(), UNIFORM, kappa=0.9), seed=1).warnings
    assert any("(so few items are not enough for a normal approximation)" in warning for warning in said)


def test_items_that_share_prompts_are_said(tmp_path: Path) -> None:
    shared = [record(f"i{n}", prompt=f"Question {n // 3}?") for n in range(12)]
    sample = write_jsonl(tmp_path / "sample.jsonl", shared)
    # twelve items, three of each of four prompts
    found = planned("--sample", sample, "--metrics", "kappa", "--annotators", "2")
    assert any("4 prompts in all" in w and "up to 3.0 times as many" in w for w in found["warnings"])
    alone = write_jsonl(tmp_path / "alone.jsonl", [record(f"i{n}") for n in range(12)])
    found = planned("--sample", alone, "--metrics", "kappa", "--annotators", "2")
    assert not any("prompt" in w for w in found["warnings"])
    own = [SourceItem(item_id=str(n), dimension="d", prompt="same", cluster=f"c{n}") for n in range(3)]
    assert crowding(own) == (3, 1.0)


def _clustered(folder: Path, size: int, *options: object) -> Path:
    """Make a study of 36 items, `size` of each prompt, on all of which the judge is right or one too high."""
    study = make(folder, [record(f"i{n:02}", prompt=f"Q{n // size}", judge_score=1 + n // size % 4) for n in range(36)],
                 "2", *options)  # fmt: skip
    for name in study.names:
        fill(study, folder, name, lambda item: 1 + int(item[1:]) // size % 4 + int(item[1:]) // size % 3 // 2)
    return folder


def test_items_of_one_prompt_are_simulated_together(tmp_path: Path) -> None:
    apart, together = _clustered(tmp_path / "apart", 1), _clustered(tmp_path / "together", 3)
    widths = {}
    for folder in (apart, together):
        ok("consolidate", folder, "-q")
        found = planned(folder, "--metrics", "mae")
        widths[folder] = found["designs"][0]["half_widths"]["mae"][-1]["half_width"]
        said = any("12 prompts in the pilot" in warning for warning in found["warnings"])
        assert said == (folder is together)
        assert not any("times as many" in warning for warning in found["warnings"])
    # all of a prompt's items err alike: the design effect is 1 + (3 - 1) * 1
    assert widths[together] / widths[apart] == pytest.approx(3**0.5, rel=0.05)
    # its report alone tells the same
    found = planned(together / "report", "--metrics", "mae")
    assert found["designs"][0]["half_widths"]["mae"][-1]["half_width"] == widths[together]
    # too few prompts to stand for others
    few = _clustered(tmp_path / "few", 6)
    ok("consolidate", few, "-q")
    assert any("up to 6.0 times as many" in warning for warning in planned(few, "--metrics", "mae")["warnings"])


def test_a_report_without_texts_or_without_a_consensus_is_a_pilot_too(tmp_path: Path) -> None:
    folder = _clustered(tmp_path / "s", 3)
    ok("consolidate", folder, "--no-texts", "-q")
    assert any("12 prompts in the pilot" in warning for warning in planned(folder, "--metrics", "mae")["warnings"])
    alone = planned(folder / "report", "--metrics", "mae")
    assert alone["minutes_per_item"] == 2 and alone["pilot_items"] == 36
    study = make(tmp_path / "w", [record(f"i{n}", judge_score=1 + n % 4) for n in range(12)], "2")
    for name in study.names:
        fill(study, tmp_path / "w", name, lambda item, name=name: 1 + 2 * (name == "A2") + int(item[1:]) % 3)  # type: ignore[misc]
    ok("consolidate", tmp_path / "w", "--reveal-judge", "-q")
    assert planned(tmp_path / "w" / "report", "--metrics", "mae")["pilot_items"] == 12


def test_ratings_whose_judge_is_told_with_prompts(tmp_path: Path) -> None:
    ratings = [[f"i{n}", "factual", name, 1 + n // 2 % 4] for n in range(40) for name in "AB"]
    write_csv(tmp_path / "r.csv", ["item_id", "dimension", "annotator_id", "score"], ratings)
    log = write_jsonl(tmp_path / "j.jsonl", [record(f"i{n}", prompt=f"Q{n // 2}", judge_score=3) for n in range(40)])
    pilot = read_pilot(locate(tmp_path / "r.csv"), Scale(), log)
    assert pilot.clusters_drawn(2) == 20 and pilot.items(2) == 40
    # the report on them is a pilot, too, though one item has no texts
    part = write_jsonl(tmp_path / "p.jsonl", [record(f"i{n}", prompt=f"Q{n // 2}", judge_score=3) for n in range(39)])
    ok("analyze", tmp_path / "r.csv", "--judged", part, "-o", tmp_path / "report", "-q")
    found = planned(tmp_path / "report", "--metrics", "mae")
    assert (found["pilot_items"], found["minutes_per_item"]) == (39, 2)
    assert any("20 prompts in the pilot" in warning for warning in found["warnings"])
    other = write_csv(tmp_path / "o.csv", ["item_id", "dimension", "judge", "score"], [["x", "factual", "j", 3]])
    assert "no judge score for any item" in refused("plan", tmp_path / "r.csv", "--judged", other)


def test_goals_have_short_names() -> None:
    assert [goal.key for goal in Question(Scale(), ((3, 3),), beat=(("mae", 0.5),)).goals] == [
        *("kappa", "mae", "ceiling", "tpr", "tnr"),
        *("as_good", "alt-test", "mae<0.5"),
    ]
    assert Goal("ceiling") != Goal("ceiling", finding=True)


def test_pilots_in_which_nothing_varies_promise_nothing(tmp_path: Path) -> None:
    for name, row in (("same", lambda k: "5,5,5,5"), ("perfect", lambda k: ",".join([str(1 + k % 5)] * 4))):
        file = tmp_path / f"{name}.csv"
        lines = [f"i{k},{row(k)}" for k in range(20)]
        file.write_text("\n".join(["item_id,score_A,score_B,score_C,judge_score", *lines]))
        printed = ok("plan", file, "--seed", "1", "-q")
        assert "for kappa: not defined" in printed and "kappa    -      -  " in printed
        assert planned(file)["designs"][0]["needed"]["kappa"]["items"] is None
    held = tmp_path / "held.csv"
    held.write_text("item_id,score_A,score_B,judge_score\n" + "\n".join(f"i{k},{1 + k % 5},3," for k in range(20)))
    assert "not held back" in refused("plan", held)
    assert "two levels or more" in refused("plan", "--margins", "0,0,0,0,1")
    # an annotator who returned nothing is no annotator
    gone = tmp_path / "gone.csv"
    lines = [f"i{k},{1 + k % 5},{1 + k % 4},,{1 + k % 3}" for k in range(20)]
    gone.write_text("\n".join(["item_id,score_A,score_B,score_C,judge_score", *lines]))
    assert [(d["annotators"], d["overlap"]) for d in planned(gone, "--metrics", "kappa")["designs"]] == [(2, 2)]


def test_a_design_that_can_tell_nothing_of_what_is_asked_says_so() -> None:
    printed = ok("plan", "--metrics", "alt-test", "--annotators", "2", "--seed", "1")
    assert "no alternative annotator test, which needs three" in printed
    printed = ok("plan", "--metrics", "ceiling", "--annotators", "1", "--seed", "1")
    assert "no figure that was asked for is defined" in printed and "cannot be compared with each other" in printed


@pytest.mark.parametrize("option", ["--half-width", "--power", "--minutes", "--margin", "--kappa", "--threshold"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_what_is_no_number_is_wrong_usage(option: str, value: str) -> None:
    result = toolkit("plan", option, value)
    assert result.exit_code == 2 and option in result.output
