"""Runs of messages alike, written as one event each, lead to the same results as their messages one by one."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Merge
from programs import (
    Steps,
    bandwidth,
    barrier_each_step,
    collect_results,
    columns,
    flood,
    master_worker,
    neighbours,
    ping_pong,
    pipeline,
    ring,
    stencil,
    timed,
    two_barriers,
    wildcard_rounds,
)
from shard_files import NO_SEQ, RUN, in_runs, shard
from shards import Program, Rank, World

from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import load


def unequal(steps: int) -> Program:
    """Pairs send to each other first, one side three times as much as the other and with another tag now and then."""

    def program(rank: Rank) -> Steps:
        other = rank.number ^ 1
        for _ in range(steps):
            if rank.number % 2:
                yield rank.send(other, "send")
                yield rank.send(other, "send", tag=1)
                yield rank.send(other, "send", tag=2)
                yield rank.recv(other, "receive")
            else:
                yield rank.send(other, "send")
                yield rank.recv(other, "receive")
                yield rank.recv(other, "receive", tag=1)
                yield rank.recv(other, "receive", tag=2)

    return program


PROGRAMS = {
    "barrier each step": barrier_each_step(),
    "two barriers": two_barriers(),
    "wildcards with an answer": collect_results(4, wildcard=True),
    "named receives with an answer": collect_results(4, wildcard=False),
    "wildcard rounds": wildcard_rounds(4),
    "wildcard rounds beside an allreduce": wildcard_rounds(4, order="allreduce"),
    "flood": flood(4, answer=False),
    "flood with an answer": flood(4, answer=True),
    "timed": timed(3),
    "ring": ring(4, order="send-first"),
    "open line": ring(4, order="send-first", periodic=False),
    "odd-even ring": ring(4, order="odd-even"),
    "stencil": stencil(4, order="send-first"),
    "grid": stencil(4, order="send-first", columns=2),
    "filled pipeline": pipeline(6, filled=True),
    "pipeline": pipeline(6, filled=False),
    "columns": columns(4, 5),
    "ping-pong": ping_pong(4),
    "bandwidth": bandwidth(4, 5),
    "master and workers": master_worker(4),
    "unequal": unequal(4),
}


def facts(trace: Trace) -> dict[str, Any]:
    """All of a trace that does not depend on when a single message of a run was sent."""
    return {
        "barriers": [
            (b.verdict, b.paths, b.instances, b.redundant, b.undecided, b.whole_run_instances, b.kept, b.notes)
            for b in trace.barriers
        ],
        "chains": [
            (
                c.kind,
                c.send_paths,
                c.receive_paths,
                c.data_length,
                c.rendezvous_length,
                c.ranks,
                c.instances,
                c.whole_run_instances,
            )
            for c in trace.chains
        ],
        "bursts": [(b.path, b.messages, b.bursts, b.longest, b.rank_messages, b.receive_paths) for b in trace.bursts],
        "windows": [(w.events, w.contradictions) for w in trace.windows],
        "calls": trace.calls,
    }


@pytest.mark.parametrize("threshold", [1, 16])
@pytest.mark.parametrize("ranks", [4, 6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name: str, ranks: int, threshold: int, merge: Merge) -> None:
    world = World(ranks, elements=40).run(PROGRAMS[name])
    assert facts(merge(world, run=threshold)) == facts(merge(world))


def test_runs_take_the_place_of_many_events() -> None:
    world = World(4, elements=1000).run(ring(3, order="send-first"))
    for rank in world.ranks:
        assert len(rank.events) == 3 * 2000
        assert len(in_runs(rank.events, 16)) <= 3 * 2 * 18


def interleaved(rank: Rank) -> Steps:
    """Rank 3 receives what 0 sends in one go in pieces, with messages of others in between."""
    for _ in range(3):
        if rank.number == 0:
            for _ in range(100):
                yield rank.send(3, "many")
        elif rank.number in (1, 2):
            yield rank.send(3, "one")
        else:
            for begin, end, other in ((0, 37, 1), (37, 38, 2), (38, 100, 0)):
                for _ in range(begin, end):
                    yield rank.recv(0, "receive many")
                if other:
                    yield rank.recv(other, "receive one")
        yield rank.barrier("barrier")
        if rank.number == 3:
            for target in range(3):
                yield rank.send(target, "answer", tag=1)
        else:
            yield rank.recv(3, "get answer", tag=1)


@pytest.mark.parametrize("threshold", [1, 5, 16, 60])
def test_cut_differently_on_both_sides(threshold: int, merge: Merge) -> None:
    world = World(4).run(interleaved)
    trace = merge(world, run=threshold)
    assert facts(trace) == facts(merge(world))
    assert trace.barriers[0].verdict == "redundant"
    assert trace.windows[0].events == 3 * (2 * (100 + 2 + 3) + 4)


def mixed(rank: Rank) -> Steps:
    """A wildcard receive takes some messages of a channel that a run of named receives takes too."""
    for _ in range(4):
        if rank.number == 0:
            for _ in range(30):
                yield rank.recv(1, "named")
            yield rank.recv(-2, "wild")
        elif rank.number == 1:
            for _ in range(31):
                yield rank.send(0, "send")
        yield rank.barrier("barrier")


@pytest.mark.parametrize("threshold", [1, 16])
def test_named_and_wildcard_on_one_channel(threshold: int, merge: Merge) -> None:
    world = World(4).run(mixed)
    assert facts(merge(world, run=threshold)) == facts(merge(world))


def halo(steps: int, cells: int) -> Program:
    """A ghost row, cell by cell, in both directions of an open line, with two barriers that it does not need."""

    def program(rank: Rank) -> Steps:
        left, right = neighbours(rank, periodic=False)
        for _ in range(steps):
            for number, (target, source) in enumerate(((right, left), (left, right))):
                for _ in range(cells):
                    yield rank.send(target, f"send {number}")
                for _ in range(cells):
                    yield rank.recv(source, f"receive {number}")
                yield rank.barrier(f"barrier {number}")

    return program


def test_the_ring_holds_more_of_the_run(merge: Merge) -> None:
    """Twenty steps of 400 messages; the ring has room for one step, or for all as runs."""
    world = World(4).run(halo(20, 100))
    before = merge(world, head=250, capacity=500)
    after = merge(world, run=16, head=750, capacity=1500)
    assert len(after.barriers) == 2
    assert sum(b.instances + b.undecided for b in before.barriers) < 10
    assert [(b.verdict, b.instances) for b in after.barriers] == [("redundant", 20)] * 2
    assert facts(after)["chains"] == facts(merge(world))["chains"]


@pytest.mark.parametrize("capacity", [60, 100, 150])
def test_head_and_tail_are_gapless(capacity: int, merge: Merge) -> None:
    """Where the ring overflows, nothing is concluded that the whole run refutes."""
    for program in (flood(12, answer=False), wildcard_rounds(12), collect_results(12, wildcard=True)):
        world = World(4, elements=30).run(program)
        whole = merge(world).barriers[0].verdict
        for barrier in merge(world, run=3, head=capacity // 2, capacity=capacity).barriers:
            assert barrier.verdict in (whole, "cannot-tell")


def test_killed_in_the_middle_of_a_run(
    tmp_path: Path, merge_raw: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The last run of a killed rank may have the end of a message that it does not count yet."""
    world = World(4).run(halo(3, 100))
    for rank in world.ranks:
        rank.events = in_runs(rank.events, 16)
    while not world.ranks[2].events[-1].flags & RUN:
        world.ranks[2].events.pop()
    last = world.ranks[2].events[-1]
    world.ranks[2].events[-1] = replace(last, request=last.request - 1)
    folder = world.write(tmp_path / "mpi", closed=False)
    done = merge_raw(folder)
    assert done.returncode == 0, done.stderr
    trace = load(folder / "trace.json")
    assert '"broken_events":0' in (folder / "trace.json").read_text()
    assert '"broken_events":1' not in (folder / "trace.json").read_text()
    assert trace.windows[0].contradictions == 0
    assert sum(b.instances for b in trace.barriers) >= 4


