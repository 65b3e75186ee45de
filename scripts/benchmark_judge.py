"""Time a run of judge calls against a bare httpx2 loop, on a server of our own on loopback.

run      `toolkit judge` without its command line: prompts, provider, limits, every answer stored before the next call
bare     as many tasks that post the same bodies and read the JSON, and do nothing else

Run: python scripts/benchmark_judge.py [--calls 1000] [--concurrency 16] [--latency 0.05] [--rounds 3]
     python scripts/benchmark_judge.py --kill 50      kill -9 at random moments, runs of 200 calls, and what was lost
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import httpx2

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.judging.fake_server import server_process
from tests.judging.fakes import items, setup
from tests.judging.killing import killed_runs
from toolkit.judging.limits import Limits
from toolkit.judging.plan import Judge
from toolkit.judging.provider import Request
from toolkit.judging.providers import ProviderSpec, make_provider
from toolkit.judging.session import calls_for, judge_items
from toolkit.judging.store import Store


def judged(root: str, calls: int, concurrency: int) -> float:
    provider = make_provider(ProviderSpec("openai", "m", root + "/v1"))
    chosen = setup(Judge("m", provider), limits=Limits(concurrency=concurrency))
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with Store(Path(folder) / "store") as store:
            session = asyncio.run(judge_items(items(calls), chosen, store))
        taken = time.perf_counter() - started
    assert session.tally.answered == calls
    return taken


def bodies(root: str, calls: int) -> list[dict[str, object]]:
    provider = make_provider(ProviderSpec("openai", "m", root + "/v1"))
    requests: list[Request] = [call.request for call in calls_for(items(calls), Judge("m", provider), setup())]
    return [provider.body(request) for request in requests]  # type: ignore[attr-defined]


def bare(root: str, wanted: list[dict[str, object]], concurrency: int) -> float:
    async def loop() -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=64)
        async with httpx2.AsyncClient(base_url=root + "/v1", timeout=60, limits=limits) as client:
            queue = iter(wanted)

            async def work() -> None:
                for body in queue:
                    response = await client.post("/chat/completions", json=body)
                    assert response.json()["choices"]

            await asyncio.gather(*(work() for _ in range(concurrency)))

    started = time.perf_counter()
    asyncio.run(loop())
    return time.perf_counter() - started


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--calls", type=int, default=1000)
    options.add_argument("--concurrency", type=int, default=16)
    options.add_argument("--latency", type=float, default=0.05)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--kill", type=int, default=0, metavar="RUNS")
    chosen = options.parse_args()
    if chosen.kill:
        print(json.dumps(killed_runs(chosen.kill, 200), indent=1))
        return
    with server_process(chosen.latency) as root:
        wanted = bodies(root, chosen.calls)
        judged(root, 50, chosen.concurrency)
        ratios = []
        for _ in range(chosen.rounds):
            before = time.process_time()
            loop = bare(root, wanted, chosen.concurrency)
            between = time.process_time()
            run = judged(root, chosen.calls, chosen.concurrency)
            spent = f"processor {between - before:.2f} s and {time.process_time() - between:.2f} s"
            ratios.append(run / loop)
            print(f"bare {loop:.2f} s, run {run:.2f} s, ratio {run / loop:.2f} ({spent})")
    print(f"{chosen.calls} calls, {chosen.concurrency} at once, server takes {chosen.latency * 1000:.0f} ms: ", end="")
    print(f"median ratio {sorted(ratios)[len(ratios) // 2]:.2f}")


if __name__ == "__main__":
    main()
