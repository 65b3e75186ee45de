"""Killing runs at random moments and starting them again, with a server that counts what it is asked.

As a program: `python -m tests.judging.killing --runs 50 --calls 200`. Prints what happened as JSON. This process has
one thread, so that each run can be a fork of it: imports are paid for once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.judging.fake_server import server_process
from toolkit.jobs.judge import Order, judge
from toolkit.judging.limits import Limits
from toolkit.judging.panel import JudgeSpec, PanelFile
from toolkit.rubrics import default_rubric

CONCURRENCY = 8
RUBRIC = default_rubric("en")


def one_run(source: Path, store: Path, out: Path, root: str) -> None:
    """What `toolkit judge` does, in a process of its own that ends without cleaning up."""
    spec = JudgeSpec(provider="openai", model="m", base_url=root + "/v1")
    order = Order(source, PanelFile(judges=(spec,)), RUBRIC, "en", limits=Limits(concurrency=CONCURRENCY))
    try:
        judge(order, out, store, force=True)
    except BaseException as error:
        sys.stderr.write(f"{error!r}\n")
        os._exit(1)
    os._exit(0)


def forked(*arguments: Any) -> int:
    process = os.fork()
    if not process:
        one_run(*arguments)
    return process


def stored(store: Path) -> tuple[set[str], set[str]]:
    """Return the items with an answer in the store, and those whose calls went out without an outcome."""
    if not store.exists():
        return set(), set()
    with closing(sqlite3.connect(store)) as base:
        if not base.execute("SELECT 1 FROM sqlite_master WHERE name = 'outcome'").fetchone():
            return set(), set()
        rows = base.execute("SELECT item_id, ok FROM attempt LEFT JOIN outcome ON attempt = id").fetchall()
    return {item for item, ok in rows if ok}, {item for item, ok in rows if ok is None}


def counts(root: str, marker: str) -> dict[str, int]:
    """Return how often the server was asked about each item of a run."""
    with urllib.request.urlopen(root + "/log") as answer:
        log = json.load(answer)
    found: dict[str, int] = {}
    for prompt, count in log.items():
        if marker in prompt:
            found[prompt.split(marker)[1].split(".")[0]] = count
    return found


def files(folder: Path, name: str, calls: int) -> tuple[Path, Path, Path]:
    """Write a sample whose prompts carry their item's name; return it, a store and an output."""
    source, store, out = (folder / f"{name}.{suffix}" for suffix in ("jsonl", "sqlite", "judged.jsonl"))
    record = {"dimension": "factual", "ground_truth": "g", "response": "r"}
    lines = [{"item_id": str(place), "prompt": f"{name}-{place}.", **record} for place in range(calls)]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return source, store, out


def unkilled(folder: Path, calls: int, root: str) -> float:
    """Return the seconds that a run takes which nobody kills."""
    started = time.monotonic()
    os.waitpid(forked(*files(folder, "whole", calls), root), 0)
    return time.monotonic() - started


def killed_run(folder: Path, number: int, calls: int, root: str, whole: float) -> dict[str, Any]:
    """Run over some items, killed until it gets to its end; return what happened."""
    marker = f"R{number}-"
    source, store, out = files(folder, f"R{number}", calls)
    kills, lost, asked_again, under_way = 0, 0, 0, 0
    before: set[str] = set()
    while True:
        asked = counts(root, marker)
        process = forked(source, store, out, root)
        if kills < 3:
            time.sleep(random.uniform(0.01, whole))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        now = counts(root, marker)
        # an answer that was stored is never asked for again
        asked_again += sum(now[item] > asked.get(item, 0) for item in before)
        answered, open_calls = stored(store)
        lost += len(before - answered)
        before = answered
        if not os.WIFSIGNALED(status):
            under_way += len(open_calls)
            assert os.WEXITSTATUS(status) == 0
            break
        kills += 1
    scored = [json.loads(line)["judge_score"] for line in out.read_text().splitlines()]
    repeated = {item for item, count in now.items() if count > 1}
    return {
        "kills": kills,
        "answers": len(before),
        "records": sum(score is not None for score in scored),
        "stored_answers_lost": lost,
        "stored_answers_asked_again": asked_again,
        "asked": sum(now.values()),
        "repeated": len(repeated),
        # a call repeated must be one that had gone out when the run was killed, and is known as such
        "repeated_without_being_under_way": len(repeated - open_calls),
    }


def killed_runs(runs: int, calls: int) -> dict[str, Any]:
    """Return the sums over several runs."""
    total: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, server_process(0.002) as root:
        whole = unkilled(Path(folder), calls, root)
        started = time.monotonic()
        for number in range(runs):
            found = killed_run(Path(folder), number, calls, root, whole * 0.6)
            assert found["answers"] == found["records"] == calls, found
            total = {name: total.get(name, 0) + value for name, value in found.items()}
    return total | {"runs": runs, "calls": calls, "seconds": round(time.monotonic() - started, 1)}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=50)
    options.add_argument("--calls", type=int, default=200)
    chosen = options.parse_args()
    sys.stdout.write(json.dumps(killed_runs(chosen.runs, chosen.calls), indent=1) + "\n")


if __name__ == "__main__":
    main()
