"""From a JSON object to a judgement: which key is the score, which the reasons, in three languages."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.judging.scores import Found, interpret
from toolkit.model import Scale, Value
from toolkit.texts import composed

SCORE_WORDS = (
    "score",
    "rating",
    "grade",
    "nota",
    "pontuacao",
    "puntuacion",
    "puntaje",
    "calificacion",
    "verdict",
    "veredito",
    "veredicto",
    "winner",
    "vencedor",
    "ganador",
)
_QUALIFIERS = ("final", "overall", "total", "geral", "general", "global", "judge")
_WRAPPERS = frozenset(
    [
        "evaluation",
        "result",
        "response",
        "output",
        "judgement",
        "judgment",
        "answer",
        "avaliacao",
        "resultado",
        "resposta",
        "saida",
        "julgamento",
        "evaluacion",
        "respuesta",
        "salida",
        "juicio",
    ]
)
_MAXIMUM = frozenset(("max", "maximum", "maxscore", "outof", "scale", "escala", "maximo", "notamaxima", "scoremax"))
_TEXTS = {
    "justification": frozenset(
        [
            "justification",
            "reason",
            "reasoning",
            "rationale",
            "explanation",
            "critique",
            "justificativa",
            "explicacao",
            "critica",
            "motivo",
            "justificacion",
            "explicacion",
            "razonamiento",
        ]
    ),
    "evidence": frozenset(("evidence", "evidencia", "evidencias", "evidences")),
    "suggestion": frozenset(("suggestion", "sugestao", "sugerencia", "improvement")),
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Told:
    """What an object says.

    Attributes:
        found: Its score; None when it has no key for one.
        texts: `justification`, `evidence`, `suggestion`, as far as they are there.
        confidence: Stated confidence between 0 and 1.
    """

    found: Found | None
    texts: Mapping[str, str]
    confidence: float | None = None


def without_accents(text: str) -> str:
    """Return a text without accents; digits and signs stay what they are (½ is not 1/2 here)."""
    return "".join(c for c in composed(text, "NFD") if unicodedata.category(c) != "Mn")


@functools.lru_cache(maxsize=4096)
def key_word(key: str) -> str:
    """Return the form in which two spellings of a key are the same.

    >>> key_word("Pontuação_Final")
    'pontuacaofinal'
    """
    return "".join(c for c in without_accents(key).casefold() if c.isalnum())


@functools.lru_cache(maxsize=4096)
def is_score_key(key: str) -> bool:
    """Return whether a key names the score."""
    word = key_word(key)
    for qualifier in _QUALIFIERS:
        word = word.removeprefix(qualifier).removesuffix(qualifier)
    return word in SCORE_WORDS


def told(value: Mapping[str, Any], scale: Scale, labels: Mapping[str, Value]) -> Told:
    """Return what an object says."""
    texts = {
        name: found
        for name, keys in _TEXTS.items()
        if (found := next((_text(inner) for key, inner in value.items() if key_word(key) in keys), ""))
    }
    return Told(_score(value, scale, labels), texts, _confidence(value))


def _score(value: Mapping[str, Any], scale: Scale, labels: Mapping[str, Value]) -> Found | None:
    given = [inner for key, inner in value.items() if is_score_key(key)]
    inside = [inner for key, inner in value.items() if isinstance(inner, dict) and key_word(key) in _WRAPPERS]
    if not given:
        return _score(inside[0], scale, labels) if len(inside) == 1 else None
    if scale.kind == "ordinal":
        for key, inner in value.items():
            if key_word(key) in _MAXIMUM and (numbers := _NUMBER.findall(str(inner))):
                most = float(numbers[-1].replace(",", "."))
                if most != scale.codes[-1]:
                    return Found(reason=f"another scale ({key}: {inner})")
    found = [interpret(inner, scale, labels) for inner in given]
    found += filter(None, (_score(inner, scale, labels) for inner in inside))
    if any(other != found[0] for other in found):
        return Found(reason="several scores that differ in one object")
    return found[0]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    return ""


def _confidence(value: Mapping[str, Any]) -> float | None:
    for key, inner in value.items():
        if key_word(key) in ("confidence", "confianca", "confianza"):
            plain = isinstance(inner, int | float) and not isinstance(inner, bool) and 0 <= inner <= 1
            return float(inner) if plain else None
    return None
