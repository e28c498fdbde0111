"""The reader trusts nothing: damaged shards are left out with a reason, never read wrongly, never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Bench

from stridewise.runs import run_folder
from stridewise.runs.omp import shards as omp_shards


@pytest.fixture
def shard(bench: Bench) -> Path:
    assert bench.watch(bench.build("ends.c")).status == 0
    (path,) = run_folder.files(bench.folder / "out", "omp", "*.swomp")
    return path


def why(path: Path) -> str:
    trace, bad = omp_shards.read([path])
    assert not trace.processes and len(bad) == 1
    return bad[0][1]


def test_cut_short(shard: Path) -> None:
    data = shard.read_bytes()
    shard.write_bytes(data[:100])
    assert why(shard) == "too short"
    shard.write_bytes(data[:-8])
    assert "bytes" in why(shard)


def test_other_files(shard: Path) -> None:
    data = bytearray(shard.read_bytes())
    data[0] ^= 1
    shard.write_bytes(data)
    assert "not a shard" in why(shard)
    data[0] ^= 1
    data[8] = 99
    shard.write_bytes(data)
    assert "version 99" in why(shard)


def test_checksum(shard: Path) -> None:
    data = bytearray(shard.read_bytes())
    data[-5] ^= 0x40
    shard.write_bytes(data)
    assert "checksum" in why(shard)


def test_any_bytes(shard: Path) -> None:
    """Of a shard that was not closed there is no checksum: whatever its numbers are, reading ends, with or without."""
    original = shard.read_bytes()
    rng = random.Random(7)
    for _ in range(300):
        data = bytearray(original)
        data[28] = 1  # as a running program leaves it
        for _ in range(rng.randint(1, 12)):
            data[rng.randrange(16, len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        shard.write_bytes(data)
        trace, bad = omp_shards.read([shard])
        assert len(trace.processes) + len(bad) == 1
