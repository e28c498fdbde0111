"""Patterns on recorded figures: other machines than the one that the tests run on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise import catalogue
from stridewise.finding import ArgValue, Confidence, Finding, Location, Related, Scope, Severity, Verdict
from stridewise.finding.correlate import Execution, join_run
from stridewise.finding.correlate import Site as Site_
from stridewise.finding.prices import costs, omp_cost
from stridewise.patterns import (
    omp_adjacent_regions,
    omp_barrier_in_loop,
    omp_costly_schedule,
    omp_critical_section,
    omp_load_imbalance,
    omp_long_task,
    omp_region_in_loop,
    omp_single_wait,
    omp_small_loop,
    omp_tiny_tasks,
    omp_unbound_threads,
)
from stridewise.runs.mpi.trace import Address, Frame, Module
from stridewise.runs.omp import watcher as omp
from stridewise.runs.omp.profile import profile
from stridewise.runs.omp.trace import (
    Cpu,
    Meeting,
    Mutex,
    Pair,
    Process,
    Region,
    Site,
    Task,
    Thread,
    Trace,
    Wait,
    Work,
)

pytestmark = pytest.mark.usefixtures("all_is_stated")

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


def meeting(longest: float, used: float, **given: Any) -> Meeting:
    values: dict[str, Any] = {
        "process": 0,
        "thread": 0,
        "work": 1,
        "place": 0,
        "region": 0,
        "kind": "loop-static",
        "count": 1000,
        "seconds": 1.0,
        "longest": longest,
        "used": used,
        "threads": 2000,
        "waited": longest - used / 2,
        "tasks": 0.0,
        "longest_task": 0.0,
        "unsure": 0,
        "unsure_waited": 0.0,
        "culprit": 1,
        "votes": 1000,
    }
    return Meeting(**{**values, **given})


def test_imbalance() -> None:
    met = (meeting(0.99, 1.39),)
    recorded = trace([process(TWO)], regions=(region(0),), waits=spans(0.4, 0.99), works=(LOOP,), meetings=met)
    (finding,) = run(omp_load_imbalance, recorded)
    assert finding.confidence is Confidence.HIGH
    assert finding.location.line == 20, "the loop, not the region"
    assert finding.cost_seconds == pytest.approx(0.295)
    assert "thread 1" in finding.message and "schedule(dynamic, 10)" in finding.advice


def test_even_shares_are_silent() -> None:
    met = (meeting(0.99, 1.97),)
    assert not run(
        omp_load_imbalance, trace([process(TWO)], regions=(region(0),), waits=spans(0.98, 0.99), meetings=met)
    )


@pytest.mark.parametrize(("used", "sure"), [(1.37, Confidence.LOW), (1.2, Confidence.MEDIUM)])
def test_late_by_turns_is_unsure(used: float, sure: Confidence) -> None:
    met = (meeting(0.9, used),)
    (finding,) = run(omp_load_imbalance, trace([process(TWO)], waits=spans(0.69, 0.7), meetings=met))
    assert finding.confidence is sure and "by turns" in finding.evidence[0].note


def test_small_differences_of_shared_processors_are_unsure() -> None:
    starved = [thread(0), thread(1, queue_seconds=5.0, cpu_seconds=4.0)]
    met = (meeting(0.6, 0.96),)
    (finding,) = run(
        omp_load_imbalance, trace([process(TWO, cpu_seconds=2.0, seconds=2.0)], waits=spans(0.36, 0.6), meetings=met)
    )
    assert finding.confidence is Confidence.HIGH
    (finding,) = run(
        omp_load_imbalance,
        trace([process(starved, cpu_seconds=2.0, seconds=2.0)], waits=spans(0.36, 0.6), meetings=met),
    )
    assert finding.confidence is Confidence.LOW


@pytest.mark.parametrize(("milliseconds", "sure"), [(8, Confidence.LOW), (200, Confidence.HIGH)])
def test_a_loop_that_runs_once_has_cold_caches(milliseconds: float, sure: Confidence) -> None:
    longest = 2e-3 * milliseconds
    met = (meeting(longest, longest, count=1, threads=2),)
    small = process(TWO, cpu_seconds=0.01, seconds=0.01)
    (finding,) = run(omp_load_imbalance, trace([small], waits=spans(0.0, longest), meetings=met))
    assert finding.confidence is sure


def test_what_is_handed_out_cannot_lose_more_than_was_waited() -> None:
    """A thread without a processor gets fewer chunks: it has less to do and nobody waits for it."""
    met = meeting(1.0, 1.2, kind="loop-dynamic", waited=0.01)
    assert not run(omp_load_imbalance, trace([process(TWO)], waits=spans(0.2, 1.0), meetings=(met,)))
    assert run(omp_load_imbalance, trace([process(TWO)], waits=spans(0.2, 1.0), meetings=(replace(met, waited=0.3),)))


def test_waits_that_the_work_does_not_explain_are_told() -> None:
    starved = [thread(0), thread(1, queue_seconds=5.0, cpu_seconds=4.0)]
    met = (meeting(0.99, 1.39, waited=2.0),)
    (finding,) = run(omp_load_imbalance, trace([process(starved)], waits=spans(0.4, 0.99), meetings=met))
    assert finding.cost_seconds == pytest.approx(0.295) and finding.confidence is Confidence.HIGH
    assert "lacked processors" in finding.evidence[0].note
    assert finding.evidence[0].metrics["waited_seconds"] == pytest.approx(2.0)


def test_thread_that_is_slow_everywhere_has_a_slow_processor() -> None:
    waits, met = [], []
    for n, (first, second) in enumerate([(0.4, 0.6), (0.2, 0.3), (0.2, 0.31), (0.1, 0.15), (0.5, 0.75), (0.2, 0.8)]):
        waits += [replace(w, site=n, region=n, work=None, work_kind="") for w in spans(first, second)]
        met.append(meeting(second, first + second, work=n, place=n, region=n, kind=""))
    findings = run(omp_load_imbalance, trace([process(TWO)], waits=tuple(waits), meetings=tuple(met)))
    assert [f.location.line for f in findings] == [60], "only where it has more to do than the processor explains"


def test_other_rules_have_singles_and_tasks() -> None:
    single = meeting(1.0, 1.0, kind="single")
    recorded = trace([process(TWO)], waits=spans(0.0, 1.0), meetings=(single,))
    assert not run(omp_load_imbalance, recorded)
    (finding,) = run(omp_single_wait, recorded)
    assert finding.location.line == 20
    assert finding.cost_seconds == pytest.approx(0.5)
    assert not run(omp_single_wait, replace(recorded, meetings=(replace(single, tasks=0.2),))), "it makes tasks"
    assert not run(omp_single_wait, replace(recorded, meetings=(replace(single, count=900_000, threads=1_800_000),)))


def tasks(longest: float, typical: float, **given: Any) -> Task:
    values: dict[str, Any] = {"created": 9000, "count": 4500, "seconds": 0.7, "used": 0.7}
    return Task(process=0, thread=0, site=3, longest=longest, typical=typical, **{**values, **given})


def test_long_task() -> None:
    met = meeting(1.0, 1.5, kind="single", tasks=1.5, longest_task=0.9)
    recorded = trace([process(TWO)], tasks=(tasks(0.0009, 5e-5),), meetings=(met,))
    (finding,) = run(omp_long_task, recorded)
    assert finding.location.line == 40
    assert finding.cost_seconds == pytest.approx(0.25)
    others: list[dict[str, Any]] = [
        {"tasks": 0.5},  # the thread did something else
        {"longest_task": 0.2},  # dividing it would not save as much
        {"waited": 0.01, "longest_task": 0.74},  # the others had something to do meanwhile
        {"used": 1.95},
    ]
    for other in others:
        assert not run(omp_long_task, replace(recorded, meetings=(replace(met, **other),))), other
    assert not run(omp_long_task, replace(recorded, tasks=(tasks(0.0009, 6e-4),))), "all tasks are about as long"


def test_tiny_tasks() -> None:
    met = meeting(1.0, 1.2, kind="single", tasks=0.5)
    tiny = tasks(0.02, 3e-8, count=4_000_000)
    recorded = trace([process(TWO)], tasks=(tiny,), meetings=(met,))
    (finding,) = run(omp_tiny_tasks, recorded)
    assert finding.location.line == 40
    assert finding.gain_seconds == pytest.approx(0.8), "their price; a mean of their times would say nothing"
    assert not run(omp_tiny_tasks, replace(recorded, tasks=(replace(tiny, typical=1e-5),)))
    assert not run(omp_tiny_tasks, replace(recorded, tasks=(replace(tiny, count=900),)))
    (finding,) = run(omp_tiny_tasks, replace(recorded, meetings=(replace(met, used=0.5),)))
    assert finding.gain_seconds == pytest.approx(0.38), "no more than the team used beyond the tasks' bodies"


def test_a_task_costs_more_in_a_larger_team() -> None:
    made = (tasks(0.02, 3e-8, count=1000),)
    for threads in (2, 8, 16):
        met = meeting(1.0, 20.0, kind="single", tasks=0.5, count=1000, threads=1000 * threads)
        recorded = trace([process(TWO)], tasks=made, meetings=(met,))
        price, spent = omp_tiny_tasks._price(recorded, made)
        assert price == omp_cost(costs("a machine of the tests"), "task", threads)
        assert spent == pytest.approx(1000 * price.seconds)


def lock(thread_number: int, seconds: float, typical: float) -> Mutex:
    return Mutex(0, thread_number, "critical", 3, 0, 1_000_000, seconds, 0.0, 0.01, 0.1, 1000, typical)


def test_waits_for_a_lock_whose_holder_lost_its_processor() -> None:
    both = (lock(0, 3.0, 4e-7), lock(1, 3.0, 4e-7))
    (finding,) = run(omp_critical_section, trace([process(TWO)], mutexes=both))
    assert finding.cost_seconds == pytest.approx(3.0)
    starved = [thread(0, queue_seconds=3.0), thread(1, queue_seconds=3.0)]
    (finding,) = run(omp_critical_section, trace([process(starved)], mutexes=both))
    assert finding.cost_seconds == pytest.approx(0.8) and finding.confidence is Confidence.MEDIUM


def test_a_construct_is_judged_by_its_own_line() -> None:
    """Two locks in one loop: the one that nobody waits for is not confirmed by the other."""
    mutexes = (lock(0, 1.0, 4e-7), lock(1, 1.0, 4e-7))
    recorded = trace([process(TWO)], mutexes=mutexes)
    rule = RULES["omp-critical-section"]

    def at(line: int) -> Finding:
        args: dict[str, ArgValue] = {"lock": "lock", "loop_line": 15, "variable": "s", "remedy": "none"}
        found = rule.finding("static", Location("/s/a.c", line), args=args, confidence=Confidence.MEDIUM, function="f")
        return replace(found, scope=Scope(15, 60))

    judges = {rule.slug: lambda f: omp_critical_section.judge_omp(f, recorded, rule)}
    observed = run(omp_critical_section, recorded)
    one, two = join_run("omp", [at(40), at(50)], observed, Execution([Site_("/s/a.c", 40, "f", 1, 0.0)]), RULES, judges)
    assert one.verdict is Verdict.CONFIRMED
    assert one.cost_seconds == pytest.approx(1.0)
    assert two.verdict is not Verdict.CONFIRMED and two.cost_seconds is None


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
    pause = Wait(0, 0, "barrier-other", 1, 0, 40000, 0.5, 1e-7, 1e-3, 0.2, 0.0, 0.0, None, "")
    waits = (pause, replace(pause, thread=1, seconds=0.1), *spans(0.5, 0.5))
    recorded = trace([process(TWO)], regions=(region(0),), waits=waits)
    rule = RULES["omp-barrier-in-loop"]
    args: dict[str, ArgValue] = {
        "kind": "implicit", "when": "runs", "waste": "for nothing", "loop_line": 15, "remedy": "nowait"
    }  # fmt: skip

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


@pytest.mark.parametrize(("in_loop", "verdict"), [(True, Verdict.REFUTED), (False, Verdict.CONFIRMED)])
def test_a_barrier_once_in_a_region_that_runs_often(in_loop: bool, verdict: Verdict) -> None:
    pause = Wait(0, 0, "barrier-explicit", 1, 0, 1000, 0.5, 1e-7, 1e-3, 0.2, 0.0, 0.0, None, "")
    waits = (pause, replace(pause, thread=1, seconds=0.1), *spans(0.5, 0.5))
    recorded = trace([process(TWO)], regions=(region(0),), waits=waits)
    rule = RULES["omp-barrier-in-loop"]
    args: dict[str, ArgValue] = {"kind": "explicit", "when": "stands", "waste": "for nothing", "remedy": "delete it"}
    place = Location("/s/a.c", 20)
    found = rule.finding(
        "static", place, args=args | ({"loop_line": 15} if in_loop else {}), confidence=Confidence.HIGH, function="f"
    )
    judges = {rule.slug: lambda f: omp_barrier_in_loop.judge_omp(f, recorded, rule)}
    site = [Site_("/s/a.c", 20, "f", 1, 0.0)]
    (finding,) = join_run("omp", [found], [], Execution(site), RULES, judges)
    assert finding.verdict is verdict


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


def test_crowded_machines_make_teams_slow() -> None:
    """A team whose threads lack processors begins when others let it: its opening counts at the machine's price."""
    starved = [thread(0, queue_seconds=3.0), thread(1, queue_seconds=3.0)]
    slow = region(0, count=100_000, seconds=10.0, overhead=9.0, typical_overhead=4e-5, busy=0.4, slower=100_000)
    again = (Pair(0, 0, 0, 0, 99_999, 0.001, 1e-6),)
    met = meeting(0.2, 0.4, work=0, place=0, region=0, count=100_000)
    recorded = trace([process(starved, seconds=5.0, cpu_seconds=2.0)], regions=(slow,), pairs=again, meetings=(met,))
    (finding,) = run(omp_region_in_loop, recorded)
    assert finding.confidence is Confidence.MEDIUM and "lacked processors" in finding.evidence[0].note
    assert finding.cost_seconds == pytest.approx(0.06)
    assert not run(omp_small_loop, recorded), "four microseconds of work are worth a team of its price"
    smaller = replace(slow, busy=0.05)
    (finding,) = run(omp_small_loop, replace(recorded, regions=(smaller,)))
    assert finding.cost_seconds == pytest.approx(100_000 * (0.6e-6 - 0.25e-6))


