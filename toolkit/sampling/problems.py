"""Conditions that make a record a problem case, as SQL over the log's own columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from toolkit.model import Scale
from toolkit.sampling.columns import Columns, quoted
from toolkit.sampling.logs import Log
from toolkit.sampling.query import Flag

LOW_CONFIDENCE = 0.5
FAR_APART = 2
UNUSUAL = 2.0
LISTS = ("judge_scores", "judgements")


def built_in(log: Log, scale: Scale, *, judges: Sequence[str] = (), metrics: Sequence[str] = ()) -> list[Flag]:
    """Return the toolkit's own conditions, as far as the log has the columns.

    - `no judge score`: the judge failed;
    - `low confidence`: the judge's stated confidence is below 0.5;
    - `judges apart`: two of the `judge_scores`, or of the scores in `judgements`, of one item differ by two points or
      more (files and DuckDB only: other engines write lists in ways of their own);
    - `judges apart (columns)`: the same of the judge's score and the scores in the columns `judges`;
    - `METRIC disagrees`: a metric is more than two standard deviations from what usually goes with the judge's score
      in this log (its residual from the least-squares line, whichever way the line runs), for each of `metrics`;
    - `unusual length`: the answer's length is more than two standard deviations (of its logarithm) from the mean.

    The last two cost a scan each.
    """
    columns = log.columns
    found = []
    if score := columns.find("judge_score"):
        found.append(Flag("no judge score", f"NOT {columns.scored()}", (score,)))
    if confidence := columns.find("judge_confidence"):
        sql = f"{columns.number('judge_confidence')} < {LOW_CONFIDENCE!r}"
        found.append(Flag("low confidence", sql, (confidence,)))
    if (scores := columns.find("judge_scores")) and log.embedded:
        found.append(Flag("judges apart", _apart(f"TRY_CAST({columns.text('judge_scores')} AS DOUBLE[])"), (scores,)))
    if (several := columns.find("judgements")) and log.embedded:
        raw = quoted(several)
        nested = columns.kind == "typed" and columns.types[several] not in ("VARCHAR", "JSON")
        listed = f"TO_JSON({raw})" if nested else f"TRY_CAST({raw} AS JSON)"
        sql = _apart(f"TRY_CAST(JSON_EXTRACT_STRING({listed}, '$[*].score') AS DOUBLE[])")
        found.append(Flag("judges apart (judgements)", sql, (several,)))
    if judges:
        found.append(_columns_apart(columns, judges))
    for metric in metrics:
        found += _disagrees(log, scale, metric)
    for field in ("response", "responses"):
        if column := columns.find(field):
            found += _unusual(log, columns, field, column)
            break
    return found


def unseen(log: Log) -> list[str]:
    """Return the columns with several judges' scores that cannot be compared where the log is."""
    return [] if log.embedded else [name for name in LISTS if log.columns.find(name)]


def _apart(scores: str) -> str:
    return f"LIST_MAX({scores}) - LIST_MIN({scores}) >= {FAR_APART}"


def _columns_apart(columns: Columns, judges: Sequence[str]) -> Flag:
    names = [name for name in dict.fromkeys(("judge_score", *judges)) if columns.find(name)]
    # pair by pair: what GREATEST makes of a missing score differs from engine to engine
    pairs = [
        f"COALESCE(ABS({_finite(columns.number(a))} - {_finite(columns.number(b))}) >= {FAR_APART}, FALSE)"
        for a, b in combinations(names, 2)
    ]
    read = tuple(column for name in names if (column := columns.find(name)))
    return Flag("judges apart (columns)", " OR ".join(pairs) or "FALSE", read)


def _disagrees(log: Log, scale: Scale, metric: str) -> Iterator[Flag]:
    columns = log.columns
    score, value = columns.score(scale), _finite(columns.number(metric))
    read = tuple(column for name in ("judge_score", metric) if (column := columns.find(name)))
    inner = f"SELECT {score} AS t_x, {value} AS t_y FROM {log.relation(columns.read_as(read))} AS t_log"
    both = f"SELECT t_x, t_y FROM ({inner}) AS t_pairs WHERE t_x IS NOT NULL AND t_y IS NOT NULL"
    figures = "AVG(t_x), STDDEV_SAMP(t_x), AVG(t_y), STDDEV_SAMP(t_y), CORR(t_x, t_y)"
    mean_x, spread_x, mean_y, spread_y, r = log.run(f"SELECT {figures} FROM ({both}) AS t_both")[0]
    if not spread_x or not spread_y or r is None:
        return
    slope = float(r) * float(spread_y) / float(spread_x)
    residual = float(spread_y) * max(0.0, 1 - float(r) ** 2) ** 0.5
    if residual > 1e-9 * float(spread_y):
        line = f"({float(mean_y)!r} + {slope!r} * ({score} - {float(mean_x)!r}))"
        yield Flag(f"{metric} disagrees", f"ABS({value} - {line}) > {UNUSUAL * residual!r}", read)


def _finite(number: str) -> str:
    # NaN is above or equal to nothing, whatever the engine
    return f"CASE WHEN {number} > -1e300 AND {number} < 1e300 THEN {number} END"


def _unusual(log: Log, columns: Columns, field: str, column: str) -> list[Flag]:
    length = f"LN(LENGTH({columns.text(field)}))"
    inner = f"SELECT {length} AS t_length FROM {log.relation(columns.read_as([column]))} AS t_log"
    mean, deviation = log.run(f"SELECT AVG(t_length), STDDEV_SAMP(t_length) FROM ({inner}) AS t_lengths")[0]
    if mean is None or not deviation:
        return []
    sql = f"ABS({length} - {float(mean)!r}) > {UNUSUAL * float(deviation)!r}"
    return [Flag("unusual length", sql, (column,))]
