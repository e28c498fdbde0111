"""Regions that take longer than one thread would need for the work of all.

Of each region the recorder adds up what the threads were busy, and counts the regions whose time exceeds that: there
the team costs more than it saves, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import seconds
from stridewise.patterns import _omp
from stridewise.patterns._omp import Teams
from stridewise.runs.omp.trace import Trace


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    for team in _omp.teams(trace):
        excess = _excess(trace, team)
        small = team.busy <= 1e-6 * rule.threshold("max_work_us") * team.count
        if not small or team.count < rule.threshold("min_openings") or _slower(team) < rule.threshold("min_share"):
            continue
        if _omp.share(trace, max(excess)) < rule.threshold("min_cost_share"):
            continue
        yield rule.finding(
            "omp",
            team.place.location,
            args={
                "openings": f"{team.count:,}",
                "slower_percent": round(100 * _slower(team)),
                "work": seconds(team.busy / team.count),
                "each": seconds(team.typical_overhead),
                "threads": team.threads,
            },
            confidence=Confidence.MEDIUM if team.doubt else Confidence.HIGH,
            function=team.place.function,
            evidence=[_evidence(excess, team)],
            related=_omp.callers(trace, team.regions[0].site),
            cost_seconds=max(excess),
            gain_seconds=max(excess),
        )


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed where opening the team takes longer than the whole loop on one thread, or most of the regions would be
    quicker on one thread; refuted where hardly one would."""
    for team in _omp.teams(trace):
        if not _omp.at(finding, team.place):
            continue
        excess = _excess(trace, team)
        evidence = _evidence(excess, team)
        if _slower(team) >= rule.threshold("min_share"):
            return Judgement(Verdict.CONFIRMED, evidence, max(excess), max(excess))
        if _opening_outweighs(finding, team, rule):
            opening = _opening(trace, team)
            evidence = _evidence(opening, team)
            return Judgement(Verdict.CONFIRMED, evidence, max(opening), max(opening))
        if _slower(team) <= (1 - rule.threshold("min_share")) and not _omp.crowded(trace):
            return Judgement(Verdict.REFUTED, evidence, max(excess), 0.0)
        return Judgement(Verdict.SUSPECTED, evidence, max(excess), max(excess))
    return None


def _opening_outweighs(finding: Finding, team: Teams, rule: Rule) -> bool:
    """Of a loop of known length the source knows the work better than the run, to which what the runtime and the
    recorder do on each thread, a microsecond, is work as well."""
    alone = finding.args.get("nanoseconds")
    if not isinstance(alone, int | float) or team.count < rule.threshold("min_openings"):
        return False
    small = team.busy <= 1e-6 * rule.threshold("max_work_us") * team.count
    return small and team.typical_overhead > 1e-9 * alone


def _slower(team: Teams) -> float:
    """Share of the regions. Where threads lacked processors, all or none: by the price of a team and the mean work."""
    if team.worked is None:
        return team.slower / team.count
    return 1.0 if _excess_each(team) > 0 else 0.0


def _excess_each(team: Teams) -> float:
    """By the price of opening the team, what the region takes longer than all of its work on one thread."""
    return team.typical_overhead - team.busy / team.count * (1 - 1 / team.threads)


def _excess(trace: Trace, team: Teams) -> list[float]:
    """Seconds that one thread would save, per process."""
    if team.worked is not None:
        each = max(0.0, _excess_each(team))
        return _omp.per_process(trace, _omp.by_process((r.process, each * r.count) for r in team.regions))
    found = ((r.process, _omp.settled(r.excess, r.typical_overhead, r.count)) for r in team.regions)
    return _omp.per_process(trace, _omp.by_process(found))


def _opening(trace: Trace, team: Teams) -> list[float]:
    """Seconds that opening and closing the team took, per process."""
    found = ((r.process, min(team.price, r.typical_overhead) * r.count) for r in team.regions)
    return _omp.per_process(trace, _omp.by_process(found))


def _evidence(excess: list[float], team: Teams) -> Evidence:
    return _omp.evidence(
        excess,
        team.doubt,
        opening_count=team.count,
        slower_count=team.slower,
        work_seconds_each=team.busy / team.count,
        overhead_seconds_each=team.typical_overhead,
        thread_count=team.threads,
    )
