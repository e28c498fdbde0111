"""Work of one thread in a single (or master, where the compiler's code tells of it) for which the team waits.

At the barrier behind it the recorder knows what each thread did (stridewise/patterns/_meetings.py); that the busiest
one came from the single makes it the cause. Where the single only makes tasks, the team works on them there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.finding.quantities import seconds
from stridewise.patterns import _meetings, _omp
from stridewise.patterns._meetings import Gathering
from stridewise.patterns._omp import Place
from stridewise.runs.omp.trace import Trace


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Gathering]] = defaultdict(list)
    for gathering in _meetings.gatherings(trace):
        if gathering.kind == "single" and not gathering.makes_tasks and _is_work(gathering, rule):
            places[gathering.where].append(gathering)
    for where, found in places.items():
        costs, note = _meetings.costs(trace, found), _meetings.note(trace, found)
        if _omp.share(trace, max(costs)) < rule.threshold("min_cost_share"):
            continue
        worst = max(found, key=lambda g: g.lost)
        yield rule.finding(
            "omp",
            where.location,
            args={
                "times": f"{worst.times:,}",
                "each": seconds(worst.longest / worst.times),
                "cost": seconds(max(costs)),
            },
            confidence=Confidence.MEDIUM,
            function=where.function,
            evidence=[_omp.evidence(costs, note, **_meetings.metrics(found))],
            related=_omp.callers(trace, worst.meetings[0].work),
            cost_seconds=max(costs),
            gain_seconds=max(costs),
        )


def _is_work(gathering: Gathering, rule: Rule) -> bool:
    long = gathering.longest >= 1e-6 * rule.threshold("min_work_us") * gathering.times
    return long and gathering.lost >= rule.threshold("min_lost_share") * gathering.longest
