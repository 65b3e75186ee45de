"""Any model that sentence-transformers loads, with PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.metrics.embedding import Encoded, readable, unit

INSTALL = "pip install 'toolkit[metrics-torch]', or use a model in ONNX form"


class TorchModel:
    """Token vectors are the hidden state of a layer; the sentence's vector is the one the model itself makes."""

    def __init__(self, folder: Path, layer: int | None):
        """Load the model.

        Raises:
            ToolkitError: When a package is missing, the folder holds no model, or the model has no such layer.
        """
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise ToolkitError(Problem(f"this model needs the package {error.name}", INSTALL)) from error
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            self._model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True).eval()
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            why = f"cannot be loaded as a model: {shown(error, 160)}"
            raise ToolkitError(Problem(why, "check the folder", str(folder))) from error
        self._torch = torch
        self._inner: Any = self._model[0].auto_model
        layers = int(self._inner.config.num_hidden_layers)
        if layer is not None and not 1 <= layer <= layers:
            what = f"the model has no layer {layer}"
            raise ToolkitError(Problem(what, f"--layer goes from 1 to {layers}", str(folder)))
        self._layer = layers if layer is None else layer
        self.name = f"{folder.resolve().name} (torch{'' if layer is None else f', layer {layer}'})"

    def encode(self, text: str) -> Encoded:
        """Return a text's vectors."""
        text, longest = readable(text), self._model.max_seq_length
        whole = self._model.tokenizer(text, verbose=False)
        found = self._model.tokenizer(
            text, truncation=True, max_length=longest, return_special_tokens_mask=True, return_tensors="pt"
        )
        content = found.pop("special_tokens_mask")[0].numpy() == 0
        with self._torch.no_grad():
            hidden = self._inner(**found, output_hidden_states=True).hidden_states[self._layer][0]
        sentence = self._model.encode(text, normalize_embeddings=True, show_progress_bar=False)
        return Encoded(
            tokens=unit(np.asarray(hidden.float().numpy(), dtype=np.float64)),
            content=content,
            sentence=unit(np.asarray(sentence, dtype=np.float64)),
            cut=len(whole["input_ids"]) > len(content),
        )
