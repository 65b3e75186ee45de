"""Recorded answers instead of a model: for tests, for the README, and for answers that were collected elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, refuse
from toolkit.files import sha256
from toolkit.judging.provider import About, CallError, Finish, Parameter, Reply, Request
from toolkit.tables import read_table
from toolkit.tables.fields import as_identifier, as_text, names_of

_FINISH: dict[str, Finish] = {"stop": "stop", "length": "length", "refusal": "refusal"}


class Replay:
    """Answers from a table: item_id, text, and where they matter dimension, part, order, sample and finish."""

    name = "replay"
    capabilities: frozenset[Parameter] = frozenset()
    notices: tuple[str, ...] = ()

    def __init__(self, path: Path, model: str | None):
        """Read the recorded answers.

        Raises:
            ToolkitError: When the file cannot be read as recorded answers.
        """
        problems: list[Problem] = []
        table = read_table(path, wanted=[names_of("item_id", {}), frozenset(("text", "reply"))], problems=problems)
        id_column, text_column = table.column("item_id", "id", "scenario_id"), table.column("text", "reply")
        if not id_column or not text_column:
            problems.append(table.problem("has no columns item_id and text", "give each recorded answer both"))
        refuse(problems)
        self._answers: dict[About, tuple[str, Finish]] = {}
        self._any_dimension = table.column("dimension") is None
        for row in table.rows:
            values = {name: row.values.get(table.column(name) or "") for name in ("dimension", "part", "order")}
            try:
                about = About(
                    as_identifier(row.values.get(id_column or "", "")),
                    dimension=_text(values["dimension"]),
                    part=_text(values["part"]),
                    order=_text(values["order"]),
                    sample=_whole(row.values.get(table.column("sample") or "", 0)),
                )
                text = _text(row.values.get(text_column or ""))
                finish = _finish(row.values.get(table.column("finish") or ""))
            except ValueError as error:
                problems.append(table.problem(f"a recorded answer {error}", "correct the row", row=row))
                continue
            if about in self._answers:
                what = "holds two recorded answers for one question"
                problems.append(table.problem(what, "number repeated answers with sample", row=row))
            self._answers[about] = text, finish
        refuse(problems)
        self.model = model or path.stem
        self.identity: Mapping[str, str] = {"answers": sha256(path.read_bytes())}

    async def send(self, request: Request) -> Reply:
        """Return the recorded answer."""
        wanted = request.about
        if self._any_dimension:
            wanted = About(wanted.item_id, "", wanted.part, wanted.order, wanted.sample)
        if wanted not in self._answers:
            number = f" for sample {wanted.sample}" if wanted.sample else ""
            raise CallError("rejected", f"no answer is recorded{number}")
        text, finish = self._answers[wanted]
        return Reply(text=text, finish=finish, model=self.model)

    def left_over(self, asked: Iterable[About]) -> int:
        """Return how many recorded answers are about items that nobody asked about."""
        known = {(about.item_id, "" if self._any_dimension else about.dimension) for about in asked}
        return sum((about.item_id, about.dimension) not in known for about in self._answers)

    async def close(self) -> None:
        """Nothing to close."""


def _text(value: Any) -> str:
    return "" if value is None else as_text(value)


def _finish(value: Any) -> Finish:
    text = _text(value).strip()
    if text and text not in _FINISH:
        raise ValueError(f"ends in a way that is not known; finish is one of {', '.join(_FINISH)}")
    return _FINISH[text or "stop"]


def _whole(value: Any) -> int:
    text = _text(value).strip().removesuffix(".0") or "0"
    if not text.isdecimal():
        raise ValueError("has a sample that is no whole number from 0 on")
    return int(text)
