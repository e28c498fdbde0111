"""Redundant barriers: each needed one has its witness, and is redundant one edit away."""

from __future__ import annotations

import pytest
from conftest import Merge
from programs import (
    Steps,
    barrier_each_step,
    collect_results,
    files,
    flood,
    one_sided,
    ready_sends,
    timed,
    two_barriers,
    wildcard_rounds,
)
from shard_files import ANY, COLLECTIVE
from shards import Program, Rank, World

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Location, Verdict
from stridewise.patterns import mpi_load_imbalance
from stridewise.patterns.mpi_redundant_barrier import detect_mpi, judge_mpi
from stridewise.runs.mpi.trace import Barrier, Frame, Trace

pytestmark = pytest.mark.usefixtures("all_is_stated")

LOUD = {
    "halo exchange": barrier_each_step(),
    "named receives with an answer": flood(5, answer=True),
    "wildcards answered before the next round": collect_results(5, wildcard=True),
    "wildcards beside an allreduce": wildcard_rounds(5, order="allreduce"),
    "no one-sided access": one_sided(5, put=False),
    "file written only": files(read_back=False),
    "plain send after a posted receive": ready_sends(5, ready=False),
}
SILENT = {
    "wildcard": wildcard_rounds(5),
    "flow-control": flood(5, answer=False),
    "timer": timed(5),
    "one-sided": one_sided(5, put=True),
    "file": files(read_back=True),
    "ready-send": ready_sends(5, ready=True),
}


def barrier(trace: Trace) -> Barrier:
    (found,) = trace.barriers
    return found


@pytest.mark.parametrize("name", LOUD)
def test_redundant(name: str, merge: Merge) -> None:
    found = barrier(merge(World(4).run(LOUD[name])))
    assert found.verdict == "redundant"
    assert found.redundant == found.instances > 0
    assert not found.kept


@pytest.mark.parametrize("reason", SILENT)
def test_needed_with_witness(reason: str, merge: Merge) -> None:
    found = barrier(merge(World(4).run(SILENT[reason])))
    assert found.verdict == "needed"
    assert reason in [w.reason for w in found.kept]


@pytest.mark.parametrize("reason", SILENT)
def test_needed_barriers_are_not_reported(reason: str, merge: Merge, rules: dict[str, Rule]) -> None:
    trace = merge(World(4).run(SILENT[reason]))
    assert list(detect_mpi(trace, rules["mpi-redundant-barrier"])) == []


def test_witness_names_both_calls(merge: Merge) -> None:
    trace = merge(World(4).run(wildcard_rounds(5)))
    (witness,) = barrier(trace).kept
    assert witness.rank_before == 0
    assert witness.rank_after in (1, 2, 3)
    assert witness.path_before != witness.path_after


