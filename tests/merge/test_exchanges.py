"""Duplicates, hand-made collectives, missing overlap, calls of several threads, gathers: on programs of the model."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from conftest import Merge
from shard_files import ANY
from shards import Call, Program, Rank, Request, World

from stridewise.catalogue import Rule
from stridewise.finding import Confidence
from stridewise.patterns import mpi_duplicate_exchange, mpi_handmade_collective, mpi_no_overlap, mpi_thread_level

pytestmark = pytest.mark.usefixtures("all_is_stated")

Steps = Generator[Call, None, None]
BUFFER = 0x7000


def sent_twice(steps: int, *, changed: bool = False, constant: bool = False, answered: bool = False) -> Program:
    """Rank 0 sends a block to rank 1, twice in a step."""

    def program(rank: Rank) -> Steps:
        for step in range(steps):
            yield rank.compute(1e-3)
            for again in range(1 if constant else 2):
                if rank.number == 0:
                    news = 1 if constant else 100 + 2 * step + (again if changed else 0)
                    yield rank.send(1, "again" if again else "send", size=800, address=BUFFER, payload=news)
                    if answered:
                        yield rank.recv(1, "answer")
                else:
                    yield rank.recv(0, "receive")
                    if answered:
                        yield rank.send(0, "reply", size=800, address=BUFFER, payload=1)

    return program


def test_a_message_sent_twice(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(2).run(sent_twice(20)))
    (site,) = trace.duplicates
    assert (site.messages, site.compared, site.at_once, site.constant) == (20, 20, 20, 0)
    (finding,) = mpi_duplicate_exchange.detect_mpi(trace, rules["mpi-duplicate-exchange"])
    assert finding.message.startswith("20 messages of 800 B repeat")
    assert finding.cost_seconds is not None
    # Not the waiting for the sender's computation.
    assert finding.cost_seconds < 20 * 1e-4


def test_an_exchange_that_is_made_twice(merge: Merge) -> None:
    """Both halves of the second call are in vain."""

    def program(rank: Rank) -> Steps:
        other = 1 - rank.number
        for step in range(20):
            yield rank.compute(1e-4)
            for _ in range(2):
                yield rank.sendrecv(other, other, "exchange", size=800, payload=step + 1)

    (site,) = merge(World(2, latency=0, overhead=1e-5).run(program)).duplicates
    assert site.messages == 40
    assert dict(site.own) == pytest.approx({0: 20 * 1e-5, 1: 20 * 1e-5}, rel=0.05)


@pytest.mark.parametrize(("turns", "expected"), [(2, Confidence.HIGH), (3, Confidence.LOW)])
def test_the_last_turn_of_a_loop_that_converges(
    turns: int, expected: Confidence, merge: Merge, rules: dict[str, Rule]
) -> None:
    """It sends what the turn before has sent, since nothing has changed: of three turns that is no habit."""

    def program(rank: Rank) -> Steps:
        for step in range(20):
            yield rank.compute(1e-4)
            for turn in range(turns):
                if rank.number == 0:
                    news = 100 * step + min(turn, turns - 2) + 1
                    yield rank.send(1, "send", size=800, address=BUFFER, payload=news)
                else:
                    yield rank.recv(0, "receive")

    found = list(mpi_duplicate_exchange.detect_mpi(merge(World(2).run(program)), rules["mpi-duplicate-exchange"]))
    assert [f.confidence for f in found] == [expected]


def test_changed_data_are_news(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(2).run(sent_twice(20, changed=True)))
    assert list(mpi_duplicate_exchange.detect_mpi(trace, rules["mpi-duplicate-exchange"])) == []


def test_constant_data_in_every_step(merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(2).run(sent_twice(20, constant=True)))
    (site,) = trace.duplicates
    assert (site.messages, site.at_once, site.constant) == (19, 0, 19)
    # A field at rest does the same, so that the source has to say it, too.
    assert [f.confidence for f in mpi_duplicate_exchange.detect_mpi(trace, rules["mpi-duplicate-exchange"])] == [
        Confidence.LOW
    ]


def test_an_echo_is_a_measurement(merge: Merge) -> None:
    assert merge(World(2).run(sent_twice(20, constant=True, answered=True))).duplicates == ()


def fan_out(steps: int, *, kind: str) -> Program:
    def program(rank: Rank) -> Steps:
        for step in range(steps):
            others = range(1, rank.size)
            if kind == "neighbours":
                others = range(1, 3)
            if rank.number == 0:
                for other in others:
                    if kind in ("gather", "reduce", "any"):
                        yield rank.recv(ANY if kind == "any" else other, "collect")
                    else:
                        if kind == "on demand":
                            yield rank.recv(other, "answer", tag=1)
                        same = kind == "broadcast"
                        address = BUFFER if same or kind == "refilled" else BUFFER + 8 * other
                        yield rank.send(other, "share", address=address, payload=step if same else step + other)
                    if kind == "questions":
                        yield rank.recv(other, "answer", tag=1)
            elif rank.number in others:
                if kind == "on demand":
                    yield rank.send(0, "reply", tag=1, address=BUFFER)
                if kind in ("gather", "reduce", "any"):
                    yield rank.send(0, "deliver", address=BUFFER)
                else:
                    yield rank.recv(0, "receive")
                if kind == "questions":
                    yield rank.send(0, "reply", tag=1, address=BUFFER)
            yield rank.compute(1e-4)

    return program


@pytest.mark.parametrize(
    ("kind", "call"),
    [("broadcast", "MPI_Bcast"), ("scatter", "MPI_Scatter"), ("refilled", "MPI_Scatter"), ("gather", "MPI_")],
)
def test_hand_made_collectives(kind: str, call: str, merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(8).run(fan_out(10, kind=kind)))
    (finding,) = mpi_handmade_collective.detect_mpi(trace, rules["mpi-handmade-collective"])
    assert (finding.args["partners"], finding.args["rounds"], finding.args["steps"]) == (7, "10", 3)
    assert call in str(finding.args["collective"])
    assert 0 < (finding.gain_seconds or 0) < (finding.cost_seconds or 0)


def test_rounds_of_few_ranks_name_no_steps_to_save(merge: Merge, rules: dict[str, Rule]) -> None:
    (finding,) = mpi_handmade_collective.detect_mpi(
        merge(World(3).run(fan_out(10, kind="broadcast"))), rules["mpi-handmade-collective"]
    )
    assert "2 steps, and one more with each rank" in finding.message


@pytest.mark.parametrize(
    ("ranks", "even", "sure"), [(4, True, "low"), (8, True, "medium"), (8, False, "low"), (28, False, "high")]
)
def test_all_to_all_or_neighbours(ranks: int, even: bool, sure: str, merge: Merge, rules: dict[str, Rule]) -> None:
    """With a few ranks, blocks that exchange borders of different sizes are neighbours of all others, and of four ranks
    each may be any other's neighbour."""

    def program(rank: Rank) -> Steps:
        for step in range(5):
            for distance in range(1, rank.size):
                other = (rank.number + distance) % rank.size
                size = 800 if even or distance % 2 else 8
                yield rank.send(other, "out", size=size, address=BUFFER + 800 * other, payload=step + other)
            for distance in range(1, rank.size):
                yield rank.recv((rank.number - distance) % rank.size, "in")
            yield rank.compute(1e-5)

    trace = merge(World(ranks).run(program))
    out = [f for f in trace.fans if f.kind == "all-to-all"]
    assert {f.even for f in out} == {even}
    findings = mpi_handmade_collective.detect_mpi(trace, rules["mpi-handmade-collective"])
    assert {f.confidence.value for f in findings} == {sure}


