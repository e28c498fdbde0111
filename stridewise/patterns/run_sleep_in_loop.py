"""Sleep on a call path, over and over: what the rank that slept longest could have worked.

A nap between two questions waits for something: such a place is unsure, and so is one in a program that calls MPI from
several threads, where another thread may have worked meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, callers, duration, evidence, per_rank, place, share
from stridewise.runs.mpi.trace import Call, Trace

_ASKS = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived")


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Call]] = defaultdict(list)
    for call in trace.calls:
        if call.call == "sleep" and call.path is not None:
            places[place(trace, call.path)].append(call)
    for where, calls in places.items():
        slept = per_rank(trace, *(call.seconds for call in calls))
        longest = max(range(len(slept)), key=slept.__getitem__)
        times = sum(_count(call, longest) for call in calls)
        if times >= rule.threshold("min_times") and share(trace, slept[longest]) >= rule.threshold("min_run_share"):
            yield _finding(trace, rule, where, calls, slept, longest, times)


def _count(call: Call, rank: int) -> int:
    return dict(zip(call.ranks or range(len(call.rank_counts)), call.rank_counts, strict=True)).get(rank, 0)


def _asks(trace: Trace, calls: Sequence[Call]) -> int:
    """Questions whether something is done, by a function on the way to these naps."""
    ways = {
        frame.function
        for call in calls
        for frame in trace.paths[call.path or 0].frames
        if frame.user and frame.known and frame.function != "main"
    }
    sites = {(place(trace, call.path or 0).file, place(trace, call.path or 0).function) for call in calls}
    count = 0
    for call in trace.calls:
        if call.path is None or not call.call.startswith(_ASKS):
            continue
        where = place(trace, call.path)
        if where.function in ways or (where.file, where.function) in sites:
            count += call.count
    return count


def _finding(
    trace: Trace,
    rule: Rule,
    where: Place,
    calls: Sequence[Call],
    slept: Sequence[float],
    longest: int,
    times: int,
) -> Finding:
    count = sum(call.count for call in calls)
    asks = _asks(trace, calls)
    unsure = 2 * asks >= count or bool(trace.threads)
    note = "it asks for something between its naps" if 2 * asks >= count else ""
    return rule.finding(
        "mpi",
        where.location,
        args={
            "rank": trace.ranks[longest].rank,
            "times": f"{times:,}",
            "slept": duration(slept[longest]),
            "share": f"{100 * share(trace, slept[longest]):.1f}",
        },
        confidence=Confidence.LOW if unsure else Confidence.HIGH,
        function=where.function,
        evidence=[evidence(trace, slept, note, call_count=count, slept_seconds=slept[longest])],
        related=callers(trace, [call.path for call in calls if call.path is not None]),
        cost_seconds=slept[longest],
        gain_seconds=slept[longest],
    )
