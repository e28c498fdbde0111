"""What the interposer writes down of each kind of call."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import generate
import mpi_table
import pytest
from conftest import BUILD, PROGRAMS, TABLE, Mpi, header_of, read_shards
from shards import NO_COMM, NO_SEQ, PEER_ANY, PEER_NONE, PEER_NULL, Shard

from stridewise.collect.symbolize import symbolize
from stridewise.runs.mpi import trace_file


@pytest.fixture
def kinds(mpi: Mpi, tmp_path: Path) -> list[Shard]:
    program = mpi.compile("kinds.c")
    result = mpi.run([program], tmp_path, STRIDEWISE_QUIET="1")
    bare = mpi.run([program], None)
    assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    assert result.returncode == bare.returncode == 7
    assert "stridewise" not in result.stderr
    return read_shards(tmp_path)


def test_every_kind_of_call(kinds: list[Shard]) -> None:
    zero, one = kinds
    assert (zero.rank, one.rank, zero.size) == (0, 1, 2)
    for shard in kinds:
        assert shard.state == 3
        assert shard.crc_right
        assert not any(shard.dropped.values())
        assert shard.calls == sum(row.count for row in shard.stats)
        assert all(e.begin <= e.end for e in shard.events)
    check_messages(zero, one)
    check_requests(kinds)
    check_collectives(zero)
    check_communicators(zero, one)
    check_others(zero)


# One expectation after the other, complexity 28.
def check_messages(zero: Shard, one: Shard) -> None:
    plain = [e for e in zero.select("SEND", call="MPI_Send") if e.tag == 10]
    assert [(e.peer, e.bytes, e.seq) for e in plain] == [(1, 8, 0), (1, 8, 1), (1, 8, 2)]
    assert len({e.hash for e in plain}) == len({e.address for e in plain}) == 3
    assert [e.tag for e in zero.select("SEND", "SYNCHRONOUS", call="MPI_Ssend")] == [11]
    assert [e.tag for e in zero.select("SEND", "BUFFERED")] == [12]
    assert [e.tag for e in zero.select("SEND", "READY")] == [14]
    null = [e for e in zero.events if e.peer == PEER_NULL]
    assert [(e.call, e.hash) for e in null] == [("MPI_Send", 0)]
    wild = [e for e in one.select("RECV", call="MPI_Recv") if e.kinds & {"ANY_SOURCE", "ANY_TAG"}]
    assert [(e.peer, e.tag, e.bytes) for e in wild] == [(0, 11, 16), (0, 12, 32)]
    burst = [row for row in zero.stats if row.call == "MPI_Send" and row.count == 3]
    # An interruption of the processor may end a burst.
    assert [(row.bursts, row.burst_max, row.burst_count) for row in burst] in ([(1, 3, 3)], [(2, 2, 2)])
    for shard in (zero, one):
        halves = [e for e in shard.events if e.call == "MPI_Sendrecv" and e.tag == 20]
        assert [e.kinds & {"SEND", "RECV"} for e in halves] == [{"SEND"}, {"RECV"}]
        assert halves[0].begin == halves[1].begin
        strided = [e for e in shard.select("SEND", call="MPI_Sendrecv") if e.tag == 60]
        assert [(e.bytes, e.hash) for e in strided] == [(32, 0)]
    # Each message that one rank counts as sent, the other counts as received, by the same number.
    for sender, receiver in ((zero, one), (one, zero)):
        assert departures(sender, receiver) == arrivals(receiver, sender)


def check_requests(kinds: list[Shard]) -> None:
    for shard in kinds:
        started = {e.request for e in shard.select("START")}
        finished = [e.request for e in shard.select("COMPLETE")]
        assert started == set(finished)
        assert len(finished) == len(set(finished))
        assert 0 not in started
        assert len(shard.select("WAIT")) >= 12
        posted = [e for e in shard.select("START", "RECV") if e.tag == 31]
        assert [(e.peer, e.seq) for e in posted] == [(PEER_ANY, NO_SEQ)]
        matched = [e for e in shard.select("COMPLETE", "RECV") if e.tag == 31]
        assert [(e.peer, e.seq) for e in matched] == [(1 - shard.rank, 0)]
        persistent = [e for e in shard.select("START", "SEND") if e.tag == 35]
        assert [(e.call, e.seq, e.bytes) for e in persistent] == [
            ("MPI_Startall", 0, 24),
            ("MPI_Startall", 1, 24),
            ("MPI_Start", 2, 24),
        ]
        probes = shard.select("PROBE")
        assert [(e.call, e.peer, e.bytes) for e in probes] == [
            ("MPI_Probe", 1 - shard.rank, 16),
            ("MPI_Mprobe", 1 - shard.rank, 16),
        ]
        assert shard.count("MPI_Iprobe") == 1


def check_collectives(zero: Shard) -> None:
    expected = {
        "MPI_Barrier": (0, PEER_NONE, True),
        "MPI_Bcast": (32, 1, False),
        "MPI_Reduce": (16, 0, False),
        "MPI_Allreduce": (16, PEER_NONE, True),
        "MPI_Gather": (8, 0, False),
        "MPI_Gatherv": (8, 0, False),
        "MPI_Scatter": (8, 0, False),
        "MPI_Allgather": (16, PEER_NONE, True),
        "MPI_Allgatherv": (8, PEER_NONE, True),
        "MPI_Alltoall": (48, PEER_NONE, True),
        "MPI_Alltoallv": (0, PEER_NONE, False),  # nobody sends anything: nobody waits for anybody
        "MPI_Ibarrier": (0, PEER_NONE, True),
        "MPI_Iallreduce": (8, PEER_NONE, True),
    }
    on_world = [e for e in zero.select("COLLECTIVE") if e.comm == 0 and "COMPLETE" not in e.kinds]
    seen = {e.call: (e.bytes, e.peer, "FULL_SYNC" in e.kinds) for e in on_world if "COMM" not in e.kinds}
    assert seen == expected
    assert [e.seq for e in on_world] == list(range(len(on_world)))
    assert zero.comms[0][4] == len(on_world)
    assert all("BARRIER" in e.kinds for e in zero.events if e.call in {"MPI_Barrier", "MPI_Ibarrier"})


def check_communicators(zero: Shard, one: Shard) -> None:
    assert zero.comms[0][0] == one.comms[0][0] == 1
    assert zero.comms[1][0] == one.comms[1][0] == 2
    assert [c[0] for c in zero.comms[2:]] == [c[0] for c in one.comms[2:]]
    assert len({c[0] for c in zero.comms}) == 5
    assert zero.members_of(2) == [0, 1]
    assert zero.members_of(3) == zero.members_of(4) == [1, 0]
    (received,) = [e for e in zero.select("RECV") if e.tag == 50]
    (sent,) = [e for e in one.select("SEND") if e.tag == 50]
    assert (received.peer, sent.peer) == (1, 0)
    (barrier,) = [e for e in zero.select("BARRIER") if e.comm == 4]
    assert barrier.seq == 0


def check_others(zero: Shard) -> None:
    assert [(e.call, e.bytes) for e in zero.select("RMA")] == [
        ("MPI_Win_create", 0),
        ("MPI_Win_fence", 0),
        ("MPI_Put", 32),
        ("MPI_Win_fence", 0),
        ("MPI_Win_free", 0),
    ]
    assert {e.comm for e in zero.select("RMA")} == {0}
    assert len(zero.select("TIMER")) == 2


# Those are tested in test_life.py, or have no place in the totals.
ELSEWHERE = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join"}
ELSEWHERE |= {"MPI_Comm_create_from_group", "MPI_Intercomm_create_from_groups"}


def test_all_calls(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("calls.c")
    result = mpi.run([program, tmp_path / "data"], tmp_path / "out")
    bare = mpi.run([program, tmp_path / "data"], None)
    assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines()) != []
    shards = read_shards(tmp_path / "out")
    header = generate.read_header(header_of(mpi.flavour))
    rows = [row for row in generate.wrapped_calls(mpi_table.load(TABLE)) if row.name in header]
    lifecycle = {row.name for row in rows if row.kind in mpi_table.LIFECYCLE}
    for shard in shards:
        assert shard.state == 3
        assert not any(shard.dropped.values())
        unseen = {row.name for row in rows if not shard.count(row.name)} - lifecycle - ELSEWHERE
        # Rank 0 deletes the file, and one rank sends what the other receives.
        assert unseen <= {"MPI_File_delete", "MPI_Recv"} if shard.rank == 0 else unseen == {"MPI_File_delete"}
        started = [e.request for e in shard.select("START")]
        finished = [e.request for e in shard.select("COMPLETE")]
        assert len(started) == len(set(started))
        assert sorted(started) == sorted(finished)
        assert all(e.comm != NO_COMM for e in shard.events if not e.kinds & {"WAIT", "TIMER"} and e.call not in LOCAL)
        on_world = [e.seq for e in shard.select("COLLECTIVE") if e.comm == 0 and "COMPLETE" not in e.kinds]
        assert on_world == list(range(len(on_world)))
    for sender, receiver in (shards, reversed(shards)):
        assert arrivals(receiver, sender) == departures(sender, receiver)
    if "MPI_Psend_init" in header:
        (sent, again) = [e for e in shards[0].select("SEND", "START") if e.tag < 0]
        assert (sent.call, sent.bytes, sent.seq, again.seq) == ("MPI_Pready_list", 384, 0, 1)


LOCAL = {"MPI_File_delete", "MPI_Comm_free"}


def departures(sender: Shard, receiver: Shard) -> Counter[tuple[int, int, int, int]]:
    return Counter(
        (sender.comms[e.comm][0], e.tag, e.seq, e.bytes)
        for e in sender.select("SEND")
        if "COMPLETE" not in e.kinds and e.peer == receiver.rank
    )


def arrivals(receiver: Shard, sender: Shard) -> Counter[tuple[int, int, int, int]]:
    return Counter(
        (receiver.comms[e.comm][0], e.tag, e.seq, e.bytes)
        for e in receiver.select("RECV")
        if "START" not in e.kinds and e.peer == sender.rank and e.seq != NO_SEQ
    )


def test_large_counts_are_the_same_calls(mpi: Mpi, tmp_path: Path) -> None:
    if "MPI_Send_c" not in generate.read_header(header_of(mpi.flavour)):
        pytest.skip("no calls with large counts")
    seen = []
    for name, flags in (("int", ()), ("large", ("-DLARGE",))):
        program = mpi.compile("calls.c", *flags)
        result = mpi.run([program, tmp_path / "data"], tmp_path / name)
        bare = mpi.run([program, tmp_path / "data"], None)
        assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines()) != []
        seen.append(
            [
                Counter(
                    (e.call, e.comm, e.peer, e.tag, e.seq, e.bytes, e.kinds)
                    for e in shard.events
                    if not e.kinds & {"WAIT", "COMPLETE", "PROBE"}
                )
                for shard in read_shards(tmp_path / name)
            ]
        )
    assert seen[0] == seen[1]


@pytest.mark.parametrize("binding", [1, 2, 3], ids=["mpif.h", "mpi", "mpi_f08"])
def test_fortran_bindings(mpi: Mpi, binding: int, tmp_path: Path) -> None:
    large = "MPI_Send_c" in generate.read_header(header_of(mpi.flavour)) and binding == 3
    program = mpi.compile("bindings.F90", f"-DBINDING={binding}", *(["-DLARGE"] if large else []))
    result = mpi.run([program], tmp_path / "out")
    bare = mpi.run([program], None)
    assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines()) != []
    assert result.returncode == bare.returncode == 0
    for shard in read_shards(tmp_path / "out"):
        check_fortran(shard, large)
        # Open MPI's mpi_f08 module binds MPI_Wtime to the C function itself; output is that of Fortran's library.
        names = {row.call for row in shard.stats if row.call.startswith("MPI_")} - {"MPI_Wtime"}
        assert all(shard.path_flags[row.path] & 2 for row in shard.stats if row.call in names)
    # Every call site lies in the program's own source, on the line of that call.
    source = (PROGRAMS / "bindings.F90").read_text(encoding="utf-8").splitlines()
    merge: list[str | Path] = [
        BUILD / "bin" / "stridewise-merge",
        tmp_path / "out" / "mpi",
        "-o",
        tmp_path / "trace.json",
    ]
    subprocess.run(merge, check=True)
    merged, notes = symbolize(trace_file.load(tmp_path / "trace.json"))
    assert not notes
    for call in merged.calls:
        if not call.call.startswith("MPI_"):
            continue
        assert call.path is not None
        frame = merged.paths[call.path].frames[0]
        assert Path(frame.file).name == "bindings.F90"
        assert re.search(rf"\b{call.call}\b", source[frame.line - 1])


def check_fortran(shard: Shard, large: bool) -> None:
    peer = 1 - shard.rank
    for name in ("MPI_Sendrecv", "MPI_Win_allocate", "MPI_Put", "MPI_File_write"):
        assert shard.count(name) == 1
    assert [e.bytes for e in shard.select(call="MPI_Bcast")] == [64] * (2 if large else 1)
    if shard.rank == 0:
        sent = shard.select("SEND", call="MPI_Send")
        assert [(e.peer, e.bytes, e.seq) for e in sent] == [(1, 8, 0), (1, 16, 1), (1, 24, 2), (1, 16, 0)]
        # Behind MPI_BOTTOM is the true address, and its payload was read there.
        assert sent[3].address == sent[0].address + 16
        assert sent[3].hash == sent[1].hash != 0
    else:
        received = shard.select("RECV", "ANY_SOURCE", call="MPI_Recv")
        assert [(e.peer, e.bytes, e.seq) for e in received] == [(0, 8, 0), (0, 16, 1), (0, 24, 2)]
    # Of an array section there is either a copy without gaps or none that could be read.
    (section,) = [e for e in shard.select("SEND", call="MPI_Isend") if e.tag == 11]
    assert section.bytes == 16
    done = [e for e in shard.select("COMPLETE", "RECV") if e.tag == 7]
    assert [(e.peer, e.bytes) for e in done] == [(peer, 16)]
    assert sorted(e.call for e in shard.select("COMPLETE") if e.tag == 8) == ["MPI_Waitany"] * 2 + ["MPI_Waitsome"] * 2
    assert [(e.call, e.bytes) for e in shard.select("RECV") if e.tag == 9] == [("MPI_Mrecv", 16)]
    assert [e.call for e in shard.select("COMPLETE", "SEND") if e.tag == 9] == ["MPI_Test"]
    started = [e.request for e in shard.select("START")]
    assert sorted(started) == sorted(e.request for e in shard.select("COMPLETE"))
    assert [e.bytes for e in shard.select("COLLECTIVE", call="MPI_Allreduce")] == [16]
    (barrier,) = shard.select("BARRIER")
    assert shard.members_of(barrier.comm) == [shard.rank]
    assert [(e.peer, e.bytes, e.comm) for e in shard.select("RMA", call="MPI_Put")] == [(peer, 32, 0)]
    assert [e.bytes for e in shard.select("IO", call="MPI_File_write")] == [64]


@cache
def line_of(path: str, address: int) -> tuple[str, int]:
    """(file name, line) of an address in a file's own space."""
    command = ["llvm-symbolizer-19", "--no-inlines", f"--obj={path}", hex(address)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[1]
    file, line, _ = text.rsplit(":", 2)
    return Path(file).name, int(line)


def symbolise(shard: Shard, address: int) -> tuple[str, int]:
    """(file name, line) of a runtime address."""
    (module,) = [m for m in shard.modules if m.begin <= address < m.end]
    return line_of(module.path, address - module.bias)


def test_call_paths(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("paths.c", "-fno-inline")
    mpi.run([program], tmp_path)
    shard = read_shards(tmp_path)[0]
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)
    (module,) = [m for m in shard.modules if m.path == str(program)]
    assert module.build_id == (build_id[1] if build_id else "")
    assert shard.executable == str(program)
    counts: Counter[tuple[int, ...]] = Counter()
    for row in shard.stats:
        if row.call == "MPI_Sendrecv_replace":
            counts[tuple(symbolise(shard, a)[1] for a in shard.paths[row.path])] += row.count
    lines = {
        int(number): index
        for index, text in enumerate((PROGRAMS / "paths.c").read_text(encoding="utf-8").splitlines(), 1)
        for number in re.findall(r"line (\d+) \*/", text)
    }
    here = [lines[n] for n in (10, 15, 20, 28, 37, 38, 39)]
    helper, in_left, in_right, in_varying, main_left, main_right, main_varying = here
    assert counts == {
        (helper, in_left, main_left): 400,
        (helper, in_right, main_right): 400,
        (helper, in_right, in_varying, main_varying): 400,
    }
