"""llm-eval's files: its golden set is a judged sample as it stands; its run results become one here.

`run_result.json` holds the raw answers and every single judge result of a run. A scenario becomes one record: the
answers it is about, all its judge results, and their mean. A result without a score (the judge's answer could not be
read) is left out and said, never taken for a number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from toolkit.errors import Problem
from toolkit.tables import BAD, Row, Table
from toolkit.tables.fields import Noticed, kind_of

GOLDEN_SET = "scenarios"
RUN_RESULT = "scenario_results"
ROBUSTNESS = "robustness"
_UNPARSED = ("failed", "failure", "error", "unparsed")
_FROM_RUN = ("responses", "variant_responses", "judge_results", "error")


def is_run_result(table: Table) -> bool:
    """Return whether a table is the scenarios of an llm-eval run."""
    return table.format == "json" and table.sheet == RUN_RESULT


def run_records(table: Table, problems: list[Problem]) -> tuple[Table, tuple[str, ...]]:
    """Return a run's scenarios as records with the fields of a judged sample, and what is to be said of them.

    Args:
        table: The run's scenarios.
        problems: Takes what is wrong with single scenarios.
    """
    config = table.around.get("config")
    provider = config.get("provider") if isinstance(config, dict) else None
    provider = provider if isinstance(provider, dict) else {}
    origin = {"model": provider.get("model"), "provider": provider.get("type")}
    noticed = Noticed()
    rows = []
    for row in table.rows:
        made = _Scenario(table, row, problems, noticed).record()
        if made is not None:
            values = {**{key: value for key, value in origin.items() if value}, **made}
            rows.append(replace(row, values=values))
    header = tuple(dict.fromkeys((*table.header, *(key for row in rows for key in row.values))))
    return replace(table, header=header, rows=tuple(rows)), tuple(noticed)


@dataclass(frozen=True)
class _Scenario:
    table: Table
    row: Row
    problems: list[Problem]
    noticed: Noticed

    @property
    def name(self) -> str:
        return str(self.row.values.get("scenario_id", self.row.place))

    def record(self) -> dict[str, Any] | None:
        values = self.row.values
        found = len(self.problems)
        answers = self._texts("responses", values.get("responses"))
        variants = self._variants(values.get("variant_responses"))
        results = self._results(values.get("judge_results"))
        if len(self.problems) > found:
            # said already; the rest of the record would only repeat it
            return None
        if values.get("error") is not None:
            if not answers and not variants:
                self.noticed.add("left out: the run had an error and there is no answer", self.name)
                return None
            self.noticed.add("the run reports an error", self.name)
        made = {key: value for key, value in values.items() if key not in _FROM_RUN}
        if values.get("dimension") == ROBUSTNESS:
            if answers:
                made["original_response"] = answers[0]
            if len(answers) > 1:
                self.noticed.add("several original responses: the first is used", self.name)
            made["responses"] = variants
            units = {len(variants)}
        else:
            made["responses"] = [{"response": answer} for answer in answers] + variants
            units = {len(made["responses"])}
        return made | self._judged(results, units)

    def _fail(self, what: str, value: object) -> None:
        shown_value = None if value is BAD else value
        head = f"item {self.name}: "
        fix = "check that the file is a whole run_result.json"
        self.problems.append(self.table.problem(head + what, fix, row=self.row, value=shown_value))

    def _texts(self, where: str, answers: object) -> list[str]:
        if answers is None or answers is BAD:
            return []
        if not isinstance(answers, list):
            self._fail(f"{where} is {kind_of(answers)}, not a list", answers)
            return []
        texts = []
        for number, answer in enumerate(answers, start=1):
            text = answer.get("response_text") if isinstance(answer, dict) else answer
            if isinstance(text, str):
                texts.append(text)
            elif isinstance(answer, dict) and text is None:
                self.noticed.add("an answer without text is left out", self.name)
            else:
                self._fail(f"{where}: answer {number} is {kind_of(text)}, not a text", text)
        return texts

    def _variants(self, variants: object) -> list[dict[str, str]]:
        if variants is None or variants is BAD:
            return []
        if not isinstance(variants, dict):
            self._fail(f"variant_responses is {kind_of(variants)}, not an object", variants)
            return []
        return [
            {"response": text, "variant_type": str(variant)}
            for variant, answers in variants.items()
            for text in self._texts(f"variant_responses.{variant}", answers)
        ]

    def _results(self, results: object) -> list[dict[str, Any]]:
        if results is None or results is BAD:
            return []
        if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
            self._fail("judge_results is not a list of objects", results)
            return []
        own = self.row.values.get("dimension")
        kept = [result for result in results if result.get("dimension") in (None, own)]
        if len(kept) < len(results):
            self.noticed.add("judge results of another dimension are left out", self.name)
        return kept

    def _judged(self, results: list[dict[str, Any]], units: set[int]) -> dict[str, Any]:
        """Return the judge's fields: one headline judge, or `judgements` where several models judged."""
        by_judge: dict[str, list[dict[str, Any]]] = {}
        for result in results:
            metadata = result.get("metadata")
            judge = metadata.get("judge_model") if isinstance(metadata, dict) else None
            by_judge.setdefault(str(judge or ""), []).append(result)
        judgements = []
        for judge, single in by_judge.items():
            scored = [result for result in single if _parsed(result)]
            if len(scored) < len(single):
                self.noticed.add("judge results without a score are left out", self.name)
            texts = [r["justification"] for r in scored if isinstance(r.get("justification"), str)]
            judgements.append(
                {
                    "judge": judge,
                    "scores": [result["score"] for result in scored],
                    # one result per answer: then their spread is the chatbot's, not the judge's
                    "unit": "response" if len(single) > 1 and len(single) in units else "set",
                    "justification": "\n\n".join(dict.fromkeys(text for text in texts if text.strip())),
                }
            )
        if len(judgements) > 1:
            return {"judgements": [{**j, "judge": j["judge"] or "judge"} for j in judgements]}
        return {
            key: value
            for j in judgements
            for key, value in (
                ("judge_model", j["judge"]),
                ("judge_scores", j["scores"]),
                ("judge_unit", j["unit"] if j["scores"] else None),
                ("judge_justification", j["justification"]),
            )
            if value
        }


def _parsed(result: dict[str, Any]) -> bool:
    """Return whether a judge result has a score that was read from the judge's answer."""
    metadata = result.get("metadata")
    method = metadata.get("parse_method") if isinstance(metadata, dict) else None
    return result.get("score") is not None and str(method).casefold() not in _UNPARSED
