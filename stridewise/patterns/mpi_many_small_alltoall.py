"""All-to-all exchanges of small blocks between many ranks of one node."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, callers, duration, evidence, per_rank, place, share
from stridewise.runs.mpi.trace import Call, Trace

_CALLS = {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw"}
_HYBRID_FACTOR = 2  # the low end of what the lesson's source measured


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    ranks = len(trace.ranks)
    on_one_node = max(Counter(rank.host for rank in trace.ranks).values(), default=0)
    if on_one_node < rule.threshold("min_ranks_per_node"):
        return
    places: dict[Place, list[Call]] = defaultdict(list)
    for call in trace.calls:
        small = call.bytes <= rule.threshold("max_block_bytes") * call.count * ranks
        if call.call in _CALLS and call.path is not None and call.count and small:
            places[place(trace, call.path)].append(call)
    for where, calls in places.items():
        own = _own(trace, calls)
        if share(trace, max(own)) >= rule.threshold("min_cost_share"):
            yield _finding(trace, rule, where, calls, own, on_one_node)


def _own(trace: Trace, calls: Sequence[Call]) -> list[float]:
    """Seconds without waiting for late ranks."""
    paths = {call.path for call in calls}
    spent = per_rank(trace, *(call.seconds for call in calls))
    waited = per_rank(trace, *(wait.waiting for wait in trace.waits if wait.path in paths))
    return [max(0.0, total - wait) for total, wait in zip(spent, waited, strict=True)]


def _finding(
    trace: Trace, rule: Rule, where: Place, calls: Sequence[Call], own: Sequence[float], on_one_node: int
) -> Finding:
    ranks, count = len(trace.ranks), sum(call.count for call in calls)
    block = sum(call.bytes for call in calls) / count / ranks
    cost = max(own)
    each = sum(own) / count
    many = count / ranks >= rule.threshold("min_calls")
    return rule.finding(
        "mpi",
        where.location,
        args={
            "calls": f"{count // ranks:,}",
            "ranks": ranks,
            "block_bytes": f"{block:,.0f}",
            "transfers": f"{ranks * (ranks - 1):,}",
            "per_node": on_one_node,
            "cost": duration(cost),
            "each": duration(each),
        },
        confidence=Confidence.MEDIUM if many else Confidence.LOW,
        function=where.function,
        evidence=[
            evidence(
                trace, own, call_count=count, block_bytes=block, ranks_per_node_count=on_one_node, call_seconds=each
            )
        ],
        related=callers(trace, [call.path for call in calls if call.path is not None]),
        cost_seconds=cost,
        gain_seconds=cost * (1 - 1 / _HYBRID_FACTOR),
    )
