"""How often a barrier of the source was reached, and what it cost.

Whether it is needed the source tells, not the run. What is saved by leaving it out is at least what the thread that
waits least spends in it; the rest of the waiting moves to the next meeting of the team.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Finding, Verdict
from stridewise.finding.correlate import same_file
from stridewise.finding.judgement import Judgement
from stridewise.finding.prices import costs, omp_cost
from stridewise.patterns import _omp
from stridewise.runs.omp.trace import Trace, Wait


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed where threads pass it many times, refuted where they do not: in a region, where a loop of the team
    repeats it, else in the run."""
    waits = [w for w in trace.waits if w.kind.startswith("barrier") and _omp.at(finding, _omp.place(trace, w.site))]
    waits = waits or _behind(finding, trace, rule)
    if not waits:
        return None
    mean, least = _costs(trace, waits)
    visits = _visits(trace, waits) if "loop_line" in finding.args else float(max(w.count for w in waits))
    evidence = _omp.evidence(
        mean,
        _omp.doubt(trace, bounded=True),
        visit_count=max(w.count for w in waits),
        visits_per_region=visits,
        wait_seconds=sum(w.seconds for w in waits),
        shortest_wait_seconds=min(w.shortest for w in waits),
    )
    if visits < rule.threshold("min_visits"):
        return Judgement(Verdict.REFUTED, evidence, max(mean), 0.0)
    return Judgement(Verdict.CONFIRMED, evidence, max(mean), max(least))


def _behind(finding: Finding, trace: Trace, rule: Rule) -> list[Wait]:
    """GCC gives the barrier at the end of a shared loop the line of a loop or statement inside it."""
    near: dict[int, list[Wait]] = defaultdict(list)
    for wait in trace.waits:
        where = _omp.place(trace, wait.site)
        if wait.kind == "barrier-other" and where.known and same_file(where.file, finding.location.file):
            near[where.line - finding.location.line].append(wait)
    lines = [distance for distance in near if 0 < distance <= rule.threshold("lines_behind")]
    return near[min(lines)] if lines else []


def _visits(trace: Trace, waits: Sequence[Wait]) -> float:
    """Of a thread, in one region."""
    regions = {(w.process, w.thread, w.site): w.count for w in trace.waits if w.kind == "team"}
    of_region = [-1 if w.region is None else w.region for w in waits]
    per_region = [w.count / regions.get((w.process, w.thread, r), 1) for w, r in zip(waits, of_region, strict=True)]
    return max(per_region)


def _costs(trace: Trace, waits: Sequence[Wait]) -> tuple[list[float], list[float]]:
    """Per process: the mean of its threads' waits, and the smallest.

    Where threads lack processors, a team waits until its last thread has one again: then no wait counts for more than
    twice its lower quartile, or the price of a barrier where that is more.
    """
    crowded = _omp.crowded(trace)
    threads: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for wait in waits:
        process = trace.processes[wait.process]
        team = max(2, sum(thread.regions > 0 for thread in process.threads))
        price = omp_cost(costs(process.host), "barrier", team).seconds if crowded else 0.0
        alone = max(2 * wait.typical, price) * wait.count
        threads[wait.process][wait.thread] += min(wait.seconds, alone) if crowded else wait.seconds
    mean = {process: sum(t.values()) / len(t) for process, t in threads.items()}
    least = {process: min(t.values()) for process, t in threads.items()}
    return _omp.per_process(trace, mean), _omp.per_process(trace, least)
