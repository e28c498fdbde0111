"""Locks that a team passes often: what the threads wait for them, and how long each holds them.

A finding of the source is confirmed where the lock was taken often. By the run alone, a lock that is held shortly and
yet costs a good part of the team's time is one: the hand-over costs more than what it protects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Verdict
from stridewise.judgement import Judgement
from stridewise.omp_trace import Mutex, Trace
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place
from stridewise.quantities import seconds

_NAMES = {"critical": "critical section", "lock": "lock", "ordered": "ordered section", "atomic": "atomic update"}


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    doubt = _omp.doubt(trace)
    places: dict[Place, list[Mutex]] = defaultdict(list)
    for mutex in trace.mutexes:
        if mutex.kind in ("critical", "lock") and _omp.is_openmp(trace, mutex.site):
            places[_omp.place(trace, mutex.site)].append(mutex)
    for where, mutexes in places.items():
        entries = sum(m.count for m in mutexes)
        hold = sum(m.hold for m in mutexes) / entries
        costs = _costs(trace, mutexes)
        if entries < rule.threshold("min_entries") or hold > 1e-6 * rule.threshold("max_hold_us"):
            continue
        if _omp.share(trace, max(costs)) < rule.threshold("min_cost_share") or not _shared(mutexes):
            continue
        yield rule.finding(
            "omp",
            where.location,
            args={
                "lock": _NAMES[mutexes[0].kind],
                "entries": f"{entries:,}",
                "hold": seconds(hold),
                "wait": seconds(sum(m.seconds for m in mutexes) / entries),
                "cost": seconds(max(costs)),
            },
            confidence=Confidence.LOW if doubt else Confidence.MEDIUM,
            function=where.function,
            evidence=[_evidence(costs, mutexes, doubt)],
            related=_omp.callers(trace, mutexes[0].site),
            cost_seconds=max(costs),
            gain_seconds=max(costs),
        )


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed where several threads took the lock often, refuted where they did not."""
    mutexes = [m for m in trace.mutexes if _omp.at(finding, _omp.place(trace, m.site))]
    if not mutexes:
        return None
    costs = _costs(trace, mutexes)
    evidence = _evidence(costs, mutexes, _omp.doubt(trace))
    if sum(m.count for m in mutexes) < rule.threshold("min_entries"):
        return Judgement(Verdict.REFUTED, evidence, max(costs), 0.0)
    if not _shared(mutexes):
        return Judgement(Verdict.SUSPECTED, evidence, max(costs), None)
    return Judgement(Verdict.CONFIRMED, evidence, max(costs), max(costs))


def _shared(mutexes: Sequence[Mutex]) -> bool:
    """Whether several threads of a process took it."""
    threads: dict[int, set[int]] = defaultdict(set)
    for mutex in mutexes:
        threads[mutex.process].add(mutex.thread)
    return any(len(found) > 1 for found in threads.values())


def _costs(trace: Trace, mutexes: Sequence[Mutex]) -> list[float]:
    """Waits per process: the mean of the threads that took it."""
    threads: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for mutex in mutexes:
        threads[mutex.process][mutex.thread] += mutex.seconds
    return _omp.per_process(trace, {process: sum(t.values()) / len(t) for process, t in threads.items()})


def _evidence(costs: Sequence[float], mutexes: Sequence[Mutex], doubt: str) -> Evidence:
    entries = sum(m.count for m in mutexes)
    return _omp.evidence(
        costs,
        doubt,
        entry_count=entries,
        contended_count=sum(m.contended for m in mutexes),
        wait_seconds=sum(m.seconds for m in mutexes),
        hold_seconds_each=sum(m.hold for m in mutexes) / entries,
    )
