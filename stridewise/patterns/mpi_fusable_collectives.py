"""Small collective calls of one kind from neighbouring lines, each made as often as the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import callers, duration, evidence, per_rank, place, related, share
from stridewise.runs.mpi.trace import Call, Trace

_CALLS = {"MPI_Allreduce", "MPI_Reduce", "MPI_Bcast"}


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    """Of low confidence: whether one needs the result of the other, the source must show."""
    for calls in _functions(trace):
        row: list[Call] = []
        for call in calls:
            if row and not _follows(call, row[-1]):
                yield from _judge(trace, rule, row)
                row = []
            row = [*row, call] if _is_small(call, rule) else []
        yield from _judge(trace, rule, row)


def _functions(trace: Trace) -> Iterable[list[Call]]:
    """All MPI calls that one function makes on the same way to it, in the order of its lines."""
    groups: dict[tuple[object, ...], list[tuple[int, int, Call]]] = defaultdict(list)
    for call in trace.calls:
        if call.path is None or not call.count:
            continue
        site = trace.paths[call.path].site
        if site is not None and site.line > 0:
            way = tuple((frame.file, frame.line) for frame in trace.paths[call.path].callers)
            groups[(site.file, site.function, *way)].append((site.line, site.column, call))
    for found in groups.values():
        yield [call for _, _, call in sorted(found, key=lambda each: each[:2])]


def _is_small(call: Call, rule: Rule) -> bool:
    return (
        call.call in _CALLS
        and call.bytes <= rule.threshold("max_bytes") * call.count
        and max(call.rank_counts) >= rule.threshold("min_calls")
    )


def _follows(call: Call, before: Call) -> bool:
    return call.call == before.call and call.ranks == before.ranks and call.rank_counts == before.rank_counts


def _judge(trace: Trace, rule: Rule, row: Sequence[Call]) -> Iterable[Finding]:
    paths = [call.path for call in row if call.path is not None]
    if len(paths) < 2:
        return
    spent = per_rank(trace, *(call.seconds for call in row))
    waited = per_rank(trace, *(wait.waiting for wait in trace.waits if wait.path in paths))
    own = [max(0.0, total - wait) for total, wait in zip(spent, waited, strict=True)]
    cost = max(own, default=0.0)
    if share(trace, cost) < rule.threshold("min_cost_share"):
        return
    where = place(trace, paths[0])
    yield rule.finding(
        "mpi",
        where.location,
        args={
            "count": len(row),
            "call": row[0].call,
            "times": f"{max(row[0].rank_counts):,}",
            "bytes": f"{sum(call.bytes for call in row) / sum(call.count for call in row):,.0f}",
            "cost": duration(cost),
        },
        confidence=Confidence.LOW,
        function=where.function,
        evidence=[evidence(trace, own, call_count=sum(call.count for call in row))],
        related=[*related(trace, paths[1:], "could join the call above"), *callers(trace, paths[:1])],
        cost_seconds=cost,
        gain_seconds=cost * (1 - 1 / len(row)),
    )
