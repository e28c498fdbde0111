"""Regions that are opened again and again, where opening and closing the team is much of their time.

The recorder measures fork and join as the region's time beyond the longest span of a thread in it. A finding of the
source is confirmed where that is a good part of the region's time; by the run alone one is made only where the region
follows itself, since regions that follow others are omp-adjacent-regions.
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
        costs = team.costs(trace)
        if not _repeats(trace, team, rule) or not _costly(team, rule):
            continue
        if _omp.share(trace, max(costs)) < rule.threshold("min_cost_share"):
            continue
        yield rule.finding(
            "omp",
            team.place.location,
            args={
                "openings": f"{team.count:,}",
                "each": seconds(team.typical_overhead),
                "cost": seconds(max(costs)),
                "overhead_percent": round(100 * _share(team)),
                "threads": team.threads,
            },
            confidence=Confidence.MEDIUM if team.doubt else Confidence.HIGH,
            function=team.place.function,
            evidence=[_evidence(trace, team)],
            related=_omp.callers(trace, team.regions[0].site),
            cost_seconds=max(costs),
            gain_seconds=max(costs) * _omp.hoisted_share(trace, team),
        )


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed by the openings and their share of the region's time; refuted where both or one is small."""
    for team in _omp.teams(trace):
        if not _omp.at(finding, team.place):
            continue
        cost = max(team.costs(trace))
        evidence = _evidence(trace, team)
        if team.count < rule.threshold("min_openings") or _share(team) < rule.threshold("min_overhead_share") / 2:
            return Judgement(Verdict.REFUTED, evidence, cost, 0.0)
        if _costly(team, rule):
            return Judgement(Verdict.CONFIRMED, evidence, cost, cost * _omp.hoisted_share(trace, team))
        return Judgement(Verdict.SUSPECTED, evidence, cost, cost * _omp.hoisted_share(trace, team))
    return None


def _repeats(trace: Trace, team: Teams, rule: Rule) -> bool:
    """Whether the region mostly follows itself, in each opening thread's own order."""
    sites = {region.site for region in team.regions}
    again = sum(p.count for p in trace.pairs if p.first in sites and p.second in sites)
    return again >= max(rule.threshold("min_openings"), team.count / 2)


def _costly(team: Teams, rule: Rule) -> bool:
    return team.count >= rule.threshold("min_openings") and _share(team) >= rule.threshold("min_overhead_share")


def _share(team: Teams) -> float:
    """Fork and join in the time of the regions; what others did to the machine is left out of both."""
    settled = team.settled_overhead
    return settled / (settled + team.rest) if settled + team.rest > 0 else 0.0


def _evidence(trace: Trace, team: Teams) -> Evidence:
    return _omp.evidence(
        team.costs(trace),
        team.doubt,
        opening_count=team.count,
        overhead_seconds_each=team.typical_overhead,
        region_seconds=team.seconds,
        overhead_share=_share(team),
        thread_count=team.threads,
    )
