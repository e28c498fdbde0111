"""Non-blocking messages that are waited for at once, although the rank computes right after.

stridewise-merge measures what was computed between the start of the messages and the call that waits for them, and
behind it (runtime/merge/Overlaps.cpp). Whether the computation behind needs the data, only the source can tell. But all
of it can need them directly only if it has time for little else than to read them: where every rank exchanges over and
over, and computes behind it far longer than it takes to read what came, most of that computation works on other data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, callers, duration, evidence, per_rank, place, share
from stridewise.runs.mpi.trace import Overlap, Trace


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


def _running(trace: Trace, rank: int) -> float:
    """Which part of its time a rank had a processor: without one, calls take longer that no overlap makes shorter."""
    wall = trace.ranks[rank].wall_seconds
    return max(0.0, 1.0 - trace.ranks[rank].queue_seconds / wall) if wall > 0 else 1.0


def _own(trace: Trace, sites: Sequence[Overlap]) -> list[float]:
    """Seconds per rank in the calls without waiting, neither for others nor for a processor."""
    return [seconds * _running(trace, rank) for rank, seconds in enumerate(per_rank(trace, *(s.own for s in sites)))]


def _gain(trace: Trace, sites: Sequence[Overlap]) -> float:
    taking_part = {rank for s in sites for rank, _ in s.own}
    running = sum(_running(trace, rank) for rank in taking_part) / max(1, len(taking_part))
    return running * sum(s.hideable_seconds for s in sites) / max(1, len(taking_part)) if trace.ranks else 0.0


def _confidence(trace: Trace, rule: Rule, sites: Sequence[Overlap]) -> Confidence:
    calls, ranks = sum(s.calls for s in sites), len(trace.ranks)
    everybody = len({rank for s in sites for rank, _ in s.own}) == ranks
    reading = sum(s.bytes for s in sites) / rule.threshold("bytes_per_second")
    other = sum(s.after_seconds for s in sites) >= rule.threshold("min_work_per_data") * reading
    often = calls >= rule.threshold("min_calls") * ranks
    worth = share(trace, _gain(trace, sites)) >= rule.threshold("sure_gain_share")
    return Confidence.MEDIUM if everybody and often and other and worth else Confidence.LOW


def _finding(trace: Trace, rule: Rule, where: Place, sites: Sequence[Overlap], overlap: float) -> Finding:
    rank_seconds = _own(trace, sites)
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
        confidence=_confidence(trace, rule, sites),
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
