"""Wait states and their causes on programs of the model."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest
from conftest import Merge
from shard_files import COLLECTIVE
from shards import Call, Program, Rank, Request, World

from stridewise.catalogue import Rule
from stridewise.finding import Confidence
from stridewise.patterns import mpi_late_sender, mpi_load_imbalance, mpi_redundant_barrier, mpi_send_recv_chain
from stridewise.runs.mpi.trace import Trace, Wait

pytestmark = pytest.mark.usefixtures("all_is_stated")

Steps = Generator[Call, None, None]
LATE = 0.01


def of_kind(trace: Trace, kind: str) -> Wait:
    (wait,) = [w for w in trace.waits if w.kind == kind]
    return wait


def late_pairs(steps: int, *, late: bool = True) -> Program:
    """Even ranks compute before they send; odd ranks need the data and then compute as long."""

    def program(rank: Rank) -> Steps:
        for _ in range(steps):
            if rank.number % 2 == 0:
                if late:
                    yield rank.compute(LATE)
                yield rank.send(rank.number + 1, "send")
                if not late:
                    yield rank.compute(LATE)
            else:
                yield rank.recv(rank.number - 1, "receive")
                yield rank.compute(LATE)
            yield rank.allreduce("sum")

    return program


def relay(steps: int) -> Program:
    """Rank 0 computes, then a message goes through all ranks."""

    def program(rank: Rank) -> Steps:
        for _ in range(steps):
            if rank.number == 0:
                yield rank.compute(LATE)
            else:
                yield rank.recv(rank.number - 1, "receive")
            if rank.number + 1 < rank.size:
                yield rank.send(rank.number + 1, "send")
            yield rank.allreduce("sum")

    return program


def slow_rank(steps: int, *, slowest: int, everybody: bool = False) -> Program:
    def program(rank: Rank) -> Steps:
        for step in range(steps):
            turn = step % rank.size if slowest < 0 else slowest
            yield rank.compute(LATE if everybody or rank.number == turn else LATE / 4)
            yield rank.allreduce("sum")

    return program


def test_late_sender(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(late_pairs(10)))
    wait = of_kind(trace, "late-sender")
    assert dict(wait.waiting) == {1: pytest.approx(10 * LATE, rel=0.01), 3: pytest.approx(10 * LATE, rel=0.01)}
    assert {rank for rank, _ in wait.culprits} == {0, 2}
    assert {(c.kind, c.depth) for c in wait.causes} == {("computation", 0)}
    (finding,) = mpi_late_sender.detect_mpi(trace, rules["mpi-late-sender"])
    assert finding.confidence is Confidence.HIGH
    assert finding.cost_seconds == pytest.approx(10 * LATE, rel=0.01)
    assert finding.gain_seconds == pytest.approx(5 * LATE, rel=0.01)
    assert "ranks 1, 3 wait" in finding.message
    # The even ranks wait at the sum in turn, for what the message made late: that is no imbalance.
    assert of_kind(trace, "wait-at-nxn").seconds > 19 * LATE
    assert list(mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"])) == []


def test_sending_first_is_silent(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(late_pairs(10, late=False)))
    assert sum(w.seconds for w in trace.waits) < 1e-3
    assert list(mpi_late_sender.detect_mpi(trace, rules["mpi-late-sender"])) == []


def test_a_relayed_delay_has_one_cause(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(6).run(relay(10)))
    wait = of_kind(trace, "late-sender")
    assert sum(c.seconds for c in wait.causes if c.rank == 0) > 0.95 * wait.seconds
    assert max(c.depth for c in wait.causes) == 4
    (finding,) = mpi_late_sender.detect_mpi(trace, rules["mpi-late-sender"])
    assert "rank 0 computes" in finding.message
    assert finding.evidence[0].metrics["chain_waits"] == 5
    # It is no pipeline to be reordered: the seconds belong to the late rank.
    assert list(mpi_send_recv_chain.detect_mpi(trace, rules["mpi-send-recv-chain"])) == []


def test_late_receiver(merge: Merge) -> None:
    def program(rank: Rank) -> Steps:
        for _ in range(10):
            if rank.number == 0:
                yield rank.send(1, "send", synchronous=True, address=0x1000)
            else:
                yield rank.compute(LATE)
                yield rank.recv(0, "receive")

    wait = of_kind(merge(World(2).run(program)), "late-receiver")
    assert dict(wait.waiting) == {0: pytest.approx(10 * LATE, rel=0.01)}
    assert wait.culprits == ((1, wait.seconds),)


def test_a_wait_for_several_requests_counts_once(merge: Merge) -> None:
    def program(rank: Rank) -> Steps:
        requests: list[Request] = []
        for _ in range(10):
            left, right = (rank.number - 1) % 4, (rank.number + 1) % 4
            yield rank.irecv(left, "post", requests)
            yield rank.irecv(right, "post", requests, tag=1)
            if rank.number == 2:
                yield rank.compute(LATE)
            yield rank.isend(right, "start", requests)
            yield rank.isend(left, "start", requests, tag=1)
            yield rank.waitall("wait", requests)

    trace = merge(World(4).run(program))
    wait = of_kind(trace, "late-sender")
    waited = dict(wait.waiting)
    assert waited[1] == pytest.approx(10 * LATE, rel=0.01) == waited[3]
    assert max(waited.values()) <= 10.01 * LATE


@pytest.mark.parametrize(("slowest", "expected"), [(2, Confidence.HIGH), (-1, Confidence.LOW)])
def test_imbalance(slowest: int, expected: Confidence, merge: Merge, rules: dict[str, Rule]) -> None:
    """One slow rank is a matter of the program; another one each time, of the machine."""
    trace = merge(World(4).run(slow_rank(40, slowest=slowest)))
    (finding,) = mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"])
    assert finding.confidence is expected
    if slowest >= 0:
        assert finding.cost_seconds == pytest.approx(30 * LATE, rel=0.02)
        assert finding.gain_seconds == pytest.approx(0.75 * 30 * LATE, rel=0.02)
        assert "rank 2 computes" in finding.message


def test_waiting_worked_out_from_one_call(merge: Merge, rules: dict[str, Rule]) -> None:
    """Of a long run the first calls may be recorded only, which wait for the start."""

    def program(rank: Rank) -> Steps:
        for _ in range(20):
            if rank.number == 0:
                yield rank.compute(0.01)
                yield rank.send(1, "send")
            else:
                yield rank.recv(0, "receive")

    trace = merge(World(2).run(program))
    rule = rules["mpi-late-sender"]
    (finding,) = mpi_late_sender.detect_mpi(trace, rule)
    assert finding.confidence is not Confidence.LOW
    (wait,) = [w for w in trace.waits if w.kind == "late-sender"]
    once = replace(wait, calls=1, longest_seconds=wait.longest_seconds / 1000)
    (finding,) = mpi_late_sender.detect_mpi(replace(trace, waits=(once,)), rule)
    assert finding.confidence is Confidence.LOW


@pytest.mark.parametrize(("queued", "found"), [(0.0, 1), (1.0, 0)])
def test_messages_on_a_crowded_node(queued: float, found: int, merge: Merge, rules: dict[str, Rule]) -> None:
    """The awaited rank is in other calls of MPI, which take as long as the scheduler lets them."""

    def program(rank: Rank) -> Steps:
        for _ in range(20):
            if rank.number == 0:
                yield rank.compute(0.01)
                yield rank.send(1, "send")
            else:
                yield rank.recv(0, "receive")

    trace = merge(World(2).run(program))
    causes = [tuple(replace(c, kind="transfer") for c in w.causes) for w in trace.waits]
    waits = tuple(replace(w, causes=c) for w, c in zip(trace.waits, causes, strict=True))
    ranks = tuple(replace(r, queue_seconds=queued) for r in trace.ranks)
    crowded = replace(trace, waits=waits, ranks=ranks)
    assert len(list(mpi_late_sender.detect_mpi(crowded, rules["mpi-late-sender"]))) == found


@pytest.mark.parametrize(
    ("queued", "expected", "least"),
    [(0.1, Confidence.HIGH, 20), (0.2, Confidence.MEDIUM, 10), (0.29, Confidence.LOW, 1), (1.0, Confidence.LOW, 0)],
)
def test_imbalance_on_a_crowded_node(
    queued: float, expected: Confidence, least: float, merge: Merge, rules: dict[str, Rule]
) -> None:
    """What the slow rank queued for a processor, outside MPI, is taken off: between the two lies the program's part."""
    trace = merge(World(4).run(slow_rank(40, slowest=2)))
    ranks = tuple(replace(r, queue_seconds=queued) for r in trace.ranks)
    (finding,) = mpi_load_imbalance.detect_mpi(replace(trace, ranks=ranks), rules["mpi-load-imbalance"])
    assert finding.confidence is expected
    assert finding.cost_seconds == pytest.approx(30 * LATE, rel=0.02)
    (known,) = finding.evidence
    assert known.metrics.get("least_seconds", 30 * LATE) == pytest.approx(least * LATE, abs=0.01 * LATE)
    assert finding.gain_seconds == pytest.approx(0.75 * (least or 30) * LATE, rel=0.02)
    assert ("lacked a processor" in known.note) == (expected is not Confidence.HIGH)