@pytest.mark.parametrize(
    "wrong", [{"request": 0}, {"request": 1 << 40}, {"seq": NO_SEQ}, {"seq": NO_SEQ - 5}, {"flags": RUN}]
)
def test_impossible_runs(
    wrong: dict[str, int], tmp_path: Path, merge_raw: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    world = World(4).run(halo(2, 100))
    rank = world.ranks[1]
    rank.events = in_runs(rank.events, 16)
    number = next(i for i, e in enumerate(rank.events) if e.flags & RUN and e.peer >= 0)
    rank.events[number] = replace(rank.events[number], **wrong)  # type: ignore[arg-type]
    folder = world.write(tmp_path / "mpi")
    done = merge_raw(folder)
    assert done.returncode == 2
    assert f"impossible event {number}" in done.stderr


def test_numbers_that_occur_twice(tmp_path: Path, merge_raw: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Overlapping runs of a damaged shard cost no more than their number."""
    world = World(4).run(halo(40, 60))
    for rank in world.ranks:
        rank.events = [
            replace(e, request=1 << 31, seq=min(e.seq, 1000)) if e.flags & RUN and e.peer >= 0 else e
            for e in in_runs(rank.events, 1)
        ]
    folder = world.write(tmp_path / "mpi", closed=False)
    assert merge_raw(folder).returncode == 0
    load(folder / "trace.json")


def test_ticks_of_another_rank(tmp_path: Path, merge_raw: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """A rank that died at once has no second clock reading, or too early a one: its host's longest serves it too."""
    world = World(4).run(barrier_each_step(200, work=1e-4))
    for seconds in (0.0, 1e-6):
        folder = tmp_path / f"{seconds}"
        world.write(folder, closed=False)
        (folder / "shard.77.1.swshard").write_bytes(shard(world.ranks[1], closed=False, seconds=seconds))
        done = merge_raw(folder)
        assert done.returncode == 0, done.stderr
        assert "taken as ns" not in done.stderr
        trace = load(folder / "trace.json")
        assert trace.windows[0].contradictions == 0
        assert trace.ranks[1].mpi_seconds == pytest.approx(trace.ranks[0].mpi_seconds, rel=0.5)
