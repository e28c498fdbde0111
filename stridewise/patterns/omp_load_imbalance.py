"""Threads that wait at the end of a region or a loop for those that have more to do.

What an even division would save is known of each meeting (stridewise/patterns/_meetings.py). Where the same threads
have more to do each time, sums over the run show it, too; where they are late by turns, no fixed division mends it,
and that is a finding of lower confidence. A thread that is slow at nearly every place has a slow processor, not more
work. Waits for the one thread of a single, or for a task that takes long, are findings of other rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Related, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import seconds
from stridewise.patterns import _meetings, _omp
from stridewise.patterns._meetings import Gathering
from stridewise.patterns._omp import Place
from stridewise.runs.omp.trace import Trace

_WORDS = {
    "loop-static": "the loop",
    "loop-dynamic": "the loop",
    "loop-guided": "the loop",
    "loop-other": "the loop",
    "sections": "the sections",
    "": "the region",
}
_BARRIER = "the work before this barrier"
_SHARED = "processors that others use as well differ by as much"
_COLD = "a loop that runs once or twice also waits for its thread that first uses the memory"
_TURNS = "no thread has more to do than the others over the whole run: they are late by turns"


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Gathering]] = defaultdict(list)
    slow = _meetings.slowness(trace)
    for gathering in _meetings.gatherings(trace):
        if gathering.kind not in _WORDS or gathering.by_tasks:
            continue
        # Where processors differ in speed, what the threads did each time says little; their sums can be corrected.
        lost = min(gathering.lost, gathering.systematic) if slow else gathering.lost
        short = lost < 1e-6 * rule.threshold("min_lost_us") * gathering.times
        if not short and lost >= rule.threshold("min_lost_share") * gathering.longest:
            places[gathering.where].append(gathering)
    for where, found in places.items():
        costs = _meetings.costs(trace, found)
        if slow:
            costs = _omp.per_process(trace, _omp.by_process((g.process, min(g.lost, g.systematic)) for g in found))
        if _omp.share(trace, max(costs)) >= rule.threshold("min_cost_share"):
            yield _finding(trace, rule, where, found, costs)


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed where the team loses a good part of its time to its busiest thread, refuted where it does not."""
    found = [g for g in _meetings.gatherings(trace) if g.kind in _WORDS and _omp.at(finding, g.where)]
    if not found:
        return None
    costs = _meetings.costs(trace, found)
    evidence = _omp.evidence(costs, _meetings.note(trace, found), **_meetings.metrics(found))
    lost, longest = sum(g.lost for g in found), sum(g.longest for g in found)
    if lost >= rule.threshold("min_lost_share") * longest:
        return Judgement(Verdict.CONFIRMED, evidence, max(costs), max(costs))
    return Judgement(Verdict.REFUTED, evidence, max(costs), 0.0)


def _finding(trace: Trace, rule: Rule, where: Place, found: Sequence[Gathering], costs: Sequence[float]) -> Finding:
    worst = max(found, key=lambda g: g.lost)
    lost = sum(g.lost for g in found)
    systematic = min(1.0, sum(g.systematic for g in found) / lost) if lost > 0 else 0.0
    note, sure = _meetings.note(trace, found), Confidence.HIGH
    clear = lost >= rule.threshold("min_turns_share") * sum(g.longest for g in found)
    if systematic < rule.threshold("min_systematic_share"):
        note, sure = _TURNS, Confidence.MEDIUM if clear else Confidence.LOW
    elif _omp.crowded(trace) and not clear:
        note, sure = _SHARED, Confidence.LOW
    few = worst.times < rule.threshold("min_meetings")
    if few and max(costs) < 1e-3 * rule.threshold("min_few_ms"):
        note, sure = _COLD, Confidence.LOW
    return rule.finding(
        "omp",
        where.location,
        args={
            "what": _BARRIER if worst.at_barrier else _WORDS[worst.kind],
            "cost": seconds(max(costs)),
            "times": f"{worst.times:,}",
            "culprits": _meetings.culprits(trace, worst),
            "work": _work(worst, rule),
            "remedy": _remedy(trace, worst, rule),
        },
        confidence=sure,
        function=where.function,
        evidence=[
            _omp.evidence(
                costs,
                note,
                **_meetings.metrics(found),
                **({"busy_seconds_most": max(worst.busy), "busy_seconds_least": min(worst.busy)} if worst.busy else {}),
                systematic_share=systematic,
            )
        ],
        related=_related(trace, where, worst),
        cost_seconds=max(costs),
        gain_seconds=max(costs),
    )


def _work(gathering: Gathering, rule: Rule) -> str:
    """How the threads' work differs over the run, where that is known, and where it does."""
    most, least = max(gathering.busy, default=0.0), min(gathering.busy, default=0.0)
    if least < rule.threshold("no_work_share") * most:
        return rule.variant("no_work")
    ratio = f"{most / least:.2g}" if least else "1"
    return "" if ratio == "1" else rule.variant("more_work", ratio=ratio)


def _trips(trace: Trace, gathering: Gathering) -> int:
    """Iterations of one execution of these loops; 0 if unknown."""
    works = {m.work for m in gathering.meetings}
    found = [w for w in trace.works if w.process == gathering.process and w.site in works]
    executions = sum(w.count for w in found)
    return sum(w.trips for w in found) // executions if executions else 0


def _remedy(trace: Trace, gathering: Gathering, rule: Rule) -> str:
    team, trips = max(2, gathering.threads), _trips(trace, gathering)
    if gathering.kind in ("loop-dynamic", "loop-guided"):
        return rule.variant("smaller_chunks")
    if gathering.kind == "sections":
        return rule.variant("sections")
    if 0 < trips < rule.threshold("few_trips") * team:
        return rule.variant("few_iterations", trips=trips, team=team)
    if gathering.kind == "" or not trips:
        return rule.variant("schedule")
    chunk = max(1, trips // int(rule.threshold("chunks_per_thread") * team))
    return rule.variant("chunk", chunk=chunk)


def _related(trace: Trace, where: Place, gathering: Gathering) -> list[Related]:
    end = _omp.place(trace, gathering.meetings[0].place)
    return [Related(end.file, end.line, "the team meets here")] if end != where and end.known else []
