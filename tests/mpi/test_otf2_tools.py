"""Traces as Score-P and TAU write them, made event by event by OTF2's own writer: what is read of them, and what of
that a report says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD
from shards import REPOSITORY

from stridewise.imports import otf2 as reader
from stridewise.imports.recording import Call, Recording
from stridewise.runs.mpi import calls
from stridewise.runs.mpi.shard_file import NOBODY, Flag
from stridewise.runs.mpi.trace import Frame

otf2 = pytest.importorskip("otf2")
MS = 1_000_000
TABLE = calls.table()
NAMES = [name for name, _ in TABLE]


class Tool:
    """An archive with two ranks, as the tool lays it out: a master thread of each rank and a thread of OpenMP, a
    location for metrics, MPI's groups by number."""

    def __init__(self, archive: Any, named: Callable[[str], str] = str) -> None:
        self.archive, self.definitions, self.named = archive, archive.definitions, named
        self.regions: dict[str, Any] = {}
        make, kinds, mpi = self.definitions, otf2.GroupType, otf2.Paradigm.MPI
        node = make.system_tree_node("n1", "node", parent=make.system_tree_node("cluster", "machine"))
        process = otf2.LocationGroupType.PROCESS
        groups = [
            make.location_group(f"MPI Rank {n}", location_group_type=process, system_tree_parent=node) for n in (0, 1)
        ]
        self.ranks = [make.location("Master thread", group=group) for group in groups]
        self.helper = make.location("OMP thread 1", group=groups[0])
        self.metrics = make.location("metrics", otf2.LocationType.METRIC, group=groups[0])
        make.group("", kinds.COMM_LOCATIONS, mpi, members=self.ranks)
        make.group("", kinds.COMM_LOCATIONS, otf2.Paradigm.OPENMP, members=[self.ranks[0], self.helper])
        both = make.group("", kinds.COMM_GROUP, mpi, members=[0, 1])
        turned = make.group("", kinds.COMM_GROUP, mpi, members=[1, 0])
        alone = [make.group("", kinds.COMM_GROUP, mpi, members=[n]) for n in (0, 1)]
        self.world = make.comm("MPI_COMM_WORLD", group=both)
        self.turned = make.comm("", group=turned, parent=self.world)
        self.between = make.inter_comm("", groupA=alone[0], groupB=alone[1])
        self.self = make.comm("MPI_COMM_SELF", group=make.group("", kinds.COMM_SELF, mpi, members=[]))
        self.writers = [archive.event_writer_from_location(rank) for rank in self.ranks]
        self.now = [0, 0]

    def mpi(self, name: str) -> Any:
        return self.region(self.named(name), otf2.Paradigm.MPI, "MPI", 0)

    def region(self, name: str, paradigm: Any, file: str = "", line: int = 0, **more: Any) -> Any:
        if name not in self.regions:
            self.regions[name] = self.definitions.region(
                name, source_file=file, begin_line_number=line, end_line_number=line, paradigm=paradigm, **more
            )
        return self.regions[name]

    def call(self, rank: int, name: str, *events: tuple[str, Any], ms: int = 1) -> None:
        """A call of a millisecond, with these events in it."""
        writer, begin = self.writers[rank], self.now[rank]
        self.now[rank] += ms * MS
        writer.enter(begin, self.mpi(name))
        for kind, words in events:
            late = "complete" in kind or kind.endswith(("recv", "end"))
            getattr(writer, kind)(self.now[rank] if late else begin, *words)
        writer.leave(self.now[rank], self.mpi(name))

    def within(self, rank: int, region: Any, ms: int) -> None:
        """It computes in a function that it stays in."""
        self.writers[rank].enter(self.now[rank], region)
        self.now[rank] += ms * MS

    def out(self, rank: int, region: Any) -> None:
        self.writers[rank].leave(self.now[rank], region)


def made(folder: Path, tell: Callable[[Tool], None], named: Callable[[str], str] = str) -> Path:
    reader.mend(otf2)
    with otf2.writer.open(str(folder), timer_resolution=1_000_000_000) as archive:
        archive.creator = "a tool"
        tool = Tool(archive, named)
        for rank in (0, 1):
            tool.call(rank, "MPI_Init_thread")
        tell(tool)
        for rank in (0, 1):
            tool.call(rank, "MPI_Finalize")
    return folder / "traces.otf2"


def read(folder: Path, tell: Callable[[Tool], None], named: Callable[[str], str] = str) -> Recording:
    return reader.read(made(folder, tell, named), TABLE)


