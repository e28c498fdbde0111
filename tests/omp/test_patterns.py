"""Patterns on recorded figures: other machines than the one that the tests run on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stridewise import catalogue
from stridewise.correlate import Execution, join_run
from stridewise.correlate import Site as Site_
from stridewise.finding import ArgValue, Confidence, Finding, Location, Severity, Verdict
from stridewise.omp_trace import Cpu, Pair, Process, Region, Site, Thread, Trace, Wait, Work
from stridewise.patterns import (
    omp_adjacent_regions,
    omp_barrier_in_loop,
    omp_costly_schedule,
    omp_load_imbalance,
    omp_region_in_loop,
    omp_small_loop,
    omp_unbound_threads,
)
from stridewise.trace import Address, Frame, Module
from stridewise.watch import omp

RULES = catalogue.load()


def thread(number: int, **given: Any) -> Thread:
    values: dict[str, Any] = {
        "tid": 100 + number,
        "kind": "worker" if number else "initial",
        "number": number,
        "seconds": 10.0,
        "regions": 1000,
        "migrations": 0,
        "voluntary": 0,
        "involuntary": 0,
        "cpu_seconds": 9.0,
        "queue_seconds": 0.0,
        "dropped": 0,
        "affinity": frozenset(range(8)),
        "cpus_seen": frozenset([number]),
    }
    return Thread(**{**values, **given})


def process(threads: list[Thread], nodes: int = 2, cpus: int = 8, **given: Any) -> Process:
    values: dict[str, Any] = {
        "shard": "x",
        "closed": True,
        "rank": -1,
        "ranks": 1,
        "pid": 1,
        "host": "a machine of the tests",
        "runtime": "LLVM OMP",
        "executable": "/p",
        "command": "/p",
        "environment": {},
        "seconds": 10.0,
        "cpu_seconds": 20.0,
        "cpu_mask": frozenset(range(cpus)),
        "cpus": tuple(Cpu(c, c, c * nodes // cpus, c * nodes // cpus) for c in range(cpus)),
        "lost_threads": 0,
        "threads": tuple(threads),
    }
    return Process(**{**values, **given})


def site(line: int) -> Site:
    return Site(Address(0, 16 * line), (Frame("f", "/s/a.c", line),))


def region(number: int, **given: Any) -> Region:
    values: dict[str, Any] = {
        "process": 0,
        "thread": 0,
        "site": number,
        "outer": None,
        "count": 1000,
        "seconds": 1.0,
        "shortest": 0.0009,
        "longest": 0.0011,
        "overhead": 0.002,
        "typical_overhead": 2e-6,
        "busy": 1.9,
        "last": 0.999,
        "threads": 2000,
        "slower": 0,
        "excess": 0.0,
        "longest_busy": 0.998,
        "most_threads": 2,
    }
    return Region(**{**values, **given})


def trace(processes: list[Process], **given: Any) -> Trace:
    return Trace(tuple(processes), (Module("/p", ""),), tuple(site(10 * n + 10) for n in range(6)), **given)


def run(module: Any, recorded: Trace) -> list[Finding]:
    slug = module.__name__.rsplit(".", 1)[1].replace("_", "-")
    return list(module.detect_omp(recorded, RULES[slug]))


TWO = [thread(0), thread(1)]


def test_unbound_on_two_nodes() -> None:
    (finding,) = run(omp_unbound_threads, trace([process(TWO)], regions=(region(0),)))
    assert finding.severity is Severity.WARNING
    assert "OMP_NUM_THREADS=2 OMP_PLACES=cores OMP_PROC_BIND=spread" in finding.advice
    assert "8 cores on 2 memory nodes" in finding.message


def test_threads_seen_on_two_nodes_are_sure() -> None:
    moved = [thread(0), thread(1, cpus_seen=frozenset([1, 6]), migrations=40)]
    (finding,) = run(omp_unbound_threads, trace([process(moved)], regions=(region(0),)))
    assert finding.confidence is Confidence.HIGH and "seen on several memory nodes" in finding.message


def test_bound_to_nodes_is_enough() -> None:
    bound = [thread(0, affinity=frozenset(range(4))), thread(1, affinity=frozenset(range(4, 8)))]
    assert not run(omp_unbound_threads, trace([process(bound)], regions=(region(0),)))


@pytest.mark.parametrize(("migrations", "found"), [(10, 0), (150, 1)])
def test_one_node_needs_migrations(migrations: int, found: int) -> None:
    threads = [thread(0, migrations=migrations), thread(1, migrations=migrations)]
    findings = run(omp_unbound_threads, trace([process(threads, nodes=1)], regions=(region(0),)))
    assert [f.severity for f in findings] == [Severity.INFO] * found


def test_more_threads_than_processors_cannot_be_bound() -> None:
    crowd = [thread(n, migrations=1000) for n in range(9)]
    assert not run(omp_unbound_threads, trace([process(crowd)], regions=(region(0, most_threads=9),)))


def test_ranks_get_launcher_options() -> None:
    ranks = [process(TWO, rank=n, ranks=2) for n in range(2)]
    (finding,) = run(omp_unbound_threads, trace(ranks, regions=(region(0), region(0, process=1))))
    assert "--map-by ppr:2:node:PE=2 --bind-to core" in finding.advice


def spans(first: float, second: float) -> tuple[Wait, ...]:
    return tuple(
        Wait(0, n, "team", 0, 0, 1000, busy, 0.0, 0.0, busy, cpu=busy, sampled=busy, work=1, work_kind="loop-static",
             arrival=busy, lag=0.0, busy=busy)
        for n, busy in enumerate((first, second))
    )  # fmt: skip


LOOP = Work(0, 0, "loop-static", 1, 0, 1000, 1.0, 640000, 320000, 1000, 1.0, 0.001, 0.001, 320)


def test_imbalance() -> None:
    recorded = trace([process(TWO)], regions=(region(0, longest_busy=0.99),), waits=spans(0.4, 0.99), works=(LOOP,))
    (finding,) = run(omp_load_imbalance, recorded)
    assert finding.confidence is Confidence.HIGH
    assert finding.location.line == 20, "the loop, not the region"
    assert finding.cost_seconds == pytest.approx(0.295)
    assert "thread 1" in finding.message and "schedule(dynamic, 10)" in finding.advice


def test_even_shares_are_silent() -> None:
    assert not run(omp_load_imbalance, trace([process(TWO)], regions=(region(0),), waits=spans(0.98, 0.99)))


def test_late_by_turns_is_unsure() -> None:
    recorded = trace([process(TWO)], regions=(region(0, longest_busy=0.99),), waits=spans(0.69, 0.7))
    (finding,) = run(omp_load_imbalance, recorded)
    assert finding.confidence is Confidence.LOW


def test_thread_that_lacked_a_processor_is_no_imbalance() -> None:
    waits = spans(0.4, 0.99)
    waits = (waits[0], replace(waits[1], cpu=0.41))
    starved = [thread(0), thread(1, queue_seconds=5.0, cpu_seconds=4.0)]
    assert not run(omp_load_imbalance, trace([process(starved)], regions=(region(0, longest_busy=0.99),), waits=waits))


def test_thread_that_is_slow_everywhere_has_a_slow_processor() -> None:
    waits = []
    for n, (first, second) in enumerate([(0.4, 0.6), (0.2, 0.3), (0.2, 0.31), (0.1, 0.15), (0.5, 0.75), (0.2, 0.8)]):
        waits += [replace(w, site=n, region=n, work=None, work_kind="") for w in spans(first, second)]
    regions = tuple(region(n, longest_busy=max(w.segment for w in waits if w.site == n)) for n in range(6))
    findings = run(omp_load_imbalance, trace([process(TWO)], regions=regions, waits=tuple(waits)))
    assert [f.location.line for f in findings] == [60], "only where it has more to do than the processor explains"


def test_region_in_loop_and_large_regions() -> None:
    again = (Pair(0, 0, 0, 0, 999, 0.001, 1e-6),)
    assert not run(omp_region_in_loop, trace([process(TWO)], regions=(region(0),), pairs=again))
    costly = region(0, seconds=0.1, overhead=0.06, typical_overhead=5e-5, busy=0.08)
    (finding,) = run(omp_region_in_loop, trace([process(TWO)], regions=(costly,), pairs=again))
    assert finding.cost_seconds == pytest.approx(0.06)
    assert not run(omp_region_in_loop, trace([process(TWO)], regions=(replace(costly, count=10),), pairs=again))


def test_adjacent_regions_make_one_chain() -> None:
    regions = tuple(region(n, seconds=0.1, overhead=0.03, typical_overhead=2e-5) for n in range(3))
    near = tuple(Pair(0, 0, n, n + 1, 1000, 0.0005, 5e-7) for n in range(2))
    recorded = trace([process(TWO)], regions=regions, pairs=(*near, Pair(0, 0, 2, 0, 999, 1.0, 1e-3)))
    (finding,) = run(omp_adjacent_regions, recorded)
    assert (finding.location.line, [r.line for r in finding.related]) == (10, [20, 30])
    assert finding.cost_seconds == pytest.approx(0.06)
    far = tuple(replace(p, typical=1e-4) for p in near)
    assert not run(omp_adjacent_regions, replace(recorded, pairs=far))


def test_barrier_of_gcc_stands_a_few_lines_behind_its_directive() -> None:
    pause = Wait(0, 0, "barrier-other", 1, 0, 4000, 0.5, 1e-7, 1e-3, 0.2, 0.0, 0.0, None, "")
    waits = (pause, replace(pause, thread=1, seconds=0.1), *spans(0.5, 0.5))
    recorded = trace([process(TWO)], regions=(region(0),), waits=waits)
    rule = RULES["omp-barrier-in-loop"]
    args: dict[str, ArgValue] = {"kind": "implicit", "loop_line": 15, "remedy": "nowait"}

    def judged(line: int) -> Finding:
        found = rule.finding("static", Location("/s/a.c", line), args=args, confidence=Confidence.MEDIUM, function="f")
        site = [Site_("/s/a.c", 20, "f", 1, 0.0)]
        judges = {rule.slug: lambda f: omp_barrier_in_loop.judge_omp(f, recorded, rule)}
        (finding,) = join_run("omp", [found], [], Execution(site), RULES, judges)
        return finding

    near = judged(18)
    assert near.verdict is Verdict.CONFIRMED
    assert near.cost_seconds == pytest.approx(0.3)
    assert near.gain_seconds == pytest.approx(0.1)
    assert judged(12).verdict is Verdict.SUSPECTED, "the function ran, this line cannot be told"


def test_no_second_is_counted_twice() -> None:
    small = tuple(
        region(n, seconds=0.2, overhead=0.19, typical_overhead=1.5e-4, busy=0.002, slower=990, excess=0.19)
        for n in range(2)
    )
    recorded = trace([process(TWO)], regions=small, pairs=(Pair(0, 0, 0, 1, 1000, 0.0005, 5e-7),))
    chain, *loops = [*run(omp_adjacent_regions, recorded), *run(omp_small_loop, recorded)]
    assert chain.cost_seconds is not None and len(loops) == 2
    costs = [f.cost_seconds for f in omp.counted_once([chain, *loops])]
    assert costs == [None, loops[0].cost_seconds, loops[1].cost_seconds]


def test_small_loop() -> None:
    small = region(0, seconds=0.2, overhead=0.19, typical_overhead=1.5e-4, busy=0.002, slower=990, excess=0.19)
    (finding,) = run(omp_small_loop, trace([process(TWO)], regions=(small,)))
    assert finding.gain_seconds == pytest.approx(0.19)
    assert not run(omp_small_loop, trace([process(TWO)], regions=(replace(small, slower=300),)))
    assert not run(omp_small_loop, trace([process(TWO)], regions=(replace(small, busy=0.1),)))


@pytest.mark.parametrize(
    ("nanoseconds", "busy", "count", "verdict"),
    [
        (10, 0.003, 1000, Verdict.CONFIRMED),  # 3 us of the runtime's and the recorder's own work in each region
        (2000, 0.003, 1000, Verdict.REFUTED),  # on one thread the loop takes longer than opening the team
        (None, 0.003, 1000, Verdict.REFUTED),  # a loop of unknown length
        (10, 0.03, 1000, Verdict.REFUTED),  # far more work than the source has seen
        (10, 0.00003, 10, Verdict.REFUTED),
    ],
)
def test_small_loop_of_known_length(nanoseconds: int | None, busy: float, count: int, verdict: Verdict) -> None:
    quick = region(0, count=count, seconds=0.003, overhead=0.001, typical_overhead=1e-6, busy=busy)
    recorded = trace([process(TWO)], regions=(quick,))
    rule = RULES["omp-small-loop"]
    where, args = Location("/s/a.c", 10), {"nanoseconds": nanoseconds}
    finding = rule.finding("static", where, args=args, confidence=Confidence.HIGH, function="f")
    judgement = omp_small_loop.judge_omp(finding, recorded, rule)
    assert judgement is not None
    assert judgement.verdict is verdict
    if verdict is Verdict.CONFIRMED:
        assert judgement.gain_seconds == pytest.approx(1e-6 * count)


@pytest.mark.parametrize(("each", "found"), [(2e-7, 1), (5e-5, 0)])
def test_costly_schedule(each: float, found: int) -> None:
    loop = replace(LOOP, kind="loop-dynamic", chunks=2_000_000, chunk_seconds=2e6 * each, typical_chunk=each)
    works = (loop, replace(loop, thread=1))
    assert len(run(omp_costly_schedule, trace([process(TWO)], regions=(region(0),), works=works))) == found


def test_crowded_machines_make_times_unsure() -> None:
    starved = [thread(0, queue_seconds=3.0), thread(1, queue_seconds=3.0)]
    costly = region(0, seconds=0.1, overhead=0.06, typical_overhead=5e-5, busy=0.08)
    again = (Pair(0, 0, 0, 0, 999, 0.001, 1e-6),)
    (finding,) = run(omp_region_in_loop, trace([process(starved)], regions=(costly,), pairs=again))
    assert finding.confidence is Confidence.LOW and "lacked processors" in finding.evidence[0].note
