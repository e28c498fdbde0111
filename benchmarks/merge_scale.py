"""Time and memory of stridewise-merge on synthetic shards: by default 64 ranks with 50,000 events each.

    python3 benchmarks/merge_scale.py [--ranks N] [--events N] [--merge PROGRAM]
    python3 benchmarks/merge_scale.py --tables [--ranks 10000] [--paths 200]
    python3 benchmarks/merge_scale.py --summaries [--ranks 100000] [--paths 200]
    python3 benchmarks/merge_scale.py --report [--ranks N] [--events N]

With `--tables` the ranks have few events and large tables: so many call paths, a twentieth of them on that rank
alone, and partners without a pattern. With `--summaries` the ranks have left one summary for each 1024 of them, with
two totals on each call path. With `--report` it is the page of the run that is made, merging included. Else the
program is a periodic halo exchange (Irecv, Isend, Waitall in two directions), an element-wise part and a barrier in
each step, so that matching, barrier graph, chains and bursts all have work.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP), str(TOP / "tests")]

from merge import shard_files as shards  # noqa: E402
from stridewise.settings import toolchain  # noqa: E402

CALLS = ("MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Send", "MPI_Recv", "MPI_Barrier")
GROUP = 1024  # ranks of a summary
CELLS = 8  # element-wise messages in a step


def numbers() -> dict[str, int]:
    """Numbers of the calls as the interposer writes them."""
    table = tomllib.loads((TOP / "pmpi_wrappers" / "mpi_calls.toml").read_text(encoding="utf-8"))
    return {row["name"]: row["index"] for row in table["call"] if "index" in row}


def events(rank: int, size: int, count: int, call: dict[str, int]) -> bytearray:
    """Events of one rank; all ranks are in step, with small differences in time."""
    out = bytearray()
    left, right = (rank - 1) % size, (rank + 1) % size
    pack = shards.EVENT.pack
    now, request, seq = 1_000_000 + rank, 0, 0
    isend, irecv, wait = call["MPI_Isend"], call["MPI_Irecv"], call["MPI_Waitall"]
    per_step = 9 + 2 * CELLS + 1
    for step in range(count // per_step):
        now += 20_000 + (rank * 7919 + step * 104729) % 5000
        requests = []
        for tag, (source, target) in enumerate(((left, right), (right, left))):
            for flags, number, peer in ((shards.RECV, irecv, source), (shards.SEND, isend, target)):
                request += 1
                requests.append((flags, peer, tag, request))
                out += pack(
                    now, now + 500, flags | shards.START, number, 0, number, 0, peer, tag, step, 4096, request, 64, 0
                )
                now += 600
        for flags, peer, tag, serial in requests:
            out += pack(
                now, now + 9000, flags | shards.COMPLETE, wait, 0, wait, 0, peer, tag, step, 4096, serial, 64, 0
            )
        out += pack(now, now + 9000, shards.WAIT, wait, 0, wait, shards.NO_COMM, -1, 0, 0, 0, 0, 0, 0)
        now += 9100
        cells = [(shards.SEND, "MPI_Send", right), (shards.RECV, "MPI_Recv", left)]
        for flags, name, peer in cells if rank % 2 == 0 else reversed(cells):
            for cell in range(CELLS):
                out += pack(
                    now,
                    now + 1000,
                    flags,
                    call[name],
                    0,
                    call[name],
                    0,
                    peer,
                    7,
                    seq + cell,
                    72,
                    0,
                    4096 + 72 * cell,
                    0,
                )
                now += 1100
        seq += CELLS
        flags = shards.COLLECTIVE | shards.BARRIER | shards.FULL_SYNC
        entered = now
        now = 1_000_000 + (step + 1) * 80_000
        number = call["MPI_Barrier"]
        out += pack(min(entered, now - 1), now, flags, number, 0, number, 0, -1, 0, step, 0, 0, 0, 0)
    return out


UNIQUE_SHARE = 0.05  # of a rank's call paths
SENDING = ("MPI_Isend", "MPI_Send", "MPI_Sendrecv")


def large_table(rank: int, size: int, paths: int, call: dict[str, int]) -> tuple[bytes, bytes]:
    """Call paths and totals of one rank: most paths are everybody's; each sends to a few ranks, drawn at random."""
    draw = random.Random(rank)
    unique = round(UNIQUE_SHARE * paths)
    path_bytes, table = bytearray(), bytearray()
    for path in range(paths):
        own = path >= paths - unique
        site = shards.BASE + 16 * (path if not own else 4096 + rank * unique + path)
        path_bytes += shards.PATH.pack(3, 0, site, shards.BASE + 8 * path, shards.BASE, *[0] * 5)
        name = SENDING[path % len(SENDING)] if path % 4 == 0 else CALLS[path % len(CALLS)]
        peers = [draw.randrange(size) for _ in range(2)] if name in SENDING else [-1]
        for peer in peers:
            total = draw.randrange(10, 1000)
            burst = total if name == "MPI_Send" else 0
            table += shards.STATS.pack(
                total, total * 1000, 9000, total * 72, call[name], 7, path, 0, peer, 0, 0,
                burst // CELLS, CELLS if burst else 0, burst * 1000, burst, 0, 0,
            )  # fmt: skip
    return bytes(path_bytes), bytes(table)


