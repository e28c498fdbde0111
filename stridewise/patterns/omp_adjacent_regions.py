"""Regions that always follow one another with hardly anything between them.

The recorder counts which region follows which on the thread that opens them, and the time between. A chain of regions
is one finding, at its first; it costs the fork and join of the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Related, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import seconds
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place, Teams
from stridewise.runs.omp.trace import Trace


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    for chain in chains(trace, rule, rule.threshold("min_openings")):
        first, *others = chain
        doubt = chain[-1].doubt
        costs = _costs(trace, others)
        time = sum(team.settled_overhead + team.rest for team in others)
        if sum(team.settled_overhead for team in others) < rule.threshold("min_overhead_share") * time:
            continue
        if _omp.share(trace, max(costs)) < rule.threshold("min_cost_share"):
            continue
        yield rule.finding(
            "omp",
            first.place.location,
            args={
                "regions": len(chain),
                "times": f"{first.count:,}",
                "lines": ", ".join(str(team.place) for team in others),
                "cost": seconds(max(costs)),
            },
            confidence=Confidence.MEDIUM,
            function=first.place.function,
            evidence=[_evidence(costs, chain, doubt)],
            related=_related(others),
            cost_seconds=max(costs),
            gain_seconds=max(costs) * _omp.hoisted_share(trace, first),
        )


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed by regions that follow the finding's own at once; refuted where they ran once."""
    for chain in chains(trace, rule, 2):
        if not _omp.at(finding, chain[0].place):
            continue
        costs = _costs(trace, chain[1:])
        gain = max(costs) * _omp.hoisted_share(trace, chain[0])
        return Judgement(Verdict.CONFIRMED, _evidence(costs, chain, chain[-1].doubt), max(costs), gain)
    for team in _omp.teams(trace):
        if _omp.at(finding, team.place) and team.count < 2:
            costs = team.costs(trace)
            return Judgement(Verdict.REFUTED, _evidence(costs, [team], ""), max(costs), 0.0)
    return None


def chains(trace: Trace, rule: Rule, least: float) -> list[list[Teams]]:
    """Two or more regions each, in order, that followed one another so many times. A place is in one chain only."""
    teams = {team.place: team for team in _omp.teams(trace, inner=False)}
    after = _followers(trace, teams, rule, least)
    followed = set(after.values())
    out = []
    seen: set[Place] = set()
    # Regions that nothing precedes begin a chain; of a closed circle (a step of regions only) the first in the file.
    for place in sorted(teams, key=lambda p: (p in followed, p.file, p.line)):
        chain: list[Teams] = []
        here: Place | None = place
        while here is not None and here not in seen:
            seen.add(here)
            chain.append(teams[here])
            here = after.get(here)
        if len(chain) > 1:
            out.append(chain)
    return out


def _followers(trace: Trace, teams: dict[Place, Teams], rule: Rule, least: float) -> dict[Place, Place]:
    """The region that follows another nearly each time, at once."""
    counts: dict[tuple[Place, Place], int] = defaultdict(int)
    gaps: dict[tuple[Place, Place], float] = defaultdict(float)
    for pair in trace.pairs:
        first, second = _omp.place(trace, pair.first), _omp.place(trace, pair.second)
        if first in teams and second in teams and first != second:
            counts[first, second] += pair.count
            gaps[first, second] += pair.typical * pair.count
    out: dict[Place, Place] = {}
    for (first, second), count in sorted(counts.items(), key=lambda item: -item[1]):
        mostly = rule.threshold("mostly_share") * max(teams[first].count, teams[second].count)
        near = gaps[first, second] / count <= max(1e-6, rule.threshold("max_gap_share") * _mean(teams[second]))
        if count >= max(mostly, least) and near and first.file == second.file:
            out.setdefault(first, second)
    return out


def _mean(team: Teams) -> float:
    return team.seconds / team.count


def _costs(trace: Trace, others: Sequence[Teams]) -> list[float]:
    return [sum(row) for row in zip(*(team.costs(trace) for team in others), strict=True)]


def _related(others: Sequence[Teams]) -> list[Related]:
    places = [team.place for team in others if team.place.known]
    return [Related(p.file, p.line, "the team is opened again") for p in places]


def _evidence(costs: Sequence[float], chain: Sequence[Teams], doubt: str) -> Evidence:
    return _omp.evidence(
        costs,
        doubt,
        region_count=len(chain),
        opening_count=chain[0].count,
        overhead_seconds_each=max(team.typical_overhead for team in chain),
    )
