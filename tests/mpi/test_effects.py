"""Sleep and output of a watched program: what is counted where, and that nothing of them changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

from conftest import Mpi, read_shards


def test_sleep_and_output(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("effects.c")
    bare = mpi.run([program, tmp_path / "data"], None)
    result = mpi.run([program, tmp_path / "data"], tmp_path / "out")
    assert bare.stdout == result.stdout != ""
    assert bare.returncode == result.returncode == 3
    for shard in read_shards(tmp_path / "out"):
        sleeps = [row for row in shard.stats if row.call == "sleep"]
        assert sorted(row.count for row in sleeps) == [1, 1, 1, 5]
        tick = (shard.end[1] - shard.begin[1]) / (shard.end[0] - shard.begin[0])
        naps = max(sleeps, key=lambda row: row.count)
        assert naps.ticks * tick >= 5 * 2e6
        assert len(shard.paths[naps.path]) > 1  # the caller of the function that sleeps
        writes = [row for row in shard.stats if row.call == "write"]
        assert sum(row.bytes for row in writes) == 1000 + 300 + 50 + 5000 + 10
        assert shard.count("print") >= 1
        assert shard.calls == sum(r.count for r in shard.stats if r.call.startswith("MPI_"))
        barriers = [e for e in shard.events if "BARRIER" in e.kinds]
        marked = ["OTHER_IO" in e.kinds for e in barriers]
        assert marked == [False, True, True, False, True]
        assert ["PRINT" in e.kinds for e in barriers] == [False, False, False, False, True]


def test_not_watched_when_asked(mpi: Mpi, tmp_path: Path) -> None:
    mpi.run([mpi.compile("effects.c"), tmp_path / "data"], tmp_path / "out", STRIDEWISE_MPI_EFFECTS="0")
    for shard in read_shards(tmp_path / "out"):
        assert all(row.call.startswith("MPI_") for row in shard.stats)


def test_programs_without_mpi(mpi: Mpi, tmp_path: Path) -> None:
    script = "echo one; sleep 0.01; printf two | cat; python3 -c 'print(3)' > three; cat three; exit 4"
    bare = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    watched = subprocess.run(
        ["sh", "-c", script],
        env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": str(mpi.library)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (watched.stdout, watched.stderr, watched.returncode) == (bare.stdout, bare.stderr, 4)


def test_what_mpi_does_itself_is_not_the_programs(mpi: Mpi, tmp_path: Path) -> None:
    """In a call that is not watched: Open MPI sleeps while it ends a program after an error. The program's own sleep
    behind such a call counts."""
    program = mpi.compile("by_mpi.c")
    mpi.run([program], tmp_path / "out", ranks=1)
    (shard,) = read_shards(tmp_path / "out")
    (sleep,) = [row for row in shard.stats if row.call == "sleep"]
    assert sleep.count == 3
