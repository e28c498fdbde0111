"""The OSU micro-benchmarks end as they do without the interposer, and every message that is sent is received.

Needs their sources: STRIDEWISE_OSU_SOURCE.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from conftest import Mpi, read_shards

_source = os.environ.get("STRIDEWISE_OSU_SOURCE")
SOURCE = Path(_source) / "mpi" if _source else None
# What the programs of a folder share.
SHARED = {"pt2pt": "osu_pt2pt.c", "collective": "osu_coll.c", "one-sided": "osu_1sc.c", "startup": ""}
# Options by folder: few repetitions of small messages.
FEW = {"pt2pt": [], "collective": ["-m", "1024", "-i", "5", "-x", "1"], "one-sided": [], "startup": []}


def programs() -> list[Path]:
    found = sorted(SOURCE.glob("*/osu_*.c")) if SOURCE else []
    return [path for path in found if path.name not in SHARED.values()]


def build(mpi: Mpi, path: Path, folder: Path) -> Path:
    shared = SHARED[path.parent.name]
    program = folder / path.stem
    flags = ["-O1", "-w", "-DFIELD_WIDTH=18", "-DFLOAT_PRECISION=2", f"-I{path.parent}"]
    sources = [path, *([path.parent / shared] if shared else [])]
    done = subprocess.run(
        [f"mpicc.{mpi.flavour}", *flags, "-o", program, *sources, "-lm", "-lpthread"], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"{path.name} does not build with {mpi.flavour}")
    return program


def shape(output: str) -> list[list[str]]:
    """All but the measured times: message sizes, which begin a line, words, and the number of columns."""
    lines = [line.split() for line in output.splitlines() if line[:1] != "#"]
    return [
        [word if i == 0 and word.isdigit() else re.sub(r"\d+(\.\d+)?", "0", word) for i, word in enumerate(words)]
        for words in lines
    ]


@pytest.mark.skipif(SOURCE is None, reason="STRIDEWISE_OSU_SOURCE is not set")
@pytest.mark.parametrize("path", programs(), ids=lambda path: str(path.stem))
def test_ends_as_without(mpi: Mpi, path: Path, tmp_path: Path) -> None:
    program = build(mpi, path, tmp_path)
    options = FEW[path.parent.name]
    try:
        bare = mpi.run([program, *options], None)
        watched = mpi.run([program, *options], tmp_path / "out", STRIDEWISE_QUIET="1")
    except subprocess.TimeoutExpired:
        pytest.skip("takes too long here")
    assert watched.returncode == bare.returncode
    assert "stridewise" not in watched.stderr
    assert shape(watched.stdout) == shape(bare.stdout)
    if bare.returncode:
        return
    shards = read_shards(tmp_path / "out")
    assert [(s.state, s.crc_right) for s in shards] == [(3, True)] * 2
    assert not any(count for shard in shards for count in shard.dropped.values())
    for sender, receiver in (shards, reversed(shards)):
        if sender.event_count > sum(e.repeat > 0 for e in sender.events):
            continue  # the ring has lost some
        sent = Counter(
            (e.tag, e.seq + i)
            for e in sender.select("SEND")
            if "COMPLETE" not in e.kinds and e.peer == receiver.rank and e.comm == 0
            for i in range(e.repeat)
        )
        arrived = Counter(
            (e.tag, e.seq + i)
            for e in receiver.select("RECV")
            if "START" not in e.kinds and e.peer == sender.rank and e.comm == 0
            for i in range(e.repeat)
        )
        assert sent == arrived
