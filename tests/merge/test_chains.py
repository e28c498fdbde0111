"""Send-receive chains: orders that chain, and the same exchange in orders that do not."""

from __future__ import annotations

import pytest
from conftest import Merge
from programs import Steps, bandwidth, columns, master_worker, ping_pong, pipeline, ring, stencil
from shards import Program, Rank, Request, World

from stridewise.catalogue import Rule
from stridewise.patterns.mpi_send_recv_chain import detect_mpi
from stridewise.runs.mpi.trace import Chain, Trace

pytestmark = pytest.mark.usefixtures("all_is_stated")


def chain(trace: Trace) -> Chain:
    (found,) = trace.chains
    return found


@pytest.mark.parametrize("steps", [10, 1000])
@pytest.mark.parametrize("rendezvous", [False, True])
def test_open_line_is_a_chain(steps: int, rendezvous: bool, merge: Merge, rules: dict[str, Rule]) -> None:
    world = World(4 if steps > 10 else 6, rendezvous=rendezvous)
    trace = merge(world.run(ring(steps, order="send-first", periodic=False)))
    found = chain(trace)
    assert (found.kind, found.rendezvous_length, found.data_length) == ("send-order-chain", world.size - 1, 1)
    assert found.instances == steps
    (finding,) = detect_mpi(trace, rules["mpi-send-recv-chain"])
    assert finding.args["chain"] == world.size - 1
    assert 0 <= (finding.gain_seconds or 0) <= (finding.cost_seconds or 0)


def test_ring_is_unsafe_though_eager(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(6).run(ring(10, order="send-first")))
    found = chain(trace)
    assert (found.kind, found.rendezvous_length, found.instances) == ("unsafe-ring", 6, 10)
    (finding,) = detect_mpi(trace, rules["mpi-send-recv-chain"])
    assert "ring" in finding.message


@pytest.mark.parametrize("order", ["odd-even", "sendrecv", "irecv", "isend"])
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("steps", [10, 300])
def test_good_orders_are_silent(order: str, periodic: bool, steps: int, merge: Merge) -> None:
    assert merge(World(6).run(ring(steps, order=order, periodic=periodic))).chains == ()


@pytest.mark.parametrize("order", ["sendrecv", "nonblocking"])
@pytest.mark.parametrize("grid", [0, 3, 4])
@pytest.mark.parametrize("steps", [10, 1000])
def test_stencil_is_silent_at_any_length(order: str, grid: int, steps: int, merge: Merge) -> None:
    """One helper on one path for all directions; nothing synchronises the steps."""
    size = {0: 6, 3: 9, 4: 12}[grid] if steps < 1000 else {0: 4, 3: 6, 4: 8}[grid]
    assert merge(World(size).run(stencil(steps if grid == 0 else steps // 4, order=order, columns=grid))).chains == ()


@pytest.mark.parametrize("steps", [10, 1000])
def test_blocking_stencil_is_a_chain_at_any_length(steps: int, merge: Merge) -> None:
    found = chain(merge(World(6).run(stencil(steps, order="send-first"))))
    assert (found.kind, found.rendezvous_length, found.instances) == ("send-order-chain", 5, steps)


def test_rows_of_a_grid_chain(merge: Merge) -> None:
    """Five columns: each row is a chain of four, far less than half of all ranks."""
    found = chain(merge(World(15).run(stencil(10, order="send-first", columns=5))))
    assert (found.kind, found.rendezvous_length) == ("send-order-chain", 4)


def test_synchronous_sends_cost_the_chain(merge: Merge, rules: dict[str, Rule]) -> None:
    """Here the chain takes its time: rank 0 waits for all the others."""
    trace = merge(World(6, latency=1e-4).run(ring(20, order="ssend", periodic=False)))
    (finding,) = detect_mpi(trace, rules["mpi-send-recv-chain"])
    assert (finding.cost_seconds or 0) > 0


def test_below_four_ranks_nobody_can_tell(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(3).run(ring(10, order="send-first")))
    assert chain(trace).kind == "cannot-tell"
    assert list(detect_mpi(trace, rules["mpi-send-recv-chain"])) == []


def test_pipeline(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(6).run(pipeline(10, filled=False)))
    found = chain(trace)
    assert (found.kind, found.data_length, found.overlapped) == ("pipeline", 5, False)
    (finding,) = detect_mpi(trace, rules["mpi-send-recv-chain"])
    assert finding.message.startswith("pipeline: 5 messages")


def test_filled_pipeline_is_silent(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(6).run(pipeline(30, filled=True)))
    assert chain(trace).overlapped
    assert list(detect_mpi(trace, rules["mpi-send-recv-chain"])) == []


@pytest.mark.parametrize("program", [ping_pong(50), bandwidth(10, 64), master_worker(10), columns(10, 20, whole=True)])
def test_other_exchanges_are_silent(program: Program, merge: Merge) -> None:
    assert merge(World(6).run(program)).chains == ()


def test_all_sends_before_all_receives(merge: Merge) -> None:
    """Both neighbours first, then both receives: a cycle of two even on an open line."""

    def program(rank: Rank) -> Steps:
        near = [n for n in (rank.number - 1, rank.number + 1) if 0 <= n < rank.size]
        for _ in range(5):
            for target in near:
                yield rank.send(target, "send")
            for source in near:
                yield rank.recv(source, "receive")

    assert chain(merge(World(5).run(program))).kind == "unsafe-ring"


def test_binary_tree_is_silent(merge: Merge) -> None:
    """A hand-made reduction: its depth grows as the logarithm of the ranks."""

    def program(rank: Rank) -> Steps:
        for _ in range(5):
            step = 1
            while step < rank.size:
                if rank.number % (2 * step):
                    yield rank.send(rank.number - step, "up")
                    break
                if rank.number + step < rank.size:
                    yield rank.recv(rank.number + step, "gather")
                step *= 2
            yield rank.allreduce("sum")

    assert merge(World(16).run(program)).chains == ()


def test_messages_across_a_synchronisation_do_not_chain(merge: Merge) -> None:
    """Posted before the barrier, sent after it."""

    def program(rank: Rank) -> Steps:
        for _ in range(10):
            requests: list[Request] = []
            yield rank.irecv((rank.number - 1) % rank.size, "post", requests)
            yield rank.allreduce("sum")
            yield rank.send((rank.number + 1) % rank.size, "send")
            yield rank.waitall("wait", requests)

    assert merge(World(6).run(program)).chains == ()
