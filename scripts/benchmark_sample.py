"""How long `toolkit sample` takes on ten million rows, beside bare DuckDB scans of the same columns.

    python scripts/benchmark_sample.py [ROWS]

For Parquet, CSV and JSON Lines (5 GB in a temporary folder). Every run is a process of its own, so that its peak memory
is its own. Three bare scans are printed, because they mean different things: one reads the columns and groups them, the
second also computes the hash that puts every record into its place, which no selection by hash order can do without,
and the third looks for a few whole records by their identifiers. The last two together are the least that any sample
costs that looks at every record once and then reads the chosen ones, wherever copies of them lie.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 10_000_000
RUNS = 3
KINDS = ("parquet", "csv", "jsonl")
MAKE = """COPY (
    SELECT 'item-' || i AS item_id, ['factual', 'consistency', 'robustness'][1 + i % 3] AS dimension,
        'model-' || (i % 7) AS model, (1 + hash(i) % 5)::DOUBLE AS judge_score,
        'What about case number ' || (i % 1000000) || ' of this kind?' AS prompt,
        repeat('an answer of some length ', 4) || i AS response
    FROM range({rows}) t(i)) TO '{path}' (FORMAT {format})"""
COLUMNS = "{'item_id': 'VARCHAR', 'dimension': 'VARCHAR', 'model': 'VARCHAR', 'judge_score': 'DOUBLE'%s}"
TEXTS = ", 'prompt': 'VARCHAR', 'response': 'VARCHAR'"
SOURCES = {
    "parquet": "'{path}'",
    "csv": "read_csv('{path}', header = true, auto_detect = false, columns = " + COLUMNS % TEXTS + ")",
    "jsonl": "read_json('{path}', format = 'newline_delimited', columns = " + COLUMNS % "{more}" + ")",
}
BARE = {
    "grouped": "SELECT dimension, model, COUNT(*), MAX(item_id), SUM(judge_score) FROM {source} GROUP BY ALL",
    "hashed": "SELECT dimension, model, COUNT(*), MAX(MD5(CONCAT('42|', item_id, '|', dimension))), SUM(judge_score) "
    "FROM {source} GROUP BY ALL",
    "fetched": "SELECT * FROM {source} WHERE item_id IN ("
    + ", ".join(f"'item-{place}'" for place in range(0, 210_000, 1_000))
    + ")",
}


def run(what: str, path: str) -> None:
    from toolkit.model import Scale
    from toolkit.sampling.files import connect, open_files

    if what == "sample":
        from toolkit.jobs.sample import Wanted, sample

        out = Path(path).with_name("sample.jsonl")
        start = clocks()
        wanted = Wanted(by=("dimension", "model"), per_stratum=10)
        sample(open_files([path]), wanted, out, scale=Scale(), seed=42, force=True)
    else:
        connection = connect(str(Path(path).parent))
        source = SOURCES[Path(path).suffix[1:]].replace("{path}", path)
        source = source.replace("{more}", TEXTS if what == "fetched" else "")
        start = clocks()
        connection.execute(BARE[what].format(source=source)).fetchall()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds, cpu = (now - then for now, then in zip(clocks(), start, strict=True))
    print(f"{seconds:.3f} {cpu:.3f} {peak:.0f}")


def clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def main() -> None:
    import duckdb

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / f"log.{kind}")
            duckdb.connect().execute(MAKE.format(rows=rows, path=path, format="json" if kind == "jsonl" else kind))
            compare(kind, path)


def compare(kind: str, path: str) -> None:
    best: dict[str, list[float]] = {}
    for _ in range(RUNS):
        for what in (*BARE, "sample"):
            command = [sys.executable, __file__, "--run", what, path]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            figures = list(map(float, printed))
            best[what] = list(map(min, best.get(what, figures), figures))
    for what, (seconds, cpu, peak) in best.items():
        print(f"{kind:8}{what:8} {seconds:6.2f} s  (processor {cpu:5.2f} s)  peak {peak:4.0f} MB")
    for parts in (["grouped"], ["hashed"], ["hashed", "fetched"]):
        times = [best["sample"][place] / sum(best[what][place] for what in parts) for place in (0, 1)]
        print(f"{kind:8}sample / {' + '.join(parts)} scan: {times[0]:.2f}  (processor {times[1]:.2f})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        main()
