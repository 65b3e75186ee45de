"""A log that grows changes few picks, whatever the allocation; and the selection is what plain Python says."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.sampling.logs import records, write_jsonl
from tests.sampling.test_sample import draw, ids
from toolkit.model import Scale
from toolkit.sampling.files import open_files
from toolkit.sampling.query import OK, Ask, groups, hash_of

GROWTH = 0.1


def grown(seed: int, n: int = 600) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A log with strata of 6 : 3 : 1, and records of the same make that join it."""
    rng = random.Random(seed)
    rows = [
        row | {"item_id": f"{seed}-{i}", "model": rng.choices("abc", (6, 3, 1))[0], "judge_score": rng.randint(1, 5)}
        for i, row in enumerate(records(round(n * (1 + GROWTH)), ("factual",)))
    ]
    return rows[:n], rows[n:]


@pytest.mark.parametrize("how", ["equal", "proportional", "neyman", "targets"])
def test_a_growing_log_changes_few_picks(how: str, tmp_path: Path) -> None:
    """Two causes push a pick out, and no third exists.

    A stratum's first n_h records in hash order lose one place to each newcomer that hashes below the last of them: at
    most the number of new picks from that stratum. And the allocation may move: a stratum whose n_h falls by d loses
    d more. So stratum by stratum, lost <= newcomers among the picks + fall of n_h: that holds always. How many
    newcomers there are is hypergeometric: a share f / (1 + f) of the picks on average, 60 * 0.1 / 1.1 = 5.5 a seed,
    27.3 in five seeds with a deviation below 5.3, so four deviations bound it by 49 of 300.
    """
    targets = tmp_path / "targets.csv"
    targets.write_text("model,n\na,30\nb,20\nc,10\n")
    wanted: dict[str, Any] = {"targets": targets} if how == "targets" else {"total": 60, "allocation": how}
    newcomers, picks = 0, 0
    for seed in range(5):
        rows, more = grown(seed)
        before = draw(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / "s.jsonl", seed, by=("model",), **wanted)
        after = draw(
            write_jsonl(tmp_path / "b.jsonl", rows + more), tmp_path / "s.jsonl", seed, by=("model",), **wanted
        )
        fresh = {row["item_id"] for row in more}
        n_before, n_after = (Counter(r["model"] for r in done.records) for done in (before, after))
        for model in "abc":
            old, new = (set(ids(done)) & _of(done.records, model) for done in (before, after))
            joined = len(new & fresh)
            assert len(old - new) <= joined + max(0, n_before[model] - n_after[model])
            assert len(new - old - fresh) <= max(0, n_after[model] - n_before[model])
        newcomers += len(set(ids(after)) & fresh)
        picks += len(after.records)
    share = GROWTH / (1 + GROWTH)
    assert newcomers <= picks * share + 4 * math.sqrt(picks * share * (1 - share))
    assert newcomers > 0


def _of(found: Any, model: str) -> set[str]:
    return {record["item_id"] for record in found if record["model"] == model}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [".jsonl", ".csv"])
def test_the_engine_counts_and_chooses_as_plain_python_does(seed: int, kind: str, tmp_path: Path) -> None:
    """One huge stratum, a rare one and none; identifiers twice, blank and spaced; scores that are none."""
    rng = random.Random(seed)
    rows = [
        {
            "item_id": rng.choice(["", " ", "ação", "a|b"]) if rng.random() < 0.1 else f"i{rng.randrange(400)} ",
            "dimension": rng.choice(["d", " d", "e", ""]),
            "model": rng.choice(["m"] * 60 + ["rare", ""]),
            "judge_score": rng.choice(["", "1", "4 ", "4,5", "5.0", "6", "x", "nan", "1e0", "0x4", "04", "2.00"]),
        }
        for _ in range(500)
    ]
    path = tmp_path / f"log{kind}"
    if kind == ".jsonl":
        write_jsonl(path, rows)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    counts: Counter[Any] = Counter()
    hashes: dict[Any, list[str]] = {}
    scores = {"": None, "1": 1, "4 ": 4, "4,5": 5, "5.0": 5, "1e0": 1, "04": 4, "2.00": 2}  # levels: halves go up
    for row in rows:
        item, dimension = row["item_id"].strip(), row["dimension"].strip()
        level = scores.get(row["judge_score"])
        status = "no item_id" if not item else OK if row["judge_score"] in scores else "judge score"
        key = (dimension or "(missing)", row["model"] or "(missing)"), status, level
        counts[key] += 1
        hashes.setdefault(key, []).append(hash_of(seed, item, dimension or None))
    log, ask = open_files([str(path)]), Ask(scale=Scale(), seed=seed, by=("dimension", "model"))
    found = groups(log, ask, 7)
    assert {(g.by, g.status, g.level): g.n for g in found} == counts
    for g in found:
        expected = sorted(hashes[g.by, g.status, g.level])[:7] if g.status == OK else []
        assert [c.hash for c in g.candidates] == expected
        assert all(c.hash == hash_of(seed, c.item_id, c.dimension) for c in g.candidates)
    bare = {replace(g, candidates=()) for g in found}
    assert set(groups(log, ask)) == bare


def test_what_needs_no_candidates_hashes_nothing(tmp_path: Path) -> None:
    log = open_files([str(write_jsonl(tmp_path / "log.jsonl", records()))])
    asked: list[str] = []

    def run(sql: str) -> Any:
        asked.append(sql)
        return log.run(sql)

    ask = Ask(scale=Scale(), seed=1, by=("model",))
    for away in (True, False):
        assert sum(g.n for g in groups(replace(log, run=run, embedded=not away), ask)) == 120
    assert len(asked) == 2
    assert not any("md5(" in str(log.run(f"EXPLAIN {sql}")).casefold() for sql in asked)


def test_prompts_that_several_chosen_records_share_are_said(tmp_path: Path) -> None:
    rows = [row | {"prompt": f" question {i // 2}"} for i, row in enumerate(records(40, ("factual",)))]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    said = [w for w in draw(log, tmp_path / "s.jsonl", per_stratum=40).warnings if "--unlike" in w]
    assert len(said) == 1
    assert said[0].startswith("40 of the 40 chosen records share their prompt with another of their dimension (20 ")
    once = draw(log, tmp_path / "s.jsonl", per_stratum=40, similarity=1.0)
    assert not any("--unlike" in warning for warning in once.warnings)
    apart = [row | {"dimension": "ab"[i % 2]} for i, row in enumerate(rows)]
    assert not draw(write_jsonl(log, apart), tmp_path / "s.jsonl", per_stratum=20).warnings