def test_balanced_work_is_silent(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(slow_rank(40, slowest=0, everybody=True)))
    assert list(mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"])) == []


def test_no_second_is_counted_by_two_rules(merge: Merge, rules: dict[str, Rule]) -> None:
    def program(rank: Rank) -> Steps:
        for _ in range(20):
            yield rank.compute(LATE if rank.number == 0 else LATE / 10)
            yield rank.barrier("barrier")

    trace = merge(World(4).run(program))
    (barrier,) = mpi_redundant_barrier.detect_mpi(trace, rules["mpi-redundant-barrier"])
    (imbalance,) = mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"])
    assert imbalance.cost_seconds == pytest.approx(20 * 0.9 * LATE, rel=0.05)
    whole = [sum(seconds) for seconds in zip(*(b.rank_seconds for b in trace.barriers), strict=True)]
    for rank, seconds in enumerate(whole):
        charged = [f.evidence[0].metrics["rank_seconds"] for f in (barrier, imbalance)]
        assert sum(row[rank] for row in charged if isinstance(row, list)) == pytest.approx(seconds, rel=0.05, abs=1e-4)


def test_what_a_barrier_adds_to_work_of_changing_length_is_its_own(merge: Merge, rules: dict[str, Rule]) -> None:
    """Each rank is slow in turn: without the barrier nobody would wait."""

    def program(rank: Rank) -> Steps:
        for step in range(40):
            yield rank.compute(LATE if step % rank.size == rank.number else LATE / 10)
            yield rank.barrier("barrier")

    trace = merge(World(4).run(program))
    (barrier,) = mpi_redundant_barrier.detect_mpi(trace, rules["mpi-redundant-barrier"])
    assert barrier.confidence is Confidence.HIGH
    assert barrier.gain_seconds == pytest.approx(30 * 0.9 * LATE, rel=0.1)
    assert barrier.cost_seconds == pytest.approx(30 * 0.9 * LATE, rel=0.1)
    imbalance = list(mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"]))
    assert [f for f in imbalance if f.confidence is not Confidence.LOW] == []


def test_rooted_collectives(merge: Merge) -> None:
    """The model lets nobody wait in them: the times are what counts."""

    def program(call: str, late: bool) -> Program:
        def run(rank: Rank) -> Steps:
            for _ in range(10):
                if (rank.number == 0) == late:
                    yield rank.compute(LATE)
                number = rank.collectives[0]

                def wait(number: int = number) -> bool:
                    met = rank.world.meetings[0, number]
                    met.setdefault(rank.number, rank.now)
                    return len(met) == rank.size

                yield wait
                rank.world.meetings[0, number][rank.number] = rank.now
                arrivals = rank.world.meetings[0, number]
                begin = rank.now
                awaited = [0] if late else list(range(1, rank.size))
                if (rank.number == 0) != late:
                    rank.now = max(rank.now, *(arrivals[r] for r in awaited))
                rank.now += rank.world.overhead
                rank._record(begin, COLLECTIVE, call, call, peer=0, seq=number, size=8)
                rank.collectives[0] += 1
                yield rank.allreduce("sum")

        return run

    late = of_kind(merge(World(4).run(program("MPI_Bcast", True))), "late-broadcast")
    assert dict(late.waiting) == {r: pytest.approx(10 * LATE, rel=0.01) for r in (1, 2, 3)}
    early = of_kind(merge(World(4).run(program("MPI_Reduce", False))), "early-reduce")
    assert dict(early.waiting) == {0: pytest.approx(10 * LATE, rel=0.01)}


def test_efficiencies_multiply(merge: Merge) -> None:
    """Two phases whose slow ranks differ: balanced as a whole, and yet they wait for one another."""

    def program(rank: Rank) -> Steps:
        for step in range(20):
            yield rank.compute(LATE if step % 2 == rank.number else LATE / 2)
            yield rank.allreduce("sum")

    summary = merge(World(2).run(program)).summary
    assert summary.load_balance == pytest.approx(1, abs=0.01)
    assert summary.serialisation_efficiency == pytest.approx(0.75, abs=0.01)
    assert summary.transfer_efficiency == pytest.approx(1, abs=0.01)
    assert summary.communication_efficiency is not None
    assert summary.serialisation_efficiency is not None
    assert summary.transfer_efficiency is not None
    assert summary.communication_efficiency == pytest.approx(
        summary.serialisation_efficiency * summary.transfer_efficiency
    )
