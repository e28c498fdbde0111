"""Locks that a team passes often: what the threads wait for them, and how long each holds them.

A finding of the source is confirmed where the lock was taken often. By the run alone, a lock that is held shortly and
yet costs a good part of the team's time is one: the hand-over costs more than what it protects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.finding.prices import costs, omp_cost
from stridewise.finding.quantities import seconds
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place
from stridewise.runs.omp.trace import Mutex, Trace

_NAMES = {"critical": "critical section", "lock": "lock", "ordered": "ordered section", "atomic": "atomic update"}

_ATOMIC = ", or use '#pragma omp atomic' for a single update"


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Mutex]] = defaultdict(list)
    for mutex in trace.mutexes:
        if mutex.kind in ("critical", "lock", "atomic") and _omp.is_openmp(trace, mutex.site):
            places[_omp.place(trace, mutex.site)].append(mutex)
    for where, mutexes in places.items():
        entries = sum(m.count for m in mutexes)
        hold = sum(m.hold for m in mutexes) / entries
        waits = _costs(trace, mutexes)
        doubt = _omp.doubt(trace, bounded=True)
        if entries < rule.threshold("min_entries") or hold > 1e-6 * rule.threshold("max_hold_us"):
            continue
        if _omp.share(trace, max(waits)) < rule.threshold("min_cost_share") or not _shared(mutexes):
            continue
        yield rule.finding(
            "omp",
            where.location,
            args={
                "lock": _NAMES[mutexes[0].kind],
                "entries": f"{entries:,}",
                "hold": seconds(hold),
                "wait": seconds(max(waits) * _threads(mutexes) / entries),
                "cost": seconds(max(waits)),
                "instead": "" if mutexes[0].kind == "atomic" else _ATOMIC,
            },
            confidence=Confidence.MEDIUM,
            function=where.function,
            evidence=[_evidence(waits, mutexes, doubt)],
            related=_omp.callers(trace, mutexes[0].site),
            cost_seconds=max(waits),
            gain_seconds=max(waits),
        )


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed where several threads took the lock often, refuted where they did not."""
    mutexes = [m for m in trace.mutexes if _omp.at(finding, _omp.place(trace, m.site))]
    if not mutexes:
        return None
    waits = _costs(trace, mutexes)
    evidence = _evidence(waits, mutexes, _omp.doubt(trace, bounded=True))
    if sum(m.count for m in mutexes) < rule.threshold("min_entries"):
        return Judgement(Verdict.REFUTED, evidence, max(waits), 0.0)
    if _omp.share(trace, max(waits)) < rule.threshold("min_wait_share"):
        return Judgement(Verdict.REFUTED, evidence, max(waits), max(waits))
    if not _shared(mutexes):
        return Judgement(Verdict.SUSPECTED, evidence, max(waits), None)
    return Judgement(Verdict.CONFIRMED, evidence, max(waits), max(waits))


def _shared(mutexes: Sequence[Mutex]) -> bool:
    """Whether several threads of a process took it."""
    threads: dict[int, set[int]] = defaultdict(set)
    for mutex in mutexes:
        threads[mutex.process].add(mutex.thread)
    return any(len(found) > 1 for found in threads.values())


def _threads(mutexes: Sequence[Mutex]) -> int:
    """Of the process whose threads took it most often."""
    entries: dict[int, int] = defaultdict(int)
    for mutex in mutexes:
        entries[mutex.process] += mutex.count
    most = max(entries, key=entries.__getitem__)
    return len({m.thread for m in mutexes if m.process == most})


def _costs(trace: Trace, mutexes: Sequence[Mutex]) -> list[float]:
    """Waits per process: the mean of the threads that took it.

    Where threads lack processors, whoever waits for a lock waits until its holder has one again: then no wait counts
    for more than twice its lower quartile, or the price of a hand-over where that is more.
    """
    crowded = _omp.crowded(trace)
    threads: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for mutex in mutexes:
        process = trace.processes[mutex.process]
        team = max(2, sum(thread.regions > 0 for thread in process.threads))
        price = omp_cost(costs(process.host), "critical", team).seconds if crowded else 0.0
        alone = max(2 * mutex.typical, team * price) * mutex.count
        threads[mutex.process][mutex.thread] += min(mutex.seconds, alone) if crowded else mutex.seconds
    return _omp.per_process(trace, {process: sum(t.values()) / len(t) for process, t in threads.items()})


def _evidence(waits: Sequence[float], mutexes: Sequence[Mutex], doubt: str) -> Evidence:
    entries = sum(m.count for m in mutexes)
    return _omp.evidence(
        waits,
        doubt,
        entry_count=entries,
        contended_count=sum(m.contended for m in mutexes),
        wait_seconds=sum(m.seconds for m in mutexes),
        hold_seconds_each=sum(m.hold for m in mutexes) / entries,
    )