def test_an_unknown_machine_has_the_processors_of_the_mask() -> None:
    unknown = replace(process([thread(0, migrations=900), thread(1, migrations=900)]), cpus=())
    found = run(omp_unbound_threads, trace([unknown], regions=(region(0),)))
    assert ["OMP_NUM_THREADS=2 OMP_PLACES=cores OMP_PROC_BIND=spread" in finding.advice for finding in found] == [True]


def test_threads_beyond_the_cores_share_them() -> None:
    """Two hardware threads a core: the places are these where the team has more threads than there are cores."""
    members = [thread(n, migrations=900) for n in range(6)]
    paired = replace(process(members), cpus=tuple(Cpu(c, c - c % 2, 0, 0) for c in range(8)))
    (finding,) = run(omp_unbound_threads, trace([paired], regions=(region(0, most_threads=6),)))
    assert "OMP_NUM_THREADS=6 OMP_PLACES=threads OMP_PROC_BIND=close" in finding.advice
    assert "4 cores on 1 memory node" in finding.message


def test_imbalance_of_threads_whose_work_is_unknown() -> None:
    (finding,) = run(omp_load_imbalance, trace([process(TWO)], regions=(region(0),), meetings=(meeting(0.99, 1.39),)))
    assert finding.message.endswith("for thread 1")
    assert "busy_seconds_most" not in finding.evidence[0].metrics


