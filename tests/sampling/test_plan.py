"""`toolkit plan`: the sizes others publish, the simulation beside the formula, and a pilot."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from tests.sampling.logs import records, write_jsonl
from toolkit.cli import main
from toolkit.errors import ToolkitError
from toolkit.jobs.plan import Question, assumed, from_pilot, named_margins, plan
from toolkit.model import Scale
from toolkit.sampling.closed_form import binary_limit_size, binary_power_size, kappa_size, kappa_variance
from toolkit.sampling.panels import SKEWED, UNIFORM, UnreachableError, pilot, stated
from toolkit.sampling.simulate import needed, width
from toolkit.stats import mean_pairwise, quadratic_kappa

VALUES = (1, 2, 3, 4, 5)
# n for a 95% half-width of 0.10 of quadratic kappa, two raters of one latent normal trait: the issue's own numbers
PUBLISHED = [
    (UNIFORM, 0.4, 282),
    (UNIFORM, 0.6, 170),
    (UNIFORM, 0.8, 56),
    (SKEWED, 0.4, 709),
    (SKEWED, 0.6, 499),
    (SKEWED, 0.8, 180),
]


@pytest.mark.parametrize(("margins", "kappa", "items"), PUBLISHED)
def test_the_formula_reaches_the_published_sizes(margins: tuple[float, ...], kappa: float, items: int) -> None:
    panel = stated(VALUES, margins, judge_kappa=kappa, people_kappa=kappa, raters=1)
    assert float(quadratic_kappa(panel.people[:, 0], panel.judge, panel.probabilities)) == pytest.approx(
        kappa, abs=1e-6
    )
    assert kappa_size(*panel.table(), 0.10) == items


@pytest.mark.parametrize(("margins", "kappa", "items"), PUBLISHED)
def test_the_simulation_agrees_and_shows_where_the_formula_is_optimistic(
    margins: tuple[float, ...], kappa: float, items: int
) -> None:
    panel = stated(VALUES, margins, judge_kappa=kappa, people_kappa=kappa, raters=1)
    found = needed(panel, "kappa", 0.10, seed=1, studies=10_000)
    assert found is not None
    # within 4%, except at a kappa of 0.8, where estimates are skewed and the formula asks for too few
    assert items * 0.96 <= found <= items * (1.04 if kappa < 0.8 else 1.14)
    if kappa == 0.8:
        assert found > items


def test_kappasize_published_examples() -> None:
    """CIBinary(kappa0=0.6, kappaL=0.4, props=0.3) and PowerBinary(kappa0=0.4, kappa1=0.6, props=0.3), two raters."""
    assert binary_limit_size(0.6, 0.4, 0.3) == 66
    assert binary_power_size(0.4, 0.6, 0.3) == 191


def test_the_variance_is_statsmodels() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    rng = np.random.default_rng(3)
    for _ in range(5):
        table = rng.integers(1, 40, (5, 5)) + np.diag(rng.integers(20, 200, 5))
        theirs = cohens_kappa(table, weights=np.arange(5), wt="quadratic")
        assert kappa_variance(table, np.arange(5)) / table.sum() == pytest.approx(theirs.var_kappa)


def test_a_stated_panel_is_what_was_stated() -> None:
    panel = stated(VALUES, SKEWED, judge_kappa=0.2, people_kappa=0.7, raters=3, judge_margins=UNIFORM)
    shares = [float(panel.probabilities[panel.people[:, 1] == v].sum()) for v in VALUES]
    judged = [float(panel.probabilities[panel.judge == v].sum()) for v in VALUES]
    assert shares == pytest.approx(SKEWED, abs=1e-6)
    assert judged == pytest.approx(UNIFORM, abs=1e-6)
    assert float(mean_pairwise(panel.people, panel.probabilities)) == pytest.approx(0.7, abs=1e-6)
    with pytest.raises(UnreachableError, match="below"):
        stated(VALUES, SKEWED, judge_kappa=0.95, people_kappa=0.9, raters=3, judge_margins=(0.8, 0.1, 0.05, 0.03, 0.02))


def test_wider_studies_are_surer_and_small_ones_are_undefined() -> None:
    panel = stated(VALUES, SKEWED, judge_kappa=0.6, people_kappa=0.6, raters=3)
    for metric in ("kappa", "mae", "ceiling", "tnr"):
        halves = [width(panel, metric, n, seed=1).half_width for n in (100, 400)]
        assert halves[0] is not None
        assert halves[1] is not None
        assert halves[1] < 0.62 * halves[0]
    assert width(panel, "kappa", 5, seed=1).half_width is None
    good = stated(VALUES, UNIFORM, judge_kappa=0.7, people_kappa=0.6, raters=3)
    powers = [width(good, "alt-test", n, seed=1).power for n in (30, 150)]
    assert powers[0] < powers[1]
    assert width(good, "ceiling", 300, seed=1).power > 0.95


def _consensus(folder: Path, n: int) -> Path:
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 6, n)
    scores = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 4)), 1, 5)
    lines = ["item_id,score_A1,score_A2,score_A3,human_consensus_score,judge_score"]
    lines += [f"i{k},{a},{b},{c},{sorted((a, b, c))[1]},{j}" for k, (a, b, c, j) in enumerate(scores)]
    lines.append("i999,3,,4,,2")
    folder.mkdir()
    (folder / "consensus.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    return folder


def test_from_a_report_how_many_more(tmp_path: Path) -> None:
    folder = _consensus(tmp_path / "report", 40)
    panel = from_pilot(folder, Scale(), None)
    assert (panel.raters, panel.items, panel.people.shape) == (3, 40, (40, 3))
    run = CliRunner().invoke(main, ["plan", str(folder), "--metrics", "kappa", "--seed", "1"])
    assert run.exit_code == 0, run.output
    assert "more than the 40 there are" in run.output
    with pytest.raises(ToolkitError, match="10 are needed"):
        from_pilot(_consensus(tmp_path / "small", 9), Scale(), None)


def test_from_ratings_and_judge_scores(tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    rows = [f"i{k},d,{a},{1 + (k + (a == 'B')) % 5}" for k in range(12) for a in "AB"]
    ratings.write_text("item_id,dimension,annotator_id,score\n" + "\n".join(rows))
    judged = tmp_path / "judged.csv"
    judged.write_text("item_id,dimension,judge,score\n" + "\n".join(f"i{k},d,j,{1 + k % 5}" for k in range(12)))
    panel = from_pilot(ratings, Scale(), None, judged)
    assert panel.items == 12
    assert panel.people[:, 0].tolist() == panel.judge.tolist()
    assert pilot(panel.people, panel.judge, raters=1).people.shape == (24, 1)


def test_a_log_gives_the_margins(tmp_path: Path) -> None:
    log = write_jsonl(
        tmp_path / "log.jsonl", [r | {"judge_score": 5 if i % 4 else 1} for i, r in enumerate(records(80))]
    )
    assert named_margins(str(log), Scale()) == (0.25, 0, 0, 0, 0.75)
    assert named_margins("0.5,0.5", Scale(values=(0, 1))) == (0.5, 0.5)
    question = Question(Scale(), 3, 3)
    with pytest.raises(ToolkitError, match="a share for each of the 5 levels"):
        assumed(question, (0.5, 0.5), kappa=0.6)
    with pytest.raises(ToolkitError, match="cannot agree"):
        assumed(question, UNIFORM, kappa=0.9, people_kappa=0.3)


def test_the_command_its_figure_and_the_hours(tmp_path: Path) -> None:
    out = tmp_path / "plan.svg"
    sample = write_jsonl(tmp_path / "sample.jsonl", [r | {"response": "word " * 460} for r in records(10)])
    arguments = ["plan", "--kappa", "0.8", "--margins", "skewed", "--overlap", "1", "--metrics", "kappa,mae"]
    arguments += ["--seed", "1", "--sample", str(sample), "-o", str(out)]
    run = CliRunner().invoke(main, arguments)
    assert run.exit_code == 0, run.output
    assert "by closed form (Fleiss, Cohen & Everitt 1969), for kappa: 180 items" in run.output
    assert "hours for each annotator" in run.output
    texts = [element.text for element in ElementTree.fromstring(out.read_bytes()).iter() if element.text]
    assert "mean absolute error" in texts
    again = CliRunner().invoke(main, arguments)
    assert again.exit_code == 1
    assert "not overwritten" in again.output
    printed = json.loads(CliRunner().invoke(main, [*arguments[:-2], "--json"]).stdout)
    assert printed["minutes_per_item"] > 2
    for wrong in (["--metrics", "beauty"], ["--overlap", "4"], ["--minutes", "3", "--sample", "x"]):
        assert CliRunner().invoke(main, ["plan", *wrong]).exit_code == 2


def test_a_formula_that_is_optimistic_is_said() -> None:
    question = Question(Scale(), 1, 1, metrics=("kappa",), sizes=(30,), half_width=0.15)
    done = plan(question, assumed(question, SKEWED, kappa=0.85), seed=1)
    assert any("the formula is optimistic here" in warning for warning in done.warnings)


def test_a_pilot_in_which_everybody_scored_a_part(tmp_path: Path) -> None:
    # six people, three scores an item; by hand: every score of an item stands for two of its three pairs
    scores = np.full((12, 6), np.nan)
    for item in range(12):
        scores[item, [item % 6, (item + 1) % 6, (item + 3) % 6]] = (1 + item % 5, 1 + item % 5, 1 + (item + 1) % 5)
    found = pilot(scores, np.arange(12) % 5 + 1.0, raters=2)
    assert found.items == 12 and found.probabilities == pytest.approx(np.full(36, 1 / 36))
    names = [f"score_P{n}" for n in range(6)]
    rows = [",".join("" if np.isnan(s) else f"{s:g}" for s in row) + f",{n % 5 + 1}" for n, row in enumerate(scores)]
    file = tmp_path / "consensus.csv"
    file.write_text(
        "\n".join(["item_id," + ",".join(names) + ",judge_score"] + [f"i{n},{r}" for n, r in enumerate(rows)])
    )
    assert (from_pilot(file, Scale(), None).raters, from_pilot(file, Scale(), 2).raters) == (3, 2)
    with pytest.raises(ToolkitError, match="holds 0 items with 4 or more human scores"):
        from_pilot(file, Scale(), 4)
