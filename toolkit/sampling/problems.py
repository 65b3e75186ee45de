"""Conditions that make a record a problem case, as SQL over the log's own columns."""

from __future__ import annotations

from toolkit.sampling.columns import Columns, quoted
from toolkit.sampling.logs import Log
from toolkit.sampling.query import Flag

LOW_CONFIDENCE = 0.5
FAR_APART = 2
UNUSUAL = 2.0


def built_in(log: Log) -> list[Flag]:
    """Return the toolkit's own conditions, as far as the log has the columns.

    - `no judge score`: the judge failed;
    - `low confidence`: the judge's stated confidence is below 0.5;
    - `judges apart`: two of the `judge_scores`, or of the scores in `judgements`, of one item differ by two points or
      more (files and DuckDB only: other engines write lists in ways of their own);
    - `unusual length`: the answer's length is more than two standard deviations (of its logarithm) from the mean,
      which costs a scan of the answers.
    """
    columns = log.columns
    found = []
    if score := columns.find("judge_score"):
        found.append(Flag("no judge score", f"NOT {columns.scored()}", score))
    if confidence := columns.find("judge_confidence"):
        sql = f"{columns.number('judge_confidence')} < {LOW_CONFIDENCE!r}"
        found.append(Flag("low confidence", sql, confidence))
    if (scores := columns.find("judge_scores")) and log.embedded:
        found.append(Flag("judges apart", _apart(f"TRY_CAST({columns.text('judge_scores')} AS DOUBLE[])"), scores))
    if (several := columns.find("judgements")) and log.embedded:
        raw = quoted(several)
        nested = columns.kind == "typed" and columns.types[several] not in ("VARCHAR", "JSON")
        listed = f"TO_JSON({raw})" if nested else f"TRY_CAST({raw} AS JSON)"
        sql = _apart(f"TRY_CAST(JSON_EXTRACT_STRING({listed}, '$[*].score') AS DOUBLE[])")
        found.append(Flag("judges apart (judgements)", sql, several))
    for field in ("response", "responses"):
        if column := columns.find(field):
            found += _unusual(log, columns, field, column)
            break
    return found


def _apart(scores: str) -> str:
    return f"LIST_MAX({scores}) - LIST_MIN({scores}) >= {FAR_APART}"


def _unusual(log: Log, columns: Columns, field: str, column: str) -> list[Flag]:
    length = f"LN(LENGTH({columns.text(field)}))"
    inner = f"SELECT {length} AS t_length FROM {log.relation([column])} AS t_log"
    mean, deviation = log.run(f"SELECT AVG(t_length), STDDEV_SAMP(t_length) FROM ({inner}) AS t_lengths")[0]
    if mean is None or not deviation:
        return []
    sql = f"ABS({length} - {float(mean)!r}) > {UNUSUAL * float(deviation)!r}"
    return [Flag("unusual length", sql, column)]