def shard(rank: int, size: int, count: int, call: dict[str, int], table_paths: int = 0) -> bytes:
    data = events(rank, size, count, call)
    recorded = len(data) // shards.EVENT.size
    paths = max(call.values()) + 1
    table: bytes | bytearray = bytearray()
    for name in CALLS:
        sends = name == "MPI_Send"
        total = recorded // 3
        table += shards.STATS.pack(
            total, total * 1000, 9000, total * 72, call[name], 7, call[name], 0, -1, 0, 0,
            total // CELLS if sends else 0, CELLS if sends else 0, total * 1000 if sends else 0, total if sends else 0,
            0, 0,
        )  # fmt: skip
    path_bytes = b"".join(shards.PATH.pack(1, 0, shards.BASE + 16 * p, *[0] * 7) for p in range(paths))
    if table_paths:
        path_bytes, table = large_table(rank, size, table_paths, call)
    sections = [
        (shards.EVENTS_KIND, shards.EVENT.size, bytes(data)),
        (shards.TABLE_KIND, shards.STATS.size, bytes(table)),
        (shards.PATHS_KIND, shards.PATH.size, path_bytes),
        (shards.COMMS_KIND, shards.COMM.size, shards.COMM.pack(1, size, rank, (1 << 64) - 1, 0)),
        (
            shards.MODULES_KIND,
            shards.MODULE.size,
            shards.MODULE.pack(shards.BASE, shards.BASE + 0x10000000, 0, b"\1" * 20, 20, b"/opt/app/solver"),
        ),
    ]
    return shards.assemble(
        sections,
        rank=rank,
        size=size,
        recorded=recorded,
        head=recorded // 2,
        seconds=recorded * 4e-6,
        mpi_ticks=recorded,
    )


def group(first: int, size: int, paths: int) -> bytes:
    ranks = range(first, min(size, first + GROUP))
    entries = [
        shards.Reduced(name, path, {rank: 1e-3 * (rank % 7 + 1) for rank in ranks}, burst=burst)
        for path in range(paths)
        for name, burst in (("MPI_Send", CELLS), ("MPI_Recv", 0))
    ]
    most = [
        (1000 + path, 72_000, path, name, path % 64, len(ranks))
        for path in range(paths)
        for name in ("MPI_Send", "MPI_Recv")
    ]
    return shards.summary(ranks, entries, paths, size=size, wall=100.0, mpi=10.0, most=most)


def main() -> int:
    parser = argparse.ArgumentParser(description="measures stridewise-merge on synthetic shards")
    parser.add_argument("--tables", action="store_true", help="many ranks with large tables and few events")
    parser.add_argument("--summaries", action="store_true", help="one shard for each 1024 ranks")
    parser.add_argument("--report", action="store_true", help="the page of the run (stridewise report --format html)")
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--events", type=int, help="per rank")
    parser.add_argument("--paths", type=int, default=200, help="call paths per rank, with --tables")
    parser.add_argument("--merge", default=os.environ.get("STRIDEWISE_MERGE"), help="the program to measure")
    options = parser.parse_args()
    ranks = options.ranks or (100_000 if options.summaries else 10_000 if options.tables else 64)
    count = options.events if options.events is not None else 30 if options.tables else 50_000
    count = 0 if options.summaries else count
    program = options.merge or str(toolchain.merger())
    call = numbers()
    shards.CALLS.update(call)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "out" / "mpi"
        folder.mkdir(parents=True)
        for first in range(0, ranks, GROUP) if options.summaries else ():
            path = folder / f"shard.1.group{first}.swshard"
            path.write_bytes(group(first, ranks, options.paths))
        for rank in () if options.summaries else range(ranks):
            path = folder / f"shard.1.{rank}.swshard"
            path.write_bytes(shard(rank, ranks, count, call, options.paths if options.tables else 0))
        size = sum(path.stat().st_size for path in folder.iterdir())
        page, trace = Path(scratch) / "page.html", folder / "trace.json"
        made = [sys.executable, "-m", "stridewise", "report", str(folder.parent), "--format", "html", "-o", str(page)]
        what, left = ("report", page) if options.report else ("merge", trace)
        begin = time.monotonic()
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        process = subprocess.Popen(made if options.report else [program, str(folder)], env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        print(
            f"{what}: {ranks} ranks x {count} events ({size / 2**20:.0f} MiB): {seconds:.2f} s "
            f"({usage.ru_utime + usage.ru_stime:.2f} s of processor), "
            f"{usage.ru_maxrss / 1024:.0f} MiB peak, {left.name} {left.stat().st_size / 2**10:.0f} KiB"
        )
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
