"""Makes tests/metrics/tiny: a BERT of 8 dimensions with seeded weights, and what the reference BERTScore says of it.

It was run once, because PyTorch is too large for every run of the tests:

    python3 -m venv reference
    reference/bin/pip install torch sentence-transformers bert-score onnxruntime onnx
    reference/bin/python tests/metrics/make_tiny.py

with torch 2.13.0, transformers 5.24.0, sentence-transformers 6.2.0 and bert-score 0.3.13 (Zhang et al. 2020, the
authors' own code). reference.json holds precision, recall and F1 of the pairs for each layer, and sentence vectors.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "tiny"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
TEXT = "the cat sat on a mat dog ran sky is blue water boils at 100 degrees ##s ##ed . , o gato dorme no"
WORDS = [*SPECIAL, *TEXT.split(" ")]
LENGTH = 16
PAIRS = [
    ["The cat sat on the mat.", "A cat sat on a mat"],
    ["water boils at 100 degrees", "Water boiled at 100 degrees."],
    ["a dog ran", "the sky is blue"],
    ["the sky", "the sky is blue"],
    ["", "the sky is blue"],
    ["o gato dorme", "o gato dorme no mat"],
    ["cats, dogs, mats", "the cat sat"],
    ["the cat sat on the mat " * 4, "the cat sat on the mat"],
]


def make() -> None:
    """Make the model, its ONNX form and the reference values."""
    import bert_score
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=LENGTH, **names)
    # bert-score asks for this where a text is empty; transformers 5 has it no more
    type(fast).build_inputs_with_special_tokens = lambda self, ids: [ends[0][1], *ids, ends[1][1]]
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=LENGTH,
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:  # as initialised, all tokens are nearly alike
                weights.mul_(6.0)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        fast.save_pretrained(place)
        model.save_pretrained(place)
        for name in ("tokenizer.json", "tokenizer_config.json", "config.json", "model.safetensors"):
            (FOLDER / name).write_bytes((Path(place) / name).read_bytes())
    ids = torch.tensor([fast("the cat")["input_ids"]])
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        _hidden(model),
        (ids, torch.ones_like(ids), torch.zeros_like(ids)),
        FOLDER / "model.onnx",
        input_names=inputs,
        output_names=["last_hidden_state"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in [*inputs, "last_hidden_state"]},
        dynamo=False,
    )
    candidates, references = [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS]
    scores = {}
    for layer in (1, 2):
        found = bert_score.score(candidates, references, model_type=str(FOLDER), num_layers=layer, device="cpu")
        scores[layer] = [values.tolist() for values in found]
    vectors = SentenceTransformer(str(FOLDER), device="cpu").encode(references, normalize_embeddings=True)
    reference = {"pairs": PAIRS, "bert_score": scores, "sentences": references, "vectors": vectors.tolist()}
    (FOLDER / "reference.json").write_text(json.dumps(reference, indent=1) + "\n", encoding="utf-8")


def _hidden(model):  # type: ignore[no-untyped-def]
    import torch

    class Hidden(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, token_type_ids):  # type: ignore[no-untyped-def]
            return self.model(input_ids, attention_mask, token_type_ids).last_hidden_state

    return Hidden()


if __name__ == "__main__":
    make()