@pytest.mark.parametrize("kind", ["questions", "on demand", "neighbours", "any"])
def test_other_rounds_are_silent(kind: str, merge: Merge) -> None:
    assert merge(World(8).run(fan_out(10, kind=kind))).fans == ()


def test_the_middle_of_a_row_is_no_root(merge: Merge) -> None:
    """Of three ranks in a row the middle one exchanges with all others, which call from the same place."""

    def program(rank: Rank) -> Steps:
        for step in range(10):
            partners = [p for p in (rank.number - 1, rank.number + 1) if 0 <= p < rank.size]
            for partner in partners:
                yield rank.send(partner, "out", size=800, address=BUFFER + 800 * partner, payload=step + partner)
            for partner in partners:
                yield rank.recv(partner, "in")
            yield rank.compute(1e-5)

    assert merge(World(3).run(program)).fans == ()


@pytest.mark.parametrize("overlapped", [False, True])
def test_overlap(overlapped: bool, merge: Merge, rules: dict[str, Rule]) -> None:
    def program(rank: Rank) -> Steps:
        requests: list[Request] = []
        other = 1 - rank.number
        for _ in range(20):
            yield rank.irecv(other, "post", requests)
            yield rank.isend(other, "start", requests)
            if overlapped:
                yield rank.compute(1e-4)
            yield rank.waitall("wait", requests)
            yield rank.compute(1e-4)

    trace = merge(World(2, latency=2e-5).run(program))
    found = list(mpi_no_overlap.detect_mpi(trace, rules["mpi-no-overlap"]))
    assert len(found) == (0 if overlapped else 1)
    if found:
        assert found[0].confidence is Confidence.MEDIUM  # only the source knows what part of the computation needs them
        assert found[0].gain_seconds == pytest.approx(20 * 2e-5, rel=0.2)