def told(recording: Recording, rank: int) -> list[tuple[str, list[tuple[Flag, int, int, int]]]]:
    """Each call with what happened in it: what, with whom, tag, bytes."""
    kinds = Flag.SEND | Flag.RECV | Flag.COLLECTIVE | Flag.START | Flag.COMPLETE

    def one(call: Call) -> tuple[str, list[tuple[Flag, int, int, int]]]:
        return NAMES[call.number], [(Flag(r.flags) & kinds, r.peer, r.tag, r.bytes) for r in call.records]

    return [one(call) for call in recording.ranks[rank].calls]


def exchange(tool: Tool) -> None:
    """What two ranks send each other, in a communicator that counts them the other way round."""
    solve = tool.region("solve", otf2.Paradigm.COMPILER, "/src/solve.c", 12)
    for rank in (0, 1):
        tool.writers[rank].program_begin(tool.now[rank], "/home/a/app", ["input.dat"])
        tool.within(rank, solve, 5)
        tool.call(rank, "MPI_Irecv", ("mpi_irecv_request", (7,)))
        peer = rank  # the other one's number there
        tool.call(rank, "MPI_Isend", ("mpi_isend", (peer, tool.turned, 3, 80, 8)))
        tool.call(rank, "MPI_Waitall", ("mpi_irecv", (peer, tool.turned, 3, 80, 7)), ("mpi_isend_complete", (8,)), ms=2)
        tool.out(rank, solve)


def test_messages_and_communicators(tmp_path: Path) -> None:
    found = read(tmp_path / "trace", exchange)
    started, done = Flag.START, Flag.COMPLETE
    for rank in (0, 1):
        other = 1 - rank
        assert told(found, rank) == [
            ("MPI_Irecv", [(Flag.RECV | started, other, 3, 80)]),
            ("MPI_Isend", [(Flag.SEND | started, other, 3, 80)]),
            ("MPI_Waitall", [(Flag.RECV | done, other, 3, 80), (Flag.SEND | done, other, 3, 80)]),
        ]
    assert found.description == "/home/a/app input.dat"
    assert found.comms == [(16 + 1, (1, 0))]
    assert [frames for frames, _ in found.paths] == [(Frame("solve", "/src/solve.c", 12),)]


def test_a_request_that_another_thread_completes(tmp_path: Path) -> None:
    def tell(tool: Tool) -> None:
        tool.call(0, "MPI_Irecv", ("mpi_irecv_request", (1,)))
        helper = tool.archive.event_writer_from_location(tool.helper)
        helper.enter(5 * MS, tool.mpi("MPI_Wait"))
        helper.mpi_irecv(6 * MS, 1, tool.world, 4, 16, 1)
        helper.leave(6 * MS, tool.mpi("MPI_Wait"))
        tool.call(1, "MPI_Send", ("mpi_send", (0, tool.world, 4, 16)))

    found = read(tmp_path / "trace", tell)
    assert told(found, 0)[0] == ("MPI_Irecv", [(Flag.RECV | Flag.START, 1, 4, 16)])
    assert [call.thread for call in found.ranks[0].calls] == [0, 1]
    assert found.ranks[0].thread_level == 3


def test_collectives_by_what_each_rank_brings(tmp_path: Path) -> None:
    """Score-P: the root of a broadcast sends to all, all receive; an allgather sends to all."""
    op, none = otf2.CollectiveOp, otf2.CollectiveRoot.NONE

    def tell(tool: Tool) -> None:
        for rank in (0, 1):
            sent = 160 if rank == 0 else 0
            tool.call(rank, "MPI_Bcast", ("mpi_collective_begin", ()),
                      ("mpi_collective_end", (op.BCAST, tool.world, 0, sent, 80)))  # fmt: skip
            tool.call(rank, "MPI_Allgather", ("mpi_collective_begin", ()),
                      ("mpi_collective_end", (op.ALLGATHER, tool.world, none, 48, 48)))  # fmt: skip
            tool.call(rank, "MPI_Barrier", ("mpi_collective_begin", ()),
                      ("mpi_collective_end", (op.BARRIER, tool.self, none, 0, 0)))  # fmt: skip

    found = read(tmp_path / "trace", tell)
    for rank in (0, 1):
        assert told(found, rank) == [
            ("MPI_Bcast", [(Flag.COLLECTIVE, 0, 0, 80)]),
            ("MPI_Allgather", [(Flag.COLLECTIVE, NOBODY, 0, 24)]),
            ("MPI_Barrier", [(Flag.COLLECTIVE, NOBODY, 0, 0)]),
        ]
    assert [members for _, members in found.comms] == [(0, 1), ()]