def test_the_frame_of_a_site_is_the_innermost_of_the_user() -> None:
    library, unknown = Frame("l", "/usr/include/x.h", 3, user=False), Frame("lib+0x10", "/usr/lib/lib.so", 0)
    user, outer = Frame("f", "/s/a.c", 7), Frame("main", "/s/a.c", 20)
    at = Address(0, 16)
    assert Site(at, (unknown, library, user, outer)).frame == user
    assert Site(at, (unknown, library)).frame == library
    assert Site(at, (unknown,)).frame == unknown
    assert Site(at).frame is None


def test_a_chain_of_regions_is_counted_with_its_regions() -> None:
    def of(rule: str, line: int, function: str = "f", **given: Any) -> Finding:
        where = Location("/s/a.c", line)
        given |= {"function": function, "cost_seconds": 1.0}
        return Finding(rule, Severity.WARNING, Confidence.HIGH, "m", where, **given)

    chain = of("omp-adjacent-regions", 10, related=(Related("/s/a.c", 20, "again"),))
    costs = {
        "its own region": of("omp-region-in-loop", 10, "g"),
        "its other region": of("omp-region-in-loop", 20, "g"),
        "confirmed in its function": of("omp-region-in-loop", 99, verdict=Verdict.CONFIRMED),
        "another of its function": of("omp-region-in-loop", 99),
        "confirmed elsewhere": of("omp-region-in-loop", 99, "g", verdict=Verdict.CONFIRMED),
        "another file": replace(of("omp-region-in-loop", 10), location=Location("/s/b.c", 10)),
        "another rule": of("omp-tiny-tasks", 10),
    }
    counted = {name: omp.counted_once([chain, other])[0].cost_seconds for name, other in costs.items()}
    assert counted == {
        "its own region": None, "its other region": None, "confirmed in its function": None,
        "another of its function": 1.0, "confirmed elsewhere": 1.0, "another file": 1.0, "another rule": 1.0,
    }  # fmt: skip
    assert omp.counted_once([costs["its own region"]])[0].cost_seconds == 1.0