def test_work_on_what_came_is_no_chance_of_overlap(merge: Merge, rules: dict[str, Rule]) -> None:
    """What is computed behind the messages takes no longer than to look at each byte that came."""

    def program(rank: Rank) -> Steps:
        requests: list[Request] = []
        other = 1 - rank.number
        for _ in range(20):
            yield rank.irecv(other, "post", requests)
            yield rank.isend(other, "start", requests, size=200_000)
            yield rank.waitall("wait", requests)
            yield rank.compute(1e-4)

    trace = merge(World(2, latency=2e-5).run(program))
    (found,) = mpi_no_overlap.detect_mpi(trace, rules["mpi-no-overlap"])
    assert found.confidence is Confidence.LOW


@pytest.mark.parametrize(("level", "found"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_calls_of_another_thread(level: int, found: int, merge: Merge, rules: dict[str, Rule]) -> None:
    def program(rank: Rank) -> Steps:
        for step in range(10):
            yield rank.allreduce("sum")
            rank.events[-1].thread = step % 2

    trace = merge(World(2).run(program), thread_level=level)
    assert len(list(mpi_thread_level.detect_mpi(trace, rules["mpi-thread-level"]))) == found
    assert {site.concurrent for site in trace.threads} == {0}


def test_costs_of_the_machine_come_from_the_run(merge: Merge) -> None:
    def program(rank: Rank) -> Steps:
        for step in range(50):
            if rank.number == 0:
                yield rank.compute(1e-4)
                yield rank.send(1, "send", payload=step + 1)
            else:
                yield rank.recv(0, "receive")

    machine = merge(World(2, latency=3e-6, overhead=1e-6).run(program)).machine
    assert machine.latency_seconds == pytest.approx(4e-6, rel=0.05)
    assert machine.send_seconds == pytest.approx(1e-6, rel=0.05)


def test_traffic_of_pairs(merge: Merge) -> None:
    trace = merge(World(4).run(fan_out(5, kind="scatter")))
    assert trace.traffic == ((0, 1, 5, 40), (0, 2, 5, 40), (0, 3, 5, 40))