def test_non_blocking_collectives(tmp_path: Path) -> None:
    op, none = otf2.CollectiveOp.ALLREDUCE, otf2.CollectiveRoot.NONE

    def tell(tool: Tool) -> None:
        for rank in (0, 1):
            tool.call(rank, "MPI_Iallreduce", ("non_blocking_collective_request", (5,)))
            done = (op, tool.world, none, 8, 8, 5)
            tool.call(rank, "MPI_Wait", ("non_blocking_collective_complete", done))

    found = read(tmp_path / "trace", tell)
    start, wait = (call.records[0] for call in found.ranks[1].calls)
    assert told(found, 1) == [
        ("MPI_Iallreduce", [(Flag.COLLECTIVE | Flag.START, NOBODY, 0, 8)]),
        ("MPI_Wait", [(Flag.COLLECTIVE | Flag.COMPLETE, NOBODY, 0, 8)]),
    ]
    assert start.flags & Flag.FULL_SYNC
    assert wait.flags & Flag.FULL_SYNC
    assert wait.start is start


def test_between_groups_and_messages_without_an_end(tmp_path: Path) -> None:
    """Partners are of the other group; what has no other end is there all the same, and a cancelled receive is none."""

    def tell(tool: Tool) -> None:
        tool.call(0, "MPI_Send", ("mpi_send", (0, tool.between, 1, 8)))
        tool.call(1, "MPI_Recv", ("mpi_recv", (0, tool.between, 1, 8)))
        tool.call(0, "MPI_Send", ("mpi_send", (1, tool.world, 2, 8)))
        tool.call(1, "MPI_Wait", ("mpi_isend_complete", (99,)))
        tool.call(1, "MPI_Irecv", ("mpi_irecv_request", (3,)))
        tool.call(1, "MPI_Cancel", ("mpi_request_cancelled", (3,)))

    found = read(tmp_path / "trace", tell)
    assert told(found, 0) == [
        ("MPI_Send", [(Flag.SEND, 1, 1, 8)]),
        ("MPI_Send", [(Flag.SEND, 1, 2, 8)]),
    ]
    assert told(found, 1)[0] == ("MPI_Recv", [(Flag.RECV, 0, 1, 8)])
    assert found.comms[0][1] == (0, 1)
    said, text = report(made(tmp_path / "again", tell), tmp_path / "out")
    assert not said["problems"], text


def test_messages_that_a_probe_has_matched(tmp_path: Path) -> None:
    if not hasattr(otf2.events, "MpiProbe"):
        pytest.skip("this OTF2 has no record for probes")

    def tell(tool: Tool) -> None:
        tool.call(0, "MPI_Send", ("mpi_send", (1, tool.world, 9, 24)))
        tool.call(0, "MPI_Send", ("mpi_send", (1, tool.world, 9, 32)))
        tool.call(1, "MPI_Mprobe", ("mpi_probe", (0, tool.world, 9, 1)))
        tool.call(1, "MPI_Mrecv", ("mpi_mrecv", (1, 24)))
        tool.call(1, "MPI_Mprobe", ("mpi_probe", (0, tool.world, 9, 2)))
        tool.call(1, "MPI_Imrecv", ("mpi_imrecv_request", (2, 4)))
        tool.call(1, "MPI_Wait", ("mpi_imrecv", (4, 32)))

    found = told(read(tmp_path / "trace", tell), 1)
    assert found[1] == ("MPI_Mrecv", [(Flag.RECV, 0, 9, 24)])
    assert found[3] == ("MPI_Imrecv", [(Flag.RECV | Flag.START, 0, 9, 32)])
    assert found[4] == ("MPI_Wait", [(Flag.RECV | Flag.COMPLETE, 0, 9, 32)])


def test_call_paths_of_a_recording_with_unwinding(tmp_path: Path) -> None:
    """Calling contexts, also of functions that no event enters, with the lines of the calls."""

    def tell(tool: Tool) -> None:
        make, compiler = tool.definitions, otf2.Paradigm.COMPILER
        main = tool.region("main", compiler, "/src/main.c", 5)
        step = tool.region("step", otf2.Paradigm.SAMPLING, "/src/step.c", 40)
        lines = [make.source_code_location("/src/main.c", 9), make.source_code_location("/src/step.c", 44)]
        top = make.calling_context(main, lines[0], None)
        middle = make.calling_context(step, lines[1], top)
        barrier = make.calling_context(tool.mpi("MPI_Barrier"), None, middle)
        for rank in (0, 1):
            writer, now = tool.writers[rank], tool.now[rank]
            writer.calling_context_enter(now, top, 1)
            for begin in (now + MS, now + 3 * MS):
                writer.calling_context_enter(begin, barrier, 2)
                writer.mpi_collective_begin(begin)
                writer.mpi_collective_end(
                    begin + MS, otf2.CollectiveOp.BARRIER, tool.world, otf2.CollectiveRoot.NONE, 0, 0
                )
                writer.calling_context_leave(begin + MS, barrier)
            writer.calling_context_leave(now + 5 * MS, top)
            tool.now[rank] = now + 5 * MS

    found = read(tmp_path / "trace", tell)
    assert [len(rank.calls) for rank in found.ranks] == [2, 2]
    assert [frames for frames, _ in found.paths] == [
        (Frame("step", "/src/step.c", 44), Frame("main", "/src/main.c", 9))
    ]
    assert not [one for one in found.missing if one.startswith("lines of calls")]


