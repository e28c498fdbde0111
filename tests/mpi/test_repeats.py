"""Long sequences of messages alike are written as runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Mpi, read_shards
from shards import NO_SEQ, Event, Shard

COUNT = 400
SINGLE = 16


def with_tag(shard: Shard, tag: int) -> list[Event]:
    return [e for e in shard.select() if e.tag == tag and e.kinds & {"SEND", "RECV"}]


def messages(events: list[Event]) -> list[int]:
    """Numbers of all messages, those of runs one by one."""
    return [e.seq + i for e in events for i in range(e.repeat)]


@pytest.fixture
def two(mpi: Mpi, tmp_path: Path) -> list[Shard]:
    assert mpi.run([mpi.compile("elements.c")], tmp_path, STRIDEWISE_QUIET="1").returncode == 0
    return read_shards(tmp_path)


def test_messages_alike_become_runs(two: list[Shard]) -> None:
    zero, one = two
    for shard, tag in ((zero, 1), (zero, 2), (zero, 4), (one, 1), (one, 4)):
        events = with_tag(shard, tag)
        assert messages(events) == list(range(COUNT))
        assert not any("RUN" in e.kinds for e in events[:SINGLE])
        # An interruption of the processor may end a burst, and with it a run.
        assert len(events) < COUNT / 2
        for run in events:
            assert run.begin + run.run_ticks <= run.end
            assert "RUN" in run.kinds or run.repeat == 1
    for shard in two:
        assert shard.crc_right
        assert shard.count("MPI_Send" if shard is zero else "MPI_Recv") in (3 * COUNT, 4 * COUNT)
        assert all(before.end <= after.begin for before, after in zip(shard.events, shard.events[1:], strict=False))


def test_what_ends_a_run(two: list[Shard]) -> None:
    zero, one = two
    # Wildcards in between: each receive has an event of its own.
    assert [e.repeat for e in with_tag(one, 2)] == [1] * COUNT
    # Another size in the middle: counting starts anew behind it.
    for shard in two:
        (odd,) = [i for i, e in enumerate(with_tag(shard, 4)) if e.bytes == 16]
        assert not any("RUN" in e.kinds for e in with_tag(shard, 4)[odd : odd + SINGLE])
        assert with_tag(shard, 4)[odd].seq == COUNT / 2
    # Nothing moves and nothing is counted, but the order of calls is kept.
    null = with_tag(zero, 3)
    assert sum(e.repeat for e in null) == COUNT
    assert len(null) == SINGLE + 1
    assert {e.seq for e in null} == {NO_SEQ}


def test_bursts_need_distinct_buffers(two: list[Shard]) -> None:
    zero, one = two
    moving = [e for e in with_tag(zero, 1) if "RUN" in e.kinds]
    assert sum(e.repeat for e in moving if "BURST" in e.kinds) > COUNT / 2
    assert not any("BURST" in e.kinds for tag in (2, 3) for e in with_tag(zero, tag))
    assert not any("BURST" in e.kinds for e in one.events)


@pytest.mark.parametrize("threshold", [0, 1, 100])
def test_threshold(threshold: int, mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("elements.c")
    assert mpi.run([program], tmp_path, STRIDEWISE_QUIET="1", STRIDEWISE_MPI_RUN=str(threshold)).returncode == 0
    events = with_tag(read_shards(tmp_path)[0], 1)
    single = [e for e in events if "RUN" not in e.kinds]
    assert len(single) == (threshold or COUNT)
    assert messages(events) == list(range(COUNT))


def test_killed_in_the_middle_of_a_run(mpi: Mpi, tmp_path: Path) -> None:
    assert mpi.run([mpi.compile("elements.c"), "kill"], tmp_path).returncode != 0
    one = read_shards(tmp_path)[1]
    assert one.state == 1
    assert messages(with_tag(one, 1)) == list(range(COUNT // 2))
    assert one.events[-1].repeat == COUNT // 2 - SINGLE


def test_early_death_leaves_the_length_of_a_tick(mpi: Mpi, tmp_path: Path) -> None:
    """Two hundred calls are fewer than lie between two regular readings."""
    mpi.run([mpi.compile("life.c"), "abort"], tmp_path)
    for shard in read_shards(tmp_path):
        assert shard.end[0] > shard.begin[0]
        assert shard.end[1] > shard.begin[1]
