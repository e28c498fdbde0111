"""Sleep and output in a run: on programs of the model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import Merge
from shard_files import BARRIER, FULL_SYNC, OTHER_IO, PRINT
from shards import Program, Rank, World

from stridewise.catalogue import Rule
from stridewise.finding import Confidence
from stridewise.patterns import mpi_late_sender, mpi_load_imbalance, mpi_serial_io, run_sleep_in_loop
from stridewise.runs.mpi.trace import Frame, Trace

pytestmark = pytest.mark.usefixtures("all_is_stated")


def naps(steps: int, seconds: float, asks: int = 0) -> Program:
    def program(rank: Rank):  # type: ignore[no-untyped-def]
        for _ in range(steps):
            yield rank.compute(0.01)
            if rank.number == 1:
                for _ in range(asks):
                    yield rank.other("MPI_Test", "ask", 0)
                yield rank.other("sleep", "nap", 0, seconds)
            yield rank.allreduce("sum")

    return program


def in_functions(trace: Trace) -> Trace:
    """Each path in the function of its own number but for the first two, which share one."""
    paths = [i for i, _ in enumerate(trace.paths)]
    by_call = {call.path: call.call for call in trace.calls}
    return trace.with_frames(
        {
            p: (Frame("wait" if by_call.get(p) in ("sleep", "MPI_Test") else f"f{p}", "/s/code.c", 10 + p),)
            for p in paths
        }
    )


def test_sleep_is_priced(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(naps(10, 0.005)))
    (finding,) = run_sleep_in_loop.detect_mpi(trace, rules["run-sleep-in-loop"])
    assert finding.confidence is Confidence.HIGH
    assert finding.gain_seconds == pytest.approx(0.05, rel=0.01)
    assert finding.args["rank"] == 1
    assert finding.args["times"] == "10"


@pytest.mark.parametrize(("steps", "seconds"), [(2, 0.005), (10, 1e-5)])
def test_few_or_short_naps_are_silent(steps: int, seconds: float, merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(naps(steps, seconds)))
    assert list(run_sleep_in_loop.detect_mpi(trace, rules["run-sleep-in-loop"])) == []


@pytest.mark.parametrize(("asks", "confidence"), [(1, Confidence.LOW), (0, Confidence.HIGH)])
def test_naps_between_questions_are_unsure(
    asks: int, confidence: Confidence, merge: Merge, rules: dict[str, Rule]
) -> None:
    trace = in_functions(merge(World(4).run(naps(10, 0.005, asks))))
    (finding,) = run_sleep_in_loop.detect_mpi(trace, rules["run-sleep-in-loop"])
    assert finding.confidence is confidence


def output(flag: int, writers: set[int]) -> Program:
    def program(rank: Rank):  # type: ignore[no-untyped-def]
        for _ in range(5):
            yield rank.sendrecv((rank.number + 1) % rank.size, (rank.number - 1) % rank.size, "halo")
            yield rank.compute(0.001)
            effect = flag if rank.number in writers else 0
            yield rank.collective("MPI_Barrier", "sync", flags=BARRIER | FULL_SYNC | effect, size=0)

    return program


@pytest.mark.parametrize(
    ("flag", "writers", "verdict"),
    [
        (0, set(), "redundant"),
        (OTHER_IO, {0}, "needed"),
        (PRINT, {0}, "redundant"),
        (PRINT, {0, 2}, "needed"),
    ],
)
def test_output_beside_a_barrier(flag: int, writers: set[int], verdict: str, merge: Merge) -> None:
    (found,) = merge(World(4).run(output(flag, writers))).barriers
    assert found.verdict == verdict
    assert not writers or verdict == "redundant" or {w.reason for w in found.kept} == {"outside-effect"}


def collected(effect: int, wrote: dict[int, float]) -> Program:
    def program(rank: Rank):  # type: ignore[no-untyped-def]
        for _ in range(5):
            yield rank.compute(0.001)
            yield rank.collective("MPI_Gather", "collect", flags=0, root=0, size=100_000)
            if rank.number in wrote:
                yield rank.compute(wrote[rank.number])
            yield rank.collective("MPI_Allreduce", "sum", flags=FULL_SYNC | (effect if rank.number == 0 else 0))

    return program


def with_writes(trace: Trace, wrote: dict[int, float]) -> Trace:
    some = trace.calls[0]
    seconds = tuple(5 * wrote.get(r, 0.0) for r in range(len(trace.ranks)))
    return replace(trace, calls=(*trace.calls, replace(some, call="write", rank_seconds=seconds, ranks=None)))


@pytest.mark.parametrize(
    ("effect", "wrote", "confidence"),
    [
        (0, {0: 0.004}, Confidence.LOW),
        (OTHER_IO, {0: 0.004}, Confidence.HIGH),
        (OTHER_IO, {0: 0.004, 2: 0.004}, Confidence.MEDIUM),
    ],
)
def test_serial_output(
    effect: int, wrote: dict[int, float], confidence: Confidence, merge: Merge, rules: dict[str, Rule]
) -> None:
    trace = with_writes(merge(World(4).run(collected(effect, wrote))), wrote if effect else {})
    (finding,) = mpi_serial_io.detect_mpi(trace, rules["mpi-serial-io"])
    assert finding.confidence is confidence


def received(effect: int, seconds: float) -> Program:
    """Rank 0 receives the block of each rank in turn, and is busy with it before the next."""

    def program(rank: Rank):  # type: ignore[no-untyped-def]
        for _ in range(5):
            yield rank.compute(0.001)
            if rank.number == 0:
                for other in range(1, rank.size):
                    yield rank.recv(other, "collect", flags=effect if other > 1 else 0)
                    yield rank.compute(seconds)
            else:
                yield rank.send(0, "deliver", size=100_000)
            yield rank.collective("MPI_Allreduce", "sum", flags=FULL_SYNC | (effect if rank.number == 0 else 0))

    return program


def test_serial_output_of_a_loop_of_receives(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(received(OTHER_IO, 0.002)))
    (finding,) = mpi_serial_io.detect_mpi(trace, rules["mpi-serial-io"])
    assert finding.message.startswith("rank 0 collects 100,000 B from each of 4 ranks, 5 times, and is then busy alone")
    assert finding.evidence[0].metrics["alone_seconds"] == pytest.approx(5 * 3 * 0.002, rel=0.05)
    # What is written one by one is not summed up in the buffer.
    assert [f.kind for f in trace.fans] == ["gather"]


def test_a_loop_of_receives_without_output_is_no_serial_output(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(received(0, 0.002)))
    assert not list(mpi_serial_io.detect_mpi(trace, rules["mpi-serial-io"]))
    assert [f.kind for f in trace.fans] == ["reduce"]


@pytest.mark.parametrize(("effect", "told_twice"), [(OTHER_IO, False), (0, True)])
def test_what_others_wait_for_serial_output_is_counted_once(
    effect: int, told_twice: bool, merge: Merge, rules: dict[str, Rule]
) -> None:
    trace = merge(World(4).run(received(effect, 0.002)))
    waits = [
        *mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"]),
        *mpi_late_sender.detect_mpi(trace, rules["mpi-late-sender"]),
    ]
    assert any((f.cost_seconds or 0) > 0.5 * 5 * 3 * 0.002 for f in waits) is told_twice