def test_names_and_messages_of_tau(tmp_path: Path) -> None:
    """Names with parentheses and places; messages without requests."""

    def tell(tool: Tool) -> None:
        text = "void solve(double *, int) C [{/src/solve.c} {31,1}-{60,1}]"
        solve = tool.region(text, otf2.Paradigm.UNKNOWN)
        whole = tool.region(".TAU application", otf2.Paradigm.UNKNOWN)
        for rank in (0, 1):
            tool.within(rank, whole, 0)
            tool.within(rank, solve, 2)
            tool.call(rank, "MPI_Isend", ("mpi_send", (1 - rank, tool.world, 1, 8)))
            tool.call(rank, "MPI_Wait", ("mpi_recv", (1 - rank, tool.world, 1, 8)))
            tool.out(rank, solve)
            tool.out(rank, whole)

    found = read(tmp_path / "trace", tell, named=lambda name: f"{name}()")
    assert [frames for frames, _ in found.paths] == [(Frame("void solve(double *, int)", "/src/solve.c", 31),)]
    assert told(found, 0) == [
        ("MPI_Isend", [(Flag.SEND | Flag.START, 1, 1, 8)]),
        ("MPI_Wait", [(Flag.RECV | Flag.COMPLETE, 1, 1, 8)]),
    ]
    assert any(one.startswith("which call completes") for one in found.missing)
    assert found.ranks[0].begin is not None


def report(trace: Path, folder: Path) -> tuple[dict[str, Any], str]:
    """As JSON and as text."""
    settings = {**os.environ, "STRIDEWISE_BUILD": str(BUILD)}
    settings["PYTHONPATH"] = f"{REPOSITORY}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"

    def run(*words: str | Path) -> str:
        command = [sys.executable, "-m", "stridewise", *map(str, words)]
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("import", trace, "-o", folder)
    said: dict[str, Any] = json.loads(run("report", folder, "--no-config", "--all", "--format", "json"))
    return said, " ".join(run("report", folder, "--no-config").split())


def test_what_a_report_says_of_such_a_trace(tmp_path: Path) -> None:
    """Rank 1 computes longer before it sends, ten times. Teams of OpenMP and the tool's own pauses are said."""

    def tell(tool: Tool) -> None:
        make, mpi = tool.definitions, otf2.Paradigm.OPENMP
        solve = tool.region("solve", otf2.Paradigm.COMPILER, "/src/solve.c", 12)
        parallel = tool.region("!$omp parallel @solve.c:14", mpi, "/src/solve.c", 14)
        member = make.metric_member("PAPI_TOT_CYC", "cycles", otf2.MetricType.PAPI, otf2.MetricMode.ACCUMULATED_START)
        cycles = make.metric_class([member])
        tool.writers[0].buffer_flush(tool.now[0], tool.now[0] + 3 * MS)
        for _ in range(10):
            for rank in (0, 1):
                tool.within(rank, solve, 20 + 30 * rank)
                tool.writers[rank].metric(tool.now[rank], cycles, (1,))
                tool.within(rank, parallel, 1)
                tool.out(rank, parallel)
            tool.call(1, "MPI_Send", ("mpi_send", (0, tool.world, 1, 800)))
            waits = tool.now[1] - tool.now[0]
            tool.call(0, "MPI_Recv", ("mpi_recv", (1, tool.world, 1, 800)), ms=waits // MS)
            for rank in (0, 1):
                tool.out(rank, solve)

    said, text = report(made(tmp_path / "trace", tell), tmp_path / "out")
    shown = [f for f in said["findings"] if f["confidence"] != "low" and f["rule"].startswith("mpi-")]
    assert [(f["rule"], f["location"]["file"], f["location"]["line"]) for f in shown] == [
        ("mpi-late-sender", "/src/solve.c", 12)
    ]
    assert shown[0]["cost_seconds"] == pytest.approx(0.3, rel=0.1)
    assert "recorded by a tool and imported" in text
    assert "stridewise run --omp watches them" in text
    assert "while its recording was written out, for up to 3 ms (rank 0)" in text
