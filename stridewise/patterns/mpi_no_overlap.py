"""Non-blocking messages that are waited for at once, although the rank computes right after.

stridewise-merge measures what was computed between the start of the messages and the call that waits for them, and
behind it (runtime/merge/Overlaps.cpp). Whether the computation behind needs the data, only the source can tell: alone,
a run is unsure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, callers, duration, evidence, per_rank, place, share
from stridewise.trace import Overlap, Trace


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Overlap]] = defaultdict(list)
    for site in trace.overlaps:
        places[place(trace, site.path)].append(site)
    for where, sites in places.items():
        own = sum(s.seconds - s.waiting_seconds for s in sites)
        before = sum(s.before_seconds for s in sites)
        gain = _gain(trace, sites)
        idle = before <= rule.threshold("max_overlap_share") * (before + own)
        if idle and share(trace, gain) >= rule.threshold("min_gain_share"):
            yield _finding(trace, rule, where, sites, before / (before + own) if before + own > 0 else 0.0)


def _gain(trace: Trace, sites: Sequence[Overlap]) -> float:
    taking_part = {rank for s in sites for rank, _ in s.own}
    return sum(s.hideable_seconds for s in sites) / max(1, len(taking_part)) if trace.ranks else 0.0


def _finding(trace: Trace, rule: Rule, where: Place, sites: Sequence[Overlap], overlap: float) -> Finding:
    rank_seconds = per_rank(trace, *(s.own for s in sites))
    cost = max(rank_seconds)
    after = sum(s.after_seconds for s in sites) / len(trace.ranks)
    return rule.finding(
        "mpi",
        where.location,
        args={
            "cost": duration(cost),
            "calls": f"{sum(s.calls for s in sites):,}",
            "after": duration(after),
            "overlap": f"{100 * overlap:.0f}",
        },
        confidence=Confidence.LOW,
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                call_count=sum(s.calls for s in sites),
                overlap_share=overlap,
                computed_after_seconds=after,
                message_bytes=sum(s.bytes for s in sites) / sum(s.calls for s in sites),
            )
        ],
        related=callers(trace, [s.path for s in sites]),
        cost_seconds=cost,
        gain_seconds=min(cost, _gain(trace, sites)),
    )
