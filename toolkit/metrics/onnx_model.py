"""A model in ONNX form: onnxruntime and its tokenizer, without PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from toolkit.errors import Problem, ToolkitError
from toolkit.metrics.embedding import CONFIG, Array, Encoded, read_config, readable, unit

INSTALL = "pip install 'toolkit[metrics]'"
DEFAULT_LENGTH = 512
# what sentence-transformers may put behind the model that is done here too
DONE_HERE = ("Transformer", "Pooling", "Normalize")
_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))


class OnnxModel:
    """Token vectors are the model's first output of three dimensions; the sentence's is their mean, or the first."""

    def __init__(self, folder: Path, file: Path):
        """Load model and tokenizer.

        Raises:
            ToolkitError: When a package is missing, or the files do not fit.
        """
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ToolkitError(Problem(f"ONNX models need the package {error.name}", INSTALL)) from error
        self.name = f"{folder.resolve().name} (onnx)"
        self._cls = _first_token_stands_for_all(folder)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's exceptions have no common type of their own
            raise ToolkitError(Problem("cannot be loaded as an ONNX model", "export it again", str(file))) from error
        tokenizer = folder / "tokenizer.json"
        if not tokenizer.is_file():
            raise ToolkitError(Problem("is missing beside model.onnx", "copy it from the model", str(tokenizer)))
        try:
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # tokenizers raises plain Exception
            raise ToolkitError(Problem("is not a tokenizer", "copy it from the model", str(tokenizer))) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_longest(folder))
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._output = next((out.name for out in self._session.get_outputs() if len(out.shape) == 3), None)
        if unknown := sorted(set(self._inputs) - _INPUTS):
            raise ToolkitError(
                Problem(f"wants the input {unknown[0]}, which is not known here", "export it again", str(file))
            )
        if self._output is None:
            raise ToolkitError(Problem("gives no vector for each token", "export it with its hidden state", str(file)))

    def encode(self, text: str) -> Encoded:
        """Return a text's vectors."""
        found = self._tokenizer.encode(readable(text))
        values: dict[str, Any] = {
            "input_ids": found.ids,
            "attention_mask": found.attention_mask,
            "token_type_ids": found.type_ids,
        }
        feed = {name: np.array([values[name]], dtype=np.int64) for name in self._inputs}
        vectors: Array = np.asarray(self._session.run([self._output], feed)[0][0], dtype=np.float64)
        content = np.array(found.special_tokens_mask, dtype=np.int64) == 0
        return Encoded(
            tokens=unit(vectors),
            content=content,
            sentence=unit(vectors[0] if self._cls else vectors.mean(axis=0)),
            cut=bool(found.overflowing),
        )


def _longest(folder: Path) -> int:
    """Return how many tokens the model reads."""
    said = [
        read_config(folder / "sentence_bert_config.json").get("max_seq_length"),
        read_config(folder / "tokenizer_config.json").get("model_max_length"),
        read_config(folder / CONFIG).get("max_position_embeddings"),
    ]
    # some tokenizers have 1e30 here, for no limit
    known = [int(number) for number in said if isinstance(number, int | float) and 0 < number < 1_000_000]
    return min(known, default=DEFAULT_LENGTH)


def _first_token_stands_for_all(folder: Path) -> bool:
    modules = read_config(folder / "modules.json") or []
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    if other := [kind for kind in kinds if kind not in DONE_HERE]:
        what = f"the model ends with a module {other[0]}, which ONNX files do not hold"
        raise ToolkitError(Problem(what, "use --backend torch", str(folder)))
    path = next((module.get("path", "") for module in modules if str(module.get("type")).endswith("Pooling")), "")
    pooling = read_config(folder / path / CONFIG) if path else {}
    # older files switch each way on or off, newer ones name it
    named = [name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True]
    named = named or [f"pooling_mode_{way}" for way in [pooling.get("pooling_mode")] if way]
    if named in (["pooling_mode_cls_token"], ["pooling_mode_cls"]):
        return True
    if named not in ([], ["pooling_mode_mean_tokens"], ["pooling_mode_mean"]):
        raise ToolkitError(Problem(f"{named[0]} is not known here", "use --backend torch", str(folder)))
    return False
