"""Texts as vectors, by a model in a local folder. Nothing is ever downloaded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from toolkit.errors import Problem, ToolkitError
from toolkit.texts import sound

Array = NDArray[np.float64]
Backend = Literal["onnx", "torch"]
BACKENDS: tuple[Backend, ...] = ("onnx", "torch")
ONNX_FILES = ("model.onnx", "onnx/model.onnx")
CONFIG = "config.json"


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as a model sees it.

    Attributes:
        tokens: A vector of length 1 for each token, special ones included, shape (tokens, dimensions).
        content: Which tokens are of the text, and not the model's own marks, shape (tokens,).
        sentence: The vector of the whole text, of length 1, shape (dimensions,).
        cut: Whether the text is longer than the model reads.
    """

    tokens: Array
    content: NDArray[np.bool_]
    sentence: Array
    cut: bool


class Embedder(Protocol):
    """A model.

    Attributes:
        name: What it is called in results.
    """

    name: str

    def encode(self, text: str) -> Encoded:
        """Return a text's vectors."""
        ...


def open_embedder(folder: Path, backend: Backend | None = None, layer: int | None = None) -> Embedder:
    """Return the model of a folder.

    Args:
        folder: A model as Hugging Face or sentence-transformers lay it out, or as ONNX with its tokenizer.json.
        backend: What runs it; None for `onnx` where the folder has a model.onnx, and `torch` otherwise.
        layer: Whose token vectors BERTScore compares; None for the last. Needs `torch`.

    Raises:
        ToolkitError: When the folder holds no such model, or a package is missing.
    """
    if not folder.is_dir():
        raise ToolkitError(
            Problem("is not a folder with a model", "name a local folder; nothing is downloaded", str(folder))
        )
    file = next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)
    chosen = backend or ("onnx" if file is not None and layer is None else "torch")
    if chosen == "torch":
        from toolkit.metrics.torch_model import TorchModel

        if not (folder / CONFIG).is_file() and not (folder / "modules.json").is_file():
            raise ToolkitError(Problem("holds no model (no config.json)", "check the folder", str(folder)))
        return TorchModel(folder, layer)
    if file is None:
        raise ToolkitError(
            Problem("holds no model.onnx", "export the model to ONNX, or use --backend torch", str(folder))
        )
    if layer is not None:
        raise ToolkitError(
            Problem("an ONNX model gives its last layer only", "leave --layer out, or use --backend torch")
        )
    from toolkit.metrics.onnx_model import OnnxModel

    return OnnxModel(folder, file)


def read_config(path: Path) -> Any:
    """Return what a model's JSON file says; an empty object where there is none.

    Raises:
        ToolkitError: When it is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise ToolkitError(Problem("is not valid JSON", "get the model again", str(path))) from error


def readable(text: str) -> str:
    """Return a text as tokenizers take it: without space around it, and without lone surrogates."""
    return sound(text).strip()


def unit(vectors: Array) -> Array:
    """Return vectors scaled to length 1; a vector of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), dtype=np.float64)