def test_where_the_time_of_a_run_went() -> None:
    queued = [thread(0, queue_seconds=0.5), thread(1, queue_seconds=1.5)]
    found = profile(trace([process(queued)], regions=(region(0, seconds=6.0, overhead=0.5, busy=8.0, count=1000),)))
    assert found is not None
    assert {part.name: part.seconds for part in found.parts} == pytest.approx(
        {"opening teams": 0.5, "waiting": 1.5, "one thread": 4.0, "computing": 4.0}
    )
    assert found.noise_seconds == 1.0
    (working,) = found.efficiencies
    assert working.share == pytest.approx(0.6)
    assert working.spoiled == "one thread works alone for 4 s"
    crowded = trace([process(queued, cpus=1)], regions=(region(0),))
    assert [p.noise_seconds for p in (profile(crowded), profile(trace([process([])]))) if p] == [0.0, 0.0]
    assert profile(trace([])) is None


@pytest.mark.parametrize(
    ("overhead", "told"), [(0.4, "400 ms"), (0.5, "200 ms (with times without a processor 500 ms)")]
)
def test_what_regions_take_without_a_processor(overhead: float, told: str) -> None:
    opened = region(0, count=1000, overhead=overhead, typical_overhead=1e-4)
    assert omp._bounds(trace([process(TWO)], regions=(opened,)), overhead) == told


