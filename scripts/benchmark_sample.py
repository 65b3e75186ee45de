"""How long `toolkit sample` takes on ten million rows, beside bare DuckDB scans of the same columns.

    python scripts/benchmark_sample.py [ROWS]

Every run is a process of its own, so that its peak memory is its own. Two bare scans are printed, because they mean
different things: one reads the columns and groups them, the other also computes the hash that puts every record into
its place, which no engine-independent selection can do without: MD5 alone takes about as long as four bare scans.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 10_000_000
MAKE = """COPY (
    SELECT 'item-' || i AS item_id, ['factual', 'consistency', 'robustness'][1 + i % 3] AS dimension,
        'model-' || (i % 7) AS model, (1 + hash(i) % 5)::DOUBLE AS judge_score,
        'What about case number ' || (i % 1000000) || ' of this kind?' AS prompt,
        repeat('an answer of some length ', 4) || i AS response
    FROM range({rows}) t(i)) TO '{path}'"""
GROUPED = "SELECT dimension, model, COUNT(*), MAX(item_id), SUM(judge_score) FROM '{path}' GROUP BY ALL"
HASHED = "SELECT dimension, model, COUNT(*), MAX(MD5('42|' || item_id || '|' || dimension)) FROM '{path}' GROUP BY ALL"


def run(what: str, path: str) -> None:
    from toolkit.model import Scale
    from toolkit.sampling.files import connect, open_files

    if what == "sample":
        from toolkit.jobs.sample import Wanted, sample

        out = Path(path).with_name("sample.jsonl")
        start = time.perf_counter()
        wanted = Wanted(by=("dimension", "model"), per_stratum=10)
        sample(open_files([path]), wanted, out, scale=Scale(), seed=42, force=True)
    else:
        connection = connect(str(Path(path).parent))
        start = time.perf_counter()
        connection.execute((GROUPED if what == "grouped" else HASHED).format(path=path)).fetchall()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.perf_counter() - start:.3f} {time.process_time():.3f} {peak:.0f}")


def main() -> None:
    import duckdb

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "log.parquet")
        duckdb.connect().execute(MAKE.format(rows=rows, path=path))
        best: dict[str, tuple[float, ...]] = {}
        for _ in range(3):
            for what in ("grouped", "hashed", "sample"):
                command = [sys.executable, __file__, "--run", what, path]
                printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
                best[what] = min(best.get(what, (1e9,)), tuple(map(float, printed)))
    for what, (seconds, cpu, peak) in best.items():
        print(f"{what:8} {seconds:6.2f} s  (processor {cpu:.2f} s, imports included)  peak {peak:4.0f} MB")
    for what in ("grouped", "hashed"):
        print(f"sample / {what} scan: {best['sample'][0] / best[what][0]:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        main()
