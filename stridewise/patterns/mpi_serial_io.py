"""One rank that collects the data of all and then works alone, as it does to write them.

The run sees the collecting, the time behind it, and the output that the program makes by the C library. Where the root
alone writes and the others wait for it meanwhile, nothing is left to doubt; where no output was seen, the finding is
unsure unless the source says it too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding
from stridewise.patterns._mpi import Place, callers, duration, per_rank, place, share
from stridewise.runs.mpi.trace import Gather, Trace


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Gather]] = defaultdict(list)
    for site in trace.gathers:
        if site.bytes_per_rank >= rule.threshold("min_block_bytes") and len(trace.ranks) > 1:
            places[place(trace, site.path)].append(site)
    for where, sites in places.items():
        after = sum(s.after_seconds for s in sites)
        if share(trace, after) >= rule.threshold("min_alone_share"):
            yield _finding(trace, rule, where, sites, after)


def _caused(trace: Trace, sites: Sequence[Gather]) -> float:
    """Seconds that the others waited for the root's work behind the gather, of the rank that waited most."""
    paths, roots = {s.path for s in sites}, {s.root for s in sites}
    waited = per_rank(trace)
    for wait in trace.waits:
        caused = sum(c.seconds for c in wait.causes if c.rank in roots and c.path_before in paths)
        for rank, seconds in wait.waiting:
            waited[rank] += seconds * min(1.0, caused / wait.seconds) if wait.seconds > 0 else 0.0
    return max(waited, default=0.0)


def _proven(trace: Trace, rule: Rule, sites: Sequence[Gather], caused: float) -> bool:
    """Whether the root alone writes, and the others wait for most of that time."""
    wrote = per_rank(trace, *(call.seconds for call in trace.calls if call.call == "write"))
    roots = {s.root for s in sites}
    of_roots = max(wrote[root] for root in roots)
    of_others = max((seconds for rank, seconds in enumerate(wrote) if rank not in roots), default=0.0)
    return (
        of_roots > 0
        and of_others <= rule.threshold("others_share") * of_roots
        and caused >= rule.threshold("caused_share") * of_roots
    )


def _finding(trace: Trace, rule: Rule, where: Place, sites: Sequence[Gather], after: float) -> Finding:
    ranks = len(trace.ranks)
    wrote = sum(s.effects for s in sites)
    caused = _caused(trace, sites)
    confidence = Confidence.LOW
    if 2 * wrote >= sum(s.instances for s in sites):
        confidence = Confidence.HIGH if _proven(trace, rule, sites, caused) else Confidence.MEDIUM
    return rule.finding(
        "mpi",
        where.location,
        args={
            "root": trace.ranks[sites[0].root].rank,
            "times": f"{sum(s.whole_run_instances for s in sites):,}",
            "block_bytes": f"{max(s.bytes_per_rank for s in sites):,.0f}",
            "alone": duration(after),
            "ranks": ranks,
        },
        confidence=confidence,
        function=where.function,
        evidence=[
            Evidence(
                "mpi",
                {
                    "gather_count": sum(s.whole_run_instances for s in sites),
                    "block_bytes": max(s.bytes_per_rank for s in sites),
                    "alone_seconds": after,
                    "waited_seconds": caused,
                },
                "" if wrote else "what the rank did meanwhile was not seen",
            )
        ],
        related=callers(trace, [s.path for s in sites]),
        cost_seconds=None,
        gain_seconds=after * (ranks - 1) / ranks,
    )