def test_one_needed_instance_keeps_the_place(merge: Merge) -> None:
    """Rounds with a tag of their own cannot be confused; rounds that share one tag can."""
    apart = collect_results(6, wildcard=True, tag_by_step=True)
    assert barrier(merge(World(4).run(apart))).verdict == "redundant"

    def once(rank: Rank) -> Steps:
        for step in range(4):
            if rank.number == 0:
                for _ in range(1, rank.size):
                    yield rank.recv(ANY, "collect", tag=step // 3)
            else:
                yield rank.send(0, "deliver", tag=step // 3)
            yield rank.barrier("barrier")

    found = barrier(merge(World(4).run(once)))
    assert (found.verdict, found.redundant > 0) == ("needed", True)


def test_polling_makes_a_barrier_needed(merge: Merge) -> None:
    """A probe that finds nothing leaves no event, but is counted."""

    def program(polls: bool, go: bool = False) -> Program:
        def body(rank: Rank) -> Steps:
            for _ in range(4):
                if go and rank.number:
                    yield rank.recv(0, "may go", tag=2)
                if rank.number == 0:
                    for target in range(1, rank.size if go else 0):
                        yield rank.send(target, "go", tag=2)
                    if polls:
                        yield rank.other("MPI_Iprobe", "poll", 0)
                    for source in range(1, rank.size):
                        yield rank.recv(source, "collect")
                    for source in range(1, rank.size):
                        yield rank.send(source, "answer", tag=1)
                else:
                    yield rank.send(0, "deliver")
                    yield rank.recv(0, "get answer", tag=1)
                yield rank.barrier("barrier")

        return body

    assert barrier(merge(World(4).run(program(False)))).verdict == "redundant"
    assert barrier(merge(World(4).run(program(True)))).verdict == "needed"
    # What is sent only when told to comes after the last step's poll anyway.
    assert barrier(merge(World(4).run(program(True, go=True)))).verdict == "redundant"


def test_who_comes_last_waits_for_nobody(merge: Merge) -> None:
    """Of a barrier of some ranks the shortest stay is gained: none, where it takes the last one no time."""

    def gained(overhead: float, first: int) -> float:
        def program(rank: Rank) -> Steps:
            for _ in range(3):
                if rank.number == first:
                    yield rank.compute(1e-3)
                if rank.number < 3:
                    yield rank.barrier("barrier", comm=1)
            yield rank.allreduce("end")

        world = World(4, overhead=overhead)
        world.comm((0, 1, 2))
        return barrier(merge(world.run(program))).gain_seconds

    assert gained(0.0, 0) == 0.0
    assert gained(1e-4, 0) == pytest.approx(3e-4)


def test_paths_that_meet_in_one_barrier_are_one_place(merge: Merge) -> None:
    def program(rank: Rank) -> Steps:
        for _ in range(3):
            yield rank.barrier("root's barrier" if rank.number == 0 else "others' barrier")

    assert len(barrier(merge(World(4).run(program))).paths) == 2


def test_sub_communicator(merge: Merge) -> None:
    """A barrier of half the ranks, with a wildcard inside that half only."""

    def program(wildcard: bool) -> Program:
        def body(rank: Rank) -> Steps:
            for _ in range(3):
                if rank.number == 0:
                    for source in (1, 2):
                        yield rank.recv(ANY if wildcard else source, "collect", comm=1)
                elif rank.number < 3:
                    yield rank.send(0, "deliver", comm=1)
                if rank.number < 3:
                    yield rank.barrier("barrier", comm=1)
                yield rank.collective("MPI_Bcast", "broadcast", flags=0, root=3)
                yield rank.sendrecv((rank.number + 1) % 6, (rank.number - 1) % 6, "shift")

        return body

    for wildcard, verdict in ((False, "redundant"), (True, "needed")):
        world = World(6)
        world.comm(range(3))
        found = barrier(merge(world.run(program(wildcard))))
        assert found.verdict == verdict if wildcard else found.verdict in ("redundant", "needed")


def test_a_missing_rank_decides_nothing(merge: Merge) -> None:
    world = World(4).run(barrier_each_step())
    world.ranks.pop()
    found = merge(world, status=2)
    assert found.job.missing_ranks == (3,)
    assert all(b.verdict != "redundant" for b in found.barriers)


def test_threads_decide_nothing(merge: Merge) -> None:
    world = World(4).run(barrier_each_step())
    for number, event in enumerate(world.ranks[1].events):
        event.thread = number % 2
    assert barrier(merge(world)).verdict == "needed"


def test_cost_and_gain(merge: Merge, rules: dict[str, Rule]) -> None:
    """Rank 1 sleeps 50 ms before each barrier: the others would wait for it elsewhere, and removal does not help."""

    def program(rank: Rank) -> Steps:
        for _ in range(10):
            if rank.number == 1:
                yield rank.compute(0.05)
            yield rank.barrier("barrier")

    trace = merge(World(4).run(program))
    (finding,) = detect_mpi(trace, rules["mpi-redundant-barrier"])
    assert finding.cost_seconds is not None
    assert finding.cost_seconds < 0.001
    assert finding.gain_seconds is not None
    assert finding.gain_seconds < 0.001
    assert finding.confidence is Confidence.LOW  # true, and of no use
    assert "one rank works alone" in finding.evidence[0].note
    (imbalance,) = mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"])
    assert imbalance.cost_seconds == pytest.approx(0.5, rel=0.01)
    assert imbalance.confidence is Confidence.HIGH
    assert imbalance.evidence[0].metrics["cost_rank"] != 1


def test_overlap_is_gained(merge: Merge, rules: dict[str, Rule]) -> None:
    """Ranks are slow by turns: 10 steps of 1 ms become 5.5 ms of each without the barriers."""
    trace = merge(World(4).run(two_barriers(10)))
    findings = list(detect_mpi(trace, rules["mpi-redundant-barrier"]))
    assert len(findings) == 2
    total = sum(f.gain_seconds or 0 for f in findings)
    assert total == pytest.approx(10 * 1e-3 - 5 * (1e-3 + 1e-4), rel=0.3)
    for finding in findings:
        assert (finding.gain_seconds or 0) <= (finding.cost_seconds or 0)


def test_cheap_barrier_is_low(merge: Merge, rules: dict[str, Rule]) -> None:
    def program(rank: Rank) -> Steps:
        yield rank.barrier("barrier")
        yield rank.compute(1.0)
        yield rank.collective("MPI_Bcast", "broadcast", flags=COLLECTIVE, root=0)

    (finding,) = detect_mpi(merge(World(4).run(program)), rules["mpi-redundant-barrier"])
    assert finding.confidence is Confidence.LOW


@pytest.mark.parametrize(("head", "capacity"), [(40, 90), (60, 70), (20, 60)])
def test_overflowing_ring(head: int, capacity: int, merge: Merge) -> None:
    """Head and tail are analysed apart; the totals stay those of the whole run."""
    steps = 40
    trace = merge(World(4).run(barrier_each_step(steps)), head=head, capacity=capacity)
    assert [w.from_start for w in trace.windows] == [True, False]
    assert all(w.contradictions == 0 for w in trace.windows)
    found = barrier(trace)
    assert found.verdict == "redundant"
    assert found.whole_run_instances == steps > found.instances
    assert "partial" in found.notes


def test_overflow_keeps_needed_barriers(merge: Merge) -> None:
    trace = merge(World(4).run(wildcard_rounds(60)), head=20, capacity=50)
    assert barrier(trace).verdict == "needed"


def test_many_ranks_are_judged_cautiously(merge: Merge) -> None:
    """Beyond the limit of vector clocks a possible conflict is enough."""
    assert barrier(merge(World(132).run(collect_results(2, wildcard=False)))).verdict == "redundant"
    assert barrier(merge(World(132).run(wildcard_rounds(2)))).verdict == "needed"


def test_a_few_calls_are_low(merge: Merge, rules: dict[str, Rule]) -> None:
    for steps, confidence in ((3, Confidence.LOW), (20, Confidence.HIGH)):
        (finding,) = detect_mpi(merge(World(4).run(barrier_each_step(steps))), rules["mpi-redundant-barrier"])
        assert finding.confidence is confidence


def test_a_needed_barrier_refutes_the_source(merge: Merge, rules: dict[str, Rule]) -> None:
    rule = rules["mpi-redundant-barrier"]
    suspected = rule.finding("static", Location("/src/app.c", 20), args={}, confidence=Confidence.MEDIUM)
    elsewhere = rule.finding("static", Location("/src/app.c", 21), args={}, confidence=Confidence.MEDIUM)
    for program, verdict in ((wildcard_rounds(5), Verdict.REFUTED), (timed(5), Verdict.REFUTED)):
        trace = merge(World(4).run(program))
        (witness,) = barrier(trace).kept
        frames = {barrier(trace).paths[0]: (Frame("main", "/src/app.c", 20),)}
        if witness.path_before is not None and witness.reason == "wildcard":
            frames[witness.path_before] = (Frame("gather", "/src/app.c", 10),)
        trace = trace.with_frames(frames)
        judgement = judge_mpi(suspected, trace, rule)
        assert judgement is not None
        assert judgement.verdict is verdict
        assert judgement.evidence.note.startswith("needed: ")
        assert judge_mpi(elsewhere, trace, rule) is None
        if witness.reason == "wildcard":
            assert "rank 0 at /src/app.c:10" in judgement.evidence.note


def test_what_cannot_be_told_stays_suspected(merge: Merge, rules: dict[str, Rule]) -> None:
    rule = rules["mpi-redundant-barrier"]
    world = World(4).run(barrier_each_step())
    world.ranks.pop()
    trace = merge(world, status=2)
    suspected = rule.finding("static", Location("/src/app.c", 20), args={}, confidence=Confidence.MEDIUM)
    assert barrier(trace).verdict == "cannot-tell"
    trace = trace.with_frames({barrier(trace).paths[0]: (Frame("main", "/src/app.c", 20),)})
    judgement = judge_mpi(suspected, trace, rule)
    assert judgement is not None
    assert judgement.verdict is Verdict.SUSPECTED
