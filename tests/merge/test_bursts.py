"""Tiny messages: bursts, their cost on both sides, and the exchanges that only look like them."""

from __future__ import annotations

import pytest
from conftest import Merge
from programs import Steps, bandwidth, columns, master_worker, ping_pong, ring
from shards import Program, Rank, World

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.patterns import mpi_redundant_barrier, mpi_send_recv_chain, mpi_tiny_messages
from stridewise.patterns.mpi_tiny_messages import detect_mpi
from stridewise.runs.mpi.trace import Trace

pytestmark = pytest.mark.usefixtures("all_is_stated")


def findings(trace: Trace, rules: dict[str, Rule]) -> list[Finding]:
    return list(detect_mpi(trace, rules["mpi-tiny-messages"]))


def test_column_cell_by_cell(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(columns(10, 40)))
    (finding,) = findings(trace, rules)
    assert finding.args["messages"] == "1,600"
    assert finding.args["bursts"] == "40"
    assert finding.args["per_burst"] == "40"
    assert 0 < (finding.gain_seconds or 0) <= (finding.cost_seconds or 0)
    # 10 steps x 39 messages x 0.5 µs on each side
    assert finding.gain_seconds == pytest.approx(2 * 10 * 39 * 5e-7, rel=0.25)


SILENT = {
    "whole column": columns(10, 40, whole=True),
    "few cells": columns(10, 4),
    "ping-pong": ping_pong(100),
    "bandwidth test": bandwidth(10, 64),
    "master and workers": master_worker(20),
    "one message a step": ring(50, order="odd-even"),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str, merge: Merge, rules: dict[str, Rule]) -> None:
    assert findings(merge(World(4).run(SILENT[name])), rules) == []


def test_messages_of_two_places_are_no_burst(merge: Merge) -> None:
    """What goes out by turns from two lines cannot be one message of either: one of two messages could be saved."""

    def program(places: int) -> Program:
        def body(rank: Rank) -> Steps:
            for number in range(400):
                if number % 2 == 0 and number < 200:
                    yield rank.compute(1e-3)
                if rank.number % 2 == 0:
                    yield rank.send(rank.number + 1, f"send {number % places if number >= 200 else 0}")
                else:
                    yield rank.recv(rank.number - 1, "receive")

        return body

    (alternately,) = merge(World(4).run(program(2))).bursts
    (always,) = merge(World(4).run(program(1))).bursts
    assert (alternately.messages, always.messages) == (402, 800)
    assert alternately.rank_seconds[0] == pytest.approx(101 * 5e-7)
    assert always.rank_seconds[0] == pytest.approx(300 * 5e-7)


def test_large_messages_are_no_elements(merge: Merge, rules: dict[str, Rule]) -> None:
    def program(size: int) -> Program:
        def body(rank: Rank) -> Steps:
            for _ in range(20):
                if rank.number % 2 == 0:
                    yield rank.send(rank.number + 1, "send", size=size)
                else:
                    yield rank.recv(rank.number - 1, "receive")

        return body

    assert len(findings(merge(World(4).run(program(1024))), rules)) == 1
    assert findings(merge(World(4).run(program(4096))), rules) == []


def test_negligible_gain_is_silent(merge: Merge, rules: dict[str, Rule]) -> None:
    def program(rank: Rank) -> Steps:
        yield rank.compute(1.0)
        for _ in range(50):
            if rank.number % 2 == 0:
                yield rank.send(rank.number + 1, "send")
            else:
                yield rank.recv(rank.number - 1, "receive")

    assert findings(merge(World(4).run(program)), rules) == []


def test_no_second_is_charged_twice(merge: Merge, rules: dict[str, Rule]) -> None:
    """Element-wise, send-first and with a barrier: on each rank the findings' seconds stay below its MPI time."""

    def program(rank: Rank) -> Steps:
        right, left = (rank.number + 1) % rank.size, (rank.number - 1) % rank.size
        for step in range(20):
            yield rank.compute(1e-5 * ((rank.number + step) % 3))
            for _ in range(30):
                yield rank.send(right, "send")
            for _ in range(30):
                yield rank.recv(left, "receive")
            yield rank.barrier("barrier")

    trace = merge(World(6).run(program))
    modules = {
        "mpi-tiny-messages": mpi_tiny_messages,
        "mpi-send-recv-chain": mpi_send_recv_chain,
        "mpi-redundant-barrier": mpi_redundant_barrier,
    }
    found = [f for slug, module in modules.items() for f in module.detect_mpi(trace, rules[slug])]
    assert {f.rule for f in found} == set(modules)
    for rank in trace.ranks:
        charged = sum(f.evidence[0].metrics["rank_seconds"][rank.rank] for f in found)
        assert charged <= rank.mpi_seconds * 1.0001
