"""Summaries that stand for the shards of many ranks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import shard_files
from shard_files import NULL, REDUCED, Reduced

from stridewise.catalogue import Rule
from stridewise.patterns import mpi_tiny_messages
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import load

pytestmark = pytest.mark.usefixtures("all_is_stated")

Raw = Callable[..., subprocess.CompletedProcess[str]]
GROUP = 50
RANKS = 2 * GROUP


def group(first: int) -> bytes:
    """Rank r spends r ms more in its sends; the even ranks reduce."""
    ranks = range(first, first + GROUP)
    entries = [
        Reduced("MPI_Send", 0, {rank: 0.01 + 1e-3 * rank for rank in ranks}, count=1000, burst=1000),
        Reduced("MPI_Send", 0, dict.fromkeys(ranks, 1e-6), count=3, size=0, peer=NULL),
        Reduced("MPI_Allreduce", 1 + first // GROUP, {rank: 0.5 for rank in ranks if rank % 2 == 0}),
    ]
    return shard_files.summary(ranks, entries, 3, size=RANKS, wall=2.0, mpi=0.5 if first else 1.0)


def write(folder: Path, *firsts: int) -> Path:
    for first in firsts:
        (folder / f"shard.77.group{first}.swshard").write_bytes(group(first))
    return folder


def merged(folder: Path, merge_raw: Raw) -> Trace:
    done = merge_raw(folder)
    assert done.returncode == 0, done.stderr
    return load(folder / "trace.json")


def test_sums_and_the_ranks_with_the_most(tmp_path: Path, merge_raw: Raw) -> None:
    trace = merged(write(tmp_path, 0, GROUP), merge_raw)
    assert (trace.job.reduced_ranks, trace.job.world_size, len(trace.ranks)) == (RANKS, RANKS, RANKS)
    assert trace.summary.load_balance == pytest.approx(1.25 / 1.5)
    by_call = {(c.call, c.path): c for c in trace.calls}
    send = by_call["MPI_Send", 0]
    assert (send.count, send.nowhere, send.bytes) == (RANKS * 1003, RANKS * 3, RANKS * 8000)
    most = dict(send.seconds)
    assert most[GROUP - 1] == pytest.approx(0.01 + 1e-3 * (GROUP - 1), abs=1e-5)
    assert most[RANKS - 1] == pytest.approx(0.01 + 1e-3 * (RANKS - 1), abs=1e-5)
    # The two groups reduce from places of their own.
    assert [by_call["MPI_Allreduce", path].count for path in (1, 2)] == [GROUP // 2 * 10] * 2


def test_bursts_of_all_ranks(tmp_path: Path, merge_raw: Raw, rules: dict[str, Rule]) -> None:
    trace = merged(write(tmp_path, 0, GROUP), merge_raw)
    (burst,) = trace.bursts
    assert (burst.messages, burst.bursts, burst.longest) == (RANKS * 1000, RANKS, 1000)
    (finding,) = mpi_tiny_messages.detect_mpi(trace, rules["mpi-tiny-messages"])
    assert finding.message.startswith("100,000 messages of 8 B in 100 bursts of 1000 to one rank")
    assert finding.cost_seconds == pytest.approx(0.109, rel=0.02)  # of the rank with the most


def test_a_group_that_is_missing(tmp_path: Path, merge_raw: Raw) -> None:
    done = merge_raw(write(tmp_path, GROUP))
    assert done.returncode == 2
    assert f"no shard of rank 0-{GROUP - 1} of {RANKS}" in done.stderr


@pytest.mark.parametrize(("at", "value"), [(144, RANKS), (148, 0), (152, 3)])
def test_impossible_entries(
    at: int, value: int, tmp_path: Path, merge_raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rank with the most, the number of ranks, the path."""
    pack = Reduced.pack
    monkeypatch.setattr(
        Reduced, "pack", lambda entry: (b := pack(entry))[:at] + value.to_bytes(4, "little") + b[at + 4 :]
    )
    assert REDUCED.size == 168
    done = merge_raw(write(tmp_path, 0, GROUP))
    assert done.returncode == 2
    assert "impossible entry in a summary" in done.stderr


def test_the_largest_rank_of_all_groups(tmp_path: Path, merge_raw: Raw) -> None:
    """Count, bytes and partners each of the rank with the most; an older group knows none, and is in the sums alone."""
    entries = [Reduced("MPI_Send", 0, dict.fromkeys(range(GROUP), 0.1))]
    for first, most in ((0, (30, 80, 0, "MPI_Send", 4, GROUP)), (GROUP, (20, 900, 0, "MPI_Send", 7, 3))):
        of = [Reduced("MPI_Send", 0, dict.fromkeys(range(first, first + GROUP), 0.1))]
        data = shard_files.summary(range(first, first + GROUP), of, 1, size=RANKS, wall=2.0, mpi=1.0, most=[most])
        (tmp_path / f"shard.77.group{first}.swshard").write_bytes(data)
    (send,) = merged(tmp_path, merge_raw).calls
    assert send.largest is not None
    assert (send.largest.count, send.largest.bytes, send.partners, send.largest.ranks) == (30, 900, 7, GROUP + 3)
    data = shard_files.summary(range(GROUP), entries, 1, size=RANKS, wall=2.0, mpi=1.0, older=True)
    (tmp_path / "shard.77.group0.swshard").write_bytes(data)
    trace = merged(tmp_path, merge_raw)
    (send,) = trace.calls
    assert send.largest is not None
    assert (send.largest.count, send.count) == (20, 10 * RANKS)
    assert {rank.peak_bytes for rank in trace.ranks} == {0, 64 << 20}


def test_ten_thousand_ranks_merge_in_a_gibibyte(tmp_path: Path) -> None:
    """By benchmarks/merge_scale.py, with 400 totals; the limit is of address space, so that it is more than is used."""
    program = shutil.which("prlimit")
    assert program
    benchmark = Path(__file__).resolve().parents[2] / "benchmarks" / "merge_scale.py"
    command = [program, f"--as={1 << 30}", sys.executable, str(benchmark), "--summaries", "--ranks", "10000"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    took = re.search(r"10000 ranks x 0 events .*: ([\d.]+) s", done.stdout)
    assert took and float(took[1]) < 30


@pytest.mark.parametrize(
    "most",
    [(0, 8, 0, "MPI_Send", 1, 1), (9, 8, 3, "MPI_Send", 1, 1), (9, 8, 0, "MPI_Send", GROUP + 1, 1),
     (9, 8, 0, "MPI_Send", 1, GROUP + 1), (9, 8, 0, "MPI_Send", 1, 0)],
)  # fmt: skip
def test_an_impossible_largest(most: tuple[int, int, int, str, int, int], tmp_path: Path, merge_raw: Raw) -> None:
    entries = [Reduced("MPI_Send", 0, dict.fromkeys(range(GROUP), 0.1))]
    data = shard_files.summary(range(GROUP), entries, 1, size=GROUP, wall=2.0, mpi=1.0, most=[most])
    (tmp_path / "shard.77.group0.swshard").write_bytes(data)
    done = merge_raw(tmp_path)
    assert done.returncode == 2
    assert "impossible entry in a summary" in done.stderr