@pytest.mark.parametrize(("factor", "told"), [(1.2, 0), (1.25, 1)])
def test_a_slow_processor_is_worth_a_word(factor: float, told: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(omp, "slowness", lambda _trace: {(0, 1): factor})
    notes = omp._notes(trace([process(TWO)], regions=(region(0),)))
    assert len([note for note in notes if "times its team's mean" in note]) == told


def test_where_to_look_in_an_openmp_run() -> None:
    """The regions that lose most, then what takes most of the run; first of all where processors lacked."""
    uneven = region(0, seconds=3.0, overhead=0.1, busy=3.0, longest_busy=2.8)
    even = region(1, seconds=2.0, overhead=0.01, busy=3.9, longest_busy=1.97)
    inner = region(2, outer=0, seconds=1.0)
    found = profile(trace([process(TWO)], regions=(even, uneven, inner)), {("/s/a.c", 10): ["solve", ""]})
    assert found is not None
    assert [(s.line, s.count, s.seconds, s.phases) for s in found.team_sites] == [
        (10, 1000, 3.0, ("solve",)), (20, 1000, 2.0, ()),
    ]  # fmt: skip
    first = found.team_sites[0]
    assert [first.opening_seconds, first.waiting_seconds, first.mean_seconds, first.worst_seconds] == pytest.approx(
        [0.1, 1.4, 1.5, 2.8]
    )
    assert [look.what for look in found.looks] == [
        "look at the parallel region at a.c:10, which loses most",
        "look at what one thread does alone, which takes 50 % of the run",
    ]
    assert found.first == ()
    fine = profile(trace([process(TWO)], regions=(region(0, seconds=9.0, overhead=0.1, busy=17.0),)))
    assert fine is not None
    assert [look.what for look in fine.looks] == ["look at what the teams compute, which takes 85 % of the run"]
    few = profile(trace([process(TWO, cpus=2, nodes=1)], regions=(region(0, most_threads=4),)))
    assert few is not None
    assert few.first[0][0] == "run it with at most 2"
