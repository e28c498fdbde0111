"""A shard that an import writes is read back as it was, with every member where the layout has it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from stridewise.runs.mpi.shard_file import (
    NONE,
    Event,
    Flag,
    Phase,
    Shard,
    ShardError,
    ShardPath,
    Total,
    Written,
    read,
    write,
)  # fmt: skip


def event(number: int, **given: int) -> Event:
    first = 1_000_000 + 1000 * number
    values = dict.fromkeys(Event._fields, 0)
    values |= {"begin": first, "end": first + 100, "flags": Flag.SEND, "call": 7, "thread": 1, "path": 1, "comm": 1}
    values |= {"peer": 3, "tag": 42, "seq": number, "bytes": 8000, "request": 5, "address": 1 << 40, "hash": 99}
    return Event(**{**values, **given})


WRITTEN = Written(
    job=77, rank=2, size=4, host="node7", begin_ns=1_000_000, end_ns=9_000_000, thread_level=3, version="an MPI 4.1",
    executable="/p/solver", command="solver --fast ü", mpi_ns=4321, calls=12,
    events=[event(n) for n in range(5)],
    totals=[Total(call=7, path=1, comm=1, peer=3, bucket=13, first=1, last=2, count=3, ns=4, longest=5, size=6)],
    paths=[((0x1000, 0x2000), False, 2), ((0x3000,), True, 0)],
    comms=[(0x11, 4, 2, (0, 1, 2, 3), 9), (0x22, 900, 2, None, 1), (0x33, 2, 1, (0, 2), 1)],
    phases=[Phase("setup", 1, 500), Phase("solve", 2, 7000)],
    usage=(11, 22, 33, 44, 55),
)  # fmt: skip


def back(folder: Path, written: Written) -> Shard:
    file = folder / "shard.77.2.swshard"
    write(file, written)
    return read(file)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert back(tmp_path, WRITTEN) == Shard(
        rank=2, size=4, host="node7", begin_ns=1_000_000, end_ns=9_000_000, thread_level=3, mpi_version="an MPI 4.1",
        executable="/p/solver", command="solver --fast ü", usage=(11, 22, 33, 44, 55), modules=(),
        paths=(ShardPath(((None, 0x1000), (None, 0x2000)), "solve"), ShardPath(((None, 0x3000),), "")),
        comms=((0x11, 4, (0, 1, 2, 3)), (0x22, 900, None), (0x33, 2, (0, 2))), lost=0,
        events=tuple(event(n) for n in range(5)),
    )  # fmt: skip


@pytest.mark.parametrize("members", [15, 16, 17, 32, 65])
def test_every_section_begins_where_it_is_said_to(tmp_path: Path, members: int) -> None:
    """A list of 16 ranks ends at a border of 64 bytes."""
    written = replace(WRITTEN, comms=[(0x11, members, 2, tuple(range(members)), 9)])
    shard = back(tmp_path, written)
    assert shard.comms == ((0x11, members, tuple(range(members))),)
    assert shard.events == tuple(event(n) for n in range(5))
    data = (tmp_path / "shard.77.2.swshard").read_bytes()
    size, length = struct.unpack_from("<I", data, 12)[0], struct.unpack_from("<Q", data, 16)[0]
    assert length == len(data)
    assert size % 8 == 0
    directory = [struct.unpack_from("<IIQQQ", data, size - 16 * 32 + 32 * n) for n in range(16)]
    assert [entry[2] % 64 for entry in directory] == [0] * 16
    used = [entry for entry in directory if entry[0]]
    assert all(a[2] + -(-a[1] * a[4] // 64) * 64 == b[2] for a, b in pairwise(used))
    assert struct.unpack_from("<I", data, 24)[0] == zlib.crc32(data[:24] + bytes(4) + data[28:])


def test_without_events_phases_or_usage(tmp_path: Path) -> None:
    bare = replace(WRITTEN, events=(), phases=(), usage=(), totals=(), paths=(), comms=())
    shard = back(tmp_path, bare)
    assert (shard.events, shard.paths, shard.comms, shard.usage) == ((), (), (), ())


def test_figures_that_do_not_fit_are_the_largest_that_do(tmp_path: Path) -> None:
    shard = back(tmp_path, replace(WRITTEN, events=[event(0, bytes=1 << 33, seq=1 << 34)]))
    assert (shard.events[0].bytes, shard.events[0].seq) == (0xFFFFFFFF, NONE)


def test_events_that_did_not_end_are_left_out(tmp_path: Path) -> None:
    events = [event(0), event(1, end=5), event(2, begin=0), event(3)]
    assert [e.seq for e in back(tmp_path, replace(WRITTEN, events=events)).events] == [0, 3]


def test_long_texts_are_cut(tmp_path: Path) -> None:
    written = replace(WRITTEN, host="h" * 100, version="v" * 200, executable="e" * 900, command="c" * 2000)
    shard = back(tmp_path, replace(written, phases=[Phase("p" * 90, 1, 1)] * 2))
    assert [len(t) for t in (shard.host, shard.mpi_version, shard.executable, shard.command)] == [63, 127, 511, 1023]
    assert shard.paths[0].phase == "p" * 63


@pytest.mark.parametrize("keep", [None, 10, 700, 2500])
def test_what_is_no_shard_is_said(tmp_path: Path, keep: int | None) -> None:
    file = tmp_path / "shard.1.0.swshard"
    write(file, WRITTEN)
    data = file.read_bytes()
    file.write_bytes(b"\x7fELF" + data[4:] if keep is None else data[:keep])
    with pytest.raises(ShardError, match="shard.1.0.swshard: " + ("no shard" if keep is None else "damaged")):
        read(file)


def test_a_clock_that_stood_still_makes_nanoseconds_of_ticks(tmp_path: Path) -> None:
    file = tmp_path / "shard.1.0.swshard"
    write(file, WRITTEN)
    data = bytearray(file.read_bytes())
    begin = data.index(struct.pack("<3Q", *[1_000_000] * 3))
    data[begin + 24 : begin + 32] = data[begin : begin + 8]  # ticks at the end are those at the begin
    file.write_bytes(data)
    shard = read(file)
    assert (shard.begin_ns, shard.end_ns) == (1_000_000, 1_000_000)
    assert shard.events == tuple(event(n) for n in range(5))
